# SPDX-License-Identifier: Apache-2.0
"""Frames for a host on the network, right and wrong ones; what comes back is looked at by its own sums. Tests of these
builders have Scapy as their reference."""

import random
import struct

OURS = "10.0.0.2"
PEER = "10.0.0.1"
OUR_MAC = bytes.fromhex("020000000002")
PEER_MAC = bytes.fromhex("020000000001")
BROADCAST = b"\xff" * 6
ICMP, IGMP, TCP, UDP = 1, 2, 6, 17
SHORTEST = 60


def address(text: str) -> bytes:
    return bytes(map(int, text.split(".")))


def ones_sum(data: bytes) -> int:
    """One's complement sum of 16-bit numbers (RFC 1071)."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def checksum(data: bytes) -> int:
    return ones_sum(data) ^ 0xFFFF


def ethernet(payload: bytes, kind: int = 0x0800, to: bytes = OUR_MAC, source: bytes = PEER_MAC) -> bytes:
    """A frame, as long as the line makes it."""
    return (to + source + struct.pack(">H", kind) + payload).ljust(SHORTEST, b"\0")


def arp(operation: int, sender_mac: bytes, sender: str, target_mac: bytes, target: str) -> bytes:
    return (
        struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation) + sender_mac + address(sender) + target_mac + address(target)
    )


def ipv4(
    payload: bytes, protocol: int, *, source: str = PEER, to: str = OURS, options: bytes = b"", fragment: int = 0,
    identification: int = 0, ttl: int = 64, total: int | None = None,
) -> bytes:  # fmt: skip
    length = 20 + len(options)
    total = length + len(payload) if total is None else total
    head = struct.pack(
        ">BBHHHBBH4s4s", 0x40 | length // 4, 0, total, identification, fragment, ttl, protocol, 0, address(source),
        address(to),
    ) + options  # fmt: skip
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def icmp(kind: int, code: int = 0, rest: bytes = b"\0\1\0\1", data: bytes = b"") -> bytes:
    body = bytes([kind, code, 0, 0]) + rest + data
    return body[:2] + struct.pack(">H", checksum(body)) + body[4:]


def udp(
    port: int, to: int, data: bytes, *, source: str = PEER, destination: str = OURS, length: int | None = None
) -> bytes:
    head = struct.pack(">HHH", port, to, 8 + len(data) if length is None else length)
    pseudo = address(source) + address(destination) + struct.pack(">HH", UDP, 8 + len(data))
    total = checksum(pseudo + head + data) or 0xFFFF
    return head + struct.pack(">H", total) + data


def ping(data: bytes = b"", number: int = 1) -> bytes:
    return ethernet(ipv4(icmp(8, rest=struct.pack(">HH", 7, number), data=data), ICMP))


def datagram(to: int, data: bytes, port: int = 4000, **more: object) -> bytes:
    return ethernet(ipv4(udp(port, to, data), UDP, **more))  # type: ignore[arg-type]


def resolve() -> bytes:
    """Who has the address? Its sender becomes known."""
    return ethernet(arp(1, PEER_MAC, PEER, bytes(6), OURS), 0x0806, BROADCAST)


def with_right_sums(frame: bytes) -> bytes:
    """The frame with the sums of IPv4, ICMP and UDP that it has room for: what is behind them is reached."""
    if len(frame) < 34 or frame[12:14] != b"\x08\0":
        return frame
    data = bytearray(frame)
    length = (data[14] & 15) * 4
    end = 14 + int.from_bytes(data[16:18], "big")
    if length < 20 or end > len(data) or end < 14 + length:
        return frame
    data[24:26] = b"\0\0"
    data[24:26] = checksum(bytes(data[14 : 14 + length])).to_bytes(2, "big")
    at = 14 + length
    if data[23] == ICMP and end - at >= 4:
        data[at + 2 : at + 4] = b"\0\0"
        data[at + 2 : at + 4] = checksum(bytes(data[at:end])).to_bytes(2, "big")
    place = {UDP: 6, TCP: 16}.get(data[23])
    if place is not None and end - at >= place + 2:
        if data[23] == UDP:
            end = min(end, at + int.from_bytes(data[at + 4 : at + 6], "big"))
            if end - at < 8:
                return bytes(data)
        data[at + place : at + place + 2] = b"\0\0"
        pseudo = bytes(data[26:34]) + struct.pack(">HH", data[23], end - at)
        data[at + place : at + place + 2] = (checksum(pseudo + bytes(data[at:end])) or 0xFFFF).to_bytes(2, "big")
    return bytes(data)


def mutated(frame: bytes, rng: random.Random) -> bytes:
    """A frame made wrong in one to three places: a byte, an extreme number, its end, bytes put in or left out."""
    data = bytearray(frame)
    for _ in range(rng.randint(1, 3)):
        data = data.ljust(SHORTEST, b"\0")
        at = rng.randrange(12, min(len(data), rng.choice((24, 44, 60, len(data)))))
        match rng.randrange(7):
            case 0:
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data[at] = rng.randrange(256)
            case 2:
                data[at : at + 2] = rng.choice((0, 1, 7, 8, 0x7FFF, 0x8000, 0xFFFF)).to_bytes(2, "big")
            case 3:
                data[at : at + 4] = rng.choice((0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)).to_bytes(4, "big")
            case 4:
                del data[max(SHORTEST, at) :]
            case 5:
                data[at:at] = rng.randbytes(rng.choice((1, 2, 4, 40)))
            case 6:
                del data[at : at + rng.choice((1, 2, 4, 40))]
    made = bytes(data[:1514]).ljust(SHORTEST, b"\0")
    return with_right_sums(made) if rng.random() < 0.7 else made


def check_sums(frame: bytes, most: int = 1514) -> None:
    """Of a frame that a host sends, of `most` bytes: addresses, lengths and sums."""
    assert frame[6:12] == OUR_MAC and len(frame) <= most
    if frame[12:14] != b"\x08\0":
        assert frame[12:14] == b"\x08\x06" and len(frame) >= 42
        return
    length = (frame[14] & 15) * 4
    total = int.from_bytes(frame[16:18], "big")
    assert frame[14] >> 4 == 4 and 20 <= length <= total <= len(frame) - 14
    assert ones_sum(frame[14 : 14 + length]) == 0xFFFF
    assert frame[26:30] == address(OURS) or frame[26:30] == bytes(4)
    body = frame[14 + length : 14 + total]
    if frame[20] & 0x3F or frame[21]:
        return  # a fragment
    if frame[23] in (ICMP, IGMP):
        assert ones_sum(body) == 0xFFFF
    else:
        assert frame[23] in (UDP, TCP)
        assert ones_sum(frame[26:34] + struct.pack(">HH", frame[23], len(body)) + body) == 0xFFFF
        if frame[23] == UDP:
            assert int.from_bytes(body[4:6], "big") == len(body) and body[6:8] != b"\0\0"
