# SPDX-License-Identifier: Apache-2.0
"""What `nsoc sweep` makes of its points: the tidy table, as a file and on a terminal, and the plot."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc import needs
from nsoc.bench.points import benchmark
from nsoc.bench.sweep import PRESET, SEED, SweepResult
from nsoc.errors import NsocError
from nsoc.files import check_writable

if TYPE_CHECKING:
    from rich.table import Table

RECORD_COLUMNS = ("suite", "mode", "metric", "payload", "value", "unit", "limit", "published", "source")
ERROR = "error"
TABLE_ENDINGS, PLOT_ENDINGS = (".csv", ".parquet"), (".svg", ".png", ".html")
TICKS = 12
"""An axis of so many values at most has its ticks at them."""
LOGARITHMIC = 8
"""An axis whose greatest value is so many times its least one is drawn logarithmically."""


def check_files(table: Path | None, plot: Path | None) -> None:
    """Raises NsocError, before hours are spent, for a file that could not be written."""
    for path, endings, what in ((table, TABLE_ENDINGS, "table"), (plot, PLOT_ENDINGS, "plot")):
        if path is not None and path.suffix not in endings:
            raise NsocError(f"the {what} {path} must end in {', '.join(endings)}")
        if path is not None:
            check_writable(path, f"the {what}", f"--{'out' if what == 'table' else what}")
    if table is not None:
        needs.package("pyarrow", "nsoc sweep --out")
    if plot is not None:
        needs.package("altair", "nsoc sweep --plot")
        needs.package("vl_convert", "nsoc sweep --plot")


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
    pa = needs.package("pyarrow", "nsoc sweep")
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
            needs.package("pyarrow.csv", "nsoc sweep").write_csv(table, path)
        else:
            needs.package("pyarrow.parquet", "nsoc sweep").write_table(table, path)
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
    alt = needs.package("altair", "nsoc sweep --plot")
    wanted = metric or benchmark(result.benchmark).metrics[0]
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
