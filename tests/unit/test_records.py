# SPDX-License-Identifier: Apache-2.0
"""A figure that is more than its line carries is an error, wherever it is made."""

from collections.abc import Callable

import pytest

from nsoc.bench import latency_output, live, sockets, toe, toe_measure
from nsoc.bench.latency import LatencyResult, Measured
from nsoc.bench.latency_measure import Goodput
from nsoc.bench.sockets import SocketsResult
from nsoc.bench.sockets_rates import Rate
from nsoc.bench.toe import ToeResult
from nsoc.bench.toe_datagrams import Echo, Echoes
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.records import RATES, SHARES, Record

MODE = ("suite", "nic12-fast")


@pytest.mark.parametrize("metric", [*RATES, *SHARES])
def test_a_figure_above_its_physical_limit_is_an_error_that_names_it(metric: str) -> None:
    limit = 941.5 if metric in RATES else 1.0
    for value in (limit, limit * (1 + 1e-10), limit / 2, 0):
        assert Record(*MODE, metric, value, "normal", 64, limit=limit).value == value
    told = rf"^bench error: {metric} of suite nic12-fast normal 64 is .*, above .*{limit:g}"
    with pytest.raises(NsocError, match=told):
        Record(*MODE, metric, limit * (1 + 1e-8), "normal", 64, limit=limit)


@pytest.mark.parametrize("metric", SHARES)
def test_a_share_is_of_one_whatever_is_wanted_of_it(metric: str) -> None:
    assert Record(*MODE, metric, 1.0, limit=0.99).value == 1.0
    for limit in (None, 0.99, 1.0, 2.0):
        with pytest.raises(NsocError, match="bench error"):
            Record(*MODE, metric, 1.001, limit=limit)


@pytest.mark.parametrize("metric", ["rtt_cycles", "register_load_cycles", "loss", "lut"])
def test_what_is_wanted_of_other_figures_may_be_missed(metric: str) -> None:
    assert Record(*MODE, metric, 70, limit=69).value == 70


@pytest.mark.parametrize("metric", RATES)
def test_a_rate_without_a_limit_is_what_it_is(metric: str) -> None:
    assert Record(*MODE, metric, 1e9).value == 1e9


def _toe(mbps: float) -> object:
    """The slower way is what is shown beside the goal, the other one is a figure, too."""
    both = toe_measure.Run("toe", "tcp-both", 1, loss=False, received_mbps=mbps, sent_mbps=100.0)
    return toe.records(ToeResult([both]))


def _latency(mbps: float) -> object:
    measured = Measured(presets.load("lat-10g"), False, [], [Goodput(1460, 0, mbps * 10.08, 0.8)], (0, 0), [])
    return latency_output.records(LatencyResult([measured], 1))


BENCHES: list[Callable[[float], object]] = [
    _toe,
    lambda mbps: live.records(live.LiveResult([live.Run("nic12-net", "tcp-send", goodput_mbps=mbps + 7.8)])),
    lambda mbps: live.records(live.LiveResult([live.Run("nic12-net", "tcp-send", busy=mbps / 941.5)])),
    lambda mbps: sockets.records(SocketsResult([], [Rate("socket-send", "toe", "goodput_mbps", mbps)])),
    lambda mbps: toe.records(ToeResult([], echoes=Echoes("toe", [Echo(18, mbps / 941.5)]))),
    _latency,
]


@pytest.mark.parametrize("records", BENCHES)
def test_no_bench_shows_more_than_the_line_allows(records: Callable[[float], object]) -> None:
    assert records(941.4)
    with pytest.raises(NsocError, match="bench error"):
        records(942.0)
