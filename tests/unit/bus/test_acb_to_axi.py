# SPDX-License-Identifier: Apache-2.0
"""acb_to_axi: bytes keep their addresses, responses their order, whatever the AXI memory does first."""

import cocotb
from axi import Memory, quiet, stall
from axi_rules import Rules
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiRam, AxiResp
from drivers import ACB, Master, Port, Request, Response, read, start, within, write

REQUESTS = 400
READ_FROM, WRITTEN = 0x8_4000_0000, 0x1000  # apart: AXI orders no read against a write
SIZE = 2048


def idle(dut) -> None:
    """Nothing comes; AXI's rules hold from now on."""
    Rules(dut, dut.clk, dut.rst, "m_axi")
    for name in ("awready", "wready", "arready", "bvalid", "rvalid", "bid", "bresp", "rid", "rdata", "rresp"):
        getattr(dut, f"m_axi_{name}").value = 0
    dut.m_axi_rlast.value = 1


def refused(address: int, read: bool) -> AxiResp | None:
    """A tenth of the dwords, half of them by either error."""
    choice = (address >> 3) * 2654435761 >> 7 & 31
    return {3: AxiResp.SLVERR, 17: AxiResp.DECERR, 29: AxiResp.SLVERR}.get(choice)


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0, 0.0), (0.3, 0.3, 0.3), (0.0, 0.7, 0.0), (0.0, 0.0, 0.7), (0.7, 0.0, 0.0)])
async def bytes_keep_their_addresses_and_responses_their_order(dut, stalls) -> None:
    request_stall, response_stall, memory_stall = stalls
    idle(dut)
    rng = await start(dut)
    memory = Memory(dut, dut.clk, dut.rst)
    memory.fails = refused
    stall(memory.axi, rng, memory_stall)
    image = rng.randbytes(SIZE)
    memory.store(READ_FROM, image)
    written = bytearray(b"\xa5" * SIZE)
    master = Master(Port(dut, "acb", ACB), rng, request_stall, response_stall)
    requests: list[Request] = []
    expected: list[Response] = []
    for _ in range(REQUESTS):
        offset = rng.randrange(SIZE)
        dword = offset & ~7
        if rng.random() < 0.5:
            requests.append(read(READ_FROM + offset, rng.getrandbits(8)))
            err = refused(READ_FROM + dword, True) is not None
            expected.append(Response(0 if err else int.from_bytes(image[dword : dword + 8], "big"), err))
        else:
            data, mask = rng.randbytes(8), rng.choice([0xFF, 0x01, 0x80, 0x3F, 0xC0, 0x00, rng.getrandbits(8)])
            requests.append(write(WRITTEN + offset, int.from_bytes(data, "big"), mask))
            # Without a byte there is nothing to refuse.
            err = refused(WRITTEN + dword, False) is not None and mask != 0
            expected.append(Response(0, err))
            for i in range(8):
                if mask & 0x80 >> i and not err:
                    written[dword + i] = data[i]
    master.send(requests)
    responses = await within(dut, 100 * REQUESTS, master.all_done())
    assert [r.err for r in responses] == [e.err for e in expected]
    assert sum(e.err for e in expected) > 10, "nothing was refused"
    for request, response, wanted in zip(requests, responses, expected, strict=True):
        assert not request.read or wanted.err or response.data == wanted.data, hex(request.address)
    assert memory.load(WRITTEN, SIZE) == written
    await ClockCycles(dut.clk, 40)
    assert not master.responses, "a response too many"


@cocotb.test()
async def a_ram_of_cocotbext_holds_what_is_written_and_gives_it_back(dut) -> None:
    idle(dut)
    rng = await start(dut)
    ram = quiet(AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=2**16))
    master = Master(Port(dut, "acb", ACB), rng)
    data = rng.randbytes(512)
    dwords = [int.from_bytes(data[i : i + 8], "big") for i in range(0, 512, 8)]
    master.send([write(0x100 + 8 * i, dword) for i, dword in enumerate(dwords)])
    assert all(r == Response(0) for r in await within(dut, 4000, master.all_done()))
    assert ram.read(0x100, 512) == data, "the first byte is the lowest address"
    master.send([read(0x100 + 8 * i) for i in range(64)])
    assert await within(dut, 4000, master.all_done()) == [Response(dword) for dword in dwords]


@cocotb.test()
async def an_access_a_cycle_one_cycle_each_way(dut) -> None:
    """Reads and writes in turn, against a memory that is always ready and answers in the next cycle."""
    idle(dut)
    rng = await start(dut)
    master = Master(Port(dut, "acb", ACB), rng)
    seen: list[int] = []

    async def memory() -> None:
        for name in ("awready", "wready", "arready"):
            getattr(dut, f"m_axi_{name}").value = 1
        while True:
            await RisingEdge(dut.clk)
            assert dut.m_axi_awvalid.value == dut.m_axi_wvalid.value
            reads, writes = int(dut.m_axi_arvalid.value), int(dut.m_axi_awvalid.value)
            seen.extend([master.cycle] * (reads + writes))
            dut.m_axi_rvalid.value, dut.m_axi_bvalid.value = reads, writes

    cocotb.start_soon(memory())
    master.send([read(8 * i) if i % 3 else write(8 * i, i) for i in range(100)])
    await within(dut, 300, master.all_done())
    first = master.sent_at[0]
    assert [t - first for t in master.sent_at] == list(range(100))
    assert [t - first for t in seen] == list(range(1, 101)), "request: one cycle"
    assert [t - first for t in master.done_at] == list(range(3, 103)), "response: one cycle behind the memory's one"


@cocotb.test()
@cocotb.parametrize(reads_wait=[False, True])
async def one_kind_of_response_never_waits_for_the_other_at_the_memory(dut, reads_wait) -> None:
    """The memory answers all accesses of one kind before it answers the other: a common pipeline would have to."""
    idle(dut)
    rng = await start(dut)
    dut.m_axi_arready.value = dut.m_axi_awready.value = dut.m_axi_wready.value = 1
    master = Master(Port(dut, "acb", ACB), rng)
    master.send([read(8 * i) if i % 2 else write(8 * i, i) for i in range(60)])
    await ClockCycles(dut.clk, 80)
    assert len(master.sent_at) == 60, "so many are under way at once"
    for kind in ("b", "r") if reads_wait else ("r", "b"):
        for i in range(30):
            getattr(dut, f"m_axi_{kind}valid").value = 1
            dut.m_axi_rdata.value = int.from_bytes((2 * i + 1).to_bytes(8, "big"), "little")
            await RisingEdge(dut.clk)
            assert getattr(dut, f"m_axi_{kind}ready").value, "taken at once"
        getattr(dut, f"m_axi_{kind}valid").value = 0
    responses = await within(dut, 200, master.all_done())
    assert responses == [Response(i if i % 2 else 0) for i in range(60)]


def test_acb_to_axi() -> None:
    run_bench("acb_to_axi")


def test_acb_to_axi_wide_address() -> None:
    run_bench("acb_to_axi", {"AXI_ADDR_W": 40, "IN_FLIGHT": 4}, testcase="bytes_keep.*")
