# SPDX-License-Identifier: Apache-2.0
"""cpu_lsu with another bus master that writes the lines in its data cache: no load finds an old line.

Of each dword the first word is written by the other master only, the second one by the processor only: every line is
shared, and what each load may find is known without a model of the cache. A processor's word holds what program order
says. The other's holds a value that was in memory when the load began (less the cycles that the snoop takes) or
later, and none older than one seen before.

Between operations the line port reads and writes lines, as a unit's instructions do: of shared lines it writes the
processor's words, of lines that nobody else writes any bytes, or all.

And with a snoop in each cycle every operation ends in bounded time.
"""

import os
import random
from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from runs import seeds

pytestmark = pytest.mark.slow

LOAD, STORE, LR, SC, AMO, FENCE, CBO = range(1, 8)
LINES_MOVE = 0  # no operation: requests of the unit at the line port
WORD, BYTE_UNSIGNED = 2, 4
SMALL, LARGEST = 128, 65536
CACHE_BYTES = int(os.environ.get("CACHE_BYTES", SMALL))
BASE = 0x4000_0000
LINES = [BASE + 32 * n + way * CACHE_BYTES for way in range(3) for n in (0, 1)]  # three for each of two places
MINE = [BASE + 32 * n + way * CACHE_BYTES for way in (3, 4) for n in (0, 1)]  # of the processor alone
LOCAL = 0x5000_0000  # never cached
LOCAL_LINES = [LOCAL + 0x100, LOCAL + 0x120]
SNOOP_CYCLES = 3  # a load handed over that many cycles after the snoop finds no old line
CYCLES = 12_000
DROPS = 0.002 if CACHE_BYTES == SMALL else 0.0001
"""How often all lines are dropped, of all cycles: that takes a cycle for each line, 2048 of the largest cache."""


@dataclass
class Operation:
    kind: int
    address: int
    data: int = 0
    funct3: int = WORD
    amo: int = 0
    began: int = 0  # cycle in which it was handed over
    expected: int | None = None  # result, if it is known
    lines: tuple["Line", ...] = ()

    def word(self) -> int:
        """A mem_op_t; `quiet`, its last bit but one, is nothing to cpu_lsu."""
        return self.kind << 10 | self.funct3 << 7 | self.amo << 2 | (self.address >> 2 & 1) << 1


@dataclass
class Line:
    """A request at the line port. Of a read `bytes` is what is known of its answer, of a write what is written."""

    write: bool
    address: int
    bytes: dict[int, int]  # by offset
    shared: bool  # the first word of each dword is the other master's

    def word(self) -> int:
        mask = sum(1 << 31 - offset for offset in self.bytes) if self.write else 0
        data = sum(byte << 8 * (31 - offset) for offset, byte in self.bytes.items()) if self.write else 0
        return 1 << 316 | self.write << 315 | self.address >> 5 << 288 | mask << 256 | data


class Shared:
    """Memory byte by byte, and every value that each word of the other master ever had."""

    def __init__(self) -> None:
        self.bytes: dict[int, int] = {}
        self.history: dict[int, list[tuple[int, int]]] = {}  # (cycle, value)
        self.seen: dict[int, int] = {}  # the newest entry that a load has found

    def word(self, address: int) -> int:
        return int.from_bytes(bytes(self.bytes.get(address + i, 0) for i in range(4)), "little")

    def put(self, address: int, value: int) -> None:
        for i, byte in enumerate(value.to_bytes(4, "little")):
            self.bytes[address + i] = byte

    def other_writes(self, address: int, value: int, cycle: int) -> None:
        self.put(address, value)
        self.history.setdefault(address, [(-100, 0)]).append((cycle, value))

    def check(self, address: int, value: int, began: int, in_order: bool) -> None:
        """`value` was found by a look that began in that cycle; `in_order`: it may not go back behind earlier ones."""
        history = self.history.get(address, [(-100, 0)])
        oldest = max(i for i, (cycle, _) in enumerate(history) if cycle <= began - SNOOP_CYCLES)
        if in_order:
            oldest = max(oldest, self.seen.get(address, 0))
        allowed = [v for _, v in history[oldest:]]
        assert value in allowed, f"{address:#x} in cycle {began}: {value:#x} is old; {history[-4:]}, {oldest=}"
        if in_order:
            self.seen[address] = oldest + allowed.index(value)


class Program:
    """Random operations, and what the processor's own words must hold."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.own: dict[int, int] = {}
        self.second: Operation | None = None  # an SC right behind its LR
        self.last: Operation | None = None  # what the program ends with

    def next(self) -> Operation:
        rng = self.rng
        if self.second:
            operation, self.second = self.second, None
            return operation
        if self.last:
            return self.last
        dword = rng.choice(LINES) + 8 * rng.randrange(4)
        own = rng.choice(MINE) + 4 * rng.randrange(8) if rng.random() < 0.3 else dword + 4
        match rng.choices(["other", "own", "byte", "store", "amo", "lrsc", "cbo", "local", "fence", "lines"],
                          [40, 16, 4, 16, 3, 2, 4, 6, 1, 8])[0]:  # fmt: skip
            case "other":
                return Operation(LOAD, dword)
            case "own":
                return Operation(LOAD, own, expected=self.word(own))
            case "byte":
                at = own + rng.randrange(4)
                return Operation(LOAD, at, funct3=BYTE_UNSIGNED, expected=self.own.get(at, 0))
            case "store":
                value = rng.getrandbits(32)
                self.put(own, value)
                return Operation(STORE, own, value)
            case "amo":  # amoadd
                old, value = self.word(own), rng.getrandbits(32)
                self.put(own, old + value & 0xFFFF_FFFF)
                return Operation(AMO, own, value, expected=old)
            case "lrsc":
                old, value = self.word(own), rng.getrandbits(32)
                self.put(own, value)
                self.second = Operation(SC, own, value, amo=3, expected=0)
                return Operation(LR, own, amo=2, expected=old)
            case "cbo":
                return Operation(CBO, dword)
            case "lines":
                return Operation(LINES_MOVE, 0, lines=tuple(self.line() for _ in range(rng.choice([1, 2, 3, 12]))))
            case "local":
                return Operation(LOAD, LOCAL + (own & 0xFF), expected=0)
            case _:
                return Operation(FENCE, 0)

    def word(self, address: int) -> int:
        return int.from_bytes(bytes(self.own.get(address + i, 0) for i in range(4)), "little")

    def put(self, address: int, value: int) -> None:
        for i, byte in enumerate(value.to_bytes(4, "little")):
            self.own[address + i] = byte

    def line(self) -> Line:
        """The next request at the line port; what it reads and writes is in program order."""
        rng = self.rng
        at = rng.choice(LINES + 2 * MINE + LOCAL_LINES)
        own = [offset for offset in range(32) if at not in LINES or offset & 4]
        if rng.random() < 0.5:
            return Line(False, at, {offset: self.own.get(at + offset, 0) for offset in own}, at in LINES)
        if rng.random() < 0.5:
            first, last = sorted(rng.sample(range(33), 2))
            own = [offset for offset in own if first <= offset < last]
        new = {offset: rng.randrange(256) for offset in own}
        self.own.update({at + offset: byte for offset, byte in new.items()})
        return Line(True, at, new, at in LINES)


@dataclass
class Access:
    """A request on the bus: it gets its place in the order of accesses first, its answer later."""

    read: bool
    posted: bool
    mask: int
    address: int
    data: int
    ready_at: int
    ordered: bool = False
    answer: int = 0

    def order(self, memory: Shared, cycle: int, delay: int) -> None:
        base = self.address & ~7
        self.answer = int.from_bytes(bytes(memory.bytes.get(base + i, 0) for i in range(8)), "big")
        if not self.read:
            for i, byte in enumerate(self.data.to_bytes(8, "big")):
                if self.mask & 0x80 >> i:
                    memory.bytes[base + i] = byte
        self.ordered, self.ready_at = True, cycle + delay


def idle(dut) -> None:
    for name in ("offer", "issue", "issue_overlap", "precise_stores", "drop_all", "drop_reservation", "bus_ready",
                 "rsp_valid", "rsp_err", "rsp_data", "stores_pending", "loads_pending", "snoop",
                 "line_req"):  # fmt: skip
        getattr(dut, name).value = 0


async def reset(dut) -> None:
    cocotb.start_soon(Clock(dut.cpu_clk, 10, "ns").start())
    dut.cpu_rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.cpu_clk)
    dut.cpu_rst.value = 0


class Bench:
    def __init__(self, dut, rng: random.Random, *, stall: float, latency: int, writes: float) -> None:
        self.dut, self.rng, self.stall, self.latency, self.writes = dut, rng, stall, latency, writes
        self.memory, self.program = Shared(), Program(rng)
        self.flights: deque[Access] = deque()
        self.cycle = self.done = self.lines_read = 0
        self.moves: deque[Line] = deque()  # to ask for at the line port
        self.reads: deque[tuple[Line, int]] = deque()  # that were asked for, and when
        self.burst: deque[int] = deque()
        self.locked = False

    async def run(self, cycles: int) -> None:
        dut, rng = self.dut, self.rng
        idle(dut)
        await reset(dut)

        waiting = self.program.next()
        current: Operation | None = None
        asks = False
        while self.cycle < 2 * cycles:
            if self.cycle == cycles:
                self.program.last = Operation(FENCE, 0)
            # The cycle begins: memory's side and the other master.
            dut.drop_all.value = rng.random() < DROPS
            dut.bus_ready.value = rng.random() >= self.stall
            self.other_master()
            answers = bool(self.flights) and self.flights[0].ordered and self.flights[0].ready_at <= self.cycle
            dut.rsp_valid.value = answers and not self.flights[0].posted
            dut.stores_pending.value = any(f.posted for f in self.flights)
            if answers:
                dut.rsp_data.value = self.flights.popleft().answer
            if not current and waiting.kind == LINES_MOVE:
                self.moves.extend(waiting.lines)
                waiting = self.program.next()
            asks = bool(self.moves) and not current and (asks or rng.random() < 0.9)  # a request stands
            dut.line_req.value = self.moves[0].word() if asks else 0

            await FallingEdge(dut.cpu_clk)
            issue = not int(dut.busy.value) and rng.random() < 0.8 and waiting.kind != LINES_MOVE
            issue = issue and not self.moves and not self.reads
            dut.issue.value = dut.offer.value = issue
            dut.issue_op.value = waiting.word()
            dut.issue_address.value, dut.issue_data.value = waiting.address, waiting.data

            await RisingEdge(dut.cpu_clk)  # values of the cycle that ends
            assert not int(dut.fault.value)
            if current and not int(dut.busy.value):
                self.finish(current, int(dut.result.value))
                if current is self.program.last:
                    return
                current = None
            if issue:
                waiting.began = self.cycle
                current, waiting = waiting, self.program.next()
            if int(dut.bus_valid.value) and int(dut.bus_ready.value):
                self.accept(int(dut.bus_req.value))
            self.look_at_the_line_port(asks, int(dut.line_rsp.value))
            self.cycle += 1
        raise AssertionError("hangs")

    def look_at_the_line_port(self, asks: bool, answer: int) -> None:
        """In `answer`: ready, valid, err, 256 bits of data."""
        if answer >> 257 & 1:
            line, began = self.reads.popleft()
            found = (answer & (1 << 256) - 1).to_bytes(32, "big")
            assert not answer >> 256 & 1
            for offset, byte in line.bytes.items():
                assert found[offset] == byte, f"{line}, byte {offset}: {found[offset]:#x}"
            for offset in range(0, 32, 8) if line.shared else ():
                word = int.from_bytes(found[offset : offset + 4], "little")
                self.memory.check(line.address + offset, word, began, in_order=False)
            self.lines_read += 1
        if asks and answer >> 258:
            line = self.moves.popleft()
            if not line.write:
                self.reads.append((line, self.cycle))

    def other_master(self) -> None:
        """It or the processor's oldest request gets the next place in the order of accesses."""
        rng, dut = self.rng, self.dut
        if not self.burst and rng.random() < self.writes:
            line = rng.choice(LINES)
            self.burst.extend(line + 8 * n for n in range(rng.choice([1, 4])))  # a dword, or a line as a frame does
        write = bool(self.burst) and not self.locked and rng.random() < 0.7
        if write:
            address = self.burst.popleft()
            self.memory.other_writes(address, rng.getrandbits(32), self.cycle)
            dut.snoop.value = 1 << 27 | address >> 5
            return
        dut.snoop.value = rng.choice(LINES) >> 5
        due = next((f for f in self.flights if not f.ordered), None)
        if due and due.ready_at <= self.cycle:
            due.order(self.memory, self.cycle, rng.randint(1, self.latency))

    def accept(self, word: int) -> None:
        data, address, mask = word & (1 << 64) - 1, word >> 64 & 0xFFFF_FFFF, word >> 96 & 0xFF
        self.locked = bool(word >> 106)
        flight = Access(bool(word >> 105 & 1), bool(word >> 104 & 1), mask, address, data, 0)
        flight.ready_at = self.cycle + self.rng.randint(2, 1 + self.latency)
        self.flights.append(flight)

    def finish(self, operation: Operation, result: int) -> None:
        self.done += 1
        if operation.expected is not None:
            assert result == operation.expected, f"{operation}: {result:#x}"
        elif operation.kind == LOAD:
            self.memory.check(operation.address, result, operation.began, in_order=True)


@cocotb.test()
@cocotb.parametrize(shape=[(0.0, 1, 0.3), (0.0, 3, 0.1), (0.3, 8, 0.05), (0.1, 20, 0.02)])
async def no_load_finds_an_old_line(dut, shape) -> None:
    stall, latency, writes = shape
    bench = Bench(dut, random.Random(random.getrandbits(64)), stall=stall, latency=latency, writes=writes)
    await bench.run(CYCLES)
    assert bench.done > CYCLES // 80
    assert bench.lines_read > CYCLES // 800, "the line port was hardly used"
    for line in LINES:  # nothing of either is lost
        for own in range(line + 4, line + 32, 8):
            assert bench.memory.word(own) == bench.program.word(own)
    for line in MINE + LOCAL_LINES:
        for own in range(line, line + 32, 4):
            assert bench.memory.word(own) == bench.program.word(own)


CACHE_LINES = CACHE_BYTES // 32
ANSWER = 2  # cycles from a request to its response, below
# What an operation takes at most without snoops, an atomic behind a line's fill and a store; and what it then waits for
# snoops: three cycles a line, and one (cpu_lsu).
UNSNOOPED = 24
BOUND = UNSNOOPED + 3 * CACHE_LINES + 1


async def longest_with_a_snoop_in_each_cycle(dut, operations, snooped) -> int:
    """Cycles in MEM of the slowest of `operations`; `snooped(cycle, last)` is the line written in a cycle, where
    `last` is the one that was asked for last."""
    idle(dut)
    dut.bus_ready.value = 1
    await reset(dut)
    flights: deque[tuple[int, bool]] = deque()  # due, posted
    waiting, began, longest, cycle, last = deque(operations), None, 0, 0, BASE
    while waiting or began is not None:
        dut.snoop.value = 1 << 27 | snooped(cycle, last) >> 5
        answers = bool(flights) and flights[0][0] <= cycle
        dut.rsp_valid.value = answers and not flights[0][1]
        dut.stores_pending.value = any(posted for _, posted in flights)
        if answers:
            flights.popleft()
        await FallingEdge(dut.cpu_clk)
        busy = bool(int(dut.busy.value))
        issue = not busy and bool(waiting) and cycle > 2 * CACHE_LINES
        dut.issue.value = dut.offer.value = issue
        if issue:
            next_one = waiting.popleft()
            dut.issue_op.value = next_one.word()
            dut.issue_address.value, dut.issue_data.value = next_one.address, next_one.data
        await RisingEdge(dut.cpu_clk)
        if began is not None:
            longest = max(longest, cycle - began)
            assert longest <= BOUND, f"an operation waits for {longest} cycles"
        if not busy:
            began = cycle if issue else None
        if int(dut.bus_valid.value):
            request = int(dut.bus_req.value)
            flights.append((cycle + ANSWER, bool(request >> 104 & 1)))
            last = request >> 64 & 0xFFFF_FFE0
        cycle += 1
    return longest


@cocotb.test()
@cocotb.parametrize(which=["last", "all", "ahead"])
async def no_operation_starves_when_each_cycle_has_a_snoop(dut, which) -> None:
    fill = [Operation(LOAD, BASE + 32 * n) for n in range(CACHE_LINES)]  # each place has a line
    kinds = [
        Operation(LOAD, BASE + 4 * CACHE_BYTES), Operation(AMO, BASE + 8), Operation(LR, BASE + 16, amo=2),
        Operation(SC, BASE + 16, 1, amo=3), Operation(CBO, BASE + 32), Operation(LOAD, LOCAL),
        Operation(STORE, 0x10, 5), Operation(STORE, BASE, 5), Operation(LOAD, BASE), Operation(FENCE, 0),
    ]  # fmt: skip
    operations = [operation for kind in kinds for operation in (*fill, kind, kind)]
    lines = {
        "last": lambda cycle, last: last,
        "all": lambda cycle, last: BASE + 32 * (cycle % CACHE_LINES),
        "ahead": lambda cycle, last: last + 32 * (cycle % 3),
    }
    longest = await longest_with_a_snoop_in_each_cycle(dut, operations, lines[which])
    assert longest > ANSWER


@cocotb.test()
async def a_line_that_is_written_while_it_is_filled_is_not_kept(dut) -> None:
    """A load of each dword misses; in each cycle around its fill, another master writes the dword; the next load, after
    that, finds what was written."""
    idle(dut)
    dut.bus_ready.value = 1
    await reset(dut)
    memory, flights, now = 0, deque(), 0

    async def cycle(operation: Operation | None, written: int | None) -> int | None:
        """One cycle; with an operation, handed over, or else the result if one ends."""
        nonlocal memory, now
        dut.snoop.value = 0 if written is None else 1 << 27 | BASE >> 5
        memory = memory if written is None else written
        answers = bool(flights) and flights[0][0] <= now
        dut.rsp_valid.value = answers
        if answers:
            dut.rsp_data.value = flights.popleft()[1]
        await FallingEdge(dut.cpu_clk)
        dut.issue.value = dut.offer.value = operation is not None
        if operation:
            dut.issue_op.value = operation.word()
            dut.issue_address.value = operation.address
        await RisingEdge(dut.cpu_clk)
        if int(dut.bus_valid.value):
            flights.append((now + ANSWER, memory << 32 | memory))  # found now, answered later
        now += 1
        return None if int(dut.busy.value) else int(dut.result.value)

    for _ in range(2 * CACHE_LINES):
        await cycle(None, None)
    for dword in range(4):
        for lag in range(20):
            await cycle(Operation(CBO, BASE), None)
            while await cycle(None, None) is None:
                pass
            load = Operation(LOAD, BASE + 8 * dword)
            value = int.from_bytes((memory + 1).to_bytes(4, "big"), "little")
            await cycle(load, memory + 1 if lag == 0 else None)
            for n in range(1, 24):
                await cycle(None, memory + 1 if lag == n else None)
            await cycle(load, None)
            while (found := await cycle(None, None)) is None:
                pass
            assert found == value, f"dword {dword}, written {lag} cycles after the load: {found:#x}, not {value:#x}"


@cocotb.test()
async def lines_come_and_go_at_the_rate_of_the_header(dut) -> None:
    """Writes and hits a line a cycle, in part one in two, misses four cycles of the bus each; an error is told with its
    own line alone; memory has the lines in order."""
    idle(dut)
    dut.bus_ready.value = 1
    await reset(dut)
    now, flights, written = 0, deque(), []
    broken = 0

    async def move(requests: list[int]) -> tuple[list[int], list[tuple[int, int]]]:
        """In which cycle each was taken; in which each read was answered, and with what."""
        nonlocal now
        taken: list[int] = []
        answers: list[tuple[int, int]] = []
        reads = sum(not request >> 315 & 1 for request in requests)
        while len(taken) < len(requests) or len(answers) < reads:
            dut.line_req.value = requests[len(taken)] if len(taken) < len(requests) else 0
            due = bool(flights) and flights[0][0] <= now
            dut.rsp_valid.value = due and flights[0][1] is not None
            if due and (address := flights.popleft()[1]) is not None:
                dut.rsp_data.value, dut.rsp_err.value = address, address == broken
            await RisingEdge(dut.cpu_clk)
            answer = int(dut.line_rsp.value)
            if answer >> 257 & 1:
                answers.append((now, answer & (1 << 257) - 1))
            if len(taken) < len(requests) and answer >> 258:
                taken.append(now)
            if int(dut.bus_valid.value):
                request = int(dut.bus_req.value)
                address = request >> 64 & 0xFFFF_FFFF
                read = bool(request >> 105 & 1)
                flights.append((now + 6, address if read else None))
                if not read:
                    written.append((address, request >> 96 & 0xFF, request & (1 << 64) - 1))
            now += 1
        dut.line_req.value = 0
        return taken, answers

    def steps(cycles: list[int]) -> set[int]:
        return {b - a for a, b in pairwise(cycles)}

    while now < 2 * CACHE_LINES:
        await move([])
        await RisingEdge(dut.cpu_clk)
        now += 1
    lines = [BASE + 32 * n for n in range(min(CACHE_LINES, 4))]
    whole = [Line(True, at, {n: at + n & 0xFF for n in range(32)}, False).word() for at in lines]
    taken, _ = await move(whole)
    assert steps(taken) == {1}
    taken, answers = await move([Line(False, at, {}, False).word() for at in lines])
    assert steps(taken) == {1}
    assert [cycle - asked for asked, (cycle, _) in zip(taken, answers, strict=True)] == [1] * len(lines)
    assert [data for _, data in answers] == [word & (1 << 256) - 1 for word in whole]
    taken, _ = await move([Line(True, at, {3: 5}, False).word() for at in lines])
    assert steps(taken) == {2}
    _, answers = await move([Line(False, at, {}, False).word() for at in lines])
    assert [data >> 8 * 28 & 0xFF for _, data in answers] == [5] * len(lines), "the cache has what was written in part"
    await move([Line(False, LOCAL, {}, False).word()])  # behind all that is on its way
    assert written == [(at + 8 * n, 0xFF, word >> 64 * (3 - n) & (1 << 64) - 1)
                       for at, word in zip(lines, whole, strict=True) for n in range(4)] + [
                       (at, 0x10, 5 << 32) for at in lines]  # fmt: skip
    far = [LOCAL + 32 * n for n in range(6)]
    for dword in range(4):
        broken = far[2] + 8 * dword
        taken, answers = await move([Line(False, at, {}, False).word() for at in far])
        assert steps([cycle for cycle, _ in answers]) <= {4, 7}, "four lines are under way at once"
        for at, (_, answer) in zip(far, answers, strict=True):
            assert answer == (at == far[2]) << 256 | sum(at + 8 * n << 64 * (3 - n) for n in range(4))


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_the_data_cache_follows_what_another_master_writes(seed: int) -> None:
    run_bench("cpu_lsu", {"CACHE_BYTES": SMALL, "LINE": 1}, seed=seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 200))  # over a million operations and lines
def test_a_million_operations_find_what_a_flat_memory_holds(seed: int) -> None:
    run_bench("cpu_lsu", {"CACHE_BYTES": SMALL, "LINE": 1}, testcase="no_load_finds_an_old_line", seed=seed)


def test_the_largest_data_cache_follows_what_another_master_writes() -> None:
    run_bench(
        "cpu_lsu", {"CACHE_BYTES": LARGEST, "LINE": 1}, testcase="no_load_finds_an_old_line",
        extra_env={"CACHE_BYTES": str(LARGEST)},
    )  # fmt: skip
