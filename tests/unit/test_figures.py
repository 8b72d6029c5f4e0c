# SPDX-License-Identifier: Apache-2.0
"""docs/data/figures.json: what it holds, goals that benches take from it, what is said of figures that moved."""

import json
from pathlib import Path

import msgspec
import pytest

from nsoc import figures
from nsoc.bench import store
from nsoc.errors import NsocError
from nsoc.figures import Excuse, Row
from nsoc.machine import presets
from nsoc.records import Record

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / figures.FILE).read_text(encoding="utf-8")
FIELDS = ["bench", "preset", "mode", "metric", "payload", "unit", "better", "value", "goal", "commit"]
SHARES = ("line_share", "least_line_share", "processor_busy")


def row(metric: str = "goodput_mbps", value: figures.Value | None = 930.0, goal: float | None = 932.0) -> Row:
    return Row(
        bench="toe", preset="toe", mode="tcp-both-1", metric=metric, payload=None, unit="Mb/s",
        better=figures.BETTER.get(metric), value=value, goal=goal, commit="0123abcd",
    )  # fmt: skip


def record(value: float) -> Record:
    return Record("toe", "toe", "goodput_mbps", value, "tcp-both-1", unit="Mb/s")


# ---- The file --------------------------------------------------------------------------------------------------------


def test_the_file_has_a_row_a_line_sorted_and_each_key_once() -> None:
    rows = json.loads(TEXT)
    assert "[\n" + ",\n".join(msgspec.json.encode(one).decode() for one in rows) + "\n]\n" == TEXT
    assert all(list(one) == FIELDS for one in rows)
    keys = [msgspec.convert(one, Row).key for one in rows]
    assert len(set(keys)) == len(keys)
    assert keys == sorted(keys, key=figures.order)


def test_a_row_has_a_value_or_a_goal_and_a_value_has_the_tree_that_it_is_of() -> None:
    for one in figures.load().values():
        assert one.value is not None or one.goal is not None, one.name
        assert (one.value is None) == (one.commit is None), one.name
        assert one.goal is None or one.better is not None, f"{one.name}: a goal of what cannot be better"
        assert one.better == figures.BETTER.get(one.metric), one.name


def test_each_goal_is_met_or_on_the_short_list_with_its_reason_and_nothing_else_is_on_it() -> None:
    excused = figures.excuses()
    assert not figures.problems(figures.load(), excused)
    assert all(len(one.reason) > 20 for one in excused)


def test_no_figure_is_above_its_physical_limit() -> None:
    for one in figures.load().values():
        if one.value is None:
            continue
        if one.metric in SHARES:
            assert one.value <= 1 + 1e-9, one.name
        if one.unit == "Mb/s":
            line = 1000 if one.preset is None else presets.load(one.preset).line_mbps
            assert one.value <= line, one.name


# ---- Goals -----------------------------------------------------------------------------------------------------------


def test_no_published_file_has_goals() -> None:
    for file in (ROOT / "src" / "nsoc" / "published").glob("*.toml"):
        text = file.read_text(encoding="utf-8")
        assert "[goals" not in text and "[limits" not in text, file


def test_a_goal_that_is_missed_fails_by_name_unless_it_is_excused() -> None:
    rows = {row().key: row()}
    assert figures.problems(rows, []) == ["toe toe tcp-both-1 goodput_mbps is 930, the goal is 932"]
    excuse = Excuse(bench="toe", preset="toe", mode="tcp-both-1", metric="goodput_mbps", reason="why")
    assert not figures.problems(rows, [excuse])
    (stale,) = figures.problems({row().key: row(value=933.0)}, [excuse])
    assert "whose goal is met" in stale
    (unknown,) = figures.problems({}, [excuse])
    assert "has no goal" in unknown


@pytest.mark.parametrize(("metric", "value", "met"), [
    ("goodput_mbps", 932.0, True), ("goodput_mbps", 931.9, False), ("echo_cycles", 932.0, True),
    ("echo_cycles", 932.1, False), ("echo_cycles", None, True),
])  # fmt: skip
def test_high_goals_are_reached_from_below_and_low_ones_from_above(metric: str, value: float, met: bool) -> None:
    assert row(metric, value).met is met


def test_a_change_of_a_goal_invalidates_no_measurement() -> None:
    for module in ("toe_measure", "sockets_measure", "sockets_rates", "jobs", "live", "images", "pnic"):
        assert not [file for file in store.code(f"nsoc.bench.{module}") if file.suffix == ".json"], module


def test_a_figure_that_was_not_measured_is_named_with_the_command() -> None:
    with pytest.raises(NsocError, match="no figure toe toe warp goodput_mbps: run `make figures"):
        figures.value("toe", "toe", "warp", "goodput_mbps")


# ---- What moved ------------------------------------------------------------------------------------------------------


def test_a_value_that_stays_keeps_its_commit_and_one_that_moves_gets_the_new_one() -> None:
    old = {row().key: row()}
    rows, moved = figures.merged(old, [record(930.0)], "ffff0000")
    assert rows == old and not moved
    rows, moved = figures.merged(old, [record(933.0)], "ffff0000")
    (new,) = rows.values()
    assert (new.value, new.goal, new.commit) == (933.0, 932.0, "ffff0000")
    assert [one.text for one in moved] == [
        "toe toe tcp-both-1 goodput_mbps: 930 -> 933 (+0.32 %), better; goal 932 met"
    ]
    _, moved = figures.merged(rows, [record(930.2)], "ffff0001")
    assert moved[0].text.endswith("(-0.30 %), worse; goal 932 MISSED")


def test_rows_that_were_not_measured_stay_unless_they_are_gone() -> None:
    other = msgspec.structs.replace(row(), mode="gone", goal=None)
    wish = msgspec.structs.replace(row(), mode="wish")
    old = {one.key: one for one in (row(), other, wish)}
    rows, moved = figures.merged(old, [record(930.0)], "ffff0000")
    assert rows == old and not moved
    rows, moved = figures.merged(old, [record(930.0)], "ffff0000", gone=lambda one: one.bench == "toe")
    assert set(rows) == {row().key, wish.key} and rows[wish.key].value is None and rows[wish.key].goal == 932.0
    assert [one.text for one in moved] == [
        "toe toe gone goodput_mbps: gone", "toe toe wish goodput_mbps: gone"
    ]  # fmt: skip


def test_a_new_figure_is_said_with_its_value_and_text_is_refused() -> None:
    _, moved = figures.merged({}, [record(930.0)], "ffff0000")
    assert moved[0].text == "toe toe tcp-both-1 goodput_mbps: new 930"
    with pytest.raises(NsocError, match="is no number"):
        figures.row_of(Record("toe", "toe", "cause", "rx_drop"))


def test_a_file_that_is_damaged_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs" / "data").mkdir(parents=True)
    (tmp_path / figures.FILE).write_text("[{]", encoding="utf-8")
    monkeypatch.setattr(figures, "checkout", lambda: tmp_path)
    figures.load.cache_clear()
    with pytest.raises(NsocError, match=r"cannot read the figures in .*figures\.json"):
        figures.load()
    figures.write([row()])
    assert [one.name for one in figures.load().values()] == ["toe toe tcp-both-1 goodput_mbps"]
    figures.load.cache_clear()
