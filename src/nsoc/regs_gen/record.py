# SPDX-License-Identifier: Apache-2.0
"""The record of a TCP connection as the registers `record` show it, for C and Python: where each field of record_t is,
and the numbers of states, commands, answers and options. They are described once, in rtl/tcp/tcp_pkg.sv."""

import re
from dataclasses import dataclass

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import ROOT, MapError

SOURCE = ROOT / "rtl" / "tcp" / "tcp_pkg.sv"
NOTE = "Generated from rtl/tcp/tcp_pkg.sv by `python -m nsoc.regs_gen`. Do not edit."
ROWS = 4
ROW_WORDS = 16
_ENUMS = {"state_t": "state", "why_t": "", "op_t": "", "answer_t": "answer"}
"""Enums that the processor meets, with what stands in front of their names."""


@dataclass(frozen=True)
class RecordField:
    """`at`: bits of the record in front of it."""

    name: str
    at: int
    bits: int
    desc: str


class Package:
    """What the text of the package says."""

    def __init__(self) -> None:
        self._text = SOURCE.read_text()
        self.enums = {f"{prefix}_{name}".strip("_").upper(): number for prefix, name, number in self._numbers()}
        self.options = [name for name, _, _ in self._struct("options_t")]
        self.fields: list[RecordField] = []
        at = 0
        for name, bits, desc in self._struct("record_t"):
            self.fields.append(RecordField(name, at, bits, desc))
            at += bits
        self.row_bits = -(-at // ROWS)
        if self.row_bits > 32 * ROW_WORDS:
            raise MapError(f"a row of record_t has {self.row_bits} bits, the registers `record` show {32 * ROW_WORDS}")

    def _numbers(self) -> list[tuple[str, str, int]]:
        found = []
        for kind, prefix in _ENUMS.items():
            body = re.search(rf"typedef enum logic \[\d+:0\] \{{([^}}]*)\}} {kind};", self._text)
            if body is None:
                raise MapError(f"there is no {kind} in {SOURCE.name}")
            found += [(prefix, name, number) for number, name in enumerate(re.findall(r"\w+", body[1]))]
        return found

    def _struct(self, kind: str) -> list[tuple[str, int, str]]:
        """Its fields: name, width, text."""
        body = re.search(rf"struct packed \{{((?:(?!struct packed)[\s\S])*?)\}} {kind};", self._text)
        if body is None:
            raise MapError(f"there is no {kind} in {SOURCE.name}")
        found = []
        for line in body[1].splitlines():
            field = re.match(r"\s+(\w+)\s*(?:\[(\d+):0\])?\s+(\w+);\s*(?://\s*(.*))?", line)
            if field:
                bits = int(field[2]) + 1 if field[2] else self._width(field[1])
                found.append((field[3], bits, field[4] or ""))
        return found

    def _width(self, kind: str) -> int:
        gaps = int(self._found(r"GAPS\s*= (\d+);"))
        index = int(self._found(r"INDEX_W\s*= (\d+);"))
        widths = {"logic": 1, "blocks_t": 64 * gaps + 3, "seq_t": 32, "index_t": index}
        if kind in widths:
            return widths[kind]
        return int(self._found(rf"typedef enum logic \[(\d+):0\] \{{[^}}]*\}} {kind};")) + 1

    def _found(self, pattern: str) -> str:
        match = re.search(pattern, self._text)
        if match is None:
            raise MapError(f"{SOURCE.name} has nothing like {pattern}")
        return match[1]


def header(package: Package) -> str:
    """firmware/lib/toe_record.h."""
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* The record of a connection in the TCP/IP engine, as a STATUS command leaves it in NSOC_TOE->record;",
        " * numbers of states, reasons, commands, answers and options.",
        f" * {NOTE}",
        " *",
        " * NSOC_TOE_RECORD_<field> are two arguments: its place in the record, and how many bits it has (up to 32 can",
        " * be read at once, of a longer one a part):",
        " *     uint32_t state = nsoc_toe_record(NSOC_TOE, NSOC_TOE_RECORD_STATE);",
        " */",
        "#ifndef TOE_RECORD_H",
        "#define TOE_RECORD_H",
        "",
        '#include "nsoc_regs.h"',
        "",
    ]
    for name, number in package.enums.items():
        out.append(f"#define NSOC_TOE_{name} {number}")
    out += ["", "/* Options, the first argument of OPTION. */"]
    out += [f"#define NSOC_TOE_OPTION_{name.upper()} {number}" for number, name in enumerate(package.options)]
    out += ["", "/* Fields of the record: place, bits. */"]
    for field in package.fields:
        out += tree.wrap(f"{field.desc or 'See the next field.'} */", "/*", " *")
        out.append(f"#define NSOC_TOE_RECORD_{field.name.upper()} {field.at}u, {field.bits}u")
    out += [
        "",
        f"#define NSOC_TOE_RECORD_ROW_BITS {package.row_bits}u",
        f"#define NSOC_TOE_RECORD_ROW_WORDS {ROW_WORDS}u",
        "",
        "/* `bits` (1 to 32) of the record from `at` on. */",
        "static inline uint32_t nsoc_toe_record(const nsoc_toe_t *toe, uint32_t at, uint32_t bits) {",
        "    uint32_t value = 0;",
        "    while (bits != 0) {",
        "        uint32_t row = at / NSOC_TOE_RECORD_ROW_BITS, place = at % NSOC_TOE_RECORD_ROW_BITS;",
        "        uint32_t in_word = 32u - place % 32u, in_row = NSOC_TOE_RECORD_ROW_BITS - place;",
        "        uint32_t count = bits < in_word ? bits : in_word;",
        "        count = count < in_row ? count : in_row;",
        "        uint32_t word = toe->record[row * NSOC_TOE_RECORD_ROW_WORDS + place / 32u].word;",
        "        uint32_t part = word << place % 32u >> (32u - count);",
        "        value = count == 32u ? part : value << count | part;",
        "        at += count;",
        "        bits -= count;",
        "    }",
        "    return value;",
        "}",
        "",
        "#endif",
        "",
    ]
    return "\n".join(out)


def python(package: Package) -> str:
    """src/nsoc/machine/toe_record.py."""
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        '"""The record of a connection in the TCP/IP engine, as a STATUS command leaves it in the registers `record`.',
        "",
        NOTE,
        '"""',
        "",
        "# fmt: off",
        "from collections.abc import Sequence",
        "",
        f"ROWS, ROW_BITS, ROW_WORDS = {ROWS}, {package.row_bits}, {ROW_WORDS}",
        "",
        "NUMBERS = {",
        *(f'    "{name}": {number},' for name, number in package.enums.items()),
        "}",
        '"""States, reasons, commands and answers."""',
        f"OPTIONS = {tuple(package.options)!r}".replace("'", '"'),
        '"""In the order of their numbers."""',
        "FIELDS = {",
        *(f'    "{field.name}": ({field.at}, {field.bits}),' for field in package.fields),
        "}",
        '"""By name: place in the record, and how many bits."""',
        "",
        "",
        "def unpack(words: Sequence[int]) -> dict[str, int]:",
        '    """The record by field, from the registers\' words."""',
        "    record = 0",
        "    for row in range(ROWS):",
        "        for word in words[ROW_WORDS * row : ROW_WORDS * (row + 1)]:",
        "            record = record << 32 | word",
        "        record >>= 32 * ROW_WORDS - ROW_BITS",
        "    return {",
        "        name: record >> ROWS * ROW_BITS - at - bits & (1 << bits) - 1 for name, (at, bits) in FIELDS.items()",
        "    }",
        "",
    ]
    return "\n".join(out)
