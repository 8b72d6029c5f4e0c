# SPDX-License-Identifier: Apache-2.0
"""The SoC that GDB debugs: its breakpoints, how it runs and stops, and how it boots again."""

from collections.abc import Callable, Mapping, Sequence

from nsoc.errors import NsocError
from nsoc.machine import devices, memory_map
from nsoc.machine.debug import RUN_CYCLES, Debugger, Halt, Point
from nsoc.machine.gdb.monitor import monitor
from nsoc.machine.gdb.registers import RiscvRegisters
from nsoc.machine.gdb.sparc_registers import SparcRegisters
from nsoc.machine.gdb.target import (
    SIGABRT,
    SIGINT,
    SIGTRAP,
    STEPS_BETWEEN_POLLS,
    Target,
    Wish,
    at_watchpoint,
    stop_reply,
)
from nsoc.machine.soc import Soc, check_cores
from nsoc.network.sending import Outgoing

ONLY = 1
"""The one thread."""
_REGISTERS = {"rv32": RiscvRegisters(), "sparc": SparcRegisters()}


class SocTarget(Target):
    """A core of a SoC, under the debugger: the only thread. The other cores run while it runs.

    `show` gets what the SoC prints. `frames` are played to the SoC when it has printed `ready`. `boot` makes another
    SoC like `soc`.
    """

    def __init__(
        self,
        soc: Soc,
        core: int = 0,
        *,
        show: Callable[[str], None] = lambda _: None,
        frames: Sequence[Outgoing] = (),
        ready: str = "ready",
        boot: Callable[[], Soc] | None = None,
    ) -> None:
        super().__init__(threads=1, registers=_REGISTERS[soc.preset.core])
        self._core = core
        self._show = show
        self._all_frames = frames
        self._ready = ready
        self._boot = boot
        self.effects = False
        """Whether device registers are read whose read does something."""
        self._start(soc)

    def _start(self, soc: Soc) -> None:
        self.soc = soc
        self.debugger: Debugger = soc.debugger(self._core)
        self._frames = self._all_frames
        self.stopped = stop_reply(SIGTRAP, ONLY)

    @property
    def invitation(self) -> str:
        """What of GDB's command line is behind `target remote`: the firmware."""
        return str(self.soc.elf)

    def core(self, thread: int) -> Debugger:
        """The debugger."""
        assert thread == ONLY
        return self.debugger

    def title(self, thread: int) -> str:
        """What `info threads` says of it."""
        assert thread == ONLY
        return f"core {self._core}"

    def read(self, thread: int, address: int, length: int) -> bytes:
        """Memory, or device registers: those one by one, through the bus."""
        if address < memory_map.AFB_BASE:
            return super().read(thread, address, length)
        try:
            accesses = list(devices.accesses(address, length))
            for place, _ in accesses:
                devices.check_read(place, self.effects, "say `monitor effects on` first")
            order = self.registers.order
            return b"".join(self.debugger.load(place, size).to_bytes(size, order) for place, size in accesses)
        except NsocError as error:
            self._show(f"\nnsoc: {error}\n")  # GDB before 15 says only that it cannot
            raise

    def write(self, thread: int, address: int, data: bytes) -> None:
        """Memory, or device registers: those one by one, through the bus."""
        if address < memory_map.AFB_BASE:
            super().write(thread, address, data)
            return
        for place, size in devices.accesses(address, len(data)):
            part = data[place - address : place - address + size]
            self.debugger.store(place, size, int.from_bytes(part, self.registers.order))

    def monitor(self, said: str) -> str:
        """What GDB's `monitor` shows for this command."""
        return monitor(self, said)

    def boot_again(self) -> None:
        """Goes on with a SoC that has just booted; the breakpoints stay."""
        if self._boot is None:
            raise NsocError("this SoC cannot be booted again")
        old = self.soc
        self._start(self._boot())
        old.close()
        self.insert_again()

    def put_point(self, point: Point, address: int, length: int) -> None:
        """Puts one there."""
        self.debugger.insert(address, point, length)

    def take_point(self, point: Point, address: int, length: int) -> None:
        """Takes it away."""
        self.debugger.remove(address, point, length)

    def resume(self, wishes: Mapping[int, Wish], interrupted: Callable[[], bool], inside: range | None = None) -> str:
        """Runs until something stops it, then gives the stop reply. A step goes on while `pc` is in `inside`."""
        step = wishes[ONLY] is Wish.STEP
        steps = 0
        while True:
            try:
                halt = self.debugger.run(RUN_CYCLES, int(step))
            except NsocError as error:
                self._attend()
                if self._in_error_mode():
                    self.stopped = stop_reply(SIGABRT, ONLY)
                    return self.stopped
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
                self.stopped = stop_reply(SIGINT, ONLY)
                return self.stopped

    def _in_error_mode(self) -> bool:
        try:
            check_cores(self.soc)
        except NsocError as error:
            self._show(f"\nnsoc: {error}\n")
            return True
        return False

    def _attend(self) -> None:
        """What the SoC needs while it runs: its printing shown, its frames sent."""
        if printed := self.soc.uart.read():
            self._show(printed)
        if self._frames and self._ready in self.soc.uart.text:
            for frame in self._frames:
                self.soc.wire.send(frame.data, bad_fcs=frame.bad_fcs)
            self._frames = ()

    def _why(self, halt: Halt) -> str:
        if halt is Halt.WATCHPOINT:
            return at_watchpoint(ONLY, *self.debugger.hit)
        return self.at_breakpoint(ONLY) if halt is Halt.BREAKPOINT else stop_reply(SIGTRAP, ONLY)
