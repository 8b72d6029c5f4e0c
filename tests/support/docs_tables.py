# SPDX-License-Identifier: Apache-2.0
"""Where figures in the pages' tables and sentences come from."""

import re

from docs_pages import ROOT


def number(cell: str) -> float:
    """What a cell of a table says: 1,234.5 and the like, whatever stands around it."""
    found = re.search(r"-?[\d,]*\d(?:\.\d+)?", cell)
    assert found, f"there is no number in {cell!r}"
    return float(found.group().replace(",", ""))


def source(module: str) -> str:
    """The text of a module or package of rtl/."""
    return next((ROOT / "rtl").rglob(f"{module}.sv")).read_text(encoding="utf-8")


def header(module: str) -> str:
    """The comment with which its file begins, in one line."""
    lines = re.match(r"(?://.*\n)+", source(module))
    assert lines
    return " ".join(re.sub(r"^// ?", "", lines[0], flags=re.MULTILINE).split())


def parameter(module: str, name: str) -> str:
    """The default of a parameter, or the value of a localparam, in the file of a module or package of rtl/."""
    found = re.search(rf"(?:localparam|parameter)\b[^=;]*\b{name} *= *([^,;\n)]+)", source(module))
    assert found, f"{module} has no parameter {name}"
    return found[1].partition("//")[0].strip()
