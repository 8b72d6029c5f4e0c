# SPDX-License-Identifier: Apache-2.0
"""xgmii_fault and xgmii_wide_fault against what clause 46.3.4 says of a fault, asked anew for each word."""

import os
import random
from itertools import pairwise

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from runs import some
from xgmii_model import ERROR, IDLE, LOCAL_FAULT, REMOTE_FAULT, SEQUENCE, words

Column = list[int]
QUIET = 128  # columns without a sequence that end a fault
NONE, REMOTE, LOCAL = 0, 2, 3
OTHERS = [[IDLE] * 4, [SEQUENCE, 0, 0, 3], [SEQUENCE, 0, 1, 1], [0x9C, 0, 0, 1], [IDLE, SEQUENCE, 0, 0], [ERROR] * 4]


def fault(columns: list[Column]) -> int:
    """Behind the last of them: the kind of the latest four sequences that make a fault, if nothing ended it."""
    kinds = {tuple(REMOTE_FAULT): REMOTE, tuple(LOCAL_FAULT): LOCAL}
    found = [(at, kinds[tuple(one)]) for at, one in enumerate(columns) if tuple(one) in kinds]
    runs: list[list[tuple[int, int]]] = [[]]
    for before, after in pairwise([*found, (len(columns), NONE)]):
        runs[-1].append(before)
        if after[0] - before[0] > QUIET:
            runs.append([])
    latest = runs[-1]
    for last in range(len(latest) - 1, 2, -1):
        if len({kind for _, kind in latest[last - 3 : last + 1]}) == 1:
            return latest[last][1]
    return NONE


def other(rng: random.Random) -> Column:
    """No fault sequence; often all but a bit of one."""
    if rng.random() < 0.5:
        return rng.choice(OTHERS)
    close = list(rng.choice((LOCAL_FAULT, REMOTE_FAULT)))
    close[rng.randrange(4)] ^= 1 << rng.randrange(9)
    return close


def drawn(rng: random.Random) -> list[Column]:
    columns: list[Column] = []
    for _ in range(rng.randrange(2, 9)):
        kind = rng.choice((LOCAL_FAULT, REMOTE_FAULT))
        for _ in range(rng.randrange(1, 6)):
            columns.append(kind)
            columns += [other(rng) for _ in range(rng.choice((0, 0, 1, 2, 126, 127, 128)))]
    return columns + [[IDLE] * 4] * rng.choice((126, 127, 128, 129))


@cocotb.test()
async def a_fault_begins_with_four_sequences_and_ends_with_128_columns_without(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    size, behind = int(os.environ["COLUMNS"]), int(os.environ["BEHIND"])  # columns of a word; words
    wide = size > 2
    cocotb.start_soon(Clock(dut.clk, 6400, "ps").start())
    seen = set()
    for _ in range(60):
        columns = drawn(rng)
        columns += [[IDLE] * 4] * (-len(columns) % size + behind * size)
        dut.rst.value = 1
        for _ in range(behind + 1):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        line = words([character for column in columns for character in column], 4 * size)
        for at, (data, control) in enumerate(line):
            if wide:
                dut.xgmii_rxd.value, dut.xgmii_rxc.value = data, control
            else:
                dut.xgmii.value = control << 64 | data
            await FallingEdge(dut.clk)
            want = fault(columns[: max(size * (at + 1 - behind), 0)])
            assert dut.fault.value == want, f"column {size * (at + 1 - behind)} of {columns}"
            seen.add(want)
    assert seen == {NONE, REMOTE, LOCAL}


def test_xgmii_fault() -> None:
    run_bench("xgmii_fault", extra_env={"COLUMNS": "2", "BEHIND": "0"})


@pytest.mark.parametrize("columns", some([8], [2, 4]))
def test_xgmii_wide_fault(columns: int) -> None:
    env = {"COLUMNS": str(2 * columns), "BEHIND": "3"}
    run_bench("xgmii_wide_fault", {"COLUMNS": columns}, extra_env=env)
