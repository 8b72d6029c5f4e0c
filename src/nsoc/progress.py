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
def progress_bar(what: str) -> Iterator[Progress]:
    """A function to report progress to while the block runs."""
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("packets"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        # Shown from the first report on: before that, a simulator may be building, with a progress line of its own.
        task = bar.add_task(what, total=None, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)


def _lines(what: str) -> Progress:
    due = time.monotonic() + FIRST_LINE_S

    def report(done: int, total: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + LINE_EVERY_S
            print(f"{what}: {done:,} of {total:,} packets", file=sys.stderr, flush=True)

    return report
