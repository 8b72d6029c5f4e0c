# SPDX-License-Identifier: Apache-2.0
"""Which tests were skipped, and why: by reason on the terminal, and by name in build/skipped.json after `make test`.

`make test ARGS=--from-skipped` runs exactly those again, for instance after more was installed.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "build" / "skipped.json"
OPTION = "--from-skipped"
PREFIX = "Skipped: "


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help="run only the tests that the last `make test` skipped")


def before(config: pytest.Config) -> dict[str, str] | None:
    """Names and reasons of what the last `make test` skipped; None without the option."""
    if not config.getoption(OPTION):
        return None
    try:
        return dict(json.loads(FILE.read_text(encoding="utf-8")))
    except (OSError, ValueError) as problem:
        raise pytest.UsageError(f"{OPTION} needs {FILE}, which `make test` writes: {problem}") from None


def only_their_files(config: pytest.Config, names: dict[str, str]) -> None:
    """Collects the files of those names: all of them take a while."""
    files = {config.rootpath / name.partition("::")[0] for name in names}
    config.args[:] = sorted(str(file) for file in files if file.exists())


def is_of(nodeid: str, names: dict[str, str]) -> bool:
    """Whether a test, or the file that it is in, has its name among these: a file can skip as a whole."""
    return nodeid in names or nodeid.partition("::")[0] in names


def select(config: pytest.Config, items: list[pytest.Item], names: dict[str, str]) -> None:
    """Leaves the tests of those names."""
    chosen = [item for item in items if is_of(item.nodeid, names)]
    config.hook.pytest_deselected(items=[item for item in items if not is_of(item.nodeid, names)])
    items[:] = chosen


class Skipped:
    """Plugin of the process that sees all reports. `again`: what is run again, the names and reasons of before."""

    def __init__(self, file: Path | None, again: dict[str, str] | None = None) -> None:
        self.file, self.again = file, again
        self.found: dict[str, str] = {}
        self.seen: set[str] = set()
        self.lost: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._note(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seen.add(report.nodeid)
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note(report)

    def _note(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        said = report.longrepr[-1] if isinstance(report.longrepr, tuple | list) else report.longrepr
        self.found[report.nodeid] = str(said).removeprefix(PREFIX)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self.file is not None:
            self.file.parent.mkdir(exist_ok=True)
            self.file.write_text(json.dumps(self.found, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        if self.again is not None:
            self.lost = [name for name in self.again if "::" in name and name not in self.seen]
            if self.lost:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
            elif exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
                session.exitstatus = pytest.ExitCode.OK  # nothing had skipped, or all of it is left out again

    def lines(self) -> list[str]:
        """How many skipped, for each reason."""
        if self.again is not None:
            still = sum(name in self.found for name in self.again)
            seen = self.seen | {name.partition("::")[0] for name in self.seen}
            ran = len((self.again.keys() & seen) - self.found.keys())
            shown = [f"Skipped before {len(self.again)}, of them run now {ran}, skipped again {still}"]
        else:
            names = f", {self.file} has the names" if self.file is not None else ""
            shown = [f"Skipped {len(self.found)}{names}:"] if self.found else []
        shown += [f"{count:5} {reason}" for reason, count in Counter(self.found.values()).most_common()]
        return shown + [f"There is no test of this name any more: {name}" for name in self.lost]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line("")
        for line in self.lines():
            terminalreporter.write_line(line)
