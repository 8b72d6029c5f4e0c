# SPDX-License-Identifier: Apache-2.0
"""Each instruction of the SPARC V8 core's simulator that does not trap: what it changes, and that nothing else does.

What is expected comes from the manual's facts (sparc_facts.py).
"""

import itertools

import pytest
from sparc_bench import DATA, HERE, SUPERVISOR, Bench
from sparc_facts import ET, ICC_SHIFT, MASK, PS, S, arithmetic, holds, register
from sparc_words import (
    ALTERNATE,
    ARITHMETIC,
    CONDITIONS,
    MEMORY,
    NOP,
    G,
    I,
    L,
    O,
    Reg,
    branch,
    call,
    packed,
    sethi,
    trap,
    word,
)

from nsoc.sparc import Access, Answer, Effect, Kind

CORNERS = (0, 1, 2, 3, 31, 32, 0x1234_5678, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFE, 0xFFFF_FFFF)
NUMBERS = (0, 1, 3, 31, 32, 4095, -1, -32, -4096)
STATES = ((0b0000, 0), (0b0001, 0x8000_0001), (0b1010, 1), (0b1011, 0xFFFF_FFFF), (0b0010, 0x7FFF_FFFF))
"""icc and Y."""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


def expect_arithmetic(bench: Bench, name: str, rd: int, rs1: int, second: int, values: dict[int, int], at: int) -> None:
    icc, y = STATES[at % len(STATES)]
    window = at % 8
    state = bench.state(psr=SUPERVISOR | icc << ICC_SHIFT | window, y=y, r=values)
    a = values[rs1] if rs1 else 0
    b = second & MASK if not isinstance(second, Reg) else values[second] if second else 0
    result = arithmetic(name, a, b, icc, y)
    done = bench.step(word(name, rd, rs1, second), state)
    if isinstance(result, int):
        done.expect_trap(result)
        return
    value, new_icc, new_y = result
    changes = {}
    if new_icc is not None:
        changes["psr"] = SUPERVISOR | new_icc << ICC_SHIFT | window
    if new_y is not None:
        changes["y"] = new_y
    done.expect(r={register(window, rd): value} if rd else {}, **changes)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_on_corner_values(bench: Bench, name: str) -> None:
    a, b = L[1], O[2]
    for at, (x, y) in enumerate(itertools.product(CORNERS, CORNERS)):
        rd = (I[3], a, G[0], b, G[5])[at % 5]
        expect_arithmetic(bench, name, rd, a, b, {a: x, b: y}, at // 2)
    for at, (x, number) in enumerate(itertools.product(CORNERS, NUMBERS)):
        expect_arithmetic(bench, name, (I[3], a, G[0])[at % 3], a, number, {a: x}, at // 3)
    for x in CORNERS:
        expect_arithmetic(bench, name, a, a, a, {a: x}, 3)
        expect_arithmetic(bench, name, a, G[0], a, {a: x}, 1)
        expect_arithmetic(bench, name, a, a, G[0], {a: x}, 2)


@pytest.mark.parametrize(
    ("name", "y", "dividend", "divisor", "quotient", "overflow"),
    [
        ("udivcc", 1, 0, 2, 0x8000_0000, False),
        ("udivcc", 1, 0, 1, 0xFFFF_FFFF, True),
        ("udivcc", 0xFFFF_FFFE, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, False),
        ("udivcc", 0xFFFF_FFFF, 0, 0xFFFF_FFFF, 0xFFFF_FFFF, True),
        ("sdivcc", 0, 0x7FFF_FFFF, 1, 0x7FFF_FFFF, False),
        ("sdivcc", 0, 0x8000_0000, 1, 0x7FFF_FFFF, True),
        ("sdivcc", 0xFFFF_FFFF, 0x8000_0000, 1, 0x8000_0000, False),
        ("sdivcc", 0xFFFF_FFFF, 0x7FFF_FFFF, 1, 0x8000_0000, True),
        ("sdivcc", 0xFFFF_FFFE, 0xFFFF_FFFF, 2, 0x8000_0000, False),  # -2^31 with a remainder: method A
        ("sdivcc", 0xFFFF_FFFE, 0xFFFF_FFFE, 2, 0x8000_0000, True),
        ("sdivcc", 0xFFFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x7FFF_FFFF, True),
        ("sdivcc", 0x8000_0000, 0, 0xFFFF_FFFF, 0x7FFF_FFFF, True),  # 2^63
        ("sdivcc", 0xFFFF_FFFF, 0xFFFF_FFF9, 2, 0xFFFF_FFFD, False),  # -7 / 2
        ("sdivcc", 0, 7, 0xFFFF_FFFE, 0xFFFF_FFFD, False),
    ],
)
def test_division_at_the_borders_of_overflow(
    bench: Bench, name: str, y: int, dividend: int, divisor: int, quotient: int, overflow: bool
) -> None:
    """Of a condition code C is 0, and Y stays."""
    state = bench.state(psr=SUPERVISOR | 0xF << ICC_SHIFT, y=y, r={L[0]: dividend, L[1]: divisor})
    icc = 8 * (quotient >> 31) | 2 * overflow
    done = bench.step(word(name, L[2], L[0], L[1]), state)
    done.expect(r={register(0, L[2]): quotient}, psr=SUPERVISOR | icc << ICC_SHIFT)


def test_a_multiplication_by_32_steps_of_mulscc(bench: Bench) -> None:
    """The manual's own use of it."""
    for a, b in ((0x1234_5678, 0x0765_4321), (0xFFFF_FFFF, 3), (0x7FFF_FFFF, 0x7FFF_FFFF), (0x8000_0000, 5)):
        state = bench.state(y=a, r={L[0]: 0, L[1]: b})
        for _ in range(32):
            state = bench.step(word("mulscc", L[0], L[0], L[1]), state).after
            state.pc, state.npc = HERE, HERE + 4
        state = bench.step(word("mulscc", L[0], L[0], G[0]), state).after
        signed_a = a - (1 << 32) if a >> 31 else a
        high = state.r[register(0, L[0])] - (b if a >> 31 else 0)  # of a multiplier below 0
        assert (high << 32 | state.y) & (1 << 64) - 1 == signed_a * b & (1 << 64) - 1


def test_sethi(bench: Bench) -> None:
    for rd in (G[0], G[4], O[0], I[7]):
        for value in (0, 1, 0x20_0000, 0x3F_FFFF):
            bench.step(sethi(rd, value)).expect(r={register(0, rd): value << 10} if rd else {})


def test_all_registers_of_all_windows_are_themselves(bench: Bench) -> None:
    """Outs are the ins of the window below; all 136 are reached."""
    seen = set()
    for window in range(8):
        for number in range(32):
            psr = SUPERVISOR | window
            done = bench.step(word("or", number, G[0], 77), bench.state(psr=psr))
            done.expect(r={register(window, number): 77} if number else {})
            done = bench.step(word("or", G[2], number, Reg(number)), bench.state(psr=psr))
            done.expect(r={130: bench.fresh.r[register(window, number)]})
            seen.add(register(window, number))
    assert seen == set(range(136))


@pytest.mark.parametrize("name", ["save", "restore"])
def test_windows_move_and_the_sum_goes_to_the_new_one(bench: Bench, name: str) -> None:
    for window, invalid in itertools.product(range(8), range(9)):
        new = (window + (-1 if name == "save" else 1)) % 8
        psr, wim = SUPERVISOR | 0xA << ICC_SHIFT | window, 0xFF & 1 << invalid
        for rd, rs1, second in ((O[6], O[6], -96), (I[1], I[0], L[0]), (G[0], G[0], G[0]), (L[5], L[5], Reg(L[5]))):
            state = bench.state(psr=psr, wim=wim)
            a, b = (state.r[register(window, number)] for number in (rs1, second if isinstance(second, Reg) else 0))
            value = (a + (b if isinstance(second, Reg) else second)) & MASK
            done = bench.step(word(name, rd, rs1, second), state)
            if invalid == new:
                done.expect_trap(5 if name == "save" else 6)
            else:
                done.expect(r={register(new, rd): value} if rd else {}, psr=psr & ~7 | new)


SIZES = {
    "ld": 4, "ldub": 1, "lduh": 2, "ldd": 8, "st": 4, "stb": 1, "sth": 2, "std": 8, "ldsb": 1, "ldsh": 2, "ldstub": 1,
    "swap": 4,
}  # fmt: skip


@pytest.mark.parametrize("name", [*MEMORY, *ALTERNATE])
def test_loads_and_stores_of_each_address(bench: Bench, name: str) -> None:
    content = bytes.fromhex("80017fff01807efe fffe807f00ff1122")
    plain = name.removesuffix("a") if name in ALTERNATE else name
    size = SIZES[plain]
    for at, user in itertools.product(range(-8, 8), (False, True)):
        if name in ALTERNATE and user:
            continue
        asi = 0x0A if user or at % 2 else 0x0B  # an alternate one is used by its number
        expected_asi = asi if name in ALTERNATE else 0x0A if user else 0x0B
        bench.iss.write(DATA - 8, content)
        rd = L[2]
        numbers = {L[0]: DATA, L[1]: at, rd: 0x1122_3344, L[3]: 0x5566_7788}
        state = bench.state(psr=ET if user else SUPERVISOR, r=numbers)
        second = L[1] if name in ALTERNATE or at % 3 == 0 else at
        done = bench.step(word(name, rd, L[0], second, asi if name in ALTERNATE else 0), state)
        left = bench.iss.read(DATA - 8, 16)
        if at % size:
            done.expect_trap(7)
            assert left == content and done.step.access.kind == Access.NONE
            continue
        was = content[at + 8 : at + 8 + size]
        access = done.step.access
        assert (access.address, access.bytes, access.asi, access.answer) == (DATA + at, size, expected_asi, Answer.OK)
        loaded = int.from_bytes(was, "big", signed=plain in ("ldsb", "ldsh"))
        pair = bytes.fromhex("1122334455667788")
        stored = b"\xff" if plain == "ldstub" else pair if size == 8 else pair[4 - size : 4]
        if plain.startswith("ld") or plain == "swap":
            both = {register(0, rd): loaded >> 32 & MASK, register(0, L[3]): loaded & MASK}
            done.expect(r=both if size == 8 else {register(0, rd): loaded & MASK})
            assert access.read == int.from_bytes(was, "big")
        else:
            done.expect()
        if plain in ("swap", "ldstub") or plain.startswith("st"):
            assert access.kind == {"swap": Access.SWAP, "ldstub": Access.LDSTUB}.get(plain, Access.WRITE)
            assert access.written == int.from_bytes(stored, "big")
            was = stored
        else:
            assert access.kind == Access.READ
        assert left == content[: at + 8] + was + content[at + 8 + size :]


def test_loads_to_g0_and_to_pairs_with_it(bench: Bench) -> None:
    bench.iss.write(DATA, bytes.fromhex("0102030405060708"))
    for name in ("ld", "ldub", "lduh", "ldsb", "ldsh", "swap", "ldstub"):
        bench.step(word(name, G[0], L[0], 0), bench.state(r={L[0]: DATA})).expect()
    bench.iss.write(DATA, bytes.fromhex("0102030405060708"))
    bench.step(word("ldd", G[0], L[0], 0), bench.state(r={L[0]: DATA})).expect(r={129: 0x0506_0708})
    bench.step(word("std", G[0], L[0], 0), bench.state(r={L[0]: DATA, G[1]: 0xAABB_CCDD})).expect()
    assert bench.iss.read(DATA, 8) == bytes.fromhex("00000000aabbccdd")


def test_a_load_may_overwrite_its_address(bench: Bench) -> None:
    bench.iss.write(DATA, bytes.fromhex("0102030405060708"))
    done = bench.step(word("ldd", L[0], L[0], L[1]), bench.state(r={L[0]: DATA - 4, L[1]: 4}))
    done.expect(r={register(0, L[0]): 0x0102_0304, register(0, L[1]): 0x0506_0708})
    done = bench.step(word("swap", L[0], L[0], 0), bench.state(r={L[0]: DATA}))
    done.expect(r={register(0, L[0]): 0x0102_0304})
    assert bench.iss.read(DATA, 4) == DATA.to_bytes(4, "big")


@pytest.mark.parametrize("annul", [False, True])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_branches(bench: Bench, condition: str, annul: bool) -> None:
    """Each with each icc; its target counts from its own PC, also in a delay slot."""
    for icc in range(16):
        for words in (1, 3, -5, 0x1F_FFFF, -0x20_0000):
            for npc in (HERE + 4, HERE + 0x400):
                state = bench.state(psr=SUPERVISOR | icc << ICC_SHIFT, npc=npc)
                taken = holds(condition, icc)
                annuls = annul and (condition in ("a", "n") or not taken)
                done = bench.step(branch(condition, words, annul), state)
                assert done.step.annuls == annuls
                done.expect(npc=(HERE + 4 * words if taken else npc + 4) & MASK, annul=annuls)


def test_an_annulled_slot_changes_nothing(bench: Bench) -> None:
    for npc in (HERE + 4, HERE + 0x40):
        for one in (NOP, 0, word("add", L[0], L[0], 1), word("st", L[0], G[0], 1), trap("a", G[0], 1)):
            state = bench.state(annul=1, npc=npc)
            done = bench.step(one, state, level=15)
            assert done.step.kind == Kind.ANNULLED and done.step.word == 0 and not done.step.writes
            state.annul, state.pc, state.npc = 0, npc, npc + 4
            assert bytes(done.after) == bytes(state)


def test_call_and_jump_and_link_leave_their_own_address(bench: Bench) -> None:
    for words, npc in itertools.product((0, 2, -1, 0x1FFF_FFFF, -0x2000_0000), (HERE + 4, HERE + 0x40)):
        done = bench.step(call(words), bench.state(npc=npc))
        done.expect(r={register(0, O[7]): HERE}, npc=HERE + 4 * words & MASK)
    for rd, rs1, second in ((O[7], L[0], 8), (G[0], I[7], 8), (L[0], L[0], L[1]), (I[7], L[0], -4)):
        state = bench.state(r={L[0]: DATA, L[1]: 12, I[7]: DATA + 4})
        target = {L[0]: DATA, I[7]: DATA + 4}[rs1] + (12 if isinstance(second, Reg) else second)
        done = bench.step(word("jmpl", rd, rs1, second), state)
        done.expect(r={register(0, rd): HERE} if rd else {}, npc=target)


FIRST = {
    # name: word, whether the slot runs, target
    "ba": (branch("a", 16), True, 16), "taken": (branch("e", 16), True, 16), "call": (call(16), True, 16),
    "jmpl": (word("jmpl", G[0], L[0], 64), True, 16), "ba,a": (branch("a", 16, True), False, 16),
    "taken,a": (branch("e", 16, True), True, 16), "untaken": (branch("ne", 16), True, 2),
    "untaken,a": (branch("ne", 16, True), False, 2), "bn": (branch("n", 16), True, 2),
    "bn,a": (branch("n", 16, True), False, 2),
}  # fmt: skip
SECOND = {
    # name: word, whether what is behind it runs, its target from its own place
    "ba": (branch("a", 32), True, 32), "taken": (branch("e", 32), True, 32), "call": (call(32), True, 32),
    "jmpl": (word("jmpl", G[0], L[0], 132), True, 32), "ba,a": (branch("a", 32, True), False, 32),
    "taken,a": (branch("e", 32, True), True, 32), "untaken": (branch("ne", 32), True, None),
    "untaken,a": (branch("ne", 32, True), False, None), "bn": (branch("n", 32), True, None),
    "bn,a": (branch("n", 32, True), False, None),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second"), list(itertools.product(FIRST, SECOND)))
def test_couples_of_control_transfers(bench: Bench, first: str, second: str) -> None:
    """Cases 1 to 5 of the manual's table 5-12: a transfer, in its slot another one. Places count in instructions from
    the first one, whose target is 16; that of the second one, at 1, is 33.

    Case 6, a transfer in the slot of a conditional branch, is left open: here it goes as the others.
    """
    one, slot_runs, target = FIRST[first]
    two, next_runs, far = SECOND[second]
    if not slot_runs:  # case 5
        expected = [0, target, target + 1]
    elif far is None:  # cases 2 and 3: the second one is not taken
        expected = [0, 1, target, target + 1] if next_runs else [0, 1, target + 1]
    else:  # cases 1 and 4
        expected = [0, 1, target, 1 + far] if next_runs else [0, 1, 1 + far]
    bench.iss.write(HERE, packed([one, two, *[NOP] * 80]))
    bench.iss.state = bench.state(psr=SUPERVISOR | 4 << ICC_SHIFT, r={L[0]: HERE})
    ran = []
    while len(ran) < len(expected):
        step = bench.iss.step_with()
        if step.kind == Kind.RETIRED:
            ran.append((step.pc - HERE) // 4)
    assert ran == expected


def test_reading_and_writing_y(bench: Bench) -> None:
    for psr in (SUPERVISOR, ET):
        state = bench.state(psr=psr, y=0x1234_5678, r={L[0]: 0xF0F0_F0F0, L[1]: 0xFFFF_0000})
        bench.step(word("rdasr", L[3]), state).expect(r={register(0, L[3]): 0x1234_5678})
        bench.step(word("wrasr", 0, L[0], L[1]), state).expect(y=0x0F0F_F0F0)
        bench.step(word("wrasr", 0, L[0], -1), state).expect(y=0x0F0F_0F0F)


def test_psr_reads_as_it_is_and_keeps_bits_that_exist(bench: Bench) -> None:
    for bit in range(32):
        if bit in (3, 4):  # of CWP: no window
            continue
        value = 1 << bit
        done = bench.step(word("wrpsr", 0, L[0], L[1]), bench.state(psr=SUPERVISOR, r={L[0]: value ^ 7, L[1]: 7}))
        done.expect(psr=value & 0x00F0_0FE7)
    psr = 0x00A0_0B00 | SUPERVISOR | PS | 5
    bench.step(word("rdpsr", G[2]), bench.state(psr=psr)).expect(r={130: psr})


def test_implementation_and_version_are_not_written() -> None:
    bench = Bench()
    bench.iss = type(bench.iss)(version=0xF3, dram_bytes=1 << 20)
    state = bench.state(psr=0xF300_0000 | SUPERVISOR, r={L[0]: 0x0C00_0020})
    bench.step(word("wrpsr", 0, L[0], G[0]), state).expect(psr=0xF300_0020)


def test_wim_keeps_a_bit_for_each_window(bench: Bench) -> None:
    state = bench.state(wim=0x5A, r={L[0]: 0xFFFF_FF0F, L[1]: 0x30})
    bench.step(word("rdwim", G[2]), state).expect(r={130: 0x5A})
    bench.step(word("wrwim", 0, L[0], L[1]), state).expect(wim=0x3F)


def test_tbr_keeps_its_type_when_it_is_written(bench: Bench) -> None:
    state = bench.state(tbr=0x4000_0AB0, r={L[0]: 0x8765_4FFF})
    bench.step(word("rdtbr", G[2]), state).expect(r={130: 0x4000_0AB0})
    bench.step(word("wrtbr", 0, L[0], 0), state).expect(tbr=0x8765_4AB0)


def test_what_is_written_to_psr_acts_on_the_next_instruction(bench: Bench) -> None:
    """Window, mode, interrupts: the manual allows up to three instructions of delay, here there are none."""
    write = word("wrpsr", 0, G[0], 0xE5)
    state = bench.step(write, bench.state(psr=SUPERVISOR)).after
    state.pc, state.npc = HERE, HERE + 4
    bench.step(word("or", L[0], G[0], 9), state).expect(r={register(5, L[0]): 9})
    bench.step(NOP, state, level=1).expect_trap(0x11)
    state = bench.step(word("wrpsr", 0, G[0], 0xFA0), bench.state(psr=SUPERVISOR)).after
    state.pc, state.npc = HERE, HERE + 4
    bench.step(NOP, state, level=14).expect()
    state = bench.step(word("wrpsr", 0, G[0], 0x20), bench.state(psr=SUPERVISOR)).after
    state.pc, state.npc = HERE, HERE + 4
    bench.step(word("rdpsr", L[0]), state).expect_trap(3)


def test_fields_that_an_instruction_does_not_use_are_ignored(bench: Bench) -> None:
    """All bits set in them change nothing."""
    rd, rs1, low, immediate = 31 << 25, 31 << 14, 0x1FFF, 1 << 13
    asi = 0xFF << 5
    bench.iss.write(DATA, b"\1\2\3\4")
    state = bench.state(y=7, wim=0x40, r={L[0]: DATA, L[1]: 0, L[2]: 0x27})
    disabled = bench.state(psr=S, wim=0x40, npc=DATA, r={L[0]: DATA, L[1]: 0})
    for one, unused, before in (
        (word("add", L[3], L[0], L[1]), asi, state),
        (word("sll", L[3], L[0], L[2]), asi, state),
        (word("sll", L[3], L[0], 7), 0x1FE0, state),
        (word("ld", L[3], L[0], L[1]), asi, state),
        (word("st", L[3], L[0], L[1]), asi, state),
        (word("rdasr", L[3], 0, G[0]), low | immediate, state),
        (word("rdpsr", L[3], 0, G[0]), rs1 | low | immediate, state),
        (word("rdwim", L[3], 0, G[0]), rs1 | low | immediate, state),
        (word("rdtbr", L[3], 0, G[0]), rs1 | low | immediate, state),
        (word("wrpsr", 0, L[2], L[1]), rd | asi, state),
        (word("wrwim", 0, L[2], L[1]), rd | asi, state),
        (word("wrtbr", 0, L[2], L[1]), rd | asi, state),
        (word("flush", 0, L[0], L[1]), rd | asi, state),
        (word("rett", 0, L[0], L[1]), rd | asi, disabled),
        (trap("a", L[1], L[2]), 1 << 29 | asi, state),
        (trap("a", L[1], 5), 1 << 29 | 0x1F80, state),
    ):
        plain = bench.step(one, before)
        full = bench.step(one | unused, before)
        assert plain.step.trap in (0, 0xA7, 0x85)
        assert bytes(full.after) == bytes(plain.after), f"{one:#010x}"


def test_return_from_trap(bench: Bench) -> None:
    """CWP up, S of PS, ET set; the slot belongs to the jump before."""
    for window, ps, second in itertools.product(range(8), (0, PS), (4, L[3])):
        psr = 0x00F0_0500 | S | ps | window
        state = bench.state(psr=psr, wim=1 << (window + 2) % 8, npc=DATA, r={L[2]: DATA, L[3]: 4})
        done = bench.step(word("rett", 0, L[2], second), state)
        done.expect(psr=0x00F0_0500 | (S if ps else 0) | ps | ET | (window + 1) % 8, npc=DATA + 4)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_trap_instructions(bench: Bench, condition: str) -> None:
    for icc, psr in itertools.product(range(16), (SUPERVISOR, ET)):
        state = bench.state(psr=psr | icc << ICC_SHIFT, r={L[0]: 0xFFFF_FF85, L[1]: 0x7C})
        for second, number in ((L[1], 1), (3, 8), (-6, 0x7F), (0x7A, 0x7F), (0x7B, 0)):
            done = bench.step(trap(condition, L[0], second), state)
            if holds(condition, icc):
                done.expect_trap(0x80 + number)
            else:
                done.expect()


def test_flush_and_store_barrier_only_have_their_effect(bench: Bench) -> None:
    for psr in (SUPERVISOR, ET):
        for one, effect in (
            (word("flush", 0, L[0], 5), Effect.DROPS_INSTRUCTIONS),
            (word("flush", 0, L[0], L[1]), Effect.DROPS_INSTRUCTIONS),
            (word("rdasr", 0, 15, G[0]), Effect.ORDERS_STORES),
            (NOP, Effect.NONE),
        ):
            done = bench.step(one, bench.state(psr=psr))
            done.expect()
            assert done.step.effects == effect
            assert bench.step(one, bench.state(psr=psr), level=3).step.effects == Effect.NONE
