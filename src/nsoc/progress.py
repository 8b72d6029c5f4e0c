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
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
    bar = Bar(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)

    def report(done: int, total: int) -> None:
        # Only the first report starts it: before that, a simulator may be building, with a progress line of its own.
        if not bar.live.is_started:
            bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        bar.stop()


def _lines(what: str, unit: str) -> Progress:
    due = time.monotonic() + FIRST_LINE_S

    def report(done: int, total: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + LINE_EVERY_S
            print(f"{what}: {done:,} of {total:,} {unit}", file=sys.stderr, flush=True)

    return report
