# SPDX-License-Identifier: Apache-2.0
"""tcp_fast_rest: what was taken does not come out, all else does, whole and in order; or is counted."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import some

DELAY, DEPTH, LONGEST = 4, 64, 20


async def begin(dut: Any, **values: int) -> random.Random:
    for name, value in values.items():
        getattr(dut, name).value = value
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    return random.Random(random.getrandbits(64))  # cocotb seeds `random` from the printed seed


@cocotb.test()
async def what_is_not_taken_comes_out_whole_or_is_counted(dut: Any) -> None:
    rng = await begin(dut, in_valid=0, taken=0, out_ready=0)
    lanes = len(dut.in_tkeep)
    verdicts: deque[int] = deque([0] * DELAY, DELAY)
    given: list[tuple[list[int], bool]] = []  # of frames that were not taken: words, and whether it is bad
    came: list[tuple[list[int], bool]] = []
    words: list[int] = []
    lost, pace = 0, 0.5

    async def cycle(word: int | None, last: bool, bad: bool, taken: bool) -> None:
        nonlocal lost
        dut.in_valid.value = word is not None
        if word is not None:
            dut.in_tdata.value, dut.in_tlast.value, dut.in_bad.value = word, last, bad
            dut.in_tkeep.value = (1 << lanes) - 1
        dut.taken.value = verdicts[0]
        dut.out_ready.value = rng.random() < pace
        verdicts.append(int(taken and last))
        await ReadOnly()
        if dut.out_valid.value and dut.out_ready.value:
            words.append(int(dut.out_tdata.value))
            if dut.out_tlast.value:
                came.append((words.copy(), bool(dut.out_bad.value)))
                words.clear()
        lost += int(dut.no_room.value)
        await RisingEdge(dut.clk)

    serial = 0
    for _ in range(900):
        pace = rng.choice((0.05, 0.5, 1.0)) if rng.random() < 0.05 else pace
        bad, taken = rng.random() < 0.2, rng.random() < 0.4
        frame = [serial + at for at in range(rng.choice((1, 1, 2, 5, LONGEST)))]
        serial += len(frame)
        for number, word in enumerate(frame):
            while rng.random() < 0.1:
                await cycle(None, False, False, False)
            await cycle(word, number == len(frame) - 1, bad, taken)
        if not taken:
            given.append((frame, bad))
        for _ in range(rng.choice((0, 0, 0, 1, 7, 30))):
            await cycle(None, False, False, False)
    pace = 1.0
    for _ in range(DEPTH + 20):
        await cycle(None, False, False, False)
    rest = iter(given)
    assert all(one in rest for one in came), "a frame that is none, or out of order"
    assert len(came) + lost == len(given) and came and lost


@cocotb.test()
async def a_frame_that_is_taken_needs_no_room(dut: Any) -> None:
    """Nothing is read: frames that are taken come and go, others until there is no room for the longest."""
    await begin(dut, in_valid=0, taken=0, out_ready=0, in_bad=0, in_tkeep=1)
    lost = 0
    for number in range(60):
        kept = number % 3 == 2
        for at in range(LONGEST + 3 + DELAY):
            dut.in_valid.value, dut.in_tdata.value = at < LONGEST, at
            dut.in_tlast.value = at == LONGEST - 1
            dut.taken.value = at == LONGEST - 1 + DELAY and not kept
            await ReadOnly()
            lost += int(dut.no_room.value)
            await RisingEdge(dut.clk)
    assert lost == 20 - 3  # three of the longest fit into DEPTH words, and a fourth one does not


@cocotb.test()
async def the_first_word_is_there_so_many_cycles_behind_the_last(dut: Any) -> None:
    await begin(dut, in_valid=0, taken=0, out_ready=1, in_bad=0, in_tkeep=1)
    for length, ready in ((1, 1), (2, 1), (9, 1), (1, 0), (9, 0)):
        dut.out_ready.value = ready  # who waits for it sees it as soon
        for at in range(length + DELAY + 3):
            dut.in_valid.value, dut.in_tlast.value = at < length, at == length - 1
            await ReadOnly()
            ends = 2 * length + DELAY + 1 if ready else 100
            assert bool(dut.out_valid.value) == (length + DELAY + 1 <= at < ends)
            await RisingEdge(dut.clk)
        dut.out_ready.value = 1
        for _ in range(20):
            await RisingEdge(dut.clk)


@pytest.mark.parametrize(("width", "seed"), some([(64, 1)], [(512, 1), (64, 2)]))
def test_tcp_fast_rest(width: int, seed: int) -> None:
    parameters = {"WIDTH": width, "DEPTH": DEPTH, "LONGEST": LONGEST, "DELAY": DELAY}
    run_bench("tcp_fast_rest", parameters, seed=seed)
