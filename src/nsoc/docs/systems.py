# SPDX-License-Identifier: Apache-2.0
"""README's table of systems and its picture, made of systems.toml, docs/data/figures.json and published/*.toml."""

from pathlib import Path
from typing import Any

from nsoc import figures, needs
from nsoc.docs.markdown import NONE, table
from nsoc.machine.build import checkout
from nsoc.systems import SYSTEMS, TO_COME, System, headlines, show
from nsoc.systems.headlines import Headline

PICTURES = {"light": Path("docs/systems.svg"), "dark": Path("docs/systems-dark.svg")}
INKS = {"light": ("#1f2328", "#59636e", "#d1d9e0"), "dark": ("#f0f6fc", "#9198a1", "#3d444d")}
"""Colours of text, of lesser text and of lines, as pages of code hosts have them in both schemes."""
BARS = {
    "light": ("#0969da", "#1a7f37", "#8250df", "#bc4c00"),
    "dark": ("#4493f8", "#3fb950", "#ab7df8", "#db6d28"),
}
"""A colour a system."""
WHO = "make docs"


def readme() -> str:
    """A row a system."""
    rows = []
    for system in SYSTEMS:
        what = f"[{system.title}]({system.page}): {system.what}"
        publication = f"*{system.publication.title}*, {system.publication.year}"
        if system.to_come:
            rows.append([what, publication, TO_COME, NONE, TO_COME])
            continue
        found = headlines.of(system.name)
        command = f"`{system.preset}`<br>`{system.command}`"
        rows.append([what, publication, command, f"{system.seconds}", "<br>".join(map(_sentence, found))])
    heads = ("system", "publication", "preset, one command", "s", "published -> ours, least favourable ratio (clock)")
    return table(heads, rows, "lllr")


def _sentence(one: Headline) -> str:
    if one.ours is None:
        raise figures.Missing(f"{one.what} was not measured")
    values = f"{show.number(one.published, one.digits)} -> {show.number(one.ours, one.digits)} {one.unit}"
    return f"{one.what}: {values}, {one.ratio:.2f} x ({one.clocks})"


def picture(scheme: str) -> Any:
    """An Altair chart: how many times better ours is, a bar a headline."""
    alt = needs.package("altair", WHO)
    text, faint, lines = INKS[scheme]
    rows, there = [], [system for system in SYSTEMS if not system.to_come]
    for system in there:
        rows += [_row(system, one) for one in headlines.of(system.name)]
    order = [row["figure"] for row in rows]
    names = alt.Axis(labelLimit=340, ticks=False, domain=False, labelPadding=8)
    y = alt.Y("figure:N", sort=order, title=None, axis=names)
    scale = alt.Scale(type="log", domain=[0.95, 60], nice=False)
    axis = alt.Axis(values=[1, 2, 5, 10, 20], format="~g", grid=False)
    x = alt.X("ratio:Q", title="times better than published, least favourable of its kind", scale=scale, axis=axis)
    colour = alt.Color(
        "system:N", sort=[system.title for system in there], scale=alt.Scale(range=list(BARS[scheme])),
        legend=alt.Legend(orient="bottom", title=None, columns=4),
    )  # fmt: skip
    base = alt.Chart(alt.Data(values=rows))
    bars = base.mark_bar(height=14, cornerRadiusEnd=3).encode(x=x, x2=alt.datum(1), y=y, color=colour)
    marks = base.mark_text(align="left", dx=6, fontSize=12, color=text).encode(x=x, y=y, text="label:N")
    one = alt.X("one:Q", scale=scale, axis=axis)
    rule = alt.Chart(alt.Data(values=[{"one": 1}])).mark_rule(color=faint).encode(x=one)
    return (
        (bars + marks + rule)
        .properties(width=480, height=26 * len(rows), background="transparent", padding=8)
        .configure_view(stroke=None)
        .configure_axis(labelColor=text, titleColor=faint, gridColor=lines, domainColor=lines, labelFontSize=12)
        .configure_legend(labelColor=text, labelFontSize=12)
    )


def _row(system: System, one: Headline) -> dict[str, object]:
    if one.ours is None or one.ratio is None:
        raise figures.Missing(f"{one.what} was not measured")
    values = f"{show.number(one.published, one.digits)} \N{RIGHTWARDS ARROW} {show.number(one.ours, one.digits)}"
    label = f"{one.ratio:.2f} x ({values} {one.unit})"
    return {"system": system.title, "figure": one.what, "ratio": one.ratio, "label": label}


def drawn() -> dict[Path, str]:
    """The pictures, by file."""
    convert = needs.package("vl_convert", WHO)
    return {path: convert.vegalite_to_svg(picture(scheme).to_json()) + "\n" for scheme, path in PICTURES.items()}


def draw() -> None:
    """Writes the pictures."""
    for path, text in drawn().items():
        (checkout() / path).write_text(text, encoding="utf-8")
