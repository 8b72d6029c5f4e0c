# SPDX-License-Identifier: Apache-2.0
"""The end that gets the data. It only answers, but for giving up, and for an opener's first words."""

import zlib
from collections.abc import Callable

from nsoc.transfer.crc import combine
from nsoc.transfer.end import PATIENCE_US, End, clear_ranges
from nsoc.transfer.message import (
    BITMAP_WORDS,
    NOBODY,
    PACKET_BYTES,
    WINDOW,
    Accept,
    Finish,
    Message,
    Open,
    Outcome,
    Packet,
    Progress,
    Refusal,
    Refuse,
    Result,
)
from nsoc.transfer.published import State
from nsoc.transfer.storage import Store

MakeStore = Callable[[int], Store]
"""Gives what so many bytes are written to. Raises OSError when there is none."""
PROGRESS_EVERY = 8
"""So many packets are answered by one Progress at the latest."""
_BITMAP = (1 << 32 * BITMAP_WORDS) - 1


class Receiver(End):
    """Collects packets in any order; made by `accept` or `get`.

    `credit` may change at any time: it is what the next Progress says.
    """

    def __init__(
        self,
        make_store: MakeStore,
        open: Open,
        accept: Accept | None,
        *,
        boot: int,
        credit: int,
        patience_us: float,
        now: float,
        slowness: float,
    ) -> None:
        super().__init__(open, accept, patience_us, now, slowness)
        self.credit = credit
        self.store: Store | None = None
        self.duplicates = 0
        """Packets that came once more."""
        self._make_store = make_store
        self._boot_number = boot
        self._next = 0
        self._base = 0  # `next` rounded down to a word
        self._bits = 0  # from there
        self._digest = 0  # of the packets below `next`
        self._ahead: dict[int, int] = {}  # CRC-32 of each packet that arrived above `next`
        self._seen = 0
        self._unanswered = 0
        self._progress_due = False
        self._heard = False
        if accept is not None and not self._open_store():
            self._say_last(Refuse(self.transfer, 0, Refusal.CANNOT_BE_STORED, self.failure))

    @classmethod
    def accept(
        cls,
        open: Open,
        make_store: MakeStore,
        *,
        boot: int,
        credit: int = 32,
        patience_us: float = PATIENCE_US,
        now: float = 0.0,
        slowness: float = 1.0,
    ) -> "Receiver":
        """The other end of a put: `open` is the message that offers it."""
        accept = Accept(open.transfer, 0, open.total, boot, credit)
        times = {"patience_us": patience_us, "now": now, "slowness": slowness}
        return cls(make_store, open, accept, boot=boot, credit=credit, **times)

    @classmethod
    def get(
        cls,
        name: str,
        make_store: MakeStore,
        *,
        transfer: int,
        boot: int,
        credit: int = 32,
        station: bytes = NOBODY,
        patience_us: float = PATIENCE_US,
        now: float = 0.0,
        slowness: float = 1.0,
    ) -> "Receiver":
        """An opener: asks for what `name` names; `transfer` is a number drawn at random."""
        open = Open(transfer, 0, True, 0, station, credit, name)
        times = {"patience_us": patience_us, "now": now, "slowness": slowness}
        return cls(make_store, open, None, boot=boot, credit=credit, **times)

    @property
    def digest(self) -> int:
        """CRC-32 of the packets that have arrived without a gap."""
        return self._digest

    @property
    def arrived(self) -> int:
        """Packets that have arrived."""
        return self._base + self._bits.bit_count()

    def missing(self) -> list[range]:
        """See `End`."""
        return clear_ranges(self._base, self._bits, self.packets)

    def _open_store(self) -> bool:
        try:
            self.store = self._make_store(self.total)
        except OSError as error:
            self._cannot_store(error)
        return self.store is not None

    def _cannot_store(self, error: OSError) -> None:
        self._give_result(Outcome.NOT_STORED, f"it cannot be stored ({error.strerror or error})")

    def _give_result(self, outcome: Outcome, failure: str = "") -> None:
        if failure:
            self._end(failure, None)
        else:
            self.state = State.DONE
        result = Result(self.transfer, 0, outcome, self.packets, self._boot_number, self.total, self._digest)
        self._say_last(result)

    def _end(self, why: str, reason: int | None, text: str = "") -> None:
        super()._end(why, reason, text)
        if self.store is not None:
            try:
                self.store.discard()
            except OSError:
                self.ignored["not_discarded"] += 1

    # --- sending ---

    def _begin(self, accept: Accept, now: float) -> None:
        self._open_store()
        self._progress_due = True

    def _waits(self) -> bool:
        """An opener repeats its first Progress until something comes."""
        return self._opens and not self._heard

    def _poll(self, now: float) -> Message | None:
        if self._waits() and self._timer.expired(now):
            self._progress_due = True
        if not self._progress_due:
            return None
        self._progress_due = False
        self._unanswered = 0
        serial, bits = self._serial("Progress"), self._bits & _BITMAP
        return Progress(self.transfer, serial, self._next, self._boot_number, self._seen, self.credit, bits)

    # --- what comes ---

    def _receive(self, message: Message, now: float) -> None:
        match message:
            case Packet():
                self._take_packet(message, now)
            case Finish():
                self._take_finish(message)
            case _:
                self.ignored["unexpected"] += 1

    def _take_packet(self, packet: Packet, now: float) -> None:
        number, payload = packet.number, packet.payload
        offset = number * PACKET_BYTES
        if number >= self.packets:
            self.ignored["out_of_range"] += 1
        elif len(payload) != min(PACKET_BYTES, self.total - offset):
            self.ignored["wrong_length"] += 1
        elif number >= self._next + WINDOW:
            self.ignored["beyond_the_window"] += 1
        else:
            self._heard = True
            duplicate = number < self._base or bool(self._bits >> (number - self._base) & 1)
            lost_before = packet.serial > self._seen + 1
            self._seen = max(self._seen, packet.serial)
            self._unanswered += 1
            if packet.answer or duplicate or lost_before or self._unanswered >= PROGRESS_EVERY:
                self._progress_due = True
            if duplicate:
                self.duplicates += 1
            else:
                self._advanced = now
                self._keep(number, offset, payload)

    def _keep(self, number: int, offset: int, payload: bytes) -> None:
        assert self.store is not None
        try:
            self.store.write(offset, payload)
        except OSError as error:
            self._cannot_store(error)
            return
        self._bits |= 1 << number - self._base
        if number > self._next:
            self._ahead[number] = zlib.crc32(payload)
            return
        self._digest = zlib.crc32(payload, self._digest)
        self._next += 1
        while self._next in self._ahead:
            size = min(PACKET_BYTES, self.total - self._next * PACKET_BYTES)
            self._digest = combine(self._digest, self._ahead.pop(self._next), size)
            self._next += 1
        base = self._next & -32
        self._bits >>= base - self._base
        self._base = base

    def _take_finish(self, finish: Finish) -> None:
        self._heard = True
        if (finish.packets, finish.total) != (self.packets, self.total):
            what = f"it finishes with {finish.total} bytes in {finish.packets} packets"
            self._contradicts(f"{what}, not {self.total} in {self.packets}")
        elif self._next < self.packets:
            self._progress_due = True
        elif finish.digest != self._digest:
            self._give_result(Outcome.DIGEST_DIFFERS, "all packets have arrived, but their digest differs")
        else:
            assert self.store is not None
            try:
                self.store.finish()
            except OSError as error:
                self._cannot_store(error)
            else:
                self._give_result(Outcome.DELIVERED)
