# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench latency` on two nodes in simulation: figures no faster than the wire, the same for a seed, whole
break-downs; every byte right and every frame counted, whatever the applications' pauses, the cable and the peer do."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from runs import some

from nsoc.bench import latency
from nsoc.bench.latency import LatencyResult
from nsoc.bench.latency_loads import MAC_RX, MINIMUM_MODES, RECEIVED
from nsoc.bench.latency_measure import (
    FS_PER_US,
    HEADER_BYTES,
    MODES,
    SMALLEST,
    SMALLEST_UDP,
    STREAM,
    Found,
    most_payload,
    simulate,
    slot_ns,
    wire_ns,
)
from nsoc.bench.latency_stages import stages
from nsoc.cli import call
from nsoc.machine import presets
from nsoc.machine.presets import Preset

pytestmark = pytest.mark.slow  # a simulator of its own

LAT_10G = presets.load("lat-10g")
SAMPLES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 127, 128, 129, 159, 160)
FIRST_OF_TCP, LAST_OF_MAC = 34, 13
"""Bytes of a frame, behind the preamble."""


def checked(found: Found, preset: Preset, payloads: Sequence[int], phases: int, timestamps: bool = False) -> None:
    assert len(found.segments) == len(payloads) * len(MODES) * phases
    for segment in found.segments:
        assert segment.total_fs / 1e6 > wire_ns(segment.payload, preset.line_mbps, timestamps), segment
        found_stages = stages(segment)
        assert sum(found_stages.values()) == segment.total_fs and min(found_stages.values()) >= 0
        core_fs = round(1e9 / preset.nic_mhz)
        passes_fs = (-(-segment.payload // (preset.width // 8)) - 1) * core_fs
        assert segment.total_fs - segment.taps["out_first"] >= passes_fs, (
            "a beat a cycle at most, and the last one counts"
        )
        if segment.mode.startswith(STREAM):
            assert segment.taps["app_first"] >= core_fs, "the watch starts before anything is taken"
            assert segment.taps["app_last"] - segment.taps["app_first"] >= passes_fs
        slower = segment.taps["out_first"] if "verified" in segment.mode else segment.taps["out_last"]
        assert slower > segment.taps.get("verdict", 0), "nothing counts before FCS and sum are known"


@pytest.fixture(scope="module")
def samples() -> Found:
    return simulate(LAT_10G, SAMPLES, phases=4)


def test_every_byte_comes_and_every_break_down_is_whole(samples: Found) -> None:
    checked(samples, LAT_10G, SAMPLES, 4)
    assert samples.stats[0]["tx_fast"] == samples.stats[1]["rx_fast"] == len(samples.segments)


def test_the_line_takes_what_the_line_takes(samples: Found) -> None:
    """From start to terminate column: preamble, frame of 60 bytes at least, FCS, in columns of eight bytes."""
    for segment in samples.segments:
        line_fs = segment.taps["line_last"] - segment.taps["line_first"]
        assert abs(line_fs / 1e6 - wire_ns(segment.payload, 10_000)) <= 6.4


def test_phases_and_connections_are_drawn(samples: Found) -> None:
    assert len({segment.connection for segment in samples.segments}) > 40
    assert len({segment.taps["mac_in"] for segment in samples.segments if segment.payload == 1}) > 8


def test_one_seed_is_one_result(samples: Found) -> None:
    assert simulate(LAT_10G, SAMPLES, phases=4) == samples
    assert simulate(LAT_10G, SAMPLES, phases=4, seed=2).segments != samples.segments


@pytest.mark.parametrize("seed", some([1], range(2, 12)))
def test_applications_may_pause(seed: int) -> None:
    """Without a promise, and where nobody takes anything at once."""
    found = simulate(LAT_10G, (1, 16, 17, 33, 160, 700, 1460), phases=4, gap_percent=40, stall_percent=40, seed=seed)
    assert len(found.segments) == 7 * len(MODES) * 4


@pytest.mark.parametrize("at", [LAST_OF_MAC, FIRST_OF_TCP + 16, 54, 60, 63])
def test_a_segment_that_is_spoilt_on_the_cable_delivers_nothing(at: int) -> None:
    """It comes again, right. Early, the application has been told to forget what it began to get."""
    for when in ("early", "verified"):
        modes = [mode for mode in MODES if when in mode]
        found = simulate(LAT_10G, (10, 64, 300), modes, phases=2, corrupt=at, least_rto_us=20)
        assert len(found.segments) == 3 * 2 * 2
        for segment in found.segments:
            assert segment.total_fs > 18 * 10**9, "not before the retransmission timeout, which counts in us"
        given_up = found.stats[1]["given_up"]
        assert given_up == 0 if when == "verified" else given_up <= len(found.segments)


# ---- Loads -----------------------------------------------------------------------------------------------------------

WINDOW_NS = 40_000
LINE_FRAMES = WINDOW_NS / slot_ns(SMALLEST, 10_000)
"""Of 64 bytes, in a window."""
RTO_US = 400
"""More than what 64 windows take on the line."""
OTHERS = tuple(name for name in latency.PRESETS if name != "lat-10g")


def loaded(preset: Preset = LAT_10G, **options: Any) -> Found:
    """For a short while."""
    return simulate(preset, **options, warm_fs=20 * FS_PER_US, window_fs=WINDOW_NS * FS_PER_US // 1000)


def test_datagrams_in_the_smallest_frames_fill_the_line_both_ways() -> None:
    for load in loaded(udp=(SMALLEST_UDP,)).loads:
        assert load.in_window >= 0.99 * LINE_FRAMES and load.given == load.taken and not load.lost


def test_an_application_that_pauses_loses_whole_datagrams_and_each_is_counted() -> None:
    for load in loaded(udp=(SMALLEST_UDP, 700), udp_stall_percent=90).loads:
        assert load.lost == {"udp_no_room": load.given - load.taken} and load.taken > 0


@pytest.mark.parametrize(
    ("name", "seed"), some([("lat-10g", 1)], [*(("lat-10g", seed) for seed in range(2, 12)), *((n, 1) for n in OTHERS)])
)
def test_a_bad_cable_under_load_costs_no_byte_and_no_frame_unseen(name: str, seed: int) -> None:
    """Frames are lost, spoilt, late and there twice. All bytes come, and each frame has ended in one counter."""
    kinds = {"lose": 10, "spoil": 10, "swap": 10, "repeat": 10}
    found = loaded(presets.load(name), goodput=(1460, 100), least_rto_us=RTO_US, seed=seed, **kinds)
    for load in found.loads:
        assert load.given == load.taken
    for node, line in enumerate(found.lines):
        sent = sum(load.counts["tx_sent"] for load in found.loads if load.node == node)
        into = [load for load in found.loads if load.node != node]
        assert sum(load.frames for load in into) == sent - line["lost"] + line["repeated"]
        dropped = sum(load.counts[name] for load in into for name in MAC_RX if name.startswith("rx_drop"))
        assert dropped == line["spoilt"]
    assert all(sum(line[kind] for line in found.lines) for kind in ("lost", "spoilt", "swapped", "repeated"))
    for stats in found.stats:
        refused = sum(stats[f"segment_drop_{cause}"] for cause in ("short", "offset", "sum", "room"))
        assert stats["net_rx_tcp"] + stats["rx_taken"] == stats["segment_taken"] + stats["rx_stale"] + refused


MSS = ((536, 536), (9000, 1460))
"""What a peer offers, and the longest segment that it gets."""


@pytest.mark.parametrize(
    ("name", "offered", "longest"),
    some([("lat-10g", *mss) for mss in MSS], [(name, *mss) for name in OTHERS for mss in MSS]),
)
def test_a_peer_with_another_mss_gets_segments_of_it_or_ours(name: str, offered: int, longest: int) -> None:
    found = loaded(presets.load(name), goodput=(1460,), offer_mss=offered)
    assert [line["longest"] - HEADER_BYTES for line in found.lines] == [longest, 1460]
    for load in found.loads:
        assert load.given == load.taken > 0 and not load.lost


@pytest.mark.parametrize("name", some(["lat-10g"], OTHERS))
def test_full_segments_fill_the_line_and_are_never_more_than_it_carries(name: str) -> None:
    """They count when the line has them; of the window's ends two words each are left out."""
    preset = presets.load(name)
    for found in simulate(preset, goodput=(1460,)).goodputs:
        share = found.mbps * slot_ns(1460, preset.line_mbps) / (8000 * 1460)
        assert 0.99 <= share <= 1


def test_clocks_200_ppm_apart_cost_the_slower_one_its_share_and_no_frame() -> None:
    for load in loaded(goodput=(1460,), udp=(SMALLEST_UDP,), ppm=200).loads:
        assert load.given == load.taken and not load.lost
        full = load.in_window * slot_ns(1460, 10_000) / 1460 if load.what == "goodput" else load.in_window * 67.2
        assert full > 0.94 * WINDOW_NS, "but for a packet at each end of the window"


HOW = ("reopen", "reset")


@pytest.mark.parametrize(
    ("name", "how"), some([("lat-10g", how) for how in HOW], [(name, how) for name in OTHERS for how in HOW])
)
def test_a_peer_may_close_and_open_again_under_load(name: str, how: str) -> None:
    """All others go on; what was sent before a FIN has come."""
    found = loaded(presets.load(name), goodput=(1460,), **{how: 6})
    for load in found.loads:
        assert load.taken > 64 * 1460 and not load.lost
        if how == "reopen":
            assert load.given == load.taken


def test_a_line_full_of_the_smallest_segments_is_taken() -> None:
    """From a sender that is no engine, through all connections in turn and through one."""
    loads = loaded(received=SMALLEST).loads
    assert [load.what for load in loads] == [what for what in MINIMUM_MODES if what.startswith(RECEIVED)]
    for load in loads:
        least = 0.95 if "paced" in load.what else 0.99  # that one begins slowly
        assert load.in_window / SMALLEST >= least * LINE_FRAMES and load.node == 1 and not load.lost
        came = load.counts["net_rx_tcp"] + load.counts["rx_taken"]
        assert came == load.frames == load.counts["segment_taken"] + load.counts["rx_stale"]


def test_the_command_prints_tables_and_records(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "latency", "lat-10g", "--payload", "1,64", "--phases", "2", "--no-goodput"]
    assert call([*arguments, "--mode", "stream-verified", "--json", "-"]) == 0
    out = capsys.readouterr()
    records = json.loads(out.out)
    assert {r["metric"] for r in records} == {
        "core_mhz", "latency_ns", "latency_least_ns", "latency_most_ns", "first_first_ns", "last_last_ns", "stage_ns",
    }  # fmt: skip
    assert "Door to door, ns. lat-10g: 128 bits at 175 MHz (assumed), 10 Gb/s" in out.err


def test_time_stamps_take_12_bytes_of_the_line() -> None:
    found = simulate(LAT_10G, (1, 500, 1448), phases=2, timestamps=True)
    checked(found, LAT_10G, (1, 500, 1448), 2, timestamps=True)


WIDER = ("lat-25g", "lat-50g", "lat-100g", "lat-10g-ecp5")
EDGES = (1, 6, 10, 11, 26, 42, 58, 74, 75, 138, 202, 266, 1460)
"""Payloads about those that fill a frame's words, of 128 or 512 bits."""


@pytest.mark.parametrize("name", some([], WIDER))
def test_wider_lines_take_the_same_bytes(name: str) -> None:
    """Also where the applications pause, and where a byte of the MAC's header, the TCP sum or the payload is spoilt."""
    preset = presets.load(name)
    found = simulate(preset, EDGES, phases=2)
    checked(found, preset, EDGES, 2)
    assert found.stats[0]["tx_fast"] == found.stats[1]["rx_fast"] == len(found.segments)
    simulate(preset, EDGES, phases=2, gap_percent=40, stall_percent=40)
    for at in (LAST_OF_MAC, FIRST_OF_TCP + 16, 54):
        spoilt = simulate(preset, (10, 64, 300), ("stream-early", "doorbell-verified"), corrupt=at, least_rto_us=20)
        assert all(segment.total_fs > 18 * 10**9 for segment in spoilt.segments) and len(spoilt.segments) == 6


@pytest.mark.long
@pytest.mark.parametrize("name", latency.PRESETS)
def test_every_payload_door_to_door(name: str) -> None:
    preset = presets.load(name)
    payloads = range(1, most_payload(False) + 1)
    checked(simulate(preset, payloads, phases=2), preset, payloads, 2)


@pytest.mark.long
def test_a_cable_takes_its_time_and_nothing_else() -> None:
    """Each of its cycles is 6.4 ns, within what the phases of the clocks make."""
    (far,) = latency.systems(["lat-10g"], cable=50)
    near, late = (simulate(preset, (64,), ("stream-early",), phases=32) for preset in (LAT_10G, far))
    mean = [sum(segment.total_fs for segment in found.segments) / 32e6 for found in (near, late)]
    assert mean[1] - mean[0] == pytest.approx(50 * 6.4, abs=4)


@pytest.mark.long
def test_a_million_of_the_smallest_frames_each_way_back_to_back() -> None:
    """At 10 Gb/s that is 67.2 ms: gaps that drifted by a byte in a thousand frames would cost 12 of them."""
    count = 1_000_000
    window_fs = round(count * slot_ns(SMALLEST, 10_000) * FS_PER_US / 1000)
    loads = simulate(LAT_10G, udp=(SMALLEST_UDP,), warm_fs=20 * FS_PER_US, window_fs=window_fs).loads
    for load in loads:
        assert load.given == load.taken and not load.lost
        assert load.in_window >= count * (1 - 1e-4)


@pytest.mark.long
@pytest.mark.parametrize("width", [64, 512])
def test_other_widths(width: int) -> None:
    preset = LAT_10G.with_(width=width)
    payloads = [*range(1, 200), *range(200, 1461, 37)]
    checked(simulate(preset, payloads, phases=2), preset, payloads, 2)


@pytest.mark.long
@pytest.mark.parametrize("name", latency.PRESETS)
def test_what_the_plan_wants_is_reached(name: str) -> None:
    found: LatencyResult = latency.run(latency.systems([name]), latency.PAYLOADS)
    assert found.failure == ""
