# SPDX-License-Identifier: Apache-2.0
"""What loss costs: the share of a line of 1 Gb/s that streams get, with 100 us of round trip and 1 ms of least timeout.

It is held against an ideal sender that is written otherwise. docs/tcp.md has the figures.
"""

from statistics import mean

import pytest
from runs import some
from tcp.ideal import ideal_share
from tcp.pipe import Mix
from tcp.share import share
from tcp.step import QUICK

LOSS = 0.01
SEEDS = range(1, 7)


def test_a_good_line_is_full() -> None:
    assert share(1, 20_000, Mix(), 1) > 0.98


def test_the_ideal_with_delayed_acknowledgements_has_the_share_that_is_known() -> None:
    assert ideal_share(100_000, 0.0, 1) > 0.99
    assert 0.82 < mean(ideal_share(400_000, LOSS, seed) for seed in SEEDS) < 0.88


@pytest.mark.parametrize(("connections", "us", "least"), some([], [(1, 100_000, 0.84), (64, 30_000, 0.97)]))
def test_one_percent_of_loss_leaves_most_of_the_line(connections: int, us: int, least: float) -> None:
    found = [share(connections, us, Mix(loss=LOSS), seed) for seed in SEEDS]
    print(connections, found)
    assert mean(found) > least
    if connections == 1:
        assert mean(found) > mean(ideal_share(400_000, LOSS, seed, quick=QUICK) for seed in SEEDS) - 0.03
