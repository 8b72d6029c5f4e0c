# SPDX-License-Identifier: Apache-2.0
"""Frames of every kind that `net` may see, as Scapy makes them, and what spoils them."""

import random
from collections.abc import Callable

from net_soc import ADDRESS, MAC, PEER_MAC
from scapy.fields import IPField, MultipleTypeField
from scapy.layers.dhcp import BOOTP, DHCP
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.layers.tftp import TFTP, TFTP_ACK, TFTP_DATA, TFTP_RRQ, TFTP_WRQ
from scapy.packet import Packet, Raw

from nsoc.network.inet import Stream

PORTS = (7, 9, 67, 68, 69, 80, 5001)
HTTP = (b"GET / HTTP/1.1\r\n\r\n", b"GET /bytes/9 HTTP/1.0\r\n\r\n", b"HEAD /counters.json HTTP/1.1\r\nHost: x\r\n\r\n")
FLAGS = ("S", "SA", "A", "PA", "FA", "R", "RA", "FPU", "", "SFRPAU")
LONGEST = 1514


class Fuzzer:
    """`streams` are open connections: some segments are for them, with numbers that are right or nearly so. `tcp`:
    segments alone."""

    def __init__(self, seed: int, streams: Callable[[], list[Stream]], *, tcp: bool = False) -> None:
        self.rng = random.Random(seed)
        self._streams = streams
        self._kinds = (
            self.arp, self.icmp, self.udp, self.udp, self.tcp, self.segment, self.segment, self.dhcp, self.tftp,
            self.http, self.raw_protocol, self.vlan, self.ipv6, self.fragment,
        )  # fmt: skip
        if tcp:
            self._kinds = (self.tcp, self.segment, self.segment, self.http)

    def frame(self) -> bytes:
        """The next one; three of four are spoiled."""
        packet = self.rng.choice(self._kinds)()
        if self.rng.random() < 0.4:
            self._spoil_field(packet)
        data = bytearray(bytes(packet)[:LONGEST])
        spoil = self.rng.choice((None, None, self._flip, self._cut, self._lengthen, self._lengths))
        if spoil is not None:
            spoil(data)
        return bytes(data[:LONGEST])

    # ---- Frames ------------------------------------------------------------------------------------------------------

    def _data(self, most: int = 1460) -> bytes:
        return self.rng.randbytes(self.rng.choice((0, 1, 2, self.rng.randrange(64), self.rng.randrange(most))))

    def _ether(self) -> Packet:
        to = MAC if self.rng.random() < 0.9 else "ff:ff:ff:ff:ff:ff"
        return Ether(
            dst=to, src=PEER_MAC if self.rng.random() < 0.7 else f"02:00:00:00:01:{self.rng.randrange(256):02x}"
        )

    def _ip(self) -> Packet:
        source = "10.0.0.1" if self.rng.random() < 0.7 else f"10.0.{self.rng.randrange(4)}.{self.rng.randrange(256)}"
        to = ADDRESS if self.rng.random() < 0.9 else self.rng.choice(("10.0.0.255", "255.255.255.255", "224.0.0.1"))
        return self._ether() / IP(src=source, dst=to, id=self.rng.getrandbits(16), ttl=self.rng.randrange(256))

    def arp(self) -> Packet:
        return self._ether() / ARP(
            op=self.rng.choice((1, 2, 3)), psrc=f"10.0.0.{self.rng.randrange(3, 256)}", hwsrc=PEER_MAC,
            pdst=self.rng.choice((ADDRESS, "10.0.0.1", "0.0.0.0")),
        )  # fmt: skip

    def icmp(self) -> Packet:
        kind = self.rng.choice((8, 8, 0, 3, 4, 5, 11, 13, 17, 255))
        inside = bytes(IP(src=ADDRESS, dst="10.0.0.1") / TCP(sport=7)) if kind in (3, 4, 5, 11) else self._data()
        return self._ip() / ICMP(type=kind, code=self.rng.randrange(16)) / Raw(inside)

    def udp(self) -> Packet:
        port = self.rng.choice((*PORTS, self.rng.randrange(65536)))
        return self._ip() / UDP(sport=self.rng.choice((7, 0, 1024)), dport=port) / Raw(self._data())

    def tcp(self) -> Packet:
        return (
            self._ip()
            / TCP(
                sport=self.rng.randrange(65536), dport=self.rng.choice(PORTS), flags=self.rng.choice(FLAGS),
                seq=self.rng.getrandbits(32), ack=self.rng.getrandbits(32), window=self.rng.getrandbits(16),
                options=self.rng.choice(([], [("MSS", self.rng.getrandbits(16))], [("WScale", 14), ("SAckOK", b"")])),
            )
            / Raw(self._data())
        )  # fmt: skip

    def segment(self) -> Packet:
        streams = self._streams()
        if not streams:
            return self.tcp()
        stream = self.rng.choice(streams)
        of, near = stream.connection, self.rng.choice((0, 0, 0, 1, -1, 1460, 70_000))
        return (
            Ether(dst=MAC, src=PEER_MAC)
            / IP(src="10.0.0.1", dst=ADDRESS)
            / TCP(
                sport=stream.local[1], dport=stream.remote[1], flags=self.rng.choice(FLAGS),
                seq=(of.next_sequence + near) % 2**32, ack=(of.next_expected + self.rng.choice((0, 0, 1, -9))) % 2**32,
                window=self.rng.choice((0, 1, 65535)), urgptr=self.rng.getrandbits(16),
            )
            / Raw(self._data())
        )  # fmt: skip

    def dhcp(self) -> Packet:
        options = [("message-type", self.rng.randrange(1, 9)), ("server_id", "10.0.0.1"), ("subnet_mask", "255.0.0.0")]
        self.rng.shuffle(options)
        boot = BOOTP(op=2, yiaddr="10.0.0.9", xid=self.rng.getrandbits(32), chaddr=bytes.fromhex("020000000002"))
        return self._ip() / UDP(sport=67, dport=68) / boot / DHCP(options=[*options, "end"])

    def tftp(self) -> Packet:
        name = self.rng.choice((b"40200000/1000", b"0/ffffffff", b"../x", b"40200000/0", self.rng.randbytes(20), b""))
        message = self.rng.choice(
            (
                TFTP() / TFTP_RRQ(filename=name), TFTP() / TFTP_WRQ(filename=name),
                TFTP() / TFTP_DATA(block=self.rng.randrange(3)) / Raw(self._data(512)),
                TFTP() / TFTP_ACK(block=self.rng.randrange(65536)), Raw(self._data()),
            )
        )  # fmt: skip
        return self._ip() / UDP(sport=self.rng.randrange(1024, 1030), dport=69) / message

    def http(self) -> Packet:
        text = bytearray(self.rng.choice(HTTP))
        if self.rng.random() < 0.5:
            text[self.rng.randrange(len(text))] = self.rng.randrange(256)
        packet = self.segment()
        packet[TCP].flags = "PA"
        packet[TCP].remove_payload()
        return packet / Raw(bytes(text))

    def raw_protocol(self) -> Packet:
        return Ether(dst=MAC, src=PEER_MAC, type=0x88B5) / Raw(bytes([self.rng.randrange(64)]) + self._data())

    def vlan(self) -> Packet:
        inside = self.udp()
        kind, rest = inside.type, inside.payload
        return Ether(dst=MAC, src=PEER_MAC) / Dot1Q(vlan=self.rng.randrange(4096), type=kind) / rest

    def ipv6(self) -> Packet:
        return Ether(dst=MAC, src=PEER_MAC) / IPv6(src="fe80::1", dst="fe80::2") / ICMPv6EchoRequest(data=self._data())

    def fragment(self) -> Packet:
        packet = self.udp()
        packet[IP].flags, packet[IP].frag = self.rng.choice((0, 1)), self.rng.choice((0, 1, 3, 185, 8189, 8191))
        return packet

    # ---- What spoils them --------------------------------------------------------------------------------------------

    def _spoil_field(self, packet: Packet) -> None:
        """A field of any layer gets any value that fits; lengths and sums that are not given follow it."""
        layer = packet.getlayer(self.rng.randrange(1, 4))
        if layer is None or isinstance(layer, Raw):
            return
        numbers = [field for field in layer.fields_desc if not isinstance(field, IPField | MultipleTypeField)]
        numbers = [
            one for one in numbers if one.sz in (1, 2, 4) and isinstance(layer.getfieldval(one.name), int | None)
        ]
        if numbers:
            field = self.rng.choice(numbers)
            bits = min(int(8 * field.sz), getattr(field, "size", None) or 32)
            layer.setfieldval(field.name, self.rng.getrandbits(bits))

    def _flip(self, data: bytearray) -> None:
        for _ in range(self.rng.randrange(1, 9)):
            data[self.rng.randrange(12, len(data))] ^= 1 << self.rng.randrange(8)

    def _cut(self, data: bytearray) -> None:
        del data[self.rng.randrange(14, len(data) + 1) :]

    def _lengthen(self, data: bytearray) -> None:
        data += self.rng.randbytes(self.rng.randrange(1, 200))

    def _lengths(self, data: bytearray) -> None:
        """Header lengths, IP's, UDP's and TCP's against each other, with a right sum of the IP header."""
        if len(data) < 42 or data[12:14] != b"\x08\x00":
            return
        at = self.rng.choice((14, 16, 38, 46))
        if at == 14:
            data[14] = 0x40 | self.rng.randrange(16)
        elif at == 46 and len(data) > 46:
            data[46] = self.rng.randrange(16) << 4
        elif at < 40:
            data[at : at + 2] = self.rng.choice((0, 1, 7, 19, 21, len(data), len(data) - 14, 65535)).to_bytes(2)
        data[24:26] = bytes(2)
        total = sum(int.from_bytes(data[i : i + 2]) for i in range(14, 34, 2))
        while total > 0xFFFF:
            total = (total & 0xFFFF) + (total >> 16)
        data[24:26] = (0xFFFF - total).to_bytes(2)
