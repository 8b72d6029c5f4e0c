# SPDX-License-Identifier: Apache-2.0
"""skid_buffer passes every beat in order with one cycle of latency, at one beat a cycle."""

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
async def one_beat_a_cycle_with_one_cycle_of_latency(dut) -> None:
    await start(dut)
    dut.in_valid.value = dut.out_ready.value = 1
    for n in range(50):
        dut.in_data.value = n
        await RisingEdge(dut.clk)
        assert dut.in_ready.value
        if n > 0:
            assert dut.out_valid.value
            assert int(dut.out_data.value) == n - 1


@cocotb.test()
async def a_change_of_the_output_s_ready_does_not_reach_the_input_in_the_same_cycle(dut) -> None:
    await start(dut)
    dut.in_valid.value = dut.out_ready.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.out_ready.value = 0
    await RisingEdge(dut.clk)
    assert dut.in_ready.value, "the beat of this cycle goes to the skid register"
    await RisingEdge(dut.clk)
    assert not dut.in_ready.value


def test_skid_buffer() -> None:
    run_bench("skid_buffer", {"WIDTH": 19})
