# SPDX-License-Identifier: Apache-2.0
"""Reads 32-bit big-endian ELF files and makes object files, as the System V ABI says: for tests, and with nothing of
what they test."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

NOBITS, SYMTAB = 8, 2


class Section(NamedTuple):
    """A section, with its contents."""

    name: str
    kind: int
    flags: int
    address: int
    size: int
    contents: bytes


class Symbol(NamedTuple):
    """A symbol; its section by name, or ABS, COMMON, UND."""

    name: str
    value: int
    size: int
    kind: int
    binding: int
    visibility: int
    section: str


class Elf:
    """An ELF file."""

    def __init__(self, content: bytes) -> None:
        assert content[:7] == b"\x7fELF\x01\x02\x01"
        self.kind, self.machine, _, self.entry, segments, sections, self.flags = struct.unpack_from(
            ">HHIIIII", content, 16
        )
        _, segment_bytes, segment_count, section_bytes, count, names = struct.unpack_from(">6H", content, 40)
        self.segments = [
            struct.unpack_from(">8I", content, segments + index * segment_bytes) for index in range(segment_count)
        ]
        """Type, offset, virtual and physical address, bytes in the file and in memory, flags, alignment."""
        rows = [struct.unpack_from(">10I", content, sections + index * section_bytes) for index in range(count)]
        self.sections: list[Section] = []
        for row in rows:
            data = b"" if row[1] == NOBITS else content[row[4] : row[4] + row[5]]
            self.sections.append(Section(_text(content, rows[names][4] + row[0]), row[1], row[2], row[3], row[5], data))
        self.symbols: list[Symbol] = []
        special = {0: "UND", 0xFFF1: "ABS", 0xFFF2: "COMMON"}
        for row in rows:
            for at in range(row[4], row[4] + row[5], 16) if row[1] == SYMTAB else ():
                name, value, size, info, other, index = struct.unpack_from(">IIIBBH", content, at)
                section = special.get(index) or self.sections[index].name
                text = _text(content, rows[row[6]][4] + name)
                self.symbols.append(Symbol(text, value, size, info & 15, info >> 4, other & 3, section))
        self.memory = {
            physical + number: byte
            for kind, offset, _, physical, in_file, _, _, _ in self.segments
            if kind == 1
            for number, byte in enumerate(content[offset : offset + in_file])
        }
        """What is loaded, byte by byte, at physical addresses."""

    @classmethod
    def read(cls, path: Path) -> "Elf":
        return cls(path.read_bytes())

    def section(self, name: str) -> Section:
        """The one of that name."""
        [found] = [section for section in self.sections if section.name == name]
        return found

    def symbol(self, name: str) -> Symbol:
        """The one of that name."""
        [found] = [symbol for symbol in self.symbols if symbol.name == name]
        return found


def _text(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()


ALLOC, WRITE, EXECUTE, MERGE, STRINGS = 2, 1, 4, 16, 32
LOCAL, GLOBAL, WEAK = 0, 1, 2
HIDDEN = 2


@dataclass(frozen=True)
class Part:
    """A section of an object file that a test makes."""

    name: str
    contents: bytes = bytes(4)
    flags: int = ALLOC | EXECUTE
    relocations: Sequence[tuple[int, int, str, int]] = ()
    """Offset, type, symbol, addend. The name of a section is that of a symbol, too."""
    alignment: int = 4
    kind: int = 1
    size: int | None = None
    """Of a section without contents."""
    entry_bytes: int = 0


def bss(name: str, size: int, alignment: int = 4) -> Part:
    """A section without contents."""
    return Part(name, b"", ALLOC | WRITE, alignment=alignment, kind=NOBITS, size=size)


def defined(
    name: str, section: str, value: int = 0, size: int = 0, binding: int = GLOBAL, visibility: int = 0
) -> Symbol:
    """A symbol in a section, or in ABS, COMMON (its value is its alignment), UND."""
    return Symbol(name, value, size, 0, binding, visibility, section)


def object_file(parts: Sequence[Part], symbols: Sequence[Symbol] = (), machine: int = 2) -> bytes:
    """An object file for SPARC. Symbols that relocations want and nobody has are undefined."""
    numbers = {part.name: number for number, part in enumerate(parts, 1)} | {"UND": 0, "ABS": 0xFFF1, "COMMON": 0xFFF2}
    known = {part.name for part in parts} | {symbol.name for symbol in symbols}
    wanted = dict.fromkeys(name for part in parts for _, _, name, _ in part.relocations if name not in known)
    every = [Symbol("", 0, 0, 3, LOCAL, 0, part.name) for part in parts]
    every += sorted([*symbols, *(defined(name, "UND") for name in wanted)], key=lambda symbol: symbol.binding != LOCAL)
    places = {part.name: number for number, part in enumerate(parts, 1)}
    places |= {symbol.name: number for number, symbol in enumerate(every, 1) if symbol.name}
    strings, names, content = b"\0", b"\0", bytes(52)
    table = bytes(16)
    for symbol in every:
        at = len(strings) if symbol.name else 0
        strings += symbol.name.encode() + b"\0" if symbol.name else b""
        info = symbol.binding << 4 | symbol.kind
        table += struct.pack(">IIIBBH", at, symbol.value, symbol.size, info, symbol.visibility, numbers[symbol.section])
    rows = [(0,) * 10]
    first_global = 1 + sum(symbol.binding == LOCAL for symbol in every)
    relocations = [(number, part) for number, part in enumerate(parts, 1) if part.relocations]
    symtab = 1 + len(parts) + len(relocations)
    todo = [(part.name, part.kind, part.flags, part.contents, 0, 0, part.alignment, part.entry_bytes) for part in parts]
    for number, part in relocations:
        data = b"".join(
            struct.pack(">IIi", at, places[name] << 8 | kind, by) for at, kind, name, by in part.relocations
        )
        todo.append((f".rela{part.name}", 4, 0, data, symtab, number, 4, 12))
    todo += [(".symtab", SYMTAB, 0, table, symtab + 1, first_global, 4, 16), (".strtab", 3, 0, strings, 0, 0, 1, 0)]
    names += b"".join(name.encode() + b"\0" for name, *_ in todo) + b".shstrtab\0"
    todo.append((".shstrtab", 3, 0, names, 0, 0, 1, 0))
    for index, (name, kind, flags, data, link, info, alignment, entry) in enumerate(todo):
        size = parts[index].size if index < len(parts) else None
        at = names.index(b"\0" + name.encode() + b"\0") + 1
        size = len(data) if size is None else size
        rows.append((at, kind, flags, 0, len(content), size, link, info, alignment, entry))
        content += data
    header = b"\x7fELF\x01\x02\x01" + bytes(9)
    header += struct.pack(
        ">HHIIIIIHHHHHH", 1, machine, 1, 0, 0, len(content), 0, 52, 0, 0, 40, len(rows), len(rows) - 1
    )
    return header + content[52:] + b"".join(struct.pack(">10I", *row) for row in rows)


def archive(members: dict[str, bytes]) -> bytes:
    """An archive; longer names stand in a list of their own, as GNU has them."""
    long_names = b"".join(name.encode() + b"/\n" for name in members if len(name) > 15)
    found = b"!<arch>\n" + (_member("//", long_names) if long_names else b"")
    for name, data in members.items():
        title = f"/{long_names.index(name.encode())}" if len(name) > 15 else f"{name}/"
        found += _member(title, data)
    return found


def _member(title: str, data: bytes) -> bytes:
    return f"{title:16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
