# SPDX-License-Identifier: Apache-2.0
"""tcp_fast_arrivals: in order, each once; none of a connection that has ended, even if it is told of later."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import some

DEPTH = 16
INDEX_AT = 171 - 10
"""An index is the first field of fast_arrival_t, and has 10 bits."""


@cocotb.test()
async def what_comes_leaves_in_order_but_of_connections_that_have_ended(dut: Any) -> None:
    rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the printed seed
    assert len(dut.in_arrival) == 171
    for port in ("in_valid", "leave_valid", "out_ready"):
        getattr(dut, port).value = 0
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    wait: list[tuple[int, int, bool]] = []  # index, arrival, whether its connection is still there
    out = stale = seen_stale = full = inside = most = 0
    left_before: int | None = None  # a connection that has ended a cycle ago
    pace = 0.5
    for cycle in range(20_000):
        pace = rng.choice((0.02, 0.3, 0.9, 1.0)) if rng.random() < 0.01 else pace
        comes = bool(dut.room.value) and rng.random() < 0.5
        index = rng.randrange(4)
        arrival = index << INDEX_AT | rng.getrandbits(INDEX_AT)
        leaves = rng.randrange(5) if rng.random() < 0.1 else None
        dut.in_valid.value, dut.in_arrival.value = comes, arrival
        dut.leave_valid.value, dut.leave_index.value = leaves is not None, leaves or 0
        dut.out_ready.value = rng.random() < pace
        await ReadOnly()
        seen_stale += int(dut.stale.value)
        full += not dut.room.value
        assert int(dut.count.value) == inside
        goes = inside > 0 and (bool(dut.out_ready.value) or not dut.out_valid.value)  # or is left out, as it counts
        inside += comes - goes
        most = max(most, inside)
        if dut.out_valid.value and dut.out_ready.value:
            while wait and not wait[0][2]:
                wait.pop(0)
                stale += 1
            _, wanted, _ = wait.pop(0)
            assert int(dut.out_arrival.value) == wanted, cycle
            out += 1
        if comes:
            wait.append((index, arrival, left_before != index))
        if leaves is not None:
            wait = [(at, one, live and at != leaves) for at, one, live in wait]
        left_before = leaves
        await RisingEdge(dut.clk)
    dut.in_valid.value = dut.leave_valid.value = 0
    dut.out_ready.value = 1
    for _ in range(3 * DEPTH):
        await ReadOnly()
        out += int(dut.out_valid.value)
        seen_stale += int(dut.stale.value)
        await RisingEdge(dut.clk)
    rest = [live for _, _, live in wait]
    assert seen_stale == stale + rest.count(False)
    assert out > 1000 and stale > 100 and full > 100
    assert most == DEPTH, "room for as many as there are places"


@cocotb.test()
async def a_reset_leaves_nothing_and_tells_of_nothing(dut: Any) -> None:
    dut.rst.value, dut.in_valid.value, dut.leave_valid.value, dut.out_ready.value = 1, 0, 0, 0
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    for leaves in (0, 1):
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value, dut.in_arrival.value, dut.leave_index.value = 0, 1 << INDEX_AT, 1
        await RisingEdge(dut.clk)
        dut.in_valid.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.in_valid.value, dut.leave_valid.value = 0, leaves
        await RisingEdge(dut.clk)
        dut.leave_valid.value, dut.rst.value = 0, 1
        for _ in range(3):
            await RisingEdge(dut.clk)
            await ReadOnly()
            assert (dut.out_valid.value, dut.count.value, dut.stale.value) == (0, 0, 0)


@pytest.mark.parametrize("seed", some([1], [2, 3]))
def test_tcp_fast_arrivals(seed: int) -> None:
    run_bench("tcp_fast_arrivals", {"DEPTH": DEPTH}, seed=seed)
