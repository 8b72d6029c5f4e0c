# SPDX-License-Identifier: Apache-2.0
"""The NIC's PTP time, transmit stamps and moderated interrupts, as the processor sees them.

Times are compared with the free-running counter and with integers in Python, stamps with what the model of the MAC
answered.
"""

import cocotb
from bench import SUPPORT, run_bench
from nic_bench import (
    CONTROL,
    FREE_COUNTER,
    FREEQ,
    IRQ_ENABLE,
    IRQ_MASK,
    IRQ_MODERATION,
    IRQ_STATUS,
    NIC_ENABLE,
    PTP_COMMAND,
    PTP_HIGH,
    PTP_INCREMENT,
    PTP_LOW,
    RXQ,
    SERVERS,
    STRIDE,
    TX_STAMP,
    TX_STAMP_HIGH,
    TX_STAMP_LOW,
    TXQ,
    Nic,
)

SET, STEP = 1, 2
VALID = 1 << 31
LAG = 2  # cycles by which the MAC's stamps are earlier than what they stand for (mac.sv)
WORD, LONG = 1 << 32, 1 << 64


async def started(dut) -> Nic:
    nic = Nic(dut)
    await nic.start()
    return nic


async def ptp(nic: Nic) -> int:
    low = await nic.read(PTP_LOW)
    return await nic.read(PTP_HIGH) << 32 | low


async def command(nic: Nic, value: int, what: int) -> None:
    await nic.write(PTP_LOW, value % WORD)
    await nic.write(PTP_HIGH, value % LONG >> 32)
    await nic.write(PTP_COMMAND, what)


# ---- Time ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def after_reset_the_time_is_eight_nanoseconds_a_cycle(dut) -> None:
    nic = await started(dut)
    for _ in range(20):
        counter = await nic.read(FREE_COUNTER)
        cycle = nic.cycle
        assert await nic.read(PTP_LOW) == 8 * (counter + nic.cycle - cycle)
        await nic.clocks(nic.rng.randrange(50))
    assert await nic.read(PTP_COMMAND) == 0


@cocotb.test()
async def both_words_belong_together_while_the_low_one_overflows(dut) -> None:
    nic = await started(dut)
    for high in (0, 1, 0x1234_5678, 0xFFFF_FFFF):
        begin = high << 32 | 0xFFFF_FF00
        await command(nic, begin, SET)
        await nic.clocks(1)
        first = cycle = None
        for _ in range(30):
            now = await ptp(nic)
            if first is None:
                first, cycle = now, nic.cycle
            assert (now - first) % LONG == 8 * (nic.cycle - cycle)
            await nic.clocks(nic.rng.randrange(3))
        assert (now - begin) % LONG > 0x100, "it did overflow"


@cocotb.test()
async def set_step_and_increment_are_exact_to_the_fraction(dut) -> None:
    nic = await started(dut)
    rng = nic.rng

    async def run(increment: int, value: int, step: int, waits: tuple[int, int]) -> int:
        """The time after the same number of cycles each time."""
        await nic.write(PTP_INCREMENT, increment)
        await command(nic, value, SET)
        await nic.clocks(waits[0])
        await command(nic, step, STEP)
        await nic.clocks(waits[1])
        return await ptp(nic)

    for _ in range(30):
        waits = rng.randrange(1, 40), rng.randrange(1, 400)
        cycles = await run(1 << 28, 0, 0, waits)  # a nanosecond a cycle: so many cycles
        increment, value = rng.getrandbits(32), rng.getrandbits(64)
        step = rng.choice([rng.getrandbits(64), -rng.randrange(1000), rng.randrange(1000)])
        expected = ((value + step << 28) + cycles * increment >> 28) % LONG
        assert await run(increment, value, step, waits) == expected


@cocotb.test()
async def what_is_written_waits_for_its_command_and_set_goes_first(dut) -> None:
    nic = await started(dut)
    await nic.write(PTP_HIGH, 7)
    await nic.write(PTP_LOW, 9)
    assert await ptp(nic) < 10_000
    await nic.write(PTP_COMMAND, 0)
    assert await ptp(nic) < 10_000
    assert (await nic.access(PTP_COMMAND, SET, 0x1))[0] == 1
    assert await ptp(nic) < 10_000, "a partial write sets nothing"
    await nic.write(PTP_COMMAND, SET | STEP)
    assert 0 <= await ptp(nic) - (7 << 32 | 9) < 200


# ---- Transmit stamps -------------------------------------------------------------------------------------------------


async def send(nic: Nic, tag: int | None, length: int = 80, queue: int = 0) -> bytes:
    data = nic.rng.randbytes(length)
    pointer = await nic.read(FREEQ)
    assert pointer != 1, "no free buffer"
    nic.put_frame(pointer, data, tag=tag)
    await nic.write(TXQ[queue], pointer)
    return data


def at(stamp: int) -> int:
    """The PTP time of a stamp when nothing was set; one from before the reset is negative."""
    return 8 * (stamp - (stamp >> 31 << 32) + LAG) % LONG


async def take(nic: Nic) -> tuple[int, int] | None:
    """Tag and time of the next stamp."""
    word = await nic.read(TX_STAMP)
    if not word & VALID:
        assert word == 0
        return None
    assert word & ~(VALID | 0xFFFF) == 0
    low = await nic.read(TX_STAMP_LOW)
    return word & 0xFFFF, await nic.read(TX_STAMP_HIGH) << 32 | low


@cocotb.test()
async def only_frames_with_a_request_are_stamped_and_tags_belong_to_their_stamps(dut) -> None:
    nic = await started(dut)
    nic.stamp_delay = lambda: nic.rng.choice([9, 100, 700])
    given = await nic.give_buffers(30)
    await nic.write(CONTROL, NIC_ENABLE)
    tags, asked = [], []
    for i in range(28):
        tag = nic.rng.getrandbits(16) if i % 2 else None
        data = await send(nic, tag, nic.rng.randrange(14, 200))
        if tag is not None:
            tags.append(tag)
            asked.append(data)
    await nic.until(lambda: len(nic.stamps) == 14)
    await nic.clocks(10)
    assert nic.asked == asked and len(nic.sent) == 28
    assert [await take(nic) for _ in tags] == [(tag, at(stamp)) for tag, stamp in zip(tags, nic.stamps, strict=True)]
    last = await nic.read(TX_STAMP_LOW)
    assert await take(nic) is None and await nic.read(TX_STAMP_LOW) == last, "the last one's time stays"
    assert (await nic.counters())["tx_stamp_lost"] == 0
    await nic.check_all_pointers(given)


@cocotb.test()
async def what_is_set_later_applies_to_older_stamps_too(dut) -> None:
    nic = await started(dut)
    await nic.give_buffers(4)
    await nic.write(CONTROL, NIC_ENABLE)
    for increment, offset in ((8 << 28, 0x1234_5678_9ABC_DEF0), (0x8123_4567, -5_000_000), (0x7EDC_BA98, 1 << 33)):
        nic.stamp_delay = lambda: 400
        asked = len(nic.stamps)
        await send(nic, 0xBEEF)
        await nic.until_idle()
        assert len(nic.stamps) == asked, "the stamp is still to come"
        await nic.write(PTP_INCREMENT, increment)
        await command(nic, offset, SET)
        # From here on the time is base + (cycles of the counter) * increment.
        await nic.clocks(5)
        samples = []
        for _ in range(2):
            counter = await nic.read(FREE_COUNTER)
            cycle = nic.cycle
            low = await nic.read(PTP_LOW)
            samples.append((counter + nic.cycle - cycle, await nic.read(PTP_HIGH) << 32 | low))
        await nic.until(lambda asked=asked: len(nic.stamps) > asked)
        await nic.clocks(10)
        stamp = nic.stamps[-1]
        tag, time = await take(nic)
        assert tag == 0xBEEF
        for counter, now in samples:
            expected = (now << 28) - (counter - stamp - LAG) * increment >> 28  # of a time that is cut to nanoseconds
            assert (time - expected) % LONG in (0, 1)


@cocotb.test()
async def an_aborted_frame_leaves_no_tag_behind(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(12)
    failing = set()
    nic.fails = lambda address, read: read and address in failing
    expected = []
    for tag in range(12):
        pointer = await nic.read(FREEQ)
        nic.put_frame(pointer, nic.rng.randbytes(100), 13 if tag == 7 else None, tag=tag)
        if tag % 3 == 1:
            failing.add(pointer + 40)  # a later dword: the MAC gets it, aborted
        elif tag == 6:
            failing.add(pointer)  # the control word itself
        elif tag != 7:
            expected.append(tag)
        await nic.write(TXQ[0], pointer)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.until(lambda: len(nic.stamps) == len(expected))
    assert nic.asked_aborted == 3
    await nic.clocks(10)
    got = [await take(nic) for _ in expected]
    assert got == [(tag, at(stamp)) for tag, stamp in zip(expected, nic.stamps, strict=True)]
    assert await take(nic) is None
    nic.stamp_delay = lambda: 3000  # and no place: 16 more are granted
    nic.fails = lambda address, read: False
    for tag in range(17):
        await send(nic, tag, queue=1)
        await nic.until_idle()
        if tag == 7:
            nic.fails = lambda address, read: read and address % 8 == 0 and address % STRIDE == 40
        elif tag == 8:
            nic.fails = lambda address, read: False
    assert len(nic.asked) == len(expected) + 16 and nic.asked_aborted == 4
    assert (await nic.counters())["tx_stamp_lost"] == 0
    nic.fails = lambda address, read: read and address % STRIDE == 40
    await send(nic, 17)  # no place any more, and it never leaves: no stamp of it is lost
    await nic.until_idle()
    assert nic.sent[-1][1] and (await nic.counters())["tx_stamp_lost"] == 0
    nic.fails = lambda address, read: False
    await send(nic, 18)
    await nic.until_idle()
    assert (await nic.counters())["tx_stamp_lost"] == 1
    await nic.check_all_pointers(given)


@cocotb.test()
async def no_more_than_16_are_outstanding_or_unread_and_frames_go_out_without(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(24)
    nic.stamp_delay = lambda: 3000
    await nic.write(CONTROL, NIC_ENABLE)
    for tag in range(20):
        await send(nic, tag)
    await nic.until_idle()
    assert len(nic.sent) == 20 and len(nic.asked) == 16
    assert (await nic.counters())["tx_stamp_lost"] == 4
    assert await nic.read(IRQ_STATUS) & 0x200
    await nic.until(lambda: len(nic.stamps) == 16)
    await send(nic, 100)
    await nic.until_idle()
    assert (await nic.counters())["tx_stamp_lost"] == 5, "unread ones count, too"
    assert (await take(nic))[0] == 0
    nic.stamp_delay = lambda: 20
    await send(nic, 101)
    await nic.until(lambda: len(nic.stamps) == 17)
    await nic.clocks(10)
    assert [(await take(nic))[0] for _ in range(16)] == [*range(1, 16), 101]
    assert await take(nic) is None
    await nic.check_all_pointers(given)


@cocotb.test()
async def random_requests_with_faults_pair_right(dut) -> None:
    nic = await started(dut)
    rng = nic.rng
    faults, takes = 0.0, 0.5
    nic.fails = lambda address, read: rng.random() < faults
    nic.latency = lambda: rng.choice([1, 3, 20])
    nic.stamp_delay = lambda: rng.choice([1, 5, 60, 900])
    given = await nic.give_buffers(20)
    await nic.write(CONTROL, NIC_ENABLE)
    tags: dict[bytes, int] = {}
    got: list[tuple[int, int]] = []
    for step in range(3000):
        if step % 500 == 0:
            nic.memory_stall, nic.tx_stall = rng.choice([0.0, 0.4]), rng.choice([0.0, 0.6])
            faults, takes = rng.choice([0.0, 0.02]), 0.5 if step % 1000 else 0.0  # they pile up, and are taken
        if (pointer := await nic.read(FREEQ)) != 1:
            data, tag = rng.randbytes(rng.randrange(20, 300)), rng.choice([None, rng.getrandbits(16)])
            nic.put_frame(pointer, data, tag=tag)
            if tag is not None:
                tags[data] = tag
            await nic.write(rng.choice(TXQ), pointer)
        if rng.random() < takes and (stamp := await take(nic)):
            got.append(stamp)
    faults = 0.0
    await nic.until_idle()
    await nic.until(lambda: len(nic.stamps) == len(nic.asked))
    await nic.clocks(10)
    while stamp := await take(nic):
        got.append(stamp)
    assert got == [(tags[data], at(stamp)) for data, stamp in zip(nic.asked, nic.stamps, strict=True)]
    assert nic.asked_aborted and (await nic.counters())["tx_stamp_lost"]
    await nic.check_all_pointers(given)


# ---- Interrupts ------------------------------------------------------------------------------------------------------


async def receive(nic: Nic, count: int) -> None:
    ended = len(nic.rx_ended) + count
    nic.to_receive.extend((bytes(60), 0) for _ in range(count))
    await nic.until(lambda: len(nic.rx_ended) == ended)
    await nic.clocks(60)


@cocotb.test()
async def moderation_waits_for_frames_or_for_time(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(8)
    await nic.write(SERVERS, 0b0011)
    await nic.write(IRQ_MASK, 0x003)
    await nic.write(IRQ_MODERATION, 1000 << 8 | 4)
    await nic.write(CONTROL, NIC_ENABLE | IRQ_ENABLE)
    for _ in range(2):
        await receive(nic, 3)
        assert not dut.irq.value
        await receive(nic, 1)
        assert dut.irq.value, "the fourth"
        for server in (0, 1):
            for _ in range(2):
                assert dut.irq.value
                await nic.write(FREEQ, await nic.read(RXQ[server]))
        await nic.clocks(2)
        assert not dut.irq.value
        await receive(nic, 1)
        await nic.until(lambda: dut.irq.value)
        assert 1000 <= nic.cycle - nic.rx_ended[-1] < 1030
        pointers = [await nic.read(RXQ[server]) for server in (0, 1)]
        await nic.clocks(2)
        assert not dut.irq.value
        for pointer in pointers:
            if pointer != 1:
                await nic.write(FREEQ, pointer)
    await nic.check_all_pointers(given)


@cocotb.test()
async def transmitted_frames_are_moderated_too(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(8)
    await nic.write(IRQ_MASK, 0x100)
    await nic.write(IRQ_MODERATION, 0xFF_FFFF << 8 | 3)
    await nic.write(CONTROL, NIC_ENABLE | IRQ_ENABLE)
    for count in (2, 1):
        assert not dut.irq.value
        for _ in range(count):
            await send(nic, None)
        await nic.until_idle()
        await nic.clocks(10)
    assert dut.irq.value
    await nic.write(IRQ_STATUS, 0x100)
    await nic.clocks(2)
    assert not dut.irq.value
    await nic.check_all_pointers(given)


def test_nic_time() -> None:
    run_bench("nic_tb", extra_sources=(SUPPORT / "nic_tb.sv",))
