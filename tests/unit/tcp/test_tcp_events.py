# SPDX-License-Identifier: Apache-2.0
"""tcp_events: who goes before whom, how often, and what waits. That each is told of once is proven (fv_tcp_events)."""

from __future__ import annotations

import random
from collections import deque
from itertools import count, cycle, groupby
from typing import Any

import cocotb
from bench import run_bench
from cocotb.triggers import FallingEdge, RisingEdge
from drivers import start
from net_hw import Layout
from tcp.structs import enum, layout

REQUEST, EVENT, ACTIONS, TOLD, FOUND, ICMP = (
    layout(name) for name in ("request_t", "event_t", "actions_t", "told_t", "table_answer_t", "icmp_event_t")
)
FAST = Layout(index=10, address=32, peer_port=16, port=16, seq=32, ack=32, psh=1, window=16, length=16)
KINDS = {number: name for name, number in enum("event_kind_t").items()}
OP = enum("op_t")
CHAIN = [enum("event_kind_t")[name] for name in ("SPAWN", "LEAVE")]
PACE, LENGTH = 8, 13
"""Cycles between two events of the core, and from an event's begin until it is told."""


class Around:
    """All that is around the block, and what has begun. Each of `offers` is there again in the cycle behind."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.offers: set[str] = set()
        """Of request, timer, turn and fast."""
        self.op = "SEND"
        self.events: list[dict[str, int]] = []
        self.told: list[dict[str, int]] = []
        self.wants: list[int] = []
        self.sends_payload = False
        """An event that begins ends with a payload to be sent."""
        self.leaves = False
        """A timer is followed by what another record is told in a chain (SPAWN or LEAVE)."""
        self.requests = self.fast = self.payloads = 0
        self.under_way: deque[tuple[int, dict[str, int], bool]] = deque()
        for name in ("arrival", "arrival_ahead", "arrival_valid", "icmp", "request_valid", "payload_read", "early_busy",
                     "timer_valid", "turn_valid", "turn_free", "turn_waits", "ask_ready", "found_valid", "found",
                     "spare", "sought_valid", "sought_some", "ev_ready", "core_told_valid", "fast_valid",
                     "fast_leaves"):  # fmt: skip
            getattr(dut, name).value = 0
        dut.act_ready.value = dut.core_idle.value = dut.room.value = 1
        dut.timer_index.value, dut.turn_index.value = 100, 200

    @property
    def kinds(self) -> list[str]:
        """`FAST` for the arrivals of the fast path."""
        return ["FAST" if event["arrival.delivered"] else KINDS[event["kind"]] for event in self.events]

    async def run(self) -> None:
        dut = self.dut
        free_at, chain, op = 0, cycle(CHAIN), None
        for now in count():
            op = op or ("request" in self.offers and self.op)  # it stands until it is taken
            dut.request_valid.value = bool(op)
            if op:
                dut.request.value = REQUEST.pack(**{"index": self.requests % 64, "command.op": OP[f"OP_{op}"]})
            dut.timer_valid.value, dut.turn_valid.value = "timer" in self.offers, "turn" in self.offers
            dut.fast_valid.value = "fast" in self.offers
            dut.fast_count.value = "fast" in self.offers
            dut.fast.value = FAST.pack(index=self.fast % 32, address=self.fast, port=7, seq=self.fast)
            dut.ev_ready.value = now >= free_at and len(self.under_way) < 2 + self.leaves
            tells = bool(self.under_way) and self.under_way[0][0] <= now
            dut.core_told_valid.value = tells
            if tells:
                _, event, sends = self.under_way.popleft()
                dut.core_told_kind.value, dut.core_told_index.value = event["kind"], event["index"]
                said = {"send_valid": 1, "send.length": 1460} if sends else {}
                dut.core_told.value = ACTIONS.pack(**said)
            dut.core_idle.value = not self.under_way
            await FallingEdge(dut.clk)
            if op and dut.request_ready.value:
                self.requests, op = self.requests + 1, None
            self.fast += bool(dut.fast_valid.value and dut.fast_ready.value)
            if dut.ev_valid.value and dut.ev_ready.value:
                event = EVENT.unpack(int(dut.ev.value))
                is_send = KINDS[event["kind"]] == "COMMAND" and event["command.op"] == OP["OP_SEND"]
                assert is_send or not event["turns"], "a SEND alone has a turn"
                self.events.append(event)
                self.under_way.append((now + LENGTH, event, self.sends_payload))
                if self.leaves and KINDS[event["kind"]] == "TIMER":
                    link = {**event, "kind": next(chain), "index": 63}
                    self.under_way.append((now + LENGTH + PACE, link, False))
                self.payloads += self.sends_payload
                free_at = now + PACE * (len(self.under_way) if self.leaves else 1)
            if dut.told_valid.value:
                self.told.append(TOLD.unpack(int(dut.told.value)))
            if dut.wants_valid.value:
                self.wants.append(int(dut.wants_index.value))
            await RisingEdge(dut.clk)

    async def cycles(self, n: int) -> None:
        for _ in range(n):
            await RisingEdge(self.dut.clk)

    async def so_many(self, n: int) -> list[str]:
        """The kinds of the next events."""
        before = len(self.events)
        await self.cycles(n * (PACE + LENGTH))
        assert len(self.events) >= before + n, "events begin"
        return self.kinds[before : before + n]


async def around(dut: Any) -> Around:
    made = Around(dut)
    await start(dut)
    cocotb.start_soon(made.run())
    await made.cycles(2)
    return made


@cocotb.test()
async def a_command_goes_before_a_timer_or_a_turn_once(dut: Any) -> None:
    bench = await around(dut)
    for others in ({"timer"}, {"turn"}, {"timer", "turn"}, {"timer", "fast"}, {"turn", "fast"}):
        bench.offers = {"request", *others}
        await bench.so_many(6)
        kinds = [kind for kind in await bench.so_many(80) if kind != "FAST"]
        runs = [(kind, len(list(run))) for kind, run in groupby(kind == "COMMAND" for kind in kinds)]
        assert all(length == 1 for commands, length in runs if commands), (others, kinds)
        assert kinds.count("COMMAND") >= 4, kinds
        assert {kind.lower() for kind in kinds} - {"command"} <= others, kinds
    bench.offers = {"request"}
    await bench.so_many(2)
    assert set(await bench.so_many(6)) == {"COMMAND"}
    bench.offers = {"timer", "turn"}
    await bench.so_many(2)
    assert set(await bench.so_many(6)) == {"TIMER"}, "a timer before a turn"


@cocotb.test()
async def fast_arrivals_go_before_others_seven_times_running(dut: Any) -> None:
    bench = await around(dut)
    for other, kind in (("request", "COMMAND"), ("timer", "TIMER"), ("turn", "TURN")):
        bench.offers = {"fast"}
        await bench.so_many(5)
        assert set(await bench.so_many(8)) == {"FAST"}, "nobody else is there"
        bench.offers = {"fast", other}
        kinds = (await bench.so_many(40))[2:]
        runs = [(kind, len(list(run))) for kind, run in groupby(kinds)]
        assert {run for run in runs[1:-1]} == {("FAST", 7), (kind, 1)}, runs
        bench.offers = set()
        await bench.cycles(60)


@cocotb.test()
async def what_is_told_of_a_fast_arrival_has_its_own_ends(dut: Any) -> None:
    bench = await around(dut)
    bench.offers = {"fast", "timer", "request"}
    await bench.so_many(40)
    bench.leaves = True
    await bench.so_many(20)
    bench.offers = set()
    await bench.cycles(60)
    of_events = [told for told in bench.told if told["kind"] not in CHAIN]
    assert {told["kind"] for told in bench.told} > set(CHAIN)
    for event, told in zip(bench.events, of_events, strict=True):
        assert (told["kind"], told["index"], told["delivered"]) == (
            event["kind"], event["index"], event["arrival.delivered"]
        )  # fmt: skip
        if told["delivered"]:
            assert told["ends.address"] == event["arrival.seq"] and told["ends.port"] == 7
    assert sum(told["delivered"] for told in bench.told) > 10


@cocotb.test()
async def one_send_has_a_turn_while_others_wait_and_the_next_ones_ask_for_theirs(dut: Any) -> None:
    bench = await around(dut)
    bench.offers = {"request"}
    await bench.so_many(3)
    assert not any(event["turns"] for event in bench.events), "the line is not free"
    dut.turn_free.value = 1
    await bench.so_many(3)
    bench.events.clear()
    bench.wants.clear()
    await bench.so_many(5)
    assert all(event["turns"] for event in bench.events), "nobody waits"
    assert not bench.wants, "who has its turn wants none"
    dut.turn_waits.value = 1
    await bench.so_many(3)
    bench.events.clear()
    await bench.so_many(6)
    assert not any(event["turns"] for event in bench.events), "one has passed those who wait"
    bench.offers = {"request", "turn"}
    await bench.so_many(2)
    bench.offers = {"request"}
    bench.events.clear()
    bench.wants.clear()
    await bench.so_many(6)
    assert [event["turns"] for event in bench.events][:6].count(1) <= 1
    bench.offers = set()
    await bench.cycles(60)
    sends = [event for event in bench.events if KINDS[event["kind"]] == "COMMAND"]
    assert bench.wants == [send["index"] for send in sends if not send["turns"]]
    bench.offers = {"request", "turn"}
    for now in range(400):  # a command without a turn, and then a turn while the next one waits
        dut.turn_free.value = now % 3 == 0
        await RisingEdge(dut.clk)
    dut.turn_free.value, dut.turn_waits.value = 1, 0
    bench.offers, bench.op = {"request", "timer"}, "READ"
    await bench.so_many(3)
    bench.wants.clear()
    await bench.so_many(6)
    bench.op = "ACCEPT"
    await bench.so_many(6)
    assert not bench.wants, "a SEND alone wants a turn"


@cocotb.test()
async def without_room_nothing_begins(dut: Any) -> None:
    bench = await around(dut)
    for offer in ("request", "timer", "turn", "fast"):
        dut.room.value = 0
        await bench.cycles(40)
        before = len(bench.events)
        bench.offers = {offer}
        await bench.cycles(40)
        assert len(bench.events) == before, offer
        dut.room.value = 1
        await bench.so_many(2)
        bench.offers = set()
        await bench.cycles(40)


@cocotb.test()
async def a_release_waits_for_the_payloads_that_were_told_before_it(dut: Any) -> None:
    bench = await around(dut)

    async def read(n: int) -> None:
        for _ in range(n):
            dut.payload_read.value = 1
            await RisingEdge(dut.clk)
            dut.payload_read.value = 0
            await bench.cycles(3)

    for n in (1, 2, 3, 16, 21):
        bench.sends_payload, bench.payloads, bench.offers = True, 0, {"timer"}
        while bench.payloads < n:
            await RisingEdge(dut.clk)
        bench.offers = set()
        await bench.cycles(60)
        await read(bench.payloads - n)
        bench.payloads = 0
        bench.offers, bench.op = {"request"}, "RELEASE"
        before = bench.requests
        await bench.cycles(30)
        bench.offers = {"request", "timer"}  # what is told from now on is not waited for
        await bench.cycles(30)
        bench.offers, bench.sends_payload = {"request"}, False
        await bench.cycles(40)
        later = bench.payloads
        assert later > 0
        await read(n - 1)
        await bench.cycles(20)
        assert bench.requests == before, f"{n} payloads, one of them is not read"
        await read(1)
        while bench.requests == before:
            await RisingEdge(dut.clk)
        bench.offers = set()
        await bench.cycles(60)
        await read(later)


@cocotb.test()
async def an_icmp_error_is_an_event_of_a_connection_alone(dut: Any) -> None:
    bench = await around(dut)
    dut.ask_ready.value = 1
    for found, listener in ((0, 0), (1, 1), (1, 0), (0, 0), (1, 0)):
        before = len(bench.events)
        dut.icmp.value = ICMP.pack(valid=1, kind=3, code=3, protocol=6, destination=5, source_port=7, port=9)
        await RisingEdge(dut.clk)
        dut.icmp.value = 0
        while not dut.ask_valid.value:
            await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        dut.found.value, dut.found_valid.value = FOUND.pack(found=found, listener=listener, index=33), 1
        await RisingEdge(dut.clk)
        dut.found_valid.value = 0
        await bench.cycles(50)
        assert not dut.icmp_lost.value
        begun = [(KINDS[event["kind"]], event["index"]) for event in bench.events[before:]]
        assert begun == ([("ICMP", 33)] if found and not listener else []), (found, listener)


@cocotb.test()
async def a_timer_and_a_command_that_come_beside_an_arrival_have_their_events(dut: Any) -> None:
    """So a retransmission is not lost that is due as its acknowledgement comes, nor the acknowledgement."""
    bench, arrivals = await around(dut), 30
    dut.ask_ready.value = 1

    async def answer() -> None:
        while True:
            await FallingEdge(dut.clk)
            asked = bool(dut.ask_valid.value)
            await RisingEdge(dut.clk)
            dut.found.value, dut.found_valid.value = FOUND.pack(found=1, index=33), asked

    answerer = cocotb.start_soon(answer())
    bench.offers = {"request", "timer"}
    for number in range(arrivals):
        await bench.cycles(number)
        dut.arrival_valid.value = 1
        taken = False
        while not taken:
            await FallingEdge(dut.clk)
            taken = bool(dut.arrival_ready.value)
            await RisingEdge(dut.clk)
        dut.arrival_valid.value = 0
    bench.offers = set()
    await bench.cycles(100)
    answerer.cancel()
    kinds = bench.kinds
    assert kinds.count("ARRIVAL") == arrivals and kinds.count("COMMAND") == bench.requests
    assert min(kinds.count("TIMER"), bench.requests) >= arrivals
    assert len(bench.told) == len(kinds)


def test_tcp_events() -> None:
    beside = ("tcp_events.c_timer_beside", "tcp_events.c_command_beside", "tcp_events.c_all_beside")
    run_bench("tcp_events", {"FAST": 1}, seed=random.randrange(1 << 16), covers=beside)
