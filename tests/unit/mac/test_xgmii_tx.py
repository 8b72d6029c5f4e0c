# SPDX-License-Identifier: Apache-2.0
"""xgmii_tx with a sender that always has the next word, or not: xgmii_model takes apart what comes out."""

import itertools
import random
from dataclasses import dataclass, field
from typing import Any

import cocotb
import xgmii_model as xgmii
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

LATENCY = 2  # clock edges from request to start
LANES = [*range(1, 9)]


@dataclass
class Outcome:
    line: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)  # cycles in which a frame began to be requested
    sfds: list[int] = field(default_factory=list)
    ended: int = 0


async def _send(
    dut: Any, frames: list[bytes], *, waits: list[int] | None = None, dry: dict[int, tuple[int, bool]] | None = None,
    faults: dict[int, int] | None = None, more: int = 12,
) -> Outcome:  # fmt: skip
    """Each frame is requested so many cycles behind the end of the one before; `dry`: of a frame, a word that is not
    there, or is bad; `faults`: from a cycle on."""
    cocotb.start_soon(Clock(dut.clk, 6400, "ps").start())
    dut.rst.value, dut.line.value, dut.fault.value = 1, 0, 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    out = Outcome()
    index, word, wait, cycle, tail = 0, 0, 0, 0, more
    inside = False
    while index < len(frames) or tail:
        await RisingEdge(dut.clk)
        tail -= index == len(frames)
        if faults and cycle in faults:
            dut.fault.value = faults[cycle]
        request = index < len(frames) and wait == 0 and not inside
        if request and len(out.requests) == index:
            out.requests.append(cycle)
        wait = max(wait - 1, 0)
        valid, bad, last, lane, data = request or inside, False, False, 7, random.getrandbits(64)
        if valid:
            frame = frames[index]
            part = frame[8 * word : 8 * word + 8]
            last, lane = 8 * word + 8 >= len(frame), len(part) - 1
            data = int.from_bytes(part + random.randbytes(8 - len(part)), "big")
            at, is_bad = (dry or {}).get(index, (-1, False))
            if word == at:
                valid, bad, last = is_bad, is_bad, is_bad
        asks = request or (inside and bool(random.getrandbits(1)))  # another one may wait meanwhile
        packed = asks << 71 | valid << 70 | bad << 69 | last << 68 | lane << 65 | data << 1
        dut.line.value = packed
        await FallingEdge(dut.clk)
        pins, status = int(dut.xgmii.value), int(dut.status.value)
        out.line += [pins >> 8 * n & 0xFF | (pins >> 64 + n & 1) << 8 for n in range(8)]
        if status >> 4 & 1:
            assert request
            out.begins.append(cycle)
            inside = True
        if status >> 3 & 1:
            assert inside
            word += 1
            if last or not valid:
                index, word, inside = index + 1, 0, False
                wait = waits[index] if waits and index < len(frames) else 0
        if status >> 2 & 1:
            out.sfds.append(cycle)
        out.ended += status >> 1 & 1
        assert not (status & 1 and (inside or status >> 3 & 1)), "idle with a frame"
        cycle += 1
    assert status & 1, "idle"
    return out


def _gaps(sent: list[xgmii.Sent]) -> list[int]:
    return [after.start - before.end for before, after in itertools.pairwise(sent)]


@cocotb.test()
async def each_length_goes_out_whole_in_both_lanes_and_the_mean_gap_is_twelve(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    lengths = [*range(1, 90), *range(1500, 1519)] + [rng.randrange(60, 130) for _ in range(600)]
    frames = [rng.randbytes(length) for length in lengths]
    out = await _send(dut, frames)
    sent = xgmii.sent(out.line)
    assert [one.body for one in sent] == [xgmii.with_fcs(frame.ljust(60, b"\0")) for frame in frames]
    assert out.ended == len(frames)
    assert {one.start % 8 for one in sent} == {0, 4} and {one.end % 8 for one in sent} == set(range(8))
    gaps = _gaps(sent)
    assert set(gaps) == set(range(9, 16))
    short = 0
    for gap in gaps:
        short += 12 - gap
        assert 0 <= short <= 3
    # The SFD's word is at the pins from `begins` + 2 on, or half a word later.
    assert [sfd - begun for sfd, begun in zip(out.sfds, out.begins, strict=True)] == [
        3 + (one.start % 8 == 4) for one in sent
    ]


@cocotb.test()
async def a_frame_that_waits_for_nothing_starts_two_edges_behind_its_request(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    frames = [rng.randbytes(rng.randrange(60, 100)) for _ in range(60)]
    out = await _send(dut, frames, waits=[rng.randrange(12, 30) for _ in frames])
    sent = xgmii.sent(out.line)
    assert [one.start for one in sent[1:]] == [8 * (at + LATENCY) for at in out.requests[1:]]


@cocotb.test()
async def gaps_of_frames_that_come_late_are_never_short(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    frames = [rng.randbytes(rng.randrange(60, 80)) for _ in range(300)]
    sent = xgmii.sent((await _send(dut, frames, waits=[rng.randrange(6) for _ in frames])).line)
    assert len(sent) == 300
    short = 0
    for gap in _gaps(sent):
        short = max(short + 12 - gap, 0)
        assert short <= 3


@cocotb.test()
async def a_word_that_is_missing_or_bad_cuts_its_frame_short(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    frames, dry = [], {}
    for at in range(1, 14):
        for is_bad in (False, True):
            for _ in range(2):
                dry[len(frames)] = (at, is_bad)
                frames.append(rng.randbytes(120))
                frames.append(rng.randbytes(rng.randrange(40, 90)))
    out = await _send(dut, frames, dry=dry)
    sent = xgmii.sent(out.line)
    assert len(sent) == len(frames) and out.ended == len(frames) - len(dry)
    for index, one in enumerate(sent):
        assert one.cut == (index in dry)
        whole = xgmii.with_fcs(frames[index].ljust(60, b"\0"))
        assert one.body == (frames[index][: 8 * dry[index][0]] if one.cut else whole)
        assert not one.cut or one.end - one.start == 8 + len(one.body) + 8


@cocotb.test()
async def no_frame_begins_in_a_fault_and_a_local_one_is_answered(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    frames = [rng.randbytes(100) for _ in range(20)]
    out = await _send(dut, frames, faults={40: 3, 90: 2, 140: 3, 200: 1})  # 1: no fault
    sent = xgmii.sent(out.line)
    assert [one.body for one in sent] == [xgmii.with_fcs(frame) for frame in frames], "they wait"
    assert not any(40 <= begun < 200 for begun in out.begins)
    for first, last, column in (
        (62, 90, xgmii.REMOTE_FAULT),
        (92, 140, [xgmii.IDLE] * 4),
        (142, 200, xgmii.REMOTE_FAULT),
    ):
        assert out.line[8 * first : 8 * last] == column * (2 * (last - first))
    assert xgmii.SEQUENCE not in out.line[8 * 203 :]


def test_xgmii_tx() -> None:
    run_bench("xgmii_tx")
