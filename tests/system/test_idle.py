# SPDX-License-Identifier: Apache-2.0
"""Time in which nothing happens is left out, and nobody can tell but by how often the model was evaluated."""

import random
from pathlib import Path
from typing import Any

import pytest
from runs import slow
from socs import CACHES, EVERYTHING, TOE, without_skipping
from traffic import echo, frame

import nsoc
import nsoc.machine.soc
from nsoc.machine import firmware, presets

LOG, RECORD_WORDS, RECORDS = 0x4010_0000, 20, 8
MS = 1000.0
CSRS = (0x300, 0x341, 0x342, 0xB00, 0xB80, 0xB02, 0xB82)  # mstatus, mepc, mcause, mcycle, minstret

# Sends frames back and sleeps. Its timer wakes it a few times: then it writes down what all clocks and counters say.
PROGRAM = f"""
#include "arch.h"
#include "ethernet.h"
#include "nic.h"
#include "nic_time.h"
#include "trap.h"
#include "uart.h"

#define CSR(name) ({{ uint32_t value; __asm__ volatile("csrr %0, " name : "=r"(value)); value; }})

static const uint32_t after[] = {{24000, 1001, 50000, 3333, 100007, 8, 40000, 0}};
static uint32_t wakes;

static void note(uint32_t word) {{
    static volatile uint32_t *next = (volatile uint32_t *){LOG:#x}u;
    *next++ = word;
}}

static void wake_up(void) {{
    const uint64_t ptp = nic_ptp_now(NSOC_NIC);
    uint32_t before = NSOC_TIMER->mtime_low;
    uint32_t words[{RECORD_WORDS}] = {{
        before, NSOC_TIMER->mtime_high, (uint32_t)ptp, ptp >> 32, CSR("mcycle"), CSR("mcycleh"), CSR("minstret"),
        CSR("mhpmcounter3"), CSR("mhpmcounter4"), CSR("mhpmcounter5"), CSR("mhpmcounter6"), CSR("mhpmcounter7"),
        CSR("mhpmcounter8"), CSR("mhpmcounter9"), CSR("mhpmcounter10"), CSR("mhpmcounter11")}};
    for (unsigned i = 0; i < {RECORD_WORDS}; i++) note(words[i]);
    uint32_t wait = wakes < {RECORDS} ? after[wakes++] : 0;
    NSOC_TIMER->mtimecmp_low = before + wait;
    NSOC_TIMER->mtimecmp_high = wait ? 0 : ~0u;
    if (wakes == 3) nic_ptp_rate(NSOC_NIC, 0x80123457u);
}}

uint32_t trap_handler(uint32_t cause, uint32_t pc, uint32_t value) {{
    if (cause == 0x80000007u) {{
        wake_up();
        return pc;
    }}
    if (cause != ARCH_TRAP_EXTERNAL_INTERRUPT) trap_report(cause, pc, value);
    nsoc_buffer_t *buffer;
    while ((buffer = nic_receive(NSOC_NIC, 0))) {{
        ethernet_swap_addresses(buffer);
        while (!nic_transmit(NSOC_NIC, 0, buffer)) {{}}
    }}
    return pc;
}}

int main(void) {{
    NSOC_TIMER->mtimecmp_high = ~0u;
    nic_init(NSOC_NIC, 1, 0);
    nic_irq_enable(NSOC_NIC, NSOC_NIC_IRQ_MASK_RX_READY);
    uart_puts("ready\\n");
    wake_up();
    __asm__ volatile("csrs mie, %0" : : "r"(1u << 7));
    for (;;) arch_sleep();
}}
"""


def seen(soc: nsoc.Soc) -> dict[str, Any]:
    """Everything that can be seen without time passing."""
    probes = {name: soc._sim.probe(name) for name in soc._sim.probes() if name != "dram.edges_left_out"}
    frames = [(f.start_ps, f.end_ps, f.start_cycle, f.gap, f.data) for f in soc.wire.receive_all()]
    log = soc.peek(LOG, 4 * RECORD_WORDS * (RECORDS + 2))
    return {"time": (soc.cycles, soc.time_ps), "probes": probes, "frames": frames, "log": log, "text": soc.uart.text}


def mixed_run(
    preset: presets.Preset, program: Path, seed: int, checks: bool = False
) -> tuple[list[dict[str, Any]], int]:
    """What is seen at several times in a run of traffic, timer interrupts and silence, and the evaluations it took."""
    rng = random.Random(seed)
    history = []
    with nsoc.Soc(preset, program, seed, checks=checks) as soc:
        soc.run(us=5 * MS, text="ready\n")
        for silence in (60.3, 1500.0, 333.3, 1500.0):
            for _ in range(rng.randrange(1, 8)):
                soc.wire.send(frame(rng.randrange(60, 1515), rng), not_before=soc.cycles + rng.randrange(6000))
            soc.run(us=40.0)
            history.append(seen(soc))
            soc.wire.send(frame(100, rng), not_before=soc.cycles + soc.cycles_in(silence * 0.8))
            soc.run(us=silence)
            history.append(seen(soc))
            soc.run(us=100 * MS, idle_us=150.7)
            history.append(seen(soc))
        soc.uart.write("x")
        soc.run(us=100)
        debugger = soc.debugger()
        debugger.halt()
        registers = [debugger.x(number) for number in range(32)] + [debugger.csr(number) for number in CSRS]
        history.append({"registers": registers, **seen(soc)})
        return history, soc._sim.evaluations


VARIANTS = {
    "default": presets.load(),
    "clocks that drift": presets.load().with_(rx_ppm=80.0, tx_ppm=-60.0, nic_ppm=30.0),
    "slow NIC": presets.load().with_(nic_mhz=50.0, cpu_mhz=83.3),
    "100 Mb/s": presets.load().with_(line_mbps=100, rx_ppm=-33.3),
}
SHARED = {"one clock, L2": CACHES, "two cores": EVERYTHING, "TCP/IP engine": TOE}
"""With the simulators of other tests, which have assertions."""
THOROUGH = pytest.param("TCP/IP engine", marks=pytest.mark.long)
"""The longest by far."""


def program(preset: presets.Preset, folder: Path) -> Path:
    source = folder / "sleeper.c"
    source.write_text(PROGRAM, encoding="ascii")
    return firmware.compile_program("sleeper", [source], preset.firmware_defines())


@pytest.mark.parametrize("variant", [*VARIANTS, *slow(list(SHARED)[:2]), THOROUGH])
def test_leaving_out_idle_time_changes_nothing(variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = (VARIANTS | SHARED)[variant]
    left, few = mixed_run(preset, program(preset, tmp_path), 3, variant in SHARED)
    without_skipping(monkeypatch)
    right, many = mixed_run(preset, program(preset, tmp_path), 3, variant in SHARED)
    for one, other in zip(left, right, strict=True):
        assert one == other
    assert right[-1]["log"].count(b"\0" * 4 * RECORD_WORDS) == 2  # all interrupts came
    assert few * 3 < many


@pytest.mark.slow
def test_a_nic_that_polls_memory_is_never_at_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = presets.load("nic11-fast")
    left, few = mixed_run(preset, program(preset, tmp_path), 4, checks=True)
    without_skipping(monkeypatch)
    right, many = mixed_run(preset, program(preset, tmp_path), 4, checks=True)
    assert left == right and few >= many


def test_a_second_of_silence_takes_few_evaluations() -> None:
    with nsoc.Soc(firmware="forward_irq") as soc:
        soc.run(us=5 * MS, text="ready\n")
        before = soc._sim.evaluations
        assert soc.run(us=1000 * MS, idle_us=1001 * MS) == "time"
        assert soc._sim.evaluations - before <= 10_000
        data = frame(60, random.Random(1))
        soc.wire.send(data)
        soc.run(us=100, frames=1)
        back = soc.wire.receive()
        assert back is not None and back.data == echo(data)


@pytest.mark.slow
def test_ten_seconds_of_silence_of_the_engine_take_few_evaluations() -> None:
    """Ages of neighbours are looked at meanwhile: each sixteenth of their life, and else never."""
    with nsoc.Soc(TOE, "toe_net", checks=True) as soc:
        soc.run(us=20 * MS, text="ready")
        soc.run(us=MS)
        before = soc._sim.evaluations
        soc.run(us=MS)
        assert soc._sim.evaluations - before < 0.1 * soc.cycles_in(MS), "so ten seconds would take an hour"
        before = soc._sim.evaluations
        assert soc.run(us=10_000 * MS, idle_us=10_001 * MS) == "time"
        few = soc._sim.evaluations - before
        print(f"{few} evaluations")
        assert few <= 1_000_000


def test_a_processor_that_waits_without_sleeping_is_simulated() -> None:
    with nsoc.Soc(firmware="forward") as soc:
        soc.run(us=5 * MS, text="ready\n")
        before = soc._sim.evaluations
        soc.run(us=200)
        assert soc._sim.evaluations - before > 2 * soc.cycles_in(200)


def test_a_soc_at_rest_says_until_when() -> None:
    with nsoc.Soc(firmware="forward_irq") as soc:
        sim = soc._sim
        soc.run(us=5 * MS, text="ready\n")
        assert sim.quiet_until_fs == sim.time_fs
        soc.run(us=MS)
        assert sim.quiet_until_fs > sim.time_fs + 10**18  # for ever: more than 1000 s
        sent = soc.wire.send(frame(60, random.Random(1)), not_before=soc.cycles + 100_000)
        until = sim.quiet_until_fs
        soc.run(us=2 * MS, sent=0)
        # The preamble, and the pins change a clock before they are taken.
        assert 0 < 1000 * sent.start_ps - until <= 9 * 8_000_000
        assert sim.quiet_until_fs == sim.time_fs
        soc.run(us=2 * MS, frames=1)
        assert sim.time_fs > until


def test_what_comes_after_a_jump_is_seen_at_its_time() -> None:
    """A byte typed, and memory written behind the SoC's back, right after time was left out."""
    with nsoc.Soc(firmware="forward_irq") as soc:
        soc.run(us=5 * MS, text="ready\n")
        soc.run(us=20 * MS)
        before = soc._sim.evaluations
        soc.uart.write("?")
        soc.run(us=10)  # ten bits of 100 ns
        assert soc._sim.evaluations - before > soc.cycles_in(1)
        soc.load(LOG, b"news")
        soc.run(us=20 * MS)
        assert soc.peek(LOG, 4) == b"news"
