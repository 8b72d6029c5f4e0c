# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402, RUF012 (Scapy's way to write layers)
"""Both formats, and the messages of the monitor, as layers of Scapy: bytes to fields and back.

    from nsoc.transfer import layer
    frame = Ether(dst=peer) / layer.Open(transfer=5, number=1480, filename="picture")

Importing this module binds the layers to Ethertype 0x88B5. Length, CRC and counts are computed where none is given.
"""

import zlib
from typing import Any

from nsoc import needs
from nsoc.transfer.published import ETHERTYPE

needs.package("scapy", "nsoc.transfer.layer", "test")

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

from nsoc.monitor.message import ANSWER, Request, Status
from nsoc.transfer.message import MESSAGE_HEADER_BYTES, Cancellation, Kind, Outcome, Refusal

_OPEN_BYTES = 8
_ACCESS_BYTES = 4
TYPES = {
    1: "data", 2: "summary", 3: "ack",
    **{kind.value: kind.name.capitalize() for kind in Kind},
    **{request.value: request.name.capitalize() for request in Request},
    **{request.value | ANSWER: f"{request.name.capitalize()} answer" for request in Request},
}  # fmt: skip


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


def _header(kind: int, flags: Any, first: str = "transfer") -> list[Any]:
    return [
        ByteEnumField("type", int(kind), TYPES),
        flags,
        ShortField("length", None),
        IntField(first, 0),
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


def _request(request: Request) -> list[Any]:
    return _header(request, FlagsField("flags", 0, 8, ["confirm"] if request == Request.RUN else []), "session")


def _answer(request: Request) -> list[Any]:
    return _header(request | ANSWER, _reasons(Status), "session")


def _words(name: str) -> Any:
    return FieldListField(name, [], IntField("", 0), length_from=lambda p: p.length)


def _missing() -> Any:
    """A refusal may come without it."""
    return ConditionalField(IntField("missing", 0), lambda p: p.length != 0)


class Hello(Numbered):
    """0x20: a session of the monitor begins."""

    name = "N-SoC Hello"
    fields_desc = _request(Request.HELLO)


class HelloAnswer(Numbered):
    """0x28."""

    name = "N-SoC Hello answer"
    fields_desc = [
        *_answer(Request.HELLO),
        IntField("version", 1),
        XIntField("base", 0),
        IntField("room", 0),
        IntField("most", 0),
        IntField("block", 0),
    ]


class Peek(Numbered):
    """0x21, `number` is the address."""

    name = "N-SoC Peek"
    fields_desc = [*_request(Request.PEEK), ShortField("width", 4), ShortField("count", 1)]


class PeekAnswer(Numbered):
    """0x29, `number` the address behind."""

    name = "N-SoC Peek answer"
    fields_desc = [*_answer(Request.PEEK), _text("data")]


class Poke(Numbered):
    """0x22, `number` is the address."""

    name = "N-SoC Poke"
    fields_desc = [
        *_request(Request.POKE), ShortField("width", 4), ShortField("reserved", 0), _text("data", _ACCESS_BYTES),
    ]  # fmt: skip


class PokeAnswer(Numbered):
    """0x2A, `number` the address behind."""

    name = "N-SoC Poke answer"
    fields_desc = _answer(Request.POKE)


class Begin(Numbered):
    """0x23, `number` is where the program lies."""

    name = "N-SoC Begin"
    fields_desc = [*_request(Request.BEGIN), IntField("total", 0), XIntField("digest", 0), XIntField("entry", 0)]


class BeginAnswer(Numbered):
    """0x2B."""

    name = "N-SoC Begin answer"
    fields_desc = _answer(Request.BEGIN)


class Block(Numbered):
    """0x24, `number` is the offset in the program."""

    name = "N-SoC Block"
    fields_desc = [*_request(Request.BLOCK), _text("data")]


class BlockAnswer(Numbered):
    """0x2C."""

    name = "N-SoC Block answer"
    fields_desc = [*_answer(Request.BLOCK), _missing()]


class Run(Numbered):
    """0x25."""

    name = "N-SoC Run"
    fields_desc = _request(Request.RUN)


class RunAnswer(Numbered):
    """0x2D, `number` is the entry."""

    name = "N-SoC Run answer"
    fields_desc = [*_answer(Request.RUN), _missing()]


class Counters(Numbered):
    """0x26."""

    name = "N-SoC Counters"
    fields_desc = _request(Request.COUNTERS)


class CountersAnswer(Numbered):
    """0x2E, `number` of them are the NIC's."""

    name = "N-SoC Counters answer"
    fields_desc = [*_answer(Request.COUNTERS), _words("counters")]


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
    Request.HELLO: Hello,
    Request.PEEK: Peek,
    Request.POKE: Poke,
    Request.BEGIN: Begin,
    Request.BLOCK: Block,
    Request.RUN: Run,
    Request.COUNTERS: Counters,
    Request.HELLO | ANSWER: HelloAnswer,
    Request.PEEK | ANSWER: PeekAnswer,
    Request.POKE | ANSWER: PokeAnswer,
    Request.BEGIN | ANSWER: BeginAnswer,
    Request.BLOCK | ANSWER: BlockAnswer,
    Request.RUN | ANSWER: RunAnswer,
    Request.COUNTERS | ANSWER: CountersAnswer,
}
bind_bottom_up(Ether, Transfer, type=ETHERTYPE)
for _class in _CLASSES.values():
    bind_top_down(Ether, _class, type=ETHERTYPE)
