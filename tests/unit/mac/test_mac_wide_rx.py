# SPDX-License-Identifier: Apache-2.0
"""mac_wide_rx, xgmii_wide_rx in it, judges all events of whatever is on the line as a model that reads byte by byte."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
import xgmii_model as xgmii
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from mac_model import ether_crc
from runs import some

MAX_FRAME = 1522
FATES = ("disabled", "error", "oversize", "runt", "fcs", "pause", "filtered", "overflow", "good")
OURS, BROADCAST = bytes.fromhex("020000000002"), b"\xff" * 6
GROUP = bytes.fromhex("01005e000001")
LENGTHS = [*range(60, 60 + 140), *range(200, 1500, 97), *range(1512, 1530), *range(1536, 1540)]
IDLE_WORDS = 24


@dataclass
class Event:
    fate: str
    body: bytes
    start: int
    end: int  # indexes of its characters on the line
    fragment: bool


def events(line: list[int], lanes: int, step: int) -> list[Event]:
    """As the header of xgmii_wide_rx defines them."""
    found: list[Event] = []
    starts = [at for at in range(0, len(line), step) if line[at] == xgmii.START]
    for start in starts:
        end = next((at for at in range(start + 1, len(line)) if line[at] & xgmii.CONTROL), None)
        assert end is not None
        clean = xgmii.begins_well(line[start : start + 8]) and line[end] == xgmii.TERMINATE
        body = bytes(line[start + 8 : end]) if clean else b""
        fragment = start // lanes == end // lanes
        if not clean:
            fate = "error"
        elif len(body) < 64:
            fate = "runt"
        elif len(body) > MAX_FRAME:
            fate = "oversize"
        elif xgmii.with_fcs(body[:-4]) != body:
            fate = "fcs"
        else:
            ours = body[:6] in (OURS, BROADCAST, GROUP)
            fate = "good" if ours else "filtered"
        found.append(Event(fate, body, start, end, fragment))
    return found


@dataclass
class Bench:
    dut: Any
    rng: random.Random = field(default_factory=lambda: random.Random(random.getrandbits(64)))
    fates: list[str] = field(default_factory=list)
    frames: list[tuple[bytes, bool, int]] = field(default_factory=list)
    """Bytes, bad, cycle of the last word."""
    ready: float = 1.0

    def __post_init__(self) -> None:
        self.lanes, self.step = len(self.dut.xgmii_rxc), int(os.environ["START_LANES"])

    async def play(self, line: list[int]) -> list[Event]:
        """A line from the reset on."""
        dut, lanes = self.dut, self.lanes
        line = line + [xgmii.IDLE] * (-len(line) % lanes + IDLE_WORDS * lanes)
        cocotb.start_soon(Clock(dut.clk, 5120, "ps").start())
        dut.rst.value, dut.enable.value, dut.word_ready.value = 1, 1, 1
        # MAC address, multicast hash, rx_store, broadcast, promiscuous, tx_pause, rx_pause, mii
        table = 1 << (ether_crc(GROUP) >> 26)
        dut.settings.value = (int.from_bytes(OURS, "big") << 64 | table) << 6 | 0b010010
        [(dut.xgmii_rxd.value, dut.xgmii_rxc.value)] = xgmii.words([xgmii.IDLE] * lanes, lanes)
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        frame = bytearray()
        for cycle, word in enumerate(xgmii.words(line, lanes)):
            dut.xgmii_rxd.value, dut.xgmii_rxc.value = word
            dut.word_ready.value = self.ready == 1.0 or self.rng.random() < self.ready
            await ReadOnly()
            if dut.disposition_valid.value:
                self.fates.append(FATES[int(dut.disposition.value)])
            if dut.word_valid.value and dut.word_ready.value:
                keep, last = int(dut.word_keep.value), bool(dut.word_last.value)
                kept = keep.bit_count()
                assert keep == ((1 << kept) - 1) << lanes - kept and (last or kept == lanes) and kept
                frame += int(dut.word_data.value).to_bytes(lanes, "big")[:kept]
                if dut.word_two.value:
                    assert not last and kept == lanes
                    keep, last = int(dut.rest_keep.value), True
                    kept = keep.bit_count()
                    assert keep == ((1 << kept) - 1) << lanes - kept and kept
                    frame += int(dut.rest_data.value).to_bytes(lanes, "big")[:kept]
                if last:
                    self.frames.append((bytes(frame), bool(dut.word_bad.value), cycle))
                    frame.clear()
            await RisingEdge(dut.clk)
        assert not frame
        return events(line, lanes, self.step)

    def place(self, line: list[int], event: list[int], gap: int, lane: int | None = None) -> None:
        """`event` behind at least so many characters, terminate and idle, in that lane or the next one that may be."""
        xgmii.place(line, event, gap, lane, lanes=self.lanes, step=self.step)

    def frame(self, length: int, to: bytes = OURS) -> list[int]:
        """Of so many bytes with FCS, behind a preamble as it should be or any other one."""
        preamble = xgmii.garbled(self.rng) if self.rng.random() < 0.3 else xgmii.PREAMBLE
        return xgmii.characters(xgmii.with_fcs((to + self.rng.randbytes(length))[: length - 4]), preamble)

    def check(self, expected: list[Event]) -> None:
        """Each event's fate, the good ones' bytes; what is bad is begun at most."""
        assert Counter(self.fates) == Counter(event.fate for event in expected)
        if not any(event.fragment for event in expected):
            assert self.fates == [event.fate for event in expected]
        good = [event.body[:-4] for event in expected if event.fate == "good"]
        assert [frame for frame, bad, _ in self.frames if not bad] == good
        assert sum(bad for _, bad, _ in self.frames) <= sum(event.fate != "good" for event in expected)


@cocotb.test()
async def each_length_in_each_lane_has_its_fate(dut: Any) -> None:
    bench = Bench(dut)
    line: list[int] = []
    for lane in range(0, bench.lanes, bench.step):
        for length in bench.rng.sample(LENGTHS, 40) if bench.lanes > 16 else LENGTHS:
            event = bench.frame(length)
            if bench.rng.random() < 0.3:
                event[bench.rng.randrange(8, len(event) - 1)] ^= 1 << bench.rng.randrange(8)
            bench.place(line, event, 12, lane)
    bench.place(line, bench.frame(5 * MAX_FRAME), 12)
    expected = await bench.play(line)
    bench.check(expected)
    assert {event.fate for event in expected} >= {"good", "oversize", "fcs", "runt"}
    assert max(len(frame) for frame, _, _ in bench.frames) <= MAX_FRAME + 2 * bench.lanes, "the rest is not passed on"


@cocotb.test()
async def the_last_word_comes_two_edges_behind_the_end(dut: Any) -> None:
    bench = Bench(dut)
    line: list[int] = []
    for length in range(64, 64 + 2 * bench.lanes):
        bench.place(line, bench.frame(length), 3 * bench.lanes, bench.rng.randrange(0, bench.lanes, bench.step))
    expected = await bench.play(line)
    bench.check(expected)
    for event, (_, _, cycle) in zip(expected, bench.frames, strict=True):
        assert cycle - event.end // bench.lanes == 2, (event.start, event.end)


@cocotb.test()
async def frames_one_behind_the_other_with_gaps_of_five_bytes(dut: Any) -> None:
    """None is lost, whatever is in their last words."""
    bench = Bench(dut)
    line: list[int] = []
    for length in [64] * 100 + [70] * 60 + [bench.rng.randrange(64, 160) for _ in range(300)]:
        bench.place(line, bench.frame(length), 12 if bench.rng.random() < 0.9 else 5)
    expected = await bench.play(line)
    bench.check(expected)
    assert bench.fates == ["good"] * len(expected)


@cocotb.test()
async def the_longest_and_the_shortest_come_at_line_rate(dut: Any) -> None:
    bench = Bench(dut)
    line: list[int] = []
    short = 0  # of the mean gap, never more than the unit less one
    for length in [64] * 200 + [1518] * 60:
        at = max((n for n, c in enumerate(line) if c == xgmii.TERMINATE), default=len(line))
        excess = (at + 12) % bench.step
        short += excess
        gap = 12 - excess if short < bench.step else 12
        short %= bench.step
        bench.place(line, bench.frame(length), gap if line else 0)
    expected = await bench.play(line)
    bench.check(expected)
    assert bench.fates == ["good"] * 260


@cocotb.test()
async def a_wrong_character_anywhere_spoils_its_event_and_no_other(dut: Any) -> None:
    bench = Bench(dut)
    rng = bench.rng
    line: list[int] = []
    for lane in range(0, bench.lanes, bench.step):
        for wrong in (xgmii.ERROR, xgmii.START, xgmii.IDLE, xgmii.SEQUENCE, xgmii.TERMINATE, 0x1FF, 0x54):
            for at in (*range(1, 12), *rng.sample(range(12, 92), 6)):
                event = bench.frame(rng.randrange(64, 90))
                if rng.random() < 0.1:
                    event[xgmii.SFD_AT] ^= 1 << rng.randrange(8)
                if at < len(event):
                    event[at] = wrong
                bench.place(line, event, 12, lane)
                line += [xgmii.TERMINATE] if xgmii.TERMINATE not in event else []
                if rng.random() < 0.2:
                    bench.place(line, bench.frame(rng.randrange(64, 200)), 5)
    bench.check(await bench.play(line))


@cocotb.test()
async def characters_that_mean_nothing_are_counted_one_by_one(dut: Any) -> None:
    """Random ones, columns of faults and errors, starts and whole frames wherever they fall."""
    bench = Bench(dut)
    rng = bench.rng
    line: list[int] = []
    for _ in range(1200):
        kind = rng.randrange(8)
        if kind == 0:
            line += [rng.choice((xgmii.START, xgmii.TERMINATE, xgmii.ERROR, rng.randrange(512)))]
        elif kind == 1:
            line += rng.choice((xgmii.LOCAL_FAULT, xgmii.REMOTE_FAULT, [xgmii.ERROR] * 4))
        elif kind == 2:
            line += xgmii.characters(rng.randbytes(rng.randrange(20)))
        elif kind == 3:
            line += rng.sample(xgmii.PREAMBLE, rng.randrange(1, 8))
        elif kind == 4:
            bench.place(line, bench.frame(rng.randrange(64, 70)), rng.randrange(1, 12))
        else:
            line += [xgmii.IDLE] * rng.randrange(60)
    line.append(xgmii.TERMINATE)
    expected = await bench.play(line)
    bench.check(expected)
    inside = {event.fate for event in expected if event.fragment}
    assert inside >= ({"error", "runt"} if bench.lanes > 16 else {"error"}) and "good" in bench.fates


@cocotb.test()
async def only_ours_and_only_while_enabled(dut: Any) -> None:
    bench = Bench(dut)
    line: list[int] = []
    others = (bytes.fromhex("020000000003"), bytes.fromhex("01005e000002"))
    for _ in range(60):
        to = bench.rng.choice((OURS, BROADCAST, GROUP, *others))
        bench.place(line, bench.frame(bench.rng.randrange(64, 300), to), bench.lanes)
    bench.check(await bench.play(line))
    assert {"good", "filtered"} == set(bench.fates) and not any(bad for _, bad, _ in bench.frames)
    before = len(bench.frames)
    bench.fates.clear()
    dut.enable.value = 0
    for word in xgmii.words(line, bench.lanes)[:100]:
        dut.xgmii_rxd.value, dut.xgmii_rxc.value = word
        await ReadOnly()
        assert not dut.word_valid.value
        assert not dut.disposition_valid.value or FATES[int(dut.disposition.value)] == "disabled"
        await RisingEdge(dut.clk)
    assert len(bench.frames) == before


@cocotb.test()
async def a_frame_that_began_while_it_was_not_enabled_is_none(dut: Any) -> None:
    """And one that began while it was is whole: its first word decides."""
    bench = Bench(dut)
    line: list[int] = []
    for _ in range(80):
        bench.place(line, bench.frame(bench.rng.choice((300, 700))), bench.lanes)

    async def toggles() -> None:
        await RisingEdge(dut.clk)
        while True:
            for _ in range(bench.rng.randrange(5, 60)):
                await RisingEdge(dut.clk)
            dut.enable.value = not dut.enable.value

    cocotb.start_soon(toggles())
    expected = await bench.play(line)
    seen = Counter(bench.fates)
    assert seen["good"] + seen["disabled"] == len(expected) and min(seen["good"], seen["disabled"]) > 5
    assert len(bench.frames) == seen["good"] and not any(bad for _, bad, _ in bench.frames)
    bodies = iter(event.body[:-4] for event in expected)
    assert all(frame in bodies for frame, _, _ in bench.frames)


@cocotb.test()
async def a_reader_without_room_loses_whole_frames_and_they_are_counted(dut: Any) -> None:
    bench = Bench(dut)
    bench.ready = 0.9
    line: list[int] = []
    for _ in range(400):
        event = bench.frame(bench.rng.choice((64, 64, 100, 300)))
        if bench.rng.random() < 0.2:
            event[bench.rng.randrange(8, len(event) - 1)] ^= 1
        bench.place(line, event, 12)
    expected = await bench.play(line)
    seen = Counter(bench.fates)
    assert sum(seen.values()) == len(expected) and seen["overflow"] > 10 and seen["good"] > 10
    assert seen["fcs"] + seen["filtered"] == sum(event.fate != "good" for event in expected)
    good = [frame for frame, bad, _ in bench.frames if not bad]
    bodies = iter(event.body[:-4] for event in expected if event.fate == "good")
    assert len(good) == seen["good"] and all(frame in bodies for frame in good)


@pytest.mark.parametrize(("columns", "step"), some([(2, 4), (8, 8)], [(4, 8), (4, 4)]))
def test_mac_wide_rx(columns: int, step: int) -> None:
    parameters = {"COLUMNS": columns, "START_LANES": step}
    run_bench("mac_wide_rx", parameters, extra_env={"START_LANES": str(step)})
