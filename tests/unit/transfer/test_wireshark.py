# SPDX-License-Identifier: Apache-2.0
"""The dissector installs itself, and real tshark shows with it what was encoded."""

import os
import random
import subprocess
from pathlib import Path

import needs
import pytest

from nsoc.cli import call
from nsoc.monitor import message as monitor
from nsoc.monitor.message import ANSWER, Request
from nsoc.network.pcapng import Packet, write
from nsoc.transfer import message, published

HEADER = published.ethernet_header(bytes.fromhex("020000000002"), bytes.fromhex("020000000001"))
T = 0x01020304


def test_it_is_installed_in_the_personal_folder_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / ".local/lib/wireshark/plugins/nsoc.lua"
    for _ in range(2):
        assert call(["wireshark"]) == 0
        assert f"installed {file}" in capsys.readouterr().out
    assert file.read_text().startswith("-- SPDX-License-Identifier: Apache-2.0")
    assert call(["wireshark", "--uninstall"]) == 0
    assert not file.exists()
    assert call(["wireshark", "--uninstall"]) == 1
    assert f"there is no {file}" in capsys.readouterr().err


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert call(["wireshark", "--folder", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.startswith(f"nsoc: cannot write {tmp_path / 'file'}")


def _tshark(tmp_path: Path, frames: list[bytes], *arguments: str) -> list[str]:
    """The lines of tshark with the installed dissector on a capture of these frames."""
    capture = tmp_path / "capture.pcapng"
    write(capture, [Packet(i * 10**7, True, frame) for i, frame in enumerate(frames)])
    home = tmp_path / "home"
    assert call(["wireshark", "--folder", str(home / ".local/lib/wireshark/plugins")]) == 0
    command = ["tshark", "-r", str(capture), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HOME": str(home)})
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower() and "lua" not in done.stderr.lower(), done.stderr
    return done.stdout.splitlines()


# A message, the fields that it must show and their values, and the end of Info.
EXPECTED: list[tuple[message.Message, str, str, str]] = [
    (
        message.Open(T, 1, True, 0, bytes.fromhex("020000000005"), 33, "bär.png"),
        "nsoc.get nsoc.station nsoc.credit nsoc.name",
        "1|02:00:00:00:00:05|33|bär.png",
        'Open #1 of transfer 0x01020304: get "bär.png"',
    ),
    (message.Open(T, 1, False, 9), "nsoc.get nsoc.total", "0|9", 'put "", 9 bytes'),
    (message.Accept(T, 2, 9, 0xAB, 32), "nsoc.total nsoc.boot nsoc.credit", "9|0x000000ab|32", "9 bytes, credit 32"),
    (message.Refuse(T, 1, 3, "no"), "nsoc.refusal nsoc.text", "3|no", "not found: no"),
    (message.Refuse(T, 1, 99), "nsoc.refusal nsoc.text", "99|", "reason 99"),
    (message.Packet(T, 7, 5, b"\x01\xfe", True), "nsoc.packet nsoc.answer nsoc.data", "5|1|01fe", "packet 5, answer"),
    (
        message.Packet(T, 7, 2**31, bytes(1480)),
        "nsoc.packet nsoc.answer nsoc.length",
        "2147483648|0|1480",
        "packet 2147483648",
    ),
    (
        message.Progress(T, 3, 34, 5, 9, 16, 0b1011 | 1 << 63),
        "nsoc.next nsoc.boot nsoc.seen nsoc.credit nsoc.words nsoc.arrived nsoc.bitmap",
        "34|0x00000005|9|16|2|36|0x0000000b,0x80000000",
        "next 34 and 2 beyond, seen 9, credit 16",
    ),
    (message.Progress(T, 3, 64, 5, 9, 16), "nsoc.next nsoc.words nsoc.arrived", "64|0|64", "seen 9, credit 16"),
    (
        message.Finish(T, 1, 2, 1500, 0xDEADBEEF),
        "nsoc.packets nsoc.total nsoc.digest",
        "2|1500|0xdeadbeef",
        "1500 bytes in 2 packets",
    ),
    (
        message.Result(T, 1, 1, 2, 5, 1500, 0xDEADBEEF),
        "nsoc.outcome nsoc.packets nsoc.boot nsoc.total nsoc.digest",
        "1|2|0x00000005|1500|0xdeadbeef",
        "digest differs, 1500 bytes",
    ),
    (message.Cancel(T, 1, 2, "why"), "nsoc.cancellation nsoc.text", "2|why", "given up: why"),
]
HEADER_FIELDS = "nsoc.type nsoc.transfer nsoc.serial nsoc.length nsoc.crc.good _ws.col.Protocol _ws.col.Info _ws.expert"


def _fields(names: str) -> list[str]:
    return ["-T", "fields", "-E", "separator=|", *(f"-e{name}" for name in names.split())]


@needs.tshark
def test_tshark_shows_every_field_of_every_numbered_type(tmp_path: Path) -> None:
    frames = [message.encode(ours, HEADER) for ours, _, _, _ in EXPECTED]
    names = list(dict.fromkeys(name for _, fields, _, _ in EXPECTED for name in fields.split()))
    lines = _tshark(tmp_path, frames, *_fields(" ".join([HEADER_FIELDS, *names])))
    assert len(lines) == len(EXPECTED)
    for line, frame, (ours, fields, values, info) in zip(lines, frames, EXPECTED, strict=True):
        shown = dict(zip([*HEADER_FIELDS.split(), *names], line.split("|"), strict=True))
        assert shown["nsoc.type"] == f"0x{frame[14]:02x}"
        assert (shown["nsoc.transfer"], shown["nsoc.serial"]) == ("0x01020304", str(ours.serial))
        assert shown["nsoc.length"] == str(int.from_bytes(frame[16:18], "big"))
        assert (shown["nsoc.crc.good"], shown["_ws.col.Protocol"]) == ("1", "N-SoC")
        assert shown["_ws.col.Info"].startswith(type(ours).__name__.replace("Packet", "Data"))
        assert shown["_ws.col.Info"].endswith(info)
        assert "|".join(shown[name] for name in fields.split()) == values
        failed = isinstance(ours, message.Refuse | message.Cancel | message.Result)  # this Result is none
        assert ("has failed" in shown["_ws.expert"]) == failed


# Kind, flags, number, body; the fields that it must show and their values, and the end of Info.
MONITOR: list[tuple[int, int, int, str, str, str, str]] = [
    (Request.HELLO, 0, 0, "", "nsoc.length", "0", "Hello #9 of session 0x01020304"),
    (
        Request.PEEK, 0, 0x40000000, "00020007", "nsoc.address nsoc.width nsoc.accesses", "0x40000000|2|7",
        "7 of 2 bytes at 0x40000000",
    ),
    (
        Request.POKE, 0, 0x40000004, "0004000001020304", "nsoc.address nsoc.width nsoc.data", "0x40000004|4|01020304",
        "4 bytes, 4 at once, at 0x40000004",
    ),
    (
        Request.BEGIN, 0, 0x40000000, "00000800DEADBEEF40000010", "nsoc.base nsoc.total nsoc.digest nsoc.entry",
        "0x40000000|2048|0xdeadbeef|0x40000010", "2048 bytes at 0x40000000, entry 0x40000010",
    ),
    (Request.BLOCK, 0, 1024, "AA55", "nsoc.offset nsoc.data", "1024|aa55", "2 bytes at offset 1024"),
    (Request.RUN, 0, 0, "", "nsoc.confirm", "0", "Run #9 of session 0x01020304"),
    (Request.RUN, monitor.CONFIRM, 0, "", "nsoc.confirm", "1", "confirmed"),
    (Request.COUNTERS, 0, 0, "", "nsoc.length", "0", "Counters #9 of session 0x01020304"),
    (
        Request.HELLO | ANSWER, 0, 0, "0000000140000000040000000080000000000400",
        "nsoc.version nsoc.base nsoc.room nsoc.most nsoc.block nsoc.status", "1|0x40000000|67108864|8388608|1024|0",
        "done, version 1, 67108864 bytes from 0x40000000",
    ),
    (
        Request.PEEK | ANSWER, 3, 8, "01020304", "nsoc.address nsoc.data nsoc.status", "0x00000008|01020304|3",
        "bus error, 4 bytes to 0x00000008",
    ),
    (Request.POKE | ANSWER, 0, 8, "", "nsoc.address nsoc.status", "0x00000008|0", "done, to 0x00000008"),
    (Request.BEGIN | ANSWER, 6, 0, "", "nsoc.status", "6", "the entry is not in the program"),
    (
        Request.BLOCK | ANSWER, 0, 1024, "00000002", "nsoc.offset nsoc.blocks nsoc.status", "1024|2|0",
        "done, 2 blocks miss",
    ),
    (Request.BLOCK | ANSWER, 7, 1024, "", "nsoc.offset nsoc.blocks nsoc.status", "1024||7", "no program"),
    (Request.RUN | ANSWER, 99, 16, "00000000", "nsoc.entry nsoc.blocks nsoc.status", "0x00000010|0|99", "blocks miss"),
    (
        Request.COUNTERS | ANSWER, 0, 2, "000000050000000600000007", "nsoc.counters nsoc.counter nsoc.status",
        "2|5,6,7|0", "done, 3 counters",
    ),
]  # fmt: skip


@needs.tshark
def test_tshark_shows_every_field_of_the_monitors_types(tmp_path: Path) -> None:
    messages = [monitor.Message(kind, T, 9, number, bytes.fromhex(body), flags)
                for kind, flags, number, body, *_ in MONITOR]  # fmt: skip
    assert {one.kind for one in messages} == {*Request, *(kind | ANSWER for kind in Request)}
    names = list(dict.fromkeys(name for one in MONITOR for name in one[4].split()))
    header = ["nsoc.type", "nsoc.session", "nsoc.serial", "nsoc.crc.good", "_ws.col.Info", "_ws.expert"]
    lines = _tshark(tmp_path, [monitor.encode(one, HEADER) for one in messages], *_fields(" ".join([*header, *names])))
    for line, (kind, flags, _, _, fields, values, info) in zip(lines, MONITOR, strict=True):
        shown = dict(zip([*header, *names], line.split("|"), strict=True))
        assert shown["nsoc.type"] == f"0x{kind:02x}"
        assert (shown["nsoc.session"], shown["nsoc.serial"], shown["nsoc.crc.good"]) == ("0x01020304", "9", "1")
        assert shown["_ws.col.Info"].endswith(info)
        assert "|".join(shown[name] for name in fields.split()) == values
        assert ("The monitor refuses" in shown["_ws.expert"]) == bool(kind & ANSWER and flags)


@needs.tshark
def test_tshark_shows_the_published_types(tmp_path: Path) -> None:
    messages = [
        published.Data(5, b"\x01\x02" * 30),
        published.Summary(235, 347_500),
        published.Ack(),
        published.Ack((3, 70_000)),
    ]
    names = "_ws.col.Info nsoc.packet nsoc.data nsoc.packets nsoc.total nsoc.verdict nsoc.count nsoc.missing"
    assert _tshark(tmp_path, [published.encode(m, HEADER) for m in messages], *_fields(names)) == [
        f"Published data: packet 5|5|{'0102' * 30}|||||",
        "Published summary: 347500 bytes in 235 packets|||235|347500|||",
        "Published ack: OK|||||OK||",
        "Published ack: 2 packets missing|||||MI|2|3,70000",
    ]


@needs.tshark
def test_tshark_marks_what_receivers_drop(tmp_path: Path) -> None:
    good = message.encode(message.Finish(T, 1, 2, 1500, 1), HEADER)
    wrong = [
        (good[:36] + bytes([good[36] ^ 0x10]) + good[37:], "Wrong CRC-32"),
        (good[:40], "Wrong length"),
        (good[:20], "Wrong length"),
        (HEADER + b"\x14\x00\x00\x0b" + bytes(60), "Wrong length"),
        (HEADER + b"\x2c\x00\x00\x02" + bytes(60), "Wrong length"),
        (HEADER + b"\x03MI\xff\xff\xff\xff" + bytes(60), "Wrong length"),
        (HEADER + b"\x01\x00", "Wrong length"),
        (HEADER + b"\x77" + bytes(45), "Unknown type"),
    ]
    shown, *marks = _tshark(tmp_path, [good, *(frame for frame, _ in wrong)], *_fields("nsoc.packets _ws.expert"))
    assert shown == "2|"
    for mark, (_, expert) in zip(marks, wrong, strict=True):
        assert f"{expert}: receivers drop this message" in mark.partition("|")[2]


@needs.tshark
def test_no_frame_upsets_the_dissector(tmp_path: Path) -> None:
    rng = random.Random(1)
    frames = [
        HEADER
        + bytes([rng.choice([1, 2, 3, *range(0x10, 0x18), *range(0x20, 0x30), 99])])
        + rng.randbytes(rng.randrange(90))
        for _ in range(500)
    ]
    for ours, _, _, _ in EXPECTED:
        frame = message.encode(ours, HEADER)
        frames += [frame[:size] for size in range(15, min(len(frame), 80))]
    for kind in {*Request, *(kind | ANSWER for kind in Request)}:
        bodies = [rng.randbytes(length) for length in range(25)]
        frames += [monitor.encode(monitor.Message(kind, T, 9, 4, body), HEADER) for body in bodies]
    lines = _tshark(tmp_path, frames, *_fields("_ws.col.Info _ws.expert"))
    assert len(lines) == len(frames)
    assert not [line for line in lines if "Lua" in line or not line.split("|")[0]]
