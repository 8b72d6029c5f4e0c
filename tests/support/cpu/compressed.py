# SPDX-License-Identifier: Apache-2.0
"""The 16-bit instructions of RV32C without floating point, written down as the specification's tables do.

`expand` gives the 32-bit instruction that each of them stands for. A hint is what it looks like: an operation on x0, or
by zero.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

# Bits 15 to 0, first match wins. Registers with a ' are three bits, x8 to x15. What must not be zero follows; the
# combinations that it excludes are reserved (or another instruction further down).
TABLE = """
c.addi4spn  000 imm[5:4|9:6|2|3] rd' 00              imm
c.lw        010 imm[5:3] rs1' imm[2|6] rd' 00
c.sw        110 imm[5:3] rs1' imm[2|6] rs2' 00
c.addi      000 imm[5] rd imm[4:0] 01
c.jal       001 imm[11|4|9:8|10|6|7|3:1|5] 01
c.li        010 imm[5] rd imm[4:0] 01
c.addi16sp  011 imm[9] 00010 imm[4|6|8:7|5] 01       imm
c.lui       011 imm[17] rd imm[16:12] 01             imm
c.srli      100 0 00 rd' imm[4:0] 01
c.srai      100 0 01 rd' imm[4:0] 01
c.andi      100 imm[5] 10 rd' imm[4:0] 01
c.sub       100 0 11 rd' 00 rs2' 01
c.xor       100 0 11 rd' 01 rs2' 01
c.or        100 0 11 rd' 10 rs2' 01
c.and       100 0 11 rd' 11 rs2' 01
c.j         101 imm[11|4|9:8|10|6|7|3:1|5] 01
c.beqz      110 imm[8|4:3] rs1' imm[7:6|2:1|5] 01
c.bnez      111 imm[8|4:3] rs1' imm[7:6|2:1|5] 01
c.slli      000 0 rd imm[4:0] 10
c.lwsp      010 imm[5] rd imm[4:2|7:6] 10            rd
c.jr        100 0 rs1 00000 10                       rs1
c.mv        100 0 rd rs2 10                          rs2
c.ebreak    100 1 00000 00000 10
c.jalr      100 1 rs1 00000 10                       rs1
c.add       100 1 rd rs2 10                          rs2
c.swsp      110 imm[5:2|7:6] rs2 10
"""
SIGNED = {"c.addi", "c.jal", "c.li", "c.addi16sp", "c.lui", "c.andi", "c.j", "c.beqz", "c.bnez"}


@dataclass(frozen=True)
class Fields:
    """Of one instruction; 0 where it has none."""

    name: str
    rd: int
    rs1: int
    rs2: int
    imm: int


def imm_i(rd: int, rs1: int, imm: int, funct3: int = 0, opcode: int = 0x13) -> int:
    return (imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def register(rd: int, rs1: int, rs2: int, funct3: int = 0, funct7: int = 0) -> int:
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33


def store(rs1: int, rs2: int, imm: int) -> int:
    return (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (imm & 31) << 7 | 0x23


def jal(rd: int, imm: int) -> int:
    high = (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3FF) << 21 | (imm >> 11 & 1) << 20
    return high | (imm >> 12 & 0xFF) << 12 | rd << 7 | 0x6F


def branch(rs1: int, imm: int, funct3: int) -> int:
    high = (imm >> 12 & 1) << 31 | (imm >> 5 & 63) << 25
    return high | rs1 << 15 | funct3 << 12 | (imm >> 1 & 15) << 8 | (imm >> 11 & 1) << 7 | 0x63


MEANING: dict[str, Callable[[Fields], int]] = {
    "c.addi4spn": lambda f: imm_i(f.rd, 2, f.imm),
    "c.lw": lambda f: imm_i(f.rd, f.rs1, f.imm, 2, 0x03),
    "c.sw": lambda f: store(f.rs1, f.rs2, f.imm),
    "c.addi": lambda f: imm_i(f.rd, f.rd, f.imm),
    "c.jal": lambda f: jal(1, f.imm),
    "c.li": lambda f: imm_i(f.rd, 0, f.imm),
    "c.addi16sp": lambda f: imm_i(2, 2, f.imm),
    "c.lui": lambda f: f.imm & 0xFFFF_F000 | f.rd << 7 | 0x37,
    "c.srli": lambda f: imm_i(f.rd, f.rd, f.imm, 5),
    "c.srai": lambda f: imm_i(f.rd, f.rd, 0x400 | f.imm, 5),
    "c.andi": lambda f: imm_i(f.rd, f.rd, f.imm, 7),
    "c.sub": lambda f: register(f.rd, f.rd, f.rs2, 0, 0x20),
    "c.xor": lambda f: register(f.rd, f.rd, f.rs2, 4),
    "c.or": lambda f: register(f.rd, f.rd, f.rs2, 6),
    "c.and": lambda f: register(f.rd, f.rd, f.rs2, 7),
    "c.j": lambda f: jal(0, f.imm),
    "c.beqz": lambda f: branch(f.rs1, f.imm, 0),
    "c.bnez": lambda f: branch(f.rs1, f.imm, 1),
    "c.slli": lambda f: imm_i(f.rd, f.rd, f.imm, 1),
    "c.lwsp": lambda f: imm_i(f.rd, 2, f.imm, 2, 0x03),
    "c.jr": lambda f: imm_i(0, f.rs1, 0, 0, 0x67),
    "c.mv": lambda f: register(f.rd, 0, f.rs2),
    "c.ebreak": lambda f: 0x0010_0073,
    "c.jalr": lambda f: imm_i(1, f.rs1, 0, 0, 0x67),
    "c.add": lambda f: register(f.rd, f.rd, f.rs2),
    "c.swsp": lambda f: store(2, f.rs2, f.imm),
}


@dataclass(frozen=True)
class Row:
    """A row of the table: which bits are fixed, and where those of each field go."""

    name: str
    mask: int
    match: int
    registers: dict[str, tuple[int, bool]]  # lowest bit; three bits only
    immediate: tuple[tuple[int, int], ...]  # bit of the instruction, bit of the number
    not_zero: tuple[str, ...]

    def fields(self, half: int) -> Fields | None:
        """None if `half` is not this instruction."""
        if half & self.mask != self.match:
            return None
        numbers = {"rd": 0, "rs1": 0, "rs2": 0, "imm": 0}
        for name, (low, short) in self.registers.items():
            numbers[name] = (half >> low & 7) + 8 if short else half >> low & 31
        numbers["imm"] = sum((half >> at & 1) << bit for at, bit in self.immediate)
        if any(numbers[name] == 0 for name in self.not_zero):
            return None
        top = max((bit for _, bit in self.immediate), default=0)
        if self.name in SIGNED and numbers["imm"] >> top:
            numbers["imm"] -= 2 << top
        return Fields(self.name, **numbers)

    def encode(self, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> int:
        """The other way round."""
        half = self.match | sum((imm >> bit & 1) << at for at, bit in self.immediate)
        numbers = {"rd": rd, "rs1": rs1, "rs2": rs2}
        for name, (low, short) in self.registers.items():
            half |= (numbers[name] & 7 if short else numbers[name]) << low
        found = decode(half)
        assert found and found.name == self.name and found.imm == imm, (self.name, rd, rs1, rs2, imm)
        return half


def parse(line: str) -> Row:
    name, pattern, not_zero = re.split(r" {2,}", line + "  ")[:3]
    at, mask, match = 16, 0, 0
    registers, immediate = {}, []
    for part in pattern.split():
        if part[0] in "01":
            at -= len(part)
            mask |= (1 << len(part)) - 1 << at
            match |= int(part, 2) << at
        elif part.startswith("imm"):
            for span in part[4:-1].split("|"):
                high, low = (int(n) for n in (span.split(":") * 2)[:2])
                for bit in range(high, low - 1, -1):
                    at -= 1
                    immediate.append((at, bit))
        else:
            short = part.endswith("'")
            at -= 3 if short else 5
            registers[part.rstrip("'")] = (at, short)
    assert at == 0, line
    return Row(name, mask, match, registers, tuple(immediate), tuple(not_zero.split()))


ROWS = [parse(line) for line in TABLE.strip().splitlines()]
ROW = {row.name: row for row in ROWS}


@cache
def decode(half: int) -> Fields | None:
    """What a halfword is; None if it is illegal (or the first half of 32 bits)."""
    return next((found for row in ROWS if (found := row.fields(half))), None)


@cache
def expand(half: int) -> int | None:
    """The 32-bit instruction that a halfword stands for; None if it is illegal."""
    found = decode(half)
    return MEANING[found.name](found) if found else None
