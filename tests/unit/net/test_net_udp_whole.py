# SPDX-License-Identifier: Apache-2.0
"""Received datagrams, whole or not at all: what came in good comes out as it was, or is counted, whoever waits."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from net_hw import UDP_RX_USER, Item, Sink, beats
from runs import WIDTHS

WORDS, DATAGRAMS = 32, 4


class Bench:
    """Gives beats when they come, as net does: nobody waits for the block."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.out = Sink(dut, "out", UDP_RX_USER, empty=True)
        self.lanes = self.out.width // 8
        self.cycle = self.dropped = 0
        self.reads = True
        self.gaps = 0.0
        self.ends: list[int] = []  # the cycle of the edge that takes each datagram's last beat

    async def start(self) -> Bench:
        self.dut.rst.value, self.dut.udp.value = 1, 0
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        return self

    async def step(self) -> None:
        await RisingEdge(self.dut.clk)
        self.cycle += 1
        self.out.step(self.cycle, self.rng)
        if not self.reads:
            self.dut.out_ready.value = 0
        self.dropped += int(self.dut.drop_room.value)

    async def give(self, *items: Item) -> None:
        for item in items:
            for beat in beats(item, UDP_RX_USER, self.out.width):
                while self.rng.random() < self.gaps:
                    self.dut.udp.value = self.rng.getrandbits(len(self.dut.udp) - 1) << 1
                    await self.step()
                self.dut.udp.value = beat
                await self.step()
            self.ends.append(self.cycle)
        self.dut.udp.value = 0

    async def rest(self, cycles: int = 100) -> None:
        for _ in range(cycles):
            await self.step()

    def datagram(self, size: int, bad: bool = False) -> Item:
        names = {name: width for name, width in UDP_RX_USER.widths.items() if name != "bad"}
        user = {name: self.rng.getrandbits(width) for name, width in names.items()}
        return Item(self.rng.randbytes(size), user, bad)

    def came(self) -> list[tuple[bytes, dict[str, int]]]:
        assert not any(got.bad for got in self.out.items)
        return [(got.data, got.user) for got in self.out.items]


def wanted(*items: Item) -> list[tuple[bytes, dict[str, int]]]:
    return [(item.data, item.user) for item in items]


@cocotb.test()
async def every_length_comes_out_as_it_was(dut: Any) -> None:
    bench = await Bench(dut).start()
    items = [bench.datagram(size) for size in range(60)]
    await bench.give(*items)
    await bench.rest()
    assert bench.came() == wanted(*items) and bench.dropped == 0, "a reader that never waits loses nothing"
    assert bench.out.items[-1].first - bench.ends[-1] == 4


@cocotb.test()
async def what_is_bad_never_comes_out_and_takes_no_room(dut: Any) -> None:
    bench = await Bench(dut).start()
    bench.reads = False
    items = [bench.datagram(bench.lanes * words - 3, bad=words % 3 != 0) for words in range(1, 16)]
    good = [item for item in items if not item.bad]
    for item in items[:9]:
        await bench.give(item)
    bench.reads = True
    for item in items[9:]:
        await bench.give(item)
    await bench.rest()
    assert bench.came() == wanted(*good) and bench.dropped == 0


@cocotb.test()
async def one_without_room_is_dropped_whole_and_counted_once(dut: Any) -> None:
    bench = await Bench(dut).start()
    all_of_it = bench.lanes * WORDS
    for stays, size in ((3, 10 * bench.lanes), (1, all_of_it), (DATAGRAMS, 1), (DATAGRAMS, 0)):
        bench.reads = False
        bench.out.items.clear()
        bench.dropped = 0
        items = [bench.datagram(size) for _ in range(stays)]
        await bench.give(
            *items, bench.datagram(all_of_it), bench.datagram(all_of_it, bad=True), bench.datagram(250 * bench.lanes)
        )
        assert bench.dropped == 1, "the bad one is not counted here, the last one is on its way"
        await bench.rest(4)
        assert bench.dropped == 2
        bench.reads = True
        await bench.rest()
        assert bench.came() == wanted(*items), size
    bench.out.items.clear()
    again = bench.datagram(all_of_it)
    await bench.give(again)
    await bench.rest()
    assert bench.came() == wanted(again), "all room is there again"


@cocotb.test()
async def whatever_waits_each_comes_out_or_is_counted(dut: Any) -> None:
    bench = await Bench(dut).start()
    for _ in range(60):
        bench.gaps, bench.out.stall = bench.rng.choice((0.0, 0.4)), bench.rng.choice((0.0, 0.3, 0.7, 0.95))
        bench.out.items.clear()
        bench.dropped = 0
        items = [bench.datagram(bench.rng.choice((0, 3, 18, 64, 150)), bench.rng.random() < 0.2) for _ in range(30)]
        await bench.give(*items)
        bench.out.stall = 0.0
        await bench.rest()
        good, came = wanted(*(item for item in items if not item.bad)), bench.came()
        assert len(came) + bench.dropped == len(good)
        left = iter(good)
        assert all(one in left for one in came), "in order, each as it was"


@pytest.mark.parametrize("width", WIDTHS)
def test_net_udp_whole(width: int) -> None:
    run_bench("net_udp_whole", {"WIDTH": width, "WORDS": WORDS, "DATAGRAMS": DATAGRAMS})
