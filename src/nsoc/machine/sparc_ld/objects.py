# SPDX-License-Identifier: Apache-2.0
"""Object files of SPARC V8 and archives of them: ELF32, big-endian, relocations with addends.

Facts: System V ABI, chapters 4 (object files) and 7 (archives), and its SPARC supplement.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nsoc.errors import NsocError

if TYPE_CHECKING:
    from nsoc.machine.sparc_ld.layout import OutputSection
    from nsoc.machine.sparc_ld.merge import Merged

ELF32_BIG = b"\x7fELF\x01\x02\x01"
EM_SPARC = 2
ET_REL = 1
MACHINES = {3: "x86", 18: "SPARC V8+", 20: "PowerPC", 40: "ARM", 43: "SPARC V9", 62: "x86-64", 243: "RISC-V"}
"""Names of e_machine, for messages."""
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_NOBITS, SHT_REL, SHT_GROUP = 1, 2, 3, 4, 8, 9, 17
SHF_WRITE, SHF_ALLOC, SHF_EXECUTE, SHF_MERGE, SHF_STRINGS = 1, 2, 4, 16, 32
SHN_UNDEF, SHN_LORESERVE, SHN_ABS, SHN_COMMON = 0, 0xFF00, 0xFFF1, 0xFFF2
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STT_NOTYPE, STT_SECTION = 0, 3
STV_DEFAULT = 0
ARCHIVE = b"!<arch>\n"
_HEADER = struct.Struct(">HHIIIIIHHHHHH")
_SECTION = struct.Struct(">10I")
_SYMBOL = struct.Struct(">IIIBBH")
_RELOCATION = struct.Struct(">IIi")


@dataclass(slots=True, eq=False)
class Section:
    """A section of an object file, and where it goes."""

    file: "ObjectFile"
    name: str
    kind: int
    """sh_type."""
    flags: int
    size: int
    """Bytes; fewer when what it has is in another section, too (merge.py)."""
    alignment: int
    entry_bytes: int
    """Of what can be merged."""
    contents: bytes
    relocations: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Offset, type, number of the symbol in its file, addend."""
    is_kept: bool = False
    """It is part of the program: collect.py."""
    output: "OutputSection | None" = None
    """None: it is discarded, or not placed yet."""
    offset: int = 0
    """In `output`."""
    merged: "Merged | None" = None

    @property
    def is_allocated(self) -> bool:
        """It is in memory when the program runs."""
        return bool(self.flags & SHF_ALLOC)

    def __str__(self) -> str:
        return f"{self.name} of {self.file.name}"


@dataclass(slots=True, eq=False)
class Symbol:
    """A symbol of an object file; a global one is the same object in all files."""

    name: str
    file: "ObjectFile"
    value: int
    """Offset in `section`, or the value itself; the alignment of a common one."""
    size: int
    kind: int
    binding: int
    visibility: int
    index: int
    """SHN_UNDEF, SHN_ABS, SHN_COMMON, or any other number: it is in `section`."""
    section: Section | None = None
    script_value: "int | None" = None
    """Its address, when the linker script defines it."""

    @property
    def is_undefined(self) -> bool:
        return self.index == SHN_UNDEF

    @property
    def is_common(self) -> bool:
        return self.index == SHN_COMMON

    def address(self, addend: int = 0) -> int:
        """Where it is in the program, and so many bytes behind. In a merged section the bytes behind a section's symbol
        lie where they went to."""
        if self.script_value is not None:
            return self.script_value + addend
        if self.section is None:
            return (0 if self.is_undefined else self.value) + addend
        merged, rest = self.section.merged, addend
        offset = self.value
        if self.kind == STT_SECTION and merged is not None:
            offset, rest = offset + addend, 0
        if merged is not None:
            return merged.address(offset) + rest
        if self.section.output is None:
            return rest
        return self.section.output.address + self.section.offset + offset + rest


@dataclass(slots=True, eq=False)
class ObjectFile:
    """An object file as it was read."""

    path: str
    """As the patterns of a linker script see it: the name of a member of an archive."""
    name: str
    """For messages: the file's name and its folder's, of a member its own behind its archive's."""
    sections: list[Section] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    """By number; number 0 is none."""
    first_global: int = 0


def read_object(content: bytes, path: str, name: str) -> ObjectFile:
    """Raises NsocError for a file that is no object file for SPARC V8."""
    _check(content, name)
    try:
        return _read(content, ObjectFile(path, name))
    except (struct.error, IndexError, ValueError):
        raise NsocError(f"{name} is truncated or damaged: compile it again") from None


def _check(content: bytes, name: str) -> None:
    if content[:4] != ELF32_BIG[:4] or len(content) < 52:
        raise NsocError(f"{name} is no object file: give the linker what a compiler made for SPARC V8")
    order = "<" if content[5] == 1 else ">"
    kind, machine = struct.unpack_from(f"{order}HH", content, 16)
    made_for = f"{'64' if content[4] == 2 else '32'}-bit {'little' if order == '<' else 'big'}-endian " + (
        "SPARC" if machine == EM_SPARC else MACHINES.get(machine, f"machine {machine}")
    )
    if content[: len(ELF32_BIG)] != ELF32_BIG or machine != EM_SPARC:
        raise NsocError(f"{name} is for {made_for}: compile it for SPARC V8, which is 32-bit and big-endian")
    if kind != ET_REL:
        raise NsocError(f"{name} is linked already: give the linker object files")


def _read(content: bytes, file: ObjectFile) -> ObjectFile:
    _, _, _, _, _, table, _, _, _, _, entry_bytes, count, names_at = _HEADER.unpack_from(content, 16)
    rows = [_SECTION.unpack_from(content, table + index * entry_bytes) for index in range(count)]

    def bytes_of(row: tuple[int, ...]) -> bytes:
        if row[4] + row[5] > len(content):
            raise ValueError
        return content[row[4] : row[4] + row[5]]

    names = bytes_of(rows[names_at])
    sections: list[Section | None] = []
    for row in rows:
        name_at, kind, flags, _, _, size, _, _, alignment, entry = row
        name = _text(names, name_at)
        if alignment & (alignment - 1):
            raise ValueError
        if kind == SHT_GROUP:
            raise NsocError(f"{file.name} has a section group, which the linker does not know: compile it as C")
        if kind == SHT_REL:
            raise NsocError(f"{file.name} has relocations without addends, which are not those of SPARC")
        is_linked = kind not in (0, SHT_SYMTAB, SHT_STRTAB, SHT_RELA)
        data = b"" if kind == SHT_NOBITS or not is_linked else bytes_of(row)
        section = Section(file, name, kind, flags, size, max(alignment, 1), entry, data) if is_linked else None
        sections.append(section)
    file.sections = [section for section in sections if section is not None]
    for row in rows:
        if row[1] == SHT_SYMTAB:
            _read_symbols(file, bytes_of(row), bytes_of(rows[row[6]]), sections)
            file.first_global = row[7]
    for row in rows:
        if row[1] == SHT_RELA:
            target = sections[row[7]]
            if target is not None:
                target.relocations = [
                    (offset, info & 0xFF, info >> 8, addend)
                    for offset, info, addend in _RELOCATION.iter_unpack(bytes_of(row))
                ]
                if max((number for _, _, number, _ in target.relocations), default=0) >= len(file.symbols):
                    raise ValueError
    return file


def _read_symbols(file: ObjectFile, table: bytes, strings: bytes, sections: list[Section | None]) -> None:
    for name_at, value, size, info, other, index in _SYMBOL.iter_unpack(table):
        if index >= SHN_LORESERVE and index not in (SHN_ABS, SHN_COMMON):
            raise NsocError(
                f"{file.name} has a symbol {_text(strings, name_at)!r} in section {index:#x}, which is none"
            )
        section = sections[index] if index not in (SHN_ABS, SHN_COMMON) else None
        name = _text(strings, name_at)
        file.symbols.append(Symbol(name, file, value, size, info & 15, info >> 4, other & 3, index, section))


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode(errors="replace")


def read_archive(content: bytes, name: str) -> Iterator[ObjectFile]:
    """The members of an archive that are object files."""
    at, long_names = len(ARCHIVE), b""
    while at < len(content):
        header = content[at : at + 60]
        try:
            size = int(header[48:58])
        except ValueError:
            size = -1
        data = content[at + 60 : at + 60 + size]
        if header[58:] != b"`\n" or size != len(data):
            raise NsocError(f"{name} is truncated or damaged: make the archive again")
        title = header[:16].rstrip()
        if title == b"//":
            long_names = data
        elif title not in (b"/", b"/SYM64/"):  # the index of symbols: members are looked at themselves
            if title[:1] == b"/" and title[1:].isdigit():
                start = int(title[1:])
                title = long_names[start : long_names.index(b"\n", start)]
            member = title.removesuffix(b"/").decode(errors="replace")
            yield read_object(data, member, f"{name}({Path(member).name})")
        at += 60 + size + size % 2
