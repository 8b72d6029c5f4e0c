# SPDX-License-Identifier: Apache-2.0
"""The sum of a payload out of whole lines of a ring, against that of its bytes; and when it is there."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from dca.bench import LINE, LONGEST
from net_frames import ones_sum

LINES, CASES = 512, 400


@cocotb.test()
async def sums_are_those_of_the_bytes_and_come_in_time(dut: Any) -> None:
    rng = random.Random(random.getrandbits(64))
    ring = rng.randbytes(LINE * LINES)
    dut.rst.value, dut.start.value, dut.done.value, dut.line_data.value = 1, 0, 0, 0
    dut.known.value = dut.known_sum.value = 0
    cocotb.start_soon(Clock(dut.clk, 8000, "ps").start())
    clock = RisingEdge(dut.clk)
    await clock
    await clock
    dut.rst.value = 0
    for case in range(CASES):
        offset = rng.randrange(len(ring)) if case % 3 else len(ring) - rng.randrange(1, 100)
        length = rng.choice((1, 2, 31, 32, 33, LONGEST, rng.randrange(1, LONGEST + 1)))
        lines = (offset % LINE + length + LINE - 1) // LINE
        dut.start.value, dut.offset.value, dut.length.value = 1, offset, length
        said = rng.getrandbits(16) if rng.random() < 0.2 else None
        dut.known.value, dut.known_sum.value = int(said is not None), said or 0
        await clock
        dut.start.value, dut.offset.value, dut.length.value = 0, rng.getrandbits(14), rng.getrandbits(11)
        dut.known.value, dut.known_sum.value = rng.getrandbits(1), rng.getrandbits(16)
        read: list[int] = []
        took = 1
        while True:
            await clock
            dut.line_data.value = rng.getrandbits(256)
            if int(dut.valid.value):
                break
            assert int(dut.busy.value)
            if int(dut.read.value):
                line = int(dut.line.value)
                read.append(line)
                dut.line_data.value = int.from_bytes(ring[LINE * line : LINE * line + LINE], "big")
            took += 1
        assert read == [(offset // LINE + i) % LINES for i in range(lines if said is None else 0)]
        assert took == (lines + 5 if said is None else 1), (took, lines)
        wanted = ones_sum((ring + ring)[offset : offset + length]) if said is None else said
        for _ in range(rng.randrange(3)):
            assert int(dut.valid.value) and int(dut.sum.value) % 0xFFFF == wanted % 0xFFFF, (offset, length)
            await clock
        assert int(dut.valid.value) and int(dut.sum.value) % 0xFFFF == wanted % 0xFFFF, (offset, length)
        dut.done.value = 1
        await clock
        dut.done.value = 0
        await clock
        assert not int(dut.valid.value) and not int(dut.busy.value)


def test_the_sum_of_a_payload_goes_ahead_of_it() -> None:
    run_bench("dca_tx_sum", testcase="sums_are_those_of_the_bytes_and_come_in_time")
