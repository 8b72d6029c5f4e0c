# SPDX-License-Identifier: Apache-2.0
"""firmware/lib/libc, compiled for this machine: each function does to memory, and gives back, what this machine's own
C library does. The memory ends where no page follows: whoever reads or writes too far is seen."""

import ctypes
import errno
import itertools
import mmap
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench import ROOT
from hypothesis import example, given, settings
from hypothesis import strategies as st
from net_native import LIBC
from runs import some

from nsoc.machine import firmware

LIB = ROOT / "firmware" / "lib"
FILES = sorted((LIB / "libc").glob("*.c"))
PAGE = mmap.PAGESIZE
FILL = 0xA5
INT_MAX = (1 << 31) - 1

C11 = (
    "memcpy", "memmove", "strcpy", "strncpy", "strcat", "strncat", "memcmp", "strcmp", "strcoll", "strncmp", "strxfrm",
    "memchr", "strchr", "strcspn", "strpbrk", "strrchr", "strspn", "strstr", "strtok", "memset", "strerror", "strlen",
)  # fmt: skip
"""What 7.24 has, in its order."""
POSIX = ("strnlen", "strtok_r")

HOST = ctypes.CDLL(None)
HOST.mmap.restype = ctypes.c_void_p
HOST.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)


@dataclass(frozen=True)
class At:
    """A place in an arena."""

    offset: int


class Arena:
    """Two pages, with nothing around them: [0, PAGE) and [2 * PAGE, 3 * PAGE)."""

    def __init__(self) -> None:
        private_anonymous = 0x22
        self.base = HOST.mmap(None, 5 * PAGE, 0, private_anonymous, -1, 0) + PAGE
        for page in (0, 2 * PAGE):
            assert HOST.mprotect(ctypes.c_void_p(self.base + page), PAGE, mmap.PROT_READ | mmap.PROT_WRITE) == 0

    def put(self, contents: dict[int, bytes]) -> None:
        for page in (0, 2 * PAGE):
            ctypes.memset(self.base + page, FILL, PAGE)
        for offset, data in contents.items():
            ctypes.memmove(self.base + offset, data, len(data))

    def bytes(self) -> bytes:
        return b"".join(ctypes.string_at(self.base + page, PAGE) for page in (0, 2 * PAGE))

    def call(self, function: "ctypes._FuncPtr", result: type | None, arguments: Sequence[object]) -> object:
        function.restype = ctypes.c_void_p if result is At else ctypes.c_int if result is bool else result
        value = function(*(ctypes.c_void_p(self.base + x.offset) if isinstance(x, At) else x for x in arguments))
        if result is At:
            return None if value is None else value - self.base
        return (value > 0) - (value < 0) if result is bool else value


ARENAS = Arena(), Arena()
FIRST, SECOND = PAGE, 3 * PAGE
"""Where the pages end."""


@pytest.fixture(scope="module", params=some(["unsigned"], ["signed"]))
def ours(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """With either kind of char: RISC-V's has no sign."""
    folder = tmp_path_factory.mktemp("libc")
    command = [
        "gcc", "-std=c11", "-O2", "-ffreestanding", "-fno-builtin", "-Wall", "-Wextra", "-Werror",
        f"-f{request.param}-char", "-fPIC", "-shared", "-fsanitize=undefined",
        "-fsanitize-undefined-trap-on-error", f"-I{LIB}", f"-I{LIB / 'libc'}",
        *(f"-D{name}=firmware_{name}" for name in LIBC),
    ]  # fmt: skip
    subprocess.run([*command, *FILES, "-o", "libc.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "libc.so"))


def same(
    ours: ctypes.CDLL, name: str, contents: dict[int, bytes], *arguments: object, result: type | None = At
) -> object:
    """What the function gives back, if it is the same as of the host's, in an arena of its own: a place (At), a number,
    the sign of a number (bool)."""
    given_back, after = [], []
    for library, prefix, arena in zip((ours, HOST), ("firmware_", ""), ARENAS, strict=True):
        arena.put(contents)
        given_back.append(arena.call(getattr(library, prefix + name), result, arguments))
        after.append(arena.bytes())
    assert given_back[0] == given_back[1], (name, contents, arguments)
    assert after[0] == after[1], (name, contents, arguments)
    return given_back[0]


def size(value: int) -> ctypes.c_size_t:
    return ctypes.c_size_t(value)


few = settings(max_examples=80, deadline=None, derandomize=True)
bytes_ = st.binary(max_size=90)
text = st.lists(st.sampled_from(b"abAB \x7f\x80\xff"), max_size=12).map(bytes) | st.binary(max_size=60).map(
    lambda drawn: drawn.replace(b"\0", b"\x01")
)
"""Without its end. Few letters, so that much is found."""
count = st.integers(0, 20) | st.integers(0, 200)
slack = st.integers(0, 9)
"""Bytes from the end of the page."""
character = st.sampled_from([0, *b"abAB \x7f\x80\xff", -1, -128, 256, 0x161]) | st.integers(-300, 600)


# ---- Bytes -----------------------------------------------------------------------------------------------------------


@few
@given(data=st.binary(max_size=200), to=slack, from_=slack)
def test_memcpy_copies_at_each_alignment(ours: ctypes.CDLL, data: bytes, to: int, from_: int) -> None:
    source, target = SECOND - len(data) - from_, FIRST - len(data) - to
    same(ours, "memcpy", {source: data}, At(target), At(source), size(len(data)))
    source, target = 2 * PAGE + from_, to  # from the beginning of a page
    same(ours, "memcpy", {source: data}, At(target), At(source), size(len(data)))


def test_memcpy_copies_each_length_at_each_alignment(ours: ctypes.CDLL) -> None:
    data = bytes(range(1, 80))
    for length, to, from_ in itertools.product(range(80), range(4), range(4)):
        same(ours, "memcpy", {2 * PAGE + from_: data}, At(to), At(2 * PAGE + from_), size(length))
        same(ours, "memcpy", {SECOND - 79: data}, At(FIRST - length - to), At(SECOND - length), size(length))


@few
@given(data=st.binary(min_size=1, max_size=120), draw=st.data())
def test_memmove_copies_what_overlaps(ours: ctypes.CDLL, data: bytes, draw: st.DataObject) -> None:
    length = draw.draw(st.integers(0, len(data)))
    from_, to = (draw.draw(st.integers(0, len(data) - length)) for _ in range(2))
    base = FIRST - len(data)
    same(ours, "memmove", {base: data}, At(base + to), At(base + from_), size(length))
    same(ours, "memmove", {base: data}, At(2 * PAGE), At(base + from_), size(length))


@few
@given(length=count, value=character, end=slack)
def test_memset_fills(ours: ctypes.CDLL, length: int, value: int, end: int) -> None:
    same(ours, "memset", {}, At(FIRST - length - end), value, size(length))


@few
@given(first=bytes_, second=bytes_, common=st.binary(max_size=20))
def test_memcmp_orders_bytes_without_sign(ours: ctypes.CDLL, first: bytes, second: bytes, common: bytes) -> None:
    a, b = common + first, common + second
    length = min(len(a), len(b))
    contents = {FIRST - length: a[:length], SECOND - length: b[:length]}
    same(ours, "memcmp", contents, At(FIRST - length), At(SECOND - length), size(length), result=bool)


@few
@given(data=text, value=character, more=st.integers(0, 3))
@example(data=b"ab\xff", value=-1, more=0)
@example(data=b"ab", value=0x100 + ord("b"), more=2)
def test_memchr_finds_the_first(ours: ctypes.CDLL, data: bytes, value: int, more: int) -> None:
    """It looks no further than it must: the count may be too large when the byte is there."""
    length = len(data) + (more if value & 0xFF in data else 0)
    same(ours, "memchr", {FIRST - len(data): data}, At(FIRST - len(data)), value, size(length))


# ---- Texts -----------------------------------------------------------------------------------------------------------


def ended(string: bytes, most: int | None = None) -> bytes:
    """With a zero behind it, unless nobody is to look there."""
    return string if most is not None and most <= len(string) else string + b"\0"


@few
@given(a=text, most=count)
def test_lengths(ours: ctypes.CDLL, a: bytes, most: int) -> None:
    whole, cut = ended(a), ended(a, most)
    same(ours, "strlen", {FIRST - len(whole): whole}, At(FIRST - len(whole)), result=ctypes.c_size_t)
    same(ours, "strnlen", {FIRST - len(cut): cut}, At(FIRST - len(cut)), size(most), result=ctypes.c_size_t)


@few
@given(a=text, b=text, common=text, most=count)
@example(a=b"a", b=b"\x80", common=b"", most=1)
@example(a=b"", b=b"\xff", common=b"ab", most=3)
def test_comparisons(ours: ctypes.CDLL, a: bytes, b: bytes, common: bytes, most: int) -> None:
    a, b = common + a, common + b
    whole = {FIRST - len(a) - 1: ended(a), SECOND - len(b) - 1: ended(b)}
    for name in ("strcmp", "strcoll"):
        same(ours, name, whole, *map(At, whole), result=bool)
    cut_a, cut_b = ended(a, most), ended(b, most)
    cut = {FIRST - len(cut_a): cut_a, SECOND - len(cut_b): cut_b}
    same(ours, "strncmp", cut, *map(At, cut), size(most), result=bool)


@few
@given(a=text, b=text, most=count, end=slack)
def test_copies_and_joins(ours: ctypes.CDLL, a: bytes, b: bytes, most: int, end: int) -> None:
    whole, cut = ended(b), ended(b, most)
    source, source_cut = {SECOND - len(whole): whole}, {SECOND - len(cut): cut}
    from_, from_cut = (At(next(iter(where))) for where in (source, source_cut))
    same(ours, "strcpy", source, At(FIRST - len(whole) - end), from_)
    same(ours, "strncpy", source_cut, At(FIRST - most - end), from_cut, size(most))
    room = len(a) + len(whole) + end
    same(ours, "strcat", {FIRST - room: ended(a)} | source, At(FIRST - room), from_)
    room = len(a) + min(len(b), most) + 1 + end
    same(ours, "strncat", {FIRST - room: ended(a)} | source_cut, At(FIRST - room), from_cut, size(most))


@few
@given(a=text, room=count)
def test_strxfrm_keeps_the_order(ours: ctypes.CDLL, a: bytes, room: int) -> None:
    """What is in the place is undefined by C11 when the whole text has no room: ours leaves it."""
    whole = ended(a)
    arguments = At(FIRST - room), At(SECOND - len(whole)), size(room)
    if room > len(a):
        same(ours, "strxfrm", {SECOND - len(whole): whole}, *arguments, result=ctypes.c_size_t)
    else:
        ARENAS[0].put({SECOND - len(whole): whole})
        assert ARENAS[0].call(ours.firmware_strxfrm, ctypes.c_size_t, arguments) == len(a)
        assert ARENAS[0].bytes()[:PAGE] == bytes([FILL]) * PAGE


@few
@given(a=text, value=character)
@example(a=b"aba", value=0)
@example(a=b"ab\xffa\xff", value=-1)
@example(a=b"aba", value=0x100 + ord("a"))
def test_a_character_is_found_from_both_ends(ours: ctypes.CDLL, a: bytes, value: int) -> None:
    for name in ("strchr", "strrchr"):
        same(ours, name, {FIRST - len(a) - 1: ended(a)}, At(FIRST - len(a) - 1), value)


@few
@given(a=text, b=text | st.lists(st.sampled_from(b"ab"), max_size=3).map(bytes), cut=st.tuples(count, count))
def test_parts_and_sets_of_characters(ours: ctypes.CDLL, a: bytes, b: bytes, cut: tuple[int, int]) -> None:
    for part in (b, a[cut[0] : cut[0] + cut[1]]):
        contents = {FIRST - len(a) - 1: ended(a), SECOND - len(part) - 1: ended(part)}
        for name in ("strstr", "strpbrk"):
            same(ours, name, contents, *map(At, contents))
        for name in ("strspn", "strcspn"):
            same(ours, name, contents, *map(At, contents), result=ctypes.c_size_t)


@few
@given(a=text, separators=st.lists(st.sampled_from(b"ab \xff"), max_size=3).map(bytes))
@example(a=b"a", separators=b"a")
@example(a=b"", separators=b"")
def test_tokens(ours: ctypes.CDLL, a: bytes, separators: bytes) -> None:
    for arena in ARENAS:
        arena.put({FIRST - len(a) - 1: ended(a), SECOND - len(separators) - 1: ended(separators)})
    for reentrant in (False, True):
        found: list[list[object]] = []
        for library, prefix, arena in zip((ours, HOST), ("firmware_", ""), ARENAS, strict=True):
            arena.put({FIRST - len(a) - 1: ended(a), SECOND - len(separators) - 1: ended(separators)})
            rest = ctypes.c_void_p()
            more = (ctypes.byref(rest),) if reentrant else ()
            function = getattr(library, prefix + ("strtok_r" if reentrant else "strtok"))
            tokens = [arena.call(function, At, (At(FIRST - len(a) - 1), At(SECOND - len(separators) - 1), *more))]
            while tokens[-1] is not None:
                tokens.append(arena.call(function, At, (None, At(SECOND - len(separators) - 1), *more)))
            tokens.append(arena.call(function, At, (None, At(SECOND - len(separators) - 1), *more)))  # it stays there
            found.append([*tokens, arena.bytes()])
        assert found[0] == found[1]


def test_errors_have_the_texts_of_linux(ours: ctypes.CDLL) -> None:
    ours.firmware_strerror.restype = ctypes.c_char_p
    numbers = re.findall(r"^#define (E\w+) (\d+)$", (LIB / "libc" / "error_numbers.h").read_text(), re.MULTILINE)
    assert len(numbers) > 30
    for name, number in numbers:
        assert getattr(errno, name) == int(number)
    known = {0, *(int(number) for _, number in numbers)}
    for number in [*range(-3, 140), INT_MAX, -INT_MAX - 1]:
        wanted = os.strerror(number) if number in known else "Unknown error"
        assert ours.firmware_strerror(number).decode() == wanted


@few
@given(before=st.text(" \t\n\v\f\r", max_size=3), sign=st.sampled_from(["", "+", "-", "+-"]),
       value=st.integers(0, INT_MAX), after=st.sampled_from(["", "x", " 1", "-", ":", "/"]))  # fmt: skip
@example(before="", sign="-", value=INT_MAX + 1, after="")
@example(before="a", sign="", value=1, after="")
def test_atoi(ours: ctypes.CDLL, before: str, sign: str, value: int, after: str) -> None:
    string = f"{before}{sign}{value}{after}\0".encode()
    same(ours, "atoi", {FIRST - len(string): string}, At(FIRST - len(string)), result=ctypes.c_int)


# ---- snprintf --------------------------------------------------------------------------------------------------------

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


# ---- As a library ----------------------------------------------------------------------------------------------------


def declared(header: str) -> list[str]:
    """The functions of a header."""
    text_ = (LIB / "libc" / header).read_text(encoding="utf-8")
    return re.findall(r"^[\w *]*?\b(\w+)\([^_].*\);", text_, re.MULTILINE)


def test_all_of_string_h_is_there(ours: ctypes.CDLL) -> None:
    assert sorted(declared("string.h")) == sorted([*C11, *POSIX])
    for name in declared("string.h"):
        assert getattr(ours, f"firmware_{name}")


def test_there_is_one_c_library_and_a_page_lists_what_it_has() -> None:
    page = (ROOT / "docs" / "firmware.md").read_text(encoding="utf-8")
    found = {}
    for header in ("string.h", "stdio.h", "stdlib.h"):
        assert [*(ROOT / "firmware").rglob(header)] == [LIB / "libc" / header]
        (row,) = re.findall(rf"^\| `<{header}>` \| (.*) \|$", page, re.MULTILINE)
        found[header] = sorted(re.findall(r"`(\w+)`", row))
        assert found[header] == sorted(declared(header))
    assert sorted(name for names in found.values() for name in names) == sorted(LIBC)


def calls(assembly: str) -> Iterator[tuple[str, str]]:
    """Pairs of functions, of which the first calls the second or goes on there."""
    function = ""
    call = re.compile(r"\s+(?:call|tail|j|jal)\s+(?:\w+, *)?([a-z_]\w*)(?:@plt)?$")
    for line in assembly.splitlines():
        if begun := re.match(r"(\w+):", line):
            function = begun[1]
        elif called := call.match(line.split("#")[0].rstrip()):
            yield function, called[1]


@pytest.mark.parametrize("optimization", ["-O2", "-Os"])
@pytest.mark.parametrize("toolchain", ["zig", "gcc"])
def test_no_function_comes_to_call_itself(tmp_path: Path, toolchain: str, optimization: str) -> None:
    """A compiler takes a loop that fills memory for memset, in memset too, unless it is told not to."""
    target = firmware.ARCHITECTURES["rv32"]
    if toolchain == "gcc" and not has_gcc():
        pytest.skip(f"no {target.gcc}")
    options = target.zig_flags if toolchain == "zig" else target.gcc_flags
    found: dict[str, set[str]] = {}
    for file in FILES:
        command = [
            *firmware.compiler(toolchain, target), *firmware.COMMON_FLAGS, "-g0", optimization, *options, f"-I{LIB}",
            f"-I{LIB / 'libc'}", "-S", file, "-o", tmp_path / "out.s",
        ]  # fmt: skip
        subprocess.run(command, check=True, env=firmware.zig_environment(), stderr=subprocess.DEVNULL)
        for caller, called in calls((tmp_path / "out.s").read_text()):
            found.setdefault(caller, set()).add(called)
    assert "memcpy" in found["strcpy"], "calls are seen"
    assert not {"memcpy", "memmove", "memset", "memcmp"} & found.keys()
    reached = {name: {*called} for name, called in found.items()}
    for _ in reached:
        for called in reached.values():
            called |= {further for name in called for further in reached.get(name, ())}
    assert [name for name, called in reached.items() if name in called] == []


def has_gcc() -> bool:
    try:
        firmware.compiler("gcc", firmware.ARCHITECTURES["rv32"])
    except firmware.NsocError:
        return False
    return True
