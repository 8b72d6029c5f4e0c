# SPDX-License-Identifier: Apache-2.0
"""docs/latency.md: its commands run; presets, modes, stages and windows are those of the bench.

Figures of the bench and areas are generated (docs/data).
"""

import json
import re
from pathlib import Path

import pytest
from docs_pages import ROOT, example, run, says, table
from docs_tables import header

from nsoc.bench import latency, latency_stages
from nsoc.bench import latency_measure as measure
from nsoc.bench.latency_loads import MINIMUM_MODES, RECEIVED
from nsoc.hardware.lat_area import MOST_LEVELS
from nsoc.hardware.synth import SHALLOW_COMMAND
from nsoc.machine import presets

PAGE = "docs/latency.md"
BLOCK = example(PAGE, "How to repeat it", 1)
COMMANDS = BLOCK.commands
OF_MAKE_TEST = [line for line in COMMANDS if "--mode" in line]
SHORT = "--phases 2 --no-goodput"
WIDTHS = {"64", "128", "256", "512"}


@pytest.mark.slow
@pytest.mark.parametrize("command", OF_MAKE_TEST)
def test_a_command_on_the_simulator_that_is_there_prints_its_payloads(command: str, tmp_path: Path) -> None:
    payloads = re.search(r"--payload ([\d,]+)", command)
    assert payloads
    records = json.loads(run(f"{command} {SHORT} --json -", tmp_path))
    found = {record["payload"] for record in records if record["metric"] == "latency_ns"}
    assert found == {int(payload) for payload in payloads[1].split(",")}


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs_as_it_stands(command: str, tmp_path: Path) -> None:
    assert "latency" in run(command if "--json" in command else f"{command} --json -", tmp_path)


def test_all_lines_are_commands_of_the_bench() -> None:
    assert len(COMMANDS) == 6 and all(line.startswith("nsoc bench latency") for line in COMMANDS)
    assert len(OF_MAKE_TEST) == 1


def test_options_of_the_commands_are_what_stands_behind_them() -> None:
    lines = {line.partition(" #")[0].strip(): line.partition(" # ")[2].strip() for line in BLOCK.text.splitlines()}
    options = {line: dict(re.findall(r"--([\w-]+) (\S+)", line)) for line in lines}
    published = set(latency.published()["published"]["ns"])
    for line, given in options.items():
        payloads = {int(payload) for payload in re.findall(r"\d+", given.get("payload", ""))}
        assert payloads <= published and given.get("width", "512") in WIDTHS
        assert "MHz" not in lines[line] or f"{given['core-mhz']} MHz" in lines[line]
        assert "words of" not in lines[line] or f"words of {given['line-bits']} bits" in lines[line]
    (every,) = [comment for line, comment in lines.items() if options[line].get("payload") == "all"]
    assert every == f"1 to {measure.MOST_PAYLOAD}"


# ---- Numbers ---------------------------------------------------------------------------------------------------------


def test_presets_are_as_the_table_has_them() -> None:
    rows = table(PAGE, "How to repeat it")
    assert sorted(row[0].strip("`") for row in rows) == sorted(latency.PRESETS)
    for name, line, streams, clock, mac, crossings in rows:
        preset = presets.load(name.strip("`"))
        assert line == f"{preset.line_mbps / 1000:g} Gb/s" and streams == f"{preset.width} bits"
        assert clock == f"{preset.nic_mhz:g} MHz"
        where = "the same clock" if preset.one_clock else f"at {preset.xgmii_mhz:.7g} MHz"
        assert re.fullmatch(rf"{preset.line_bits} bits,? {where}", mac), (name, mac)
        assert crossings.startswith("none" if preset.one_clock else "2")
    cycle = round(1e9 / presets.load("lat-10g").nic_mhz)
    says(PAGE, f"a cycle of 175 MHz is {cycle:,} of them")


def test_modes_stages_and_watches_are_those_of_the_bench() -> None:
    modes = [name for row in table(PAGE, "The watches", 2) for name in re.findall(r"`([\w-]+)`", row[0])]
    assert tuple(modes) == measure.MODES
    assert [row[0].strip("`") for row in table(PAGE, "Where the time goes")] == [s for s, _ in latency_stages.STAGES]
    says(PAGE, f"through the payloads from {latency_stages.FIT_LEAST} bytes on")


def test_windows_and_phases_are_those_of_the_bench() -> None:
    boot = (ROOT / "sim/lat/lat_boot.h").read_text(encoding="utf-8")
    delayed = re.search(r"delayed_ack_us = (\d+);", boot)
    quiet = re.search(r"QUIET_FS = (\d) \* US / (\d);", (ROOT / "sim/lat/latency.cpp").read_text(encoding="utf-8"))
    assert delayed and quiet
    says(
        PAGE,
        f"Behind {measure.WARM_UP_US} us of warm-up {measure.WINDOW_US} us are measured: payload of "
        f"{measure.MOST_PAYLOAD} bytes a second",
        f"and of {measure.SMALLEST} bytes, the smallest frame",
        f"`nsoc bench latency`, seed 1, {latency.PHASES} phases a figure",
        f"over {measure.WINDOW_US} us; of two nodes that of the one that got less",
        f"acknowledgement is delayed for {delayed[1]} us",
        f"Both lines have been idle for {int(quiet[1]) / int(quiet[2]):g} us",
        f"then {presets.load('lat-10g').connections - 1} handshakes with a listener",
    )


def test_frames_of_64_bytes_are_counted_as_the_bench_counts_them() -> None:
    rows = {row[0]: row[1] for row in table(PAGE, "Frames of 64 bytes")}
    udp, tcp = f"({measure.SMALLEST_UDP})", f"({measure.SMALLEST})"
    assert list(rows) == [
        f"`node-0`, `node-1` (payload {measure.SMALLEST})", f"`udp-minimum` {udp}",
        f"`{MINIMUM_MODES[RECEIVED]}` {tcp}", f"`{MINIMUM_MODES[f'{RECEIVED}-paced']}` {tcp}",
    ]  # fmt: skip
    a_second = 1e9 / measure.slot_ns(measure.SMALLEST, 10_000)
    says(
        PAGE,
        f"A line of 10 Gb/s carries {a_second / 1e6:.2f} million of them a second, one each "
        f"{presets.load('lat-10g').nic_mhz * 1e6 / a_second:.2f} cycles of 175 MHz",
    )


def test_what_is_wanted_of_levels_is_what_the_tables_are_held_to() -> None:
    says(PAGE, f"At most {MOST_LEVELS} are wanted", f"counts {SHALLOW_COMMAND.split()[-1]} ps, where Yosys takes 300")


def test_cycles_of_the_fast_blocks_are_those_of_their_headers() -> None:
    rows = dict(table(PAGE, "How the way became short"))
    what = {found[1]: text for name, text in rows.items() if (found := re.match(r"\[(\w+)\]", name))}
    assert all(list((ROOT / "rtl").rglob(f"{name}.sv")) for name in what) and len(what) == len(rows)
    first = re.search(r"(\d) cycles from the first beat or the doorbell", header("tcp_fast_tx"))
    assert first and f"{first[1]} cycles behind the first beat" in what["tcp_fast_tx"]
    found = re.search(r"Latency: (\d) cycles from `find`", header("tcp_fast_ends"))
    assert found and f"in {({'2': 'two'})[found[1]]} cycles" in what["tcp_fast_ends"]
