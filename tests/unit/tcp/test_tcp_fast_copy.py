# SPDX-License-Identifier: Apache-2.0
"""tcp_fast_copy: where a copy is open, the core would send just that segment, or place just that payload.

The core is step.py, its specification. Records are of connections at rest, with some fields anything; those that are
plain must be open.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import seeds, some
from tcp.core_replay import ROW_BITS, ROWS, SPARE_BITS
from tcp.events import Answer, Arrival, Command, Flag, Op, Send, Settings, Turn
from tcp.record import LEAST_RING, WORD, Record, State, pack
from tcp.step import step

RECORDS = 1500
NOW = 5_000_000
SETTINGS = Settings()
RX = (("open", 1), ("nxt", 32), ("room", 20), ("base", 32), ("una", 32), ("max", 32))
TX = (
    ("open", 1), ("at_once", 1), ("nxt", 32), ("base", 32), ("ack", 32), ("window", 16), ("most", 14), ("full", 14),
    ("ttl", 8), ("dscp", 6),
)  # fmt: skip
SPOILERS = (
    "state", "fin_queued", "urgent_out", "ts_ok", "rcv_scale", "nxt", "tail", "recovering", "dup_acks", "resend_due",
    "probing", "probe_due", "keep_due", "push_due", "ack_each", "syn_due", "fin_seen", "urgent_in", "held", "sacked",
    "deaf", "fragments",
)  # fmt: skip
"""Fields that keep a copy closed when they are not as in a connection at rest; some of them only one way."""


def fields(layout: tuple[tuple[str, int], ...], value: int) -> dict[str, int]:
    found = {}
    for name, bits in reversed(layout):
        found[name] = value & ((1 << bits) - 1)
        value >>= bits
    return found


def at_rest(rng: random.Random) -> Record:
    """A connection that has all it gave on its way or acknowledged, anywhere in the space of sequence numbers."""
    r = Record()
    r.state, r.owned = rng.choice((State.ESTABLISHED, State.ESTABLISHED, State.CLOSE_WAIT)), 1
    r.rx_ring = r.tx_ring = rng.randrange(5)
    ring = (1 << LEAST_RING) << r.tx_ring
    r.iss = rng.randrange(WORD)
    given = rng.choice((0, 1, 5000, rng.randrange(WORD)))
    flight = rng.choice((0, 0, 1, rng.randrange(min(ring, 3000))))
    flight = min(flight, given)
    r.nxt = r.max = r.tail = (r.iss + 1 + given) % WORD
    r.una = (r.nxt - flight) % WORD
    r.snd_wnd = rng.choice((0, flight, flight + 1, flight + rng.randrange(2000), 4096, 65535, 1 << 21))
    r.max_wnd = max(r.snd_wnd, rng.randrange(65536))
    r.snd_mss, r.mtu = rng.choice((1460, 1460, 536, 1000, 9000)), rng.choice((1500, 1500, 576, 16383))
    r.cwnd = rng.choice((1 << 19, (1 << 20) - 1, flight + rng.randrange(3000), 10 * r.snd_mss, r.snd_mss))
    r.ssthresh = (1 << 20) - 1
    r.rcv_base = rng.randrange(WORD)
    taken = rng.choice((0, rng.randrange(1 << 20), WORD - 3))
    unread = rng.choice((0, 0, rng.randrange(ring + 1)))
    r.rcv_nxt = (r.rcv_base + taken) % WORD
    r.rcv_read = (r.rcv_nxt - min(unread, taken)) % WORD
    free = ring - min(unread, taken)
    r.rcv_edge = (r.rcv_nxt + rng.choice((0, free, free // 2, rng.randrange(free + 1)))) % WORD
    r.nagle_off, r.ttl, r.dscp = rng.getrandbits(1), rng.choice((0, 1, 64, 255)), rng.getrandbits(6)
    r.ack_now, r.unacked, r.last_ack = rng.getrandbits(1), rng.getrandbits(1), r.rcv_nxt
    r.rto, r.srtt = 200_000, 8 * 100
    r.last_sent = (NOW >> 10) - rng.choice((0, 3, 1000))
    r.rexmt_on = int(flight > 0)
    return r


def spoil(rng: random.Random, r: Record) -> str:
    name = rng.choice(SPOILERS)
    if name == "deaf":
        r.deaf, r.state = 1, rng.choice((State.ESTABLISHED, State.FIN_WAIT_1, State.FIN_WAIT_2))
    elif name == "state":
        r.state = rng.choice([state for state in State if state not in (State.ESTABLISHED, State.CLOSE_WAIT)])
    elif name == "nxt":
        r.nxt = r.una
    elif name == "tail":
        r.tail = (r.tail + 1) % WORD
    elif name in ("held", "sacked"):
        begin = (r.rcv_nxt if name == "held" else r.una) + 5
        setattr(r, name, ((begin % WORD, (begin + 7) % WORD),))
        r.sack_ok = 1
    else:
        setattr(r, name, 1)
    return name


def told(record: Record, length: int) -> list[Send | None]:
    """What the core tells of a SEND of so many bytes, and of the turn behind it."""
    position = (record.tail - record.iss - 1 + length) % WORD
    record, actions = step(record, Command(Op.SEND, position), NOW, SETTINGS)
    if actions.answer != Answer.DONE:
        return []
    first = actions.send
    _, actions = step(record, Turn(), NOW, SETTINGS)
    return [first, actions.send]


def expected(tx: dict[str, int], length: int) -> Send:
    return Send(
        seq=tx["nxt"], ack=tx["ack"], flags=Flag.ACK | Flag.PSH, window=tx["window"], length=length,
        offset=(tx["nxt"] - tx["base"]) % WORD, ttl=tx["ttl"], dscp=tx["dscp"],
    )  # fmt: skip


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut, self.rng = dut, random.Random(random.getrandbits(64))
        self.count = int(os.environ["CONNECTIONS"])

    async def start(self) -> Bench:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        self.dut.rst.value, self.dut.view.value, self.dut.rx_at.value, self.dut.tx_at.value = 1, 0, 0, 0
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        return self

    async def write(self, index: int, record: Record) -> None:
        word = pack(record) << SPARE_BITS
        for number in range(ROWS):
            data = word >> ROW_BITS * (ROWS - 1 - number) & (1 << ROW_BITS) - 1
            view = ((1 << 2 | number) << ROW_BITS | data) << 10 | index
            self.dut.view.value = view << 76  # what is said of ends
            await RisingEdge(self.dut.clk)
        self.dut.view.value = 0
        for _ in range(4):
            await RisingEdge(self.dut.clk)

    async def read(self, index: int) -> tuple[dict[str, int], dict[str, int]]:
        self.dut.rx_at.value = self.dut.tx_at.value = index
        await RisingEdge(self.dut.clk)
        await ReadOnly()
        found = fields(RX, int(self.dut.rx.value)), fields(TX, int(self.dut.tx.value))
        await RisingEdge(self.dut.clk)
        return found


def check_sends(rng: random.Random, record: Record, tx: dict[str, int]) -> int:
    """Of an open copy: for some lengths that may go, the core tells just that. Returns how many were looked at."""
    ring = (1 << LEAST_RING) << record.tx_ring
    room = ring - (record.tail - record.una) % WORD
    most = min(tx["most"], room)
    looked = 0
    for length in {1, most, most - 1, tx["full"], rng.randrange(1, 1500)}:
        if not 0 < length <= most or not (tx["at_once"] or length == tx["full"]):
            continue
        first, second = told(record, length)
        sent = expected(tx, length)
        offset = sent.offset % ring
        assert first is None and second is not None, (length, first, second)
        assert (second.offset % ring, second.length) == (offset, length), (length, second)
        assert replace(second, offset=sent.offset) == sent, length
        looked += 1
    return looked


def check_places(rng: random.Random, record: Record, rx: dict[str, int]) -> None:
    """Of an open copy: a segment in order within the window, acknowledging what was sent, is placed whole."""
    room = (record.rcv_edge - record.rcv_nxt) % WORD
    assert (rx["nxt"], rx["room"], rx["base"]) == (record.rcv_nxt, room, record.rcv_base)
    assert (rx["una"], rx["max"]) == (record.una, record.max)
    for length in {1, room, rng.randrange(1, 1461)}:
        if not 0 < length <= min(room, 1460):
            continue
        ack = (record.una + rng.randrange((record.max - record.una) % WORD + 1)) % WORD
        segment = Arrival(rx["nxt"], ack, Flag.ACK | rng.choice((0, Flag.PSH)), rng.randrange(65536), length)
        after, actions = step(record, segment, NOW, SETTINGS)
        place = actions.place
        assert place is not None and (place.begin, place.length) == (0, length), (length, actions)
        assert (after.rcv_nxt - record.rcv_nxt) % WORD == length


@cocotb.test()
async def an_open_copy_is_what_the_core_would_do(dut: Any) -> None:
    bench = await Bench(dut).start()
    rng, sends, closed = bench.rng, 0, 0
    rx, tx = await bench.read(0)
    assert not rx["open"] and not tx["open"]
    for _ in range(RECORDS):
        index = rng.randrange(bench.count)
        record = at_rest(rng)
        spoilt = spoil(rng, record) if rng.random() < 0.4 else ""
        await bench.write(index, record)
        rx, tx = await bench.read(index)
        if not spoilt:
            assert tx["open"] and rx["open"] == (record.state == State.ESTABLISHED), record
            assert tx["at_once"] == (record.nagle_off or record.una == record.nxt)
            assert tx["full"] == record.snd_mss
        closed += not tx["open"]
        if tx["open"]:
            sends += check_sends(rng, record, tx)
        if rx["open"]:
            check_places(rng, record, rx)
    dut._log.info(f"{sends} segments as the core tells them, {closed} copies closed")
    assert sends > RECORDS and closed > RECORDS // 5


@cocotb.test()
async def nobody_elses_entry_is_read_and_none_survives_a_reset(dut: Any) -> None:
    bench = await Bench(dut).start()
    record = at_rest(bench.rng)
    record.state = State.ESTABLISHED
    await bench.write(1, record)
    await bench.write(bench.count + 2, record)  # of a record that is not there
    for index, there in ((1, 1), (0, 0), (2, 0), (bench.count + 1, 0)):
        rx, tx = await bench.read(index)
        assert (rx["open"], tx["open"]) == (there, there), index
    dut.rst.value = 1
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    rx, tx = await bench.read(1)
    assert not rx["open"] and not tx["open"]


@pytest.mark.parametrize("connections", some([64], [4, 512]))
@pytest.mark.parametrize("seed", seeds(1, 6))
def test_a_copy_that_is_open_says_what_the_core_would_do(connections: int, seed: int) -> None:
    run_bench("tcp_fast_copy", {"CONNECTIONS": connections}, seed=seed, extra_env={"CONNECTIONS": str(connections)})
