# SPDX-License-Identifier: Apache-2.0
"""CRC-32 of a whole from its parts: zlib computes both sides."""

import zlib

from hypothesis import given
from hypothesis import strategies as st

from nsoc.transfer.crc import combine


@given(st.binary(max_size=3000), st.binary(max_size=3000))
def test_two_parts_combine_to_the_crc_of_the_whole(first: bytes, second: bytes) -> None:
    assert combine(zlib.crc32(first), zlib.crc32(second), len(second)) == zlib.crc32(first + second)


def test_a_second_part_of_four_gigabytes_less_one_is_no_work() -> None:
    # Zeros need not exist to be counted: 2^32 - 1 of them are 2^16 - 1 runs of 2^16 + 1.
    run = zlib.crc32(bytes(65537))
    crc = 0
    for _ in range(65535):
        crc = combine(crc, run, 65537)
    assert combine(zlib.crc32(b"head"), crc, 2**32 - 1) == zlib.crc32(
        bytes(3), combine(zlib.crc32(b"head"), _less(crc), 2**32 - 4)
    )


def _less(crc: int) -> int:
    """The CRC of three zeros less, by running the register backwards."""
    value = crc ^ 0xFFFF_FFFF
    for _ in range(24):
        value = ((value ^ 0xEDB8_8320) << 1 | 1) & 0xFFFF_FFFF if value >> 31 else value << 1
    return value ^ 0xFFFF_FFFF
