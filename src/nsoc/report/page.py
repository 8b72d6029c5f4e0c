# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file that needs nothing else: a chapter a system.

Every text goes through `html.escape`, the data through JSON with `<` escaped. A content security policy lets the page
run its own script and styles, by their hashes, and nothing else: no request can leave it, whatever a record holds.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from nsoc import systems
from nsoc.figures import BETTER, HIGH
from nsoc.report import beside, chapter_latency, chapter_nic, chapter_pnic, chapter_tcp, chapter_v8, html, published
from nsoc.report import facts as f
from nsoc.report.beside import NOTHING, number
from nsoc.report.book import MARK, Book
from nsoc.report.facts import Facts, Shown
from nsoc.report.parts import COLOURS, Chapter, Section
from nsoc.systems import headlines

FOLDER = Path(__file__).parent
CHAPTERS: Mapping[str, Callable[[Facts, Book], Chapter]] = {
    "nic": chapter_nic.chapter, "tcp": chapter_tcp.chapter, "latency": chapter_latency.chapter,
    "pnic": chapter_pnic.chapter, "v8": chapter_v8.chapter,
}  # fmt: skip
"""By the system's name."""


def page(facts: Facts) -> str:
    """The whole file."""
    style, script = ((FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    book = facts.book()
    chapters = [_chapter(name, facts, book) for name in CHAPTERS if not facts.systems or name in facts.systems]
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>N-SoC, measured</title>
<style>{style}</style>
</head>
<body>
{_head(facts, book, chapters)}<main>
{"".join(map(_shown, chapters))}{_about(facts)}</main>
<footer>Written by <code>nsoc report</code>. Times are simulated: the same commit and seed give the same ones.</footer>
<div class="tip" id="tip" aria-hidden="true"></div>
<script type="application/json" id="data">{_inline_json(_data(facts, chapters))}</script>
<script>{script}</script>
</body>
</html>
"""


def _chapter(name: str, facts: Facts, book: Book) -> Chapter:
    """With its published tables: as the bench prints them, where it has; all others from the book."""
    made = CHAPTERS[name](facts, book)
    failed = "".join(f'<p class="missing">{escape(why)}.</p>' for why in facts.failures.get(name, ()))
    made.head = failed + made.head
    used = set()
    for table in published.tables(name):
        own = next((one for one in facts.tables if _is_of(one, table)), None)
        if own is not None and own.rows:
            used.add(own.title)
            lines = [*own.lines, *beside.about(table), *table.puzzle]
            made.tables.append(Shown(own.title, own.head, own.rows, lines, table.command))
        else:
            used |= set() if own is None else {own.title}
            made.tables.append(beside.shown(table, book))
    made.others = [one for one in facts.tables if one.system == name and one.title not in used]
    return made


def _is_of(shown: Shown, table: published.Table) -> bool:
    """Whether a bench's table is the published one."""
    first = f"{table.name}. " if table.name != table.number else table.title.partition(",")[0]
    return shown.system == table.system and shown.title.startswith(first)


def _data(facts: Facts, chapters: Sequence[Chapter]) -> dict[str, Any]:
    """For page.js: plots, and every figure for the CSV."""
    rows = [[*f.row(record), None] for record in facts.records]
    known = {(one.suite, one.preset, one.mode, one.metric, one.payload) for one in facts.records}
    shown = facts.systems or tuple(CHAPTERS)
    for row in facts.kept:
        if row.key not in known and f.system_of(row.preset, row.bench) in (None, *shown):
            of = {**dict.fromkeys(f.COLUMNS), "suite": row.bench, "preset": row.preset, "metric": row.metric,
                  "value": row.value, "mode": row.mode, "payload": row.payload, "unit": row.unit}  # fmt: skip
            rows.append([*of.values(), row.commit])
    charts = [chart for one in chapters for chart in one.charts]
    colours = (*f.PRESETS, *COLOURS)
    return {"presets": colours, "charts": charts, "columns": [*f.COLUMNS, "commit"], "records": rows}


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _inline_json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026")


# ---- The head of the page --------------------------------------------------------------------------------------------


def _head(facts: Facts, book: Book, chapters: Sequence[Chapter]) -> str:
    about = facts.about
    stamp = " · ".join(f"{name} {about[name]}" for name in ("commit", "seed") if name in about)
    links = "".join(f'<a href="#{one.name}">{escape(one.title)}</a>' for one in chapters)
    kept = ""
    if facts.kept:
        kept = (
            f'<p class="note">{MARK}, and pale in plots: kept with the sources, measured on an earlier commit, which '
            "the words beside it name. Everything else was measured on this tree.</p>"
        )
    return f"""<header>
<h1>N-SoC, measured</h1>
<p class="lead">Network-centric SoCs, simulated cycle by cycle, beside the published systems that they follow.</p>
{_systems(facts, book)}{kept}
<p class="note">{escape(about.get("date", ""))} · {escape(stamp)} ·
<button id="csv" type="button">all figures as CSV</button></p>
<noscript><p class="missing">A script in this file draws the plots, and it is switched off; the tables are all here.</p>
</noscript>
<nav>{links}<a href="#about">how it was measured</a></nav>
</header>
"""


def _systems(facts: Facts, book: Book) -> str:
    """A row a headline: the least favourable ratio of each kind."""
    rows = ""
    wanted = set(facts.systems or CHAPTERS)
    listed = [one for one in systems.SYSTEMS if one.name in wanted or (one.to_come and wanted == set(CHAPTERS))]
    for system in listed:
        name = escape(system.title)
        of = headlines.of(system.name)
        if not of:
            rows += f'<tr><td>{name}</td><td class="words muted" colspan="4">{systems.TO_COME}</td></tr>'
        for at, one in enumerate(of):
            ours = book.get(one.key)
            better = NOTHING
            if ours is not None:
                way = BETTER[one.key[3]] == HIGH
                better = f"{(ours.value / one.published if way else one.published / ours.value):.2f}"
            shown = NOTHING if ours is None else number(ours.value) + (f" {MARK}" if ours.commit else "")
            first = f'<a href="#{system.name}">{name}</a>' if at == 0 else ""
            rows += (
                f"<tr><td>{first}</td><td class=words>{escape(one.what)}, {escape(one.unit)}"
                f"<br><small>{escape(one.published_clock)}; ours {escape(one.clock)}</small></td>"
                f"<td>{number(one.published)}</td>{html.cell(shown)}<td>{better}</td></tr>"
            )
    sources = "".join(f"<li>{escape(system.title)}: {escape(str(system.publication))}</li>" for system in listed)
    head = (
        "<tr><th>system</th><th class=words>figure<br><small>clocks: published; ours</small></th><th>published</th>"
        "<th>ours</th><th>times<br>better</th></tr>"
    )
    return f'<div class="summary">{html.table(head, rows)}</div><ul class="source">{sources}</ul>'


# ---- Chapters --------------------------------------------------------------------------------------------------------


def _shown(chapter: Chapter) -> str:
    of = "; ".join(published.publications()[key] for key in chapter.publications)
    links = "".join(f'<a href="#{one.name}">{escape(one.title)}</a>' for one in chapter.sections)
    return (
        f'<section class="chapter" id="{chapter.name}"><h2>{escape(chapter.title)}</h2>'
        f'<p class="lead">{escape(chapter.lead)}</p><p class="source">Published: {escape(of)}.</p>{chapter.head}'
        f'<nav>{links}<a href="#{chapter.name}-tables">published tables</a></nav>'
        f"{''.join(map(_section, chapter.sections))}{_tables(chapter)}</section>\n"
    )


def _section(section: Section) -> str:
    chart = section.chart
    body = section.html
    if chart:
        rows = [one for panel in chart["panels"] for one in panel.get("series", panel.get("rows"))]
        fresh = any(not one.get("kept") and not one.get("published") for one in rows)
        keys = [html.key("ours", "measured here")] if fresh else []
        kept = any(one.get("kept") or one.get("behind") for one in rows)
        keys += [html.key("ours kept", "kept with the sources")] if kept else []
        theirs = any(one.get("published") for one in rows)
        keys += [html.key("published", "published")] if theirs else []
        legend = f'<div class="legend">{"".join(keys)}</div>' if theirs or kept else ""
        look = "chart narrow" if chart.get("narrow") else "chart"
        body = f'<figure>{legend}<div class="{look}" id="chart-{chart["id"]}"></div></figure>'
    told = [section.origin] if section.origin else []
    told += [f"Published: {published.publications()[section.published]}."] if section.published else []
    source = f'<p class="source">{escape(" ".join(told))}</p>' if told else ""
    below = f"{body}{source}{html.repeat(section.command)}" if body else html.missing(section.command)
    words = f"<h3>{escape(section.title)}</h3><p>{escape(section.words)}</p>"
    return f'<section id="{section.name}">{words}{below}</section>\n'


def _tables(chapter: Chapter) -> str:
    parts = "".join(map(html.details, chapter.tables))
    notes = "".join(f"<p>{escape(note)}</p>" for note in chapter.notes)
    others = "".join(map(html.details, chapter.others))
    besides = f"<h3>Measured besides</h3>{others}" if others else ""
    of = escape("; ".join(published.publications()[key] for key in chapter.publications[:1]))
    button = '<p><button class="open" type="button">Open these tables</button></p>'
    return (
        f'<section id="{chapter.name}-tables"><h3>Every published table of {of}, beside ours</h3>{notes}{button}{parts}'
        f"{besides}</section>\n"
    )


def _about(facts: Facts) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts.about.items())
    return f'<section id="about"><h2>How it was measured</h2><dl>{rows}</dl></section>\n'
