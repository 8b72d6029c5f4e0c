# SPDX-License-Identifier: Apache-2.0
"""mac_settings_sync: settings and enable arrive whole, in bounded time, and never sooner than a handshake takes."""

import cocotb
from bench import run_bench
from cocotb.triggers import RisingEdge, Timer
from drivers import start_two

TAKES = 3  # edges of rd_clk: two through the synchronizer, one into the register
CYCLES = 10  # of either clock: one handshake that is under way and one more, five each


@cocotb.test()
@cocotb.parametrize(periods=[(8000, 8000), (8000, 7000), (12500, 8000), (8000, 40000)])
async def settings_arrive_whole_and_not_before_the_handshake_is_over(dut, periods) -> None:
    wr_ps, rd_ps = periods
    dut.wr_settings.value = dut.wr_enable.value = 0
    rng = await start_two(dut, ("wr", wr_ps), ("rd", rd_ps))
    width = len(dut.wr_settings)
    await Timer(CYCLES * (wr_ps + rd_ps), "ps")
    sent, waits = (0, 0), []
    for number in range(100):
        before, sent = sent, (rng.getrandbits(width - 1) << 1 | number & 1, rng.getrandbits(1))
        dut.wr_settings.value, dut.wr_enable.value = sent
        waits.append(0)
        while (seen := (int(dut.rd_settings.value), int(dut.rd_enable.value))) != sent:
            assert seen == before, "bits of two moments"
            assert waits[-1] * rd_ps <= CYCLES * (wr_ps + rd_ps), "it takes too long"
            await RisingEdge(dut.rd_clk)
            waits[-1] += 1
        await Timer(rng.randrange(1, 5 * (wr_ps + rd_ps)), "ps")
    assert min(waits) > TAKES, "taken while it may still change"  # one more: seen an edge later


def test_mac_settings_sync() -> None:
    run_bench("mac_settings_sync")
