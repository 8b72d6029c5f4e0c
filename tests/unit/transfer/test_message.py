# SPDX-License-Identifier: Apache-2.0
"""The numbered messages, bit for bit, and frames that are none."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lossy import HEADER

from nsoc.transfer.message import (
    MAX_BODY_BYTES,
    Accept,
    Cancel,
    Cancellation,
    Finish,
    Message,
    Open,
    Outcome,
    Packet,
    Progress,
    Refusal,
    Refuse,
    Reject,
    Result,
    decode,
    encode,
)

T, S = 0x01020304, 0x0A0B0C0D
EXAMPLES: list[tuple[Message, str, str]] = [
    (
        Open(T, S, False, 0x111213, bytes.fromhex("020000000005"), 0, "a.png"),
        "10 00 000d 01020304 0a0b0c0d 00111213",
        "020000000005 0000 612e706e67",
    ),
    (Open(T, S, True, credit=0x203), "10 01 0008 01020304 0a0b0c0d 00000000", "000000000000 0203"),
    (Open(T, S, name="ü"), "10 00 000a 01020304 0a0b0c0d 00000000", "000000000000 0000 c3bc"),
    (Accept(T, S, 0x1234, 0x55667788, 0x0102), "11 00 0008 01020304 0a0b0c0d 00001234", "55667788 0102 0000"),
    (Refuse(T, S, 3, "no"), "12 03 0002 01020304 0a0b0c0d 00000000", "6e6f"),
    (Refuse(T, S, 99), "12 63 0000 01020304 0a0b0c0d 00000000", ""),
    (Packet(T, S, 7, b"\xaa\xbb"), "13 00 0002 01020304 0a0b0c0d 00000007", "aabb"),
    (Packet(T, S, 7, b"\xaa", answer=True), "13 01 0001 01020304 0a0b0c0d 00000007", "aa"),
    (Progress(T, S, 64, 5, 9, 16), "14 00 000c 01020304 0a0b0c0d 00000040", "00000005 00000009 0010 0000"),
    (
        # Packets 32 and 33 are below next, 35 and 66 have arrived too: bits 0, 1, 3 and 34.
        Progress(T, S, 34, 5, 9, 16, 0b1011 | 1 << 34),
        "14 00 0014 01020304 0a0b0c0d 00000022",
        "00000005 00000009 0010 0002 0000000b 00000004",
    ),
    (Finish(T, S, 2, 0x600, 0xDEADBEEF), "15 00 0008 01020304 0a0b0c0d 00000002", "00000600 deadbeef"),
    (Result(T, S, 1, 2, 5, 0x600, 0xDEADBEEF), "16 01 000c 01020304 0a0b0c0d 00000002", "00000005 00000600 deadbeef"),
    (Cancel(T, S, 4, "why"), "17 04 0003 01020304 0a0b0c0d 00000000", "776879"),
]


def test_reasons_have_the_numbers_of_the_protocol() -> None:
    assert [(reason.value, reason.name) for reason in Refusal] == [
        (1, "BUSY"),
        (2, "TOO_LARGE"),
        (3, "NOT_FOUND"),
        (4, "NUMBER_IN_USE"),
        (5, "NO_SUCH_STATION"),
        (6, "NOTHING_TO_SERVE"),
        (7, "CANNOT_BE_STORED"),
    ]
    assert [(reason.value, reason.name) for reason in Outcome] == [
        (0, "DELIVERED"),
        (1, "DIGEST_DIFFERS"),
        (2, "NOT_STORED"),
    ]
    assert [(reason.value, reason.name) for reason in Cancellation] == [
        (1, "UNKNOWN"),
        (2, "GIVEN_UP"),
        (3, "STOPPED"),
        (4, "CONTRADICTION"),
    ]


def _frame(start: bytes, body: bytes, crc: int | None = None) -> bytes:
    crc = zlib.crc32(body + start) if crc is None else crc
    return (HEADER + start + struct.pack(">I", crc) + body).ljust(60, b"\0")


@pytest.mark.parametrize(("message", "start", "body"), EXAMPLES)
def test_each_type_has_the_bytes_of_the_protocol_and_comes_back(message: Message, start: str, body: str) -> None:
    frame = encode(message, HEADER)
    assert frame == _frame(bytes.fromhex(start), bytes.fromhex(body))
    assert decode(frame) == decode(frame + bytes(3)) == message


def test_the_largest_messages_fill_a_frame_and_larger_ones_are_refused() -> None:
    assert len(encode(Packet(T, S, 0, bytes(MAX_BODY_BYTES)), HEADER)) == 1514
    assert MAX_BODY_BYTES == 1480
    with pytest.raises(ValueError, match="1480"):
        encode(Packet(T, S, 0, bytes(MAX_BODY_BYTES + 1)), HEADER)
    name = "é" * 127 + "x"
    assert decode(encode(Open(T, S, name=name), HEADER)) == Open(T, S, name=name)
    with pytest.raises(ValueError, match="255 bytes"):
        encode(Open(T, S, name=name + "x"), HEADER)
    full = Progress(T, S, 0, 0, 0, 0, 1 << 1023)
    assert decode(encode(full, HEADER)) == full


def test_flag_bits_that_are_not_known_are_ignored() -> None:
    body = bytes(8)
    assert decode(_frame(struct.pack(">BBHIII", 0x10, 0xFE, 8, T, S, 9), body)) == Open(T, S, False, 9)
    assert decode(_frame(struct.pack(">BBHIII", 0x13, 0xFF, 8, T, S, 9), body)) == Packet(T, S, 9, body, True)


def test_a_text_that_is_no_utf8_is_no_reason_to_drop_a_message() -> None:
    assert decode(_frame(struct.pack(">BBHIII", 0x17, 2, 2, T, S, 0), b"\xff!")) == Cancel(T, S, 2, "\ufffd!")


def _typed(kind: int, body: bytes, length: int | None = None) -> bytes:
    return _frame(struct.pack(">BBHIII", kind, 0, len(body) if length is None else length, T, S, 0), body)


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"", Reject.TRUNCATED),
        (HEADER[:13], Reject.TRUNCATED),
        (HEADER, Reject.TRUNCATED),
        (HEADER[:12] + b"\x08\x00" + bytes(46), Reject.OTHER_ETHERTYPE),
        (HEADER + b"\x13" + bytes(18), Reject.TRUNCATED),
        (HEADER + b"\x01" + bytes(45), Reject.UNKNOWN_TYPE),
        (_typed(0x0F, b""), Reject.UNKNOWN_TYPE),
        (_typed(0x18, b""), Reject.UNKNOWN_TYPE),
        (_typed(0x13, bytes(100), 101), Reject.BAD_LENGTH),
        (_typed(0x13, bytes(1481)), Reject.BAD_LENGTH),
        (_typed(0x13, b""), Reject.BAD_LENGTH),
        (_typed(0x10, bytes(7)), Reject.BAD_LENGTH),
        (_typed(0x10, bytes(8 + 256)), Reject.BAD_LENGTH),
        (_typed(0x11, bytes(7)), Reject.BAD_LENGTH),
        (_typed(0x11, bytes(9)), Reject.BAD_LENGTH),
        (_typed(0x14, bytes(11)), Reject.BAD_LENGTH),
        (_typed(0x14, bytes(10) + b"\0\1" + bytes(3)), Reject.BAD_LENGTH),
        (_typed(0x14, bytes(10) + b"\0\1" + bytes(5)), Reject.BAD_LENGTH),
        (_typed(0x14, bytes(10) + b"\0\x21" + bytes(4 * 33)), Reject.BAD_LENGTH),
        (_typed(0x15, bytes(7)), Reject.BAD_LENGTH),
        (_typed(0x15, bytes(9)), Reject.BAD_LENGTH),
        (_typed(0x16, bytes(11)), Reject.BAD_LENGTH),
        (_typed(0x16, bytes(13)), Reject.BAD_LENGTH),
        (_frame(struct.pack(">BBHIII", 0x13, 0, 4, T, S, 0), bytes(4), 0x12345678), Reject.BAD_CRC),
    ],
)
def test_what_is_no_message_is_rejected_with_its_reason(frame: bytes, reason: Reject) -> None:
    assert decode(frame) is reason


@pytest.mark.parametrize("message", [message for message, _, _ in EXAMPLES])
def test_no_single_wrong_bit_of_a_message_passes(message: Message) -> None:
    frame = encode(message, HEADER)
    length = 14 + 20 + struct.unpack_from(">H", frame, 16)[0]
    for bit in range(14 * 8, length * 8):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        assert isinstance(decode(bytes(damaged)), Reject)


@given(st.binary(max_size=1600), st.sampled_from([b"", HEADER, *(HEADER + bytes([k]) for k in range(0x10, 0x18))]))
def test_decoding_never_raises(noise: bytes, start: bytes) -> None:
    decode(start + noise)


@given(
    st.integers(0x10, 0x17),
    st.integers(0, 255),
    st.lists(st.integers(0, 2**32 - 1), min_size=3, max_size=3),
    st.binary(max_size=1480),
)
def test_any_fields_and_any_body_behind_a_good_crc_are_a_message_or_a_bad_length(
    kind: int, flags: int, numbers: list[int], body: bytes
) -> None:
    message = decode(_frame(struct.pack(">BBHIII", kind, flags, len(body), *numbers), body))
    if isinstance(message, Reject):
        assert message is Reject.BAD_LENGTH
    else:
        assert (message.transfer, message.serial) == (numbers[0], numbers[1])
        assert isinstance(message, Open | Refuse | Cancel) or decode(encode(message, HEADER)) == message
