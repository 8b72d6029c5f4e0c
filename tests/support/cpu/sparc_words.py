# SPDX-License-Identifier: Apache-2.0
"""Words of SPARC V8 instructions. `second` is a register (Reg) or a number of 13 bits with a sign.

test_sparc_words.py compares them with what clang's assembler makes.
"""


class Reg(int):
    """The number of a register, where a plain number would be an immediate one."""


G, O, L, I = ([Reg(first + i) for i in range(8)] for first in (0, 8, 16, 24))  # noqa: E741 - as SPARC calls them

ARITHMETIC = {
    "add": 0x00, "and": 0x01, "or": 0x02, "xor": 0x03, "sub": 0x04, "andn": 0x05, "orn": 0x06, "xnor": 0x07,
    "addx": 0x08, "umul": 0x0A, "smul": 0x0B, "subx": 0x0C, "udiv": 0x0E, "sdiv": 0x0F,
    "addcc": 0x10, "andcc": 0x11, "orcc": 0x12, "xorcc": 0x13, "subcc": 0x14, "andncc": 0x15, "orncc": 0x16,
    "xnorcc": 0x17, "addxcc": 0x18, "umulcc": 0x1A, "smulcc": 0x1B, "subxcc": 0x1C, "udivcc": 0x1E, "sdivcc": 0x1F,
    "taddcc": 0x20, "tsubcc": 0x21, "taddcctv": 0x22, "tsubcctv": 0x23, "mulscc": 0x24,
    "sll": 0x25, "srl": 0x26, "sra": 0x27,
}  # fmt: skip
OTHERS = {
    "rdasr": 0x28, "rdpsr": 0x29, "rdwim": 0x2A, "rdtbr": 0x2B, "wrasr": 0x30, "wrpsr": 0x31, "wrwim": 0x32,
    "wrtbr": 0x33, "fpop1": 0x34, "fpop2": 0x35, "cpop1": 0x36, "cpop2": 0x37, "jmpl": 0x38, "rett": 0x39,
    "ticc": 0x3A, "flush": 0x3B, "save": 0x3C, "restore": 0x3D,
}  # fmt: skip
MEMORY = {
    "ld": 0x00, "ldub": 0x01, "lduh": 0x02, "ldd": 0x03, "st": 0x04, "stb": 0x05, "sth": 0x06, "std": 0x07,
    "ldsb": 0x09, "ldsh": 0x0A, "ldstub": 0x0D, "swap": 0x0F,
}  # fmt: skip
ALTERNATE = {f"{name}a": op3 | 0x10 for name, op3 in MEMORY.items()}
FLOATING = {
    "ldf": 0x20, "ldfsr": 0x21, "lddf": 0x23, "stf": 0x24, "stfsr": 0x25, "stdfq": 0x26, "stdf": 0x27,
}  # fmt: skip
COPROCESSOR = {name.replace("f", "c", 1) if name != "stdfq" else "stdcq": op3 | 0x10 for name, op3 in FLOATING.items()}
OP3 = {
    **{name: (2, op3) for name, op3 in (ARITHMETIC | OTHERS).items()},
    **{name: (3, op3) for name, op3 in (MEMORY | ALTERNATE | FLOATING | COPROCESSOR).items()},
}
CONDITIONS = ("n", "e", "le", "l", "leu", "cs", "neg", "vs", "a", "ne", "g", "ge", "gu", "cc", "pos", "vc")
NOP = 0x0100_0000


def format3(op: int, op3: int, rd: int, rs1: int, second: int, asi: int = 0) -> int:
    """`asi`: bits 12:5, where `second` is a register."""
    if isinstance(second, Reg):
        low = asi << 5 | second
    else:
        assert -4096 <= second < 4096, second
        low = 1 << 13 | second & 0x1FFF
    return op << 30 | rd << 25 | op3 << 19 | rs1 << 14 | low


def word(name: str, rd: int = 0, rs1: int = 0, second: int = 0, asi: int = 0) -> int:
    """An instruction with op = 2 or 3."""
    return format3(*OP3[name], rd, rs1, second, asi)


def alternate_immediate(name: str, rd: int, rs1: int) -> int:
    """A load or store with an alternate space and i = 1, which no assembler makes."""
    return word(name, rd, rs1, 0)


def sethi(rd: int, value: int) -> int:
    """`value`: 22 bits, which come to bits 31:10."""
    return rd << 25 | 4 << 22 | value & 0x3F_FFFF


def branch(condition: str, words: int, annul: bool = False, op2: int = 2) -> int:
    """To so many instructions from this one; op2 6: FBfcc, 7: CBccc."""
    return annul << 29 | CONDITIONS.index(condition) << 25 | op2 << 22 | words & 0x3F_FFFF


def trap(condition: str, rs1: int = 0, second: int = 0) -> int:
    """Ticc."""
    return word("ticc", CONDITIONS.index(condition), rs1, second)


def call(words: int) -> int:
    """To so many instructions from this one."""
    return 1 << 30 | words & 0x3FFF_FFFF


def packed(words: list[int]) -> bytes:
    """As they lie in memory."""
    return b"".join(value.to_bytes(4, "big") for value in words)
