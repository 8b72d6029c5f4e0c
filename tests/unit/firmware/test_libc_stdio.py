# SPDX-License-Identifier: Apache-2.0
"""stdio.h of firmware/lib/libc: snprintf writes what this machine's own writes."""

import ctypes
import itertools
import re
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st
from libc_native import FIRST, HOST, INT_MAX, PAGE, SECOND, At, same, size, text

LENGTHS = {
    "hh": ctypes.c_int, "h": ctypes.c_int, "": ctypes.c_int, "l": ctypes.c_long, "ll": ctypes.c_longlong,
    "z": ctypes.c_size_t, "t": ctypes.c_ssize_t, "j": ctypes.c_longlong,
}  # fmt: skip
VALUES = (
    0, 1, 5, 9, 10, 127, 128, 255, 256, 32768, 65535, INT_MAX, 1 << 31, (1 << 32) - 1, 1 << 32, 12345678901,
    (1 << 63) - 1, 1 << 63, (1 << 64) - 5, (1 << 64) - 1,
)  # fmt: skip
numbers = st.sampled_from(VALUES) | st.integers(0, (1 << 64) - 1) | st.integers(0, 300)


@st.composite
def conversions(draw: st.DrawFn) -> tuple[str, list[object]]:
    """A conversion that C11 defines, and its arguments."""
    letter = draw(st.sampled_from("ddiiuuxxxXXcsssp%"))
    if letter == "%":
        return "%%", []
    of_numbers = letter in "diuxX"
    arguments: list[object] = []
    flags = "".join(draw(st.lists(st.sampled_from("-+ 0" if of_numbers else "-"), max_size=4)))
    if letter in "xX" and draw(st.booleans()):
        flags += "#"
    width = draw(st.sampled_from(["", "", "*"]) | st.integers(1, 40).map(str))
    if width == "*":
        arguments.append(ctypes.c_int(draw(st.integers(-40, 40))))
    precision = ""
    if of_numbers or letter == "s":
        precision = draw(st.sampled_from(["", "", ".", ".*", ".0"]) | st.integers(0, 40).map(".{}".format))
    if precision == ".*":
        arguments.append(ctypes.c_int(draw(st.integers(-3, 30))))
    length = draw(st.sampled_from(list(LENGTHS))) if of_numbers else ""
    if of_numbers:
        arguments.append(LENGTHS[length](draw(numbers)))
    elif letter == "c":
        arguments.append(ctypes.c_int(draw(st.integers(0, 255) | st.integers(-300, 600))))
    elif letter == "p":
        arguments.append(ctypes.c_void_p(draw(st.integers(1, (1 << 64) - 1))))
    else:
        arguments.append(ctypes.c_char_p(draw(text)))
    return f"%{flags}{width}{precision}{length}{letter}", arguments


formats = st.lists(conversions() | st.text("abc \u00e4\n0", max_size=6).map(lambda literal: (literal, [])), max_size=6)
place = st.one_of(st.integers(0, 12), st.integers(0, 200), st.just(PAGE))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(parts=formats, room=place)
@example(parts=[("%d", [ctypes.c_int(-INT_MAX - 1)])], room=30)
@example(parts=[("%lld", [ctypes.c_longlong(-(1 << 63))])], room=30)
@example(parts=[("%*d", [ctypes.c_int(-7), ctypes.c_int(3)])], room=30)
@example(parts=[("%.*s", [ctypes.c_int(-1), ctypes.c_char_p(b"abc")])], room=30)
@example(parts=[("%#.0x", [ctypes.c_int(0)]), ("|%+.0d|", [ctypes.c_int(0)])], room=30)
@example(parts=[("%-08d|", [ctypes.c_int(-5)]), ("%08.3d", [ctypes.c_int(-5)])], room=30)
def test_snprintf_writes_what_the_host_writes(
    ours: ctypes.CDLL, parts: list[tuple[str, list[object]]], room: int
) -> None:
    """All of the page, too: no character beyond the room."""
    format_ = "".join(part for part, _ in parts).encode()
    arguments = [argument for _, of_part in parts for argument in of_part]
    same(ours, "snprintf", {}, At(FIRST - room), size(room), format_, *arguments, result=ctypes.c_int)


def test_snprintf_writes_each_kind_of_number(ours: ctypes.CDLL) -> None:
    """All values by all lengths; all flags, widths and precisions of some values."""
    buffers = [ctypes.create_string_buffer(64) for _ in range(2)]
    functions = ours.firmware_snprintf, HOST.snprintf
    sets = ["".join(of) for number in range(5) for of in itertools.combinations("-+ 0", number)]
    formats: list[tuple[str, Sequence[int]]] = [
        (f"%{length}{letter}", VALUES) for length in LENGTHS for letter in "diuxX"
    ]
    formats += [(f"%#{length}{letter}", VALUES) for length in LENGTHS for letter in "xX"]
    formats += [
        (f"%{flags}{width}{precision}{length}{letter}", [0, 5, (1 << 64) - 300])
        for flags, width, precision, (length, letter) in itertools.product(
            [*sets, *(f"#{of}" for of in sets)], ["", "1", "4", "12"], ["", ".", ".0", ".1", ".3", ".14"],
            [("", "d"), ("", "x"), ("ll", "u")],
        )
        if letter == "x" or "#" not in flags
    ]  # fmt: skip
    for format_, values in formats:
        length = re.sub(r"[^hlztj]", "", format_)
        for value in values:
            for function, buffer in zip(functions, buffers, strict=True):
                function.restype = ctypes.c_int
                function(buffer, size(64), format_.encode(), LENGTHS[length](value))
            assert buffers[0].value == buffers[1].value, (format_, value)


def printed(ours: ctypes.CDLL, room: int, format_: bytes, *arguments: object) -> tuple[int, bytes]:
    buffer = ctypes.create_string_buffer(b"\xa5" * room, room)
    ours.firmware_snprintf.restype = ctypes.c_int
    return ours.firmware_snprintf(buffer, size(room), format_, *arguments), buffer.raw


def test_without_room_nothing_is_written_and_the_length_is_told(ours: ctypes.CDLL) -> None:
    ours.firmware_snprintf.restype = ctypes.c_int
    assert ours.firmware_snprintf(None, size(0), b"%5d %s|", 7, b"text") == len("    7 text|")
    assert printed(ours, 1, b"%x", 255) == (2, b"\0")


def test_each_room_from_nothing_to_more_than_enough(ours: ctypes.CDLL) -> None:
    for room in range(40):
        same(ours, "snprintf", {}, At(FIRST - room), size(room), b"<%-6s|%+05d|%#x>", b"abc", 42, 0xBEEF,
             result=ctypes.c_int)  # fmt: skip


def test_a_text_is_not_read_beyond_its_precision(ours: ctypes.CDLL) -> None:
    same(ours, "snprintf", {SECOND - 3: b"abc"}, At(0), size(9), b"%.3s", At(SECOND - 3), result=ctypes.c_int)


def test_a_length_that_an_int_cannot_say_is_negative(ours: ctypes.CDLL) -> None:
    assert printed(ours, 4, b"%2147483647d", 1) == (INT_MAX, b"   \0")
    for format_, arguments in (
        (b"%2147483648d", (1,)),
        (b"%99999999999d", (1,)),
        (b"%.2147483648d", (1,)),
        (b"a%2147483647d", (1,)),
        (b"%2147483647d%2147483647d%10d", (1, 1, 1)),  # more than 32 bits, too
        (b"%*d%*d", (1 << 30, 1, 1 << 30, 1)),
        (b"%*d", (-INT_MAX - 1, 1)),
    ):
        length, text_ = printed(ours, 4, format_, *arguments)
        assert length < 0 and b"\0" in text_, format_


def test_what_is_no_conversion_is_written_as_it_stands(ours: ctypes.CDLL) -> None:
    for format_ in (b"%q", b"%-5.2lf", b"100%", b"%5", b"%ll"):
        assert printed(ours, 20, format_)[1].split(b"\0")[0] == format_
    assert printed(ours, 20, b"%k%d", 5)[1].startswith(b"%k5\0")


def test_no_text_and_no_address_have_a_name(ours: ctypes.CDLL) -> None:
    assert printed(ours, 20, b"%s|%8s|", None, None)[1].startswith(b"(null)|  (null)|\0")
    assert printed(ours, 20, b"%p|%5p|%-5p|", None, None, None)[1].startswith(b"0x0|  0x0|0x0  |\0")
