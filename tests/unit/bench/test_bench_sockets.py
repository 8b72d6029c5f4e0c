# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench sockets` makes of what it measured; only the `long` test simulates."""

import json
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import needs
import pytest

from nsoc.bench import sockets, sockets_measure, sockets_rates, store
from nsoc.bench.sockets import SocketsResult
from nsoc.bench.sockets_area import DcaArea
from nsoc.bench.sockets_measure import PAYLOADS, Delay, Table
from nsoc.bench.sockets_rates import Rate
from nsoc.errors import NsocError
from nsoc.hardware import synth
from nsoc.hardware.synth import Area, Synthesis, Target
from nsoc.machine.soc import Event, Soc


def _table(way: str, protocol: str, cycles: float, preset: str = "toe") -> Table:
    return Table(way, preset, protocol, [Delay(payload, cycles, 1.5 * cycles, 10 * cycles) for payload in PAYLOADS])


BOTH = SocketsResult([_table("nodca", "udp", 291.0), _table("socket", "tcp", 500.0)])


def test_records_have_cycles_beside_the_published_ones_and_nanoseconds() -> None:
    made = sockets.records(BOTH)
    found = {(one.mode, one.metric, one.payload): one for one in made}
    assert len(made) == len(found) == 2 * 2 * len(PAYLOADS)
    first = found["nodca-udp", "echo_cycles", 32]
    assert (first.suite, first.preset, first.value, first.unit, first.published) == (
        "sockets",
        "toe",
        291,
        "cycles",
        291,
    )
    assert found["socket-tcp", "echo_cycles", 1024].published == 28643
    pins = found["socket-tcp", "echo_gmii_ns", 32]
    assert (pins.value, pins.unit, pins.published) == (5000.0, "ns", None)


def test_what_is_missed_is_named_with_what_is_wanted() -> None:
    assert BOTH.failure == "missed: socket-tcp 32 B (500 cycles, wanted 450)"
    assert SocketsResult([_table("socket", "tcp", 450.0)]).failure == ""
    assert SocketsResult([_table("lwip-raw", "udp", 1e6)]).failure == "", "only measured"


def test_rates_are_beside_what_is_wanted() -> None:
    rates = [Rate("socket-send", "toe", "goodput_mbps", 894.3), Rate("http", "toe", "requests_per_s", 30000.0)]
    result = SocketsResult([], rates)
    assert result.failure == "missed: socket-send (894.3 Mb/s, wanted 894.4)"
    sent, pages = sockets.records(result)
    assert (sent.mode, sent.metric, sent.value, sent.unit, sent.limit) == (
        "socket-send",
        "goodput_mbps",
        894.3,
        "Mb/s",
        sockets.LIMIT_MBPS,
    )
    assert (pages.mode, pages.metric, pages.value, pages.unit) == ("http", "requests_per_s", 30000.0, "1/s")
    (shown,) = sockets.tables(result)
    assert [list(column.cells) for column in shown.columns] == [
        ["socket-send", "http"],
        ["894.3", "30,000"],
        ["894.4", "30,000"],
        ["Mb/s", "1/s"],
    ]
    assert len(sockets.lines(result)) == 1 and len(sockets.tables(SocketsResult(BOTH.tables, rates))) == 2
    received = Rate("socket-receive", "toe", "goodput_mbps", 900.0)
    assert sockets.wanted_rate(received) == pytest.approx(0.95 * sockets.LIMIT_MBPS, abs=0.05)


def test_what_the_program_sent_says_where_it_belongs() -> None:
    stream = b"".join((at // 4).to_bytes(4, "little") + bytes(252) for at in range(0, 1 << 20, 256))
    for at, length in ((0, 1000), (1, 700), (255, 1448), ((1 << 20) - 100, 1448)):
        lies = at % (1 << 20)
        sockets_rates._check_sent((stream + stream)[lies : lies + length], at)
        with pytest.raises(NsocError, match="is wrong"):
            sockets_rates._check_sent((stream + stream)[lies + 1 : lies + 1 + length], at)
    sockets_rates._check_sent(b"", 0)
    swapped = (b"\0\0\0\0" + bytes(252) + b"\0\0\0\x40").ljust(512, b"\0")
    sockets_rates._check_sent(swapped, 0, "big")
    with pytest.raises(NsocError, match="is wrong"):
        sockets_rates._check_sent(swapped, 0)


def test_the_gain_is_a_mean_over_the_payloads() -> None:
    gains = sockets.gain(_table("nodca", "udp", 291.0))
    assert gains[0] == 1.0 and gains[-1] == pytest.approx(3027 / 291)
    (shown,) = sockets.tables(BOTH)
    columns = [list(column.cells) for column in shown.columns]
    assert columns[0][0] == "nodca-udp" and columns[1][:2] == ["291", "291"]
    assert columns[6][0] == f"{sum(gains) / 5:.1f}" and columns[7][0] == "1.0" and columns[8][0] == "10.4"
    assert "1.50 times" in sockets.lines(BOTH)[0]
    assert not sockets.tables(SocketsResult([])) and not sockets.lines(SocketsResult([]))


def test_every_mode_has_published_figures_and_an_unknown_one_is_refused() -> None:
    theirs = sockets.published()
    echoes = [mode for mode in sockets.modes() if mode not in (*sockets.RATES, sockets.AREA)]
    assert all(len(theirs["cycles"][mode]) == len(PAYLOADS) for mode in echoes)
    assert sockets_rates.preset("nodca-http") == "toe-nodca"
    for mode in sockets.RATES:
        metric = sockets_rates.REQUESTS if mode.endswith("http") else sockets_rates.GOODPUT
        wanted = sockets.wanted_rate(Rate(mode, sockets_rates.preset(mode), metric, 1.0))
        assert (wanted is not None) == (sockets_rates.preset(mode) == "toe"), mode
    assert theirs["payloads"] == list(PAYLOADS)
    with pytest.raises(NsocError, match="no mode 'dca-icmp', only dca-udp"):
        sockets.run(["dca-icmp"])


@pytest.mark.parametrize(
    ("preset", "ways"),
    [
        ("toe", ["dca", "socket", ""]),
        ("toe-nodca", ["nodca", "socket", "nodca-"]),
        ("ajit-toe", ["nodca", "socket", "nodca-"]),
        ("nic12-fast", ["lwip-raw", "lwip-socket"]),
    ],
)
def test_a_preset_has_the_modes_of_its_way_to_the_network(preset: str, ways: list[str]) -> None:
    """All of them on it; its own ones are what they are without it."""
    calls = sockets._calls(preset, 1)
    echoes = [f"{way}-{protocol}" for way in ways if way and not way.endswith("-") for protocol in ("udp", "tcp")]
    rates = [
        f"{way}{what}"
        for way in ways
        if not way or way.endswith("-")
        for what in ("socket-receive", "socket-send", "http")
    ]
    assert list(calls) == [*echoes, *rates]
    assert {system for system, _ in calls.values()} == {preset}
    other = "lwip-raw-udp" if "toe" in preset else "socket-udp"
    with pytest.raises(NsocError, match=f"there is no mode '{other}' on {preset}, only {echoes[0]}, "):
        sockets.run([other], preset=preset)


def test_a_delay_is_from_the_first_word_out_of_one_fifo_to_the_last_one_into_the_other() -> None:
    soc = cast(Soc, SimpleNamespace(preset=SimpleNamespace(cpu_mhz=80, line_mbps=1000)))
    at = [("line_in_begin", 100), ("rx_first", 1000), ("rx_last", 1010), ("tx_last", 1500), ("line_out_end", 1700),
          ("rx_first", 1800), ("tx_last", 2250), ("line_out_end", 2600)]  # fmt: skip
    events = [Event(tap, ns * 10**6, 0, 0) for tap, ns in at]
    cycles, ns = sockets_measure.delay(events, soc)
    assert cycles == pytest.approx(1250 * 0.08)
    assert ns == 2600 - 100 + 16


def test_what_was_measured_is_kept_by_mode_and_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    assert sockets.kept() == SocketsResult([])
    keys = sockets._keys(sockets._calls(None, 1), 1)
    store.keep(keys["socket-tcp"], BOTH.tables[1])
    assert sockets.kept() == SocketsResult([BOTH.tables[1]])
    assert sockets.kept(seed=2) == SocketsResult([])
    assert sockets.run(["socket-tcp"]) == SocketsResult([BOTH.tables[1]])
    pages = Rate("http", "toe", "requests_per_s", 1.0)
    store.keep(keys["http"], pages)
    assert sockets.kept() == SocketsResult([BOTH.tables[1]], [pages])


@needs.yosys
def test_the_size_is_that_of_the_unit_and_of_what_the_line_port_adds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "_calls", lambda preset, seed: {})
    monkeypatch.setattr(synth, "_folder", lambda top, target, about: tmp_path / f"{top}-{'parameters' in about}")
    sizes = {
        ("dca_unit", True): Area(1000, 500, 1.5),
        ("cpu_lsu", True): Area(1900, 700, 8.5),
        ("cpu_lsu", False): Area(1400, 300, 2),
        ("dca_slots", False): Area(900, 800, 14),
        ("dca_rings", False): Area(800, 700, 32),
    }
    for (top, chosen), area in sizes.items():
        assert sockets.run().area is None and sockets.kept().area is None
        folder = tmp_path / f"{top}-{chosen}"
        folder.mkdir()
        kept = Synthesis(top, Target.XC7, {"all": area}, [], 1.0, "netlist.json")
        (folder / synth.RESULT).write_text(json.dumps(asdict(kept)), encoding="utf-8")
    assert sockets.run(["dca"]) == sockets.run() == sockets.kept()
    result = sockets.kept()
    assert result.area and result.area.parts == {"unit": Area(1000, 500, 1.5), "line port": Area(500, 400, 6.5)}
    found = {(one.mode, one.metric): (one.value, one.published) for one in sockets.records(result)}
    assert found == {
        ("dca", "lut"): (1500, 288), ("dca", "ff"): (900, 100), ("dca", "bram"): (8.0, 0),
        ("dca-unit", "lut"): (1000, None), ("dca-unit", "ff"): (500, None), ("dca-unit", "bram"): (1.5, None),
        ("dca-line-port", "lut"): (500, None), ("dca-line-port", "ff"): (400, None),
        ("dca-line-port", "bram"): (6.5, None),
        ("dca-slots", "lut"): (900, None), ("dca-slots", "ff"): (800, None), ("dca-slots", "bram"): (14, None),
        ("dca-rings", "lut"): (800, None), ("dca-rings", "ff"): (700, None), ("dca-rings", "bram"): (32, None),
    }  # fmt: skip
    assert result.failure == ""
    large = SocketsResult([], area=DcaArea({"unit": Area(1501, 1300)}, {}))
    assert large.failure == "missed: dca lut (1501, wanted 1500)"
    (shown,) = sockets.tables(result)
    assert [list(column.cells)[:3] for column in shown.columns][1] == ["1,500", "1,500", "288"]
    assert len(sockets.lines(result)) == 1


@pytest.mark.long
def test_an_echo_through_memory_takes_less_than_the_published_one() -> None:
    way = next(way for way in sockets.WAYS if way.name == "nodca")
    table = sockets_measure.measure(way, "udp", 1)
    assert all(gain > 1 for gain in sockets.gain(table))
    assert all(one.cycles <= one.most_cycles < 1.3 * one.cycles for one in table.delays)
