# SPDX-License-Identifier: Apache-2.0
"""Modes switch at run time, under traffic, without losing a buffer or a frame that no counter counts."""

import random
from collections import Counter

import pytest
from runs import some
from traffic import check_conservation, echo, frame, settle

from nsoc.machine.selftest import MODES, Session

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("preset", "seed"),
    some(
        [("nic12-fast", 0), ("nic11-fast", 0)],
        [*(("nic12-fast", seed) for seed in range(1, 6)), ("nic11-fast", 1), ("nic11-fast", 2)],
    ),
)
def test_modes_switch_under_traffic_and_nothing_is_lost_that_is_not_counted(preset: str, seed: int) -> None:
    rng = random.Random(f"modes {seed}")
    with Session(preset, seed, checks=True) as session:
        soc = session.soc
        session.enter("normal")
        frames: list[bytes] = []
        received = []
        switches = Counter()
        for _ in range(30):
            length = rng.choice([60, 64, 1514, rng.randrange(60, 1515)])
            for _ in range(rng.randrange(1, 40)):
                frames.append(frame(rng.choice([length, rng.randrange(60, 1515)]), rng))
                soc.wire.send(frames[-1], ifg=rng.choice([12, 12, rng.randrange(12, 3000)]))
            soc.run(us=rng.uniform(0, 60))
            before, mode = session.mode, rng.choice(MODES)
            session.enter(mode)  # in the middle of what is under way
            switches[before, mode] += soc.wire.queued > 0
            received += soc.wire.receive_all()
        received += settle(soc, idle_us=300)
        session.enter("normal")  # in MAC loopback what is still inside a slow NIC waits for the end of that
        received += settle(soc, idle_us=300)
        assert sum(switches.values()) > 15, "the line was busy at most of the switches"
        check_conservation(soc, len(frames), len(received))
        sent = Counter(frames)
        for back in received:
            assert back.good
            original = back.data if sent[back.data] else echo(back.data)
            assert sent[original] > 0, "a frame came back that was not sent, or twice"
            sent[original] -= 1
        last = frame(100, rng)
        soc.wire.send(last)
        assert [back.data for back in settle(soc)] == [echo(last)], "and it works on"
        check_conservation(soc, len(frames) + 1, len(received) + 1)
