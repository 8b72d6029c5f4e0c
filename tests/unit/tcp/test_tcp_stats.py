# SPDX-License-Identifier: Apache-2.0
"""tcp_stats: no pulse is lost, as close as its header says that they may come, whatever is read meanwhile."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import FallingEdge, RisingEdge
from drivers import start

N = 51


@cocotb.test()
async def every_pulse_is_counted(dut: Any) -> None:
    rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the printed seed
    each = int(os.environ["SMALL_W"]) > 5  # one each cycle; else far less than 31 of 64
    dut.pulse.value = dut.read.value = dut.number.value = 0
    await start(dut)
    while not dut.ready.value:
        await RisingEdge(dut.clk)
    counts = [0] * N
    for cycle in range(20_000):
        pulse = rng.getrandbits(N)
        if not each:
            pulse &= rng.getrandbits(N) & rng.getrandbits(N)
        elif cycle // 500 % 2:
            pulse |= 1 << 3 | 1 << 50  # these in each cycle
        dut.pulse.value = pulse
        dut.read.value = rng.random() < 0.1
        dut.number.value = rng.randrange(N)
        for number in range(N):
            counts[number] += pulse >> number & 1
        await RisingEdge(dut.clk)
    dut.pulse.value = dut.read.value = 0
    for _ in range(140):
        await RisingEdge(dut.clk)
    for number in range(N):
        dut.read.value, dut.number.value = 1, number
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        assert int(dut.count.value) == counts[number], number


@pytest.mark.parametrize("small", [5, 7])
def test_tcp_stats(small: int) -> None:
    run_bench("tcp_stats", {"SMALL_W": small}, seed=random.randrange(1 << 16), extra_env={"SMALL_W": str(small)})
