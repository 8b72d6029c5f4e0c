# SPDX-License-Identifier: Apache-2.0
"""What is drawn of the kept figures, and what is said of one that is not measured as it was."""

import msgspec
import pytest

from nsoc import figures
from nsoc.bench import draw
from nsoc.bench.draw import Drawn, differences, drawn
from nsoc.bench.suites import Point
from nsoc.figures import Row
from nsoc.records import Record

ROWS = [
    msgspec.structs.replace(figures.row_of(Record("b", preset, "cpi", float(n), f"m{n}")), commit="0123abcd")
    for preset in ("known", "other")
    for n in range(40)
]


@pytest.fixture(autouse=True)
def suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows are a point, of 10 s."""

    def point_of(row: Row) -> Point:
        number = int((row.mode or "")[1:])
        records = [Record("b", row.preset, "cpi", float(n), f"m{n}") for n in (number // 2 * 2, number // 2 * 2 + 1)]
        return Point("b", f"{row.preset} {number // 2}", (row.preset or "",), 10.0, lambda: records)

    monkeypatch.setattr(draw, "point_of", point_of)


def names(found: list[Drawn]) -> list[str]:
    return [row.name for one in found for row in one.rows]


def test_a_seed_draws_the_same_and_another_one_others() -> None:
    assert names(drawn(ROWS, "a", 12, 1e3, ["known"])) == names(drawn(ROWS[::-1], "a", 12, 1e3, ["known"]))
    assert names(drawn(ROWS, "a", 12, 1e3, ["known"])) != names(drawn(ROWS, "b", 12, 1e3, ["known"]))


def test_what_is_drawn_is_of_the_systems_that_are_there_or_of_others_and_in_time() -> None:
    here, there = drawn(ROWS, "a", 12, 1e3, ["known"]), drawn(ROWS, "a", 1, 1e3, ["known"], among=False)
    assert len(names(here)) == 12 and all("known" in name for name in names(here))
    assert len(names(there)) == 1 and "other" in names(there)[0]
    few = drawn(ROWS, "a", 12, 35.0, ["known"])
    assert len(few) == 3 and 3 <= len(names(few)) <= 6, "three points of 10 s"


def test_a_row_without_value_is_not_drawn() -> None:
    wishes = [msgspec.structs.replace(row, value=None, goal=1.0, commit=None) for row in ROWS]
    assert not drawn(wishes, "a", 12, 1e3, ["known"])


def test_a_digit_that_is_not_measured_so_is_told_and_a_figure_that_is_gone_too() -> None:
    chosen = drawn(ROWS, "a", 4, 1e3, ["known"])
    assert not differences(chosen)
    first = chosen[0].rows[0]
    wrong = msgspec.structs.replace(first, value=float(first.value or 0) + 1e-9)
    (said,) = differences([Drawn(chosen[0].point, (wrong,))])
    assert said.startswith(f"b known {first.mode} cpi: {first.value!r}, docs/data/figures.json has ")
    gone = msgspec.structs.replace(first, metric="warp")
    (said,) = differences([Drawn(chosen[0].point, (gone,))])
    assert said.endswith("gives no such figure")
