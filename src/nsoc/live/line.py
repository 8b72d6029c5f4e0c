# SPDX-License-Identifier: Apache-2.0
"""The frames on the cable to Linux: for a capture (`nsoc up --pcap`), and those that got lost (`--show-drops`)."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.live.world import World
from nsoc.network import pcapng
from nsoc.network.ethernet import LONGEST, SLOT_BYTES, described
from nsoc.network.network import Arrived

TO_SOC, TO_LINUX = 0, 1
"""The ways of the cable."""
FROM_SOCS = 2
"""From SoC 0 to the switch; the next number is from SoC 1, and so on."""
_GONE = ("lost", "down", "overflowed")
"""Fates that end a frame in the cable; a damaged frame ends where it is received."""
_KEPT = 4096
"""Frames of a way that may be in the cable's queue."""
_RECENT_PS = 100 * 10**6
"""How long after a frame has come a receiver may count it as dropped."""
_DAMAGED = ("bad", "rx_drop_fcs", "rx_drop_error", "rx_drop_runt")
_UNSEEN = ("from Linux, queue full", "tx_", "send_", "fetch_")
"""Parts of the names of causes that never come over the cable: Linux or the SoC gave the frame up itself."""
_RESERVED = bytes.fromhex("0180c20000")


@dataclass(frozen=True, slots=True)
class Crossing:
    """A frame at an end of the cable."""

    way: int
    frame: Arrived
    fate: str = ""
    """What the cable did to it, as counts() names it; empty: nothing, or nothing yet."""
    number: int = -1
    """Its place among the frames that went in that way."""


@dataclass
class Taken:
    """Frames that are new since the last call."""

    sent: list[Crossing] = field(default_factory=list)
    """Went in."""
    came: list[Crossing] = field(default_factory=list)
    """Came out."""
    inside: list[Crossing] = field(default_factory=list)
    """Came to the switch from SoCs."""
    gone: list[Crossing] = field(default_factory=list)
    """Ended in the cable, also of those that went in before."""
    settled_ps: int = 0
    """All is known of frames that began before."""


class Line:
    """The cable of a World that is watched, and where it has a switch those of the SoCs."""

    def __init__(self, world: World) -> None:
        self._cable, self._events = world.cable, world.fates
        self._inner = world.inner
        for cable in (self._cable, *self._inner):
            cable.tap()
        self._network = world.network
        # A frame is known when it is over, and how it ends when it has been held back.
        longest_us = (LONGEST + SLOT_BYTES) * 8 / world.socs[0].preset.line_mbps
        self._settles_ps = round(max(longest_us + way.hold_us + way.jitter_us for way in self._cable.faults) * 1e6)
        self._sent: tuple[dict[int, Arrived], dict[int, Arrived]] = ({}, {})
        self._counts = [0, 0]

    def take(self) -> Taken:
        """The frames that have crossed these cables since the last call."""
        taken = Taken(settled_ps=self._network.time_ps - self._settles_ps)
        fresh = []
        for way in (TO_SOC, TO_LINUX):
            kept = self._sent[way]
            for frame in self._cable.sent(way):
                kept[self._counts[way]] = frame
                fresh.append((way, self._counts[way]))
                self._counts[way] += 1
            taken.came += [Crossing(way, frame) for frame in self._cable.came(way)]
        for number, cable in enumerate(self._inner):
            taken.inside += [Crossing(FROM_SOCS + number, frame) for frame in cable.came(0)]
            for rest in (cable.sent(0), cable.sent(1), cable.came(1)):
                rest.clear()  # taken, so that the network does not keep it
        fates = self._known_fates()
        taken.sent = [Crossing(w, self._sent[w][number], fates.get((w, number), ""), number) for w, number in fresh]
        for (way, number), fate in fates.items():
            if fate in _GONE and number in self._sent[way]:
                taken.gone.append(Crossing(way, self._sent[way][number], fate, number))
        for kept in self._sent:
            while len(kept) > _KEPT:
                del kept[next(iter(kept))]
        return taken

    def _known_fates(self) -> dict[tuple[int, int], str]:
        """Fates of frames that have gone in whole; those of the others wait."""
        known, waiting = {}, []
        for way, number, fate in self._events:
            if number < self._counts[way]:
                known[way, number] = fate
            else:
                waiting.append((way, number, fate))
        self._events[:] = waiting
        return known


class Capture:
    """The frames at Linux's end, as a capture with simulated times. Raises NsocError when it cannot be written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pcapng.Writer(path, pcapng.CAPTURE)
        except OSError as problem:
            raise self._failed(problem) from None
        self._waiting: list[Crossing] = []
        """Frames that cannot be written yet: of two frames the one that began later may be over first."""

    def add(self, taken: Taken) -> None:
        """These go to the file when all is known of them."""
        late = {crossing.number: crossing.fate for crossing in taken.gone if crossing.way == TO_SOC}
        waiting = [replace(crossing, fate=late.get(crossing.number, crossing.fate)) for crossing in self._waiting]
        waiting += [crossing for crossing in taken.sent if crossing.way == TO_SOC]
        waiting += [crossing for crossing in taken.came if crossing.way == TO_LINUX]
        self._waiting = [crossing for crossing in waiting if crossing.frame.start_ps >= taken.settled_ps]
        self._write(crossing for crossing in waiting if crossing.frame.start_ps < taken.settled_ps)

    def close(self) -> None:
        """The file is complete."""
        self._write(self._waiting)
        self._writer.close()

    def _write(self, crossings: Iterable[Crossing]) -> None:
        try:
            for crossing in sorted(crossings, key=lambda crossing: crossing.frame.start_ps):
                self._writer.frame(_packet(crossing))
        except OSError as problem:
            raise self._failed(problem) from None

    def _failed(self, problem: OSError) -> NsocError:
        return NsocError(f"cannot write the capture {self._path} ({problem.strerror}); give --pcap another file")


def _packet(crossing: Crossing) -> pcapng.Packet:
    frame = crossing.frame
    comment = f"{crossing.fate} on the cable to the SoC" if crossing.fate else ""
    return pcapng.Packet(frame.start_ps, crossing.way == TO_SOC, frame.data, not frame.good, comment)


class Drops:
    """Tells of frames that got lost, with why. A receiver only counts: where several frames may be the one, all are
    told of."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._before: Mapping[str, int] = {}
        self._recent: deque[Crossing] = deque()

    def look(self, now_ps: int, taken: Taken, drops: Mapping[str, int]) -> None:
        """`drops`: how many there are by now, by cause, as Tally has them."""
        for crossing in taken.gone:
            self._say(crossing, f"cable, {crossing.fate}")
        self._recent += [*taken.came, *taken.inside]
        while self._recent and self._recent[0].frame.end_ps < now_ps - _RECENT_PS:
            self._recent.popleft()
        for cause, count in drops.items():
            new = count - self._before.get(cause, 0)
            if new > 0 and not cause.startswith("cable, "):
                self._receiver(cause, new)
        self._before = drops

    def _receiver(self, cause: str, new: int) -> None:
        """One has counted `new` more."""
        found = [crossing for crossing in self._recent if _may_be(crossing, cause)]
        some = f" ({new} of these {len(found)})" if len(found) > new else ""
        for crossing in found:
            self._say(crossing, cause + some)
            if not some:
                self._recent.remove(crossing)
        unseen = new - len(found)
        if unseen > 0:
            self._tell(f"{cause}: {unseen} frame{'s' * (unseen > 1)} that did not come over the cable to Linux")

    def _say(self, crossing: Crossing, why: str) -> None:
        frame = crossing.frame
        self._tell(f"[{frame.start_ps / 1e6:.3f} us] {_where(crossing.way)}, {described(frame.data)}: {why}")


def _where(way: int) -> str:
    return ("to the SoC", "to Linux")[way] if way < FROM_SOCS else f"from SoC {way - FROM_SOCS}"


def _may_be(crossing: Crossing, cause: str) -> bool:
    """Whether a receiver that counts this may mean that frame."""
    if any(part in cause for part in _UNSEEN):
        return False
    if (crossing.way == TO_LINUX) != cause.startswith("to Linux, "):
        return False
    if crossing.way >= FROM_SOCS and cause.startswith(f"SoC {crossing.way - FROM_SOCS}, "):
        return False  # a switch sends no frame back
    if cause == "switch, reserved" and not crossing.frame.data.startswith(_RESERVED):
        return False
    return crossing.frame.good != cause.endswith(_DAMAGED)
