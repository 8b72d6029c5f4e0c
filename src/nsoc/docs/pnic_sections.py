# SPDX-License-Identifier: Apache-2.0
"""Sections of docs/pnic.md that are made of docs/data/figures.json, beside the published tables and figures."""

from collections.abc import Callable

from nsoc import figures
from nsoc.bench import pnic
from nsoc.bench.pnic_published import (
    FIGURE_7,
    FIGURE_8,
    HEADERS,
    IDEAL,
    LARGEST,
    PARTS,
    SHARES,
    VARIANTS,
    published,
)
from nsoc.docs.markdown import NONE, table
from nsoc.figures import Value
from nsoc.pnic import coherence, limits, nic

LOCK, SET_UPDATE = VARIANTS
CAUSES = {
    "execution": "execution", "instruction-miss": "instruction misses", "load": "loads",
    "bank-conflict": "bank conflicts", "pipeline": "pipeline",
}  # fmt: skip
MEMORIES = {"instruction-memory": "instruction memory", "scratchpad": "scratchpad", "frame-memory": "frame memory"}
NOTES = {
    166: " (published: 99 with 6, set/update)", 175: " (published: 96.3 with 6, 98.7 with 8)",
    200: " (published: 99 with 6 and 8)",
}  # fmt: skip


def _of(preset: str, mode: str, metric: str, payload: int = LARGEST) -> Value:
    return figures.value(pnic.SUITE, preset, mode, metric, payload)


def _percent(value: Value, digits: int = 1) -> str:
    return f"{100 * value:.{digits}f}"


def lean() -> str:
    theirs = published()

    def both(preset: str, kind: str, metric: str, payload: int) -> list[Value]:
        return [_of(preset, f"lean-{kind}-{count}bd", metric, payload) for count in (1, 2)]

    def shares(kind: str) -> str:
        return "; ".join(f"{_percent(one)} %" for one in both(VARIANTS[kind], kind, "line_share", LARGEST))

    def rates(kind: str) -> str:
        return "; ".join(f"{one / 1e6:.1f} M" for one in both(VARIANTS[kind], kind, "frames_per_s", 64))

    def orders(suffix: str) -> str:
        kinds = (SET_UPDATE, "amo", LOCK)
        cycles = [figures.value(pnic.SUITE, "pnic-rice", f"{kind}{suffix}", "order_cycles") for kind in kinds]
        return ", ".join(f"{one:.1f}" for one in cycles)

    few = f"{theirs['saturated_frames_per_s'] / 1e6:.1f} M"
    line = f"{_percent(theirs['figure_7']['6x200'], 0)} %"
    least = _of("pnic-rice", f"lean-{SET_UPDATE}-1bd", "core_mhz")
    rows = [
        [f"{LARGEST} bytes, 6 x 166 MHz, set/update: share of the line, one descriptor a frame; two", line,
         shares(SET_UPDATE)],
        [f"{LARGEST} bytes, 6 x 200 MHz, lock", line, shares(LOCK)],
        ["64 bytes, 6 x 166 MHz, set/update: frames/s, one descriptor a frame; two", few, rates(SET_UPDATE)],
        ["64 bytes, 6 x 200 MHz, lock", few, rates(LOCK)],
        [f"least clock of cores for the line, {LARGEST} bytes", f"{pnic.PUBLISHED_CORE_MHZ} MHz (6 cores)",
         f"{least:g} MHz (one core)"],
        ["order, cycles of a core for a frame, alone: set/update, amo, lock", "", orders("")],
        ["likewise, six cores at it at once", "", orders("-loaded")],
    ]  # fmt: skip
    return table(("figure", "published", "here"), rows)


def functions() -> str:
    """Tables 1, 5 and 6."""
    theirs = published()

    def cell(part: str, kind: str, metric: str) -> str:
        mode = f"{kind if kind == IDEAL else f'published-{kind}'}/{part}"
        ours = _of(VARIANTS.get(kind, "pnic-rice"), mode, f"{metric}_per_frame")
        printed = theirs[f"{metric}_per_frame"].get(part, {}).get(kind)
        return f"{ours:.1f} / {NONE if printed is None else f'{printed:.1f}'}"

    columns = [(kind, "instructions") for kind in (IDEAL, *VARIANTS)] + [(kind, "cycles") for kind in VARIANTS]
    rows = [
        [part.replace("-", " ").replace(" bd", " BD").replace("dispatch ordering", "dispatch and ordering"),
         *(cell(part, kind, metric) for kind, metric in columns)]
        for part in PARTS
    ]  # fmt: skip
    line = [f"{_percent(_of(VARIANTS[kind], f'published-{kind}', 'line_share'))} % / 99 %" for kind in VARIANTS]
    rows.append(["share of the line", "", "", "", *line])
    heads = (
        f"frame of {LARGEST} bytes, here / published", "instructions, ideal", "lock", "set-update", "cycles, lock @200",
        "set-update @166",
    )  # fmt: skip
    return table(heads, rows)


def shares() -> str:
    """Tables 3 and 4."""
    theirs, preset = published(), VARIANTS[LOCK]
    ours = {cause: _of(preset, f"published-lock/{cause}", "cycle_share") for cause in SHARES}
    causes = ", ".join(f"{CAUSES[cause]} {ours[cause]:.2f} / {theirs['cycle_share'][cause]:.2f}" for cause in SHARES)
    used = ", ".join(
        f"{words} {_of(preset, f'published-lock/{memory}', 'bandwidth_gbps'):.1f} of "
        f"{theirs['bandwidth_gbps'][memory]['peak']:g} ({theirs['bandwidth_gbps'][memory]['used']:g} published)"
        for memory, words in MEMORIES.items()
    )
    return (
        f"Table 3, cycles of 6 x 200 MHz with locks, here / published: {causes}.\nTable 4, Gb/s used of the peak: "
        f"{used}. Here the firmware fits into the caches."
    )


def ipc() -> str:
    """Table 2."""
    rows: dict[str, list[str]] = {}
    for at, core in enumerate(limits.CORES):
        line = f"{'io' if core.in_order else 'ooo'}-{core.width}"
        mode = f"{IDEAL}/{line}-{'stalls' if core.stalls else 'perfect'}-{core.branches}"
        printed = published()["ipc"][line]
        words = f"{'in' if core.in_order else 'out of'} order, {core.width}"
        rows.setdefault(words, []).append(f"{_of('pnic-rice', mode, 'ipc'):.2f} / {printed[at % len(printed)]:.2f}")
    heads = ("", "perfect, all branches predicted", "none", "stalls, all predicted", "one a cycle", "none")
    return table(heads, [[words, *cells] for words, cells in rows.items()])


def caches() -> str:
    """Figure 3."""
    heads = ["bytes of a cache", "hits, everything, %", "writes that invalidate", "hits, rings alone", "likewise"]
    rows = []
    for size in coherence.SIZES:
        cells = []
        for what in ("everything", "descriptors"):
            mode = f"published-{SET_UPDATE}/{what}/cache-{size}"
            for metric in ("hits", "invalidating_writes"):
                cells.append(_percent(_of(VARIANTS[SET_UPDATE], mode, metric), 0))
        rows.append([f"{size:,}", *cells])
    return table(heads, rows, "rrrrr")


def figure_7() -> str:
    rows = []
    for mhz in sorted({mhz for clocks in FIGURE_7.values() for mhz in clocks}):
        cells = [
            _percent(_of(f"{preset}-{cores}x{mhz}", f"published-{kind}", "line_share")) if mhz in clocks else ""
            for kind, preset in VARIANTS.items()
            for cores, clocks in FIGURE_7.items()
        ]
        rows.append([f"{mhz}{NOTES.get(mhz, '')}", *cells])
    first, *others = FIGURE_7
    heads = ["MHz", *(head for kind in VARIANTS for head in (f"{first} core, {kind}", *map(str, others)))]
    return table(heads, rows)


def figure_8() -> str:
    rows = []
    for datagram in FIGURE_8:
        length = datagram + HEADERS
        ours = [_of(preset, f"published-{kind}", "frames_per_s", length) for kind, preset in VARIANTS.items()]
        most = 2 * nic.line_frames_per_s(length)
        rows.append([f"{datagram:,}", *(f"{one / 1e6:.2f}" for one in (*ours, most))])
    return table(("bytes of a datagram", "lock @200, M frames/s", "set-update @166", "line"), rows, "rrrr")


SECTIONS: dict[str, Callable[[], str]] = {
    "pnic-lean": lean, "pnic-functions": functions, "pnic-shares": shares, "pnic-ipc": ipc, "pnic-caches": caches,
    "pnic-figure-7": figure_7, "pnic-figure-8": figure_8,
}  # fmt: skip
