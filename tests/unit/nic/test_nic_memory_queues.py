# SPDX-License-Identifier: Apache-2.0
"""nic_memory_queues against a model of the queues in memory: engines and a processor work on them at random, the
memory is slow, stalls and fails. What is in a queue is followed at the memory's port, where every access shows in the
order in which it takes effect: nothing is lost, doubled or reordered, and nobody touches a queue without its lock.
"""

from __future__ import annotations

import random
from collections import deque
from itertools import pairwise
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import RisingEdge
from drivers import ACB, Master, Port, Request, Response, Slave, read, start, within, write
from runs import seeds

pytestmark = pytest.mark.slow

FREE, RECEIVE, TRANSMIT = range(3)
NAMES = ("free", "receive", "transmit")
BASES = (0x5002_0000, 0x5002_0408, 0x5002_0810)
LOCK, INDICES, ENTRIES = 0, 8, 16
PROCESSOR = 1 << 35  # an address bit that the memory does not look at: whose access it is
NIC_OWNS, PROCESSOR_OWNS = 2, 1
DELIVER_TO = {RECEIVE: 1, TRANSMIT: 1 << 4}


class Queue:
    """What one queue in memory holds, by the accesses that the memory sees."""

    def __init__(self, entries: int) -> None:
        self.ring = [0] * entries
        self.lock = self.head = self.tail = 0
        self.pushed: dict[bool, list[int]] = {False: [], True: []}  # by the NIC (False), by the processor
        self.popped: dict[bool, list[int]] = {False: [], True: []}

    def inside(self) -> list[int]:
        return [self.ring[i % len(self.ring)] for i in range(self.head, self.tail)]


class Memory:
    """Three queues and nothing else. `failure` is the chance that an access of the NIC is answered with an error."""

    def __init__(self, entries: int, rng: random.Random) -> None:
        self.queues = [Queue(entries) for _ in BASES]
        self.rng = rng
        self.failure = 0.0
        self.failed = 0
        self.looks = 0

    def access(self, request: Request) -> Response:
        by_processor = bool(request.address & PROCESSOR)
        address = request.address & ~7 & ~PROCESSOR
        if not by_processor and self.rng.random() < self.failure:
            self.failed += 1
            return Response(0xDEAD_DEAD_DEAD_DEAD, err=True)
        which = max(i for i, base in enumerate(BASES) if base <= address)
        queue, offset = self.queues[which], address - BASES[which]
        n = len(queue.ring)
        if request.read:
            self.looks += offset == INDICES and queue.lock != NIC_OWNS
            return Response(self._dword(queue, offset, n))
        if request.mask:
            self._write(queue, offset, request, by_processor, n)
        return Response(self.rng.getrandbits(64))  # a write's data mean nothing

    def _dword(self, queue: Queue, offset: int, n: int) -> int:
        if offset == LOCK:
            return queue.lock << 32 | self.rng.getrandbits(32)  # nothing is said about the other half
        if offset == INDICES:
            return (queue.head % (1 << 32)) << 32 | queue.tail % (1 << 32)
        place = (offset - ENTRIES) // 4
        assert place < n, "an entry that the queue does not have"
        low = queue.ring[place + 1] if place + 1 < n else self.rng.getrandbits(32)
        return queue.ring[place] << 32 | low

    def _write(self, queue: Queue, offset: int, request: Request, by_processor: bool, n: int) -> None:
        mine = PROCESSOR_OWNS if by_processor else NIC_OWNS
        high, low = request.data >> 32, request.data & 0xFFFF_FFFF
        assert request.mask in (0xF0, 0x0F), "a word at a time"
        if offset == LOCK:
            assert request.mask == 0xF0
            if high:
                assert high == mine and queue.lock == 0, "a lock is taken that is not free"
            else:
                assert queue.lock == mine, "a lock is cleared by who does not hold it"
            queue.lock = high
            return
        assert queue.lock == mine, "a queue is changed by who does not hold its lock"
        if offset == INDICES and request.mask == 0xF0:
            assert high == (queue.head + 1) % (1 << 32) and queue.head < queue.tail, "a pop of an empty queue"
            queue.popped[by_processor].append(queue.ring[queue.head % n])
            queue.head += 1
        elif offset == INDICES:
            assert low == (queue.tail + 1) % (1 << 32) and queue.tail - queue.head < n, "a push into a full queue"
            queue.pushed[by_processor].append(queue.ring[queue.tail % n])
            queue.tail += 1
        else:
            place = (offset - ENTRIES) // 4 + (request.mask == 0x0F)
            assert place == queue.tail % n, "an entry is written that is not the next one"
            queue.ring[place] = high if request.mask == 0xF0 else low


class Bench:
    """The block, its memory, and engines that fetch, deliver, take and return."""

    def __init__(self, dut: Any, rng: random.Random, entries: int, pause: int, latency: int, stall: float) -> None:
        self.dut, self.rng = dut, rng
        self.memory = Memory(entries, rng)
        self.queues = self.memory.queues
        self.slave = Slave(
            Port(dut, "mem", ACB), self.memory.access, rng, stall, lambda: 1 + rng.randrange(latency), capacity=8
        )
        self.cpu = Master(Port(dut, "cpu", ACB), rng, stall)
        self.in_engines: list[int] = []  # pointers that the engines hold
        self.fetched: list[int] = []
        self.taken: list[int] = []
        self.given: dict[int, list[int]] = {FREE: [], RECEIVE: [], TRANSMIT: []}  # what each queue took from an engine
        self.errors = {"bus": [0] * 3, "content": [0] * 3}
        self.events = {"rx": 0, "tx": 0}
        self.activity = 0.3  # of the engines
        self.enabled = True
        self.offers = 0  # pointers that an engine offers just now
        self.wants = {"fetch": True, "take": True, "deliver": (RECEIVE, TRANSMIT), "return": True}
        for name, value in (
            ("enable", 1), ("entries", entries), ("pause", pause), ("forget", 0), ("fetch_valid", 0), ("deliver_to", 0),
            ("rx_return_valid", 0), ("take_wanted", 0), ("tx_return_valid", 0), ("delivered", 0), ("rx_returned", 0),
            ("tx_returned", 0), *((f"base_{name}", base) for name, base in zip(NAMES, BASES, strict=True)),
        ):  # fmt: skip
            getattr(dut, name).value = value
        self.task = cocotb.start_soon(self._engines())

    async def clocks(self, count: int) -> None:
        for _ in range(count):
            await RisingEdge(self.dut.clk)
            for task in (self.task, self.slave.task, self.cpu.task):
                if task.done():
                    await task  # raises what it died of

    async def _engines(self) -> None:
        """One pass a cycle: what was transferred at this edge, then what is offered next."""
        dut, rng = self.dut, self.rng
        offered: dict[str, int | None] = dict.fromkeys(("deliver", "rx_return", "tx_return"))
        bound = RECEIVE
        fetching = taking = False
        while True:
            await RisingEdge(dut.clk)
            for kind, counts in self.errors.items():
                pulses = int(getattr(dut, f"{kind}_error").value)
                for i in range(3):
                    counts[i] += pulses >> i & 1
            self.events["rx"] += int(dut.rx_event.value)
            self.events["tx"] += int(dut.tx_event.value)
            if fetching:
                self.fetched.append(int(dut.fetched.value) << 3)
                self.in_engines.append(self.fetched[-1])
            if taking:
                self.taken.append(int(dut.taken.value) << 3)
                self.in_engines.append(self.taken[-1])
            fetching = bool(dut.fetch_valid.value and dut.fetch_ready.value)
            to_take = not int(dut.empty.value) >> 4 & 1
            taking = bool(dut.take_wanted.value and to_take and dut.take_ready.value)
            for name, queue in (("deliver", bound), ("rx_return", FREE), ("tx_return", FREE)):
                pointer = offered[name]
                if pointer is not None and getattr(dut, f"{name}_ready").value:
                    self.given[queue].append(pointer)
                    offered[name] = None
                elif pointer is not None and name != "tx_return" and rng.random() < 0.02:
                    self.in_engines.append(pointer)  # an engine may change its mind
                    offered[name] = None
            for name in offered:
                want = self.wants["deliver" if name == "deliver" else "return"]
                if offered[name] is None and want and self.in_engines and rng.random() < self.activity:
                    offered[name] = self.in_engines.pop(rng.randrange(len(self.in_engines)))
                    if name == "deliver":
                        bound = rng.choice(self.wants["deliver"])
            self.offers = sum(pointer is not None for pointer in offered.values())
            dut.deliver_to.value = DELIVER_TO[bound] if offered["deliver"] is not None else 0
            dut.delivered.value = (offered["deliver"] or rng.getrandbits(32)) >> 3
            for name in ("rx_return", "tx_return"):
                getattr(dut, f"{name}_valid").value = int(offered[name] is not None)
                getattr(dut, f"{name}ed").value = (offered[name] or rng.getrandbits(32)) >> 3
            dut.enable.value = int(self.enabled)
            # Engines fetch until they have what they want or are disabled, and take while there is something to take.
            more = rng.random() < self.activity
            dut.fetch_valid.value = int(
                self.enabled and self.wants["fetch"] and not fetching and (more or bool(dut.fetch_valid.value))
            )
            goes_on = bool(dut.take_wanted.value) and to_take
            dut.take_wanted.value = int(not taking and ((self.wants["take"] and more) or goes_on))

    # ---- The processor: as the firmware does it --------------------------------------------------------------------

    async def call(self, request: Request) -> int:
        response = await self.cpu.call(request)
        assert not response.err
        return response.data

    async def lock(self, which: int) -> None:
        address = BASES[which] + LOCK | PROCESSOR
        for _ in range(3000):
            if await self.call(read(address, 0xF0, lock=True)) >> 32 == 0:
                await self.call(write(address, PROCESSOR_OWNS << 32, 0xF0))
                return
            await self.call(write(address, 0, 0))
            await self.clocks(self.rng.randrange(20))
        raise AssertionError("the processor never got the lock")

    async def unlock(self, which: int) -> None:
        await self.call(write(BASES[which] + LOCK | PROCESSOR, 0, 0xF0))

    async def push(self, which: int, pointer: int) -> bool:
        await self.lock(which)
        indices = await self.call(read(BASES[which] + INDICES | PROCESSOR))
        head, tail = indices >> 32, indices & 0xFFFF_FFFF
        n = len(self.queues[which].ring)
        room = (tail - head) % (1 << 32) < n
        if room:
            address = BASES[which] + ENTRIES + 4 * (tail % n)
            await self.call(write(address & ~7 | PROCESSOR, pointer << 32 | pointer, 0x0F if address & 4 else 0xF0))
            await self.call(write(BASES[which] + INDICES | PROCESSOR, (tail + 1) % (1 << 32), 0x0F))
        await self.unlock(which)
        return room

    async def pop(self, which: int) -> int | None:
        await self.lock(which)
        indices = await self.call(read(BASES[which] + INDICES | PROCESSOR))
        head, tail = indices >> 32, indices & 0xFFFF_FFFF
        pointer = None
        if head != tail:
            n = len(self.queues[which].ring)
            address = BASES[which] + ENTRIES + 4 * (head % n)
            dword = await self.call(read(address & ~7 | PROCESSOR))
            pointer = dword & 0xFFFF_FFFF if address & 4 else dword >> 32
            await self.call(write(BASES[which] + INDICES | PROCESSOR, (head + 1) % (1 << 32) << 32, 0xF0))
        await self.unlock(which)
        return pointer

    # ---- At the end --------------------------------------------------------------------------------------------------

    async def rest(self, mine: list[int]) -> None:
        """Engines give back what they hold, the processor makes room, and nothing is inside the NIC any more."""
        self.wants = {"fetch": False, "take": False, "deliver": (), "return": True}
        self.activity = 1.0
        for _ in range(1000):
            self.enabled = bool(self.in_engines or self.offers)
            await self.clocks(200)
            if not (self.enabled or self.in_engines or self.offers or int(self.dut.held.value)):
                return
            for which in (FREE, RECEIVE, TRANSMIT):
                while (pointer := await self.pop(which)) is not None:
                    mine.append(pointer)
        raise AssertionError(f"the NIC keeps {int(self.dut.held.value)} pointers, engines {self.in_engines}")

    def check(self, pointers: list[int], in_processor: list[int]) -> None:
        inside = [pointer for queue in self.queues for pointer in queue.inside()]
        assert sorted(inside + in_processor + self.in_engines) == sorted(pointers), "pointers lost or doubled"
        # Pushes and pops by the NIC, in the order in which they took effect, are those that the engines saw.
        for which in (RECEIVE, TRANSMIT):
            assert self.queues[which].pushed[False] == self.given[which], f"{NAMES[which]} queue: order of pushes"
        assert self.queues[TRANSMIT].popped[False] == self.taken
        assert self.queues[RECEIVE].popped[False] == []
        # Into the free queue also goes back what was popped for a fetch that was withdrawn.
        free, fetched, withdrawn = self.queues[FREE], deque(self.fetched), []
        for pointer in free.popped[False]:
            if fetched and fetched[0] == pointer:
                fetched.popleft()
            else:
                withdrawn.append(pointer)
        assert not fetched, "a buffer was fetched that the queue did not hold"
        assert sorted(free.pushed[False]) == sorted(self.given[FREE] + withdrawn)
        for queue in self.queues:
            assert queue.lock == 0
            for kind in (queue.pushed, queue.popped):
                assert len(kind[False]) + len(kind[True]) == (queue.tail if kind is queue.pushed else queue.head)


def pointers_of(rng: random.Random, count: int) -> list[int]:
    return [8 * n for n in rng.sample(range(1, 1 << 29), count)]


async def processor(bench: Bench, mine: list[int], rounds: int, pops: tuple[int, ...] = (RECEIVE, FREE)) -> None:
    """Pops and pushes on every queue at random; `mine` is what it holds."""
    rng = bench.rng
    for _ in range(rounds):
        if mine and rng.random() < 0.5:
            pointer = mine.pop(rng.randrange(len(mine)))
            if not await bench.push(rng.choice((FREE, TRANSMIT, TRANSMIT)), pointer):
                mine.append(pointer)
        else:
            pointer = await bench.pop(rng.choice(pops))
            if pointer is not None:
                mine.append(pointer)
        await bench.clocks(rng.choice((0, 0, rng.randrange(100))))


async def set_up(dut: Any, rng: random.Random, entries: int, **more: Any) -> Bench:
    options = {"pause": rng.choice((0, 3, 32)), "latency": rng.choice((1, 5, 40)), "stall": rng.choice((0.0, 0.3))}
    bench = Bench(dut, rng, entries, **{**options, **more})
    await RisingEdge(dut.clk)
    return bench


@cocotb.test()
async def engines_and_processor_lose_double_and_reorder_nothing(dut: Any) -> None:
    rng = await start(dut)
    entries = rng.choice((1, 2, 8, 64))
    bench = await set_up(dut, rng, entries)
    mine = pointers_of(rng, rng.choice((1, entries, 2 * entries)))
    all_of_them = list(mine)

    async def toggle() -> None:
        while True:
            await bench.clocks(rng.randrange(200, 3000))
            bench.enabled = not bench.enabled

    toggling = cocotb.start_soon(toggle())
    await within(dut, 400_000, processor(bench, mine, 400))
    assert sum(len(queue.popped[False]) for queue in bench.queues) > 20, "the NIC had its share"
    toggling.cancel()
    await bench.rest(mine)
    bench.check(all_of_them, mine)
    assert bench.errors == {"bus": [0] * 3, "content": [0] * 3}
    assert bench.events["rx"] == len(bench.queues[RECEIVE].pushed[False])


@cocotb.test()
async def a_failing_memory_loses_nothing_and_is_noticed(dut: Any) -> None:
    rng = await start(dut)
    bench = await set_up(dut, rng, 16)
    mine = pointers_of(rng, 16)
    all_of_them = list(mine)
    bench.memory.failure = rng.choice((0.02, 0.2))
    await within(dut, 400_000, processor(bench, mine, 300))
    assert bench.memory.failed > 20
    assert sum(bench.errors["bus"]) > 10 and not any(bench.errors["content"])
    bench.memory.failure = 1.0
    await bench.clocks(1000)
    popped = len(bench.queues[FREE].popped[False])
    await bench.clocks(2000)
    assert len(bench.queues[FREE].popped[False]) == popped, "nothing works, and nothing is done"
    bench.memory.failure = 0.0
    await bench.rest(mine)
    bench.check(all_of_them, mine)


@cocotb.test()
async def indices_and_entries_that_make_no_sense_are_left_alone(dut: Any) -> None:
    rng = await start(dut)
    bench = await set_up(dut, rng, 8, pause=4)
    bench.wants |= {"deliver": (), "return": False}
    free = bench.queues[FREE]
    pointers = pointers_of(rng, 4)
    free.head = free.tail = 100
    free.tail += 9  # one more than it has entries
    await bench.clocks(1000)
    assert bench.errors["content"][FREE] > 3 and not bench.fetched and dut.none_free.value
    free.tail = 102
    for i, pointer in enumerate(pointers[:2]):
        free.ring[(100 + i) % 8] = pointer
    free.ring[100 % 8] |= 4
    noticed = bench.errors["content"][FREE]
    await bench.clocks(1000)
    assert bench.errors["content"][FREE] > noticed and not bench.fetched and free.head == 100
    while free.lock:  # the NIC tries, and lets go
        await bench.clocks(1)
    free.ring[100 % 8] &= ~7
    await bench.clocks(1000)
    assert bench.fetched == pointers[:2] and free.head == 102, "mended, it goes on"
    assert bench.errors["bus"] == [0] * 3


@cocotb.test()
async def a_lock_that_is_never_released_stops_its_queue_only(dut: Any) -> None:
    rng = await start(dut)
    bench = await set_up(dut, rng, 8)
    for pointer in pointers_of(rng, 4):
        assert await bench.push(TRANSMIT, pointer)
    await bench.lock(FREE)
    bench.wants |= {"return": False, "deliver": (RECEIVE,)}
    await bench.clocks(3000)
    assert len(bench.taken) == 4 and len(bench.queues[RECEIVE].inside()) == 4, "the other queues work"
    assert not bench.fetched
    bench.queues[FREE].ring[0] = 0x1000
    bench.queues[FREE].tail = 1
    await bench.clocks(3000)
    assert not bench.fetched and dut.none_free.value, "for the engine there is no buffer"
    await bench.unlock(FREE)
    await bench.clocks(1000)
    assert bench.fetched == [0x1000]


@cocotb.test()
async def queues_that_it_was_not_told_of_are_not_touched(dut: Any) -> None:
    rng = await start(dut)
    bench = await set_up(dut, rng, 8)
    dut.entries.value = 0
    await bench.clocks(100)
    dut.forget.value = 1  # as with every write of such a register
    await bench.clocks(1)
    dut.forget.value = 0
    bench.slave.seen.clear()
    bench.in_engines = pointers_of(rng, 3)
    await bench.clocks(500)
    assert not bench.slave.seen and dut.none_free.value
    assert dut.room.value == 0x1FF and dut.held.value == 0, "and nothing is taken over that would be stuck inside"
    assert not any(bench.given.values())
    dut.entries.value = 8
    await bench.clocks(2000)
    assert sum(map(len, bench.given.values())) > 3


@cocotb.test()
async def polling_is_spaced_by_the_pause_and_takes_no_lock(dut: Any) -> None:
    rng = await start(dut)
    for pause in (0, 32, 200):
        bench = await set_up(dut, rng, 8, pause=pause, latency=1, stall=0.0)
        await bench.clocks(100)
        bench.wants |= {"deliver": (), "return": False}
        bench.slave.seen.clear()
        bench.slave.seen_at.clear()
        await bench.clocks(3000)
        assert all(request.read and not request.lock for request in bench.slave.seen), "looks only"
        for base in (BASES[FREE], BASES[TRANSMIT]):
            at = [t for t, r in zip(bench.slave.seen_at, bench.slave.seen, strict=True) if r.address == base + INDICES]
            steps = {b - a for a, b in pairwise(at)}
            assert len(at) > 5 and pause < min(steps) and max(steps) <= pause + 20, f"{pause}: {sorted(steps)}"
        bench.task.cancel()
        bench.slave.task.cancel()
        bench.cpu.task.cancel()
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_random_traffic(seed: int) -> None:
    _run("engines_and_processor_lose_double_and_reorder_nothing", seed)


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_failing_memory(seed: int) -> None:
    _run("a_failing_memory_loses_nothing_and_is_noticed", seed)


def test_polling_and_what_makes_no_sense() -> None:
    _run(
        (
            "indices_and_entries_that_make_no_sense_are_left_alone",
            "a_lock_that_is_never_released_stops_its_queue_only",
            "queues_that_it_was_not_told_of_are_not_touched",
            "polling_is_spaced_by_the_pause_and_takes_no_lock",
        ),
        1,
    )


def _run(case: str | tuple[str, ...], seed: int) -> None:
    tb = Path(__file__).with_name("nic_memory_queues_tb.sv")
    run_bench("nic_memory_queues_tb", testcase=case, seed=seed, extra_sources=(tb,))
