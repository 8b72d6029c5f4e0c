# SPDX-License-Identifier: Apache-2.0
"""The NIC's receive side: frames that turn out bad, stamps in PTP time, patience, servers that come and go, flows.

Every frame carries its number, and each must be in exactly one place in the end: delivered as it was sent, or counted.
"""

import random
from collections import Counter
from collections.abc import Callable

import cocotb
import pytest
from bench import SUPPORT, run_bench
from nic_bench import (
    BASE,
    BUFFER_SIZE,
    CONTROL,
    EMPTY,
    FREEQ,
    FULL,
    HELD,
    LOCK,
    NIC_ENABLE,
    NIC_LOOPBACK,
    PTP_COMMAND,
    PTP_HIGH,
    PTP_INCREMENT,
    PTP_LOW,
    QUEUE_DEPTH,
    RX_PATIENCE,
    RXQ,
    SERVERS,
    STEERING,
    TXQ,
    Nic,
)
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

pytestmark = pytest.mark.slow

FOR_EVER = 0xFF_FFFF
AT_ONCE = 30  # cycles: what a short frame that need not wait takes at most
RX_DROPS = ("rx_drop_too_long", "rx_drop_memory_error", "rx_drop_no_buffer", "rx_drop_no_server")


async def started(dut, servers: int = 0b0001, control: int = NIC_ENABLE) -> Nic:
    nic = Nic(dut)
    await nic.start()
    await nic.write(SERVERS, servers)
    await nic.write(CONTROL, control)
    return nic


def numbered(rng: random.Random, number: int, length: int) -> bytes:
    return number.to_bytes(4, "big") + rng.randbytes(length - 4)


async def drops(nic: Nic) -> dict[str, int]:
    counters = await nic.counters()
    return {name.removeprefix("rx_drop_"): counters[name] for name in RX_DROPS if counters[name]}


async def waits(nic: Nic, count: int, data: bytes = bytes(60)) -> list[int]:
    """So many frames, one after the other: how many cycles each of them kept the MAC from its next one."""
    begin = len(nic.rx_ended)
    for i in range(count):
        nic.to_receive.append((data, 0))
        await nic.until(lambda i=i: len(nic.rx_ended) == begin + i + 1)
        await nic.clocks(40)  # the two beats that the engine holds: it has judged the frame now
    return [end - start for start, end in zip(nic.rx_started[begin:], nic.rx_ended[begin:], strict=True)]


# ---- Bad frames ------------------------------------------------------------------------------------------------------


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.0, 0.88), (0.4, 0.3)])
async def a_frame_that_turns_out_bad_is_discarded_and_not_counted(dut, stalls) -> None:
    nic = await started(dut, control=NIC_ENABLE | NIC_LOOPBACK)
    nic.memory_stall, nic.rx_stall = stalls
    given = await nic.give_buffers(5)
    await nic.write(BUFFER_SIZE, 1024)
    rng = nic.rng
    lengths = [*range(1, 20), *range(60, 76), *range(1000, 1012), 1400]  # 1006 is the longest that fits
    plan = [(n, bad) for n in lengths for bad in (False, True, True)]
    rng.shuffle(plan)
    frames = [(rng.randbytes(n), bad) for n, bad in plan]
    nic.to_receive.extend((data, 0, bad) for data, bad in frames)
    good = [data for data, bad in frames if not bad and len(data) <= 1006]
    await nic.until(lambda: len(nic.rx_ended) == len(frames), 60_000)
    await nic.until_idle()
    assert [data for data, _, _ in nic.sent] == [data for data in good if len(data) >= 14]
    counters = await nic.counters()
    assert counters["packets_received"] == len(good)
    assert counters["rx_drop_too_long"] == sum(not bad and len(data) > 1006 for data, bad in frames)
    assert counters["rx_drop_fcs"] == sum(bad for _, bad in frames), "the model's own count: that it was there"
    assert await drops(nic) == {"too_long": counters["rx_drop_too_long"]}
    await nic.check_all_pointers(given)


@cocotb.test()
async def bad_frames_alone_come_and_go_without_end(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(2)
    nic.to_receive.extend((bytes(n), 0, True) for n in (60, 61, 1514, 64, 72, 9, 8) * 10)
    await nic.until(lambda: len(nic.rx_ended) == 70)
    await nic.until_idle()
    assert await nic.read(RXQ[0] + 1) == 0 and not await drops(nic)
    await nic.check_all_pointers(given)


# ---- Stamps ----------------------------------------------------------------------------------------------------------


@cocotb.test()
async def stamps_are_ptp_time(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(4)
    rng = nic.rng
    for _ in range(20):
        nic.rx_stall = rng.choice([0.0, 0.8])
        increment = rng.choice([1 << 31, rng.randrange(1 << 30, 1 << 32)])
        await nic.write(PTP_INCREMENT, increment)
        for register in (PTP_LOW, PTP_HIGH):
            await nic.write(register, rng.getrandbits(32))
        await nic.write(PTP_COMMAND, 1)
        await nic.clocks(3)
        age = rng.randrange(3, 3000)
        stamp = (int(dut.time_now.value) - age) % (1 << 32)
        nic.to_receive.append((bytes(rng.choice([60, 300])), stamp))
        while (pointer := await nic.read(RXQ[0])) == EMPTY:
            pass
        # Now, by the processor's read, and back from there to the stamp, two cycles before what it stands for.
        low = await nic.read(PTP_LOW)
        cycles = (int(dut.time_now.value) - stamp) % (1 << 32) - 2
        now = await nic.read(PTP_HIGH) << 32 | low
        found = int.from_bytes(nic.load(pointer + 8, 8), "big")
        ago = (now - found) % (1 << 64)
        slack = 5 * increment / (1 << 28) + 2  # the read is some cycles old
        assert abs(ago - cycles * increment / (1 << 28)) <= slack, (ago, cycles)
        await nic.write(FREEQ, pointer)
    await nic.check_all_pointers(given)


# ---- Patience --------------------------------------------------------------------------------------------------------


@cocotb.test()
async def without_a_buffer_frames_are_dropped_after_patience_and_at_once_then(dut) -> None:
    nic = await started(dut)
    given: list[int] = []
    for patience in (0, 100, 700):
        await nic.write(RX_PATIENCE, patience)
        first, *others = await waits(nic, 4)
        assert patience <= first <= patience + AT_ONCE and max(others) <= AT_ONCE
        before = await nic.counters()
        nic.to_receive.append((bytes(60), 0, True))
        nic.to_receive.append((bytes(1514), 0))
        await nic.clocks(400)
        after = await nic.counters()
        assert after["rx_drop_no_buffer"] == before["rx_drop_no_buffer"] + 1, "the MAC counts a bad one"
        # A buffer ends the shortage.
        given.append(pointer := BASE + 2048 * len(given))
        assert await nic.write(FREEQ, pointer) == 0
        assert max(await waits(nic, 1)) <= AT_ONCE
        assert await nic.read(RXQ[0]) == pointer
        assert await nic.read(HELD) == 0
    assert await drops(nic) == {"no_buffer": 3 * 5}


@cocotb.test()
async def patience_of_all_ones_is_for_ever_and_another_value_takes_effect_at_once(dut) -> None:
    nic = await started(dut)
    await nic.write(RX_PATIENCE, FOR_EVER)
    nic.to_receive.append((bytes(60), 0))
    await nic.clocks(3000)
    assert not nic.rx_ended
    await nic.write(RX_PATIENCE, FOR_EVER - 1)
    await nic.clocks(1000)
    assert not nic.rx_ended
    await nic.write(RX_PATIENCE, 2000)
    await nic.clocks(AT_ONCE)
    assert len(nic.rx_ended) == 1 and await drops(nic) == {"no_buffer": 1}


@cocotb.test()
async def a_locked_free_queue_is_a_shortage_too(dut) -> None:
    nic = await started(dut)
    await nic.write(RX_PATIENCE, 200)
    assert await nic.read(LOCK) == 1
    given = await nic.give_buffers(3)
    first, second = await waits(nic, 2)
    assert 200 <= first <= 200 + AT_ONCE and second <= AT_ONCE
    await nic.write(LOCK, 1)
    assert max(await waits(nic, 2)) <= AT_ONCE
    assert await nic.read(RXQ[0] + 1) == 2 and await drops(nic) == {"no_buffer": 2}
    await nic.check_all_pointers(given)


@cocotb.test()
@cocotb.parametrize(shortage=["no server", "full queues", "full transmit queues"])
async def without_a_server_frames_are_dropped_after_patience_and_at_once_then(dut, shortage) -> None:
    nic = await started(dut, 0b0101)
    given = await nic.give_buffers(8)
    await nic.write(QUEUE_DEPTH, 1)
    await nic.write(RX_PATIENCE, FOR_EVER)
    queues = RXQ
    if shortage == "full transmit queues":
        queues = TXQ
        nic.tx_stall = 1.0  # nothing leaves them but the frames that the transmit engine takes at once
        await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    if shortage == "no server":
        await nic.write(SERVERS, 0)
    else:
        while await nic.read(queues[0] + 1) + await nic.read(queues[2] + 1) < 2:
            nic.to_receive.append((bytes(1514), 0))
            await nic.clocks(600)
    engine = await nic.read(HELD) & 0xFF
    counted = 0
    # The other servers' transmit queues fill one after the other, and there is no third.
    for patience, other in ((300, 0b1000), (20, 0b0010), (150, 0b1000))[: 2 if queues is TXQ else 3]:
        await nic.write(RX_PATIENCE, patience)
        begin = nic.cycle
        nic.to_receive.append((bytes(60), 0))
        while await drops(nic) == ({"no_server": counted} if counted else {}):
            assert nic.cycle <= begin + patience + 200
        assert nic.cycle >= begin + patience
        nic.to_receive.extend((bytes(60), 0) for _ in range(10))
        await nic.clocks(10 * AT_ONCE)
        counted += 11
        assert await drops(nic) == {"no_server": counted}, "at once"
        assert await nic.read(HELD) & 0xFF == engine, "their buffers come back"
        # The shortage ends with room for one frame.
        if shortage == "full queues":
            given.remove(await nic.read(RXQ[2]))
        else:
            await nic.write(SERVERS, other)
        before = (await nic.counters())["packets_received"]
        nic.to_receive.append((bytes(60), 0))
        await nic.clocks(2 * AT_ONCE)
        assert (await nic.counters())["packets_received"] == before + 1
        if shortage == "no server":
            given.remove(await nic.read(RXQ[other.bit_length() - 1]))
            await nic.write(SERVERS, 0)
    nic.tx_stall = 0.0
    await nic.until_idle()
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_frame_whose_queue_the_processor_fills_meanwhile_waits_no_longer_than_patience(dut) -> None:
    nic = await started(dut, 0b0010)
    given = await nic.give_buffers(8)
    nic.latency = lambda: 150
    await nic.write(QUEUE_DEPTH, 2)
    await nic.write(RX_PATIENCE, 300)
    nic.to_receive.extend((numbered(nic.rng, i, 60), 0) for i in range(2))
    await nic.clocks(60)  # both are bound for server 1, the memory has not answered yet
    for pointer in (0x100, 0x108):
        assert await nic.write(RXQ[1], pointer) == 0
    nic.to_receive.extend((numbered(nic.rng, i, 60), 0) for i in range(2, 8))
    await nic.clocks(250)
    assert not await drops(nic), "they wait"
    await nic.clocks(800)
    assert await drops(nic) == {"no_server": 8}, "all the others at once, then"
    assert await nic.read(RXQ[1]) == 0x100 and await nic.read(RXQ[1]) == 0x108
    nic.to_receive.append((numbered(nic.rng, 8, 60), 0))
    await nic.clocks(900)
    assert await nic.read(RXQ[1] + 1) == 1 and await drops(nic) == {"no_server": 8}
    await nic.check_all_pointers(given)


# ---- Flows and servers -----------------------------------------------------------------------------------------------


def udp(rng: random.Random, number: int, port: int, back: bool = False) -> bytes:
    ports = {"sport": 7, "dport": port} if back else {"sport": port, "dport": 7}
    ends = {"src": "10.1.0.2", "dst": "10.1.0.1"} if back else {"src": "10.1.0.1", "dst": "10.1.0.2"}
    payload = Raw(number.to_bytes(4, "big") + rng.randbytes(rng.randrange(14, 100)))
    return bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(**ends) / UDP(**ports) / payload)


@cocotb.test()
async def a_full_queue_stops_its_own_flows_only_and_for_patience_only(dut) -> None:
    nic = await started(dut, 0b1111)
    given = await nic.give_buffers(40)
    await nic.write(STEERING, 1)
    # Which port goes where.
    ports: dict[int, int] = {}
    for port in range(1000, 1040):
        nic.to_receive.append((udp(nic.rng, 0, port), 0))
        await nic.clocks(150)
        for server in range(4):
            while (pointer := await nic.read(RXQ[server])) != EMPTY:
                ports.setdefault(server, port)
                await nic.write(FREEQ, pointer)
    assert set(ports) == {0, 1, 2, 3}
    await nic.write(QUEUE_DEPTH, 3)
    await nic.write(RX_PATIENCE, 500)

    async def send(server: int, back: bool = False) -> None:
        nic.to_receive.append((udp(nic.rng, 0, ports[server], back), 0))

    async def occupied() -> list[int]:
        return [await nic.read(q + 1) for q in RXQ]

    taken: list[int] = []
    for i in range(3):
        await send(2, back=bool(i % 2))
    await nic.clocks(200)
    assert await occupied() == [0, 0, 3, 0]
    await send(2)
    await send(1)
    await nic.clocks(300)
    assert await occupied() == [0, 0, 3, 0], "the frame waits for its server, never for another"
    await nic.clocks(400)
    assert await occupied() == [0, 1, 3, 0] and await drops(nic) == {"no_server": 1}
    for server in (2, 3, 2, 0, 2, 1):
        await send(server)
    await nic.clocks(6 * 40)
    assert await occupied() == [1, 2, 3, 1] and await drops(nic) == {"no_server": 4}, "at once, and the others go by"
    taken.append(await nic.read(RXQ[2]))
    await send(2)
    await nic.clocks(100)
    assert await occupied() == [1, 2, 3, 1] and await drops(nic) == {"no_server": 4}
    await send(2)
    await nic.clocks(200)
    taken.append(await nic.read(RXQ[2]))
    await nic.clocks(100)
    assert await occupied() == [1, 2, 3, 1] and await drops(nic) == {"no_server": 4}, "room came in time"
    await nic.write(QUEUE_DEPTH, 64)
    for pointer in taken:
        assert await nic.write(FREEQ, pointer) == 0
    await nic.check_all_pointers(given)


class Ledger:
    """Takes frames out of the receive queues and checks each: as it was sent, once, from the server that it names."""

    def __init__(self, nic: Nic, frames: list[bytes], number: Callable[[bytes], int]) -> None:
        self.nic, self.frames, self.number = nic, frames, number
        self.seen: list[tuple[int, int]] = []  # number and server
        self.held: list[int] = []  # pointers of ours

    async def take(self, server: int) -> bool:
        pointer = await self.nic.read(RXQ[server])
        if pointer == EMPTY:
            return False
        data, _, named = self.nic.get_frame(pointer)
        number = self.number(data)
        assert data == self.frames[number] and named == server
        self.seen.append((number, server))
        self.held.append(pointer)
        return True

    async def give_back(self) -> None:
        while self.held and await self.nic.write(FREEQ, self.held[0]) != FULL:
            self.held.pop(0)


@cocotb.test()
@cocotb.parametrize(flow=[0, 1])
async def servers_come_and_go_under_traffic_and_no_frame_is_lost(dut, flow) -> None:
    """All 16 sets at random, patience for ever: every frame arrives, those of a flow in order while it stays."""
    nic = await started(dut)
    rng = nic.rng
    given = await nic.give_buffers(24)
    await nic.write(RX_PATIENCE, FOR_EVER)
    await nic.write(STEERING, flow)
    await nic.write(QUEUE_DEPTH, 5)
    frames = [udp(rng, i, 2000 + rng.randrange(30), rng.random() < 0.5) for i in range(300)]
    nic.to_receive.extend((data, 0) for data in frames)
    ledger = Ledger(nic, frames, lambda data: int.from_bytes(data[42:46], "big"))
    sets: set[int] = set()
    while len(ledger.seen) < len(frames):
        assert nic.cycle < 300_000, "the traffic does not come to an end"
        if rng.random() < 0.5:
            nic.latency = lambda: rng.choice([1, 5, 60])
            servers = rng.randrange(16)
            sets.add(servers)
            await nic.write(SERVERS, servers)
        for server in range(4):
            if rng.random() < 0.5:
                await ledger.take(server)
        await ledger.give_back()
    assert sets == set(range(16))
    assert Counter(n for n, _ in ledger.seen) == Counter(range(len(frames)))
    assert not await drops(nic)
    await nic.write(QUEUE_DEPTH, 64)
    await ledger.give_back()
    await nic.check_all_pointers(given)


# ---- All of it -------------------------------------------------------------------------------------------------------


@cocotb.test()
@cocotb.parametrize(round_=[0, 1, 2])
async def random_traffic_with_everything_counts_each_frame_once(dut, round_) -> None:
    nic = await started(dut)
    rng = nic.rng
    faults = 0.0
    nic.fails = lambda address, read: rng.random() < faults
    given = await nic.give_buffers(30)
    frames = []
    for i in range(350):
        length = rng.choice([60, rng.randrange(60, 140), rng.randrange(100, 600)])
        frames.append(numbered(rng, i, length) if rng.random() < 0.5 else udp(rng, i, rng.randrange(50)))
    bad = {i for i in range(len(frames)) if rng.random() < 0.2}
    nic.to_receive.extend((data, i, i in bad) for i, data in enumerate(frames))

    def number(data: bytes) -> int:
        return int.from_bytes(data[42:46] if data[:2] == b"\x02\x00" else data[:4], "big")

    ledger = Ledger(nic, frames, number)
    locked = False
    strangers: list[int] = []  # pointers that the processor pushed into receive queues
    while len(nic.rx_ended) < len(frames):
        assert nic.cycle < 400_000, "the traffic does not come to an end"
        if rng.random() < 0.08:
            nic.memory_stall, nic.rx_stall = (rng.choice([0.0, 0.0, 0.3, 0.88]) for _ in range(2))
            nic.latency = lambda: rng.choice([1, 3, 10, 40])
            faults = rng.choice([0.0, 0.0, 0.0, 0.01])
            await nic.write(SERVERS, rng.randrange(16))
            await nic.write(STEERING, rng.randrange(2))
            await nic.write(QUEUE_DEPTH, rng.choice([1, 2, 5, 64, 64, 64]))
            await nic.write(BUFFER_SIZE, rng.choice([2048, 2048, 512, 128]))
            await nic.write(RX_PATIENCE, rng.choice([0, 10, 100, 400, FOR_EVER]))
        if rng.random() < 0.08:
            await nic.write(CONTROL, rng.choice([0, NIC_ENABLE, NIC_ENABLE, NIC_ENABLE | NIC_LOOPBACK]))
        if rng.random() < (0.3 if locked else 0.03):
            if locked:
                await nic.write(LOCK, 1)
            locked = not locked and await nic.read(LOCK) == 1
        if rng.random() < 0.1:
            pointer = 0x100 + 8 * len(strangers)
            if await nic.write(rng.choice(RXQ), pointer) != FULL:
                nic.put_frame(pointer, b"")
                strangers.append(pointer)
        await nic.clocks(rng.choice([0, 0, 0, 20, 60]))
        for server in range(4):
            if rng.random() < 0.5:
                pointer = await nic.read(RXQ[server])
                if pointer in strangers or pointer == EMPTY:
                    continue
                data, _, named = nic.get_frame(pointer)
                assert data == frames[number(data)] and named == server and number(data) not in bad
                ledger.seen.append((number(data), server))
                ledger.held.append(pointer)
        if rng.random() < 0.7:
            await ledger.give_back()
    faults = 0.0
    if locked:
        await nic.write(LOCK, 1)
    await nic.write(QUEUE_DEPTH, 64)
    await nic.write(SERVERS, 0xF)
    await nic.write(CONTROL, NIC_ENABLE)
    await ledger.give_back()
    await nic.until_idle()
    for server in range(4):
        while (pointer := await nic.read(RXQ[server])) != EMPTY:
            if pointer not in strangers:
                data = nic.get_frame(pointer)[0]
                ledger.seen.append((number(data), server))
                ledger.held.append(pointer)
    await ledger.give_back()
    counters = await nic.counters()
    looped = counters["packets_received"] - len(ledger.seen)
    assert looped == counters["tx_taken"] + counters["tx_drop_bad_length"] + counters["tx_drop_memory_error"]
    sent = Counter(number(data) for data, aborted, _ in nic.sent if not aborted)
    numbers = Counter(n for n, _ in ledger.seen) + sent
    assert max(numbers.values()) == 1 and not bad & set(numbers), "once each, and none that was bad"
    assert all(data == frames[number(data)] for data, aborted, _ in nic.sent if not aborted)
    counted = sum(counters[name] for name in RX_DROPS)
    assert counters["packets_received"] + counted == len(frames) - len(bad), "each good frame in one place"
    await nic.check_all_pointers(given)
    dut._log.info("drops: %s, delivered %d, looped %d", await drops(nic), len(ledger.seen), looped)


def test_nic_receive() -> None:
    run_bench("nic_tb", extra_sources=(SUPPORT / "nic_tb.sv",))
