# SPDX-License-Identifier: Apache-2.0
"""Captures: a pcapng writer with nanosecond stamps (Scapy's truncates to microseconds), one interface for each
direction; and a reader that gives the frames of any pcap or pcapng file."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nsoc.errors import NsocError

INTERFACES = ("host to SoC", "SoC to host")
_LINKTYPE_ETHERNET = 1
_INBOUND, _OUTBOUND = 1, 2
_CRC_ERROR = 1 << 24


@dataclass(frozen=True, slots=True)
class Packet:
    """A frame on the GMII pins of the SoC, without preamble and FCS."""

    time_ps: int
    """Simulated time of the first byte of the destination address."""
    to_soc: bool
    data: bytes
    bad_fcs: bool = False
    comment: str = ""


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def _block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def _packet_block(packet: Packet) -> bytes:
    stamp = packet.time_ps // 1000
    size = len(packet.data)
    flags = (_INBOUND if packet.to_soc else _OUTBOUND) | (_CRC_ERROR if packet.bad_fcs else 0)
    options = _option(2, struct.pack("<I", flags))
    if packet.comment:
        options += _option(1, packet.comment.encode())
    head = struct.pack("<IIIII", 0 if packet.to_soc else 1, stamp >> 32, stamp & 0xFFFF_FFFF, size, size)
    return _block(6, head + packet.data + bytes(-size % 4) + options + _option(0, b""))


def write(path: Path, packets: Iterable[Packet]) -> None:
    """Write `packets`, in the order of their stamps, to the file `path`."""
    with path.open("wb") as file:
        file.write(_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        for name in INTERFACES:
            options = _option(2, name.encode()) + _option(9, b"\x09") + _option(0, b"")  # if_name; if_tsresol: 10^-9
            file.write(_block(1, struct.pack("<HHI", _LINKTYPE_ETHERNET, 0, 0) + options))
        for packet in sorted(packets, key=lambda p: p.time_ps):
            file.write(_packet_block(packet))


def read_frames(path: Path) -> list[bytes]:
    """The frames of a capture to play into the SoC: all of a pcap file, of a pcapng those not marked as outbound.

    Raises NsocError when the file cannot be read or is no Ethernet capture.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NsocError(f"cannot read the capture {path} ({error.strerror}); give a pcap or pcapng file") from error
    try:
        frames = list(_pcapng_frames(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else _pcap_frames(data))
    except (struct.error, ValueError) as error:
        raise NsocError(f"{path} is not a whole pcap or pcapng capture of Ethernet frames ({error})") from error
    if not frames:
        raise NsocError(f"the capture {path} holds no frame for the SoC; give another file")
    return frames


def _pcap_frames(data: bytes) -> Iterator[bytes]:
    orders = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
    if data[:4] not in orders:
        raise ValueError("unknown file type")
    order = orders[data[:4]]
    if struct.unpack_from(f"{order}I", data, 20)[0] & 0xFFFF != _LINKTYPE_ETHERNET:
        raise ValueError("not Ethernet")
    at = 24
    while at < len(data):
        size = struct.unpack_from(f"{order}8xII", data, at)[0]
        yield _slice(data, at + 16, size)
        at += 16 + size


def _pcapng_frames(data: bytes) -> Iterator[bytes]:
    at, order = 0, "<"
    while at < len(data):
        if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if length < 12 or length % 4:
            raise ValueError("damaged block")
        body = _slice(data, at, length)[8:-4]
        if kind == 1 and struct.unpack_from(f"{order}H", body)[0] != _LINKTYPE_ETHERNET:
            raise ValueError("not Ethernet")
        if kind == 6:
            size = struct.unpack_from(f"{order}12xI", body)[0]
            if _direction(body[20 + size + -size % 4 :], order) != _OUTBOUND:
                yield _slice(body, 20, size)
        at += length


def _direction(options: bytes, order: str) -> int:
    at = 0
    while at + 4 <= len(options):
        code, size = struct.unpack_from(f"{order}HH", options, at)
        if code == 2 and size == 4:
            return int(struct.unpack_from(f"{order}I", options, at + 4)[0] & 3)
        at += 4 + size + -size % 4
    return 0


def _slice(data: bytes, start: int, size: int) -> bytes:
    part = data[start : start + size]
    if len(part) < size:
        raise ValueError("it ends in the middle of a frame")
    return part
