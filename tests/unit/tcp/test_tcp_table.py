# SPDX-License-Identifier: Apache-2.0
"""tcp_table against a dictionary: all that was inserted is found, nothing else is, in any order, whatever the hash."""

from __future__ import annotations

import os
from collections import deque
from random import Random
from typing import Any, NamedTuple

import cocotb
import pytest
from bench import run_bench
from cocotb.triggers import FallingEdge
from drivers import start
from net_hw import Layout
from runs import some
from tcp.siphash import siphash

ENDS = Layout(address=32, peer_port=16, port=16)
ANSWER = Layout(found=1, listener=1, index=10, refused=1, isn=32, ts_offset=32)
FIND, OPEN, LISTEN = range(3)
INSERT, LISTENS, REMOVE = 1, 2, 3  # index_action_t


class Ends(NamedTuple):
    """Of a connection: the peer's address and port, our port."""

    address: int
    peer_port: int
    port: int


class Table:
    """The block, and what must be in it."""

    def __init__(self, dut: Any, rng: Random) -> None:
        self.dut, self.rng = dut, rng
        self.count = int(os.environ["CONNECTIONS"])
        self.key = rng.randbytes(16)
        self.address = rng.getrandbits(32)
        self.clock = 0
        self.ahead = 0
        """So much the clock of initial sequence numbers has been set forward."""
        self.noted: dict[int, Ends] = {}
        """By index: what a record was told, in a chain or not."""
        self.connections: dict[Ends, int] = {}
        self.listeners: dict[int, int] = {}
        self.pool: deque[int] = deque()
        self.answers: list[tuple[int, dict[str, int]]] = []
        """With the clock that they came with."""
        self.worst = 0
        """Cycles of the longest search."""
        dut.key.value = int.from_bytes(self.key, "little")
        dut.address.value = self.address
        for name in ("ask_valid", "act_valid", "spawn", "pool_valid", "read_valid", "clock"):
            getattr(dut, name).value = 0

    def hash(self, ends: Ends) -> int:
        return siphash(
            self.key,
            self.address.to_bytes(4) + ends.port.to_bytes(2) + ends.address.to_bytes(4) + ends.peer_port.to_bytes(2),
        )

    async def cycle(self) -> None:
        """Also reads the ends of some record, which must not disturb, and lets time go on."""
        dut = self.dut
        self.clock = (self.clock + 1) % (1 << 32)
        dut.clock.value = self.clock
        await FallingEdge(dut.clk)
        if dut.answer_valid.value:
            self.answers.append((self.clock, ANSWER.unpack(int(dut.answer.value))))

    async def ends(self, index: int) -> Ends:
        self.dut.read_valid.value, self.dut.read_index.value = 1, index
        for _ in range(3):
            taken = int(self.dut.read_ready.value)
            await self.cycle()
            if taken:
                break
        else:
            raise AssertionError("the port is busy for more than two cycles")
        self.dut.read_valid.value = 0
        await self.cycle()
        assert self.dut.ends_valid.value
        return Ends(**ENDS.unpack(int(self.dut.ends.value)))

    async def ask(self, kind: int, ends: Ends, index: int = 0) -> dict[str, int]:
        dut = self.dut
        dut.ask.value, dut.ask_ends.value, dut.ask_index.value = kind, ENDS.pack(**ends._asdict()), index
        dut.ask_valid.value = 1
        assert dut.ask_ready.value
        begin = self.clock
        await self.cycle()
        dut.ask_valid.value = 0
        dut.ask_ends.value = self.rng.getrandbits(64)
        others = [other for other in self.noted if kind == FIND or other != index]  # that one is being noted
        look = self.rng.randrange(1, 24) if others and self.rng.random() < 0.5 else 0
        while not self.answers:
            assert self.clock - begin <= 21 + 3 * self.count, "longer than the bound"
            if self.clock - begin == look:
                other = self.rng.choice(others)
                assert await self.ends(other) == self.noted[other]
            else:
                await self.cycle()
        assert len(self.answers) == 1
        at, answer = self.answers.pop()
        self.worst = max(self.worst, at - begin)
        if kind == OPEN or (kind == FIND and (answer["listener"] or not answer["found"])):
            assert answer["isn"] == (self.hash(ends) + at - 1 + self.ahead) % (1 << 32)
            assert answer["ts_offset"] == self.hash(ends) >> 32
        await self.cycle()
        assert not self.answers and dut.ask_ready.value
        assert ANSWER.unpack(int(dut.answer.value)) == answer, "it stays"
        return answer

    async def act(self, action: int, index: int, last: int | None = None) -> int:
        """Cycles that it took."""
        dut = self.dut
        dut.act_last.value = self.rng.getrandbits(32) if last is None else last
        dut.act.value, dut.act_index.value, dut.act_valid.value = action, index, 1
        dut.ask_valid.value = self.rng.getrandbits(1)  # waits
        assert dut.act_ready.value
        await self.cycle()
        dut.act_valid.value = dut.ask_valid.value = 0
        cycles = 1
        while not dut.act_ready.value:
            assert cycles < max(26, 9 + 3 * self.count)
            await self.cycle()
            cycles += 1
        return cycles

    # ---- What a user does, with the model beside it ------------------------------------------------------------------

    def used(self, index: int) -> bool:
        return index in self.connections.values() or index in self.listeners.values()

    async def find(self, ends: Ends) -> dict[str, int]:
        answer = await self.ask(FIND, ends)
        connection, listener = self.connections.get(ends), self.listeners.get(ends.port)
        assert answer["found"] == (connection is not None or listener is not None) and not answer["refused"]
        if answer["found"]:
            assert answer["listener"] == (connection is None)
            assert answer["index"] == (connection if connection is not None else listener)
        return answer

    async def open(self, ends: Ends, index: int) -> bool:
        answer = await self.ask(OPEN, ends, index)
        first = ends.address >> 24
        assert answer["refused"] == (ends in self.connections or first == 0 or first >= 224)
        if answer["refused"]:
            return False
        if not self.used(index):
            self.noted[index] = ends
            await self.act(INSERT, index)
            self.connections[ends] = index
        assert await self.ends(index) == self.noted[index]
        return True

    async def listen(self, port: int, index: int) -> bool:
        answer = await self.ask(LISTEN, Ends(self.rng.getrandbits(32), self.rng.getrandbits(16), port), index)
        assert answer["refused"] == (port in self.listeners)
        if answer["refused"]:
            return False
        if not self.used(index):
            self.noted[index] = await self.ends(index)
            assert self.noted[index].port == port
            await self.act(LISTENS, index)
            self.listeners[port] = index
        return True

    async def spawn(self, ends: Ends) -> None:
        """A SYN takes a record from the pool."""
        assert self.dut.spare.value and int(self.dut.spare_index.value) == self.pool[0]
        self.dut.spawn.value = 1
        await self.cycle()
        self.dut.spawn.value = 0
        child = self.pool.popleft()
        self.noted[child] = ends
        await self.act(INSERT, child)
        self.connections[ends] = child

    async def remove(self, index: int, sent: int | None = None) -> int:
        """`sent`: so many bytes, since it began now."""
        ends = next((ends for ends, i in self.connections.items() if i == index), None)
        begin, last = self.clock, self.rng.getrandbits(32)
        if ends is not None and sent is not None:
            last = (self.hash(ends) + begin + self.ahead + sent) % (1 << 32)
        cycles = await self.act(REMOVE, index, last)
        if ends is not None:
            missing = (last - self.hash(ends) - (begin + 23) - self.ahead) % (1 << 32)
            self.ahead += missing if missing < 1 << 31 else 0
        self.connections = {ends: i for ends, i in self.connections.items() if i != index}
        self.listeners = {port: i for port, i in self.listeners.items() if i != index}
        return cycles

    async def give(self, index: int) -> None:
        """Into the pool."""
        self.dut.pool_valid.value, self.dut.pool_index.value = 1, index
        await self.cycle()
        self.dut.pool_valid.value = 0
        self.pool.append(index)
        await self.cycle()
        assert self.dut.spare.value and int(self.dut.spare_index.value) == self.pool[0]

    async def check_all(self) -> None:
        for ends in list(self.connections):
            await self.find(ends)
        for port in self.listeners:
            await self.find(Ends(1 << 24, 0, port))


async def table(dut: Any) -> Table:
    rng = await start(dut)
    bench = Table(dut, rng)
    await FallingEdge(dut.clk)
    cycles = 0
    while not dut.ready.value:
        cycles += 1
        assert cycles <= 2 << (bench.count - 1).bit_length()
        await bench.cycle()
    return bench


def some_ends(rng: Random, few: bool) -> Ends:
    """Among few, or any."""
    if few:
        return Ends((10 << 24) + rng.randrange(3), rng.randrange(1000, 1003), rng.randrange(80, 83))
    return Ends(rng.randrange(1 << 24, 224 << 24), rng.getrandbits(16), rng.getrandbits(16))


@cocotb.test()
async def what_is_inserted_is_found_and_nothing_else_in_any_order(dut) -> None:
    bench = await table(dut)
    rng = bench.rng
    for step in range(int(os.environ["STEPS"])):
        few = rng.random() < 0.7
        known = list(bench.connections)
        ends = rng.choice(known) if known and rng.random() < 0.3 else some_ends(rng, few)
        if rng.random() < 0.05:
            ends = ends._replace(
                address=rng.choice((0, 224 << 24, (1 << 32) - 1, (224 << 24) - 1, 1 << 24, (1 << 24) - 1))
            )
        free = [i for i in range(bench.count) if i not in bench.pool]
        what = rng.random()
        if what < 0.3:
            answer = await bench.find(ends)
            if answer["listener"] and bench.pool and rng.random() < 0.8:
                await bench.spawn(ends)
        elif what < 0.5 and free:
            await bench.open(ends, rng.choice(free))
        elif what < 0.6 and free:
            await bench.listen(ends.port, rng.choice(free))
        elif what < 0.85:
            await bench.remove(rng.randrange(bench.count))
        else:
            idle = [i for i in free if not bench.used(i)]
            if idle:
                await bench.give(rng.choice(idle))
        if step % 50 == 0:
            await bench.check_all()


@cocotb.test()
async def all_records_find_a_place_and_leave_it_in_any_order(dut) -> None:
    bench = await table(dut)
    rng = bench.rng
    order = list(range(bench.count))
    rng.shuffle(order)
    for index in order:
        while not await bench.open(ends := some_ends(rng, False), index):
            pass
        assert bench.connections[ends] == index
    assert len(bench.connections) == bench.count
    await bench.check_all()
    dut._log.info("%d connections: the longest search took %d cycles", bench.count, bench.worst)
    rng.shuffle(order)
    for index in order[: bench.count // 2]:
        await bench.remove(index)
    await bench.check_all()
    for index in order[bench.count // 2 :]:
        await bench.remove(index)
    assert not bench.connections and not bench.listeners
    for ends in list(bench.noted.values())[:20]:
        await bench.find(ends)


@cocotb.test()
async def even_in_one_chain_all_are_found_within_the_bound_and_can_be_removed(dut) -> None:
    """Who knows the key can aim: ends with the same bucket, and listeners whose ports differ in high bits only."""
    bench = await table(dut)
    rng = bench.rng
    buckets = 1 << (bench.count - 1).bit_length()

    def bucket(ends: Ends) -> int:
        """Microsoft's Toeplitz hash has the key's first bit under the text's first one; here both are the last ones."""
        text = ENDS.pack(**ends._asdict())
        key = int.from_bytes(bench.key, "little")
        hashed = 0
        for bit in range(64):
            if text >> bit & 1:
                hashed ^= key >> bit
        return hashed % buckets

    def aimed() -> Ends:
        while bucket(ends := some_ends(rng, False)) != 0 or ends.port % buckets == 1:
            pass
        return ends

    for index in range(bench.count):
        assert await bench.open(aimed(), index)
    for index, ends in enumerate(list(bench.connections)):
        bench.worst = 0
        await bench.find(ends)
        # The last that came is the first.
        assert bench.worst == 6 + 3 * (bench.count - index)
    bench.worst = 0
    await bench.find(aimed())
    assert bench.worst == max(21, 9 + 3 * bench.count)
    order = list(range(bench.count))
    rng.shuffle(order)
    for index in order:
        await bench.remove(index)
        await bench.check_all()
    for index in range(bench.count):
        assert await bench.listen(1 + buckets * index, index)
    await bench.check_all()
    for index in order:
        await bench.remove(index)
        await bench.check_all()


@cocotb.test()
async def the_next_number_is_above_all_that_a_connection_with_the_same_ends_has_used(dut) -> None:
    """Whoever opens, and whatever has happened to others meanwhile."""
    bench = await table(dut)
    used: dict[Ends, int] = {}
    assert await bench.listen(80, 1)
    for sent in (0, 1, 22, 23, 24, 8000, 8_000_000, 1 << 30, 30, 1 << 20, 0):
        ends = bench.rng.choice((Ends(10 << 24, 1000, 80), Ends(11 << 24, 1001, 80)))
        isn = (await bench.find(ends))["isn"]
        if ends in used:
            assert (isn - used[ends]) % (1 << 32) < 1 << 31
        assert await bench.open(ends, 0)
        last = (bench.hash(ends) + bench.clock + bench.ahead + sent) % (1 << 32)
        await bench.remove(0, sent)
        for next_isn in ((await bench.find(ends))["isn"], (await bench.ask(OPEN, ends, 0))["isn"]):
            assert (next_isn - last) % (1 << 32) < 1 << 31
            used[ends] = next_isn


@cocotb.test()
async def the_latencies_are_those_of_the_header(dut) -> None:
    bench = await table(dut)
    ends = some_ends(bench.rng, False)

    async def cycles(kind: int, ends: Ends, index: int = 0) -> int:
        bench.worst = 0
        noted, bench.noted = bench.noted, {}  # nobody reads meanwhile
        await bench.ask(kind, ends, index)
        bench.noted = noted
        return bench.worst

    assert await cycles(FIND, ends) == 21
    assert await cycles(OPEN, ends) == 21
    assert await bench.act(INSERT, 0) == 7
    assert await cycles(FIND, ends) == 9
    assert await cycles(OPEN, ends) == 21
    assert await cycles(LISTEN, ends, 1) == 8
    assert await bench.act(LISTENS, 1) == 7
    assert await cycles(LISTEN, ends, 2) == 8
    assert await bench.act(REMOVE, 0, bench.hash(ends) % (1 << 32)) == 25
    assert await cycles(FIND, ends) == 21
    assert await bench.act(REMOVE, 1) == 8
    assert await bench.act(REMOVE, 1) == 4


@pytest.mark.parametrize(("connections", "steps"), some([(4, 1000), (6, 1000)], [(64, 1000), (8, 20000)]))
def test_tcp_table(connections: int, steps: int) -> None:
    environment = {"CONNECTIONS": str(connections), "STEPS": str(steps)}
    run_bench("tcp_table", {"CONNECTIONS": connections}, extra_env=environment)


def test_tcp_table_of_1024() -> None:
    environment = {"CONNECTIONS": "1024", "STEPS": "0"}
    run_bench(
        "tcp_table",
        {"CONNECTIONS": 1024},
        testcase="all_records_find_a_place_and_leave_it_in_any_order",
        extra_env=environment,
    )
