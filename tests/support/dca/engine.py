# SPDX-License-Identifier: Apache-2.0
"""The TCP engine as dca_rings sees it: it writes and reads rings, tells of connections, and takes requests.

Positions are counted from a connection's begin without an end, and made absolute, modulo 2^32, where they leave.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from net_hw import Layout
from tcp.structs import enum, layout

from dca.bench import (
    EAGAIN,
    ECONNRESET,
    EFAULT,
    EINTR,
    EPIPE,
    LONGEST,
    NO_WAIT,
    PEEK,
    SOCKETS,
    STATUS,
    TCP_LOAD,
    TCP_STORE,
    Bench,
)

REQ = Layout(lock=1, read=1, byte_mask=8, address=36, write_data=64)
M2S = Layout(**REQ.widths, req_valid=1, rsp_ready=1)
RSP = Layout(err=1, data=64)
S2M = Layout(req_ready=1, **RSP.widths, rsp_valid=1)
TOLD, REQUEST, OP = layout("direct_t"), layout("request_t"), enum("op_t")
RING, DWORD = 4096, 8
PLACES = 1 << 15  # of a position the unit keeps so many apart: twice the largest ring

Call = Callable[[int], None]


@dataclass
class Known:
    """What was told of a connection, and when."""

    at: float
    received: int
    acknowledged: int
    finished: bool
    closed: bool


@dataclass
class Stream:
    """A direct connection: what the peer sends, and what the program does."""

    socket: int
    base: int = 0  # absolute, of positions 0
    coming: bytearray = field(default_factory=bytearray)  # all that the peer has sent
    written: int = 0  # of that is in the ring
    read_told: int = 0  # by READ
    read: int = 0  # by the program
    given: bytearray = field(default_factory=bytearray)  # all that the program has stored
    sent: int = 0  # by SEND
    fetched: int = 0  # and compared
    acknowledged: int = 0
    begun: bool = False
    finished: bool = False
    closed: bool = False
    busy: int = 0  # requests of it under way
    known: list[Known] = field(default_factory=list)

    def then(self, at: float) -> Known:
        """What had been told until then."""
        return next(one for one in reversed(self.known) if one.at <= at)

    @property
    def now(self) -> Known:
        return self.known[-1]

    def address(self, position: int, *, send: bool) -> int:
        return 1 << 35 | int(send) << 16 | self.socket << 12 | (self.base + position) % RING


@dataclass
class Asked:
    """Of the program, on its way to the engine. It may not come if what decides it was on its way, too."""

    socket: int
    op: str
    position: int
    sure: bool = True


class Engine:
    """Beside a Bench that has started. `rate`: of what the peer does by itself, in a cycle."""

    def __init__(self, bench: Bench) -> None:
        self.b, self.dut, self.rng = bench, bench.dut, bench.rng
        self.streams = [Stream(socket) for socket in range(SOCKETS)]
        self.asks: deque[tuple[dict[str, int], Call]] = deque()
        self.offered: tuple[dict[str, int], Call] | None = None
        self.under: deque[Call] = deque()
        self.to_memory: deque[dict[str, int]] = deque()  # asked for, not seen there
        self.from_memory: deque[int] = deque()  # answers that memory gave
        self.memory_due: deque[int] = deque()
        self.tells: deque[dict[str, int]] = deque()
        self.told_at = -2
        self.tell_gap = max(2, 1 + bench.cpu_ps // bench.nic_ps)  # so that none waits for another
        self.asked: deque[Asked] = deque()
        self.rate = self.ack_rate = self.memory_rate = 0.0
        self.again = 0.2  # read once more before it is acknowledged
        self.chunk = RING
        self.ask_stall = self.memory_stall = self.request_stall = 0.0
        self.memory_latency: Callable[[], int] = lambda: 3
        self.direct = 0
        self.compared = 0  # bytes
        self.mixed = 0  # requests for a ring behind one that memory has not answered, or the other way round
        self.last_memory = False
        self.held = False  # what is stored is neither read nor acknowledged
        bench.tasks.append(cocotb.start_soon(self._run()))

    # ---- What the engine does

    def open(self, socket: int) -> Stream:
        """The rings of a socket are set up: a connection of it may begin."""
        self.direct |= 1 << socket
        self.dut.direct_tcp.value = self.direct
        return self.streams[socket]

    def close_rings(self, socket: int) -> None:
        self.direct &= ~(1 << socket)
        self.dut.direct_tcp.value = self.direct

    def begin(self, socket: int) -> Stream:
        one = self.streams[socket] = Stream(socket, begun=True)
        self.tell(one, begins=1)
        return one

    async def moved(self, socket: int, base: int) -> Stream:
        """A connection that has begun, far from there: as if so many bytes had come and gone both ways."""
        one = self.open(socket)
        await self.b.pause(8)
        self.begin(socket)
        await self.quiet()
        one = self.streams[socket]
        one.base = base
        rings = self.dut.u_rings
        rings.read[socket].value = rings.given[socket].value = base
        rings.received[socket].value = rings.acknowledged[socket].value = base % PLACES
        self.tell(one)
        await self.quiet()
        return one

    def tell(self, one: Stream, *, begins: int = 0, finished: int = 0, closed: int = 0, received: int = -1) -> None:
        received = one.written if received < 0 else received
        one.finished |= bool(finished)
        one.closed |= bool(closed)
        self.tells.append({
            "index": one.socket, "begins": begins, "finished": finished, "closed": closed,
            "received": (one.base + received) % (1 << 32), "acknowledged": (one.base + one.acknowledged) % (1 << 32),
            "_received": received, "_acknowledged": one.acknowledged, "_stream": one,
        })  # fmt: skip

    def ask(self, then: Call, **request: int) -> None:
        self.asks.append((request, then))

    def receive(self, one: Stream, data: bytes) -> None:
        """From the peer: into the ring, then it is told."""
        rng, start = self.rng, len(one.coming)
        one.coming += data
        assert len(one.coming) - one.read_told <= RING
        end = len(one.coming)
        places = range(one.base + start, one.base + end)
        dwords = range(places.start // DWORD, (places.stop + DWORD - 1) // DWORD)
        left = len(dwords)

        def wrote(answer: int) -> None:
            nonlocal left
            assert not answer >> 64
            left -= 1
            if not left:
                one.busy -= 1
                one.written = end
                self.tell(one)

        one.busy += 1
        for dword in rng.sample(dwords, len(dwords)) if rng.random() < 0.3 else dwords:
            mask = word = 0
            for lane in range(DWORD):
                place = DWORD * dword + lane - one.base
                if start <= place < end:
                    mask |= 0x80 >> lane
                    word |= one.coming[place] << 8 * (DWORD - 1 - lane)
                else:
                    word |= rng.getrandbits(8) << 8 * (DWORD - 1 - lane)
            address = one.address(DWORD * dword - one.base, send=False)
            self.ask(wrote, byte_mask=mask, address=address | rng.getrandbits(3), write_data=word)

    def fetch(self, one: Stream, start: int, end: int, then: Callable[[], None] = lambda: None) -> None:
        """Out of the ring; what comes is compared."""
        dwords = range((one.base + start) // DWORD, (one.base + end + DWORD - 1) // DWORD)
        left = len(dwords)
        one.busy += 1
        for dword in dwords:

            def came(data: int, first: int = DWORD * dword - one.base) -> None:
                nonlocal left
                for lane, byte in enumerate(data.to_bytes(DWORD, "big")):
                    if start <= first + lane < end:
                        assert byte == one.given[first + lane], (one.socket, first + lane, start, end)
                        self.compared += 1
                left -= 1
                if not left:
                    one.busy -= 1
                    then()

            address = one.address(DWORD * dword - one.base, send=True)
            mask, data = self.rng.getrandbits(8), self.rng.getrandbits(64)
            self.ask(came, read=1, byte_mask=mask, address=address | self.rng.getrandbits(3), write_data=data)

    def acknowledge(self, one: Stream, to: int) -> None:
        assert one.acknowledged <= to <= one.fetched
        one.acknowledged = to
        self.tell(one)

    def memory(self) -> None:
        """One of another connection, whose rings are in memory."""
        request = REQ.unpack(self.rng.getrandbits(REQ.bits - 1)) | {"lock": 0}
        request["address"] &= (1 << 35) - 1

        def came(answer: int) -> None:
            assert answer == self.from_memory.popleft()

        self.ask(came, memory=1, **request)

    def _decide(self) -> None:
        rng = self.rng
        if self.memory_rate and len(self.asks) < 40 and rng.random() < self.memory_rate:
            for _ in range(rng.choice((1, 1, 5, 30))):
                self.memory()
        one = self.streams[rng.randrange(SOCKETS)]
        if not one.begun or one.busy:
            return
        if not self.held:
            if one.fetched < one.sent and not one.closed:
                end = min(one.sent, one.fetched + rng.randrange(1, LONGEST))

                def fetched() -> None:
                    one.fetched = end

                self.fetch(one, one.fetched, end, fetched)
                return
            if one.acknowledged < one.fetched and rng.random() < self.ack_rate:
                if rng.random() < self.again:
                    self.fetch(one, one.acknowledged, one.fetched)
                else:
                    self.acknowledge(one, rng.choice((one.fetched, rng.randrange(one.acknowledged, one.fetched + 1))))
                return
        room = RING - (len(one.coming) - one.read_told)
        if room and not one.finished and not one.closed and rng.random() < self.rate:
            size = min(room, self.chunk)
            self.receive(one, rng.randbytes(rng.choice((size, rng.randrange(1, size + 1), min(size, 9)))))

    # ---- nic_clk

    async def _run(self) -> None:
        dut, rng, clock = self.dut, self.rng, RisingEdge(self.dut.nic_clk)
        cycle = memory_ready = taking = 0
        while True:
            await clock
            cycle += 1
            seen = S2M.unpack(int(dut.rings_s2m.value))
            if seen["rsp_valid"]:
                self.under.popleft()(seen["err"] << 64 | seen["data"])
            memory = M2S.unpack(int(dut.memory_m2s.value))
            if memory["req_valid"] and memory_ready:
                want = self.to_memory.popleft()
                assert {name: memory[name] for name in REQ.widths} == want, "not what was asked for"
                self.memory_due.append(cycle + self.memory_latency())
            if self.offered is not None and seen["req_ready"]:
                request, then = self.offered
                self.mixed += bool(self.under) and self.last_memory != ("memory" in request)
                self.last_memory = "memory" in request
                self.under.append(then)
                self.offered = None
            self._decide()
            if self.offered is None and self.asks and rng.random() >= self.ask_stall:
                self.offered = self.asks.popleft()
                request = {name: value for name, value in self.offered[0].items() if name != "memory"}
                if "memory" in self.offered[0]:
                    self.to_memory.append(REQ.unpack(REQ.pack(**request)))
                dut.rings_m2s.value = M2S.pack(**request, req_valid=1, rsp_ready=1)
            elif self.offered is None:
                dut.rings_m2s.value = rng.getrandbits(REQ.bits) << 2 | 1
            memory_ready = int(rng.random() >= self.memory_stall)
            answer = rng.getrandbits(65)
            valid = bool(self.memory_due) and self.memory_due[0] <= cycle
            if valid:
                self.memory_due.popleft()
                self.from_memory.append(answer)
            dut.memory_s2m.value = memory_ready << 66 | answer << 1 | int(valid)
            self._tell(cycle)
            if taking and dut.request_valid.value:
                self._take(REQUEST.unpack(int(dut.request.value)))
            taking = int(not self.request_stall or rng.random() >= self.request_stall)
            dut.request_ready.value = taking

    def _tell(self, cycle: int) -> None:
        dut = self.dut
        if self.tells and cycle - self.told_at >= self.tell_gap:
            values = self.tells.popleft()
            one: Any = values["_stream"]
            before = one.known[-1] if one.known else Known(0, 0, 0, False, False)
            one.known.append(Known(get_sim_time("ps"), values["_received"], values["_acknowledged"],
                                   before.finished or bool(values["finished"]),
                                   before.closed or bool(values["closed"])))  # fmt: skip
            self.told_at = cycle
            dut.told.value = TOLD.pack(**{name: values.get(name, 0) for name in TOLD.widths})
            dut.told_valid.value = 1
        else:
            dut.told_valid.value = 0
            dut.told.value = self.rng.getrandbits(TOLD.bits)

    def _take(self, request: dict[str, int]) -> None:
        while True:
            want = self.asked.popleft()
            one = self.streams[want.socket]
            position = (one.base + want.position) % (1 << 32)
            names = {"index": want.socket, "command.op": OP[f"OP_{want.op}"], "command.a": position}
            if request == dict.fromkeys(REQUEST.widths, 0) | names:
                break
            assert not want.sure, (request, want)
        if want.op == "READ":
            one.read_told = want.position
        else:
            one.sent = want.position

    # ---- What a program does

    @property
    def delay(self) -> float:
        """Within it what is told is there, ps."""
        return 2 * self.b.nic_ps + 7 * self.b.cpu_ps

    async def load(self, socket: int, address: int, size: int, how: int = 0) -> int:
        b, one = self.b, self.streams[socket]
        before, start, full = b.snapshot(), get_sim_time("ps"), len(self.asked)
        got = await b.call(TCP_LOAD, address, socket << 16 | size, how)
        old, new = one.then(start - self.delay), one.now
        most = min(size, LONGEST)
        if got <= 0:
            b.unchanged(before)
        if got < 0:
            if got in (-EAGAIN, -EINTR):
                assert (how & NO_WAIT) if got == -EAGAIN else b.interrupt
                assert full >= 4 or (size and old.received == one.read and not old.finished and not old.closed)
            else:
                assert got == -ECONNRESET and new.closed and not old.finished and one.read == new.received and size
            return got
        if got == 0:
            assert not size or (new.finished and one.read == new.received)
            return got
        assert min(most, max(1, old.received - one.read)) <= got <= min(most, new.received - one.read)
        assert b.bytes_at(address, got) == one.coming[one.read : one.read + got]
        b.unchanged(before, address, got)
        if not how & PEEK:
            one.read += got
            self.asked.append(Asked(socket, "READ", one.read))
        return got

    async def store(self, socket: int, address: int, size: int, how: int = 0) -> int:
        b, one = self.b, self.streams[socket]
        before, start, full = b.snapshot(), get_sim_time("ps"), len(self.asked)
        b.refused = False
        got = await b.call(TCP_STORE, address, socket << 16 | size, how)
        b.unchanged(before)
        old, new = one.then(start - self.delay), one.now
        least, most = (min(LONGEST, RING - (len(one.given) - known.acknowledged)) for known in (old, new))
        if got < 0:
            if got in (-EAGAIN, -EINTR):
                assert (how & NO_WAIT) if got == -EAGAIN else b.interrupt
                assert full >= 4 or (size and not least and not old.closed)
            else:
                assert (got == -EFAULT and b.refused) or (got == -EPIPE and new.closed)
            return got
        assert not old.closed and not b.refused
        assert min(size, max(1, least)) <= got <= min(size, most)
        one.given += b.bytes_at(address, got)
        if not how & PEEK or least <= got:  # more may follow what does not fill the room
            sure = not how & PEEK or least == most
            self.asked.append(Asked(socket, "SEND", len(one.given), sure))
        return got

    async def status(self, socket: int, item: int) -> int:
        return await self.b.call(STATUS, 0, socket << 16 | item)

    async def quiet(self) -> None:
        """Nothing is under way to or from the engine."""
        await self.b.until(lambda: not (self.asks or self.offered or self.under or self.tells), 100_000)
        await self.b.pause(10 + 8 * self.b.nic_ps // self.b.cpu_ps)
        await self.b.until(lambda: not any(one.sure for one in self.asked))

    async def settled(self) -> None:
        """All that was stored is read and acknowledged."""
        await self.b.until(lambda: all(one.fetched == one.sent == one.acknowledged or one.closed
                                       for one in self.streams), 400_000)  # fmt: skip
        await self.quiet()
