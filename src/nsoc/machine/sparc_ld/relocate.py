# SPDX-License-Identifier: Apache-2.0
"""The contents of sections of the program: those of the object files, and addresses where these have relocations.

Facts: System V ABI, SPARC supplement, 4 "Relocation".
"""

from dataclasses import dataclass
from typing import Literal

from nsoc.errors import NsocError
from nsoc.machine.sparc_ld.layout import OutputSection
from nsoc.machine.sparc_ld.objects import SHF_ALLOC, SHT_NOBITS, Section, Symbol


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of relocations: which bits of a big-endian word get which bits of a value."""

    name: str
    mask: int
    shift: int = 0
    """Lower bits of the value that the word does not have."""
    is_relative: bool = False
    """To the place of the relocation."""
    range: Literal["any", "signed"] = "any"
    """What the value may be, behind the shift: anything, or what the field has as a signed number."""


KINDS = {
    3: Kind("R_SPARC_32", 0xFFFFFFFF),
    6: Kind("R_SPARC_DISP32", 0xFFFFFFFF, is_relative=True),
    7: Kind("R_SPARC_WDISP30", 0x3FFFFFFF, shift=2, is_relative=True, range="signed"),
    8: Kind("R_SPARC_WDISP22", 0x3FFFFF, shift=2, is_relative=True, range="signed"),
    9: Kind("R_SPARC_HI22", 0x3FFFFF, shift=10),
    11: Kind("R_SPARC_13", 0x1FFF, range="signed"),
    12: Kind("R_SPARC_LO10", 0x3FF),
    23: Kind("R_SPARC_UA32", 0xFFFFFFFF),
}
"""What compilers make for a program at fixed addresses."""
NAMES = (
    "NONE", "8", "16", "32", "DISP8", "DISP16", "DISP32", "WDISP30", "WDISP22", "HI22", "22", "13", "LO10", "GOT10",
    "GOT13", "GOT22", "PC10", "PC22", "WPLT30", "COPY", "GLOB_DAT", "JMP_SLOT", "RELATIVE", "UA32", "PLT32", "HIPLT22",
    "LOPLT10", "PCPLT32", "PCPLT22", "PCPLT10", "10", "11", "64", "OLO10", "HH22", "HM10", "LM22", "PC_HH22",
    "PC_HM10", "PC_LM22", "WDISP16", "WDISP19", "UNUSED_42", "7", "5", "6", "DISP64", "PLT64", "HIX22", "LOX10", "H44",
    "M44", "L44", "REGISTER", "UA64", "UA16",
)  # fmt: skip
"""Of all types up to SPARC V9's, for messages."""
NONE = 0
WORD = 0xFFFFFFFF


def contents(output: OutputSection) -> bytearray:
    """Of a section that the file has. Raises NsocError for a relocation that cannot be done."""
    data = bytearray(output.size)
    for section in output.inputs:
        if section.kind != SHT_NOBITS:
            data[section.offset : section.offset + section.size] = section.contents
        if section.relocations:
            _relocate(section, output, data)
    return data


def _relocate(section: Section, output: OutputSection, data: bytearray) -> None:
    symbols, start = section.file.symbols, section.offset
    place = output.address + start
    addresses: dict[int, int] = {}
    for offset, number, of_symbol, addend in section.relocations:
        kind = KINDS.get(number)
        if kind is None:
            if number == NONE:
                continue
            name = f"R_SPARC_{NAMES[number]}" if number < len(NAMES) else f"number {number}"
            raise NsocError(f"{section} has a relocation {name}, which the linker does not know: compile with -fno-pic")
        symbol = symbols[of_symbol]
        if offset + 4 > section.size:
            raise NsocError(f"{section} has a relocation behind its end: compile it again")
        if symbol.section is not None and symbol.section.output is None and symbol.script_value is None:
            value = _of_discarded(symbol, section, output)
        else:
            address = addresses.get(of_symbol)
            if address is None or (symbol.section is not None and symbol.section.merged is not None):
                address = symbol.address(addend)
                addresses[of_symbol] = address - addend
            else:
                address += addend
            value = address - place - offset if kind.is_relative else address
        at = start + offset
        if kind.mask == WORD:
            data[at : at + 4] = (value & WORD).to_bytes(4, "big")
            continue
        value = (value & WORD ^ 0x80000000) - 0x80000000  # addresses wrap
        if kind.range == "signed":
            most = (kind.mask + 1 << kind.shift) >> 1
            if not -most <= value < most or value & (1 << kind.shift) - 1:
                raise NsocError(_does_not_fit(kind, symbol, section, offset, value))
        word = int.from_bytes(data[at : at + 4], "big") & ~kind.mask
        data[at : at + 4] = (word | value >> kind.shift & kind.mask).to_bytes(4, "big")


def _of_discarded(symbol: Symbol, section: Section, output: OutputSection) -> int:
    """What debuggers are told of code that is not part of the program. Ranges end with a zero: there it is one."""
    if output.flags & SHF_ALLOC:
        raise NsocError(f"{section} wants {symbol.name or symbol.section}, which the linker script discards")
    return 1 if output.name == ".debug_ranges" else 0


def _does_not_fit(kind: Kind, symbol: Symbol, section: Section, offset: int, value: int) -> str:
    name = symbol.name or str(symbol.section)
    why = "is no multiple of 4" if value & (1 << kind.shift) - 1 else "is too far away"
    if not kind.is_relative:
        why = "is too large a number"
    return f"{section} wants {name} at {offset:#x} by a relocation {kind.name}, for which it {why} ({value:#x})"
