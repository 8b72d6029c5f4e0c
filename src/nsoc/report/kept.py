# SPDX-License-Identifier: Apache-2.0
"""Figures that are kept with the sources, as rows with the commit that they are of.

docs/data/figures.json says the commit of each figure. docs/data/area.json and lat.json are written as a whole, so their
figures are of the last commit of the file.
"""

import json
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from nsoc import figures
from nsoc.errors import NsocError
from nsoc.figures import Row
from nsoc.machine.build import checkout

FOLDER = Path("docs") / "data"
AREA, LAT = "area.json", "lat.json"
BLOCKS = "area"
"""The bench of blocks of area.json: `mode` is the block, on 7-series."""
SYNTH = "synth"


@cache
def rows() -> tuple[Row, ...]:
    """Everything that is kept; nothing where there are no such files, as in an installed package."""
    return (*_figures(), *_areas(), *_lat())


def _figures() -> Iterator[Row]:
    try:
        found = figures.load().values()
    except NsocError:
        return
    yield from (row for row in found if row.value is not None)


def _areas() -> Iterator[Row]:
    found = _read(AREA)
    if not isinstance(found, dict):
        return
    commit = _commit(AREA)
    for block, area in found["blocks"].items():
        for metric, value in area["xc7"].items():
            yield _row(BLOCKS, None, block, metric, value, commit)
    preset = found["soc"]["preset"]
    for metric, value in found["soc"]["xc7"].items():
        for bench in (SYNTH, "thesis"):
            yield _row(bench, preset, "xc7", metric, value, commit)


def _lat() -> Iterator[Row]:
    found = _read(LAT)
    if isinstance(found, list):
        commit = _commit(LAT)
        for one in found:
            yield _row(one["suite"], one["preset"], one["mode"], one["metric"], one["value"], commit)


def _row(bench: str, preset: str | None, mode: str, metric: str, value: float, commit: str) -> Row:
    return Row(
        bench=bench, preset=preset, mode=mode, metric=metric, payload=None, unit=None,
        better=figures.BETTER.get(metric), value=value, goal=None, commit=commit,
    )  # fmt: skip


def _read(name: str) -> Any:
    """None when there is no such file, or no JSON in it."""
    try:
        return json.loads((checkout() / FOLDER / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _commit(name: str) -> str:
    """The last one that changed the file."""
    command = ["git", "-C", str(checkout()), "log", "-1", "--abbrev=8", "--format=%h", "--", str(FOLDER / name)]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        found = ""
    return found or "unknown"
