# SPDX-License-Identifier: Apache-2.0
"""The systems that this platform is: what each follows, how it runs, its headlines beside the published figures.

`nsoc systems`, `nsoc presets`, `nsoc report` and README's table are made of systems.toml. `headlines` has the figures,
`run` does each system's main job once, `show` makes tables and records of both.
"""

import tomllib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from nsoc.errors import NsocError

FILE = Path(__file__).parent / "systems.toml"
TO_COME = "to come"
"""Said of a system without a preset."""


class Publication(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The publication that a system follows."""

    title: str
    by: str
    year: int

    def __str__(self) -> str:
        return f"{self.title} ({self.by}, {self.year})"


class System(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A system of systems.toml."""

    name: str
    title: str
    what: str
    preset: str
    """The one that its main job runs on; empty while the system is to come."""
    presets: tuple[str, ...]
    """All that belong to it: names, or patterns with a star."""
    job: str
    seconds: int
    """The main job takes so long, simulators built, on two idle cores."""
    benches: tuple[str, ...]
    """Commands that measure it whole."""
    page: str
    publication: Publication

    @property
    def to_come(self) -> bool:
        return not self.preset

    @property
    def command(self) -> str:
        """The command of the main job; empty while the system is to come."""
        return "" if self.to_come else f"nsoc systems --run {self.name}"

    def has(self, preset: str) -> bool:
        """Whether the preset belongs to this system."""
        return any(fnmatchcase(preset, pattern) for pattern in self.presets)


SYSTEMS = tuple(msgspec.convert(tomllib.loads(FILE.read_text(encoding="utf-8"))["system"], list[System]))
"""All of systems.toml, in its order."""


def of_preset(preset: str) -> System | None:
    """The system that a preset of that name belongs to."""
    return next((system for system in SYSTEMS if system.has(preset)), None)


def find(names: Sequence[str]) -> list[System]:
    """The systems of those names, in the order of systems.toml; all that are there when none is named.

    Raises NsocError for a name that no system has, and for a system which is to come.
    """
    there = [system for system in SYSTEMS if not system.to_come]
    known = {system.name: system for system in SYSTEMS}
    for name in names:
        if name not in known:
            raise NsocError(f"there is no system {name!r}, only {', '.join(system.name for system in there)}")
        if known[name].to_come:
            raise NsocError(f"the system {name} ({known[name].title}) is to come: nothing of it can run yet")
    return [system for system in there if not names or system.name in names]
