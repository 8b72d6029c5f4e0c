# SPDX-License-Identifier: Apache-2.0
"""The command beside the SoCs: its end, its exit status, and that nothing it started is left."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.live.command import Command


def ended(command: Command) -> int:
    """Waits for it."""
    select.select([command], [], [])
    return command.end()


def run(*arguments: str) -> int:
    """The exit status of a command."""
    return ended(Command(arguments, dict(os.environ)))


def alive(marked: str) -> list[int]:
    """Processes with this in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and marked.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            pass  # it has just gone
    return [pid for pid in found if pid != os.getpid()]


def test_the_exit_status_is_the_commands() -> None:
    assert run("true") == 0
    assert run("sh", "-c", "exit 77") == 77
    assert run("sh", "-c", "kill -TERM $$") == 128 + signal.SIGTERM


def test_a_command_that_there_is_not_is_one_sentence() -> None:
    with pytest.raises(NsocError, match=r"cannot run no-such-command \(No such file or directory\): see that it is"):
        Command(["no-such-command", "x"], dict(os.environ))


def test_a_signal_gets_to_the_command(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    trap = f"trap 'exit 9' INT; echo > {started}; while :; do sleep 0.1; done"
    command = Command(["sh", "-c", trap], dict(os.environ))
    started.read_text()
    command.signal(signal.SIGINT)
    assert ended(command) == 9


def test_nothing_that_the_command_started_outlives_it(tmp_path: Path) -> None:
    mark = f"NSOC_TEST={tmp_path}"
    command = Command(
        ["sh", "-c", "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000; :' &); exit 3"],
        {**os.environ, "NSOC_TEST": str(tmp_path)},
    )
    assert ended(command) == 3
    assert alive(mark) == []


def test_nothing_outlives_the_process_that_started_the_command(tmp_path: Path) -> None:
    mark = f"NSOC_TEST={tmp_path}"
    program = (
        "import os, signal, sys; from nsoc.live.command import Command\n"
        "Command(['sh', '-c', 'sleep 1000 & setsid sleep 1000 & echo started; exec sleep 1000'], dict(os.environ))\n"
        "sys.stdin.read(1); os.kill(os.getpid(), signal.SIGKILL)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "NSOC_TEST": str(tmp_path)},
    ) as parent:  # fmt: skip
        assert parent.stdin is not None and parent.stdout is not None
        assert parent.stdout.readline() == b"started\n"
        while len(alive(mark)) < 4:  # one that is just being executed has no environment
            time.sleep(0.01)
        parent.stdin.write(b"x")
        parent.stdin.flush()
        parent.stdout.read()  # its end comes when nobody has it open any more
        assert parent.wait() == -signal.SIGKILL
    assert alive(mark) == []


def test_nothing_outlives_a_process_that_ends_before_it_is_told_that_the_command_runs(tmp_path: Path) -> None:
    mark = f"NSOC_TEST={tmp_path}"
    living, life = os.pipe()
    told, telling = os.pipe()
    os.close(told)  # as if that process had ended already
    program = (
        "import os; from nsoc.live.command import _guard\n"
        "begin = 'setsid sleep 1000 > /dev/null & echo started; exec sleep 1000 > /dev/null'\n"
        f"_guard(['sh', '-c', begin], dict(os.environ), {living}, {telling})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, pass_fds=(living, telling),
        env={**os.environ, "NSOC_TEST": str(tmp_path)},
    ) as guard:  # fmt: skip
        os.close(living)
        os.close(telling)
        assert guard.stdout is not None and guard.stdout.readline() == b"started\n"
        os.close(life)
        assert guard.wait() == 0
    assert alive(mark) == []
