# SPDX-License-Identifier: Apache-2.0
"""What cores and assists of the programmable NIC did, in the order of time: instructions that retired, and accesses of
the scratchpad."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Retired(NamedTuple):
    """An instruction that is done."""

    core: int
    pc: int
    word: int


class Access(NamedTuple):
    """Of the scratchpad: a load, or a store or whatever changes the word."""

    master: int
    """The cores from 0 on; then as in nic.MASTERS."""
    word: int
    """Address, in words."""
    write: bool


@dataclass(frozen=True)
class Trace:
    """Empty where nobody asked for one."""

    retired: tuple[Retired, ...] = ()
    accesses: tuple[Access, ...] = ()

    @classmethod
    def read(cls, file: Path) -> "Trace":
        """What sim/pnic/pnic.cpp has written."""
        retired, accesses = [], []
        for line in file.read_text(encoding="ascii").splitlines():
            kind, *fields = line.split()
            first, second, third = (int(field, 16) for field in fields)
            if kind == "i":
                retired.append(Retired(first, second, third))
            else:
                accesses.append(Access(first, second, bool(third)))
        return cls(tuple(retired), tuple(accesses))
