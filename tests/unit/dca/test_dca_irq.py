# SPDX-License-Identifier: Apache-2.0
"""Interrupts by what can be read or written at TCP sockets, and the status word that says all of one.

The model is the definition: what the engine has told, less what the program has moved. Memory has nothing to say here.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from dca.bench import LINE_REQ, LINE_RSP, UNIT_REQ, UNIT_RSP
from net_hw import Layout
from runs import seeds

TB = Path(__file__).resolve().parents[2] / "support" / "dca" / "dca_tb.sv"

TOLD = Layout(index=4, begins=1, finished=1, closed=1, received=32, acknowledged=32, all_read=1)
TCP_STORE, TCP_LOAD, COMMAND, STATUS = 0, 1, 5, 6
NO_WAIT = 1
SET_IRQ, SET_IRQ_ROOM, GET_TO_LOAD, GET_ROOM, GET_STATE, GET_STREAM = 3, 4, 4, 5, 6, 7
SOCKETS, DRAM, LONGEST, EAGAIN = 16, 0x4000_0000, 1472, 11
SETTLE = 24
"""Cycles of cpu_clk until what is told or moved is in the masks' word."""


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.received, self.read, self.given, self.acknowledged = ([0] * SOCKETS for _ in range(4))
        self.finished, self.closed = ([False] * SOCKETS for _ in range(2))
        self.ring = 0

    async def start(self) -> Bench:
        dut = self.dut
        for name in (
            "udp_rx",
            "match",
            "direct",
            "us",
            "address",
            "rings_m2s",
            "memory_s2m",
            "told_valid",
            "told",
            "sizes",
            "in_fetch_valid",
            "fetch",
            "fetch_ready",
            "fetch_idle",
            "fetched_last",
        ):
            getattr(dut, name).value = 0
        dut.direct_tcp.value, dut.request_ready.value, dut.udp_tx_ready.value = (1 << SOCKETS) - 1, 1, 1
        dut.unit_req.value, dut.line_rsp.value = 0, LINE_RSP.pack(ready=1)
        dut.nic_rst.value = dut.cpu_rst.value = 1
        cocotb.start_soon(Clock(dut.nic_clk, 8000, "ps").start())
        cocotb.start_soon(Clock(dut.cpu_clk, 12500, "ps").start())
        await self.pause(12)
        dut.nic_rst.value = dut.cpu_rst.value = 0
        cocotb.start_soon(self._cache())
        await self.pause(SETTLE)
        for socket in range(SOCKETS):
            await self.tell(socket, begins=1)
        self.ring = (await self.status(0, GET_STREAM)) >> 2 & 0x7FFF
        assert self.ring in (4096, 8192, 16384)
        return self

    async def pause(self, cycles: int) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.cpu_clk)

    async def _cache(self) -> None:
        """Each line is zeros, a cycle later."""
        while True:
            await RisingEdge(self.dut.cpu_clk)
            request = LINE_REQ.unpack(int(self.dut.line_req.value))
            self.dut.line_rsp.value = LINE_RSP.pack(ready=1, valid=int(request["valid"] and not request["write"]))

    async def call(self, op: int, a: int, socket: int, low: int, how: int = 0) -> int:
        dut = self.dut
        dut.unit_req.value = UNIT_REQ.pack(valid=1, funct7=how, funct3=op, a=a, b=socket << 16 | low)
        taken = False
        while True:
            await RisingEdge(dut.cpu_clk)
            rsp = UNIT_RSP.unpack(int(dut.unit_rsp.value))
            if rsp["valid"]:
                data: int = rsp["data"]
                return data
            if rsp["ready"] and not taken:
                taken = True
                dut.unit_req.value = 0

    async def status(self, socket: int, item: int) -> int:
        return await self.call(STATUS, 0, socket, item)

    async def tell(self, socket: int, *, begins: int = 0, finished: int = 0, closed: int = 0) -> None:
        """What the engine says of a connection, as it is."""
        dut = self.dut
        if begins:
            self.received[socket] = self.read[socket] = self.given[socket] = self.acknowledged[socket] = 0
            self.finished[socket] = self.closed[socket] = False
        self.finished[socket] |= bool(finished)
        self.closed[socket] |= bool(closed)
        await RisingEdge(dut.nic_clk)
        dut.told.value = TOLD.pack(
            index=socket, begins=begins, finished=finished, closed=closed, received=self.received[socket],
            acknowledged=self.acknowledged[socket],
        )  # fmt: skip
        dut.told_valid.value = 1
        await RisingEdge(dut.nic_clk)
        dut.told_valid.value = 0
        await self.pause(SETTLE)

    # ---- As the header of dca_pkg says it

    def waits(self, socket: int) -> int:
        return self.received[socket] - self.read[socket]

    def room(self, socket: int) -> int:
        return self.ring - (self.given[socket] - self.acknowledged[socket])

    def wanted(self, reads: int, rooms: int) -> int:
        return int(any(
            (reads >> 16 + i & 1 and (self.waits(i) or self.finished[i] or self.closed[i]))
            or (rooms >> 16 + i & 1 and 2 * self.room(i) >= self.ring)
            for i in range(SOCKETS)
        ))  # fmt: skip


@cocotb.test()
async def an_interrupt_is_what_the_masks_say(dut: Any) -> None:
    b = await Bench(dut).start()
    rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
    seen = {0: 0, 1: 0}
    reads = rooms = 0
    for _ in range(400):
        socket = rng.choice((0, 3, 15))
        what = rng.randrange(7)
        if what == 0:
            reads = rng.choice((0, 1 << 16 + socket, 0xFFFF0000, 0xFFFF))
            assert await b.call(COMMAND, reads, 0, SET_IRQ) == 0
        elif what == 1:
            rooms = rng.choice((0, 1 << 16 + socket, 0xFFFF, 1 << 16 + rng.randrange(16)))
            assert await b.call(COMMAND, rooms, 0, SET_IRQ_ROOM) == 0
        elif what == 2 and not b.closed[socket]:
            b.received[socket] += rng.randrange(b.ring - b.waits(socket) + 1)
            await b.tell(socket)
        elif what == 3 and not b.closed[socket]:
            used = b.given[socket] - b.acknowledged[socket]
            b.acknowledged[socket] += min(used, max(0, used - b.ring // 2 + rng.randrange(-1, 3)))
            await b.tell(socket)
        elif what == 4 and b.waits(socket):
            count = min(rng.choice((1, LONGEST)), b.waits(socket), LONGEST)
            assert await b.call(TCP_LOAD, DRAM + 7, socket, count, NO_WAIT) == count
            b.read[socket] += count
        elif what == 5 and b.room(socket) and not b.closed[socket]:
            half = b.room(socket) - b.ring // 2 + rng.randrange(-1, 2)
            count = min(half if half > 0 else LONGEST, b.room(socket), LONGEST)
            assert await b.call(TCP_STORE, DRAM + 7, socket, count, NO_WAIT) == count
            b.given[socket] += count
        elif what == 6:
            ends: tuple[dict[str, int], ...] = ({"begins": 1}, {"begins": 1}, {"finished": 1}, {"closed": 1})
            await b.tell(socket, **rng.choice(ends[:1] if b.closed[socket] else ends))
        await b.pause(4)
        want = b.wanted(reads, rooms)
        seen[want] += 1
        assert int(dut.irq.value) == want, (what, socket)
        state = b.closed[socket] << 1 | int(b.finished[socket])
        assert await b.status(socket, GET_STATE) == state
        assert await b.status(socket, GET_TO_LOAD) == min(b.waits(socket), LONGEST)
        assert await b.status(socket, GET_ROOM) == min(b.room(socket), LONGEST)
        assert await b.status(socket, GET_STREAM) == b.waits(socket) << 17 | b.room(socket) << 2 | state
    assert min(seen.values()) > 20


@pytest.mark.parametrize("seed", seeds(1, 10))
def test_interrupts_and_status_of_tcp_sockets(seed: int) -> None:
    run_bench("dca_tb", testcase="an_interrupt_is_what_the_masks_say", seed=seed, extra_sources=(TB,))
