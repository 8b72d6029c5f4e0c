# SPDX-License-Identifier: Apache-2.0
"""`nsoc sweep`: a benchmark at every combination of some preset parameters, as one tidy table and a plot.

A point is a preset with some fields changed, a seed, a benchmark and its load. Points run in processes of this machine,
or on the workers of a dask.distributed cluster. What has been measured is kept (nsoc.bench.store) by all that it
depends on: a sweep that was stopped, or that gets more values, measures only what is missing. A point that fails
becomes a row with its error. What comes of it is shown by nsoc.bench.sweep_output.

Parameters that the RTL is built with need a simulator for each combination; those are built first, one at a time.
"""

import difflib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from nsoc import needs
from nsoc.bench import points as points_
from nsoc.bench import pool, store
from nsoc.bench.points import Benchmark, Load
from nsoc.bench.store import Key
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import RTL_PARAMETERS, SIZES, Preset
from nsoc.progress import Progress
from nsoc.records import Record

PRESET, SEED = "preset", "seed"
FIELDS = tuple(name for name in Preset.__struct_fields__ if name not in ("name", "description"))
PARAMETERS = (PRESET, SEED, *FIELDS)
"""What can be swept."""
CONNECT_S = 10

Value = int | float | str
Say = Callable[[str], None]


@dataclass(frozen=True)
class Axis:
    """A parameter and its values."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Point:
    """One combination."""

    parameters: Mapping[str, Value]
    preset: Preset
    seed: int
    benchmark: str
    load: Load


@dataclass
class Row:
    """What came of a point."""

    point: Point
    records: list[Record] = field(default_factory=list)
    error: str = ""
    cached: bool = False


@dataclass
class SweepResult:
    """All rows, in the order of the product of the axes."""

    benchmark: str
    axes: Sequence[Axis]
    rows: list[Row]

    @property
    def failure(self) -> str:
        """What went wrong, in one sentence; empty when nothing did."""
        failed = [row for row in self.rows if row.error]
        if not failed:
            return ""
        first = f"{failed[0].point.preset.name}: {failed[0].error}"
        return f"{len(failed)} of {len(self.rows)} points failed; the first, {first}"

    def records(self) -> list[Record]:
        """Every figure; the preset's name says what is different about it."""
        return [record for row in self.rows for record in row.records]


# ---- What to measure -------------------------------------------------------------------------------------------------


def parse_axes(texts: Sequence[str]) -> list[Axis]:
    """Axes from texts like `cpu_mhz=40,80` or `rx_fifo_bytes=4K,16K`. Raises NsocError for a parameter nobody knows."""
    axes: list[Axis] = []
    for text in texts:
        name, equals, values = text.partition("=")
        name = name.strip()
        if name not in PARAMETERS:
            close = difflib.get_close_matches(name, PARAMETERS, n=1, cutoff=0.3)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise NsocError(f"there is no parameter {name!r}, only {', '.join(PARAMETERS)}{hint}")
        parts = [part.strip() for part in values.split(",")]
        if not equals or not all(parts):
            raise NsocError(f"{text!r} is not like {name}=VALUE,VALUE")
        if name in (axis.name for axis in axes):
            raise NsocError(f"the parameter {name} is given twice; put its values into one list")
        axes.append(Axis(name, tuple(dict.fromkeys(_value(part) for part in parts))))
    return axes


def _value(text: str) -> Value:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    scale = SIZES.get(text[-1].upper(), 1) if text[:-1].isdecimal() else 1
    digits = text[:-1] if scale > 1 else text
    for kind in (int, float):
        try:
            number = kind(digits) * scale
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return text


def parse_load(payloads: str, mode: str) -> Load:
    """From text like `64,1024`."""
    try:
        return Load(tuple(int(part) for part in payloads.split(",")), mode)
    except ValueError:
        raise NsocError(f"--payload {payloads!r} is not like 64,1024") from None


def points(axes: Sequence[Axis], preset: str | Preset | None, benchmark: str, load: Load, seed: int = 1) -> list[Point]:
    """The product of the axes. Raises NsocError, before anything runs, for a value that the preset refuses."""
    of_benchmark = points_.benchmark(benchmark).preset
    made = []
    for values in itertools.product(*(axis.values for axis in axes)):
        parameters = dict(zip((axis.name for axis in axes), values, strict=True))
        changed = {name: value for name, value in parameters.items() if name not in (PRESET, SEED)}
        base = presets.load(str(parameters[PRESET]) if PRESET in parameters else preset or of_benchmark)
        varied = base.with_(**changed)
        label = " ".join([base.name, *(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                                       for name, value in changed.items())])  # fmt: skip
        drawn = parameters.get(SEED, seed)
        if not isinstance(drawn, int) or drawn < 0:
            raise NsocError(f"a seed must be a whole number from 0, not {drawn}")
        made.append(Point(parameters, varied.with_(name=label), drawn, benchmark, load))
    return made


# ---- Measuring -------------------------------------------------------------------------------------------------------


@public
def run(
    axes: Sequence[Axis],
    *,
    preset: str | Preset | None = None,
    benchmark: str = "burst",
    load: Load | None = None,
    seed: int = 1,
    jobs: int = 2,
    scheduler: str | None = None,
    fresh: bool = False,
    progress: Progress = lambda done, total: None,
    say: Say = lambda text: None,
) -> SweepResult:
    """Measure `benchmark` at every combination of the axes, on `jobs` processes here or on the cluster at `scheduler`.

    `fresh` measures again what is in the cache too. `say` is told what is being built.
    """
    wanted = points(axes, preset, benchmark, load or Load(), seed)
    sources = source_digest()
    keys = [_key(point, sources) for point in wanted]
    rows = {at: row for at, point in enumerate(wanted) if not fresh and (row := _recall(point, keys[at]))}
    missing = [number for number in range(len(wanted)) if number not in rows]
    if rows:
        say(f"{len(rows)} of {len(wanted)} points are there already")
    if missing:
        todo = [wanted[number] for number in missing]
        with _cluster(scheduler, todo, say) if scheduler else _local(jobs, todo, say) as finished:
            progress(len(rows), len(wanted))
            for at, row in finished:
                rows[missing[at]] = row
                if not row.error:
                    store.keep(keys[missing[at]], row.records)
                progress(len(rows), len(wanted))
    return SweepResult(benchmark, axes, [rows[number] for number in range(len(wanted))])


def kept(axes: Sequence[Axis], *, benchmark: str, load: Load, seed: int = 1) -> SweepResult:
    """What earlier runs have measured of the sources that there are now."""
    sources = source_digest()
    found = (_recall(point, _key(point, sources)) for point in points(axes, None, benchmark, load, seed))
    return SweepResult(benchmark, axes, [row for row in found if row is not None])


def measure(point: Point) -> Row:
    """Runs where the point is measured. An error becomes part of the row."""
    try:
        return Row(point, _benchmark(point).run(point.preset, point.seed, point.load))
    except NsocError as problem:
        return Row(point, error=str(problem))
    except Exception as problem:  # one broken point must not cost the others
        return Row(point, error=f"{type(problem).__name__}: {problem}")


def _benchmark(point: Point) -> Benchmark:
    return points_.benchmark(point.benchmark)


def _to_build(todo: Sequence[Point]) -> list[Point]:
    """One point for each simulator that they need."""
    return list({_rtl(point): point for point in todo if _benchmark(point).build is not None}.values())


def _rtl(point: Point) -> tuple[tuple[str, int | str], ...]:
    return tuple(point.preset.rtl_parameters().items())


@contextmanager
def _local(jobs: int, todo: Sequence[Point], say: Say) -> Iterator[Iterator[tuple[int, Row]]]:
    if jobs < 1:
        raise NsocError(f"-j must be at least 1, not {jobs}")
    variants = _to_build(todo)
    refused: dict[object, str] = {}
    for number, variant in enumerate(variants):
        if len(variants) > 1:
            say(f"simulator {number + 1} of {len(variants)}: {_rtl_words(variant.preset)}")
        try:
            _build(variant)
        except NsocError as problem:  # an elaboration that the RTL stops: the other points can go on
            refused[_rtl(variant)] = str(problem).splitlines()[0]
    failed = [(at, Row(point, error=refused[_rtl(point)])) for at, point in enumerate(todo) if _rtl(point) in refused]
    calls = {at: partial(measure, point) for at, point in enumerate(todo) if _rtl(point) not in refused}
    with pool.completed(calls, jobs) as finished:
        yield itertools.chain(failed, finished)


@contextmanager
def _cluster(address: str, todo: Sequence[Point], say: Say) -> Iterator[Iterator[tuple[int, Row]]]:
    distributed = needs.package("distributed", "nsoc sweep --scheduler")
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise NsocError(f"no dask scheduler answers at {address} ({reason}); start one with `dask scheduler`") from None
    with client:
        ours, theirs = source_digest(), client.run(_worker_digest)
        if not theirs:
            raise NsocError(f"the dask scheduler at {address} has no workers; start some with `dask worker {address}`")
        strange = [worker for worker, digest in theirs.items() if digest != ours]
        if strange:
            raise NsocError(f"the dask worker {strange[0]} runs other sources of nsoc than this machine")
        variants = _to_build(todo)
        for number, variant in enumerate(variants):
            say(f"simulator {number + 1} of {len(variants)}, on {len(theirs)} workers: {_rtl_words(variant.preset)}")
            client.run(_try_build, variant)  # workers that share a cache wait for the first of them
        futures = {client.submit(measure, point, pure=False): at for at, point in enumerate(todo)}

        def finished() -> Iterator[tuple[int, Row]]:
            for future in distributed.as_completed(futures, loop=client.loop):
                at = futures[future]
                if future.status == "finished":
                    yield at, future.result()
                else:
                    yield at, Row(todo[at], error=f"the dask worker failed: {future.exception()}")

        yield finished()


def _worker_digest() -> str:
    return source_digest()


def _build(point: Point) -> None:
    build = _benchmark(point).build
    if build is not None:
        build(point.preset)


def _try_build(point: Point) -> None:
    with suppress(NsocError):  # the points that need it say so, each in its row
        _build(point)


def _rtl_words(preset: Preset) -> str:
    """The parameters of the RTL that the sweep changes, or the preset's own name."""
    changed = preset.name.split(" ")
    return ", ".join(changed[:1] + [part for part in changed if part.partition("=")[0] in RTL_PARAMETERS.values()])


# ---- Keeping ---------------------------------------------------------------------------------------------------------


def source_digest() -> str:
    """Of everything that a measurement depends on besides its point."""
    return f"{store.simulated_digest()} {store.code_digest(Benchmark.__module__)}"


def _key(point: Point, sources: str) -> Key:
    return store.key(point.preset, point.seed, {"benchmark": point.benchmark, "load": point.load}, sources)


def _recall(point: Point, key: Key) -> Row | None:
    records = store.recall(key, list[Record])
    if records is None:
        return None
    return Row(point, [replace(record, preset=point.preset.name) for record in records], cached=True)
