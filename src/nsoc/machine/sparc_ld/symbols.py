# SPDX-License-Identifier: Apache-2.0
"""Which definition a name stands for: files in the order of linking, members of archives when something wants them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.machine.sparc_ld.objects import (
    ARCHIVE,
    SHF_ALLOC,
    SHF_WRITE,
    SHT_NOBITS,
    STB_LOCAL,
    STB_WEAK,
    ObjectFile,
    Section,
    Symbol,
    read_archive,
    read_object,
)

COMMON = "COMMON"
"""The section of variables without a definition, in linker scripts."""
PLACED = 1
"""As the number of the section that a symbol is in: any that stands for nothing else."""


class SymbolTable:
    """All global symbols by name."""

    def __init__(self, of_script: Iterable[str]) -> None:
        """`of_script`: names that the linker script defines, which no archive is asked for."""
        self.files: list[ObjectFile] = []
        self.by_name: dict[str, Symbol] = {}
        self._of_script = frozenset(of_script)

    def add(self, path: Path) -> None:
        """An object file, or an archive. Raises NsocError when it cannot be read, or defines a symbol again."""
        try:
            content = path.read_bytes()
        except OSError as problem:
            raise NsocError(f"cannot read {path}: {problem.strerror}") from None
        if content.startswith(ARCHIVE):
            self._add_members(list(read_archive(content, path.name)))
        else:
            self._add_file(read_object(content, str(path), "/".join(path.parts[-2:])))

    def _add_members(self, members: Sequence[ObjectFile]) -> None:
        left = list(members)
        found = True
        while found:
            found = False
            for member in list(left):
                if any(self._is_wanted(symbol) for symbol in member.symbols[member.first_global :]):
                    left.remove(member)
                    self._add_file(member)
                    found = True

    def _is_wanted(self, symbol: Symbol) -> bool:
        known = self.by_name.get(symbol.name)
        return (
            not symbol.is_undefined
            and known is not None
            and known.is_undefined
            and known.binding != STB_WEAK
            and symbol.name not in self._of_script
        )

    def _add_file(self, file: ObjectFile) -> None:
        self.files.append(file)
        for number, symbol in enumerate(file.symbols):
            if symbol.binding != STB_LOCAL:
                file.symbols[number] = self._resolved(symbol)

    def _resolved(self, new: Symbol) -> Symbol:
        known = self.by_name.setdefault(new.name, new)
        if known is new:
            return known
        visibility = max(known.visibility, new.visibility)  # hidden goes before default
        if not known.is_undefined and not new.is_undefined and not known.is_common and not new.is_common:
            if STB_WEAK not in (known.binding, new.binding):
                raise NsocError(f"the symbol {new.name} is defined twice, in {known.file.name} and in {new.file.name}")
            if known.binding == STB_WEAK != new.binding:
                _take(known, new)
        elif known.is_undefined and new.is_undefined:
            known.binding = min(known.binding, new.binding)  # wanted once, wanted
        elif known.is_undefined or (known.is_common and not new.is_undefined and not new.is_common):
            if not (known.is_common and new.binding == STB_WEAK):
                _take(known, new)
        elif known.is_common and new.is_common:
            alignment = max(known.value, new.value)
            if new.size > known.size:
                _take(known, new)
            known.value = alignment
        elif new.is_common and known.binding == STB_WEAK:
            _take(known, new)
        known.visibility = visibility
        return known

    def place_commons(self) -> None:
        """Gives each common symbol its place in a section COMMON of the file that has the largest."""
        places: dict[int, Section] = {}
        for symbol in self.by_name.values():
            if not symbol.is_common:
                continue
            place = places.get(id(symbol.file))
            if place is None:
                place = Section(symbol.file, COMMON, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0, 1, 0, b"")
                places[id(symbol.file)] = place
                symbol.file.sections.append(place)
            alignment = max(symbol.value, 1)
            place.alignment = max(place.alignment, alignment)
            symbol.value = -(-place.size // alignment) * alignment
            place.size = symbol.value + symbol.size
            symbol.section, symbol.index = place, PLACED


def _take(known: Symbol, new: Symbol) -> None:
    """The definition of `new` for the symbol that all files share."""
    known.file, known.value, known.size, known.kind = new.file, new.value, new.size, new.kind
    known.binding, known.index, known.section = new.binding, new.index, new.section
