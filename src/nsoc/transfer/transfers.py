# SPDX-License-Identifier: Apache-2.0
"""Transfers of a program with stations on a line, whatever the line is: what is sent, how, and what becomes of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.network.ethernet import HEADER_BYTES, LINE_MBPS, SHORTEST, SLOT_BYTES
from nsoc.transfer import message, published
from nsoc.transfer.line_use import LineUse
from nsoc.transfer.outgoing import PUBLISHED_HEADER_BYTES, Outgoing, whole
from nsoc.transfer.plan import Plan
from nsoc.transfer.published import RETRY_US, State
from nsoc.transfer.runner import Clock, Link, Runner, Traffic
from nsoc.transfer.scheme import Scheme
from nsoc.transfer.station import Station
from nsoc.transfer.storage import FileSource, MemoryStore, Source

AT_ONCE = 4
"""Transfers of the numbered types with one station at a time; a SoC has room for more."""
SETTLE_US = 100.0
"""For the last frame to reach the other end."""

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
    """What became of a transfer. Times are those of the line."""

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


class Transfers:
    """Of `station` with `peers`, over `link` in the time of `clock`.

    `fifo_bytes`: of the peers' MAC, for the published types. `slowness`: see `Station`. `progress(packets there,
    packets in all)` is called now and then.
    """

    def __init__(
        self, clock: Clock, link: Link, station: Station, peers: Sequence[bytes], *, patience_us: float,
        fifo_bytes: int, slowness: float = 1.0, capture: bool = False, progress: Progress = lambda done, total: None,
    ) -> None:  # fmt: skip
        self.clock = clock
        self.station = station
        self.peers = list(peers)
        self.runner = Runner(clock, link, station, capture=capture)
        self._timing = published.Timing(RETRY_US * slowness, patience_us)
        self._settle_us = SETTLE_US * slowness
        self._fifo_bytes = fifo_bytes
        self._progress = progress

    def send(self, wanted: Sequence[Item], *, relayed: bool = False) -> list[Delivery]:
        """Sends all by the numbered types to each peer, or by the first one to the second."""
        peers = self.peers[:1] if relayed else self.peers
        behind = self.peers[1] if relayed else message.NOBODY
        waiting = {peer: list(wanted) for peer in peers}
        running: list[Outgoing] = []
        ended: list[Delivery] = []
        arrived = 0
        total = len(peers) * sum(-(-item.size // message.PACKET_BYTES) for item in wanted)

        def turn() -> bool:
            nonlocal arrived
            now = self.clock.time_us
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
                        Outgoing(self.runner, peer, item.source, item.name, now, self._timing, behind=behind)
                    )
            self._progress(arrived + sum(one.arrived for one in running), total)
            return not running

        self.runner.run(turn)
        return ended

    def echo(self, wanted: Sequence[Item], plan: Plan | None = None) -> list[Delivery]:
        """Sends all, one after the other, by the published types to a peer that sends frames back."""
        plan = plan or Plan()
        total = sum(-(-item.size // published.MAX_PAYLOAD_BYTES) for item in wanted)
        ended: list[Delivery] = []
        for item in wanted:
            ended.append(self._echo(item, plan, sum(one.packets for one in ended), total))
        return ended

    def _echo(self, item: Item, plan: Plan, before: int, total: int) -> Delivery:
        now = self.clock.time_us
        data = item.read()
        sender = plan.sender(data, self._fifo_bytes, self._timing, now)
        receiver = published.Receiver(timing=self._timing, now=now)
        peer = self.peers[0]
        self.runner.add(peer, sender, receiver)

        def ended() -> bool:
            self._progress(before + receiver.packets, total)
            return sender.state is not State.RUNNING

        self.runner.run(ended)
        if plan.scheme is not Scheme.RELIABLE:  # nobody else tells the receiver
            receiver.receive(sender.summary, self.clock.time_us)
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

    def get(self, name: str = "") -> Delivery:
        """Fetches what the first peer has under `name`, the latest for an empty one."""
        check_name(name)
        made: list[MemoryStore] = []

        def store(total: int) -> MemoryStore:
            made.append(MemoryStore(total))
            return made[0]

        peer = self.peers[0]
        receiver = self.station.get(peer, name, store, self.clock.time_us)

        def ended() -> bool:
            if receiver.packets:
                self._progress(receiver.arrived, receiver.packets)
            return receiver.state is not State.RUNNING

        self.runner.run(ended)
        self.runner.run(lambda: False, self._settle_us)  # the peer hears of it
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
