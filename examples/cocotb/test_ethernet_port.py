# SPDX-License-Identifier: Apache-2.0
"""An Ethernet port between GMII (cocotbext-eth) and AXI (cocotbext-axi): frames in, into memory, and out again."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource

SERVERS_ENABLED, CONTROL, RXQ, TXQ, FREEQ = 0x004, 0x000, 0x020, 0x040, 0x060
ENABLED = 3  # nic_enable, mac_enable
EMPTY = 1
BUFFERS = [2048 * (1 + number) for number in range(8)]
LENGTH_AT, FRAME_AT = 6, 18
BROADCAST = b"\xff" * 6


class Port:
    def __init__(self, dut):
        self.dut = dut
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=2**16)
        self.wire_in = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.gmii_rx_clk, dut.rst)
        self.wire_out = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.gmii_tx_clk, dut.rst)

    @staticmethod
    async def started(dut):
        """With all clocks running and in reset before a model looks at them."""
        dut.rst.value = 1
        for clock, phase in ((dut.clk, 1), (dut.gmii_rx_clk, 2), (dut.gmii_tx_clk, 3)):
            cocotb.start_soon(Clock(clock, 8, "ns").start())
            await Timer(phase, "ns")
        port = Port(dut)
        await port.start()
        return port

    async def start(self):
        dut = self.dut
        await Timer(200, "ns")
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        await self.registers.write_dword(SERVERS_ENABLED, 1)
        for buffer in BUFFERS:
            await self.registers.write_dword(FREEQ, buffer)
        await self.registers.write_dword(CONTROL, ENABLED)
        await Timer(200, "ns")  # `mac_enable` crosses to the line's clocks

    async def received(self):
        """The pointer of the next buffer with a frame in it."""
        while True:
            pointer = await self.registers.read_dword(RXQ)
            if pointer != EMPTY:
                return pointer


@cocotb.test()
async def frames_go_into_memory_and_out_again(dut):
    port = await Port.started(dut)
    for length in (60, 61, 63, 64, 100, 512, 1514):
        frame = BROADCAST + random.randbytes(length - 6)
        await port.wire_in.send(GmiiFrame.from_payload(frame))
        pointer = await with_timeout(port.received(), 100, "us")
        assert int.from_bytes(port.memory.read(pointer + LENGTH_AT, 2), "big") == length
        assert port.memory.read(pointer + FRAME_AT, length) == frame
        port.memory.write(pointer, bytes(6) + length.to_bytes(2, "big"))
        await port.registers.write_dword(TXQ, pointer)
        sent = await with_timeout(port.wire_out.recv(), 100, "us")
        assert sent.get_payload() == frame and sent.check_fcs()
