# SPDX-License-Identifier: Apache-2.0
"""axil_to_afb: every AXI4-Lite access reaches the AFB whole and is answered, whatever the order and the stalls."""

import cocotb
from axi import quiet, stall
from axi_rules import Rules
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiProt, AxiResp
from drivers import AFB, Port, Request, Response, Slave, start, within

ACCESSES = 200


def answer(request: Request) -> Response:
    return Response((request.address * 2654435761 + 0x9E3779B9) & 0xFFFF_FFFF, err=request.address % 28 == 0)


def idle(dut) -> None:
    """Nothing comes; AXI's rules hold from now on."""
    Rules(dut, dut.clk, dut.rst, "s_axil")
    for name in ("awvalid", "wvalid", "arvalid", "bready", "rready", "awaddr", "araddr", "wdata", "wstrb"):
        getattr(dut, f"s_axil_{name}").value = 0
    dut.s_axil_awprot.value = dut.s_axil_arprot.value = 0


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0, 1), (0.3, 0.3, 4), (0.7, 0.0, 9), (0.0, 0.7, 25)])
async def every_access_reaches_the_bus_and_gets_its_own_answer(dut, stalls) -> None:
    master_stall, slave_stall, latency = stalls
    idle(dut)
    rng = await start(dut)
    slave = Slave(Port(dut, "afb", AFB), answer, rng, slave_stall, lambda: rng.randint(1, latency))
    master = quiet(AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst))
    stall(master, rng, master_stall)
    await ClockCycles(dut.clk, 2)
    done = []
    wanted_writes, wanted_reads = [], []
    for _ in range(ACCESSES):
        address = rng.randrange(0, 1024, 4)
        if rng.random() < 0.5:
            first = rng.randrange(4)
            data = rng.randbytes(rng.randint(1, 4 - first))
            mask = ((1 << len(data)) - 1) << first
            wanted_writes.append((address, mask, int.from_bytes(data, "little") << 8 * first))
            done.append((address, None, master.init_write(address + first, data, prot=AxiProt(rng.randrange(8)))))
        else:
            wanted_reads.append(address)
            read = master.init_read(address, 4, prot=AxiProt(rng.randrange(8)))
            done.append((address, answer(Request(address)).data, read))
    for address, data, event in done:
        await within(dut, 200 * ACCESSES, event.wait())
        assert event.data.resp == (AxiResp.SLVERR if answer(Request(address)).err else AxiResp.OKAY)
        assert data is None or event.data.data == data.to_bytes(4, "little")
    lanes = {1 << i: 0xFF << 8 * i for i in range(4)}
    seen_writes = [
        (r.address, r.mask, r.data & sum(lane for bit, lane in lanes.items() if r.mask & bit))
        for r in slave.seen
        if not r.read
    ]
    assert seen_writes == wanted_writes
    assert [(r.address, r.mask) for r in slave.seen if r.read] == [(address, 0xF) for address in wanted_reads]
    assert not any(r.lock for r in slave.seen)


@cocotb.test()
@cocotb.parametrize(kind=["read", "write", "both"])
async def an_access_a_cycle(dut, kind) -> None:
    """All channels offered and taken in every cycle; reads and writes take turns."""
    idle(dut)
    rng = await start(dut)
    slave = Slave(Port(dut, "afb", AFB), answer, rng)
    dut.s_axil_arvalid.value = kind != "write"
    dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = kind != "read"
    dut.s_axil_rready.value = dut.s_axil_bready.value = 1
    seen, answered = [], []
    for cycle in range(60):
        await RisingEdge(dut.clk)
        if cycle == 0:
            assert dut.s_axil_arready.value and dut.s_axil_awready.value and dut.s_axil_wready.value
        if slave.port.req_valid.get() and slave.port.req_ready.get():
            seen.append(cycle)
        answered += [cycle] * (int(dut.s_axil_rvalid.value) + int(dut.s_axil_bvalid.value))
    assert seen == list(range(2, 60)), "request: two cycles, then one a cycle"
    assert answered == list(range(4, 60)), "response: one cycle behind the device's one"
    if kind == "both":
        assert all(a.read != b.read for a, b in zip(slave.seen, slave.seen[1:], strict=False))


@cocotb.test()
async def address_and_data_may_come_in_either_order(dut) -> None:
    idle(dut)
    rng = await start(dut)
    slave = Slave(Port(dut, "afb", AFB), answer, rng)
    dut.s_axil_bready.value = 1
    for order in (("aw", "w"), ("w", "aw")):
        slave.seen.clear()
        dut.s_axil_awaddr.value, dut.s_axil_wdata.value, dut.s_axil_wstrb.value = 0x123, 0xCAFE_F00D, 0xF
        for channel in order:
            await ClockCycles(dut.clk, 7)
            assert not slave.seen, "a half of a write"
            getattr(dut, f"s_axil_{channel}valid").value = 1
            await RisingEdge(dut.clk)
            getattr(dut, f"s_axil_{channel}valid").value = 0
        await ClockCycles(dut.clk, 7)
        assert slave.seen == [Request(0x120, False, 0xF, 0xCAFE_F00D)]


async def end_with_a_transfer(dut, channel: str) -> None:
    """VALID may not fall before READY."""
    await RisingEdge(dut.clk)
    while not getattr(dut, f"s_axil_{channel}ready").value:
        await RisingEdge(dut.clk)
    getattr(dut, f"s_axil_{channel}valid").value = 0


@cocotb.test()
async def an_untaken_read_holds_no_write_and_the_other_way_round(dut) -> None:
    idle(dut)
    rng = await start(dut)
    slave = Slave(Port(dut, "afb", AFB), answer, rng)
    for held, other in (("r", "b"), ("b", "r")):
        slave.seen.clear()
        dut.s_axil_arvalid.value = dut.s_axil_awvalid.value = dut.s_axil_wvalid.value = 1
        getattr(dut, f"s_axil_{other}ready").value = 1
        answers = 0
        for _ in range(100):
            await RisingEdge(dut.clk)
            answers += int(getattr(dut, f"s_axil_{other}valid").value)
        assert answers > 80, "the other kind goes on"
        assert sum(r.read == (held == "r") for r in slave.seen) == 4, "no more than there is room for"
        getattr(dut, f"s_axil_{held}ready").value = 1
        for channel in ("ar", "aw", "w"):
            cocotb.start_soon(end_with_a_transfer(dut, channel))
        await ClockCycles(dut.clk, 40)
        assert not dut.s_axil_rvalid.value and not dut.s_axil_bvalid.value
        dut.s_axil_rready.value = dut.s_axil_bready.value = 0


def test_axil_to_afb() -> None:
    run_bench("axil_to_afb")
