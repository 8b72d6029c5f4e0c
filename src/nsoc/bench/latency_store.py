# SPDX-License-Identifier: Apache-2.0
"""Keeps what `nsoc bench latency` has measured with its own phases and options, so that nothing is measured twice.

A part of a preset is one payload in all modes, or the streams both ways. It is the same whatever else was measured with
it, as each payload has a simulation and a seed of its own.
"""

from collections.abc import Callable, Sequence

from nsoc.bench import latency, latency_output, store
from nsoc.bench.latency import LatencyResult
from nsoc.machine import presets
from nsoc.records import Record

Part = int | str
STREAMS = "streams"
PARTS: tuple[Part, ...] = (*latency.PAYLOADS, STREAMS)


class Shelf:
    """Where parts of this tree are kept. The tree is looked at once."""

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self._digests = store.simulated_digest(), store.code_digest(latency.__name__)

    def get(self, name: str, part: Part) -> list[Record] | None:
        """Records of a part of a preset; None when they are not there."""
        return store.recall(self._key(name, part), list[Record])

    def put(self, name: str, part: Part, records: list[Record]) -> None:
        """Keeps them."""
        store.keep(self._key(name, part), records)

    def _key(self, name: str, part: Part) -> store.Key:
        return store.key(presets.load(name), self._seed, {"latency": part}, *self._digests)


def measured(
    name: str,
    parts: Sequence[Part] = PARTS,
    seed: int = 1,
    *,
    fresh: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Record]:
    """Records of these parts of a preset: from disk where they are there."""
    shelf = Shelf(seed)
    todo = [part for part in parts if fresh or shelf.get(name, part) is None]
    if todo:
        payloads = [part for part in todo if isinstance(part, int)]
        found = latency.run(latency.systems([name]), payloads, goodput=STREAMS in todo, seed=seed, progress=progress)
        keep(found, seed, goodput=STREAMS in todo)
    return [record for part in parts for record in shelf.get(name, part) or ()]


def keep(result: LatencyResult, seed: int = 1, *, goodput: bool) -> None:
    """Of a run in all modes, with the bench's own phases and presets."""
    shelf = Shelf(seed)
    for one in result.measured:
        records = latency_output.records(LatencyResult([one], result.phases))
        for payload in {point.payload for point in one.points}:
            single = [record for record in records if record.payload == payload and _is_single(record)]
            shelf.put(one.preset.name, payload, single)
        if goodput:
            streams = [record for record in records if not _is_single(record)]
            shelf.put(one.preset.name, STREAMS, streams)


def kept(seed: int = 1, names: Sequence[str] = latency.PRESETS, parts: Sequence[Part] = PARTS) -> list[Record]:
    """What earlier runs have measured of the RTL, firmware and code that there is now."""
    shelf = Shelf(seed)
    return [record for name in names for part in parts for record in shelf.get(name, part) or ()]


def missing(name: str, parts: Sequence[Part], seed: int = 1) -> list[Part]:
    """The parts that are not on disk."""
    shelf = Shelf(seed)
    return [part for part in parts if shelf.get(name, part) is None]


def _is_single(record: Record) -> bool:
    """Whether it is of single segments."""
    return record.metric.endswith("_ns")
