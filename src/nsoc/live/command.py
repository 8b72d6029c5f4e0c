# SPDX-License-Identifier: Apache-2.0
"""The command that `nsoc up -- CMD` runs, and all that it starts: none of it outlives this process, however that ends.

A guard stands between: a child process that starts the command in a process group of its own and waits. It adopts
whatever loses its parent (PR_SET_CHILD_SUBREAPER). When the command ends, or this process does, the guard kills what is
left.
"""

import contextlib
import ctypes
import os
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from nsoc.errors import NsocError

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_GROUP = struct.Struct("<i")
LOOK_S = 0.5
"""How often it is looked whether the command was stopped (Ctrl-Z)."""
NOT_STARTED = 127
"""Exit status of a command that there is not, as a shell has it."""


class Command:
    """A running command. Like a shell, it has the terminal until it ends."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str]) -> None:
        """Raises NsocError when it cannot be started."""
        alive, self._alive = os.pipe()
        told, telling = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            status = NOT_STARTED
            try:
                os.close(self._alive)
                os.close(told)
                status = _guard(list(arguments), environment, alive, telling)
            finally:
                os._exit(status)
        os.close(alive)
        os.close(telling)
        self._descriptor = os.pidfd_open(self._pid)
        with open(told, "rb") as answers:
            group = answers.read(_GROUP.size)
            why = answers.read() if len(group) == _GROUP.size and _GROUP.unpack(group)[0] < 0 else b""
        self._group = _GROUP.unpack(group)[0] if len(group) == _GROUP.size else -1
        if self._group < 0:
            self.end()
            raise NsocError(f"cannot run {arguments[0]} ({why.decode()}): see that it is installed")

    def fileno(self) -> int:
        """Readable when it has ended."""
        return self._descriptor

    @property
    def ended(self) -> bool:
        """Whether it has."""
        return bool(select.select([self], [], [], 0)[0])

    def signal(self, number: int) -> None:
        """To the command's process group."""
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.killpg(self._group, number)

    def end(self) -> int:
        """Its exit status, 128 more than the signal that ended it; what still runs is killed."""
        os.close(self._alive)
        _, status = os.waitpid(self._pid, 0)
        os.close(self._descriptor)
        _take_terminal(os.getpgrp())
        return os.waitstatus_to_exitcode(status)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _take_terminal(group: int) -> None:
    """Standard input, when it is a terminal that this session has, belongs to that process group."""
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        os.tcsetpgrp(0, group)
    except OSError:
        pass  # no terminal
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTTOU})


def _guard(arguments: list[str], environment: dict[str, str], alive: int, telling: int) -> int:
    """The guard's life: it gives the exit status. `alive` ends with the process that wants the command."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    try:
        foreground = os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        foreground = False

    def in_child() -> None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        if foreground:
            _take_terminal(os.getpid())

    try:
        command = subprocess.Popen(
            arguments, env=environment, preexec_fn=in_child, process_group=0, close_fds=True
        )  # fmt: skip
    except OSError as problem:
        os.write(telling, _GROUP.pack(-1) + (problem.strerror or "").encode())
        return NOT_STARTED
    with contextlib.suppress(BrokenPipeError):  # it has ended already: so does `alive`
        os.write(telling, _GROUP.pack(command.pid))
    os.close(telling)
    ended = os.pidfd_open(command.pid)
    while not select.select([alive, ended], [], [], LOOK_S)[0]:
        # Nobody would wake it: who started nsoc up waits for nsoc up.
        if os.waitid(os.P_PID, command.pid, os.WSTOPPED | os.WNOHANG) is not None:
            os.killpg(command.pid, signal.SIGCONT)
    if command.poll() is None:
        command.kill()
    status = command.wait()
    _end_children()
    return status if status >= 0 else 128 - status


def _end_children() -> None:
    """All children are killed, and theirs, as they come to this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while left := [int(pid) for pid in children.read_text().split()]:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        for pid in left:
            os.waitpid(pid, 0)
