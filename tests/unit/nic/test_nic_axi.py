# SPDX-License-Identifier: Apache-2.0
"""The NIC behind AXI, driven by the models of cocotbext-axi alone: registers, frames in and out, refused memory.

Frames and buffers are told apart by byte addresses: what stands where is written down in the design, not in the RTL.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import cocotb
import pytest
from axi import Memory, PipelinedMemory, quiet, stall
from axi_rules import Rules
from bench import ROOT, run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)
from drivers import within
from nic_bench import STAT

sys.path.insert(0, str(ROOT / "src"))

from nsoc.machine import regs

pytestmark = pytest.mark.slow

CONTROL, RXQ, TXQ, FREEQ, FREEQ_OCCUPANCY, PUSH_FAILED = 0x000, 0x020, 0x040, 0x060, 0x064, 0x080
QUEUE_DEPTH, HELD, PACKETS_TRANSMITTED, IRQ_MASK, SERVERS = 0x010, 0x094, 0x348, 0x08C, 0x004
NIC_ENABLE, MAC_ENABLE, IRQ_ENABLE, NIC_LOOPBACK, MAC_LOOPBACK = 1, 2, 4, 0x80, 0x100
EMPTY = 1
FRAME_AT = 18
BUFFERS = [0x8000_0000 + 2048 * i for i in range(16)]
OF_NIC_1_1 = range(88, 93)  # IDs
OF_OFFLOADS = (95, 213)
BY_ADDRESS = {r.id * 4: r for r in regs.BLOCKS["nic"].registers.values() if r.id not in (*OF_NIC_1_1, *OF_OFFLOADS)}
READ_ACTS = {RXQ + 8 * i for i in range(9)} | {0x068, 0x120}  # pops a pointer, takes a lock or a stamp


class Nic:
    """The wrapper with an AXI memory, an AXI4-Lite master, and a MAC's two streams."""

    def __init__(self, dut: Any, latency: int | None = None) -> None:
        """`latency`: the memory is a pipeline of so many cycles; None: the model of cocotbext-axi."""
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        dut.nic_rst.value = 1
        cocotb.start_soon(Clock(dut.nic_clk, 8, "ns").start())
        for name in ("tx_stamp", "tx_stamp_valid", "mac_stat"):
            getattr(dut, name).value = 0
        clk, rst = dut.nic_clk, dut.nic_rst
        self.rules = Rules(dut, clk, rst, "m_axi", "s_axil", "s_axis_rx", "m_axis_tx")
        self.memory = Memory(dut, clk, rst) if latency is None else PipelinedMemory(dut, clk, latency)
        self.registers = quiet(AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), clk, rst))
        self.rx = quiet(AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_rx"), clk, rst))
        self.tx = quiet(AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_tx"), clk, rst))

    async def start(self) -> Nic:
        await ClockCycles(self.dut.nic_clk, 3)
        self.dut.nic_rst.value = 0
        await ClockCycles(self.dut.nic_clk, 2)
        return self

    def stall(self, chance: float) -> None:
        for model in (self.memory.axi, self.registers, self.rx, self.tx):
            stall(model, self.rng, chance)

    async def access(self, address: int, data: bytes | None = None) -> tuple[AxiResp, int]:
        work = self.registers.read(address, 4) if data is None else self.registers.write(address, data)
        done = await within(self.dut, 2000, work, self.dut.nic_clk)
        return done.resp, int.from_bytes(done.data, "little") if data is None else 0

    async def read(self, address: int) -> int:
        response, data = await self.access(address)
        assert response == AxiResp.OKAY, f"reading {address:#x}: {response}"
        return data

    async def write(self, address: int, data: int) -> None:
        response, _ = await self.access(address, data.to_bytes(4, "little"))
        assert response == AxiResp.OKAY, f"writing {address:#x}: {response}"

    async def give_buffers(self) -> None:
        await self.write(SERVERS, 0xF)
        for buffer in BUFFERS:
            await self.write(FREEQ, buffer)
        assert await self.read(FREEQ_OCCUPANCY) == len(BUFFERS)

    async def counter(self, name: str) -> int:
        return await self.read(regs.BLOCKS["nic"].registers[name].id * 4)

    async def until_all_free(self) -> None:
        """Every buffer is back in the free queue, or with the receive engine for the next frame."""
        for _ in range(500):
            if await self.read(FREEQ_OCCUPANCY) + (await self.read(HELD) & 0xFF) == len(BUFFERS):
                return
        raise AssertionError("buffers do not come back")

    async def pop_any(self) -> int:
        """The next received frame's pointer, from whatever queue; round robin as the NIC delivers."""
        for _ in range(500):
            for server in range(4):
                pointer = await self.read(RXQ + 8 * server)
                if pointer != EMPTY:
                    return pointer
        raise AssertionError("no frame came")

    def frame_in(self, pointer: int) -> bytes:
        return self.memory.load(pointer + FRAME_AT, int.from_bytes(self.memory.load(pointer + 6, 2), "big"))


def frame(data: bytes, stamp: int = 0, bad: bool = False) -> AxiStreamFrame:
    """tuser as the MAC gives it: the stamp with every beat, `bad` with the last one."""
    tuser = [stamp << 1] * len(data)
    for i in range(len(data) - 1 & ~7, len(data)):
        tuser[i] |= bad
    return AxiStreamFrame(data, tuser=tuser)


@cocotb.test()
async def every_register_answers_and_every_other_address_is_an_error(dut) -> None:
    nic = await Nic(dut).start()
    for address in range(0, 1024, 4):
        response, data = await nic.access(address)
        register = BY_ADDRESS.get(address)
        if register is None:
            assert response == AxiResp.SLVERR and data == 0, hex(address)
            assert (await nic.access(address, bytes(4)))[0] == AxiResp.SLVERR, hex(address)
        else:
            assert response == AxiResp.OKAY, register.name
            if register.access == "ro":
                assert (await nic.access(address, bytes(4)))[0] == AxiResp.SLVERR, register.name
    await nic.write(0x068, 1)  # the lock that was read


@cocotb.test()
async def a_write_of_a_part_of_the_word_is_an_error_and_changes_nothing(dut) -> None:
    nic = await Nic(dut).start()
    await nic.write(0x008, 0x1122_3344)
    for first in range(4):
        for length in range(1, 5 - first):
            if length == 4:
                continue
            response, _ = await nic.access(0x008 + first, b"\xff" * length)
            assert response == AxiResp.SLVERR
            assert await nic.read(0x008) == 0x1122_3344
    await nic.write(0x008, 0xA1B2_C3D4)
    assert await nic.read(0x008) == 0xA1B2_C3D4


@cocotb.test()
async def a_push_into_a_full_queue_shows_in_push_failed_and_in_the_occupancy(dut) -> None:
    nic = await Nic(dut).start()
    await nic.write(QUEUE_DEPTH, 3)
    for i, buffer in enumerate(BUFFERS[:4]):
        await nic.write(TXQ + 8, buffer)
        assert await nic.read(TXQ + 12) == min(i + 1, 3)
        assert await nic.read(PUSH_FAILED) == (1 << 5 if i == 3 else 0)
    await nic.write(PUSH_FAILED, 1 << 5)
    assert await nic.read(PUSH_FAILED) == 0
    assert [await nic.read(TXQ + 8) for _ in range(4)] == [*BUFFERS[:3], EMPTY]


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3, 0.7])
async def frames_go_through_memory_and_back_byte_by_byte(dut, stalls) -> None:
    nic = await Nic(dut).start()
    rng = nic.rng
    await nic.give_buffers()
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
    nic.stall(stalls)
    lengths = [60, 61, 62, 63, 64, 65, 66, 67, 1514, 1518, 14] + [rng.randint(14, 1518) for _ in range(25)]
    sent = [rng.randbytes(length) for length in lengths]
    for data in sent:
        nic.rx.send_nowait(frame(data))
    next_queue = 0
    for data in sent:
        pointer = EMPTY
        for _ in range(2000):
            pointer = await nic.read(RXQ + 8 * next_queue)
            if pointer != EMPTY:
                break
        assert pointer in BUFFERS
        assert nic.frame_in(pointer) == data, "the first byte on the wire is the first in memory"
        assert nic.memory.load(pointer + 3, 1)[0] == next_queue
        # Another frame of the same length goes out, with a control word as a processor writes it.
        reply = bytes(byte ^ 0xFF for byte in data)
        nic.memory.store(pointer, bytes(6) + len(reply).to_bytes(2, "big"))
        nic.memory.store(pointer + FRAME_AT, reply)
        await nic.write(TXQ + 8 * rng.randrange(4), pointer)
        got = await within(dut, 40_000, nic.tx.recv(), dut.nic_clk)
        assert bytes(got.tdata) == reply and not got.tuser
        next_queue = (next_queue + 1) % 4
    await nic.until_all_free()
    assert await nic.counter("packets_received") == len(sent)
    assert await nic.counter("tx_taken") == len(sent)


@cocotb.test()
@cocotb.parametrize(error=[AxiResp.SLVERR, AxiResp.DECERR], stalls=[0.0, 0.3])
async def a_frame_that_memory_refuses_is_dropped_and_counted_and_the_next_is_good(dut, error, stalls) -> None:
    nic = await Nic(dut).start()
    rng = nic.rng
    await nic.give_buffers()
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
    nic.stall(stalls)

    # Receive: one dword of one buffer refuses to be written.
    nic.memory.fails = lambda address, read: error if not read and address == BUFFERS[0] + 64 else None
    good = [rng.randbytes(200) for _ in range(3)]
    for data in (rng.randbytes(300), *good):
        nic.rx.send_nowait(frame(data))
    pointers = [await nic.pop_any() for _ in good]
    assert sorted(nic.frame_in(p) for p in pointers) == sorted(good)
    assert await nic.counter("rx_drop_memory_error") == 1

    # Transmit: the control word cannot be read: nothing goes out. A later dword cannot: the frame is aborted.
    for position, (pointer, refuses) in enumerate(zip(pointers, (0, 160, None), strict=True)):
        where = None if refuses is None else pointer + refuses
        nic.memory.fails = lambda address, read, where=where: error if read and address == where else None
        await nic.write(TXQ, pointer)
        if refuses != 0:
            got = await within(dut, 20_000, nic.tx.recv(compact=False), dut.nic_clk)
            assert got.tuser[-1] & 1 == (refuses is not None), "aborted with its last beat"
            assert position == 1 or bytes(got.tdata[:200]) == nic.frame_in(pointer)
        else:
            for _ in range(500):
                if await nic.counter("tx_drop_memory_error"):
                    break
            assert nic.tx.empty()
    await nic.until_all_free()
    assert await nic.counter("tx_drop_memory_error") == 1
    assert await nic.counter("tx_taken") == 2, "the aborted one too: the MAC counts that"


@cocotb.test()
async def the_stamp_beside_a_frame_reaches_its_buffer(dut) -> None:
    """A frame that came 100 cycles before another has an earlier stamp, by a whole time for each of them."""
    nic = await Nic(dut).start()
    await nic.give_buffers()
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
    await ClockCycles(dut.nic_clk, 500)
    now = int(dut.time_now.value)
    stamps = []
    for stamp in (now, now - 100, now - 300):
        nic.rx.send_nowait(frame(bytes(64), stamp))
        stamps.append(int.from_bytes(nic.memory.load(await nic.pop_any() + 8, 8), "big"))
    unit, rest = divmod(stamps[0] - stamps[1], 100)
    assert unit > 0 and rest == 0
    assert stamps[0] - stamps[2] == 300 * unit


@cocotb.test()
async def a_stamp_that_is_wanted_shows_beside_the_whole_frame(dut) -> None:
    nic = await Nic(dut).start()
    await nic.give_buffers()
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
    for wanted in (0, 1):
        nic.rx.send_nowait(frame(bytes(64)))
        pointer = await nic.pop_any()
        nic.memory.store(pointer, bytes([0, 0, 0, 0, wanted, 0, 0, 64]))
        await nic.write(TXQ, pointer)
        got = await within(dut, 40_000, nic.tx.recv(compact=False), dut.nic_clk)
        assert set(got.tuser) == {wanted << 1}
    dut.tx_stamp_valid.value = 1
    await RisingEdge(dut.nic_clk)
    dut.tx_stamp_valid.value = 0
    await nic.until_all_free()


@cocotb.test()
async def the_mac_is_told_what_the_registers_say(dut) -> None:
    nic = await Nic(dut).start()
    registers = regs.BLOCKS["nic"].registers
    for _ in range(20):
        low, high, hash_low, hash_high = (nic.rng.getrandbits(bits) for bits in (32, 16, 32, 32))
        for name, value in (
            ("mac_address_low", low), ("mac_address_high", high),
            ("multicast_hash_low", hash_low), ("multicast_hash_high", hash_high),
        ):  # fmt: skip
            await nic.write(registers[name].id * 4, value)
        longest = nic.rng.randrange(64, 2035)
        await nic.write(registers["max_frame"].id * 4, longest)
        control = nic.rng.getrandbits(6)
        await nic.write(registers["mac_control"].id * 4, control)
        await ClockCycles(dut.nic_clk, 2)
        assert int(dut.mac_address.value) == high << 32 | low
        assert int(dut.mac_multicast_hash.value) == hash_high << 32 | hash_low
        assert int(dut.mac_max_frame.value) == longest
        names = ("mac_mii", "mac_rx_pause", "mac_tx_pause", "mac_promiscuous", "mac_broadcast", "mac_rx_store")
        assert [int(getattr(dut, name).value) for name in names] == [control >> bit & 1 for bit in range(6)]


@cocotb.test()
@cocotb.parametrize(length=[60, 61, 500, 1514])
async def line_rate_with_a_memory_latency_of_60_cycles(dut, length) -> None:
    """In NIC loopback, frame after frame: what docs/integration.md promises. A frame has 24 bytes more on the line."""
    nic = await Nic(dut, latency=60).start()
    await nic.give_buffers()
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    count = 30
    sent = [nic.rng.randbytes(length) for _ in range(count)]
    for data in sent:
        nic.rx.send_nowait(frame(data))
    ends = []
    for data in sent:
        got = await within(dut, 20_000, nic.tx.recv(), dut.nic_clk)
        assert bytes(got.tdata) == data
        ends.append(got.sim_time_end)
    warm = 10
    cycles = (ends[-1] - ends[warm]) / (count - 1 - warm) / 8000  # of 8 ns, in ps
    dut._log.info(f"{length} bytes: {cycles:.1f} cycles a frame, of {length + 24} at line rate")
    assert cycles <= length + 24


@cocotb.test()
async def pulses_settings_and_interrupt_are_plain_ports(dut) -> None:
    nic = await Nic(dut).start()
    assert len(STAT) == len(dut.mac_stat) == 14
    for times, bit in enumerate(STAT.values(), 1):
        dut.mac_stat.value = 1 << bit
        await ClockCycles(dut.nic_clk, times)
        dut.mac_stat.value = 0
    await ClockCycles(dut.nic_clk, 4)
    for times, name in enumerate(STAT, 1):
        register = {"tx_sent": "packets_transmitted"}.get(name, name)
        assert await nic.counter(register) == times, name
    for value in (MAC_ENABLE, MAC_LOOPBACK, 0):
        await nic.write(CONTROL, value)
        assert (int(dut.mac_enable.value), int(dut.mac_loopback.value)) == (value == MAC_ENABLE, value == MAC_LOOPBACK)
    assert not dut.irq.value
    await nic.give_buffers()
    await nic.write(SERVERS, 1)
    await nic.write(IRQ_MASK, 1)
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE | IRQ_ENABLE)
    await ClockCycles(dut.nic_clk, 50)
    assert not dut.irq.value
    nic.rx.send_nowait(frame(bytes(60)))
    for _ in range(200):
        await RisingEdge(dut.nic_clk)
        if dut.irq.value:
            break
    assert dut.irq.value
    assert await nic.read(RXQ) in BUFFERS
    await ClockCycles(dut.nic_clk, 4)
    assert not dut.irq.value
    before = int(dut.time_now.value)
    await ClockCycles(dut.nic_clk, 10)
    assert int(dut.time_now.value) == before + 10


def test_nic_axi() -> None:
    run_bench("nic_axi")


def test_nic_axi_wide_address() -> None:
    run_bench("nic_axi", {"AXI_ADDR_W": 40}, testcase="frames_go.*")
