# SPDX-License-Identifier: Apache-2.0
"""What `nsoc report` measures, how long it says that takes, and what it says of what cannot be shown."""

import re
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nsoc.bench import images, jobs, latency, latency_store, pnic, sockets, sockets_area, store, sweep, thesis, toe
from nsoc.bench.measure import RoundTrip
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.hardware import synth
from nsoc.machine import build
from nsoc.records import Record, to_json
from nsoc.report import add, collect, kept, work
from nsoc.report.facts import Facts
from nsoc.report.work import How


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, Any]]:
    """Nothing is on disk and nothing is simulated: what was asked for, by bench."""
    asked: list[tuple[str, Any]] = []

    def note(name: str, result: Any) -> Callable[..., Any]:
        def run(chosen: Any, *_: object, **__: object) -> Any:
            asked.append((name, chosen))
            return result

        return run

    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "simulated_digest", lambda: "RTL")
    monkeypatch.setattr(store, "code_digest", lambda module: module)
    monkeypatch.setattr(build, "is_there", lambda preset, variant=None: False)
    monkeypatch.setattr(jobs, "run", note("jobs", jobs.Results({}, 0)))
    monkeypatch.setattr(thesis.study, "measure_sleeps", lambda requested: {delay: 1e-4 for delay in requested})
    monkeypatch.setattr(images, "run", note("images", images.ImagesResult([], [])))
    monkeypatch.setattr(sweep, "run", note("stages", sweep.SweepResult("stages", [], [])))
    monkeypatch.setattr(sockets, "run", note("sockets", None))
    monkeypatch.setattr(toe, "run", note("toe", None))
    monkeypatch.setattr(sockets_area, "kept", lambda: None)
    monkeypatch.setattr(synth, "kept", lambda name, target: None)
    monkeypatch.setattr(latency_store, "measured", lambda name, parts, *_, **__: asked.append((name, tuple(parts))))
    monkeypatch.setattr(pnic, "run", lambda *_, parts, **__: asked.append(("pnic", parts)) or pnic.PnicResult())
    monkeypatch.setattr(pnic, "quick", lambda seed, measure=True: asked.append(("pnic", "quick")) if measure else None)
    monkeypatch.setattr(add, "add_areas", lambda *_: None)
    monkeypatch.setattr(synth, "kept_preset", lambda preset, target: None)  # would compile its firmware
    return asked


# --- What is measured ---


def _by_system(measured: list[tuple[str, Any]]) -> list[set[str]]:
    """Presets of each system that `jobs` has measured."""
    found = [{job.preset for job in wanted} for bench, wanted in measured if bench == "jobs"]
    return [presets for presets in found if presets]


def test_quick_measures_some_of_each_system_with_few_simulators(measured: list[tuple[str, Any]]) -> None:
    said: list[str] = []
    collect.measured(quick=True, say=said.append)
    benches = dict(reversed(measured))
    assert {job.preset for job in benches["jobs"]} == {"nic11-fast", "nic12-fast"}
    assert _by_system(measured) == [{"nic11-fast", "nic12-fast"}, {"ajit-nic12-fast"}]
    assert benches["images"] == work.QUICK_IMAGES and "stages" not in benches
    assert set(benches["sockets"]) <= set(sockets.modes()) and set(benches["toe"]) <= set(toe.modes())
    assert benches["lat-10g"] == (1, 64, 1456) and benches["pnic"] == "quick"
    assert set(benches) == {"jobs", "images", "sockets", "toe", "lat-10g", "pnic"}
    minutes = re.match(r"About (\d+) min on two idle cores, for \d+ of \d+ parts; what is measured is kept", said[0])
    assert minutes is not None and 2 <= int(minutes[1]) <= 15


def test_a_whole_report_measures_everything(measured: list[tuple[str, Any]]) -> None:
    said: list[str] = []
    collect.measured(say=said.append)
    benches = dict(reversed(measured))
    assert _by_system(measured) == [{*thesis.RISC_V, "mac-example"}, set(thesis.SYSTEMS) - set(thesis.RISC_V)]
    assert benches["images"] == benches["sockets"] == benches["toe"] == () and "stages" in benches
    assert all(benches[name] == latency_store.PARTS for name in latency.PRESETS)
    assert [parts for bench, parts in measured if bench == "pnic"] == [[part] for part in pnic.PARTS]
    minutes = re.match(r"About (\d+) min", said[0])
    assert minutes is not None and int(minutes[1]) > 30


def test_one_system_alone_is_measured_alone(measured: list[tuple[str, Any]]) -> None:
    found = collect.measured(["latency"], quick=True)
    assert [name for name, _ in measured] == ["lat-10g"] and found.systems == ("latency",)


def test_kept_measures_nothing_and_shows_what_there_is(measured: list[tuple[str, Any]]) -> None:
    said: list[str] = []
    found = collect.measured(measure=False, say=said.append)
    assert measured == [] and said == []
    assert found.records == [] and found.kept == list(kept.rows())


def test_what_is_on_disk_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency_store, "missing", lambda name, parts, seed: list(parts)[:1])
    left = [one.seconds for one in work.plan("latency", How(quick=True))]
    monkeypatch.setattr(latency_store, "missing", lambda name, parts, seed: [])
    assert [one.seconds for one in work.plan("latency", How(quick=True))] == [0.0, 0.0]
    assert left[0] > 0
    assert work.told(work.plan("latency", How(quick=True)), How()) == "Everything is on disk already"
    assert work.plan("latency", How(quick=True, fresh=True))[0].seconds > left[0]


def test_a_short_report_shows_what_a_whole_run_has_measured_before(
    measured: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_disk(wanted: Sequence[jobs.Job]) -> jobs.Results:
        trips = [job for job in wanted if (job.kind, job.mode, job.payload) == ("round_trip", "normal", 512)]
        return jobs.Results({job: RoundTrip(job.preset, "normal", 512, 28, 499, 500, 501, 4.0) for job in trips}, 0)

    monkeypatch.setattr(jobs, "kept", on_disk)
    found = collect.measured(["nic"], quick=True)
    assert found.ours("nic12-dram", "rtt_us") == [(512, 4.0)] and not found.commits("nic12-dram", "rtt_us")


def test_a_bench_that_fails_costs_its_own_figures_only(
    measured: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise NsocError("g++ is not installed\nthe rest of it")

    monkeypatch.setattr(sockets, "run", fail)
    said: list[str] = []
    found = collect.measured(quick=True, say=said.append)
    assert found.failures == {"tcp": ["echoes: g++ is not installed"]} and "echoes: g++ is not installed" in said
    assert ("lat-10g", (1, 64, 1456)) in measured, "the systems behind it are measured all the same"


# --- Figures door to door are kept ---


def _segments(name: str, payloads: Sequence[int]) -> list[Record]:
    return [Record("latency", name, "latency_ns", float(n), "stream-verified", n, "ns") for n in payloads]


def test_a_payload_door_to_door_is_measured_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    shelf = latency_store.Shelf()
    for record in _segments("lat-10g", (1, 64)):
        shelf.put("lat-10g", record.payload or 0, [record])
    assert latency_store.missing("lat-10g", (1, 64, 1456)) == [1456]
    monkeypatch.setattr(latency, "run", lambda *_, **__: pytest.fail("it is there"))
    assert latency_store.measured("lat-10g", (64, 1)) == _segments("lat-10g", (64, 1))
    assert latency_store.kept() == _segments("lat-10g", (1, 64))
    assert latency_store.kept(seed=2) == [] and latency_store.missing("lat-25g", (1,)) == [1]


# --- What cannot be shown ---


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--system", "nice"], r"there is no system 'nice', only nic, tcp, latency, pnic, v8"),
        (["--from", "r.json", "--system", "pnic"], r"there is no record of pnic in r\.json: take a file that has some"),
        (["--from", "strange.json"], r"there is no record of nic, tcp, latency, pnic, v8 in strange\.json: .*"),
    ],
)
def test_a_system_that_cannot_be_shown_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.json").write_text(to_json(_segments("lat-10g", (1, 64))), encoding="utf-8")
    Path("strange.json").write_text(to_json([Record("x", "mine", "y", 1.0)]), encoding="utf-8")
    assert call(["report", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == "" and re.fullmatch(f"nsoc: {complaint}\n", err), err
    assert not Path("report.html").exists()


def test_a_report_without_any_measurement_is_one_sentence(
    measured: list[tuple[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As in an installed package of another tree, whose figures are nowhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept, "rows", tuple)
    assert call(["report", "--kept"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err == (
        "nsoc: there is no measurement of nic, tcp, latency, pnic, v8 on disk, and none is kept with the sources: nsoc "
        "report --quick measures some of each\n"
    )


def test_records_of_one_system_make_its_chapter_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    file.write_text(to_json(_segments("lat-10g", (1, 64))), encoding="utf-8")
    found = collect.from_records(file)
    assert found.systems == ("latency",) and found.kept == [] and isinstance(found, Facts)
    assert list(collect.sentences(found)) == [], "presets of another system are not missed"


def test_a_browser_that_is_missing_is_one_sentence_before_anything_is_measured(
    measured: list[tuple[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def none() -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "get", none)
    assert call(["report", "--open"]) == 1
    assert capsys.readouterr().err == (
        "nsoc: there is no browser on this machine: leave out --open, and open the page where there is one\n"
    )
    assert measured == [] and not Path("report.html").exists()


def test_the_page_is_opened_in_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "get", lambda: SimpleNamespace(open=opened.append))
    Path("r.json").write_text(to_json(_segments("lat-10g", (1, 64))), encoding="utf-8")
    assert call(["report", "--from", "r.json", "--open"]) == 0
    assert opened == [(tmp_path / "report.html").resolve().as_uri()]
    assert re.fullmatch(r"report\.html, \d+ kB\n", capsys.readouterr().out)
