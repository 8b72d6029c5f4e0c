# SPDX-License-Identifier: Apache-2.0
"""How large, deep and fast the nodes of docs/latency.md are: records of `nsoc synth lat` and `nsoc pnr lat`, kept in
docs/data/lat.json.

They take an hour: `make docs` does not measure them, it takes them from files (`--lat FILE`).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nsoc.errors import NsocError
from nsoc.hardware import lat_area
from nsoc.machine.build import checkout

FILE = Path("docs") / "data" / "lat.json"
BLOCKS = "lat-blocks"
"""As a system: what `nsoc synth lat-blocks` has block by block."""
KEPT = ("suite", "preset", "mode", "metric", "value", "unit", "limit")
KEY = KEPT[:4]

Figures = Sequence[Mapping[str, Any]]


def load() -> Figures:
    """docs/data/lat.json."""
    path = checkout() / FILE
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def read(file: Path) -> Figures:
    """The records in a file that `nsoc synth lat` or `nsoc pnr lat` wrote."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return [{key: record[key] for key in KEPT} for record in found if record["suite"] in ("synth", "pnr")]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise NsocError(f"cannot read the records of `nsoc synth lat` or `nsoc pnr lat` in {file}: {problem}") from None


def merged(old: Figures, new: Figures) -> Figures:
    """Those of a system or a block that was measured again take the place of the old ones."""

    def whose(record: Mapping[str, Any]) -> tuple[Any, ...]:
        return ("pnr", record["mode"]) if record["suite"] == "pnr" else ("synth", record["preset"])

    again = {whose(record) for record in new}
    kept = [record for record in old if whose(record) not in again] + list(new)
    order = [preset.name for preset in lat_area.systems()]
    return sorted(kept, key=lambda r: (r["suite"], order.index(r["preset"]) if r["preset"] in order else len(order)))


def write(figures: Figures) -> None:
    """To docs/data/lat.json, a record a line."""
    lines = ",\n".join(json.dumps(record) for record in figures)
    (checkout() / FILE).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def rows(figures: Figures, suite: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """System, part or block, and its figures by metric, in the order of the records."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for record in figures:
        if record["suite"] == suite:
            part = record["mode"].partition(":")[2]
            found.setdefault((record["preset"], part), {})[record["metric"]] = record["value"]
    return [(system, part, values) for (system, part), values in found.items()]
