# SPDX-License-Identifier: Apache-2.0
"""The cable to Linux as a live session watches it: two hosts stand for Linux and the SoC."""

import random
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from runs import seeds

from nsoc.errors import NsocError
from nsoc.live.line import FROM_SOCS, TO_LINUX, TO_SOC, Capture, Crossing, Drops, Line, Taken
from nsoc.live.world import World
from nsoc.network import pcapng
from nsoc.network.faults import COUNTS, Faults
from nsoc.network.network import Arrived, Network, NetworkHost

EVERYTHING = Faults(
    loss=0.1, burst_loss=0.05, corrupt=0.1, wrong_bytes=0.1, duplicate=0.1, reorder=0.1, jitter_us=5, drain_mbps=500,
    queue_bytes=3000, stalls=((300, 40),), downs=tuple((at + 0.3, 11.7) for at in range(100, 1000, 100)),
)  # fmt: skip
END_US = 1500


def watched(network: Network, linux: NetworkHost, faults: Faults) -> tuple[Any, NetworkHost]:
    """A World, as far as Line looks at one, and its SoC's end."""
    soc = network.host()
    world = SimpleNamespace(
        network=network, fates=[], inner=[], socs=[SimpleNamespace(preset=SimpleNamespace(line_mbps=1000))]
    )
    network.listen(lambda fate: World._keep_fate(world, fate))  # type: ignore[arg-type]
    world.cable = network.cable(linux, soc, faults=faults)
    return world, soc


def answers(soc: NetworkHost, seed: int) -> None:
    """What the SoC sends, whatever comes."""
    rng = random.Random(seed)
    for number in range(150):
        soc.send(bytes(12) + bytes([number]) * rng.choice((60, 400, 1500)), at_us=rng.uniform(0, 1000))


def written(world: Any, path: Path, step_us: float) -> Path:
    """Its capture, when time passes in such steps."""
    capture, line = Capture(path), Line(world)
    while world.network.time_us < END_US:
        world.network.run(us=step_us)
        capture.add(line.take())
        if round(world.network.time_us) % 100:
            continue
        with warnings.catch_warnings(action="error"):
            try:
                pcapng.read(path, both_ways=True)  # whole, and in the order of time
            except NsocError as problem:
                assert "holds no frame" in str(problem) and world.network.time_us < 150
    capture.close()
    return path


@pytest.mark.parametrize("seed", seeds(1, 10))
def test_a_capture_with_every_kind_of_loss_is_read_replayed_and_the_same(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    with Network(seed) as network:
        linux = network.host()
        world, soc = watched(network, linux, EVERYTHING)
        at_ns = 0
        for number in range(150):
            at_ns += rng.choice((0, 500, 12_000))
            linux.queue_at_ps(bytes(12) + bytes([number]) * rng.choice((10, 60, 400, 1500)), at_ns * 1000)
        answers(soc, seed)
        first = pcapng.read(written(world, tmp_path / "first.pcapng", 20), both_ways=True)
        counts = world.cable.counts()
        came, damaged = soc.receive_all(), [frame.data for frame in linux.receive_all() if not frame.good]
    with Network(seed) as network:
        world, soc = watched(network, network.replay(tmp_path / "first.pcapng", start_us=None), EVERYTHING)
        answers(soc, seed)
        again = pcapng.read(written(world, tmp_path / "again.pcapng", 100), both_ways=True)
        assert again == first
        assert world.cable.counts() == counts and soc.receive_all() == came
    assert all(counts[0][name] for name in COUNTS if name != "held"), "every kind of loss"
    said = Counter(packet.comment.removesuffix(" on the cable to the SoC") for packet in first if packet.comment)
    for name in ("lost", "corrupted", "changed", "down", "cut", "overflowed"):
        assert said[name] == counts[0][name]
    assert sum(packet.to_soc for packet in first) == 150
    assert [packet.data for packet in first if packet.bad_fcs] == damaged != []


def test_each_frame_that_ends_in_the_cable_is_told_once() -> None:
    told: list[str] = []
    with Network(3) as network:
        linux = network.host()
        world, soc = watched(network, linux, EVERYTHING)
        line, drops = Line(world), Drops(told.append)
        for number in range(200):
            linux.send(bytes(12) + b"\x12\x34" + bytes([number]) * 500, at_us=number * 5)
        answers(soc, 3)
        while network.time_us < END_US:
            network.run(us=7)
            drops.look(network.time_ps, line.take(), {"cable, lost": 99})
        there, back = world.cable.counts()
    for way, counts in (("to the SoC", there), ("to Linux", back)):
        mine = Counter(text.rpartition(": ")[2] for text in told if f"] {way}, " in text)
        assert mine == {f"cable, {fate}": counts[fate] for fate in ("lost", "down", "overflowed") if counts[fate]}
    assert len(told) == len({*told}) and "514 bytes  00:00:00:00:00:00 > 00:00:00:00:00:00  type 0x1234: " in told[0]


def test_what_a_switch_between_socs_drops_is_told_with_why_and_where_it_came_from() -> None:
    """Two hosts stand for SoCs. Both send more to Linux than its port can queue, and frames for the switch itself."""
    told: list[str] = []
    causes = ("bad", "reserved", "full")
    with Network(5) as network:
        linux, *socs = (network.host() for _ in range(3))
        switch = network.switch(ports=3, queue_bytes=4000)
        preset = SimpleNamespace(line_mbps=1000)
        world: Any = SimpleNamespace(network=network, fates=[], socs=[SimpleNamespace(preset=preset)])
        world.cable = network.cable(linux, switch.ports[0], faults=Faults(corrupt=0.3))
        world.inner = [network.cable(soc, port) for soc, port in zip(socs, switch.ports[1:], strict=True)]
        line, drops = Line(world), Drops(told.append)
        for number in range(60):
            of_linux, of_soc = (bytes.fromhex(f"02000000000{i}") for i in (1, 2))
            linux.send(of_soc + of_linux + bytes([number]) * 100, at_us=number * 20)
            for soc in socs:
                soc.send(of_linux + of_soc + bytes([number]) * 1400, at_us=number * 9)
        for number, end in enumerate((linux, *socs, socs[1])):
            end.send(bytes.fromhex("0180c2000001") + bytes(54), at_us=1300 + 10 * number)
        while network.time_us < END_US:
            network.run(us=3)
            counts = switch.counts()
            drops.look(network.time_ps, line.take(), {f"switch, {why}": counts[why] for why in causes})
    assert all(counts[why] > 2 for why in causes)
    where = Counter(
        (why, text.split("] ")[1].split(",")[0]) for text in told for why in causes if f": switch, {why}" in text
    )
    assert where["bad", "to the SoC"] == counts["bad"]
    assert {way: where["reserved", way] for way in ("to the SoC", "from SoC 0", "from SoC 1")} == {
        "to the SoC": 1, "from SoC 0": 1, "from SoC 1": 2,
    }  # fmt: skip
    assert where["full", "from SoC 0"] + where["full", "from SoC 1"] >= counts["full"]
    assert not [text for text in told if text.endswith(UNSEEN)]


def crossing(start_us: float, way: int = TO_SOC, *, good: bool = True, data: bytes = bytes(60)) -> Crossing:
    start_ps = round(start_us * 1e6)
    return Crossing(way, Arrived(data, start_ps, start_ps + 500_000, good, False, 12))


def told(came: list[Crossing], drops: dict[str, int], now_us: float = 20) -> list[str]:
    """The frames that are told of when the counts rise to `drops`: when each began, and why it went."""
    said: list[str] = []
    one = Drops(said.append)
    one.look(0, Taken(), dict.fromkeys(drops, 0))
    one.look(round(now_us * 1e6), Taken(came=came), drops)
    return [text.partition(",")[0] + " ..." + text.rpartition(":")[2] if text[0] == "[" else text for text in said]


TO, BACK, UNSEEN = "to the SoC ...", "to Linux ...", "that did not come over the cable to Linux"


@pytest.mark.parametrize(
    ("came", "drops", "expected"),
    [
        ([crossing(1), crossing(2, good=False)], {"rx_drop_fcs": 1}, [f"[2.000 us] {TO} rx_drop_fcs"]),
        ([crossing(1), crossing(2, good=False)], {"rx_drop_no_buffer": 1}, [f"[1.000 us] {TO} rx_drop_no_buffer"]),
        (
            [crossing(1), crossing(2), crossing(3)],
            {"SoC 1, rx_drop_overflow": 2},
            [f"[{i}.000 us] {TO} SoC 1, rx_drop_overflow (2 of these 3)" for i in (1, 2, 3)],
        ),
        (
            [crossing(1, TO_LINUX), crossing(2, TO_LINUX, good=False)],
            {"to Linux, bad": 1},
            [f"[2.000 us] {BACK} to Linux, bad"],
        ),
        ([crossing(1, TO_LINUX), crossing(2)], {"to Linux, refused": 1}, [f"[1.000 us] {BACK} to Linux, refused"]),
        (
            [crossing(1), crossing(2, data=bytes.fromhex("0180c2000001") + bytes(54))],
            {"switch, reserved": 1},
            [f"[2.000 us] {TO} switch, reserved"],
        ),
        (
            [crossing(1), crossing(2, FROM_SOCS), crossing(3, FROM_SOCS + 1), crossing(4, TO_LINUX)],
            {"SoC 1, rx_drop_overflow": 2},
            [f"[1.000 us] {TO} SoC 1, rx_drop_overflow", "[2.000 us] from SoC 0 ... SoC 1, rx_drop_overflow"],
        ),
        ([crossing(1)], {"toe_udp.send_refused": 1}, [f"toe_udp.send_refused: 1 frame {UNSEEN}"]),
        ([crossing(1)], {"toe.tcp_fetch_error": 1}, [f"toe.tcp_fetch_error: 1 frame {UNSEEN}"]),
        ([crossing(1), crossing(2, good=False)], {"toe.net_rx_drop_bad": 1}, [f"[2.000 us] {TO} toe.net_rx_drop_bad"]),
        ([crossing(1)], {"tx_drop_abort": 1}, [f"tx_drop_abort: 1 frame {UNSEEN}"]),
        ([crossing(1)], {"net_tx_drop_unresolved": 2}, [f"net_tx_drop_unresolved: 2 frames {UNSEEN}"]),
        (
            [crossing(1)],
            {"from Linux, queue full": 3},
            [f"from Linux, queue full: 3 frames {UNSEEN}"],
        ),
        (
            [crossing(1)],
            {"rx_drop_filtered": 2},
            [f"[1.000 us] {TO} rx_drop_filtered", f"rx_drop_filtered: 1 frame {UNSEEN}"],
        ),
        ([crossing(1)], {"cable, lost": 1}, []),
    ],
)  # fmt: skip
def test_a_receiver_that_counts_means_frames_that_have_just_come(
    came: list[Crossing], drops: dict[str, int], expected: list[str]
) -> None:
    assert told(came, drops) == expected


def test_a_frame_is_dropped_once_and_not_for_long() -> None:
    said: list[str] = []
    drops = Drops(said.append)
    drops.look(10**7, Taken(came=[crossing(1), crossing(9)]), {"rx_drop_filtered": 2})
    drops.look(11 * 10**6, Taken(), {"rx_drop_filtered": 3})
    assert len(said) == 3 and said[2].startswith("rx_drop_filtered: 1 frame that")
    drops.look(20 * 10**6, Taken(came=[crossing(19)]), {"rx_drop_filtered": 3})
    drops.look(200 * 10**6, Taken(), {"rx_drop_filtered": 4})
    assert len(said) == 4 and said[3].startswith("rx_drop_filtered: 1 frame that")


def test_a_capture_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NsocError, match=r"^cannot write the capture .*/x\.pcapng \(.*\); give --pcap another file$"):
        Capture(tmp_path / "file" / "x.pcapng")
    with pytest.raises(
        NsocError, match=r"^cannot write the capture /dev/full \(No space left on device\); give --pcap"
    ):
        Capture(Path("/dev/full"))
    capture = Capture(tmp_path / "x.pcapng")
    capture._writer._file.close()
    capture._writer._file = Path("/dev/full").open("wb")  # noqa: SIM115 (the writer's)
    with pytest.raises(
        NsocError, match=r"^cannot write the capture .*/x\.pcapng \(No space left on device\); give --pcap"
    ):
        capture.add(Taken(sent=[crossing(1)], settled_ps=10**9))


def test_a_fate_that_is_known_later_is_in_the_capture(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "x.pcapng")
    first = replace(crossing(1), number=0, fate="reordered")
    capture.add(Taken(sent=[first], settled_ps=0))
    capture.add(Taken(gone=[replace(first, fate="overflowed")], settled_ps=10**9))
    capture.close()
    assert [packet.comment for packet in pcapng.read(tmp_path / "x.pcapng")] == ["overflowed on the cable to the SoC"]
