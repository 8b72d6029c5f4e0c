# SPDX-License-Identifier: Apache-2.0
"""What is around an assist: its registers, the scratchpad at its port, rings of descriptors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from net_hw import Layout

from pnic.scratchpad import REQUEST, RESPONSE, WORDS, Op, Request, Scratchpad

REGISTER = Layout(valid=1, write=1, number=6, data=32)
BASE, ENTRIES, TAIL, NEWS, PROGRESS, LENGTH, CONTROL, REFUSED, BEYOND = range(9)
ALL = (1 << 32) - 1
MARK = 1 << 31
"""In the last word of a descriptor that was wrong or refused."""


@dataclass
class Pad:
    """The scratchpad as one master sees it, which is granted when it likes."""

    rng: Random
    pause: float = 0.0
    model: Scratchpad = field(default_factory=Scratchpad)
    ready: bool = False
    used: int = 0
    watch: Callable[[Request], None] = lambda request: None
    """Sees each request that changes something, before it is done."""

    def step(self, request: int) -> int:
        """Behind an edge: `request` as in the cycle before it. The response of the cycle that begins."""
        granted, answer = self.ready and request >> REQUEST.bits - 1, 0
        if granted:
            asked = REQUEST.unpack(request)
            one = Request(Op(asked["op"]), asked["address"], asked["data"], asked["mask"])
            self.used += 1
            if one.op != Op.LOAD:
                self.watch(one)
            self.model.words.setdefault(one.address, 0)
            answer = self.model.do(0, one) or 0
        self.ready = self.rng.random() >= self.pause
        return RESPONSE.pack(ready=self.ready, valid=bool(granted), data=answer)

    def __getitem__(self, address: int) -> int:
        return self.model.words.get(address % WORDS, 0)

    def __setitem__(self, address: int, value: int) -> None:
        self.model.words[address % WORDS] = value

    def fill(self, at: int, data: bytes) -> None:
        """Bytes, from byte address `at` on."""
        for address, byte in enumerate(data, at):
            shift = 8 * (address % 4)
            self[address // 4] = self[address // 4] & ~(0xFF << shift) | byte << shift

    def bytes_at(self, at: int, count: int) -> bytes:
        words = b"".join(self[word].to_bytes(4, "little") for word in range(at // 4, (at + count + 3) // 4))
        return words[at % 4 : at % 4 + count]


class Registers:
    """Those of an assist, `regs` and `regs_data`, in the cores' clock."""

    def __init__(self, dut: Any, clk: Any) -> None:
        self.dut, self.clk = dut, clk
        dut.regs.value = 0

    async def write(self, number: int, value: int) -> None:
        self.dut.regs.value = REGISTER.pack(valid=1, write=1, number=number, data=value & ALL)
        await RisingEdge(self.clk)
        self.dut.regs.value = 0

    async def read(self, number: int) -> int:
        self.dut.regs.value = REGISTER.pack(valid=1, number=number)
        await RisingEdge(self.clk)
        self.dut.regs.value = 0
        await RisingEdge(self.clk)
        return int(self.dut.regs_data.value)


@dataclass
class Ring:
    """A ring of descriptors in the scratchpad, filled by firmware."""

    pad: Pad
    base: int
    log2: int
    news: int
    words: int = 4
    tail: int = 0

    async def set_up(self, registers: Registers) -> None:
        for number, value in ((BASE, self.base), (ENTRIES, self.log2), (NEWS, self.news), (CONTROL, 1)):
            await registers.write(number, value)

    def place(self, count: int) -> int:
        return self.base + self.words * (count % (1 << self.log2))

    @property
    def progress(self) -> int:
        return self.pad[self.news]

    @property
    def room(self) -> int:
        return (1 << self.log2) - (self.tail - self.progress)

    def put(self, words: Sequence[int]) -> None:
        """One more, which is not yet handed over."""
        assert self.room > 0 and len(words) == self.words
        for i, word in enumerate(words):
            self.pad[self.place(self.tail) + i] = word
        self.tail += 1


class Clocks:
    """Clocks of an assist, by name, with a reset each; in each something may happen behind every edge."""

    def __init__(self, dut: Any, periods: dict[str, float]) -> None:
        """Periods in ns."""
        self.dut, self.periods = dut, periods
        self.steps: dict[str, list[Callable[[], None]]] = {name: [] for name in periods}
        self.cycles = dict.fromkeys(periods, 0)

    def clk(self, name: str) -> Any:
        return getattr(self.dut, f"{name}_clk")

    async def start(self) -> None:
        for name, period in self.periods.items():
            cocotb.start_soon(Clock(self.clk(name), round(period * 1000) & ~1, unit="ps").start())
        for name in self.periods:
            cocotb.start_soon(self._live(name))
        await self.hold()
        await self.release()

    async def hold(self) -> None:
        """All in reset, for long enough."""
        for name in self.periods:
            getattr(self.dut, f"{name}_rst").value = 1
        await Timer(100, "ns")

    async def release(self) -> None:
        for name in self.periods:
            await RisingEdge(self.clk(name))
            getattr(self.dut, f"{name}_rst").value = 0
        await self.cycle()  # whoever goes on does so behind an edge of the cores' clock

    async def _live(self, name: str) -> None:
        edge = RisingEdge(self.clk(name))
        while True:
            await edge
            self.cycles[name] += 1
            for step in self.steps[name]:
                step()

    def on(self, name: str, step: Callable[[], None]) -> None:
        self.steps[name].append(step)

    async def until(self, is_true: Callable[[], bool], limit: int = 20000, name: str = "core") -> None:
        for _ in range(limit):
            if is_true():
                return
            await RisingEdge(self.clk(name))
        raise AssertionError("it does not come to an end")

    async def cycle(self, count: int = 1, name: str = "core") -> None:
        for _ in range(count):
            await RisingEdge(self.clk(name))
