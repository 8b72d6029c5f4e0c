# SPDX-License-Identifier: Apache-2.0
"""pnic_system: the time counts, messages come out with who sent them, interrupts come as seldom as they should and none
is forgotten."""

from itertools import groupby, pairwise
from typing import Any

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from net_hw import Layout

REG = Layout(valid=1, write=1, number=6, data=32)
TIME, MESSAGE, INTERRUPT, MODERATION = range(4)


async def started(dut: Any) -> None:
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst.value, dut.regs.value, dut.regs_core.value, dut.seen.value = 1, 0, 0, 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0


async def access(dut: Any, number: int, data: int | None = None, core: int = 0) -> int:
    dut.regs.value = REG.pack(valid=1, write=int(data is not None), number=number, data=data or 0)
    dut.regs_core.value = core
    await RisingEdge(dut.clk)
    dut.regs.value = 0
    await RisingEdge(dut.clk)
    return int(dut.regs_data.value)


@cocotb.test()
async def the_time_counts_and_messages_are_shown_once(dut: Any) -> None:
    await started(dut)
    first = await access(dut, TIME)
    for _ in range(100):
        await RisingEdge(dut.clk)
    assert await access(dut, TIME) == first + 102
    for core, value in ((5, 0xDEADBEEF), (0, 1), (7, 0xFFFFFFFF)):
        await access(dut, MESSAGE, value, core)
        assert (dut.message_valid.value, dut.message.value, dut.message_core.value) == (1, value, core)
        await RisingEdge(dut.clk)
        assert not dut.message_valid.value
        assert await access(dut, MESSAGE) == value
        assert not dut.message_valid.value
    for value in (0xFFFFFFFF, 0, 5):
        await access(dut, MODERATION, value)
        assert not dut.message_valid.value and await access(dut, MODERATION) == value


@cocotb.test()
async def an_interrupt_comes_at_once_and_the_next_not_before_its_time(dut: Any) -> None:
    await started(dut)
    await access(dut, MODERATION, 200)
    rises: list[int] = []
    was = cycle = 0
    asked = 0
    for cycle in range(1000):
        ask = cycle in (3, 10, 11, 500, 620)
        dut.regs.value = REG.pack(valid=1, write=1, number=INTERRUPT, data=0) if ask else 0
        asked += ask
        dut.seen.value = int(bool(was) and cycle % 7 == 0)
        await RisingEdge(dut.clk)
        now = int(dut.irq.value)
        if now and not was:
            rises.append(cycle)
        was = now
    assert len(rises) == 4, "those of cycles 10 and 11 are one"
    assert rises[0] <= 6 and all(later - first >= 200 for first, later in pairwise(rises))
    assert rises[1] <= rises[0] + 204 and rises[2] <= 504 and rises[3] <= rises[2] + 204


@cocotb.test()
async def an_interrupt_that_was_seen_is_low_for_a_while_before_the_next(dut: Any) -> None:
    """And that with no moderation: a host with a slower clock has to see that it is another one."""
    await started(dut)
    levels = []
    for cycle in range(400):
        dut.regs.value = REG.pack(valid=1, write=1, number=INTERRUPT, data=0)
        dut.seen.value = int(cycle % 50 == 49)
        await RisingEdge(dut.clk)
        levels.append(int(dut.irq.value))
    runs = [(level, len(list(run))) for level, run in groupby(levels)][1:-1]
    assert len(runs) >= 12 and all(length == 9 for level, length in runs if not level)


def test_pnic_system() -> None:
    run_bench("pnic_system")
