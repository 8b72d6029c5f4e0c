# SPDX-License-Identifier: Apache-2.0
"""The RTL as Verilator elaborates it: which module holds which instances, and which signals run between them."""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nsoc.machine.build import checkout, verilator_root
from nsoc.machine.tool import run_tool

Node = dict[str, Any]


@dataclass(frozen=True, order=True)
class Net:
    """A signal of a module, or one element of an array of them (`index`, None for the whole)."""

    name: str
    index: int | None = None

    def meets(self, other: "Net") -> bool:
        """Whether the two share a bit."""
        return self.name == other.name and (None in (self.index, other.index) or self.index == other.index)


@dataclass(frozen=True)
class Port:
    """A port of a module. `type`: the name of its type (`acb_req_t`, `logic`, ...); `width` counts array elements."""

    name: str
    is_input: bool
    type: str
    width: int = 1


@dataclass
class Instance:
    """A module inside another one, and the signals at its ports.

    `element`: of an array of instances which one it is, as part of a path: `g_slot[0].`, or nothing.
    """

    name: str
    module: "Module"
    pins: dict[str, list[Net]] = field(default_factory=dict)
    element: str = ""


@dataclass
class Module:
    """A module with its parameters settled: two instances with other parameters have each a Module of their own."""

    name: str
    ports: dict[str, Port] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    """Of its signals, by name."""
    instances: list[Instance] = field(default_factory=list)
    sources: dict[str, set[str]] = field(default_factory=dict)
    """By signal: those it is assigned from, in the module's own logic."""

    def instance(self, module: str) -> Instance:
        """The (first) instance of that module."""
        return next(instance for instance in self.instances if instance.module.name == module)

    def walk(self, path: str = "") -> Iterator[tuple[str, Instance]]:
        """Every instance below, by its path. Blocks of `generate` are in it where they have a number."""
        for instance in self.instances:
            here = f"{path}{instance.element}{instance.name}"
            yield here, instance
            yield from instance.module.walk(f"{here}.")


ALL_THERE_IS = {"nsoc": ("-GDMA=1",)}
"""By top, what makes it have blocks that it can be without."""


def elaborate(top: str = "nsoc") -> Module:
    """The instance tree of `top`, with all blocks that it can have."""
    root, verilator = checkout(), verilator_root()
    rtl = root / "rtl"
    folders = [path for path in sorted(rtl.rglob("*")) if path.is_dir() and path.parent.name != "vendor"]
    folders.append(rtl / "vendor" / "portable")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        command = [
            str(verilator / "bin" / "verilator_bin"), "--json-only", "--json-only-output", str(work / "tree.json"),
            "--json-only-meta-output", str(work / "meta.json"), "--top-module", top, "-Mdir", str(work),
            "-Wno-fatal", "-Wno-lint", "-Wno-style", *ALL_THERE_IS.get(top, ()),
            *(word for folder in folders for word in ("-y", str(folder))),
            *map(str, sorted(rtl.rglob("*_pkg.sv"))), str(next(rtl.rglob(f"{top}.sv"))),
        ]  # fmt: skip
        run_tool(command, work, f"elaborating {top}", {**os.environ, "VERILATOR_ROOT": str(verilator)})
        return _Reader(json.loads((work / "tree.json").read_text(encoding="utf-8"))).module(top)


class _Reader:
    """Verilator's syntax tree, turned into Modules. Its nodes refer to each other by `addr`."""

    def __init__(self, tree: Node) -> None:
        self._nodes = {node["addr"]: node for node in _descendants(tree) if "addr" in node}
        self._by_name = {node["name"]: node for node in tree["modulesp"]}
        self._made: dict[str, Module] = {}

    def module(self, name: str) -> Module:
        return self._module(self._by_name[name])

    def _module(self, node: Node) -> Module:
        if node["addr"] in self._made:
            return self._made[node["addr"]]
        made = self._made[node["addr"]] = Module(node["origName"])
        inside = [n for n in _descendants(node["stmtsp"])]
        for variable in (n for n in inside if n["type"] == "VAR"):
            kind, width = self._type(variable["dtypep"])
            made.types[variable["name"]] = kind
            if variable.get("varType") == "PORT":
                is_input = variable["direction"] == "INPUT"
                made.ports[variable["name"]] = Port(variable["name"], is_input, kind, width)
        for element, cell in _cells(node["stmtsp"]):
            instance = Instance(cell["name"], self._module(self._nodes[cell["modp"]]), element=element)
            instance.pins = {pin["name"]: list(_nets(pin["exprp"])) for pin in cell["pinsp"]}
            made.instances.append(instance)
        for assignment in (n for n in inside if n["type"].startswith("ASSIGN")):
            read = {net.name for net in _nets(assignment["rhsp"])}
            for target in _nets(assignment["lhsp"]):
                made.sources.setdefault(target.name, set()).update(read)
        same = {
            one["lhsp"][0]["name"]: one["rhsp"][0]["name"]
            for one in inside
            if one["type"].startswith("ASSIGN") and one["lhsp"][0]["type"] == one["rhsp"][0]["type"] == "VARREF"
        }
        for instance in made.instances:  # a bundle with two names is one
            for nets in instance.pins.values():
                for number, net in enumerate(nets):
                    if net.name in same and made.types[net.name].endswith("_t") and net.name not in made.ports:
                        nets[number] = Net(same[net.name], net.index)
        return made

    def _type(self, address: str) -> tuple[str, int]:
        """Name of a type, of an array's elements; and how many elements or bits there are."""
        node, width = self._nodes[address], 1
        while node["type"] == "PACKARRAYDTYPE":
            high, low = map(int, re.findall(r"-?\d+", node["declRange"]))
            width *= abs(high - low) + 1
            node = self._nodes[node["refDTypep"]]
        if node["type"] == "BASICDTYPE" and ":" in node.get("range", ""):
            high, low = map(int, node["range"].split(":"))
            width *= abs(high - low) + 1
        return node["name"], width


def _descendants(node: Any) -> Iterator[Node]:
    if isinstance(node, dict):
        if "type" in node:
            yield node
        for value in node.values():
            yield from _descendants(value)
    elif isinstance(node, list):
        for value in node:
            yield from _descendants(value)


def _cells(node: Any, element: str = "") -> Iterator[tuple[str, Node]]:
    """The instances in a module, and in which numbered blocks of `generate` each is."""
    if isinstance(node, list):
        for one in node:
            yield from _cells(one, element)
    elif isinstance(node, dict):
        if node.get("type") == "CELL":
            yield element, node
            return
        if node.get("type") == "GENBLOCK" and node["name"].endswith("]"):
            element = f"{element}{node['name']}."
        for value in node.values():
            yield from _cells(value, element)


def _nets(expression: Any) -> Iterator[Net]:
    """The signals an expression touches."""
    if isinstance(expression, list):
        for node in expression:
            yield from _nets(node)
        return
    if not isinstance(expression, dict):
        return
    if expression["type"] == "VARREF":
        yield Net(expression["name"])
        return
    if expression["type"] == "SEL" and "declElWidth" in expression and expression["lsbp"][0]["type"] == "CONST":
        (of,) = expression["fromp"]
        if of["type"] == "VARREF":
            low = int(expression["lsbp"][0]["name"].partition("'h")[2], 16)
            width, element = expression["widthConst"], expression["declElWidth"]
            yield Net(of["name"], low // element if width == element else None)
            return
    for key, value in expression.items():
        if key.endswith("p") and isinstance(value, list):
            yield from _nets(value)
