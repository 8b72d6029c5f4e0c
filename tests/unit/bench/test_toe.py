# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench toe` makes of what it measured; few tests simulate."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from nsoc.bench import store, toe, toe_crowd, toe_datagrams, toe_edges, toe_measure
from nsoc.bench.toe import ToeResult
from nsoc.bench.toe_crowd import Flood, Served
from nsoc.bench.toe_datagrams import Echo, Echoes
from nsoc.bench.toe_edges import Edges, Size
from nsoc.bench.toe_measure import MinFrames, Run
from nsoc.errors import NsocError
from nsoc.hardware import synth
from nsoc.hardware.synth import Area, Synthesis, Target
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.network.inet import peer
from nsoc.network.network import Arrived, Network

FULL = Run("toe", "tcp-both", 1, loss=False, received_mbps=940.0, sent_mbps=941.0, open=1)
MANY = Run("toe-1k", "tcp-send", 1024, loss=False, sent_mbps=941.0, open=1016)
LOSSY = Run("toe", "tcp-receive", 1, loss=True, received_mbps=753.0, open=1)
FEW = Run("toe-1k", "tcp-receive", 64, loss=True, received_mbps=900.0, open=64)
SMALLEST = MinFrames("toe-1k", 64, 25600, 17202.0, 12800, 0)
EDGES = Edges([Size(18, 50, 7, 8, 400, 0), Size(1472, 50, 7, 8, 9300, 0)])
ECHOES = Echoes("toe", [Echo(18, 0.25), Echo(1472, 0.99)])
CROWD = Served("toe", "crowd-12", asked=24, served=24, worst_wait_us=130.0)
FLOOD = Flood("toe", "syn-flood-16", goodput_mbps=900.0, quiet_mbps=941.0, opened=199, worst_open_s=1.0)
ALL = ToeResult([FULL, MANY, LOSSY, FEW], SMALLEST, EDGES, ECHOES, Area(15000, 13000, 30.5), [CROWD], [FLOOD])


def test_records_are_named_as_the_plan_has_them() -> None:
    found = {(r.mode, r.metric): r for r in toe.records(ALL) if r.mode != "udp-echo"}
    both = found["tcp-both-1", "goodput_mbps"]
    assert (both.preset, both.value, both.unit) == ("toe", 940.0, "Mb/s")
    assert both.limit == pytest.approx(941.5, abs=0.05)
    assert [found[f"tcp-both-1-{way}", "goodput_mbps"].value for way in ("received", "sent")] == [940.0, 941.0]
    assert found["tcp-send-1024", "goodput_mbps"].preset == "toe-1k"
    assert found["tcp-receive-1-loss1", "goodput_mbps"].value == 753.0
    assert found["tcp-receive-64-loss1", "goodput_mbps"].value == 900.0
    assert (found["min-frames", "loss"].value, found["min-frames", "loss"].unit) == (0, "frames")
    assert found["udp-both", "line_share"].value == 1.0
    assert (found["udp-tx", "latency_cycles"].value, found["udp-tx", "latency_cycles"].published) == (7, 24)
    assert (found["udp-rx", "latency_cycles"].value, found["udp-rx", "latency_cycles"].published) == (8, 27)
    assert (found["net-tcp", "lut"].value, found["net-tcp", "lut"].published) == (15000, 44287)
    assert (found["net-tcp", "ff"].value, found["net-tcp", "bram"].value) == (13000, 30.5)
    assert (found["crowd-12", "served"].value, found["crowd-12", "worst_wait_us"].value) == (1.0, 130.0)
    assert (found["syn-flood-16", "goodput_mbps"].value, found["syn-flood-16", "opened"].value) == (900.0, 199)
    assert len(found) == 17
    echoes = [(r.preset, r.metric, r.payload, r.value) for r in toe.records(ALL) if r.mode == "udp-echo"]
    assert echoes == [("toe", "line_share", 18, 0.25), ("toe", "line_share", 1472, 0.99)]


def test_every_mode_has_a_name_of_its_own() -> None:
    names = toe.modes()
    assert len(names) == len(set(names))
    ways = [f"tcp-{way}-{count}" for way in ("send", "receive", "both") for count in (1, 1024)]
    lossy = [f"tcp-{way}-{count}-loss1" for way in ("send", "receive") for count in (1, 64)]
    crowds = ("crowd-12", "crowd-64", "crowd-1000", "page-200", "syn-flood-16", "syn-flood-255")
    assert set(names) == {*ways, *lossy, *crowds, "min-frames", "udp-both", "udp-tx", "udp-rx", "udp-echo", "net-tcp"}


def test_what_is_missed_is_one_sentence() -> None:
    assert ALL.failure == "missed: tcp-receive-1-loss1 (753.0, wanted 753.2)"
    lost = MinFrames("toe-1k", 64, 25600, 17202.0, 12000, 3)
    slow = Edges([Size(18, 50, 9, 8, 600, 0)])
    assert ToeResult([], lost, slow, None, Area(16001, 14000, 32)).failure == (
        "missed: min-frames (3 lost), udp-both (0.8575 of the line with 18 bytes), udp-tx (9 cycles, wanted 8), "
        "net-tcp lut (16001, wanted 16000)"
    )
    crowd = Served("toe-1k", "crowd-1000", 2000, 1999, 1e6)
    flood = Flood("toe", "syn-flood-255", 380.0, 428.0, 180, 5.0)
    assert ToeResult([], crowds=[crowd], floods=[flood]).failure == (
        "missed: crowd-1000 (1999 of 2000 served), syn-flood-255 (380.0 Mb/s), syn-flood-255 (180 of 200 opened)"
    )
    assert ToeResult([FULL, FEW], SMALLEST, EDGES, crowds=[CROWD], floods=[FLOOD]).failure == ""


def test_tables_have_ours_beside_the_wanted_and_the_published() -> None:
    console = Console(file=StringIO(), width=120)
    for table in toe.tables(ALL):
        console.print(table)
    text = [line.split() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    for row in (
        ["tcp-both-1", "toe", "1", "940.0", "941.0", "99.8%", "99%"],
        ["tcp-send-1024", "toe-1k", "1016", "941.0", "99.9%", "99%"],
        ["min-frames", "frames", "lost", "0", "of", "25600", "0"],
        ["crowd-12", "served", "100.0%", "100%"],
        ["crowd-12", "worst", "wait,", "ms", "0.130"],
        ["syn-flood-16", "goodput,", "Mb/s", "900.0", "385.6"],
        ["syn-flood-16", "opened", "in", "3", "s", "199", "of", "200", "190"],
        ["udp-both", "of", "the", "line,", "all", "sizes", "100.0%", "100%", "46%", "to", "94%"],
        ["net-tcp", "LUT6", "15,000", "16,000", "44,287"],
    ):
        assert row in text
    assert any("1.488 M/s" in line for line in toe.lines(ALL))
    assert any("keeps 95.6%" in line for line in toe.lines(ALL))
    assert toe.tables(ToeResult([])) == [] and toe.lines(ToeResult([])) == []


def test_a_mode_that_there_is_not_is_one_sentence() -> None:
    with pytest.raises(NsocError, match=r"no mode 'tcp', only tcp-receive-1, .*, net-tcp"):
        toe.run(["tcp"])


@pytest.mark.parametrize(
    ("preset", "connections", "words"), [("nic12-fast", 1, "choose toe"), ("toe", 1024, "64 records")]
)
def test_a_preset_without_engine_or_records_is_one_sentence(preset: str, connections: int, words: str) -> None:
    with pytest.raises(NsocError, match=words):
        toe_measure.goodput(preset, "tcp-send", connections, False, 1)


def test_both_ways_at_once_the_window_is_longer_than_the_way_to_the_acknowledgement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else it is closed when an acknowledgement is due, which takes the place of data."""
    asked: list[dict[str, int | str]] = []

    def soc(self: Network, system: Preset, firmware: str, *, defines: dict[str, int | str]) -> None:
        asked.append(defines)
        raise NsocError("enough")

    monkeypatch.setattr(Network, "soc", soc)
    for mode in ("tcp-both", "tcp-receive"):
        with pytest.raises(NsocError, match="enough"):
            toe_measure.goodput("toe", mode, 1, False, 1)
    both, receive = ({name: str(defines[name]) for name in ("TOE_RX_BYTES", "TOE_TX_BYTES")} for defines in asked)
    system, line_bytes_us, segments = presets.load("toe"), 125, 4  # on their way, two at either end
    waits = system.tx_fifo_bytes + peer.AHEAD_US * line_bytes_us + segments * 1538
    assert {int(value.removesuffix("u")) >= waits for value in both.values()} == {True}
    assert {int(value.removesuffix("u")) <= waits for value in receive.values()} == {True}, "there nothing queues"


@pytest.mark.long
def test_one_connection_fills_the_line_both_ways_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toe_measure, "MEASURED_US", 2000.0)
    found = toe_measure.goodput("toe", "tcp-both", 1, False, 1)
    assert 0.99 * toe.LIMIT_MBPS <= found.least <= toe.LIMIT_MBPS * (1 + 1e-9)


@pytest.mark.long
def test_a_flood_of_syns_takes_little_from_who_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the flood's seconds."""
    monkeypatch.setattr(toe_crowd, "SECONDS", 2)
    monkeypatch.setattr(toe_crowd, "OPENERS", 14)
    found = toe_crowd.flood("toe", 16, 1)
    assert found.opened == 14 and found.kept > 0.9 and found.worst_open_s <= toe_crowd.OPEN_S


@pytest.mark.slow
def test_a_crowd_is_served_at_once_and_in_turn() -> None:
    found = toe_crowd.crowd("toe", 12, 1)
    assert (found.asked, found.served) == (24, 24) and found.worst_wait_us < 1e6


@pytest.mark.slow
def test_who_is_not_answered_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toe_crowd, "PATIENCE_US", 1e3)
    monkeypatch.setattr(toe_crowd, "TURN_US", 1e3)
    monkeypatch.setattr(toe_crowd, "ECHO_PORT", 9)  # it discards
    found = toe_crowd.crowd("toe", 2, 1)
    assert (found.asked, found.served) == (4, 2) and found.worst_wait_us < 1e3, "a ping is answered"


def _synthesized(top: str, area: Area, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it had been synthesized before."""
    folder = tmp_path / top
    folder.mkdir()
    kept = Synthesis(top, Target.XC7, {"all": area}, [], 1.0, "netlist.json")
    (folder / synth.RESULT).write_text(json.dumps(asdict(kept)), encoding="utf-8")
    monkeypatch.setattr(synth, "_folder", lambda name, target, about: tmp_path / name)


def test_the_size_is_that_of_net_and_tcp_once_both_are_synthesized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toe, "_calls", lambda wanted, preset, seed: {})
    _synthesized("net", Area(4000, 3000, 2), tmp_path, monkeypatch)
    assert toe.run().area is None and toe.kept().area is None
    _synthesized("tcp_engine", Area(11000, 9000, 20.5), tmp_path, monkeypatch)
    assert toe.run().area == toe.kept().area == Area(15000, 12000, 22.5)
    assert toe.run(["udp-tx"]).area is None
    monkeypatch.setattr(synth, "synthesize_module", lambda top, target, **rest: synth._stored(tmp_path / top))
    monkeypatch.setattr(synth.yosys, "share_folder", lambda: None)
    assert toe.run(["net-tcp"]).area == Area(15000, 12000, 22.5)


def test_what_is_measured_is_kept_and_a_part_of_it_is_asked_for_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    assert toe.kept() == ToeResult([])
    calls = toe._calls((), None, 1)
    for name, result in (("tcp-both-1", FULL), ("min-frames", SMALLEST), ("udp-both", EDGES), ("udp-echo", ECHOES)):
        store.keep(toe._keys(calls, 1)[name], result)
    assert toe.kept() == ToeResult([FULL], SMALLEST, EDGES, ECHOES)
    assert toe.kept(seed=2) == ToeResult([])
    assert toe.run(["udp-rx", "tcp-both-1"]) == ToeResult([FULL], None, EDGES)
    assert {call.preset for call in calls.values()} == {"toe", "toe-1k"}
    assert calls["tcp-send-64-loss1"].preset == calls["min-frames"].preset == "toe-1k"


# ---- The stream edges ------------------------------------------------------------------------------------------------


def test_a_share_is_of_the_lines_time_and_at_most_all_of_it() -> None:
    edges = toe_edges.parse("18 7 8 515 0 0\n1472 6 9 18900 0 0\n", 50)
    assert [size.line_cycles for size in edges.sizes] == [49 * 10.5, 49 * 192.25]
    assert edges.sizes[0].share == 49 * 10.5 / 515
    assert edges.sizes[1].share == 49 * 192.25 / 18900
    assert edges.worst.payload == 1472
    assert (edges.tx_cycles, edges.rx_cycles) == (7, 9)
    assert toe_edges.parse("18 7 8 400 0 0\n", 50).worst.share == 1.0
    waited = toe_edges.parse("18 7 8 400 100 0\n", 50).worst
    assert waited.share == pytest.approx(514.5 / 614.5)


def test_what_comes_out_wrong_is_no_figure() -> None:
    with pytest.raises(NsocError, match="2 datagrams of 64 bytes came out wrong"):
        toe_edges.parse("18 7 8 400 0 0\n64 7 8 700 0 2\n", 50)


@pytest.mark.long
def test_the_block_fills_the_line_in_simulation() -> None:
    edges = toe_edges.measure((18, 19, 64, 65, 1472), frames=20)
    assert (edges.worst.share, edges.tx_cycles, edges.rx_cycles) == (1.0, 6, 8)


# ---- Through the SoC -------------------------------------------------------------------------------------------------


def test_datagrams_that_come_back_once_and_whole_count() -> None:
    def back(data: bytes, **rest: Any) -> Packet:
        return Ether() / IP(src="10.0.0.2", dst="10.0.0.1") / UDP(sport=7, dport=40000, **rest) / data

    sent = [b"one ", b"two ", b"tree"]
    assert toe_datagrams.echoes([_arrived(back(b"two ")), _arrived(Ether(type=0x0806) / bytes(46))], sent) == [0.0]
    for wrong in ([back(b"two "), back(b"two ")], [back(b"four")], [back(b"one ", chksum=1)]):
        with pytest.raises(NsocError, match="not sent to it, or sent it twice"):
            toe_datagrams.echoes([_arrived(one) for one in wrong], sent)
    every_other = [toe_datagrams.slot_us(64) * 2 * number for number in range(2000)]
    assert toe_datagrams.share(64, every_other) == pytest.approx(0.5)
    assert toe_datagrams.share(64, []) == toe_datagrams.share(64, [600.0]) == 0.0
    assert toe_datagrams.slot_us(18) == pytest.approx(0.672) and toe_datagrams.slot_us(1472) == pytest.approx(12.304)


# ---- Smallest frames -------------------------------------------------------------------------------------------------


@dataclass
class _Connection:
    next_sequence: int
    next_expected: int


@dataclass
class _Stream:
    """As much of nsoc.network.inet.Stream as a script needs."""

    local: tuple[bytes, int]
    remote: tuple[bytes, int]
    connection: _Connection


@dataclass
class _Peer:
    mac: bytes = bytes.fromhex("020000000001")
    neighbours: dict[bytes, bytes] = field(
        default_factory=lambda: {bytes((10, 0, 0, 2)): bytes.fromhex("020000000002")}
    )


def _streams() -> list[_Stream]:
    local, remote = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))
    near_the_end = (1 << 32) - 9
    return [
        _Stream((local, 50000), (remote, 9), _Connection(near_the_end, 77)),
        _Stream((local, 50001), (remote, 9), _Connection(1000, 88)),
    ]


def _frames(streams: Sequence[_Stream], segments: int) -> list[bytes]:
    return toe_measure.frames_of(streams, _Peer(), segments)  # type: ignore[arg-type]


def test_segments_fill_the_smallest_frame_exactly_and_follow_each_other() -> None:
    streams = _streams()
    frames = [Ether(frame) for frame in _frames(streams, 3)]
    assert {len(bytes(frame)) for frame in frames} == {60}
    for frame in frames:
        again = Ether(bytes(frame))
        del again[IP].chksum, again[TCP].chksum
        assert bytes(Ether(bytes(again))) == bytes(frame), "sums as Scapy makes them"
        assert frame[IP].len == 46 and frame[TCP].dataofs == 5 and len(bytes(frame[TCP].payload)) == 6
    assert [frame[TCP].sport for frame in frames] == [50000, 50001] * 3
    assert [frame[TCP].seq for frame in frames[::2]] == [(1 << 32) - 9, (1 << 32) - 3, 3]
    assert {frame[TCP].ack for frame in frames[1::2]} == {88}


def _arrived(packet: Packet, *, fcs_ok: bool = True) -> Arrived:
    return Arrived(bytes(packet), 0, 0, fcs_ok, False, 12)


def test_what_is_not_acknowledged_is_lost() -> None:
    def answer(port: int, ack: int, **rest: str) -> Packet:
        return (
            Ether()
            / IP(src="10.0.0.2", dst="10.0.0.1")
            / TCP(sport=9, dport=port, ack=ack, flags=rest.get("flags", "A"))
        )

    first = {50000: (1 << 32) - 9, 50001: 1000}
    arrived = [
        _arrived(answer(50000, (1 << 32) - 3)),
        _arrived(answer(50000, 3)),  # 12 bytes, round the end
        _arrived(answer(50000, (1 << 32) - 3)),  # an older one
        _arrived(answer(50001, 1018), fcs_ok=False),
        _arrived(answer(50001, 999)),  # less than there was
        _arrived(answer(50001, 2000, flags="S")),
        _arrived(answer(50002, 5000)),
        _arrived(Ether(type=0x0806) / bytes(46)),
    ]
    assert toe_measure.acknowledged(arrived, first) == {50000: 12, 50001: 0}


def test_drop_counters_that_went_on_are_told() -> None:
    before = {"toe.segment_drop_room": 2, "toe.segment_taken": 5, "NIC.rx_drop_fcs": 1}
    after = {"toe.segment_drop_room": 4, "toe.segment_taken": 50, "NIC.rx_drop_fcs": 1, "toe.net_rx_drop_bad": 1}
    assert toe_measure.grown(before, after) == {"toe.segment_drop_room": 2, "toe.net_rx_drop_bad": 1}
