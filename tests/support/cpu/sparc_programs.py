# SPDX-License-Identifier: Apache-2.0
"""Programs for the simulator of the SPARC V8 core and for QEMU: directed ones, and random ones by seed.

A program begins at 0 with a trap table, whose handlers note each trap (type, PC, nPC, PSR) in a checksum in g7, go on
behind what has trapped and let window traps have their way. Its body is at BODY and goes only forward, so it ends at
the instruction behind itself, which jumps to itself.
"""

import random

from sparc_asm import assemble
from sparc_words import (
    ALTERNATE,
    ARITHMETIC,
    CONDITIONS,
    COPROCESSOR,
    FLOATING,
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

BODY = 0x2000
RAM = 0x4000_0000
DATA = 0x4000_8000
INDEX = 0x48
MIDDLE = BODY + 4096
"""What g1, g6 and g5 hold, which bodies do not write: they access memory around DATA and at DATA + INDEX, and jump by
MIDDLE."""
TO_USER, TO_SUPERVISOR = 6, 7
"""Numbers of trap instructions that return to the other mode."""

# Entry of a trap: l0 = PSR, l3 = type. Only locals of the trap's window are used, and g7.
TABLE = "".join(
    f"  rd %psr, %l0\n  ba {'overflow' if kind == 5 else 'underflow' if kind == 6 else 'other'}\n"
    f"  mov {kind}, %l3\n  nop\n"
    for kind in range(1, 256)
)
START = f"""
  ba start
  nop
  nop
  nop
{TABLE}
overflow:  ! the next window above becomes the invalid one
  rd %wim, %l4
  sll %l4, 7, %l5
  srl %l4, 1, %l4
  or %l4, %l5, %l4
  ba retry
  and %l4, 0xff, %l4
underflow:
  rd %wim, %l4
  srl %l4, 7, %l5
  sll %l4, 1, %l4
  or %l4, %l5, %l4
  and %l4, 0xff, %l4
retry:
  ba note
  mov 1, %l6
other:
  rd %wim, %l4
  mov 0, %l6
note:  ! the window that RETT goes to is a valid one
  add %l0, 1, %l5
  and %l5, 7, %l5
  mov 1, %l7
  sll %l7, %l5, %l7
  andn %l4, %l7, %l4
  wr %l4, %wim
  rd %tbr, %l5
  xor %g7, %l5, %g7
  sll %g7, 1, %l5
  srl %g7, 31, %g7
  or %g7, %l5, %g7
  xor %g7, %l1, %g7
  sll %g7, 3, %l5
  srl %g7, 29, %g7
  or %g7, %l5, %g7
  xor %g7, %l2, %g7
  xor %g7, %l0, %g7
  cmp %l3, {0x80 + TO_USER}
  be,a 1f
  andn %l0, 0x40, %l0
  cmp %l3, {0x80 + TO_SUPERVISOR}
  be,a 1f
  or %l0, 0x40, %l0
1:
  tst %l6
  bne 2f
  mov %l1, %l5  ! again
  mov %l2, %l5  ! behind it
  ba 3f
  add %l2, 4, %l6
2:
  mov %l2, %l6
3:
  wr %l0, %psr  ! icc, CWP and PS; ET is 0 in it
  nop
  nop
  nop
  jmp %l5
  rett %l6
start:
  wr %g0, 0x80, %psr
  nop
  nop
  nop
  wr %g0, 0, %wim
  wr %g0, 0, %tbr
  wr %g0, 0, %y
  mov 8, %g2
3:
{"".join(f"  mov {i + 1}, %l{i}{chr(10)}  mov {i + 11}, %o{i}{chr(10)}" for i in range(8))}
  subcc %g2, 1, %g2
  bne 3b
  save
{"".join(f"  mov {i + 21}, %g{i}{chr(10)}" for i in range(8))}
  sethi %hi({DATA:#x}), %g1
  sethi %hi({MIDDLE:#x}), %g5
  mov {INDEX}, %g6
  wr %g0, 4, %wim
  wr %g0, 0xe0, %psr
  nop
  nop
  nop
  sethi %hi({BODY:#x}), %g2
  jmp %g2
  nop
"""


def image(body: list[int]) -> bytes:
    """The whole program, for address 0."""
    start = assemble(START)
    assert len(start) <= BODY
    return start.ljust(BODY, b"\0") + packed([*body, *ENDING])


ENDING = [NOP] * 8 + [branch("a", 0), NOP]


def end_of(body: list[int]) -> int:
    """Address of the instruction that a program with this body comes to stay at."""
    return BODY + 4 * (len(body) + 8)


FAR = 6
"""Instructions that a random jump passes, at most."""
SPACE = 0x0B
NOT_THERE = [
    0x0000_0000,  # UNIMP
    1 << 22, 3 << 22, 5 << 22,  # op = 0
    *(2 << 30 | op3 << 19 for op3 in (0x09, 0x0D, 0x19, 0x1D, 0x2C, 0x2D, 0x2E, 0x2F, 0x3E, 0x3F)),
    *(3 << 30 | op3 << 19 for op3 in (0x08, 0x0B, 0x0C, 0x0E, 0x18, 0x1B, 0x1C, 0x1E)),
]  # fmt: skip
"""Opcodes of no instruction."""


KEPT = (G[1], G[5], G[6], G[7])


class Body:
    """Random instructions, the same for the same seed."""

    def __init__(self, seed: int, length: int) -> None:
        self.random = random.Random(seed)
        self.words: list[int] = []
        while len(self.words) < length:
            self.words += self._some()

    def _read(self) -> Reg:
        return Reg(self.random.randrange(32))

    def _write(self) -> Reg:
        return Reg(self.random.choice([r for r in range(32) if r not in KEPT]))

    def _second(self, least: int = -4096) -> int:
        return self._read() if self.random.random() < 0.5 else self.random.randrange(least, 4096)

    def _some(self) -> list[int]:
        kinds = {
            self._operation: 40, self._constant: 8, self._access: 20, self._branch: 14, self._jump: 3, self._window: 8,
            self._state: 6, self._trap: 3, self._refused: 4,
        }  # fmt: skip
        return self.random.choices(list(kinds), list(kinds.values()))[0]()

    def _operation(self) -> list[int]:
        name = self.random.choice(list(ARITHMETIC))
        return [word(name, self._write(), self._read(), self._second())]

    def _constant(self) -> list[int]:
        corner = self.random.choice([0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, self.random.getrandbits(32)])
        rd = self._write()
        return [sethi(rd, corner >> 10), word("or", rd, rd, corner & 0x3FF)]

    def _access(self) -> list[int]:
        name = self.random.choice(list(MEMORY) * 3 + list(ALTERNATE))
        at = self.random.randrange(-4096, 4096)
        if self.random.random() < 0.9:
            at &= ~7
        rd = self._read() if name.startswith("st") else self._write()
        if name.startswith(("ldd", "std")):
            rd = Reg(rd & ~1 if name in ALTERNATE or self.random.random() < 0.9 else rd)
            if rd < 8 and name.startswith("ldd"):  # would take one of KEPT with it
                rd = Reg(L[2])
        by_index = self.random.choice([(G[1], G[6]), (G[6], G[1])])
        if name in ALTERNATE:
            return [word(name, rd, *by_index, SPACE)]
        return [word(name, rd, *by_index) if self.random.random() < 0.2 else word(name, rd, G[1], at)]

    def _branch(self) -> list[int]:
        annul = self.random.random() < 0.4
        return [branch(self.random.choice(CONDITIONS), self.random.randint(1, FAR), annul)]

    def _jump(self) -> list[int]:
        far = self.random.randint(1, FAR)
        offset = BODY + 4 * (len(self.words) + far) - MIDDLE
        if self.random.random() < 0.5 or offset >= 4096:
            return [call(far)]
        return [word("jmpl", self._write(), G[5], offset)]

    def _window(self) -> list[int]:
        name = self.random.choice(["save", "restore"])
        return [word(name, self._write(), self._read(), self._second())]

    def _state(self) -> list[int]:
        rd = self._write()
        user = self.random.random() < 0.3
        psr = self.random.getrandbits(4) << 8 | (0 if user else 0x80) | self.random.getrandbits(1) << 6 | 0x20
        cwp = self.random.randrange(8) if self.random.random() < 0.9 else self.random.randrange(8, 32)
        return self.random.choice(
            [
                [word("rdasr", rd)],
                [word("wrasr", 0, self._read(), self._second())],
                [word("rdpsr", rd)],
                [word("rdwim", rd)],
                [word("rdtbr", rd)],
                [word("wrpsr", 0, G[0], psr | cwp)],
                [
                    word(
                        "wrwim",
                        0,
                        G[0],
                        self.random.choice([1 << self.random.randrange(8), self.random.getrandbits(8)]),
                    )
                ],
                [word("flush", 0, G[1], 0)],
                [word("rdasr", 0, 15, Reg(0))],  # STBAR
                [word("rett", 0, G[0], 0)],  # ET is 1
            ]
        )

    def _trap(self) -> list[int]:
        number = self.random.choice([TO_USER, TO_SUPERVISOR, TO_SUPERVISOR, self.random.randrange(128)])
        if self.random.random() < 0.5:
            return [trap("a", G[0], number)]
        if self.random.random() < 0.5:
            return [trap(self.random.choice(CONDITIONS), G[0], self._read())]
        return [trap(self.random.choice(CONDITIONS), self._read(), self.random.randrange(64))]

    def _refused(self) -> list[int]:
        floating = [*FLOATING, *COPROCESSOR, "fpop1", "fpop2", "cpop1", "cpop2"]
        floating = [name for name in floating if name not in ("stdfq", "stdcq")]
        return [
            self.random.choice(
                [
                    self.random.choice(NOT_THERE),
                    word(self.random.choice(floating), self.random.randrange(0, 32, 2), G[1], Reg(0)),
                    branch(self.random.choice(CONDITIONS), 1, self.random.random() < 0.5, self.random.choice([6, 7])),
                ]
            )
        ]


CORNERS = (0, 1, 2, 3, 0x1234_5678, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF)
NUMBERS = (0, 1, 31, 32, 4095, -1, -4096)


def constant(rd: int, value: int) -> list[int]:
    """Puts a number into a register."""
    return [sethi(rd, value >> 10), word("or", rd, rd, value & 0x3FF)]


def arithmetic() -> list[int]:
    """Each operation on corner values, to another register, to one of its own and to g0; twice, so that Y, icc and
    what came before differ."""
    body = []
    a, b, rd = L[0], L[1], L[2]
    for i, x in enumerate(CORNERS):
        for j, y in enumerate(CORNERS):
            body += constant(a, x) + constant(b, y)
            body += [word("wrasr", 0, a if (i + j) % 2 else G[0], b)]
            for k, name in enumerate(ARITHMETIC):
                target = (rd, G[0])[k % 7 == 6]
                body += [word(name, target, a, b)]
    for x in CORNERS:
        for number in NUMBERS:
            body += constant(a, x)
            body += [word(name, rd, a, number) for name in ARITHMETIC]
            body += [word("or", rd, a, G[0]), word("addcc", rd, rd, number), word("sub", rd, rd, rd)]
    return body


def memory() -> list[int]:
    """Each load and store at each address of two doublewords, to even and odd registers."""
    body = constant(O[0], 0x8081_F283) + constant(O[1], 0x7F04_8506)
    for at in range(-16, 16, 8):
        body += [word("std", O[0], G[1], at)]
    for name in MEMORY:
        for at in range(-8, 8):
            rd = O[0] if name.startswith("st") else L[2]
            body += [word(name, rd, G[1], at), word("ldd", L[4], G[1], at & ~7)]
        body += [word(name, Reg(O[1] if name.startswith("st") else L[3]), G[1], 8), word(name, L[6], G[6], G[1])]
        body += [word(name, G[0], G[1], 8)] if name != "ldd" else []
    for name in ALTERNATE:
        body += [word(name, O[0] if name.startswith("st") else L[2], G[1], G[6], SPACE)]
    return body


def branches() -> list[int]:
    """Each condition, annulling or not, with each icc; the slot and what is behind it count."""
    body = []
    for icc in range(16):
        for annul in (False, True):
            for condition in CONDITIONS:
                body += [*icc_of(icc), branch(condition, 3, annul)]
                body += [word("add", L[0], L[0], 1), word("add", L[1], L[1], 1), word("add", L[2], L[2], 1)]
    return body


def icc_of(icc: int) -> list[int]:
    """Sets the condition codes, in supervisor mode."""
    return [sethi(G[3], icc << 10), word("wrpsr", 0, G[3], 0xE0)]


def traps() -> list[int]:
    """Each trap of an instruction, in place, in a delay slot and in an annulled one, in both modes and two windows."""
    bad = [
        *NOT_THERE, *(branch("a", 1, op2=op2) for op2 in (6, 7)), word("fpop1"), word("cpop2"),
        word("ldf", 0, G[1], 0), word("stc", 0, G[1], 0), word("ld", L[0], G[1], 2), word("std", L[0], G[1], 4),
        word("ldd", L[1], G[1], 0), word("swap", L[0], G[1], 1), word("sth", L[0], G[1], 1),
        word("taddcctv", L[0], G[6], 1), word("tsubcctv", L[0], G[6], 2), word("udiv", L[0], L[1], G[0]),
        word("sdivcc", L[0], L[1], G[0]), trap("a", G[0], 5), trap("a", G[0], 127), trap("n", G[0], 9),
        word("wrpsr", 0, G[0], 0xE8), word("rett", 0, G[0], 0), word("rdasr", L[0]), word("rdpsr", L[0]),
        word("wrwim", 0, G[0], 4), word("lda", L[0], G[1], G[0], SPACE), word("save", L[0]), word("restore", L[0]),
    ]  # fmt: skip
    body = []
    for mode in (TO_SUPERVISOR, TO_USER):
        for window in (0, 5):
            body += [trap("a", G[0], TO_SUPERVISOR), word("wrpsr", 0, G[0], 0xE0 + window)]
            body += [word("wrwim", 0, G[0], 1 << (window + 4) % 8), trap("a", G[0], mode)]
            for one in bad:
                body += [one, NOP, branch("a", 2), one, branch("n", 2, True), one, branch("a", 2, True), one, NOP]
                body += [word("orcc", G[0], G[0], 1), branch("ne", 2, True), one, branch("e", 2, True), one]
    return body


def windows() -> list[int]:
    """More SAVEs and RESTOREs than there are windows, with each register written and read across."""
    body = [word("wrwim", 0, G[0], 4)]
    for name in ("save", "restore"):
        for i in range(20):
            body += [word("add", r, r, i) for r in (*O, *L, *I)]
            body += [word(name, (O[2], L[2], I[2], G[2], G[0])[i % 5], (I[3], O[3], L[3])[i % 3], 7 * i)]
    return body


def couples() -> list[int]:
    """Jumps in the slots of jumps."""
    jumps = [
        branch("a", 3), branch("a", 3, True), branch("n", 3), branch("n", 3, True), branch("e", 3),
        branch("e", 3, True), branch("ne", 3), branch("ne", 3, True), call(3),
    ]  # fmt: skip
    body = []
    for zero in (0, 1):
        for first in jumps:
            for second in jumps:
                body += [word("subcc", G[0], G[0], zero), first, second]
                body += [word("add", L[i], L[i], 1) for i in range(6)]
    return body


def fields() -> list[int]:
    """Instructions with all bits set in the fields that they do not use."""
    rd, rs1, low, immediate, asi = 31 << 25, 31 << 14, 0x1FFF, 1 << 13, 0xFF << 5
    return [
        word("add", L[3], L[0], L[1]) | asi, word("sll", L[3], L[0], L[2]) | asi, word("sll", L[3], L[0], 7) | 0x1FE0,
        word("ld", L[3], G[1], G[6]) | asi, word("st", L[3], G[1], G[6]) | asi,
        word("rdasr", L[3], 0, G[0]) | low | immediate, word("rdasr", 0, 15, G[0]) | low | immediate,
        *(word(name, L[4], 0, G[0]) | rs1 | low | immediate for name in ("rdpsr", "rdwim", "rdtbr")),
        word("wrpsr", 0, G[0], 0xE0) | rd, word("wrwim", 0, G[0], 4) | rd, word("wrtbr", 0, G[0], 0) | rd,
        word("flush", 0, G[1], G[6]) | rd | asi, word("rett", 0, G[0], 0) | rd,
        trap("a", G[0], 5) | 1 << 29 | 0x1F80, trap("a", G[0], L[2]) | 1 << 29 | asi,
        word("rdpsr", G[2]), word("rdwim", G[2]), word("rdasr", G[2]),
    ]  # fmt: skip


DIRECTED = {
    "arithmetic": arithmetic, "memory": memory, "branches": branches, "traps": traps, "windows": windows,
    "couples": couples, "fields": fields,
}  # fmt: skip
