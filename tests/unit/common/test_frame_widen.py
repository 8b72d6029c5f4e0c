# SPDX-License-Identifier: Apache-2.0
"""frame_widen and frame_narrow: the same bytes in other beats, whoever waits."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import some


def beats(frame: bytes, lanes: int) -> list[tuple[int, int, bool]]:
    """Data, mask and whether it is the last one."""
    found = []
    for at in range(0, len(frame), lanes):
        part = frame[at : at + lanes]
        keep = ((1 << len(part)) - 1) << lanes - len(part)
        found.append((int.from_bytes(part.ljust(lanes, b"\0"), "big"), keep, at + lanes >= len(frame)))
    return found


@cocotb.test()
async def each_frame_comes_out_in_full_beats(dut: Any) -> None:
    rng = random.Random(random.getrandbits(64))
    lanes_in, lanes_out = len(dut.in_tkeep), len(dut.out_tkeep)
    frames = [(rng.randbytes(rng.randrange(1, 200)), rng.random() < 0.2) for _ in range(300)]
    offers = [(*beat, bad and beat[2]) for data, bad in frames for beat in beats(data, lanes_in)]
    wanted = [(*beat, bad and beat[2]) for data, bad in frames for beat in beats(data, lanes_out)]
    cocotb.start_soon(Clock(dut.clk, 4, "ns").start())
    dut.rst.value, dut.in_valid.value, dut.out_ready.value = 1, 0, 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    got, offered, pace, valid = [], 0, 1.0, False
    while len(got) < len(wanted):
        if len(got) % 40 == 0:
            pace = rng.choice((1.0, 0.5, 0.8))
        valid = offered < len(offers) and (valid or rng.random() < pace)
        dut.in_valid.value, dut.out_ready.value = valid, rng.random() < pace
        if valid:
            dut.in_tdata.value, dut.in_tkeep.value, dut.in_tlast.value, dut.in_bad.value = offers[offered]
        await ReadOnly()
        if dut.out_valid.value and dut.out_ready.value:
            keep = int(dut.out_tkeep.value)
            mask = int.from_bytes(bytes(0xFF * (keep >> lanes_out - 1 - n & 1) for n in range(lanes_out)), "big")
            data = int(dut.out_tdata.value) & mask
            got.append((data, keep, bool(dut.out_tlast.value), bool(dut.out_bad.value) and bool(dut.out_tlast.value)))
        taken = valid and bool(dut.in_ready.value)
        await RisingEdge(dut.clk)
        offered += taken
        valid = valid and not taken
    assert got == wanted and offered == len(offers)


@pytest.mark.parametrize(
    ("block", "source", "to"),
    some(
        [("frame_widen", 64, 128), ("frame_widen", 64, 512), ("frame_narrow", 512, 64), ("frame_narrow", 128, 64)],
        [("frame_widen", 128, 256), ("frame_widen", 128, 128), ("frame_narrow", 256, 128), ("frame_narrow", 64, 64)],
    ),
)
def test_beats_of_other_widths(block: str, source: int, to: int) -> None:
    run_bench(block, {"FROM": source, "TO": to})
