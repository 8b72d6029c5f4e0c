# SPDX-License-Identifier: Apache-2.0
"""TCP's segments as bytes (RFC 9293, section 3.1; options of RFC 7323)."""

import struct
from dataclasses import dataclass

from nsoc.network.inet.packet import TCP, TCP_BYTES, Packet, checksum, pseudo_header

MODULUS = 1 << 32
_HEADER = struct.Struct("!HHIIBBHHH")
_EOL, _NOP, _MSS, _SCALE, _TIMESTAMPS = 0, 1, 2, 3, 8
LARGEST_SCALE = 14
TIMESTAMPS_BYTES = 12
"""With the padding that aligns it."""


class Flag:
    """Control bits."""

    FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32


@dataclass(slots=True)
class Segment:
    """Sequence numbers are modulo 2^32; the window is as it stands in the header, not scaled."""

    sequence: int
    ack: int
    flags: int
    window: int = 0
    payload: bytes = b""
    mss: int | None = None
    scale: int | None = None
    timestamps: tuple[int, int] | None = None
    """Value, and the echo of the other's."""

    @property
    def length(self) -> int:
        """In sequence numbers."""
        return len(self.payload) + bool(self.flags & Flag.SYN) + bool(self.flags & Flag.FIN)

    def encode(self, source: tuple[bytes, int], destination: tuple[bytes, int]) -> bytes:
        """Addresses are IPv4 address and port."""
        options = b"" if self.mss is None else struct.pack("!BBH", _MSS, 4, self.mss)
        if self.scale is not None:
            options += bytes((_NOP, _SCALE, 3, self.scale))
        if self.timestamps is not None:
            options += struct.pack("!BBBBII", _NOP, _NOP, _TIMESTAMPS, 10, *self.timestamps)
        head = _HEADER.pack(
            source[1], destination[1], self.sequence % MODULUS, self.ack % MODULUS, (TCP_BYTES + len(options)) << 2,
            self.flags, self.window, 0, 0,
        )  # fmt: skip
        pseudo = pseudo_header(source[0], destination[0], TCP, len(head) + len(options) + len(self.payload))
        total = checksum(b"".join((pseudo, head, options, self.payload)))
        return b"".join((head[:16], total.to_bytes(2), head[18:], options, self.payload))


def decode(packet: Packet) -> tuple[int, int, Segment] | str:
    """Source port, destination port, and the segment."""
    data = packet.payload
    if len(data) < TCP_BYTES:
        return "tcp_short"
    source, destination, sequence, ack, offset, flags, window, _, _ = _HEADER.unpack_from(data)
    begin = 4 * (offset >> 4)
    if not TCP_BYTES <= begin <= len(data):
        return "tcp_malformed"
    if checksum(pseudo_header(packet.source, packet.destination, TCP, len(data)) + data):
        return "tcp_checksum"
    segment = Segment(sequence, ack, flags & 63, window, data[begin:])
    if begin > TCP_BYTES:
        _take_options(segment, data[TCP_BYTES:begin])
    return source, destination, segment


def _take_options(segment: Segment, options: bytes) -> None:
    """Those that are known and have their length; nothing behind one whose length cannot be."""
    at = 0
    while at < len(options) and options[at] != _EOL:
        if options[at] == _NOP:
            at += 1
            continue
        length = options[at + 1] if at + 1 < len(options) else 0
        if length < 2 or at + length > len(options):
            return
        kind, value = options[at], options[at + 2 : at + length]
        if kind == _TIMESTAMPS and length == 10:
            segment.timestamps = int.from_bytes(value[:4]), int.from_bytes(value[4:])
        elif segment.flags & Flag.SYN:
            if kind == _MSS and length == 4:
                segment.mss = int.from_bytes(value)
            elif kind == _SCALE and length == 3:
                segment.scale = min(value[0], LARGEST_SCALE)
        at += length
