# SPDX-License-Identifier: Apache-2.0
"""afb_endpoint: every access reaches the registers once and is answered once, in order, one a cycle."""

import random
from pathlib import Path

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles
from drivers import AFB, Master, Port, Request, Response, start, within

REGISTERS = 4
ACCESSES = 600


class Software:
    """The registers of afb_endpoint_tb, byte by byte."""

    def __init__(self) -> None:
        self.bytes = bytearray(4 * REGISTERS)
        self.reads = self.writes = 0

    def access(self, request: Request) -> Response:
        offset = request.address & 0xFC
        self.reads, self.writes = self.reads + request.read, self.writes + (not request.read)
        if offset >= len(self.bytes):
            return Response(0, err=True)
        if request.read:
            return Response(int.from_bytes(self.bytes[offset : offset + 4], "big"))
        for i, byte in enumerate(request.data.to_bytes(4, "big")):
            if request.mask & 0x8 >> i:
                self.bytes[offset + i] = byte
        return Response(0)


def draw(rng: random.Random) -> Request:
    offset = rng.randrange(4 * REGISTERS) if rng.random() < 0.8 else rng.randrange(256)
    return Request(rng.getrandbits(28) << 8 | offset, rng.random() < 0.5, rng.getrandbits(4), rng.getrandbits(32))


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.5, 0.0), (0.0, 0.6), (0.3, 0.3)])
async def each_access_is_done_once_and_answered_in_order(dut, stalls) -> None:
    rng = await start(dut)
    software = Software()
    master = Master(Port(dut, "afb", AFB), rng, *stalls)
    requests = [draw(rng) for _ in range(ACCESSES)]
    master.send(requests)
    expected = [software.access(r) for r in requests]
    assert await within(dut, 10 * ACCESSES, master.all_done()) == expected
    await ClockCycles(dut.clk, 5)
    assert not master.responses, "a response too many"
    assert (int(dut.reads.value), int(dut.writes.value)) == (software.reads, software.writes)


@cocotb.test()
async def an_access_a_cycle_answered_in_the_next(dut) -> None:
    rng = await start(dut)
    master = Master(Port(dut, "afb", AFB), rng)
    master.send([draw(rng) for _ in range(80)])
    await within(dut, 200, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in master.sent_at] == list(range(80))
    assert [t - first for t in master.done_at] == list(range(1, 81))


@cocotb.test()
async def a_master_that_takes_no_answers_holds_the_registers(dut) -> None:
    rng = await start(dut)
    master = Master(Port(dut, "afb", AFB), rng, rsp_stall=1.0)
    master.send([Request(4, False, 0xF, n) for n in range(10)])
    await ClockCycles(dut.clk, 30)
    assert int(dut.writes.value) == len(master.sent_at) == 2, "what finds no room for its answer is not done"
    master.rsp_stall = 0.0
    await within(dut, 50, master.all_done())
    assert int(dut.writes.value) == 10


def test_afb_endpoint() -> None:
    run_bench("afb_endpoint_tb", extra_sources=(Path(__file__).with_name("afb_endpoint_tb.sv"),))
