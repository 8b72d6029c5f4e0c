# SPDX-License-Identifier: Apache-2.0
"""cpu_load_queue: which registers wait, and that each gets its own load's data, with numbers of 5 and of 8 bits."""

import random
from collections import deque
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from runs import some

pytestmark = pytest.mark.slow

DEPTH = 4


@dataclass
class Load:
    register: int
    wanted: bool  # it has a register
    how: tuple[int, int]  # first, funct3
    value: int | None = None  # its answer


@cocotb.test()
async def registers_wait_for_their_own_loads(dut: Any) -> None:
    rng = random.Random(random.getrandbits(64))
    registers = 1 << len(dut.rs1)
    forward = bool(int(dut.FORWARD.value))
    for name in ("add", "rsp_valid", "port_free", "rs1", "rs2", "rd"):
        getattr(dut, name).value = 0
    cocotb.start_soon(Clock(dut.cpu_clk, 10, "ns").start())
    dut.cpu_rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.cpu_clk)
    dut.cpu_rst.value = 0
    loads: deque[Load] = deque()
    written = 0
    for _ in range(4000):
        asked = [rng.choice([load.register ^ rng.choice([0, 0, 1, registers >> 1]) for load in loads] or [0])
                 for _ in range(3)]  # fmt: skip
        dut.rs1.value, dut.rs2.value, dut.rd.value = asked
        free = [number for number in range(registers) if number not in [load.register for load in loads]]
        add = len(loads) < DEPTH and rng.random() < 0.6
        new = Load(rng.choice(free), rng.random() < 0.9, (rng.randrange(8), rng.randrange(8)))
        dut.add.value, dut.add_rd.value, dut.add_rd_we.value = add, new.register, new.wanted
        dut.add_first.value, dut.add_funct3.value = new.how
        oldest = next((load for load in loads if load.value is None), None)
        answers = oldest is not None and rng.random() < 0.5
        value = rng.getrandbits(32)
        dut.rsp_valid.value, dut.rsp_value.value = answers, value
        port_free = rng.random() < 0.5
        dut.port_free.value = port_free
        await FallingEdge(dut.cpu_clk)

        assert bool(dut.full.value) == (len(loads) == DEPTH)
        assert bool(dut.almost_full.value) == (len(loads) == DEPTH - 1)
        assert bool(dut.unanswered.value) == (oldest is not None)
        if oldest:
            assert (int(dut.first.value), int(dut.funct3.value)) == oldest.how
        waiting = {load.register for load in loads if load.wanted}
        if answers and oldest:
            oldest.value = value
        leaves = loads[0] if loads and loads[0].value is not None and port_free else None
        assert bool(dut.write.value) == (leaves is not None)
        comes = leaves.register if leaves and leaves.wanted and forward else None
        if leaves:
            assert bool(dut.write_we.value) == leaves.wanted
            assert (int(dut.write_rd.value), int(dut.write_value.value)) == (leaves.register, leaves.value)
        assert bool(dut.rs1_comes.value) == (asked[0] == comes)
        assert bool(dut.rs2_comes.value) == (asked[1] == comes)
        assert bool(dut.rs1_waits.value) == (asked[0] in waiting and asked[0] != comes)
        assert bool(dut.rs2_waits.value) == (asked[1] in waiting and asked[1] != comes)
        assert bool(dut.rd_waits.value) == (asked[2] in waiting)
        if leaves:
            loads.popleft()
            written += 1
        if add:
            loads.append(new)
        await RisingEdge(dut.cpu_clk)
    assert written > 500


@pytest.mark.parametrize(("bits", "forward"), some([(8, 0)], [(5, 1), (5, 0), (8, 1)]))
def test_numbers_of_registers_have_as_many_bits_as_the_core_says(bits: int, forward: int) -> None:
    run_bench("cpu_load_queue", {"DEPTH": DEPTH, "REG_W": bits, "FORWARD": forward})
