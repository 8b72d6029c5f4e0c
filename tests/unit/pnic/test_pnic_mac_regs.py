# SPDX-License-Identifier: Apache-2.0
"""pnic_mac_regs: settings reach the MAC together, the last ones at the latest; each end of a frame is counted, once."""

import os
import random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from net_hw import Layout

REG = Layout(valid=1, write=1, number=6, data=32)
SETTINGS = Layout(
    mac_address=48, multicast_hash=64, rx_store=1, broadcast=1, promiscuous=1, tx_pause=1, rx_pause=1, mii=1
)  # fmt: skip
CONTROL, ADDRESS_LOW, ADDRESS_HIGH, HASH_LOW, HASH_HIGH, LINK = range(6)
MISSED, ENDS = 15, 16
KINDS = 14
SENT, GOOD = 9, 8
MAC_NS = 6.4


async def started(dut: Any, core_ns: float = 6.02, wait: int = 40) -> None:
    cocotb.start_soon(Clock(dut.clk, core_ns, unit="ns", period_high=core_ns / 2).start())
    cocotb.start_soon(Clock(dut.mac_clk, MAC_NS, unit="ns").start())
    dut.rst.value = dut.mac_rst.value = 1
    dut.regs.value = dut.link_fault.value = dut.stat.value = 0
    for _ in range(10):
        await RisingEdge(dut.clk)
    dut.rst.value = dut.mac_rst.value = 0
    for _ in range(wait):
        await RisingEdge(dut.clk)


async def write(dut: Any, number: int, data: int) -> None:
    dut.regs.value = REG.pack(valid=1, write=1, number=number, data=data)
    await RisingEdge(dut.clk)
    dut.regs.value = 0


async def read(dut: Any, number: int) -> int:
    dut.regs.value = REG.pack(valid=1, number=number)
    await RisingEdge(dut.clk)
    dut.regs.value = 0
    await RisingEdge(dut.clk)
    return int(dut.regs_data.value)


async def cycles(clock: Any, count: int) -> None:
    for _ in range(count):
        await RisingEdge(clock)


@cocotb.test()
async def the_mac_is_told_what_was_written(dut: Any) -> None:
    await started(dut)
    after_reset = SETTINGS.unpack(int(dut.settings.value))
    assert after_reset == dict.fromkeys(after_reset, 0) | {"broadcast": 1, "promiscuous": 1}
    assert [await read(dut, number) for number in range(5)] == [3, 0, 0, 0, 0]
    words = {
        CONTROL: 0xC,
        ADDRESS_LOW: 0x8899_AABB,
        ADDRESS_HIGH: 0x8266,
        HASH_LOW: 0x9234_5678,
        HASH_HIGH: 0x9ABC_DEF1,
    }
    for number, word in words.items():
        await write(dut, number, word)
    assert [await read(dut, number) for number in range(5)] == list(words.values())
    await cycles(dut.mac_clk, 30)
    assert SETTINGS.unpack(int(dut.settings.value)) == {
        "mac_address": 0x8266_8899_AABB, "multicast_hash": 0x9ABC_DEF1_9234_5678, "rx_store": 0, "broadcast": 0,
        "promiscuous": 0, "tx_pause": 1, "rx_pause": 1, "mii": 0,
    }  # fmt: skip
    for bit, name in enumerate(("promiscuous", "broadcast", "tx_pause", "rx_pause")):
        await write(dut, CONTROL, 1 << bit)
        await cycles(dut.mac_clk, 30)
        told = SETTINGS.unpack(int(dut.settings.value))
        assert [key for key in ("promiscuous", "broadcast", "tx_pause", "rx_pause") if told[key]] == [name]


@cocotb.test()
async def of_many_writes_the_last_one_counts(dut: Any) -> None:
    await started(dut)
    rng = random.Random(1)
    for _ in range(30):
        last = 0
        for _ in range(rng.randrange(1, 12)):
            last = rng.getrandbits(32)
            await write(dut, HASH_LOW, last)
            await cycles(dut.clk, rng.randrange(4))
        await write(dut, LINK, 0)  # nothing
        await cycles(dut.mac_clk, 40)
        assert SETTINGS.unpack(int(dut.settings.value))["multicast_hash"] == last


@cocotb.test()
async def a_fault_of_the_link_is_shown(dut: Any) -> None:
    await started(dut)
    for fault in (1, 2, 0):
        dut.link_fault.value = fault
        await cycles(dut.clk, 8)
        assert await read(dut, LINK) == fault


async def ends(dut: Any, cycles_: int, every: int) -> list[int]:
    """Ends of both directions at their densest, of any kind; how many there were of each."""
    rng = random.Random(every)
    counts = [0] * KINDS
    for cycle in range(cycles_):
        stat = 0
        for phase, kinds, usual in ((0, range(9), GOOD), (every // 2 if cycle % 3 else 0, range(9, KINDS), SENT)):
            if cycle % every == phase:
                kind = rng.choice([*kinds, usual])
                stat |= 1 << kind
                counts[kind] += 1
        dut.stat.value = stat
        await RisingEdge(dut.mac_clk)
    dut.stat.value = 0
    return counts


@cocotb.test()
async def each_end_is_counted_once(dut: Any) -> None:
    await started(dut, float(os.environ["CORE_NS"]))
    total = [0] * KINDS
    for _ in range(2):
        found = await ends(dut, 3000, 10)
        total = [was + more for was, more in zip(total, found, strict=True)]
        await cycles(dut.clk, 60)
        assert [await read(dut, ENDS + kind) for kind in range(KINDS)] == total
    assert await read(dut, MISSED) == 0
    assert await read(dut, ENDS + KINDS) == await read(dut, 8) == await read(dut, 48) == 0


@cocotb.test()
async def so_are_those_that_come_before_the_counters_are_cleared(dut: Any) -> None:
    await started(dut, wait=3)
    await RisingEdge(dut.mac_clk)
    dut.stat.value = 1 << GOOD
    await RisingEdge(dut.mac_clk)
    dut.stat.value = 0
    await cycles(dut.clk, 40)
    assert [await read(dut, ENDS + kind) for kind in range(KINDS)] == [kind == GOOD for kind in range(KINDS)]


@cocotb.test()
async def what_comes_too_fast_is_told(dut: Any) -> None:
    await started(dut, 80.0)
    found = await ends(dut, 300, 2)
    await cycles(dut.clk, 100)
    counted = sum([await read(dut, ENDS + kind) for kind in range(KINDS)])
    missed = await read(dut, MISSED)
    assert 0 < missed < 255 and counted < sum(found)
    found = await ends(dut, 2000, 2)
    await cycles(dut.clk, 100)
    assert await read(dut, MISSED) == 255


@pytest.mark.parametrize("core_ns", [6.02, 30.0])
def test_pnic_mac_regs(core_ns: float) -> None:
    run_bench("pnic_mac_regs", extra_env={"CORE_NS": str(core_ns)})
