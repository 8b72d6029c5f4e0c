# SPDX-License-Identifier: Apache-2.0
"""CRC-32 (IEEE 802.3, as zlib.crc32) of a whole from the CRCs of its parts, without the bytes.

A CRC is a polynomial modulo P, bit 31 is x^0. Bytes that follow shift it: crc(a + b) = crc(a) x^(8 len(b)) + crc(b).
"""

from functools import lru_cache

_P = 0xEDB8_8320
_ONE = 1 << 31


def combine(first: int, second: int, second_bytes: int) -> int:
    """The CRC-32 of two parts in a row, from theirs; `second_bytes` is the length of the second."""
    return _times(_power(second_bytes), first) ^ second


def _times(a: int, b: int) -> int:
    """a b mod P."""
    product = 0
    while a:
        if a & _ONE:
            product ^= b
        a = a << 1 & 0xFFFF_FFFF
        b = b >> 1 ^ (_P if b & 1 else 0)
    return product


@lru_cache(maxsize=64)
def _power(count: int) -> int:
    """x^(8 count) mod P, by squares."""
    power, square = _ONE, _ONE >> 8
    while count:
        if count & 1:
            power = _times(square, power)
        square = _times(square, square)
        count >>= 1
    return power
