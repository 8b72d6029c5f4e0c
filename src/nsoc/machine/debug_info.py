# SPDX-License-Identifier: Apache-2.0
"""Debug information (DWARF 4 and 5) without the functions that the linker has dropped.

A linker that drops a function leaves what debuggers are told of it, with 0 for its address. Programs for the boot ROM
begin at 0: a debugger would show lines of dropped functions there, and put breakpoints there. Only the start-up code, a
file of STARTUP, is at 0, if anything is. All else that claims to be is made empty, in its place: functions and ranges
end where they begin, lines are gone, and single addresses become NOWHERE.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nsoc.machine import elf32
from nsoc.machine.build import content_hash

STARTUP = ("crt0.S", "start.S")
"""The file that the linker script puts first: firmware/lib/link.ld, firmware/pnic/lib/link.ld."""
START = "_start"
NOWHERE = 0xFFFF_FFFF

_ADDRESS_BYTES = 4
_TAG_COMPILE_UNIT = 0x11
_AT_LOCATION, _AT_NAME, _AT_STMT_LIST, _AT_LOW_PC, _AT_HIGH_PC = 0x02, 0x03, 0x10, 0x11, 0x12
_AT_RANGES, _AT_STR_OFFSETS_BASE, _AT_ADDR_BASE, _AT_RNGLISTS_BASE = 0x55, 0x72, 0x73, 0x74
_FIXED = {
    0x01: 4, 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: 4, 0x10: 4, 0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8,
    0x17: 4, 0x19: 0, 0x1C: 4, 0x1D: 4, 0x1E: 16, 0x1F: 4, 0x20: 8, 0x21: 0, 0x24: 8, 0x25: 1, 0x26: 2, 0x27: 3,
    0x28: 4, 0x29: 1, 0x2A: 2, 0x2B: 3, 0x2C: 4,
}  # fmt: skip
"""Bytes of an attribute's value, by its form."""
_NUMBERS = (0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23)
"""Forms that are LEB128 numbers."""
_BLOCKS = {0x03: 2, 0x04: 4, 0x0A: 1, 0x09: 0, 0x18: 0}
"""Forms that are bytes behind their count: bytes of that, 0 for LEB128."""
_FORM_ADDR, _FORM_STRING, _FORM_STRP, _FORM_LINE_STRP = 0x01, 0x08, 0x0E, 0x1F
_FORM_INDIRECT, _FORM_IMPLICIT, _FORM_RNGLISTX = 0x16, 0x21, 0x23
_ADDRESS_INDICES = (0x1B, 0x29, 0x2A, 0x2B, 0x2C)
_OP_ADDR = 0x03
_LINE_NOTHING = 0x07
"""An opcode of line programs that makes no line: set_basic_block."""


@dataclass(frozen=True, slots=True)
class _Value:
    """An attribute in .debug_info: its form, and where its bytes are; `number` is what they say as one."""

    form: int
    at: int
    length: int
    number: int


@dataclass(slots=True)
class _Unit:
    """A compilation unit: what of it is in other sections."""

    offset: int
    version: int
    starts: bool = False  # it is the start-up code, and at 0
    low_pc: int = 0
    addresses: int = 8  # of .debug_addr, behind the header
    ranges: int = 12  # of .debug_rnglists
    lines: int | None = None
    lists: list[_Value] = field(default_factory=list)


class _Bytes:
    """The file, which is changed in place, with its sections."""

    def __init__(self, content: bytes) -> None:
        self.data = bytearray(content)
        self.order = ">" if content[5] == elf32.BIG else "<"
        self._places = {section.name: section for section in elf32.sections(content)}

    def place(self, name: str) -> range:
        """Where a section is in the file; empty: there is none."""
        section = self._places.get(name)
        return range(0) if section is None else range(section.offset, section.offset + section.length)

    def number(self, at: int, length: int) -> int:
        return int.from_bytes(self.data[at : at + length], "big" if self.order == ">" else "little")

    def word(self, at: int) -> int:
        return self.number(at, 4)

    def set_word(self, at: int, value: int) -> None:
        struct.pack_into(f"{self.order}I", self.data, at, value)

    def leb(self, at: int) -> tuple[int, int]:
        """An unsigned LEB128 number, and where the next byte is."""
        value = shift = 0
        while True:
            byte = self.data[at]
            value |= (byte & 0x7F) << shift
            shift += 7
            at += 1
            if byte < 0x80:
                return value, at

    def set_leb(self, at: int, end: int, value: int) -> None:
        """Writes one that fills its place."""
        for place in range(at, end):
            self.data[place] = value & 0x7F | (0x80 if place + 1 < end else 0)
            value >>= 7

    def text(self, at: int) -> str:
        return self.data[at : self.data.index(0, at)].decode(errors="replace")


def clean(elf: Path) -> None:
    """An ELF file that a linker has made: its debug information as without_dropped() has it."""
    elf.write_bytes(without_dropped(elf.read_bytes()))


def digest() -> str:
    """The digest of this file: programs are cleaned anew when it changes."""
    return content_hash([Path(__file__)])


def without_dropped(content: bytes) -> bytes:
    """The ELF file `content`, its debug information cleaned as above."""
    file = _Bytes(content)
    startup_at_zero = any(symbol.name == START and symbol.place.start == 0 for symbol in elf32.symbols(content))
    units = list(_units(file, startup_at_zero))
    for unit in units:
        for value in unit.lists:
            _clean_ranges(file, unit, value)
        if unit.lines is not None:
            _clean_lines(file, file.place(".debug_line").start + unit.lines, unit.starts)
    _clean_table(file, {unit.offset for unit in units if unit.starts})
    _clean_frames(file)
    return bytes(file.data)


def _units(file: _Bytes, startup_at_zero: bool) -> Iterator[_Unit]:
    """Cleans .debug_info, unit by unit."""
    info = file.place(".debug_info")
    at = info.start
    while at < info.stop:
        end = at + 4 + file.word(at)
        unit = _Unit(at - info.start, file.number(at + 4, 2))
        if unit.version == 5:
            kind, abbreviations = file.data[at + 6], file.word(at + 8)
            entries = at + 12 + {2: 12, 4: 8, 5: 8, 6: 12}.get(kind, 0)
        else:
            abbreviations, entries = file.word(at + 6), at + 11
        _clean_unit(file, unit, entries, end, _abbreviations(file, abbreviations), startup_at_zero)
        yield unit
        at = end


Abbreviations = dict[int, tuple[int, list[tuple[int, int]]]]


def _abbreviations(file: _Bytes, offset: int) -> Abbreviations:
    """Tag, and attributes with their forms, by code."""
    found: Abbreviations = {}
    code, at = file.leb(file.place(".debug_abbrev").start + offset)
    while code:
        tag, at = file.leb(at)
        at += 1  # whether it has children
        attributes: list[tuple[int, int]] = []
        while True:
            attribute, at = file.leb(at)
            form, at = file.leb(at)
            if form == _FORM_IMPLICIT:
                _, at = file.leb(at)
            if not attribute and not form:
                break
            attributes.append((attribute, form))
        found[code] = tag, attributes
        code, at = file.leb(at)
    return found


def _value(file: _Bytes, form: int, at: int) -> tuple[_Value, int]:
    """An attribute's value, and where the next one is."""
    if form == _FORM_INDIRECT:
        form, at = file.leb(at)
    if form in _FIXED:
        length = _FIXED[form]
        return _Value(form, at, length, file.number(at, length)), at + length
    if form in _NUMBERS:
        number, end = file.leb(at)
        return _Value(form, at, end - at, number), end
    if form == _FORM_STRING:
        end = file.data.index(0, at) + 1
        return _Value(form, at, end - at, 0), end
    count_bytes = _BLOCKS[form]
    length, begin = (file.number(at, count_bytes), at + count_bytes) if count_bytes else file.leb(at)
    return _Value(form, begin, length, 0), begin + length


def _clean_unit(
    file: _Bytes, unit: _Unit, at: int, end: int, abbreviations: Abbreviations, startup_at_zero: bool
) -> None:
    while at < end:
        code, at = file.leb(at)
        if not code:
            continue
        tag, attributes = abbreviations[code]
        values: dict[int, _Value] = {}
        for attribute, form in attributes:
            values[attribute], at = _value(file, form, at)
        if tag == _TAG_COMPILE_UNIT:
            _read_unit(file, unit, values, startup_at_zero)
        if _AT_RANGES in values:
            unit.lists.append(values[_AT_RANGES])
        if not unit.starts:
            _clean_entry(file, unit, tag, values)


def _read_unit(file: _Bytes, unit: _Unit, values: dict[int, _Value], startup_at_zero: bool) -> None:
    unit.addresses = values[_AT_ADDR_BASE].number if _AT_ADDR_BASE in values else unit.addresses
    unit.ranges = values[_AT_RNGLISTS_BASE].number if _AT_RNGLISTS_BASE in values else unit.ranges
    unit.lines = values[_AT_STMT_LIST].number if _AT_STMT_LIST in values else None
    if _AT_LOW_PC in values:
        unit.low_pc = _address(file, unit, values[_AT_LOW_PC])
    unit.starts = startup_at_zero and PurePosixPath(_name(file, unit, values)).name in STARTUP


def _name(file: _Bytes, unit: _Unit, values: dict[int, _Value]) -> str:
    value = values.get(_AT_NAME)
    if value is None:
        return ""
    if value.form == _FORM_STRING:
        return file.text(value.at)
    if value.form in (_FORM_STRP, _FORM_LINE_STRP):
        section = ".debug_str" if value.form == _FORM_STRP else ".debug_line_str"
        return file.text(file.place(section).start + value.number)
    base = values[_AT_STR_OFFSETS_BASE].number if _AT_STR_OFFSETS_BASE in values else 8
    at = file.word(file.place(".debug_str_offsets").start + base + 4 * value.number)
    return file.text(file.place(".debug_str").start + at)


def _address(file: _Bytes, unit: _Unit, value: _Value) -> int:
    return _indexed(file, unit, value.number) if value.form in _ADDRESS_INDICES else value.number


def _indexed(file: _Bytes, unit: _Unit, index: int) -> int:
    return file.word(file.place(".debug_addr").start + unit.addresses + _ADDRESS_BYTES * index)


def _clean_entry(file: _Bytes, unit: _Unit, tag: int, values: dict[int, _Value]) -> None:
    """A function or a block, a label, a variable, or the unit itself."""
    low, high = values.get(_AT_LOW_PC), values.get(_AT_HIGH_PC)
    if low is not None and _address(file, unit, low) == 0:
        if high is not None and high.form not in _ADDRESS_INDICES:
            if high.form in _NUMBERS:
                file.set_leb(high.at, high.at + high.length, 0)
            else:
                file.data[high.at : high.at + high.length] = bytes(high.length)
        if low.form == _FORM_ADDR and (high is not None or tag != _TAG_COMPILE_UNIT):
            file.set_word(low.at, NOWHERE)
    location = values.get(_AT_LOCATION)
    if location is None or location.form not in _BLOCKS or location.length <= _ADDRESS_BYTES:
        return
    if file.data[location.at] == _OP_ADDR and file.word(location.at + 1) == 0:
        file.set_word(location.at + 1, NOWHERE)


def _clean_ranges(file: _Bytes, unit: _Unit, value: _Value) -> None:
    if unit.starts:
        return
    if unit.version < 5:
        _clean_pairs(file, file.place(".debug_ranges").start + value.number, unit.low_pc)
        return
    lists = file.place(".debug_rnglists").start
    offset = value.number
    if value.form == _FORM_RNGLISTX:
        offset = unit.ranges + file.word(lists + unit.ranges + 4 * value.number)
    _clean_list(file, unit, lists + offset)


def _clean_pairs(file: _Bytes, at: int, base: int) -> None:
    """A list of DWARF 4: begin and end, from a base on."""
    while (pair := (file.word(at), file.word(at + 4))) != (0, 0):
        if pair[0] == NOWHERE:
            base = pair[1]
        elif base + pair[0] == 0:
            file.set_word(at, pair[1])  # (0, 0) would be the list's end
        at += 8


def _clean_list(file: _Bytes, unit: _Unit, at: int) -> None:
    """A list of DWARF 5."""
    end_of_list, base_addressx, startx_endx, _, offset_pair, base_address, start_end, start_length = range(8)
    base = unit.low_pc
    while (kind := file.data[at]) != end_of_list:
        at += 1
        if kind in (base_address, start_end, start_length):
            begin, at = file.word(at), at + _ADDRESS_BYTES
        elif kind == offset_pair:
            first, at = file.leb(at)
            begin = base
        else:
            index, at = file.leb(at)
            begin = _indexed(file, unit, index)
        if kind in (base_address, base_addressx):
            base = begin
        elif kind == start_end:
            if begin == 0:
                file.set_word(at, 0)
            at += _ADDRESS_BYTES
        else:
            _, end = file.leb(at)
            if begin == 0 and kind != startx_endx:
                file.set_leb(at, end, first if kind == offset_pair else 0)
            at = end


def _clean_lines(file: _Bytes, at: int, starts: bool) -> None:
    """A line program: sequences at 0 become nothing; of the start-up code the first one is that at 0."""
    end = at + 4 + file.word(at)
    version = file.number(at + 4, 2)
    at += 8 if version >= 5 else 6
    begin = at + 4 + file.word(at)
    opcode_base_at = at + 4 + (5 if version >= 4 else 4)
    opcode_base = file.data[opcode_base_at]
    counts = file.data[opcode_base_at + 1 : opcode_base_at + opcode_base]
    fixed_advance_pc, extended, end_sequence, set_address = 9, 0, 1, 2
    at, address = begin, None
    while at < end:
        opcode = file.data[at]
        at += 1
        if opcode == extended:
            length, at = file.leb(at)
            if file.data[at] == set_address and address is None:
                address = file.word(at + 1)
            ends = file.data[at] == end_sequence
            at += length
            if ends:
                if address == 0 and not starts:
                    file.data[begin:at] = bytes([_LINE_NOTHING]) * (at - begin)
                starts = starts and address != 0
                begin, address = at, None
        elif opcode == fixed_advance_pc:
            at += 2
        elif opcode < opcode_base:
            for _ in range(counts[opcode - 1]):
                _, at = file.leb(at)


def _clean_table(file: _Bytes, starting: set[int]) -> None:
    """.debug_aranges: ranges of each unit, without those at 0. `starting`: offsets of units that may be there."""
    section = file.place(".debug_aranges")
    at = section.start
    while at < section.stop:
        end, unit = at + 4 + file.word(at), file.word(at + 6)
        first = at + 16  # the header, filled up to the size of a pair
        pairs = [(file.word(place), file.word(place + 4)) for place in range(first, end, 8)]
        kept = [pair for pair in pairs if (pair[0] or unit in starting) and pair != (0, 0)]
        for place, pair in zip(range(first, end, 8), kept + [(0, 0)] * (len(pairs) - len(kept)), strict=True):
            file.set_word(place, pair[0])
            file.set_word(place + 4, pair[1])
        at = end


def _clean_frames(file: _Bytes) -> None:
    """.debug_frame; the start-up code has none there."""
    section = file.place(".debug_frame")
    at = section.start
    while at < section.stop:
        if file.word(at + 4) != NOWHERE and file.word(at + 8) == 0:  # the former: not a common part
            file.set_word(at + 12, 0)
        at += 4 + file.word(at)
