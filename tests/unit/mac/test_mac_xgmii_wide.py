# SPDX-License-Identifier: Apache-2.0
"""mac_xgmii_wide on a cable to itself: what is sent comes back whole, what is cut short does not, all is counted."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from mac_harness import PULSES
from runs import some

LINE_PS = 5120
TB = Path(__file__).parent / "mac_xgmii_wide_tb.sv"
SOURCES = ("tx", "steady")


@dataclass
class Frame:
    data: bytes
    bad: bool = False
    dry: int = 0
    """A beat before which its sender pauses; 0: none."""
    wait: int = 0


@dataclass
class Bench:
    dut: Any
    rng: random.Random = field(default_factory=lambda: random.Random(random.getrandbits(64)))
    got: list[tuple[bytes, bool]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    taps: dict[str, list[int]] = field(default_factory=dict)
    cycle: int = 0

    async def start(self) -> Bench:
        dut = self.dut
        self.core_ps = int(os.environ["CORE_PS"])
        for source in SOURCES:
            getattr(dut, f"{source}_valid").value = 0
            getattr(dut, f"{source}_bad").value = 0
        dut.rst.value, dut.enable.value, dut.spoil.value = 1, 1, 0
        cocotb.start_soon(Clock(dut.line_clk, LINE_PS, "ps").start())
        cocotb.start_soon(Clock(dut.core_clk, self.core_ps, "ps").start())
        await ClockCycles(dut.line_clk, 4)
        dut.rst.value = 0
        await ClockCycles(dut.line_clk, 40)  # the settings cross
        self.watch = cocotb.start_soon(self._watch())
        cocotb.start_soon(self._watch_line())
        await RisingEdge(dut.core_clk)
        return self

    async def _watch(self) -> None:
        dut, frame = self.dut, bytearray()
        lanes = len(dut.rx_tkeep)
        while True:
            await RisingEdge(dut.core_clk)
            await ReadOnly()
            if dut.rx_valid.value:
                kept = int(dut.rx_tkeep.value).bit_count()
                assert dut.rx_tlast.value or kept == lanes
                assert int(dut.rx_tkeep.value) == ((1 << kept) - 1) << lanes - kept
                frame += int(dut.rx_tdata.value).to_bytes(lanes, "big")[:kept]
                if dut.rx_tlast.value:
                    self.got.append((bytes(frame), bool(dut.rx_bad.value)))
                    frame.clear()
                assert dut.core_in.value == dut.rx_tlast.value
            pulses = int(dut.stat.value)
            for at, name in enumerate(PULSES):
                self.counts[name] += pulses >> at & 1

    async def _watch_line(self) -> None:
        taps = ("mac_in", "line_first", "line_last", "mac_out")
        self.taps = {tap: [] for tap in taps}
        while True:
            await RisingEdge(self.dut.line_clk)
            await ReadOnly()
            self.cycle += 1
            for tap in taps:
                if getattr(self.dut, tap).value:
                    self.taps[tap].append(self.cycle)

    async def send(self, source: str, frames: list[Frame]) -> None:
        dut = self.dut
        port = {name: getattr(dut, f"{source}_{name}") for name in ("tdata", "tkeep", "tlast", "bad", "valid", "ready")}
        lanes = len(port["tkeep"])
        for frame in frames:
            if frame.wait:
                await ClockCycles(dut.core_clk, frame.wait)
            for at in range(0, len(frame.data), lanes):
                if frame.dry and at == frame.dry * lanes:
                    port["valid"].value = 0
                    await ClockCycles(dut.core_clk, self.rng.randrange(20, 40))
                part = frame.data[at : at + lanes]
                last = at + lanes >= len(frame.data)
                port["tdata"].value = int.from_bytes(part.ljust(lanes, b"\0"), "big")
                port["tkeep"].value = ((1 << len(part)) - 1) << lanes - len(part)
                port["tlast"].value, port["bad"].value, port["valid"].value = last, last and frame.bad, 1
                while True:
                    await ReadOnly()
                    ready = bool(port["ready"].value)
                    await RisingEdge(dut.core_clk)
                    if ready:
                        break
            port["valid"].value = 0

    def frames(self, count: int, mark: int) -> list[Frame]:
        lengths = [self.rng.choice((60, 61, 64, 100, 200, self.rng.randrange(60, 1515), 1514)) for _ in range(count)]
        if len(self.dut.xgmii_c) == 64:  # others have more words than the line has cycles
            lengths = [min(length - length % 64, 1408) + 60 for length in lengths]
        return [Frame(bytes([mark]) + self.rng.randbytes(length - 1)) for length in lengths]


@cocotb.test()
async def what_is_sent_on_either_way_comes_back_in_order(dut: Any) -> None:
    bench = await Bench(dut).start()
    sent = {source: bench.frames(40, 2 + 2 * at) for at, source in enumerate(SOURCES)}
    for frames in sent.values():
        for frame in frames[::6]:  # too short, with few bytes in their last word
            frame.data = frame.data[: bench.rng.choice((1, 35, 39, bench.rng.randrange(1, 60)))]
    tasks = [cocotb.start_soon(bench.send(source, frames)) for source, frames in sent.items()]
    for task in tasks:
        await task
    await ClockCycles(dut.core_clk, 1200)
    assert not any(bad for _, bad in bench.got)
    for at, frames in enumerate(sent.values()):
        whole = [frame.data.ljust(60, b"\0") for frame in frames]
        assert [data for data, _ in bench.got if data[0] == 2 + 2 * at] == whole
    assert bench.counts == Counter(dict.fromkeys(PULSES, 0) | {"tx_sent": 80, "rx_good": 80})


@cocotb.test()
async def a_steady_frame_stores_nothing(dut: Any) -> None:
    """Its start is at the pins at most four edges of the core and five of the line behind its first beat."""
    bench = await Bench(dut).start()
    for length in (60, 100, 700, 1514):
        before = bench.cycle
        sender = cocotb.start_soon(bench.send("steady", [Frame(bench.rng.randbytes(length))]))
        await ClockCycles(dut.core_clk, 1200)
        await sender
        first = bench.taps["line_first"][-1]
        assert first == bench.taps["mac_in"][-1] + 2
        parts = -(-len(dut.xgmii_c) // len(dut.steady_tkeep))
        assert first - before <= (parts + 1) * bench.core_ps / LINE_PS + 1 + 3 + 2
        words = -(-(8 + length + 4 + 1) // len(dut.xgmii_c))
        assert bench.taps["line_last"][-1] == first + words - 1
        assert bench.taps["mac_out"][-1] - bench.taps["line_last"][-1] in (2, 3)
    assert {tap: len(cycles) for tap, cycles in bench.taps.items()} == dict.fromkeys(bench.taps, 4)
    assert bench.counts["rx_good"] == 4


@cocotb.test()
async def what_its_sender_gives_up_or_leaves_is_cut_short_and_counted(dut: Any) -> None:
    bench = await Bench(dut).start()
    frames, fates = [], Counter[str]()
    for _ in range(60):
        data = bench.rng.randbytes(bench.rng.randrange(400, 900))
        kind = bench.rng.choice(("whole", "bad", "dry"))
        fates[kind] += 1
        last = (len(data) - 1) // len(dut.steady_tkeep)
        # A pause inside of what goes as one word of the line may be over before it is missed: pauses here are long.
        frames.append(Frame(data, bad=kind == "bad", dry=bench.rng.randrange(1, last + 1) if kind == "dry" else 0))
    await bench.send("steady", frames)
    await ClockCycles(dut.core_clk, 600)
    whole = [frame.data for frame in frames if not frame.bad and not frame.dry]
    assert [data for data, bad in bench.got if not bad] == whole
    assert bench.counts["tx_sent"] == bench.counts["rx_good"] == fates["whole"]
    assert bench.counts["tx_drop_abort"] == fates["bad"] and bench.counts["tx_drop_underrun"] == fates["dry"]
    broken = sum(bench.counts[name] for name in ("rx_error", "rx_runt", "rx_fcs"))
    assert broken <= fates["bad"] + fates["dry"] and bench.counts["rx_overflow"] == 0
    assert bench.counts["rx_error"] == broken >= fates["dry"]


@cocotb.test()
async def a_stored_frame_may_pause_and_be_given_up(dut: Any) -> None:
    bench = await Bench(dut).start()
    frames = bench.frames(40, 2)
    for frame in frames:
        frame.bad = bench.rng.random() < 0.3
        frame.dry = bench.rng.choice((0, 1, 3))
    for length in (1518, 1519, 1517, 1520, 1600, 9000, 1518):  # the longest has 1518
        frames.append(Frame(bytes([2]) + bench.rng.randbytes(length - 1)))
    frames.append(Frame(bytes(1600), bad=True))
    await bench.send("tx", frames)
    await ClockCycles(dut.core_clk, 2000)
    good = [frame.data for frame in frames if not frame.bad and len(frame.data) <= 1518]
    assert bench.got == [(data, False) for data in good]
    bad = sum(frame.bad for frame in frames)
    counted = {"tx_sent": len(good), "rx_good": len(good), "tx_drop_abort": bad, "tx_drop_oversize": 4}
    assert bench.counts == Counter(dict.fromkeys(PULSES, 0) | counted)


@cocotb.test()
async def what_the_line_spoils_is_bad_or_nothing(dut: Any) -> None:
    bench = await Bench(dut).start()

    async def spoils() -> None:
        while True:
            await ClockCycles(dut.line_clk, bench.rng.randrange(10, 60))
            dut.spoil.value = 1
            await ClockCycles(dut.line_clk, 1)
            dut.spoil.value = 0

    cocotb.start_soon(spoils())
    frames = bench.frames(200, 2)
    for frame in frames[20:]:
        frame.data = frame.data[:188]  # many that are spoilt beside many that are not
    await bench.send("steady", frames)
    await ClockCycles(dut.core_clk, 600)
    good = [data for data, bad in bench.got if not bad]
    left = iter(frame.data for frame in frames)
    assert all(data in left for data in good) and 0 < len(good) < len(frames)
    assert len(bench.taps["mac_out"]) == len(bench.got)
    ends = sum(count for name, count in bench.counts.items() if name.startswith("rx_"))
    assert bench.counts["rx_good"] == len(good) and ends >= len(frames) and bench.counts["tx_sent"] == len(frames)


@pytest.mark.parametrize(
    ("columns", "step", "width", "core_ps"), some([(2, 4, 128, 4000), (4, 8, 128, 2500)], [(8, 8, 512, 5000)])
)
def test_mac_xgmii_wide(columns: int, step: int, width: int, core_ps: int) -> None:
    parameters = {"COLUMNS": columns, "START_LANES": step, "WIDTH": width}
    run_bench("mac_xgmii_wide_tb", parameters, extra_sources=(TB,), extra_env={"CORE_PS": str(core_ps)})
