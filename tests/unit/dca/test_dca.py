# SPDX-License-Identifier: Apache-2.0
"""Direct cache access: unit and slots in two clocks, between a line with datagrams and a memory that is looked at.

What a load must bring is what was given and not counted as dropped, in order, by socket. What a store must send is what
lies in memory, its sum made here from the bytes. After each instruction every byte outside its buffer is as it was.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from dca.bench import (
    COMMAND,
    DRAM,
    DRAM_BYTES,
    DROPS,
    EAGAIN,
    EBADF,
    EDESTADDRREQ,
    EFAULT,
    EINTR,
    EINVAL,
    EMSGSIZE,
    ENOSYS,
    EVENT,
    HEADER,
    IRQ,
    LENGTH,
    LINE,
    LOAD,
    LONGEST,
    NO_WAIT,
    NOTHING,
    OPTIONS,
    PACKET,
    PACKET_BYTES,
    PEEK,
    ROOM,
    SLOTS,
    SOCKETS,
    STATE,
    STATUS,
    STORE,
    STREAM,
    TB,
    TCP_LOAD,
    TCP_STORE,
    TO_LOAD,
    WAITING,
    Bench,
    some_length,
)
from runs import seeds, some

# ---- Anything --------------------------------------------------------------------------------------------------------


@cocotb.test()
async def any_datagrams_come_and_go(dut: Any) -> None:
    """Clocks, sockets, lengths, alignments, modifiers, stalls, misses, bad datagrams and interrupts at random."""
    pick = random.Random(random.getrandbits(64))
    nic = pick.choice((8000, 8000, pick.randrange(4000, 16000, 2)))
    cpu = pick.choice((12500, 8000, pick.randrange(5000, 3 * nic, 2)))
    b = await Bench(dut).start(nic, cpu, pick.randrange(cpu))
    rng = b.rng
    loads = stores = 0
    for socket in range(0, SOCKETS, 2):
        await b.peer(socket, rng.randrange(1, 1 << 32), rng.getrandbits(16))
        ttl, tos, df = rng.getrandbits(8), rng.getrandbits(8), rng.getrandbits(1)
        assert await b.call(COMMAND, df << 16 | tos << 8 | ttl, socket << 16 | OPTIONS) == 0
        b.sockets[socket].options = (ttl, tos, df)
    for _ in range(int(os.environ["ROUNDS"])):
        b.stall = rng.choice((0, 0, 0.2, 0.7))
        latency = rng.choice((1, 1, 4, 40))
        b.latency = lambda latency=latency: rng.choice((1, rng.randrange(1, latency + 1)))
        b.sent.stall = rng.choice((0, 0, 0.5))
        b.beat_stall = rng.choice((0, 0, 0, 0.3, 0.8))
        b.interrupt = rng.choice((0, 0, 0.01, 0.3))
        b.errors = rng.choice((0, 0, 0, 0.02))
        pace = rng.choice((8, 8, 200))
        b.gap = lambda pace=pace: rng.randrange(pace)
        active = rng.sample(range(SOCKETS), rng.choice((1, 2, 5)))
        for _ in range(rng.randrange(4, 12)):
            length = some_length(rng)
            bad = rng.random() < 0.3
            b.give(
                rng.choice(active), length, bad=bad, cut=rng.randrange(length + 1) if bad and rng.random() < 0.5 else 0
            )
        busy = True
        while busy:
            busy = bool(b.line)
            if rng.random() < 0.4:
                size = some_length(rng)
                how = rng.choice((0, 0, NO_WAIT)) | rng.choice((0, HEADER))
                socket = rng.randrange(SOCKETS) if how & HEADER else rng.randrange(0, SOCKETS, 2)
                stores += await b.store(socket, b.buffer(size + LINE * bool(how & HEADER)), size, how) >= 0
            for _ in range(rng.randrange(3)):
                if not any(s.waiting for s in b.sockets) and not b.line:
                    continue
                full = [i for i, s in enumerate(b.sockets) if s.waiting]
                size = rng.choice((some_length(rng), LONGEST, 2000))
                how = rng.choice((0, 0, HEADER)) | rng.choice((0, 0, PEEK))
                if full and rng.random() < 0.7:
                    socket = rng.choice(full)
                else:
                    socket = rng.choice(active)
                    if not b.interrupt:
                        how |= NO_WAIT
                loads += await b.load(socket, b.buffer(size + LINE * bool(how & HEADER)), size, how) >= 0
        await b.quiet()
        b.check_sent()
        for socket, one in enumerate(b.sockets):
            assert await b.call(STATUS, 0, socket << 16 | WAITING) == len(one.waiting)
            assert await b.call(STATUS, 0, socket << 16 | DROPS) == one.drops
            first = len(one.waiting[0].data) if one.waiting else -EAGAIN
            assert await b.call(STATUS, 0, socket << 16 | LENGTH) == first
            while one.waiting and rng.random() < 0.9:
                await b.load(socket, b.buffer(1504), LONGEST, HEADER)
    dut._log.info(f"{loads} loads, {stores} stores, {b.shares} and {b.full} dropped, {b.bad_seen} bad")


# ---- Loads that wait -------------------------------------------------------------------------------------------------


@cocotb.test()
async def a_load_follows_what_comes_in(dut: Any) -> None:
    """It waits before its datagram begins, past bad ones and those of others, at any alignment."""
    b = await Bench(dut).start(8000, 12500, 1000)
    rng = b.rng
    for round_ in range(int(os.environ["ROUNDS"])):
        b.beat_stall = rng.choice((0, 0, 0.5))
        b.stall = rng.choice((0, 0, 0.5, 0.99))
        socket = rng.randrange(SOCKETS)
        length = round_ if round_ < 40 else some_length(rng)
        size = rng.choice((LONGEST, LONGEST, rng.randrange(length + 1)))
        how = rng.choice((0, HEADER))
        others = rng.randrange(3)

        async def come(socket: int = socket, length: int = length, others: int = others) -> None:
            await b.pause(rng.randrange(12))
            for _ in range(others):
                bad = rng.random() < 0.7
                longer = rng.choice((rng.randrange(80), some_length(rng)))
                b.give(
                    socket if bad else (socket + 1) % SOCKETS,
                    longer,
                    bad=bad,
                    cut=rng.randrange(longer + 1) if bad else 0,
                )
            b.give(socket, length)

        coming = cocotb.start_soon(come())
        assert await b.load(socket, b.buffer(size + LINE * bool(how & HEADER)), size, how) == min(size, length)
        await coming
        b.stall = 0
        await b.until(lambda: not b.line and not b.judging)
        await b.pause(20)
        for one in range(SOCKETS):
            while b.sockets[one].waiting:
                await b.load(one, b.buffer(0), 0)


@cocotb.test()
async def an_interrupt_at_any_cycle_ends_a_wait_and_loses_nothing(dut: Any) -> None:
    b = await Bench(dut).start(8000, 12500, 3000)
    for length in (0, 40, 300):
        ended = whole = 0
        for at in range(1, 50 + length // 8, 1 + length // 100):

            async def come(length: int = length) -> None:
                await b.pause(12)
                b.give(3, length)

            cocotb.start_soon(come())

            async def interrupt(at: int = at) -> None:
                await b.pause(at)
                b.interrupt = 1.0

            task = cocotb.start_soon(interrupt())
            before = b.snapshot()
            address = b.buffer(length)
            got = await b.load(3, address, length)
            b.unchanged(before, address, length)
            await task
            b.interrupt = 0.0
            await b.pause(2)
            if got == -EINTR:
                ended += 1
                assert await b.load(3, address, length) == length
            else:
                whole += 1
        assert ended > 5 and whole > 5, (ended, whole)
    b.interrupt = 1.0
    assert await b.load(3, DRAM, 0) == -EINTR
    assert await b.call(EVENT, 1000, 0xFFFF) == -EINTR


# ---- Room ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def a_socket_that_nobody_reads_leaves_slots_to_the_others(dut: Any) -> None:
    """It has at most as many as are free then: 8 of 16; the next one 4, 2, 1 and 1."""
    b = await Bench(dut).start()
    free = SLOTS
    for socket in range(5):
        have = 0
        while have < free:
            have, free = have + 1, free - 1
        for _ in range(have + 3):
            b.give(socket, 60 + socket)
        await b.quiet()
        assert len(b.sockets[socket].waiting) == have
        assert await b.call(STATUS, 0, socket << 16 | DROPS) == 3 == b.sockets[socket].drops
    assert free == 0 and b.full > 0 and b.shares > 0
    for _ in range(8):
        assert await b.load(0, DRAM, 100, NO_WAIT) == 60
    await b.pause(40)
    for _ in range(7):
        b.give(9, 1472)
    await b.quiet()
    assert len(b.sockets[9].waiting) == 4
    for socket in range(SOCKETS):
        while b.sockets[socket].waiting:
            await b.load(socket, DRAM, 1472, NO_WAIT)
    for _ in range(20):
        b.give(11, 99)
        await b.quiet()
        assert await b.load(11, DRAM, 1472) == 99


@cocotb.test()
async def a_store_waits_for_a_slot(dut: Any) -> None:
    b = await Bench(dut).start()
    await b.peer(1, 0x0A000011, 7)
    b.sent.stall = 1.0
    await b.pause(4)
    for i in range(4):
        assert await b.store(1, DRAM + i, 100) == 100
    assert await b.store(1, DRAM, 100, NO_WAIT) == -EAGAIN
    b.interrupt = 1.0
    assert await b.store(1, DRAM, 100) == -EINTR
    b.interrupt = 0.0

    async def go() -> None:
        await b.pause(100)
        b.sent.stall = 0.0

    task = cocotb.start_soon(go())
    assert await b.store(1, DRAM, 77) == 77
    assert b.took > 90
    await task
    await b.quiet()
    b.check_sent()


# ---- Answers ---------------------------------------------------------------------------------------------------------


@cocotb.test()
async def what_cannot_be_is_refused_and_moves_nothing(dut: Any) -> None:
    b = await Bench(dut).start()
    await b.peer(2, 0x0A000011, 7)
    for socket in (2, 5):
        b.give(socket, 50)
    await b.quiet()
    before = b.snapshot()

    async def refuses(errno: int, op: int, a: int, low: int, how: int = 0, socket: int = 2) -> None:
        assert await b.call(op, a, socket << 16 | low, how) == -errno, (errno, op, hex(a), low, how, socket)

    moves = (TCP_STORE, TCP_LOAD, STORE, LOAD)
    await refuses(ENOSYS, NOTHING, DRAM, 10)
    for op in (*moves, EVENT, COMMAND, STATUS):
        for bit in range(3 if op in moves else 0, 7):
            await refuses(ENOSYS, op, DRAM, 0, 1 << bit)
    await refuses(EINVAL, STORE, DRAM, 10, PEEK)
    for op in (TCP_STORE, TCP_LOAD):
        await refuses(EBADF, op, DRAM, 10)
        for how in (HEADER, HEADER | PEEK, HEADER | NO_WAIT):
            await refuses(EINVAL, op, DRAM, 10, how)
    for op in (*moves, COMMAND, STATUS):
        for bad in (16, 0x8000, 0xFFFF):
            await refuses(EBADF, op, DRAM, 0, NO_WAIT if op in moves else 0, bad)
    await refuses(EMSGSIZE, STORE, DRAM, 1473)
    await refuses(EMSGSIZE, STORE, DRAM, 65535)
    await refuses(EDESTADDRREQ, STORE, DRAM, 10, 0, 5)
    for base, size in ((PACKET, PACKET_BYTES), (DRAM, DRAM_BYTES)):
        for op in moves:
            for how, head in ((0, 0), (HEADER, LINE)) if op in (STORE, LOAD) else ((0, 0),):
                await refuses(EFAULT, op, base - 1, 10, how)
                await refuses(EFAULT, op, base + size - 9 - head, 10, how)
                await refuses(EFAULT, op, base + size, 10, how)
        await refuses(EFAULT, LOAD, base, size + 1)
        await refuses(EFAULT, LOAD, base, size - 31, HEADER)
        await refuses(EFAULT, LOAD, base, 65535)
    for address in (0, 0x1000, 0xFFFF_FFFF, 0xFFFF_FFF0, 0x6000_0000, 0xFF00_0000, 0xC000_0000):
        for op, size in ((LOAD, 100), (STORE, 1), (TCP_LOAD, 100), (TCP_STORE, 1)):
            await refuses(EFAULT, op, address, size)
    for op in (TCP_LOAD, TCP_STORE):
        await refuses(EFAULT, op, DRAM, 65535)
        await refuses(EBADF, op, DRAM, DRAM_BYTES)
    await refuses(ENOSYS, COMMAND, 0, 5)
    await refuses(ENOSYS, COMMAND, 0, 0x100)
    for item in (3, 8, 0x104, 0x8000):
        await refuses(ENOSYS, STATUS, 0, item)
    for item in (TO_LOAD, ROOM, STATE, STREAM):
        await refuses(EBADF, STATUS, 0, item)
    assert b.snapshot() == before and not b.sent.items
    assert await b.call(STATUS, 0, 2 << 16 | LENGTH) == 50
    # Nothing is nowhere, and a buffer may end where memory does.
    assert await b.store(2, 0, 0) == 0
    assert await b.load(5, 0xFFFF_FFFF, 0) == 0
    assert await b.load(2, PACKET + PACKET_BYTES - 50 - LINE, 50, HEADER) == 50
    await b.peer(2, 0, 0)
    await refuses(EDESTADDRREQ, STORE, DRAM, 10)
    assert await b.store(2, DRAM, 10, HEADER) == 10
    # A port that is closed: what waits can still be had.
    b.give(2, 20)
    await b.quiet()
    dut.direct.value = 0xFFFF & ~(1 << 2)
    await b.pause(6)
    assert await b.load(2, DRAM, 100) == 20
    await refuses(EBADF, LOAD, DRAM, 10)
    await refuses(EBADF, STORE, DRAM, 10, HEADER)
    await b.quiet()
    b.check_sent()


@cocotb.test()
async def the_next_event_is_the_lowest_socket_that_can_be_read(dut: Any) -> None:
    b = await Bench(dut).start()
    assert await b.call(EVENT, 0, 0xFFFF) == 0
    assert await b.call(EVENT, 50, 0xFFFF) == 0 and b.took == 53
    for socket in (9, 4, 14):
        b.give(socket, 30)
    b.give(1, 30, bad=True)
    await b.quiet()
    for mask, want in ((0xFFFF, 4), (0xFFEF, 9), (0xC00F, 14), (1 << 4, 4), (0xFFFF_FFFF, 4)):
        assert await b.call(EVENT, 1000, mask) == 1 << 16 | want
    assert await b.call(EVENT, 10, 0x1002) == 0
    await b.load(4, DRAM, 10)
    assert await b.call(EVENT, 0, 0xFFFF) == 1 << 16 | 9
    b.line.append(b.give(0, 200))
    b.line.pop()
    assert await b.call(EVENT, 10_000, 1) == 1 << 16
    assert len(b.sockets[0].waiting) == 1


@cocotb.test()
async def the_interrupt_is_there_while_a_socket_of_the_mask_can_be_read(dut: Any) -> None:
    b = await Bench(dut).start()
    irq = dut.irq

    async def mask(bits: int) -> int:
        assert await b.call(COMMAND, bits, IRQ) == 0
        await b.pause(1)
        return int(irq.value)

    b.give(3, 30)
    await b.quiet()
    assert not int(irq.value), "the mask is 0 behind reset"
    for bits in (1 << 3, 0xFFFF, 0xFFFF_0008):
        assert await mask(bits)
        assert not await mask(0)
    assert not await mask(0xFFF7) and not await mask(0xFFFF_0000)
    for socket in (0, 7, 15):  # one comes, is looked at, is read
        assert not await mask(1 << socket)
        b.give(socket, 40)
        b.give(socket, 40)
        b.give((socket + 1) % SOCKETS, 40, bad=True)
        await b.until(lambda: bool(int(irq.value)))
        await b.load(socket, DRAM, 40, PEEK)
        await b.pause(10)
        assert int(irq.value)
        await b.load(socket, DRAM, 40)
        await b.pause(10)
        assert int(irq.value), "another one waits"
        await b.load(socket, DRAM, 40)
        await b.pause(5)
        assert not int(irq.value)
        await b.quiet()
    assert await mask(1 << 3)
    assert await b.call(EVENT, 0, 0xFFFF) == 1 << 16 | 3
    await b.load(3, DRAM, 0)
    await b.pause(5)
    assert not int(irq.value)


@cocotb.test()
async def memory_that_refuses_sends_nothing(dut: Any) -> None:
    b = await Bench(dut).start()
    await b.peer(0, 1, 2)
    b.errors = 1.0
    for length in (1, 32, 33, 500):
        assert await b.store(0, DRAM + 5, length) == -EFAULT
    b.errors = 0.1
    for _ in range(30):
        await b.store(0, b.buffer(500), 500)
    b.errors = 0.0
    assert await b.store(0, DRAM, 500) == 500
    await b.quiet()
    b.check_sent()


# ---- Cycles ----------------------------------------------------------------------------------------------------------


def line_count(address: int, size: int) -> int:
    return (address + size + LINE - 1) // LINE - address // LINE if size else 0


@cocotb.test()
async def latencies_are_those_of_the_headers(dut: Any) -> None:
    """At any alignment, a line a cycle; hits in the cache."""
    b = await Bench(dut).start(8000, 12500, int(os.environ["PHASE"]))
    rng = b.rng
    await b.peer(0, 0x0A000011, 7)
    for length in (0, 1, 32, 33, 1024, 1472):
        for offset in {0, 1, 8, 17, 31, rng.randrange(32)}:
            lines = line_count(offset, length)
            b.give(0, length)
            await b.quiet()
            b.writes.clear()
            assert await b.load(0, DRAM + offset, length) == length
            assert b.took == 5 + max(lines, 0) - (not lines), (b.took, lines)
            cycles = [cycle for cycle, _, _ in b.writes]
            assert cycles == list(range(cycles[0], cycles[0] + lines)) if lines else not cycles
            await b.store(0, DRAM + offset, length)
            assert b.took == 4 + lines, (b.took, lines)
            await b.quiet()
    b.check_sent()


@cocotb.test()
async def a_load_ends_behind_the_last_beat(dut: Any) -> None:
    """From the edge that takes the last beat to the begin of the answer's cycle, in cycles of 80 MHz."""
    b = await Bench(dut).start(8000, 12500, int(os.environ["PHASE"]))
    for length in (18, 32, 33, 512, 1024, 1472):
        worst = 0.0
        for offset in (0, 3, 8, 31):
            one = b.give(0, length)
            assert await b.load(0, DRAM + offset, length) == length
            worst = max(worst, (b.answered - one.ended) / b.cpu_ps)
        dut._log.info(f"{length} bytes: answered {worst:.2f} cycles behind the last beat")
        assert worst <= 7.2, (length, worst)


def run(case: str, *, seed: int = 1, **env: int) -> None:
    extra = {name: str(value) for name, value in env.items()}
    run_bench("dca_tb", testcase=case, seed=seed, extra_sources=TB, extra_env=extra)


@pytest.mark.parametrize("seed", seeds(1, 30))
def test_datagrams_cross_both_ways_under_anything(seed: int) -> None:
    run("any_datagrams_come_and_go", seed=seed, ROUNDS=4 if seed > 1 else 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 12))
def test_a_load_follows_what_comes_in(seed: int) -> None:
    run("a_load_follows_what_comes_in", seed=seed, ROUNDS=60)


@pytest.mark.slow
def test_no_instruction_hangs() -> None:
    run("an_interrupt_at_any_cycle_ends_a_wait_and_loses_nothing")
    run("a_store_waits_for_a_slot")


@pytest.mark.slow
def test_slots_are_shared() -> None:
    run("a_socket_that_nobody_reads_leaves_slots_to_the_others")


@pytest.mark.slow
def test_answers_are_those_of_the_table() -> None:
    run("what_cannot_be_is_refused_and_moves_nothing")
    run("the_next_event_is_the_lowest_socket_that_can_be_read")
    run("memory_that_refuses_sends_nothing")


def test_the_interrupt_says_what_can_be_read() -> None:
    run("the_interrupt_is_there_while_a_socket_of_the_mask_can_be_read")


@pytest.mark.slow
@pytest.mark.parametrize("phase", some([1000], [4500, 9100]))
def test_latencies_are_as_written(phase: int) -> None:
    run("latencies_are_those_of_the_headers", PHASE=phase)
    run("a_load_ends_behind_the_last_beat", PHASE=phase)
