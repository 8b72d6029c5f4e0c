# SPDX-License-Identifier: Apache-2.0
"""What debuggers are told of functions that the linker has dropped, as the real GDB takes it."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import needs
import pytest

from nsoc.machine import debug_info, elf32, firmware
from nsoc.pnic import firmware as pnic_firmware

TEXT_BYTES = 0x40000  # more than any of these programs has


def of_gcc(arch: str) -> Path:
    if missing := needs.missing(firmware.ARCHITECTURES[arch].gcc):
        pytest.skip(missing)
    return firmware.build("hello", toolchain="gcc", arch=arch)


PROGRAMS: dict[str, Callable[[], Path]] = {
    "clang": lambda: firmware.build("hello"),
    "gcc": lambda: of_gcc("rv32"),
    "gcc for SPARC, our linker": lambda: of_gcc("sparc"),
    "clang, our SPARC linker": lambda: firmware.build("hello", arch="sparc"),
    "in DRAM": lambda: firmware.build("hello", place="dram"),
    "small cores": lambda: pnic_firmware.build("published"),
}
DROPPED = ("counters_init", "counters_read", "uart_putc", "harts_start", "irq_enable", "nic_open")
"""In files of firmware/lib and firmware/arch that a program has, without the functions."""
each_program = pytest.mark.parametrize("program", PROGRAMS)


def functions(elf: Path) -> dict[str, range]:
    found = elf32.symbols(elf.read_bytes())
    return {symbol.name: symbol.place for symbol in found if symbol.kind == elf32.STT_FUNC}


def gdb(elf: Path, *commands: str) -> str:
    arguments = [part for command in commands for part in ("-ex", command)]
    done = subprocess.run(
        ["gdb-multiarch", "-nx", "-batch", "-ex", "set breakpoint pending off", *arguments, str(elf)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


@needs.gdb
@each_program
def test_the_first_line_is_that_of_the_start_up_code(program: str) -> None:
    said = gdb(PROGRAMS[program](), "info line *0")
    if program == "in DRAM":
        assert "No line number information available" in said, said
    else:
        assert re.search(r'Line \d+ of "(.*/)?(crt0|start)\.S" starts at address 0x0 <_start>', said), said


@needs.gdb
@each_program
def test_a_breakpoint_has_no_place_in_a_function_that_is_dropped(program: str) -> None:
    elf = PROGRAMS[program]()
    there = functions(elf)
    said = gdb(elf, *(f"break {name}" for name in {*there, *DROPPED}), "info breakpoints")
    places = [int(digits, 16) for digits in re.findall(r"(?:\by\s+|keep y\s+)(0x[0-9a-f]+) ", said)]
    assert places, said
    start = next((place for name, place in there.items() if name == "_start"), range(0))
    for place in places:
        assert place < TEXT_BYTES or 0x4000_0000 <= place < 0x4000_0000 + TEXT_BYTES, said
        assert place >= 0x40 and place not in start, f"{place:#x} is in the start-up code:\n{said}"


@each_program
def test_it_is_valid(program: str) -> None:
    if shutil.which("llvm-dwarfdump") is None:
        pytest.skip("there is no llvm-dwarfdump")
    elf = PROGRAMS[program]()
    done = subprocess.run(["llvm-dwarfdump", "--verify", str(elf)], capture_output=True, text=True, check=False)
    assert "No errors." in done.stdout, done.stdout


@each_program
def test_what_is_clean_stays_as_it_is(program: str) -> None:
    content = PROGRAMS[program]().read_bytes()
    assert debug_info.without_dropped(content) == content
