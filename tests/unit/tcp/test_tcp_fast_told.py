# SPDX-License-Identifier: Apache-2.0
"""tcp_fast_told: of what the core tells, only that remains which has not left; what covers it otherwise goes whole."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import seeds
from tcp import package
from tcp.events import Index
from tcp.record import WORD

STEPS = 2500
PLACES = 8
CONNECTIONS = 16
TURN, COMMAND = 4, 5
RING = 1 << 18


@dataclass
class Sent:
    """A segment that has left."""

    index: int
    seq: int
    length: int
    ack: int
    window: int

    def packed(self) -> int:
        return ((((self.index << 32 | self.seq) << 16 | self.length) << 32 | self.ack) << 16) | self.window


Actions = dict[str, Any]


def less(places: list[Sent], index: int, core: Actions) -> tuple[Actions, list[Sent], bool]:
    """What is told, the places that remain, and whether something goes once more."""
    send = core["send"]
    told = {**core, "send": {**send, "flags": dict(send["flags"])}}
    remain, again = [], False
    for one in places:
        exact = covers = False
        if one.index == index and core["send_valid"]:
            exact = send["seq"] == one.seq and send["length"] >= one.length and not send["again"]
            behind = (send["seq"] + send["length"] - one.seq) % WORD
            covers = send["length"] > 0 and 0 < behind < WORD // 2
        if exact:
            rest = send["length"] - one.length
            told["send"] |= {
                "seq": (one.seq + one.length) % WORD, "length": rest, "offset": (send["offset"] + one.length) % RING
            }  # fmt: skip
            told["send"]["flags"]["psh"] &= rest > 0
            same = (send["ack"], send["window"]) == (one.ack, one.window)
            told["send_valid"] = int(rest > 0 or send["flags"]["fin"] or send["flags"]["urg"] or not same)
        over = one.index == index and core["index"] == Index.REMOVE
        if not (exact or covers or over):
            remain.append(one)
        again |= covers and not exact and core["index"] != Index.REMOVE
    return told, remain, again


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut, self.rng = dut, random.Random(random.getrandbits(64))
        self.places: list[Sent] = []

    async def start(self) -> Bench:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        for name in ("sent_valid", "sent", "look", "core_valid", "core_kind", "core_index", "core"):
            self.dut[name].value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        return self

    async def send(self, sent: Sent) -> None:
        self.dut.sent_valid.value, self.dut.sent.value = 1, sent.packed()
        await RisingEdge(self.dut.clk)
        self.dut.sent_valid.value = 0
        self.places.append(sent)
        await ReadOnly()
        assert self.dut.room.value == (len(self.places) < PLACES)
        await RisingEdge(self.dut.clk)

    async def tell(self, index: int, core: Actions) -> None:
        kind = self.rng.choice((TURN, COMMAND))
        self.dut.core_valid.value, self.dut.core_kind.value, self.dut.core_index.value = 1, kind, index
        self.dut.core.value = package.pack("actions_t", core)
        await RisingEdge(self.dut.clk)
        self.dut.core_valid.value = 0
        self.dut.core.value = self.rng.getrandbits(len(self.dut.core))
        await ReadOnly()
        told, remain, again = less(self.places, index, core)
        assert self.dut.told_valid.value and self.dut.told_kind.value == kind and self.dut.told_index.value == index
        seen = package.unpack("actions_t", int(self.dut.told.value))
        wanted = package.unpack("actions_t", package.pack("actions_t", told))
        assert seen == wanted
        assert self.dut.again.value == again
        self.places = remain
        await RisingEdge(self.dut.clk)
        await ReadOnly()
        assert not self.dut.told_valid.value and self.dut.room.value == (len(remain) < PLACES)
        await RisingEdge(self.dut.clk)

    async def look(self, index: int) -> None:
        self.dut.look.value = index
        await ReadOnly()
        assert self.dut.pending.value == any(one.index == index for one in self.places)
        await RisingEdge(self.dut.clk)

    def some_core(self) -> tuple[int, Actions]:
        """What the core may tell: often of a segment that has left, or near to it."""
        rng = self.rng
        one = (
            rng.choice(self.places)
            if self.places and rng.random() < 0.8
            else Sent(rng.randrange(CONNECTIONS), 5, 9, 3, 2)
        )
        index = one.index if rng.random() < 0.9 else rng.randrange(CONNECTIONS)
        flags = {name: int(rng.random() < 0.1) for name in ("urg", "fin")} | {"ack": 1, "psh": rng.getrandbits(1)}
        near = rng.choice((0, 0, 0, 0, 0, 1, -1, one.length, -one.length, 100, 1 << 31, rng.randrange(WORD)))
        length = max(0, one.length + rng.choice((0, 0, 0, 1, -1, 300, -one.length)))
        send = {
            "seq": (one.seq + near) % WORD, "length": length, "flags": flags, "offset": rng.randrange(RING),
            "ack": (one.ack + rng.choice((0, 0, 0, 1))) % WORD,
            "window": (one.window + rng.choice((0, 0, 0, 1))) % 65536,
            "again": int(rng.random() < 0.1), "ttl": 64,
        }  # fmt: skip
        core = {
            "send_valid": int(rng.random() < 0.8), "send": send, "schedule": rng.getrandbits(1),
            "index": Index.REMOVE if rng.random() < 0.1 else Index.KEEP, "received": rng.getrandbits(32),
        }  # fmt: skip
        return index, core


@cocotb.test()
async def what_has_left_is_taken_off_what_is_told(dut: Any) -> None:
    bench = await Bench(dut).start()
    rng, masked, parts = bench.rng, 0, 0
    for _ in range(STEPS):
        if len(bench.places) < PLACES and rng.random() < 0.5:
            free = [index for index in range(CONNECTIONS) if all(one.index != index for one in bench.places)]
            seq = rng.choice((rng.randrange(WORD), WORD - rng.randrange(1, 2000)))
            length = rng.choice((1, 1460, rng.randrange(1, 1461)))
            sent = Sent(rng.choice(free), seq, length, rng.getrandbits(32), rng.getrandbits(16))
            await bench.send(sent)
        index, core = bench.some_core()
        before = list(bench.places)
        told, _, _ = less(before, index, core)
        masked += core["send_valid"] and not told["send_valid"]
        parts += told["send_valid"] and told["send"]["length"] not in (0, core["send"]["length"])
        await bench.tell(index, core)
        await bench.look(rng.randrange(CONNECTIONS))
    assert masked > 50 and parts > 50
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    bench.places = []
    for index in range(CONNECTIONS):
        await bench.look(index)


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_only_what_has_not_left_is_told(seed: int) -> None:
    run_bench("tcp_fast_told", seed=seed)
