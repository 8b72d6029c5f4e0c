# SPDX-License-Identifier: Apache-2.0
"""Measurements run side by side in processes, which end when something goes wrong."""

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from nsoc.bench import pool
from nsoc.errors import NsocError


def _square(number: int) -> int:
    return number * number


def _for_ever(file: Path) -> int:
    file.write_text(str(os.getpid()))
    while True:
        signal.pause()


def _killed() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def _started(file: Path) -> int:
    """Returns as soon as `file` has the other process's number."""
    while not (file.exists() and file.read_text()):
        os.sched_yield()
    return 1


def _wrong_beside(file: Path) -> int:
    _started(file)
    raise NsocError("nothing came back")


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_results_come_with_their_keys() -> None:
    with pool.completed({n: partial(_square, n) for n in range(5)}, 2) as results:
        assert dict(results) == {n: n * n for n in range(5)}
    with pool.completed({}, 2) as none:
        assert list(none) == []


def test_an_error_is_raised_at_once_and_ends_the_other_processes(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    calls = {"long": partial(_for_ever, file), "wrong": partial(_wrong_beside, file)}
    with pytest.raises(NsocError, match="nothing came back"), pool.completed(calls, 2) as results:
        list(results)
    assert _gone(int(file.read_text()))


def test_an_interrupt_ends_the_processes(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    calls: dict[int, Callable[[], int]] = {0: partial(_for_ever, file), 1: partial(_started, file)}
    with pytest.raises(KeyboardInterrupt), pool.completed(calls, 2) as results:
        next(results)
        raise KeyboardInterrupt
    assert _gone(int(file.read_text()))


def test_a_process_that_dies_is_one_sentence() -> None:
    sentence = "a measuring process ended without a result"
    with pytest.raises(NsocError, match=sentence), pool.completed({0: _killed}, 1) as results:
        list(results)
