# SPDX-License-Identifier: Apache-2.0
"""The C++ compiler of the simulators, and files that it compiles side by side.

Clang makes faster code of a Verilated model than GCC, and makes it sooner. It comes with the package `ziglang`, which
compiles the firmware, too. Headers and library are g++'s all the same, and g++ links: zig would build a C++ library of
its own first, which takes a minute. Without the package g++ compiles. $CXX, a command of any number of words, does both
when it is set.
"""

import functools
import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nsoc import needs
from nsoc.errors import NsocError
from nsoc.machine.tool import run_tool

PACKAGE = "ziglang"
STATIC = ("-static-libstdc++", "-static-libgcc")
"""Takes C++'s run-time library into what is linked, which then also runs where no compiler is."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler."""

    name: str
    """Part of the key of what it compiles."""
    is_clang: bool
    """It is the one of PACKAGE."""

    def command(self) -> list[str]:
        """Compiles; flags and files come behind it."""
        return _clang() if self.is_clang else linker()


@dataclass(frozen=True, slots=True)
class Job:
    """A file to compile."""

    source: Path
    target: Path
    flags: Sequence[str]
    once: bool = False
    """A target that is there is taken as it is: others may have made it, or make it now."""


def linker() -> list[str]:
    """The command that links, and compiles what no model is: $CXX, or g++."""
    return shlex.split(os.environ.get("CXX", "")) or ["g++"]


def chosen() -> Compiler:
    """The compiler of the simulators."""
    if not os.environ.get("CXX"):
        try:
            return Compiler(f"clang of {PACKAGE} {version(PACKAGE)}", is_clang=True)
        except PackageNotFoundError:
            pass
    return Compiler(shlex.join(linker()), is_clang=False)


def check() -> None:
    """Raises NsocError when there is no C++ compiler."""
    needs.program(linker()[0], "building a simulator", "g++")


@functools.cache
def _clang() -> list[str]:
    """Clang with g++'s headers."""
    gxx = linker()
    zig = needs.folder(PACKAGE, "building a simulator", "demo")
    of_gcc = Path(_says(*gxx, "-print-libgcc-file-name")).parent
    return [
        str(zig / "zig"), "clang", "--driver-mode=g++", f"--target={_says(*gxx, '-dumpmachine')}",
        f"--gcc-install-dir={of_gcc}", "-resource-dir", str(zig / "lib"), "-w",
    ]  # fmt: skip


@functools.cache
def static_runtime() -> tuple[str, ...]:
    """STATIC, or nothing where the linker came without the static library."""
    return STATIC if os.path.isabs(_says(*linker(), "-print-file-name=libstdc++.a")) else ()


def _says(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def compile_all(
    compiler: Compiler, jobs: Sequence[Job], folder: Path, done: Callable[[float], None] = lambda share: None
) -> list[Path]:
    """Compiles in `folder`, on as many cores as there are, in this order; returns the targets. `done` hears which share
    of the sources' length is compiled. Raises NsocError for the first that fails."""
    total = sum(job.source.stat().st_size for job in jobs)
    finished = 0

    def compile_one(job: Job) -> Path:
        nonlocal finished
        if not (job.once and job.target.exists()):
            part = job.target.with_suffix(f".{os.getpid()}.o") if job.once else job.target  # whole or not at all
            command = [*compiler.command(), *job.flags, "-c", str(job.source), "-o", str(part)]
            run_tool(command, folder, f"compiling {job.source.name}")
            part.replace(job.target)
        finished += job.source.stat().st_size
        done(finished / total)
        return job.target

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = [pool.submit(compile_one, job) for job in jobs]
        try:
            return sorted(future.result() for future in as_completed(futures))
        except NsocError:
            pool.shutdown(cancel_futures=True)  # the first error is enough
            raise


def precompiled(compiler: Compiler, headers: Sequence[str], flags: Sequence[str], folder: Path) -> list[str]:
    """What files are told that are compiled with these flags and include these headers first. Where the compiler is
    clang the headers are read once for all of them."""
    text = "".join(f'#include "{header}"\n' for header in headers)
    whole = folder / "first.h"
    whole.write_text(text, encoding="utf-8")
    if not compiler.is_clang:
        return ["-include", str(whole)]
    made = folder / "first.pch"
    command = [*compiler.command(), *flags, "-x", "c++-header", str(whole), "-o", str(made)]
    run_tool(command, folder, "compiling headers")
    return ["-include-pch", str(made)]
