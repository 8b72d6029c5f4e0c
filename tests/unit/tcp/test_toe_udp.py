# SPDX-License-Identifier: Apache-2.0
"""toe_udp: datagrams into the ring and out of memory, as a guest of tcp_rings, before a memory as slow as it likes.

What came is read as firmware reads it: out of the bytes in memory, by the registers. What must have come is what was
given, less what was counted as dropped. Each write must lie in the ring, or in the 2 KB behind it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from dca.bench import LINE_REQ, LINE_RSP, UNIT_REQ, UNIT_RSP
from drivers import ACB, AFB, FlatMemory, Master, Port, Request, Response, Slave
from net_hw import OUR_IP, UDP_RX_USER, UDP_TX_USER, Item, Sink, Source, ip_number
from runs import some

from nsoc.machine import regs

TB = Path(__file__).resolve().parents[2] / "support" / "tcp" / "toe_udp_tb.sv"
BLOCK = regs.BLOCKS["toe_udp"]
OFFSET = {name: register.offset for name, register in BLOCK.registers.items()}
PACKET, PACKET_BYTES, DRAM, DRAM_BYTES, TCP = 0x1000_0000, 1 << 20, 0x2000_0000, 3 << 18, 0x3000_0000
LEAST, SLACK, LINE, LONGEST, SENDS = 2048, 2048, 32, 1472, 8
COUNTERS = ("received_datagrams", "drop_room", "drop_full", "drop_memory", "send_memory_error", "send_refused",
            "direct_datagrams", "drop_share", "drop_slots")  # fmt: skip
US = 7
"""Cycles of a time stamp's unit here."""


def line_cycles(length: int) -> int:
    """Of a datagram at 1 Gb/s and 125 MHz, one a byte: payload, headers and FCS, preamble and gap; 84 at least."""
    return max(length + 28 + 18 + 20, 84)


def lines(length: int) -> int:
    return 1 + (length + LINE - 1) // LINE


class Bench:
    """The block, a line, memory and a processor. Time passes in `run` and in each access."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.cycle = 0
        self.line = Source(dut, "udp_rx", UDP_RX_USER)
        self.sent = Sink(dut, "udp_tx", UDP_TX_USER, empty=True)
        self.memories = {base: FlatMemory(1 << 28) for base in (PACKET, DRAM, TCP)}
        self.given: list[Item] = []
        self.wanted: list[Item] = []  # sends, in order
        self.bad_reads: set[int] = set()  # dwords that memory refuses to read
        self.errors = 0.0  # how often it refuses a write
        self.refused: list[int] = []
        self.reads = self.writes = 0
        self.base = self.size = self.position = 0
        self.tcp_placed = 0
        self.write_at: list[int] = []
        self.direct = False  # there are direct ports: what is looked up is a port that comes

    async def start(self, latency: Callable[[], int] = lambda: 1, *, stall: float = 0.0) -> Bench:
        dut = self.dut
        dut.address.value = ip_number(OUR_IP)
        dut.us.value = dut.udp_lookup.value = dut.tcp_busy.value = 0
        dut.rst.value = dut.cpu_rst.value = 1
        dut.unit_req.value = dut.line_rsp.value = 0
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        self.bus = Master(Port(dut, "afb", AFB), self.rng)
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        self.slave = Slave(Port(dut, "acb", ACB), self.answer, self.rng, stall, latency, 200)
        self.task = cocotb.start_soon(self._time())
        return self

    async def _time(self) -> None:
        dut, clock = self.dut, RisingEdge(self.dut.clk)
        while True:
            await clock
            self.cycle += 1
            self.line.step(self.cycle, self.rng)
            self.sent.step(self.cycle, self.rng)
            self.tcp_placed += int(dut.tcp_placed.value)
            dut.us.value = (self.cycle + 1) // US
            if self.direct and self.line._offered:
                dut.udp_lookup.value = UDP_RX_USER.unpack(self.line._beats[0] >> 74)["port"]

    async def run(self, until: Callable[[], bool] | int, limit: int = 200_000) -> None:
        end = self.cycle + (until if isinstance(until, int) else limit)
        while (self.cycle < end) if isinstance(until, int) else not until():
            await RisingEdge(self.dut.clk)
            assert self.cycle <= end, "it does not come to an end"
            for task in (self.task, self.slave.task):
                if task.done():
                    await task  # raises what it died of

    # ---- Memory

    def answer(self, request: Request) -> Response:
        assert not request.lock and request.address % 8 == 0
        memory = self.memories.get(request.address & 0xF000_0000)
        if request.address & 0xF000_0000 == TCP:
            return self.memories[TCP].access(request)
        if request.read:
            self.reads += 1
            if memory is None or request.address in self.bad_reads:
                return Response(self.rng.getrandbits(64), err=True)
            return memory.access(request)
        self.writes += 1
        self.write_at.append(self.slave.cycle)
        assert self.base <= request.address < self.base + self.size + SLACK, "a write beside the ring"
        assert request.mask, "a write of nothing"
        if self.errors and self.rng.random() < self.errors:
            self.refused.append(request.address)
            return Response(0, err=True)
        assert memory is not None
        return memory.access(request)

    def bytes_at(self, address: int, length: int) -> bytes:
        held = self.memories[address & 0xF000_0000].bytes
        return bytes(held[(address & 0x0FFF_FFFF) + i] for i in range(length))

    def put(self, address: int, data: bytes) -> None:
        held = self.memories[address & 0xF000_0000].bytes
        for i, byte in enumerate(data):
            held[(address & 0x0FFF_FFFF) + i] = byte

    # ---- The processor

    async def write(self, name: str, value: int, answer: int = 0, *, err: bool = False, offset: int = 0) -> None:
        got = await self.bus.call(Request(OFFSET[name] + offset, False, 0xF, value))
        assert got == Response(answer, err), (name, hex(value), got)

    async def read(self, name: str, offset: int = 0) -> int:
        got = await self.bus.call(Request(OFFSET[name] + offset, True, 0xF))
        assert not got.err, name
        return got.data

    async def counts(self) -> dict[str, int]:
        return {name: await self.read(name) for name in COUNTERS}

    async def listen(self, base: int = PACKET, size: int = 0) -> None:
        """A ring at `base` of 2 KB << size, and all ports open."""
        await self.write("control", 0)
        while await self.read("status") >> 24 & 1:
            pass
        self.base, self.size, self.position = base, LEAST << size, 0
        await self.write("ring", base | size)
        await self.write("control", 3)

    async def take(self, most: int = 1 << 30) -> list[dict[str, Any]]:
        """What waits in the ring, and the place it had is given back."""
        got = []
        end = await self.read("received")
        while self.position != end and len(got) < most:
            assert self.position < end < self.position + self.size + 1
            at = self.base + self.position % self.size
            head = self.bytes_at(at, LINE)
            fields = {}
            for register, low in ((regs.DATAGRAM_ENDS, regs.DATAGRAM_ENDS_OFFSET),
                                  (regs.DATAGRAM_ABOUT, regs.DATAGRAM_ABOUT_OFFSET)):  # fmt: skip
                dword = int.from_bytes(head[low : low + 8], "big")
                fields.update({one.name: dword >> one.lsb & (1 << one.width) - 1 for one in register})
            assert head[16:] == bytes(16)
            fields["data"] = self.bytes_at(at + regs.DATAGRAM_PAYLOAD_OFFSET, fields["length"])
            got.append(fields)
            self.position += LINE * lines(fields["length"])
            assert self.position <= end
        await self.write("read", self.position)
        return got

    async def send(self, address: int, data: bytes, *, answer: int = 0, length: int | None = None) -> None:
        rng = self.rng
        item = {"destination": rng.getrandbits(32), "port": rng.getrandbits(16), "source_port": rng.getrandbits(16),
                "ttl": rng.getrandbits(8), "tos": rng.getrandbits(8), "df": rng.getrandbits(1)}  # fmt: skip
        await self.write("peer_address", item["destination"])
        await self.write("ports", item["port"] << 16 | item["source_port"])
        await self.write("options", item["df"] << 16 | item["tos"] << 8 | item["ttl"])
        await self.write("payload", address)
        await self.write("send", len(data) if length is None else length, answer)
        if not answer:
            dwords = set(range(address & ~7, address + len(data), 8))
            bad = bool(dwords & self.bad_reads)
            user = {**item, "length": len(data), "steady": 0, "sum_known": 0, "sum": 0}
            self.wanted.append(Item(data, user, bad))

    async def room_to_send(self) -> None:
        while (await self.read("status")) & 0xF == SENDS:
            pass

    # ---- The line

    def give(self, length: int, *, bad: bool = False, cut: int = 0) -> Item:
        """A datagram from the line; `cut`: so much of it is missing."""
        rng = self.rng
        user = {"source": rng.getrandbits(32), "destination": rng.choice((ip_number(OUR_IP), rng.getrandbits(32))),
                "source_port": rng.getrandbits(16), "port": rng.getrandbits(16), "length": length}  # fmt: skip
        item = Item(rng.randbytes(length - cut), user, bad)
        self.given.append(item)
        self.line.items.append(item)
        return item

    def at_line_rate(self) -> None:
        self.line.gap = lambda item: line_cycles(len(item.data))

    def right(self, got: dict[str, Any], number: int) -> bool:
        """Whether it is the given one of that number."""
        item = self.given[number]
        user = item.user
        return (
            not item.bad
            and got["data"] == item.data
            and got["peer_address"] == user["source"]
            and (got["peer_port"], got["port"]) == (user["source_port"], user["port"])
            and got["to_all"] == int(user["destination"] != ip_number(OUR_IP))
            and got["us"] == self.line.begun[number] // US
        )

    def match(self, got: list[dict[str, Any]]) -> int:
        """All of `got` were given, good, in this order; gives how many good ones are missing."""
        at = 0
        for one in got:
            while not self.right(one, at):
                at += 1
                assert at < len(self.given), "what came was not given"
            at += 1
        return sum(not item.bad for item in self.given) - len(got)

    def check_sent(self) -> None:
        assert len(self.sent.items) == len(self.wanted)
        for got, want in zip(self.sent.items, self.wanted, strict=True):
            assert got.user == want.user and got.bad == want.bad
            assert len(got.data) == len(want.data) and (want.bad or got.data == want.data)

    async def quiet(self) -> None:
        """All that was given is in the ring or dropped, all sends are done."""
        await self.run(lambda: not self.line.items and not self.line._beats)
        await self.run(20)
        while await self.read("status") & (1 << 24 | 0xF):
            pass
        await self.run(4)


def slow(rng: random.Random, most: int) -> Callable[[], int]:
    """Answers that come together and alone, up to so many cycles later."""
    return lambda: rng.choice((1, 1, rng.randrange(1, most + 1)))


def some_length(rng: random.Random) -> int:
    return rng.choice((rng.randrange(20), rng.randrange(LONGEST + 1), rng.randrange(LONGEST - 20, LONGEST + 1)))


# ---- Bytes -----------------------------------------------------------------------------------------------------------


@cocotb.test()
async def any_datagrams_come_and_go(dut: Any) -> None:
    """Both ways at once, rings of any size anywhere, any stalls; a reader who sometimes is late."""
    udp = await Bench(dut).start()
    rng = udp.rng
    missing = wants = 0
    for _ in range(int(os.environ["ROUNDS"])):
        udp.slave.stall = rng.choice((0.0, 0.0, 0.3, 0.8))
        udp.slave.latency = slow(rng, rng.choice((1, 4, 40)))
        udp.line.stall, udp.sent.stall = rng.choice((0, 0, 0.5)), rng.choice((0, 0, 0.5, 0.9))
        udp.errors = rng.choice((0.0, 0.0, 0.01))
        dut.tcp_busy.value = rng.choice((0, 0, 1))
        rate = rng.choice((0, 4, 20))
        udp.line.gap = lambda item, rate=rate: rate * len(item.data) // 8 + rng.randrange(60)
        size = rng.randrange(4)
        base = rng.choice((PACKET + PACKET_BYTES, DRAM + DRAM_BYTES)) - (LEAST << size) * rng.randrange(2, 8)
        await udp.listen(base, size)
        udp.given.clear(), udp.line.begun.clear(), udp.wanted.clear(), udp.sent.items.clear()
        before = await udp.counts()
        got: list[dict[str, Any]] = []
        for _ in range(rng.randrange(12, 30)):
            length = some_length(rng)
            bad = rng.random() < 0.2
            cut = rng.randrange(length + 1) if bad and rng.random() < 0.5 else 0
            udp.give(length, bad=bad, cut=cut)
            data = rng.randbytes(some_length(rng))
            place = DRAM + rng.randrange(1 << 17)
            await udp.room_to_send()
            if len(udp.wanted) - (await udp.read("status") & 0xF) <= len(udp.sent.items) + SENDS:
                place = DRAM + 8192 * (len(udp.wanted) % 16) + rng.randrange(64)
                udp.put(place, data)
                await udp.send(place, data)
            if rng.random() < 0.6:
                got += await udp.take(rng.choice((1, 100)))
        await udp.quiet()
        got += await udp.take()
        after = await udp.counts()
        change = {name: after[name] - before[name] for name in COUNTERS}
        assert udp.match(got) == change["drop_room"] + change["drop_full"] + change["drop_memory"]
        assert change["received_datagrams"] == len(got) and change["send_memory_error"] == change["send_refused"] == 0
        missing += udp.match(got)
        wants += len(udp.given)
        udp.check_sent()
    dut._log.info(f"{wants} given, {missing} good ones dropped")
    assert missing < wants


@cocotb.test()
async def a_payload_is_sent_from_any_alignment(dut: Any) -> None:
    udp = await Bench(dut).start(lambda: 3)
    rng = udp.rng
    cases = [(lane, length) for lane in range(8) for length in (*range(18), LONGEST - 1, LONGEST)]
    rng.shuffle(cases)
    for lane, length in cases:
        place = PACKET + 4096 * rng.randrange(16) + lane
        over = DRAM + (1 << 18) - 8 * rng.randrange(1 + length // 8) + lane  # a large boundary
        place = rng.choice((place, over))
        data = rng.randbytes(length)
        udp.put(place, data)
        await udp.send(place, data)
        await udp.quiet()
    udp.check_sent()
    assert await udp.read("sent") == len(cases)


@cocotb.test()
async def a_full_ring_drops_and_goes_on(dut: Any) -> None:
    """It is filled to its last line, and a datagram goes on straight behind its end."""
    udp = await Bench(dut).start()
    most = LONGEST // LINE * LINE - LINE  # a line more would be no datagram
    for size in (0, 1, 7):
        udp.given.clear(), udp.line.begun.clear()
        before = await udp.counts()
        await udp.listen(PACKET, size)
        free, good, dropped = udp.size // LINE, 0, 0
        while free:
            length = min(most, LINE * (free - 1)) if free < 60 else udp.rng.choice((most, most, 1000))
            udp.give(length)
            good += 1
            free -= lines(length)
            if good % 2 == 0:  # the store has 4 KB
                await udp.quiet()
        for length in (0, 1, LONGEST):
            udp.give(length)
            dropped += 1
        await udp.quiet()
        after = await udp.counts()
        assert after["received_datagrams"] - before["received_datagrams"] == good
        assert after["drop_full"] - before["drop_full"] == dropped
        assert await udp.read("received") == udp.size
        first = await udp.take(1)  # what it had is free, and no more
        udp.give(LINE * lines(first[0]["length"]) - LINE + 1)
        udp.give(LINE * lines(first[0]["length"]) - LINE)
        await udp.quiet()
        assert (await udp.counts())["drop_full"] == after["drop_full"] + 1
        got = first + await udp.take()
        assert len(got) == good + 1 and udp.match(got) == dropped + 1


@cocotb.test()
async def round_the_ring_each_datagram_is_in_one_piece(dut: Any) -> None:
    udp = await Bench(dut).start()
    await udp.listen(PACKET + 4096, 0)
    got = []
    over = 0
    for _ in range(60):
        udp.give(udp.rng.randrange(600, LONGEST + 1))
        await udp.quiet()
        over += udp.position % udp.size + LINE + udp.given[-1].user["length"] > udp.size
        got += await udp.take()
    assert len(got) == 60 and udp.match(got) == 0 and over > 5


@cocotb.test()
async def a_bad_datagram_leaves_the_ring_as_it_was(dut: Any) -> None:
    udp = await Bench(dut).start(lambda: 5)
    await udp.listen()
    for length in (0, 1, 8, 31, 32, 33, 500, LONGEST):
        before = await udp.read("received")
        udp.give(length, bad=True)
        udp.give(length, bad=True, cut=length // 2)
        udp.give(65535, bad=True, cut=65535 - 32)  # a length that cannot be
        await udp.quiet()
        assert await udp.read("received") == before and not await udp.read("irq_status") & 1
        udp.give(length)
        await udp.quiet()
        assert await udp.read("irq_status") & 1
        assert udp.right((await udp.take())[0], len(udp.given) - 1)
    assert (await udp.counts()) == dict.fromkeys(COUNTERS, 0) | {"received_datagrams": 8}


@cocotb.test()
async def what_memory_refuses_is_dropped_and_counted(dut: Any) -> None:
    udp = await Bench(dut).start(lambda: 7)
    rng = udp.rng
    await udp.listen(DRAM, 2)
    lost = 0
    for length in (0, 5, 64, 700):
        for _ in range(6):
            udp.errors = rng.choice((0.0, 0.05, 1.0))
            udp.refused.clear()
            udp.give(length)
            await udp.quiet()
            lost += bool(udp.refused)
            got = await udp.take()
            assert len(got) == (not udp.refused)
            assert all(udp.right(one, len(udp.given) - 1) for one in got)
    assert lost and (await udp.counts())["drop_memory"] == lost
    failed = 0
    for _ in range(30):
        place, length = PACKET + rng.randrange(4096), rng.randrange(1, 100)
        udp.bad_reads = {rng.choice(range(PACKET, PACKET + 4200, 8)) for _ in range(20)}
        data = rng.randbytes(length)
        udp.put(place, data)
        await udp.send(place, data)
        await udp.quiet()
        failed += udp.wanted[-1].bad
    await udp.send(0x7000_0000, b"nobody")
    udp.wanted[-1].bad = True
    await udp.quiet()
    udp.check_sent()
    assert 0 < failed < 30 and (await udp.counts())["send_memory_error"] == failed + 1
    assert await udp.read("sent") == 31


@cocotb.test()
async def net_never_waits(dut: Any) -> None:
    """Memory stands still: what the store cannot hold is dropped whole and counted, the rest comes."""
    udp = await Bench(dut).start()
    await udp.listen(PACKET, 7)
    for most in (LONGEST, 8, 0):
        udp.slave.stall = 1.0
        before = await udp.counts()
        udp.given.clear(), udp.line.begun.clear()
        for _ in range(40):
            udp.give(udp.rng.randrange(most + 1))
        await udp.run(lambda: not udp.line.items and not udp.line._beats)
        assert udp.line.stalled == 0
        udp.slave.stall = 0.0
        await udp.quiet()
        got = await udp.take()
        dropped = (await udp.counts())["drop_room"] - before["drop_room"]
        assert udp.match(got) == dropped and 0 < dropped < 40
        held = sum(max(1, (one["length"] + 7) // 8) for one in got)
        assert len(got) >= 16 or held > 512 - 184
    udp.give(LONGEST + 1)
    udp.give(LONGEST + 8)
    await udp.quiet()
    assert (await udp.counts())["drop_room"] == before["drop_room"] + dropped + 2


# ---- Registers -------------------------------------------------------------------------------------------------------


@cocotb.test()
async def ports_are_open_as_they_are_set(dut: Any) -> None:
    udp = await Bench(dut).start()
    rng = udp.rng
    local = OFFSET["local_ports0.port"]
    is_open: list[int | None] = [None] * 16

    async def see(all_ports: bool, receive: bool) -> None:
        wanted = {port for port in is_open if port is not None}
        near = {port ^ 1 << rng.randrange(16) for port in wanted}
        for port in (*wanted, *near, 0, 65535, rng.getrandbits(16)):
            dut.udp_lookup.value = port
            await RisingEdge(dut.clk)
            await RisingEdge(dut.clk)
            assert dut.udp_open.value == (receive and (all_ports or port in wanted))

    for _ in range(20):
        place, port = rng.randrange(16), rng.choice((0, 65535, rng.getrandbits(16)))
        is_open[place] = port if rng.random() < 0.8 else None
        value = (is_open[place] is not None) << 16 | port
        assert await udp.bus.call(Request(local + 4 * place, False, 0xF, value)) == Response(0)
        assert await udp.bus.call(Request(local + 4 * place, True, 0xF)) == Response(value)
        control = rng.choice((1, 1, 1, 0, 3, 2))
        await udp.write("control", control)
        await see(bool(control & 2), bool(control & 1))


@cocotb.test()
async def a_ring_is_where_it_may_be(dut: Any) -> None:
    udp = await Bench(dut).start()
    rng = udp.rng
    took = 0
    for _ in range(300):
        size = rng.randrange(8)
        step = LEAST << size
        edge = rng.choice((PACKET, PACKET + PACKET_BYTES, DRAM, DRAM + DRAM_BYTES))
        base = (edge + rng.choice((-2, -1, 0, 1)) * rng.choice((step, LEAST))) & 0xFFFF_FFFF
        good = base % step == 0 and any(
            low <= base and base + step + SLACK <= low + length
            for low, length in ((PACKET, PACKET_BYTES), (DRAM, DRAM_BYTES))
        )
        await udp.write("ring", base | size, err=not good)
        took += good
        if good:
            assert await udp.read("ring") == base | size
    assert 20 < took < 280
    await udp.write("control", 1)
    await udp.write("ring", PACKET, err=True)
    await udp.write("control", 0)
    udp.base, udp.size = PACKET, LEAST
    await udp.write("ring", PACKET)
    await udp.write("control", 1)
    udp.slave.stall = 1.0
    udp.give(20)
    await udp.run(lambda: not udp.line.items and not udp.line._beats)
    await udp.run(4)
    await udp.write("control", 0)
    await udp.write("ring", PACKET, err=True)  # something is under way
    udp.slave.stall = 0.0
    await udp.quiet()
    assert await udp.read("received") == 64
    await udp.write("ring", PACKET)
    assert await udp.read("received") == await udp.read("read") == 0


@cocotb.test()
async def positions_move_within_what_was_received(dut: Any) -> None:
    udp = await Bench(dut).start()
    await udp.listen(PACKET, 0)
    for _ in range(4):
        udp.give(100)
    await udp.quiet()
    end = await udp.read("received")
    assert end == 4 * 160
    for value in (1, 16, 31, end + 32, end - 1, 0xFFFF_FFE0, 1 << 31):
        await udp.write("read", value, err=True)
        assert await udp.read("read") == 0
    for value in (0, 160, 192, end):
        await udp.write("read", value)
        assert await udp.read("read") == value
        await udp.write("read", value - 32 & 0xFFFF_FFFF, err=True)
    assert await udp.read("irq_status") == 2


@cocotb.test()
async def a_ninth_send_and_one_too_long_are_refused(dut: Any) -> None:
    udp = await Bench(dut).start()
    udp.sent.stall = 1.0
    await udp.run(4)
    for number in range(SENDS):
        assert await udp.read("status") == number
        await udp.send(PACKET, b"")
    await udp.send(PACKET, b"", answer=2)
    assert await udp.read("status") == 1 << 16 | SENDS
    await udp.write("status", 1 << 16)
    assert await udp.read("status") == SENDS and not await udp.read("irq_status") & 2
    await udp.send(PACKET, b"", answer=1, length=LONGEST + 1)
    await udp.send(PACKET, b"", answer=1, length=65535)
    assert (await udp.counts())["send_refused"] == 3 and await udp.read("sent") == 0
    udp.sent.stall = 0.0
    await udp.quiet()
    udp.check_sent()
    assert await udp.read("sent") == SENDS and await udp.read("irq_status") == 2


@cocotb.test()
async def the_interrupt_is_that_of_its_causes(dut: Any) -> None:
    udp = await Bench(dut).start()
    await udp.listen(PACKET, 0)
    for mask in range(4):
        await udp.write("irq_mask", mask)
        for waits in (False, True):
            for sends in (False, True):
                if waits:
                    udp.give(4)
                udp.sent.stall = 1.0 if sends else 0.0
                await udp.run(4)
                if sends:
                    await udp.send(PACKET, b"")
                await udp.run(60)
                causes = waits | (not sends) << 1
                assert await udp.read("irq_status") == causes
                assert dut.irq.value == bool(causes & mask)
                udp.sent.stall = 0.0
                await udp.quiet()
                await udp.take()


@cocotb.test()
async def what_is_no_register_is_an_error(dut: Any) -> None:
    udp = await Bench(dut).start()
    readable = {one.offset for name, one in BLOCK.registers.items() if name != "send"}
    writable = {one.offset for one in BLOCK.registers.values() if one.access != "ro"}
    for offset in range(0, 0x100, 4):
        got = await udp.bus.call(Request(offset, True, 0xF))
        assert got.err == (offset not in readable), hex(offset)
        for mask in (0x1, 0x3, 0x7, 0xE):
            assert (await udp.bus.call(Request(offset, False, mask, 0xFFFF_FFFF))) == Response(0, err=True)
        if offset not in writable:
            assert (await udp.bus.call(Request(offset, False, 0xF, 0xFFFF_FFFF))) == Response(0, err=True)
    for name, one in BLOCK.registers.items():
        if name != "send":
            assert await udp.read(name) == one.reset, name
    for name in ("control", "irq_mask", "peer_address", "ports", "options", "payload"):
        value = udp.rng.getrandbits(32)
        able = sum((1 << one.width) - 1 << one.lsb for one in BLOCK.registers[name].fields)
        await udp.write(name, value)
        assert await udp.read(name) == value & able


@cocotb.test()
async def an_access_takes_three_cycles_whatever_happens(dut: Any) -> None:
    udp = await Bench(dut).start()
    await udp.listen(PACKET, 7)
    dut.tcp_busy.value = 1
    udp.slave.stall = 0.9
    for _ in range(40):
        udp.give(udp.rng.randrange(100))
    udp.bus.sent_at, udp.bus.done_at = [], []
    udp.bus.send([Request(4 * udp.rng.randrange(64), udp.rng.random() < 0.5, 0xF, 0) for _ in range(200)])
    await udp.bus.all_done()
    assert {done - sent for sent, done in zip(udp.bus.sent_at, udp.bus.done_at, strict=True)} == {3}


# ---- Time ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def both_ways_keep_up_with_the_line(dut: Any) -> None:
    """A datagram each 84 cycles each way, memory answers 20 cycles later: none is dropped, none waits."""
    udp = await Bench(dut).start(lambda: int(os.environ["LATENCY"]))
    for length in (18, 64, 256, LONGEST):
        await udp.listen(PACKET, 7)
        udp.given.clear(), udp.line.begun.clear(), udp.wanted.clear(), udp.sent.items.clear()
        udp.at_line_rate()
        before = await udp.counts()
        data = udp.rng.randbytes(length)
        udp.put(DRAM + 3, data)
        await udp.send(DRAM + 3, data)
        number = 40 if length < LONGEST else 20
        for _ in range(number):
            udp.give(length)
        got: list[dict[str, Any]] = []
        sends = 0
        while udp.line.items or udp.line._beats:
            got += await udp.take()
            for _ in range(SENDS):  # with a quick memory the queue may never be full
                if (await udp.read("status")) & 0xF < SENDS:
                    await udp.write("send", length)
                    sends += 1
        begun = udp.line.begun[-1] - udp.line.begun[0]
        assert begun == (number - 1) * line_cycles(length)
        await udp.quiet()
        got += await udp.take()
        assert len(got) == number and udp.match(got) == 0
        assert await udp.counts() == before | {"received_datagrams": before["received_datagrams"] + number}
        items = udp.sent.items
        assert len(items) == sends + 1 and all(one.data == data for one in items)
        apart = [late.last - early.last for early, late in pairwise(items[1:])]
        median = sorted(apart)[len(apart) // 2]
        dut._log.info(f"{length} bytes: a send each {median} cycles, line {line_cycles(length)}")
        assert sum(apart) <= len(apart) * line_cycles(length)


@cocotb.test()
async def latencies_are_those_of_the_header(dut: Any) -> None:
    udp = await Bench(dut).start(lambda: 20)
    await udp.listen(PACKET, 7)
    for length in (0, 1, 64, 1000):
        udp.give(length)
        await udp.quiet()
        first = len(udp.write_at)
        udp.give(length)
        await udp.quiet()
        begin = udp.line.begun[-1]
        # ask in cycle 5 behind the first beat, on the bus in the next, taken there.
        assert udp.write_at[first] == begin + 6, udp.write_at[first] - begin
        assert len(udp.write_at) - first == 4 + (length + 7) // 8
    await udp.take()
    await udp.run(50)
    udp.give(64)
    udp.give(64)
    await udp.quiet()
    apart = udp.write_at[-12] - udp.write_at[-24]
    dut._log.info(f"64 bytes each: {apart} cycles with 20 of latency")
    assert apart == 38


@cocotb.test()
async def tcp_goes_on_beside_it(dut: Any) -> None:
    """UDP at the line's rate takes what it needs, TCP has the rest."""
    udp = await Bench(dut).start(lambda: 20)
    await udp.listen(PACKET, 7)
    dut.tcp_busy.value = 1
    await udp.run(200)
    placed = udp.tcp_placed
    await udp.run(2000)
    alone = udp.tcp_placed - placed
    udp.at_line_rate()
    for _ in range(24):
        udp.give(64)
    placed = udp.tcp_placed
    await udp.run(2000)
    beside = udp.tcp_placed - placed
    dut._log.info(f"TCP places {alone} alone, {beside} beside UDP, of 256 bytes in 2000 cycles")
    assert alone >= 29 and beside > 0.8 * alone
    await udp.quiet()
    got = await udp.take()
    assert udp.match(got) == 0


# ---- Direct ports ----------------------------------------------------------------------------------------------------


class Core:
    """An instruction after the other, and a cache that has all lines."""

    def __init__(self, udp: Bench) -> None:
        self.dut, self.udp = udp.dut, udp
        cocotb.start_soon(Clock(self.dut.cpu_clk, 12_500, "ps").start())
        cocotb.start_soon(self._cache())

    async def _cache(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.cpu_clk)
            request = LINE_REQ.unpack(int(dut.line_req.value))
            answer = 0
            if request["valid"]:
                address = request["address"] << 5
                line = bytearray(self.udp.bytes_at(address, LINE))
                for i, byte in enumerate(request["data"].to_bytes(LINE, "big")):
                    if request["write"] and request["mask"] >> 31 - i & 1:
                        line[i] = byte
                self.udp.put(address, bytes(line))
                answer = int.from_bytes(line, "big")
            dut.line_rsp.value = LINE_RSP.pack(ready=1, valid=request["valid"] and not request["write"], data=answer)

    async def call(self, op: int, a: int, b: int, how: int = 0) -> int:
        dut = self.dut
        dut.unit_req.value = UNIT_REQ.pack(valid=1, funct7=how, funct3=op, a=a, b=b)
        for _ in range(5000):
            await RisingEdge(dut.cpu_clk)
            rsp = UNIT_RSP.unpack(int(dut.unit_rsp.value))
            if rsp["ready"]:
                dut.unit_req.value = 0
            if rsp["valid"]:
                return rsp["data"]
        raise AssertionError("it hangs")


@cocotb.test()
async def direct_ports_have_slots_and_the_others_the_ring(dut: Any) -> None:
    """Both at once, both ways; a datagram goes by the port of its own, an empty one, too."""
    udp = await Bench(dut).start(lambda: 3)
    core = Core(udp)
    for _ in range(8):
        await RisingEdge(dut.cpu_clk)
    dut.cpu_rst.value = 0
    rng = udp.rng
    await udp.listen(PACKET, 7)
    udp.direct = True
    udp.line.gap = lambda item: len(item.data) // 8 + rng.randrange(5, 60)
    ports = rng.sample(range(1, 1 << 16), 5)
    for i, port in enumerate(ports[:4]):
        await udp.write("local_ports0.port", (i % 2) << 17 | 1 << 16 | port, offset=4 * (3 * i))
        assert await udp.read("local_ports0.port", 4 * 3 * i) == (i % 2) << 17 | 1 << 16 | port
    direct = {ports[1]: 3, ports[3]: 9}
    ring: list[Item] = []
    slots: dict[int, list[Item]] = {3: [], 9: []}
    loaded = 0
    for _ in range(int(os.environ["ROUNDS"])):
        for _ in range(rng.randrange(1, 5)):
            item = udp.give(rng.choice((0, 1, some_length(rng))), bad=rng.random() < 0.2)
            item.user["port"] = rng.choice(ports)
            if not item.bad:
                socket = direct.get(item.user["port"])
                (ring if socket is None else slots[socket]).append(item)
        data = rng.randbytes(some_length(rng))
        udp.put(DRAM + 3, data)
        await udp.room_to_send()
        await udp.send(DRAM + 3, data)
        socket, size = rng.choice((3, 9)), some_length(rng)
        place = PACKET + (1 << 19) + rng.randrange(100)
        data = rng.randbytes(size)
        udp.put(place, (0x0A00_0009).to_bytes(4, "big") + (77).to_bytes(2, "big") + bytes(26) + data)
        assert await core.call(2, place, socket << 16 | size, 4) == size
        user = {"steady": 1, "destination": 0x0A00_0009, "port": 77, "source_port": ports[1 if socket == 3 else 3],
                "length": size, "ttl": 64, "tos": 0, "df": 0}  # fmt: skip
        udp.wanted.append(Item(data, user))
        await udp.quiet()
        for socket, items in slots.items():
            while items:
                one = items.pop(0)
                assert await core.call(3, place, socket << 16 | LONGEST) == len(one.data)
                assert udp.bytes_at(place, len(one.data)) == one.data
                loaded += 1
        got = await udp.take()
        assert [one["data"] for one in got] == [one.data for one in ring]
        assert all(one["port"] not in direct for one in got)
        ring.clear()
    assert (await udp.read("direct_datagrams"), await udp.read("drop_share")) == (loaded, 0)
    by_data = sorted(udp.sent.items, key=lambda one: one.data)
    wanted = sorted(udp.wanted, key=lambda one: one.data)
    for got_one, want in zip(by_data, wanted, strict=True):
        assert got_one.data == want.data
        assert {name: got_one.user[name] for name in want.user if name != "sum"}.items() <= {
            **want.user, "sum_known": got_one.user["sum_known"]}.items()  # fmt: skip


# ---- pytest ----------------------------------------------------------------------------------------------------------


def run(case: str, *, seed: int = 1, **env: int) -> None:
    extra = {name: str(value) for name, value in env.items()}
    run_bench("toe_udp_tb", testcase=case, seed=seed, extra_sources=(TB,), extra_env=extra)


@pytest.mark.parametrize(
    ("seed", "rounds"),
    [(1, 4), pytest.param(1, 10, marks=pytest.mark.slow), *some([], [(seed, 10) for seed in range(2, 13)])],
)
def test_datagrams_come_and_go_under_any_stall(seed: int, rounds: int) -> None:
    run("any_datagrams_come_and_go", seed=seed, ROUNDS=rounds)


@pytest.mark.slow
def test_any_alignment_is_sent() -> None:
    run("a_payload_is_sent_from_any_alignment")


@pytest.mark.slow
def test_the_ring_is_filled_and_goes_round() -> None:
    run("a_full_ring_drops_and_goes_on")
    run("round_the_ring_each_datagram_is_in_one_piece")


@pytest.mark.slow
def test_what_is_bad_leaves_the_ring_alone() -> None:
    run("a_bad_datagram_leaves_the_ring_as_it_was")
    run("what_memory_refuses_is_dropped_and_counted")
    run("net_never_waits")


@pytest.mark.slow
def test_direct_ports_have_slots() -> None:
    run("direct_ports_have_slots_and_the_others_the_ring", ROUNDS=20)


@pytest.mark.slow
def test_ports_and_rings_are_set_by_registers() -> None:
    run("ports_are_open_as_they_are_set")
    run("a_ring_is_where_it_may_be")
    run("positions_move_within_what_was_received")


@pytest.mark.slow
def test_registers_keep_their_rules() -> None:
    run("a_ninth_send_and_one_too_long_are_refused")
    run("the_interrupt_is_that_of_its_causes")
    run("what_is_no_register_is_an_error")
    run("an_access_takes_three_cycles_whatever_happens")


@pytest.mark.slow
@pytest.mark.parametrize("latency", some([20], [1, 40]))
def test_it_is_as_fast_as_the_line(latency: int) -> None:
    run("both_ways_keep_up_with_the_line", LATENCY=latency)


@pytest.mark.slow
def test_latencies_are_as_written() -> None:
    run("latencies_are_those_of_the_header")
    run("tcp_goes_on_beside_it")
