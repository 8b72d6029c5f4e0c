# SPDX-License-Identifier: Apache-2.0
"""`nsoc up`: SoCs that boot, join the network of this machine, and stay until they are told to go."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nsoc.files import check_writable
from nsoc.live import linux, namespace, show, visit
from nsoc.live.command import Command
from nsoc.live.record import Recorder
from nsoc.live.running import Folder, Info, Station
from nsoc.live.session import Session, Tally
from nsoc.live.world import Setup, World, check_count
from nsoc.machine import lwip, presets
from nsoc.machine.firmware import SECRET_BYTES
from nsoc.network.faults import Faults

INTERFACE = "nsoc0"
STEP_S = 1.0
"""Longest sleep, so that the live line goes on."""
SHOW_EVERY_S = 0.5
TELL_AFTER_S = 2.0
"""Who waits longer is told for what."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `nsoc up` is told."""

    preset: str = presets.DEFAULT
    firmware: str | None = None
    """None: the preset's network_firmware."""
    count: int = 1
    seed: int = 1
    defines: Mapping[str, int | str] = field(default_factory=dict)
    """For the firmware."""
    faults: Faults | None = None
    address: str = linux.ADDRESS
    tap: str | None = None
    """An interface of that name in the present namespace; None: INTERFACE, in a namespace of one's own."""
    fast: bool = False
    pcap: Path | None = None
    show_drops: bool = False
    """A line for each frame that got lost."""
    record: Path | None = None


class Up:
    """What runs; step() lets it go on. To be made by up()."""

    def __init__(self, session: Session, info: Info, folder: Path, nic_mhz: float) -> None:
        self.session, self.info, self.folder, self.nic_mhz = session, info, folder, nic_mhz

    def run(self, command: Sequence[str]) -> int:
        """Runs a command beside the SoCs; its exit status."""
        running = Command(command, dict(os.environ))
        before = signal.signal(signal.SIGINT, lambda number, _: running.signal(number))  # the command's to decide
        try:
            while not running.ended:
                self.session.step(STEP_S, [running])
        finally:
            status = running.end()
            signal.signal(signal.SIGINT, before)
        return status

    def visit(self) -> tuple[int, str]:
        """Talks to each service of each SoC: the exit status, and which are left out, and why."""
        found, why = services(self.info.firmware)
        status = self.run(visit.command([soc.address for soc in self.info.socs], found))
        missing = ", ".join(name for name in visit.SERVICES if name not in found)
        return status, f"left out: {missing}; {why}" if missing else ""

    def stay(self, show_line: Callable[[str], None] | None) -> None:
        """Goes on until KeyboardInterrupt."""
        before = self.session.tally()
        while True:
            self.session.step(SHOW_EVERY_S if show_line else STEP_S)
            if show_line is None:
                continue
            now = self.session.tally()
            if now.wall_s - before.wall_s >= SHOW_EVERY_S:
                show_line(show.line(before, now, self.nic_mhz))
                before = now

    def tally(self) -> Tally:
        """Where it has come to."""
        return self.session.tally()


def services(name: str) -> tuple[list[str], str]:
    """What the firmware of that name offers of visit.SERVICES, and why not all of them."""
    why = lwip.why_not() if name == "net" else None
    if why is None:
        return list(visit.SERVICES), ""
    return [visit.ICMP, visit.UDP], f"net has these on lwIP alone, and {why}"


@contextmanager
def up(options: Options, tell: Callable[[str], None]) -> Iterator[Up]:
    """SoCs that have booted. This process, which must have a single thread, moves into a network namespace of its own
    for that, unless a TAP device has been named. `tell` gets lines for people.

    Raises NsocError.
    """
    own = options.tap is None
    check_count(options.count)
    linux.check_address(options.address, options.count)
    if options.tap is not None:
        linux.check_name(options.tap)
    for file, what, option in ((options.pcap, "the capture", "--pcap"), (options.record, "the record", "--record")):
        if file is not None:
            check_writable(file, what, option)
    namespace.check(own, options.tap or "")
    firmware = options.firmware or presets.load_soc(options.preset).network_firmware
    setup = Setup.of(
        options.preset, firmware, options.count, options.seed, options.faults, dict(options.defines),
        os.urandom(SECRET_BYTES),
    )  # fmt: skip
    if own:
        namespace.enter_own()
        linux.prepare_namespace()
    with ExitStack() as stack:
        watched = options.show_drops or options.pcap is not None
        world = World(setup, lambda network: network.tap(options.tap or INTERFACE), watched=watched)
        stack.callback(world.close)
        info = _info(options, world)
        linux.configure(info.interface, options.address)
        folder = Folder(info)
        stack.callback(folder.close)
        recorder = None if options.record is None else Recorder(options.record, setup)
        session = Session(
            world, folder=folder.path, recorder=recorder, capture=options.pcap,
            tell_drop=tell if options.show_drops else None, fast=options.fast,
        )  # fmt: skip
        stack.callback(session.close)
        running = Up(session, info, folder.path, world.socs[0].preset.nic_mhz)
        began, told = time.monotonic(), False

        def step() -> None:
            nonlocal told
            session.step(STEP_S)
            if not told and time.monotonic() - began > TELL_AFTER_S:
                told = True
                tell(f"booting {info.preset}: waiting for the firmware {info.firmware} to be ready")

        session.boot(step)
        folder.ready()
        for text in show.addresses(info):
            tell(text)
        yield running


def _info(options: Options, world: World) -> Info:
    stations = range(linux.FIRST_STATION, linux.FIRST_STATION + len(world.socs))
    return Info(
        os.getpid(),
        world.tap.name,
        options.tap is None,
        options.address,
        linux.MAC,
        world.socs[0].preset.name,
        world.socs[0].elf.stem,
        tuple(Station(number, f"02:00:00:00:00:{number:02x}", str(linux.of_station(number))) for number in stations),
        world.socs[0].preset.connections,
    )


def interruptible() -> None:
    """To be told to go (SIGTERM, SIGHUP) is as Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
