# SPDX-License-Identifier: Apache-2.0
"""How far a long job is, on standard error: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Called with (done, of how many) as often as is convenient."""

FIRST_LINE_S = 2.0
LINE_EVERY_S = 10.0


@contextmanager
def progress_bar(what: str, unit: str = "packets") -> Iterator[Progress]:
    """A function to report progress to while the block runs."""
    if not sys.stderr.isatty():
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


def _lines(what: str, unit: str) -> Progress:
    due = time.monotonic() + FIRST_LINE_S
    first: tuple[float, int] | None = None  # when it was first asked, and what was done then

    def report(done: int, total: int) -> None:
        nonlocal due, first
        now = time.monotonic()
        if first is None:
            first = now, done
        if now >= due:
            due = now + LINE_EVERY_S
            speed = (done - first[1]) / (now - first[0]) if now > first[0] else 0.0
            left = f", {(total - done) / speed:,.0f} s left" if speed else ""
            print(f"{what}: {done:,} of {total:,} {unit}{_rate(speed)}{left}", file=sys.stderr, flush=True)

    return report


def _rate(speed: float | None) -> str:
    """So many a second, or seconds for each, once that is known."""
    if not speed:
        return ""
    return f", {speed:,.1f} a second" if speed >= 0.1 else f", {1 / speed:,.0f} s each"
