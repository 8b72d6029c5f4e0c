# SPDX-License-Identifier: Apache-2.0
"""mac_core with a front that is not GMII (word_front_tb.sv): a word of eight bytes a clock. What becomes of frames,
pauses, stamps, loopback and cut-through are the core's, whatever the line is."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from mac_harness import FIELDS, PULSES
from mac_model import PAUSE_ADDRESS, Settings
from pattern import Field, beats, rx_fields, tx_fields

pytestmark = pytest.mark.slow

OWN = 0x02_00_00_00_00_31
LINE_PS, USER_PS = 6400, 5000
LONGEST = 1518  # without FCS
DRAINED = 2000  # clocks of the line, for the last of any test


@dataclass
class Event:
    """An attempt at a frame."""

    data: bytes
    error: int | None = None  # with that word; 0: there is no frame at all
    fcs_bad: bool = False

    def fate(self, settings: Settings) -> str:
        if self.error is not None:
            return "error"
        if len(self.data) > LONGEST:
            return "oversize"
        if len(self.data) < 60:
            return "runt"
        if self.fcs_bad:
            return "fcs"
        if settings.pauses(self.data):
            return "pause"
        return "good" if settings.wants(self.data) else "filtered"


class Bench:
    """The three sides of the block: its line, its user, and what it counts."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))
        self.cycle = 0  # of the user
        self.line_cycle = 0
        self.pulses: list[str] = []
        self.received: list[tuple[bytes, bool, int]] = []  # frame, bad, stamp
        self.sent: list[tuple[bytes, int]] = []  # frame, line clock of its first word
        self.cuts = 0
        self.stamps: list[int] = []
        self.ready: Callable[[], bool] = lambda: True

    async def start(self, settings: Settings, **more: int) -> None:
        dut = self.dut
        for name in ("rx_valid", "rx_first", "rx_last", "rx_error", "rx_fcs_bad", "rx_last_lane", "rx_data", "loopback",
                     "time_now", "rx_frame_ready"):  # fmt: skip
            getattr(dut, name).value = 0
        for field in tx_fields(dut.tx_frame):
            field.value = 0
        packed = 0
        for name, width in FIELDS.items():
            packed = packed << width | more.get(name, getattr(settings, name, 0))
        dut.settings.value, dut.enable.value = packed, 1
        dut.line_rst.value = dut.user_rst.value = 1
        cocotb.start_soon(Clock(dut.line_clk, LINE_PS, "ps").start())
        await Timer(self.rng.randrange(1, USER_PS), "ps")
        cocotb.start_soon(Clock(dut.user_clk, USER_PS, "ps").start())
        await Timer(200, "ns")
        await RisingEdge(dut.user_clk)
        dut.line_rst.value = dut.user_rst.value = 0
        cocotb.start_soon(self._user())
        cocotb.start_soon(self._line())
        await Timer(300, "ns")  # the settings cross

    async def _user(self) -> None:
        dut = self.dut
        beat, valid, bad = rx_fields(dut.rx_frame)
        stamp = Field(dut.rx_frame, 74, 32)
        frame = b""
        while True:
            await RisingEdge(dut.user_clk)
            self.cycle += 1
            mask = int(dut.stat.value)
            self.pulses += [name for bit, name in enumerate(PULSES) if mask >> bit & 1]
            if dut.tx_stamp_valid.value:
                self.stamps.append(int(dut.tx_stamp.value))
            if valid.value and dut.rx_frame_ready.value:
                word = beat.value
                frame += (word >> 8 & (1 << 64) - 1).to_bytes(8, "big")[: (word & 0xFF).bit_count()]
                if word >> 72:
                    self.received.append((frame, bool(bad.value), stamp.value))
                    frame = b""
            dut.time_now.value = self.cycle
            dut.rx_frame_ready.value = self.ready()

    async def _line(self) -> None:
        dut = self.dut
        frame, first = b"", 0
        while True:
            await RisingEdge(dut.line_clk)
            self.line_cycle += 1
            self.cuts += int(dut.tx_cut.value)
            frame = b"" if dut.tx_cut.value else frame
            if dut.tx_valid.value:
                first = first if frame else self.line_cycle
                last = bool(dut.tx_last.value)
                frame += int(dut.tx_data.value).to_bytes(8, "big")[: int(dut.tx_last_lane.value) + 1 if last else 8]
                if last:
                    self.sent.append((frame, first))
                    frame = b""

    async def play(self, events: list[Event], gap: int | None = None) -> None:
        dut = self.dut
        for event in events:
            for at in range(0, len(event.data), 8):
                part = event.data[at : at + 8]
                dut.rx_valid.value = 1
                dut.rx_first.value = at == 0
                dut.rx_last.value = last = at + 8 >= len(event.data)
                dut.rx_last_lane.value = len(part) - 1
                dut.rx_data.value = int.from_bytes(part.ljust(8, b"\0"), "big")
                dut.rx_error.value = event.error == at // 8
                dut.rx_fcs_bad.value = last and event.fcs_bad
                await RisingEdge(dut.line_clk)
            dut.rx_valid.value = 0
            await ClockCycles(dut.line_clk, self.rng.randint(2, 6) if gap is None else gap)

    async def send(
        self, frames: list[bytes], *, stamped: bool = False, abort: bool = False, hold: int = 0, steady: int = 200
    ) -> None:
        """Steady from that beat on."""
        dut = self.dut
        beat, valid, bad = tx_fields(dut.tx_frame)
        wanted, promised = Field(dut.tx_frame, 75), Field(dut.tx_frame, 74)
        for frame in frames:
            words = beats(frame)
            for index, word in enumerate(words):
                beat.value, wanted.value, bad.value = word, stamped, abort and index == len(words) - 1
                promised.value = index >= steady
                valid.value = 1
                await RisingEdge(dut.user_clk)
                while not dut.tx_frame_ready.value:
                    await RisingEdge(dut.user_clk)
                valid.value = 0
                if index == 3:
                    await ClockCycles(dut.user_clk, hold) if hold else None

    def count(self, name: str) -> int:
        return self.pulses.count(name)

    @property
    def fates(self) -> list[str]:
        return [name[3:] for name in self.pulses if name.startswith("rx_")]


def frame(rng: random.Random, length: int, to: int = OWN) -> bytes:
    return (to.to_bytes(6, "big") + rng.randbytes(length))[:length]


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def frames_of_every_length_come_and_go(dut) -> None:
    bench = Bench(dut)
    await bench.start(Settings(OWN))
    lengths = [*range(60, 140), 511, 512, 513, 1517, 1518]
    events = [Event(frame(bench.rng, length)) for length in lengths]
    frames = [bench.rng.randbytes(length) for length in [*range(1, 100), 1517, 1518]]
    sending = cocotb.start_soon(bench.send(frames, stamped=True))
    starts: list[int] = []

    async def watch() -> None:
        while True:
            await RisingEdge(dut.line_clk)
            if dut.rx_valid.value and dut.rx_first.value:
                starts.append(bench.cycle)

    cocotb.start_soon(watch())
    await bench.play(events)
    await sending
    await ClockCycles(dut.line_clk, DRAINED)
    assert [(data, bad) for data, bad, _ in bench.received] == [(event.data, False) for event in events]
    assert [data for data, _ in bench.sent] == frames, "the front does not pad, and nobody else does"
    assert bench.fates == ["good"] * len(events) and bench.count("tx_sent") == len(frames)
    # A stamp has crossed by three registers, of two clocks.
    assert all(1 <= begun - stamp <= 6 for begun, (_, _, stamp) in zip(starts, bench.received, strict=True))
    assert len(bench.stamps) == len(frames) and bench.stamps == sorted(bench.stamps)
    first = [at for _, at in bench.sent]
    late = [stamp * USER_PS / LINE_PS - at for stamp, at in zip(bench.stamps, first, strict=True)]
    assert max(late) - min(late) <= 3, "each belongs to its frame"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def every_event_has_its_one_fate(dut) -> None:
    bench = Bench(dut)
    rng = bench.rng
    settings = Settings(OWN, rng.getrandbits(64), promiscuous=0, broadcast=0, rx_pause=1)
    await bench.start(settings)
    events = []
    for length in (*range(1, 90), *range(90, 200, 11)):
        events.append(Event(frame(rng, length)))
        events.append(Event(frame(rng, length), error=rng.randrange((length + 7) // 8)))
        events.append(Event(frame(rng, length), fcs_bad=True))
        events.append(Event(frame(rng, length, rng.choice((OWN + 1, 0xFFFF_FFFF_FFFF, 0x0100_0000_0000)))))
        events.append(Event(frame(rng, length, rng.getrandbits(48) | 1 << 40)))
    for length in (1519, 1520, 1526, 1527, 4000):
        events += [Event(frame(rng, length)), Event(frame(rng, 60))]
    for to in (PAUSE_ADDRESS, OWN.to_bytes(6, "big"), bytes(6)):
        for kind in (1, 2):
            events.append(Event(to + rng.randbytes(6) + b"\x88\x08\x00" + bytes([kind]) + rng.randbytes(44)))
    rng.shuffle(events)
    await bench.play(events)
    await ClockCycles(dut.line_clk, DRAINED)
    expected = [event.fate(settings) for event in events]
    assert bench.fates == expected
    assert {"good", "error", "oversize", "runt", "fcs", "pause", "filtered"} == set(expected)
    good = [event.data for event, fate in zip(events, expected, strict=True) if fate == "good"]
    assert [data for data, bad, _ in bench.received if not bad] == good
    dut.enable.value = 0
    await Timer(300, "ns")
    await bench.play(events[:20])
    await ClockCycles(dut.line_clk, DRAINED)
    assert bench.fates[len(events) :] == ["disabled"] * 20


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_fifo_that_is_full_costs_whole_frames_and_pauses_the_other_end(dut) -> None:
    bench = Bench(dut)
    await bench.start(Settings(OWN), tx_pause=1)
    bench.ready = lambda: False
    events = [Event(frame(bench.rng, 400)) for _ in range(20)]
    await bench.play(events)
    await ClockCycles(dut.line_clk, 100)
    bench.ready = lambda: True
    await ClockCycles(dut.line_clk, DRAINED)
    stored = bench.count("rx_good")
    assert 0 < stored < 20 and stored + bench.count("rx_overflow") == 20
    assert [data for data, _, _ in bench.received] == [event.data for event in events[:stored]]
    head = PAUSE_ADDRESS + OWN.to_bytes(6, "big") + bytes.fromhex("88080001")
    assert [data for data, _ in bench.sent] == [head + b"\xff\xff", head + b"\0\0"]
    assert bench.count("tx_pause") == 2 and bench.count("tx_sent") == 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(quanta=[1, 7, 50])
async def a_pause_lasts_as_long_as_its_quanta_say(dut, quanta: int) -> None:
    """At eight byte times a step: a quantum of 64 is eight clocks."""
    bench = Bench(dut)
    await bench.start(Settings(OWN, rx_pause=1))
    head = PAUSE_ADDRESS + bytes(6) + bytes.fromhex("88080001")
    paused: list[int] = []

    async def watch() -> None:
        while True:
            await RisingEdge(dut.line_clk)
            paused.extend([bench.line_cycle] * int(dut.u_core.paused.value))

    cocotb.start_soon(watch())
    await bench.play([Event(head + quanta.to_bytes(2, "big") + bytes(42))])
    await ClockCycles(dut.line_clk, 20)
    await bench.send([bytes(60)])
    await ClockCycles(dut.line_clk, DRAINED)
    assert len(paused) == 8 * quanta
    assert bench.fates == ["pause"] and len(bench.sent) == 1
    assert quanta < 5 or 0 < bench.sent[0][1] - paused[-1] < 8


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_frame_that_runs_dry_or_is_given_up_is_cut_short(dut) -> None:
    bench = Bench(dut)
    await bench.start(Settings(OWN))
    long, short = bench.rng.randbytes(200), bench.rng.randbytes(80)
    await bench.send([long], hold=100, stamped=True, steady=1)
    await bench.send([short])
    await ClockCycles(dut.line_clk, 200)
    await bench.send([bench.rng.randbytes(1000)], abort=True, stamped=True, steady=1)
    await bench.send([short], stamped=True)
    await ClockCycles(dut.line_clk, DRAINED)
    assert bench.cuts == 2 and [data for data, _ in bench.sent] == [short, short]
    ends = [bench.count(f"tx_{name}") for name in ("sent", "drop_underrun", "drop_abort")]
    assert ends == [2, 1, 1] and len(bench.stamps) == 2, "an abort has no stamp, an underrun has"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def loopback_joins_the_two_directions(dut) -> None:
    bench = Bench(dut)
    await bench.start(Settings(OWN))
    dut.loopback.value = 1
    events = [Event(frame(bench.rng, length), fcs_bad=length % 5 == 0) for length in range(60, 120)]
    await bench.play(events, gap=20)
    await ClockCycles(dut.line_clk, DRAINED)
    assert [data for data, _ in bench.sent] == [event.data for event in events if not event.fcs_bad]
    assert not bench.received and bench.count("tx_sent") == 48 and bench.count("tx_drop_abort") == 0


def test_mac_core_with_another_front() -> None:
    run_bench("word_front_tb", inside=True, extra_sources=(Path(__file__).with_name("word_front_tb.sv"),))
