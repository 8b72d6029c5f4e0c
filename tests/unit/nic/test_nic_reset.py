# SPDX-License-Identifier: Apache-2.0
"""Soft reset of NIC and MAC together, with frames on the line and accesses to memory under way: whatever the registers
held before, one sequence (`recover`) brings every frame back, and neither bus notices anything.

NIC loopback is the echo: a frame goes through both engines and comes back unchanged.
"""

import itertools
import os
import random
from collections import deque

import cocotb
import mac_model
import pytest
from bench import SUPPORT, run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from drivers import Channel
from nic_bench import (
    BUFFER_SIZE,
    CAPABILITY,
    CONTROL,
    COUNTERS,
    FREE_COUNTER,
    FREEQ,
    LOCK,
    MAC_ENABLE,
    NIC_ENABLE,
    NIC_LOOPBACK,
    QUEUE_BASE,
    QUEUE_DEPTH,
    QUEUE_SETUP,
    RESET,
    RX_PATIENCE,
    RXQ,
    SELFTEST,
    SELFTEST_BASE,
    SELFTEST_BYTES,
    SELFTEST_STATUS,
    SERVERS,
    STATUS,
    TXQ,
    stop,
)
from runs import seeds

pytestmark = pytest.mark.slow

BASE, STRIDE, BUFFERS = 0x5000_0000, 2048, 16
RINGS = (0x5003_0000, 0x5003_0200, 0x5003_0400)
EXISTS = ((0x5000_0000, 0x4_0000), (0x4100_0000, 0x4_0000))
LENGTHS = [*range(60, 70), 200, 513, 1514]
QUIET = 3000  # cycles: nothing in the NIC takes so long to come to the line
ANYTHING_CHANGES = {FREE_COUNTER, 36, CAPABILITY, *(70, 68, 69)}  # times; what was built in


class NicAndMac:
    """A line, a memory and a processor. Memory exists where EXISTS says so, elsewhere it answers with an error."""

    def __init__(self, dut, in_memory: bool) -> None:
        self.dut, self.in_memory = dut, in_memory
        self.rng = random.Random(random.getrandbits(64))
        self.memory: dict[int, int] = {}
        self.latency = lambda: 5
        self.stall = 0.0
        self.to_line: deque[int] = deque()
        self.from_line: list[int] = []
        self.locked = False  # by the NIC: the bus stays with it until its next access
        self.in_flight = 0

    async def start(self) -> None:
        dut = self.dut
        for name in ("gmii_rxd", "gmii_rx_dv", "gmii_rx_er", "afb_req_valid", "afb_read", "afb_mask", "afb_address",
                     "afb_write_data", "acb_req_ready", "acb_err", "acb_data", "acb_rsp_valid"):  # fmt: skip
            getattr(dut, name).value = 0
        dut.afb_rsp_ready.value = 1
        dut.rst.value = 1
        for name in ("nic_clk", "gmii_rx_clk", "gmii_tx_clk"):
            cocotb.start_soon(Clock(getattr(dut, name), 8, "ns").start())
            await Timer(self.rng.randrange(1, 8), "ns")
        await Timer(80, "ns")
        dut.rst.value = 0
        for run in (self._line_in, self._line_out, self._memory):
            cocotb.start_soon(run())
        await self.clocks(10)

    async def clocks(self, count: int) -> None:
        clock = RisingEdge(self.dut.nic_clk)
        for _ in range(count):
            await clock

    # ---- Line ------------------------------------------------------------------------------------------------------

    async def _line_in(self) -> None:
        dut, clock, now = self.dut, RisingEdge(self.dut.gmii_rx_clk), 0
        while True:
            await clock
            symbol = self.to_line.popleft() if self.to_line else 0
            if symbol != now:
                now = symbol
                dut.gmii_rxd.value, dut.gmii_rx_dv.value = symbol & 0xFF, symbol >> 8 & 1

    async def _line_out(self) -> None:
        clock, tx_en = RisingEdge(self.dut.gmii_tx_clk), self.dut.gmii_tx_en
        tx_er, txd = self.dut.gmii_tx_er, self.dut.gmii_txd
        while True:
            await clock
            on = bool(tx_en.value)
            self.from_line.append(int(tx_er.value) << 9 | 0x100 | int(txd.value) if on else 0)

    def send(self, frame: bytes, gap: int = 12) -> None:
        self.to_line.extend(mac_model.symbols(mac_model.on_wire(frame), gap))

    # ---- Memory: answers in order, as it comes -----------------------------------------------------------------------

    async def _memory(self) -> None:
        dut, rng, clock = self.dut, self.rng, RisingEdge(self.dut.nic_clk)
        due: deque[tuple[int, bool, int]] = deque()
        watch, cycle, ready, offering = Channel("acb"), 0, False, False
        acb_req_valid = dut.acb_req_valid
        while True:
            await clock
            cycle += 1
            was_offering, was_ready = offering, ready  # signals are written when they change: that takes the time
            if offering and dut.acb_rsp_ready.value:
                due.popleft()
                offering = False
            if valid := int(acb_req_valid.value):
                read, address = int(dut.acb_read.value), int(dut.acb_address.value) & ~7
                mask, data, lock = int(dut.acb_mask.value), int(dut.acb_write_data.value), int(dut.acb_lock.value)
                watch.see(1, int(ready), hash((read, address, mask, data, lock)))
                if ready:
                    self.locked = bool(lock)
                    assert not lock or (read and self.in_memory)
                    due.append((cycle + self.latency(), *self._access(read, address, mask, data)))
            else:
                watch.see(valid, int(ready), 0)
            self.in_flight = len(due)
            if not offering:
                offering = bool(due) and due[0][0] <= cycle
                if offering != was_offering:
                    dut.acb_rsp_valid.value = int(offering)
                if offering:
                    _, dut.acb_err.value, dut.acb_data.value = due[0]
            ready = not self.stall or rng.random() >= self.stall
            if ready != was_ready:
                dut.acb_req_ready.value = int(ready)

    def _access(self, read: int, address: int, mask: int, data: int) -> tuple[bool, int]:
        if not any(base <= address < base + size for base, size in EXISTS):
            return True, 0
        if read:
            return False, int.from_bytes(bytes(self.memory.get(address + i, 0xA5) for i in range(8)), "big")
        for i, byte in enumerate(data.to_bytes(8, "big")):
            if mask & 0x80 >> i:
                self.memory[address + i] = byte
        return False, 0

    # ---- Processor ---------------------------------------------------------------------------------------------------

    async def access(self, register: int, data: int | None = None) -> tuple[int, int]:
        """err and data; every access is answered, whatever goes on."""
        dut, clock = self.dut, RisingEdge(self.dut.nic_clk)
        dut.afb_read.value, dut.afb_mask.value = int(data is None), 0xF
        dut.afb_address.value, dut.afb_write_data.value = 0xFF00_0000 + 4 * register, data or 0
        dut.afb_req_valid.value = 1
        for waited in range(20):
            await clock
            assert not dut.afb_rsp_valid.value, "an answer that nobody asked for"
            if dut.afb_req_ready.value:
                break
            assert waited < 15, "an access is not taken"
        dut.afb_req_valid.value = 0
        for waited in range(9):
            await clock
            if dut.afb_rsp_valid.value:
                return int(dut.afb_err.value), int(dut.afb_data.value)
            assert waited < 5, "an access is not answered"
        raise AssertionError

    async def read(self, register: int) -> int:
        err, data = await self.access(register)
        assert not err, f"reading register {register} is an error"
        return data

    async def write(self, register: int, data: int) -> int:
        err, answer = await self.access(register, data)
        assert not err, f"writing {data:#x} to register {register} is an error"
        return answer

    async def reset(self) -> None:
        await self.write(RESET, 1)
        for _ in range(200):
            if not await self.read(RESET):
                break
        else:
            raise AssertionError("the reset does not end")
        assert not self.locked and not self.in_flight, "the NIC leaves the bus as nobody may leave it"

    async def recover(self) -> list[int]:
        """The documented sequence: nic_recover, with NIC loopback. The buffers that are in circulation again."""
        await self.reset()
        pointers = [BASE + i * STRIDE for i in range(BUFFERS)]
        if self.in_memory:
            for register, ring in zip(QUEUE_BASE, RINGS, strict=True):
                self.memory.update((ring + i, 0) for i in range(16 + 4 * 64))
                await self.write(register, ring)
            await self.write(QUEUE_SETUP, 8 << 8 | 64)
            for i, pointer in enumerate(pointers):
                place = RINGS[0] + 16 + 4 * i
                self.memory.update((place + k, byte) for k, byte in enumerate(pointer.to_bytes(4, "big")))
            self.memory[RINGS[0] + 15] = BUFFERS  # tail
        else:
            for pointer in pointers:
                assert await self.write(FREEQ, pointer) == 0
        await self.write(SERVERS, 1)
        await self.write(CONTROL, NIC_ENABLE | MAC_ENABLE | NIC_LOOPBACK)
        await self.clocks(120)  # until the MAC is enabled: it was reset, too, and the setting has to cross
        return pointers

    async def echoes(self, lengths: list[int]) -> None:
        """Frames of these lengths come back whole, in order, and nothing else does."""
        while self.to_line:
            await self.clocks(1)
        for _ in range(100):  # what came before is out
            await self.clocks(QUIET)
            if not any(self.from_line[-QUIET:]):
                break
        self.from_line.clear()
        before = {name: await self.read(register) for name, register in COUNTERS.items()}
        frames = [self.rng.randbytes(length) for length in lengths]
        for frame in frames:
            self.send(frame, gap=400 if self.in_memory else 12)
        limit = sum(lengths) + 2000 * len(lengths) + 4000 + QUIET
        for _ in range(limit // 50):
            await self.clocks(50)
            if len(self.from_line) > QUIET and not self.to_line and not any(self.from_line[-QUIET:]):
                break
        after = {name: await self.read(register) for name, register in COUNTERS.items()}
        counted = {name: after[name] - before[name] for name in after if after[name] != before[name]}
        assert counted == dict.fromkeys(("rx_good", "tx_taken", "packets_transmitted", "packets_received"), len(frames))
        assert [out.frame for out in mac_model.sent_frames(self.from_line)] == frames

    def _word(self, address: int) -> int:
        return int.from_bytes(bytes(self.memory[address + i] for i in range(4)), "big")

    async def check_all_pointers(self, given: list[int]) -> None:
        await stop(self)
        found = []
        if self.in_memory:
            for ring in RINGS:
                for at in range(self._word(ring + 8), self._word(ring + 12)):  # head, tail
                    found.append(self._word(ring + 16 + 4 * (at % 64)))
        else:
            for register in (FREEQ, *RXQ, *TXQ):
                while not (pointer := await self.read(register)) & 1:
                    found.append(pointer)
        assert sorted(found) == given


def _bench(dut) -> NicAndMac:
    return NicAndMac(dut, bool(int(dut.QUEUES_IN_MEMORY.value)))


@cocotb.test()
async def registers_are_as_after_power_on(dut):
    nic = _bench(dut)
    await nic.start()
    want = [await nic.access(register) for register in range(256)]
    for register in set(range(256)) - {RESET, 80}:
        await nic.access(register, nic.rng.getrandbits(32))
        await nic.access(register, nic.rng.getrandbits(7))
        await nic.access(register, nic.rng.getrandbits(28) * 8)
    await nic.reset()
    got = [await nic.access(register) for register in range(256)]
    differ = {i for i in range(256) if want[i] != got[i]} - ANYTHING_CHANGES
    assert not differ, {i: (want[i], got[i]) for i in differ}
    assert await nic.read(FREE_COUNTER) < 256 * 8


@cocotb.test()
async def accesses_during_a_reset_are_answered_and_writes_refused(dut):
    nic = _bench(dut)
    nic.latency = lambda: 400
    await nic.start()
    pointers = await nic.recover()
    nic.send(bytes(60))
    for waited in range(2000):
        await nic.clocks(1)
        if nic.in_flight:
            break
        assert waited < 1500, "nothing came"
    await nic.write(RESET, 1)
    acting = [(register, 1) for register in (CONTROL, SERVERS, QUEUE_DEPTH, RX_PATIENCE, SELFTEST_BASE, RESET)]
    acting += [(BUFFER_SIZE, 1024), (FREEQ, pointers[0]), (FREEQ, None), (LOCK, None)]
    seen = 0
    while True:
        register, value = acting[seen % len(acting)]
        answer = await nic.access(register, value)
        err, _ = await nic.access(STATUS)
        if not await nic.read(RESET):
            break
        assert answer == (1, 0) and not err
        seen += 1
    assert seen > len(acting) and nic.in_flight == 0
    assert await nic.read(CONTROL) == await nic.read(SERVERS) == 0
    assert (await nic.read(BUFFER_SIZE), await nic.read(RX_PATIENCE)) == (2048, 16384)
    nic.latency = lambda: 5
    await nic.recover()
    await nic.echoes([60, 61])


@cocotb.test()
async def a_reset_ends_a_self_test(dut):
    nic = _bench(dut)
    await nic.start()
    for test, wait in itertools.product([1, 4] if nic.in_memory else [1, 2, 3, 4], range(8)):
        await nic.write(SELFTEST_BASE, BASE)
        await nic.write(SELFTEST_BYTES, 4096)
        await nic.write(SELFTEST, test)
        await nic.clocks(30 + wait)
        assert await nic.read(SELFTEST_STATUS) == 1, "it runs"
        await nic.reset()
        assert await nic.read(SELFTEST_STATUS) == 0
    pointers = await nic.recover()
    await nic.echoes([60, 61])
    await nic.check_all_pointers(pointers)


@cocotb.test()
async def a_reset_in_any_cycle_of_traffic_leaves_nothing_behind(dut):
    nic = _bench(dut)
    await nic.start()
    pointers = await nic.recover()
    cycles = int(os.environ["CYCLES"])
    for at in range(0, cycles, 1 if cycles > 24 else 2):
        nic.latency = lambda: nic.rng.choice([2, 5, 30])
        nic.stall = nic.rng.choice([0.0, 0.3])
        for length in (90, 60, 140, 60):
            nic.send(nic.rng.randbytes(length))
        await nic.clocks(200 + 5 * at)
        await nic.recover()
        if at % 8 == 0:
            await nic.echoes([60, 100])
    mac_model.sent_frames(nic.from_line, cut=True)
    nic.latency, nic.stall = lambda: 5, 0.0
    await nic.echoes(LENGTHS)
    await nic.check_all_pointers(pointers)


def _wild_pointer(rng: random.Random) -> int:
    base = rng.choice([0x5000_0000, 0x5000_0000, 0x4100_0000, 0x6000_0000, 0])
    return base + rng.randrange(0x4_0000) & ~(7 if rng.random() < 0.9 else 0)


async def _soup(nic: NicAndMac, writes: int) -> None:
    rng = nic.rng
    for _ in range(writes):
        some = [CONTROL, FREEQ, rng.choice(TXQ), rng.choice(QUEUE_BASE), QUEUE_SETUP]
        register = rng.choice([rng.randrange(256), *some])
        if rng.random() < 0.2:
            await nic.access(register)
            continue
        value = rng.choice([rng.getrandbits(32), rng.getrandbits(9), 1 << rng.randrange(32)])
        if register in (FREEQ, *RXQ, *TXQ, *QUEUE_BASE, SELFTEST_BASE):
            value = _wild_pointer(rng)
        if register == QUEUE_SETUP and rng.random() < 0.8:
            value = rng.randrange(64) << 8 | 1 << rng.randrange(7)
        await nic.access(register, value)
        await nic.clocks(rng.choice([0, 0, 10, 200]))


@cocotb.test()
async def one_sequence_is_the_way_back_from_any_soup(dut):
    nic = _bench(dut)
    await nic.start()
    pointers = await nic.recover()
    for _ in range(int(os.environ["SOUPS"])):
        nic.latency = nic.rng.choice([lambda: 2, lambda: nic.rng.randrange(2, 60)])
        nic.stall = nic.rng.choice([0.0, 0.5])
        for _ in range(20):
            nic.send(nic.rng.randbytes(nic.rng.choice([60, 64, 200, 700])), gap=nic.rng.choice([12, 100]))
        await _soup(nic, 80)
        pointers = await nic.recover()
        await nic.echoes([60, 61, nic.rng.randrange(60, 300)])
    nic.latency, nic.stall = lambda: 5, 0.0
    await nic.echoes(LENGTHS)
    await nic.check_all_pointers(pointers)


TB = SUPPORT / "nic_mac" / "nic_mac_tb.sv"


def _run(in_memory: int, seed: int, soups: int, cycles: int) -> None:
    run_bench("nic_mac_tb", {"QUEUES_IN_MEMORY": in_memory, "RX_FIFO_BYTES": 4096, "TX_FIFO_BYTES": 4096}, seed=seed,
              extra_sources=(TB,), extra_env={"SOUPS": str(soups), "CYCLES": str(cycles)})  # fmt: skip


@pytest.mark.parametrize("in_memory", [0, 1])
def test_nic_reset(in_memory: int) -> None:
    _run(in_memory, 1, soups=2, cycles=24)


@pytest.mark.parametrize("seed", seeds(0, 4, first=2))
@pytest.mark.parametrize("in_memory", [0, 1])
def test_nic_reset_from_many_states(in_memory: int, seed: int) -> None:
    _run(in_memory, seed, soups=40, cycles=250)
