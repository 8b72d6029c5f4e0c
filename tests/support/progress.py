# SPDX-License-Identifier: Apache-2.0
"""How far a run of several workers is, and the order that lets them end together.

Each test file's seconds are remembered in build/test-seconds.json, of each target; what was never run here is taken
from tests/seconds.json. The files that take longest begin first. A terminal shows one line, tests done and time left;
where there is none, a line comes out each minute. Where no test has ended for a minute, a line says what runs.
"""

import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TextIO

import pytest

ROOT = Path(__file__).resolve().parents[2]
KNOWN = ROOT / "tests" / "seconds.json"
REMEMBERED = ROOT / "build" / "test-seconds.json"
UNKNOWN = 2.0  # s, of a file that nobody has measured
MINUTE = 60.0
TICK_S = 1.0
WHOLE = {"not slow and not long": "test", "slow and not long": "test-slow"}  # the targets, by what -m says


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def is_odd(config: pytest.Config) -> bool:
    """This process is every second one of those that run tests side by side."""
    return int(getattr(config, "workerinput", {"workerid": "gw0"})["workerid"].removeprefix("gw")) % 2 == 1


def read(path: Path) -> dict[str, dict[str, float]]:
    """By target: seconds of each file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def remembered(target: str | None) -> dict[str, float]:
    """Seconds that a file's tests take in a run of this target, one behind the other; None: those of all targets."""
    known, here = read(KNOWN), read(REMEMBERED)
    seconds: Counter[str] = Counter()
    for name in WHOLE.values() if target is None else [target]:
        seconds.update(known.get(name, {}) | here.get(name, {}))
    return dict(seconds)


def longest_first(items: list[pytest.Item], target: str | None) -> None:
    seconds = remembered(target)
    items.sort(key=lambda item: -seconds.get(file_of(item.nodeid), UNKNOWN))


class Progress:
    """Plugin of the process that hands out the tests; `whole`: each file runs what the target runs of it."""

    def __init__(self, workers: int, target: str | None, whole: bool, out: TextIO, clock=time.monotonic) -> None:
        self.workers, self.target, self.whole, self.clock, self.out = workers, target, whole, clock, out
        self.expected = remembered(target)
        self.tests: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.took: Counter[str] = Counter()
        self.failed = self.told = 0
        self.said = self.news = clock()
        self.running: dict[str, float] = {}  # since when
        self.lock, self.over = threading.Lock(), threading.Event()

    def left(self) -> float:
        """Seconds until the last test ends: what is expected of the rest, at the pace of what is done."""
        behind = ahead = 0.0
        for file, count in self.tests.items():
            expected = self.expected.get(file, UNKNOWN)
            behind += expected * self.done[file] / count
            ahead += expected * (1 - self.done[file] / count)
        pace = (self.took.total() + MINUTE) / (behind + MINUTE)
        return pace * ahead / self.workers

    def line(self) -> str:
        left = self.left()
        time_left = f"{left / MINUTE:.0f} min" if left >= 1.5 * MINUTE else f"{left:.0f} s"
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done.total()} of {self.tests.total()} tests{failed}, about {time_left} left"

    def runs(self) -> str:
        """What has nothing to say yet."""
        now = self.clock()
        names = ", ".join(f"{name} for {now - since:.0f} s" for name, since in self.running.items())
        return f"{self.done.total()} of {self.tests.total()} tests, none has ended for {now - self.news:.0f} s: {names}"

    def say(self) -> None:
        now, silent = self.clock(), self.told == self.done.total()
        clear = "\r\x1b[K" if self.out.isatty() else ""
        if clear and not silent:
            self.out.write(f"{clear}{self.line()}")
        elif now - self.said < MINUTE or (silent and not self.running):
            return
        else:
            self.out.write(f"{clear}{self.runs() if silent else self.line()}\n")
        self.said, self.told = now, self.done.total()
        self.out.flush()

    def watch(self) -> None:
        """Says what runs while no test ends."""
        while not self.over.wait(TICK_S):
            with self.lock:
                self.say()

    @pytest.hookimpl
    def pytest_sessionstart(self) -> None:
        threading.Thread(target=self.watch, daemon=True).start()

    @pytest.hookimpl
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        with self.lock:
            self.tests = Counter(map(file_of, ids))
            self.news = self.clock()

    @pytest.hookimpl
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        with self.lock:
            self.running[nodeid] = self.clock()

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        with self.lock:
            file = file_of(report.nodeid)
            self.took[file] += report.duration
            self.failed += report.failed
            if report.when in ("setup", "call"):
                return
            self.running.pop(report.nodeid, None)
            if report.when == "teardown":  # else its worker has ended
                self.done[file] += 1
                self.news = self.clock()
                self.say()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No letter for what passes: the line says it."""
        passed = report.passed and report.when == "call" and not hasattr(report, "wasxfail")
        return ("passed", "", "PASSED") if passed else None

    @pytest.hookimpl
    def pytest_sessionfinish(self) -> None:
        self.over.set()
        if self.out.isatty():
            self.out.write("\r\x1b[K")
        ended = {file: round(self.took[file], 1) for file, count in self.tests.items() if self.done[file] == count}
        if self.target and self.whole and ended:
            kept = read(REMEMBERED)
            kept = {name: kept.get(name, {}) for name in WHOLE.values()}
            kept[self.target] |= ended
            REMEMBERED.parent.mkdir(exist_ok=True)
            REMEMBERED.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n", encoding="utf-8")
