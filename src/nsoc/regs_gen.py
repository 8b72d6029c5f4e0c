# SPDX-License-Identifier: Apache-2.0
"""Writes everything that is generated from regs/*.rdl: the NIC's RTL package, the C header, the Python map, the page of
all registers (docs/registers.html) and the CMSIS-SVD file for debuggers and other generators (docs/nsoc.svd).

`python -m nsoc.regs_gen` rewrites the files, `--check` only says whether they are up to date (exit status 1 if not).
The files are committed, so that building and running need no SystemRDL compiler.
"""

import argparse
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from systemrdl.compiler import RDLCompiler
from systemrdl.messages import RDLCompileError
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, MemNode, Node, RegfileNode, RegNode

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "regs" / "nsoc.rdl"
NOTE = "Generated from the .rdl files in regs/ by `python -m nsoc.regs_gen`. Do not edit."
WIDTH = 116  # of generated comments


def _desc(node: AddressableNode | FieldNode) -> str:
    return " ".join((node.get_property("desc") or "").split())


def _wrap(text: str, first: str, others: str) -> list[str]:
    """`text` in lines of at most WIDTH characters, the first one behind `first`, the others behind `others`."""
    lines, line = [], first.rstrip()
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = others.rstrip()
        line += " " + word
    return [*lines, line]


def _parts(node: Node) -> list[AddressableNode]:
    """The registers, groups of registers and memories right below `node`, by address."""
    return [child for child in node.children() if isinstance(child, AddressableNode)]


def _fields(reg: RegNode) -> list[FieldNode]:
    """Fields from the lowest bit upwards."""
    return sorted(reg.fields(), key=lambda f: f.low)


def _reset(field: FieldNode) -> int:
    reset = field.get_property("reset")
    return reset if isinstance(reset, int) else 0


def _reg_reset(reg: RegNode) -> int:
    return sum(_reset(f) << f.low for f in reg.fields())


def _field_access(field: FieldNode) -> str:
    if field.get_property("woclr"):
        return "w1c"
    return {"rw": "rw", "r": "ro", "w": "wo"}[field.get_property("sw").name]


def _writable(reg: RegNode) -> int:
    """Mask of the bits that a write changes."""
    return sum(((1 << f.width) - 1) << f.low for f in reg.fields() if f.is_sw_writable)


def _reg_access(reg: RegNode) -> str:
    accesses = {_field_access(f) for f in reg.fields()}
    if accesses == {"ro"} or accesses == {"wo"}:
        return accesses.pop()
    return "w1c" if "rw" not in accesses and "w1c" in accesses else "rw"


def _is_counter(reg: RegNode) -> bool:
    return any(f.get_property("counter") for f in reg.fields())


def _group(reg: RegNode) -> str:
    """The name that a register's fields go by: registers of one named type share it."""
    return str(reg.inst_name if _is_counter(reg) or reg.type_name is None else reg.type_name)


def _named_fields(block: AddrmapNode) -> Iterator[tuple[str, RegNode]]:
    """Each different register layout of a block once, with its name."""
    seen = set()
    for reg in block.descendants(unroll=False):
        if isinstance(reg, RegNode) and not _is_counter(reg) and _group(reg) not in seen:
            seen.add(_group(reg))
            yield _group(reg), reg


# ---- Layouts in memory -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """What lies at a pointer's address: big-endian dwords, and behind them `rest`, of `rest_type`."""

    node: AddrmapNode
    rest: str
    rest_type: str
    rest_desc: str

    @property
    def name(self) -> str:
        return str(self.node.inst_name)

    @property
    def rest_offset(self) -> int:
        return int(self.node.get_property(f"{self.rest}_offset"))

    @property
    def registers(self) -> list[RegNode]:
        return list(self.node.registers())


# ---- RTL package -----------------------------------------------------------------------------------------------------


def _sv_struct(name: str, reg: RegNode) -> list[str]:
    width = reg.get_property("regwidth")
    lines, bit, reserved = ["  typedef struct packed {"], width, 0
    for field in [*reversed(_fields(reg)), None]:
        high = field.high if field else -1
        if bit - 1 > high:
            lines.append(f"    logic [{bit - 2 - high}:0] reserved{reserved};")
            reserved += 1
        if field:
            kind, bits = (
                ("logic", f"{field.low}")
                if field.width == 1
                else (f"logic [{field.width - 1}:0]", f"{field.high}:{field.low}")
            )
            lines.append(f"    {kind} {field.inst_name};  // [{bits}]")
            bit = field.low
    return [*lines, f"  }} {name}_t;", ""]


def rtl_package(nic: AddrmapNode, layouts: Sequence[Layout]) -> str:
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        "// The NIC's registers (IDs, which are byte offsets / 4, reset values, layouts), and what it shares with the",
        "// processor in memory: packet buffers and queues.",
        f"// {NOTE}",
        "package nic_regs_pkg;",
        "",
        "  // Not every block uses every constant.",
        "  /* verilator lint_off UNUSEDPARAM */",
        "",
        "  // Register IDs; of an array the first element's, with the number of elements and their distance.",
    ]
    for child in _parts(nic):
        regs = [child] if isinstance(child, RegNode) else _parts(child)
        prefix = "" if isinstance(child, RegNode) else f"{child.inst_name}_".upper()
        base = child.raw_address_offset if isinstance(child, RegfileNode) else 0
        for reg in regs:
            reg_id = (base + reg.raw_address_offset) // 4
            out.append(f"  localparam logic [7:0] ID_{prefix}{reg.inst_name.upper()} = 8'd{reg_id};")
        if child.array_dimensions and child.array_stride:
            out.append(f"  localparam int unsigned {prefix}COUNT = {child.array_dimensions[0]};")
            out.append(f"  localparam int unsigned {prefix}STRIDE = {child.array_stride // 4};")
    out += ["", "  // Reset values, and the bits that a write changes."]
    for name, reg in _named_fields(nic):
        if isinstance(reg.parent, AddrmapNode) and _writable(reg):
            out.append(f"  localparam logic [31:0] {name.upper()}_RESET = 32'h{_reg_reset(reg):08x};")
            out.append(f"  localparam logic [31:0] {name.upper()}_WRITABLE = 32'h{_writable(reg):08x};")
    out += ["", "  // Answers of the queue registers and of the lock."]
    for name, reg in _named_fields(nic):
        if name in ("queue_pointer", "lock"):
            for field in _fields(reg):
                if field.width == 1:
                    answer = f"{name.removesuffix('_pointer')}_{field.inst_name}".upper()
                    out.append(f"  localparam logic [31:0] {answer} = 32'h{1 << field.low:08x};")
    out += ["", "  // Registers of several fields."]
    for name, reg in _named_fields(nic):
        if len(reg.fields()) > 1 and name not in ("queue_pointer", "lock"):
            out += _sv_struct(name, reg)
    counters = [reg.inst_name for reg in _parts(nic) if isinstance(reg, RegNode) and _is_counter(reg)]
    out += ["  // One event for each counter, bit i for the i-th one in the order of the IDs."]
    out += [f"  localparam int unsigned COUNTERS = {len(counters)};", "", "  typedef struct packed {"]
    out += [f"    logic {name};" for name in reversed(counters)]
    out += ["  } counter_events_t;", ""]
    for layout in layouts:
        prefix, what = layout.name.upper(), layout.node.get_property("name")
        out += [f"  // {what}: byte offsets, and dwords of several fields as the bus carries them."]
        out.append(f"  localparam int unsigned {prefix}_{layout.rest.upper()}_OFFSET = {layout.rest_offset};")
        for reg in layout.registers:
            out.append(f"  localparam int unsigned {prefix}_{reg.inst_name.upper()}_OFFSET = {reg.raw_address_offset};")
        out.append("")
        for reg in layout.registers:
            if len(reg.fields()) > 1:
                out += _sv_struct(f"{layout.name}_{reg.inst_name}", reg)
    return "\n".join([*out, "  /* verilator lint_on UNUSEDPARAM */", "", "endpackage", ""])


# ---- C header --------------------------------------------------------------------------------------------------------


def _c_members(parent: AddressableNode, indent: str, base: int, size: int, told: dict[str, str]) -> list[str]:
    """The members of a register struct at `base`; gaps become reserved words, `size` bytes in all.

    `told`: the registers whose text has been printed, by type; another of the same type only refers to it.
    """
    lines, offset, gaps = [], 0, 0

    def pad(to: int) -> None:
        nonlocal offset, gaps
        if to > offset:
            lines.append(f"{indent}uint32_t reserved{gaps}[{(to - offset) // 4}];")
            gaps += 1
        offset = to

    for child in _parts(parent):
        pad(child.raw_address_offset)
        if isinstance(child, RegNode):
            text = f"{_desc(child)} [{_reg_access(child)}]"
            if not _is_counter(child):
                if _group(child) in told:
                    text = f"Like {told[_group(child)]}."
                else:
                    told[_group(child)] = child.get_rel_path(child.owning_addrmap or child)
            lines += _wrap(f"{text} */", f"{indent}/* 0x{base + offset:03X}:", f"{indent} *")
            const = "const " if _reg_access(child) == "ro" else ""
            lines.append(f"{indent}volatile {const}uint32_t {child.inst_name};")
            offset += 4
        else:
            count = child.array_dimensions[0] if child.array_dimensions else 1
            stride = child.array_stride or child.size
            inner = _c_members(child, indent + "    ", base + offset, stride, told)
            array = f"[{count}]" if child.array_dimensions else ""
            lines += [f"{indent}struct {{", *inner, f"{indent}}} {child.inst_name}{array};"]
            offset += stride * count
    pad(size)
    return lines


def _c_fields(prefix: str, reg: RegNode) -> list[str]:
    width = reg.get_property("regwidth")
    lines = []
    for field in _fields(reg):
        if field.width == width:
            continue  # the register is the field
        name = f"{prefix}_{field.inst_name.upper()}"
        mask = ((1 << field.width) - 1) << field.low
        lines += _wrap(f"{_desc(field)} */", "/*", " *")
        lines.append(f"#define {name} 0x{mask:08X}u")
        if field.width > 1:
            lines.append(f"#define {name}_LSB {field.low}")
    return lines


def _c_layout(layout: Layout) -> list[str]:
    """A layout as bytes in memory: a field of the big-endian dword lies at byte (63 - high bit) / 8."""
    members, position, gaps = [], 0, 0
    offset_name = f"NSOC_{layout.name.upper()}_{layout.rest.upper()}_OFFSET"

    def pad(to: int) -> None:
        nonlocal position, gaps
        if to > position:
            members.append(f"    uint8_t reserved{gaps}[{to - position}];")
            gaps += 1
        position = to

    for reg in layout.registers:
        for field in reversed(_fields(reg)):
            pad(reg.raw_address_offset + (63 - field.high) // 8)
            name = field.inst_name if len(reg.fields()) > 1 else f"{reg.inst_name}_{field.inst_name}"
            big_endian = "" if field.width == 8 else f" Big-endian: NSOC_BE{min(field.width, 32)}()."
            members += _wrap(f"{_desc(field)}{big_endian} */", "    /*", "     *")
            # A 64-bit member would need an alignment of 8 that not every ABI gives; two words do not.
            types = {8: ("uint8_t", ""), 16: ("uint16_t", ""), 32: ("uint32_t", ""), 64: ("uint32_t", "[2]")}
            ctype, array = types[field.width]
            members.append(f"    {ctype} {name}{array};")
            position += field.width // 8
    pad(layout.rest_offset)
    name = layout.name
    return [
        f"/* ---- {layout.node.get_property('name')} ---- */",
        "",
        f"#define {offset_name} {layout.rest_offset}",
        "",
        *_wrap(f"{_desc(layout.node)} Aligned to 8. */", "/*", " *"),
        "typedef struct {",
        *members,
        f"    /* {layout.rest_desc} */",
        f"    {layout.rest_type} {layout.rest}[];",
        f"}} nsoc_{name}_t;",
        f'_Static_assert(offsetof(nsoc_{name}_t, {layout.rest}) == {offset_name}, "layout");',
        "",
    ]


_C_BYTE_ORDER = [
    "/* ---- Layouts in memory: the bus and the network are big-endian ---- */",
    "",
    "#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__",
    "#define NSOC_BE16(x) ((uint16_t)(x))",
    "#define NSOC_BE32(x) ((uint32_t)(x))",
    "#else",
    "#define NSOC_BE16(x) ((uint16_t)((((uint32_t)(x) >> 8) & 0xFFu) | (((uint32_t)(x) & 0xFFu) << 8)))",
    "#define NSOC_BE32(x) __builtin_bswap32((uint32_t)(x))",
    "#endif",
    "",
]


def c_header(top: AddrmapNode, layouts: Sequence[Layout]) -> str:
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* N-SoC memory map, device registers, packet buffer and queues in memory.",
        f" * {NOTE}",
        " *",
        " * A struct describes a device's registers, NSOC_<device> points to the one in this SoC.",
        " * NSOC_<device>_<register>_<field> is a field's mask, with _LSB its lowest bit.",
        " * [ro] read only, [rw] read and write, [w1c] writing 1 clears, [wo] write only.",
        " */",
        "#ifndef NSOC_REGS_H",
        "#define NSOC_REGS_H",
        "",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "/* ---- Memory map ---- */",
        "",
    ]
    for mem in top.children():
        if isinstance(mem, MemNode):
            name = f"NSOC_{mem.inst_name.upper()}"
            out += _wrap(f"{_desc(mem)} */", "/*", " *")
            out += [f"#define {name}_BASE 0x{mem.absolute_address:08X}u", f"#define {name}_BYTES 0x{mem.size:X}u"]
    out.append("")
    for block in top.children():
        if not isinstance(block, AddrmapNode):
            continue
        name = f"nsoc_{block.inst_name}"
        prefix = name.upper()
        members = _c_members(block, "    ", 0, block.size, {})
        out += [f"/* ---- {block.get_property('name')} ---- */", ""]
        out += _wrap(f"{_desc(block)} */", "/*", " *")
        out += ["typedef struct {", *members, f"}} {name}_t;"]
        out += [f'_Static_assert(sizeof({name}_t) == 0x{block.size:X}, "layout");', ""]
        out += [
            f"#define {prefix}_BASE 0x{block.absolute_address:08X}u",
            f"#define {prefix} (({name}_t *){prefix}_BASE)",
        ]
        for child in block.children():
            if isinstance(child, RegfileNode) and child.array_dimensions:
                out.append(f"#define {prefix}_{child.inst_name.upper()}_COUNT {child.array_dimensions[0]}")
        out.append("")
        for group, reg in _named_fields(block):
            out += _c_fields(f"{prefix}_{group.upper()}", reg)
        if out[-1]:
            out.append("")
    out += _C_BYTE_ORDER
    for layout in layouts:
        out += _c_layout(layout)
    return "\n".join([*out, "#endif", ""])


# ---- Python map ------------------------------------------------------------------------------------------------------

_PYTHON_HEAD = f'''# SPDX-License-Identifier: Apache-2.0
"""The registers of the SoC's devices, the memory map and the layouts in memory, as plain data.

{NOTE}
"""

# ruff: noqa: E501 - one line a register field
# fmt: off
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """Bits `lsb` to `lsb + width - 1` of a register. `access`: "ro", "rw", "wo" or "w1c" (writing 1 clears)."""

    name: str
    lsb: int
    width: int
    access: str
    reset: int
    description: str


@dataclass(frozen=True)
class Register:
    """A 32-bit register; `offset` in bytes from its block's base, `id` = offset / 4. Access as in Field.

    `counter`: it counts frames from reset on and wraps.
    """

    name: str
    id: int
    offset: int
    access: str
    reset: int
    counter: bool
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Block:
    """A device: its registers by name, in the order of their offsets."""

    name: str
    base: int
    description: str
    registers: dict[str, Register]


@dataclass(frozen=True)
class Memory:
    """A memory: `base` address and size in bytes."""

    name: str
    base: int
    bytes: int
    description: str

'''


def python_map(top: AddrmapNode, layouts: Sequence[Layout]) -> str:
    out = [_PYTHON_HEAD, "MEMORIES: dict[str, Memory] = {"]
    for mem in top.children():
        if isinstance(mem, MemNode):
            args = f'"{mem.inst_name}", 0x{mem.absolute_address:08X}, 0x{mem.size:X}, "{_desc(mem)}"'
            out.append(f'    "{mem.inst_name}": Memory({args}),')
    out += ["}", "", "BLOCKS: dict[str, Block] = {"]
    for block in top.children(unroll=True):
        if not isinstance(block, AddrmapNode):
            continue
        out += [
            f'    "{block.inst_name}": Block(',
            f'        "{block.inst_name}",',
            f"        0x{block.absolute_address:08X},",
        ]
        out += [f'        "{_desc(block)}",', "        {"]
        for reg in block.descendants(unroll=True):
            if not isinstance(reg, RegNode):
                continue
            offset = reg.absolute_address - block.absolute_address
            name = reg.get_rel_path(block).replace("[", "").replace("]", "")
            out += [f'            "{name}": Register(', f'                "{name}",']
            out += [
                f"                {offset // 4},",
                f"                0x{offset:03X},",
                f'                "{_reg_access(reg)}",',
            ]
            out += [f"                0x{_reg_reset(reg):08X},", f"                {_is_counter(reg)},"]
            out += [f'                "{_desc(reg)}",', "                ("]
            for field in _fields(reg):
                args = f'"{field.inst_name}", {field.low}, {field.width}, "{_field_access(field)}", 0x{_reset(field):X}'
                out.append(f'                    Field({args}, "{_desc(field)}"),')
            out += ["                ),", "            ),"]
        out += ["        },", "    ),"]
    out.append("}")
    for layout in layouts:
        what = layout.node.get_property("name")
        prefix = layout.name.upper()
        out += ["", f"# {what}: fields of the big-endian 64-bit words at these byte offsets (bit 63: first byte)."]
        out.append(f"{prefix}_{layout.rest.upper()}_OFFSET = {layout.rest_offset}")
        for reg in layout.registers:
            name = f"{prefix}_{reg.inst_name.upper()}"
            out += [f"{name}_OFFSET = {reg.raw_address_offset}", f"{name}: tuple[Field, ...] = ("]
            for field in _fields(reg):
                args = f'"{field.inst_name}", {field.low}, {field.width}, "{_field_access(field)}", 0x{_reset(field):X}'
                out.append(f'    Field({args}, "{_desc(field)}"),')
            out.append(")")
    return "\n".join([*out, ""])


# ---- CMSIS-SVD -------------------------------------------------------------------------------------------------------

_SVD_ACCESS = {"ro": "read-only", "rw": "read-write", "wo": "write-only", "w1c": "read-write"}


def _svd_registers(parent: ET.Element, node: AddressableNode) -> None:
    """Registers and clusters right below `node`."""

    def add(to: ET.Element, **texts: str) -> None:
        for tag, text in texts.items():
            ET.SubElement(to, tag).text = text

    for child in _parts(node):
        element = ET.SubElement(parent, "register" if isinstance(child, RegNode) else "cluster")
        name = child.inst_name
        if child.array_dimensions and child.array_stride:
            name += "[%s]"
            add(element, dim=str(child.array_dimensions[0]), dimIncrement=f"0x{child.array_stride:X}")
        add(element, name=name, description=_desc(child) or f"{child.inst_name}.")
        add(element, addressOffset=f"0x{child.raw_address_offset:X}")
        if not isinstance(child, RegNode):
            _svd_registers(element, child)
            continue
        add(element, access=_SVD_ACCESS[_reg_access(child)], resetValue=f"0x{_reg_reset(child):08X}")
        if child.get_property("read_acts"):
            add(element, readAction="modify")
        fields = ET.SubElement(element, "fields")
        for field in _fields(child):
            access = _field_access(field)
            item = ET.SubElement(fields, "field")
            add(item, name=field.inst_name, description=_desc(field) or f"{field.inst_name}.")
            add(item, bitOffset=str(field.low), bitWidth=str(field.width), access=_SVD_ACCESS[access])
            if access == "w1c":
                add(item, modifiedWriteValues="oneToClear")


def svd(top: AddrmapNode) -> str:
    """The devices and their registers, CMSIS-SVD 1.3. (The processor and its CSRs are not described.)"""
    device = ET.Element(
        "device",
        {
            "schemaVersion": "1.3",
            "xmlns:xs": "http://www.w3.org/2001/XMLSchema-instance",
            "xs:noNamespaceSchemaLocation": "CMSIS-SVD.xsd",
        },
    )
    for tag, text in {
        "vendor": "N-SoC",
        "name": "nsoc",
        "version": "1.0",
        "description": f"N-SoC. {NOTE}",
        "addressUnitBits": "8",
        "width": "32",
        "size": "32",
        "access": "read-write",
        "resetValue": "0x00000000",
        "resetMask": "0xFFFFFFFF",
    }.items():
        ET.SubElement(device, tag).text = text
    peripherals = ET.SubElement(device, "peripherals")
    for block in top.children():
        if isinstance(block, AddrmapNode):
            peripheral = ET.SubElement(peripherals, "peripheral")
            ET.SubElement(peripheral, "name").text = block.inst_name
            ET.SubElement(peripheral, "description").text = _desc(block)
            ET.SubElement(peripheral, "baseAddress").text = f"0x{block.absolute_address:08X}"
            place = ET.SubElement(peripheral, "addressBlock")
            for tag, text in {"offset": "0x0", "size": f"0x{block.size:X}", "usage": "registers"}.items():
                ET.SubElement(place, tag).text = text
            _svd_registers(ET.SubElement(peripheral, "registers"), block)
    ET.indent(device)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n'
    return head + ET.tostring(device, encoding="unicode") + "\n"


# ---- HTML page -------------------------------------------------------------------------------------------------------

_HTML_HEAD = """<!DOCTYPE html>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>N-SoC registers</title>
<style>
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
code, .mono, table.bits { font-family: ui-monospace, monospace; font-size: 13px; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
th { background: var(--soft); }
td.n { white-space: nowrap; }
table.bits { table-layout: fixed; }
table.bits td { text-align: center; padding: .15rem 0; overflow: hidden; text-overflow: ellipsis; }
table.bits tr.numbers td { border: 0; font-size: 10px; opacity: .7; }
td.reserved { background: var(--soft); }
h2 { border-bottom: 2px solid var(--line); margin-top: 3rem; }
h3 { margin: 2rem 0 .3rem; }
h3 small { font-weight: normal; opacity: .75; }
a { color: inherit; }
</style>
</head>
<body>
"""

_ACCESS_WORDS = {"ro": "read only", "rw": "read, write", "wo": "write only", "w1c": "read, write 1 to clear"}


def _row(*cells: str, tag: str = "td") -> str:
    """Cells are HTML. All but the last do not wrap."""
    classes = [' class="n"'] * (len(cells) - 1) + [""]
    return "<tr>" + "".join(f"<{tag}{c}>{cell}</{tag}>" for c, cell in zip(classes, cells, strict=True)) + "</tr>"


def _html_bits(reg: RegNode) -> list[str]:
    """The register as one row of a table, its highest bit first; wide ones in words of 32 bits."""
    out = []
    for high in range(reg.get_property("regwidth") - 1, 0, -32):
        numbers = "".join(f"<td>{bit}</td>" for bit in range(high, high - 32, -1))
        cells, bit = "", high
        for field in [*reversed(_fields(reg)), None]:
            top = min(field.high, high) if field else high - 32
            if field and (field.low > high or top < high - 31):
                continue
            top = max(top, high - 32)
            if bit > top:
                cells += f'<td class="reserved" colspan="{bit - top}"></td>'
            if field:
                low = max(field.low, high - 31)
                cells += f'<td colspan="{top - low + 1}" title="{field.inst_name}">{field.inst_name}</td>'
                bit = low - 1
        out += ['<table class="bits">', f'<tr class="numbers">{numbers}</tr>', f"<tr>{cells}</tr>", "</table>"]
    return out


def _html_fields(reg: RegNode) -> list[str]:
    out = ["<table>", _row("bits", "field", "access", "reset", "what it is", tag="th")]
    for field in reversed(_fields(reg)):
        bits = f"{field.low}" if field.width == 1 else f"{field.high}:{field.low}"
        access = _ACCESS_WORDS[_field_access(field)]
        reset = f"<code>0x{_reset(field):X}</code>"
        out.append(_row(bits, f"<code>{field.inst_name}</code>", access, reset, escape(_desc(field))))
    return [*out, "</table>"]


def html_page(top: AddrmapNode, layouts: Sequence[Layout]) -> str:
    """All devices, registers and fields, and the layouts in memory, on one page without anything from elsewhere."""
    blocks = [c for c in top.children() if isinstance(c, AddrmapNode)]
    out = [_HTML_HEAD + "<h1>N-SoC registers</h1>", f"<p>{escape(NOTE)}</p>", "<h2>Memory map</h2>", "<table>"]
    out.append(_row("from", "to", "what", "", tag="th"))
    places = [c for c in top.children() if isinstance(c, MemNode | AddrmapNode)]
    for place in sorted(places, key=lambda p: p.absolute_address):
        first, last = place.absolute_address, place.absolute_address + place.size - 1
        name = f"<code>{place.inst_name}</code>"
        if isinstance(place, AddrmapNode):
            name = f'<a href="#{place.inst_name}">{name}</a>'
        out.append(_row(f"<code>0x{first:08X}</code>", f"<code>0x{last:08X}</code>", name, escape(_desc(place))))
    links = [f'<a href="#{layout.name}">{layout.node.get_property("name")}</a>' for layout in layouts]
    out += ["</table>", f"<p>And: {', '.join(links)}.</p>"]
    for block in blocks:
        registers = [reg for reg in block.descendants(unroll=False) if isinstance(reg, RegNode)]
        out.append(f'<h2 id="{block.inst_name}">{escape(block.get_property("name"))}</h2>')
        out.append(f"<p>{escape(_desc(block))} Base address <code>0x{block.absolute_address:08X}</code>.</p>")
        out += ["<table>", _row("offset", "register", "access", "reset", "what it is", tag="th")]
        details = []
        for reg in registers:
            path = reg.get_rel_path(block, array_suffix="", empty_array_suffix="")
            offset = reg.raw_address_offset
            title, where = path, f"0x{offset:03X}"
            parent = reg.parent
            if isinstance(parent, RegfileNode):
                offset += parent.raw_address_offset
                where = f"0x{offset:03X}"
                if parent.array_dimensions and parent.array_stride:
                    title = path.replace(parent.inst_name, f"{parent.inst_name}[i]", 1)
                    where += f" + 0x{parent.array_stride:X}*i, i &lt; {parent.array_dimensions[0]}"
            anchor = f"{block.inst_name}.{path}"
            access = _ACCESS_WORDS[_reg_access(reg)]
            reset = f"<code>0x{_reg_reset(reg):08X}</code>"
            summary = escape(_desc(reg)).partition(". ")[0].rstrip(".") + "."
            link = f'<a href="#{anchor}"><code>{title}</code></a>'
            out.append(_row(f"<code>{where}</code>", link, access, reset, summary))
            acts = " A read does something: it is not to be repeated." if reg.get_property("read_acts") else ""
            details.append(f'<h3 id="{anchor}"><code>{title}</code> <small>{where}, {access}</small></h3>')
            details.append(f"<p>{escape(_desc(reg))}{acts}</p>")
            details += [*_html_bits(reg), *_html_fields(reg)]
        out += ["</table>", *details]
    for layout in layouts:
        out.append(f'<h2 id="{layout.name}">{escape(layout.node.get_property("name"))}</h2>')
        rest = f"{layout.rest_desc[:-1]} from byte {layout.rest_offset} on."
        out.append(f"<p>{escape(_desc(layout.node))} {rest} Big-endian: bit 63 belongs to the first byte.</p>")
        for reg in layout.registers:
            out.append(f'<h3 id="{layout.name}.{reg.inst_name}"><code>{reg.inst_name}</code> ')
            out.append(f"<small>byte {reg.raw_address_offset}</small></h3>")
            out += [f"<p>{escape(_desc(reg))}</p>", *_html_bits(reg), *_html_fields(reg)]
    return "\n".join([*out, "</body>", "</html>", ""])


def generate() -> dict[Path, str]:
    """Every generated file and what belongs into it. Raises RDLCompileError on a mistake in regs/."""
    compiler = RDLCompiler()
    compiler.compile_file(str(SOURCE))
    # Trees of their own: a layout is not a place in the memory map.
    top, buffer, queue = (compiler.elaborate(name).top for name in ("nsoc", "buffer", "memory_queue"))
    assert isinstance(top, AddrmapNode) and isinstance(buffer, AddrmapNode) and isinstance(queue, AddrmapNode)
    nic = next(c for c in top.children() if isinstance(c, AddrmapNode) and c.inst_name == "nic")
    layouts = (
        Layout(buffer, "frame", "uint8_t", "The frame, without FCS."),
        Layout(queue, "entries", "uint32_t", "Pointers. Big-endian: NSOC_BE32()."),
    )
    return {
        ROOT / "rtl" / "nic" / "nic_regs_pkg.sv": rtl_package(nic, layouts),
        ROOT / "firmware" / "lib" / "nsoc_regs.h": c_header(top, layouts),
        ROOT / "src" / "nsoc" / "regs.py": python_map(top, layouts),
        ROOT / "docs" / "registers.html": html_page(top, layouts),
        ROOT / "docs" / "nsoc.svd": svd(top),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m nsoc.regs_gen", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 when a file is out of date")
    check = parser.parse_args(arguments).check
    try:
        files = generate()
    except RDLCompileError as error:
        print(f"regs_gen: {error} (see the messages above; the sources are regs/*.rdl)", file=sys.stderr)
        return 1
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text() != text]
    if check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run `python -m nsoc.regs_gen`.", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path])
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
