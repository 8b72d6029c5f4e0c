# SPDX-License-Identifier: Apache-2.0
"""What net does with frames from the line: whose they are, what the stack makes of its own, and how each ends."""

import os
import random
import struct

import cocotb
import pytest
from bench import run_bench
from net_hw import (
    ALL_MAC,
    GROUP,
    OUR_IP,
    OUR_MAC,
    PEER_IP,
    PEER_MAC,
    RX_STAT,
    Stack,
    group_mac,
    ip_number,
    padded,
    settings,
    stack,
    to_us,
    udp,
)  # fmt: skip
from runs import WIDTHS, slow, some
from scapy.layers.inet import (
    ICMP,
    IP,
    TCP,
    UDP,
    IPOption_LSRR,
    IPOption_NOP,
    IPOption_Router_Alert,
    IPOption_RR,
    IPOption_SSRR,
    IPOption_Timestamp,
)
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import checksum


def lengths(longest: int) -> list[int]:
    """Payload lengths: all short ones, some of the others (all with STEP=1), the longest."""
    return [*range(90), *range(90, longest, int(os.environ.get("STEP", "61"))), longest]


@cocotb.test()
async def udp_of_every_length_comes_out_with_its_addresses(dut) -> None:
    net = await stack(dut)
    sent = []
    for length in lengths(1472):
        data = net.rng.randbytes(length)
        ports = net.rng.getrandbits(16), net.rng.choice((1, 4000, 0xFFFF))
        net.receive(padded(udp(data, sport=ports[0], dport=ports[1]), net.rng))
        sent.append((data, *ports))
    await net.drain()
    assert [(got.data, got.user["source_port"], got.user["port"]) for got in net.udp.items] == sent
    for got in net.udp.items:
        assert not got.bad and got.user["length"] == len(got.data)
        assert (got.user["source"], got.user["destination"]) == (ip_number(PEER_IP), ip_number(OUR_IP))
    assert net.counts["udp"] == len(sent) == sum(net.counts.values())
    assert not net.nic.items


@cocotb.test()
async def udp_out_is_eight_cycles_behind_the_frame(dut) -> None:
    net = await stack(dut)
    for length in (18, 19, 24, 26, 64, 65, 1472):
        net.forget()
        net.receive(padded(udp(bytes(length))))
        await net.drain()
        assert net.udp.items[0].first - net.line.begun[0] == 8, length


@cocotb.test()
async def a_wide_frame_is_out_a_few_cycles_behind_its_last_beat(dut) -> None:
    """Behind the first one it is not more than with 64 bits, or what the frame itself takes."""
    net = await stack(dut)
    lanes = net.line.width // 8
    for length in (*range(70), 1472):
        net.forget()
        net.receive(padded(udp(bytes(length))))
        net.receive(padded(to_us(TCP(sport=9, dport=80) / Raw(bytes(length)))))
        await net.drain()
        datagram, segment = net.udp.items[0], net.tcp.items[0]
        late = {128: (9, 7), 256: (8, 6), 512: (7, 6)}[net.line.width]
        # A word that is the last one, too, waits for the frame's end.
        assert datagram.first - net.line.begun[0] <= late[0] + (datagram.first == datagram.last)
        assert segment.first - net.line.begun[1] <= late[1] + (segment.first == segment.last)
        ends = [
            begun + (max(60, size + length) - 1) // lanes for begun, size in zip(net.line.begun, (42, 54), strict=True)
        ]
        assert datagram.last - ends[0] <= 6 and segment.last - ends[1] <= 5


@cocotb.test()
async def frames_come_in_without_a_gap(dut) -> None:
    """A beat a cycle, however short the frames are and whoever gets them, with IPv4 options or without."""
    net = await stack(dut)
    rng = net.rng
    for size in (0, 18, 22, 50, 100, 300):
        for _ in range(3):
            net.forget()
            given = {"udp": [], "tcp": [], "nic": []}
            for _ in range(30):
                kind, data = rng.choice(list(given)), rng.randbytes(size)
                head = to_us(options=[IPOption_NOP()] * (4 * rng.choice((0, 0, 0, 1, 5, 10))),
                             dst="10.0.0.9" if kind == "nic" else OUR_IP)  # fmt: skip
                behind = TCP(sport=9, dport=80) if kind == "tcp" else UDP(sport=9, dport=80)
                packet = bytes(head / behind / Raw(data))
                frame = padded(packet, rng)
                net.receive(frame)
                end = 14 + 4 * (packet[14] & 15)
                given[kind].append({"udp": data, "tcp": packet[end:], "nic": frame}[kind])
            await net.drain()
            assert net.line.stalled == 0, size
            got = {"udp": net.udp.items, "tcp": net.tcp.items, "nic": net.nic.items}
            assert {kind: [one.data for one in items] for kind, items in got.items()} == given
            assert not any(one.bad for one in (*net.udp.items, *net.tcp.items))


@cocotb.test()
async def options_of_every_length_and_ends_in_every_lane(dut) -> None:
    """Frames of all kinds, right and spoiled, straight behind each other or not, to readers that wait or do not."""
    net = await stack(dut, refuse=1)
    rng, on = net.rng, {"tcp": 1, "refuse": 1, "dhcp_to_nic": 0}
    lanes = net.line.width // 8
    rounds = ((0.0, 0.0), (0.4, 0.0), (0.0, 0.5), (0.3, 0.3))
    for words in range(11):
        net.forget()
        net.line.stall, net.udp.stall = rounds[words % 4]
        net.tcp.stall = net.nic.stall = net.udp.stall
        expected = {name: [] for name in RX_STAT}
        begin = rng.randrange(8)
        for size in range(begin, begin + lanes + 8):
            kind = rng.choice((UDP(sport=1, dport=2), UDP(sport=3, dport=4), TCP(sport=9, dport=80), ICMP(type=3)))
            packet = to_us(kind / Raw(rng.randbytes(size)), options=[IPOption_NOP()] * (4 * words))
            frame = bytearray(bytes(packet)) + rng.randbytes(rng.choice((0, 0, 1, 3, 18, lanes)))
            spoiled = rng.randrange(8)
            if spoiled == 0:
                frame[rng.randrange(14, len(frame))] ^= 1 << rng.randrange(8)
            elif spoiled == 1:
                del frame[-rng.randrange(1, len(frame) - 20) :]
            net.receive(bytes(frame))
            name, data = verdict(bytes(frame), False, on)
            expected[name].append(data)
        await net.drain(200)
        assert [got.data for got in net.nic.items] == expected["nic"]
        assert [got.data for got in net.udp.items if not got.bad] == expected["udp"]
        assert [got.data for got in net.tcp.items if not got.bad] == expected["tcp"]
        for name in set(RX_STAT) - {"echo", "drop_busy"}:
            assert net.counts[name] == len(expected[name]), name


@cocotb.test()
async def a_source_route_is_dropped_wherever_it_is(dut) -> None:
    """Behind any other options, and nothing else is one: not an address of a recorded route that looks so."""
    net = await stack(dut)
    rng = net.rng
    looks_so = ["131.7.4.137", "137.3.4.1", "10.0.131.137"]
    routes = (IPOption_LSRR, IPOption_SSRR)

    def other(room: int) -> list:
        return [option for option in (
            IPOption_NOP(), IPOption_Router_Alert(), IPOption_Timestamp(timestamp=0x83898389),
            IPOption_RR(routers=rng.choices(looks_so, k=rng.randrange(3))),
        ) if len(bytes(option)) <= room]  # fmt: skip

    for _ in range(int(os.environ["ROUNDS"])):
        net.forget()
        net.line.stall, net.udp.stall = rng.choice(((0.0, 0.0), (0.4, 0.0), (0.0, 0.5), (0.3, 0.3)))
        sent, dropped = {"udp": [], "tcp": []}, 0
        for _ in range(40):
            options, room = [], rng.choice((40, 40, 20))
            route = rng.choice(routes)(routers=rng.choices(looks_so, k=rng.randrange(3))) if rng.randrange(2) else None
            if route:
                room -= len(bytes(route))
            while choice := rng.randrange(8) and other(room):
                options.append(rng.choice(choice))
                room -= len(bytes(options[-1]))
            if route:
                options.append(route)
                while choice := rng.randrange(3) and other(room):
                    options.append(rng.choice(choice))
                    room -= len(bytes(options[-1]))
            kind, data = rng.choice(("udp", "tcp")), rng.randbytes(rng.choice((0, 1, 18, 40, 100)))
            behind = TCP(sport=9, dport=80) if kind == "tcp" else UDP(sport=9, dport=80)
            packet = bytes(to_us(behind / Raw(data), options=options))
            net.receive(padded(packet, rng))
            dropped += route is not None
            if route is None:
                sent[kind].append(data if kind == "udp" else packet[14 + 4 * (packet[14] & 15) :])
        await net.drain(200)
        assert [got.data for got in net.udp.items if not got.bad] == sent["udp"]
        assert [got.data for got in net.tcp.items if not got.bad] == sent["tcp"]
        assert net.counts["drop_address"] == dropped and sum(net.counts.values()) == 40


@cocotb.test()
async def udp_from_nobody_comes_by_the_limited_broadcast_alone(dut) -> None:
    """0.0.0.0 has no address yet: a DHCP server must hear it. All else of it is dropped."""
    net = await stack(dut)
    limited = {"src": "0.0.0.0", "dst": "255.255.255.255", "mac": ALL_MAC}
    for mac in (ALL_MAC, OUR_MAC):
        net.receive(padded(udp(b"discover", **{**limited, "mac": mac})))
    for packet in (
        udp(b"x", src="0.0.0.1", dst="255.255.255.255", mac=ALL_MAC),
        udp(b"x", src="0.0.0.0", dst="10.0.0.255", mac=ALL_MAC),
        udp(b"x", src="0.0.0.0"),
        to_us(TCP(sport=9, dport=80, flags="S"), src="0.0.0.0"),
        to_us(TCP(sport=9, dport=80, flags="S"), **limited),
        to_us(ICMP(), **limited),
    ):
        net.receive(padded(packet))
    await net.drain()
    assert [(got.data, got.bad, got.user["source"]) for got in net.udp.items if not got.bad] == [
        (b"discover", False, 0)
    ] * 2
    assert (net.counts["udp"], net.counts["drop_address"]) == (2, 6) and sum(net.counts.values()) == 8


def tagged(frame: bytes, priority: int) -> bytes:
    """Any frame with a VLAN tag of identifier 0."""
    return frame[:12] + b"\x81\x00" + (priority << 12).to_bytes(2, "big") + frame[12:]


@cocotb.test()
async def a_tagged_frame_is_seen_as_if_it_had_no_tag(dut) -> None:
    """Of every length, one straight behind the other: the NIC has its own whole, and each costs a cycle at most."""
    net = await stack(dut)
    rng = net.rng
    for waits in (False, True):
        net.forget()
        net.udp.stall = net.nic.stall = 0.4 * waits
        given: dict[str, list[bytes]] = {"udp": [], "tcp": [], "nic": []}
        sizes = [*range(18, 160), 1472]
        looks_so = b"\x81\x00\x00\x00" * 400
        for size in sizes:
            kind, begin = rng.choice(list(given)), rng.randrange(4)
            data = rng.choice((rng.randbytes(size), looks_so[begin : begin + size]))
            head = to_us(dst="10.0.0.9" if kind == "nic" else OUR_IP)
            packet = bytes(head / (TCP(sport=9, dport=80) if kind == "tcp" else UDP(sport=9, dport=80)) / Raw(data))
            frame = tagged(padded(packet, rng), rng.getrandbits(4))
            net.receive(frame)
            given[kind].append({"udp": data, "tcp": packet[34:], "nic": frame}[kind])
        await net.drain()
        assert waits or net.line.stalled <= len(sizes)
        got = {"udp": net.udp.items, "tcp": net.tcp.items, "nic": net.nic.items}
        assert {kind: [one.data for one in items] for kind, items in got.items()} == given
        assert not any(one.bad for one in (*net.udp.items, *net.tcp.items))


@cocotb.test()
async def what_only_looks_like_a_tag_is_the_nics(dut) -> None:
    """A type that is nearly one, a VLAN, a frame that ends before its tag does; one that ends with it is tagged."""
    net = await stack(dut)
    net.line.stall = 0.3
    whole = tagged(padded(udp(bytes(30))), 5)
    frames = [bytearray(whole) for _ in range(28)]
    for frame, bit in zip(frames, (*range(16), *range(20, 32)), strict=True):
        frame[12 + bit // 8] ^= 0x80 >> bit % 8
    ends = [whole[:length] for length in (13, 14, *(15,) * 600, 16, 16, 16, 17, 18, 19, 20)]
    sent = [*map(bytes, frames), *(bytes.fromhex(ALL_MAC.replace(":", "")) + end[6:] for end in ends)]
    net.rng.shuffle(sent)
    for frame in sent:
        net.receive(frame)
    await net.drain()
    assert [got.data for got in net.nic.items] == sent and net.counts["nic"] == len(sent) == sum(net.counts.values())


@cocotb.test()
async def without_tags_a_tagged_frame_is_the_nics(dut) -> None:
    net = await stack(dut)
    frames = [tagged(padded(udp(bytes(30))), priority) for priority in range(16)]
    for frame in frames:
        net.receive(frame)
    await net.drain()
    assert [got.data for got in net.nic.items] == frames and not net.udp.items


@cocotb.test()
async def no_host_has_the_networks_first_or_last_address_unless_they_are_two(dut) -> None:
    """RFC 3021: with 31 bits of mask both are hosts."""
    for bits, edges in ((24, ("10.0.0.0", "10.0.0.255")), (30, ("10.0.0.0", "10.0.0.3")), (31, ())):
        net = await stack(dut, mask=-1 << (32 - bits) & 0xFFFFFFFF)
        sources = ("10.0.0.0", "10.0.0.255", "10.0.0.3", "10.0.0.1", "10.0.1.0")
        hosts = [source for source in sources if source not in edges]
        for source in (*hosts, *edges):
            net.receive(padded(udp(source.encode(), src=source)))
            net.receive(padded(to_us(TCP(sport=9, dport=80, flags="S"), src=source)))
        net.receive(padded(udp(b"to all", dst="10.0.0.3")))
        await net.drain()
        good = [source.encode() for source in hosts] + [b"to all"] * (bits == 30)
        assert [got.data for got in net.udp.items if not got.bad] == good
        assert sum(not got.bad for got in net.tcp.items) == len(hosts)
        assert net.counts["drop_address"] == 2 * len(edges)


async def place_group(net: Stack, place: int, group: str = "", **on: int) -> None:
    """The place has this group, or none, from here on."""
    write = GROUP.pack(valid=1, joined=bool(group), place=place, address=ip_number(group or "0.0.0.0") & 0xFFF_FFFF)
    for now in (settings(**on, group=write), settings(**on)):
        net.dut.settings.value = now
        await net.run(1)


def for_group(group: str, data: bytes = b"x", **more) -> bytes:
    return padded(udp(data, **{"dst": group, "mac": group_mac(group), **more}))


@cocotb.test()
async def udp_for_a_group_is_taken_from_any_place_and_no_other(dut) -> None:
    net = await stack(dut)
    groups = [f"239.1.{n}.{255 - n}" for n in range(8)]
    for place, group in enumerate(groups):
        await place_group(net, place, group)
    sent, wrong = [], 0
    for size in (*range(0, 48), 100, 300):
        for group in (*net.rng.sample(groups, 3), "224.0.0.1"):
            sent.append((net.rng.randbytes(size), ip_number(group)))
            net.receive(for_group(group, sent[-1][0]))
            if net.rng.randrange(2):
                net.receive(for_group(net.rng.choice(("239.129.2.253", "239.1.8.247", "224.0.0.2", "239.1.0.254"))))
                wrong += 1
            if net.rng.randrange(2):  # what goes to us alone between them
                sent.append((net.rng.randbytes(net.rng.randrange(40)), ip_number(OUR_IP)))
                net.receive(padded(udp(sent[-1][0])))
    await net.drain(200)
    assert [(got.data, got.user["destination"]) for got in net.udp.items if not got.bad] == sent
    assert (net.counts["udp"], net.counts["drop_group"]) == (len(sent), wrong)
    net.forget()
    await place_group(net, 3)
    await place_group(net, 5, "232.1.1.1")
    for group in (groups[3], groups[5], "232.1.1.1", groups[7]):
        net.receive(for_group(group, group.encode()))
    await net.drain(200)
    assert [got.data for got in net.udp.items if not got.bad] == [b"232.1.1.1", groups[7].encode()]
    assert net.counts["drop_group"] == 2
    assert not net.sent.items, "nothing is said about what was for a group"


@cocotb.test()
async def of_a_group_only_udp_is_taken_and_igmp_is_the_nics(dut) -> None:
    net = await stack(dut, refuse=1)
    await place_group(net, 0, JOINED[0], refuse=1)
    to = {"dst": JOINED[0], "mac": group_mac(JOINED[0])}
    alert = [IPOption_Router_Alert()]
    query = [
        padded(to_us(Raw(b"\x11\x0a\xee\xf5\0\0\0\0"), proto=2, ttl=1, options=options, **to))
        for options in ([], alert)
    ]
    arp = padded(Ether(src=PEER_MAC, dst=to["mac"]) / ARP(op=1, psrc=PEER_IP, pdst=OUR_IP, hwsrc=PEER_MAC))
    other = padded(to_us(Raw(bytes(20)), proto=99, **to))
    for frame in (*query, arp, other):
        net.receive(frame)
    for packet in (
        to_us(TCP(sport=9, dport=80, flags="S"), **to),
        to_us(ICMP(type=8) / Raw(b"all"), **to),
        udp(b"x", src="239.1.1.1", **to),
        udp(b"x", src="10.0.0.255", **to),
        udp(b"x", mac=to["mac"]),
    ):
        net.receive(padded(packet))
    net.open = lambda port: False
    net.receive(for_group(JOINED[0]))
    await net.drain(200)
    assert [got.data for got in net.nic.items] == [*query, arp, other]
    assert (net.counts["nic"], net.counts["drop_address"], net.counts["drop_port"]) == (4, 5, 1)
    assert sum(net.counts.values()) == 10 and not net.sent.items


@cocotb.test()
async def shortest_frames_for_a_group_keep_up_with_the_line(dut) -> None:
    """The walk to the last place goes on while the next frame begins."""
    net = await stack(dut)
    await place_group(net, 7, "239.0.0.7")
    net.line.gap = lambda item: 10  # 10 Gb/s, that is 10.5
    for number in range(40):
        net.receive(for_group("239.0.0.7", bytes([number])) if number % 2 else padded(udp(bytes([number]))))
    await net.drain(200)
    assert [got.data for got in net.udp.items] == [bytes([number]) for number in range(40)]
    assert net.line.stalled == 0


@cocotb.test()
async def without_groups_they_are_the_nics(dut) -> None:
    net = await stack(dut)
    frames = [for_group(group) for group in ("224.0.0.1", JOINED[0])]
    for frame in frames:
        net.receive(frame)
    await net.drain()
    assert [got.data for got in net.nic.items] == frames


# ---- Any frame: what it must be seen as, said once more by other means -----------------------------------------------


JOINED = ("239.1.2.3", "232.0.0.1", "224.0.0.251")
"""Besides 224.0.0.1."""
NEAR = ("239.129.2.3", "225.0.0.251", "239.1.2.2")
"""Groups that are not joined: the first two have the Ethernet address of one that is."""


def verdict(frame: bytes, bad: bool, on: dict[str, int], *, tagged: bool = True) -> tuple[str, bytes]:
    """What must become of a frame: the counter, and what is delivered. `on`: tcp, refuse, dhcp_to_nic, closed port.

    `tagged`: a tag with identifier 0 is looked behind; of two only the first one.
    """
    if tagged and len(frame) >= 16 and frame[12:14] == b"\x81\x00" and frame[14] & 15 == 0 == frame[15]:
        name, data = verdict(frame[:12] + frame[16:], bad, on, tagged=False)
        return name, frame if name == "nic" else data
    ours, to_all = frame[:6].hex(":") == OUR_MAC, frame[:6].hex(":") == ALL_MAC
    address = bytes(map(int, OUR_IP.split(".")))
    to_group = frame[:3] == b"\1\0\x5e" and frame[3] < 0x80
    if not (ours or to_all or to_group):
        return "nic", frame
    if frame[12:14] == b"\x08\x06" and not to_group:
        mine = len(frame) >= 42 and frame[14:20] == bytes.fromhex("000108000604") and frame[20:22] in (b"\0\1", b"\0\2")
        if not mine or frame[38:42] != address:
            return "nic", frame
        return ("drop_bad" if bad else "arp"), b""
    if frame[12:14] != b"\x08\x00" or len(frame) < 34 or frame[14] >> 4 != 4 or frame[14] & 15 < 5:
        return "nic", frame
    end = 14 + 4 * (frame[14] & 15)
    _tos, total, _, fragment, _, protocol = struct.unpack_from("!BHHHBB", frame, 15)
    source, destination = frame[26:30], frame[30:34]
    everyone = destination in (b"\xff\xff\xff\xff", address[:3] + b"\xff")
    group = 224 <= destination[0] < 240
    if fragment & 0x3FFF or not (destination == address or everyone or group) or len(frame) < end + 8:
        return "nic", frame
    l4 = frame[end:]
    kind = {17: "udp", 6: "tcp", 1: "icmp"}.get(protocol, "other")
    if (
        (kind == "udp" and on["dhcp_to_nic"] and l4[2:4] == b"\0\x44")
        or (kind == "tcp" and not on["tcp"])
        or (kind == "icmp" and l4[0] not in (3, 8, 11, 12))
        or (kind == "other" and (group or not on["refuse"]))
    ):
        return "nic", frame
    if bad:
        return "drop_bad", b""
    length = 14 + total - end
    if length < 8 or 14 + total > len(frame):
        return "drop_length", b""
    if kind == "udp":
        said = int.from_bytes(l4[4:6], "big")
        if said < 8 or said > length:
            return "drop_length", b""
        length = said
    l4 = l4[:length]
    if checksum(frame[14:end]):
        return "drop_ip_sum", b""
    edges = address[:3] + b"\xff", address[:3] + b"\0"
    strange = source[0] in (0, 127) or source[0] >= 224 or source == address or source in edges
    nobody = source == bytes(4) and destination == b"\xff\xff\xff\xff"
    if (strange and not nobody) or routed(frame[34:end]) or (kind != "udp" if everyone or group else not ours):
        return "drop_address", b""
    if group and ".".join(map(str, destination)) not in ("224.0.0.1", *JOINED):
        return "drop_group", b""
    pseudo = source + destination + struct.pack("!HH", protocol, length)
    unsummed = kind == "other" or (kind == "udp" and l4[6:8] == b"\0\0")
    if not unsummed and checksum((b"" if kind == "icmp" else pseudo) + l4):
        return "drop_sum", b""
    if kind == "udp":
        return ("drop_port", b"") if l4[2:4] == b"\x0f\xa1" else ("udp", l4[8:])
    if kind == "icmp":
        return ("echo" if l4[0] == 8 else "icmp_error"), l4
    return {"tcp": "tcp", "other": "drop_protocol"}[kind], l4


def routed(options: bytes) -> bool:
    """Whether there is a source route. The list ends with its end mark, or an option that cannot be."""
    while options and options[0]:
        if options[0] in (131, 137):
            return True
        size = 1 if options[0] == 1 else options[1] if len(options) > 1 and options[1] > 1 else len(options)
        options = options[size:]
    return False


def summed(frame: bytearray) -> None:
    """Makes the IPv4 header's sum right again, where there is one."""
    end = 14 + 4 * (frame[14] & 15)
    if frame[12:14] == b"\x08\x00" and 34 <= end <= len(frame):
        frame[24:26] = b"\0\0"
        frame[24:26] = checksum(bytes(frame[14:end])).to_bytes(2, "big")


def l4_summed(frame: bytearray) -> None:
    """The same for what is behind the header, by the lengths that the frame has."""
    end = 14 + 4 * (frame[14] & 15)
    place = {17: 6, 6: 16, 1: 2}.get(frame[23])
    length = 14 + int.from_bytes(frame[16:18], "big") - end
    if frame[23] == 17 and len(frame) >= end + 6:
        length = min(length, int.from_bytes(frame[end + 4 : end + 6], "big"))
    if place is None or length < place + 2 or end + length > len(frame):
        return
    frame[end + place : end + place + 2] = b"\0\0"
    pseudo = b"" if frame[23] == 1 else bytes(frame[26:34]) + struct.pack("!HH", frame[23], length)
    made = checksum(pseudo + bytes(frame[end : end + length])) or 0xFFFF
    frame[end + place : end + place + 2] = made.to_bytes(2, "big")


def any_frame(rng: random.Random) -> bytes:
    """Nearly all kinds of frames, and what may be wrong with them."""
    size = rng.choice((rng.randrange(30), rng.randrange(30), rng.randrange(90), rng.randrange(600)))
    data = Raw(rng.randbytes(size))
    mac = rng.choice((OUR_MAC,) * 8 + (ALL_MAC, "02:00:00:00:00:03", "03:00:00:00:00:02"))
    dst = rng.choice((OUR_IP,) * 8 + ("255.255.255.255", "10.0.0.255", "10.0.0.3", "224.0.0.1", "10.0.1.2"))
    if rng.random() < 0.1:
        dst = rng.choice((*JOINED, *NEAR, "224.0.0.1"))
        mac = rng.choice((group_mac(dst),) * 8 + (mac, group_mac(dst).replace("5e:", "5f:")))
    src = rng.choice((PEER_IP,) * 8 + ("192.0.2.7", "0.0.0.1", "127.0.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1",
                                       "10.0.0.255", "10.0.0.0", "10.0.1.0", OUR_IP, "223.255.255.255", "1.2.3.4",
                                       "128.0.0.1", "0.0.0.0"))  # fmt: skip
    ip = IP(src=src, dst=dst, tos=rng.getrandbits(8), flags=rng.choice((0, "DF")), id=rng.getrandbits(16))
    kinds = [
        lambda: ip / UDP(sport=rng.getrandbits(16), dport=rng.choice((53, 68, 4000, 4001))) / data,
        lambda: ip / TCP(sport=rng.getrandbits(16), dport=80, flags="A") / data,
        lambda: ip / ICMP(type=rng.choice((8, 8, 0, 3, 11, 12, 5, 13))) / data,
        lambda: IP(src=src, dst=dst, proto=rng.choice((2, 41, 132))) / Raw(rng.randbytes(size + 4)),
        lambda: ARP(op=rng.choice((1, 1, 2, 3)), psrc=src, pdst=dst, hwsrc=PEER_MAC),
        lambda: rng.choice((IPv6() / data, Dot1Q(vlan=5) / ip / UDP() / data)),
    ]
    packet = rng.choices(kinds, (8, 4, 4, 1, 1, 1))[0]()
    head = Ether(src=PEER_MAC, dst=mac)
    if rng.random() < 0.05:
        packet, head = data, Ether(src=PEER_MAC, dst=mac, type=0x88B5)
    frame = bytearray(bytes(head / packet))
    is_ip = frame[12:14] == b"\x08\x00"
    if is_ip and rng.random() < 0.3:  # options of any kind
        words = rng.randrange(1, 11)
        options = bytearray(rng.randbytes(4 * words))
        if rng.randrange(2):  # those that mean something
            options = bytearray()
            while len(options) < 4 * words:
                size = rng.choice((2, 3, 4, 7, 11, 39))
                options += rng.choice((b"\1", b"\1\1", bytes([rng.choice((7, 68, 131, 137, 148)), size])
                                       + rng.choice((bytes(size - 2), b"\x83" * (size - 2)))))  # fmt: skip
        frame[34:34] = options[: 4 * words]
        frame[14] += words
        frame[16:18] = (len(frame) - 14).to_bytes(2, "big")
        summed(frame)
    end = 14 + 4 * (frame[14] & 15) if is_ip else 0
    if is_ip and frame[23] == 17 and rng.random() < 0.2:
        frame[end + 6 : end + 8] = b"\0\0"  # no sum
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        what = rng.randrange(9)
        if what == 0:
            frame[rng.randrange(len(frame))] ^= 1 << rng.randrange(8)
        elif what == 1 and len(frame) > 12:
            frame[rng.randrange(12, min(len(frame), 42))] ^= 1 << rng.randrange(8)
        elif not is_ip or len(frame) < max(end, 34) + 8:
            continue
        elif what == 2:  # total length
            total = int.from_bytes(frame[16:18], "big") + rng.choice((-9, -8, -2, -1, 1, 2, 8, 300))
            frame[16:18] = (max(0, total) & 0xFFFF).to_bytes(2, "big")
            summed(frame)
            if rng.randrange(2):
                l4_summed(frame)
        elif what == 3 and frame[23] == 17:  # UDP length
            said = rng.choice((0, 7, 8, 9, size + 7, max(8, size + 4), size + 9, 0xFFFF))
            frame[end + 4 : end + 6] = said.to_bytes(2, "big")
            l4_summed(frame)
        elif what == 4:  # a fragment, or a flag that is none
            frame[20:22] = rng.choice((0x2000, 1, 0x100, 0x1FFF, 0x8000)).to_bytes(2, "big")
            summed(frame)
        elif what == 5:
            frame[14] = rng.choice((0x44, 0x40, 0x65, 0x55, 0x4F, 0x46))
            summed(frame)
        elif what == 6:  # a sum that is wrong
            place = end + {17: 6, 6: 16, 1: 2}.get(frame[23], 0)
            if place + 2 <= len(frame):
                frame[place : place + 2] = rng.randbytes(2)
        elif what == 7:  # an address, with right sums
            place = rng.choice((26, 29, 30, 33))
            frame[place] = rng.choice((0, 127, 128, 223, 224, 240, 255, 10, 2))
            summed(frame)
            l4_summed(frame)
        else:
            del frame[rng.randrange(1, len(frame)) :]
            break
    if rng.random() < 0.25:  # a priority, and what only looks so
        for _ in range(rng.choice((1, 1, 1, 2))):
            said = rng.choice((0, 0, 0, 0, 1, 0x800)) | rng.getrandbits(4) << 12
            frame[12:12] = rng.choice((b"\x81\x00",) * 7 + (b"\x88\xa8",)) + said.to_bytes(2, "big")
        if rng.random() < 0.1:
            del frame[rng.randrange(1, min(len(frame), 24)) :]
    if rng.random() < 0.7:
        return padded(bytes(frame), rng)
    return bytes(frame) + rng.randbytes(rng.choice((0, 0, 1, 9, 50)))


@cocotb.test()
async def any_frame_ends_as_the_model_says(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    on = {"tcp": rng.randrange(4) > 0, "refuse": rng.randrange(2), "dhcp_to_nic": rng.randrange(2)}
    net = await stack(dut, **on)
    net.open = lambda port: port != 4001
    for place, group in zip(rng.sample(range(8), len(JOINED)), JOINED, strict=True):
        await place_group(net, place, group, **on)
    seen = dict.fromkeys(RX_STAT, 0)
    for round_ in range(int(os.environ["ROUNDS"])):
        net.forget()
        stalls = ((0.0, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.0), (0.0, 0.4, 0.4, 0.4), (0.2, 0.7, 0.0, 0.3))[round_ % 4]
        net.line.stall, net.nic.stall, net.udp.stall, net.tcp.stall = stalls
        expected = {name: [] for name in RX_STAT}
        for number in range(50):
            frame, bad = any_frame(rng), rng.random() < 0.1
            net.receive(frame, bad=bad, stamp=number)
            name, data = verdict(frame, bad, on)
            expected[name].append((data, bad, number))
        await net.drain(200)
        assert [(g.data, g.bad, g.user["stamp"]) for g in net.nic.items] == expected["nic"], "to the NIC, as they came"
        good = {
            "udp": [g.data for g in net.udp.items if not g.bad],
            "tcp": [g.data for g in net.tcp.items if not g.bad],
        }
        for name, got in good.items():
            assert got == [data for data, _, _ in expected[name]], name
        for name in RX_STAT:
            if name == "echo":  # there may be no room for it
                assert net.counts["echo"] + net.counts["drop_busy"] == len(expected["echo"])
            elif name != "drop_busy":
                assert net.counts[name] == len(expected[name]), name
            seen[name] += len(expected[name])
    print("seen:", seen)
    possible = set(RX_STAT) - {"drop_busy"} - ({"tcp"} if not on["tcp"] else set())
    rare = {"arp", "icmp_error", "drop_protocol", "drop_port", "drop_group"}
    assert {n for n in possible if seen[n]} >= possible - rare, seen


@cocotb.test()
async def all_goes_to_the_nic_while_the_stack_is_off(dut) -> None:
    net = await stack(dut, enable=0)
    sent = [net.receive(any_frame(net.rng), stamp=i) for i in range(60)]
    await net.drain()
    assert [(got.data, got.user["stamp"]) for got in net.nic.items] == [(f, i) for i, f in enumerate(sent)]
    assert net.counts["nic"] == 60 == sum(net.counts.values()), "and nothing is asked or answered"


@cocotb.test()
async def a_frame_for_the_nic_is_a_few_cycles_late(dut) -> None:
    net = await stack(dut)
    cases = [
        (Ether(src=PEER_MAC, dst="02:00:00:00:00:05") / Raw(bytes(46)), 3),
        (Ether(src=PEER_MAC, dst=OUR_MAC, type=0x88B5) / Raw(bytes(46)), 4),
        (udp(bytes(30), dst="10.0.0.3"), 7),
        (Ether(src=PEER_MAC, dst=ALL_MAC) / ARP(op=1, psrc=PEER_IP, pdst="10.0.0.9"), 7),
    ]
    by_width = {64: (3, 4, 7, 7), 128: (4, 4, 6, 6), 256: (4, 4, 5, 5), 512: (4, 4, 4, 4)}[net.line.width]
    assert net.line.width != 64 or tuple(late for _, late in cases) == by_width
    for (frame, _), late in zip(cases, by_width, strict=True):
        net.forget()
        net.receive(padded(frame))
        await net.drain()
        assert net.nic.items[0].first - net.line.begun[0] == late


@cocotb.test()
async def a_reader_that_waits_loses_nothing_and_tcp_comes_as_segments(dut) -> None:
    net = await stack(dut)
    segments = []
    net.tcp.stall = 0.5
    for length in (*range(30), 1447, 1448, 1460):
        frame = bytes(
            to_us(TCP(sport=9, dport=80, seq=length, flags="PA") / Raw(net.rng.randbytes(length)), tos=length % 256)
        )
        net.receive(padded(frame, net.rng))
        segments.append((frame[34:], length % 256))
    await net.drain(100)
    assert [(got.data, got.user["tos"]) for got in net.tcp.items] == segments
    assert all(got.user["length"] == len(got.data) and not got.bad for got in net.tcp.items)


@cocotb.test()
async def a_port_is_judged_once_however_long_its_datagram_waits(dut) -> None:
    net = await stack(dut)
    net.open = lambda port: port != 4001
    net.udp.stall = 0.8
    sent = []
    for number in range(200):
        port = net.rng.choice((4000, 4001))
        data = number.to_bytes(2, "big") + net.rng.randbytes(net.rng.choice((0, 16, 40, 60)))
        net.receive(padded(udp(data, dport=port), net.rng))
        if port == 4000:
            sent.append(data)
    await net.drain()
    assert [got.data for got in net.udp.items] == sent
    assert (net.counts["udp"], net.counts["drop_port"]) == (len(sent), 200 - len(sent))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", [1, *slow([2]), *some([], range(3, 13))])
def test_any_frame(seed: int, width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase="any_frame_ends_as_the_model_says", seed=seed,
              extra_env={"ROUNDS": "12"})  # fmt: skip


CASES = (
    "all_goes_to_the_nic_while_the_stack_is_off",
    "a_frame_for_the_nic_is_a_few_cycles_late",
    "a_reader_that_waits_loses_nothing_and_tcp_comes_as_segments",
    "frames_come_in_without_a_gap",
    "options_of_every_length_and_ends_in_every_lane",
    "a_port_is_judged_once_however_long_its_datagram_waits",
    "udp_from_nobody_comes_by_the_limited_broadcast_alone",
    "no_host_has_the_networks_first_or_last_address_unless_they_are_two",
    "a_tagged_frame_is_seen_as_if_it_had_no_tag",
    "what_only_looks_like_a_tag_is_the_nics",
    "udp_for_a_group_is_taken_from_any_place_and_no_other",
    "of_a_group_only_udp_is_taken_and_igmp_is_the_nics",
)
NARROW = ("udp_out_is_eight_cycles_behind_the_frame", "shortest_frames_for_a_group_keep_up_with_the_line")
WIDE = ("a_wide_frame_is_out_a_few_cycles_behind_its_last_beat",)


@pytest.mark.parametrize("width", WIDTHS)
def test_receive(width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase=(*CASES, *(NARROW if width == 64 else WIDE)))


@pytest.mark.slow  # a simulator of its own
def test_without_tags() -> None:
    run_bench("net", {"WIDTH": 64, "TAGS": 0}, testcase="without_tags_a_tagged_frame_is_the_nics")


@pytest.mark.slow  # a simulator of its own
def test_without_groups() -> None:
    run_bench("net", {"WIDTH": 64, "GROUPS": 0}, testcase="without_groups_they_are_the_nics")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("rounds", some([8], [80]))
def test_source_routes(rounds: int, width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase="a_source_route_is_dropped_wherever_it_is",
              extra_env={"ROUNDS": str(rounds)})  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("step", some([211], [1]))
def test_udp_by_length(step: int, width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase="udp_of_every_length_comes_out_with_its_addresses",
              extra_env={"STEP": str(step)})  # fmt: skip
