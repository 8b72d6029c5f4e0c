# SPDX-License-Identifier: Apache-2.0
"""Tables and sentences of the pages: read from the page, compared with where their figures come from."""

import functools
import re

from docs_pages import ROOT

_BORDERS = re.compile(r"[│┃|]")
_RULE = re.compile(r"[\s━─┏┳┓┡╇┩├┼┤└┴┘╭╮╰╯+-]*")


@functools.cache
def text(page: str) -> str:
    """A page in one line, for sentences that go over several."""
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def says(page: str, *sentences: str) -> None:
    """Fails where a page does not have these words. They are put together from the figures' source."""
    missing = [sentence for sentence in sentences if " ".join(sentence.split()) not in text(page)]
    assert not missing, f"{page} does not say:\n" + "\n".join(missing)


def tables(page: str, section: str) -> list[list[list[str]]]:
    """The Markdown tables below a heading, up to the next one: rows of cells, heads first, without the rule."""
    found: list[list[list[str]]] = []
    inside = before = False
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"#+ +(.*)", line):
            inside = heading.group(1) == section
        row = inside and line.startswith("|")
        if row:
            if not before:
                found.append([])
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                found[-1].append(cells)
        before = row
    assert found, f"{page} has no table below {section!r}"
    return found


def table(page: str, section: str, number: int = 1) -> list[list[str]]:
    """One of them, without its heads; `number` counts the tables below that heading."""
    return tables(page, section)[number - 1][1:]


def number(cell: str) -> float:
    """What a cell says: 1,234.5 and the like, whatever stands around it."""
    found = re.search(r"-?[\d,]*\d(?:\.\d+)?", cell)
    assert found, f"there is no number in {cell!r}"
    return float(found.group().replace(",", ""))


def unframed(printed: str) -> str:
    """What a command prints, its tables without frames: a space between cells, no rules, no spaces at the ends."""
    lines = [line for line in printed.splitlines() if not line.strip() or not _RULE.fullmatch(line)]
    return "\n".join(" ".join(_BORDERS.sub(" ", line).split()) for line in lines) + "\n"


def parameter(module: str, name: str) -> str:
    """The default of a parameter, or the value of a localparam, in the file of that module or package of rtl/."""
    source = next((ROOT / "rtl").rglob(f"{module}.sv")).read_text(encoding="utf-8")
    found = re.search(rf"(?:localparam|parameter)\b[^=;]*\b{name} *= *([^,;\n)]+)", source)
    assert found, f"{module} has no parameter {name}"
    return found[1].partition("//")[0].strip()
