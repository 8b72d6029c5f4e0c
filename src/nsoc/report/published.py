# SPDX-License-Identifier: Apache-2.0
"""The published tables that N-SoC is compared with, as published/tables.toml names them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from nsoc.machine import presets
from nsoc.published import load

FILE = "tables.toml"


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published table."""

    system: str
    publication: str
    """A key of publications()."""
    number: str
    """As printed; of one without a number a word."""
    title: str
    clock: str
    """Of the published system."""
    values: tuple[str, ...]
    """`FILE:TABLE.KEY` in this folder, each."""
    shown: str
    """What of nsoc.report.beside makes its lines."""
    presets: tuple[str, ...]
    """Of ours beside it."""
    command: str
    """That measures ours."""
    reason: str = ""
    """Why it, or a part of it, has nothing of ours beside it."""
    puzzle: tuple[str, ...] = ()
    """What a reader stumbles over, explained."""

    @property
    def name(self) -> str:
        """`Table 6.6`, or a word where there is no number."""
        return f"Table {self.number}" if self.number[0].isdigit() or self.number[0].isupper() else self.number

    @property
    def source(self) -> str:
        """The publication, and where in it."""
        return f"{publications()[self.publication]}, {self.name}"


def publications() -> Mapping[str, str]:
    """Authors, title and year, by key."""
    return dict(_all()["publication"])


def tables(system: str | None = None) -> list[Table]:
    """In their order; of one system, or all."""
    found: list[Table] = _all()["table"]
    return [one for one in found if system in (None, one.system)]


def systems() -> list[str]:
    """Those that have published tables, in their order."""
    return list(dict.fromkeys(one.system for one in tables()))


@cache
def _all() -> dict[str, Any]:
    found = load(FILE)
    return {**found, "table": msgspec.convert(found["table"], list[Table])}


def clocks(table: Table) -> str:
    """Of our presets beside it."""
    by_clock: dict[str, list[str]] = {}
    for name in table.presets:
        by_clock.setdefault(_clock(name), []).append(name)
    return "; ".join(f"{', '.join(names)}: {clock}" for clock, names in by_clock.items())


def _clock(name: str) -> str:
    preset = presets.load(name)
    if preset.top == "pnic_node":
        return f"{preset.cores} cores at {preset.cpu_mhz:g} MHz"
    if preset.top == "lat_node":
        return f"engine {preset.nic_mhz:g} MHz"
    if not preset.has_processor:
        return f"MAC {preset.nic_mhz:g} MHz"
    return f"processor {preset.cpu_mhz:g} MHz, NIC {preset.nic_mhz:g} MHz"
