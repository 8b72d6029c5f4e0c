# SPDX-License-Identifier: Apache-2.0
"""Around dca_tb: the line with its datagrams, the memory behind the line port, and a program that gives instructions.

What a load must bring is what was given and not counted as dropped, in order, by socket. What a store must send is what
lies in memory, its sum made here from the bytes. After each instruction every byte outside its buffer is as it was.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotb.utils import get_sim_time
from net_frames import ones_sum
from net_hw import OUR_IP, UDP_RX_USER, UDP_TX_USER, Item, Layout, Sink, beats, ip_number

HERE = Path(__file__).parent
TB = (HERE / "dca_tb.sv", HERE / "dca_tb.vlt")

UNIT_REQ = Layout(valid=1, funct7=7, funct3=3, a=32, b=32, interrupted=1)
UNIT_RSP = Layout(ready=1, valid=1, data=32)
LINE_REQ = Layout(valid=1, write=1, address=27, mask=32, data=256)
LINE_RSP = Layout(ready=1, valid=1, err=1, data=256)

TCP_STORE, TCP_LOAD, STORE, LOAD, EVENT, COMMAND, STATUS, NOTHING = range(8)
NO_WAIT, PEEK, HEADER = 1, 2, 4
PEER_ADDRESS, PEER_PORT, OPTIONS, IRQ, IRQ_ROOM = range(5)
WAITING, LENGTH, DROPS, _, TO_LOAD, ROOM, STATE, STREAM = range(8)
EINTR, EBADF, EAGAIN, EFAULT, EINVAL, EPIPE, ENOSYS, EDESTADDRREQ, EMSGSIZE = 4, 9, 11, 14, 22, 32, 38, 89, 90
ECONNRESET = 104
PACKET, PACKET_BYTES, DRAM, DRAM_BYTES = 0x5000_0000, 4096, 0x4000_0000, 8192
SOCKETS, LONGEST, LINE, SLOTS = 16, 1472, 32, 16


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


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
        for name in (
            "rings_m2s",
            "memory_s2m",
            "told_valid",
            "told",
            "direct_tcp",
            "request_ready",
            "sizes",
            "in_fetch_valid",
            "fetch",
            "fetch_ready",
            "fetch_idle",
            "fetched_last",
        ):
            getattr(dut, name).value = 0
        self.nic_ps, self.cpu_ps = nic_ps, cpu_ps
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
