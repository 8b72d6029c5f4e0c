# SPDX-License-Identifier: Apache-2.0
"""timer counts every clock, carries into the high word, and interrupts each hart while the time is at its compare."""

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from drivers import AFB, Master, Port, Request, only_these_offsets_exist, start
from runs import some

TIME_LO, TIME_HI, COMPARE_LO, COMPARE_HI, MSIP = 0x00, 0x04, 0x08, 0x0C, 0x10
WINDOW = 0x20  # of a hart


class Timer:
    def __init__(self, dut, rng) -> None:
        self.dut = dut
        self.bus = Master(Port(dut, "afb", AFB), rng)

    async def read(self, offset: int) -> int:
        response = await self.bus.call(Request(offset, True, 0xF))
        assert not response.err
        return response.data

    async def write(self, offset: int, value: int, mask: int = 0xF) -> None:
        response = await self.bus.call(Request(offset, False, mask, value))
        assert (response.data, response.err) == (0, False)


async def timer_of(dut) -> Timer:
    return Timer(dut, await start(dut))


@cocotb.test()
async def time_counts_every_clock(dut) -> None:
    timer = await timer_of(dut)
    first, at = await timer.read(TIME_LO), timer.bus.sent_at[-1]
    for wait in (1, 7, 100):
        await ClockCycles(dut.clk, wait)
        now = await timer.read(TIME_LO)
        assert now - first == timer.bus.sent_at[-1] - at
    assert await timer.read(TIME_HI) == 0


@cocotb.test()
async def the_low_word_carries_into_the_high_word(dut) -> None:
    timer = await timer_of(dut)
    await timer.write(TIME_HI, 0x1234_56FF)
    await timer.write(TIME_LO, 0xFFFF_FFF0)
    seen = []
    for _ in range(12):
        # High, low, high, as software reads it: where both high words agree the pair is one time.
        high, low, again = [await timer.read(offset) for offset in (TIME_HI, TIME_LO, TIME_HI)]
        if high == again:
            seen.append((high << 32 | low, timer.bus.sent_at[-2]))
    assert seen[0][0] < 0x1234_5700_0000_0000 <= seen[-1][0]
    assert len({time - cycle for time, cycle in seen}) == 1, "no clock lost or doubled at the carry"


@cocotb.test()
async def all_64_bits_wrap_to_zero(dut) -> None:
    timer = await timer_of(dut)
    await timer.write(TIME_LO, 0)
    await timer.write(TIME_HI, 0xFFFF_FFFF)
    await timer.write(TIME_LO, 0xFFFF_FFFC)
    await ClockCycles(dut.clk, 8)
    assert await timer.read(TIME_HI) == 0
    assert await timer.read(TIME_LO) < 40


@cocotb.test()
@cocotb.parametrize(base=[0, 0xFFFF_FFF0, 0x7_FFFF_FFC0])
async def irq_timer_is_high_while_time_is_at_or_past_compare(dut, base) -> None:
    timer = await timer_of(dut)
    assert not dut.irq_timer.value
    target = base + 64
    await timer.write(COMPARE_HI, target >> 32)
    await timer.write(COMPARE_LO, target & 0xFFFF_FFFF)
    await timer.write(TIME_LO, 0)
    await timer.write(TIME_HI, base >> 32)
    await timer.write(TIME_LO, base & 0xFFFF_FFFF)
    written_at = timer.bus.sent_at[-1]  # n edges after this one the time is base + n
    while not dut.irq_timer.value:
        await RisingEdge(dut.clk)
        await ReadOnly()
        assert timer.bus.cycle < written_at + 100
    assert timer.bus.cycle - written_at == 64 + 1, "one cycle behind the time"
    await ClockCycles(dut.clk, 20)
    assert dut.irq_timer.value, "it is a level"
    await timer.write(COMPARE_HI, (target >> 32) + 1)
    await ClockCycles(dut.clk, 2)
    assert not dut.irq_timer.value
    await timer.write(COMPARE_HI, 0)
    await timer.write(COMPARE_LO, 0)
    await ClockCycles(dut.clk, 2)
    assert dut.irq_timer.value


@cocotb.test()
async def registers_take_the_bytes_that_are_written(dut) -> None:
    timer = await timer_of(dut)
    assert [await timer.read(o) for o in (COMPARE_LO, COMPARE_HI)] == [0xFFFF_FFFF] * 2, "no interrupt after reset"
    await timer.write(COMPARE_LO, 0x1122_3344)
    await timer.write(COMPARE_LO, 0xAABB_CCDD, mask=0b0101)
    assert await timer.read(COMPARE_LO) == 0x11BB_33DD
    await timer.write(COMPARE_HI, 0x0055_0000, mask=0b0100)
    assert await timer.read(COMPARE_HI) == 0xFF55_FFFF
    await timer.write(TIME_HI, 0xA5A5_A5A5, mask=0b1000)
    assert await timer.read(TIME_HI) == 0xA500_0000


@cocotb.test()
async def msip_is_the_software_interrupt(dut) -> None:
    timer = await timer_of(dut)
    for value in (1, 0, 0xFFFF_FFFF, 0xFFFF_FFFE):
        await timer.write(MSIP, value)
        await RisingEdge(dut.clk)
        assert int(dut.irq_software.value) == value & 1
        assert await timer.read(MSIP) == value & 1
    await timer.write(MSIP, 0xFFFF_FFFF, mask=0b1110)
    assert await timer.read(MSIP) == 0


@cocotb.test()
async def other_offsets_are_refused(dut) -> None:
    timer = await timer_of(dut)
    offsets = (TIME_LO, TIME_HI, COMPARE_LO, COMPARE_HI, MSIP)
    known = {WINDOW * hart + offset for hart in range(int(dut.HARTS.value)) for offset in offsets}
    await only_these_offsets_exist(dut, timer.bus, known)


@cocotb.test()
async def harts_have_one_time_and_each_its_own_compare_and_software_interrupt(dut) -> None:
    timer = await timer_of(dut)
    harts = range(int(dut.HARTS.value))
    targets = [200 + 100 * (h * 2 % len(harts)) for h in harts]  # not in the order of the harts
    for h in harts:
        await timer.write(WINDOW * h + COMPARE_HI, 0)
        await timer.write(WINDOW * h + COMPARE_LO, targets[h])
        await timer.write(WINDOW * h + MSIP, h % 2)
    assert int(dut.irq_software.value) == sum(1 << h for h in harts if h % 2)
    now = []
    for h in harts:
        assert await timer.read(WINDOW * h + COMPARE_LO) == targets[h]
        assert await timer.read(WINDOW * h + MSIP) == h % 2
        now.append(await timer.read(WINDOW * h + TIME_LO) - timer.bus.sent_at[-1])
    assert len(set(now)) == 1, "one time, in every window"
    await timer.write(WINDOW * harts[-1] + TIME_LO, 0)
    written_at = timer.bus.sent_at[-1]
    rose: dict[int, int] = {}
    while len(rose) < len(harts):
        await RisingEdge(dut.clk)
        await ReadOnly()
        for h in harts:
            if int(dut.irq_timer.value) >> h & 1:
                rose.setdefault(h, timer.bus.cycle - written_at)
        assert timer.bus.cycle < written_at + 1000
    assert rose == {h: targets[h] + 1 for h in harts}, "one cycle behind the time"


@pytest.mark.parametrize("harts", some([3], [1]))
def test_timer(harts: int) -> None:
    run_bench("timer", {"HARTS": harts})
