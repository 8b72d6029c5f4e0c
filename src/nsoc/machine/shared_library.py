# SPDX-License-Identifier: Apache-2.0
"""Shared libraries of our own C++, built on first use and kept in the cache: the network, the SPARC simulator."""

import os
from collections.abc import Sequence
from pathlib import Path

from nsoc.machine import build, compiler
from nsoc.machine.tool import run_tool
from nsoc.progress import waiting

FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-shared")


def built(kind: str, name: str, files: Sequence[Path], includes: Sequence[str], what: str, seconds: float) -> Path:
    """The library `name`, built when it is not in the cache's folder `kind` yet.

    `files`: all that it is made of, headers too. `what` it is, for people; `seconds`: how long it takes, about. Raises
    NsocError when there is no compiler.
    """
    folder = build.cache_folder() / kind / build.content_hash(list(files), FLAGS, compiler.linker())
    target = folder / name
    if not target.exists():
        with build.locked(folder):
            if not target.exists():
                _build(target, files, includes, what, seconds)
    return target


def _build(target: Path, files: Sequence[Path], includes: Sequence[str], what: str, seconds: float) -> None:
    compiler.check()
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(f".{os.getpid()}.so")
    sources = sorted(str(file) for file in files if file.suffix == ".cpp")
    options = [*FLAGS, *build.harness_includes(), *includes]
    command = [*compiler.linker(), *options, *sources, "-o", str(part), *compiler.static_runtime()]
    try:
        with waiting(f"Building {what} (first time)", seconds):
            run_tool(command, target.parent, f"building {what}")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
