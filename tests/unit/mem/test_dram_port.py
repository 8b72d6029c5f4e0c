# SPDX-License-Identifier: Apache-2.0
"""dram_port lets through what is inside the memory, unchanged, and refuses the rest in its turn."""

import cocotb
from bench import run_bench
from drivers import ACB, Master, Port, Request, Response, Slave, read, start, within

BYTES = 1 << 20


def answer(request: Request) -> Response:
    return Response(request.address ^ request.data, err=False)


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0, 0.0, 18), (0.3, 0.5, 0.3, 4)])
async def inside_passes_and_beyond_is_refused(dut, stalls) -> None:
    stall, rsp_stall, slave_stall, latency = stalls
    rng = await start(dut)
    dram = Slave(Port(dut, "dram", ACB), answer, rng, slave_stall, lambda: rng.randint(1, latency))
    master = Master(Port(dut, "acb", ACB), rng, stall, rsp_stall)
    edges = [0, BYTES - 1, BYTES, (1 << 28) - 1]
    requests = [
        Request(
            0x4000_0000 + rng.choice([*edges, rng.randrange(BYTES), rng.randrange(BYTES), rng.randrange(1 << 28)]),
            rng.random() < 0.5, rng.getrandbits(8), rng.getrandbits(64), rng.random() < 0.1,
        )
        for _ in range(400)
    ]  # fmt: skip
    inside = [r.address < 0x4000_0000 + BYTES for r in requests]
    master.send(requests)
    responses = await within(dut, 20000, master.all_done())
    assert responses == [answer(r) if i else Response(0, err=True) for r, i in zip(requests, inside, strict=True)]
    assert dram.seen == [r for r, i in zip(requests, inside, strict=True) if i]


@cocotb.test()
async def thirty_accesses_under_way_hide_the_memory_s_latency(dut) -> None:
    rng = await start(dut)
    dram = Slave(Port(dut, "dram", ACB), answer, rng, latency=lambda: 25)
    master = Master(Port(dut, "acb", ACB), rng)
    master.send([read(0x4000_0000 + 8 * n) for n in range(100)])
    await within(dut, 300, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in dram.seen_at] == list(range(100)), "request: in the same cycle, one each cycle"
    assert [t - first for t in master.done_at] == list(range(26, 126)), "response: one cycle"


def test_dram_port() -> None:
    run_bench("dram_port", {"DRAM_BYTES": f"64'd{BYTES}"})
