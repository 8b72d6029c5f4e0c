# SPDX-License-Identifier: Apache-2.0
"""What a simulator has to compare to leave out the edges of a block's clock: from the C++ that Verilator made.

A block that can rest has a clock pin of its own (models/fast/clock_pass.sv) that rises with another clock of the top.
The functions that run when it rises, and not with the other one, are the block. An edge that changed nothing of what
they name would be repeated by the next one, until something changes that others write: then the block can rest
(sim/rest.h). Both sets are read out of the generated code, so nobody keeps a list.

Memories of more than ARRAY_MOST bytes are not compared: what is written to them comes out of registers, which are. One
that others name, too, keeps the block from resting.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc.machine import by_clock

ARRAY_MOST = 512
AT_ONCE = 16
"""So many scalars are compared before the result is looked at."""
HEADER, SOURCE = "resting.h", "resting.cpp"
"""What write() writes."""

_FUNCTION = r"^[\w ]*void (V{top}___024root___\w+)\(V{top}___024root\* vlSelf\) \{{\n(.*?)^\}}"
_PART = re.compile(
    r"^    if \(\(([0-9a-fxUL]+) & vlSelfRef\.__VnbaTriggered\[0U\]\)\) \{\n(.*?)^    \}\n", re.DOTALL | re.MULTILINE
)
_NAMES = re.compile(r"vlSelfRef\.(\w+)")
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
    is_pin: bool = False


@dataclass(frozen=True)
class Block:
    """What is compared of it."""

    own: list[Variable]
    """All that its functions name."""
    outside: list[Variable]
    """Of these those that other functions may write."""


def blocks(work: Path, top: str, pins: Mapping[str, str]) -> dict[str, Block]:
    """Which blocks can rest in the code for `top` in `work`, which can be evaluated by clock. By their clocks: `pins`
    says with what clock each of these rises (by_clock.blocks)."""
    code = by_clock.running_code(work, top)
    functions = dict(re.findall(_FUNCTION.format(top=top), code, flags=re.DOTALL | re.MULTILINE))
    triggers = functions.get(f"V{top}___024root___eval_triggers_vec__act", "")
    clocks = _PREVIOUS.findall(triggers.partition(";\n    vlSelfRef.__Vtrigprevexpr")[0])[::-1]
    whole = functions.get(f"V{top}___024root___eval_nba", "")
    others = _PART.sub("", whole)
    variables = _variables((work / f"V{top}___024root.h").read_text(encoding="utf-8"))
    found = {}
    for clock, driver in pins.items():
        if clocks.count(clock) != 1 or clocks.count(driver) != 1:
            continue
        of_block: list[str] = []
        of_others = [others]
        for mask, body in _PART.findall(whole):
            bits = int(mask.rstrip("UL"), 0)
            runs_alone = bits >> clocks.index(clock) & 1 and not bits >> clocks.index(driver) & 1
            (of_block if runs_alone else of_others).append(_with_called(body, functions))
        block = _block("".join(of_block), "".join(of_others), variables)
        if block is not None:
            found[clock] = block
    return found


def _with_called(body: str, functions: dict[str, str]) -> str:
    bodies, seen = [body], set()
    for text in bodies:  # grows
        for called in re.findall(r"\b\w+___024root___\w+(?=\(vlSelf\))", text):
            if called in functions and called not in seen:
                seen.add(called)
                bodies.append(functions[called])
    return "".join(bodies)


def _variables(header: str) -> dict[str, Variable]:
    found = {}
    for kind, name in re.findall(
        r"^ +((?:VlUnpacked<|VlWide<|[CSIQ]Data|VL_\w+\()[^;]*?) ?\b(\w+);", header, re.MULTILINE
    ):
        plain = re.sub(r"/\*.*?\*/", "", kind).strip()
        width = _WIDTHS.get(plain, 0)
        size = _size(plain)
        found[name] = Variable(name, width, size)
    # VL_IN8(name,msb,lsb);
    for bits, name in re.findall(r"^ +VL_(?:IN|OUT)(\w*)\(&?(\w+),", header, re.MULTILINE):
        width = {"8": 1, "16": 2, "": 4, "64": 8}.get(bits, 0)
        found[name] = Variable(name, width, width, is_pin=True)
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


def _block(block: str, others: str, variables: dict[str, Variable]) -> Block | None:
    """None for one that cannot rest."""
    named, outside = set(_NAMES.findall(block)), set(_NAMES.findall(others))
    own: list[Variable] = []
    for name in sorted(named):
        variable = variables.get(name)
        if variable is None or not variable.size:
            return None
        if variable.size > ARRAY_MOST and not variable.width:
            if name in outside:
                return None
            continue
        own.append(variable)
    written = _written(others, variables)
    return Block(own, [one for one in own if one.is_pin or one.name in written]) if own else None


def _written(code: str, variables: dict[str, Variable]) -> set[str]:
    """What that code may write: all that is assigned, and all that is no scalar, as functions write it by reference."""
    assigned = set(re.findall(r"vlSelfRef\.(\w+)\s*=[^=]", code))
    for statement in re.findall(r"VL_ASSIGN\w*\([^;]*;", code):
        assigned |= set(_NAMES.findall(statement))
    return assigned | {
        name for name in set(_NAMES.findall(code)) if not (variables.get(name) or Variable("", 0, 0)).width
    }


def write(work: Path, top: str, clocks: Sequence[str], pins: Mapping[str, str]) -> Path:
    """Writes HEADER for sim/evaluate.h: struct Resting with the blocks that can rest. Its `each` takes a function of a
    block, of what gives the block's clock pin, and of the number, in `clocks`, of the clock that this one rises with.
    Returns the C++ behind it."""
    found = blocks(work, top, pins)
    root = f"V{top}___024root"
    lines = [f"struct Of_{pin} {{\n{_declared(block, root)}}};" for pin, block in found.items()]
    shown = {pin: f"[](V{top} &top) -> CData & {{ return top.{pin}; }}" for pin in found}
    members = [f"    RestingBlock<{root}, Of_{pin}> {pin};" for pin in found]
    calls = [f"        f({pin}, {shown[pin]}, {clocks.index(pins[pin])}u);" for pin in found]
    each = ["    template <typename F>", "    void each([[maybe_unused]] F f) {", *calls, "    }"]
    (work / HEADER).write_text("\n".join([*lines, "struct Resting {", *members, *each, "};", ""]), encoding="utf-8")
    needed = ("<cstring>", f'"{root}.h"', f'"V{top}.h"', '"rest.h"', f'"{HEADER}"')
    body = [f"#include {header}" for header in needed]
    body += [_defined(pin, block, root) for pin, block in found.items()]
    (work / SOURCE).write_text("\n".join([*body, ""]), encoding="utf-8")
    return work / SOURCE


_FUNCTIONS = (
    "void {of}take(const {root} &root)", "bool {of}same(const {root} &root) const",
    "bool {of}same_outside(const {root} &root) const",
)  # fmt: skip


def _declared(block: Block, root: str) -> str:
    room = sum(one.size + 8 for one in block.own)
    members = [f"    alignas(8) char kept[{room}];", *(f"    {line.format(of='', root=root)};" for line in _FUNCTIONS)]
    return "\n".join([*members, ""])


def _defined(name: str, block: Block, root: str) -> str:
    """The functions of Of_<name>, and what `kept` holds."""
    at = {one.name: f"v{number}" for number, one in enumerate(block.own)}
    take, same, same_outside = (line.format(of=f"Of_{name}::", root=root) for line in _FUNCTIONS)
    lines = [
        f"struct Kept_{name} {{",
        *(f"    decltype({root}::{one.name}) {at[one.name]};" for one in block.own),
        "};",
    ]
    lines.append(f"static_assert(sizeof(Kept_{name}) <= sizeof(Of_{name}::kept));")
    lines += [f"{take} {{", f"    auto &k = *reinterpret_cast<Kept_{name} *>(kept);"]
    for one in block.own:
        here, there = f"k.{at[one.name]}", f"root.{one.name}"
        lines.append(f"    {here} = {there};" if one.width else f"    std::memcpy(&{here}, &{there}, {one.size});")
    lines.append("}")
    for function, compared in ((same, block.own), (same_outside, block.outside)):
        lines += [f"{function} {{", f"    const auto &k = *reinterpret_cast<const Kept_{name} *>(kept);"]
        words = [f"uint64_t(k.{at[one.name]} ^ root.{one.name})" for one in compared if one.width]
        for first in range(0, len(words), AT_ONCE):
            lines.append(f"    if ({' | '.join(words[first : first + AT_ONCE])}) return false;")
        for one in compared:
            if not one.width:
                lines.append(f"    if (std::memcmp(&k.{at[one.name]}, &root.{one.name}, {one.size})) return false;")
        lines += ["    return true;", "}"]
    return "\n".join(lines)
