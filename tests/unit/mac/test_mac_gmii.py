# SPDX-License-Identifier: Apache-2.0
"""The MAC against somebody else's idea of GMII: source and sink of cocotbext-eth."""

import random
from collections.abc import Iterator

import cocotb
from bench import SUPPORT, run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource

LENGTHS = [*range(60, 77), 127, 128, 129, 511, 1023, 1513, 1514, 1518]


async def _start(dut) -> None:
    """Reset with three clocks of 125 MHz at different phases."""
    for delay, clock in ((0, dut.gmii_rx_clk), (3, dut.gmii_tx_clk), (2, dut.user_clk)):
        await Timer(delay, "ns") if delay else None
        cocotb.start_soon(Clock(clock, 8, "ns").start())
    resets = (dut.gmii_rx_rst, dut.gmii_tx_rst, dut.user_rst)
    dut.settings.value = 0b11000  # promiscuous, broadcast
    for signal in (dut.loopback, dut.time_now, dut.rx_frame_ready, dut.tx_frame_valid, dut.tx_frame_abort):
        signal.value = 0
    dut.tx_frame.value = 0
    dut.enable.value = 1
    for reset in resets:
        reset.value = 1
    await Timer(100, "ns")
    await RisingEdge(dut.user_clk)
    for reset in resets:
        reset.value = 0
    await Timer(100, "ns")  # `enable` and the settings cross


async def _receive(dut, frames: list[bytes]) -> None:
    """The NIC's side: collect as many frames as are expected, with stalls."""
    for expected in frames:
        got = bytearray()
        last = False
        while not last:
            dut.rx_frame_ready.value = random.random() < 0.8
            await RisingEdge(dut.user_clk)
            if dut.rx_frame_valid.value and dut.rx_frame_ready.value:
                beat = int(dut.rx_frame.value)
                last, keep = bool(beat >> 72), beat & 0xFF
                got += (beat >> 8 & (1 << 64) - 1).to_bytes(8, "big")[: keep.bit_count()]
        assert got == expected
    dut.rx_frame_ready.value = 0


def _beats(frame: bytes) -> Iterator[int]:
    for at in range(0, len(frame), 8):
        part = frame[at : at + 8]
        keep = 0xFF00 >> len(part) & 0xFF
        yield (at + 8 >= len(frame)) << 72 | int.from_bytes(part.ljust(8, b"\0"), "big") << 8 | keep


async def _send(dut, frames: list[bytes]) -> None:
    for beat in (beat for frame in frames for beat in _beats(frame)):
        dut.tx_frame.value = beat
        dut.tx_frame_valid.value = 1
        await RisingEdge(dut.user_clk)
        while not dut.tx_frame_ready.value:
            await RisingEdge(dut.user_clk)
    dut.tx_frame_valid.value = 0


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def frames_of_the_source_arrive(dut) -> None:
    source = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.gmii_rx_clk, dut.gmii_rx_rst)
    source.log.setLevel("WARNING")
    await _start(dut)
    frames = [random.randbytes(length) for length in LENGTHS]
    for index, frame in enumerate(frames):
        await source.send(GmiiFrame.from_payload(frame))
        if index % 4 == 0:  # and one that is not to arrive
            bad = GmiiFrame.from_payload(frame)
            bad.error = [0] * 40 + [1] + [0] * (len(bad.data) - 41)
            await source.send(bad)
    await _receive(dut, frames)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_sink_accepts_what_is_sent(dut) -> None:
    sink = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.gmii_tx_clk, dut.gmii_tx_rst)
    sink.log.setLevel("WARNING")
    await _start(dut)
    frames = [random.randbytes(length) for length in [*LENGTHS, 1, 14, 59]]
    cocotb.start_soon(_send(dut, frames))
    for frame in frames:
        got = await sink.recv()
        assert got.check_fcs() and not got.error
        assert bytes(got.get_preamble()) == b"\x55" * 6 + b"\xd5"  # the sink leaves out the first byte it sees
        assert bytes(got.get_payload()) == frame.ljust(60, b"\0")


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def loopback_joins_source_and_sink(dut) -> None:
    source = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.gmii_rx_clk, dut.gmii_rx_rst)
    sink = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.gmii_tx_clk, dut.gmii_tx_rst)
    source.log.setLevel("WARNING")
    sink.log.setLevel("WARNING")
    await _start(dut)
    dut.loopback.value = 1
    frames = [random.randbytes(length) for length in LENGTHS]
    for frame in frames:
        await source.send(GmiiFrame.from_payload(frame))
    for frame in frames:
        got = await sink.recv()
        assert got.check_fcs() and bytes(got.get_payload()) == frame


def test_mac_with_cocotbext_eth() -> None:
    run_bench("mac_tb", extra_sources=(SUPPORT / "mac_tb.sv",))
