# SPDX-License-Identifier: Apache-2.0
"""firmware/lib/libc, compiled for this machine, beside this machine's own C library: either function does the same to
memory and gives back the same. The memory ends where no page follows: whoever reads or writes too far is seen."""

import ctypes
import mmap
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import ROOT
from hypothesis import settings
from hypothesis import strategies as st
from net_native import LIBC

LIB = ROOT / "firmware" / "lib"
FILES = sorted((LIB / "libc").glob("*.c"))
PAGE = mmap.PAGESIZE
FILL = 0xA5
INT_MAX = (1 << 31) - 1

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

    def call(self, function: Any, result: type | None, arguments: Sequence[object]) -> object:
        function.restype = ctypes.c_void_p if result is At else ctypes.c_int if result is bool else result
        value = function(*(ctypes.c_void_p(self.base + x.offset) if isinstance(x, At) else x for x in arguments))
        if result is At:
            return None if value is None else value - self.base
        return (value > 0) - (value < 0) if result is bool else value


ARENAS = Arena(), Arena()
FIRST, SECOND = PAGE, 3 * PAGE
"""Where the pages end."""


def compiled(folder: Path, char: str) -> ctypes.CDLL:
    """With `signed` or `unsigned` char: RISC-V's has no sign. The functions' names begin with firmware_."""
    command = [
        "gcc", "-std=c11", "-O2", "-ffreestanding", "-fno-builtin", "-Wall", "-Wextra", "-Werror",
        f"-f{char}-char", "-fPIC", "-shared", "-fsanitize=undefined",
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


def declared(header: str) -> list[str]:
    """The functions of a header."""
    text_ = (LIB / "libc" / header).read_text(encoding="utf-8")
    return re.findall(r"^[\w *]*?\b(\w+)\([^_].*\);", text_, re.MULTILINE)
