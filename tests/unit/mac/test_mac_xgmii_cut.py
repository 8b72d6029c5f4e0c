# SPDX-License-Identifier: Apache-2.0
"""mac_xgmii_cut between a line of characters (xgmii_model, cocotbext-eth) and a core with a clock of its own, or none.

What comes out at the other side, how many clock edges later, and what is counted.
"""

import itertools
import os
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import pytest
import xgmii_model as xgmii
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotb.utils import get_sim_time
from cocotbext.eth import XgmiiFrame, XgmiiSink, XgmiiSource
from mac_harness import PULSES
from pattern import Field, beats, rx_fields, tx_fields
from runs import slow

LINE_PS = 6400
CORE_PS = (5714, 6398, 6402)  # 175 MHz; 156.25 MHz and 200 ppm more, less
MAX_FRAME = 1522
PROMISCUOUS, BROADCAST = 0b1000, 0b10000
LENGTHS = [*range(60, 92), 127, 128, 129, 511, 1023, *range(1511, 1519)]
IDLE_WORD = (0x0707070707070707, 0xFF)
ONE_CLOCK = os.environ.get("ONE_CLOCK") == "1"
TAPS = ("core_in", "mac_out", "line_marked", "line_last", "line_first", "mac_in_marked", "mac_in")  # from bit 0 up


def now() -> int:
    """In picoseconds."""
    return round(get_sim_time("ps"))


@dataclass
class Frame:
    """To send."""

    data: bytes
    steady: bool = True
    bad: bool = False
    marked: bool = False
    dry: int = 0
    """A beat before which the sender pauses, for a while."""
    wait: int = 0
    """Cycles before its first beat."""


@dataclass
class Got:
    data: bytes
    bad: bool
    first: int
    last: int  # times of the edges that take these beats


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))
        self.received: list[Got] = []
        self.pulses: Counter[str] = Counter()
        self.taps: dict[str, list[int]] = {name: [] for name in TAPS}
        self.marks: dict[str, list[bool]] = {"mac_in": [], "line": []}
        self.line: list[int] = []  # sent
        self.line_begins = 0
        self.offered: list[int] = []  # when a frame's first beat was first shown to an edge, ...
        self.taken: list[int] = []  # ... and taken
        self.tx_clk = dut.xgmii_tx_clk
        self.rx_clk = self.tx_clk if ONE_CLOCK else dut.xgmii_rx_clk
        self.core_clk = self.tx_clk if ONE_CLOCK else dut.core_clk
        self.core_ps = self.rx_ps = LINE_PS

    async def start(
        self, core_ps: int = LINE_PS, rx_ps: int = 6402, settings: int = PROMISCUOUS | BROADCAST, enable: bool = True
    ) -> None:
        dut = self.dut
        dut.rst.value = 1
        if not ONE_CLOCK:
            self.core_ps, self.rx_ps = core_ps, rx_ps
            for clock, period in ((dut.xgmii_rx_clk, rx_ps), (dut.core_clk, core_ps)):
                cocotb.start_soon(Clock(clock, period, "ps").start())
                await Timer(self.rng.randrange(1, LINE_PS), "ps")
        cocotb.start_soon(Clock(dut.xgmii_tx_clk, LINE_PS, "ps").start())
        dut.settings.value, dut.enable.value = settings, enable
        dut.xgmii_rxd.value, dut.xgmii_rxc.value = IDLE_WORD
        for field in (*tx_fields(dut.tx_frame), Field(dut.tx_frame, 74), Field(dut.tx_frame, 75)):
            field.value = 0
        await Timer(100, "ns")
        await RisingEdge(self.core_clk)
        dut.rst.value = 0
        for part in (self._core(), self._tx(), self._rx()):
            cocotb.start_soon(part)
        await Timer(200, "ns")

    async def _core(self) -> None:
        dut = self.dut
        beat, valid, bad = rx_fields(dut.rx_frame)
        frame, first = b"", 0
        while True:
            await RisingEdge(self.core_clk)
            mask = int(dut.stat.value)
            if mask:
                self.pulses.update(name for bit, name in enumerate(PULSES) if mask >> bit & 1)
            if int(dut.taps.value) & 1:
                self.taps["core_in"].append(now())
            if valid.value:
                word = beat.value
                keep = (word & 0xFF).bit_count()
                assert word & 0xFF == 0xFF00 >> keep & 0xFF and keep and (keep == 8 or word >> 72)
                first = first if frame else now()
                frame += (word >> 8 & (1 << 64) - 1).to_bytes(8, "big")[:keep]
                if word >> 72:
                    self.received.append(Got(frame, bool(bad.value), first, now()))
                    frame = b""
                else:
                    assert not bad.value

    async def _tx(self) -> None:
        while True:
            await RisingEdge(self.tx_clk)
            time, taps = now(), int(self.dut.taps.value)
            self.line_begins = self.line_begins or time
            data, control = int(self.dut.xgmii_txd.value), int(self.dut.xgmii_txc.value)
            self.line += [data >> 8 * n & 0xFF | (control >> n & 1) << 8 for n in range(8)]
            for name in ("mac_in", "line_first", "line_last"):
                if taps >> TAPS.index(name) & 1:
                    self.taps[name].append(time)
            if taps >> TAPS.index("mac_in") & 1:
                self.marks["mac_in"].append(bool(taps >> TAPS.index("mac_in_marked") & 1))
            if taps >> TAPS.index("line_last") & 1:
                self.marks["line"].append(bool(taps >> TAPS.index("line_marked") & 1))

    async def _rx(self) -> None:
        while True:
            await RisingEdge(self.rx_clk)
            if int(self.dut.taps.value) >> TAPS.index("mac_out") & 1:
                self.taps["mac_out"].append(now())

    def when(self, index: int) -> int:
        """The edge that takes this character of the sent line from the pins."""
        return self.line_begins + index // 8 * LINE_PS

    async def play(self, line: list[int]) -> list[int]:
        """Puts a line on the receive pins; the edges that take its words."""
        edges = []
        for data, control in (*xgmii.words(line), IDLE_WORD):
            self.dut.xgmii_rxd.value, self.dut.xgmii_rxc.value = data, control
            await RisingEdge(self.rx_clk)
            edges.append(now())
        return edges

    async def send(self, frames: list[Frame]) -> None:
        dut = self.dut
        beat, valid, bad = tx_fields(dut.tx_frame)
        steady, marked = Field(dut.tx_frame, 74), Field(dut.tx_frame, 75)
        for frame in frames:
            if frame.wait:
                await ClockCycles(self.core_clk, frame.wait)
            words = beats(frame.data)
            for index, word in enumerate(words):
                if frame.dry and index == frame.dry:
                    await ClockCycles(self.core_clk, 12)
                beat.value, valid.value, steady.value, marked.value = word, 1, frame.steady, frame.marked
                bad.value = frame.bad and index == len(words) - 1
                await RisingEdge(self.core_clk)
                if index == 0:
                    self.offered.append(now())
                while not dut.tx_frame_ready.value:
                    await RisingEdge(self.core_clk)
                if index == 0:
                    self.taken.append(now())
                valid.value, bad.value = 0, 0

    async def quiet(self) -> None:
        await Timer(2500, "ns")

    def check_received(self, events: list[xgmii.Event]) -> None:
        """Each good frame came, in its place among the bad ones."""
        got = iter(self.received)
        for event in events:
            if event.fate == "good":
                one = next(got)
                while one.bad:
                    one = next(got)
                assert not one.bad and one.data == event.body[:-4]
        assert all(one.bad for one in got)
        fates = Counter("rx_" + event.fate for event in events)
        assert {name: n for name, n in self.pulses.items() if name.startswith("rx_")} == dict(fates)


def _good(rng: random.Random, lengths: list[int], gap: int, lanes: tuple[int | None, ...] = (None,)) -> list[int]:
    """A line with a good frame of each length, all of them for each lane."""
    line: list[int] = []
    for lane, length in itertools.product(lanes, lengths):
        xgmii.place(line, xgmii.characters(xgmii.with_fcs(rng.randbytes(length))), gap, lane)
    return line


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(core_ps=CORE_PS)
async def frames_of_each_length_come_and_go_at_once(dut, core_ps: int) -> None:
    bench = Bench(dut)
    await bench.start(core_ps)
    line = _good(bench.rng, LENGTHS, 12, (0, 4))
    frames = [Frame(bench.rng.randbytes(n), steady=kind, marked=bench.rng.random() < 0.5)
              for kind in (True, False) for n in [*range(1, 60), *LENGTHS]]  # fmt: skip
    bench.rng.shuffle(frames)
    playing = cocotb.start_soon(bench.play(line))
    await bench.send(frames)
    await playing
    await bench.quiet()
    bench.check_received(xgmii.events(line, MAX_FRAME))
    assert not any(one.bad for one in bench.received)
    sent = xgmii.sent(bench.line)
    assert [one.body for one in sent] == [xgmii.with_fcs(frame.data.ljust(60, b"\0")) for frame in frames]
    assert bench.pulses["tx_sent"] == len(frames) and sum(bench.pulses.values()) == len(frames) + 2 * len(LENGTHS)
    assert bench.marks["mac_in"] == bench.marks["line"] == [frame.marked for frame in frames]


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(core_ps=CORE_PS)
async def words_come_and_go_within_the_edges_that_are_promised(dut, core_ps: int) -> None:
    bench = Bench(dut)
    await bench.start(core_ps)
    line = _good(bench.rng, LENGTHS, 40, (0, 4))
    frames = [Frame(bench.rng.randbytes(n), wait=bench.rng.randrange(30, 40)) for n in LENGTHS]
    playing = cocotb.start_soon(bench.play(line))
    await bench.send(frames)
    edges = await playing
    await bench.quiet()

    def crossed(before: int, after: int, ps: int) -> bool:
        """Two to three edges, and the one that takes what is there."""
        return after == before if ONE_CLOCK else 2 * ps < after - before <= 3 * ps

    starts = [at for at, char in enumerate(line) if char == xgmii.START]
    ends = [at for at, char in enumerate(line) if char == xgmii.TERMINATE]
    in_crossing = 2 * bench.rx_ps
    assert bench.taps["mac_out"] == [edges[end // 8] + in_crossing for end in ends]
    for start, end, got, core_in in zip(starts, ends, bench.received, bench.taps["core_in"], strict=True):
        assert crossed(edges[(start + 15) // 8] + in_crossing, got.first, bench.core_ps)
        assert crossed(edges[end // 8] + in_crossing, got.last, bench.core_ps) and core_in == got.last
    sent = xgmii.sent(bench.line)
    for one, offered, taken, mac_in, first, last in zip(
        sent,
        bench.offered,
        bench.taken,
        *(bench.taps[tap] for tap in ("mac_in", "line_first", "line_last")),
        strict=True,
    ):
        assert taken == offered + (LINE_PS if ONE_CLOCK else 0)
        assert crossed(offered, mac_in, LINE_PS)
        assert first == mac_in + 2 * LINE_PS == bench.when(one.start)
        assert last == bench.when(one.end)


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(core_ps=CORE_PS, steady=[True, False])
async def minimum_frames_fill_the_line_both_ways(dut, core_ps: int, steady: bool) -> None:
    bench = Bench(dut)
    await bench.start(core_ps)
    line = _good(bench.rng, [60] * 400, 12)
    frames = [Frame(bench.rng.randbytes(60), steady) for _ in range(400)]
    playing = cocotb.start_soon(bench.play(line))
    await bench.send(frames)
    await playing
    await bench.quiet()
    bench.check_received(xgmii.events(line, MAX_FRAME))
    sent = xgmii.sent(bench.line)
    assert [one.body for one in sent] == [xgmii.with_fcs(frame.data) for frame in frames]
    behind = sent[20:] if ONE_CLOCK or core_ps < LINE_PS else []
    # 84 byte times each; a frame that is late begins in lane 0 and its gap is longer.
    assert all(after.start - before.start <= 88 for before, after in itertools.pairwise(behind))
    assert not behind or behind[-1].start - behind[0].start == 84 * (len(behind) - 1)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def what_is_wrong_on_the_line_ends_bad_and_is_counted_once(dut) -> None:
    bench = Bench(dut)
    await bench.start(5714)
    rng, line = bench.rng, []
    for round_ in range(300):
        body = xgmii.with_fcs(rng.randbytes(rng.choice(LENGTHS[:40])))
        kind = round_ % 6
        if kind == 0:
            body = body[:-5] + bytes([body[-5] ^ 1 << rng.randrange(8)]) + body[-4:]
        elif kind == 1:
            body = body[: rng.randrange(64)]
        elif kind == 2:
            body = xgmii.with_fcs(rng.randbytes(rng.randrange(1519, 1600))) if round_ % 60 == 2 else body
        event = xgmii.characters(body)
        if kind == 3:
            event[rng.randrange(1, len(event) - 1)] = rng.choice((xgmii.ERROR, xgmii.START, 0x1FF))
        xgmii.place(line, event, 12, rng.choice((0, 4)))
        if kind == 3 and rng.random() < 0.3:
            line += rng.choice((xgmii.LOCAL_FAULT, [xgmii.ERROR] * 4))
    await bench.play(line)
    await bench.quiet()
    events = xgmii.events(line, MAX_FRAME)
    assert {event.fate for event in events} == {"good", "error", "oversize", "runt", "fcs"}
    bench.check_received(events)
    got = iter(bench.received)
    for event in events:
        if event.fate in ("fcs", "oversize") or (event.fate == "runt" and len(event.body) > 12):
            one = next(got)
            assert one.bad and one.data[:-8] == event.body[: len(one.data[:-8])]
        elif event.fate == "good":
            one = next(got)
            assert not one.bad
        elif event.fate == "error":
            break  # there is one or none
    assert sum(one.bad for one in bench.received) > 60


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_frame_for_somebody_else_ends_bad_and_a_disabled_mac_is_silent(dut) -> None:
    bench = Bench(dut)
    own = bytes.fromhex("02a1b2c3d4e5")
    await bench.start(settings=int.from_bytes(own, "big") << 70 | BROADCAST)
    wanted = [own, b"\xff" * 6, bytes.fromhex("02a1b2c3d4e6"), bytes.fromhex("0180c2000001"), own]
    for head in wanted:
        line: list[int] = []
        pause = bytes.fromhex("02000000000188080001") + b"\xff\xff"
        xgmii.place(line, xgmii.characters(xgmii.with_fcs(head + pause + bench.rng.randbytes(60))), 12)
        await bench.play(line)
        await ClockCycles(bench.core_clk, 20)
    assert [one.bad for one in bench.received] == [False, False, True, True, False]
    assert bench.pulses == {"rx_good": 3, "rx_filtered": 2}
    dut.enable.value = 0
    await ClockCycles(bench.core_clk, 40)
    cocotb.start_soon(bench.send([Frame(bytes(60)), Frame(bytes(70), steady=False)]))
    await bench.play(line)
    await bench.quiet()
    assert len(bench.received) == 5 and bench.pulses["rx_disabled"] == 1 and not xgmii.sent(bench.line)
    dut.enable.value = 1
    await bench.quiet()
    assert bench.pulses["tx_sent"] == len(xgmii.sent(bench.line)) == 2


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(core_ps=CORE_PS)
async def a_broken_promise_costs_its_frame_and_no_other(dut, core_ps: int) -> None:
    bench = Bench(dut)
    await bench.start(core_ps)
    rng = bench.rng
    frames: list[Frame] = []
    for at in range(240):
        frame = Frame(rng.randbytes(rng.randrange(100, 300)), steady=at % 3 != 2, wait=rng.choice((0, 0, 0, 25)))
        kind = at % 5
        if kind == 1:
            frame.dry = rng.randrange(1, len(frame.data) // 8)
        elif kind == 2:
            frame.bad = True
        elif kind == 3:
            frame.data = rng.randbytes(rng.randrange(1519, 2600))
        elif kind == 4 and at % 2:
            frame.bad, frame.dry = True, rng.randrange(1, len(frame.data) // 8)
        frames.append(frame)
    await bench.send(frames)
    await bench.quiet()
    ends: Counter[str] = Counter()
    expected: list[tuple[bytes, bool]] = []
    sent = xgmii.sent(bench.line)
    for frame in frames:
        whole = xgmii.with_fcs(frame.data)
        is_long = len(frame.data) > 1518
        if frame.bad:
            ends["tx_drop_abort"] += 1
        elif is_long:
            ends["tx_drop_oversize"] += 1
        elif frame.steady and frame.dry and sent[len(expected)].cut:
            ends["tx_drop_underrun"] += 1
        else:
            ends["tx_sent"] += 1
            expected.append((whole, False))
            continue
        if frame.steady:
            expected.append((frame.data, True))
    assert len(sent) == len(expected)
    for one, (body, cut) in zip(sent, expected, strict=True):
        assert one.cut == cut and (body.startswith(one.body) if cut else one.body == body)
    assert dict(bench.pulses) == dict(ends) and len(ends) == 4


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=ONE_CLOCK)
async def a_core_that_is_too_slow_loses_frames_and_joins_none(dut) -> None:
    bench = Bench(dut)
    await bench.start(12_000)
    line = _good(bench.rng, [bench.rng.choice(LENGTHS) for _ in range(200)], 12)
    await bench.play(line)
    await bench.quiet()
    bodies = iter(event.body[:-4] for event in xgmii.events(line, MAX_FRAME))
    for one in bench.received:
        if one.bad:  # words of one frame, and then, perhaps, an end that is none of it
            assert any(body.startswith(one.data[:-8]) for body in bodies)
        else:
            assert one.data in bodies
    good = sum(not one.bad for one in bench.received)
    assert bench.pulses == {"rx_good": good, "rx_overflow": 200 - good} and 0 < good < 200


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def somebody_elses_idea_of_xgmii_agrees(dut) -> None:
    bench = Bench(dut)
    source = XgmiiSource(dut.xgmii_rxd, dut.xgmii_rxc, bench.rx_clk, dut.rst)
    sink = XgmiiSink(dut.xgmii_txd, dut.xgmii_txc, bench.tx_clk, dut.rst)
    for side in (source, sink):
        side.log.setLevel("WARNING")
    await bench.start(5714)
    frames = [bench.rng.randbytes(length) for length in LENGTHS]
    for frame in frames:
        source.send_nowait(XgmiiFrame.from_payload(frame))
    await bench.send([Frame(frame) for frame in frames])
    for frame in frames:
        got = await sink.recv()
        assert got.check_fcs() and got.ctrl is None and bytes(got.get_payload()) == frame
    await bench.quiet()
    assert [(one.data, one.bad) for one in bench.received] == [(frame, False) for frame in frames]
    source.set_seq_os(0x000001)
    await ClockCycles(bench.core_clk, 30)
    assert dut.link_fault.value == 3
    sink.get_os()
    cocotb.start_soon(bench.send([Frame(bytes(60))]))
    await ClockCycles(bench.core_clk, 60)
    assert sink.get_os() == (2, False) and sink.empty()
    source.set_seq_os(None)
    dut.xgmii_rxd.value, dut.xgmii_rxc.value = IDLE_WORD
    await ClockCycles(bench.core_clk, 150)
    assert dut.link_fault.value == 0 and sink.count() == 1


@pytest.mark.parametrize("one_clock", [0, *slow([1])])
def test_mac_xgmii_cut(one_clock: int) -> None:
    run_bench(
        "mac_xgmii_cut_tb",
        {"ONE_CLOCK": one_clock},
        extra_sources=(Path(__file__).with_name("mac_xgmii_cut_tb.sv"),),
        extra_env={"ONE_CLOCK": str(one_clock)},
    )
