# SPDX-License-Identifier: Apache-2.0
"""What the AXI tests share: quiet models of cocotbext-axi, stalls on every channel, a memory that may refuse."""

from __future__ import annotations

import logging
import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiResp, AxiSlave


def quiet(model: Any) -> Any:
    """The models report every transfer at INFO, which takes longer than the simulation."""
    parts = [getattr(model, name) for name in ("write_if", "read_if") if hasattr(model, name)] or [model]
    for part in (*parts, *channels(model)):
        part.log.setLevel(logging.ERROR)
    return model


def channels(model: Any) -> list[Any]:
    """The channels of an AXI or AXI4-Lite model; a stream is its own."""
    parts = [getattr(model, name) for name in ("write_if", "read_if") if hasattr(model, name)] or [model]
    names = ("aw_channel", "w_channel", "b_channel", "ar_channel", "r_channel")
    found = [getattr(part, name) for part in parts for name in names if hasattr(part, name)]
    return found or ([model] if hasattr(model, "set_pause_generator") else [])


def stall(model: Any, rng: random.Random, chance: float) -> None:
    """Pauses each channel of `model` in a cycle with this probability, independently of the others."""

    def pauses() -> Iterator[bool]:
        while True:
            yield rng.random() < chance

    for channel in channels(model):
        if chance:
            channel.set_pause_generator(pauses())
        else:
            channel.clear_pause_generator()
            channel.pause = False


class Memory:
    """Bytes by address behind an AXI port. `fails(address, read)` gives the response of an access that is refused."""

    def __init__(self, dut: Any, clk: Any, rst: Any) -> None:
        self.bytes: defaultdict[int, int] = defaultdict(lambda: 0xA5)
        self.fails: Callable[[int, bool], AxiResp | None] = lambda address, read: None
        self.accesses = 0
        self.axi = quiet(AxiSlave(AxiBus.from_prefix(dut, "m_axi"), clk, rst, target=self))
        # The model answers SLVERR when its target raises; which error it was is put in where the response is sent.
        self._refused = {"bresp": AxiResp.SLVERR, "rresp": AxiResp.SLVERR}
        self._tell(self.axi.write_if.b_channel, "bresp")
        self._tell(self.axi.read_if.r_channel, "rresp")

    def _tell(self, channel: Any, field: str) -> None:
        send = channel.send

        async def tell(response: Any) -> None:
            if getattr(response, field) == AxiResp.SLVERR:
                setattr(response, field, self._refused[field])
            await send(response)

        channel.send = tell

    def _check(self, address: int, read: bool) -> None:
        self.accesses += 1
        refusal = self.fails(address & ~7, read)
        if refusal is not None:
            self._refused["rresp" if read else "bresp"] = refusal
            raise PermissionError

    async def write(self, address: int, data: bytes) -> None:
        self._check(address, False)
        self.store(address, data)

    async def read(self, address: int, length: int) -> bytes:
        self._check(address, True)
        return self.load(address, length)

    def load(self, address: int, length: int) -> bytes:
        return bytes(self.bytes[address + i] for i in range(length))

    def store(self, address: int, data: bytes) -> None:
        self.bytes.update((address + i, byte) for i, byte in enumerate(data))


class PipelinedMemory:
    """A memory behind an AXI port that takes an access in every cycle and answers it `latency` cycles later, in order.

    For what is measured in cycles; it refuses nothing.
    """

    def __init__(self, dut: Any, clk: Any, latency: int) -> None:
        self.dut, self.clk, self.latency = dut, clk, latency
        self.bytes: dict[int, int] = {}
        for name in ("bid", "bresp", "rid", "rresp", "bvalid", "rvalid", "rdata"):
            getattr(dut, f"m_axi_{name}").value = 0
        for name in ("awready", "wready", "arready", "rlast"):
            getattr(dut, f"m_axi_{name}").value = 1
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut = self.dut
        cycle = 0
        reads: deque[tuple[int, int]] = deque()
        writes: deque[int] = deque()
        while True:
            await RisingEdge(self.clk)
            cycle += 1
            if dut.m_axi_awvalid.value:
                assert dut.m_axi_wvalid.value, "the bridge sends address and data together"
                address, strobe = int(dut.m_axi_awaddr.value), int(dut.m_axi_wstrb.value)
                for i, byte in enumerate(int(dut.m_axi_wdata.value).to_bytes(8, "little")):
                    if strobe >> i & 1:
                        self.bytes[address + i] = byte
                writes.append(cycle + self.latency)
            if dut.m_axi_arvalid.value:
                reads.append((cycle + self.latency, int(dut.m_axi_araddr.value)))
            # What is shown now is taken at the next edge: rready and bready never fall.
            due = bool(writes) and writes[0] <= cycle + 1
            dut.m_axi_bvalid.value = due
            if due:
                writes.popleft()
            due = bool(reads) and reads[0][0] <= cycle + 1
            dut.m_axi_rvalid.value = due
            if due:
                address = reads.popleft()[1]
                data = bytes(self.bytes.get(address + i, 0) for i in range(8))
                dut.m_axi_rdata.value = int.from_bytes(data, "little")
