# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench speed` on a small row, against this very tree."""

import pytest

from nsoc.bench import speed
from nsoc.machine.build import checkout

pytestmark = pytest.mark.slow


def test_a_tree_against_itself_simulates_the_same_cycles() -> None:
    (polling,) = speed.run(["polling"], against=checkout(), pairs=1, part=0.1).measured
    (ours,), (theirs,) = polling.ours, polling.theirs
    assert ours.cycles == theirs.cycles == 125_000  # 1 ms of 125 MHz
    assert ours.evaluations == theirs.evaluations and ours.seconds > 0 and theirs.seconds > 0
    assert polling.edges_left_out is not None and 0 < polling.edges_left_out < 1


@pytest.mark.parametrize(("name", "clocks"), [("pnic", 4), ("lat-10g", 4)])
def test_programs_say_how_often_the_model_was_evaluated(name: str, clocks: int) -> None:
    """Once at each edge, and besides where pins are set: not at each."""
    (found,) = speed.run([name], pairs=1, part=0.01).measured
    each, edges = found.evaluations_per_cycle, (found.ours[0].edges or 0) / (found.ours[0].cycles or 1)
    assert each is not None and 1 < each <= 1.5 * edges
    assert edges > clocks / 2
