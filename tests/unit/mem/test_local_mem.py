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
    memory, later = FlatMemory(BYTES), (None, set())
    holder, locked = later
    for (cycle, port, n), before in zip(order, [None, *order], strict=False):
        request = sent[port][n]
        assert got[port][n] == memory.access(request), f"port {'ab'[port]}, request {n}: {request}"
        if before is None or before[0] != cycle:
            holder, locked = later  # a lock that is taken in a cycle concerns the next
        dword = request.address & (BYTES - 8)
        if holder == 1 - port:
            passes = not request.lock and len(locked) == 1 and (request.read or dword not in locked)
            assert passes, "an access of the other port inside a lock"
        elif request.lock:
            later = port, locked | {dword}
        elif holder == port:
            later = None, set()
        if before and before[0] == cycle:
            other = sent[before[1]][before[2]]
            assert not (request.lock and other.lock), "two who take the lock"
            same = (request.address ^ other.address) & (BYTES - 8) == 0
            reads = request.read and other.read and not request.lock and not other.lock
            assert not same or reads, "two accesses that a memory block gives no promise for"
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
    assert [port for _, port in order] == [1, 0] * 60
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
async def a_lock_holds_what_the_other_port_does_to_that_dword(dut) -> None:
    rng = await start(dut)
    a, b = both(dut, rng)
    for holder, other in ((a, b), (b, a)):
        for waits in (write(REGION, 5), read(REGION, lock=True), read(REGION + 64, lock=True)):
            await holder.call(read(REGION, lock=True))
            await within(dut, 10, other.call(read(REGION)))
            await within(dut, 10, other.call(write(REGION + 64, 7)))
            other.send([waits])
            await ClockCycles(dut.clk, 30)
            assert other.requests, f"{waits} goes on inside a lock"
            await holder.call(write(REGION, 1))
            await within(dut, 10, other.all_done())
            await other.call(read(REGION))  # no lock stays behind


@cocotb.test()
async def a_lock_of_two_dwords_holds_the_whole_memory(dut) -> None:
    rng = await start(dut)
    a, b = both(dut, rng)
    for holder, other in ((a, b), (b, a)):
        for between in ((REGION + 16,), (REGION + 16, REGION + 16), (REGION + 16, REGION)):
            for address in (REGION, *between):
                await holder.call(read(address, lock=True))
            other.send([read(REGION + 64)])
            await ClockCycles(dut.clk, 30)
            assert other.requests, "a lock of two dwords lets the other port in"
            await holder.call(write(REGION, 1))
            await within(dut, 10, other.all_done())


@cocotb.test()
async def the_devices_wait_for_no_processor(dut) -> None:
    """Port b reads and writes dword after dword while port a writes and locks others."""
    rng = await start(dut)
    a, b = both(dut, rng)
    half = BYTES // 16
    for _ in range(10):
        b.sent_at, b.done_at = [], []
        b.send([Request(REGION + 8 * n, bool(rng.getrandbits(1)), 0xFF, n) for n in range(half)])
        for _ in range(half // 2):
            dword = REGION + 8 * rng.randrange(half, 2 * half)
            a.send([read(dword, lock=True), write(dword, 1)])
        await within(dut, 200, b.all_done())
        assert [t - b.sent_at[0] for t in b.sent_at] == list(range(half))
        await a.all_done()


@cocotb.test()
async def a_read_of_the_devices_passes_an_atomic_operation(dut) -> None:
    """Even on the dword that it works on, and waits for its write only in the cycle of that."""
    rng = await start(dut)
    a, b = both(dut, rng)
    for pause in range(6):
        await a.call(read(REGION + 8, lock=True))
        b.sent_at, b.done_at = [], []
        b.send([read(REGION + 8)] * 8)
        await ClockCycles(dut.clk, 1 + pause)
        await a.call(write(REGION + 8, pause))
        await within(dut, 20, b.all_done())
        assert b.sent_at[-1] - b.sent_at[0] <= 8


def test_local_mem() -> None:
    run_bench("local_mem", {"BYTES": BYTES})
