# SPDX-License-Identifier: Apache-2.0
"""Measurements run side by side in processes, which end when something goes wrong."""

import os
import signal
import subprocess
import sys
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


BARE = """
import operator
from functools import partial
from nsoc.bench import pool
print("script")
with pool.completed({n: partial(operator.mul, n, n) for n in range(3)}, 2) as results:
    print(sorted(results))
"""
GUARDED = """
from functools import partial
from nsoc.bench import pool
def square(n):
    return n * n
if __name__ == "__main__":
    with pool.completed({n: partial(square, n) for n in range(3)}, 2) as results:
        print(sorted(results))
    print(__file__.rpartition("/")[2])
"""


@pytest.mark.parametrize(
    ("script", "said"),
    [(BARE, "script\n[(0, 0), (1, 1), (2, 4)]\n"), (GUARDED, "[(0, 0), (1, 1), (2, 4)]\nscript.py\n")],
    ids=["bare", "guarded"],
)
def test_a_script_of_a_user_is_run_once_and_may_have_functions_of_its_own(
    tmp_path: Path, script: str, said: str
) -> None:
    file = tmp_path / "script.py"
    file.write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (said, "")
