# SPDX-License-Identifier: Apache-2.0
"""Firmware: compiled once for each variant, ELF files read as an independent tool reads them, and sources that know
neither instruction set nor byte order."""

import dataclasses
import re
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from runs import some

from nsoc.errors import NsocError
from nsoc.machine import firmware, lwip, memory_map, presets
from nsoc.machine.build import checkout
from nsoc.pnic import firmware as pnic_firmware

RISCV, SPARC, X86_64 = 243, 2, 62
FIRMWARE = checkout() / "firmware"
HERE = Path(__file__).parent


def elf(segments: list[tuple[int, int, bytes, int]], machine: int = RISCV, order: str = "<") -> bytes:
    """An ELF32 file by the ELF specification. A segment: type, physical address, contents, size in memory."""
    header_bytes, entry_bytes = 52, 32
    offset = header_bytes + entry_bytes * len(segments)
    table, contents = b"", b""
    for kind, address, data, memory_bytes in segments:
        virtual = address + 0x1000_0000  # must not matter
        where = offset + len(contents)
        table += struct.pack(f"{order}8I", kind, where, virtual, address, len(data), memory_bytes, 7, 4)
        contents += data
    identity = b"\x7fELF" + bytes([1, 1 if order == "<" else 2, 1]) + bytes(9)
    fields = (2, machine, 1, 0, header_bytes, 0, 0, 52, entry_bytes, len(segments), 0, 0, 0)
    rest = struct.pack(f"{order}HHIIIIIHHHHHH", *fields)
    return identity + rest + table + contents


def test_loadable_segments_come_with_their_physical_addresses(tmp_path: Path) -> None:
    pt_load, pt_note = 1, 4
    file = tmp_path / "a.elf"
    file.write_bytes(
        elf(
            [
                (pt_load, 0, b"text", 4),
                (pt_note, 0, b"note", 4),
                (pt_load, 0x4000_0000, b"da", 9),
                (pt_load, 8, b"", 64),
            ]
        )
    )
    found = [(segment.address, segment.data) for segment in firmware.segments(file)]
    assert found == [(0, b"text"), (0x4000_0000, b"da")]


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        (b"#!/bin/sh\n", "not a 32-bit little-endian ELF file"),
        (b"", "not a 32-bit little-endian ELF file"),
        (elf([(1, 0, b"text", 4)], machine=X86_64), "not for RISC-V"),
        (elf([(1, 0, b"text", 4)])[:-1], "truncated"),
        (elf([(1, 0, b"text", 4)])[:60], "truncated"),
        (elf([]), "nothing to load"),
    ],
)
def test_what_cannot_be_booted_is_refused(tmp_path: Path, contents: bytes, complaint: str) -> None:
    file = tmp_path / "a.elf"
    file.write_bytes(contents)
    with pytest.raises(NsocError, match=complaint) as problem:
        firmware.segments(file)
    assert "a.elf" in str(problem.value)


def test_a_path_is_taken_as_it_is_and_missing_files_are_named(tmp_path: Path) -> None:
    assert firmware.build(tmp_path / "a.elf") == tmp_path / "a.elf"
    with pytest.raises(NsocError, match=r"cannot read the firmware .*a\.elf"):
        firmware.segments(tmp_path / "a.elf")


def test_a_c_file_of_the_users_own_is_compiled_like_an_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.h").write_text("static const char text[] = {'f', 'o', 'r', 't', 'y'};\n", encoding="utf-8")
    Path("mine.c").write_text('#include "mine.h"\nint main(void) { return text[0]; }\n', encoding="utf-8")
    elf = firmware.build_for(presets.load(), "mine.c")
    assert elf == firmware.build_for(presets.load(), tmp_path / "mine.c") and elf.name == "mine.elf"
    assert any(segment.address == memory_map.BOOT_ROM_BASE for segment in firmware.segments(elf))


def test_the_name_of_an_application_is_not_that_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("hello", "notes"):
        Path(name).write_text("some text", encoding="utf-8")
    assert (firmware.own_file("hello"), firmware.own_file("notes")) == (None, Path("notes"))
    assert firmware.own_file("./hello") == Path("hello")


def test_an_unknown_application_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NsocError, match=r"no firmware 'forwrd', only .*forward.*did you mean forward\?"):
        firmware.build("forwrd")
    with pytest.raises(NsocError, match="no toolchain 'llvm', only zig and gcc"):
        firmware.build("forward", toolchain="llvm")


def test_an_application_is_compiled_once_for_each_variant() -> None:
    plain = firmware.build("forward")
    before = plain.stat().st_mtime_ns
    assert firmware.build("forward") == plain and plain.stat().st_mtime_ns == before
    variant = firmware.build("forward", {"SERVERS": 3})
    assert variant != plain and variant.read_bytes() != plain.read_bytes()
    first = firmware.segments(plain)[0]
    assert first.address == 0, "the boot ROM holds the start-up code"


def test_a_program_is_linked_with_what_it_includes_and_no_more() -> None:
    """What the linker drops stays in what debuggers are told: functions at address 0, over those that are there."""
    hello, sink = (firmware.build_for(presets.load("nic12-dma"), name) for name in ("hello", "sink"))
    names = {elf: elf.read_bytes() for elf in (hello, sink)}
    for part in (b"station_poll", b"copy_start", b"crc32_add"):
        assert part not in names[hello], part
    assert b"station_poll" in names[sink] and b"uart_puts" in names[hello]


def test_compilers_get_what_they_call_for_from_one_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """memset and the like: with clang from its run-time library, but with lwIP; gcc's has none."""
    init = tmp_path / "src" / "include" / "lwip" / "init.h"  # its sources do not matter here
    init.parent.mkdir(parents=True)
    init.touch()
    monkeypatch.setenv("LWIP_DIR", str(tmp_path))
    target = firmware.ARCHITECTURES["rv32"]
    for preset, name, clang in (("toe", "socket_echo", False), ("toe", "hello", False), ("nic12-fast", "net", True)):
        defines = presets.load(preset).firmware_defines()
        for toolchain in ("zig", "gcc"):
            recipe = firmware.Recipe.of(firmware.application(name), defines, toolchain, (), (), target)
            linked = FIRMWARE / "lib" / "libc" / "memory.c" in recipe.library
            assert linked == (clang or toolchain == "gcc"), (name, toolchain)


def test_a_header_of_the_c_library_links_the_file_of_its_name(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    parts = {"string.h": ["string.c"], "stdio.h": ["string.c", "stdio.c"], "stdlib.h": ["stdlib.c"], "uart.h": []}
    for header, wanted in parts.items():
        source.write_text(f"#include <{header}>\n")
        recipe = firmware.Recipe.of([source], {}, "zig", (), (), firmware.ARCHITECTURES["rv32"])
        assert [file.name for file in recipe.library if file.parent.name == "libc"] == wanted


def _objects(file: Path) -> dict[str, tuple[int, int]]:
    """Address and bytes of what an ELF file's table of symbols has of data, by name."""
    data = file.read_bytes()
    (table,), (count,) = struct.unpack_from("<I", data, 32), struct.unpack_from("<H", data, 48)
    sections = [struct.unpack_from("<10I", data, table + 40 * number) for number in range(count)]
    symbols = next(section for section in sections if section[1] == 2)
    names = sections[symbols[6]][4]
    found = {}
    for at in range(symbols[4], symbols[4] + symbols[5], 16):
        name, address, size, kind, _, _ = struct.unpack_from("<IIIBBH", data, at)
        if kind & 15 == 1:
            found[data[names + name : data.index(b"\0", names + name)].decode()] = (address, size)
    return found


NEAR = {"slots", "nic_netif", "netif_default", "ip_data", "arp_table", "udp_pcbs", "memp_memory_UDP_PCB_base"}
STACK_BYTES = 1024
"""More than the way of a packet takes."""


@pytest.mark.skipif(lwip.source() is None, reason=f"lwIP is not there: {lwip.why_not()}")
@pytest.mark.parametrize("more", [0, 5000])
def test_what_each_packet_needs_shares_no_line_of_the_data_cache(tmp_path: Path, more: int) -> None:
    """Neither with the stack nor with itself, however long the other data of the program is."""
    system, application = presets.load("nic12-net"), "net"
    rest = tmp_path / "rest.c"
    rest.write_text(f"__attribute__((used, retain)) static unsigned char before[{more + 1}];")
    sources = [*firmware.application(application), rest]
    objects = _objects(firmware.compile_program(application, sources, firmware._defines_for(system)))
    assert objects["before"][1] == more + 1 and objects.keys() >= NEAR
    lines = {0x100000 - STACK_BYTES + 32 * number for number in range(STACK_BYTES // 32)}
    for address, size in sorted({objects[name] for name in NEAR}):
        lines |= set(range(address & ~31, address + size, 32))
    places = [line % system.dcache_bytes for line in lines]
    assert len(places) == len(set(places))


@pytest.mark.parametrize("cpu_mhz", [80.0, 1000.0])
def test_timeouts_fit_into_what_counts_them_at_any_clock(cpu_mhz: float) -> None:
    """An assertion of the application says so when it is compiled."""
    preset = presets.load("nic12-dma").with_(cpu_mhz=cpu_mhz)
    assert preset.firmware_defines()["CPU_MHZ"] == f"{cpu_mhz:.0f}u"
    firmware.build_for(preset, "sink")
    with pytest.raises(NsocError, match="time is kept in 32 bits"):
        firmware.build_for(preset, "sink", {"GIVE_UP_MS": 30_000})


def test_what_the_compiler_says_reaches_the_user() -> None:
    with pytest.raises(NsocError, match=r"(?s)compiling the firmware forward failed.*expected expression"):
        firmware.build("forward", {"SERVERS": "("})


# ---- The order of linking --------------------------------------------------------------------------------------------


def tree_with(tmp_path: Path, listed: Sequence[str], there: Sequence[str]) -> Path:
    """A firmware folder with a list of the order of linking, and with files."""
    root = tmp_path / "firmware"
    for name in there:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / firmware.LINK_ORDER).write_text("# a comment\n" + "\n".join(listed) + "\n")
    return root


def test_the_list_of_the_order_of_linking_names_each_file_once() -> None:
    """A file that is missing there: add it at the end, as the head of the list says."""
    listed = firmware.read_link_order(FIRMWARE / firmware.LINK_ORDER, FIRMWARE)
    assert [file for file in listed if listed.count(file) > 1] == []
    written = {path for path in sources("lib", "arch") if path.suffix in (".c", ".S")}
    assert {*listed} == written
    for name in ("rv32", "sparc"):
        others = {FIRMWARE / "arch" / other.folder for other in firmware.ARCHITECTURES.values() if other.folder != name}
        own = [file for file in listed if not others & {*file.parents}]
        assert firmware.linked_files(FIRMWARE, name) == own


def test_files_are_linked_as_the_list_says_whatever_their_names_are(tmp_path: Path) -> None:
    order = ["arch/rv32/crt0.S", "lib/z.c", "lib/b/y.c", "lib/a.c", "arch/rv32/freertos/port.S", "lib/a/x.c"]
    other = ["arch/sparc/crt0.S"]
    root = tree_with(tmp_path, [*order[:2], *other, *order[2:]], [*order, *other])
    assert firmware.linked_files(root, "rv32") == [root / name for name in order]
    in_lib = [name for name in order if name.startswith("lib")]
    assert firmware.linked_files(root, "sparc") == [root / name for name in (*in_lib[:1], *other, *in_lib[1:])]


@pytest.mark.parametrize("name", ["lib/new.c", "lib/part/new.c", "arch/rv32/new.c", "arch/rv32/new.S"])
def test_a_file_that_the_list_lacks_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    root = tree_with(tmp_path, ["lib/uart.c"], ["lib/uart.c", name])
    told = f"firmware/{name} is not linked: add it at the end of firmware/link_order.txt"
    with pytest.raises(NsocError, match=f"^{re.escape(told)}$"):
        firmware.linked_files(root, "rv32")


def test_a_file_that_only_the_list_has_is_named_with_what_to_do(tmp_path: Path) -> None:
    root = tree_with(tmp_path, ["lib/uart.c", "lib/gone.c"], ["lib/uart.c"])
    told = "firmware/lib/gone.c does not exist: take its line out of firmware/link_order.txt"
    with pytest.raises(NsocError, match=f"^{re.escape(told)}$"):
        firmware.linked_files(root, "rv32")


@pytest.mark.parametrize("options", [{}, {"OS_FREERTOS": 1}], ids=["kernel", "freertos"])
def test_a_program_has_its_files_in_the_order_of_the_list(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, int]
) -> None:
    order = firmware.linked_files(FIRMWARE, "rv32")
    if options:  # its sources do not matter here
        (tmp_path / "tasks.c").touch()
        monkeypatch.setenv("FREERTOS_DIR", str(tmp_path))
    for name in ("hello", "os_cycles", "socket_echo"):
        library = firmware.recipe_for(presets.load("toe"), name, options).library
        assert [order.index(file) for file in library] == sorted(order.index(file) for file in library)
        assert any(file.parent.name == "freertos" for file in library) == (bool(options) and name != "hello")


def test_another_order_of_linking_is_another_build() -> None:
    recipe = firmware.recipe_for(presets.load(), "bench_cpu")
    for turned in (
        dataclasses.replace(recipe, library=recipe.library[::-1]),
        dataclasses.replace(recipe, sources=recipe.sources[::-1]),
    ):
        assert turned.digest() != recipe.digest()
    same_names = [file for file in recipe.library if file.name == "counters.c"]
    assert len(same_names) == 2, "one is of the architecture"
    swapped = [same_names[::-1][same_names.index(file)] if file in same_names else file for file in recipe.library]
    assert dataclasses.replace(recipe, library=swapped).digest() != recipe.digest()


def test_programs_of_the_programmable_nic_are_linked_with_all_of_its_library() -> None:
    there = [path.name for path in sources("pnic/lib") if path.suffix in (".c", ".S")]
    assert sorted(pnic_firmware.LIBRARY) == there, "a new file goes to the end of LIBRARY"


# ---- Instruction sets ------------------------------------------------------------------------------------------------


def test_a_second_architecture_is_one_more_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = dataclasses.replace(
        firmware.ARCHITECTURES["rv32"], folder="sparc", title="SPARC", byte_order="big", elf_machine=SPARC
    )
    monkeypatch.setitem(firmware.ARCHITECTURES, "sparc", row)
    file = tmp_path / "a.elf"
    file.write_bytes(elf([(1, 0, b"text", 4)], SPARC, ">"))
    assert firmware.segments(file, "sparc") == [firmware.Segment(0, b"text")]
    with pytest.raises(NsocError, match="is not for RISC-V, 32-bit and little-endian, but for SPARC V8, "):
        firmware.segments(file)
    file.write_bytes(elf([(1, 0, b"text", 4)], RISCV, ">"))
    with pytest.raises(NsocError, match="not for SPARC"):
        firmware.segments(file, "sparc")
    with pytest.raises(NsocError, match="no architecture 'sparc64' of the firmware, only rv32, sparc"):
        firmware.build("forward", arch="sparc64")


CSRS = (
    "mstatus|misa|mie|mip|mtvec|mscratch|mepc|mcause|mtval|mcycle|minstret|mhartid|mcountinhibit|mhpmcounter\\d+|"
    "mbuserr|mbusctl|mcachectl"
)
INSTRUCTIONS = "amo(?!ng)[a-z]+|lr\\.w|sc\\.w|wfi|mret|ecall|fence(\\.i)?|csr[a-z]*|auipc"
V8_REGISTERS = "psr|wim|tbr|asr\\d*|asi"
V8_WINDOWED = "%(%?([goli][0-7]|sp|fp|y))"
V8_INSTRUCTIONS = "ldstuba?|swapa|stbar|rett|retl|jmpl|sethi|mulscc|lda|sta|ldda|stda|[us](mul|div)(cc)?|unimp"
NOT_NEUTRAL = {
    "assembly": re.compile(r"\b(__)?asm(__)?\b"),
    "a control register or an instruction": re.compile(rf"\b({CSRS})h?\b|\b({INSTRUCTIONS})\b|NSOC_CSR", re.IGNORECASE),
    "a register or an instruction of windows": re.compile(
        rf"\b({V8_REGISTERS}|{V8_INSTRUCTIONS})\b|{V8_WINDOWED}\b|V8_[A-Z]+|\bv8_[a-z]+", re.IGNORECASE
    ),
    "an instruction set": re.compile(r"risc-?v|rv32|sparc|\bv8\b", re.IGNORECASE),
    "a byte order": re.compile(r"BYTE_ORDER__|LITTLE_ENDIAN__|BIG_ENDIAN__|bswap"),
}
KNOWS_BYTE_ORDER = ("lib/byte_order.h", "lib/nsoc_regs.h")


def not_neutral(name: str, text: str) -> list[str]:
    """What a source outside firmware/arch says about the processor, a line each."""
    return [
        f"{name}:{number}: {what}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in NOT_NEUTRAL.items()
        if pattern.search(line) and not (what == "a byte order" and name in KNOWS_BYTE_ORDER)
    ]


def sources(*folders: str) -> list[Path]:
    """All that is written down in folders of the firmware."""
    return [path for folder in folders for path in sorted((FIRMWARE / folder).rglob("*.*")) if path.is_file()]


def test_lib_and_apps_know_neither_instruction_set_nor_byte_order() -> None:
    found = [
        line
        for path in sources("lib", "apps", "coremark")
        for line in not_neutral(path.relative_to(FIRMWARE).as_posix(), path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("kind", ["c", "h"])
def test_that_would_be_found(kind: str) -> None:
    """The same search where all of it is, and in lines that nobody should write."""
    rv32 = "".join(path.read_text(encoding="utf-8") for path in sources("arch/rv32") if path.suffix == f".{kind}")
    assert {line.split(": ")[1] for line in not_neutral("x.c", rv32)} >= {
        "assembly",
        "a control register or an instruction",
    }
    sparc = "".join(path.read_text(encoding="utf-8") for path in sources("arch/sparc") if path.suffix == f".{kind}")
    assert {line.split(": ")[1] for line in not_neutral("x.c", sparc)} >= {
        "a register or an instruction of windows",
        "an instruction set",
    }
    for line in (
        "// until WIM says",
        "value = %o7;",
        "// as ldstub does",
        "x = V8_PSR_S;",
        "v8_interrupts_on();",
        "ASR19",
    ):
        assert not_neutral("lib/uart.c", line), line
    for line in ('__asm__("wfi")', "// see mcycle", "OUTPUT_ARCH(riscv)", "#if __BYTE_ORDER__ == 1234", "asm (x)"):
        assert not_neutral("lib/uart.c", line), line
    for line in ("// asked for", "cause = ARCH_TRAP_LOAD_ERROR;", "// from the processor's own numbers"):
        assert not not_neutral("lib/uart.c", line), line


BIG_ENDIAN = ("-target", "sparc-freestanding", "-mcpu=v8")
TARGETS = {
    "sparc": BIG_ENDIAN,
    "powerpc": ("-target", "powerpc-freestanding"),
    "riscv32": ("-target", "riscv32-freestanding", "-mcpu=generic_rv32+m+a"),
    "i386": ("-target", "x86-freestanding"),
}


def compile_for(target: Sequence[str], source: Path, folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Object code of a source with lib's headers, and an arch.h in plain C."""
    lib = FIRMWARE / "lib"
    includes = [
        lib,
        *sorted(path for path in lib.iterdir() if path.is_dir() and "lwip" not in path.name),
        lib / "socket" / "include",
        FIRMWARE / "arch",
        HERE / "firmware_arch",
        lib / "socket" / "include",
    ]
    command = [
        sys.executable, "-m", "ziglang", "cc", *target, "-std=c11", "-O2", "-ffreestanding", "-Wall", "-Wextra",
        "-Wcast-align", "-Werror", *(f"-I{include}" for include in includes), *flags,
        "-c", str(source), "-o", str(folder / "object.o"),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=firmware.zig_environment())


@pytest.mark.slow
@pytest.mark.parametrize("queues_in_memory", some([0], [1]))
def test_lib_and_apps_compile_for_a_big_endian_processor(tmp_path: Path, queues_in_memory: int) -> None:
    apps = [path for path in sources("apps") if path.suffix == ".c" and path.parent.name == "apps"]
    lib = [path for path in sources("lib") if path.suffix == ".c" and "lwip" not in path.parent.name]  # has its headers
    files = [*apps, *lib]
    if not queues_in_memory:
        files += [path for path in sources("apps/bench_cpu") if path.suffix == ".c"]
    for path in files:
        done = compile_for(BIG_ENDIAN, path, tmp_path, f"-DNIC_QUEUES_IN_MEMORY={queues_in_memory}")
        assert done.returncode == 0, done.stderr
        is_big_endian = (tmp_path / "object.o").read_bytes()[5] == 2
        assert is_big_endian


@pytest.mark.parametrize("target", TARGETS)
def test_parts_of_words_are_the_same_bytes_on_every_processor(tmp_path: Path, target: str) -> None:
    done = compile_for(TARGETS[target], HERE / "firmware_bytes.c", tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("target", "wrong"), [("sparc", "__ORDER_LITTLE_ENDIAN__"), ("riscv32", "__ORDER_BIG_ENDIAN__")]
)
def test_the_wrong_byte_order_would_be_found(tmp_path: Path, target: str, wrong: str) -> None:
    flags = ("-U__BYTE_ORDER__", f"-D__BYTE_ORDER__={wrong}", "-Wno-builtin-macro-redefined")
    done = compile_for(TARGETS[target], HERE / "firmware_bytes.c", tmp_path, *flags)
    assert done.returncode != 0 and "not what the bytes in memory should be" in done.stderr
