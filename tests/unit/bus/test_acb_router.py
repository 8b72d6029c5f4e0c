# SPDX-License-Identifier: Apache-2.0
"""acb_router and afb_router (one implementation): by address to the right slave, every answer once and in order."""

import random

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import ACB, AFB, Bus, Master, Port, Request, Response, Slave, read, start, within

N = 3
# Two small regions inside an otherwise unclaimed space, and a large one.
BASE = [0x0_4000_0000, 0x0_FF00_0000, 0x0_FFFF_3100]
MASK = [0xF_F000_0000, 0xF_FFFF_FC00, 0xF_FFFF_FF00]
SIZE = [1 << 28, 1 << 10, 1 << 8]
UNCLAIMED = [0x0_0000_0000, 0x0_FF00_0400, 0x0_FFFF_30FF, 0x0_FFFF_3200, 0x1_4000_0000, 0x0_3FFF_FFFF]
REQUESTS = 300


def bus_of(dut) -> Bus:
    return ACB if len(dut.in_s2m) == ACB.response + 2 else AFB


def owner(address: int) -> int | None:
    """Which slave's region holds the address: by comparison of ranges, not by masks as the router does."""
    return next((i for i in range(N) if BASE[i] <= address < BASE[i] + SIZE[i]), None)


def answer_of(slave: int):
    """An answer that tells who gave it and to what."""
    return lambda r: Response((r.address * 2654435761 + slave) & 0xFFFF_FFFF, err=r.address % 5 == 0)


def random_request(rng: random.Random, bus: Bus) -> Request:
    slave = rng.randrange(N + 1)
    address = rng.choice(UNCLAIMED) if slave == N else BASE[slave] + rng.randrange(SIZE[slave])
    return Request(
        address, rng.random() < 0.5, rng.getrandbits(bus.mask), rng.getrandbits(bus.data), rng.random() < 0.2
    )


@cocotb.test()
@cocotb.parametrize(
    stalls=[(0.0, 0.0, 0.0, 1), (0.3, 0.3, 0.3, 4), (0.0, 0.7, 0.0, 9), (0.0, 0.0, 0.7, 2), (0.0, 0.0, 0.0, 30)]
)
async def every_request_is_answered_once_in_order(dut, stalls) -> None:
    stall, rsp_stall, slave_stall, latency = stalls
    rng = await start(dut)
    bus = bus_of(dut)
    slaves = [
        Slave(Port(dut, "out", bus, i), answer_of(i), rng, slave_stall, lambda: rng.randint(1, latency))
        for i in range(N)
    ]
    master = Master(Port(dut, "in", bus), rng, stall, rsp_stall)
    requests = [random_request(rng, bus) for _ in range(REQUESTS)]
    master.send(requests)
    responses = await within(dut, 60 * REQUESTS, master.all_done())

    expected = []
    for request in requests:
        slave = owner(request.address)
        expected.append(Response(0, err=True) if slave is None else answer_of(slave)(request))
    assert responses == expected
    for i, slave in enumerate(slaves):  # each slave saw its own requests, unchanged, in order
        assert slave.seen == [r for r in requests if owner(r.address) == i]
    await ClockCycles(dut.clk, 40)
    assert not master.responses, "a response too many"


@cocotb.test()
async def one_request_a_cycle_without_latency_and_one_cycle_back(dut) -> None:
    rng = await start(dut)
    bus = bus_of(dut)
    slave = Slave(Port(dut, "out", bus, 0), answer_of(0), rng)
    for i in range(1, N):
        Slave(Port(dut, "out", bus, i), answer_of(i), rng)
    master = Master(Port(dut, "in", bus), rng)
    master.send([read(BASE[0] + 8 * i, 1) for i in range(50)])
    await within(dut, 200, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in master.sent_at] == list(range(50))
    assert [t - first for t in slave.seen_at] == list(range(50)), "request: in the same cycle"
    # One cycle in the slave, one back.
    assert [t - first for t in master.done_at] == list(range(2, 52)), "response: one cycle"


@cocotb.test()
async def a_slave_that_is_slow_is_overtaken_by_nobody_and_others_work_meanwhile(dut) -> None:
    rng = await start(dut)
    bus = bus_of(dut)
    slow = Slave(Port(dut, "out", bus, 0), answer_of(0), rng, latency=lambda: 25)
    fast = Slave(Port(dut, "out", bus, 1), answer_of(1), rng)
    Slave(Port(dut, "out", bus, 2), answer_of(2), rng)
    master = Master(Port(dut, "in", bus), rng)
    requests = [read(BASE[0], 1), read(BASE[1], 1), read(UNCLAIMED[0], 1), read(BASE[1] + 4, 1)]
    master.send(requests)
    responses = await within(dut, 100, master.all_done())
    assert [r.data for r in responses[:2]] == [answer_of(0)(requests[0]).data, answer_of(1)(requests[1]).data]
    assert responses[2] == Response(0, err=True)
    assert fast.seen_at[-1] < slow.seen_at[0] + 10, "the fast slave got its request while the slow one worked"
    assert master.done_at[0] - master.sent_at[0] == 26
    assert [b - a for a, b in zip(master.done_at, master.done_at[1:], strict=False)] == [1, 1, 1]


@cocotb.test()
async def an_unclaimed_address_is_refused_at_once_though_no_slave_ever_answers(dut) -> None:
    rng = await start(dut)
    bus = bus_of(dut)
    for i in range(N):
        Slave(Port(dut, "out", bus, i), answer_of(i), rng, stall=1.0)
    master = Master(Port(dut, "in", bus), rng)
    master.send([Request(a, r, 1) for a in UNCLAIMED for r in (True, False)])
    responses = await within(dut, 50, master.all_done())
    assert all(r == Response(0, err=True) for r in responses)
    assert master.done_at[0] - master.sent_at[0] == 2


@pytest.mark.parametrize("top", ["acb_router", "afb_router"])
def test_router(top: str) -> None:
    table = {
        name: f"{36 * N}'h{''.join(f'{v:09x}' for v in reversed(values))}"
        for name, values in (("BASE", BASE), ("MASK", MASK))
    }
    run_bench(top, {"N": N, **table})
