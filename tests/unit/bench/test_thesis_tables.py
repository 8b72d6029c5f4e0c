# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench thesis` without a simulator: published figures, what is kept, what is missing, what is said."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from nsoc.bench import jobs, mac_example, measure, thesis
from nsoc.bench.jobs import Failed, Job, Results
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.hardware import synth
from nsoc.machine import presets
from nsoc.network.ethernet import line_limit

RECORD_KEYS = ["suite", "preset", "mode", "metric", "payload", "value", "unit", "limit", "published", "source"]

# Typed from the document, row by row: payload, then the columns from left to right.
DOCUMENT = {
    "2.1": "64 230 192 202 / 128 244 201 213 / 256 270 220 234 / 512 323 261 280 / 1024 409 333 354",
    "2.2": "64 9.28 9.46 9.41 / 128 15.84 17.37 16.95 / 256 18.56 32.42 28.64 / 512 27.92 49.97 43.96 / "
    "1024 36.24 57.33 51.58 / 1486 40.72 62.37 56.46",
    "6.1": "32 3.574 3.164 0.834 / 64 4.694 4.164 1.474 / 128 6.864 6.424 2.754 / 256 12.104 11.544 5.314 / "
    "512 22.184 21.784 10.434 / 1024 42.624 42.264 20.674 / 1500 61.804 61.314 30.194",
    "6.2": "1024 1234.07 1248.90 1600.15",
    "6.3": "64 108 / 128 125 / 256 136 / 512 146 / 1024 166",
    "6.4": "64 143 140 / 128 146 145 / 256 151 149 / 512 165 156 / 1024 188 180",
    "6.5": "64 297.07 / 128 407.06 / 256 689.93 / 512 867.73 / 1024 986.16 / 1486 1018.85",
    "6.6": "64 52.60 62.74 / 128 84.79 100.94 / 256 151.49 179.19 / 512 270.42 334.75 / 1024 477.09 602.45 / "
    "1486 526.12 731.89",
    "7.1": "64 230 143 192 140 / 128 244 146 201 145 / 256 270 151 220 149 / 512 323 165 261 156 / "
    "1024 409 188 333 180",
    "7.2": "64 9.28 52.60 9.46 62.74 / 128 15.84 84.79 17.37 100.94 / 256 18.56 151.49 32.42 179.19 / "
    "512 27.92 270.42 49.97 334.75 / 1024 36.24 477.09 57.33 602.45 / 1486 40.72 526.12 62.37 731.89",
}
SENT = {"6.2": [1233.33, 1248.15, 1600.15], "6.5": [297.07, 407.06, 689.93, 867.73, 986.16, 1018.85]}
SYSTEMS = {
    "2.1": ["nic11-dram", "nic11-fast", "nic11-l2"],
    "2.2": ["nic11-dram", "nic11-fast", "nic11-l2"],
    "6.1": ["nic12-fast"] * 3,
    "6.2": ["nic12-fast"] * 3,
    "6.3": ["nic12-fast"],
    "6.4": ["nic12-dram", "nic12-fast"],
    "6.5": ["nic12-fast"],
    "6.6": ["nic12-dram", "nic12-fast"],
    "7.1": ["nic11-dram", "nic12-dram", "nic11-fast", "nic12-fast"],
    "7.2": ["nic11-dram", "nic12-dram", "nic11-fast", "nic12-fast"],
}
SLEEP = "0.0 4.25e-06 / 1e-323 5.98e-05 / 1e-09 5.68e-05 / 1e-08 5.61e-05 / 1e-07 5.59e-05 / 1e-06 5.59e-05 / 1e-05 \
6.62e-05 / 1e-04 1.55e-04 / 1e-03 1.05e-03 / 1e-02 1.02e-02 / 1e-01 1.00e-01"


def _rows(text: str) -> list[list[float]]:
    return [[float(word) for word in row.split()] for row in text.split("/")]


def _halves(table: thesis.Published) -> tuple[tuple[thesis.Column, ...], tuple[thesis.Column, ...]]:
    """The columns as printed, and once more for the presets with SPARC V8."""
    half = len(table.columns) // 2
    return table.columns[:half], table.columns[half:]


# ---- Published figures ----


@pytest.mark.parametrize("number", DOCUMENT)
def test_a_published_table_is_that_of_the_document(number: str) -> None:
    table = thesis.published()[number]
    columns, twins = _halves(table)
    rows = [[float(payload), *(table.value(column, payload) for column in columns)] for payload in table.payloads]
    assert rows == _rows(DOCUMENT[number])
    assert [column.preset for column in columns] == SYSTEMS[number]
    assert [(twin.preset, twin.values, twin.mode, twin.name, twin.title) for twin in twins] == [
        (f"ajit-{column.preset}", column.values, column.mode, column.name, f"{column.name} (V8)") for column in columns
    ]
    assert [twin.over for twin in twins] == [column.over and f"ajit-{column.over}" for column in columns]
    assert table.source.endswith(f"(IIT Bombay, 2025), Table {number}")
    assert table.metric == ("throughput_mbps" if number in ("2.2", "6.2", "6.5", "6.6", "7.2") else "rtt_us")
    assert [value for column in columns for value in column.send] == SENT.get(number, [])


def test_every_published_table_is_there_and_every_preset_exists() -> None:
    assert list(thesis.published()) == list(DOCUMENT)
    assert set(thesis.names()) == {*DOCUMENT, "B.1", "B.2", "C.1", "burst", "limits", "utilization"}
    assert set(thesis.SYSTEMS) <= set(presets.names())
    assert list(map(list, zip(*_sleep(), strict=True))) == _rows(SLEEP)
    modes = [column.mode for column in _halves(thesis.published()["6.1"])[0]]
    assert modes == ["normal", "nic_loopback", "mac_loopback"]
    assert {column.mode for number in ("6.3", "6.5") for column in thesis.published()[number].columns} == {
        "mac_loopback"
    }
    host = thesis.host_model()
    assert (host.send_us, host.receive_us, host.jitter_us) == (30, 30, 0)


def _sleep() -> tuple[list[float], list[float]]:
    known = thesis.data()["sleep"]
    return known["requested"], known["actual"]


def test_a_published_throughput_is_converted_and_a_round_trip_is_not() -> None:
    table = thesis.published()["6.6"]
    assert table.converted(table.columns[1], 1486) == pytest.approx(731.89 * 2**20 / 1e6)
    table = thesis.published()["6.4"]
    assert table.converted(table.columns[1], 1024) == 180


def test_the_window_is_the_published_burst_for_the_size_of_the_fifo() -> None:
    assert [thesis.window_of(preset) for preset in ("nic11-dram", "nic12-fast")] == [4, 16]


@pytest.mark.parametrize(("payload", "mbps"), [(64, 78 / 102), (1486, 1500 / 1524), (46, 60 / 84), (32, 60 / 84)])
def test_the_line_limit_counts_preamble_fcs_gap_and_padding(payload: int, mbps: float) -> None:
    assert line_limit(payload) == pytest.approx(1000 * mbps)


# ---- A study of made-up figures ----

US = {"nic11-dram": 60.0, "nic11-l2": 40.0, "nic11-fast": 30.0, "nic12-dram": 9.0, "nic12-l2": 6.0, "nic12-fast": 2.0}
US |= {f"ajit-{name}": us for name, us in US.items()}


def _measured(job: Job) -> Any:
    """Slower systems are slower; a byte costs 16 ns; throughput is what one frame at a time would give, or the line."""
    us = US.get(job.preset, 1.0) + 0.016 * job.payload
    if job.kind == "round_trip":
        cycles = round(us * 125)
        return measure.RoundTrip(job.preset, job.mode, job.payload, 28, cycles - 2, cycles, cycles + 2, cycles / 125)
    if job.kind == "throughput":
        limit = line_limit(job.payload)
        mbps = min(limit, 8 * (job.payload + 14) / US[job.preset] * 2)
        lost = 0 if job.window or mbps == limit else 40
        drops = {"rx_drop_overflow": 40} if lost else {}
        return measure.Throughput(
            job.preset, job.mode, job.payload, job.window, mbps, job.frames, job.frames + 500, lost, drops, lost
        )
    if job.kind == "burst":
        fast = job.preset.endswith("nic12-fast")
        frames, cause = (job.frames, "") if fast else (23, "rx_drop_overflow")
        return measure.Burst(job.preset, job.mode, job.payload, frames, not fast, fast, cause)
    trip = mac_example.RoundTrip(64, 16, 225, 225, 225.0)
    rates = [mac_example.Throughput(64, mode, 10, 300.0, 300.0) for mode in ("delay-1us", "line-rate")]
    return mac_example.MacExampleResult(presets.load("mac-example"), [trip], rates)


def _study(
    tables: list[str] | None = None,
    systems: list[str] | None = None,
    change: Callable[[Job, Any], Any] = lambda job, result: result,
    **options: Any,
) -> thesis.Study:
    plan = thesis.plan(tables or [], systems or [], **options)
    results = Results({job: change(job, _measured(job)) for job in plan.jobs()}, 0)
    return thesis.Study(plan, results, thesis.host_model(), dict.fromkeys(thesis.data()["sleep"]["requested"], 1e-4))


def _text(study: thesis.Study) -> str:
    written = io.StringIO()
    console = Console(width=100, file=written, highlight=False)
    for part in thesis.sections(study):
        console.print(part)
    return written.getvalue()


def test_every_table_fits_a_hundred_columns_and_has_ours_theirs_and_the_ratio() -> None:
    text = _text(_study())
    assert max(map(len, text.splitlines())) <= 100
    assert "…" not in text
    for number in (*DOCUMENT, "B.1", "B.2", "C.1"):
        assert f"Table {number}." in text
    row = next(line for line in text.partition("Table 6.6")[2].splitlines() if "nic12-fast" in line and "1486" in line)
    assert row.split() == ["nic12-fast", "1486", "984.25", "100.0%", "none", "984.25", "731.89", "767.44", "1.28"]
    row = next(line for line in text.partition("Table 6.4")[2].splitlines() if "nic12-fast" in line and "1024" in line)
    assert row.split() == ["nic12-fast", "1024", "2,298.0", "18.38", "78.38", "180", "0.10", "0.44"]
    assert "the order DRAM, L2 cache, local memory holds at all 6 payloads" in text
    assert "Host model (not measured): 30 us to send" in text


def test_records_have_the_schema_and_name_their_table() -> None:
    study = _study()
    made = json.loads(jobs_json(study))
    assert all(list(record) == RECORD_KEYS and record["suite"] == "thesis" for record in made)
    found = {(r["source"].rpartition(" ")[2], r["preset"], r["mode"], r["metric"], r["payload"]): r
             for r in made if r["source"]}  # fmt: skip
    for number, text in DOCUMENT.items():
        table = thesis.published()[number]
        unit = 2**20 / 1e6 if table.metric == "throughput_mbps" else 1
        for payload, *values in _rows(text):
            for column, value in zip(table.columns, [*values, *values], strict=True):
                record = found[number, column.preset, column.mode, table.metric, int(payload)]
                assert record["published"] == pytest.approx(value * unit, abs=1e-3)
    rate = found["6.6", "nic12-fast", "normal", "throughput_mbps", 1486]
    assert rate["value"] == rate["limit"] == pytest.approx(1000 * 1500 / 1524, abs=1e-3)
    ratio = found["7.1", "nic12-fast", "over nic11-fast", "rtt_ratio", 64]
    assert ratio["published"] == pytest.approx(140 / 192, abs=1e-4)
    assert ratio["value"] == pytest.approx((2 + 1.024) / (30 + 1.024), abs=1e-3)
    simulated = found["6.1", "nic12-fast", "mac_loopback", "rtt_cycles", 32]
    assert simulated["published"] == pytest.approx(83.4), "at 10 ns a cycle"
    met = {(r["preset"], r["metric"], r["payload"]): r["value"] for r in made if r["metric"].endswith("_met")}
    assert met["nic12-fast", "rtt_cycles_met", 1024] is True and met["nic12-fast", "line_share_met", 64] is False


def jobs_json(study: thesis.Study) -> str:
    from nsoc.records import to_json

    return to_json(thesis.records(study))


def test_a_system_without_figures_is_a_row_and_a_sentence() -> None:
    def change(job: Job, result: Any) -> Any:
        return Failed("the RTL [of it] does not build") if job.preset == "nic11-l2" else result

    study = _study(change=change)
    text = _text(study)
    row = next(line for line in text.splitlines() if "nic11-l2" in line and "1024" in line)
    assert row.split() == ["nic11-l2", "1024", "-", "-", "-", "354", "-", "-"]
    assert "nic11-l2: no figures, the RTL [of it] does not build" in text
    assert study.failure == "no figures of nic11-l2: the RTL [of it] does not build"
    assert not [record for record in thesis.records(study) if record.preset == "nic11-l2"]
    said = [sentence for sentence, _ in thesis.orders(study)]
    assert not [one for one in said if one.startswith(("NIC_1.1, r", "NIC_1.1, t"))], "of nothing nothing is said"
    assert len([one for one in said if one.startswith("NIC_1.1, V8, ")]) == 2


def test_limits_are_met_or_missed_by_what_was_measured() -> None:
    limits = {(limit.preset, limit.metric, limit.payload): limit for limit in thesis.limits(_study())}
    assert limits["nic12-fast", "line_share", 1486].met
    assert not limits["nic12-fast", "line_share", 64].met
    assert limits["nic12-fast", "line_share", 64].limit == 0.999
    assert limits["nic12-dram", "line_share", 256].limit == 0.99
    assert limits["nic12-dram", "line_share", 64].limit == 0.5
    assert limits["nic12-fast", "rtt_cycles", 1024].limit == pytest.approx(2.05 * 1038 + 200)
    assert limits["nic12-l2", "throughput_mbps", 128].met
    assert limits["nic12-fast", "loss_free_burst", 64].met

    def slow_l2(job: Job, result: Any) -> Any:
        return replace(result, mbps=1.0) if job.kind == "throughput" and job.preset == "nic12-l2" else result

    worse = {(limit.preset, limit.metric, limit.payload): limit for limit in thesis.limits(_study(change=slow_l2))}
    assert not worse["nic12-l2", "throughput_mbps", 128].met
    assert "limits missed" in _study(change=slow_l2).failure


def test_an_order_that_is_broken_is_said_with_its_figures() -> None:
    def swapped(job: Job, result: Any) -> Any:
        return replace(result, us=1.25) if job.kind == "round_trip" and job.preset == "nic11-dram" else result

    said = dict(thesis.orders(_study(change=swapped)))
    broken = [sentence for sentence, holds in said.items() if not holds]
    assert len(broken) == 1 and broken[0].startswith("NIC_1.1, round trip: ") and "64 (1.25, 41.02" in broken[0]


def test_the_line_is_no_reason_to_call_an_order_broken() -> None:
    def full(job: Job, result: Any) -> Any:
        return replace(result, mbps=line_limit(job.payload)) if job.kind == "throughput" else result

    assert all(holds for _, holds in thesis.orders(_study(change=full)))


def test_few_frames_and_losses_are_said() -> None:
    def few(job: Job, result: Any) -> Any:
        return replace(result, frames=310) if job.kind == "throughput" and job.preset == "nic11-dram" else result

    text = _text(_study(["2.2"], change=few))
    assert "nic11-dram 64 B: 310" in text
    assert f"{100 * 40 / 2040:.1f}%" in text


def test_only_the_presets_asked_for_are_measured_and_shown() -> None:
    study = _study([], ["nic12-fast"])
    assert {job.preset for job in study.results.found} == {"nic12-fast", "mac-example"}
    text = _text(study)
    assert "nic11-dram" not in text and "Table 2.1" not in text and "Table 7.1" in text


def test_quick_measures_fewer_payloads_and_frames() -> None:
    full, quick = (thesis.plan(quick=quick).jobs() for quick in (False, True))
    assert {job.payload for job in quick if job.kind == "throughput"} == {64, 1024, 1486}
    assert sum(job.frames * job.payload for job in quick) < sum(job.frames * job.payload for job in full) / 3


def test_a_figure_of_several_tables_is_measured_once() -> None:
    assert len(thesis.plan(["2.1", "6.4", "7.1"]).jobs()) == 2 * 5 * 5
    assert len(thesis.plan(["7.1"]).jobs()) == 2 * 4 * 5


def test_the_host_model_adds_what_it_says_and_draws_its_jitter_by_the_seed() -> None:
    assert thesis.HostModel(30, 20).round_trip_us(3.0, 28) == 53.0
    one, same, other = (thesis.HostModel(30, 30, 10, seed).round_trip_us(3.0, 500) for seed in (1, 1, 2))
    assert one == same != other
    assert one == pytest.approx(63 + 10, abs=1), "5 us each way on average"


def test_sleeps_are_measured_with_the_clock() -> None:
    asked: list[float] = []
    took = thesis.measure_sleeps([0.0, 1e-6], asked.append)
    assert asked == [0.0] * thesis.SLEEPS + [1e-6] * thesis.SLEEPS
    assert all(0 < seconds < 1 for seconds in took.values())


# ---- Utilization ----


def _area(name: str, bram: float) -> synth.Synthesis:
    return synth.Synthesis(name, synth.Target.XC7, {"all": synth.Area(20380, 40760, bram, 4)}, [], 1.0, "")


def test_utilization_is_in_percent_of_the_board_beside_the_published_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"nic12-fast": _area("nic12-fast", 100), "nic12-dram": _area("nic12-dram", 36)}
    monkeypatch.setattr(synth, "kept_preset", lambda preset, target: kept.get(preset.name))
    monkeypatch.setattr(synth, "synthesize", lambda name, target: pytest.fail("nobody asked for minutes of synthesis"))
    monkeypatch.setattr(jobs, "run", lambda wanted, **options: Results({}, 0))
    monkeypatch.setattr(thesis.study, "measure_sleeps", lambda asked: dict.fromkeys(asked, 1e-4))
    study = thesis.run(thesis.plan())
    text = _text(study)
    rows = [line.split() for line in text.splitlines() if line.startswith(" nic12-fast") and "LUTs" in line]
    assert rows == [["nic12-fast", "LUTs", "20,380", "10.00", "53.02", "0.19"]]
    assert "nic12-fast has +64 block RAMs (of 36 kbit) over nic12-dram; published +69.5." in text
    assert "Not synthesized yet: nic11-fast, nic11-dram;" in text
    record = next(r for r in thesis.records(study) if (r.preset, r.metric) == ("nic12-fast", "lut"))
    assert (record.suite, record.value, record.published) == ("thesis", 20380, round(0.5302 * 203800))
    assert record.source is not None and "KC705 FPGA Utilization Report" in record.source


def test_what_was_synthesized_is_found_again_until_the_preset_changes(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a Yosys that only says what it counted."""

    def run(script: object, folder: Path, what: str, seconds: float) -> Path:
        folder.mkdir(parents=True)
        cells = {"num_cells_by_type": {"LUT6": 7, "FDRE": 5, "RAMB36E1": 2}}
        (folder / "stat.json").write_text(json.dumps({"modules": {"\\nsoc": cells}}), encoding="utf-8")
        (folder / "yosys.log").write_text("", encoding="utf-8")
        return folder / "yosys.log"

    monkeypatch.setattr(synth.yosys, "run", run)
    monkeypatch.setattr(synth.yosys, "share_folder", lambda: None)
    elf = kept / "forward.elf"
    elf.parent.mkdir(parents=True)
    elf.write_bytes(b"")
    monkeypatch.setattr(synth.firmware, "build_for", lambda preset: elf)
    monkeypatch.setattr(synth, "rom_file", lambda elf, rom_bytes, folder, arch: elf)
    preset = presets.load("nic12-fast")
    assert synth.kept_preset(preset, synth.Target.XC7) is None
    made = synth.synthesize_preset(preset, synth.Target.XC7)
    assert (made.area.lut, made.area.ff, made.area.bram) == (7, 5, 2)
    assert synth.kept_preset(preset, synth.Target.XC7) == made
    assert synth.kept_preset(preset, synth.Target.ECP5) is None
    assert synth.kept_preset(preset.with_(rx_fifo_bytes=4096), synth.Target.XC7) is None


def test_utilization_that_is_asked_for_is_synthesized_and_a_failure_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def synthesize(name: str, target: synth.Target) -> list[synth.Synthesis]:
        if name != "nic12-fast":
            raise NsocError("pyosys is missing: run `make synth`\n...")
        return [_area(name, 100)]

    monkeypatch.setattr(synth.yosys, "share_folder", lambda: None)
    monkeypatch.setattr(synth, "kept_preset", lambda preset, target: None)
    monkeypatch.setattr(synth, "synthesize", synthesize)
    study = thesis.run(thesis.plan(["utilization"], ["nic12-fast", "nic11-dram"]), workers=0)
    assert "nic11-dram: no figures, pyosys is missing: run `make synth`" in " ".join(_text(study).split())
    assert study.failure.startswith("no figures of nic11-dram: pyosys")


# ---- The longest burst ----


@pytest.mark.parametrize("limit", [0, 1, 5, 63, 64, 999])
def test_the_longest_burst_is_found_and_checked(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(preset: str, mode: str, payload: int, seed: int, count: int) -> tuple[int | None, bool, str]:
        return (None, False, "") if count <= limit else (limit, False, "rx_drop_overflow")

    monkeypatch.setattr(measure, "_burst", burst)
    found = measure.loss_free_burst("nic12-fast", most=1000)
    assert (found.frames, found.lost, found.unlimited, found.cause) == (limit, True, False, "rx_drop_overflow")


def test_a_first_guess_that_does_not_hold_is_searched_by_bisection(monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(preset: str, mode: str, payload: int, seed: int, count: int) -> tuple[int | None, bool, str]:
        return (None, False, "") if count <= 37 else (80, False, "why")

    monkeypatch.setattr(measure, "_burst", burst)
    assert measure.loss_free_burst("nic12-fast", most=1000).frames == 37


@pytest.mark.parametrize("keeps_up", [True, False])
def test_no_loss_is_no_limit_only_when_nothing_piles_up(keeps_up: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_burst", lambda *arguments: (None, keeps_up, ""))
    found = measure.loss_free_burst("nic12-fast", most=50)
    assert (found.frames, found.lost, found.unlimited) == (50, False, keeps_up)


def test_frames_pile_up_when_the_later_ones_take_longer() -> None:
    steady, growing = [5_000_000, 5_012_500] * 50, [5_000_000 + 4000 * n for n in range(100)]
    assert not measure._piles_up(steady)
    assert measure._piles_up(growing)
    assert measure._piles_up([])


# ---- What is kept ----

JOBS = [Job("burst", "nic12-fast", payload=payload) for payload in (64, 128, 256)]


def _stub(job: Job) -> measure.Burst:
    return measure.Burst(job.preset, job.mode, job.payload, job.payload, True, False, "")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    return tmp_path / "results"


def _run(perform: Callable[[Job], Any] = _stub, fingerprint: str = "a", **options: Any) -> Results:
    return jobs.run(JOBS, perform=perform, fingerprint=lambda job: fingerprint, **{"workers": 0, **options})


def test_what_was_measured_once_comes_from_disk_until_something_changes(kept: Path) -> None:
    first = _run()
    assert (first.measured, len(list(kept.glob("*.json")))) == (3, 3)
    again = _run()
    assert again.measured == 0 and again.found == first.found
    assert _run(fingerprint="b").measured == 3
    assert _run(fresh=True).measured == 3
    assert jobs.run([replace(JOBS[0], seed=2)], workers=0, perform=_stub, fingerprint=lambda job: "a").measured == 1


def test_an_interrupted_run_goes_on_where_it_stopped(kept: Path) -> None:
    def interrupted(job: Job) -> Any:
        if job is JOBS[2]:
            raise KeyboardInterrupt
        return _stub(job)

    with pytest.raises(KeyboardInterrupt):
        _run(interrupted)
    assert _run().measured == 1


def test_a_failure_is_not_kept_and_stops_nothing_else(kept: Path) -> None:
    def failing(job: Job) -> Any:
        if job.payload == 128:
            raise NsocError("frames came back changed\nand more")
        return _stub(job)

    results = _run(failing)
    assert results.failures() == {"nic12-fast": "frames came back changed"}
    assert results.get(JOBS[1]) is None and results.get(JOBS[2]) is not None
    assert _run().measured == 1


def test_a_result_that_is_not_whole_is_measured_again(kept: Path) -> None:
    _run()
    files = sorted(kept.glob("*.json"))
    files[0].write_text('{"job": {}, "result": {"preset"', encoding="utf-8")
    files[1].write_text('{"job": {}, "result": {"preset": 5}}', encoding="utf-8")
    assert _run().measured == 2


def test_a_preset_that_does_not_build_is_a_failure_of_its_measurements(kept: Path) -> None:
    def fingerprint(job: Job) -> str:
        raise NsocError("verilating the SoC failed:\n  %Error: ...")

    results = jobs.run(JOBS, workers=0, perform=_stub, fingerprint=fingerprint)
    assert results.failures() == {"nic12-fast": "verilating the SoC failed:"}


def test_processes_give_the_same_and_report_progress(kept: Path) -> None:
    seen: list[tuple[int, int]] = []
    results = _run(workers=2, progress=lambda done, total: seen.append((done, total)))
    assert results.found == {job: _stub(job) for job in JOBS}
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert _run().measured == 0


# ---- The command ----


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        jobs, "run", lambda wanted, **options: Results({job: _measured(job) for job in wanted}, len(wanted))
    )
    monkeypatch.setattr(thesis.study, "measure_sleeps", lambda asked: dict.fromkeys(asked, 1e-4))


def test_the_command_prints_tables_and_writes_records(command: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "thesis", "--table", "6.4", "--table", "c.1", "--host-send-us", "1"]) == 0
    out = capsys.readouterr().out
    assert "Table 6.4" in out and "Table C.1" in out and "Table 6.6" not in out and "1 us to send" in out
    assert call(["bench", "thesis", "--table", "6.4", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert {record["metric"] for record in json.loads(out)} == {"rtt_cycles", "rtt_us", "rtt_host_model_us"}
    assert "Table 6.4" in err


def test_a_missed_limit_is_the_exit_status(command: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "thesis", "--table", "limits"]) == 1
    err = capsys.readouterr().err
    both = ("share of the line of ajit-nic12-fast at 64", "share of the line of nic12-fast at 64")
    assert err.startswith(f"nsoc: limits missed: {', '.join(both)}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--table", "9.9"], "nsoc: there is no table '9.9', only 2.1, 2.2, 6.1, "),
        (["--preset", "mac-example"], "nsoc: there is no preset with published figures 'mac-example', only nic11-dram"),
        (["--host-send-us", "-1"], "nsoc: Invalid value for '--host-send-us'"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "thesis", *arguments]) != 0
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(sentence) and err.count("\n") == 1


def test_an_interrupt_says_what_is_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Any:
        raise jobs.Interrupted("3 of 9 measurements are kept, the same command goes on there")

    monkeypatch.setattr(jobs, "run", interrupted)
    assert call(["bench", "thesis", "--table", "6.4"]) == 130
    assert capsys.readouterr().err.splitlines() == [
        "nsoc: 3 of 9 measurements are kept, the same command goes on there",
        "nsoc: interrupted",
    ]
