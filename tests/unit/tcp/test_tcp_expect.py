# SPDX-License-Identifier: Apache-2.0
"""tcp_expect: what may go to its ring early is exactly the payload that the core would place whole, and just there.

Rows of random records come as tcp_core writes them, and questions between. What is right is worked out from the
record's own fields, with whole sequence numbers.
"""

from __future__ import annotations

import os
import random
from collections import deque
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from runs import seeds, some
from tcp import package
from tcp.core_replay import ROW_BITS, ROWS, SPARE_BITS
from tcp.record import FIELDS, LEAST_RING, WORD, Block, Record, State, pack

CYCLES = 12_000
TEXT = (State.ESTABLISHED, State.FIN_WAIT_1, State.FIN_WAIT_2)
"""States that take text: RFC 9293, 3.10.7.4, seventh."""
OTHERS = tuple(state for state in State if state not in TEXT)
LONGEST = 0xFFFF
NOTHING = None

Early = tuple[int, int] | None
"""Index and offset."""


def place(record: Record, seq: int, length: int) -> int | None:
    """Offset in the ring of a payload that is all new, in order, and within the window; None of any other."""
    if record.state not in TEXT or record.fin_seen or record.held:
        return None
    window = (record.rcv_edge - record.rcv_nxt) % WORD
    if seq != record.rcv_nxt or length not in range(1, window + 1):
        return None
    return (seq - record.rcv_base) % WORD % ((1 << LEAST_RING) << record.rx_ring)


def near_zero(rng: random.Random) -> int:
    """A sequence number, often one whose segment goes over 2^32."""
    return rng.choice((rng.randrange(WORD), rng.randrange(-2000, 3) % WORD, rng.randrange(3)))


def some_record(rng: random.Random) -> Record:
    """All fields are anything, but those that count are often such that text can be taken."""

    def block() -> Block:
        return rng.randrange(WORD), rng.randrange(WORD)

    record = Record()
    for one in FIELDS:
        if one.name not in ("held", "sacked"):
            setattr(record, one.name, rng.getrandbits(one.bits))
    record.sacked = tuple(block() for _ in range(rng.randrange(5)))
    record.rcv_nxt = near_zero(rng)
    ring = (1 << LEAST_RING) << record.rx_ring
    room = rng.choice((0, 1, rng.randrange(1500), rng.randrange(min(ring, LONGEST) + 1), ring - 1, ring))
    record.rcv_edge = (record.rcv_nxt + room) % WORD
    if rng.random() < 0.5:
        record.rcv_base = (record.rcv_nxt - rng.choice((0, 1, ring - 1, ring))) % WORD
    wrong = rng.choice(("nothing", "nothing", "nothing", "state", "fin", "held"))
    record.state = rng.choice(OTHERS if wrong == "state" else TEXT)
    record.fin_seen = int(wrong == "fin")
    record.held = tuple(block() for _ in range(rng.randrange(1, 5))) if wrong == "held" else ()
    return record


def some_text(rng: random.Random, record: Record) -> tuple[int, int]:
    """Sequence number and length of a payload: the one that fits, or beside it."""
    window = (record.rcv_edge - record.rcv_nxt) % WORD
    length = rng.choice((0, 1, window - 1, window, window, window + 1, rng.randrange(1500), rng.randrange(1 << 16)))
    off = rng.choice((0, 0, 0, 0, 1, -1, 1 << 20, 1 << 31, 1 << rng.randrange(32)))
    return (record.rcv_nxt + off) % WORD, max(0, min(length, LONGEST))


class Bench:
    """Rows and questions in any cycles; `await run(cycles)` compares what is said."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.count = dut, int(os.environ["CONNECTIONS"])
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed
        self.rows: deque[tuple[int, int, int, Record]] = deque()  # index, number, data, of this
        self.copy: dict[int, Record] = {}  # what is written, as of a question in this cycle
        self.arriving: tuple[int, Record] | None = None  # row 2 came in the cycle before
        self.asked: deque[tuple[Early, ...] | None] = deque([None, None])  # what may be said, cycle by cycle
        self.stands = 0  # cycles in which the arrival stays
        self.said = self.at_write = 0

    async def start(self) -> Bench:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        self.dut.rst.value = 1
        for name in ("row_valid", "row_number", "row_data", "row_index", "known_valid", "known", "arrival"):
            self.dut[name].value = 0
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        return self

    def write(self, index: int) -> None:
        record = some_record(self.rng)
        word = pack(record) << SPARE_BITS
        for number in range(ROWS):
            data = word >> ROW_BITS * (ROWS - 1 - number) & (1 << ROW_BITS) - 1
            self.rows.append((index, number, data, record))

    def any_index(self) -> int:
        """Few, so that one is written again soon; some that are nobody's, with the lower bits of others."""
        index = self.rng.randrange(min(self.count, 4)) * (self.count // 4) + self.rng.randrange(2)
        return (index + self.count * self.rng.choice((0, 0, 0, self.rng.randrange(1024)))) % 1024

    async def run(self, cycles: int, *, asks: bool = True) -> None:
        dut, rng = self.dut, self.rng
        for _ in range(cycles):
            rst = asks and rng.random() < 0.01
            dut.rst.value = int(rst)
            landing, self.arriving = self.arriving, self._row(rst)
            self._question(rst, landing, asks=asks)
            if landing is not None:
                self.copy[landing[0]] = landing[1]
            await RisingEdge(dut.clk)
            self._compare()

    def _row(self, rst: bool) -> tuple[int, Record] | None:
        """The next row, or none; returns what row 2 has brought."""
        dut, rng = self.dut, self.rng
        if not self.rows and rng.random() < 0.3:
            self.write(self.any_index())
        if not self.rows or rng.random() < 0.2:
            dut.row_valid.value, dut.row_number.value = 0, rng.randrange(ROWS)
            dut.row_data.value, dut.row_index.value = rng.getrandbits(ROW_BITS), rng.randrange(self.count)
            return None
        index, number, data, record = self.rows.popleft()
        dut.row_valid.value, dut.row_number.value = 1, number
        dut.row_data.value, dut.row_index.value = data, index
        return (index, record) if number == 2 and index < self.count and not rst else None

    def _question(self, rst: bool, landing: tuple[int, Record] | None, *, asks: bool) -> None:
        """One, or none; notes what may be said two cycles later, behind this cycle's edge and the next one's."""
        dut, rng = self.dut, self.rng
        dut.known_valid.value = 0
        if rst:
            self.asked[-1] = None  # what was asked before is not answered any more
        if self.stands:
            self.stands -= 1
            self.asked.append(None)
            return
        known, (seq, length), may = rng.randrange(self.count), (rng.getrandbits(32), rng.randrange(1 << 16)), None
        if asks and rng.random() < 0.6:
            known = landing[0] if landing is not None and rng.random() < 0.5 else rng.choice(tuple(self.copy))
            old = self.copy[known]
            record = landing[1] if landing is not None and landing[0] == known else old
            seq, length = some_text(rng, rng.choice((old, record)))
            at = place(record, seq, length)
            truth = (known, at) if at is not None else NOTHING
            may = (truth, NOTHING) if record is not old else (truth,)
            self.at_write += record is not old
            dut.known_valid.value, self.stands = 1, 1
        dut.known.value = known
        members = {"seq": seq, "length": length, "ack": rng.getrandbits(32), "window": rng.getrandbits(16)}
        dut.arrival.value = package.pack("rx_arrival_t", {"source": rng.getrandbits(32), "arrival": members})
        self.asked.append(None if rst else may)

    def _compare(self) -> None:
        """What is said in the cycle that has just ended."""
        dut, may = self.dut, self.asked.popleft() or (NOTHING,)
        said: Early = NOTHING
        if dut.early_valid.value:
            early = package.unpack("early_t", int(dut.early.value))
            said = (early["index"], early["offset"])
            self.said += 1
        assert said in may, f"{said} and not {may}"


@cocotb.test()
async def early_is_exactly_what_the_core_would_place_whole(dut: Any) -> None:
    bench = await Bench(dut).start()
    for index in range(bench.count):
        bench.write(index)
    await bench.run(8 * ROWS * bench.count // 4 + 50, asks=False)
    await bench.run(CYCLES)
    dut._log.info(f"{bench.said} early, {bench.at_write} questions in the cycle of the write")
    assert bench.said > 500 and bench.at_write > 100


@pytest.mark.parametrize("connections", some([16], [4, 64, 1024]))
@pytest.mark.parametrize("seed", seeds(1, 6))
def test_a_payload_goes_early_exactly_where_nothing_can_be_written_over(connections: int, seed: int) -> None:
    env = {"CONNECTIONS": str(connections)}
    run_bench("tcp_expect", {"CONNECTIONS": connections}, seed=seed, extra_env=env)
