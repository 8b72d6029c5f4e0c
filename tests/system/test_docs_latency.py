# SPDX-License-Identifier: Apache-2.0
"""The latencies that the pages of docs/ show are those of the SoC as it is: measured again, to the last digit."""

import json

import pytest

from nsoc.docs import latency, rtl_tree, watch
from nsoc.docs.__main__ import LATENCY
from nsoc.errors import NsocError
from nsoc.machine.build import checkout

pytestmark = pytest.mark.slow

KEPT = json.loads((checkout() / LATENCY).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("what", "measure"),
    [
        pytest.param("hops", latency.hops, marks=pytest.mark.long),  # a simulator that watches every channel
        pytest.param("frame", latency.frame_on_its_way, marks=pytest.mark.long),  # the same simulator
        ("processor", latency.processor),
        pytest.param("round_trips", latency.round_trips, marks=pytest.mark.long),  # 16 seeds
        pytest.param("throughput", latency.throughput, marks=pytest.mark.long),
    ],
)
def test_measured_again_it_is_the_same(what: str, measure: object) -> None:
    assert callable(measure)
    now = measure()
    changed = [(old, new) for old, new in zip(KEPT[what], now, strict=False) if old != new]
    assert not changed and len(KEPT[what]) == len(now), f"{LATENCY} is out of date, run `make docs`: {changed[:3]}"


def test_a_frame_comes_by_its_stations_in_order() -> None:
    times = [row["ns"] for row in KEPT["frame"]]
    assert times[0] == 0 and times == sorted(times)
    # 64 bytes at 8 ns each, from the first to the last, in and out, there with a preamble: the line's own time.
    preamble = next(row["ns"] for row in KEPT["frame"] if row["what"].startswith("first preamble byte"))
    assert times[1] == 63 * 8 and times[-1] - preamble == (8 + 63) * 8


def test_a_channel_that_is_no_more_is_an_error_that_says_so() -> None:
    with pytest.raises(NsocError, match=r"no channel u_nic\.nonsense"):
        watch.bindings(rtl_tree.elaborate(), ["u_nic.nonsense"])
