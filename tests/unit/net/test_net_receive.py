# SPDX-License-Identifier: Apache-2.0
"""What net does with frames from the line: whose they are, what the stack makes of its own, and how each ends."""

import os
import random
import struct

import cocotb
import pytest
from bench import run_bench
from net_hw import (
    ALL_MAC, GATEWAY, OUR_IP, OUR_MAC, PEER_IP, PEER_MAC, RX_STAT, ip_number, padded, ping, stack, to_us, udp,
)  # fmt: skip
from runs import seeds, some
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import checksum


def lengths(longest: int) -> list[int]:
    """Payload lengths: all short ones, some of the others (all with STEP=1), the longest."""
    return [*range(90), *range(90, longest, int(os.environ.get("STEP", "61"))), longest]


@cocotb.test()
async def udp_of_every_length_comes_out_with_its_addresses(dut) -> None:
    net = await stack(dut)
    sent = []
    for length in lengths(1472):
        data = net.rng.randbytes(length)
        ports = net.rng.getrandbits(16), net.rng.choice((1, 4000, 0xFFFF))
        net.receive(padded(udp(data, sport=ports[0], dport=ports[1]), net.rng))
        sent.append((data, *ports))
    await net.drain()
    assert [(got.data, got.user["source_port"], got.user["port"]) for got in net.udp.items] == sent
    for got in net.udp.items:
        assert not got.bad and got.user["length"] == len(got.data)
        assert (got.user["source"], got.user["destination"]) == (ip_number(PEER_IP), ip_number(OUR_IP))
    assert net.counts["udp"] == len(sent) == sum(net.counts.values())
    assert not net.nic.items


@cocotb.test()
async def udp_out_is_eight_cycles_behind_the_frame(dut) -> None:
    net = await stack(dut)
    for length in (18, 19, 24, 26, 64, 65, 1472):
        net.forget()
        net.receive(padded(udp(bytes(length))))
        await net.drain()
        assert net.udp.items[0].first - net.line.begun[0] == 8, length


@pytest.mark.parametrize("step", some([211], [1]))
def test_udp_by_length(step: int) -> None:
    run_bench("net", testcase="udp_of_every_length_comes_out_with_its_addresses", extra_env={"STEP": str(step)})


def test_udp_latency() -> None:
    run_bench("net", testcase="udp_out_is_eight_cycles_behind_the_frame")
