# SPDX-License-Identifier: Apache-2.0
"""What both ends of a transfer have in common: how it is opened, given up and cancelled.

An end is a state machine without clock or transport. The caller gives it messages (`receive`) and asks for messages
(`poll`) until there is none, again after each message and at `deadline`. Times are microseconds of any one clock. It
never waits, and never raises for anything that comes from the wire: what does not fit is ignored, and counted by its
reason.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from nsoc.transfer.message import (
    PACKET_BYTES,
    Accept,
    Cancel,
    Cancellation,
    Finish,
    Message,
    Open,
    Packet,
    Progress,
    Refusal,
    Refuse,
    Result,
)
from nsoc.transfer.published import State
from nsoc.transfer.timer import RetryTimer

PATIENCE_US = 10e6
"""An end gives up after so long without progress, as published. A simulation may want less."""
TRIES = 4
"""A peer that has not answered so many Opens may know the published types only."""

_REFUSALS: dict[int, str] = {
    Refusal.BUSY: "it is busy",
    Refusal.TOO_LARGE: "it is too large",
    Refusal.NOT_FOUND: "it has nothing of that name",
    Refusal.NUMBER_IN_USE: "the transfer's number is in use",
    Refusal.NO_SUCH_STATION: "no such station is behind this relay",
    Refusal.NOTHING_TO_SERVE: "it has nothing to serve",
    Refusal.CANNOT_BE_STORED: "it cannot be stored",
}
_CANCELLATIONS: dict[int, str] = {
    Cancellation.UNKNOWN: "it does not know this transfer, so it has restarted or given up",
    Cancellation.GIVEN_UP: "it has given up",
    Cancellation.STOPPED: "it was stopped",
    Cancellation.CONTRADICTION: "it met a contradiction",
}


class End(ABC):
    """One end of one transfer, sender or receiver, opener (`accept` is None) or not."""

    def __init__(self, open: Open, accept: Accept | None, patience_us: float, now: float, slowness: float) -> None:
        self.transfer = open.transfer
        self.total = open.total if accept is None else accept.total
        """Bytes of the transfer; an opener of a get knows it once it is `accepted`."""
        self.accepted = accept is not None
        self.state = State.RUNNING
        self.failure = ""
        """Why it failed, as the rest of a sentence that begins "the transfer failed: "."""
        self.echoed = False
        """The peer sends back whatever it gets."""
        self.sent: Counter[str] = Counter()
        """Messages sent, by the name of their type."""
        self.ignored: Counter[str] = Counter()
        """What came and changed nothing, by reason."""
        self._open = open
        self._accept = accept
        self._opens = accept is None
        self._accept_due = accept is not None
        self._refuse_due = False
        self._last: Result | Cancel | Refuse | None = None
        self._last_due = False
        self._patience = patience_us
        self._advanced = now
        self._peer_boot: int | None = None
        self._slowness = slowness
        self._timer = RetryTimer(now, slowness)

    @property
    def packets(self) -> int:
        """Packets of the transfer."""
        return -(-self.total // PACKET_BYTES)

    @property
    def unanswered(self) -> bool:
        """The peer may know the published types only: its echo came back, or none of a few Opens was answered."""
        return self.echoed or (not self.accepted and self.sent["Open"] >= TRIES)

    @property
    def deadline(self) -> float:
        """When `poll` should be called again at the latest."""
        if self.state is not State.RUNNING:
            return float("inf")
        give_up = self._advanced + self._patience
        return min(give_up, self._timer.deadline) if not self.accepted or self._waits() else give_up

    @abstractmethod
    def missing(self) -> list[range]:
        """The packets that are not known to have arrived, as ranges of their numbers."""

    def poll(self, now: float) -> Message | None:
        """The next message to send at time `now`, or None when it is time to wait (until a message or `deadline`)."""
        if self.state is State.RUNNING and now >= self._advanced + self._patience:
            why = f"nothing came through for {self._patience / 1e6:g} s{self._what_misses()}"
            self._end(why, Cancellation.GIVEN_UP)
        message = self._poll_common(now)
        if message is None and self.state is State.RUNNING and self.accepted:
            message = self._poll(now)
        return message

    def _poll_common(self, now: float) -> Message | None:
        if self._last_due and self._last is not None:
            self._last_due = False
            return replace(self._last, serial=self._serial(type(self._last).__name__))
        if self._refuse_due:
            self._refuse_due = False
            return Refuse(self.transfer, self._serial("Refuse"), Refusal.NUMBER_IN_USE)
        if self._accept_due and self._accept is not None:
            self._accept_due = False
            return replace(self._accept, serial=self._serial("Accept"))
        if self.accepted or self.state is not State.RUNNING:
            return None
        if self.sent["Open"] and not self._timer.expired(now):
            return None
        self._timer.restart(now)
        return replace(self._open, serial=self._serial("Open"))

    def receive(self, message: Message, now: float) -> None:
        """Take a message of the peer's."""
        if message.transfer != self.transfer:
            self.ignored["other_transfer"] += 1
        elif self.state is not State.RUNNING:
            self._receive_after_end(message)
        else:
            match message:
                case Open():
                    self._opened_again(message)
                case Accept():
                    self._take_accept(message, now)
                case Refuse(_, _, reason, text):
                    self._refused(reason, text)
                case Cancel(_, _, reason, text):
                    self._cancelled(reason, text)
                case _ if self.accepted:
                    self._receive(message, now)
                case _:
                    self.ignored["early"] += 1

    def cancel(self, text: str = "") -> None:
        """Stop it; the peer is told."""
        if self.state is State.RUNNING:
            self._end(f"it was stopped{text and ': ' + text}", Cancellation.STOPPED, text)

    @abstractmethod
    def _poll(self, now: float) -> Message | None:
        """What this end sends once the transfer is accepted."""

    @abstractmethod
    def _receive(self, message: Message, now: float) -> None:
        """What this end takes once the transfer is accepted."""

    @abstractmethod
    def _begin(self, accept: Accept, now: float) -> None:
        """The opener's Open has been accepted for the first time."""

    @abstractmethod
    def _waits(self) -> bool:
        """Whether the retry timer runs once the transfer is accepted."""

    def _serial(self, name: str) -> int:
        self.sent[name] += 1
        return self.sent[name]

    def _what_misses(self) -> str:
        """The rest of a sentence."""
        if not self.accepted:
            return ", and no answer to Open" if self._opens else ""
        ranges = self.missing()
        if not ranges:
            return ""
        shown = ", ".join(str(r.start) if len(r) == 1 else f"{r.start} to {r.stop - 1}" for r in ranges[:8])
        more = "" if len(ranges) <= 8 else " and others"
        return f", {sum(map(len, ranges))} of {self.packets} packets miss: {shown}{more}"

    # --- the opening ---

    def _same(self, message: Open) -> bool:
        return replace(message, serial=self._open.serial) == self._open

    def _opened_again(self, message: Open) -> None:
        if not self._same(message):
            self._refuse_due = True
        elif not self._opens:
            self._accept_due = True
        elif not self.accepted:
            # An echo swaps the addresses and nothing else. Nobody else has a reason to send an own Open back.
            self.echoed = True
            self._end("the peer sends back what it gets, and does not know the numbered messages", None)
        else:
            self.ignored["unexpected"] += 1

    def _take_accept(self, message: Accept, now: float) -> None:
        if not self._opens:
            self.ignored["unexpected"] += 1
        elif self._accept is None:
            self._accept = message
            self.accepted = True
            self.total = message.total
            self._advanced = now
            self._timer = RetryTimer(now, self._slowness)
            self._begin(message, now)
        elif message.boot != self._accept.boot:
            self._end("the peer has restarted", None)
        elif message.total != self._accept.total:
            self._contradicts(f"it accepts {message.total} bytes, and {self._accept.total} before")
        else:
            self.ignored["accepted_already"] += 1

    def _refused(self, reason: int, text: str) -> None:
        if self.accepted:
            self.ignored["unexpected"] += 1
        else:
            self._end(f"the peer refuses: {_sentence(_REFUSALS, reason, text)}", None)

    # --- the end ---

    def _cancelled(self, reason: int, text: str) -> None:
        if reason == Cancellation.UNKNOWN and not self.accepted:
            self.ignored["early"] += 1
        else:
            self._end(f"the peer cancels: {_sentence(_CANCELLATIONS, reason, text)}", None)

    def _boot(self, boot: int) -> bool:
        """Whether the peer is still the one that the transfer began with."""
        if self._peer_boot is None:
            self._peer_boot = boot
        if boot != self._peer_boot:
            self._end("the peer has restarted", None)
        return boot == self._peer_boot

    def _contradicts(self, what: str) -> None:
        """The peer lies, or two stations have one address."""
        self._end(f"the peer contradicts itself: {what}", Cancellation.CONTRADICTION, what)

    def _end(self, why: str, reason: int | None, text: str = "") -> None:
        """It has failed; `reason` is for the Cancel that tells the peer, None: none."""
        self.state = State.FAILED
        self.failure = why
        if reason is not None:
            self._say_last(Cancel(self.transfer, 0, reason, text))

    def _say_last(self, message: Result | Cancel | Refuse) -> None:
        """It ends with this message, which is repeated for a peer that asks once more."""
        self._last = message
        self._last_due = True
        self._accept_due = self._refuse_due = False

    def _receive_after_end(self, message: Message) -> None:
        match message:
            case Open() if not self._opens and not (self._same(message) and self.state is State.FAILED):
                self._opened_again(message)
            case Open() if self._opens:
                self.ignored["after_the_end"] += 1
            case Open() | Accept() | Progress() | Finish() | Packet(answer=True) if self._last is not None:
                self._last_due = True
            case _:
                self.ignored["after_the_end"] += 1


def _sentence(known: Mapping[int, str], reason: int, text: str) -> str:
    """A reason for people, with what the peer says about it."""
    what = known.get(reason, f"reason {reason}")
    return f"{what} ({text})" if text else what


def clear_ranges(base: int, bits: int, end: int) -> list[range]:
    """The numbers from `base` to `end` whose bit of `bits` is 0."""
    ranges = []
    start = None
    for number in range(base, min(base + bits.bit_length(), end)):
        if bits >> (number - base) & 1:
            if start is not None:
                ranges.append(range(start, number))
            start = None
        elif start is None:
            start = number
    if start is None:
        start = min(base + bits.bit_length(), end)
    if start < end:
        ranges.append(range(start, end))
    return ranges
