# SPDX-License-Identifier: Apache-2.0
"""Captures: a pcapng writer with nanosecond stamps (Scapy's truncates to microseconds), one interface for each
direction; and a reader that gives the frames of any pcap or pcapng file."""

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc.border import public
from nsoc.errors import NsocError

__all__ = ["Packet", "Writer", "read", "read_frames", "write"]

ETHERNET, USER = 1, 147
"""Link types: of frames; of what only the program that wrote it knows."""
CAPTURE = (("host to SoC", ETHERNET), ("SoC to host", ETHERNET))
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_INBOUND, _OUTBOUND = 1, 2
_CRC_ERROR = 1 << 24
_PS_PER_S = 10**12


@public
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


@public
class Writer:
    """A file that gets packets one by one. `interfaces`: name and link type of each. Raises OSError."""

    def __init__(self, path: str | os.PathLike[str], interfaces: Sequence[tuple[str, int]]) -> None:
        self._interfaces = len(interfaces)
        self._file = Path(path).open("wb")  # noqa: SIM115 (it lives as long as the writer)
        head = _block(_SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        for name, link_type in interfaces:
            options = _option(2, name.encode()) + _option(9, b"\x09") + _option(0, b"")  # if_name; if_tsresol: 10^-9
            head += _block(_INTERFACE, struct.pack("<HHI", link_type, 0, 0) + options)
        self._file.write(head)

    def packet(self, interface: int, time_ps: int, data: bytes, flags: int = 0, comment: str = "") -> None:
        """A packet of the interface with that number. Raises NsocError for what no file can hold."""
        stamp = time_ps // 1000
        fits = (
            ("interface", interface, self._interfaces - 1),
            ("time_ps / 1000", stamp, 2**64 - 1),
            ("flags", flags, 2**32 - 1),
            ("the length of data", len(data), 2**32 - 1),
            ("the length of comment", len(comment.encode()), 2**16 - 1),
        )
        for name, value, most in fits:
            if not 0 <= value <= most:
                raise NsocError(f"{name} of a packet must be 0 to {most}, not {value}")
        options = _option(2, struct.pack("<I", flags)) if flags else b""
        if comment:
            options += _option(1, comment.encode())
        head = struct.pack("<IIIII", interface, stamp >> 32, stamp & 0xFFFF_FFFF, len(data), len(data))
        self._file.write(_block(_PACKET, head + data + bytes(-len(data) % 4) + options + _option(0, b"")))

    def frame(self, packet: Packet) -> None:
        """A frame of a capture whose interfaces are CAPTURE."""
        flags = (_INBOUND if packet.to_soc else _OUTBOUND) | (_CRC_ERROR if packet.bad_fcs else 0)
        self.packet(0 if packet.to_soc else 1, packet.time_ps, packet.data, flags, packet.comment)

    def flush(self) -> None:
        """What was written stays, whatever happens then."""
        self._file.flush()

    def close(self) -> None:
        """The file is complete."""
        self._file.close()


@public
def write(path: str | os.PathLike[str], packets: Iterable[Packet]) -> None:
    """Write `packets`, in the order of their stamps, to the file `path`. Raises OSError."""
    writer = Writer(path, CAPTURE)
    try:
        for packet in sorted(packets, key=lambda p: p.time_ps):
            writer.frame(packet)
    finally:
        writer.close()


@public
def read(path: str | os.PathLike[str]) -> list[Packet]:
    """The frames of a capture for the SoC: all of a pcap file, of a pcapng those not marked as outbound.

    Raises NsocError when the file cannot be read or is no Ethernet capture.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise NsocError(f"cannot read the capture {path} ({error.strerror}); give a pcap or pcapng file") from error
    try:
        packets = list(_pcapng_packets(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else _pcap_packets(data))
    except (struct.error, ValueError) as error:
        raise NsocError(f"{path} is not a whole pcap or pcapng capture of Ethernet frames ({error})") from error
    if not packets:
        raise NsocError(f"the capture {path} holds no frame for the SoC; give another file")
    return packets


@public
def read_frames(path: str | os.PathLike[str]) -> list[bytes]:
    """The bytes of what read() gives."""
    return [packet.data for packet in read(path)]


def _pcap_packets(data: bytes) -> Iterator[Packet]:
    orders = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
    if data[:4] not in orders:
        raise ValueError("unknown file type")
    order = orders[data[:4]]
    unit_ps = 1000 if 0x3C in data[:4] else 10**6  # the magic number of nanoseconds
    if struct.unpack_from(f"{order}I", data, 20)[0] & 0xFFFF != ETHERNET:
        raise ValueError("not Ethernet")
    at = 24
    while at < len(data):
        seconds, fraction, size = struct.unpack_from(f"{order}III", data, at)
        yield Packet(seconds * _PS_PER_S + fraction * unit_ps, True, _slice(data, at + 16, size))
        at += 16 + size


def _pcapng_packets(data: bytes) -> Iterator[Packet]:
    for link_type, flags, time_ps, frame in stamped(data):
        if link_type not in (ETHERNET, USER):
            raise ValueError("not Ethernet")
        if link_type == ETHERNET and flags & 3 != _OUTBOUND:
            yield Packet(time_ps, True, frame)


def stamped(data: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    """All packets of a pcapng file: link type, flags, picoseconds, bytes. Raises struct.error or ValueError where the
    file is damaged, or ends in the middle of a packet."""
    at, order = 0, "<"
    interfaces: list[tuple[int, float]] = []  # link type, picoseconds of a stamp's unit
    while at < len(data):
        if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if length < 12 or length % 4:
            raise ValueError("damaged block")
        body = _slice(data, at, length)[8:-4]
        if kind == _INTERFACE:
            (link_type,) = struct.unpack_from(f"{order}H", body)
            resolution = _options(body[8:], order).get(9, b"\x06")[0]
            unit_ps = _PS_PER_S / (2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution)
            interfaces.append((link_type, unit_ps))
        if kind == _PACKET:
            interface, high, low, size = struct.unpack_from(f"{order}IIII", body)
            flags = _options(body[20 + size + -size % 4 :], order).get(2, bytes(4))
            if interface >= len(interfaces):
                raise ValueError("a frame of an unknown interface")
            link_type, unit_ps = interfaces[interface]
            time_ps = round((high << 32 | low) * unit_ps)
            yield link_type, struct.unpack(f"{order}I", flags)[0], time_ps, _slice(body, 20, size)
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
