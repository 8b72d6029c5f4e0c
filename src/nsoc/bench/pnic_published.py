# SPDX-License-Identifier: Apache-2.0
"""The published tables and figures of the programmable NIC, side by side with what is measured here.

The firmware is ours, as its source is not at hand: `ideal` (one core, no locks, no order) for table 1, `published`
(frame-parallel, event structures) for all others, with an ideal host and two descriptors a frame, as published. Counts
of instructions can be compared in structure and ratio, not in size.

Functions of the tables are sums over functions of the firmware (PARTS), a frame of the direction they work for. What
the loop itself takes is half each direction's; rounds of it that find nothing are left out.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc.bench import pool
from nsoc.machine import presets
from nsoc.pnic import coherence, limits, nic
from nsoc.pnic.nic import Found, Setup, Spent, setup_of
from nsoc.pnic.trace import Access
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "pnic"
FILE = Path(__file__).parents[1] / "published" / "pnic.toml"
WARM_US, WINDOW_US = 900, 1000
"""Until the buffers of what is sent are full: before that more is read than is sent."""
TRACE_US = 100
CACHES_WARM = 0.25
"""Of a trace: so much fills the caches of figure 3 and does not count."""
EVERYTHING, DESCRIPTORS = "everything", "descriptors"
"""Accesses of the scratchpad that figure 3 is made of. The source means frame metadata: the latter."""
LARGEST = 1518
IDEAL = "ideal"
IDEAL_MHZ = 500
"""Counts a frame do not depend on it: one core that keeps the line."""
VARIANTS = {"lock": "pnic-rice-lock", "set-update": "pnic-rice"}
"""Presets of the published configurations, by kind of order."""
TASK = "task"

PARTS = {
    "fetch-send-bd": ("fetch_send", "send_descriptors"),
    "send-frame": ("send_frames", "reads_done", "frames_sent", "send_report"),
    "send-dispatch-ordering": (
        "send_dispatch",
        "send_order_reads",
        "send_order_frames",
        "send_push",
        "send_put_back",
        "send_rotate",
    ),
    "send-locking": ("send_lock", "send_try_lock"),
    "fetch-receive-bd": ("fetch_receive", "receive_descriptors"),
    "receive-frame": ("receive_frames", "writes_done", "receive_complete"),
    "receive-dispatch-ordering": (
        "receive_dispatch",
        "receive_order_writes",
        "receive_push",
        "receive_put_back",
        "receive_rotate",
    ),
    "receive-locking": ("receive_lock", "receive_try_lock"),
}
"""Functions of the tables, and of the firmware."""
LOOP = ("dispatch", "main")
"""Half of these is part of each direction's dispatch."""
SHARES = {
    "execution": "instructions", "instruction-miss": "fetch", "load": "load", "bank-conflict": "conflict",
    "pipeline": "pipeline",
}  # fmt: skip
"""What table 3 calls it, and its name in Spent."""
FIGURE_7 = {
    1: (200, 300, 400, 500, 600, 800), 2: (100, 150, 200, 300, 400), 4: (75, 100, 125, 150, 175, 200),
    6: (75, 100, 125, 150, 166, 175, 200), 8: (75, 100, 125, 150, 166, 175, 200),
}  # fmt: skip
"""MHz, by number of cores."""
HEADERS = 46
"""Of a UDP datagram in a frame: Ethernet, IP and UDP headers, FCS."""
FIGURE_8 = (18, 100, 200, 400, 600, 800, 1000, 1200, 1472)
"""Bytes of a UDP datagram."""


@cache
def published() -> dict[str, Any]:
    """src/nsoc/published/pnic.toml."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@dataclass
class PublishedResult:
    """What was measured, by kind of order and, of figure 7, cores and MHz, of figure 8, bytes of a frame with FCS."""

    tables: dict[str, Found] = field(default_factory=dict)
    """IDEAL, `lock`, `set-update`; TASK: the firmware before the frame-parallel one."""
    figure_7: dict[tuple[str, int, int], Found] = field(default_factory=dict)
    figure_8: dict[tuple[str, int], Found] = field(default_factory=dict)


def run(*, figures: bool = True, seed: int = 1, show: Callable[[str], None] = lambda what: None) -> PublishedResult:
    """Tables, and figures if they are wanted: five minutes beside the building of five simulators."""
    measure = partial(nic.run, warm_us=WARM_US, window_us=WINDOW_US, seed=seed, profile=True)
    traced = partial(measure, trace_us=TRACE_US)
    ideal = Setup(program="ideal", cores=1, core_mhz=IDEAL_MHZ, latency_ns=0, pieces=2)
    calls: dict[tuple[str, object], Callable[[], Found]] = {("table", IDEAL): partial(traced, ideal, LARGEST)}
    setups = {kind: setup_of(presets.load(name)) for kind, name in VARIANTS.items()}
    for kind, setup in setups.items():
        calls["table", kind] = partial(traced, setup, LARGEST)
        if not figures:
            continue
        for cores, clocks in FIGURE_7.items():
            for mhz in clocks:
                calls["7", (kind, cores, mhz)] = partial(measure, replace(setup, cores=cores, core_mhz=mhz), LARGEST)
        for datagram in FIGURE_8:
            calls["8", (kind, datagram + HEADERS)] = partial(measure, setup, datagram + HEADERS)
    calls["table", TASK] = partial(measure, replace(setups["set-update"], program="task"), LARGEST)
    result = PublishedResult()
    places: dict[str, dict[Any, Found]] = {
        "table": dict(result.tables), "7": dict(result.figure_7), "8": dict(result.figure_8)
    }  # fmt: skip
    with pool.completed(calls) as found:
        for done, ((what, key), value) in enumerate(found, 1):
            places[what][key] = value
            show(f"published tables and figures: {done} of {len(calls)} systems")
    order = {key: at for at, key in enumerate(calls)}
    ordered = {what: dict(sorted(of.items(), key=lambda item: order[what, item[0]])) for what, of in places.items()}
    return PublishedResult(ordered["table"], ordered["7"], ordered["8"])


def quick(seed: int = 1) -> PublishedResult:
    """Both published configurations with the longest frames and the shortest ones: seconds, and one simulator."""
    setups = {kind: setup_of(presets.load(name)) for kind, name in VARIANTS.items()}
    for setup in setups.values():
        nic.simulator(setup)  # before two processes want it
    lengths = (LARGEST, min(FIGURE_8) + HEADERS)
    calls = {
        (kind, length): partial(nic.run, setup, length, warm_us=WARM_US, window_us=WINDOW_US, seed=seed, profile=True)
        for kind, setup in setups.items()
        for length in lengths
    }
    with pool.completed(calls) as results:
        found = dict(results)
    ordered = {key: found[key] for key in calls}
    return PublishedResult({kind: found[kind, LARGEST] for kind in setups}, figure_8=ordered)


def by_part(found: Found) -> dict[str, Spent]:
    """What the window's frames took, by function of the tables."""
    half = sum((found.profile.get(name, Spent()) for name in LOOP), Spent()).half()
    made = {}
    for part, functions in PARTS.items():
        made[part] = sum((found.profile.get(name, Spent()) for name in functions), Spent())
        if part.endswith("dispatch-ordering"):
            made[part] += half
    return made


def per_frame(found: Found, part: str, spent: Spent, metric: str) -> float:
    """Of `metric` (a field of Spent), for a frame of the direction that the part works for."""
    frames = found.sent if "send" in part else found.received
    return float(getattr(spent, metric)) / max(frames, 1)


def shares(found: Found) -> dict[str, float]:
    """Table 3: of all cycles of the cores, idle rounds too."""
    everything = sum(found.profile.values(), found.idle)
    return {name: getattr(everything, of) / everything.cycles for name, of in SHARES.items()}


def ipcs(found: Found) -> Iterator[tuple[str, float, float]]:
    """Table 2: what is assumed of the core, instructions a cycle, and those published."""
    trace = found.trace
    words = limits.working([event for event in trace.retired if event.core == 0], trace.round_at, trace.idle_at)
    for at, core in enumerate(limits.CORES):
        line = f"{'io' if core.in_order else 'ooo'}-{core.width}"
        fields = published()["ipc"][line]
        name = f"{line}-{'stalls' if core.stalls else 'perfect'}-{core.branches}"
        yield name, limits.ipc(words, core), fields[at % len(fields)]


def cache_hits(found: Found, what: str = EVERYTHING) -> Iterator[tuple[int, coherence.Hits]]:
    """Figure 3: bytes of each cache, and what all find, of all accesses or of those to descriptors alone."""
    accesses: Sequence[Access] = found.trace.accesses
    if what == DESCRIPTORS:
        accesses = coherence.about(accesses, found.trace.descriptors)
    for size in coherence.SIZES:
        yield size, coherence.hits(accesses, found.setup.cores, size, warm=CACHES_WARM)


def bandwidths(found: Found) -> dict[str, tuple[float, float]]:
    """Table 4: Gb/s at its peak, and used."""
    setup, us = found.setup, found.window_us * 1000
    return {
        "instruction-memory": (nic.ROW_BYTES * 8 * setup.core_mhz / 1000, found.rows * nic.ROW_BYTES * 8 / us),
        "scratchpad": (setup.banks * 32 * setup.core_mhz / 1000, sum(found.words.values()) * 32 / us),
        "frame-memory": (nic.BEAT_BYTES * 8 * setup.fm_mhz / 1000, sum(found.beats.values()) * nic.BEAT_BYTES * 8 / us),
    }


def _theirs(metric: str, part: str, kind: str) -> float | None:
    value = published()[f"{metric}_per_frame"].get(part, {}).get(kind)
    return None if value is None else float(value)


METRICS = ("instructions", "accesses", "cycles")


def records(result: PublishedResult) -> Iterator[Record]:
    """Of tables 1 and 3 to 6, figures 7 and 8; payload is the frame's length with FCS."""
    source = published()["source"]
    for kind, found in result.tables.items():
        name = VARIANTS.get(kind, "pnic-rice")
        mode = f"published-{kind}" if kind in VARIANTS else kind
        for part, spent in by_part(found).items():
            for metric in METRICS:
                value, theirs = per_frame(found, part, spent, metric), _theirs(metric, part, kind)
                yield Record(SUITE, name, f"{metric}_per_frame", value, f"{mode}/{part}", LARGEST,
                             "cycles" if metric == "cycles" else None, None, theirs,
                             None if theirs is None else source)  # fmt: skip
        yield Record(SUITE, name, "line_share", found.line_share, mode, LARGEST)
        yield Record(SUITE, name, "ipc", found.retired / found.core_cycles / found.setup.cores, mode, LARGEST)
    if IDEAL in result.tables and result.tables[IDEAL].trace.retired:
        for core, value, theirs in ipcs(result.tables[IDEAL]):
            yield Record(SUITE, "pnic-rice", "ipc", value, f"{IDEAL}/{core}", LARGEST, None, None, theirs, source)
    for kind in VARIANTS:
        if kind in result.tables and result.tables[kind].trace.accesses:
            for what in (EVERYTHING, DESCRIPTORS):
                for size, hits in cache_hits(result.tables[kind], what):
                    mode = f"published-{kind}/{what}/cache-{size}"
                    yield Record(SUITE, VARIANTS[kind], "hits", hits.ratio, mode, LARGEST)
                    yield Record(SUITE, VARIANTS[kind], "invalidating_writes", hits.invalidating_share, mode, LARGEST)
    if "lock" in result.tables:
        lock = result.tables["lock"]
        for cause, share in shares(lock).items():
            yield Record(SUITE, "pnic-rice-lock", "cycle_share", share, f"published-lock/{cause}", LARGEST, None, None,
                         published()["cycle_share"][cause], source)  # fmt: skip
        for memory, (peak, used) in bandwidths(lock).items():
            yield Record(SUITE, "pnic-rice-lock", "bandwidth_gbps", used, f"published-lock/{memory}", LARGEST, "Gb/s",
                         peak, published()["bandwidth_gbps"][memory]["used"], source)  # fmt: skip
    for (kind, cores, mhz), found in result.figure_7.items():
        theirs = published()["figure_7"].get(f"{cores}x{mhz}") if kind == "lock" else None
        yield Record(SUITE, f"{VARIANTS[kind]}-{cores}x{mhz}", "line_share", found.line_share, f"published-{kind}",
                     LARGEST, None, None, theirs, source if theirs else None)  # fmt: skip
    for (kind, length), found in result.figure_8.items():
        limit = 2 * nic.line_frames_per_s(length)
        theirs = published()["saturated_frames_per_s"] if length == min(FIGURE_8) + HEADERS else None
        yield Record(SUITE, VARIANTS[kind], "frames_per_s", found.frames_per_s, f"published-{kind}", length, "1/s",
                     limit, theirs, source if theirs else None)  # fmt: skip


def _table(title: str, *heads: str) -> "Table":
    from rich.table import Table

    made = Table(title=title, title_justify="left")
    for at, head in enumerate(heads):
        made.add_column(head, justify="right" if at else "left", no_wrap=at == 0)
    return made


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def tables(result: PublishedResult) -> "Iterator[Table]":
    """Measured / published in each field."""
    found = result.tables
    if IDEAL in found:
        made = _table("Table 1: a frame on one core, without locks and order: here / published", "function",
                      "instructions", "accesses")  # fmt: skip
        _rows(made, {IDEAL: found[IDEAL]}, ("instructions", "accesses"))
        yield made
    if IDEAL in found and found[IDEAL].trace.retired:
        made = _table("Table 2: instructions a cycle, firmware `ideal`: here / published", "issue, width",
                      "perfect, pbp", "none", "stalls, pbp", "pbp1", "none")  # fmt: skip
        fields = list(ipcs(found[IDEAL]))
        for at in range(0, len(fields), 5):
            row = [f"{ours:.2f} / {theirs:.2f}" for _, ours, theirs in fields[at : at + 5]]
            made.add_row("-".join(fields[at][0].split("-")[:2]), *row)
        yield made
    variants = {kind: found[kind] for kind in VARIANTS if kind in found}
    if "lock" in found:
        made = _table("Table 3: cycles of 6 cores at 200 MHz, lock", "cause", "here", "published")
        for cause, share in shares(found["lock"]).items():
            made.add_row(cause, f"{share:.2f}", f"{published()['cycle_share'][cause]:.2f}")
        yield made
        made = _table("Table 4: Gb/s at 6 x 200 MHz, lock", "memory", "peak", "used", "published: peak", "used")
        for memory, (peak, used) in bandwidths(found["lock"]).items():
            theirs = published()["bandwidth_gbps"][memory]
            made.add_row(memory, _number(peak), _number(used), _number(theirs["peak"]), _number(theirs["used"]))
        yield made
    if variants:
        for number, metric in (("5", "instructions"), ("5", "accesses"), ("6", "cycles")):
            made = _table(f"Table {number}: {metric} a frame, 6 cores: here / published", "function", *variants)
            _rows(made, variants, (metric,))
            yield made
    traced = {kind: one for kind, one in variants.items() if one.trace.accesses}
    for what in (EVERYTHING, DESCRIPTORS) if traced else ():
        theirs = published()["coherence"]
        made = _table(
            f"Figure 3, {what}: % of accesses that coherent caches would hit (published: "
            f"{100 * theirs['most_hits']:.0f} at most), of writes that invalidate (less than "
            f"{100 * theirs['invalidating_writes']:.0f})",
            "bytes", *(f"{share}, {kind}" for kind in traced for share in ("hits", "invalidate")),
        )  # fmt: skip
        for of_size in zip(*(cache_hits(one, what) for one in traced.values()), strict=True):
            row = [f"{100 * value:.1f}" for _, hits in of_size for value in (hits.ratio, hits.invalidating_share)]
            made.add_row(str(of_size[0][0]), *row)
        yield made
    if result.figure_7:
        heads = [f"{cores} cores, {kind}" for kind in VARIANTS for cores in FIGURE_7]
        made = _table(f"Figure 7: % of the line, {LARGEST} bytes", "MHz", *heads)
        for mhz in sorted({mhz for _, _, mhz in result.figure_7}):
            shown = (result.figure_7.get((kind, cores, mhz)) for kind in VARIANTS for cores in FIGURE_7)
            made.add_row(str(mhz), *("" if one is None else f"{100 * one.line_share:.1f}" for one in shown))
        yield made
    if result.figure_8:
        made = _table("Figure 8: UDP datagrams both ways, payload in Gb/s (M frames/s)", "bytes", "line", *VARIANTS)
        for datagram in FIGURE_8:
            length = datagram + HEADERS
            most = 2 * nic.line_frames_per_s(length)
            rates = [result.figure_8[kind, length].frames_per_s for kind in VARIANTS]
            made.add_row(
                str(datagram), *(f"{rate * datagram * 8 / 1e9:.2f} ({rate / 1e6:.2f})" for rate in (most, *rates))
            )
        yield made


def _rows(made: "Table", found: Mapping[str, Found], metrics: tuple[str, ...]) -> None:
    parts = {kind: by_part(one) for kind, one in found.items()}
    for part in PARTS:
        fields = []
        for metric in metrics:
            for kind, one in found.items():
                ours = per_frame(one, part, parts[kind][part], metric)
                fields.append(f"{ours:.1f} / {_number(_theirs(metric, part, kind))}")
        made.add_row(part, *fields)


def lines(result: PublishedResult) -> list[str]:
    """What has to be said beside the tables."""
    if not result.tables:
        return []
    told = [
        f"Firmware `{found.setup.program}`, {kind}, {found.setup.cores} x {found.setup.core_mhz:g} MHz: "
        f"{100 * found.line_share:.1f} % of the line with {LARGEST} bytes, both ways at once, host without latency."
        for kind, found in result.tables.items()
    ]
    return told + doubts()


def doubts() -> list[str]:
    """What the published tables leave open or contradict."""
    return [
        "What the published tables leave open or contradict:",
        *(f"- {doubt}" for doubt in published()["doubts"]["texts"]),
    ]
