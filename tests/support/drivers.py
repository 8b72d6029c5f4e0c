# SPDX-License-Identifier: Apache-2.0
"""Bus masters and slaves for the unit tests, with random stalls, and the checks that every channel must pass.

A `Port` is one end of an ACB or AFB of the block under test (`<prefix>_m2s` and `<prefix>_s2m`, see acb_pkg), by its
prefix, or one index of a packed array of ports.
A `Master` sends a list of requests into a port and collects the responses, a `Slave` takes requests from a port and
answers them through a function. Both watch the block's side of the channels: `valid` does not fall and the payload
does not change before the transfer, and there is exactly one response for each request.
"""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

ADDRESS_BITS = 36


@dataclass(frozen=True)
class Bus:
    """Field widths of a bus; bit positions follow from them (thesis, Tables A.2-A.5)."""

    data: int

    @property
    def mask(self) -> int:
        return self.data // 8

    @property
    def request(self) -> int:
        return 2 + self.mask + ADDRESS_BITS + self.data

    @property
    def response(self) -> int:
        return 1 + self.data


ACB = Bus(64)
AFB = Bus(32)


@dataclass(frozen=True)
class Request:
    address: int
    read: bool = True
    mask: int = 0
    data: int = 0
    lock: bool = False

    def pack(self, bus: Bus) -> int:
        word = self.lock << 1 | self.read
        word = word << bus.mask | self.mask
        word = word << ADDRESS_BITS | self.address
        return word << bus.data | self.data

    @staticmethod
    def unpack(word: int, bus: Bus) -> Request:
        data = word & (1 << bus.data) - 1
        word >>= bus.data
        address = word & (1 << ADDRESS_BITS) - 1
        word >>= ADDRESS_BITS
        mask = word & (1 << bus.mask) - 1
        word >>= bus.mask
        return Request(address, bool(word & 1), mask, data, bool(word >> 1))


@dataclass(frozen=True)
class Response:
    data: int = 0
    err: bool = False

    def pack(self, bus: Bus) -> int:
        return self.err << bus.data | self.data

    @staticmethod
    def unpack(word: int, bus: Bus) -> Response:
        return Response(word & (1 << bus.data) - 1, bool(word >> bus.data))


def read(address: int, mask: int = 0xFF, **more: Any) -> Request:
    return Request(address, True, mask, **more)


def write(address: int, data: int, mask: int = 0xFF, **more: Any) -> Request:
    return Request(address, False, mask, data, **more)


class FlatMemory:
    """An ACB memory byte by byte, first byte = lowest address; the offset is in address bits [27:0]. `line`: bytes of a
    request, 8 on ACB."""

    def __init__(self, size: int, line: int = 8) -> None:
        self.size, self.line = size, line
        self.bytes: defaultdict[int, int] = defaultdict(int)

    def access(self, request: Request) -> Response:
        offset = request.address & 0x0FFF_FFFF & ~(self.line - 1)
        if offset >= self.size:
            return Response(0, err=True)
        if request.read:
            return Response(int.from_bytes(bytes(self.bytes[offset + i] for i in range(self.line)), "big"))
        for i, byte in enumerate(request.data.to_bytes(self.line, "big")):
            if request.mask >> self.line - 1 - i & 1:
                self.bytes[offset + i] = byte
        return Response(0)


class Wires:
    """Bits `low` to `low + width - 1` of a signal (no `width`: all of it); its other bits may be driven elsewhere."""

    _driven: ClassVar[dict[str, int]] = {}  # what was last written to each signal: a field is changed, the rest stays

    def __init__(self, handle: Any, low: int = 0, width: int | None = None) -> None:
        self.handle, self.low = handle, low
        self.field = None if width is None else (1 << width) - 1
        self.name = handle._path

    def of(self, word: int) -> int:
        """What they are in this value of the whole signal."""
        return word if self.field is None else word >> self.low & self.field

    def get(self) -> int:
        return self.of(int(self.handle.value))

    def set(self, value: int) -> None:
        before = self._driven.get(self.name)
        if self.field is not None:
            value = (before or 0) & ~(self.field << self.low) | value << self.low
        if value != before:
            self._driven[self.name] = value
            self.handle.value = value


class Port:
    """The bundles of a port: m2s is {req, req_valid, rsp_ready}, s2m is {req_ready, rsp, rsp_valid}."""

    def __init__(self, dut: Any, prefix: str, bus: Bus, index: int | None = None, *, clk: Any = None) -> None:
        self.name = prefix if index is None else f"{prefix}[{index}]"
        self.bus = bus
        self.clk = clk if clk is not None else dut.clk
        m2s, s2m = getattr(dut, f"{prefix}_m2s"), getattr(dut, f"{prefix}_s2m")
        here, there = (index or 0) * (bus.request + 2), (index or 0) * (bus.response + 2)
        self.m2s, self.s2m = m2s, s2m
        self.rsp_ready, self.req_valid = Wires(m2s, here, 1), Wires(m2s, here + 1, 1)
        self.req = Wires(m2s, here + 2, bus.request)
        self.rsp_valid, self.rsp = Wires(s2m, there, 1), Wires(s2m, there + 1, bus.response)
        self.req_ready = Wires(s2m, there + 1 + bus.response, 1)


class Channel:
    """The rule of every channel, for a side that the block drives: what was offered stays until it is taken."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.offered: int | None = None

    def see(self, valid: int, ready: int, payload: int) -> None:
        if self.offered is not None:
            assert valid, f"{self.what}: valid fell before the transfer"
            assert payload == self.offered, f"{self.what}: payload changed before the transfer"
        self.offered = payload if valid and not ready else None


class Master:
    """Sends requests and collects responses; `stall` is the chance a cycle not to offer, `rsp_stall` not to take."""

    def __init__(self, port: Port, rng: random.Random, stall: float = 0.0, rsp_stall: float = 0.0) -> None:
        self.port, self.rng, self.stall, self.rsp_stall = port, rng, stall, rsp_stall
        self.requests: deque[Request] = deque()
        self.responses: list[Response] = []
        self.sent_at: list[int] = []  # cycle of each request's and each response's transfer
        self.done_at: list[int] = []
        self.cycle = 0
        self.task = cocotb.start_soon(self._run())

    def send(self, requests: list[Request]) -> None:
        self.requests.extend(requests)

    async def all_done(self) -> list[Response]:
        """Wait for everything sent so far; give and forget the responses. Fails when nothing moves for long."""
        moved, moved_at = 0, self.cycle
        while self.requests or len(self.done_at) < len(self.sent_at):
            await RisingEdge(self.port.clk)
            if self.task.done():
                await self.task  # raises what it died of
            if moved != len(self.sent_at) + len(self.done_at):
                moved, moved_at = len(self.sent_at) + len(self.done_at), self.cycle
            assert self.cycle - moved_at < 1000, f"{self.port.name}: hangs"
        responses, self.responses = self.responses, []
        return responses

    async def call(self, *requests: Request) -> Response:
        """Send requests and give the last one's response."""
        self.send(list(requests))
        return (await self.all_done())[-1]

    async def _run(self) -> None:
        port, rng = self.port, self.rng
        watch = Channel(f"{port.name}_rsp")
        edge, s2m = RisingEdge(port.clk), port.s2m
        offering = taking = 0
        port.req_valid.set(0)
        port.rsp_ready.set(0)
        while True:
            await edge
            self.cycle += 1
            now = int(s2m.value)  # once a cycle: reading is what takes the time
            if offering and port.req_ready.of(now):
                self.requests.popleft()
                self.sent_at.append(self.cycle)
                offering = 0
            valid = port.rsp_valid.of(now)
            if valid or watch.offered is not None:
                payload = port.rsp.of(now)
                watch.see(valid, taking, payload)
                if taking:
                    assert len(self.done_at) < len(self.sent_at), f"{port.name}: a response that nobody asked for"
                    self.responses.append(Response.unpack(payload, port.bus))
                    self.done_at.append(self.cycle)
            if not offering and self.requests and rng.random() >= self.stall:
                offering = 1
                port.req.set(self.requests[0].pack(port.bus))
                port.req_valid.set(1)
            elif not offering:
                port.req_valid.set(0)
            taking = int(rng.random() >= self.rsp_stall)
            port.rsp_ready.set(taking)


class Slave:
    """Takes requests, answers each through `answer`, `latency` cycles after it at the earliest, in order.

    `capacity` is how many requests it takes in before their responses are gone, `stall` the chance a cycle not to be
    ready, `latency` draws the delay of a response (1: the next cycle, as a registered slave).
    """

    def __init__(
        self,
        port: Port,
        answer: Callable[[Request], Response],
        rng: random.Random,
        stall: float = 0.0,
        latency: Callable[[], int] = lambda: 1,
        capacity: int = 32,
    ) -> None:
        self.port, self.answer, self.rng, self.stall = port, answer, rng, stall
        self.latency, self.capacity = latency, capacity
        self.seen: list[Request] = []
        self.seen_at: list[int] = []
        self.cycle = 0
        self.task = cocotb.start_soon(self._run())

    async def _run(self) -> None:
        port, rng = self.port, self.rng
        watch = Channel(f"{port.name}_req")
        edge, m2s = RisingEdge(port.clk), port.m2s
        due: deque[tuple[int, int]] = deque()
        taking = offering = 0
        port.req_ready.set(0)
        port.rsp_valid.set(0)
        while True:
            await edge
            self.cycle += 1
            now = int(m2s.value)
            if offering and port.rsp_ready.of(now):
                due.popleft()
                offering = 0
            valid = port.req_valid.of(now)
            if valid or watch.offered is not None:
                payload = port.req.of(now)
                watch.see(valid, taking, payload)
                if taking:
                    request = Request.unpack(payload, port.bus)
                    self.seen.append(request)
                    self.seen_at.append(self.cycle)
                    due.append((self.cycle + self.latency(), self.answer(request).pack(port.bus)))
            if not offering and due and due[0][0] <= self.cycle + 1:
                offering = 1
                port.rsp.set(due[0][1])
                port.rsp_valid.set(1)
            elif not offering:
                port.rsp_valid.set(0)
            taking = int(len(due) < self.capacity and rng.random() >= self.stall)
            port.req_ready.set(taking)


@dataclass(frozen=True)
class Stream:
    """One side of a FIFO or register slice: `<prefix>_data`, `_valid`, `_ready`, and the clock it belongs to."""

    clk: Any
    data: Any
    valid: Any
    ready: Any

    @staticmethod
    def of(dut: Any, prefix: str, clk: Any) -> Stream:
        return Stream(clk, *(getattr(dut, f"{prefix}_{name}") for name in ("data", "valid", "ready")))


async def _feed(side: Stream, beats: list[int], stall: float, rng: random.Random) -> None:
    side.valid.value = 0
    for beat in beats:
        while rng.random() < stall:
            await RisingEdge(side.clk)
        side.data.value = beat
        side.valid.value = 1
        await RisingEdge(side.clk)
        while not side.ready.value:
            await RisingEdge(side.clk)
        side.valid.value = 0


async def beats_pass_in_order(
    source: Stream, sink: Stream, rng: random.Random, beats: int, in_stall: float, out_stall: float
) -> None:
    """Random beats through a block: all of them, in order, none twice, none invented."""
    width = len(source.data)
    sent = [rng.getrandbits(width) for _ in range(beats)]
    expected = deque(sent)
    sink.ready.value = 0
    feeder = cocotb.start_soon(_feed(source, sent, in_stall, rng))
    watch = Channel("output")
    idle = 0
    while expected:
        await RisingEdge(sink.clk)
        valid, ready = int(sink.valid.value), int(sink.ready.value)
        payload = int(sink.data.value)
        watch.see(valid, ready, payload)
        if valid and ready:
            assert payload == expected.popleft()
        idle = 0 if valid else idle + 1
        assert idle < 1000, "beats went in and do not come out"
        sink.ready.value = rng.random() >= out_stall
    await feeder
    sink.ready.value = 1
    for _ in range(20):
        await RisingEdge(sink.clk)
        assert not sink.valid.value, "a beat came out that was never written"


async def start(dut: Any, period_ns: int = 10) -> random.Random:
    """Clock and reset of a block with `clk` and `rst`; gives the test's random source (cocotb prints its seed)."""
    cocotb.start_soon(Clock(dut.clk, period_ns, "ns").start())
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    return random.Random(random.getrandbits(64))


async def start_two(dut: Any, clk_a: tuple[str, int], clk_b: tuple[str, int]) -> random.Random:
    """Two clocks (prefix, period in ps) at a random phase, `<prefix>_clk` and `<prefix>_rst`; both resets together."""
    rng = random.Random(random.getrandbits(64))
    for prefix, _ in (clk_a, clk_b):
        getattr(dut, f"{prefix}_rst").value = 1
    for prefix, period in (clk_a, clk_b):
        cocotb.start_soon(Clock(getattr(dut, f"{prefix}_clk"), period, "ps").start())
        await Timer(rng.randrange(1, period), "ps")
    await Timer(8 * max(clk_a[1], clk_b[1]), "ps")
    for prefix, _ in (clk_a, clk_b):
        await RisingEdge(getattr(dut, f"{prefix}_clk"))
        getattr(dut, f"{prefix}_rst").value = 0
    return rng


async def within(dut: Any, cycles: int, what: Awaitable[Any], clk: Any = None) -> Any:
    """Await `what`, which must not take longer than `cycles`: a block that hangs fails here instead of for ever."""
    task = cocotb.start_soon(_awaiting(what))
    for _ in range(cycles):
        if task.done():
            return task.result()
        await RisingEdge(clk if clk is not None else dut.clk)
    task.cancel()
    raise AssertionError(f"not done after {cycles} cycles")


async def _awaiting(what: Awaitable[Any]) -> Any:
    return await what


async def only_these_offsets_exist(dut: Any, master: Master, known: set[int]) -> None:
    """An AFB device of 256 bytes answers reads of its registers, refuses the rest, all in the next cycle each."""
    master.sent_at, master.done_at = [], []
    offsets = range(0, 256, 4)
    master.send([Request(0xFFFF_3000 + offset, True, 0xF) for offset in offsets])
    responses = await within(dut, 1000, master.all_done())
    assert {offset for offset, r in zip(offsets, responses, strict=True) if not r.err} == known
    master.send([Request(0xFFFF_3000 + offset, False, 0xF) for offset in offsets if offset not in known])
    assert all(r == Response(0, err=True) for r in await within(dut, 1000, master.all_done()))
    assert all(done - sent == 1 for sent, done in zip(master.sent_at, master.done_at, strict=True))
