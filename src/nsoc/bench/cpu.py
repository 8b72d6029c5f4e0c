# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench cpu`: how many cycles the processor needs for an instruction, and what it waits for when it waits.

Loops of the kinds that firmware is made of (firmware/apps/bench_cpu) run on a preset's SoC, each measured with the
core's own counters. CoreMark runs when the user has its sources: on the SoC, and on the core alone with memory that
answers at once. Published figures are for either.
"""

import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc.bench import core_alone
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import firmware, presets
from nsoc.machine.build import checkout
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "cpu"
FIRMWARE = "bench_cpu"
PUBLISHED = Path(__file__).parents[1] / "published" / "cpu.toml"

LOOPS = (
    "list_search", "list_reverse", "list_sort", "matrix_multiply", "matrix_filter", "text_states", "crc_table",
    "crc_bitwise", "string_copy", "memory_copy", "string_compare", "nic_forward",
)  # fmt: skip
"""In the order of the table in firmware/apps/bench_cpu/main.c."""

STALLS = {
    "load_use": "load use", "branch": "branch", "muldiv": "mul div", "fetch": "fetch", "load_miss": "load miss",
    "uncached": "un- cached", "store_buffer": "store buffer", "serial": "serial", "trap": "trap",
}  # fmt: skip
"""Causes of a cycle in which nothing retired, in the order of mhpmcounter3 to mhpmcounter11, and the words of their
column, a line each."""

COREMARK_FILES = ("core_list_join.c", "core_main.c", "core_matrix.c", "core_state.c", "core_util.c", "coremark.h")
COREMARK_CRCS = {"seedcrc": 0xE9F5, "crclist": 0xE714, "crcmatrix": 0x1FD7, "crcstate": 0x8E3A}
"""What a performance run with 2 KB of data must come to, whatever the number of iterations."""
PLAIN, TUNED, GIVEN = "O2", "tuned", "flags"
COREMARK_FLAGS = {
    PLAIN: ("-O2",),
    # Threads the state machine's jumps, inlines what is called from one place, unrolls loops of unknown length.
    TUNED: (
        "-O2", "-mllvm", "-enable-dfa-jump-thread", "-mllvm", "-inline-threshold=1000", "-mllvm", "-unroll-runtime",
    ),
}  # fmt: skip
"""What CoreMark is compiled with, for the instruction set that all firmware is compiled for. zig makes -O2 of -O3
(write -Xclang -O3), which gains nothing here."""
GCC = "gcc"
GCC_FLAGS = {PLAIN: ("-O2",), TUNED: ("-O3", "-funroll-loops")}
"""The same by GCC, where it is installed: published figures are by GCC, and a compiler's part in CoreMark is large."""
ITERATIONS = 20
"""Of CoreMark: the caches' cold misses are then below 0.5 % of the time. Its rules ask for 10 s, here hours."""
REPORTABLE_S = 10.0
"""A run has to take so long, by CoreMark's rules, for its score to be reported as one."""

SOC_MEMORY, ALONE = "soc", "alone"
"""Where CoreMark ran: in the SoC, or on the core alone with memory that answers at once."""

FRAME = bytes.fromhex("020000000002 020000000001 88b5".replace(" ", "")) + bytes(range(46))
FRAME_BACK = FRAME[6:12] + FRAME[:6] + FRAME[12:]
SLICE_US = 1000.0
LOOPS_LIMIT_US = 1e6

Show = Callable[[str], None]


@dataclass(frozen=True)
class Measured:
    """What the processor counted while something ran."""

    name: str
    cycles: int
    instructions: int
    stalls: Mapping[str, int] | None
    """Cycles by cause, in the order of `STALLS`; None when the core does not count them."""
    ok: bool
    """The result was right."""
    result: int = 0

    @property
    def cpi(self) -> float:
        return self.cycles / self.instructions

    @property
    def other(self) -> int:
        """Cycles in which nothing retired and that no counter explains."""
        return self.cycles - self.instructions - sum((self.stalls or {}).values())


@dataclass(frozen=True)
class CoreMark(Measured):
    """A CoreMark run; `name` is a key of COREMARK_FLAGS, or GIVEN."""

    memory: str = SOC_MEMORY
    flags: str = ""
    iterations: int = ITERATIONS
    toolchain: str = "zig"

    @property
    def per_mhz(self) -> float:
        return self.iterations * 1e6 / self.cycles

    def seconds(self, preset: Preset) -> float:
        """What the run took, of the preset's processor clock."""
        return self.cycles / (preset.cpu_mhz * 1e6)

    @property
    def mode(self) -> str:
        """Its records': `coremark:tuned`, `coremark:gcc-tuned:soc`."""
        how = self.name if self.toolchain == "zig" else f"{self.toolchain}-{self.name}"
        return f"coremark:{how}" + (":soc" if self.memory == SOC_MEMORY else "")


@dataclass
class CpuResult:
    """Everything `nsoc bench cpu` found."""

    preset: Preset
    loops: list[Measured]
    coremark: list[CoreMark] = field(default_factory=list)

    @property
    def failure(self) -> str:
        """Which results were wrong, in one sentence; empty when none was."""
        wrong = [loop.name for loop in self.loops if not loop.ok]
        wrong += [
            f"CoreMark {run.name} by {COMPILERS[run.toolchain]} ({run.memory})" for run in self.coremark if not run.ok
        ]
        return f"the processor computed something wrong in {', '.join(wrong)}" if wrong else ""


# ---- Running ---------------------------------------------------------------------------------------------------------


@public
def run(
    loops: Sequence[str] = (),
    *,
    coremark: Path | None = None,
    flags: str | None = None,
    iterations: int = ITERATIONS,
    preset: str | Preset = presets.DEFAULT,
    seed: int = 1,
    show: Show = lambda _: None,
) -> CpuResult:
    """Measure the loops (all when none is named) and, when `coremark` is a folder with its sources, CoreMark.

    `flags` are compiler flags for the loops, behind their -O2, and for one more CoreMark run. `show` is told what is
    measured next. Raises NsocError for what the user can mend.
    """
    system = presets.load_soc(preset)
    extra = _split(flags)
    unknown = [name for name in loops if name not in LOOPS]
    if unknown:
        raise NsocError(f"there is no loop {unknown[0]!r}, only {', '.join(LOOPS)}")
    sources = coremark_sources(coremark) if coremark is not None else []
    show("the loops")
    result = CpuResult(system, run_loops(loops or LOOPS, system, seed, extra))
    if sources:
        variants = [("zig", name, options) for name, options in COREMARK_FLAGS.items()]
        if extra:
            variants.append(("zig", GIVEN, tuple(extra)))
        if gcc_version(system):
            variants += [(GCC, name, options) for name, options in GCC_FLAGS.items()]
        for toolchain, name, options in variants:
            elf = build_coremark(sources, options, iterations, system, toolchain)
            for memory, run_it in ((ALONE, _run_alone), (SOC_MEMORY, _run_soc)):
                show(f"CoreMark {name} by {COMPILERS[toolchain]}, {MEMORY_WORDS[memory]}")
                read = read_coremark(
                    run_it(elf, system, seed, iterations), name, memory, " ".join(options), iterations, toolchain
                )
                result.coremark.append(read)
    return result


def gcc_version(preset: Preset) -> str:
    """Of the installed GCC for the preset's processor; empty where there is none."""
    tool = firmware.architecture(preset.core).gcc
    if shutil.which(tool) is None:
        return ""
    return subprocess.run([tool, "-dumpversion"], capture_output=True, text=True, check=False).stdout.strip()


def run_loops(names: Sequence[str], preset: Preset, seed: int = 1, flags: Sequence[str] = ()) -> list[Measured]:
    """Boot the loops on a SoC and send the frames that nic_forward wants."""
    mask = sum(1 << LOOPS.index(name) for name in set(names))
    elf = firmware.build(FIRMWARE, {"LOOPS": f"{mask}u"}, flags=flags, arch=preset.core)
    wanted, back = 0, []
    with Soc(preset, elf, seed) as soc:
        while not soc.uart.text.endswith("end\n"):
            if soc.time_us > LOOPS_LIMIT_US or "trap:" in soc.uart.text:
                raise NsocError(f"the loops did not end, they printed: {soc.uart.text[-200:]!r}")
            soc.run(us=SLICE_US, text="end\n")
            asked = sum(map(int, re.findall(r"^frames wanted (\d+)\n", soc.uart.text, re.MULTILINE)))
            while wanted < asked:
                soc.wire.send(FRAME)
                wanted += 1
        soc.run(us=SLICE_US, idle_us=20)
        back = [received.data for received in soc.wire.receive_all() if received.good]
        measured = read_loops(soc.uart.text)
    if back != [FRAME_BACK] * wanted:
        measured = [_failed(loop) if loop.name == "nic_forward" else loop for loop in measured]
    return measured


def coremark_sources(folder: Path) -> list[Path]:
    """The C files of CoreMark in `folder`."""
    missing = [name for name in COREMARK_FILES if not (folder / name).is_file()]
    if missing:
        raise NsocError(
            f"{folder} has no {missing[0]}: give --coremark the folder with CoreMark's sources, "
            f"a checkout of https://github.com/eembc/coremark"
        )
    return [folder / name for name in COREMARK_FILES if name.endswith(".c")]


def build_coremark(
    sources: Sequence[Path], flags: Sequence[str], iterations: int, preset: Preset, toolchain: str = "zig"
) -> Path:
    """CoreMark's ELF file, with our port of it."""
    port = checkout() / "firmware" / "coremark"
    defines: dict[str, int | str] = {
        "ITERATIONS": iterations,
        "CLOCK_HZ": round(preset.cpu_mhz * 1e6),
        "COMPILER_FLAGS": '"' + " ".join(flags).replace('"', "'") + '"',
    }
    # Its own warnings are not ours to mend.
    options = ["-w", "-include", str(port / "core_portme.h"), *flags]
    files = [*sources, port / "core_portme.c"]
    folders = [port, sources[0].parent]
    return firmware.compile_program(
        "coremark", files, defines, toolchain, flags=options, folders=folders, arch=preset.core
    )


def _run_soc(elf: Path, preset: Preset, seed: int, iterations: int) -> str:
    with Soc(preset, elf, seed) as soc:
        soc.run(us=_limit_cycles(iterations) / preset.cpu_mhz, text="end\n")
        return soc.uart.text


def _run_alone(elf: Path, preset: Preset, seed: int, iterations: int) -> str:
    del seed  # nothing of the SoC is there
    return core_alone.run(elf, "end\n", _limit_cycles(iterations), preset.core)


def _limit_cycles(iterations: int) -> int:
    """Ten times what a run takes."""
    return 5_000_000 * (iterations + 1)


def _split(flags: str | None) -> list[str]:
    try:
        return shlex.split(flags or "")
    except ValueError as problem:
        raise NsocError(f"--flags {flags!r} is not a list of compiler flags: {problem}") from None


# ---- Reading what was printed ----------------------------------------------------------------------------------------

_COUNTS = r"cycles (\d+) instructions (\d+) stalls ((?:none|\d+)(?: \d+)*)"


def read_loops(text: str) -> list[Measured]:
    """What firmware/apps/bench_cpu printed."""
    loops = []
    for line in re.finditer(rf"^loop (\w+) (ok|wrong) 0x(\w+) {_COUNTS}$", text, re.MULTILINE):
        name, verdict, result, cycles, instructions, causes = line.groups()
        loops.append(Measured(name, int(cycles), int(instructions), _stalls(causes), verdict == "ok", int(result, 16)))
    return loops


def read_coremark(text: str, name: str, memory: str, flags: str, iterations: int, toolchain: str = "zig") -> CoreMark:
    """What CoreMark and our port of it printed: right when its CRCs are and it reports no wrong one."""
    counts = re.search(rf"^measured {_COUNTS}$", text, re.MULTILINE)
    if counts is None:
        raise NsocError(f"CoreMark did not end; it printed: {text[-200:]!r}")
    found = {key: int(value, 16) for key, value in re.findall(r"^(?:\[0\])?(\w+) *: 0x(\w{4})$", text, re.MULTILINE)}
    ok = all(found.get(key) == value for key, value in COREMARK_CRCS.items()) and "]ERROR" not in text
    cycles, instructions, causes = counts.groups()
    return CoreMark(
        name, int(cycles), int(instructions), _stalls(causes), ok, found.get("crcfinal", 0), memory, flags, iterations,
        toolchain,
    )  # fmt: skip


def _stalls(text: str) -> dict[str, int] | None:
    return None if text == "none" else dict(zip(STALLS, map(int, text.split()), strict=True))


def _failed(loop: Measured) -> Measured:
    return Measured(loop.name, loop.cycles, loop.instructions, loop.stalls, False, loop.result)


# ---- Showing ---------------------------------------------------------------------------------------------------------

COMPILERS = {"zig": "clang", GCC: "GCC"}
MEMORY_WORDS = {ALONE: "memory at once", SOC_MEMORY: "in the SoC"}


def published(core: str = firmware.DEFAULT_ARCHITECTURE) -> list[dict[str, Any]]:
    """Of published/cpu.toml the cores with the instruction set of this one (see Preset)."""
    cores: list[dict[str, Any]] = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["coremark"]
    return [row for row in cores if row["core"] == core]


@public
def records(result: CpuResult) -> list[Record]:
    """A record for each figure. `mode` is the loop, or for CoreMark `coremark:O2` and `coremark:tuned` (memory at
    once), `coremark:gcc-O2` and `coremark:gcc-tuned` by GCC, with `:soc` behind it where it ran in the SoC."""
    made = []
    for loop in result.loops:
        made += _counts(result.preset.name, loop.name, loop)
        if loop.name == "nic_forward":
            per_frame = loop.cycles / max(1, loop.result)
            made.append(Record(SUITE, result.preset.name, "cycles_per_frame", per_frame, loop.name, unit="cycles"))
    for run in result.coremark:
        mode, anchor = run.mode, _anchor(run, result.preset.core)
        made.append(
            Record(
                SUITE, result.preset.name, "coremark_per_mhz", run.per_mhz, mode, unit="1/MHz",
                published=anchor.get("per_mhz"), source=anchor.get("source") if "per_mhz" in anchor else None,
            )
        )  # fmt: skip
        made += _counts(result.preset.name, mode, run, anchor)
        seconds = run.seconds(result.preset)
        made.append(Record(SUITE, result.preset.name, "coremark_s", seconds, mode, unit="s", limit=REPORTABLE_S))
        made.append(Record(SUITE, result.preset.name, "coremark_reportable", seconds >= REPORTABLE_S, mode))
    return made


def _anchor(run: CoreMark, core: str) -> dict[str, Any]:
    """The first published core's figures for the same flags and memory."""
    key = {PLAIN: "o2", TUNED: "tuned"}.get(run.name)
    first = published(core)[0]
    if key not in first or run.memory != first["memory"]:
        return {}
    anchor = {"per_mhz": first[key], "source": first["source"]}
    return {**anchor, "cpi": first["cpi"]} if key == "tuned" and "cpi" in first else anchor


def _counts(preset: str, mode: str, what: Measured, anchor: Mapping[str, Any] | None = None) -> list[Record]:
    known = anchor or {}
    source = known.get("source") if "cpi" in known else None
    made = [
        Record(SUITE, preset, "cpi", what.cpi, mode, published=known.get("cpi"), source=source),
        Record(SUITE, preset, "cycles", what.cycles, mode, unit="cycles"),
        Record(SUITE, preset, "instructions", what.instructions, mode, unit="instructions"),
        Record(SUITE, preset, "bit_exact", what.ok, mode),
    ]
    causes = {} if what.stalls is None else what.stalls
    for cause, cycles in {**causes, "other": what.other}.items():
        made.append(Record(SUITE, preset, f"stall_{cause}", cycles, mode, unit="cycles"))
    return made


def tables(result: CpuResult) -> "list[Table]":
    """The loops; then CoreMark beside published cores, and what it waited for."""
    shown = [_stall_table(f"Loops on {result.preset.name}, and percent of their cycles", result.loops)]
    if result.coremark:
        shown += [
            _coremark_table(result.coremark, result.preset.core),
            _stall_table("CoreMark likewise", result.coremark),
        ]
    return shown


def lines(result: CpuResult) -> list[str]:
    """What the tables leave to say."""
    said = []
    for loop in result.loops:
        if loop.name == "nic_forward":
            cycles = loop.cycles / max(1, loop.result)
            rate = result.preset.cpu_mhz / cycles
            said.append(f"nic_forward: {cycles:.1f} cycles a frame, {rate:.3f} million frames/s at most.")
    if any(what.stalls is None for what in [*result.loops, *result.coremark]):
        said.append("This core does not count what it waits for: all of it is under other.")
    if result.coremark:
        for run in result.coremark:
            if run.memory == ALONE:
                said.append(f"CoreMark {run.name} by {COMPILERS[run.toolchain]}: {run.flags}")
        gcc = gcc_version(result.preset)
        target = firmware.architecture(result.preset.core)
        if gcc:
            said.append(
                f"Published figures are by GCC, and ours by GCC {gcc} are divided by them; what clang makes more of "
                "CoreMark is the compiler's. Compare cores by CPI."
            )
        else:
            said.append(
                "Published figures are by GCC, ours by clang: much of the ratio is the compiler. To compare like with "
                f"like install {target.gcc} (Debian: `apt-get install {target.gcc_package}`)."
            )
        longest = max(run.seconds(result.preset) for run in result.coremark)
        if longest < REPORTABLE_S:
            said.append(
                f"CoreMark ran {result.coremark[0].iterations} iterations with the CRCs of a valid run, {longest:.3f} "
                f"s at {result.preset.cpu_mhz:g} MHz. Its rules ask for {REPORTABLE_S:g} s: none of these is a score "
                "to report."
            )
    return said


def _stall_table(title: str, rows: Sequence[Measured]) -> "Table":
    """Shares of all cycles, in percent: instructions, each cause that there was, the rest."""
    from rich import box
    from rich.table import Table

    seen = [cause for cause in STALLS if any((row.stalls or {}).get(cause) for row in rows)]
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0, pad_edge=False)
    table.add_column("", no_wrap=True)
    for column in ("instr.", "cycles", "CPI", "retired", *(STALLS[c].replace(" ", "\n") for c in seen), "other"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        shares = [row.instructions, *((row.stalls or {}).get(cause, 0) for cause in seen), row.other]
        where = f" {COMPILERS[row.toolchain]} {row.memory}" if isinstance(row, CoreMark) else ""
        table.add_row(
            row.name + where + ("" if row.ok else " WRONG"),
            f"{row.instructions:,}", f"{row.cycles:,}", f"{row.cpi:.3f}",
            *(f"{100 * share / row.cycles:.1f}" for share in shares),
        )  # fmt: skip
    return table


def _coremark_table(runs: Sequence[CoreMark], core: str) -> "Table":
    from rich.table import Table

    table = Table(title="CoreMark", title_justify="left")
    table.add_column("core, compiler, memory")
    for column in (f"per MHz, {PLAIN}", f"per MHz, {TUNED}", f"CPI, {TUNED}"):
        table.add_column(column, justify="right")
    by_place = {(run.toolchain, run.name, run.memory): run for run in runs}
    toolchains = [name for name in COMPILERS if (name, PLAIN, ALONE) in by_place]
    for toolchain in toolchains:
        for memory, words in MEMORY_WORDS.items():
            plain, tuned = by_place[toolchain, PLAIN, memory], by_place[toolchain, TUNED, memory]
            name = f"N-SoC, {COMPILERS[toolchain]}, {words}"
            table.add_row(name, f"{plain.per_mhz:.3f}", f"{tuned.per_mhz:.3f}", f"{tuned.cpi:.3f}", style="bold")
    like = toolchains[-1]  # GCC, as theirs, where there is one
    for other in published(core):
        plain, tuned = (by_place[like, flags, other["memory"]] for flags in (PLAIN, TUNED))
        pairs = ((plain.per_mhz, other.get("o2")), (tuned.per_mhz, other.get("tuned")), (tuned.cpi, other.get("cpi")))
        row = ["" if theirs is None else f"{theirs:.2f} ({ours / theirs:.2f}x)" for ours, theirs in pairs]
        table.add_row(f"{other['name']}, GCC, {MEMORY_WORDS[other['memory']]}", *row)
    for memory, words in MEMORY_WORDS.items():
        if given := by_place.get(("zig", GIVEN, memory)):
            table.add_row(f"N-SoC, clang, {words}, --flags", "", f"{given.per_mhz:.3f}", f"{given.cpi:.3f}")
    table.caption = f"In brackets: ours by {COMPILERS[like]}, with the same kind of memory, divided by it."
    return table
