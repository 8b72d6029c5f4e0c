# SPDX-License-Identifier: Apache-2.0
"""The messages of the numbered format, to bytes and back. docs/protocol.md says what they are for.

After the 14-byte Ethernet header, big-endian: u8 type, u8 flags, u16 length of the body, u32 transfer, u32 serial,
u32 number, u32 CRC-32 of the body and of the 16 bytes before, then the body.
"""

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum, StrEnum, auto

from nsoc.network.ethernet import HEADER_BYTES, LONGEST, SHORTEST
from nsoc.transfer.published import ETHERTYPE

MESSAGE_HEADER_BYTES = 20
MAX_BODY_BYTES = LONGEST - HEADER_BYTES - MESSAGE_HEADER_BYTES
PACKET_BYTES = MAX_BODY_BYTES
"""Bytes of the transfer in each packet but the last."""
MAX_NAME_BYTES = 255
MAX_TRANSFER_BYTES = 0xFFFF_FFFF
BITMAP_WORDS = 32
WINDOW = 32 * BITMAP_WORDS
"""So many packets fit into the bitmap of a Progress."""
NOBODY = bytes(6)
"""The station of an Open that is for the addressee itself."""

_HEADER = struct.Struct(">BBHIII")
_CRC = struct.Struct(">I")
_OPEN = struct.Struct(">6sH")
_ACCEPT = struct.Struct(">IHH")
_PROGRESS = struct.Struct(">IIHH")
_FINISH = struct.Struct(">II")
_RESULT = struct.Struct(">III")
_ETHERTYPE_BYTES = ETHERTYPE.to_bytes(2, "big")


class Kind(IntEnum):
    """The type byte."""

    OPEN = 0x10
    ACCEPT = 0x11
    REFUSE = 0x12
    DATA = 0x13
    PROGRESS = 0x14
    FINISH = 0x15
    RESULT = 0x16
    CANCEL = 0x17


class Refusal(IntEnum):
    """Why an Open is refused."""

    BUSY = 1
    TOO_LARGE = 2
    NOT_FOUND = 3
    NUMBER_IN_USE = 4
    NO_SUCH_STATION = 5
    NOTHING_TO_SERVE = 6
    CANNOT_BE_STORED = 7


class Outcome(IntEnum):
    """What a Result says."""

    DELIVERED = 0
    DIGEST_DIFFERS = 1
    NOT_STORED = 2


class Cancellation(IntEnum):
    """Why a transfer is cancelled."""

    UNKNOWN = 1
    GIVEN_UP = 2
    STOPPED = 3
    CONTRADICTION = 4


@dataclass(frozen=True, slots=True)
class Open:
    """Asks for a transfer: a put of `total` bytes, or a get of what `name` names."""

    transfer: int
    serial: int
    get: bool = False
    total: int = 0
    station: bytes = NOBODY
    credit: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Accept:
    """The transfer may begin; `boot` is the number that its sender drew when it started."""

    transfer: int
    serial: int
    total: int
    boot: int
    credit: int = 0


@dataclass(frozen=True, slots=True)
class Refuse:
    """There will be no transfer; `reason` is a `Refusal`, or a number that is not known yet."""

    transfer: int
    serial: int
    reason: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Packet:
    """Data: packet `number` of the transfer, sent as the `serial`th."""

    transfer: int
    serial: int
    number: int
    payload: bytes
    answer: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """What has arrived: all packets below `next`, and packet (next & ~31) + i for each bit i of `bitmap`."""

    transfer: int
    serial: int
    next: int
    boot: int
    seen: int
    credit: int
    bitmap: int = 0


@dataclass(frozen=True, slots=True)
class Finish:
    """All packets have been sent: so many, so many bytes, with this CRC-32."""

    transfer: int
    serial: int
    packets: int
    total: int
    digest: int


@dataclass(frozen=True, slots=True)
class Result:
    """The end, from the receiver; `outcome` is an `Outcome`."""

    transfer: int
    serial: int
    outcome: int
    packets: int
    boot: int
    total: int
    digest: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """The end before it is done, from either; `reason` is a `Cancellation`."""

    transfer: int
    serial: int
    reason: int
    text: str = ""


Message = Open | Accept | Refuse | Packet | Progress | Finish | Result | Cancel


class Reject(StrEnum):
    """Why a frame is no message of the numbered format."""

    OTHER_ETHERTYPE = auto()
    TRUNCATED = auto()
    UNKNOWN_TYPE = auto()
    BAD_LENGTH = auto()
    BAD_CRC = auto()


def encode(message: Message, header: bytes) -> bytes:
    """The whole frame, padded to 60 bytes, without FCS; `header` is what `ethernet_header` gave.

    Raises ValueError for a body that is too long, struct.error for a number that does not fit its field.
    """
    flags = number = 0
    match message:
        case Open(_, _, get, number, station, credit, name):
            kind, flags, body = Kind.OPEN, int(get), _OPEN.pack(station, credit) + name.encode()
            if len(body) > _OPEN.size + MAX_NAME_BYTES:
                raise ValueError(f"a transfer's name has at most {MAX_NAME_BYTES} bytes in UTF-8: {name}")
        case Accept(_, _, number, boot, credit):
            kind, body = Kind.ACCEPT, _ACCEPT.pack(boot, credit, 0)
        case Refuse(_, _, flags, text):
            kind, body = Kind.REFUSE, text.encode()
        case Packet(_, _, number, body, answer):
            kind, flags = Kind.DATA, int(answer)
        case Progress(_, _, number, boot, seen, credit, bitmap):
            words = -(-bitmap.bit_length() // 32)
            numbers = struct.unpack(f"<{words}I", bitmap.to_bytes(4 * words, "little"))
            kind, body = Kind.PROGRESS, _PROGRESS.pack(boot, seen, credit, words) + struct.pack(f">{words}I", *numbers)
        case Finish(_, _, number, total, digest):
            kind, body = Kind.FINISH, _FINISH.pack(total, digest)
        case Result(_, _, flags, number, boot, total, digest):
            kind, body = Kind.RESULT, _RESULT.pack(boot, total, digest)
        case Cancel(_, _, flags, text):
            kind, body = Kind.CANCEL, text.encode()
    if len(body) > MAX_BODY_BYTES:
        raise ValueError(f"a message has at most {MAX_BODY_BYTES} bytes behind its header, not {len(body)}")
    start = _HEADER.pack(kind, flags, len(body), message.transfer, message.serial, number)
    crc = zlib.crc32(start, zlib.crc32(body))
    return b"".join((header, start, _CRC.pack(crc), body)).ljust(SHORTEST, b"\0")


def decode(frame: bytes) -> Message | Reject:
    """What a frame (no FCS) says, or why it says nothing. Bytes after a message are padding."""
    if frame[12:14] != _ETHERTYPE_BYTES:
        return Reject.OTHER_ETHERTYPE if len(frame) >= HEADER_BYTES else Reject.TRUNCATED
    if len(frame) <= HEADER_BYTES:
        return Reject.TRUNCATED
    if frame[HEADER_BYTES] not in _DECODERS:
        return Reject.UNKNOWN_TYPE
    at = HEADER_BYTES + MESSAGE_HEADER_BYTES
    if len(frame) < at:
        return Reject.TRUNCATED
    kind, flags, length, transfer, serial, number = _HEADER.unpack_from(frame, HEADER_BYTES)
    body = frame[at : at + length]
    if len(body) < length or length > MAX_BODY_BYTES:
        return Reject.BAD_LENGTH
    crc = zlib.crc32(frame[HEADER_BYTES : at - _CRC.size], zlib.crc32(body))
    if crc != _CRC.unpack_from(frame, at - _CRC.size)[0]:
        return Reject.BAD_CRC
    return _DECODERS[kind](transfer, serial, flags, number, body) or Reject.BAD_LENGTH


# One for each type: the message, or None when its body has not the length that it must have.


def _open(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Open | None:
    if not 0 <= len(body) - _OPEN.size <= MAX_NAME_BYTES:
        return None
    station, credit = _OPEN.unpack_from(body)
    return Open(transfer, serial, bool(flags & 1), number, station, credit, _text(body[_OPEN.size :]))


def _accept(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Accept | None:
    if len(body) != _ACCEPT.size:
        return None
    boot, credit, _ = _ACCEPT.unpack(body)
    return Accept(transfer, serial, number, boot, credit)


def _refuse(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Refuse:
    return Refuse(transfer, serial, flags, _text(body))


def _packet(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Packet | None:
    return Packet(transfer, serial, number, body, bool(flags & 1)) if body else None


def _progress(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Progress | None:
    if len(body) < _PROGRESS.size:
        return None
    boot, seen, credit, words = _PROGRESS.unpack_from(body)
    if words > BITMAP_WORDS or len(body) != _PROGRESS.size + 4 * words:
        return None
    bitmap = struct.pack(f"<{words}I", *struct.unpack_from(f">{words}I", body, _PROGRESS.size))
    return Progress(transfer, serial, number, boot, seen, credit, int.from_bytes(bitmap, "little"))


def _finish(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Finish | None:
    return Finish(transfer, serial, number, *_FINISH.unpack(body)) if len(body) == _FINISH.size else None


def _result(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Result | None:
    return Result(transfer, serial, flags, number, *_RESULT.unpack(body)) if len(body) == _RESULT.size else None


def _cancel(transfer: int, serial: int, flags: int, number: int, body: bytes) -> Cancel:
    return Cancel(transfer, serial, flags, _text(body))


def _text(body: bytes) -> str:
    """What is no UTF-8 is shown as such: a sentence for people is no reason to drop a message."""
    return body.decode(errors="replace")


_DECODERS = {
    Kind.OPEN: _open,
    Kind.ACCEPT: _accept,
    Kind.REFUSE: _refuse,
    Kind.DATA: _packet,
    Kind.PROGRESS: _progress,
    Kind.FINISH: _finish,
    Kind.RESULT: _result,
    Kind.CANCEL: _cancel,
}
