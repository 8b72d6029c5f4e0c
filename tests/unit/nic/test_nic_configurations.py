# SPDX-License-Identifier: Apache-2.0
"""The NIC with hardware left out: fewer servers, shorter queues, without self-test, PTP time or counters.

Each test says what of it breaks when a parameter is ignored. What every configuration has is tested with the full one,
in the files beside this one.
"""

import os

import cocotb
import pytest
from bench import SUPPORT, run_bench
from cocotb.triggers import RisingEdge
from nic_bench import (
    BASE,
    BUFFER_SIZE,
    CAPABILITY,
    CONTROL,
    COUNTERS,
    EMPTY,
    FREEQ,
    FULL,
    IRQ_MASK,
    IRQ_STATUS,
    MAX_FRAME,
    NIC_ENABLE,
    NIC_LOOPBACK,
    PTP_LOW,
    PUSH_FAILED,
    QUEUE_BASE,
    QUEUE_DEPTH,
    QUEUE_ERRORS,
    QUEUE_SETUP,
    RXQ,
    SELFTEST,
    SELFTEST_ADDRESS,
    SELFTEST_STATUS,
    SERVERS,
    STATUS,
    STEERING,
    TX_KEPT,
    TX_STAMP,
    TX_STAMP_HIGH,
    TX_SUM_UNFIT,
    TXQ,
    Nic,
)
from runs import some

from nsoc.machine import regs

pytestmark = pytest.mark.slow

FULL_SIZE = {"SERVERS": 4, "DEPTH": 64, "SELFTEST": 1, "PTP": 1, "STATISTICS": 1, "OFFLOADS": 0}
CONFIGURATIONS = {
    "nothing_optional": {"SERVERS": 1, "DEPTH": 16, "SELFTEST": 0, "PTP": 0, "STATISTICS": 0, "OFFLOADS": 0},
    "two_short_servers": {"SERVERS": 2, "DEPTH": 4, "SELFTEST": 1, "PTP": 0, "STATISTICS": 1, "OFFLOADS": 1},
    "three_servers": {
        "SERVERS": 3,
        "DEPTH": 8,
        "SELFTEST": 1,
        "PTP": 1,
        "STATISTICS": 0,
        "OFFLOADS": 1,
        "MAX_FRAME_BYTES": 2000,
    },
    "full": FULL_SIZE,
}
ERROR = 0x200  # of the interrupt's causes
DONE, QUEUES_TEST, SEQUENCE_TEST = 2, 2, 3


def built() -> dict[str, int]:
    """The configuration under test."""
    return CONFIGURATIONS[os.environ["CONFIGURATION"]]


def absent() -> set[int]:
    """IDs of registers that this configuration does not have."""
    has = built()
    gone = {*QUEUE_BASE, QUEUE_SETUP, QUEUE_ERRORS}
    for server in range(has["SERVERS"], 4):
        gone |= {RXQ[server], RXQ[server] + 1, TXQ[server], TXQ[server] + 1}
    if not has["PTP"]:
        gone |= set(range(PTP_LOW, TX_STAMP_HIGH + 1))
    if not has["SELFTEST"]:
        gone |= set(range(SELFTEST, SELFTEST_ADDRESS + 1))
    if not has["STATISTICS"]:
        gone |= {*COUNTERS.values(), TX_SUM_UNFIT}
    if not has["OFFLOADS"]:
        gone |= {TX_KEPT, TX_SUM_UNFIT}
    return gone


def queues() -> dict[int, int]:
    """The queues there are: register by number."""
    servers = range(built()["SERVERS"])
    return {server: RXQ[server] for server in servers} | {4 + s: TXQ[s] for s in servers} | {8: FREEQ}


async def started(dut) -> Nic:
    nic = Nic(dut)
    nic.servers = built()["SERVERS"]
    await nic.start()
    return nic


async def echo(nic: Nic, count: int) -> list[tuple[bytes, int, int]]:
    """Sends back `count` frames from the server that they came to; frame, server and stamp's dword of each."""
    seen: list[tuple[bytes, int, int]] = []
    while len(seen) < count:
        for server in range(nic.servers):
            pointer = await nic.read(RXQ[server])
            if pointer == EMPTY:
                continue
            data, _, named = nic.get_frame(pointer)
            assert named == server
            seen.append((data, server, int.from_bytes(nic.load(pointer + 8, 8), "big")))
            while await nic.write(TXQ[server], pointer) == FULL:
                pass
    return seen


@cocotb.test()
async def registers_of_what_is_left_out_are_errors_and_all_others_are_there(dut) -> None:
    """A parameter that the register file ignores leaves a register that answers, or takes one away that is there."""
    nic = await started(dut)
    there = {register.id for register in regs.BLOCKS["nic"].registers.values()} - absent()
    for register in range(256):
        err, data, _ = await nic.access(register)
        assert err == (register not in there), f"read of {register}"
        if register not in there:
            assert data == 0
            assert (await nic.access(register, 0xFFFF_FFF8))[:2] == (1, 0), f"write of {register}"
    assert await nic.read(STATUS) == 0xC00 | await nic.read(STATUS) & 0x200
    assert await nic.read(MAX_FRAME) == built().get("MAX_FRAME_BYTES", 1522)
    assert await nic.read(PUSH_FAILED) & 0x1FF == 0, "a push into a queue that is not there is no failed push"


@cocotb.test()
async def software_can_tell_what_is_there(dut) -> None:
    nic = await started(dut)
    has = built()
    optional = has["SELFTEST"] << 1 | has["PTP"] << 2 | has["STATISTICS"] << 3 | has["OFFLOADS"] << 12
    assert await nic.read(CAPABILITY) == optional | has["SERVERS"] << 4 | (has["DEPTH"].bit_length() - 1) << 8


@cocotb.test()
async def servers_that_are_not_there_cannot_be_enabled_or_unmasked(dut) -> None:
    """Were SERVERS ignored here, frames would go to a queue that nobody can empty."""
    nic = await started(dut)
    there = (1 << built()["SERVERS"]) - 1
    for value in range(16):
        err, _, _ = await nic.access(SERVERS, value)
        assert err == bool(value & ~there), value
        if not err:
            assert await nic.read(SERVERS) == value
    await nic.write(SERVERS, there)
    await nic.access(SERVERS, 0xF)
    assert await nic.read(SERVERS) == there, "what is refused changes nothing"
    await nic.write(IRQ_MASK, 0x30F)
    assert await nic.read(IRQ_MASK) == 0x300 | there
    assert await nic.read(IRQ_STATUS) & 0xF == 0


@cocotb.test()
async def queues_hold_as_many_as_they_were_built_for(dut) -> None:
    """Widths that follow DEPTH: a counter that is a bit short shows 0 for a full queue, an index that is a bit long
    reads what was never written when it has gone round, a depth that is compared with 64 lets a queue overrun."""
    nic = await started(dut)
    depth = built()["DEPTH"]
    assert await nic.read(QUEUE_DEPTH) == depth
    for wrong in (0, depth + 1, 2 * depth, 65, 127, 1 << 31):
        assert (await nic.access(QUEUE_DEPTH, wrong))[0] == 1, wrong
        assert await nic.read(QUEUE_DEPTH) == depth
    for used in (depth, depth - 1, 1, depth):
        await nic.write(QUEUE_DEPTH, used)
        for number, queue in queues().items():
            for _ in range(2):
                pointers = [nic.rng.getrandbits(29) << 3 for _ in range(used)]
                for n, pointer in enumerate(pointers):
                    assert await nic.write(queue, pointer) == 0
                    assert await nic.read(queue + 1) == n + 1
                assert await nic.write(queue, 8) == FULL
                assert await nic.read(PUSH_FAILED) == 1 << number
                assert await nic.read(STATUS) == 0xC00 | 1 << number | (1 << number) << 12
                await nic.write(PUSH_FAILED, 0x1FF)
                assert [await nic.read(queue) for _ in pointers] == pointers
                assert await nic.read(queue) == EMPTY


@cocotb.test()
@cocotb.parametrize(steering=[0, 1])
async def frames_are_echoed_and_no_pointer_is_lost(dut, steering) -> None:
    """Every server that is there gets frames and no other one. A choice among servers that are not there stops the
    receive engine for ever; queues shorter than the engines believe lose pointers."""
    nic = await started(dut)
    has = built()
    nic.memory_stall, nic.rx_stall, nic.tx_stall = 0.1, 0.2, 0.2
    given = await nic.give_buffers(has["DEPTH"])
    await nic.write(STEERING, steering)
    await nic.write(SERVERS, (1 << nic.servers) - 1)
    await nic.write(CONTROL, NIC_ENABLE)
    frames = [nic.rng.randbytes(nic.rng.choice([60, 61, 64, 67, 200, 1514])) for _ in range(40)]
    stamps = [nic.rng.randrange(100) for _ in frames]
    nic.to_receive.extend(zip(frames, stamps, strict=True))
    seen = await echo(nic, len(frames))
    await nic.until(lambda: len(nic.sent) == len(frames))
    assert sorted(data for data, _, _ in seen) == sorted(frames)
    assert sorted(data for data, aborted, _ in nic.sent if not aborted) == sorted(frames)
    assert {server for _, server, _ in seen} == set(range(nic.servers))
    assert all((ns != 0) == bool(has["PTP"]) for _, _, ns in seen), "without PTP the stamp is 0"
    if has["STATISTICS"]:
        counters = await nic.counters()
        assert counters["packets_received"] == counters["packets_transmitted"] == len(frames)
        assert not any(count for name, count in counters.items() if "drop" in name)
    assert await nic.read(IRQ_STATUS) & ERROR == 0
    await nic.until_idle()
    await nic.check_all_pointers(given)


@cocotb.test()
async def frames_return_in_nic_loopback(dut) -> None:
    """Loopback delivers into the transmit queues: their places among the queues do not follow the number of servers."""
    nic = await started(dut)
    given = await nic.give_buffers(built()["DEPTH"])
    await nic.write(SERVERS, (1 << nic.servers) - 1)
    await nic.write(CONTROL, NIC_ENABLE | NIC_LOOPBACK)
    frames = [nic.rng.randbytes(nic.rng.randrange(60, 300)) for _ in range(30)]
    nic.to_receive.extend((frame, 0) for frame in frames)
    await nic.until(lambda: len(nic.sent) == len(frames))
    assert sorted(data for data, _, _ in nic.sent) == sorted(frames)
    await nic.until_idle()
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_full_server_is_passed_over_and_more_buffers_than_places_wait(dut) -> None:
    """A queue takes DEPTH frames, not more: then the next server's turn comes, and at last the frame waits."""
    nic = await started(dut)
    depth, servers = built()["DEPTH"], nic.servers
    given = await nic.give_buffers(depth)
    await nic.write(SERVERS, (1 << servers) - 1)
    await nic.write(CONTROL, NIC_ENABLE)
    await nic.write(QUEUE_DEPTH, 2)
    frames = [nic.rng.randbytes(60) for _ in range(2 * servers + 1)]
    nic.to_receive.extend((frame, 0) for frame in frames[: depth - 1])
    expected = min(2 * servers, len(frames[: depth - 1]))

    async def occupied() -> list[int]:
        return [await nic.read(RXQ[server] + 1) for server in range(servers)]

    for _ in range(300):
        if sum(await occupied()) == expected:
            break
    assert sum(await occupied()) == expected and max(await occupied()) <= 2
    await echo(nic, min(len(frames), depth - 1))
    await nic.until_idle()
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_dropped_frame_raises_the_error_also_where_nobody_counts(dut) -> None:
    nic = await started(dut)
    given = await nic.give_buffers(3)
    await nic.write(BUFFER_SIZE, 128)
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE)
    nic.to_receive.append((nic.rng.randbytes(400), 0))
    for _ in range(100):
        if await nic.read(IRQ_STATUS) & ERROR:
            break
    else:
        raise AssertionError("a frame was dropped and nobody knows")
    if built()["STATISTICS"]:
        assert (await nic.counters())["rx_drop_too_long"] == 1
    await nic.check_all_pointers(given)


@cocotb.test()
async def a_transmit_stamp_that_nobody_can_give_is_not_asked_for(dut) -> None:
    """Without PTP the MAC would be asked for stamps that nothing takes, were it ignored in the transmit engine."""
    nic = await started(dut)
    has = built()
    await nic.write(CONTROL, NIC_ENABLE)
    frame = nic.rng.randbytes(80)
    nic.put_frame(BASE, frame, tag=0x1234)
    assert await nic.write(TXQ[0], BASE) == 0
    await nic.until(lambda: len(nic.sent) == 1)
    assert nic.sent[0][:2] == (frame, False)
    assert nic.asked == ([frame] if has["PTP"] else [])
    await nic.clocks(300)
    assert bool(await nic.read(IRQ_STATUS) & ERROR) == (not has["PTP"]), "its loss is an error"
    if has["PTP"]:
        assert await nic.read(TX_STAMP) == 0x8000_1234
    elif has["STATISTICS"]:
        assert (await nic.counters())["tx_stamp_lost"] == 1


@cocotb.test()
async def the_self_test_tests_the_queues_that_are_there(dut) -> None:
    """A self-test that ignores SERVERS ends at a queue that answers with an error; one that ignores the depth in use
    finds a full queue too early."""
    if not built()["SELFTEST"]:
        return
    nic = await started(dut)
    for test in (QUEUES_TEST, SEQUENCE_TEST):
        await nic.write(SELFTEST, test)
        while (status := await nic.read(SELFTEST_STATUS)) & 1:
            await RisingEdge(dut.nic_clk)
        assert status == DONE, (test, hex(status))


LONG = ("three_servers", "full")  # the whole NIC has tests of its own


@pytest.mark.parametrize("configuration", some([name for name in CONFIGURATIONS if name not in LONG], LONG))
def test_nic_configurations(configuration: str) -> None:
    run_bench(
        "nic_tb",
        CONFIGURATIONS[configuration],
        extra_sources=(SUPPORT / "nic_tb.sv",),
        extra_env={"CONFIGURATION": configuration},
    )
