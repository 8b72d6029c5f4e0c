# SPDX-License-Identifier: Apache-2.0
"""Programs that are linked into DRAM, as a whole or in part: they do what they do in the boot ROM."""

import random
from pathlib import Path

import pytest
from traffic import boot, check_conservation, echo, frame, settle

from nsoc import Soc
from nsoc.errors import NsocError
from nsoc.hardware.synth import rom_file
from nsoc.machine import firmware, presets
from nsoc.machine.memory_map import BOOT_ROM_BYTES, DRAM_BASE

PRESET = presets.load("nic12-fast")
MEGABYTE = 1 << 20


def test_a_program_in_dram_is_reached_by_a_jump_in_the_boot_rom() -> None:
    elf = firmware.build_for(PRESET, "hello", place="dram")
    image = firmware.image(elf)
    assert image.entry >= DRAM_BASE and all(segment.address >= DRAM_BASE for segment in image.segments)
    jump, *others = firmware.segments(elf)
    assert others == image.segments and (jump.address, len(jump.data)) == (0, 8)
    with Soc(PRESET, elf, checks=True) as soc, Soc(PRESET, "hello", checks=True) as in_rom:
        for one in soc, in_rom:
            one.run(us=2000, idle_us=200)
        assert soc.uart.text == in_rom.uart.text != ""


def test_forward_runs_from_dram() -> None:
    rng = random.Random(1)
    frames = [frame(rng.randrange(60, 1515), rng) for _ in range(100)]
    with boot(firmware=firmware.build_for(PRESET, "forward", place="dram")) as soc:
        for data in frames:
            soc.wire.send(data, ifg=1000)
        assert [r.data for r in settle(soc)] == [echo(data) for data in frames]
        check_conservation(soc, len(frames), len(frames))


PARTS = """
#include "uart.h"
#define IN_DRAM(kind) __attribute__((section(kind ".dram.test"), noinline))
#define TABLE_BYTES 70000u

static IN_DRAM(".rodata") const unsigned char table[TABLE_BYTES] = {[0] = 3, [TABLE_BYTES - 1] = 4};
static unsigned counter = 5, cleared;

__attribute__((noinline)) static unsigned in_rom(unsigned x) { return x + counter; }
IN_DRAM(".text") static unsigned in_dram(unsigned x) { return in_rom(x) * table[0] + table[x]; }

int main(void) {
    uart_put_hex((unsigned)(unsigned long)in_rom);
    uart_puts(" ");
    uart_put_hex((unsigned)(unsigned long)in_dram);
    uart_puts(" ");
    uart_put_dec(in_dram(TABLE_BYTES - 1));
    uart_puts(" ");
    uart_put_dec(cleared++ + counter++);
    uart_puts("\\nend\\n");
    return 0;
}
"""


@pytest.mark.parametrize("place", ["rom", "dram"])
def test_a_part_of_a_program_may_lie_in_dram(place: firmware.Place, tmp_path: Path) -> None:
    source = tmp_path / "parts.c"
    source.write_text(PARTS, encoding="ascii")
    elf = firmware.compile_program("parts", [source], place=place)
    ends = [segment.address + len(segment.data) for segment in firmware.image(elf).segments]
    assert any(end < BOOT_ROM_BYTES for end in ends) == (place == "rom")
    assert any(DRAM_BASE + 70_000 < end < DRAM_BASE + MEGABYTE for end in ends)
    with Soc(PRESET, elf, checks=True) as soc:
        soc.run(us=2000, text="end\n")
        in_rom, in_dram, value, counted = soc.uart.text.split()[:4]
    assert (int(in_rom, 16) >= DRAM_BASE) == (place == "dram")
    assert int(in_dram, 16) >= DRAM_BASE
    assert int(value) == (70_000 - 1 + 5) * 3 + 4
    assert int(counted) == 5


def test_a_program_that_leaves_no_room_for_its_stack_is_not_linked(tmp_path: Path) -> None:
    source = tmp_path / "large.c"
    source.write_text(PARTS.replace("70000u", "1000000u"), encoding="ascii")
    with pytest.raises(NsocError, match="leaves less than 64 KB of the first megabyte for the stack"):
        firmware.compile_program("large", [source])


def test_a_board_begins_without_dram(tmp_path: Path) -> None:
    elf = firmware.build_for(PRESET, "hello", place="dram")
    with pytest.raises(NsocError, match=r"hello\.elf .* in DRAM, which is empty at power-on: .*boot ROM"):
        rom_file(elf, BOOT_ROM_BYTES, tmp_path, "rv32")


@pytest.mark.parametrize("entry", [0x4000_0000, 0x4000_07FC, 0x4000_0800, 0x4000_0FFC, 0x4FFF_F7FC, 0x4FFF_FFFC])
def test_the_jump_goes_where_it_should(entry: int) -> None:
    """By the RISC-V manual: lui, then jalr without a link."""
    code = firmware.ARCHITECTURES["rv32"].jump(entry)
    lui, jalr = (int.from_bytes(code[at : at + 4], "little") for at in (0, 4))
    register = lui >> 7 & 31
    assert lui & 0x7F == 0b0110111 and register != 0
    assert jalr & 0x7F == 0b1100111 and jalr >> 12 & 7 == 0 and jalr >> 7 & 31 == 0 and jalr >> 15 & 31 == register
    low = jalr >> 20
    assert ((lui & 0xFFFFF000) + (low - 4096 if low & 0x800 else low)) & 0xFFFF_FFFF == entry
