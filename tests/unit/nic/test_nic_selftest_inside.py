# SPDX-License-Identifier: Apache-2.0
"""The self-test in its place: the NIC's own registers and queues, and a memory behind the arbiter."""

import cocotb
import pytest
from bench import SUPPORT, run_bench
from cocotb.triggers import RisingEdge
from nic_bench import (
    BASE,
    CONTROL,
    EMPTY,
    FREEQ,
    HELD,
    IRQ_STATUS,
    LOCK,
    NIC_ENABLE,
    NIC_LOOPBACK,
    PUSH_FAILED,
    QUEUE_DEPTH,
    RXQ,
    SELFTEST,
    SELFTEST_ADDRESS,
    SELFTEST_BASE,
    SELFTEST_BYTES,
    SELFTEST_CYCLES,
    SELFTEST_EXPECTED,
    SELFTEST_GOT,
    SELFTEST_STATUS,
    SERVERS,
    STATUS,
    TXQ,
    Nic,
)

pytestmark = pytest.mark.slow

REGISTERS, QUEUES, SEQUENCE, MEMORY = 1, 2, 3, 4
BUSY, DONE, FAILED, REFUSED, GOT_ERR = 1, 2, 4, 8, 16


async def started(dut) -> Nic:
    nic = Nic(dut)
    await nic.start()
    nic.fails = lambda address, read: address >> 28 != BASE >> 28
    return nic


async def run(nic: Nic, test: int, wait: int = 60_000) -> int:
    """Starts a test; its status when it has ended. The processor leaves the NIC alone meanwhile."""
    await nic.write(SELFTEST, test)
    await nic.clocks(4)
    for _ in range(wait):
        if not nic.dut.dut.g_selftest.u_selftest.busy.value:
            break
        await RisingEdge(nic.dut.nic_clk)
    return await nic.read(SELFTEST_STATUS)


@cocotb.test()
async def all_tests_pass_and_leave_nothing_behind(dut) -> None:
    nic = await started(dut)
    await nic.write(SELFTEST_BASE, BASE)
    await nic.write(SELFTEST_BYTES, 0x1000)
    for depth in (64, 1, 40):
        await nic.write(QUEUE_DEPTH, depth)
        for test in (REGISTERS, QUEUES, SEQUENCE, MEMORY):
            assert await run(nic, test) == DONE, (depth, test)
            assert await nic.read(STATUS) == 0xC00
            assert await nic.read(PUSH_FAILED) == 0 and await nic.read(IRQ_STATUS) == 0
    # Three cycles an access, the limits being 5, 5 and 40; nobody waits for a queue.
    assert await nic.read(SELFTEST_CYCLES) == 23 << 16 | 3 << 8 | 3
    given = await nic.give_buffers(40)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    frame = nic.rng.randbytes(77)
    nic.to_receive.append((frame, 0))
    await nic.until(lambda: len(nic.sent) == 1)
    assert nic.sent[0][:2] == (frame, False), "and the NIC works as ever"
    await nic.check_all_pointers(given)


@cocotb.test()
async def it_refuses_to_start_while_the_nic_is_in_use(dut) -> None:
    nic = await started(dut)
    await nic.write(SELFTEST_BASE, BASE)
    await nic.write(SELFTEST_BYTES, 0x100)

    async def refused(why: str) -> None:
        for test in (REGISTERS, QUEUES, SEQUENCE, MEMORY):
            accesses = nic.accesses
            assert await run(nic, test) == REFUSED, why
            assert nic.accesses == accesses, why

    for queue in (*RXQ, *TXQ, FREEQ):
        await nic.write(queue, BASE)
        await refused(f"a pointer in queue {queue}")
        assert await nic.read(queue) == BASE
    await nic.write(CONTROL, NIC_ENABLE)
    await refused("enabled")
    await nic.write(FREEQ, BASE)
    await nic.until(lambda: int(dut.dut.rx_status.value) & 0xFF == 1)
    await refused("an engine holds a pointer")
    await nic.write(CONTROL, 0)
    await nic.clocks(20)
    assert await nic.read(HELD) == 0 and await nic.read(FREEQ) == BASE
    assert await nic.read(LOCK) == 1
    await refused("the processor has the lock")
    await nic.write(LOCK, 1)
    assert await run(nic, QUEUES) == DONE
    assert await run(nic, 5) == REFUSED, "there is no such test"
    assert await run(nic, 0) == 0


@cocotb.test()
async def engines_stand_still_while_it_runs_even_when_they_are_enabled(dut) -> None:
    """Else the receive engine would fetch a pattern as a buffer, and write a frame to wherever it points."""
    nic = await started(dut)
    frame = nic.rng.randbytes(100)
    nic.to_receive.append((frame, 0))
    await nic.write(QUEUE_DEPTH, 5)
    await nic.write(SERVERS, 1)
    await nic.write(SELFTEST, QUEUES)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    while (status := await nic.read(SELFTEST_STATUS)) & BUSY:
        assert await nic.read(HELD) == 0
    assert status == DONE and nic.accesses == 0
    await nic.write(FREEQ, BASE)
    await nic.until(lambda: len(nic.sent) == 1)
    assert nic.sent[0][0] == frame, "the frame waited"


@cocotb.test()
async def the_processor_gets_no_lock_while_it_runs_and_takes_none_from_it(dut) -> None:
    nic = await started(dut)
    await nic.write(QUEUE_DEPTH, 5)
    for test in (QUEUES, SEQUENCE):
        await nic.write(SELFTEST, test)
        while (status := await nic.read(SELFTEST_STATUS)) & BUSY:
            granted = await nic.read(LOCK)
            assert not granted or not await nic.read(SELFTEST_STATUS) & BUSY, "granted under the test's feet"
            if granted:
                await nic.write(LOCK, 1)
        assert status & 15 == DONE, "the test did not notice"
        assert await nic.read(LOCK) == 1
        await nic.write(LOCK, 1)


@cocotb.test()
async def a_pointer_that_comes_between_is_found_and_thrown_out(dut) -> None:
    """The processor's push into a queue under test: a failure that is reported, and the queues are empty after it."""
    nic = await started(dut)
    await nic.write(SELFTEST, QUEUES)
    for _ in range(3):
        await nic.write(TXQ[3], BASE)
    while (status := await nic.read(SELFTEST_STATUS)) & BUSY:
        pass
    assert status & 15 == DONE | FAILED
    assert await nic.read(STATUS) == 0xC00
    for queue in (*RXQ, *TXQ, FREEQ):
        assert await nic.read(queue) == EMPTY


@cocotb.test()
async def a_stuck_bit_in_a_queue_is_found(dut) -> None:
    """In one receive queue, one transmit queue and the free one: in each of them, test_nic_selftest.py."""
    nic = await started(dut)
    for number, queue in list(enumerate(dut.dut.g_queues.u_queues.g_queue))[::4]:
        place, bit, value = nic.rng.randrange(64), nic.rng.randrange(29), nic.rng.randrange(2)
        cell = queue.g_there.u_queue.mem[place]

        async def stick(cell=cell, bit=bit, value=value) -> None:
            while True:
                await RisingEdge(dut.nic_clk)
                now = int(cell.value)
                wanted = now & ~(1 << bit) | value << bit
                if now != wanted:
                    cell.value = wanted

        task = cocotb.start_soon(stick())
        assert await run(nic, QUEUES) & 15 == DONE | FAILED, (number, place, bit, value)
        status = await nic.read(SELFTEST_STATUS)
        assert status >> 16 & 15 == number
        assert await nic.read(SELFTEST_EXPECTED) ^ await nic.read(SELFTEST_GOT) == 8 << bit
        assert await nic.read(STATUS) == 0xC00, "empty and unlocked"
        task.cancel()
        await nic.clocks(2)
        assert await run(nic, QUEUES) == DONE


@cocotb.test()
async def a_broken_memory_is_found(dut) -> None:
    nic = await started(dut)
    size = 0x1000
    await nic.write(SELFTEST_BASE, BASE)
    await nic.write(SELFTEST_BYTES, size)
    inside = nic.fails
    for _ in range(2):
        offset = nic.rng.randrange(0, size, 8)
        nic.fails = lambda address, read, bad=BASE + offset: inside(address, read) or (address == bad and read)
        assert await run(nic, MEMORY) & 31 == DONE | FAILED | GOT_ERR
        assert await nic.read(SELFTEST_ADDRESS) & ~7 == BASE + offset
    nic.fails = lambda address, read: False
    assert await run(nic, MEMORY) & 31 == DONE | FAILED, "outside of memory there must be an error"
    nic.fails = inside
    nic.memory_stall = 0.5
    nic.latency = lambda: nic.rng.randrange(1, 60)
    assert await run(nic, MEMORY) == DONE


def test_nic_selftest_inside() -> None:
    run_bench("nic_tb", inside=True, extra_sources=(SUPPORT / "nic_tb.sv",))
