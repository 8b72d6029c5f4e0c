# SPDX-License-Identifier: Apache-2.0
"""Relocations of the SPARC linker: each field by the tables of the ABI's SPARC supplement, and what does not fit it."""

from pathlib import Path

import pytest
from elf32 import ALLOC, EXECUTE, MERGE, STRINGS, WRITE, Elf, Part, bss, defined, object_file
from sparc_link import linked

from nsoc.errors import NsocError

R_32, R_DISP32, R_WDISP30, R_WDISP22, R_HI22, R_13, R_LO10, R_UA32 = 3, 6, 7, 8, 9, 11, 12, 23
DATA = ALLOC | WRITE
TEXT_AT, DATA_AT = 0x1000, 0x40012000
ONES, NOTHING = 0xFFFFFFFF, 0


def text(kind: int, symbol: str, addend: int, before: int, offset: int = 8) -> Part:
    """A section with a relocation."""
    content = bytearray(16)
    content[offset : offset + 4] = before.to_bytes(4, "big")
    return Part(".text", bytes(content), relocations=[(offset, kind, symbol, addend)])


def word(elf: Elf, offset: int = 8, section: str = ".text") -> int:
    content = elf.section(section).contents
    assert not any(content[:offset] + content[offset + 4 :]), "the bytes around it stay as they are"
    return int.from_bytes(content[offset : offset + 4], "big")


DATA_PART = Part(".data", bytes(0x400), DATA, alignment=8)
SYMBOLS = [
    defined("_start", ".text"),
    defined("target", ".data", 0x344),  # at 0x40012344
    defined("small", "ABS", 0xFFF),
    defined("least", "ABS", 0xFFFFF000),
    defined("top", "ABS", 0xFFFFFFFC),
]


@pytest.mark.parametrize(
    ("kind", "symbol", "addend", "before", "after"),
    [
        (R_32, "target", 0, ONES, 0x40012344),
        (R_32, "target", -0x45, NOTHING, 0x400122FF),
        (R_32, "top", 8, ONES, 4),  # modulo 2^32
        (R_UA32, "target", 0x10, ONES, 0x40012354),
        (R_DISP32, "target", 0, ONES, 0x40012344 - (TEXT_AT + 8)),
        (R_DISP32, "_start", 0, NOTHING, 0xFFFFFFF8),
        (R_WDISP30, "_start", 0, NOTHING, 0x3FFFFFFE),
        (R_WDISP30, "_start", 0x108, 0x40000000, 0x40000040),  # call
        (R_WDISP30, "target", 0, NOTHING, (0x40012344 - 0x1008) >> 2),
        (R_WDISP30, "top", 0, NOTHING, (0xFFFFFFFC - 0x1008) >> 2 & 0x3FFFFFFF),  # across address 0
        (R_WDISP30, "_start", 4, ONES, 0xFFFFFFFF),
        (R_WDISP30, "_start", 8, ONES, 0xC0000000),
        (R_WDISP22, "_start", 0, NOTHING, 0x003FFFFE),
        (R_WDISP22, "_start", 0x10C, 0x10800000, 0x10800041),  # ba
        (R_WDISP22, "_start", 8, ONES, 0xFFC00000),
        (R_WDISP22, "_start", 8 + 0x7FFFFC, NOTHING, 0x001FFFFF),  # the furthest
        (R_WDISP22, "_start", 8 - 0x800000, NOTHING, 0x00200000),
        (R_HI22, "target", 0, 0x03000000, 0x03100048),  # sethi
        (R_HI22, "target", 0xBC, NOTHING, 0x00100049),  # carries
        (R_HI22, "_start", -0x1000, ONES, 0xFFC00000),
        (R_HI22, "top", 0, NOTHING, 0x003FFFFF),
        (R_LO10, "target", 0, 0x82106000, 0x82106344),  # or
        (R_LO10, "target", 0xBC, ONES, 0xFFFFFC00),
        (R_LO10, "top", 3, NOTHING, 0x3FF),
        (R_13, "small", 0, 0x82106000, 0x82106FFF),
        (R_13, "small", -0xFFF, ONES, 0xFFFFE000),
        (R_13, "least", 0, NOTHING, 0x1000),  # -4096
        (R_13, "least", 0xFFF, NOTHING, 0x1FFF),
    ],
)
def test_the_field_has_the_value_and_all_other_bits_stay(
    tmp_path: Path, kind: int, symbol: str, addend: int, before: int, after: int
) -> None:
    elf = linked(tmp_path, {"a.o": object_file([text(kind, symbol, addend, before), DATA_PART], SYMBOLS)})
    assert f"{word(elf):#x}" == f"{after:#x}"


def test_an_unaligned_word_may_be_anywhere(tmp_path: Path) -> None:
    part = text(R_UA32, "_start", 0, ONES, offset=5)
    assert word(linked(tmp_path, {"a.o": object_file([part], SYMBOLS[:1])}), 5) == TEXT_AT


def test_a_place_and_a_target_count_where_their_sections_come_to_lie(tmp_path: Path) -> None:
    """The second file's sections are behind those of the first one."""
    first = object_file([Part(".text", bytes(0x20), relocations=[(0, R_WDISP30, "f", 0)])], SYMBOLS[:1])
    second = Part(".text", bytes(8), relocations=[(0, R_WDISP30, "_start", 0), (4, R_32, ".text", 4)])
    elf = linked(tmp_path, {"a.o": first, "b.o": object_file([second], [defined("f", ".text", 4)])})
    found = elf.section(".text").contents
    assert found[0:4].hex() == f"{0x24 >> 2:08x}"
    assert found[0x20:].hex() == f"{-0x20 >> 2 & 0x3FFFFFFF:08x}{TEXT_AT + 0x24:08x}"


@pytest.mark.parametrize(
    ("kind", "symbol", "addend", "words"),
    [
        (
            R_WDISP22,
            "_start",
            8 + 0x800000,
            "a.o wants _start at 0x8 by a relocation R_SPARC_WDISP22, for which it is too",
        ),
        (R_WDISP22, "_start", 8 - 0x800004, "R_SPARC_WDISP22, for which it is too far away"),
        (R_WDISP22, "target", 0, "a.o wants target at 0x8"),
        (R_WDISP22, "_start", 2, "R_SPARC_WDISP22, for which it is no multiple of 4"),
        (R_WDISP30, "_start", 1, "R_SPARC_WDISP30, for which it is no multiple of 4"),
        (R_13, "small", 1, "R_SPARC_13, for which it is too large a number"),
        (R_13, "least", -1, "R_SPARC_13, for which it is too large a number"),
        (R_13, "target", 0, "R_SPARC_13"),
        (41, "target", 0, r"\.text of .*a.o has a relocation R_SPARC_WDISP19, which the linker does not know"),
        (13, "target", 0, "R_SPARC_GOT10, .*-fno-pic"),
        (200, "target", 0, "relocation number 200"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(tmp_path: Path, kind: int, symbol: str, addend: int, words: str) -> None:
    content = object_file([text(kind, symbol, addend, 0), DATA_PART], SYMBOLS)
    with pytest.raises(NsocError, match=words) as problem:
        linked(tmp_path, {"a.o": content})
    assert "\n" not in str(problem.value)


def test_a_relocation_behind_the_end_of_its_section_is_refused(tmp_path: Path) -> None:
    part = Part(".text", bytes(8), relocations=[(5, R_UA32, "_start", 0)])
    with pytest.raises(NsocError, match=r"\.text of .*a.o has a relocation behind its end"):
        linked(tmp_path, {"a.o": object_file([part], SYMBOLS[:1])})


def test_type_none_changes_nothing(tmp_path: Path) -> None:
    elf = linked(tmp_path, {"a.o": object_file([text(0, "_start", 5, 0x12345678)], SYMBOLS[:1])})
    assert word(elf) == 0x12345678


def test_a_weak_symbol_that_nobody_defines_is_at_address_0(tmp_path: Path) -> None:
    symbols = [*SYMBOLS[:1], defined("hook", "UND", binding=2)]
    elf = linked(tmp_path, {"a.o": object_file([text(R_32, "hook", 4, ONES)], symbols)})
    assert word(elf) == 4


# ---- What debuggers are told ----


def debug(name: str, *relocations: tuple[int, int, str, int]) -> Part:
    return Part(name, b"\xff" * 16, 0, relocations, alignment=1)


def test_debug_information_is_kept_and_relocated_and_has_no_address(tmp_path: Path) -> None:
    parts = [Part(".text", bytes(8)), debug(".debug_info", (1, R_UA32, ".text", 4), (8, R_UA32, ".debug_line", 2))]
    first = object_file([*parts, debug(".debug_line")], SYMBOLS[:1])
    kept = Part(".text.f", bytes(8))
    second = object_file([kept, parts[1], debug(".debug_line"), parts[0]], [defined("f", ".text.f")])
    user = object_file([Part(".text.g", relocations=[(0, R_32, "f", 0)])], [defined("g", ".text.g")])
    start = Part(".text", bytes(8), relocations=[(0, R_32, "g", 0)])
    elf = linked(
        tmp_path,
        {"a.o": object_file([start, *parts[1:], debug(".debug_line")], SYMBOLS[:1]), "b.o": second, "c.o": user},
    )
    info, line = elf.section(".debug_info"), elf.section(".debug_line")
    assert (info.address, info.size, line.address, line.size) == (0, 32, 0, 32)
    ff = "ff"
    assert info.contents[:16].hex() == f"{ff}{TEXT_AT + 4:08x}{ff * 3}{2:08x}{ff * 4}"
    assert info.contents[16:].hex() == f"{ff}{0:08x}{ff * 3}{16 + 2:08x}{ff * 4}", ".text of b.o is not there"
    assert not any(at > 0x50000000 for at in elf.memory) and len(elf.memory) == 20
    without = linked(tmp_path, {"a.o": first})
    assert without.section(".debug_info").size == 16


def test_a_range_of_code_that_is_not_there_does_not_end_the_list_of_ranges(tmp_path: Path) -> None:
    unused = Part(".text.unused", bytes(8))
    ranges = debug(".debug_ranges", (0, R_UA32, ".text.unused", 0), (4, R_UA32, ".text.unused", 8))
    elf = linked(tmp_path, {"a.o": object_file([Part(".text"), unused, ranges], SYMBOLS[:1])})
    assert elf.section(".debug_ranges").contents[:8].hex() == "0000000100000001"


# ---- Merging ----


def strings(name: str, content: bytes, alignment: int = 1, flags: int = ALLOC | MERGE | STRINGS) -> Part:
    return Part(name, content, flags, alignment=alignment, entry_bytes=1)


def test_a_string_that_several_files_have_is_there_once_and_ends_are_shared(tmp_path: Path) -> None:
    def file(start: str, content: bytes, *offsets: int) -> bytes:
        relocations = [(4 * number, R_32, ".data.str", offset) for number, offset in enumerate(offsets)]
        part = Part(".text", bytes(4 * len(offsets)), relocations=relocations)
        return object_file([part, strings(".data.str", content)], [defined(start, ".text")])

    wants_f = Part(".text.0", relocations=[(0, R_32, "f", 0)])
    elf = linked(
        tmp_path,
        {
            "a.o": file("_start0", b"one\0forty-one\0two\0", 0, 4, 14, 6),
            "b.o": file("f", b"two\0three\0one\0", 0, 4, 10, 1),
            "c.o": object_file(
                [
                    wants_f,
                    Part(
                        ".text",
                        relocations=[
                            (0, R_32, "_start0", 0),
                        ],
                    ),
                ],
                [defined("_start", ".text.0"), defined("other", ".text")],
            ),
            "d.o": object_file([Part(".text")], [defined("unused", ".text")]),
        },
        "ENTRY(_start) SECTIONS { .text : { KEEP(*(.text)) *(.text.0) } .data : { *(.data.*) } }",
    )
    data = elf.section(".data")
    assert data.contents == b"forty-one\0two\0three\0"
    text_words = elf.section(".text").contents
    at = [int.from_bytes(text_words[n : n + 4], "big") - data.address for n in range(0, 32, 4)]

    def string(offset: int) -> bytes:
        return data.contents[offset : data.contents.index(b"\0", offset)]

    assert [string(offset) for offset in at] == [
        b"one",
        b"forty-one",
        b"two",
        b"rty-one",
        b"two",
        b"three",
        b"one",
        b"wo",
    ]
    assert at[0] == at[6] == 6, "'one' is the end of 'forty-one'"


def test_strings_keep_their_alignment(tmp_path: Path) -> None:
    """An end of a string that is not aligned as the string wants is no place for it."""
    relocations = [(0, R_32, ".data.s", 0), (4, R_32, ".data.s", 8), (8, R_32, ".data.s", 16)]
    part = Part(".text", bytes(12), relocations=relocations)
    content = b"".join(piece.ljust(8, b"\0") for piece in (b"abcd", b"cd", b"0123abcd", b""))
    elf = linked(tmp_path, {"a.o": object_file([part, strings(".data.s", content, 4)], SYMBOLS[:1])})
    at = [int.from_bytes(elf.section(".text").contents[n : n + 4], "big") for n in (0, 4, 8)]
    assert all(place % 4 == 0 for place in at)
    data = elf.section(".data")
    found = [data.contents[place - data.address :].split(b"\0")[0] for place in at]
    assert found == [b"abcd", b"cd", b"0123abcd"]
    assert at[0] == at[2] + 4
    assert data.size % 4 == 0, "all of it was padded"


def test_strings_of_wider_characters_end_with_a_wide_zero(tmp_path: Path) -> None:
    content = b"\0a\1\0\0\0" + b"\1\0\0\0" + b"\0a\1\0\0\0"
    wide = Part(".data.w", content, ALLOC | MERGE | STRINGS, alignment=2, entry_bytes=2)
    relocations = [(0, R_32, ".data.w", 0), (4, R_32, ".data.w", 6), (8, R_32, ".data.w", 10)]
    elf = linked(tmp_path, {"a.o": object_file([Part(".text", bytes(12), relocations=relocations), wide], SYMBOLS[:1])})
    data = elf.section(".data")
    assert data.contents == content[:6]
    assert elf.section(".text").contents.hex() == "".join(f"{data.address + by:08x}" for by in (0, 2, 0))
    loose = Part(".data.w", content[:6] + b"\0\0" + content[:6], wide.flags, alignment=4, entry_bytes=2)
    text = Part(".text", relocations=[(0, R_32, ".data.w", 8)])
    elf = linked(tmp_path, {"a.o": object_file([text, loose], SYMBOLS[:1])})
    assert elf.section(".data").contents.startswith(content[:6])
    assert elf.section(".text").contents.hex() == f"{elf.section('.data').address:08x}"


def test_constants_are_there_once(tmp_path: Path) -> None:
    parts = [
        Part(".data.cst8", bytes(7) + b"\1" + bytes(7) + b"\2" + bytes(7) + b"\1", ALLOC | MERGE, (), 8, entry_bytes=8),
        Part(".text", bytes(8), relocations=[(0, R_32, ".data.cst8", 16), (4, R_32, ".data.cst8", 12)]),
    ]
    elf = linked(tmp_path, {"a.o": object_file(parts, SYMBOLS[:1])})
    data = elf.section(".data")
    assert (data.size, data.contents) == (16, bytes(7) + b"\1" + bytes(7) + b"\2")
    assert elf.section(".text").contents.hex() == f"{data.address:08x}{data.address + 12:08x}"


def test_what_has_relocations_or_another_output_section_is_not_merged(tmp_path: Path) -> None:
    same = b"one\0"
    with_relocation = strings(".data.a", same)
    parts = [
        Part(
            ".text",
            bytes(12),
            relocations=[(4 * n, R_32, name, 0) for n, name in enumerate((".data.a", ".bss", ".data.b"))],
        ),
        Part(with_relocation.name, same, with_relocation.flags, [(0, 0, "_start", 0)], entry_bytes=1, alignment=1),
        strings(".data.b", same),
        strings(".bss", same),
    ]
    script = "ENTRY(_start) SECTIONS { .text : { *(.text) } .data : { *(.data.*) } .other : { *(.bss) } }"
    elf = linked(tmp_path, {"a.o": object_file(parts, SYMBOLS[:1])}, script)
    assert elf.section(".data").contents == 2 * same, "one has a relocation"
    assert elf.section(".other").contents == same


# ---- Collection ----


def test_only_what_the_entry_leads_to_is_part_of_the_program(tmp_path: Path) -> None:
    parts = [
        Part(".text.start", relocations=[(0, R_WDISP30, "a", 0)]),
        Part(".text.a", b"a...", relocations=[(0, 0, "b", 0)]),
        Part(".text.b", b"b..."),
        Part(".text.c", b"c...", relocations=[(0, R_32, "nowhere", 0)]),
        bss(".bss", 64),
    ]
    symbols = [defined("_start", ".text.start"), *(defined(name, f".text.{name}") for name in "abc")]
    elf = linked(tmp_path, {"a.o": object_file(parts, symbols)})
    assert elf.section(".text").contents[4:] == b"a...b...", "c and the symbol that it wants are gone"
    assert {symbol.name for symbol in elf.symbols if symbol.binding} == {"_start", "a", "b"}
    assert [section.name for section in elf.sections if section.flags & EXECUTE] == [".text"]
