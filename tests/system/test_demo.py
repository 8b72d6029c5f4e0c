# SPDX-License-Identifier: Apache-2.0
"""The demo on the real SoC: bit-exact over a bad cable, at line rate over a good one, every frame accounted for."""

import random
from pathlib import Path

import pytest

from nsoc import Soc
from nsoc.demo import DemoResult, run_demo
from nsoc.network.channel import Fate, Faults
from nsoc.network.transfer import Outcome, Transfer


def _demo(out: Path, **options: object) -> DemoResult:
    return run_demo(out=out, **options)


def test_without_loss_the_image_takes_at_least_nine_tenths_of_the_line(tmp_path: Path) -> None:
    result = _demo(tmp_path, loss=0.0, corrupt=0.0)
    assert result.bit_exact
    assert result.outcome.frames_lost == result.outcome.retransmissions == 0
    assert result.drops == {}
    share = {r.mode: r.value for r in result.records() if r.metric == "line_share"}
    assert share["send"] > 0.9 and share["receive"] > 0.9


def test_the_default_cable_loses_frames_and_the_image_is_whole(tmp_path: Path) -> None:
    result = _demo(tmp_path)
    assert result.bit_exact
    assert result.outcome.frames_lost > 0 and result.outcome.retransmissions > 0
    assert result.received_file is not None
    assert result.received_file.read_bytes() == result.picture.data


def test_the_same_seed_gives_the_same_cycles_and_stamps(tmp_path: Path) -> None:
    first, second = (_demo(tmp_path, seed=9) for _ in range(2))
    assert first.cycles == second.cycles
    assert first.outcome.capture == second.outcome.capture


def _transfer(data: bytes, servers: int, **options: object) -> tuple[Outcome, dict[str, int]]:
    with Soc(firmware="forward", defines={"SERVERS": servers}) as soc:
        soc.boot()
        return Transfer(soc, data, **options).run(), dict(soc.counters)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("servers", [0b0001, 0b1111])
def test_each_corrupted_frame_is_dropped_by_the_mac_and_counted_once(seed: int, servers: int) -> None:
    data = random.Random(seed).randbytes(60_000)
    outcome, counters = _transfer(data, servers, faults=Faults(0.1, 0.1), seed=seed)
    assert outcome.data == data
    assert counters["rx_drop_fcs"] == outcome.to_soc[Fate.CORRUPTED] > 0
    assert counters["rx_good"] == outcome.to_soc[Fate.PASSED]
    assert outcome.frames_dropped_in_soc == 0
    assert sum(count for name, count in counters.items() if "drop" in name) == counters["rx_drop_fcs"]


@pytest.mark.parametrize("window", [1, 5, 300])
def test_any_window_gets_through(window: int) -> None:
    data = random.Random(window).randbytes(100_000)
    outcome, _ = _transfer(data, 1, window=window)
    assert outcome.data == data
    assert outcome.frames_lost == 0
