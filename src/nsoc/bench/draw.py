# SPDX-License-Identifier: Apache-2.0
"""Which figures of docs/data/figures.json a test measures again: some drawn by a seed, in a given time."""

import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsoc import figures
from nsoc.bench.suites import AREA, Point, point_of
from nsoc.figures import Key, Row
from nsoc.records import Record


@dataclass(frozen=True)
class Drawn:
    """Figures that are measured at once."""

    point: Point
    rows: tuple[Row, ...]


def drawn(
    rows: Iterable[Row], seed: str, count: int, seconds: float, systems: Sequence[str], *, among: bool = True
) -> list[Drawn]:
    """At most `count` rows whose simulators are of `systems` (`among`: of no other; else: of others alone), so that
    measuring them takes no more than `seconds` of an idle core. The same seed draws the same of the same file.

    Of each bench in turn: some have a hundred times as many figures as others.
    """
    order = _in_turn([row for row in rows if row.value is not None and row.metric not in AREA], random.Random(seed))
    found: dict[tuple[str, str], list[Row]] = {}
    points: dict[tuple[str, str], Point] = {}
    left = seconds
    for row in order:
        point = point_of(row)
        name = (point.suite, point.name)
        if not point.systems or (set(point.systems) <= set(systems)) != among:
            continue
        if name not in found:
            if point.seconds > left:
                continue
            left -= point.seconds
            points[name] = point
        found.setdefault(name, []).append(row)
        if sum(map(len, found.values())) == count:
            break
    return [Drawn(points[name], tuple(chosen)) for name, chosen in found.items()]


def _in_turn(rows: Sequence[Row], chance: random.Random) -> list[Row]:
    benches: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: figures.order(row.key)):
        benches.setdefault(row.bench, []).append(row)
    shuffled = list(benches.values())
    chance.shuffle(shuffled)
    for of_bench in shuffled:
        chance.shuffle(of_bench)
    return [row for turn in itertools.zip_longest(*shuffled) for row in turn if row is not None]


def differences(drawn: Iterable[Drawn]) -> list[str]:
    """Measures afresh: what is not the same to the last digit, a sentence each."""
    found = []
    for one in drawn:
        numbers = (record for record in one.point.measure() if not isinstance(record.value, str))
        measured: dict[Key, Record] = {figures.row_of(record).key: record for record in numbers}
        for row in one.rows:
            record = measured.get(row.key)
            if record is None:
                found.append(f"{row.name}: {one.point.suite} {one.point.name} gives no such figure")
            elif record.value != row.value:
                found.append(f"{row.name}: {record.value!r}, docs/data/figures.json has {row.value!r}")
    return found
