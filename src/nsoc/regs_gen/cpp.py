# SPDX-License-Identifier: Apache-2.0
"""The C++ header of the simulation models: addresses, register offsets, CSR numbers."""

from systemrdl.node import RegNode

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import Soc


def header(soc: Soc) -> str:
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// The SoC's addresses and numbers for models of its surroundings.",
        f"// {tree.NOTE}",
        "#ifndef NSOC_MAP_H",
        "#define NSOC_MAP_H",
        "",
        "#include <cstdint>",
        "",
        "namespace nsoc_map {",
        "",
        "// Memories and devices: base address, and how many bytes there are (of a device those that it claims).",
    ]
    for region in soc.regions:
        name = region.name.upper()
        out.append(f"constexpr uint64_t {name}_BASE = 0x{region.base:08X}, {name}_BYTES = 0x{region.size:X};")
    out += ["", "// Byte offsets of registers from their device's base; of several alike the first. Masks of fields."]
    for block in soc.blocks:
        out.append(f"namespace {block.inst_name} {{")
        for reg in block.descendants(unroll=False):
            if isinstance(reg, RegNode):
                path = reg.get_rel_path(block, array_suffix="", empty_array_suffix="").replace(".", "_").upper()
                offset = tree.offset(reg, block)
                out.append(f"constexpr uint32_t {path} = 0x{offset:03X};")
        for group, reg in tree.named_fields(block):
            for field in tree.fields(reg):
                if field.width < reg.get_property("regwidth"):
                    mask = ((1 << field.width) - 1) << field.low
                    name = f"{group}_{field.inst_name}".upper()
                    out.append(f"constexpr uint32_t {name} = 0x{mask:08X};")
        out.append(f"}}  // namespace {block.inst_name}")
    for layout in soc.layouts:
        out += ["", f"// {layout.node.get_property('name')}: byte offsets."]
        prefix = layout.name.upper()
        out.append(f"constexpr uint32_t {prefix}_{layout.rest.upper()} = {layout.rest_offset};")
        out += [
            f"constexpr uint32_t {prefix}_{r.inst_name.upper()} = {r.raw_address_offset};" for r in layout.registers
        ]
    out += ["", "// CSRs of the RISC-V core.", "namespace csr {"]
    out += [f"constexpr uint32_t {csr.name.upper()} = 0x{csr.value:03X};  // {csr.desc}" for csr in soc.csrs]
    out += ["constexpr bool exists(uint32_t number) {", "    switch (number) {"]
    out += [f"        case {csr.name.upper()}:" for csr in soc.csrs]
    out += ["            return true;", "    }", "    return false;", "}"]
    out += ["}  // namespace csr", "", "}  // namespace nsoc_map", "", "#endif", ""]
    return "\n".join(out)
