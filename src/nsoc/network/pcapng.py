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
_PS_PER_S = 10**12


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


def read(path: Path) -> list[Packet]:
    """The frames of a capture for the SoC: all of a pcap file, of a pcapng those not marked as outbound.

    Raises NsocError when the file cannot be read or is no Ethernet capture.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NsocError(f"cannot read the capture {path} ({error.strerror}); give a pcap or pcapng file") from error
    try:
        packets = list(_pcapng_packets(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else _pcap_packets(data))
    except (struct.error, ValueError) as error:
        raise NsocError(f"{path} is not a whole pcap or pcapng capture of Ethernet frames ({error})") from error
    if not packets:
        raise NsocError(f"the capture {path} holds no frame for the SoC; give another file")
    return packets


def read_frames(path: Path) -> list[bytes]:
    """The bytes of what read() gives."""
    return [packet.data for packet in read(path)]


def _pcap_packets(data: bytes) -> Iterator[Packet]:
    orders = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
    if data[:4] not in orders:
        raise ValueError("unknown file type")
    order = orders[data[:4]]
    unit_ps = 1000 if 0x3C in data[:4] else 10**6  # the magic number of nanoseconds
    if struct.unpack_from(f"{order}I", data, 20)[0] & 0xFFFF != _LINKTYPE_ETHERNET:
        raise ValueError("not Ethernet")
    at = 24
    while at < len(data):
        seconds, fraction, size = struct.unpack_from(f"{order}III", data, at)
        yield Packet(seconds * _PS_PER_S + fraction * unit_ps, True, _slice(data, at + 16, size))
        at += 16 + size


def _pcapng_packets(data: bytes) -> Iterator[Packet]:
    at, order = 0, "<"
    units_ps: list[float] = []  # of a stamp, by interface
    while at < len(data):
        if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            units_ps = []
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if length < 12 or length % 4:
            raise ValueError("damaged block")
        body = _slice(data, at, length)[8:-4]
        if kind == 1:
            if struct.unpack_from(f"{order}H", body)[0] != _LINKTYPE_ETHERNET:
                raise ValueError("not Ethernet")
            resolution = _options(body[8:], order).get(9, b"\x06")[0]
            units_ps.append(_PS_PER_S / (2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution))
        if kind == 6:
            interface, high, low, size = struct.unpack_from(f"{order}IIII", body)
            flags = _options(body[20 + size + -size % 4 :], order).get(2, bytes(4))
            if struct.unpack(f"{order}I", flags)[0] & 3 != _OUTBOUND:
                if interface >= len(units_ps):
                    raise ValueError("a frame of an unknown interface")
                time_ps = round((high << 32 | low) * units_ps[interface])
                yield Packet(time_ps, True, _slice(body, 20, size))
        at += length


def _options(data: bytes, order: str) -> dict[int, bytes]:
    """The options of a block by code, of each the last."""
    options: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        code, size = struct.unpack_from(f"{order}HH", data, at)
        options[code] = _slice(data, at + 4, size)
        at += 4 + size + -size % 4
    return options


def _slice(data: bytes, start: int, size: int) -> bytes:
    part = data[start : start + size]
    if len(part) < size:
        raise ValueError("it ends in the middle of a frame")
    return part
