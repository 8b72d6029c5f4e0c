# SPDX-License-Identifier: Apache-2.0
"""`tcp_core` beside the step function: each event's record and actions are equal, bit for bit.

The logs are of streams over bad lines, of the machine of test_tcp_states, and of corners.py. KINDS is what must have
been replayed.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import test_tcp_states
from bench import check_covers
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from runs import seeds, some
from tcp.core_replay import CONNECTIONS, replay
from tcp.corners import Corners
from tcp.engine import Engine, Logged
from tcp.events import Drop, Op, Settings
from tcp.package import STRUCTS, WIDTHS
from tcp.pairs import OURS, QUICK, engine_pair, transfer
from tcp.pipe import BAD, Mix
from tcp.record import OPTIONS, WORD

COVERS = (
    "tcp_core_judge.c_syn_ends_time_wait", "tcp_core_judge.c_closed_window", "tcp_core_text.c_no_gap",
    "tcp_core_text.c_two_removed", "tcp_core_text.c_fin_behind_gap",
)  # fmt: skip
KINDS = {"Arrival", "Spawn", "Leave", "Timer", "Turn", "Command", "Icmp"}


def stream_log(seed: int) -> tuple[list[Logged], Settings]:
    """Of one of two engines over a bad line."""
    rng = random.Random(seed)
    logs: tuple[list[Logged], list[Logged]] = [], []
    given = replace(
        QUICK,
        scale=rng.random() < 0.7,
        stamps=rng.random() < 0.7,
        sack=rng.random() < 0.7,
        delayed_ack_us=rng.choice((100, 500, 3000)),
        least_rto_us=rng.choice((1000, 20_000)),
    )
    rings = rng.choice((0, 1, 3, 6, 7)), rng.choice((0, 1, 3, 6, 7))
    isn = rng.choice((None, WORD - 1, WORD - rng.randrange(100_000)))
    ends = engine_pair(rng, rings=rings, settings=given, isn=isn, logs=logs)
    mix = rng.choice((Mix(), Mix(loss=0.05), Mix(loss=0.2), Mix(burst=0.02), Mix(reorder=0.3), BAD))
    sizes = rng.choice((0, 1, 777, 40_001)), rng.choice((0, 999, 30_001))
    chunks = rng.choice((137, 1460, 5000)), rng.choice((89, 1448, 5000))
    transfer(ends, mix, rng, sizes, chunks=chunks, lazy_us=(rng.choice((0, 700)), 0), flight_us=rng.choice((1, 2000)))
    return logs[seed & 1], given


def same(
    log: list[Logged], given: Settings, *, fast: bool = False, waits: tuple[int, ...] = (), covers: Sequence[str] = ()
) -> Counter[str]:
    result = replay(log, given, fast=fast, waits=waits)
    assert not result.differences, "\n".join(result.differences[:3])
    check_covers(covers, result.reached)
    return result.counts


@pytest.mark.parametrize("seed", seeds(12, 300))
def test_streams_over_bad_lines_are_those_of_the_model(seed: int) -> None:
    assert {"Arrival", "Turn", "Command"} <= set(same(*stream_log(seed)))


@pytest.mark.parametrize("seed", seeds(6, 60))
def test_an_event_each_eight_cycles_finds_what_the_one_before_has_left(seed: int) -> None:
    same(*stream_log(seed), fast=True)


@pytest.mark.parametrize("seed", seeds(3, 60))
def test_events_at_records_in_any_condition_are_those_of_the_model(seed: int) -> None:
    source = Corners(seed, CONNECTIONS)
    log = source.log(2500)
    covers = COVERS if seed <= 3 else ()  # not each seed comes to all
    assert set(same(log, source.settings, covers=covers)) >= KINDS


def test_records_in_any_condition_bring_every_cause_of_a_drop() -> None:
    """Three seeds together: one alone may miss a listener that is full."""
    dropped = {one.actions.drop for seed in (1, 2, 3) for one in Corners(seed, CONNECTIONS).log(2500)}
    assert dropped >= set(Drop) - {Drop.NO_GAP}


@pytest.mark.parametrize("seed", seeds(8, 200))
def test_events_in_a_row_for_one_connection_and_another_find_what_the_last_has_left(seed: int) -> None:
    """Each 8 cycles, 9, 10 or some more."""
    source = Corners(seed, CONNECTIONS - seed % 2 * 13)
    log = source.sequence(400)
    rng = random.Random(seed)
    waits = () if seed % 4 == 1 else tuple(rng.choice((0, 0, 7, 8, 9, 10, 11, 12, 15, 20)) for _ in range(50))
    same(log, source.settings, fast=True, waits=waits)


@pytest.mark.parametrize("examples", some((30,), (600,)))
def test_whatever_comes_is_what_it_is_in_the_model(examples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    logs: list[list[Logged]] = []
    given = test_tcp_states.SETTINGS

    def logged(*args: Any, **more: Any) -> Engine:
        logs.append([])
        return Engine(*args, log=logs[-1], **more)

    monkeypatch.setattr(test_tcp_states, "Engine", logged)
    run_state_machine_as_test(
        test_tcp_states.Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=60,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    counts: Counter[str] = Counter()
    for log in logs:
        counts += same(log, given)
    assert set(counts) == KINDS, f"replayed: {counts}"


@pytest.mark.parametrize("seed", seeds(2, 20))
def test_commands_in_any_state_are_answered_as_in_the_model(seed: int) -> None:
    rng = random.Random(seed)
    log: list[Logged] = []
    engine = Engine(OURS, CONNECTIONS, settings=QUICK, log=log)
    engine.tuples = [((OURS, 7 + index), (bytes(4), index)) for index in range(CONNECTIONS)]
    for _ in range(2000):
        value = rng.choice((0, 1, 8, 63, 551, 552, 2048, 2049, 1 << 16, WORD - 1, rng.getrandbits(32)))
        index, op = rng.randrange(6), rng.choice(list(Op))
        a = rng.randrange(len(OPTIONS) + 1) if op == Op.OPTION else value
        engine.command(index, op, rng.getrandbits(50), a, rng.choice((0, 1, value)))
    assert same(log, QUICK)["Command"] == 2000


def test_settings_of_the_package_are_those_of_the_model() -> None:
    assert [one.name for one in STRUCTS["settings_t"]] == list(Settings.__dataclass_fields__)


def test_an_event_has_room_for_each_kind() -> None:
    kinds = [one.kind for one in STRUCTS["event_t"]]
    assert {"arrival_t", "command_t", "icmp_t"} <= set(kinds)
    assert WIDTHS["event_t"] == sum(one.bits for one in STRUCTS["event_t"])
