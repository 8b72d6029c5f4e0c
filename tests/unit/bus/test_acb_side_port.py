# SPDX-License-Identifier: Apache-2.0
"""acb_side_port: the device's accesses go to the device, all others on to the bus, answers come in order."""

import random

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import ACB, AFB, Master, Port, Request, Response, Slave, read, start, within, write
from test_acb_to_afb import MASKS, narrowed, widened

BASE, MASK, SIZE = 0x0_FF00_0000, 0xF_FFFF_FC00, 1 << 10
# Addresses that differ from the device's in one bit of those that are compared, and its first and last word.
NEIGHBOURS = [BASE ^ 1 << bit for bit in range(10, 36)]
OWN = [BASE, BASE + SIZE - 4]
REQUESTS = 400


def device(request: Request) -> Response:
    return Response((request.address * 2654435761 ^ request.data) & 0xFFFF_FFFF, err=request.address % 12 == 0)


def memory(request: Request) -> Response:
    return Response(
        (request.address * 0x9E37_79B9_7F4A_7C15 ^ request.data) & (1 << 64) - 1, err=request.address % 5 == 0
    )


def is_device(request: Request) -> bool:
    return BASE <= request.address < BASE + SIZE


def expected(request: Request) -> Response:
    if not is_device(request):
        return memory(request)
    return widened(request, device)


def random_request(rng: random.Random) -> Request:
    inside = BASE + rng.randrange(SIZE)
    address = rng.choice([inside, inside, rng.choice(OWN), rng.choice(NEIGHBOURS), rng.getrandbits(36)])
    mask = rng.choice([*MASKS, rng.getrandbits(8)])
    return Request(address, rng.random() < 0.5, mask, rng.getrandbits(64), rng.random() < 0.2)


@cocotb.test()
@cocotb.parametrize(
    stalls=[
        (0.0, 0.0, 0.0, 1, 1),
        (0.3, 0.3, 0.3, 4, 4),
        (0.0, 0.7, 0.0, 9, 1),
        (0.0, 0.0, 0.7, 2, 25),
        (0.0, 0.0, 0.0, 30, 2),
    ]
)
async def every_access_goes_to_its_side_and_is_answered_in_order(dut, stalls) -> None:
    stall, rsp_stall, slave_stall, bus_latency, device_latency = stalls
    rng = await start(dut)
    bus = Slave(Port(dut, "bus", ACB), memory, rng, slave_stall, lambda: rng.randint(1, bus_latency))
    afb = Slave(Port(dut, "afb", AFB), device, rng, slave_stall, lambda: rng.randint(1, device_latency))
    master = Master(Port(dut, "acb", ACB), rng, stall, rsp_stall)
    requests = [random_request(rng) for _ in range(REQUESTS)]
    requests += [read(address, 0xF0) for address in NEIGHBOURS + OWN]
    master.send(requests)
    assert await within(dut, 60 * len(requests), master.all_done()) == [expected(r) for r in requests]
    assert bus.seen == [r for r in requests if not is_device(r)]
    assert afb.seen == [n for r in requests if is_device(r) and (n := narrowed(r)) is not None]
    await ClockCycles(dut.clk, 40)
    assert not master.responses, "a response too many"


@cocotb.test()
async def no_cycle_is_lost_either_way(dut) -> None:
    rng = await start(dut)
    bus = Slave(Port(dut, "bus", ACB), memory, rng)
    afb = Slave(Port(dut, "afb", AFB), device, rng)
    master = Master(Port(dut, "acb", ACB), rng)
    master.send([read(BASE + 4 * i, 0xF0 if i % 2 == 0 else 0x0F) if i % 3 else write(8 * i, i) for i in range(60)])
    await within(dut, 200, master.all_done())
    first = master.sent_at[0]
    assert master.sent_at == list(range(first, first + 60)), "a request each cycle"
    seen = sorted([*bus.seen_at, *afb.seen_at])
    assert seen == master.sent_at, "in the cycle in which it is made"
    assert [t - first for t in master.done_at] == list(range(1, 61)), "in the cycle in which the slave answers"


@cocotb.test()
async def who_cannot_take_a_request_is_offered_none(dut) -> None:
    """While the device is busy memory waits, too (its `ready` is the address's no more), and none sees a request."""
    await start(dut)
    rng = random.Random(1)
    Slave(Port(dut, "bus", ACB), memory, rng)
    device_port = Port(dut, "afb", AFB)
    device_port.req_ready.set(0)
    device_port.rsp_valid.set(0)
    master = Master(Port(dut, "acb", ACB), rng)
    for request in (write(0x1000, 7), read(BASE, 0xF0)):
        master.send([request])
        for _ in range(10):
            await RisingEdge(dut.clk)
            assert not device_port.req_valid.get()
            assert not Port(dut, "bus", ACB).req_valid.get()
        device_port.req_ready.set(1)
        for _ in range(4):
            await RisingEdge(dut.clk)
        assert not master.requests
        device_port.req_ready.set(0)


@cocotb.test()
async def an_answer_that_is_not_taken_waits(dut) -> None:
    """Both sides have answered, and the younger one does not overtake."""
    rng = await start(dut)
    Slave(Port(dut, "bus", ACB), memory, rng, latency=lambda: 20)
    Slave(Port(dut, "afb", AFB), device, rng)
    master = Master(Port(dut, "acb", ACB), rng)
    requests = [read(0x1000), read(BASE + 4, 0x0F), read(0x2000), read(BASE + 8, 0xFF), read(BASE + 12, 0x0F)]
    master.send(requests)
    assert await within(dut, 200, master.all_done()) == [expected(r) for r in requests]


def test_acb_side_port() -> None:
    run_bench("acb_side_port", {"BASE": f"36'h{BASE:09x}", "MASK": f"36'h{MASK:09x}"})
