# SPDX-License-Identifier: Apache-2.0
"""A live session: the simulated network beside the programs of this machine, joined by a TAP device.

step() is all of it, again and again: while something is to be done, simulated time passes in slices; when all SoCs
rest, the process sleeps until a frame comes, somebody types, or their next event is due.
"""

import select
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from nsoc.errors import NsocError
from nsoc.live import linux
from nsoc.live.console import Console
from nsoc.live.line import Capture, Drops, Line
from nsoc.live.pace import Pace
from nsoc.live.record import Recorder
from nsoc.live.registers import Registers
from nsoc.live.world import World
from nsoc.machine.sim import LONGEST_FS
from nsoc.machine.soc import BOOT_US
from nsoc.network.network import Network

SLICE_FS = 100 * 10**9
"""Simulated at once while there is work, some 10 ms of wall time: how long a key press may wait."""
FS_PER_NS, FS_PER_PS, NS_PER_S = 10**6, 1000, 10**9
WATCHED_SLICE_FS = 20 * 10**9
"""The same where frames that get lost are told of: few come in it."""
SHORT_SLICE_FS, MOST_SHORT_SLICES = 2 * 10**9, 1000
"""The longest access to a device register; most are over in some microseconds."""
REGISTER_BYTES = 4
ASKED, ANSWERED = 0, 1
"""As NSOC_DEBUG_* in nsoc_sim.h."""
READY = b"ready"
SHORTEST_SLEEP_S = 50e-6


class Readable(Protocol):
    """Something that can be waited for."""

    def fileno(self) -> int: ...


Wait = Callable[[Any, Any, Any, float], tuple[list[Any], list[Any], list[Any]]]
"""As select.select."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts and times since the session began."""

    wall_s: float
    simulated_s: float
    work_wall_s: float
    """In which SoCs were simulated that had something to do ..."""
    work_cycles: int
    """... for so many cycles of the first one's NIC clock."""
    from_linux: int
    """Frames."""
    to_linux: int
    drops: dict[str, int]
    """Frames that did not get where they were to go, by cause; none are 0."""


class Session:
    """A World with a TAP device, in the present network namespace.

    `capture`: gets the frames of Linux. `tell_drop` gets a line for each frame that got lost. Both want a World that is
    watched. `fast`: time in which all SoCs rest is skipped as fast as can be. `clock` and `wait` are there for tests:
    nanoseconds on the wall, and what sleeps.
    """

    def __init__(
        self,
        world: World,
        *,
        folder: Path | None = None,
        recorder: Recorder | None = None,
        capture: Path | None = None,
        tell_drop: Callable[[str], None] | None = None,
        fast: bool = False,
        clock: Callable[[], int] = time.monotonic_ns,
        wait: Wait = select.select,
    ) -> None:
        self.world, self.tap = world, world.tap
        self._network: Network = world.network
        self._recorder, self._fast, self._clock, self._wait = recorder, fast, clock, wait
        self._consoles = [] if folder is None else [Console(folder, number) for number in range(len(world.socs))]
        self._registers = []
        if folder is not None:
            self._registers = [
                Registers(folder, number, partial(self._read_register, number)) for number in range(len(world.socs))
            ]
        self._printed = [0] * len(world.socs)
        self._last_printed = [b""] * len(world.socs)
        self.ready = [False] * len(world.socs)
        self._capture = None if capture is None else Capture(capture)
        self._drops = None if tell_drop is None else Drops(tell_drop)
        self._line = None if self._capture is None and self._drops is None else Line(world)
        self._slice_fs = SLICE_FS if self._drops is None else WATCHED_SLICE_FS
        self._dropped_before = linux.dropped(self.tap.name)
        self._began = clock()
        self._pace = Pace(self._began, self._network.time_fs // FS_PER_NS)
        self._work_ns = self._work_fs = 0

    def step(self, sleep_s: float, also: Sequence[Readable] = ()) -> None:
        """Lets at most a slice of simulated time pass, or sleeps at most so long; whoever of `also` becomes readable
        ends the sleep."""
        now_fs = self._network.time_fs
        if now_fs >= LONGEST_FS - SLICE_FS:
            raise NsocError(f"simulated time ends here, after {now_fs / 1e15 / 60:.0f} minutes: start nsoc up again")
        rest_fs = self._network.quiet_until_fs
        wait_ns = 0
        if rest_fs > now_fs:
            skips = self._fast and rest_fs < LONGEST_FS
            wait_ns = 0 if skips else self._pace.wall_until(self._clock(), -(-rest_fs // FS_PER_NS))
        else:
            wait_ns = self._pace.wall_until(self._clock(), now_fs // FS_PER_NS)
        frames_wait = self._sleep(min(sleep_s, wait_ns / NS_PER_S), also)
        if rest_fs > now_fs:
            self._rest(rest_fs, frames_wait)
        self._work()
        self._tell()

    def boot(self, step: Callable[[], None]) -> None:
        """Calls `step` until all SoCs have printed `ready`. Raises NsocError when they do not."""
        while not all(self.ready):
            step()
            if self._network.time_us > BOOT_US and not all(self.ready):
                number = self.ready.index(False)
                printed = self.world.socs[number].simulation.uart_read(0)[-200:].decode(errors="replace")
                raise NsocError(
                    f"the firmware {self.world.setup.firmware} did not print 'ready' within {BOOT_US / 1000:g} ms "
                    f"(simulated); it printed {printed!r}"
                )

    def tally(self) -> Tally:
        """Where it has come to."""
        there, back = self.world.cable.counts()
        # A frame that the cable damages is counted by who gets it.
        drops = {f"cable, {fate}": there[fate] + back[fate] for fate in ("lost", "down", "overflowed")}
        drops |= {f"to Linux, {why}": count for why, count in self.tap.counts().items()}
        drops["from Linux, queue full"] = linux.dropped(self.tap.name) - self._dropped_before
        if self.world.switch is not None:
            counts = self.world.switch.counts()
            drops |= {f"switch, {why}": counts[why] for why in ("bad", "reserved", "full")}
        for number, soc in enumerate(self.world.socs):
            where = f"SoC {number}, " if len(self.world.socs) > 1 else ""
            drops |= {where + name: count for name, count in soc.losses.items()}
        counted = [name for name in there if name not in ("duplicated", "held")]
        return Tally(
            (self._clock() - self._began) / NS_PER_S,
            self._network.time_fs / 1e15,
            self._work_ns / NS_PER_S,
            self._work_fs * self.world.socs[0].cycles // max(1, self._network.time_fs),
            sum(there[name] for name in counted),
            sum(back[name] for name in counted),
            {name: count for name, count in drops.items() if count},
        )

    def close(self) -> None:
        """The session is over; the world is not."""
        for console in self._consoles:
            console.close()
        self._watch()
        for registers in self._registers:
            registers.close()
        if self._capture is not None:
            self._capture.close()
        if self._recorder is not None:
            self._recorder.end(self.world)

    def _sleep(self, seconds: float, also: Sequence[Readable]) -> bool:
        """Until somebody has something, at most so long; what is typed gets to the SoCs. Whether frames wait."""
        sources = {source: (number, one) for number, one in enumerate(self._consoles) for source in one.sources()}
        devices = {source: one for one in self._registers for source in one.sources()}
        wanted: list[Any] = [self.tap.descriptor, *sources, *devices, *also]
        readable, _, _ = self._wait(wanted, [], [], seconds if seconds >= SHORTEST_SLEEP_S else 0)
        for source in readable:
            if source in sources:
                number, console = sources[source]
                self._type(number, console.typed(source))
            elif source in devices:
                devices[source].serve(source)
        return self.tap.descriptor in readable

    def _type(self, number: int, data: bytes) -> None:
        if not data:
            return
        # At a whole nanosecond, which a record keeps.
        self._network.pass_to(-(-self._network.time_fs // FS_PER_NS) * FS_PER_NS)
        self.world.socs[number].uart.write(data)
        if self._recorder is not None:
            self._recorder.typed(self._network.time_ps, number, data)

    def _read_register(self, number: int, address: int) -> int | None:
        """A device register, read by the SoC's core 0 through its bus; None: that has answered with an error. Raises
        NsocError."""
        if self._recorder is not None:
            raise NsocError("a session that is recorded is not disturbed: start nsoc up without --record")
        simulation = self.world.socs[number].simulation
        self._network.pass_to(-(-self._network.time_fs // FS_PER_NS) * FS_PER_NS)
        simulation.debug_ask(0, address, REGISTER_BYTES)
        for _ in range(MOST_SHORT_SLICES):
            self._network.work_to(self._network.time_fs + SHORT_SLICE_FS)
            state, value = simulation.debug_answer(0)
            if state != ASKED:
                self._came()
                return value if state == ANSWERED else None
        raise NsocError(f"SoC {number} does not come to a place between two instructions: see what it does by nsoc gdb")

    def _rest(self, rest_fs: int, frames_wait: bool) -> None:
        """All SoCs rest until `rest_fs`: as much of that time passes as is allowed. What Linux has sent comes before
        the event that ends the rest: it may be what the SoC waits for, and have been there before."""
        now_fs = self._network.time_fs
        allowed_fs = self._pace.allowed(self._clock()) * FS_PER_NS
        if self._fast and rest_fs < LONGEST_FS:
            allowed_fs = rest_fs
        if frames_wait and allowed_fs >= rest_fs:
            self._network.work_to(now_fs)  # a look: what has come goes on the line at the next whole nanosecond
            rest_fs = self._network.quiet_until_fs
        self._network.pass_to(max(now_fs, min(rest_fs, allowed_fs)))
        self._came()

    def _work(self) -> None:
        began_ns, began_fs = self._clock(), self._network.time_fs
        if began_fs // FS_PER_NS > self._pace.allowed(began_ns):
            return
        self._network.work_to(began_fs + self._slice_fs)
        passed_fs = self._network.time_fs - began_fs
        if passed_fs:
            self._work_ns += self._clock() - began_ns
            self._work_fs += passed_fs
        self._came()

    def _came(self) -> None:
        came = self._pace.begin if self._fast else self._pace.came
        came(self._clock(), self._network.time_fs // FS_PER_NS)

    def _tell(self) -> None:
        """What has happened goes to consoles and files."""
        for number, soc in enumerate(self.world.socs):
            printed = soc.simulation.uart_read(self._printed[number])
            if not printed:
                continue
            self._printed[number] += len(printed)
            if not self.ready[number]:
                self._last_printed[number] = (self._last_printed[number] + printed)[-1000:]
                self.ready[number] = READY in self._last_printed[number]
            if self._consoles:
                self._consoles[number].printed(printed)
        came = self.tap.take_record()
        if self._recorder is not None:
            self._recorder.frames(came)
        self._watch()

    def _watch(self) -> None:
        """Frames go to the capture, and to who wants to see those that got lost."""
        if self._line is None:
            return
        taken = self._line.take()
        if self._capture is not None:
            self._capture.add(taken)
        if self._drops is not None:
            self._drops.look(self._network.time_ps, taken, self.tally().drops)
