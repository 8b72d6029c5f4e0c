# SPDX-License-Identifier: Apache-2.0
"""tcp_timers: each deadline is offered once, none is lost, the earliest that is shown is never later than the truth."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import FallingEdge, RisingEdge
from drivers import start
from runs import some

WORD = 1 << 40
Told = tuple[int, int | None]
"""Index and deadline, or that it has none."""


class Timers:
    """The block with a clock, and a model: the deadlines that were told and not offered, by index."""

    def __init__(self, dut: Any, rng: Random, now: int) -> None:
        self.dut, self.rng, self.now = dut, rng, now
        self.count = int(os.environ["CONNECTIONS"])
        self.armed: dict[int, int] = {}
        self.offer: tuple[int, int] | None = None
        """Index and deadline of the event that is on offer."""
        self.events: list[int] = []
        self.quiet = 0
        """Cycles since the last change."""
        self.waits: dict[int, int] = {}
        """Cycles that a deadline has been passed while no event was on offer and nothing was told."""
        dut.told_valid.value = dut.told_on.value = dut.timer_ready.value = 0
        dut.told_index.value = dut.told_deadline.value = 0
        dut.now.value = now % WORD

    async def cycle(self, told: Told | None = None, ready: bool = False, pass_us: int = 0) -> None:
        """One cycle with these inputs; everything is checked in it."""
        dut = self.dut
        self.now += pass_us
        dut.now.value = self.now % WORD
        dut.told_valid.value = int(told is not None)
        dut.timer_ready.value = int(ready)
        if told is not None:
            dut.told_index.value = told[0]
            dut.told_on.value = int(told[1] is not None)
            dut.told_deadline.value = (told[1] if told[1] is not None else self.rng.getrandbits(40)) % WORD
        due = {index for index, at in self.armed.items() if at <= self.now}
        if told is not None and told[1] is not None and told[1] <= self.now:
            due.add(told[0])
        elif told is not None:
            due.discard(told[0])
        await RisingEdge(dut.clk)
        self.quiet += 1
        taken = self.offer is not None and ready
        if taken:
            assert self.offer is not None
            self.events.append(self.offer[0])
            self.quiet = 0
        if told is not None:
            self.quiet = 0
            self.armed.pop(told[0], None)
            self.waits.pop(told[0], None)
            if told[1] is not None:
                self.armed[told[0]] = told[1]
        await FallingEdge(dut.clk)
        if self.offer is not None and not taken:
            assert dut.timer_valid.value and int(dut.timer_index.value) == self.offer[0], "valid has fallen"
        elif taken:
            assert not dut.timer_valid.value, "two at once"
            self.offer = None
        elif dut.timer_valid.value:
            index = int(dut.timer_index.value)
            assert index in due, "offered without need"
            self.offer = index, self.armed.pop(index)
            self.waits.pop(index, None)
        if self.offer is None and told is None:
            for index in due & self.armed.keys():
                self.waits[index] = self.waits.get(index, 0) + 1
                assert self.waits[index] <= self.limit(), f"{index} is lost"
        self.check_earliest()

    def limit(self) -> int:
        """Such cycles until each deadline has been offered: a scan, and five cycles an event."""
        return self.count + 6 + 6 * self.count

    def check_earliest(self) -> None:
        truth = [*self.armed.values(), *([self.offer[1]] if self.offer else [])]
        shown = int(self.dut.earliest.value) if self.dut.earliest_valid.value else None
        if truth:
            assert shown is not None
            later = (shown - min(truth)) % WORD
            assert later == 0 or later >= WORD // 2, "later than the truth"
        if (
            self.quiet > 2 * (self.count + 4)
            and self.offer is None
            and not any(a <= self.now for a in self.armed.values())
        ):
            assert shown == (min(truth) % WORD if truth else None), "not exact"

    async def until(self, done: Callable[[], bool], cycles: int, *, ready: bool = True, pass_us: int = 0) -> int:
        """Cycles until then."""
        for count in range(cycles):
            if done():
                return count
            await self.cycle(ready=ready, pass_us=pass_us)
        raise AssertionError(f"not within {cycles} cycles")


async def timers(dut: Any, now: int = 1000) -> Timers:
    rng = await start(dut)
    bench = Timers(dut, rng, now)
    for _ in range(bench.count + 2):
        await FallingEdge(dut.clk)
        if dut.ready.value:
            return bench
    raise AssertionError("the memory is not cleared")


@cocotb.test()
async def a_deadline_is_offered_when_it_has_passed_once(dut) -> None:
    bench = await timers(dut)
    for index in range(bench.count):
        await bench.cycle((index, bench.now + 3))
        for _ in range(2 * bench.count + 12):
            await bench.cycle(ready=True)
        assert bench.events == [], "early"
        await bench.cycle(pass_us=2)
        for _ in range(bench.count + 8):
            await bench.cycle(ready=True)
        assert bench.events == [], "early by one"
        await bench.cycle(pass_us=1)
        assert await bench.until(lambda: bench.offer is not None, bench.count + 7) <= bench.count + 7
        for _ in range(3 * bench.count + 20):
            await bench.cycle(ready=True, pass_us=1)
        assert bench.events == [index]
        bench.events.clear()


@cocotb.test()
async def what_the_core_tells_in_any_cycle_of_the_scan_counts(dut) -> None:
    """The entry of one connection is told at each phase of the scan: passed already, later, or none."""
    bench = await timers(dut)
    for phase in range(2 * bench.count + 12):
        for before in (None, 5):
            for deadline in (bench.now - 1, bench.now + 50, None):
                await bench.cycle((2, bench.now + before if before else None))
                for _ in range(2 * bench.count + 12 + phase):
                    await bench.cycle()
                await bench.cycle((2, deadline), pass_us=5)
                for _ in range(3 * bench.count + 24):
                    await bench.cycle(ready=True)
                expected = [2] if deadline is not None and deadline <= bench.now else []
                assert bench.events[-1:] == expected or (before and bench.events == [2]), (phase, before, deadline)
                bench.events.clear()
                await bench.cycle((2, None), pass_us=100)


@cocotb.test()
async def one_that_is_told_again_and_again_in_step_with_the_scan_is_offered(dut) -> None:
    """A busy connection whose deadline has passed is not starved by what the core tells of it."""
    bench = await timers(dut)
    for period in range(1, 3 * bench.count + 15):
        for _ in range(4 * bench.count * period + 40):
            if bench.offer is not None or bench.events:
                break
            await bench.cycle((1, bench.now))
            for _ in range(period - 1):
                if bench.offer is None:
                    await bench.cycle()
        assert bench.offer is not None, period
        await bench.cycle((1, None), ready=True)
        bench.events.clear()
        await bench.cycle(pass_us=10)


@cocotb.test()
async def all_that_are_due_have_their_turn(dut) -> None:
    bench = await timers(dut)
    for index in range(bench.count):
        await bench.cycle((index, bench.now + 100))
    await bench.cycle(pass_us=100)
    cycles = await bench.until(lambda: len(bench.events) == bench.count, 20 * bench.count + 40)
    dut._log.info("%d of %d events in %d cycles", len(bench.events), bench.count, cycles)
    assert sorted(bench.events) == list(range(bench.count)) and cycles <= 6 * bench.count + bench.count + 6


@cocotb.test()
@cocotb.parametrize(now=[1000, WORD - 300, WORD // 2 - 300])
async def whatever_the_core_tells_nothing_is_lost_or_offered_twice(dut, now: int) -> None:
    bench = await timers(dut, now)
    rng = bench.rng
    for _ in range(int(os.environ["ROUNDS"])):
        rate, ready, speed = rng.choice((0, 0.05, 0.3, 1)), rng.choice((0.05, 0.5, 1)), rng.choice((0, 0.1, 0.5))
        far = rng.choice((3, 30, 300))
        few = rng.randrange(1, bench.count + 1)
        for _ in range(rng.randrange(3 * bench.count + 20)):
            told: Told | None = None
            if rng.random() < rate:
                at = rng.choice((None, bench.now + rng.randrange(-3, far)))
                told = rng.randrange(few), at
            await bench.cycle(told, rng.random() < ready, int(rng.random() < speed))
    for _ in range(2):  # and then nothing more is told
        await bench.cycle(pass_us=1000)
        while bench.armed or bench.offer:
            await bench.cycle(ready=True)
        for _ in range(2 * bench.count + 12):
            await bench.cycle(ready=True)


@cocotb.test()
async def a_deadline_6_days_ahead_is_ahead(dut) -> None:
    bench = await timers(dut)
    await bench.cycle((0, bench.now + WORD // 2 - 10))
    await bench.cycle((1, bench.now + 40))
    for _ in range(3 * bench.count):
        await bench.cycle(ready=True)
    assert bench.events == []


@cocotb.test()
async def it_rests_when_nothing_happens_and_wakes_for_the_earliest(dut) -> None:
    bench = await timers(dut)
    for index in range(bench.count):
        await bench.cycle((index, bench.now + 5 + index))

    def registers() -> list[str]:
        return [str(one.value) for one in dut if one._name.endswith("_q") and one._name != "entries"]

    for _ in range(2 * (bench.count + 4) + 12):
        await bench.cycle(ready=True)
    still = registers()
    assert len(still) > 10
    for _ in range(4):
        assert registers() == still, "it moves"
        await bench.cycle(ready=True, pass_us=1)
    await bench.cycle(pass_us=1)
    assert await bench.until(lambda: bench.offer is not None, bench.count + 7) <= bench.count + 7
    for _ in range(3 * bench.count + 20):
        await bench.cycle(ready=True)
    assert bench.events == [0]
    await bench.cycle((1, None))
    assert registers() != still, "it sleeps"


@pytest.mark.parametrize(("connections", "rounds"), some([(4, 100), (7, 60)], [(5, 500), (64, 60), (1024, 6)]))
def test_tcp_timers(connections: int, rounds: int) -> None:
    environment = {"CONNECTIONS": str(connections), "ROUNDS": str(rounds)}
    testcase = None if connections < 64 else "all_that.*|whatever.*"
    run_bench("tcp_timers", {"CONNECTIONS": connections}, testcase=testcase, extra_env=environment)
