# SPDX-License-Identifier: Apache-2.0
"""How large and how deep a lat_node is, for each width and rate: MAC, fast paths, streams, net and tcp by themselves.

Each part is what Yosys makes of its blocks alone, mapped for few levels of logic (`synth.SHALLOW_COMMAND`). `nsoc synth
lat` shows all systems in one table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nsoc.errors import NsocError
from nsoc.hardware import synth
from nsoc.hardware.synth import Area, Synthesis, Target
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

NAME = "lat"
"""Of all systems together."""
MOST_LEVELS = 9
"""That are wanted where a clock is assumed and not placed."""

Block = tuple[str, str]
"""Module, and its configuration in `synth.CONFIGURATIONS`."""
SMALL = (("tcp_fast_copy", ""), ("tcp_fast_ends", ""), ("tcp_fast_told", ""))
"""Of the fast paths what is the same at all widths."""


@dataclass(frozen=True)
class Part:
    """A part of a system."""

    system: str
    name: str
    area: Area
    levels: int
    """The most of its blocks; 0: not counted."""


def systems() -> list[Preset]:
    """All presets with a lat_node, and one with words of 256 bits, which none of them has."""
    found = [preset for preset in presets.all_presets() if preset.top == "lat_node"]
    found.append(presets.load("lat-50g").with_(name="lat-50g width=256", width=256))
    return sorted(found, key=lambda preset: (preset.line_mbps, preset.name))


def systems_of(name: str) -> list[Preset]:
    """All for `lat`, or the preset of that name; none when it is not one of these."""
    return [preset for preset in systems() if name in (NAME, preset.name)]


def parts(preset: Preset) -> dict[str, list[Block]]:
    """What a system is made of. Raises NsocError for a width that is not among those that are synthesized."""
    line, words, width = preset.line_bits, preset.engine_bits, preset.width
    mac = ("mac_xgmii_cut", "one" if preset.one_clock else "") if line == 64 else ("mac_xgmii_wide", f"{line}-{width}")
    fast = "" if width == words == 64 else f"{width}-{words}"
    found = {
        f"MAC, {line} bits": [mac],
        f"fast paths, {words} bits": [*((block, fast) for block in synth.FAST), *SMALL],
        f"streams, {width} bits": [("tcp_stream", fast)],
        f"net, {words} bits": [("net", "lat" if words == 64 else f"{words}")],
        f"tcp, {words} bits": [("tcp_engine", "lat" if words == 64 else f"lat-{words}")],
    }
    for blocks in found.values():
        for block, configuration in blocks:
            if configuration and configuration not in synth.CONFIGURATIONS.get(block, {}):
                raise NsocError(f"{preset.name}: {block} is not synthesized as {configuration}")
    return found


def measure(chosen: Sequence[Preset], target: Target = Target.XC7, *, fresh: bool = False) -> list[Part]:
    """The parts of each system, in order; a block that several of them have is synthesized once."""
    kept: dict[Block, Synthesis] = {}
    for preset in chosen:
        for blocks in parts(preset).values():
            for block, configuration in blocks:
                if (block, configuration) not in kept:
                    kept[block, configuration] = synth.synthesize_module(
                        block, target, configuration=configuration, shallow=True, fresh=fresh
                    )
    return [_part(preset.name, name, blocks, kept) for preset in chosen for name, blocks in parts(preset).items()]


def _part(system: str, name: str, blocks: Sequence[Block], kept: Mapping[Block, Synthesis]) -> Part:
    found = [kept[block] for block in blocks]
    return Part(system, name, sum((one.area for one in found), Area()), max(one.levels for one in found))


def records(found: Sequence[Part], target: Target) -> list[Record]:
    """A record for each figure: `preset` is the system, `mode` the target and the part."""
    made = []
    for part in found:
        mode = f"{target}:{part.name}"
        for metric in ("lut", "ff", "bram"):
            unit = synth.UNITS[target][metric]
            made.append(Record("synth", part.system, metric, getattr(part.area, metric), mode=mode, unit=unit))
        if part.levels:
            made.append(Record("synth", part.system, "levels", part.levels, mode=mode, unit="LUT6", limit=MOST_LEVELS))
    return made


def table(found: Sequence[Part], target: Target) -> "Table":
    """A row for each part, and one for each system."""
    from rich.table import Table

    unit = synth.UNITS[target]
    shown = Table(title=f"Nodes on {target}, part by part", title_justify="left")
    heads = ("system", "part", unit["lut"], unit["ff"], unit["bram"], "levels")
    for head in heads:
        shown.add_column(head, justify="left" if head in heads[:2] else "right", no_wrap=True)
    for system in dict.fromkeys(part.system for part in found):
        of_system = [part for part in found if part.system == system]
        for part in of_system:
            levels = f"{part.levels}" if part.levels <= MOST_LEVELS else f"[red]{part.levels}[/red]"
            first = system if part is of_system[0] else ""
            shown.add_row(first, part.name, *_cells(part.area), levels if part.levels else "")
        whole = sum((part.area for part in of_system), Area())
        shown.add_row("", "together", *_cells(whole), "", style="bold", end_section=True)
    shown.caption = (
        f"Each block alone. Levels: of the longest way between registers, at most {MOST_LEVELS} are wanted."
        if target is Target.XC7
        else "Each block alone."
    )
    return shown


def _cells(area: Area) -> tuple[str, str, str]:
    return f"{area.lut:,}", f"{area.ff:,}", f"{area.bram:g}"
