# SPDX-License-Identifier: Apache-2.0
"""Captures: a pcapng writer with nanosecond stamps (Scapy's truncates to microseconds), one interface for each
direction; and a reader that gives the frames of any pcap or pcapng file."""

import contextlib
import os
import struct
import warnings
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.network import captures
from nsoc.network.captures import CRC_ERROR, ETHERNET, FACTS, INBOUND, INTERFACE, OUTBOUND, PACKET, SECTION, USER

__all__ = ["Packet", "Writer", "read", "read_frames", "write"]

CAPTURE = (("host to SoC", ETHERNET), ("SoC to host", ETHERNET))
_FCS_BYTES, _SHORTEST = 4, 60


@public
@dataclass(frozen=True, slots=True)
class Packet:
    """A frame on the GMII pins of the SoC, without preamble and FCS."""

    time_ps: int
    """Simulated time of the first byte of the destination address; of other programs' captures often since 1970."""
    to_soc: bool
    data: bytes
    bad_fcs: bool = False
    comment: str = ""
    timed: bool = True
    """False: the capture has no time for it (a Simple Packet Block), and `time_ps` is 0."""


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def _block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


@public
class Writer:
    """A file that gets packets one by one. `interfaces`: name and link type of each. Raises OSError.

    All of a packet goes to the file at once: another program may open it at any time.
    """

    def __init__(self, path: str | os.PathLike[str], interfaces: Sequence[tuple[str, int]]) -> None:
        self._interfaces = len(interfaces)
        self._file = Path(path).open("wb")  # noqa: SIM115 (it lives as long as the writer)
        head = _block(SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        for name, link_type in interfaces:
            options = _option(2, name.encode()) + _option(9, b"\x09") + _option(0, b"")  # if_name; if_tsresol: 10^-9
            head += _block(INTERFACE, struct.pack("<HHI", link_type, 0, 0) + options)
        try:
            self._put(head)
        except OSError:
            with contextlib.suppress(OSError):
                self._file.close()
            raise

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
        self._put(_block(PACKET, head + data + bytes(-len(data) % 4) + options + _option(0, b"")))

    def frame(self, packet: Packet) -> None:
        """A frame of a capture whose interfaces are CAPTURE."""
        flags = (INBOUND if packet.to_soc else OUTBOUND) | (CRC_ERROR if packet.bad_fcs else 0)
        self.packet(0 if packet.to_soc else 1, packet.time_ps, packet.data, flags, packet.comment)

    def _put(self, block: bytes) -> None:
        self._file.write(block)
        self._file.flush()

    def flush(self) -> None:
        """What was written stays, whatever happens then: so it is after each packet."""
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
def read(
    path: str | os.PathLike[str], *, truncated: Literal["skip", "pad"] = "skip", both_ways: bool = False
) -> list[Packet]:
    """The frames of a capture for the SoC, by time: all of a pcap file, of a pcapng those not marked as outbound.

    An FCS in the capture is checked and taken off. Records that have not all of their frame, or nothing of it, are left
    out with a warning; `truncated="pad"` fills them up with zeros. `both_ways`: also the outbound frames.

    Raises NsocError when the file cannot be read or is no Ethernet capture.
    """
    capture = load(path, truncated=truncated, both_ways=both_ways)
    capture.warn('truncated="pad"')
    return capture.packets


@public
def read_frames(path: str | os.PathLike[str], *, truncated: Literal["skip", "pad"] = "skip") -> list[bytes]:
    """The bytes of what read() gives."""
    capture = load(path, truncated=truncated)
    capture.warn('truncated="pad"')
    return [packet.data for packet in capture.packets]


@dataclass
class Capture:
    """What a file gave, and what is to be said about it."""

    path: Path
    packets: list[Packet] = field(default_factory=list)
    """By time, where all have one."""
    pads: bool = False
    """Incomplete records are in `packets`, filled up."""
    records: int = 0
    truncated: int = 0
    """Records that have not all of their frame ..."""
    empty: int = 0
    """... or nothing of it."""
    backwards: int = 0
    """Records that have an earlier time than the one before."""
    cut: bool = False
    """The file ends in the middle of a record."""

    def remarks(self, way_out: str) -> str:
        """What is not as one would think; empty where there is nothing. `way_out` sends what is left out."""
        said = []
        if self.truncated or self.empty:
            counts = [f"{n} {what}" for n, what in ((self.truncated, "truncated"), (self.empty, "empty")) if n]
            some = f"{self.truncated + self.empty} of {self.records} records"
            done = "filled up with zeros" if self.pads else "left out"
            way = "" if self.pads else f"; {way_out} sends them"
            said.append(f"{some} {done} ({', '.join(counts)}{way})")
        if self.backwards:
            said.append(f"time runs backwards at {self.backwards} of {self.records} records: sorted")
        if self.cut:
            said.append("it ends in the middle of a record, which is left out")
        return ", ".join(said)

    def note(self, way_out: str) -> str:
        """The same in a line of its own, with the name of the file."""
        remarks = self.remarks(way_out)
        return remarks and f"{self.path}: {remarks}"

    def warn(self, way_out: str) -> None:
        """The note as a warning about the line that called the public function which calls this."""
        note = self.note(way_out)
        if note:
            warnings.warn(note, stacklevel=4)  # behind this, the public function, and what checks its arguments

    def check_timed(self, way_out: str) -> None:
        """Raises NsocError where a frame has no time."""
        if not all(packet.timed for packet in self.packets):
            raise NsocError(f"{self.path} has frames without a time (Simple Packet Blocks): {way_out}")


def load(
    path: str | os.PathLike[str], *, truncated: Literal["skip", "pad"] = "skip", both_ways: bool = False,
    way_out: str = 'truncated="pad"',
) -> Capture:  # fmt: skip
    """As read(), with what is to be said about the file."""
    capture = Capture(Path(path), pads=truncated == "pad")
    try:
        data = capture.path.read_bytes()
    except OSError as error:
        raise NsocError(f"cannot read the capture {path} ({error.strerror}); give a pcap or pcapng file") from error
    before_ps: int | None = None
    try:
        for record in captures.records(data):
            _check_ethernet(record)
            if record.link_type != ETHERNET or (record.flags & 3 == OUTBOUND and not both_ways):
                continue
            _add(capture, record)
            if record.time_ps is not None and before_ps is not None and record.time_ps < before_ps:
                capture.backwards += 1
            before_ps = record.time_ps
    except captures.Cut:
        capture.cut = True
    except captures.Damaged as error:
        raise NsocError(f"{path} is not a whole pcap or pcapng capture of Ethernet frames ({error})") from error
    if not capture.packets:
        remarks = capture.remarks(way_out)
        why = f" ({remarks})" if remarks else ""
        raise NsocError(f"the capture {path} holds no frame for the SoC{why}; give another file")
    if all(packet.timed for packet in capture.packets):
        capture.packets.sort(key=lambda packet: packet.time_ps)
    return capture


def _check_ethernet(record: captures.Record) -> None:
    if record.link_type != ETHERNET and (record.link_type, record.interface) != (USER, FACTS):
        raise captures.Damaged(f"a record of link type {record.link_type}")
    if record.fcs_bytes not in (0, _FCS_BYTES):
        raise captures.Damaged(f"an FCS of {record.fcs_bytes} bytes")


def _add(capture: Capture, record: captures.Record) -> None:
    """What a record says of a frame."""
    capture.records += 1
    size = max(0, record.length - record.fcs_bytes)
    data, fcs = record.data[:size], record.data[size:]
    bad_fcs = bool(record.flags & CRC_ERROR)
    if len(fcs) == _FCS_BYTES:
        bad_fcs |= zlib.crc32(data).to_bytes(_FCS_BYTES, "little") != fcs
    if not data or len(data) < size:
        capture.empty += not data
        capture.truncated += bool(data)
        if not capture.pads:
            return
        data = data.ljust(size or _SHORTEST, b"\0")
    timed = record.time_ps is not None
    to_soc = record.flags & 3 != OUTBOUND
    capture.packets.append(Packet(record.time_ps or 0, to_soc, data, bad_fcs, record.comment, timed))
