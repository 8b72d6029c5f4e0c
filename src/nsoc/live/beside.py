# SPDX-License-Identifier: Apache-2.0
"""`nsoc up` as a process of its own, and programs of this machine beside its SoCs: for what measures and tests them."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc import needs
from nsoc.errors import NsocError
from nsoc.live.running import Running, running

READY = "the SoC is there"


@dataclass
class Beside:
    """A running `nsoc up`. `said` has what it says of itself once it has ended."""

    running: Running
    said: str = ""

    def start(
        self, *command: object, stdin: int | None = subprocess.DEVNULL, environment: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[str]":
        """Starts a program in its namespace. Raises NsocError when it is missing."""
        needs.program(str(command[0]), "this command")
        return subprocess.Popen(
            [str(part) for part in command], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=self.running.enter, env={**os.environ, "LC_ALL": "C", **(environment or {})},
        )  # fmt: skip


@contextlib.contextmanager
def beside(options: Sequence[object] = ()) -> Iterator[Beside]:
    """Runs `nsoc up` with these options until the block ends. Raises NsocError with its sentence when it fails."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said"
        command = [sys.executable, "-m", "nsoc", "up", *map(str, options), "--", "sh", "-c", f"echo {READY}; cat"]
        with said.open("w") as error:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=error, text=True)
        assert process.stdin is not None and process.stdout is not None
        try:
            while READY not in (line := process.stdout.readline()):
                if not line:
                    process.wait()
                    raise NsocError(_last_line(said) or "nsoc up has ended and said nothing")
            (own,) = [one for one in running() if one.info.pid == process.pid]
            made = Beside(own)
            yield made
            process.stdin.close()
            process.stdout.read()
            status = process.wait()
            made.said = said.read_text()
            if status:
                raise NsocError(f"nsoc up ended with {status}: {_last_line(said)}")
        finally:
            process.kill()
            process.wait()


def _last_line(said: Path) -> str:
    lines = said.read_text().strip().splitlines()
    return lines[-1].removeprefix("nsoc: ") if lines else ""
