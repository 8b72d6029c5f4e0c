# SPDX-License-Identifier: Apache-2.0
"""The small cores between two instructions: halt, step, run to breakpoints, look at their state and change it.

**Stops.** When one core stops, all do, each between two of its instructions: those before its `pc` are done, with
their loads, stores and atomics. No simulated time passes while they are stopped, for assists, host and line neither.
Coming to a stop takes some ten cycles of the cores, in which everything else goes on.

**Reading** changes nothing: registers, CSRs, the scratchpad, the instruction memory, the frame memory. Registers of
assists and MAC cannot be read.

**Writing** registers and memory takes no time. Writing `pc` or code drops instruction caches. A CSR is written as
`csrw` writes it, in some cycles, in which no core goes on. Writing `pc` drops a reservation of LR, writing memory does
not.

sim/pnic/debugger.h and pnic_debug_port.sv do it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nsoc.machine.debug import Halt, Point
from nsoc.machine.gdb.target import Wish
from nsoc.pnic.simulator import Simulator

RUN_CYCLES = 20_000


@dataclass(frozen=True)
class Stopped:
    """Why all have stopped, and whose doing it was."""

    halt: Halt
    """NOT: they have not."""
    core: int = 0
    point: Point = Point.WRITE
    """What was accessed where, of a watchpoint."""
    address: int = 0


class CoreState:
    """One core at a stop."""

    def __init__(self, simulator: Simulator, core: int) -> None:
        self._simulator = simulator
        self._core = core

    @property
    def pc(self) -> int:
        """Address of the next instruction."""
        return self._simulator.numbers("pc", self._core)[0]

    @pc.setter
    def pc(self, address: int) -> None:
        self._simulator.ask("pc", self._core, address)

    def x(self, number: int) -> int:
        """A register, x0 to x31."""
        return self._simulator.numbers("x", self._core, number)[0]

    def set_x(self, number: int, value: int) -> None:
        """Writes a register."""
        self._simulator.ask("x", self._core, number, value)

    def csr(self, number: int) -> int:
        """A CSR by number: one of memory_map.CSRS."""
        return self._simulator.numbers("csr", self._core, number)[0]

    def set_csr(self, number: int, value: int) -> None:
        """Writes a CSR as `csrw` does. Raises NsocError for one that is read-only."""
        self._simulator.ask("csr", self._core, number, value)

    def read(self, address: int, length: int) -> bytes:
        """Memory by the cores' addresses."""
        return bytes.fromhex("".join(self._simulator.ask("load", address, length)))

    def write(self, address: int, data: bytes) -> None:
        """Memory; code, too."""
        self._simulator.ask("store", address, data)


class Debugger:
    """Of all cores of a NIC. While one is used, let time pass only through it."""

    def __init__(self, simulator: Simulator, cores: int) -> None:
        self._simulator = simulator
        self.cores = tuple(CoreState(simulator, core) for core in range(cores))
        self.halt()

    def halt(self) -> None:
        """All come to a stop."""
        self._simulator.ask("halt")

    def resume(self, wishes: Mapping[int, Wish] | Wish = Wish.RUN, cycles: int = RUN_CYCLES) -> Stopped:
        """Each core does what is wished, those not named hold, until one stops; for so many core cycles at most.

        A breakpoint where the core that stopped last stands does not count at the start. Behind Halt.NOT nothing has
        stopped: go on with resume(), or halt().
        """
        all_ = dict.fromkeys(range(len(self.cores)), wishes) if isinstance(wishes, Wish) else wishes
        letters = "".join(all_.get(core, Wish.HOLD) for core in range(len(self.cores)))
        halt, core, point, address = self._simulator.numbers("resume", letters, cycles)
        return Stopped(Halt(halt), core, Point(point), address)

    def step(self, core: int) -> None:
        """One instruction of one core; the others hold."""
        while self.resume({core: Wish.STEP}).halt is Halt.NOT:
            pass

    def insert(self, address: int, kind: Point = Point.EXECUTE, length: int = 4) -> None:
        """A breakpoint at an instruction, or on access to `length` bytes, of any core."""
        self._simulator.ask("insert", kind, address, 0 if kind is Point.EXECUTE else length)

    def remove(self, address: int, kind: Point = Point.EXECUTE, length: int = 4) -> None:
        """What insert() with the same arguments put there."""
        self._simulator.ask("remove", kind, address, 0 if kind is Point.EXECUTE else length)
