# SPDX-License-Identifier: Apache-2.0
"""firmware/lib/copy.h in the whole SoC, by the engine and by the processor: bytes, CRCs and checksums are what loads
find, in packet memory and behind the data cache, while frames flow."""

import random
import re
import zlib
from pathlib import Path

import pytest
from runs import some
from socs import EVERYTHING
from traffic import boot, check_conservation, echo, frame, settle

from nsoc.machine import firmware, presets

pytestmark = pytest.mark.slow

PRESETS = {
    "engine": EVERYTHING,
    "nic12-dma": presets.load("nic12-dma"),
    "by the processor": presets.load("nic12-dma").with_(dma=False),
    "two cores, L2, engine": presets.load("nic12-l2").with_(dma=True, cores=2),
    "one clock": presets.load("nic12-dma").with_(one_clock=True, cpu_mhz=125),
    "SPARC V8": presets.load("ajit-nic12-dma"),
}


@pytest.mark.parametrize(
    ("name", "pieces"), some([("engine", 5), ("by the processor", 2)], [(name, 300) for name in PRESETS])
)
def test_pieces_arrive_as_they_were_while_frames_flow(name: str, pieces: int) -> None:
    rng = random.Random(name)
    frames = [frame(rng.choice([60, rng.randrange(60, 1515), 1514]), rng) for _ in range(8 * pieces)]
    with boot(PRESETS[name], firmware="copy", defines={"PIECES": pieces}) as soc:
        for data in frames:
            soc.wire.send(data, ifg=rng.choice([12, 400, 4000]))
        soc.run(us=2000 * pieces + 40_000, text="end\n")
        received = settle(soc)
        assert f"moved {pieces} pieces there and back, wrong: 0\n" in soc.uart.text
        # The processor was at the pieces, so frames may have found no buffer; what came back is in order and unchanged.
        sent = iter(echo(data) for data in frames)
        assert all(r.good and r.data in sent for r in received)
        check_conservation(soc, len(frames), len(received))


def test_the_engine_moves_a_dword_a_cycle() -> None:
    with boot(EVERYTHING, firmware="copy", defines={"PIECES": 0}) as soc:
        soc.run(us=2000, text="end\n")
        cycles = {what: int(count) for what, count in re.findall(r"(\S.*): (\d+) cycles for 1480", soc.uart.text)}
    dwords = 1480 // 8
    assert set(cycles) == {
        "DRAM to packet memory", "packet memory to DRAM", "packet memory to packet memory", "DRAM to DRAM",
    }  # fmt: skip
    for what, count in cycles.items():
        source, destination = what.split(" to ")
        accesses = dwords * (2 if source == destination else 1)  # a memory takes one a cycle
        assert accesses < count < accesses + 50, what


PROGRAM = """
#include "copy.h"
#include "trap.h"
#include "uart.h"

static uint8_t from[64], to[64];
static const uint8_t rom[] = "0123456789abcdef";
static unsigned errors;

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause != ARCH_TRAP_LOAD_ERROR) trap_report(cause, pc, value);
    errors++;
    return arch_trap_next(pc);
}

static void say(const char *what) {
    copy_result_t result = {0};
    while (!copy_take(&result)) {}
    uart_puts(what);
    uart_puts(result.failed ? " failed " : " moved ");
    uart_put_hex(result.crc);
    uart_puts("\\n");
}

int main(void) {
    for (unsigned i = 0; i < 64; i++) from[i] = (uint8_t)i;
#if NSOC_HAS_DMA
    NSOC_INTC->enable = 1u << NSOC_IRQ_DMA;
    copy_start(to, (void *)0x60000000u, 20, COPY_CRC);
    copy_start(0, from, 20, COPY_CRC);
    copy_start(NSOC_DMA, from, 20, COPY_CRC);
    say("from nowhere");
    say("to the boot ROM");
    say("to registers");
    uart_puts(arch_interrupt_pending() ? "interrupt\\n" : "no interrupt\\n");
    copy_start(to, from, 0, COPY_CRC | COPY_IRQ);
    while (!arch_interrupt_pending()) {}
    say("nothing");
    uart_puts(arch_interrupt_pending() ? "interrupt\\n" : "no interrupt\\n");
#endif
    copy_start(to + 3, from + 5, 50, COPY_CRC);
    say("one");
    copy_start(to + 1, rom + 3, 11, COPY_CRC);
    say("one from the boot ROM");
    uart_puts(to[1] == '3' && to[11] == 'd' ? "there\\n" : "not there\\n");
    (void)NSOC_DMA->status;
    uart_puts(errors ? "no registers\\n" : "registers\\n");
    uart_puts("end, ready\\n");
    for (;;) arch_sleep();
}
"""


@pytest.mark.parametrize("name", some(["engine", "by the processor"], ["nic12-dma", "SPARC V8"]))
def test_a_failed_copy_says_so_and_the_next_one_is_done(name: str, tmp_path: Path) -> None:
    preset = PRESETS[name]
    source = tmp_path / "errors.c"
    source.write_text(PROGRAM, encoding="ascii")
    elf = firmware.compile_program("errors", [source], preset.firmware_defines(), arch=preset.core)
    with boot(preset, firmware=elf) as soc:
        said = soc.uart.text.splitlines()
    moved = [
        f"one moved 0x{zlib.crc32(bytes(range(5, 55))):08x}",
        f"one from the boot ROM moved 0x{zlib.crc32(b'3456789abcd'):08x}",
        "there",
    ]
    if preset.dma:
        failed = [f"{what} failed 0x00000000" for what in ("from nowhere", "to the boot ROM", "to registers")]
        irq = ["no interrupt", "nothing moved 0x00000000", "no interrupt"]
        assert said == [*failed, *irq, *moved, "registers", "end, ready"]
    else:
        assert said == [*moved, "no registers", "end, ready"]
