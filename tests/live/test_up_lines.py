# SPDX-License-Identifier: Apache-2.0
"""`nsoc up` on the frames of the cable to Linux: --show-drops prints them, --pcap keeps them."""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from test_up import nsoc, possible, runtime  # noqa: F401 (fixtures)

from nsoc.live.line import Capture, Line
from nsoc.live.world import Setup, World
from nsoc.network import pcapng
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
