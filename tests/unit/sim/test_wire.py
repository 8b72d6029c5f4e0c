# SPDX-License-Identifier: Apache-2.0
"""The simulator's end of the Ethernet cable and of the serial line, symbol by symbol, against IEEE 802.3 and 8N1."""

import ctypes
import random
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
VALID, ERROR = 0x100, 0x200
BAD_FCS, RAW, PAD = 1, 2, 4


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Any:
    target = tmp_path_factory.mktemp("wire") / "wire.so"
    sources = [Path(__file__).with_name("wire_harness.cpp"), ROOT / "sim" / "gmii_wire.cpp", ROOT / "sim" / "frame.cpp"]
    command = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    command += [f"-I{ROOT / folder}" for folder in ("sim", "models")]
    subprocess.run([*command, *map(str, sources), "-o", str(target)], check=True)
    library = ctypes.CDLL(str(target))
    for name in ("sender_new", "receiver_new"):
        getattr(library, name).restype = ctypes.c_void_p
    return library


@dataclass
class Sender:
    """Plays frames and keeps the line's symbols; index = tick."""

    lib: Any
    mii: int = 0

    def __post_init__(self) -> None:
        self.handle = ctypes.c_void_p(self.lib.sender_new(self.mii))
        self.line: list[int] = [0]  # tick 0

    def send(
        self, frame: bytes, *, not_before: int = 0, ifg: int = 12, preamble: int = 7, sfd: int = 0xD5,
        flags: int = PAD, error_at: int = -1, cut_at: int = -1,
    ) -> None:  # fmt: skip
        self.lib.sender_send(
            self.handle, frame, len(frame), ctypes.c_uint64(not_before), ifg, preamble, sfd, flags, error_at, cut_at
        )

    def play(self, ticks: int) -> None:
        symbols = (ctypes.c_uint16 * ticks)()
        self.lib.sender_play(self.handle, ctypes.c_uint64(len(self.line)), ticks, symbols)
        self.line += symbols

    def stamps(self) -> list[tuple[int, int]]:
        pairs = (ctypes.c_uint64 * 200)()
        count = self.lib.sender_sent(self.handle, pairs)
        return [(pairs[2 * i], pairs[2 * i + 1]) for i in range(count)]

    def bursts(self) -> list[tuple[int, bytes]]:
        """What was on the line while valid was high: first tick and bytes."""
        found: list[tuple[int, bytearray]] = []
        for tick, symbol in enumerate(self.line):
            if symbol & VALID:
                if not self.line[tick - 1] & VALID:
                    found.append((tick, bytearray()))
                found[-1][1].append(symbol & 0xFF)
            else:
                assert symbol == 0, "between frames GMII shows zeros"
        return [(tick, bytes(data)) for tick, data in found]


def receive(lib: Any, line: list[int], mii: int = 0) -> list[tuple[bytes, dict[str, int]]]:
    """Frames that the receiver makes of symbols, the first being tick 1."""
    handle = ctypes.c_void_p(lib.receiver_new(mii))
    lib.receiver_sample(handle, ctypes.c_uint64(1), (ctypes.c_uint16 * len(line))(*line), len(line))
    frames = []
    data, about = (ctypes.c_uint8 * 65536)(), (ctypes.c_uint64 * 5)()
    while (length := lib.receiver_take(handle, data, about)) >= 0:
        frames.append((bytes(data[:length]), dict(zip(("start", "end", "gap", "fcs_ok", "error"), about, strict=True))))
    return frames


def on_the_line(frame: bytes) -> bytes:
    """Preamble to FCS, from IEEE 802.3 and zlib's CRC."""
    return b"\x55" * 7 + b"\xd5" + frame + zlib.crc32(frame).to_bytes(4, "little")


def test_every_length_goes_out_as_802_3_says(lib: Any) -> None:
    rng = random.Random(1)
    frames = [rng.randbytes(length) for length in range(1, 1519, 37)]
    sender = Sender(lib)
    for frame in frames:
        sender.send(frame)
    sender.play(60_000)
    assert [data for _, data in sender.bursts()] == [on_the_line(frame.ljust(60, b"\0")) for frame in frames]


def test_stamps_and_gaps_are_exact(lib: Any) -> None:
    sender = Sender(lib)
    sender.send(bytes(60))
    sender.send(bytes(100))
    sender.send(bytes(60), ifg=40)
    sender.send(bytes(60), not_before=1000)
    sender.send(bytes(60), not_before=5)  # long past: as soon as the line is free
    sender.play(1500)
    bursts = sender.bursts()
    starts = [tick for tick, _ in bursts]
    ends = [tick + len(data) - 1 for tick, data in bursts]
    assert sender.stamps() == [(start + 8, end) for start, end in zip(starts, ends, strict=True)]
    assert [start - end - 1 for start, end in zip(starts[1:], ends, strict=False)][:2] == [12, 40]
    assert starts[3] + 8 == 1000
    assert starts[4] - ends[3] - 1 == 12


def test_a_frame_queued_while_the_line_is_idle_goes_at_once_or_after_the_gap(lib: Any) -> None:
    sender = Sender(lib)
    sender.play(100)
    sender.send(bytes(60))
    sender.play(300)
    sender.send(bytes(60))
    sender.play(70)  # ends within the second frame
    assert [tick for tick, _ in sender.bursts()] == [101, 401]
    assert len(sender.stamps()) == 1, "a frame is sent when its last byte is out"


def test_faults_are_made_where_they_were_asked_for(lib: Any) -> None:
    frame = random.Random(2).randbytes(100)
    whole = on_the_line(frame)
    sender = Sender(lib)
    sender.send(frame, flags=BAD_FCS)
    sender.send(frame, flags=RAW)
    sender.send(frame[:10], flags=0)
    sender.send(frame, cut_at=50)
    sender.send(frame, cut_at=0)
    sender.send(frame, sfd=0x5D, preamble=3)
    sender.send(frame, error_at=99)
    sender.play(1500)
    bursts = sender.bursts()
    sent = [data for _, data in bursts]
    assert sent[0][:-4] == whole[:-4] and sent[0][-4:] != whole[-4:]
    assert sent[1] == whole[:-4]
    assert sent[2] == on_the_line(frame[:10])
    assert sent[3] == whole[:58]
    assert sent[4] == whole[:8]
    assert sent[5] == b"\x55" * 3 + b"\x5d" + whole[8:]
    assert sent[6] == whole
    errors = [tick for tick, symbol in enumerate(sender.line) if symbol & ERROR]
    assert errors == [bursts[6][0] + 8 + 99]


def test_the_receiver_strips_checks_and_stamps(lib: Any) -> None:
    rng = random.Random(3)
    frames = [rng.randbytes(length) for length in (60, 61, 1514, 60)]
    line: list[int] = []
    expected = []
    for gap, frame, head in zip((30, 12, 13, 1), frames, (b"\x55" * 7, b"", b"\x00\x5d\xff", b"\x55" * 8), strict=True):
        line += [0] * gap
        start = len(line) + 1 + len(head) + 1
        line += [VALID | byte for byte in head + on_the_line(frame)[7:]]
        expected.append((frame, {"start": start, "end": len(line), "gap": gap, "fcs_ok": 1, "error": 0}))
    assert receive(lib, [*line, 0]) == expected


@pytest.mark.parametrize(
    ("burst", "error_at", "data", "fcs_ok", "error"),
    [
        (on_the_line(b"a" * 60)[:-1] + b"x", None, b"a" * 60, 0, 0),  # bad FCS
        (on_the_line(b"a" * 60), 20, b"a" * 60, 1, 1),  # gmii_tx_er
        (b"\x55" * 20, None, b"", 0, 1),  # never a start delimiter
        (b"\x55" * 9 + on_the_line(b"a" * 60)[7:], None, b"", 0, 1),  # too late
        (b"\x55" * 7 + b"\xd5abcd", None, b"abcd", 0, 1),  # too short to have an FCS
        (b"\x55" * 7 + b"\xd5", None, b"", 0, 1),  # nothing
    ],
)
def test_the_receiver_tells_what_is_wrong(
    lib: Any, burst: bytes, error_at: int | None, data: bytes, fcs_ok: int, error: int
) -> None:
    line = [0] * 12 + [VALID | byte | (ERROR if i == error_at else 0) for i, byte in enumerate(burst)]
    good = [0] * 12 + [VALID | byte for byte in on_the_line(b"next" * 20)]
    first, second = receive(lib, [*line, *good, 0])
    assert (first[0], first[1]["fcs_ok"], first[1]["error"]) == (data, fcs_ok, error)
    assert second[0] == b"next" * 20 and second[1]["fcs_ok"] == 1 and second[1]["error"] == 0


@pytest.mark.parametrize("divisor", [4, 5, 8, 694])
def test_the_terminal_speaks_8n1(lib: Any, divisor: int) -> None:
    text = bytes([0x00, 0xFF, 0x55, 0x41])
    clocks = 50 * divisor
    levels, printed = (ctypes.c_uint8 * clocks)(), (ctypes.c_uint8 * 16)()
    count = lib.terminal_loop(divisor, text, len(text), clocks, levels, printed)
    assert bytes(printed[:count]) == text
    bits = [level for byte in text for level in (0, *(byte >> i & 1 for i in range(8)), 1)]
    wanted = [level for level in bits for _ in range(divisor)]
    assert list(levels)[1 : 1 + len(wanted)] == wanted


def test_mii_carries_each_byte_as_two_nibbles_the_lower_one_first(lib: Any) -> None:
    sender = Sender(lib, mii=1)
    frames = [bytes(range(20 + n)) for n in range(4)]
    for frame in frames:
        sender.send(frame, not_before=0)
    sender.play(2 * 4 * 100)
    ((first, nibbles), *others) = sender.bursts()
    assert all(nibble < 16 for nibble in nibbles)
    joined = bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2], strict=True))
    assert joined.startswith(b"\x55" * 7 + b"\xd5" + frames[0])
    end = first + len(nibbles)
    assert others[0][0] - end == 2 * 12, "the gap is twelve byte times"
    assert sender.stamps()[0] == (first + 16, end - 1)
    received = receive(lib, sender.line[1:], mii=1)
    assert [data[: len(frame)] for (data, _), frame in zip(received, frames, strict=True)] == frames
    assert all(about["fcs_ok"] and not about["error"] for _, about in received)
    assert [(about["start"], about["end"]) for _, about in received] == sender.stamps()
    assert [about["gap"] for _, about in received[1:]] == [12, 12, 12]


def test_half_a_byte_at_the_end_of_an_mii_frame_is_an_error(lib: Any) -> None:
    sender = Sender(lib, mii=1)
    sender.send(bytes(60))
    sender.play(2 * 200)
    last = max(tick for tick, symbol in enumerate(sender.line) if symbol & VALID)
    sender.line[last] = 0
    ((_, about),) = receive(lib, sender.line[1:], mii=1)
    assert about["error"]
