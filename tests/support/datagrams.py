# SPDX-License-Identifier: Apache-2.0
"""IPv4 frames for the NIC's sums: Scapy builds and sums them, and what must be seen in any bytes is said once more."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw
from scapy.utils import checksum

ETHER = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
SMALLEST = {6: 20, 17: 8}  # TCP, UDP: a header without options
FIELD = {6: 16, 17: 6}  # where the sum is in it


@dataclass(frozen=True)
class Found:
    """Where the parts of an IPv4 frame are. `protocol`: of a datagram that can be summed; None: of none."""

    header: int
    end: int
    protocol: int | None = None
    l4_end: int = 0

    @property
    def field(self) -> int:
        """The place of the TCP or UDP sum."""
        assert self.protocol is not None
        return self.end + FIELD[self.protocol]


def find(frame: bytes) -> Found | None:
    """What the NIC has to find in a frame to be sent; None: no IPv4 header that is whole."""
    kind, at = frame[12:14], 14
    if kind == b"\x81\x00":
        kind, at = frame[16:18], 18
    if kind != b"\x08\x00" or len(frame) < at + 20 or frame[at] >> 4 != 4:
        return None
    end = at + 4 * (frame[at] & 15)
    if end < at + 20 or end > len(frame):
        return None
    total, _, fragment, _, protocol = struct.unpack_from("!HHHBB", frame, at + 2)
    length = total - (end - at)
    if protocol not in SMALLEST or fragment & 0x3FFF or length < SMALLEST[protocol] or at + total > len(frame):
        return Found(at, end)
    if protocol == 17 and struct.unpack_from("!H", frame, end + 4)[0] != length:
        return Found(at, end)
    return Found(at, end, protocol, at + total)


def l4_sum(frame: bytes, found: Found) -> int:
    """Scapy's sum of the datagram and its pseudo header, as it is in the frame: 0 when its field is right."""
    data = frame[found.end : found.l4_end]
    addresses = frame[found.header + 12 : found.header + 20]
    return checksum(addresses + struct.pack("!HH", found.protocol, len(data)) + data)


def status(frame: bytes) -> int:
    """The control word's status of a received frame."""
    found = find(frame)
    if found is None:
        return 0
    seen = 4 if checksum(frame[found.header : found.end]) else 2
    if found.protocol is not None and (found.protocol == 6 or frame[found.field : found.field + 2] != b"\0\0"):
        seen |= 16 if l4_sum(frame, found) else 8
    return seen


def inserted(frame: bytes, ip: bool, l4: bool) -> bytes | None:
    """The frame as it is sent; None: a sum was asked for that cannot be made."""
    found = find(frame)
    if found is None:
        return None if ip or l4 else frame
    if l4 and found.protocol is None:
        return None
    data = bytearray(frame)
    if ip:
        data[found.header + 10 : found.header + 12] = b"\0\0"
        struct.pack_into("!H", data, found.header + 10, checksum(bytes(data[found.header : found.end])))
    if l4:
        data[found.field : found.field + 2] = b"\0\0"
        made = l4_sum(bytes(data), found)
        struct.pack_into("!H", data, found.field, 0xFFFF if found.protocol == 17 and made == 0 else made)
    return bytes(data)


def exact(kind: type[Packet], length: int, *, tagged: bool = False, rng: random.Random) -> bytes:
    """A frame of `length` bytes with right sums by Scapy; where it is too short for its headers, the first of it."""
    head = ETHER / Dot1Q(vlan=5) if tagged else ETHER
    packet = head / IP(src="10.1.2.3", dst="10.0.0.2", id=rng.getrandbits(16)) / kind(sport=1000, dport=2000)
    return bytes(packet / Raw(rng.randbytes(max(0, length - len(packet)))))[:length]


def any_frame(rng: random.Random) -> bytes:
    """A frame with something about it: options, tags, padding, wrong sums, lengths that do not fit, fragments."""
    kind = rng.choice((UDP, UDP, TCP, TCP, ICMP))
    options = rng.randbytes(4 * rng.choice((0, 0, 0, 1, 2, 3, rng.randrange(11))))
    packet = ETHER
    for _ in range(rng.choice((0, 0, 0, 1, 1, 1, 2))):
        packet = packet / Dot1Q(vlan=rng.randrange(4096))
    address = ".".join(str(rng.randrange(256)) for _ in range(4))
    size = rng.choice((rng.randrange(24), rng.randrange(200), rng.randrange(1400)))
    payload = Raw(bytes(size) if rng.random() < 0.1 else rng.randbytes(size))
    l4: Packet = kind() if kind is ICMP else kind(sport=rng.getrandbits(16), dport=rng.getrandbits(16))
    data = bytes(packet / IP(src=address, dst="10.0.0.2", tos=rng.getrandbits(8)) / l4 / payload)
    found = find(data)
    if found is not None and options:  # bytes of any kind, which Scapy would interpret
        data = bytearray(data[: found.end] + options + data[found.end :])
        data[found.header] += len(options) // 4
        struct.pack_into("!H", data, found.header + 2, len(data) - found.header)
        data = inserted(bytes(data), ip=True, l4=find(bytes(data)).protocol is not None)
    data = bytearray(data)
    at = found.header if found else 14
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        what = rng.randrange(11)
        if what < 3:  # anything
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif what == 3:  # in a header
            data[rng.randrange(12, min(at + 40, len(data)))] ^= 1 << rng.randrange(8)
        elif what == 4:  # the IPv4 length
            total = struct.unpack_from("!H", data, at + 2)[0] + rng.choice((-8, -2, -1, 1, 2, 8, 0x100, 0x8000))
            struct.pack_into("!H", data, at + 2, max(0, total) & 0xFFFF)
        elif what == 5:  # a fragment, or not: of the three flags only one says so
            struct.pack_into("!H", data, at + 6, rng.choice((0x2000, 0x4000, 0x8000, 1, 0x1000, 0x3FFF)))
        elif what == 6 and found and found.protocol == 17:
            end = at + 4 * (data[at] & 15)
            if end + 6 <= len(data):
                struct.pack_into("!H", data, end + 4, rng.choice((0, 7, 8, size, size + 7, size + 9)))
        elif what == 7:  # no UDP sum, or the other zero
            end = at + 4 * (data[at] & 15) + (6 if data[at + 9] == 17 else 16)
            if end + 2 <= len(data):
                struct.pack_into("!H", data, end, rng.choice((0, 0xFFFF)))
        elif what == 8:  # cut off
            del data[rng.randrange(14, len(data)) :]
            break
        elif what == 9:
            data[at] = rng.choice((0x44, 0x40, 0x65, 0x55, 0x46, 0x4F, 0x05))
        else:
            struct.pack_into("!H", data, 12, rng.choice((0x86DD, 0x88A8, 0x0806, 0x0801, 0x8101, 0x9100)))
    if rng.random() < 0.4:
        data += rng.randbytes(rng.randrange(1, 46))
    return bytes(data[:1518])
