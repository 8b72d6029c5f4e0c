# SPDX-License-Identifier: Apache-2.0
"""local_mem: two ports, one memory: byte masks, order, the lock, and two ports that meet on one dword."""

import random
from itertools import pairwise

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import ACB, FlatMemory, Master, Port, Request, read, start, within, write

BYTES = 1024
REGION = 0x5000_0000
REQUESTS = 600


def random_request(rng: random.Random, dwords: int, lock: float) -> Request:
    # Few dwords, so that the ports meet; now and then an address beyond the memory.
    offset = 8 * rng.randrange(dwords) + rng.randrange(8) if rng.random() < 0.97 else rng.randrange(BYTES, 1 << 28)
    return Request(REGION + offset, rng.random() < 0.5, rng.getrandbits(8), rng.getrandbits(64), rng.random() < lock)


def both(dut, rng, stalls=((0.0, 0.0), (0.0, 0.0))) -> list[Master]:
    return [Master(Port(dut, p, ACB), rng, *s) for p, s in zip("ab", stalls, strict=True)]


async def clear(dut, masters: list[Master], dwords: int) -> None:
    masters[0].send([write(REGION + 8 * i, 0) for i in range(dwords)])
    await masters[0].all_done()
    for master in masters:
        master.sent_at, master.done_at = [], []


@cocotb.test()
@cocotb.parametrize(
    stalls=[((0.0, 0.0), (0.0, 0.0)), ((0.3, 0.0), (0.0, 0.4)), ((0.0, 0.7), (0.0, 0.0)), ((0.5, 0.5), (0.3, 0.3))],
    dwords=[3, BYTES // 8],
    lock=[0.0, 0.2],
)
async def both_ports_see_one_memory(dut, stalls, dwords, lock) -> None:
    rng = await start(dut)
    masters = both(dut, rng, stalls)
    await clear(dut, masters, dwords)
    sent = [[random_request(rng, dwords, lock) for _ in range(REQUESTS)] for _ in masters]
    for master, requests in zip(masters, sent, strict=True):
        requests[-1] = read(REGION)  # no lock stays behind
        master.send(requests)
    got = [await within(dut, 20 * REQUESTS, master.all_done()) for master in masters]

    # An access happens in the cycle in which it is accepted; two in one cycle must not depend on each other.
    order = sorted((cycle, port, n) for port in (0, 1) for n, cycle in enumerate(masters[port].sent_at))
    memory, holder = FlatMemory(BYTES), None
    for (cycle, port, n), before in zip(order, [None, *order], strict=False):
        request = sent[port][n]
        assert got[port][n] == memory.access(request), f"port {'ab'[port]}, request {n}: {request}"
        assert holder in (None, port), "an access of the other port inside a lock"
        holder = port if request.lock else None
        if before and before[0] == cycle:
            other = sent[before[1]][before[2]]
            assert not request.lock and not other.lock
            same = (request.address ^ other.address) & (BYTES - 8) == 0
            assert not same or (request.read and other.read), "two accesses that a memory block gives no promise for"
    await ClockCycles(dut.clk, 10)
    assert not any(m.responses for m in masters), "a response too many"


@cocotb.test()
async def one_access_a_cycle_on_each_port_answered_in_the_next(dut) -> None:
    rng = await start(dut)
    masters = both(dut, rng)
    for i, master in enumerate(masters):
        master.send([Request(REGION + 512 * i + 8 * n, n % 3 > 0, 0xFF, n) for n in range(60)])
    for master in masters:
        await within(dut, 100, master.all_done())
        first = master.sent_at[0]
        assert [t - first for t in master.sent_at] == list(range(60))
        assert [t - first for t in master.done_at] == list(range(1, 61))


@cocotb.test()
async def ports_that_meet_all_the_time_share_the_cycles(dut) -> None:
    rng = await start(dut)
    masters = both(dut, rng)
    for master in masters:
        master.send([write(REGION, n) for n in range(60)])
    for master in masters:
        await within(dut, 150, master.all_done())
    order = sorted((cycle, port) for port in (0, 1) for cycle in masters[port].sent_at)
    assert [port for _, port in order] == [0, 1] * 60
    assert [b - a for (a, _), (b, _) in pairwise(order)] == [1] * 119


@cocotb.test()
async def a_locked_increment_is_never_torn(dut) -> None:
    rng = await start(dut)
    masters = both(dut, rng, ((0.2, 0.2), (0.1, 0.3)))
    await clear(dut, masters, 2)

    async def increments(master: Master) -> None:
        for _ in range(40):
            value = (await master.call(read(REGION + 8, 0x0F, lock=True))).data
            await master.call(write(REGION + 8, value + 1, 0x0F))

    tasks = [cocotb.start_soon(increments(m)) for m in masters]
    for task in tasks:
        await within(dut, 5000, task)
    assert (await masters[0].call(read(REGION + 8))).data == 80


@cocotb.test()
async def a_lock_holds_the_other_port_until_the_next_unlocked_access(dut) -> None:
    rng = await start(dut)
    a, b = both(dut, rng)
    for holder, other in ((a, b), (b, a)):
        await holder.call(read(REGION, lock=True))
        other.send([read(REGION + 64)])
        await ClockCycles(dut.clk, 30)
        assert other.requests, "a lock of one port holds the other"
        await holder.call(read(REGION + 16, lock=True))
        await ClockCycles(dut.clk, 10)
        assert other.requests, "a second locked access does not end it"
        await holder.call(write(REGION, 1))
        await within(dut, 10, other.all_done())


def test_local_mem() -> None:
    run_bench("local_mem", {"BYTES": BYTES})
