# SPDX-License-Identifier: Apache-2.0
"""Runs a firmware on the processor slot alone, with memory that answers at once: sim/core/core_alone.cpp.

Published CoreMark figures are for single-cycle memory. Here the slot has caches that hold the whole program, so that
after each line's first use every access hits, and what is left is the pipeline itself.
"""

import subprocess
from pathlib import Path

from nsoc.bench.program import program, rtl
from nsoc.errors import NsocError
from nsoc.machine import error_mode, firmware
from nsoc.machine.build import checkout

TOP = "core_top"
CACHE_BYTES = 65536
"""Each cache: as large as the boot ROM."""
STOPPED = 3
"""Exit status of its program when the core has stopped for good."""


def run(elf: Path, until: str, max_cycles: int, core: str = firmware.DEFAULT_ARCHITECTURE) -> str:
    """What the program prints, up to and with `until`. Raises NsocError when it does not come within `max_cycles`."""
    done = subprocess.run([str(simulator(core)), str(elf), until, str(max_cycles)], capture_output=True, check=False)
    if done.returncode == STOPPED:
        trap, pc = map(int, done.stderr.split())
        raise NsocError(f"{elf.name} on the core alone: {error_mode.sentence(trap, pc, elf=elf)}")
    printed = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        why = done.stderr.decode(errors="replace").strip() or f"did not print {until!r} in {max_cycles:,} cycles"
        raise NsocError(f"{elf.name} on the core alone: {why}")
    return printed


def simulator(core: str = firmware.DEFAULT_ARCHITECTURE) -> Path:
    """Its program for that core (see Preset), built when it is not there."""
    root = checkout()
    harness = root / "sim" / "core"
    sources = [*rtl("cpu/core", "cpu/rv", "cpu/sparc"), root / "rtl" / "cpu" / "cpu_slot.sv", harness / f"{TOP}.sv"]
    parameters: dict[str, int | str] = {"CORE": core, "ICACHE_BYTES": CACHE_BYTES, "DCACHE_BYTES": CACHE_BYTES}
    return program(harness / "core_alone.cpp", TOP, sources, parameters, f"the core {core} alone", "core alone")
