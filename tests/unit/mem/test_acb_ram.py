# SPDX-License-Identifier: Apache-2.0
"""acb_ram: byte masks, order, and a memory that repeats above its size."""

import cocotb
from bench import run_bench
from drivers import ACB, FlatMemory, Master, Port, Request, read, start, within, write

BYTES = 1024
BASE = 0x4000_0000


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.3, 0.0), (0.0, 0.7)])
async def reads_give_what_was_written_at_any_repetition(dut, stalls) -> None:
    rng = await start(dut)
    master, memory = Master(Port(dut, "acb", ACB), rng, *stalls), FlatMemory(BYTES)
    requests = [write(BASE + at, rng.getrandbits(64)) for at in range(0, BYTES, 8)]
    for _ in range(800):
        at = rng.randrange(BYTES) + BYTES * rng.choice([0, 0, 1, 2, rng.randrange(1 << 16)])
        requests.append(Request(BASE + at, rng.random() < 0.5, rng.getrandbits(8), rng.getrandbits(64), False))
    requests += [read(BASE + at) for at in range(0, BYTES, 8)]
    master.send(requests)
    got = await within(dut, 20 * len(requests), master.all_done())
    for n, request in enumerate(requests):
        inside = BASE + request.address % BYTES
        kept = memory.access(Request(inside, request.read, request.mask, request.data, request.lock))
        assert got[n] == kept, f"request {n}: {request}"


@cocotb.test()
async def one_access_a_cycle_answered_in_the_next(dut) -> None:
    rng = await start(dut)
    master = Master(Port(dut, "acb", ACB), rng)
    master.send([read(BASE + 8 * n) if n % 3 else write(BASE + 8 * n, n) for n in range(60)])
    await within(dut, 200, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in master.sent_at] == list(range(60))
    assert [t - first for t in master.done_at] == list(range(1, 61))


def test_acb_ram() -> None:
    run_bench("acb_ram", {"BYTES": BYTES})
