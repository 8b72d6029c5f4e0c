# SPDX-License-Identifier: Apache-2.0
"""pnic_mac_send: each frame as it lies in the frame memory, at any byte, of any length, in order; progress only behind
its last beat; the line's rate."""

import os
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from net_hw import TX_USER, Sink
from pnic.assist import LENGTH, MARK, PROGRESS, TAIL, Clocks, Pad, Registers, Ring
from pnic.frame_memory import Memory
from runs import some

MIN_BYTES, MAX_BYTES = 14, 9596
SIZE = 1 << 18
LINE_GAP = 24
"""Byte times of the line beside the frame without FCS: FCS, preamble, gap."""


class Bench:
    def __init__(self, dut: Any, latency: int = 6) -> None:
        self.dut, self.rng = dut, Random(int(os.environ["SEED"]))
        fm = float(os.environ["FM_NS"])
        self.clocks = Clocks(dut, {"core": 6.0, "fm": fm, "user": 6.4})
        self.pad = Pad(self.rng)
        self.memory = Memory(self.rng, latency)
        self._forget()

    def _forget(self) -> None:
        self.sink = Sink(self.dut, "tx_frame", TX_USER)
        self.ring = Ring(self.pad, 0x8000, 8, 0x100, words=2)
        self.pad[self.ring.news] = 0
        self.memory.answers.clear()
        self.expected: list[bytes] = []
        self.wrong: list[int] = []
        self.sent_at: list[int] = []
        """By count of a descriptor: frames that are sent with it."""
        self.shown = 0

    async def start(self) -> "Bench":
        dut = self.dut
        dut.pad_rsp.value = dut.fm_rsp.value = 0
        clocks = self.clocks
        self.registers = Registers(dut, dut.core_clk)
        clocks.on("core", self._core)
        clocks.on("fm", lambda: setattr(dut.fm_rsp, "value", self.memory.step(int(dut.fm_req.value))))
        clocks.on("user", lambda: self.sink.step(clocks.cycles["user"], self.rng))
        await clocks.start()
        await self.ring.set_up(self.registers)
        return self

    async def restart(self) -> None:
        await self.clocks.hold()
        self._forget()
        await self.clocks.release()
        await self.ring.set_up(self.registers)

    def _core(self) -> None:
        dut = self.dut
        dut.pad_rsp.value = self.pad.step(int(dut.pad_req.value))
        if self.ring.progress != self.shown:
            self.shown = self.ring.progress
            assert len(self.sink.items) >= self.sent_at[self.shown - 1], "progress before the last beat"

    def put(self, at: int, length: int) -> None:
        if MIN_BYTES <= length <= MAX_BYTES:
            self.expected.append(self.memory.bytes_at(at, length))
        else:
            self.wrong.append(self.ring.tail)
        self.sent_at.append(len(self.expected))
        self.ring.put((at | self.rng.getrandbits(8) << 24, length))

    async def hand_over(self) -> None:
        await self.registers.write(TAIL, self.ring.tail & 0xFFFF)

    async def settle(self) -> None:
        await self.clocks.until(lambda: self.ring.progress == self.ring.tail, 100000)
        await self.clocks.cycle(20)
        assert [item.data for item in self.sink.items] == self.expected
        assert all(item.user == {"stamp_wanted": 0, "steady": 0} and not item.bad for item in self.sink.items)
        assert await self.registers.read(LENGTH) == len(self.wrong)
        assert await self.registers.read(PROGRESS) == self.ring.tail
        for count in range(max(0, self.ring.tail - 256), self.ring.tail):
            assert bool(self.pad[self.ring.place(count) + 1] & MARK) == (count in self.wrong)


@cocotb.test()
async def every_place_and_length_with_stalls_everywhere(dut: Any) -> None:
    bench = await Bench(dut).start()
    rng = bench.rng
    bench.memory.fill(0, rng.randbytes(SIZE))
    lengths = [*range(MIN_BYTES, 35), 59, 60, 61, 127, 128, 129]
    work = [(lane, length) for lane in range(16) for length in lengths]
    work += [(rng.randrange(16), length) for length in (1514, 1518, 4000, MAX_BYTES - 1, MAX_BYTES)]
    work += [(0, length) for length in (0, 1, MIN_BYTES - 1, MAX_BYTES + 1, 0x7FFF, 0xFFFF)]
    rng.shuffle(work)
    for stall in (0.0, 0.3, 0.7):
        bench.pad.pause = bench.memory.pause = bench.sink.stall = stall
        for lane, length in work[: len(work) if not stall else 100]:
            if not bench.ring.room:
                await bench.hand_over()
                await bench.clocks.until(lambda: bench.ring.room > rng.randrange(200), 100000)
            bench.put(rng.randrange((SIZE - 16384) // 16) * 16 + lane, length)
            if rng.random() < 0.2:
                await bench.hand_over()
        await bench.hand_over()
        await bench.settle()


@cocotb.test()
async def the_lines_rate_with_any_length(dut: Any) -> None:
    """Frames back to back leave in less time than they take on the line."""
    bench = await Bench(dut, latency=27).start()
    bench.memory.fill(0, bench.rng.randbytes(SIZE))
    for length, count in ((60, 200), (61, 200), (65, 200), (1514, 30)):
        bench.put(3, 60)
        first = len(bench.expected)
        for i in range(count):
            bench.put((i * 1531 + 7) % (SIZE - 2048), length)
        await bench.hand_over()
        await bench.settle()
        items = bench.sink.items[first:]
        cycles = items[-1].last - items[0].last
        dut._log.info("%d bytes: %.2f cycles of user_clk a frame", length, cycles / (count - 1))
        assert 8 * cycles <= (length + LINE_GAP) * (count - 1)


@cocotb.test()
async def a_reset_at_any_cycle_forgets_all(dut: Any) -> None:
    bench = await Bench(dut).start()
    bench.memory.fill(0, bench.rng.randbytes(SIZE))
    for _ in range(6):
        for _ in range(20):
            bench.put(bench.rng.randrange(60000), bench.rng.randint(MIN_BYTES, 400))
        await bench.hand_over()
        await bench.clocks.cycle(bench.rng.randrange(400))
        await bench.restart()
        for _ in range(5):
            bench.put(bench.rng.randrange(60000), bench.rng.randint(MIN_BYTES, 400))
        await bench.hand_over()
        await bench.settle()


@pytest.mark.parametrize("fm_ns", some(["2.0"], ["6.0", "7.7"]))
@pytest.mark.parametrize("seed", some([1], range(2, 5)))
def test_pnic_mac_send(fm_ns: str, seed: int) -> None:
    run_bench("pnic_mac_send", {}, seed=seed, extra_env={"SEED": str(seed), "FM_NS": fm_ns})
