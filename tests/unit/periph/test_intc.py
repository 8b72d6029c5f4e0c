# SPDX-License-Identifier: Apache-2.0
"""intc shows the levels, passes on to each hart what it has enabled, and names the lowest number first."""

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import AFB, Master, Port, Request, only_these_offsets_exist, start
from runs import some

PENDING, ENABLE, NEXT = 0x00, 0x04, 0x08
WINDOW = 0x20  # of a hart


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
        assert int(dut.irq_external.value) == levels & enable, "each line for itself"
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
    known = {WINDOW * hart + offset for hart in range(int(dut.HARTS.value)) for offset in (PENDING, ENABLE, NEXT)}
    await only_these_offsets_exist(dut, Master(Port(dut, "afb", AFB), rng), known)


@cocotb.test()
async def each_hart_hears_of_the_lines_that_it_has_enabled(dut) -> None:
    rng = await start(dut)
    bus = Master(Port(dut, "afb", AFB), rng)
    n, harts = len(dut.irq), range(int(dut.HARTS.value))
    enabled = [0 for _ in harts]
    for _ in range(60):
        levels, changed = rng.getrandbits(n) & rng.getrandbits(n), rng.choice(harts)
        enabled[changed] = rng.getrandbits(n) & rng.getrandbits(n)
        dut.irq.value = levels
        await bus.call(Request(WINDOW * changed + ENABLE, False, 0xF, enabled[changed]))
        await ClockCycles(dut.clk, 2)
        assert int(dut.irq_external.value) == sum((levels & enabled[h]) << n * h for h in harts)
        for h in harts:
            active = [i for i in range(n) if levels & enabled[h] & 1 << i]
            data = [(await bus.call(Request(WINDOW * h + o, True, 0xF))).data for o in (PENDING, ENABLE, NEXT)]
            assert data == [levels, enabled[h], min(active, default=0xFFFF_FFFF)]


@pytest.mark.parametrize("harts", some([3], [1]))
def test_intc(harts: int) -> None:
    run_bench("intc", {"N": 20, "HARTS": harts})
