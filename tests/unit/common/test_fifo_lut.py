# SPDX-License-Identifier: Apache-2.0
"""fifo_lut keeps every beat and their order, costs one cycle, and its occupancy counts all it holds."""

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import RisingEdge
from drivers import Stream, beats_pass_in_order, start
from runs import some

BEATS = 800


async def occupancy_is_what_went_in_less_what_came_out(dut) -> None:
    inside = 0
    while True:
        await RisingEdge(dut.clk)
        assert int(dut.occupancy.value) == inside
        inside += int(dut.in_valid.value and dut.in_ready.value) - int(dut.out_valid.value and dut.out_ready.value)


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.6, 0.1), (0.1, 0.6), (0.5, 0.5), (0.9, 0.0), (0.0, 0.9)])
async def beats_pass_and_are_counted(dut, stalls) -> None:
    rng = await start(dut)
    dut.in_valid.value = dut.out_ready.value = 0
    counter = cocotb.start_soon(occupancy_is_what_went_in_less_what_came_out(dut))
    await beats_pass_in_order(Stream.of(dut, "in", dut.clk), Stream.of(dut, "out", dut.clk), rng, BEATS, *stalls)
    assert not counter.done()


@cocotb.test()
async def a_beat_into_the_empty_fifo_is_out_in_the_next_cycle_and_depth_beats_fit(dut) -> None:
    await start(dut)
    dut.out_ready.value = 0
    dut.in_valid.value = 1
    depth = int(dut.DEPTH.value)
    for n in range(depth):
        dut.in_data.value = n
        await RisingEdge(dut.clk)
        assert dut.in_ready.value
        assert int(dut.out_valid.value) == (n > 0)
    await RisingEdge(dut.clk)
    assert not dut.in_ready.value
    assert int(dut.occupancy.value) == depth
    # Full, and still a beat out each cycle.
    dut.in_valid.value = 0
    dut.out_ready.value = 1
    for n in range(depth):
        await RisingEdge(dut.clk)
        assert dut.out_valid.value
        assert int(dut.out_data.value) == n
    await RisingEdge(dut.clk)
    assert not dut.out_valid.value


@pytest.mark.parametrize("depth", some([16], [2]))
def test_fifo_lut(depth: int) -> None:
    run_bench("fifo_lut", {"WIDTH": 13, "DEPTH": depth})
