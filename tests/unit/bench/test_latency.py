# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench latency` makes of taps; options that cannot be. tests/system/test_bench_latency.py simulates."""

import json
from io import StringIO

import pytest
from rich.console import Console

from nsoc.bench import latency, latency_output
from nsoc.bench.latency import LatencyResult, Measured
from nsoc.bench.latency_loads import ENGINE, STATS, Load
from nsoc.bench.latency_measure import TAPS, WINDOW_US, Goodput, Segment, wire_ns
from nsoc.bench.latency_stages import Point, fit, points, stages
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.machine import presets

TIMES = (5, 20, 17, 22, 38, 51, 153, 166, 181, 186, 198, 152, 204)
"""ns of each tap of a streamed segment."""
WAYS = {
    "application-in": 5, "sum-wait": 12, "header": 5, "tx-crossing": 16, "mac-tx": 13, "line": 102, "mac-rx": 13,
    "rx-crossing": 15, "parse": 5, "verify": 12, "application-out": 6,
}  # fmt: skip


def segment(mode: str = "stream-verified", payload: int = 64, later: int = 0, **others: int | None) -> Segment:
    """One whose taps are TIMES, the last one `later` ns; those named are at another time, or were not high."""
    taps = dict(zip(TAPS, TIMES, strict=True)) | {"out_last": TIMES[-1] + later} | others
    return Segment(mode, payload, 3, {tap: ns * 10**6 for tap, ns in taps.items() if ns is not None})


def result(
    *segments: Segment,
    goodputs: tuple[Goodput, ...] = (),
    fast: tuple[int, int] | None = None,
    loads: tuple[Load, ...] = (),
    preset: str = "lat-10g",
) -> LatencyResult:
    each = fast or (len(segments), len(segments))
    measured = Measured(presets.load(preset), False, points(segments), list(goodputs), each, list(loads))
    return LatencyResult([measured], 2)


def load(what: str, payload: int, node: int, in_window: int, frames: int = 3000, **counts: int) -> Load:
    """`frames` have come, all good at the MAC but those that are named otherwise."""
    zeros = dict.fromkeys((*STATS, *ENGINE), 0)
    return Load(what, payload, node, in_window, 0, frames, in_window, frames, zeros | {"rx_good": frames} | counts)


def test_stages_are_the_differences_of_the_taps_and_add_up() -> None:
    found = stages(segment())
    assert {stage: fs / 1e6 for stage, fs in found.items()} == WAYS
    assert sum(found.values()) == segment().total_fs == 204 * 10**6


def test_a_doorbell_has_no_wait_for_the_sum() -> None:
    """Its beats were taken before the watch starts."""
    found = stages(segment("doorbell-early", app_first=-900, app_last=-880))
    assert (found["application-in"], found["sum-wait"]) == (17 * 10**6, 0)
    assert sum(found.values()) == 204 * 10**6


@pytest.mark.parametrize("tap", ["go", "mac_in", "parsed", "verdict"])
def test_a_tap_that_was_not_high_ends_a_stage_of_nothing(tap: str) -> None:
    found = stages(segment(**{tap: None}))
    assert sum(found.values()) == 204 * 10**6 and 0 in found.values()


def test_a_tap_before_the_one_ahead_of_it_takes_nothing_away() -> None:
    found = stages(segment(parsed=178))
    assert found["parse"] == 0 and found["verify"] == (198 - 181) * 10**6
    assert min(found.values()) >= 0 and sum(found.values()) == 204 * 10**6


def test_a_tap_behind_the_end_is_a_mistake() -> None:
    with pytest.raises(NsocError, match="64 bytes, stream-verified, are not its 204000000 fs"):
        stages(segment(verdict=300))


def test_the_four_watches() -> None:
    point = Point("stream-early", 64, [segment("stream-early"), segment("stream-early", later=10)])
    assert (point.mean, point.least, point.most) == (209.0, 204.0, 214.0)
    assert (point.first_first, point.last_last) == (152.0, 189.0)
    assert Point("doorbell-early", 64, [segment("doorbell-early")]).last_last is None


def test_the_wire_alone_is_that_of_the_plan() -> None:
    """(max(54 + P, 60) + 12) * 8 / Gb/s."""
    assert [wire_ns(payload, 10_000) for payload in (1, 32, 1456)] == pytest.approx([57.6, 78.4, 1217.6])
    assert wire_ns(1, 10_000, timestamps=True) == pytest.approx(63.2)


def test_the_published_slope_is_that_of_the_plan() -> None:
    """The line's 0.8 ns and two passes of 128 bits at 175 MHz: 0.8 + 2 / 16 * 5.714."""
    found = fit(latency.published()["published"]["ns"])
    assert found is not None
    assert found.slope == pytest.approx(1.515, abs=0.002) and 400 < found.fixed < 420
    assert fit({160: 1.0}) is None and fit({1: 1.0, 32: 2.0, 160: 3.0}) is None
    line = fit({160: 420.0, 320: 580.0, 480: 740.0})
    assert line is not None and (line.fixed, line.slope) == pytest.approx((260.0, 1.0))


def test_records_have_the_names_of_the_plan_and_claim_one_ratio() -> None:
    good = Goodput(1460, 1, 9400.0, 1.0)
    smallest = Goodput(6, 1, 100.0, 7.44)
    found = latency_output.records(result(segment(), segment("stream-early"), goodputs=(good, smallest)))
    by = {(r.metric, r.mode, r.payload): r for r in found}
    assert {r.suite for r in found} == {"latency"} and {r.preset for r in found} == {"lat-10g"}
    verified = by["latency_ns", "stream-verified", 64]
    assert (verified.value, verified.unit, verified.published) == (204.0, "ns", 520.0)
    assert verified.source is not None and "NPAP 1.7.0" in verified.source
    assert by["latency_ns", "stream-early", 64].published is None, "early delivery is not compared"
    assert by["core_mhz", "assumed", None].value == 175
    for metric in ("latency_least_ns", "latency_most_ns", "first_first_ns", "last_last_ns"):
        assert (metric, "stream-early", 64) in by
    assert by["stage_ns", "stream-early/line", 64].value == 102.0
    assert sum(float(r.value) for r in found if r.metric == "stage_ns") == pytest.approx(2 * 204)
    goodput = by["goodput_mbps", "node-1", 1460]
    assert goodput.value == 9400.0 and goodput.limit == pytest.approx(9492.8, abs=0.1)
    assert by["line_share", "node-1", 1460].value == pytest.approx(0.99, abs=0.001)
    assert by["line_share", "node-1", 6].value == pytest.approx(0.5, abs=0.001), "of 14.88 frames a microsecond"


def test_what_is_missed_is_one_sentence() -> None:
    assert result(segment()).failure == ""
    slow = segment(later=40)
    assert result(slow).failure == "missed: lat-10g stream-verified of 64 bytes (244.0 ns, wanted 240)"
    assert "goodput of node 0 (9,000 Mb/s)" in result(goodputs=(Goodput(1460, 0, 9000.0, 1.0),)).failure


LINE_FRAMES = WINDOW_US * 1000 / 67.2
"""Frames of 64 bytes of 10 Gb/s in a window."""


def test_minimum_frames_are_a_share_of_the_line_and_the_node_with_less_counts() -> None:
    datagrams = (
        load("udp", 18, 0, round(LINE_FRAMES)),
        load("udp", 18, 1, round(0.8 * LINE_FRAMES), rx_good=2900, rx_drop_fcs=60, rx_no_room=40, udp_no_room=3),
    )
    segments = load("received", 6, 1, round(6 * 0.5 * LINE_FRAMES), segment_drop_room=9, segment_drop_bad=60)
    found = result(loads=(*datagrams, segments))
    by = {(r.metric, r.mode, r.payload): r for r in latency_output.records(found)}
    assert by["line_share", "udp-minimum", 18].value == pytest.approx(0.8, abs=0.001)
    assert by["frames_lost", "udp-minimum", 18].value == 103
    assert by["frames_lost", "udp-minimum/rx_no_room", 18].value == 40
    assert by["line_share", "tcp-minimum-received", 6].value == pytest.approx(0.5, abs=0.001)
    assert by["frames_lost", "tcp-minimum-received", 6].value == 9, "what is bad is the MAC's"
    assert found.failure == (
        "missed: lat-10g udp-minimum (80.0 % of the line), lat-10g tcp-minimum-received (50.0 % of the line)"
    )
    assert result(loads=datagrams, preset="lat-25g").failure == "", "above 10 Gb/s it is shown"
    rows = [" ".join(line.split()) for line in shown(found).splitlines()]
    assert "tcp-minimum-received 50.0% 3,000 segment_drop_room 9" in rows


def test_a_full_line_is_no_miss() -> None:
    found = result(loads=(load("udp", 18, 0, round(LINE_FRAMES)), load("received", 6, 1, round(6 * LINE_FRAMES))))
    assert found.failure == "" and "udp-minimum 100.0% 3,000 none" in " ".join(shown(found).split())


@pytest.mark.parametrize(
    ("counts", "unaccounted"),
    [
        ({"net_rx_tcp": 3000}, 0),
        ({"net_rx_tcp": 2990, "rx_no_room": 10}, 0),
        ({"net_rx_tcp": 990, "rx_taken": 2010}, 0),
        ({"net_rx_tcp": 990, "rx_taken": 2000}, 10),
        ({"rx_good": 2990, "rx_drop_fcs": 10, "net_rx_tcp": 2990, "net_rx_drop_bad": 8, "net_rx_nic": 2}, 0),
        ({"net_rx_tcp": 2990, "net_rx_drop_sum": 10}, 0),
        ({"rx_good": 2990, "net_rx_tcp": 2990}, 10),
        ({"net_rx_tcp": 2990}, 10),
        ({"net_rx_tcp": 2990, "net_rx_drop_bad": 10}, 10),
        ({"net_rx_udp": 2000, "net_rx_tcp": 1000, "udp_no_room": 500}, 0),
        ({"net_rx_udp": 2001, "net_rx_tcp": 999, "udp_no_room": 500}, 1),
        ({"net_rx_udp": 1990, "net_rx_tcp": 1010, "udp_no_room": 500}, 10),
    ],
)
def test_a_frame_that_no_counter_knows_is_missed(counts: dict[str, int], unaccounted: int) -> None:
    taken = 1500 if "net_rx_udp" in counts else 0
    assert load("udp", 18, 0, taken, **counts).unaccounted == unaccounted


def shown(found: LatencyResult) -> str:
    console = Console(file=StringIO(), width=100)
    for table in latency_output.tables(found):
        console.print(table)
    for line in latency_output.lines(found):
        console.print(line, soft_wrap=True)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_tables_say_ours_theirs_the_wire_and_that_the_clock_is_assumed() -> None:
    text = shown(result(segment(), segment("stream-early")))
    rows = [line.split() for line in text.splitlines()]
    watches = ["204.0", "204.0", "204.0", "152.0", "184.0"]
    assert ["64", "stream-verified", *watches, "104.0", "240", "520", "0.392"] in rows
    assert ["64", "stream-early", *watches, "104.0", "215", "520"] in rows
    assert ["l", "line", "102.0"] in rows and ["total", "204.0"] in rows
    assert "128 bits at 175 MHz (assumed), 10 Gb/s" in text and "…" not in text
    assert "delivered by the fast paths" not in text
    bar = next(line for line in text.splitlines() if line.startswith("     64 ") and line.endswith(" 204"))
    assert bar.count("l") == round(72 * 102 / 204)


def test_segments_of_the_slow_path_are_told() -> None:
    assert "of 1 segments 1 were sent and 0 delivered by the fast paths" in shown(result(segment(), fast=(1, 0)))


def test_a_clock_is_assumed_or_placed_and_where_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "lat-10g: the engine's clock is assumed, not placed" in shown(result(segment()))
    tables = latency.published()
    tables["clocks"]["lat-10g"] = "some device, block by block"
    monkeypatch.setattr(latency_output, "published", lambda: tables)
    text = shown(result(segment()))
    assert "175 MHz (placed)" in text and "what place and route have reached: some device, block by block" in text


# ---- Options ---------------------------------------------------------------------------------------------------------


def test_presets_are_changed_by_options() -> None:
    assert [preset.name for preset in latency.systems([])] == list(latency.PRESETS)
    assert {preset.name: preset.xgmii_mhz for preset in latency.systems([])} == {
        "lat-10g": 156.25, "lat-10g-one": 156.25, "lat-10g-ecp5": 78.125, "lat-25g": 195.3125, "lat-50g": 195.3125,
        "lat-100g": 195.3125,
    }  # fmt: skip
    (far,) = latency.systems(["lat-10g"], cable=100)
    assert (far.name, far.cable_cycles) == ("lat-10g cable_cycles=100", 100)
    (wide,) = latency.systems([], width=512, core_mhz=200, rate=10)
    assert (wide.name, wide.width, wide.nic_mhz) == ("lat-10g width=512 nic_mhz=200", 512, 200)
    assert latency.systems(["lat-10g"], width=128)[0].name == "lat-10g"
    (slow,) = latency.systems(["lat-10g"], core_mhz=100, line_bits=128)
    assert (slow.xgmii_mhz, slow.engine_bits, slow.line_mbps) == (78.125, 128, 10_000)
    assert latency.systems([], rate=100, width=512, core_mhz=200)[0].line_bits == 512


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--core-mhz", "150"],
            "10 Gb/s are more than the engine's 64 bits at 150 MHz take (9.6 Gb/s); give it 156.25",
        ),
        (
            ["lat-10g-one", "--core-mhz", "175"],
            "with one_clock the engine has the clock of a line of 10 Gb/s, 156.25 MHz, not 175 MHz at 10 Gb/s",
        ),
        (["--width", "100"], "--width 100 for the preset lat-10g is wrong: width must be 64, 128, 256 or 512"),
        (["--rate", "40"], "--rate is the line's, 10, 25, 50, 100 Gb/s, not 40"),
        (
            ["--rate", "25"],
            "25 Gb/s are more than the engine's 128 bits at 175 MHz take (22.4 Gb/s); give it 195.3125 MHz at least",
        ),
        (["lat-100g", "--core-mhz", "190"], "(97.28 Gb/s); give it 195.3125 MHz at least"),
        (
            ["--rate", "100", "--width", "64"],
            "100 Gb/s are more than the engine's 64 bits at 175 MHz take (11.2 Gb/s); give it 1562.5 MHz at least, or "
            "more bits",
        ),
        (["lat-10g-one", "--rate", "25"], "(10 Gb/s); give it 390.625 MHz at least, or more bits"),
        (["--core-mhz", "10"], "64 bits at 10 MHz take (0.64 Gb/s); give it 156.25 MHz at least"),
        (["--core-mhz", "9"], "--core-mhz 9.0 for the preset lat-10g is wrong: nic_mhz must be a number from 10 to"),
        (["--core-mhz", "nan"], "nic_mhz must be a number from 10 to 1000 MHz, not nan"),
        (["--core-mhz", "inf"], "nic_mhz must be a number from 10 to 1000 MHz, not inf"),
        (["--rate", "nan"], "--rate is the line's, 10, 25, 50, 100 Gb/s, not nan"),
        (["--rate", "inf"], "--rate is the line's, 10, 25, 50, 100 Gb/s, not inf"),
        (["--rate", "10.0004"], "--rate is the line's, 10, 25, 50, 100 Gb/s, not 10.0004"),
        (["lat-50g", "--width", "512"], "at 50 Gb/s the line has 256 bits a cycle, and width must not be more"),
        (["lat-100g", "--width", "128"], "128 bits at 200 MHz take (25.6 Gb/s); give it 781.25 MHz at least, or more"),
        (["--cable", "1001"], "cable_cycles"),
        (["lat-25g", "--width", "256"], "at 25 Gb/s the line has 128 bits a cycle, and width must not be more"),
        (["--line-bits", "128", "--core-mhz", "78"], "more than the engine's 128 bits at 78 MHz take (9.984 Gb/s)"),
        (
            ["--line-bits", "128", "--width", "256"],
            "at 10 Gb/s the line has 128 bits a cycle, and width must not be more",
        ),
        (["lat-10g-one", "--line-bits", "128"], "with one_clock"),
        (["--line-bits", "96"], "96"),
        (["--cable", "-1"], "cable_cycles"),
        (["--rate", "1"], "--rate is the line's, 10, 25, 50, 100 Gb/s, not 1"),
        (["toe"], "the preset toe is no pair of engines; those are lat-10g, lat-10g-one, lat-10g-ecp5, lat-25g"),
        (["lat-20g"], "there is no preset 'lat-20g'"),
        (["lat-10g", "nosuch"], "there is no preset 'nosuch'"),
        (["--payload", "0"], "--payload must be bytes of a segment, 1 to 1460, not '0'"),
        (["--payload", "1461"], "--payload must be bytes of a segment, 1 to 1460, not '1461'"),
        (["--payload", "1,1461"], "1 to 1460, not '1,1461'"),
        (["--payload", "-1"], "--payload '-1' is not like"),
        (["--payload", "1456", "--timestamps"], "1 to 1448"),
        (["--payload", "1449", "--timestamps"], "1 to 1448"),
        (["--payload", "few"], "--payload 'few' is not like"),
        (["--mode", "stream"], "there is no mode 'stream', only stream-early"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_cannot_be_are_one_sentence(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["bench", "latency", *options]) == 1
    error = capsys.readouterr().err.strip()
    assert error.startswith("nsoc: ") and complaint in error and "\n" not in error


def test_a_node_has_a_line_of_10_gb_or_more() -> None:
    with pytest.raises(NsocError, match="a lat_node has a line of 10, 25, 50, 100 Gb/s, not 1"):
        presets.load("lat-10g").with_(line_mbps=1000)


def test_a_system_with_a_processor_has_no_line_of_10_gb() -> None:
    with pytest.raises(NsocError, match="10000 Mb/s is for a lat_node"):
        presets.load().with_(line_mbps=10_000)


def test_presets_are_listed_without_what_does_not_apply(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["presets", "--json", "-"]) == 0
    fields = {r["metric"]: r["value"] for r in json.loads(capsys.readouterr().out) if r["preset"] == "lat-10g"}
    assert fields.keys() == {
        "description",
        "top",
        "nic_mhz",
        "line_mbps",
        "one_clock",
        "connections",
        "width",
        "xgmii_bits",
        "cable_cycles",
        "system",
        "build_s",
    }
    assert call(["run", "hello", "--preset", "lat-10g"]) == 1
    assert "what it can do is `nsoc bench latency lat-10g`" in capsys.readouterr().err


def test_payloads_are_the_published_ones_or_any() -> None:
    assert latency.parse_payloads(None, False) == [1, 32, 64, 160, 448, 960, 1216, 1456]
    assert latency.parse_payloads(None, True)[-1] == 1216, "1456 does not fit beside time stamps"
    assert latency.parse_payloads("all", False) == list(range(1, 1461))
    assert latency.parse_payloads("5,1-3", False) == [1, 2, 3, 5]


@pytest.mark.parametrize(("what", "payload", "mode"), [("udp", 18, "udp-minimum"), ("received", 6, None)])
def test_the_first_frame_that_is_taken_in_the_window_came_before_it(what: str, payload: int, mode: str | None) -> None:
    """200 us at 50 Gb/s have room for 14,880.95 frames of 64 bytes: 14,881 were not on the line in it."""
    taken = 14_881 * (1 if what == "udp" else payload)
    found = latency_output.records(result(loads=(load(what, payload, 1, taken),), preset="lat-50g"))
    shares = [r for r in found if r.metric == "line_share"]
    assert [r.value for r in shares] == [pytest.approx(14_880 * 13.44 / 200_000, rel=1e-12)]
    assert mode is None or shares[0].mode == mode
    with pytest.raises(NsocError, match=r"line_share of latency lat-50g .* is 1\.000003\d*, above"):
        latency_output.records(result(loads=(load(what, payload, 1, taken + taken // 14_881),), preset="lat-50g"))
