# SPDX-License-Identifier: Apache-2.0
"""What an Ethernet MAC should make of GMII symbols, written on whole frames and with zlib's CRC."""

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

PREAMBLE = b"\x55" * 7 + b"\xd5"
DV, ER = 0x100, 0x200


def fcs(frame: bytes) -> bytes:
    return struct.pack("<I", zlib.crc32(frame))


def on_wire(frame: bytes) -> bytes:
    """The bytes of a carrier event that carries `frame`, which is long enough not to be padded."""
    return PREAMBLE + frame + fcs(frame)


def symbols(event: bytes, gap: int = 12, errors: Iterable[int] = ()) -> list[int]:
    """A carrier event as GMII symbols with `gap` idle ones behind it; `errors` are indices of bytes with rx_er."""
    out = [DV | byte for byte in event] + [0] * gap
    for index in errors:
        out[index] |= ER
    return out


@dataclass
class Event:
    start: int  # index of its first symbol
    end: int  # index of the symbol behind it
    cause: str  # what a MAC with room and enabled says of it
    frame: bytes  # what it delivers when that is "good"
    sfd: int  # index of the SFD, or -1


def carrier_events(stream: list[int], max_bytes: int) -> list[Event]:
    """Find and judge the carrier events of a symbol stream."""
    events = []
    at, n = 0, len(stream)
    while at < n:
        if not stream[at] & DV:
            at += 1
            continue
        end = at
        while end < n and stream[end] & DV:
            end += 1
        run = stream[at:end]
        data = bytes(symbol & 0xFF for symbol in run)
        head, sfd, body = data.partition(b"\xd5")
        frame = b""
        if any(symbol & ER for symbol in run) or not sfd or not head or head.strip(b"\x55"):
            cause = "error"
        elif len(body) > max_bytes:
            cause = "oversize"
        elif len(body) < 64:
            cause = "runt"
        elif fcs(body[:-4]) != body[-4:]:
            cause = "fcs"
        else:
            cause, frame = "good", body[:-4]
        events.append(Event(at, end, cause, frame, at + len(head) if sfd else -1))
        at = end
    return events


@dataclass
class Sent:
    start: int  # index of the first preamble byte
    end: int  # index behind the last FCS byte
    frame: bytes  # without preamble and FCS, with padding


def sent_frames(stream: Iterable[int]) -> list[Sent]:
    """Take apart what a transmitter put on GMII, and check what every frame must have."""
    stream = list(stream)
    assert not any(symbol & ER for symbol in stream)
    out: list[Sent] = []
    for event in carrier_events(stream, 1 << 30):
        assert event.cause == "good", f"frame {len(out)} on GMII TX: {event.cause}"
        assert event.sfd - event.start == 7
        assert not out or event.start - out[-1].end >= 12, "gap too short"
        out.append(Sent(event.start, event.end, event.frame))
    return out


def padded(frame: bytes) -> bytes:
    return frame.ljust(60, b"\0")
