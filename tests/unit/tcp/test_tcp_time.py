# SPDX-License-Identifier: Apache-2.0
"""tcp_time counts microseconds exactly, whatever the clock, and faster by powers of two."""

import os

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import FallingEdge
from drivers import start
from runs import slow


@cocotb.test()
async def time_is_that_of_the_clock_times_the_scale(dut) -> None:
    await start(dut)
    clock_hz = int(os.environ["CLOCK_HZ"])
    cycles, expected, step = 0, 0, 1
    dut.scale.value = 0
    await FallingEdge(dut.clk)
    for scale in (0, 1, 5, 10, 31, 0):
        dut.scale.value = scale
        ticks = 0
        while ticks < 60:
            before = int(dut.now.value)
            await FallingEdge(dut.clk)
            cycles += 1
            # The register of the step and that of the tick are one cycle in front of the counter's.
            if (cycles - 1) * 1_000_000 // clock_hz != (cycles - 2) * 1_000_000 // clock_hz and cycles > 1:
                expected += step
                ticks += 1
                assert int(dut.now.value) == expected
            else:
                assert int(dut.now.value) == before == expected
            step = 1 << scale


@pytest.mark.parametrize("clock_hz", [125_000_000, 1_000_001, *slow([156_250_000, 66_666_667])])
def test_tcp_time(clock_hz: int) -> None:
    run_bench("tcp_time", {"CLOCK_HZ": clock_hz}, extra_env={"CLOCK_HZ": str(clock_hz)})
