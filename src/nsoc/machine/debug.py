# SPDX-License-Identifier: Apache-2.0
"""One core between two instructions: halt, step, run to breakpoints, look at its state and change it.

**Stops.** The simulated SoC stands still whenever nothing runs it, so a halt costs no simulated time. At a stop all
instructions before `pc` are done, with their effects in the registers. The one at `pc` has done nothing. An interrupt
that is pending at a stop is taken before the instruction at `pc`: a step then ends at the first instruction of the
handler, as a step over any instruction that traps does.

**Reading** changes nothing. Memory is read as the processor left it, with the stores that are still on their way. The
caches are not read. They are write-through, so they differ from memory only where another bus master wrote and the
firmware did not drop the line. Any CSR shows what `csrr` would read.

**Writing** needs an empty pipeline and a quiet bus: the SoC goes on for some hundred cycles, in which no instruction is
done. A reservation of LR is lost, as by an interrupt. Writing memory drops both caches. A CSR is written as `csrw`
writes it.

**Device registers** are read and written through the core's bus, which is as writing is: load() and store() are one
access each. Whatever the device does then, it does.

**SPARC V8.** x0 to x31 are globals, outs, locals and ins of the window that the instruction at `pc` has. The numbers of
csr() are those of STATE, and WINDOWS + 16 * window + n for local n, or out n - 8, of any window. They are written as
WRPSR, WRWIM, WRTBR and WRY write them, but that a window which is not there raises NsocError. `npc` is what follows
`pc`: who writes `pc` has pc + 4 there. An annulled slot is no instruction: no step ends there, and no breakpoint stops
there. l1 and l2 of a trap are there at a stop, which may be two cycles behind the trap for that.

**A wfi that waits** is done by a step, as an instruction that does nothing: so the debug specification wants it.

**Several cores.** Each has a debugger of its own, with its own breakpoints. While one runs, all cores run. Where it
stops, the others stand still as well, wherever they are. Writing memory drops the caches of the debugger's own core
only.
"""

from enum import IntEnum

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import memory_map
from nsoc.machine.sim import Simulation

RUN_CYCLES = 20_000
SETTLE_CYCLES = 2_000
"""A processor that finishes no instruction in so many nic-clock cycles sleeps."""

X0 = 0x1000
DPC = 0x7B1

STATE = {
    **{"y": 0, "psr": 32, "wim": 33, "tbr": 34, "npc": 0x7B2},
    **{f"asr{n}": n for n in (16, 20, 21, 24, 25, 26, 27, 29, 30, 31)},
}
"""State registers of SPARC V8 by their numbers for csr(): docs/sparc.md has a table."""
WINDOWS = 0x1100
"""What csr() has from here on: registers of all windows, whose 16 are eight locals and eight outs."""


class Halt(IntEnum):
    """Why run() came back. As NSOC_DEBUG_* in nsoc_sim.h."""

    NOT = 0
    """The time given is over."""
    STEPPED = 1
    """So many instructions are done."""
    BREAKPOINT = 2
    """It is at a breakpoint."""
    WATCHPOINT = 3
    """An access met a watchpoint: see hit."""


class Point(IntEnum):
    """What a breakpoint waits for. As NSOC_POINT_* in nsoc_sim.h."""

    EXECUTE = 0
    """The instruction at the address."""
    WRITE = 1
    """A store."""
    READ = 2
    """A load."""
    ACCESS = 3
    """Either."""


@public
class Debugger:
    """See above. While one is used, let time pass only through it; after Soc.run() make a new one."""

    def __init__(self, sim: Simulation, core: int = 0) -> None:
        self._sim = sim
        self._core = core
        sim.debug_attach(core)

    def run(self, cycles: int = RUN_CYCLES, instructions: int = 0) -> Halt:
        """Runs to a breakpoint or watchpoint, or until so many instructions are done, for at most so many nic cycles.

        A breakpoint at `pc` does not count at the start. A trap counts as an instruction. `Halt.NOT` may be anywhere:
        go on with run(), or halt().
        """
        return Halt(self._sim.debug_run(self._core, cycles, instructions))

    def halt(self) -> bool:
        """Comes to a stop after Halt.NOT. False when the processor sleeps (wfi): then it is at a stop, too."""
        return Halt(self._sim.debug_halt(self._core, SETTLE_CYCLES)) is not Halt.NOT

    def step(self) -> None:
        """One instruction; a wfi does not wait. Raises NsocError when it takes too long."""
        if self.run(SETTLE_CYCLES, 1) is Halt.NOT:
            raise NsocError(f"the instruction at 0x{self.pc:08x} does not end")

    def insert(self, address: int, kind: Point = Point.EXECUTE, length: int = 4) -> None:
        """A breakpoint at an instruction, or on access to `length` bytes."""
        self._point(address, kind, length, True)

    def remove(self, address: int, kind: Point = Point.EXECUTE, length: int = 4) -> None:
        """What insert() with the same arguments put there."""
        self._point(address, kind, length, False)

    def _point(self, address: int, kind: Point, length: int, insert: bool) -> None:
        if kind is Point.EXECUTE:
            length = 0
        elif not 0 < length < 2**32:
            raise NsocError("a watchpoint covers at least one byte")
        self._sim.debug_point(self._core, kind, address, length, insert)

    @property
    def hit(self) -> tuple[Point, int]:
        """What was accessed where, after Halt.WATCHPOINT."""
        kind, address = self._sim.debug_hit(self._core)
        return Point(kind), address

    @property
    def pc(self) -> int:
        """Address of the next instruction."""
        return self._sim.debug_get(self._core, DPC)

    @pc.setter
    def pc(self, address: int) -> None:
        self._sim.debug_set(self._core, DPC, address)

    def x(self, number: int) -> int:
        """A register, x0 to x31."""
        return self._sim.debug_get(self._core, _register(number))

    def set_x(self, number: int, value: int) -> None:
        """Writes a register."""
        self._sim.debug_set(self._core, _register(number), value)

    def csr(self, number: int) -> int:
        """A CSR by number: one of memory_map.CSRS."""
        return self._sim.debug_get(self._core, number)

    def set_csr(self, number: int, value: int) -> None:
        """Writes a CSR as `csrw` does. Raises NsocError for one that is read-only."""
        self._sim.debug_set(self._core, number, value)

    def load(self, address: int, length: int) -> int:
        """Reads a device register through the bus, in one access of 1, 2 or 4 bytes. Raises NsocError where that does
        not fit, and when the bus answers with an error."""
        _check_device(address)
        return self._sim.debug_load(self._core, address, length)

    def store(self, address: int, length: int, value: int) -> None:
        """Writes a device register, as load() reads one."""
        _check_device(address)
        self._sim.debug_store(self._core, address, length, value)

    def read(self, address: int, length: int) -> bytes:
        """Boot ROM, local memory or DRAM."""
        return self._sim.debug_peek(self._core, address, length)

    def write(self, address: int, data: bytes) -> None:
        """Boot ROM, local memory or DRAM; code, too."""
        self._sim.debug_poke(self._core, address, data)


def _register(number: int) -> int:
    if not 0 <= number < 32:
        raise NsocError(f"there is no register x{number}, only x0 to x31")
    return X0 + number


def _check_device(address: int) -> None:
    if not memory_map.AFB_BASE <= address < 2**32:
        raise NsocError(f"there is no device at address 0x{address:08X}: read() and write() are for memory")
