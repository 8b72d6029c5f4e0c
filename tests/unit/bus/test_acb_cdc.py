# SPDX-License-Identifier: Apache-2.0
"""acb_cdc and afb_cdc: requests and responses cross between any two clocks, each once and in order."""

import os

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import ACB, AFB, Bus, Master, Port, Request, Response, Slave, start_two, within
from runs import some

REQUESTS = 150
ONE_CLOCK = os.environ.get("ONE_CLOCK") == "1"  # in the simulator: both clocks are one net


def bus_of(dut) -> Bus:
    return ACB if len(dut.in_s2m) == ACB.response + 2 else AFB


def inverse(bus: Bus):
    return lambda request: Response(~request.data & (1 << bus.data) - 1, err=bool(request.mask & 1))


@cocotb.test(skip=ONE_CLOCK)
@cocotb.parametrize(
    clocks=[(12500, 8000), (8000, 12500), (8000, 8000), (3000, 13700), (13700, 3000)],
    stalls=[(0.0, 0.0, 0.0), (0.4, 0.5, 0.4)],
)
async def every_request_crosses_once_and_its_answer_returns_in_order(dut, clocks, stalls) -> None:
    stall, rsp_stall, slave_stall = stalls
    rng = await start_two(dut, ("in", clocks[0]), ("out", clocks[1]))
    bus = bus_of(dut)
    slave = Slave(Port(dut, "out", bus, clk=dut.out_clk), inverse(bus), rng, slave_stall, lambda: rng.randint(1, 5))
    master = Master(Port(dut, "in", bus, clk=dut.in_clk), rng, stall, rsp_stall)
    requests = [Request.unpack(rng.getrandbits(bus.request), bus) for _ in range(REQUESTS)]
    master.send(requests)
    responses = await within(dut, 40 * REQUESTS, master.all_done(), dut.in_clk)
    assert slave.seen == requests
    assert responses == [inverse(bus)(r) for r in requests]
    await ClockCycles(dut.in_clk, 30)
    assert not master.responses, "a response too many"


@cocotb.test(skip=not ONE_CLOCK)
@cocotb.parametrize(stalls=[(0.0, 0.0, 0.0), (0.4, 0.5, 0.4)])
async def with_one_clock_nothing_lies_in_between(dut, stalls) -> None:
    stall, rsp_stall, slave_stall = stalls
    rng = await start_two(dut, ("in", 8000), ("out", 8000))
    bus = bus_of(dut)
    slave = Slave(Port(dut, "out", bus, clk=dut.in_clk), inverse(bus), rng, slave_stall)
    master = Master(Port(dut, "in", bus, clk=dut.in_clk), rng, stall, rsp_stall)
    requests = [Request.unpack(rng.getrandbits(bus.request), bus) for _ in range(REQUESTS)]
    master.send(requests)
    assert await within(dut, 40 * REQUESTS, master.all_done(), dut.in_clk) == [inverse(bus)(r) for r in requests]
    assert slave.seen == requests
    if not any(stalls):
        assert slave.seen_at == master.sent_at, "no latency"
        assert [at - 1 for at in master.done_at] == master.sent_at, "no latency"


@pytest.mark.parametrize(("top", "one_clock"), some([("acb_cdc", 0), ("afb_cdc", 0), ("acb_cdc", 1)], [("afb_cdc", 1)]))
def test_cdc(top: str, one_clock: int) -> None:
    run_bench(top, {"ONE_CLOCK": one_clock}, extra_env={"ONE_CLOCK": str(one_clock)})
