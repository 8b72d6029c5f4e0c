# SPDX-License-Identifier: Apache-2.0
"""The `nsoc` command over the stand-in SoC: what it prints where, and one sentence for every mistake."""

import errno
import itertools
import json
import math
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_soc import CabledEcho, FakeSoc, echo
from PIL import Image

import nsoc.demo
import nsoc.machine.listing
import nsoc.machine.running
import nsoc.machine.soc
import nsoc.network.image
import nsoc.progress
import nsoc.trace
from nsoc.cli import call, common
from nsoc.errors import NsocError
from nsoc.machine import presets, regs, running
from nsoc.machine.preset_fields import fields, shown
from nsoc.machine.sim import LONGEST_FS
from nsoc.network.faults import Faults, Wiring, header
from nsoc.network.pcapng import read_frames
from nsoc.systems import SYSTEMS, of_preset

RECORD_KEYS = ["suite", "preset", "mode", "metric", "payload", "value", "unit", "limit", "published", "source"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and SoCs that need no simulator."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nsoc.demo, "_boot", lambda preset, seed, wiring: CabledEcho(wiring, seed=seed))
    monkeypatch.setattr(
        nsoc.machine.running,
        "_boot",
        lambda preset, firmware, seed, wiring: FakeSoc() if wiring is None else CabledEcho(wiring, seed=seed),
    )
    return tmp_path


def _sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """What a failed command said: nothing on stdout, one line on stderr, no traceback."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("nsoc: ") and err.count("\n") == 1 and err.endswith("\n"), err
    return err


# --- nsoc demo ---


def test_the_demo_brings_the_image_back_and_says_where_it_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo"]) == 0
    out, _ = capsys.readouterr()
    assert "bit-exact" in out and "yes" in out
    assert "679.26" in out and "647.79" in out  # Table 6.7, taken as 2^20 bit/s, and as printed
    row = next(line.split() for line in out.splitlines() if "send, Mb/s" in line)
    assert float(row[6]) == pytest.approx(float(row[2]) / 679.26, abs=0.006), "the ratio less favourable to us"
    assert "does not say whether its Mb/s are of 10^6 or 2^20" in " ".join(out.split())
    assert "out/received.jpg" in out and "out/demo.pcapng" in out
    with Image.open("out/received.jpg") as image:
        assert image.size == (680, 680)
    assert len(read_frames(Path("out/demo.pcapng"))) > 236


def test_an_own_image_goes_through_and_has_no_published_figures(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.effect_mandelbrot((64, 48), (-2, -1, 1, 1), 20).save("photo.png")
    assert call(["demo", "--image", "photo.png", "--out", "there", "--json", "r.json"]) == 0
    assert Path("there/received.png").read_bytes() == Path("photo.png").read_bytes()
    assert all(record["published"] is None for record in json.loads(Path("r.json").read_text()))
    assert "Published" not in capsys.readouterr().out


def test_records_on_standard_output_are_all_there_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo", "--loss", "0", "--corrupt", "0", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    records = json.loads(out)
    assert all(list(record) == RECORD_KEYS for record in records)
    by_name = {(record["metric"], record["mode"]): record for record in records}
    assert by_name["bit_exact", None]["value"] is True
    assert by_name["retransmissions", None]["value"] == 0
    assert by_name["frames_lost", None]["value"] == 0
    for metric in ("sim_time_us", "sim_cycles_per_s", "wall_s"):
        assert by_name[metric, None]["value"] > 0
    for mode, published in (("send", 647.79), ("receive", 647.31)):
        throughput, share = by_name["throughput_mbps", mode], by_name["line_share", mode]
        assert throughput["limit"] == pytest.approx(1000 * 1500 / 1524)
        assert throughput["published"] == pytest.approx(published * 2**20 / 1e6)
        assert throughput["payload"] == 1486
        assert share["value"] == pytest.approx(throughput["value"] / throughput["limit"])
        assert "Table 6.7" in throughput["source"]
    assert "bit-exact" in err


def test_the_seed_decides_over_the_run(here: Path) -> None:
    def records(seed: int) -> list[object]:
        assert call(["demo", "--seed", str(seed), "--json", "r.json"]) == 0
        records = json.loads(Path("r.json").read_text())
        return [r for r in records if r["metric"] not in ("sim_cycles_per_s", "wall_s")]

    assert records(1) == records(1) != records(2)


def test_the_options_of_a_cable_say_what_it_does(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Wiring] = []

    def boot(preset: str, seed: int, wiring: Wiring) -> CabledEcho:
        seen.append(wiring)
        return CabledEcho()

    monkeypatch.setattr(nsoc.demo, "_boot", boot)
    options = (
        "--burst-loss 0.1:5 --corrupt 0 --wrong-bytes 0.2 --duplicate 0.3 --reorder 0.4 --delay 5 --jitter 6 "
        "--receiver 400:16384 --stall 1:2 --stall 4:0.5 --down 7:8 --log fates"
    )
    assert call(["demo", *options.split()]) == 0
    faults = Faults(
        loss=0.01, burst_loss=0.1, burst_frames=5, wrong_bytes=0.2, duplicate=0.3, reorder=0.4, delay_us=5, jitter_us=6,
        drain_mbps=400, queue_bytes=16384, stalls=((1, 2), (4, 0.5)), downs=((7, 8),),
    )  # fmt: skip
    assert call(["demo"]) == 0
    Path("fates").write_text(header())
    assert call(["demo", "--replay", "fates", "--log", "again"]) == 0
    assert seen == [
        Wiring(faults, Path("fates")),
        Wiring(Faults(loss=0.01, corrupt=0.005)),
        Wiring(None, Path("again"), Path("fates")),
    ]


def test_a_log_of_the_demo_repeats_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faults = ["--loss", "0.05", "--reorder", "0.1", "--duplicate", "0.1", "--jitter", "10", "--down", "1000:200"]

    def run(name: str, *arguments: str) -> tuple[bytes, list[object]]:
        assert call(["demo", *arguments, "--out", name, "--json", f"{name}.json"]) == 0
        records = json.loads(Path(f"{name}.json").read_text())
        timeless = [r for r in records if r["metric"] not in ("sim_cycles_per_s", "wall_s")]
        return Path(name, "demo.pcapng").read_bytes(), timeless

    live = run("live", *faults, "--log", "fates", "--seed", "3")
    assert " reordered" in capsys.readouterr().out
    assert run("again", "--replay", "fates", "--seed", "4", "--log", "fates2") == live
    assert Path("fates2").read_text() == Path("fates").read_text()
    assert run("other", *faults, "--seed", "4") != live


def test_frames_for_a_firmware_go_over_a_cable_with_faults(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames = [bytes.fromhex("020000000002 020000000001 88b5") + bytes([number]) * 50 for number in range(40)]
    sends = [argument for frame in frames for argument in ("--send", frame.hex())]

    def run(*arguments: str) -> tuple[str, list[bytes]]:
        assert call(["run", "forward", *sends, *arguments, "--capture", "c.pcapng"]) == 0
        out, err = capsys.readouterr()
        assert "quiet after" in err and "40 frames in" in err
        return out, read_frames(Path("c.pcapng"))

    def sent(captured: list[bytes]) -> list[bytes]:
        return [frame for frame in captured if frame in frames]

    out, captured = run()
    assert out.count("64 bytes") == 40 and sent(captured) == frames
    out, captured = run("--loss", "0.2", "--duplicate", "0.2", "--log", "fates")
    assert 20 < len(set(sent(captured))) < 40 and len(set(sent(captured))) < len(sent(captured))
    assert 15 < out.count("64 bytes") != 40
    assert run("--replay", "fates", "--seed", "5") == (out, captured)


def test_a_failed_transfer_is_an_error_and_leaves_no_picture(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo"]) == 0
    capsys.readouterr()
    assert call(["demo", "--loss", "1", "--timeout", "5", "--json", "r.json"]) == 1
    out, err = capsys.readouterr()
    assert "no" in out
    assert "nsoc: the transfer failed: nothing came through for 5 ms" in err
    assert not Path("out/received.jpg").exists()
    assert json.loads(Path("r.json").read_text())[0]["value"] is False


def test_an_image_that_comes_back_changed_is_an_error(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(frame: bytes) -> list[bytes]:
        (answer,) = echo(frame)
        return [answer[:-1] + b"\xff"] if answer[14] == 1 else [answer]

    monkeypatch.setattr(nsoc.demo, "_boot", lambda preset, seed, wiring: CabledEcho(wiring, spoil))
    assert call(["demo"]) == 1
    assert "differs from the one sent; the frames are in" in capsys.readouterr().err


def test_a_protocol_without_a_check_of_its_own_does_not_notice_wrong_bytes(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["demo", "--wrong-bytes", "0.05", "--loss", "0", "--corrupt", "0"]) == 1
    err = capsys.readouterr().err
    assert re.search(r"differs from the one sent: the cable changed \d+ frames behind a good FCS", err)


def test_a_firmware_that_does_not_start_is_an_error(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = FakeSoc()
    silent.uart.text = ""
    monkeypatch.setattr(nsoc.demo, "_boot", lambda preset, seed, wiring: silent)
    assert call(["demo"]) == 1
    assert "did not print 'ready'" in _sentence(capsys)


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["demo", "--image", "none.jpg"], 1, "there is no image file none.jpg"),
        (["demo", "--image", "cut.jpg"], 1, "cut.jpg is damaged or cut short"),
        (["demo", "--image", "notes.txt"], 1, "notes.txt is not an image"),
        (["demo", "--image", "x.png", "--size", "small"], 2, "either --image or --size"),
        (["demo", "--loss", "1.5"], 2, "--loss"),
        (["demo", "--loss", "much"], 2, "--loss"),
        (["demo", "--corrupt", "-1"], 2, "--corrupt"),
        (["demo", "--burst-loss", "0.1"], 2, "--burst-loss wants P:FRAMES, two numbers, not '0.1'"),
        (["demo", "--burst-loss", "0.9:2"], 1, "take at most 0.666667 of all frames"),
        (["demo", "--receiver", "fast:10"], 2, "--receiver wants MBPS:BYTES"),
        (["demo", "--receiver", "0:10"], 1, "--receiver: drain_mbps must be at least"),
        (["demo", "--receiver", "100:nan"], 2, "--receiver wants a number of BYTES, not nan"),
        (["send", "notes.txt", "--pid", "1"], 2, "--pid says whose --interface it is"),
        (["run", "hello", "--us", "1e30"], 2, "--us"),
        (["run", "notes.txt"], 1, "notes.txt is not a 32-bit little-endian ELF file"),
        (["run", "none.c"], 1, "cannot read the firmware none.c: No such file or directory"),
        (["gdb", "hello", "--core", "4"], 1, "there is no core 4"),
        (["demo", "--stall", "100"], 2, "--stall wants AT:FOR"),
        (["demo", "--down", "10:5", "--down", "12:5"], 1, "downs must be times"),
        (["demo", "--jitter", "-1"], 2, "--jitter"),
        (["demo", "--replay", "none.jsonl"], 1, "cannot read the log of faults none.jsonl"),
        (["demo", "--replay", "notes.txt"], 1, "notes.txt is no log of faults"),
        (["demo", "--replay", "x", "--loss", "0.1"], 2, "leave out --loss"),
        (["demo", "--replay", "x", "--log", "x"], 1, "cannot be replayed and written at once"),
        (["demo", "--log", "."], 1, "cannot write the log of faults"),
        (["demo", "--window", "0"], 2, "--window"),
        (["demo", "--size", "huge"], 2, "--size"),
        (["demo", "--seed", "-1"], 2, "--seed"),
        (["demo", "--out", "notes.txt"], 1, "notes.txt"),
        (["demo", "--pretty"], 2, "--pretty"),
        (["run"], 2, "FIRMWARE"),
        (["run", "forward", "--send", "xyz"], 1, "xyz"),
        (["run", "forward", "--send", "abc"], 1, "whole bytes"),
        (["run", "forward", "--send", "notes.txt"], 1, "notes.txt is not"),
        (["boot", "net", "--to", "01:00:5e:00:00:01"], 2, "--to wants the MAC address of one station"),
        (["boot", "net", "--to", "ff:ff:ff:ff:ff:ff"], 2, "--to wants the MAC address of one station"),
        (["send", "notes.txt", "--interface", "x", "--station", "00:00:00:00:00:00"], 2, "--station wants the MAC"),
        (["regs", "controll"], 1, "did you mean control"),
        (["regs", "zzzzzz"], 1, "the devices are"),
        (["dmo"], 2, "dmo"),
    ],
)
def test_mistakes_get_one_sentence(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, says: str
) -> None:
    Path("notes.txt").write_text("some text")
    Image.effect_mandelbrot((64, 48), (-2, -1, 1, 1), 20).save("whole.jpg")
    Path("cut.jpg").write_bytes(Path("whole.jpg").read_bytes()[:-100])
    assert call(arguments) == status
    assert says in _sentence(capsys)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["demo", "--out", "notes.txt/x"],
            "cannot write to the folder notes.txt/x (Not a directory); give --out another",
        ),
        (["demo", "--json", "folder"], "cannot write the records to folder (Is a directory); give --json another file"),
        (["demo", "--json", "notes.txt/x"], "cannot write the records to notes.txt/x (Not a directory)"),
        (["run", "forward", "--capture", "folder"], "cannot write the capture folder (Is a directory)"),
        (["trace", "--out", "folder"], "cannot write the timeline folder (Is a directory)"),
        (["trace", "--fst", "notes.txt/x"], "cannot write the waveform notes.txt/x (Not a directory)"),
        (["report", "--out", "folder"], "cannot write the report folder (Is a directory)"),
        (
            ["sweep", "cpu_mhz=40", "--out", "notes.txt/x.csv"],
            "cannot write the table notes.txt/x.csv (Not a directory)",
        ),
        (["selftest", "--json", "/proc/x.json"], "cannot write the records to /proc/x.json"),
    ],
)
def test_where_nothing_can_be_written_is_said_before_anything_runs(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    def boot(*_: object, **__: object) -> FakeSoc:
        raise AssertionError("it ran")

    machine = nsoc.machine
    boots = ((nsoc.demo, "_boot"), (machine.running, "_boot"), (machine.soc, "Soc"), (nsoc.trace.capture, "Soc"))
    for module, name in boots:
        monkeypatch.setattr(module, name, boot)
    monkeypatch.setattr(nsoc.network.image, "generated", boot)
    Path("notes.txt").write_text("some text")
    Path("folder").mkdir()
    assert call(arguments) == 1
    assert says in _sentence(capsys)
    assert sorted(path.name for path in here.iterdir()) == ["folder", "notes.txt"], "a look leaves nothing behind"


def test_a_look_at_a_file_changes_nothing_in_it(here: Path) -> None:
    Path("r.json").write_text("old")
    assert call(["demo", "--json", "r.json", "--image", "none.jpg"]) == 1
    assert Path("r.json").read_text() == "old"


def test_an_image_of_too_many_pixels_is_not_called_damaged(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.new("1", (20_000, 20_000)).save("large.png")
    assert call(["demo", "--image", "large.png"]) == 1
    said = _sentence(capsys)
    assert "large.png has more than 178,956,970 pixels" in said and "damaged" not in said


@pytest.mark.parametrize("arguments", [["demo"], ["run", "forward"]])
def test_an_unknown_preset_is_named_and_the_known_ones_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call([*arguments, "--preset", "nic12-fats"]) == 1
    sentence = _sentence(capsys)
    assert "nic12-fats" in sentence and "nic12-fast" in sentence


def test_an_unknown_firmware_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["run", "forwrad"]) == 1
    assert "forwrad" in _sentence(capsys)


def test_an_interrupt_ends_cleanly(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(preset: str, seed: int, wiring: Wiring) -> FakeSoc:
        raise KeyboardInterrupt

    monkeypatch.setattr(nsoc.demo, "_boot", interrupt)
    assert call(["demo"]) == 130
    assert _sentence(capsys) == "nsoc: interrupted\n"


# --- nsoc run ---


def test_run_prints_the_uart_and_stops_when_it_is_quiet(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["run", "hello"]) == 0
    out, err = capsys.readouterr()
    assert out == "fake: ready\n"
    assert err.startswith("quiet after 2,250.0 us (281,250 NIC cycles), 0 frames in, 0 out")


def test_a_program_that_prints_each_millisecond_is_not_quiet(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    soc = FakeSoc()
    left = iter([f"{i}\n" for i in range(3)])
    due_us = [1000.0]

    def read() -> str:
        if soc.time_us < due_us[0]:
            return ""
        due_us[0] += 1000.0
        return next(left, "")

    monkeypatch.setattr(soc.uart, "read", read)
    monkeypatch.setattr(nsoc.machine.running, "_boot", lambda *_: soc)
    assert call(["run", "hello"]) == 0
    out, err = capsys.readouterr()
    assert out == "0\n1\n2\n" and err.startswith("quiet after 5,000.0 us")


def test_run_for_a_time_takes_exactly_that_time(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["run", "hello", "--us", "3333"]) == 0
    assert "stopped after 3,333.0 us" in capsys.readouterr().err


def test_a_time_that_no_simulation_has_is_refused(here: Path) -> None:
    for us in (-1.0, math.nan, math.inf, 1e30, running.LONGEST_US * 1.001):
        with pytest.raises(NsocError, match="--us must be a number from 0 to 4611686018, where simulated time ends"):
            running.run_firmware("hello", "nic12-fast", us=us)
    assert running.LONGEST_US == common.LONGEST_US == LONGEST_FS // 10**9


def test_a_run_that_takes_long_says_how_far_it_is(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(seconds)))
    steps: list[tuple[int, int]] = []
    running.run_firmware("hello", "nic12-fast", us=1100, progress=lambda *step: steps.append(step))
    assert steps == [(500, 1100), (750, 1100), (1000, 1100), (1100, 1100)], "from the second second on"
    monkeypatch.setattr(nsoc.progress, "FIRST_LINE_S", 0.0)
    assert call(["run", "hello", "--us", "3333"]) == 0
    out, err = capsys.readouterr()
    assert out == "fake: ready\n"
    assert err.startswith("simulating: 500 of 3,333 us") and err.count("simulating") == 1
    assert call(["run", "hello", "--us", "3333", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) and "fake: ready" in err


def test_run_sends_frames_and_shows_the_answers(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = "02:00:00:00:00:02 020000000001 88b5 0300"
    assert call(["run", "forward", "--send", frame, "--capture", "c/x.pcapng", "--json", "r.json"]) == 0
    out, _ = capsys.readouterr()
    assert "60 bytes  02:00:00:00:00:02 > 02:00:00:00:00:01  type 0x88b5" in out
    assert read_frames(Path("c/x.pcapng"))[0][:16].hex() == "02000000000202000000000188b50300"
    records = {r["metric"]: r["value"] for r in json.loads(Path("r.json").read_text())}
    assert (records["frames_in"], records["frames_out"]) == (1, 1)
    capsys.readouterr()
    assert call(["run", "forward", "--send", "c/x.pcapng", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert "fake: ready" in err and "60 bytes" in err


def test_run_until_a_text_stops_there_or_fails(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["run", "hello", "--until", "ready"]) == 0
    assert "printed 'ready' after 0.0 us" in capsys.readouterr().err
    assert call(["run", "hello", "--until", "never", "--us", "500"]) == 1
    assert "nsoc: hello did not print 'never' within 500 us" in capsys.readouterr().err
    assert call(["run", "hello", "--send", "00" * 60, "--ready", "no such text"]) == 1
    assert "no frame was sent" in capsys.readouterr().err


# --- nsoc presets, regs, --version, --help ---


def test_presets_lists_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["presets"]) == 0
    out, _ = capsys.readouterr()
    assert all(name in out for name in presets.names())
    rows = re.findall(r"^│ ([\w-]+) |^(\S.*), as in (.*)$", out, re.MULTILINE)
    listed: dict[tuple[str, str], list[str]] = {}
    for name, title, publication in rows:
        if title:
            listed[title, publication.strip()] = group = []
        elif name:
            group.append(name)
    follow = {(system.title, str(system.publication)): system for system in SYSTEMS if not system.to_come}
    assert list(listed) == list(follow), "every system that is there, in its order, with its publication"
    for key, names in listed.items():
        assert names == [name for name in presets.names() if follow[key].has(name)], key
    assert call(["presets", "--json", "-"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert all(list(record) == RECORD_KEYS for record in records)
    assert {r["preset"] for r in records} == set(presets.names())
    cpu = next(r for r in records if r["preset"] == "nic12-fast" and r["metric"] == "cpu_mhz")
    assert cpu["value"] == 80
    seconds = {r["preset"]: r["value"] for r in records if r["metric"] == "build_s"}
    assert set(seconds) == set(presets.names()) and min(seconds.values()) > 0
    systems = {r["preset"]: r["value"] for r in records if r["metric"] == "system"}
    assert systems == {name: system.name for system in SYSTEMS for name in presets.names() if system.has(name)}
    assert re.search(rf"nic12-fast.* {seconds['nic12-fast']:.0f} s ", out)


@pytest.mark.parametrize("name", ["toe", "lat-10g", "pnic-rice", "mac-example", "mine.toml"])
def test_presets_shows_every_field_of_one(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    Path("mine.toml").write_text('base = "toe"\nconnections = 128\nicache_bytes = "16K"\n', encoding="utf-8")
    preset = presets.load(name)
    assert call(["presets", name]) == 0
    out, _ = capsys.readouterr()
    lines = ([cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines())
    rows = {cells[0]: cells for cells in lines if len(cells) == 5}
    assert f"{preset.name}: {preset.description}" in out
    system = of_preset(name)
    assert (system is None) == (name == "mine.toml")
    assert system is None or f"{system.title}, as in {system.publication}" in out
    for field in fields():
        if preset.top not in field.tops:
            assert field.name not in rows and re.search(rf"say nothing about.*\b{field.name}\b", out, re.DOTALL)
        elif field.name not in ("name", "description"):
            assert rows[field.name][1:3] == [shown(field.name, getattr(preset, field.name)), field.unit]
            assert field.range.startswith(rows[field.name][3]) and field.meaning.startswith(rows[field.name][4])
    assert call(["presets", name, "--json", "-"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {record["preset"] for record in records} == {preset.name}
    units = {record["metric"]: record["unit"] for record in records}
    there = [field for field in fields() if preset.top in field.tops and field.name != "name"]
    of_system = {} if system is None else {"system": None}
    assert units == {field.name: field.unit or None for field in there} | {"build_s": "s"} | of_system


def test_presets_of_a_name_that_is_none_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["presets", "tow"]) == 1
    assert "there is no preset 'tow', only " in _sentence(capsys)


def test_regs_shows_every_register_or_the_fields_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["regs"]) == 0
    out, _ = capsys.readouterr()
    for block in regs.BLOCKS.values():
        assert f"{block.name} at 0x{block.base:08X}" in out
        assert all(register.name in out for register in block.registers.values())
    assert call(["regs", "nic.control"]) == 0
    out, _ = capsys.readouterr()
    assert "0xFF000000" in out and "mac_loopback" in out
    assert call(["regs", "nic", "--json", "-"]) == 0
    records = json.loads(capsys.readouterr().out)
    lock = {r["metric"]: r["value"] for r in records if r["mode"] == "nic.mac_address_low"}
    assert lock["address"] == 0xFF000000 + 4 * 208


def test_every_command_explains_itself_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["--help"]) == 0
    out, _ = capsys.readouterr()
    assert all(command in out for command in ("demo", "run", "presets", "regs"))
    for command in ("demo", "run", "presets", "regs"):
        assert call([command, "--help"]) == 0
        out, _ = capsys.readouterr()
        assert "Example" in out and f"nsoc {command}" in out
    assert call([]) == 0
    assert "nsoc demo" in capsys.readouterr().out
    assert call(["--version"]) == 0
    assert capsys.readouterr().out.startswith("nsoc ")


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(nsoc.__file__).parents[1])}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment)


def test_starting_the_command_loads_neither_pictures_nor_tables() -> None:
    code = "import sys, nsoc.cli; print([m for m in ('PIL', 'rich', 'numpy', 'scapy') if m in sys.modules])"
    assert _python("-c", code).stdout == "[]\n"


@pytest.mark.parametrize("arguments", [["presets"], ["presets", "--json", "-"], ["regs"], ["--help"], ["--version"]])
def test_an_output_that_is_full_is_a_sentence(arguments: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(nsoc.__file__).parents[1])}
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nsoc", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env=environment,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "nsoc: cannot write to standard output: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "hello", "--json", "/dev/full"], "cannot write the records to /dev/full (No space left"),
        (["run", "hello", "--capture", "/dev/full"], "cannot write the capture /dev/full (No space left"),
        (["demo", "--log", "/dev/full"], "cannot write the log of faults /dev/full (No space left"),
        (["presets", "--json", "/dev/full"], "cannot write the records to /dev/full (No space left"),
        (["regs", "--json", "/dev/full"], "cannot write the records to /dev/full (No space left"),
    ],
)
def test_a_file_that_finds_its_disk_full_is_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert call(arguments) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"nsoc: {says}") and said.count("nsoc:") == 1


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no room left on a disk: free some, or set NSOC_CACHE and"),
        (OSError(errno.EIO, "Input/output error"), "cannot write to a file: Input/output error"),
        (OSError(errno.ENOSPC, "No space left on device", "from", None, "to"), "cannot write to to: No space left"),
    ],
)
def test_standard_output_is_not_blamed_for_another_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, problem: OSError, says: str
) -> None:
    def fail() -> None:
        raise problem

    monkeypatch.setattr(nsoc.machine.listing, "preset_tables", fail)
    assert call(["presets"]) == 1
    assert _sentence(capsys).startswith(f"nsoc: {says}")


def test_the_module_runs_as_a_program() -> None:
    done = _python("-m", "nsoc", "regs", "nothing")
    assert done.returncode == 1
    assert done.stderr.startswith("nsoc: there is no register")
