# SPDX-License-Identifier: Apache-2.0
"""frame_generator: every byte of its frames, how many there are, and when each may begin."""

from itertools import pairwise

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import start
from pattern import DESTINATION, SOURCE, Taken, Taker, generated, tx_fields

pytestmark = pytest.mark.slow

LINE_BYTES = 24
LENGTHS = [*range(46, 63), 64, 100, 511, 1023, 1486, 1499, 1500]


async def ready(dut, **settings: int) -> Taker:
    for name, value in {
        "enable": 0,
        "delay_cycles": 0,
        "frame_count": 0,
        "payload_bytes": 46,
        "time_now": 0,
        "destination": DESTINATION,
        "source": SOURCE,
        **settings,
    }.items():
        getattr(dut, name).value = value
    rng = await start(dut, 8)
    frame, valid, _ = tx_fields(dut.tx_frame)
    taker = Taker(dut, frame, valid, dut.tx_frame_ready)
    cocotb.start_soon(taker.run(rng))
    cocotb.start_soon(time(dut, taker))
    return taker


async def time(dut, taker: Taker) -> None:
    while True:
        await RisingEdge(dut.clk)
        dut.time_now.value = taker.cycle


async def frames(dut, taker: Taker, count: int) -> list[Taken]:
    for _ in range(200_000):
        if len(taker.frames) >= count:
            return taker.frames
        await RisingEdge(dut.clk)
    raise AssertionError(f"{len(taker.frames)} of {count} frames came")


def check(taken: Taken, number: int, payload: int, close: bool = True) -> None:
    sent_at = int.from_bytes(taken.data[18:22], "big")
    assert taken.data == generated(number, sent_at, payload)
    assert not close or 0 <= taken.first - sent_at <= 4, "the time is that of its begin"


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.6])
async def every_byte_of_every_length_is_as_described(dut, stall) -> None:
    taker = await ready(dut)
    taker.stall = stall
    number = 0
    for payload in LENGTHS:
        dut.payload_bytes.value = payload
        await ClockCycles(dut.clk, 3)
        dut.frame_count.value = number + 3
        dut.enable.value = 1
        await frames(dut, taker, number + 3)
        dut.enable.value = 0
        for i in range(3):
            check(taker.frames[number + i], number + i, payload, close=stall == 0)
        number += 3
        assert dut.begun.value == number


@cocotb.test()
@cocotb.parametrize(payload=[46, 1500], delay=[0, 1, 125, 1000])
async def a_frame_begins_when_the_one_before_had_its_time_on_the_line_and_the_delay(dut, payload, delay) -> None:
    taker = await ready(dut, payload_bytes=payload, delay_cycles=delay, enable=1)
    await frames(dut, taker, 5)
    begins = [int.from_bytes(f.data[18:22], "big") for f in taker.frames]
    assert {b - a for a, b in pairwise(begins)} == {payload + 14 + LINE_BYTES + delay}
    assert all(f.last - f.first == (payload + 13) // 8 for f in taker.frames), "one beat a cycle"


@cocotb.test()
async def it_ends_after_frame_count_and_goes_on_with_the_next_number(dut) -> None:
    taker = await ready(dut, frame_count=4, enable=1)
    await ClockCycles(dut.clk, 2000)
    assert len(taker.frames) == 4 and dut.begun.value == 4
    dut.frame_count.value = 6
    await ClockCycles(dut.clk, 500)
    assert len(taker.frames) == 6
    for number, taken in enumerate(taker.frames):
        check(taken, number, 46)
    dut.enable.value = 0
    dut.frame_count.value = 0
    await ClockCycles(dut.clk, 500)
    assert len(taker.frames) == 6


def test_frame_generator() -> None:
    run_bench("frame_generator")
