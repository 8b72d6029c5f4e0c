# SPDX-License-Identifier: Apache-2.0
"""The tests' own copy of the SPARC V8 manual's facts: results, condition codes, registers of windows, conditions."""

MASK = 0xFFFF_FFFF
N, Z, V, C = 8, 4, 2, 1

S, PS, ET = 0x80, 0x40, 0x20
PIL_SHIFT, ICC_SHIFT = 8, 20
TAG_OVERFLOW, DIVISION_BY_ZERO = 0x0A, 0x2A


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def register(window: int, number: int) -> int:
    """Physical number: outs of a window are the ins of the one below."""
    if number < 8:
        return 128 + number
    if number < 16:
        return 16 * window + number
    return 16 * ((window + number // 24) % 8) + number - 16


def fits(value: int) -> bool:
    return -(1 << 31) <= value < 1 << 31


def negative_zero(value: int) -> int:
    return N * (value >> 31) | Z * (value == 0)


def quotient(dividend: int, divisor: int) -> int:
    """Cut towards zero."""
    whole = abs(dividend) // abs(divisor)
    return whole if (dividend < 0) == (divisor < 0) else -whole


Result = tuple[int, int | None, int | None]
"""Of an operation: rd, icc and Y, where it writes these."""


def arithmetic(name: str, a: int, b: int, icc: int, y: int) -> Result | int:
    """Of an operation on two numbers of 32 bits; or the type of its trap."""
    base = name.removesuffix("cc").removesuffix("cctv") if name not in ("mulscc",) else name
    carry = icc & C if base.endswith("x") else 0
    new_y: int | None = None
    flags = 0
    match base:
        case "add" | "addx" | "tadd":
            value = a + b + carry
            flags = C * (value > MASK) | V * (not fits(signed(a) + signed(b) + carry))
        case "sub" | "subx" | "tsub":
            value = a - b - carry
            flags = C * (a < b + carry) | V * (not fits(signed(a) - signed(b) - carry))
        case "and":
            value = a & b
        case "or":
            value = a | b
        case "xor":
            value = a ^ b
        case "andn":
            value = a & (MASK - b)
        case "orn":
            value = a | (MASK - b)
        case "xnor":
            value = MASK - (a ^ b)
        case "sll":
            value = a * 2 ** (b % 32)
        case "srl":
            value = a // 2 ** (b % 32)
        case "sra":
            value = signed(a) // 2 ** (b % 32)
        case "umul":
            value = a * b
            new_y = value >> 32
        case "smul":
            value = signed(a) * signed(b)
            new_y = value >> 32 & MASK
        case "udiv" | "sdiv":
            if b == 0:
                return DIVISION_BY_ZERO
            dividend = y * 2**32 + a
            if base == "udiv":
                value, least, most = dividend // b, 0, MASK
            else:
                if y >> 31:
                    dividend -= 2**64
                value, least, most = quotient(dividend, signed(b)), -(2**31), 2**31 - 1
            if not least <= value <= most:
                flags = V
                value = min(max(value, least), most)
        case "mulscc":
            first = (bool(icc & N) != bool(icc & V)) * 2**31 + a // 2
            second = b * (y % 2)
            value = first + second
            flags = C * (value > MASK) | V * (not fits(signed(first) + signed(second)))
            new_y = a % 2 * 2**31 + y // 2
        case _:
            raise AssertionError(name)
    if base in ("tadd", "tsub"):
        if a % 4 or b % 4:
            flags |= V
        if name.endswith("tv") and flags & V:
            return TAG_OVERFLOW
    value &= MASK
    sets_icc = name.endswith(("cc", "cctv"))
    return value, flags | negative_zero(value) if sets_icc else None, new_y


def holds(condition: str, icc: int) -> bool:
    """Of Bicc and Ticc."""
    n, z, v, c = (bool(icc & flag) for flag in (N, Z, V, C))
    return {
        "a": True,
        "n": False,
        "ne": not z,
        "e": z,
        "g": not (z or (n ^ v)),
        "le": z or (n ^ v),
        "ge": not (n ^ v),
        "l": n ^ v,
        "gu": not (c or z),
        "leu": c or z,
        "cc": not c,
        "cs": c,
        "pos": not n,
        "neg": n,
        "vc": not v,
        "vs": v,
    }[condition]
