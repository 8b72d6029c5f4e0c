# SPDX-License-Identifier: Apache-2.0
"""pnic_mac_receive: good frames are in the buffer, whole and in order, each with its descriptor before the progress;
others are counted by cause; nothing that firmware still has is written over; the line's rate."""

import os
from collections import deque
from itertools import pairwise
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from net_hw import RX_USER, Item, Source
from pnic.assist import BASE, BEYOND, CONTROL, ENTRIES, NEWS, PROGRESS, TAIL, Clocks, Pad, Registers
from pnic.frame_memory import Memory
from runs import some

BUFFER, BUFFER_SIZE, FRAMES, BAD, LONG, NO_BUFFER, NO_ENTRY, OFF = range(16, 24)
CAUSES = {"bad": BAD, "long": LONG, "no_buffer": NO_BUFFER, "no_entry": NO_ENTRY, "off": OFF}
RING, NEWS_AT = 0x3000, 0x200


class Bench:
    def __init__(self, dut: Any, log2_bytes: int = 14, log2_entries: int = 5, buffer: int = 0x12340) -> None:
        self.dut, self.rng = dut, Random(int(os.environ["SEED"]))
        self.max_bytes, self.offset = int(os.environ["MAX_BYTES"]), int(os.environ["OFFSET"])
        self.clocks = Clocks(dut, {"core": 6.0, "fm": float(os.environ["FM_NS"]), "user": 6.4})
        self.pad, self.memory = Pad(self.rng), Memory(self.rng)
        self.log2_bytes, self.log2_entries, self.buffer = log2_bytes, log2_entries, buffer
        self._forget()

    def _forget(self) -> None:
        self.line = Source(self.dut, "rx_frame", RX_USER)
        self.memory.answers.clear()
        self.memory.written.clear()
        self.pad[NEWS_AT] = 0
        self.good: deque[bytes] = deque()
        """In the order in which they came; those that found no room are left out as one sees it."""
        self.given = dict.fromkeys(CAUSES, 0)
        self.frames = 0
        self.lost = 0
        """Good ones that are not there."""
        self.held: deque[tuple[int, int]] = deque()
        """Beats of frames that firmware has: first, number."""
        self.seen = self.freed = 0
        self.keep = 0
        """Frames that firmware keeps."""
        self.free = True
        self.taken: list[bytes] = []

    async def start(self, enable: bool = True) -> "Bench":
        dut, clocks = self.dut, self.clocks
        dut.pad_rsp.value = dut.fm_rsp.value = 0
        self.registers = Registers(dut, dut.core_clk)
        clocks.on("core", lambda: setattr(dut.pad_rsp, "value", self.pad.step(int(dut.pad_req.value))))
        clocks.on("fm", self._memory)
        clocks.on("user", lambda: self.line.step(clocks.cycles["user"], self.rng))
        await clocks.start()
        await self._set_up(enable)
        cocotb.start_soon(self._firmware())
        return self

    async def _set_up(self, enable: bool) -> None:
        for number, value in ((BASE, RING), (ENTRIES, self.log2_entries), (NEWS, NEWS_AT), (BUFFER, self.buffer),
                              (BUFFER_SIZE, self.log2_bytes), (CONTROL, enable)):  # fmt: skip
            await self.registers.write(number, value)

    async def restart(self) -> None:
        self.free = False
        await self.clocks.hold()
        self._forget()
        await self.clocks.release()
        await self._set_up(True)

    def _memory(self) -> None:
        before = len(self.memory.written)
        self.dut.fm_rsp.value = self.memory.step(int(self.dut.fm_req.value))
        for address, mask in self.memory.written[before:]:
            assert mask
            assert self.buffer <= 16 * address < self.buffer + (1 << self.log2_bytes), "outside the buffer"
            assert all(not first <= address < first + count for first, count in self.held), "firmware has this frame"

    async def _firmware(self) -> None:
        """Looks at what is new, and frees in order, some at a time."""
        while True:
            await self.clocks.cycle()
            while self.seen != self.pad[NEWS_AT]:
                self._look()
            if self.free and len(self.held) > self.keep and self.rng.random() < 0.2:
                count = self.rng.randint(1, len(self.held) - self.keep)
                self.freed += count
                for _ in range(count):
                    self.held.popleft()
                await self.registers.write(TAIL, self.freed & 0xFFFF)

    def _look(self) -> None:
        place = RING + 2 * (self.seen % (1 << self.log2_entries))
        address, length = self.pad[place], self.pad[place + 1]
        assert address % 16 == self.offset
        data = self.memory.bytes_at(address, length)
        while self.good[0] != data:
            self.good.popleft()
            self.lost += 1
            assert self.good, "a frame that did not come"
        self.good.popleft()
        self.taken.append(data)
        self.held.append((address // 16, (self.offset + length + 15) // 16))
        self.seen += 1

    def frame(self, length: int, bad: bool = False) -> None:
        data = self.rng.randbytes(length)
        self.line.items.append(Item(data, {"stamp": self.rng.getrandbits(32)}, bad))
        self.frames += 1
        if bad:
            self.given["bad"] += 1
        elif length > self.max_bytes:
            self.given["long"] += 1
        else:
            self.good.append(data)

    async def settle(self) -> dict[str, int]:
        """Until nothing moves; the counters, of which the sum is right."""
        await self.clocks.until(lambda: self.line.taken == self.frames, 400000)
        last = -1
        while last != self.seen + self.memory.moved + self.freed:
            last = self.seen + self.memory.moved + self.freed
            await self.clocks.cycle(150)
        counts = {name: await self.registers.read(number) for name, number in CAUSES.items()}
        assert await self.registers.read(FRAMES) == self.frames
        assert await self.registers.read(PROGRESS) == self.seen
        assert self.frames == self.seen + sum(counts.values())
        assert counts["bad"] == self.given["bad"] and counts["long"] == self.given["long"]
        assert counts["no_buffer"] + counts["no_entry"] + counts["off"] == self.lost + len(self.good)
        return counts


@cocotb.test()
async def every_length_with_stalls_everywhere(dut: Any) -> None:
    bench = await Bench(dut).start()
    rng = bench.rng
    lengths = [
        *range(1, 36),
        *range(60, 70),
        127,
        128,
        129,
        *range(bench.max_bytes - 17, bench.max_bytes + 6, 1 if bench.max_bytes < 2000 else 5),
    ]
    lengths += [bench.max_bytes + 5000]
    for stall in (0.0, 0.5, 0.8):
        bench.line.stall = bench.pad.pause = bench.memory.pause = stall
        rng.shuffle(lengths)
        for length in lengths:
            bench.frame(length, rng.random() < 0.15)
        counts = await bench.settle()
    dut._log.info("%d frames, %s", bench.frames, counts)
    assert len(bench.taken) > 100


@cocotb.test()
async def progress_is_told_at_least_each_fourth_frame(dut: Any) -> None:
    """However many wait for a scratchpad that is hardly ever granted."""
    bench = await Bench(dut).start()
    told = [0]
    bench.pad.watch = lambda one: told.append(one.data) if one.address == NEWS_AT else None
    bench.pad.pause = 0.95
    for _ in range(40):
        bench.frame(64)
    await bench.settle()
    steps = {after - before for before, after in pairwise(told)}
    assert max(steps) == 4 and min(steps) > 0


@cocotb.test()
async def frames_without_room_are_dropped_whole_and_counted(dut: Any) -> None:
    bench = await Bench(dut, log2_bytes=12, log2_entries=3).start()
    bench.free = False
    for _ in range(20):
        bench.frame(64)
    counts = await bench.settle()
    assert counts["no_entry"] == 12 and counts["no_buffer"] == 0
    bench.free = True
    counts = await bench.settle()
    bench.free = False
    for _ in range(6):
        bench.frame(min(1500, bench.max_bytes))
    counts = await bench.settle()
    fits = 4096 // (1504 + 16 * (bench.offset > 4))
    assert counts["no_buffer"] in (6 - fits, 6 - fits + 1)
    bench.free = True
    await bench.settle()
    for _ in range(200):
        bench.frame(bench.rng.choice((60, 300, 1514)))
    bench.keep = 2
    counts = await bench.settle()
    assert counts["no_entry"] + counts["no_buffer"] > 16


@cocotb.test()
async def an_empty_buffer_takes_a_frame_as_large_as_itself(dut: Any) -> None:
    bench = await Bench(dut, log2_bytes=10).start()
    for length in (600, 1024 - bench.offset, 16, 1024 - bench.offset, 1025, 200):
        bench.frame(length)
        counts = await bench.settle()
    assert counts["no_buffer"] == 1 and bench.seen == 5


@cocotb.test()
async def the_tail_only_moves_forward_and_not_beyond_the_progress(dut: Any) -> None:
    bench = await Bench(dut).start()
    bench.free = False
    for _ in range(8):
        bench.frame(100)
    await bench.settle()
    for tail in (3, 9, 2, 5, 3, 0x7000, 0xFFFF):
        await bench.registers.write(TAIL, tail)
    assert await bench.registers.read(TAIL) == 5
    assert await bench.registers.read(BEYOND) == 2


@cocotb.test()
async def without_enable_frames_are_dropped_and_counted(dut: Any) -> None:
    bench = await Bench(dut).start(enable=False)
    for _ in range(5):
        bench.frame(200)
    counts = await bench.settle()
    assert counts["off"] == 5
    await bench.registers.write(CONTROL, 1)
    bench.frame(200)
    await bench.settle()
    assert bench.seen == 1


@cocotb.test()
async def the_lines_rate_with_any_length(dut: Any) -> None:
    """Frames that come as close as the line has them find the MAC's port open."""
    bench = await Bench(dut, log2_bytes=15, log2_entries=7).start()
    bench.line.gap = lambda item: -(-(len(item.data) + 24) // 8)
    for length, count in ((60, 300), (61, 300), (1514, 20)):
        stalled, begun = bench.line.stalled, bench.clocks.cycles["user"]
        for _ in range(count):
            bench.frame(length)
        used = bench.pad.used
        await bench.clocks.until(lambda: bench.line.taken == bench.frames, 200000)
        cycles = bench.clocks.cycles["user"] - begun
        counts = await bench.settle()
        dut._log.info("%d bytes: %.2f cycles of user_clk a frame, %.2f words", length, cycles / count,
                      (bench.pad.used - used) / count)  # fmt: skip
        assert bench.line.stalled == stalled
    assert sum(counts.values()) == 0


@cocotb.test()
async def a_reset_at_any_cycle_forgets_all(dut: Any) -> None:
    bench = await Bench(dut).start()
    for _ in range(8):
        for _ in range(10):
            bench.frame(bench.rng.randint(60, 400))
        await bench.clocks.cycle(bench.rng.randrange(600))
        await bench.restart()
        for _ in range(5):
            bench.frame(bench.rng.randint(60, 400))
        await bench.settle()
        assert bench.seen == 5


@pytest.mark.parametrize(("max_bytes", "offset"), some([(1518, 0)], [(9600, 0), (1518, 2), (1518, 15)]))
@pytest.mark.parametrize("fm_ns", some(["4.0"], ["2.0", "7.7"]))
@pytest.mark.parametrize("seed", some([1], range(2, 5)))
def test_pnic_mac_receive(max_bytes: int, offset: int, fm_ns: str, seed: int) -> None:
    parameters = {"MAX_BYTES": max_bytes, "OFFSET": offset}
    run_bench("pnic_mac_receive", parameters, seed=seed,
              extra_env={"SEED": str(seed), "FM_NS": fm_ns, **{k: str(v) for k, v in parameters.items()}})  # fmt: skip
