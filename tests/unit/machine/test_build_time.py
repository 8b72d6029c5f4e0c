# SPDX-License-Identifier: Apache-2.0
"""How long a build takes: by what is built, scaled by what this machine's last one took."""

import os
from pathlib import Path

import pytest

from nsoc.docs import build_seconds
from nsoc.errors import NsocError
from nsoc.machine import build, build_time, presets
from nsoc.machine.build import Variant


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> build_time.Figures:
    """What the file has, for these tests."""
    figures = build_time.Figures(
        socs={"nic12-fast": 30.0, "nic11-fast": 25.0, "toe": 60.0}, programs={"lat-10g": 80.0},
        times={"trace": 1.5, "waves": 3.0},
    )  # fmt: skip
    monkeypatch.setattr(build_time, "figures", lambda: figures)
    return figures


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    (tmp_path / "sim").mkdir()
    return tmp_path


def built(cache: Path, name: str, text: str, when: int) -> None:
    folder = cache / "sim" / name
    folder.mkdir()
    (folder / build_time.RECIPE).write_text(text, encoding="utf-8")
    os.utime(folder / build_time.RECIPE, (when, when))


def test_each_preset_takes_what_the_file_says(known: build_time.Figures) -> None:
    assert build.expected_seconds(presets.load("nic12-fast")) == 30.0
    assert build.expected_seconds(presets.load("toe"), Variant(trace=True, waves=True)) == 60.0 * 1.5 * 3.0
    assert build_time.of_preset(presets.load("toe")) == 60.0
    assert build_time.of_preset(presets.load("lat-10g")) == 80.0


def test_what_the_file_has_not_takes_as_long_as_what_is_most_like_it(known: build_time.Figures) -> None:
    assert build_time.of_soc(presets.load("nic12-dram"), ()) == 30.0, "its RTL is that of nic12-fast"
    assert build_time.of_soc(presets.load("toe-nodca"), ()) == build_time.of_soc(presets.load("toe-1k"), ()) == 60.0
    assert build_time.of_soc(presets.load("toe-lwip"), ()) == 30.0, "it has no engine"
    swept = presets.load("nic12-fast").with_(name="nic12-fast queues=memory", queues="memory", rx_fifo_bytes=4096)
    assert build_time.of_soc(swept.with_(tx_fifo_bytes=4096), ()) == 25.0, "it is nic11-fast"
    assert build_time.of_program("lat-10g width=512") == build_time.of_program("lat-100g") == 80.0
    assert build_time.of_program("nobody's") == build_time.FALLBACK


def test_without_the_file_there_is_a_guess(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_time, "FILE", tmp_path / "none.json")
    build_time.figures.cache_clear()
    try:
        assert build_time.of_soc(presets.load(), ("trace",)) == build_time.FALLBACK
        (tmp_path / "none.json").write_text("no figures")
        build_time.figures.cache_clear()
        assert build_time.of_program("mac-example") == build_time.FALLBACK
    finally:
        build_time.figures.cache_clear()


def test_the_newest_build_of_a_machine_says_how_fast_it_is(cache: Path) -> None:
    assert build_time.scale(cache) == 1.0
    built(cache, "a", "{}\nvariant: \nseconds: 90.0\nexpected: 30.0\nprocessor: 61.0\n", 1)
    assert build_time.scale(cache) == 3.0
    built(cache, "b", "{}\nvariant: \nseconds: 15.0\nexpected: 30.0\nprocessor: 29.0\n", 2)
    assert build_time.scale(cache) == 0.5
    built(cache, "older", "{}\nvariant: \nseconds: 15.0\n", 3)
    assert build_time.scale(cache) == 0.5, "what an older nsoc has built says nothing"
    built(cache, "c", "{}\nvariant: \nseconds: 3000.0\nexpected: 30.0\n", 4)
    assert build_time.scale(cache) == build_time.MOST_SCALE


def test_the_progress_line_has_the_seconds_of_this_machine(
    cache: Path, known: build_time.Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, float]] = []

    def waiting(what: str, seconds: float) -> object:
        told.append((what, seconds))
        return build_seconds.contextmanager(lambda: iter([None]))()

    monkeypatch.setenv("NSOC_CACHE", str(cache))
    monkeypatch.setattr(build, "waiting", waiting)
    build_time.keep(_folder(cache), "{}", 90.0, 30.0, 60.0)
    with build.building("toe", 60.0):
        pass
    assert told == [("Building the simulator for toe (first time)", 180.0)]


def _folder(cache: Path) -> Path:
    folder = cache / "sim" / "kept"
    folder.mkdir()
    return folder


def test_the_file_has_the_default_preset_and_nothing_that_is_no_more() -> None:
    figures, builds = build_time.figures(), list(build_seconds.builds())
    assert presets.DEFAULT in figures.socs
    for group in ("socs", "programs", "times"):
        assert set(getattr(figures, group)) <= {one.name for one in builds if one.group == group}
    named = sum(len(getattr(figures, group)) for group in ("socs", "programs", "times"))
    assert len(build_seconds.missing(figures)) == len(builds) - named
    assert all(build_time.of_preset(preset) > 0 for preset in presets.all_presets())


def test_what_is_measured_is_written_for_all_that_are_the_same_simulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_time, "FILE", tmp_path / "build_seconds.json")
    made: list[str] = []

    def seconds(one: build_seconds.Build) -> float:
        made.append(one.name)
        return 50.0 if one.name == "trace" else 20.0

    monkeypatch.setattr(build_seconds, "_seconds", seconds)
    build_time.figures.cache_clear()
    try:
        build_seconds.measure(["nic12-fast"])
        build_seconds.measure(["pnic-rice", "trace"])
        figures = build_time.figures()
        assert figures.socs == {"nic12-dram": 20.0, "nic12-fast": 20.0}, "they share their RTL"
        assert figures.programs == {"pnic-rice": 20.0, "pnic-rice-lock": 20.0}
        assert figures.times == {"trace": 2.5} and made == ["nic12-dram", "pnic-rice", "trace"]
        with pytest.raises(NsocError, match="nothing to build of the name 'nope'"):
            build_seconds.measure(["nope"])
    finally:
        build_time.figures.cache_clear()


def test_processor_time_is_what_counts_divided_by_what_runs_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes on a busy machine."""

    def make() -> None:
        folder = build.cache_folder() / "sim" / "one"
        folder.mkdir(parents=True)
        build_time.keep(folder, "{}", 1000.0, 30.0, 90.0)

    before = build.cache_folder()
    assert build_seconds._seconds(build_seconds.Build("socs", "a", "a", make)) == 45.0
    assert build_seconds._seconds(build_seconds.Build("programs", "b", "b", make)) == 45.0
    assert build.cache_folder() == before
