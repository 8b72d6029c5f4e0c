# SPDX-License-Identifier: Apache-2.0
"""A block of rtl/ as one file of plain Verilog-2005, for tools that do not read its SystemVerilog.

Verilator elaborates the block and says what its ports are made of; Yosys, which reads by slang, writes the file. A port
that is a struct becomes a port for each of its fields.
"""

import difflib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nsoc.errors import NsocError
from nsoc.files import writing
from nsoc.hardware import synth, yosys
from nsoc.machine.build import cache_folder, checkout, commit, include_folders, locked, verilator_root
from nsoc.machine.tool import run_tool

FRAME = "nsoc_export"
"""The module around a block whose ports are the fields, until it takes the block's name."""
PLAIN = (
    "proc", "flatten", "opt_expr", "opt_merge", "opt_reduce", "opt_clean", "memory_collect", "bwmuxmap", "bmuxmap",
    "demuxmap", "chtype -set $shift t:$shiftx", "delete t:$scopeinfo", "opt_clean",
)  # fmt: skip
"""Passes that leave only cells for which Verilog-2005 has operators, registers and arrays. A shift that may go beyond
its vector ($shiftx) is written as a shift: simulators differ in a part select beyond its vector.

Registers and arrays begin as zeros (`_zero`, `_array_of_zeros`), as an FPGA's do. What has no reset is not used before
it is written, but a simulator with four states would carry its X into all that a condition on it decides.
"""
_LITERAL = re.compile(r"-?\d+|\d*'s?(?:b[01_]+|o[0-7_]+|d[\d_]+|h[\da-fA-F_]+)", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"0x[\da-f]+", re.IGNORECASE)
_COMPLAINT = re.compile(r"ERROR: (\$error encountered: )?(.*)")
"""By slang: of the RTL itself, or of its own."""
_REGISTER = re.compile(r"^(  reg (?:\[(\d+):(\d+)\] )?(?:\\\S+ |\w+)) *;$", re.MULTILINE)
"""A register, as Yosys declares it."""
_MEMORY = re.compile(r"^  reg (?:\[(\d+):0\] )?(\S+) +\[(\d+):(\d+)\];\n(?!  initial)", re.MULTILINE)
"""An array without contents, as Yosys declares it."""
_WIRE = re.compile(r"^  wire (?:\[(\d+):(\d+)\] )?(\S+) ?;$", re.MULTILINE)
_ASSIGN = re.compile(r"^  assign (.*?) = (.*);$", re.MULTILINE)
_TARGET = re.compile(r"(\\\S+ |[^\\\s\[{},]+)(?:\[(\d+)(?::(\d+))?\])?")
"""What Yosys assigns to: a wire, or bits of one."""
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_Node = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A port of the file: bits of a port of the block."""

    name: str
    path: str
    """The same in the block: `rx_frame.beat.tdata`."""
    is_input: bool
    width: int


@dataclass(frozen=True, slots=True)
class Elaborated:
    """A block with its parameters settled."""

    fields: tuple[Field, ...]
    """By port as the block has them; those of a port from its highest bit down."""
    parameters: dict[str, str]
    """All of them, as Verilog writes values."""


def export(block: str, parameters: Mapping[str, str], file: Path) -> Elaborated:
    """Writes the module `block` of rtl/ to `file`, with these values of its parameters (`64`, `0x40`, `4'b0010`).

    Raises NsocError when there is no such block or parameter, when elaboration refuses a value, and when the file
    cannot be written.
    """
    source = _source(block)
    given = {name: _value(block, name, value, source) for name, value in parameters.items()}
    yosys.share_folder()  # is it there at all? Before Verilator runs.
    verilator_root()
    folder = cache_folder() / "export" / block
    with locked(folder):
        try:
            made = elaborate(block, given)
        except NsocError as problem:
            _yosys(block, given, [], folder)  # slang's words are better, where it refuses the same
            raise NsocError(f"{_named(block, given)} cannot be made: {_first_line(problem)}") from None
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "frame.v").write_text(_frame(block, made.fields), encoding="utf-8")
        script = [f"read_verilog {folder / 'frame.v'}", f"hierarchy -check -top {FRAME}", *PLAIN]
        script += [f"rename {FRAME} {block}", "write_verilog -noattr block.v"]
        _yosys(block, given, script, folder)
        text = (folder / "block.v").read_text(encoding="utf-8")
    text = _MEMORY.sub(_array_of_zeros, _REGISTER.sub(_zero, _joined(text)))
    left = sorted(set(re.findall(r"^ +\\(\$\w+) ", text, re.MULTILINE)))
    if left:
        raise NsocError(f"{block} has cells that Verilog-2005 has no words for: {', '.join(left)}")
    for name, value in given.items():
        if _number(made.parameters[name]) != _number(value):
            became = _shown(made.parameters[name])
            raise NsocError(f"{value} is no value that {name} of {block} can have: it becomes {became}")
    with writing(file, "the block to", "-o"):
        file.write_text(_comment(block, made) + text, encoding="utf-8")
    return made


def elaborate(block: str, parameters: Mapping[str, str]) -> Elaborated:
    """Ports and parameters of a block, by Verilator. Raises NsocError when it refuses them."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        command = [
            str(verilator_root() / "bin" / "verilator_bin"), "--json-only", "--json-only-output",
            str(work / "tree.json"), "--json-only-meta-output", str(work / "meta.json"), "--top-module", block,
            "-Mdir", str(work), "-Wno-lint", "-Wno-style", *(f"-G{name}={value}" for name, value in parameters.items()),
            *include_folders(), *map(str, synth.sources()),
        ]  # fmt: skip
        run_tool(command, work, f"elaborating {block}", {**os.environ, "VERILATOR_ROOT": str(verilator_root())})
        tree = json.loads((work / "tree.json").read_text(encoding="utf-8"))
    nodes = {node["addr"]: node for node in _nodes(tree["miscsp"]) if "addr" in node}
    (top,) = (node for node in tree["modulesp"] if node["name"] == block)
    variables = [node for node in top["stmtsp"] if node["type"] == "VAR"]
    ports = [node for node in variables if node.get("varType") == "PORT"]
    settled = {node["name"]: node["valuep"][0]["name"] for node in variables if node.get("varType") == "GPARAM"}
    return Elaborated(tuple(_fields(ports, nodes)), settled)


# ---- Ports -----------------------------------------------------------------------------------------------------------


def _nodes(tree: Any) -> Iterator[_Node]:
    if isinstance(tree, dict):
        yield tree
    for one in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _nodes(one)


def _fields(ports: Sequence[_Node], nodes: Mapping[str, _Node]) -> Iterator[Field]:
    """A field has the name of its port and its own, where no other one is called so; else that of the whole path."""
    taken = Counter(port["name"] for port in ports)
    found = []
    for port in ports:
        for path, width in _leaves(port["name"], port["dtypep"], nodes):
            first, *others = re.findall(r"\w+", path)
            found.append((Field("_".join([first, *others[-1:]]), path, port["direction"] == "INPUT", width), others))
    taken.update(field.name for field, others in found if others)
    for field, others in found:
        whole = "_".join(re.findall(r"\w+", field.path))
        yield replace(field, name=whole) if others and taken[field.name] > 1 else field


def _leaves(path: str, address: str, nodes: Mapping[str, _Node]) -> Iterator[tuple[str, int]]:
    """The members of a type that are no structs: path and bits, from the highest bit down."""
    node = nodes[address]
    if node["type"] in ("REFDTYPE", "ENUMDTYPE", "MEMBERDTYPE", "CONSTDTYPE"):
        yield from _leaves(path, node["refDTypep"], nodes)
    elif node["type"] == "STRUCTDTYPE":
        for member in node["membersp"]:
            yield from _leaves(f"{path}.{member['name']}", member["addr"], nodes)
    elif node["type"] == "PACKARRAYDTYPE":
        inside = list(_leaves("", node["refDTypep"], nodes))
        left, right = map(int, re.findall(r"-?\d+", node["declRange"]))
        if [below for below, _ in inside] == [""]:
            yield path, (abs(left - right) + 1) * inside[0][1]
        else:
            for index in range(left, right - 1, -1) if left >= right else range(left, right + 1):
                yield from ((f"{path}[{index}]{below}", width) for below, width in inside)
    else:
        left, right = map(int, node.get("range", "0:0").split(":"))
        yield path, abs(left - right) + 1


def _frame(block: str, fields: Sequence[Field]) -> str:
    """A module whose ports are the fields, around the block."""
    ports = [f"{'input' if field.is_input else 'output'} {_range(field.width)}{field.name}" for field in fields]
    of_port: dict[str, list[str]] = {}
    for field in fields:
        of_port.setdefault(re.split(r"[.[]", field.path)[0], []).append(field.name)
    pins = [f".{port}({{{', '.join(names)}}})" for port, names in of_port.items()]
    separator = ",\n  "
    instance = f"{block} u_{block} (\n  {separator.join(pins)}\n);"
    return f"module {FRAME}(\n  {separator.join(ports)}\n);\n{instance}\nendmodule\n"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


# ---- What a user asks for --------------------------------------------------------------------------------------------


def _source(block: str) -> Path:
    modules = {path.stem: path for path in synth.sources() if not path.stem.endswith("_pkg")}
    if block not in modules:
        close = difflib.get_close_matches(block, modules, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NsocError(f"there is no block {block!r}, only the modules of {checkout() / 'rtl'}{hint}")
    return modules[block]


def _value(block: str, name: str, value: str, source: Path) -> str:
    """As Verilog and slang both write it."""
    header = source.read_text(encoding="utf-8").split("\n);", 1)[0]
    known = re.findall(r"^ +parameter\b[^/\n=]*?(\w+) *=", header, re.MULTILINE)
    if name not in known:
        raise NsocError(f"{block} has no parameter {name!r}, only {', '.join(known) or 'none at all'}")
    if _HEXADECIMAL.fullmatch(value):
        return str(int(value, 16))
    if _LITERAL.fullmatch(value):
        return value
    raise NsocError(f"{value!r} is no value for {name} of {block}: give a number such as 64, 0x40 or 4'b0010")


def _number(value: str) -> int | None:
    """The value of a literal; None: it is text."""
    if not _LITERAL.fullmatch(value):
        return None
    size, quote, digits = value.replace("_", "").lower().rpartition("'")
    if not quote:
        return int(value)
    base, digits = digits.removeprefix("s")[0], digits.removeprefix("s")[1:]
    number = int(digits, _BASES[base])
    signed_too = value.lower().partition("'")[2].startswith("s") and size
    return number - (1 << int(size)) if signed_too and number >> int(size) - 1 else number


def _joined(text: str) -> str:
    """One assignment for a wire that Yosys assigns in parts. Icarus, which joins such parts by their drive strengths,
    otherwise takes all of them again for each that changes: an export then runs two to three times as long."""
    ends = {match[3]: (int(match[1] or 0), int(match[2] or 0)) for match in _WIRE.finditer(text)}
    parts: dict[str, list[tuple[int, int, str]]] = {}
    """Of a wire: highest bit, lowest bit, what is assigned to them."""
    made: list[str] = []

    def look(match: re.Match[str]) -> str:
        targets = [(found[1].strip(), found[2], found[3]) for found in _TARGET.finditer(match[1])]
        if (len(targets) == 1 and targets[0][1] is None) or any(name not in ends for name, *_ in targets):
            return match[0]
        sides = [ends[name] if high is None else (int(high), int(low or high)) for name, high, low in targets]
        at = width = sum(high - low + 1 for high, low in sides)
        part = f"_part_{len(made)}_"
        made.append(part)
        for (name, *_), (high, low) in zip(targets, sides, strict=True):
            parts.setdefault(name, []).append((high, low, f"{part}[{at - 1}:{at - (high - low + 1)}]"))
            at -= high - low + 1
        return f"  wire [{width - 1}:0] {part} = {match[2]};"

    body = _ASSIGN.sub(look, text)
    whole = []
    for name, of_name in parts.items():
        of_name.sort(reverse=True)
        written = name + (" " if name.startswith("\\") else "")
        (top, bottom), following = ends[name], [high for high, _, _ in of_name[1:]]
        if of_name[0][0] == top and [low - 1 for _, low, _ in of_name] == [*following, bottom - 1]:
            whole.append(f"  assign {written} = {{ {', '.join(part for _, _, part in of_name)} }};\n")
        else:  # some of its bits have no driver
            whole += [f"  assign {written}[{high}:{low}] = {part};\n" for high, low, part in of_name]
    return body.replace("endmodule", "".join(whole) + "endmodule", 1)


def _zero(register: re.Match[str]) -> str:
    """Not by Yosys' setundef: of two names for the same bits, it may give the value to the one that is no register."""
    declared, high, low = register.groups()
    return f"{declared} = {int(high or 0) - int(low or 0) + 1}'d0;"


def _array_of_zeros(memory: re.Match[str]) -> str:
    top, name, *ends = memory.groups()
    low, high = sorted(map(int, ends))
    loop = f"for (i = {low}; i <= {high}; i = i + 1) {name} [i] = {int(top or 0) + 1}'d0;"
    return f"{memory[0]}  initial begin : zeros_{memory.start()}\n    integer i;\n    {loop}\n  end\n"


def _shown(value: str) -> str:
    return value if (number := _number(value)) is None else str(number)


def _named(block: str, given: Mapping[str, str]) -> str:
    return " ".join([block, *(["with"] if given else []), *(f"{name}={value}" for name, value in given.items())])


def _first_line(problem: NsocError) -> str:
    errors = [line.strip() for line in str(problem).splitlines() if "%Error" in line or "%Warning" in line]
    return (errors or str(problem).splitlines())[0]


def _yosys(block: str, given: Mapping[str, str], script: Sequence[str], folder: Path) -> None:
    read = synth.read_command(block, {}, synth.sources())
    options = "".join(f"-G {name}={value} " for name, value in given.items())
    commands = [read.replace("read_slang ", f"read_slang {options}", 1), *script]
    try:
        yosys.run([(command, 1.0) for command in commands], folder, f"Exporting {block}", 10)
    except yosys.Failed as problem:
        said = [match for line in problem.complaints if (match := _COMPLAINT.search(line))]
        refused = [match[2] for match in said if match[1]] or [match[2] for match in said]
        own = [text for text in refused if text.startswith(f"{block}: ")]
        own += [text for text in refused if set(re.findall(r"\w+", text)) & set(given)]
        raise NsocError(
            f"{_named(block, given)} cannot be made: {(own or refused or [str(problem)])[0].strip()}"
        ) from None


def _comment(block: str, made: Elaborated) -> str:
    lines = [
        "SPDX-License-Identifier: Apache-2.0",
        "",
        f"{block} of N-SoC in plain Verilog-2005, written by `nsoc export`: change the SystemVerilog, not this.",
        f"Source: {_source(block).relative_to(checkout())}, commit {commit()}",
        "Licence: Apache-2.0, as the source's",
        "Parameters: " + (", ".join(f"{name}={_shown(value)}" for name, value in made.parameters.items()) or "none"),
        "Ports that are fields of a struct there:",
        *(f"  {field.name}: {field.path}" for field in made.fields if field.name != field.path),
    ]
    return "".join(f"// {line}".rstrip() + "\n" for line in lines) + "\n"
