# SPDX-License-Identifier: Apache-2.0
"""tcp_fast_ends: who has these ends, as tcp_table has told it; of a set that is full the rest is not found."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import seeds, some

CHANGES = 1500
WAYS = 4
VIEW_ROW = 1 + 2 + 10  # bits in front of the row's data

Ends = tuple[int, int, int]
"""The peer's address and port, and ours."""


def hashed(ends: Ends, sets: int) -> int:
    """tcp_view_pkg::ends_hash."""
    address, peer, port = ends
    mixed = peer ^ peer >> 10 ^ port ^ (port >> 10) << 4 ^ address ^ address >> 10 ^ address >> 20
    return mixed % sets


def packed(ends: Ends) -> int:
    return ends[0] << 32 | ends[1] << 16 | ends[2]


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut, self.rng = dut, random.Random(random.getrandbits(64))
        self.count = int(os.environ["CONNECTIONS"])
        self.sets = self.count // WAYS * 2
        self.ends: dict[int, Ends] = {}
        self.found: dict[int, int] = {}  # index to its set, of those that found a place

    async def start(self) -> Bench:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        for name in ("view", "at", "find"):
            self.dut[name].value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        return self

    async def change(self, index: int, ends: Ends | None) -> None:
        """It begins with these ends, or is over."""
        said = packed(ends) if ends else self.rng.getrandbits(64)
        self.dut.view.value = ((1 << 1 | (ends is not None)) << 10 | index) << 64 | said
        await RisingEdge(self.dut.clk)
        self.dut.view.value = self.rng.getrandbits(74)
        for _ in range(self.rng.randrange(3, 6)):
            await RisingEdge(self.dut.clk)
        if ends is None:
            del self.ends[index]
            self.found.pop(index, None)
            return
        self.ends[index] = ends
        place = hashed(ends, self.sets)
        if list(self.found.values()).count(place) < WAYS:
            self.found[index] = place

    async def ask(self, ends: Ends) -> int | None:
        self.dut.find.value = packed(ends)
        await RisingEdge(self.dut.clk)
        self.dut.find.value = self.rng.getrandbits(64)
        await RisingEdge(self.dut.clk)
        await ReadOnly()
        answer = int(self.dut.index.value) if self.dut.found.value else None
        await RisingEdge(self.dut.clk)
        return answer

    def some_ends(self) -> Ends:
        """Few addresses and ports, so that sets fill, and ends that differ in one bit."""
        rng = self.rng
        if self.ends and rng.random() < 0.3:
            word = packed(rng.choice(list(self.ends.values()))) ^ 1 << rng.randrange(64)
            return word >> 32, word >> 16 & 0xFFFF, word & 0xFFFF
        if rng.random() < 0.5:
            return 0x0A000000 | rng.randrange(4), 40000 + self.sets * rng.randrange(16), 7
        return rng.getrandbits(32), rng.getrandbits(16), rng.getrandbits(16)


@cocotb.test()
async def those_who_have_a_place_are_found_and_nobody_else(dut: Any) -> None:
    bench = await Bench(dut).start()
    rng, left_out = bench.rng, 0
    for _ in range(CHANGES):
        free = [index for index in range(bench.count) if index not in bench.ends]
        if free and (not bench.ends or rng.random() < 0.6):
            ends = bench.some_ends()
            if ends not in bench.ends.values():
                await bench.change(rng.choice(free), ends)
        elif rng.random() < 0.9:
            await bench.change(rng.choice(list(bench.ends)), None)
        for index in rng.sample(list(bench.ends), min(2, len(bench.ends))):
            wanted = index if index in bench.found else None
            left_out += wanted is None
            assert await bench.ask(bench.ends[index]) == wanted
            dut.at.value = index
            await RisingEdge(dut.clk)
            await ReadOnly()
            assert int(dut.ends.value) == packed(bench.ends[index])
            await RisingEdge(dut.clk)
        stranger = bench.some_ends()
        if stranger not in bench.ends.values():
            assert await bench.ask(stranger) is None
    assert left_out > 10
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    for ends in bench.ends.values():
        assert await bench.ask(ends) is None


@cocotb.test()
async def questions_come_each_cycle(dut: Any) -> None:
    bench = await Bench(dut).start()
    for index in range(4):
        await bench.change(index, (0x0A000007, 40000 + index, 7))
    wanted = [bench.rng.randrange(6) for _ in range(200)]
    found = []
    for index in [*wanted, 0, 0]:
        dut.find.value = packed((0x0A000007, 40000 + index, 7))
        await RisingEdge(dut.clk)
        await ReadOnly()
        found.append(int(dut.index.value) if dut.found.value else None)
        await cocotb.triggers.NextTimeStep()
    assert found[1 : len(wanted) + 1] == [index if index < 4 else None for index in wanted]


@pytest.mark.parametrize("connections", some([16], [4, 64, 512]))
@pytest.mark.parametrize("seed", seeds(1, 6))
def test_ends_are_found_while_there_is_a_place_for_them(connections: int, seed: int) -> None:
    run_bench("tcp_fast_ends", {"CONNECTIONS": connections}, seed=seed, extra_env={"CONNECTIONS": str(connections)})
