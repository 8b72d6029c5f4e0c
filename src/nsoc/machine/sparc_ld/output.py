# SPDX-License-Identifier: Apache-2.0
"""Writes the program: an ELF file with segments, sections and symbols."""

import struct
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from nsoc.errors import NsocError
from nsoc.machine.sparc_ld.expressions import Value
from nsoc.machine.sparc_ld.layout import OutputSection
from nsoc.machine.sparc_ld.objects import (
    ELF32_BIG,
    EM_SPARC,
    SHF_ALLOC,
    SHF_EXECUTE,
    SHF_WRITE,
    SHN_ABS,
    SHT_STRTAB,
    SHT_SYMTAB,
    STB_GLOBAL,
    STB_LOCAL,
    STT_NOTYPE,
    STT_SECTION,
    STV_DEFAULT,
    ObjectFile,
    Symbol,
)
from nsoc.machine.sparc_ld.script import NO_SEGMENT, Script, Segment

PF_EXECUTE, PF_WRITE, PF_READ = 1, 2, 4
HEADER_BYTES, SEGMENT_BYTES, SECTION_BYTES = 52, 32, 40
PAGE_BYTES = 4096
"""More no alignment in the file is."""
ET_EXEC, PT_LOAD = 2, 1


@dataclass(slots=True)
class _Load:
    """A segment with its sections."""

    segment: Segment
    sections: list[OutputSection] = field(default_factory=list)
    offset: int = 0

    @property
    def in_file(self) -> int:
        first = self.sections[0]
        return max((s.address + s.size - first.address for s in self.sections if s.is_loaded), default=0)

    @property
    def alignment(self) -> int:
        return min(PAGE_BYTES, max(section.alignment for section in self.sections))

    def header(self) -> bytes:
        first, last = self.sections[0], self.sections[-1]
        flags = self.segment.flags
        if flags is None:
            of_sections = {PF_WRITE: SHF_WRITE, PF_EXECUTE: SHF_EXECUTE}
            flags = PF_READ + sum(f for f, of in of_sections.items() if any(s.flags & of for s in self.sections))
        in_memory = last.address + last.size - first.address
        return struct.pack(
            ">8I",
            PT_LOAD,
            self.offset,
            first.address,
            first.load_address,
            self.in_file,
            in_memory,
            flags,
            self.alignment,
        )


def elf(
    script: Script, outputs: Sequence[OutputSection], contents: dict[str, bytearray], symbols: bytes, strings: bytes,
    first_global: int, entry: int,
) -> bytes:  # fmt: skip
    """The file. `symbols` and `strings` are what symbol_table() has made for the same `outputs`. Raises NsocError when
    a segment cannot have its sections."""
    loads = _loads(script, outputs)
    at = HEADER_BYTES + SEGMENT_BYTES * len(loads)
    content = bytearray(at)
    offsets: dict[str, int] = {}
    for load in loads:
        first = load.sections[0]
        content += bytes((first.address - len(content)) % load.alignment)  # as far from a page's start as in memory
        load.offset = len(content)
        content += bytes(load.in_file)
        for section in load.sections:
            offsets[section.name] = offset = load.offset + section.address - first.address
            if section.is_loaded:
                content[offset : offset + section.size] = contents[section.name]
    names = bytearray(1)
    rows = [bytes(SECTION_BYTES)]

    def add(name: str, *values: int) -> None:
        rows.append(struct.pack(">10I", len(names), *values))
        names.extend(name.encode() + b"\0")

    for output in outputs:
        if output.name not in offsets:
            content += bytes(-len(content) % min(output.alignment, PAGE_BYTES))
            offsets[output.name] = len(content)
            content += contents.get(output.name, b"")
        add(
            output.name, output.kind, output.flags, output.address, offsets[output.name], output.size, 0, 0,
            output.alignment, 0,
        )  # fmt: skip
    content += bytes(-len(content) % 4)
    add(".symtab", SHT_SYMTAB, 0, 0, len(content), len(symbols), len(rows) + 1, first_global, 4, 16)
    content += symbols
    add(".strtab", SHT_STRTAB, 0, 0, len(content), len(strings), 0, 0, 1, 0)
    content += strings
    add(".shstrtab", SHT_STRTAB, 0, 0, len(content), len(names) + len(".shstrtab") + 1, 0, 0, 1, 0)
    content += names
    content += bytes(-len(content) % 4)
    table = len(content)
    content += b"".join(rows)
    content[:HEADER_BYTES] = (ELF32_BIG + bytes(9)) + struct.pack(
        ">HHIIIIIHHHHHH", ET_EXEC, EM_SPARC, 1, entry, HEADER_BYTES if loads else 0, table, 0, HEADER_BYTES,
        SEGMENT_BYTES, len(loads), SECTION_BYTES, len(rows), len(rows) - 1,
    )  # fmt: skip
    content[HEADER_BYTES : HEADER_BYTES + SEGMENT_BYTES * len(loads)] = b"".join(load.header() for load in loads)
    return bytes(content)


def _loads(script: Script, outputs: Iterable[OutputSection]) -> list[_Load]:
    """Segments by PHDRS. Without that each section that is loaded has its own."""
    by_name = {segment.name: _Load(segment) for segment in script.segments}
    own: list[_Load] = []
    names: tuple[str, ...] = ()
    for output in outputs:
        if output.statement is None or not output.flags & SHF_ALLOC:
            continue
        names = output.statement.segments or names
        if not script.segments:
            own.append(_Load(Segment(output.name, None), [output]))
            continue
        if not names:
            raise NsocError(f"{output.statement.where}: the section {output.name} names no segment")
        for name in names:
            if name in by_name:
                by_name[name].sections.append(output)
            elif name != NO_SEGMENT:
                raise NsocError(f"{output.statement.where}: there is no segment {name} in PHDRS")
    loads = [load for load in (*by_name.values(), *own) if load.sections]
    for load in loads:
        load.sections.sort(key=lambda section: section.address)
        first = load.sections[0]
        for section in load.sections:
            if section.load_address - first.load_address != section.address - first.address:
                raise NsocError(
                    f"{first.name} and {section.name} are in the segment {load.segment.name}, but are loaded elsewhere "
                    "than they lie by different distances: give them a segment each"
                )
    _check_overlaps([section for load in loads for section in load.sections if section.is_loaded])
    return loads


def _check_overlaps(sections: Iterable[OutputSection]) -> None:
    in_order = sorted(sections, key=lambda section: section.load_address)
    for section, behind in pairwise(in_order):
        if section.load_address + section.size > behind.load_address and behind.size and section is not behind:
            raise NsocError(f"{section.name} and {behind.name} overlap in memory, at {behind.load_address:#x}")


def symbol_table(
    files: Iterable[ObjectFile], outputs: Sequence[OutputSection], symbols: Collection[Symbol], values: dict[str, Value]
) -> tuple[bytes, bytes, int]:
    """The contents of .symtab and .strtab, and the number of the first global symbol."""
    numbers = {id(output): number for number, output in enumerate(outputs, 1)}
    strings, rows = bytearray(1), [bytes(16)]
    known: dict[str, int] = {"": 0}

    def add(name: str, value: int, size: int, binding: int, kind: int, visibility: int, index: int) -> None:
        if name not in known:
            known[name] = len(strings)
            strings.extend(name.encode() + b"\0")
        rows.append(
            struct.pack(">IIIBBH", known[name], value & 0xFFFFFFFF, size, binding << 4 | kind, visibility, index)
        )

    def add_symbol(symbol: Symbol) -> None:
        index = SHN_ABS if symbol.section is None else numbers[id(symbol.section.output)]
        add(symbol.name, symbol.address(), symbol.size, symbol.binding, symbol.kind, symbol.visibility, index)

    for number, output in enumerate(outputs, 1):
        add("", output.address, 0, STB_LOCAL, STT_SECTION, STV_DEFAULT, number)
    for file in files:
        if any(section.output is not None for section in file.sections):
            for symbol in file.symbols[1 : file.first_global]:
                if symbol.kind != STT_SECTION and _is_shown(symbol):
                    add_symbol(symbol)
    first_global = len(rows)
    for symbol in symbols:
        if symbol.name not in values and _is_shown(symbol):
            add_symbol(symbol)
    for name, value in values.items():
        index = numbers.get(id(value.section), SHN_ABS) if value.section is not None else SHN_ABS
        add(name, value.number, 0, STB_GLOBAL, STT_NOTYPE, STV_DEFAULT, index)
    return b"".join(rows), bytes(strings), first_global


def _is_shown(symbol: Symbol) -> bool:
    """It is part of the program, and no name of a compiler's for a string."""
    section = symbol.section
    if section is None:
        return not symbol.is_undefined
    return section.output is not None and not (section.merged is not None and symbol.name.startswith(".L"))
