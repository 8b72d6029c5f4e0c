# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench speed` on a small row, against this very tree."""

import pytest

from nsoc.bench import speed
from nsoc.machine.build import checkout


@pytest.mark.slow
def test_a_tree_against_itself_simulates_the_same_cycles() -> None:
    (polling,) = speed.run(["polling"], against=checkout(), pairs=1, part=0.1).measured
    (ours,), (theirs,) = polling.ours, polling.theirs
    assert ours.cycles == theirs.cycles == 125_000  # 1 ms of 125 MHz
    assert ours.evaluations == theirs.evaluations and ours.seconds > 0 and theirs.seconds > 0
    assert polling.edges_left_out is not None and 0 < polling.edges_left_out < 1
