# SPDX-License-Identifier: Apache-2.0
"""nic_steering: what must and what must not decide which server a frame goes to, and how well flows are spread.

The frames are Scapy's. The hash itself is the block's own business: no test knows it.
"""

import ipaddress
import random
from collections import Counter

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from scapy.layers.inet import IP, TCP, UDP, IPOption_NOP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

pytestmark = pytest.mark.slow


class Steering:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed

    async def start(self, servers: int = 0xF, flow: int = 1) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for name in ("start", "valid", "last", "data"):
            getattr(dut, name).value = 0
        dut.flow.value, dut.servers_enabled.value, dut.rst.value = flow, servers, 1
        await self.clocks(3)
        dut.rst.value = 0

    async def clocks(self, count: int) -> None:
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def servers(self, servers: int) -> None:
        self.dut.servers_enabled.value = servers
        await self.clocks(4)

    async def wanted(self, frame: Packet | bytes, stall: float = 0.0) -> int:
        """The set of servers for a frame, as a mask; checks when it is settled."""
        dut, data = self.dut, bytes(frame)
        edge = RisingEdge(dut.clk)
        dut.start.value = 1
        await edge
        dut.start.value = 0
        valid = False
        for i in range(0, len(data), 8):
            while self.rng.random() < stall:
                if valid:
                    dut.valid.value, valid = 0, False
                dut.data.value = self.rng.getrandbits(64)
                await edge
            dut.data.value = int.from_bytes(data[i : i + 8].ljust(8, b"\x3c"), "big")
            if not valid:
                dut.valid.value, valid = 1, True
            if i == 0 or i + 8 >= len(data):
                dut.last.value = int(i + 8 >= len(data))
            await edge
        dut.valid.value = 0
        dut.data.value = self.rng.getrandbits(64)
        seen = []
        for _ in range(8):
            await edge
            seen.append((int(dut.settled.value), int(dut.wanted.value)))
        assert seen[3:] == [(1, seen[-1][1])] * 5, "settled four cycles behind the last dword at the latest, and stable"
        first = next(i for i, (settled, _) in enumerate(seen) if settled)
        assert seen[first][1] == seen[-1][1], "settled is settled"
        return seen[-1][1]


async def started(dut, servers: int = 0xF, flow: int = 1) -> Steering:
    steering = Steering(dut)
    await steering.start(servers, flow)
    return steering


def _mac(rng: random.Random) -> str:
    return ":".join(f"{b:02x}" for b in bytes([rng.randrange(0, 256, 2), *rng.randbytes(5)]))


def _address(rng: random.Random) -> str:
    return str(ipaddress.IPv4Address(rng.getrandbits(32)))


class Flow:
    """The two ends of a flow, and frames of it that differ in all that is not the flow."""

    def __init__(self, rng: random.Random, layer=None) -> None:
        self.rng, self.layer = rng, layer or rng.choice([TCP, UDP])
        self.addresses = _address(rng), _address(rng)
        self.ports = rng.getrandbits(16), rng.getrandbits(16)

    def frame(self, back: bool = False, options: int | None = None, fragment: tuple[str, int] | None = None) -> bytes:
        """With so many 32-bit words of options; a fragment: its flags and offset."""
        rng = self.rng
        (source, target), (sport, dport) = (v[::-1] if back else v for v in (self.addresses, self.ports))
        options = rng.randrange(11) if options is None else options
        flags, offset = fragment or (rng.choice(["", "DF"]), 0)
        ip = IP(
            src=source,
            dst=target,
            id=rng.getrandbits(16),
            ttl=rng.randrange(1, 256),
            tos=rng.getrandbits(8),
            options=[IPOption_NOP()] * 4 * options,
            flags=flags,
            frag=offset,
            proto=6 if self.layer is TCP else 17,
        )
        payload = Raw(rng.randbytes(rng.randrange(30, 60)))
        rest = payload if fragment else self.layer(sport=sport, dport=dport) / payload
        ether = bytes(Ether(src=_mac(rng), dst=_mac(rng)) / ip / rest)
        header = 14 + 20
        # Nobody looks into the options.
        return ether[:header] + rng.randbytes(4 * options) + ether[header + 4 * options :]


@cocotb.test()
async def all_frames_of_a_flow_go_to_one_server_in_either_direction(dut) -> None:
    steering = await started(dut)
    for _ in range(30):
        flow = Flow(steering.rng)
        frames = [flow.frame(back, options) for back in (False, True) for options in (0, 1, 2, 9, 10, None)]
        wanted = {await steering.wanted(frame, steering.rng.choice([0.0, 0.0, 0.6])) for frame in frames}
        assert len(wanted) == 1 and wanted.pop().bit_count() == 1


@cocotb.test()
async def protocol_addresses_and_ports_make_the_flow(dut) -> None:
    """What differs in one of them goes to another server in about three of four cases, as it should."""
    steering = await started(dut)
    rng = steering.rng
    differs: Counter[str] = Counter()
    for _ in range(120):
        flow = Flow(rng)
        wanted = await steering.wanted(flow.frame())
        for what in ("source", "target", "sport", "dport", "protocol"):
            other = Flow(rng, flow.layer if what != "protocol" else TCP if flow.layer is UDP else UDP)
            (a, b), (c, d) = (other.addresses, other.ports)
            addresses = {"source": (a, flow.addresses[1]), "target": (flow.addresses[0], b)}
            ports = {"sport": (c, flow.ports[1]), "dport": (flow.ports[0], d)}
            other.addresses, other.ports = addresses.get(what, flow.addresses), ports.get(what, flow.ports)
            differs[what] += await steering.wanted(other.frame()) != wanted
    assert all(70 <= differs[what] <= 110 for what in ("source", "target", "sport", "dport")), differs
    assert differs["protocol"] >= 70, "only two values: always the same difference"


@cocotb.test()
async def random_flows_are_spread_evenly_over_any_number_of_servers(dut) -> None:
    steering = await started(dut)
    count = 400
    for servers in (0b0010, 0b1001, 0b1110, 0b1111):
        await steering.servers(servers)
        seen = Counter([await steering.wanted(Flow(steering.rng).frame(options=0)) for _ in range(count)])
        n = servers.bit_count()
        assert set(seen) == {1 << s for s in range(4) if servers >> s & 1}
        sigma = (count * (1 / n) * (1 - 1 / n)) ** 0.5
        assert all(abs(c - count / n) <= 5 * sigma + 0.01 * count for c in seen.values()), (servers, seen)


@cocotb.test()
@cocotb.parametrize(what=["ports", "even ports", "clients"])
async def neighbouring_flows_are_spread(dut, what) -> None:
    """64 flows between two hosts or to one, that differ in a few low bits: no server gets more than twice its share."""
    steering = await started(dut)
    for servers in (0b0110, 0b1011, 0b1111):
        await steering.servers(servers)
        for _ in range(2):
            flow, seen = Flow(steering.rng), Counter()
            base = int(ipaddress.IPv4Address(flow.addresses[0])) & ~0xFF
            for i in range(64):
                if what == "clients":
                    flow.addresses = str(ipaddress.IPv4Address(base + i)), flow.addresses[1]
                else:
                    step = 2 if what == "even ports" else 1
                    flow.ports = 32768 + step * i, flow.ports[1]
                seen[await steering.wanted(flow.frame(options=0))] += 1
            assert max(seen.values()) <= 2 * 64 / servers.bit_count(), (servers, seen)


@cocotb.test()
async def fragments_go_by_addresses_and_protocol(dut) -> None:
    steering = await started(dut)
    rng = steering.rng
    differs = 0
    for _ in range(30):
        flow = Flow(rng)
        wanted = set()
        for fragment in (("MF", 0), ("MF", 8), ("", 8190), ("DF", 1)):
            frame = flow.frame(back=rng.random() < 0.5, options=rng.choice([0, 1, 10]), fragment=fragment)
            wanted.add(await steering.wanted(frame))
        assert len(wanted) == 1
        differs += await steering.wanted(flow.frame()) not in wanted
    assert differs, "the ports count where there are any"


@cocotb.test()
async def other_ipv4_goes_by_addresses_and_protocol_and_all_else_by_ethernet_addresses(dut) -> None:
    steering = await started(dut)
    rng = steering.rng
    seen: dict[str, set[int]] = {}
    for _ in range(30):
        ends = _address(rng), _address(rng)
        macs = _mac(rng), _mac(rng)
        kinds: dict[str, set[int]] = {}
        for back in (False, True, False, True):
            (source, target), (a, b) = (v[::-1] if back else v for v in (ends, macs))
            payload = Raw(rng.randbytes(60))
            other = Ether(src=_mac(rng), dst=_mac(rng)) / IP(src=source, dst=target, proto=47) / payload
            six = IPv6(src=f"fe80::{rng.getrandbits(16):x}", dst=f"fe80::{rng.getrandbits(16):x}")
            ether = Ether(src=a, dst=b)
            bad_version = bytearray(bytes(ether) + Flow(rng).frame()[14:])
            bad_version[12:14] = b"\x08\x00"
            bad_version[14] = rng.choice([0x40, 0x44, 0x55, 0x65])  # headers of 0 or 4 words, or not version 4
            frames = {
                "other": other,
                "six": ether / six / UDP() / payload,
                "arp": ether / ARP(psrc=_address(rng), pdst=_address(rng)) / payload,
                "tagged": bytes(ether / Dot1Q(vlan=rng.getrandbits(12), type=0x800)) + Flow(rng).frame()[14:],
                "bad": bytes(bad_version),
                "tiny": Ether(src=a, dst=b, type=0x88B5) / Raw(rng.randbytes(3)),
            }
            for kind, frame in frames.items():
                kinds.setdefault(kind, set()).add(await steering.wanted(frame))
        assert all(len(wanted) == 1 for wanted in kinds.values()), kinds
        for kind, wanted in kinds.items():
            seen.setdefault(kind, set()).update(wanted)
    assert all(wanted == {1, 2, 4, 8} for wanted in seen.values()), seen


@cocotb.test()
async def the_rank_among_the_enabled_servers_depends_on_their_number_only(dut) -> None:
    steering = await started(dut)
    for _ in range(40):
        frame = Flow(steering.rng).frame()
        ranks: dict[int, set[int]] = {}
        for servers in range(1, 16):
            await steering.servers(servers)
            wanted = await steering.wanted(frame)
            assert wanted.bit_count() == 1 and wanted & servers, (servers, wanted)
            ranks.setdefault(servers.bit_count(), set()).add((servers & (wanted - 1)).bit_count())
        assert all(len(of_size) == 1 for of_size in ranks.values()), ranks
    await steering.servers(0)
    assert await steering.wanted(frame) == 0xF, "none enabled: any, once one is"


@cocotb.test()
async def a_change_of_servers_is_followed_and_round_robin_takes_any_enabled_one(dut) -> None:
    steering = await started(dut)
    frame = Flow(steering.rng).frame()
    for servers in (0b0001, 0b0100, 0b1000):
        await steering.wanted(frame)
        dut.servers_enabled.value = servers
        await steering.clocks(3)
        await RisingEdge(dut.clk)
        assert int(dut.wanted.value) == servers
    dut.flow.value = 0  # between frames
    for servers in (0b0001, 0b1111, 0b1010, 0):
        await steering.servers(servers)
        assert await steering.wanted(frame) == (servers or 0xF)


def test_nic_steering() -> None:
    run_bench("nic_steering")
