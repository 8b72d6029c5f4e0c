# SPDX-License-Identifier: Apache-2.0
"""tcp_fast_tx and tcp_fast_rx: what leaves is what Scapy would send; what passes is the payload of a segment in order.

What is broken on either way leaves no trace.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge
from runs import slow, some
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

WORD = 1 << 32
OURS, PEER = "02:00:00:00:00:02", "02:00:00:00:00:07"
HEADER = 54
TB = Path(__file__).parent / "tcp_fast_tb.sv"
LONGEST = 1460
INDEX = 5
VERDICT = {8: 4, 16: 4, 32: 5, 64: 5}
"""Cycles from a frame's last word to whether it is taken, by bytes of a word."""
SUM_AT = 50
"""Where the sum is in the frame: with a promise all words before its own are made before it is known."""


def beats(data: bytes, lanes: int) -> Iterator[tuple[int, int, bool]]:
    """Data, mask and whether it is the last, for each beat."""
    for at in range(0, len(data), lanes):
        part = data[at : at + lanes]
        keep = ((1 << len(part)) - 1) << (lanes - len(part))
        yield int.from_bytes(part.ljust(lanes, b"\0"), "big"), keep, at + lanes >= len(data)


def segment(payload: bytes, seq: int, *, to: str = OURS, **fields: Any) -> bytes:
    """A frame from the peer to us, as Scapy makes it, padded."""
    ip = {"src": "10.0.0.7", "dst": "10.0.0.2", "flags": "DF", "id": 0} | fields.pop("ip", {})
    tcp = {"sport": 40000, "dport": 7, "seq": seq % WORD, "ack": 5000, "flags": "PA", "window": 4096} | fields
    return bytes(Ether(dst=to, src=PEER) / IP(**ip) / TCP(**tcp) / Raw(payload)).ljust(60, b"\0")


def arrival(payload: bytes, seq: int, *, ack: int = 5000, push: int = 1, window: int = 4096) -> int:
    """As fast_arrival_t, of what `segment` makes."""
    number = 0
    for value, bits in ((INDEX, 10), (0x0A000007, 32), (40000, 16), (7, 16), (seq % WORD, 32), (ack, 32), (push, 1),
                        (window, 16), (len(payload), 16)):  # fmt: skip
        number = number << bits | value
    return number


@dataclass
class Fast:
    """The two blocks and what has come out of them."""

    dut: Any
    lanes: int
    """Bytes of a beat."""
    line: int
    """Bytes of a word of the frames that leave."""
    rng: random.Random
    frames: list[tuple[bytes, bool, int]] = field(default_factory=list)
    """Bytes, bad, cycle of the first word."""
    packets: list[tuple[bytes, bool, int]] = field(default_factory=list)
    """Bytes, aborted, cycle of the last beat."""
    sent: list[tuple[int, int]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    positions: list[int] = field(default_factory=list)
    cycle: int = 0
    given_at: int = 0
    """Cycle of the latest packet's first beat, or of its doorbell."""
    ended_at: int = 0
    """Cycle of the last word of the latest frame that came in."""
    ends: list[int] = field(default_factory=list)
    """That of each."""

    taken: list[int] = field(default_factory=list)
    """Cycles in which a frame was taken."""
    arrivals: list[int] = field(default_factory=list)
    """What the core is told, as fast_arrival_t."""

    COUNTS = ("good", "broken", "left", "rx_good", "rx_aborted", "left_out")

    async def start(self) -> None:
        dut = self.dut
        shut = ("s_valid", "doorbell", "pending", "in_valid", "busy", "early", "in_bad", "s_thold", "s_tpromise")
        for port in (*shut, "leave_valid"):
            getattr(dut, port).value = 0
        opens = ("enable", "tx_open", "tx_at_once", "sent_room", "neighbour_found", "known", "rx_open", "look_open")
        dut.leave_index.value, dut.arrival_room.value = INDEX, 1
        for port in opens:
            getattr(dut, port).value = 1
        for port in ("out_ready", "m_tready"):
            getattr(dut, port).value = 1
        dut.tx_nxt.value, dut.tx_base.value, dut.tx_ack.value = 1000, 1000, 77
        dut.tx_window.value, dut.tx_most.value, dut.tx_full.value = 4096, 1460, 1460
        dut.rx_nxt.value, dut.rx_base.value, dut.rx_room.value = 900, 900, 4096
        dut.rx_una.value, dut.rx_max.value, dut.delivered.value = 5000, 5000, 0
        dut.s_position.value = 0
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        self.counts = dict.fromkeys(self.COUNTS, 0)
        cocotb.start_soon(self._watch())
        await RisingEdge(dut.clk)

    async def _watch(self) -> None:
        dut, frame, packet, began, inside = self.dut, bytearray(), bytearray(), 0, False
        while True:
            await ReadOnly()
            if dut.doorbell.value or (dut.s_valid.value and not inside):
                self.given_at = self.cycle
            if dut.s_valid.value:
                inside = not dut.s_tlast.value
            if dut.in_valid.value and dut.in_last.value:
                self.ended_at = self.cycle
                self.ends.append(self.cycle)
            if dut.out_valid.value and dut.out_ready.value:
                began = began if frame else self.cycle
                kept = int(dut.out_keep.value).bit_count()
                frame += int(dut.out_data.value).to_bytes(self.line, "big")[:kept]
                assert dut.out_last.value or (kept == self.line and not dut.out_bad.value)
                if dut.out_last.value:
                    self.frames.append((bytes(frame), bool(dut.out_bad.value), began))
                    frame.clear()
            if dut.m_tvalid.value and dut.m_tready.value:
                kept = int(dut.m_tkeep.value).bit_count()
                assert dut.m_tlast.value or kept == self.lanes
                packet += int(dut.m_tdata.value).to_bytes(self.lanes, "big")[:kept]
                if dut.m_tlast.value:
                    self.packets.append((bytes(packet), bool(dut.m_tabort.value), self.cycle))
                    packet.clear()
            if dut.sent_valid.value:
                self.sent.append((int(dut.sent_seq.value), int(dut.sent_length.value)))
            if dut.fast_valid.value:
                self.positions.append(int(dut.fast_position.value))
            if dut.taken.value:
                assert self.cycle - VERDICT[self.line] in self.ends, "taken is not of the frame that ended then"
                self.taken.append(self.cycle)
            if dut.arrival_valid.value:
                self.arrivals.append(int(dut.arrival.value))
            for name in self.COUNTS:
                self.counts[name] += int(getattr(dut, name).value)
            await RisingEdge(dut.clk)
            self.cycle += 1

    async def give(
        self,
        data: bytes,
        *,
        promise: bool = True,
        hold: bool = False,
        gap_at: int | None = None,
        length: int | None = None,
    ) -> None:
        """A packet of the application."""
        dut = self.dut
        dut.s_tlength.value = len(data) if length is None else length
        dut.s_tpromise.value, dut.s_thold.value = promise, hold
        for number, (value, keep, last) in enumerate(beats(data, self.lanes)):
            if number == gap_at:
                dut.s_valid.value = 0
                for _ in range(self.rng.randrange(1, 20)):
                    await RisingEdge(dut.clk)
            dut.s_valid.value, dut.s_tdata.value, dut.s_tkeep.value, dut.s_tlast.value = 1, value, keep, last
            await RisingEdge(dut.clk)
        dut.s_valid.value = 0

    async def receive(self, frame: bytes, *, bad: bool = False, pace: float = 1.0, rest: int = 3) -> None:
        """A frame from the line."""
        dut = self.dut
        for value, keep, last in beats(frame, self.line):
            while self.rng.random() > pace:
                dut.in_valid.value = 0
                await RisingEdge(dut.clk)
            dut.in_valid.value, dut.in_data.value, dut.in_keep.value = 1, value, keep
            dut.in_last.value, dut.in_bad.value = last, last and bad
            await RisingEdge(dut.clk)
        dut.in_valid.value = 0
        await self.wait(rest)

    async def wait(self, cycles: int) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)


async def started(dut: Any) -> Fast:
    fast = Fast(dut, len(dut.s_tdata) // 8, len(dut.in_keep), random.Random(int(os.environ["FAST_SEED"])))
    await fast.start()
    return fast


def sent_frame(payload: bytes, seq: int = 1000) -> bytes:
    """What Scapy sends for us."""
    return bytes(
        Ether(dst=PEER, src=OURS)
        / IP(src="10.0.0.2", dst="10.0.0.7", flags="DF", id=0)
        / TCP(sport=7, dport=40000, seq=seq % WORD, ack=77, flags="PA", window=4096)
        / Raw(payload)
    )


def lengths(rng: random.Random, lanes: int) -> list[int]:
    edges = [1, 2, 3, 7, 8, 9, 10, 11, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 1459, 1460]
    return sorted({*edges, *(rng.randrange(1, LONGEST) for _ in range(12)), lanes, 6 * lanes + 1})


@cocotb.test()
async def what_is_given_leaves_as_scapy_would_send_it(dut: Any) -> None:
    fast = await started(dut)
    for number, length in enumerate(lengths(fast.rng, fast.lanes)):
        payload = fast.rng.randbytes(length)
        mode = number % 3
        seq = fast.rng.choice((1000, WORD - 5, fast.rng.randrange(WORD)))
        dut.tx_nxt.value, dut.tx_base.value = seq, (seq - 33) % WORD
        dut.s_position.value = 33
        await fast.give(payload, promise=mode == 0, hold=mode == 2)
        count = -(-length // fast.lanes)
        if mode == 2:
            await fast.wait(5)
            assert not fast.frames
            dut.doorbell.value = 1
            await RisingEdge(dut.clk)
            dut.doorbell.value = 0
        await fast.wait(length // 8 + 30)
        [(frame, bad, began)] = fast.frames
        assert frame == sent_frame(payload, seq) and not bad
        ahead = SUM_AT // fast.line if mode == 0 else 0
        expected = 3 if mode == 2 else max(3, count + 2 - ahead)
        assert began - fast.given_at == expected, (length, mode, began - fast.given_at)
        assert fast.sent == [(seq, length)]
        fast.frames.clear()
        fast.sent.clear()
    assert fast.counts["broken"] == fast.counts["left"] == 0


@cocotb.test()
async def a_broken_promise_ends_the_frame_and_is_not_told(dut: Any) -> None:
    fast = await started(dut)
    broken = 0
    for _ in range(30):
        length = fast.rng.randrange(8 * fast.lanes, LONGEST + 1)
        payload, count = fast.rng.randbytes(length), -(-length // fast.lanes)
        await fast.give(payload, gap_at=fast.rng.randrange(1, count))
        await fast.wait(length // 8 + 40)
        [(frame, bad, _)] = fast.frames
        before = SUM_AT // fast.line * fast.line
        assert frame == sent_frame(payload) if not bad else frame[:before] == sent_frame(payload)[:before]
        assert not bad or len(frame) == before + fast.line
        assert fast.sent == ([] if bad else [(1000, length)])
        broken += bad
        fast.frames.clear()
        fast.sent.clear()
    # One word alone has nothing before its sum: it is not made sooner for a promise, and none is broken.
    assert (broken > 0) == (fast.line <= SUM_AT) and fast.counts["broken"] == broken


@cocotb.test()
async def a_packet_that_comes_while_a_frame_leaves_is_not_left(dut: Any) -> None:
    fast = await started(dut)
    for length in (1, 2, 9, 10, 11, fast.lanes, 3 * fast.lanes):
        words = -(-(HEADER + length) // fast.line)
        for early in range(3):
            payloads = [fast.rng.randbytes(length) for _ in range(2)]
            for payload in payloads:
                await fast.give(payload)
                await fast.wait(max(1, words + 2 - -(-length // fast.lanes) - early))
            await fast.wait(60)
            assert [frame for frame, _, _ in fast.frames] == [sent_frame(payload) for payload in payloads]
            fast.frames.clear()
    assert fast.counts["left"] == 0


@cocotb.test()
async def what_the_core_would_not_send_is_left_to_it(dut: Any) -> None:
    fast = await started(dut)
    cases: list[tuple[dict[str, int], int]] = [
        ({"tx_open": 0}, 100),
        ({"enable": 0}, 100),
        ({"tx_at_once": 0}, 100),
        ({"tx_most": 99}, 100),
        ({"pending": 1}, 100),
        ({"sent_room": 0}, 100),
        ({"neighbour_found": 0}, 100),
        ({"s_position": 1}, 100),
        ({}, LONGEST + 1),
    ]
    for ports, length in cases:
        before = {port: int(getattr(dut, port).value) for port in ports}
        for port, value in ports.items():
            getattr(dut, port).value = value
        await fast.give(bytes(length))
        await fast.wait(1100 if "pending" in ports or "sent_room" in ports else 300)  # these may change soon
        assert not fast.frames and not fast.sent, ports
        for port, value in before.items():
            getattr(dut, port).value = value
    assert fast.counts["left"] == len(cases)
    for port, stands in (("pending", 1), ("sent_room", 0)):
        for cycles in (1, 2, 9, 30, 333):
            getattr(dut, port).value = stands
            await fast.give(bytes(100))
            await fast.wait(cycles)
            assert not fast.frames and not dut.s_room.value
            getattr(dut, port).value = 1 - stands
            await fast.wait(40)
            assert len(fast.frames) == 1 and dut.s_room.value
            fast.frames.clear()
    assert fast.counts["left"] == len(cases)
    dut.tx_at_once.value = 0
    dut.tx_full.value = 100
    await fast.give(bytes(100))
    await fast.wait(60)
    assert len(fast.frames) == 1


@cocotb.test()
async def a_packet_that_is_not_as_long_as_it_said_never_leaves_whole(dut: Any) -> None:
    fast = await started(dut)
    for length, said in (
        (100, 99),
        (100, 101),
        (100, 300),
        (300, 100),
        (1, 1460),
        (fast.lanes * 3, fast.lanes * 3 + 1),
    ):
        await fast.give(bytes(length), length=said, promise=bool(fast.rng.getrandbits(1)))
        await fast.wait(300)
        assert all(bad for _, bad, _ in fast.frames) and not fast.sent
        fast.frames.clear()
    await fast.give(b"good")
    await fast.wait(40)
    assert [frame for frame, _, _ in fast.frames] == [sent_frame(b"good")]


@cocotb.test()
async def a_line_that_stalls_and_a_record_that_changes_hurt_nothing(dut: Any) -> None:
    fast = await started(dut)

    async def stalls() -> None:
        while True:
            dut.out_ready.value = fast.rng.random() < 0.4
            await RisingEdge(dut.clk)

    cocotb.start_soon(stalls())
    for _ in range(25):
        payload = fast.rng.randbytes(fast.rng.choice((1, 20, 200, 1000)))
        dut.tx_ack.value = 77
        give = cocotb.start_soon(fast.give(payload, promise=False))
        await fast.wait(fast.rng.randrange(1, 6))
        dut.tx_ack.value = 78
        await give
        await fast.wait(3 * len(payload) // 8 + 100)
        [(frame, bad, _)] = fast.frames
        parsed = Ether(frame)
        assert not bad and parsed[TCP].ack in (77, 78) and bytes(parsed[TCP].payload) == payload
        parsed[TCP].chksum = None
        assert bytes(Ether(bytes(parsed)))[50:52].hex() == frame[50:52].hex(), (parsed[TCP].ack, len(payload))
        fast.frames.clear()


BEHIND_LAST = {8: 4, 16: 4, 32: 5, 64: 5}
"""Cycles from a frame's last word to the payload's last beat, by lanes of the line, ..."""
BEHIND_FIRST = {8: 10, 16: 7, 32: 6, 64: 4}
"""... unless several beats wait for the decision: cycles from the first word to the beat before the first one."""


def latency(line: int, words: int, count: int) -> int:
    """From the frame's last word to the last of `count` beats that are given as soon as the decision is there."""
    return max(BEHIND_LAST[line], BEHIND_FIRST[line] - (words - 1) + count)


@cocotb.test()
async def the_next_in_order_is_delivered_and_nothing_else(dut: Any) -> None:
    fast = await started(dut)
    for early in (1, 0):
        dut.early.value = early
        at = 0
        for length in lengths(fast.rng, fast.lanes):
            payload = fast.rng.randbytes(length)
            pace = fast.rng.choice((1.0, 1.0, 0.89, 0.5))
            base = fast.rng.choice((900, WORD - 700))
            dut.rx_base.value, dut.rx_nxt.value, dut.delivered.value = base, (base + at) % WORD, at
            await fast.receive(segment(payload, base + at), pace=pace)
            await fast.wait(10 if early else length // fast.lanes + 10)
            at += length
            [(got, aborted, out)] = fast.packets
            assert got == payload and not aborted
            if early and pace == 1.0:
                words, count = -(-max(60, HEADER + length) // fast.line), -(-length // fast.lanes)
                assert out - fast.ended_at == latency(fast.line, words, count), (length, out - fast.ended_at)
            if not early and pace == 1.0:
                words, count = -(-max(60, HEADER + length) // fast.line), -(-length // fast.lanes)
                assert out - fast.ended_at == latency(fast.line, words, 1) + count - 1, (length, out - fast.ended_at)
            assert fast.positions == [at] and not dut.hold.value
            assert fast.taken == [fast.ended_at + VERDICT[fast.line]]
            assert fast.arrivals == [arrival(payload, base + at - length)]
            for seen in (fast.packets, fast.positions, fast.taken, fast.arrivals):
                seen.clear()
    assert fast.counts["rx_aborted"] == fast.counts["left_out"] == 0


@cocotb.test()
async def an_acknowledgement_without_payload_is_taken_and_delivers_nothing(dut: Any) -> None:
    fast = await started(dut)
    dut.rx_una.value, dut.rx_max.value = WORD - 100, 300
    for number in range(60):
        dut.early.value = number % 2
        good = fast.rng.random() < 0.5
        seq, ack = fast.rng.choice((900, 899, fast.rng.getrandbits(32))), fast.rng.randrange(-100, 301) % WORD
        push, window = fast.rng.getrandbits(1), fast.rng.getrandbits(16)
        fields: dict[str, Any] = {"ack": ack, "flags": "PA" if push else "A", "window": window}
        ports: dict[str, int] = {}
        faults = ("ack", "flags", "fcs", "ip", "sum", "rx_open", "known", "arrival_room")
        fault = None if good else fast.rng.choice(faults)
        if fault == "ack":
            fields["ack"] = fast.rng.choice((301, WORD - 101))
        elif fault == "flags":
            fields["flags"] = fast.rng.choice(("S", "SA", "FA", "RA", "UA"))
        elif fault in ("rx_open", "known", "arrival_room"):
            ports[fault] = 0
        frame = bytearray(segment(b"", seq, **fields))
        if fault == "ip":
            frame[22] ^= 1
        if fault == "sum":
            frame[48 + fast.rng.randrange(2)] ^= 1
        for port, value in ports.items():
            getattr(dut, port).value = value
        await fast.receive(bytes(frame), bad=fault == "fcs", pace=fast.rng.choice((1.0, 0.6)))
        await fast.wait(12)
        for port in ports:
            getattr(dut, port).value = 1
        assert not fast.packets and not fast.positions and not dut.hold.value
        assert fast.taken == ([fast.ended_at + VERDICT[fast.line]] if good else []), fault
        assert fast.arrivals == ([arrival(b"", seq, ack=ack, push=push, window=window)] if good else []), fault
        fast.taken.clear()
        fast.arrivals.clear()


@cocotb.test()
async def what_finds_no_room_for_its_arrival_is_left_to_the_ring(dut: Any) -> None:
    fast = await started(dut)
    for early in (1, 0):
        dut.early.value, dut.arrival_room.value = early, 0
        await fast.receive(segment(bytes(range(200)), 900))
        await fast.wait(40)
        assert not fast.packets and not fast.positions and not fast.taken and not fast.arrivals
        assert fast.counts["left_out"] == 2 - early
        dut.arrival_room.value = 1
    await fast.receive(segment(bytes(range(200)), 900))
    await fast.wait(40)
    assert len(fast.packets) == len(fast.taken) == len(fast.arrivals) == 1


@cocotb.test()
async def a_connection_that_ends_takes_nothing_more(dut: Any) -> None:
    """From where its segment has been looked at on: what it is then is not for anybody."""
    fast = await started(dut)
    payload = bytes(range(200)) * 3
    frame = segment(payload, 900)
    words = -(-len(frame) // fast.line)
    looked = {8: 9, 16: 7, 32: 6, 64: 4}[fast.line]
    for early in (1, 0):
        dut.early.value = early
        for number in range(looked, words + VERDICT[fast.line] - 2):  # then tcp_fast_arrivals sees to it
            for ends in (True, False):
                dut.leave_index.value = INDEX if ends else INDEX + 1

                async def leave(at: int) -> None:
                    await fast.wait(at)
                    dut.leave_valid.value = 1
                    await fast.wait(1)
                    dut.leave_valid.value = 0

                task = cocotb.start_soon(leave(number))
                await fast.receive(frame)
                await fast.wait(100)
                await task
                aborts = [aborted for _, aborted, _ in fast.packets]
                assert aborts == ([] if ends and not early else [ends]), (number, ends)
                assert len(fast.positions) == len(fast.taken) == len(fast.arrivals) == (not ends), (number, ends)
                for seen in (fast.packets, fast.positions, fast.taken, fast.arrivals):
                    seen.clear()


@cocotb.test()
async def what_is_not_for_here_passes(dut: Any) -> None:
    fast = await started(dut)
    payload = bytes(range(100))
    cases: list[tuple[bytes, dict[str, int]]] = [
        (segment(payload, 901), {}),
        (segment(payload, 899), {}),
        (segment(b"", 900), {}),
        (segment(payload, 900, to="ff:ff:ff:ff:ff:ff"), {}),
        (segment(payload, 900, sport=40001), {}),
        (segment(payload, 900, dport=8), {}),
        (segment(payload, 900, ip={"dst": "10.0.0.3"}), {}),
        (segment(payload, 900, ip={"src": "10.0.0.8"}), {}),
        (segment(payload, 900, ip={"flags": "MF"}), {}),
        (segment(payload, 900, ip={"frag": 3}), {}),
        (segment(payload, 900, ip={"proto": 17}), {}),
        (segment(payload, 900, flags="FPA"), {}),
        (segment(payload, 900, flags="RA"), {}),
        (segment(payload, 900, flags="SA"), {}),
        (segment(payload, 900, flags="P"), {}),
        (segment(payload, 900, flags="UPA"), {}),
        (segment(payload, 900, options=[("NOP", None)] * 4), {}),
        (segment(payload, 900, ack=5001), {}),
        (segment(payload, 900, ack=4999), {}),
        (segment(payload, 900), {"rx_room": 99}),
        (segment(payload, 900), {"rx_open": 0}),
        (segment(payload, 900), {"look_open": 0}),
        (segment(payload, 900), {"known": 0}),
        (segment(payload, 900), {"delivered": 1}),
        (segment(payload, 900), {"busy": 1}),
        (segment(payload, 900), {"rx_nxt": 901}),
    ]
    for early in (1, 0):
        dut.early.value = early
        for frame, ports in cases:
            before = {port: int(getattr(dut, port).value) for port in ports}
            for port, value in ports.items():
                getattr(dut, port).value = value
            await fast.receive(frame)
            await fast.wait(30)
            assert not fast.packets and not fast.positions and not dut.hold.value, (frame.hex(), ports)
            bare = len(frame) == 60 and not ports and frame == segment(b"", 900)
            assert len(fast.taken) == len(fast.arrivals) == bare, (frame.hex(), ports)
            fast.taken.clear()
            fast.arrivals.clear()
            for port, value in before.items():
                getattr(dut, port).value = value
        await fast.receive(segment(payload, 900))
        await fast.wait(30)
        assert [(got, aborted) for got, aborted, _ in fast.packets] == [(payload, False)]
        for seen in (fast.packets, fast.positions, fast.taken, fast.arrivals):
            seen.clear()


@cocotb.test()
async def a_packet_of_its_connection_beside_it_leaves_a_segment_to_the_ring(dut: Any) -> None:
    """One that is under way in any cycle from that before the hold on, up to that before the decision."""
    fast = await started(dut)
    payload, refused, holds = bytes(range(100)), [], []

    async def beside(at: int) -> list[int]:
        held = []
        for cycle in range(60):
            dut.busy.value = cycle == at
            await ReadOnly()
            if dut.hold.value:
                held.append(cycle)
            await RisingEdge(dut.clk)
        return held

    for at in range(40):
        watched = cocotb.start_soon(beside(at))
        await fast.receive(segment(payload, 900))
        held = await watched
        holds.append(held)
        if not fast.packets:
            refused.append(at)
        assert len(fast.packets) == len(fast.positions) == (at not in refused)
        for seen in (fast.packets, fast.positions, fast.taken, fast.arrivals):
            seen.clear()
    first, last = holds[refused[0]][0], holds[refused[0]][-1]
    assert all(held[0] == first for held in holds)
    assert refused == list(range(first - 1, last))


@cocotb.test()
async def a_bad_segment_is_aborted_or_never_seen(dut: Any) -> None:
    fast = await started(dut)
    for number in range(60):
        early = number % 2
        dut.early.value = early
        payload = fast.rng.randbytes(fast.rng.choice((1, 5, 12, 60, 300, 1460)))
        if fast.rng.random() < 0.3:
            payload = bytes(len(payload))  # whose sum is right wherever it is cut
        frame = bytearray(segment(payload, 900))
        fault = fast.rng.choice(("fcs", "byte", "ip", "cut"))
        if fault == "byte":
            frame[fast.rng.randrange(HEADER, HEADER + len(payload))] ^= 1 << fast.rng.randrange(8)
        if fault == "ip":
            frame[22] ^= 1  # time to live
        if fault == "cut":
            del frame[fast.rng.randrange(HEADER, HEADER + len(payload)) :]
        await fast.receive(bytes(frame), bad=fault == "fcs", pace=fast.rng.choice((1.0, 0.7)))
        await fast.wait(220)
        assert not fast.positions and not dut.hold.value and not fast.taken and not fast.arrivals
        short = len(frame) < 60  # the line would call it a runt; so soon over that nothing has begun
        aborts = [aborted for _, aborted, _ in fast.packets]
        assert aborts == ([True] if early else []) or (short and not aborts), (fault, len(payload))
        for got, _, _ in fast.packets:
            whole = len(got) - len(got) % fast.lanes
            assert (
                fault == "byte"
                or got[: min(whole, len(frame) - HEADER) // 8 * 8]
                == payload[: min(whole, len(frame) - HEADER) // 8 * 8]
            )
        fast.packets.clear()
    await fast.receive(segment(b"and on", 900))
    await fast.wait(10)
    assert [(got, aborted) for got, aborted, _ in fast.packets] == [(b"and on", False)]


@cocotb.test()
async def a_datagram_that_goes_on_behind_its_frame_is_not_delivered(dut: Any) -> None:
    """Its last bytes are 0, so its sum fits wherever the frame ends."""
    fast = await started(dut)
    frame = segment(bytes(4 * fast.line + 3), 900)
    for early in (1, 0):
        dut.early.value = early
        for end in range(60, len(frame)):
            await fast.receive(frame[:end])
            await fast.wait(12)
            assert not fast.positions and not fast.taken and not fast.arrivals, end
            assert all(aborted for _, aborted, _ in fast.packets) and not dut.hold.value
        await fast.receive(frame)
        await fast.wait(40)
        assert fast.positions == [len(frame) - HEADER]
        for seen in (fast.packets, fast.positions, fast.taken, fast.arrivals):
            seen.clear()


@cocotb.test()
async def frames_back_to_back_and_a_reader_that_stalls(dut: Any) -> None:
    fast = await started(dut)
    dut.rx_nxt.value, dut.rx_room.value = 900, 1 << 17

    async def stalls() -> None:
        while True:
            dut.m_tready.value = fast.rng.random() < 0.7
            await RisingEdge(dut.clk)

    async def positions() -> None:
        while True:
            await RisingEdge(dut.clk)
            if fast.positions:
                dut.delivered.value = fast.positions[-1]

    cocotb.start_soon(stalls())
    cocotb.start_soon(positions())
    for early in (1, 0):
        dut.early.value = early
        wanted, at = [], fast.positions[-1] if fast.positions else 0
        for _ in range(40):
            payload = fast.rng.randbytes(fast.rng.choice((1, 4, 6, 7, 20, 100, 200)))
            wanted.append(payload)
            await fast.receive(segment(payload, 900 + at), rest=3)
            at += len(payload)
        await fast.wait(300)
        assert [got for got, _, _ in fast.packets] == wanted
        assert fast.positions[-1] == at
        assert len(fast.taken) == len(fast.arrivals) == len(wanted)
        for seen in (fast.packets, fast.taken, fast.arrivals):
            seen.clear()
    assert fast.counts["rx_aborted"] == 0


@dataclass
class Came:
    """A frame of a train."""

    payload: bytes
    at: int
    """Position of its first byte."""
    ours: bool
    bad: bool
    words: int

    def frame(self) -> bytes:
        return segment(self.payload, 900 + self.at, dport=7 if self.ours else 8)


def may_be_left(line: int, before: Came, ended_before: int, ended: int) -> bool:
    """Whether the frame that ended there came so soon behind the other that it may be left to the ring."""
    if line == 64:
        return ended < ended_before + 3
    return line == 32 and before.words == 2 and ended == ended_before + 2


async def stream_follows(dut: Any, fast: Fast) -> None:
    """tcp_stream and the core: what was delivered is known a cycle later."""
    while True:
        await RisingEdge(dut.clk)
        if fast.positions:
            dut.delivered.value = fast.positions[-1]
            dut.rx_nxt.value = 900 + fast.positions[-1]


def check_train(fast: Fast, train: list[Came], at: int, early: bool) -> tuple[int, int]:
    """Walks through what came, by the rules for one stream; the position behind it, and how many frames were left."""
    packets, positions, left = list(fast.packets), [], 0
    for number, came in enumerate(train):
        if not came.ours or came.at != at:
            continue
        may = number > 0 and may_be_left(fast.line, train[number - 1], *fast.ends[number - 1 : number + 1])
        seen = bool(packets) and packets[0][0][:10] == came.payload[:10] and packets[0][1] == came.bad
        if may and not seen:
            left += 1
            continue
        if came.bad and not early:
            continue
        assert packets, (number, came.at, came.bad)
        got, aborted, _ = packets.pop(0)
        assert aborted == came.bad and got == came.payload, (number, len(got), len(came.payload), aborted)
        if not came.bad:
            at += len(came.payload)
            positions.append(at)
    assert not packets and positions == fast.positions
    assert len(fast.taken) == len(fast.arrivals) == len(positions)
    return at, left


@cocotb.test()
async def a_frame_that_ends_in_its_header_holds_nobody(dut: Any) -> None:
    fast = await started(dut)
    payload = bytes(range(100))
    for early in (1, 0):
        dut.early.value = early
        for length in (1, 14, 33, 38, 40, *(41, 44, 47, 48) * 4, 53):
            pace = fast.rng.choice((1.0, 0.5, 0.3))
            await fast.receive(segment(payload, 900)[:length], bad=bool(fast.rng.getrandbits(1)), pace=pace)
            await fast.wait(30)
            assert not dut.hold.value and not fast.positions, length
            assert all(aborted for _, aborted, _ in fast.packets)
            fast.packets.clear()
        await fast.receive(segment(payload, 900))
        await fast.wait(30)
        assert [(got, aborted) for got, aborted, _ in fast.packets] == [(payload, False)]
        fast.packets.clear()
        fast.positions.clear()


@cocotb.test()
async def frames_without_an_idle_cycle_between_them(dut: Any) -> None:
    fast = await started(dut)
    dut.rx_room.value = 1 << 17
    cocotb.start_soon(stream_follows(dut, fast))
    at, left, passed = 0, 0, dict.fromkeys(("minimum", "most", "mixed"), 0)
    for number, kind in enumerate((*passed, *passed, "mixed", "minimum", "mixed", "minimum")):
        early = number % 2
        dut.early.value = early
        for seen in (fast.ends, fast.packets, fast.positions, fast.taken, fast.arrivals):
            seen.clear()
        train, next_at = [], at
        for _ in range(10 if kind == "most" else 60):
            length = {"minimum": fast.rng.randrange(1, 7), "most": LONGEST}.get(kind, fast.rng.randrange(1, 260))
            which = fast.rng.random()
            if which > 0.8 or (which > 0.5 and kind == "minimum"):
                next_at = fast.positions[-1] if fast.positions else at
            wrong = fast.rng.choice((0, 0, 0, 0, 1, -1)) if kind != "most" else 0
            payload = fast.rng.randbytes(length)
            words = -(-max(60, HEADER + length) // fast.line)
            came = Came(payload, next_at + wrong, fast.rng.random() < 0.85, fast.rng.random() < 0.25, words)
            train.append(came)
            idle = 0 if kind == "most" else fast.rng.choice((0, 0, 0, 1, 2, 3, 4, 5, 9))
            frame, bad = came.frame(), came.bad
            if bad and fast.rng.getrandbits(1):  # its first bytes stay, the FCS is good, the sum is not
                fast_bad = bytearray(frame)
                fast_bad[18] ^= 1 << fast.rng.randrange(8)
                frame, bad = bytes(fast_bad), False
            await fast.receive(frame, bad=bad, rest=idle)
            if came.ours and not came.bad and not wrong:
                next_at += length
        await fast.wait(400)
        before = at
        at, missing = check_train(fast, train, at, bool(early))
        left += missing
        passed[kind] += at - before
        assert kind != "most" or not missing
        assert not dut.hold.value
    assert all(passed.values()) and bool(left) == (fast.line == 64 or (fast.line == 32 and left > 0))


@cocotb.test()
async def a_reader_that_stops_loses_whole_frames_to_the_ring(dut: Any) -> None:
    fast = await started(dut)
    dut.rx_room.value = 1 << 17
    cocotb.start_soon(stream_follows(dut, fast))
    at = 0
    for number in range(8):
        early = number % 2
        dut.early.value = early
        dut.m_tready.value = 0
        fast.packets.clear()
        fast.positions.clear()
        given = {}
        for _ in range(20):
            payload = fast.rng.randbytes(fast.rng.choice((40, 300, 1460) if number < 6 else (7,)))
            here = fast.positions[-1] if fast.positions else at
            given[payload] = here
            await fast.receive(segment(payload, 900 + here), rest=fast.rng.choice((0, 12, 12, 12)))
        await fast.wait(10)
        dut.m_tready.value = 1
        await fast.wait(1500)
        good = [got for got, aborted, _ in fast.packets if not aborted]
        assert good and len(good) < 20 and not dut.hold.value, number
        for got in good:
            assert given[got] == at
            at += len(got)
        assert fast.positions and fast.positions[-1] == at and len(fast.positions) == len(good)
        aborts = [got for got, aborted, _ in fast.packets if aborted]
        assert early or not aborts
        assert all(any(payload[:7] == got[:7] for payload in given) for got in aborts)
    assert fast.counts["left_out"]


COVERS = ("tcp_fast_rx.c_clash", "tcp_fast_rx.c_store_full", "tcp_fast_rx.c_no_arrival", "tcp_fast_rx.c_gone")
QUICK = [(512, 512, 1), *slow([(128, 64, 1), (128, 128, 1)])]
MORE = [(64, 64, 1), (512, 64, 1), (256, 64, 1), (64, 64, 2), (128, 64, 2)]
MORE_LINES = [(256, 256, 1), (512, 128, 1), (512, 256, 1), (256, 128, 2), (512, 512, 2), (256, 256, 2)]


@pytest.mark.parametrize(("width", "line", "seed"), some(QUICK, [*MORE, *MORE_LINES]))
def test_tcp_fast(width: int, line: int, seed: int) -> None:
    parameters = {"WIDTH": width, "LINE": line}
    covers = COVERS if (width, line, seed) == QUICK[0] else ()
    run_bench(
        "tcp_fast_tb", parameters, extra_sources=(TB,), extra_env={"FAST_SEED": str(seed)}, seed=seed, covers=covers
    )
