# SPDX-License-Identifier: Apache-2.0
"""Figures of docs/data/figures.json, measured anew: to the last digit what the file has.

`make test-slow` takes a dozen whose simulators it has built anyway, and one of another preset, drawn by the tree that
is tested; `make test-long` takes all.
"""

from importlib.util import find_spec

import pytest

from nsoc import figures
from nsoc.bench.draw import Drawn, differences, drawn
from nsoc.bench.suites import AREA, SUITES, Point, point_of
from nsoc.docs.figures import git
from nsoc.errors import NsocError
from nsoc.figures import Row

BUILT = ("nic12-fast", "nic12-dram", "mac-example")
"""Presets whose plain simulators the slow run builds anyway, for test_bench_thesis and test_bench_mac_example, too."""
DOZEN, DOZEN_SECONDS = 12, 120.0
OTHER_SECONDS = 60.0


def seed() -> str:
    """Of the tree, so that each commit draws others; of the file where there is no repository."""
    try:
        return git("rev-parse", "HEAD^{tree}")
    except NsocError:
        return figures.to_text(figures.load().values())[-200:]


def say(chosen: list[Drawn], by: str) -> None:
    print(f"drawn by {by}:")
    for one in chosen:
        for row in one.rows:
            print(f"  {row.name} = {row.value!r}")


@pytest.mark.slow
def test_a_drawn_dozen_of_figures_is_measured_to_the_digit() -> None:
    chosen = drawn(figures.load().values(), seed(), DOZEN, DOZEN_SECONDS, BUILT)
    say(chosen, seed())
    assert sum(len(one.rows) for one in chosen) == DOZEN
    assert not differences(chosen)


@pytest.mark.slow
def test_a_drawn_figure_of_another_preset_is_measured_to_the_digit() -> None:
    chosen = drawn(figures.load().values(), seed(), 1, OTHER_SECONDS, BUILT, among=False)
    say(chosen, seed())
    assert len(chosen) == 1
    assert not differences(chosen)


def points(suite: str) -> list[Drawn]:
    """All that are kept; those of synthesis where its tools are installed."""
    left_out = set() if find_spec("pyosys") else AREA
    found: dict[tuple[str, str], tuple[Point, list[Row]]] = {}
    for row in figures.load().values():
        if row.bench == suite and row.value is not None and row.metric not in left_out:
            point = point_of(row)
            found.setdefault((point.suite, point.name), (point, []))[1].append(row)
    return [Drawn(point, tuple(rows)) for point, rows in found.values()]


@pytest.mark.long
@pytest.mark.parametrize("suite", SUITES)
def test_every_figure_is_measured_to_the_digit(suite: str) -> None:
    assert not differences(points(suite))
