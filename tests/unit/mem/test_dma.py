# SPDX-License-Identifier: Apache-2.0
"""dma moves the bytes that it was told to and no others, sums them as zlib and RFC 1071 do, gives one result for each
command, and goes on after errors."""

import zlib
from collections import defaultdict
from dataclasses import dataclass

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import ACB, AFB, Master, Port, Request, Response, Slave, only_these_offsets_exist, start, within

from nsoc.machine import regs

pytestmark = pytest.mark.slow

BLOCK = regs.BLOCKS["dma"]
OFFSET = {name: register.offset for name, register in BLOCK.registers.items()}
FIELD = {
    f"{name}.{field.name}": (field.lsb, (1 << field.width) - 1)
    for name, register in BLOCK.registers.items()
    for field in register.fields
}
CRC, SUM, NO_WRITE, IRQ = (1 << FIELD[f"command.{name}"][0] for name in ("crc", "sum", "no_write", "irq"))
DEPTH = 16
FROM, TO = 0x4000_0000, 0x5000_0000


def field(name: str, value: int) -> int:
    lsb, mask = FIELD[name]
    return value >> lsb & mask


def internet_sum(data: bytes) -> int:
    total = sum(data[0::2]) * 256 + sum(data[1::2])
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@dataclass(frozen=True)
class Result:
    failed: bool = False
    write: bool = False
    crc: int = 0
    sum: int = 0


@dataclass(frozen=True)
class Copy:
    source: int
    destination: int
    count: int
    flags: int = 0


class Bench:
    """The block, memory at both of its ports, and what each copy must come to."""

    def __init__(self, dut, rng, stall=0.0, latency=lambda: 1) -> None:
        self.dut, self.rng = dut, rng
        self.memory: defaultdict[int, int] = defaultdict(int)  # by byte address
        self.bad: set[int] = set()  # dwords that answer with an error
        self.bus = Master(Port(dut, "afb", AFB), rng)
        self.reads = Slave(Port(dut, "read", ACB), self.answer_read, rng, stall, latency)
        self.writes = Slave(Port(dut, "write", ACB), self.answer_write, rng, stall, latency)

    def answer_read(self, request: Request) -> Response:
        assert request.read and not request.lock and request.address % 8 == 0
        if request.address in self.bad:
            return Response(0xDEAD_BEEF_DEAD_BEEF, err=True)
        return Response(int.from_bytes(bytes(self.memory[request.address + i] for i in range(8)), "big"))

    def answer_write(self, request: Request) -> Response:
        assert not request.read and not request.lock and request.address % 8 == 0 and request.mask
        if request.address in self.bad:
            return Response(0, err=True)
        for i, byte in enumerate(request.data.to_bytes(8, "big")):
            if request.mask & 0x80 >> i:
                self.memory[request.address + i] = byte
        return Response(0)

    def fill(self, address: int, count: int) -> None:
        for i in range(count):
            self.memory[address + i] = self.rng.getrandbits(8)

    def bytes_at(self, address: int, count: int) -> bytes:
        return bytes(self.memory[address + i] for i in range(count))

    async def set(self, name: str, value: int) -> None:
        assert await self.bus.call(Request(OFFSET[name], False, 0xF, value)) == Response(0)

    async def get(self, name: str) -> int:
        response = await self.bus.call(Request(OFFSET[name], True, 0xF))
        assert not response.err
        return response.data

    async def start(self, copy: Copy) -> None:
        values = {"source": copy.source, "destination": copy.destination, "command": copy.flags | copy.count}
        self.bus.send([Request(OFFSET[name], False, 0xF, value) for name, value in values.items()])
        assert all(response == Response(0) for response in await self.bus.all_done())

    async def poll(self) -> Result | None:
        value = await self.get("result")
        if not field("result.valid", value):
            assert value == 0
            return None
        crc = await self.get("result_crc")
        assert field("result.with_crc", value) or crc == 0
        return Result(
            bool(field("result.failed", value)), bool(field("result.write", value)), crc, field("result.sum", value)
        )

    async def take(self) -> Result:
        while (result := await self.poll()) is None:
            pass
        return result

    def expected(self, copy: Copy, model: dict[int, int]) -> Result:
        """What it comes to, done on `model`, memory as it is before."""
        data = bytes(model.get(copy.source + i, 0) for i in range(copy.count))
        if not copy.flags & NO_WRITE:
            model.update({copy.destination + i: byte for i, byte in enumerate(data)})
        return Result(
            crc=zlib.crc32(data) if copy.flags & CRC else 0, sum=internet_sum(data) if copy.flags & SUM else 0
        )

    async def run(self, copies: list[Copy]) -> None:
        """All of them, as many at once as there is room for; results and all of memory are as they must be."""
        model = dict(self.memory)
        expected, taken = [self.expected(copy, model) for copy in copies], 0
        for i, copy in enumerate(copies):
            if i - taken == DEPTH:
                assert await within(self.dut, 20000, self.take()) == expected[taken], copies[taken]
                taken += 1
            await self.start(copy)
        for i in range(taken, len(copies)):
            assert await within(self.dut, 20000, self.take()) == expected[i], copies[i]
        assert await self.poll() is None
        assert await self.get("status") == 0
        differ = {a for a in {*self.memory, *model} if self.memory.get(a, 0) != model.get(a, 0)}
        assert not differ, f"wrong at {sorted(map(hex, differ))[:10]}"


@cocotb.test()
async def every_alignment_and_short_length(dut) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng)
    bench.fill(FROM, 64)
    for shift in range(8):
        copies = []
        for source in range(8):
            for count in range(20):
                flags = (0, CRC, SUM, CRC | SUM, CRC | SUM, CRC | SUM | NO_WRITE)[(source + shift + count) % 6]
                copies.append(Copy(FROM + source, TO + 64 * source + (source + shift) % 8, count, flags))
        await bench.run(copies)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.4], longest=[1, 3, 25])
async def random_copies_with_random_memories(dut, stall, longest) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng, stall, lambda: rng.randint(1, longest))
    bench.fill(FROM, 2200)
    bench.fill(TO, 2200)
    copies = []
    for _ in range(40):
        begin, end = rng.choice(((FROM, TO), (TO, FROM)))
        length = rng.choice((rng.randrange(40), rng.randrange(300), 1480, rng.randrange(2000)))
        flags = sum(flag for flag in (CRC, SUM, IRQ) if rng.random() < 0.7)
        flags |= NO_WRITE if rng.random() < 0.2 else 0
        copies.append(Copy(begin + rng.randrange(100), end + rng.randrange(100), length, flags))
    await bench.run(copies)


@cocotb.test()
async def sums_whose_carries_matter(dut) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng)
    for value in (0x00, 0xFF):
        for i in range(4200):
            bench.memory[FROM + i] = value
        await bench.run([Copy(FROM + i % 8, TO, 4000 + i, CRC | SUM | NO_WRITE) for i in range(8)])


@cocotb.test()
async def a_destination_below_the_source_may_overlap_it(dut) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng, 0.2, lambda: rng.randint(1, 20))
    for distance in (1, 3, 7, 8, 9, 16, 100):
        for source in range(3):
            bench.fill(FROM, 1000)
            await bench.run([Copy(FROM + distance + source, FROM + source, 700, CRC)])


@cocotb.test()
@cocotb.parametrize(source=[0, 3], latency=[1, 12])
async def a_dword_is_read_and_one_written_in_each_cycle(dut, source, latency) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng, latency=lambda: latency)
    bench.fill(FROM, 1600)
    await bench.run([Copy(FROM + source, TO, 1480, CRC | SUM)])
    for slave in (bench.reads, bench.writes):
        assert len(slave.seen_at) == (1480 + (source if slave is bench.reads else 0) + 7) // 8
        assert slave.seen_at[-1] - slave.seen_at[0] == len(slave.seen_at) - 1, "a cycle was lost"
    assert bench.writes.seen_at[0] - bench.reads.seen_at[0] <= latency + 4


@cocotb.test()
@cocotb.parametrize(kind=["read", "write"], stall=[0.0, 0.3])
async def an_error_ends_the_copy_and_the_next_one_is_done(dut, kind, stall) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng, stall, lambda: rng.randint(1, 9))
    bench.fill(FROM, 600)
    for _ in range(40):
        source, destination, count = FROM + rng.randrange(20), TO + rng.randrange(20), rng.randrange(1, 300)
        at = rng.randrange(count)
        bench.bad = {((source if kind == "read" else destination) + at) & ~7}
        before = {address: bench.memory[address] for address in range(TO - 50, TO + 400)}
        await bench.start(Copy(source, destination, count, CRC | SUM | IRQ))
        good = Copy(FROM + 400, TO + 1000, rng.randrange(1, 80), CRC | SUM)
        await bench.start(good)
        assert await within(dut, 5000, bench.take()) == Result(failed=True, write=kind == "write")
        data = bench.bytes_at(good.source, good.count)
        bench.bad = set()
        result = await within(dut, 5000, bench.take())
        assert result == Result(crc=zlib.crc32(data), sum=internet_sum(data))
        assert bench.bytes_at(good.destination, good.count) == data
        # What lies before the error is there; bytes that come from a dword that was not read are not.
        from_bad = destination + max((source + at & ~7) - source, 0) if kind == "read" else destination + count
        for address, old in before.items():
            new = bench.memory[address]
            if destination <= address < destination + count:
                assert new == old if address >= from_bad else new in (old, bench.memory[source + address - destination])
            else:
                assert new == old, hex(address)
        if kind == "write":
            for i in range(max((destination + at & ~7) - destination, 0)):
                assert bench.memory[destination + i] == bench.memory[source + i], "before the error"
    assert await bench.get("status") == 0


@cocotb.test()
async def a_command_without_room_is_refused_and_no_result_is_lost(dut) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng)
    bench.fill(FROM, 64)
    refused = 1 << FIELD["status.refused"][0]
    for round in range(3):
        for i in range(DEPTH):
            await bench.start(Copy(FROM, TO, 20 + i + round, CRC | NO_WRITE))
        assert not await bench.get("status") & refused
        await bench.start(Copy(FROM, TO, 40, CRC))
        status = await bench.get("status")
        assert status & refused
        assert field("status.commands", status) + field("status.results", status) == DEPTH
        await ClockCycles(dut.clk, 600)
        assert field("status.results", await bench.get("status")) == DEPTH
        await bench.start(Copy(FROM, TO, 41, CRC))
        assert not bench.writes.seen, "what was refused is not done"
        await bench.set("status", 0)
        assert await bench.get("status") & refused
        await bench.set("status", refused)
        assert not await bench.get("status") & refused
        for i in range(DEPTH):
            assert await bench.poll() == Result(crc=zlib.crc32(bench.bytes_at(FROM, 20 + i + round)))
            assert field("status.results", await bench.get("status")) == DEPTH - 1 - i
        assert await bench.poll() is None


@cocotb.test()
async def the_interrupt_is_high_while_a_result_waits_that_wants_it(dut) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng)
    wants = [rng.random() < 0.4 for _ in range(DEPTH)]
    assert not dut.irq.value
    for want in wants:
        await bench.start(Copy(FROM, TO, 8, IRQ if want else 0))
    await ClockCycles(dut.clk, 200)
    for i in range(DEPTH):
        assert dut.irq.value == any(wants[i:])
        assert await bench.poll() == Result()
        await ClockCycles(dut.clk, 2)
    assert not dut.irq.value


@cocotb.test()
async def a_result_comes_behind_the_answers_to_all_writes(dut) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng)
    bench.writes.latency = lambda: 60
    bench.fill(FROM, 64)
    await bench.start(Copy(FROM + 3, TO + 5, 30))
    while not bench.writes.seen:
        await ClockCycles(dut.clk, 1)
    begin = bench.writes.cycle
    await bench.take()
    assert bench.writes.cycle - begin >= 60


@cocotb.test()
async def registers_are_those_of_the_map_and_keep_their_values(dut) -> None:
    rng = await start(dut)
    bench = Bench(dut, rng)
    await only_these_offsets_exist(dut, bench.bus, set(OFFSET.values()))
    for name in ("source", "destination"):
        value = 0
        for _ in range(10):
            word, mask = rng.getrandbits(32), rng.getrandbits(4)
            await bench.bus.call(Request(OFFSET[name], False, mask, word))
            lanes = sum(0xFF << 8 * i for i in range(4) if mask >> i & 1)
            value = value & ~lanes | word & lanes
            assert await bench.get(name) == value


def test_dma() -> None:
    run_bench("dma")
