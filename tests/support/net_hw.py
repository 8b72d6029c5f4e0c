# SPDX-License-Identifier: Apache-2.0
"""The network stack of rtl/net in a unit test: its bundles by field, streams in and out, and Scapy's frames for it.

Fields are those of rtl/net/net_pkg.sv and rtl/common/frame_pkg.sv, most significant first.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

OUR_MAC, OUR_IP = "02:00:00:00:00:02", "10.0.0.2"
PEER_MAC, PEER_IP = "02:00:00:00:00:11", "10.0.0.17"
MASK, GATEWAY = "255.255.255.0", "10.0.0.1"
ALL_MAC = "ff:ff:ff:ff:ff:ff"


ID_KEY = 0x1B0C_5EF7


def identification(number: int, key: int = ID_KEY) -> int:
    """Of the datagram with this number: a Feistel network of two bytes, with a byte of the key each round."""
    left, right = divmod(number % (1 << 16), 256)
    for byte in key.to_bytes(4, "little"):
        word = f"{right ^ byte:08b}"
        turned = [int(word[turn:] + word[:turn], 2) for turn in (2, 5)]
        left, right = right, left ^ sum(turned) % 256
    return left << 8 | right


def ip_number(address: str) -> int:
    """10.0.0.2 as the stack has it."""
    return int.from_bytes(bytes(map(int, address.split("."))), "big")


def mac_number(address: str) -> int:
    return int(address.replace(":", ""), 16)


class Layout:
    """A packed struct: names and widths, the first one in the highest bits."""

    def __init__(self, **widths: int) -> None:
        self.widths = widths
        self.bits = sum(widths.values())

    def pack(self, **values: int) -> int:
        number = 0
        assert not set(values) - set(self.widths), values
        for name, width in self.widths.items():
            value = int(values.get(name, 0))
            assert 0 <= value < 1 << width, (name, value)
            number = number << width | value
        return number

    def unpack(self, number: int) -> dict[str, int]:
        values = {}
        for name, width in reversed(self.widths.items()):
            values[name] = number & (1 << width) - 1
            number >>= width
        return values


SETTINGS = Layout(enable=1, tcp=1, refuse=1, dhcp_to_nic=1, steady=1, mac=48, address=32, mask=32, gateway=32,
                  arp_lifetime=16, refuse_gap=16, key=128, id_key=32, group=33)  # fmt: skip
RX_USER = Layout(bad=1, stamp=32)
TX_USER = Layout(bad=1, stamp_wanted=1, steady=1)
UDP_RX_USER = Layout(bad=1, source=32, destination=32, source_port=16, port=16, length=16)
TCP_RX_USER = Layout(bad=1, source=32, length=16, tos=8)
TCP_TX_USER = Layout(bad=1, steady=1, destination=32, length=16, ttl=8, tos=8, df=1)
UDP_TX_USER = Layout(**TCP_TX_USER.widths, source_port=16, port=16, sum_known=1, sum=16)
EVENT = Layout(valid=1, kind=8, code=8, mtu=16, protocol=8, destination=32, source_port=16, port=16, sequence_number=32)
RX_STAT = ("nic", "arp", "udp", "tcp", "echo", "icmp_error", "drop_bad", "drop_length", "drop_ip_sum", "drop_address",
           "drop_group", "drop_sum", "drop_port", "drop_protocol", "drop_busy")  # fmt: skip
TX_STAT = ("sent", "drop_length", "drop_bad", "cut_bad", "drop_unresolved", "drop_disabled")
OTHER_STAT = ("arp_request", "arp_reply", "arp_busy", "arp_conflict", "refused", "refusal_saved")
STAT = Layout(**{name: 1 for name in (*RX_STAT, *(f"tx_{n}" for n in TX_STAT), *OTHER_STAT)})


def settings(**changes: int) -> int:
    """The stack's settings, on, with all it can do but refusals."""
    values = {"enable": 1, "tcp": 1, "steady": 1, "mac": mac_number(OUR_MAC), "address": ip_number(OUR_IP),
              "mask": ip_number(MASK), "gateway": ip_number(GATEWAY), "arp_lifetime": 60, "id_key": ID_KEY}  # fmt: skip
    return SETTINGS.pack(**{**values, **changes})


GROUP = Layout(valid=1, joined=1, place=3, address=28)


def group_mac(group: str) -> str:
    """The Ethernet address of an IPv4 group (RFC 1112 6.4)."""
    return "01:00:5e:" + (ip_number(group) & 0x7F_FFFF).to_bytes(3, "big").hex(":")


@dataclass
class Item:
    """What goes over a stream: bytes, and what belongs to them. `bad` comes with the last beat."""

    data: bytes
    user: dict[str, int] = field(default_factory=dict)
    bad: bool = False


@dataclass
class Got(Item):
    """As it came, with the cycles of its first and last beat."""

    first: int = 0
    last: int = 0


def width_of(bundle: Any, layout: Layout) -> int:
    """Bits of data in a beat of this port; a ninth of data and keep is keep, `tlast` and `valid` are beside them."""
    width, rest = divmod(8 * (len(bundle) - layout.bits - 2), 9)
    assert rest == 0 and width % 64 == 0
    return width


def beats(item: Item, layout: Layout, width: int = 64) -> list[int]:
    """{user, tlast, tdata, tkeep, valid}; an empty item is one beat without a byte."""
    words = []
    size = max(1, len(item.data))
    lanes = width // 8
    full = (1 << lanes) - 1
    for at in range(0, size, lanes):
        part = item.data[at : at + lanes]
        last = at + lanes >= size
        keep = full & ~(full >> len(part))
        bad = {"bad": item.bad and last} if "bad" in layout.widths else {}
        user = layout.pack(**item.user, **bad)
        # Behind the end is anything.
        rest = random.getrandbits(width) >> 8 * len(part) if len(part) < lanes else 0
        data = int.from_bytes(part.ljust(lanes, b"\0"), "big") | rest
        words.append((((user << 1 | last) << width | data) << lanes | keep) << 1 | 1)
    return words


class Source:
    """Gives items to `<port>` and `<port>_ready`; `gap` cycles behind each item keep a line's rate."""

    def __init__(self, dut: Any, port: str, layout: Layout) -> None:
        self.bundle, self.ready = getattr(dut, port), getattr(dut, f"{port}_ready")
        self.layout = layout
        self.items: deque[Item] = deque()
        self.stall = 0.0
        self.gap: Callable[[Item], int] = lambda item: 0
        self.begun: list[int] = []  # the cycle in which an item's first beat is offered first
        self.taken = 0  # items
        self.stalled = 0  # cycles in which a beat was offered and not taken
        self._beats: deque[int] = deque()
        self._offered = False
        self._wait = 0
        self.bundle.value = 0
        self.width = width_of(self.bundle, layout)
        self.idle_bits = len(self.bundle) - 1

    def step(self, cycle: int, rng: random.Random) -> None:
        if self._offered and self.ready.value:
            self._beats.popleft()
            self._offered = False
            if not self._beats:
                self.taken += 1
        elif self._offered:
            self.stalled += 1
        self._wait -= 1
        if self._offered:
            return
        if not self._beats and self.items and self._wait <= 0:
            item = self.items.popleft()
            self._beats.extend(beats(item, self.layout, self.width))
            self._wait = self.gap(item)
            self._first = True
        if self._beats and not (self.stall and rng.random() < self.stall):
            self.bundle.value = self._beats[0]
            self._offered = True
            if self._first:
                self.begun.append(cycle + 1)
                self._first = False
        else:  # anything, or the next beat before it counts
            early = self._beats and rng.randrange(2)
            self.bundle.value = self._beats[0] & ~1 if early else rng.getrandbits(self.idle_bits) << 1


class Sink:
    """Takes items from `<port>` and `<port>_ready`, and sees that the stream keeps its rules."""

    def __init__(self, dut: Any, port: str, layout: Layout, *, empty: bool = False) -> None:
        self.bundle, self.ready = getattr(dut, port), getattr(dut, f"{port}_ready")
        self.port, self.layout, self.empty = port, layout, empty
        self.width = width_of(self.bundle, layout)
        self.items: list[Got] = []
        self.stall = 0.0
        self.beats = 0
        self._data = bytearray()
        self._user: dict[str, int] | None = None
        self._first = 0
        self._waiting: int | None = None
        self.ready.value = 1

    def step(self, cycle: int, rng: random.Random) -> None:
        now, ready = int(self.bundle.value), int(self.ready.value)
        if self._waiting is not None:
            assert now == self._waiting, f"{self.port}: a beat on offer changed"
        self._waiting = now if now & 1 and not ready else None
        if now & 1 and ready:
            self._take(now, cycle)
        self.ready.value = int(not self.stall or rng.random() >= self.stall)

    def _take(self, now: int, cycle: int) -> None:
        lanes = self.width // 8
        full = (1 << lanes) - 1
        keep, data = now >> 1 & full, now >> 1 + lanes & (1 << self.width) - 1
        last, user = now >> 1 + lanes + self.width & 1, self.layout.unpack(now >> 2 + lanes + self.width)
        count = keep.bit_count()
        bad = user.pop("bad", 0)
        self.beats += 1
        assert keep == full & ~(full >> count), f"{self.port}: kept from the top down"
        assert last or (count == lanes and not bad), f"{self.port}: only the last beat is partial, or bad"
        assert count or (self.empty and last and self._user is None), f"{self.port}: an empty beat"
        if self._user is None:
            self._user, self._first = user, cycle
        assert user == self._user, f"{self.port}: what belongs to an item changed inside it"
        self._data += data.to_bytes(lanes, "big")[:count]
        if last:
            self.items.append(Got(bytes(self._data), user, bool(bad), self._first, cycle))
            self._data.clear()
            self._user = None


class Stack:
    """`net` with something at each port. `await run(until)` is the only thing that lets time pass."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.cycle = 0
        self.line = Source(dut, "rx_frame", RX_USER)
        self.nic_tx = Source(dut, "nic_tx_frame", TX_USER)
        self.udp_tx = Source(dut, "udp_tx", UDP_TX_USER)
        self.tcp_tx = Source(dut, "tcp_tx", TCP_TX_USER)
        self.sent = Sink(dut, "tx_frame", TX_USER)
        self.nic = Sink(dut, "nic_rx_frame", RX_USER)
        self.udp = Sink(dut, "udp_rx", UDP_RX_USER, empty=True)
        self.tcp = Sink(dut, "tcp_rx", TCP_RX_USER)
        self.sources = (self.line, self.nic_tx, self.udp_tx, self.tcp_tx)
        self.sinks = (self.sent, self.nic, self.udp, self.tcp)
        self.events: list[dict[str, int]] = []
        self.counts = dict.fromkeys(STAT.widths, 0)
        self.count_at: dict[str, list[int]] = {}
        self.open: Callable[[int], bool] = lambda port: True
        self.tick: Callable[[int], int] = lambda cycle: 0
        self.peer: Callable[[Got], None] | None = None  # sees each frame that is sent
        self._peer_seen = 0

    async def start(self, **changes: int) -> Stack:
        dut = self.dut
        dut.settings.value = settings(**changes)
        dut.tick.value, dut.udp_open.value = 0, 1
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        neighbours = int(dut.NEIGHBOURS.value) if hasattr(dut, "NEIGHBOURS") else 0
        if neighbours > 8:  # a table in memory: it is cleared first
            await self.run(max(128, neighbours) + 4)
            self.forget()
        return self

    async def run(self, until: Callable[[], bool] | int, limit: int = 1_000_000) -> None:
        """Until it is true, or for that many cycles."""
        dut, clock = self.dut, RisingEdge(self.dut.clk)
        end = self.cycle + (until if isinstance(until, int) else limit)
        while True:
            await clock
            self.cycle += 1
            for source in self.sources:
                source.step(self.cycle, self.rng)
            for sink in self.sinks:
                sink.step(self.cycle, self.rng)
            stat = int(dut.stat.value)
            if stat:
                for name, value in STAT.unpack(stat).items():
                    if value:
                        self.counts[name] += 1
                        self.count_at.setdefault(name, []).append(self.cycle)
            event = int(dut.icmp_event.value)
            if event >> EVENT.bits - 1:
                self.events.append(EVENT.unpack(event))
            dut.tick.value = self.tick(self.cycle)
            dut.udp_open.value = int(self.open(int(dut.udp_lookup.value)))
            if self.peer:
                for frame in self.sent.items[self._peer_seen :]:
                    self._peer_seen += 1
                    self.peer(frame)
            if isinstance(until, int):
                if self.cycle >= end:
                    return
            elif until():
                return
            else:
                assert self.cycle < end, "it does not come to an end"

    def idle(self) -> bool:
        """Nothing more goes in."""
        return not any(source.items or source._beats for source in self.sources)

    async def drain(self, cycles: int = 60) -> None:
        await self.run(self.idle)
        await self.run(cycles)

    def receive(self, frame: bytes | Packet, *, bad: bool = False, stamp: int = 0) -> bytes:
        data = bytes(frame)
        self.line.items.append(Item(data, {"stamp": stamp}, bad))
        return data

    def send_udp(self, data: bytes, *, to: str = PEER_IP, source_port: int = 1000, port: int = 2000, bad: bool = False,
                 length: int | None = None, **user: int) -> None:  # fmt: skip
        length = len(data) if length is None else length
        self.udp_tx.items.append(
            Item(data, {"destination": ip_number(to), "length": length, "ttl": 64, "df": 1,
                        "source_port": source_port, "port": port, **user}, bad)
        )  # fmt: skip

    async def meet(self, mac: str = PEER_MAC, address: str = PEER_IP) -> None:
        """A neighbour asks for us, so that it is in the cache; what came of that is forgotten."""
        self.receive(Ether(src=mac, dst=ALL_MAC) / ARP(op=1, hwsrc=mac, psrc=address, pdst=OUR_IP))
        await self.run(60)
        self.forget()

    def forget(self) -> None:
        for sink in self.sinks:
            sink.items.clear()
        self._peer_seen = 0
        self.counts = dict.fromkeys(STAT.widths, 0)
        self.count_at.clear()
        self.events.clear()
        for source in self.sources:
            source.begun.clear()
            source.taken = source.stalled = 0


async def stack(dut: Any, **changes: int) -> Stack:
    return await Stack(dut).start(**changes)


def to_us(
    payload: Packet | None = None, *, src: str = PEER_IP, dst: str = OUR_IP, mac: str = OUR_MAC, **ip: Any
) -> Packet:
    """Ethernet and IPv4 from the peer."""
    head = Ether(src=PEER_MAC, dst=mac) / IP(src=src, dst=dst, **ip)
    return head if payload is None else head / payload


def udp(data: bytes, *, sport: int = 3000, dport: int = 4000, **rest: Any) -> Packet:
    return to_us(UDP(sport=sport, dport=dport) / Raw(data), **rest)


def ping(data: bytes, **rest: Any) -> Packet:
    return to_us(ICMP(type=8, id=0x1234, seq=7) / Raw(data), **rest)


def padded(frame: bytes | Packet, rng: random.Random | None = None) -> bytes:
    """As it comes from a line, without FCS: 60 bytes at least."""
    data = bytes(frame)
    fill = max(0, 60 - len(data))
    return data + (rng.randbytes(fill) if rng else bytes(fill))
