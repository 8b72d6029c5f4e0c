# SPDX-License-Identifier: Apache-2.0
"""The stamp converter against integers of any size: exact for every age, rate and time, and restarted at will."""

import random

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

LAG = 2


@cocotb.test()
async def converts_exactly(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    clock = RisingEdge(dut.clk)
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    dut.rst.value = 1
    for name in ("time_now", "ptp_now", "increment", "convert_valid", "convert_stamp"):
        getattr(dut, name).value = 0
    await clock
    dut.rst.value = 0
    await clock
    assert not dut.converted_valid.value
    corners = (0, 1, (1 << 32) - 1, 1 << 31, 0xFFFF, 0x10000)
    for _ in range(3000):
        now = rng.choice([rng.getrandbits(32), *corners])
        age = rng.choice([rng.randrange(300), rng.getrandbits(32), *corners])
        increment = rng.choice([8 << 28, rng.getrandbits(32), 0, (1 << 32) - 1])
        ptp = rng.choice([rng.getrandbits(92), 0, (1 << 92) - 1, 1 << 60])
        dut.time_now.value = now
        dut.convert_stamp.value = (now - LAG - age) % (1 << 32)
        dut.ptp_now.value = ptp
        dut.increment.value = increment
        dut.convert_valid.value = 1
        await clock
        dut.convert_valid.value = 0
        dut.time_now.value = rng.getrandbits(32)
        dut.ptp_now.value = rng.getrandbits(92)
        dut.increment.value = rng.getrandbits(32)
        for _ in range(rng.choice([0, 1, 3])):  # a new one at any time
            await clock
            assert not dut.converted_valid.value
        if rng.random() < 0.3:
            continue
        for _ in range(20):
            await clock
            if dut.converted_valid.value:
                break
        for _ in range(rng.randrange(3)):
            assert dut.converted_valid.value
            assert int(dut.converted.value) == (ptp - age * increment) % (1 << 92) >> 28
            await clock


@cocotb.test()
async def takes_a_cycle_for_each_two_bits_of_the_age(dut) -> None:
    clock = RisingEdge(dut.clk)
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    dut.rst.value = 1
    dut.convert_valid.value = 0
    await clock
    dut.rst.value = 0
    await clock
    for age, cycles in ((0, 4), (3, 4), (4, 5), (90, 7), (1024, 9), (2047, 9), (2048, 9), (4096, 10), (2**32 - 1, 19)):
        dut.time_now.value = 5000
        dut.convert_stamp.value = (5000 - LAG - age) % 2**32
        dut.convert_valid.value = 1
        await clock  # the edge that takes it
        dut.convert_valid.value = 0
        seen = []
        for _ in range(20):
            await clock
            seen.append(int(dut.converted_valid.value))
        assert seen == (cycles - 1) * [0] + (21 - cycles) * [1], f"age {age}"


def test_nic_stamp_converter() -> None:
    run_bench("nic_stamp_converter", {"LAG": LAG})
