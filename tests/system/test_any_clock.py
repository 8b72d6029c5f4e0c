# SPDX-License-Identifier: Apache-2.0
"""No frame begins on the line before it is certain that it ends, whatever the clocks are: nothing runs dry."""

import random

import pytest
from runs import seeds, some
from traffic import boot, check_conservation, echo, frame, settle

from nsoc.machine import presets

pytestmark = pytest.mark.slow

CLOCKS = some(
    [(10, 125), (80, 10), (30, 30), (125, 75), (1000, 125), (80, 500)],
    [(10, 10), (24, 125), (72, 125), (76, 76), (80, 125)],
)


@pytest.mark.parametrize("seed", seeds(1, 2))
@pytest.mark.parametrize(("cpu_mhz", "nic_mhz"), CLOCKS)
def test_every_frame_that_begins_ends_with_a_good_fcs(cpu_mhz: int, nic_mhz: int, seed: int) -> None:
    rng = random.Random(f"{cpu_mhz} {nic_mhz} {seed}")
    lengths = [*range(60, 100), *(rng.randrange(60, 1515) for _ in range(60)), 1514, 1514, 60, 60]
    frames = [frame(length, rng) for length in lengths]
    with boot(presets.load().with_(cpu_mhz=cpu_mhz, nic_mhz=nic_mhz), seed=seed) as soc:
        for data in frames:
            soc.wire.send(data)
        back = settle(soc, 1000)
        assert all(f.good for f in back)
        left = iter(echo(f) for f in frames)
        assert all(f.data in left for f in back), "in order, none changed"
        check_conservation(soc, len(frames), len(back))


@pytest.mark.parametrize(("cpu_mhz", "nic_mhz", "early"), [(80, 125, True), (60, 125, False), (80, 60, False)])
def test_a_frame_begins_before_it_is_whole_where_the_clocks_allow_it(cpu_mhz: int, nic_mhz: int, early: bool) -> None:
    """Then a long one leaves as soon behind its arrival as a short one, else it waits for all of itself."""
    rng = random.Random(cpu_mhz + nic_mhz)
    waits = {}
    with boot(presets.load().with_(cpu_mhz=cpu_mhz, nic_mhz=nic_mhz)) as soc:
        for length in (100, 1514):
            sent = soc.wire.send(frame(length, rng))
            (back,) = settle(soc)
            waits[length] = back.start_ps - sent.end_ps
    assert (waits[1514] - waits[100] < 500_000) == early, waits
