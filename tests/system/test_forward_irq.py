# SPDX-License-Identifier: Apache-2.0
"""Frames through the whole SoC by interrupt: nothing is lost, the processor sleeps, moderation spares interrupts."""

import random

import pytest
from runs import seeds
from socs import CORES
from traffic import boot, check_conservation, echo, frame, settle

import nsoc
from nsoc.machine import presets
from nsoc.machine.debug import Halt
from nsoc.machine.memory_map import CSRS

pytestmark = pytest.mark.slow

MODERATED = {"IRQ_FRAMES": 8, "IRQ_CYCLES": 20_000}


def booted(defines: dict[str, int | str] | None = None, seed: int = 1, preset: str = presets.DEFAULT) -> nsoc.Soc:
    return boot(preset, firmware="forward_irq", seed=seed, defines=defines or {})


@pytest.mark.parametrize("preset", CORES)
@pytest.mark.parametrize("defines", [{}, MODERATED, {"IRQ_FRAMES": 255, "IRQ_CYCLES": 1}], ids=str)
def test_every_length_comes_back_with_addresses_swapped(defines: dict[str, int | str], preset: str) -> None:
    rng = random.Random(1)
    frames = [frame(length, rng) for length in range(60, 1515, 7)]
    with booted(defines, preset=preset) as soc:
        for data in frames:
            soc.wire.send(data)
        received = settle(soc, idle_us=400)
        assert all(r.good for r in received)
        assert [r.data for r in received] == [echo(f) for f in frames]
        check_conservation(soc, len(frames), len(received))


@pytest.mark.parametrize("preset", CORES)
@pytest.mark.parametrize("seed", seeds(1, 3))
@pytest.mark.parametrize("frames", [1, 4])
def test_random_bursts_and_pauses_leave_no_frame_waiting(seed: int, frames: int, preset: str) -> None:
    rng = random.Random(f"{seed} {frames}")
    with booted({"SERVERS": 0xF, "IRQ_FRAMES": frames, "IRQ_CYCLES": 3000}, seed, preset) as soc:
        sent = back = 0
        for _ in range(40):
            pending = [echo(f) for f in (frame(rng.choice([60, 200, 1514]), rng) for _ in range(rng.randrange(1, 12)))]
            for data in pending:
                soc.wire.send(echo(data), ifg=rng.choice([12, rng.randrange(12, 3000)]))
            sent += len(pending)
            for r in settle(soc):
                assert r.good
                pending.remove(r.data)
                back += 1
            assert not pending, "a frame waits for an interrupt that does not come"
            soc.run(cycles=rng.randrange(1, 2000))
        check_conservation(soc, sent, back)


def instructions(soc: nsoc.Soc, cycles: int) -> int:
    """How many instructions the processor does in so many nic_clk cycles."""
    debugger = soc.debugger()
    before = debugger.csr(CSRS["minstret"])
    debugger.run(cycles)
    return debugger.csr(CSRS["minstret"]) - before


def test_the_processor_sleeps_while_nothing_arrives() -> None:
    rng = random.Random(2)
    with booted() as soc:
        soc.wire.send(frame(100, rng))
        assert len(settle(soc)) == 1
        assert instructions(soc, 100_000) == 0
        soc.wire.send(frame(100, rng))
        assert 20 < instructions(soc, 20_000) < 500, "awake for a frame"
        assert len(settle(soc)) == 1
    with boot() as polling:
        assert instructions(polling, 100_000) > 500, "what it is compared with"


def interrupts(defines: dict[str, int | str], count: int) -> int:
    """How many interrupts the processor takes for frames that come every 10 us."""
    rng = random.Random(3)
    with booted(defines) as soc:
        for _ in range(count):
            soc.wire.send(frame(60, rng), ifg=1250)
        debugger = soc.debugger()
        debugger.insert(debugger.csr(CSRS["mtvec"]))
        taken = 0
        while debugger.run(1250 * 40) is Halt.BREAKPOINT:
            taken += 1
        assert len(soc.wire.receive_all()) == count
        check_conservation(soc, count, count)
        return taken


def test_moderation_spares_interrupts() -> None:
    assert interrupts({}, 24) == 24
    assert interrupts(MODERATED, 24) == 3, "one for eight frames"
    assert interrupts({"IRQ_FRAMES": 255, "IRQ_CYCLES": 7500}, 24) in (3, 4), "one for the frames of 60 us"
