# SPDX-License-Identifier: Apache-2.0
"""l2_regs shows what the cache counts and how large it is; nothing can be written."""

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import AFB, Master, Port, Request, Response, only_these_offsets_exist, start
from runs import some

from nsoc.machine import regs

REGISTERS = {name: register.offset for name, register in regs.BLOCKS["l2"].registers.items()}


@cocotb.test()
async def each_counter_is_where_the_register_map_says(dut) -> None:
    rng = await start(dut)
    bus = Master(Port(dut, "afb", AFB), rng)
    assert sorted(REGISTERS) == ["hits", "misses", "size", "write_backs"]
    for _ in range(20):
        expected = {"size": int(dut.BYTES.value)}
        for name in ("hits", "misses", "write_backs"):
            expected[name] = rng.getrandbits(32)
            getattr(dut, name).value = expected[name]
        await ClockCycles(dut.clk, 1)
        for name, offset in REGISTERS.items():
            assert await bus.call(Request(offset, True, 0xF)) == Response(expected[name])
            assert await bus.call(Request(offset, False, 0xF, rng.getrandbits(32))) == Response(0)


@cocotb.test()
async def other_offsets_are_errors(dut) -> None:
    rng = await start(dut)
    dut.hits.value = dut.misses.value = dut.write_backs.value = 0
    await only_these_offsets_exist(dut, Master(Port(dut, "afb", AFB), rng), set(REGISTERS.values()))


@pytest.mark.parametrize("size", some([131072], [0]))
def test_l2_regs(size: int) -> None:
    run_bench("l2_regs", {"BYTES": size})
