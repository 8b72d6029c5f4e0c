# SPDX-License-Identifier: Apache-2.0
"""frame_fifo shows whole frames only, or words as they come where the writer says so, in order, at any clock ratio;
what was rewound leaves no trace, and what was shown always gets an end."""

import os
import random
from collections import deque
from pathlib import Path

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from runs import some

pytestmark = pytest.mark.slow

FRAMES = 250 if os.environ.get("DATA_BITS") == "64" else 80  # the wide one is the same but for its words
WORD = {64: 70, 512: 521}  # bits, by those of the data: {bad, stamp, last, last_lane, data}


def _marks(dut) -> tuple[int, int, int]:
    """Of a word: how many bits are below `last`, that bit, and `bad`."""
    below = len(dut.wr_word) - 3
    return below, 1 << below, 4 << below


async def _reset(dut) -> None:
    dut.wr_rst.value = dut.rd_rst.value = 1
    dut.wr_valid.value = dut.rd_ready.value = dut.wr_rewind.value = dut.wr_show.value = 0
    dut.wr_word.value = 0
    await Timer(200, "ns")
    await RisingEdge(dut.wr_clk)
    dut.wr_rst.value = 0
    await RisingEdge(dut.rd_clk)
    dut.rd_rst.value = 0
    await RisingEdge(dut.wr_clk)


async def _write(dut, depth: int, stall: float, rng: random.Random, expected: deque) -> None:
    """Frames of as many words as there is room for, some longer ones that can only be rewound, some rewound at any
    word."""
    room = depth - 1  # a place is in reserve
    below, last_mark, _ = _marks(dut)
    for _ in range(FRAMES):
        length = rng.choice((1, rng.randint(1, 3), rng.randint(1, room), room, room + 1))
        # A rewind comes with a word or without; that of a frame that cannot fit when the FIFO is full.
        doomed = length > room
        rewind_at = rng.randrange(length) if not doomed and rng.random() < 0.3 else None
        words = [rng.getrandbits(below) for _ in range(length)]
        words[-1] |= last_mark
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


async def _write_shown(dut, depth: int, stall: float, rng: random.Random, expected: deque) -> None:
    """Frames of any length, shown from any word on. Where the FIFO is full the writer waits a while, then gives up: the
    frame is rewound, or ended as bad at once when it was shown."""
    lost = 0
    below, last_mark, bad_mark = _marks(dut)
    for _ in range(FRAMES):
        length = rng.choice((1, 2, rng.randint(1, depth), rng.randint(1, 4 * depth)))
        show_from = rng.choice((0, rng.randrange(length), length))
        patience = rng.choice((0, 5, 200))
        waiting: list[int] = []  # words that the reader is not to see yet
        shown = False
        for index in range(length):
            while rng.random() < stall:
                await RisingEdge(dut.wr_clk)
            last = index == length - 1
            good = last and rng.random() < 0.8
            word = rng.getrandbits(below) | last_mark * last | bad_mark * (last and not good)
            ready = False
            for _ in range(patience + 1):
                dut.wr_word.value = word
                dut.wr_show.value = index >= show_from
                dut.wr_valid.value = 1
                before = list(waiting)
                if index >= show_from or last:  # before it can come out: taken back if it is not taken
                    expected.extend([*waiting, word])
                    waiting = []
                await RisingEdge(dut.wr_clk)
                assert dut.wr_shown.value == shown
                ready = bool(dut.wr_ready.value) or (last and not good and shown)
                if ready:
                    break
                if index >= show_from or last:
                    for _ in range(len(before) + 1):
                        expected.pop()
                    waiting = before
            dut.wr_valid.value = dut.wr_show.value = 0
            if ready:
                waiting += [] if index >= show_from or last else [word]
                shown = shown or index >= show_from
                continue
            lost += 1
            if shown:
                dut.wr_word.value = end = rng.getrandbits(below) | last_mark | bad_mark
                dut.wr_valid.value = 1
                expected.extend([*waiting, end])
            else:
                dut.wr_rewind.value = 1
            await RisingEdge(dut.wr_clk)
            dut.wr_valid.value = dut.wr_rewind.value = 0
            break
    assert lost > 10, "the FIFO was hardly ever full"


async def _transfer(dut, write, wr_ps: int, rd_ps: int, wr_stall: float, rd_stall: float) -> None:
    rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
    clocks = [cocotb.start_soon(Clock(dut.wr_clk, wr_ps, "ps").start())]
    await Timer(rng.randrange(1, rd_ps), "ps")  # any phase
    clocks.append(cocotb.start_soon(Clock(dut.rd_clk, rd_ps, "ps").start()))
    await _reset(dut)
    depth = int(dut.DEPTH.value)
    expected: deque[int] = deque()
    writer = cocotb.start_soon(write(dut, depth, wr_stall, rng, expected))
    idle = 0
    while idle < 60:
        dut.rd_ready.value = rng.random() >= rd_stall
        await RisingEdge(dut.rd_clk)
        idle = idle + 1 if writer.done() and not dut.rd_valid.value else 0
        if dut.rd_valid.value and dut.rd_ready.value:
            assert expected, "a word came out that was never committed"
            assert int(dut.rd_word.value) == expected.popleft()
            idle = 0
    assert not expected
    for clock in clocks:
        clock.cancel()


CLOCKS = [(8000, 8000), (8000, 8002), (8000, 12500), (12500, 8000), (2000, 13700), (13700, 2000)]


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS, stalls=[(0.0, 0.0), (0.5, 0.5)])
async def whole_frames_cross_in_order(dut, clocks, stalls) -> None:
    await _transfer(dut, _write, *clocks, *stalls)


@cocotb.test(timeout_time=5, timeout_unit="ms")
@cocotb.parametrize(clocks=CLOCKS, stalls=[(0.0, 0.8), (0.5, 0.9)])
async def shown_frames_cross_in_order_and_always_end(dut, clocks, stalls) -> None:
    await _transfer(dut, _write_shown, *clocks, *stalls)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_word_is_as_wide_as_its_data_and_its_marks(dut) -> None:
    await Timer(1, "ns")
    assert len(dut.wr_word) == len(dut.rd_word) == WORD[int(os.environ["DATA_BITS"])]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_in_use_are_counted_and_a_shown_frame_ends_in_a_full_fifo(dut) -> None:
    """With a reader that takes nothing: every place but the one in reserve, then that one."""
    cocotb.start_soon(Clock(dut.wr_clk, 8, "ns").start())
    cocotb.start_soon(Clock(dut.rd_clk, 8, "ns").start())
    await _reset(dut)
    _, last_mark, bad_mark = _marks(dut)
    room = int(dut.DEPTH.value) - 1 + 3
    dut.wr_word.value, dut.wr_valid.value, dut.wr_show.value = 1, 1, 1
    taken = 0
    for _ in range(4 * room + 40):
        await RisingEdge(dut.wr_clk)
        taken += int(dut.wr_ready.value)
    assert taken == room and dut.wr_shown.value and dut.wr_used.value == room - 3
    dut.wr_word.value, dut.wr_show.value = last_mark | 2, 0
    for _ in range(3):  # a good end must wait
        await RisingEdge(dut.wr_clk)
        assert not dut.wr_ready.value
    dut.wr_word.value = last_mark | bad_mark | 3
    await RisingEdge(dut.wr_clk)
    assert not dut.wr_ready.value
    dut.wr_word.value, dut.wr_show.value = 4, 1  # and the next frame, too
    for _ in range(3):
        await RisingEdge(dut.wr_clk)
        assert not dut.wr_ready.value and not dut.wr_shown.value
    assert dut.wr_used.value == room - 2
    dut.wr_valid.value = 0
    dut.rd_ready.value = 1
    words = []
    for _ in range(4 * room + 40):
        await RisingEdge(dut.rd_clk)
        if dut.rd_valid.value:
            words.append(int(dut.rd_word.value))
    assert words == [1] * room + [last_mark | bad_mark | 3]
    assert dut.wr_used.value == 0


@pytest.mark.parametrize("depth", some([4], [16]))
def test_frame_fifo(depth: int) -> None:
    run_bench("frame_fifo", {"DEPTH": depth}, extra_env={"DATA_BITS": "64"})


@pytest.mark.slow
def test_frame_fifo_of_512_bits() -> None:
    tb = Path(__file__).with_name("frame_fifo512_tb.sv")
    run_bench("frame_fifo512_tb", {"DEPTH": 16}, extra_sources=(tb,), extra_env={"DATA_BITS": "512"})
