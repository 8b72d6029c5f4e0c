# SPDX-License-Identifier: Apache-2.0
"""tcp_commands: what the processor writes reaches the engine once and in order, what the engine tells reaches the
processor, nothing lost, twice or before its bytes are in memory; every counter counts; no access waits."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import AFB, Master, Port, Request, Response, start
from runs import some
from tcp.events import Settings
from tcp.record import BITS, OPTIONS
from tcp.structs import BEAT_BITS, BEATS, enum, fields, layout

from nsoc.machine import regs

BLOCK = regs.BLOCKS["toe"]
OFFSET = {name: register.offset for name, register in BLOCK.registers.items()}
TOLD, REQUEST, RINGS = layout("told_t"), layout("request_t"), layout("rings_t")
DIRECT_TOLD = layout("direct_t")
KIND, OP, DROP, ANSWER = enum("event_kind_t"), enum("op_t"), enum("drop_t"), enum("answer_t")
INSERT, KEEPS = enum("index_action_t")["INDEX_INSERT"], len(enum("index_action_t"))
NOTIFY = [name for name, _ in reversed(fields("notify_t"))]
"""From the lowest bit on."""
SUMS = ("segments_in", "data_segments_in", "drops", "segments_out", "data_segments_out", "segments_again",
        "bytes_sent", "bytes_again")  # fmt: skip
PLACES = 8
"""For commands without an answer and answers that nobody has taken."""
FULL = 2
DIRECT, DIRECT_CONNECTIONS = 0x11, 16
"""SETUP's argument, 4 KB beside the engine, and whose it can be."""
PACKET, PACKET_BYTES, DRAM, DRAM_BYTES = 0x1000_0000, 1 << 20, 0x2000_0000, 3 << 18
PARAMETERS = {"PACKET_BASE": PACKET, "PACKET_BYTES": PACKET_BYTES, "DRAM_BASE": DRAM, "DRAM_BYTES": DRAM_BYTES}
SOON = 4 * 33 + 16
"""Cycles within which what is told and in memory can be read: all that waited for one placement is taken in four each,
also while events are read at the full rate."""
COUNTERS = {
    **{f"tcp_{name.lower()}": ("told", name) for name in DROP if name != "DROP_NOT"},
    **{f"segment_{name}": ("rx_stat", name) for name, _ in fields("rx_stat_t")},
    **{f"net_{name.removeprefix('other.').replace('.', '_')}": ("net_stat", name) for name, _ in fields("net_stat_t")},
    "tcp_sent": ("tx_stat", "sent"),
    "tcp_sent_again": ("tx_stat", "again"),
    "tcp_fetch_error": ("tx_stat", "drop_memory"),
    "tcp_placed": ("placed", ""),
    "tcp_place_error": ("placed_error", ""),
    "command_refused": ("", ""),
}
"""By name: the port and the field of it that is counted."""


def split(name: str, value: int) -> dict[str, int]:
    """A register by field."""
    return {one.name: value >> one.lsb & (1 << one.width) - 1 for one in BLOCK.registers[name].fields}


def join(name: str, **values: int) -> int:
    places = {one.name: one.lsb for one in BLOCK.registers[name].fields}
    return sum(value << places[key] for key, value in values.items())


@dataclass
class Tell:
    """That of an event, with the cycle from which on its bytes and all before it are in memory."""

    number: int
    index: int
    bits: set[str]
    received: int
    acknowledged: int
    all_read: int
    placing: bool
    begins: bool
    there: int | None = None


@dataclass
class Under:
    """A command that the engine has."""

    request: dict[str, int]
    answer: int
    told_in: int
    answer_in: int


@dataclass
class Bench:
    """The block, and the engine around it: tcp_events, tcp_core and tcp_rings as far as it sees them."""

    dut: Any
    rng: Random
    cycle: int = 0
    request_stall: float = 0.0
    answer_of: dict[int, int] = field(default_factory=dict)
    """By op; DONE for others."""
    command_wait: int = 30
    place_wait: int = 60
    place_error: float = 0.0
    requests: list[dict[str, int]] = field(default_factory=list)
    sets: list[tuple[int, dict[str, int]]] = field(default_factory=list)
    tells: list[Tell] = field(default_factory=list)
    waiting: deque[dict[str, int]] = field(default_factory=deque)
    """Events that have begun: they are told as soon as possible."""
    placing: deque[tuple[int, Tell]] = field(default_factory=deque)
    counts: Counter[str] = field(default_factory=Counter)
    sums: dict[int, Counter[str]] = field(default_factory=dict)
    direct: set[int] = field(default_factory=set)
    """Connections of which bytes and room are told by direct_told."""
    direct_told: deque[Tell] = field(default_factory=deque)
    """What is to come there."""
    told_at: int = -8
    under: Under | None = None
    room_low: int = 0

    def __post_init__(self) -> None:
        dut = self.dut
        self.connections = int(os.environ["CONNECTIONS"])
        for name in ("request_ready", "answer_valid", "answer", "told_valid", "told", "placed", "placed_error", "now",
                     "row_valid", "row_number", "row_data", "earliest_valid", "earliest", "net_stat", "rx_stat",
                     "tx_stat"):  # fmt: skip
            getattr(dut, name).value = 0
        self.bus = Master(Port(dut, "afb", AFB), self.rng)
        self.task = cocotb.start_soon(self._run())

    # ---- The processor -----------------------------------------------------------------------------------------------

    async def write(self, name: str, value: int, answer: int = 0) -> None:
        assert await self.bus.call(Request(OFFSET[name], False, 0xF, value)) == Response(answer), name

    async def read(self, name: str) -> int:
        response = await self.bus.call(Request(OFFSET[name], True, 0xF))
        assert not response.err, name
        if self.task.done():
            await self.task
        return response.data

    async def fields_of(self, name: str) -> dict[str, int]:
        return split(name, await self.read(name))

    async def refused(self, request: Request) -> None:
        assert await self.bus.call(request) == Response(0, err=True), request

    async def command(
        self, op: int, index: int, a: int = 0, b: int = 0, *, quiet: bool = False, full: bool = False
    ) -> None:
        await self.write("argument_a", a)
        await self.write("argument_b", b)
        await self.write("command", join("command", index=index, op=op, quiet=quiet), FULL if full else 0)

    async def answer(self) -> tuple[int, int, int] | None:
        said = await self.fields_of("answer")
        if not said["valid"]:
            assert not any(said.values())
            return None
        return said["index"], said["op"], said["result"]

    async def answered(self) -> tuple[int, int, int]:
        for _ in range(200):
            if (found := await self.answer()) is not None:
                return found
        raise AssertionError("no answer")

    # ---- The engine --------------------------------------------------------------------------------------------------

    def tell(self, kind: str, index: int, bits: set[str] | None = None, **more: int) -> None:
        """An event begins. `more`: fields of told_t."""
        values = {f"actions.notify.{name}": 1 for name in bits or ()}
        self.waiting.append({"kind": KIND[kind], "index": index, **values, **more})

    def _told(self, values: dict[str, int]) -> None:
        """It is told now: what must follow from it."""
        nobody, index = values.get("nobody", 0), values["index"]
        drop = next(name for name, number in DROP.items() if number == values.get("actions.drop", 0))
        if drop != "DROP_NOT":
            self.counts[f"tcp_{drop.lower()}"] += 1
        if nobody:
            return
        bits = {name for name in NOTIFY if values.get(f"actions.notify.{name}")}
        placing = bool(values.get("actions.place_valid"))
        tell = Tell(len(self.tells), index, bits, values.get("actions.received", 0),
                    values.get("actions.acknowledged", 0), values.get("actions.all_read", 0), placing,
                    values.get("actions.index") == INSERT)  # fmt: skip
        if index in self.direct:
            self.direct_told.append(replace(tell, bits=set(bits)))
            bits -= {"readable", "writable"}
        self.tells.append(tell)
        if placing:
            at = self.cycle + 1 + self.rng.randrange(self.place_wait)
            if self.placing:
                at = max(at, self.placing[-1][0] + 1)
            self.placing.append((at, tell))
        sums = self.sums.setdefault(index, Counter())
        if values["kind"] == KIND["SPAWN"] or (
            values["kind"] == KIND["COMMAND"]
            and self.under is not None
            and self.under.request["command.op"] in (OP["OP_SETUP"], OP["OP_OPEN"])
            and self.under.answer == ANSWER["DONE"]
        ):
            sums.clear()
        arrival = values["kind"] == KIND["ARRIVAL"]
        sums["segments_in"] += arrival
        sums["data_segments_in"] += arrival and placing
        sums["drops"] += arrival and drop != "DROP_NOT"
        if values.get("actions.send_valid"):
            length, again = values.get("actions.send.length", 0), values.get("actions.send.again", 0)
            sums.update(segments_out=1, data_segments_out=int(length > 0), segments_again=again, bytes_sent=length)
            sums["bytes_again"] += length * again

    def _see_what_is_there(self) -> None:
        """What was told is there when its placement is, and all before it."""
        for tell in self.tells[self._there :]:
            if tell.placing and any(tell is one for _, one in self.placing):
                return
            tell.there = self.cycle
            self._there += 1

    _there: int = 0

    async def _run(self) -> None:
        dut, rng = self.dut, self.rng
        taking = 0
        while True:
            await RisingEdge(dut.clk)
            self.cycle += 1
            self._see_what_is_there()
            dut.answer_valid.value = dut.told_valid.value = dut.placed.value = 0
            dut.told.value = rng.getrandbits(TOLD.bits)
            dut.answer.value = rng.getrandbits(1)
            self.room_low += not dut.room.value
            if dut.direct_valid.value and self.direct:
                self._see_direct(DIRECT_TOLD.unpack(int(dut.direct_told.value)))
            if dut.set_valid.value:
                self.sets.append((int(dut.set_index.value), RINGS.unpack(int(dut.set.value))))
            if taking and dut.request_valid.value:
                assert self.under is None, "a request before the answer to the one before"
                request = REQUEST.unpack(int(dut.request.value))
                self.requests.append(request)
                told_in = rng.randrange(8, 9 + self.command_wait)
                self.under = Under(request, self.answer_of.get(request["command.op"], 0), told_in,
                                   told_in + rng.randrange(-1, 3))  # fmt: skip
            taking = int(rng.random() >= self.request_stall and self.under is None)
            dut.request_ready.value = taking
            if self.under is not None:
                self._command()
            if self.waiting and self.cycle - self.told_at >= 8 and not (self.under and self.under.told_in <= 8):
                self._drive(self.waiting.popleft())
            if self.placing and self.placing[0][0] <= self.cycle:
                _, tell = self.placing.popleft()
                error = rng.random() < self.place_error
                dut.placed.value, dut.placed_error.value = 1, int(error)
                if error:
                    tell.bits.add("memory_error")
                self.counts.update(tcp_placed=1, tcp_place_error=int(error))
            else:
                dut.placed_error.value = rng.getrandbits(1)

    def _see_direct(self, said: dict[str, int]) -> None:
        tell = self.direct_told.popleft()
        assert said == {"index": tell.index, "begins": int(tell.begins), "finished": int("finished" in tell.bits),
                        "closed": int("closed" in tell.bits), "received": tell.received,
                        "acknowledged": tell.acknowledged, "all_read": tell.all_read}  # fmt: skip
        there = self.tells[tell.number].there
        assert there is not None and there <= self.cycle <= there + SOON, "not there, or late"

    def _drive(self, values: dict[str, int]) -> None:
        self._told(values)
        self.told_at = self.cycle
        self.dut.told_valid.value, self.dut.told.value = 1, TOLD.pack(**values)

    def _command(self) -> None:
        under, dut = self.under, self.dut
        assert under is not None
        under.told_in -= 1
        under.answer_in -= 1
        if under.told_in == 0:
            assert self.cycle - self.told_at >= 8
            number = under.request["index"]
            self._drive({"kind": KIND["COMMAND"], "index": number, "actions.answer": under.answer,
                         "actions.received": self.position(number), "ends.port": self.rng.getrandbits(16)})  # fmt: skip
        if under.answer_in == 0:
            dut.answer_valid.value, dut.answer.value = 1, under.answer
        if under.told_in <= 0 and under.answer_in <= 0:
            self.under = None

    def position(self, index: int) -> int:
        """The last one that was told of it."""
        return next((tell.received for tell in reversed(self.tells) if tell.index == index), 0)

    async def idle(self) -> None:
        """Until all that was told is there, and for a while."""
        while self.waiting or self.placing or self.under:
            await RisingEdge(self.dut.clk)
        await ClockCycles(self.dut.clk, 100)


async def bench(dut: Any, **more: Any) -> Bench:
    made = Bench(dut, await start(dut), **more)
    while not dut.ready.value:
        await RisingEdge(dut.clk)
    return made


# ---- Registers -------------------------------------------------------------------------------------------------------

PLAIN = ("argument_a", "argument_b", "irq_mask", "time_scale", "ip_control", "mac_low", "mac_high", "address", "mask",
         "gateway", "arp_lifetime", "refuse_gap", "least_rto", "longest_rto", "first_rto", "delayed_ack",
         "override_time", "msl", "patience", "fin_wait_2", "keep_interval", "keep_probes", "challenges",
         "challenge_time", "offers")  # fmt: skip
"""Registers that hold what was written."""
KEYS = ("key0", "key1", "key2", "key3")


def settings_of(held: dict[str, dict[str, int]]) -> dict[str, int]:
    """settings_t, from registers by field."""
    one = {name: next(iter(values.values())) for name, values in held.items()}
    return {
        "least_rto_us": one["least_rto"], "longest_rto_us": one["longest_rto"], "first_rto_us": one["first_rto"],
        "delayed_ack_us": one["delayed_ack"], "override_us": one["override_time"], "msl_ms": one["msl"],
        "syn_patience_s": held["patience"]["syn"], "child_patience_s": held["patience"]["child"],
        "fin_wait_2_ms": one["fin_wait_2"], "keep_interval_ms": one["keep_interval"],
        "keep_probes": one["keep_probes"], "challenges": one["challenges"], "challenge_ms": one["challenge_time"],
        **held["offers"],
    }  # fmt: skip


def net_settings_of(held: dict[str, dict[str, int]]) -> dict[str, int]:
    one = {name: next(iter(values.values())) for name, values in held.items()}
    return {
        **held["ip_control"], "mac": one["mac_high"] << 32 | one["mac_low"], "address": one["address"],
        "mask": one["mask"], "gateway": one["gateway"], "arp_lifetime": one["arp_lifetime"],
        "refuse_gap": one["refuse_gap"], "key": 0, "id_key": 0,
    }  # fmt: skip


def net_settings(dut: Any) -> dict[str, int]:
    """Those that stay."""
    told = layout("net_settings_t").unpack(int(dut.net_settings.value))
    return {name: value for name, value in told.items() if not name.startswith("group.")}


@cocotb.test()
async def a_group_is_told_once_for_each_write_and_reads_as_nothing(dut) -> None:
    engine = await bench(dut)
    told = []

    async def watch() -> None:
        while True:
            await RisingEdge(dut.clk)
            now = layout("net_settings_t").unpack(int(dut.net_settings.value))
            if now["group.valid"]:
                told.append({name: now[f"group.{name}"] for name in ("joined", "place", "address")})

    watcher = cocotb.start_soon(watch())
    written = []
    for _ in range(20):
        value = engine.rng.getrandbits(32)
        await engine.write("group", value)
        written.append(split("group", value))
        await engine.write("gateway", engine.rng.getrandbits(32))
        assert await engine.read("group") == 0
    watcher.cancel()
    assert told == written


@cocotb.test()
async def settings_hold_what_was_written_and_are_told_to_the_engine(dut) -> None:
    engine = await bench(dut)
    held = {}
    for name in PLAIN:
        reset = BLOCK.registers[name].reset
        assert reset is not None and await engine.read(name) == reset, name
        held[name] = split(name, reset)
    for _ in range(3):
        assert layout("settings_t").unpack(int(dut.settings.value)) == settings_of(held)
        assert net_settings(dut) == net_settings_of(held)
        assert int(dut.time_scale.value) == held["time_scale"]["scale"]
        for name in engine.rng.sample(PLAIN, len(PLAIN)):
            value = engine.rng.getrandbits(32)
            await engine.write(name, value)
            held[name] = split(name, value)
        for name in PLAIN:
            assert await engine.read(name) == join(name, **held[name]), name
    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    assert layout("settings_t").unpack(int(dut.settings.value)) == {
        name: int(getattr(Settings(), name)) for name, _ in fields("settings_t")
    }


@cocotb.test()
async def keys_are_written_and_never_read(dut) -> None:
    engine = await bench(dut)
    key = engine.rng.randbytes(16)
    for at, name in enumerate(KEYS):
        await engine.write(name, int.from_bytes(key[4 * at : 4 * at + 4], "little"))
    assert int(dut.key.value) == int.from_bytes(key, "little")
    await engine.write("id_key", 0xC0DE_1234)
    assert layout("net_settings_t").unpack(int(dut.net_settings.value))["id_key"] == 0xC0DE_1234
    assert int(dut.key.value) == int.from_bytes(key, "little"), "they are apart"
    assert [await engine.read(name) for name in (*KEYS, "id_key")] == [0] * 5


@cocotb.test()
async def bad_accesses_are_errors_and_every_access_takes_three_cycles(dut) -> None:
    engine = await bench(dut)
    rng = engine.rng
    known = {register.offset: register for register in BLOCK.registers.values()}
    engine.tell("TIMER", 1, {"closed"})
    await engine.command(OP["OP_READ"], 1)
    await engine.idle()
    before = {name: await engine.read(name) for name in PLAIN}
    engine.bus.sent_at, engine.bus.done_at = [], []
    for offset in rng.sample(range(0, BLOCK_BYTES, 4), BLOCK_BYTES // 4):
        register = known.get(offset)
        if register is None:
            await engine.refused(Request(offset, True, 0xF))
            await engine.refused(Request(offset, False, 0xF, rng.getrandbits(32)))
            continue
        mask = rng.randrange(15)
        await engine.refused(Request(offset, False, mask, rng.getrandbits(32)))
        if register.access == "ro":
            await engine.refused(Request(offset, False, 0xF, rng.getrandbits(32)))
        if register.name in ("event", "answer"):
            await engine.refused(Request(offset, True, mask))
        else:
            assert not (await engine.bus.call(Request(offset, True, mask))).err
    for name in ("connection", "counted"):
        for index in (engine.connections, 0x400, 0xFFFF):
            await engine.refused(Request(OFFSET[name], False, 0xF, index))
        await engine.write(name, engine.connections - 1)
        assert await engine.read(name) == engine.connections - 1
    assert all(done - sent == 3 for sent, done in zip(engine.bus.sent_at, engine.bus.done_at, strict=True))
    assert await engine.read("connections") == engine.connections
    assert {name: await engine.read(name) for name in PLAIN} == before
    assert (await engine.fields_of("event"))["closed"], "a bad read takes nothing"
    assert await engine.answer() == (1, OP["OP_READ"], 0)
    assert len(engine.requests) == 1


BLOCK_BYTES = 0x400


@cocotb.test()
async def the_two_halves_of_a_time_belong_together(dut) -> None:
    engine = await bench(dut)
    for _ in range(20):
        now, earliest, valid = (engine.rng.getrandbits(bits) for bits in (56, 40, 1))
        dut.now.value, dut.earliest.value, dut.earliest_valid.value = now, earliest, valid
        low, early = await engine.read("now_low"), await engine.read("earliest_low")
        dut.now.value, dut.earliest.value = engine.rng.getrandbits(56), engine.rng.getrandbits(40)
        dut.earliest_valid.value = 1 - valid
        assert await engine.read("now_high") << 32 | low == now
        high = await engine.fields_of("earliest_high")
        assert (high["us"] << 32 | early, high["valid"]) == (earliest, valid)


# ---- Commands --------------------------------------------------------------------------------------------------------


def ring(base: int, size: int) -> int:
    return base | size


def is_ring(word: int, *, pool: bool) -> bool:
    """Said otherwise than in the block: byte by byte of its ends."""
    base, size, others = word & ~0x7FF, 2048 << (word & 7), word & (0x7F0 if pool else 0x7F8)
    memories = ((PACKET, PACKET_BYTES), (DRAM, DRAM_BYTES))
    return not others and base % size == 0 and any(at <= base and base + size <= at + many for at, many in memories)


def is_direct(index: int, a: int, b: int) -> bool:
    """The argument as it is, in the second one with or without the pool."""
    return bool(int(os.environ["DCA"])) and index < DIRECT_CONNECTIONS and a == DIRECT and b in (DIRECT, DIRECT | 8)


def expected_request(op: int, index: int, a: int, b: int) -> dict[str, int]:
    setup = op == OP["OP_SETUP"]
    return {
        "index": index, "command.op": op, "command.a": (a & 7) | (b & 7) << 3 if setup else a,
        "command.b": b >> 3 & 1 if setup else b, "ends.address": a, "ends.peer_port": b >> 16, "ends.port": b & 0xFFFF,
    }  # fmt: skip


def commands(rng: Random, connections: int) -> Iterator[tuple[int, int, int, int]]:
    """op, index, a, b: half of them with something wrong."""
    while True:
        op = rng.choice((*OP.values(), rng.randrange(256), *(OP["OP_SETUP"],) * 12, OP["OP_OPTION"]))
        index = rng.choice((rng.randrange(connections),) * 3 + (connections, rng.randrange(1 << 16)))
        a, b = rng.getrandbits(32), rng.getrandbits(32)
        if op == OP["OP_OPTION"]:
            a, b = rng.choice((rng.randrange(10), OPTIONS.index("mtu"))), rng.choice((1499, 1500, 1501, b))
        elif op == OP["OP_SETUP"]:
            ends = (PACKET, PACKET + PACKET_BYTES, DRAM, DRAM + DRAM_BYTES)
            a, b = (ring(rng.choice(ends) + rng.randrange(-4, 5) * (2048 << rng.randrange(8)), rng.randrange(8))
                    for _ in range(2))  # fmt: skip
            if rng.random() < 0.7:  # good ones, or a single one that is not where it should be
                a, b = PACKET + 0x40000 | rng.randrange(8), DRAM | rng.randrange(16)
                if rng.random() < 0.3:  # the least one at an edge
                    a = rng.choice(ends) - 2048 * rng.getrandbits(1)
                elif rng.random() < 0.5:
                    a += 2048 * rng.randrange(128)
                elif rng.random() < 0.5:
                    b += 2048 * rng.randrange(128)
            if rng.random() < 0.1:
                a |= 1 << rng.randrange(3, 11)
            if rng.random() < 0.1:
                b |= 1 << rng.randrange(3, 11)
            if rng.random() < 0.4:
                index = rng.choice((index, rng.randrange(20)))
                directs = (DIRECT, DIRECT | rng.getrandbits(1) << 3)
                a, b = rng.choice((directs, directs, (a, directs[1]), (DIRECT, b),
                                   (DIRECT ^ 1 << rng.randrange(32), directs[1]),
                                   (DIRECT, directs[1] ^ 1 << rng.randrange(32))))  # fmt: skip
        yield op, index, a, b


@cocotb.test()
async def commands_are_checked_asked_for_in_order_and_answered(dut) -> None:
    engine = await bench(dut, request_stall=0.5, command_wait=20)
    rng = engine.rng
    made = commands(rng, engine.connections)
    asked, sets, answers = [], [], []
    direct = 0
    for _ in range(12 * int(os.environ["ROUNDS"])):
        engine.answer_of = {op: rng.choice((0, 0, 0, 1, 2)) for op in OP.values()}
        for _ in range(rng.randrange(1, PLACES + 1)):
            op, index, a, b = next(made)
            quiet = rng.random() < 0.3
            await engine.command(op, index, a, b, quiet=quiet)
            good = op in OP.values() and index < engine.connections
            if op == OP["OP_OPTION"] and a == OPTIONS.index("mtu"):
                good = good and b <= 1500
            if op == OP["OP_SETUP"]:
                good = good and (is_direct(index, a, b) or (is_ring(a, pool=False) and is_ring(b, pool=True)))
            result = engine.answer_of[op] if good else 2
            if good:
                asked.append(expected_request(op, index, a, b))
            if result or not quiet:
                answers.append((index, op, result))
            if good and op == OP["OP_SETUP"] and result == 0:
                rings = {"rx_base": a >> 11, "tx_base": b >> 11, "rx_ring": a & 7, "tx_ring": b & 7}
                direct &= ~(1 << index)
                if is_direct(index, a, b):
                    receive = 1 << 35 | index << 12
                    rings |= {"rx_base": receive >> 11, "tx_base": (receive | 1 << 16) >> 11}
                    direct |= 1 << index
                sets.append((index, rings))
        while answers:
            assert await engine.answered() == answers.pop(0)
        while (await engine.fields_of("status"))["commands"]:
            pass
        assert await engine.answer() is None
        assert (engine.requests, engine.sets) == (asked, sets)
        assert dut.direct.value == direct
        status = await engine.fields_of("status")
        assert status == {"commands": 0, "answers": 0, "refused": 0, "ready": 1}


@cocotb.test()
async def a_command_without_room_is_refused_and_counted_and_no_answer_is_lost(dut) -> None:
    engine = await bench(dut, command_wait=5)
    for round in range(3):
        if round == 0:  # also while none of them is done
            engine.request_stall = 1.0
        for index in range(PLACES):
            await engine.command(OP["OP_SEND"], index % 4, index)
        await engine.command(OP["OP_ABORT"], 1, full=True)
        status = await engine.fields_of("status")
        assert status["refused"] and status["commands"] + status["answers"] == PLACES
        engine.request_stall = 0.0
        await engine.idle()
        await ClockCycles(dut.clk, 300)
        assert (await engine.fields_of("status"))["answers"] == PLACES
        await engine.command(OP["OP_ABORT"], 1, quiet=True, full=True)
        await engine.write("status", 0)
        assert (await engine.fields_of("status"))["refused"]
        await engine.write("status", join("status", refused=1))
        assert not (await engine.fields_of("status"))["refused"]
        assert await engine.answered() == (0, OP["OP_SEND"], 0)
        await engine.command(OP["OP_CLOSE"], 3)
        for index in range(1, PLACES):
            assert await engine.answered() == (index % 4, OP["OP_SEND"], 0)
        assert await engine.answered() == (3, OP["OP_CLOSE"], 0)
    assert await engine.answer() is None
    assert {request["command.op"] for request in engine.requests} == {OP["OP_SEND"], OP["OP_CLOSE"]}
    await ClockCycles(dut.clk, 200)
    assert await engine.read("command_refused") == 6
    for _ in range(3 * PLACES):  # quiet ones take no place when they are done
        await engine.command(OP["OP_READ"], 2, quiet=True)
        await engine.idle()
    assert await engine.answer() is None


# ---- Events ----------------------------------------------------------------------------------------------------------


class Owed:
    """What the processor has not been told yet, by connection and bit: the tells that it may be from."""

    def __init__(self, engine: Bench) -> None:
        self.engine = engine
        self.due: dict[tuple[int, str], list[Tell]] = {}
        self.maybe: dict[tuple[int, str], list[Tell]] = {}
        self.taken = 0

    def look(self) -> None:
        """New tells that are there."""
        tells = self.engine.tells
        while self.taken < len(tells) and tells[self.taken].there is not None:
            tell = tells[self.taken]
            for bit in tell.bits:
                self.due.setdefault((tell.index, bit), []).append(tell)
            self.taken += 1

    def pop(self, event: dict[str, int], asked_at: int) -> int:
        """An event was read between then and now; gives the number of a tell that it is at least from."""
        self.look()
        index = event["index"]
        bits = {name for name, value in event.items() if name not in ("index", "valid") and value}
        assert bits, "an event without a bit"
        least = 0
        for bit in bits:
            due, maybe = self.due.pop((index, bit), []), self.maybe.pop((index, bit), [])
            assert due or maybe, f"{bit} of {index} told twice, invented, or before its bytes are there"
            least = max(least, (maybe + due)[0].number)
            late = [tell for tell in maybe + due if (tell.there or 0) > asked_at - SOON]
            if late:
                self.maybe[index, bit] = late
        for (other, bit), due in self.due.items():
            if other == index and bit not in bits:
                assert all((tell.there or 0) > asked_at - SOON for tell in due), f"{bit} of {index} is missing"
        return least


async def take_events(engine: Bench, owed: Owed, times: int) -> int:
    """So many reads, and positions at random; gives how many events there were."""
    rng, found = engine.rng, 0
    for _ in range(times):
        asked_at = engine.cycle
        event = await engine.fields_of("event")
        if event["valid"]:
            found += 1
            least = owed.pop(event, asked_at)
            index = event["index"]
        else:
            assert not any(event.values())
            index, least = rng.randrange(engine.connections), 0
            await engine.write("connection", index)
        if rng.random() < 0.5:
            assert await engine.read("connection") == index
            asked_at = engine.cycle
            received = await engine.read("received")
            told = [tell for tell in engine.tells if tell.index == index]
            must = [t for t in told if t.there is not None and (t.there < asked_at - SOON or t.number == least)]
            may = [t for t in told if t.there is not None]
            if must:
                assert must[-1].received <= received <= may[-1].received, "a position is late or early"
                last = await engine.read("acknowledged")
                assert any(t.acknowledged == last for t in told[told.index(must[-1]) :])
    return found


@cocotb.test()
@cocotb.parametrize(place_wait=[1, 60, 1200], pops=[0.02, 0.2, 1.0])
async def nothing_that_is_told_is_lost_twice_or_early(dut, place_wait: int, pops: float) -> None:
    engine = await bench(dut, place_wait=place_wait, place_error=0.1)
    rng, owed = engine.rng, Owed(engine)
    position = 0
    if int(os.environ["DCA"]):
        direct = rng.sample(range(DIRECT_CONNECTIONS), 8)
        for index in direct:
            await engine.command(OP["OP_SETUP"], index, DIRECT, DIRECT, quiet=True)
        while (await engine.fields_of("status"))["commands"]:
            pass
        await engine.idle()
        engine.direct |= set(direct)
    for _ in range(int(os.environ["ROUNDS"])):
        few = rng.choice((1, 2, engine.connections))
        rate = rng.choice((0.02, 0.3, 1.0))
        for _ in range(rng.randrange(60, 120)):
            if rng.random() < rate and dut.room.value and len(engine.waiting) < 2:  # two are under way at most
                position += 1
                bits = {name for name in NOTIFY if rng.random() < 0.15}
                arrival = rng.random() < 0.5
                place = arrival and rng.random() < 0.5
                nobody = rng.random() < 0.05 and not place
                engine.tell(
                    "ARRIVAL" if arrival else rng.choice(("TIMER", "TURN", "LEAVE", "ICMP")),
                    rng.randrange(few), bits,
                    **{"actions.place_valid": int(place), "actions.received": position, "nobody": int(nobody),
                       "actions.acknowledged": rng.getrandbits(32), "actions.index": rng.randrange(KEEPS),
                       "actions.all_read": rng.getrandbits(1)},
                )  # fmt: skip
            if rng.random() < pops:
                await take_events(engine, owed, rng.randrange(1, 4))
            else:
                await ClockCycles(dut.clk, 8)
            waiting = {index for index, _ in owed.due}
            assert await engine.read("events") <= engine.connections and len(waiting) <= engine.connections
    await engine.idle()
    while await engine.read("events"):
        await take_events(engine, owed, 1)
    owed.look()
    assert not owed.due and not engine.direct_told, "lost"
    assert not (await engine.fields_of("event"))["valid"]
    assert len(engine.tells) >= 15


@cocotb.test()
async def all_connections_may_wait_and_come_in_their_order(dut) -> None:
    engine = await bench(dut)
    order = engine.rng.sample(range(engine.connections), engine.connections)
    for bit in ("readable", "closed", "readable"):
        for index in order:
            while not dut.room.value or len(engine.waiting) > 1:
                await ClockCycles(dut.clk, 1)
            engine.tell("TIMER", index, {bit})
    await engine.idle()
    assert await engine.read("events") == engine.connections
    engine.bus.send([Request(OFFSET["event"], True, 0xF)] * (engine.connections + 1))
    events = [split("event", response.data) for response in await engine.bus.all_done()]
    assert [event["index"] for event in events[:-1]] == order
    for event in events[:-1]:
        assert [name for name, value in event.items() if value and name != "index"] == ["readable", "closed", "valid"]
    assert not any(events[-1].values())


@cocotb.test()
async def a_placement_that_takes_long_stops_the_engine_and_loses_nothing(dut) -> None:
    engine = await bench(dut, place_wait=1)
    engine.place_wait = 4000
    engine.tell("ARRIVAL", 0, {"readable"}, **{"actions.place_valid": 1, "actions.received": 5})
    told = 0
    while engine.cycle < 3000 and told < 200:
        if dut.room.value and len(engine.waiting) < 2:
            told += 1
            engine.tell("TURN", 1, {"writable"} if told == 1 else set(), **{"actions.acknowledged": told})
        await ClockCycles(dut.clk, 4)
        if engine.room_low > 500:
            break
    if engine.placing:
        assert not (await engine.fields_of("event"))["valid"], "nothing overtakes"
    await engine.idle()
    assert [(await engine.fields_of("event"))["index"] for _ in range(2)] == [0, 1]
    assert await engine.read("acknowledged") == told


@cocotb.test()
async def the_interrupt_is_high_while_there_is_something_that_the_mask_wants(dut) -> None:
    engine = await bench(dut)
    for mask in range(4):
        await engine.write("irq_mask", mask)
        for cause in (1, 2):
            assert not dut.irq.value and await engine.read("irq_status") == 0
            if cause == 1:
                engine.tell("TIMER", 2, {"closed"})
            else:
                await engine.command(OP["OP_SEND"], 2)
            await engine.idle()
            assert await engine.read("irq_status") == cause and int(dut.irq.value) == int(mask & cause != 0)
            await engine.read(("event", "answer")[cause - 1])
            await ClockCycles(dut.clk, 2)
    assert not dut.irq.value


@cocotb.test()
async def the_ends_are_those_of_the_last_segment_or_of_the_command(dut) -> None:
    engine = await bench(dut)
    rng = engine.rng
    ends: dict[int, tuple[int, int]] = {}
    for _ in range(60):
        index = rng.randrange(engine.connections)
        address, ports = rng.getrandbits(32), rng.getrandbits(32)
        how = rng.randrange(5)
        values = {"ends.address": address, "ends.peer_port": ports >> 16, "ends.port": ports & 0xFFFF}
        if how == 0:
            engine.tell("ARRIVAL", index, **values)
            ends[index] = address, ports
        elif how == 1:
            engine.tell("ARRIVAL", index, nobody=1, **values)
        elif how == 2:
            engine.tell("TIMER", index, **values)
        else:
            op = OP["OP_OPEN"] if how == 3 else rng.choice((OP["OP_LISTEN"], OP["OP_SEND"]))
            engine.answer_of[op] = rng.choice((0, 0, 2))
            await engine.command(op, index, address, ports, quiet=True)
            if rng.random() < 0.5:
                other = rng.choice([i for i in range(engine.connections) if i != index])
                engine.tell("ARRIVAL", other, **values)
                ends[other] = address, ports
            if op != OP["OP_SEND"] and not engine.answer_of[op]:
                ends[index] = address, ports
        await engine.idle()
        while await engine.answer():
            pass
        for index, (address, ports) in ends.items():
            await engine.write("connection", index)
            assert (await engine.read("peer_address"), await engine.read("ports")) == (address, ports)


@cocotb.test()
async def a_segment_beside_an_answer_disturbs_neither(dut) -> None:
    engine = await bench(dut, command_wait=1)
    for late in range(14):
        engine.bus.send([
            Request(OFFSET["argument_a"], False, 0xF, 0x0A00_0000 + late),
            Request(OFFSET["argument_b"], False, 0xF, late << 16 | 80),
            Request(OFFSET["command"], False, 0xF, join("command", index=1, op=OP["OP_OPEN"])),
        ])  # fmt: skip
        while not engine.under:
            await RisingEdge(dut.clk)
        engine.under.answer_in = engine.under.told_in + late
        engine.tell("ARRIVAL", 2, **{"ends.address": late, "ends.port": 7})
        await engine.idle()
        assert await engine.answered() == (1, OP["OP_OPEN"], 0)
        for index, address, ports in ((1, 0x0A00_0000 + late, late << 16 | 80), (2, late, 7)):
            await engine.write("connection", index)
            assert (await engine.read("peer_address"), await engine.read("ports")) == (address, ports)


# ---- The picture of a record -----------------------------------------------------------------------------------------


async def show(engine: Bench, record: int) -> None:
    """The rows of a record as the core shows them."""
    dut = engine.dut
    record <<= BEATS * BEAT_BITS - BITS
    for row in range(BEATS):
        dut.row_valid.value, dut.row_number.value = 1, row
        dut.row_data.value = record >> (BEATS - 1 - row) * BEAT_BITS & (1 << BEAT_BITS) - 1
        await RisingEdge(dut.clk)
    dut.row_valid.value = 0


async def picture(engine: Bench) -> int:
    words = [await engine.read(f"record{n}.word") for n in range(16 * BEATS)]
    rows = ["".join(f"{word:032b}" for word in words[16 * row : 16 * row + 16]) for row in range(BEATS)]
    assert not any(int(row[BEAT_BITS:], 2) for row in rows)
    return int("".join(row[:BEAT_BITS] for row in rows)[:BITS], 2)


@cocotb.test()
async def status_keeps_a_picture_of_that_record_until_the_next_one(dut) -> None:
    engine = await bench(dut, command_wait=1)
    for op in (OP["OP_STATUS"], OP["OP_SEND"], OP["OP_STATUS"]):
        other, record = engine.rng.getrandbits(BITS), engine.rng.getrandbits(BITS)
        engine.bus.send([Request(OFFSET["command"], False, 0xF, join("command", index=1, op=op))])
        while not engine.under:
            await RisingEdge(dut.clk)
        engine.under.told_in, engine.under.answer_in = 16, 16 + engine.rng.randrange(-1, 3)
        await show(engine, other)
        await ClockCycles(dut.clk, 2)
        await show(engine, record)
        while engine.under:
            await RisingEdge(dut.clk)
        for _ in range(3):
            await ClockCycles(dut.clk, 4)
            await show(engine, engine.rng.getrandbits(BITS))
        await engine.answered()
        if op == OP["OP_STATUS"]:
            expected = record
        assert await picture(engine) == expected


# ---- Counters --------------------------------------------------------------------------------------------------------


@cocotb.test()
@cocotb.parametrize(reading=[False, True])
async def each_connection_counts_what_it_has_received_and_sent(dut, reading: bool) -> None:
    engine = await bench(dut, place_wait=10, command_wait=1)
    rng = engine.rng
    for index in range(engine.connections):  # a command that begins: all its counters are zero from here on
        await engine.command(rng.choice((OP["OP_SETUP"], OP["OP_OPEN"])), index, PACKET, DRAM, quiet=True)
        await engine.idle()
    for _ in range(2 * int(os.environ["ROUNDS"])):
        few = rng.choice((1, engine.connections))
        for _ in range(40):
            while not dut.room.value or len(engine.waiting) > 1:
                await RisingEdge(dut.clk)
            # A command here is another's: of a program by direct cache access.
            kind = rng.choice(("ARRIVAL", "ARRIVAL", "TURN", "TURN", "TURN", "TIMER", "SPAWN", "COMMAND"))
            place = kind == "ARRIVAL" and rng.random() < 0.5
            drop = rng.choice((0, rng.randrange(14))) if kind == "ARRIVAL" and not place else 0
            engine.tell(kind, rng.randrange(few), **{
                "actions.place_valid": int(place), "actions.drop": drop,
                "nobody": int(rng.random() < 0.05 and not place),
                "actions.send_valid": int(rng.random() < 0.8), "actions.send.again": rng.getrandbits(1),
                "actions.send.length": rng.choice((0, rng.getrandbits(16))),
                "actions.answer": rng.randrange(3)})  # fmt: skip
            if kind == "SPAWN":  # never behind one another: behind each is its listener's segment
                engine.tell("ARRIVAL", 0)
            if reading and rng.random() < 0.3:
                names = rng.choices(SUMS, k=3)
                engine.bus.send([Request(OFFSET[name], True, 0xF) for name in names])
        if rng.random() < 0.5:
            engine.answer_of = {op: rng.choice((0, 1)) for op in OP.values()}
            op = rng.choice((OP["OP_SETUP"], OP["OP_OPEN"], OP["OP_SEND"]))
            await engine.command(op, rng.randrange(few), PACKET, DRAM, quiet=True)
        await engine.bus.all_done()
        await engine.idle()
        while await engine.answer():
            pass
        for index in rng.sample(range(engine.connections), min(engine.connections, 6)):
            await engine.write("counted", index)
            found = {name: await engine.read(name) for name in SUMS}
            assert found == {name: engine.sums[index][name] % (1 << 32) for name in SUMS}, index


@cocotb.test()
@cocotb.parametrize(reading=[False, True])
async def events_that_wait_for_one_another_count_alike(dut, reading: bool) -> None:
    """Several that begin a connection, then short ones; each of these finds what the one before has written."""
    engine = await bench(dut)
    for _ in range(20):
        for _ in range(7):
            engine.tell("SPAWN", 1, **{"actions.send_valid": 1, "actions.send.length": 9, "actions.send.again": 1})
        for kind in ("TURN", "TURN", "TURN", "ARRIVAL", "ARRIVAL"):
            engine.tell(kind, 1, **{"actions.send_valid": int(kind == "TURN")})
        while engine.waiting:
            if reading and len(engine.bus.requests) < 4:
                engine.bus.send([Request(OFFSET["segments_in"], True, 0xF)])
            await RisingEdge(dut.clk)
        await engine.bus.all_done()
        await engine.idle()
        await engine.write("counted", 1)
        assert {name: await engine.read(name) for name in SUMS} == {name: engine.sums[1][name] for name in SUMS}


@cocotb.test()
async def a_counter_wraps_around(dut) -> None:
    engine = await bench(dut)
    for index in (1, 2):
        engine.tell("SPAWN", index, **{"actions.send_valid": 1, "actions.send.length": 7 * index})
    await engine.idle()
    dut.u_counters.counters[8 * 1 + SUMS.index("bytes_sent")].value = (1 << 32) - 5
    engine.tell("TURN", 1, **{"actions.send_valid": 1, "actions.send.length": 8})
    await engine.idle()
    await engine.write("counted", 1)
    assert (await engine.read("bytes_sent"), await engine.read("segments_out")) == (3, 2)
    await engine.write("counted", 2)
    assert (await engine.read("bytes_sent"), await engine.read("segments_out")) == (14, 1)


@cocotb.test()
@cocotb.parametrize(reading=[False, True])
async def every_pulse_is_counted_whatever_comes_beside_it(dut, reading: bool) -> None:
    engine = await bench(dut, place_wait=3, place_error=0.5)
    rng, expected = engine.rng, engine.counts
    assert [name for name, register in BLOCK.registers.items() if register.counter and name not in SUMS] == [*COUNTERS]
    inputs = {port: [name for name, _ in fields(f"{port}_t")] for port in ("rx_stat", "net_stat", "tx_stat")}
    names = {where: name for name, where in COUNTERS.items()}
    for cycle in range(400 * int(os.environ["ROUNDS"])):
        both = cycle % 8 == 0
        for port, pulses in inputs.items():
            said = {name: int(both and rng.random() < 0.5) for name in pulses}
            getattr(dut, port).value = layout(f"{port}_t").pack(**said)
            for name, value in said.items():
                expected[names[port, name]] += value
        if both and dut.room.value and len(engine.waiting) < 2:
            engine.tell("ARRIVAL", 0, nobody=rng.getrandbits(1), **{"actions.drop": rng.randrange(len(DROP))})
            if rng.random() < 0.3:
                engine.tell("ARRIVAL", 1, **{"actions.place_valid": 1})
        if reading and not engine.bus.requests:
            engine.bus.send([Request(OFFSET[rng.choice([*COUNTERS])], True, 0xF)])
        await RisingEdge(dut.clk)
    for port in inputs:
        getattr(dut, port).value = 0
    await engine.bus.all_done()
    await engine.idle()
    await ClockCycles(dut.clk, 100)
    assert {name: await engine.read(name) for name in COUNTERS} == {name: expected[name] for name in COUNTERS}
    assert min(expected[name] for name in COUNTERS if name != "command_refused") > 0
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    while not dut.ready.value:
        await RisingEdge(dut.clk)
    assert not any([await engine.read(name) for name in COUNTERS])


def run(connections: int, rounds: int, testcase: tuple[str, ...] | None = None, **parameters: int) -> None:
    environment = {"CONNECTIONS": str(connections), "ROUNDS": str(rounds), "DCA": str(parameters.get("DCA", 0))}
    run_bench("tcp_commands", {"CONNECTIONS": connections, **PARAMETERS, **parameters}, testcase=testcase,
              extra_env=environment, inside=True)  # fmt: skip


@pytest.mark.parametrize(("connections", "rounds"), some([(5, 3)], [(4, 60), (64, 30), (1024, 3)]))
def test_tcp_commands(connections: int, rounds: int) -> None:
    run(connections, rounds)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", some([4], [60]))
def test_direct_connections(rounds: int) -> None:
    """The first sixteen of them may have rings beside the engine."""
    run(20, rounds, ("commands_are_checked_asked_for_in_order_and_answered",
                     "nothing_that_is_told_is_lost_twice_or_early/place_wait=1/pops=0.2",
                     "nothing_that_is_told_is_lost_twice_or_early/place_wait=60/pops=0.2"), DCA=1)  # fmt: skip
