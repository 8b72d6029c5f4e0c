# SPDX-License-Identifier: Apache-2.0
"""pnic_host_port: each word goes where it belongs, and each access is answered, in order, whatever the clocks are."""

import os
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from net_hw import Layout
from pnic.scratchpad import REQUEST, RESPONSE, Op
from runs import some

ACCESS = Layout(valid=1, write=1, address=17, data=32)
IMEM, CONTROL, NOTHING = 0x40000 >> 2, 0x60000 >> 2, 0x60004 >> 2


class Inside:
    """Scratchpad, instruction memory and interrupt behind the port."""

    def __init__(self, dut: Any, rng: Random) -> None:
        self.dut, self.rng = dut, rng
        self.pad: dict[int, int] = {}
        self.imem: dict[int, int] = {}
        self.seen = 0

    async def run(self) -> None:
        dut, answer = self.dut, None
        granted = False
        while True:
            await RisingEdge(dut.clk)
            self.seen += int(dut.seen.value)
            if dut.imem_write.value:
                self.imem[int(dut.imem_address.value)] = int(dut.imem_data.value)
            one = REQUEST.unpack(int(dut.pad_req.value))
            answer = None
            if granted:
                assert one["valid"] and one["mask"] == 0xF
                if one["op"] == Op.STORE:
                    self.pad[one["address"]] = one["data"]
                answer = self.pad.get(one["address"], 0)
            granted = not granted and bool(one["valid"]) and self.rng.random() < 0.5
            dut.pad_rsp.value = RESPONSE.pack(ready=int(granted), valid=int(answer is not None), data=answer or 0)


@cocotb.test()
async def each_word_goes_where_it_belongs(dut: Any) -> None:
    rng = Random(int(os.environ["SEED"]))
    inside = Inside(dut, rng)
    for clock in (dut.clk, dut.host_clk):
        cocotb.start_soon(Clock(clock, 2 * rng.randint(2, 9), unit="ns").start())
    dut.access.value = dut.pad_rsp.value = dut.irq.value = 0
    dut.rst.value = dut.host_rst.value = 1
    await Timer(200, unit="ns")
    dut.rst.value = dut.host_rst.value = 0
    assert dut.run.value == 0
    cocotb.start_soon(inside.run())
    pad: dict[int, int] = {}
    imem: dict[int, int] = {}
    expected: list[int | None] = []
    found: list[int] = []
    running = seen = 0

    async def answers() -> None:
        while True:
            await RisingEdge(dut.host_clk)
            if dut.answer_valid.value:
                found.append(int(dut.answer.value))

    cocotb.start_soon(answers())
    for _ in range(300):
        kind, write, data = rng.choice("ppic-"), rng.random() < 0.5, rng.getrandbits(32)
        word = rng.randrange(1 << 16) if kind == "p" else rng.randrange(1 << 15)
        if kind == "p":
            word = rng.choice([word, rng.randrange(4), 0xFFFF])
            address = word
            if write:
                pad[word] = data
            expected.append(None if write else pad.get(word, 0))
        elif kind == "i":
            address = IMEM | word
            if write:
                imem[word] = data
            expected.append(None)
        elif kind == "c":
            address = CONTROL
            if write:
                running, seen = data & 1, seen + (data >> 1 & 1)
            expected.append(None if write else running)
        else:
            address = NOTHING | (word & ~1)
            expected.append(None)
        dut.access.value = ACCESS.pack(valid=1, write=int(write), address=address, data=data)
        while True:
            await RisingEdge(dut.host_clk)
            if dut.access_ready.value:
                break
        if rng.random() < 0.5:
            dut.access.value = 0
            for _ in range(rng.randrange(12)):
                await RisingEdge(dut.host_clk)
    dut.access.value = 0
    for _ in range(400):
        await RisingEdge(dut.host_clk)
    assert len(found) == len(expected)
    assert all(value is None or got == value for got, value in zip(found, expected, strict=True))
    assert (inside.pad, inside.imem, inside.seen, dut.run.value) == (pad, imem, seen, running)


@pytest.mark.parametrize("seed", some([1, 2], range(3, 9)))
def test_pnic_host_port(seed: int) -> None:
    run_bench("pnic_host_port", seed=seed, extra_env={"SEED": str(seed)})
