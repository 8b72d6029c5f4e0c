# SPDX-License-Identifier: Apache-2.0
"""Sections and symbols of a 32-bit ELF file, in the file's own byte order. nsoc.machine.firmware has its segments."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

LITTLE, BIG = 1, 2
"""Byte orders, as the file's header has them (EI_DATA)."""
SHT_SYMTAB = 2
SHF_EXECINSTR = 4
STT_NOTYPE, STT_OBJECT, STT_FUNC = 0, 1, 2


@dataclass(frozen=True)
class Section:
    """A row of the section table. `address` is in memory, `offset` in the file, both in bytes, as `length` is."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    length: int
    link: int

    @property
    def has_code(self) -> bool:
        return bool(self.flags & SHF_EXECINSTR)


@dataclass(frozen=True)
class Symbol:
    """`kind` is one of STT_..., `section` the number of its section, `place` the addresses of its bytes."""

    name: str
    kind: int
    place: range
    section: int


def sections(content: bytes) -> list[Section]:
    """By number; none of a file that is stripped, or cut off behind the segments."""
    order = _order(content)
    (table,) = struct.unpack_from(f"{order}I", content, 32)
    size, count, names = struct.unpack_from(f"{order}3H", content, 46)
    if not table or table + size * count > len(content) or names >= count:
        return []
    rows = [struct.unpack_from(f"{order}10I", content, table + size * number) for number in range(count)]
    texts = rows[names][4]
    return [Section(_text(content, texts + name), *fields[:6]) for name, *fields in rows]


def symbols(content: bytes) -> Iterator[Symbol]:
    """All of the symbol table, in its order."""
    row, table = struct.Struct(f"{_order(content)}3IBBH"), sections(content)
    for section in table:
        if section.kind != SHT_SYMTAB:
            continue
        texts = table[section.link].offset
        for fields in row.iter_unpack(content[section.offset : section.offset + section.length]):
            name, value, size, info, _, number = fields
            yield Symbol(_text(content, texts + name), info & 15, range(value, value + size), number)


def code_symbols(content: bytes) -> list[Symbol]:
    """Functions, and labels of assembly, which have no length. Those of compilers are left out."""
    code = {number for number, section in enumerate(sections(content)) if section.has_code}
    return [
        symbol
        for symbol in symbols(content)
        if symbol.section in code
        and symbol.kind in (STT_NOTYPE, STT_FUNC)
        and symbol.name
        and not symbol.name.startswith((".", "$"))
    ]


def _order(content: bytes) -> str:
    return ">" if content[5] == BIG else "<"


def _text(content: bytes, at: int) -> str:
    return content[at:].partition(b"\0")[0].decode(errors="replace")
