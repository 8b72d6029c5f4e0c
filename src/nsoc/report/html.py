# SPDX-License-Identifier: Apache-2.0
"""Pieces of HTML that several parts of the page are made of. Every text goes through `html.escape`."""

from html import escape

from nsoc.report import facts as f
from nsoc.report.book import MARK

WORDS = 40
"""A cell of more characters may have several lines."""


def shape(preset: str) -> str:
    """A preset's mark of the legend, as in the plots."""
    fill, kind = f'fill="var(--{preset})"', f.SHAPES[preset.partition("-")[2]]
    if kind == "square":
        return f'<rect x="2" y="2" width="9" height="9" {fill}/>'
    return f'<path d="M7 1l6 11h-12z" {fill}/>' if kind == "triangle" else f'<circle cx="7" cy="6.5" r="5" {fill}/>'


def swatch(preset: str | None) -> str:
    """The same as a picture of its own; empty for other words."""
    if preset not in f.PRESETS:
        return ""
    return f'<svg width="16" height="12" aria-hidden="true">{shape(preset)}</svg> '


def table(head: str, rows: str) -> str:
    """A table that scrolls in its own frame."""
    return f'<div class="scroll" tabindex="0"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def details(shown: f.Shown) -> str:
    """A table behind its title."""
    head = "".join(f"<th>{escape(words).strip().replace(chr(10), '<br>')}</th>" for words in shown.head)
    rows = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in shown.rows)
    lines = "".join(f"<p>{escape(line)}</p>" for line in shown.lines)
    body = table(f"<tr>{head}</tr>", rows) if shown.rows else ""
    return f"<details><summary>{escape(shown.title)}</summary>{body}{lines}{repeat(shown.command)}</details>\n"


def cell(text: str) -> str:
    """Of a table. What is kept with the sources is pale."""
    looks = [*(["words"] if len(text) > WORDS else []), *(["kept"] if text.endswith(MARK) else [])]
    look = f' class="{" ".join(looks)}"' if looks else ""
    return f"<td{look}>{swatch(text.partition(',')[0])}{escape(text)}</td>"


def repeat(command: str) -> str:
    """How to measure it again."""
    return f'<p class="source">To repeat it: <code>{escape(command)}</code></p>' if command else ""


def missing(command: str) -> str:
    """In the place of what was not measured."""
    return f'<p class="missing">Not measured yet: <code>{escape(command)}</code> does it.</p>'


def key(look: str, words: str) -> str:
    """A line of the legend."""
    line = f'<svg viewBox="0 0 26 10"><path class="{look}" stroke="var(--soft)" d="M0 5h26"/></svg>'
    return f"<span>{line}{escape(words)}</span>"
