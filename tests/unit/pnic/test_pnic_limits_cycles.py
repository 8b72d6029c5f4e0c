# SPDX-License-Identifier: Apache-2.0
"""Table 2's schedule beside one made cycle by cycle, the oldest first; fields of instructions; warm caches."""

import random

import pytest

from nsoc.pnic.coherence import Hits, hits
from nsoc.pnic.limits import CORES, NONE, PBP, PBP1, Core, ipc, working
from nsoc.pnic.trace import Access, Retired

WIDE = Core(True, 4, True, PBP)
ONE_BRANCH = Core(True, 4, True, PBP1)
MADE = 0x33 | 1 << 7  # add x1, x0, x0
USED = 0x33 | 2 << 7 | 1 << 15  # add x2, x1, x0
LOAD, STORE, AMO, ORDER, BRANCH, JALR, JAL, SYSTEM = 0x03, 0x23, 0x2F, 0x0B, 0x63, 0x67, 0x6F, 0x73
LUI, AUIPC, FENCE, ALU, ALU_IMMEDIATE = 0x37, 0x17, 0x0F, 0x33, 0x13
TRAPS = (0x0000_0073, 0x0010_0073, 0x3020_0073)
WFI = 0x1050_0073


def cycles(words: list[int], core: Core, window: int = 64) -> int:
    return round(len(words) / ipc(words, core, window))


def decoded(word: int) -> tuple[bool, bool, bool, set[int], int]:
    """Whether it is a memory operation, has a late result, is a branch; which registers it reads and writes."""
    opcode, rd, funct3, rs1, rs2 = word & 127, word >> 7 & 31, word >> 12 & 7, word >> 15 & 31, word >> 20 & 31
    both = opcode in {ALU, BRANCH, STORE, AMO, ORDER}
    one = both or opcode in {ALU_IMMEDIATE, LOAD, JALR} or (opcode == SYSTEM and funct3 in {1, 2, 3})
    reads = ({rs1} if one else set()) | ({rs2} if both else set())
    late = opcode in {LOAD, AMO, ORDER}
    branch = opcode in {BRANCH, JALR, JAL} or word in TRAPS
    return late or opcode == STORE, late, branch, reads - {0}, 0 if opcode in {BRANCH, STORE, FENCE} else rd


def slow_ipc(words: list[int], core: Core, window: int) -> float:
    """Cycle by cycle: those of the window, from the oldest on, that can issue do."""
    all_ = [decoded(word) for word in words]
    needed: list[list[int]] = []
    written_by: dict[int, int] = {}
    for number, (_, _, _, reads, writes) in enumerate(all_):
        needed.append([written_by[register] for register in reads if register in written_by])
        if writes:
            written_by[writes] = number
    done: dict[int, int] = {}  # the cycle of each that has issued
    oldest = cycle = 0
    while len(done) < len(words):
        while oldest in done:
            oldest += 1
        count = operations = branches = 0
        for number in range(oldest, len(words) if core.in_order else min(len(words), oldest + window)):
            memory, _, branch, _, _ = all_[number]
            if number not in done:
                there = all(
                    one in done and done[one] + 1 + (core.stalls and all_[one][1]) <= cycle for one in needed[number]
                )
                room = count < core.width and not (core.stalls and memory and operations)
                if there and room and not (core.branches == PBP1 and branch and branches):
                    done[number] = cycle
                    count, operations, branches = count + 1, operations + memory, branches + branch
                elif core.in_order:
                    break
            if branch and core.branches == NONE and done.get(number, cycle) == cycle:
                break
        cycle += 1
    return len(words) / cycle


def any_word(choose: random.Random) -> int:
    opcode = choose.choice([ALU, ALU_IMMEDIATE, LOAD, STORE, AMO, ORDER, BRANCH, JALR, JAL, SYSTEM, LUI, AUIPC, FENCE])
    rd, rs1, rs2 = (choose.randrange(6) for _ in range(3))
    if opcode == SYSTEM:
        return choose.choice([*TRAPS, WFI, SYSTEM | choose.choice([1, 2, 3, 5, 6, 7]) << 12 | rd << 7 | rs1 << 15])
    return opcode | rd << 7 | rs1 << 15 | rs2 << 20


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_schedule_of_a_machine_that_takes_the_oldest_first(seed: int) -> None:
    choose = random.Random(seed)
    words = [any_word(choose) for _ in range(choose.randrange(20, 60))]
    for core in CORES:
        for window in (1, 3, 8, 64):
            assert ipc(words, core, window) == pytest.approx(slow_ipc(words, core, window))


def test_the_window_waits_for_all_in_front_not_for_one() -> None:
    words = [LOAD | 1 << 7, USED, *(ALU | rd << 7 for rd in (3, 4, 5, 6)), ALU | 7 << 7 | 6 << 15]
    # With three: 0, 2, 0, 1, 3, 3 and 4: the sixth waits for the second, though the third is done in cycle 0.
    assert cycles(words, Core(False, 4, True, PBP), 3) == 5


def test_registers_that_are_read_and_written() -> None:
    for opcode in (LUI, AUIPC, JAL, FENCE):
        assert cycles([MADE, opcode | 1 << 15], WIDE) == 1
    for opcode in (ALU, BRANCH, STORE, AMO, ORDER):
        assert cycles([MADE, opcode | 1 << 20], WIDE) == 2
    for opcode in (BRANCH, STORE, FENCE):
        assert cycles([opcode | 1 << 7, USED], WIDE) == 1


def test_kinds_of_instructions() -> None:
    for opcode in (LOAD, STORE, AMO, ORDER):
        assert cycles([opcode, opcode], WIDE) == 2
    for word in (BRANCH, JALR, JAL, *TRAPS):
        assert cycles([word, word], ONE_BRANCH) == 2
    for word in (WFI, SYSTEM | 1 << 12, SYSTEM | 5 << 12):
        assert cycles([word, word], ONE_BRANCH) == 1


def test_a_last_round_without_work_is_left_out() -> None:
    assert working([Retired(pc, 0, pc, pc) for pc in (4, 8, 4, 12)], 4, 12) == [4, 8]


def test_hits_of_the_warm_up_do_not_count() -> None:
    assert hits([Access(0, 0, 0, False, 0)] * 4, 6, 16, warm=0.5) == Hits(2, 2, 0, 0)
