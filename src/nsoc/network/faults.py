# SPDX-License-Identifier: Apache-2.0
"""What a cable does to frames: how often, for how long, and from a log again.

The network draws and does it (sim/network/faults.h, store.h). What it did is a log of JSON lines: first what the log
is, then a line for each cable with the faults of both ways, and one for each frame that did not pass as it was.
"""

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from ctypes import c_uint8, c_uint32
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine.c_library import checked, filled
from nsoc.machine.sim import LONGEST_FS
from nsoc.network.network_library import MOST_BEHIND, MOST_CHANGES, Fate, FaultOptions, Pause

COUNTS = (
    "passed", "lost", "corrupted", "changed", "duplicated", "reordered", "cut", "down", "overflowed", "held",
)  # fmt: skip
"""What becomes of frames, in the order of nsoc_network.h; a fate in a log is one of those before `overflowed`."""
FATES = COUNTS[: COUNTS.index("overflowed")]

LONGEST_DELAY_US = 1e6
SLOWEST_DRAIN_MBPS = 0.008
_FS_PER_US = 10**9
_BYTE_FS_AT_MBPS = 8 * 10**9
_FORMAT = "nsoc faults 1"


@public
@dataclass(frozen=True, slots=True)
class Faults:
    """What one way of a cable does to frames. Times are microseconds of simulated time, as those of the network.

    A frame has one fate. Where several are drawn, it is the first of these: lost, corrupted, changed (`wrong_bytes`),
    duplicated, reordered. Raises NsocError for what cannot be.
    """

    loss: float = 0.0
    """Probability that a frame vanishes."""
    burst_loss: float = 0.0
    """Share of the frames that vanish in bursts, less than 1 ..."""
    burst_frames: float = 10.0
    """... of so many frames on average, at least 1."""
    corrupt: float = 0.0
    """Probability that 1 to 3 bits in the first 60 bytes flip, under the FCS that the frame had."""
    wrong_bytes: float = 0.0
    """Probability that 1 to 8 bytes behind the Ethertype get other values, under an FCS that is right for them."""
    duplicate: float = 0.0
    """Probability that a frame comes twice, the second time right behind it or behind up to `behind_frames` more."""
    reorder: float = 0.0
    """Probability that a frame comes only behind 1 to `behind_frames` later ones."""
    behind_frames: int = 3
    """How many later ones go first, at most."""
    hold_us: float = 100.0
    """A frame, or its copy, that waits for later ones goes on after this time at the latest."""
    delay_us: float = 0.0
    """More delay than the cable's own."""
    jitter_us: float = 0.0
    """Each frame is late by up to this, all values as likely; frames keep their order."""
    drain_mbps: float | None = None
    """The receiver takes frames out of a queue at this rate (their bytes without preamble and FCS). None: that of the
    line."""
    queue_bytes: int = 131072
    """Of that queue. A frame (without FCS) that does not fit is dropped."""
    stalls: tuple[tuple[float, float], ...] = ()
    """Times (at, for) in which the receiver takes no next frame: they wait in the queue."""
    downs: tuple[tuple[float, float], ...] = ()
    """Times (at, for) in which the cable is down: what goes in is lost, a frame on its way ends there."""

    def __post_init__(self) -> None:
        for name in ("loss", "burst_loss", "corrupt", "wrong_bytes", "duplicate", "reorder"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise NsocError(f"{name} is a probability, 0 to 1, not {value}")
        if not 1 <= self.burst_frames < math.inf:
            raise NsocError(f"burst_frames must be at least 1 frame, not {self.burst_frames}")
        if self.burst_loss > (most := self.burst_frames / (self.burst_frames + 1)):
            raise NsocError(
                f"bursts of {self.burst_frames:g} frames, each ended by a frame that passes, take at most "
                f"{most:g} of all frames, not {self.burst_loss}; give longer ones"
            )
        if not 1 <= self.behind_frames <= MOST_BEHIND:
            raise NsocError(f"behind_frames must be 1 to {MOST_BEHIND} frames, not {self.behind_frames}")
        for name in ("hold_us", "delay_us", "jitter_us"):
            value = getattr(self, name)
            if not 0 <= value <= LONGEST_DELAY_US:
                raise NsocError(f"{name} must be a time from 0 to {LONGEST_DELAY_US:g} us, not {value}")
        if self.drain_mbps is not None and not SLOWEST_DRAIN_MBPS <= self.drain_mbps < math.inf:
            raise NsocError(f"drain_mbps must be at least {SLOWEST_DRAIN_MBPS} Mb/s, not {self.drain_mbps}")
        if not 0 <= self.queue_bytes < 2**63:
            raise NsocError(f"queue_bytes must be at least 0 bytes, not {self.queue_bytes}")
        for name in ("stalls", "downs"):
            least = 0.0
            for at, length in getattr(self, name):
                if not (least <= at and length > 0 and at + length <= LONGEST_FS / _FS_PER_US):
                    raise NsocError(
                        f"{name} must be times (at, for) in microseconds, in their order; {at:g} for {length:g} is not"
                    )
                least = at + length

    def options(self) -> FaultOptions:
        """For the network's C interface."""

        def pauses(times: Sequence[tuple[float, float]]) -> Any:
            return (Pause * len(times))(*(Pause(_fs(at), _fs(length)) for at, length in times))

        return FaultOptions(
            self.loss, self.burst_loss, self.burst_frames, self.corrupt, self.wrong_bytes, self.duplicate, self.reorder,
            _fs(self.hold_us), _fs(self.delay_us), _fs(self.jitter_us),
            0 if self.drain_mbps is None else round(_BYTE_FS_AT_MBPS / self.drain_mbps), self.queue_bytes,
            pauses(self.stalls), pauses(self.downs), self.behind_frames, len(self.stalls), len(self.downs),
        )  # fmt: skip

    def changes(self) -> dict[str, Any]:
        """What is not as in a perfect cable, by field."""
        perfect = Faults()
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in fields.items() if value != getattr(perfect, name)}


Ways = tuple[Faults, Faults]
"""Of a cable: from its first end to its second, and back."""


def both_ways(faults: Faults | Ways | None) -> Ways:
    """`faults` as each way has them: one for both, one for each, or None."""
    if faults is None:
        faults = Faults()
    return (faults, faults) if isinstance(faults, Faults) else (faults[0], faults[1])


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a command's cable does: `faults` both ways (None: none), and what of it goes to and comes from files."""

    faults: Faults | None = None
    log: Path | None = None
    """Gets what the cable does to frames."""
    replay: Path | None = None
    """Such a log: the cable does that again, and draws nothing."""

    def __post_init__(self) -> None:
        if self.replay is not None and self.faults is not None:
            raise NsocError("a log that is replayed says what the faults are: leave them out")
        if self.replay is not None and self.log is not None and self.replay.absolute() == self.log.absolute():
            raise NsocError(f"the log {self.log} cannot be replayed and written at once: give another file to write")


@dataclass(frozen=True)
class Log:
    """What cables did in a run."""

    cables: dict[int, Ways]
    fates: list[Fate]


def header() -> str:
    """The first line of a log."""
    return _line({"log": _FORMAT})


def cable_line(number: int, ways: Ways) -> str:
    """A cable's line in a log."""
    return _line({"cable": number, "faults": [way.changes() for way in ways]})


def fate_line(fate: Fate) -> str:
    """A frame's line in a log."""
    line: dict[str, Any] = {"cable": fate.cable, "way": fate.way, "frame": fate.frame, "fate": FATES[fate.fate]}
    if fate.behind or fate.fate == FATES.index("duplicated"):
        line["behind"] = fate.behind
    if fate.jitter_fs:
        line["jitter_fs"] = fate.jitter_fs
    if fate.changes:
        line["xor"] = [[fate.places[i], fate.masks[i]] for i in range(fate.changes)]
    return _line(line)


def read(file: str | os.PathLike[str]) -> Log:
    """A log as Network(log=...) wrote it. Raises NsocError when it is none."""
    path = Path(file)
    try:
        with open(path, encoding="utf-8") as lines:
            return _parsed(path, lines)
    except OSError as problem:
        raise NsocError(f"cannot read the log of faults {path} ({problem.strerror})") from None
    except UnicodeDecodeError:
        raise NsocError(f"{path} is no log of faults: it is not text") from None


def _parsed(path: Path, lines: Iterable[str]) -> Log:
    log = Log({}, [])
    numbered = _records(path, lines)
    if next(numbered, (0, {}))[1].get("log") != _FORMAT:
        raise NsocError(f"{path} is no log of faults: it does not begin with {header().strip()}")
    for number, record in numbered:
        try:
            if "faults" in record:
                there, back = (faults_of(way) for way in record["faults"])
                log.cables[int(record["cable"])] = (there, back)
            else:
                log.fates.append(_fate(record))
        except (KeyError, TypeError, ValueError) as problem:
            raise NsocError(f"line {number} of {path} is no line of a log of faults: {problem!r}") from None
    return log


def _records(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise NsocError(f"{path} is no log of faults: line {number} is no JSON object")
        yield number, record


def faults_of(fields: dict[str, Any]) -> Faults:
    """What Faults.changes() gave, also when it has been JSON in between."""
    for name in {"stalls", "downs"} & fields.keys():
        fields[name] = tuple((at, length) for at, length in fields[name])
    return Faults(**fields)


def _fate(record: dict[str, Any]) -> Fate:
    numbers = {name: record[name] for name in ("frame", "cable", "way")}
    numbers |= {name: record.get(name, 0) for name in ("behind", "jitter_fs")}
    changes = record.get("xor", [])
    if len(changes) > MOST_CHANGES:
        raise ValueError(f"more than {MOST_CHANGES} bytes change")
    fate = filled(Fate, fate=FATES.index(record["fate"]), changes=len(changes), **numbers)
    for index, (place, mask) in enumerate(changes):
        fate.places[index], fate.masks[index] = checked("place", c_uint32, place), checked("mask", c_uint8, mask)
    return fate


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


def _fs(us: float) -> int:
    return round(us * _FS_PER_US)
