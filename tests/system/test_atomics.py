# SPDX-License-Identifier: Apache-2.0
"""Several harts: what they may see of each other, and what atomics keep (tests/support/atomics/atomics.c)."""

import random

import pytest
from runs import some
from socs import EVERYTHING

from nsoc.machine import firmware, presets
from nsoc.machine.soc import Soc

pytestmark = pytest.mark.slow

PROGRAM = str(firmware.checkout() / "tests" / "support" / "atomics" / "atomics.c")
LITMUS = ("MP", "MP.rl", "SB", "LB", "2+2W", "CoRR")
EACH_MEMORY = ("lock", "its data")
RESERVATIONS = ("ABA", "ABA of copies", "words beside", "sum", "failures too many", "stack")
SPARC = presets.load("ajit-nic12-fast").with_(cores=2, dma=True)
MORE = [
    EVERYTHING.with_(cores=3),
    presets.load("nic12-l2").with_(cores=4, dma=True),
    SPARC,
    presets.load("ajit-nic12-l2").with_(cores=4, dma=True),
]


@pytest.mark.parametrize("preset", some([EVERYTHING], MORE), ids=lambda preset: f"{preset.cores} cores, {preset.core}")
def test_harts_see_each_other_in_order_and_no_reservation_outlives_a_write(preset: presets.Preset) -> None:
    """Wrong outcomes by test, while the NIC stores and sends frames and the copy engine is at work."""
    rng = random.Random(preset.cores)
    with Soc(preset, PROGRAM, checks=True) as soc:
        soc.boot("ready\n")
        frames = [rng.randbytes(rng.randrange(60, 600)) for _ in range(100)]
        for frame in frames:
            soc.wire.send(frame)
        soc.run(us=200_000, text="done\n")
        found = dict(line.split(": ") for line in soc.uart.text.splitlines()[1:-1])
        tests = (*EACH_MEMORY, *(RESERVATIONS if preset.core == "rv32" else ()))
        names = [*LITMUS, *(f"{test} {memory}" for memory in ("local", "DRAM") for test in tests)]
        assert found == dict.fromkeys(names, "0")
        soc.run(us=10_000, frames=len(frames))
        assert [frame.data for frame in soc.wire.receive_all()] == frames
