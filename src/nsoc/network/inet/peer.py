# SPDX-License-Identifier: Apache-2.0
"""A host of a simulated network that speaks ARP, IPv4, ICMP, UDP and TCP.

    with nsoc.Network() as network:
        soc, peer = network.soc("nic12-net"), Peer(network)
        network.cable(peer.host, soc)
        network.run(us=20000, until=lambda: "ready" in soc.uart.text)
        print(peer.ping("10.0.0.2"))
        stream = peer.connect("10.0.0.2", 7)
        stream.send(b"hello")
        print(stream.read(5))

Time passes in run() and in what waits: ping(), connect(), read() and the like. A peer looks at the line every
microsecond in which something has come, and answers then. Several peers of a network run together: whoever waits, all
of them answer.
"""

import hashlib
import ipaddress
import random
import re
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine.sim import LONGEST_SEND
from nsoc.network.inet import packet as p
from nsoc.network.inet import segment as tcp
from nsoc.network.inet.connection import NEVER, Connection, Settings, State
from nsoc.network.inet.packet import Arp, Packet
from nsoc.network.inet.segment import Flag, Segment
from nsoc.network.network import Arrived, Network, NetworkHost

ADDRESS, MAC = "10.0.0.1", "02:00:00:00:00:01"
PREFIX = 24
REACTION_US = 1.0
"""How often a peer looks whether frames have come."""
AHEAD_US = 100.0
"""So much does it give to the line at most before the line has sent what it had."""
QUANTUM = 2
"""Segments of a connection at most, until another one may send."""
ARP_RETRY_US, ARP_TRIES = 1e6, 3
ARP_QUEUE = 64
"""Packets that wait for a MAC address at most."""
BACKLOG = 128
"""Connections that wait for accept() at most."""
FIRST_PORT = 49152
ICMP_ERRORS, ICMP_ERRORS_US = 10, 1e6
"""At most so many in that time."""
_ISN_TICKS = 4
"""Microseconds a tick of the initial sequence numbers (RFC 9293, section 3.4.1)."""

_HARD = {p.PROTOCOL_UNREACHABLE: "protocol unreachable", p.PORT_UNREACHABLE: "port unreachable"}

Address = tuple[bytes, int]


@dataclass(frozen=True, slots=True)
class Datagram:
    """What came to a UDP port."""

    data: bytes
    """Its payload."""
    address: str
    """Of the sender."""
    port: int
    """Of the sender."""
    time_us: float
    """When the frame was over, network time."""


@dataclass
class _Unresolved:
    packets: deque[bytes]
    tries: int
    due: float


@public
class Udp:
    """A UDP port of a peer."""

    def __init__(self, peer: "Peer", port: int) -> None:
        self._peer = peer
        self.port: int = port
        """Its number."""
        self.errors: list[str] = []
        """What ICMP said of datagrams from here."""
        self._arrived: deque[Datagram] = deque()

    def send(self, data: bytes, address: str, port: int) -> None:
        """Queues a datagram."""
        if len(data) > p.MTU - p.IP_BYTES - p.UDP_BYTES:
            raise NsocError(f"a datagram of {len(data)} bytes does not go into a frame: at most 1472 do")
        to = packed(address), _port("port", port)
        datagram = p.udp_datagram((self._peer.address, self.port), to, data)
        self._peer._send_ip(to[0], p.UDP, datagram)

    @property
    def pending(self) -> int:
        """Datagrams that wait."""
        return len(self._arrived)

    def receive(self, timeout_us: float = 1e6) -> Datagram | None:
        """The oldest that waits; when none does, lets time pass until one comes."""
        self._peer.run(timeout_us, until=lambda: bool(self._arrived))
        return self._arrived.popleft() if self._arrived else None

    def close(self) -> None:
        """Frees the port."""
        self._peer._udp.pop(self.port, None)


@public
class Stream:
    """A TCP connection of a peer, as a program sees it."""

    def __init__(self, peer: "Peer", connection: Connection, local: Address, remote: Address) -> None:
        self._peer = peer
        self.connection: Connection = connection
        """Its state, counters and more."""
        self.local: Address = local
        """IPv4 address and port of this end."""
        self.remote: Address = remote
        """... of the other end."""

    @property
    def state(self) -> State:
        """Of RFC 9293."""
        return self.connection.state

    @property
    def failure(self) -> str:
        """Why it broke; empty when it did not."""
        return self.connection.failure

    def send(self, data: bytes) -> None:
        """Queues bytes; time does not pass. flush() waits."""
        self.connection.send(data)

    def flush(self, timeout_us: float = 10e6) -> bool:
        """Until the other end has acknowledged everything: whether it has."""
        of = self.connection
        self._peer.run(timeout_us, until=lambda: of.unsent == 0 or of.state is State.CLOSED)
        return of.unsent == 0 and not of.failure

    def receive(self) -> bytes:
        """What has come; time does not pass."""
        return self.connection.receive()

    def read(self, count: int, timeout_us: float = 10e6) -> bytes:
        """`count` bytes; fewer when the time or the stream is over."""
        data = bytearray()

        def whole() -> bool:
            data.extend(self.connection.receive(count - len(data)))
            return len(data) >= count or self.over

        self._peer.run(timeout_us, until=whole)
        return bytes(data)

    def read_all(self, timeout_us: float = 10e6) -> bytes:
        """Everything until the other end has no more to send."""
        data = bytearray()

        def whole() -> bool:
            data.extend(self.connection.receive())
            return self.over

        self._peer.run(timeout_us, until=whole)
        return bytes(data)

    @property
    def over(self) -> bool:
        """Nothing waits and nothing more will come."""
        of = self.connection
        return not of.available and (of.ended or of.state is State.CLOSED)

    def finish(self) -> None:
        """Nothing more will be sent: the other end sees the end of the stream when it has all."""
        self.connection.finish()

    def close(self, timeout_us: float = 10e6) -> bool:
        """Ends it both ways and waits for the other end to do the same: whether it did."""
        of = self.connection
        of.close()
        self._peer.run(timeout_us, until=lambda: of.state in (State.TIME_WAIT, State.CLOSED))
        return of.state in (State.TIME_WAIT, State.CLOSED) and not of.failure

    def abort(self) -> None:
        """Breaks it with a reset."""
        self.connection.abort()


@public
class Listener:
    """A TCP port that takes connections."""

    def __init__(self, peer: "Peer", port: int, settings: Settings) -> None:
        self._peer = peer
        self.port: int = port
        """Its number."""
        self.settings: Settings = settings
        """Of connections to it."""
        self.waiting: deque[Stream] = deque()
        """Connections that accept() has not given yet."""

    def accept(self, timeout_us: float = 1e6) -> Stream | None:
        """The oldest connection that waits; when none does, lets time pass until one comes."""
        self._peer.run(timeout_us, until=lambda: bool(self.waiting))
        return self.waiting.popleft() if self.waiting else None

    def close(self) -> None:
        """No more connections; those that are stay."""
        self._peer._listeners.pop(self.port, None)


_peers: WeakKeyDictionary[Network, list["Peer"]] = WeakKeyDictionary()


@public
class Peer:
    """An end of `network`. `host` takes the cable. `seed` draws what others must not guess."""

    def __init__(
        self, network: Network, address: str = ADDRESS, mac: str = MAC, *, settings: Settings | None = None,
        gateway: str | None = None, seed: int = 1,
    ) -> None:  # fmt: skip
        self.network: Network = network
        """Where it is."""
        self.host: NetworkHost = network.host()
        """Its end of a cable."""
        self.address: bytes = packed(address)
        """Its IPv4 address."""
        self.mac: bytes = packed_mac(mac)
        """Its MAC address."""
        self.settings: Settings = settings or Settings()
        """Of its connections, unless told otherwise."""
        self.counts: Counter[str] = Counter()
        """Frames that came, by what was done with them; `sent` are those that went."""
        self.neighbours: dict[bytes, bytes] = {}
        """MAC addresses by IP address."""
        self.seen: Callable[[bytes, float], None] | None = None
        """Called with each good frame that comes, and the time of its end in microseconds."""
        self._gateway = None if gateway is None else packed(gateway)
        self._secret = random.Random(seed).randbytes(16)
        self._identification = 0
        self._next_port = FIRST_PORT
        self._unresolved: dict[bytes, _Unresolved] = {}
        self._out: deque[bytes] = deque()
        self._line_free_us = 0.0
        self._turn = 0
        self._udp: dict[int, Udp] = {}
        self._listeners: dict[int, Listener] = {}
        self._streams: dict[tuple[int, Address], Stream] = {}
        self._echoes: dict[tuple[int, int], float | None] = {}
        self._echo_number = 0
        self._echo_data = b""
        self._icmp_errors: deque[float] = deque(maxlen=ICMP_ERRORS)
        _peers.setdefault(network, []).append(self)

    # ---- Programs ----------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Network time in microseconds."""
        return self.network.time_us

    def run(self, us: float, *, until: Callable[[], bool] | None = None, every_us: float = NEVER) -> bool:
        """Lets time pass, with all peers of the network at work. `until` ends it early: whether it did.

        It is asked whenever one of the peers has had something to do, and `every_us` besides.
        """
        network, peers = self.network, _peers[self.network]
        hosts = [peer.host for peer in peers]
        end = network.time_us + us
        while True:
            now = network.time_us
            for peer in peers:
                peer._work(now)
            if until is not None and until():
                for peer in peers:
                    peer._send(now)  # what `until` has read may open a window
                return True
            due = min(end, now + every_us, *(peer._send(now) for peer in peers))
            if now >= end:
                return False
            network.await_frame(hosts, max(due - now, REACTION_US), every_us=REACTION_US)

    def ping(self, address: str, *, data: bytes = bytes(range(56)), timeout_us: float = 1e6) -> float | None:
        """The round-trip time in microseconds, None when no right answer came."""
        if len(data) > (most := p.MTU - p.IP_BYTES - p.ICMP_BYTES):
            raise NsocError(f"an echo of {len(data)} bytes does not go into a frame: at most {most} do")
        self._echo_number += 1
        key = 1, self._echo_number & 0xFFFF
        to = packed(address)
        rest = key[0].to_bytes(2) + key[1].to_bytes(2)
        self._echo_data = data
        self._echoes[key] = None
        begin = self.now
        self._send_ip(to, p.ICMP, p.icmp_message(p.ECHO, 0, rest, data))
        self.run(timeout_us, until=lambda: self._echoes[key] is not None)
        end = self._echoes.pop(key)
        return None if end is None else end - begin

    def udp(self, port: int | None = None) -> Udp:
        """A UDP port; any that is free when none is given."""
        number = self._free_port() if port is None else _port("port", port)
        if number in self._udp:
            raise NsocError(f"UDP port {number} is in use: close it, or take another one")
        self._udp[number] = Udp(self, number)
        return self._udp[number]

    def listen(self, port: int, *, settings: Settings | None = None) -> Listener:
        """Takes TCP connections to that port."""
        if _port("port", port) in self._listeners:
            raise NsocError(f"TCP port {port} is in use: close it, or take another one")
        self._listeners[port] = Listener(self, port, settings or self.settings)
        return self._listeners[port]

    def open(
        self, address: str, port: int, *, settings: Settings | None = None, local_port: int | None = None
    ) -> Stream:
        """Begins to open a connection; time does not pass."""
        remote = packed(address), _port("port", port)
        local = self.address, self._free_port() if local_port is None else _port("local_port", local_port)
        if (local[1], remote) in self._streams:
            raise NsocError(f"there is a connection from port {local[1]} to {address}, port {port}: take another one")
        connection = Connection(settings or self.settings, self._initial(local, remote), self.now)
        return self._add(connection, local, remote)

    def connect(self, address: str, port: int, *, settings: Settings | None = None, timeout_us: float = 10e6) -> Stream:
        """An open connection. Raises NsocError when there is none in time."""
        stream = self.open(address, port, settings=settings)
        of = stream.connection
        self.run(timeout_us, until=lambda: of.established or of.state is State.CLOSED)
        if not of.established:
            reason = of.failure or f"no answer in {timeout_us / 1e6:g} s of simulated time"
            of.abort()
            raise NsocError(f"no connection to {address}, port {port}: {reason}")
        return stream

    def streams(self) -> list[Stream]:
        """Connections that are remembered."""
        return list(self._streams.values())

    def send_frame(self, frame: bytes) -> None:
        """Queues any frame."""
        if not 1 <= len(frame) <= LONGEST_SEND:
            raise NsocError(f"a frame of {len(frame)} bytes cannot be sent, only 1 to {LONGEST_SEND}")
        self._out.append(frame)

    # ---- Arrival -----------------------------------------------------------------------------------------------------

    def _work(self, now: float) -> None:
        for arrived in self.host.receive_all():
            self._take(arrived)
        for address, one in list(self._unresolved.items()):
            if now >= one.due:
                self._ask_again(address, one, now)

    def _take(self, arrived: Arrived) -> None:
        frame, now = arrived.data, arrived.end_ps / 1e6
        if not arrived.good:
            self.counts["bad_frame"] += 1
            return
        if self.seen is not None:
            self.seen(frame, now)
        if frame[:6] not in (self.mac, p.BROADCAST_MAC):
            self.counts["other_mac"] += 1
            return
        kind = int.from_bytes(frame[12:14])
        if kind == p.IPV4_TYPE:
            done = self._take_ip(p.decode_ip(frame), now)
        elif kind == p.ARP_TYPE:
            done = self._take_arp(Arp.decode(frame))
        else:
            done = "other_type"
        self.counts[done] += 1

    def _take_arp(self, arp: Arp | str) -> str:
        """As RFC 826 has it: known senders are renewed, those that ask for this host are added."""
        if isinstance(arp, str):
            return arp
        if arp.sender == self.address:
            return "arp_conflict"
        asked = arp.target == self.address
        if asked or arp.sender in self.neighbours:
            self._learn(arp.sender, arp.sender_mac)
        if asked and arp.operation == p.ARP_REQUEST:
            answer = Arp(p.ARP_REPLY, self.mac, self.address, arp.sender_mac, arp.sender)
            self._out.append(answer.encode(arp.sender_mac))
        return "arp" if asked else "arp_for_others"

    def _learn(self, address: bytes, mac: bytes) -> None:
        if mac[0] & 1 or address == bytes(4):
            return
        self.neighbours[address] = mac
        waited = self._unresolved.pop(address, None)
        if waited is not None:
            self._out.extend(p.ip_frame(mac, self.mac, one) for one in waited.packets)

    def _take_ip(self, packet: Packet | str, now: float) -> str:
        if isinstance(packet, str):
            return packet
        broadcast = packet.destination in (p.BROADCAST, self._network_part() + b"\xff")
        if packet.destination != self.address and not broadcast:
            return "ip_other_address"
        if packet.source == self.address or packet.source[0] in (0, 127) or packet.source[0] >= 224:
            return "ip_bad_source"
        if packet.protocol == p.TCP:
            return "tcp_broadcast" if broadcast else self._take_tcp(packet, now)
        if packet.protocol == p.UDP:
            return self._take_udp(packet, now, broadcast)
        if packet.protocol == p.ICMP:
            return self._take_icmp(packet, now, broadcast)
        if not broadcast:
            self._complain(packet, p.PROTOCOL_UNREACHABLE, now)
        return "ip_other_protocol"

    def _network_part(self) -> bytes:
        return self.address[: PREFIX // 8]

    def _take_icmp(self, packet: Packet, now: float, broadcast: bool) -> str:
        message = packet.payload
        if len(message) < p.ICMP_BYTES:
            return "icmp_short"
        if p.checksum(message):
            return "icmp_checksum"
        if message[0] == p.ECHO and not broadcast:
            answer = p.icmp_message(p.ECHO_REPLY, 0, message[4:8], message[8:])
            self._send_ip(packet.source, p.ICMP, answer)
            return "icmp_echo"
        if message[0] == p.ECHO_REPLY:
            key = int.from_bytes(message[4:6]), int.from_bytes(message[6:8])
            if key in self._echoes and self._echoes[key] is None and message[8:] == self._echo_data:
                self._echoes[key] = now
                return "icmp_reply"
            return "icmp_stray_reply"
        if message[0] == p.UNREACHABLE:
            self._take_unreachable(message)
            return "icmp_unreachable"
        return "icmp_other"

    def _take_unreachable(self, message: bytes) -> None:
        quoted = message[8:]
        if len(quoted) < p.IP_BYTES + p.QUOTED or quoted[12:16] != self.address:
            return
        behind = quoted[4 * (quoted[0] & 15) :][: p.QUOTED]
        if len(behind) < p.QUOTED:
            return
        port, to = int.from_bytes(behind[:2]), int.from_bytes(behind[2:4])
        reason = _HARD.get(message[1])
        if quoted[9] == p.UDP and port in self._udp:
            self._udp[port].errors.append(reason or f"unreachable, code {message[1]}")
        elif quoted[9] == p.TCP and reason is not None:
            stream = self._streams.get((port, (quoted[16:20], to)))
            if stream is not None:
                stream.connection.unreachable(int.from_bytes(behind[4:8]), reason)

    def _take_udp(self, packet: Packet, now: float, broadcast: bool) -> str:
        found = p.decode_udp(packet)
        if isinstance(found, str):
            return found
        source, destination, data = found
        port = self._udp.get(destination)
        if port is None:
            if not broadcast:
                self._complain(packet, p.PORT_UNREACHABLE, now)
            return "udp_closed_port"
        port._arrived.append(Datagram(data, str(ipaddress.IPv4Address(packet.source)), source, now))
        return "udp"

    def _complain(self, packet: Packet, code: int, now: float) -> None:
        if len(self._icmp_errors) == ICMP_ERRORS and now - self._icmp_errors[0] < ICMP_ERRORS_US:
            self.counts["icmp_limited"] += 1
            return
        self._icmp_errors.append(now)
        quoted = packet.header + packet.payload[: p.QUOTED]
        self._send_ip(packet.source, p.ICMP, p.icmp_message(p.UNREACHABLE, code, bytes(4), quoted))

    def _take_tcp(self, packet: Packet, now: float) -> str:
        found = tcp.decode(packet)
        if isinstance(found, str):
            return found
        source, destination, segment = found
        remote, local = (packet.source, source), (self.address, destination)
        stream = self._streams.get((destination, remote))
        if stream is not None and self._may_replace(stream, segment):
            del self._streams[(destination, remote)]
            stream = None
        if stream is not None:
            self._take_segment(stream, segment, now)
            return "tcp"
        listener = self._listeners.get(destination)
        if listener is None or segment.flags & (Flag.RST | Flag.ACK):
            return self._refuse(segment, local, remote)
        if not segment.flags & Flag.SYN:
            return "tcp_without_flags"
        opening = sum(
            port == destination and one.connection.state is State.SYN_RECEIVED
            for (port, _), one in self._streams.items()
        )
        if opening + len(listener.waiting) >= BACKLOG:
            return "tcp_backlog"
        connection = Connection(listener.settings, self._initial(local, remote), now, segment)
        self._add(connection, local, remote)
        return "tcp_opened"

    def _may_replace(self, stream: Stream, segment: Segment) -> bool:
        """A new connection takes the place of one that is only remembered."""
        of = stream.connection
        if of.state is State.CLOSED:
            return True
        fresh = of.state is State.TIME_WAIT and segment.flags & (Flag.SYN | Flag.ACK) == Flag.SYN
        return fresh and of.is_newer(segment)

    def _take_segment(self, stream: Stream, segment: Segment, now: float) -> None:
        of = stream.connection
        opening = of.passive and of.state is State.SYN_RECEIVED
        of.take(segment, now)
        listener = self._listeners.get(stream.local[1])
        if opening and of.established and listener is not None:
            listener.waiting.append(stream)

    def _refuse(self, segment: Segment, local: Address, remote: Address) -> str:
        """Whoever has no connection here is told so."""
        if segment.flags & Flag.RST:
            return "tcp_stray_reset"
        if segment.flags & Flag.ACK:
            answer = Segment(segment.ack, 0, Flag.RST)
        else:
            answer = Segment(0, segment.sequence + segment.length, Flag.RST | Flag.ACK)
        self._send_ip(remote[0], p.TCP, answer.encode(local, remote))
        return "tcp_refused"

    # ---- Sending -----------------------------------------------------------------------------------------------------

    def _send(self, now: float) -> float:
        """What goes out now; the time when to ask again."""
        due = min((one.due for one in self._unresolved.values()), default=NEVER)
        streams = list(self._streams.items())
        turn = self._turn if self._turn < len(streams) else 0
        waiting = [*enumerate(streams[turn:], turn), *enumerate(streams[:turn])]
        while waiting:
            more = []
            for place, (key, stream) in waiting:
                of = stream.connection
                for sent in range(QUANTUM):
                    if not self._transmit(now):
                        self._turn = place + (sent > 0)
                        return min(due, self._line_free_us - AHEAD_US / 2)
                    segment = of.poll(now)
                    if segment is None:
                        if of.state is State.CLOSED:
                            del self._streams[key]
                        due = min(due, of.deadline)
                        break
                    self._send_ip(stream.remote[0], p.TCP, segment.encode(stream.local, stream.remote))
                else:
                    more.append((place, (key, stream)))
            waiting = more
        if not self._transmit(now):
            due = min(due, self._line_free_us - AHEAD_US / 2)
        return due

    def _transmit(self, now: float) -> bool:
        """Gives the line what waits; whether it took all."""
        out = self._out
        while out:
            if self._line_free_us > now + AHEAD_US:
                return False
            self._line_free_us = self.host.send(out.popleft()).end_ps / 1e6
            self.counts["sent"] += 1
        return True

    def _send_ip(self, to: bytes, protocol: int, payload: bytes) -> None:
        self._identification += 1
        packet = p.ip_packet(self.address, to, protocol, payload, self._identification)
        hop = to
        if to == p.BROADCAST:
            self._out.append(p.ip_frame(p.BROADCAST_MAC, self.mac, packet))
            return
        if self._gateway is not None and to[: PREFIX // 8] != self._network_part():
            hop = self._gateway
        mac = self.neighbours.get(hop)
        if mac is not None:
            self._out.append(p.ip_frame(mac, self.mac, packet))
            return
        waiting = self._unresolved.get(hop)
        if waiting is None:
            waiting = self._unresolved[hop] = _Unresolved(deque(), 0, 0.0)
            self._ask_again(hop, waiting, self.now)
        if len(waiting.packets) >= ARP_QUEUE:
            waiting.packets.popleft()
            self.counts["unresolved"] += 1
        waiting.packets.append(packet)

    def _ask_again(self, address: bytes, one: _Unresolved, now: float) -> None:
        if one.tries >= ARP_TRIES:
            self.counts["unresolved"] += len(one.packets)
            del self._unresolved[address]
            return
        one.tries += 1
        one.due = now + ARP_RETRY_US
        self._out.append(Arp(p.ARP_REQUEST, self.mac, self.address, p.NO_MAC, address).encode(p.BROADCAST_MAC))

    # ---- Connections -------------------------------------------------------------------------------------------------

    def _add(self, connection: Connection, local: Address, remote: Address) -> Stream:
        stream = Stream(self, connection, local, remote)
        self._streams[(local[1], remote)] = stream
        return stream

    def _initial(self, local: Address, remote: Address) -> int:
        """The first sequence number: a clock, and what nobody can guess (RFC 6528)."""
        known = local[0] + local[1].to_bytes(2) + remote[0] + remote[1].to_bytes(2)
        secret = hashlib.blake2s(known, key=self._secret, digest_size=4).digest()
        return (int(self.now / _ISN_TICKS) + int.from_bytes(secret)) % tcp.MODULUS

    def _free_port(self) -> int:
        used = {port for port, _ in self._streams} | set(self._udp) | set(self._listeners)
        for _ in range(0x10000 - FIRST_PORT):
            port = self._next_port
            self._next_port = port + 1 if port < 0xFFFF else FIRST_PORT
            if port not in used:
                return port
        raise NsocError("all ports of this peer are in use: close some connections")


def _port(name: str, number: int) -> int:
    if not 1 <= number <= 65535:
        raise NsocError(f"{name} must be 1 to 65535, not {number}")
    return number


def packed_mac(address: str) -> bytes:
    """The six bytes of a MAC address."""
    if re.fullmatch("([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", address) is None:
        raise NsocError(f"{address!r} is not a MAC address like {MAC}")
    return bytes.fromhex(address.replace(":", ""))


def packed(address: str) -> bytes:
    """The four bytes of an IPv4 address."""
    try:
        return ipaddress.IPv4Address(address).packed
    except ValueError:
        raise NsocError(f"{address!r} is not an IPv4 address like 10.0.0.2") from None
