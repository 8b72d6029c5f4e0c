# SPDX-License-Identifier: Apache-2.0
"""cpu_lsu of a core that is not alone: a reservation that somebody else ends, and atomics that wait for stores."""

from collections import deque

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from net_hw import Layout

pytestmark = pytest.mark.slow

OP = Layout(ordered=1, kind=3, funct3=3, amo=5, quiet=1, bypass=1)
REQUEST = Layout(lock=1, read=1, posted=1, mask=8, address=32, data=64)
LR, SC, AMO = 3, 4, 5
DRAM, LOCAL = 0x4000_0044, 0x5000_0040
ANSWER = 3
"""Cycles from a request to its answer."""
GAP = 4
"""Cycles from the end of an LR to its SC."""


class Bench:
    """A cycle at a time; what the bus was asked, and when."""

    def __init__(self, dut) -> None:
        self.dut, self.now = dut, 0
        self.asked: list[tuple[int, dict[str, int]]] = []
        self.answers: deque[int] = deque()

    async def start(self) -> None:
        dut = self.dut
        for name in ("offer", "issue", "issue_overlap", "precise_stores", "drop_all", "drop_reservation", "rsp_valid",
                     "rsp_err", "rsp_data", "stores_pending", "loads_pending", "snoop", "line_req",
                     "reserved_lost"):  # fmt: skip
            getattr(dut, name).value = 0
        dut.bus_ready.value = 1
        cocotb.start_soon(Clock(dut.cpu_clk, 10, "ns").start())
        dut.cpu_rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.cpu_clk)
        dut.cpu_rst.value = 0
        for _ in range(20):
            await self.cycle()

    async def cycle(self, operation: int | None = None, address: int = 0) -> int | None:
        """The result if an operation ends in this cycle."""
        dut = self.dut
        answered = bool(self.answers) and self.answers[0] == self.now
        dut.rsp_valid.value = answered
        if answered:
            self.answers.popleft()
        await FallingEdge(dut.cpu_clk)
        dut.issue.value = dut.offer.value = operation is not None
        if operation is not None:
            dut.issue_op.value, dut.issue_address.value, dut.issue_data.value = operation, address, 7
        await RisingEdge(dut.cpu_clk)
        if int(dut.bus_valid.value):
            self.asked.append((self.now, REQUEST.unpack(int(dut.bus_req.value))))
            self.answers.append(self.now + ANSWER)
        self.now += 1
        return None if int(dut.busy.value) else int(dut.result.value)


def op(kind: int, ordered: bool = False) -> int:
    return OP.pack(kind=kind, funct3=2, amo=kind - 1 if kind != AMO else 0, ordered=ordered)


async def pair(bench: Bench, address: int, at: int | None) -> tuple[int, int, int]:
    """LR and SC, with a `reserved_lost` that many cycles behind the one in which LR is handed over. What SC says, how
    many requests it made, and the cycle, counted likewise, of the answer to its locked read."""
    dut = bench.dut
    began = bench.now
    when = None if at is None else began + at
    first = len(bench.asked)

    async def step(operation: int | None = None) -> int | None:
        dut.reserved_lost.value = bench.now == when
        found = await bench.cycle(operation, address)
        if bench.now - began >= 2:  # LR is in MEM
            assert int(dut.reserved.value) == address >> 2
        return found

    await step(op(LR))
    while await step() is None:
        pass
    for _ in range(GAP):
        await step()
    asked = len(bench.asked)
    assert asked == first + 1 and bench.asked[first][0] == began + 1, "LR's request leaves as it comes to MEM"
    await step(op(SC))
    while (failed := await step()) is None:
        pass
    mine = bench.asked[asked:]
    for _ in range(30):
        await step()
    if mine:
        (_, read), (_, write) = mine
        assert read["lock"] and read["read"] and not write["lock"] and not write["read"]
        assert write["mask"] == (0 if failed else 0x0F if address & 4 else 0xF0)
    return failed, len(mine), mine[0][0] + ANSWER - began if mine else 0


@cocotb.test()
async def an_sc_fails_if_its_word_was_written_from_the_request_of_lr_to_the_answer_of_its_own_read(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for address in (DRAM, LOCAL):
        failed, requests, answer = await pair(bench, address, None)
        assert (failed, requests) == (0, 2)
        handed_over = answer - ANSWER - 1
        for at in range(answer + 6):
            failed, requests, _ = await pair(bench, address, at)
            assert failed == (2 <= at <= answer), f"{at} cycles behind LR"
            assert requests == (0 if 2 <= at <= handed_over else 2), f"{at}: an SC that knows does not ask"


@cocotb.test()
async def an_ordered_atomic_waits_for_the_answer_of_every_store(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for kind in (LR, SC, AMO):
        for ordered in (False, True):
            if kind == SC:
                await bench.cycle(op(LR), LOCAL)
                while await bench.cycle() is None:
                    pass
            asked = len(bench.asked)
            dut.stores_pending.value = 1
            await bench.cycle(op(kind, ordered), LOCAL)
            for _ in range(10):
                await bench.cycle()
            assert (len(bench.asked) == asked) == ordered
            dut.stores_pending.value = 0
            for _ in range(20):
                await bench.cycle()
            assert len(bench.asked) == asked + (1 if kind == LR else 2)


def test_cpu_lsu_shared() -> None:
    run_bench("cpu_lsu", {"CACHE_BYTES": 128, "SHARED": 1})
