# SPDX-License-Identifier: Apache-2.0
"""acb_arbiter: several masters share a slave; each gets its own answers, nobody starves, a lock excludes the others."""

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import ACB, Master, Port, Request, Response, Slave, read, start, within, write
from runs import some

REQUESTS = 200
OWNER_AT = 32  # address bits [35:32] tell the slave's log who asked


def ports(dut):
    return range(int(dut.N.value))


def answer(request: Request) -> Response:
    return Response(request.address * 0x9E3779B97F4A7C15 & (1 << 64) - 1, err=request.address % 7 == 0)


@cocotb.test()
@cocotb.parametrize(
    stalls=[(0.0, 0.0, 0.0, 1), (0.4, 0.4, 0.3, 5), (0.0, 0.6, 0.0, 9), (0.0, 0.0, 0.6, 1), (0.0, 0.0, 0.0, 40)]
)
async def each_master_gets_its_own_answers_once_in_order(dut, stalls) -> None:
    stall, rsp_stall, slave_stall, latency = stalls
    rng = await start(dut)
    slave = Slave(Port(dut, "out", ACB), answer, rng, slave_stall, lambda: rng.randint(1, latency))
    masters = [Master(Port(dut, "in", ACB, i), rng, stall, rsp_stall) for i in ports(dut)]
    sent = [
        [
            Request(
                i << OWNER_AT | rng.getrandbits(32),
                rng.random() < 0.5,
                rng.getrandbits(8),
                rng.getrandbits(64),
                lock=rng.random() < 0.1 and n < REQUESTS - 1,  # the last one must not keep the lock
            )
            for n in range(REQUESTS)
        ]
        for i in ports(dut)
    ]
    for master, requests in zip(masters, sent, strict=True):
        master.send(requests)
    for master, requests in zip(masters, sent, strict=True):
        assert await within(dut, 60 * REQUESTS, master.all_done()) == [answer(r) for r in requests]
    holder = None
    for request in slave.seen:
        owner = request.address >> OWNER_AT
        assert holder in (None, owner), "an access of another master inside a lock"
        holder = owner if request.lock else None
    for i, requests in enumerate(sent):
        assert [r for r in slave.seen if r.address >> OWNER_AT == i] == requests
    await ClockCycles(dut.clk, 50)
    assert not any(m.responses for m in masters), "a response too many"


@cocotb.test()
async def out_master_tells_whose_the_shown_request_is(dut) -> None:
    rng = await start(dut)
    out = Port(dut, "out", ACB)
    Slave(out, answer, rng, 0.3)
    masters = [Master(Port(dut, "in", ACB, i), rng, 0.5) for i in ports(dut)]
    for i, master in enumerate(masters):
        master.send([read(i << OWNER_AT | n) for n in range(50)])
    told = set()
    while any(master.requests for master in masters):
        await RisingEdge(dut.clk)
        if out.req_valid.get():
            owner = Request.unpack(out.req.get(), ACB).address >> OWNER_AT
            assert int(dut.out_master.value) == 1 << owner
            told.add(owner)
    assert told == set(ports(dut))


@cocotb.test()
async def saturated_masters_take_turns_at_one_request_a_cycle(dut) -> None:
    rng = await start(dut)
    slave = Slave(Port(dut, "out", ACB), answer, rng)
    masters = [Master(Port(dut, "in", ACB, i), rng) for i in ports(dut)]
    for i, master in enumerate(masters):
        master.send([read(i << OWNER_AT | n) for n in range(50)])
    for master in masters:
        await within(dut, 500, master.all_done())
    n = len(masters)
    assert [b - a for a, b in zip(slave.seen_at, slave.seen_at[1:], strict=False)] == [1] * (50 * n - 1)
    owners = [r.address >> OWNER_AT for r in slave.seen]
    for i in range(len(owners) - n):  # any n neighbours are n different masters
        assert len(set(owners[i : i + n])) == n


@cocotb.test()
async def one_cycle_each_way_and_no_pause_for_a_single_master(dut) -> None:
    rng = await start(dut)
    slave = Slave(Port(dut, "out", ACB), answer, rng)
    masters = [Master(Port(dut, "in", ACB, i), rng) for i in ports(dut)]
    master = masters[-1]
    master.send([read(n) for n in range(40)])
    await within(dut, 200, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in slave.seen_at] == list(range(1, 41)), "request: one cycle"
    assert [t - first for t in master.done_at] == list(range(3, 43)), "response: one cycle behind the slave's one"


@cocotb.test()
async def a_locked_increment_is_never_torn(dut) -> None:
    rng = await start(dut)
    memory = [0]

    def counter(request: Request) -> Response:
        before = memory[0]
        if not request.read:
            memory[0] = request.data
        return Response(before)

    Slave(Port(dut, "out", ACB), counter, rng, 0.2, lambda: rng.randint(1, 6))
    masters = [Master(Port(dut, "in", ACB, i), rng, 0.2, 0.2) for i in ports(dut)]

    async def increments(master: Master, times: int) -> None:
        for _ in range(times):
            value = (await master.call(read(0, lock=True))).data
            await master.call(write(0, value + 1))

    tasks = [cocotb.start_soon(increments(m, 25)) for m in masters]
    for task in tasks:
        await within(dut, 5000, task)
    assert memory[0] == 25 * len(masters)


@cocotb.test()
async def a_master_that_takes_no_responses_stops_nobody_else(dut) -> None:
    rng = await start(dut)
    Slave(Port(dut, "out", ACB), answer, rng)
    deaf = Master(Port(dut, "in", ACB, 0), rng, rsp_stall=1.0)
    other = Master(Port(dut, "in", ACB, 1), rng)
    deaf.send([read(n) for n in range(60)])
    await ClockCycles(dut.clk, 80)
    assert 16 <= len(deaf.sent_at) < 60
    other.send([read(1 << OWNER_AT | n) for n in range(60)])
    await within(dut, 100, other.all_done())
    deaf.port.rsp_ready.set(1)
    # Its own answers were kept for it.
    deaf.stall = deaf.rsp_stall = 0.0
    assert await within(dut, 200, deaf.all_done()) == [answer(read(n)) for n in range(60)]


@pytest.mark.parametrize("n", some([3], [2]))
def test_acb_arbiter(n: int) -> None:
    run_bench("acb_arbiter", {"N": n})
