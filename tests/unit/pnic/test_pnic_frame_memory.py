# SPDX-License-Identifier: Apache-2.0
"""pnic_frame_memory: beats of five clients, answered as by a memory that does them in the order in which they were
taken; bursts stay together and nobody waits for long; as many beats as the memory can move."""

import os
from collections import deque
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import cocotb
import pytest
from bench import ROOT, run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from pnic.frame_memory import REQUEST, RESPONSE, Beat, Client, burst, merged
from pnic.scratchpad import joined
from runs import some

CLIENTS, LONGEST_BURST = 5, 32
WORDS = 262144 // 16


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut, self.rng = dut, Random(int(os.environ["SEED"]))
        self.dual, self.latency = int(os.environ["DUAL"]), int(os.environ["LATENCY"])
        """Latency 0: outside, of any length."""
        self.words: dict[int, int] = {}
        self.expected: list[deque[tuple[int, int]]] = [deque() for _ in range(CLIENTS)]
        self.order: list[tuple[int, Beat, int]] = []
        """Who, what, and who else was waiting, in the order of grants."""
        self.latencies: list[int] = []
        self.moved = [0] * CLIENTS
        self.cycle = 0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 10, unit="ns").start())
        self.dut.req.value, self.dut.rst.value = 0, 1
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def run(self, beats: list[list[Beat]], pause: float = 0.0) -> list[Client]:
        clients = [Client(deque(list_), self.rng, pause) for list_ in beats]
        begun, idle = self.cycle, 0
        while idle < 3:
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            self.dut.req.value = joined((client.show() for client in clients), REQUEST.bits)
            await ReadOnly()
            self._look(clients)
            busy = any(c.beats or c.shown for c in clients) or any(self.expected)
            idle = 0 if busy else idle + 1
            assert self.cycle - begun < 100000
        self.took = self.cycle - begun - 3
        return clients

    def _look(self, clients: list[Client]) -> None:
        responses = int(self.dut.rsp.value)
        answers = [RESPONSE.unpack(responses >> c * RESPONSE.bits & (1 << RESPONSE.bits) - 1) for c in range(CLIENTS)]
        for c in range(CLIENTS):
            self.moved[c] += int(self.dut.moved.value) >> c & 1
        for expected, answer in zip(self.expected, answers, strict=True):
            if answer["valid"]:
                when, value = expected.popleft()
                assert answer["data"] == value
                self.latencies.append(self.cycle - when)
                assert not self.latency or self.latencies[-1] == self.latency
        waiting = sum(1 << c for c, client in enumerate(clients) if client.shown)
        taken = [c for c in range(CLIENTS) if answers[c]["ready"] and clients[c].shown]
        for c, client in enumerate(clients):
            client.waited += client.shown is not None and c not in taken
        # Of a read and a write in one cycle the read does not see the write.
        for c in sorted(taken, key=lambda c: bool(clients[c].shown and clients[c].shown.write)):
            beat = clients[c].taken()
            self.order.append((c, beat, waiting & ~(1 << c)))
            if beat.write:
                self.words[beat.address] = merged(self.words.get(beat.address, 0), beat)
            else:
                self.expected[c].append((self.cycle, self.words.get(beat.address, 0)))
        assert len(taken) <= 1 + self.dual


@cocotb.test()
async def beats_do_what_they_say_in_the_order_in_which_they_are_taken(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    places = [bench.rng.randrange(WORDS - 20) for _ in range(8)] + [0, WORDS - 20]
    await bench.run([[Beat(p + i, True) for p in places for i in range(20)], [], [], [], []])
    for pause in (0.0, 0.7, 0.95):
        beats = []
        for _ in range(CLIENTS):
            bursts = [burst(bench.rng.choice(places), bench.rng.randint(1, 20), bench.rng.random() < 0.5, bench.rng)
                      for _ in range(40)]  # fmt: skip
            beats.append([beat for one in bursts for beat in one])
        clients = await bench.run(beats, pause)
        bound = (CLIENTS - 1) * LONGEST_BURST
        assert not bench.latency or max(c.longest for c in clients) <= bound
    counts = [0] * CLIENTS
    for who, _, _ in bench.order:
        counts[who] += 1
    assert bench.moved == counts


@cocotb.test()
async def each_bit_of_an_address_tells_beats_apart(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    addresses = [0, WORDS - 1, *(1 << bit for bit in range(14))]
    await bench.run([[Beat(a, True, data=a * 0x1_0001 + 7) for a in addresses], [], [], [], []])
    await bench.run([[], [Beat(a) for a in addresses], [], [], []])


@cocotb.test()
async def a_burst_stays_together_but_ends_after_eight_beats_if_somebody_waits(dut: Any) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.run([[Beat(a, True) for a in range(400)], [], [], [], []])
    bench.order.clear()
    await bench.run([burst(16 * c, 64, False, bench.rng) for c in range(CLIENTS)])
    owners = [who for who, _, _ in bench.order]
    runs = [1]
    for before, who in pairwise(owners):
        if who == before:
            runs[-1] += 1
        else:
            runs.append(1)
    assert runs == [LONGEST_BURST] * (64 // LONGEST_BURST * CLIENTS), "all wait all the time"
    bench.order.clear()
    await bench.run([burst(0, 30, False, bench.rng), [], [], [], []])
    assert [who for who, _, _ in bench.order] == [0] * 30
    bench.order.clear()
    await bench.run([burst(0, 3, False, bench.rng), burst(9, 3, False, bench.rng), [Beat(1), Beat(2)], [], []])
    followed = {0: 1, 1: 2, 2: 0}
    owners = [who for who, _, _ in bench.order]
    turns = [who for i, who in enumerate(owners) if i == 0 or owners[i - 1] != who]
    assert all(followed[a] == b for a, b in pairwise(turns[:3]))


@cocotb.test()
async def as_many_beats_as_there_are_cycles(dut: Any) -> None:
    """Four streams in bursts of eight. Outside: turns and new rows cost what they cost; 40 of 64 Gb/s pass."""
    bench = Bench(dut)
    await bench.start()
    await bench.run([[Beat(a, True) for a in range(2304)], [], [], [], []])
    total = 8 * 48 * 4

    def stream(first: int, write: bool) -> list[Beat]:
        return [beat for i in range(48) for beat in burst(first + 8 * i, 8, write, bench.rng)]

    await bench.run([stream(0, True), stream(640, False), stream(1280, False), stream(1920, True), []])
    cycles = bench.took - bench.latencies[-1]
    dut._log.info("%d beats in %d cycles", total, cycles)
    if not bench.latency:
        assert total / cycles > 40 / 64
        assert max(bench.latencies) > 20
    else:
        assert cycles <= total // (1 + bench.dual) + 2


@pytest.mark.parametrize(("dual", "latency"), some([(0, 3), (1, 2), (0, 0)], [(1, 3), (0, 2), (0, 27)]))
@pytest.mark.parametrize("seed", some([1], range(2, 6)))
def test_pnic_frame_memory(dual: int, latency: int, seed: int) -> None:
    environment = {"SEED": str(seed), "DUAL": str(dual), "LATENCY": str(latency)}
    if latency:
        run_bench("pnic_frame_memory", {"DUAL": dual, "LATENCY": latency}, seed=seed, extra_env=environment)
    else:
        sources = (ROOT / "models" / "gddr_model.sv", Path(__file__).with_name("frame_memory_tb.sv"))
        run_bench("frame_memory_tb", {}, seed=seed, extra_sources=sources, extra_env=environment)
