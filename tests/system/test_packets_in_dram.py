# SPDX-License-Identifier: Apache-2.0
"""Packet buffers in DRAM, where the data cache holds what the NIC writes: no frame has a byte of an old one."""

import random
from pathlib import Path

import pytest
from runs import some
from socs import CACHES
from traffic import BUFFERS, boot, check_conservation, echo, settle

from nsoc import Soc
from nsoc.machine import firmware, presets, regs
from nsoc.machine.presets import DRAM_PACKET_BASE, Preset

pytestmark = pytest.mark.slow

BUFFER_BYTES = 2048
PRESETS = {
    "nic12-dram": presets.load("nic12-dram"),
    "tiny L2, large data cache, one clock": CACHES,
    "nic12-l2": presets.load("nic12-l2"),
    "tiny L2": presets.load("nic12-l2").with_(l2_bytes=1024),
    "large data cache": presets.load("nic12-dram").with_(icache_bytes=1024, dcache_bytes=65536),
    "small data cache": presets.load("nic12-dram").with_(icache_bytes=65536, dcache_bytes=1024),
}
LENGTHS = (*range(60, 132), 255, 256, 257, 511, 512, 1023, 1024, 1025, 1500, 1513, 1514)


def frame(length: int, rng: random.Random) -> bytes:
    """Nothing is as in another frame, not even the addresses, which the processor swaps."""
    data = bytearray(rng.randbytes(length))
    data[0] &= 0xFE  # addresses of one station each
    data[6] &= 0xFE
    return bytes(data)


@pytest.fixture(params=some(list(PRESETS)[:2], list(PRESETS)[2:]))
def preset(request: pytest.FixtureRequest) -> Preset:
    return PRESETS[request.param]


def test_every_frame_comes_back_with_its_own_content_when_buffers_are_used_again(preset: Preset) -> None:
    rng = random.Random(11)
    with boot(preset=preset) as soc:
        count = 0
        while count < 3 * BUFFERS:
            burst = [frame(rng.choice(LENGTHS), rng) for _ in range(rng.randrange(1, 40))]
            for data in burst:
                soc.wire.send(data, ifg=rng.choice([12, 400, 2000]))
            count += len(burst)
            back = settle(soc)
            assert [r.data for r in back] == [echo(data) for data in burst]
            assert all(r.good for r in back)
        check_conservation(soc, count, count)


def test_every_length_comes_back_from_dram(preset: Preset) -> None:
    rng = random.Random(12)
    frames = [frame(length, rng) for length in LENGTHS]
    with boot(preset=preset) as soc:
        for data in frames:
            soc.wire.send(data)
        back = settle(soc)
        assert [r.data for r in back] == [echo(data) for data in frames]
        check_conservation(soc, len(frames), len(frames))


def in_buffers(soc: Soc, length: int) -> set[bytes]:
    """What each packet buffer holds where frames are, as the simulator sees memory."""
    first = DRAM_PACKET_BASE + regs.BUFFER_FRAME_OFFSET
    return {soc.peek(first + i * BUFFER_BYTES, length) for i in range(BUFFERS)}


def test_peek_shows_what_is_newer_in_the_l2_cache_than_in_dram(preset: Preset) -> None:
    rng = random.Random(13)
    length = 200
    with boot(preset=preset) as soc:
        for _ in range(2):  # the second time each buffer is used again
            frames = [frame(length, rng) for _ in range(BUFFERS)]
            for data in frames:
                soc.wire.send(data, ifg=2000)
            assert [r.data for r in settle(soc)] == [echo(data) for data in frames]
            assert in_buffers(soc, length) == {echo(data) for data in frames}


def test_what_is_loaded_behind_the_cache_is_there(preset: Preset) -> None:
    rng = random.Random(14)
    with boot(preset=preset) as soc:
        soc.wire.send(frame(500, rng))
        settle(soc)
        before = soc.peek(DRAM_PACKET_BASE, BUFFER_BYTES)
        assert any(before)
        for at, data in ((0, rng.randbytes(1)), (61, rng.randbytes(70)), (600, rng.randbytes(300))):
            soc.load(DRAM_PACKET_BASE + at, data)
            before = before[:at] + data + before[at + len(data) :]
            assert soc.peek(DRAM_PACKET_BASE, BUFFER_BYTES) == before


# LR goes around the L1 cache: it finds what is in the L2 cache, or in DRAM.
MAILBOX = DRAM_PACKET_BASE + 0x10_0000
PROGRAM = f"""
#include "nsoc_regs.h"
#include "uart.h"

int main(void) {{
    volatile uint32_t *mailbox = (volatile uint32_t *){MAILBOX:#x}u;
    uint32_t word;
    for (unsigned i = 0; i < 4096; i++) mailbox[i] = 0;
    uart_puts("ready\\n");
    do __asm__ volatile("lr.w %0, (%1)" : "=r"(word) : "r"(mailbox)); while (!word);
    uart_put_hex(word);
    uart_puts("\\nsize ");
    uart_put_dec(NSOC_L2->size);
    uart_puts("\\nhits ");
    uart_put_dec(NSOC_L2->hits);
    uart_puts("\\nmisses ");
    uart_put_dec(NSOC_L2->misses);
    uart_puts("\\nwrite_backs ");
    uart_put_dec(NSOC_L2->write_backs);
    uart_puts("\\nend\\n");
    for (;;) {{}}
}}
"""


def test_a_program_finds_what_was_loaded_and_what_its_l2_cache_did(preset: Preset, tmp_path: Path) -> None:
    source = tmp_path / "mailbox.c"
    source.write_text(PROGRAM, encoding="ascii")
    with boot(preset=preset, firmware=firmware.compile_program("mailbox", [source])) as soc:
        word = 0x1234_5678
        soc.load(MAILBOX, word.to_bytes(4, "little"))
        soc.run(us=5000, text="end\n")
        lines = soc.uart.text.split()
        assert f"0x{word:08x}" in lines
        found = {name: int(lines[lines.index(name) + 1]) for name in ("size", "hits", "misses", "write_backs")}
        assert found["size"] == preset.l2_bytes
        lines_written = 4096 * 4 // 64
        if not preset.l2_bytes:
            assert found["hits"] == found["misses"] == found["write_backs"] == 0
        else:
            assert found["hits"] >= 15 * lines_written  # 16 words a line, the first one misses
            assert lines_written <= found["misses"] < lines_written + 100
            fit = preset.l2_bytes // 64
            assert max(0, lines_written - fit) <= found["write_backs"] <= found["misses"]
