# SPDX-License-Identifier: Apache-2.0
"""IPv4 packets that few hosts send, to either stack of `net`, on this machine under sanitizers."""

from collections.abc import Iterator

import needs
import pytest
from net_frames import (
    BROADCAST,
    ICMP,
    OURS,
    PEER,
    UDP,
    check_sums,
    datagram,
    ethernet,
    icmp,
    ipv4,
    ping,
    resolve,
    udp,
)
from net_native import BUFFERS, Native
from scapy.layers.inet import ICMP as ScapyICMP
from scapy.layers.inet import IP as ScapyIP
from scapy.layers.inet import TCP as ScapyTCP
from scapy.layers.inet import (
    IPOption,
    IPOption_LSRR,
    IPOption_NOP,
    IPOption_Router_Alert,
    IPOption_RR,
    IPOption_SSRR,
    IPOption_Timestamp,
    defragment,
)
from scapy.layers.l2 import Ether

LWIP = pytest.param(True, marks=needs.lwip(), id="lwIP")


@pytest.fixture(params=[pytest.param(False, id="own"), LWIP])
def lwip(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=[False, True], ids=["sums in software", "offloads"])
def net(request: pytest.FixtureRequest, lwip: bool) -> Iterator[Native]:
    with Native(lwip=lwip, offloads=request.param) as native:
        native.exchange([resolve()])
        yield native
        native.exchange(ms=10_000)
        assert native.free == BUFFERS


def one(frames: list[bytes]) -> Ether:
    assert len(frames) == 1
    check_sums(frames[0])
    return Ether(frames[0])


def counted(net: Native, part: str) -> int:
    return sum(value for text, value in net.counters().items() if part in text)


def listed(*options: IPOption) -> bytes:
    data = b"".join(map(bytes, options))
    return data + bytes(-len(data) % 4)


RECORD = IPOption_RR(routers=["131.7.4.137", "137.3.4.1"])
ALERT, STAMP = IPOption_Router_Alert(), IPOption_Timestamp(timestamp=0x83898389)
LOOSE, STRICT = IPOption_LSRR(routers=["10.0.0.9"]), IPOption_SSRR(routers=["10.0.0.9"])


@pytest.mark.parametrize("routed", [
    [LOOSE], [STRICT], [IPOption_NOP(), LOOSE], [RECORD, STRICT], [STAMP, ALERT, LOOSE], [IPOption_LSRR(), RECORD],
])  # fmt: skip
def test_a_packet_with_a_source_route_is_dropped_and_counted(net: Native, lwip: bool, routed: list[IPOption]) -> None:
    options = listed(*routed)
    frames = [
        ethernet(ipv4(icmp(8, data=b"x" * 20), ICMP, options=options)),
        ethernet(ipv4(udp(4000, 7, b"hello"), UDP, options=options)),
        ethernet(ipv4(udp(4000, 99, b"hello"), UDP, options=options)),
    ]
    assert net.exchange(frames) == []
    assert counted(net, "IP with wrong options" if lwip else "a source route") == 3 == counted(net, "dropped")
    one(net.exchange([ping(b"still there")]))


@pytest.mark.parametrize("others", [[RECORD], [ALERT], [STAMP, ALERT], [IPOption_NOP()] * 40, [IPOption_RR()]])
def test_an_answer_has_no_options(net: Native, others: list[IPOption]) -> None:
    for size in (0, 1, 2, 3, 20, 1000, 1400):
        data = bytes(range(256)) * 6
        answer = one(net.exchange([ethernet(ipv4(icmp(8, data=data[:size]), ICMP, options=listed(*others)))]))
        assert (answer[ScapyIP].ihl, answer[ScapyIP].len, answer[ScapyICMP].type) == (5, 28 + size, 0)
        assert bytes(answer)[42 : 42 + size] == data[:size]
        answer = one(net.exchange([ethernet(ipv4(udp(4000, 7, data[:size]), UDP, options=listed(*others)))]))
        assert (answer[ScapyIP].ihl, answer[ScapyIP].len) == (5, 28 + size)
        assert bytes(answer)[42 : 42 + size] == data[:size]


def test_a_header_that_is_wrong_is_not_made_right(net: Native) -> None:
    """A sum, and lengths, of a packet with options."""
    right = ipv4(icmp(8, data=b"x" * 20), ICMP, options=listed(RECORD))
    wrong = [
        right[:10] + bytes([right[10] ^ 1]) + right[11:],
        ipv4(icmp(8, data=b"x" * 20), ICMP, options=listed(RECORD), total=len(right) + 1),
        ipv4(icmp(8, data=b"x" * 20), ICMP, options=listed(RECORD), total=24),
        ipv4(b"", ICMP, options=listed(RECORD), total=0),
    ]
    assert net.exchange([ethernet(packet) for packet in wrong]) == []
    one(net.exchange([ping(b"still there")]))


NOBODY, ALL = "0.0.0.0", "255.255.255.255"
ECHO, DISCARD, TFTP, CLOSED = 7, 9, 69, 99


def to_all(port: int, data: bytes = b"hello", source: str = NOBODY) -> bytes:
    packet = ipv4(udp(68, port, data, source=source, destination=ALL), UDP, source=source, to=ALL)
    return ethernet(packet, to=BROADCAST)


@pytest.mark.parametrize("source", [NOBODY, "10.0.0.1", "192.0.2.1"])
def test_udp_to_all_is_delivered_from_who_has_no_address_too(net: Native, lwip: bool, source: str) -> None:
    assert net.exchange([to_all(TFTP if lwip else DISCARD, source=source)] * 3) == []
    assert counted(net, "udp.to_all" if lwip else "udp.discarded") == 3 + 15 * (not lwip)
    assert counted(net, "dropped") == 0
    assert net.exchange([to_all(CLOSED, source=source)]) == [], "nobody is told"


@pytest.mark.parametrize("source", [NOBODY, "10.0.0.1"])
def test_no_service_for_one_host_answers_what_is_to_all(net: Native, source: str) -> None:
    request = b"\0\1" + b"40100000/10\0octet\0"
    assert net.exchange([to_all(ECHO, source=source), to_all(TFTP, request, source)]) == []
    assert net.exchange(ms=3000) == []


def test_all_else_from_who_has_no_address_is_dropped(net: Native, lwip: bool) -> None:
    frames = [
        ethernet(ipv4(udp(68, ECHO, b"hello", source=NOBODY), UDP, source=NOBODY)),
        ethernet(ipv4(udp(68, DISCARD, b"hello", source=NOBODY, destination="10.0.0.255"), UDP, source=NOBODY,
                      to="10.0.0.255"), to=BROADCAST),
        ethernet(ipv4(icmp(8, data=b"x" * 20), ICMP, source=NOBODY)),
        ethernet(ipv4(icmp(8, data=b"x" * 20), ICMP, source=NOBODY, to=ALL), to=BROADCAST),
        ethernet(bytes(ScapyIP(src=NOBODY, dst=OURS) / ScapyTCP(sport=4000, dport=ECHO, flags="S"))),
        ethernet(ipv4(b"12345678", 132, source=NOBODY, to=ALL), to=BROADCAST),
    ]  # fmt: skip
    assert net.exchange(frames) == []
    if lwip:  # a ping to all is dropped as that of others
        assert (counted(net, "dropped"), counted(net, "ICMP with another error")) == (len(frames) - 1, 1)
    else:
        assert counted(net, "an address that no other host can have") == counted(net, "dropped") == len(frames)


def test_the_networks_own_addresses_are_no_hosts(net: Native, lwip: bool) -> None:
    wrong = [ethernet(ipv4(icmp(8, data=b"x" * 20), ICMP, source=source)) for source in ("10.0.0.0", "10.0.0.255")]
    assert net.exchange([*wrong, ethernet(ipv4(icmp(8, data=b"x" * 20), ICMP, source="10.0.0.9"))])
    assert counted(net, "IP dropped" if lwip else "an address that no other host can have") == 2


def test_a_packet_that_ends_in_its_header_is_dropped_and_counted(net: Native) -> None:
    frames = [ping(b"some data")[:size] for size in range(15, 50)]
    assert net.exchange(frames) == []
    assert counted(net, "dropped") == len(frames)


# ---- VLAN tags -------------------------------------------------------------------------------------------------------


def tagged(frame: bytes, said: int, kind: int = 0x8100) -> bytes:
    return frame[:12] + kind.to_bytes(2, "big") + said.to_bytes(2, "big") + frame[12:]


@pytest.mark.parametrize("priority", [0, 1, 7, 0xF])
def test_behind_a_tag_that_is_no_vlan_all_is_as_without(net: Native, lwip: bool, priority: int) -> None:
    """The answers have none."""
    data = bytes(range(256)) * 6
    requests = [ping(data[:size]) for size in (0, 1, 20, 101, 1000, 1458, 1472)]
    requests += [datagram(ECHO, data[:size]) for size in (0, 1, 2, 3, 500, 1472)] + [resolve()]
    if lwip:
        requests.append(ethernet(bytes(ScapyIP(src=PEER, dst=OURS) / ScapyTCP(sport=4000, dport=99, flags="S"))))
    for request in requests:
        plain, behind = net.exchange([request]), net.exchange([tagged(request, priority << 12)])
        assert len(plain) == len(behind) == 1
        check_sums(behind[0])
        at = 14 if plain[0][12:14] == b"\x08\x06" else 34  # the identification of an IPv4 packet counts
        assert (plain[0][:14], plain[0][at:]) == (behind[0][:14], behind[0][at:])


def test_a_wrong_sum_behind_a_tag_is_seen(net: Native, lwip: bool) -> None:
    right = ping(b"some data")
    for place in (24, 40):
        spoiled = bytearray(right)
        spoiled[place] ^= 1
        assert net.exchange([tagged(bytes(spoiled), 0)]) == []
    assert len(net.exchange([tagged(right, 0)])) == 1


def test_a_vlan_is_not_ours_and_counted(net: Native, lwip: bool) -> None:
    right, before = ping(b"some data"), counted(net, "dropped")
    wrong = [tagged(right, 1), tagged(right, 0xF800), tagged(right, 0, 0x88A8), tagged(tagged(right, 0), 0)]
    wrong += [tagged(right, 0)[:size] for size in range(14, 54)]
    assert net.exchange(wrong) == []
    assert counted(net, "dropped") - before == len(wrong)
    one(net.exchange([ping(b"still there")]))


@pytest.mark.parametrize("size", [1473, 1480, 1958, 1988])
def test_what_is_in_a_longer_frame_is_answered_whole_by_our_stack_and_in_fragments_by_lwip(
    net: Native, lwip: bool, size: int
) -> None:
    """Up to 2030 bytes without FCS, as long as any that a packet buffer holds."""
    data = bytes(range(256)) * 8
    for request in (ping(data[:size]), datagram(ECHO, data[:size])):
        answers = net.exchange([request])
        for frame in answers:
            if not lwip:
                check_sums(frame, most=2030)
        assert [len(frame) for frame in answers] == ([1514, size - 1480 + 42] if lwip else [size + 42])
        (whole,) = defragment([Ether(frame)[ScapyIP] for frame in answers])
        assert bytes(whole.payload.payload) == data[:size]


@needs.lwip()
@pytest.mark.parametrize("lwip", [LWIP], indirect=True)
def test_lwip_takes_a_segment_that_is_longer_than_it_asked_for(net: Native, lwip: bool) -> None:
    ip, at = ScapyIP(src=PEER, dst=OURS), {"sport": 4001, "dport": ECHO}
    opened = one(net.exchange([ethernet(bytes(ip / ScapyTCP(**at, seq=99, flags="S")))]))[ScapyTCP]
    assert dict(opened.options)["MSS"] == 1460
    ours = ScapyTCP(**at, seq=100, ack=opened.seq + 1, flags="PA", window=8192, options=[])
    data = bytes(range(256)) * 8
    came = net.exchange([ethernet(bytes(ip / ours / data[:1960]))], ms=1000)
    assert max(Ether(frame)[ScapyTCP].ack for frame in came) == 100 + 1960
    assert all(len(frame) <= 1514 for frame in came)
    net.exchange([ethernet(bytes(ip / ScapyTCP(**at, seq=100 + 1960, flags="R")))])


def test_two_tags_are_not_ours_and_counted(net: Native, lwip: bool) -> None:
    before = counted(net, "dropped")
    wrong = [tagged(tagged(ping(bytes(size)), inner), 7, 0x88A8) for size in (9, 1472, 1972) for inner in (0, 5)]
    assert net.exchange(wrong) == []
    assert counted(net, "dropped") - before == len(wrong)
    one(net.exchange([ping(b"still there")]))
