# SPDX-License-Identifier: Apache-2.0
"""The NIC with offloads: what a control word says of a frame's sums and may ask for, and buffers that are kept.

What sums there are, in frames of every shape: test_nic_sums.py.
"""

import cocotb
import pytest
from bench import SUPPORT, run_bench
from cocotb.triggers import RisingEdge
from datagrams import any_frame, exact, inserted, status
from nic_bench import (
    BASE,
    CONTROL,
    EMPTY,
    FREEQ,
    HELD,
    IRQ_STATUS,
    MAC_ENABLE,
    NIC_ENABLE,
    NIC_LOOPBACK,
    RESET,
    RXQ,
    SERVERS,
    STATUS,
    STRIDE,
    TX_KEPT,
    TX_SUM_UNFIT,
    TXQ,
    Nic,
)
from scapy.layers.inet import TCP, UDP
from test_nic_tx_early import LINE_TICK_PS, NIC_PS, STEADY, STEADY_BYTES, Ticks

pytestmark = pytest.mark.slow

STAMP, IP_SUM, L4_SUM, KEEP = 1, 2, 4, 8
TX_DONE, ERROR = 0x100, 0x200
OTHER = 0x4000_0000


async def started(dut) -> Nic:
    nic = Nic(dut)
    await nic.start()
    await nic.write(SERVERS, 0xF)
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
    return nic


def put(nic: Nic, pointer: int, frame: bytes, request: int, length: int | None = None, tag: int = 0) -> None:
    """A frame to transmit, byte 4 of whose control word asks for something."""
    size = len(frame) if length is None else length
    nic.store(pointer, (tag << 48 | request << 24 | size).to_bytes(8, "big"))
    nic.store(pointer + 18, frame)


async def send(nic: Nic, pointer: int, frame: bytes, request: int, server: int = 0, **more: int) -> None:
    put(nic, pointer, frame, request, **more)
    assert await nic.write(TXQ[server], pointer) == 0


async def error_stands(nic: Nic) -> bool:
    stands = bool(await nic.read(IRQ_STATUS) & ERROR)
    await nic.write(IRQ_STATUS, ERROR)
    return stands


# ---- Receive ---------------------------------------------------------------------------------------------------------


@cocotb.test()
async def the_control_word_says_what_is_right_and_wrong(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(8)
    frames = [any_frame(nic.rng) for _ in range(150)]
    frames += [nic.rng.randbytes(length) for length in range(1, 18)]
    frames += [frame for length in (34, 41, 42, 60, 63, 64, 65, 66) for frame in
               (exact(UDP, length, rng=nic.rng), exact(TCP, length, tagged=True, rng=nic.rng))]  # fmt: skip
    nic.rng.shuffle(frames)
    nic.latency = lambda: nic.rng.choice((3, 5, 20))
    seen = []
    for part in range(0, len(frames), 8):
        nic.rx_stall, nic.memory_stall = nic.rng.choice(((0.0, 0.0), (0.0, 0.0), (0.3, 0.0), (0.0, 0.4), (0.2, 0.2)))
        batch = frames[part : part + 8]
        nic.to_receive.extend((frame, 0) for frame in batch)
        for index in range(len(batch)):
            server = index % 4 if part == 0 else (part + index) % 4
            while (pointer := await nic.read(RXQ[server])) == EMPTY:
                pass
            word = nic.load(pointer, 8)
            seen.append((nic.load(pointer + 18, int.from_bytes(word[6:8], "big")), word[2]))
            assert word[0:2] == b"\0\0" and word[4:6] == b"\0\0" and word[3] == server
            assert await nic.write(FREEQ, pointer) == 0
    assert seen == [(frame, status(frame)) for frame in frames]
    assert len({verdict for _, verdict in seen}) >= 5
    await nic.check_all_pointers(given)


@cocotb.test()
async def no_cycle_is_added_to_a_received_frame(dut) -> None:
    """n bytes take 3 + (n + 2) / 8 cycles, rounded up, as without: nic_rx_engine's header."""
    nic = await started(dut)
    given = await nic.give_buffers(16)
    nic.latency = lambda: 3
    for length in (62, 126, 254, 510, 1022, 1510, 1514):  # most end with a dword: nothing is between it and the stamp
        frames = [exact(UDP, length, rng=nic.rng) for _ in range(4)]
        begin = len(nic.rx_started)
        nic.to_receive.extend((frame, 0) for frame in frames)
        await nic.until(lambda begin=begin: len(nic.rx_ended) == begin + 4)
        taken = nic.rx_ended[-1] - nic.rx_ended[-2]
        for server in range(4):
            while (pointer := await nic.read(RXQ[server])) == EMPTY:
                pass
            assert nic.load(pointer, 8)[2] == 2 | 8
            assert await nic.write(FREEQ, pointer) == 0
        assert taken == 3 + (length + 9) // 8, length
    await nic.check_all_pointers(given)


# ---- Transmit --------------------------------------------------------------------------------------------------------


@cocotb.test()
async def sums_are_put_in_where_they_are_asked_for_in_order(dut) -> None:
    nic = await started(dut)
    given = [BASE + i * STRIDE for i in range(32)]
    expected, unfit, stamped = [], 0, []
    nic.latency = lambda: nic.rng.choice((3, 5, 30))
    free = list(given)
    for _ in range(160):
        nic.memory_stall, nic.tx_stall = nic.rng.choice(((0.0, 0.0), (0.3, 0.0), (0.0, 0.3)))
        if not free:
            await nic.until_idle()
            while (pointer := await nic.read(FREEQ)) != EMPTY:
                free.append(pointer)
        frame = any_frame(nic.rng)
        request = nic.rng.choice((0, IP_SUM, L4_SUM, IP_SUM | L4_SUM, IP_SUM | L4_SUM))
        result = inserted(frame, bool(request & IP_SUM), bool(request & L4_SUM))
        unfit += result is None
        expected.append(frame if result is None else result)
        if nic.rng.random() < 0.05:
            request |= STAMP
            stamped.append(expected[-1])
        await send(nic, free.pop(), frame, request)
    await nic.until(lambda: len(nic.sent) == len(expected))
    assert [frame for frame, aborted, _ in nic.sent if not aborted] == expected
    assert await nic.read(TX_SUM_UNFIT) == unfit > 0 and await error_stands(nic)
    assert nic.asked == stamped
    assert await nic.read(TX_KEPT) == 0
    await nic.until_idle()
    for pointer in free:
        assert await nic.write(FREEQ, pointer) == 0
    await nic.check_all_pointers(given)


@cocotb.test()
async def frames_that_ask_are_sent_at_line_rate(dut) -> None:
    nic = await started(dut)
    nic.latency = lambda: 40
    pointers = [BASE + i * STRIDE for i in range(12)]
    for length in (60, 64, 1514):
        first = len(nic.sent)
        for pointer in pointers:
            put(nic, pointer, exact(TCP, length, rng=nic.rng), IP_SUM | L4_SUM)
        for pointer in pointers:
            assert await nic.write(TXQ[0], pointer) == 0
        await nic.until(lambda first=first: len(nic.sent) == first + 12)
        cycles = (nic.sent[-1][2] - nic.sent[first + 2][2]) / 9
        dut._log.info("%d bytes that ask for sums: a frame in %.1f cycles, of %d", length, cycles, length + 24)
        assert cycles <= length + 24


@cocotb.test()
async def a_frame_that_asks_makes_no_promise_and_breaks_none(dut) -> None:
    nic = await started(dut)
    nic.latency = lambda: 22
    Ticks(dut.line_tick, LINE_TICK_PS)
    Ticks(dut.memory_tick, round(8e6 / 80))
    await nic.clocks(3 * 4 * LINE_TICK_PS // NIC_PS)
    requests = [0, 0, L4_SUM, 0, IP_SUM | L4_SUM, IP_SUM, 0, KEEP, 0, L4_SUM, 0]
    frames = [exact(UDP, nic.rng.choice((60, 79, 300, 1514)), rng=nic.rng) for _ in requests]
    times: list[int] = []
    nic.promised.clear()
    nic.sent.clear()
    for index, (frame, request) in enumerate(zip(frames, requests, strict=True)):
        await send(nic, STEADY + STRIDE * index, frame, request)
    while len(nic.promised) < len(frames):
        await RisingEdge(dut.nic_clk)
        if dut.tx_frame_valid.value and dut.tx_frame_ready.value:
            times.append(nic.cycle)
            if int(dut.tx_frame.value) >> 72:
                late = [t - times[0] - (8 * k + 4 - 3) for k, t in enumerate(times)][1:]
                assert not dut.tx_frame_steady.value or max(late, default=0) <= 0
                times = []
    assert nic.promised == [not request & (IP_SUM | L4_SUM) for request in requests]
    assert [frame for frame, _, _ in nic.sent] == frames


# ---- Buffers that are kept -------------------------------------------------------------------------------------------


@cocotb.test()
async def a_kept_buffer_is_the_processors_and_counted(dut) -> None:
    nic = await started(dut)
    pointers = [BASE + i * STRIDE for i in range(4)]
    frame = exact(UDP, 100, rng=nic.rng)
    for count, (pointer, request) in enumerate(zip(pointers, (KEEP, KEEP | L4_SUM, KEEP | STAMP, KEEP | IP_SUM),
                                                   strict=True)):  # fmt: skip
        await nic.write(IRQ_STATUS, TX_DONE)
        await send(nic, pointer, frame, request, tag=7)
        await nic.until(lambda count=count: len(nic.sent) == count + 1)
        await nic.clocks(6)
        assert await nic.read(TX_KEPT) == count + 1
        assert await nic.read(HELD) == 0 and await nic.read(FREEQ) == EMPTY
        assert await nic.read(IRQ_STATUS) & TX_DONE
    # Not sent, and kept all the same.
    await send(nic, BASE, frame, KEEP, length=13)
    await nic.until_idle()
    assert await nic.read(TX_KEPT) == 5 and (await nic.counters())["tx_drop_bad_length"] == 1
    # Nobody can say what an unreadable control word asks.
    nic.fails = lambda address, read: read and address == BASE
    await send(nic, BASE, frame, KEEP)
    await nic.until_idle()
    assert await nic.read(TX_KEPT) == 5 and (await nic.counters())["tx_drop_memory_error"] == 1
    assert await nic.read(HELD) == 1, "the receive engine has fetched it from the free queue"
    # Aborted: it has been with the MAC.
    nic.fails = lambda address, read: read and address == BASE + 64
    await send(nic, BASE, frame, KEEP | L4_SUM)
    await nic.until_idle()
    assert nic.sent[-1][1] and await nic.read(TX_KEPT) == 6 and await nic.read(TX_SUM_UNFIT) == 0
    assert await nic.read(FREEQ) == EMPTY
    await nic.write(RESET, 1)
    while await nic.read(RESET):
        pass
    assert await nic.read(TX_KEPT) == 0


@cocotb.test()
async def kept_and_other_buffers_are_each_in_one_place(dut) -> None:
    """Random requests and shortages, bad lengths, unreadable words; a_no_pointer_lost looks on in every cycle."""
    nic = await started(dut)
    rng = nic.rng
    unreadable: set[int] = set()
    nic.fails = lambda address, read: read and address in unreadable
    nic.latency = lambda: rng.choice((3, 10, 40))
    given = {BASE + i * STRIDE for i in range(20)}
    mine, kept_due, kept_seen = sorted(given), [], 0
    returned_due: set[int] = set()
    for _ in range(1000):
        nic.memory_stall, nic.tx_stall = rng.choice(((0.0, 0.0), (0.4, 0.0), (0.0, 0.5)))
        if mine and rng.random() < 0.6:
            pointer = mine.pop(rng.randrange(len(mine)))
            frame = any_frame(rng)
            request = rng.randrange(16) & ~STAMP
            unreadable.discard(pointer)
            if rng.random() < 0.1:
                unreadable.add(pointer)
            keeps = request & KEEP and pointer not in unreadable
            length = rng.choice((0, 13, 1519)) if rng.random() < 0.1 else None
            await send(nic, pointer, frame, request, server=0, length=length)
            if keeps:
                kept_due.append(pointer)
            else:
                returned_due.add(pointer)
        for _ in range(await nic.read(TX_KEPT) - kept_seen):  # in the order of the queue
            mine.append(kept_due.pop(0))
            kept_seen += 1
        pointer = await nic.read(FREEQ)
        if pointer != EMPTY:
            returned_due.remove(pointer)
            mine.append(pointer)
    await nic.until_idle()
    assert await nic.read(TX_KEPT) == kept_seen + len(kept_due)
    mine += kept_due
    found = await nic.collect_pointers()
    assert set(found.pop("freeq")) == returned_due and not any(found.values())
    assert sorted([*mine, *returned_due]) == sorted(given)
    assert kept_seen > 20


@cocotb.test()
async def a_reset_leaves_nothing_behind(dut) -> None:
    """In any state of a frame that asks; the next one is right, and all buffers are the processor's."""
    nic = await started(dut)
    frame = exact(TCP, 300, rng=nic.rng)
    wrong = bytearray(frame)
    wrong[50:52] = b"\x12\x34"
    nic.latency = lambda: 3
    for cycles in (1, 20, 40, 60, 70, 75, 80, 81, 82, 83, 84, 85, 90, 110):
        await send(nic, BASE, bytes(wrong), KEEP | IP_SUM | L4_SUM)
        await nic.clocks(cycles)
        await nic.write(RESET, 1)
        while await nic.read(RESET):
            pass
        assert await nic.read(HELD) == 0 and await nic.read(STATUS) & 0xC00 == 0xC00 and await nic.read(TX_KEPT) == 0
        await nic.clocks(4)
        await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
        nic.sent.clear()
        await send(nic, BASE, bytes(wrong), KEEP | IP_SUM | L4_SUM)
        await nic.until(lambda: len(nic.sent) == 1)
        assert nic.sent[0][0] == frame
        await nic.until_idle()
        assert await nic.read(TX_KEPT) == 1


@cocotb.test()
async def looped_frames_ask_for_nothing(dut) -> None:
    """What receive says of a frame is in bits that transmit does not look at."""
    nic = await started(dut)
    given = await nic.give_buffers(8)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    frames = [any_frame(nic.rng) for _ in range(20)]
    nic.to_receive.extend((frame, 0) for frame in frames)
    await nic.until(lambda: len(nic.sent) == len(frames))
    assert sorted(frame for frame, _, _ in nic.sent) == sorted(frames)
    assert await nic.read(TX_KEPT) == 0 == await nic.read(TX_SUM_UNFIT)
    await nic.check_all_pointers(given)


def test_nic_offloads() -> None:
    run_bench(
        "nic_tb",
        {"OFFLOADS": 1, "STEADY_BASE": STEADY, "STEADY_BYTES": STEADY_BYTES},
        extra_sources=(SUPPORT / "nic_tb.sv",),
    )
