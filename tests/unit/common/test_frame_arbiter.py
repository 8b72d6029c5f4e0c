# SPDX-License-Identifier: Apache-2.0
"""frame_arbiter, and what else carries frames in rtl/common, at 64 and 512 bits: frames that end in every lane come out
whole, in the order of their stream, and nobody starves."""

import random
from collections import deque
from itertools import pairwise
from pathlib import Path

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from drivers import Channel, Stream, Wires, start, within
from frames import USER_BITS, Frame, Joiner
from runs import some

PERIOD_NS = 10
SOURCE_AT = 28  # bits [31:28] of a frame's stamp say which stream it came by


def draw(rng: random.Random, source: int, number: int, longest: int) -> Frame:
    stamp = source << SOURCE_AT | number
    return Frame(rng.randbytes(rng.randint(1, longest)), stamp, rng.random() < 0.2)


def in_every_lane(rng: random.Random, source: int, lanes: int, more: int) -> list[Frame]:
    """Frames of one and of several beats that end in every lane, and some more."""
    sizes = [*range(1, lanes + 1), *(lanes * rng.randint(1, 3) + n for n in range(1, lanes + 1))]
    sizes += [rng.randint(1, 4 * lanes) for _ in range(more)]
    rng.shuffle(sizes)
    stamps = range(source << SOURCE_AT, (source << SOURCE_AT) + len(sizes))
    return [Frame(rng.randbytes(size), s, rng.random() < 0.2) for size, s in zip(sizes, stamps, strict=True)]


class Bench:
    def __init__(self, dut, rng: random.Random) -> None:
        self.dut, self.rng = dut, rng
        self.lanes, self.n = int(dut.LANES.value), int(dut.N.value)
        self.width = USER_BITS + 9 * self.lanes + 1
        self.cycles: list[int] = []  # of each beat out
        self.taken: list[int] = []  # of each beat in
        for i in range(self.n):
            Wires(dut.in_valid, i, 1).set(0)
        dut.wr_valid.value = dut.rd_ready.value = 0
        dut.wr_data.value = 0

    @property
    def cycle(self) -> int:
        return int(get_sim_time("ns")) // PERIOD_NS

    async def feed(self, source: int, frames: list[Frame], stall: float) -> None:
        dut, rng = self.dut, self.rng
        data, valid = Wires(dut.in_data, source * self.width, self.width), Wires(dut.in_valid, source, 1)
        ready = Wires(dut.in_ready, source, 1)
        for frame in frames:
            for beat in frame.beats(self.lanes):
                while rng.random() < stall:
                    await RisingEdge(dut.clk)
                data.set(beat)
                valid.set(1)
                await RisingEdge(dut.clk)
                while not ready.get():
                    await RisingEdge(dut.clk)
                self.taken.append(self.cycle)
                valid.set(0)

    async def drain(self, count: int, stall: float) -> list[Frame]:
        """Take `count` frames; the stream must keep its rules."""
        dut, joiner, watch = self.dut, Joiner(self.lanes), Channel("merged")
        frames: list[Frame] = []
        dut.merged_ready.value = 0
        while len(frames) < count:
            await RisingEdge(dut.clk)
            valid, ready, word = int(dut.merged_valid.value), int(dut.merged_ready.value), int(dut.merged_data.value)
            watch.see(valid, ready, word)
            if valid and ready:
                self.cycles.append(self.cycle)
                frame = joiner.beat(word)
                if frame:
                    frames.append(frame)
            dut.merged_ready.value = int(self.rng.random() >= stall)
        dut.merged_ready.value = 1
        for _ in range(10):
            await RisingEdge(dut.clk)
            assert not dut.merged_valid.value, "a beat that nobody sent"
        return frames


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.4, 0.4)])
async def frames_come_out_whole_and_in_the_order_of_their_stream(dut, stalls) -> None:
    in_stall, out_stall = stalls
    rng = await start(dut, PERIOD_NS)
    bench = Bench(dut, rng)
    sent = [in_every_lane(rng, i, bench.lanes, 40) for i in range(bench.n)]
    for i, frames in enumerate(sent):
        cocotb.start_soon(bench.feed(i, frames, in_stall))
    came = await within(dut, 40_000, bench.drain(sum(map(len, sent)), out_stall))
    for i, frames in enumerate(sent):
        assert [f for f in came if f.stamp >> SOURCE_AT == i] == frames


@cocotb.test()
async def saturated_streams_take_turns_by_frames_without_a_gap(dut) -> None:
    rng = await start(dut, PERIOD_NS)
    bench = Bench(dut, rng)
    sent = [[draw(rng, i, k, 3 * bench.lanes) for k in range(30)] for i in range(bench.n)]
    for i, frames in enumerate(sent):
        cocotb.start_soon(bench.feed(i, frames, 0.0))
    came = await within(dut, 5000, bench.drain(30 * bench.n, 0.0))
    owners = [f.stamp >> SOURCE_AT for f in came]
    assert all(len(set(owners[i : i + bench.n])) == bench.n for i in range(len(owners) - bench.n)), "any n are of n"
    assert all(b - a == 1 for a, b in pairwise(bench.cycles)), "a beat a cycle, also between two frames"


@cocotb.test()
async def a_lone_stream_has_the_line_for_itself_after_one_cycle(dut) -> None:
    rng = await start(dut, PERIOD_NS)
    bench = Bench(dut, rng)
    frames = [draw(rng, bench.n - 1, k, 3 * bench.lanes) for k in range(20)]
    taking = cocotb.start_soon(bench.drain(20, 0.0))
    cocotb.start_soon(bench.feed(bench.n - 1, frames, 0.0))
    assert await within(dut, 500, taking) == frames
    beats = sum(len(f.beats(bench.lanes)) for f in frames)
    assert [c - bench.cycles[0] for c in bench.cycles] == list(range(beats))
    assert bench.cycles[0] - bench.taken[0] == 1, "one cycle"


@cocotb.test()
async def a_stream_that_stops_inside_its_frame_is_waited_for_and_nobody_comes_between(dut) -> None:
    rng = await start(dut, PERIOD_NS)
    bench = Bench(dut, rng)
    slow, quick = [Frame(rng.randbytes(3 * bench.lanes), 0)], [draw(rng, 1, k, bench.lanes) for k in range(5)]
    cocotb.start_soon(bench.feed(0, slow, 0.9))
    taking = cocotb.start_soon(bench.drain(6, 0.0))
    while not dut.merged_valid.value:
        await RisingEdge(dut.clk)
    cocotb.start_soon(bench.feed(1, quick, 0.0))
    assert await within(dut, 500, taking) == slow + quick


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.5, 0.1), (0.1, 0.5)])
async def slice_fifo_and_crossing_carry_them_as_well(dut, stalls) -> None:
    in_stall, out_stall = stalls
    cocotb.start_soon(Clock(dut.rd_clk, 13_700, "ps").start())
    rng = await start(dut, PERIOD_NS)
    bench = Bench(dut, rng)
    expected = deque(in_every_lane(rng, 1, bench.lanes, 20))
    source, sink = Stream.of(dut, "wr", dut.clk), Stream.of(dut, "rd", dut.rd_clk)

    async def feed() -> None:
        for beat in [beat for frame in list(expected) for beat in frame.beats(bench.lanes)]:
            while rng.random() < in_stall:
                await RisingEdge(source.clk)
            source.data.value = beat
            source.valid.value = 1
            await RisingEdge(source.clk)
            while not source.ready.value:
                await RisingEdge(source.clk)
            source.valid.value = 0

    async def take() -> None:
        joiner, watch = Joiner(bench.lanes), Channel("rd")
        while expected:
            await RisingEdge(sink.clk)
            valid, ready, word = int(sink.valid.value), int(sink.ready.value), int(sink.data.value)
            watch.see(valid, ready, word)
            frame = joiner.beat(word) if valid and ready else None
            if frame:
                assert frame == expected.popleft()
            sink.ready.value = int(rng.random() >= out_stall)

    cocotb.start_soon(feed())
    await within(dut, 20_000, take())


@pytest.mark.parametrize("lanes", some([8], [64]))
def test_frames_of_any_width(lanes: int) -> None:
    tb = Path(__file__).with_name("frame_carriers_tb.sv")
    run_bench("frame_carriers_tb", {"LANES": lanes}, extra_sources=(tb,))
