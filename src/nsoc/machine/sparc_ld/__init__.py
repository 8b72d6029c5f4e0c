# SPDX-License-Identifier: Apache-2.0
"""A static linker for SPARC V8, which LLVM's linker refuses.

It reads object files and archives that clang or gcc made for a program at fixed addresses, and the linker scripts of
firmware/. What it makes of them is what GNU ld makes of them with --gc-sections (docs/sparc.md). But a section in
memory that no pattern of the script fits is refused, not put somewhere, and common symbols of one file lie in the order
of that file.
"""

from collections.abc import Sequence
from pathlib import Path

from nsoc.machine.sparc_ld.collect import collect, entry_section
from nsoc.machine.sparc_ld.layout import Layout
from nsoc.machine.sparc_ld.merge import merge
from nsoc.machine.sparc_ld.objects import SHT_NOBITS
from nsoc.machine.sparc_ld.output import elf, symbol_table
from nsoc.machine.sparc_ld.relocate import contents
from nsoc.machine.sparc_ld.script import read_script
from nsoc.machine.sparc_ld.symbols import SymbolTable

DEFAULT_ENTRY = "_start"


def link(inputs: Sequence[Path], script: Path, folders: Sequence[Path]) -> bytes:
    """The ELF file of a program: of object files and archives in this order, by a linker script. What that includes is
    looked for in `folders`. Raises NsocError when they make no program."""
    said = read_script(script, folders)
    table = SymbolTable(assign.name for assign in said.assignments() if not assign.provide)
    for path in inputs:
        table.add(path)
    files = table.files
    table.place_commons()
    layout = Layout(said, table)
    kept = layout.place(files)
    name = said.entry or DEFAULT_ENTRY
    start = table.by_name.get(name)
    collect(files, [entry_section(start, name), *kept], [assign.name for assign in said.assignments()])
    layout.drop_unused(files)
    merge(section for file in files for section in file.sections if section.output is not None)
    layout.run()
    present = [output for output in layout.sections if output.is_present]
    data = {output.name: contents(output) for output in present if output.kind != SHT_NOBITS}
    assert start is not None
    return elf(
        said, present, data, *symbol_table(files, present, table.by_name.values(), layout.values), start.address()
    )
