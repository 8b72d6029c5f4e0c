# SPDX-License-Identifier: Apache-2.0
"""The end that has the data.

Each packet that goes out gets the next serial. The receiver says up to which serial it has seen packets, which packets
it has, and how many serials beyond that it can take. So the sender knows what is lost as soon as a few later ones have
arrived, and never has more under way than the receiver has room for.
"""

import zlib
from collections import deque

from nsoc.transfer.end import PATIENCE_US, End, clear_ranges
from nsoc.transfer.message import (
    MAX_TRANSFER_BYTES,
    NOBODY,
    WINDOW,
    Accept,
    Cancellation,
    Finish,
    Message,
    Open,
    Outcome,
    Packet,
    Progress,
    Result,
)
from nsoc.transfer.published import State
from nsoc.transfer.storage import Source

REORDER = 8
"""A packet is lost when one sent so many later has arrived."""


class Sender(End):
    """Sends what `source` has; made by `put` or `serve`."""

    def __init__(
        self, source: Source, open: Open, accept: Accept | None, patience_us: float, now: float, slowness: float
    ) -> None:
        if source.total > MAX_TRANSFER_BYTES:
            raise ValueError(f"a transfer has at most {MAX_TRANSFER_BYTES} bytes, not {source.total}")
        super().__init__(open, accept, patience_us, now, slowness)
        self.retransmissions = 0
        self.spurious = 0
        """Of these, repeats of packets that had arrived."""
        self.timeouts = 0
        self._source = source
        self._digest = 0
        self._fresh = 0  # the first packet that was never sent
        self._serial_sent = 0
        self._most = open.credit  # that will ever be under way
        # The newest Progress.
        self._progress = Progress(self.transfer, 0, 0, 0, 0, self._most)
        self._base = 0
        self._bits = 0
        self._arrived = 0
        self._go = False
        # A packet is in one of these: sent and not judged yet (serial, number), or to be repeated.
        self._under_way: deque[tuple[int, int]] = deque()
        self._repeat: deque[int] = deque()
        self._repeats: dict[int, int] = {}  # number: serial of the repeat under way
        self._times: deque[tuple[int, float]] = deque()  # serial, when it went
        self._seen = 0
        self._probing = False
        self._finish_due = True

    @classmethod
    def put(
        cls,
        source: Source,
        *,
        transfer: int,
        name: str = "",
        station: bytes = NOBODY,
        patience_us: float = PATIENCE_US,
        now: float = 0.0,
        slowness: float = 1.0,
    ) -> "Sender":
        """An opener: offers the source's bytes under `name`; `transfer` is a number drawn at random."""
        open = Open(transfer, 0, False, source.total, station, 0, name)
        return cls(source, open, None, patience_us, now, slowness)

    @classmethod
    def serve(
        cls, source: Source, open: Open, *, boot: int = 0, patience_us: float = PATIENCE_US, now: float = 0.0,
        slowness: float = 1.0,
    ) -> "Sender":  # fmt: skip
        """The other end of a get: `open` is the message that asked for it."""
        return cls(source, open, Accept(open.transfer, 0, source.total, boot, 0), patience_us, now, slowness)

    @property
    def digest(self) -> int:
        """CRC-32 of what has been sent, up to the first packet that was not."""
        return self._digest

    @property
    def rtt_us(self) -> float | None:
        """The smoothed round trip time; None before the first one."""
        return self._timer.srtt_us

    @property
    def arrived(self) -> int:
        """Packets that the receiver has said it has."""
        return self.packets if self.state is State.DONE else self._arrived

    def missing(self) -> list[range]:
        """See `End`."""
        if self.state is State.DONE:
            return []
        return clear_ranges(self._base, self._bits, self.packets)

    # --- sending ---

    def _begin(self, accept: Accept, now: float) -> None:
        if accept.total != self._source.total or accept.credit < 1:
            self._contradicts(f"it accepts {accept.total} bytes with a credit of {accept.credit}")
            return
        self._boot(accept.boot)
        self._most = accept.credit
        self._progress = Progress(self.transfer, 0, 0, 0, 0, accept.credit)
        self._go = True

    def _waits(self) -> bool:
        return self._go

    def _poll(self, now: float) -> Message | None:
        if not self._go:
            return None
        if self._timer.expired(now):
            self._time_out()
        if self._serial_sent - self._seen < self._credit and (number := self._choose()) is not None:
            return self._packet(number, now)
        asked = self._probing and bool(self._under_way)
        if self._finish_due and not asked and not self._repeat and self._fresh == self.packets:
            self._finish_due = False
            return Finish(self.transfer, self._serial("Finish"), self.packets, self.total, self._digest)
        return None

    @property
    def _credit(self) -> int:
        return 1 if self._probing else min(self._most, self._progress.credit)

    @property
    def _limit(self) -> int:
        """The first packet that may not be sent yet: it does not fit into the bitmap."""
        return min(self._base + WINDOW, self.packets)

    def _choose(self) -> int | None:
        """The packet to send next."""
        while self._repeat:
            number = self._repeat.popleft()
            if not self._has_arrived(number):
                return number
        return self._fresh if self._fresh < self._limit else None

    def _packet(self, number: int, now: float) -> Message | None:
        try:
            payload = self._source.read(number)
        except OSError as error:
            why = f"packet {number} cannot be read ({error.strerror or error})"
            self._end(why, Cancellation.STOPPED, why)
            return self._poll_common(now)
        serial = self._serial_sent = self._serial("Packet")
        if number == self._fresh:
            self._fresh += 1
            self._digest = zlib.crc32(payload, self._digest)
        else:
            self.retransmissions += 1
            self._repeats[number] = serial
            self._finish_due = True
        self._under_way.append((serial, number))
        self._times.append((serial, now))
        no_more = not self._repeat and self._fresh == self._limit < self.packets
        return Packet(self.transfer, serial, number, payload, no_more or serial - self._seen >= self._credit)

    def _time_out(self) -> None:
        """Nothing was heard for so long: all that is under way is taken as lost, and one message asks."""
        self.timeouts += 1
        self._repeat.extend(number for _, number in self._under_way)
        self._under_way.clear()
        self._seen = self._serial_sent
        self._probing = True
        self._finish_due = True

    # --- what comes back ---

    def _has_arrived(self, number: int) -> bool:
        return number < self._base or bool(self._bits >> (number - self._base) & 1)

    def _receive(self, message: Message, now: float) -> None:
        match message:
            case Progress():
                if self._boot(message.boot):
                    self._take_progress(message, now)
            case Result():
                if self._boot(message.boot):
                    self._take_result(message)
            case _:
                self.ignored["unexpected"] += 1

    def _take_progress(self, progress: Progress, now: float) -> None:
        if progress.serial <= self._progress.serial:
            self.ignored["stale"] += 1
            return
        base = progress.next & -32
        bits = progress.bitmap | (1 << progress.next - base) - 1
        if base + bits.bit_length() > self._fresh or progress.seen > self._serial_sent:
            self._contradicts("it acknowledges what was not sent")
            return
        self._progress, self._base, self._bits = progress, base, bits
        self._timer.restart(now)
        if not self._go or base + bits.bit_count() > self._arrived:
            self._go = True
            self._arrived = base + bits.bit_count()
            self._advanced = now
        self._probing = False
        self._seen = progress.seen
        self._measure(progress.seen, now)
        self._judge(progress.seen)

    def _measure(self, seen: int, now: float) -> None:
        sent = None
        while self._times and self._times[0][0] <= seen:
            sent = self._times.popleft()[1]
        if sent is not None:
            self._timer.sample(now - sent)

    def _judge(self, seen: int) -> None:
        """What was sent before `seen` has arrived, is late, or is lost."""
        late = []
        while self._under_way and self._under_way[0][0] <= seen:
            serial, number = self._under_way.popleft()
            if self._has_arrived(number):
                continue
            if serial <= seen - REORDER:
                self._repeat.append(number)
            else:
                late.append((serial, number))
        self._under_way.extendleft(reversed(late))
        for number in [number for number in self._repeats if self._has_arrived(number)]:
            self.spurious += self._repeats.pop(number) > seen

    def _take_result(self, result: Result) -> None:
        if result.outcome == Outcome.DELIVERED:
            ours = (self.packets, self.total, self._digest)
            if not self.sent["Finish"] or (result.packets, result.total, result.digest) != ours:
                self._contradicts("it confirms what was not sent")
            else:
                self.state = State.DONE
        elif result.outcome == Outcome.DIGEST_DIFFERS:
            self._end("the receiver has all packets, but their digest differs from the sender's", None)
        else:
            self._end("the receiver cannot store it", None)
