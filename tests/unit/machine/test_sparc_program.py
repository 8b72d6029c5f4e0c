# SPDX-License-Identifier: Apache-2.0
"""Firmware for SPARC V8, from C to the ELF file: compiled by clang or gcc, linked by our linker."""

import re
import struct
import subprocess
from pathlib import Path

import pytest
from elf32 import Elf

import nsoc
from nsoc.errors import NsocError
from nsoc.machine import build, firmware, memory_map

ROW = firmware.ARCHITECTURES["sparc"]
ROM, DRAM = memory_map.BOOT_ROM_BASE, memory_map.DRAM_BASE
TOO_LARGE_FOR_ROM = ("http_server", "pubsub")
"""With lwIP's sockets and the 4 KB of the table of traps."""
FLOATING = """\
volatile double a = 1.5, b = 2.25;
volatile long long n = 1234567890123ll, d = 10;
int main(void) { a = a * b + (double)n; n = n / d; return (int)a; }
"""


def compiler(toolchain: str) -> list[str]:
    try:
        return firmware.compiler(toolchain, ROW)
    except NsocError as problem:
        pytest.skip(str(problem))


@pytest.mark.parametrize("toolchain", ["zig", pytest.param("gcc", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("place", "code"), [("rom", ROM), pytest.param("dram", DRAM, marks=pytest.mark.slow)])
def test_an_application_is_compiled_and_linked(toolchain: str, place: firmware.Place, code: int) -> None:
    compiler(toolchain)
    path = firmware.build("hello", toolchain=toolchain, arch="sparc", place=place)
    elf = Elf.read(path)
    assert (elf.machine, elf.entry) == (2, code) and elf.symbol("_start").value == code
    image = firmware.image(path, "sparc")
    assert image.entry == code and image.segments[0].address == code
    stack = elf.symbol("__stack_top")
    assert stack.value == DRAM + (1 << 20)
    text = image.segments[0].data
    branch = int.from_bytes(text[:4], "big")
    assert branch >> 22 == 0x10800000 >> 22 and code + (branch & 0x3FFFFF) * 4 == elf.symbol("start").value
    assert elf.symbol("main").value > elf.symbol("start").value == code + 4096, "behind the table of traps"
    assert {".debug_info", ".debug_line"} <= {section.name for section in elf.sections}
    assert not [symbol.name for symbol in elf.symbols if symbol.name.startswith("__atomic")]
    in_memory = firmware.segments(path, "sparc")
    assert in_memory == (image.segments if place == "rom" else [firmware.Segment(ROM, ROW.jump(DRAM)), *image.segments])
    assert firmware.build("hello", toolchain=toolchain, arch="sparc", place=place) == path
    with pytest.raises(NsocError, match="is not for RISC-V, 32-bit and little-endian, but for SPARC V8, "):
        firmware.image(path, "rv32")


@pytest.mark.parametrize("toolchain", ["zig", "gcc"])
def test_a_compiler_says_what_it_compiles_for(tmp_path: Path, toolchain: str) -> None:
    """No system that it may come from: applications ask for __linux__."""
    command = [*compiler(toolchain), *(ROW.zig_flags if toolchain == "zig" else ROW.gcc_flags), "-E", "-dM", "-x", "c"]
    done = subprocess.run(
        [*command, "/dev/null"], check=True, env=firmware.zig_environment(), capture_output=True, text=True
    )
    names = dict(re.findall(r"^#define (\w+) (.*)$", done.stdout, re.MULTILINE))
    assert "__sparc__" in names and names["__SIZEOF_POINTER__"] == "4"
    assert not {"__linux__", "__gnu_linux__", "__unix__", "__sparc_v9__", "__arch64__"} & names.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", firmware.names())
def test_every_application_fits_and_wants_no_other_processor(name: str) -> None:
    """Neither a floating-point unit nor atomic operations of C, which are calls here."""
    lwip = "toe" not in name and not name.startswith("socket")
    place: firmware.Place = "dram" if name in TOO_LARGE_FOR_ROM else "rom"
    connections = {"NSOC_CONNECTIONS": "0u" if lwip else "64u"}
    elf = Elf.read(firmware.build(name, connections, arch="sparc", place=place))
    assert not [symbol.name for symbol in elf.symbols if symbol.name.startswith("__atomic")]
    assert not floating_point(elf.section(".text").contents)


def test_what_is_wrong_with_a_program_is_said_in_a_sentence(tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int nowhere(void); int main(void) { return nowhere(); }\n", encoding="utf-8")
    with pytest.raises(
        NsocError,
        match=r"^linking the firmware wrong failed: nobody defines nowhere, which \.text\.main of .*wrong\.o wants",
    ):
        firmware.build(source, arch="sparc")
    source.write_text("int main(void) { return nowhere }\n", encoding="utf-8")
    with pytest.raises(NsocError, match=r"compiling the firmware wrong failed in zig:\n.*wrong\.c:1.*error"):
        firmware.build(source, arch="sparc")
    assert not [path for path in (firmware.cache_folder() / "firmware").glob("wrong-*") if path.is_dir()]


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (
            "const char large[70000] = {1}; int main(void) { return ((const volatile char *)large)[5]; }",
            r"\.rodata does not fit in the memory region rom: it is \d+ bytes too large",
        ),
        (
            "static char large[0x10000000]; int main(void) { return ((volatile char *)large)[5]; }",
            r"\.\w+ does not fit in the memory region dram: it is \d+ bytes too large",
        ),
        (
            'int main(void) { unsigned x; __asm__ volatile("sethi %%h44(main), %0" : "=r"(x)); return (int)x; }',
            r"\.text\.main of .*wrong\.o has a relocation R_SPARC_H44, which the linker does not know: compile with "
            "-fno-pic",
        ),
    ],
    ids=["constants", "data", "relocation"],
)
def test_what_the_linker_refuses_is_said_whole(tmp_path: Path, program: str, sentence: str) -> None:
    source = tmp_path / "wrong.c"
    source.write_text(f"{program}\n", encoding="utf-8")
    with pytest.raises(NsocError, match=f"^linking the firmware wrong failed: {sentence}$"):
        firmware.build(source, arch="sparc")


@pytest.mark.parametrize("toolchain", ["zig", pytest.param("gcc", marks=pytest.mark.slow)])
def test_numbers_that_the_processor_does_not_compute_are_computed_by_the_library(
    tmp_path: Path, toolchain: str
) -> None:
    """It has no floating point, nor divides it what has 64 bits."""
    compiler(toolchain)
    source = tmp_path / "floating.c"
    source.write_text(FLOATING, encoding="utf-8")
    elf = Elf.read(firmware.build(source, toolchain=toolchain, arch="sparc"))
    names = {symbol.name for symbol in elf.symbols}
    assert {"__adddf3", "__muldf3", "__floatdidf", "__fixdfsi", "__divdi3"} <= names
    assert "__atomic_load_4" not in names, "of the library only what is wanted"
    assert elf.section(".text").size < 16 << 10
    assert not list(floating_point(elf.section(".text").contents))


def floating_point(code: bytes) -> list[int]:
    """Offsets of instructions for a floating-point unit or a coprocessor: FPop, CPop, their branches, loads and
    stores."""
    found = []
    for at in range(0, len(code), 4):
        word = int.from_bytes(code[at : at + 4], "big")
        op, op2, op3 = word >> 30, word >> 22 & 7, word >> 19 & 63
        if (op == 0 and op2 in (6, 7)) or (op == 2 and 0x34 <= op3 <= 0x37) or (op == 3 and 0x20 <= op3 <= 0x37):
            found.append(at)
    return found


def test_floating_point_would_be_found() -> None:
    faddd, fbe, ldf = 0x81A00840, 0x13800002, 0xC1002000
    assert floating_point(b"".join(word.to_bytes(4, "big") for word in (0x01000000, faddd, fbe, ldf))) == [4, 8, 12]


def test_a_function_that_calls_none_takes_no_register_window(tmp_path: Path) -> None:
    source = tmp_path / "leaf.c"
    source.write_text("int leaf(int a, int b) { return a + b; }\n", encoding="utf-8")
    command = [*compiler("zig"), *firmware.COMMON_FLAGS[:-1], *ROW.zig_flags, "-S", source, "-o", tmp_path / "leaf.s"]
    subprocess.run(command, check=True, env=firmware.zig_environment(), stderr=subprocess.DEVNULL)
    assembly = (tmp_path / "leaf.s").read_text(encoding="utf-8")
    assert re.search(r"\bretl\b", assembly) and not re.search(r"\bsave\b", assembly)


@pytest.mark.parametrize(
    ("order", "bits", "machine", "words"),
    [
        (1, 1, 243, "is not for SPARC V8, 32-bit and big-endian, but for RISC-V, 32-bit and little-endian; give"),
        (1, 1, 2, "is not for SPARC V8, 32-bit and big-endian, but for SPARC V8, 32-bit and little-endian"),
        (2, 2, 43, "is not for SPARC V8, 32-bit and big-endian, but for SPARC V9, 64-bit and big-endian"),
        (2, 1, 18, "is not for SPARC V8, 32-bit and big-endian, but for SPARC V8+, 32-bit and big-endian"),
        (2, 1, 243, "is not for SPARC V8, 32-bit and big-endian, but for RISC-V, 32-bit and big-endian"),
        (2, 1, 9999, "is not for SPARC V8, 32-bit and big-endian, but for machine 9999, 32-bit and big-endian"),
        (2, 1, 2, "has nothing to load"),
    ],
)
def test_a_program_for_another_processor_is_refused(
    tmp_path: Path, order: int, bits: int, machine: int, words: str
) -> None:
    file = tmp_path / "other.elf"
    head = b"\x7fELF" + bytes([bits, order, 1]) + bytes(9)
    file.write_bytes(head + struct.pack(">HH" if order == 2 else "<HH", 2, machine) + bytes(32))
    with pytest.raises(NsocError, match=rf"other\.elf {re.escape(words)}"):
        firmware.image(file, "sparc")


def test_a_program_of_the_other_instruction_set_is_refused_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    risc_v, v8 = firmware.build("hello"), firmware.build("hello", arch="sparc")
    monkeypatch.setattr(build, "simulator", None)
    other = "but for RISC-V, 32-bit and little-endian; give its C file, or take a preset with that processor"
    with pytest.raises(NsocError, match=rf"^{re.escape(str(risc_v))} is not for SPARC V8, .*{other}"):
        nsoc.Soc("ajit-nic12-fast", risc_v)
    with pytest.raises(NsocError, match=rf"^{re.escape(str(v8))} is not for RISC-V, .* but for SPARC V8, "):
        nsoc.Soc("nic12-fast", v8)


@pytest.mark.parametrize("target", [0, 0x40000000, 0x1234567C, 0xFFFFFFFC])
def test_the_jump_in_the_boot_rom_is_what_an_assembler_makes(tmp_path: Path, target: int) -> None:
    source = tmp_path / "jump.s"
    source.write_text(f"sethi %hi({target}), %g1\njmpl %g1 + %lo({target}), %g0\nnop\n", encoding="utf-8")
    command = [*compiler("zig"), *ROW.zig_flags, "-c", source, "-o", tmp_path / "jump.o"]
    subprocess.run(command, check=True, env=firmware.zig_environment())
    assert ROW.jump(target) == Elf.read(tmp_path / "jump.o").section(".text").contents
