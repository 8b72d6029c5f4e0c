# SPDX-License-Identifier: Apache-2.0
"""The loop of a live session, over a network that only has times, and a clock and a sleep of the test's own."""

import itertools
import random
from types import SimpleNamespace
from typing import Any

import pytest
from runs import seeds

from nsoc.errors import NsocError
from nsoc.live import session as session_
from nsoc.live.session import Session
from nsoc.machine.sim import LONGEST_FS

NS, US, MS, S = 1, 10**3, 10**6, 10**9
FS_PER_NS = 10**6
SLOWER = 100
"""A SoC with something to do is so many times slower than real time."""


class Machine:
    """A clock on the wall, a SoC with timers, and Linux's frames: all times in nanoseconds."""

    def __init__(self, *, timers: tuple[int, ...] = (), frames: tuple[int, ...] = (), work: int = 20 * US) -> None:
        self.wall = 5 * S
        self.now = 0.0
        """Simulated."""
        self.timers, self.frames = sorted(timers), [self.wall + at for at in frames]
        """Simulated times of events in the SoC, wall times of frames from Linux."""
        self.line: list[tuple[float, int]] = []
        """Frames that went on the line: when they are in the SoC, simulated, and when they came from Linux."""
        self.work, self.busy_until = work, 0.0
        self.log: list[tuple[str, float]] = []
        self.samples: list[tuple[int, float]] = []
        self.sleeps: list[int] = []
        self.lateness = 0

    # As Network.

    @property
    def time_fs(self) -> int:
        return round(self.now * FS_PER_NS)

    time_us = property(lambda self: self.now / 1e3)
    time_ps = property(lambda self: round(self.now * 1000))

    @property
    def quiet_until_fs(self) -> int:
        if self.busy_until > self.now or self.line:
            return self.time_fs
        return round(self.timers[0] * FS_PER_NS) if self.timers else LONGEST_FS

    def pass_to(self, time_fs: int) -> None:
        assert time_fs <= self.quiet_until_fs, "only time in which nothing happens is skipped"
        assert time_fs >= self.time_fs
        self._at(time_fs / FS_PER_NS)

    def work_to(self, time_fs: int) -> None:
        self._look()
        while self.now < time_fs / FS_PER_NS:
            if self.timers and self.timers[0] <= self.now:
                self._busy("timer", self.timers.pop(0))
            if self.line and self.line[0][0] <= self.now:
                self._busy("frame", self.line.pop(0)[1])
            if self.busy_until <= self.now and not self.line:
                return
            until = min(time_fs / FS_PER_NS, self.now + US)
            self.wall += round((until - self.now) * SLOWER)
            self._at(until)
            self._look()

    def _at(self, time: float) -> None:
        self.now = time
        self.samples.append((self.wall, self.now))

    def _look(self) -> None:
        while self.frames and self.frames[0] <= self.wall:
            self.line.append((self.now + US, self.frames.pop(0)))

    def _busy(self, why: str, at: float) -> None:
        self.log.append((why, at))
        self.busy_until = self.now + self.work

    # As time.monotonic_ns and select.select.

    def clock(self) -> int:
        self.wall += 300
        return self.wall

    def wait(self, wanted: Any, _: Any, __: Any, seconds: float) -> tuple[list[Any], list[Any], list[Any]]:
        end = self.wall + round(seconds * S)
        if seconds:
            self.sleeps.append(round(seconds * S))
            self.wall = max(self.wall, min([end, *self.frames[:1]]) + self.lateness)
        return [one for one in wanted if one == 99 and self.frames and self.frames[0] <= self.wall], [], []


def session(machine: Machine, **options: Any) -> Session:
    """Over that machine."""
    soc = SimpleNamespace(simulation=SimpleNamespace(uart_read=lambda at: b""), losses={}, cycles=0)
    tap = SimpleNamespace(name="no-such", descriptor=99, take_record=list, counts=dict)
    world = SimpleNamespace(network=machine, socs=[soc], tap=tap, switch=None)
    return Session(world, clock=machine.clock, wait=machine.wait, **options)  # type: ignore[arg-type]


def live(machine: Machine, wall_s: float, **options: Any) -> None:
    """Goes on for so long, of the clock on the wall."""
    one, end = session(machine, **options), machine.wall + wall_s * S
    while machine.wall < end:
        one.step((end - machine.wall) / S)


def test_an_idle_soc_sleeps_until_its_next_event_and_is_woken_by_a_frame() -> None:
    machine = Machine(timers=(250 * MS, 500 * MS), frames=(100 * MS,))
    live(machine, 0.6)
    assert [why for why, _ in machine.log] == ["frame", "timer", "timer"]
    assert len(machine.sleeps) <= 8, "nothing is polled"
    assert 0.95 * 0.6 * S < machine.now <= 0.6 * S + 1 * MS, "idle time passes as fast as on the wall"


def test_a_frame_that_is_there_comes_before_the_event_that_ends_the_rest() -> None:
    machine = Machine(timers=(250 * MS,), frames=(249 * MS,))
    machine.lateness = 2 * S  # this process was not scheduled for so long
    live(machine, 3)
    assert [why for why, _ in machine.log] == ["frame", "timer"], "an answer that waits keeps a timer from firing"


def test_lag_is_not_caught_up() -> None:
    machine = Machine(timers=(1, 300 * MS), work=10 * MS)  # a second of work on the wall, then a timer 290 ms later
    live(machine, 1.1)
    assert [why for why, _ in machine.log] == ["timer"]
    worked = next(wall for wall, now in machine.samples if now >= 10 * MS)
    live(machine, 0.3)
    fired = next(wall for wall, now in machine.samples if now >= 300 * MS)
    assert fired - worked >= 290 * MS, "Linux has had as long as the SoC"


def test_fast_skips_idle_time_up_to_the_next_event_but_not_for_ever() -> None:
    machine = Machine(timers=tuple(range(250 * MS, 20 * S, 250 * MS)), frames=(4 * S,), work=300 * US)
    live(machine, 5, fast=True)
    assert [why for why, _ in machine.log] == ["timer"] * 79 + ["frame"]
    timers = [wall for wall, now in machine.samples if now < 20 * S]
    assert timers[-1] - timers[0] < 79 * 300 * US * SLOWER * 1.1, "nobody sleeps while there is work"
    assert machine.samples[-1][1] < 24 * S, "where there is no event, time passes as on the wall"


@pytest.mark.parametrize("seed", seeds(3, 30))
def test_simulated_time_never_runs_ahead_from_whatever_moment_on(seed: int) -> None:
    rng = random.Random(seed)
    machine = Machine(
        timers=tuple(rng.randrange(5 * S) for _ in range(30)),
        frames=tuple(sorted(rng.randrange(5 * S) for _ in range(50))),
        work=rng.randrange(1, 300) * US,
    )
    live(machine, 5)
    lead = [now - wall for wall, now in machine.samples]
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(lead)), f"seed {seed}"
    assert not machine.frames, f"seed {seed}"


def test_the_end_of_simulated_time_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_, "LONGEST_FS", 2 * session_.SLICE_FS)
    one = session(Machine())
    with pytest.raises(NsocError, match="simulated time ends here, after 0 minutes: start nsoc up again"):
        for _ in range(3):
            one.step(0.001)
