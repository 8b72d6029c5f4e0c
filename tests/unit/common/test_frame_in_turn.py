# SPDX-License-Identifier: Apache-2.0
"""frame_in_turn: a frame's last two words, which come at once, one behind the other."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import some

LANES = 16
INPUTS = ("tdata", "tkeep", "tlast", "bad", "two", "rest_tdata", "rest_tkeep")
OUTPUTS = ("tdata", "tkeep", "tlast", "bad", "tail")


def mask(count: int) -> int:
    return ((1 << count) - 1) << LANES - count


@cocotb.test()
async def each_word_comes_out_once_in_turn(dut: Any) -> None:
    """With pauses on either side; while none comes the other inputs have any value."""
    rng = random.Random(random.getrandbits(64))
    tail_max = dut.TAIL_MAX.value
    cocotb.start_soon(Clock(dut.clk, 4, "ns").start())
    dut.rst.value, dut.in_valid.value, dut.out_ready.value = 1, 0, 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    expected: list[tuple[int, ...]] = []
    got: list[tuple[int, ...]] = []
    taken, given = True, 0
    while given < 400 or not taken:
        if taken:
            valid, words = rng.random() < 0.6, [rng.getrandbits(8 * LANES) for _ in range(2)]
            two, last, bad = rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.3
            rest = rng.randrange(1, LANES + 1)
            keep = mask(rng.randrange(1, LANES + 1)) if last and not two else mask(LANES)
            values = (words[0], keep, last and not two, bad and (two or last), two, words[1], mask(rest))
            if valid:
                given += 1
                if not two:
                    expected.append((*values[:4], 0))
                elif rest <= tail_max and not bad:
                    expected.append((words[0], keep, 0, 0, 1))
                else:
                    expected += [(words[0], keep, 0, 0, 0), (words[1], mask(rest), 1, bad, 0)]
            else:
                values = tuple(rng.getrandbits(len(getattr(dut, f"in_{name}"))) for name in INPUTS)
            for name, value in zip(INPUTS, values, strict=True):
                getattr(dut, f"in_{name}").value = int(value)
            dut.in_valid.value = valid
        dut.out_ready.value = rng.random() < 0.7
        await ReadOnly()
        assert dut.out_valid.value == valid
        if dut.out_valid.value and dut.out_ready.value:
            got.append(tuple(int(getattr(dut, f"out_{name}").value) for name in OUTPUTS))
        taken = not valid or bool(dut.in_ready.value)
        await RisingEdge(dut.clk)
    assert got == [tuple(map(int, word)) for word in expected]


@pytest.mark.parametrize("tail_max", some([5], [0]))
def test_frame_in_turn(tail_max: int) -> None:
    run_bench("frame_in_turn", {"WIDTH": 8 * LANES, "TAIL_MAX": tail_max})
