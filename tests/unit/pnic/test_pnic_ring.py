# SPDX-License-Identifier: Apache-2.0
"""pnic_ring: descriptors come in order, each once; wrong and refused ones are marked before the progress passes them; a
tail only moves forward, whoever writes it when; a descriptor in as many cycles as it has words."""

import os
from collections import deque
from pathlib import Path
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pnic.assist import BEYOND, CONTROL, LENGTH, MARK, NEWS, PROGRESS, REFUSED, TAIL, Pad, Registers, Ring
from pnic.scratchpad import WORDS, Op, Request
from runs import some

MIN_BYTES, MAX_BYTES = 14, 9596
LAPS = 1 << 16


class Bench:
    """The ring, and an assist that does nothing but to take its time."""

    def __init__(self, dut: Any, log2: int, base: int = 0x1230, pause: float = 0.0) -> None:
        self.dut, self.rng = dut, Random(int(os.environ["SEED"]))
        self.words = int(os.environ["WORDS"])
        self.pad = Pad(self.rng, pause)
        self.pad.watch = self._see
        self.ring = Ring(self.pad, base, log2, 0x4000, self.words)
        self.pause = 0.0
        """Of the assist."""
        self.finish = True
        self.refuse: set[int] = set()
        """Counts of descriptors."""
        self.expected: deque[tuple[int, list[int]]] = deque()
        self.under_way: deque[int] = deque()
        self.done = 0
        """All before this are, or were bad."""
        self.to_mark: list[int] = []
        self.marked: set[int] = set()
        self.shown = self.finished = 0
        self.news = 0
        self.bad: set[int] = set()
        self.pulses = 0

    async def start(self) -> "Bench":
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
        self.registers = Registers(dut, dut.clk)
        for signal in (dut.desc_ready, dut.done_valid, dut.done_refused, dut.pad_rsp):
            signal.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self._live())
        await self.ring.set_up(self.registers)
        return self

    def _see(self, one: Request) -> None:
        if one.op == Op.OR:
            assert one.data == MARK
            count = self.to_mark.pop(0)
            assert one.address == (self.ring.place(count) + self.words - 1) % WORDS
            self.marked.add(count)
        else:
            assert one.op == Op.STORE and one.address == self.ring.news and one.mask == 0xF
            assert one.data > self.shown, "it moves forward, once"
            passed = set(range(self.shown, one.data))
            assert all(c in self.bad or c < self.done for c in passed), "only what is finished"
            assert passed & (self.bad | self.refuse) <= self.marked, "marked before"
            self.shown = one.data
            self.news += 1

    async def _live(self) -> None:
        dut, offered = self.dut, False
        while True:
            await RisingEdge(dut.clk)
            self.pulses += int(dut.used.value)
            if dut.done_valid.value and dut.done_ready.value:
                self.done = self.under_way.popleft() + 1
                self.finished += 1
                offered = False
            if dut.desc_valid.value and dut.desc_ready.value:
                count, words = self.expected.popleft()
                got = int(dut.desc.value)
                assert [got >> 32 * i & (1 << 32) - 1 for i in range(self.words)] == words, f"descriptor {count}"
                self.under_way.append(count)
            dut.pad_rsp.value = self.pad.step(int(dut.pad_req.value))
            dut.desc_ready.value = int(self.rng.random() >= self.pause)
            offered = offered or bool(self.finish and self.under_way and self.rng.random() >= self.pause)
            dut.done_valid.value = int(offered)
            dut.done_refused.value = int(offered and self.under_way[0] in self.refuse)

    def put(self, length: int | None = None, odd: bool = False) -> None:
        rng = self.rng
        length = rng.randint(MIN_BYTES, MAX_BYTES) if length is None else length
        count = self.ring.tail
        words = [rng.getrandbits(32) & ~1 | odd, *(rng.getrandbits(32) for _ in range(self.words - 2))]
        words.append(rng.getrandbits(15) << 16 | length)
        self.ring.put(words)
        if odd or not MIN_BYTES <= length <= MAX_BYTES:
            self.bad.add(count)
            self.to_mark.append(count)
        else:
            self.expected.append((count, words))

    async def hand_over(self) -> None:
        await self.registers.write(TAIL, self.ring.tail & 0xFFFF)

    async def settle(self, limit: int = 5000) -> None:
        for _ in range(limit):
            if self.ring.progress == self.ring.tail:
                break
            await RisingEdge(self.dut.clk)
        assert self.ring.progress == self.ring.tail, "all is finished"
        assert not self.expected and self.marked == self.bad | self.refuse
        assert await self.registers.read(PROGRESS) == self.ring.tail
        assert await self.registers.read(LENGTH) == len(self.bad)
        assert await self.registers.read(REFUSED) == len(self.refuse)


@cocotb.test()
async def descriptors_come_in_order_and_bad_ones_are_marked(dut: Any) -> None:
    bench = await Bench(dut, 4).start()
    rng = bench.rng
    for pause in (0.0, 0.5, 0.8):
        bench.pause = bench.pad.pause = pause
        for _ in range(40):
            for _ in range(rng.randint(1, bench.ring.room) if bench.ring.room else 0):
                what = rng.random()
                if what < 0.2:
                    bench.put(rng.choice((0, MIN_BYTES - 1, MAX_BYTES + 1, 0xFFFF)))
                elif what < 0.3:
                    bench.put(odd=True)
                else:
                    if what < 0.4:
                        bench.refuse.add(bench.ring.tail)
                        bench.to_mark.append(bench.ring.tail)
                    bench.put(rng.choice((None, None, MIN_BYTES, MAX_BYTES)))
            await bench.hand_over()
            for _ in range(rng.randint(1, 60)):
                await RisingEdge(dut.clk)
        await bench.settle()
        assert all(bench.pad[bench.ring.place(c) + bench.words - 1] >> 31 == (c in bench.marked)
                   for c in range(max(0, bench.ring.tail - 16), bench.ring.tail))  # fmt: skip
    assert bench.pulses == bench.pad.used


@cocotb.test()
async def a_tail_only_moves_forward_and_not_beyond_the_ring(dut: Any) -> None:
    bench = await Bench(dut, 3).start()
    for _ in range(8):
        bench.put()
    bench.finish = False
    for tail in (5, 3, 5, 0, 0xFFF0, 2, 9, 0x7FFF, 8, 4):
        await bench.registers.write(TAIL, tail)
    assert await bench.registers.read(TAIL) == 8
    assert await bench.registers.read(BEYOND) == 2
    for _ in range(80):
        await RisingEdge(dut.clk)
    assert len(bench.under_way) == 8
    bench.finish = True
    await bench.settle()
    await bench.registers.write(TAIL, 17)
    assert await bench.registers.read(BEYOND) == 3 and await bench.registers.read(TAIL) == 8


@cocotb.test()
async def counts_go_round_and_so_does_the_scratchpad(dut: Any) -> None:
    """More than 2^16 descriptors, in a ring that crosses the end of the scratchpad."""
    if int(os.environ["WORDS"]) != 2:
        return
    bench = await Bench(dut, 9, base=0xFF00).start()
    while bench.ring.tail < LAPS + 3000:
        for _ in range(bench.ring.room):
            bench.put()
        await bench.hand_over()
        while bench.ring.room < 200:
            await RisingEdge(dut.clk)
    await bench.settle()
    assert bench.ring.progress > LAPS


@cocotb.test()
async def without_enable_nothing_begins_and_what_has_begun_ends(dut: Any) -> None:
    bench = await Bench(dut, 5).start()
    for _ in range(32):
        bench.put()
    bench.pause = 0.9
    await bench.hand_over()
    for _ in range(40):
        await RisingEdge(dut.clk)
    await bench.registers.write(CONTROL, 0)
    for _ in range(1000):
        await RisingEdge(dut.clk)
    stopped = bench.ring.progress
    assert 0 < stopped < 32 and not bench.under_way
    used = bench.pad.used
    for _ in range(100):
        await RisingEdge(dut.clk)
    assert bench.pad.used == used
    await bench.registers.write(CONTROL, 1)
    await bench.settle()


@cocotb.test()
async def a_descriptor_in_as_many_cycles_as_it_has_words(dut: Any) -> None:
    """And the news of many that finish while the scratchpad is busy are one word."""
    bench = await Bench(dut, 8).start()
    for _ in range(256):
        bench.put()
    await bench.hand_over()
    cycles = 0
    while bench.finished < 256:
        await RisingEdge(dut.clk)
        cycles += 1
    dut._log.info("256 descriptors of %d words in %d cycles, %d news", bench.words, cycles, bench.news)
    assert cycles < 256 * (bench.words + 1) + 20
    await bench.settle()
    bench.finish, before = False, bench.news
    for _ in range(40):
        bench.put()
    await bench.hand_over()
    for _ in range(300):
        await RisingEdge(dut.clk)
    bench.finish, bench.pad.pause = True, 0.9
    await bench.settle()
    assert bench.news - before <= 25


@cocotb.test()
async def registers_are_read_as_they_were_written(dut: Any) -> None:
    bench = await Bench(dut, 7, base=0xABCD).start()
    values = [await bench.registers.read(number) for number in range(12)]
    assert values == [0xABCD, 7, 0, 0x4000, 0, 0, 1, 0, 0, 0, 0, 0]
    await bench.registers.write(NEWS, 0x1234)
    await bench.registers.write(PROGRESS, 5)
    assert await bench.registers.read(NEWS) == 0x1234 and await bench.registers.read(PROGRESS) == 0


@pytest.mark.parametrize("words", [2, 4])
@pytest.mark.parametrize("seed", some([1], range(2, 8)))
def test_pnic_ring(words: int, seed: int) -> None:
    run_bench("ring_tb", {"WORDS": words}, seed=seed, extra_sources=(Path(__file__).with_name("ring_tb.sv"),),
              extra_env={"SEED": str(seed), "WORDS": str(words)})  # fmt: skip
