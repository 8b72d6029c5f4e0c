# SPDX-License-Identifier: Apache-2.0
"""The SoC with a SPARC V8 core: its self-test, an echo that keeps the line full, harts that start one another."""

import pytest
from docs_pages import says
from test_cores import expected

import nsoc
from nsoc.bench import measure
from nsoc.machine import firmware, presets, selftest
from nsoc.machine.build import checkout

PRESET = "ajit-nic12-fast"
pytestmark = pytest.mark.slow


def test_the_self_test_passes() -> None:
    outcomes = selftest.run([], PRESET, 1)
    assert [outcome.name for outcome in outcomes] == [outcome.name for outcome in outcomes if outcome.ok]
    assert len(outcomes) > 5


@pytest.mark.parametrize("payload", [64, 1486])
def test_an_echo_keeps_the_line_full(payload: int) -> None:
    found = measure.throughput(PRESET, "normal", payload, 1, frames=300, warm_up=100)
    assert found.lost_counted == 0 and found.line_share >= 0.999


def test_windows_spill_and_fill_in_few_cycles() -> None:
    elf = firmware.build(checkout() / "tests" / "support" / "sparc" / "window_cycles.c", arch="sparc")
    with nsoc.Soc(PRESET, elf) as soc:
        soc.run(us=1000, text="\n")
        assert int(soc.uart.text) <= 80
        says("docs/sparc.md", f"in {soc.uart.text.strip()} cycles")


@pytest.mark.parametrize("cores", [1, 2])
def test_harts_start_one_another(cores: int) -> None:
    """One that is not there is none, and no trap."""
    with nsoc.Soc(presets.load(PRESET).with_(cores=cores), "harts") as soc:
        soc.run(us=50_000, text="done\n")
        assert soc.uart.text == expected(cores)
