# SPDX-License-Identifier: Apache-2.0
"""xgmii_wide_tx with a sender that has the next word or not: what comes out is taken apart byte by byte."""

from __future__ import annotations

import itertools
import os
import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
import xgmii_model as xgmii
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import slow, some

GAP = 12


@dataclass
class Frame:
    data: bytes
    wait: int = 0
    """Cycles before its first word."""
    dry: int = 0
    """A word before which the sender has nothing, for a while; 0: none."""
    bad: int = -1
    """A word in whose place it gives up; -1: none."""


@dataclass
class Item:
    """The sender hands it over at once: a word, or a frame's short end."""

    frame: int
    part: bytes
    first: bool
    last: bool
    bad: bool
    tail: bool
    wait: int
    """Cycles that pass before it is there, when all before it were taken."""


@dataclass
class Bench:
    dut: Any
    rng: random.Random = field(default_factory=lambda: random.Random(random.getrandbits(64)))
    line: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)  # cycles
    offered: list[int] = field(default_factory=list)
    sent: int = 0
    underruns: int = 0
    joined: int = 0
    """Cycles in which one frame's end and another one's first word were taken."""
    faults: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lanes, self.step = len(self.dut.xgmii_txc), int(os.environ["START_LANES"])
        self.tail_most = self.lanes - 25 if self.lanes > 16 else 0

    def items(self, frames: list[Frame]) -> list[Item]:
        lanes, made = self.lanes, []
        for index, frame in enumerate(frames):
            for word, at in enumerate(range(0, len(frame.data), lanes)):
                part, bad = frame.data[at : at + lanes], word == frame.bad
                last = bad or at + lanes >= len(frame.data)
                # Words that every frame has, padded, are never tails.
                tail = last and not bad and len(part) <= self.tail_most and at >= 60
                dry = self.rng.randrange(1, 5) if word and word == frame.dry else 0
                made.append(Item(index, part, word == 0, last, bad, tail, dry if word else frame.wait))
                if last:
                    break
        return made

    async def send(self, frames: list[Frame], more: int = 12) -> list[xgmii.Sent]:
        dut, lanes = self.dut, self.lanes
        cocotb.start_soon(Clock(dut.clk, 5120, "ps").start())
        dut.rst.value, dut.enable.value, dut.word_valid.value, dut.fault.value = 1, 1, 0, 0
        dut.tail_valid.value = 0
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        items = deque(self.items(frames))
        for cycle in itertools.count():
            if not items:
                more -= 1
                if not more:
                    break
            dut.fault.value = self.faults.get(cycle, dut.fault.value)
            if items and items[0].wait:
                items[0].wait -= 1
                there = []
            else:
                there = list(itertools.takewhile(lambda item: not item.wait, itertools.islice(items, 16)))
            word = next((item for item in there if not item.tail), None)
            tail = next((item for item in there if item.tail), None)
            if word:
                if word.first and len(self.offered) == word.frame:
                    self.offered.append(cycle)
                part = word.part
                dut.word_data.value = int.from_bytes(part + self.rng.randbytes(lanes - len(part)), "big")
                dut.word_keep.value = ((1 << len(part)) - 1) << lanes - len(part)
                dut.word_first.value, dut.word_last.value, dut.word_bad.value = word.first, word.last, word.bad
            if tail:
                dut.tail_data.value = int.from_bytes(tail.part.ljust(self.tail_most, b"\0"), "big")
                dut.tail_bytes.value = len(tail.part)
            dut.word_valid.value, dut.tail_valid.value = bool(word), bool(tail)
            await ReadOnly()
            data, control = int(dut.xgmii_txd.value), int(dut.xgmii_txc.value)
            self.line += [data >> 8 * n & 0xFF | (control >> n & 1) << 8 for n in range(lanes)]
            if dut.begins.value:
                self.begins.append(cycle)
            self.sent += int(dut.sent.value)
            self.underruns += int(dut.underrun.value)
            taken = [item for item, ready in ((word, dut.word_ready), (tail, dut.tail_ready)) if item and ready.value]
            self.joined += len(taken) == 2
            await RisingEdge(dut.clk)
            for item in taken:
                items.remove(item)
        return xgmii.sent(self.line, self.step)


def last_word(frame: xgmii.Sent, lanes: int) -> int:
    """Word of the line that the last word of the frame's own begins in."""
    return (frame.start + 8 + (len(frame.body) - 5) // lanes * lanes) // lanes


def whole(frame: bytes) -> bytes:
    return xgmii.with_fcs(frame.ljust(60, b"\0"))


@cocotb.test()
async def each_length_goes_out_whole_with_a_mean_gap_of_twelve(dut: Any) -> None:
    bench = Bench(dut)
    rng = bench.rng
    lengths = [*range(14, 90), *range(1500, 1519), *range(60, 200)] + [rng.randrange(60, 400) for _ in range(300)]
    frames = [rng.randbytes(length) for length in lengths]
    sent = await bench.send([Frame(frame) for frame in frames])
    assert [one.body for one in sent] == [whole(frame) for frame in frames]
    assert bench.sent == len(frames) and not bench.underruns
    starts = {one.start % bench.lanes for one in sent}
    assert starts == set(range(0, bench.lanes, bench.step)) and {one.end % bench.lanes for one in sent} == set(
        range(bench.lanes)
    )
    short = 0
    for before, after in itertools.pairwise(sent):
        # A frame of one word does not begin in the word of another one's end if its first byte would be in it, too:
        # but in the last lanes.
        wanted = before.end + GAP
        wanted -= wanted % bench.step if short + wanted % bench.step < bench.step else wanted % bench.step - bench.step
        word = last_word(before, bench.lanes)
        if (wanted + 8) // bench.lanes == word and len(after.body) - 4 <= bench.lanes and bench.lanes > 60:
            assert after.start == (word + 1) * bench.lanes - 8
            short = 0
            continue
        short += GAP - (after.start - before.end)
        assert 0 <= short < bench.step, "no gap is longer than the count wants it"
    assert bool(bench.joined) == bool(bench.tail_most)


@cocotb.test()
async def a_frame_that_waits_for_nothing_starts_in_lane_0_at_once(dut: Any) -> None:
    bench = Bench(dut)
    frames = [Frame(bench.rng.randbytes(bench.rng.randrange(60, 300)), wait=8) for _ in range(60)]
    sent = await bench.send(frames)
    assert [one.start for one in sent] == [bench.lanes * (at + 2) for at in bench.offered]
    assert bench.begins == bench.offered


@cocotb.test()
async def gaps_of_frames_that_come_late_are_never_short(dut: Any) -> None:
    bench = Bench(dut)
    rng = bench.rng
    frames = [Frame(rng.randbytes(rng.randrange(60, 150)), wait=rng.choice((0, 0, 1, 2, 3))) for _ in range(400)]
    sent = await bench.send(frames)
    assert [one.body for one in sent] == [whole(frame.data) for frame in frames]
    short = 0
    for before, after in itertools.pairwise(sent):
        short = max(short + GAP - (after.start - before.end), 0)
        assert short < bench.step


@cocotb.test()
async def the_line_is_full_where_words_are(dut: Any) -> None:
    """MSS-sized frames and the smallest ones: hardly more than preamble, FCS and a mean gap of twelve."""
    bench = Bench(dut)
    for length in (1514, 60):
        bench.line.clear()
        sent = await bench.send([Frame(bench.rng.randbytes(length)) for _ in range(64)])
        span = sent[-1].start - sent[0].start
        assert 63 * (length + 24) - bench.step < span <= 63 * (length + 24) * 1.0005


@cocotb.test()
async def a_word_that_is_missing_or_bad_cuts_its_frame_short(dut: Any) -> None:
    bench = Bench(dut)
    rng, lanes = bench.rng, bench.lanes
    frames = []
    for _ in range(150):
        data = rng.randbytes(rng.randrange(2 * lanes + 1, 8 * lanes))
        at = rng.randrange(1, -(-len(data) // lanes))
        both = Frame(data, dry=at, bad=rng.randrange(at, -(-len(data) // lanes)))  # counted as given up, elsewhere
        frames.append(rng.choice((Frame(data, dry=at), Frame(data, bad=at), Frame(data), Frame(data, bad=0), both)))
    sent = await bench.send(frames)
    begun = [frame for frame in frames if frame.bad != 0]
    assert len(sent) == len(begun)
    for frame, one in zip(begun, sent, strict=True):
        at = frame.dry or max(frame.bad, 0)
        assert one.cut == (at > 0)
        assert not one.cut or one.end - one.start == 8 + len(one.body) + 4, "four errors"
        assert one.body == (frame.data[: at * lanes] if one.cut else whole(frame.data))
    assert bench.underruns == sum(frame.dry > 0 and frame.bad < 0 for frame in frames)
    assert bench.sent == sum(not one.cut for one in sent)


@cocotb.test()
async def no_frame_begins_in_a_fault_and_a_local_one_is_answered(dut: Any) -> None:
    bench = Bench(dut)
    bench.faults = {4: 3, 60: 2, 90: 3, 120: 0}
    frames = [Frame(bench.rng.randbytes(3 * bench.lanes), wait=2) for _ in range(20)]
    sent = await bench.send(frames)
    assert [one.body for one in sent] == [whole(frame.data) for frame in frames], "they wait"
    assert not any(4 <= begun < 120 for begun in bench.begins) and bench.begins[0] < 4
    for first, last, column in (
        (20, 60, xgmii.REMOTE_FAULT),
        (61, 90, [xgmii.IDLE] * 4),
        (91, 120, xgmii.REMOTE_FAULT),
    ):
        part = bench.line[(first + 1) * bench.lanes : last * bench.lanes]
        assert part == column * (len(part) // 4)


@cocotb.test()
async def while_it_is_not_enabled_frames_wait(dut: Any) -> None:
    bench = Bench(dut)

    async def enables() -> None:
        await RisingEdge(dut.clk)
        while True:
            dut.enable.value = 0
            for _ in range(40):
                await ReadOnly()
                assert not dut.begins.value or dut.enable.value
                await RisingEdge(dut.clk)
            dut.enable.value = 1
            for _ in range(3):
                await RisingEdge(dut.clk)

    cocotb.start_soon(enables())
    frames = [Frame(bench.rng.randbytes(3 * bench.lanes)) for _ in range(8)]
    assert [one.body for one in await bench.send(frames)] == [whole(frame.data) for frame in frames]


@pytest.mark.parametrize(("columns", "step"), some([*slow([(2, 4)]), (8, 8)], [(4, 8), (4, 4)]))
def test_xgmii_wide_tx(columns: int, step: int) -> None:
    parameters = {"COLUMNS": columns, "START_LANES": step}
    run_bench("xgmii_wide_tx", parameters, extra_env={"START_LANES": str(step)})
