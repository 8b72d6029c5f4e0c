# SPDX-License-Identifier: Apache-2.0
"""tcp_oldest: beside a model that keeps since when each record is in TIME-WAIT or half open."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from runs import slow
from tcp.engine import LEAST_HANDSHAKE_MS
from tcp.record import BITS, Record, State, pack
from tcp.structs import BEAT_BITS, BEATS

AGES = 1 << 24
"""Milliseconds that the block counts, modulo."""
PERIOD_NS = 8
APART = 4
"""Cycles for each walk, in records."""


def most(count: int) -> int:
    """Walks at most that were not used before, of so many records."""
    return 1 if count > 256 else 2 if count > 64 else 8


IN_LISTS = (State.TIME_WAIT, State.SYN_RCVD)
STATES = tuple(state for state in State if state not in IN_LISTS)


@dataclass(frozen=True)
class Entry:
    """Of a record in one of the two states."""

    state: State
    since: int
    parent: int


class Bench:
    """The block with a clock, and the model."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.count = dut, int(os.environ["CONNECTIONS"])
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.ms = self.rng.randrange(AGES)
        self.entries: dict[int, Entry] = {}
        self.first_rows = 0
        """The bits of rows 0 and 1 of the last record."""

    async def start(self) -> Bench:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, PERIOD_NS, "ns").start())
        for name in ("row_valid", "row_number", "row_data", "row_index", "seek", "seek_any", "seek_parent"):
            dut[name].value = 0
        dut.ms.value = self.ms
        dut.rst.value = 1
        await self.clock(3)
        dut.rst.value = 0
        await self.clock(self.count + 2)  # it clears its memory
        return self

    @property
    def cycle(self) -> int:
        return round(get_sim_time("ns")) // PERIOD_NS

    async def clock(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
        await FallingEdge(self.dut.clk)

    async def pass_ms(self, count: int) -> None:
        self.ms = (self.ms + count) % AGES
        self.dut.ms.value = self.ms
        await self.clock()

    async def write(self, index: int, state: State, parent: int = 0, *, pooled: bool = True) -> None:
        dut = self.dut
        record = Record(state=state, parent=parent, pooled=int(pooled))
        word = pack(record) << BEATS * BEAT_BITS - BITS
        self.first_rows = (word >> 3 * BEAT_BITS | word >> 2 * BEAT_BITS) & (1 << BEAT_BITS) - 1
        for row in range(BEATS):
            dut.row_valid.value, dut.row_number.value, dut.row_index.value = 1, row, index
            dut.row_data.value = word >> (BEATS - 1 - row) * BEAT_BITS & (1 << BEAT_BITS) - 1
            await self.clock()
        dut.row_valid.value, dut.row_number.value = 0, self.rng.randrange(BEATS)
        before = self.entries.get(index)
        if not pooled or state not in IN_LISTS:
            self.entries.pop(index, None)
        elif before is None or before.state != state:
            self.entries[index] = Entry(state, self.ms, parent)

    def oldest(self, parent: int | None) -> int | None:
        """By the model: the oldest TIME-WAIT, else the oldest half-open one; of those the lowest index."""

        def age(entry: Entry) -> int:
            return (self.ms - entry.since) % AGES

        def fits(entry: Entry) -> bool:
            if entry.state == State.TIME_WAIT:
                return parent is None
            return age(entry) >= LEAST_HANDSHAKE_MS and parent in (None, entry.parent)

        found = [(e.state != State.TIME_WAIT, -age(e), at) for at, e in self.entries.items() if fits(e)]
        return min(found)[2] if found else None

    async def seek(self, parent: int | None) -> tuple[int | None, int]:
        """Who is found, and in how many cycles."""
        dut = self.dut
        dut.seek.value, dut.seek_any.value, dut.seek_parent.value = 1, int(parent is None), parent or 0
        begin = self.cycle
        while not dut.sought_valid.value:
            await self.clock()
            assert self.cycle - begin < 2 * self.count + 20
        some, index = bool(dut.sought_some.value), int(dut.sought_index.value)
        cycles = self.cycle - begin
        await self.clock()
        dut.seek.value = 0
        await self.clock()
        assert not dut.sought_valid.value
        return index if some else None, cycles

    async def seek_after_rest(self, parent: int | None) -> int | None:
        """As it is long after the last one."""
        await self.clock(APART * self.count)
        found, cycles = await self.seek(parent)
        assert cycles == self.count + 3
        return found


async def bench(dut: Any) -> Bench:
    return await Bench(dut).start()


@cocotb.test()
async def nobody_is_found_where_nobody_waits(dut: Any) -> None:
    it = await bench(dut)
    assert await it.seek_after_rest(None) is None
    await it.write(1, State.ESTABLISHED)
    await it.write(2, State.TIME_WAIT, pooled=False)
    assert await it.seek_after_rest(None) is None


@cocotb.test()
async def whoever_is_written_in_any_order_the_oldest_is_found(dut: Any) -> None:
    it = await bench(dut)
    found: list[int | None] = []
    for _ in range(int(os.environ["ROUNDS"])):
        for _ in range(it.rng.randrange(6)):
            index, parent = it.rng.randrange(it.count), it.rng.randrange(4)
            state = it.rng.choice((*IN_LISTS, State.SYN_RCVD, *STATES))
            old = it.entries.get(index)
            parent = old.parent if old is not None and old.state == state else parent  # a child keeps its listener
            await it.write(index, state, parent, pooled=it.rng.random() < 0.9)
            if it.rng.random() < 0.5:
                await it.pass_ms(it.rng.choice((1, 2, 7, 8, 9, 1000, AGES // 4 - 1, AGES // 2)))
        if it.rng.random() < 0.1:  # none is older than twice the longest MSL
            for index in list(it.entries):
                await it.write(index, State.CLOSED)
        of = it.rng.choice((None, 0, 1, 2, 3))
        assert await it.seek_after_rest(of) == it.oldest(of)
        found.append(it.oldest(of))
    assert None in found and len(set(found)) > 3


@cocotb.test()
async def who_is_half_open_has_eight_milliseconds(dut: Any) -> None:
    it = await bench(dut)
    await it.write(3, State.SYN_RCVD, 1)
    for age in range(LEAST_HANDSHAKE_MS + 2):
        expected = 3 if age >= LEAST_HANDSHAKE_MS else None
        assert await it.seek_after_rest(None) == await it.seek_after_rest(1) == expected
        assert await it.seek_after_rest(2) is None
        await it.pass_ms(1)


@cocotb.test()
async def what_is_written_again_is_no_younger(dut: Any) -> None:
    it = await bench(dut)
    for index in (2, 1):
        await it.write(index, State.TIME_WAIT)
        await it.pass_ms(5)
    await it.write(2, State.TIME_WAIT)
    assert await it.seek_after_rest(None) == 2
    await it.write(2, State.SYN_RCVD)
    await it.pass_ms(100)
    assert await it.seek_after_rest(None) == 1
    await it.write(1, State.CLOSED)
    assert await it.seek_after_rest(None) == 2


@cocotb.test()
async def there_are_few_walks_at_once_and_no_more_than_one_in_a_while(dut: Any) -> None:
    """A flood of SYNs has a quarter of the engine's time; the more records, the fewer walks without a pause."""
    it = await bench(dut)
    at_once = most(it.count)
    await it.write(3, State.TIME_WAIT)
    await it.clock(2 * at_once * APART * it.count)
    for _ in range(at_once):
        assert (await it.seek(None))[0] == 3
    walks, begin = at_once, it.cycle - at_once * (it.count + 5)
    while it.cycle - begin < 50 * it.count:
        found, cycles = await it.seek(None)
        assert (found, cycles) in ((3, it.count + 3), (None, 1))
        walks += found is not None
    assert abs(walks - at_once - 50 // APART) <= 1


@cocotb.test()
async def who_is_written_while_a_walk_is_on_its_way_delays_it_only(dut: Any) -> None:
    it = await bench(dut)
    last, delays = it.count - 1, list[int]()
    await it.write(last, State.TIME_WAIT)
    for late in range(1, it.count + 3):
        await it.clock(APART * it.count)
        walk = cocotb.start_soon(it.seek(None))
        await it.clock(late)
        await it.write(1, State.ESTABLISHED)
        found, cycles = await walk
        assert found == last
        delays.append(cycles - it.count - 3)
    assert sum(delays) == it.count and delays[-1] == 0 and set(delays) == {0, 1}


@cocotb.test()
async def after_a_reset_nobody_waits(dut: Any) -> None:
    it = await bench(dut)
    for index in range(it.count):
        await it.write(index, State.TIME_WAIT)
    dut.row_data.value = it.first_rows  # as if one were in TIME-WAIT
    dut.rst.value = 1
    await it.clock()
    dut.rst.value = 0
    await it.clock(it.count + 2)
    assert await it.seek_after_rest(None) is None


@cocotb.test()
async def of_two_that_began_together_the_first_one_goes(dut: Any) -> None:
    it = await bench(dut)
    for state in IN_LISTS:
        for index in (3, 1, 2):
            await it.write(index, state)
        await it.pass_ms(20)
        assert await it.seek_after_rest(None) == 1


@pytest.mark.parametrize(
    ("connections", "rounds"),
    [(16, 300), (128, 40), *slow([(4, 300), (64, 60), (512, 30)])],
)
def test_tcp_oldest(connections: int, rounds: int) -> None:
    environment = {"CONNECTIONS": str(connections), "ROUNDS": str(rounds)}
    run_bench("tcp_oldest", {"CONNECTIONS": connections}, extra_env=environment)
