# SPDX-License-Identifier: Apache-2.0
"""`net` without lwIP, on this machine under sanitizers: what it answers, what it drops, and that no input breaks it."""

import random
import struct
from collections.abc import Iterator

import pytest
from net_frames import (
    BROADCAST,
    ICMP,
    OUR_MAC,
    OURS,
    PEER,
    PEER_MAC,
    TCP,
    UDP,
    address,
    arp,
    check_sums,
    checksum,
    datagram,
    ethernet,
    icmp,
    ipv4,
    mutated,
    ping,
    resolve,
    udp,
)
from net_native import BUFFERS, Native
from runs import some
from scapy.layers.inet import ICMP as ScapyICMP
from scapy.layers.inet import IP as ScapyIP
from scapy.layers.inet import UDP as ScapyUDP
from scapy.layers.inet import IPerror, UDPerror
from scapy.layers.l2 import ARP as ScapyARP
from scapy.layers.l2 import Ether

TAKEN = (
    "frames of another type", "ARP requests answered", "ARP frames", "packets", "fragments", "ICMP messages",
    "ICMP echo requests answered", "datagrams received", "datagrams with", "datagrams for a port",
)  # fmt: skip
"""What becomes of a frame: each is counted by one of the counters whose text begins so."""


@pytest.fixture(params=[False, True], ids=["sums in software", "offloads"])
def net(request: pytest.FixtureRequest) -> Iterator[Native]:
    with Native(offloads=request.param) as native:
        yield native
        assert native.free == BUFFERS


def one(frames: list[bytes]) -> bytes:
    assert len(frames) == 1
    check_sums(frames[0])
    return frames[0]


def counted(net: Native, part: str) -> int:
    return sum(value for text, value in net.counters().items() if part in text)


def test_it_says_who_it_is(net: Native) -> None:
    assert net.text == "N-SoC net: 10.0.0.2, without lwIP, ready\n"


def test_arp_is_answered(net: Native) -> None:
    request = Ether(src="02:00:00:00:00:01", dst="ff:ff:ff:ff:ff:ff") / ScapyARP(
        hwsrc="02:00:00:00:00:01", psrc=PEER, pdst=OURS
    )
    assert bytes(request)[:42] == resolve()[:42], "the builders of this test are Scapy's"
    answer = Ether(one(net.exchange([bytes(request).ljust(60, b"\0")])))
    assert (answer.dst, answer.src, answer.op) == ("02:00:00:00:00:01", "02:00:00:00:00:02", 2)
    assert (answer.hwsrc, answer.psrc, answer.hwdst, answer.pdst) == (answer.src, OURS, answer.dst, PEER)
    assert net.exchange([ethernet(arp(1, PEER_MAC, PEER, bytes(6), "10.0.0.3"), 0x0806, BROADCAST)]) == []


def test_a_ping_of_any_size_comes_back_as_it_was(net: Native) -> None:
    for size in [*range(70), *range(70, 1473, 41), 1471, 1472]:
        data = random.Random(size).randbytes(size)
        sent = ping(data, size)
        answer = Ether(one(net.exchange([sent])))
        assert answer[ScapyIP].src == OURS and answer[ScapyIP].dst == PEER and answer[ScapyIP].len == 28 + size
        assert (answer[ScapyICMP].type, answer[ScapyICMP].id, answer[ScapyICMP].seq) == (0, 7, size)
        assert bytes(answer)[42 : 42 + size] == data


def test_udp_echo_of_any_size_comes_back_as_it_was(net: Native) -> None:
    for size in [*range(70), *range(70, 1473, 41), 1471, 1472]:
        data = random.Random(size).randbytes(size)
        answer = Ether(one(net.exchange([datagram(7, data)])))
        assert (answer[ScapyUDP].sport, answer[ScapyUDP].dport, answer[ScapyUDP].len) == (7, 4000, 8 + size)
        assert bytes(answer)[42 : 42 + size] == data


def test_a_datagram_without_a_sum_is_taken_and_one_behind_options_too(net: Native) -> None:
    bare = struct.pack(">HHHH", 4000, 7, 12, 0) + b"abcd"
    assert one(net.exchange([ethernet(ipv4(bare, UDP))]))[42:46] == b"abcd"
    route = bytes([7, 7, 4, 0, 0, 0, 0, 1])  # record route, and a filler
    answer = Ether(one(net.exchange([ethernet(ipv4(udp(4000, 7, b"abcd"), UDP, options=route))])))
    assert answer[ScapyIP].ihl == 5 and bytes(answer[ScapyUDP].payload)[:4] == b"abcd"


def test_a_sum_of_zero_is_sent_as_all_ones(net: Native) -> None:
    rest = address(PEER) + address(OURS) + struct.pack(">HHHHH", UDP, 10, 4000, 7, 10)
    data = struct.pack(">H", checksum(rest))
    answer = one(net.exchange([datagram(7, data)]))
    assert answer[40:44] == b"\xff\xff" + data


def test_discard_and_a_loop_of_echoes_are_silent(net: Native) -> None:
    assert net.exchange([datagram(9, b"x" * 100), datagram(7, b"x", port=7), datagram(7, b"x", port=0)]) == []
    assert counted(net, "udp.discarded_bytes") == 100 and counted(net, "udp.loops") == 2


def test_a_port_or_protocol_that_is_not_there_is_said_so_but_not_too_often(net: Native) -> None:
    sent = datagram(77, b"hello" * 20)
    answer = Ether(one(net.exchange([sent])))
    assert (answer[ScapyICMP].type, answer[ScapyICMP].code) == (3, 3)
    assert (answer[IPerror].src, answer[IPerror].dst, answer[UDPerror].dport) == (PEER, OURS, 77)
    assert Ether(one(net.exchange([ethernet(ipv4(b"12345678", 132))])))[ScapyICMP].code == 2
    assert len(net.exchange([sent] * 40)) == 8, "ten at once"
    assert len(net.exchange([sent] * 40, ms=500)) == 5, "and ten a second"
    assert counted(net, "ICMP errors held back") == 32 + 35


@pytest.mark.parametrize(
    ("cause", "frame"),
    [
        ("frames of another type", ethernet(b"x" * 50, 0x86DD)),
        ("frames of another type", ethernet(b"x" * 50, 0x8100)),
        ("ARP frames that make no sense", ethernet(arp(3, PEER_MAC, PEER, bytes(6), OURS), 0x0806)),
        ("ARP frames that make no sense", ethernet(arp(1, BROADCAST, PEER, bytes(6), OURS), 0x0806)),
        ("ARP frames that make no sense", ethernet(b"\0\2" + arp(1, PEER_MAC, PEER, bytes(6), OURS)[2:], 0x0806)),
        ("somebody else who has our address", ethernet(arp(1, PEER_MAC, OURS, bytes(6), OURS), 0x0806)),
        ("shorter than they say", ethernet(ipv4(b"x" * 40, UDP, total=61))),
        ("shorter than they say", ethernet(ipv4(b"x" * 40, UDP, total=19))),
        ("another version", ethernet(b"\x65" + ipv4(b"x" * 40, UDP)[1:])),
        ("another version", ethernet(b"\x44" + ipv4(b"x" * 40, UDP)[1:])),
        ("wrong header checksum", ethernet(ipv4(b"x" * 40, UDP)[:-41] + b"\1" + b"x" * 40)),
        ("broken options", ethernet(ipv4(b"x" * 40, UDP, options=b"\x07\x01\0\0"))),
        ("broken options", ethernet(ipv4(b"x" * 40, UDP, options=b"\x01\x01\x07\x05"))),
        ("broken options", ethernet(ipv4(b"x" * 40, UDP, options=b"\x01\x01\x01\x07"))),
        ("broken options", ethernet(ipv4(b"", UDP, options=b"\x01" * 27 + b"\x07"))),  # it ends with the frame
        ("a source route", ethernet(ipv4(b"x" * 40, UDP, options=b"\x83\x07\x04\x0a\0\0\x05\0"))),
        ("a source route", ethernet(ipv4(b"x" * 40, UDP, options=b"\x01\x89\x03\x04"))),
        ("fragments", ethernet(ipv4(udp(1, 7, b"x"), UDP, fragment=0x2000))),
        ("fragments", ethernet(ipv4(udp(1, 7, b"x"), UDP, fragment=1))),
        ("an address that no other host can have", ethernet(ipv4(udp(7, 7, b"x", source=OURS), UDP, source=OURS))),
        ("an address that no other host can have", ethernet(ipv4(b"", UDP, source="127.0.0.1"))),
        ("an address that no other host can have", ethernet(ipv4(b"", UDP, source="224.0.0.1"))),
        ("an address that no other host can have", ethernet(ipv4(b"", UDP, source="10.0.0.255"))),
        ("an address that no other host can have", ethernet(ipv4(b"", UDP, source="0.0.0.0"))),
        ("for all or for a group", ethernet(ipv4(icmp(8), ICMP, to="10.0.0.255"), to=BROADCAST)),
        ("for all or for a group", ethernet(ipv4(icmp(8), ICMP, to="224.0.0.1"))),
        ("for all or for a group", ethernet(ipv4(icmp(8), ICMP), to=BROADCAST)),
        ("packets for others", ethernet(ipv4(icmp(8), ICMP, to="10.0.0.3"))),
        ("ICMP messages that are too short", ethernet(ipv4(icmp(8)[:7], ICMP))),
        ("ICMP messages with a wrong checksum", ethernet(ipv4(icmp(8)[:-1] + b"\7", ICMP))),
        ("ICMP messages that ask nothing", ethernet(ipv4(icmp(5), ICMP))),
        ("datagrams with a wrong length", ethernet(ipv4(udp(1, 7, b"x", length=7), UDP))),
        ("datagrams with a wrong length", ethernet(ipv4(udp(1, 7, b"x", length=10), UDP))),
        ("datagrams with a wrong length", ethernet(ipv4(b"1234567", UDP))),
        ("datagrams with a wrong checksum", ethernet(ipv4(udp(1, 7, b"xy")[:-1] + b"z", UDP))),
    ],
)  # fmt: skip
def test_what_is_wrong_is_dropped_and_counted_by_cause(net: Native, cause: str, frame: bytes) -> None:
    assert net.exchange([frame]) == []
    assert counted(net, cause) == 1 == counted(net, "dropped")
    one(net.exchange([ping(b"still there")]))


def test_an_address_is_asked_for_and_what_waits_is_sent_or_counted(net: Native) -> None:
    request = datagram(69, b"\0\1" + b"40100000/10\0octet\0", port=1234)
    asked = one(net.exchange([request]))
    assert Ether(asked)[ScapyARP].pdst == PEER and asked[:6] == BROADCAST and net.free == BUFFERS - 1
    answer = ethernet(arp(2, PEER_MAC, PEER, OUR_MAC, OURS), 0x0806)
    block = one(net.exchange([answer]))
    assert block[42:46] == b"\0\3\0\1" and block[:6] == PEER_MAC
    stranger = ethernet(ipv4(udp(1, 69, request[42:], source="10.0.0.9"), UDP, source="10.0.0.9"))
    asks = [len(net.exchange([stranger]))] + [len(net.exchange(ms=1000)) for _ in range(4)]
    assert asks[0] == 1 and sum(a for a in asks) >= 3
    for _ in range(8):
        net.exchange(ms=1000)
    assert counted(net, "nobody has said where") >= 1
    far = ethernet(ipv4(udp(1, 69, request[42:], source="11.0.0.9"), UDP, source="11.0.0.9"))
    assert net.exchange([far]) == [] and counted(net, "not on this network") == 1
    for _ in range(20):
        net.exchange(ms=1000)


def test_a_known_address_is_renewed_and_a_strange_one_is_not_learned(net: Native) -> None:
    net.exchange([resolve()])
    moved = bytes.fromhex("020000000077")
    net.exchange([ethernet(arp(1, moved, PEER, bytes(6), "10.0.0.200"), 0x0806, BROADCAST)])
    net.exchange([ethernet(arp(1, moved, "10.0.0.40", bytes(6), "10.0.0.200"), 0x0806, BROADCAST)])
    block = one(net.exchange([datagram(69, b"\0\1" + b"40100000/10\0octet\0")]))
    assert block[:6] == moved and counted(net, "learned") == 1
    for _ in range(20):
        net.exchange(ms=1000)


def host(number: int) -> tuple[str, bytes]:
    return f"10.0.0.{number}", bytes([2, 0, 0, 0, 3, number])


def asks_us(number: int) -> bytes:
    address, mac = host(number)
    return ethernet(arp(1, mac, address, bytes(6), OURS), 0x0806, BROADCAST)


def goes_to(net: Native, number: int) -> bytes | None:
    """The neighbour that a datagram for this address finds; None: it is asked for."""
    frame = one(net.exchange([tftp_of(number)]))
    return None if frame[12:14] == b"\x08\x06" else frame[:6]


def tftp_of(number: int) -> bytes:
    """Makes us send from a port of our own: not to where the frame came from, but to whom ARP finds."""
    address, _ = host(number)
    data = datagram(69, b"\0\1" + b"40100000/10\0octet\0", port=1234)[42:]
    return ethernet(ipv4(udp(1234, 69, data, source=address), UDP, source=address))


PLACES = 64


def test_a_full_table_keeps_whom_it_uses_and_learns_whom_it_asked(net: Native) -> None:
    for number in range(100, 100 + PLACES):
        net.exchange([asks_us(number)])
    assert counted(net, "learned") == PLACES
    assert len(net.exchange([asks_us(200)])) == 1 and counted(net, "learned") == PLACES, "answered, not learned"
    assert goes_to(net, 201) is None, "a question takes no place"
    for number in (100, 101, 130, 163):
        assert goes_to(net, number) == host(number)[1], "nobody went"
    address, mac = host(201)
    net.exchange(ms=10)
    for number in range(100, 100 + PLACES):
        if number != 117:
            assert goes_to(net, number) == host(number)[1]
    net.exchange([ethernet(arp(2, mac, address, OUR_MAC, OURS), 0x0806)])
    assert goes_to(net, 201) == mac
    assert goes_to(net, 117) is None, "the least recently used one went for the answer"
    for _ in range(61):
        net.exchange(ms=1000)
    net.exchange([asks_us(202)])
    assert goes_to(net, 202) == host(202)[1], "nobody was used for a minute"


def test_eight_neighbours_are_asked_for_at_once_and_the_oldest_makes_room(net: Native) -> None:
    for number in range(100, 110):
        assert goes_to(net, number) is None
    assert counted(net, "nobody has said where") == 2
    found = []
    for number in range(100, 110):
        address, mac = host(number)
        frames = net.exchange([ethernet(arp(2, mac, address, OUR_MAC, OURS), 0x0806)])
        found += [number for frame in frames if frame[:6] == mac]
    assert found == list(range(102, 110))
    for _ in range(20):
        net.exchange(ms=1000)


def test_a_flood_finds_no_buffer_lost(net: Native) -> None:
    answers = net.exchange([ping(b"x" * 1000, n) for n in range(200)])
    assert len(answers) == BUFFERS and net.dropped == 200 - BUFFERS and net.free == BUFFERS


def bases() -> list[bytes]:
    """A right frame of each kind."""
    return [
        resolve(),
        ethernet(arp(2, PEER_MAC, PEER, OUR_MAC, OURS), 0x0806),
        ping(b"0123456789" * 7),
        ethernet(ipv4(icmp(8, data=b"x" * 30), ICMP, options=bytes([7, 7, 4, 0, 0, 0, 0, 1]))),
        ethernet(ipv4(icmp(3, 3, data=ipv4(udp(7, 4000, b"x"), UDP, source=OURS, to=PEER)), ICMP)),
        datagram(7, b"hello" * 30),
        datagram(9, b"x"),
        datagram(7, b"y" * 1472),
        datagram(99, b"hello"),
        datagram(69, b"\0\1" + b"40100000/1000\0octet\0blksize\0001400\0tsize\0000\0"),
        datagram(69, b"\0\2" + b"40200000/1000\0octet\0blksize\000100\0tsize\0004096\0"),
        datagram(49152, b"\0\4\0\0", port=4000),
        datagram(49152, b"\0\4\0\1", port=4000),
        datagram(49153, b"\0\3\0\1" + b"d" * 100, port=4000),
        ethernet(ipv4(struct.pack(">HHLLHHHH", 4000, 80, 1, 0, 0x5002, 1000, 0, 0), TCP)),
        ethernet(ipv4(udp(4000, 7, b"x" * 600), UDP, fragment=0x2000)),
        ethernet(ipv4(b"\x02" * 40, UDP, to="10.0.0.255"), to=BROADCAST),
    ]


@pytest.mark.parametrize(("seed", "frames"), some([(1, 2500)], [(seed, 25_000) for seed in (2, 3)]))
def test_no_input_breaks_it(net: Native, seed: int, frames: int) -> None:
    print(f"seed {seed}")
    rng, kinds = random.Random(seed), bases()
    assert net.read(0x4FFFFFF0, 16) == bytes(16)
    for number in range(0, frames, 10):
        batch = [mutated(rng.choice(kinds), rng) if rng.random() < 0.9 else rng.choice(kinds) for _ in range(10)]
        for answer in net.exchange(batch, ms=rng.choice((0, 0, 1, 300))):
            check_sums(answer)
        if number % 1000 == 0:
            assert any(b"still there" in f for f in net.exchange([ping(b"still there")]))
    for _ in range(20):
        net.exchange(ms=1000)
    counters = net.counters()
    assert net.dropped == 0
    taken = sum(value for text, value in counters.items() if text.startswith(TAKEN))
    assert taken == counters["frames taken"] == frames + (frames + 999) // 1000
    assert all(value > 0 for text, value in counters.items())
    assert address(OURS) == bytes([10, 0, 0, 2])
