# SPDX-License-Identifier: Apache-2.0
"""A datagram whose neighbour is not known waits for the answer; each is sent once as it was, or counted once."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import cocotb
import pytest
from bench import run_bench
from net_hw import ALL_MAC, GATEWAY, OUR_IP, OUR_MAC, Item, Stack, ip_number, settings, stack
from runs import seeds, slow, some
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

SECOND = 64  # ticks: a tick is a cycle here
QUARTET = [(f"10.0.0.{40 + i}", f"02:00:00:00:02:{40 + i}") for i in range(4)]
REACTION = 40
"""Cycles within which a frame that can go is on its way, and a reply is learned."""


async def beginning(dut: Any, **changes: int) -> Stack:
    net = await stack(dut, **changes)
    net.tick = lambda cycle: 1
    return net


def answer(net: Stack, address: str, mac: str) -> None:
    net.receive(Ether(src=mac, dst=OUR_MAC) / ARP(op=2, hwsrc=mac, psrc=address, hwdst=OUR_MAC, pdst=OUR_IP))


def frame_of(data: bytes, to: str, mac: str, ident: int = 0) -> bytes:
    return bytes(
        Ether(src=OUR_MAC, dst=mac)
        / IP(src=OUR_IP, dst=to, ttl=64, flags="DF", id=ident)
        / UDP(sport=1000, dport=2000)
        / Raw(data)
    )


def datagrams(net: Stack) -> list[bytes]:
    return [got.data for got in net.sent.items if got.data[12:14] == b"\x08\x00"]


def asked(net: Stack) -> list[str]:
    found = [got.data for got in net.sent.items if got.data[12:14] == b"\x08\x06" and got.data[21] == 1]
    return [".".join(map(str, data[38:42])) for data in found]


@cocotb.test()
async def it_goes_as_it_was_when_its_neighbour_answers(dut: Any) -> None:
    """Of any length, from UDP and from TCP, straight or by the gateway; whatever comes first, the answer or its end."""
    host, mac = QUARTET[0]
    for length in (0, 1, 6, 7, 8, 9, 17, 18, 64, 65, 700, 1471, 1472):
        for stall in (0.0, 0.6):
            for to in (host, "192.0.2.7"):
                hop = host if to == host else GATEWAY
                net = await beginning(dut)
                net.udp_tx.stall = stall
                data = net.rng.randbytes(length)
                net.send_udp(data, to=to)
                if stall:
                    await net.run(lambda net=net: bool(asked(net)))
                else:
                    await net.drain()
                assert asked(net) == [hop] and not datagrams(net)
                answer(net, hop, mac)
                await net.drain()
                await net.run(lambda net=net: bool(datagrams(net)), 2000)
                assert datagrams(net) == [frame_of(data, to, mac)]
                await net.run(5 * SECOND)
                assert len(datagrams(net)) == 1 and net.counts["tx_sent"] == 1
                assert not net.counts["tx_drop_unresolved"]
    for length in (0, 3, 1460):
        net = await beginning(dut)
        packet = IP(src=OUR_IP, dst=host, ttl=9, tos=3, id=0) / TCP(sport=80, dport=5000, seq=7)
        frame = bytes(Ether(src=OUR_MAC, dst=mac) / packet / Raw(net.rng.randbytes(length)))
        user = {"destination": ip_number(host), "length": len(frame) - 34, "ttl": 9, "tos": 3, "df": 0, "steady": 1}
        net.tcp_tx.items.append(Item(frame[34:], user))
        await net.drain()
        answer(net, host, mac)
        await net.run(lambda net=net: bool(datagrams(net)), 2000)
        assert datagrams(net) == [frame]


@cocotb.test()
async def it_goes_at_once(dut: Any) -> None:
    net = await beginning(dut)
    host, mac = QUARTET[0]
    net.send_udp(b"at once", to=host)
    await net.drain()
    answer(net, host, mac)
    await net.run(lambda: net.counts["arp"] == 1)
    learned = net.cycle
    await net.run(lambda: bool(datagrams(net)))
    frame = next(got for got in net.sent.items if got.data[12:14] == b"\x08\x00")
    assert frame.first - learned <= (12 if net.line.width == 64 else 13)


@cocotb.test()
async def the_latest_one_waits(dut: Any) -> None:
    net = await beginning(dut)
    net.tick = lambda cycle: cycle % 2  # all within its four seconds
    for number, (host, _) in enumerate(QUARTET):
        net.send_udp(bytes([number]) * (90 - number), to=host)
    await net.drain()
    assert asked(net) == [host for host, _ in QUARTET] and net.counts["tx_drop_unresolved"] == 3
    for host, mac in QUARTET:
        assert not datagrams(net), "it is nobody's but the last one's"
        answer(net, host, mac)
        await net.drain()
    assert datagrams(net) == [frame_of(bytes([3]) * 87, *QUARTET[3])]
    await net.run(10 * SECOND)
    assert len(datagrams(net)) == 1 and net.counts["tx_drop_unresolved"] == 3


@cocotb.test()
async def a_neighbour_that_is_silent_is_asked_again_and_then_given_up(dut: Any) -> None:
    host, mac = QUARTET[1]
    for silent in (0, 1, 2, 3, 9):
        net = await beginning(dut)
        net.send_udp(b"somebody?", to=host)
        await net.run(SECOND * silent + SECOND // 2)
        assert net.counts["tx_drop_unresolved"] == (silent > 3)
        answer(net, host, mac)
        await net.drain()
        await net.run(6 * SECOND)
        assert len(datagrams(net)) == (silent <= 3) and net.counts["tx_drop_unresolved"] == (silent > 3)
        at = net.count_at["arp_request"]
        assert len(at) == 1 + (silent > 1), at
        assert all(SECOND < b - a <= 2 * SECOND + REACTION for a, b in itertools.pairwise(at))


@cocotb.test()
async def an_answer_at_the_last_moment_is_one(dut: Any) -> None:
    """Around the fourth second: it is sent, or it is counted, never both."""
    ends = set()
    for late in range(SECOND):
        net = await beginning(dut)
        net.send_udp(b"somebody?", to=QUARTET[1][0])
        await net.run(7 * SECOND // 2 + late)
        answer(net, *QUARTET[1])
        await net.run(2 * SECOND)
        ends.add((len(datagrams(net)), net.counts["tx_drop_unresolved"]))
    assert ends == {(1, 0), (0, 1)}


@cocotb.test()
async def the_next_one_waits_behind_one_that_was_given_up_or_sent(dut: Any) -> None:
    net = await beginning(dut)
    for number in range(6):
        host, mac = QUARTET[number % 4]
        net.send_udp(bytes([number]), to=host)
        await net.drain()
        if number % 2:
            await net.run(6 * SECOND)
        else:
            answer(net, host, mac)
            await net.drain()
            assert datagrams(net)[-1][42:] == bytes([number])
    sent = [data[42:] for data in datagrams(net)]
    assert sent == [b"\0", b"\2", b"\4"] and net.counts["tx_drop_unresolved"] == 3


@cocotb.test()
async def a_stack_that_is_off_drops_what_waits(dut: Any) -> None:
    net = await beginning(dut)
    net.send_udp(b"somebody?", to=QUARTET[0][0])
    await net.drain()
    dut.settings.value = settings(enable=0)
    await net.run(2 * SECOND)
    assert net.counts["tx_drop_disabled"] == 1 and not net.counts["tx_drop_unresolved"]
    dut.settings.value = settings()
    answer(net, *QUARTET[0])
    await net.run(6 * SECOND)
    assert not datagrams(net) and not net.counts["tx_drop_unresolved"]


@cocotb.test()
async def what_is_bad_does_not_wait(dut: Any) -> None:
    net = await beginning(dut)
    for length, said in ((100, 99), (200, 240), (9, 40)):
        net.forget()
        net.send_udp(net.rng.randbytes(length), to=QUARTET[2][0], length=said, steady=1, sum_known=1, sum=0)
        await net.drain()
        answer(net, *QUARTET[2])
        await net.run(6 * SECOND)
        gone = sum(net.counts[f"tx_{why}"] for why in ("drop_length", "drop_unresolved", "cut_bad"))
        assert gone == 1 and not [got for got in net.sent.items if got.data[12:14] == b"\x08\x00" and not got.bad]


@cocotb.test()
async def each_ends_once_whoever_answers_and_when(dut: Any) -> None:
    net = await beginning(dut, arp_lifetime=3)
    rng = net.rng
    given: Counter[bytes] = Counter()
    for number in range(250):
        host, mac = rng.choice(QUARTET)
        what = rng.random()
        if what < 0.55:
            to = rng.choice((host, host, "192.0.2.7", "10.0.0.255"))
            data = number.to_bytes(2, "big") + rng.randbytes(rng.choice((0, 5, 40, 300, 1400)))
            net.send_udp(data, to=to, steady=rng.randrange(2))
            given[data] += 1
        elif what < 0.9:
            answer(net, *rng.choice(((host, mac), (GATEWAY, "02:00:00:00:00:99"))))
        else:
            dut.settings.value = settings(arp_lifetime=3, gateway=rng.choice((0, ip_number(GATEWAY))))
        net.udp_tx.stall, net.sent.stall = rng.choice((0, 0, 0.5)), rng.choice((0, 0, 0.5))
        await net.run(rng.choice((1, 10, 60, 200, SECOND)))
    await net.drain()
    await net.run(6 * SECOND)
    got = Counter(data[42:] for data in datagrams(net))
    assert not got - given, "what nobody gave, or twice"
    assert net.counts["tx_sent"] == got.total()
    assert net.counts["tx_sent"] + net.counts["tx_drop_unresolved"] == given.total()
    assert min(net.counts["tx_sent"], net.counts["tx_drop_unresolved"]) > 10
    assert all(data[:6] == bytes.fromhex(ALL_MAC.replace(":", "")) or data[0] == 2 for data in datagrams(net))


CASES = (
    "it_goes_as_it_was_when_its_neighbour_answers",
    "it_goes_at_once",
    "the_latest_one_waits",
    "a_neighbour_that_is_silent_is_asked_again_and_then_given_up",
    "an_answer_at_the_last_moment_is_one",
    "the_next_one_waits_behind_one_that_was_given_up_or_sent",
    "a_stack_that_is_off_drops_what_waits",
    "what_is_bad_does_not_wait",
)
SMALL = {"SECOND_TICKS": SECOND, "NEIGHBOURS": 4}


@pytest.mark.parametrize("width", [*some([64], [256]), *slow([128, 512])])
def test_what_waits_for_its_neighbour(width: int) -> None:
    run_bench("net", {**SMALL, "WIDTH": width}, testcase=CASES)


@pytest.mark.parametrize("width", [*some([64], [256]), *slow([128, 512])])
@pytest.mark.parametrize("seed", seeds(1, 20))
def test_each_datagram_ends_once(seed: int, width: int) -> None:
    run_bench("net", {**SMALL, "WIDTH": width}, testcase="each_ends_once_whoever_answers_and_when", seed=seed)
