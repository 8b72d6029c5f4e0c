# SPDX-License-Identifier: Apache-2.0
"""tcp_rings: payloads into receive rings and bytes out of send rings, before a memory that is as slow as it likes.

Where a byte belongs is worked out byte by byte. Each byte that is written must be the next one of the placement that is
on, so none is written beside them or twice; each line that is read must be the next one that holds bytes of a fetch. A
line has WIDTH bits, a dword of ACB or more of a memory beside the engine.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from drivers import ADDRESS_BITS, Bus, FlatMemory, Port, Request, Response, Slave
from net_hw import Item, Layout, Sink, Source
from runs import seeds, some

pytestmark = pytest.mark.slow

PAYLOAD = Layout(early=1, index=10, begin_byte=16, length=16, offset=18)
FETCH = Layout(index=10, offset=18, length=16)
RINGS = Layout(rx_base=25, tx_base=25, rx_ring=3, tx_ring=3)
LEAST, SIZES = 2048, 8
FLAT = 1 << 28  # bytes that a FlatMemory knows

Latency = Callable[[], int]


@dataclass
class Ring:
    base: int
    size: int

    def at(self, offset: int) -> int:
        """Address of a byte of the stream."""
        return self.base + offset % self.size


@dataclass
class Job:
    """Bytes that go to, or come from, these addresses."""

    addresses: list[int]
    data: bytes
    early: bool = False  # of a placement: told by `early_placed`
    refused: set[int] = field(default_factory=set)  # lines
    requests: int = 0  # of all jobs before it and of it, when all are known


class Out:
    """`fetched` as a stream that `Sink` knows: the error is its `bad`."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.bits = dut, len(dut.fetched)

    def __len__(self) -> int:
        return self.bits + 2

    @property
    def value(self) -> int:
        dut, error = self.dut, int(self.dut.fetched_error.value)
        return error << self.bits + 1 | int(dut.fetched.value) << 1 | int(dut.fetched_valid.value)


class Bench:
    """tcp_rings between tcp_rx, tcp_tx and memory. `await run(until)` lets time pass; all is compared as it comes."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.count, self.in_flight = int(os.environ["CONNECTIONS"]), int(os.environ["IN_FLIGHT"])
        self.bus, self.apart = Bus(int(os.environ["WIDTH"])), os.environ["APART"] == "1"
        self.lanes = self.bus.mask
        self.ports = ("acb", "acb_read") if self.apart else ("acb",)
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.cycle = 0
        self.rx: list[Ring] = []
        self.tx: list[Ring] = []
        self.memories: dict[int, FlatMemory] = {}
        self.payload = Source(dut, "payload", PAYLOAD)
        out = SimpleNamespace(fetched=Out(dut), fetched_ready=dut.fetched_ready)
        self.fetched = Sink(out, "fetched", Layout(bad=1))
        self.placements: list[Job] = []
        self.fetches: list[Job] = []
        self.fetch_queue: deque[int] = deque()
        self.fetch_stall = 0.0
        self.fetch_taken: list[int] = []  # cycles
        self._fetching = False
        self.errors = 0.0  # how often memory refuses
        self.written: dict[int, int] = {}  # what must be in memory, and nothing else
        self.writes = self.reads = 0  # requests taken
        self._write_job = self._read_job = 0  # the one whose bytes are next
        self._write_at = self._read_at = 0  # the next of its addresses
        # Of each request under way, by port: whether it is a read.
        self.asked: dict[str, deque[bool]] = {port: deque() for port in self.ports}
        self.request_at: dict[bool, list[int]] = {False: [], True: []}  # first offered
        self.answer_at: dict[bool, list[int]] = {False: [], True: []}
        self._offered = dict.fromkeys(self.ports, False)
        self.placed: list[bool] = []
        self.worst = {False: 0, True: 0}  # the most that were under way

    async def start(self, latency: Latency = lambda: 1, *, stall: float = 0.0, sizes: int = SIZES) -> Bench:
        dut = self.dut
        for name in ("set_valid", "set_index", "set", "fetch_valid", "fetch", "guests"):
            getattr(dut, name).value = 0
        dut.acb_read_s2m.value = 0
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        await self.move(sizes)
        capacity = 2 * self.in_flight + 2
        self.slaves = [
            Slave(Port(dut, port, self.bus), lambda request, port=port: self.answer(port, request), self.rng, stall,
                  latency, capacity) for port in self.ports
        ]  # fmt: skip
        return self

    def memory_is(self, latency: Latency, stall: float = 0.0) -> None:
        for slave in self.slaves:
            slave.latency, slave.stall = latency, stall

    async def move(self, sizes: int = SIZES) -> None:
        """Each ring to another place, of another size; no two overlap."""
        dut, rng = self.dut, self.rng
        places = rng.sample(range(1 << ADDRESS_BITS - 18), 2 * self.count)
        codes = [rng.randrange(sizes) for _ in places]
        rings = []
        for place, code in zip(places, codes, strict=True):
            size = LEAST << code
            rings.append(Ring((place << 18) + size * rng.randrange((1 << 18) // size), size))
        self.rx, self.tx = rings[: self.count], rings[self.count :]
        self.memories.clear()
        self.written.clear()
        order = rng.sample(range(self.count), self.count)
        for index in order:
            rx, tx = self.rx[index], self.tx[index]
            dut.set_valid.value, dut.set_index.value = 1, index
            dut["set"].value = RINGS.pack(rx_base=rx.base >> 11, tx_base=tx.base >> 11,
                                          rx_ring=codes[index], tx_ring=codes[self.count + index])  # fmt: skip
            await RisingEdge(dut.clk)
        dut.set_valid.value = 0
        dut["set"].value = 0  # which is not set any more
        self.set_last = order[-1]

    # ---- What is to be done

    def place(self, index: int, offset: int, length: int) -> None:
        data = self.rng.randbytes(length)
        early = self.rng.random() < 0.5
        user = {"early": early, "index": index, "begin_byte": self.rng.getrandbits(16), "length": length,
                "offset": offset}  # fmt: skip
        self.payload.items.append(Item(data, user))
        ring = self.rx[index]
        self.placements.append(Job([ring.at(offset + i) for i in range(length)], data, early))

    def fetch(self, index: int, offset: int, length: int) -> None:
        ring = self.tx[index]
        addresses = [ring.at(offset + i) for i in range(length)]
        data = bytearray()
        for address in addresses:
            cells = self.memory(address).bytes
            if address % FLAT not in cells:
                cells[address % FLAT] = self.written[address] = self.rng.randrange(256)
            data.append(cells[address % FLAT])
        self.fetches.append(Job(addresses, bytes(data)))
        self.fetch_queue.append(FETCH.pack(index=index, offset=offset, length=length))

    def somewhere(self, rings: list[Ring], most: int) -> tuple[int, int, int]:
        """Index, offset and length, often over the ring's end; the offset may be beyond its size."""
        rng = self.rng
        index = rng.randrange(self.count)
        size = rings[index].size
        length = rng.choice((rng.randrange(1, 18), rng.randrange(1, most + 1)))
        near = rng.choice((0, size)) + rng.randrange(-length - self.lanes - 1, self.lanes + 2)
        offset = rng.choice((rng.randrange(size), near % size)) + size * rng.randrange((1 << 18) // size)
        return index, offset, length

    # ---- Memory

    def memory(self, address: int) -> FlatMemory:
        return self.memories.setdefault(address // FLAT, FlatMemory(FLAT, self.lanes))

    def answer(self, port: str, request: Request) -> Response:
        refuse = self.errors > 0 and self.rng.random() < self.errors
        assert not request.lock and request.address % self.lanes == 0
        assert not self.apart or request.read == (port == "acb_read")
        job = self._read(request) if request.read else self._write(request, refuse)
        self.asked[port].append(request.read)
        self.worst[request.read] = max(self.worst[request.read], self.asked[port].count(request.read))
        if refuse:
            job.refused.add(request.address)
            return Response(self.rng.getrandbits(self.bus.data), err=True)
        return self.memory(request.address).access(request)

    def _write(self, request: Request, refuse: bool) -> Job:
        job = self.placements[self._write_job]
        self.writes += 1
        assert request.mask, "a write of nothing"
        lanes = [i for i in range(self.lanes) if request.mask >> self.lanes - 1 - i & 1]
        assert lanes == list(range(lanes[0], lanes[-1] + 1)), "bytes of a placement are side by side"
        for i in lanes:
            assert job.addresses[self._write_at] == request.address + i, "not the next byte of the placement"
            value = request.data >> self.bus.data - 8 - 8 * i & 0xFF
            assert job.data[self._write_at] == value
            if not refuse:
                self.written[request.address + i] = value
            self._write_at += 1
            assert self._write_at < len(job.data) or i == lanes[-1], "bytes behind the placement"
        if self._write_at == len(job.data):
            job.requests = self.writes
            self._write_job, self._write_at = self._write_job + 1, 0
        else:
            assert lanes[-1] == self.lanes - 1, "a line in two writes"
        return job

    def _read(self, request: Request) -> Job:
        job = self.fetches[self._read_job]
        self.reads += 1
        line = request.address // self.lanes
        assert job.addresses[self._read_at] // self.lanes == line, "not the next line of the fetch"
        while self._read_at < len(job.addresses) and job.addresses[self._read_at] // self.lanes == line:
            self._read_at += 1
        if self._read_at == len(job.addresses):
            job.requests = self.reads
            self._read_job, self._read_at = self._read_job + 1, 0
        return job

    # ---- Time

    async def run(self, until: Callable[[], bool] | int, limit: int = 50_000) -> None:
        """Until it is true, or for that many cycles."""
        clock = RisingEdge(self.dut.clk)
        end = self.cycle + (until if isinstance(until, int) else limit)
        while (self.cycle < end) if isinstance(until, int) else not until():
            await clock
            self.cycle += 1
            assert self.cycle <= end, "it does not come to an end"
            for slave in self.slaves:
                if slave.task.done():
                    await slave.task  # raises what it died of
            self._step()

    def _step(self) -> None:
        dut = self.dut
        under_way = any(self.asked.values())
        answered = []
        for port in self.ports:
            m2s, s2m = int(getattr(dut, f"{port}_m2s").value), int(getattr(dut, f"{port}_s2m").value)
            assert m2s & 1, "an answer waits"
            if m2s & 2 and not self._offered[port]:
                self.request_at[bool(m2s >> self.bus.request & 1)].append(self.cycle)
            self._offered[port] = bool(m2s & 2) and not s2m >> self.bus.response + 1
            if s2m & 1:
                answered.append(port)
        if dut.placed.value or dut.early_placed.value:
            job = self.placements[len(self.placed)]
            assert bool(dut.early_placed.value) == job.early and bool(dut.placed.value) != job.early
            assert job.requests and self.answer_at[False][job.requests - 1] == self.cycle - 1, "placed, but not then"
            assert bool(dut.placed_error.value) == bool(job.refused)
            self.placed.append(bool(job.refused))
            under_way = True
        for port in answered:
            self.answer_at[self.asked[port].popleft()].append(self.cycle)
        assert not under_way or not dut.idle.value
        self.payload.step(self.cycle, self.rng)
        self.fetched.step(self.cycle, self.rng)
        if self._fetching and dut.fetch_ready.value:
            self.fetch_queue.popleft()
            self.fetch_taken.append(self.cycle)
            self._fetching = False
        if not self._fetching:
            self._fetching = bool(self.fetch_queue) and self.rng.random() >= self.fetch_stall
            dut.fetch_valid.value = int(self._fetching)
            dut.fetch.value = self.fetch_queue[0] if self._fetching else self.rng.getrandbits(FETCH.bits)

    def done(self) -> bool:
        return len(self.placed) == len(self.placements) and len(self.fetched.items) == len(self.fetches)

    async def drain(self) -> None:
        """To the end, where all is in memory, all has come, nothing else has changed, and nothing follows."""
        await self.run(self.done)
        await self.run(2)
        assert self.dut.idle.value
        await self.run(20)
        assert self.dut.idle.value and not any(self.asked.values()) and self.done()
        for got, job in zip(self.fetched.items, self.fetches, strict=True):
            assert got.bad == bool(job.refused)
            assert len(got.data) == len(job.data)
            for value, right, address in zip(got.data, job.data, job.addresses, strict=True):
                assert value == right or address & -self.lanes in job.refused
        held = {number * FLAT + at: value for number, one in self.memories.items() for at, value in one.bytes.items()}
        assert {at: value for at, value in held.items() if at in self.written or value} == self.written
        assert max(self.worst.values()) <= self.in_flight


async def bench(dut: Any, latency: Latency = lambda: 1, **rest: Any) -> Bench:
    return await Bench(dut).start(latency, **rest)


def slow(rng: random.Random, most: int) -> Latency:
    """Answers that come together and alone, up to so many cycles later."""
    return lambda: rng.choice((1, 1, rng.randrange(1, most + 1)))


# ---- Bytes -----------------------------------------------------------------------------------------------------------


@cocotb.test()
async def any_bytes_go_where_they_belong_and_come_from_there(dut: Any) -> None:
    """Both ways at once, many connections, any stalls; the rings move in between."""
    rings = await bench(dut)
    rng = rings.rng
    for _ in range(int(os.environ["ROUNDS"])):
        stall = rng.choice((0.0, 0.0, 0.3, 0.9))
        rings.memory_is(slow(rng, rng.choice((1, 4, 60))), stall)
        rings.payload.stall, rings.fetch_stall, rings.fetched.stall = (rng.choice((0, 0, 0.3, 0.9)) for _ in range(3))
        rings.errors = rng.choice((0.0, 0.0, 0.02, 0.5))
        for _ in range(12):
            rings.place(*rings.somewhere(rings.rx, 300 if rings.lanes == 8 else 8 * rings.lanes))
            rings.fetch(*rings.somewhere(rings.tx, 300 if rings.lanes == 8 else 8 * rings.lanes))
        await rings.drain()
        if rng.random() < 0.3 and rings.count <= 64:
            await rings.move()
            rings.errors = 0.0
            rings.place(*rings.somewhere(rings.rx, 30))
            rings.fetch(*rings.somewhere(rings.tx, 30))


@cocotb.test()
async def every_alignment_and_length_inside_and_over_the_end(dut: Any) -> None:
    rings = await bench(dut)
    rng, step = rings.rng, int(os.environ["STEP"])
    lanes, most = rings.lanes, 4 * rings.lanes + 2 if rings.lanes < 32 else 2 * rings.lanes + 2
    cases = [(lane, length, end) for lane in range(lanes) for length in range(1, most) for end in (False, True)]
    rng.shuffle(cases)
    for lane, length, end in cases[::step]:
        for rx in (False, True):
            index = rng.randrange(rings.count)
            size = (rings.rx if rx else rings.tx)[index].size
            line = lanes * rng.randrange(2000 // lanes)
            if end:
                line = size - lanes * rng.randrange(1, max(2, (lane + length) // lanes + 1))
            (rings.place if rx else rings.fetch)(index, line + lane, length)
    await rings.drain()


@cocotb.test()
async def rings_of_each_size_are_filled_round_their_end(dut: Any) -> None:
    """As many bytes as the ring has, and one more than that of a fetch."""
    rings = await bench(dut, sizes=1)
    for lane in range(0, rings.lanes, rings.lanes // 8):
        size = rings.rx[0].size
        rings.place(0, size - rings.lanes + lane, size)
        rings.fetch(1, size - 3 * lane, size + lane)
    await rings.drain()


@cocotb.test()
async def what_memory_refuses_is_told_with_the_one_it_belongs_to(dut: Any) -> None:
    """One line in five, between others that are not to blame."""
    rings = await bench(dut)
    rings.errors = 0.2
    lanes = rings.lanes
    for length in (1, lanes - 1, lanes, lanes + 1, 4 * lanes - 2):
        for lane in range(0, lanes, lanes // 8):
            for _ in range(4):
                rings.place(0, lane, length)
                rings.fetch(0, lane, length)
    await rings.drain()
    assert 0 < sum(rings.placed) < len(rings.placed)
    assert 0 < sum(got.bad for got in rings.fetched.items) < len(rings.fetches)


@cocotb.test()
async def neither_waits_for_the_other(dut: Any) -> None:
    """Nobody takes what was fetched, and placements go on; nobody places, and fetches go on."""
    rings = await bench(dut, lambda: 5)
    rings.fetched.stall = 1.0
    size = 100 * rings.lanes if rings.lanes < 32 else 2048
    for _ in range(20):
        rings.fetch(0, 0, size)
        rings.place(0, 3, size)
    await rings.run(lambda: len(rings.placed) == 20)
    await rings.run(200)
    assert not any(rings.asked.values()) and len(rings.fetched.items) == 0, "no more is read than there is room for"
    assert rings.reads <= rings.in_flight + 3
    rings.fetched.stall = 0.0
    rings.payload.stall = 1.0
    rings.place(0, 3, size)
    await rings.run(lambda: len(rings.fetched.items) == 20)
    rings.payload.stall = 0.0
    await rings.drain()


@cocotb.test()
async def a_set_counts_from_the_next_cycle_on(dut: Any) -> None:
    rings = await bench(dut)
    for _ in range(20):
        await rings.move()
        rings.place(rings.set_last, rings.rng.randrange(LEAST), 5)
        rings.fetch(rings.set_last, rings.rng.randrange(LEAST), 5)
        rings.cycle += 1
        rings._step()  # what is offered is there in the cycle behind the last set
        await rings.drain()


# ---- Time ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def latencies_are_those_of_the_header(dut: Any) -> None:
    rings = await bench(dut, lambda: 4)
    lanes = rings.lanes
    for lane in range(lanes):
        for length in range(1, 20) if lanes == 8 else (1, lanes - lane, lanes, lanes + 1, 2 * lanes - lane + 1):
            requests = {read: len(times) for read, times in rings.request_at.items()}
            rings.place(0, lane, length)
            await rings.drain()  # which sees when `placed` comes
            assert rings.request_at[False][requests[False]] == rings.payload.begun[-1] + 3
            lines = -(-(lane + length) // lanes)
            assert rings.writes == requests[False] + lines
            rings.fetch(0, lane, length)
            await rings.drain()
            assert rings.request_at[True][requests[True]] == rings.fetch_taken[-1] + 3
            assert rings.reads == requests[True] + lines
            alone = -(-length // lanes) == lines  # the last beat has no bytes but of the last line
            assert rings.fetched.items[-1].last == rings.answer_at[True][-1] + 2 + alone


async def pace(rings: Bench, cycles: int, size: int, *, rx: bool, tx: bool) -> tuple[float, float]:
    """Bytes a cycle each way while there is always more to do."""
    rings.placements.clear(), rings.fetches.clear(), rings.placed.clear(), rings.fetched.items.clear()
    rings._write_job = rings._read_job = 0
    lanes = rings.lanes
    for _ in range((cycles + 200) * lanes // size + 4):
        if rx:
            rings.place(0, lanes * rings.rng.randrange(1600 // lanes), size)
        if tx:
            rings.fetch(0, lanes * rings.rng.randrange(1600 // lanes), size)
    await rings.run(200)
    before = (rings.writes, rings.fetched.beats)
    await rings.run(cycles)
    after = (rings.writes, rings.fetched.beats)
    await rings.run(rings.done)
    return (after[0] - before[0]) * lanes / cycles, (after[1] - before[1]) * lanes / cycles


@cocotb.test()
async def each_way_has_its_share(dut: Any) -> None:
    """1440 bytes at a time, or some less: 180 dwords, and 2 cycles more when they are placed."""
    rings = await bench(dut)
    lanes = rings.lanes
    lines = 1440 // lanes
    for latency in (1, 20, 60):
        rings.memory_is(lambda latency=latency: latency)
        alone_rx, _ = await pace(rings, 1500, lines * lanes, rx=True, tx=False)
        _, alone_tx = await pace(rings, 1500, lines * lanes, rx=False, tx=True)
        both = await pace(rings, 1500, lines * lanes, rx=True, tx=True)
        figures = f"alone {alone_rx:.2f}, {alone_tx:.2f}, both {both[0]:.2f}, {both[1]:.2f} bytes a cycle"
        dut._log.info(f"latency {latency}: {figures}")
        full = min(1.0, rings.in_flight / (latency + 3)) * lanes
        share = full if rings.apart else min(full, lanes / 2)
        assert alone_rx > 0.97 * full * lines / (lines + 2) and alone_tx > 0.97 * full
        assert min(both) > 0.97 * share * lines / (lines + 2) and max(both) < share * 1.03
    rings.memory_is(lambda: 60)
    small = await pace(rings, 1500, lanes, rx=True, tx=True)
    dut._log.info(f"latency 60, a line each: {small[0] / lanes:.3f}, {small[1] / lanes:.3f} a cycle")
    assert min(small) > lanes / 4


# ---- pytest ----------------------------------------------------------------------------------------------------------


def run(
    case: str, *, connections: int = 8, in_flight: int = 32, width: int = 64, apart: int = 0, seed: int = 1, **env: int
) -> None:
    parameters = {"CONNECTIONS": connections, "IN_FLIGHT": in_flight, "WIDTH": width, "APART": apart}
    extra = {name: str(value) for name, value in {**parameters, **env}.items()}
    run_bench("tcp_rings", parameters, testcase=case, seed=seed, extra_env=extra)


@pytest.mark.slow
@pytest.mark.parametrize("every", some([3], [1]))
def test_every_alignment_is_right(every: int) -> None:
    run("every_alignment_and_length_inside_and_over_the_end", STEP=every)
    run("rings_of_each_size_are_filled_round_their_end")


def test_what_memory_refuses_is_told() -> None:
    run("what_memory_refuses_is_told_with_the_one_it_belongs_to")


@pytest.mark.slow
def test_placements_and_fetches_do_not_wait_for_each_other() -> None:
    run("neither_waits_for_the_other")


def test_rings_move() -> None:
    run("a_set_counts_from_the_next_cycle_on")


@pytest.mark.slow
def test_rings_are_as_fast_as_they_say() -> None:
    run("latencies_are_those_of_the_header")
    run("each_way_has_its_share")


@pytest.mark.parametrize("connections,in_flight", some([(8, 32), (8, 2)], [(6, 4), (64, 16)]))
@pytest.mark.parametrize("seed", seeds(1, 6))
def test_bytes_go_where_they_belong_under_any_stall(connections: int, in_flight: int, seed: int) -> None:
    case = "any_bytes_go_where_they_belong_and_come_from_there"
    run(case, connections=connections, in_flight=in_flight, seed=seed, ROUNDS=40)


@pytest.mark.slow
def test_1024_connections_have_rings_of_their_own() -> None:
    run("any_bytes_go_where_they_belong_and_come_from_there", connections=1024, ROUNDS=20)


# ---- Wider lines: of a memory beside the engine, which has a way each for writes and reads ---------------------------

WIDE = some([128, 512], [256])


def test_bytes_of_512_bit_lines_go_where_they_belong() -> None:
    run("any_bytes_go_where_they_belong_and_come_from_there", width=512, apart=1, seed=3, ROUNDS=10)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
@pytest.mark.parametrize("apart", [0, 1])
def test_bytes_of_wide_lines_go_where_they_belong_under_any_stall(width: int, apart: int) -> None:
    for in_flight, seed in ((32, 4), (4, 5)):
        run("any_bytes_go_where_they_belong_and_come_from_there", width=width, apart=apart, in_flight=in_flight,
            seed=seed, ROUNDS=40)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
def test_every_alignment_in_wide_lines_is_right(width: int) -> None:
    run("every_alignment_and_length_inside_and_over_the_end", width=width, apart=1, STEP=3 if width < 512 else 11)
    run("rings_of_each_size_are_filled_round_their_end", width=width, apart=1)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
def test_wide_lines_that_memory_refuses_are_told(width: int) -> None:
    run("what_memory_refuses_is_told_with_the_one_it_belongs_to", width=width, apart=1)
    run("a_set_counts_from_the_next_cycle_on", width=width, apart=1)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
def test_rings_of_wide_lines_are_as_fast_as_they_say(width: int) -> None:
    run("neither_waits_for_the_other", width=width, apart=1)
    run("latencies_are_those_of_the_header", width=width, apart=1)
    run("each_way_has_its_share", width=width, apart=1)
