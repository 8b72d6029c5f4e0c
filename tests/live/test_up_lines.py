# SPDX-License-Identifier: Apache-2.0
"""`nsoc up` on the frames of the cable to Linux: --show-drops prints them, --pcap keeps them."""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from lost_frames import dropped
from test_up import nsoc, possible, runtime  # noqa: F401 (fixtures)

from nsoc.live.line import Capture, Line
from nsoc.live.world import Setup, World
from nsoc.network import pcapng
from nsoc.network.ethernet import described
from nsoc.network.faults import Faults

pytestmark = pytest.mark.slow

FIRMWARE = "forward_irq"
BURSTS = Path(__file__).with_name("bursts.py")
DOWN_US = (2_000_000, 60_000_000)
"""From then on, for so long."""
FAULTS = Faults(
    loss=0.15, corrupt=0.1, wrong_bytes=0.1, duplicate=0.1, reorder=0.1, drain_mbps=200, queue_bytes=3000,
    downs=(DOWN_US,),
)  # fmt: skip
OPTIONS = (
    "--loss 0.15 --corrupt 0.1 --wrong-bytes 0.1 --duplicate 0.1 --reorder 0.1 --receiver 200:3000 "
    f"--down {DOWN_US[0]}:{DOWN_US[1]} --seed 5"
).split()

SEND = """
import socket, sys

with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as wire, socket.socket(type=socket.SOCK_DGRAM) as echo:
    wire.bind((sys.argv[1], 0))
    echo.settimeout(600)
    for frame in sys.argv[2:]:
        wire.send(bytes.fromhex(frame))
        echo.sendto(frame.encode()[:8], ("10.0.0.2", 7))
        assert echo.recv(100) == frame.encode()[:8]
"""
"""Sends frames, each followed by a datagram that is echoed: the SoC has had the frame by then."""
TOLD = re.compile(r"^\[[\d.]+ us\] to the SoC, (.*): ([\w., ]+?)(?: \(1 of these \d+\))?$", re.MULTILINE)


def test_every_lost_frame_is_told_and_the_capture_gives_the_same_again(tmp_path: Path) -> None:
    """The capture can be opened at any time: bursts.py does."""
    live, again = tmp_path / "live.pcapng", tmp_path / "again.pcapng"
    command = (sys.executable, BURSTS, "nsoc0", live, str(DOWN_US[0] / 1e6))
    done = nsoc("up", "--firmware", FIRMWARE, *OPTIONS, "--pcap", live, "--show-drops", "--", *command)
    assert done.returncode == 77, done.stdout + done.stderr
    assert re.fullmatch(r"looked \d+ times: more and more\n", done.stdout), done.stdout

    told = Counter(
        re.findall(r"^\[[\d.]+ us\] to (?:the SoC|Linux), \d+ bytes .*: ([^:]+)$", done.stderr, re.MULTILINE)
    )
    summary = done.stderr.splitlines()[-1]
    counted = {cause: int(count) for count, cause in re.findall(r"(\d+) \(([^)]+)\)", summary)}
    assert told == counted, summary
    causes = {"cable, lost", "cable, down", "cable, overflowed", "to Linux, bad", "rx_drop_fcs"}
    assert causes <= counted.keys(), summary

    setup = Setup.of("nic12-fast", FIRMWARE, 1, 5, FAULTS, {})
    world = World(setup, lambda network: network.replay(live, start_us=None), watched=True)
    line, capture = Line(world), Capture(again)
    before = pcapng.read(live, both_ways=True)
    while world.network.time_ps < before[-1].time_ps + 10**9:
        world.network.run(us=997)
        capture.add(line.take())
    capture.close()
    world.close()
    assert pcapng.read(again, both_ways=True) == before
    assert {"lost", "corrupted", "changed", "duplicated", "reordered", "overflowed", "down"} == {
        packet.comment.removesuffix(" on the cable to the SoC") for packet in before if packet.comment
    }
    assert any(packet.bad_fcs for packet in before), "frames that were damaged on their way to Linux"


def test_a_frame_that_the_engine_drops_is_told_with_why() -> None:
    frames = dropped()
    options = ("--preset", "toe", "--show-drops", "--", sys.executable, "-c", SEND, "nsoc0")
    done = nsoc("up", *options, *(frame.hex() for frame in frames.values()))
    assert done.returncode == 0, done.stdout + done.stderr
    counted = {cause: int(count) for count, cause in re.findall(r"(\d+) \(([^)]+)\)", done.stderr.splitlines()[-1])}
    assert counted == dict.fromkeys(frames, 1)
    told = {(cause, what) for what, cause in TOLD.findall(done.stderr)}
    assert told >= {(cause, described(frame)) for cause, frame in frames.items()}, done.stderr
    assert {cause for cause, _ in told} == frames.keys()


def test_a_frame_that_the_switch_drops_is_told_with_why() -> None:
    reserved = bytes.fromhex("0180c2000001 020000000001 88b5") + bytes(46)
    command = (sys.executable, "-c", SEND, "nsoc0", reserved.hex())
    done = nsoc("up", "--count", "2", "--firmware", "net", "--show-drops", "--", *command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert TOLD.findall(done.stderr) == [(described(reserved), "switch, reserved")], done.stderr
    assert "1 (switch, reserved)" in done.stderr.splitlines()[-1]
