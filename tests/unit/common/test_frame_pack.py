# SPDX-License-Identifier: Apache-2.0
"""frame_pack, frame_split, frame_in_turn and frame_unpack: words of frames to packed beats, and these to beats of one
frame."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from packed_model import BEAT, UNIT, Beat, Frame, give_none, pack, unpack
from runs import some

TB = Path(__file__).parent / "frame_packed_tb.sv"


@dataclass
class Word:
    """A frame's word, and its last one, too, where that is `rest`."""

    data: bytes
    last: bool
    bad: bool = False
    rest: bytes = b""


def words(frame: Frame, lanes: int, two: float, rng: random.Random) -> Iterator[Word]:
    parts = [frame.data[at : at + lanes] for at in range(0, len(frame.data), lanes)]
    joined = len(parts) > 1 and rng.random() < two
    for part in parts[: -2 if joined else -1]:
        yield Word(part, False)
    if joined:
        yield Word(parts[-2], False, frame.bad, parts[-1])
    else:
        yield Word(parts[-1], True, frame.bad)


@dataclass
class Bench:
    dut: Any
    rng: random.Random = field(default_factory=lambda: random.Random(random.getrandbits(64)))
    cycle: int = 0
    beats: list[Beat] = field(default_factory=list)
    """Out of frame_pack."""
    beat_cycles: list[int] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    """Out of frame_unpack."""
    frame_cycles: list[int] = field(default_factory=list)
    words: int = 0
    """Beats of these."""
    dropped: int = 0
    pace: float = 1.0
    """Of the reader; below 0: none."""

    async def start(self) -> Bench:
        dut = self.dut
        self.lanes = len(dut.in_tkeep)
        cocotb.start_soon(Clock(dut.clk, 4, "ns").start())
        dut.rst.value, dut.in_valid.value, dut.own_valid.value, dut.out_ready.value = 1, 0, 0, 0
        dut.own.value, dut.in_bad.value, dut.own_bad.value = 0, 0, 0
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self._watch())
        await self.waits(3)
        return self

    async def waits(self, cycles: int) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)

    async def _watch(self) -> None:
        dut, frame = self.dut, bytearray()
        while True:
            dut.out_ready.value = self.rng.random() < self.pace
            await ReadOnly()
            if dut.packed_valid.value:
                names = ("tdata", "tkeep", "starts", "ends")
                data, keep, starts, ends = (int(getattr(dut, f"packed_{name}").value) for name in names)
                self.beats.append(Beat.read(data, keep, starts, ends, bool(dut.packed_bad.value), self.lanes))
                self.beat_cycles.append(self.cycle)
            if dut.out_valid.value and dut.out_ready.value:
                keep, last = int(dut.out_tkeep.value), bool(dut.out_tlast.value)
                kept = keep.bit_count()
                assert keep == ((1 << kept) - 1) << self.lanes - kept and kept and (last or kept == self.lanes)
                assert last or not dut.out_bad.value
                frame += int(dut.out_tdata.value).to_bytes(self.lanes, "big")[:kept]
                self.words += 1
                if last:
                    self.frames.append(Frame(bytes(frame), bool(dut.out_bad.value)))
                    self.frame_cycles.append(self.cycle)
                    frame.clear()
            self.dropped += bool(dut.dropped.value)
            await RisingEdge(dut.clk)
            self.cycle += 1

    def mask(self, count: int) -> int:
        return ((1 << count) - 1) << self.lanes - count

    def number(self, data: bytes) -> int:
        return int.from_bytes(data.ljust(self.lanes, b"\x5a"), "big")

    async def _pause(self, port: str, names: Sequence[str]) -> None:
        """A cycle with anything beside its valid, which is low."""
        give_none(self.dut, port, names, self.rng)
        await RisingEdge(self.dut.clk)

    async def give(self, frames: Sequence[Frame], *, two: float = 0.5, pace: float = 1.0) -> None:
        """Words of frames to frame_pack."""
        dut = self.dut
        for frame in frames:
            for word in words(frame, self.lanes, two, self.rng):
                while self.rng.random() >= pace:
                    await self._pause("in", ("tdata", "tkeep", "tlast", "bad", "two", "rest_tdata", "rest_tkeep"))
                dut.in_tdata.value, dut.in_tkeep.value = self.number(word.data), self.mask(len(word.data))
                dut.in_rest_tdata.value = self.number(word.rest)
                dut.in_rest_tkeep.value = self.mask(len(word.rest)) if word.rest else self.rng.getrandbits(self.lanes)
                dut.in_tlast.value, dut.in_bad.value, dut.in_two.value = word.last, word.bad, bool(word.rest)
                dut.in_valid.value = 1
                await ReadOnly()
                ready = bool(dut.in_ready.value)
                await RisingEdge(dut.clk)
                while not ready:
                    await ReadOnly()
                    ready = bool(dut.in_ready.value)
                    await RisingEdge(dut.clk)
        dut.in_valid.value = 0

    async def give_beats(self, beats: Sequence[Beat], pace: float = 1.0) -> None:
        """Beats of the test's own to frame_unpack."""
        dut = self.dut
        dut.own.value = 1
        for beat in beats:
            while self.rng.random() >= pace:
                await self._pause("own", BEAT)
            dut.own_valid.value = 1
            (dut.own_tdata.value, dut.own_tkeep.value, dut.own_starts.value, dut.own_ends.value,
             dut.own_bad.value) = beat.ports()  # fmt: skip
            await RisingEdge(dut.clk)
        dut.own_valid.value = 0

    def frame(self, least: int, most: int, bad: float = 0.0) -> Frame:
        return Frame(self.rng.randbytes(self.rng.randrange(least, most + 1)), self.rng.random() < bad)

    @property
    def shortest(self) -> int:
        """Of what frame_pack takes: a beat's units."""
        return self.lanes - UNIT + 1


def units(frame: Frame) -> int:
    return -(-len(frame.data) // UNIT)


@cocotb.test()
async def words_become_packed_beats_and_these_the_same_frames(dut: Any) -> None:
    """Bad frames beside good ones, words alone and by twos, with pauses anywhere."""
    bench = await Bench(dut).start()
    bench.pace = 0.9
    sent = []
    for pace in (1.0, 0.4, 0.7):
        frames = [bench.frame(bench.shortest, 4 * bench.lanes, bad=0.3) for _ in range(60)]
        await bench.give(frames, pace=pace)
        sent += frames
        await bench.waits(200)
    assert unpack(bench.beats) == sent
    assert bench.frames == sent and bench.dropped == 0
    assert any(beat.starts and beat.ends and beat.ends[0] < beat.starts[0] for beat in bench.beats)


@cocotb.test()
async def while_words_come_each_beat_is_full(dut: Any) -> None:
    bench = await Bench(dut).start()
    for length in (bench.lanes + 1, bench.lanes + UNIT + 1, 2 * bench.lanes, 3 * bench.lanes - UNIT):
        frames = [bench.frame(length, length) for _ in range(20)]
        before = len(bench.beats)
        await bench.give(frames, two=1.0)
        await bench.waits(120)
        made = bench.beats[before:]
        assert len(made) == -(-sum(map(units, frames)) * UNIT // bench.lanes)
        assert bench.beat_cycles[-1] - bench.beat_cycles[before] < len(made) + 2, "no cycle goes by without one"
    assert unpack(bench.beats) == bench.frames


@cocotb.test()
async def a_frame_alone_waits_for_nothing(dut: Any) -> None:
    bench = await Bench(dut).start()
    for length in range(bench.shortest, 3 * bench.lanes):
        bench.frames.clear()
        began = bench.cycle
        await bench.give([bench.frame(length, length)], two=0.0)
        count = -(-length // bench.lanes)
        await bench.waits(20)
        assert len(bench.frames) == 1
        # frame_pack: a cycle behind its last word. frame_unpack: four, and one where the last two words come at once.
        assert bench.beat_cycles[-1] - began == count + 1, length
        assert bench.frame_cycles[-1] - bench.beat_cycles[-1] == (4 if count == 1 else 5), length


@cocotb.test()
async def packed_beats_as_they_may_be_become_frames(dut: Any) -> None:
    """Frames of any length, runts too, in any unit, bad ones in one beat with good ones."""
    bench = await Bench(dut).start()
    sent = []
    for pace, reader in ((1.0, 1.0), (0.6, 1.0), (0.3, 0.5), (0.5, 0.7)):
        frames = [bench.frame(1, 3 * bench.lanes if bench.rng.random() < 0.5 else bench.lanes, 0.3) for _ in range(80)]
        beats = pack(frames, bench.lanes, bench.rng)
        assert unpack(beats) == frames
        bench.pace = reader
        await bench.give_beats(beats, pace * reader * 0.9 if reader < 1 else pace)
        sent += frames
        await bench.waits(250)
    missing = len(sent) - len(bench.frames)
    assert bench.frames == sent and bench.dropped == missing == 0


@cocotb.test()
async def a_beat_a_cycle_comes_out(dut: Any) -> None:
    """As many as the frames need, while there are some in the store."""
    bench = await Bench(dut).start()
    for length in (bench.lanes + 1, 2 * bench.lanes, bench.lanes, 2 * bench.lanes + UNIT):
        beats = pack([bench.frame(length, length) for _ in range(12)], bench.lanes)
        bench.words, began = 0, bench.cycle
        await bench.give_beats(beats)
        await bench.waits(80)
        needs = 12 * -(-length // bench.lanes)
        assert bench.words == needs and bench.frame_cycles[-1] - began <= max(needs, len(beats)) + 6


@cocotb.test()
async def what_finds_no_room_is_dropped_whole_and_counted(dut: Any) -> None:
    bench = await Bench(dut).start()
    bench.pace = 0.4
    most = int(os.environ["MAX_BYTES"])
    sent = [bench.frame(1, most if bench.rng.random() < 0.2 else 2 * bench.lanes, 0.3) for _ in range(500)]
    await bench.give_beats(pack(sent, bench.lanes, bench.rng), 0.95)
    bench.pace = 1.0
    await bench.waits(400)
    left = iter(sent)
    assert all(frame in left for frame in bench.frames)
    good = sum(not frame.bad for frame in bench.frames)
    assert 30 < bench.dropped == sum(not frame.bad for frame in sent) - good


@cocotb.test()
async def a_burst_may_be_ahead_of_the_reader_by_the_store(dut: Any) -> None:
    """Less the longest frame: to the last beat that it has room for."""
    bench = await Bench(dut).start()
    depth, longest = int(os.environ["DEPTH"]), -(-int(os.environ["MAX_BYTES"]) // bench.lanes) + 1
    for _ in range(2):
        bench.frames.clear()
        bench.pace = -1.0
        dropped = bench.dropped
        frames = [bench.frame(bench.lanes, bench.lanes) for _ in range(2 * depth)]
        await bench.give_beats(pack(frames, bench.lanes))
        bench.pace = 1.0
        await bench.waits(2 * depth + 20)
        assert bench.frames == frames[: len(bench.frames)]
        assert depth - longest - 1 <= len(bench.frames) - 2 <= depth - longest
        assert bench.dropped - dropped == len(frames) - len(bench.frames)


@pytest.mark.parametrize(("width", "depth", "most"), some([(256, 64, 400)], [(512, 64, 1000), (128, 128, 900)]))
def test_packed_beats(width: int, depth: int, most: int) -> None:
    parameters = {"WIDTH": width, "DEPTH": depth, "MAX_BYTES": most}
    extra = {name: str(value) for name, value in parameters.items()}
    run_bench("frame_packed_tb", parameters, extra_sources=(TB,), extra_env=extra)
