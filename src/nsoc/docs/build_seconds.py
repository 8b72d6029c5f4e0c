# SPDX-License-Identifier: Apache-2.0
"""Measures how long simulators take to build, for src/nsoc/machine/build_seconds.json. `make docs` measures what is
missing there; `python -m nsoc.docs.build_seconds [NAME...]` measures these again, or all.

Each is built in a cache of its own, as on a machine that has built nothing yet. Processor time counts, see
nsoc.machine.build_time.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from nsoc.bench import core_alone, latency_measure, mac_example, toe_edges
from nsoc.errors import NsocError
from nsoc.machine import build, build_time, presets
from nsoc.machine.build import PLAIN, Variant
from nsoc.machine.presets import Preset
from nsoc.pnic import cluster, nic


@dataclass(frozen=True)
class Build:
    """Something that build_seconds.json has a figure of."""

    group: str
    """A field of build_time.Figures."""
    name: str
    same: str
    """Those with the same are the same simulator."""
    make: Callable[[], object]


def builds() -> Iterator[Build]:
    """All of them."""
    for preset in presets.all_presets():
        if preset.has_processor:
            same = build.simulator_digest(preset)
            yield Build("socs", preset.name, same, _soc(preset, PLAIN))
        else:
            yield Build("programs", preset.name, _parameters(preset), _program(preset))
    for name, make in (
        ("core alone", core_alone.simulator),
        ("cluster", lambda: cluster.simulator(6, 4)),
        (toe_edges.TOP, toe_edges.built),
    ):
        yield Build("programs", name, name, make)
    for name in build.VARIANTS:
        yield Build("times", name, name, _soc(presets.load(), Variant(**{name: True})))


def _soc(preset: Preset, variant: Variant) -> Callable[[], object]:
    return lambda: build.simulator(preset, variant)


def _program(preset: Preset) -> Callable[[], object]:
    match preset.top:
        case "lat_node":
            return lambda: latency_measure.simulator(preset)
        case "pnic_node":
            return lambda: nic.simulator(nic.setup_of(preset))
        case _:
            return lambda: mac_example.built(preset)


def _parameters(preset: Preset) -> str:
    return f"{preset.top} {sorted(preset.rtl_parameters().items())}" if preset.top == "pnic_node" else preset.name


def missing(figures: build_time.Figures) -> list[str]:
    """Names of which the file has no figure."""
    return [one.name for one in builds() if one.name not in getattr(figures, one.group)]


def measure(names: Iterable[str]) -> None:
    """Measures these, and writes the file after each. Raises NsocError for a name that there is not."""
    chosen = set(names)
    if unknown := chosen - {one.name for one in builds()}:
        raise NsocError(f"there is nothing to build of the name {unknown.pop()!r}")
    simulators = {one.same for one in builds() if one.name in chosen}
    figures = msgspec.to_builtins(build_time.figures())
    found: dict[str, float] = {}
    for one in builds():
        if one.same not in simulators:
            continue
        if one.same not in found:
            found[one.same] = _seconds(one)
        seconds = found[one.same]
        if one.group == "times":
            seconds = round(seconds / figures["socs"][presets.DEFAULT], 2)
        figures[one.group][one.name] = seconds
        order = [other.name for other in builds()]
        figures[one.group] = {name: figures[one.group][name] for name in order if name in figures[one.group]}
        build_time.FILE.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
        print(f"{one.group} {one.name}: {seconds:g}", file=sys.stderr, flush=True)
    build_time.figures.cache_clear()


def _seconds(one: Build) -> float:
    with _empty_cache() as cache:
        one.make()
        (recipe,) = cache.glob(f"*/*/{build_time.RECIPE}")
        return round(build_time.kept(recipe)["processor"] / build_time.CORES, 1)


@contextmanager
def _empty_cache() -> Iterator[Path]:
    """In which nothing is built yet."""
    kept = {name: os.environ.pop(name, None) for name in ("NSOC_CACHE", "CXX", build.QUICK)}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NSOC_CACHE"] = folder
        try:
            yield Path(folder)
        finally:
            for name, value in kept.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def main(arguments: list[str]) -> int:
    """Exit status 0 when all is measured."""
    try:
        measure(arguments or dict.fromkeys(one.name for one in builds()))
    except NsocError as problem:
        print(f"nsoc.docs.build_seconds: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
