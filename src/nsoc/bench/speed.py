# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench speed`: how fast the simulators are, in processor time, alone or against another tree.

**Speed.** It is simulated cycles of the design's main clock (nic_clk of a SoC, the cores' or the engine's of others) a
second of processor time, user and system, of the load's process and of those that it starts. Time on the wall depends
on what else the machine does. Boot, pictures and frames that are made before do not count.

**Evaluations a cycle.** How often the model is evaluated. **Edges left out**: of all clocks, those for which it is not.
Both are counted by the simulators.

**Against another tree.** The same load (speed_load.py) runs in processes of either tree in turn, ours and theirs, so
that a machine that becomes slower meanwhile is slower for both. The ratio is the median of the pairs' ratios. Both must
simulate the same cycles.

**Jobs** are what takes a build or the clock on the wall: they run when they are named.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import nsoc
from nsoc.bench import speed_load
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.progress import waiting
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "speed"
PAIRS, PAIRS_OF_JOBS, RUNS = 11, 3, 3
"""Of each row: pairs of runs against another tree; runs without."""
LITTLE = 0.01
"""Part of a row that is run once before: then simulators and firmware are built."""
KILO = 1e3


@dataclass(frozen=True)
class Row:
    """Something that is measured."""

    name: str
    what: str
    clock: str | None = None
    """Whose cycles are counted; None: a job, whose seconds are."""
    preset: str | None = None
    wall: bool = False
    """Seconds of the clock on the wall, not of the processor."""
    prepared: bool = True
    """A little of it is run before."""

    @property
    def is_job(self) -> bool:
        return self.clock is None


ROWS = {
    row.name: row
    for row in (
        Row("demo", "nsoc demo, the large image's first 3,000 packets", "nic_clk", "nic12-fast"),
        Row("echo-64", "25,000 frames of 64 bytes back to back, echoed", "nic_clk", "nic12-fast"),
        Row("polling", "forward polls a queue for 10 ms, no frame comes", "nic_clk", "nic12-fast"),
        Row("toe-tcp", "one TCP connection, 1460 bytes a segment both ways, 4 ms", "nic_clk", "toe"),
        Row("toe-frames", "2,000 frames of 64 bytes that are no IP, back to back", "nic_clk", "toe"),
        Row("pnic", "six busy cores, 1518 bytes both ways, 400 us", "core", "pnic-rice"),
        Row("lat-10g", "two engines, TCP and UDP streams both ways", "engine", "lat-10g"),
        Row("lat-100g", "two engines, TCP and UDP streams both ways", "engine", "lat-100g"),
        Row("up-curl", "nsoc up --preset toe -- curl of 1 MB", preset="toe", wall=True),
        Row("build-toe", "build of the simulator of toe", preset="toe", prepared=False),
        Row("first-demo", "make demo of a fresh clone", wall=True, prepared=False),
        Row("make-test", "make test of a fresh clone", wall=True, prepared=False),
    )
}  # fmt: skip
"""By name. What each does: speed_load.py."""
LOADS = tuple(name for name, row in ROWS.items() if not row.is_job)
"""Measured when none is named."""


@dataclass(frozen=True)
class Tree:
    """A tree whose simulators are measured, and the Python that runs it."""

    name: str
    packages: Path
    """The folder that `nsoc` is in."""
    python: str = sys.executable


@dataclass(frozen=True)
class Took:
    """One run of a row. What a row does not say is None."""

    seconds: float
    cycles: int | None = None
    evaluations: int | None = None
    edges: int | None = None

    @property
    def speed(self) -> float:
        """Cycles a second."""
        return (self.cycles or 0) / self.seconds


Runner = Callable[[Tree, Row, float, bool], Took]
"""Runs a part of a row in a tree; the last argument: to prepare, so that what it says of a build is shown."""


@dataclass(frozen=True)
class Measured:
    """A row, in the order of its runs; `theirs` is empty without another tree."""

    row: Row
    ours: list[Took]
    theirs: list[Took] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """How many times faster this tree is, of each pair."""
        return [theirs.seconds / ours.seconds for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    def value(self, runs: Sequence[Took]) -> float:
        """Cycles a second, or a job's seconds; the median."""
        return median(one.seconds if self.row.is_job else one.speed for one in runs)

    @property
    def evaluations_per_cycle(self) -> float | None:
        first = self.ours[0]
        return first.evaluations / first.cycles if first.evaluations and first.cycles else None

    @property
    def edges_left_out(self) -> float | None:
        """Of all clocks' edges. What rises at the same time is evaluated once."""
        first = self.ours[0]
        return max(0.0, 1 - first.evaluations / first.edges) if first.evaluations and first.edges else None


@dataclass(frozen=True)
class SpeedResult:
    """Everything `nsoc bench speed` found."""

    measured: list[Measured]
    against: Tree | None
    part: float
    """Of each row's amount."""
    load: float
    """Processes that were running or waiting to, on the machine, in the minute before."""


def rows(names: Sequence[str]) -> list[Row]:
    """The rows of those names, all loads when there are none. Raises NsocError for a name that there is not."""
    for name in names:
        if name not in ROWS:
            raise NsocError(f"there is no row {name!r}, only {', '.join(ROWS)}")
    return [ROWS[name] for name in names or LOADS]


def own_tree() -> Tree:
    """This one."""
    return Tree("this tree", Path(nsoc.__file__).resolve().parents[1])


def tree_in(folder: Path) -> Tree:
    """The checkout in `folder`, with the Python of its own .venv, else with this one. Raises NsocError for another
    folder."""
    packages = folder.absolute() / "src"
    if not ((packages / "nsoc" / "__init__.py").is_file() and (folder / "rtl").is_dir()):
        raise NsocError(
            f"--against wants a checkout of this project, and {folder} has no src/nsoc and rtl: "
            f"`git worktree add {folder} COMMIT` makes one"
        )
    own = folder.absolute() / ".venv" / "bin" / "python"
    return Tree(str(folder), packages, str(own) if own.exists() else sys.executable)


def execute(tree: Tree, row: Row, part: float, prepare: bool) -> Took:
    """A Runner: speed_load.py of this tree, with `nsoc` of that one."""
    command = [tree.python, speed_load.__file__, row.name, f"{part:g}"]
    environment = {**os.environ, "PYTHONPATH": str(tree.packages), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=None if prepare else subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr or "").strip().splitlines()[-1:]
        why = last[0] if last else f"its process ended with {done.returncode}"
        raise NsocError(f"{row.name} of {tree.name}: {why}")
    return took(done.stdout, tree, row)


def took(said: str, tree: Tree, row: Row) -> Took:
    """What speed_load.py has printed. Raises NsocError when that failed, or was of another tree."""
    found = json.loads(said.splitlines()[-1])
    if "error" in found:
        raise NsocError(f"{row.name} of {tree.name}: {found['error']}")
    if Path(found["tree"]).resolve() != tree.packages.resolve():
        raise NsocError(f"{tree.python} takes nsoc from {found['tree']}, not from {tree.packages}: mend its .venv")
    return Took(found["seconds"], found.get("cycles"), found.get("evaluations"), found.get("edges"))


@public
def run(
    names: Sequence[str] = (),
    *,
    against: Path | None = None,
    pairs: int | None = None,
    part: float = 1.0,
    show: Callable[[str], None] = lambda text: None,
    runner: Runner = execute,
) -> SpeedResult:
    """Measures those rows, all loads when none is named; `pairs` runs of each, of either tree with `against`.

    `part` of each row's amount is simulated. Raises NsocError for what there is not, for a row that fails, and where
    the two trees simulate different cycles.
    """
    wanted = rows(names)
    ours, theirs = own_tree(), None if against is None else tree_in(against)
    trees = [ours, *([theirs] if theirs else [])]
    load = os.getloadavg()[0]
    for row in wanted:
        if row.prepared:
            little = []
            for tree in trees:
                show(f"Preparing {row.name} of {tree.name}")
                little.append(runner(tree, row, LITTLE * part, True))
            _check_same(row, trees, little)
    counts = {row.name: pairs or (RUNS if theirs is None else PAIRS_OF_JOBS if row.is_job else PAIRS) for row in wanted}
    total, done = sum(counts.values()) * len(trees), 0
    measured = [Measured(row, [], []) for row in wanted]
    with waiting(f"Measuring, {total} run{'s' * (total > 1)}") as share:
        for found in measured:
            for _ in range(counts[found.row.name]):
                pair = []
                for tree in trees:
                    pair.append(runner(tree, found.row, part, False))
                    done += 1
                    share(done / total)
                _check_same(found.row, trees, pair)
                found.ours.append(pair[0])
                found.theirs.extend(pair[1:])
    return SpeedResult(measured, theirs, part, load)


def _check_same(row: Row, trees: Sequence[Tree], found: Sequence[Took]) -> None:
    if len({one.cycles for one in found}) > 1:
        counts = " and ".join(f"{one.cycles:,} in {tree.name}" for tree, one in zip(trees, found, strict=True))
        raise NsocError(f"{row.name} is not the same load in both trees, which simulate {counts} cycles of {row.clock}")


# ---- What is shown ---------------------------------------------------------------------------------------------------


@public
def records(result: SpeedResult) -> list[Record]:
    """Every figure in the machine format. `mode` is the row's name."""
    made = []
    for one in result.measured:
        row = one.row

        def record(metric: str, value: float, unit: str | None = None, row: Row = row) -> Record:
            return Record(SUITE, row.preset, metric, value, row.name, unit=unit)

        metric, unit = ("cycles_per_processor_s", "1/s")
        if row.is_job:
            metric, unit = ("wall_s" if row.wall else "processor_s"), "s"
        made.append(record(metric, one.value(one.ours), unit))
        if one.evaluations_per_cycle is not None:
            made.append(record("evaluations_per_cycle", one.evaluations_per_cycle))
        if one.edges_left_out is not None:
            made.append(record("edges_left_out", one.edges_left_out))
        if one.theirs:
            made.append(record(f"theirs_{metric}", one.value(one.theirs), unit))
            ratios = one.ratios
            figures = {"ratio": median(ratios), "ratio_least": min(ratios), "ratio_most": max(ratios)}
            made += [record(name, value) for name, value in figures.items()]
    return made


def table(result: SpeedResult) -> "Table":
    """A row for each row."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    shown.add_column("", no_wrap=True)
    headings = ("this tree", *(("theirs", "ratio", "least", "most") if result.against else ()))
    for heading in (*headings, "evaluations", "left out"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for one in result.measured:
        row = one.row
        unit = ("s, wall" if row.wall else "s") if row.is_job else f"k {row.clock} / s"
        cells = [row.name, unit, _value(one, one.ours)]
        if result.against:
            ratios = one.ratios
            cells.append(_value(one, one.theirs))
            cells += [f"{ratio:.2f}" for ratio in (median(ratios), min(ratios), max(ratios))]
        each, left_out = one.evaluations_per_cycle, one.edges_left_out
        cells += ["" if each is None else f"{each:.2f}", "" if left_out is None else f"{left_out:.0%}"]
        shown.add_row(*cells)
    return shown


def _value(one: Measured, runs: Sequence[Took]) -> str:
    value = one.value(runs)
    return f"{value if one.row.is_job else value / KILO:,.1f}"


def lines(result: SpeedResult) -> list[str]:
    """What the table leaves to say."""
    counts = " or ".join(map(str, sorted({len(one.ours) for one in result.measured})))
    said = [
        "Thousand cycles a second of processor time, user and system. Evaluations of the model a cycle; left out: of "
        "all clocks' edges those for which it is not evaluated."
    ]
    if result.against:
        said.append(
            f"Medians; pairs of runs, in turn: {counts}; theirs: {result.against.name}. Ratio: how many times faster "
            "this tree is; least and most: of the pairs."
        )
    else:
        said.append(f"Medians; runs: {counts}.")
    if result.part != 1:
        said.append(f"Of each row {result.part:g} was simulated.")
    if any(one.row.wall for one in result.measured):
        cores = len(os.sched_getaffinity(0))
        said.append(
            f"On the wall with {cores} cores; the machine's load was {result.load:.1f} at the beginning: above 0.3 "
            "these figures do not count."
        )
    return [*said, *(f"{one.row.name}: {one.row.what}." for one in result.measured)]
