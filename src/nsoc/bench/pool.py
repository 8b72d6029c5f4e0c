# SPDX-License-Identifier: Apache-2.0
"""Measurements side by side, each in a process of its own: a simulator keeps one core busy."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.reduction import ForkingPickler
from typing import TypeVar

from nsoc.errors import NsocError

K = TypeVar("K")
T = TypeVar("T")


class Died(NsocError):
    """A process ended in the middle of a measurement."""


@contextmanager
def completed(calls: Mapping[K, Callable[[], T]], workers: int | None = None) -> Iterator[Iterator[tuple[K, T]]]:
    """Makes the calls in `workers` processes, by default one a core, and begins with the first.

    What the block iterates over is each call's key and result, as they come. An error of a call is raised there at
    once. However the block is left, by an error or by Ctrl-C, the processes end and what has not begun is not begun.
    """
    others = set(multiprocessing.active_children())
    pool = executor(max(1, min(len(calls), workers or len(os.sched_getaffinity(0)))))
    try:
        with _workers_without_main(calls.values()):
            futures = {pool.submit(call): key for key, call in calls.items()}
        yield ((futures[future], future.result()) for future in as_completed(futures))
    except BaseException as problem:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        if isinstance(problem, BrokenProcessPool):
            raise Died("a measuring process ended without a result") from None
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def executor(workers: int) -> Executor:
    """Processes that are not forked, as threads of a progress bar may be running."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _die_on_interrupt)


@contextmanager
def _workers_without_main(calls: Iterable[Callable[[], object]]) -> Iterator[None]:
    """Processes that begin in the block do not run the caller's script again, which every spawned one does first: so a
    user's script needs no `if __name__ == "__main__"`. They must where a call is a function of that script.
    """
    main = sys.modules["__main__"]
    if any(b"__main__" in bytes(ForkingPickler.dumps(call)) for call in calls):
        yield
        return
    names = vars(main)
    hidden: dict[str, object] = {name: names.pop(name) for name in ("__file__", "__spec__") if name in names}
    main.__spec__ = None
    try:
        yield
    finally:
        names.update(hidden)


def _die_on_interrupt() -> None:
    """A worker says nothing on Ctrl-C: its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
