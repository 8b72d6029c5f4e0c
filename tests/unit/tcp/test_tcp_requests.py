# SPDX-License-Identifier: Apache-2.0
"""tcp_requests: one command under way, a program's stores before its next command, and neither kept out for ever."""

from __future__ import annotations

import os
from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import start
from runs import some
from tcp.structs import layout

REQUEST = layout("request_t")
AHEAD = 8


class Bench:
    """The two that ask, and tcp_events."""

    def __init__(self, dut: Any, rng: Random) -> None:
        self.dut, self.rng = dut, rng
        self.rates = {"a": 0.1, "b": 0.1}
        self.wait = 10
        self.asking: dict[str, deque[int]] = {"a": deque(), "b": deque()}
        self.ahead = 0  # of b that a, which waits, may still be behind
        self.before = 0  # of b that waited when a came
        self.taken: list[str] = []
        self.worst = 0

    async def run(self) -> None:
        dut, rng = self.dut, self.rng
        under: str | None = None
        ready = answer_in = idle = 0
        standing: int | None = None
        while True:
            await RisingEdge(dut.clk)
            answered = bool(dut.answer_valid.value)
            assert dut.a_answer_valid.value == (answered and under == "a")
            if answered:
                under = None
            offered = int(dut.request.value) if dut.request_valid.value else None
            assert standing is None or offered == standing, "what is on offer stands until it is taken"
            standing = offered if not ready else None
            pulses = {name: bool(getattr(dut, f"{name}_ready").value) for name in "ab"}
            waiting = [name for name in "ab" if self.asking[name]]
            idle = idle + 1 if waiting and under is None and offered is None else 0
            assert idle <= 2, "nothing under way, and nothing is offered"
            if offered is not None:
                assert under is None, "one at a time"
                assert sum(pulses.values()) == ready
            else:
                assert not any(pulses.values())
            if offered is not None and ready:
                name = "a" if pulses["a"] else "b"
                assert offered == self.asking[name].popleft()
                if name == "a":
                    assert self.before <= 0, "a command before what was stored before it"
                elif self.asking["a"]:
                    self.before -= 1
                    self.ahead += 1
                    self.worst = max(self.worst, self.ahead)
                    assert self.ahead <= AHEAD
                self.taken.append(name)
                under, answer_in = name, rng.randrange(1, self.wait + 1)
            for name in "ab":
                most = 1 if name == "a" else AHEAD
                if len(self.asking[name]) < most and rng.random() < self.rates[name]:
                    self.asking[name].append(rng.getrandbits(REQUEST.bits))
                    if name == "a":
                        self.ahead, self.before = 0, len(self.asking["b"])
                getattr(dut, f"{name}_valid").value = int(bool(self.asking[name]))
                head = self.asking[name][0] if self.asking[name] else rng.getrandbits(REQUEST.bits)
                getattr(dut, name).value = head
            ready = int(under is None and rng.random() < 0.6)
            dut.request_ready.value = ready
            answer_in -= 1
            dut.answer_valid.value = int(under is not None and answer_in == 0)


@cocotb.test()
async def commands_of_two_go_one_at_a_time(dut: Any) -> None:
    for name in ("a_valid", "a", "b_valid", "b", "request_ready", "answer_valid"):
        getattr(dut, name).value = 0
    bench = Bench(dut, await start(dut))
    task = cocotb.start_soon(bench.run())
    for rates in ((0.1, 0.1), (1, 0.05), (0.05, 1), (1, 1)) * int(os.environ["ROUNDS"]):
        bench.rates = dict(zip("ab", rates, strict=True))
        bench.wait = bench.rng.choice((1, 3, 20))
        bench.taken.clear()
        await ClockCycles(dut.clk, 1000)
        if task.done():
            await task
        assert min(bench.taken.count(name) for name in "ab") >= 4
    assert bench.worst == AHEAD


@pytest.mark.parametrize("rounds", some([1], [20]))
def test_tcp_requests(rounds: int) -> None:
    run_bench("tcp_requests", extra_env={"ROUNDS": str(rounds)})
