# SPDX-License-Identifier: Apache-2.0
"""Strings and constants that several sections have, once.

Each stays in the first section that has it, as GNU ld up to 2.40 does it. Of strings one that is the end of another one
goes into that.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsoc.machine.sparc_ld.objects import SHF_MERGE, SHF_STRINGS, Section


@dataclass(slots=True, eq=False)
class _Entry:
    """A string with its end, or a constant."""

    data: bytes
    alignment: int
    section: Section
    """The first that has it."""
    offset: int = 0
    within: "_Entry | None" = None
    """It is the end of this one."""

    @property
    def address(self) -> int:
        if self.within is not None:
            return self.within.address + len(self.within.data) - len(self.data)
        output = self.section.output
        return (output.address if output is not None else 0) + self.section.offset + self.offset


@dataclass(slots=True, eq=False)
class Merged:
    """What has become of a section."""

    starts: list[int]
    """Where its entries were."""
    entries: list[_Entry]

    def address(self, offset: int) -> int:
        """Where the byte at `offset` of the section is now."""
        index = bisect_right(self.starts, offset) - 1
        return self.entries[index].address + offset - self.starts[index]


def merge(sections: Iterable[Section]) -> None:
    """Merges what can be in sections that have their output section, in the order of linking: their sizes and
    contents."""
    groups: dict[tuple[int, bool, int, int], list[Section]] = {}
    for section in sections:
        if _can_be_merged(section):
            is_text = bool(section.flags & SHF_STRINGS)
            key = id(section.output), is_text, section.entry_bytes, section.alignment
            groups.setdefault(key, []).append(section)
    for (_, is_text, entry_bytes, _), group in groups.items():
        _merge_group(group, is_text, entry_bytes)


def _can_be_merged(section: Section) -> bool:
    entry, alignment = section.entry_bytes, section.alignment
    if not section.flags & SHF_MERGE or not section.size or not entry or section.size % entry or section.relocations:
        return False
    if section.flags & SHF_STRINGS and any(section.contents[-entry:]):
        return False  # the last string has no end
    if entry < alignment:
        return bool(section.flags & SHF_STRINGS) and not entry & (entry - 1)
    return entry % alignment == 0


def _merge_group(group: Sequence[Section], is_text: bool, entry_bytes: int) -> None:
    is_padded = all(section.size % section.alignment == 0 for section in group)
    known: dict[bytes, _Entry] = {}
    order: list[_Entry] = []
    for section in group:
        pieces = _strings(section, entry_bytes) if is_text else _constants(section, entry_bytes)
        merged = Merged([], [])
        for start, data, alignment in pieces:
            entry = known.get(data)
            if entry is not None and entry.alignment < alignment:
                order.remove(entry)  # a copy that is better aligned takes its place
                better = _Entry(data, alignment, section)
                entry.within, known[data] = better, better
                order.append(better)
                entry = better
            elif entry is None:
                entry = known[data] = _Entry(data, alignment, section)
                order.append(entry)
            merged.starts.append(start)
            merged.entries.append(entry)
        section.merged = merged
    if is_text:
        _find_ends(order, entry_bytes, group[0].alignment)
    contents = {id(section): bytearray() for section in group}
    content = contents[id(group[0])]
    for entry in order:
        if entry.within is None:
            content = contents[id(entry.section)]
            content += bytes(-len(content) % entry.alignment)
            entry.offset = len(content)
            content += entry.data
    if is_padded:  # to the alignment, as the sections were that have been merged
        content += bytes(-len(content) % group[0].alignment)
    for section in group:
        section.contents = bytes(contents[id(section)])
        section.size = len(section.contents)


def _strings(section: Section, unit: int) -> Iterable[tuple[int, bytes, int]]:
    """Where each string is, its bytes with its end, and its alignment: that of its place, up to the section's. Zeros
    behind it are the padding in front of the next."""
    contents, end = section.contents, bytes(unit)
    at, has_empty = 0, False
    while at < len(contents):
        stop = contents.index(end, at)
        while (stop - at) % unit:
            stop = contents.index(end, stop + 1)
        stop += unit
        yield at, contents[at:stop], min(at & -at, section.alignment) if at else section.alignment
        at = stop
        while contents[at : at + unit] == end:
            if not has_empty and at % section.alignment == 0:
                has_empty = True
                yield at, end, section.alignment
            at += unit


def _constants(section: Section, size: int) -> Iterable[tuple[int, bytes, int]]:
    for at in range(0, len(section.contents), size):
        yield at, section.contents[at : at + size], 1


def _find_ends(order: Sequence[_Entry], unit: int, alignment: int) -> None:
    """Of strings that end alike, which has all of the others: neighbours, when sorted from their ends, among those
    whose ends are alike aligned."""

    def from_end(entry: _Entry) -> tuple[int, bytes]:
        return (len(entry.data) - unit) & (alignment - 1), entry.data[::-1]

    longest: _Entry | None = None
    for entry in sorted(order, key=from_end, reverse=True):
        if (
            longest is not None
            and longest.alignment >= entry.alignment
            and not (len(longest.data) - len(entry.data)) & (entry.alignment - 1)
            and longest.data.endswith(entry.data)
        ):
            entry.within = longest
        else:
            longest = entry
