# SPDX-License-Identifier: Apache-2.0
"""ARP and ICMP of net: what is asked, answered, learned and forgotten, refused and told."""

import itertools

import cocotb
import pytest
from bench import run_bench
from net_hw import (
    ALL_MAC,
    OUR_IP,
    OUR_MAC,
    PEER_IP,
    PEER_MAC,
    Got,
    Stack,
    ip_number,
    padded,
    ping,
    stack,
    to_us,
    udp,
)  # fmt: skip
from runs import WIDTHS, slow, some
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw
from scapy.utils import checksum

SECOND = 64  # ticks, in these tests
EVERY = {"SECOND_TICKS": SECOND, "NEIGHBOURS": 4}


def arp(op: int = 1, *, sender: str = PEER_IP, mac: str = PEER_MAC, target: str = OUR_IP, to: str = ALL_MAC) -> bytes:
    return padded(Ether(src=mac, dst=to) / ARP(op=op, hwsrc=mac, psrc=sender, pdst=target))


def asked(frames: list[Got]) -> list[str]:
    """Whom the stack asked for; the requests must be right."""
    found = []
    for got in frames:
        if got.data[12:14] == b"\x08\x06" and got.data[21] == 1:
            target = ".".join(str(b) for b in got.data[38:42])
            assert got.data == bytes(
                Ether(src=OUR_MAC, dst=ALL_MAC)
                / ARP(op=1, hwsrc=OUR_MAC, psrc=OUR_IP, pdst=target, hwdst="0:0:0:0:0:0")
            )
            found.append(target)
    return found


def replies(frames: list[Got]) -> list[bytes]:
    return [got.data for got in frames if got.data[12:14] == b"\x08\x06" and got.data[21] == 2]


async def knows(net: Stack, address: str) -> str | None:
    """The MAC address that a datagram goes to; None: it was dropped."""
    before = len(net.sent.items)
    net.send_udp(b"?", to=address)
    await net.drain(40)
    for got in net.sent.items[before:]:
        if got.data[12:14] == b"\x08\x00":
            return got.data[:6].hex(":")
    return None


@cocotb.test()
async def who_asks_is_answered_and_learned(dut) -> None:
    net = await stack(dut)
    net.receive(arp())
    await net.drain()
    expected = Ether(src=OUR_MAC, dst=PEER_MAC) / ARP(op=2, hwsrc=OUR_MAC, psrc=OUR_IP, hwdst=PEER_MAC, pdst=PEER_IP)
    assert replies(net.sent.items) == [bytes(expected)]
    assert net.counts["arp"] == 1 and not net.nic.items
    assert await knows(net, PEER_IP) == PEER_MAC


@cocotb.test()
async def a_probe_is_answered_and_not_learned(dut) -> None:
    net = await stack(dut)
    net.receive(arp(sender="0.0.0.0"))
    await net.drain()
    expected = Ether(src=OUR_MAC, dst=PEER_MAC) / ARP(op=2, hwsrc=OUR_MAC, psrc=OUR_IP, hwdst=PEER_MAC, pdst="0.0.0.0")
    assert replies(net.sent.items) == [bytes(expected)]
    assert not any(net.counts[n] for n in ("arp_conflict",))


@cocotb.test()
async def only_who_is_known_is_updated_by_what_is_for_others(dut) -> None:
    net = await stack(dut)
    other = arp(target="10.0.0.99")
    net.receive(other)
    await net.drain()
    assert [got.data for got in net.nic.items] == [other] and not net.sent.items, "not for us: the NIC has it"
    assert await knows(net, PEER_IP) is None
    net.receive(arp())
    await net.drain()
    for op in (1, 2):
        mac = f"02:00:00:00:00:7{op}"
        net.receive(arp(op, mac=mac, target="10.0.0.99"))
        await net.drain()
        assert await knows(net, PEER_IP) == mac, "merged"


@cocotb.test()
async def what_no_neighbour_can_say_is_not_learned(dut) -> None:
    net = await stack(dut)
    net.receive(arp())
    await net.drain()
    net.receive(arp(mac="03:00:00:00:00:01"))  # a group
    net.receive(arp(mac="00:00:00:00:00:00"))
    net.line.items[-1].bad = True
    bad = arp(mac="02:00:00:00:00:55")
    net.receive(bad, bad=True)
    for place, value in ((15, 6), (16, 9), (18, 8), (19, 16), (21, 3), (20, 1)):
        strange = bytearray(arp(mac="02:00:00:00:00:56"))
        strange[place] = value
        net.receive(bytes(strange))
    net.receive(arp(mac="02:00:00:00:00:57")[:41])
    await net.drain()
    assert await knows(net, PEER_IP) == PEER_MAC
    assert len(net.nic.items) == 7, "what is no ARP for Ethernet and IPv4 goes to the NIC"
    assert net.counts["drop_bad"] == 2


@cocotb.test()
async def all_arp_frames_of_a_burst_are_heard(dut) -> None:
    """However close behind each other they come: the cache takes its time for each."""
    net = await stack(dut)
    for _ in range(5):
        for i in range(20, 24):
            net.receive(arp(2, sender=f"10.0.0.{i}", mac=f"02:00:00:00:01:{i}", to=OUR_MAC))
            net.receive(padded(udp(b"between")))
    net.receive(arp())
    await net.drain()
    assert net.counts["arp"] == 21 and net.counts["udp"] == 20 and len(replies(net.sent.items)) == 1
    known = [await knows(net, f"10.0.0.{i}") for i in range(21, 24)]
    assert known == [f"02:00:00:00:01:{i}" for i in range(21, 24)], "the first one made room for who asked"


@cocotb.test()
async def another_with_our_address_is_a_conflict(dut) -> None:
    net = await stack(dut)
    net.receive(arp(sender=OUR_IP, target=OUR_IP))
    net.receive(arp(2, sender=OUR_IP, target="10.0.0.9"))
    net.receive(arp(sender=OUR_IP, mac=OUR_MAC, target="10.0.0.9"))  # ourselves, by a loop
    await net.drain()
    assert net.counts["arp_conflict"] == 2 and not net.sent.items


@cocotb.test()
async def a_target_is_asked_once_a_second_at_most_and_then_known(dut) -> None:
    net = await stack(dut)
    net.tick = lambda cycle: int(cycle % 4 == 0)
    for _ in range(60):
        net.send_udp(b"?")
        await net.run(20)
    await net.drain()
    at = net.count_at["arp_request"]
    assert all(SECOND * 4 <= b - a <= 2 * SECOND * 4 + 60 for a, b in itertools.pairwise(at)), at
    assert len(at) >= 3 and set(asked(net.sent.items)) == {PEER_IP}
    assert net.counts["tx_drop_unresolved"] == 59, "the latest one waits"
    net.receive(arp(2, to=OUR_MAC))
    await net.drain()
    assert await knows(net, PEER_IP) == PEER_MAC
    assert net.counts["arp"] == 1


@cocotb.test()
async def entries_age_and_are_renewed_before_they_end(dut) -> None:
    net = await stack(dut, arp_lifetime=4)
    net.tick = lambda cycle: 1
    net.receive(arp())
    await net.drain()
    life = 4 * SECOND
    await net.run(life - life // 16 - 60 - net.cycle % 2)
    net.sent.items.clear()
    assert await knows(net, PEER_IP) == PEER_MAC, "it lives, and is old:"
    await net.drain()
    assert asked(net.sent.items) == [PEER_IP]
    net.receive(arp(2, to=OUR_MAC))
    await net.run(life // 2)
    assert await knows(net, PEER_IP) == PEER_MAC, "news begin a life"
    await net.run(life)
    assert await knows(net, PEER_IP) is None, "and that ends"


@cocotb.test()
async def a_full_cache_forgets_by_turns(dut) -> None:
    net = await stack(dut)
    for i in range(20, 24):
        net.receive(arp(sender=f"10.0.0.{i}", mac=f"02:00:00:00:01:{i}"))
    await net.drain()
    for i in range(20, 24):
        assert await knows(net, f"10.0.0.{i}") == f"02:00:00:00:01:{i}"
    net.receive(arp(sender="10.0.0.30", mac="02:00:00:00:01:30"))
    await net.drain()
    assert await knows(net, "10.0.0.30") == "02:00:00:00:01:30"
    there = [await knows(net, f"10.0.0.{i}") for i in range(20, 24)]
    assert there.count(None) >= 1


@cocotb.test()
async def a_scan_asks_no_more_than_there_are_places(dut) -> None:
    net = await stack(dut)
    for i in range(40):
        net.send_udp(b"?", to=f"10.0.0.{100 + i}")
    await net.drain(40 * 20)
    places = min(int(dut.NEIGHBOURS.value), 8)
    assert len(asked(net.sent.items)) == places, "within a second no entry that was asked for makes room"
    assert net.counts["tx_drop_unresolved"] == 32, "the last eight wait"


# ---- ICMP ------------------------------------------------------------------------------------------------------------


async def frames_out(net: Stack, count: int) -> list[Packet]:
    await net.run(lambda: len(net.sent.items) >= count)
    await net.drain()
    assert len(net.sent.items) == count
    return [Ether(got.data) for got in net.sent.items]


def right_sums(frame: bytes) -> bool:
    end = 14 + 4 * (frame[14] & 15)
    total = int.from_bytes(frame[16:18], "big")
    return checksum(frame[14:end]) == 0 and checksum(frame[end : 14 + total]) == 0


@cocotb.test()
async def a_ping_of_any_size_comes_back(dut) -> None:
    net = await stack(dut)
    await net.meet()
    for size in [*range(40), 63, 64, 65, 500, 1471, 1472, 1473, 1954, 1988]:  # the last in frames of 2000 and 2034
        net.forget()
        request = ping(net.rng.randbytes(size), tos=size % 256)
        net.receive(padded(request, net.rng))
        (reply,) = await frames_out(net, 1)
        assert (reply.src, reply.dst, reply[IP].src, reply[IP].dst) == (OUR_MAC, PEER_MAC, OUR_IP, PEER_IP)
        assert right_sums(bytes(reply)) and reply[IP].tos == size % 256 and reply[IP].ttl == 64
        expected = bytearray(bytes(request)[34:])
        expected[0] = 0
        assert bytes(reply)[34:36] + bytes(reply)[38:] == bytes(expected[:2] + expected[4:]), "all but the sum"
        assert net.counts["echo"] == 1 == net.counts["tx_sent"]


@cocotb.test()
async def sums_of_replies_are_right_at_the_edges_of_sixteen_bits(dut) -> None:
    net = await stack(dut)
    await net.meet()
    for word in (0x0000, 0xFFFF, 0xF7FF, 0xF800, 0x0800, 0x07FF, 0x0801, 0xF801, 0x1234):
        for ident in (0, 0xFFFF):
            net.forget()
            net.receive(padded(to_us(ICMP(type=8, id=ident, seq=0) / Raw(word.to_bytes(2, "big")))))
            (reply,) = await frames_out(net, 1)
            assert right_sums(bytes(reply)), (word, ident)


@cocotb.test()
async def pings_to_all_and_broken_ones_are_not_answered(dut) -> None:
    net = await stack(dut)
    await net.meet()
    net.receive(padded(ping(b"all", dst="255.255.255.255", mac=ALL_MAC)))
    net.receive(padded(ping(b"subnet", dst="10.0.0.255", mac=ALL_MAC)))
    net.receive(padded(ping(b"in a frame to all", mac=ALL_MAC)))
    broken = bytearray(bytes(ping(bytes(range(100)))))
    broken[-1] ^= 1
    net.receive(bytes(broken))
    net.receive(ping(bytes(100)), bad=True)
    net.receive(padded(ping(b"good")))
    (reply,) = await frames_out(net, 1)
    assert reply[Raw].load == b"good"
    assert net.counts["drop_address"] == 3 and net.counts["drop_sum"] == 1 and net.counts["drop_bad"] == 1


@cocotb.test()
async def pings_without_room_are_counted_and_the_others_answered_in_order(dut) -> None:
    net = await stack(dut)
    await net.meet()
    net.sent.stall = 0.97
    sizes = [1000, 1400, 30, 1472, 1472, 1472, 8, 1400, 60, 900, 900]
    for number, size in enumerate(sizes):
        net.receive(padded(ping(bytes([number]) * size)))
    await net.run(net.idle)
    net.sent.stall = 0.0
    await net.drain(2000)
    assert net.counts["echo"] + net.counts["drop_busy"] == len(sizes) and net.counts["drop_busy"]
    got = [Ether(g.data)[Raw].load for g in net.sent.items]
    assert len(got) == net.counts["echo"]
    assert [data[0] for data in got] == sorted(data[0] for data in got)
    assert all(data == bytes([data[0]]) * sizes[data[0]] for data in got)


@cocotb.test()
async def a_closed_port_and_an_unknown_protocol_are_refused_with_the_quote(dut) -> None:
    net = await stack(dut, refuse=1)
    await net.meet()
    net.open = lambda port: port != 7
    for size in (0, 1, 20, 300):
        net.forget()
        frame = padded(udp(net.rng.randbytes(size), dport=7))
        net.receive(frame)
        (refusal,) = await frames_out(net, 1)
        assert (refusal[ICMP].type, refusal[ICMP].code, refusal[IP].dst) == (3, 3, PEER_IP)
        assert right_sums(bytes(refusal)) and bytes(refusal)[42:] == frame[14:42] and refusal[IP].len == 56
        assert net.counts["drop_port"] == 1 == net.counts["refused"] and not net.udp.items
    net.forget()
    frame = bytes(to_us(Raw(net.rng.randbytes(50)), proto=132))
    net.receive(frame)
    (refusal,) = await frames_out(net, 1)
    assert (refusal[ICMP].type, refusal[ICMP].code) == (3, 2)
    assert right_sums(bytes(refusal)) and bytes(refusal)[42:] == frame[14:42]


@cocotb.test()
async def nothing_is_refused_to_all_or_too_often_or_about_what_is_broken(dut) -> None:
    net = await stack(dut, refuse=1, refuse_gap=100)
    await net.meet()
    net.open = lambda port: False
    net.tick = lambda cycle: 1
    net.receive(padded(udp(b"all", dst="255.255.255.255", mac=ALL_MAC)))
    net.receive(padded(udp(b"subnet", dst="10.0.0.255", mac=ALL_MAC)))
    net.receive(padded(udp(b"in a frame to all", mac=ALL_MAC)))
    net.receive(padded(udp(b"from nowhere", src="127.0.0.1")))
    broken = bytearray(bytes(udp(bytes(60))))
    broken[-1] ^= 1
    net.receive(bytes(broken))
    net.receive(padded(to_us(Raw(bytes(40)), proto=99, dst="10.0.0.255", mac=ALL_MAC)))
    await net.drain(200)
    assert not net.sent.items and net.counts["refused"] == 0 and net.counts["drop_port"] == 2
    again = 60 * net.line.width // 64
    for _ in range(again):
        net.receive(padded(udp(b"again", dport=9)))
    await net.drain(200)
    at = net.count_at["refused"]
    assert len(net.sent.items) == len(at) == net.counts["refused"] and len(at) >= 4
    assert all(b - a > 100 for a, b in itertools.pairwise(at))
    assert net.counts["refused"] + net.counts["refusal_saved"] == again


def error(quoted: Packet | bytes, **icmp: int) -> Packet:
    return to_us(ICMP(**icmp) / Raw(bytes(quoted)))


@cocotb.test()
async def errors_about_our_datagrams_are_told(dut) -> None:
    net = await stack(dut)
    ours = IP(src=OUR_IP, dst="192.0.2.1") / TCP(sport=1234, dport=80, seq=0xDEADBEEF)
    for kind, code, more in ((3, 0, {}), (3, 4, {"nexthopmtu": 1400}), (11, 1, {}), (12, 0, {})):
        for length in (28, 29, 40):
            net.forget()
            net.receive(padded(error(bytes(ours)[:length], type=kind, code=code, **more)))
            await net.drain()
            (event,) = net.events
            assert (event["kind"], event["code"], event["protocol"]) == (kind, code, 6)
            assert event["destination"] == ip_number("192.0.2.1") and event["sequence_number"] == 0xDEADBEEF
            assert (event["source_port"], event["port"]) == (1234, 80)
            assert not more or event["mtu"] == 1400
            assert net.counts["icmp_error"] == 1
    net.forget()
    net.receive(
        padded(error(bytes(IP(src=OUR_IP, dst="192.0.2.1") / UDP(sport=5, dport=6) / Raw(bytes(9))), type=3, code=3))
    )
    await net.drain()
    assert [(e["protocol"], e["source_port"], e["port"]) for e in net.events] == [(17, 5, 6)]


@cocotb.test()
async def errors_about_nothing_of_ours_are_counted_only(dut) -> None:
    net = await stack(dut)
    other = bytes(IP(src="10.0.0.9", dst="192.0.2.1") / TCP(seq=1))
    ours = bytes(IP(src=OUR_IP, dst="192.0.2.1") / TCP(seq=1))
    options = b"\x46" + ours[1:20] + bytes(4) + ours[20:]
    for quoted in (other, ours[:27], ours[:20], b"", options):
        net.receive(padded(error(quoted, type=3, code=1)))
    net.receive(padded(error(ours, type=3, code=1)), bad=True)
    broken = bytearray(bytes(error(ours, type=3, code=1)))
    broken[-1] ^= 1
    net.receive(bytes(broken))
    await net.drain()
    assert not net.events and not net.sent.items
    assert net.counts["icmp_error"] == 5 and net.counts["drop_bad"] == 1 and net.counts["drop_sum"] == 1


ARP_CASES = (
    "who_asks_is_answered_and_learned",
    "a_probe_is_answered_and_not_learned",
    "only_who_is_known_is_updated_by_what_is_for_others",
    "what_no_neighbour_can_say_is_not_learned",
    "all_arp_frames_of_a_burst_are_heard",
    "another_with_our_address_is_a_conflict",
    "a_target_is_asked_once_a_second_at_most_and_then_known",
    "entries_age_and_are_renewed_before_they_end",
    "a_full_cache_forgets_by_turns",
    "a_scan_asks_no_more_than_there_are_places",
)
ICMP_CASES = (
    "a_ping_of_any_size_comes_back",
    "sums_of_replies_are_right_at_the_edges_of_sixteen_bits",
    "pings_to_all_and_broken_ones_are_not_answered",
    "pings_without_room_are_counted_and_the_others_answered_in_order",
    "a_closed_port_and_an_unknown_protocol_are_refused_with_the_quote",
    "nothing_is_refused_to_all_or_too_often_or_about_what_is_broken",
    "errors_about_our_datagrams_are_told",
    "errors_about_nothing_of_ours_are_counted_only",
)


@pytest.mark.parametrize("width", [*some([64], [256]), *slow([128, 512])])
def test_arp(width: int) -> None:
    run_bench("net", {**EVERY, "WIDTH": width}, testcase=ARP_CASES)


TABLE_CASES = tuple(case for case in ARP_CASES if case != "a_full_cache_forgets_by_turns")


@pytest.mark.parametrize("width", [64, *slow([256])])
def test_arp_with_a_table(width: int) -> None:
    run_bench("net", {**EVERY, "NEIGHBOURS": 64, "WIDTH": width}, testcase=TABLE_CASES)


@pytest.mark.parametrize("width", WIDTHS)
def test_icmp(width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase=ICMP_CASES)
