# SPDX-License-Identifier: Apache-2.0
"""The ECP5 board's top, in simulation with the portable twins of its primitives: all that goes onto the board, from
the firmware in the boot ROM to the RGMII pins."""

import random
from pathlib import Path

import cocotb
import pytest
from bench import RTL, run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Edge, FallingEdge, Timer, with_timeout
from cocotbext.eth import GmiiFrame, RgmiiSink, RgmiiSource

ROOT = Path(__file__).resolve().parents[2]

UART_DIVISOR = 8
ROM_BYTES = 4096


async def _uart(dut, text: bytearray) -> None:
    """8N1, UART_DIVISOR clocks of 8 ns a bit."""
    while True:
        await FallingEdge(dut.uart_txd)
        await Timer(UART_DIVISOR * 8 * 3 // 2, "ns")
        byte = 0
        for bit in range(8):
            byte |= int(dut.uart_txd.value) << bit
            await Timer(UART_DIVISOR * 8, "ns")
        text.append(byte)


async def _delayed_clock(dut) -> None:
    """The PHY samples with a clock that it delays by 2 ns."""
    dut.phy_txc.value = 0
    while True:
        await Edge(dut.rgmii_txc)
        level = int(dut.rgmii_txc.value)
        await Timer(2, "ns")
        dut.phy_txc.value = level


@cocotb.test()
async def the_board_boots_and_sends_frames_back(dut) -> None:
    dut.uart_rxd.value, dut.reset_n.value = 1, 0
    cocotb.start_soon(Clock(dut.clk_in, 8, "ns").start())
    await Timer(3, "ns")  # the line's clock is not the board's
    cocotb.start_soon(Clock(dut.rgmii_rxc, 8, "ns").start())
    source = RgmiiSource(dut.rgmii_rxd, dut.rgmii_rx_ctl, dut.rgmii_rxc)
    text = bytearray()
    cocotb.start_soon(_uart(dut, text))
    await ClockCycles(dut.clk_in, 20)
    assert dut.phy_reset_n.value == 0
    dut.reset_n.value = 1
    cocotb.start_soon(_delayed_clock(dut))
    sink = RgmiiSink(dut.rgmii_txd, dut.rgmii_tx_ctl, dut.phy_txc)
    for _ in range(200):
        await ClockCycles(dut.clk_in, 100)
        if text.endswith(b"ready\n"):
            break
    assert text == b"N-SoC forward: ready\n"
    assert dut.phy_reset_n.value == 1 and dut.led_n.value == 0
    for length in (60, 61, 500):
        frame = bytes.fromhex("020000000001 020000000002 88b5") + random.randbytes(length - 14)
        await source.send(GmiiFrame.from_payload(frame))
        got = await with_timeout(sink.recv(), 40, "us")
        assert got.get_payload() == frame[6:12] + frame[:6] + frame[12:]
        assert got.check_fcs()


@pytest.mark.long
def test_board_top(tmp_path: Path) -> None:
    from nsoc.hardware import synth
    from nsoc.machine import firmware

    rom = synth.rom_file(firmware.build("forward", {"NIC_BUFFERS": "16u"}), ROM_BYTES, tmp_path, "rv32")
    fixed = ROOT / "build" / "unit" / "board_top_rom.hex"  # a parameter of the build: always the same path
    fixed.parent.mkdir(parents=True, exist_ok=True)
    fixed.write_bytes(rom.read_bytes())
    portable = [RTL / "vendor" / "portable" / f"{name}.sv" for name in ("board_clocks", "ddr_input", "ddr_output")]
    run_bench(
        "board_tb",
        {
            "BOOT_ROM_INIT": f'"{fixed}"',
            "BOOT_ROM_BYTES": ROM_BYTES,
            "UART_DIVISOR": UART_DIVISOR,
        },
        extra_sources=(
            *(Path(__file__).with_name(name) for name in ("board.vlt", "board_tb.sv")),
            RTL / "soc" / "nsoc_ecp5.sv",
            *portable,
        ),
    )
