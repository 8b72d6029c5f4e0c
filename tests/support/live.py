# SPDX-License-Identifier: Apache-2.0
"""A running `nsoc up` for the tests of a module, and this machine's programs beside its SoCs.

A program waits for what it waits for, however slow the machine is: limits of time here are only those after which it is
plain that something hangs.
"""

import contextlib
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence

import needs
import pytest

from nsoc.errors import NsocError
from nsoc.live.beside import Beside, beside

HANG_S = 900
NO_PLACE = ("namespace", "/dev/net/tun", "TAP")
"""Of the sentences with which `nsoc up` says that this machine does not allow it."""
LINUX, SOC = "10.0.0.1", "10.0.0.2"


class Live:
    """What runs, and the way into it."""

    def __init__(self, beside: Beside) -> None:
        self.running = beside.running
        self._beside = beside
        self._consoles = {number: self.running.console(number) for number in range(len(self.running.info.socs))}
        for console in self._consoles.values():
            console.settimeout(HANG_S)

    def close(self) -> None:
        """The connections to the consoles end."""
        for console in self._consoles.values():
            console.close()

    def start(self, *command: object, stdin: int | None = subprocess.DEVNULL) -> "subprocess.Popen[str]":
        """A program in there; skips where it is not installed."""
        if reason := needs.missing(str(command[0])):
            pytest.skip(reason)
        return self._beside.start(*command, stdin=stdin)

    def run(self, *command: object, given: str | None = None, status: int | None = 0) -> str:
        """What a program prints, on both its outputs; it must end with that status, any when it is None."""
        program = self.start(*command, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE)
        try:
            out, err = program.communicate(given, timeout=HANG_S)
        finally:
            program.kill()
        assert status in (None, program.returncode), f"{command} ended with {program.returncode}:\n{out}\n{err}"
        return out + err

    def python(self, *arguments: object, given: str | None = None, status: int | None = 0) -> str:
        """The same of a Python program."""
        return self.run(sys.executable, *arguments, given=given, status=status)

    def uart(self, command: str, until: str, number: int = 0) -> str:
        """What a SoC prints from a command on, until that text; what it has printed before is left out."""
        console = self._consoles[number]
        while select.select([console], [], [], 0)[0]:  # a socket with a limit of time would wait in recv
            assert console.recv(65536), "the console has ended"
        console.sendall(command.encode() + b"\n")
        said = b""
        while until.encode() not in said:
            try:
                said += console.recv(65536)
            except TimeoutError:
                raise AssertionError(f"{until!r} does not come; the SoC said {said[-2000:]!r}") from None
        return said.decode(errors="replace")


@contextlib.contextmanager
def up(options: Sequence[object] = ()) -> Iterator[Live]:
    """`nsoc up` with these options, until the block ends; it must end well. Skips where a machine does not allow it."""
    with contextlib.ExitStack() as stack:
        try:
            made = stack.enter_context(beside(options))
        except NsocError as problem:
            if any(word in str(problem) for word in NO_PLACE):
                pytest.skip(str(problem))
            raise
        with contextlib.closing(Live(made)) as live:
            yield live
