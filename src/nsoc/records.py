# SPDX-License-Identifier: Apache-2.0
"""Measurements for machines: one flat record a figure, the same shape for everything that prints a table."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from nsoc.errors import NsocError


@dataclass(frozen=True, slots=True)
class Record:
    """One figure. What does not apply is None (null in the file)."""

    suite: str
    preset: str | None
    metric: str
    value: float | int | bool | str
    mode: str | None = None
    payload: int | None = None
    """Payload bytes of a frame, where the figure depends on it."""
    unit: str | None = None
    limit: float | None = None
    """What the line allows, in the unit of `value`."""
    published: float | None = None
    """The published figure, in the unit of `value`."""
    source: str | None = None
    """Where the published figure stands."""


_ORDER = ("suite", "preset", "mode", "metric", "payload", "value", "unit", "limit", "published", "source")


def to_json(records: Sequence[Record]) -> str:
    """A JSON list, one record a line."""
    rows = [json.dumps({key: asdict(record)[key] for key in _ORDER}) for record in records]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def write(records: Sequence[Record], where: str) -> None:
    """Write to the file `where`, or to standard output for `-`."""
    text = to_json(records)
    if where == "-":
        sys.stdout.write(text)
        return
    try:
        Path(where).parent.mkdir(parents=True, exist_ok=True)
        Path(where).write_text(text, encoding="utf-8")
    except OSError as error:
        raise NsocError(f"cannot write the records to {where}: {error.strerror}; give --json another file") from error
