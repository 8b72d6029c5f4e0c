# SPDX-License-Identifier: Apache-2.0
"""tcp_tx: what the core tells to send in, segments and turns out.

What is right says Scapy, and `wire.build`, the specification's writer. Turns are compared with the
set of those who want one.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from drivers import Channel
from net_hw import OUR_IP, TCP_TX_USER, Layout, Sink, ip_number
from runs import some
from scapy.layers.inet import IP, TCP
from tcp.events import Flag, Send
from tcp.record import NEAR, WORD
from tcp.wire import build

pytestmark = pytest.mark.slow

SEND = {"seq": 32, "ack": 32, "flags": 6, "window": 16, "offset": 18, "length": 16, "urgent": 16,
        "mss_valid": 1, "mss": 16, "scale_valid": 1, "scale": 2, "sack_permitted": 1, "stamp_valid": 1, "stamp": 32,
        "echo": 32, "blocks": 3, "block_3": 40, "block_2": 40, "block_1": 40, "block_0": 40,
        "again": 1, "ttl": 8, "dscp": 6, "df": 1}  # fmt: skip
TOLD = Layout(kind=3, index=10, nobody=1, address=32, peer_port=16, port=16, delivered=1, send_valid=1, **SEND,
              place_valid=1, place=50, notify=9, schedule=1, act=2, chain=2, pool=1, answer=2, drop=4,
              received=32, acknowledged=32, all_read=1)  # fmt: skip
FETCH = Layout(index=10, offset=18, length=16)
NEAR_MASK = (1 << NEAR) - 1
ARRIVAL, SPAWN, LEAVE, TIMER, TURN, COMMAND, ICMP = range(7)
SENT, AGAIN, DROPPED = 4, 2, 1
EVENT = 8
"""Cycles of the core for an event."""

Ends = tuple[int, int, int]
"""The peer's address and port, our port."""


@dataclass
class Segment:
    """A send and what is beside it."""

    send: Send
    payload: bytes = b""
    ttl: int = 64
    dscp: int = 0
    refused: bool = False
    """Memory gives an error."""


@dataclass
class Event:
    """Something that the core does; `nobody` has no index."""

    kind: int
    index: int = 0
    segment: Segment | None = None
    schedule: bool = False
    ends: Ends | None = None
    """Of the sender of an arrival."""
    nobody: bool = False


@dataclass
class Due:
    """A segment that is to come."""

    data: bytes
    user: dict[str, int]
    again: bool
    refused: bool


def expected(segment: Segment, ends: Ends) -> tuple[bytes, dict[str, int]]:
    """The segment, as wire.py and Scapy make it, and what net is told."""
    address, peer_port, port = ends
    destination = address.to_bytes(4, "big")
    send = segment.send
    data = build(send, (bytes(map(int, OUR_IP.split("."))), port), (destination, peer_port), segment.payload)
    options: list[Any] = []
    if send.mss is not None:
        options += [("MSS", send.mss)]
    if send.scale is not None:
        options += [("NOP", None), ("WScale", send.scale)]
    if send.sack_permitted:
        options += [("NOP", None), ("NOP", None), ("SAckOK", b"")]
    if send.stamp is not None:
        options += [("NOP", None), ("NOP", None), ("Timestamp", send.stamp)]
    if send.sack:
        options += [("NOP", None), ("NOP", None), ("SAck", tuple(itertools.chain(*send.sack)))]
    layer = TCP(sport=port, dport=peer_port, seq=send.seq, ack=send.ack, flags=send.flags, window=send.window,
                urgptr=send.urgent, options=options)  # fmt: skip
    head = IP(src=OUR_IP, dst=".".join(map(str, destination)), proto=6)
    assert data == bytes(head / layer / segment.payload)[20:], "the two references differ"
    return data, {"destination": address, "length": len(data), "ttl": segment.ttl, "tos": segment.dscp << 2,
                  "df": int(send.df), "steady": 1}  # fmt: skip


class Rings:
    """Answers fetches, in order, from what was told; a beat a cycle unless it stalls."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.due: deque[tuple[dict[str, int], Segment]] = deque()
        self.stall = self.fetch_stall = 0.0
        self.latency: Callable[[], int] = lambda: 0
        self.first: list[int] = []
        """The cycle in which a fetch is seen first."""
        self.last: list[int] = []
        """The cycle of a payload's last beat."""
        self._channel = Channel("fetch")
        self._open: deque[tuple[int, Segment]] = deque()
        self._beats: deque[tuple[int, int]] = deque()
        self._offered = self._seen = False
        self._bits = len(dut.fetched)
        dut.fetched.value = dut.fetched_error.value = dut.fetched_valid.value = dut.fetch_ready.value = 0

    def step(self, cycle: int, rng: random.Random) -> None:
        dut = self.dut
        valid, ready = int(dut.fetch_valid.value), int(dut.fetch_ready.value)
        fetch = int(dut.fetch.value) if valid else 0
        self._channel.see(valid, ready, fetch)
        if valid and not self._seen:
            self.first.append(cycle)
        self._seen = bool(valid and not ready)
        if valid and ready:
            wanted, segment = self.due.popleft()
            assert FETCH.unpack(fetch) == wanted
            self._open.append((cycle + self.latency(), segment))
        dut.fetch_ready.value = int(len(self._open) < 3 and rng.random() >= self.fetch_stall)
        if self._offered and dut.fetched_ready.value:
            self._beats.popleft()
            self._offered = False
            if not self._beats:
                self.last.append(cycle)
        if self._offered:
            return
        if not self._beats and self._open and self._open[0][0] <= cycle:
            self._beats.extend(self._words(self._open.popleft()[1], rng))
        before = int(dut.fetched_valid.value)
        self._offered = bool(self._beats) and rng.random() >= self.stall
        dut.fetched_valid.value = int(self._offered)
        if self._offered:
            dut.fetched.value, dut.fetched_error.value = self._beats[0]
        elif before:
            dut.fetched.value, dut.fetched_error.value = rng.getrandbits(self._bits), rng.getrandbits(1)

    def _words(self, segment: Segment, rng: random.Random) -> list[tuple[int, int]]:
        """{tlast, tdata, tkeep} and error. Behind the end is anything, and error counts with the last beat alone."""
        words = []
        data = segment.payload
        if segment.refused:  # fewer beats may come
            data = rng.randbytes(rng.randrange(1, len(data) + 1))
        size = self._bits // 9  # bytes of a beat
        full = (1 << size) - 1
        for at in range(0, len(data), size):
            part, last = data[at : at + size], at + size >= len(data)
            lanes = int.from_bytes(part + rng.randbytes(size - len(part)), "big")
            error = int(segment.refused) if last else rng.getrandbits(1)
            words.append(((last << 8 * size | lanes) << size | full & ~(full >> len(part)), error))
        return words

    def quiet(self) -> bool:
        return not self.due and not self._open and not self._beats


class Table:
    """tcp_table's port: low for two cycles at most, the answer two cycles behind."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.ends: dict[int, Ends] = {}
        self.slow = 0.0
        self._answers: deque[tuple[int, Ends]] = deque()
        self._answered = False
        self._low = 0
        self._channel = Channel("read")
        dut.read_ready.value, dut.ends_valid.value, dut.ends.value = 1, 0, 0

    def step(self, cycle: int, rng: random.Random) -> None:
        dut = self.dut
        valid, ready = int(dut.read_valid.value), int(dut.read_ready.value)
        index = int(dut.read_index.value) if valid else 0
        self._channel.see(valid, ready, index)
        if valid and ready:
            self._answers.append((cycle + 1, self.ends[index]))
        self._low = 0 if ready else self._low + 1
        dut.read_ready.value = int(self._low == 2 or rng.random() >= self.slow)
        answers = bool(self._answers) and self._answers[0][0] == cycle
        if answers or self._answered:
            dut.ends_valid.value = int(answers)
            address, peer_port, port = self._answers.popleft()[1] if answers else (rng.getrandbits(32), 1, 2)
            dut.ends.value = address << 32 | peer_port << 16 | port
        self._answered = answers


@dataclass
class Wish:
    """A connection that wants a turn."""

    since: int
    others: Counter[int] = field(default_factory=Counter)
    """Whose turns began meanwhile."""


class Transmitter:
    """tcp_tx between the core, the table, the rings and net."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.cycle = 0
        self.net = Sink(dut, "segment", TCP_TX_USER)
        self.rings, self.table = Rings(dut), Table(dut)
        self.count = int(os.environ["CONNECTIONS"])
        for index in range(self.count):
            self.table.ends[index] = self.any_ends()
        self.events: deque[Event] = deque()
        self.turn: Callable[[int], tuple[Segment | None, bool]] = lambda index: (None, False)
        self.core_stall = 0.0
        """How often it does not look for an event."""
        self.core_delay: Callable[[], int] = lambda: EVENT
        self.due: list[Due] = []
        self.ended = 0
        """Of these have been counted."""
        self.told: list[int] = []
        """The cycles of segments."""
        self.turns: list[int] = []
        self.wishes: dict[int, Wish] = {}
        self.counts = Counter[str]()
        self.gap: Callable[[int], int] = lambda size: 0
        """Cycles in which net takes nothing, behind a segment of so many bytes."""
        self._under_way: deque[tuple[int, Event]] = deque()
        self._next_begin = 0
        self._telling: Event | None = None
        self._turn_channel = Channel("turn")
        self._offered = False
        self._turn_begun: int | None = None
        self._seen = 0
        self._deaf_until = 0
        assert len(dut.told) == TOLD.bits
        dut.told.value = dut.told_valid.value = dut.turn_ready.value = 0

    def any_ends(self) -> Ends:
        return self.rng.getrandbits(32), self.rng.getrandbits(16), self.rng.getrandbits(16)

    async def start(self) -> Transmitter:
        dut = self.dut
        dut.address.value = ip_number(OUR_IP)
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        return self

    def answer(self, segment: Segment, **rest: Any) -> None:
        """To an arrival."""
        self.events.append(Event(ARRIVAL, segment=segment, ends=self.any_ends(), **rest))

    async def run(self, until: Callable[[], bool] | int, limit: int = 100_000) -> None:
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
        self.net.step(self.cycle, rng)
        for got in self.net.items[self._seen :]:
            self._deaf_until = self.cycle + self.gap(len(got.data))
        self._seen = len(self.net.items)
        if self.cycle < self._deaf_until:
            dut.segment_ready.value = 0
        self.rings.step(self.cycle, rng)
        self.table.step(self.cycle, rng)
        self._count(int(dut.stat.value))
        self._turns()
        self._tell()
        self._begin()

    # ---- The core

    def _begin(self) -> None:
        dut, rng = self.dut, self.rng
        dut.turn_ready.value = 0
        may = bool(dut.room.value) and len(self._under_way) < 2 and self._next_begin <= self.cycle
        if not may or rng.random() < self.core_stall:
            return
        if self.events:
            self._start(self.events.popleft())
        else:
            dut.turn_ready.value = 1

    def _start(self, event: Event) -> None:
        last = self._under_way[-1][0] if self._under_way else max(self.told[-1:], default=0)
        self._under_way.append((max(self.cycle + self.core_delay(), last + EVENT), event))
        self._next_begin = self.cycle + EVENT

    def _tell(self) -> None:
        dut, rng = self.dut, self.rng
        if self._telling is not None:  # it has just been told
            self._noted(self._telling)
            self._telling = None
            dut.told_valid.value = 0
            dut.told.value = rng.getrandbits(TOLD.bits)
        if self._under_way and self._under_way[0][0] <= self.cycle:
            event = self._under_way.popleft()[1]
            if event.kind == TURN:
                event.segment, event.schedule = self.turn(event.index)
                self._turn_begun = None
            self._telling = event
            self.told.append(self.cycle)
            dut.told.value = self._pack(event)
            dut.told_valid.value = 1
            if event.segment:
                self._expect(event, event.segment)

    def _pack(self, event: Event) -> int:
        rng = self.rng
        ends = event.ends or self.any_ends()
        values = {"kind": event.kind, "index": event.index if not event.nobody else rng.getrandbits(10),
                  "nobody": event.nobody, "address": ends[0], "peer_port": ends[1], "port": ends[2],
                  "schedule": event.schedule if not event.nobody else rng.getrandbits(1), "send_valid": 0}  # fmt: skip
        values |= {name: rng.getrandbits(width) for name, width in SEND.items()}
        if event.segment:
            send = event.segment.send
            values |= {"send_valid": 1, "seq": send.seq, "ack": send.ack, "flags": send.flags, "window": send.window,
                       "offset": send.offset, "length": send.length, "urgent": send.urgent, "again": send.again,
                       "sack_permitted": send.sack_permitted, "blocks": len(send.sack),
                       "mss_valid": send.mss is not None, "scale_valid": send.scale is not None,
                       "stamp_valid": send.stamp is not None, "ttl": event.segment.ttl,
                       "dscp": event.segment.dscp, "df": send.df}  # fmt: skip
            if send.mss is not None:
                values["mss"] = send.mss
            if send.scale is not None:
                values["scale"] = send.scale
            if send.stamp is not None:
                values["stamp"], values["echo"] = send.stamp
            for i, (begin, end) in enumerate(send.sack):
                values[f"block_{i}"] = (begin & NEAR_MASK) << NEAR | end & NEAR_MASK
        values |= {name: rng.getrandbits(TOLD.widths[name]) for name in ("notify", "drop", "received")}
        return TOLD.pack(**values)

    def _expect(self, event: Event, segment: Segment) -> None:
        ends = event.ends if event.kind == ARRIVAL else self.table.ends[event.index]
        assert ends is not None
        send = segment.send
        data, user = expected(segment, ends)
        self.due.append(Due(data, user, send.again, segment.refused))
        if send.length:
            where = {"index": event.index, "offset": send.offset, "length": send.length}
            self.rings.due.append((where, segment))

    # ---- What comes of it

    def _count(self, stat: int) -> None:
        if not stat:
            return
        due = self.due[self.ended]
        assert stat == (DROPPED if due.refused else SENT | due.again * AGAIN)
        self.ended += 1
        self.counts["refused" if due.refused else "sent"] += 1
        self.counts["again"] += stat >> 1 & 1

    def _turns(self) -> None:
        dut = self.dut
        valid, ready = int(dut.turn_valid.value), int(dut.turn_ready.value)
        index = int(dut.turn_index.value) if valid else 0
        self._turn_channel.see(valid, ready, index)
        if valid and not self._offered:
            assert self._turn_begun is None, "two turns at once"
            assert index in self.wishes, "a turn that nobody wants"
            self.turns.append(self.cycle)
            for other, wish in self.wishes.items():
                if other != index:
                    wish.others[index] += 1
                    assert wish.others[index] == 1, f"{index} had two turns while {other} waited"
            self.wishes[index] = Wish(self.cycle)
        self._offered = bool(valid and not ready)
        if valid and ready:
            self._turn_begun = index
            self._start(Event(TURN, index))

    def _noted(self, event: Event) -> None:
        if event.nobody:
            return
        if not event.schedule:
            self.wishes.pop(event.index, None)
        elif event.index not in self.wishes:
            self.wishes[event.index] = Wish(self.cycle)

    def quiet(self) -> bool:
        """All that the core has was told."""
        return not self.events and not self._under_way and self._telling is None

    async def drain(self) -> None:
        """To the end, where every segment has come, once."""
        await self.run(self.quiet)
        await self.run(3)
        await self.run(lambda: self.quiet() and bool(self.dut.idle.value))
        await self.run(40)
        assert self.dut.idle.value and not self.wishes and self.rings.quiet()
        assert self.ended == len(self.due) and len(self.net.items) == self.counts["sent"]
        sent = [due for due in self.due if not due.refused]
        for got, due in zip(self.net.items, sent, strict=True):
            assert (got.data.hex(), got.user, got.bad) == (due.data.hex(), due.user, False)


async def transmitter(dut: Any) -> Transmitter:
    return await Transmitter(dut).start()


def any_send(rng: random.Random, length: int = 0, **values: Any) -> Segment:
    """All that is not said is random, without options. `sack` is told as bytes behind the acknowledgement."""
    head: dict[str, Any] = {
        "seq": rng.getrandbits(32), "ack": rng.getrandbits(32), "flags": rng.getrandbits(6),
        "window": rng.getrandbits(16), "offset": rng.getrandbits(18), "urgent": rng.getrandbits(16),
        "again": rng.random() < 0.3, "df": rng.random() < 0.7,
    }  # fmt: skip
    payload = rng.choice((rng.randbytes, rng.randbytes, rng.randbytes, bytes, lambda n: b"\xff" * n))(length)
    head |= {"length": length, **values}
    sack = tuple(tuple((head["ack"] + behind) % WORD for behind in block) for block in head.get("sack", ()))
    send = Send(**{**head, "sack": sack})
    return Segment(send, payload, ttl=rng.getrandbits(8), dscp=rng.getrandbits(6))


def options(rng: random.Random, mss: int, scale: int, permitted: int, stamp: int, blocks: int) -> dict[str, Any]:
    return {"mss": rng.getrandbits(16) if mss else None, "scale": rng.getrandbits(2) if scale else None,
            "sack_permitted": bool(permitted), "stamp": (rng.getrandbits(32), rng.getrandbits(32)) if stamp else None,
            "sack": tuple((rng.getrandbits(NEAR), rng.getrandbits(NEAR)) for _ in range(blocks))}  # fmt: skip


FITTING = [chosen for chosen in itertools.product((0, 1), (0, 1), (0, 1), (0, 1), range(5))
           if sum(chosen[:3]) + 3 * chosen[3] + (1 + 2 * chosen[4] if chosen[4] else 0) <= 10]  # fmt: skip
STAMPED = (0, 0, 0, 1, 0)


def step() -> int:
    return int(os.environ["STEP"])


# ---- Segments --------------------------------------------------------------------------------------------------------


@cocotb.test()
async def every_set_of_options_stands_as_scapy_has_it(dut: Any) -> None:
    tx = await transmitter(dut)
    for chosen in FITTING:
        for length in (0, *tx.rng.sample(range(1, 20), 3)):
            tx.answer(any_send(tx.rng, length, **options(tx.rng, *chosen)))
    await tx.drain()


@cocotb.test()
async def payloads_of_every_length_leave_whole(dut: Any) -> None:
    tx = await transmitter(dut)
    for length in [*range(34), *range(34, 1461, step()), *range(1453, 1461)]:
        chosen = tx.rng.choice(FITTING)
        tx.answer(any_send(tx.rng, length, **options(tx.rng, *chosen)))
        tx.answer(any_send(tx.rng, length, **options(tx.rng, *tx.rng.choice([(0,) * 5, STAMPED]))))
    tx.answer(any_send(tx.rng, 2048 - 60, **options(tx.rng, 0, 0, 0, 1, 3)))
    tx.answer(any_send(tx.rng, 2048 - 20))
    await tx.drain()


@cocotb.test()
async def sums_that_come_out_as_zero_or_nearly_so_are_right(dut: Any) -> None:
    """The last word of a payload, or the urgent pointer, makes the sum what it is to be."""
    tx = await transmitter(dut)
    rng = tx.rng
    wanted = (0x0000, 0xFFFE, 0x0001, 0xFF00, 0x00FF, 0x8000, 0x7FFF)
    for sum_, length, chosen in itertools.product(wanted, (0, 2, 3, 8, 9, 15, 1448), ((0,) * 5, STAMPED)):
        ends = tx.any_ends()
        segment = any_send(rng, length, **options(rng, *chosen))
        segment.send = replace(segment.send, urgent=0)
        is_now = int.from_bytes(expected(segment, ends)[0][16:18], "big")
        missing = (is_now - sum_) % 0xFFFF
        segment.send = replace(segment.send, urgent=missing)
        if expected(segment, ends)[0][16:18] != sum_.to_bytes(2, "big"):
            assert sum_ == 0 and missing == 0  # FFFF stands for 0, too
            segment.send = replace(segment.send, urgent=0xFFFF)
        assert expected(segment, ends)[0][16:18] == sum_.to_bytes(2, "big")
        tx.events.append(Event(ARRIVAL, rng.randrange(tx.count), segment, ends=ends))
    await tx.drain()


@cocotb.test()
async def what_memory_refuses_is_dropped_and_counted_and_the_others_go(dut: Any) -> None:
    tx = await transmitter(dut)
    for length in (0, 1, 8, 9, 100, 1460):
        for pattern in itertools.product((False, True), repeat=3):
            for refused in pattern:
                segment = any_send(tx.rng, length, **options(tx.rng, *tx.rng.choice([(0,) * 5, STAMPED])))
                segment.refused = refused and length > 0
                tx.answer(segment)
    await tx.drain()
    assert tx.counts["refused"] == 5 * 12


@cocotb.test()
async def what_is_no_answer_goes_where_the_table_says(dut: Any) -> None:
    """And the table is asked at once: later the record may be another connection's."""
    tx = await transmitter(dut)
    tx.table.slow = 0.7
    dut.segment_ready.value = 0
    tx.net.stall = 1.0
    for kind in (SPAWN, LEAVE, TIMER, COMMAND, ICMP, ARRIVAL, COMMAND, TIMER, ARRIVAL):
        index = tx.rng.randrange(tx.count)
        tx.events.append(Event(kind, index, any_send(tx.rng), ends=tx.any_ends()))
        await tx.run(tx.quiet)
        await tx.run(7)
        tx.table.ends[index] = tx.any_ends()
    tx.net.stall = 0.0
    await tx.drain()


@cocotb.test()
async def nobody_has_no_bit_and_gets_a_reset(dut: Any) -> None:
    tx = await transmitter(dut)
    for _ in range(40):
        tx.answer(any_send(tx.rng, flags=Flag.RST), nobody=True)
    await tx.drain()
    assert not tx.turns


# ---- Turns -----------------------------------------------------------------------------------------------------------


@cocotb.test()
async def all_who_want_a_turn_have_one_each_and_in_order(dut: Any) -> None:
    tx = await transmitter(dut)
    order = []

    def turn(index: int) -> tuple[Segment | None, bool]:
        order.append(index)
        return None, False

    tx.turn = turn
    for index in tx.rng.sample(range(tx.count), tx.count):
        tx.events.append(Event(COMMAND, index, schedule=True))
    await tx.drain()
    assert sorted(order) == list(range(tx.count))
    order.clear()
    tx.turn = lambda index: (order.append(index), len(order) < 2 * tx.count)  # type: ignore[assignment,func-returns-value]
    for index in range(tx.count):
        tx.events.append(Event(COMMAND, index, schedule=True))
    tx.core_stall = 0.0
    await tx.run(lambda: len(order) == 2 * tx.count)
    await tx.drain()
    assert Counter(order[: tx.count]).most_common(1)[0][1] <= 2


@cocotb.test()
async def any_bits_set_and_cleared_have_the_turns_that_they_want(dut: Any) -> None:
    """Whether a turn is wanted, and fair, is looked at in each cycle."""
    tx = await transmitter(dut)
    rng = tx.rng
    for _ in range(int(os.environ["ROUNDS"])):
        tx.core_stall = rng.choice((0.0, 0.3, 0.9))
        few = rng.choice((1, 2, tx.count))
        again, segments = rng.random(), rng.choice((0.0, 0.5))
        tx.turn = lambda index, again=again, segments=segments: (
            any_send(rng, rng.choice((0, 5))) if rng.random() < segments else None, rng.random() < again
        )  # fmt: skip
        for _ in range(30):
            tx.events.append(Event(rng.choice((TIMER, COMMAND, ICMP)), rng.randrange(few), schedule=rng.random() < 0.7))
            await tx.run(rng.randrange(60))
            for index, wish in tx.wishes.items():
                waited = 200 + 60 * tx.count / max(0.1, 1 - tx.core_stall)
                assert tx.cycle - wish.since < waited or tx.events, f"{index} waits for ever"
    tx.core_stall = 0.0
    tx.turn = lambda index: (None, False)
    await tx.drain()


@cocotb.test()
async def turns_wait_while_the_line_does_so_that_acknowledgements_gather(dut: Any) -> None:
    tx = await transmitter(dut)
    tx.net.stall = 1.0
    for size, most in ((0, 5), (1, 5), (1000, 4), (1448, 3)):
        del tx.turns[:]
        tx.turn = lambda index, size=size: (any_send(tx.rng, size), True)
        tx.events.append(Event(COMMAND, 1, schedule=True))
        await tx.run(3000)
        assert len(tx.turns) == most, size
        tx.turn = lambda index: (None, False)
        tx.net.stall = 0.0
        await tx.drain()
        tx.net.stall = 1.0


# ---- Room ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def events_stop_while_there_is_no_room_and_nothing_is_lost(dut: Any) -> None:
    tx = await transmitter(dut)
    for delay in (EVENT, EVENT + 3, 2 * EVENT):
        tx.core_delay = lambda delay=delay: delay
        tx.net.stall = 1.0
        before = len(tx.told)
        for _ in range(30):
            tx.answer(any_send(tx.rng))
        await tx.run(600)
        assert 9 <= len(tx.told) - before <= 12 and not dut.room.value
        tx.net.stall = 0.0
        await tx.drain()
        assert dut.room.value


@cocotb.test()
async def any_segments_between_any_stalls_leave_as_both_references_say(dut: Any) -> None:
    tx = await transmitter(dut)
    rng = tx.rng
    longest = int(os.environ["SEGMENT_BYTES"])
    for _ in range(int(os.environ["ROUNDS"])):
        tx.net.stall, tx.rings.stall, tx.rings.fetch_stall, tx.table.slow = (
            rng.choice((0.0, 0.0, 0.5, 0.9)) for _ in range(4)
        )
        tx.core_stall = rng.choice((0.0, 0.5, 0.95))
        latency, delay = rng.choice((0, 3, 60)), rng.choice((0, 8))
        tx.rings.latency = lambda latency=latency: rng.randrange(latency + 1)
        tx.core_delay = lambda delay=delay: EVENT + rng.randrange(delay + 1)
        refused = rng.choice((0.0, 0.3))

        def segment(refused: float = refused) -> Segment:
            chosen = rng.choice(FITTING)
            size = rng.choice((0, 0, rng.randrange(1, 20), rng.randrange(1, longest - 60 + 1)))
            one = any_send(rng, min(size, longest - 60), **options(rng, *chosen))
            one.refused = size > 0 and rng.random() < refused
            return one

        tx.turn = lambda index: (segment() if rng.random() < 0.8 else None, rng.random() < 0.5)
        for _ in range(40):
            index = rng.randrange(tx.count)
            kind = rng.choice((ARRIVAL, ARRIVAL, TIMER, COMMAND, SPAWN, ICMP))
            sends = segment() if rng.random() < 0.5 else None
            ends = tx.any_ends() if kind == ARRIVAL else None
            nobody = kind == ARRIVAL and rng.random() < 0.3
            if nobody:
                sends = any_send(rng, flags=Flag.RST)
            tx.events.append(Event(kind, index, sends, rng.random() < 0.4, ends, nobody))
        await tx.run(tx.quiet)
    tx.net.stall = 0.0
    tx.turn = lambda index: (None, False)
    await tx.drain()
    assert tx.counts["again"] and tx.counts["refused"]


# ---- Time ------------------------------------------------------------------------------------------------------------


@cocotb.test()
async def the_first_beat_is_as_many_cycles_behind_told_as_the_header_says(dut: Any) -> None:
    tx = await transmitter(dut)
    tx.rings.latency = lambda: 20
    cases = (((0,) * 5, 6, 7), (STAMPED, 8, 8), ((1, 0, 0, 0, 0), 6, 7), ((1, 1, 1, 1, 0), 11, 11),
             ((0, 0, 0, 1, 3), 15, 15))  # fmt: skip
    width = tx.net.width
    more = 0 if width == 64 else 2
    for chosen, answer, other in cases:
        for kind, cycles in ((ARRIVAL, answer + more), (TIMER, other + more)):
            tx.events.append(Event(kind, 1, any_send(tx.rng, **options(tx.rng, *chosen)), ends=tx.any_ends()))
            await tx.run(lambda: not tx.events)
            await tx.run(60)
            took = tx.net.items[-1].first - tx.told[-1] - 1
            assert took == cycles, (chosen, kind, took)
    for length in (1, 8, 9, 1448):
        tx.answer(any_send(tx.rng, length, **options(tx.rng, *STAMPED)))
        await tx.drain()
        assert tx.rings.first[-1] - tx.told[-1] - 1 == 1, "the fetch comes at once"
        assert tx.net.items[-1].first - tx.rings.last[-1] == {64: 4, 128: 5, 256: 6, 512: 6}[width]
    assert all(got.last - got.first == (8 * len(got.data) - 1) // width for got in tx.net.items), "no gap inside"


@cocotb.test()
async def full_segments_of_several_connections_fill_the_stream(dut: Any) -> None:
    """A beat in each cycle, with a core and a memory that take their time; also when one connection alone sends."""
    tx = await transmitter(dut)
    tx.rings.latency = lambda: int(os.environ.get("LATENCY", "40"))
    tx.core_delay = lambda: EVENT + 4
    for senders in (4, 1):
        left = [24]

        def turn(index: int, left: list[int] = left) -> tuple[Segment | None, bool]:
            left[0] -= 1
            return any_send(tx.rng, 1448, **options(tx.rng, *STAMPED)), left[0] > 0

        tx.turn = turn
        begun = len(tx.net.items)
        for index in range(senders):
            tx.events.append(Event(COMMAND, index, schedule=True))
        await tx.run(lambda left=left: left[0] <= 0)
        tx.turn = lambda index: (None, False)
        await tx.drain()
        items = tx.net.items[begun + 4 : begun + 20]
        gaps = Counter(b.first - a.last - 1 for a, b in itertools.pairwise(items))
        dut._log.info("%d connections: %s", senders, gaps)
        assert gaps == {0: len(items) - 1}, gaps


@cocotb.test()
async def minimum_segments_fill_the_line(dut: Any) -> None:
    """The line of 1 Gb/s takes one each 84 cycles; it is never without, though memory takes 100 cycles."""
    tx = await transmitter(dut)
    tx.rings.latency = lambda: 100
    tx.core_delay = lambda: EVENT + 4
    for size in (0, 1, 6):
        left = [40]

        def turn(index: int, left: list[int] = left, size: int = size) -> tuple[Segment | None, bool]:
            left[0] -= 1
            return any_send(tx.rng, size), left[0] > 0

        tx.turn = turn
        begun = len(tx.net.items)
        for index in range(3):
            tx.events.append(Event(COMMAND, index, schedule=True))
        tx.gap = lambda length: 84 - -(-8 * length // tx.net.width)
        await tx.run(lambda left=left: left[0] <= 0)
        tx.turn = lambda index: (None, False)
        await tx.drain()
        items = tx.net.items[begun + 4 : begun + 36]
        pitch = [b.last - a.last for a, b in itertools.pairwise(items)]
        assert max(pitch) <= 85, pitch


@cocotb.test()
async def acknowledgements_of_one_connection_leave_each_twenty_cycles(dut: Any) -> None:
    """What turns cost: offered, taken, told, and the next."""
    tx = await transmitter(dut)
    tx.core_delay = lambda: EVENT + 2
    for senders, most in ((1, 20), (4, 20)):
        left = [50]

        def turn(index: int, left: list[int] = left) -> tuple[Segment | None, bool]:
            left[0] -= 1
            return any_send(tx.rng, **options(tx.rng, *STAMPED)), left[0] > 0

        tx.turn = turn
        begun = len(tx.net.items)
        for index in range(senders):
            tx.events.append(Event(COMMAND, index * (tx.count // 4), schedule=True))
        await tx.run(lambda left=left: left[0] <= 0)
        tx.turn = lambda index: (None, False)
        await tx.drain()
        pitch = [b.first - a.first for a, b in itertools.pairwise(tx.net.items[begun + 4 : begun + 46])]
        dut._log.info("%d connections: a segment each %d to %d cycles", senders, min(pitch), max(pitch))
        assert max(pitch) <= most


# ---- pytest ----------------------------------------------------------------------------------------------------------


def bench(case: str, *, connections: int = 64, size: int = 2048, width: int = 64, seed: int = 1, **env: int) -> None:
    parameters = {"CONNECTIONS": connections, "SEGMENT_BYTES": size, "WIDTH": width}
    extra = {name: str(value) for name, value in {**parameters, "STEP": 1, "ROUNDS": 4, **env}.items()}
    run_bench("tcp_tx", parameters, testcase=case, seed=seed, extra_env=extra)


def test_options_of_every_set_are_sent_as_scapy_has_them() -> None:
    bench("every_set_of_options_stands_as_scapy_has_it")


@pytest.mark.slow
@pytest.mark.parametrize("every", some([211], [1]))
def test_payloads_of_every_length_are_sent_with_their_sum(every: int) -> None:
    bench("payloads_of_every_length_leave_whole", STEP=every)
    bench("sums_that_come_out_as_zero_or_nearly_so_are_right")


@pytest.mark.slow
def test_a_segment_that_memory_refuses_is_dropped_and_counted() -> None:
    bench("what_memory_refuses_is_dropped_and_counted_and_the_others_go")


def test_segments_go_to_the_sender_or_where_the_table_says() -> None:
    bench("what_is_no_answer_goes_where_the_table_says")
    bench("nobody_has_no_bit_and_gets_a_reset")


@pytest.mark.parametrize(("connections", "rounds"), some([(64, 6)], [(4, 10), (5, 40), (33, 20), (1024, 10)]))
def test_turns_go_round_robin_to_those_who_want_one(connections: int, rounds: int) -> None:
    bench("all_who_want_a_turn_have_one_each_and_in_order", connections=connections)
    bench("any_bits_set_and_cleared_have_the_turns_that_they_want", connections=connections, ROUNDS=rounds)


@pytest.mark.slow
def test_turns_wait_for_the_line_so_that_acknowledgements_gather() -> None:
    bench("turns_wait_while_the_line_does_so_that_acknowledgements_gather")


@pytest.mark.slow
def test_events_stop_when_the_queue_of_segments_is_full() -> None:
    bench("events_stop_while_there_is_no_room_and_nothing_is_lost")


@pytest.mark.parametrize(("size", "seed"), some([(2048, 1), (128, 2)], itertools.product((128, 2048), range(3, 23))))
def test_any_segments_leave_as_both_references_say(size: int, seed: int) -> None:
    bench("any_segments_between_any_stalls_leave_as_both_references_say", size=size, seed=seed, ROUNDS=5)


@pytest.mark.slow
def test_segments_leave_in_time_and_fill_the_line() -> None:
    bench("the_first_beat_is_as_many_cycles_behind_told_as_the_header_says")
    bench("full_segments_of_several_connections_fill_the_stream")
    bench("minimum_segments_fill_the_line")
    bench("acknowledgements_of_one_connection_leave_each_twenty_cycles")


# ---- Wider beats -----------------------------------------------------------------------------------------------------

WIDE = some([128, 512], [256])


@pytest.mark.parametrize("width", WIDE)
def test_any_segments_leave_in_wide_beats_as_both_references_say(width: int) -> None:
    bench("any_segments_between_any_stalls_leave_as_both_references_say", width=width, seed=24, ROUNDS=5)
    bench("any_segments_between_any_stalls_leave_as_both_references_say", width=width, size=128, seed=25, ROUNDS=5)


@pytest.mark.parametrize("width", WIDE)
def test_options_of_every_set_are_sent_in_wide_beats(width: int) -> None:
    bench("every_set_of_options_stands_as_scapy_has_it", width=width)


@pytest.mark.parametrize(("width", "every"), some([(128, 53), (512, 53)], [(256, 53), (128, 1), (256, 1), (512, 1)]))
def test_payloads_of_every_length_are_sent_in_wide_beats_with_their_sum(width: int, every: int) -> None:
    bench("payloads_of_every_length_leave_whole", width=width, STEP=every)
    bench("sums_that_come_out_as_zero_or_nearly_so_are_right", width=width)


@pytest.mark.parametrize("width", WIDE)
def test_wide_segments_that_memory_refuses_are_dropped_and_those_of_no_arrival_go_where_the_table_says(
    width: int,
) -> None:
    bench("what_memory_refuses_is_dropped_and_counted_and_the_others_go", width=width)
    bench("what_is_no_answer_goes_where_the_table_says", width=width)
    bench("events_stop_while_there_is_no_room_and_nothing_is_lost", width=width)


@pytest.mark.parametrize("width", WIDE)
def test_wide_segments_leave_in_time_and_fill_the_line(width: int) -> None:
    bench("the_first_beat_is_as_many_cycles_behind_told_as_the_header_says", width=width)
    bench("minimum_segments_fill_the_line", width=width)
    bench("acknowledgements_of_one_connection_leave_each_twenty_cycles", width=width)


@pytest.mark.parametrize(("width", "latency"), some([(128, 40), (512, 3)], [(256, 10)]))
def test_wide_segments_leave_one_behind_the_other(width: int, latency: int) -> None:
    """Less than SEGMENT_BYTES wait for the line, so the wider a beat is, the sooner memory must answer."""
    bench("full_segments_of_several_connections_fill_the_stream", width=width, LATENCY=latency)
