# SPDX-License-Identifier: Apache-2.0
"""cpu_lsu of a big-endian core: dwords, swaps of words and bytes, loads that go around the data cache.

The model is memory as bytes in the order of addresses, and a copy of the lines that the cache has. It says of each
operation what it gives and which requests it makes on the bus, in which order: a hit makes none.
"""

import random
from collections import deque
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from runs import seeds

pytestmark = pytest.mark.slow

LOAD, STORE, AMO, FENCE, CBO = 1, 2, 5, 6, 7
POKE = 0  # no operation: memory changes behind the cache's back, once everything is done
BYTE, HALF, WORD, DWORD = range(4)
CACHE_BYTES = 128
DRAM, ROM, LOCAL, DEVICE = 0x4000_0000, 0x0000_0000, 0x5000_0000, 0xFF00_0000
DRAM_LINES = [DRAM + way * CACHE_BYTES + 32 * n for way in (0, 1) for n in (0, 1)]  # two for each of two places
WRITE_FAILS = [ROM + 0x48]  # dwords; stores there are never posted
FAILS = [DRAM + 0x90, DRAM + 0x98, LOCAL + 0x18, DEVICE + 0x10, ROM + 0x50]
CYCLES = 10_000


@dataclass
class Operation:
    kind: int
    address: int = 0
    size: int = WORD
    signed: bool = False
    data: int = 0
    bypass: bool = False
    overlap: bool = False
    result: int | None = None
    second: int | None = None
    fault: bool = False
    cycles: int = 0  # in MEM

    def word(self) -> int:
        """A mem_op_t."""
        funct3 = self.size | (0 if self.signed else 4)
        return self.kind << 10 | funct3 << 7 | 1 << 2 | self.bypass


@dataclass
class Request:
    """On the bus, `data` where the mask says so."""

    read: bool
    address: int
    mask: int
    lock: bool = False
    posted: bool = False
    data: int = 0

    def __post_init__(self) -> None:
        lanes = sum(0xFF << 8 * i for i in range(8) if self.mask >> i & 1)
        self.data = 0 if self.read else self.data & lanes


class Memory(dict[int, int]):
    """Bytes by address."""

    def take(self, address: int, size: int) -> int:
        return int.from_bytes(bytes(self.get(address + i, 0) for i in range(1 << size)), "big")

    def put(self, address: int, size: int, value: int) -> None:
        for i, byte in enumerate(value.to_bytes(1 << size, "big")):
            self[address + i] = byte


def lanes(address: int, size: int, value: int = 0) -> tuple[int, int]:
    """Mask and data: the lowest address has the top bit of the mask and the top byte."""
    shift = 8 - (address & 7) - (1 << size)
    return ((1 << (1 << size)) - 1) << shift, value << 8 * shift


def refuses(address: int, read: bool) -> bool:
    return address & ~7 in FAILS or (not read and address & ~7 in WRITE_FAILS)


def is_cached(address: int) -> bool:
    return address < 0x5000_0000


def is_device(address: int) -> bool:
    return address >> 24 == 0xFF


class Model:
    """What the operations find and ask of the bus, in program order."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.cache: dict[int, tuple[int, Memory]] = {}  # by place: the line's address and what the cache has of it

    @staticmethod
    def place(address: int) -> int:
        return address // 32 % (CACHE_BYTES // 32)

    def line(self, address: int) -> Memory | None:
        at, line = self.cache.get(self.place(address), (-1, Memory()))
        return line if at == address & ~31 else None

    def perform(self, op: Operation, precise: bool) -> list[Request]:
        """Fills in what it must give; returns its requests."""
        mask, data = lanes(op.address, op.size, op.data & (1 << 8 * (1 << op.size)) - 1)
        match op.kind:
            case 1:  # LOAD
                return self.load(op, mask)
            case 2:  # STORE
                posted = not precise and (0x4000_0000 <= op.address < 0x6000_0000 or is_device(op.address))
                failed = refuses(op.address, read=False)
                op.fault = failed and not posted
                if not posted and is_cached(op.address):
                    self.cache.pop(self.place(op.address), None)
                if not failed:
                    self.memory.put(op.address, op.size, op.data & (1 << 8 * (1 << op.size)) - 1)
                    if is_cached(op.address) and (line := self.line(op.address)) is not None:
                        line.put(op.address, op.size, op.data & (1 << 8 * (1 << op.size)) - 1)
                return [Request(False, op.address, mask, posted=posted, data=data)]
            case 5:  # AMO
                return self.swap(op, mask, data)
            case 7:  # CBO
                self.cache.pop(self.place(op.address), None)
        return []

    def load(self, op: Operation, mask: int) -> list[Request]:
        at = op.address
        cached = is_cached(at) and not op.bypass
        line = self.line(at) if cached else None
        requests = []
        if not cached:
            requests = [Request(True, at, mask, posted=op.overlap)]
        elif line is None:
            dwords = [(at & ~31) + ((at & 0x18) + 8 * n) % 32 for n in range(4)]
            requests = [Request(True, dword, 0xFF) for dword in [at, *dwords[1:]]]
            self.cache.pop(self.place(at), None)
            if not any(refuses(dword, read=True) for dword in dwords):
                kept = Memory({(at & ~31) + i: self.memory.get((at & ~31) + i, 0) for i in range(32)})
                self.cache[self.place(at)] = at & ~31, kept
        found = (self.memory if line is None else line).take(at, op.size)
        op.fault = line is None and refuses(at, read=True) and not op.overlap
        if op.overlap:
            op.result = 0 if refuses(at, read=True) else extended(found, op)
        elif not op.fault:
            op.result = found >> 32 if op.size == DWORD else extended(found, op)
            op.second = found & 0xFFFF_FFFF if op.size == DWORD else None
        return requests

    def swap(self, op: Operation, mask: int, data: int) -> list[Request]:
        at = op.address
        if is_device(at):
            op.fault = op.size != WORD or refuses(at, read=False)
            if op.size != WORD:
                return []
            if not op.fault:
                op.result = ~self.memory.take(at, WORD) & 0xFFFF_FFFF  # what the device answers, see Bench.accept
                self.memory.put(at, WORD, op.data)
            return [Request(False, at, mask, data=data)]
        if is_cached(at):
            self.cache.pop(self.place(at), None)
        unread, op.fault = refuses(at, read=True), refuses(at, read=False)
        if not op.fault:
            op.result = self.memory.take(at, op.size)
            self.memory.put(at, op.size, op.data & (1 << 8 * (1 << op.size)) - 1)
        return [Request(True, at, mask, lock=True), Request(False, at, 0 if unread else mask, data=data)]


def extended(value: int, op: Operation) -> int:
    bits = 8 << op.size
    return value - (1 << bits) & 0xFFFF_FFFF if op.signed and value >> bits - 1 else value


@dataclass
class Flight:
    request: Request
    due: int
    answer: int
    err: bool


class Bench:
    def __init__(self, dut: Any, rng: random.Random, *, stall: float = 0, latency: int = 1, gap: float = 0) -> None:
        self.dut, self.rng, self.stall, self.latency, self.gap = dut, rng, stall, latency, gap
        self.model, self.memory = Model(), Memory()
        self.flights: deque[Flight] = deque()
        self.expected: deque[Request] = deque()
        self.overlapped: deque[Operation] = deque()
        self.cycle = 0
        self.second: int | None = None
        self.precise = False

    async def reset(self) -> None:
        dut = self.dut
        for name in ("offer", "issue", "issue_op", "issue_address", "issue_data", "issue_overlap", "precise_stores",
                     "drop_all", "drop_reservation", "bus_ready", "rsp_valid", "rsp_err", "rsp_data", "stores_pending",
                     "loads_pending", "loads_first", "loads_funct3", "snoop", "line_req"):  # fmt: skip
            getattr(dut, name).value = 0
        cocotb.start_soon(Clock(dut.cpu_clk, 10, "ns").start())
        dut.cpu_rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.cpu_clk)
        dut.cpu_rst.value = 0
        for _ in range(2 * CACHE_BYTES // 32):  # the cache becomes empty
            await RisingEdge(dut.cpu_clk)

    async def run(self, operations: list[Operation]) -> None:
        """All of them, and until nothing is under way."""
        dut, rng = self.dut, self.rng
        waiting, current = deque(operations), None
        limit = self.cycle + 100 + 400 * self.latency * len(operations)
        while waiting or current or self.flights or self.expected:
            assert self.cycle < limit, f"hangs: {current}, {self.expected}"
            resting = not (current or self.flights or self.expected)
            while waiting and waiting[0].kind == POKE and resting:
                poke = waiting.popleft()
                for memory in (self.memory, self.model.memory):
                    memory.put(poke.address, poke.size, poke.data)
            dut.bus_ready.value = rng.random() >= self.stall
            answered = self.answer()
            dut.precise_stores.value = self.precise

            await FallingEdge(dut.cpu_clk)
            offer = bool(waiting) and waiting[0].kind != POKE and rng.random() >= self.gap
            if offer and waiting[0].overlap:
                offer = len(self.overlapped) < 4
            issue = offer and not int(dut.busy.value)
            dut.offer.value, dut.issue.value = offer, issue
            if offer:
                first = waiting[0]
                dut.issue_op.value, dut.issue_address.value = first.word(), first.address
                dut.issue_data.value = first.data if first.size == DWORD else rng.getrandbits(32) << 32 | first.data
                dut.issue_overlap.value = first.overlap

            await RisingEdge(dut.cpu_clk)  # values of the cycle that ends
            self.cycle += 1
            if answered and answered.request.posted and answered.request.read:
                load = self.overlapped.popleft()
                assert int(dut.load_value.value) == load.result, f"{load}: {int(dut.load_value.value):#x}"
            if self.second is not None:
                assert int(dut.result_second.value) == self.second
            if current:
                current.cycles += 1
                if not int(dut.busy.value):
                    self.finish(current)
                    current = None
            if issue:
                current = waiting.popleft()
                self.expected.extend(self.model.perform(current, self.precise))
                if current.overlap:
                    self.overlapped.append(current)
                if self.expected == deque() and current.kind == STORE:
                    raise AssertionError("a store makes a request")
            if int(dut.bus_valid.value) and int(dut.bus_ready.value):
                self.accept(int(dut.bus_req.value))
        dut.offer.value = dut.issue.value = 0
        assert all(self.memory.get(at, 0) == byte for at, byte in self.model.memory.items())

    def answer(self) -> Flight | None:
        """Drives the oldest answer if it is due; garbage where nothing is said."""
        dut, rng = self.dut, self.rng
        due = self.flights[0] if self.flights and self.flights[0].due <= self.cycle else None
        dut.stores_pending.value = any(flight.request.posted and not flight.request.read for flight in self.flights)
        dut.loads_pending.value = bool(self.overlapped)
        if self.overlapped:
            dut.loads_first.value = self.overlapped[0].address & 7
            dut.loads_funct3.value = self.overlapped[0].size | (0 if self.overlapped[0].signed else 4)
        dut.rsp_valid.value = bool(due) and not due.request.posted
        dut.rsp_data.value = due.answer if due else rng.getrandbits(64)
        dut.rsp_err.value = due.err if due else rng.random() < 0.5
        return self.flights.popleft() if due else None

    def accept(self, word: int) -> None:
        found = Request(
            bool(word >> 105 & 1), word >> 64 & 0xFFFF_FFFF, word >> 96 & 0xFF, bool(word >> 106),
            bool(word >> 104 & 1), word & (1 << 64) - 1,
        )  # fmt: skip
        assert self.expected, f"nothing asked for {found}"
        assert found == self.expected.popleft()
        at = found.address & ~7
        err = found.mask != 0 and refuses(at, found.read)
        answer = self.memory.take(at, DWORD)
        if is_device(at) and not found.read:
            answer ^= (1 << 64) - 1
        if not found.read and not err:
            for i, byte in enumerate(found.data.to_bytes(8, "big")):
                if found.mask & 0x80 >> i:
                    self.memory[at + i] = byte
        if err:
            answer = self.rng.getrandbits(64)
        self.flights.append(Flight(found, self.cycle + self.rng.randint(1, self.latency), answer, err))

    def finish(self, op: Operation) -> None:
        dut = self.dut
        assert bool(dut.fault.value) == op.fault, op
        if op.fault:
            assert int(dut.fault_address.value) == op.address
            assert bool(dut.fault_store.value) == (op.kind != LOAD)
        elif op.result is not None and not op.overlap:
            assert int(dut.result.value) == op.result, f"{op}: {int(dut.result.value):#x}"
            if op.second is not None:
                self.second = op.second
        if op.kind == FENCE:
            assert all(request.read for request in self.expected), "of a line that is being filled"
            assert not any(flight.request.posted for flight in self.flights)


BYTES = 0x8182_8384_0506_0708
WHERE = {"memory": DRAM + 0x20, "not cached": LOCAL + 0x20, "device": DEVICE + 0x20, "read only": ROM + 0x20}


@cocotb.test()
@cocotb.parametrize(where=list(WHERE))
async def loads_find_the_lowest_address_in_their_top_byte(dut: Any, where: str) -> None:
    bench, at = Bench(dut, random.Random(1)), WHERE[where]
    await bench.reset()
    found = {
        (BYTE, False): [0x81, 0x82, 0x83, 0x84, 5, 6, 7, 8],
        (BYTE, True): [0xFFFF_FF81, 0xFFFF_FF82, 0xFFFF_FF83, 0xFFFF_FF84, 5, 6, 7, 8],
        (HALF, False): [0x8182, 0x8384, 0x0506, 0x0708],
        (HALF, True): [0xFFFF_8182, 0xFFFF_8384, 0x0506, 0x0708],
        (WORD, False): [0x8182_8384, 0x0506_0708],
        (DWORD, False): [0x8182_8384],
    }
    for bypass in (False, True):
        operations = [Operation(POKE, at, DWORD, data=BYTES), Operation(CBO, at)]
        wanted = []
        for (size, signed), values in found.items():
            for n, value in enumerate(values):
                for _ in range(2):
                    operations.append(Operation(LOAD, at + (n << size), size, signed, bypass=bypass))
                    wanted.append(value)
        await bench.run(operations)
        loads = [op for op in operations if op.kind == LOAD]
        assert [op.result for op in loads] == wanted  # the model says what is written here
        assert loads[-1].second == 0x0506_0708
        hits = loads[2:] if is_cached(at) and not bypass else []
        assert all(op.cycles == 1 for op in hits), "a hit takes one cycle, once the line is there"


@cocotb.test()
@cocotb.parametrize(where=list(WHERE), precise=[False, True])
async def stores_put_their_top_byte_at_the_lowest_address(dut: Any, where: str, precise: bool) -> None:
    bench, at = Bench(dut, random.Random(2)), WHERE[where]
    await bench.reset()
    bench.precise = precise
    stores = [(DWORD, 0, BYTES), (WORD, 4, 0x1122_3344), (HALF, 2, 0xAABB_CCDD), (BYTE, 0, 0x1234_56EE),
              (BYTE, 5, 0xFF)]  # fmt: skip
    after = [0x8182_8384_0506_0708, 0x8182_8384_1122_3344, 0x8182_CCDD_1122_3344, 0xEE82_CCDD_1122_3344,
             0xEE82_CCDD_11FF_3344]  # fmt: skip
    for (size, offset, data), value in zip(stores, after, strict=True):
        for first in ([Operation(LOAD, at)], [Operation(CBO, at)]):
            load = Operation(LOAD, at, DWORD)
            await bench.run([*first, Operation(STORE, at + offset, size, data=data), load])
            assert (load.result, load.second) == (value >> 32, value & 0xFFFF_FFFF)
            assert bench.memory.take(at, DWORD) == value


@cocotb.test()
async def a_load_that_goes_around_the_cache_leaves_it_as_it_is(dut: Any) -> None:
    bench = Bench(dut, random.Random(3))
    await bench.reset()
    old, new = 0x0102_0304_0506_0708, 0xF1F2_F3F4_F5F6_F7F8
    for size, bits in enumerate((8, 16, 32, 32)):
        values = old >> 64 - bits, new >> 64 - bits
        around = Operation(LOAD, DRAM, size, bypass=True)
        stale, other = Operation(LOAD, DRAM, size), Operation(LOAD, DRAM + CACHE_BYTES, size, bypass=True)
        again, dropped = Operation(LOAD, DRAM, size), Operation(LOAD, DRAM, size)
        await bench.run([
            Operation(POKE, DRAM, DWORD, data=old), Operation(CBO, DRAM), Operation(LOAD, DRAM),
            Operation(POKE, DRAM, DWORD, data=new), stale, around, other, again, Operation(CBO, DRAM), dropped,
        ])  # fmt: skip
        assert [op.result for op in (stale, around, again, dropped)] == [values[0], values[1], values[0], values[1]]
        assert again.cycles == 1 and other.result == 0
    stored = Operation(LOAD, DRAM)
    await bench.run([Operation(STORE, DRAM, data=7, bypass=True), stored])
    assert stored.result == 7, "a store with it is like any other"


@cocotb.test()
async def swaps_of_words_and_bytes(dut: Any) -> None:
    bench = Bench(dut, random.Random(4), latency=3)
    await bench.reset()
    for at in (DRAM, LOCAL, ROM):
        swaps = [Operation(AMO, at + n, BYTE, data=0xFF, bypass=bool(n & 1), signed=bool(n & 1)) for n in range(8)]
        await bench.run([Operation(POKE, at, DWORD, data=BYTES), Operation(LOAD, at), *swaps])
        assert [swap.result for swap in swaps] == [0x81, 0x82, 0x83, 0x84, 5, 6, 7, 8], "without a sign"
        assert bench.memory.take(at, DWORD) == (1 << 64) - 1
        word = Operation(AMO, at + 4, WORD, data=0x1234_5678)
        await bench.run([word])
        assert (word.result, bench.memory.take(at + 4, WORD)) == (0xFFFF_FFFF, 0x1234_5678)
    push, refused = Operation(AMO, DEVICE + 4, WORD, data=5), Operation(AMO, DEVICE + 4, BYTE, data=0xFF)
    half = Operation(AMO, DEVICE + 4, HALF, data=0xFF)
    await bench.run([push, refused, half])
    assert (push.result, push.fault, refused.fault, half.fault) == (0xFFFF_FFFF, False, True, True)
    assert bench.memory.take(DEVICE + 4, WORD) == 5


@cocotb.test()
async def what_fails_faults_and_a_failed_read_releases_the_lock(dut: Any) -> None:
    bench = Bench(dut, random.Random(5), latency=2)
    await bench.reset()
    for at in FAILS:
        for size in (BYTE, WORD, DWORD):
            bench.precise = size == BYTE
            kinds = [LOAD, STORE] if size == DWORD else [LOAD, STORE, AMO]
            operations = [Operation(kind, at, size) for kind in kinds]
            await bench.run([*operations, Operation(FENCE)])
            assert [op.fault for op in operations if op.kind != STORE] == [True] * (len(kinds) - 1)
    swap, store = Operation(AMO, WRITE_FAILS[0], WORD, data=1), Operation(STORE, WRITE_FAILS[0], DWORD, data=1)
    await bench.run([swap, store])
    assert swap.fault and store.fault


def some_operations(rng: random.Random, count: int) -> list[Operation]:
    made = []
    for _ in range(count):
        size = rng.choice([BYTE, HALF, WORD, DWORD, DWORD])
        region = rng.choices([rng.choice(DRAM_LINES), ROM + 0x40, LOCAL, DEVICE], [60, 8, 16, 16])[0]
        at = region + (rng.randrange(32) & -1 << size)
        data = rng.getrandbits(8 * (1 << size))
        match rng.choices(["load", "overlap", "bypass", "store", "swap", "cbo", "fence", "poke"],
                          [40, 12, 8, 30, 6, 3, 2, 1])[0]:  # fmt: skip
            case "load":
                made.append(Operation(LOAD, at, size, rng.random() < 0.5))
            case "bypass":
                made.append(Operation(LOAD, at, size, rng.random() < 0.5, bypass=True))
            case "overlap":
                size = min(size, WORD)
                at = rng.choice([LOCAL, DEVICE]) + (rng.randrange(32) & -1 << size)
                made.append(Operation(LOAD, at, size, rng.random() < 0.5, overlap=True))
            case "store":
                made.append(Operation(STORE, at, size, data=data, bypass=rng.random() < 0.1))
            case "swap":
                size = rng.choice([BYTE, WORD])
                at = region + (rng.randrange(32) & -1 << size)
                made.append(Operation(AMO, at, size, data=data & (1 << 8 * (1 << size)) - 1, bypass=rng.random() < 0.2))
            case "cbo":
                made.append(Operation(CBO, at & ~31))
            case "fence":
                made.append(Operation(FENCE))
            case _:
                made.append(Operation(POKE, at, size, data=data))
    return made


@cocotb.test()
@cocotb.parametrize(shape=[(0.0, 1, 0.0), (0.0, 3, 0.2), (0.3, 4, 0.1), (0.5, 12, 0.3)])
async def random_operations_find_what_memory_holds(dut: Any, shape: tuple[float, int, float]) -> None:
    stall, latency, gap = shape
    rng = random.Random(random.getrandbits(64))
    bench = Bench(dut, rng, stall=stall, latency=latency, gap=gap)
    await bench.reset()
    while bench.cycle < CYCLES:
        bench.precise = rng.random() < 0.2
        await bench.run(some_operations(rng, 200))


@pytest.mark.parametrize("seed", seeds(1, 20))
def test_a_big_endian_core_finds_what_memory_holds(seed: int) -> None:
    parameters = {"CACHE_BYTES": CACHE_BYTES, "BIG_ENDIAN": 1, "DWORDS": 1, "RISCV_ATOMICS": 0}
    run_bench("cpu_lsu", parameters, seed=seed)
