# SPDX-License-Identifier: Apache-2.0
"""cpu_reservations: which hart is told of which write, and when."""

from random import Random

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from net_hw import Layout

HARTS, PORTS = 4, 3
CYCLES = 1000
M2S = Layout(lock=1, read=1, mask=8, address=36, data=64, valid=1, rsp_ready=1)
S2M = Layout(req_ready=1, err=1, data=64, rsp_valid=1)
WORD_W = 30
BASES = [0x4000_0000, 0x5000_0000, 0x5003_FFF8]
BITS = [1 << bit for bit in range(2, 32)]
"""Of an address: two that differ in one only are two words."""


def joined(words: list[int], width: int) -> int:
    return sum(word << width * number for number, word in enumerate(words))


@cocotb.test()
async def a_hart_is_told_of_each_write_to_its_word_and_of_no_other(dut) -> None:
    """Two cycles behind it, whichever port takes it."""
    rng = Random(45)
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    reserved = [BASES[0]] * HARTS
    due: list[int] = [0, 0]  # `lost` of this cycle and the next
    told = 0
    dut.reserved.value = joined([at >> 2 for at in reserved], WORD_W)
    dut.m2s.value = dut.s2m.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    for _ in range(CYCLES):
        for hart in range(HARTS):
            if rng.random() < 0.1:
                reserved[hart] = rng.choice(BASES) ^ rng.choice([0, 4, rng.choice(BITS)])
        dut.reserved.value = joined([at >> 2 for at in reserved], WORD_W)
        requests, answers, written = [], [], set()
        for _ in range(PORTS):
            valid, ready, read = rng.random() < 0.7, rng.random() < 0.7, rng.random() < 0.3
            mask = rng.choice([0, 0xF0, 0x0F, 0xFF, 1 << rng.randrange(8)])
            address = rng.choice([*BASES, *reserved]) ^ rng.choice([0, 0, 4, rng.randrange(8), rng.choice(BITS)])
            if valid and ready and not read:
                written |= {(address & ~7) + byte & ~3 for byte in range(8) if mask & 0x80 >> byte}
            requests.append(M2S.pack(lock=rng.random() < 0.2, read=read, mask=mask, address=address,
                                     data=rng.getrandbits(64), valid=valid, rsp_ready=1))  # fmt: skip
            answers.append(S2M.pack(req_ready=ready, rsp_valid=rng.random() < 0.5))
        dut.m2s.value, dut.s2m.value = joined(requests, M2S.bits), joined(answers, S2M.bits)
        await RisingEdge(dut.clk)
        assert int(dut.lost.value) == due.pop(0)
        lost = sum((at in written) << hart for hart, at in enumerate(reserved))
        told += lost.bit_count()
        due.append(lost)
    assert told > CYCLES // 4


def test_cpu_reservations() -> None:
    run_bench("cpu_reservations", {"HARTS": HARTS, "PORTS": PORTS})
