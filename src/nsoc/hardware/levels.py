# SPDX-License-Identifier: Apache-2.0
"""Levels of logic: how many look-up tables a signal passes between two registers, at most.

It is what can be said of a clock before anything is placed. A 7-series netlist of Yosys is walked from registers,
memories with a registered output and ports to the next of these. A LUT counts one level, and so do the read of a LUT
RAM and a carry chain (however long: it is a fast wire beside the LUTs). Wide multiplexers (MUXF7, MUXF8) sit behind
their LUTs and count nothing.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHAIN = ("CARRY4",)
FREE = ("MUXF7", "MUXF8", "BUFG", "IBUF", "OBUF", "INV")
LUT_RAM = ("RAM32X1D", "RAM64X1D", "RAM128X1D", "RAM256X1D", "RAM32M", "RAM64M", "RAM32X1S", "RAM64X1S")
READ_ADDRESS = {"SPO": "A", "DPO": "DPRA", "O": "A", **{f"DO{port}": f"ADDR{port}" for port in "ABCD"}}
"""Of a LUT RAM by output: the inputs that it follows, and no others. The clock takes what is written, and where to: the
address of SPO, O or DOD."""


@dataclass(frozen=True)
class Longest:
    """The longest way between registers: its levels, and where it begins and ends."""

    levels: int
    begin: str
    end: str


def is_logic(kind: str) -> bool:
    """A cell whose output follows its inputs."""
    return kind.startswith("LUT") or kind in CHAIN or kind in FREE or kind in LUT_RAM


def follows(kind: str, output: str, port: str) -> bool:
    """A cell's output follows that input."""
    return kind not in LUT_RAM or port.rstrip("0123456789") == READ_ADDRESS[output]


def is_taken(kind: str, port: str) -> bool:
    """The clock takes that input of a cell: a way ends there."""
    if kind in LUT_RAM:
        return not port.startswith(("DPRA", "ADDRA", "ADDRB", "ADDRC"))
    return not is_logic(kind)


def weight(kind: str, port: str, into: str) -> int:
    """Levels that a cell of this kind adds, entered at `port` and left at `into`."""
    if kind in FREE:
        return 0
    if kind in CHAIN:
        return 0 if port == "CI" else 1  # from one of a chain's cells to the next
    return 1


def longest(netlist: Path, top: str) -> Longest:
    """The longest way in a flat netlist (write_json). Raises ValueError when its logic has a loop."""
    module: dict[str, Any] = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]
    driver: dict[int, tuple[str, str]] = {}  # of a net: cell and its port
    for name, cell in module["cells"].items():
        if is_logic(cell["type"]):
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    driver.update((bit, (name, port)) for bit in bits if isinstance(bit, int))
    names = {
        bit: f"{name}[{place}]" if len(net["bits"]) > 1 else name
        for name, net in sorted(module["netnames"].items(), key=lambda item: item[1].get("hide_name", 0), reverse=True)
        for place, bit in enumerate(net["bits"])
    }
    found: dict[int, tuple[int, int]] = {}  # of a net: levels behind a register, and the net it began with

    def inputs(name: str, output: str) -> list[tuple[str, int]]:
        cell = module["cells"][name]
        return [
            (port, bit)
            for port, bits in cell["connections"].items()
            if cell["port_directions"][port] == "input" and follows(cell["type"], output, port)
            for bit in bits
            if isinstance(bit, int)
        ]

    def depth(net: int) -> tuple[int, int]:
        waiting, open_nets = [net], set()
        while waiting:
            at = waiting[-1]
            if at in found:
                waiting.pop()
            elif at not in driver:
                found[at] = (0, at)
                waiting.pop()
            else:
                name, output = driver[at]
                sources = inputs(name, output)
                missing = [bit for _, bit in sources if bit not in found]
                if missing and at in open_nets:
                    raise ValueError(f"{names.get(at, at)} depends on itself")
                open_nets.add(at)
                if missing:
                    waiting.extend(missing)
                    continue
                kind = module["cells"][name]["type"]
                ways = [(found[bit][0] + weight(kind, port, output), found[bit][1]) for port, bit in sources]
                found[at] = max(ways, default=(0, at))
                waiting.pop()
        return found[net]

    best = Longest(0, "", "")
    ends: list[tuple[int, str]] = []
    for name, cell in module["cells"].items():
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "input" and is_taken(cell["type"], port):
                ends += [(bit, f"{name}.{port}") for bit in bits if isinstance(bit, int)]
    for name, port in module["ports"].items():
        if port["direction"] == "output":
            ends += [(bit, name) for bit in port["bits"] if isinstance(bit, int)]
    for net, end in ends:
        levels, began = depth(net)
        if levels > best.levels:
            best = Longest(levels, str(names.get(began, began)), f"{names.get(net, net)} ({end})")
    return best
