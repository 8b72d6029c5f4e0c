# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

import os
import signal
import sys
from collections.abc import Generator

import environment
import progress
import pytest
import skipped

from nsoc.machine import build

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background: programs under test want Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault(build.QUICK, "1")  # a simulator is used for seconds: GCC optimizes it less


def pytest_addoption(parser: pytest.Parser) -> None:
    skipped.add_option(parser)


def target(config: pytest.Config) -> str | None:
    """The Makefile's target whose tests are run, or some of them; None: all tests, or others."""
    return progress.WHOLE.get(config.option.markexpr)


def pytest_configure(config: pytest.Config) -> None:
    again = skipped.before(config)
    if again is not None:
        skipped.only_their_files(config, again)
    if hasattr(config, "workerinput"):
        return
    workers = getattr(config.option, "numprocesses", None)
    if workers or again is not None:
        of_make_test = target(config) == "test" and again is None
        config.pluginmanager.register(skipped.Skipped(skipped.FILE if of_make_test else None, again))
    if workers:
        all_of_it = not config.option.keyword and "::" not in str(config.args) and again is None
        # Now: when this file is loaded, pytest has standard error captured.
        config.pluginmanager.register(progress.Progress(workers, target(config), all_of_it, sys.stderr))


def pytest_sessionstart() -> None:
    environment.set_for_tests()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every second worker reads the files from the last one on: a file that pytest has never read costs it the most, to
    rewrite its assertions, and it takes what another worker has kept."""
    report = yield
    if isinstance(collector, pytest.Directory) and progress.is_odd(collector.config):
        report.result = report.result[::-1]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    items.sort(key=lambda item: progress.file_of(item.nodeid))  # whatever was read first, all workers have one order
    yield
    if (names := skipped.before(config)) is not None:
        skipped.select(config, items, names)
    progress.longest_first(items, target(config))
