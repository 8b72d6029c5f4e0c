# SPDX-License-Identifier: Apache-2.0
"""How much hardware a block or a preset is: Yosys for 7-series and ECP5, beside published figures.

A block is a folder of rtl/ (its tops are in `TOPS`) or any module; a preset is the whole SoC, reported by parts. What
was synthesized once is kept under build/synth/ by the content of what went into it.
"""

import difflib
import json
import re
import shutil
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc.errors import NsocError
from nsoc.hardware import levels, yosys
from nsoc.machine import firmware, memory_map, presets
from nsoc.machine.build import cache_folder, checkout, content_hash, include_folders, included, locked
from nsoc.machine.presets import Preset, start_lanes
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SOC = "nsoc"
RESULT = "result.json"
PUBLISHED = Path(__file__).parents[1] / "published" / "utilization.toml"


class Target(StrEnum):
    """What the cells are those of."""

    XC7 = "xc7"
    ECP5 = "ecp5"


CORES = {"rv32": "rv_core", "sparc": "v8_core"}
"""The module that is the core, by `Preset.core`."""
TOPS = {
    "bus": ("acb_arbiter", "acb_router", "acb_cdc", "acb_to_afb", "afb_router", "afb_cdc"),
    "cpu": ("rv_core",),
    "mac": ("mac",),
    "dram": ("dram_controller",),
    "mem": ("boot_rom", "local_mem", "dram_port", "acb_ram", "l2_cache", "l2_regs"),
    "nic": ("nic",),
    "periph": ("intc", "timer", "uart"),
}
"""Blocks by folder of rtl/ and what is synthesized of each. `cpu` is the core without its caches."""

FAST = ("tcp_fast_tx", "tcp_fast_rx")
SUMS = {
    "net-tcp": ("net", "tcp_engine"),
    "lat-blocks": (
        "mac_xgmii_cut", "mac_wide_rx", "xgmii_wide_tx", *FAST, "tcp_fast_copy", "tcp_fast_ends", "tcp_fast_told",
        "tcp_fast_arrivals", "tcp_fast_rest", "tcp_stream", "net", "tcp_core", "tcp_table", "tcp_rx", "tcp_tx",
        "tcp_events", "tcp_commands", "tcp_rings", "tcp_timers", "tcp_oldest",
    ),
}  # fmt: skip
"""Modules that are counted together, as `TOPS`, but are no folder. lat-blocks: of a lat_node (see lat_area.py)."""
SHALLOW = ("lat-blocks",)
"""Of `SUMS` those that are mapped for few levels of logic."""

_TCP_LAT: dict[str, int | str] = {"CLOCK_HZ": 100_000_000, "PACKET_BYTES": 2 * 64 * 4096, "STREAM": 1}
CONFIGURATIONS: dict[str, dict[str, dict[str, int | str]]] = {
    "nic": {"small": {"SERVERS": 1, "DEPTH": 16, "SELFTEST": 0, "PTP": 0, "STATISTICS": 0}},
    "dca_unit": {
        "toe": {
            "PACKET_BASE": memory_map.PACKET_MEMORY_BASE, "PACKET_BYTES": memory_map.PACKET_MEMORY_BYTES,
            "DRAM_BASE": memory_map.DRAM_BASE, "DRAM_BYTES": memory_map.DRAM_BYTES,
        }
    },
    "rv_core": {
        "small": {
            "DIVIDER": 0, "ZBB": 0, "INTERRUPTS": 0, "BTB_ENTRIES": 16, "RAS_DEPTH": 2, "COUNTERS": 0,
            "PERF_COUNTERS": 0, "ORDER": 1, "FORWARD_LOADS": 1,
        }
    },
    "cpu_lsu": {"line": {"LINE": 1}},
    "tcp_engine": {
        "lat": _TCP_LAT, **{f"lat-{width}": {**_TCP_LAT, "WIDTH": width} for width in (128, 256, 512)},
    },
    "tcp_commands": {"lat": {"STREAM": 1}},
    "tcp_rings": {
        "lat": {"APART": 1}, **{str(width): {"WIDTH": width, "APART": 1} for width in (128, 256, 512)},
    },
    "net": {
        "lat": {"TAGS": 0, "GROUPS": 0},
        **{str(width): {"WIDTH": width, "TAGS": 0, "GROUPS": 0} for width in (128, 256, 512)},
    },
    **{block: {str(width): {"WIDTH": width} for width in (128, 256, 512)} for block in ("tcp_rx", "tcp_tx")},
    "tcp_stream": {
        **{f"{wide}-{line}": {"WIDTH": wide, "PORT": line}
           for wide, line in ((128, 64), (128, 128), (256, 256), (512, 512))},
        "placed": {"WIDTH": 128, "PORT": 128, "RING_BYTES": 2048},
    },
    "tcp_fast_rest": {"128": {"WIDTH": 128, "DEPTH": 4096, "LONGEST": 100}},
    "mac_xgmii_cut": {"one": {"ONE_CLOCK": 1}},
    "mac_xgmii_wide": {
        **{
            f"{line}-{width}": {"COLUMNS": line // 64, "START_LANES": start_lanes(line), "WIDTH": width}
            for line, width in ((128, 128), (256, 128), (256, 256), (512, 512))
        },
        "512-packed": {"COLUMNS": 8, "START_LANES": 8, "WIDTH": 512, "PACKED": 1},
    },
    "mac_wide_rx": {"50g": {"COLUMNS": 4, "START_LANES": 8}, "100g": {"COLUMNS": 8, "START_LANES": 8}},
    "xgmii_wide_tx": {"50g": {"COLUMNS": 4, "START_LANES": 8}, "100g": {"COLUMNS": 8, "START_LANES": 8}},
    **{
        block: {
            f"{wide}-{line}": {"WIDTH": wide, "LINE": line}
            for wide, line in ((128, 64), (128, 128), (256, 256), (512, 512))
        }
        for block in FAST
    },
}  # fmt: skip
"""Modules with other parameters than their own, by a name for these. They are shown, too, and are no part of a sum."""

VENDOR_ONLY = {"nsoc_ecp5.sv": ("ecp5",), "rgmii.sv": ("ecp5",), "nsoc_kc705.sv": ("xc7",)}
"""Files that need primitives, and the folders of rtl/vendor/ that have them."""

LUT_CELLS: dict[Target, dict[str, int]] = {
    Target.XC7: {**{f"LUT{n}": 1 for n in range(1, 7)}, "RAM32X1D": 2, "RAM64X1D": 2, "RAM32M": 4, "RAM64M": 4,
                 "RAM128X1D": 4, "SRL16E": 1, "SRLC32E": 1},
    Target.ECP5: {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
}  # fmt: skip
"""LUTs a cell takes. A carry cell of the ECP5 takes two, sixteen words of four bits of its LUT RAM take six (four for
the data, two for writing); the carry chain of the 7-series has the LUTs that feed it counted already."""
FF_CELLS = {
    Target.XC7: {"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1, "FDRE_1": 1, "FDSE_1": 1, "FDCE_1": 1, "FDPE_1": 1},
    Target.ECP5: {"TRELLIS_FF": 1},
}
BRAM_CELLS: dict[Target, dict[str, float]] = {
    Target.XC7: {"RAMB36E1": 1, "RAMB18E1": 0.5},
    Target.ECP5: {"DP16KD": 1, "PDPW16KD": 1},
}
DSP_CELLS = {Target.XC7: {"DSP48E1": 1}, Target.ECP5: {"MULT18X18D": 1}}

UNITS = {
    Target.XC7: {"lut": "LUT6", "ff": "FF", "bram": "RAMB36", "dsp": "DSP48"},
    Target.ECP5: {"lut": "LUT4", "ff": "FF", "bram": "EBR", "dsp": "MULT18"},
}

FLOW = {
    Target.XC7: ("synth_xilinx -family xc7 -flatten -noiopad", ("", "map_memory", "map_cells", "map_luts", "")),
    Target.ECP5: ("synth_ecp5 -cmp2softlogic", ("", "map_ram", "map_gates", "map_luts", "")),
}
"""The command, and the labels in it between which it is run step by step."""
SHALLOW_COMMAND = "scratchpad -set synth_xilinx.abc9.W 2000"
"""Before it: a wire between two LUTs of 7-series counts 2000 ps instead of 300. With 300 the slowest way is often one
through a few slow cells (carry chain, LUT RAM), and LUTs are saved on ways that have many more of them."""

BLOCK_SECONDS = {Target.XC7: 30, Target.ECP5: 20}
PRESET_SECONDS = {Target.XC7: 120, Target.ECP5: 90}


@dataclass(frozen=True, slots=True)
class Area:
    """Cells. LUTs of the target's own size; block RAMs in RAMB36 (7-series) or EBR of 18 kbit (ECP5)."""

    lut: int = 0
    ff: int = 0
    bram: float = 0
    dsp: int = 0

    def __add__(self, other: "Area") -> "Area":
        return Area(self.lut + other.lut, self.ff + other.ff, self.bram + other.bram, self.dsp + other.dsp)

    def __sub__(self, other: "Area") -> "Area":
        return Area(self.lut - other.lut, self.ff - other.ff, self.bram - other.bram, self.dsp - other.dsp)


@dataclass(frozen=True, slots=True)
class Memory:
    """Where an array of the RTL went."""

    name: str
    kind: str
    """`block` RAM, `lut` RAM or `ff`."""


@dataclass(frozen=True)
class Synthesis:
    """What Yosys made of one top."""

    name: str
    target: Target
    parts: dict[str, Area]
    memories: list[Memory]
    seconds: float
    netlist: str
    """Path of the JSON netlist."""
    fmax_mhz: dict[str, float] = field(default_factory=dict)
    """By clock, after place and route of the block alone; empty when that was not asked for."""
    configuration: str = ""
    """Of `CONFIGURATIONS`; empty: as it is by default."""
    shallow: bool = False
    """Mapped for few levels (`SHALLOW_COMMAND`)."""
    levels: int = 0
    """Of LUT6 on the longest way between registers, of a module alone on 7-series; 0: not counted."""
    longest: str = ""
    """Where that way begins and ends."""

    @property
    def area(self) -> Area:
        return sum(self.parts.values(), Area())


def area_of(cells: Mapping[str, int], target: Target) -> Area:
    """Area of a count of cells by type."""

    def count(weights: Mapping[str, float]) -> float:
        return sum(cells.get(cell, 0) * weight for cell, weight in weights.items())

    bram = count(BRAM_CELLS[target])
    return Area(int(count(LUT_CELLS[target])), int(count(FF_CELLS[target])), bram, int(count(DSP_CELLS[target])))


# ---- Sources ---------------------------------------------------------------------------------------------------------


def sources(vendor: str | None = None) -> list[Path]:
    """The RTL, packages first, with the primitives of one vendor (a folder of rtl/vendor/) or of none."""
    root = checkout() / "rtl"

    def belongs(path: Path) -> bool:
        if root / "vendor" in path.parents:
            return path.parent.name == vendor
        return path.name not in VENDOR_ONLY or vendor in VENDOR_ONLY[path.name]

    return sorted(filter(belongs, sorted(root.rglob("*.sv"))), key=lambda path: not path.stem.endswith("_pkg"))


def assigned(name: str, value: int | str) -> str:
    """A parameter of a top, as tools want it: text in quotes."""
    return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"


def read_command(
    top: str, parameters: Mapping[str, int | str], files: Sequence[Path], *, hierarchy: bool = False
) -> str:
    """The Yosys command that elaborates `top`. Assertions are not synthesized."""
    options = ["--ignore-assertions", *include_folders(), *(["--keep-hierarchy"] if hierarchy else []), "--top", top]
    for name, value in parameters.items():
        options += ["-G", assigned(name, value)]
    return " ".join(["read_slang", *options, *map(str, files)])


def rom_file(elf: Path, rom_bytes: int, folder: Path, arch: str) -> Path:
    """Boot ROM contents for $readmemh: 64-bit words, the first byte of memory the most significant."""
    image = bytearray(rom_bytes)
    for segment in firmware.segments(elf, arch):
        end = segment.address + len(segment.data)
        if segment.address >= rom_bytes:
            raise NsocError(f"{elf.name} is in part in DRAM, which is empty at power-on: link it to the boot ROM")
        if end > rom_bytes:
            raise NsocError(f"{elf.name} needs {end} bytes of boot ROM, there are {rom_bytes}")
        image[segment.address : end] = segment.data
    words = (image[at : at + 8].hex() for at in range(0, rom_bytes, 8))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "rom.hex"
    path.write_text("\n".join(words) + "\n", encoding="ascii")
    return path


def _filler(rom_bytes: int, folder: Path) -> Path:
    """Contents for a boot ROM of its own: any, but not so regular that it could be logic instead of memory."""
    import random

    draw = random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "rom.hex"
    path.write_text("".join(f"{draw.getrandbits(64):016x}\n" for _ in range(rom_bytes // 8)), encoding="ascii")
    return path


# ---- Synthesis -------------------------------------------------------------------------------------------------------


def flow(target: Target, top: str, *, shallow: bool = False) -> list[tuple[str, float]]:
    """Yosys's synthesis for `target`, in steps that a progress bar can follow. `shallow`: for few levels of logic."""
    command, labels = FLOW[target]
    before = [(SHALLOW_COMMAND, 0.01)] if shallow and target is Target.XC7 else []
    return [*before, *((f"{command} -top {top} -run {begin}:{end}", 1.0) for begin, end in pairwise(labels))]


def synthesize(name: str, target: Target, *, shallow: bool = False, fresh: bool = False) -> list[Synthesis]:
    """Synthesizes a block (all its tops), a module, or a preset. Raises NsocError when there is none of that name.

    `shallow`: blocks and modules for few levels of logic; those of `SHALLOW` always are.
    """
    shallow = shallow or name in SHALLOW
    if tops := {**TOPS, **SUMS}.get(name):
        wanted = [(top, configuration) for top in tops for configuration in ("", *CONFIGURATIONS.get(top, {}))]
        return [
            synthesize_module(top, target, configuration=chosen, shallow=shallow, fresh=fresh) for top, chosen in wanted
        ]
    if name in presets.names() or name.endswith(".toml"):
        return [synthesize_preset(presets.load_soc(name), target, fresh=fresh)]
    if name in {path.stem for path in sources() if not path.stem.endswith("_pkg")}:
        return [
            synthesize_module(name, target, configuration=chosen, shallow=shallow, fresh=fresh)
            for chosen in ("", *CONFIGURATIONS.get(name, {}))
        ]
    known = [*TOPS, *SUMS, *presets.names()]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise NsocError(f"there is no block or preset {name!r}, only {', '.join(known)} and the modules of rtl/{hint}")


def synthesize_module(
    top: str,
    target: Target,
    clock: str | None = None,
    *,
    configuration: str = "",
    shallow: bool = False,
    fresh: bool = False,
) -> Synthesis:
    """One module, with its default parameters or in one of its `CONFIGURATIONS`. `shallow`: for few levels of logic.

    With `clock`: in a frame of registers on it, for timing.
    """
    chosen = CONFIGURATIONS[top][configuration] if configuration else {}
    shallow = shallow and target is Target.XC7  # another family's is the same, kept once, and not called so

    def script(folder: Path) -> list[tuple[str, float]]:
        parameters = {"INIT_FILE": str(_filler(65536, folder))} if top == "boot_rom" else chosen
        read = read_command(top, parameters, sources())
        whole = yosys.HARNESS if clock else top
        return [
            (read, 0.2),
            *([(f"!harness {top} {clock}", 0.1)] if clock else []),
            *flow(target, whole, shallow=shallow),
        ]

    what = f"Synthesizing {' '.join([top, configuration]).strip()} for {target}"
    about = _about_module(top, clock, configuration, shallow=shallow)
    result = _kept(
        top, target, script, about, what, BLOCK_SECONDS[target], lambda module: top, flat=not clock, fresh=fresh
    )  # fmt: skip
    return replace(result, configuration=configuration, shallow=shallow)


def kept(name: str, target: Target) -> list[Synthesis] | None:
    """What synthesize() gives for one of `SUMS`, if all of it is there already; None when it would take minutes."""
    found = [kept_module(top, target) for top in SUMS[name]]
    there = [one for one in found if one is not None]
    return there if len(there) == len(found) else None


def kept_module(top: str, target: Target, *, configuration: str = "") -> Synthesis | None:
    """What synthesize_module() gives without a clock, if that is there already."""
    folder = _folder(top, target, _about_module(top, None, configuration))
    return replace(_stored(folder), configuration=configuration) if (folder / RESULT).exists() else None


def _about_module(top: str, clock: str | None, configuration: str, *, shallow: bool = False) -> dict[str, Any]:
    """What the synthesis of a module depends on, besides the RTL."""
    chosen = CONFIGURATIONS[top][configuration] if configuration else {}
    about: dict[str, Any] = {"clock": clock}
    if chosen:
        about["parameters"] = sorted(chosen.items())
    if shallow:
        about["shallow"] = True
    return about


def synthesize_preset(preset: Preset, target: Target, *, fresh: bool = False) -> Synthesis:
    """The whole SoC, its parts kept apart and reported by the folder of rtl/ they come from."""
    about = _about(preset)
    elf = firmware.build_for(preset)
    parameters: dict[str, int | str] = dict(about["parameters"])
    folder_of = {path.stem: path.parent.name for path in sources()}

    def script(folder: Path) -> list[tuple[str, float]]:
        parameters["BOOT_ROM_INIT"] = str(rom_file(elf, 65536, folder, preset.core))
        read = read_command(SOC, parameters, sources(), hierarchy=True)
        return [(read, 0.2), (f"!keep_parts {SOC} {CORES[preset.core]}", 0.01), *flow(target, SOC)]

    def part(module: str) -> str:
        name = module.partition("$")[0]
        core = CORES[preset.core]
        return {core: "cpu: core", "cpu_slot": "cpu: caches, bus unit", "cpu_join": "bus", SOC: "soc"}.get(
            name, folder_of.get(name, "soc")
        )

    what = f"Synthesizing {preset.name} for {target}"
    return _kept(preset.name, target, script, about, what, PRESET_SECONDS[target], part, fresh=fresh)


def kept_preset(preset: Preset, target: Target) -> Synthesis | None:
    """What synthesize_preset gives, if that is there already; None when it would take minutes."""
    folder = _folder(preset.name, target, _about(preset))
    return _stored(folder) if (folder / RESULT).exists() else None


def _about(preset: Preset) -> dict[str, Any]:
    """What the synthesis of a preset depends on, besides the RTL."""
    # A board's UART: simulation prints faster.
    parameters = {**preset.rtl_parameters(), "UART_DIVISOR": round(preset.cpu_mhz * 1e6 / 115200)}
    return {"parameters": sorted(parameters.items()), "firmware": firmware.build_for(preset).parent.name}


def _kept(
    name: str,
    target: Target,
    script: Any,
    about: Mapping[str, Any],
    what: str,
    seconds: float,
    part: Any,
    *,
    flat: bool = False,
    fresh: bool,
) -> Synthesis:
    """Runs a script unless its result is there. `flat`: it leaves one module, whose levels are counted."""
    yosys.share_folder()
    folder = _folder(name, target, about)
    with locked(folder):
        if fresh or not (folder / RESULT).exists():
            shutil.rmtree(folder, ignore_errors=True)
            began = time.monotonic()
            ending = [("write_json netlist.json", 0.1), ("tee -q -o stat.json stat -json", 0.05)]
            log = yosys.run([*script(folder), *ending], folder, what, seconds)
            result = _read_result(name, target, folder, log, part, time.monotonic() - began)
            if flat and target is Target.XC7:
                way = levels.longest(folder / "netlist.json", name)
                result = replace(result, levels=way.levels, longest=f"{way.begin} to {way.end}")
            text = json.dumps(asdict(result), indent=1)
            (folder / RESULT).write_text(text, encoding="utf-8")
    return _stored(folder)


def _folder(name: str, target: Target, about: Mapping[str, Any]) -> Path:
    read = [*sources(), *included(), Path(yosys.__file__), Path(__file__)]
    digest = content_hash(read, name, target, about, _yosys_version())
    return cache_folder() / "synth" / f"{name}-{target}-{digest}"


def _stored(folder: Path) -> Synthesis:
    stored = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    return Synthesis(
        **{
            **stored,
            "target": Target(stored["target"]),
            "parts": {key: Area(**area) for key, area in stored["parts"].items()},
            "memories": [Memory(**memory) for memory in stored["memories"]],
        }
    )


def _yosys_version() -> str:
    try:
        return version("pyosys")
    except PackageNotFoundError:
        return "?"


def _read_result(name: str, target: Target, folder: Path, log: Path, part: Any, seconds: float) -> Synthesis:
    modules = json.loads((folder / "stat.json").read_text(encoding="utf-8"))["modules"]
    parts: dict[str, Area] = {}
    for module, numbers in modules.items():
        label = part(module.removeprefix("\\"))
        parts[label] = parts.get(label, Area()) + area_of(numbers["num_cells_by_type"], target)
    netlist = str(folder / "netlist.json")
    memories = list(_memories(log.read_text(encoding="utf-8", errors="replace")))
    return Synthesis(name, target, dict(sorted(parts.items())), memories, round(seconds, 1), netlist)


def _memories(log: str) -> Iterable[Memory]:
    """Yosys's own words on where each memory went."""
    block = ("DP16KD", "PDPW16KD", "BLOCKRAM")
    for line in re.finditer(r"^mapping memory (\S+) via \$__(\S+)", log, re.MULTILINE):
        path, cell = line.groups()
        yield Memory(path, "block" if any(word in cell for word in block) else "lut")
    for line in re.finditer(r"^using FF mapping for memory (\S+)", log, re.MULTILINE):
        yield Memory(line.group(1), "ff")


# ---- Published figures -----------------------------------------------------------------------------------------------


def published() -> dict[str, Any]:
    """published/utilization.toml."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def anchors(name: str, target: Target) -> list[dict[str, Any]]:
    """Published figures to compare a block or a preset with: name, lut, ff, bram, dsp, fmax_mhz (or none), source."""
    data = published()
    found = [entry for entry in data["peer"] if entry["block"] == name and entry["target"] == target]
    if target is Target.XC7:
        available = data["board"]["kc705"]
        for entry in data["soc"]:
            if name in entry["presets"]:
                share = {key: round(entry[key] / 100 * available[key]) for key in ("lut", "ff", "bram", "dsp")}
                found.append({**share, "name": entry["name"], "source": entry["source"]})
    return found


# ---- Results ---------------------------------------------------------------------------------------------------------


def records(name: str, results: Sequence[Synthesis]) -> list[Record]:
    """A record for each figure. `preset` is the block's or the preset's name; `mode` is the target, and behind a colon
    the part, for figures that are not the whole's."""
    made = []
    several = len({result.name for result in results}) > 1

    def label_of(result: Synthesis) -> str:
        return " ".join([result.name, result.configuration]).strip()

    for target in dict.fromkeys(result.target for result in results):
        of_target = [result for result in results if result.target is target and not result.configuration]
        known = anchors(name, target)
        anchor = known[0] if known else {}
        whole = sum((result.area for result in of_target), Area())
        for metric in ("lut", "ff", "bram", "dsp"):
            made.append(
                Record(
                    "synth", name, metric, getattr(whole, metric), mode=target, unit=UNITS[target][metric],
                    published=anchor.get(metric), source=anchor.get("source") if metric in anchor else None,
                )
            )  # fmt: skip
        for result in of_target:
            made += [_fmax_record(name, target, clock, mhz, anchor) for clock, mhz in result.fmax_mhz.items()]
        for result in results:
            if result.target is target and result.levels:
                mode = f"{target}:{label_of(result)}"
                made.append(Record("synth", name, "levels", result.levels, mode=mode, unit="LUT6"))
        others = [
            (label_of(result) if several else result.configuration, result.area)
            for result in results
            if result.target is target and result.configuration
        ]
        for label, area in [*_rows(of_target), *others]:
            made += [
                Record(
                    "synth", name, metric, getattr(area, metric), mode=f"{target}:{label}", unit=UNITS[target][metric]
                )
                for metric in ("lut", "ff", "bram", "dsp")
            ]
    return made


def _fmax_record(name: str, target: Target, clock: str, mhz: float, anchor: Mapping[str, Any]) -> Record:
    mode = f"{target}:{clock}"
    return Record(
        "synth", name, "fmax_mhz", mhz, mode=mode, unit="MHz", published=anchor.get("fmax_mhz"),
        source=anchor.get("source") if "fmax_mhz" in anchor else None,
    )  # fmt: skip


def _rows(results: Sequence[Synthesis]) -> list[tuple[str, Area]]:
    """Parts, where there is more than one."""
    rows = [(label, area) for result in results for label, area in result.parts.items() if area != Area()]
    return rows if len(rows) > 1 else []


def table(name: str, target: Target, results: Sequence[Synthesis]) -> "Table":
    """Ours by part, the published figures below, and what they are to ours."""
    from rich.table import Table

    unit = UNITS[target]
    title = f"{name} on {target}" + (", for few levels" if any(result.shallow for result in results) else "")
    shown = Table(title=title, title_justify="left")
    shown.add_column("block")
    for column in (unit["lut"], unit["ff"], unit["bram"], unit["dsp"]):
        shown.add_column(column, justify="right")
    for label, area in _rows([result for result in results if not result.configuration]):
        shown.add_row(label, f"{area.lut:,}", f"{area.ff:,}", f"{area.bram:g}", f"{area.dsp}")
    whole = sum((result.area for result in results if not result.configuration), Area())
    shown.add_section()
    shown.add_row(
        f"{name}, all of it", f"{whole.lut:,}", f"{whole.ff:,}", f"{whole.bram:g}", f"{whole.dsp}", style="bold"
    )
    for result in results:
        if result.configuration:
            area, chosen = result.area, CONFIGURATIONS[result.name][result.configuration]
            label = f"{result.configuration}: " + ", ".join(f"{key} {value}" for key, value in chosen.items())
            shown.add_row(label, f"{area.lut:,}", f"{area.ff:,}", f"{area.bram:g}", f"{area.dsp}")
    if target is Target.XC7:
        available = published()["board"]["kc705"]
        row = [f"{100 * getattr(whole, key) / available[key]:.2f} %" for key in ("lut", "ff", "bram", "dsp")]
        shown.add_row("... of a KC705's XC7K325T", *row)
    for anchor in anchors(name, target):
        row = []
        for key in ("lut", "ff", "bram", "dsp"):
            value = anchor.get(key)
            ours = getattr(whole, key)
            row.append("" if value is None else f"{value:,} ({ours / value:.2f}x)" if value else f"{value}")
        shown.add_row(anchor["name"], *row)
    shown.caption = "In brackets: ours divided by it." if anchors(name, target) else None
    return shown


def timing_lines(name: str, results: Sequence[Synthesis]) -> list[str]:
    """A sentence for each clock of each block that was placed and routed."""
    lines = []
    for result in results:
        for clock, mhz in result.fmax_mhz.items():
            lines.append(
                f"{result.name}: {clock} {mhz:.1f} MHz, placed and routed alone on an LFE5U-45F, speed grade 6"
            )
    peers = [anchor for anchor in published()["peer"] if anchor["block"] == name and "fmax_mhz" in anchor]
    if lines and peers:
        lines.append("Published: " + ", ".join(f"{peer['name']} {peer['fmax_mhz']} MHz" for peer in peers))
    return lines


def level_lines(results: Sequence[Synthesis]) -> list[str]:
    """A sentence for each block whose longest way between registers was counted."""
    return [
        f"{' '.join([result.name, result.configuration]).strip()}: {result.levels} levels of LUT6, {result.longest}"
        for result in results
        if result.levels
    ]


def memory_line(results: Sequence[Synthesis]) -> str:
    """How many memories went where."""
    kinds = [memory.kind for result in results if not result.configuration for memory in result.memories]
    words = {"block": "in block RAM", "lut": "in LUT RAM", "ff": "in flip-flops"}
    return "Memories: " + ", ".join(f"{kinds.count(kind)} {text}" for kind, text in words.items())
