# SPDX-License-Identifier: Apache-2.0
"""RGMII to GMII against somebody else's idea of RGMII: source and sink of cocotbext-eth."""

import random
from pathlib import Path

import cocotb
from bench import RTL, run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Edge, ReadOnly, RisingEdge, Timer, with_timeout
from cocotbext.eth import GmiiFrame, RgmiiSink, RgmiiSource


async def _received(dut, frames: list[tuple[bytes, bool]]) -> None:
    """GMII receive side: every carrier event's bytes, and whether an error was signalled in it."""
    data, error = bytearray(), False
    while True:
        await RisingEdge(dut.gmii_rx_clk)
        await ReadOnly()
        if dut.gmii_rx_dv.value:
            data.append(int(dut.gmii_rxd.value))
            error |= bool(dut.gmii_rx_er.value)
        elif data:
            frames.append((bytes(data), error))
            data, error = bytearray(), False


@cocotb.test()
async def what_comes_over_rgmii_comes_out_as_gmii(dut) -> None:
    cocotb.start_soon(Clock(dut.rgmii_rxc, 8, "ns").start())
    source = RgmiiSource(dut.rgmii_rxd, dut.rgmii_rx_ctl, dut.rgmii_rxc)
    frames: list[tuple[bytes, bool]] = []
    await ClockCycles(dut.rgmii_rxc, 4)
    cocotb.start_soon(_received(dut, frames))
    sent = [random.randbytes(n) for n in (60, 61, 200)]
    for payload in sent:
        frame = GmiiFrame.from_payload(payload)
        await source.send(frame)
    bad = GmiiFrame.from_payload(bytes(64))
    bad.error = [0] * len(bad.data)
    bad.error[30] = 1
    await source.send(bad)
    await source.wait()
    await ClockCycles(dut.rgmii_rxc, 30)
    got = [GmiiFrame(data) for data, _ in frames]
    assert [frame.get_payload() for frame in got[:3]] == sent
    assert [error for _, error in frames] == [False, False, False, True]


async def _delayed_clock(dut) -> None:
    """What an RGMII-ID PHY does: the clock it samples with is 2 ns late."""
    dut.phy_txc.value = 0
    while True:
        await Edge(dut.rgmii_txc)
        level = int(dut.rgmii_txc.value)
        await Timer(2, "ns")
        dut.phy_txc.value = level


@cocotb.test()
async def what_goes_in_as_gmii_leaves_over_rgmii(dut) -> None:
    for signal in (dut.gmii_txd, dut.gmii_tx_en, dut.gmii_tx_er):
        signal.value = 0
    cocotb.start_soon(Clock(dut.gmii_tx_clk, 8, "ns").start())
    await ClockCycles(dut.gmii_tx_clk, 4)
    cocotb.start_soon(_delayed_clock(dut))
    sink = RgmiiSink(dut.rgmii_txd, dut.rgmii_tx_ctl, dut.phy_txc)
    for length in (60, 77, 300):
        payload = random.randbytes(length)
        wire = GmiiFrame.from_payload(payload)
        for at, byte in enumerate(wire.data):
            dut.gmii_txd.value, dut.gmii_tx_en.value = byte, 1
            dut.gmii_tx_er.value = length == 77 and at == 40
            await RisingEdge(dut.gmii_tx_clk)
        dut.gmii_txd.value, dut.gmii_tx_en.value, dut.gmii_tx_er.value = 0, 0, 0
        got = await with_timeout(sink.recv(), 10, "us")
        assert got.get_payload() == payload and got.check_fcs()
        assert bool(got.error and any(got.error)) == (length == 77)


@cocotb.test()
async def the_transmit_clock_rises_with_the_lower_nibble(dut) -> None:
    dut.gmii_txd.value, dut.gmii_tx_en.value, dut.gmii_tx_er.value = 0xA5, 1, 0
    cocotb.start_soon(Clock(dut.gmii_tx_clk, 8, "ns").start())
    await ClockCycles(dut.gmii_tx_clk, 4)
    for expected in (0x5, 0xA) * 3:
        await (RisingEdge(dut.rgmii_txc) if expected == 0x5 else Timer(4, "ns"))
        await Timer(1, "ns")
        assert int(dut.rgmii_txd.value) == expected


def test_rgmii() -> None:
    portable = RTL / "vendor" / "portable"
    here = Path(__file__).with_name("rgmii_tb.sv")
    run_bench(
        "rgmii_tb",
        extra_sources=(here, RTL / "mac" / "rgmii.sv", portable / "ddr_input.sv", portable / "ddr_output.sv"),
    )
