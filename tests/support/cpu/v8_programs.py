# SPDX-License-Identifier: Apache-2.0
"""Programs for the core of SPARC V8 beside its simulator: random ones that reach all memories and devices, the core's
own registers and spaces, and random words."""

import random

from sparc_asm import assemble
from sparc_programs import BODY, KEPT, MIDDLE, START, Body, constant
from sparc_words import ALTERNATE, CONDITIONS, MEMORY, NOP, G, L, O, Reg, branch, packed, sethi, word
from v8_bench import BAD, JUNK, RESETS, SHARED, SHARED_BYTES, SHARES, SNOOPS, Program

REGIONS = {
    0x4000_8000: 6, 0x5000_8000: 8, 0xFF00_0000: 6, 0xFFFF_3000: 4, 0x400F_FFC0: 1, 0x5000_FFC0: 1, 0x6000_0000: 1,
    0x0003_FFC0: 1, 0xFF00_01C0: 1, 0x5001_0000: 1,
}  # fmt: skip
"""Where accesses go, and how often: memories, devices, the ends of both, and where nothing is."""
OWN_REGISTERS = (16, 19, 20, 21, 24, 25, 26, 27, 29, 30, 31)
SPACES = (0x03, 0x04, 0x08, 0x09, 0x0A, 0x0B, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x20, 0x20, 0x21, 0x2F, 0x30, 0x00, 0x0C)
SLEEPING = 19


class Wide(Body):
    """Random instructions of all kinds, everywhere. They go round and round, with other registers each time."""

    def _some(self) -> list[int]:
        kinds = {
            super()._some: 50, self._region: 16, self._own: 6, self._space: 5, self._used: 8, self._backward: 2,
            self._pairs: 3, self._couple: 3, self._burst: 5, self._written: 1,
        }  # fmt: skip
        return self.random.choices(list(kinds), list(kinds.values()))[0]()

    def _temporary(self) -> Reg:
        return Reg(self.random.choice([r for r in range(2, 32) if r not in KEPT]))

    def _region(self) -> list[int]:
        base = self.random.choices(list(REGIONS), list(REGIONS.values()))[0]
        at = self._temporary()
        body = [sethi(at, base >> 10), *([word("or", at, at, base & 0x3FF)] if base & 0x3FF else [])]
        for _ in range(self.random.randint(1, 5)):
            body += self._one_access(at, base)
            if self.random.random() < 0.3:
                body += self._operation()
        return body

    def _one_access(self, at: Reg, base: int) -> list[int]:
        device = base >= 0xFF00_0000
        common = ["ld", "st", "ld", "st", "swap"] if device else list(MEMORY)
        name = self.random.choice(common if self.random.random() < 0.9 else list(MEMORY))
        offset = self.random.randrange(0, 0x1C0 if device else 0x100) & ~(7 if self.random.random() < 0.5 else 3)
        if self.random.random() < 0.04:
            offset += self.random.randrange(8)
        rd = self._read() if name.startswith("st") else self._write()
        if name in ("ldd", "std") and self.random.random() < 0.9:
            rd = Reg(rd & ~1)
        if name == "ldd" and rd < 8:
            rd = Reg(L[2])
        return [word(name, rd, at, offset)]

    def _own(self) -> list[int]:
        number = self.random.choice(OWN_REGISTERS)
        if self.random.random() < 0.5:
            return [word("rdasr", self._write(), number, Reg(0))]
        if number == SLEEPING and self.random.random() < 0.7:
            number = 16
        value = {
            16: self.random.choice([0, 1, 2, 2, 2, 3, 3]),
            20: -1 if self.random.random() < 0.7 else self.random.randrange(4096),
        }
        second = value.get(number, self.random.randrange(-4096, 4096))
        return [word("wrasr", number, G[0], second)]

    def _space(self) -> list[int]:
        space = self.random.choice(SPACES)
        name = self.random.choice(["lda", "sta", "lda", "sta", *ALTERNATE])
        body: list[int] = []
        first, second = G[1], G[6]
        if space in (3, 4):
            index = Reg(self._temporary())
            body, first, second = [word("or", index, G[0], self.random.choice([0, 0x300, 0x400]))], G[0], index
        elif self.random.random() < 0.6:
            base = self.random.choices(list(REGIONS), list(REGIONS.values()))[0]
            at = self._temporary()
            body, first, second = [sethi(at, base >> 10)], at, self.random.choice([G[0], G[6]])
        rd = self._read() if name.startswith("st") else self._write()
        if name.startswith(("ldd", "std")):
            rd = Reg(L[2] if rd < 8 and name == "ldda" else rd & ~1)
        return [*body, word(name, rd, first, second, space)]

    def _used(self) -> list[int]:
        """What is loaded or computed slowly is used zero to three instructions later, or written again."""
        rd = self._temporary()
        if self.random.random() < 0.6:
            body = [
                word(
                    self.random.choice(["ld", "ldub", "ldsh", "swap", "ldstub"]), rd, G[1], 8 * self.random.randrange(8)
                )
            ]
        elif self.random.random() < 0.5:
            body = [word("ldd", Reg(rd & ~1 if rd >= 8 else L[4]), G[1], 8 * self.random.randrange(8))]
        else:
            body = [
                word(self.random.choice(["umul", "smulcc", "udiv", "mulscc", "sra"]), rd, self._read(), self._second())
            ]
        for _ in range(self.random.randrange(4)):
            body += self._operation()
        use = self.random.choice(["add", "addcc", "st", "std", "save", "umul", "again"])
        if use == "again":
            return [*body, *self._operation()[:-1], word("or", rd, G[0], 5), word("xor", self._write(), rd, rd)]
        if use in ("st", "std"):
            return [*body, word(use, Reg(rd & ~1) if use == "std" else rd, G[1], 8 * self.random.randrange(8))]
        return [*body, word(use, self._write(), rd, self._read())]

    def _burst(self) -> list[int]:
        """Loads of what is not cached, one behind the other, while windows change."""
        base = self.random.choice([0x5000_8000, 0x5000_8080, 0xFF00_0000, 0xFFFF_3000])
        at = Reg(2 + self.random.randrange(3))  # a global: the same in all windows
        body = [sethi(at, base >> 10), *([word("or", at, at, base & 0x3FF)] if base & 0x3FF else [])]
        for _ in range(self.random.randint(2, 9)):
            body.append(word("ld", self._write(), at, 4 * self.random.randrange(8)))
            if self.random.random() < 0.4:
                body += self.random.choice([self._window, self._operation, self._trap])()
        return body

    def _written(self) -> list[int]:
        """Calls code that it has written, and dropped from the instruction cache."""
        at, rd = G[2], Reg(self.random.choice([r for r in range(16, 30)]))
        code = [word("add", rd, rd, self.random.randrange(4096)), word("jmpl", G[0], O[7], 8), NOP]
        body = [sethi(at, 0x4000_6000 >> 10)]
        for i, value in enumerate(code):
            body += [*constant(G[3], value), word("st", G[3], at, 4 * i)]
        drops = [word("flush", 0, at, 0), word("sta", G[0], at, G[0], 0x10), word("sta", G[0], at, G[0], 0x18)]
        return [*body, self.random.choice(drops), word("jmpl", O[7], at, 0), NOP]

    def _backward(self) -> list[int]:
        back = min(self.random.randint(1, 8), len(self.words))
        return [branch(self.random.choice(CONDITIONS[1:8] + CONDITIONS[9:]), -back, self.random.random() < 0.5)]

    def _pairs(self) -> list[int]:
        """LDD and STD of each pair of registers but those kept."""
        rd = self.random.choice([r for r in range(8, 32, 2)])
        return [word("std", Reg(rd), G[1], 16), word("ldd", Reg(rd ^ self.random.choice([0, 2])), G[1], 16)]

    def _couple(self) -> list[int]:
        return [*self._branch(), *self._branch(), *self._operation(), *self._branch(), *self._refused()]


def round_and_round(seed: int, length: int, kind: type[Body] = Wide) -> bytes:
    """The ROM with a random program that begins again at its end."""
    start = assemble(START)
    assert len(start) <= BODY
    body = kind(seed, length)
    first = word("wrasr", 16, G[0], body.random.choice([0, 1, 2, 2, 2, 3]))  # of the supervisor
    back = [NOP] * 8 + [word("jmpl", G[0], G[5], BODY - MIDDLE), NOP]
    return start.ljust(BODY, b"\0") + packed([first, *body.words, *back])


def random_program(seed: int, *, length: int = 1500, steps: int = 3000) -> Program:
    """With stalls, interrupts, errors, another master, halts: which, says the seed."""
    draw = random.Random(seed)
    flags = (BAD if draw.random() < 0.6 else 0) | (SNOOPS if draw.random() < 0.4 else 0) | JUNK
    flags |= RESETS if seed % 4 == 0 else 0
    return Program(
        round_and_round(seed, length),
        seed,
        stall=draw.choice([0, 0, 1, 2, 3]),
        latency=draw.choice([1, 2, 4, 7, 16]),
        levels=draw.choice([0, 30, 100, 400]),
        errors=draw.choice([0, 0, 20, 100]),
        flags=flags,
        halts=draw.choice([0, 0, 300]),
        steps=steps,
        body=(BODY, BODY + 4 * length),
    )


class Sharing(Body):
    """Loads of lines that another master writes, among other instructions."""

    def _some(self) -> list[int]:
        kinds = {self._shared: 10, self._operation: 6, self._access: 3, self._branch: 3, self._window: 1}
        return self.random.choices(list(kinds), list(kinds.values()))[0]()

    def _shared(self) -> list[int]:
        at = Reg(2 + self.random.randrange(3))
        body = [sethi(at, SHARED >> 10)]
        for _ in range(self.random.randint(1, 6)):
            size, name = self.random.choice(
                [(4, "ld"), (4, "ld"), (1, "ldub"), (2, "ldsh"), (8, "ldd"), (1, "ldsb"), (2, "lduh")]
            )
            rd = self._write() if size < 8 else self.random.choice(L[::2])
            body.append(word(name, rd, at, self.random.randrange(0, SHARED_BYTES, size)))
            if self.random.random() < 0.3:
                body += self._operation()
        return body


def sharing_program(seed: int, *, length: int = 1500, steps: int = 3000) -> Program:
    """Another master writes what it loads."""
    draw = random.Random(seed)
    image = round_and_round(seed, length, Sharing)
    stall, latency, levels = draw.choice([0, 0, 1, 2]), draw.choice([1, 2, 4, 7, 16]), draw.choice([0, 200])
    return Program(image, seed, stall, latency, levels, flags=SHARES | JUNK, steps=steps)


WORDS = 2048
ENTRY = """
  sethi %hi(0xff000000), %l3
  ld [%l3 + 0x180], %l5
  ba resume
  rd %psr, %l0
"""
RESUME = f"""
  ba start
  nop
  nop
  nop
{ENTRY * 255}
resume:  ! somewhere else in the body, in a mode, at a level and with a WIM that the device says
  ld [%l3 + 0x184], %l7
  ld [%l3 + 0x188], %l4
  and %l0, 7, %l0
  or %l7, %l0, %l7
  wr %l4, %wim
  wr %l7, %psr
  jmp %l5
  rett %l5 + 4
start:
  wr %g0, 0x80, %psr
  mov 8, %g2
3:
{"".join(f"  mov {i + 1}, %l{i}{chr(10)}  mov {i + 11}, %o{i}{chr(10)}" for i in range(8))}
  subcc %g2, 1, %g2
  bne 3b
  save
{"".join(f"  mov {i + 21}, %g{i}{chr(10)}" for i in range(8))}
  sethi %hi(0x40008000), %g1
  sethi %hi(0x50008000), %g2
  sethi %hi(0xff000000), %g3
  sethi %hi({BODY:#x}), %g4
  wr %g0, 0xe0, %psr
  ta 5
"""
NEVER = {(2, 0x31), (2, 0x33)}
"""op and op3 of WRPSR and WRTBR: with random values they soon end in error mode, and so are made less often."""


def random_words(seed: int, *, steps: int = 2000) -> Program:
    """Random words as instructions; a trap goes on somewhere else."""
    draw = random.Random(seed)
    start = assemble(RESUME)
    assert len(start) <= BODY
    words = []
    while len(words) < WORDS + 64:
        value = draw.getrandbits(32)
        if draw.random() < 0.7:  # of those that are not a CALL
            value = value & 0x3FFF_FFFF | draw.choice([0, 2, 2, 3, 3]) << 30
        if (value >> 30, value >> 19 & 63) in NEVER and draw.random() < 0.9:
            continue
        words.append(value)
    return Program(
        start.ljust(BODY, b"\0") + packed(words),
        seed,
        stall=draw.choice([0, 0, 1, 2]),
        latency=draw.choice([1, 2, 4, 7]),
        levels=draw.choice([0, 50, 200]),
        errors=draw.choice([0, 0, 100]),
        flags=JUNK | draw.choice([0, BAD, SNOOPS]),
        steps=steps,
        body=(BODY, BODY + 4 * len(words)),
    )
