# SPDX-License-Identifier: Apache-2.0
"""The monitor's requests and answers, to bytes and back. docs/protocol.md says what they are for.

The header is that of the numbered format (nsoc.transfer.message). Its `transfer` is the session here.
"""

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum

from nsoc.network.ethernet import HEADER_BYTES, SHORTEST
from nsoc.transfer.message import MAX_BODY_BYTES, MESSAGE_HEADER_BYTES
from nsoc.transfer.published import ETHERTYPE

_HEADER = struct.Struct(">BBHIII")
_CRC = struct.Struct(">I")
_ETHERTYPE_BYTES = ETHERTYPE.to_bytes(2, "big")
ANSWER = 0x08
"""What the type byte of an answer has besides that of its request."""
CONFIRM = 1
"""Flag of a Run: its answer has come, nothing more will be asked."""


class Request(IntEnum):
    """The type byte."""

    HELLO = 0x20
    PEEK = 0x21
    POKE = 0x22
    BEGIN = 0x23
    BLOCK = 0x24
    RUN = 0x25
    COUNTERS = 0x26


_KINDS = frozenset(Request)


class Status(IntEnum):
    """The flags of an answer."""

    DONE = 0
    UNKNOWN_SESSION = 1
    MALFORMED = 2
    BUS_ERROR = 3
    OWN = 4
    OUTSIDE = 5
    BAD_ENTRY = 6
    NO_PROGRAM = 7
    INCOMPLETE = 8
    WRONG_CRC = 9


@dataclass(frozen=True, slots=True)
class Message:
    """A request (`flags` as it says) or an answer (`flags` a Status)."""

    kind: int
    session: int
    serial: int
    number: int = 0
    body: bytes = b""
    flags: int = 0


def encode(message: Message, header: bytes) -> bytes:
    """The whole frame, padded to 60 bytes, without FCS; `header` is what `ethernet_header` gave."""
    if len(message.body) > MAX_BODY_BYTES:
        raise ValueError(f"a message has at most {MAX_BODY_BYTES} bytes behind its header, not {len(message.body)}")
    fields = (message.kind, message.flags, len(message.body), message.session, message.serial, message.number)
    start = _HEADER.pack(*fields)
    crc = zlib.crc32(start, zlib.crc32(message.body))
    return b"".join((header, start, _CRC.pack(crc), message.body)).ljust(SHORTEST, b"\0")


def decode(frame: bytes) -> Message | None:
    """What a frame (no FCS) says; None when it is no whole message with the right CRC."""
    at = HEADER_BYTES + MESSAGE_HEADER_BYTES
    if len(frame) < at or frame[12:14] != _ETHERTYPE_BYTES:
        return None
    kind, flags, length, session, serial, number = _HEADER.unpack_from(frame, HEADER_BYTES)
    body = frame[at : at + length]
    crc = zlib.crc32(frame[HEADER_BYTES : at - _CRC.size], zlib.crc32(body))
    if kind & ~ANSWER not in _KINDS or len(body) < length or crc != _CRC.unpack_from(frame, at - _CRC.size)[0]:
        return None
    return Message(kind, session, serial, number, body, flags)
