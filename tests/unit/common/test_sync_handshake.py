# SPDX-License-Identifier: Apache-2.0
"""sync_handshake hands over every word that it took, once and in order, at any clock ratio and phase."""

import cocotb
from bench import run_bench
from cocotb.triggers import RisingEdge
from drivers import start_two

WORDS = 300


@cocotb.test()
@cocotb.parametrize(
    clocks=[(8000, 8000), (8000, 8002), (12500, 8000), (8000, 12500), (2000, 13700), (13700, 2000)],
    gap=[0.0, 0.8],
)
async def words_cross_once_and_in_order(dut, clocks, gap) -> None:
    rng = await start_two(dut, ("wr", clocks[0]), ("rd", clocks[1]))
    sent = [rng.getrandbits(13) for _ in range(WORDS)]
    received = []

    async def receive() -> None:
        while len(received) < WORDS:
            await RisingEdge(dut.rd_clk)
            if dut.rd_valid.value:
                received.append(int(dut.rd_data.value))

    receiver = cocotb.start_soon(receive())
    for word in sent:
        while rng.random() < gap:
            await RisingEdge(dut.wr_clk)
        dut.wr_valid.value, dut.wr_data.value = 1, word
        await RisingEdge(dut.wr_clk)
        waited = 0
        while not dut.wr_ready.value:
            waited += 1
            await RisingEdge(dut.wr_clk)
        # As documented: three rd_clk cycles and four wr_clk cycles, and the edges that they begin between.
        assert waited <= 3 * clocks[1] / clocks[0] + 5
        dut.wr_valid.value, dut.wr_data.value = 0, rng.getrandbits(13)
    await receiver
    for _ in range(20):
        await RisingEdge(dut.rd_clk)
        assert not dut.rd_valid.value, "a word came twice"
    assert received == sent


def test_sync_handshake() -> None:
    run_bench("sync_handshake", {"WIDTH": 13})
