# SPDX-License-Identifier: Apache-2.0
"""What firmware knows of the TCP/IP engine beside its registers: names of its numbers, the layout of a record, the
table of counters. Numbers and record are those of rtl/tcp/common/tcp_pkg.sv."""

import re
from dataclasses import dataclass

from systemrdl.node import RegNode

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import ROOT, MapError, Soc

PACKAGE = ROOT / "rtl" / "tcp" / "common" / "tcp_pkg.sv"
BEATS = 4
"""Rows of a record, as in the package."""
ENUMS = ("tcp_state_t", "end_why_t", "op_t", "answer_t")
"""Whose numbers firmware sees."""
OPTIONS = "options_t"
"""Whose members firmware sees, in the record that has them, too."""


@dataclass(frozen=True)
class Field:
    """Of the record: its first bit, counted from the record's first one on."""

    name: str
    at: int
    bits: int
    desc: str


def _width(kind: str, text: str) -> int:
    """Of a type of the package, in bits."""
    if kind == "logic":
        return 1
    constants = {name: int(value) for name, value in re.findall(r"localparam int unsigned (\w+) += (\d+);", text)}
    if found := re.search(rf"typedef (?:enum )?logic \[(\w+)(-1)?:0\][^;]*?\b{kind};", text):
        high = constants[found[1]] if found[1] in constants else int(found[1])
        return high if found[2] else high + 1
    return sum(bits for _, bits, _ in _members(kind, text))


def _members(kind: str, text: str) -> list[tuple[str, int, str]]:
    """Name, width and text of each member of a packed struct."""
    body = re.search(rf"typedef struct packed \{{([^{{}}]*)\}} {kind};", text)
    if body is None:
        raise MapError(f"{PACKAGE.name} has no type {kind}")
    constants = {name: int(value) for name, value in re.findall(r"localparam int unsigned (\w+) += (\d+);", text)}
    members = []
    for one in re.finditer(r"^ +(\w+) *(?:\[(\w+)(-1)?:0\])? +(\w+); *(?://(.*))?$", body[1], re.MULTILINE):
        high = 0 if one[2] is None else constants[one[2]] if one[2] in constants else int(one[2])
        count = 1 if one[2] is None else high if one[3] else high + 1
        members.append((one[4], _width(one[1], text) * count, (one[5] or "").strip()))
    return members


def fields() -> list[Field]:
    """The record's."""
    found, at = [], 0
    text = PACKAGE.read_text(encoding="utf-8")
    options = _members(OPTIONS, text)
    for member in _members("record_t", text):
        for name, bits, desc in options if member[0] == "options" else [member]:
            found.append(Field(name, at, bits, desc))
            at += bits
    return found


def _enum(kind: str, text: str) -> list[str]:
    body = re.search(rf"typedef enum logic \[[^\]]*\] \{{([^}}]*)\}} {kind};", text)
    if body is None:
        raise MapError(f"{PACKAGE.name} has no type {kind}")
    prefix = "STATE_" if kind == "tcp_state_t" else ""
    names = [f"TOE_{prefix}{name.strip()}" for name in body[1].split(",")]
    return [*tree.wrap(", ".join(names) + "};", "enum {", "     "), ""]


def header() -> str:
    """firmware/lib/toe/toe_record.h."""
    text = PACKAGE.read_text(encoding="utf-8")
    found = fields()
    row = -(-(found[-1].at + found[-1].bits) // BEATS)
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Numbers of the TCP/IP engine, and the record of a connection as the command STATUS shows it.",
        " * Generated from rtl/tcp/common/tcp_pkg.sv by `python -m nsoc.regs_gen`. Do not edit.",
        " *",
        " * A field of the record is TOE_RECORD_<field>: its first bit, counted from the record's first one on, and",
        " * how many bits it has. Fields of more than 32 bits are given by their first one alone.",
        " */",
        "#ifndef NSOC_TOE_RECORD_H",
        "#define NSOC_TOE_RECORD_H",
        "",
    ]
    for kind in ENUMS:
        out += _enum(kind, text)
    options = [f"TOE_OPTION_{name.upper()}" for name, _, _ in _members(OPTIONS, text)]
    out += [*tree.wrap(", ".join(options) + "};", "enum {", "    "), ""]
    out += [f"#define TOE_RECORD_ROW_BITS {row}u /* each row begins in the first bit of a word of its own */", ""]
    for field in found:
        comment = f" /* {field.desc} */" if field.desc else ""
        name = f"TOE_RECORD_{field.name.upper()}"
        out.append(f"#define {name} {field.at}u{f', {field.bits}u' if field.bits <= 32 else ''}{comment}")
    return "\n".join([*out, "", "#endif", ""])


def counters(soc: Soc) -> str:
    """firmware/lib/toe/toe_counters.c."""
    block = soc.block("toe")
    rows = [
        f'    {{"{reg.inst_name}", 0x{tree.offset(reg, block):03X}}},'
        for reg in block.descendants()
        if isinstance(reg, RegNode) and str(reg.type_name).startswith("toe_count")
    ]
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            f"// {tree.NOTE}",
            '#include "toe.h"',
            "",
            '#include "in_dram.h"',
            "",
            "const toe_counter_t toe_counters[] = {",
            *rows,
            "};",
            "const uint32_t toe_counter_count = sizeof toe_counters / sizeof *toe_counters;",
            "",
        ]
    )
