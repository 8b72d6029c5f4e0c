# SPDX-License-Identifier: Apache-2.0
"""intc shows the levels, passes on what is enabled, and names the lowest number first."""

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import AFB, Master, Port, Request, only_these_offsets_exist, start

PENDING, ENABLE, NEXT = 0x00, 0x04, 0x08


@cocotb.test()
async def enabled_levels_interrupt_and_the_lowest_is_next(dut) -> None:
    rng = await start(dut)
    bus = Master(Port(dut, "afb", AFB), rng)
    n = len(dut.irq)
    dut.irq.value = (1 << n) - 1
    await ClockCycles(dut.clk, 3)
    assert not dut.irq_external.value, "nothing is enabled after reset"
    for _ in range(60):
        levels, enable = (rng.getrandbits(n) & rng.getrandbits(n) for _ in range(2))
        dut.irq.value = levels
        await bus.call(Request(ENABLE, False, 0xF, enable))
        await ClockCycles(dut.clk, 2)
        active = [i for i in range(n) if levels >> i & 1 and enable >> i & 1]
        assert int(dut.irq_external.value) == bool(active)
        assert (await bus.call(Request(PENDING, True, 0xF))).data == levels
        assert (await bus.call(Request(ENABLE, True, 0xF))).data == enable
        assert (await bus.call(Request(NEXT, True, 0xF))).data == min(active, default=0xFFFF_FFFF)
    # The level falls: the interrupt is gone without any write.
    await bus.call(Request(ENABLE, False, 0xF, (1 << n) - 1))
    dut.irq.value = 1
    await ClockCycles(dut.clk, 3)
    assert dut.irq_external.value
    dut.irq.value = 0
    await ClockCycles(dut.clk, 3)
    assert not dut.irq_external.value


@cocotb.test()
async def writes_change_the_enable_bytes_only(dut) -> None:
    rng = await start(dut)
    bus = Master(Port(dut, "afb", AFB), rng)
    dut.irq.value = 0
    every = (1 << len(dut.irq)) - 1
    await bus.call(Request(ENABLE, False, 0xF, 0xFFFF_FFFF))
    for offset in (PENDING, NEXT):
        response = await bus.call(Request(offset, False, 0xF, 0))
        assert (response.data, response.err) == (0, False)
    assert (await bus.call(Request(ENABLE, True, 0xF))).data == every
    await bus.call(Request(ENABLE, False, 0b0001, 0))
    assert (await bus.call(Request(ENABLE, True, 0xF))).data == every & ~0xFF


@cocotb.test()
async def other_offsets_are_refused(dut) -> None:
    rng = await start(dut)
    dut.irq.value = 0
    await only_these_offsets_exist(dut, Master(Port(dut, "afb", AFB), rng), {PENDING, ENABLE, NEXT})


def test_intc() -> None:
    run_bench("intc", {"N": 20})
