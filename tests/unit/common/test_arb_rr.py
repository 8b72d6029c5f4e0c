# SPDX-License-Identifier: Apache-2.0
"""arb_rr grants one requester at a time, wastes no cycle and lets nobody wait longer than one round."""

import cocotb
from bench import run_bench
from cocotb.triggers import FallingEdge, RisingEdge
from drivers import start


@cocotb.test()
async def grants_follow_the_turn(dut) -> None:
    rng = await start(dut)
    n = len(dut.request)
    last = n - 1  # the one that was taken last: the search begins behind it
    waited = [0] * n
    dut.request.value = dut.take.value = 0
    for _ in range(3000):
        await FallingEdge(dut.clk)
        # Requests come and go, also without having been granted.
        request, take = rng.getrandbits(n), int(rng.random() < 0.7)
        dut.request.value, dut.take.value = request, take
        await RisingEdge(dut.clk)
        grant = int(dut.grant.value)
        turn = [(last + 1 + k) % n for k in range(n)]
        winner = next((i for i in turn if request >> i & 1), None)
        assert grant == (0 if winner is None else 1 << winner)
        if take and winner is not None:
            last = winner
        for i in range(n):
            if not request >> i & 1 or winner == i:
                waited[i] = 0
            elif take:
                waited[i] += 1
                assert waited[i] < n, "waited longer than one round"


def test_arb_rr() -> None:
    run_bench("arb_rr", {"N": 5})
