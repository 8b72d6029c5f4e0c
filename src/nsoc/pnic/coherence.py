# SPDX-License-Identifier: Apache-2.0
"""What private caches would find of the scratchpad's accesses (figure 3 of the source): one a core, one for both DMA
assists, one for both MAC assists; fully associative, LRU, lines of 16 bytes, MESI. The host's own accesses are left
out. An SC that fails is no write."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from nsoc.pnic.trace import Access

LINE_WORDS = 4
SIZES = tuple(16 << step for step in range(12))
"""Bytes of each cache: 16 to 32 K."""


@dataclass(frozen=True)
class Hits:
    """Of all caches together."""

    accesses: int
    hits: int
    writes: int
    invalidating: int
    """Writes that another cache lost its line by."""

    @property
    def ratio(self) -> float:
        """Of accesses that found their line; a write that has it shared finds it, too."""
        return self.hits / max(self.accesses, 1)

    @property
    def invalidating_share(self) -> float:
        """Of writes."""
        return self.invalidating / max(self.writes, 1)


def cache_of(master: int, cores: int) -> int | None:
    """Which cache a master has: DMA assists share one, MAC assists too; the host has none."""
    assist = master - cores
    if assist < 0:
        return master
    return cores + assist // 2 if assist < 4 else None


def hits(accesses: Sequence[Access], cores: int, size: int, *, warm: float = 0.0) -> Hits:
    """With caches of `size` bytes, empty at first. The first `warm` of all accesses, 0 to 1, do not count.

    MESI says who must ask whom; of what is found only two things matter, whether a line is there, and that a write
    takes it from all others.
    """
    lines = size // 4 // LINE_WORDS
    caches: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(cores + 2)]
    total = found = writes = invalidating = 0
    begin = int(warm * len(accesses))
    for number, access in enumerate(accesses):
        counts = number >= begin
        mine = cache_of(access.master, cores)
        if mine is None:
            continue
        line, cache = access.word // LINE_WORDS, caches[mine]
        total += counts
        if line in cache:
            found += counts
            cache.move_to_end(line)
        else:
            cache[line] = None
            if len(cache) > lines:
                cache.popitem(last=False)
        if access.write:
            writes += counts
            others = [other for other in caches if other is not cache and line in other]
            invalidating += bool(others) and counts
            for other in others:
                del other[line]
    return Hits(total, found, writes, invalidating)


def about(accesses: Sequence[Access], words: Sequence[range]) -> list[Access]:
    """Those of these words alone."""
    return [access for access in accesses if any(access.word in place for place in words)]
