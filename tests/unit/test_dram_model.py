# SPDX-License-Identifier: Apache-2.0
"""dram_model: contents as a flat memory's, latencies as its header tells, bytes in bus order for the simulator."""

import ctypes
import random
import subprocess
from itertools import pairwise
from pathlib import Path

import cocotb
from bench import ROOT, run_bench
from cocotb.triggers import ClockCycles
from drivers import ACB, FlatMemory, Master, Port, Request, read, start, within

MODELS = ROOT / "models"
BYTES = 1 << 28
BANKS, ROW, HIT, MISS = 8, 8192, 12, 18
REFRESH_EVERY, REFRESH = 624, 13


def address(row: int, bank: int, column: int) -> int:
    return 0x4000_0000 + (row * BANKS + bank) * ROW + column


async def latencies(dut, requests: list[Request]) -> tuple[list[int], list[int]]:
    """Cycles of the requests and of the responses, from the first request, one at once behind the other."""
    rng = await start(dut)
    master = Master(Port(dut, "acb", ACB), rng)
    master.send(requests)
    await within(dut, 4000, master.all_done())
    first = master.sent_at[0]
    return [t - first for t in master.sent_at], [t - first for t in master.done_at]


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.4, 0.6)])
async def contents_are_a_flat_memory(dut, stalls) -> None:
    rng = await start(dut)
    master = Master(Port(dut, "acb", ACB), rng, *stalls)
    places = [address(rng.randrange(4096), rng.randrange(BANKS), rng.randrange(ROW)) for _ in range(20)]
    places += [0x4000_0000, 0x4FFF_FFFF]
    requests = [
        Request(rng.choice(places), rng.random() < 0.5, rng.getrandbits(8), rng.getrandbits(64)) for _ in range(600)
    ]
    requests = [Request(p, False, 0xFF, rng.getrandbits(64)) for p in places] + requests
    memory = FlatMemory(BYTES)
    expected = [memory.access(r) for r in requests]
    master.send(requests)
    assert await within(dut, 40 * len(requests), master.all_done()) == expected
    await ClockCycles(dut.clk, 30)
    assert not master.responses, "a response too many"


@cocotb.test()
async def an_open_row_gives_an_access_a_cycle(dut) -> None:
    sent, done = await latencies(dut, [read(address(0, 0, 8 * n)) for n in range(100)])
    assert sent == list(range(100))
    assert done[0] == MISS, "the first access opens the row"
    # The second waits for the row as the first did; from then on one a cycle.
    assert [b - a for a, b in pairwise(done)] == [1] * 99


@cocotb.test()
async def a_hit_alone_takes_the_hit_time(dut) -> None:
    rng = await start(dut)
    master = Master(Port(dut, "acb", ACB), rng)
    await master.call(read(address(0, 0, 0)))
    for column in (8, 4096, ROW - 8):
        await master.call(read(address(0, 0, column)))
        assert master.done_at[-1] - master.sent_at[-1] == HIT
    await master.call(read(address(1, 0, 0)))
    assert master.done_at[-1] - master.sent_at[-1] == MISS


@cocotb.test()
async def other_rows_of_one_bank_wait_for_each_other(dut) -> None:
    _, done = await latencies(dut, [read(address(n, 0, 0)) for n in range(10)])
    assert done == [MISS + n * (MISS - HIT + 1) for n in range(10)]


@cocotb.test()
async def rows_of_different_banks_open_at_the_same_time(dut) -> None:
    _, done = await latencies(dut, [read(address(0, n, 0)) for n in range(BANKS)])
    assert done == [MISS + n for n in range(BANKS)]


@cocotb.test()
async def a_refresh_closes_all_rows_and_costs_its_time(dut) -> None:
    _, done = await latencies(dut, [read(address(0, 0, 8 * (n % 1000))) for n in range(2 * REFRESH_EVERY)])
    pauses = [b - a for a, b in pairwise(done) if b - a > 1]
    # The stream stands still for the refresh and for opening its row again.
    assert pauses == [1 + REFRESH + MISS - HIT] * 2


@cocotb.test()
async def no_more_than_the_queue_is_taken_in_while_nobody_takes_responses(dut) -> None:
    rng = await start(dut)
    master = Master(Port(dut, "acb", ACB), rng, rsp_stall=1.0)
    requests = [Request(address(0, 0, 8 * n), False, 0xFF, n) for n in range(40)]
    master.send(requests)
    await ClockCycles(dut.clk, 100)
    assert len(master.sent_at) == 32
    master.rsp_stall = 0.0
    assert len(await within(dut, 200, master.all_done())) == 40


def test_dram_model() -> None:
    run_bench("dram_model", extra_sources=(MODELS / "dram_model.sv", MODELS / "dram_store.cpp"))


def test_the_store_holds_bytes_in_bus_order_and_several_do_not_mix(tmp_path: Path) -> None:
    library = tmp_path / "dram_store.so"
    subprocess.run(["g++", "-shared", "-fPIC", "-o", library, MODELS / "dram_store.cpp"], check=True)
    c = ctypes.CDLL(str(library))
    c.nsoc_dram_new.restype = c.nsoc_dram_bytes.restype = ctypes.c_void_p
    c.nsoc_dram_new.argtypes = [ctypes.c_ulonglong]
    c.nsoc_dram_read.restype = ctypes.c_ulonglong
    c.nsoc_dram_read.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong]
    c.nsoc_dram_write.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_ulonglong, ctypes.c_ubyte]
    c.nsoc_dram_delete.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong]

    stores = []
    for _ in range(3):
        handle = c.nsoc_dram_new(BYTES)
        stores.append((handle, (ctypes.c_ubyte * BYTES).from_address(c.nsoc_dram_bytes())))
    rng = random.Random(5)
    for n, (handle, view) in enumerate(stores):
        assert c.nsoc_dram_read(handle, BYTES - 8) == 0
        c.nsoc_dram_write(handle, 8 * n, 0x0102030405060708, 0xFF)
        assert bytes(view[8 * n : 8 * n + 8]) == bytes(range(1, 9))
        c.nsoc_dram_write(handle, 8 * n, 0xFFFF_FFFF_FFFF_FFFF, 0x81)
        assert bytes(view[8 * n : 8 * n + 8]) == b"\xff" + bytes(range(2, 8)) + b"\xff"
        view[BYTES - 8 : BYTES] = word = rng.randbytes(8)
        assert c.nsoc_dram_read(handle, BYTES - 8) == int.from_bytes(word, "big")
    for n, (handle, _) in enumerate(stores):
        assert [c.nsoc_dram_read(handle, 8 * m) != 0 for m in range(3)] == [m == n for m in range(3)]
        c.nsoc_dram_delete(handle, BYTES)
