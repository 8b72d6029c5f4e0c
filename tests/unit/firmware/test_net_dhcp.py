# SPDX-License-Identifier: Apache-2.0
"""`net` gets its address by DHCP, keeps it by asking again in time, and gives it up when it must: by lwIP's client, and
without lwIP by that of firmware/lib."""

import random
from collections.abc import Iterator

import needs
import pytest
from net_dhcp import OFFERED, DhcpServer
from net_frames import ICMP, address, ethernet, icmp, ipv4, mutated
from net_native import BUFFERS, Native
from scapy.layers.inet import IP, IPOption_RR, IPOption_SSRR
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet

needs_lwip = needs.lwip()


@pytest.fixture(params=[pytest.param(True, id="lwip", marks=needs_lwip), pytest.param(False, id="own")])
def net(request: pytest.FixtureRequest) -> Iterator[Native]:
    with Native(lwip=request.param, NET_DHCP=1) as native:
        yield native
        native.exchange(ms=5000)
        assert native.free == BUFFERS and native.dropped == 0


def live(net: Native, server: DhcpServer, ms: int) -> list[bytes]:
    """Time passes while the server answers; the other frames that came."""
    others, answers = [], []
    for _ in range(0, ms, 250):
        frames = net.exchange(answers, ms=250)
        answers = [answer for frame in frames for answer in server.answer(frame)]
        others += frames
    others += net.exchange(answers)
    return others


def pings(net: Native, to: str) -> bool:
    answers = net.exchange([ethernet(ipv4(icmp(8, data=b"are you there"), ICMP, to=to))])
    asked = [answer for frame in answers for answer in DhcpServer().answer(frame)]  # where we are
    answers += net.exchange(asked)
    return any(b"are you there" in frame and frame[26:30] == address(to) for frame in answers)


def test_an_address_is_given_and_printed(net: Native) -> None:
    server = DhcpServer()
    live(net, server, 3000)
    assert server.said == ["discover", "request"] and f"address {OFFERED}\n" in net.text
    assert pings(net, OFFERED) and not pings(net, "10.0.0.2")


@pytest.mark.parametrize(("option", "taken"), [(IPOption_RR, True), (IPOption_SSRR, False)])
def test_a_message_with_a_source_route_is_not_taken(net: Native, option: type[Packet], taken: bool) -> None:
    server = DhcpServer()
    answers: list[bytes] = []
    for _ in range(12):
        answers = [answer for frame in net.exchange(answers, ms=250) for answer in server.answer(frame)]
        for number, answer in enumerate(map(Ether, answers)):
            if IP in answer:
                answer[IP].options = [option(routers=["10.0.0.9"])]
                del answer[IP].ihl, answer[IP].len, answer[IP].chksum
                answers[number] = bytes(answer)
    assert (f"address {OFFERED}\n" in net.text) == taken


def test_without_a_server_the_static_address_stays_and_it_goes_on_asking(net: Native) -> None:
    server = DhcpServer()
    server.silent = True
    live(net, server, 20_000)
    assert len(server.said) >= 3 and set(server.said) == {"discover"} and "address" not in net.text
    assert pings(net, "10.0.0.2")
    server.silent = False
    live(net, server, 60_000)
    assert f"address {OFFERED}\n" in net.text and pings(net, OFFERED)


def test_a_lease_is_renewed_in_time(net: Native) -> None:
    server = DhcpServer(lease_s=240)
    live(net, server, 3000)
    server.said.clear()
    live(net, server, 400_000)
    assert len(server.said) >= 2 and set(server.said) == {"request"} and server.asked_directly >= 2
    assert pings(net, OFFERED)


def test_a_refused_lease_is_given_up_and_another_one_is_asked_for(net: Native) -> None:
    server = DhcpServer(lease_s=240)
    live(net, server, 3000)
    server.said.clear()
    server.refuses = True
    live(net, server, 190_000)
    assert server.said[:2] == ["request", "discover"]
    assert not pings(net, OFFERED)
    server.refuses = False
    live(net, server, 120_000)
    assert pings(net, OFFERED)


def test_who_asks_for_the_given_address_is_told(net: Native) -> None:
    live(net, DhcpServer(), 3000)
    ask = Ether(src="02:00:00:00:00:09", dst="ff:ff:ff:ff:ff:ff") / ARP(
        hwsrc="02:00:00:00:00:09", psrc="10.0.0.9", pdst=OFFERED
    )
    (answer,) = net.exchange([bytes(ask).ljust(60, b"\0")])
    assert Ether(answer)[ARP].psrc == OFFERED


def test_a_lease_that_ends_gives_the_static_address_back_without_lwip() -> None:
    with Native(NET_DHCP=1) as net:
        server = DhcpServer(lease_s=240)
        live(net, server, 3000)
        assert pings(net, OFFERED)
        server.silent = True
        server.said.clear()
        live(net, server, 234_000)
        assert pings(net, OFFERED) and set(server.said) == {"request"} and server.asked_directly == 2
        live(net, server, 8000)
        assert pings(net, "10.0.0.2") and not pings(net, OFFERED) and server.said[-1] == "discover"


@pytest.mark.parametrize("seed", [1, 2])
def test_spoiled_answers_do_no_harm_without_lwip(seed: int) -> None:
    rng = random.Random(seed)
    print(f"seed {seed}")
    with Native(NET_DHCP=1) as net:
        server, answers = DhcpServer(lease_s=10), list[bytes]()
        for _ in range(400):
            frames = net.exchange(answers, ms=rng.randrange(4000))
            answers = [answer for frame in frames for answer in server.answer(frame)]
            answers += [mutated(answer, rng) for answer in answers for _ in range(rng.randrange(20))]
            rng.shuffle(answers)
        net.exchange(answers)
        counts = net.counters()
        assert net.free == BUFFERS
    assert min(counts[f"dhcp.{name}"] for name in ("taken", "given", "drop_wrong", "drop_other")) > 10
