# SPDX-License-Identifier: Apache-2.0
"""How fast the simulators are: who runs when, what is made of the runs, and what is said about mistakes."""

import inspect
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from nsoc.bench import speed, speed_load
from nsoc.bench.speed import ROWS, Took, Tree
from nsoc.cli import call
from nsoc.cli.bench import bench_speed
from nsoc.errors import NsocError


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A folder that looks like a checkout."""
    folder = tmp_path / "before"
    (folder / "src" / "nsoc").mkdir(parents=True)
    (folder / "src" / "nsoc" / "__init__.py").touch()
    (folder / "rtl").mkdir()
    return folder


class Runs:
    """A runner that gives `seconds`, of each tree by itself, and keeps who ran."""

    def __init__(
        self, ours: list[float], theirs: list[float], cycles: tuple[int, int] = (1_000_000, 1_000_000)
    ) -> None:
        self._left = {True: list(ours), False: list(theirs)}
        self._cycles = {True: cycles[0], False: cycles[1]}
        self.ran: list[tuple[str, str, float]] = []
        self.prepared: list[tuple[str, str, float]] = []

    def __call__(self, tree: Tree, row: speed.Row, part: float, prepare: bool) -> Took:
        ours = tree.name == "this tree"
        (self.prepared if prepare else self.ran).append((row.name, "ours" if ours else "theirs", part))
        seconds = 1.0 if prepare else self._left[ours].pop(0)
        return Took(seconds, None if row.is_job else self._cycles[ours], 3_700_000, 5_000_000)


def values(result: speed.SpeedResult) -> dict[tuple[str | None, str], object]:
    return {(one.mode, one.metric): one.value for one in speed.records(result)}


def test_the_two_trees_run_in_turn_and_the_ratio_is_the_median_of_the_pairs(other: Path) -> None:
    runs = Runs([1.0, 2.0, 0.5], [2.0, 3.0, 1.25])  # ratios 2, 1.5, 2.5
    result = speed.run(["polling"], against=other, pairs=3, runner=runs)
    assert runs.ran == [("polling", "ours", 1.0), ("polling", "theirs", 1.0)] * 3
    assert runs.prepared == [("polling", "ours", 0.01), ("polling", "theirs", 0.01)]
    assert values(result) == {
        ("polling", "cycles_per_processor_s"): 1e6, ("polling", "theirs_cycles_per_processor_s"): 5e5,
        ("polling", "evaluations_per_cycle"): 3.7, ("polling", "edges_left_out"): pytest.approx(0.26),
        ("polling", "ratio"): 2.0, ("polling", "ratio_least"): 1.5, ("polling", "ratio_most"): 2.5,
    }  # fmt: skip


def test_a_machine_that_becomes_slower_changes_no_ratio(other: Path) -> None:
    runs = Runs([1.0, 2.0, 4.0], [1.5, 3.0, 6.0])
    found = values(speed.run(["echo-64"], against=other, pairs=3, runner=runs))
    assert {found["echo-64", name] for name in ("ratio", "ratio_least", "ratio_most")} == {1.5}


def test_without_another_tree_each_row_runs_some_times_and_has_no_ratio() -> None:
    runs = Runs([1.0, 4.0, 2.0], [])
    result = speed.run(["toe-tcp"], part=0.5, runner=runs)
    assert runs.ran == [("toe-tcp", "ours", 0.5)] * speed.RUNS
    found = {metric: value for (_, metric), value in values(result).items()}
    assert found.pop("cycles_per_processor_s") == 5e5
    assert set(found) == {"evaluations_per_cycle", "edges_left_out"}


def test_a_row_has_its_own_number_of_pairs_unless_it_is_said(other: Path) -> None:
    many = [1.0] * 100
    runs = Runs(many, many)
    speed.run(["polling", "build-toe"], against=other, runner=runs)
    assert [row for row, tree, _ in runs.ran if tree == "theirs"] == ["polling"] * 11 + ["build-toe"] * 3


def test_a_job_has_seconds_and_the_ratio_says_how_many_times_faster_it_is(other: Path) -> None:
    runs = Runs([20.0, 30.0, 25.0], [40.0, 60.0, 50.0])
    found = values(speed.run(["build-toe"], against=other, runner=runs))
    assert runs.prepared == []
    assert (found["build-toe", "processor_s"], found["build-toe", "theirs_processor_s"]) == (25.0, 50.0)
    assert found["build-toe", "ratio"] == 2.0
    found = values(speed.run(["make-test"], pairs=1, runner=Runs([300.0], [])))
    assert found["make-test", "wall_s"] == 300.0


def test_all_loads_and_no_job_are_measured_when_none_is_named() -> None:
    assert [row.name for row in speed.rows([])] == list(speed_load.LOADS)
    assert list(ROWS) == [*speed_load.LOADS, *speed_load.JOBS]
    assert all(row.is_job == (row.name in speed_load.JOBS) for row in ROWS.values())


def test_the_help_names_all_rows() -> None:
    info = inspect.signature(bench_speed).parameters["row"].annotation.__metadata__[0]
    assert re.findall(r"[a-z]+(?:-\w+)?(?=[,. ]|$)", info.help.replace(" (default: all of these)", "").replace(
        "; a build or the clock on the wall:", ","
    )) == list(ROWS)  # fmt: skip


def test_the_table_and_its_lines_say_what_was_compared(other: Path) -> None:
    console = Console(width=200, file=io.StringIO())
    runs = Runs([1.0, 4.0], [1.5, 8.0])
    result = speed.run(["polling", "make-test"], against=other, pairs=1, part=0.25, runner=runs)
    console.print(speed.table(result))
    rows = [row.split() for row in console.file.getvalue().splitlines() if "/ s" in row or "wall" in row]
    polling = ["polling", "k", "nic_clk", "/", "s", "1,000.0", "666.7", "1.50", "1.50", "1.50", "3.70", "26%"]
    assert rows[0] == polling
    assert rows[1][:8] == ["make-test", "s,", "wall", "4.0", "8.0", "2.00", "2.00", "2.00"]
    said = "\n".join(speed.lines(result))
    assert f"theirs: {other}." in said and "Of each row 0.25 was simulated" in said and "On the wall with" in said


# ---- Mistakes --------------------------------------------------------------------------------------------------------


def test_other_cycles_are_an_error_that_names_the_row_before_all_is_run(other: Path) -> None:
    runs = Runs([1.0], [1.0], (1_000_000, 1_000_001))
    with pytest.raises(NsocError, match=r"^demo is not the same load .* 1,000,000 in this tree and 1,000,001 in "):
        speed.run(["demo"], against=other, runner=runs)
    assert runs.ran == []


def test_a_folder_that_is_no_checkout_is_refused(
    tmp_path: Path, other: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (other / "rtl").rmdir()
    for folder in (tmp_path, tmp_path / "gone", other):
        assert call(["bench", "speed", "polling", "--against", str(folder)]) == 1
        said = capsys.readouterr().err
        assert f"{folder} has no src/nsoc and rtl" in said and said.count("\n") == 1


def test_a_name_that_is_no_row_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "speed", "polling", "nothing"]) == 1
    assert capsys.readouterr().err.startswith("nsoc: there is no row 'nothing', only demo, ")


def test_the_python_of_a_checkout_s_own_venv_runs_it(other: Path) -> None:
    assert speed.tree_in(other).python == speed.own_tree().python
    own = other / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.touch()
    assert speed.tree_in(other).python == str(own)


def test_a_tree_without_what_a_load_takes_is_one_sentence(other: Path) -> None:
    (other / "src" / "nsoc" / "errors.py").write_text("class NsocError(Exception): pass\n", encoding="utf-8")
    with pytest.raises(NsocError, match=r"^polling of .*before: that tree has not what this load takes"):
        speed.execute(speed.tree_in(other), ROWS["polling"], 1.0, False)


def test_what_a_load_says_is_looked_at(other: Path) -> None:
    tree, row = speed.tree_in(other), ROWS["polling"]

    def said(**more: object) -> Took:
        return speed.took("something else\n" + json.dumps({"tree": str(tree.packages), **more}) + "\n", tree, row)

    assert said(seconds=1.5, cycles=10, evaluations=37, edges=50) == Took(1.5, 10, 37, 50)
    assert said(seconds=1.5) == Took(1.5)
    with pytest.raises(NsocError, match=r"^polling of .*before: it broke$"):
        said(error="it broke")
    with pytest.raises(NsocError, match="takes nsoc from /elsewhere"):
        said(tree="/elsewhere", seconds=1.0)
