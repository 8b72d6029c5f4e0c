# SPDX-License-Identifier: Apache-2.0
"""Which `nsoc up` run on this machine, and how to reach them.

Each has a folder of its own, with info.json and a socket for each SoC's UART. The process that runs holds a lock on
info.json: a folder without one is left over, and removed.
"""

import fcntl
import os
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from nsoc.errors import NsocError
from nsoc.live import namespace

INFO = "info.json"
READY = "ready"
"""A file that is there once all SoCs have printed `ready`."""
LOOK_S = 0.1
"""How often it is looked for."""


class Station(msgspec.Struct, frozen=True):
    """A SoC of a running `nsoc up`."""

    station: int
    mac: str
    address: str
    """As the firmware `net` has it, without DHCP."""


class Info(msgspec.Struct, frozen=True):
    """What info.json says."""

    pid: int
    interface: str
    own_namespace: bool
    """The interface is in a namespace that only this process and its children are in."""
    address: str
    """Of Linux, with the length of the network."""
    mac: str
    preset: str
    firmware: str
    socs: tuple[Station, ...]
    connections: int = 0
    """Of each one's TCP/IP engine; 0: there is none."""


class Running:
    """A running `nsoc up`."""

    def __init__(self, folder: Path, info: Info) -> None:
        self.folder, self.info = folder, info

    def enter(self) -> None:
        """The calling process, which must have a single thread, joins its namespaces. Raises NsocError."""
        if not self.info.own_namespace:
            return
        try:
            namespace.join(self.info.pid)
        except OSError as problem:
            raise NsocError(
                f"the namespace of nsoc up, process {self.info.pid}, cannot be entered ({problem.strerror}): be the "
                "user who started it"
            ) from None

    def wait_ready(self, tell: Callable[[str], None] = lambda _: None) -> None:
        """Until all SoCs have booted: what is typed or sent before is lost, or spoils what comes next. `tell` gets
        what is waited for, when it is waited for. Raises NsocError when nsoc up ends before."""
        told = False
        while not (self.folder / READY).exists():
            if _read(self.folder) is None:
                raise NsocError(
                    f"nsoc up, process {self.info.pid}, has ended before its SoC was ready: see there why, and start "
                    "it again"
                )
            if not told:
                told = True
                tell(f"waiting for the firmware {self.info.firmware} of nsoc up, process {self.info.pid}, to be ready")
            time.sleep(LOOK_S)

    def console(self, number: int = 0) -> socket.socket:
        """A connection to a SoC's UART. Raises NsocError."""
        return self._connected(number, console_name(number), "console")

    def registers(self, number: int = 0) -> socket.socket:
        """A connection to a SoC's device registers: see nsoc.live.registers. Raises NsocError."""
        return self._connected(number, registers_name(number), "registers")

    def _connected(self, number: int, name: str, what: str) -> socket.socket:
        if not 0 <= number < len(self.info.socs):
            raise NsocError(f"there is no SoC {number}, only 0 to {len(self.info.socs) - 1}")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with opened(self.folder) as folder:
                connection.connect(f"{folder}/{name}")
        except OSError as problem:
            connection.close()
            raise NsocError(f"the {what} of SoC {number} cannot be reached ({problem.strerror})") from None
        return connection


class opened:
    """A short name of a folder: the path of a socket has at most 107 bytes."""

    def __init__(self, folder: Path) -> None:
        self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def __enter__(self) -> str:
        return f"/proc/self/fd/{self._descriptor}"

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


class Folder:
    """The folder of this process, there until close()."""

    def __init__(self, info: Info) -> None:
        self.path = _base(make=True) / str(info.pid)
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(mode=0o700)
        part = self.path / f"{INFO}.part"
        self._lock = open(part, "wb")  # noqa: SIM115 (it is locked as long as this lives)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._lock.write(msgspec.json.format(msgspec.json.encode(info)))
        self._lock.flush()
        part.rename(self.path / INFO)

    def ready(self) -> None:
        """All SoCs have booted."""
        (self.path / READY).touch()

    def close(self) -> None:
        """The folder is gone."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def console_name(number: int) -> str:
    """Of the socket of a SoC's UART."""
    return f"console-{number}"


def registers_name(number: int) -> str:
    """The name of the socket of a SoC's device registers."""
    return f"registers-{number}"


def running() -> list[Running]:
    """Those of this user, the oldest first."""
    base = _base(make=False)
    found = []
    for folder in base.iterdir() if base.is_dir() else ():
        info = _read(folder)
        if info is not None:
            found.append((os.stat(folder / INFO).st_mtime, Running(folder, info)))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def the_running(pid: int | None = None) -> Running:
    """The only one, or that of the process `pid`. Raises NsocError when there is none, or more than one to choose."""
    all_of_them = running()
    chosen = [one for one in all_of_them if pid in (None, one.info.pid)]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        numbers = ", ".join(str(one.info.pid) for one in chosen)
        raise NsocError(f"several nsoc up are running: say --pid and one of {numbers}")
    if pid is None or not all_of_them:
        raise NsocError("no nsoc up is running: start one in another terminal")
    numbers = ", ".join(str(one.info.pid) for one in all_of_them)
    raise NsocError(f"no nsoc up is process {pid}, only {numbers}")


def _user() -> int:
    """Who this process is, outside of the user namespace that it may be in."""
    inside = os.geteuid()
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        first, outside, count = map(int, line.split())
        if first <= inside < first + count:
            return outside + inside - first
    return inside


def _base(make: bool) -> Path:
    """The folder of all, which nobody else can write to."""
    base = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"nsoc-live-{_user()}"
    if make:
        try:
            base.mkdir(mode=0o700, exist_ok=True)
        except OSError as problem:
            raise NsocError(f"cannot make the folder {base} ({problem.strerror}): set XDG_RUNTIME_DIR") from None
    if os.path.lexists(base):
        status = base.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise NsocError(f"{base} is not a folder of yours alone: remove it, or set XDG_RUNTIME_DIR")
    return base


def _read(folder: Path) -> Info | None:
    """What runs there; what is left over is removed."""
    try:
        with open(folder / INFO, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return msgspec.json.decode(file.read(), type=Info)
    except OSError:
        return None  # it comes, or goes
    shutil.rmtree(folder, ignore_errors=True)
    return None
