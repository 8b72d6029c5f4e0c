# SPDX-License-Identifier: Apache-2.0
"""Which sections are part of the program: what the entry and KEEP() lead to, by relocations.

Of a file of which something in memory is kept, all that tells debuggers of it is, too.
"""

from collections.abc import Iterable

from nsoc.errors import NsocError
from nsoc.machine.sparc_ld.objects import STB_WEAK, ObjectFile, Section, Symbol


def collect(files: Iterable[ObjectFile], roots: Iterable[Section], of_script: Iterable[str]) -> None:
    """Marks sections (`is_kept`). Raises NsocError when a section that is kept wants a symbol that nobody defines, but
    for those that the linker script does (`of_script`)."""
    defined = frozenset(of_script)
    todo = list(roots)
    for section in todo:
        section.is_kept = True
    missing: dict[str, str] = {}
    while todo:
        section = todo.pop()
        symbols = section.file.symbols
        for _, _, number, _ in section.relocations:
            symbol = symbols[number]
            target = symbol.section
            if target is None:
                if symbol.is_undefined and number and symbol.binding != STB_WEAK and symbol.name not in defined:
                    missing.setdefault(symbol.name, f"{symbol.name}, which {section} wants")
            elif not target.is_kept:
                target.is_kept = True
                todo.append(target)
    if missing:
        raise NsocError(f"nobody defines {_listed(list(missing.values()))}")
    for file in files:
        if any(section.is_kept and section.is_allocated for section in file.sections):
            for section in file.sections:
                if not section.is_allocated:
                    section.is_kept = True


def _listed(found: list[str], most: int = 5) -> str:
    more = len(found) - most
    return ", ".join(found[:most]) + (f", and {more} more symbols" if more > 0 else "")


def entry_section(symbol: Symbol | None, name: str) -> Section:
    """Where the program begins. Raises NsocError when that is nowhere."""
    if symbol is None or symbol.section is None:
        raise NsocError(f"nobody defines {name}, where the linker script lets the program begin")
    return symbol.section
