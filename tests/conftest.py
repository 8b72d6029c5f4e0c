# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

import os
import signal
import sys

import progress
import pytest

from nsoc.machine import build

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background: programs under test want Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault(build.QUICK, "1")  # a simulator is used for seconds: it is compiled once


def pytest_configure(config: pytest.Config) -> None:
    workers = getattr(config.option, "numprocesses", None)
    if workers and not hasattr(config, "workerinput"):
        whole = config.option.markexpr in progress.WHOLE and not config.option.keyword and "::" not in str(config.args)
        # Now: when this file is loaded, pytest has standard error captured.
        config.pluginmanager.register(progress.Progress(workers, whole, sys.stderr))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    progress.longest_first(items)
