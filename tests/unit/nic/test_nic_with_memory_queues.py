# SPDX-License-Identifier: Apache-2.0
"""NIC_1.1, the NIC with its queues in memory: registers, self-test, interrupts, and frames through both engines."""

import random

import cocotb
import pytest
from bench import SUPPORT, run_bench
from cocotb.triggers import RisingEdge
from nic_bench import (
    BASE,
    CAPABILITY,
    CONTROL,
    HELD,
    IRQ_ENABLE,
    IRQ_MASK,
    IRQ_STATUS,
    NIC_ENABLE,
    NIC_LOOPBACK,
    QUEUE_BASE,
    QUEUE_ERRORS,
    QUEUE_SETUP,
    RX_PATIENCE,
    SELFTEST,
    SELFTEST_BASE,
    SELFTEST_BYTES,
    SELFTEST_STATUS,
    SERVERS,
    STATUS,
    STRIDE,
    Nic,
    stop,
)

pytestmark = pytest.mark.slow

FREE, RECEIVE, TRANSMIT = range(3)
QUEUES_AT = (0x5002_0000, 0x5002_0200, 0x5002_0400)
LOCK, HEAD, TAIL, RING = 0, 8, 12, 16  # byte offsets in a queue
UNSET = 0x100
DONE, REFUSED = 2, 8
IRQ_ERROR = 0x200


class Nic11(Nic):
    """The bench's processor also keeps the queues in memory. It touches them at one moment, as under a lock."""

    entries = 16

    async def begin(self, buffers: int = 0, pause: int = 8) -> list[int]:
        """Starts it, tells it of its queues, and fills the free queue."""
        self.locks = True
        await self.start()
        for which, base in enumerate(QUEUES_AT):
            self.store(base, bytes(RING + 4 * self.entries))
            await self.write(QUEUE_BASE[which], base)
        await self.write(QUEUE_SETUP, pause << 8 | self.entries)
        pointers = [BASE + i * STRIDE for i in range(buffers)]
        for pointer in pointers:
            self.push(FREE, pointer)
        return pointers

    def word(self, which: int, offset: int, value: int | None = None) -> int:
        if value is not None:
            self.store(QUEUES_AT[which] + offset, (value % (1 << 32)).to_bytes(4, "big"))
        return int.from_bytes(self.load(QUEUES_AT[which] + offset, 4), "big")

    def inside(self, which: int) -> list[int]:
        head, tail = self.word(which, HEAD), self.word(which, TAIL)
        return [self.word(which, RING + 4 * (i % self.entries)) for i in range(head, tail)]

    def push(self, which: int, pointer: int) -> None:
        assert self.word(which, LOCK) == 0 and len(self.inside(which)) < self.entries
        tail = self.word(which, TAIL)
        self.word(which, RING + 4 * (tail % self.entries), pointer)
        self.word(which, TAIL, tail + 1)

    async def pop(self, which: int) -> int:
        await self.until(lambda: bool(self.inside(which)) and self.word(which, LOCK) == 0)
        pointer = self.inside(which)[0]
        self.word(which, HEAD, self.word(which, HEAD) + 1)
        return pointer

    async def check_all_pointers(self, given: list[int]) -> None:
        await stop(self)
        found = [pointer for which in (FREE, RECEIVE, TRANSMIT) for pointer in self.inside(which)]
        assert sorted(found) == sorted(given), "pointers lost or doubled"


@cocotb.test()
async def registers_of_the_queues_in_the_nic_are_errors_and_those_of_the_queues_in_memory_are_there(dut) -> None:
    nic = Nic11(dut)
    await nic.start()
    assert await nic.read(CAPABILITY) == 0x61F, "queues in memory, all options, one server"
    for register in range(8, 27):
        for data in (None, 0, 1, BASE):
            assert (await nic.access(register, data))[:2] == (1, 0), f"ID {register}"
    assert (await nic.access(CAPABILITY, 0))[0] == 1
    for register in QUEUE_BASE:
        for value in (0x5002_0008, 0xFFFF_FFFF, 0):
            await nic.write(register, value)
            assert await nic.read(register) == value & ~7
    assert await nic.read(QUEUE_SETUP) == 32 << 8, "after reset it has not been told"
    for entries in range(128):
        before = await nic.read(QUEUE_SETUP)
        value = nic.rng.randrange(1 << 16) << 8 | entries
        err = (await nic.access(QUEUE_SETUP, value))[0]
        assert err == (entries.bit_count() > 1)
        assert await nic.read(QUEUE_SETUP) == (before if err else value)
    for value in range(16):
        err = (await nic.access(SERVERS, value))[0]
        assert err == (value > 1), "it has one server"
        assert await nic.read(SERVERS) == min(value, 1)


@cocotb.test()
async def a_nic_that_was_not_told_of_its_queues_says_so_and_touches_nothing(dut) -> None:
    nic = Nic11(dut)
    await nic.start()
    await nic.write(RX_PATIENCE, 100)
    await nic.write(SERVERS, 1)
    await nic.write(IRQ_MASK, IRQ_ERROR)
    await nic.write(CONTROL, NIC_ENABLE | IRQ_ENABLE)
    nic.to_receive.extend((bytes(60), 0) for _ in range(3))
    await nic.clocks(1000)
    assert nic.accesses == 0 and dut.irq.value
    assert await nic.read(QUEUE_ERRORS) == UNSET
    assert (await nic.counters())["rx_drop_no_buffer"] == 3, "as there is no free buffer"
    await nic.write(CONTROL, 0)
    await nic.write(QUEUE_ERRORS, UNSET)
    await nic.write(IRQ_STATUS, IRQ_ERROR)
    await nic.clocks(10)
    assert await nic.read(QUEUE_ERRORS) == 0 and not dut.irq.value


@cocotb.test()
async def frames_go_through_nic_loopback(dut) -> None:
    nic = Nic11(dut)
    pointers = await nic.begin(buffers=9)
    nic.memory_stall, nic.rx_stall, nic.tx_stall = 0.2, 0.1, 0.1
    nic.latency = lambda: nic.rng.randrange(1, 40)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    frames = [nic.rng.randbytes(nic.rng.choice((60, nic.rng.randrange(60, 300)))) for _ in range(60)]
    nic.to_receive.extend((data, 0) for data in frames)
    await nic.until(lambda: len(nic.sent) == len(frames), 300_000)
    assert [data for data, aborted, _ in nic.sent] == frames and not any(aborted for _, aborted, _ in nic.sent)
    await nic.check_all_pointers(pointers)
    assert await nic.read(QUEUE_ERRORS) == 0


@cocotb.test()
async def the_processor_echoes_and_stops_and_starts_the_nic(dut) -> None:
    nic = Nic11(dut)
    pointers = await nic.begin(buffers=7)
    await nic.write(SERVERS, 1)
    frames = [nic.rng.randbytes(nic.rng.randrange(60, 200)) for _ in range(40)]
    for data in frames:
        await nic.write(CONTROL, NIC_ENABLE)
        nic.to_receive.append((data, 0))
        pointer = await nic.pop(RECEIVE)
        assert nic.get_frame(pointer)[0] == data
        if nic.rng.random() < 0.3:
            await nic.check_all_pointers([p for p in pointers if p != pointer])  # which stops it
            await nic.write(CONTROL, NIC_ENABLE)
        nic.push(TRANSMIT, pointer)
        if nic.rng.random() < 0.5:
            await nic.until(lambda: not nic.inside(TRANSMIT))
    await nic.until(lambda: len(nic.sent) == len(frames))
    assert [data for data, _, _ in nic.sent] == frames
    await nic.until_idle()
    await nic.clocks(500)
    await nic.check_all_pointers(pointers)


@cocotb.test()
async def a_frame_raises_the_interrupt_and_an_emptied_queue_ends_it(dut) -> None:
    nic = Nic11(dut)
    pause = 20
    await nic.begin(buffers=8, pause=pause)
    await nic.write(SERVERS, 1)
    await nic.write(IRQ_MASK, 1)
    await nic.write(CONTROL, NIC_ENABLE | IRQ_ENABLE)
    for count in (1, 3):
        nic.to_receive.extend((bytes(60), 0) for _ in range(count))
        await nic.until(lambda: bool(dut.irq.value))
        assert nic.inside(RECEIVE), "the frame is there when the interrupt comes"
        await nic.until(lambda count=count: len(nic.inside(RECEIVE)) == count)
        for _ in range(count):
            assert dut.irq.value
            await nic.pop(RECEIVE)
        await nic.until(lambda: not dut.irq.value, limit=2 * pause + 100)
        assert await nic.read(IRQ_STATUS) & 1 == 0 and await nic.read(STATUS) & 1 == 0
        await nic.clocks(300)
        assert not dut.irq.value


@cocotb.test()
async def a_memory_that_fails_queue_accesses_is_counted_and_nothing_hangs(dut) -> None:
    nic = Nic11(dut)
    pointers = await nic.begin(buffers=8)
    await nic.write(SERVERS, 1)
    await nic.write(RX_PATIENCE, 500)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.clocks(500)
    for which, cause in ((RECEIVE, None), (FREE, "rx_drop_no_buffer")):
        nic.fails = lambda address, read, base=QUEUES_AT[which]: base <= address < base + 0x200
        nic.to_receive.extend((bytes(60), 0) for _ in range(4))
        await nic.clocks(3000)
        assert await nic.read(QUEUE_ERRORS) == 1 << which
        if cause:
            assert (await nic.counters())[cause] > 0, "no frame waits for longer than rx_patience"
        nic.fails = lambda address, read: False
        await nic.clocks(1000)
        await nic.write(QUEUE_ERRORS, 1 << which)
        await nic.clocks(200)
        assert await nic.read(QUEUE_ERRORS) == 0, "it works again"
    await nic.check_all_pointers(pointers)


@cocotb.test()
async def a_full_receive_queue_drops_frames_by_cause(dut) -> None:
    nic = Nic11(dut)
    nic.entries = 4
    pointers = await nic.begin()
    await nic.write(SERVERS, 1)
    await nic.write(RX_PATIENCE, 300)
    await nic.write(CONTROL, NIC_ENABLE)
    for i in range(9):  # more buffers than a queue holds
        pointers.append(BASE + i * STRIDE)
        await nic.until(lambda: len(nic.inside(FREE)) < nic.entries and nic.word(FREE, LOCK) == 0)
        nic.push(FREE, pointers[-1])
        nic.to_receive.append((bytes([i]) * 60, 0))
        await nic.clocks(1000)
    assert (await nic.counters())["rx_drop_no_server"] > 0
    assert [nic.get_frame(pointer)[0][0] for pointer in nic.inside(RECEIVE)] == [0, 1, 2, 3]
    kept = [await nic.pop(RECEIVE) for _ in range(4)]
    await nic.clocks(500)
    await nic.write(CONTROL, 0)
    popped = []
    for _ in range(50):
        if await nic.read(HELD) == 0:
            break
        for which in (FREE, RECEIVE):  # whatever stands in the way
            if nic.inside(which) and nic.word(which, LOCK) == 0:
                popped.append(await nic.pop(which))
        await nic.clocks(200)
    await nic.check_all_pointers([p for p in pointers if p not in kept + popped])


@cocotb.test()
async def a_queue_that_is_only_busy_costs_no_frame(dut) -> None:
    """An operation takes four round trips to the memory: no shortage, however small the patience is."""
    nic = Nic11(dut)
    pointers = await nic.begin(buffers=12)
    nic.latency = lambda: 50
    await nic.write(SERVERS, 1)
    await nic.write(RX_PATIENCE, 100)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.clocks(2000)
    frames = 6
    for i in range(frames):
        nic.to_receive.append((bytes([i]) * 60, 0))
        await nic.clocks(84)
    await nic.clocks(5000)
    counted = await nic.counters()
    assert counted["rx_drop_no_server"] == 0, "the receive queue has room"
    assert len(nic.inside(RECEIVE)) + counted["rx_drop_no_buffer"] == frames
    await nic.check_all_pointers(pointers)


@cocotb.test()
async def a_lock_that_cannot_be_cleared_is_still_held_and_cleared_where_it_is(dut) -> None:
    nic = Nic11(dut)
    pointers = await nic.begin(buffers=4)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.clocks(500)
    # The write that clears the receive queue's lock fails, the one before that moves the tail does not.
    nic.fails = lambda address, read: not read and address == QUEUES_AT[RECEIVE] and nic.word(RECEIVE, TAIL) == 1
    nic.to_receive.append((bytes(60), 0))
    await nic.until(lambda: nic.word(RECEIVE, TAIL) == 1)
    await nic.clocks(200)
    await nic.write(CONTROL, 0)
    await nic.clocks(500)
    assert nic.word(RECEIVE, LOCK) == 2 and await nic.read(HELD) > 0, "an operation is under way: hands off the queue"
    elsewhere = 0x5002_0800
    nic.store(elsewhere, bytes(RING))
    await nic.write(QUEUE_BASE[RECEIVE], elsewhere)  # should somebody not look
    nic.fails = lambda address, read: False
    await nic.clocks(500)
    assert nic.word(RECEIVE, LOCK) == 0, "it ends where it began"
    assert await nic.read(HELD) == 0
    await nic.check_all_pointers(pointers)


@cocotb.test()
async def the_self_test_refuses_tests_of_queues_that_are_not_there(dut) -> None:
    nic = Nic11(dut)
    await nic.start()
    await nic.write(SELFTEST_BASE, BASE)
    await nic.write(SELFTEST_BYTES, 64)
    for test, verdict in ((1, DONE), (2, REFUSED), (3, REFUSED), (4, None), (1, DONE)):
        nic.fails = lambda address, read: not BASE <= address < BASE + 64
        await nic.write(SELFTEST, test)
        for _ in range(2000):
            await RisingEdge(dut.nic_clk)
        status = await nic.read(SELFTEST_STATUS)
        assert not status & 1, "it came to its end"
        assert verdict is None or status == verdict, f"test {test}: {status:#x}"


def test_nic_with_memory_queues() -> None:
    random.seed(1)
    run_bench("nic_tb", {"QUEUES_IN_MEMORY": 1}, extra_sources=(SUPPORT / "nic_tb.sv",))
