# SPDX-License-Identifier: Apache-2.0
"""What --send makes of frames and captures, and what `nsoc run` does with it, on a SoC that needs no simulator."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_soc import CabledEcho, FakeSoc

import nsoc.machine.running
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.network import pcapng
from nsoc.network.pcapng import Packet
from nsoc.network.sending import Outgoing, Sending, frames_to_send

EPOCH_PS = 1_700_000_000_123_456_789_000
TIMED = Sending(timing="capture")


def frame(number: int) -> bytes:
    return bytes.fromhex("020000000002 020000000001 88b5") + bytes([number]) * 46


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[Packet]]:
    """`nsoc run` with these arguments: the frames that went to the SoC."""
    boot = lambda preset, firmware, seed, wiring: FakeSoc() if wiring is None else CabledEcho(wiring, seed=seed)  # noqa: E731
    monkeypatch.setattr(nsoc.machine.running, "_boot", boot)

    def ran(*arguments: str) -> list[Packet]:
        assert call(["run", "forward", *arguments, "--capture", "went.pcapng"]) == 0, capsys.readouterr().err
        return pcapng.read("went.pcapng")

    return ran


def written(name: str, *times_us: float, bad: int = -1) -> str:
    """A capture with frames 0, 1, ... at these times."""
    packets = [
        Packet(EPOCH_PS + round(us * 1e6), True, frame(i), bad_fcs=i == bad) for i, us in enumerate(times_us)
    ]  # fmt: skip
    pcapng.write(name, packets)
    return name


def simple(name: str) -> str:
    """One without times."""
    Path(name).write_bytes(
        struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        + struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
        + b"".join(struct.pack("<III", 3, 76, 60) + frame(i) + struct.pack("<I", 76) for i in range(2))
    )
    return name


def cut(name: str) -> str:
    """A pcap with two truncated frames, an empty one, and a whole one whose time is before."""
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for at, size, original in ((9, 40, 60), (10, 0, 60), (11, 30, 60), (5, 60, 60)):
        content += struct.pack("<IIII", at, 0, size, original) + frame(at)[:size]
    Path(name).write_bytes(content)
    return name


def test_captures_go_back_to_back_unless_told_otherwise(here: Path) -> None:
    a = written("a.pcapng", 0, 700)
    assert frames_to_send([a, "01 02:03"]) == [Outgoing(frame(0)), Outgoing(frame(1)), Outgoing(b"\x01\x02\x03")]
    assert frames_to_send([simple("s.pcapng")]) == [Outgoing(frame(0)), Outgoing(frame(1))]


def test_times_count_from_the_first_frame_and_files_and_loops_follow_each_other(here: Path) -> None:
    a, b = written("a.pcapng", 3, 5, 10), written("b.pcapng", 100, 101)
    found = frames_to_send([a, b], Sending(timing="capture", loop=2, speed=2))
    once = [(0, 0), (1, 1), (2, 3.5), (0, 3.5), (1, 4)]
    expected = once + [(number, us + 4) for number, us in once]
    assert found == [Outgoing(frame(number), after_ps=round(us * 1e6)) for number, us in expected]


def test_loops_back_to_back_are_repetitions(here: Path) -> None:
    found = frames_to_send([written("a.pcapng", 0, 1), "0102"], Sending(loop=3))
    assert found == [Outgoing(frame(0)), Outgoing(frame(1)), Outgoing(b"\x01\x02")] * 3


def test_a_file_that_is_not_as_one_would_think_is_said_once(here: Path) -> None:
    said: list[str] = []
    assert frames_to_send([cut("cut.pcap")], Sending(loop=2), said.append) == [Outgoing(frame(5))] * 2
    assert said == [
        "cut.pcap: 3 of 4 records left out (2 truncated, 1 empty; --truncated pad sends them), time runs backwards at "
        "1 of 4 records: sorted"
    ]
    found = frames_to_send(["cut.pcap"], Sending(truncated="pad"), said.append)
    assert [one.data for one in found] == [frame(5), frame(9)[:40] + bytes(20), bytes(60), frame(11)[:30] + bytes(30)]
    assert "3 of 4 records filled up with zeros (2 truncated, 1 empty)," in said[1] and len(said) == 2


@pytest.mark.parametrize(
    ("what", "how", "sentence"),
    [
        (["s.pcapng"], {}, r"^s\.pcapng has frames without a time \(Simple Packet Blocks\): leave --timing capture"),
        (["a.pcapng", "0102"], {}, "^--send '0102' has no time: leave --timing capture out, or send captures alone$"),
        (["a.pcapng"], {"speed": 1e-9}, "^the last frame of --send would go out after 10,000 s, and simulated time "),
        (["long.pcapng"], {"loop": 2}, "^the last frame of --send would go out after 6,000 s, and simulated time ends"),
    ],
)  # fmt: skip
def test_times_that_cannot_be_are_one_sentence(
    here: Path, what: list[str], how: dict[str, float], sentence: str
) -> None:
    simple("s.pcapng")
    written("a.pcapng", 0, 10)
    written("long.pcapng", 0, 3e9)
    with pytest.raises(NsocError, match=sentence):
        frames_to_send(what, Sending(timing="capture", **how))  # type: ignore[arg-type]


def test_a_capture_of_incomplete_records_names_the_option(here: Path) -> None:
    cut("cut.pcap")
    content = Path("cut.pcap").read_bytes()
    Path("cut.pcap").write_bytes(content[: 24 + 16 + 40])
    with pytest.raises(
        NsocError, match=r"holds no frame for the SoC \(1 of 1 records left out \(1 truncated; --truncated"
    ):
        frames_to_send(["cut.pcap"])


# ---- nsoc run --------------------------------------------------------------------------------------------------------


def steps_us(packets: list[Packet]) -> list[float]:
    return [(packet.time_ps - packets[0].time_ps) / 1e6 for packet in packets]


@pytest.mark.parametrize("cable", [(), ("--jitter", "0")], ids=["pins", "cable"])
def test_run_sends_as_far_apart_as_in_the_capture(run: Callable[..., list[Packet]], cable: tuple[str, ...]) -> None:
    a = written("a.pcapng", 0, 2.4, 100, 300)
    line_us = (60 + 4 + 8 + 12) * 0.008
    assert steps_us(run("--send", a, *cable)) == pytest.approx([i * line_us for i in range(4)])
    assert steps_us(run("--send", a, "--timing", "capture", *cable)) == [0, 2.4, 100, 300]
    assert steps_us(run("--send", a, "--timing", "capture", "--speed", "2", *cable)) == [0, 1.2, 50, 150]
    twice = steps_us(run("--send", a, "--timing", "capture", "--loop", "2", *cable))
    assert twice == pytest.approx([0, 2.4, 100, 300, 300 + line_us, 302.4, 400, 600])


@pytest.mark.parametrize("cable", [(), ("--jitter", "0")], ids=["pins", "cable"])
@pytest.mark.parametrize("timing", ["back-to-back", "capture"])
def test_a_wrong_fcs_goes_out_as_one_and_no_further(
    run: Callable[..., list[Packet]], cable: tuple[str, ...], timing: str
) -> None:
    went = run("--send", written("a.pcapng", 0, 50, 100, bad=1), "--timing", timing, *cable, "--json", "r.json")
    assert [packet.bad_fcs for packet in went] == [False, True, False]
    figures = {r["metric"]: r["value"] for r in json.loads(Path("r.json").read_text())}
    assert (figures["frames_in"], figures["frames_out"]) == (3, 2)


def test_run_says_what_it_leaves_out_and_sends_it_where_told(
    run: Callable[..., list[Packet]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(run("--send", cut("cut.pcap"))) == 1
    assert (
        capsys.readouterr().err.count("cut.pcap: 3 of 4 records left out (2 truncated, 1 empty; --truncated pad") == 1
    )
    assert len(run("--send", "cut.pcap", "--truncated", "pad")) == 4


def test_frames_that_have_not_gone_out_are_not_counted_and_said(
    run: Callable[..., list[Packet]], capsys: pytest.CaptureFixture[str]
) -> None:
    late = written("a.pcapng", 0, 100, 2e6)
    assert call(["run", "forward", "--send", late, "--timing", "capture"]) == 1
    err = capsys.readouterr().err
    assert "2 frames in, 2 out" in err
    assert "nsoc: 1 of 3 frames had not gone out after 1,000,000 us; give them more with --us\n" in err
    run("--send", late, "--timing", "capture", "--us", "1000")
    assert "2 frames in, 2 out" in capsys.readouterr().err, "so it was asked for"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--speed", "2"), "frames that go back to back have no other speed: add --timing capture to --speed"),
        (("--timing", "capture", "--speed", "0"), "--speed must be a number above 0, 1 for the time in the "),
        (("--timing", "capture", "--speed", "nan"), "--speed must be a number above 0"),
    ],
)  # fmt: skip
def test_wrong_speeds_are_one_sentence(
    run: Callable[..., list[Packet]], capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    assert call(["run", "forward", "--send", written("a.pcapng", 0), *arguments]) == 1
    assert capsys.readouterr().err.startswith(f"nsoc: {sentence}")
