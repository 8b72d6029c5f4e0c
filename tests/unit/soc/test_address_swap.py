# SPDX-License-Identifier: Apache-2.0
"""address_swap: the addresses change places, every other byte stays, bad frames stay bad."""

from typing import Any

import cocotb
from bench import run_bench
from cocotb.triggers import RisingEdge
from drivers import start
from pattern import Taker, rx_fields, send, swapped, tx_fields


def wires(dut) -> tuple[Any, Any, Any, Any, Any]:
    return dut.clk, *rx_fields(dut.rx_frame), dut.rx_frame_ready


async def ready(dut, stall: float = 0.0):
    for field in rx_fields(dut.rx_frame):
        field.value = 0
    rng = await start(dut, 8)
    frame, valid, bad = tx_fields(dut.tx_frame)
    taker = Taker(dut, frame, valid, dut.tx_frame_ready, bad)
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
    in_valid, out_valid = rx_fields(dut.rx_frame)[1], tx_fields(dut.tx_frame)[1]

    async def watch() -> None:
        for cycle in range(200):
            await RisingEdge(dut.clk)
            taken.extend([cycle] * int(in_valid.value and dut.rx_frame_ready.value))
            given.extend([cycle] * int(out_valid.value and dut.tx_frame_ready.value))

    watching = cocotb.start_soon(watch())
    await send(*wires(dut), [(rng.randbytes(64), False) for _ in range(10)], rng)
    await watching
    assert taken == list(range(taken[0], taken[0] + 80)), "ten frames of eight beats"
    assert given == [cycle + 2 for cycle in taken]
    assert len(taker.frames) == 10


@cocotb.test()
async def three_beats_find_room_while_nothing_leaves(dut) -> None:
    taker, rng = await ready(dut, stall=1.0)
    taken = 0
    for cycle in range(30):
        if cycle in (1, 15):  # the second frame comes when the first one is where the output's registers are
            cocotb.start_soon(send(*wires(dut), [(rng.randbytes(16), False)], rng))
        await RisingEdge(dut.clk)
        taken += int(rx_fields(dut.rx_frame)[1].value and dut.rx_frame_ready.value)
    assert taken == 3 and not taker.frames


def test_address_swap() -> None:
    run_bench("address_swap")
