# SPDX-License-Identifier: Apache-2.0
"""The SoC that GDB debugs: its breakpoints, how it runs and stops, and how it boots again."""

from collections.abc import Callable, Sequence

from nsoc.errors import NsocError
from nsoc.machine.debug import RUN_CYCLES, Debugger, Halt, Point
from nsoc.machine.soc import Soc

STEPS_BETWEEN_POLLS = 1000
"""A step over a range of addresses asks so seldom whether GDB has interrupted it."""
SIGINT, SIGTRAP = 2, 5

POINTS = (Point.EXECUTE, Point.EXECUTE, Point.WRITE, Point.READ, Point.ACCESS)
"""By GDB's type of a point: software and hardware breakpoint, write, read and access watchpoint."""
_SOFTWARE, _HARDWARE = 0, 1
_WATCHES = {Point.WRITE: "watch", Point.READ: "rwatch", Point.ACCESS: "awatch"}


class Target:
    """A core of a SoC, under the debugger.

    `show` gets what the SoC prints. `frames` are played to the SoC when it has printed `ready`. `boot` makes another
    SoC like `soc`.
    """

    def __init__(
        self,
        soc: Soc,
        core: int,
        show: Callable[[str], None],
        frames: Sequence[bytes],
        ready: str,
        boot: Callable[[], Soc] | None,
    ) -> None:
        self._core = core
        self._show = show
        self._all_frames = frames
        self._ready = ready
        self._boot = boot
        self._points: set[tuple[int, int, int]] = set()  # type, address, length, as GDB says them
        self.stop_words = False
        """Whether GDB understands swbreak and hwbreak."""
        self._start(soc)

    def _start(self, soc: Soc) -> None:
        self.soc = soc
        self.debugger: Debugger = soc.debugger(self._core)
        self._frames = self._all_frames
        self.stopped = _stop_reply(SIGTRAP)
        """Why it stands, as GDB is told."""

    def boot_again(self) -> None:
        """Goes on with a SoC that has just booted; the breakpoints stay."""
        if self._boot is None:
            raise NsocError("this SoC cannot be booted again")
        old = self.soc
        self._start(self._boot())
        old.close()
        for kind, address, length in self._points:
            self.debugger.insert(address, POINTS[kind], length)

    # ---- Breakpoints and watchpoints, by GDB's types

    def insert(self, kind: int, address: int, length: int) -> None:
        """Puts a point there."""
        self.debugger.insert(address, POINTS[kind], length)
        self._points.add((kind, address, length))

    def remove(self, kind: int, address: int, length: int) -> None:
        """Removes what insert() with the same arguments put there."""
        self._points.discard((kind, address, length))
        # A software and a hardware breakpoint may be at the same address.
        if not any(
            POINTS[k] is POINTS[kind] and a == address for k, a, n in self._points if k <= _HARDWARE or n == length
        ):
            self.debugger.remove(address, POINTS[kind], length)

    def remove_all(self) -> None:
        """Removes what a GDB left there."""
        for kind, address, length in self._points:
            self.debugger.remove(address, POINTS[kind], length)
        self._points.clear()

    # ---- Running

    def resume(self, interrupted: Callable[[], bool], step: bool, inside: range | None = None) -> str:
        """Runs until something stops it, then gives the stop reply. A step goes on while `pc` is in `inside`."""
        steps = 0
        while True:
            try:
                halt = self.debugger.run(RUN_CYCLES, int(step))
            except NsocError as error:
                self._show(f"\nnsoc: {error}\n")  # GDB would not say more than that there was one
                raise
            if halt is Halt.STEPPED and inside is not None and self.debugger.pc in inside:
                steps += 1
                if steps % STEPS_BETWEEN_POLLS:
                    continue
                halt = Halt.NOT
            self._attend()
            if halt is not Halt.NOT:
                self.stopped = self._why(halt)
                return self.stopped
            if interrupted():
                self.debugger.halt()
                self._attend()
                self.stopped = _stop_reply(SIGINT)
                return self.stopped

    def _attend(self) -> None:
        """What the SoC needs while it runs: its printing shown, its frames sent."""
        if printed := self.soc.uart.read():
            self._show(printed)
        if self._frames and self._ready in self.soc.uart.text:
            for frame in self._frames:
                self.soc.wire.send(frame)
            self._frames = ()

    def _why(self, halt: Halt) -> str:
        if halt is Halt.WATCHPOINT:
            kind, address = self.debugger.hit
            return _stop_reply(SIGTRAP, f"{_WATCHES[kind]}:{address:x};")
        if halt is Halt.BREAKPOINT and self.stop_words:
            software = any(kind == _SOFTWARE and at == self.debugger.pc for kind, at, _ in self._points)
            return _stop_reply(SIGTRAP, "swbreak:;" if software else "hwbreak:;")
        return _stop_reply(SIGTRAP)


def _stop_reply(signal: int, why: str = "") -> str:
    return f"T{signal:02x}{why}thread:1;"
