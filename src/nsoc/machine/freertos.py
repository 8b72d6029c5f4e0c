# SPDX-License-Identifier: Apache-2.0
"""FreeRTOS, which threads of firmware (lib/os) may stand on instead of the kernel's own scheduler: where its sources are.

They come from $FREERTOS_DIR. Without it, for a program that asks for FreeRTOS (OS_FREERTOS=1), cargo brings a crate that
has them, pinned by its checksum; they stay in the cache. Nothing of it is part of this tree.
"""

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine.build import cache_folder, content_hash, locked, progress

VERSION = "11.2.0"
"""Of the kernel in the crate."""
CRATE = "freertos-next"
CRATE_VERSION = "0.12.0"
SHA256 = "b7824fb42660c16e1b3b573eef99c2fe5c5cba6294a631c309084635f6bfcbb0"
"""Of the crate's archive."""
KERNEL = "FreeRTOS-Kernel"
"""The kernel's folder in the crate."""
DIRECTORY = "FREERTOS_DIR"
"""Environment variable: a folder with the sources of the kernel of FreeRTOS 11, `tasks.c` in it."""
PATIENCE_S = 120.0
"""After which a fetch has failed."""

_MANIFEST = f"""\
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
{CRATE} = "={CRATE_VERSION}"
"""


class _MissingError(Exception):
    """Why there is no FreeRTOS, in a sentence."""


def is_chosen() -> bool:
    """Whether programs with threads are to stand on FreeRTOS when they do not say themselves."""
    return bool(os.environ.get(DIRECTORY))


def source() -> Path | None:
    """The folder of the kernel's sources, fetched when needed. None where it cannot be had: why_not()."""
    found = _look(os.environ.get(DIRECTORY), cache_folder())
    return found if isinstance(found, Path) else None


def why_not() -> str | None:
    """Why source() gives None, in a sentence that names the way out; None when it gives a folder."""
    found = _look(os.environ.get(DIRECTORY), cache_folder())
    return found if isinstance(found, str) else None


def digest(folder: Path) -> str:
    """Of sources, by what is in the files."""
    if folder == _kept(cache_folder()):
        return SHA256
    return content_hash(sorted([*folder.glob("*.c"), *(folder / "include").glob("*.h"), *folder.glob("portable/*/RISC-V/**/*.[chS]")]))


@functools.cache
def _look(chosen: str | None, cache: Path) -> Path | str:
    """The folder, or why there is none: a process asks once."""
    try:
        return _source(chosen, cache)
    except _MissingError as problem:
        return str(problem)


def _kept(cache: Path) -> Path:
    return cache / "freertos" / SHA256[:16]


def _source(chosen: str | None, cache: Path) -> Path:
    if chosen:
        folder = Path(chosen).absolute()
        if not (folder / "tasks.c").is_file():
            raise NsocError(f"{DIRECTORY} is {chosen}, which has no tasks.c: name a folder of FreeRTOS's kernel")
        return folder
    folder = _kept(cache)
    if not folder.exists():
        with locked(folder):
            if not folder.exists():
                _fetch(cache / "freertos", folder)
    return folder


def _fetch(place: Path, folder: Path) -> None:
    if shutil.which("cargo") is None:
        raise _MissingError(_way_out("there is no cargo here"))
    work = place / f"fetch.{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        (work / "Cargo.toml").write_text(_MANIFEST, encoding="utf-8")
        (work / "lib.rs").touch()
        with progress("Fetching FreeRTOS's sources by cargo (first time, a few seconds)"):
            _cargo(work)
        crate = work / "vendor" / CRATE
        found = json.loads((crate / ".cargo-checksum.json").read_text(encoding="utf-8"))["package"]
        if found != SHA256:
            raise _MissingError(_way_out(f"{CRATE} {CRATE_VERSION} is not what it should be (SHA-256 {found})"))
        (crate / KERNEL).rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _cargo(work: Path) -> None:
    try:
        done = subprocess.run(
            ["cargo", "vendor", "--quiet"], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise _MissingError(_way_out(f"cargo did not answer in {PATIENCE_S:g} s")) from None
    if done.returncode:
        lines = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("error:")]
        reason = lines[0].removeprefix("error:").strip() if lines else f"exit status {done.returncode}"
        raise _MissingError(_way_out(f"cargo could not bring it: {reason}"))


def _way_out(reason: str) -> str:
    return f"FreeRTOS {VERSION} is missing ({reason}): set {DIRECTORY} to a folder with its kernel's sources"
