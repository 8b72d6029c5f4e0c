# SPDX-License-Identifier: Apache-2.0
"""Segments as bytes: what `tcp_rx` takes apart and what `tcp_tx` puts together."""

import struct

from nsoc.network.inet.packet import TCP, checksum, pseudo_header
from tcp.events import Arrival, Flag, Send

_HEADER = struct.Struct("!HHIIBBHHH")
HEADER_BYTES = _HEADER.size
_EOL, _NOP, _MSS, _SCALE, _SACK_PERMITTED, _SACK, _STAMP = 0, 1, 2, 3, 4, 5, 8
_LENGTHS = {_MSS: 4, _SCALE: 3, _SACK_PERMITTED: 2, _STAMP: 10}

Parsed = tuple[int, int, Arrival, bytes]
"""Source port, destination port, what the core sees, payload."""


def parse(data: bytes, source: bytes, destination: bytes) -> Parsed | str:
    """A segment, or why there is none."""
    if len(data) < HEADER_BYTES:
        return "short"
    from_port, to_port, seq, ack, offset, flags, window, _, urgent = _HEADER.unpack_from(data)
    begin = offset >> 4 << 2
    if not HEADER_BYTES <= begin <= len(data):
        return "offset"
    if checksum(pseudo_header(source, destination, TCP, len(data)) + data):
        return "checksum"
    options = parse_options(data[HEADER_BYTES:begin], syn=bool(flags & Flag.SYN))
    payload = data[begin:]
    return from_port, to_port, Arrival(seq, ack, flags & 63, window, len(payload), urgent, *options), payload


def parse_options(
    data: bytes, *, syn: bool
) -> tuple[int | None, int | None, bool, tuple[int, int] | None, tuple[tuple[int, int], ...]]:
    """MSS, scale, SACK permitted, timestamps, blocks. What is behind an impossible length is not looked at."""
    mss = scale = stamp = None
    permitted = False
    blocks: tuple[tuple[int, int], ...] = ()
    at = 0
    while at < len(data) and data[at] != _EOL:
        kind = data[at]
        if kind == _NOP:
            at += 1
            continue
        length = data[at + 1] if at + 1 < len(data) else 0
        if length < 2 or at + length > len(data):
            break
        value = data[at + 2 : at + length]
        if length == _LENGTHS.get(kind):
            if kind == _STAMP:
                stamp = struct.unpack("!II", value)
            elif syn and kind == _MSS:
                mss = int.from_bytes(value)
            elif syn and kind == _SCALE:
                scale = value[0]
            elif syn and kind == _SACK_PERMITTED:
                permitted = True
        elif kind == _SACK and length >= 10 and (length - 2) % 8 == 0 and not syn:
            ends = struct.unpack(f"!{(length - 2) // 4}I", value)
            blocks = tuple(zip(ends[::2], ends[1::2], strict=True))
        at += length
    return mss, scale, permitted, stamp, blocks


def build(send: Send, source: tuple[bytes, int], destination: tuple[bytes, int], payload: bytes) -> bytes:
    """The segment that the core wants; ends are address and port."""
    options = b""
    if send.mss is not None:
        options += struct.pack("!BBH", _MSS, 4, send.mss)
    if send.scale is not None:
        options += bytes((_NOP, _SCALE, 3, send.scale))
    if send.sack_permitted:
        options += bytes((_NOP, _NOP, _SACK_PERMITTED, 2))
    if send.stamp is not None:
        options += struct.pack("!BBBBII", _NOP, _NOP, _STAMP, 10, *send.stamp)
    if send.sack:
        options += bytes((_NOP, _NOP, _SACK, 2 + 8 * len(send.sack)))
        options += b"".join(struct.pack("!II", *block) for block in send.sack)
    assert len(options) <= 40 and len(payload) == send.length
    offset = (HEADER_BYTES + len(options)) << 2
    head = _HEADER.pack(source[1], destination[1], send.seq, send.ack, offset, send.flags, send.window, 0, send.urgent)
    whole = head + options + payload
    total = checksum(pseudo_header(source[0], destination[0], TCP, len(whole)) + whole)
    return whole[:16] + total.to_bytes(2) + whole[18:]
