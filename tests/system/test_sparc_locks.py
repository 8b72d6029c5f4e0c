# SPDX-License-Identifier: Apache-2.0
"""LDSTUB and SWAP are atomic between harts, and against NIC and copy engine (tests/support/sparc/locks.c)."""

import random

import pytest
from runs import some

from nsoc.machine import firmware, presets
from nsoc.machine.soc import Soc

pytestmark = pytest.mark.slow

PROGRAM = str(firmware.checkout() / "tests" / "support" / "sparc" / "locks.c")
ROUNDS = 150
TWO = presets.load("ajit-nic12-fast").with_(cores=2, dma=True)
MORE = [TWO.with_(cores=3), presets.load("ajit-nic12-l2").with_(cores=4, dma=True)]


@pytest.mark.parametrize("preset", some([TWO], MORE), ids=lambda preset: f"{preset.cores} cores")
def test_locks_a_queue_and_swaps(preset: presets.Preset) -> None:
    rng = random.Random(preset.cores)
    with Soc(preset, PROGRAM, checks=True) as soc:
        soc.boot("ready\n")
        frames = [rng.randbytes(rng.randrange(60, 600)) for _ in range(300)]
        for frame in frames:
            soc.wire.send(frame)
        soc.run(us=100_000, text="done\n")
        each = f"count {preset.cores * ROUNDS} sums agree in order tokens {2**preset.cores - 1}"
        assert soc.uart.text == f"ready\nlocal memory: {each}\nDRAM: {each}\ncopies kept\ndone\n"
        soc.run(us=10_000, frames=len(frames))
        assert [frame.data for frame in soc.wire.receive_all()] == frames
        soc.run(us=100)
        pointers = [pointer for held in soc.pointers().values() for pointer in held]
        assert len(pointers) == len(set(pointers)) == 64, "each buffer is in one place"
