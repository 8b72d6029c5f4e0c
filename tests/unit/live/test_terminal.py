# SPDX-License-Identifier: Apache-2.0
"""`nsoc console` against a SoC in Python; terminals are pairs of the kernel's."""

import io
import os
import socket
import termios
import threading
from collections.abc import Callable, Iterator

import pytest

from nsoc.errors import NsocError
from nsoc.live.terminal import END, attach, lines_end_at

SHORT_S = 0.05


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    with near, far:
        yield near, far


@pytest.fixture
def pipe() -> Iterator[Callable[[bytes], int]]:
    """The end of a pipe to read from, with these bytes in it and closed behind them."""
    ends: list[int] = []

    def make(data: bytes) -> int:
        out, into = os.pipe()
        ends.append(out)

        def write() -> None:
            with open(into, "wb") as file:
                file.write(data)

        threading.Thread(target=write, daemon=True).start()
        return out

    yield make
    for end in ends:
        os.close(end)


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The side of the keyboard, and the program's."""
    keyboard, program = os.openpty()
    yield keyboard, program
    os.close(keyboard)
    os.close(program)


def test_any_bytes_go_both_ways_whole_and_in_order(
    pair: tuple[socket.socket, socket.socket], pipe: Callable[[bytes], int]
) -> None:
    near, far = pair
    data = bytes(range(256)) * 8192  # more than any buffer of the kernel's
    out = io.BytesIO()

    def echo() -> None:
        left = len(data)
        while left:
            typed = far.recv(10_000)
            left -= len(typed)
            far.sendall(typed)
        far.close()

    threading.Thread(target=echo, daemon=True).start()
    with pytest.raises(NsocError, match="the console is closed"):
        attach(near, pipe(data), out, quiet_s=60.0)
    assert out.getvalue() == data


def test_the_end_of_the_console_is_one_sentence(
    pair: tuple[socket.socket, socket.socket], terminal: tuple[int, int]
) -> None:
    near, far = pair
    far.sendall(b"last words")
    far.close()
    out = io.BytesIO()
    with pytest.raises(NsocError, match="the nsoc up behind it has ended"):
        attach(near, terminal[1], out, SHORT_S)
    assert out.getvalue() == b"last words"


@pytest.mark.parametrize("keys", [END, b"half a line" + END, b"\x04"])
def test_the_key_ends_it_at_once_and_lines_before_it_have_gone(
    pair: tuple[socket.socket, socket.socket], terminal: tuple[int, int], keys: bytes
) -> None:
    near, far = pair
    keyboard, program = terminal
    out = io.BytesIO()
    before = termios.tcgetattr(program)
    with lines_end_at(END, program):
        os.write(keyboard, b"counterx\x7fs\n" + keys)
        attach(near, program, out, quiet_s=3600.0)
    near.close()
    assert far.recv(1000) == b"counters\n", "edited here, and sent as a line"
    assert far.recv(1000) == b""
    assert termios.tcgetattr(program) == before


def test_a_pipe_may_have_the_key_in_it(pair: tuple[socket.socket, socket.socket], pipe: Callable[[bytes], int]) -> None:
    near, far = pair
    attach(near, pipe(b"a" + END + b"b"), io.BytesIO(), SHORT_S)
    near.close()
    assert far.recv(1000) == b"a" + END + b"b"


def test_it_waits_until_all_is_quiet_after_the_end_of_a_pipe(
    pair: tuple[socket.socket, socket.socket], pipe: Callable[[bytes], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock of its own: what is printed later than `quiet_s` after the input, but not after the last piece."""
    from nsoc.live import terminal

    near, far = pair
    pieces = [b"1", b"2", b"3"]
    now = [0.0]
    waits: list[float | None] = []
    real = terminal.select.select

    def select(readers: list[object], writers: list[object], errors: list[object], left: float | None) -> object:
        waits.append(left)
        if left is None:
            return real(readers, writers, errors)
        now[0] += 0.9 * left
        if not pieces:
            return [], [], []
        far.sendall(pieces.pop(0))
        return real(readers, writers, errors)

    monkeypatch.setattr(terminal.select, "select", select)
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    far.sendall(b"ready\n")
    out = io.BytesIO()
    attach(near, pipe(b"counters\n"), out, quiet_s=10.0)
    assert far.recv(1000) == b"counters\n"
    assert out.getvalue() == b"ready\n123"
    assert [left for left in waits if left is not None] == pytest.approx([10.0] * 4)
