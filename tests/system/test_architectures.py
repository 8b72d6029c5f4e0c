# SPDX-License-Identifier: Apache-2.0
"""The six memory architectures: one RTL, one firmware, and on each of them the same frames come back.

Every frame has a content of its own and the buffers are used many times over, so that a stale line in any cache shows.
"""

import random

import pytest
from runs import some
from traffic import BUFFERS, boot, check_conservation, echo, frame, settle

from nsoc.machine import presets

pytestmark = pytest.mark.slow

SOCS = [preset.name for preset in presets.all_presets() if preset.has_processor]
SHORT = ["nic11-fast", "nic12-dram"]  # both NICs, both memories, each built for other tests too
OTHERS = [name for name in SOCS if name not in SHORT]
BURST = 2  # maximum frames that the smallest FIFO holds beside what is on its way


def test_all_six_are_there() -> None:
    published = {f"nic{nic}-{memory}" for nic in (11, 12) for memory in ("dram", "fast", "l2")}
    assert published <= set(SOCS)


@pytest.mark.parametrize("preset", some(SHORT, OTHERS))
def test_frames_of_all_sizes_come_back_unchanged_and_in_order(preset: str) -> None:
    rng = random.Random(preset)
    lengths = [60, 61, 78, 142, 1514, *(rng.randrange(60, 1515) for _ in range(3 * BUFFERS))]
    with boot(preset) as soc:
        for at in range(0, len(lengths), BURST):
            burst = [frame(length, rng) for length in lengths[at : at + BURST]]
            for data in burst:
                soc.wire.send(data)
            soc.run(us=2000, frames=len(burst))
            received = soc.wire.receive_all()
            assert all(r.good for r in received)
            assert [r.data for r in received] == [echo(f) for f in burst]
        settle(soc)
        check_conservation(soc, len(lengths), len(lengths))


@pytest.mark.parametrize("preset", some(SHORT, OTHERS))
def test_at_line_rate_nothing_is_lost_that_is_not_counted(preset: str) -> None:
    rng = random.Random(preset)
    frames = [frame(rng.choice([60, 78, 142, 590, 1514]), rng) for _ in range(300)]
    with boot(preset) as soc:
        for data in frames:
            soc.wire.send(data)
        received = settle(soc, idle_us=500)
        wanted = iter([echo(f) for f in frames])
        assert all(r.good and r.data in wanted for r in received), "what was not dropped comes back whole and in order"
        check_conservation(soc, len(frames), len(received))
