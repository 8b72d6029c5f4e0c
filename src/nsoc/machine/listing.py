# SPDX-License-Identifier: Apache-2.0
"""What there is: presets and registers, as tables for people and records for machines."""

import difflib
from typing import TYPE_CHECKING

from nsoc.errors import NsocError
from nsoc.machine.regs import BLOCKS, Block, Register
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

    from nsoc.machine.presets import Preset
    from nsoc.systems import System

Found = list[tuple[Block, list[Register]]]


def by_system() -> "list[tuple[System | None, list[Preset]]]":
    """The presets of each system that has some, in the order of systems.toml; at the end those of none."""
    from nsoc.machine import presets
    from nsoc.systems import SYSTEMS, of_preset

    every = presets.all_presets()
    groups = [(system, [preset for preset in every if of_preset(preset.name) is system]) for system in (*SYSTEMS, None)]
    return [(system, found) for system, found in groups if found]


def preset_tables() -> "list[Table]":
    """A table a system, with the publication that it follows; one line a preset."""
    return [_preset_table(system, found) for system, found in by_system()]


def _preset_table(system: "System | None", found: "list[Preset]") -> "Table":
    from rich.table import Table

    from nsoc.machine import build_time, presets

    title = "of no system" if system is None else f"{system.title}, as in {system.publication}"
    table = Table(
        "preset", "what it is", "processor", "NIC", "MAC FIFOs rx/tx", "boots", title=title, title_justify="left"
    )
    table.add_column("build", justify="right", no_wrap=True)
    for preset in found:
        mark = " (default)" if preset.name == presets.DEFAULT else ""
        has_fifos = preset.says("rx_fifo_bytes")
        fifos = f"{preset.rx_fifo_bytes // 1024}/{preset.tx_fifo_bytes // 1024} KB" if has_fifos else ""
        processor, boots = (f"{preset.cpu_mhz:g} MHz", preset.firmware) if preset.says("firmware") else ("none", "")
        if preset.top == "pnic_node":
            processor = f"{preset.cores} x {processor}"
        table.add_row(
            preset.name + mark,
            preset.description,
            processor,
            f"{preset.nic_mhz:g} MHz" if preset.says("nic_mhz") else "",
            fifos,
            boots,
            f"{build_time.of_preset(preset):.0f} s",
        )
    return table


def preset_fields(name: str) -> "Table":
    """A line for each field of one preset, a name or a file: value, unit, range, meaning."""
    from rich.table import Table

    from nsoc.machine import presets
    from nsoc.machine.preset_fields import fields, shown
    from nsoc.systems import of_preset

    preset = presets.load(name)
    silent = [field.name for field in fields() if preset.top not in field.tops]
    system = of_preset(preset.name)
    follows = "" if system is None else f"\n{system.title}, as in {system.publication}"
    table = Table(
        title=f"{preset.name}: {preset.description}{follows}", title_justify="left", caption_justify="left",
        caption=f"They say nothing about {presets.TOPS[preset.top]}: {', '.join(silent)}.",
    )  # fmt: skip
    for head in ("field", "value", "unit"):
        table.add_column(head, no_wrap=True)
    table.add_column("range")
    table.add_column("meaning")
    for field in fields():
        if preset.top in field.tops and field.name not in ("name", "description"):
            value = shown(field.name, getattr(preset, field.name))
            table.add_row(field.name, value, field.unit, field.range, field.meaning)
    return table


def preset_records(name: str | None = None) -> list[Record]:
    """One record for each field of each preset, one for its system, and one for how long its simulator takes to build;
    of one preset when it is named."""
    import msgspec

    from nsoc.machine import build_time, presets
    from nsoc.systems import of_preset

    found = []
    for preset in presets.all_presets() if name is None else [presets.load(name)]:
        for field, value in msgspec.to_builtins(preset).items():
            if field != "name" and preset.says(field):
                found.append(Record("presets", preset.name, field, value, unit=presets.unit(field) or None))
        system = of_preset(preset.name)
        if system is not None:
            found.append(Record("presets", preset.name, "system", system.name))
        found.append(Record("presets", preset.name, "build_s", round(build_time.of_preset(preset), 1), unit="s"))
    return found


def find_registers(name: str | None) -> Found:
    """Registers by the name of their device, their own, or `device.register`; all for None."""
    if name is None:
        return [(block, list(block.registers.values())) for block in BLOCKS.values()]
    wanted = name.lower()
    if wanted in BLOCKS:
        return [(BLOCKS[wanted], list(BLOCKS[wanted].registers.values()))]
    found = [
        (block, [r for r in block.registers.values() if wanted in (r.name, f"{block.name}.{r.name}")])
        for block in BLOCKS.values()
    ]
    found = [(block, registers) for block, registers in found if registers]
    if not found:
        known = [*BLOCKS, *(r for b in BLOCKS.values() for r in b.registers)]
        close = difflib.get_close_matches(wanted, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the devices are {', '.join(BLOCKS)}"
        raise NsocError(f"there is no register or device {name!r}; {hint}")
    return found


def register_tables(found: Found) -> "list[Table]":
    """One table a device; for a single register, one of its fields."""
    if len(found) == 1 and len(found[0][1]) == 1:
        return [_field_table(found[0][0], found[0][1][0])]
    return [_block_table(block, registers) for block, registers in found]


def _block_table(block: Block, registers: list[Register]) -> "Table":
    from rich.table import Table

    title = f"{block.name} at 0x{block.base:08X}: {block.description}"
    table = Table("address", "ID", "register", "access", "reset", "what", title=title, title_justify="left")
    for register in registers:
        table.add_row(
            f"0x{block.base + register.offset:08X}",
            str(register.id),
            register.name,
            register.access,
            "by build" if register.reset is None else f"0x{register.reset:08X}",
            register.description,
        )
    return table


def _field_table(block: Block, register: Register) -> "Table":
    from rich.table import Table

    title = f"{block.name}.{register.name} at 0x{block.base + register.offset:08X}: {register.description}"
    table = Table("bits", "field", "access", "reset", "what", title=title, title_justify="left")
    for field in register.fields:
        table.add_row(_bits(field.lsb, field.width), field.name, field.access, f"0x{field.reset:X}", field.description)
    return table


def _bits(lsb: int, width: int) -> str:
    return f"{lsb}" if width == 1 else f"{lsb + width - 1}:{lsb}"


def register_records(found: Found) -> list[Record]:
    """For each register its address, access and reset value, and the bits of its fields; `mode` is its name."""
    records = []
    for block, registers in found:
        for register in registers:
            name = f"{block.name}.{register.name}"
            values: list[tuple[str, int | str]] = [
                ("address", block.base + register.offset),
                ("access", register.access),
            ]
            if register.reset is not None:
                values.append(("reset", register.reset))
            values += [(f"field {f.name}", _bits(f.lsb, f.width)) for f in register.fields]
            records += [Record("regs", None, metric, value, mode=name) for metric, value in values]
    return records


Values = list[tuple[str, int, Register, int | None]]
"""Registers of a SoC that runs: name, address, register, value; None: not read, because a read does something."""


def value_tables(values: Values) -> "list[Table]":
    """A table of registers and their values; for a single one, of its fields."""
    from rich.table import Table

    name, address, register, value = values[0]
    if len(values) == 1 and value is not None:
        title = f"{name} at 0x{address:08X} is 0x{value:08X}: {register.description}"
        table = Table("bits", "field", "value", "what", title=title, title_justify="left")
        for field in register.fields:
            part = value >> field.lsb & (1 << field.width) - 1
            table.add_row(_bits(field.lsb, field.width), field.name, f"0x{part:X}", field.description)
        return [table]
    table = Table("address", "register", "value", "what")
    for name, address, register, shown in values:
        text = "not read: that does something" if shown is None else f"0x{shown:08X}"
        table.add_row(f"0x{address:08X}", name, text, register.description)
    return [table]


def value_records(values: Values) -> list[Record]:
    """A record for each register that was read; `mode` is its name."""
    return [Record("regs", None, "value", value, mode=name) for name, _, _, value in values if value is not None]
