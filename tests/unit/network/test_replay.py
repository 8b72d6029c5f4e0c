# SPDX-License-Identifier: Apache-2.0
"""A capture on a network's line: when its frames go out, and in which state."""

import math
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest
from plain_soc import SLOW_NS, plain_soc

from nsoc.errors import NsocError
from nsoc.network import pcapng
from nsoc.network.network import Arrived, Network
from nsoc.network.pcapng import Packet
from nsoc.network.timing import since_first_ps

EPOCH_PS = 1_700_000_000_123_456_789_000
HEAD_PS = 9 * 8000
"""Preamble, delimiter and the first byte of the frame."""
DELAY_PS = 500_000
STEPS_NS = (0, 2_000, 2_801, 10_000_001, 12_345_678)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    return written(tmp_path, [Packet(EPOCH_PS + ns * 1000, True, bytes([i]) * 60) for i, ns in enumerate(STEPS_NS)])


def written(folder: Path, packets: Iterable[Packet]) -> Path:
    path = folder / "in.pcapng"
    pcapng.write(path, packets)
    return path


def came(capture: Path, us: float = 50_000, **arguments: object) -> list[Arrived]:
    with Network() as network:
        host = network.host()
        network.cable(network.replay(capture, **arguments), host)  # type: ignore[arg-type]
        network.run(us=us)
        return host.receive_all()


def times_ns(frames: list[Arrived]) -> list[float]:
    """Of what went in at the other end, behind the first."""
    return [(frame.start_ps - frames[0].start_ps) / 1000 for frame in frames]


def test_times_count_from_the_first_frame(capture: Path) -> None:
    frames = came(capture)
    assert times_ns(frames) == list(STEPS_NS)
    assert frames[0].start_ps == DELAY_PS + HEAD_PS
    assert [frame.data[0] for frame in frames] == [0, 1, 2, 3, 4]


def test_the_first_frame_goes_at_the_time_that_is_asked_for(capture: Path) -> None:
    frames = came(capture, start_us=123.5)
    assert frames[0].start_ps == 123_500_000 + DELAY_PS + HEAD_PS
    assert times_ns(frames) == list(STEPS_NS)


@pytest.mark.parametrize("speed", [0.25, 2, 10])
def test_time_may_pass_faster_or_slower(capture: Path, speed: float) -> None:
    frames = times_ns(came(capture, us=100_000, speed=speed))
    for found, ns in zip(frames[3:], STEPS_NS[3:], strict=True):
        assert found == pytest.approx(ns / speed, abs=0.001)


def test_times_are_no_floats() -> None:
    packets = [Packet(EPOCH_PS + ps, True, bytes(60)) for ps in (0, 1, 10**18 + 1)]
    assert since_first_ps(packets, 1.0) == [0, 1, 10**18 + 1]
    assert since_first_ps(packets, 0.5) == [0, 2, 2 * 10**18 + 2]


def test_a_frame_that_comes_too_early_for_the_line_waits_for_it(capture: Path) -> None:
    frames = times_ns(came(capture, speed=1e9))
    assert frames == [i * (60 + 4 + 8 + 12) * 8 for i in range(5)], "back to back"


def test_the_times_of_a_capture_of_a_network_may_be_kept(tmp_path: Path) -> None:
    stamps_ps = [1_000_000, 3_000_000, 400_000_000]
    path = written(tmp_path, [Packet(ps, True, bytes(60)) for ps in stamps_ps])
    assert [frame.start_ps - DELAY_PS for frame in came(path, start_us=None)] == stamps_ps
    doubled = [frame.start_ps - DELAY_PS for frame in came(path, start_us=None, speed=2)]
    assert doubled == [1_000_000, 2_000_000, 200_500_000]
    path = written(tmp_path, [Packet(1000, True, bytes(60))])
    assert came(path, start_us=None)[0].start_ps == DELAY_PS + HEAD_PS, "time begins there"


@pytest.mark.parametrize("mbps", [10, 100, 1000, 2500, 10000])
def test_kept_times_are_exact_at_each_rate_of_the_line(tmp_path: Path, mbps: int) -> None:
    """The last frame comes too early for the line, and goes behind the one before it."""
    byte_ps = 8 * 10**6 // mbps
    stamps_ps = [10_000_000, 400_000_000, 900_001_000, 900_002_000]
    path = written(tmp_path, [Packet(ps, True, bytes(60)) for ps in stamps_ps])
    with Network() as network:
        cable = network.cable(network.replay(path, start_us=None), plain_soc(network, mbps), delay_ns=SLOW_NS)
        cable.tap()
        network.run(us=1500)
        found = [frame.start_ps for frame in cable.sent(0)]
    assert found == [*stamps_ps[:3], stamps_ps[2] + (60 + 4 + 12 + 8) * byte_ps]


def test_a_wrong_fcs_stays_wrong(tmp_path: Path) -> None:
    path = written(tmp_path, [Packet(i * 10**6, True, bytes([i]) * 60, bad_fcs=i == 1) for i in range(3)])
    assert [frame.fcs_ok for frame in came(path)] == [True, False, True]


def test_incomplete_frames_are_left_out_or_filled_up(tmp_path: Path) -> None:
    path = tmp_path / "cut.pcap"
    path.write_bytes(
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        + struct.pack("<IIII", 5, 0, 70, 100) + bytes(range(70))
        + struct.pack("<IIII", 5, 10, 60, 60) + bytes(60)
    )  # fmt: skip
    with pytest.warns(UserWarning, match=r'cut\.pcap: 1 of 2 records left out \(1 truncated; truncated="pad"') as said:
        assert [frame.data for frame in came(path)] == [bytes(60)]
    assert said[0].filename == __file__
    with pytest.warns(UserWarning, match="filled up"):
        assert [frame.data for frame in came(path, truncated="pad")] == [bytes(range(70)) + bytes(30), bytes(60)]


def test_frames_without_a_time_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "simple.pcapng"
    path.write_bytes(
        struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        + struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
        + struct.pack("<III", 3, 76, 60) + bytes(60) + struct.pack("<I", 76)
    )  # fmt: skip
    with pytest.raises(NsocError) as problem:
        came(path)
    assert str(problem.value) == (
        f"{path} has frames without a time (Simple Packet Blocks): send what nsoc.pcapng.read_frames() gives yourself, "
        "back to back"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"start_us": None}, "would go out from 1,700,000,000 to 1,700,000,000 s, and simulated time is from 0 to "),
        ({"speed": 1e-9}, "would go out from 0 to 12,345,678 s, and simulated time is from 0 to 4,612 s: give the "),
        ({"start_us": -1}, "^start_us must be a time from 0 to "),
        ({"start_us": math.nan}, "^start_us must be a time from 0 to "),
        *(
            ({"speed": speed}, "^speed must be a number above 0, 1 for the time ")
            for speed in (0, -1, math.inf, math.nan)
        ),
        ({"truncated": "cut"}, "truncated must be"),
    ],
)
def test_times_that_cannot_be_are_one_sentence(capture: Path, arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(NsocError, match=sentence):
        came(capture, **arguments)


def test_a_time_before_the_network_is_refused(tmp_path: Path) -> None:
    """An interface may say that its times begin before."""
    path = tmp_path / "early.pcapng"
    path.write_bytes(
        struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        + struct.pack("<IIHHIHHqII", 1, 36, 1, 0, 0, 14, 8, -3, 0, 36)
        + struct.pack("<IIIIIII", 6, 92, 0, 0, 0, 60, 60) + bytes(60) + struct.pack("<I", 92)
    )  # fmt: skip
    assert [frame.data for frame in came(path)] == [bytes(60)]
    with pytest.raises(NsocError, match="would go out from -3 to -3 s, and simulated time is from 0 to 4,612 s"):
        came(path, start_us=None)


def test_a_frame_that_is_too_long_for_a_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match=r"^a frame of 65536 bytes cannot be sent, only 1 to 65535$"):
        came(written(tmp_path, [Packet(0, True, bytes(65536))]))
