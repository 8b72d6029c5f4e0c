# SPDX-License-Identifier: Apache-2.0
"""mac_pause by itself: pause frames that come faster than they can cross. The rest, at the pins: test_mac_transmit."""

import cocotb
from bench import run_bench
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout
from drivers import start_two

QUANTUM = 64  # steps
CROSSING = 20  # cycles of tx_clk: two handshakes


@cocotb.test()
@cocotb.parametrize(gap=range(1, 11), tx_ps=[8000, 12500])
async def the_newest_of_two_pause_frames_counts_however_close_they_are(dut, gap, tx_ps) -> None:
    for name in ("pause_valid", "pause_quanta", "fifo_used", "tx_forget", "send", "pause_begun"):
        getattr(dut, name).value = 0
    dut.step.value = dut.obey.value = 1
    await start_two(dut, ("rx", 8000), ("tx", tx_ps))
    for _ in range(4):
        await RisingEdge(dut.rx_clk)

    async def pause(quanta: int) -> None:
        dut.pause_valid.value, dut.pause_quanta.value = 1, quanta
        await RisingEdge(dut.rx_clk)
        dut.pause_valid.value = 0

    async def lasts() -> int:
        await RisingEdge(dut.paused)
        cycles = 0
        while dut.paused.value:
            await FallingEdge(dut.tx_clk)
            cycles += 1
        return cycles

    pausing = cocotb.start_soon(lasts())
    await pause(2)
    for _ in range(gap - 1):
        await RisingEdge(dut.rx_clk)
    await pause(5)
    cycles = await with_timeout(pausing, 20 * QUANTUM * tx_ps, "ps")
    assert 5 * QUANTUM <= cycles <= 5 * QUANTUM + CROSSING


def test_mac_pause() -> None:
    run_bench("mac_pause")
