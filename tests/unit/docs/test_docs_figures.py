# SPDX-License-Identifier: Apache-2.0
"""Pages show the figures of docs/data/figures.json; `make figures` measures suite by suite and keeps what it has."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from nsoc import figures
from nsoc.bench import suites
from nsoc.bench.suites import SUITES, Suite
from nsoc.docs import figures as command
from nsoc.docs.__main__ import fill, read
from nsoc.docs.figure_sections import SECTIONS, pending
from nsoc.errors import NsocError
from nsoc.figures import Key, Row
from nsoc.records import Record, to_json

PENDING: list[str] = []
"""Sections of which not all figures have been measured since there is the file: their pages show older ones."""


class Everything(Mapping[Key, Row]):
    """A row for each key that is asked for."""

    def __init__(self, value: figures.Value, goal: float | None) -> None:
        self.value, self.goal = value, goal

    def __getitem__(self, key: Key) -> Row:
        bench, preset, mode, metric, payload = key
        return Row(
            bench=bench, preset=preset, mode=mode, metric=metric, payload=payload, unit=None,
            better=figures.BETTER.get(metric), value=self.value, goal=self.goal, commit="0123abcd",
        )  # fmt: skip

    def get(self, key: Key, default: object = None) -> Row:  # type: ignore[override]
        return self[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(())

    def __len__(self) -> int:
        return 0


# ---- Pages -----------------------------------------------------------------------------------------------------------


def test_every_section_has_its_figures() -> None:
    assert list(pending()) == PENDING


@pytest.mark.parametrize("name", [name for name in SECTIONS if name not in PENDING])
def test_a_digit_that_is_changed_by_hand_is_seen(name: str) -> None:
    pages = read()
    assert fill(pages, None) == pages, f"run `{figures.COMMAND}`"
    (page,) = (page for page, text in pages.items() if f"<!-- generated: {name} -->" in text)
    begin = pages[page].index(f"<!-- generated: {name} -->\n") + len(f"<!-- generated: {name} -->\n")
    end = pages[page].index("<!-- end -->", begin)
    digits = [place for place in range(begin, end) if pages[page][place].isdigit()]
    assert digits
    for place in digits[:: max(1, len(digits) // 8)]:
        other = str((int(pages[page][place]) + 1) % 10)
        changed = {**pages, page: pages[page][:place] + other + pages[page][place + 1 :]}
        assert fill(changed, None) != changed


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_show_what_the_file_has_and_a_missed_goal_in_bold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "load", lambda: Everything(0.5, 0.5))
    met = SECTIONS[name]()
    assert re.search(r"\d", met)
    columns = {line.count("|") for line in met.splitlines() if line.startswith("|")}
    assert len(columns) <= 1, "a table with rows of one length"
    monkeypatch.setattr(figures, "load", lambda: Everything(7.25e6, 7.25e6))
    assert SECTIONS[name]() != met
    assert "**" not in SECTIONS[name]().replace("**What direct cache access gains**", "")


def test_a_missed_goal_is_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "load", lambda: Everything(0.5, 1.0))
    assert "**0.5**" in SECTIONS["live"]() and "**0.5**" in SECTIONS["toe"]()
    monkeypatch.setattr(figures, "load", lambda: Everything(2.0, 1.0))
    assert "**2**" in SECTIONS["sockets-cycles"]() and "**2.0**" not in SECTIONS["toe"]()


def test_a_section_whose_figures_are_not_there_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "load", dict)
    pages = read()
    assert fill(pages, None) == pages and list(pending()) == list(SECTIONS)


# ---- make figures ----------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout with a file of two rows."""
    (tmp_path / "docs" / "data").mkdir(parents=True)
    monkeypatch.setattr(figures, "checkout", lambda: tmp_path)
    monkeypatch.setattr(command, "commit", lambda: "ffff0000")
    monkeypatch.setattr(command.docs, "write_pages", lambda: None)
    monkeypatch.setattr(figures, "excuses", list)
    figures.write(
        [
            msgspec.structs.replace(figures.row_of(one("live", 300.0)), goal=250, commit="0123abcd"),
            msgspec.structs.replace(figures.row_of(one("toe", 940.0)), commit="0123abcd"),
        ]
    )
    yield tmp_path
    figures.load.cache_clear()


def one(suite: str, value: float, metric: str = "goodput_mbps") -> Record:
    return Record(suite, "p", metric, value, "tcp-send", unit="Mb/s")


def suite_of(name: str, *records: Record, failure: str = "") -> Suite:
    def run(progress: object) -> list[Record]:
        if failure:
            raise NsocError(failure)
        return list(records)

    return Suite(name, 1, run, lambda row: suites.Point(name, "all", (), 1.0, lambda: list(records)))


def values() -> dict[str, figures.Value | None]:
    return {row.bench: row.value for row in figures.load().values()}


def test_only_what_moved_is_said_and_a_suite_that_is_not_measured_keeps_its_rows(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "SUITES", {"live": suite_of("live", one("live", 310.0)), "toe": SUITES["toe"]})
    assert command.main(["--only", "live"]) == 0
    said = capsys.readouterr().out
    assert "live p tcp-send goodput_mbps: 300 -> 310 (+3.33 %), better; goal 250 met" in said
    assert values() == {"live": 310.0, "toe": 940.0}
    assert command.main(["--only", "live"]) == 0
    assert "0 moved" in capsys.readouterr().out
    commits = {row.bench: row.commit for row in figures.load().values()}
    assert commits == {"live": "ffff0000", "toe": "0123abcd"}


def test_a_run_that_stops_keeps_the_suites_before(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stops = suite_of("toe", failure="the disk is full")
    monkeypatch.setattr(command, "SUITES", {"live": suite_of("live", one("live", 310.0)), "toe": stops})
    assert command.main([]) == 1
    assert capsys.readouterr().err == "make figures: the disk is full\n"
    assert values() == {"live": 310.0, "toe": 940.0}


def test_ctrl_c_is_one_sentence_and_keeps_the_suites_before(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(progress: object) -> list[Record]:
        raise KeyboardInterrupt

    stops = Suite("toe", 1, run, suites.SUITES["toe"].point)
    monkeypatch.setattr(command, "SUITES", {"live": suite_of("live", one("live", 310.0)), "toe": stops})
    assert command.main([]) == 130
    assert capsys.readouterr().err == "make figures: what was measured is kept, the same command goes on there\n"
    assert values() == {"live": 310.0, "toe": 940.0}


def test_a_goal_that_is_missed_is_named_and_the_exit_status(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "SUITES", {"live": suite_of("live", one("live", 240.0))})
    assert command.main([]) == 1
    assert capsys.readouterr().err == "make figures: live p tcp-send goodput_mbps is 240, the goal is 250\n"


def test_records_are_taken_from_files_and_those_of_the_wall_clock_are_not(tree: Path) -> None:
    file = tree / "live.json"
    file.write_text(to_json([one("live", 320.0), one("live", 9.0, "sim_s_per_wall_s"), one("demo", 1.0)]))
    assert command.main(["--take", str(file)]) == 0
    assert values() == {"live": 320.0, "toe": 940.0}
    assert all(row["metric"] == "goodput_mbps" for row in json.loads((tree / figures.FILE).read_text()))


def test_a_suite_that_there_is_not_is_one_sentence(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "warp"]) == 1
    assert capsys.readouterr().err.startswith("make figures: --only wants some of thesis, ")


def test_a_commit_that_git_does_not_know_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "checkout", lambda: tmp_path)
    with pytest.raises(NsocError, match="work in a clone"):
        command.git("rev-parse", "HEAD")


def test_every_row_is_of_a_suite_that_can_measure_it_again() -> None:
    for row in figures.load().values():
        point = suites.point_of(row)
        assert point.suite in SUITES and point.seconds > 0, row.name
