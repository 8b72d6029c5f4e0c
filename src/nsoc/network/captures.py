# SPDX-License-Identifier: Apache-2.0
"""Capture files, record by record, as they are: pcap by its specification, pcapng by python-pcapng.

The lower half of python-pcapng is used. Its scanner decodes each option of each block, ends in silence where a block is
cut, and gives times as floats; here options stay bytes, and times come from the integers in the file.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ETHERNET, USER = 1, 147
"""Link types: of frames; of what only the program that wrote it knows."""
FACTS = "nsoc"
"""Name of the interface, of link type USER, with what a session's record has besides frames."""
INBOUND, OUTBOUND = 1, 2
"""The direction in the flags of a packet."""
CRC_ERROR = 1 << 24
SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, PACKET = 0x0A0D0D0A, 1, 2, 3, 6
"""Block types of pcapng."""

_PS_PER_S = 10**12
_PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 10**6), b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\x4d\x3c\xb2\xa1": ("<", 10**3), b"\xa1\xb2\x3c\x4d": (">", 10**3),
}  # fmt: skip
"""Byte order, and picoseconds of a fraction's unit, by the magic number."""
_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
"""The byte order of a section of pcapng, by its magic number."""
_FCS_GIVEN = 1 << 26
_COMMENT, _NAME, _FLAGS, _RESOLUTION, _FCS_LENGTH, _OFFSET = 1, 2, 2, 9, 13, 14
"""Options of packets, and of interfaces."""


class Damaged(ValueError):
    """A file, or a place in it, that is no capture."""


class Cut(Damaged):
    """A file that ends in the middle of a record, as one that is being written may."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a capture."""

    link_type: int
    interface: str
    """Its name; empty where there is none."""
    time_ps: int | None
    """None: it has no time (Simple Packet Block). Those of other programs often count from 1970."""
    flags: int
    """A packet's option 2 in pcapng; 0: none."""
    data: bytes
    length: int
    """Bytes that were on the line, with FCS where the capture has one; of a truncated record more than in `data`."""
    fcs_bytes: int
    """So many of these are the FCS."""
    comment: str


def records(data: bytes) -> Iterator[Record]:
    """All records of a file, in its order. Raises Damaged where it is no capture, or none any more."""
    return _pcapng_records(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else _pcap_records(data)


def _pcap_records(data: bytes) -> Iterator[Record]:
    if data[:4] not in _PCAP:
        raise Damaged("unknown file type")
    order, unit_ps = _PCAP[data[:4]]
    link = _unpacked(f"{order}I", data, 20)[0]
    # The upper bits say how many 16-bit words of FCS each record has.
    fcs_bytes = 2 * (link >> 28) if link & _FCS_GIVEN else 0
    at = 24
    while at < len(data):
        seconds, fraction, captured, length = _unpacked(f"{order}IIII", data, at)
        body = _slice(data, at + 16, captured)
        time_ps = seconds * _PS_PER_S + fraction * unit_ps
        yield Record(link & 0xFFFF, "", time_ps, 0, body, max(length, captured), fcs_bytes, "")
        at += 16 + captured


@dataclass(frozen=True, slots=True)
class _Interface:
    link_type: int
    name: str
    longest: int
    """Bytes of a record; 0: any."""
    resolution: int
    """As option 9 has it."""
    offset_s: int
    fcs_bytes: int

    def time_ps(self, ticks: int) -> int:
        if self.resolution & 0x80:
            passed_ps = ticks * _PS_PER_S >> (self.resolution & 0x7F)
        else:
            passed_ps = ticks * _PS_PER_S // 10**self.resolution
        return self.offset_s * _PS_PER_S + passed_ps


def _pcapng_records(data: bytes) -> Iterator[Record]:
    # Only who reads such a file waits for it.
    from pcapng import blocks, exceptions, structs  # type: ignore[import-untyped]

    schemas = {
        kind.magic_number: [field for field in kind.schema if field[0] != "options"]
        for kind in (blocks.InterfaceDescription, blocks.EnhancedPacket, blocks.ObsoletePacket)
    }
    interfaces: list[_Interface] = []
    try:
        for kind, order, body in _blocks(data):
            stream = io.BytesIO(body)
            if kind == SECTION:
                interfaces = []
            elif kind == SIMPLE_PACKET:
                yield _simple_packet(body, order, interfaces)
            elif kind in schemas:
                fields = structs.struct_decode(schemas[kind], stream, order)
                options = dict(structs.read_options(stream, order)) if body[stream.tell() :] else {}
                if kind == INTERFACE:
                    interfaces.append(_interface(fields, options, order))
                else:
                    yield _packet(fields, options, order, interfaces)
    except exceptions.PcapngException as problem:
        raise Damaged(str(problem)) from problem
    except struct.error as problem:
        raise Damaged("an option of another size") from problem


def _blocks(data: bytes) -> Iterator[tuple[int, str, bytes]]:
    """Type, byte order and body of each block."""
    from pcapng import structs

    stream, order = io.BytesIO(data), "<"
    while (at := stream.tell()) < len(data):
        section = data[at : at + 4] == b"\x0a\x0d\x0d\x0a"
        if section:
            order = _ORDERS.get(_slice(data, at + 8, 4), "")
            if not order:
                raise Damaged("unknown byte order")
        kind, length = _unpacked(f"{order}II", data, at)
        if length < 12 or length % 4:
            raise Damaged("a block of another length")
        _slice(data, at, length)
        stream.seek(at + 4)
        if section:
            yield kind, order, structs.read_section_header(stream)["data"]
        else:
            yield kind, order, structs.read_block_data(stream, order)


def _interface(fields: dict[str, Any], options: dict[int, bytes], order: str) -> _Interface:
    return _Interface(
        fields["link_type"],
        options.get(_NAME, b"").decode(errors="replace"),
        fields["snaplen"],
        struct.unpack("B", options.get(_RESOLUTION, b"\x06"))[0],
        struct.unpack(f"{order}q", options.get(_OFFSET, bytes(8)))[0],
        struct.unpack("B", options.get(_FCS_LENGTH, bytes(1)))[0],
    )


def _packet(fields: dict[str, Any], options: dict[int, bytes], order: str, interfaces: list[_Interface]) -> Record:
    interface = _of(interfaces, fields["interface_id"])
    (flags,) = struct.unpack(f"{order}I", options.get(_FLAGS, bytes(4)))
    data = fields["packet_data"]
    return Record(
        interface.link_type,
        interface.name,
        interface.time_ps(fields["timestamp_high"] << 32 | fields["timestamp_low"]),
        flags,
        data,
        max(fields["packet_len"], len(data)),
        flags >> 5 & 0xF or interface.fcs_bytes,
        options.get(_COMMENT, b"").decode(errors="replace"),
    )


def _simple_packet(body: bytes, order: str, interfaces: list[_Interface]) -> Record:
    interface = _of(interfaces, 0)
    length = int.from_bytes(body[:4], "little" if order == "<" else "big")
    captured = min(length, interface.longest or length)
    if len(body) < 4 + captured:
        raise Damaged("a frame that is longer than its block")
    data = body[4 : 4 + captured]
    return Record(interface.link_type, interface.name, None, 0, data, length, interface.fcs_bytes, "")


def _of(interfaces: list[_Interface], number: int) -> _Interface:
    if number >= len(interfaces):
        raise Damaged("a frame of an unknown interface")
    return interfaces[number]


def _unpacked(form: str, data: bytes, at: int) -> tuple[int, ...]:
    return struct.unpack(form, _slice(data, at, struct.calcsize(form)))


def _slice(data: bytes, start: int, size: int) -> bytes:
    part = data[start : start + size]
    if len(part) < size:
        raise Cut("it ends in the middle of a record")
    return part
