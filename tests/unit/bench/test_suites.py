# SPDX-License-Identifier: Apache-2.0
"""The registry of benches whose figures are kept: each bench is in it, and each figure finds what measures it."""

import re
from pathlib import Path

import pytest

from nsoc.bench import jobs, pnic, store, suites, thesis
from nsoc.bench.suites import SUITES, exact, point_of
from nsoc.figures import Row
from nsoc.records import Record

BENCH = Path(suites.__file__).parent
NOT_KEPT = {
    "sweep": "what a user asks for", "speed": "figures of this machine, none of them exact",
    "mac": "blocks alone: docs/benchmarks.md has what they lose, beside what they lost before",
}  # fmt: skip


def row(bench: str, preset: str | None, mode: str | None, metric: str, payload: int | None = None) -> Row:
    return Row(
        bench=bench, preset=preset, mode=mode, metric=metric, payload=payload, unit=None, better=None, value=1.0,
        goal=None, commit="0123abcd",
    )  # fmt: skip


def test_each_bench_is_in_the_registry_or_is_left_out_with_a_reason() -> None:
    found = set()
    for file in BENCH.rglob("*.py"):
        found |= set(re.findall(r'^SUITE = "([\w-]+)"', file.read_text(encoding="utf-8"), re.MULTILINE))
    assert found - set(NOT_KEPT) == set(SUITES) - {suites.BLOCKS}
    assert all(name == suite.name and suite.minutes > 0 for name, suite in SUITES.items())


@pytest.mark.parametrize(("mode", "metric", "name"), [
    ("normal", "rtt_us", "round_trip nic12-fast normal 64 0"),
    ("mac_loopback", "rtt_cycles", "round_trip nic12-fast mac_loopback 64 0"),
    ("normal", "rtt_most_cycles", "round_trip nic12-fast normal 64 0"),
    ("normal", "throughput_mbps", "throughput nic12-fast normal 64 0"),
    ("normal:window-16", "line_share", "throughput nic12-fast normal 64 16"),
    ("normal:rx_drop_overflow", "loss", "throughput nic12-fast normal 64 0"),
    ("normal:window-16:rx_drop_overflow", "loss", "throughput nic12-fast normal 64 16"),
    ("normal", "loss_free_burst_unlimited", "burst nic12-fast normal 64 0"),
    ("over nic11-fast", "throughput_ratio", "throughput nic12-fast normal 64 0 throughput nic11-fast normal 64 0"),
    ("over nic11-fast", "rtt_ratio", "round_trip nic12-fast normal 64 0 round_trip nic11-fast normal 64 0"),
])  # fmt: skip
def test_a_figure_of_the_published_tables_finds_its_measurements(mode: str, metric: str, name: str) -> None:
    point = point_of(row("thesis", "nic12-fast", mode, metric, 64))
    assert point.name == name
    assert point.systems == (("nic12-fast", "nic11-fast") if mode.startswith("over ") else ("nic12-fast",))


def test_what_one_measurement_gives_are_the_records_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    from nsoc.bench.measure import RoundTrip

    trip = RoundTrip("nic12-fast", "normal", 64, 28, 300.0, 310.5, 320.0, 125.0)
    monkeypatch.setattr(jobs, "perform", lambda job: trip)
    found = {(one.metric, one.mode, one.payload): one.value for one in point_of(
        row("thesis", "nic12-fast", "normal", "rtt_cycles", 64)
    ).measure()}  # fmt: skip
    assert found["rtt_cycles", "normal", 64] == 310.5
    assert {payload for _, _, payload in found} <= {64, *thesis.published()["6.6"].payloads}


@pytest.mark.parametrize(("of", "name"), [
    (row("images", "nic12-fast", "scheme4-large-loss1-send", "throughput_mbps", 1486), "scheme4-large-loss1"),
    (row("images", "nic12-fast", "burst-16k", "loss_free_burst", 1486), "burst-16k"),
    (row("images", "nic12-dma", "soc-to-soc-large-loss1-sink", "processor_busy"), "soc-to-soc-large-loss1"),
    (row("toe", None, "udp-tx", "latency_cycles"), "udp-both"),
    (row("toe", "toe-1k", "min-frames", "loss", 6), "min-frames"),
    (row("sockets", None, "dca-slots", "lut"), "dca"),
    (row("live", "nic12-net", "lwip-udp", "cpu_cycles", 32), "lwip-udp"),
    (row("latency", "lat-10g", "stream-early", "latency_ns", 64), "lat-10g 64"),
    (row("latency", "lat-10g", "node-0", "goodput_mbps", 1460), "lat-10g streams"),
    (row("pnic", "pnic-rice", "amo-loaded", "order_cycles"), pnic.ORDER),
    (row("pnic", "pnic-rice", "lean-set-update-1bd", "line_share", 64), "frames 64"),
    (row("pnic", "pnic-rice-lock-6x200", "published-lock", "line_share", 1518), pnic.FIGURES),
    (row("cpu", "nic12-fast", "list_sort", "cpi"), "cpu"),
])  # fmt: skip
def test_other_figures_find_their_measurements(of: Row, name: str) -> None:
    assert point_of(of).name == name


def test_what_the_wall_clock_gives_and_what_is_no_number_is_not_kept() -> None:
    assert exact(Record("live", "p", "goodput_mbps", 1.0, "tcp-send"))
    assert not exact(Record("live", "p", "sim_s_per_wall_s", 1.0))
    assert not exact(Record("thesis", None, "sleep_s", 1.0))
    assert not exact(Record("live", "p", "cause", "rx_drop"))
    assert not exact(Record("peers", "p", "goodput_mbps", 1.0))
    of_programs = [Record("live", "p", "wall_mbps", 1.0, "iperf-tcp"), Record("live", "p", "loss", 0.0, "ping")]
    assert SUITES["live"].kept(of_programs) == []


def test_a_bench_that_keeps_nothing_itself_is_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(store, "simulated_digest", lambda: "rtl")
    measured = []

    def run() -> list[Record]:
        measured.append(1)
        return [Record("modes", "nic12-fast", "rtt_cycles", 310.78, "normal", 64)]

    for _ in range(2):
        (found,) = suites._stored("modes", "nsoc.bench.modes", "nic12-fast", run)
        assert found.value == 310.78
    assert len(measured) == 1
