# SPDX-License-Identifier: Apache-2.0
"""What net sends: UDP datagrams and TCP segments with headers as Scapy makes them, beside the NIC's frames."""

import itertools
import os
from collections import Counter

import cocotb
import pytest
from bench import run_bench
from net_hw import (
    ALL_MAC,
    GATEWAY,
    ID_KEY,
    OUR_IP,
    OUR_MAC,
    PEER_IP,
    PEER_MAC,
    Item,
    Stack,
    identification,
    ip_number,
    settings,
    stack,
)
from runs import WIDTHS, seeds, slow, some
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw
from scapy.utils import checksum


def datagram(data: bytes, ident: int, *, to: str = PEER_IP, mac: str = PEER_MAC, **ports: int) -> bytes:
    """What must be on the line: Scapy sums it."""
    ports = {"sport": 1000, "dport": 2000, **ports}
    return bytes(
        Ether(src=OUR_MAC, dst=mac) / IP(src=OUR_IP, dst=to, ttl=64, flags="DF", id=identification(ident))
        / UDP(**ports) / Raw(data)
    )  # fmt: skip


def payload_sum(data: bytes) -> int:
    """The one's complement sum that a source may give; Scapy's is inverted."""
    return ~checksum(data) & 0xFFFF if data else 0


def lengths(longest: int) -> list[int]:
    return [*range(90), *range(90, longest, int(os.environ.get("STEP", "61"))), longest]


@cocotb.test()
async def udp_of_every_length_is_as_scapy_makes_it(dut) -> None:
    """Stored whole, or begun early: sums given, summed on the way in, and with gaps between beats."""
    net = await stack(dut)
    await net.meet()
    expected = []
    for length in lengths(1472):
        for steady, known in ((0, 0), (1, 0), (0, 1), (1, 1)):
            data = net.rng.randbytes(length)
            ports = net.rng.getrandbits(16), net.rng.getrandbits(16)
            net.send_udp(data, source_port=ports[0], port=ports[1], steady=steady, sum_known=known,
                         sum=payload_sum(data) if known else net.rng.getrandbits(16))  # fmt: skip
            expected.append(datagram(data, len(expected), sport=ports[0], dport=ports[1]))
    await net.run(lambda: len(net.sent.items) == len(expected))
    await net.drain()
    assert [got.data for got in net.sent.items] == expected
    assert not any(got.bad for got in net.sent.items)
    assert net.counts["tx_sent"] == len(expected) == sum(net.counts.values())


@cocotb.test()
async def udp_with_stalls_on_either_side_stays_whole(dut) -> None:
    net = await stack(dut)
    await net.meet()
    expected = []
    for stalls in ((0.5, 0.0), (0.0, 0.5), (0.3, 0.3), (0.9, 0.1)):
        net.udp_tx.stall, net.sent.stall = stalls
        for _ in range(20):
            data = net.rng.randbytes(net.rng.choice((0, 1, 7, 8, 9, 64, 65, net.rng.randrange(300))))
            known = net.rng.randrange(2)
            net.send_udp(data, steady=net.rng.randrange(2), sum_known=known, sum=payload_sum(data) * known)
            expected.append(datagram(data, len(expected)))
        await net.run(lambda: len(net.sent.items) == len(expected))
    assert [got.data for got in net.sent.items] == expected


@cocotb.test()
async def a_sum_of_zero_goes_out_as_all_ones(dut) -> None:
    net = await stack(dut)
    await net.meet()
    data = bytearray(20)
    made = int.from_bytes(datagram(bytes(data), 0)[40:42], "big")
    data[4:6] = made.to_bytes(2, "big")  # what the sum lacks
    for known in (0, 1):
        net.send_udp(bytes(data), steady=1, sum_known=known, sum=payload_sum(bytes(data)))
    await net.run(lambda: len(net.sent.items) == 2)
    assert [got.data[40:42].hex() for got in net.sent.items] == ["ffff", "ffff"]


@cocotb.test()
async def the_frame_is_six_cycles_behind_the_payload(dut) -> None:
    net = await stack(dut)
    await net.meet()
    seen = set()
    for length, known in [*((n, 0) for n in range(1, 65)), *((n, 1) for n in (1, 18, 64, 65, 500, 1472))]:
        net.forget()
        data = net.rng.randbytes(length)
        net.send_udp(data, steady=1, sum_known=known, sum=payload_sum(data) * known)
        await net.run(lambda: bool(net.sent.items))
        assert net.sent.items[0].data[42:] == data
        seen.add(net.sent.items[0].first - net.udp_tx.begun[0])
        await net.run(10)
    assert seen == {{64: 6, 128: 8, 256: 8, 512: 9}[net.udp_tx.width]}


@cocotb.test()
async def a_datagram_that_is_not_what_was_said_is_dropped_or_cut(dut) -> None:
    net = await stack(dut)
    await net.meet()
    wrong = [(100, 99), (100, 101), (100, 96), (100, 104), (100, 0), (0, 8), (8, 0), (8, 16), (16, 8), (1473, 1473),
             (9, 8), (8, 9), (1480, 100), (100, 300)]  # fmt: skip
    for steady, early in ((0, False), (1, True)):
        for length, said in wrong:
            net.forget()
            data = net.rng.randbytes(length)
            net.send_udp(data, length=said, steady=steady, sum_known=1, sum=0)
            net.send_udp(b"behind", steady=steady)
            await net.run(lambda: bool(net.sent.items) and net.sent.items[-1].data[42:] == b"behind")
            cut = [got for got in net.sent.items if got.bad]
            assert len(net.sent.items) == 1 + len(cut)
            counted = net.counts["tx_cut_bad"], net.counts["tx_drop_length"], net.counts["tx_sent"]
            assert counted == ((1, 0, 1) if cut else (0, 1, 1)), (length, said)
            assert early or not cut
        net.forget()
        for length in (0, 5, 8, 64, 200):
            net.send_udp(net.rng.randbytes(length), steady=steady, bad=True)
        net.send_udp(b"behind", steady=steady)
        await net.run(lambda: bool(net.sent.items) and net.sent.items[-1].data[42:] == b"behind")
        assert net.counts["tx_drop_bad"] + net.counts["tx_cut_bad"] == 5 and net.counts["tx_sent"] == 1
        assert steady or net.counts["tx_drop_bad"] == 5


@cocotb.test()
async def next_hops_are_neighbour_gateway_or_all(dut) -> None:
    net = await stack(dut)
    await net.meet()
    await net.meet(mac="02:00:00:00:00:99", address=GATEWAY)
    cases = [(PEER_IP, PEER_MAC), ("192.0.2.7", "02:00:00:00:00:99"), ("255.255.255.255", ALL_MAC),
             ("10.0.0.255", ALL_MAC), ("224.0.0.251", "01:00:5e:00:00:fb"), ("239.255.129.2", "01:00:5e:7f:81:02"),
             (GATEWAY, "02:00:00:00:00:99")]  # fmt: skip
    for address, _ in cases:
        net.send_udp(b"hello", to=address)
    await net.run(lambda: len(net.sent.items) == len(cases))
    assert [got.data for got in net.sent.items] == [
        datagram(b"hello", i, to=address, mac=mac) for i, (address, mac) in enumerate(cases)
    ]


@cocotb.test()
async def what_has_no_way_is_dropped_and_counted(dut) -> None:
    net = await stack(dut, gateway=0)
    net.send_udp(bytes(100), to="192.0.2.7")
    await net.drain(100)
    assert net.counts["tx_drop_unresolved"] == 1 and not net.sent.items, "no gateway: nobody to ask"
    net.send_udp(bytes(100))
    await net.drain(300)
    assert net.counts["tx_drop_unresolved"] == 1 and len(net.sent.items) == 1, "a neighbour: it is asked"
    net = await stack(dut)
    for nowhere in ("0.0.0.0", "0.0.0.1", "127.0.0.1", "127.255.0.1"):
        net.send_udp(bytes(100), to=nowhere)
    await net.drain(300)
    assert net.counts["tx_drop_unresolved"] == 4 and not net.sent.items, "though there is a gateway"
    net = await stack(dut, enable=0)
    net.send_udp(bytes(100))
    net.send_udp(bytes(0))
    await net.drain(100)
    assert net.counts["tx_drop_disabled"] == 2 and not net.sent.items


@cocotb.test()
async def a_network_of_two_has_no_broadcast(dut) -> None:
    """RFC 3021: the other one is asked for, whichever of the two it is."""
    for ours, other in (("10.0.0.2", "10.0.0.3"), ("10.0.0.3", "10.0.0.2")):
        net = await stack(dut, mask=0xFFFFFFFE, address=ip_number(ours))
        net.send_udp(b"hello", to=other)
        await net.drain(300)
        (asked,) = net.sent.items
        assert Ether(asked.data)[ARP].pdst == other


@cocotb.test()
async def identifications_are_those_of_the_key_that_the_stack_was_turned_on_with(dut) -> None:
    net = await stack(dut)
    await net.meet()
    sent, keys = 0, (ID_KEY, 0, net.rng.getrandbits(32), (1 << 32) - 1, net.rng.getrandbits(32))
    for key in keys:
        dut.settings.value = settings(enable=0, id_key=key)
        net.send_udp(b"nobody sees this")
        await net.drain()
        await net.run(net.rng.randrange(1, 6))
        dut.settings.value = settings(id_key=key)
        net.forget()
        for _ in range(6):
            net.send_udp(net.rng.randbytes(net.rng.randrange(30)), steady=net.rng.randrange(2))
        await net.run(lambda: len(net.sent.items) == 6)
        await net.drain()
        idents = [int.from_bytes(got.data[18:20], "big") for got in net.sent.items]
        begin = next(number for number in (sent, sent + 1) if identification(number, key) == idents[0])
        assert idents == [identification(begin + i, key) for i in range(6)], f"{key:08X}"
        assert all(checksum(got.data[14:34]) == 0 for got in net.sent.items)
        sent = begin + 6


@pytest.mark.parametrize("key", [0, 1, ID_KEY, (1 << 32) - 1])
def test_no_identification_comes_again_within_65536_and_steps_tell_nothing(key: int) -> None:
    idents = [identification(number, key) for number in range(1 << 16)]
    assert len(set(idents)) == 1 << 16
    steps = Counter((b - a) % (1 << 16) for a, b in itertools.pairwise(idents))
    assert max(steps.values()) < 64, "of 65,535"


def segment(net: Stack, length: int, ident: int, **user: int) -> tuple[Item, bytes]:
    """A TCP segment as a source gives it, and the frame."""
    flags = "DF" if user["df"] else 0
    ip = IP(src=OUR_IP, dst=PEER_IP, ttl=user["ttl"], tos=user["tos"], flags=flags, id=identification(ident))
    frame = bytes(
        Ether(src=OUR_MAC, dst=PEER_MAC) / ip / TCP(sport=80, dport=5000, seq=7) / Raw(net.rng.randbytes(length))
    )
    data = frame[34:]
    return Item(data, {"destination": ip_number(PEER_IP), "length": len(data), **user}), frame


@cocotb.test()
async def tcp_segments_get_their_headers(dut) -> None:
    net = await stack(dut)
    await net.meet()
    expected = []
    for stall in (0.0, 0.4):
        net.sent.stall = stall
        for length in (*range(40), 536, 1447, 1448, 1459, 1460):
            user = {"ttl": net.rng.randrange(1, 256), "tos": net.rng.randrange(256), "df": net.rng.randrange(2),
                    "steady": net.rng.randrange(2)}  # fmt: skip
            item, frame = segment(net, length, len(expected), **user)
            net.tcp_tx.items.append(item)
            expected.append((frame, user["steady"]))
        await net.run(lambda: len(net.sent.items) == len(expected))
    assert [(got.data, got.user["steady"]) for got in net.sent.items] == expected


@cocotb.test()
async def sources_and_the_nic_share_the_line_by_whole_frames(dut) -> None:
    net = await stack(dut)
    await net.meet()
    rng, sent = net.rng, 0
    for source, sink_stall in ((0.0, 0.0), (0.2, 0.0), (0.0, 0.4), (0.3, 0.3)):
        net.forget()
        net.nic_tx.stall, net.udp_tx.stall, net.sent.stall = source, source, sink_stall
        nic, datagrams, segments = [], [], []
        for i in range(25):
            frame = b"\x02NIC" + i.to_bytes(2, "big") + rng.randbytes(rng.randrange(8, 200))
            user = {"stamp_wanted": rng.randrange(2), "steady": rng.randrange(2)}
            bad = rng.random() < 0.2
            nic.append((frame, user, bad))
            net.nic_tx.items.append(Item(frame, user, bad))
            data = rng.randbytes(rng.randrange(0, 200))
            datagrams.append(data)
            net.send_udp(data, steady=int(not source))
            item, frame = segment(net, rng.randrange(100), 0, ttl=9, tos=0, df=1, steady=1)
            segments.append(frame[34:])
            net.tcp_tx.items.append(item)
        await net.run(lambda: len(net.sent.items) == 75)
        got = net.sent.items
        assert [(g.data, g.user, g.bad) for g in got if g.data.startswith(b"\x02NIC")] == nic
        mine = [g.data for g in got if not g.data.startswith(b"\x02NIC")]
        assert [frame[42:] for frame in mine if frame[23] == 17] == datagrams
        assert [frame[34:] for frame in mine if frame[23] == 6] == segments
        idents = [int.from_bytes(frame[18:20], "big") for frame in mine]
        assert idents == [identification(sent + i) for i in range(len(mine))], "an ID each"
        sent += len(mine)
        kinds = "".join("n" if g.data.startswith(b"\x02NIC") else "us"[g.data[23] == 6] for g in got)
        if not source and net.sent.width == 64:  # where the NIC's frames are no shorter than the way to a header
            assert "nnn" not in kinds[:60], f"nobody is passed over for long: {kinds}"


@cocotb.test()
async def wide_frames_follow_each_other_in_five_cycles_or_at_once(dut) -> None:
    net = await stack(dut)
    await net.meet()
    lanes = net.sent.width // 8
    for kind in ("udp", "tcp"):
        for size in (0, 18, 60, 100, 200, 400, 1400):
            net.forget()
            data = net.rng.randbytes(size)
            for _ in range(20):
                if kind == "udp":
                    net.send_udp(data, steady=1, sum_known=1, sum=payload_sum(data))
                else:
                    net.tcp_tx.items.append(segment(net, size, 0, ttl=9, tos=0, df=1, steady=1)[0])
            await net.run(lambda: len(net.sent.items) == 20)
            beats = -(-len(net.sent.items[0].data) // lanes)
            assert {got.last - got.first for got in net.sent.items[2:]} == {beats - 1}, "no gap in a frame"
            apart = [b.first - a.first for a, b in itertools.pairwise(net.sent.items[2:])]
            assert max(apart) <= max(beats, 5), (size, apart)


@cocotb.test()
async def frames_of_many_neighbours_follow_each_other(dut) -> None:
    """Each short frame to another one: with 64 bits every eight cycles, above every five. By the gateway, too."""
    net = await stack(dut)
    hosts = [f"10.0.0.{40 + i}" for i in range(40)]
    for i, host in enumerate((*hosts, GATEWAY)):
        await net.meet(mac=f"02:00:00:00:03:{i:02x}", address=host)
    macs = dict(zip((*hosts, GATEWAY), (f"02:00:00:00:03:{i:02x}" for i in range(41)), strict=True))
    data = bytes(18)
    to = [net.rng.choice((*hosts, "192.0.2.7")) for _ in range(120)]
    for host in to:
        net.send_udp(data, to=host, steady=1, sum_known=1, sum=0)
    await net.run(lambda: len(net.sent.items) == len(to))
    assert [got.data[:6].hex(":") for got in net.sent.items] == [macs.get(host, macs[GATEWAY]) for host in to]
    apart = {b.first - a.first for a, b in itertools.pairwise(net.sent.items[2:])}
    assert apart == {8 if net.sent.width == 64 else 5}, apart


@cocotb.test()
async def frames_of_the_nic_pass_in_a_cycle_when_nothing_else_is_there(dut) -> None:
    net = await stack(dut)
    for _ in range(3):
        net.nic_tx.items.append(Item(net.rng.randbytes(64), {"stamp_wanted": 1, "steady": 1}))
    await net.run(lambda: len(net.sent.items) == 3)
    assert [got.first - begun for got, begun in zip(net.sent.items, net.nic_tx.begun, strict=True)] == [1, 1, 1]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("step", some([211], [1]))
def test_udp_by_length(step: int, width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase="udp_of_every_length_is_as_scapy_makes_it",
              extra_env={"STEP": str(step)})  # fmt: skip


CASES = (
    "udp_with_stalls_on_either_side_stays_whole",
    "a_sum_of_zero_goes_out_as_all_ones",
    "the_frame_is_six_cycles_behind_the_payload",
    "a_datagram_that_is_not_what_was_said_is_dropped_or_cut",
    "next_hops_are_neighbour_gateway_or_all",
    "what_has_no_way_is_dropped_and_counted",
    "a_network_of_two_has_no_broadcast",
    "tcp_segments_get_their_headers",
    "frames_of_the_nic_pass_in_a_cycle_when_nothing_else_is_there",
)


WIDE = "wide_frames_follow_each_other_in_five_cycles_or_at_once"


@pytest.mark.parametrize("width", WIDTHS)
def test_transmit(width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase=CASES if width == 64 else (*CASES, WIDE))


TABLE_CASES = ("the_frame_is_six_cycles_behind_the_payload", "next_hops_are_neighbour_gateway_or_all",
               "what_has_no_way_is_dropped_and_counted", "frames_of_many_neighbours_follow_each_other")  # fmt: skip


@pytest.mark.parametrize("width", [64, *slow([128, 256, 512])])
def test_transmit_with_a_table_of_neighbours(width: int) -> None:
    run_bench("net", {"WIDTH": width, "NEIGHBOURS": 64}, testcase=TABLE_CASES if width == 64 else (*TABLE_CASES, WIDE))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", seeds(1, 8))
def test_sources_share_the_line(seed: int, width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase="sources_and_the_nic_share_the_line_by_whole_frames", seed=seed)
