# SPDX-License-Identifier: Apache-2.0
"""Groups (IPv4 multicast) on either stack of `net`, on this machine under sanitizers: the MAC's filter, what is taken,
and IGMPv2 (RFC 2236) against Scapy's messages."""

import struct
from collections.abc import Iterator

import needs
import pytest
from mac_model import ether_crc
from net_frames import ICMP, IGMP, OUR_MAC, UDP, address, check_sums, ethernet, icmp, ipv4, resolve, udp
from net_native import BUFFERS, Native
from scapy.layers.igmp import IGMP as ScapyIGMP
from scapy.layers.inet import IP, IPOption_Router_Alert
from scapy.layers.l2 import Ether

GROUP, OTHER, ALL_HOSTS, ALL_ROUTERS = "239.1.2.3", "239.1.2.4", "224.0.0.1", "224.0.0.2"
QUERY, REPORT_1, REPORT, LEAVE = 0x11, 0x12, 0x16, 0x17
MULTICAST_HASH = 0x6000_0000 + 0x108
"""Of the NIC, where native.h has it."""
TFTP = 69
AGAIN_MS = 10_000
"""The second report comes sooner (RFC 2236 8.10)."""
LWIP = pytest.param(True, marks=needs.lwip(), id="lwIP")


@pytest.fixture(params=[pytest.param(False, id="own"), LWIP])
def lwip(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def net(lwip: bool) -> Iterator[Native]:
    with Native(lwip=lwip) as native:
        native.exchange([resolve()])
        yield native
        native.exchange(ms=20_000)
        assert native.free == BUFFERS


def mac_of(group: str) -> bytes:
    low = int.from_bytes(address(group), "big") & 0x7F_FFFF
    return bytes.fromhex("01005e") + low.to_bytes(3, "big")


def hash_of(group: str) -> int:
    return ether_crc(mac_of(group)) >> 26


def bits(net: Native) -> set[int]:
    """The hashes whose frames the MAC lets in."""
    (value,) = struct.unpack("<Q", net.read(MULTICAST_HASH, 8))
    return {bit for bit in range(64) if value >> bit & 1}


def igmp(kind: int, group: str, *, to: str, source: str = "10.0.0.1", tenths: int = 0, **more: object) -> bytes:
    """A message as a router or another host says it."""
    message = ScapyIGMP(type=kind, mrcode=tenths, gaddr=group)
    packet = IP(src=source, dst=to, ttl=1, options=[IPOption_Router_Alert()]) / message
    return bytes(Ether(src="02:00:00:00:00:01", dst=mac_of(to).hex(":")) / packet).ljust(60, b"\0")


def said(frames: list[bytes]) -> list[tuple[int, str]]:
    """The IGMP messages among them, whose frames are right: kind and group."""
    found = []
    for frame in frames:
        packet = Ether(frame)
        if IP not in packet or packet[IP].proto != IGMP:
            continue
        check_sums(frame)
        ip = packet[IP]
        message = bytes(ip.payload)[:8]
        kind, tenths, _, group = struct.unpack("!BBH4s", message)
        group = ".".join(map(str, group))
        assert (ip.ttl, tenths) == (1, 0) and isinstance(ip.options[0], IPOption_Router_Alert)
        assert ip.dst == (ALL_ROUTERS if kind == LEAVE else group)
        assert frame[:12] == mac_of(ip.dst) + OUR_MAC and ip.src == "10.0.0.2"
        words = struct.unpack("!4H", message)
        assert sum(words) % 0xFFFF == 0, "the message's sum"
        found.append((kind, group))
    return found


def for_group(group: str, port: int = TFTP, source: str = "10.0.0.1") -> bytes:
    data = udp(4000, port, b"\0\2name\0octet\0", source=source, destination=group)
    return ethernet(ipv4(data, UDP, source=source, to=group), to=mac_of(group))


def taken(net: Native, lwip: bool) -> int:
    """Datagrams that came to a port."""
    name = "udp.to_all" if lwip else "datagrams received"
    return net.counters().get(name, 0)


# ---- The MAC's filter ----


def test_the_filter_has_a_bit_as_long_as_one_of_its_groups_is_joined(net: Native) -> None:
    twin = next(
        group for group in (f"239.2.{n // 256}.{n % 256}" for n in range(4096)) if hash_of(group) == hash_of(GROUP)
    )
    always = {hash_of(ALL_HOSTS)}
    assert hash_of(GROUP) not in always and bits(net) == always
    net.exchange(line=f"join {GROUP}")
    assert bits(net) == always | {hash_of(GROUP)}
    net.exchange(line=f"join {twin}")
    net.exchange(line=f"join {GROUP}")
    net.exchange(line=f"leave {GROUP}")
    net.exchange(line=f"leave {GROUP}")
    assert bits(net) == always | {hash_of(GROUP)}, "its twin is still there"
    net.exchange(line=f"leave {twin}")
    assert bits(net) == always


def test_what_is_no_group_or_one_too_many_is_refused(net: Native) -> None:
    refused = "join: it is no group, or too many are joined\n"
    for wrong in ("10.0.0.1", "223.255.255.255", "240.0.0.0", "255.255.255.255", "0.0.0.0", ALL_HOSTS):
        assert net.command(f"join {wrong}") == refused
    for number in range(8):
        assert net.command(f"join 239.0.0.{number}") == ""
    assert net.command(f"join {GROUP}") == refused
    assert net.command("join 239.0.0.7") == "", "it is joined already"
    assert net.command(f"leave {GROUP}") == "leave: it is not joined\n"
    for _ in range(2):
        assert net.command("leave 239.0.0.7") == ""
    assert net.command("leave 239.0.0.7") == "leave: it is not joined\n"
    assert net.command(f"join {GROUP}") == ""


# ---- What is taken ----


def test_datagrams_for_joined_groups_are_taken(net: Native, lwip: bool) -> None:
    near = "239.129.2.3"  # by the same Ethernet address
    assert mac_of(near) == mac_of(GROUP)
    assert net.exchange([for_group(GROUP)]) == [] and taken(net, lwip) == 0
    net.exchange(line=f"join {GROUP}")
    assert net.exchange([for_group(GROUP), for_group(near), for_group(OTHER)]) == []
    assert taken(net, lwip) == 1
    net.exchange([for_group(ALL_HOSTS)])
    assert taken(net, lwip) == 2
    net.exchange([for_group(GROUP, source="239.1.2.3"), for_group(GROUP, source="10.0.0.255")])
    assert taken(net, lwip) == 2, "from who is no host"
    net.exchange(line=f"leave {GROUP}")
    assert net.exchange([for_group(GROUP)]) == [] and taken(net, lwip) == 2


def test_what_comes_for_a_group_is_not_answered(net: Native) -> None:
    net.exchange(line=f"join {GROUP}")
    echo = ethernet(ipv4(icmp(8, data=b"all"), ICMP, to=GROUP), to=mac_of(GROUP))
    other = ethernet(ipv4(b"what", 99, to=GROUP), to=mac_of(GROUP))
    syn = struct.pack("!HHIIHHHH", 4000, 7, 1, 0, 0x5002, 1000, 0, 0)
    tcp = ethernet(ipv4(syn, 6, to=GROUP), to=mac_of(GROUP))
    assert net.exchange([echo, other, tcp, for_group(GROUP, port=7), for_group(GROUP, port=4321)]) == []


# ---- IGMP ----


def test_a_join_is_reported_twice_and_the_last_leave_is_told(net: Native) -> None:
    assert said(net.exchange(line=f"join {GROUP}")) == [(REPORT, GROUP)]
    assert said(net.exchange(ms=AGAIN_MS)) == [(REPORT, GROUP)]
    assert said(net.exchange(line=f"join {GROUP}")) == []
    assert said(net.exchange(line=f"leave {GROUP}", ms=AGAIN_MS)) == []
    assert said(net.exchange(line=f"leave {GROUP}")) == [(LEAVE, GROUP)]
    assert said(net.exchange([igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, tenths=10)], ms=2 * AGAIN_MS)) == []


def joined(net: Native, *groups: str) -> None:
    for group in groups:
        net.exchange(line=f"join {group}")
    net.exchange(ms=2 * AGAIN_MS)


def test_a_general_query_is_answered_for_each_group(net: Native) -> None:
    joined(net, GROUP, OTHER)
    at_once = said(net.exchange([igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, tenths=50)]))
    later = said(net.exchange(ms=5_100))
    assert sorted(at_once + later) == [(REPORT, GROUP), (REPORT, OTHER)]
    assert said(net.exchange(ms=2 * AGAIN_MS)) == []


def test_a_query_for_a_group_is_answered_for_that_group(net: Native) -> None:
    joined(net, GROUP, OTHER)
    frames = net.exchange([igmp(QUERY, OTHER, to=OTHER, tenths=10), igmp(QUERY, "239.9.9.9", to=ALL_HOSTS, tenths=10)])
    assert said(frames + net.exchange(ms=1_100)) == [(REPORT, OTHER)]


def test_another_hosts_report_does_for_ours(net: Native) -> None:
    joined(net, GROUP, OTHER)
    query = igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, tenths=100)
    other = igmp(REPORT, GROUP, to=GROUP, source="10.0.0.9")
    frames = net.exchange([query, other])
    assert said(frames + net.exchange(ms=AGAIN_MS + 100)) == [(REPORT, OTHER)]


# ---- Of the stack without lwIP, which is stricter ----


@pytest.fixture
def own() -> Iterator[Native]:
    with Native() as native:
        native.exchange([resolve()])
        joined(native, GROUP)
        yield native
        native.exchange(ms=20_000)
        assert native.free == BUFFERS


def without_alert(frame: bytes) -> bytes:
    packet = Ether(frame)[IP]
    return ethernet(ipv4(bytes(packet.payload)[:8], IGMP, source=packet.src, to=packet.dst, ttl=1), to=frame[:6])


def test_a_query_of_igmpv1_is_answered_in_kind_within_ten_seconds(own: Native) -> None:
    query = without_alert(igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, tenths=0))
    assert said(own.exchange([query]) + own.exchange(ms=AGAIN_MS)) == [(REPORT_1, GROUP)]
    assert said(own.exchange(line=f"join {OTHER}")) == [(REPORT_1, OTHER)]
    assert said(own.exchange(line=f"leave {OTHER}")) == [], "such a router knows no leave"
    own.exchange(ms=400_000)
    assert said(own.exchange(line=f"join {OTHER}")) == [(REPORT, OTHER)]
    assert said(own.exchange(line=f"leave {OTHER}")) == [(LEAVE, OTHER)]


def test_no_leave_is_told_when_another_host_was_the_last_to_report(own: Native) -> None:
    own.exchange([igmp(REPORT, GROUP, to=GROUP, source="10.0.0.9")])
    assert said(own.exchange(line=f"leave {GROUP}")) == []


def test_messages_that_cannot_be_believed_change_nothing(own: Native) -> None:
    query = igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, tenths=10)
    bad_sum = bytearray(query)
    bad_sum[41] ^= 1
    wrong = [
        without_alert(query),
        bytes(bad_sum),
        igmp(QUERY, "0.0.0.0", to=GROUP, tenths=10),
        igmp(QUERY, GROUP, to=OTHER, tenths=10),
        igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, source="10.0.0.2", tenths=10),
        igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, source="239.1.1.1", tenths=10),
    ]
    for frame in wrong:
        assert said(own.exchange([frame]) + own.exchange(ms=2 * AGAIN_MS)) == [], frame.hex()
    foreign = igmp(REPORT, GROUP, to=GROUP, source="10.0.1.9")
    elsewhere = igmp(REPORT, GROUP, to=OTHER, source="10.0.0.9")
    assert said(own.exchange([query, foreign, elsewhere]) + own.exchange(ms=1_100)) == [(REPORT, GROUP)]


def test_a_sooner_answer_is_not_put_off_by_a_patient_query(own: Native) -> None:
    soon, late = (igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, tenths=tenths) for tenths in (10, 255))
    assert said(own.exchange([soon, late]) + own.exchange(ms=1_100)) == [(REPORT, GROUP)]
    frames = own.exchange([late, soon])
    assert said(frames + own.exchange(ms=1_100)) == [(REPORT, GROUP)]


def test_answers_come_at_times_that_differ_and_the_same_run_has_the_same(own: Native) -> None:
    def answered() -> list[int]:
        times = []
        with Native() as net:
            joined(net, GROUP)
            for _ in range(8):
                frames = net.exchange([igmp(QUERY, "0.0.0.0", to=ALL_HOSTS, tenths=100)])
                waited = 0
                while not said(frames):
                    frames = net.exchange(ms=100)
                    waited += 100
                times.append(waited)
                net.exchange(ms=AGAIN_MS)
        return times

    times = answered()
    assert len(set(times)) > 4 and max(times) <= AGAIN_MS + 100
    assert answered() == times
