# SPDX-License-Identifier: Apache-2.0
"""pnic_frame_port: bytes of the frame memory as a core loads and stores them; beyond it there is an error."""

import os
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from net_hw import Layout
from pnic.assist import Clocks
from pnic.frame_memory import Memory
from runs import some

REQUEST = Layout(valid=1, write=1, address=32, mask=4, data=32)
RESPONSE = Layout(ready=1, valid=1, error=1, data=32)
BYTES = 262144


@cocotb.test()
async def each_access_is_done_once_and_answered(dut: Any) -> None:
    rng = Random(int(os.environ["SEED"]))
    clocks = Clocks(dut, {"core": 6.0, "fm": float(os.environ["FM_NS"])})
    memory = Memory(rng, 9)
    expected = bytearray(rng.randbytes(BYTES))
    memory.fill(0, expected)
    dut.req.value = dut.fm_rsp.value = 0
    clocks.on("fm", lambda: setattr(dut.fm_rsp, "value", memory.step(int(dut.fm_req.value))))
    await clocks.start()

    async def access(write: bool, address: int, mask: int, data: int) -> dict[str, int]:
        dut.req.value = REQUEST.pack(valid=1, write=write, address=address, mask=mask, data=data)
        for _ in range(100):
            await clocks.cycle()
            answer = RESPONSE.unpack(int(dut.rsp.value))
            assert not answer["valid"]
            if answer["ready"]:
                break
        dut.req.value = 0
        for _ in range(200):
            await clocks.cycle()
            answer = RESPONSE.unpack(int(dut.rsp.value))
            if answer["valid"]:
                return answer
        raise AssertionError("no answer")

    done = 0
    for i in range(400):
        memory.pause = 0.8 * (i > 200)
        address = rng.choice((rng.randrange(BYTES), rng.randrange(64), BYTES - 1 - rng.randrange(64)))
        write, mask, data = rng.random() < 0.5, rng.randrange(1, 16), rng.getrandbits(32)
        answer = await access(write, address, mask, data)
        assert not answer["error"]
        done += 1
        assert memory.moved == done
        word = address & ~3
        if write:
            for lane in range(4):
                if mask >> lane & 1:
                    expected[word + lane] = data >> 8 * lane & 0xFF
        else:
            assert answer["data"] == int.from_bytes(expected[word : word + 4], "little")
        if rng.random() < 0.1:
            assert (await access(write, rng.choice((BYTES, 1 << 31, BYTES * 2)), mask, data))["error"]
    await clocks.cycle(50)
    assert memory.bytes_at(0, BYTES) == expected and memory.moved == done


@pytest.mark.parametrize("fm_ns", some(["2.0"], ["6.0", "7.7"]))
@pytest.mark.parametrize("seed", some([1], range(2, 4)))
def test_pnic_frame_port(fm_ns: str, seed: int) -> None:
    run_bench("pnic_frame_port", {}, seed=seed, extra_env={"SEED": str(seed), "FM_NS": fm_ns})
