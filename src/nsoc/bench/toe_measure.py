# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench toe` measures in the SoC: goodput of TCP, and the smallest frames at the rate of the line.

Goodput is payload that comes out of the cable in a window of simulated time (nsoc.bench.crossing), of each way, behind
a warm-up in which every connection has carried data; segments have timestamps. The processor takes and gives by
positions alone: it reads no byte and writes none.

A listener takes a record, too: firmware keeps eight of them. So 64 connections want more than the preset toe has; they
and more are measured on toe-1k, whose 1024 records leave 1016 for connections: that is what `-1024` has.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from nsoc.bench.crossing import Crossing
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.soc import BOOT_US, Soc
from nsoc.network.faults import Faults
from nsoc.network.inet import Peer, Settings, Stream
from nsoc.network.inet import packet as ip
from nsoc.network.inet import segment as tcp
from nsoc.network.network import DELAY_NS, Arrived, Network

FIRMWARE = "toe_net"
SOC = "10.0.0.2"
DISCARD_PORT, SOURCE_PORT = 9, 5002
RECEIVE, SEND, BOTH = "tcp-receive", "tcp-send", "tcp-both"
LOSS = "-loss1"
OWN = 8
"""Records that the firmware keeps for listeners."""
FEW = 12
"""Records that are used with one connection: their rings are as large as there is room for."""
SEGMENT = 1448
WARM_UP_US, MEASURED_US = 3000.0, 10000.0
TURN_US = 12.304
"""Of a full segment on the line: with many connections each one has its turn so seldom."""
TURNS = 2
"""Segments of each connection, in the warm-up and in what is measured."""
LOSS_US = {1: 100000.0, 64: 30000.0}
LOOK_US = 50.0
OPEN_AT_ONCE, OPEN_US, OPEN_TRIES = 200, 2000.0, 8
"""Handshakes under way at most, and how long they may take, besides turns behind data of connections that are open."""
BACKLOG = 255
"""The most that a listener has."""
SPARE = 8
"""Records for handshakes that lost a frame: the engine keeps them for a second."""
FLIGHT_US = 43.2
"""Of the cable of the lossy modes: from the begin of a full segment to the end of its acknowledgement 100 us pass."""
LEAST_RTO_US, DELAYED_ACK_US = 1000, 500
"""Of both ends, in the lossy modes: what waits longer than the timeout is taken for lost."""
LOST = 0.01
AT_ONCE = 1 << 18
"""Bytes that the peer has ready for each connection."""
LONG_RING = 1 << 15
"""Bytes of a ring of one connection, in packet memory."""
LONGER_RING, RINGS_IN_DRAM = 1 << 16, "(NSOC_DRAM_BASE + NSOC_DRAM_BYTES / 2u)"
"""... that carries data both ways at once, and where that is. An acknowledgement goes behind 16 KB in the MAC's FIFO
one way, and the other way behind what the peer has given to its line (nsoc.network.inet.peer.AHEAD_US): 0.3 ms from a
segment to its acknowledgement, in which the line carries 35 KB. With a window of less it is closed now and then when an
acknowledgement is due, which then goes in a frame of its own, in the place of data: 98.9 % of the line with 32 KB."""
LARGE_MEMORY = 1 << 20
"""Packet memory that has room for such rings of the few records of one connection."""
MANY = 64
"""Of more connections each has a segment in some milliseconds. By 40 ms, which are usual, they would acknowledge two
turns at once, all in step. So they wait DELAYED_ACK_US, too."""
TAIL_US = 2 * TURN_US
"""Behind the window, so that the frame at its end has come."""
MIN_CONNECTIONS, MIN_PAYLOAD, MIN_SEGMENTS = 64, 6, 400
"""Segments of each connection. All their bytes fit into its window, so that it never closes."""
SETTLE_US = 2000.0


@dataclass
class Run:
    """One measurement of goodput, of each way that carries data."""

    preset: str
    mode: str
    connections: int
    loss: bool
    received_mbps: float | None = None
    sent_mbps: float | None = None
    open: int | None = None
    """Connections that there were."""

    @property
    def name(self) -> str:
        """As in the records."""
        return f"{self.mode}-{self.connections}{LOSS if self.loss else ''}"

    @property
    def least(self) -> float:
        """The slower way, Mb/s."""
        return min(one for one in (self.received_mbps, self.sent_mbps) if one is not None)


@dataclass
class MinFrames:
    """What became of the smallest frames at the rate of the line."""

    preset: str
    connections: int
    frames: int
    us: float
    """From the begin of the first one to that of the last one."""
    acknowledgements: int
    lost: int
    causes: dict[str, int] = field(default_factory=dict)
    """Drop counters of MAC, NIC and engine that went on meanwhile."""

    @property
    def per_us(self) -> float:
        return (self.frames - 1) / self.us


def boot(network: Network, soc: Soc) -> None:
    """Until `soc` is ready, which runs FIRMWARE."""
    if not network.run(BOOT_US, until=lambda: "ready" in soc.uart.text):
        raise NsocError(f"the firmware {FIRMWARE} said nothing in {BOOT_US / 1000:g} ms of simulated time")


# ---- Goodput ---------------------------------------------------------------------------------------------------------


class Bench:
    """A SoC that runs `toe_net`, and its peer."""

    def __init__(
        self, preset: str, connections: int, loss: bool, seed: int, *, both: bool = False, timestamps: bool = True
    ) -> None:
        self.network = Network(seed)
        system = presets.load_soc(preset)
        if not system.connections:
            raise NsocError(f"the preset {preset} has no TCP/IP engine: choose toe or toe-1k")
        if connections > system.connections:
            raise NsocError(
                f"the preset {preset} has {system.connections} records, so not {connections} connections: choose toe-1k"
            )
        self.connections = min(connections, system.connections - OWN)
        self.loss = loss
        records = FEW if connections == 1 else min(self.connections + OWN + SPARE, system.connections)
        defines: dict[str, int | str] = {
            "SOURCE_AS_IT_IS": 1, "BACKLOG": min(connections + SPARE, BACKLOG), "TOE_CONNECTIONS": f"{records}u"
        }  # fmt: skip
        if connections == 1 and both:
            defines["TOE_RX_BYTES"] = defines["TOE_TX_BYTES"] = f"{LONGER_RING}u"
            defines["TOE_RING_BASE"] = RINGS_IN_DRAM
        elif connections == 1 and system.local_memory_bytes >= LARGE_MEMORY:
            defines["TOE_RX_BYTES"] = defines["TOE_TX_BYTES"] = f"{LONG_RING}u"
        if loss:
            defines["TOE_LEAST_RTO_US"] = f"{LEAST_RTO_US}u"
        if loss or connections > MANY:
            defines["TOE_DELAYED_ACK_US"] = f"{DELAYED_ACK_US}u"
        self.soc: Soc = self.network.soc(system, FIRMWARE, defines=defines)
        times = (float(DELAYED_ACK_US), float(LEAST_RTO_US)) if loss else (40e3, 200e3)
        self.peer = Peer(
            self.network,
            settings=Settings(timestamps=timestamps, window=1 << 17, delayed_ack_us=times[0], least_rto_us=times[1]),
        )
        faults = Faults(loss=LOST) if loss else None
        delay_ns = FLIGHT_US * 1000 if loss else DELAY_NS
        self.cable = self.network.cable(self.peer.host, self.soc, delay_ns=delay_ns, faults=faults)

    def __enter__(self) -> "Bench":
        boot(self.network, self.soc)
        return self

    def __exit__(self, *_: object) -> None:
        self.network.close()

    def connect(self, port: int) -> list[Stream]:
        """Opens all connections. One whose handshake loses a frame is given up for another one, as it would take a
        second; a byte to the SoC says that it is over there, too."""
        if not self.loss and self.peer.ping(SOC) is None:  # so that its MAC address is known: few SYNs wait for that
            raise NsocError(f"the firmware {FIRMWARE} does not answer a ping")
        streams: list[Stream] = []
        for _ in range(self.connections // OPEN_AT_ONCE + OPEN_TRIES):
            count = min(OPEN_AT_ONCE, self.connections - len(streams))
            new = [self.peer.open(SOC, port) for _ in range(count)]
            self.peer.run(OPEN_US + 2 * TURN_US * self.connections, until=partial(_established, new))
            for one in new:
                if one.connection.established:
                    if self.loss:
                        one.send(b"x")
                    streams.append(one)
                else:
                    one.abort()
            if len(streams) == self.connections:
                return streams
        raise NsocError(f"of {self.connections} connections to the firmware {FIRMWARE} only {len(streams)} came to be")

    def counters(self) -> dict[str, int]:
        """Of MAC, NIC and engine, by name, as the firmware prints them: those that are not 0."""
        uart = self.soc.uart
        before = len(uart.text)
        uart.write("counters\n")
        if not self.network.run(BOOT_US, until=lambda: "end\n" in uart.text[before:]):
            raise NsocError(f"the firmware {FIRMWARE} does not say its counters")
        return {name: int(value) for value, name in re.findall(r"^ +(\d+) (\S+\.\S+)$", uart.text[before:], re.M)}


def _established(streams: Sequence[Stream]) -> bool:
    return all(one.connection.established for one in streams)


def goodput(preset: str, mode: str, connections: int, loss: bool, seed: int) -> Run:
    with Bench(preset, connections, loss, seed, both=mode == BOTH) as bench:
        peer = bench.peer
        to_soc, from_soc = (Crossing(bench.cable, way) for way in (0, 1))
        streams = bench.connect(DISCARD_PORT if mode == RECEIVE else SOURCE_PORT)
        looked = -LOOK_US

        def work() -> bool:
            nonlocal looked
            if peer.now < looked + LOOK_US:
                return False
            looked = peer.now
            for one in streams:
                one.receive()
                if mode != SEND:
                    room = AT_ONCE - one.connection.unsent
                    if room >= AT_ONCE // 2:
                        one.send(bytes(room))
            return False

        def run(us: float) -> float:
            peer.run(us, until=work, every_us=LOOK_US)
            return peer.now

        round_us = TURNS * TURN_US * len(streams)
        begin = run(max(WARM_UP_US, round_us))
        end = run(LOSS_US[connections] if loss else max(MEASURED_US, round_us))
        run(TAIL_US)
        _alive(streams)
        return Run(
            preset, mode, connections, loss,
            to_soc.mbps(begin, end) if mode != SEND else None,
            from_soc.mbps(begin, end) if mode != RECEIVE else None,
            len(streams),
        )  # fmt: skip


def _alive(streams: Sequence[Stream]) -> None:
    for one in streams:
        if one.failure:
            raise NsocError(f"a connection with the firmware {FIRMWARE} failed: {one.failure}")


# ---- Smallest frames -------------------------------------------------------------------------------------------------


def smallest_frames(preset: str, seed: int) -> MinFrames:
    with Bench(preset, MIN_CONNECTIONS, loss=False, seed=seed, timestamps=False) as bench:
        streams = bench.connect(DISCARD_PORT)
        bench.peer.run(SETTLE_US)
        before = bench.counters()
        # From here on the peer is a script: it knows what was opened, and nothing of what follows.
        host = bench.peer.host
        host.receive_all()
        first = {one.local[1]: one.connection.next_sequence for one in streams}
        departed = [host.send(frame) for frame in frames_of(streams, bench.peer, MIN_SEGMENTS)]
        us = (departed[-1].start_ps - departed[0].start_ps) / 1e6
        bench.network.run((departed[-1].end_ps / 1e6 - bench.network.time_us) + SETTLE_US)
        arrived = host.receive_all()
        causes = grown(before, bench.counters())
    taken = acknowledged(arrived, first)
    lost = sum(MIN_SEGMENTS - count // MIN_PAYLOAD for count in taken.values())
    return MinFrames(preset, len(streams), len(departed), us, len(arrived), lost, causes)


def frames_of(streams: Sequence[Stream], peer: Peer, segments: int) -> list[bytes]:
    """So many segments of each connection, in turn; each fills a frame of 64 bytes exactly."""
    frames = []
    hop = peer.neighbours[streams[0].remote[0]]
    for number in range(segments):
        for one in streams:
            of = one.connection
            sequence = of.next_sequence + MIN_PAYLOAD * number
            segment = tcp.Segment(sequence, of.next_expected, tcp.Flag.ACK, 0xFFFF, bytes(MIN_PAYLOAD))
            packet = ip.ip_packet(one.local[0], one.remote[0], ip.TCP, segment.encode(one.local, one.remote))
            frames.append(ip.ip_frame(hop, peer.mac, packet))
    return frames


def acknowledged(arrived: Sequence[Arrived], first: dict[int, int]) -> dict[int, int]:
    """Bytes from `first` on that the engine has acknowledged, by the peer's port. Nothing is sent twice, so that a
    segment that was lost keeps all behind it from being acknowledged."""
    most = dict.fromkeys(first, 0)
    for one in arrived:
        packet = ip.decode_ip(one.data) if one.good else "bad"
        found = "other" if isinstance(packet, str) or packet.protocol != ip.TCP else tcp.decode(packet)
        if isinstance(found, str):
            continue
        _, port, segment = found
        if port in most and segment.flags & tcp.Flag.ACK:
            count = (segment.ack - first[port]) % tcp.MODULUS
            most[port] = max(most[port], count if count < tcp.MODULUS // 2 else 0)
    return most


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Drop counters that went on."""
    found = {name: after[name] - before.get(name, 0) for name in after if "drop" in name}
    return {name: count for name, count in found.items() if count}
