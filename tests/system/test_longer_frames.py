# SPDX-License-Identifier: Apache-2.0
"""Frames of more than one tag: with two, and envelopes of 2000 bytes, where nic.max_frame says so."""

import random
import re

import pytest
from net_frames import check_sums
from net_soc import ADDRESS, MAC, PEER_MAC
from scapy.layers.inet import ICMP, IP, TCP, UDP, defragment, fragment
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw
from socs import TOE
from traffic import boot, check_conservation, echo, frame, settle

import nsoc
from nsoc.machine import memory_map, regs

pytestmark = pytest.mark.slow
MAX_FRAME = memory_map.NIC_BASE + 4 * regs.BLOCKS["nic"].registers["max_frame"].id


def test_frames_come_and_go_up_to_what_the_register_says_and_longer_ones_are_counted() -> None:
    rng = random.Random(45)
    with boot() as soc:
        sent = 0
        for most in (1522, 1526, 2000, 2034, 1518):
            if most != 1522:
                soc.debugger().store(MAX_FRAME, 4, most)
            before = soc.counters["rx_drop_oversize"]
            frames = [frame(length - 4, rng) for length in (64, most - 1, most, most + 1, most + 50, most)]
            for data in frames:
                soc.wire.send(data)
            good = [echo(data) for data in frames if len(data) + 4 <= most]
            assert [received.data for received in settle(soc)] == good
            assert soc.counters["rx_drop_oversize"] == before + 2
            sent += len(frames)
        assert soc.counters["tx_drop_bad_length"] == soc.counters["rx_drop_too_long"] == 0
        check_conservation(soc, sent, sent - 10)


PEER, ECHO = "10.0.0.1", 7


class Line:
    """A SoC with the TCP/IP engine, and the line to it."""

    def __init__(self, soc: nsoc.Soc) -> None:
        self.soc = soc
        reply = ARP(op=2, hwsrc=PEER_MAC, psrc=PEER, hwdst=MAC, pdst=ADDRESS)
        soc.wire.send(bytes(Ether(src=PEER_MAC, dst=MAC) / reply))
        settle(soc)

    def exchange(self, *packets: Packet, idle_us: float = 200, most: int = 1514) -> list[Packet]:
        """What comes back of them, until nothing moves for so long, in frames of `most` bytes."""
        for packet in packets:
            self.soc.wire.send(bytes(Ether(src=PEER_MAC, dst=MAC) / packet))
        came = [arrived.data for arrived in settle(self.soc, idle_us)]
        for data in came:
            check_sums(data, most)
        return [IP(data[14 : 14 + int.from_bytes(data[16:18])]) for data in came if data[12:14] == b"\x08\0"]

    def counter(self, name: str) -> int:
        uart = self.soc.uart
        begin = len(uart.text)
        uart.write("counters\n")
        self.soc.run(us=1e6, idle_us=1000)
        return sum(map(int, re.findall(rf"^  (\d+) {re.escape(name)}$", uart.text[begin:], re.M)))


def test_the_tcp_ip_engine_takes_longer_frames_but_datagrams_beyond_its_rings_places() -> None:
    """Pings of any size are answered whole, what is in fragments in fragments; TCP takes more than its MSS."""
    data, ip = random.Random(46).randbytes(4000), IP(src=PEER, dst=ADDRESS)
    with nsoc.Soc(TOE, "toe_net") as soc:
        soc.boot()
        soc.debugger().store(MAX_FRAME, 4, 2000)
        line = Line(soc)
        for size in (1473, 1954):
            (answer,) = line.exchange(ip / ICMP(id=7, seq=size) / Raw(data[:size]), most=size + 42)
            assert bytes(answer[ICMP].payload) == data[:size]
        answers = line.exchange(*fragment(ip / ICMP(id=7) / Raw(data), fragsize=1960), idle_us=2000)
        assert bytes(defragment(answers)[0][ICMP].payload) == data

        datagram = ip / UDP(sport=4000, dport=ECHO)
        answers = line.exchange(*(datagram / Raw(data[:size]) for size in (1473, 1954, 1472)))
        assert [bytes(answer[UDP].payload) for answer in answers] == [data[:1472]]
        tags = Dot1AD(vlan=7) / Dot1Q(vlan=0)
        assert not line.exchange(*(tags / ip / ICMP() / Raw(data[:size]) for size in (9, 1946)))
        assert (line.counter("toe_udp.drop_room"), line.counter("frames for nobody")) == (2, 2)

        ports = {"sport": 4001, "dport": ECHO}
        (opened,) = line.exchange(ip / TCP(**ports, seq=99, flags="S"))
        assert dict(opened[TCP].options)["MSS"] == 1460
        ours = TCP(**ports, seq=100, ack=opened[TCP].seq + 1, flags="PA", window=8192)
        answers = line.exchange(ip / ours / Raw(data[:1942]), idle_us=2000)
        assert max(answer[TCP].ack for answer in answers) == 100 + 1942
        for answer in answers:
            at, payload = answer[TCP].seq - opened[TCP].seq - 1, bytes(answer[TCP].payload)
            assert data[at : at + len(payload)] == payload
        assert soc.counters["rx_drop_oversize"] == 0
        line.exchange(ip / ICMP() / Raw(data[:1955]))
        assert soc.counters["rx_drop_oversize"] == 1
