# SPDX-License-Identifier: Apache-2.0
"""Traps of the SPARC V8 core's simulator: each with what is saved, in a slot, annulled, with traps disabled, in each
window and mode, and which of two goes first.
"""

import itertools
import random
from dataclasses import dataclass, field

import pytest
from sparc_bench import DATA, HERE, SUPERVISOR, TABLE, Bench, Done
from sparc_facts import ET, PIL_SHIFT, PS, S, register
from sparc_words import ALTERNATE, COPROCESSOR, FLOATING, MEMORY, NOP, G, L, branch, packed, trap, word

from nsoc.sparc import Access, Answer, Kind

BAD = 0x4002_0000
"""An address that is answered with an error."""
LATE = 0x4002_1000
"""One whose error comes behind the instruction."""
NOWHERE = 0x6000_0000
UNKNOWN = 0x77
"""An alternate space."""


@pytest.fixture(scope="module")
def bench() -> Bench:
    bench = Bench()
    bench.iss.answer(BAD, 0x100, Answer.REFUSED)
    bench.iss.answer(LATE, 0x100, Answer.LATE_ERROR)
    return bench


@dataclass(frozen=True)
class Case:
    """An instruction that traps."""

    word: int
    trap: int
    user: bool | None = None
    """Only in user mode, or only in supervisor mode."""
    r: dict[int, int] = field(default_factory=dict)
    wim: int = 0
    """Rotated to the window: bit 1 is the one above."""
    fetched: bool = True
    pc: int = HERE


def operations(*op3: int) -> list[int]:
    return [2 << 30 | number << 19 for number in op3]


def accesses(*op3: int) -> list[int]:
    return [3 << 30 | number << 19 for number in op3]


BYTES = ("ldub", "stb", "ldsb", "ldstub")
AT = {L[0]: DATA, L[1]: 0}
NO_ASR = (17, 18, 22, 23, 28)
SUPERVISORS = (16, 19, 20, 21, 24, 25, 26, 27)
CASES = {
    "unimp": Case(0, 2), "unimp with a constant": Case(0x3F_FFFF, 2),
    **{f"op2 {n}": Case(n << 22, 2) for n in (1, 3, 5)},
    **{
        f"op3 {one >> 19 & 63:#x} of op 2": Case(one, 2)
        for one in operations(0x09, 0x0D, 0x19, 0x1D, 0x2C, 0x2D, 0x2E, 0x2F, 0x3E, 0x3F)
    },
    **{
        f"op3 {one >> 19 & 63:#x} of op 3": Case(one, 2)
        for one in accesses(
            0x08, 0x0B, 0x0C, 0x0E, 0x18, 0x1B, 0x1C, 0x1E, 0x22, *range(0x28, 0x30), 0x32, *range(0x38, 0x40)
        )
    },
    **{f"wrpsr to window {n}": Case(word("wrpsr", 0, G[0], 0xE0 + n), 2, user=False) for n in range(8, 32)},
    "ldd to an odd register": Case(word("ldd", L[3], L[0], 0), 2, r=AT),
    "std of an odd register": Case(word("std", L[3], L[0], 0), 2, r=AT),
    "ldda to an odd register": Case(word("ldda", L[3], L[0], L[1], 0xB), 2, user=False, r=AT),
    "rett with traps enabled": Case(word("rett", 0, L[0], 0), 2, user=False, r=AT),
    "rett in user mode": Case(word("rett", 0, L[0], 0), 3, user=True, r=AT),
    **{f"{name} with i = 1": Case(word(name, L[2], L[0], 0), 2, user=False, r=AT) for name in ALTERNATE},
    **{f"{name} in user mode": Case(word(name, L[2], L[0], L[1], 0xA), 3, user=True, r=AT) for name in ALTERNATE},
    **{f"rdasr {n}": Case(word("rdasr", L[2], n), 2) for n in (*range(1, 16), *NO_ASR)},
    **{f"wrasr {n}": Case(word("wrasr", n, L[2], 0), 2) for n in (*range(1, 16), *NO_ASR, 29, 30, 31)},
    "rdasr 19": Case(word("rdasr", L[2], 19), 2, user=False),
    **{f"wrasr {n}": Case(word("wrasr", n, L[2], 0), 2, user=False) for n in (21, 25, 26, 27)},
    **{f"rdasr {n} by a user": Case(word("rdasr", L[2], n), 3, user=True) for n in SUPERVISORS},
    **{f"wrasr {n} by a user": Case(word("wrasr", n, L[2], 0), 3, user=True) for n in SUPERVISORS},
    **{f"{name} in user mode": Case(word(name, L[2], 0, 0), 3, user=True)
       for name in ("rdpsr", "rdwim", "rdtbr", "wrpsr", "wrwim", "wrtbr")},
    **{f"{name}": Case(word(name, 2, L[0], 0), 4, r=AT) for name in FLOATING if name != "stdfq"},
    **{f"{name}": Case(word(name, 2, L[0], 0), 0x24, r=AT) for name in COPROCESSOR if name != "stdcq"},
    "stdfq": Case(word("stdfq", 2, L[0], 0), 4, user=False, r=AT),
    "stdfq by a user": Case(word("stdfq", 2, L[0], 0), 3, user=True),
    "stdcq": Case(word("stdcq", 2, L[0], 0), 0x24, user=False, r=AT),
    "stdcq by a user": Case(word("stdcq", 2, L[0], 0), 3, user=True),
    **{name: Case(word(name, 2, L[0], L[1]), 4) for name in ("fpop1", "fpop2")},
    **{name: Case(word(name, 2, L[0], L[1]), 0x24) for name in ("cpop1", "cpop2")},
    "fbfcc": Case(branch("e", 4, op2=6), 4),
    "fbn,a": Case(branch("n", 4, True, op2=6), 4),
    "cbccc": Case(branch("e", 4, op2=7), 0x24),
    "save": Case(word("save", L[2], L[0], 0), 5, wim=0x80),
    "restore": Case(word("restore", L[2], L[0], 0), 6, wim=0x02),
    **{f"{name} at 1": Case(word(name, L[2], L[0], 1), 7, r=AT) for name in MEMORY if name not in BYTES},
    "ldd at 4": Case(word("ldd", L[2], L[0], 4), 7, r=AT), "std at 4": Case(word("std", L[2], L[0], 4), 7, r=AT),
    "swap at 2": Case(word("swap", L[2], L[0], 2), 7, r=AT), "ld at 2": Case(word("ld", L[2], L[0], 2), 7, r=AT),
    "jmpl to 2": Case(word("jmpl", L[2], L[0], 2), 7, r=AT), "jmpl to 1": Case(word("jmpl", L[2], L[0], 1), 7, r=AT),
    **{f"{name} with an error": Case(word(name, L[2], L[0], 0), 9, r={L[0]: BAD})
       for name in ("ld", "ldub", "lduh", "ldd", "ldsb", "ldsh", "swap", "ldstub")},
    **{f"{name} with an error": Case(word(name, L[2], L[0], 0), 0x2B, r={L[0]: BAD})
       for name in ("st", "stb", "sth", "std")},
    "ld of nothing": Case(word("ld", L[2], L[0], 0), 9, r={L[0]: NOWHERE}),
    "ldstub of a device": Case(word("ldstub", L[2], L[0], 0), 9, r={L[0]: 0xFFFF_3200}),
    "ldd of a device": Case(word("ldd", L[2], L[0], 0), 9, r={L[0]: 0xFFFF_3208}),
    "st to the ROM": Case(word("st", L[2], L[0], 0), 0x2B, r={L[0]: 0x100}),
    "swap of the ROM": Case(word("swap", L[2], L[0], 0), 9, r={L[0]: 0x100}),
    "lda of an unknown space": Case(word("lda", L[2], L[0], L[1], UNKNOWN), 9, user=False, r=AT),
    "sta of an unknown space": Case(word("sta", L[2], L[0], L[1], UNKNOWN), 9, user=False, r=AT),
    **{
        f"{name} of a space where nothing is": Case(word(name, L[2], L[0], L[1], space), 9, user=False, r=AT)
        for name, space in (("lda", 0x21), ("stda", 0x2F), ("ldstuba", 0x28))
    },
    "ldda of a control space": Case(word("ldda", L[2], L[0], L[1], 0x04), 9, user=False, r=AT),
    "swapa of a control space": Case(word("swapa", L[2], L[0], L[1], 0x10), 9, user=False, r=AT),
    "taddcctv with a tag": Case(word("taddcctv", L[2], L[1], 1), 0x0A, r=AT),
    "taddcctv with overflow": Case(word("taddcctv", L[2], L[3], L[3]), 0x0A, r={L[3]: 0x4000_0000}),
    "tsubcctv with a tag": Case(word("tsubcctv", L[2], L[3], L[1]), 0x0A, r={L[1]: 0, L[3]: 2}),
    "tsubcctv with overflow": Case(word("tsubcctv", L[2], L[3], 4), 0x0A, r={L[3]: 0x8000_0000}),
    **{name: Case(word(name, L[2], L[0], L[1]), 0x2A, r=AT) for name in ("udiv", "sdiv", "udivcc", "sdivcc")},
    "ta 0": Case(trap("a", G[0], 0), 0x80), "ta 127": Case(trap("a", G[0], 127), 0xFF),
    "fetch with an error": Case(NOP, 1, fetched=False, pc=BAD),
    "fetch of nothing": Case(NOP, 1, fetched=False, pc=NOWHERE),
    "fetch of a device": Case(NOP, 1, fetched=False, pc=0xFFFF_3200),
}  # fmt: skip

ANSWERED = {name for name, case in CASES.items() if case.trap in (9, 0x2B) and "space" not in name}
"""Those that only the answer to an access brings: an interrupt goes before it."""


def run(bench: Bench, case: Case, psr: int, level: int = 0, **fields: int) -> Done:
    window = psr % 8
    wim = (case.wim << window | case.wim << window >> 8) & 0xFF
    fields.setdefault("npc", case.pc + 4)
    before = bench.state(psr=psr, r=case.r, wim=wim, pc=case.pc, **fields)
    if case.fetched:
        bench.iss.write(case.pc, case.word.to_bytes(4, "big"))
    bench.iss.state = before
    step = bench.iss.step_with(1 << level & ~1)
    return Done(before, step, bench.iss.state)


@pytest.mark.parametrize("name", CASES)
def test_each_trap(bench: Bench, name: str) -> None:
    """Precise: nothing changes but what a trap changes."""
    case = CASES[name]
    for window, user, previous in itertools.product(range(8), (False, True), (0, PS)):
        if case.user is not None and case.user != user:
            continue
        mode = 0 if user else S
        psr = 0x00A0_0300 | ET | mode | previous | window
        run(bench, case, psr).expect_trap(case.trap)  # in place
        run(bench, case, psr, npc=DATA).expect_trap(case.trap)  # in a delay slot
        run(bench, case, psr, level=15).expect_trap(0x1F if name in ANSWERED else case.trap)
        run(bench, case, psr, tbr=TABLE | 0xFF0).expect_trap(case.trap)
        annulled = run(bench, case, psr, level=15, annul=1, npc=DATA)
        assert annulled.step.kind == Kind.ANNULLED and not annulled.step.writes
        assert (annulled.after.pc, annulled.after.npc, annulled.after.psr) == (DATA, DATA + 4, psr)
        if not name.startswith("rett"):
            disabled = run(bench, case, psr & ~ET, level=15, npc=DATA)
            disabled.expect_error_mode(case.trap)


def test_a_trap_wraps_the_window_without_asking_wim(bench: Bench) -> None:
    case = CASES["ta 0"]
    for window in range(8):
        before = bench.state(psr=SUPERVISOR | window, wim=0xFF)
        bench.step(case.word, before).expect_trap(0x80)


def test_jump_that_traps_leaves_its_register(bench: Bench) -> None:
    """QEMU has written it."""
    state = bench.state(r={L[0]: DATA + 2, L[2]: 7})
    bench.step(word("jmpl", L[2], L[0], 0), state).expect_trap(7)


def test_a_swap_that_is_refused_leaves_register_and_memory(bench: Bench) -> None:
    done = run(bench, CASES["swap with an error"], SUPERVISOR)
    done.expect_trap(9)
    assert (done.step.access.kind, done.step.access.answer) == (Access.SWAP, Answer.REFUSED)


RETT = word("rett", 0, L[0], 0)


@pytest.mark.parametrize(
    ("psr", "wim", "target", "trap_type"),
    [
        (0, 0, DATA, 3),
        (0, 2, DATA + 1, 3),
        (S, 2, DATA, 6),
        (S, 2, DATA + 1, 6),
        (S | PS, 2, DATA + 2, 6),
        (S, 0, DATA + 1, 7),
        (S, 0, DATA + 2, 7),
        (S, 0xFD, DATA + 2, 7),
    ],
)
def test_return_from_trap_that_cannot_ends_in_error_mode(
    bench: Bench, psr: int, wim: int, target: int, trap_type: int
) -> None:
    """In this order: privilege, window, target. The type is left in TBR."""
    done = bench.step(RETT, bench.state(psr=psr, wim=wim, r={L[0]: target}))
    done.expect_error_mode(trap_type, keeps_type=True)


@pytest.mark.parametrize(("psr", "trap_type"), [(ET, 3), (ET | S, 2)])
def test_return_from_trap_with_traps_enabled_looks_at_nothing_else(bench: Bench, psr: int, trap_type: int) -> None:
    bench.step(RETT, bench.state(psr=psr, wim=0xFF, r={L[0]: DATA + 1})).expect_trap(trap_type)


def test_return_from_trap_in_the_slot_of_a_jump(bench: Bench) -> None:
    """The way out of each handler: both addresses are gone to, in the mode that was."""
    bench.iss.write(HERE, packed([word("jmpl", G[0], L[1], 0), word("rett", 0, L[2], 0)]))
    bench.iss.write(DATA, NOP.to_bytes(4, "big"))
    bench.iss.write(DATA + 0x100, NOP.to_bytes(4, "big"))
    bench.iss.state = bench.state(psr=S | 3, r={L[1]: DATA, L[2]: DATA + 0x100})
    steps = [bench.iss.step_with() for _ in range(4)]
    assert [(step.kind, step.pc) for step in steps] == [(0, pc) for pc in (HERE, HERE + 4, DATA, DATA + 0x100)]
    assert steps[1].psr == ET | 4 and steps[0].psr == S | 3


TWO = {
    "fetch and any": (Case(0, 1, fetched=False, pc=BAD), 1),
    "privilege and a missing instruction's form": (Case(word("ldda", L[3], L[0], 1), 3, user=True, r={L[0]: DATA}), 3),
    "privilege and window 8": (Case(word("wrpsr", 0, G[0], 8), 3, user=True), 3),
    "privilege and alignment": (Case(word("lda", L[3], L[0], L[1], 0xB), 3, user=True, r={L[0]: DATA + 1, L[1]: 0}), 3),
    "privilege and space": (Case(word("lda", L[3], L[0], L[1], UNKNOWN), 3, user=True, r=AT), 3),
    "form and alignment": (Case(word("ldd", L[3], L[0], 1), 2, r=AT), 2),
    "form and alignment of an alternate": (Case(word("lda", L[3], L[0], 1), 2, user=False, r=AT), 2),
    "form and space": (Case(word("ldda", L[3], L[0], L[1], UNKNOWN), 2, user=False, r=AT), 2),
    "floating point and alignment": (Case(word("lddf", 3, L[0], 1), 4, r=AT), 4),
    "coprocessor and alignment": (Case(word("stdc", 3, L[0], 1), 0x24, r=AT), 0x24),
    "alignment and answer": (Case(word("ld", L[2], L[0], 2), 7, r={L[0]: BAD}), 7),
    "alignment and space": (Case(word("lda", L[2], L[0], L[1], UNKNOWN), 7, user=False, r={L[0]: DATA, L[1]: 2}), 7),
    "tag and overflow": (Case(word("taddcctv", L[2], L[3], L[3]), 0x0A, r={L[3]: 0x4000_0001}), 0x0A),
    "division by 0 and overflow": (Case(word("udiv", L[2], L[0], G[0]), 0x2A, r=AT), 0x2A),
}


@pytest.mark.parametrize("name", TWO)
def test_of_two_causes_the_one_with_priority_is_taken(bench: Bench, name: str) -> None:
    case, trap_type = TWO[name]
    psr = ET if case.user else SUPERVISOR
    run(bench, case, psr, level=15, y=0xFFFF_FFFF).expect_trap(trap_type)
    run(bench, case, psr & ~ET, level=15, y=0xFFFF_FFFF).expect_error_mode(trap_type)


@pytest.mark.parametrize("pil", range(16))
def test_interrupts_are_taken_above_pil_and_15_always(bench: Bench, pil: int) -> None:
    for level, mode, npc in itertools.product(range(16), (0, S), (HERE + 4, DATA)):
        psr = pil << PIL_SHIFT | ET | mode | 5
        done = bench.step(word("or", L[0], G[0], 1), bench.state(psr=psr, npc=npc), level)
        if level > pil or level == 15:
            done.expect_trap(0x10 + level)
        else:
            done.expect(r={register(5, L[0]): 1})
        bench.step(NOP, bench.state(psr=psr & ~ET, npc=npc), level).expect()


@pytest.mark.parametrize("pil", range(16))
def test_of_the_levels_that_the_mask_lets_in_the_highest_is_taken(bench: Bench, pil: int) -> None:
    """15 too can be masked. What PIL holds off is not taken for a lower one."""
    draw = random.Random(pil)
    for _ in range(200):
        levels, mask = draw.getrandbits(16) & ~1, draw.getrandbits(16) & ~1
        before = bench.state(psr=pil << PIL_SHIFT | SUPERVISOR | 5, interrupt_mask=mask)
        bench.iss.write(HERE, NOP.to_bytes(4, "big"))
        bench.iss.state = before
        done = Done(before, bench.iss.step_with(levels), bench.iss.state)
        highest = max((level for level in range(1, 16) if levels & mask & 1 << level), default=0)
        if highest > pil or highest == 15:
            done.expect_trap(0x10 + highest)
        else:
            done.expect()


def test_an_interrupt_is_not_taken_at_an_annulled_slot_but_behind_it(bench: Bench) -> None:
    state = bench.state(annul=1, npc=DATA)
    done = bench.step(NOP, state, level=15)
    assert done.step.kind == Kind.ANNULLED
    bench.step(NOP, done.after, level=15).expect_trap(0x1F)
    assert bench.iss.state.r[register(7, 17)] == DATA


def test_an_interrupt_goes_before_an_access_which_is_not_made(bench: Bench) -> None:
    """Also one that would be refused: nobody can know before."""
    bench.iss.write(DATA, b"\x11" * 4)
    for name, base in itertools.product(("st", "swap", "ld"), (DATA, BAD)):
        done = bench.step(word(name, L[2], L[0], 0), bench.state(r={L[0]: base}), level=3)
        done.expect_trap(0x13)
        assert done.step.access.kind == Access.NONE
    assert bench.iss.read(DATA, 4) == b"\x11" * 4


@pytest.mark.parametrize(("name", "late"), [("st", 0x2B), ("std", 0x2B), ("ld", 0x60), ("ldub", 0x60)])
def test_an_error_behind_the_instruction_waits_for_traps(bench: Bench, name: str, late: int) -> None:
    """It is taken in place of the next instruction that may trap, ahead of all that is wrong with that."""
    state = bench.state(psr=S, r={L[0]: LATE})
    done = bench.step(word(name, L[2], L[0], 0), state)
    zero = {register(0, L[2]): 0}
    done.expect(r=zero if name.startswith("ld") else {})
    assert done.step.access.answer == Answer.LATE_ERROR
    bench.step(NOP, bench.state(psr=S), level=15).expect()
    annulled = bench.step(NOP, bench.state(annul=1))
    assert annulled.step.kind == Kind.ANNULLED
    bench.step(0, bench.state(pc=HERE), level=15).expect_trap(late)
    bench.step(NOP, bench.state()).expect()  # once


def test_a_swap_is_never_late(bench: Bench) -> None:
    for name in ("swap", "ldstub"):
        bench.step(word(name, L[2], L[0], 0), bench.state(r={L[0]: LATE})).expect_trap(9)
        bench.step(NOP, bench.state()).expect()


def test_of_late_errors_the_store_goes_first_and_the_first_address_is_kept(bench: Bench) -> None:
    bench.iss.state = bench.state(psr=S)
    bench.iss.write(HERE, NOP.to_bytes(4, "big") * 3)
    bench.iss.step_with(load_error=True, address=0x5000_0004)
    bench.iss.step_with(store_error=True, address=0x4000_1234)
    bench.iss.step_with(store_error=True, address=0x4000_5678)
    bench.step(0, bench.state()).expect_trap(0x2B)
    read = word("lda", L[2], L[0], L[1], 0x04)
    bench.step(read, bench.state(psr=S, r={L[0]: 0x400, L[1]: 0})).expect(r={register(0, L[2]): 0x4000_1234})
    bench.step(0, bench.state()).expect_trap(0x60)
    bench.step(read, bench.state(psr=S, r={L[0]: 0x400, L[1]: 0})).expect(r={register(0, L[2]): 0x5000_0004})
    bench.step(0, bench.state()).expect_trap(2)


@pytest.mark.parametrize(
    ("case", "user", "access", "kind", "address"),
    [
        ("fetch with an error", False, 3, 5, BAD),
        ("fetch with an error", True, 2, 5, BAD),
        ("ld with an error", False, 1, 5, BAD),
        ("ld with an error", True, 0, 5, BAD),
        ("st with an error", False, 5, 5, BAD),
        ("st with an error", True, 4, 5, BAD),
        ("swap with an error", False, 5, 5, BAD),
        ("lda of an unknown space", False, 1, 2, DATA),
        ("sta of an unknown space", False, 5, 2, DATA),
        ("lda of a space where nothing is", False, 1, 5, DATA),
        ("stda of a space where nothing is", False, 5, 5, DATA),
        ("ldstuba of a space where nothing is", False, 5, 5, DATA),
    ],
)
def test_cause_and_address_of_the_last_fault_are_kept(
    bench: Bench, case: str, user: bool, access: int, kind: int, address: int
) -> None:
    """As registers of the reference MMU, ASI 4: access type, fault type, address valid."""
    run(bench, CASES[case], ET if user else SUPERVISOR).expect_trap(CASES[case].trap)
    for where, value in ((0x300, access << 5 | kind << 2 | 2), (0x400, address), (0, 0), (0x100, 0), (0x200, 0)):
        state = bench.state(r={L[0]: where, L[1]: 0})
        bench.step(word("lda", L[2], L[0], L[1], 0x04), state).expect(r={register(0, L[2]): value})


def test_error_mode_lasts_until_reset(bench: Bench) -> None:
    done = bench.step(0, bench.state(psr=S | 0xA00 | 6, y=5, wim=3, tbr=TABLE | 0x120))
    done.expect_error_mode(2)
    for levels in (0, 1 << 15):
        again = bench.iss.step_with(levels)
        assert (again.kind, again.trap, again.writes) == (Kind.ERROR_MODE, 2, 0)
        assert bytes(bench.iss.state) == bytes(done.after)
    bench.iss.reset()
    state = bench.iss.state
    fields = [state.pc, state.npc, state.psr, state.wim, state.tbr, state.y, state.annul, state.error_mode]
    assert fields == [0, 4, S, 0, 0x120, 0, 0, 0]  # the trap's type stays
    assert [state.bus_control, state.interrupt_mask, state.counter_control] == [0, 0xFFFE, 0]
    assert list(state.r) == list(done.after.r)


def test_reset_forgets_errors_that_wait(bench: Bench) -> None:
    bench.iss.state = bench.state(psr=S)
    bench.iss.step_with(store_error=True, load_error=True)
    bench.iss.reset()
    bench.step(NOP, bench.state()).expect()
