# SPDX-License-Identifier: Apache-2.0
"""The systems of systems.toml: what belongs to which, their headlines, and what `nsoc systems` shows of them."""

import json
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
import pytest

from nsoc import figures, systems
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.build import checkout
from nsoc.published import load
from nsoc.records import MEBI
from nsoc.systems import SYSTEMS, System, find, headlines, of_preset, run, show
from nsoc.systems.headlines import Headline

THERE = [system for system in SYSTEMS if not system.to_come]


def test_each_preset_belongs_to_one_system_and_no_pattern_is_for_nothing() -> None:
    names = presets.names()
    for name in names:
        assert len([system for system in SYSTEMS if system.has(name)]) == 1, name
        assert of_preset(name) in SYSTEMS
    for system in THERE:
        for pattern in system.presets:
            assert any(fnmatchcase(name, pattern) for name in names), pattern
    assert of_preset("nothing") is None


@pytest.mark.parametrize("system", THERE, ids=lambda system: system.name)
def test_a_system_that_is_there_has_all_that_a_reader_asks_for(system: System) -> None:
    assert system.has(system.preset)
    assert presets.load(system.preset).name == system.preset
    assert system.seconds >= 1 and system.job and system.benches
    assert (checkout() / system.page).is_file()
    assert system.command == f"nsoc systems --run {system.name}"
    assert system.name in run.JOBS
    for bench in system.benches:
        assert call([*bench.split()[1:], "--help"]) == 0
    for one in headlines.of(system.name):
        assert one.ours is not None and one.ratio is not None
        assert system.has(one.preset)
        assert one.published > 0 and one.source and one.published_clock
        assert system.publication.title in one.source


def test_a_system_to_come_has_no_command_and_no_headline(monkeypatch: pytest.MonkeyPatch) -> None:
    system = msgspec.structs.replace(SYSTEMS[0], name="next", preset="", presets=())
    monkeypatch.setattr(systems, "SYSTEMS", (*SYSTEMS, system))
    assert system.command == "" and not headlines.of(system.name) and not any(map(system.has, presets.names()))
    with pytest.raises(NsocError, match=f"^the system {system.name} .* is to come"):
        find([system.name])
    with pytest.raises(NsocError, match="is to come"):
        run.run(system)


def test_find_keeps_the_order_and_refuses_a_name_that_no_system_has() -> None:
    assert [system.name for system in find(["pnic", "nic"])] == ["nic", "pnic"]
    assert find([]) == THERE
    with pytest.raises(NsocError, match=r"^there is no system 'nick', only nic, tcp, latency, pnic, v8$"):
        find(["nic", "nick"])


# ---- Headlines -------------------------------------------------------------------------------------------------------


def test_a_headline_is_the_candidate_with_the_least_ratio() -> None:
    for name, kinds in headlines.KINDS.items():
        for one, kind in zip(headlines.of(name), kinds, strict=True):
            ratios = [candidate.ratio for candidate in kind() if candidate.ratio is not None]
            assert one.ratio == min(ratios)


def test_the_candidates_are_all_columns_sizes_and_protocols() -> None:
    for name in ("nic", "v8"):
        (throughput,) = headlines.KINDS[name]
        assert len({one.preset for one in throughput()}) == 4, "the columns of Table 7.2"
        assert {of_preset(one.preset) for one in throughput()} == set(find([name]))
    for kind in headlines.KINDS["tcp"]:
        found = list(kind())
        assert len({one.payload for one in found}) == 5 and len({one.key[2] for one in found}) == 2
    (doors,) = headlines.KINDS["latency"]
    assert [one.payload for one in doors()] == [1, 32, 64, 160, 448, 960, 1216, 1456]


def test_a_ratio_is_above_one_where_ours_is_better_whichever_way_that_is() -> None:
    one = Headline("x", ("thesis", "nic12-fast", None, "throughput_mbps", 64), "Mb/s", 100, "s", "80 MHz", 200.0)
    assert one.ratio == 2.0
    cycles = replace(one, key=("sockets", "toe", None, "echo_cycles", 32))
    assert cycles.ratio == 0.5
    assert replace(one, ours=None).ratio is None and replace(one, published=0).ratio is None


def test_published_throughput_is_taken_as_mebibits_and_clocks_stand_once_where_they_are_the_same() -> None:
    (one,) = headlines.of("nic")
    assert one.published == pytest.approx(731.89 * MEBI)
    assert one.clocks == "80 and 125 MHz"
    udp = next(iter(headlines.echoes("dca")))
    assert udp.clocks == "100 MHz / 80 and 125 MHz"
    assert headlines.clock_of(presets.load("lat-10g")) == load("latency.toml")["clock"]
    assert headlines.clock_of(presets.load("pnic-rice")) == load("pnic.toml")["clock"]


def test_full_frames_are_what_two_directions_of_the_line_carry() -> None:
    from nsoc.pnic import nic

    both = 2 * nic.line_frames_per_s(headlines.LONGEST)
    assert load("pnic.toml")["full_frames_per_s"] == pytest.approx(both, rel=1e-6)


def test_what_was_not_measured_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(figures, "load", dict)
    assert call(["systems", "pnic"]) == 0
    assert capsys.readouterr().out.count(show.NOT_MEASURED) == 2
    assert not [record for record in show.records() if record.published]


# ---- The command -----------------------------------------------------------------------------------------------------


def test_the_command_shows_every_system_and_its_publication(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["systems"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for system in SYSTEMS:
        assert system.title in said and system.publication.title in said
        assert system.command in said
        for one in headlines.of(system.name):
            assert f"{one.what}, {one.unit}" in said and f"{one.ratio:.2f} x" in said


def test_records_have_figures_beside_published_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["systems", "tcp", "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)
    echoes = [row for row in rows if row["metric"] == "echo_cycles"]
    assert [row["mode"].partition(":")[0] for row in echoes] == ["tcp", "tcp"]
    assert all(row["published"] > row["value"] and row["source"] for row in echoes)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nick"], "there is no system 'nick', only nic, tcp, latency, pnic, v8"),
    ],
)
def test_bad_names_are_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["systems", *arguments]) == 1
    assert capsys.readouterr().err == f"nsoc: {sentence}\n"


def test_the_nic_runs_its_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "records.json"
    assert call(["systems", "--run", "nic", "--json", str(records)]) == 0
    assert "ours, now" in capsys.readouterr().out
    rows = {row["mode"]: row for row in json.loads(records.read_text(encoding="utf-8"))}
    assert rows["nic:image"]["value"] > rows["nic:image"]["published"] == 113.8
    for way in ("in", "out"):
        assert 0.99 < rows[f"nic:image-{way}"]["value"] / figures_throughput() < 1.01
    assert rows["nic"]["metric"] == "wall_s"


def figures_throughput() -> float:
    """Mb/s of the same image with the same protocol, as `nsoc bench images` measured it."""
    return float(figures.value("images", "nic12-fast", "scheme4-small", "throughput_mbps", 1486))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tcp", "latency", "pnic"])
def test_the_other_systems_run_their_jobs_and_find_what_the_benches_found(name: str) -> None:
    (system,) = find([name])
    found = run.run(system).found
    assert found
    for one in found:
        assert one.ours is not None
        assert one.ours == pytest.approx(float(figures.value(*one.key)), rel=0.02 if name == "latency" else 1e-9)
