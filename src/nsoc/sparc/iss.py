# SPDX-License-Identifier: Apache-2.0
"""The simulated processor as an object, and programs on it from beginning to end."""

import ctypes
import enum
from collections.abc import Callable
from ctypes import c_uint32
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsoc.errors import NsocError
from nsoc.machine import error_mode, firmware, memory_map, regs
from nsoc.machine.c_library import Handle, filled
from nsoc.sparc.library import FUNCTIONS, ROW, AccessMade, Answer, Config, Device, Events, State, Step, library, loaded

ARCHITECTURE = "sparc"
"""Of its ELF files, in firmware.ARCHITECTURES."""
REMEMBERED = 16
"""Instructions."""
NOWHERE = 1
"""No address of an instruction."""


class Iss(Handle):
    """A SPARC V8 processor with the SoC's memories, timer, UART and interrupt controller.

    `version` is what PSR has in bits 31:24, `hart` the number of the processor among those
    that the SoC has registers for. With `stall_counters` it says that it counts stalls; how many is given at each step.
    """

    def __init__(
        self,
        *,
        version: int = 0,
        hart: int = 0,
        dram_bytes: int = memory_map.DRAM_BYTES,
        stall_counters: bool = False,
    ) -> None:
        timers = regs.BLOCKS["timer"]
        if hart not in range(timers.count):
            raise NsocError(f"hart must be 0 to {timers.count - 1}, not {hart}")
        config = filled(
            Config,
            psr_version=version,
            hart=hart,
            hart_stride=timers.stride,
            uart_line=memory_map.IRQ_UART,
            dram_bytes=dram_bytes,
            stall_counters=stall_counters,
        )
        arguments = ctypes.byref(config)
        super().__init__(loaded(library()), FUNCTIONS, "nsoc_sparc_", "SPARC simulator", arguments)
        self._devices: list[Any] = []  # kept for the library, which calls them
        self._problem: BaseException | None = None

    def _call(self, name: str, *arguments: Any) -> Any:
        result = super()._call(name, *arguments)
        if self._problem is not None:
            problem, self._problem = self._problem, None
            raise problem
        return result

    def reset(self) -> None:
        """The state after reset. Memories and devices stay as they are."""
        self._call("nsoc_sparc_reset")

    @property
    def state(self) -> State:
        """A copy of the registers."""
        state = State()
        self._call("nsoc_sparc_get", ctypes.byref(state))
        return state

    @state.setter
    def state(self, state: State) -> None:
        self._call("nsoc_sparc_set", ctypes.byref(state))

    @property
    def steps(self) -> int:
        """How many there were."""
        return int(self._call("nsoc_sparc_steps"))

    def read(self, address: int, count: int) -> bytes:
        """Bytes of a memory."""
        data = ctypes.create_string_buffer(count)
        self._call("nsoc_sparc_peek", address, data, count)
        return data.raw

    def write(self, address: int, data: bytes) -> None:
        """Bytes into a memory, the ROM too."""
        self._call("nsoc_sparc_poke", address, data, len(data))

    def answer(self, address: int, count: int, answer: Answer) -> None:
        """What accesses to these addresses are answered with from now on. A store or load that is REFUSED retires, and
        its error is late, where the processor has it posted or overlapped; with LATE_ERROR it is late in any case."""
        self._call("nsoc_sparc_answer", address, count, answer)

    def device(self, address: int, count: int, access: Callable[[AccessMade], int | None]) -> None:
        """A device at these addresses, where no memory is. `access` returns what is read, also of a swap, 0 for a
        write, None for an answer with an error. What it raises comes out of the call that runs the processor."""

        def called(_context: int | None, made: "ctypes._Pointer[AccessMade]") -> int:
            try:
                value = access(made.contents)
            except BaseException as problem:
                self._problem = problem
                return Answer.REFUSED
            made.contents.read = value or 0
            return Answer.REFUSED if value is None else Answer.OK

        self._devices.append(Device(called))
        self._call("nsoc_sparc_device", address, count, self._devices[-1], None)

    def step(self) -> Step:
        """One step, with the interrupts of its own devices. Late errors are there at the next step."""
        step = Step()
        self._call("nsoc_sparc_step", None, ctypes.byref(step))
        return step

    def step_with(
        self,
        levels: int = 0,
        *,
        store_error: bool = False,
        load_error: bool = False,
        address: int = 0,
        counter: int | None = None,
        stalls: int = 0,
    ) -> Step:
        """One step, with what comes from outside: bit n of `levels` for a pending interrupt of level n, errors of a
        posted store or an overlapped load at this address, the cycle that it is, and the selected counter of stalls.
        Its own devices do not interrupt it, and it has no late errors but those given."""
        step = Step()
        events = filled(
            Events,
            levels=levels,
            store_error=store_error,
            load_error=load_error,
            address=address,
            sets_counter=counter is not None,
            counter=counter or 0,
            stalls=stalls,
        )
        self._call("nsoc_sparc_step", ctypes.byref(events), ctypes.byref(step))
        return step

    def run(self, steps: int, *, stop_at: int | None = None, until: str = "") -> "Reason":
        """Up to so many steps; ends before the instruction at `stop_at`, and when the UART has sent `until`."""
        stop_pc = NOWHERE if stop_at is None else stop_at
        return Reason(self._call("nsoc_sparc_run", steps, stop_pc, until.encode()))

    def trace(self, count: int) -> list[tuple[int, ...]]:
        """The state before each of so many instructions, fewer in error mode, as ROW says. Delay slots that are
        annulled are not among them."""
        rows = (c_uint32 * (ROW * count))()
        done = self._call("nsoc_sparc_trace", rows, count)
        words = memoryview(rows).cast("B").cast("I").tolist()
        return [tuple(words[ROW * i : ROW * (i + 1)]) for i in range(done)]

    def last(self) -> list[tuple[int, int]]:
        """Address and word of the last instructions, up to REMEMBERED, the newest last."""
        pairs = (c_uint32 * (2 * REMEMBERED))()
        count = self._call("nsoc_sparc_last", pairs, REMEMBERED)
        return [(pairs[2 * i], pairs[2 * i + 1]) for i in range(count)]

    def sent(self) -> bytes:
        """What the UART has sent since the last call."""
        whole, buffer = b"", ctypes.create_string_buffer(4096)
        while count := self._call("nsoc_sparc_sent", buffer, len(buffer)):
            whole += buffer.raw[:count]
        return whole

    def type(self, data: bytes) -> None:
        """The UART receives these bytes."""
        self._call("nsoc_sparc_type", data, len(data))

    def error_mode(self) -> str:
        """A line about the trap that ended in error mode."""
        state = self.state
        return error_mode.sentence(state.error_trap, state.pc, self.last())


class Reason(enum.IntEnum):
    """Why a run came to an end."""

    LIMIT = 0
    STOPPED = 1
    PRINTED = 2
    ERROR_MODE = 3
    ASLEEP = 4


@dataclass(frozen=True)
class Ended:
    """How a program came to its end."""

    reason: Reason
    steps: int
    output: str
    """What the UART has sent."""
    iss: Iss
    """As it is now."""


def run(
    program: bytes | firmware.Image | Path,
    *,
    address: int = memory_map.BOOT_ROM_BASE,
    entry: int | None = None,
    steps: int = 10_000_000,
    stop_at: int | None = None,
    until: str = "",
    typed: bytes = b"",
    iss: Iss | None = None,
) -> Ended:
    """Run a program: bytes that belong at `address`, an ELF file, or what firmware.image() gives for one.

    It begins at `entry`, else at the address of the bytes or where the ELF file says, in the state after reset. It ends
    after `steps` steps, before the instruction at `stop_at`, when the UART has sent `until`, or when it sleeps and
    no interrupt can come. The UART receives `typed`. `iss` has devices and answers of the caller's own; without it the
    program gets a new one. Raises NsocError when it ends in error mode.
    """
    image = firmware.image(program, ARCHITECTURE) if isinstance(program, Path) else program
    if isinstance(image, bytes):
        image = firmware.Image(address, [firmware.Segment(address, image)])
    iss = iss or Iss()
    iss.reset()
    for segment in image.segments:
        iss.write(segment.address, segment.data)
    state = iss.state
    state.pc = image.entry if entry is None else entry
    state.npc = state.pc + 4
    iss.state = state
    iss.type(typed)
    before = iss.steps
    reason = iss.run(steps, stop_at=stop_at, until=until)
    if reason == Reason.ERROR_MODE:
        raise NsocError(iss.error_mode())
    return Ended(reason, iss.steps - before, iss.sent().decode(errors="replace"), iss)
