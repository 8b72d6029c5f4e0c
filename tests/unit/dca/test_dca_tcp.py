# SPDX-License-Identifier: Apache-2.0
"""TCP by direct cache access: unit and rings in two clocks, between a TCP engine's three sides and a memory.

What a load brings is what the peer sent, what a store gives is what the engine reads, each byte once and in order,
whatever the alignments, the stalls and the other traffic. After each instruction every byte beside its buffer is as it
was; the engine is asked with the positions that follow from the answers.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from dca.bench import (
    DRAM,
    EAGAIN,
    EBADF,
    ECONNRESET,
    EFAULT,
    EINTR,
    EPIPE,
    EVENT,
    LINE,
    LONGEST,
    NO_WAIT,
    PEEK,
    ROOM,
    SOCKETS,
    STATE,
    TB,
    TCP_LOAD,
    TCP_STORE,
    TO_LOAD,
    Bench,
    some_length,
)
from dca.engine import RING, Engine, Stream
from net_frames import ones_sum
from runs import seeds, some
from tcp.structs import layout

WRAP = 1 << 32
MORE = PEEK


async def beginning(
    dut: Any, nic: int = 8000, cpu: int = 12500, phase: int = 1000, sockets: tuple[int, ...] = ()
) -> tuple[Bench, Engine]:
    """With connections that have had anything from nothing to 4 GB."""
    b = await Bench(dut).start(nic, cpu, phase)
    engine = Engine(b)
    for socket in sockets:
        await engine.moved(socket, b.rng.choice((0, b.rng.getrandbits(32), WRAP - b.rng.randrange(1, 3 * RING))))
    return b, engine


# ---- Anything --------------------------------------------------------------------------------------------------------


@cocotb.test()
async def bytes_come_and_go_in_order(dut: Any) -> None:
    """Clocks, sockets, lengths, alignments, modifiers, stalls, refusals and interrupts at random; UDP beside it."""
    pick = random.Random(random.getrandbits(64))
    nic = pick.choice((8000, 8000, pick.randrange(4000, 16000, 2)))
    cpu = pick.choice((12500, 8000, pick.randrange(5000, 3 * nic, 2)))
    sockets = tuple(pick.sample(range(SOCKETS), pick.choice((1, 3, 6))))
    b, engine = await beginning(dut, nic, cpu, pick.randrange(cpu), sockets)
    rng = b.rng
    await b.peer(0, 0x0A000011, 7)
    loads = stores = bytes_in = bytes_out = 0
    for _ in range(int(os.environ["ROUNDS"])):
        b.stall = rng.choice((0, 0, 0.2, 0.7))
        latency = rng.choice((1, 1, 4, 40))
        b.latency = lambda latency=latency: rng.choice((1, rng.randrange(1, latency + 1)))
        b.sent.stall = rng.choice((0, 0, 0.5))
        b.interrupt = rng.choice((0, 0, 0.01, 0.3))
        b.errors = rng.choice((0, 0, 0, 0.02))
        engine.rate, engine.ack_rate = rng.choice((0.02, 0.3, 1)), rng.choice((0.02, 0.3, 1))
        engine.memory_rate = rng.choice((0, 0.01, 0.1, 1))
        engine.ask_stall, engine.memory_stall, engine.request_stall = (rng.choice((0, 0, 0.5, 0.9)) for _ in range(3))
        waits = rng.choice((2, 2, 60))
        engine.memory_latency = lambda waits=waits: rng.randrange(waits)
        engine.again = rng.choice((0, 0.5))
        engine.chunk = rng.choice((9, 40, 600, RING))
        for _ in range(rng.randrange(12, 24)):
            socket, size, how = rng.choice(sockets), rng.choice((some_length(rng), 2000)), rng.choice((0, 0, NO_WAIT))
            if rng.random() < 0.2:
                if rng.random() < 0.5:
                    b.give(rng.randrange(2), some_length(rng))
                    await b.load(rng.randrange(2), b.buffer(LONGEST), LONGEST, NO_WAIT)
                else:
                    await b.store(0, b.buffer(LONGEST), some_length(rng), NO_WAIT)
            elif rng.random() < 0.5:
                got = await engine.load(socket, b.buffer(size), size, how | rng.choice((0, 0, PEEK)))
                loads, bytes_in = loads + (got > 0), bytes_in + max(got, 0)
            else:
                got = await engine.store(socket, b.buffer(size), size, how | rng.choice((0, 0, MORE)))
                stores, bytes_out = stores + (got > 0), bytes_out + max(got, 0)
        b.interrupt = b.errors = engine.rate = engine.request_stall = engine.memory_rate = 0.0
        engine.ack_rate = 1
        for socket in sockets:
            await engine.store(socket, DRAM, 0)
        await engine.settled()
        for socket in sockets:
            one = engine.streams[socket]
            assert one.sent == len(one.given) and one.read_told == one.read
            assert await engine.status(socket, TO_LOAD) == min(LONGEST, one.written - one.read)
            assert await engine.status(socket, ROOM) == LONGEST
            while one.read < one.written:
                assert await engine.load(socket, b.buffer(LONGEST), LONGEST) > 0
        await b.quiet()
        while b.sockets[0].waiting or b.sockets[1].waiting:
            await b.load(0 if b.sockets[0].waiting else 1, b.buffer(LONGEST), LONGEST)
        b.check_sent()
    assert bytes_in and bytes_out
    dut._log.info(f"{loads} loads of {bytes_in} bytes, {stores} stores of {bytes_out}, {engine.mixed} mixed requests")


# ---- Every place -----------------------------------------------------------------------------------------------------


def lines_of(address: int, size: int) -> int:
    return (address + size + LINE - 1) // LINE - address // LINE if size else 0


def load_cycles(address: int, place: int, size: int) -> int:
    """One more where the buffer's first dword, its line's first one too, is of two dwords of the ring."""
    return 5 + lines_of(address, size) - (not size) + (size > 0 and address % LINE < 8 and place % 8 > address % 8)


def store_cycles(address: int, place: int, size: int) -> int:
    """One more where the buffer's last line goes into more dwords than four, counted from the line's begin."""
    last = (address + size - 1) % LINE + 1
    return 5 + lines_of(address, size) - (not size) + (size > 0 and last + (place - address) % 8 > LINE)


@cocotb.test()
async def every_alignment_takes_the_cycles_of_the_header(dut: Any) -> None:
    """A line a cycle. Of the send ring nothing but what was given changes, in whole."""
    b, engine = await beginning(dut, phase=int(os.environ["PHASE"]))
    rng = b.rng
    one = await engine.moved(5, WRAP - 2 * RING + rng.randrange(RING))
    first = int(os.environ["PHASE"]) // 1000
    offsets = range(first % 3, LINE, int(os.environ["STEP"]))
    for offset in offsets:
        for size in (*rng.sample(range(1, 70), 6), rng.randrange(100, LONGEST + 1), rng.choice((0, LONGEST))):
            address = DRAM + 64 * rng.randrange(8) + offset
            engine.receive(one, rng.randbytes(size))
            await engine.quiet()
            place = one.base + one.read
            assert await engine.load(5, address, LONGEST if size else 0) == size
            assert b.took == load_cycles(address, place, size), (offset, place % LINE, size, b.took)
            place = one.base + len(one.given)
            assert await engine.store(5, address, size) == size
            assert b.took == store_cycles(address, place, size), (offset, place % LINE, size, b.took)
            await engine.quiet()
            if rng.random() < 0.2 or len(one.given) - one.acknowledged > RING - LONGEST:
                engine.ack_rate = 1.0
                await engine.settled()
                engine.ack_rate = 0.0


@cocotb.test()
async def a_store_changes_nothing_but_its_bytes(dut: Any) -> None:
    """The ring is full of what the peer has not acknowledged but for a gap, and all of it is read again."""
    b, engine = await beginning(dut)
    rng = b.rng
    one = await engine.moved(9, rng.getrandbits(32))
    other = await engine.moved(10, rng.getrandbits(32))
    for stream in (one, other):
        while len(stream.given) < RING:
            assert await engine.store(stream.socket, b.buffer(LONGEST), LONGEST) > 0
    await engine.quiet()
    await b.until(lambda: one.fetched == other.fetched == RING)
    for _ in range(int(os.environ["ROUNDS"])):
        gap = rng.choice((1, 2, 7, 8, 31, 33, rng.randrange(1, 200)))
        engine.acknowledge(one, one.acknowledged + gap)
        await engine.quiet()
        assert await engine.status(9, ROOM) == gap
        while gap:
            size = rng.choice((gap, rng.randrange(1, gap + 1), 500))
            got = await engine.store(9, b.buffer(max(500, size)), size, rng.choice((0, MORE)))
            assert got == min(gap, size)
            gap -= got
        await engine.store(9, DRAM, 0)
        await engine.quiet()
        await b.until(lambda: one.fetched == one.sent)
        assert await engine.store(9, DRAM, 1, NO_WAIT) == -EAGAIN
        engine.fetch(one, one.acknowledged, one.sent)
        await engine.quiet()
    engine.fetch(other, 0, RING)
    await engine.quiet()


# ---- Waiting ---------------------------------------------------------------------------------------------------------


@cocotb.test()
async def an_instruction_waits_until_it_can_or_is_interrupted(dut: Any) -> None:
    b, engine = await beginning(dut, phase=3000, sockets=(2,))
    rng, one = b.rng, engine.streams[2]
    assert await engine.load(2, DRAM, 10, NO_WAIT) == -EAGAIN
    assert await engine.load(2, DRAM, 0) == 0

    async def later(cycles: int, do: Any) -> None:
        await b.pause(cycles)
        do()

    def interrupt() -> None:
        b.interrupt = 1.0

    for cycles in (*range(1, 14), 100):
        for way in ("bytes", "interrupt"):
            deed = (lambda: engine.receive(one, rng.randbytes(40))) if way == "bytes" else interrupt
            task = cocotb.start_soon(later(cycles, deed))
            got = await engine.load(2, DRAM + 7, 100)
            assert got == (40 if way == "bytes" else -EINTR) and b.took >= cycles - 2
            await task
            b.interrupt = 0.0
            await b.pause(2)
    engine.held = True
    for _ in range(3):
        assert await engine.store(2, DRAM, 1400) > 0
    assert await engine.store(2, DRAM, 1, NO_WAIT) == -EAGAIN
    assert await engine.status(2, ROOM) == 0
    engine.held = False
    await b.until(lambda: one.fetched == RING)
    for cycles in (*range(1, 14), 100):
        for way in ("room", "interrupt"):
            deed = (lambda: engine.acknowledge(one, one.acknowledged + 33)) if way == "room" else interrupt
            task = cocotb.start_soon(later(cycles, deed))
            assert await engine.store(2, DRAM + 7, 100) == (33 if way == "room" else -EINTR)
            await task
            b.interrupt = 0.0
            await b.pause(2)
    engine.ack_rate = 1.0
    await engine.settled()


@cocotb.test()
async def an_interrupt_at_any_cycle_of_a_transfer_moves_all_or_nothing(dut: Any) -> None:
    """Before, while and behind what an instruction waits for comes: -EINTR and nothing has moved, or all has."""
    b, engine = await beginning(dut, phase=5000, sockets=(4,))
    rng, one = b.rng, engine.streams[4]
    engine.ack_rate = 0.0

    async def at(cycles: int, do: Any) -> None:
        await b.pause(cycles)
        do()

    def interrupt() -> None:
        b.interrupt = 1.0

    for size in (1, 40, 300, LONGEST):
        ends: dict[str, list[int]] = {"load": [], "store": []}
        for cycle in range(1, 60 + size // 8, 1 + size // 1000):
            address = b.buffer(size)
            tasks = [cocotb.start_soon(at(12, lambda size=size: engine.receive(one, rng.randbytes(size)))),
                     cocotb.start_soon(at(cycle, interrupt))]  # fmt: skip
            got = await engine.load(4, address, size)
            for task in tasks:
                await task
            b.interrupt = 0.0
            await engine.quiet()
            ends["load"].append(got)
            if got != size:
                assert got == -EINTR or size > 64, (cycle, got)
                left = size - max(got, 0)
                while left:
                    left -= await engine.load(4, address, left)
        engine.held = True
        while len(one.given) - one.acknowledged < RING:
            await engine.store(4, DRAM, LONGEST)
        engine.held = False
        await b.until(lambda: one.fetched == len(one.given), 100_000)
        for cycle in range(1, 60 + size // 8, 1 + size // 1000):
            address = b.buffer(size)
            tasks = [cocotb.start_soon(at(12, lambda size=size: engine.acknowledge(one, one.acknowledged + size))),
                     cocotb.start_soon(at(cycle, interrupt))]  # fmt: skip
            got = await engine.store(4, address, size)
            for task in tasks:
                await task
            b.interrupt = 0.0
            await engine.quiet()
            ends["store"].append(got)
            if got == -EINTR:
                assert await engine.store(4, address, size) == size
            else:
                assert got == size, (cycle, got)
            await b.until(lambda: one.fetched == len(one.given), 100_000)
        for way, results in ends.items():
            assert results.count(-EINTR) > 5 and results.count(size) > 5, (way, size, results)
        engine.ack_rate = 1.0
        await engine.settled()
        engine.ack_rate = 0.0


@cocotb.test()
async def what_is_to_come_with_more_never_fills_the_ring_untold(dut: Any) -> None:
    """A program that says "more" each time is held up by nobody but the peer."""
    b, engine = await beginning(dut, sockets=(3,))
    one = engine.streams[3]
    assert await engine.store(3, DRAM, 100, MORE) == 100
    assert await engine.store(3, DRAM, 100, MORE) == 100
    await engine.quiet()
    assert one.sent == 0
    assert await engine.store(3, DRAM, 0, MORE) == 0
    await engine.quiet()
    assert one.sent == 0
    assert await engine.store(3, DRAM, 0) == 0
    await engine.quiet()
    assert one.sent == 200
    engine.ack_rate = 1.0
    total = 0
    while total < 3 * RING:
        total += await engine.store(3, b.buffer(1000), b.rng.choice((1000, 256, 512)), MORE)
    assert await engine.store(3, DRAM, 0) == 0
    await engine.settled()
    assert one.acknowledged == 200 + total


@cocotb.test()
async def the_engine_may_take_its_time(dut: Any) -> None:
    """Eight moves wait for it, a ninth one for room, in order; peeking and what comes with more need none."""
    b, engine = await beginning(dut, sockets=(1, 4))
    engine.receive(engine.streams[1], b.rng.randbytes(100))
    await engine.quiet()
    engine.request_stall = 1.0
    await b.pause(4)
    for i in range(8):
        if i % 2:
            assert await engine.load(1, DRAM + i, 3) == 3
        else:
            assert await engine.store(4, DRAM + i, 5) == 5
    assert await engine.load(1, DRAM, 3, NO_WAIT) == -EAGAIN
    assert await engine.store(4, DRAM, 3, NO_WAIT) == -EAGAIN
    b.interrupt = 1.0
    await b.pause(2)
    assert await engine.load(1, DRAM, 3) == -EINTR
    b.interrupt = 0.0
    await b.pause(2)

    async def go() -> None:
        await b.pause(60)
        engine.request_stall = 0.0

    task = cocotb.start_soon(go())
    assert await engine.store(4, DRAM, 3) == 3 and b.took > 50
    await task
    await engine.quiet()
    assert engine.streams[1].read_told == 12 and engine.streams[4].sent == 23


# ---- Ends ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def what_waits_is_read_before_the_end(dut: Any) -> None:
    b, engine = await beginning(dut)
    rng = b.rng
    for socket, finished, closed in ((0, 1, 0), (1, 0, 1), (2, 1, 1), (3, 1, 0), (15, 0, 1)):
        one = await engine.moved(socket, rng.getrandbits(32))
        engine.receive(one, rng.randbytes(300))
        await engine.quiet()
        assert await engine.status(socket, STATE) == 0
        engine.tell(one, finished=finished, closed=0)
        if closed:
            engine.tell(one, closed=1)
        await engine.quiet()
        assert await engine.status(socket, STATE) == closed << 1 | finished
        assert await engine.status(socket, TO_LOAD) == 300
        assert await b.call(EVENT, 0, 1 << 16 + socket) == 2 << 16 | socket
        assert await engine.load(socket, DRAM + 9, 300, PEEK) == 300
        assert await engine.load(socket, DRAM + 9, 200) == 200
        assert await engine.load(socket, DRAM + 9, 200) == 100
        end = 0 if finished else -ECONNRESET
        for how in (0, NO_WAIT, PEEK):
            assert await engine.load(socket, DRAM + 9, 200, how) == end
        assert await engine.load(socket, DRAM, 0) == 0
        assert await b.call(EVENT, 0, 1 << 16 + socket) == 2 << 16 | socket
        for how in (0, NO_WAIT, MORE):
            for size in (0, 20):
                want = -EPIPE if closed else size
                assert await engine.store(socket, DRAM, size, how) == want
        if not closed:
            await engine.store(socket, DRAM, 0)
    # An instruction that waits sees the end, too.
    one = await engine.moved(7, 5)
    for flag, want in (("finished", 0), ("closed", -ECONNRESET)):
        one = engine.begin(7)
        await engine.quiet()

        async def stop(one: Stream = one, flag: str = flag) -> None:
            await b.pause(50)
            engine.tell(one, **{flag: 1})

        task = cocotb.start_soon(stop())
        assert await engine.load(7, DRAM, 10) == want and b.took > 40
        await task
    # So does one that waits for room.
    one = engine.begin(7)
    await engine.quiet()
    engine.held = True
    for _ in range(3):
        await engine.store(7, DRAM, LONGEST)

    async def close() -> None:
        await b.pause(50)
        engine.tell(one, closed=1)

    task = cocotb.start_soon(close())
    assert await engine.store(7, DRAM, 10) == -EPIPE and b.took > 40
    await task


@cocotb.test()
async def a_connection_begins_with_nothing_of_the_one_before(dut: Any) -> None:
    """Before the first one, and without rings, there is none."""
    b, engine = await beginning(dut)
    rng = b.rng

    async def none() -> None:
        assert await b.call(TCP_LOAD, DRAM, 6 << 16 | 10) == -EBADF
        assert await b.call(TCP_STORE, DRAM, 6 << 16 | 10) == -EBADF
        for item in (TO_LOAD, ROOM, STATE):
            assert await engine.status(6, item) == -EBADF
        assert await b.call(EVENT, 0, 0xFFFF_0000) == 0

    await none()
    for round_ in range(3):
        engine.open(6)
        await b.pause(10)
        if round_ == 0:
            await none()  # it is set up, and has not begun
        for _ in range(2):
            one = engine.begin(6)
            await engine.quiet()
            assert await engine.status(6, TO_LOAD) == 0 and await engine.status(6, ROOM) == LONGEST
            assert await engine.status(6, STATE) == 0
            assert await b.call(EVENT, 0, 0xFFFF_0000) == 0
            assert await engine.load(6, DRAM, 5, NO_WAIT) == -EAGAIN
            engine.receive(one, rng.randbytes(900 + round_))
            await engine.quiet()
            assert await engine.load(6, b.buffer(700), 700) == 700
            assert await engine.store(6, b.buffer(1200), 1200) == 1200
            await engine.quiet()
            if round_ == 1:
                engine.tell(one, finished=1)
            engine.tell(one, closed=1)
            await engine.quiet()
            state = await engine.status(6, STATE)
            one.acknowledged = 0
            engine.tell(one, received=0, finished=1)  # the record is set up anew
            await engine.quiet()
            assert await engine.status(6, STATE) == state == (2 if round_ != 1 else 3)
            assert await engine.status(6, TO_LOAD) == 200 + round_
            assert await engine.status(6, ROOM) == LONGEST
            assert await b.call(EVENT, 0, 0xFFFF_0000) == 2 << 16 | 6
            one.known[-1] = one.known[-2]
            assert await engine.load(6, b.buffer(700), 150) == 150
            assert await engine.store(6, DRAM, 5) == -EPIPE
        engine.close_rings(6)
        await b.pause(10)
        await none()
        engine.open(6)
        await b.pause(10)
        await none()
        engine.close_rings(6)
        await b.pause(10)


FETCH = layout("fetch_t")


@cocotb.test()
async def the_sum_of_what_is_fetched_goes_ahead_of_it(dut: Any) -> None:
    """Of what the last store gave in a time that does not depend on its length; of all else a line a cycle."""
    b, engine = await beginning(dut, sockets=(3, 11))
    rng, clock = b.rng, RisingEdge(dut.nic_clk)
    engine.held = True
    dut.fetch_ready.value = dut.fetch_idle.value = 1
    quick, slow = [], []
    for _ in range(int(os.environ["ROUNDS"])):
        socket = rng.choice((3, 11))
        one = engine.streams[socket]
        if len(one.given) + 2 * LONGEST - one.acknowledged > RING:
            one.fetched = one.sent
            engine.acknowledge(one, one.sent)
            await engine.quiet()
        begin = len(one.given)
        more = rng.random() < 0.4
        if more:
            await engine.store(socket, b.buffer(LONGEST), rng.choice((1, 30, some_length(rng) or 1)), MORE)
        last, size = len(one.given), some_length(rng) or 1
        assert await engine.store(socket, b.buffer(LONGEST), size) == size
        await engine.quiet()
        if rng.random() < 0.3:  # somebody else's is no longer that socket's
            await engine.store(14 - socket, b.buffer(LONGEST), size)
            await engine.quiet()
        end = len(one.given)
        choices = [(last, end)] * 2
        choices += [(begin, min(end, begin + LONGEST)), (last, max(last + 1, end - 1)), (min(last + 1, end - 1), end)]
        start, stop = rng.choice(choices)
        place = one.base + start
        await clock
        dut.fetch.value = FETCH.pack(index=socket, offset=place % RING, length=stop - start)
        dut.in_fetch_valid.value = 1
        await clock
        while not dut.in_fetch_ready.value:
            await clock
        dut.in_fetch_valid.value = 0
        dut.fetch.value = rng.getrandbits(FETCH.bits)
        assert not dut.sum_valid.value
        for _ in range(rng.choice((0, 60))):  # nothing is told before the first dword is on its way
            await clock
            assert not dut.sum_valid.value
        engine.fetch(one, start, stop)
        cycles = 0
        while not dut.sum_valid.value:
            await clock
            cycles += 1
            assert cycles < 80
        assert int(dut.sum.value) % 0xFFFF == ones_sum(bytes(one.given[start:stop])) % 0xFFFF
        if stop - start > 1000:
            (quick if (start, stop) == (last, end) and not more else slow).append(cycles)
        await engine.quiet()
        assert dut.sum_valid.value, "until the last beat"
        await clock
        dut.fetched_last.value = 1
        await clock
        dut.fetched_last.value = 0
        await clock
        await clock
        assert not dut.sum_valid.value
    assert max(quick) <= 5, (quick, slow)


@cocotb.test()
async def memory_that_refuses_moves_no_position(dut: Any) -> None:
    b, engine = await beginning(dut, sockets=(8,))
    one = engine.streams[8]
    b.errors = 1.0
    for size in (1, 32, 33, 500):
        assert await engine.store(8, DRAM + 5, size) == -EFAULT
        assert await engine.store(8, DRAM + 5, size, MORE) == -EFAULT
    b.errors = 0.1
    for _ in range(20):
        await engine.store(8, b.buffer(500), 300, NO_WAIT)
        engine.ack_rate = 1.0
    b.errors = 0.0
    assert await engine.store(8, b.buffer(500), 500) == 500
    await engine.settled()
    assert one.acknowledged == len(one.given)


# ---- Events ----------------------------------------------------------------------------------------------------------


@cocotb.test()
async def events_are_of_udp_first_and_of_the_lowest_socket(dut: Any) -> None:
    b, engine = await beginning(dut, sockets=(0, 4, 15))
    rng, (low, middle, high) = b.rng, (engine.streams[i] for i in (0, 4, 15))
    tcp = 2 << 16
    assert await b.call(EVENT, 0, 0xFFFF_FFFF) == 0
    assert await b.call(EVENT, 30, 0xFFFF_FFFF) == 0 and b.took == 33
    for one in (high, middle):
        engine.receive(one, rng.randbytes(9))
    await engine.quiet()
    assert await b.call(EVENT, 100, 0xFFFF_FFFF) == tcp | 4
    assert await b.call(EVENT, 100, 0xFFEF_FFFF) == tcp | 15
    assert await b.call(EVENT, 10, 0x7FEF_FFFF) == 0
    b.give(12, 30)
    await b.quiet()
    assert await b.call(EVENT, 100, 0xFFFF_FFFF) == 1 << 16 | 12
    assert await b.call(EVENT, 100, 0xFFFF_0FFF) == tcp | 4
    await b.load(12, DRAM, 100)
    assert await engine.load(4, DRAM, 9, PEEK) == 9
    assert await engine.load(4, DRAM, 8) == 8
    assert await b.call(EVENT, 0, 0xFFFF_FFFF) == tcp | 4
    assert await engine.load(4, DRAM, 8) == 1
    assert await b.call(EVENT, 0, 0xFFFF_FFFF) == tcp | 15
    assert await engine.load(15, DRAM, 100) == 9
    assert await b.call(EVENT, 20, 0xFFFF_FFFF) == 0
    # Room is no event; the end is.
    await engine.store(0, DRAM, 100)
    engine.ack_rate = 1.0
    await engine.settled()
    assert await b.call(EVENT, 20, 0xFFFF_FFFF) == 0

    async def later() -> None:
        await b.pause(40)
        engine.tell(low, finished=1)

    task = cocotb.start_soon(later())
    assert await b.call(EVENT, 1000, 1 << 16) == tcp and 35 < b.took < 60
    await task
    b.interrupt = 1.0
    await b.pause(2)
    assert await b.call(EVENT, 1000, 0x8000_0000) == -EINTR
    b.interrupt = 0.0
    # A peer's bytes beside a load: whoever is first, it can be read while something waits.
    for gap in range(24):
        engine.receive(middle, rng.randbytes(5))
        await engine.quiet()
        engine.receive(middle, rng.randbytes(6))
        await b.pause(gap % 12)
        got = await engine.load(4, DRAM, 5)
        await engine.quiet()
        assert await b.call(EVENT, 0, 0x10_0000) == tcp | 4
        while got < 11:
            got += await engine.load(4, DRAM, 50)
        assert await b.call(EVENT, 0, 0x10_0000) == 0


@cocotb.test()
async def all_that_waited_for_a_placement_may_be_told_at_once(dut: Any) -> None:
    """As many as tcp_notify keeps, one in two cycles, and a slow processor: nothing is lost."""
    b, engine = await beginning(dut, 8000, int(os.environ["CPU"]), 0, tuple(range(SOCKETS)))
    engine.tell_gap = 2
    for one in engine.streams:
        one.written = 3 + one.socket
        one.coming += b.rng.randbytes(one.written)
        engine.tell(one, finished=1)
    for one in engine.streams:
        engine.tell(one, closed=one.socket & 1)
    await engine.quiet()
    await b.pause(40)
    for one in engine.streams:
        assert await engine.status(one.socket, TO_LOAD) == one.written
        assert await engine.status(one.socket, STATE) == 1 | (one.socket & 1) << 1


@cocotb.test()
async def bytes_are_there_soon(dut: Any) -> None:
    """From what is told to an instruction's answer, and from an answer to the request, in cycles as the headers say."""
    b, engine = await beginning(dut, phase=int(os.environ["PHASE"]), sockets=(11,))
    one = engine.streams[11]
    for _ in range(12):
        engine.receive(one, b.rng.randbytes(8))
        await engine.load(11, DRAM, 8)
        took = get_sim_time("ps") - b.cpu_ps - one.now.at - b.nic_ps  # behind the edge that takes what is told
        assert took <= 1 * b.nic_ps + (5 + 5) * b.cpu_ps, took  # known; LOOK, RUN, primed, line, answer
        start = get_sim_time("ps")
        await b.until(lambda: not engine.asked)
        assert get_sim_time("ps") - start <= 2 * b.cpu_ps + 5 * b.nic_ps
        await b.pause(b.rng.randrange(5, 9))


def run(case: str, *, seed: int = 1, **env: int) -> None:
    extra = {name: str(value) for name, value in env.items()}
    run_bench("dca_tb", testcase=case, seed=seed, extra_sources=TB, extra_env=extra)


@pytest.mark.parametrize("seed", seeds(1, 30))
def test_streams_go_both_ways_under_anything(seed: int) -> None:
    run("bytes_come_and_go_in_order", seed=seed, ROUNDS=4 if seed > 1 else 2)


@pytest.mark.slow
@pytest.mark.parametrize("phase", some([1000], [4500, 9100]))
def test_cycles_are_as_written_at_any_alignment(phase: int) -> None:
    run("every_alignment_takes_the_cycles_of_the_header", PHASE=phase, STEP=3)
    run("bytes_are_there_soon", PHASE=phase)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(1, 8))
def test_what_is_not_acknowledged_stands(seed: int) -> None:
    run("a_store_changes_nothing_but_its_bytes", seed=seed, ROUNDS=6)


@pytest.mark.slow
def test_no_stream_hangs() -> None:
    run("an_instruction_waits_until_it_can_or_is_interrupted")
    run("an_interrupt_at_any_cycle_of_a_transfer_moves_all_or_nothing")
    run("what_is_to_come_with_more_never_fills_the_ring_untold")
    run("the_engine_may_take_its_time")


@pytest.mark.slow
def test_connections_end_and_begin() -> None:
    run("what_waits_is_read_before_the_end")
    run("a_connection_begins_with_nothing_of_the_one_before")
    run("memory_that_refuses_moves_no_position")


def test_the_sum_of_a_store_goes_with_it() -> None:
    run("the_sum_of_what_is_fetched_goes_ahead_of_it", ROUNDS=60)


@pytest.mark.slow
def test_connections_have_events() -> None:
    run("events_are_of_udp_first_and_of_the_lowest_socket")
    run("all_that_waited_for_a_placement_may_be_told_at_once", CPU=40_000)
