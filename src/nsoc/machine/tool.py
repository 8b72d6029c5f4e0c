# SPDX-License-Identifier: Apache-2.0
"""Runs a tool that makes files: Verilator, compilers, linkers."""

import re
import subprocess
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.files import no_room

_ERROR = re.compile(r"(?<![\w/])%?error(?![\w/.])|\w+Error:", re.IGNORECASE)
"""Of a tool, in a line that it prints: the word, not part of a file's name; or what ends a Python program."""
_DISK_FULL = ("No space left on device", "NoSpaceLeft", "Disk quota exceeded")
"""As compilers and linkers say it, zig in its own words."""


def run_tool(command: list[str], folder: Path, what: str, environment: dict[str, str] | None = None) -> None:
    """Runs a compiler; when it fails, raises NsocError with its errors and last lines, or that a disk is full."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except FileNotFoundError:
        raise NsocError(f"{what} needs {Path(command[0]).name}, which is not installed") from None
    if done.returncode != 0:
        said = done.stdout.decode(errors="replace").strip()
        if any(words in said for words in _DISK_FULL):
            raise no_room(what, folder.parent)
        shown = "\n  ".join(_to_show(said.splitlines()))
        raise NsocError(f"{what} failed in {Path(command[0]).name}:\n  {shown}")


def _to_show(lines: list[str]) -> list[str]:
    """Of what a tool said: the first errors, each with what stands below it, and the end. In order, each line once."""
    errors = [number for number, line in enumerate(lines) if _ERROR.search(line)][:3]
    end = max(0, len(lines) - 12)
    chosen = {*range(end, len(lines)), *(number for first in errors for number in range(first, first + 4))}
    shown: list[str] = []
    before = 0 if errors else end
    for number in sorted(number for number in chosen if number < len(lines)):
        if number > before:
            shown.append(f"({number - before} lines left out)")
        shown.append(lines[number])
        before = number + 1
    return shown
