# SPDX-License-Identifier: Apache-2.0
"""How many instructions a cycle the firmware could have on cores that are wider, or out of order (table 2 of the
source), from the trace of one core.

- **Perfect pipeline**: every instruction takes one cycle; it cannot issue in the cycle of one whose result it uses.
- **With stalls**: five stages with all forwarding: what uses a load's result, or an atomic's, issues two cycles behind
  it at the earliest, and one memory operation issues a cycle.
- **In order**: an instruction never issues before one in front of it. **Out of order**: registers are renamed, memory
  operations do not depend on each other, and an instruction may issue when all that are WINDOW in front of it, or more,
  have done so (not: have their result, which would be a little less). In each cycle the oldest of those that can
  issue do.
- **Branches** (jumps, mret, ecall too): `pbp` all are predicted, `pbp1` one in each cycle, `none`: what follows one
  issues in a later cycle.

So a figure is what such a core would do, no bound: the oldest first is not always best, and a core that has to hold
something back may come out ahead by a little.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsoc.pnic.trace import Retired

WINDOW = 64
"""Instructions; the source does not say how many. Those of cores of its time are as many, or fewer."""
BRANCHES = (0x63, 0x67, 0x6F)
LOADS = (0x03, 0x2F, 0x0B)
"""Loads, atomics, update: their result comes a cycle later."""
MEMORY = (0x03, 0x23, 0x2F, 0x0B)
NO_RD = (0x63, 0x23, 0x0F)
NO_RS1 = (0x37, 0x17, 0x6F, 0x0F)
RS2 = (0x33, 0x63, 0x23, 0x2F, 0x0B)
SYSTEM, IMMEDIATE = 0x73, 4
"""CSR instructions whose funct3 has this bit read no register; funct3 of 0: ecall, ebreak, mret, wfi."""
WFI = 0x105
PBP, PBP1, NONE = "pbp", "pbp1", "none"


@dataclass(frozen=True)
class Core:
    """What is assumed."""

    in_order: bool
    width: int
    stalls: bool
    branches: str


CORES = tuple(
    Core(in_order, width, stalls, branches)
    for in_order in (True, False)
    for width in (1, 2, 4)
    for stalls, branches in ((False, PBP), (False, NONE), (True, PBP), (True, PBP1), (True, NONE))
)
"""The fields of the table, line by line."""


def working(retired: Sequence[Retired], round_at: int, idle_at: int) -> list[int]:
    """Instruction words of one core, but for rounds of the firmware's loop that found no work.

    A round begins at the instruction `round_at`; one that comes by at `idle_at` has found none. 0: there is no loop.
    """
    kept: list[int] = []
    this: list[int] = []
    idle = False
    for event in retired:
        if round_at and event.pc == round_at:
            kept += [] if idle else this
            this, idle = [], False
        idle |= bool(idle_at) and event.pc == idle_at
        this.append(event.word)
    return kept + ([] if idle else this)


def ipc(words: Iterable[int], core: Core, window: int = WINDOW) -> float:
    """Instructions a cycle of the instruction words that have retired, in their order."""
    ready = [0] * 32  # cycle in which a register's value can be used
    issued: deque[int] = deque([-1] * window, window)  # by the last instructions: the latest of all up to each
    slots: dict[int, tuple[int, int, int]] = {}  # by cycle: instructions, memory operations, branches
    full = 0  # no earlier cycle has a slot
    floor = last = count = 0
    for word in words:
        opcode, rd, rs1, rs2 = word & 0x7F, word >> 7 & 31, word >> 15 & 31, word >> 20 & 31
        funct3 = word >> 12 & 7
        memory = opcode in MEMORY
        branch = opcode in BRANCHES or (opcode == SYSTEM and funct3 == 0 and word >> 20 != WFI)
        at = max(floor, full)
        if not core.in_order:
            at = max(at, issued[0] + 1)
        if opcode not in NO_RS1 and not (opcode == SYSTEM and funct3 & IMMEDIATE):
            at = max(at, ready[rs1])
        if opcode in RS2:
            at = max(at, ready[rs2])
        while True:
            instructions, operations, branches = slots.get(at, (0, 0, 0))
            room = instructions < core.width and not (core.stalls and memory and operations)
            if room and not (core.branches == PBP1 and branch and branches):
                break
            at += 1
        slots[at] = (instructions + 1, operations + memory, branches + branch)
        while slots.get(full, (0,))[0] == core.width:
            del slots[full]
            full += 1
        if core.in_order:
            floor = max(floor, at)
        if branch and core.branches == NONE:
            floor = max(floor, at + 1)
        if rd and opcode not in NO_RD:
            ready[rd] = at + (2 if core.stalls and opcode in LOADS else 1)
        last, count = max(last, at), count + 1
        issued.append(last)
    return count / (last + 1) if count else 0.0
