# SPDX-License-Identifier: Apache-2.0
"""Transfers between a program and SoCs on a simulated network: what `nsoc send` and `nsoc get` do.

    echo    host -- SoC                      the SoC sends every frame back; both ends of the protocol are the host's
    sink    host -- SoC, or a switch and several SoCs          each SoC keeps what it gets in its DRAM
    relay   host -- switch -- relay SoC, sink SoC              the relay passes on what is for the sink
    source  host -- SoC                      the host fetches what the SoC's DRAM holds

Faults are those of the host's cable. Times are simulated.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from nsoc.errors import NsocError
from nsoc.machine import memory_map, presets
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc
from nsoc.network.ethernet import HEADER_BYTES, LINE_MBPS, SHORTEST, SLOT_BYTES
from nsoc.network.faults import Wiring
from nsoc.network.network import End, Network
from nsoc.transfer import message, published
from nsoc.transfer.end import PATIENCE_US
from nsoc.transfer.line_use import LineUse
from nsoc.transfer.outgoing import PUBLISHED_HEADER_BYTES, Outgoing, whole
from nsoc.transfer.plan import PRESETS, Plan, To
from nsoc.transfer.published import State
from nsoc.transfer.runner import Runner, Traffic
from nsoc.transfer.scheme import Scheme
from nsoc.transfer.station import Station
from nsoc.transfer.storage import FileSource, MemoryStore, Source

HOST = bytes.fromhex("020000000001")
AT_ONCE = 4
"""Transfers of the numbered types with one SoC at a time; it has room for more."""
BOOT_US = 20_000.0
SETTLE_US = 100.0
"""For the last frame to reach the other end."""
SERVE_ADDRESS = memory_map.DRAM_BASE + memory_map.DRAM_BYTES // 2
"""Where in DRAM Session.serve() puts it: received transfers go into the lower half."""
SERVE_BYTES = memory_map.DRAM_BYTES // 2

Progress = Callable[[int, int], None]


def address(station: int) -> bytes:
    """The MAC address of a station: 02-00-00-00-00-STATION. The host is 1, SoCs are 2 and so on."""
    return bytes([2, 0, 0, 0, 0, station])


@dataclass(frozen=True)
class Item:
    """Something to send."""

    name: str
    source: Source

    @property
    def size(self) -> int:
        """Bytes."""
        return self.source.total

    def read(self) -> bytes:
        """All of it. Raises NsocError when it cannot be read."""
        try:
            return whole(self.source)
        except OSError as problem:
            raise NsocError(f"cannot read {self.name}: {problem.strerror or problem}") from None


def items(paths: Iterable[Path]) -> list[Item]:
    """The files, and those in the folders, by name. Raises NsocError for what cannot be read."""
    found = []
    for path in paths:
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        if not files:
            raise NsocError(f"the folder {path} has no file to send")
        for file in files:
            name = file.relative_to(path.parent).as_posix() if path.is_dir() else file.name
            check_name(name)
            try:
                item = Item(name, FileSource(file))
            except OSError as problem:
                raise NsocError(f"cannot read {file}: {problem.strerror}") from None
            if item.size > message.MAX_TRANSFER_BYTES:
                raise NsocError(f"{file} has {item.size} bytes, and a transfer at most {message.MAX_TRANSFER_BYTES}")
            found.append(item)
    return found


def check_name(name: str) -> None:
    """Raises NsocError when a transfer cannot have that name."""
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise NsocError(f"the name {name!r} is not UTF-8; rename the file") from None
    if length > message.MAX_NAME_BYTES:
        raise NsocError(
            f"a transfer's name has at most {message.MAX_NAME_BYTES} bytes, and this one {length}: {name[:40]}..."
        )


@dataclass
class Delivery:
    """What became of a transfer. Times are simulated."""

    name: str
    station: bytes
    size: int
    """Bytes."""
    packets: int = 0
    packet_frame_bytes: int = 0
    """Frame bytes of all packets, each counted once."""
    delivered: bool = False
    failure: str = ""
    """Why not: the rest of a sentence that begins "the transfer failed: "."""
    repeats: int = 0
    """Packets that went once more."""
    duration_us: float = 0.0
    """From the first byte of the first frame to the end of the frame that confirms it."""
    sent: LineUse = field(default_factory=LineUse)
    """Data frames that the host sent."""
    received: LineUse = field(default_factory=LineUse)
    """Data frames that the host got."""
    ignored: Counter[str] = field(default_factory=Counter)
    data: bytes | bytearray | None = None
    """What came: of an echo, and of a get."""
    history: Traffic | None = None
    """When each packet went and came."""

    @property
    def line_share(self) -> float:
        """Time of the packets on the line, each counted once and with preamble, FCS and gap, over the duration."""
        line_us = (self.packet_frame_bytes + SLOT_BYTES * self.packets) * 8 / LINE_MBPS
        return line_us / self.duration_us if self.duration_us else 0.0

    @property
    def throughput_mbps(self) -> float:
        """Frame bytes of the packets, each counted once, over the duration, in 10^6 bit/s."""
        return self.packet_frame_bytes * 8 / self.duration_us if self.duration_us else 0.0

    @property
    def images_per_s(self) -> float:
        """Transfers a second, from the first byte to the confirmation."""
        return 1e6 / self.duration_us if self.delivered else 0.0

    @property
    def images_per_s_as_published(self) -> float:
        """The same by the published rule: transmission and reception time added, though they overlap."""
        seconds = self.sent.seconds + self.received.seconds
        return 1 / seconds if self.delivered and seconds else 0.0


class Session:
    """A network with a host and booted SoCs. To be used in a `with` statement."""

    def __init__(
        self,
        apps: Sequence[str],
        preset: str | Preset,
        *,
        seed: int = 1,
        patience_us: float = PATIENCE_US,
        capture: bool = False,
        defines: Mapping[str, int | str] | None = None,
        wiring: Wiring | None = None,
        progress: Progress = lambda done, total: None,
    ) -> None:
        """A SoC for each of the firmwares `apps`; with several there is a switch between them and the host.

        `wiring`: what the host's cable does to frames. `progress(packets there, packets in all)` is called now and
        then.
        """
        self.preset = presets.load_soc(preset)
        self.patience_us = patience_us
        self._progress = progress
        self.station = Station(HOST, random.Random(f"{seed}/transfers"), transfers=1024, patience_us=patience_us)
        wiring = wiring or Wiring()
        self.network = Network(seed, log=wiring.log, replay=wiring.replay)
        try:
            self._build(apps, dict(defines or {}), wiring)
            self.runner = Runner(self.network, self.host, self.station, capture=capture)
        except BaseException:
            self.network.close()
            raise

    @classmethod
    def to(cls, to: To, preset: str | Preset | None = None, socs: int = 1, **options: Any) -> "Session":
        """For Session.echo() or Session.send()."""
        if socs > 1 and to is not To.SINK:
            raise NsocError("several SoCs can only be sinks: give --to sink with --socs")
        apps = {To.ECHO: ["forward"], To.SINK: ["sink"] * socs, To.RELAY: ["relay", "sink"]}
        return cls(apps[to], PRESETS[to] if preset is None else preset, **options)

    def _build(self, apps: Sequence[str], defines: dict[str, int | str], wiring: Wiring) -> None:
        self.socs: list[Soc] = []
        for number, app in enumerate(apps, 2):
            own = {} if app == "forward" else {"STATION": number}
            self.socs.append(self.network.soc(self.preset, app, defines={**own, **defines}))
        self.host = self.network.host()
        end: End = self.socs[0]
        if len(self.socs) > 1:
            end = self.network.switch(*self.socs, ports=len(self.socs) + 1).ports[-1]
        self.cable = self.network.cable(self.host, end, faults=wiring.faults)
        for soc in self.socs:
            self._run_until(soc, "ready")

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.network.close()

    @property
    def drops(self) -> dict[str, int]:
        """Drop counters of all SoCs that are not zero."""
        total: Counter[str] = Counter()
        for soc in self.socs:
            total.update({name: count for name, count in soc.counters.items() if "drop" in name})
        return {name: count for name, count in total.items() if count}

    def send(self, wanted: Sequence[Item], *, relayed: bool = False) -> list[Delivery]:
        """Sends all by the numbered types to each SoC, or by the first one to the second."""
        peers = [address(2)] if relayed else [address(2 + i) for i in range(len(self.socs))]
        behind = address(3) if relayed else message.NOBODY
        waiting = {peer: list(wanted) for peer in peers}
        running: list[Outgoing] = []
        ended: list[Delivery] = []
        arrived = 0
        total = len(peers) * sum(-(-item.size // message.PACKET_BYTES) for item in wanted)

        def turn() -> bool:
            nonlocal arrived
            now = self.network.time_us
            for one in list(running):
                one.turn(now)
                if one.state is not State.RUNNING:
                    running.remove(one)
                    one.leave()
                    arrived += one.arrived
                    ended.append(_sent(one))
            for peer in peers:
                while waiting[peer] and sum(peer == one.peer for one in running) < AT_ONCE:
                    item = waiting[peer].pop(0)
                    running.append(
                        Outgoing(self.runner, peer, item.source, item.name, now, self.patience_us, behind=behind)
                    )
            self._progress(arrived + sum(one.arrived for one in running), total)
            return not running

        self.runner.run(turn)
        return ended

    def echo(self, wanted: Sequence[Item], plan: Plan | None = None) -> list[Delivery]:
        """Sends all, one after the other, by the published types to a SoC that sends frames back."""
        plan = plan or Plan()
        total = sum(-(-item.size // published.MAX_PAYLOAD_BYTES) for item in wanted)
        ended: list[Delivery] = []
        for item in wanted:
            ended.append(self._echo(item, plan, sum(one.packets for one in ended), total))
        return ended

    def _echo(self, item: Item, plan: Plan, before: int, total: int) -> Delivery:
        now = self.network.time_us
        timing = published.Timing(timeout_us=self.patience_us)
        data = item.read()
        sender = plan.sender(data, self.preset.rx_fifo_bytes, timing, now)
        receiver = published.Receiver(timing=timing, now=now)
        peer = address(2)
        self.runner.add(peer, sender, receiver)

        def ended() -> bool:
            self._progress(before + receiver.packets, total)
            return sender.state is not State.RUNNING

        self.runner.run(ended)
        if plan.scheme is not Scheme.RELIABLE:  # nobody else tells the receiver
            receiver.receive(sender.summary, self.network.time_us)
        self.runner.remove(sender, receiver)
        traffic = self.runner.traffic[peer, None]
        came = receiver.data if receiver.state is State.DONE else None
        failure = sender.failure or ("" if came == data else "what came back differs from what was sent")
        return Delivery(
            item.name, peer, item.size, sender.packets,
            frame_bytes(item.size, published.MAX_PAYLOAD_BYTES, PUBLISHED_HEADER_BYTES), not failure, failure,
            sender.retransmissions, traffic.duration_us, traffic.sent, traffic.received,
            sender.ignored + receiver.ignored, came, traffic,
        )  # fmt: skip

    def serve(self, item: Item) -> None:
        """Puts an item into the first SoC's DRAM, for Session.get(). Raises NsocError when it does not fit."""
        soc, name = self.socs[0], item.name.replace(" ", "_")
        if item.size > SERVE_BYTES:
            raise NsocError(f"{item.name} has {item.size} bytes, and the SoC has room for {SERVE_BYTES}")
        data = item.read()
        if data:
            soc.load(SERVE_ADDRESS, data)
        soc.uart.write(f"serve {SERVE_ADDRESS:#x} {item.size} {name}\n")
        self._run_until(soc, "serving")

    def _run_until(self, soc: Soc, text: str) -> None:
        if not self.network.run(BOOT_US, until=lambda: text in soc.uart.text):
            raise NsocError(f"the firmware did not say {text!r} in {BOOT_US / 1000:g} ms; it said: {soc.uart.text!r}")

    def get(self, name: str = "") -> Delivery:
        """Fetches what the SoC has under `name`, the latest for an empty one."""
        check_name(name)
        made: list[MemoryStore] = []

        def store(total: int) -> MemoryStore:
            made.append(MemoryStore(total))
            return made[0]

        peer = address(2)
        receiver = self.station.get(peer, name, store, self.network.time_us)

        def ended() -> bool:
            if receiver.packets:
                self._progress(receiver.arrived, receiver.packets)
            return receiver.state is not State.RUNNING

        self.runner.run(ended)
        self.runner.run(lambda: False, SETTLE_US)  # the SoC hears of it
        traffic = self.runner.traffic[peer, receiver.transfer]
        return Delivery(
            name, peer, receiver.total, receiver.packets,
            frame_bytes(receiver.total, message.PACKET_BYTES, message.MESSAGE_HEADER_BYTES),
            receiver.state is State.DONE, receiver.failure, receiver.duplicates, traffic.duration_us, traffic.sent,
            traffic.received, receiver.ignored, made[0].data if receiver.state is State.DONE else None, traffic,
        )  # fmt: skip


def _sent(one: Outgoing) -> Delivery:
    traffic, size = one.traffic, one.size
    return Delivery(
        one.name, one.peer, size, one.packets, frame_bytes(size, *one.overhead), one.state is State.DONE, one.failure,
        one.repeats, traffic.duration_us, traffic.sent, traffic.received, one.ignored, None, traffic,
    )  # fmt: skip


def frame_bytes(total: int, packet_bytes: int, header_bytes: int) -> int:
    """Frame bytes (without preamble and FCS) of all packets of a transfer of `total` bytes."""
    whole, rest = divmod(total, packet_bytes)
    overhead = HEADER_BYTES + header_bytes
    return whole * (packet_bytes + overhead) + (max(rest + overhead, SHORTEST) if rest else 0)
