# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench pnic`: the programmable NIC between a host and a 10 Gb/s line, frames both ways at once; what order
costs; the least clock that one core needs for the line; the published tables and figures (pnic_published)."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from nsoc.bench import pnic_published, pool, store
from nsoc.bench.pnic_published import PublishedResult
from nsoc.border import public
from nsoc.machine import presets
from nsoc.machine.presets import Preset
from nsoc.pnic import cluster, nic
from nsoc.pnic.firmware import Order
from nsoc.pnic.nic import Found, Setup, setup_of
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "pnic"
FRAMES, ORDER, CLOCK, TABLES, FIGURES = PARTS = ("frames", "order", "clock", "tables", "figures")
"""What can be measured."""
LENGTHS = (64, 128, 256, 512, 800, 1024, 1280, 1518)
"""Of frames, with FCS."""
LATENCY_NS = 1000
"""Of a read of the host's memory, for `lean`; the published programs have the ideal host of the presets."""
WARM_US, WINDOW_US = pnic_published.WARM_US, pnic_published.WINDOW_US
ALONE = 256
"""Frames that order_cycles.c puts in order on one core, alone."""
LINE_KEPT = 0.99
SEARCH_MHZ = (40, 320)
SEARCH_STEP = 5
PUBLISHED_CORE_MHZ = 996
"""6 x 166 MHz, for 99 % of the line with frames of 1518 bytes (seed 003, section 8)."""
SOURCE = "Willmann et al., An Efficient Programmable 10 Gigabit Ethernet Network Interface Card"


@dataclass(frozen=True)
class OrderCost:
    """Cycles of a core for a frame that is put in order."""

    kind: Order
    alone: float
    """One core, counts in order."""
    loaded: float
    """Six cores at it at once."""


@dataclass
class PnicResult:
    """What was measured; `found` by the name of the system."""

    found: list[tuple[str, Found]] = field(default_factory=list)
    orders: list[OrderCost] = field(default_factory=list)
    least_mhz: dict[int, float] = field(default_factory=dict)
    """One core, by frame length: the least clock that keeps LINE_KEPT of the line, in steps of SEARCH_STEP."""
    published: PublishedResult = field(default_factory=PublishedResult)


@public
def run(
    systems: Sequence[str],
    lengths: Sequence[int],
    *,
    pieces: Sequence[int] = (1, 2),
    latency_ns: int | None = None,
    parts: Sequence[str] = PARTS,
    seed: int = 1,
    show: Callable[[str], None] = lambda what: None,
) -> PnicResult:
    """Raises NsocError when a frame was wrong, out of order, or lost and not counted."""
    result = PnicResult()
    calls = {}
    for name in systems if FRAMES in parts else ():
        for count in pieces:
            latency = LATENCY_NS if latency_ns is None else latency_ns
            setup = replace(setup_of(presets.load(name)), program="lean", pieces=count, latency_ns=latency)
            for length in lengths:
                calls[name, count, length] = functools.partial(
                    nic.run, setup, length, warm_us=WARM_US, window_us=WINDOW_US, seed=seed, profile=True
                )
    if calls:
        with pool.completed(calls) as done:
            by_key = {}
            for key, found in done:
                by_key[key] = found
                show(f"frames by length: {len(by_key)} of {len(calls)} systems")
        result.found = [(key[0], by_key[key]) for key in calls]
    if ORDER in parts:
        show("order: cycles of a frame")
        result.orders = [_order(kind) for kind in Order]
    if CLOCK in parts:
        result.least_mhz[1518] = _least_mhz(1518, seed, show)
    if TABLES in parts or FIGURES in parts:
        result.published = pnic_published.run(figures=FIGURES in parts, seed=seed, show=show)
    return result


def _order(kind: Order) -> OrderCost:
    told = cluster.run("order_cycles", defines={"ORDER_KIND": kind})
    with_order, without = told.of(0)[:2]
    cycles, frames = (sum(told.of(core)[at] for core in range(6)) for at in (-2, -1))
    return OrderCost(kind, (with_order - without) / ALONE, cycles / frames)


def _least_mhz(length: int, seed: int, show: Callable[[str], None]) -> float:
    """By halving: more clock is never slower here, but for noise of a step."""
    low, high = SEARCH_MHZ
    while high - low > SEARCH_STEP:
        mhz = (low + high) // (2 * SEARCH_STEP) * SEARCH_STEP
        show(f"one core at {mhz} MHz, frames of {length} bytes")
        found = nic.run(Setup(cores=1, core_mhz=mhz), length, warm_us=WARM_US, window_us=2 * WINDOW_US, seed=seed)
        share = min(found.sent, found.received) / found.window_us * 1e6 / nic.line_frames_per_s(length)
        low, high = (low, mhz) if share >= LINE_KEPT else (mhz, high)
    return high


def keep(result: PnicResult, parts: Sequence[str], seed: int) -> None:
    """Records of what was measured with the bench's own lengths, descriptors and hosts, for `nsoc report`."""
    for part in parts:
        store.keep(_key(part, seed), records(_only(result, part)))


def kept(seed: int = 1) -> list[Record]:
    """What earlier runs have measured of the RTL, firmware and code that there is now."""
    found = (store.recall(_key(part, seed), list[Record]) for part in PARTS)
    return [record for part in found if part is not None for record in part]


def todo(seed: int = 1) -> list[str]:
    """The parts that are not on disk."""
    return [part for part in PARTS if store.recall(_key(part, seed), list[Record]) is None]


QUICK = "quick"
"""A part that is none of PARTS: figures of both published configurations at the longest and shortest frames."""


def quick(seed: int = 1, *, measure: bool = True) -> list[Record] | None:
    """Records of QUICK, from disk where they are there; None when they are not, and are not to be measured."""
    key = _key(QUICK, seed)
    found = store.recall(key, list[Record])
    if found is None and measure:
        found = list(pnic_published.records(pnic_published.quick(seed)))
        store.keep(key, found)
    return found


def _only(result: PnicResult, part: str) -> PnicResult:
    published = result.published
    return {
        FRAMES: PnicResult(found=result.found),
        ORDER: PnicResult(orders=result.orders),
        CLOCK: PnicResult(least_mhz=result.least_mhz),
        TABLES: PnicResult(published=PublishedResult(tables=published.tables)),
        FIGURES: PnicResult(published=replace(published, tables={})),
    }[part]


def _key(part: str, seed: int) -> store.Key:
    every = {name: presets.load(name) for name in systems()}
    arguments = {"bench": SUITE, "part": part, "presets": {name: repr(preset) for name, preset in every.items()}}
    digests = store.simulated_digest(), store.code_digest(__name__)
    return store.key(next(iter(every.values())), seed, arguments, *digests)


@functools.cache
def systems() -> tuple[str, ...]:
    """The presets that are programmable NICs."""
    return tuple(preset.name for preset in presets.all_presets() if preset.top == "pnic_node")


def point(preset: Preset, seed: int, lengths: Sequence[int]) -> list[Record]:
    """Records of one system as the preset says it, program and host too; lengths of frames with FCS."""
    runs = (nic.run(setup_of(preset), length, warm_us=WARM_US, window_us=WINDOW_US, seed=seed) for length in lengths)
    return records(PnicResult(found=[(preset.name, found) for found in runs]))


def _mode(found: Found) -> str:
    return f"{found.setup.program}-{found.setup.order.label}-{found.setup.pieces}bd"


@public
def records(result: PnicResult) -> list[Record]:
    """A record for each figure; payload is the frame's length with FCS. By function: of the cores' time in the window,
    waiting for work included."""
    made = []
    for name, found in result.found:
        frames = max(found.sent + found.received, 1)
        where = (_mode(found), found.bytes)
        limit = 2 * nic.line_frames_per_s(found.bytes)
        made.append(Record(SUITE, name, "frames_per_s", found.frames_per_s, *where, "1/s", limit))
        made.append(Record(SUITE, name, "line_share", found.line_share, *where))
        cycles = found.core_cycles * found.setup.cores
        made.append(Record(SUITE, name, "cycles_per_frame", cycles / frames, *where, "cycles"))
        made.append(Record(SUITE, name, "instructions_per_frame", found.retired / frames, *where))
        made.append(Record(SUITE, name, "accesses_per_frame", sum(found.words.values()) / frames, *where))
        made.append(Record(SUITE, name, "ipc", found.retired / cycles, *where))
        for function, spent in sorted(found.profile.items()):
            of_function = (f"{_mode(found)}/{function}", found.bytes)
            made.append(Record(SUITE, name, "cycles_per_frame", spent.cycles / frames, *of_function, "cycles"))
            made.append(Record(SUITE, name, "instructions_per_frame", spent.instructions / frames, *of_function))
    for cost in result.orders:
        made.append(Record(SUITE, "pnic-rice", "order_cycles", cost.alone, cost.kind.label, None, "cycles"))
        made.append(
            Record(SUITE, "pnic-rice", "order_cycles", cost.loaded, f"{cost.kind.label}-loaded", None, "cycles")
        )
    for length, mhz in result.least_mhz.items():
        made.append(
            Record(SUITE, "pnic-rice", "core_mhz", mhz, "lean-set-update-1bd", length, "MHz", None, PUBLISHED_CORE_MHZ,
                   SOURCE)
        )  # fmt: skip
    return [*made, *pnic_published.records(result.published)]


def tables(result: PnicResult) -> "list[Table]":
    """Frames by length, the cores' time by function, what order costs."""
    from rich.table import Table

    made = []
    if result.found:
        lines = Table(title="Frames both ways at once, firmware `lean`", title_justify="left")
        for head in ("system", "BDs", "bytes", "sent M/s", "received", "together", "of the line", "IPC", "words"):
            lines.add_column(head, justify="left" if head == "system" else "right", no_wrap=True)
        for name, found in result.found:
            frames = max(found.sent + found.received, 1)
            lines.add_row(
                name, str(found.setup.pieces), str(found.bytes), f"{found.sent / found.window_us:.2f}",
                f"{found.received / found.window_us:.2f}", f"{found.frames_per_s / 1e6:.2f}",
                f"{100 * found.line_share:.1f} %", f"{found.retired / found.core_cycles / found.setup.cores:.2f}",
                f"{sum(found.words.values()) / frames:.1f}",
            )  # fmt: skip
        made.append(lines)
    if result.orders:
        orders = Table(title="Order: cycles of a core for a frame", title_justify="left")
        for head in ("kind", "alone", "six cores at once"):
            orders.add_column(head, justify="left" if head == "kind" else "right")
        for cost in result.orders:
            orders.add_row(cost.kind.label, f"{cost.alone:.1f}", f"{cost.loaded:.1f}")
        made.append(orders)
    return [*made, *pnic_published.tables(result.published)]


def lines(result: PnicResult) -> list[str]:
    """What stands below the tables."""
    told = [
        "Bytes with FCS. A frame is counted when it is on the line, or when the host has its completion. BDs: buffer "
        "descriptors of a frame that is sent; words: of the scratchpad, a frame."
    ]
    for length, mhz in result.least_mhz.items():
        told.append(
            f"One core keeps {100 * LINE_KEPT:.0f} % of the line both ways, {length} bytes a frame, from {mhz:g} MHz "
            f"on (published: 6 x 166 MHz = {PUBLISHED_CORE_MHZ})."
        )
    return told + pnic_published.lines(result.published)
