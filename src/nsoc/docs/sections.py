# SPDX-License-Identifier: Apache-2.0
"""The generated sections of docs/architecture.md and its tables, in Markdown."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nsoc.docs import api, area, diagrams, lat, preset_sections
from nsoc.docs.markdown import NONE, table
from nsoc.docs.rtl_tree import Module
from nsoc.hardware import synth
from nsoc.hardware.lat_area import MOST_LEVELS
from nsoc.hardware.synth import Target
from nsoc.machine import presets
from nsoc.machine.build import checkout
from nsoc.machine.regs import BLOCKS, MEMORIES


@dataclass(frozen=True)
class Facts:
    """What the sections are made of."""

    tree: Module
    area: Mapping[str, Any]
    latency: Mapping[str, Any]
    nodes: lat.Figures = ()


def _mermaid(text: str) -> str:
    return f"```mermaid\n{text}\n```"


DRAWN = {"soc": (), "mac": ("mac",), "mac-core": ("mac", "mac_core"), "nic": ("nic",), "cpu": ("cpu_slot", "rv_slot")}
"""Diagrams by name: of which block, as the modules that one goes through from the top."""


def _diagram(facts: Facts, name: str) -> str:
    module, around = facts.tree, None
    for inside in DRAWN[name]:
        instance = module.instance(inside)
        around = diagrams.neighbours(module, instance, around)
        module = instance.module
    return _mermaid(diagrams.flowchart(module, around))


def _link(module: str) -> str:
    path = next((checkout() / "rtl").rglob(f"{module}.sv")).relative_to(checkout())
    return f"[{module}](../{path})"


def first_sentence(module: str) -> str:
    """What the header of a module's file begins with."""
    source = next((checkout() / "rtl").rglob(f"{module}.sv")).read_text(encoding="utf-8")
    header = re.findall(r"^//(.*)$", source.partition("\nmodule ")[0], re.MULTILINE)
    text = " ".join(line.strip() for line in header if "SPDX" not in line)
    sentence = re.split(r"(?<=[\w)\]])\.(?:\s|$)|  ", text.strip(), maxsplit=1)[0]
    return sentence.rstrip(".:").replace("|", "\\|")


# ---- What there is ---------------------------------------------------------------------------------------------------


def _indented(name: str, depth: int) -> str:
    return f"{'&nbsp;&nbsp;' * 2 * depth}{_link(name)}"


def blocks(facts: Facts) -> str:
    rows = [(_indented(name, depth), first_sentence(name)) for name, depth in area.blocks(facts.tree)]
    return table(("block", "what it is"), rows)


def crossings(facts: Facts) -> str:
    rows = []
    core = facts.tree.instance("mac").module.instance("mac_core").module
    for path, holder in (("", facts.tree), ("u_mac.u_core.", core)):
        for instance in holder.instances:
            name = instance.module.name
            if name == "sync_bits":
                (clock,) = diagrams.clocks(holder, instance)
                (signal,) = instance.pins["d"]
                rows.append((f"`{path}{instance.name}`", _link(name), f"`{signal.name}`", f"`{clock}`"))
            elif name not in area.WHOLES and len(clocks := diagrams.clocks(holder, instance)) > 1:
                arrows = diagrams.edges(holder)
                labels = {label for (_, sink), found in arrows.items() if sink == instance.name for label in found}
                what = ", ".join(sorted(labels))
                both = " and ".join(f"`{clock}`" for clock in sorted(clocks))
                rows.append((f"`{path}{instance.name}`", _link(name), what, both))
    return table(("crossing", "block", "what crosses", "clocks (a synchronizer's: the receiving one)"), rows)


def clocks(facts: Facts) -> str:
    loaded = [preset for preset in presets.all_presets() if preset.has_processor]
    sets: dict[tuple[float, ...], list[str]] = {}
    for preset in loaded:
        frequencies = (preset.cpu_mhz, preset.dram_mhz, preset.nic_mhz, preset.gmii_mhz, preset.gmii_mhz)
        sets.setdefault(frequencies, []).append(preset.name)
    what = {
        "cpu_clk": "processor, memories, peripherals",
        "dram_clk": "DRAM's controller, outside `nsoc`; a quarter of the memory clock",
        "nic_clk": "NIC, and the MAC's side towards it",
        "gmii_rx_clk": "MAC receiver; comes from the PHY",
        "gmii_tx_clk": "MAC transmitter",
    }
    rows = [
        (f"`{clock}`", does, *(f"{frequencies[index]:g}" for frequencies in sets))
        for index, (clock, does) in enumerate(what.items())
    ]
    whose = ["every preset"] if len(sets) == 1 else [", ".join(names) for names in sets.values()]
    heads = ("clock", "what runs on it", *(f"{names}, MHz" for names in whose))
    return table(heads, rows, "ll" + "r" * len(sets))


def memory_map(facts: Facts) -> str:
    rows = [(memory.base, f"{memory.bytes // 1024:,} KB", memory.description) for memory in MEMORIES.values()]
    for block in BLOCKS.values():
        rows.append((block.base, f"{len(block.registers)} registers", f"`{block.name}`: {block.description}"))
    text = [(f"`0x{base:08X}`", size, what) for base, size, what in sorted(rows)]
    return table(("base", "size", "what"), text, "lr")


def counters(facts: Facts) -> str:
    found = [register for register in BLOCKS["nic"].registers.values() if register.counter]
    rows = [(register.id, f"`{register.name}`", register.description) for register in found]
    return table(("ID", "register", "what it counts"), rows, "r")


# ---- What was measured -----------------------------------------------------------------------------------------------


def _area_row(figures: Mapping[str, Any]) -> list[str]:
    cells = [figures[target][key] for target in Target for key in area.MEMORY_KEYS]
    return [f"{cell:,}" if isinstance(cell, int) else f"{cell:g}" for cell in cells]


def areas(facts: Facts) -> str:
    kept = facts.area["blocks"]
    heads = [f"{unit}, {target}" for target in Target for unit in synth.UNITS[target].values()]
    rows = [
        [_indented(name, depth), *(_area_row(kept[name]) if name in kept else [NONE] * len(heads))]
        for name, depth in area.blocks(facts.tree)
    ]
    soc = facts.area["soc"]
    if soc:
        rows.append([f"**whole SoC, {soc['preset']}**", *_area_row(soc)])
    tools = ", ".join(f"{name} {version}" for name, version in facts.area["tools"].items())
    return f"{table(['block', *heads], rows, 'l' + 'r' * len(heads))}\n\nTools: {tools}."


def fmax(facts: Facts) -> str:
    rows = [
        (_link(name), f"`{clock}`", f"{mhz:.1f}", "alone, LFE5U-45F, speed grade 6")
        for name, figures in facts.area["blocks"].items()
        for clock, mhz in figures.get("fmax_mhz", {}).items()
    ]
    measured = facts.area["board"]
    note = "" if measured.get("rtl") == area.soc_digest(facts.tree) else "; the RTL has changed since"
    for record in measured.get("records", []):
        if record["metric"] == "fmax_mhz":
            board, _, clock = record["mode"].partition(":")
            where = f"whole SoC ({record['preset']}) on the board {board}, which wants {record['limit']:g}{note}"
            rows.append((_link("nsoc"), f"`{clock}`", f"{record['value']:.1f}", where))
    return table(("block", "clock", "Fmax, MHz", "placed and routed"), rows, "llr")


def _range(row: Mapping[str, Any], unit: str = "") -> str:
    least, most = row["least"], row["most"]
    return f"{least:g}{unit}" if least == most else f"{least:g} to {most:g}{unit}"


def block_latency(facts: Facts) -> str:
    rows, before = [], ""
    for hop in facts.latency["hops"]:
        name = hop["block"]
        rate = hop["cycles_a_transfer"]
        rows.append(
            (
                "" if name == before else _link(name), hop["what"], _range(hop), f"`{hop['clock']}_clk`",
                "" if rate is None else f"{rate:g}",
            )
        )  # fmt: skip
        before = name
    return table(("block", "from ... to", "cycles", "of", "cycles a transfer"), rows, "llrlr")


def frame_way(facts: Facts) -> str:
    rows = [(f"{row['ns']:,.0f}", row["what"]) for row in facts.latency["frame"]]
    return table(("ns", "where the frame is"), rows, "r")


PROCESSOR = {
    "load_cached_hit": "load, data cache hits",
    "load_dram_miss": "load from DRAM, data cache misses",
    "load_boot_rom_miss": "load from the boot ROM, data cache misses",
    "load_local_memory": "load from the local packet memory (never cached)",
    "load_nic_register": "load of a NIC register",
    "load_nic_register_and_use": "the same, with the instruction that waits for it",
    "load_timer_register": "load of a timer register",
    "load_uart_register": "load of a UART register",
    "load_interrupt_controller": "load of an interrupt controller register",
    "store_posted": "store to the local packet memory",
    "store_and_fence_local_memory": "the same, and a fence that waits for its response",
    "store_and_fence_dram": "store to DRAM, and a fence that waits for its response",
    "atomic_local_memory": "atomic addition in the local packet memory",
    "queue_push": "queue push with its status (`amoswap.w`)",
    "queue_pop": "queue pop (load)",
    "round_of_queues": "a pointer from the free queue through receive and transmit queue and back: three pops, three "
    "pushes with their status",
    "fetch_boot_rom_miss": "what a line from the boot ROM adds, instruction cache misses",
}
"""What the names that the firmware `latency` prints mean."""


def processor(facts: Facts) -> str:
    rows = [(PROCESSOR[row["name"]], _range(row)) for row in facts.latency["processor"]]
    return table(("access, with an instruction that waits for its result", "cycles of `cpu_clk`"), rows, "lr")


def _by_payload(rows: Sequence[Mapping[str, Any]], cell: Callable[[Mapping[str, Any]], str]) -> str:
    payloads = sorted({row["payload"] for row in rows})
    modes = list(dict.fromkeys(row["mode"] for row in rows))
    found = {(row["mode"], row["payload"]): cell(row) for row in rows}
    lines = [[mode, *(found[mode, payload] for payload in payloads)] for mode in modes]
    return table(["payload, bytes", *map(str, payloads)], lines, "l" + "r" * len(payloads))


def round_trip(facts: Facts) -> str:
    return _by_payload(facts.latency["round_trips"], _range)


def throughput(facts: Facts) -> str:
    def cell(row: Mapping[str, Any]) -> str:
        lost = f", {row['lost']} lost" if row["lost"] else ""
        return f"{row['mbps']:g} ({row['line_share']:.1%}{lost})"

    return _by_payload(facts.latency["throughput"], cell)


def _count(values: Mapping[str, Any], metric: str) -> str:
    return f"{values[metric]:,g}" if metric in values else NONE


def _area_and_levels(values: Mapping[str, Any]) -> tuple[str, ...]:
    """LUT6, FF, RAMB36 and levels of logic; more of these than are wanted stand out."""
    levels = _count(values, "levels")
    bold = f"**{levels}**" if values.get("levels", 0) > MOST_LEVELS else levels
    return (*(_count(values, metric) for metric in ("lut", "ff", "bram")), bold)


NOT_MEASURED = "Not measured yet: `nsoc synth {} --json FILE`, then `python -m nsoc.docs --text --lat FILE`."


def lat_nodes(facts: Facts) -> str:
    rows, before = [], ""
    for system, part, values in lat.rows(facts.nodes, "synth"):
        if system != lat.BLOCKS:
            rows.append(("" if system == before else f"`{system}`", part, *_area_and_levels(values)))
            before = system
    if not rows:
        return NOT_MEASURED.format("lat")
    return table(("system", "part", *list(synth.UNITS[Target.XC7].values())[:3], "levels"), rows, "llrrrr")


def lat_blocks(facts: Facts) -> str:
    rows = [
        (block, *_area_and_levels(values))
        for system, block, values in lat.rows(facts.nodes, "synth")
        if system == lat.BLOCKS and block
    ]
    if not rows:
        return NOT_MEASURED.format(f"{lat.BLOCKS} --target xc7")
    return table(("block", *list(synth.UNITS[Target.XC7].values())[:3], "levels"), rows, "lrrrr")


def lat_placed(facts: Facts) -> str:
    rows = []
    for _, block, values in lat.rows(facts.nodes, "pnr"):
        rows.append((block, *(_count(values, metric) for metric in ("lut", "ff", "bram")), f"{values['fmax_mhz']:.1f}"))
    return table(("block", *list(synth.UNITS[Target.ECP5].values())[:3], "MHz, routed"), rows, "lrrrr")


TOE_PLACED = (
    "net", "tcp_rx", "tcp_table", "tcp_commands lat", "tcp_tx", "tcp_rings lat", "tcp_timers", "tcp_events", "tcp_core",
)  # fmt: skip
"""Blocks of the TCP/IP engine in docs/data/lat.json."""


def tcp_clock(facts: Facts) -> str:
    placed = {block: values for _, block, values in lat.rows(facts.nodes, "pnr")}
    if not placed:
        return NOT_MEASURED.format("lat").replace("synth", "pnr")
    rows = [
        (f"`{block}`", _count(placed[block], "lut"), _count(placed[block], "ff"), f"{placed[block]['fmax_mhz']:.1f}")
        for block in TOE_PLACED
    ]
    return table(("block", *list(synth.UNITS[Target.ECP5].values())[:2], "MHz, routed"), rows, "lrrr")


SECTIONS: dict[str, Callable[[Facts], str]] = {
    **{f"diagram-{name}": functools.partial(_diagram, name=name) for name in DRAWN},
    "blocks": blocks, "crossings": crossings, "clocks": clocks, "memory-map": memory_map, "counters": counters,
    "areas": areas, "fmax": fmax, "block-latency": block_latency, "frame-way": frame_way, "processor": processor,
    "round-trip": round_trip, "throughput": throughput, "lat-nodes": lat_nodes, "lat-blocks": lat_blocks,
    "lat-placed": lat_placed, "tcp-clock": tcp_clock,
    "preset-systems": preset_sections.preset_systems, "preset-fields": preset_sections.preset_fields,
    "api-names": api.api_names, "api-given": api.api_given, "api-benches": api.api_benches,
}  # fmt: skip
"""By the name in `<!-- generated: NAME -->`."""
