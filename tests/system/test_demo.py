# SPDX-License-Identifier: Apache-2.0
"""The demo on the real SoC: bit-exact over a bad cable, at line rate over a good one, every frame accounted for."""

import random
from pathlib import Path

import pytest

from nsoc.demo import DemoResult, run_demo
from nsoc.network.cabled import CabledSoc
from nsoc.network.faults import Faults, Wiring
from nsoc.transfer.echo import Outcome, Transfer


def _demo(out: Path, **options: object) -> DemoResult:
    return run_demo(out=out, **options)


def test_without_loss_the_image_takes_at_least_nine_tenths_of_the_line(tmp_path: Path) -> None:
    result = _demo(tmp_path, wiring=Wiring(Faults()))
    assert result.bit_exact
    assert result.frames_lost == result.outcome.retransmissions == 0
    assert result.drops == {}
    share = {r.mode: r.value for r in result.records() if r.metric == "line_share"}
    assert share["send"] > 0.9 and share["receive"] > 0.9


def test_the_default_cable_loses_frames_and_the_image_is_whole(tmp_path: Path) -> None:
    result = _demo(tmp_path)
    assert result.bit_exact
    assert result.frames_lost > 0 and result.outcome.retransmissions > 0
    assert result.received_file is not None
    assert result.received_file.read_bytes() == result.picture.data


def test_the_same_seed_gives_the_same_cycles_and_stamps(tmp_path: Path) -> None:
    first, second = (_demo(tmp_path / name, seed=9) for name in "ab")
    captures = [result.capture_file.read_bytes() for result in (first, second)]
    assert first.cycles == second.cycles
    assert captures[0] == captures[1]


def _transfer(
    data: bytes, servers: int, faults: Faults | None = None, seed: int = 1, **options: object
) -> tuple[Outcome, dict[str, int], tuple[dict[str, int], dict[str, int]]]:
    with CabledSoc(firmware="forward", seed=seed, wiring=Wiring(faults), defines={"SERVERS": servers}) as soc:
        soc.boot()
        return Transfer(soc, data, **options).run(), dict(soc.counters), soc.counts()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("servers", [0b0001, 0b1111])
def test_each_corrupted_frame_is_dropped_by_the_mac_and_counted_once(seed: int, servers: int) -> None:
    data = random.Random(seed).randbytes(60_000)
    outcome, counters, (to_soc, to_host) = _transfer(data, servers, Faults(loss=0.1, corrupt=0.1), seed)
    assert outcome.data == data
    assert counters["rx_drop_fcs"] == to_soc["corrupted"] > 0
    assert counters["rx_good"] == to_soc["passed"] == sum(to_host.values())
    assert sum(count for name, count in counters.items() if "drop" in name) == counters["rx_drop_fcs"]


@pytest.mark.parametrize("window", [1, 5, 300])
def test_any_window_gets_through(window: int) -> None:
    data = random.Random(window).randbytes(100_000)
    outcome, _, counts = _transfer(data, 1, window=window)
    assert outcome.data == data
    assert all(way["passed"] == sum(way.values()) == outcome.frames_sent for way in counts)


@pytest.mark.long
def test_a_transfer_survives_all_that_the_protocol_can_notice() -> None:
    data = random.Random(5).randbytes(100_000)
    faults = Faults(
        loss=0.05, burst_loss=0.05, corrupt=0.05, duplicate=0.05, reorder=0.1, jitter_us=20, drain_mbps=900,
        stalls=((900, 300),), downs=((600, 100),),
    )  # fmt: skip
    outcome, counters, (to_soc, to_host) = _transfer(data, 1, faults)
    assert outcome.data == data
    arrived = sum(to_soc[fate] for fate in ("passed", "duplicated", "reordered"))
    assert counters["rx_good"] == arrived == sum(to_host.values()) - to_host["duplicated"]
    assert counters["rx_drop_fcs"] + counters["rx_drop_runt"] >= to_soc["corrupted"] > 0
