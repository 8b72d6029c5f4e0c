# SPDX-License-Identifier: Apache-2.0
"""How far a run of several workers is, and the order that lets them end together.

Each test file's seconds are remembered in build/test-seconds.json; what was never run here is taken from
tests/seconds.json. The files that take longest begin first. A terminal shows one line, tests done and time left; where
there is none, a line comes out each minute.
"""

import json
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
WHOLE = ("not slow and not long", "slow and not long")  # `make test`, `make test-slow`


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def remembered() -> dict[str, float]:
    """Seconds that a file's tests take, one behind the other."""
    seconds: dict[str, float] = {}
    for path in (KNOWN, REMEMBERED):
        if path.exists():
            seconds |= json.loads(path.read_text(encoding="utf-8"))
    return seconds


def longest_first(items: list[pytest.Item]) -> None:
    seconds = remembered()
    items.sort(key=lambda item: -seconds.get(file_of(item.nodeid), UNKNOWN))


class Progress:
    """Plugin of the process that hands out the tests; `whole`: each file runs what one target runs of it."""

    def __init__(self, workers: int, whole: bool, out: TextIO, clock=time.monotonic) -> None:
        self.workers, self.whole, self.clock, self.out = workers, whole, clock, out
        self.expected = remembered()
        self.tests: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.took: Counter[str] = Counter()
        self.failed = 0
        self.began = self.said = clock()

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

    def say(self) -> None:
        now = self.clock()
        if self.out.isatty():
            self.out.write(f"\r\x1b[K{self.line()}")
        elif now - self.said >= MINUTE:
            self.said = now
            self.out.write(f"{self.line()}\n")
        self.out.flush()

    @pytest.hookimpl
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.tests = Counter(map(file_of, ids))

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = file_of(report.nodeid)
        self.took[file] += report.duration
        self.failed += report.failed
        if report.when == "teardown":
            self.done[file] += 1
            self.say()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No letter for what passes: the line says it."""
        passed = report.passed and report.when == "call" and not hasattr(report, "wasxfail")
        return ("passed", "", "PASSED") if passed else None

    @pytest.hookimpl
    def pytest_sessionfinish(self) -> None:
        if self.out.isatty():
            self.out.write("\r\x1b[K")
        ended = {file: round(self.took[file], 1) for file, count in self.tests.items() if self.done[file] == count}
        if self.whole and ended:
            kept = json.loads(REMEMBERED.read_text(encoding="utf-8")) if REMEMBERED.exists() else {}
            REMEMBERED.parent.mkdir(exist_ok=True)
            REMEMBERED.write_text(json.dumps(kept | ended, indent=0, sort_keys=True) + "\n", encoding="utf-8")
