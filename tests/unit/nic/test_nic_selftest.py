# SPDX-License-Identifier: Apache-2.0
"""nic_selftest alone, in front of models of the register file and of memory that can be broken in many ways.

What is not broken passes; whatever is broken must be found, with the place where it is.
"""

import os
import random
from collections.abc import Callable

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from drivers import ACB, AFB, FlatMemory, Master, Port, Request, Response, Slave
from runs import some

pytestmark = pytest.mark.slow

CONTROL, STATUS, BASE, BYTES, EXPECTED, GOT, CYCLES, ADDRESS = range(80, 88)
DEBUG1, PUSH_FAILED, IRQ_STATUS, NIC_STATUS, FREE_COUNTER, LOCK, FREE, PLACES = 2, 32, 34, 212, 255, 26, 8, 64
REGISTERS, QUEUES, SEQUENCE, MEMORY = 1, 2, 3, 4
BUSY, DONE, FAILED, REFUSED, GOT_ERR = 1, 2, 4, 8, 16
MEMORY_BYTES = 0x1_0000
MEMORY_BASE = 0x5000_0000
THOROUGH = bool(os.environ.get("THOROUGH"))  # the long run: more memory, both values of a stuck bit in each queue


class Registers:
    """What the register file and the queues behind it do, and how they may be broken."""

    def __init__(self, depth: int = PLACES) -> None:
        self.depth = depth
        self.places = [[0] * PLACES for _ in range(9)]
        self.pushed, self.popped = [0] * 9, [0] * 9
        self.debug1 = self.push_failed = self.irq_status = 0
        self.locked = False
        # Faults: what a place of a queue makes of a pointer; which queue an index means; the same for register bits.
        self.stored: Callable[[int, int, int], int] = lambda queue, place, pointer: pointer
        self.selected: Callable[[int], int] = lambda queue: queue
        self.scratch: Callable[[int], int] = lambda value: value
        self.answered: Callable[[Request, Response], Response] = lambda request, response: response

    def occupancy(self, queue: int) -> int:
        return self.pushed[queue] - self.popped[queue]

    def left_over(self) -> int:
        return sum(self.occupancy(queue) for queue in range(9))

    def answer(self, request: Request) -> Response:
        assert request.mask == 0xF and not request.lock
        register, read, data = request.address >> 2, request.read, request.data
        return self.answered(request, self._access(register, read, data))

    def _access(self, register: int, read: bool, data: int) -> Response:
        if 8 <= register < 26:
            queue = self.selected((register - 8) // 2)
            if register & 1:
                return Response(self.occupancy(queue)) if read else Response(err=True)
            return Response(self._pop(queue) if read else self._push(queue, data))
        if register == LOCK:
            if read:
                granted, self.locked = not self.locked, True
                return Response(int(granted))
            held, self.locked = self.locked, False
            self.push_failed |= (not held) << 9
            return Response(0 if held else 2)
        if register == DEBUG1:
            if not read:
                self.debug1 = self.scratch(data)
            return Response(self.debug1 if read else 0)
        if register == PUSH_FAILED:
            if not read:
                self.push_failed &= ~data
            return Response(self.push_failed if read else 0)
        if register == IRQ_STATUS and not read:
            self.irq_status &= ~data
            return Response()
        if register == NIC_STATUS and read:
            bits = 0xC00 | self.locked << 9
            for queue in range(9):
                bits |= (self.occupancy(queue) > 0) << queue | (self.occupancy(queue) >= self.depth) << queue + 12
            return Response(bits)
        return Response(0, err=True)

    def _push(self, queue: int, pointer: int) -> int:
        assert pointer & 7 == 0, "a pointer that is not aligned would be an error"
        if self.occupancy(queue) >= self.depth:
            self.push_failed |= 1 << queue
            self.irq_status |= 1 << 9
            return 2
        place = self.pushed[queue] % PLACES
        self.places[queue][place] = self.stored(queue, place, pointer)
        self.pushed[queue] += 1
        return 0

    def _pop(self, queue: int) -> int:
        if self.occupancy(queue) == 0:
            return 1
        self.popped[queue] += 1
        return self.places[queue][(self.popped[queue] - 1) % PLACES]


class Memory(FlatMemory):
    """64 KB at MEMORY_BASE; `stored` says what becomes of a byte."""

    def __init__(self) -> None:
        super().__init__(MEMORY_BYTES)
        self.stored: Callable[[int, int], int] = lambda offset, byte: byte
        self.located: Callable[[int], int] = lambda offset: offset
        self.masked: Callable[[int], int] = lambda mask: mask
        self.refuses: Callable[[Request], bool] = lambda request: request.address >> 28 != MEMORY_BASE >> 28
        self.accesses = 0

    def access(self, request: Request) -> Response:
        self.accesses += 1
        if self.refuses(request):
            return Response(0, err=True)
        offset = self.located(request.address - MEMORY_BASE & MEMORY_BYTES - 8)
        if request.read:
            return Response(int.from_bytes(bytes(self.bytes[offset + i] for i in range(8)), "big"))
        for i, byte in enumerate(request.data.to_bytes(8, "big")):
            if self.masked(request.mask) & 0x80 >> i:
                self.bytes[offset + i] = self.stored(offset + i, byte)
        return Response(random.getrandbits(64))


class Rig:
    """The block, the models, and a processor that speaks to it."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.registers, self.memory = Registers(), Memory()

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        dut.rst.value = 1
        dut.nic_unused.value = 1
        self.processor = Master(Port(dut, "afb", AFB), self.rng)
        self.slave = Slave(
            Port(dut, "reg", AFB),
            lambda request: self.registers.answer(request),
            self.rng,
            latency=lambda: 3,
            capacity=1,
        )
        self.bus = Slave(
            Port(dut, "mem", ACB), lambda request: self.memory.access(request), self.rng, stall=0.2,
            latency=lambda: self.rng.randrange(1, 9), capacity=8,
        )  # fmt: skip
        self.new()
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0

    def new(self, depth: int = PLACES) -> None:
        """Models without fault."""
        self.registers, self.memory = Registers(depth), Memory()
        self.dut.queue_depth.value = depth

    async def read(self, register: int) -> int:
        response = await self.processor.call(Request(0xFF00_0000 + 4 * register, True, 0xF))
        assert not response.err
        return response.data

    async def write(self, register: int, data: int) -> Response:
        return await self.processor.call(Request(0xFF00_0000 + 4 * register, False, 0xF, data))

    async def run(self, test: int, limit: int = 100_000) -> int:
        """Starts a test and waits until it ends; its status."""
        assert not (await self.write(CONTROL, test)).err
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        for _ in range(limit):
            if not self.dut.busy.value:
                break
            await RisingEdge(self.dut.clk)
        return await self.read(STATUS)

    async def run_memory(self, first: int, size: int) -> int:
        await self.write(BASE, MEMORY_BASE + first)
        await self.write(BYTES, size)
        return await self.run(MEMORY)

    async def failure(self) -> tuple[int, int, int, int, int]:
        """step, queue, index, expected, got"""
        status = await self.read(STATUS)
        return status >> 8 & 63, status >> 16 & 15, status >> 24 & 63, await self.read(EXPECTED), await self.read(GOT)


async def started(dut) -> Rig:
    rig = Rig(dut)
    await rig.start()
    return rig


@cocotb.test()
async def everything_passes_when_nothing_is_broken(dut) -> None:
    rig = await started(dut)
    for depth in (PLACES, 1, 2, 37) if THOROUGH else (PLACES, 1, 37):
        rig.new(depth)
        for test in (REGISTERS, QUEUES, SEQUENCE):
            assert await rig.run(test) == DONE, (depth, test)
            assert rig.registers.left_over() == 0 and not rig.registers.locked and rig.registers.push_failed == 0
            assert rig.registers.irq_status == 0
    more = ((0x400, 0x2008), (0, MEMORY_BYTES // 4)) if THOROUGH else ((0x400, 0x808), (0, MEMORY_BYTES // 16))
    for first, size in ((0, 8), (8, 0x1000), *more):
        assert await rig.run_memory(first, size) == DONE
    assert rig.bus.seen and {request.address >> 32 for request in rig.bus.seen} == {0, 0xF}


@cocotb.test()
async def every_place_of_every_queue_holds_both_values_of_every_bit(dut) -> None:
    """What a stuck bit anywhere must be found by; and every pointer is pushed somewhere once a round at most."""
    rig = await started(dut)
    seen: dict[tuple[int, int], list[int]] = {}
    rig.registers.stored = lambda queue, place, pointer: seen.setdefault((queue, place), []).append(pointer) or pointer
    assert await rig.run(QUEUES) == DONE
    assert len(seen) == 9 * PLACES
    assert all(a ^ b == 0xFFFF_FFF8 for a, b in seen.values())
    for queue in range(9):
        for turn in (0, 1):
            assert len({seen[queue, place][turn] for place in range(PLACES)}) == PLACES


@cocotb.test()
async def a_stuck_bit_in_any_queue_is_found_and_no_pattern_stays_behind(dut) -> None:
    rig = await started(dut)
    for queue in range(9):
        for value in (0, 1) if THOROUGH else (queue & 1,):
            rig.new()
            place, bit = rig.rng.randrange(PLACES), rig.rng.randrange(3, 32)

            def stuck(q, p, pointer, at=(queue, place), bit=bit, value=value):
                return pointer if (q, p) != at else pointer & ~(1 << bit) | value << bit

            rig.registers.stored = stuck
            assert await rig.run(QUEUES) & 15 == DONE | FAILED, (queue, place, bit, value)
            step, where, index, expected, got = await rig.failure()
            assert (where, index) == (queue, place) and expected ^ got == 1 << bit and got >> bit & 1 == value
            assert step == 11, "QUEUE_DRAIN"
            assert rig.registers.left_over() == 0 and not rig.registers.locked
            if queue % 4 and not THOROUGH:
                continue
            assert await rig.run(SEQUENCE) & 15 == DONE | FAILED, "the sequence goes through all places, too"
            assert rig.registers.left_over() == 0 and not rig.registers.locked


@cocotb.test()
async def what_is_wrong_with_queues_and_lock_is_found(dut) -> None:
    rig = await started(dut)

    def replaced(register: int, read: bool, old: int, new: int, err: bool = False):
        def answered(request: Request, response: Response) -> Response:
            if request.address == 4 * register and request.read == read and response.data == old and not response.err:
                return Response(new, err)
            return response

        return answered

    faults = {
        "says it took a pointer when it is full": {"answered": replaced(10, False, 2, 0)},
        "says it is full too early": {"answered": replaced(14, False, 0, 2)},
        "says it is empty by another number": {"answered": replaced(22, True, 1, 3)},
        "answers with an error": {"answered": replaced(24, True, 1, 1, True)},
        "occupancy is one less": {"answered": replaced(11, True, PLACES, PLACES - 1)},
        "occupancy is never 0": {"answered": replaced(25, True, 0, 1)},
        "two queues are one": {"selected": lambda queue: 5 if queue == 4 else queue},
        "lock is granted twice": {"answered": replaced(LOCK, True, 0, 1)},
        "lock is never granted": {"answered": replaced(LOCK, True, 1, 0)},
        "lock may be released twice": {"answered": replaced(LOCK, False, 2, 0)},
        "push_failed stays 0": {"answered": replaced(PUSH_FAILED, True, 1 << 8, 0)},
    }
    for name, fault in faults.items():
        rig.new()
        for attribute, value in fault.items():
            setattr(rig.registers, attribute, value)
        assert await rig.run(QUEUES) & 15 == DONE | FAILED, name
        assert rig.registers.left_over() == 0 and not rig.registers.locked, name


@cocotb.test()
async def order_and_scratch_and_errors_are_looked_at(dut) -> None:
    rig = await started(dut)
    swapped = {3: 4, 4: 3}
    original = Registers._pop

    def pop(registers: Registers, queue: int) -> int:
        if registers.occupancy(queue) == 0 or queue != 2:
            return original(registers, queue)
        registers.popped[queue] += 1
        place = (registers.popped[queue] - 1) % PLACES
        return registers.places[queue][swapped.get(place, place)]

    Registers._pop = pop
    try:
        rig.new()
        assert await rig.run(QUEUES) & 15 == DONE | FAILED
        assert (await rig.failure())[1:3] == (2, 3), "queue 2 gives its fourth pointer too late"
    finally:
        Registers._pop = original
    for bit in (0, 2, 13, 31):
        for value in (0, 1) if THOROUGH else (bit & 1,):
            rig.new()
            rig.registers.scratch = lambda word, bit=bit, value=value: word & ~(1 << bit) | value << bit
            assert await rig.run(REGISTERS) & 15 == DONE | FAILED
            step, _, _, expected, got = await rig.failure()
            assert step == 1 and expected ^ got == 1 << bit
    for register in (5, FREE_COUNTER):
        rig.new()

        def no_error(request: Request, response: Response, register=register) -> Response:
            return Response() if request.address == 4 * register else response

        rig.registers.answered = no_error
        assert await rig.run(REGISTERS) & 31 == DONE | FAILED, register
        assert (await rig.failure())[0] == {5: 2, FREE_COUNTER: 3}[register]


@cocotb.test()
async def a_broken_memory_is_found_with_its_address(dut) -> None:
    rig = await started(dut)
    size = 0x800  # 256 dwords: every byte mask
    for _ in range(12 if THOROUGH else 4):
        rig.new()
        offset, bit, value = rig.rng.randrange(size), rig.rng.randrange(8), rig.rng.randrange(2)

        def stuck(at, byte, offset=offset, bit=bit, value=value):
            return byte if at != offset else byte & ~(1 << bit) | value << bit

        rig.memory.stored = stuck
        assert await rig.run_memory(0, size) & 15 == DONE | FAILED, (offset, bit, value)
        assert await rig.read(ADDRESS) == MEMORY_BASE + offset & ~3
        _, _, _, expected, got = await rig.failure()
        assert expected ^ got == 1 << bit + 8 * (3 - offset % 4)
    for wire in range(3, 11):  # an address wire that is not connected, low or high
        for value in (0, 1) if THOROUGH else (wire & 1,):
            rig.new()
            rig.memory.located = lambda offset, wire=wire, value=value: offset & ~(1 << wire) | value << wire
            assert await rig.run_memory(0, size) & 15 == DONE | FAILED, wire
            assert (await rig.failure())[0] == 1, "address in address finds it"
    for lane in range(8):
        for always in (False, True) if THOROUGH else (bool(lane & 1),):
            rig.new()
            bit = 0x80 >> lane
            rig.memory.masked = lambda mask, bit=bit, always=always: (
                mask | bit if always else (mask if mask == 0xFF else mask & ~bit)
            )
            assert await rig.run_memory(0, size) & 15 == DONE | FAILED, (lane, always)
            assert (await rig.failure())[0] == 7, "byte masks find it"


@cocotb.test()
async def errors_of_memory_are_found_inside_and_missed_outside(dut) -> None:
    rig = await started(dut)
    inside = rig.memory.refuses
    for read in (False, True):
        rig.new()
        rig.memory.refuses = lambda r, read=read: inside(r) or (r.read == read and r.address == MEMORY_BASE + 0x208)
        status = await rig.run_memory(0, 0x1000)
        assert status & 31 == DONE | FAILED | GOT_ERR and status >> 8 & 63 == int(read)
        assert await rig.read(ADDRESS) & ~7 == MEMORY_BASE + 0x208
        rig.new()
        rig.memory.refuses = lambda r, read=read: inside(r) and r.read != read
        status = await rig.run_memory(0, 0x100)
        assert status & 31 == DONE | FAILED and status >> 8 & 63 == 8 + read
    rig.new()
    assert await rig.run_memory(0, 0x100) == DONE, "and the next test is not disturbed by what the failed ones left"


@cocotb.test()
async def it_starts_only_when_the_nic_is_not_used(dut) -> None:
    rig = await started(dut)
    dut.nic_unused.value = 0
    for test in (REGISTERS, QUEUES, SEQUENCE, MEMORY):
        before = len(rig.slave.seen) + len(rig.bus.seen)
        await rig.write(BYTES, 64)
        assert await rig.run(test) == REFUSED
        assert not dut.busy.value
        # The accesses to its own registers pass the register file, which only times them.
        assert all(80 <= request.address >> 2 & 0xFF < 88 for request in rig.slave.seen[before:])
        assert not rig.bus.seen
    dut.nic_unused.value = 1
    for test in (5, 6, 7):
        assert await rig.run(test) == REFUSED
    await rig.write(BYTES, 0)
    assert await rig.run(MEMORY) == REFUSED, "no memory to test"
    assert await rig.run(0) == 0, "0 clears"


@cocotb.test()
async def while_it_runs_its_registers_are_read_only_and_the_processor_waits_for_one_access_at_most(dut) -> None:
    rig = await started(dut)
    for test in (QUEUES, SEQUENCE):
        rig.new(8)
        assert not (await rig.write(CONTROL, test)).err
        for register in (CONTROL, BASE, BYTES):
            assert (await rig.write(register, 3)).err
        assert await rig.read(CONTROL) == test and await rig.read(BASE) == 0
        seen = len(rig.slave.seen)
        waits = []
        while dut.busy.value:
            for _ in range(rig.rng.choice([0, 0, rig.rng.randrange(12)])):
                await RisingEdge(dut.clk)
            began = rig.processor.cycle
            assert await rig.read(STATUS) & BUSY or not dut.busy.value
            waits.append(rig.processor.done_at[-1] - began)
        tests_own = sum(not 80 <= r.address >> 2 & 0xFF < 88 for r in rig.slave.seen[seen:])
        assert tests_own > len(waits) / 2 > 20, "it gets on under the processor's accesses"
        # 3 cycles, 4 of one access of the test, and what the driver needs to offer the request and see the answer.
        assert max(waits) <= 3 + 4 + 3, waits
        assert await rig.read(STATUS) == DONE


@cocotb.test()
async def without_a_test_the_processor_waits_for_nothing(dut) -> None:
    rig = await started(dut)
    rig.processor.send([Request(0xFF00_0000 + 4 * DEBUG1, True, 0xF) for _ in range(50)])
    await rig.processor.all_done()
    times = list(zip(rig.processor.sent_at, rig.processor.done_at, strict=True))
    assert {done - sent for sent, done in times} == {3}


@cocotb.test()
async def its_times_are_those_on_the_bus(dut) -> None:
    rig = await started(dut)
    assert await rig.read(CYCLES) == 0
    for test, names in ((REGISTERS, 1), (QUEUES, 2), (SEQUENCE, 3)):
        assert await rig.run(test) == DONE
        cycles = await rig.read(CYCLES)
        assert [cycles & 255, cycles >> 8 & 255, cycles >> 16][:names] == [3, 3, 23][:names]
    # An access of four cycles each, and the last one's answer after three, from the recorded transfers.
    own = [at for at, r in zip(rig.slave.seen_at, rig.slave.seen, strict=True) if not 80 <= r.address >> 2 & 0xFF < 88]
    around = own[-PLACES - 9 : -PLACES - 3]  # before occupancy, draining, two looks at the end
    assert around[-1] - around[0] + 3 == 23
    await rig.write(CONTROL, 0)
    assert await rig.read(CYCLES) == 0


@pytest.mark.parametrize("thorough", some([""], ["1"]))
def test_nic_selftest(thorough: str) -> None:
    run_bench("nic_selftest", extra_env={"THOROUGH": thorough})
