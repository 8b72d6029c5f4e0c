# SPDX-License-Identifier: Apache-2.0
"""nsoc bench clock: the processor's way to the NIC, in cycles, and the clock below which the line is not full."""

import json

import pytest
from typer.testing import CliRunner

from nsoc import cli
from nsoc.bench import clock
from nsoc.errors import NsocError
from nsoc.machine import presets

pytestmark = pytest.mark.slow


def test_a_load_of_a_register_and_a_round_of_the_queues_take_what_they_should() -> None:
    found = clock.access(presets.load("nic12-fast"), "80-125", (1, 2))
    assert found.load_cycles == 9
    assert found.load_ns == 112.5
    assert found.queues_cycles <= 60


def test_a_clock_that_is_too_slow_is_found_out_even_where_buffers_hide_it() -> None:
    system = presets.load("nic12-fast")
    assert clock.keeps_up(system, 42, 46, (1,))
    assert not clock.keeps_up(system, 24, 46, (1,))


def test_the_limits_are_told_apart() -> None:
    system = presets.load("nic12-fast")
    accesses = [clock.Access("80-125", 80.0, 9, 57), clock.Access("one-clock", 100.0, 7, 60)]
    good = clock.ClockResult(system, accesses, 27.0, {46: 42, 64: 36}, (1,))
    assert good.failure == ""
    slow = [clock.Access("80-125", 80.0, 10, 57), clock.Access("one-clock", 100.0, 8, 61)]
    bad = clock.ClockResult(system, slow, 27.1, {46: 43, 64: 37}, (1,))
    for missed in (
        "register_load_ns 80-125: 125 of 113 ns", "register_load_ns one-clock: 80 of 70 ns", "queues_cycles one-clock",
        "forward_cycles", "least_cpu_mhz 46: 43 of 42 MHz", "least_cpu_mhz 64: 37 of 36 MHz",
    ):  # fmt: skip
        assert missed in bad.failure


def test_a_nic_with_its_queues_in_memory_is_refused() -> None:
    with pytest.raises(NsocError, match="nic11-fast has its queues in memory"):
        clock.run(preset="nic11-fast")


@pytest.mark.long
def test_the_command_shows_all_of_it_and_every_limit_is_kept() -> None:
    done = CliRunner().invoke(cli.app, ["bench", "clock", "--json", "-"])
    assert done.exit_code == 0, done.output
    found = {(r["metric"], r["mode"], r["payload"]): r["value"] for r in json.loads(done.stdout)}
    assert found["register_load_ns", "one-clock", None] <= 70
    assert found["least_cpu_mhz", "normal", 46] <= 42


@pytest.mark.long
def test_with_one_clock_frames_pass_at_the_rate_of_the_line() -> None:
    system = presets.load("nic12-fast").with_(one_clock=True, cpu_mhz=100, nic_mhz=100)
    for payload in (46, 64, 1486):
        assert clock.keeps_up(system, 100, payload, (1,))
