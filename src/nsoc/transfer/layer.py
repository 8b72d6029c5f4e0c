# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402, RUF012 (Scapy's way to write layers)
"""Both formats as layers of Scapy: bytes to fields and back.

    from nsoc.transfer import layer
    frame = Ether(dst=peer) / layer.Open(transfer=5, number=1480, filename="picture")

Importing this module binds the layers to Ethertype 0x88B5. Length, CRC and counts are computed where none is given.
"""

import zlib
from typing import Any

from nsoc.optional import need
from nsoc.transfer.published import ETHERTYPE

need("scapy", "nsoc.transfer.layer", "test")

from scapy.fields import (
    ByteEnumField,
    ConditionalField,
    FieldLenField,
    FieldListField,
    FlagsField,
    IntField,
    MACField,
    ShortField,
    StrField,
    StrFixedLenField,
    StrLenField,
    XIntField,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet, bind_bottom_up, bind_top_down

from nsoc.transfer.message import MESSAGE_HEADER_BYTES, Cancellation, Kind, Outcome, Refusal

_OPEN_BYTES = 8
TYPES = {1: "data", 2: "summary", 3: "ack", **{kind.value: kind.name.capitalize() for kind in Kind}}


class Transfer(Packet):
    """What is bound to the Ethertype; it finds the class by the first byte."""

    name = "N-SoC transfer"
    fields_desc = [ByteEnumField("type", 0, TYPES)]

    @classmethod
    def dispatch_hook(cls, _pkt: bytes | None = None, *_: Any, **__: Any) -> type[Packet]:
        """The class of a frame's bytes."""
        return _CLASSES.get(_pkt[0], Transfer) if _pkt else cls

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes]:
        """What follows a message is padding."""
        return b"", s


class PublishedData(Transfer):
    """0x01; padding of a short frame cannot be told from data."""

    name = "N-SoC published data"
    fields_desc = [ByteEnumField("type", 1, TYPES), IntField("sequence", 0), StrField("data", b"")]


class PublishedSummary(Transfer):
    """0x02."""

    name = "N-SoC published summary"
    fields_desc = [ByteEnumField("type", 2, TYPES), IntField("packets", 0), IntField("total", 0)]


class PublishedAck(Transfer):
    """0x03, `verdict` b"OK" or b"MI"."""

    name = "N-SoC published ack"
    fields_desc = [
        ByteEnumField("type", 3, TYPES),
        StrFixedLenField("verdict", b"OK", 2),
        ConditionalField(FieldLenField("count", None, fmt="I", count_of="missing"), lambda p: p.verdict == b"MI"),
        ConditionalField(
            FieldListField("missing", [], IntField("", 0), count_from=lambda p: p.count), lambda p: p.verdict == b"MI"
        ),
    ]


def _header(kind: Kind, flags: Any) -> list[Any]:
    return [
        ByteEnumField("type", kind.value, TYPES),
        flags,
        ShortField("length", None),
        IntField("transfer", 0),
        IntField("serial", 1),
        IntField("number", 0),
        XIntField("crc", None),
    ]


def _reasons(known: Any) -> Any:
    return ByteEnumField("flags", 0, {reason.value: reason.name.lower() for reason in known})


def _text(name: str, before: int = 0) -> Any:
    return StrLenField(name, b"", length_from=lambda p: max(0, p.length - before))


class Numbered(Transfer):
    """The header of all numbered messages."""

    def post_build(self, pkt: bytes, pay: bytes) -> bytes:
        """Length and CRC, where they are not given."""
        body = pkt[MESSAGE_HEADER_BYTES:]
        start = pkt[:2] + (len(body).to_bytes(2, "big") if self.length is None else pkt[2:4]) + pkt[4:16]
        crc = zlib.crc32(start, zlib.crc32(body)).to_bytes(4, "big") if self.crc is None else pkt[16:20]
        return start + crc + body + pay

    @property
    def good(self) -> bool:
        """Whether the CRC of a message that was dissected is right."""
        pkt = self.original
        body = pkt[MESSAGE_HEADER_BYTES : MESSAGE_HEADER_BYTES + self.length]
        return bool(zlib.crc32(pkt[:16], zlib.crc32(body)) == self.crc)


class Open(Numbered):
    """0x10."""

    name = "N-SoC Open"
    fields_desc = [
        *_header(Kind.OPEN, FlagsField("flags", 0, 8, ["get"])),
        MACField("station", "00:00:00:00:00:00"),
        ShortField("credit", 0),
        _text("filename", _OPEN_BYTES),
    ]


class Accept(Numbered):
    """0x11."""

    name = "N-SoC Accept"
    fields_desc = [
        *_header(Kind.ACCEPT, FlagsField("flags", 0, 8, [])),
        XIntField("boot", 0),
        ShortField("credit", 0),
        ShortField("reserved", 0),
    ]


class Refuse(Numbered):
    """0x12."""

    name = "N-SoC Refuse"
    fields_desc = [*_header(Kind.REFUSE, _reasons(Refusal)), _text("text")]


class Data(Numbered):
    """0x13."""

    name = "N-SoC Data"
    fields_desc = [*_header(Kind.DATA, FlagsField("flags", 0, 8, ["answer"])), _text("data")]


class Progress(Numbered):
    """0x14; `bitmap` is a list of words."""

    name = "N-SoC Progress"
    fields_desc = [
        *_header(Kind.PROGRESS, FlagsField("flags", 0, 8, [])),
        XIntField("boot", 0),
        IntField("seen", 0),
        ShortField("credit", 0),
        FieldLenField("words", None, fmt="H", count_of="bitmap"),
        FieldListField("bitmap", [], XIntField("", 0), count_from=lambda p: p.words),
    ]


class Finish(Numbered):
    """0x15."""

    name = "N-SoC Finish"
    fields_desc = [
        *_header(Kind.FINISH, FlagsField("flags", 0, 8, [])),
        IntField("total", 0),
        XIntField("digest", 0),
    ]


class Result(Numbered):
    """0x16."""

    name = "N-SoC Result"
    fields_desc = [
        *_header(Kind.RESULT, _reasons(Outcome)),
        XIntField("boot", 0),
        IntField("total", 0),
        XIntField("digest", 0),
    ]


class Cancel(Numbered):
    """0x17."""

    name = "N-SoC Cancel"
    fields_desc = [*_header(Kind.CANCEL, _reasons(Cancellation)), _text("text")]


_CLASSES: dict[int, type[Packet]] = {
    1: PublishedData,
    2: PublishedSummary,
    3: PublishedAck,
    Kind.OPEN: Open,
    Kind.ACCEPT: Accept,
    Kind.REFUSE: Refuse,
    Kind.DATA: Data,
    Kind.PROGRESS: Progress,
    Kind.FINISH: Finish,
    Kind.RESULT: Result,
    Kind.CANCEL: Cancel,
}
bind_bottom_up(Ether, Transfer, type=ETHERTYPE)
for _class in _CLASSES.values():
    bind_top_down(Ether, _class, type=ETHERTYPE)
