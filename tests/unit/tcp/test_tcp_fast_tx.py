# SPDX-License-Identifier: Apache-2.0
"""tcp_fast_tx with packets behind each other: what is told leaves as Scapy would send it, in order, without a gap.

test_tcp_fast.py has single packets and their latency.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import some
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

WORD = 1 << 32
CONNECTIONS = 8
HEADER = 54
LONGEST = 1460
TB = Path(__file__).parent / "tcp_fast_tx_tb.sv"


def beats(data: bytes, lanes: int) -> Iterator[tuple[int, int, bool]]:
    """Data, mask and whether it is the last, for each beat."""
    for at in range(0, len(data), lanes):
        part = data[at : at + lanes]
        keep = ((1 << len(part)) - 1) << (lanes - len(part))
        yield int.from_bytes(part.ljust(lanes, b"\0"), "big"), keep, at + lanes >= len(data)


def frame_of(connection: int, seq: int, ack: int, payload: bytes) -> bytes:
    """What Scapy sends on that connection."""
    return bytes(
        Ether(dst="02:00:00:00:00:07", src="02:00:00:00:00:02")
        / IP(src="10.0.0.2", dst="10.0.0.7", flags="DF", id=0)
        / TCP(sport=7 + connection, dport=40000 + connection, seq=seq, ack=ack, flags="PA", window=4096)
        / Raw(payload)
    )


@dataclass
class Line:
    """The block, an application, a core that tells what was given, and what has come out."""

    dut: Any
    lanes: int
    line: int
    rng: random.Random
    given: list[int] = field(default_factory=lambda: [0] * CONNECTIONS)
    """By connection: bytes so far, of whole packets."""
    nxts: list[int] = field(default_factory=lambda: [(c << 29) % WORD for c in range(CONNECTIONS)])
    acks: list[int] = field(default_factory=lambda: [100] * CONNECTIONS)
    pending: list[int] = field(default_factory=lambda: [0] * CONNECTIONS)
    payloads: dict[tuple[int, int], bytes] = field(default_factory=dict)
    """By connection and sequence number."""
    told: deque[tuple[int, int, int, int]] = field(default_factory=deque)
    """Connection, sequence number, length, acknowledgement: what has to leave."""
    events: list[tuple[int, int, int]] = field(default_factory=list)
    """Of the core: cycle, connection, bytes."""
    frames: int = 0
    firsts: list[int] = field(default_factory=list)
    """Cycles of first words."""
    idle: int = 0
    """Cycles in which the line would have taken a word."""
    cycle: int = 0
    core: tuple[int, int] = (8, 60)
    """How long it takes to tell, cycles."""
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("good", "broken", "left", "go"), 0))

    async def start(self) -> Line:
        dut = self.dut
        for port in ("s_tvalid", "doorbell", "s_thold", "s_tpromise"):
            dut[port].value = 0
        for port in ("out_ready", "neighbour_known", "sent_room"):
            dut[port].value = 1
        self._show()
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self._watch())
        await RisingEdge(dut.clk)
        return self

    def _show(self) -> None:
        for port, values in (("nxts", self.nxts), ("acks", self.acks)):
            self.dut[port].value = sum(value << 32 * c for c, value in enumerate(values))
        self.dut.pendings.value = sum(bit << c for c, bit in enumerate(self.pending))

    async def _watch(self) -> None:
        dut, frame = self.dut, bytearray()
        while True:
            await ReadOnly()
            for name in self.counts:
                self.counts[name] += int(dut[name].value)
            if dut.sent_valid.value:
                connection, length = int(dut.sent_index.value), int(dut.sent_length.value)
                assert not self.pending[connection]
                self.told.append((connection, int(dut.sent_seq.value), length, int(dut.sent_ack.value)))
                self.pending[connection] = 1
            if dut.out_ready.value and not dut.out_valid.value:
                self.idle += 1
                assert not frame
            if dut.out_valid.value and dut.out_ready.value:
                if not frame:
                    self.firsts.append(self.cycle)
                kept = int(dut.out_keep.value).bit_count()
                frame += int(dut.out_data.value).to_bytes(self.line, "big")[:kept]
                assert dut.out_last.value or (kept == self.line and not dut.out_bad.value)
                if dut.out_last.value:
                    if not dut.out_bad.value:
                        connection, seq, length, ack = self.told.popleft()
                        payload = self.payloads[connection, seq]
                        assert len(payload) == length and frame == frame_of(connection, seq, ack, payload)
                        self.frames += 1
                    frame.clear()
            await RisingEdge(dut.clk)
            self.cycle += 1
            for event in [event for event in self.events if event[0] <= self.cycle]:
                self.events.remove(event)
                _, connection, length = event
                self.nxts[connection] = (self.nxts[connection] + length) % WORD
                self.pending[connection] = 0
            if self.rng.random() < 0.02:
                self.acks[self.rng.randrange(CONNECTIONS)] = self.rng.randrange(WORD)
            self._show()

    def _core_tells(self, connection: int, length: int) -> None:
        at = self.cycle + self.rng.randint(*self.core)
        at = max([at, *(cycle + 1 for cycle, other, _ in self.events if other == connection)])
        self.events.append((at, connection, length))

    async def give(
        self, connection: int, payload: bytes, *, promise: bool = True, gaps: float = 0.0, hold: bool = False
    ) -> None:
        """A packet: waits until it is taken, and lets a cycle pass as tcp_stream_send does."""
        dut = self.dut
        seq = ((connection << 29) + self.given[connection]) % WORD
        self.payloads[connection, seq] = payload
        dut.s_tdest.value, dut.s_tlength.value, dut.s_position.value = connection, len(payload), self.given[connection]
        dut.s_tpromise.value, dut.s_thold.value = promise, hold
        for value, keep, last in beats(payload, self.lanes):
            while gaps and self.rng.random() < gaps:
                dut.s_tvalid.value = 0
                await RisingEdge(dut.clk)
            dut.s_tvalid.value, dut.s_tdata.value, dut.s_tkeep.value, dut.s_tlast.value = 1, value, keep, last
            while True:
                await ReadOnly()
                taken = dut.s_tready.value
                await RisingEdge(dut.clk)
                if taken:
                    break
        dut.s_tvalid.value = 0
        self.given[connection] += len(payload)
        if not hold:
            self._core_tells(connection, len(payload))
        await RisingEdge(dut.clk)

    async def ring(self, connection: int, length: int) -> None:
        self.dut.doorbell.value, self.dut.doorbell_dest.value = 1, connection
        await RisingEdge(self.dut.clk)
        self.dut.doorbell.value = 0
        self._core_tells(connection, length)

    async def wait(self, cycles: int) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)

    async def drained(self) -> None:
        for _ in range(40):
            await self.wait(100)
            if not self.told and not self.events:
                return
        raise AssertionError("what was told has not left")


async def started(dut: Any) -> Line:
    return await Line(
        dut, len(dut.s_tdata) // 8, len(dut.out_keep), random.Random(int(os.environ["FAST_SEED"]))
    ).start()


def cycles_of(line: Line, length: int) -> int:
    """That a packet takes, in or out, whichever is longer."""
    return max(-(-(HEADER + length) // line.line), -(-length // line.lanes) + 1)


@cocotb.test()
async def packets_behind_each_other_leave_without_a_gap(dut: Any) -> None:
    line = await started(dut)
    connection = 0
    for length in (LONGEST, LONGEST, 7 * line.lanes, 1, line.rng.randrange(LONGEST // 2, LONGEST)):
        line.core = (8, min(60, 5 * cycles_of(line, length)))
        for promise in (True, False):
            line.firsts.clear()
            left = line.counts["left"]
            for _ in range(7):
                connection = (connection + 1) % CONNECTIONS
                await line.give(connection, line.rng.randbytes(length), promise=promise)
            await line.drained()
            between = [b - a for a, b in zip(line.firsts, line.firsts[1:], strict=False)]
            assert line.counts["left"] == left and len(between) == 6
            assert all(cycles <= cycles_of(line, length) + 1 for cycles in between), (length, promise, between)
            if length == LONGEST:
                assert sum(between[1:]) == 5 * cycles_of(line, length), (promise, between)
    assert not line.counts["broken"]


@cocotb.test()
async def a_line_that_stalls_is_never_without_a_word_while_packets_wait(dut: Any) -> None:
    line = await started(dut)
    stalls = [True]

    async def ready() -> None:
        while True:
            dut.out_ready.value = not stalls[0] or line.rng.random() < 0.85
            await RisingEdge(dut.clk)

    cocotb.start_soon(ready())
    line.core = (8, 90)
    count = 4000 // cycles_of(line, LONGEST)
    for number in range(count):
        if number == 3:
            line.idle = 0
        await line.give(number % CONNECTIONS, line.rng.randbytes(LONGEST), promise=bool(line.rng.getrandbits(1)))
    assert line.idle <= count // 8, line.idle
    await line.drained()
    assert not line.counts["left"] and line.frames == count


@cocotb.test()
async def whatever_comes_leaves_once_from_here_or_is_left(dut: Any) -> None:
    line = await started(dut)
    rng = line.rng
    pace = [0.5]

    async def ready() -> None:
        while True:
            dut.out_ready.value = rng.random() < pace[0]
            if rng.random() < 0.01:
                dut.neighbour_known.value = rng.random() < 0.8
                dut.sent_room.value = rng.random() < 0.8
                pace[0] = rng.choice((1.0, 1.0, 0.9, 0.5, 0.1))
            await RisingEdge(dut.clk)

    cocotb.start_soon(ready())
    packets = 0
    lengths = (1, 2, 9, 10, 11, line.lanes, 2 * line.lanes + 1, 5 * line.lanes, 300)
    for _ in range(130 if line.lanes > 8 else 80):
        length = rng.choice((*lengths, rng.randrange(1, 12 * line.lanes + 1)))
        hold = rng.random() < 0.15
        connection = rng.randrange(CONNECTIONS)
        if hold and any(other == connection for _, other, _ in line.events):
            continue  # its bell would ring for what is not given yet, too
        await line.give(
            connection, rng.randbytes(length), promise=rng.random() < 0.7, gaps=rng.choice((0, 0, 0.02, 0.3)), hold=hold
        )
        packets += 1
        if hold:
            await line.wait(rng.choice((0, 3, 40)))
            if rng.random() < 0.5:
                other = (connection + 1) % CONNECTIONS
                await line.give(other, rng.randbytes(rng.choice(lengths)))
                packets += 1
            await line.ring(connection, length)
        await line.wait(rng.choice((0, 0, 0, 0, 1, 2, 3, rng.randrange(60))))
    pace[0] = 1.0
    await line.drained()
    counts = line.counts
    assert counts["good"] == line.frames and counts["go"] == counts["good"] + counts["broken"]
    assert packets == counts["good"] + counts["broken"] + counts["left"], (packets, counts)
    assert counts["good"] > packets // 4 and counts["left"]


QUICK = [(128, 64, 1), (512, 512, 1), (128, 128, 1)]
MORE = [
    (64, 64, 1),
    (256, 256, 1),
    (512, 128, 1),
    *((width, width, seed) for width in (64, 128, 256, 512) for seed in (2, 3)),
]


@pytest.mark.parametrize(("width", "line", "seed"), some(QUICK, MORE))
def test_tcp_fast_tx(width: int, line: int, seed: int) -> None:
    parameters = {"WIDTH": width, "LINE": line}
    run_bench("tcp_fast_tx_tb", parameters, extra_sources=(TB,), extra_env={"FAST_SEED": str(seed)}, seed=seed)
