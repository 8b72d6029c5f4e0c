# SPDX-License-Identifier: Apache-2.0
"""The published format (scheme 4 of the thesis, its section 5.2.2.4), free of any transport.

On the wire, after the 14-byte Ethernet header with Ethertype 0x88B5, numbers big-endian:

    Data     0x01  u32 sequence number (from 0), then 1 to 1481 bytes
    Summary  0x02  u32 packets, u32 bytes: all data packets have been sent once, this is what they were
    Ack      0x03  "OK", or "MI", u32 count, that many u32 sequence numbers that are missing

A sender transmits all data, then a summary. The receiver answers `OK` or the list of what is missing. The sender
repeats those and the summary, until `OK`.

**Missing lists longer than a frame.** One frame holds 369 numbers. A longer list goes out as several MI acks in a row.
Each is complete and valid by itself in the published format: its count is the count of that very frame. A short list is
byte for byte what was published. There is no "last" mark, because none is needed: an MI ack is a request, "repeat
these", and a sender does as it is told, frame by frame.

- A sender that knows only single-frame lists repeats the first 369, sends its summary and is told the rest.
- A lost ack of the row costs nothing: what it named is missing still when the next summary arrives, and is named again.
- A receiver may stop after `ack_burst` frames, so as not to flood a slow network, and go on with the next summary.

**Padding.** Ethernet pads a frame to 60 bytes, and no data field says how long it is. Only the bytes of the summary
tell how much of a short last packet is real. So all packets but the last must fill at least a minimum frame.

**Time and errors.** `Sender` and `Receiver` are state machines. The caller supplies the clock (any unit, microseconds
by default). They take messages, hand out messages and never wait. They never raise for anything that comes from the
wire: what does not fit is ignored, and counted by its reason in `ignored`.
"""

import struct
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, auto
from itertools import islice

from nsoc.network.ethernet import HEADER_BYTES, SHORTEST
from nsoc.transfer.pace import Pace, Window

ETHERTYPE = 0x88B5
MAX_FRAME_BYTES = 1500
"""The published frames keep header and payload together within 1500 bytes."""
MAX_PAYLOAD_BYTES = MAX_FRAME_BYTES - HEADER_BYTES - 5
MIN_PAYLOAD_BYTES = SHORTEST - HEADER_BYTES - 5
"""A data packet of fewer bytes is padded to this many; only the last one may be."""
MAX_MISSING = (MAX_FRAME_BYTES - HEADER_BYTES - 7) // 4
"""Sequence numbers in one MI ack."""

_DATA = struct.Struct(">BI")
_SUMMARY = struct.Struct(">BII")
_MISSING = struct.Struct(">B2sI")
_ETHERTYPE_BYTES = ETHERTYPE.to_bytes(2, "big")


@dataclass(frozen=True, slots=True)
class Data:
    """One numbered piece of the transfer."""

    sequence: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Summary:
    """How many data packets, and bytes in them, make the whole transfer."""

    packets: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Ack:
    """`OK` when nothing is missing, else `MI` with at most `MAX_MISSING` sequence numbers."""

    missing: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        """The transfer has arrived whole."""
        return not self.missing


class Reject(StrEnum):
    """Why a frame is no message of this protocol."""

    OTHER_ETHERTYPE = auto()
    TRUNCATED = auto()
    UNKNOWN_TYPE = auto()
    BAD_ACK = auto()
    BAD_COUNT = auto()


Message = Data | Summary | Ack


def encode(message: Message, header: bytes) -> bytes:
    """The whole frame, padded to 60 bytes, without FCS; `header` is what `ethernet_header` gave."""
    match message:
        case Data(sequence, payload):
            body = _DATA.pack(1, sequence) + payload
        case Summary(packets, total_bytes):
            body = _SUMMARY.pack(2, packets, total_bytes)
        case Ack(()):
            body = b"\x03OK"
        case Ack(missing):
            body = _MISSING.pack(3, b"MI", len(missing)) + struct.pack(f">{len(missing)}I", *missing)
    frame = header + body
    if len(frame) > MAX_FRAME_BYTES:
        raise ValueError(f"a frame of {len(frame)} bytes is over the protocol's {MAX_FRAME_BYTES}")
    return frame.ljust(SHORTEST, b"\0")


def ethernet_header(destination: bytes, source: bytes) -> bytes:
    """The 14 bytes before the protocol's own; both addresses as 6 bytes."""
    if len(destination) != 6 or len(source) != 6:
        raise ValueError("a MAC address has 6 bytes")
    return destination + source + _ETHERTYPE_BYTES


def decode(frame: bytes) -> Message | Reject:
    """What a frame (no FCS) says, or why it says nothing. Bytes after a message are padding."""
    if frame[12:14] != _ETHERTYPE_BYTES:
        return Reject.OTHER_ETHERTYPE if len(frame) >= HEADER_BYTES else Reject.TRUNCATED
    body = frame[HEADER_BYTES:]
    kind = body[:1]
    try:
        if kind == b"\x01":
            return Data(_DATA.unpack_from(body)[1], body[5:]) if len(body) > 5 else Reject.TRUNCATED
        if kind == b"\x02":
            return Summary(*_SUMMARY.unpack_from(body)[1:])
        if kind == b"\x03":
            return _decode_ack(body)
    except struct.error:
        return Reject.TRUNCATED
    return Reject.UNKNOWN_TYPE if kind else Reject.TRUNCATED


def _decode_ack(body: bytes) -> Ack | Reject:
    if body[1:3] == b"OK":
        return Ack()
    if body[1:3] != b"MI":
        return Reject.BAD_ACK if len(body) >= 3 else Reject.TRUNCATED
    count = _MISSING.unpack_from(body)[2]
    # The count is checked against what is there before anything is sized by it.
    if not 0 < count <= (len(body) - _MISSING.size) // 4:
        return Reject.BAD_COUNT
    return Ack(struct.unpack_from(f">{count}I", body, _MISSING.size))


class State(StrEnum):
    """Where a machine is."""

    RUNNING = auto()
    DONE = auto()
    FAILED = auto()


RETRY_US = 500.0


@dataclass(frozen=True)
class Timing:
    """When a machine loses patience, in microseconds of the caller's clock."""

    retry_us: float = RETRY_US
    """No frame sent, returned or acknowledged for so long: what is on its way is lost, ask again."""
    timeout_us: float = 100_000.0
    """No progress for so long: give up. The published 10 s suits people at a bench, not a simulation."""


class Sender:
    """Sends `data` at the given pace (None: a window of `window` frames), then the summary, then repeats.

    A returned packet also frees the places of those sent before it that have not returned: the network keeps the
    order, so they are lost. Whether a packet arrived is for the receiver's ack to say, never for this credit.

    Without `repair` there is neither summary nor repeat. It is done when all packets have returned, and has failed when
    none is under way any more and some have not.
    """

    def __init__(
        self,
        data: bytes,
        *,
        window: int = 32,
        pace: Pace | None = None,
        repair: bool = True,
        payload_bytes: int = MAX_PAYLOAD_BYTES,
        timing: Timing | None = None,
        max_rounds: int = 10_000,
        now: float = 0.0,
    ) -> None:
        if not MIN_PAYLOAD_BYTES <= payload_bytes <= MAX_PAYLOAD_BYTES:
            raise ValueError(f"payload_bytes must be {MIN_PAYLOAD_BYTES} to {MAX_PAYLOAD_BYTES}, not {payload_bytes}")
        if len(data) > 0xFFFF_FFFF:
            raise ValueError("a transfer holds at most 4294967295 bytes: the summary counts them in 32 bits")
        self._data = data
        self._payload_bytes = payload_bytes
        self._pace = pace or Window(window)
        self._repair = repair
        self._timing = timing or Timing()
        self._max_rounds = max_rounds
        self.packets = -(-len(data) // payload_bytes)
        self.summary = Summary(self.packets, len(data))
        self.state = State.RUNNING
        self.failure = ""
        """Why it gave up, as the rest of a sentence that begins "the transfer failed: "."""
        self.data_sent = 0
        self.retransmissions = 0
        self.summaries_sent = 0
        self.returned = 0
        """Data packets that have come back in time; what came late is counted in `ignored`."""
        self.ignored: Counter[str] = Counter()
        self._next = 0
        self._repeat: deque[int] = deque()
        self._summary_due = repair
        # What an ack has asked for since the last summary: no ack can know yet whether its repeat arrived, so one that
        # lists it again (a duplicate, the answer to an older summary) is stale.
        self._unjudged: set[int] = set()
        self._in_flight: deque[int] = deque()  # sequence numbers in the order sent; -1 is the summary
        self._active = now
        self._progress = now

    @property
    def in_flight(self) -> int:
        """Frames sent and neither returned nor given up."""
        return len(self._in_flight)

    @property
    def deadline(self) -> float:
        """When `poll` should be called again at the latest."""
        patience = min(self._active + self._timing.retry_us, self._progress + self._timing.timeout_us)
        if not self._has_work:
            return patience
        return min(patience, self._pace.next(len(self._in_flight), self._active))

    @property
    def _has_work(self) -> bool:
        """Something is to be sent as soon as the pace allows it."""
        return bool(self._repeat) or self._next < self.packets or self._summary_due

    def poll(self, now: float) -> Data | Summary | None:
        """The next frame to send at time `now`, or None when it is time to wait (until a message or `deadline`)."""
        if self.state is not State.RUNNING:
            return None
        if now >= self._progress + self._timing.timeout_us:
            self._fail(f"nothing came through for {self._timing.timeout_us / 1000:g} ms")
            return None
        if now >= self._active + self._timing.retry_us:
            self._in_flight.clear()
            self._summary_due = self._repair
        if not (self._repair or self._has_work or self._in_flight):
            self._end_unrepaired()
            return None
        if self._pace.next(len(self._in_flight), now) > now:
            return None
        if self._repeat:
            sequence = self._repeat.popleft()
            self.retransmissions += 1
        elif self._next < self.packets:
            sequence = self._next
            self._next += 1
        elif self._summary_due:
            self._summary_due = False
            self._unjudged.clear()
            self.summaries_sent += 1
            self._sent(-1, SHORTEST, now)
            return self.summary
        else:
            return None
        self.data_sent += 1
        start = sequence * self._payload_bytes
        payload = self._data[start : start + self._payload_bytes]
        self._sent(sequence, max(HEADER_BYTES + 5 + len(payload), SHORTEST), now)
        return Data(sequence, payload)

    def _sent(self, key: int, frame_bytes: int, now: float) -> None:
        self._in_flight.append(key)
        self._pace.sent(frame_bytes, now)
        self._active = now

    def _end_unrepaired(self) -> None:
        if self.returned == self.packets:
            self.state = State.DONE
        else:
            self._fail(f"{self.packets - self.returned} of {self.packets} packets have not come back")

    def receive(self, message: Message, now: float) -> None:
        """Take an own frame that came back, or the receiver's ack."""
        if self.state is not State.RUNNING:
            return
        match message:
            case Data(sequence, _):
                if self._returned(sequence, now):
                    self._progress = now
                    self.returned += 1
            case Summary():
                # No progress by itself: a summary that only ever returns must not keep a dead transfer alive.
                self._returned(-1, now)
            case Ack(missing):
                self._acknowledged(missing, now)

    def _returned(self, key: int, now: float) -> bool:
        if key not in self._in_flight:
            self.ignored["late_return"] += 1
            return False
        while self._in_flight.popleft() != key:
            pass
        self._active = now
        return True

    def _acknowledged(self, missing: tuple[int, ...], now: float) -> None:
        if not self.summaries_sent:
            self.ignored["early_ack"] += 1
            return
        if not missing:
            self.state = State.DONE
            return
        known = [sequence for sequence in missing if sequence < self.packets]
        if len(known) < len(missing):
            self.ignored["sequence_out_of_range"] += len(missing) - len(known)
        fresh = [sequence for sequence in dict.fromkeys(known) if sequence not in self._unjudged]
        if not fresh:
            self.ignored["stale_ack"] += 1
            return
        if self.summaries_sent >= self._max_rounds:
            self._fail(f"{self._max_rounds} rounds of repeats were not enough")
            return
        self._repeat.extend(fresh)
        self._unjudged.update(fresh)
        self._summary_due = True
        self._active = self._progress = now

    def _fail(self, why: str) -> None:
        self.state = State.FAILED
        self.failure = why


class Receiver:
    """Collects data packets in any order and answers each summary with `OK` or the missing list.

    `ack_burst` bounds the MI frames that answer one summary (None: the whole list); `max_bytes` bounds what it keeps.
    """

    def __init__(
        self,
        *,
        ack_burst: int | None = 16,
        max_bytes: int = 0xFFFF_FFFF,
        timing: Timing | None = None,
        now: float = 0.0,
    ) -> None:
        if ack_burst is not None and ack_burst < 1:
            raise ValueError(f"ack_burst must be at least 1, not {ack_burst}")
        self._ack_burst = ack_burst
        self._max_bytes = max_bytes
        self._timing = timing or Timing()
        self.state = State.RUNNING
        self.failure = ""
        self.data = b""
        """The whole transfer, once `state` is DONE."""
        self.acks_sent = 0
        self.ignored: Counter[str] = Counter()
        self._parts: dict[int, bytes] = {}
        self._stored = 0
        self._summary: Summary | None = None
        self._answer: Iterator[Ack] = iter(())
        self._heard = now

    @property
    def packets(self) -> int:
        """Data packets that have arrived."""
        return self._summary.packets if self.state is State.DONE and self._summary else len(self._parts)

    @property
    def deadline(self) -> float:
        """When `poll` should be called again at the latest; it never comes once the transfer is done."""
        return self._heard + self._timing.timeout_us if self.state is State.RUNNING else float("inf")

    def poll(self, now: float) -> Ack | None:
        """The next ack to send at time `now`, or None."""
        if now >= self.deadline:
            self.state = State.FAILED
            self.failure = f"the receiver heard nothing for {self._timing.timeout_us / 1000:g} ms"
        if self.state is State.FAILED:
            return None
        ack = next(self._answer, None)
        self.acks_sent += ack is not None
        return ack

    def receive(self, message: Message, now: float) -> None:
        """Take a data packet or a summary."""
        if self.state is State.FAILED:
            return
        match message:
            case Data(sequence, payload):
                self._store(sequence, payload, now)
            case Summary():
                self._check(message, now)
            case Ack():
                self.ignored["unexpected_ack"] += 1

    def _store(self, sequence: int, payload: bytes, now: float) -> None:
        self._heard = now
        if self.state is State.DONE or sequence in self._parts:
            self.ignored["duplicate"] += 1
        elif self._summary is not None and sequence >= self._summary.packets:
            self.ignored["sequence_out_of_range"] += 1
        elif len(payload) > MAX_PAYLOAD_BYTES or self._stored + len(payload) > self._max_bytes + MIN_PAYLOAD_BYTES:
            self.ignored["too_long"] += 1
        else:
            self._parts[sequence] = payload
            self._stored += len(payload)

    def _check(self, summary: Summary, now: float) -> None:
        if not self._plausible(summary):
            self.ignored["bad_summary"] += 1
            return
        self._heard = now
        if self.state is State.DONE:  # our OK was lost
            self._answer = iter((Ack(),))
            return
        self._summary = summary
        if any(sequence >= summary.packets for sequence in self._parts):
            self._drop_strangers(summary.packets)
        all_there = len(self._parts) == summary.packets
        complete = all_there and self._assemble(summary)
        if all_there and not complete:
            # Lengths that cannot add up: some packet is not what was sent, and nothing says which.
            self.ignored["wrong_length"] += len(self._parts)
            self._parts.clear()
            self._stored = 0
        self._answer = iter((Ack(),)) if complete else self._missing(summary.packets)

    def _plausible(self, summary: Summary) -> bool:
        """Every packet carries 1 to 1481 bytes; and a transfer has one summary, once it is complete."""
        if self.state is State.DONE:
            return summary == self._summary
        return (
            summary.packets <= summary.total_bytes <= summary.packets * MAX_PAYLOAD_BYTES
            and summary.total_bytes <= self._max_bytes
        )

    def _drop_strangers(self, packets: int) -> None:
        for sequence in [s for s in self._parts if s >= packets]:
            self._stored -= len(self._parts.pop(sequence))
            self.ignored["sequence_out_of_range"] += 1

    def _assemble(self, summary: Summary) -> bool:
        """Join the parts and cut off the padding of a short last packet; False when the lengths contradict."""
        padding = self._stored - summary.total_bytes
        if padding:
            last = len(self._parts[summary.packets - 1]) if summary.packets else 0
            if not 0 < padding < last <= MIN_PAYLOAD_BYTES:
                return False
        self.data = b"".join(self._parts[s] for s in range(summary.packets))[: summary.total_bytes]
        self._parts.clear()
        self.state = State.DONE
        return True

    def _missing(self, packets: int) -> Iterator[Ack]:
        """The list in frames; made lazily, so that a summary of four billion packets costs no memory."""
        missing = (s for s in range(packets) if s not in self._parts)
        frames = iter(lambda: tuple(islice(missing, MAX_MISSING)), ())
        return (Ack(numbers) for numbers in islice(frames, self._ack_burst))
