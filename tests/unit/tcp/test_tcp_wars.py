# SPDX-License-Identifier: Apache-2.0
"""Two engines that do not agree about their numbers: whoever forged a byte is gone, and they must not answer each other
for ever (docs/tcp.md, number 29). In the model, in `tcp_core` by its log, and in the whole engine in RTL."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from tcp.core_replay import replay
from tcp.engine import Logged
from tcp.events import Flag, Send, Settings
from tcp.hw_engine import HwHost, hw_pair
from tcp.pairs import OURS, PORT, QUICK, THEIR_PORT, THEIRS, engine_pair
from tcp.pipe import NEVER, EngineHost
from tcp.record import WORD, Record, State
from tcp.wire import build

FLIGHT_US = 5
S = 1_000_000
MOST_FRAMES = 20
"""Until both are silent."""
ENDS = ((OURS, PORT), (THEIRS, THEIR_PORT))
KEPT = replace(QUICK, keep_interval_ms=100, keep_probes=3)

Ends = tuple[EngineHost, EngineHost] | tuple[HwHost, HwHost]


def record(host: EngineHost | HwHost) -> Record:
    assert host.index is not None
    if isinstance(host, EngineHost):
        return host.engine.records[host.index]
    return host.engine.status(host.index)


def carry(ends: Ends, now: int, until: int, most: int = 1000) -> tuple[list[tuple[int, bytes]], int]:
    """A good line up to that time, or up to so many frames. When each left, and the time then."""
    line: list[tuple[int, int, bytes]] = []
    sent: list[tuple[int, bytes]] = []
    while now <= until and len(sent) < most:
        for at, to, data in [one for one in line if one[0] <= now]:
            line.remove((at, to, data))
            ends[to].take(ends[1 - to].address, data, now)
        for number, end in enumerate(ends):
            while (data := end.poll(now)) is not None:
                sent.append((now, data))
                line.append((now + FLIGHT_US, 1 - number, data))
        ahead = min([end.deadline for end in ends] + [one[0] for one in line])
        if ahead == NEVER or ahead > until:
            break
        now = max(now + 1, int(ahead))
    return sent, max(now, until) if len(sent) < most else now


def forge(ends: Ends, to: int, now: int, flags: int = Flag.ACK, count: int = 1, at: int = 0, ack: int = 0) -> None:
    """As from the other one, at the next number: that one knows nothing of it."""
    r = record(ends[to])
    stamp = (r.ts_recent, 0) if r.ts_ok else None
    seg = Send((r.rcv_nxt + at) % WORD, (r.una + ack) % WORD, flags, 1000, length=count, stamp=stamp)
    ends[to].take(ends[1 - to].address, build(seg, ENDS[1 - to], ENDS[to], bytes(count)), now)


def in_the_model(settings: Settings) -> tuple[Ends, int, list[list[Logged]]]:
    logs: tuple[list[Logged], list[Logged]] = [], []
    ends = engine_pair(random.Random(1), settings=settings, logs=logs)
    _, now = carry(ends, 0, S)
    return ends, now, [*logs]


def in_hardware(settings: Settings) -> tuple[Ends, int, list[list[Logged]]]:
    ends = hw_pair(settings)
    now = max(one.engine.now for one in ends)
    _, now = carry(ends, now, now + 100_000)
    return ends, now, []


Made = Callable[[Settings], tuple[Ends, int, list[list[Logged]]]]


def silent(made: Made, settings: Settings, forged: tuple[int, int], flags: int = Flag.ACK) -> None:
    ends, now, logs = made(settings)
    assert [record(one).state for one in ends] == [State.ESTABLISHED] * 2
    for to, count in enumerate(forged):
        if count:
            forge(ends, to, now, flags, count)
    sent, now = carry(ends, now, now + S // 10, 200)
    assert 0 < len(sent) <= MOST_FRAMES
    later, _ = carry(ends, now, now + 20 * S, 200)
    assert later == []
    for log in logs:
        assert replay(log, settings).differences == []


@pytest.mark.parametrize("stamps", [False, True])
@pytest.mark.parametrize("forged", [(1, 1), (0, 1), (1, 0), (2, 1), (400, 1), (3, 3)])
def test_two_engines_one_forged_byte_apart_fall_silent(forged: tuple[int, int], stamps: bool) -> None:
    silent(in_the_model, replace(QUICK, stamps=stamps), forged)


@pytest.mark.parametrize("forged", [(1, 1), (0, 1)])
def test_two_engines_in_rtl_one_forged_byte_apart_fall_silent(forged: tuple[int, int]) -> None:
    silent(in_hardware, QUICK, forged)


@pytest.mark.parametrize("challenges", [0, 1, 2, 15])
def test_the_register_says_when_they_fall_silent(challenges: int) -> None:
    ends, now, _ = in_the_model(replace(QUICK, challenges=challenges))
    for to in (0, 1):
        forge(ends, to, now)
    sent, _ = carry(ends, now, now + S, 200)
    assert len(sent) <= 2 + 2 * -(-challenges // 2)


def test_two_engines_whose_ends_were_forged_fall_silent() -> None:
    """Each believes that the other has sent its FIN."""
    silent(in_the_model, QUICK, (1, 1), Flag.ACK | Flag.FIN)


def test_data_and_keep_alive_go_on_when_a_war_is_over() -> None:
    """Between two good ones, behind so many forged segments that nothing without data is answered for a while."""
    ends, now, _ = in_the_model(KEPT)
    for number, end in enumerate(ends):
        assert isinstance(end, EngineHost) and end.index is not None
        end.engine.option(end.index, "keep_on", 1, now)
        end.engine.option(end.index, "keep_idle", 7, now)
        for _ in range(50):
            forge(ends, number, now, count=0, at=-1)
    sent, now = carry(ends, now, now + S)
    assert 0 < len(sent) <= QUICK.challenges
    for number, end in enumerate(ends):
        assert end.write(b"data", now) == 4
        _, now = carry(ends, now, now + S // 10)
        assert ends[1 - number].read(9, now) == b"data"
    sent, now = carry(ends, now, now + 100 * S)
    assert len(sent) > 20, "probes, and their answers"
    assert all(record(end).state == State.ESTABLISHED and record(end).keep_count <= 1 for end in ends)


FIN = Flag.FIN | Flag.ACK
BARE = [(Flag.ACK, -1), (Flag.ACK, -500), (Flag.ACK, 70_000), (FIN, 70_000), (FIN, -500)]


@pytest.mark.parametrize(("flags", "at"), BARE)
@pytest.mark.parametrize("ends_first", [False, True])
def test_what_has_no_data_is_answered_by_half_of_the_limit(flags: int, at: int, ends_first: bool) -> None:
    """The other half is left for SYNs and resets, which come of a peer that has lost the connection."""
    ends, now, _ = in_the_model(QUICK)
    end = ends[0]
    assert isinstance(end, EngineHost) and end.index is not None
    if ends_first:
        forge(ends, 0, now, FIN, 0)
    while end.poll(now) is not None:
        pass

    def answers(times: int, flags: int, at: int, count: int = 0) -> int:
        found = 0
        for _ in range(times):
            forge(ends, 0, now, flags, count, at)
            while end.poll(now) is not None:
                found += 1
        return found

    half = QUICK.challenges // 2
    assert answers(50, flags, at) == half
    assert answers(50, Flag.SYN, 9) == QUICK.challenges - half
    assert answers(50, Flag.ACK, -1) == 0
    assert answers(9, Flag.ACK, -1, 1) == 9, "a probe with a byte"
    assert answers(9, Flag.ACK, -500, 100) == 9, "data again"
    if ends_first:
        assert answers(9, FIN, -1) == 9, "the FIN again"
        assert answers(9, FIN, 5) == 0, "a FIN behind it"
    now += 5 * S
    assert answers(50, flags, at) == half


def test_an_old_time_stamp_without_data_is_answered_by_the_limit_too() -> None:
    ends, now, _ = in_the_model(QUICK)
    end = ends[0]
    assert isinstance(end, EngineHost) and end.index is not None
    record(end).ts_recent += 100
    for flags, count, found in ((Flag.ACK, 0, 5), (FIN, 0, 0), (Flag.SYN, 0, 5), (FIN, 1, 20), (Flag.ACK, 1, 20)):
        answers = 0
        for _ in range(20):
            r = record(end)
            seg = Send((r.rcv_nxt + 3) % WORD, r.una, flags, 1000, length=count, stamp=(r.ts_recent - 1, 0))
            end.take(THEIRS, build(seg, ENDS[1], ENDS[0], bytes(count)), now)
            while end.poll(now) is not None:
                answers += 1
        assert answers == found, (flags, count)
