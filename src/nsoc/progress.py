# SPDX-License-Identifier: Apache-2.0
"""How far a long job is, on standard error: a bar on a terminal; elsewhere a line after 2 s, then one each 5 s."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Called with (done, of how many) as often as is convenient."""
Share = Callable[[float], None]
"""Called with the share that is done, 0 to 1."""

FIRST_LINE_S = 2.0
LINE_EVERY_S = 5.0
TICK_S = 0.25
"""How often a job that waits looks whether something is to be shown."""
MOST_SHARE = 0.99
"""That is shown before the end."""


@contextmanager
def progress_bar(what: str, unit: str = "packets") -> Iterator[Progress]:
    """A function to report progress to while the block runs."""
    if not _has_terminal():
        yield _lines(what, unit)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    what_of = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    times = (TextColumn(unit + "{task.fields[rate]}"), TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())
    bar = Bar(*what_of, *times, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None, rate="")

    def report(done: int, total: int) -> None:
        # Only the first report starts it: before that, a simulator may be building, with a progress line of its own.
        if not bar.live.is_started:
            bar.start()
        bar.update(task, completed=done, total=total, rate=_rate(bar.tasks[0].speed))

    try:
        yield report
    finally:
        bar.stop()


class Waiting:
    """How far a job is that a person waits for; `seconds` is what it takes by experience, None: nobody knows.

    Without a word on the share that is done, it is the share of these seconds that have passed.
    """

    def __init__(self, what: str, seconds: float | None = None) -> None:
        self.what, self._seconds = what, seconds
        self._began = time.monotonic()
        self._told: float | None = None

    def done(self, share: float) -> None:
        """So much is done."""
        self._told = share

    @property
    def share(self) -> float | None:
        """Of the job; None: nobody knows."""
        if self._told is None and self._seconds is None:
            return None
        share = self._passed / self._seconds if self._told is None and self._seconds else self._told or 0.0
        return min(share, MOST_SHARE)

    @property
    def left_s(self) -> float | None:
        """By what it takes by experience, and the more of it is done, the more by how long that took."""
        share = self.share
        if share is None:
            return None
        if self._told is None and self._seconds is not None:
            return max(0.0, self._seconds - self._passed)
        if self._seconds is None:
            return self._passed * (1 - share) / share if share else None
        return (self._passed + (1 - share) * self._seconds) * (1 - share)

    @property
    def words(self) -> str:
        """What is known."""
        share, left_s = self.share, self.left_s
        if share is None or left_s is None:
            return f"{self._passed:,.0f} s so far"
        if not left_s and self._seconds is not None:
            return f"{self._passed:,.0f} s so far, expected were {self._seconds:,.0f} s"
        return f"{share:.0%} done, about {max(1.0, left_s):,.0f} s left"

    @property
    def _passed(self) -> float:
        return time.monotonic() - self._began


@contextmanager
def waiting(what: str, seconds: float | None = None) -> Iterator[Share]:
    """Shows how a job goes while the block runs, also when nothing is reported; yields a function that takes the share
    that is done. See Waiting."""
    job = Waiting(what, seconds)
    if not _has_terminal():
        due = _Due()

        def tell() -> None:
            if due.now():
                print(f"{job.what}: {job.words}", file=sys.stderr, flush=True)

        with _ticking(tell):
            yield job.done
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[words]}"))
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as bar:
        task = bar.add_task(what, total=None if job.share is None else 1.0, words="")

        def show() -> None:
            known = job.share is not None
            bar.update(task, completed=job.share or 0.0, total=1.0 if known else None, words=job.words, refresh=True)

        with _ticking(show):
            yield job.done
        bar.update(task, completed=1.0, total=1.0, words="", refresh=True)


class _Due:
    """When a line is due."""

    def __init__(self) -> None:
        self._next = time.monotonic() + FIRST_LINE_S

    def now(self) -> bool:
        """Whether one is; the next one is later then."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + LINE_EVERY_S
        return True


@contextmanager
def _ticking(tick: Callable[[], None]) -> Iterator[None]:
    """Calls `tick` again and again while the block runs."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(TICK_S):
            tick()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _has_terminal() -> bool:
    """Whether standard error is a terminal that can show a bar."""
    return sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


def _lines(what: str, unit: str) -> Progress:
    due = _Due()
    first: tuple[float, int] | None = None  # when it was first asked, and what was done then

    def report(done: int, total: int) -> None:
        nonlocal first
        now = time.monotonic()
        if first is None:
            first = now, done
        if due.now():
            speed = (done - first[1]) / (now - first[0]) if now > first[0] else 0.0
            left = f", {(total - done) / speed:,.0f} s left" if speed else ""
            share = f" ({done / total:.0%})" if total else ""
            print(f"{what}: {done:,} of {total:,} {unit}{share}{_rate(speed)}{left}", file=sys.stderr, flush=True)

    return report


def _rate(speed: float | None) -> str:
    """So many a second, or seconds for each, once that is known."""
    if not speed:
        return ""
    return f", {speed:,.1f} a second" if speed >= 0.1 else f", {1 / speed:,.0f} s each"
