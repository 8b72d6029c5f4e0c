# SPDX-License-Identifier: Apache-2.0
"""l2_cache: no byte is lost or old, whatever is evicted; counters and evictions are those of a cache in software."""

import random
from pathlib import Path

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import ACB, FlatMemory, Master, Port, Request, Response, Slave, read, start, within, write
from runs import some

pytestmark = pytest.mark.slow

LINE = 64
BASE = 0x4000_0000
MEMORY = 8192  # bytes; behind them everything is answered err = 1
BAD = MEMORY - 24  # a dword that cannot be read


class Memory(FlatMemory):
    def access(self, request: Request) -> Response:
        if request.read and request.address & 0x0FFF_FFF8 == BAD:
            return Response(0, err=True)
        return super().access(request)


class Software:
    """The cache as its header describes it, and the memory that its masters see."""

    def __init__(self, sets: int, ways: int) -> None:
        self.sets, self.ways = sets, ways
        self.lines: list[list[int | None]] = [[None] * ways for _ in range(sets)]  # by way
        self.turn = [0] * sets
        self.dirty: set[int] = set()
        self.memory = Memory(MEMORY)
        self.hits = self.misses = self.write_backs = 0
        self.evicted: list[int] = []  # halves of lines, in order

    def access(self, request: Request) -> Response:
        if not request.read and not request.mask:
            return Response(0)
        line = request.address // LINE
        ways, at = self.lines[line % self.sets], line % self.sets
        fails = line == (BASE + BAD) // LINE  # it never becomes valid, so nothing can be written
        response = Response(0, err=True) if fails and not request.read else self.memory.access(request)
        if line in ways:
            self.hits += 1
        else:
            self.misses += 1
            way = ways.index(None) if None in ways else self.turn[at]
            victim = ways[way]
            if victim is not None:
                self.evicted += [2 * victim, 2 * victim + 1]
                if victim in self.dirty:
                    self.write_backs += 1
                    self.dirty.remove(victim)
            self.turn[at] = (way + 1) % self.ways
            ways[way] = None if response.err or fails else line
        if not request.read and not response.err:
            self.dirty.add(line)
        return response

    def holds(self, half: int) -> bool:
        return any(half // 2 == line for ways in self.lines for line in ways)


def draw(rng: random.Random, count: int, lines: int) -> list[Request]:
    """Reads and writes of any bytes, runs within a line as the NIC makes them, and locked pairs."""
    requests: list[Request] = []
    while len(requests) < count:
        line = BASE + LINE * rng.randrange(lines)
        if rng.random() < 0.02:
            line = BASE + MEMORY + LINE * rng.randrange(4)
        dword = line + 8 * rng.randrange(8) + rng.randrange(8)
        match rng.randrange(8):
            case 0 | 1:
                requests.append(read(dword))
            case 2 | 3:
                requests.append(write(dword, rng.getrandbits(64), rng.getrandbits(8)))
            case 4:  # the whole line or its beginning
                requests += [write(line + 8 * i, rng.getrandbits(64)) for i in range(rng.choice([3, 8]))]
            case 5:
                first = rng.randrange(8)  # as the L1 cache fills its own line
                requests += [read(line + 32 * (first // 4) + (8 * (first + i) & 24)) for i in range(4)]
            case 6:
                requests.append(read(dword, lock=True))
                requests.append(write(dword, rng.getrandbits(64), rng.choice([0, 0x0F, 0xF0])))
            case _:
                requests += [read(line + 8 * i) for i in range(8)]
    return requests


class Watch:
    """What gets its order goes through the software; what the data cache is told must be what the software says."""

    def __init__(self, dut, software: Software) -> None:
        self.dut, self.software = dut, software
        self.cores = int(dut.CORES.value)
        self.expected: list[list[Response]] = [[] for _ in range(self.cores + 1)]
        self.told: list[int] = []
        self.in_l1: list[set[int]] = [set() for _ in range(self.cores)]  # what each read and was not told to drop
        self.task = cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            shown, line = int(dut.snoop_valid.value), int(dut.snoop_address.value)
            for core, lines in enumerate(self.in_l1):
                if shown >> core & 1:
                    lines.discard(line)
            if shown and int(dut.snoop_eviction.value):
                assert shown == (1 << self.cores) - 1, "what goes, goes for all"
                self.told.append(line)
            if int(dut.order_valid.value):
                request = Request.unpack(int(dut.order.value), ACB)
                master = int(dut.order_master.value).bit_length() - 1
                assert int(dut.order_master.value) == 1 << master
                response = self.software.access(request)
                self.expected[master].append(response)
                if request.read:
                    if master < self.cores and self.software.holds(request.address // 32):
                        self.in_l1[master].add(request.address // 32)
                elif request.mask:  # without a byte it only lets go of a lock
                    others = sum(1 << core for core in range(self.cores) if core != master)
                    if others:
                        assert shown == others and not int(dut.snoop_eviction.value)
                        assert line == request.address // 32
                else:
                    assert not shown or int(dut.snoop_eviction.value)


@cocotb.test()
@cocotb.parametrize(shape=[(0.0, 0.0, 0.0, 1), (0.3, 0.3, 0.3, 6), (0.0, 0.0, 0.0, 24), (0.1, 0.5, 0.6, 12)])
async def all_masters_see_one_memory(dut, shape) -> None:
    stall, rsp_stall, slave_stall, latency = shape
    rng = await start(dut)
    size, ways = int(dut.BYTES.value), int(dut.WAYS.value)
    software = Software(size // LINE // ways, ways)
    memory = Memory(MEMORY)
    for i in range(MEMORY):
        memory.bytes[i] = software.memory.bytes[i] = rng.getrandbits(8)
    Slave(Port(dut, "mem", ACB), memory.access, rng, slave_stall, lambda: rng.randint(max(1, latency // 2), latency))
    watch = Watch(dut, software)
    masters = [Master(Port(dut, "in", ACB, i), rng, stall, rsp_stall) for i in range(watch.cores + 1)]
    for _ in range(3):
        watch.expected = [[] for _ in masters]
        for master in masters:
            # sometimes mostly hits, sometimes hardly any
            master.send([*draw(rng, 500, rng.choice([size // LINE, 3 * size // LINE, MEMORY // LINE])), read(BASE)])
        for i, master in enumerate(masters):
            assert await within(dut, 400_000, master.all_done()) == watch.expected[i]
        await ClockCycles(dut.clk, 300)  # the last line comes, the last victim leaves
        counters = int(dut.hits.value), int(dut.misses.value), int(dut.write_backs.value)
        assert counters == (software.hits, software.misses, software.write_backs)
        assert watch.told == software.evicted
        assert all(software.holds(half) for lines in watch.in_l1 for half in lines), (
            "the L1 cache may hold a line that is not here"
        )
        for line in range(MEMORY // LINE):  # what is not dirty here is right in memory
            if BASE // LINE + line not in software.dirty:
                at = slice(line * LINE, line * LINE + LINE)
                assert [memory.bytes[i] for i in range(at.start, at.stop)] == [
                    software.memory.bytes[i] for i in range(at.start, at.stop)
                ], f"line {line}"
    assert software.write_backs > 100 and software.hits > 250


@cocotb.test()
async def hits_and_misses_take_the_cycles_that_the_header_says(dut) -> None:
    rng = await start(dut)
    memory = FlatMemory(MEMORY)
    slave = Slave(Port(dut, "mem", ACB), memory.access, rng, 0.0, lambda: 10)
    cpu = Master(Port(dut, "in", ACB, 0), rng)
    for i in range(int(dut.CORES.value)):
        Master(Port(dut, "in", ACB, i + 1), rng)  # silent
    await within(dut, 2000, cpu.call(read(BASE + 0x20)))
    assert [r.address for r in slave.seen] == [BASE + 8 * i for i in (4, 5, 6, 7, 0, 1, 2, 3)], "the wanted dword first"
    assert [b - a for a, b in zip(slave.seen_at, slave.seen_at[1:], strict=False)] == [1] * 7, "one burst"
    await ClockCycles(dut.clk, 40)
    # The arbiter takes one cycle on the way in and one on the way out.
    cpu.sent_at, cpu.done_at = [], []
    cpu.send([read(BASE + 8 * (i % 8)) if i % 3 else write(BASE + 8 * (i % 8), i) for i in range(64)])
    await within(dut, 200, cpu.all_done())
    assert [done - sent for sent, done in zip(cpu.sent_at, cpu.done_at, strict=True)] == [4] * 64
    assert cpu.done_at[-1] - cpu.done_at[0] == 63, "a hit a cycle"
    slave.seen_at, cpu.sent_at, cpu.done_at = [], [], []
    await within(dut, 200, cpu.call(read(BASE + 0x408)))
    # Request: arbiter 1, D 1, request register 1 and 1 until it is taken; memory 10; response 1, arbiter 1.
    assert cpu.done_at[0] - cpu.sent_at[0] == 10 + 6


@pytest.mark.parametrize(
    ("size", "ways", "cores", "seed"),
    some(
        [(1024, 4, 2, 5)],
        [(1024, 4, 1, 1), (512, 2, 1, 3), (1024, 4, 1, 2), (2048, 4, 1, 4), (1024, 4, 3, 6)],
    ),
)
def test_l2_cache(size: int, ways: int, cores: int, seed: int) -> None:
    tb = Path(__file__).with_name("l2_tb.sv")
    run_bench("l2_tb", {"BYTES": size, "WAYS": ways, "CORES": cores}, seed=seed, extra_sources=(tb,))
