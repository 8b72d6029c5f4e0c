# SPDX-License-Identifier: Apache-2.0
"""Our SPARC linker against GNU ld: of the same objects, by the same scripts, they make the same program.

Compared are sections (type, flags, address, size, contents), symbols (value, size, type, binding, visibility, section),
entry, segments and what they load. DIFFERENCES lists what may differ.
"""

import dataclasses
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import needs
import pytest
from elf32 import ALLOC, HIDDEN, MERGE, STRINGS, WEAK, WRITE, Elf, Part, Symbol, archive, bss, defined, object_file

from nsoc.machine import firmware, sparc_ld
from nsoc.machine.build import checkout

pytestmark = needs.sparc_ld

DIFFERENCES = {
    "a number": "of a symbol that a script assigns outside of sections GNU ld lets a number belong to the section "
    "before, and a place be a number: its value is the same",
    "empty": "of a section that has nothing, GNU ld takes type and flags from what sections of its name often have",
    "no PHDRS": "without PHDRS GNU ld puts sections together in segments with the file's headers; ours have one each",
    "merged elsewhere": "since 2.41 GNU ld puts all merged strings into the first section that has some",
}
"""Accepted, each with its reason."""
GNU = "sparc64-linux-gnu-ld"
NOT_COMPARED = ("", ".symtab", ".strtab", ".shstrtab")
SECTION, ALLOC_BITS = 3, 7


def gnu_version() -> tuple[int, int]:
    said = subprocess.run([GNU, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\b(\d+)\.(\d+)", said.splitlines()[0])
    assert found is not None
    return int(found[1]), int(found[2])


def by_gnu(inputs: Sequence[Path], script: Path, folders: Sequence[Path], target: Path) -> Elf:
    command = [GNU, "-m", "elf32_sparc", "-static", "--gc-sections", *(f"-L{folder}" for folder in folders)]
    done = subprocess.run([*command, "-T", script, *inputs, "-o", target], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Elf.read(target)


def check_equal(ours: Elf, gnu: Elf, by_script: Sequence[str]) -> None:
    """`by_script`: symbols of which DIFFERENCES["a number"] is true."""
    assert ours.entry == gnu.entry
    for of_ours, of_gnu in zip(sections(ours), sections(gnu), strict=True):
        assert of_ours[:5] == of_gnu[:5]
        assert of_ours[5] == of_gnu[5], f"the contents of {of_ours[0]}"
    assert symbols(ours, by_script) == symbols(gnu, by_script)
    if len(gnu.segments) == 1 or gnu.segments[0][1] == 0:
        return  # without PHDRS
    assert [segment[2:7] for segment in ours.segments if segment[5]] == [s[2:7] for s in gnu.segments if s[5]]
    assert ours.memory == gnu.memory


def sections(elf: Elf) -> list[tuple[str, int, int, int, int, bytes]]:
    return sorted(
        (s.name, s.kind if s.size else 0, s.flags & ALLOC_BITS if s.size else 0, s.address, s.size, s.contents)
        for s in elf.sections
        if s.name not in NOT_COMPARED
    )


def symbols(elf: Elf, by_script: Sequence[str]) -> Counter[Symbol]:
    return Counter(
        symbol._replace(section="") if symbol.name in by_script else symbol
        for symbol in elf.symbols
        if symbol.kind != SECTION
    )


# ---- Cases ----

PLAIN = (
    "ENTRY(_start) SECTIONS { . = 0x1000; .text : { *(.text .text.*) } . = 0x40012000;"
    " .data : { *(.data .data.*) *(.bss COMMON) } }"
)
MEMORY = "ENTRY(_start) MEMORY { a : ORIGIN = 0x100, LENGTH = 1K  b (rw) : ORIGIN = 0x2000, LENGTH = 1K } "
PHDRS = MEMORY + "PHDRS { x PT_LOAD FLAGS(5); y PT_LOAD FLAGS(6); z PT_LOAD; } "
DATA = ALLOC | WRITE
R_32 = 3


def file(*wanted: str, parts: Sequence[Part] = (), symbols: Sequence[Symbol] = (), start: str = "_start") -> bytes:
    """Its text wants these symbols."""
    text = Part(
        ".text", bytes(4 * len(wanted) + 4), relocations=[(4 * n, R_32, name, 0) for n, name in enumerate(wanted)]
    )
    return object_file([text, *parts], [defined(start, ".text"), *symbols])


def text_parts(*contents: bytes, alignment: int = 4, unit: int = 1) -> list[Part]:
    """Sections of strings, with a byte that shows where each ends."""
    flags = ALLOC | MERGE | STRINGS
    found = []
    for number, content in enumerate(contents):
        found.append(Part(f".data.s{number}", content, flags, alignment=alignment, entry_bytes=unit))
        found.append(Part(f".data.z{number}", b"z", DATA, alignment=1))
    return found


def with_text(
    *contents: bytes, alignment: int = 4, unit: int = 1, start: str = "_start", wants: Sequence[str] = ()
) -> bytes:
    parts = text_parts(*contents, alignment=alignment, unit=unit)
    return file(*(part.name for part in parts), *wants, parts=parts, start=start)


def widened(text: bytes, unit: int) -> bytes:
    return b"".join(bytes([byte]).rjust(unit, b"\0") for byte in text)


VARIABLE = Part(".data", bytes(16), DATA)
EMPTY = (
    "SECTIONS { .e : { . = ALIGN(8); } > b :y .text : { *(.text) } > a :x .pad : { . = . + 16; } > b :y"
    " .al : ALIGN(64) { *(.nothing) } > b .n (NOLOAD) : { . = . + 4; *(.data) } > b :NONE"
    " end = .; sz = SIZEOF(.pad); ad = ADDR(.pad) + 4; }"
)
LOADED = (
    "SECTIONS { .text : { KEEP(*(.text)) KEEP(*(.rodata)) } > a :x"
    " .data : ALIGN(8) { KEEP(*(.data)) . = ALIGN(4); } > b AT > a :y"
    " .more : AT(ADDR(.text) + 0x80) { KEEP(*(.more)) } > b :z from = LOADADDR(.data);"
    " .bss (NOLOAD) : { KEEP(*(.bss)) } > b :NONE to = LOADADDR(.more); }"
)
LOADED_PARTS = [
    Part(".data", b"abcde", DATA, alignment=1), Part(".rodata", b"r", ALLOC, alignment=1),
    Part(".more", b"xx", alignment=2), bss(".bss", 20, 16),
]  # fmt: skip
MIXED = "SECTIONS { .text : { *(.text) } > a :x .bss : { KEEP(*(.bss)) } > b :y .data : { KEEP(*(.data)) } > b :y }"
PROVIDED = PLAIN.replace(
    "*(.data .data.*)", "PROVIDE(p1 = .); PROVIDE(p2 = .); p3 = . + 2; PROVIDE(p4 = .); *(.data) q = 5; r = ALIGN(16);"
)
COMMON = [defined("c", "COMMON", 8, 12)]
CASES: dict[str, tuple[str, dict[str, bytes]]] = {
    "weak, undefined": (PLAIN, {"a.o": file("hook", symbols=[defined("hook", "UND", binding=WEAK)])}),
    "weak, then strong": (
        PLAIN,
        {
            "a.o": file("w", parts=[Part(".data", b"aaaa", DATA)], symbols=[defined("w", ".data", 0, 4, WEAK)]),
            "b.o": object_file([Part(".data", b"bbbb", DATA)], [defined("w", ".data", 0, 4)]),
        },
    ),
    "hidden": (
        PLAIN,
        {"a.o": file("h"), "b.o": object_file([VARIABLE], [defined("h", ".data", 4, 4, visibility=HIDDEN)])},
    ),
    "common": (
        PLAIN, {"a.o": file("c", symbols=COMMON), "b.o": file(symbols=[defined("c", "COMMON", 4, 40)], start="b")},
    ),
    "common, not wanted": (PLAIN, {"a.o": file(), "b.o": object_file([VARIABLE], COMMON)}),
    "common, defined": (
        PLAIN, {"a.o": file("c", symbols=COMMON), "b.o": object_file([VARIABLE], [defined("c", ".data", 4, 4)])},
    ),
    "common, defined weakly": (
        PLAIN, {"a.o": file("c", symbols=COMMON), "b.o": object_file([VARIABLE], [defined("c", ".data", 4, 4, WEAK)])},
    ),
    "empty sections": (PHDRS + EMPTY, {"a.o": file()}),
    "loaded elsewhere": (PHDRS + LOADED, {"a.o": file(parts=LOADED_PARTS)}),
    "bss ahead of data": (PHDRS + MIXED, {"a.o": file(parts=LOADED_PARTS[::3])}),
    "provided": (PROVIDED, {"a.o": file("p1", "p2", "p3", parts=[VARIABLE], symbols=[defined("p2", ".data")])}),
    "archive": (
        PLAIN,
        {
            "a.o": file("m1"),
            "l.a": archive(
                {
                    "m2_has_a_long_name.o": file(start="m2"),
                    "m1.o": file("m2", start="m1"),
                    "m3.o": file(start="_start"),
                }
            ),
        },
    ),
}  # fmt: skip
MERGED = {
    "strings": [[b"abcd\0", b"xy\0"], [b"qq\0\0cd\0", b"xy\0"]],
    "ends": [[b"ab\0", b"abc\0"], [b"q\0", b"xyzt\0\0\0\0xyz\0"]],
    "padded": [[b"abcd\0\0\0\0"], [b"abcd\0xy\0"]],
    "padded, one not": [[b"abcd\0\0\0\0"], [b"xyzt\0"]],
    "better aligned": [[b"0123\0xy\0\0\0\0\0xy\0\0"], [b"z\0xy\0"]],
    "empty strings": [[b"\0\0\0\0", b"a\0\0\0\0\0\0\0b\0"], [b"\0"]],
}


def prepared(folder: Path, files: Mapping[str, bytes], script: str) -> list[Path]:
    for name, content in files.items():
        (folder / name).write_bytes(content)
        if name.endswith(".a"):  # GNU ld wants an index
            subprocess.run(["sparc64-linux-gnu-ranlib", folder / name], check=True)
    (folder / "script.ld").write_text(script, encoding="utf-8")
    return [folder / name for name in files]


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_linked_alike(tmp_path: Path, case: str) -> None:
    script, files = CASES[case]
    inputs = prepared(tmp_path, files, script)
    ours = Elf(sparc_ld.link(inputs, tmp_path / "script.ld", []))
    check_equal(ours, by_gnu(inputs, tmp_path / "script.ld", [], tmp_path / "gnu.elf"), ("end", "ad"))


@pytest.mark.parametrize(("alignment", "unit"), [(1, 1), (4, 1), (8, 1), (2, 2), (4, 2)])
@pytest.mark.parametrize("case", MERGED)
def test_strings_are_merged_alike(tmp_path: Path, case: str, alignment: int, unit: int) -> None:
    if gnu_version() > (2, 40):
        pytest.skip(DIFFERENCES["merged elsewhere"])
    first, second = ([widened(text, unit) for text in texts] for texts in MERGED[case])
    files = {
        "a.o": with_text(*first, alignment=alignment, unit=unit, wants=["f"]),
        "b.o": with_text(*second, alignment=alignment, unit=unit, start="f"),
    }
    inputs = prepared(tmp_path, files, PLAIN)
    ours = Elf(sparc_ld.link(inputs, tmp_path / "script.ld", []))
    check_equal(ours, by_gnu(inputs, tmp_path / "script.ld", [], tmp_path / "gnu.elf"), ())


# ---- Firmware ----


def unmerged(path: Path) -> None:
    """Takes from the sections of an object file that they may be merged: e_shoff, sh_flags."""
    content = bytearray(path.read_bytes())
    table = int.from_bytes(content[32:36], "big")
    for row in range(int.from_bytes(content[48:50], "big")):
        at = table + 40 * row + 8
        flags = int.from_bytes(content[at : at + 4], "big") & ~(MERGE | STRINGS)
        content[at : at + 4] = flags.to_bytes(4, "big")
    path.write_bytes(content)


PROGRAMS = [
    ("zig", "hello", "rom"),
    *(
        pytest.param(toolchain, name, place, marks=pytest.mark.slow)
        for toolchain in ("zig", "gcc")
        for name, place in (
            ("forward", "rom"),
            ("net", "dram"),
            ("monitor", "rom"),
            ("toe_net", "dram"),
            ("http_server", "rom"),
        )
    ),
]


@pytest.mark.parametrize(("toolchain", "name", "place"), PROGRAMS)
def test_a_firmware_is_linked_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toolchain: str, name: str, place: firmware.Place
) -> None:
    row = firmware.ARCHITECTURES["sparc"]
    if toolchain == "gcc" and needs.missing(row.gcc):
        pytest.skip(str(needs.missing(row.gcc)))
    assert row.linker is not None
    seen: list[tuple[Elf, Elf]] = []

    def both(inputs: Sequence[Path], script: Path, folders: Sequence[Path]) -> bytes:
        if gnu_version() > (2, 40):
            for path in inputs[:-1]:
                unmerged(path)
        ours = sparc_ld.link(inputs, script, folders)
        seen.append((Elf(ours), by_gnu(inputs, script, folders, tmp_path / "gnu.elf")))
        return ours

    (tmp_path / "always.py").write_text(str(tmp_path), encoding="utf-8")  # links again each time
    spied = dataclasses.replace(row.linker, link=both, sources=tmp_path)
    monkeypatch.setitem(firmware.ARCHITECTURES, "sparc", dataclasses.replace(row, linker=spied))
    made = firmware.build(name, toolchain=toolchain, arch="sparc", place=place)
    shutil.rmtree(made.parent)
    [(ours, gnu)] = seen
    check_equal(ours, gnu, ("__stack_top",))
    assert {".text", ".debug_info", ".debug_line"} <= {section.name for section in ours.sections}


def test_the_scripts_of_other_programs_are_read_alike(tmp_path: Path) -> None:
    for script in ("firmware/pnic/lib/link.ld", "tests/support/cpu/programs/link.ld"):
        (tmp_path / "places.ld").write_text("__scratchpad = 0x40000000;\n", encoding="utf-8")
        parts = [Part(".data", b"data", DATA), bss(".bss", 12), Part(".rodata", b"read", ALLOC)]
        inputs = prepared(tmp_path, {"a.o": file(*(part.name for part in parts), parts=parts)}, "")
        ours = Elf(sparc_ld.link(inputs, checkout() / script, [tmp_path]))
        gnu = by_gnu(inputs, checkout() / script, [tmp_path], tmp_path / "gnu.elf")
        check_equal(ours, gnu, ("__stack_top", "_stack_top"))
