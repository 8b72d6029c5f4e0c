# SPDX-License-Identifier: Apache-2.0
"""pnic_crossbar with its banks: each request is one step for all masters, in the order of the grants, answered once and
in time, whoever else wants the bank; what different banks do at once costs nobody anything."""

import os
from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from pnic.scratchpad import FIRST_FLAGS, FLAGS, REQUEST, RESPONSE, ROW, WORDS, Master, Op, Request, Scratchpad, joined
from runs import some

LONGEST = 5
"""Cycles that one request keeps a bank."""
HOT = 6
"""Rows in which most happens."""


class Bench:
    """The crossbar, and a model that does what was granted, in that order."""

    def __init__(self, dut: Any, rng: Random) -> None:
        self.dut, self.rng = dut, rng
        self.masters, self.cores, self.banks = (int(os.environ[name]) for name in ("MASTERS", "CORES", "BANKS"))
        self.model = Scratchpad()
        self.expected: list[deque[tuple[int, int | None]]] = [deque() for _ in range(self.masters)]
        """By master: when an answer is due, and what it is."""
        self.answers: list[list[int]] = [[] for _ in range(self.masters)]
        self.grants = 0
        self.conflicts = 0
        self.cycle = 0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 10, unit="ns").start())
        self.dut.req.value, self.dut.rst.value = 0, 1
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def run(self, requests: list[list[Request]], pause: float = 0.0) -> list[Master]:
        """All masters at once, until everything is answered."""
        masters = [Master(deque(list_), self.rng, pause) for list_ in requests]
        begun = self.cycle
        while not all(master.done for master in masters) or any(self.expected):
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            self.dut.req.value = joined((master.show(self.cycle) for master in masters), REQUEST.bits)
            await ReadOnly()
            responses, conflict = int(self.dut.rsp.value), int(self.dut.conflict.value)
            for number, master in enumerate(masters):
                answer = RESPONSE.unpack(responses >> number * RESPONSE.bits & (1 << RESPONSE.bits) - 1)
                self._answered(number, master, answer)
                assert conflict >> number & 1 == int(master.shown is not None and not answer["ready"])
                self.conflicts += conflict >> number & 1
            for number, master in enumerate(masters):
                answer = RESPONSE.unpack(responses >> number * RESPONSE.bits & (1 << RESPONSE.bits) - 1)
                if answer["ready"]:
                    one = master.granted(self.cycle)
                    later = 3 if one.op == Op.UPDATE else 1
                    self.expected[number].append((self.cycle + later, self.model.do(number, one)))
                    self.grants += 1
        self.took = self.cycle - begun
        return masters

    def _answered(self, number: int, master: Master, answer: dict[str, int]) -> None:
        due = self.expected[number]
        assert bool(answer["valid"]) == (bool(due) and due[0][0] == self.cycle), f"master {number}, cycle {self.cycle}"
        if answer["valid"]:
            _, value = due.popleft()
            assert value is None or answer["data"] == value, f"master {number}: {answer['data']:#x}, not {value:#x}"
            self.answers[number].append(answer["data"])
            master.waits = False

    async def fill(self, rows: list[int]) -> None:
        """All words of rows, by the first master: positions somewhere, some flags."""
        words = {row * ROW + i: self.rng.getrandbits(32) & self.rng.getrandbits(32) for row in rows for i in range(ROW)}
        for address in words:
            self.model.words[address] = 0
        stores = [Request(Op.STORE, address, value) for address, value in words.items()]
        await self.run([stores, *([] for _ in range(self.masters - 1))])


@cocotb.test()
async def each_request_is_one_step_for_all(dut: Any) -> None:
    rng = Random(int(os.environ["SEED"]))
    bench = Bench(dut, rng)
    await bench.start()
    rows = rng.sample(range(WORDS // ROW), HOT)
    await bench.fill(rows)

    def draw(master: int, held: list[int]) -> Request:
        row = rng.choice(rows)
        word = rng.choice((0, 1, rng.randrange(ROW)))
        address, data = row * ROW + word, rng.choice((rng.getrandbits(32), rng.randrange(4), (1 << 32) - 1, 1 << 31))
        op = rng.choice(list(Op))
        if op in (Op.LR, Op.SC):
            if master >= bench.cores:
                op = Op.STORE
            elif op == Op.SC and held and rng.random() < 0.8:
                address = held.pop()
            elif op == Op.LR:
                held[:] = [address]
        return Request(op, address, data, rng.choice((0xF, rng.randrange(16))))

    for pause in (0.0, 0.5, 0.9):
        held: list[list[int]] = [[] for _ in range(bench.masters)]
        masters = await bench.run([[draw(m, held[m]) for _ in range(300)] for m in range(bench.masters)], pause)
        assert max(m.longest for m in masters) <= (bench.masters - 1) * LONGEST + LONGEST
    await bench.run([[Request(Op.LOAD, row * ROW + i) for row in rows for i in range(ROW)]] +
                    [[] for _ in range(bench.masters - 1)])  # fmt: skip
    assert bench.conflicts


@cocotb.test()
async def a_word_is_where_it_is_and_nowhere_else(dut: Any) -> None:
    """Each bit of an address tells words apart."""
    bench = Bench(dut, Random(1))
    await bench.start()
    addresses = [1 << bit for bit in range(16)] + [WORDS - 1 - (1 << bit) for bit in range(16)] + [0, WORDS - 1]
    bench.model.words = dict.fromkeys(addresses, 0)
    stores = [Request(Op.STORE, address, address * 0x10001) for address in addresses]
    idle: list[list[Request]] = [[] for _ in range(bench.masters - 1)]
    await bench.run([stores, *idle])
    await bench.run([[Request(Op.LOAD, address) for address in addresses], *idle])


@cocotb.test()
async def banks_work_at_once_and_one_request_a_cycle(dut: Any) -> None:
    """Each master in a bank of its own: no cycle is lost. All in one: a request a cycle, in turn."""
    bench = Bench(dut, Random(2))
    await bench.start()
    rows = list(range(8))
    await bench.fill(rows)
    count = 200
    busy = min(bench.banks, bench.masters)
    before = bench.conflicts
    await bench.run([[Request(Op.LOAD, row * ROW + i % ROW) for i in range(count)] for row in range(busy)]
                    + [[] for _ in range(bench.masters - busy)])  # fmt: skip
    assert bench.took == count + 1 and bench.conflicts == before
    masters = await bench.run([[Request(Op.LOAD, i % ROW) for i in range(count)] for _ in range(bench.masters)])
    assert bench.took == count * bench.masters + 1
    assert max(m.longest for m in masters) == bench.masters, "nobody is passed over twice"


@cocotb.test()
async def nothing_is_lost_or_counted_twice_by_several_who_set_and_update(dut: Any) -> None:
    """Counts from one position on, set in any order by all, through several laps: the position passes each once."""
    rng = Random(3)
    bench = Bench(dut, rng)
    await bench.start()
    row = 77
    await bench.fill([row])
    first = (1 << 32) - 700
    idle: list[list[Request]] = [[] for _ in range(bench.masters - 1)]
    await bench.run([[Request(Op.STORE, row * ROW + FIRST_FLAGS + i, 0) for i in range(FLAGS // 32)]
                     + [Request(Op.STORE, row * ROW, first)], *idle])  # fmt: skip
    for step in range(0, 4 * FLAGS, FLAGS):
        counts = [first + step + i & (1 << 32) - 1 for i in range(FLAGS)]
        rng.shuffle(counts)
        lists = [[Request(Op.SET, row * ROW + 5, count) for count in counts[m :: bench.masters]]
                 for m in range(bench.masters)]  # fmt: skip
        for list_ in lists:
            for _ in range(8):
                list_.insert(rng.randrange(len(list_) + 1), Request(Op.UPDATE, row * ROW + 3))
        await bench.run(lists)
        await bench.run([[Request(Op.UPDATE, row * ROW) for _ in range(FLAGS // 32 + 1)], *idle])
        assert bench.answers[0][-1] == first + step + FLAGS & (1 << 32) - 1


@pytest.mark.parametrize(
    ("banks", "masters", "cores"),
    some([(4, 11, 6), (3, 4, 2)], [(1, 2, 1), (2, 7, 4), (5, 9, 5), (6, 11, 6), (7, 13, 8), (8, 13, 8)]),
)
@pytest.mark.parametrize("seed", some([1], range(2, 6)))
def test_pnic_crossbar(banks: int, masters: int, cores: int, seed: int) -> None:
    parameters = {"BANKS": banks, "MASTERS": masters, "CORES": cores}
    run_bench("pnic_crossbar", parameters, seed=seed,
              extra_env={"SEED": str(seed), **{name: str(value) for name, value in parameters.items()}})  # fmt: skip
