# SPDX-License-Identifier: Apache-2.0
"""Tables off a terminal: whatever the width that the environment claims, no figure is cut or broken."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich import box
from rich.console import Group
from rich.table import Table

import nsoc
from nsoc.bench import sweep, sweep_output
from nsoc.bench.points import Load
from nsoc.cli.common import console_for
from nsoc.machine import presets
from nsoc.records import Record

PROSE = "what is said at length about something and goes over several lines, as nobody reads lines without end " * 3


@pytest.fixture(params=[None, "40", "1"])
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """What the environment says of a width."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if request.param is not None:
        monkeypatch.setenv("COLUMNS", request.param)
    return request.param


def _printed(part: object, capsys: pytest.CaptureFixture[str]) -> list[str]:
    console_for(None).print(part)
    out = capsys.readouterr().out
    assert "…" not in out
    return out.splitlines()


def test_a_sweep_keeps_its_figures(columns: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    axes = sweep.parse_axes(["cpu_mhz=40,160", "rx_fifo_bytes=4K", "host_latency_ns=0", "frame_memory_mhz=500"])
    points = sweep.points(axes, None, "throughput", Load((64,), "normal"))
    metrics = [f"a_metric_with_a_long_name_{number}" for number in range(12)]
    rows = [
        sweep.Row(point, [Record("sweep", "x", name, 123456.0 + at, "normal", 64, "Mb/s") for name in metrics])
        for at, point in enumerate(points)
    ]
    lines = _printed(sweep_output.table(sweep.SweepResult("throughput", axes, rows)), capsys)
    (heading,) = (line for line in lines if "cpu_mhz" in line)
    assert all(f"{name}, Mb/s" in heading for name in metrics)
    assert sum(line.count("123,456") for line in lines) == sum(line.count("123,457") for line in lines) == 12
    assert len({len(line) for line in lines[1:] if line.strip()}) == 1


@pytest.mark.parametrize("no_wrap", [False, True])
def test_names_and_figures_stay_whole_beside_prose(
    columns: str | None, capsys: pytest.CaptureFixture[str], no_wrap: bool
) -> None:
    table = Table(box=box.SIMPLE_HEAD, caption=PROSE, caption_justify="left")
    headings = [f"heading of some {number}" for number in range(9)]
    table.add_column("what it is")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=no_wrap)
    table.add_row(PROSE, *(f"{number},234,567.89 cycles" for number in range(9)))
    for part in (table, Group("a line", table)):
        lines = _printed(part, capsys)
        assert any(all(heading in line for heading in headings) for line in lines)
        assert any(all(f"{number},234,567.89 cycles" in line for number in range(9)) for line in lines)
        prose = [line[:64].strip() for line in lines if "over several" in line]
        assert len(prose) >= 3, "prose goes over several lines"


def test_a_small_table_does_not_depend_on_the_environment(
    columns: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table("name", "value")
    table.add_row("one", PROSE)
    assert max(map(len, _printed(table, capsys))) == 100


@pytest.mark.parametrize(
    "arguments", [["presets"], ["regs"], ["regs", "nic.control"], ["selftest", "--list"]], ids=" ".join
)
def test_what_a_pipe_gets_is_whole(columns: str | None, arguments: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(nsoc.__file__).parents[1])}
    command = [sys.executable, "-m", "nsoc", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "…" not in done.stdout
    if arguments == ["presets"]:
        for preset in presets.all_presets():
            (row,) = (line for line in done.stdout.splitlines() if line.startswith(f"│ {preset.name} "))
            assert not preset.has_processor or f" {preset.nic_mhz:g} MHz" in row
