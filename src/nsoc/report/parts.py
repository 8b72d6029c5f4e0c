# SPDX-License-Identifier: Apache-2.0
"""What chapters are made of: sections with a plot, and the series of which page.js draws a plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nsoc.figures import Key
from nsoc.report.book import Curve, Reader
from nsoc.report.facts import Shown

COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6")
"""Of series that are no preset of the NIC; page.css has them."""
PUBLISHED = "other"
"""The colour of what is published once for several of ours."""
SHAPES = ("circle", "square", "triangle", "diamond", "circle", "square")

Chart = dict[str, Any]


@dataclass
class Section:
    """A part of a chapter: words, and a plot or a piece of HTML below them."""

    name: str
    """Its place in the page."""
    title: str
    words: str
    """Plain text."""
    command: str
    """That measures what it shows."""
    chart: Chart | None = None
    origin: str = ""
    """A sentence on where the figures are from."""
    published: str = ""
    """The publication of which figures are in it."""
    html: str = ""
    """In the place of a chart."""


@dataclass
class Chapter:
    """A system."""

    name: str
    title: str
    lead: str
    sections: list[Section] = field(default_factory=list)
    tables: list[Shown] = field(default_factory=list)
    """The published ones, beside ours."""
    others: list[Shown] = field(default_factory=list)
    """Of figures that nobody has published."""
    notes: list[str] = field(default_factory=list)
    """What several tables need."""
    publications: tuple[str, ...] = ()
    head: str = ""
    """HTML between lead and sections."""

    @property
    def charts(self) -> list[Chart]:
        """For page.js."""
        return [section.chart for section in self.sections if section.chart]


def series(label: str, colour: str, curve: Curve, shape: str = "circle") -> Chart:
    """A curve of ours."""
    return {"preset": colour, "label": label, "published": False, "kept": curve.kept, "shape": shape,
            "points": curve.points, "behind": curve.behind}  # fmt: skip


def theirs(label: str, colour: str, points: Sequence[tuple[float, float]], shape: str = "circle") -> Chart:
    """A published curve."""
    return {"preset": colour, "label": label, "published": True, "shape": shape, "points": list(points)}


def bar(reader: Reader, label: str, colour: str, parts: Mapping[str, Key | None], scale: float = 1.0) -> Chart | None:
    """A bar of one segment or several; None when one of them was not measured."""
    found = {name: reader.book.get(at) for name, at in parts.items() if at is not None}
    if not found or None in found.values():
        return None
    figures = {name: one for name, at in parts.items() if at is not None and (one := reader.get(at)) is not None}
    kept = any(one.commit for one in figures.values())
    segments = [(name, round(one.value * scale, 4)) for name, one in figures.items()]
    return {"preset": colour, "label": label, "kept": kept, "segments": segments}


def lines_chart(name: str, title: str, panels: Sequence[tuple[str, Sequence[Chart]]], **more: Any) -> Chart | None:
    """Panels of curves; None when none of ours has a point. More: unit, x, y, scale, xscale, at."""
    drawn: list[Chart] = [
        {"title": words, "series": [one for one in curves if one["points"]]} for words, curves in panels
    ]
    drawn = [panel for panel in drawn if any(not one["published"] for one in panel["series"])]
    return {"id": name, "kind": "lines", "title": title, "panels": drawn, **more} if drawn else None


def bars_chart(
    name: str, title: str, panels: Sequence[tuple[str, Sequence[Chart | None]]], **more: Any
) -> Chart | None:
    """Panels of bars; None when there is none."""
    drawn = [{"title": words, "rows": [row for row in rows if row]} for words, rows in panels]
    drawn = [panel for panel in drawn if panel["rows"]]
    return {"id": name, "kind": "bars", "title": title, "panels": drawn, **more} if drawn else None


def shaded(rows: Sequence[Chart | None]) -> list[Chart]:
    """Bars whose segments are told apart by shades, in one order for all."""
    found = [row for row in rows if row]
    for row in found:
        count = len(row["segments"])
        row["shades"] = [round(1 - 0.8 * at / max(count - 1, 1), 2) for at in range(count)]
        row["detail"] = row["segments"]
    return found
