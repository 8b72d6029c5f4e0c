# SPDX-License-Identifier: Apache-2.0
"""The SoC as an object: boot it, let simulated time pass, look at its wire, its UART, its counters."""

import hashlib
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Protocol

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import build, error_mode, presets
from nsoc.machine import firmware as firmware_
from nsoc.machine.c_library import filled
from nsoc.machine.debug import Debugger
from nsoc.machine.presets import Preset
from nsoc.machine.sim import Config, Simulation
from nsoc.network.wire import Wire

FS_PER_US = 10**9
PS_PER_US = 10**6
FS_PER_PS = 1000

UNBOUNDED_US = 1e6
"""How long run() goes on when it has a condition but no time: a simulated second."""


BOOT_US = 20_000.0
"""How long boot() waits: applications take less than 200 us."""


class Stop(StrEnum):
    """Why run() came back. In the order of nsoc_sim.h."""

    TIME = "time"
    """The time given is over."""
    FRAMES = "frames"
    """So many received frames wait."""
    SENT = "sent"
    """At most so many frames are still to be sent."""
    TEXT = "text"
    """The UART has printed the text."""
    IDLE = "idle"
    """Wire and UART were quiet for so long."""


_REASONS = tuple(Stop)
_POINTERS = "pointers."


@public
class Uart:
    """The terminal on the SoC's serial port."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._printed = b""
        self._read = 0

    @property
    def text(self) -> str:
        """All that was printed since reset."""
        self._printed += self._sim.uart_read(len(self._printed))
        return self._printed.decode(errors="replace")

    def read(self) -> str:
        """What was printed since the last read()."""
        _ = self.text
        new = self._printed[self._read :]
        self._read = len(self._printed)
        return new.decode(errors="replace")

    def write(self, text: str | bytes) -> None:
        """Types on the terminal; the bytes go out as simulated time passes."""
        self._sim.uart_write(text.encode() if isinstance(text, str) else text)


class Counters(Mapping[str, int]):
    """The NIC's frame counters by the name of their register, read at once and without side effects."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        # The simulator gives them in the order of their registers; the last is only there with offloads.
        there = len(sim.probe("counters"))
        self._index = {name: index for index, name in enumerate(_counter_names()[:there])}

    def __getitem__(self, name: str) -> int:
        return self._sim.probe("counters")[self._index[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


@dataclass(frozen=True, slots=True)
class FifoUse:
    """What a frame FIFO of the MAC holds."""

    frames: int
    """Whole frames, one that is being read out too."""
    used_bytes: int
    """With what has come of a frame that is not whole yet."""


@dataclass(frozen=True, slots=True)
class Event:
    """What a tap said, see trace_pkg, mac_pkg, nic_pkg, nsoc_pkg; src/nsoc/trace/ makes sense of it."""

    tap: str
    """The tap's name."""
    time_fs: int
    """Femtoseconds since reset, of the clock edge behind that of the tap."""
    detail: int
    """A number that the tap's package explains."""
    value: int
    """Another one."""


@public
class Soc:
    """One simulated SoC, booted with a firmware.

    - `preset`: a name, the path of a TOML file, or a Preset
    - `firmware`: an application of firmware/apps, the path of an ELF file, or None for the preset's own
    - `seed`: draws the phases of all clocks; the same preset, firmware and seed give the same cycles on any machine
    - `defines`: preprocessor symbols for the firmware
    - `checks`: builds with the RTL's assertions alive (slower)
    - `log`: keeps every frame in `wire.log`
    - `trace`: builds with the taps that record() and events() need
    - `waves`: builds with what write_waves() needs (much slower)
    - `secret`: 16 bytes that the firmware makes of what outsiders must not foretell (initial sequence numbers); else of
      the seed

    The first use of a preset builds its simulator, which takes a minute. The SoC and every call of it raise NsocError
    for what the user can mend, a value out of range too.
    """

    def __init__(
        self,
        preset: str | os.PathLike[str] | Preset = presets.DEFAULT,
        firmware: str | os.PathLike[str] | None = None,
        seed: int = 1,
        *,
        defines: Mapping[str, int | str] | None = None,
        checks: bool = False,
        log: bool = False,
        trace: bool = False,
        waves: bool = False,
        secret: bytes | None = None,
    ) -> None:
        if secret is not None and len(secret) != firmware_.SECRET_BYTES:
            raise NsocError(f"a secret has {firmware_.SECRET_BYTES} bytes, not {len(secret)}")
        self.preset: Preset = presets.load_soc(preset)
        """What it is."""
        self.seed: int = seed
        """What its clocks' phases are drawn from."""
        variant = build.Variant(checks, trace, waves)
        build.check(self.preset, variant)
        self.elf: Path = firmware_.build_for(self.preset, firmware, defines)
        """Its firmware."""
        segments = firmware_.segments(self.elf, self.preset.core)
        config = boot_config(self.preset, seed)
        self._nic_period_fs = int(config.nic_period_fs)
        self._sim = Simulation(build.simulator(self.preset, variant), config)
        for segment in segments:
            try:
                self._sim.load(segment.address, segment.data)
            except NsocError as problem:
                raise NsocError(f"{self.elf} does not fit {self.preset.name}: {problem}") from None
        place = firmware_.secret_address(self.elf)
        if place is not None:
            self._sim.load(place, secret_of(str(seed).encode()) if secret is None else secret)
        self.wire: Wire = Wire(self._sim, self._run_until_frame, log)
        """The cable to its MAC."""
        self.uart: Uart = Uart(self._sim)
        """The terminal on its serial port."""
        self.counters: Mapping[str, int] = Counters(self._sim)
        """The NIC's frame counters by the name of their register."""
        self._places = [name for name in self._sim.probes() if name.startswith(_POINTERS)]

    def __enter__(self) -> "Soc":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def simulation(self) -> Simulation:
        """What is behind it, for a network."""
        return self._sim

    def close(self) -> None:
        """Frees the simulation."""
        self._sim.close()

    def run(
        self,
        us: float | None = None,
        cycles: int | None = None,
        *,
        frames: int | None = None,
        sent: int | None = None,
        text: str | None = None,
        idle_us: float | None = None,
    ) -> Stop:
        """Lets simulated time pass and says why it stopped.

        At most `us` microseconds, or `cycles` nic-clock cycles; a simulated second when only a condition is given.
        Stops earlier when `frames` received frames wait; when at most `sent` frames are still to be sent; when the UART
        has printed `text` (at any time since reset); when wire and UART were quiet for `idle_us`.
        """
        conditions = (frames, sent, text, idle_us)
        if us is not None and cycles is not None:
            raise NsocError("run() takes us or cycles, not both")
        if us is None and cycles is None:
            if all(condition is None for condition in conditions):
                raise NsocError("run() needs us, cycles or a condition to stop at")
            us = UNBOUNDED_US
        limit = self.cycles_in(us) if us is not None else (cycles or 0)
        if limit < 0:
            raise NsocError("simulated time does not run backwards")
        if sent is not None and sent < 0:
            raise NsocError(f"sent must be at least 0 frames, not {sent}")
        try:
            reason = self._sim.run(
                limit,
                frames=frames or 0,
                queued=-1 if sent is None else sent,
                idle_cycles=0 if idle_us is None else max(1, self.cycles_in(idle_us)),
                text=None if text is None else text.encode(),
            )
        except NsocError:
            check_cores(self)
            raise
        return _REASONS[reason]

    def boot(self, text: str = "ready", within_us: float = BOOT_US) -> "Soc":
        """Runs until the firmware has printed `text`; returns itself. Raises NsocError when it does not."""
        self.run(us=within_us, text=text)
        check_booted(self, text, within_us)
        return self

    @property
    def cycles(self) -> int:
        """nic-clock cycles since reset."""
        return self._sim.cycle

    @property
    def time_ps(self) -> int:
        """Simulated picoseconds since reset."""
        return self._sim.time_ps

    @property
    def time_us(self) -> float:
        """Simulated microseconds since reset."""
        return self._sim.time_ps / 1e6

    @property
    def losses(self) -> dict[str, int]:
        """What was lost or refused since reset, by cause, zeros too: counters of MAC and NIC, and those of a
        TCP/IP engine with their block before them (`toe_udp.drop_full`); read without side effects."""
        return _losses(self._sim, self.counters)

    def cycles_in(self, us: float) -> int:
        """nic-clock cycles in that many microseconds."""
        return round(_finite(us) * FS_PER_US / self._nic_period_fs)

    def cycles_between(self, start_ps: int, end_ps: int) -> float:
        """nic-clock cycles from one stamp to another, which may be of another clock: with their fraction."""
        return (end_ps - start_ps) * FS_PER_PS / self._nic_period_fs

    def load(self, address: int, data: bytes) -> None:
        """Writes boot ROM, local memory or DRAM (in an L2 cache, too), behind the processor and its caches."""
        self._sim.load(address, data)

    def peek(self, address: int, length: int) -> bytes:
        """Reads boot ROM, local memory or DRAM, without side effects: what is newer in an L2 cache is found there, and
        the processor's caches hold nothing newer."""
        return self._sim.peek(address, length)

    def debugger(self, core: int = 0) -> Debugger:
        """The debugger of a core, which comes to a stop between two instructions."""
        check_core(self.preset, core)
        return Debugger(self._sim, core)

    def record(self, on: bool = True) -> None:
        """Begins, or ends, to keep what the taps of the RTL say; needs Soc(trace=True)."""
        self._sim.trace(on)

    def events(self) -> list[Event]:
        """What the taps said since the last call."""
        names = self._sim.taps()
        return [Event(names[e.tap], e.time_fs, e.detail, e.value) for e in self._sim.trace_take()]

    def write_waves(self, file: str | os.PathLike[str], from_us: float, to_us: float) -> None:
        """Writes all signals to an FST file while simulated time is between these; needs Soc(waves=True).

        Once in a simulation. The file is complete when time has passed the window, or with close().
        """
        self._sim.waves(Path(file), round(_finite(from_us) * PS_PER_US), round(_finite(to_us) * PS_PER_US))

    def pointers(self) -> dict[str, list[int]]:
        """Where the buffer pointers are: the addresses in each queue and in the engines, by place, oldest first.

        What the processor has popped and not pushed back is in none.
        """
        return {name.removeprefix(_POINTERS): self._sim.probe(name) for name in self._places}

    def fifos(self) -> dict[str, FifoUse]:
        """What the MAC's frame FIFOs hold: `mac_rx` (wire to NIC) and `mac_tx` (NIC to wire)."""
        word_bytes = 8
        uses = {}
        for name in ("mac_rx", "mac_tx"):
            frames, words = self._sim.probe(f"fifo.{name}")
            uses[name] = FifoUse(frames, words * word_bytes)
        return uses

    def _run_until_frame(self, timeout_us: float) -> None:
        self.run(us=timeout_us, frames=1)


class Booting(Protocol):
    """What check_booted() looks at."""

    @property
    def elf(self) -> Path: ...
    @property
    def preset(self) -> Preset: ...
    @property
    def uart(self) -> Uart: ...


def check_booted(soc: Booting, text: str, within_us: float) -> None:
    """Raises NsocError when the firmware has not printed `text`, which was waited for so long."""
    if text not in soc.uart.text:
        raise NsocError(
            f"the firmware {soc.elf.stem} on {soc.preset.name} did not print {text!r} within "
            f"{within_us / 1000:g} ms (simulated); it printed {soc.uart.text[-200:]!r}"
        )


def check_cores(soc: Soc) -> None:
    """Raises NsocError when a core is in error mode. Soc.run() does."""
    error_mode.check(soc.simulation, soc.elf, soc.preset.name, soc.preset.cores)


def check_core(preset: Preset, core: int) -> None:
    """Raises NsocError when the preset has no core of that number."""
    if not 0 <= core < preset.cores:
        raise NsocError(f"the preset {preset.name} has {_cores(preset.cores)}: there is no core {core}")


def secret_of(text: bytes) -> bytes:
    """A program's secret (firmware/lib/secret.h) that a text decides."""
    return hashlib.blake2b(text, digest_size=firmware_.SECRET_BYTES).digest()


def boot_config(preset: Preset, seed: int) -> Config:
    """The simulator's configuration for a preset."""
    return filled(
        Config,
        cpu_period_fs=_period_fs(preset.cpu_mhz, preset.cpu_ppm),
        nic_period_fs=_period_fs(preset.nic_mhz, preset.nic_ppm),
        dram_period_fs=_period_fs(1e6 / preset.dram_clk_ps, preset.dram_ppm),
        rx_period_fs=_period_fs(preset.gmii_mhz, preset.rx_ppm),
        tx_period_fs=_period_fs(preset.gmii_mhz, preset.tx_ppm),
        seed=seed,
        uart_divisor=preset.uart_divisor,
        mii=int(preset.mii),
        one_clock=int(preset.one_clock),
    )


def _finite(us: float) -> float:
    if not math.isfinite(us):
        raise NsocError(f"a time must be a number of microseconds, not {us}")
    return us


_ENGINE = {"toe": "tcp_drop_no_connection", "toe_udp": "received_datagrams"}
"""Blocks whose counters the simulator knows as one probe, and the first of these."""


def _losses(sim: Simulation, counters: Mapping[str, int]) -> dict[str, int]:
    from nsoc.machine.regs import BLOCKS

    nic = dict(counters)
    found = {name: nic[name] for name, register in BLOCKS["nic"].registers.items() if register.loss and name in nic}
    for block, first in _ENGINE.items():
        if f"{block}.counters" not in sim.probes():
            continue
        values, registers = sim.probe(f"{block}.counters"), BLOCKS[block].registers
        for name, register in registers.items():
            if register.loss:
                found[f"{block}.{name}"] = values[register.id - registers[first].id]
    return found


def _counter_names() -> list[str]:
    from nsoc.machine.regs import BLOCKS  # a large table: only when somebody boots a SoC

    return [register.name for register in BLOCKS["nic"].registers.values() if register.counter]


def _cores(number: int) -> str:
    return "one core, number 0" if number == 1 else f"cores 0 to {number - 1}"


def _period_fs(mhz: float, ppm: float) -> int:
    return round(FS_PER_US / (mhz * (1 + ppm / 1e6)))
