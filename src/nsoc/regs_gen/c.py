# SPDX-License-Identifier: Apache-2.0
"""The C header of firmware: structs of registers, masks of fields, layouts in memory, interrupt lines; CSR numbers; the
table of registers by name."""

from systemrdl.node import AddressableNode, AddrmapNode, RegfileNode, RegNode

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import Layout, Soc


def _members(parent: AddressableNode, indent: str, base: int, size: int, told: dict[str, str]) -> list[str]:
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

    for child in tree.parts(parent):
        pad(child.raw_address_offset)
        if isinstance(child, RegNode):
            text = f"{tree.desc(child)} [{tree.reg_access(child)}]"
            if not tree.is_counter(child):
                if tree.group(child) in told:
                    text = f"Like {told[tree.group(child)]}."
                else:
                    told[tree.group(child)] = child.get_rel_path(child.owning_addrmap or child)
            lines += tree.wrap(f"{text} */", f"{indent}/* 0x{base + offset:03X}:", f"{indent} *")
            const = "const " if tree.reg_access(child) == "ro" else ""
            lines.append(f"{indent}volatile {const}uint32_t {child.inst_name};")
            offset += 4
        else:
            count = child.array_dimensions[0] if child.array_dimensions else 1
            stride = child.array_stride or child.size
            inner = _members(child, indent + "    ", base + offset, stride, told)
            array = f"[{count}]" if child.array_dimensions else ""
            lines += [f"{indent}struct {{", *inner, f"{indent}}} {child.inst_name}{array};"]
            offset += stride * count
    pad(size)
    return lines


def _fields(prefix: str, reg: RegNode) -> list[str]:
    width = reg.get_property("regwidth")
    lines = []
    for field in tree.fields(reg):
        if field.width == width:
            continue  # the register is the field
        name = f"{prefix}_{field.inst_name.upper()}"
        mask = ((1 << field.width) - 1) << field.low
        lines += tree.wrap(f"{tree.desc(field)} */", "/*", " *")
        lines.append(f"#define {name} 0x{mask:08X}u")
        if field.width > 1:
            lines.append(f"#define {name}_LSB {field.low}")
    return lines


def _layout(layout: Layout) -> list[str]:
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
        for field in reversed(tree.fields(reg)):
            pad(reg.raw_address_offset + (63 - field.high) // 8)
            name = field.inst_name if len(reg.fields()) > 1 else f"{reg.inst_name}_{field.inst_name}"
            big_endian = "" if field.width == 8 else f" Big-endian: NSOC_BE{min(field.width, 32)}()."
            members += tree.wrap(f"{tree.desc(field)}{big_endian} */", "    /*", "     *")
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
        *tree.wrap(f"{tree.desc(layout.node)} Aligned to 8. */", "/*", " *"),
        "typedef struct {",
        *members,
        f"    /* {layout.rest_desc} */",
        f"    {layout.rest_type} {layout.rest}[];",
        f"}} nsoc_{name}_t;",
        f'_Static_assert(offsetof(nsoc_{name}_t, {layout.rest}) == {offset_name}, "layout");',
        "",
        *_bits(layout),
    ]


def _bits(layout: Layout) -> list[str]:
    lines = []
    for number_name, number in layout.bits:
        lines += tree.wrap(f"{number.desc}. */", "/*", " *")
        lines.append(f"#define NSOC_{number_name} 0x{number.value:02X}u")
    return [*lines, ""] if lines else []


_BYTE_ORDER = [
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


def header(soc: Soc) -> str:
    """firmware/lib/nsoc_regs.h."""
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* N-SoC memory map, device registers, packet buffer and queues in memory.",
        f" * {tree.NOTE}",
        " *",
        " * A struct describes a device's registers, NSOC_<device> points to the one in this SoC.",
        " * NSOC_<device>_<register>_<field> is a field's mask, with _LSB its lowest bit.",
        " * Where there are several alike, one a hart, NSOC_<device> is hart 0's, NSOC_<device> + h hart h's.",
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
    for mem in soc.memories:
        name = f"NSOC_{mem.inst_name.upper()}"
        out += tree.wrap(f"{tree.desc(mem)} */", "/*", " *")
        out += [f"#define {name}_BASE 0x{tree.base(mem):08X}u", f"#define {name}_BYTES 0x{mem.size:X}u"]
    out += ["", "/* Lines at the interrupt controller. */"]
    out += [f"#define NSOC_IRQ_{line.name.upper()} {line.value}" for line in soc.irq_lines]
    out.append("")
    for block in soc.blocks:
        count, stride = tree.array(block)
        size = stride or block.size
        name = f"nsoc_{block.inst_name}"
        prefix = name.upper()
        members = _members(block, "    ", 0, size, {})
        out += [f"/* ---- {block.get_property('name')} ---- */", ""]
        out += tree.wrap(f"{tree.desc(block)} */", "/*", " *")
        out += ["typedef struct {", *members, f"}} {name}_t;"]
        out += [f'_Static_assert(sizeof({name}_t) == 0x{size:X}, "layout");', ""]
        out += [
            f"#define {prefix}_BASE 0x{tree.base(block):08X}u",
            f"#define {prefix} (({name}_t *){prefix}_BASE)",
        ]
        if stride:
            out.append(f"#define {prefix}_COUNT {count}")
        for child in block.children():
            if isinstance(child, RegfileNode) and child.array_dimensions:
                out.append(f"#define {prefix}_{child.inst_name.upper()}_COUNT {child.array_dimensions[0]}")
        out.append("")
        for group, reg in tree.named_fields(block):
            out += _fields(f"{prefix}_{group.upper()}", reg)
        if out[-1]:
            out.append("")
    out += _BYTE_ORDER
    for layout in soc.layouts:
        out += _layout(layout)
    return "\n".join([*out, "#endif", ""])


_SHOWN = ("nic", "intc", "timer", "uart")
"""Devices that every SoC has."""
_SHOWN_WITH_ENGINE = ("toe", "toe_udp")
"""Devices of presets with connections. The record that `toe` shows has names of its own: toe_record.h."""
_PARTS = {
    ("rxq", "txq", "freeq"): "QUEUES",
    ("queue_free", "queue_receive", "queue_transmit", "queue_setup", "queue_errors"): "MEMORY_QUEUES",
    ("selftest_",): "SELFTEST",
    ("ptp_", "tx_stamp"): "PTP",
    ("tx_kept", "tx_sum_unfit"): "OFFLOADS",
}
"""What the NIC's registers with such names belong to, of what may be left out."""


def _flags(block: AddrmapNode, reg: RegNode, name: str) -> str:
    flags = []
    if reg.get_property("read_acts") or tree.reg_access(reg) == "wo":
        flags.append("REGISTER_HIDDEN")
    if tree.is_counter(reg):
        flags.append("REGISTER_COUNTER")
    part = next((part for names, part in _PARTS.items() if name.startswith(names)), None)
    if part == "PTP" and tree.is_counter(reg):
        part = None  # it counts what was lost without PTP, too
    if block.inst_name == "nic" and part:
        flags.append(f"REGISTER_PART_{part} << 4")
    return " | ".join(flags) or "0"


def table(soc: Soc) -> str:
    """firmware/lib/register_table.c."""
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {tree.NOTE}",
        '#include "register_table.h"',
        "",
        '#include "in_dram.h"',
        "",
    ]
    groups = {"": _SHOWN, "NSOC_CONNECTIONS": _SHOWN_WITH_ENGINE}
    names: list[str] = []
    strings: dict[str, list[str]] = {}
    rows: dict[str, list[str]] = {}
    for condition, block_name in ((condition, name) for condition, blocks in groups.items() for name in blocks):
        block = soc.block(block_name)
        for reg in block.descendants(unroll=True):
            if not isinstance(reg, RegNode) or str(reg.parent.type_name) == "toe_word":
                continue
            name = reg.get_rel_path(block)
            at = sum(len(known) + 1 for known in names)
            names.append(name)
            strings.setdefault(condition, []).append(f'    "{name}\\0"')
            rows.setdefault(block_name, []).append(
                f"    {{{at}, 0x{tree.offset(reg, block):03X}, {_flags(block, reg, name)}}},"
            )
    out += ["const char register_names[] ="]
    for condition, lines in strings.items():
        out += _only_with(condition, lines)
    out += ['    "";', ""]
    for condition, blocks in groups.items():
        lines = []
        for name in blocks:
            lines += [f"static const register_entry_t {name}_registers[] = {{", *rows[name], "};"]
            lines += [""] * (name != blocks[-1])
        out += [*_only_with(condition, lines), ""]
    out.append("const register_block_t register_blocks[] = {")
    for condition, blocks in groups.items():
        lines = []
        for name in blocks:
            count = f"sizeof {name}_registers / sizeof *{name}_registers"
            lines.append(f'    {{"{name}", NSOC_{name.upper()}_BASE, {name}_registers, {count}}},')
        out += _only_with(condition, lines)
    return "\n".join(
        [*out, "};", "const uint32_t register_block_count = sizeof register_blocks / sizeof *register_blocks;", ""]
    )


def _only_with(condition: str, lines: list[str]) -> list[str]:
    """Lines that are there where a macro is not 0."""
    return [f"#if {condition}", *lines, "#endif"] if condition else lines


def csrs(soc: Soc) -> str:
    """firmware/arch/rv32/rv_csr.h."""
    out = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Control and status registers of the RISC-V core.",
        f" * {tree.NOTE}",
        " *",
        ' * NSOC_CSR(MCYCLE) is a number as text, for inline assembly: "csrr %0, " NSOC_CSR(MCYCLE)',
        " */",
        "#ifndef NSOC_RV_CSR_H",
        "#define NSOC_RV_CSR_H",
        "",
        "#define NSOC_CSR(name) NSOC_CSR_TEXT(NSOC_CSR_##name)",
        "#define NSOC_CSR_TEXT(number) NSOC_CSR_STRING(number)",
        "#define NSOC_CSR_STRING(number) #number",
        "",
    ]
    for csr in soc.csrs:
        out += tree.wrap(f"{csr.desc} */", "/*", " *")
        out.append(f"#define NSOC_CSR_{csr.name.upper()} 0x{csr.value:03X}")
    return "\n".join([*out, "", "#endif", ""])
