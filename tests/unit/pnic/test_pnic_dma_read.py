# SPDX-License-Identifier: Apache-2.0
"""pnic_dma_read: bytes from the host are in the frame memory or the scratchpad, those and no others, before progress,
in whatever order the host answers; wrong and refused ones are marked; 15 M a second with a host that takes 1 us."""

import os
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.utils import get_sim_time
from pnic.assist import LENGTH, MARK, PROGRESS, REFUSED, TAIL, Clocks, Pad, Registers, Ring
from pnic.frame_memory import Memory
from pnic.host import READ, US, Host
from pnic.scratchpad import Request
from runs import some

MAX_BYTES = 9600
FRAMES = 1 << 18
PAD_DATA, PAD_END = 0x1000, 0x8000
"""Bytes of the scratchpad that descriptors write."""
IN_PAD = 1 << 31
CORE_NS = 6.0
LINE = 10e9 / 8 / 1538
"""Frames of 1518 bytes a second."""


class Bench:
    def __init__(self, dut: Any, **host: int) -> None:
        self.dut, self.rng = dut, Random(int(os.environ["SEED"]))
        self.clocks = Clocks(dut, {"core": CORE_NS, "fm": float(os.environ["FM_NS"]), "host": 6.1})
        self.pad, self.memory = Pad(self.rng), Memory(self.rng)
        self.pad.watch = self._see
        self.host = Host(seed=self.rng.getrandbits(30), **host)
        self.host.fill(self.host.base, self.rng.randbytes(self.host.size))
        self.stall = 0.0
        self.ready = False
        self._forget()

    def _forget(self) -> None:
        self.ring = Ring(self.pad, 0x8000, 6, 0x20)
        self.pad[self.ring.news] = 0
        self.host.reset()
        self.frames = bytearray(self.rng.randbytes(FRAMES))
        self.words = bytearray(self.rng.randbytes(PAD_END))
        """What is to be in the memories."""
        self.memory.fill(0, self.frames)
        self.pad.fill(PAD_DATA, self.words[PAD_DATA:])
        self.jobs: list[tuple[int, bytes]] = []
        """Of each descriptor: where, and what."""
        self.wrong: set[int] = set()
        self.refused: set[int] = set()
        self.shown = 0
        self.free: set[int] = set()

    async def start(self) -> "Bench":
        dut, clocks = self.dut, self.clocks
        dut.pad_rsp.value = dut.fm_rsp.value = dut.host_read_ready.value = dut.host_answer.value = 0
        self.registers = Registers(dut, dut.core_clk)
        clocks.on("core", self._core)
        clocks.on("fm", lambda: setattr(dut.fm_rsp, "value", self.memory.step(int(dut.fm_req.value))))
        clocks.on("host", self._host)
        await clocks.start()
        await self.ring.set_up(self.registers)
        return self

    async def restart(self) -> None:
        await self.clocks.hold()
        self._forget()
        await self.clocks.cycle(5)
        await self.clocks.release()
        await self.ring.set_up(self.registers)

    def _see(self, one: Request) -> None:
        if one.address == self.ring.news:
            for local, data in self.jobs[self.shown : one.data]:
                assert self.at(local, len(data)) == data, "progress before the bytes"
            self.shown = one.data

    def at(self, local: int, count: int) -> bytes:
        return (self.pad if local >> 31 else self.memory).bytes_at(local & ~IN_PAD, count)

    def _core(self) -> None:
        self.dut.pad_rsp.value = self.pad.step(int(self.dut.pad_req.value))

    def _host(self) -> None:
        dut, now = self.dut, get_sim_time("fs")
        request = int(dut.host_read.value)
        if self.ready and request >> READ.bits - 1:
            self.host.read(now, request)
        dut.host_answer.value = self.host.edge(now)
        self.ready = self.rng.random() >= self.stall
        dut.host_read_ready.value = int(self.ready)

    def put(self, address: int, local: int, length: int) -> None:
        """Places of descriptors that are not finished must not meet, nor wrap."""
        pad, inside = local >> 31, address - self.host.base
        count = self.ring.tail
        data = b""
        if not 1 <= length <= MAX_BYTES or (pad and length % 4):
            self.wrong.add(count)
        elif not 0 <= inside <= self.host.size - length:
            self.refused.add(count)
        else:
            data = self.host.bytes_at(address, length)
            where = self.words if pad else self.frames
            where[local & ~IN_PAD : (local & ~IN_PAD) + length] = data
        self.jobs.append((local, data))
        self.ring.put((address & 0xFFFF_FFFF, address >> 32, local, self.rng.getrandbits(15) << 16 | length))

    async def hand_over(self) -> None:
        await self.registers.write(TAIL, self.ring.tail & 0xFFFF)

    async def settle(self) -> None:
        await self.hand_over()
        await self.clocks.until(lambda: self.ring.progress == self.ring.tail, 200000)
        assert await self.registers.read(LENGTH) == len(self.wrong)
        assert await self.registers.read(REFUSED) == len(self.refused)
        assert await self.registers.read(PROGRESS) == self.ring.tail
        for count in range(max(0, self.ring.tail - 64), self.ring.tail):
            marked = bool(self.pad[self.ring.place(count) + 3] & MARK)
            assert marked == (count in self.wrong | self.refused)

    def compare(self) -> None:
        """All of the memories: what was to be written is, nothing else is."""
        assert self.memory.bytes_at(0, FRAMES) == self.frames
        assert self.pad.bytes_at(PAD_DATA, PAD_END - PAD_DATA) == self.words[PAD_DATA:]

    async def room(self) -> None:
        if not self.ring.room:
            await self.hand_over()
            await self.clocks.until(lambda: self.ring.room > self.rng.randrange(60), 200000)


async def random_work(bench: Bench, work: list[tuple[int, int]]) -> None:
    """Pieces back to back in both memories, from anywhere, with wrong and refused ones in between."""
    rng, host = bench.rng, bench.host
    places = {0: rng.randrange(16), IN_PAD: PAD_DATA}
    ends = {0: FRAMES, IN_PAD: PAD_END}
    for offset, length in work:
        pad = IN_PAD if rng.random() < 0.3 and length < 600 else 0
        length = (length + 3) // 4 * 4 if pad else length
        if places[pad] + length > ends[pad]:
            await bench.settle()
            bench.compare()
            places[pad] = PAD_DATA if pad else rng.randrange(16)
        address = host.base + rng.randrange(0, host.size - 16384, 16) + offset
        if rng.random() < 0.2:
            address += -address % 4096 - rng.randrange(1, 20)
        await bench.room()
        bench.put(address, pad | places[pad], length)
        places[pad] += length
        if rng.random() < 0.1:
            await bench.room()
            bench.put(host.base, *rng.choice(((0, 0), (0, MAX_BYTES + 1), (IN_PAD | PAD_DATA, 6), (5, 0xFFFF))))
        if rng.random() < 0.1:
            await bench.room()
            bench.put(host.base + host.size, rng.choice((IN_PAD | PAD_DATA, 77)), rng.choice((4, 300, 1000)))
        if rng.random() < 0.2:
            await bench.hand_over()
    await bench.settle()
    bench.compare()


@cocotb.test()
async def every_place_and_length_with_stalls_everywhere(dut: Any) -> None:
    bench = await Bench(dut, jitter=US, any_order=True, latency=US // 5).start()
    rng = bench.rng
    work = [(rng.randrange(16), n) for _ in range(16) for n in (1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65)]
    work += [(rng.randrange(16), n) for n in (239, 240, 241, 255, 256, 257, 1476, 1514, 4095, 4096, 4097)]
    work += [(rng.randrange(16), n) for n in (MAX_BYTES - 1, MAX_BYTES)]
    for stall in (0.0, 0.3, 0.7):
        bench.stall = bench.pad.pause = bench.memory.pause = stall
        await random_work(bench, rng.sample(work, len(work) if not stall else 90))
        await bench.restart()
    assert bench.host.counts["refused_reads"]


@cocotb.test()
async def a_host_without_latency(dut: Any) -> None:
    bench = await Bench(dut, latency=0).start()
    await random_work(bench, [(bench.rng.randrange(16), bench.rng.randrange(1, 700)) for _ in range(150)])


@cocotb.test()
async def of_a_descriptor_that_is_refused_in_part_the_rest_is_there(dut: Any) -> None:
    bench = await Bench(dut).start()
    host = bench.host
    places = ((1003, 5000), (IN_PAD | PAD_DATA, 6000))
    for local, other in places:
        bench.put(host.base + host.size - 512, local, 1024)
        bench.put(host.base + 5, other, 100)
        bench.put(host.base - 512, local + 2048, 1024)  # its last pieces are good
        bench.put(host.base + 9, other + 500, 100)
    await bench.settle()
    ends = ((0, host.bytes_at(host.base + host.size - 512, 512)), (2048 + 512, host.bytes_at(host.base, 512)))
    for at, data in ends:
        for local, _ in places:
            assert bench.at(local + at, 512) == data
        bench.frames[1003 + at : 1003 + at + 512] = data
        bench.words[PAD_DATA + at : PAD_DATA + at + 512] = data
    bench.compare()


@cocotb.test()
async def small_ones_and_frames_pass_at_their_rate(dut: Any) -> None:
    bench = await Bench(dut, latency=US).start()
    for name, pieces, count, least in (
        ("64 bytes", (64,), 400, 15e6),
        ("64 bytes, between beats", (64,), 400, 15e6),
        ("1518 bytes in two", (42, 1476), 100, LINE),
        ("descriptors: 512 bytes to the scratchpad", (IN_PAD | 512,), 60, 0.23e6),
    ):
        await bench.restart()
        done, begun = 0, bench.clocks.cycles["core"]
        while done < count * len(pieces):
            while bench.ring.room >= len(pieces) and done < count * len(pieces):
                at = done * 1520 % (FRAMES - 4096) + 7 * ("between" in name)
                for piece in pieces:
                    local = IN_PAD | PAD_DATA + done * 512 % 8192 if piece & IN_PAD else at
                    address = bench.host.base + bench.rng.randrange(bench.host.size // 2)
                    bench.put(address, local, piece & ~IN_PAD)
                    at += piece
                done += len(pieces)
            await bench.hand_over()
            await bench.clocks.until(lambda: bench.ring.room > 32 or bench.ring.progress == bench.ring.tail)
        await bench.clocks.until(lambda: bench.ring.progress == bench.ring.tail)
        seconds = (bench.clocks.cycles["core"] - begun) * CORE_NS * 1e-9
        dut._log.info("%s: %.2f M a second, %d under way", name, count / seconds / 1e6,
                      bench.host.counts["most_reads"])  # fmt: skip
        assert count / seconds > least


@cocotb.test()
async def a_reset_at_any_cycle_forgets_all(dut: Any) -> None:
    bench = await Bench(dut, latency=US // 4).start()
    for _ in range(10):
        for _ in range(20):
            local = bench.rng.choice((IN_PAD | PAD_DATA, bench.rng.randrange(60000)))
            bench.put(bench.host.base + bench.rng.randrange(1 << 16), local, 4 * bench.rng.randrange(1, 200))
        bench.pad.watch = lambda one: None
        await bench.hand_over()
        await bench.clocks.cycle(bench.rng.randrange(500))
        await bench.restart()
        bench.pad.watch = bench._see
        for i in range(5):
            bench.put(bench.host.base + bench.rng.randrange(1 << 16), 1000 * i, 300)
        await bench.settle()
        bench.compare()


@pytest.mark.parametrize("fm_ns", some(["2.0"], ["6.0", "7.7"]))
@pytest.mark.parametrize("seed", some([1], range(2, 5)))
def test_pnic_dma_read(fm_ns: str, seed: int) -> None:
    run_bench("pnic_dma_read", {}, seed=seed, extra_env={"SEED": str(seed), "FM_NS": fm_ns})
