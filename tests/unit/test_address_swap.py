# SPDX-License-Identifier: Apache-2.0
"""address_swap: the addresses change places, every other byte stays, bad frames stay bad."""

import cocotb
from bench import run_bench
from cocotb.triggers import RisingEdge
from drivers import start
from pattern import Taker, send, swapped


def wires(dut):
    return dut.clk, dut.in_frame, dut.in_valid, dut.in_bad, dut.in_ready


async def ready(dut, stall: float = 0.0):
    dut.in_frame.value = dut.in_valid.value = dut.in_bad.value = 0
    rng = await start(dut, 8)
    taker = Taker(dut, dut.out_frame, dut.out_valid, dut.out_ready, dut.out_abort)
    taker.stall = stall
    cocotb.start_soon(taker.run(rng))
    return taker, rng


async def come(dut, taker: Taker, count: int) -> None:
    for _ in range(100_000):
        if len(taker.frames) >= count:
            break
        await RisingEdge(dut.clk)
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert len(taker.frames) == count


@cocotb.test()
@cocotb.parametrize(in_stall=[0.0, 0.5], out_stall=[0.0, 0.5])
async def frames_of_every_length_come_out_swapped(dut, in_stall, out_stall) -> None:
    taker, rng = await ready(dut, out_stall)
    lengths = [*range(16, 90), 1513, 1514, 1518]
    frames = [(rng.randbytes(length), rng.random() < 0.2) for length in lengths]
    cocotb.start_soon(send(*wires(dut), frames, rng, in_stall))
    await come(dut, taker, len(frames))
    for (frame, bad), taken in zip(frames, taker.frames, strict=True):
        assert taken.data == swapped(frame)
        assert taken.abort == bad


@cocotb.test()
async def frames_too_short_for_two_addresses_stay(dut) -> None:
    taker, rng = await ready(dut)
    frames = [(rng.randbytes(length), False) for length in (1, 7, 8, 9, 15, 64)]
    cocotb.start_soon(send(*wires(dut), frames, rng))
    await come(dut, taker, len(frames))
    assert [t.data for t in taker.frames] == [*(f for f, _ in frames[:-1]), swapped(frames[-1][0])]


@cocotb.test()
async def a_beat_a_cycle_two_cycles_late(dut) -> None:
    taker, rng = await ready(dut)
    taken, given = [], []

    async def watch() -> None:
        for cycle in range(200):
            await RisingEdge(dut.clk)
            taken.extend([cycle] * int(dut.in_valid.value and dut.in_ready.value))
            given.extend([cycle] * int(dut.out_valid.value and dut.out_ready.value))

    watching = cocotb.start_soon(watch())
    await send(*wires(dut), [(rng.randbytes(64), False) for _ in range(10)], rng)
    await watching
    assert taken == list(range(taken[0], taken[0] + 80)), "ten frames of eight beats"
    assert given == [cycle + 2 for cycle in taken]
    assert len(taker.frames) == 10


def test_address_swap() -> None:
    run_bench("address_swap")
