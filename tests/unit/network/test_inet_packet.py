# SPDX-License-Identifier: Apache-2.0
"""Frames of nsoc.network.inet against Scapy: what the one packs, the other reads, and the other way round."""

import random

import pytest
from runs import seeds
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw
from scapy.utils import checksum

from nsoc.network.inet import packet as p
from nsoc.network.inet import segment as tcp
from nsoc.network.inet.reassembly import Reassembly
from nsoc.network.inet.segment import Flag, Segment

OURS, THEIRS = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
MAC, OTHER = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0", b"\xff\xff", b"\0\1\xff\xfe", b"\1", b"\xff" * 1501])
def test_the_checksum_is_scapys_where_ones_complement_has_two_zeros(data: bytes) -> None:
    assert p.checksum(data) == checksum(data)


@pytest.mark.parametrize("seed", seeds(1, 20))
def test_the_checksum_is_scapys(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(200):
        data = rng.randbytes(rng.randrange(80))
        assert p.checksum(data) == checksum(data)


def test_scapy_reads_an_arp_message_and_is_read() -> None:
    frame = p.Arp(p.ARP_REQUEST, MAC, OURS, p.NO_MAC, THEIRS).encode(p.BROADCAST_MAC)
    read = Ether(frame)
    assert (read.dst, read[ARP].op, read[ARP].psrc, read[ARP].pdst) == ("ff:ff:ff:ff:ff:ff", 1, "10.0.0.1", "10.0.0.2")
    answer = bytes(Ether(src=OTHER, dst=MAC) / ARP(op=2, hwsrc=OTHER, psrc="10.0.0.2", hwdst=MAC, pdst="10.0.0.1"))
    assert p.Arp.decode(answer) == p.Arp(p.ARP_REPLY, OTHER, THEIRS, MAC, OURS)
    assert p.Arp.decode(answer[:-1]) == "arp_short"
    assert p.Arp.decode(answer[:18] + b"\7" + answer[19:]) == "arp_other"


def recomputed(frame: bytes) -> bytes:
    """The frame as Scapy makes it when it computes all lengths and sums itself."""
    read = Ether(frame)
    for layer, fields in ((IP, ("len", "chksum", "ihl")), (UDP, ("len", "chksum")), (TCP, ("chksum", "dataofs"))):
        if layer in read:
            for field in fields:
                setattr(read[layer], field, None)
    if ICMP in read:
        read[ICMP].chksum = None
    return bytes(read)


@pytest.mark.parametrize("seed", seeds(1, 20))
def test_lengths_and_sums_are_those_that_scapy_computes(seed: int) -> None:
    rng = random.Random(seed)
    for size in (0, 1, 2, 9, 1458, 1459, rng.randrange(1460)):
        data = rng.randbytes(size)
        segment = Segment(
            rng.getrandbits(32), rng.getrandbits(32), Flag.SYN | Flag.ACK, rng.getrandbits(16), data[:1428],
            mss=1460, scale=rng.randrange(15), timestamps=(rng.getrandbits(32), rng.getrandbits(32)),
        )  # fmt: skip
        payloads = {
            p.UDP: p.udp_datagram((OURS, 7), (THEIRS, rng.getrandbits(16)), data),
            p.ICMP: p.icmp_message(p.ECHO, 0, rng.randbytes(4), data),
            p.TCP: segment.encode((OURS, rng.getrandbits(16)), (THEIRS, 80)),
        }
        for protocol, payload in payloads.items():
            packet = p.ip_packet(OURS, THEIRS, protocol, payload, rng.getrandbits(16))
            frame = p.ip_frame(OTHER, MAC, packet)
            assert recomputed(frame) == frame
            decoded = p.decode_ip(frame + bytes(6))
            assert isinstance(decoded, p.Packet) and decoded.payload == payload
            if protocol == p.TCP:
                found = tcp.decode(decoded)
                assert not isinstance(found, str) and found[2] == segment


def test_scapys_segments_are_read_with_their_options() -> None:
    options = [("NOP", None), ("SAckOK", b""), ("Timestamp", (5, 6)), ("WScale", 99), ("MSS", 1200), ("EOL", None)]
    ip = IP(src="10.0.0.2", dst="10.0.0.1", options=[IPOption_NOP()] * 4)
    read = p.decode_ip(bytes(Ether() / ip / TCP(sport=7, dport=9, flags="S", options=options) / Raw(b"xyz")))
    assert isinstance(read, p.Packet) and len(read.header) == 24
    found = tcp.decode(read)
    assert not isinstance(found, str)
    source, destination, segment = found
    assert (source, destination, segment.payload) == (7, 9, b"xyz")
    assert (segment.mss, segment.scale, segment.timestamps) == (1200, 14, (5, 6))
    assert segment.length == 4


@pytest.mark.parametrize("options", ["0200", "0201", "02ff", "0304", "080a0000", "02", "0101010803", "0802ffff"])
def test_an_option_with_an_impossible_length_does_no_harm(options: str) -> None:
    raw = bytes.fromhex(options).ljust(-(-len(options) // 8) * 4, b"\0")
    offset = (20 + len(raw)) // 4
    made = IP(src="10.0.0.2", dst="10.0.0.1") / TCP(dataofs=offset, flags="S") / Raw(raw + b"data")
    read = p.decode_ip(bytes(Ether() / made))
    assert isinstance(read, p.Packet)
    found = tcp.decode(read)
    assert not isinstance(found, str) and found[2].payload == b"data"
    assert found[2].mss is None and found[2].scale is None and found[2].timestamps is None


GOOD = IP(src="10.0.0.2", dst="10.0.0.1")
BAD_PACKETS = {
    "ip_short": bytes(Ether() / GOOD)[:33],
    "ip_malformed": bytes(Ether() / IP(src="10.0.0.2", dst="10.0.0.1", len=900) / UDP()),
    "ip_checksum": bytes(Ether() / IP(src="10.0.0.2", dst="10.0.0.1", chksum=1) / UDP()),
    "ip_fragment": bytes(Ether() / IP(src="10.0.0.2", dst="10.0.0.1", flags="MF") / UDP()),
}


@pytest.mark.parametrize("cause", BAD_PACKETS)
def test_a_packet_that_cannot_be_used_has_its_cause(cause: str) -> None:
    assert p.decode_ip(BAD_PACKETS[cause]) == cause


BAD_DATAGRAMS = {
    "udp_short": Raw(b"1234567"),
    "udp_malformed": UDP(len=7) / Raw(b"data"),
    "udp_checksum": UDP(chksum=1) / Raw(b"data"),
    "tcp_short": Raw(bytes(19)),
    "tcp_malformed": TCP(dataofs=15),
    "tcp_checksum": TCP(chksum=1),
}


@pytest.mark.parametrize("cause", BAD_DATAGRAMS)
def test_a_datagram_or_segment_that_cannot_be_used_has_its_cause(cause: str) -> None:
    protocol = p.UDP if cause.startswith("udp") else p.TCP
    read = p.decode_ip(bytes(Ether() / IP(src="10.0.0.2", dst="10.0.0.1", proto=protocol) / BAD_DATAGRAMS[cause]))
    assert isinstance(read, p.Packet)
    assert (p.decode_udp(read) if protocol == p.UDP else tcp.decode(read)) == cause


def test_a_datagram_without_a_sum_is_taken() -> None:
    read = p.decode_ip(bytes(Ether() / GOOD / UDP(sport=1, dport=2, chksum=0) / Raw(b"data")))
    assert isinstance(read, p.Packet) and p.decode_udp(read) == (1, 2, b"data")


@pytest.mark.parametrize("seed", seeds(3, 100))
def test_reassembly_gives_each_byte_once_and_the_first_copy(seed: int) -> None:
    rng = random.Random(seed)
    store, first, position = Reassembly(), {}, 0
    for _ in range(60):
        begin = position + 1 + rng.randrange(40)
        data = rng.randbytes(1 + rng.randrange(20))
        store.add(begin, data)
        for offset, byte in enumerate(data):
            first.setdefault(begin + offset, byte)
        assert len(store) == len(first)
        if rng.random() < 0.2:  # what is missing comes
            position = min(first) + rng.choice((0, 0, 1, 5, 40))
            taken = store.take(position)
            expected = bytearray()
            first = {at: byte for at, byte in first.items() if at >= position}
            while position in first:
                expected.append(first.pop(position))
                position += 1
            assert taken == expected
