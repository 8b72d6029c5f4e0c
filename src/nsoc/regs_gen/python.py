# SPDX-License-Identifier: Apache-2.0
"""The Python tables: registers, the memory map, what becomes of frames."""

from systemrdl.node import FieldNode, RegNode

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import Soc

_REGISTERS_HEAD = f'''# SPDX-License-Identifier: Apache-2.0
"""The registers of the SoC's devices, the memory map and the layouts in memory, as plain data.

{tree.NOTE}
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

    `reset`: None where the value depends on what was built. `counter`: it counts frames from reset on and wraps.
    `read_acts`: a read does something in the device. `loss`: it counts what was lost or refused.
    """

    name: str
    id: int
    offset: int
    access: str
    reset: int | None
    counter: bool
    description: str
    fields: tuple[Field, ...]
    read_acts: bool = False
    loss: bool = False


@dataclass(frozen=True)
class Block:
    """A device: its registers by name, in the order of their offsets.

    There are `count` alike, one for each hart, `stride` bytes from one to the next; `base` is the first one's.
    """

    name: str
    base: int
    description: str
    registers: dict[str, Register]
    count: int = 1
    stride: int = 0


@dataclass(frozen=True)
class Memory:
    """A memory: `base` address and size in bytes."""

    name: str
    base: int
    bytes: int
    description: str

'''


def _field(field: FieldNode) -> str:
    access = tree.field_access(field)
    args = f'"{field.inst_name}", {field.low}, {field.width}, "{access}", 0x{tree.reset(field):X}'
    return f'Field({args}, "{tree.desc(field)}")'


def _marks(soc: Soc, reg: RegNode) -> list[str]:
    """What a register is, of what few are."""
    lost = any(field.get_property("loss") for field in reg.fields())
    lost |= any(fate.loss for counter, fate in soc.counters if counter.get_path() == reg.get_path())
    return ["read_acts"] * tree.read_acts(reg) + ["loss"] * lost


def registers(soc: Soc) -> str:
    """src/nsoc/machine/regs.py."""
    out = [_REGISTERS_HEAD, "MEMORIES: dict[str, Memory] = {"]
    for mem in soc.memories:
        args = f'"{mem.inst_name}", 0x{tree.base(mem):08X}, 0x{mem.size:X}, "{tree.desc(mem)}"'
        out.append(f'    "{mem.inst_name}": Memory({args}),')
    out += ["}", "", "BLOCKS: dict[str, Block] = {"]
    for block in soc.blocks:
        count, stride = tree.array(block)
        out += [
            f'    "{block.inst_name}": Block(',
            f'        "{block.inst_name}",',
            f"        0x{tree.base(block):08X},",
        ]
        out += [f'        "{tree.desc(block)}",', "        {"]
        for reg in block.descendants(unroll=True):
            if not isinstance(reg, RegNode):
                continue
            offset = tree.offset(reg, block)
            name = reg.get_rel_path(block).replace("[", "").replace("]", "")
            out += [f'            "{name}": Register(', f'                "{name}",']
            out += [
                f"                {offset // 4},",
                f"                0x{offset:03X},",
                f'                "{tree.reg_access(reg)}",',
            ]
            reset = "None" if tree.by_build(reg) else f"0x{tree.reg_reset(reg):08X}"
            out += [f"                {reset},", f"                {tree.is_counter(reg)},"]
            out += [f'                "{tree.desc(reg)}",', "                ("]
            for field in tree.fields(reg):
                out.append(f"                    {_field(field)},")
            marks = [f"                {name}=True," for name in _marks(soc, reg)]
            out += ["                ),", *marks, "            ),"]
        out += ["        },", *([f"        {count},", f"        0x{stride:X},"] if stride else []), "    ),"]
    out.append("}")
    for layout in soc.layouts:
        what = layout.node.get_property("name")
        prefix = layout.name.upper()
        out += ["", f"# {what}: fields of the big-endian 64-bit words at these byte offsets (bit 63: first byte)."]
        out.append(f"{prefix}_{layout.rest.upper()}_OFFSET = {layout.rest_offset}")
        for reg in layout.registers:
            name = f"{prefix}_{reg.inst_name.upper()}"
            out += [f"{name}_OFFSET = {reg.raw_address_offset}", f"{name}: tuple[Field, ...] = ("]
            for field in tree.fields(reg):
                out.append(f"    {_field(field)},")
            out.append(")")
        out += [f"{name} = 0x{number.value:02X}" for name, number in layout.bits]
    return "\n".join([*out, ""])


_MAP_HEAD = f'''# SPDX-License-Identifier: Apache-2.0
"""Addresses, interrupt lines and CSR numbers, as constants; registers are in nsoc.machine.regs.

{tree.NOTE}
"""

'''


def memory_map(soc: Soc) -> str:
    """src/nsoc/machine/memory_map.py."""
    out = [
        _MAP_HEAD
        + "# Memories and devices: base address, and how many bytes there are (of a device those that it claims)."
    ]
    for region in soc.regions:
        name = region.name.upper()
        out.append(f"{name}_BASE, {name}_BYTES = 0x{region.base:08X}, 0x{region.size:X}")
    out += ["", "# Lines at the interrupt controller."]
    out += [f"IRQ_{line.name.upper()} = {line.value}" for line in soc.irq_lines]
    out += ["", "CSRS = {"]
    out += [f'    "{csr.name}": 0x{csr.value:03X},' for csr in soc.csrs]
    out += ["}", '"""Control and status registers of the RISC-V core, by number."""', ""]
    return "\n".join(out)


_FATES_HEAD = f'''# SPDX-License-Identifier: Apache-2.0
"""What becomes of frames: the ends that are counted, by block and group, each group in the order of its numbers.

{tree.NOTE}
"""

# ruff: noqa: E501 - one line an end
# fmt: off
from dataclasses import dataclass


@dataclass(frozen=True)
class Fate:
    """An end of frames. `loss`: something was lost or refused. `counter`: the NIC's register that counts it."""

    name: str
    loss: bool
    counter: str
    description: str

'''


def fates(soc: Soc) -> str:
    """src/nsoc/machine/fates.py."""
    out = [_FATES_HEAD]
    counters = {fate.name: reg.inst_name for reg, fate in soc.counters}
    for group, members in soc.fate_groups().items():
        out.append(f"{group.upper()}: tuple[Fate, ...] = (")
        out += [f'    Fate("{f.name}", {f.loss}, "{counters[f.name]}", "{f.desc}"),' for f in members]
        out.append(")")
        table = next(t for t in soc.fate_tables if group.startswith(t.inst_name.removesuffix("_fates")))
        reg = next(r for r in tree.registers(table) if group.endswith("_" + r.inst_name))
        out.append(f'"""{tree.desc(reg)}"""')
    return "\n".join([*out, ""])
