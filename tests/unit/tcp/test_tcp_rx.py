# SPDX-License-Identifier: Apache-2.0
"""tcp_rx: segments from Scapy and from nowhere in, arrivals and the wanted bytes of payloads out.

What is right says Scapy, which made the segment, or `wire.parse`, the specification's reader.
"""

from __future__ import annotations

import itertools
import os
import random
import struct
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from net_hw import OUR_IP, PEER_IP, TCP_RX_USER, Item, Layout, Sink, Source, ip_number
from runs import seeds, some
from scapy.layers.inet import IP, TCP
from tcp.events import Arrival, Flag
from tcp.wire import Parsed, parse

from nsoc.network.inet.packet import TCP as PROTOCOL
from nsoc.network.inet.packet import checksum, pseudo_header

ARRIVAL = Layout(source=32, source_port=16, port=16, seq=32, ack=32, flags=6, window=16, length=16, urgent=16,
                 mss_valid=1, mss=16, scale_valid=1, scale=8, sack_permitted=1, stamp_valid=1, stamp=32, echo=32,
                 blocks=3, block_3=64, block_2=64, block_1=64, block_0=64, spare=1,
                 delivered=1, tried=1)  # fmt: skip
PLACE = {"begin_byte": 16, "length": 16, "offset": 18}
DECISION = Layout(place_valid=1, **PLACE, index=10)
PAYLOAD = Layout(early=1, index=10, **PLACE)
EARLY = Layout(index=10, offset=18)
STAT = ("taken", "bad", "short", "offset", "checksum", "room")

Decide = Callable[[Parsed, random.Random], tuple[int, int] | None]
"""The payload's bytes [begin, begin + length) are wanted, or none."""


@dataclass
class Told:
    """An arrival, as it came."""

    source: int
    parsed: tuple[int, int, Arrival]
    cycle: int  # when it was valid first


def arrival(number: int) -> tuple[int, tuple[int, int, Arrival]]:
    """The sender and what tcp_rx made of the header; what is not valid is not looked at."""
    f = ARRIVAL.unpack(number)
    blocks = tuple(divmod(f[f"block_{i}"], 1 << 32) for i in range(f["blocks"]))
    seen = Arrival(
        f["seq"], f["ack"], f["flags"], f["window"], f["length"], f["urgent"],
        f["mss"] if f["mss_valid"] else None, f["scale"] if f["scale_valid"] else None, bool(f["sack_permitted"]),
        (f["stamp"], f["echo"]) if f["stamp_valid"] else None, blocks, bool(f["spare"]), bool(f["delivered"]),
        bool(f["tried"]),
    )  # fmt: skip
    return f["source"], (f["source_port"], f["port"], seen)


def whole(parsed: Parsed, rng: random.Random) -> tuple[int, int]:
    return 0, len(parsed[3])


def anything(parsed: Parsed, rng: random.Random) -> tuple[int, int] | None:
    """Some of it, all of it, nothing."""
    size = len(parsed[3])
    begin = rng.randrange(size + 1)
    return rng.choice((None, (0, size), (begin, size - begin), (begin, rng.randrange(size - begin + 1))))


@dataclass
class Early:
    """A payload that leaves before it is decided."""

    user: dict[str, int]
    error: bool  # memory refuses it
    comes: bool  # its segment is not judged
    wait: int  # cycles of memory
    lost: bool = False
    placed: bool = False
    told: bool = False  # of its segment


class Receiver:
    """tcp_rx between net, the core and the ring's writer; each segment's end is compared as it comes."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.cycle = 0
        self.net = Source(dut, "segment", TCP_RX_USER)
        self.lanes = self.net.width // 8
        self.ring = Sink(dut, "payload", PAYLOAD)
        self.net.gap = lambda item: len(item.data) + 12  # cycles: the line of 1 Gb/s, but for Ethernet and IP
        self.decide: Decide = whole
        self.sees_ahead, self.seen_ahead = False, 0
        self.core_stall = 0.0  # how often it does not look
        self.core_wait: Callable[[], int] = lambda: 0  # cycles from an arrival to its decision
        self.given: list[tuple[bytes, bytes, bool]] = []
        self.told: list[Told] = []
        self.ends: list[str] = []  # a segment each
        self.ended: list[int] = []  # the cycle of its last beat
        self.wanted: list[tuple[bytes | None, dict[str, int]]] = []  # None: of one that is lost
        self.decided: list[int] = []
        self.early_rate = 0.0  # how often a segment that is ahead is given a place, in each cycle
        self.early_hits = 0.5  # how often the decision is the same
        self.early_ends: list[tuple[bool, bool]] = []  # of each: lost; placed
        self._early: Early | None = None
        self._pulsed: deque[dict[str, int] | None] = deque((None, None))  # in the last two cycles
        self._early_due: int | None = None
        self.placed, self._confirmed = 0, 0
        self._due: deque[int] = deque()  # when decisions are
        self._offered: int | None = None
        self._valid_since = 0
        self._deciding = False
        self._expected: deque[tuple[int, Parsed]] = deque()
        self._ready_low = 0

    async def start(self) -> Receiver:
        dut = self.dut
        dut.address.value = ip_number(OUR_IP)
        dut.arrival_ready.value = dut.decision_valid.value = dut.decision.value = 0
        dut.early_valid.value = dut.early.value = dut.early_placed.value = dut.early_error.value = 0
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        return self

    def give(self, data: bytes, *, source: str = PEER_IP, bad: bool = False) -> None:
        user = {"source": ip_number(source), "length": len(data), "tos": self.rng.getrandbits(8)}
        self.net.items.append(Item(data, user, bad))
        self.given.append((data, bytes(map(int, source.split("."))), bad))

    async def run(self, until: Callable[[], bool] | int, limit: int = 2_000_000) -> None:
        """Until it is true, or for that many cycles."""
        clock = RisingEdge(self.dut.clk)
        end = self.cycle + (until if isinstance(until, int) else limit)
        while (self.cycle < end) if isinstance(until, int) else not until():
            await clock
            self.cycle += 1
            assert self.cycle <= end, "it does not come to an end"
            self._step()

    def _step(self) -> None:
        dut, rng = self.dut, self.rng
        self._ready_low = 0 if dut.segment_ready.value else self._ready_low + 1
        assert self._ready_low <= 2, "net waits"
        taken = self.net.taken
        self.net.step(self.cycle, rng)
        if self.net.taken != taken:
            self.ended.append(self.cycle)
        self.ring.step(self.cycle, rng)
        stat = int(dut.stat.value)
        if self.sees_ahead and dut.ahead.value and not self._expected:  # of what still comes in
            source = int(dut.arrival.value) >> ARRIVAL.bits - 32
            assert source == int.from_bytes(self.given[len(self.ends)][1], "big"), "another one's sender"
            self.seen_ahead += 1
        self._place_early()
        if stat:
            self._end(stat)
        self._core()

    def _place_early(self) -> None:
        """Gives places before decisions, and is the memory of what is placed so."""
        dut, rng = self.dut, self.rng
        self.placed += int(dut.placed.value)
        busy = bool(dut.early_busy.value)
        if self._early and not busy:
            assert self._early.placed and self._early_due is None, "it ends when memory has it"
            self.early_ends.append((self._early.lost, self._early.error))
            self._early = None
        pulsed = self._pulsed.popleft()
        if pulsed and busy and not self._early:
            taken = self.ends.count("taken")
            size = int(dut.payload.value) >> 2 + 9 * self.lanes + 18 & 0xFFFF  # the place is there, if no beat
            self._early = Early({"early": 1, "begin_byte": 0, "length": size, **pulsed}, rng.random() < 0.1,
                                taken == len(self.told), rng.choice((1, 1, 40)))  # fmt: skip
            self.wanted.append((None, self._early.user))
        early = self._early
        items = self.ring.items
        if early and not early.placed and items and items[-1].user == early.user:
            early.placed = True
            self._early_due = self.cycle + early.wait
        dut.early_placed.value = int(self._early_due is not None and self.cycle >= self._early_due)
        if self._early_due is not None and self.cycle >= self._early_due:
            assert early is not None
            dut.early_error.value = int(early.error)
            self._early_due = None
        dut.early_valid.value = 0
        dut.early.value = rng.getrandbits(EARLY.bits)
        give = None
        if dut.ahead.value and rng.random() < self.early_rate and ARRIVAL.unpack(int(dut.arrival.value))["length"]:
            give = {"index": rng.getrandbits(10), "offset": rng.getrandbits(18)}
            dut.early_valid.value, dut.early.value = 1, EARLY.pack(**give)
        self._pulsed.append(give)

    def _end(self, stat: int) -> None:
        """A segment is counted: by the cause that it has."""
        (place,) = [i for i in range(6) if stat >> 5 - i & 1]
        data, source, bad = self.given[len(self.ends)]
        parsed = "bad" if bad else parse(data, source, bytes(map(int, OUR_IP.split("."))))
        if isinstance(parsed, str):
            assert STAT[place] == parsed, data.hex()
        else:
            assert STAT[place] in ("taken", "room"), (STAT[place], data.hex())
            if STAT[place] == "taken":
                self._expected.append((int.from_bytes(source, "big"), parsed))
        self.ends.append(STAT[place])
        if self._early and self._early.comes:
            self._early.comes, self._early.lost = False, STAT[place] != "taken"

    def _core(self) -> None:
        dut = self.dut
        if self._deciding:
            assert dut.decision_ready.value, "a decision is always taken"
            self._deciding = False
        dut.decision_valid.value = 0
        valid = int(dut.arrival_valid.value)
        now = int(dut.arrival.value) if valid else 0
        if self._offered is not None:
            assert valid and now == self._offered, "an arrival on offer changed"
        elif valid:
            self._valid_since = self.cycle
        self._offered = now if valid else None
        if valid and dut.arrival_ready.value:
            self._offered = None
            self._tell(now)
        dut.arrival_ready.value = int(not self.core_stall or self.rng.random() >= self.core_stall)
        if self._due and self._due[0] <= self.cycle:
            self._due.popleft()
            dut.decision.value = self._decisions.popleft()
            dut.decision_valid.value = 1
            self._deciding = True
            self.decided.append(self.cycle + 1)

    _decisions: deque[int]

    def _tell(self, now: int) -> None:
        source, (from_port, to_port, seen) = arrival(now)
        self.told.append(Told(source, (from_port, to_port, seen), self._valid_since))
        expected_source, expected = self._expected.popleft()
        assert (source, from_port, to_port, seen) == (expected_source, *expected[:3])
        place = self.decide(expected, self.rng)
        user = {"index": self.rng.getrandbits(10), "offset": self.rng.getrandbits(18)}
        early, right = self._early, False
        if early and not early.lost and not early.told:
            early.told = True
            assert not early.comes and early.user["length"] == len(expected[3])
            self.wanted[-1] = (expected[3], early.user)
            if self.rng.random() < self.early_hits:
                place, right = (0, len(expected[3])), not early.error
                user = {name: early.user[name] for name in ("index", "offset")}
                self._confirmed += right
            elif self.rng.random() < 0.3:  # nearly the same
                place = (0, len(expected[3]) - self.rng.getrandbits(1))
                user = {name: early.user[name] ^ self.rng.choice((0, 1)) for name in ("index", "offset")}
                right = not early.error and place[1] == len(expected[3])
                right = right and all(user[name] == early.user[name] for name in user)
                self._confirmed += right
        if place:
            user |= {"begin_byte": place[0], "length": place[1]}
            if place[1] and not right:
                self.wanted.append((expected[3][place[0] : sum(place)], {"early": 0, **user}))
        if not self._due:
            self._decisions = deque()
        self._decisions.append(DECISION.pack(place_valid=place is not None, **user))
        self._due.append(max(self.cycle + self.core_wait(), self._due[-1] + 1 if self._due else 0))

    def quiet(self) -> bool:
        """All that was given has ended, was told and decided."""
        return len(self.ends) == len(self.given) and not self._expected and not self._due

    async def drain(self) -> None:
        """To the end, where every wanted byte has come, once."""
        await self.run(lambda: self.quiet() and len(self.ring.items) >= len(self.wanted) and not self._early)
        await self.run(20)
        assert [got.user for got in self.ring.items] == [user for _, user in self.wanted]
        for got, (data, user) in zip(self.ring.items, self.wanted, strict=True):
            # Of one that is lost there is no more than it had.
            assert got.data == data if data is not None else len(got.data) <= user["length"]
        assert self.placed == self._confirmed and not self._early
        assert not self.dut.arrival_valid.value and not self.dut.payload.value & 1
        assert int(self.dut.free_q.value) == int(self.dut.write_q.value), "the buffer is empty"


async def receiver(dut: Any) -> Receiver:
    return await Receiver(dut).start()


def made(layer: TCP, *, source: str = PEER_IP) -> bytes:
    """The segment as Scapy sends it."""
    return bytes(IP(src=source, dst=OUR_IP, proto=6) / layer)[20:]


def summed(data: bytes, *, source: str = PEER_IP) -> bytes:
    """The same bytes with the right sum."""
    peer, ours = (bytes(map(int, end.split("."))) for end in (source, OUR_IP))
    data = data[:16] + bytes(2) + data[18:]
    return data[:16] + checksum(pseudo_header(peer, ours, PROTOCOL, len(data)) + data).to_bytes(2, "big") + data[18:]


def raw(options: bytes, payload: bytes = b"", *, flags: int = Flag.ACK, rng: random.Random, **rest: Any) -> bytes:
    """A segment with exactly these options, filled up with anything behind their end or no-operations."""
    fill = -len(options) % 4
    options += rng.choice((b"\1" * fill, (b"\0" + rng.randbytes(3))[:fill]))
    head = struct.pack("!HHIIBBHHH", rng.getrandbits(16), rng.getrandbits(16), rng.getrandbits(32), rng.getrandbits(32),
                       (5 + len(options) // 4) << 4 | rng.getrandbits(4), flags | rng.choice((0, 0x40, 0x80)),
                       rng.getrandbits(16), 0, rng.getrandbits(16))  # fmt: skip
    return summed(head + options + payload, **rest)


def step() -> int:
    return int(os.environ["STEP"])


# ---- Headers ---------------------------------------------------------------------------------------------------------


@cocotb.test()
async def scapys_options_in_any_order_and_alignment_are_known(dut: Any) -> None:
    rx = await receiver(dut)
    rng = rx.rng
    expected = []

    def put(options: list[Any], flags: str, **values: Any) -> None:
        head = {"seq": rng.getrandbits(32), "ack": rng.getrandbits(32), "window": rng.getrandbits(16)}
        ports = {"sport": rng.getrandbits(16), "dport": rng.getrandbits(16)}
        layer = TCP(**ports, **head, flags=flags, urgptr=rng.getrandbits(16), options=options)
        source = f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"
        payload = rng.randbytes(rng.choice((0, 1, 2, 9)))
        rx.give(made(layer / payload, source=source), source=source)
        seen = Arrival(**head, flags=int(layer.flags) & 63, length=len(payload), urgent=layer.urgptr, **values)
        expected.append((ip_number(source), ports["sport"], ports["dport"], seen))

    orders = list(itertools.permutations(("MSS", "WScale", "SAckOK", "Timestamp")))
    for order, before in itertools.product(orders[:: step()], range(5)):
        values = {"MSS": rng.getrandbits(16), "WScale": rng.getrandbits(8), "SAckOK": b"",
                  "Timestamp": (rng.getrandbits(32), rng.getrandbits(32))}  # fmt: skip
        options = [("NOP", None)] * before + [(name, values[name]) for name in order]
        put(options, "S", mss=values["MSS"], scale=values["WScale"], sack_permitted=True, stamp=values["Timestamp"])
        put(options, "PA", stamp=values["Timestamp"])
    for count, before, stamped in itertools.product(range(1, 5), range(5), (False, True)):
        if 2 + 8 * count + before + 10 * stamped > 40:
            continue
        ends = [rng.getrandbits(32) for _ in range(2 * count)]
        stamp = (rng.getrandbits(32), rng.getrandbits(32))
        options = [("NOP", None)] * before + [("SAck", tuple(ends))] + [("Timestamp", stamp)] * stamped
        put(options, "A", sack=tuple(zip(ends[::2], ends[1::2], strict=True)), stamp=stamp if stamped else None)
    for length in range(11):  # every header length
        put([("NOP", None)] * (4 * length), rng.choice(("A", "S", "FA", "R", "UA")))
    put([(253, b"12345")] * 2, "S")
    await rx.drain()
    assert [(one.source, *one.parsed) for one in rx.told] == expected


@cocotb.test()
async def an_impossible_length_anywhere_does_no_harm(dut: Any) -> None:
    rx = await receiver(dut)
    rng = rx.rng
    cases = list(itertools.product((0, 1, 2, 3, 4, 5, 8, 253), range(44), range(6), (Flag.SYN, Flag.ACK)))
    rng.shuffle(cases)
    for kind, length, before, flags in cases[:: step()]:
        options = b"\2\4\5\xb4"[: rng.choice((0, 4))] + b"\1" * before + bytes((kind, length))
        size = rng.choice((len(options), min(40, len(options) + length - 2), 40))
        options = (options + rng.randbytes(40))[: max(size, len(options))]
        rx.give(raw(options, rng.randbytes(rng.randrange(12)), flags=flags, rng=rng))
    rx.give(raw(b"\1\1\1\2", flags=Flag.SYN, rng=rng))  # the header ends before the length does
    await rx.drain()
    assert rx.ends.count("taken") == len(rx.given)


# ---- Payloads --------------------------------------------------------------------------------------------------------


@cocotb.test()
async def payloads_of_every_length_come_whole(dut: Any) -> None:
    rx = await receiver(dut)
    rng = rx.rng
    lengths = [*range(40), *range(40, 1461, step()), *range(1453, 1461)]
    for length in lengths:
        rx.give(raw(b"\1" * (4 * rng.randrange(11)), rng.randbytes(length), rng=rng))
    rx.net.gap = lambda item: len(item.data) // 4  # as fast as all find room
    await rx.drain()
    assert [one.parsed[2].length for one in rx.told] == lengths


@cocotb.test()
async def any_bytes_of_a_payload_come_alone(dut: Any) -> None:
    rx = await receiver(dut)
    cut = [(begin, length) for begin in range(18) for length in range(20)]
    wanted = iter([(begin, length, words) for words in (0, 1) for begin, length in cut[:: step()]])

    def decide(parsed: Parsed, rng: random.Random) -> tuple[int, int]:
        begin, length, _ = next(wanted)
        return begin, length

    rx.decide = decide
    rx.net.gap = lambda item: 30
    for words in (0, 1):
        for begin, length in cut[:: step()]:
            size = begin + length + rx.rng.choice((0, 1, 8))
            rx.give(raw(b"\1" * 4 * words, rx.rng.randbytes(size), rng=rx.rng))
    await rx.drain()
    assert len(rx.told) == len(rx.given)


# ---- What is dropped, and why ----------------------------------------------------------------------------------------


@cocotb.test()
async def what_is_bad_is_dropped_with_one_cause(dut: Any) -> None:
    rx = await receiver(dut)
    rng = rx.rng
    good = raw(b"\1" * 4, rng.randbytes(13), rng=rng)
    for bad in (False, True):
        rx.give(good, bad=bad)
        for at in range(len(good)):  # every wrong byte is seen, as what it is
            rx.give(good[:at] + bytes((good[at] ^ 1 << rng.randrange(8),)) + good[at + 1 :], bad=bad)
        for length in range(26):
            rx.give(summed(good[:length]) if length >= 18 else good[:length], bad=bad)
        for offset, length in itertools.product(range(16), (20, 23, 24, 25, 40, 59, 60, 61, 64)):
            data = rng.randbytes(12) + bytes((offset << 4 | rng.getrandbits(4),)) + rng.randbytes(length - 13)
            rx.give(summed(data), bad=bad)
            rx.give(data, bad=bad)
    rx.give(good)
    await rx.drain()
    assert set(rx.ends) == {"taken", "bad", "short", "offset", "checksum"}
    assert rx.ends.count("taken") == len(rx.told) and rx.ends[-1] == "taken"


@cocotb.test()
async def a_full_buffer_drops_and_counts_and_net_never_waits(dut: Any) -> None:
    rx = await receiver(dut)
    rx.net.gap = lambda item: 0
    rng = rx.rng
    size = int(os.environ["BYTES"])
    for length in (172, 0):
        words = -(-(20 + length) // rx.lanes)
        most = min(size // (words * rx.lanes), 32)
        rx.core_stall = 1.0
        del rx.given[:], rx.ends[:], rx.told[:], rx.wanted[:], rx.ring.items[:]
        for _ in range(2 * most + 40):
            rx.give(raw(b"", rng.randbytes(length), rng=rng))
        rx.give(raw(b"", rng.randbytes(size), rng=rng))  # it never fits
        await rx.run(lambda: len(rx.ends) == len(rx.given))
        kept = rx.ends.count("taken")
        assert most <= kept <= most + 1 and rx.ends == ["taken"] * kept + ["room"] * (len(rx.ends) - kept)
        rx.core_stall = 0.0
        await rx.run(lambda kept=kept: len(rx.told) == kept and rx.quiet())
        rx.give(raw(b"", b"last", rng=rng))
        await rx.drain()
        assert len(rx.told) == kept + 1, "there is room again"


@cocotb.test()
async def a_decision_may_be_long_in_coming(dut: Any) -> None:
    """Arrivals are told of until as many are undecided as decisions find room; the core may then say all at once."""
    rx = await receiver(dut)
    for _ in range(20):
        rx.give(raw(b"", rx.rng.randbytes(5), rng=rx.rng))
    rx.core_wait = lambda: 400 - rx.cycle
    rx.ring.stall = 0.9
    await rx.run(390)
    assert 8 <= len(rx.told) <= 9
    await rx.drain()
    assert len(rx.told) == 20


@cocotb.test()
async def any_segments_between_any_stalls_as_the_model_says(dut: Any) -> None:
    rx = await receiver(dut)
    rng = rx.rng
    size = int(os.environ["BYTES"])
    rx.decide = anything
    for round in range(int(os.environ["ROUNDS"])):
        rx.early_rate = (0.3, 0.02, 0.0, 1.0)[round % 4]
        rx.net.stall = rng.choice((0.0, 0.0, 0.3, 0.8))
        gap = rng.choice((0, 20, 100))
        rx.net.gap = lambda item, gap=gap: rng.randrange(gap + 1)
        rx.core_stall = rng.choice((0.0, 0.5, 0.95))
        wait = rng.choice((1, 8, 60))
        rx.core_wait = lambda wait=wait: rng.randrange(wait)
        rx.ring.stall = rng.choice((0.0, 0.5, 0.9))
        for _ in range(60):
            rx.give(*any_segment(rng, size))
            if rng.random() < 0.1:
                rx.given[-1] = (*rx.given[-1][:2], True)
                rx.net.items[-1].bad = True
        await rx.run(rx.quiet)
    await rx.drain()
    assert set(rx.ends) == set(STAT), "every end was there"
    assert set(rx.early_ends) >= {(False, False), (True, False)}, "early ones were there, lost ones too"


def any_segment(rng: random.Random, size: int) -> tuple[bytes]:
    """Nearly all that can be, good more often than not."""
    options = b""
    while rng.random() < 0.6 and len(options) < 30:
        options += rng.choice((b"\1", b"\2\4" + rng.randbytes(2), b"\3\3" + rng.randbytes(1), b"\4\2",
                               b"\x08\x0a" + rng.randbytes(8), b"\5\x0a" + rng.randbytes(8),
                               b"\5\x12" + rng.randbytes(16), b"\xfd\5abc", rng.randbytes(3)))  # fmt: skip
    length = rng.choice((0, 0, 1, rng.randrange(20), rng.randrange(100), rng.randrange(size)))
    flags = rng.choice((Flag.ACK, Flag.SYN, rng.getrandbits(6)))
    data = raw(options[:40], rng.randbytes(length), flags=flags, rng=rng)
    match rng.randrange(16):
        case 0:
            data = data[: rng.randrange(1, 30)]
        case 1:
            data = data[: rng.randrange(1, len(data) + 1)]
            data = summed(data) if len(data) >= 18 else data
        case 2:
            data = summed(data[:12] + rng.randbytes(1) + data[13:])
        case 3:
            at = rng.randrange(len(data))
            data = data[:at] + rng.randbytes(1) + data[at + 1 :]
    return (data,)


# ---- Time ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def an_arrival_is_three_cycles_behind_the_last_beat_and_a_byte_of_options_one_more(dut: Any) -> None:
    rx = await receiver(dut)
    stamp = b"\1\1\x08\x0a" + bytes(8)
    cases = ((b"", 0), (b"", 4), (b"", 100), (stamp, 0), (stamp, 1448), (b"\1" * 40, 0))
    # Above 64 bits a header in the last beats is read behind the verdict.
    cycles = {8: [3, 3, 3, 14, 3, 38], 16: [7, 7, 4, 19, 4, 45], 32: [9, 9, 6, 21, 5, 48], 64: [9, 9, 8, 21, 5, 49]}
    rx.net.gap = lambda item: 600
    for options, length in cases:
        rx.give(raw(options, bytes(length), rng=rx.rng))
    await rx.drain()
    assert [told.cycle - last for told, last in zip(rx.told, rx.ended, strict=True)] == cycles[rx.lanes]
    behind = [one.first - at for one, at in zip(rx.ring.items, [rx.decided[i] for i in (1, 2, 4)], strict=True)]
    assert behind == [5, 5, 5], "payload behind the decision"
    assert all(one.last - one.first == (len(one.data) - 1) // rx.lanes for one in rx.ring.items), "a beat a cycle"


@cocotb.test()
async def an_early_payload_is_in_the_ring_soon_behind_its_last_beat(dut: Any) -> None:
    rx = await receiver(dut)
    rx.early_rate, rx.early_hits = 1.0, 1.0
    rx.net.gap = lambda item: 600
    rx.core_wait = lambda: 60
    lengths = (40, 41, 100, 1448)
    for length in lengths:
        rx.give(raw(b"", bytes(length), rng=rx.rng))
    await rx.drain()
    early = {len(got.data): got.last for got in rx.ring.items if got.user["early"]}
    behind = [early[length] - last for length, last in zip(lengths, rx.ended, strict=True) if length in early]
    dut._log.info("%d bits: %s", 8 * rx.lanes, behind)
    assert max(behind) <= {8: 7, 16: 11, 32: 13, 64: 13}[rx.lanes], behind
    # With a header in the last beats the decision is as soon as that.
    assert len(behind) >= {8: 4, 16: 2, 32: 1, 64: 1}[rx.lanes]


@cocotb.test()
async def small_segments_pass_one_each_twelve_cycles(dut: Any) -> None:
    """Eight cycles of the core each; with timestamps one each 24: the line of 1 Gb/s has one each 84, 90."""
    rx = await receiver(dut)
    busy = [0]

    def core() -> int:
        busy[0] = max(busy[0], rx.cycle) + 8
        return busy[0] - rx.cycle

    rx.core_wait = core
    for options, pitch in ((b"", 12), (b"\1\1\x08\x0a" + bytes(8), 24)):
        for length in (0, 6):
            rx.net.gap = lambda item, pitch=pitch: pitch
            count = len(rx.given) + 200
            for _ in range(200):
                rx.give(raw(options, rx.rng.randbytes(length), rng=rx.rng))
            await rx.run(lambda count=count: len(rx.ends) == count)
            await rx.run(40)
            assert len(rx.told) == count, "none waits"
    await rx.drain()
    assert rx.ends == ["taken"] * len(rx.given)


@cocotb.test()
async def what_is_ahead_has_its_own_sender(dut: Any) -> None:
    """Also while the next segment comes in behind it."""
    rx = await receiver(dut)
    rx.sees_ahead = True
    rx.net.gap = lambda item: 0
    for _ in range(60):
        source = f"10.{rx.rng.randrange(256)}.{rx.rng.randrange(256)}.{rx.rng.randrange(1, 255)}"
        data = rx.rng.randbytes(rx.lanes * rx.rng.randrange(3, 9))
        rx.give(raw(b"", data, rng=rx.rng, source=source), source=source)
    await rx.drain()
    assert rx.seen_ahead > 10


@cocotb.test()
async def full_segments_pass_at_a_word_a_cycle(dut: Any) -> None:
    """In: without a gap where the stream is wide. Out: 4 cycles between two payloads, one more for a header."""
    rx = await receiver(dut)
    rx.net.gap = lambda item: 0
    for _ in range(8):
        rx.give(raw(b"", rx.rng.randbytes(1448), rng=rx.rng))
    await rx.drain()
    words = -(-1468 // rx.lanes)
    pitch = [b - a for a, b in itertools.pairwise(rx.ended)]
    assert max(pitch) <= words + (2 if rx.lanes == 8 else 0), pitch
    reads = 3 if rx.lanes == 8 else -(-24 // rx.lanes)  # of the header
    pitch = [b.last - a.last for a, b in itertools.pairwise(rx.ring.items)]
    dut._log.info("%d bits: a payload of 1448 bytes each %s cycles", 8 * rx.lanes, pitch)
    assert sum(pitch) <= (-(-1448 // rx.lanes) + 4 + reads) * len(pitch), pitch


# ---- pytest ----------------------------------------------------------------------------------------------------------


def bench(
    case: str, *, size: int = 16384, width: int = 64, seed: int = 1, covers: Sequence[str] = (), **env: int
) -> None:
    extra = {name: str(value) for name, value in {"BYTES": size, "STEP": 1, **env}.items()}
    run_bench("tcp_rx", {"BYTES": size, "WIDTH": width}, testcase=case, seed=seed, extra_env=extra, covers=covers)


@pytest.mark.parametrize("every", some([3], [1]))
def test_headers_with_options_of_any_order_and_alignment_are_taken_apart(every: int) -> None:
    bench("scapys_options_in_any_order_and_alignment_are_known", STEP=every)


@pytest.mark.parametrize("every", some([29], [1]))
def test_an_impossible_option_length_in_hardware_does_no_harm(every: int) -> None:
    bench("an_impossible_length_anywhere_does_no_harm", STEP=every)


@pytest.mark.slow
@pytest.mark.parametrize("every", some([97], [1]))
def test_payloads_of_every_length_and_cut_arrive(every: int) -> None:
    bench("payloads_of_every_length_come_whole", STEP=every)
    bench("any_bytes_of_a_payload_come_alone", STEP=min(every, 7))


def test_each_bad_segment_is_dropped_with_one_cause() -> None:
    bench("what_is_bad_is_dropped_with_one_cause")


@pytest.mark.slow
@pytest.mark.parametrize("size", [512, 16384])
def test_a_full_buffer_drops_and_never_stops_the_line(size: int) -> None:
    bench("a_full_buffer_drops_and_counts_and_net_never_waits", size=size)


@pytest.mark.slow
def test_decisions_may_come_late_and_all_at_once() -> None:
    bench("a_decision_may_be_long_in_coming")


@pytest.mark.slow
def test_arrivals_and_payloads_come_in_time() -> None:
    bench("an_arrival_is_three_cycles_behind_the_last_beat_and_a_byte_of_options_one_more")
    bench("an_early_payload_is_in_the_ring_soon_behind_its_last_beat")
    bench("small_segments_pass_one_each_twelve_cycles")
    bench("full_segments_pass_at_a_word_a_cycle")
    bench("what_is_ahead_has_its_own_sender")


COVERS = ("tcp_rx.c_full", "tcp_rx.c_early_bad", "tcp_rx.c_early_other", "tcp_rx.c_early_right")


@pytest.mark.parametrize("seed", seeds(2, 40))
def test_any_segments_come_as_the_model_says(seed: int) -> None:
    covers = COVERS if seed == 1 else ()
    bench("any_segments_between_any_stalls_as_the_model_says", size=512, seed=seed, covers=covers, ROUNDS=4)


# ---- Wider beats -----------------------------------------------------------------------------------------------------

WIDE = some([128, 512], [256])


def test_any_segments_in_512_bit_beats_come_as_the_model_says() -> None:
    bench("any_segments_between_any_stalls_as_the_model_says", size=2048, width=512, seed=50, ROUNDS=4)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
@pytest.mark.parametrize("seed", seeds(2, 20))
def test_any_segments_in_wide_beats_come_as_the_model_says(width: int, seed: int) -> None:
    for size in (512, 2048):
        bench("any_segments_between_any_stalls_as_the_model_says", size=size, width=width, seed=seed, ROUNDS=8)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
def test_headers_in_wide_beats_are_taken_apart(width: int) -> None:
    bench("scapys_options_in_any_order_and_alignment_are_known", width=width, STEP=3)
    bench("an_impossible_length_anywhere_does_no_harm", width=width, STEP=29)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
@pytest.mark.parametrize("every", some([97], [1]))
def test_payloads_of_every_length_and_cut_arrive_in_wide_beats(width: int, every: int) -> None:
    bench("payloads_of_every_length_come_whole", width=width, STEP=every)
    bench("any_bytes_of_a_payload_come_alone", width=width, STEP=min(every, 7))


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
def test_each_bad_segment_in_wide_beats_is_dropped_with_one_cause(width: int) -> None:
    bench("what_is_bad_is_dropped_with_one_cause", width=width)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
def test_a_full_wide_buffer_drops_and_never_stops_the_line(width: int) -> None:
    for size in (512, 16384):
        bench("a_full_buffer_drops_and_counts_and_net_never_waits", size=size, width=width)
    bench("a_decision_may_be_long_in_coming", width=width)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDE)
def test_arrivals_and_payloads_in_wide_beats_come_in_time(width: int) -> None:
    bench("an_arrival_is_three_cycles_behind_the_last_beat_and_a_byte_of_options_one_more", width=width)
    bench("an_early_payload_is_in_the_ring_soon_behind_its_last_beat", width=width)
    bench("small_segments_pass_one_each_twelve_cycles", width=width)
    bench("full_segments_pass_at_a_word_a_cycle", width=width)
    bench("what_is_ahead_has_its_own_sender", width=width)
