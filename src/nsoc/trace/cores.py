# SPDX-License-Identifier: Apache-2.0
"""What the cores did: from jumps of the program to the functions it was in."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nsoc.machine import elf32
from nsoc.trace.frames import FS_PER_NS, Busy

TAPS = tuple(f"core{core}" for core in range(4))
"""Of each core: a time and an address wherever the program goes on elsewhere than behind the instruction before."""

WINDOW_TRAPS = {"window_overflow": "overflow", "window_underflow": "underflow"}
"""Handlers of firmware/arch/sparc/crt0.S, and what is counted."""
_TRAP_TABLE = "trap_table"
"""Its instructions belong to the handler that they jump to."""


@dataclass(frozen=True)
class Windows:
    """Window traps of a SPARC core."""

    overflow: int
    underflow: int
    ns: float
    """In their handlers, all together."""


def busy(levels: Mapping[str, list[tuple[int, int]]], elf: Path) -> list[Busy]:
    """A stretch for each time that a core was in a function of the program."""
    starts = sorted({symbol.place.start: symbol.name for symbol in elf32.code_symbols(elf.read_bytes())}.items())
    addresses = [address for address, _ in starts]

    def name(address: int) -> str:
        index = bisect_right(addresses, address) - 1
        return starts[index][1] if index >= 0 else f"{address:#x}"

    found = []
    for core, tap in enumerate(TAPS):
        now, since, time = "", 0, 0
        for time, address in levels.get(tap, []):
            function = name(address)
            if function == now:
                continue
            if now != _TRAP_TABLE:
                if now:
                    found.append(Busy(core, now, since / FS_PER_NS, time / FS_PER_NS))
                since = time
            now = function
        if time > since:
            found.append(Busy(core, now, since / FS_PER_NS, time / FS_PER_NS))
    return found


def windows(stretches: Iterable[Busy]) -> Windows:
    """How many window traps there were, and how long they took."""
    found = [(WINDOW_TRAPS[one.function], one.ns) for one in stretches if one.function in WINDOW_TRAPS]
    kinds = [kind for kind, _ in found]
    return Windows(kinds.count("overflow"), kinds.count("underflow"), sum(ns for _, ns in found))


def by_function(stretches: Iterable[Busy]) -> dict[str, float]:
    """Nanoseconds in each function, the longest first."""
    ns: dict[str, float] = {}
    for one in stretches:
        ns[one.function] = ns.get(one.function, 0.0) + one.ns
    return dict(sorted(ns.items(), key=lambda pair: -pair[1]))
