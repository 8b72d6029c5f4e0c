# SPDX-License-Identifier: Apache-2.0
"""acb_to_afb: a 32-bit access finds its half, an access to both halves is refused without touching a device."""

import random
from collections.abc import Callable

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import ACB, AFB, Master, Port, Request, Response, Slave, read, start, within

REQUESTS = 300
MASKS = (0xF0, 0x0F, 0x80, 0x02, 0xC0, 0x0C, 0xFF, 0x18, 0x00)


def device(request: Request) -> Response:
    """Errors in either half of a dword, with reads and writes."""
    mixed = request.address * 2654435761
    return Response((mixed ^ request.data) & 0xFFFF_FFFF, err=mixed >> 20 & 3 == 0)


def narrowed(request: Request) -> Request | None:
    """What the device should see, told by byte addresses: lane i from the top is byte i of the dword."""
    touched = [i for i in range(8) if request.mask >> (7 - i) & 1]
    if touched and touched[0] < 4 <= touched[-1]:
        return None
    low = touched[0] >= 4 if touched else bool(request.address & 4)
    data = request.data.to_bytes(8, "big")
    return Request(
        (request.address & ~7) + 4 * low,
        request.read,
        sum(1 << (3 - i % 4) for i in touched),
        int.from_bytes(data[4:] if low else data[:4], "big"),
        request.lock,
    )


def widened(request: Request, device: Callable[[Request], Response]) -> Response:
    """What the master should be answered, by what `device` answers to the narrowed request."""
    narrow = narrowed(request)
    if narrow is None:
        return Response(0, err=True)
    answer = device(narrow)
    return Response(answer.data << (0 if narrow.address & 4 else 32), answer.err)


def expected(request: Request) -> Response:
    return widened(request, device)


def random_request(rng: random.Random) -> Request:
    mask = rng.choice([*MASKS, rng.getrandbits(8)])
    return Request(rng.getrandbits(36), rng.random() < 0.5, mask, rng.getrandbits(64), rng.random() < 0.2)


@cocotb.test()
@cocotb.parametrize(
    stalls=[(0.0, 0.0, 0.0, 1), (0.3, 0.3, 0.3, 4), (0.0, 0.7, 0.0, 9), (0.0, 0.0, 0.7, 25), (0.9, 0.0, 0.0, 1)]
)
async def every_access_reaches_its_half_and_is_answered_in_order(dut, stalls) -> None:
    stall, rsp_stall, slave_stall, latency = stalls
    rng = await start(dut)
    slave = Slave(Port(dut, "afb", AFB), device, rng, slave_stall, lambda: rng.randint(1, latency))
    master = Master(Port(dut, "acb", ACB), rng, stall, rsp_stall)
    requests = [random_request(rng) for _ in range(REQUESTS)]
    master.send(requests)
    assert await within(dut, 60 * REQUESTS, master.all_done()) == [expected(r) for r in requests]
    assert {r.address & 4 for r in slave.seen if device(r).err} == {0, 4}, "either half met an error"
    assert slave.seen == [n for n in map(narrowed, requests) if n is not None]
    await ClockCycles(dut.clk, 40)
    assert not master.responses, "a response too many"


@cocotb.test()
async def one_access_a_cycle_and_one_cycle_each_way(dut) -> None:
    rng = await start(dut)
    slave = Slave(Port(dut, "afb", AFB), device, rng)
    master = Master(Port(dut, "acb", ACB), rng)
    master.send([read(8 * i, 0xF0) for i in range(40)])
    await within(dut, 200, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in slave.seen_at] == list(range(1, 41)), "request: one cycle"
    assert [t - first for t in master.done_at] == list(range(3, 43)), "response: one cycle behind the device's one"


def test_acb_to_afb() -> None:
    run_bench("acb_to_afb")
