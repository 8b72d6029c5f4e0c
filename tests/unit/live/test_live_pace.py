# SPDX-License-Identifier: Apache-2.0
"""Simulated time beside a clock on the wall that the test moves."""

import itertools
import random

import pytest
from runs import seeds

from nsoc.live.pace import Pace

MS = 10**6


def test_simulated_time_may_come_as_far_as_the_clock_on_the_wall() -> None:
    pace = Pace(1000, 70)
    assert pace.allowed(1000) == 70
    assert pace.allowed(1500) == 570
    assert pace.wall_until(1500, 570) == 0
    assert pace.wall_until(1500, 600) == 30


def test_what_simulated_time_lags_behind_is_dropped() -> None:
    pace = Pace(0, 0)
    pace.came(100 * MS, 1 * MS)  # slow: it took 100 ms
    assert pace.allowed(100 * MS) == 1 * MS, "nothing may be skipped at once"
    assert pace.wall_until(100 * MS, 251 * MS) == 250 * MS, "a timer of 250 ms gives Linux 250 ms"


def test_what_simulated_time_is_ahead_is_waited_for() -> None:
    pace = Pace(0, 0)
    pace.came(1 * MS, 3 * MS)
    assert pace.wall_until(1 * MS, 3 * MS) == 2 * MS
    pace.came(2 * MS, 3 * MS)
    assert pace.allowed(3 * MS) == 3 * MS


@pytest.mark.parametrize("seed", seeds(5, 50))
def test_from_whatever_moment_on_simulated_time_passes_no_faster(seed: int) -> None:
    rng = random.Random(seed)
    wall = simulated = 0
    pace = Pace(wall, simulated)
    lead = []
    for _ in range(1000):
        lead.append(simulated - wall)
        wall += rng.choice((0, 1, rng.randrange(10**6), rng.randrange(10**9)))
        if rng.random() < 0.5:  # idle: as far as is allowed, at once
            simulated = max(simulated, min(pace.allowed(wall), simulated + rng.randrange(10**9)))
        else:  # work, slower than the wall
            passed = rng.randrange(10**6)
            simulated, wall = simulated + passed // 100, wall + passed
        pace.came(wall, simulated)
    lead.append(simulated - wall)
    assert all(later <= earlier for earlier, later in itertools.pairwise(lead)), f"seed {seed}"
    assert simulated > 0
