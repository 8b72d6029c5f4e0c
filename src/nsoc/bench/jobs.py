# SPDX-License-Identifier: Apache-2.0
"""Runs measurements side by side and keeps each result on disk, so that nothing is measured twice.

A result is kept under `build/results/` by the content of everything it depends on: the simulator's build, the firmware,
the preset, the measurement's parameters and the code that measures. What fails is not kept, and says why. A run that is
interrupted goes on where it stopped, as each result is written as soon as it is there.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from nsoc.bench import mac_example, measure
from nsoc.errors import NsocError
from nsoc.machine import build, firmware, presets

RESULTS = "results"
KINDS: Mapping[str, type] = {
    "round_trip": measure.RoundTrip,
    "throughput": measure.Throughput,
    "burst": measure.Burst,
    "mac_example": mac_example.MacExampleResult,
}
"""What can be measured, and what that gives."""

MEASURING_CODE = (
    "bench/jobs.py", "bench/measure.py", "bench/nic.py", "bench/mac_example.py", "machine/selftest.py",
    "machine/sim.py", "machine/soc.py", "network/wire.py",
)  # fmt: skip
"""Files of this package that a figure depends on."""


@dataclass(frozen=True)
class Job:
    """One measurement: a kind of KINDS and its arguments."""

    kind: str
    preset: str
    mode: str = "normal"
    payload: int = 0
    seed: int = 1
    window: int = 0
    frames: int = measure.FRAMES
    warm_up: int = measure.WARM_UP

    @property
    def cost(self) -> float:
        """Which of two takes longer: frames times their length, roughly."""
        factor = {"round_trip": 0.05, "burst": 3.0}.get(self.kind, 1.0)
        return factor * (self.payload + 100)


@dataclass(frozen=True)
class Failed:
    """A measurement that gave no figure."""

    why: str
    """One sentence."""


@dataclass(frozen=True)
class Results:
    """What became of jobs."""

    found: dict[Job, Any]
    """A result of the kind's type, or Failed."""
    measured: int
    """How many of them were not on disk."""

    def get(self, job: Job) -> Any | None:
        """The result, None when it failed."""
        result = self.found.get(job)
        return None if isinstance(result, Failed) else result

    def failures(self) -> dict[str, str]:
        """By preset, the first sentence of what failed."""
        sentences: dict[str, str] = {}
        for job, result in self.found.items():
            if isinstance(result, Failed):
                sentences.setdefault(job.preset, result.why)
        return sentences


Progress = Callable[[int, int], None]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C between measurements; its text says what is kept."""


def perform(job: Job) -> Any:
    """Measure one job. Raises NsocError."""
    arguments = (job.preset, job.mode, job.payload, job.seed)
    if job.kind == "round_trip":
        return measure.round_trip(*arguments)
    if job.kind == "throughput":
        return measure.throughput(*arguments, window=job.window, frames=job.frames, warm_up=job.warm_up)
    if job.kind == "burst":
        return measure.loss_free_burst(*arguments, most=job.frames)
    return mac_example.run(frames=job.frames, warm_up=job.warm_up, preset=job.preset)


def run(
    jobs: Iterable[Job],
    *,
    workers: int | None = None,
    fresh: bool = False,
    progress: Progress = lambda done, total: None,
    perform: Callable[[Job], Any] = perform,
    fingerprint: Callable[[Job], str] | None = None,
) -> Results:
    """Every job's result, from disk where it is kept (not with `fresh`), else measured in `workers` processes.

    Default: a process a core; 0 measures in this one. Simulators that are missing are built first, one after the other.
    `perform` and `fingerprint` are there for tests.
    """
    todo: dict[Job, Path] = {}
    found: dict[Job, Any] = {}
    prints = _Fingerprints() if fingerprint is None else fingerprint
    for job in dict.fromkeys(jobs):
        try:
            path = _path(job, prints(job))
        except NsocError as problem:
            found[job] = Failed(_sentence(problem))
            continue
        kept = None if fresh else _read(job, path)
        if kept is None:
            todo[job] = path
        else:
            found[job] = kept
    total, measured = len(found) + len(todo), len(todo)
    progress(len(found), total)
    if workers == 0:
        for job, path in todo.items():
            found[job] = _measure(job, path, perform)
            progress(len(found), total)
        return Results(found, measured)
    if todo:
        _run_in_processes(todo, found, workers, progress, total, perform)
    return Results(found, measured)


def _run_in_processes(
    todo: Mapping[Job, Path],
    found: dict[Job, Any],
    workers: int | None,
    progress: Progress,
    total: int,
    perform: Callable[[Job], Any],
) -> None:
    count = min(len(todo), workers or len(os.sched_getaffinity(0)))
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _die_on_interrupt)
    try:
        longest_first = sorted(todo, key=lambda job: -job.cost)
        futures = {pool.submit(_measure, job, todo[job], perform): job for job in longest_first}
        for future in as_completed(futures):
            found[futures[future]] = future.result()
            progress(len(found), total)
    except (KeyboardInterrupt, BrokenProcessPool) as problem:
        for process in multiprocessing.active_children():
            process.terminate()
        kept = f"{len(found)} of {total} measurements are kept, the same command goes on there"
        if isinstance(problem, KeyboardInterrupt):
            raise Interrupted(kept) from None
        raise NsocError(f"a measuring process ended without a result; {kept}") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _die_on_interrupt() -> None:
    """A worker says nothing on Ctrl-C: its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _measure(job: Job, path: Path, perform: Callable[[Job], Any]) -> Any:
    try:
        result = perform(job)
    except NsocError as problem:
        return Failed(_sentence(problem))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(msgspec.json.encode({"job": asdict(job), "result": msgspec.to_builtins(result)}))
    unfinished.rename(path)
    return result


def _read(job: Job, path: Path) -> Any | None:
    try:
        stored = msgspec.json.decode(path.read_bytes())
        return msgspec.convert(stored["result"], KINDS[job.kind])
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return None  # not there, or not whole


def _path(job: Job, fingerprint: str) -> Path:
    return build.cache_folder() / RESULTS / f"{build.content_hash([], asdict(job), fingerprint)}.json"


def _sentence(problem: NsocError) -> str:
    """What a user sees of it in a table: its first line."""
    return str(problem).partition("\n")[0]


class _Fingerprints:
    """What a job's figure depends on, besides its arguments; builds the simulators it meets."""

    def __init__(self) -> None:
        package = Path(__file__).parents[1]
        self._code = build.content_hash([package / name for name in MEASURING_CODE])
        self._simulators: dict[str, str | NsocError] = {}

    def __call__(self, job: Job) -> str:
        preset = presets.load(job.preset)
        name = preset.name
        if name not in self._simulators:
            try:
                self._simulators[name] = self._built(preset)
            except NsocError as problem:
                self._simulators[name] = problem
        built = self._simulators[name]
        if isinstance(built, NsocError):
            raise built
        return f"{self._code} {built} {msgspec.to_builtins(preset)}"

    @staticmethod
    def _built(preset: presets.Preset) -> str:
        if not preset.has_processor:
            return mac_example.built(preset)
        images = [firmware.build_for(preset)]
        images += [
            firmware.build_for(preset, measure.LOOPBACK_FIRMWARE, {"MODE": mode}) for mode in measure.CONTROL.values()
        ]
        return " ".join(path.parent.name for path in (build.simulator(preset), *images))
