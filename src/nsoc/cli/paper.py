# SPDX-License-Identifier: Apache-2.0
"""Where commands print for people: a terminal, or a file or pipe, where a table is as wide as its figures need."""

from typing import Any

from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table

LEAST_COLUMNS = 100
"""Width off a terminal, unless a table needs more."""
PROSE_COLUMNS = 60
"""What is longer than that in a table's cell is prose, which may go over several lines; figures and names may not."""
BORDER_COLUMNS = 3
"""Of a column: the line beside it, a space at either side."""


class Paper(Console):
    """A console that neither cuts nor breaks what stands in a table when it does not print on a terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        """As that of Console."""
        if not self.is_terminal:
            self.width = max([LEAST_COLUMNS, *(self._columns_of(part) for part in objects)])
        super().print(*objects, **options)

    def _columns_of(self, part: Any) -> int:
        if isinstance(part, Group):
            return max((self._columns_of(inner) for inner in part.renderables), default=0)
        if not isinstance(part, Table):
            return 0
        total = 1
        for column in part.columns:
            cells = (column.header, column.footer, *column.cells)
            options = self.options.update(width=1 << 16)
            longest = max(Measurement.get(self, options, cell).maximum for cell in cells)
            needed = longest if column.no_wrap else min(longest, PROSE_COLUMNS)
            total += BORDER_COLUMNS + max(needed, column.min_width or 0)
        return total
