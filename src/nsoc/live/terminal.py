# SPDX-License-Identifier: Apache-2.0
"""A terminal on a running SoC's UART: what `nsoc console` does with the socket of a console.

At a terminal, lines are edited and echoed here, since the SoC's programs take whole lines and echo nothing. Ctrl-] ends
it. From a pipe all goes as it comes; behind its end the SoC has `quiet_s` to answer, again after each piece of its
answer.
"""

import contextlib
import os
import select
import socket
import sys
import termios
import time
from collections.abc import Iterator
from typing import BinaryIO

from nsoc.errors import NsocError

END = b"\x1d"
"""Ctrl-]."""
_BYTES = 65536


def attach(console: socket.socket, source: int, sink: BinaryIO, quiet_s: float) -> None:
    """Joins a console with the descriptor `source` and the file `sink`, until the source has ended and all is quiet.

    Where the source is a terminal, END ends it at once. Raises NsocError when the console is closed.
    """
    console.setblocking(False)
    keys = os.isatty(source)
    waiting, ended = b"", False
    quiet_from = 0.0
    while True:
        left = max(0.0, quiet_from + quiet_s - time.monotonic()) if ended and not waiting else None
        sources: list[socket.socket | int] = [console]
        if not waiting and not ended:  # no more is read than the console takes
            sources.append(source)
        readable, writable, _ = select.select(sources, [console] if waiting else [], [], left)
        if not readable and not writable:
            return
        quiet_from = time.monotonic()
        try:
            if console in readable:
                printed = console.recv(_BYTES)
                if not printed:
                    raise ConnectionResetError
                sink.write(printed)
                sink.flush()
            if console in writable:
                waiting = waiting[console.send(waiting) :]
        except ConnectionError:
            raise NsocError("the console is closed: the nsoc up behind it has ended, or dropped it") from None
        if source in readable:
            waiting = os.read(source, _BYTES)
            ended = not waiting
            if keys and (ended or END in waiting):
                return


@contextlib.contextmanager
def lines_end_at(key: bytes, terminal: int) -> Iterator[None]:
    """The key ends a line too, where `terminal` is one."""
    if not os.isatty(terminal):
        yield
        return
    before = termios.tcgetattr(terminal)
    changed = termios.tcgetattr(terminal)
    changed[6][termios.VEOL] = key
    termios.tcsetattr(terminal, termios.TCSADRAIN, changed)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def run(console: socket.socket, quiet_s: float) -> None:
    """`attach` to standard input and output."""
    source = sys.stdin.fileno()
    with console, lines_end_at(END, source):
        attach(console, source, sys.stdout.buffer, quiet_s)
