# SPDX-License-Identifier: Apache-2.0
"""pytest's plugin for tests/mutants.py: reads the tests once and runs them for one mutant after the other.

On a pipe comes a mutant's number in a line, on another one goes what became of it as a line of JSON: the first test
that fails with it, or null, and how many have run. A child process has run them, so that no test finds what
another mutant has left behind. Mutant 0 is none: all tests run, and their processor time is taken. For the others the
quickest test comes first, sooner if it has seen other mistakes, and none runs behind one that fails. No process of a
test may take more than LIMIT times the processor time of this test without a mistake: who hangs fails.
"""

import json
import os
import resource
from collections import Counter

import pytest

PIPES = "NSOC_MUTANT_PIPES"
LIMIT = 3  # times the processor time of a run without a mistake,
LIMIT_ADDED = 5  # and so many seconds more


def spent() -> tuple[float, float]:
    """Processor time of this process, and with what it has started, in s."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


class Runs:
    """Those of one pytest process."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.seconds: dict[str, float] = {}
        self.seen: Counter[str] = Counter()

    def _limit(self, item: pytest.Item) -> None:
        most = round(spent()[0] + LIMIT * self.seconds[item.nodeid]) + LIMIT_ADDED
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))

    def _child(self, mutant: int, answer: int) -> None:
        os.environ["NSOC_MUTANT"] = str(mutant)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        seconds: dict[str, float] = {}
        items = self.session.items
        for item, following in zip(items, [*items[1:], None], strict=True):
            before = spent()[1]
            os.write(answer, f"{json.dumps(item.nodeid)}\n".encode())
            if mutant:
                self._limit(item)
            self.session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            seconds[item.nodeid] = spent()[1] - before
            if self.session.testsfailed:
                self.session._setupstate.teardown_exact(None)
                return
        os.write(answer, f"{json.dumps(seconds)}\n".encode())

    def first_to_fail(self, mutant: int) -> str | None:
        """None: all pass."""
        self.session.items.sort(key=lambda item: self.seconds.get(item.nodeid, 0) / (1 + self.seen[item.nodeid]))
        out, into = os.pipe()
        child = os.fork()
        if not child:
            try:
                self._child(mutant, into)
            finally:
                os._exit(0)
        os.close(into)
        with os.fdopen(out, encoding="utf-8") as answer:
            lines = [json.loads(line) for line in answer]
        os.waitpid(child, 0)
        last = lines[-1] if lines else "none"
        if isinstance(last, str):  # it has failed, or ended the process
            self.seen[last] += mutant != 0
            return last
        if not mutant:
            self.seconds = last
        return None if last else "none"


def pytest_configure(config: pytest.Config) -> None:
    for pipe in os.environ[PIPES].split():
        os.set_inheritable(int(pipe), False)  # not for simulators


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        print(report.nodeid, report.longreprtext, flush=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    if session.testsfailed:  # a file cannot be read: as pytest does it
        return None
    questions, answers = map(int, os.environ[PIPES].split())
    runs = Runs(session)
    with os.fdopen(questions) as asked, os.fdopen(answers, "w") as told:
        for line in asked:
            print(json.dumps(runs.first_to_fail(int(line))), file=told, flush=True)
    return True
