# SPDX-License-Identifier: Apache-2.0
"""mac_xgmii against somebody else's idea of XGMII, source and sink of cocotbext-eth, with three clocks of their own."""

import random
from pathlib import Path
from typing import Any

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotbext.eth import XgmiiFrame, XgmiiSink, XgmiiSource
from mac_harness import PULSES
from mac_model import PAUSE_ADDRESS
from pattern import beats, rx_fields, tx_fields

LENGTHS = [*range(60, 77), 127, 128, 129, 511, 1023, 1513, 1514, 1518]
PROMISCUOUS, BROADCAST, RX_PAUSE = 0b1000, 0b10000, 0b10


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))
        self.received: list[tuple[bytes, bool]] = []
        self.pulses: list[str] = []
        self.source = XgmiiSource(dut.xgmii_rxd, dut.xgmii_rxc, dut.xgmii_rx_clk, dut.rst)
        self.sink = XgmiiSink(dut.xgmii_txd, dut.xgmii_txc, dut.xgmii_tx_clk, dut.rst)
        for side in (self.source, self.sink):
            side.log.setLevel("WARNING")

    async def start(self, user_ps: int = 6400, settings: int = PROMISCUOUS | BROADCAST) -> None:
        dut = self.dut
        for clock, period in ((dut.xgmii_rx_clk, 6402), (dut.xgmii_tx_clk, 6400), (dut.user_clk, user_ps)):
            cocotb.start_soon(Clock(clock, period, "ps").start())
            await Timer(self.rng.randrange(1, 6400), "ps")
        dut.settings.value, dut.time_now.value, dut.rx_frame_ready.value = settings, 0, 1
        for field in tx_fields(dut.tx_frame):
            field.value = 0
        dut.rst.value = 1
        await Timer(100, "ns")
        await RisingEdge(dut.user_clk)
        dut.rst.value = 0
        cocotb.start_soon(self._user())
        await Timer(200, "ns")

    async def _user(self) -> None:
        dut = self.dut
        beat, valid, bad = rx_fields(dut.rx_frame)
        frame = b""
        while True:
            await RisingEdge(dut.user_clk)
            mask = int(dut.stat.value)
            self.pulses += [name for bit, name in enumerate(PULSES) if mask >> bit & 1]
            if valid.value:
                word = beat.value
                frame += (word >> 8 & (1 << 64) - 1).to_bytes(8, "big")[: (word & 0xFF).bit_count()]
                if word >> 72:
                    self.received.append((frame, bool(bad.value)))
                    frame = b""

    async def send(self, frames: list[bytes]) -> None:
        dut = self.dut
        beat, valid, _ = tx_fields(dut.tx_frame)
        for word in (word for frame in frames for word in beats(frame)):
            beat.value, valid.value = word, 1
            await RisingEdge(dut.user_clk)
            while not dut.tx_frame_ready.value:
                await RisingEdge(dut.user_clk)
        valid.value = 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(user_ps=[5714, 6398])
async def frames_go_both_ways_at_once(dut, user_ps: int) -> None:
    bench = Bench(dut)
    await bench.start(user_ps)
    frames = [bench.rng.randbytes(length) for length in LENGTHS + [60] * 20]
    for frame in frames:
        bench.source.send_nowait(XgmiiFrame.from_payload(frame))
    broken = XgmiiFrame.from_payload(frames[0])
    broken.ctrl = [0] * 30 + [1] + [0] * (len(broken.data) - 31)
    broken.data[30] = 0xFE
    bench.source.send_nowait(broken)
    await bench.send(frames)
    for frame in frames:
        got = await bench.sink.recv()
        assert got.check_fcs() and got.ctrl is None and bytes(got.get_payload()) == frame
    await ClockCycles(dut.user_clk, 100)
    assert bench.received == [(frame, False) for frame in frames]
    assert bench.pulses.count("rx_good") == bench.pulses.count("tx_sent") == len(frames)
    assert bench.pulses.count("rx_error") == 1 and len(bench.pulses) == 2 * len(frames) + 1


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_fault_holds_frames_back_until_it_is_over(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    bench.source.set_seq_os(0x000001)
    await ClockCycles(dut.user_clk, 30)
    assert dut.link_fault.value == 3
    bench.sink.get_os()
    await bench.send([bytes(60)] * 3)
    await ClockCycles(dut.user_clk, 100)
    assert bench.sink.get_os() == (2, False) and bench.sink.empty()
    bench.source.set_seq_os(0x000002)
    await ClockCycles(dut.user_clk, 30)
    assert dut.link_fault.value == 2 and dut.xgmii_txc.value == 0xFF
    bench.source.set_seq_os(None)
    dut.xgmii_rxd.value, dut.xgmii_rxc.value = 0x0707070707070707, 0xFF
    await ClockCycles(dut.user_clk, 150)
    assert dut.link_fault.value == 0 and bench.sink.count() == 3 and bench.pulses == ["tx_sent"] * 3


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_pause_is_obeyed_for_its_quanta(dut) -> None:
    bench = Bench(dut)
    await bench.start(settings=PROMISCUOUS | BROADCAST | RX_PAUSE)
    quanta = 50
    head = PAUSE_ADDRESS + bytes(6) + bytes.fromhex("88080001")
    bench.source.send_nowait(XgmiiFrame.from_payload(head + quanta.to_bytes(2, "big")))
    await ClockCycles(dut.xgmii_tx_clk, 40)
    await bench.send([bytes(60)])
    await ClockCycles(dut.xgmii_tx_clk, 8 * quanta - 100)
    assert bench.sink.empty() and bench.pulses == ["rx_pause"]
    await ClockCycles(dut.xgmii_tx_clk, 100)
    assert bench.sink.count() == 1


def test_mac_xgmii() -> None:
    run_bench("mac_xgmii_tb", extra_sources=(Path(__file__).with_name("mac_xgmii_tb.sv"),))
