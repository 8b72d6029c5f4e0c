# SPDX-License-Identifier: Apache-2.0
"""frame_fifo shows whole frames only, in order, at any clock ratio; what was rewound leaves no trace."""

import random
from collections import deque

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

FRAMES = 250
LAST = 1 << 67


async def _reset(dut) -> None:
    dut.wr_rst.value = dut.rd_rst.value = 1
    dut.wr_valid.value = dut.rd_ready.value = dut.wr_rewind.value = 0
    dut.wr_word.value = 0
    await Timer(200, "ns")
    await RisingEdge(dut.wr_clk)
    dut.wr_rst.value = 0
    await RisingEdge(dut.rd_clk)
    dut.rd_rst.value = 0
    await RisingEdge(dut.wr_clk)


async def _write(dut, depth: int, stall: float, rng: random.Random, expected: deque) -> None:
    """Frames of up to `depth` words, some longer ones that can only be rewound, some rewound at any word."""
    for _ in range(FRAMES):
        length = rng.choice((1, rng.randint(1, 4), rng.randint(1, depth), depth, depth + 1))
        # A rewind comes with a word or without; that of a frame that cannot fit when the FIFO is full.
        doomed = length > depth
        rewind_at = rng.randrange(length) if not doomed and rng.random() < 0.3 else None
        words = [rng.getrandbits(67) for _ in range(length)]
        words[-1] |= LAST
        kept = True
        for index, word in enumerate(words):
            while rng.random() < stall:
                await RisingEdge(dut.wr_clk)
            dut.wr_word.value = word
            dut.wr_valid.value = rng.random() < 0.5 if index == rewind_at else 1
            dut.wr_rewind.value = index == rewind_at
            if index == length - 1 and rewind_at is None and not doomed:
                expected.extend(words)  # before it can come out; taken for certain, as the reader goes on
            await RisingEdge(dut.wr_clk)
            waited = 0
            while index != rewind_at and not dut.wr_ready.value:
                waited += 1
                if doomed and waited == 40:
                    break
                await RisingEdge(dut.wr_clk)
            dut.wr_valid.value = 0
            dut.wr_rewind.value = 0
            if index == rewind_at or (doomed and waited == 40):
                kept = False
                break
        if doomed:
            assert not kept, "more words than there is room for were taken"
            dut.wr_rewind.value = 1
            await RisingEdge(dut.wr_clk)
            dut.wr_rewind.value = 0


async def _transfer(dut, wr_ps: int, rd_ps: int, wr_stall: float, rd_stall: float) -> None:
    rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
    clocks = [cocotb.start_soon(Clock(dut.wr_clk, wr_ps, "ps").start())]
    await Timer(rng.randrange(1, rd_ps), "ps")  # any phase
    clocks.append(cocotb.start_soon(Clock(dut.rd_clk, rd_ps, "ps").start()))
    await _reset(dut)
    depth = int(dut.DEPTH.value)
    expected: deque[int] = deque()
    writer = cocotb.start_soon(_write(dut, depth, wr_stall, rng, expected))
    idle = 0
    while idle < 60:
        dut.rd_ready.value = rng.random() >= rd_stall
        await RisingEdge(dut.rd_clk)
        idle = idle + 1 if writer.done() else 0
        if dut.rd_valid.value and dut.rd_ready.value:
            assert expected, "a word came out that was never committed"
            assert int(dut.rd_word.value) == expected.popleft()
            idle = 0
    assert not expected
    for clock in clocks:
        clock.cancel()


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(
    clocks=[(8000, 8000), (8000, 8002), (8000, 12500), (12500, 8000), (2000, 13700), (13700, 2000)],
    stalls=[(0.0, 0.0), (0.5, 0.5)],
)
async def whole_frames_cross_in_order(dut, clocks, stalls) -> None:
    await _transfer(dut, *clocks, *stalls)


@pytest.mark.parametrize("depth", [4, 16])
def test_frame_fifo(depth: int) -> None:
    run_bench("frame_fifo", {"DEPTH": depth})
