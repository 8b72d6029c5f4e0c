# SPDX-License-Identifier: Apache-2.0
"""nic_tx_pace: `paced` says to the cycle and to the turn whether both clocks were fast enough in the last window."""

import cocotb
from bench import run_bench
from cocotb.triggers import RisingEdge
from drivers import start

CYCLES, TURNS = 151, 20  # the least of a window: more than 150 cycles, 20 turns of the memory's clock


async def windows(dut, cycles: int, turns: int, count: int = 3) -> list[int]:
    """`paced` behind each of `count` windows of so many cycles, in which memory_tick turns so often."""
    seen = []
    ends = [cycles * quarter // 4 for quarter in range(1, 5)]
    turn_at = {cycles * n // turns for n in range(turns)}
    for _ in range(count):
        for cycle in range(cycles):
            dut.line_tick.value = int(dut.line_tick.value) ^ (cycle + 1 in ends)
            dut.memory_tick.value = int(dut.memory_tick.value) ^ (cycle in turn_at)
            await RisingEdge(dut.clk)
        seen.append(int(dut.paced.value))
    return seen


async def started(dut) -> None:
    dut.line_tick.value = dut.memory_tick.value = 0
    await start(dut)


@cocotb.test()
@cocotb.parametrize(cycles=[100, CYCLES - 1, CYCLES, CYCLES + 1, 250])
async def cycles_of_its_own_clock(dut, cycles: int) -> None:
    await started(dut)
    assert (await windows(dut, cycles, 25))[2] == (cycles >= CYCLES)


@cocotb.test()
@cocotb.parametrize(turns=[1, 8, TURNS - 1, TURNS, TURNS + 1, 60])
async def turns_of_the_memory_s_clock(dut, turns: int) -> None:
    await started(dut)
    assert (await windows(dut, 256, turns))[2] == (turns >= TURNS)


@cocotb.test()
async def a_clock_that_slows_down_is_seen_with_the_next_window(dut) -> None:
    await started(dut)
    assert await windows(dut, 256, 26, 1) != [1], "the first window has not passed"
    assert (await windows(dut, 256, 26, 2))[1] == 1
    assert (await windows(dut, 256, 10, 2))[1] == 0
    assert (await windows(dut, 256, 26, 2))[1] == 1
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    assert not dut.paced.value


def test_nic_tx_pace() -> None:
    run_bench("nic_tx_pace")
