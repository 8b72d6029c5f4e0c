# SPDX-License-Identifier: Apache-2.0
"""nsoc.progress: what a user sees of a long job, on a terminal and elsewhere."""

import sys

import pytest

from nsoc import progress


def test_lines_say_how_far_it_is_how_fast_and_for_how_long_yet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.progress_bar("sending", "packets") as report:
        for passed, done in ((0.0, 0), (1.0, 10), (2.0, 1000), (3.0, 1500), (12.0, 6000)):
            now[0] = 100.0 + passed
            report(done, 11_000)
    # A line after 2 s, then one each 10 s.
    assert capsys.readouterr().err.splitlines() == [
        "sending: 1,000 of 11,000 packets, 500.0 a second, 20 s left",
        "sending: 6,000 of 11,000 packets, 500.0 a second, 10 s left",
    ]


def test_what_was_done_before_it_began_says_nothing_of_the_pace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.progress_bar("measuring", "figures") as report:
        report(90, 100)  # from an earlier run
        now[0] = 4.0
        report(90, 100)
        now[0] = 20.0
        report(92, 100)
        now[0] = 40.0
        report(93, 100)
    assert capsys.readouterr().err.splitlines() == [
        "measuring: 90 of 100 figures", "measuring: 92 of 100 figures, 0.1 a second, 80 s left",
        "measuring: 93 of 100 figures, 13 s each, 93 s left",
    ]  # fmt: skip


def test_a_terminal_gets_a_bar_that_goes_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.progress_bar("sending") as report:
        report(3, 10)
        report(10, 10)
    shown = capsys.readouterr().err
    assert "10/10" in shown and "left:" in shown
