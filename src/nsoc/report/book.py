# SPDX-License-Identifier: Apache-2.0
"""Figures by their key, each with where it comes from: measured on this tree, or kept with the sources.

Records are of this tree: measured now, or before of the same sources (nsoc.bench.store). docs/data/figures.json keeps
figures of earlier commits. They stand in for what is not measured here, marked as what they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nsoc.figures import Key, Row
from nsoc.records import Record

MARK = "\N{DAGGER}"
"""Behind a figure that is kept with the sources."""


@dataclass(frozen=True)
class Figure:
    """A figure of ours."""

    value: float
    commit: str | None
    """The tree that it was measured on; None: this one."""


@dataclass(frozen=True)
class Curve:
    """Points of one origin."""

    points: list[tuple[float, float]]
    kept: bool
    """Whether they are of earlier commits."""
    behind: list[tuple[float, float]] = field(default_factory=list)
    """Points of earlier commits, where those of this tree are fewer."""


def key(suite: str, preset: str | None, mode: str | None, metric: str, payload: int | None = None) -> Key:
    """What a figure is found under."""
    return suite, preset, mode, metric, payload


class Book:
    """All figures that a report has; of a key that both have the one of this tree."""

    def __init__(self, records: Iterable[Record], rows: Iterable[Row] = ()) -> None:
        self._found = {row.key: Figure(float(row.value), row.commit or "unknown") for row in rows
                       if row.value is not None}  # fmt: skip
        for one in records:
            if isinstance(one.value, int | float) and not isinstance(one.value, bool):
                at = key(one.suite, one.preset, one.mode, one.metric, one.payload)
                self._found[at] = Figure(float(one.value), None)

    def get(self, at: Key) -> Figure | None:
        """None: not measured."""
        return self._found.get(at)

    def __iter__(self) -> Iterator[Key]:
        """Keys of all figures."""
        return iter(self._found)


@dataclass
class Reader:
    """Reads figures for one plot or table, and notes where they come from."""

    book: Book
    fresh: bool = False
    """Whether a figure of this tree was among them."""
    commits: set[str] = field(default_factory=set)
    """Of those that are kept."""

    def get(self, at: Key) -> Figure | None:
        """One figure."""
        found = self.book.get(at)
        if found is not None:
            self._note([found])
        return found

    def value(self, at: Key) -> float | None:
        """The same, without its origin."""
        found = self.get(at)
        return None if found is None else found.value

    def curve(self, keys: Mapping[int, Key] | Sequence[tuple[float, Key]], scale: float = 1.0) -> Curve:
        """Points by x. Figures of this tree; else those that are kept. Where the former are too few for a curve, as
        after a short run, the latter are behind them."""
        pairs = keys.items() if isinstance(keys, Mapping) else keys
        found = [(x, one) for x, at in pairs if (one := self.book.get(at)) is not None]
        fresh = [(x, one) for x, one in found if one.commit is None]
        chosen = fresh or found
        behind = found if fresh and len(found) > len(fresh) else []
        self._note(one for _, one in [*chosen, *behind])
        points, others = ([(x, one.value * scale) for x, one in every] for every in (chosen, behind))
        return Curve(points, not fresh and bool(chosen), others)

    def _note(self, figures: Iterable[Figure]) -> None:
        for one in figures:
            if one.commit is None:
                self.fresh = True
            else:
                self.commits.add(one.commit)

    @property
    def kept(self) -> bool:
        """Whether a figure of another commit was read."""
        return bool(self.commits)

    @property
    def origin(self) -> str:
        """A sentence on where the figures are from; empty when there were none."""
        if not self.commits:
            return "Ours: measured on this tree." if self.fresh else ""
        of = f"of commit{'s' if len(self.commits) > 1 else ''} {', '.join(sorted(self.commits))}"
        if self.fresh:
            return f"Ours: measured on this tree; pale or with {MARK}: kept with the sources in docs/data, {of}."
        return f"Ours: not measured on this tree, but kept with the sources in docs/data, {of} (pale or with {MARK})."
