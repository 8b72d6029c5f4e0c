# SPDX-License-Identifier: Apache-2.0
"""string.h of firmware/lib/libc, and atoi: each function does to memory, and gives back, what this machine's does."""

import ctypes
import errno
import itertools
import os
import re

from hypothesis import example, given
from hypothesis import strategies as st
from libc_native import (
    ARENAS,
    FILL,
    FIRST,
    HOST,
    INT_MAX,
    LIB,
    PAGE,
    SECOND,
    At,
    bytes_,
    character,
    count,
    declared,
    few,
    same,
    size,
    slack,
    text,
)

C11 = (
    "memcpy", "memmove", "strcpy", "strncpy", "strcat", "strncat", "memcmp", "strcmp", "strcoll", "strncmp", "strxfrm",
    "memchr", "strchr", "strcspn", "strpbrk", "strrchr", "strspn", "strstr", "strtok", "memset", "strerror", "strlen",
)  # fmt: skip
"""What 7.24 has, in its order."""
POSIX = ("strnlen", "strtok_r")

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


# ---- All of it -------------------------------------------------------------------------------------------------------


def test_all_of_string_h_is_there(ours: ctypes.CDLL) -> None:
    assert sorted(declared("string.h")) == sorted([*C11, *POSIX])
    for name in declared("string.h"):
        assert getattr(ours, f"firmware_{name}")
