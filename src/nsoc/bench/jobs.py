# SPDX-License-Identifier: Apache-2.0
"""Runs measurements side by side and keeps each result on disk, so that nothing is measured twice.

A result is kept (nsoc.bench.store) by all that it depends on; the simulator and the firmware go in as the builds that
run. What fails is not kept, and says why. A run that is interrupted goes on where it stopped, as each result is written
as soon as it is there.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from nsoc.bench import mac_example, measure, pool, store
from nsoc.bench.store import Key
from nsoc.errors import NsocError
from nsoc.machine import build, firmware, presets
from nsoc.machine.presets import Preset
from nsoc.progress import Progress

KINDS: Mapping[str, type] = {
    "round_trip": measure.RoundTrip,
    "throughput": measure.Throughput,
    "burst": measure.Burst,
    "mac_example": mac_example.MacExampleResult,
}
"""What can be measured, and what that gives."""


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
    todo: dict[Job, Key] = {}
    found: dict[Job, Any] = {}
    prints = _Fingerprints() if fingerprint is None else fingerprint
    for job in dict.fromkeys(jobs):
        try:
            preset = presets.load(job.preset)
            key = _key(job, preset, prints(job))
        except NsocError as problem:
            found[job] = Failed(_sentence(problem))
            continue
        kept = None if fresh else store.recall(key, KINDS[job.kind])
        if kept is None:
            todo[job] = key
        else:
            found[job] = _renamed(kept, preset)
    total, measured = len(found) + len(todo), len(todo)
    progress(len(found), total)
    longest_first = sorted(todo, key=lambda job: -job.cost) if workers != 0 else todo
    calls = {job: partial(_measure, job, todo[job], perform) for job in longest_first}
    if workers == 0:
        for job, call in calls.items():
            found[job] = call()
            progress(len(found), total)
        return Results(found, measured)
    try:
        with pool.completed(calls, workers) as results:
            for job, result in results:
                found[job] = result
                progress(len(found), total)
    except (KeyboardInterrupt, pool.Died) as problem:
        there = f"{len(found)} of {total} measurements are kept, the same command goes on there"
        if isinstance(problem, KeyboardInterrupt):
            raise Interrupted(there) from None
        raise NsocError(f"{problem}; {there}") from None
    return Results(found, measured)


def kept(jobs: Iterable[Job]) -> Results:
    """What is on disk of `jobs`. Nothing is measured, no simulator is built: one that is not there has no figures."""
    found: dict[Job, Any] = {}
    prints = _Fingerprints()
    there: dict[str, bool] = {}
    for job in dict.fromkeys(jobs):
        try:
            preset = presets.load(job.preset)
            if job.preset not in there:
                there[job.preset] = preset.has_processor and build.is_there(preset)
            if not there[job.preset]:
                continue
            result = store.recall(_key(job, preset, prints(job)), KINDS[job.kind])
        except NsocError:
            continue
        if result is not None:
            found[job] = _renamed(result, preset)
    return Results(found, 0)


def _measure(job: Job, key: Key, perform: Callable[[Job], Any]) -> Any:
    try:
        result = perform(job)
    except NsocError as problem:
        return Failed(_sentence(problem))
    store.keep(key, result)
    return result


def _key(job: Job, preset: Preset, fingerprint: str) -> Key:
    arguments = {name: value for name, value in asdict(job).items() if name not in ("preset", "seed")}
    return store.key(preset, job.seed, arguments, fingerprint)


def _renamed(result: Any, preset: Preset) -> Any:
    """The one kept may have been measured of a preset that was called otherwise."""
    return replace(result, preset=preset if isinstance(result.preset, Preset) else preset.name)


def _sentence(problem: NsocError) -> str:
    """What a user sees of it in a table: its first line."""
    return str(problem).partition("\n")[0]


class _Fingerprints:
    """What a job's figure depends on, besides its arguments and preset; builds the simulators it meets."""

    def __init__(self) -> None:
        self._code = store.code_digest(__name__)
        self._built: dict[Preset, str | NsocError] = {}

    def __call__(self, job: Job) -> str:
        preset = presets.load(job.preset)
        if preset not in self._built:
            try:
                self._built[preset] = _built(preset)
            except NsocError as problem:
                self._built[preset] = problem
        built = self._built[preset]
        if isinstance(built, NsocError):
            raise built
        return f"{self._code} {built}"


def _built(preset: Preset) -> str:
    if not preset.has_processor:
        return mac_example.built(preset)
    modes = [{"MODE": mode} for mode in measure.CONTROL.values()]
    images = [firmware.build_for(preset, measure.LOOPBACK_FIRMWARE, mode) for mode in modes]
    images.append(firmware.build_for(preset))
    return " ".join(path.parent.name for path in (build.simulator(preset), *images))
