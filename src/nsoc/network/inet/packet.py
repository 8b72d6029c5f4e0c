# SPDX-License-Identifier: Apache-2.0
"""Frames of ARP, IPv4, ICMP and UDP as bytes: packed and taken apart (RFCs 826, 791, 792, 768, 1071).

What cannot be used has a cause as a string, to be counted.
"""

import struct
from dataclasses import dataclass

ARP_TYPE, IPV4_TYPE = 0x0806, 0x0800
ICMP, TCP, UDP = 1, 6, 17
BROADCAST_MAC, NO_MAC = b"\xff" * 6, bytes(6)
BROADCAST = b"\xff" * 4
ARP_REQUEST, ARP_REPLY = 1, 2
ECHO_REPLY, UNREACHABLE, ECHO = 0, 3, 8
PROTOCOL_UNREACHABLE, PORT_UNREACHABLE = 2, 3
MTU = 1500
IP_BYTES, ICMP_BYTES, UDP_BYTES, TCP_BYTES = 20, 8, 8, 20
"""Of headers without options."""
QUOTED = 8
"""Bytes behind the IP header that an ICMP error brings back at least."""

_ETHERNET = struct.Struct("!6s6sH")
_IP = struct.Struct("!BBHHHBBH4s4s")
_ARP = struct.Struct("!HHBBH6s4s6s4s")
_ARP_FIXED = (1, IPV4_TYPE, 6, 4)
_PORTS = struct.Struct("!HHHH")
_DONT_FRAGMENT, _FRAGMENT = 0x4000, 0x3FFF
_TTL = 64


def checksum(data: bytes) -> int:
    """The Internet checksum of `data`. One over what has its checksum in it is 0.

    The one's complement sum of 16-bit words is the number that they make, modulo 0xFFFF: 0x10000 is 1 there.
    """
    number = int.from_bytes(data) << 8 * (len(data) & 1)
    rest = number % 0xFFFF
    return 0xFFFF - (rest or (0xFFFF if number else 0))


def pseudo_header(source: bytes, destination: bytes, protocol: int, length: int) -> bytes:
    """What UDP's and TCP's checksums cover besides."""
    return source + destination + bytes((0, protocol)) + length.to_bytes(2)


@dataclass(frozen=True, slots=True)
class Arp:
    """A message about who has an address."""

    operation: int
    sender_mac: bytes
    sender: bytes
    target_mac: bytes
    target: bytes

    def encode(self, destination: bytes) -> bytes:
        """The frame to that MAC address."""
        fields = (self.operation, self.sender_mac, self.sender, self.target_mac, self.target)
        return _ETHERNET.pack(destination, self.sender_mac, ARP_TYPE) + _ARP.pack(*_ARP_FIXED, *fields)

    @staticmethod
    def decode(frame: bytes) -> "Arp | str":
        if len(frame) < _ETHERNET.size + _ARP.size:
            return "arp_short"
        fields = _ARP.unpack_from(frame, _ETHERNET.size)
        return Arp(*fields[4:]) if fields[:4] == _ARP_FIXED else "arp_other"


@dataclass(frozen=True, slots=True)
class Packet:
    """What an IPv4 packet carries."""

    source: bytes
    destination: bytes
    protocol: int
    payload: bytes
    header: bytes
    """With its options."""


def ip_frame(destination_mac: bytes, source_mac: bytes, packet: bytes) -> bytes:
    return _ETHERNET.pack(destination_mac, source_mac, IPV4_TYPE) + packet


def ip_packet(source: bytes, destination: bytes, protocol: int, payload: bytes, identification: int = 0) -> bytes:
    """An IPv4 packet that must not be fragmented, so its identification may be any (RFC 6864)."""
    length = IP_BYTES + len(payload)
    fields = (0x45, 0, length, identification & 0xFFFF, _DONT_FRAGMENT, _TTL, protocol)
    header = _IP.pack(*fields, 0, source, destination)
    return _IP.pack(*fields, checksum(header), source, destination) + payload


def decode_ip(frame: bytes) -> Packet | str:
    """Of a whole Ethernet frame. What lies behind the packet's length is padding."""
    packet = frame[_ETHERNET.size :]
    if len(packet) < IP_BYTES:
        return "ip_short"
    first, _, length, _, fragment, _, protocol, _, source, destination = _IP.unpack_from(packet)
    header = 4 * (first & 15)
    if first >> 4 != 4 or header < IP_BYTES or not header <= length <= len(packet):
        return "ip_malformed"
    if checksum(packet[:header]):
        return "ip_checksum"
    if fragment & _FRAGMENT:
        return "ip_fragment"
    return Packet(source, destination, protocol, packet[header:length], packet[:header])


def icmp_message(kind: int, code: int, rest: bytes, payload: bytes) -> bytes:
    """`rest`: the four bytes behind the checksum."""
    head = bytes((kind, code))
    return head + checksum(head + bytes(2) + rest + payload).to_bytes(2) + rest + payload


def udp_datagram(source: tuple[bytes, int], destination: tuple[bytes, int], data: bytes) -> bytes:
    """With its header. A sum of 0 goes as 0xFFFF."""
    length = UDP_BYTES + len(data)
    ports = (source[1], destination[1], length)
    pseudo = pseudo_header(source[0], destination[0], UDP, length)
    return _PORTS.pack(*ports, checksum(pseudo + _PORTS.pack(*ports, 0) + data) or 0xFFFF) + data


def decode_udp(packet: Packet) -> tuple[int, int, bytes] | str:
    """Source port, destination port, data."""
    datagram = packet.payload
    if len(datagram) < UDP_BYTES:
        return "udp_short"
    source, destination, length, given = _PORTS.unpack_from(datagram)
    if not UDP_BYTES <= length <= len(datagram):
        return "udp_malformed"
    if given and checksum(pseudo_header(packet.source, packet.destination, UDP, length) + datagram[:length]):
        return "udp_checksum"
    return source, destination, datagram[UDP_BYTES:length]
