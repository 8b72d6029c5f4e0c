# SPDX-License-Identifier: Apache-2.0
"""Direct cache access: unit and slots in two clocks, between a line with datagrams and a memory that is looked at.

What a load must bring is what was given and not counted as dropped, in order, by socket. What a store must send is what
lies in memory, its sum made here from the bytes. After each instruction every byte outside its buffer is as it was.
"""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time
from net_hw import OUR_IP, UDP_RX_USER, UDP_TX_USER, Item, Layout, Sink, beats, ip_number
from runs import seeds, some

TB = Path(__file__).resolve().parents[2] / "support" / "dca" / "dca_tb.sv"

UNIT_REQ = Layout(valid=1, funct7=7, funct3=3, a=32, b=32, interrupted=1)
UNIT_RSP = Layout(ready=1, valid=1, data=32)
LINE_REQ = Layout(valid=1, write=1, address=27, mask=32, data=256)
LINE_RSP = Layout(ready=1, valid=1, err=1, data=256)

TCP_STORE, TCP_LOAD, STORE, LOAD, EVENT, COMMAND, STATUS, NOTHING = range(8)
NO_WAIT, PEEK, HEADER = 1, 2, 4
PEER_ADDRESS, PEER_PORT, OPTIONS, IRQ = range(4)
WAITING, LENGTH, DROPS = range(3)
EINTR, EBADF, EAGAIN, EFAULT, EINVAL, ENOSYS, EDESTADDRREQ, EMSGSIZE = 4, 9, 11, 14, 22, 38, 89, 90
PACKET, PACKET_BYTES, DRAM, DRAM_BYTES = 0x5000_0000, 4096, 0x4000_0000, 8192
SOCKETS, LONGEST, LINE, SLOTS = 16, 1472, 32, 16


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def ones_sum(data: bytes) -> int:
    """One's complement sum of big-endian words, by its definition: end-around carry after each."""
    total = 0
    for at in range(0, len(data), 2):
        total += int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big")
        total = (total & 0xFFFF) + (total >> 16)
    return total


@dataclass
class Given:
    """A datagram from the line."""

    socket: int
    data: bytes
    user: dict[str, int]
    bad: bool = False
    us: int = 0
    begun: float = 0.0
    ended: float = 0.0

    @property
    def header(self) -> bytes:
        ends = self.user["source"] << 32 | self.user["source_port"] << 16 | self.user["port"]
        about = self.us << 32 | int(self.user["destination"] != ip_number(OUR_IP)) << 16 | self.user["length"]
        return ends.to_bytes(8, "big") + about.to_bytes(8, "big") + bytes(16)


@dataclass
class Socket:
    waiting: deque[Given] = field(default_factory=deque)
    peer: tuple[int, int] = (0, 0)
    options: tuple[int, int, int] = (64, 0, 0)
    drops: int = 0


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.memory = {base: bytearray(self.rng.randbytes(size))
                       for base, size in ((PACKET, PACKET_BYTES), (DRAM, DRAM_BYTES))}  # fmt: skip
        self.line: deque[Given] = deque()
        self.gap = lambda: 8
        self.beat_stall = 0.0
        self.judging: deque[Given] = deque()
        self.sockets = [Socket() for _ in range(SOCKETS)]
        self.sent = Sink(dut, "udp_tx", UDP_TX_USER, empty=True)
        self.wanted: list[Item] = []
        self.stall = 0.0  # of the line port
        self.latency = lambda: 1
        self.errors = 0.0
        self.refused = False
        self.interrupt = 0.0
        self.interrupted = 0
        self.cycle = self.nic_cycle = 0
        self.pending: deque[tuple[int, int]] = deque()  # answers of the line port: not before, address
        self.request = 0
        self.bad_seen = 0
        self.shares = self.full = 0
        self.writes: list[tuple[int, int, int]] = []
        self.us = 0
        self.coming = False  # a datagram is under way

    async def start(self, nic_ps: int = 8000, cpu_ps: int = 12500, phase_ps: int = 0) -> Bench:
        dut = self.dut
        dut.nic_rst.value = dut.cpu_rst.value = 1
        dut.address.value, dut.direct.value, dut.match.value, dut.us.value = ip_number(OUR_IP), (1 << SOCKETS) - 1, 0, 0
        dut.udp_rx.value = dut.unit_req.value = dut.line_rsp.value = 0
        self.cpu_ps = cpu_ps
        cocotb.start_soon(Clock(dut.nic_clk, nic_ps, "ps").start())
        if phase_ps:
            await Timer(phase_ps, "ps")
        cocotb.start_soon(Clock(dut.cpu_clk, cpu_ps, "ps").start())
        for clock in (dut.nic_clk, dut.cpu_clk):
            for _ in range(8):
                await RisingEdge(clock)
        dut.nic_rst.value = 0
        dut.cpu_rst.value = 0
        self.tasks = [cocotb.start_soon(self._nic()), cocotb.start_soon(self._cpu())]
        await self.pause(40)
        return self

    # ---- nic_clk

    async def _nic(self) -> None:
        dut, clock, rng = self.dut, RisingEdge(self.dut.nic_clk), self.rng
        words: deque[int] = deque()
        now: Given | None = None
        wait = 0
        last = False
        while True:
            await clock
            self.nic_cycle += 1
            self.sent.step(self.nic_cycle, rng)
            pulses = int(dut.done.value), int(dut.drop_share.value), int(dut.drop_slots.value)
            if any(pulses):
                assert sum(pulses) == 1
                one = self.judging.popleft()
                if pulses[0]:
                    self.sockets[one.socket].waiting.append(one)
                else:
                    self.shares += pulses[1]
                    self.full += pulses[2]
                    self.sockets[one.socket].drops += 1
            self.us = (self.us + rng.randrange(3)) & 0xFFFF_FFFF
            dut.us.value = self.us
            self.coming = now is not None
            if last:
                last = False
                assert now
                now.ended = get_sim_time("ps")  # that edge has taken it
                if now.bad:
                    self.bad_seen += 1
                else:
                    self.judging.append(now)
                now = None
            if now is None and self.line and wait <= 0:
                now = self.line.popleft()
                self.coming = True
                words.extend(beats(Item(now.data, now.user, now.bad), UDP_RX_USER))
                now.begun = -1
                wait = max(3, self.gap())
            if now is not None and not (self.beat_stall and rng.random() < self.beat_stall):
                if now.begun < 0:
                    now.begun, now.us = get_sim_time("ps"), self.us
                dut.udp_rx.value = words.popleft()
                dut.match.value = 1 << now.socket | (rng.getrandbits(SOCKETS) & -(2 << now.socket) & 0xFFFF)
                last = not words
            else:
                wait -= now is None
                dut.udp_rx.value = rng.getrandbits(UDP_RX_USER.bits + 73) << 1
                dut.match.value = rng.getrandbits(SOCKETS)

    # ---- cpu_clk

    def place(self, address: int) -> tuple[bytearray, int]:
        base = PACKET if address >> 28 == PACKET >> 28 else DRAM
        assert 0 <= address - base <= len(self.memory[base]) - LINE, hex(address)
        return self.memory[base], address - base

    async def _cpu(self) -> None:
        dut, clock, rng = self.dut, RisingEdge(self.dut.cpu_clk), self.rng
        ready = 0
        waiting: dict[str, int] | None = None
        while True:
            await clock
            self.cycle += 1
            word = int(dut.line_req.value)
            request = LINE_REQ.unpack(word)
            if not request["write"]:
                request["mask"] = request["data"] = 0
            if waiting is not None:
                assert request == waiting, "a request on offer changed"
            waiting = request if request["valid"] and not ready else None
            if request["valid"] and ready:
                address = request["address"] << 5
                held, at = self.place(address)
                if request["write"]:
                    self.writes.append((self.cycle, address, request["mask"]))
                    data = request["data"].to_bytes(LINE, "big")
                    for i in range(LINE):
                        if request["mask"] >> 31 - i & 1:
                            held[at + i] = data[i]
                else:
                    self.pending.append((self.cycle + self.latency(), address))
            ready = int(not self.stall or rng.random() >= self.stall)
            answer = {"ready": ready, "valid": 0, "err": rng.getrandbits(1), "data": rng.getrandbits(256)}
            if self.pending and self.pending[0][0] <= self.cycle + 1:
                held, at = self.place(self.pending.popleft()[1])
                err = int(bool(self.errors) and rng.random() < self.errors)
                self.refused |= bool(err)
                answer.update(valid=1, err=err)
                if not err:
                    answer["data"] = int.from_bytes(held[at : at + LINE], "big")
            dut.line_rsp.value = LINE_RSP.pack(**answer)
            self.interrupted = int(bool(self.interrupt) and rng.random() < self.interrupt)
            dut.unit_req.value = self.request | self.interrupted

    async def pause(self, cycles: int) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.cpu_clk)
            for task in self.tasks:
                if task.done():
                    await task

    async def until(self, true: Callable[[], bool], limit: int = 20_000) -> None:
        end = self.cycle + limit
        while not true():
            await self.pause(1)
            assert self.cycle < end, "it does not come to an end"

    async def call(self, op: int, a: int = 0, b: int = 0, how: int = 0, limit: int = 20_000) -> int:
        """An instruction; what it answers. `self.took`: cycles from the one that takes it to the answer."""
        dut = self.dut
        self.request = UNIT_REQ.pack(valid=1, funct7=how, funct3=op, a=a, b=b)
        dut.unit_req.value = self.request | self.interrupted
        end = self.cycle + limit
        taken = False
        began = 0
        while True:
            await self.pause(1)
            rsp = UNIT_RSP.unpack(int(dut.unit_rsp.value))
            assert not (rsp["valid"] and not taken), "an answer to nothing"
            if rsp["valid"]:
                self.took = self.cycle - began
                self.answered = get_sim_time("ps") - self.cpu_ps  # that is its cycle's end
                return signed(rsp["data"])
            if rsp["ready"] and not taken:
                taken, began = True, self.cycle
                self.request = self.rng.getrandbits(74) << 1
                dut.unit_req.value = self.request | self.interrupted
            assert self.cycle < end, "it hangs"

    # ---- What a program does

    async def peer(self, socket: int, address: int, port: int) -> None:
        assert await self.call(COMMAND, port, socket << 16 | PEER_PORT) == 0
        assert await self.call(COMMAND, address, socket << 16 | PEER_ADDRESS) == 0
        self.sockets[socket].peer = (address, port)

    def snapshot(self) -> dict[int, bytes]:
        return {base: bytes(held) for base, held in self.memory.items()}

    def unchanged(self, before: dict[int, bytes], address: int = DRAM, room: int = 0) -> None:
        """But for a buffer."""
        for base, was in before.items():
            now = self.memory[base]
            if address >> 28 == base >> 28:
                at = address - base
                assert now[:at] == was[:at] and now[at + room :] == was[at + room :], "a byte beside the buffer"
            else:
                assert now == was

    def bytes_at(self, address: int, length: int) -> bytes:
        base = PACKET if address >> 28 == PACKET >> 28 else DRAM
        return bytes(self.memory[base][address - base : address - base + length])

    async def load(self, socket: int, address: int, size: int, how: int = 0) -> int:
        """A load, its answer and all of memory judged."""
        room = size + (LINE if how & HEADER else 0)
        before, bad = self.snapshot(), self.bad_seen
        coming = bool(self.line)
        got = await self.call(LOAD, address, socket << 16 | size, how)
        self.unchanged(before, address, room)
        if got < 0:
            assert got in (-EINTR, -EAGAIN) and (got == -EAGAIN) <= bool(how & NO_WAIT)
            return got
        one = self.sockets[socket].waiting[0]
        if not how & PEEK:
            self.sockets[socket].waiting.popleft()
        want = (one.header if how & HEADER else b"") + one.data[:size]
        assert got == min(size, len(one.data))
        assert self.bytes_at(address, len(want)) == want
        if bad == self.bad_seen and not coming:
            self.unchanged(before, address, len(want))
        return got

    async def store(self, socket: int, address: int, size: int, how: int = 0) -> int:
        before = self.snapshot()
        self.refused = False
        got = await self.call(STORE, address, socket << 16 | size, how)
        self.unchanged(before)
        one = self.sockets[socket]
        if got < 0:
            assert (got == -EFAULT and self.refused) or (got == -EINTR and self.interrupt) \
                or (got == -EAGAIN and how & NO_WAIT)  # fmt: skip
            return got
        assert got == size and not self.refused
        start = address + (LINE if how & HEADER else 0)
        data = self.bytes_at(start, size)
        to, port = one.peer
        if how & HEADER:
            head = self.bytes_at(address, 6)
            to, port = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")
        ttl, tos, df = one.options
        user = {"steady": 1, "destination": to, "length": size, "ttl": ttl, "tos": tos, "df": df,
                "source_port": 0x1000 + socket, "port": port, "sum_known": 1, "sum": ones_sum(data)}  # fmt: skip
        self.wanted.append(Item(data, user))
        return got

    def check_sent(self) -> None:
        assert len(self.sent.items) == len(self.wanted)
        for got, want in zip(self.sent.items, self.wanted, strict=True):
            got_user, want_user = dict(got.user), dict(want.user)
            sums = got_user.pop("sum"), want_user.pop("sum")
            assert got_user == want_user and got.data == want.data and not got.bad
            assert sums[0] % 0xFFFF == sums[1] % 0xFFFF and bool(sums[0]) == bool(sums[1])
        self.sent.items.clear()
        self.wanted.clear()

    def give(self, socket: int, length: int, *, bad: bool = False, cut: int = 0) -> Given:
        rng = self.rng
        user = {"source": rng.getrandbits(32), "destination": rng.choice((ip_number(OUR_IP), rng.getrandbits(32))),
                "source_port": rng.getrandbits(16), "port": rng.getrandbits(16), "length": length}  # fmt: skip
        one = Given(socket, rng.randbytes(length - cut), user, bad)
        self.line.append(one)
        return one

    def buffer(self, room: int) -> int:
        """Somewhere, often at a region's edge."""
        base, size = self.rng.choice(((PACKET, PACKET_BYTES), (DRAM, DRAM_BYTES)))
        most = size - room
        return base + self.rng.choice((0, most, self.rng.randrange(most + 1), self.rng.randrange(most + 1)))

    async def quiet(self) -> None:
        """All that was given is judged, all that was stored is sent."""
        await self.until(lambda: not self.line and not self.coming)
        await self.pause(30)
        await self.until(lambda: len(self.sent.items) == len(self.wanted))
        assert not self.judging


def some_length(rng: random.Random) -> int:
    return rng.choice((rng.randrange(40), rng.randrange(300), rng.randrange(LONGEST + 1), LONGEST - rng.randrange(9)))


# ---- Anything --------------------------------------------------------------------------------------------------------


@cocotb.test()
async def any_datagrams_come_and_go(dut: Any) -> None:
    """Clocks, sockets, lengths, alignments, modifiers, stalls, misses, bad datagrams and interrupts at random."""
    pick = random.Random(random.getrandbits(64))
    nic = pick.choice((8000, 8000, pick.randrange(4000, 16000, 2)))
    cpu = pick.choice((12500, 8000, pick.randrange(5000, 3 * nic, 2)))
    b = await Bench(dut).start(nic, cpu, pick.randrange(cpu))
    rng = b.rng
    loads = stores = 0
    for socket in range(0, SOCKETS, 2):
        await b.peer(socket, rng.randrange(1, 1 << 32), rng.getrandbits(16))
        ttl, tos, df = rng.getrandbits(8), rng.getrandbits(8), rng.getrandbits(1)
        assert await b.call(COMMAND, df << 16 | tos << 8 | ttl, socket << 16 | OPTIONS) == 0
        b.sockets[socket].options = (ttl, tos, df)
    for _ in range(int(os.environ["ROUNDS"])):
        b.stall = rng.choice((0, 0, 0.2, 0.7))
        latency = rng.choice((1, 1, 4, 40))
        b.latency = lambda latency=latency: rng.choice((1, rng.randrange(1, latency + 1)))
        b.sent.stall = rng.choice((0, 0, 0.5))
        b.beat_stall = rng.choice((0, 0, 0, 0.3, 0.8))
        b.interrupt = rng.choice((0, 0, 0.01, 0.3))
        b.errors = rng.choice((0, 0, 0, 0.02))
        pace = rng.choice((8, 8, 200))
        b.gap = lambda pace=pace: rng.randrange(pace)
        active = rng.sample(range(SOCKETS), rng.choice((1, 2, 5)))
        for _ in range(rng.randrange(4, 12)):
            length = some_length(rng)
            bad = rng.random() < 0.3
            b.give(
                rng.choice(active), length, bad=bad, cut=rng.randrange(length + 1) if bad and rng.random() < 0.5 else 0
            )
        busy = True
        while busy:
            busy = bool(b.line)
            if rng.random() < 0.4:
                size = some_length(rng)
                how = rng.choice((0, 0, NO_WAIT)) | rng.choice((0, HEADER))
                socket = rng.randrange(SOCKETS) if how & HEADER else rng.randrange(0, SOCKETS, 2)
                stores += await b.store(socket, b.buffer(size + LINE * bool(how & HEADER)), size, how) >= 0
            for _ in range(rng.randrange(3)):
                if not any(s.waiting for s in b.sockets) and not b.line:
                    continue
                full = [i for i, s in enumerate(b.sockets) if s.waiting]
                size = rng.choice((some_length(rng), LONGEST, 2000))
                how = rng.choice((0, 0, HEADER)) | rng.choice((0, 0, PEEK))
                if full and rng.random() < 0.7:
                    socket = rng.choice(full)
                else:
                    socket = rng.choice(active)
                    if not b.interrupt:
                        how |= NO_WAIT
                loads += await b.load(socket, b.buffer(size + LINE * bool(how & HEADER)), size, how) >= 0
        await b.quiet()
        b.check_sent()
        for socket, one in enumerate(b.sockets):
            assert await b.call(STATUS, 0, socket << 16 | WAITING) == len(one.waiting)
            assert await b.call(STATUS, 0, socket << 16 | DROPS) == one.drops
            first = len(one.waiting[0].data) if one.waiting else -EAGAIN
            assert await b.call(STATUS, 0, socket << 16 | LENGTH) == first
            while one.waiting and rng.random() < 0.9:
                await b.load(socket, b.buffer(1504), LONGEST, HEADER)
    dut._log.info(f"{loads} loads, {stores} stores, {b.shares} and {b.full} dropped, {b.bad_seen} bad")


# ---- Loads that wait -------------------------------------------------------------------------------------------------


@cocotb.test()
async def a_load_follows_what_comes_in(dut: Any) -> None:
    """It waits before its datagram begins, past bad ones and those of others, at any alignment."""
    b = await Bench(dut).start(8000, 12500, 1000)
    rng = b.rng
    for round_ in range(int(os.environ["ROUNDS"])):
        b.beat_stall = rng.choice((0, 0, 0.5))
        b.stall = rng.choice((0, 0, 0.5, 0.99))
        socket = rng.randrange(SOCKETS)
        length = round_ if round_ < 40 else some_length(rng)
        size = rng.choice((LONGEST, LONGEST, rng.randrange(length + 1)))
        how = rng.choice((0, HEADER))
        others = rng.randrange(3)

        async def come(socket: int = socket, length: int = length, others: int = others) -> None:
            await b.pause(rng.randrange(12))
            for _ in range(others):
                bad = rng.random() < 0.7
                longer = rng.choice((rng.randrange(80), some_length(rng)))
                b.give(
                    socket if bad else (socket + 1) % SOCKETS,
                    longer,
                    bad=bad,
                    cut=rng.randrange(longer + 1) if bad else 0,
                )
            b.give(socket, length)

        coming = cocotb.start_soon(come())
        assert await b.load(socket, b.buffer(size + LINE * bool(how & HEADER)), size, how) == min(size, length)
        await coming
        b.stall = 0
        await b.until(lambda: not b.line and not b.judging)
        await b.pause(20)
        for one in range(SOCKETS):
            while b.sockets[one].waiting:
                await b.load(one, b.buffer(0), 0)


@cocotb.test()
async def an_interrupt_at_any_cycle_ends_a_wait_and_loses_nothing(dut: Any) -> None:
    b = await Bench(dut).start(8000, 12500, 3000)
    for length in (0, 40, 300):
        ended = whole = 0
        for at in range(1, 50 + length // 8, 1 + length // 100):

            async def come(length: int = length) -> None:
                await b.pause(12)
                b.give(3, length)

            cocotb.start_soon(come())

            async def interrupt(at: int = at) -> None:
                await b.pause(at)
                b.interrupt = 1.0

            task = cocotb.start_soon(interrupt())
            before = b.snapshot()
            address = b.buffer(length)
            got = await b.load(3, address, length)
            b.unchanged(before, address, length)
            await task
            b.interrupt = 0.0
            await b.pause(2)
            if got == -EINTR:
                ended += 1
                assert await b.load(3, address, length) == length
            else:
                whole += 1
        assert ended > 5 and whole > 5, (ended, whole)
    b.interrupt = 1.0
    assert await b.load(3, DRAM, 0) == -EINTR
    assert await b.call(EVENT, 1000, 0xFFFF) == -EINTR


# ---- Room ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def a_socket_that_nobody_reads_leaves_slots_to_the_others(dut: Any) -> None:
    """It has at most as many as are free then: 8 of 16; the next one 4, 2, 1 and 1."""
    b = await Bench(dut).start()
    free = SLOTS
    for socket in range(5):
        have = 0
        while have < free:
            have, free = have + 1, free - 1
        for _ in range(have + 3):
            b.give(socket, 60 + socket)
        await b.quiet()
        assert len(b.sockets[socket].waiting) == have
        assert await b.call(STATUS, 0, socket << 16 | DROPS) == 3 == b.sockets[socket].drops
    assert free == 0 and b.full > 0 and b.shares > 0
    for _ in range(8):
        assert await b.load(0, DRAM, 100, NO_WAIT) == 60
    await b.pause(40)
    for _ in range(7):
        b.give(9, 1472)
    await b.quiet()
    assert len(b.sockets[9].waiting) == 4
    for socket in range(SOCKETS):
        while b.sockets[socket].waiting:
            await b.load(socket, DRAM, 1472, NO_WAIT)
    for _ in range(20):
        b.give(11, 99)
        await b.quiet()
        assert await b.load(11, DRAM, 1472) == 99


@cocotb.test()
async def a_store_waits_for_a_slot(dut: Any) -> None:
    b = await Bench(dut).start()
    await b.peer(1, 0x0A000011, 7)
    b.sent.stall = 1.0
    await b.pause(4)
    for i in range(4):
        assert await b.store(1, DRAM + i, 100) == 100
    assert await b.store(1, DRAM, 100, NO_WAIT) == -EAGAIN
    b.interrupt = 1.0
    assert await b.store(1, DRAM, 100) == -EINTR
    b.interrupt = 0.0

    async def go() -> None:
        await b.pause(100)
        b.sent.stall = 0.0

    task = cocotb.start_soon(go())
    assert await b.store(1, DRAM, 77) == 77
    assert b.took > 90
    await task
    await b.quiet()
    b.check_sent()


# ---- Answers ---------------------------------------------------------------------------------------------------------


@cocotb.test()
async def what_cannot_be_is_refused_and_moves_nothing(dut: Any) -> None:
    b = await Bench(dut).start()
    await b.peer(2, 0x0A000011, 7)
    for socket in (2, 5):
        b.give(socket, 50)
    await b.quiet()
    before = b.snapshot()

    async def refuses(errno: int, op: int, a: int, low: int, how: int = 0, socket: int = 2) -> None:
        assert await b.call(op, a, socket << 16 | low, how) == -errno, (errno, op, hex(a), low, how, socket)

    for op in (TCP_STORE, TCP_LOAD, NOTHING):
        await refuses(ENOSYS, op, DRAM, 10)
    for op in (STORE, LOAD, EVENT, COMMAND, STATUS):
        for bit in range(3 if op in (STORE, LOAD) else 0, 7):
            await refuses(ENOSYS, op, DRAM, 0, 1 << bit)
    await refuses(EINVAL, STORE, DRAM, 10, PEEK)
    for op in (STORE, LOAD, COMMAND, STATUS):
        for bad in (16, 0x8000, 0xFFFF):
            await refuses(EBADF, op, DRAM, 0, NO_WAIT if op in (STORE, LOAD) else 0, bad)
    await refuses(EMSGSIZE, STORE, DRAM, 1473)
    await refuses(EMSGSIZE, STORE, DRAM, 65535)
    await refuses(EDESTADDRREQ, STORE, DRAM, 10, 0, 5)
    for base, size in ((PACKET, PACKET_BYTES), (DRAM, DRAM_BYTES)):
        for op in (STORE, LOAD):
            for how, head in ((0, 0), (HEADER, LINE)):
                await refuses(EFAULT, op, base - 1, 10, how)
                await refuses(EFAULT, op, base + size - 9 - head, 10, how)
                await refuses(EFAULT, op, base + size, 10, how)
        await refuses(EFAULT, LOAD, base, size + 1)
        await refuses(EFAULT, LOAD, base, size - 31, HEADER)
        await refuses(EFAULT, LOAD, base, 65535)
    for address in (0, 0x1000, 0xFFFF_FFFF, 0xFFFF_FFF0, 0x6000_0000, 0xFF00_0000, 0xC000_0000):
        await refuses(EFAULT, LOAD, address, 100)
        await refuses(EFAULT, STORE, address, 1, 0)
    await refuses(ENOSYS, COMMAND, 0, 5)
    await refuses(ENOSYS, COMMAND, 0, 0x100)
    await refuses(ENOSYS, STATUS, 0, 3)
    assert b.snapshot() == before and not b.sent.items
    assert await b.call(STATUS, 0, 2 << 16 | LENGTH) == 50
    # Nothing is nowhere, and a buffer may end where memory does.
    assert await b.store(2, 0, 0) == 0
    assert await b.load(5, 0xFFFF_FFFF, 0) == 0
    assert await b.load(2, PACKET + PACKET_BYTES - 50 - LINE, 50, HEADER) == 50
    await b.peer(2, 0, 0)
    await refuses(EDESTADDRREQ, STORE, DRAM, 10)
    assert await b.store(2, DRAM, 10, HEADER) == 10
    # A port that is closed: what waits can still be had.
    b.give(2, 20)
    await b.quiet()
    dut.direct.value = 0xFFFF & ~(1 << 2)
    await b.pause(6)
    assert await b.load(2, DRAM, 100) == 20
    await refuses(EBADF, LOAD, DRAM, 10)
    await refuses(EBADF, STORE, DRAM, 10, HEADER)
    await b.quiet()
    b.check_sent()


@cocotb.test()
async def the_next_event_is_the_lowest_socket_that_can_be_read(dut: Any) -> None:
    b = await Bench(dut).start()
    assert await b.call(EVENT, 0, 0xFFFF) == 0
    assert await b.call(EVENT, 50, 0xFFFF) == 0 and b.took == 53
    for socket in (9, 4, 14):
        b.give(socket, 30)
    b.give(1, 30, bad=True)
    await b.quiet()
    for mask, want in ((0xFFFF, 4), (0xFFEF, 9), (0xC00F, 14), (1 << 4, 4), (0xFFFF_FFFF, 4)):
        assert await b.call(EVENT, 1000, mask) == 1 << 16 | want
    assert await b.call(EVENT, 10, 0x1002) == 0
    await b.load(4, DRAM, 10)
    assert await b.call(EVENT, 0, 0xFFFF) == 1 << 16 | 9
    b.line.append(b.give(0, 200))
    b.line.pop()
    assert await b.call(EVENT, 10_000, 1) == 1 << 16
    assert len(b.sockets[0].waiting) == 1


@cocotb.test()
async def the_interrupt_is_there_while_a_socket_of_the_mask_can_be_read(dut: Any) -> None:
    b = await Bench(dut).start()
    irq = dut.irq

    async def mask(bits: int) -> int:
        assert await b.call(COMMAND, bits, IRQ) == 0
        await b.pause(1)
        return int(irq.value)

    b.give(3, 30)
    await b.quiet()
    assert not int(irq.value), "the mask is 0 behind reset"
    for bits in (1 << 3, 0xFFFF, 0xFFFF_0008):
        assert await mask(bits)
        assert not await mask(0)
    assert not await mask(0xFFF7) and not await mask(0xFFFF_0000)
    for socket in (0, 7, 15):  # one comes, is looked at, is read
        assert not await mask(1 << socket)
        b.give(socket, 40)
        b.give(socket, 40)
        b.give((socket + 1) % SOCKETS, 40, bad=True)
        await b.until(lambda: bool(int(irq.value)))
        await b.load(socket, DRAM, 40, PEEK)
        await b.pause(10)
        assert int(irq.value)
        await b.load(socket, DRAM, 40)
        await b.pause(10)
        assert int(irq.value), "another one waits"
        await b.load(socket, DRAM, 40)
        await b.pause(5)
        assert not int(irq.value)
        await b.quiet()
    assert await mask(1 << 3)
    assert await b.call(EVENT, 0, 0xFFFF) == 1 << 16 | 3
    await b.load(3, DRAM, 0)
    await b.pause(5)
    assert not int(irq.value)


@cocotb.test()
async def memory_that_refuses_sends_nothing(dut: Any) -> None:
    b = await Bench(dut).start()
    await b.peer(0, 1, 2)
    b.errors = 1.0
    for length in (1, 32, 33, 500):
        assert await b.store(0, DRAM + 5, length) == -EFAULT
    b.errors = 0.1
    for _ in range(30):
        await b.store(0, b.buffer(500), 500)
    b.errors = 0.0
    assert await b.store(0, DRAM, 500) == 500
    await b.quiet()
    b.check_sent()


# ---- Cycles ----------------------------------------------------------------------------------------------------------


def line_count(address: int, size: int) -> int:
    return (address + size + LINE - 1) // LINE - address // LINE if size else 0


@cocotb.test()
async def latencies_are_those_of_the_headers(dut: Any) -> None:
    """At any alignment, a line a cycle; hits in the cache."""
    b = await Bench(dut).start(8000, 12500, int(os.environ["PHASE"]))
    rng = b.rng
    await b.peer(0, 0x0A000011, 7)
    for length in (0, 1, 32, 33, 1024, 1472):
        for offset in {0, 1, 8, 17, 31, rng.randrange(32)}:
            lines = line_count(offset, length)
            b.give(0, length)
            await b.quiet()
            b.writes.clear()
            assert await b.load(0, DRAM + offset, length) == length
            assert b.took == 5 + max(lines, 0) - (not lines), (b.took, lines)
            cycles = [cycle for cycle, _, _ in b.writes]
            assert cycles == list(range(cycles[0], cycles[0] + lines)) if lines else not cycles
            await b.store(0, DRAM + offset, length)
            assert b.took == 4 + lines, (b.took, lines)
            await b.quiet()
    b.check_sent()


@cocotb.test()
async def a_load_ends_behind_the_last_beat(dut: Any) -> None:
    """From the edge that takes the last beat to the begin of the answer's cycle, in cycles of 80 MHz."""
    b = await Bench(dut).start(8000, 12500, int(os.environ["PHASE"]))
    for length in (18, 32, 33, 512, 1024, 1472):
        worst = 0.0
        for offset in (0, 3, 8, 31):
            one = b.give(0, length)
            assert await b.load(0, DRAM + offset, length) == length
            worst = max(worst, (b.answered - one.ended) / b.cpu_ps)
        dut._log.info(f"{length} bytes: answered {worst:.2f} cycles behind the last beat")
        assert worst <= 7.2, (length, worst)


def run(case: str, *, seed: int = 1, **env: int) -> None:
    extra = {name: str(value) for name, value in env.items()}
    run_bench("dca_tb", testcase=case, seed=seed, extra_sources=(TB,), extra_env=extra)


@pytest.mark.parametrize("seed", seeds(1, 30))
def test_datagrams_cross_both_ways_under_anything(seed: int) -> None:
    run("any_datagrams_come_and_go", seed=seed, ROUNDS=4 if seed > 1 else 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(2, 12))
def test_a_load_follows_what_comes_in(seed: int) -> None:
    run("a_load_follows_what_comes_in", seed=seed, ROUNDS=60)


@pytest.mark.slow
def test_no_instruction_hangs() -> None:
    run("an_interrupt_at_any_cycle_ends_a_wait_and_loses_nothing")
    run("a_store_waits_for_a_slot")


@pytest.mark.slow
def test_slots_are_shared() -> None:
    run("a_socket_that_nobody_reads_leaves_slots_to_the_others")


@pytest.mark.slow
def test_answers_are_those_of_the_table() -> None:
    run("what_cannot_be_is_refused_and_moves_nothing")
    run("the_next_event_is_the_lowest_socket_that_can_be_read")
    run("memory_that_refuses_sends_nothing")


def test_the_interrupt_says_what_can_be_read() -> None:
    run("the_interrupt_is_there_while_a_socket_of_the_mask_can_be_read")


@pytest.mark.slow
@pytest.mark.parametrize("phase", some([1000], [4500, 9100]))
def test_latencies_are_as_written(phase: int) -> None:
    run("latencies_are_those_of_the_headers", PHASE=phase)
    run("a_load_ends_behind_the_last_beat", PHASE=phase)
