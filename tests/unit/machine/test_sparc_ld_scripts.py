# SPDX-License-Identifier: Apache-2.0
"""Linker scripts of the SPARC linker: each directive does what GNU ld's manual says, and what is none is refused. The
scripts of firmware/ are read as they are."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from elf32 import (
    ALLOC,
    EXECUTE,
    LOCAL,
    MERGE,
    NOBITS,
    STRINGS,
    WRITE,
    Elf,
    Part,
    Symbol,
    archive,
    bss,
    defined,
    object_file,
)
from runs import seeds
from sparc_link import PLAIN, linked

from nsoc.errors import NsocError
from nsoc.machine import memory_map
from nsoc.machine.build import checkout

FIRMWARE = checkout() / "firmware"
ROM, DRAM = memory_map.BOOT_ROM_BASE, memory_map.DRAM_BASE
DATA = ALLOC | WRITE
R_32 = 3
PT_LOAD = 1


def start(*wanted: str, name: str = ".text", symbol: str = "_start") -> Part:
    """Text that wants these symbols, four bytes each."""
    relocations = [(4 * number, R_32, want, 0) for number, want in enumerate(wanted)]
    return Part(name, bytes(4 * max(len(wanted), 1)), relocations=relocations)


def program(*wanted: str, parts: tuple[Part, ...] = (), symbols: tuple[Symbol, ...] = ()) -> bytes:
    """An object file whose entry wants these symbols, sections by their names too."""
    return object_file([start(*wanted), *parts], [defined("_start", ".text"), *symbols])


def in_sections(text: str, ahead: str = "") -> str:
    return f"ENTRY(_start) {ahead} SECTIONS {{ {text} }}"


MEMORY = "MEMORY { a (rx) : ORIGIN = 0x100, LENGTH = 1K  b : org = 0x2000, len = 0x400 }"
PHDRS = "PHDRS { x PT_LOAD FLAGS(5); y PT_LOAD; }"


# ---- The scripts of the firmware ----


def firmware_program(tmp_path: Path, place: str, *, content: bytes) -> Elf:
    lib = FIRMWARE / "lib"
    own = FIRMWARE / "apps" / "monitor" / "place.ld" if place == "monitor" else lib / f"place_{place}.ld"
    script = (lib / "link.ld").read_text(encoding="utf-8")
    included = {"memory_map": lib / "memory_map.ld", "place": own}
    texts = {name: path.read_text(encoding="utf-8") for name, path in included.items()}
    others = [Part(".bss", b"", DATA, kind=NOBITS, size=36), Part(".text", b"netif", ALLOC | EXECUTE, alignment=1)]
    netif = object_file(others, [defined("netif", ".bss"), defined("netif_text", ".text")])
    return linked(tmp_path, {"start.o": content, "d/nic_netif.o": netif}, script, **texts)


FIRMWARE_PARTS = (
    Part(".text.dram.f", b"seldom__", alignment=8),
    Part(".text.0start", b"zero"),
    Part(".text.hot.g", b"hot_"),
    Part(".rodata.str", b"constant", ALLOC),
    Part(".secret", bytes(16), ALLOC),
    Part(".data.x", b"variable-1", DATA),
    bss(".bss.y", 40, 32),
    bss(".noinit.z", 12, 8),
    bss(".bss.hot", 4),
    Part(".comment", b"made by", 0, alignment=1),
)
FIRMWARE_WANTS = (
    *(part.name for part in FIRMWARE_PARTS[:-1] if part.name != ".text.0start"),
    "netif", "netif_text", "__stack_top", "__data_start", "__data_end", "__data_load", "__bss_start", "__bss_end",
    "__noinit_end",
)  # fmt: skip


@pytest.mark.parametrize(
    ("place", "code", "data"),
    [("rom", ROM, DRAM), ("dram", DRAM, DRAM), ("monitor", ROM, DRAM + memory_map.DRAM_BYTES - (1 << 20))],
)
def test_the_scripts_of_the_firmware_place_a_program(tmp_path: Path, place: str, code: int, data: int) -> None:
    elf = firmware_program(tmp_path, place, content=program(*FIRMWARE_WANTS, parts=FIRMWARE_PARTS))
    found = {section.name: section for section in elf.sections}
    assert ".comment" not in found
    assert found[".dram"].address == data and found[".dram"].contents == b"seldom__"
    text = found[".text"]
    assert text.address == code + (8 if code == data else 0)
    assert text.contents.startswith(b"zerohot_") and text.contents.endswith(b"netif")
    assert len(text.contents) == 8 + 4 * len(FIRMWARE_WANTS) + 5
    rodata, secret, variables = found[".rodata"], found[".secret"], found[".data"]
    assert rodata.address == -(-(text.address + text.size) // 8) * 8 and rodata.contents == b"constant"
    assert (secret.address, secret.size) == (rodata.address + 8, 16)
    behind = secret.address + 16
    assert variables.address == (behind if code == data else data + 8)
    assert variables.contents == b"variable-1".ljust(16, b"\0")
    hot, unset, noinit = found[".hot"], found[".bss"], found[".noinit"]
    assert {hot.kind, unset.kind, noinit.kind} == {NOBITS}
    assert (hot.address, hot.size) == (data + 0x2000, 40), "hot variables and nic_netif.o's"
    assert (unset.address, unset.size) == (data + 0x2040, 40)
    assert (noinit.address, noinit.size) == (data + 0x2068, 16)
    symbols = {symbol.name: symbol.value for symbol in elf.symbols}
    assert symbols["__stack_top"] == data + (1 << 20)
    assert (symbols["__data_start"], symbols["__data_end"]) == (variables.address, variables.address + 16)
    assert symbols["__data_load"] == behind
    assert (symbols["__bss_start"], symbols["__bss_end"]) == (unset.address, unset.address + 40)
    assert symbols["__noinit_end"] == noinit.address + 16
    assert elf.memory == {
        at + number: byte
        for at, section in (
            (data, found[".dram"]), (text.address, text), (rodata.address, rodata), (secret.address, secret),
            (behind, variables),
        )
        for number, byte in enumerate(section.contents)
    } | ({at: 0 for at in range(text.address + text.size, rodata.address)})  # fmt: skip
    flags = [(segment[2], segment[6]) for segment in elf.segments]
    assert flags == [(data, 5), (text.address, 5), (variables.address, 6)]
    words = [int.from_bytes(text.contents[at : at + 4], "big") for at in range(8, len(text.contents) - 5, 4)]
    assert words[-7] == DRAM + (1 << 20) if place != "monitor" else data + (1 << 20)
    assert words[FIRMWARE_WANTS.index("netif")] == hot.address + 4


def test_a_program_without_hot_data_has_no_gap_for_it(tmp_path: Path) -> None:
    parts = (Part(".data", b"data", DATA), bss(".bss", 4))
    content = object_file([start(".data", ".bss", name=".text.0start"), *parts], [defined("_start", ".text.0start")])
    elf = firmware_program(tmp_path, "rom", content=content)
    assert ".hot" not in {section.name for section in elf.sections}
    assert elf.section(".bss").address == DRAM + 8


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            (Part(".rodata", bytes(0x10000), ALLOC),),
            r"\.rodata does not fit in the memory region rom: it is 24 bytes too",
        ),
        (
            (Part(".data", bytes(0xFFF0), DATA),),
            r"\.data does not fit in the memory region rom: it is 8 bytes too large",
        ),
        ((bss(".bss", 0x10000004),), r"\.bss does not fit in the memory region dram"),
        ((bss(".noinit", 0xF0004),), r"link.ld:\d+: ASSERT: what lies in DRAM leaves less than 64 KB"),
    ],
)
def test_a_program_that_is_too_large_is_refused(tmp_path: Path, parts: tuple[Part, ...], words: str) -> None:
    with pytest.raises(NsocError, match=words.replace("link.ld", "script.ld")):
        firmware_program(tmp_path, "rom", content=program_with(parts))


def program_with(parts: tuple[Part, ...]) -> bytes:
    """Its text is 20 bytes long, and wants these parts."""
    wants = [(4 * number, R_32, part.name, 0) for number, part in enumerate(parts)]
    text = Part(".text.0start", bytes(20), relocations=wants)
    return object_file([text, *parts], [defined("_start", ".text.0start")])


@pytest.mark.parametrize("script", ["pnic/lib/link.ld", "../tests/support/cpu/programs/link.ld"])
def test_the_other_scripts_of_the_tree_are_read(tmp_path: Path, script: str) -> None:
    text = (FIRMWARE / script).read_text(encoding="utf-8")
    files = {"a.o": program(".data", parts=(Part(".data", b"data", DATA),))}
    elf = linked(tmp_path, files, text, places="__scratchpad = 0x40000000;")
    assert elf.symbol("_start").value == 0
    assert elf.memory[0x40000000] == ord("d")


# ---- One directive each ----


def test_a_semicolon_may_stand_alone(tmp_path: Path) -> None:
    script = in_sections("; .text : { ; *(.text) ; } ; ").replace("_start)", "_start);")
    assert linked(tmp_path, {"a.o": program()}, script).section(".text").size == 4


def test_entry_says_where_the_program_begins(tmp_path: Path) -> None:
    content = object_file([Part(".text", bytes(16))], [defined("go", ".text", 8)])
    assert linked(tmp_path, {"a.o": content}, PLAIN.replace("_start", "go")).entry == 0x1008
    with pytest.raises(NsocError, match="nobody defines _start, where the linker script lets the program begin"):
        linked(tmp_path, {"a.o": content})


def test_include_reads_another_script_there(tmp_path: Path) -> None:
    script = in_sections("INCLUDED", "INCLUDE other.ld").replace("SECTIONS { INCLUDED }", "INCLUDE sections.ld")
    elf = linked(
        tmp_path,
        {"a.o": program()},
        script,
        other="base = 0x300;",
        sections="SECTIONS { . = base; .text : { *(.text) } }",
    )
    assert elf.section(".text").address == 0x300


def test_memory_has_regions_and_aliases_that_sections_fill(tmp_path: Path) -> None:
    ahead = MEMORY + 'REGION_ALIAS("c", a) MEMORY { d : ORIGIN = ORIGIN(b) + LENGTH(b) - 0x10, LENGTH = 16 }'
    text = ".text : { *(.text) } > c  .data : { *(.data) } > d .more : { *(.more) } > a l = ORIGIN(c) + LENGTH(a);"
    parts = (Part(".data", b"data", DATA), Part(".more", b"more"))
    elf = linked(tmp_path, {"a.o": program(".data", ".more", parts=parts)}, in_sections(text, ahead))
    assert [elf.section(name).address for name in (".text", ".data", ".more")] == [0x100, 0x23F0, 0x108]
    assert elf.symbol("l").value == 0x500


def test_phdrs_have_flags_and_sections_stay_in_the_segment_of_the_one_before(tmp_path: Path) -> None:
    text = (
        ".text : { *(.text) } > a :x  .more : { *(.more) } > a  .data : { *(.data) } > b :y "
        ".bss (NOLOAD) : { *(.bss) } > b :NONE .last (NOLOAD) : { *(.last) } > b"
    )
    parts = (Part(".more", b"more"), Part(".data", b"data", DATA), bss(".bss", 8), bss(".last", 8))
    elf = linked(
        tmp_path, {"a.o": program(*(part.name for part in parts), parts=parts)}, in_sections(text, MEMORY + PHDRS)
    )
    assert [(segment[0], *segment[2:7]) for segment in elf.segments] == [
        (PT_LOAD, 0x100, 0x100, 20, 20, 5),
        (PT_LOAD, 0x2000, 0x2000, 4, 4, 6),
    ]


def test_a_segment_is_larger_in_memory_by_what_the_file_has_not(tmp_path: Path) -> None:
    text = ".text : { *(.text) } > a :x .data : { *(.data) } > b :y .bss : { *(.bss) } > b"
    parts = (Part(".data", b"data", DATA), bss(".bss", 24, 16))
    elf = linked(tmp_path, {"a.o": program(".data", ".bss", parts=parts)}, in_sections(text, MEMORY + PHDRS))
    assert elf.segments[1][2:6] == (0x2000, 0x2000, 4, 0x28)


def test_keep_keeps_what_nobody_wants(tmp_path: Path) -> None:
    parts = (Part(".text.a", b"a..."), Part(".text.b", b"b..."), Part(".text.c", b"c..."))
    files = {"a.o": program(parts=(*parts[:1], Part(".text.b", b"b...", relocations=[(0, 0, ".text.c", 0)]), parts[2]))}
    script = in_sections(".text : { *(.text) KEEP(*(.text.b)) *(.text.*) }")
    assert linked(tmp_path, files, script).section(".text").contents[4:] == b"b...c..."


def test_at_says_where_a_section_is_loaded(tmp_path: Path) -> None:
    text = (
        ".text : { *(.text) } > a :x .data : ALIGN(8) { *(.data) } > b AT > a :y load = LOADADDR(.data);"
        ".more : AT(ADDR(.text) + 0x80) { *(.more) } > b :z there = LOADADDR(.more); size = SIZEOF(.data);"
    )
    parts = (Part(".data", b"12345", DATA, alignment=1), Part(".more", b"more"))
    script = in_sections(text, MEMORY + PHDRS.replace("}", "z PT_LOAD; }"))
    elf = linked(tmp_path, {"a.o": program(".data", ".more", "load", parts=parts)}, script)
    assert [(s[2], s[3]) for s in elf.segments] == [(0x100, 0x100), (0x2000, 0x110), (0x2008, 0x180)]
    assert [elf.symbol(name).value for name in ("load", "there", "size")] == [0x110, 0x180, 5]
    assert [elf.memory[at] for at in (0x110, 0x180)] == [ord("1"), ord("m")]
    assert elf.section(".text").contents[8:] == bytes.fromhex("00000110")


def test_a_segment_lies_in_the_file_as_far_from_a_multiple_of_its_alignment_as_in_memory(tmp_path: Path) -> None:
    text = ".text : { *(.text) } > a :x  .data : { *(.data) *(.more) } > b :y"
    parts = (Part(".data", b"data", DATA, alignment=64), Part(".more", b"more", DATA, alignment=1 << 13))
    ahead = MEMORY.replace("0x400", "64K") + PHDRS
    elf = linked(tmp_path, {"a.o": program(".data", ".more", parts=parts)}, in_sections(text, ahead))
    assert [segment[7] for segment in elf.segments] == [4, 4096]
    assert all(segment[1] % segment[7] == segment[2] % segment[7] for segment in elf.segments)
    assert elf.section(".data").size == (1 << 13) + 4 and elf.memory[0x2000] == ord("d")


def test_noload_has_no_contents(tmp_path: Path) -> None:
    parts = (Part(".data", b"data", DATA),)
    script = in_sections(".text : { *(.text) } .data (NOLOAD) : { *(.data) }")
    elf = linked(tmp_path, {"a.o": program(".data", parts=parts)}, script)
    assert elf.section(".data").kind == NOBITS and len(elf.memory) == 4


def test_assert_ends_linking_with_its_message(tmp_path: Path) -> None:
    script = in_sections('.text : { *(.text) }\n ASSERT(. <= 8 && end == 4, "too long")\n end = .; ')
    assert linked(tmp_path, {"a.o": program()}, script).symbol("end").value == 4, "a symbol may be defined behind it"
    for wrong in (
        script.replace("8", "3"),
        script.replace("4", "5"),
        script.replace(".text)", '.text) ASSERT(0, "too long")'),
    ):
        with pytest.raises(NsocError, match=r"script.ld:\d: ASSERT: too long"):
            linked(tmp_path, {"a.o": program()}, wrong)


def test_common_symbols_have_the_largest_size_and_alignment(tmp_path: Path) -> None:
    first = program("c", "d", symbols=(defined("c", "COMMON", 16, 4), defined("d", "COMMON", 1, 3)))
    second = object_file([Part(".text.x")], [defined("c", "COMMON", 4, 40), defined("x", ".text.x")])
    elf = linked(tmp_path, {"a.o": first, "b.o": second})
    c, d = elf.symbol("c"), elf.symbol("d")
    assert (c.size, c.value % 16, d.size) == (40, 0, 3)
    assert (c.section, d.section) == (".data", ".data") and not range(c.value, c.value + 40).count(d.value)
    third = object_file([Part(".data", b"real", DATA)], [defined("c", ".data", size=4)])
    elf = linked(tmp_path, {"a.o": first, "b.o": second, "c.o": third})
    assert elf.symbol("c").size == 4 and elf.section(".data").contents[:4] == b"real"


def test_provide_is_for_who_wants_it_and_has_it_not(tmp_path: Path) -> None:
    symbols = (defined("has", ".text", 4),)
    text = ". = 0x1000; .text : { *(.text) PROVIDE(wants = . + 4); PROVIDE(has = .); PROVIDE(nobody = .); }"
    elf = linked(tmp_path, {"a.o": program("wants", "has", symbols=symbols)}, in_sections(text))
    assert elf.section(".text").contents.hex() == f"{0x100C:08x}{0x1004:08x}"
    assert not [symbol for symbol in elf.symbols if symbol.name == "nobody"]


def test_a_symbol_of_the_script_goes_before_that_of_a_file(tmp_path: Path) -> None:
    elf = linked(tmp_path, {"a.o": program("f", symbols=(defined("f", ".text"),))}, "f = 0x77; " + PLAIN)
    assert elf.section(".text").contents.hex() == "00000077" and elf.symbol("f").value == 0x77


def test_align_moves_the_location_counter_and_sections(tmp_path: Path) -> None:
    parts = tuple(Part(f".{name}", bytes(3), DATA, alignment=1) for name in "abc")
    text = (
        ". = 0x1001; .text : { *(.text) } . = ALIGN(0x100); "
        ".a : { *(.a) . = ALIGN(8); mark = .; *(.b) here = ALIGN(2); } "
        ".c : ALIGN(32) { *(.c) } up = ALIGN(0x1235, 4 * 4); rest = ALIGN(. + 1, 64);"
    )
    elf = linked(tmp_path, {"a.o": program(".a", ".b", ".c", parts=parts)}, in_sections(text))
    assert [elf.section(name).address for name in (".text", ".a", ".c")] == [0x1004, 0x1100, 0x1120]
    assert [elf.symbol(name).value for name in ("mark", "here", "up", "rest")] == [0x1108, 0x110C, 0x1240, 0x1140]


def test_sections_go_to_the_first_pattern_that_fits_in_the_order_of_linking(tmp_path: Path) -> None:
    def file(letter: str) -> bytes:
        names = (f".text.{letter}2", f".text.{letter}1", ".text.z", ".text.aaa")
        parts = [Part(name, f"{letter}{name[-2:]}.".encode()[:4]) for name in names]
        return object_file([*parts, start(*names, name=".text")], [defined(f"start_{letter}", ".text")])

    files = {"x/one.o": file("b"), "two.o": file("a")}
    text = "*/one.o(.text.z) *(.text.[a-b]1 .text.?2) *(.text.*) *(.nothing)"
    begin = object_file([start("start_a", "start_b", name=".text.begin")], [defined("_start", ".text.begin")])
    elf = linked(tmp_path, {**files, "c.o": begin}, in_sections(f"t : {{ {text} }} .t : {{ *(.text) }}"))
    found = elf.section("t").contents
    assert found[:20] == b"b.z." + b"bb2." + b"bb1." + b"aa2." + b"aa1."
    assert found[20:32] == b"baa." + b"a.z." + b"aaa." and len(found) == 40


def test_what_is_discarded_may_not_be_wanted(tmp_path: Path) -> None:
    parts = (Part(".extra", b"data", DATA),)
    script = PLAIN.replace(".data :", "/DISCARD/ : { *(.extra) } .data :")
    assert linked(tmp_path, {"a.o": program(parts=parts)}, script)
    with pytest.raises(NsocError, match=r"\.text of .*/a.o wants \.extra of .*/a.o, which the linker script discards"):
        linked(tmp_path, {"a.o": program(".extra", parts=parts)}, script)
    with pytest.raises(NsocError, match=r"the linker script has no place for the section \.extra of .*/a.o"):
        linked(tmp_path, {"a.o": program(".extra", parts=parts)})


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3 - 8 / 2", 3), ("(1 + 2) * 3 % 5", 4), ("0x10 | 1 << 3", 24), ("0xFF & ~0xF", 0xF0),
        ("-1 + 2K", 2047),
        ("1 == 1 && 2 != 2 || 3 < 4", 1), ("!(3 >= 4) + (2 <= 2) + (5 > 4)", 3), ("1M >> 4", 0x10000),
        ("10 - 4 - 3", 3), ("!5", 0), ("7 / 2 * 2", 6), ("1 && 0", 0), ("later + 1", 6),
    ],
)  # fmt: skip
def test_expressions_are_those_of_c(tmp_path: Path, expression: str, value: int) -> None:
    elf = linked(tmp_path, {"a.o": program()}, f"s = {expression}; {PLAIN} later = 5;")
    assert elf.symbol("s").value == value


def test_a_symbol_of_a_file_has_its_address_in_an_expression(tmp_path: Path) -> None:
    elf = linked(tmp_path, {"a.o": program("s", symbols=(defined("f", ".text", 4),))}, "s = f - _start; t = f;" + PLAIN)
    assert (elf.symbol("s").value, elf.symbol("t").value) == (4, 0x1004)


# ---- Symbols and archives ----


def test_a_weak_definition_gives_way(tmp_path: Path) -> None:
    weak = object_file([Part(".text", b"weak")], [defined("f", ".text", binding=2)])
    strong = object_file([Part(".text", b"real")], [defined("f", ".text")])
    for files in ({"a.o": program("f"), "w.o": weak, "s.o": strong}, {"a.o": program("f"), "s.o": strong, "w.o": weak}):
        assert linked(tmp_path, files).section(".text").contents[4:] == b"real"
    assert linked(tmp_path, {"a.o": program("f"), "w.o": weak}).section(".text").contents[4:] == b"weak"


def test_a_wish_counts_when_one_of_several_is_strong(tmp_path: Path) -> None:
    strong = object_file([start("f", name=".text.x")], [defined("x", ".text.x")])
    entry = object_file([start("a", "x")], [defined("_start", ".text")])
    weak = object_file([start("f", name=".text.a")], [defined("a", ".text.a"), defined("f", "UND", binding=2)])
    library = archive({"f.o": object_file([Part(".text", b"f...")], [defined("f", ".text")])})
    for files in ({"w.o": weak, "s.o": strong}, {"s.o": strong, "w.o": weak}):
        with pytest.raises(NsocError, match="nobody defines f"):
            linked(tmp_path, {"e.o": entry, **files})
        assert linked(tmp_path, {"e.o": entry, **files, "l.a": library}).symbol("f").section == ".text"


@pytest.mark.parametrize(("binding", "size"), [(1, 4), (2, 8)])
def test_a_common_symbol_gives_way_to_a_definition_that_is_not_weak(tmp_path: Path, binding: int, size: int) -> None:
    """In either order."""
    has = object_file([Part(".data", b"real", DATA)], [defined("c", ".data", 0, 4, binding)])
    common = object_file([Part(".text.x")], [defined("c", "COMMON", 4, 8), defined("x", ".text.x")])
    entry = object_file([start("c")], [defined("_start", ".text")])
    for files in ({"h.o": has, "c.o": common}, {"c.o": common, "h.o": has}):
        assert linked(tmp_path, {"e.o": entry, **files}).symbol("c").size == size


def test_local_symbols_of_the_same_name_are_different(tmp_path: Path) -> None:
    def file(name: str, number: int) -> bytes:
        part = Part(".text", bytes(8), relocations=[(0, R_32, "own", 0), (4, R_32, "other", 0)])
        return object_file([part], [defined("own", ".text", number, binding=LOCAL), defined(name, ".text")])

    files = {"a.o": file("_start", 4), "b.o": file("other", 0)}
    assert linked(tmp_path, files).section(".text").contents.hex() == "00001004" + 3 * "00001008"


def test_members_of_an_archive_are_linked_when_they_are_wanted(tmp_path: Path) -> None:
    one = object_file([Part(".text", b"one.", relocations=[(0, 0, "two", 0)])], [defined("one", ".text")])
    two = object_file([Part(".text", b"two.")], [defined("two", ".text", binding=2, visibility=2)])
    again = object_file([Part(".text", b"bad.")], [defined("_start", ".text"), defined("unwanted", ".text")])
    library = archive({"two_has_a_long_name.o": two, "again.o": again, "one.o": one + b"\0"})
    elf = linked(tmp_path, {"a.o": program("one"), "lib.a": library})
    assert elf.section(".text").contents[4:] == b"one.two."
    weak = object_file([start("one")], [defined("_start", ".text"), defined("one", "UND", binding=2)])
    assert linked(tmp_path, {"a.o": weak, "lib.a": library}).section(".text").size == 4, "a weak wish is none"
    wants = {"wants_with_a_long_name.o": object_file([start("zero")], [defined("one", ".text")])}
    with pytest.raises(NsocError, match=r"zero, which \.text of lib\.a\(wants_with_a_long_name\.o\) wants"):
        linked(tmp_path, {"a.o": program("one"), "lib.a": archive({"other_with_a_long_name.o": two, **wants})})
    damaged = {"a.o": program("one"), "lib.a": library[:-8]}
    with pytest.raises(NsocError, match=r"lib\.a is truncated or damaged"):
        linked(tmp_path, damaged)


# ---- Bad input ----

GOOD = program()


def with_byte(content: bytes, at: int, byte: int) -> bytes:
    return content[:at] + bytes([byte]) + content[at + 1 :]


def little(content: bytes) -> bytes:
    return with_byte(with_byte(with_byte(content, 5, 1), 18, content[19]), 19, content[18])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            little(object_file([start()], machine=243)),
            "bad.o is for 32-bit little-endian RISC-V: compile it for SPARC V8",
        ),
        (little(GOOD), "bad.o is for 32-bit little-endian SPARC"),
        (with_byte(GOOD, 4, 2), "bad.o is for 64-bit big-endian SPARC"),
        (object_file([start()], machine=43), "bad.o is for 32-bit big-endian SPARC V9"),
        (object_file([start()], machine=18), r"bad.o is for 32-bit big-endian SPARC V8\+"),
        (object_file([start()], machine=999), "bad.o is for 32-bit big-endian machine 999"),
        (with_byte(GOOD, 17, 2), "bad.o is linked already"),
        (b"int main(void);" * 8, "bad.o is no object file"),
        (b"", "bad.o is no object file"),
        (GOOD[:51], "bad.o is no object file"),
        (GOOD[:90], "bad.o is truncated or damaged"),
        (GOOD[:-20], "bad.o is truncated or damaged"),
        (object_file([Part(".group", kind=17)]), "bad.o has a section group"),
        (
            object_file([start()], [defined("f", "ABS")]).replace(b"\xff\xf1", b"\xff\xf3"),
            "bad.o has a symbol 'f' in section 0xfff3, which is none",
        ),
        (object_file([Part(".rel.text", kind=9)]), "bad.o has relocations without addends"),
    ],
)
def test_a_file_that_is_no_object_of_sparc_v8_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(NsocError, match=words) as problem:
        linked(tmp_path, {"a.o": GOOD, "bad.o": content})
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("seed", seeds(3, 40))
def test_a_damaged_object_file_is_linked_or_refused_in_a_sentence(tmp_path: Path, seed: int) -> None:
    """Seeded: some bytes are others, sometimes the end is missing."""
    parts = (
        Part(".text.f", bytes(16), relocations=[(0, 7, "_start", 0), (4, 9, ".data", 4), (8, R_32, ".data.s", 2)]),
        Part(".data", bytes(16), DATA),
        Part(".data.s", b"one\0two\0", ALLOC | MERGE | STRINGS, alignment=1, entry_bytes=1),
        bss(".bss", 8),
        Part(".debug_info", bytes(8), 0, [(0, 23, ".text.f", 0)]),
    )
    good = program("f", "c", parts=parts, symbols=(defined("f", ".text.f"), defined("c", "COMMON", 4, 8)))
    text = ".text : { *(.text .text.*) } > r .data : { *(.data .data.*) *(.bss COMMON) } > r"
    script = in_sections(text, "MEMORY { r : ORIGIN = 0, LENGTH = 64K }")
    rng = random.Random(seed)
    refused = 0
    for _ in range(100):
        content = bytearray(good)
        for _ in range(rng.choice((1, 1, 2, 4))):
            content[rng.randrange(len(content))] = rng.choice((0, 1, 255, rng.randrange(256)))
        if rng.random() < 0.05:
            del content[rng.randrange(len(content)) :]
        try:
            linked(tmp_path, {"a.o": bytes(content)}, script)
        except NsocError as problem:
            assert "\n" not in str(problem)
            refused += 1
    assert 10 < refused < 90


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.o": program("nowhere")}, r"nobody defines nowhere, which \.text of .*/a.o wants$"),
        ({"a.o": program(*"abcdefg")}, r"nobody defines a, .*, e, which \.text of .*/a.o wants, and 2 more symbols"),
        (
            {"a.o": program(symbols=(defined("f", ".text"),)), "b.o": object_file([start()], [defined("f", ".text")])},
            "the symbol f is defined twice, in .*/a.o and in .*/b.o",
        ),
    ],
)  # fmt: skip
def test_symbols_that_nobody_or_two_define_are_named(tmp_path: Path, files: Mapping[str, bytes], words: str) -> None:
    with pytest.raises(NsocError, match=words):
        linked(tmp_path, files)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    from nsoc.machine.sparc_ld import link

    (tmp_path / "s.ld").write_text(PLAIN, encoding="utf-8")
    with pytest.raises(NsocError, match=r"cannot read .*missing\.o: No such file"):
        link([tmp_path / "missing.o"], tmp_path / "s.ld", [])
    with pytest.raises(NsocError, match=r"cannot read the linker script .*missing\.ld: No such file"):
        link([], tmp_path / "missing.ld", [])


REGION = "\nMEMORY { a : ORIGIN = 0, LENGTH = 4 }"
IN_SECTIONS = "\nSECTIONS {\n  .text : { *(.text) }\n"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("\nOUTPUT_ARCH(sparc)", "script.ld:2: the linker does not know the directive OUTPUT_ARCH"),
        ("\n\nVERSION { }", "script.ld:3: the linker does not know the directive VERSION"),
        (f"{IN_SECTIONS} OVERLAY : {{ }} }}", "script.ld:4: the linker does not know OVERLAY"),
        (f"{IN_SECTIONS} .x : {{ BYTE(4) }} }}", "script.ld:4: the linker does not know BYTE in a section"),
        (f"{IN_SECTIONS} .x : {{ *(SORT(.y)) }} }}", "script.ld:4: the linker does not know SORT in a pattern"),
        (f"{IN_SECTIONS} .x : {{ *(EXCLUDE_FILE(*a.o) .y) }} }}", "script.ld:4: the linker does not know EXCLUDE_FILE"),
        (f"{IN_SECTIONS} .x : {{ CONSTRUCTORS }} }}", r"script.ld:4: '\(' is expected behind CONSTRUCTORS"),
        (f"{IN_SECTIONS} .text : {{ }} }}", r"script.ld:4: the section \.text is there already"),
        (f"{IN_SECTIONS} .x (COPY) : {{ }} }}", "script.ld:4: the linker knows no section of type COPY, only NOLOAD"),
        (f"{IN_SECTIONS} .x : SUBALIGN(4) {{ }} }}", "script.ld:4: the linker does not know SUBALIGN of a section"),
        (f"{IN_SECTIONS} .x 0x100 : {{ }} }}", "script.ld:4: ':' is expected behind .x"),
        (f"{IN_SECTIONS} .x : {{ }} =0x90 }}", "script.ld:4: the linker does not know how to fill a section"),
        (f"{IN_SECTIONS} INCLUDE x.ld }}", "script.ld:4: the linker does not know INCLUDE in SECTIONS"),
        (f"{IN_SECTIONS} x = NEXT(4); }}", "script.ld:4: the linker does not know the function NEXT"),
        (f"{IN_SECTIONS} x = 4 }}", "script.ld:4: ';' is expected, not '}'"),
        (f"{IN_SECTIONS} x = ; }}", "script.ld:4: a number, a symbol or a function is expected, not ';'"),
        (f"{IN_SECTIONS} x = 4 / 0; }}", "script.ld:4: a division by zero"),
        (f"{IN_SECTIONS} x = 4 << 70; }}", "script.ld:4: a shift by 70"),
        (f"{IN_SECTIONS} x = ALIGN(3); }}", "script.ld:4: ALIGN wants a power of two, not 3"),
        (f"{IN_SECTIONS} .x : ALIGN(3) {{ . = 4; }} }}", "script.ld:4: ALIGN wants a power of two, not 3"),
        (f"{IN_SECTIONS} x = nowhere; }}", "script.ld:4: nobody defines the symbol nowhere"),
        (f"{IN_SECTIONS} x = SIZEOF(.none); }}", r"script.ld:4: there is no section \.none"),
        (f"{IN_SECTIONS} x = ORIGIN(ram); }}", "script.ld:4: there is no region of memory ram"),
        (f"{IN_SECTIONS} .x : {{ . = 4; }} > ram }}", "script.ld:4: there is no region of memory ram"),
        (f"{IN_SECTIONS} .x : {{ . = 4; . = 0; }} }}", r"script.ld:4: '\.' goes back by 4 bytes in \.x"),
        (f"{IN_SECTIONS}", "script.ld:4: a section is expected, not the end of the file"),
        ("\nMEMORY { a : ORIGIN = 0, SIZE = 4 }", "script.ld:2: LENGTH is expected, not SIZE"),
        (f"{REGION}{REGION}", "script.ld:3: the region a is there already"),
        (f'{REGION} REGION_ALIAS("a", a)', "script.ld:2: the region a is there already"),
        (f"{REGION}{IN_SECTIONS} }}", r"script.ld:4: the section \.text names no region of memory"),
        ('\nREGION_ALIAS("a", b)', "script.ld:2: there is no region of memory b"),
        ("\nREGION_ALIAS(a, b)", "script.ld:2: a name in quotes is expected, not 'a,'"),
        ("\nPHDRS { a PT_TLS; }", "script.ld:2: the linker knows no segment of type PT_TLS, only PT_LOAD"),
        ("\nPHDRS { a PT_LOAD AT(4); }", "script.ld:2: the linker knows no AT of a segment, only FLAGS"),
        ("PHDRS { a PT_LOAD; } SECTIONS { .text : { *(.text) } :b }", "script.ld:1: there is no segment b in PHDRS"),
        ("PHDRS { a PT_LOAD; } SECTIONS { .text : { *(.text) } }", "script.ld:1: the section .text names no segment"),
        ("\nINCLUDE missing.ld", "script.ld:2: there is no file missing.ld to include"),
        ("\nINCLUDE script.ld", "script.ld:2: script.ld includes itself"),
        ("SECTIONS { .text : { *(.text) } x = y; y = x + 1; }", "addresses that depend on each other"),
    ],
)  # fmt: skip
def test_a_script_that_is_wrong_or_not_known_is_refused_by_file_and_line(
    tmp_path: Path, script: str, words: str
) -> None:
    with pytest.raises(NsocError, match=words) as problem:
        linked(tmp_path, {"a.o": program()}, script)
    assert "\n" not in str(problem.value)


def test_sections_that_overlap_are_refused(tmp_path: Path) -> None:
    script = in_sections(". = 0x100; .text : { *(.text) } . = 0x102; .data : { *(.data) }")
    part = Part(".data", b"data", DATA, alignment=1)
    with pytest.raises(NsocError, match=r"\.text and \.data overlap in memory, at 0x102"):
        linked(tmp_path, {"a.o": program(".data", parts=(part,))}, script)
