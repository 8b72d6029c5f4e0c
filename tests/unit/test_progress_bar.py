# SPDX-License-Identifier: Apache-2.0
"""nsoc.progress: what a user sees of a long job, on a terminal and elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from nsoc import progress

Tick = Callable[[float], None]
"""Lets the clock be at so many seconds, and what is to be shown be shown."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock says, in its only element."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def tick(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> Tick:
    """In place of the thread that looks four times a second."""
    ticks: list[Callable[[], None]] = []

    @contextmanager
    def ticking(one: Callable[[], None]) -> Iterator[None]:
        ticks.append(one)
        yield

    monkeypatch.setattr(progress, "_ticking", ticking)

    def go_on(seconds: float) -> None:
        clock[0] = 100.0 + seconds
        ticks[-1]()

    return go_on


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, kind: str = "xterm") -> None:
    """Standard error, which capsys has by now, is one."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", kind)


def test_lines_say_how_far_it_is_how_fast_and_for_how_long_yet(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.progress_bar("sending", "packets") as report:
        for passed, done in ((0.0, 0), (1.0, 10), (2.0, 1000), (3.0, 1500), (6.9, 3450), (7.0, 3500)):
            clock[0] = 100.0 + passed
            report(done, 11_000)
    # A line after 2 s, then one each 5 s.
    assert capsys.readouterr().err.splitlines() == [
        "sending: 1,000 of 11,000 packets (9%), 500.0 a second, 20 s left",
        "sending: 3,500 of 11,000 packets (32%), 500.0 a second, 15 s left",
    ]


def test_what_was_done_before_it_began_says_nothing_of_the_pace(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.progress_bar("measuring", "figures") as report:
        report(90, 100)  # from an earlier run
        clock[0] = 104.0
        report(90, 100)
        clock[0] = 120.0
        report(92, 100)
        clock[0] = 140.0
        report(93, 100)
    assert capsys.readouterr().err.splitlines() == [
        "measuring: 90 of 100 figures (90%)", "measuring: 92 of 100 figures (92%), 0.1 a second, 80 s left",
        "measuring: 93 of 100 figures (93%), 13 s each, 93 s left",
    ]  # fmt: skip


def test_a_wait_without_a_terminal_is_a_line_after_2_s_and_one_each_5_s(
    tick: Tick, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.waiting("building", 40) as done:
        for passed, share in ((0.0, 0.0), (1.9, 0.04), (2.0, 0.05), (6.9, 0.1), (7.0, 0.25), (11.9, 0.5), (12.0, 0.5)):
            done(share)
            tick(passed)
    # Of 40 s as expected: 95 % are 38 s. The more is done, the more counts how long that took.
    assert capsys.readouterr().err.splitlines() == [
        "building: 5% done, about 38 s left",
        "building: 25% done, about 28 s left",
        "building: 50% done, about 16 s left",
    ]


def test_a_wait_of_which_nobody_says_how_far_it_is_goes_by_what_it_takes_else(
    tick: Tick, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.waiting("compiling", 10):
        for passed in (2.0, 7.0, 12.0):
            tick(passed)
    with progress.waiting("fetching"):
        tick(12.0 + 2.0)
    assert capsys.readouterr().err.splitlines() == [
        "compiling: 20% done, about 8 s left",
        "compiling: 70% done, about 3 s left",
        "compiling: 12 s so far, expected were 10 s",
        "fetching: 2 s so far",
    ]


def test_a_wait_that_is_soon_over_says_nothing(tick: Tick, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.waiting("compiling", 10):
        tick(1.9)
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_a_bar_that_goes_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch)
    with progress.progress_bar("sending") as report:
        report(3, 10)
        report(10, 10)
    shown = capsys.readouterr().err
    assert "10/10" in shown and "left:" in shown


def test_a_terminal_sees_how_long_a_wait_takes_yet(
    tick: Tick, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch)
    with progress.waiting("building", 40) as done:
        done(0.25)
        tick(7.0)
    shown = capsys.readouterr().err
    assert "25% done, about 28 s left" in shown and "━" in shown


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_cannot_show_a_bar_gets_lines(
    kind: str, tick: Tick, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_a_terminal(monkeypatch, kind)
    with progress.waiting("building", 40):
        tick(4.0)
    assert capsys.readouterr().err == "building: 10% done, about 36 s left\n"


def test_the_thread_that_shows_ends_with_the_wait(capsys: pytest.CaptureFixture[str]) -> None:
    seen = progress.threading.Event()
    with progress._ticking(seen.set):
        assert seen.wait(60)
    assert all("run" not in thread.name for thread in progress.threading.enumerate())
