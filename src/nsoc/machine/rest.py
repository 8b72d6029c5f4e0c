# SPDX-License-Identifier: Apache-2.0
"""What a simulator has to compare to leave out the edges of a block's clock: from the C++ that Verilator made.

A block that can rest has a clock of its own (models/fast/clock_pass.sv) that rises with another clock of the top. The
functions that run when it rises, and then only, are the block. (Combinational logic between blocks runs with either.)
An edge that changed nothing of what they name would be repeated by the next one, until something changes that others
write: then the block can rest (sim/rest.h). Blocks, clocks and both sets are read out of the generated code, so nobody
keeps a list.

Memories of more than ARRAY_MOST bytes are not compared: what is written to them comes out of registers, which are. One
that others write, too, keeps the block from resting.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc.machine import by_clock

ARRAY_MOST = 512
AT_ONCE = 16
"""So many scalars are a group: they are compared before the result is looked at."""
FLAG = "-DNSOC_RESTS"
"""Tells the C++ compiler that write() has written."""
HEADER, SOURCE = "resting.h", "resting.cpp"
"""What write() writes."""

_FUNCTION = r"^[\w ]*void (V{top}___024root___\w+)\(V{top}___024root\* vlSelf\) \{{\n(.*?)^\}}"
_PART = re.compile(
    r"^    if \(\(([0-9a-fxUL]+) & vlSelfRef\.__VnbaTriggered\[0U\]\)\) \{\n(.*?)^    \}\n", re.DOTALL | re.MULTILINE
)
BESIDE = "__DOT__beside_q"
"""The name's end of what shows with what clock a block's own one rises."""
_NAMES = re.compile(r"vlSelfRef\.(\w+)")
_CONDITION = re.compile(r"\b(?:if|while) \([^;{}]*(?:\{|;)")
_PREVIOUS = re.compile(r"vlSelfRef\.__Vtrigprevexpr___TOP__(\w+?)__\d+\)")
_WIDTHS = {"CData": 1, "SData": 2, "IData": 4, "QData": 8}


@dataclass(frozen=True)
class Variable:
    """Of the generated class."""

    name: str
    width: int
    """Bytes of a scalar, or 0."""
    size: int
    """Bytes, 0 when it is not known."""
    is_input: bool = False


@dataclass(frozen=True)
class Block:
    """What is compared of a block."""

    beside: str
    """The clock that its own one rises with."""
    own: list[Variable]
    """All that its functions name."""
    outside: list[Variable]
    """Of these those that other functions may write."""
    remembers: bool
    """It has a memory, too, that is not compared."""


@dataclass(frozen=True)
class _Code:
    """The evaluation behind rising clocks."""

    clocks: list[str]
    """In the order of their bits."""
    parts: list[tuple[int, str]]
    """Each with the bits of the clocks that it runs with."""
    always: str
    """The statements that run whatever rises."""

    def own_clocks(self) -> dict[str, str]:
        """The clocks of blocks, each with the clock of the top that it rises with."""
        found = {}
        for clock in self.clocks:
            if clock.endswith(by_clock.OF_BLOCK):
                sees = f"vlSelfRef.{clock.removesuffix(by_clock.OF_BLOCK)}{BESIDE} = "
                (bits,) = {bits for bits, body in self.parts if sees in body}
                found[clock] = self.clocks[bits.bit_length() - 1]
        return found

    def blocks(self, variables: dict[str, Variable]) -> dict[str, Block]:
        """Which blocks can rest, by their own clocks."""
        found = {}
        for clock, beside in self.own_clocks().items():
            own_bits = 1 << self.clocks.index(clock)
            own = "".join(body for bits, body in self.parts if bits == own_bits)
            others = "".join([self.always, *(body for bits, body in self.parts if bits != own_bits)])
            block = _block(beside, own, others, variables)
            if block is not None:
                found[clock] = block
        return found


def _read(work: Path, top: str) -> _Code:
    code = by_clock.running_code(work, top)
    functions = dict(re.findall(_FUNCTION.format(top=top), code, flags=re.DOTALL | re.MULTILINE))
    triggers = functions.get(f"V{top}___024root___eval_triggers_vec__act", "")
    clocks = _PREVIOUS.findall(triggers.partition(";\n    vlSelfRef.__Vtrigprevexpr")[0])[::-1]
    whole = functions.get(f"V{top}___024root___eval_nba", "")
    parts = [(int(mask.rstrip("UL"), 0), _with_called(body, functions)) for mask, body in _PART.findall(whole)]
    return _Code(clocks, parts, _with_called(_PART.sub("", whole), functions))


def blocks(work: Path, top: str) -> dict[str, Block]:
    """Which blocks can rest in the code for `top` in `work`, which can be evaluated by clock, by their own clocks."""
    return _read(work, top).blocks(_variables(work, top))


def own_clocks(work: Path, top: str) -> dict[str, str]:
    """The clocks of blocks in that code, each with the clock of the top that it rises with."""
    return _read(work, top).own_clocks()


def _with_called(body: str, functions: dict[str, str]) -> str:
    bodies, seen = [body], set()
    for text in bodies:  # grows
        for called in re.findall(r"\b\w+___024root___\w+(?=\(vlSelf\))", text):
            if called in functions and called not in seen:
                seen.add(called)
                bodies.append(functions[called])
    return "".join(bodies)


def _variables(work: Path, top: str) -> dict[str, Variable]:
    header = (work / f"V{top}___024root.h").read_text(encoding="utf-8")
    found = {}
    for kind, name in re.findall(
        r"^ +((?:VlUnpacked<|VlWide<|[CSIQ]Data|VL_\w+\()[^;]*?) ?\b(\w+);", header, re.MULTILINE
    ):
        plain = re.sub(r"/\*.*?\*/", "", kind).strip()
        width = _WIDTHS.get(plain, 0)
        size = _size(plain)
        found[name] = Variable(name, width, size)
    # VL_IN8(name,msb,lsb);
    for way, bits, name in re.findall(r"^ +VL_(IN|OUT)(\w*)\(&?(\w+),", header, re.MULTILINE):
        width = {"8": 1, "16": 2, "": 4, "64": 8}.get(bits, 0)
        found[name] = Variable(name, width, width, is_input=way == "IN")
    return found


def _size(kind: str) -> int:
    """Bytes of a type, 0 when it is none of those that are known."""
    if kind in _WIDTHS:
        return _WIDTHS[kind]
    if wide := re.fullmatch(r"VlWide<(\d+)>", kind):
        return 4 * int(wide[1])
    if array := re.fullmatch(r"VlUnpacked<(.*), (\d+)>", kind):
        return _size(array[1]) * int(array[2])
    return 0


def _block(beside: str, block: str, others: str, variables: dict[str, Variable]) -> Block | None:
    """None for one that cannot rest."""
    written = _written(others)
    own: list[Variable] = []
    remembers = False
    for name in sorted(set(_NAMES.findall(block))):
        variable = variables.get(name)
        if variable is None or not variable.size:
            return None
        if variable.size > ARRAY_MOST and not variable.width:
            if name in written:
                return None
            remembers = True
            continue
        own.append(variable)
    outside = [one for one in own if one.is_input or one.name in written]
    return Block(beside, own, outside, remembers) if own else None


def _written(code: str) -> set[str]:
    """What that code may write: what it assigns, and what a function is given that gives nothing back."""
    found: set[str] = set()
    for statement in re.split(r"[;{}]", _CONDITION.sub("{", code)):
        to, assigns, _ = re.sub(r"[=!<>]=|<<=|>>=", "", statement).partition("=")
        names = _NAMES.findall(to)
        found |= set(names[:1] if assigns else names)
    return found


def write(work: Path, top: str, clocks: Sequence[str]) -> Path:
    """Writes HEADER for sim/evaluate.h: struct Resting with the blocks that can rest. `clocks` are those of the top, in
    the order of their bits in a mask. Its `each` takes a function of a block and of what gives the block's clock; its
    `due` one of a block, of those whose clock rises with one of a mask. `show` shows the clocks of all blocks. Returns
    the C++ behind it."""
    root = f"V{top}___024root"
    code = _read(work, top)
    found = list(code.blocks(_variables(work, top)).items())
    lines = [f"struct Of{number} {{\n{_declared(block, root)}}};" for number, (_, block) in enumerate(found)]
    lines.append("struct Resting {")
    for number, (clock, _) in enumerate(found):
        lines.append(f"    RestingBlock<{root}, Of{number}> block{number};  // {clock}")
    lines += ["    template <typename F>", "    void each([[maybe_unused]] F f) {"]
    for number, (clock, _) in enumerate(found):
        lines.append(f"        f(block{number}, []({root} &root) -> CData & {{ return root.{clock}; }});")
    lines += ["    }", "    template <typename F>"]
    lines += ["    void due([[maybe_unused]] unsigned clocks, [[maybe_unused]] F f) {"]
    for bit, name in enumerate(clocks):
        due = [f"            f(block{number});" for number, (_, block) in enumerate(found) if block.beside == name]
        lines += [f"        if (clocks & {1 << bit}u) {{", *due, "        }"] if due else []
    lines += ["    }", f"    static void show([[maybe_unused]] {root} &root, [[maybe_unused]] unsigned clocks) {{"]
    for clock, beside in code.own_clocks().items():
        lines.append(f"        root.{clock} = clocks >> {clocks.index(beside)} & 1;")
    (work / HEADER).write_text("\n".join([*lines, "    }", "};", ""]), encoding="utf-8")
    needed = ("<cstring>", f'"{root}.h"', f'"V{top}.h"', '"rest.h"', f'"{HEADER}"')
    body = [f"#include {header}" for header in needed]
    body += [_defined(f"Of{number}", block, root) for number, (_, block) in enumerate(found)]
    (work / SOURCE).write_text("\n".join([*body, ""]), encoding="utf-8")
    return work / SOURCE


_FUNCTIONS = (
    "void {of}take(const {root} &root)", "void {of}take(const {root} &root, unsigned group)",
    "bool {of}same(const {root} &root, unsigned group) const", "unsigned {of}moved(const {root} &root) const",
    "bool {of}same_outside(const {root} &root) const",
)  # fmt: skip


def _groups(variables: Sequence[Variable]) -> list[list[Variable]]:
    """What is compared at once: some scalars, or one other variable."""
    scalars = [one for one in variables if one.width]
    groups = [scalars[first : first + AT_ONCE] for first in range(0, len(scalars), AT_ONCE)]
    return groups + [[one] for one in variables if not one.width]


def _declared(block: Block, root: str) -> str:
    room = sum(one.size + 8 for one in block.own)
    members = [
        f"    static constexpr unsigned GROUPS = {len(_groups(block.own))};",
        f"    static constexpr bool REMEMBERS = {str(block.remembers).lower()};",
        *(f"    {line.format(of='', root=root)};" for line in _FUNCTIONS),
        f"    alignas(8) char kept[{room}];",
    ]
    return "\n".join([*members, ""])


def _defined(name: str, block: Block, root: str) -> str:
    """The functions of that struct, and what `kept` holds."""
    at = {one.name: f"v{number}" for number, one in enumerate(block.own)}
    kept = f"Kept{name}"
    take, take_group, same, moved, same_outside = (line.format(of=f"{name}::", root=root) for line in _FUNCTIONS)

    def taken(one: Variable) -> str:
        here, there = f"k.{at[one.name]}", f"root.{one.name}"
        return f"{here} = {there};" if one.width else f"std::memcpy(&{here}, &{there}, {one.size});"

    def differs(group: Sequence[Variable]) -> str:
        if not group[0].width:
            return f"std::memcmp(&k.{at[group[0].name]}, &root.{group[0].name}, {group[0].size}) != 0"
        words = [f"uint64_t(k.{at[one.name]} ^ root.{one.name})" for one in group]
        return f"({' | '.join(words)}) != 0"

    groups = _groups(block.own)
    constant = f"    const auto &k = *reinterpret_cast<const {kept} *>(kept);"
    changed = f"    auto &k = *reinterpret_cast<{kept} *>(kept);"
    lines = [
        f"struct {kept} {{", *(f"    decltype({root}::{one.name}) {at[one.name]};" for one in block.own), "};",
        f"static_assert(sizeof({kept}) <= sizeof({name}::kept));",
        f"{take} {{", changed, *(f"    {taken(one)}" for one in block.own), "}",
        f"{take_group} {{", changed, "    switch (group) {",
    ]  # fmt: skip
    for number, group in enumerate(groups):
        lines += [f"    case {number}:", *(f"        {taken(one)}" for one in group), "        break;"]
    lines += ["    }", "}", f"{same} {{", constant, "    switch (group) {"]
    lines += [f"    case {number}: return !({differs(group)});" for number, group in enumerate(groups)]
    lines += ["    }", "    return true;", "}", f"{moved} {{", constant]
    lines += [f"    if ({differs(group)}) return {number};" for number, group in enumerate(groups)]
    lines += ["    return GROUPS;", "}", f"{same_outside} {{", constant]
    lines += [f"    if ({differs(group)}) return false;" for group in _groups(block.outside)]
    return "\n".join([*lines, "    return true;", "}"])
