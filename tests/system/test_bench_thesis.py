# SPDX-License-Identifier: Apache-2.0
"""The measurements of `nsoc bench thesis` against what the line's arithmetic, or frames sent by hand, give."""

import pytest
from runs import some

import nsoc
from nsoc.bench import jobs, measure
from nsoc.machine import presets

pytestmark = pytest.mark.slow

FAST = "nic12-fast"
SLOW = presets.load(FAST).with_(cpu_mhz=10)
"""A processor that does not keep up; the same simulator."""
NIC_MHZ = 125


def test_one_frame_at_a_time_takes_the_round_trip_and_the_gap() -> None:
    trip = measure.round_trip(FAST, "normal", 256)
    assert trip.least <= trip.mean <= trip.most and trip.us == pytest.approx(trip.mean / NIC_MHZ)
    assert trip.least > 2 * (256 + 14 + 4), "in at a byte a cycle, and out again"
    alone = measure.throughput(FAST, "normal", 256, window=1, frames=40, warm_up=10)
    between_us = 8 * (256 + 14) / alone.mbps
    gap_and_preamble_us = (12 + 8) / NIC_MHZ
    assert between_us == pytest.approx(trip.us + gap_and_preamble_us, rel=0.03)
    assert (alone.lost, alone.window, alone.frames) == (0, 1, 40)


@pytest.mark.parametrize("mode", some(["normal"], ["nic_loopback", "mac_loopback"]))
def test_long_frames_come_back_as_fast_as_the_line_brings_them(mode: str) -> None:
    rate = measure.throughput(FAST, mode, 1486, frames=60, warm_up=20)
    assert rate.mbps == pytest.approx(1000 * 1500 / 1524, rel=1e-3)
    assert rate.line_share == pytest.approx(1, rel=1e-3)
    assert (rate.lost, rate.drops, rate.frames) == (0, {}, 60)
    burst = measure.loss_free_burst(FAST, mode, 1486, most=150)
    assert (burst.frames, burst.lost, burst.unlimited) == (150, False, True)


def test_shortest_frames_lose_nothing_with_packets_in_dram() -> None:
    rate = measure.throughput("nic12-dram", "normal", 46)
    assert rate.line_share == pytest.approx(1, rel=1e-3)
    assert (rate.lost, rate.drops, rate.frames) == (0, {}, measure.FRAMES)


def test_what_a_slow_processor_loses_is_counted_by_cause_and_its_burst_is_the_longest() -> None:
    rate = measure.throughput(SLOW, "normal", 64, frames=300, warm_up=50)
    assert rate.line_share < 0.9
    assert rate.lost == sum(rate.drops.values()) > 0 and "unaccounted" not in rate.drops
    assert 0 < rate.lost_counted < rate.lost
    assert rate.loss == pytest.approx(1 - rate.line_share, abs=0.03), "the line is never idle"
    window = measure.throughput(SLOW, "normal", 64, window=16, frames=300, warm_up=50)
    assert window.lost == 0 and window.mbps == pytest.approx(rate.mbps, rel=0.2)
    burst = measure.loss_free_burst(SLOW, "normal", 64, most=2000)
    assert burst.lost and set(burst.cause.split(", ")) <= set(rate.drops)
    assert [_lost(count) > 0 for count in (burst.frames - 8, burst.frames + 8)] == [False, True]


def _lost(count: int) -> int:
    """Frames of a burst by hand that do not come back; the caches are cold, and the clocks' phases others."""
    with nsoc.Soc(SLOW, seed=3) as soc:
        soc.run(us=20_000, text="ready")
        for _ in range(count):
            soc.wire.send(bytes(78))
        soc.run(us=200_000, idle_us=2000)
        return count - len(soc.wire.receive_all())


def test_the_same_job_gives_the_same_result_in_another_process_and_from_disk() -> None:
    job = jobs.Job("round_trip", FAST, "mac_loopback", 64, seed=5)
    by_hand = measure.round_trip(FAST, "mac_loopback", 64, 5)
    measured = jobs.run([job], workers=1, fresh=True)
    assert measured.measured == 1 and measured.found == {job: by_hand}
    again = jobs.run([job], workers=1)
    assert again.measured == 0 and again.found == {job: by_hand}


def test_a_mode_that_is_none_is_named() -> None:
    with pytest.raises(nsoc.NsocError, match="no mode 'fast', only normal, nic_loopback and mac_loopback"):
        measure.round_trip(FAST, "fast")
