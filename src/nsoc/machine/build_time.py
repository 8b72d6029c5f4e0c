# SPDX-License-Identifier: Apache-2.0
"""How long it takes to build a simulator: by what is built, from build_seconds.json, and by how long this machine took
for the last one.

The file has seconds on two cores that do nothing else, as processor time measures them: that of all processes that
build, divided by how many of them run side by side. So they are the same on a busy machine. `make docs` measures what
is missing there (nsoc.docs.build_seconds). Each build leaves in recipe.txt how long it took on the wall and how long
the file says that it takes; the next estimates are scaled by that.
"""

import functools
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from nsoc.machine.presets import Preset

FILE = Path(__file__).with_name("build_seconds.json")
RECIPE = "recipe.txt"
CORES = 2
"""Of the machine that the file is about."""
THERE = 4
"""A part that one preset has and the other has not is as many differences as so many sizes."""
FALLBACK = 40.0
"""Where the file says nothing."""
MOST_SCALE = 20.0
"""Nobody is told that it takes longer than so many times what the file says, or shorter by as much."""


class Figures(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What the file has; seconds, but for `times`."""

    socs: dict[str, float] = {}
    """A simulator of that preset, by clang."""
    programs: dict[str, float] = {}
    """A simulator that is a program of its own: of a preset without SoC, or by its name."""
    times: dict[str, float] = {}
    """How many times longer the default preset's takes that can do something besides simulating (build.VARIANTS)."""


@functools.cache
def figures() -> Figures:
    """What the file has; nothing where there is none."""
    try:
        return msgspec.json.decode(FILE.read_bytes(), type=Figures)
    except (OSError, msgspec.DecodeError):
        return Figures()


def of_soc(preset: "Preset", variants: Iterable[str]) -> float:
    """Seconds for a simulator of `preset`; `variants`: names of build.VARIANTS. One that the file does not have takes
    what the one takes that is built most like it."""
    from nsoc.machine import presets

    known = figures().socs
    wanted = preset.rtl_parameters()

    def unlike(name: str) -> int:
        there = presets.load(name).rtl_parameters()
        different = [parameter for parameter, value in wanted.items() if there[parameter] != value]
        # That something is there at all counts more than how large it is.
        return len(different) + THERE * sum(bool(there[name]) != bool(wanted[name]) for name in different)

    name = preset.name.partition(" ")[0]  # what `nsoc sweep` has changed stands behind it
    if name not in known or unlike(name):
        name = min((name for name in known if name in presets.names()), key=unlike, default="")
    return known.get(name, FALLBACK) * math.prod(figures().times.get(variant, 1.0) for variant in variants)


def of_program(name: str) -> float:
    """Seconds for the program of that name. One that the file does not have takes what its family takes (lat-100g: that
    of lat-10g)."""
    known, name = figures().programs, name.partition(" ")[0]
    family = [seconds for other, seconds in known.items() if other.partition("-")[0] == name.partition("-")[0]]
    return known.get(name, max(family, default=FALLBACK))


def of_preset(preset: "Preset") -> float:
    """Seconds for what most commands build of `preset`."""
    return of_soc(preset, ()) if preset.has_processor else of_program(preset.name)


def processor_s() -> float:
    """Processor time of all processes that this one has started and that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def keep(folder: Path, what: str, wall_s: float, expected_s: float, processor_s: float) -> None:
    """Writes recipe.txt beside what was built."""
    text = f"{what}\nseconds: {wall_s:.1f}\nexpected: {expected_s:.1f}\nprocessor: {processor_s:.1f}\n"
    (folder / RECIPE).write_text(text, encoding="utf-8")


def kept(recipe: Path) -> dict[str, float]:
    """The figures of a recipe.txt."""
    try:
        text = recipe.read_text(encoding="utf-8")
    except OSError:  # it has just gone
        return {}
    return {name: float(value) for name, value in re.findall(r"^(seconds|expected|processor): ([\d.]+)$", text, re.M)}


def scale(cache: Path) -> float:
    """How many times longer this machine takes than the file says, by the newest of what was built there; 1 where
    nothing was."""

    def when(recipe: Path) -> float:
        try:
            return recipe.stat().st_mtime
        except OSError:
            return 0.0

    for recipe in sorted(cache.glob(f"*/*/{RECIPE}"), key=when, reverse=True):
        found = kept(recipe)
        if found.get("seconds") and found.get("expected"):
            return min(MOST_SCALE, max(1 / MOST_SCALE, found["seconds"] / found["expected"]))
    return 1.0
