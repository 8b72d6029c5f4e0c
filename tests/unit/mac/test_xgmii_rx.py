# SPDX-License-Identifier: Apache-2.0
"""xgmii_rx tells the ends, words and starts of whatever is on the line as xgmii_model does, which judges all of it."""

import itertools
import random
from typing import Any

import cocotb
import xgmii_model as xgmii
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from mac_model import ether_crc

MAX_FRAME = 1522
FATES = ("good", "error", "oversize", "runt", "fcs")
LENGTHS = [*range(64, 100), *range(100, 1500, 97), *range(1512, 1530)]
LATENCY = 2  # clock edges from the one that takes the terminate


def _cut(value: int, high: int, low: int = 0) -> int:
    return value >> low & (1 << high - low + 1) - 1


async def _play(dut: Any, line: list[int], max_frame: int = 0) -> list[xgmii.Event]:
    """Put a line on the pins; compare all that comes out of it."""
    cocotb.start_soon(Clock(dut.clk, 6400, "ps").start())
    idle = ((0x07 * 0x0101_0101_0101_0101), 0xFF)
    dut.rst.value, dut.control.value, dut.xgmii.value = 1, 0, idle[1] << 64 | idle[0]
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    most = min(max_frame or MAX_FRAME, MAX_FRAME)
    expected = xgmii.events(line, most)
    ends: list[tuple[str, int]] = []
    frame, starts, sound, at_sfd = b"", [], False, -1
    bodies = iter(expected)
    carrier = 0
    for cycle, (data, control) in enumerate([*xgmii.words(line), *[idle] * 6]):
        dut.xgmii.value, dut.control.value = control << 64 | data, max_frame << 32 | cycle
        await FallingEdge(dut.clk)
        # Carrier 112, start 111, stamp 110:79, valid, last 77, last_lane 76:74, data 73:10, sound 9, hash 8:3, fate 2
        out = int(dut.line.value)
        start, valid, last = _cut(out, 111, 111), _cut(out, 78, 78), _cut(out, 77, 77)
        if start:
            assert not valid and not frame
            at_sfd = _cut(out, 110, 79)
            starts.append(at_sfd)
            assert cycle - at_sfd == LATENCY
            sound = False
        if valid:
            word, lane = _cut(out, 73, 10).to_bytes(8, "big"), _cut(out, 76, 74)
            assert lane == 7 or last
            if not frame and not last:
                assert _cut(out, 8, 3) == ether_crc(word[:6]) >> 26
            frame += word[: lane + 1]
            assert not any(word[lane + 1 :])
            assert _cut(out, 9, 9) == (not last and len(frame) >= 64)
            sound |= bool(_cut(out, 9, 9))
        if last:
            assert not _cut(out, 112, 112)
            event = next(bodies)
            fate = FATES[_cut(out, 2)]
            assert (fate, cycle) == (event.fate, event.end + LATENCY), (event, fate, cycle)
            if fate in ("good", "fcs"):
                assert frame == event.body[:-4]
            if fate == "oversize":
                assert len(frame) <= MAX_FRAME + 12 and frame.startswith(event.body[:-4][: MAX_FRAME - 8])
            ends.append((fate, cycle))
            frame = b""
        carrier = _cut(out, 112, 112)
        await RisingEdge(dut.clk)
    assert not carrier and len(ends) == len(expected)
    return expected


@cocotb.test()
async def each_length_in_both_lanes_has_its_fate(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    bodies = [rng.randbytes(length) for length in range(64)]
    for length in LENGTHS:
        body = xgmii.with_fcs(rng.randbytes(length - 4))
        wrong = rng.randrange(8 * length)
        bodies += [body, (int.from_bytes(body, "big") ^ 1 << wrong).to_bytes(length, "big")]
    for lane in (0, 4):
        for body in bodies:
            xgmii.place(line, xgmii.characters(body), 12, lane)
    seen = {event.fate for event in await _play(dut, line)}
    assert seen == {"good", "oversize", "runt", "fcs"}


@cocotb.test()
async def the_longest_frame_is_what_the_settings_say(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    for limit in (64, 65, 75, MAX_FRAME, MAX_FRAME + 8, 2034):
        most = min(limit, MAX_FRAME)
        line: list[int] = []
        lengths = range(most - 4, most + 9)
        for length in lengths:
            for lane in (0, 4):
                xgmii.place(line, xgmii.characters(xgmii.with_fcs(rng.randbytes(length - 4))), 5, lane)
        fates = [event.fate for event in await _play(dut, line, limit)]
        assert fates == [("oversize" if n > most else "runt" if n < 64 else "good") for n in lengths for _ in range(2)]


@cocotb.test()
async def any_six_bytes_and_the_sfd_in_its_place_are_a_preamble(dut) -> None:
    """No other byte is one, wherever there is one more SFD; nor with a character for one of the six."""
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    fates = []
    for lane in (0, 4):
        for bit in range(-4, 8):
            for at in range(-4, xgmii.SFD_AT):
                head = xgmii.garbled(rng)
                if bit >= 0:
                    head[xgmii.SFD_AT] ^= 1 << bit
                if at > 0:
                    head[at] = xgmii.ERROR
                fates.append("good" if bit < 0 and at <= 0 else "error")
                xgmii.place(line, xgmii.characters(xgmii.with_fcs(rng.randbytes(60)), head), 5, lane)
    assert [event.fate for event in await _play(dut, line)] == fates


@cocotb.test()
async def what_is_a_bit_from_a_start_begins_nothing_and_a_start_in_a_frame_no_other_one(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    fates = []
    for lane in (0, 4):
        for bit in range(8):
            head = [xgmii.START ^ 1 << bit, *xgmii.PREAMBLE[1:]]
            xgmii.place(line, xgmii.characters(xgmii.with_fcs(rng.randbytes(60)), head), 5, lane)
        for inside in (0, 4):
            for broken in (False, True):
                event = xgmii.characters(xgmii.with_fcs(rng.randbytes(124)))
                at = 40 + (inside - lane) % 8
                event[at : at + 8] = xgmii.PREAMBLE
                if broken:
                    event[20] = xgmii.ERROR
                fates.append("error")
                xgmii.place(line, event, 5, lane)
    assert [event.fate for event in await _play(dut, line)] == fates


@cocotb.test()
async def frames_with_gaps_of_five_bytes_come_one_behind_the_other(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    for length in [*range(64, 80)] * 4 + [69] * 40 + [64] * 40 + [rng.randrange(64, 90) for _ in range(300)]:
        xgmii.place(line, xgmii.characters(xgmii.with_fcs(rng.randbytes(length - 4))), 5)
    expected = await _play(dut, line)
    assert len(expected) == 444 and {event.fate for event in expected} == {"good"}


@cocotb.test()
async def frames_with_gaps_of_one_byte_are_received_too(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    for length in [*range(64, 80)] * 12 + [rng.randrange(64, 90) for _ in range(300)]:
        xgmii.place(line, xgmii.characters(xgmii.with_fcs(rng.randbytes(length - 4))), rng.choice((1, 1, 2, 3, 4)))
    expected = await _play(dut, line)
    assert len(expected) == 492 and {event.fate for event in expected} == {"good"}


@cocotb.test()
async def each_attempt_behind_an_end_in_its_word_is_counted(dut) -> None:
    """Runts of all lengths, none too, and starts without a preamble, one behind the other."""
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    for _ in range(1500):
        event = xgmii.characters(rng.randbytes(rng.choice((0, 1, 2, 3, 4, 11, 12, 20))))
        if rng.random() < 0.4:
            event = [xgmii.START, *rng.choices((xgmii.IDLE, xgmii.TERMINATE, 0x55), k=rng.randrange(1, 8))]
        xgmii.place(line, event, rng.choice((1, 2, 3, 9)))
    expected = await _play(dut, line)
    ends = [event.end for event in expected]
    assert {event.fate for event in expected} == {"runt", "error"} and len(ends) > 900
    assert any(after == before + 1 for before, after in itertools.pairwise(ends))
    assert not any(after == before + 2 for before, after in zip(ends, ends[2:], strict=False))


@cocotb.test()
async def a_wrong_character_anywhere_spoils_its_event_and_no_other(dut) -> None:
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    for lane in (0, 4):
        for wrong in (xgmii.ERROR, xgmii.START, xgmii.IDLE, xgmii.SEQUENCE, xgmii.TERMINATE, 0x1FF, 0x54):
            for at in [*range(1, 32), *range(68, 92)]:
                event = xgmii.characters(xgmii.with_fcs(rng.randbytes(rng.randrange(60, 80))))
                if at < len(event):
                    event[at] = wrong
                xgmii.place(line, event, 5, lane)
                line += [xgmii.TERMINATE] if xgmii.TERMINATE not in event else []
    await _play(dut, line)


@cocotb.test()
async def characters_that_mean_nothing_are_counted_once_at_most(dut) -> None:
    """Random ones, columns of faults and errors, starts and whole frames wherever they fall."""
    rng = random.Random(random.getrandbits(64))
    line: list[int] = []
    for _ in range(2500):
        kind = rng.randrange(8)
        if kind == 0:
            line += [rng.choice((xgmii.START, xgmii.TERMINATE, xgmii.ERROR, rng.randrange(512)))]
        elif kind == 1:
            line += rng.choice((xgmii.LOCAL_FAULT, xgmii.REMOTE_FAULT, [xgmii.ERROR] * 4))
        elif kind == 2:
            line += xgmii.characters(rng.randbytes(rng.randrange(20)))
        elif kind == 3:
            line += rng.sample(xgmii.PREAMBLE, rng.randrange(1, 8))
        elif kind == 4:
            xgmii.place(line, xgmii.characters(xgmii.with_fcs(rng.randbytes(60))), rng.randrange(1, 12))
        else:
            line += [xgmii.IDLE] * rng.randrange(20)
    seen = [event.fate for event in await _play(dut, line)]
    assert {"good", "error", "runt"} <= set(seen) and len(seen) > 400


def test_xgmii_rx() -> None:
    run_bench("xgmii_rx")
