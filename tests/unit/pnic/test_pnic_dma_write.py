# SPDX-License-Identifier: Apache-2.0
"""pnic_dma_write: bytes from the frame memory and the scratchpad are at the host, where and in the order in which
descriptors say, before the progress; wrong ones are marked; nothing is written behind a reset; 15 M a second."""

import os
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.utils import get_sim_time
from pnic.assist import LENGTH, MARK, PROGRESS, REFUSED, TAIL, Clocks, Pad, Registers, Ring
from pnic.frame_memory import Memory
from pnic.host import WRITE, Host
from runs import some

MAX_BYTES = 9600
FRAMES = 1 << 18
PAD_DATA, PAD_END = 0x1000, 0x8000
"""Bytes of the scratchpad that descriptors read."""
IN_PAD = 1 << 31
CORE_NS = 6.0


class Bench:
    def __init__(self, dut: Any, latency: int = 6, **host: int) -> None:
        self.dut, self.rng = dut, Random(int(os.environ["SEED"]))
        self.clocks = Clocks(dut, {"core": CORE_NS, "fm": float(os.environ["FM_NS"]), "host": 6.1})
        self.pad, self.memory = Pad(self.rng), Memory(self.rng, latency)
        self.host = Host(**host)
        self.memory.fill(0, self.rng.randbytes(FRAMES))
        self.pad.fill(PAD_DATA, self.rng.randbytes(PAD_END - PAD_DATA))
        self.stall = 0.0
        self.ready = False
        self.in_reset = False
        self._forget()

    def _forget(self) -> None:
        self.ring = Ring(self.pad, 0x8000, 6, 0x20)
        self.pad[self.ring.news] = 0
        self.memory.answers.clear()
        self.host.reset()
        self.host.at = 0
        self.host.writes.clear()
        self.host.bytes_moved = 0
        self.goods: list[tuple[int, bytes]] = []
        """Where, and what."""
        self.wrong: set[int] = set()
        self.needed: list[int] = []
        """By count of a descriptor: bytes that are at the host with it."""
        self.shown = 0

    async def start(self) -> "Bench":
        dut, clocks = self.dut, self.clocks
        dut.pad_rsp.value = dut.fm_rsp.value = dut.host_write_ready.value = 0
        self.registers = Registers(dut, dut.core_clk)
        clocks.on("core", self._core)
        clocks.on("fm", lambda: setattr(dut.fm_rsp, "value", self.memory.step(int(dut.fm_req.value))))
        clocks.on("host", self._host)
        await clocks.start()
        await self.ring.set_up(self.registers)
        return self

    async def restart(self) -> None:
        await self.clocks.hold()
        self.in_reset = True
        self._forget()
        await self.clocks.cycle(20)
        self.in_reset = False
        await self.clocks.release()
        assert not self.host.writes
        await self.ring.set_up(self.registers)

    def _core(self) -> None:
        self.dut.pad_rsp.value = self.pad.step(int(self.dut.pad_req.value))
        if self.ring.progress != self.shown:
            self.shown = self.ring.progress
            assert self.host.bytes_moved >= self.needed[self.shown - 1], "progress before the bytes"

    def _host(self) -> None:
        dut, now = self.dut, get_sim_time("fs")
        request = int(dut.host_write.value)
        if request >> WRITE.bits - 1:
            assert not self.in_reset
            if self.ready:
                self.host.write(now, request)
        self.host.edge(now)
        self.ready = self.host.write_ready and self.rng.random() >= self.stall
        dut.host_write_ready.value = int(self.ready)

    def put(self, address: int, local: int, length: int) -> None:
        pad = local >> 31
        if 1 <= length <= MAX_BYTES and not (pad and length % 4):
            data = (self.pad if pad else self.memory).bytes_at(local & ~IN_PAD, length)
            self.goods.append((address, data))
        else:
            self.wrong.add(self.ring.tail)
        self.needed.append(sum(len(data) for _, data in self.goods))
        self.ring.put((address & 0xFFFF_FFFF, address >> 32, local, self.rng.getrandbits(15) << 16 | length))

    async def hand_over(self) -> None:
        await self.registers.write(TAIL, self.ring.tail & 0xFFFF)

    async def settle(self) -> None:
        await self.clocks.until(lambda: self.ring.progress == self.ring.tail, 200000)
        written = iter(self.host.writes)
        for address, data in self.goods:
            done = 0
            while done < len(data):
                at, count = next(written)
                assert at == address + done, "in order, without a gap"
                done += count
            assert done == len(data)
        assert next(written, None) is None
        assert await self.registers.read(LENGTH) == len(self.wrong)
        assert await self.registers.read(REFUSED) == 0
        assert await self.registers.read(PROGRESS) == self.ring.tail
        for count in range(max(0, self.ring.tail - 64), self.ring.tail):
            assert bool(self.pad[self.ring.place(count) + 3] & MARK) == (count in self.wrong)

    async def room(self) -> None:
        if not self.ring.room:
            await self.hand_over()
            await self.clocks.until(lambda: self.ring.room > self.rng.randrange(60), 200000)


@cocotb.test()
async def every_place_and_length_with_stalls_everywhere(dut: Any) -> None:
    bench = await Bench(dut).start()
    rng, base = bench.rng, bench.host.base
    work = [(a, lane, n) for a in (0, 5, 15) for lane in range(16) for n in (1, 2, 15, 16, 17, 31, 32, 33, 64)]
    work += [(rng.randrange(16), rng.randrange(16), n)
             for n in (255, 256, 257, 1476, 1514, 4095, 4096, 4097, MAX_BYTES - 1, MAX_BYTES)]  # fmt: skip
    for stall in (0.0, 0.3, 0.7):
        bench.stall = bench.pad.pause = bench.memory.pause = stall
        chosen = rng.sample(work, len(work) if not stall else 100)
        at = base
        for offset, lane, length in chosen:
            await bench.room()
            at += -at % 16 + offset
            if rng.random() < 0.2:
                at += -at % 4096 - rng.randrange(1, 20)
            if at + 3 * length + 4096 > base + bench.host.size:
                break
            if rng.random() < 0.3 and length < 4096:
                bench.put(at, IN_PAD | rng.randrange(PAD_DATA, PAD_END - 8192, 4), (length + 3) // 4 * 4)
            else:
                bench.put(at, rng.randrange(0, FRAMES - 16384, 16) + lane, length)
            if rng.random() < 0.1:
                await bench.room()
                bench.put(at, *rng.choice(((0, 0), (0, MAX_BYTES + 1), (IN_PAD, 6), (IN_PAD, 0), (5, 0xFFFF))))
            at += (length + 3) // 4 * 4
            if rng.random() < 0.2:
                await bench.hand_over()
        await bench.hand_over()
        await bench.settle()
        for address, data in bench.goods:
            assert bench.host.bytes_at(address, len(data)) == data
        await bench.restart()


@cocotb.test()
async def small_ones_and_frames_pass_at_their_rate(dut: Any) -> None:
    bench = await Bench(dut, latency=27).start()
    for name, pieces, count, least in (
        ("64 bytes", (64,), 400, 15e6),
        ("1518 bytes in two", (42, 1476), 60, 10e9 / 8 / 1538),
    ):
        await bench.restart()
        done = 0
        begun = bench.clocks.cycles["core"]
        while done < count * len(pieces):
            while bench.ring.room >= len(pieces) and done < count * len(pieces):
                at = bench.rng.randrange(FRAMES // 2)
                for piece in pieces:
                    bench.put(bench.host.base + bench.rng.randrange(bench.host.size // 2), at, piece)
                    at += piece
                done += len(pieces)
            await bench.hand_over()
            await bench.clocks.until(lambda: bench.ring.room > 32)
        await bench.clocks.until(lambda: bench.ring.progress == bench.ring.tail)
        rate = count / ((bench.clocks.cycles["core"] - begun) * CORE_NS * 1e-9)
        dut._log.info("%s: %.2f M a second", name, rate / 1e6)
        assert rate > least


@cocotb.test()
async def nothing_is_written_behind_a_reset(dut: Any) -> None:
    bench = await Bench(dut).start()
    for _ in range(10):
        for _ in range(20):
            local = bench.rng.choice((IN_PAD | PAD_DATA, bench.rng.randrange(60000)))
            bench.put(bench.host.base + bench.rng.randrange(1 << 16), local, 4 * bench.rng.randrange(1, 200))
        await bench.hand_over()
        await bench.clocks.cycle(bench.rng.randrange(500))
        await bench.restart()
        for _ in range(5):
            bench.put(bench.host.base + bench.rng.randrange(1 << 16), bench.rng.randrange(60000), 300)
        await bench.hand_over()
        await bench.settle()


@pytest.mark.parametrize("fm_ns", some(["2.0"], ["6.0", "7.7"]))
@pytest.mark.parametrize("seed", some([1], range(2, 5)))
def test_pnic_dma_write(fm_ns: str, seed: int) -> None:
    run_bench("pnic_dma_write", {}, seed=seed, extra_env={"SEED": str(seed), "FM_NS": fm_ns})
