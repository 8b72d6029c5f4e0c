# SPDX-License-Identifier: Apache-2.0
"""Sources of others that firmware is linked with and that are not in this tree: from a folder that an environment
variable names, else fetched once, pinned by checksum, into the cache."""

import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine.build import cache_folder, locked
from nsoc.progress import waiting

PATIENCE_S = 120.0
"""After which a command that fetches has failed."""


class MissingError(Exception):
    """Why they cannot be had, as part of a sentence."""


@dataclass(frozen=True)
class Sources:
    """What is wanted, and how it comes."""

    name: str
    version: str
    variable: str
    """Environment variable: a folder with them."""
    sign: str
    """A file that each such folder has."""
    sha256: str
    """Of the package that is fetched."""
    fetch: Callable[[Path], Path]
    """Into an empty folder. Returns where the sources are in it; raises MissingError."""
    by: str
    """Who brings it, for the line that says so."""

    def look(self) -> Path | str:
        """The folder, or why there is none, in a sentence that names the way out. Raises NsocError when the variable
        names another folder."""
        return _look(self, os.environ.get(self.variable), cache_folder())

    def kept(self) -> Path:
        """Where they are when they have been fetched."""
        return _kept(self, cache_folder())


@functools.cache
def _look(wanted: Sources, chosen: str | None, cache: Path) -> Path | str:
    """A process asks once."""
    if chosen:
        folder = Path(chosen).absolute()
        if not (folder / wanted.sign).is_file():
            raise NsocError(
                f"{wanted.variable} is {chosen}, which has no {wanted.sign}: name a folder of {wanted.name}"
            )
        return folder
    folder = _kept(wanted, cache)
    try:
        if not folder.exists():
            with locked(folder):
                if not folder.exists():
                    _bring(wanted, folder)
    except MissingError as reason:
        way_out = f"set {wanted.variable} to a folder with its sources"
        return f"{wanted.name} {wanted.version} is missing ({reason}): {way_out}"
    return folder


def _kept(wanted: Sources, cache: Path) -> Path:
    return cache / wanted.name.lower() / wanted.sha256[:16]


def _bring(wanted: Sources, folder: Path) -> None:
    work = folder.parent / f"fetch.{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        with waiting(f"Fetching {wanted.name}'s sources {wanted.by} (first time)"):
            found = wanted.fetch(work)
        found.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def run(command: Sequence[str], folder: Path, says: str) -> None:
    """A command that fetches. `says`: how its lines begin that give a reason. Raises MissingError."""
    tool = command[0].removesuffix("-get")
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            check=False, timeout=PATIENCE_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise MissingError(f"{tool} did not answer in {PATIENCE_S:g} s") from None
    if done.returncode:
        lines = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith(says)]
        reason = lines[0].removeprefix(says).strip() if lines else f"exit status {done.returncode}"
        raise MissingError(f"{tool} could not bring it: {reason}")
