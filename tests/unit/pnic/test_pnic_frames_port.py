# SPDX-License-Identifier: Apache-2.0
"""pnic_frames_port: words and bytes of a core, in beats of the frame memory whose first byte is in the top lane."""

import os
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from net_hw import Layout
from runs import some

FAR = Layout(valid=1, write=1, address=32, mask=4, data=32)
FAR_RSP = Layout(ready=1, valid=1, error=1, data=32)
FM = Layout(valid=1, write=1, more=1, address=20, mask=16, data=128)
FM_RSP = Layout(ready=1, valid=1, data=128)


async def memory(dut: Any, rng: Random, bytes_: dict[int, int]) -> None:
    """Beats in any time."""
    shown = 0
    due = -1
    while True:
        await RisingEdge(dut.fm_clk)
        one = FM.unpack(int(dut.fm_req.value))
        rsp = {"ready": 0, "valid": 0, "data": 0}
        if shown:
            shown = 0
            assert one["valid"] and not one["more"]
            if one["write"]:
                for i in range(16):
                    if one["mask"] >> (15 - i) & 1:
                        bytes_[16 * one["address"] + i] = one["data"] >> 8 * (15 - i) & 0xFF
            else:
                due = rng.randrange(1, 30)
        elif one["valid"] and rng.random() < 0.4:
            rsp["ready"] = shown = 1
        if due == 0:
            data = bytes(bytes_.get(16 * one["address"] + i, 0) for i in range(16))
            rsp |= {"valid": 1, "data": int.from_bytes(data, "big")}
        due -= due >= 0
        dut.fm_rsp.value = FM_RSP.pack(**rsp)


@cocotb.test()
async def words_and_bytes_are_where_they_belong(dut: Any) -> None:
    rng = Random(int(os.environ["SEED"]))
    for clock in (dut.clk, dut.fm_clk):
        cocotb.start_soon(Clock(clock, 2 * rng.randint(2, 9), unit="ns").start())
    dut.frames.value = dut.fm_rsp.value = 0
    dut.rst.value = dut.fm_rst.value = 1
    await Timer(200, unit="ns")
    dut.rst.value = dut.fm_rst.value = 0
    held: dict[int, int] = {}
    cocotb.start_soon(memory(dut, rng, held))
    model: dict[int, int] = {}
    for _ in range(200):
        word = 4 * rng.choice([rng.randrange(8), rng.randrange(1 << 22), (1 << 22) - 1])
        write, mask, data = rng.random() < 0.5, rng.choice((0xF, 1, 2, 4, 8, 3, 12)), rng.getrandbits(32)
        dut.frames.value = FAR.pack(valid=1, write=int(write), address=word, mask=mask, data=data)
        waits = True
        while True:
            await RisingEdge(dut.clk)
            answer = FAR_RSP.unpack(int(dut.frames_rsp.value))
            if waits and answer["ready"]:
                dut.frames.value = waits = 0
            if answer["valid"]:
                break
        assert not waits and not answer["error"]
        if write:
            model |= {word + i: data >> 8 * i & 0xFF for i in range(4) if mask >> i & 1}
        else:
            assert answer["data"] == sum(model.get(word + i, 0) << 8 * i for i in range(4))
    assert held == model


@pytest.mark.parametrize("seed", some([1, 2], range(3, 9)))
def test_pnic_frames_port(seed: int) -> None:
    run_bench("pnic_frames_port", seed=seed, extra_env={"SEED": str(seed)})
