# SPDX-License-Identifier: Apache-2.0
"""dram_controller with ddr3_model behind it, which stops the simulation at the first command that DDR3 forbids.

A controller cycle is 5 ns, and every command a whole number of cycles after the last.
"""

import random
from itertools import pairwise
from pathlib import Path

import cocotb
import pytest
from bench import ROOT, run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import ACB, FlatMemory, Master, Port, Request, read, start, within, write
from runs import seeds, some

pytestmark = pytest.mark.slow

MODELS = ROOT / "models"
SOURCES = (Path(__file__).with_name("dram_tb.sv"), MODELS / "ddr3_model.sv", MODELS / "dram_store.cpp")
BYTES = 1 << 28
BANKS, ROW = 8, 8192
UP_CYCLES = 400  # power-up, with the waits of dram_tb
NS = 5
REFRESH_CYCLES = 1560  # 7.8 us
REFRESH, ACTIVATE, WRITE, READ = 1, 3, 4, 5  # RAS#, CAS#, WE#


def address(row: int, bank: int, column: int) -> int:
    """A place; the row's low bits are in the bank's number, as ddr3_pkg says."""
    return 0x4000_0000 + (row * BANKS + (bank ^ row % BANKS)) * ROW + column


class Commands:
    """The cycle of each command, by its code."""

    def __init__(self, dut) -> None:
        self.dut, self.cycle, self.at = dut, 0, {code: [] for code in range(8)}
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            self.at[int(self.dut.code.value)].append(self.cycle)


async def up(dut, stalls: tuple[float, float] = (0.0, 0.0)) -> tuple[random.Random, Master]:
    """A controller that has brought its memory up."""
    rng = await start(dut, NS)
    master = Master(Port(dut, "acb", ACB), rng, *stalls)
    await within(dut, UP_CYCLES, at_rest(dut))
    return rng, master


async def latency(master: Master, request: Request) -> int:
    """Cycles from request to response, the controller at rest."""
    await ClockCycles(master.port.clk, 100)
    await master.call(request)
    return master.done_at[-1] - master.sent_at[-1]


@cocotb.test()
async def requests_wait_for_the_power_up(dut) -> None:
    rng = await start(dut, NS)
    master = Master(Port(dut, "acb", ACB), rng)
    master.send([write(address(1, 2, 8), 77), read(address(1, 2, 8))])
    responses = await within(dut, UP_CYCLES + 200, master.all_done())
    assert responses[1].data == 77


async def at_rest(dut) -> None:
    while not dut.idle.value:  # a refresh, perhaps
        await RisingEdge(dut.clk)


def near(rng: random.Random) -> list[int]:
    """Bursts that have rows and banks in common, and some that have not; the first and the last of all."""
    bursts = [address(rng.randrange(4096), rng.randrange(BANKS), 64 * rng.randrange(ROW // 64)) for _ in range(6)]
    bursts += [address(row, 3, 64 * n) for row in (7, 8) for n in range(3)]
    return [*bursts, 0x4000_0000, 0x5000_0000 - 64]


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.4, 0.6), (0.97, 0.0)])
async def contents_are_a_flat_memory(dut, stalls) -> None:
    rng, master = await up(dut, stalls)
    memory = FlatMemory(BYTES)
    for _ in range(2):
        bursts = near(rng)
        requests = [write(burst + 8 * n, rng.getrandbits(64)) for burst in bursts for n in range(8)]
        for _ in range(500 if stalls[0] < 0.9 else 300):
            burst, first = rng.choice(bursts), rng.randrange(8)
            requests += [
                Request(burst + 8 * n, rng.random() < 0.5, rng.choice([0xFF, rng.getrandbits(8)]), rng.getrandbits(64))
                for n in range(first, rng.choice([first + 1, first + 1, 8]))
            ]
        expected = [memory.access(r) for r in requests]
        master.send(requests)
        assert await within(dut, 100 * len(requests), master.all_done()) == expected
    await ClockCycles(dut.clk, 100)
    assert not master.responses, "a response too many"
    await within(dut, 50, at_rest(dut))


@cocotb.test()
async def a_reset_leaves_no_request_behind(dut) -> None:
    _, master = await up(dut)
    master.send([read(address(n, n % 3, 0)) for n in range(20)])
    await ClockCycles(dut.clk, 30)
    master.task.cancel()
    master.port.req_valid.set(0)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    master = Master(Port(dut, "acb", ACB), random.Random(1))
    for n in range(20):
        assert (await within(dut, 1000, master.call(write(address(n, 1, 0), n)))).data == 0
    for n in range(20):
        assert (await within(dut, 1000, master.call(read(address(n, 1, 0))))).data == n


@cocotb.test()
async def latencies_are_what_the_header_says(dut) -> None:
    _, master = await up(dut)
    closed = await latency(master, read(address(3, 0, 0)))
    hit = await latency(master, read(address(3, 0, 64)))
    conflict = await latency(master, read(address(4, 0, 0)))
    same_burst = await latency(master, read(address(4, 0, 8)))  # long after: it is read again
    written = await latency(master, write(address(3, 0, 0), 1))
    figures = {"row open": hit, "bank closed": closed, "other row open": conflict, "write": written}
    for what, cycles in figures.items():
        dut._log.info("latency, %s: %d cycles, %d ns", what, cycles, cycles * NS)
    assert figures == {"row open": 15, "bank closed": 18, "other row open": 21, "write": 4}
    assert same_burst == hit


@cocotb.test()
async def a_burst_serves_all_its_reads(dut) -> None:
    _, master = await up(dut)
    commands = Commands(dut)
    first = len(master.sent_at)
    master.send([read(address(0, 0, 8 * n)) for n in range(512)])
    await within(dut, 4000, master.all_done())
    assert len(commands.at[READ]) == 64
    assert len(commands.at[ACTIVATE]) <= 2, "one, and one after a refresh"
    cycles = master.done_at[-1] - master.sent_at[first]
    dut._log.info("sequential reads: %.0f MB/s", 4096 / (cycles * NS) * 1000)
    assert cycles <= 2 * 512 + 60, "a dword every other cycle"


@cocotb.test()
async def a_burst_is_written_once(dut) -> None:
    _, master = await up(dut)
    commands = Commands(dut)
    first = len(master.sent_at)
    master.send([write(address(0, 0, 8 * n), n) for n in range(512)])
    await within(dut, 4000, master.all_done())
    cycles = master.done_at[-1] - master.sent_at[first]
    await ClockCycles(dut.clk, 100)
    assert len(commands.at[WRITE]) == 64
    dut._log.info("sequential writes: %.0f MB/s", 4096 / (cycles * NS) * 1000)
    assert cycles <= 2 * 512 + 2 * 64 + 60, "a dword every other cycle, and two to let a burst go"


@cocotb.test()
async def streams_that_write_and_read_in_turn_keep_their_bursts(dut) -> None:
    _, master = await up(dut)
    commands = Commands(dut)
    streams = [(write(address(0, 1, 8 * n), n), read(address(0, 2, 8 * n))) for n in range(256)]
    master.send([request for pair in streams for request in pair])
    await within(dut, 8000, master.all_done())
    await ClockCycles(dut.clk, 100)
    assert len(commands.at[WRITE]) == 32 and len(commands.at[READ]) == 32


@cocotb.test()
async def the_next_bursts_row_opens_meanwhile(dut) -> None:
    _, master = await up(dut)
    commands = Commands(dut)
    master.send([read(address(5, bank, 0)) for bank in range(BANKS)])
    await within(dut, 400, master.all_done())
    # Three cycles for each ACTIVATE, three for each READ, and none for tRCD in between.
    assert commands.at[READ][-1] - commands.at[ACTIVATE][0] <= 6 * BANKS


@cocotb.test()
async def a_row_is_refreshed_in_time_under_full_load(dut) -> None:
    rng, master = await up(dut)
    commands = Commands(dut)
    # Each another row of one bank, writes among them: what keeps a bank busy longest.
    requests = [Request(address(rng.randrange(4096), 0, 0), rng.random() < 0.5, 0xFF, n) for n in range(2000)]
    master.send(requests)
    await within(dut, 60000, master.all_done())
    refreshes = commands.at[REFRESH]
    gaps = [b - a for a, b in pairwise(refreshes)]
    assert len(refreshes) >= (master.done_at[-1] - master.sent_at[0]) // REFRESH_CYCLES - 1 >= 5
    assert max(gaps) <= REFRESH_CYCLES + 20
    assert (refreshes[-1] - refreshes[0]) / (len(refreshes) - 1) == pytest.approx(REFRESH_CYCLES, abs=5)


@cocotb.test()
async def a_refresh_costs_an_access_no_more_than_its_time(dut) -> None:
    rng, master = await up(dut)
    taken = []
    for n in range(600):  # some 12 refreshes, at any phase
        await ClockCycles(dut.clk, rng.randrange(8, 40))
        await master.call(read(address(0, 0, 64 * (n % 128))))
        taken.append(master.done_at[-1] - master.sent_at[-1])
    dut._log.info("row open: %d cycles, behind a refresh at most %d", min(taken), max(taken))
    assert min(taken) == 15
    # The row is closed after it (3), and it takes PRECHARGE (3), tRFC (22), and a few cycles of the controller.
    assert 15 + 3 + 3 + 22 <= max(taken) <= 15 + 3 + 3 + 22 + 4


@cocotb.test()
async def no_more_than_the_queue_is_taken_in_while_nobody_takes_responses(dut) -> None:
    _, master = await up(dut)
    master.rsp_stall = 1.0
    master.send([write(address(0, 0, 8 * n), n) for n in range(60)])
    await ClockCycles(dut.clk, 300)
    assert 32 <= len(master.sent_at) <= 36
    master.rsp_stall = 0.0
    assert len(await within(dut, 400, master.all_done())) == 60


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_dram_controller(seed: int) -> None:
    run_bench("dram_tb", extra_sources=SOURCES, seed=seed)


@pytest.mark.parametrize("clk_ps", some([7500], [6000, 10000]))
def test_dram_controller_with_slower_clocks(clk_ps: int) -> None:
    run_bench("dram_tb", {"CLK_PS": clk_ps}, testcase="contents_are_a_flat_memory/stalls=1", extra_sources=SOURCES)
