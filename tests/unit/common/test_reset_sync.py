# SPDX-License-Identifier: Apache-2.0
"""reset_sync asserts without a clock and releases on its last stage's edge; sync_bits shows a level after two edges."""

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer


@cocotb.test()
async def reset_asserts_at_once_and_releases_with_the_clock(dut) -> None:
    dut.clk.value = 0
    dut.arst.value = 0
    await Timer(1, "ns")
    dut.arst.value = 1
    await Timer(1, "ns")
    assert dut.rst.value, "asserted though the clock stands still"
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start(start_high=False))
    await RisingEdge(dut.clk)
    for width in (3, 27):  # a pulse shorter than a clock period, and a longer one
        await Timer(2, "ns")
        dut.arst.value = 1
        await Timer(width, "ns")
        assert dut.rst.value
        dut.arst.value = 0
        held = 0
        while True:
            await RisingEdge(dut.clk)
            if not dut.rst.value:
                break
            held += 1
        assert held == 4, "released on the fourth edge, seen by the fifth"


@cocotb.test()
async def a_level_shows_after_two_edges(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value = 1
    dut.d.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    assert int(dut.q.value) == 0b101, "the reset value"
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    for level in (0b111, 0b010, 0b000, 0b101):
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        before = int(dut.q.value)
        dut.d.value = level
        for _ in range(2):
            await RisingEdge(dut.clk)
            assert int(dut.q.value) == before
        await RisingEdge(dut.clk)
        assert int(dut.q.value) == level


def test_reset_sync() -> None:
    run_bench("reset_sync", testcase="reset_asserts_at_once_and_releases_with_the_clock")


def test_sync_bits() -> None:
    run_bench("sync_bits", {"WIDTH": 3, "RESET": "3'b101"}, testcase="a_level_shows_after_two_edges")
