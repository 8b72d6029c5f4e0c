# SPDX-License-Identifier: Apache-2.0
"""The NIC whole: every register, and frames through both engines with stalls, faults, full and empty queues.

What a register is expected to be comes from regs/nic.rdl (nsoc.machine.regs); what a buffer looks like from the design.
"""

import random
import sys
from collections import Counter

import cocotb
from bench import ROOT, SUPPORT, run_bench
from cocotb.triggers import RisingEdge
from nic_bench import (
    BASE,
    BUFFER_SIZE,
    CAPABILITY,
    CONTROL,
    EMPTY,
    FREE_COUNTER,
    FREEQ,
    FULL,
    HELD,
    IRQ_ENABLE,
    IRQ_MASK,
    IRQ_STATUS,
    LOCK,
    MAC_ADDRESS,
    MAC_CONTROL,
    MAC_ENABLE,
    MAC_LOOPBACK,
    MAX_FRAME,
    MULTICAST_HASH,
    NIC_ENABLE,
    NIC_LOOPBACK,
    NOT_OWNED,
    OF_OFFLOADS,
    PTP_COMMAND,
    PTP_HIGH,
    PTP_LOW,
    PUSH_FAILED,
    QUEUE_BASE,
    QUEUE_DEPTH,
    QUEUE_ERRORS,
    QUEUE_SETUP,
    RESET,
    RXQ,
    SELFTEST,
    SERVERS,
    STAT,
    STATUS,
    STRIDE,
    TIME_HIGH,
    TX_STAMP,
    TXQ,
    Nic,
)
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

sys.path.insert(0, str(ROOT / "src"))

from nsoc.machine import regs

REGISTERS = regs.BLOCKS["nic"].registers
ABSENT = {*QUEUE_BASE, QUEUE_SETUP, QUEUE_ERRORS, *OF_OFFLOADS}  # the first are a NIC_1.1's
BY_ID = {r.id: r for r in REGISTERS.values() if r.id not in ABSENT}
QUEUES = [*RXQ, *TXQ, FREEQ]
READ_ACTS = {*QUEUES, LOCK, TX_STAMP}  # a read of these does something
OF_A_RANGE = {QUEUE_DEPTH, BUFFER_SIZE, MAX_FRAME}
RUNNING = {FREE_COUNTER, PTP_LOW}  # they change by themselves


async def started(dut) -> Nic:
    nic = Nic(dut)
    await nic.start()
    return nic


def _mask(register: regs.Register, access: str) -> int:
    return sum(((1 << f.width) - 1) << f.lsb for f in register.fields if f.access == access)


# ---- Registers -------------------------------------------------------------------------------------------------------


@cocotb.test()
async def every_register_has_its_reset_value_and_every_other_id_is_an_error(dut) -> None:
    nic = await started(dut)
    special = dict.fromkeys(RUNNING) | {LOCK: 1, CAPABILITY: 0x64E} | dict.fromkeys(QUEUES, EMPTY)
    for register in range(256):
        err, data, _ = await nic.access(register)
        if register not in BY_ID:
            assert (err, data) == (1, 0), f"ID {register} does not exist"
            assert (await nic.access(register, 0xFFFF_FFFF))[:2] == (1, 0), f"ID {register} does not exist"
            continue
        assert not err, BY_ID[register].name
        expected = special.get(register, BY_ID[register].reset)
        assert expected is None or data == expected, BY_ID[register].name
        if register == LOCK:
            await nic.write(LOCK, 1)


@cocotb.test()
async def writable_bits_hold_what_is_written_and_others_read_zero(dut) -> None:
    nic = await started(dut)
    for register in BY_ID.values():
        if register.id in READ_ACTS | OF_A_RANGE | {PTP_LOW, PTP_HIGH, PTP_COMMAND, SELFTEST, RESET}:
            continue
        if register.access == "ro":
            before = await nic.read(register.id)
            assert (await nic.access(register.id, 0xFFFF_FFFF))[0] == 1, f"{register.name} is read-only"
            assert register.id in RUNNING or await nic.read(register.id) == before
        elif register.access == "rw":
            mask = _mask(register, "rw")
            for value in (0xFFFF_FFFF, 0, nic.rng.getrandbits(32), 0xA5A5_5A5A):
                await nic.write(register.id, value)
                assert await nic.read(register.id) == value & mask, register.name
            await nic.write(register.id, 0)


@cocotb.test()
async def values_out_of_range_are_errors_and_change_nothing(dut) -> None:
    nic = await started(dut)
    for register, good, bad in (
        (QUEUE_DEPTH, (1, 2, 63, 64), (0, 65, 127, 128, 0x8000_0001)),
        (BUFFER_SIZE, (128, 136, 2048, 65528), (0, 64, 120, 129, 2047, 65536, 0x1_0080)),
        (MAX_FRAME, (64, 1518, 2000, 2034), (0, 63, 2035, 2048, 0x840, 0x8000_0040)),
    ):
        for value in good:
            await nic.write(register, value)
            assert await nic.read(register) == value
            for wrong in bad:
                assert (await nic.access(register, wrong))[0] == 1
                assert await nic.read(register) == value


@cocotb.test()
async def partial_writes_and_partial_reads_of_queues_are_errors_and_do_nothing(dut) -> None:
    nic = await started(dut)
    for queue in QUEUES:
        assert await nic.write(queue, BASE) == 0
    for register in BY_ID.values():
        for mask in (0x0, 0x1, 0x8, 0xC, 0x7, 0xE):
            before = None if register.id in READ_ACTS | RUNNING else await nic.read(register.id)
            assert (await nic.access(register.id, 0xFFFF_FFF8, mask))[0] == 1, register.name
            assert before is None or await nic.read(register.id) == before, register.name
            err = (await nic.access(register.id, None, mask))[0]
            assert err == (register.id in READ_ACTS), register.name
    for queue in QUEUES:
        assert await nic.read(queue) == BASE and await nic.read(queue) == EMPTY
    assert await nic.read(LOCK) == 1, "a partial read took the lock"


@cocotb.test()
async def control_bits_reach_the_mac(dut) -> None:
    nic = await started(dut)
    for value, enable, loopback in ((MAC_ENABLE, 1, 0), (MAC_LOOPBACK, 0, 1), (0, 0, 0)):
        await nic.write(CONTROL, value)
        assert (int(dut.mac_enable.value), int(dut.mac_loopback.value)) == (enable, loopback)


@cocotb.test()
async def settings_reach_the_mac(dut) -> None:
    nic = await started(dut)
    # mac_settings_t, first member in the highest bits
    widths = {"max_frame": 11, "mac_address": 48, "multicast_hash": 64, "rx_store": 1, "broadcast": 1}
    widths |= {"promiscuous": 1, "tx_pause": 1, "rx_pause": 1, "mii": 1}
    for _ in range(20):
        expected = {name: nic.rng.getrandbits(width) for name, width in widths.items()}
        expected["max_frame"] = nic.rng.randrange(64, 2035)
        await nic.write(MAX_FRAME, expected["max_frame"])
        for i in range(2):
            await nic.write(MAC_ADDRESS[i], expected["mac_address"] >> 32 * i & 0xFFFF_FFFF)
            await nic.write(MULTICAST_HASH[i], expected["multicast_hash"] >> 32 * i & 0xFFFF_FFFF)
        bits = ("mii", "rx_pause", "tx_pause", "promiscuous", "broadcast", "rx_store")
        await nic.write(MAC_CONTROL, sum(expected[b] << i for i, b in enumerate(bits)))
        packed = 0
        for name, width in widths.items():
            packed = packed << width | expected[name]
        assert int(dut.mac_settings.value) == packed


@cocotb.test()
async def free_counter_counts_cycles_and_its_words_belong_together(dut) -> None:
    nic = await started(dut)
    low = await nic.read(FREE_COUNTER)
    cycle = nic.cycle
    await nic.clocks(100)
    assert await nic.read(FREE_COUNTER) - low == nic.cycle - cycle
    before = int(dut.time_now.value)
    assert await nic.read(TIME_HIGH) == 0
    assert int(dut.time_now.value) > before


@cocotb.test()
async def every_cause_has_its_counter(dut) -> None:
    nic = await started(dut)
    for name, bit in STAT.items():
        register = "packets_transmitted" if name == "tx_sent" else name
        before = await nic.counters()
        for _ in range(3):
            dut.stat.value = 1 << bit
            await RisingEdge(dut.nic_clk)
        dut.stat.value = 0
        after = await nic.counters()
        assert {n: after[n] - before[n] for n in after if after[n] != before[n]} == {register: 3}
        assert bool(await nic.read(IRQ_STATUS) & 0x200) == ("drop" in name), f"error bit after {name}"
        await nic.write(IRQ_STATUS, 0x200)


# ---- Queues as the processor sees them -------------------------------------------------------------------------------


@cocotb.test()
async def queues_keep_order_and_answer_full_and_empty(dut) -> None:
    nic = await started(dut)
    for depth in (64, 5):
        await nic.write(QUEUE_DEPTH, depth)
        for i, queue in enumerate(QUEUES):
            pointers = [nic.rng.getrandbits(29) << 3 for _ in range(depth)]
            for n, pointer in enumerate(pointers):
                assert await nic.write(queue, pointer) == 0
                assert await nic.read(queue + 1) == n + 1
            assert await nic.read(PUSH_FAILED) == 0
            assert await nic.write(queue, 0x8) == FULL
            assert await nic.read(PUSH_FAILED) == 1 << i, "one sticky bit, that of this queue"
            assert await nic.read(IRQ_STATUS) & 0x200
            await nic.write(PUSH_FAILED, 0x1FF & ~(1 << i))
            assert await nic.read(PUSH_FAILED) == 1 << i, "writing 0 leaves it"
            await nic.write(PUSH_FAILED, 1 << i)
            assert await nic.read(PUSH_FAILED) == 0
            assert [await nic.read(queue) for _ in pointers] == pointers
            assert await nic.read(queue) == EMPTY
            assert (await nic.access(queue + 1, 0))[0] == 1, "occupancy is read-only"


@cocotb.test()
async def unaligned_pointers_are_errors_and_not_pushed(dut) -> None:
    nic = await started(dut)
    for queue in QUEUES:
        for low in range(1, 8):
            assert (await nic.access(queue, BASE | low))[0] == 1
        assert await nic.read(queue + 1) == 0
    assert await nic.read(PUSH_FAILED) == 0


@cocotb.test()
async def a_smaller_depth_loses_no_pointer(dut) -> None:
    nic = await started(dut)
    for i in range(10):
        await nic.write(FREEQ, 8 * i)
    await nic.write(QUEUE_DEPTH, 4)
    for i in range(7):
        assert await nic.write(FREEQ, 0x1000) == FULL
        assert await nic.read(FREEQ) == 8 * i
    assert await nic.write(FREEQ, 0x1000) == 0
    assert [await nic.read(FREEQ) for _ in range(5)] == [56, 64, 72, 0x1000, EMPTY]


@cocotb.test()
async def lock_is_granted_once_until_released(dut) -> None:
    nic = await started(dut)
    assert await nic.write(LOCK, 1) == NOT_OWNED, "not held: nothing happens"
    assert await nic.read(PUSH_FAILED) == 0x200 and await nic.read(IRQ_STATUS) == 0x200
    await nic.write(PUSH_FAILED, 0x200)
    assert await nic.read(PUSH_FAILED) == 0
    assert await nic.read(LOCK) == 1
    assert await nic.read(LOCK) == 0
    assert await nic.read(STATUS) & 0x200
    await nic.write(LOCK, 0)
    assert await nic.read(LOCK) == 0, "writing 0 does not release"
    assert await nic.write(LOCK, 1) == 0
    assert await nic.read(PUSH_FAILED) == 0
    assert not await nic.read(STATUS) & 0x200
    assert await nic.read(LOCK) == 1


@cocotb.test()
async def engines_leave_a_locked_free_queue_alone(dut) -> None:
    nic = await started(dut)
    await nic.write(SERVERS, 1)
    assert await nic.read(LOCK) == 1
    given = await nic.give_buffers(4)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    data = nic.rng.randbytes(100)
    nic.to_receive.append((data, 0))
    await nic.clocks(200)
    assert await nic.read(FREEQ + 1) == 4 and not nic.sent
    await nic.write(LOCK, 1)
    await nic.until(lambda: len(nic.sent) == 1)
    await nic.until_idle()
    assert await nic.read(LOCK) == 1
    free = await nic.read(FREEQ + 1)
    nic.to_receive.append((data, 0))  # the engine has fetched its pointer before
    await nic.until(lambda: len(nic.sent) == 2)
    await nic.clocks(200)
    assert await nic.read(FREEQ + 1) == free, "the sent frame's buffer waits for the release"
    pointer = await nic.read(FREEQ)
    assert pointer != EMPTY and await nic.write(FREEQ, pointer) == 0, "the owner works on"
    await nic.write(LOCK, 1)
    await nic.until_idle()
    await nic.check_all_pointers(given)


# ---- Frames ----------------------------------------------------------------------------------------------------------


class Processor:
    """Polls the receive queues and sends each frame back from the same server, like the `forward` firmware."""

    def __init__(self, nic: Nic) -> None:
        self.nic = nic
        self.seen: list[tuple[bytes, int, int]] = []  # frame, stamp, server
        self.task = cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            for server in range(4):
                pointer = await self.nic.read(RXQ[server])
                if pointer != EMPTY:
                    data, stamp, named = self.nic.get_frame(pointer)
                    assert named == server
                    self.seen.append((data, stamp, server))
                    while await self.nic.write(TXQ[server], pointer) == FULL:
                        pass

    def stop(self) -> None:
        self.task.cancel()


def _lengths(rng: random.Random) -> list[int]:
    """Every residue of 8 at the short end, in the middle and at the long end."""
    return [*range(60, 77), *(rng.randrange(8, 180) * 8 + r for r in range(8)), *range(1506, 1519)]


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0, 0.0), (0.3, 0.0, 0.3), (0.1, 0.5, 0.0), (0.4, 0.3, 0.5)], latency=[1, 40])
async def frames_of_every_length_return_unchanged_in_nic_loopback(dut, stalls, latency) -> None:
    nic = await started(dut)
    nic.memory_stall, nic.rx_stall, nic.tx_stall = stalls
    nic.latency = lambda: latency
    given = await nic.give_buffers(6)
    await nic.write(SERVERS, 0b0100)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    frames = [nic.rng.randbytes(n) for n in _lengths(nic.rng)]
    nic.rng.shuffle(frames)
    nic.to_receive.extend((data, 0) for data in frames)
    await nic.until(lambda: len(nic.sent) == len(frames), 60_000)
    assert [(data, aborted) for data, aborted, _ in nic.sent] == [(data, False) for data in frames]
    await nic.until_idle()
    counters = await nic.counters()
    for name in ("rx_good", "packets_received", "tx_taken", "packets_transmitted"):
        assert counters[name] == len(frames)
    assert not any(n for name, n in counters.items() if "drop" in name)
    await nic.check_all_pointers(given)


@cocotb.test()
async def shortest_frames_of_1_to_59_bytes_are_stored_and_those_of_14_on_are_sent(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(4)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    frames = [nic.rng.randbytes(n) for n in range(1, 60)]
    nic.to_receive.extend((data, 0) for data in frames)
    await nic.until(lambda: len(nic.sent) == 46)
    assert [data for data, _, _ in nic.sent] == frames[13:]
    await nic.until_idle()
    assert (await nic.counters())["tx_drop_bad_length"] == 13
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_received_buffer_holds_length_server_stamp_and_frame_and_nothing_else_is_touched(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(8)
    await nic.write(SERVERS, 0b1111)
    await nic.write(CONTROL, NIC_ENABLE)
    for i, length in enumerate((60, 61, 62, 63, 64, 65, 66, 1514)):
        nic.memory.clear()
        data, stamp = nic.rng.randbytes(length), nic.rng.getrandbits(32)
        nic.to_receive.append((data, stamp))
        queue = RXQ[i % 4]
        while (pointer := await nic.read(queue)) == EMPTY:
            pass
        assert nic.get_frame(pointer) == (data, stamp, i % 4)
        written = {address - pointer for address in nic.memory}
        assert written == {*range(16), *range(18, 18 + length)}
        await nic.write(FREEQ, pointer)
    await nic.check_all_pointers(given)


@cocotb.test()
async def the_processor_forwards_frames_of_all_servers(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(16)
    await nic.write(SERVERS, 0b1111)
    await nic.write(CONTROL, NIC_ENABLE)
    processor = Processor(nic)
    sent = [(nic.rng.randbytes(nic.rng.randrange(60, 300)), nic.rng.getrandbits(32)) for _ in range(40)]
    nic.to_receive.extend(sent)
    await nic.until(lambda: len(nic.sent) == len(sent))
    processor.stop()
    await nic.clocks(10)
    assert Counter((data, stamp) for data, stamp, _ in processor.seen) == Counter(sent)
    assert Counter(data for data, _, _ in nic.sent) == Counter(data for data, _ in sent)
    assert Counter(server for _, _, server in processor.seen) == {0: 10, 1: 10, 2: 10, 3: 10}, "round robin"
    await nic.check_all_pointers(given)


@cocotb.test()
async def only_enabled_servers_receive_and_full_ones_are_passed_over(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(20)
    await nic.write(QUEUE_DEPTH, 4)
    await nic.write(SERVERS, 0b1010)
    await nic.write(CONTROL, NIC_ENABLE)
    occupancies = [q + 1 for q in RXQ]

    async def occupied() -> list[int]:
        await nic.clocks(400)
        return [await nic.read(q) for q in occupancies]

    nic.to_receive.extend((nic.rng.randbytes(60), 0) for _ in range(3))
    assert await occupied() == [0, 2, 0, 1]
    # Server 1 is filled by hand: all further frames go to server 3.
    for _ in range(2):
        assert await nic.write(RXQ[1], 0x8) == 0
        given.append(0x8)
    nic.to_receive.extend((nic.rng.randbytes(60), 0) for _ in range(3))
    assert await occupied() == [0, 4, 0, 4]
    # Both are full: the next frame waits, and goes where there is room first.
    nic.to_receive.append((nic.rng.randbytes(60), 0x77))
    assert await occupied() == [0, 4, 0, 4]
    given.remove(await nic.read(RXQ[3]))
    assert await occupied() == [0, 4, 0, 4]
    # A server enabled later takes over.
    nic.to_receive.append((nic.rng.randbytes(60), 0x78))
    assert await occupied() == [0, 4, 0, 4]
    await nic.write(SERVERS, 0b0001)
    assert await occupied() == [1, 4, 0, 4]
    found = await nic.collect_pointers()
    assert Counter(p for pointers in found.values() for p in pointers) == Counter(given)


@cocotb.test()
async def frames_on_their_way_to_a_queue_count_as_being_in_it(dut) -> None:
    nic = await started(dut)
    nic.latency = lambda: 60
    given = await nic.give_buffers(8)
    await nic.write(QUEUE_DEPTH, 1)
    await nic.write(SERVERS, 0b0011)
    await nic.write(CONTROL, NIC_ENABLE)
    nic.to_receive.extend((nic.rng.randbytes(60), i) for i in range(4))
    await nic.clocks(500)
    given.remove(await nic.read(RXQ[1]))
    await nic.clocks(500)
    # Had the third frame been bound for server 0 while the first was on its way there, it would still wait.
    assert [await nic.read(q + 1) for q in RXQ] == [1, 1, 0, 0]
    given.remove(await nic.read(RXQ[0]))  # the last frame takes this place
    await nic.clocks(500)
    await nic.check_all_pointers(given)


@cocotb.test()
async def without_enabled_server_or_free_buffer_frames_wait_and_none_is_lost(dut) -> None:
    nic = await started(dut)
    await nic.write(CONTROL, NIC_ENABLE)
    frames = [nic.rng.randbytes(100) for _ in range(3)]
    nic.to_receive.extend((data, 0) for data in frames)
    await nic.clocks(100)
    assert nic.accesses == 0, "no buffer"
    given = await nic.give_buffers(2)
    await nic.clocks(200)
    assert [await nic.read(q + 1) for q in RXQ] == [0, 0, 0, 0], "no server"
    await nic.write(SERVERS, 0b0001)
    await nic.clocks(200)
    assert await nic.read(RXQ[0] + 1) == 2
    first = await nic.read(RXQ[0])
    assert nic.get_frame(first)[0] == frames[0]
    await nic.write(FREEQ, first)
    second = await nic.read(RXQ[0])
    assert nic.get_frame(second)[0] == frames[1]
    await nic.clocks(200)
    assert nic.get_frame(await nic.read(RXQ[0]))[0] == frames[2]
    given.remove(second)
    given.remove(first)
    assert (await nic.counters())["packets_received"] == 3
    await nic.check_all_pointers(given)


@cocotb.test()
async def frames_longer_than_the_buffer_are_dropped_whole_and_counted(dut) -> None:
    nic = await started(dut)
    nic.memory_stall = 0.2
    size = 256
    given = [BASE + i * size for i in range(4)]
    await nic.write(BUFFER_SIZE, size)
    for pointer in given:
        await nic.write(FREEQ, pointer)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    lengths = [size - 18 + extra for extra in (*range(-9, 12), 300, 1200, -100) for _ in range(2)]
    frames = [nic.rng.randbytes(n) for n in lengths]
    fitting = [data for data in frames if len(data) <= size - 18]
    nic.to_receive.extend((data, 0) for data in frames)
    await nic.until(lambda: len(nic.sent) == len(fitting) and not nic.to_receive)
    await nic.until_idle()
    assert [data for data, _, _ in nic.sent] == fitting
    counters = await nic.counters()
    assert counters["rx_drop_too_long"] == len(frames) - len(fitting)
    assert counters["packets_received"] == len(fitting)
    beyond = BASE + len(given) * size
    assert max(nic.memory) < beyond and min(nic.memory) >= BASE
    await nic.check_all_pointers(given)


@cocotb.test()
async def no_write_leaves_the_buffer(dut) -> None:
    nic = await started(dut)
    await nic.write(BUFFER_SIZE, 128)
    await nic.write(FREEQ, BASE)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE)
    nic.to_receive.extend((nic.rng.randbytes(n), 0) for n in range(107, 125))
    for _ in range(4):
        while (pointer := await nic.read(RXQ[0])) == EMPTY:
            pass
        await nic.write(FREEQ, pointer)
    await nic.until(lambda: len(nic.rx_ended) == 18)
    await nic.until_idle()
    assert {*nic.memory} <= {*range(BASE, BASE + 128)}
    assert (await nic.counters())["rx_drop_too_long"] == 14


@cocotb.test()
async def a_frame_that_memory_refuses_is_dropped_and_counted_and_the_next_is_good(dut) -> None:
    nic = await started(dut)
    nic.latency = lambda: nic.rng.randrange(1, 30)
    given = await nic.give_buffers(6)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    bad = given[1::2]
    # One dword of every second buffer fails: the stamp, the control word, the first and a later dword of the frame.
    failing = {pointer + offset for pointer, offset in zip(bad, (8, 0, 56), strict=True)}
    nic.fails = lambda address, read: not read and address in failing
    frames = [nic.rng.randbytes(70) for _ in range(30)]
    nic.to_receive.extend((data, 0) for data in frames)
    await nic.until(lambda: not nic.to_receive and len(nic.rx_ended) == len(frames))
    await nic.until_idle()
    counters = await nic.counters()
    assert counters["rx_drop_memory_error"] > 5
    assert counters["rx_drop_memory_error"] + counters["packets_received"] == len(frames)
    sent = [data for data, _, _ in nic.sent]
    assert len(sent) == counters["packets_received"]
    remaining = iter(frames)
    assert all(data in remaining for data in sent), "sent frames are a part of the received ones, in order"
    await nic.check_all_pointers(given)


@cocotb.test()
async def frames_of_bad_length_are_not_sent_but_counted(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(12)
    lengths = [0, 13, 14, 1519, 60, 0xFFFF, 1518, 2031, 15, 4096, 2030, 61]
    datas = {}
    for length in lengths:
        pointer = await nic.read(FREEQ)
        datas[length] = nic.rng.randbytes(min(length, STRIDE - 18))
        nic.put_frame(pointer, datas[length], length)
        await nic.write(TXQ[1], pointer)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.until_idle()
    good = [n for n in lengths if 14 <= n <= 1518]
    assert [(data, aborted) for data, aborted, _ in nic.sent] == [(datas[n], False) for n in good]
    counters = await nic.counters()
    assert counters["tx_drop_bad_length"] == len(lengths) - len(good) and counters["tx_taken"] == len(good)
    # A length that the buffer cannot hold.
    await nic.write(BUFFER_SIZE, 512)
    for length in (512 - 18, 512 - 17):
        pointer = await nic.read(FREEQ)
        nic.put_frame(pointer, nic.rng.randbytes(length))
        await nic.write(TXQ[0], pointer)
    await nic.until_idle()
    counters = await nic.counters()
    assert counters["tx_taken"] == len(good) + 1 and len(nic.sent[-1][0]) == 512 - 18
    # Another limit than that of the reset; it counts the FCS.
    await nic.write(BUFFER_SIZE, 2048)
    for most in (64, 100, 2000, 2034):
        await nic.write(MAX_FRAME, most)
        for length in (most - 5, most - 4, most - 3):
            pointer = await nic.read(FREEQ)
            nic.put_frame(pointer, nic.rng.randbytes(min(length, STRIDE - 18)), length)
            await nic.write(TXQ[2], pointer)
        await nic.until_idle()
        assert [len(data) for data, _, _ in nic.sent[-2:]] == [most - 5, most - 4]
    assert (await nic.counters())["tx_drop_bad_length"] == counters["tx_drop_bad_length"] + 4
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_read_error_aborts_the_frame_and_the_next_is_good(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(10)
    failing = set()
    nic.fails = lambda address, read: read and address in failing
    expected = []
    # The failing dword: none, control word, stamp (never read), first, second, a later, the last, one behind the frame.
    for offset in (None, 0, 8, 16, 24, 104, 16 + 8 * 25, 16 + 8 * 26, None):
        pointer = await nic.read(FREEQ)
        data = nic.rng.randbytes(200)  # 26 dwords from byte 16 on
        nic.put_frame(pointer, data)
        if offset is not None:
            failing.add(pointer + offset)
        if offset != 0:
            expected.append((data, offset in (16, 24, 104, 16 + 8 * 25)))
        await nic.write(TXQ[0], pointer)
    pointer = await nic.read(FREEQ)  # a short frame: dwords read in advance but not a part of it do not matter
    nic.put_frame(pointer, bytes(range(20)))
    failing.add(pointer + 16 + 24)
    expected.append((bytes(range(20)), False))
    await nic.write(TXQ[0], pointer)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.until_idle()
    assert [aborted for _, aborted, _ in nic.sent] == [aborted for _, aborted in expected]
    assert [d for d, aborted, _ in nic.sent if not aborted] == [d for d, aborted in expected if not aborted]
    counters = await nic.counters()
    assert counters["tx_drop_memory_error"] == 1 and counters["tx_drop_abort"] == sum(a for _, a in expected)
    assert counters["tx_taken"] == len(expected)
    nic.fails = lambda address, read: False
    await nic.check_all_pointers(given)


@cocotb.test()
async def transmit_serves_non_empty_queues_in_turn_and_those_of_disabled_servers_too(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(12)
    # Servers 0, 2 and 3 have 4, 1 and 3 frames; 2 is the only enabled one.
    for server, count in ((0, 4), (2, 1), (3, 3)):
        for i in range(count):
            pointer = await nic.read(FREEQ)
            nic.put_frame(pointer, bytes([server, i]) * 40)
            await nic.write(TXQ[server], pointer)
    await nic.write(SERVERS, 0b0100)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.until_idle()
    order = [(data[0], data[1]) for data, _, _ in nic.sent]
    assert order == [(0, 0), (2, 0), (3, 0), (0, 1), (3, 1), (0, 2), (3, 2), (0, 3)]
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_stopped_nic_finishes_its_frames_and_returns_the_fetched_buffer(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(4)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.clocks(10)
    assert await nic.read(HELD) == 1 and await nic.read(FREEQ + 1) == 3, "one is fetched in advance"
    nic.to_receive.extend((bytes([i]) * 1000, 0) for i in range(2))
    await nic.clocks(40)
    await nic.write(CONTROL, 0)
    await nic.clocks(400)
    assert await nic.read(RXQ[0] + 1) == 1, "the frame at hand is finished, the next one waits"
    assert await nic.read(HELD) == 0
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.clocks(400)
    assert await nic.read(RXQ[0] + 1) == 2
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_stopped_nic_returns_the_fetched_buffer_and_that_of_a_dropped_frame(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(3)
    await nic.write(BUFFER_SIZE, 128)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE)
    nic.to_receive.append((bytes(1500), 0))
    await nic.clocks(60)
    assert await nic.read(HELD) == 2, "the frame's buffer and the next one"
    assert await nic.read(LOCK) == 1
    await nic.clocks(300)  # the frame is over, its buffer waits for the lock
    await nic.write(CONTROL, 0)
    await nic.clocks(20)
    assert await nic.read(HELD) == 2
    await nic.write(LOCK, 1)
    await nic.clocks(20)
    assert await nic.read(HELD) == 0 and await nic.read(FREEQ + 1) == 3
    await nic.check_all_pointers(given)


@cocotb.test()
async def the_interrupt_follows_status_and_mask(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(4)
    await nic.write(SERVERS, 0b0010)
    await nic.write(CONTROL, NIC_ENABLE | IRQ_ENABLE)
    nic.to_receive.append((bytes(60), 0))
    await nic.clocks(100)
    assert await nic.read(IRQ_STATUS) == 0b0010 and not dut.irq.value
    await nic.write(IRQ_MASK, 0b1101)
    await nic.clocks(3)
    assert not dut.irq.value
    await nic.write(IRQ_MASK, 0b0010)
    await nic.clocks(3)
    assert dut.irq.value
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.clocks(3)
    assert not dut.irq.value, "not enabled"
    await nic.write(CONTROL, NIC_ENABLE | IRQ_ENABLE)
    await nic.write(IRQ_STATUS, 0b0010)
    await nic.clocks(3)
    assert dut.irq.value, "a level: only the pop takes it away"
    await nic.write(TXQ[0], await nic.read(RXQ[1]))
    await nic.until(lambda: len(nic.sent) == 1)
    await nic.clocks(5)
    assert await nic.read(IRQ_STATUS) == 0x100 and not dut.irq.value
    await nic.write(IRQ_MASK, 0x100)
    await nic.clocks(3)
    assert dut.irq.value
    await nic.write(IRQ_STATUS, 0x100)
    await nic.clocks(3)
    assert not dut.irq.value and await nic.read(IRQ_STATUS) == 0
    await nic.check_all_pointers(given)


@cocotb.test()
async def random_traffic_with_faults_loses_no_frame_and_no_pointer(dut) -> None:
    """Both conservation laws, with stalls, memory faults, and the processor changing everything as it goes."""
    nic = await started(dut)
    rng = nic.rng
    faults = 0.0
    nic.fails = lambda address, read: rng.random() < faults
    nic.latency = lambda: rng.choice([1, 3, 10, 40])
    given = await nic.give_buffers(24)
    frames = [rng.randbytes(rng.choice([60, 64, rng.randrange(60, 200), rng.randrange(60, 1519)])) for _ in range(400)]
    nic.to_receive.extend((data, i) for i, data in enumerate(frames))
    forwarded: list[bytes] = []
    ready: list[int] = []  # pointers for a transmit queue that has room
    wanted_bad = refused = 0

    async def drain() -> None:
        nonlocal wanted_bad, refused
        for server in range(4):
            pointer = await nic.read(RXQ[server])
            if pointer == EMPTY:
                continue
            data, stamp, _ = nic.get_frame(pointer)
            assert data == frames[stamp], "a frame that memory refused was delivered"
            if rng.random() < 0.1:
                nic.put_frame(pointer, b"", rng.choice([0, 13, 1519, 60_000]))
                wanted_bad += 1
            else:
                forwarded.append(data)
            ready.append(pointer)
        for pointer in list(ready):
            if await nic.write(rng.choice(TXQ), pointer) == FULL:
                refused += 1
            else:
                ready.remove(pointer)

    while len(nic.rx_ended) < len(frames):
        assert nic.cycle < 400_000, "the traffic does not come to an end"
        if rng.random() < 0.08:
            nic.memory_stall, nic.rx_stall, nic.tx_stall = (rng.choice([0.0, 0.0, 0.3, 0.7]) for _ in range(3))
            nic.processor_stall = rng.choice([0.0, 0.0, 0.6])
            faults = rng.choice([0.0, 0.0, 0.0, 0.01])
            await nic.write(SERVERS, rng.randrange(16))
            await nic.write(QUEUE_DEPTH, rng.choice([1, 2, 5, 24, 64]))
            await nic.write(BUFFER_SIZE, rng.choice([2048, 2048, 1024, 128]))
        if rng.random() < 0.1:
            await nic.write(CONTROL, rng.choice([0, NIC_ENABLE, NIC_ENABLE, NIC_ENABLE | NIC_LOOPBACK]))
        if rng.random() < 0.1 and await nic.read(LOCK):
            for _ in range(rng.randrange(20)):
                await nic.read(STATUS)
            await nic.write(LOCK, 1)
        if rng.random() < 0.3:
            await nic.clocks(rng.randrange(60))
        await drain()
    faults = 0.0
    await nic.write(QUEUE_DEPTH, 64)
    await nic.write(SERVERS, 0xF)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.until_idle()
    for _ in range(30):
        await drain()
    await nic.until_idle()
    counters = await nic.counters()
    dropped = counters["rx_drop_too_long"] + counters["rx_drop_memory_error"]
    assert counters["rx_good"] == len(frames) == counters["packets_received"] + dropped
    lost = counters["tx_drop_bad_length"] + counters["tx_drop_memory_error"]
    assert counters["packets_received"] == counters["tx_taken"] + lost
    assert counters["tx_taken"] == counters["packets_transmitted"] + counters["tx_drop_abort"] == len(nic.sent)
    assert wanted_bad and refused and forwarded
    for name in ("rx_drop_memory_error", "tx_drop_abort", "rx_drop_too_long", "tx_drop_bad_length"):
        assert counters[name], f"the test did not reach {name}"
    good = Counter(data for data, aborted, _ in nic.sent if not aborted)
    assert not good - Counter(frames), "a frame was sent that was never received, or twice"
    await nic.check_all_pointers(given)


@cocotb.test()
async def measured_cycles(dut) -> None:
    """Prints figures; what they have to be is the benchmarks' business, not a test's."""
    nic = await started(dut)
    say = dut._log.info
    say("register read: %d cycles, write: %d cycles", (await nic.access(STATUS))[2], (await nic.access(SERVERS, 1))[2])
    say("push: %d cycles, pop: %d cycles", (await nic.access(FREEQ, BASE))[2], (await nic.access(FREEQ))[2])
    await nic.write(FREEQ, BASE)
    begin = nic.cycle
    for source, target in ((FREEQ, RXQ[0]), (RXQ[0], TXQ[0]), (TXQ[0], FREEQ)):
        await nic.write(target, await nic.read(source))
    say("free-rx-tx-free traversal, six accesses: %d cycles", nic.cycle - begin)
    assert await nic.read(FREEQ) == BASE
    await nic.give_buffers(32)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    for latency in (3, 12, 40):
        nic.latency = lambda latency=latency: latency
        for length in (60, 1514):
            first = len(nic.sent)
            nic.to_receive.append((bytes(length), 0))
            await nic.until(lambda first=first: len(nic.sent) == first + 1)
            await nic.until_idle()
            last_in, last_out = nic.rx_ended[-1], nic.sent[-1][2]
            nic.to_receive.extend((bytes(length), 0) for _ in range(30))
            await nic.until(lambda first=first: len(nic.sent) == first + 31)
            rate = (nic.sent[-1][2] - nic.sent[-11][2]) / 10
            say(
                "memory latency %d, %d bytes, NIC loopback: last beat in to last beat out %d cycles; "
                "%.1f cycles a frame back to back, of %d at line rate",
                *(latency, length, last_out - last_in, rate, length + 24),
            )
            await nic.until_idle()


@cocotb.test()
async def what_offloads_would_do_is_not_done_without_them(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(4)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE)
    frame = bytes(Ether(dst="02:00:00:00:00:02") / IP(dst="10.0.0.2") / UDP() / Raw(bytes(60)))
    nic.to_receive.append((frame, 0))
    while (pointer := await nic.read(RXQ[0])) == EMPTY:
        pass
    assert nic.get_frame(pointer)[0] == frame, "which looks at the status, too"
    wrong = frame[:24] + b"\x12\x34" + frame[26:]
    nic.put_frame(pointer, wrong)
    nic.store(pointer + 4, b"\x0e")  # both sums, and keep
    assert await nic.write(TXQ[0], pointer) == 0
    await nic.until(lambda: len(nic.sent) == 1)
    assert nic.sent[0][0] == wrong
    await nic.until_idle()
    await nic.check_all_pointers(given)


def test_nic() -> None:
    run_bench("nic_tb", extra_sources=(SUPPORT / "nic_tb.sv",))
