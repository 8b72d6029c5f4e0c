# SPDX-License-Identifier: Apache-2.0
"""Many and hostile peers at the TCP/IP engine in the SoC: who is served, how long the last one waits, a flood of SYNs.

crowd-N      N hosts on a switch, each with an address of its own. All open a connection to the echo port in the same
             microsecond, say 64 bytes, have them back and close; then each pings, in turn
page-200     200 hosts open at once, fetch the page (HTTP, `Connection: close`) and close
syn-flood-B  30 seconds with 1,000 SYNs each from addresses that do not answer, on a port with a backlog of B, beside a
             peer that sends all the time and 200 that open a connection there, one after the other

A host that finds no place says its SYN again behind 1, 3, 7 ... seconds, as any host does. The seconds of the flood are
those of the engine's clock, which runs 2^TIME_SCALE times as fast (register `time_scale`), as do the timeouts of the
peers. A queue on the line lasts 2^TIME_SCALE times as long on that clock, too.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from nsoc.bench.crossing import Crossing
from nsoc.bench.toe_measure import AT_ONCE, BACKLOG, DISCARD_PORT, FIRMWARE, LOOK_US, SOC, boot
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.network.inet import Peer, Settings, State, Stream
from nsoc.network.inet import packet as ip
from nsoc.network.inet import segment as tcp
from nsoc.network.inet.peer import packed
from nsoc.network.network import Network, NetworkHost

CROWDS = (12, 64, 1000)
READERS = 200
BACKLOGS = (16, 255)
ECHO_PORT, HTTP_PORT = 7, 80
SAID = bytes(range(64))
REQUEST = b"GET / HTTP/1.1\r\nHost: nsoc\r\nConnection: close\r\n\r\n"
MASK = 0xFFFF0000
HOSTS = 250
"""Addresses are 10.0.1.1 to 10.0.1.250, 10.0.2.1 and so on."""
QUEUE_BYTES = 1 << 20
"""The switch's queue holds these: it drops nothing."""
PATIENCE_US = 100e6
"""Whoever is not served by then never is: SYNs go out behind 1, 3, 7, 15, 31 and 63 s."""
TURN_US = 1e6

SECONDS, SYNS = 30, 1000
"""The flood's length, and its SYNs in each second."""
OPENERS, OPEN_S = 200, 3
"""Connections besides, and in how many seconds each one must be open."""
TIME_SCALE = 7
"""The flood takes 8.6 % of the line."""
QUIET_US = 10e3
"""Window before the flood, in which the good peer's goodput is measured."""
SECOND_US = 1e6 / (1 << TIME_SCALE)


@dataclass(frozen=True)
class Served:
    """How many hosts of a crowd were served."""

    preset: str
    mode: str
    asked: int
    served: int
    worst_wait_us: float
    """From the first SYN to the last byte, of those that were served."""

    @property
    def share(self) -> float:
        return self.served / self.asked


@dataclass(frozen=True)
class Flood:
    """Goodput and openings beside a flood of SYNs."""

    preset: str
    mode: str
    goodput_mbps: float
    quiet_mbps: float
    """Goodput of the same peer before the flood."""
    opened: int
    """Connections out of OPENERS that opened in OPEN_S seconds."""
    worst_open_s: float
    """Until one was open, in seconds of the engine's clock."""

    @property
    def kept(self) -> float:
        """Share of the goodput that the good peer keeps in the flood."""
        return self.goodput_mbps / self.quiet_mbps


# ---- Crowds ----------------------------------------------------------------------------------------------------------


class Crowd:
    """A SoC with `toe_net`, and hosts on one switch."""

    def __init__(self, preset: str, count: int, seed: int) -> None:
        self.network = Network(seed)
        defines: dict[str, int | str] = {"TOE_MASK": f"{MASK:#x}u", "BACKLOG": min(count, BACKLOG)}
        self.soc = self.network.soc(presets.load_soc(preset), FIRMWARE, defines=defines)
        self.peers = [
            Peer(
                self.network, f"10.0.{1 + number // HOSTS}.{1 + number % HOSTS}",
                f"02:00:00:01:{number >> 8:02x}:{number & 255:02x}", seed=seed + number,
            )
            for number in range(count)
        ]  # fmt: skip
        self.network.switch(self.soc, *(peer.host for peer in self.peers), queue_bytes=QUEUE_BYTES)

    def __enter__(self) -> "Crowd":
        boot(self.network, self.soc)
        return self

    def __exit__(self, *_: object) -> None:
        self.network.close()

    def at_once(self, port: int, request: bytes, done: Callable[[bytes, Stream], bool]) -> list[float]:
        """All open a connection and send `request`; how long each one that was served waited until `done`, us."""
        begin = self.network.time_us
        waiting = {peer.open(SOC, port): bytearray() for peer in self.peers}
        for stream in waiting:
            stream.send(request)
        waits: list[float] = []

        def work() -> bool:
            for stream, data in list(waiting.items()):
                if not stream.connection.available and not stream.over:
                    continue
                data += stream.receive()
                if done(bytes(data), stream):
                    waits.append(self.network.time_us - begin)
                    del waiting[stream]
                    stream.connection.close()
                elif stream.over:
                    del waiting[stream]
            return not waiting

        self.peers[0].run(PATIENCE_US, until=work)
        return waits

    def in_turn(self) -> list[float]:
        """Each pings, and once more if that is not answered; how long each one that was served waited, us."""
        waits = []
        for peer in self.peers:
            begin = self.network.time_us
            if self._answers(peer) or peer.ping(SOC, timeout_us=TURN_US) is not None:
                waits.append(self.network.time_us - begin)
        return waits

    def _answers(self, peer: Peer) -> bool:
        """A ping by its frame alone: none of the other hosts is asked what it does meanwhile."""
        host, to = peer.host, packed(SOC)
        host.receive_all()
        message = ip.icmp_message(ip.ECHO, 0, bytes(4), SAID)
        host.send(ip.ip_frame(peer.neighbours[to], peer.mac, ip.ip_packet(peer.address, to, ip.ICMP, message)))
        self.network.await_frame([host], TURN_US)
        answer = ip.icmp_message(ip.ECHO_REPLY, 0, bytes(4), SAID)
        packets = [ip.decode_ip(arrived.data) for arrived in host.receive_all() if arrived.good]
        return any(not isinstance(one, str) and one.payload == answer for one in packets)


def crowd(preset: str, count: int, seed: int) -> Served:
    with Crowd(preset, count, seed) as it:
        waits = it.at_once(ECHO_PORT, SAID, lambda data, _: data == SAID)
        waits += it.in_turn()
    return Served(preset, crowd_mode(count), 2 * count, len(waits), max(waits, default=0.0))


def readers(preset: str, seed: int) -> Served:
    def whole(data: bytes, stream: Stream) -> bool:
        return stream.over and not stream.failure and data.startswith(b"HTTP/1.1 200") and data.endswith(b"0\r\n\r\n")

    with Crowd(preset, READERS, seed) as it:
        waits = it.at_once(HTTP_PORT, REQUEST, whole)
    return Served(preset, PAGE, READERS, len(waits), max(waits, default=0.0))


def crowd_mode(count: int) -> str:
    return f"crowd-{count}"


PAGE = f"page-{READERS}"


# ---- Flood -----------------------------------------------------------------------------------------------------------


def flood(preset: str, backlog: int, seed: int) -> Flood:
    """Strangers' SYNs come by the gateway, who is the good peer, too: the engine's answers end there."""
    scale = 1 << TIME_SCALE
    with Network(seed) as network:
        defines: dict[str, int | str] = {"BACKLOG": backlog, "TOE_TIME_SCALE": TIME_SCALE}
        soc = network.soc(presets.load_soc(preset), FIRMWARE, defines=defines)
        settings = Settings(timestamps=True, least_rto_us=200e3 / scale, first_rto_us=1e6 / scale, msl_us=30e6 / scale)
        good, opener = (
            Peer(network, settings=settings),
            Peer(network, "10.0.0.3", "02:00:00:00:00:03", settings=settings),
        )
        attacker = network.host()
        port = network.switch(good.host, opener.host, attacker, ports=4, queue_bytes=QUEUE_BYTES).ports[-1]
        to_soc = Crossing(network.cable(port, soc), 0)
        boot(network, soc)
        stream = good.connect(SOC, DISCARD_PORT)
        opening: dict[Stream, float] = {}
        opened: list[float] = []
        due = float("inf")
        rng = random.Random(seed)

        def work() -> bool:
            nonlocal due
            now = network.time_us
            if (room := AT_ONCE - stream.connection.unsent) >= AT_ONCE // 2:
                stream.send(bytes(room))
            for one, since in list(opening.items()):
                if one.connection.established or one.state is State.CLOSED:
                    if one.connection.established:
                        opened.append(now - since)
                    one.connection.close()
                    del opening[one]
            if now >= due and len(opened) + len(opening) < OPENERS:
                due += rng.uniform(0.5, 1.5) * SECONDS * SECOND_US / OPENERS  # else all came beside a SYN of the flood
                opening[opener.open(SOC, DISCARD_PORT)] = now
            return len(opened) == OPENERS

        good.run(QUIET_US, until=work, every_us=LOOK_US)
        begin = network.time_us
        good.run(QUIET_US, until=work, every_us=LOOK_US)
        quiet, begin = to_soc.mbps(begin, network.time_us), network.time_us
        send_flood(attacker, good.neighbours[packed(SOC)], begin, seed)
        due = begin
        good.run(SECONDS * SECOND_US, until=lambda: work() and False, every_us=LOOK_US)
        goodput = to_soc.mbps(begin, network.time_us)
        good.run(OPEN_S * SECOND_US, until=work, every_us=LOOK_US)
        if stream.failure:
            raise NsocError(f"the good peer's connection with the firmware {FIRMWARE} failed: {stream.failure}")
    in_time = [us for us in opened if us <= OPEN_S * SECOND_US]
    worst = max(opened, default=0.0) / SECOND_US
    return Flood(preset, flood_mode(backlog), goodput, quiet, len(in_time), worst)


def flood_mode(backlog: int) -> str:
    return f"syn-flood-{backlog}"


def send_flood(host: NetworkHost, mac: bytes, begin_us: float, seed: int) -> None:
    """Queues the SYNs: SYNS a second, from random addresses and ports."""
    rng = random.Random(seed)
    for number in range(SECONDS * SYNS):
        source = bytes((rng.randrange(11, 127), *rng.randbytes(3))), rng.randrange(1024, 65536)
        to = packed(SOC), DISCARD_PORT
        segment = tcp.Segment(rng.getrandbits(32), 0, tcp.Flag.SYN, 0xFFFF)
        packet = ip.ip_packet(source[0], to[0], ip.TCP, segment.encode(source, to), number & 0xFFFF)
        frame = ip.ip_frame(mac, b"\x02\0\0\0\0\x09", packet)
        host.queue_at_ps(frame, round((begin_us + number * SECOND_US / SYNS) * 1e6))
