# SPDX-License-Identifier: Apache-2.0
"""The Scapy layers agree with the protocol's own encoder on every type of both formats and of the monitor."""

import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.l2 import Ether

from nsoc.monitor import message as monitor
from nsoc.monitor.message import ANSWER, Request
from nsoc.transfer import layer, message, published

TO, FROM = "02:00:00:00:00:02", "02:00:00:00:00:01"
HEADER = published.ethernet_header(bytes.fromhex(TO.replace(":", "")), bytes.fromhex(FROM.replace(":", "")))
T, S = 0x01020304, 0x0A0B0C0D
HEAD = {"transfer": T, "serial": S}

NUMBERED = [
    (
        message.Open(T, S, True, 0, bytes.fromhex("020000000005"), 33, "a.png"),
        layer.Open(**HEAD, flags="get", station="02:00:00:00:00:05", credit=33, filename="a.png"),
    ),
    (message.Open(T, S, False, 123456), layer.Open(**HEAD, number=123456)),
    (message.Accept(T, S, 123456, 0x55667788, 32), layer.Accept(**HEAD, number=123456, boot=0x55667788, credit=32)),
    (message.Refuse(T, S, 3, "no"), layer.Refuse(**HEAD, flags="not_found", text="no")),
    (message.Packet(T, S, 7, b"\xaa" * 1480), layer.Data(**HEAD, number=7, data=b"\xaa" * 1480)),
    (message.Packet(T, S, 7, b"\xaa", True), layer.Data(**HEAD, number=7, flags="answer", data=b"\xaa")),
    (message.Progress(T, S, 64, 5, 9, 16), layer.Progress(**HEAD, number=64, boot=5, seen=9, credit=16)),
    (
        message.Progress(T, S, 34, 5, 9, 16, 0b1011 | 1 << 34),
        layer.Progress(**HEAD, number=34, boot=5, seen=9, credit=16, bitmap=[0b1011, 4]),
    ),
    (message.Finish(T, S, 2, 1500, 0xDEADBEEF), layer.Finish(**HEAD, number=2, total=1500, digest=0xDEADBEEF)),
    (
        message.Result(T, S, 1, 2, 5, 1500, 0xDEADBEEF),
        layer.Result(**HEAD, flags="digest_differs", number=2, boot=5, total=1500, digest=0xDEADBEEF),
    ),
    (message.Cancel(T, S, 2, "why"), layer.Cancel(**HEAD, flags="given_up", text="why")),
]
PUBLISHED = [
    (published.Data(5, b"x" * 1481), layer.PublishedData(sequence=5, data=b"x" * 1481)),
    (published.Summary(235, 347_500), layer.PublishedSummary(packets=235, total=347_500)),
    (published.Ack(), layer.PublishedAck()),
    (published.Ack((3, 70_000)), layer.PublishedAck(verdict=b"MI", missing=[3, 70_000])),
]

SESSION = {"session": T, "serial": S}


def _monitor(kind: int, number: int = 0, body: str = "", flags: int = 0) -> monitor.Message:
    return monitor.Message(kind, T, S, number, bytes.fromhex(body), flags)


MONITOR = [
    (_monitor(Request.HELLO), layer.Hello(**SESSION)),
    (_monitor(Request.PEEK, 0x40000000, "00020007"), layer.Peek(**SESSION, number=0x40000000, width=2, count=7)),
    (
        _monitor(Request.POKE, 0x40000004, "00040000 01020304 05060708"),
        layer.Poke(**SESSION, number=0x40000004, width=4, data=bytes(range(1, 9))),
    ),
    (
        _monitor(Request.BEGIN, 0x40000000, "00000800 DEADBEEF 40000010"),
        layer.Begin(**SESSION, number=0x40000000, total=2048, digest=0xDEADBEEF, entry=0x40000010),
    ),
    (_monitor(Request.BLOCK, 1024, "AA" * 1024), layer.Block(**SESSION, number=1024, data=b"\xaa" * 1024)),
    (_monitor(Request.RUN), layer.Run(**SESSION)),
    (_monitor(Request.RUN, flags=monitor.CONFIRM), layer.Run(**SESSION, flags="confirm")),
    (_monitor(Request.COUNTERS), layer.Counters(**SESSION)),
    (
        _monitor(Request.HELLO | ANSWER, 0, "00000001 40000000 04000000 00800000 00000400"),
        layer.HelloAnswer(**SESSION, version=1, base=0x40000000, room=1 << 26, most=8 << 20, block=1024),
    ),
    (_monitor(Request.PEEK | ANSWER, 8, "01020304"), layer.PeekAnswer(**SESSION, number=8, data=b"\1\2\3\4")),
    (_monitor(Request.POKE | ANSWER, 8, flags=3), layer.PokeAnswer(**SESSION, number=8, flags="bus_error")),
    (_monitor(Request.BEGIN | ANSWER, flags=6), layer.BeginAnswer(**SESSION, flags="bad_entry")),
    (_monitor(Request.BLOCK | ANSWER, 1024, "00000002"), layer.BlockAnswer(**SESSION, number=1024, missing=2)),
    (_monitor(Request.RUN | ANSWER, 16, "00000000"), layer.RunAnswer(**SESSION, number=16, missing=0)),
    (
        _monitor(Request.COUNTERS | ANSWER, 2, "00000005 00000006 00000007"),
        layer.CountersAnswer(**SESSION, number=2, counters=[5, 6, 7]),
    ),
]


def _fields(packet: layer.Transfer) -> dict[str, object]:
    return {name: value for name, value in packet.fields.items() if value is not None}


@pytest.mark.parametrize(("ours", "theirs"), NUMBERED)
def test_numbered_messages_are_the_same_bytes_and_fields(ours: message.Message, theirs: layer.Numbered) -> None:
    frame = message.encode(ours, HEADER)
    built = bytes(Ether(dst=TO, src=FROM) / theirs)
    assert built.ljust(60, b"\0") == frame
    assert message.decode(built) == ours
    dissected = Ether(frame)[type(theirs)]
    assert dissected.good
    for name, value in _fields(theirs).items():
        read = dissected.getfieldval(name)
        assert (read.decode() if isinstance(read, bytes) and isinstance(value, str) else read) == value, name


@pytest.mark.parametrize(("ours", "theirs"), MONITOR)
def test_messages_of_the_monitor_are_the_same_bytes_and_fields(ours: monitor.Message, theirs: layer.Numbered) -> None:
    frame = monitor.encode(ours, HEADER)
    built = bytes(Ether(dst=TO, src=FROM) / theirs)
    assert built.ljust(60, b"\0") == frame
    assert monitor.decode(built) == ours
    dissected = Ether(frame)[type(theirs)]
    assert dissected.good
    for name, value in _fields(theirs).items():
        assert dissected.getfieldval(name) == value, name


@pytest.mark.parametrize(("ours", "theirs"), PUBLISHED)
def test_published_messages_are_the_same_bytes_and_fields(ours: published.Message, theirs: layer.Transfer) -> None:
    frame = published.encode(ours, HEADER)
    built = bytes(Ether(dst=TO, src=FROM) / theirs)
    assert built.ljust(60, b"\0") == frame
    dissected = Ether(frame)[type(theirs)]
    for name, value in _fields(theirs).items():
        assert dissected.getfieldval(name) == value, name


def test_every_type_has_a_layer() -> None:
    shown = {type(theirs) for _, theirs in (*NUMBERED, *PUBLISHED, *MONITOR)}
    assert shown == {Ether(HEADER + bytes([kind]) + bytes(60))[1].__class__ for kind in layer.TYPES}
    assert len(shown) == 25
    answers = {kind | ANSWER for kind in Request}
    assert set(layer.TYPES) == {1, 2, 3, *message.Kind, *Request, *answers}


def test_a_wrong_crc_is_seen_and_can_be_sent() -> None:
    frame = bytearray(message.encode(message.Finish(T, S, 2, 1500, 1), HEADER))
    frame[-30] ^= 1
    assert not Ether(bytes(frame))[layer.Finish].good
    wrong = bytes(Ether(dst=TO, src=FROM) / layer.Finish(**HEAD, crc=1))
    assert message.decode(wrong) is message.Reject.BAD_CRC
    assert wrong[30:34] == b"\0\0\0\1" != zlib.crc32(wrong[34:] + wrong[14:30]).to_bytes(4, "big")


@given(st.binary(max_size=200), st.sampled_from([b"", *(bytes([kind]) for kind in layer.TYPES)]))
def test_any_bytes_are_dissected_and_kept(noise: bytes, start: bytes) -> None:
    frame = HEADER + start + noise
    assert bytes(Ether(frame)) == frame


def test_without_scapy_importing_it_is_one_sentence() -> None:
    script = "import sys; sys.modules['scapy'] = None\nimport nsoc.transfer.layer"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .startswith("nsoc.errors.NsocError: nsoc.transfer.layer needs the Python package scapy, which is missing: run")
    )
