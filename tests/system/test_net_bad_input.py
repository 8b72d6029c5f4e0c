# SPDX-License-Identifier: Apache-2.0
"""Bad input by name against the firmware `net`: what docs/live.md says of it holds."""

from collections.abc import Iterator

import pytest
from net_soc import ADDRESS, MAC, PEER_MAC, NetSoc, S, needs_net
from runs import some
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_LSRR, IPOption_RR, IPOption_SSRR, fragment
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

from nsoc.machine.presets import DEFAULT

pytestmark = [needs_net, pytest.mark.slow]
TO = Ether(dst=MAC, src=PEER_MAC)
ALL = Ether(dst="ff:ff:ff:ff:ff:ff", src=PEER_MAC)
PING = IP(src="10.0.0.1", dst=ADDRESS, id=77) / ICMP(id=9, seq=1) / Raw(bytes(range(40)))
KEPT_US = 30 * S
"""Half-open connections are given up after 20 s, fragments after 5 s."""


class Attacker(NetSoc):
    """Sends packets back to back."""

    def send(self, packets: list[Packet]) -> list[Packet]:
        """What comes back within 10 ms."""
        for packet in packets:
            self.peer.send_frame(bytes(packet))
        self.peer.run(10_000.0 + 13 * len(packets))
        return [Ether(frame.data) for frame in self.cable.sent(1)]


@pytest.fixture(params=some([DEFAULT], ["ajit-nic12-net"]))
def net(request: pytest.FixtureRequest) -> Iterator[Attacker]:
    """In the end nothing is lost, and the SoC lives."""
    with Attacker(preset=request.param) as attacker:
        before = attacker.say("buffers")
        attacker.cable.tap()
        yield attacker
        attacker.check_alive()
        attacker.check_accounted()
        attacker.check_buffers(before, KEPT_US)


@pytest.mark.parametrize("backwards", [False, True])
def test_tiny_fragments_are_put_together_up_to_eight(net: Attacker, backwards: bool) -> None:
    pieces = [TO / piece for piece in fragment(PING, 8)]
    assert len(pieces) == 6
    answers = net.send(pieces[::-1] if backwards else pieces)
    if net.has_lwip:
        (answer,) = answers
        assert answer[ICMP].type == 0 and bytes(answer[Raw]) == bytes(PING[Raw])
    else:
        assert answers == []


def test_more_than_eight_fragments_are_not_kept(net: Attacker) -> None:
    pieces = fragment(IP(src="10.0.0.1", dst=ADDRESS) / ICMP() / Raw(bytes(64)), 8)
    assert len(pieces) == 9
    assert net.send([TO / piece for piece in pieces]) == []


TEARDROP = [
    IP(src="10.0.0.1", dst=ADDRESS, id=5, flags="MF", proto=17) / Raw(bytes(36)),
    IP(src="10.0.0.1", dst=ADDRESS, id=5, frag=3, proto=17) / Raw(bytes(4)),
]
OVERLAP = [
    IP(src="10.0.0.1", dst=ADDRESS, id=6, flags="MF", proto=1) / Raw(bytes(PING[ICMP])[:32]),
    IP(src="10.0.0.1", dst=ADDRESS, id=6, frag=2, proto=1) / Raw(bytes(PING[ICMP])[16:]),
]


@pytest.mark.parametrize("pieces", [TEARDROP, OVERLAP], ids=["teardrop", "overlap"])
def test_fragments_that_overlap_make_no_datagram(net: Attacker, pieces: list[Packet]) -> None:
    assert net.send([TO / piece for piece in pieces]) == []


def test_fragments_of_datagrams_that_never_end_take_few_buffers(net: Attacker) -> None:
    first = IP(src="10.0.0.1", dst=ADDRESS, flags="MF", proto=17) / Raw(bytes(1400))
    answers = net.send([TO / IP(bytes(first)[:4] + number.to_bytes(2) + bytes(first)[6:]) for number in range(100)])
    for answer in answers:
        assert answer[ICMP].type == 11  # time exceeded: it made room for another
    assert net.say("buffers").get("with what was received", 0) <= 8


@pytest.mark.parametrize("kind", [IPOption_LSRR, IPOption_SSRR, IPOption_RR])
def test_a_source_route_is_dropped_and_an_answer_has_no_options(net: Attacker, kind: type[Packet]) -> None:
    routed = IP(src="10.0.0.1", dst=ADDRESS, options=[kind(routers=["10.0.0.9"])]) / ICMP(id=9) / Raw(b"x" * 20)
    answers = net.send([TO / routed])
    assert len(answers) == (kind is IPOption_RR)
    for answer in answers:
        assert (answer.dst, answer[IP].dst, answer[IP].ihl) == (PEER_MAC, "10.0.0.1", 5)


def test_land_is_not_answered(net: Attacker) -> None:
    own = IP(src=ADDRESS, dst=ADDRESS)
    answers = net.send(
        [TO / own / TCP(sport=7, dport=7, flags="S")] * 5 + [TO / own / UDP(sport=7, dport=7) / Raw(b"x")]
    )
    assert all(ARP in answer for answer in answers)


def test_an_arp_storm_is_survived(net: Attacker) -> None:
    storm = [
        ALL / ARP(op=1, psrc=f"10.0.0.{3 + number % 250}", hwsrc=f"02:00:00:00:03:{number % 250:02x}", pdst=ADDRESS)
        for number in range(200)
    ]
    answers = net.send(storm)
    assert answers and all(answer[ARP].op == 2 and answer[ARP].hwsrc == MAC for answer in answers)


def test_an_arp_lie_is_believed_until_the_truth_is_told(net: Attacker) -> None:
    liar = "02:00:00:00:00:66"
    net.send([TO / ARP(op=2, psrc="10.0.0.1", hwsrc=liar, pdst=ADDRESS, hwdst=MAC)])
    answers = net.send([TO / PING])
    assert [(answer.dst, answer[ICMP].type) for answer in answers] == [(liar, 0)]
    net.send([ALL / ARP(op=1, psrc="10.0.0.1", hwsrc=PEER_MAC, pdst=ADDRESS)])
    assert [answer.dst for answer in net.send([TO / PING])] == [PEER_MAC]


def test_a_broadcast_flood_has_no_answer(net: Attacker) -> None:
    assert net.send([ALL / IP(src="10.0.0.1", dst="10.0.0.255") / UDP(dport=137) / Raw(bytes(50))] * 200) == []


def test_after_a_flood_of_openings_connections_are_taken_again(net: Attacker) -> None:
    sources = [IP(src=f"10.0.0.{100 + number % 100}", dst=ADDRESS) for number in range(150)]
    net.send([TO / ip / TCP(sport=1000 + number, dport=7, flags="S") for number, ip in enumerate(sources)])
    net.check_alive()
    if net.has_lwip:
        stream = net.peer.connect(ADDRESS, 7, timeout_us=2 * KEPT_US)  # it tries after 1, 2, 4 ... s
        stream.send(b"hello")
        assert stream.read(5) == b"hello"
        assert stream.close()
