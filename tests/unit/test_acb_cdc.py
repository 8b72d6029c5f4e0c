# SPDX-License-Identifier: Apache-2.0
"""acb_cdc and afb_cdc: requests and responses cross between any two clocks, each once and in order."""

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import ACB, AFB, Master, Port, Request, Response, Slave, start_two, within

REQUESTS = 150


@cocotb.test()
@cocotb.parametrize(
    clocks=[(12500, 8000), (8000, 12500), (8000, 8000), (3000, 13700), (13700, 3000)],
    stalls=[(0.0, 0.0, 0.0), (0.4, 0.5, 0.4)],
)
async def every_request_crosses_once_and_its_answer_returns_in_order(dut, clocks, stalls) -> None:
    stall, rsp_stall, slave_stall = stalls
    rng = await start_two(dut, ("in", clocks[0]), ("out", clocks[1]))
    bus = ACB if len(dut.in_s2m) == ACB.response + 2 else AFB

    def answer(request: Request) -> Response:
        return Response(~request.data & (1 << bus.data) - 1, err=bool(request.mask & 1))

    slave = Slave(Port(dut, "out", bus, clk=dut.out_clk), answer, rng, slave_stall, lambda: rng.randint(1, 5))
    master = Master(Port(dut, "in", bus, clk=dut.in_clk), rng, stall, rsp_stall)
    requests = [Request.unpack(rng.getrandbits(bus.request), bus) for _ in range(REQUESTS)]
    master.send(requests)
    responses = await within(dut, 40 * REQUESTS, master.all_done(), dut.in_clk)
    assert slave.seen == requests
    assert responses == [answer(r) for r in requests]
    await ClockCycles(dut.in_clk, 30)
    assert not master.responses, "a response too many"


@pytest.mark.parametrize("top", ["acb_cdc", "afb_cdc"])
def test_cdc(top: str) -> None:
    run_bench(top)
