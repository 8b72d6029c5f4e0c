# SPDX-License-Identifier: Apache-2.0
"""fifo_async keeps every beat and their order at any clock ratio, phase and stall pattern."""

import random
from collections import deque

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

BEATS = 1500


async def _reset(dut) -> None:
    dut.wr_rst.value = dut.rd_rst.value = 1
    dut.wr_valid.value = dut.rd_ready.value = 0
    await Timer(200, "ns")
    await RisingEdge(dut.wr_clk)
    dut.wr_rst.value = 0
    await RisingEdge(dut.rd_clk)
    dut.rd_rst.value = 0


async def _write(dut, beats, stall, rng) -> None:
    for beat in beats:
        while rng.random() < stall:
            await RisingEdge(dut.wr_clk)
        dut.wr_data.value = beat
        dut.wr_valid.value = 1
        await RisingEdge(dut.wr_clk)
        while not dut.wr_ready.value:
            await RisingEdge(dut.wr_clk)
        dut.wr_valid.value = 0


async def _transfer(dut, wr_ps, rd_ps, wr_stall, rd_stall) -> None:
    rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
    clocks = [cocotb.start_soon(Clock(dut.wr_clk, wr_ps, "ps").start())]
    await Timer(rng.randrange(1, rd_ps), "ps")  # any phase
    clocks.append(cocotb.start_soon(Clock(dut.rd_clk, rd_ps, "ps").start()))
    await _reset(dut)
    width = len(dut.wr_data)
    beats = [rng.getrandbits(width) for _ in range(BEATS)]
    expected = deque(beats)
    writer = cocotb.start_soon(_write(dut, beats, wr_stall, rng))
    while expected:
        dut.rd_ready.value = rng.random() >= rd_stall
        await RisingEdge(dut.rd_clk)
        if dut.rd_valid.value and dut.rd_ready.value:
            assert int(dut.rd_data.value) == expected.popleft()
    dut.rd_ready.value = 0
    await writer
    for _ in range(20):
        await RisingEdge(dut.rd_clk)
        assert not dut.rd_valid.value, "a beat came out that was never written"
    for clock in clocks:
        clock.cancel()


@cocotb.test()
@cocotb.parametrize(
    clocks=[(12500, 8000), (8000, 12500), (8000, 8000), (2000, 13700), (13700, 2000)],
    stalls=[(0.0, 0.0), (0.6, 0.1), (0.1, 0.6), (0.5, 0.5)],
)
async def beats_cross_in_order(dut, clocks, stalls) -> None:
    await _transfer(dut, *clocks, *stalls)


@pytest.mark.parametrize("depth", [4, 16])
def test_fifo_async(depth: int) -> None:
    run_bench("fifo_async", {"WIDTH": 37, "DEPTH": depth})
