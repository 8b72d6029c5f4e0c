# SPDX-License-Identifier: Apache-2.0
"""Markdown that generated sections share."""

from collections.abc import Iterable, Sequence

NONE = "-"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], align: str = "") -> str:
    """A Markdown table. `align`: a letter a column, `r` for what is aligned right; left is the default."""
    rule = ["---:" if align[i : i + 1] == "r" else "---" for i in range(len(heads))]
    lines = [heads, rule, *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
