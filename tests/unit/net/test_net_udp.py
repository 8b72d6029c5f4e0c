# SPDX-License-Identifier: Apache-2.0
"""net_udp behind AXI4-Stream, driven by the models of cocotbext-axi: ARP, UDP both ways, ping, all other frames."""

from __future__ import annotations

import random
from typing import Any

import cocotb
import pytest
from axi import quiet, stall
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from drivers import within
from net_hw import OUR_IP, OUR_MAC, PEER_IP, PEER_MAC, STAT, ip_number, mac_number, padded, ping, udp
from runs import slow
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw


class Udp:
    """The wrapper with a source and a sink at each stream; `counts` of what became of frames."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        clk, rst = dut.clk, dut.rst
        rst.value = 1
        for name, value in (("enable", 1), ("mac", mac_number(OUR_MAC)), ("address", ip_number(OUR_IP)),
                            ("mask", 0xFFFFFF00), ("gateway", 0), ("arp_lifetime", 60), ("refuse_gap", 0),
                            ("tick", 0), ("udp_open", 1)):  # fmt: skip
            getattr(dut, name).value = value
        for name in ("destination", "source_port", "port", "length", "ttl", "tos", "df", "steady", "sum_known", "sum"):
            getattr(dut, f"s_axis_udp_{name}").value = 0
        cocotb.start_soon(Clock(clk, 8, "ns").start())
        self.rx, self.udp_in, self.other_in = (
            quiet(AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s_axis_{name}"), clk, rst))
            for name in ("rx", "udp", "other")
        )
        self.tx, self.udp_out, self.other_out = (
            quiet(AxiStreamSink(AxiStreamBus.from_prefix(dut, f"m_axis_{name}"), clk, rst))
            for name in ("tx", "udp", "other")
        )
        self.counts = dict.fromkeys(STAT.widths, 0)

    async def start(self) -> Udp:
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        cocotb.start_soon(self._count())
        return self

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            for name, value in STAT.unpack(int(self.dut.stat.value)).items():
                self.counts[name] += value

    async def sent(self) -> bytes:
        frame = await within(self.dut, 2000, self.tx.recv())
        assert not _bad(frame)
        return bytes(frame.tdata)


def _bad(frame: AxiStreamFrame) -> bool:
    user = frame.tuser
    return bool(user[-1] if isinstance(user, list) else user)


@cocotb.test()
async def udp_ping_arp_and_the_rest_by_axi_stream(dut) -> None:
    net = await Udp(dut).start()
    rng = net.rng
    for side in (net.rx, net.udp_in, net.other_in, net.tx, net.udp_out, net.other_out):
        stall(side, rng, 0.2)
    asks = Ether(src=PEER_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, hwsrc=PEER_MAC, psrc=PEER_IP, pdst=OUR_IP)
    await net.rx.send(AxiStreamFrame(padded(asks)))
    reply = Ether(await net.sent())
    assert (reply[ARP].op, reply[ARP].hwsrc, reply[ARP].pdst) == (2, OUR_MAC, PEER_IP)
    for size in (1, 2, 17, 18, 64, 333, 1472):
        data = rng.randbytes(size)
        await net.rx.send(AxiStreamFrame(padded(udp(data, sport=77, dport=88), rng)))
        got = await within(dut, 2000, net.udp_out.recv())
        assert bytes(got.tdata) == data and not _bad(got)
        assert dut.m_axis_udp_source.value == ip_number(PEER_IP) and dut.m_axis_udp_length.value == size
        assert (dut.m_axis_udp_source_port.value, dut.m_axis_udp_port.value) == (77, 88)
        answer = rng.randbytes(size)
        for name, value in (("destination", ip_number(PEER_IP)), ("source_port", 88), ("port", 77), ("length", size),
                            ("ttl", 5), ("df", 1)):  # fmt: skip
            getattr(dut, f"s_axis_udp_{name}").value = value
        await net.udp_in.send(AxiStreamFrame(answer))
        frame = await net.sent()
        ident = int.from_bytes(frame[18:20], "big")
        ip = IP(src=OUR_IP, dst=PEER_IP, ttl=5, flags="DF", id=ident)
        assert frame == bytes(Ether(src=OUR_MAC, dst=PEER_MAC) / ip / UDP(sport=88, dport=77) / Raw(answer))
    await net.rx.send(AxiStreamFrame(padded(ping(b"hello"))))
    assert Ether(await net.sent())[Raw].load[:5] == b"hello"
    other = rng.randbytes(100)
    await net.rx.send(AxiStreamFrame(other))
    assert bytes((await within(dut, 2000, net.other_out.recv())).tdata) == other
    await net.other_in.send(AxiStreamFrame(other))
    assert await net.sent() == other
    broken = bytearray(bytes(udp(bytes(100))))
    broken[-1] ^= 1
    await net.rx.send(AxiStreamFrame(bytes(broken)))
    assert _bad(await within(dut, 2000, net.udp_out.recv()))
    await ClockCycles(dut.clk, 5)
    assert net.counts["udp"] == 7 and net.counts["drop_sum"] == net.counts["echo"] == net.counts["nic"] == 1


@pytest.mark.parametrize("width", [64, *slow([128, 512])])
def test_net_udp(width: int) -> None:
    run_bench("net_udp", {"WIDTH": width}, testcase="udp_ping_arp_and_the_rest_by_axi_stream")
