# SPDX-License-Identifier: Apache-2.0
"""The small cores of a programmable NIC as GDB's threads: what `nsoc gdb --preset pnic-rice` does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nsoc.errors import NsocError
from nsoc.machine.debug import Halt, Point
from nsoc.machine.gdb import DEFAULT_PORT, GdbServer, Target, Wish, ide, listen
from nsoc.machine.gdb.registers import RiscvRegisters
from nsoc.machine.gdb.target import SIGINT, SIGTRAP, STEPS_BETWEEN_POLLS, at_watchpoint, stop_reply
from nsoc.machine.presets import Preset
from nsoc.pnic import firmware as pnic_firmware
from nsoc.pnic import nic
from nsoc.pnic.debug import CoreState, Debugger
from nsoc.pnic.simulator import Now, Simulator

FRAME_BYTES = 1518
FS_PER_US = 10**9

_HELP = """\
cycles                simulated time, and instructions of each core so far
counters              ends of frames at the MAC that are not zero
traps                 cores that have trapped, where and why
traffic SEND RECEIVE  frames each way from now on, in percent of the line; what is sent goes at once, or not (0)
"""


class NicTarget(Target):
    """All cores of a NIC, under the debugger: thread n is core n - 1. `show` gets what went wrong in the simulation."""

    def __init__(self, simulator: Simulator, cores: int, show: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(threads=cores, registers=RiscvRegisters())
        self._simulator = simulator
        self._show = show
        self._began = simulator.run(0)
        self.debugger = Debugger(simulator, cores)
        self.firmware = ""
        """Path of what they run, for the invitation."""

    @property
    def invitation(self) -> str:
        """What of GDB's command line is behind `target remote`: the firmware."""
        return self.firmware

    def core(self, thread: int) -> CoreState:
        """The core of that thread."""
        return self.debugger.cores[thread - 1]

    def title(self, thread: int) -> str:
        """What `info threads` says of it."""
        return f"core {thread - 1}"

    def put_point(self, point: Point, address: int, length: int) -> None:
        """Puts one there."""
        self.debugger.insert(address, point, length)

    def take_point(self, point: Point, address: int, length: int) -> None:
        """Takes it away."""
        self.debugger.remove(address, point, length)

    def resume(self, wishes: Mapping[int, Wish], interrupted: Callable[[], bool], inside: range | None = None) -> str:
        """Runs until something stops it, then gives the stop reply. A step goes on while `pc` is in `inside`."""
        by_core = {thread - 1: wish for thread, wish in wishes.items()}
        steps = 0
        while True:
            try:
                stopped = self.debugger.resume(by_core)
                if stopped.halt is Halt.NOT and interrupted():
                    self.debugger.halt()
                    # Of a thread that was to go on: GDB knows nothing of the others.
                    self.stopped = stop_reply(
                        SIGINT, next((t for t in sorted(wishes) if wishes[t] is not Wish.HOLD), 1)
                    )
                    return self.stopped
            except NsocError as error:
                self._show(f"\nnsoc: {error}\n")  # GDB would not say more than that there was one
                raise
            if stopped.halt is Halt.NOT:
                continue
            thread = stopped.core + 1
            if stopped.halt is Halt.STEPPED and inside is not None and self.core(thread).pc in inside:
                steps += 1
                if steps % STEPS_BETWEEN_POLLS or not interrupted():
                    continue
                self.stopped = stop_reply(SIGINT, thread)
                return self.stopped
            self.stopped = self._why(stopped.halt, thread, stopped.point, stopped.address)
            return self.stopped

    def _why(self, halt: Halt, thread: int, point: Point, address: int) -> str:
        if halt is Halt.WATCHPOINT:
            return at_watchpoint(thread, point, address)
        return self.at_breakpoint(thread) if halt is Halt.BREAKPOINT else stop_reply(SIGTRAP, thread)

    def monitor(self, said: str) -> str:
        """What GDB's `monitor` shows for this command."""
        match said.split():
            case ["cycles"]:
                return self._cycles(self._simulator.run(0))
            case ["counters"]:
                counted = [f"{name:24} {value}\n" for name, value in self._simulator.ends().items() if value]
                return "".join(counted) or "all counters are zero\n"
            case ["traps"]:
                found = [f"core {core} at 0x{pc:08x}, mcause {cause}\n" for core, pc, cause in self._simulator.traps()]
                return "".join(found) or "no core has trapped\n"
            case ["traffic", send, receive] if all(part.isdecimal() and int(part) <= 100 for part in (send, receive)):
                self._simulator.traffic(int(send), int(receive))
                return f"{send} percent sent, {receive} percent received from now on\n"
            case ["help"] | []:
                return _HELP
        return f"there is no monitor command {said!r}; these there are:\n{_HELP}"

    def _cycles(self, now: Now) -> str:
        retired = []
        for number, core in enumerate(self.debugger.cores):
            retired.append(f"core {number}: {self.registers.retired(core)} instructions retired\n")
        us = (now.fs - self._began.fs) / FS_PER_US
        return f"{us:.3f} us, {now.core_cycles - self._began.core_cycles} core clock cycles\n" + "".join(retired)


def serve(
    preset: Preset,
    firmware: str | None,
    *,
    port: int = DEFAULT_PORT,
    seed: int = 1,
    defines: Sequence[str] = (),
    show: Callable[[str], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Starts a program of firmware/pnic/apps (None: the preset's), and serves GDB until that kills it.

    Each core is halted at its first instruction. Host and line send frames of 1518 bytes. `say` gets how to connect.
    `defines` are preprocessor symbols, NAME or NAME=NUMBER.
    """
    setup = _setup(preset, firmware)
    elf = nic.firmware_of(setup, FRAME_BYTES, numbers(defines))
    with listen(port) as listener, Simulator(setup, elf, FRAME_BYTES, seed) as simulator:
        target = NicTarget(simulator, setup.cores, show)
        target.firmware = str(elf)
        simulator.traffic(100, 100)
        with GdbServer(target, listener=listener) as server:
            say(server.invitation)
            server.serve()


def ide_files(
    preset: Preset, firmware: str | None, *, port: int = DEFAULT_PORT, defines: Sequence[str] = ()
) -> dict[str, str]:
    """The files with which an editor debugs the program that serve() serves: see nsoc.machine.gdb.ide."""
    setup, symbols = _setup(preset, firmware), numbers(defines)
    elf = nic.firmware_of(setup, FRAME_BYTES, symbols)
    commands = pnic_firmware.compile_commands(setup.program, nic.defines_of(setup, FRAME_BYTES, symbols))
    return ide.files(elf, port, commands)


def _setup(preset: Preset, firmware: str | None) -> nic.Setup:
    setup = nic.setup_of(preset)
    return setup if firmware is None else replace(setup, program=firmware)


def numbers(defines: Sequence[str]) -> dict[str, int]:
    """Preprocessor symbols that are numbers."""
    found = {}
    for define in defines:
        name, _, value = define.partition("=")
        try:
            found[name] = int(value or "1", 0)
        except ValueError:
            raise NsocError(f"--define {define!r} is not NAME or NAME=NUMBER") from None
        if not name.isidentifier():
            raise NsocError(f"--define {define!r} is not NAME or NAME=NUMBER")
    return found
