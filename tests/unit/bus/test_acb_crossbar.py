# SPDX-License-Identifier: Apache-2.0
"""acb_crossbar: each master reaches the slaves of its row in the table, those that share one take turns, nobody else is
reached."""

import random

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import ACB, Master, Port, Request, Response, Slave, read, start, within

MASTERS, SLAVES = 3, 4
ROM, SHARED, PORT_A, PORT_B = range(SLAVES)
BASE = [0x0_0000_0000, 0x0_4000_0000, 0x0_5000_0000, 0x0_5000_0000]  # the last two: two ports of one memory
MASK = 0xF_F000_0000
REACHES = [{ROM, SHARED, PORT_A}, {SHARED, PORT_A}, {SHARED, PORT_B}]
UNCLAIMED = 0x0_6000_0000
REQUESTS = 200
OWNER_AT = 24  # address bits [25:24] tell who asked


def owner(request: Request) -> int:
    return request.address >> OWNER_AT & 3


def slave_of(master: int, address: int) -> int | None:
    """By comparison of ranges, not by masks as the router does."""
    return next((s for s in sorted(REACHES[master]) if BASE[s] <= address < BASE[s] + (1 << 28)), None)


def answer_of(slave: int):
    return lambda r: Response((r.address * 2654435761 + slave) & 0xFFFF_FFFF, err=r.address % 5 == 0)


def random_request(rng: random.Random, master: int) -> Request:
    base = rng.choice([*sorted(set(BASE)), UNCLAIMED])
    address = base + (master << OWNER_AT) + rng.randrange(1 << OWNER_AT)
    return Request(address, rng.random() < 0.5, rng.getrandbits(8), rng.getrandbits(64))


def masters_and_slaves(dut, rng, stall=0.0, rsp_stall=0.0, slave_stall=0.0, latency=1):
    slaves = [
        Slave(Port(dut, "out", ACB, s), answer_of(s), rng, slave_stall, lambda: rng.randint(1, latency))
        for s in range(SLAVES)
    ]
    return [Master(Port(dut, "in", ACB, m), rng, stall, rsp_stall) for m in range(MASTERS)], slaves


async def named_masters(dut, slaves: list[Slave], seen: list[list[int]]) -> None:
    """What out_master says at each transfer of a request to a slave."""
    while True:
        await RisingEdge(dut.clk)
        master, taken = int(dut.out_master.value), int(dut.out_taken.value)
        for s, slave in enumerate(slaves):
            name = master >> (MASTERS * s) & (1 << MASTERS) - 1
            moves = slave.port.req_valid.get() and slave.port.req_ready.get()
            assert taken >> (MASTERS * s) & (1 << MASTERS) - 1 == (name if moves else 0)
            if moves:
                seen[s].append(name)


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0, 0.0, 1), (0.3, 0.3, 0.3, 4), (0.0, 0.7, 0.0, 9), (0.0, 0.0, 0.7, 30)])
async def every_request_goes_where_the_table_says_and_is_answered_once_in_order(dut, stalls) -> None:
    rng = await start(dut)
    masters, slaves = masters_and_slaves(dut, rng, *stalls)
    named: list[list[int]] = [[] for _ in range(SLAVES)]
    cocotb.start_soon(named_masters(dut, slaves, named))
    sent = [[random_request(rng, m) for _ in range(REQUESTS)] for m in range(MASTERS)]
    for master, requests in zip(masters, sent, strict=True):
        master.send(requests)
    for m, master in enumerate(masters):
        responses = await within(dut, 200 * REQUESTS, master.all_done())
        reached = [slave_of(m, request.address) for request in sent[m]]
        assert responses == [
            Response(0, err=True) if slave is None else answer_of(slave)(request)
            for slave, request in zip(reached, sent[m], strict=True)
        ]
        for s, slave in enumerate(slaves):  # its own requests, unchanged, in order
            assert [r for r in slave.seen if owner(r) == m] == [
                r for r, to in zip(sent[m], reached, strict=True) if to == s
            ]
    for slave, names in zip(slaves, named, strict=True):
        assert names == [1 << owner(request) for request in slave.seen]
    assert {owner(request) for request in slaves[PORT_A].seen} == {0, 1}
    assert {owner(request) for request in slaves[PORT_B].seen} == {2}
    await ClockCycles(dut.clk, 60)
    assert not any(master.responses for master in masters), "a response too many"


@cocotb.test()
async def a_lock_holds_the_slave_that_was_accessed_and_no_other(dut) -> None:
    rng = await start(dut)
    masters, slaves = masters_and_slaves(dut, rng)
    await within(dut, 100, masters[0].call(read(BASE[SHARED], lock=True)))
    masters[1].send([read(BASE[PORT_A]), read(BASE[PORT_A] + 8)])
    await within(dut, 100, masters[1].all_done())
    masters[1].send([read(BASE[SHARED] + (1 << OWNER_AT))])
    await ClockCycles(dut.clk, 100)
    assert [owner(r) for r in slaves[SHARED].seen] == [0], "the other one waits for the end of the lock"
    await within(dut, 100, masters[0].call(read(BASE[SHARED])))
    await within(dut, 100, masters[1].all_done())
    assert [owner(r) for r in slaves[SHARED].seen] == [0, 0, 1]


@cocotb.test()
async def a_shared_slave_is_a_cycle_further_away_each_way(dut) -> None:
    rng = await start(dut)
    masters, slaves = masters_and_slaves(dut, rng)
    for slave, cycles in ((ROM, 0), (SHARED, 1)):
        masters[0].sent_at, masters[0].done_at, slaves[slave].seen_at = [], [], []
        await within(dut, 100, masters[0].call(read(BASE[slave])))
        assert slaves[slave].seen_at[0] - masters[0].sent_at[0] == cycles
        assert masters[0].done_at[-1] - slaves[slave].seen_at[0] == 2 + cycles


def test_crossbar() -> None:
    def packed(values: list[int], width: int) -> str:
        return f"{width * len(values)}'h{sum(v << width * i for i, v in enumerate(values)):x}"

    rows = [sum(1 << s for s in row) for row in REACHES]
    run_bench(
        "acb_crossbar",
        {
            "MASTERS": MASTERS, "SLAVES": SLAVES, "BASE": packed(BASE, 36), "MASK": packed([MASK] * SLAVES, 36),
            "REACHES": packed(rows, SLAVES),
        },
    )  # fmt: skip
