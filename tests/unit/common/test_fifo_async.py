# SPDX-License-Identifier: Apache-2.0
"""fifo_async keeps every beat and their order at any clock ratio, phase and stall pattern."""

import cocotb
import pytest
from bench import ROOT, run_bench
from drivers import Stream, beats_pass_in_order, start_two
from runs import some

BEATS = 500


@cocotb.test()
@cocotb.parametrize(
    clocks=[(12500, 8000), (8000, 12500), (8000, 8000), (2000, 13700), (13700, 2000)],
    stalls=[(0.0, 0.0), (0.6, 0.1), (0.1, 0.6), (0.5, 0.5)],
)
async def beats_cross_in_order(dut, clocks, stalls) -> None:
    rng = await start_two(dut, ("wr", clocks[0]), ("rd", clocks[1]))
    await beats_pass_in_order(Stream.of(dut, "wr", dut.wr_clk), Stream.of(dut, "rd", dut.rd_clk), rng, BEATS, *stalls)


@pytest.mark.parametrize("depth", some([4], [16]))
@pytest.mark.parametrize("folder", ["rtl/common", "models/fast"])
def test_fifo_async(folder: str, depth: int) -> None:
    run_bench("fifo_async", {"WIDTH": 37, "DEPTH": depth}, extra_sources=(ROOT / folder / "fifo_async.sv",))
