# SPDX-License-Identifier: Apache-2.0
"""What GDB debugs, whatever it is: threads, which are cores, with breakpoints that hold for all of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from enum import StrEnum

from nsoc.machine.debug import Point
from nsoc.machine.gdb.registers import Core, Registers

STEPS_BETWEEN_POLLS = 1000
"""A step over a range of addresses asks so seldom whether GDB has interrupted it."""
SIGINT, SIGTRAP, SIGABRT = 2, 5, 6

POINTS = (Point.EXECUTE, Point.EXECUTE, Point.WRITE, Point.READ, Point.ACCESS)
"""By GDB's type of a point: software and hardware breakpoint, write, read and access watchpoint."""
SOFTWARE, HARDWARE = 0, 1
WATCHES = {Point.WRITE: "watch", Point.READ: "rwatch", Point.ACCESS: "awatch"}


class Wish(StrEnum):
    """What a thread is to do. As letters of sim/pnic/debugger.h."""

    HOLD = "h"
    RUN = "r"
    STEP = "s"


class Target(ABC):
    """Threads are numbered from 1 on. All stop together, and no time passes while they are stopped."""

    def __init__(self, threads: int, registers: Registers) -> None:
        self.threads = threads
        self.registers = registers
        self._points: set[tuple[int, int, int]] = set()  # type, address, length, as GDB says them
        self.stop_words = False
        """Whether GDB understands swbreak and hwbreak."""
        self.stopped = stop_reply(SIGTRAP, 1)
        """Why it stands, as GDB is told."""

    @property
    @abstractmethod
    def invitation(self) -> str:
        """What of GDB's command line is behind `target remote`: the firmware."""

    @abstractmethod
    def core(self, thread: int) -> Core:
        """The core of that thread."""

    @abstractmethod
    def title(self, thread: int) -> str:
        """What `info threads` says of it."""

    @abstractmethod
    def resume(self, wishes: Mapping[int, Wish], interrupted: Callable[[], bool], inside: range | None = None) -> str:
        """Does with each thread what is wished until something stops it, then gives the stop reply.

        A step goes on while `pc` is `inside`.
        """

    @abstractmethod
    def monitor(self, said: str) -> str:
        """What GDB's `monitor` shows for this command."""

    def read(self, thread: int, address: int, length: int) -> bytes:
        """The bytes that this core finds there."""
        return self.registers.read(self.core(thread), address, length)

    def write(self, thread: int, address: int, data: bytes) -> None:
        """Writes it as that core would."""
        self.registers.write(self.core(thread), address, data)

    # ---- Breakpoints and watchpoints, by GDB's types

    @abstractmethod
    def put_point(self, point: Point, address: int, length: int) -> None:
        """Puts one there."""

    @abstractmethod
    def take_point(self, point: Point, address: int, length: int) -> None:
        """Takes it away."""

    def insert(self, kind: int, address: int, length: int) -> None:
        """Puts a point there."""
        self.put_point(POINTS[kind], address, length)
        self._points.add((kind, address, length))

    def remove(self, kind: int, address: int, length: int) -> None:
        """Removes what insert() with the same arguments put there."""
        self._points.discard((kind, address, length))
        # A software and a hardware breakpoint may be at the same address.
        if not any(
            POINTS[k] is POINTS[kind] and a == address for k, a, n in self._points if k <= HARDWARE or n == length
        ):
            self.take_point(POINTS[kind], address, length)

    def insert_again(self) -> None:
        """Puts all points into what has just booted."""
        for kind, address, length in self._points:
            self.put_point(POINTS[kind], address, length)

    def remove_all(self) -> None:
        """Removes what a GDB left there."""
        for kind, address, length in self._points:
            self.take_point(POINTS[kind], address, length)
        self._points.clear()

    def at_breakpoint(self, thread: int) -> str:
        """The stop reply of a thread at one."""
        why = ""
        if self.stop_words:
            at = self.core(thread).pc
            software = any(kind == SOFTWARE and address == at for kind, address, _ in self._points)
            why = "swbreak:;" if software else "hwbreak:;"
        return stop_reply(SIGTRAP, thread, why)


def at_watchpoint(thread: int, point: Point, address: int) -> str:
    """The stop reply of a thread that has accessed what is watched."""
    return stop_reply(SIGTRAP, thread, f"{WATCHES[point]}:{address:x};")


def stop_reply(signal: int, thread: int, why: str = "") -> str:
    """Which thread has stopped, and why."""
    return f"T{signal:02x}{why}thread:{thread:x};"
