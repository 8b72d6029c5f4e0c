# SPDX-License-Identifier: Apache-2.0
"""tests/support/progress.py and runs.py: the line of a run of several workers, its order, what the long run adds."""

import io
import json
from pathlib import Path
from types import SimpleNamespace

import progress
import pytest
import runs


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is known of two files; a third is new."""
    (tmp_path / "known.json").write_text('{"a.py": 600, "b.py": 5}', encoding="utf-8")
    monkeypatch.setattr(progress, "KNOWN", tmp_path / "known.json")
    monkeypatch.setattr(progress, "REMEMBERED", tmp_path / "build" / "seconds.json")
    return tmp_path / "build" / "seconds.json"


def report(test: str, duration: float, failed: bool = False) -> list[SimpleNamespace]:
    call = SimpleNamespace(nodeid=test, when="call", duration=duration, failed=failed)
    return [call, SimpleNamespace(nodeid=test, when="teardown", duration=0.0, failed=False)]


def test_the_files_that_take_longest_begin_first(seconds: Path) -> None:
    items = [SimpleNamespace(nodeid=f"{file}::{test}") for file in ("new.py", "b.py", "a.py") for test in "xy"]
    progress.longest_first(items)
    order = [f"{file}::{test}" for file in ("a.py", "b.py", "new.py") for test in "xy"]
    assert [item.nodeid for item in items] == order


def test_what_is_left_follows_the_pace_of_what_is_done(seconds: Path) -> None:
    now, out = [0.0], Terminal()
    run = progress.Progress(2, True, clock=lambda: now[0], out=out)
    run.pytest_xdist_node_collection_finished([*(f"a.py::{n}" for n in range(10)), "b.py::x"])
    assert run.line() == "0 of 11 tests, about 5 min left"  # 605 s on two workers
    for test in range(5):  # half of the long file, in twice the time that it took elsewhere
        for part in report(f"a.py::{test}", 120.0):
            run.pytest_runtest_logreport(part)
    left = 305 * (600 + 60) / (300 + 60) / 2
    assert run.left() == pytest.approx(left)
    assert out.getvalue().endswith(f"\r\x1b[K5 of 11 tests, about {left / 60:.0f} min left")
    for part in report("b.py::x", 1.0, failed=True):
        run.pytest_runtest_logreport(part)
    assert "6 of 11 tests, 1 failed" in run.line()
    run.pytest_sessionfinish()
    assert json.loads(seconds.read_text(encoding="utf-8")) == {"b.py": 1.0}, "the other file has not ended"
    assert progress.remembered() == {"a.py": 600, "b.py": 1.0}


def test_without_a_terminal_a_line_comes_each_minute(seconds: Path) -> None:
    now, out = [0.0], io.StringIO()
    run = progress.Progress(1, False, clock=lambda: now[0], out=out)
    run.pytest_xdist_node_collection_finished([f"b.py::{n}" for n in range(4)])
    for test, time in enumerate((10.0, 59.0, 61.0, 100.0)):
        now[0] = time
        for part in report(f"b.py::{test}", 1.0):
            run.pytest_runtest_logreport(part)
    assert out.getvalue().splitlines() == ["3 of 4 tests, about 1 s left"]
    run.pytest_sessionfinish()
    assert not seconds.exists(), "a part of the tests says nothing of a file"


def test_what_is_left_to_the_long_run_is_marked() -> None:
    first, second, third = runs.some([1], [2, 3])
    assert first == 1 and [third.values, second.values] == [(3,), (2,)]
    assert [mark.name for mark in (*second.marks, *third.marks)] == ["long", "long"]
    assert runs.seeds(2, 3, first=5)[:2] == [5, 6] and runs.seeds(2, 3, first=5)[2].values == (7,)
    assert runs.seeds(2, 2) == [1, 2]
