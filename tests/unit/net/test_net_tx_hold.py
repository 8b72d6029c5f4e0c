# SPDX-License-Identifier: Apache-2.0
"""Datagrams whose neighbours are not known wait for the answer; each is sent once as it was, or counted once."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.handle import ValueObjectBase
from cocotb.triggers import FallingEdge
from net_hw import ALL_MAC, GATEWAY, OUR_IP, OUR_MAC, Item, Stack, identification, ip_number, settings, stack
from runs import seeds, slow, some
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

SECOND = 64  # ticks: a tick is a cycle here
QUARTET = [(f"10.0.0.{40 + i}", f"02:00:00:00:02:{40 + i}") for i in range(4)]
PLACES = 8
INPUTS = {
    "second", "learned_valid", "learned", "looked_up", "under_way", "unresolved", "unresolved_request",
    "unresolved_hop", "beat", "request_ready", "l4_ready", "back", "dropped_ready",
}  # fmt: skip
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
        / IP(src=OUR_IP, dst=to, ttl=64, flags="DF", id=identification(ident))
        / UDP(sport=1000, dport=2000)
        / Raw(data)
    )


def datagrams(net: Stack) -> list[bytes]:
    return [got.data for got in net.sent.items if got.data[12:14] == b"\x08\x00"]


def asked(net: Stack) -> list[str]:
    return [host for got in net.sent.items for host in asked_in(got.data)]


def asked_in(data: bytes) -> list[str]:
    return [".".join(map(str, data[38:42]))] if data[12:14] == b"\x08\x06" and data[21] == 1 else []


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
        packet = IP(src=OUR_IP, dst=host, ttl=9, tos=3, id=identification(0)) / TCP(sport=80, dport=5000, seq=7)
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
async def an_answer_on_the_way_to_the_store_is_not_missed(dut: Any) -> None:
    """Whenever it comes, behind the look-up or before, and while another frame is on the line; no second passes."""
    host, mac = QUARTET[0]
    for late in range(60):
        for ahead in (0, 200):
            net = await beginning(dut)
            net.tick = lambda cycle: 0
            if ahead:
                net.send_udp(bytes(ahead), to="10.0.0.255")
            net.send_udp(b"now", to=host)
            await net.run(late)
            answer(net, host, mac)
            await net.run(lambda net=net: any(data[30:34] == bytes([10, 0, 0, 40]) for data in datagrams(net)), 300)
            await net.run(20)
            assert [data[42:45] for data in datagrams(net) if data[30:34] == bytes([10, 0, 0, 40])] == [b"now"], late


@cocotb.test()
async def the_latest_one_of_each_neighbour_waits(dut: Any) -> None:
    net = await beginning(dut)
    net.tick = lambda cycle: int(cycle % 64 == 0)  # all within a second
    for again in range(2):
        for number, (host, _) in enumerate(QUARTET):
            net.send_udp(bytes([again, number]) * (90 - number), to=host)
    await net.drain(200)
    assert asked(net) == [host for host, _ in QUARTET] and net.counts["tx_drop_unresolved"] == 4
    expected = []
    for number in net.rng.sample(range(4), 4):
        answer(net, *QUARTET[number])
        await net.drain()
        expected.append(frame_of(bytes([1, number]) * (90 - number), *QUARTET[number], ident=len(expected)))
        assert datagrams(net) == expected
    net.tick = lambda cycle: 1
    await net.run(10 * SECOND)
    assert len(datagrams(net)) == 4 == net.counts["tx_drop_unresolved"]


@cocotb.test()
async def eight_wait_and_the_oldest_makes_room(dut: Any) -> None:
    """Whoever displaced another one of its own before: the oldest is the one that came first of those that wait."""
    net = await beginning(dut)
    net.tick = lambda cycle: int(cycle % 64 == 0)
    hosts = [(f"10.0.0.{60 + i}", f"02:00:00:00:04:{60 + i}") for i in range(11)]
    data = {host: net.rng.randbytes(net.rng.choice((0, 40, 1472))) for host, _ in hosts}
    for host, _ in (*hosts[:8], hosts[1], *hosts[8:]):
        net.send_udp(data[host], to=host)
    await net.drain(300)
    assert net.counts["tx_drop_unresolved"] == 4, "hosts 0, 2, 3, and the first one for host 1"
    for host, mac in net.rng.sample(hosts, len(hosts)):
        net.forget()
        answer(net, host, mac)
        await net.drain(400)
        got = [frame[:18] + frame[20:24] + frame[26:] for frame in datagrams(net)]
        wanted = frame_of(data[host], host, mac)
        assert got == (
            [] if host in (hosts[0][0], hosts[2][0], hosts[3][0]) else [wanted[:18] + wanted[20:24] + wanted[26:]]
        )


@cocotb.test()
async def as_many_neighbours_as_there_are_places_are_served(dut: Any) -> None:
    """Nine, twelve, 64, in turn and at once: each answers when it is asked, and each datagram goes out."""
    for count in (9, 12, 64):
        net = await beginning(dut)
        net.tick = lambda cycle: int(cycle % 64 == 0)
        hosts = {f"10.0.0.{60 + i}": f"02:00:00:00:04:{i:02x}" for i in range(count)}

        def answers(got: Any, net: Stack = net, hosts: dict[str, str] = hosts) -> None:
            for host in asked_in(got.data):
                answer(net, host, hosts[host])

        net.peer = answers
        for round_number in range(3):
            for host in hosts:
                net.send_udp(bytes([round_number]) * 18, to=host)
        await net.drain(400)
        assert not net.counts["tx_drop_unresolved"] and net.counts["arp_request"] == count
        to = Counter((data[:6].hex(":"), data[42]) for data in datagrams(net))
        assert to == Counter((mac, turn) for mac in hosts.values() for turn in range(3)), count


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
    await net.run(20 * SECOND)  # eight questions take longer than such a second
    got = Counter(data[42:] for data in datagrams(net))
    assert not got - given, "what nobody gave, or twice"
    assert net.counts["tx_sent"] == got.total()
    assert net.counts["tx_sent"] + net.counts["tx_drop_unresolved"] == given.total()
    assert min(net.counts["tx_sent"], net.counts["tx_drop_unresolved"]) > 10
    assert all(data[:6] == bytes.fromhex(ALL_MAC.replace(":", "")) or data[0] == 2 for data in datagrams(net))


CASES = (
    "it_goes_as_it_was_when_its_neighbour_answers",
    "it_goes_at_once",
    "an_answer_on_the_way_to_the_store_is_not_missed",
    "the_latest_one_of_each_neighbour_waits",
    "a_neighbour_that_is_silent_is_asked_again_and_then_given_up",
    "an_answer_at_the_last_moment_is_one",
    "the_next_one_waits_behind_one_that_was_given_up_or_sent",
    "a_stack_that_is_off_drops_what_waits",
    "what_is_bad_does_not_wait",
)
SMALL = {"SECOND_TICKS": SECOND, "NEIGHBOURS": 4}


@cocotb.test()
async def no_register_moves_until_a_datagram_is_under_way(dut: Any) -> None:
    """Or a simulator of the SoC could not leave out the time in which nothing happens: it would seem to hang."""
    signals = [part for part in dut if isinstance(part, ValueObjectBase)]
    for signal in signals:
        if signal._name in INPUTS:
            signal.value = 0
    Clock(dut.clk, 2, unit="ns").start()

    async def moved(cycles: int) -> set[str]:
        names: set[str] = set()
        for _ in range(cycles):
            before = [signal.value for signal in signals]
            await FallingEdge(dut.clk)
            names |= {signal._name for signal, was in zip(signals, before, strict=True) if signal.value != was}
        return names

    dut.rst.value = 1
    await moved(3)
    dut.rst.value = 0
    await moved(4)
    assert await moved(2 * PLACES) == set()
    dut.under_way.value = 1
    await moved(1)
    assert "walk_q" in await moved(1)


def test_the_store_is_at_rest() -> None:
    run_bench("net_tx_hold", testcase="no_register_moves_until_a_datagram_is_under_way")


@pytest.mark.parametrize("width", [*some([64], [256]), *slow([128, 512])])
def test_what_waits_for_its_neighbour(width: int) -> None:
    covers = ("net_tx_hold.c_replaces", "net_tx_hold.c_back", "net_tx_hold.c_bad")
    run_bench("net", {**SMALL, "WIDTH": width}, testcase=CASES, covers=covers if width == 64 else ())


MANY = ("eight_wait_and_the_oldest_makes_room", "as_many_neighbours_as_there_are_places_are_served")


@pytest.mark.parametrize("width", [*some([64], [256]), *slow([128, 512])])
def test_many_neighbours(width: int) -> None:
    run_bench("net", {"SECOND_TICKS": SECOND, "NEIGHBOURS": 64, "WIDTH": width}, testcase=MANY,
              covers=["net_tx_hold.c_both_ways"] if width == 64 else ())  # fmt: skip


@pytest.mark.parametrize("width", [*some([64], [256]), *slow([128, 512])])
@pytest.mark.parametrize("seed", seeds(1, 20))
def test_each_datagram_ends_once(seed: int, width: int) -> None:
    run_bench("net", {**SMALL, "WIDTH": width}, testcase="each_ends_once_whoever_answers_and_when", seed=seed)
