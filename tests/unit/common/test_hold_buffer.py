# SPDX-License-Identifier: Apache-2.0
"""hold_buffer passes every beat in order, in the same cycle when it can, and `ready` follows a cycle later."""

import cocotb
from bench import run_bench
from cocotb.triggers import RisingEdge
from drivers import Stream, beats_pass_in_order, start


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.6, 0.1), (0.1, 0.6), (0.5, 0.5)])
async def beats_pass_in_order_under_stalls(dut, stalls) -> None:
    rng = await start(dut)
    await beats_pass_in_order(Stream.of(dut, "in", dut.clk), Stream.of(dut, "out", dut.clk), rng, 800, *stalls)


@cocotb.test()
async def one_beat_a_cycle_without_latency(dut) -> None:
    await start(dut)
    dut.in_valid.value = dut.out_ready.value = 1
    for n in range(50):
        dut.in_data.value = n
        await RisingEdge(dut.clk)
        assert dut.in_ready.value
        assert dut.out_valid.value
        assert int(dut.out_data.value) == n


@cocotb.test()
async def a_change_of_the_output_s_ready_does_not_reach_the_input_in_the_same_cycle(dut) -> None:
    await start(dut)
    dut.in_valid.value = 1
    dut.out_ready.value = 0
    await RisingEdge(dut.clk)
    assert dut.in_ready.value, "the beat of this cycle is held"
    dut.out_ready.value = 1
    await RisingEdge(dut.clk)
    assert not dut.in_ready.value
    await RisingEdge(dut.clk)
    assert dut.in_ready.value


def test_hold_buffer() -> None:
    run_bench("hold_buffer", {"WIDTH": 19})
