# SPDX-License-Identifier: Apache-2.0
"""`nsoc sweep`: a benchmark at every combination of some preset parameters, as one tidy table and a plot.

A point is a preset with some fields changed, a seed, a benchmark and its load. Points run in processes of this machine,
or on the workers of a dask.distributed cluster. What has been measured is kept in the cache folder by the content of
all that it depends on: a sweep that was stopped, or that gets more values, measures only what is missing. A point that
fails becomes a row with its error.

Parameters that the RTL is built with need a simulator for each combination; those are built first, one at a time.
"""

import difflib
import itertools
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from nsoc.bench.points import BENCHMARKS, Benchmark, Load
from nsoc.errors import NsocError
from nsoc.files import check_writable
from nsoc.machine import presets
from nsoc.machine.build import cache_folder, checkout, content_hash
from nsoc.machine.presets import RTL_PARAMETERS, Preset
from nsoc.optional import need
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

PRESET, SEED = "preset", "seed"
FIELDS = tuple(name for name in Preset.__struct_fields__ if name not in ("name", "description"))
PARAMETERS = (PRESET, SEED, *FIELDS)
"""What can be swept."""
SIZES = {"K": 1 << 10, "M": 1 << 20}
RECORD_COLUMNS = ("suite", "mode", "metric", "payload", "value", "unit", "limit", "published", "source")
ERROR = "error"
TABLE_ENDINGS, PLOT_ENDINGS = (".csv", ".parquet"), (".svg", ".png", ".html")
CONNECT_S = 10
TICKS = 12
"""An axis of so many values at most has its ticks at them."""
LOGARITHMIC = 8
"""An axis whose greatest value is so many times its least one is drawn logarithmically."""

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


def check_files(table: Path | None, plot: Path | None) -> None:
    """Raises NsocError, before hours are spent, for a file that could not be written."""
    for path, endings, what in ((table, TABLE_ENDINGS, "table"), (plot, PLOT_ENDINGS, "plot")):
        if path is not None and path.suffix not in endings:
            raise NsocError(f"the {what} {path} must end in {', '.join(endings)}")
        if path is not None:
            check_writable(path, f"the {what}", f"--{'out' if what == 'table' else what}")
    if table is not None:
        need("pyarrow", "nsoc sweep --out")
    if plot is not None:
        need("altair", "nsoc sweep --plot")
        need("vl_convert", "nsoc sweep --plot")


def points(axes: Sequence[Axis], preset: str | Preset | None, benchmark: str, load: Load, seed: int = 1) -> list[Point]:
    """The product of the axes. Raises NsocError, before anything runs, for a value that the preset refuses."""
    if benchmark not in BENCHMARKS:
        close = difflib.get_close_matches(benchmark, BENCHMARKS, n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NsocError(f"there is no benchmark {benchmark!r}, only {', '.join(BENCHMARKS)}{hint}")
    made = []
    for values in itertools.product(*(axis.values for axis in axes)):
        parameters = dict(zip((axis.name for axis in axes), values, strict=True))
        changed = {name: value for name, value in parameters.items() if name not in (PRESET, SEED)}
        base = presets.load(str(parameters[PRESET]) if PRESET in parameters else preset or BENCHMARKS[benchmark].preset)
        varied = base.with_(**changed)
        label = " ".join([base.name, *(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                                       for name, value in changed.items())])  # fmt: skip
        drawn = parameters.get(SEED, seed)
        if not isinstance(drawn, int) or drawn < 0:
            raise NsocError(f"a seed must be a whole number from 0, not {drawn}")
        made.append(Point(parameters, varied.with_(name=label), drawn, benchmark, load))
    return made


# ---- Measuring -------------------------------------------------------------------------------------------------------


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
    rows = {number: row for number, point in enumerate(wanted) if not fresh and (row := _recall(point, sources))}
    missing = [number for number in range(len(wanted)) if number not in rows]
    if rows:
        say(f"{len(rows)} of {len(wanted)} points are there already")
    if missing:
        todo = [wanted[number] for number in missing]
        with _cluster(scheduler, todo, say) if scheduler else _local(jobs, todo, say) as finished:
            progress(len(rows), len(wanted))
            for at, row in finished:
                rows[missing[at]] = row
                _keep(row, sources)
                progress(len(rows), len(wanted))
    return SweepResult(benchmark, axes, [rows[number] for number in range(len(wanted))])


def measure(point: Point) -> Row:
    """Runs where the point is measured. An error becomes part of the row."""
    try:
        return Row(point, _benchmark(point).run(point.preset, point.seed, point.load))
    except NsocError as problem:
        return Row(point, error=str(problem))
    except Exception as problem:  # one broken point must not cost the others
        return Row(point, error=f"{type(problem).__name__}: {problem}")


def _benchmark(point: Point) -> Benchmark:
    return BENCHMARKS[point.benchmark]


def _to_build(todo: Sequence[Point]) -> list[Point]:
    """One point for each simulator that they need."""
    return list({_rtl(point): point for point in todo if _benchmark(point).build is not None}.values())


def _rtl(point: Point) -> tuple[tuple[str, int | str], ...]:
    return tuple(point.preset.rtl_parameters().items())


def _pool(jobs: int) -> Executor:
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))  # threads of a progress bar may be running


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
    with _pool(jobs) as pool:
        failed, futures = [], {}
        for at, point in enumerate(todo):
            problem_text = refused.get(_rtl(point))
            if problem_text is not None:
                failed.append((at, Row(point, error=problem_text)))
            else:
                futures[pool.submit(measure, point)] = at
        try:
            yield itertools.chain(failed, ((futures[future], future.result()) for future in as_completed(futures)))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def _cluster(address: str, todo: Sequence[Point], say: Say) -> Iterator[Iterator[tuple[int, Row]]]:
    distributed = need("distributed", "nsoc sweep --scheduler")
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise NsocError(f"no dask scheduler answers at {address} ({reason}); start one with `dask scheduler`") from None
    with client:
        theirs = client.run(_worker_digest)
        if not theirs:
            raise NsocError(f"the dask scheduler at {address} has no workers; start some with `dask worker {address}`")
        strange = [worker for worker, digest in theirs.items() if digest != source_digest()]
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
    """Of everything that a measurement depends on besides its point: RTL, models, firmware, this package."""
    root = checkout()
    folders = {"rtl": "*.sv", "models": "*.*", "firmware": "*.*", "src/nsoc": "*.py", "src/nsoc/published": "*.toml"}
    files = [path for folder, pattern in folders.items() for path in (root / folder).rglob(pattern) if path.is_file()]
    shown = {Path(__file__), *(path for room in ("cli", "report") for path in (root / "src/nsoc" / room).rglob("*.py"))}
    return content_hash([path for path in files if path not in shown and "docs" not in path.parts])


def _file(point: Point, sources: str) -> Path:
    fields = {**msgspec.to_builtins(point.preset), "name": "", "description": ""}
    digest = content_hash([], sources, sorted(fields.items()), point.seed, point.benchmark, asdict(point.load))
    return cache_folder() / "sweep" / f"{digest}.json"


def _keep(row: Row, sources: str) -> None:
    if row.error:
        return
    path = _file(row.point, sources)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{time.monotonic_ns()}")
    unfinished.write_text(json.dumps([asdict(record) for record in row.records]), encoding="utf-8")
    unfinished.replace(path)


def _recall(point: Point, sources: str) -> Row | None:
    try:
        kept = json.loads(_file(point, sources).read_text(encoding="utf-8"))
        return Row(point, [Record(**{**record, "preset": point.preset.name}) for record in kept], cached=True)
    except (OSError, ValueError, TypeError):
        return None


# ---- Showing ---------------------------------------------------------------------------------------------------------


def tidy(result: SweepResult) -> list[dict[str, Any]]:
    """A row for each figure: the parameters, the record, and the error of a point that failed."""
    rows = []
    for row in result.rows:
        parameters = {PRESET: row.point.preset.name.partition(" ")[0], SEED: row.point.seed, **row.point.parameters}
        figures = [asdict(record) for record in row.records if not isinstance(record.value, str)]
        for figure in figures or [dict.fromkeys(RECORD_COLUMNS)]:
            shown = {name: figure[name] for name in RECORD_COLUMNS}
            shown["value"] = None if figure["value"] is None else float(figure["value"])
            rows.append({**parameters, **shown, ERROR: row.error or None})
    return rows


def write_table(result: SweepResult, path: Path) -> None:
    """The tidy table as CSV or Parquet, by the file's ending."""
    check_files(path, None)
    pa = need("pyarrow", "nsoc sweep")
    rows = tidy(result)
    text, number = pa.string(), pa.float64()
    types = {"seed": pa.int64(), "payload": pa.int64(), "value": number, "limit": number, "published": number}
    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        kind = types.get(name, text)
        if name in result_parameters(result) and name not in types:
            kind = text if any(isinstance(value, str) for value in values) else number
            if all(isinstance(value, int) for value in values):
                kind = pa.int64()
        as_text = kind == text
        columns[name] = pa.array([str(value) if as_text and value is not None else value for value in values], kind)
    table = pa.table(columns)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".csv":
            need("pyarrow.csv", "nsoc sweep").write_csv(table, path)
        else:
            need("pyarrow.parquet", "nsoc sweep").write_table(table, path)
    except OSError as problem:
        raise NsocError(f"cannot write the table {path}: {problem.strerror or problem}") from None


def result_parameters(result: SweepResult) -> list[str]:
    """The names of the axes."""
    return [axis.name for axis in result.axes]


def table(result: SweepResult, metric: str | None = None) -> "Table":
    """A row for each point and load, a column for each figure; only `metric` when given."""
    from rich.table import Table

    names = result_parameters(result)
    shown = Table(title=f"nsoc sweep, {result.benchmark}", title_justify="left")
    for name in (*names, "mode", "payload"):
        shown.add_column(name, justify="right")
    records = [record for record in result.records() if metric in (None, record.metric)]
    metrics = list(dict.fromkeys((record.metric, record.unit) for record in records))
    for name, unit in metrics:
        shown.add_column(name if unit is None else f"{name}, {unit}", justify="right")
    if result.failure:
        shown.add_column(ERROR)
    for row in result.rows:
        where = [_words(row.point.parameters[name]) for name in names]
        loads = dict.fromkeys((r.mode, r.payload) for r in row.records if metric in (None, r.metric))
        for mode, payload in loads or {(None, None): None}:
            found = {r.metric: r.value for r in row.records if (r.mode, r.payload) == (mode, payload)}
            values = [_words(found.get(name)) for name, _ in metrics]
            error = [row.error] if result.failure else []
            shown.add_row(*where, mode or "", _words(payload), *values, *error)
    return shown


def _words(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and abs(value) >= 10_000 else str(value)


def plot(result: SweepResult, metric: str | None = None) -> Any:
    """An Altair chart: the first axis across, `metric` up, a colour for each value of the second; the rest beside."""
    alt = need("altair", "nsoc sweep --plot")
    wanted = metric or BENCHMARKS[result.benchmark].metric
    rows = [row for row in tidy(result) if row["metric"] == wanted]
    if not rows:
        known = sorted({record.metric for record in result.records()})
        raise NsocError(f"there is no figure {wanted!r} to plot, only {', '.join(known) or 'errors'}")
    names = result_parameters(result)
    varying = [name for name in (*names, "payload", "mode") if len({row[name] for row in rows}) > 1]
    across = names[0] if names else "payload"
    rest = [name for name in varying if name != across]
    title = f"{wanted}, {rows[0]['unit']}" if rows[0]["unit"] else wanted
    numeric = all(isinstance(row[across], int | float) for row in rows)
    ticks = sorted({row[across] for row in rows}) if numeric else []
    axis = alt.Axis(values=ticks, labelOverlap=True) if 1 < len(ticks) <= TICKS else alt.Axis()
    kind = "quantitative" if numeric else "nominal"
    x = alt.X(across, type=kind, scale=_scale(alt, rows, across, numeric), axis=axis)
    y = alt.Y("value", type="quantitative", title=title, scale=_scale(alt, rows, "value", True))
    tips = [alt.Tooltip(name, type="nominal") for name in (*names, "mode", "payload", "value")]
    encodings: dict[str, Any] = {"x": x, "y": y, "tooltip": tips}
    if rest:
        scheme = alt.Scale(scheme="viridis")
        encodings["color"] = alt.Color(rest[0], type="ordinal", scale=scheme)
        encodings["shape"] = alt.Shape(rest[0], type="ordinal")
    chart = alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(**encodings)
    chart = chart.properties(title=f"{result.benchmark}: {wanted}", width=480, height=320)
    if len(rest) > 1:
        chart = chart.facet(facet=alt.Facet(rest[1], type="nominal"), columns=2)
    return chart


def _scale(alt: Any, rows: Sequence[Mapping[str, Any]], name: str, numeric: bool) -> Any:
    values = [row[name] for row in rows if row[name] is not None] if numeric else []
    if values and min(values) > 0 and max(values) / min(values) >= LOGARITHMIC:
        return alt.Scale(type="log", nice=False)
    return alt.Scale(zero=False) if values else alt.Scale()


def write_plot(result: SweepResult, path: Path, metric: str | None = None) -> None:
    """As SVG, PNG, or an HTML page that needs no network, by the file's ending."""
    check_files(None, path)
    chart = plot(result, metric)
    options = {"inline": True} if path.suffix == ".html" else {}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        chart.save(str(path), **options)
    except OSError as problem:
        raise NsocError(f"cannot write the plot {path}: {problem.strerror or problem}") from None
