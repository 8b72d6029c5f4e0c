# SPDX-License-Identifier: Apache-2.0
"""A running `nsoc up` for the tests of a module, and this machine's programs beside its SoCs.

A program waits for what it waits for, however slow the machine is: limits of time here are only those after which it is
plain that something hangs.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from nsoc.live.running import Running, the_running

HANG_S = 900
READY = "the SoC is there"
NO_PLACE = ("namespace", "/dev/net/tun", "TAP")
"""Of the sentences with which `nsoc up` says that this machine does not allow it."""
LINUX, SOC = "10.0.0.1", "10.0.0.2"


class Live:
    """What runs, and the way into it."""

    def __init__(self, running: Running) -> None:
        self.running = running

    def start(
        self, *command: object, stdin: int | None = subprocess.DEVNULL, environment: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[str]":
        """A program in there; skips where it is not installed."""
        name = str(command[0])
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        return subprocess.Popen(
            [str(part) for part in command], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=self.running.enter, env={**os.environ, "LC_ALL": "C", **(environment or {})},
        )  # fmt: skip

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
        """What a SoC prints from a command on, until that text."""
        with self.running.console(number) as console:
            console.settimeout(HANG_S)
            console.sendall(command.encode() + b"\n")
            said = b""
            # The console begins with what was said before; the text counts from the moment of the command.
            deadline = time.monotonic() + HANG_S
            while until.encode() not in said:
                assert time.monotonic() < deadline, f"{until!r} does not come; it said {said[-2000:]!r}"
                said += console.recv(65536)
        return said.decode(errors="replace")


@contextlib.contextmanager
def up(folder: Path, options: Sequence[object] = ()) -> Iterator[Live]:
    """`nsoc up` with these options, until the block ends; it must end well. Skips where a machine does not allow it."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    command = [sys.executable, "-m", "nsoc", "up", *map(str, options), "--", "sh", "-c", f"echo {READY}; cat"]
    said = folder / "nsoc-up"
    with said.open("w") as error, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=error, text=True, env=environment
        )
        assert process.stdin is not None and process.stdout is not None
        try:
            while READY not in (line := process.stdout.readline()):
                if not line:
                    why = said.read_text()
                    process.wait()
                    if any(word in why for word in NO_PLACE):
                        pytest.skip(why.strip())
                    raise AssertionError(f"nsoc up ended with {process.returncode}:\n{why}")
            yield Live(the_running())
            process.stdin.close()
            process.stdout.read()
            status = process.wait(timeout=HANG_S)
            assert status == 0, f"nsoc up ended with {status}:\n{said.read_text()}"
        finally:
            process.kill()
            process.wait()
