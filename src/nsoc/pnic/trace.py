# SPDX-License-Identifier: Apache-2.0
"""What cores, assists and host of the programmable NIC did, in the order of time, as sim/pnic/trace_file.h says it."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Retired(NamedTuple):
    """An instruction that is done. Times are in fs, here and below."""

    time: int
    core: int
    pc: int
    word: int


class Access(NamedTuple):
    """Of the scratchpad: a load, or a store or whatever changes the word."""

    time: int
    master: int
    """The cores from 0 on; then as in nic.MASTERS."""
    word: int
    """Address, in words."""
    write: bool
    data: int
    """Of one that writes."""


class Posted(NamedTuple):
    """The host's driver begins to write a word of the NIC."""

    time: int
    address: int
    data: int


class Read(NamedTuple):
    """The NIC asks for bytes of the host's memory."""

    time: int
    tag: int
    address: int
    bytes: int


class Answered(NamedTuple):
    """All that was asked for with this tag is there."""

    time: int
    tag: int


class Written(NamedTuple):
    """The NIC has written bytes of the host's memory."""

    time: int
    address: int
    bytes: int
    word: int
    """The first four, little-endian."""


class Left(NamedTuple):
    """The last byte of a frame has left the NIC."""

    time: int
    number: int
    bytes: int
    """With FCS."""


class Came(NamedTuple):
    """The first byte of a frame comes on the line."""

    time: int
    number: int
    bytes: int


class Delivered(NamedTuple):
    """The host's driver has found a received frame."""

    time: int
    before: int
    """Frames that it found before."""
    number: int


EVENTS: dict[str, type[NamedTuple]] = {
    "i": Retired, "a": Access, "p": Posted, "q": Read, "r": Answered, "w": Written, "t": Left, "o": Came,
    "d": Delivered,
}  # fmt: skip


@dataclass(frozen=True)
class Trace:
    """Empty where nobody asked for one."""

    retired: tuple[Retired, ...] = ()
    accesses: tuple[Access, ...] = ()
    others: tuple[NamedTuple, ...] = ()
    """All events but these two kinds."""
    round_at: int = 0
    """Where the firmware's loop begins a round, and where it comes by when it has found nothing; 0: it has no loop."""
    idle_at: int = 0
    descriptors: tuple[range, ...] = ()
    """Words of the scratchpad that are about frames: rings of descriptors and completions."""

    @classmethod
    def read(cls, file: Path) -> "Trace":
        """What sim/pnic/pnic.cpp has written."""
        retired: list[Retired] = []
        accesses: list[Access] = []
        others: list[NamedTuple] = []
        with file.open(encoding="ascii") as lines:
            for line in lines:
                kind, *fields = line.split()
                event = EVENTS[kind]._make(int(field, 16) for field in fields)
                if isinstance(event, Retired):
                    retired.append(event)
                elif isinstance(event, Access):
                    accesses.append(event)
                else:
                    others.append(event)
        return cls(tuple(retired), tuple(accesses), tuple(others))
