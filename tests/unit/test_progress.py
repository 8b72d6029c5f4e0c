# SPDX-License-Identifier: Apache-2.0
"""tests/support/progress.py and runs.py: the line of a run of several workers, its order, what the long run adds; and
the options of the Makefile that end a run which hangs."""

import io
import json
import re
import shlex
import subprocess
import sys
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
    known = {"test": {"a.py": 600, "b.py": 5}, "test-slow": {"b.py": 700}}
    (tmp_path / "known.json").write_text(json.dumps(known), encoding="utf-8")
    monkeypatch.setattr(progress, "KNOWN", tmp_path / "known.json")
    monkeypatch.setattr(progress, "REMEMBERED", tmp_path / "build" / "seconds.json")
    return tmp_path / "build" / "seconds.json"


def report(test: str, duration: float, failed: bool = False) -> list[SimpleNamespace]:
    call = SimpleNamespace(nodeid=test, when="call", duration=duration, failed=failed)
    return [call, SimpleNamespace(nodeid=test, when="teardown", duration=0.0, failed=False)]


def test_the_files_that_take_longest_begin_first(seconds: Path) -> None:
    for target, files in {
        "test": ("a.py", "b.py", "new.py"),
        "test-slow": ("b.py", "new.py", "a.py"),
        None: ("b.py", "a.py", "new.py"),
    }.items():
        items = [SimpleNamespace(nodeid=f"{file}::{test}") for file in ("new.py", "b.py", "a.py") for test in "xy"]
        progress.longest_first(items, target)
        assert [item.nodeid for item in items] == [f"{file}::{test}" for file in files for test in "xy"]


def test_every_second_worker_reads_the_files_from_the_last_one_on() -> None:
    alone, *workers = SimpleNamespace(), *(SimpleNamespace(workerinput={"workerid": f"gw{n}"}) for n in range(4))
    assert [progress.is_odd(config) for config in (alone, *workers)] == [False, False, True, False, True]


def test_what_is_left_follows_the_pace_of_what_is_done(seconds: Path) -> None:
    now, out = [0.0], Terminal()
    run = progress.Progress(2, "test", True, clock=lambda: now[0], out=out)
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
    kept = json.loads(seconds.read_text(encoding="utf-8"))
    assert kept == {"test": {"b.py": 1.0}, "test-slow": {}}, "the other file has not ended"
    assert progress.remembered("test") == {"a.py": 600, "b.py": 1.0}
    assert progress.remembered("test-slow") == {"b.py": 700}
    assert progress.remembered(None) == {"a.py": 600, "b.py": 701.0}


def test_without_a_terminal_a_line_comes_each_minute(seconds: Path) -> None:
    now, out = [0.0], io.StringIO()
    run = progress.Progress(1, "test", False, clock=lambda: now[0], out=out)
    run.pytest_xdist_node_collection_finished([f"b.py::{n}" for n in range(4)])
    for test, time in enumerate((10.0, 59.0, 61.0, 100.0)):
        now[0] = time
        for part in report(f"b.py::{test}", 1.0):
            run.pytest_runtest_logreport(part)
    assert out.getvalue().splitlines() == ["3 of 4 tests, about 1 s left"]
    run.pytest_sessionfinish()
    assert not seconds.exists(), "a part of the tests says nothing of a file"


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_each_minute_in_which_no_test_ends_a_line_says_what_runs(kind: type[io.StringIO], seconds: Path) -> None:
    now, out = [0.0], kind()
    run = progress.Progress(2, "test", True, clock=lambda: now[0], out=out)
    run.pytest_xdist_node_collection_finished([f"b.py::{n}" for n in range(4)])
    now[0] = 90.0
    run.say()
    assert not out.getvalue(), "nothing runs yet"
    run.pytest_runtest_logstart("b.py::0")
    run.pytest_runtest_logstart("b.py::1")
    now[0] = 100.0
    for part in report("b.py::0", 1.0):
        run.pytest_runtest_logreport(part)
    run.pytest_runtest_logstart("b.py::2")
    for time in (120.0, 159.0, 161.0, 200.0, 219.0, 222.0):
        now[0] = time
        run.say()
    lines = re.split(r"\n|\r\x1b\[K", out.getvalue())
    assert [line for line in lines if "none" in line] == [
        "1 of 4 tests, none has ended for 61 s: b.py::1 for 71 s, b.py::2 for 61 s",
        "1 of 4 tests, none has ended for 122 s: b.py::1 for 132 s, b.py::2 for 122 s",
    ]
    run.pytest_runtest_logreport(SimpleNamespace(nodeid="b.py::1", when="???", duration=0.0, failed=True))
    assert list(run.running) == ["b.py::2"], "the process of the other one has ended"


def test_a_test_that_hangs_ends_the_run_and_is_named(tmp_path: Path) -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    options, timeout = re.subn(r"timeout=\d+", "timeout=1", re.findall(r"^ENDS = (.*)", makefile, re.MULTILINE)[0])
    assert timeout == 1
    text = "import threading\n\n\ndef test_waits():\n    threading.Event().wait()\n"
    (tmp_path / "test_hangs.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "1", *shlex.split(options), "test_hangs.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "crashed while running 'test_hangs.py::test_waits'" in run.stdout
    assert 'test_hangs.py", line 5 in test_waits' in run.stderr, "where it hangs"


def test_what_is_left_to_the_long_run_is_marked() -> None:
    first, second, third = runs.some([1], [2, 3])
    assert first == 1 and [third.values, second.values] == [(3,), (2,)]
    assert [mark.name for mark in (*second.marks, *third.marks)] == ["long", "long"]
    assert runs.seeds(2, 3, first=5)[:2] == [5, 6] and runs.seeds(2, 3, first=5)[2].values == (7,)
    assert runs.seeds(2, 2) == [1, 2]
