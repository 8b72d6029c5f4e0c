# SPDX-License-Identifier: Apache-2.0
"""mac_xgmii_wide with packed beats on a cable to itself: what is sent comes back whole, whatever shares its beats."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from mac_harness import PULSES
from packed_model import BEAT, Beat, Frame, give_none, pack, unpack

LINE_PS, CORE_PS = 5120, 5000
TB = Path(__file__).parent / "mac_xgmii_wide_tb.sv"
LANES = 64
AT_ENDS = (60, 61, 64, 65, 66, 72, 97, 102, 103, 104, 105, 125, 128, 129, 1514, 1518)
"""Of a word, a unit, what goes beside another frame's first word."""


@dataclass
class Bench:
    dut: Any
    rng: random.Random = field(default_factory=lambda: random.Random(random.getrandbits(64)))
    beats: list[Beat] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    async def start(self) -> Bench:
        dut = self.dut
        for source in ("tx", "steady"):
            getattr(dut, f"{source}_valid").value = 0
            getattr(dut, f"{source}_bad").value = 0
        dut.rst.value, dut.enable.value, dut.spoil.value = 1, 1, 0
        cocotb.start_soon(Clock(dut.line_clk, LINE_PS, "ps").start())
        cocotb.start_soon(Clock(dut.core_clk, CORE_PS, "ps").start())
        await ClockCycles(dut.line_clk, 4)
        dut.rst.value = 0
        await ClockCycles(dut.line_clk, 40)  # the settings cross
        cocotb.start_soon(self._watch())
        await RisingEdge(dut.core_clk)
        return self

    async def _watch(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.core_clk)
            await ReadOnly()
            if dut.rx_valid.value:
                names = ("tdata", "tkeep", "starts", "ends")
                data, keep, starts, ends = (int(getattr(dut, f"rx_{name}").value) for name in names)
                self.beats.append(Beat.read(data, keep, starts, ends, bool(dut.rx_bad.value), LANES))
                assert bool(dut.rx_tlast.value) == bool(ends)
            pulses = int(dut.stat.value)
            for at, name in enumerate(PULSES):
                self.counts[name] += pulses >> at & 1

    async def _pause(self, cycles: int) -> None:
        """With anything beside steady_valid, which is low."""
        for _ in range(cycles):
            give_none(self.dut, "steady", BEAT, self.rng)
            await RisingEdge(self.dut.core_clk)

    async def give(self, beats: Sequence[Beat], dry: Sequence[int] = (), pauses: float = 0) -> None:
        """With a pause before each of `dry`, and before a share of the beats that begin inside no frame."""
        dut, inside = self.dut, False
        for number, beat in enumerate(beats):
            if number in dry:
                await self._pause(self.rng.randrange(20, 40))
            elif not inside and self.rng.random() < pauses:
                await self._pause(self.rng.randrange(1, 6))
            inside = beat.starts > beat.ends if beat.starts else inside and not beat.ends
            (dut.steady_tdata.value, dut.steady_tkeep.value, dut.steady_starts.value, dut.steady_ends.value,
             dut.steady_bad.value) = beat.ports()  # fmt: skip
            dut.steady_tlast.value, dut.steady_valid.value = self.rng.getrandbits(1), 1
            ready = False
            while not ready:
                await ReadOnly()
                ready = bool(dut.steady_ready.value)
                await RisingEdge(dut.core_clk)
        dut.steady_valid.value = 0

    async def store(self, frames: Sequence[Frame]) -> None:
        """To the port that stores them."""
        dut = self.dut
        for frame in frames:
            for at in range(0, len(frame.data), LANES):
                part = frame.data[at : at + LANES]
                dut.tx_tdata.value = int.from_bytes(part.ljust(LANES, b"\0"), "big")
                dut.tx_tkeep.value = ((1 << len(part)) - 1) << LANES - len(part)
                dut.tx_tlast.value, dut.tx_valid.value = at + LANES >= len(frame.data), 1
                ready = False
                while not ready:
                    await ReadOnly()
                    ready = bool(dut.tx_ready.value)
                    await RisingEdge(dut.core_clk)
            dut.tx_valid.value = 0
            await ClockCycles(dut.core_clk, self.rng.randrange(30))

    def frames(self, count: int, mark: int = 2) -> list[Frame]:
        lengths = [self.rng.choice((*AT_ENDS, self.rng.randrange(60, 300))) for _ in range(count)]
        return [Frame(bytes([mark]) + self.rng.randbytes(length - 1)) for length in lengths]


@cocotb.test()
async def each_length_comes_back_one_behind_the_other(dut: Any) -> None:
    bench = await Bench(dut).start()
    frames = [Frame(bench.rng.randbytes(length)) for length in (*range(60, 330), *AT_ENDS)]
    bench.rng.shuffle(frames)
    frames += [Frame(bench.rng.randbytes(length)) for length in (65, 103, 125, 129, 60) for _ in range(40)]
    frames += bench.frames(150)
    await bench.give(pack(frames, LANES))
    await ClockCycles(dut.core_clk, 300)
    assert unpack(bench.beats) == frames
    sent = {"tx_sent": len(frames), "rx_good": len(frames)}
    assert bench.counts == Counter(dict.fromkeys(PULSES, 0) | sent)
    assert sum(bool(beat.starts and beat.ends) for beat in bench.beats) > len(frames) // 3


@cocotb.test()
async def stored_frames_go_between_packed_ones(dut: Any) -> None:
    bench = await Bench(dut).start()
    stored, packed = bench.frames(60, 4), bench.frames(200)
    task = cocotb.start_soon(bench.store(stored))
    await bench.give(pack(packed, LANES, bench.rng), pauses=0.5)
    await task
    await ClockCycles(dut.core_clk, 600)
    got = unpack(bench.beats)
    assert [frame for frame in got if frame.data[0] == 4] == stored
    assert [frame for frame in got if frame.data[0] == 2] == packed
    assert bench.counts["tx_sent"] == bench.counts["rx_good"] == len(stored) + len(packed)


@cocotb.test()
async def what_its_sender_gives_up_spoils_no_other_frame_in_its_beats(dut: Any) -> None:
    bench = await Bench(dut).start()
    frames = bench.frames(300)
    for frame in frames:
        frame.bad = bench.rng.random() < 0.3
    await bench.give(pack(frames, LANES))
    await ClockCycles(dut.core_clk, 600)
    good = [frame for frame in frames if not frame.bad]
    assert [frame for frame in unpack(bench.beats) if not frame.bad] == good
    assert bench.counts["tx_sent"] == bench.counts["rx_good"] == len(good)
    assert bench.counts["tx_drop_abort"] == len(frames) - len(good)
    assert bench.counts["rx_overflow"] == bench.counts["tx_drop_underrun"] == 0


@cocotb.test()
async def what_comes_too_late_is_cut_short_and_no_other_frame(dut: Any) -> None:
    bench = await Bench(dut).start()
    frames = [Frame(bench.rng.randbytes(bench.rng.choice((500, 777, 1000)))) for _ in range(60)]
    beats = pack(frames, LANES)
    open_before, inside = [], False  # a frame is under way in front of the beat
    for beat in beats:
        open_before.append(inside)
        whole_here = beat.starts and beat.ends and beat.ends[0] >= beat.starts[0]
        inside = bool(beat.starts and not whole_here) or (inside and not beat.ends)
    ends = [number for number, beat in enumerate(beats) if beat.ends]
    chosen = range(10, len(ends), 7)
    dry = [ends[at] - 2 for at in chosen]
    assert all(open_before[number] for number in dry)
    await bench.give(beats, dry)
    await ClockCycles(dut.core_clk, 600)
    whole = [frame for number, frame in enumerate(frames) if number not in chosen]
    assert [frame for frame in unpack(bench.beats) if not frame.bad] == whole
    assert bench.counts["tx_sent"] == bench.counts["rx_good"] == len(whole)
    assert bench.counts["tx_drop_underrun"] == bench.counts["rx_error"] == len(chosen)


@cocotb.test()
async def what_the_line_spoils_is_bad_or_nothing_beside_good_ones(dut: Any) -> None:
    bench = await Bench(dut).start()

    async def spoils() -> None:
        while True:
            await ClockCycles(dut.line_clk, bench.rng.randrange(4, 30))
            dut.spoil.value = 1
            await ClockCycles(dut.line_clk, 1)
            dut.spoil.value = 0

    cocotb.start_soon(spoils())
    frames = bench.frames(400)
    await bench.give(pack(frames, LANES))
    await ClockCycles(dut.core_clk, 300)
    got = unpack(bench.beats)
    good = [frame for frame in got if not frame.bad]
    left = iter(frames)
    assert all(frame in left for frame in good) and 100 < len(good) < len(frames)
    assert any(frame.bad for frame in got) and bench.counts["rx_good"] == len(good)
    assert sum(count for name, count in bench.counts.items() if name.startswith("rx_")) >= len(frames)


@pytest.mark.slow
def test_packed_beats_of_a_mac() -> None:
    parameters = {"COLUMNS": 8, "START_LANES": 8, "WIDTH": 512, "PACKED": 1}
    run_bench("mac_xgmii_wide_tb", parameters, extra_sources=(TB,))
