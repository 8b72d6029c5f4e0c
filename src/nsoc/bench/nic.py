# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench nic`: how fast the NIC is, beside the published one and the limits this project has set itself.

**Accesses** are timed twice: inside the NIC by its self-test, and from the processor by the firmware `latency`. The
processor's time is from a load, or from a push with its status, to the instruction that uses the answer. Published
figures are between processor and NIC, so they stand beside the processor's.

**Round trips** are timed at the wire, from the first byte of the destination address in to the last FCS byte out. There
is no other load. The figure is the worst of frames at many phases of the clocks.

**The share of the line** is that of frames sent back to back in either loopback: what comes back after the warm-up,
against what a line carries.
"""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc import figures
from nsoc.bench import pool
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import build, presets, selftest
from nsoc.machine.presets import Preset
from nsoc.machine.selftest import Session, came_back, patterned
from nsoc.machine.soc import Soc
from nsoc.network.ethernet import BYTE_PS, HEADER_BYTES, IFG_BYTES, LONGEST, SHORTEST, SLOT_BYTES
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "nic"
PUBLISHED = Path(__file__).parents[1] / "published" / "nic.toml"
PAYLOADS = (64, 128, 256, 512, 1010, 1024, 1486)
LOOPBACKS = ("nic_loopback", "mac_loopback")

FRAMES = 32
"""Frames of a round trip, sent one by one at that many phases of the two clocks; the first WARM are not counted, as
the processor's caches are cold."""
WARM = 4
SPACING = 4 * 2003
"""nic_clk cycles from one to the next: longer than any round trip, and not a multiple of either clock's pattern."""

SHORT_RUN, SHORT_WARM_UP = 160, 128
LONG_RUN, LONG_WARM_UP = 2400, 400
"""Frames sent back to back of one length, and how many of those that come back are not counted.

A long run gives a share of the line. A short run only says whether every gap behind the warm-up was of 12 bytes: then
no frame was late for its place on the line. Buffers in front of a block that is too slow do not hide it, because what
comes back has longer gaps at once. Where one gap is longer, a long run measures that length. A frame's latency depends
on the phase of two clocks, and when the longest one comes late, the line slips by a byte once and for all. In a long
run a byte time is less than 1e-5 of all."""
LIMIT_CLOCKS = (80.0, 125.0)
"""MHz of processor and NIC that a limit in ns is meant for."""
PUBLISHED_ACCESS = {
    "register_load": "register_access_cycles", "queue_push": "queue_op_cycles", "queue_pop": "queue_op_cycles",
}  # fmt: skip
ACCESSES = {"load_nic_register": "register_load", "queue_push": "queue_push", "queue_pop": "queue_pop"}
"""Lines of the firmware `latency`, and what their figures are called here."""
SEEDS = 4
LEAST_SHARE = "least_line_share"
"""Metric: of the line, the least of all lengths whose share is measured."""
LONG_LENGTHS = (60, 61, 64, 65, 128, 512, 1024, 1038, 1514)
PROCESSES = 2
CHUNK = 24


@dataclass(frozen=True)
class RoundTrip:
    """Cycles of the NIC clock, of FRAMES - WARM frames."""

    mode: str
    payload: int
    least: float
    mean: float
    most: float


@dataclass(frozen=True)
class Share:
    """What of the line a saturated NIC or MAC uses with frames of one length (bytes without FCS)."""

    mode: str
    length: int
    measured: float
    frames: int
    """That were counted."""
    lost: int
    exact: bool
    """Every gap was of 12 bytes."""

    @property
    def long(self) -> bool:
        """There were frames enough to speak of a share."""
        return self.frames >= LONG_RUN - LONG_WARM_UP or not self.exact


@dataclass(frozen=True)
class Access:
    """What the processor waits for an access to the NIC, with the instruction that uses the answer, over the phases."""

    name: str
    least: int
    most: int
    """Cycles of the processor's clock."""
    ns: float
    """The most."""


@dataclass
class NicResult:
    """Everything `nsoc bench nic` found."""

    preset: Preset
    access: dict[str, int]
    round_trips: list[RoundTrip]
    shares: list[Share]
    accesses: list[Access] = field(default_factory=list)

    @property
    def failure(self) -> str:
        """Which limits are missed, in one sentence; empty when none is."""
        missed = [f"{r.metric} {r.mode or ''} {r.payload or ''}".strip() for r in records(self) if _missed(r)]
        shown = ", ".join(missed[:5]) + (f" and {len(missed) - 5} more" if len(missed) > 5 else "")
        return f"limits missed: {shown}" if missed else ""


def published() -> dict[str, Any]:
    """published/nic.toml."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def published_cycles(mode: str, payload: int) -> float | None:
    """The published round trip in cycles of its 10 ns clock."""
    table = published()["rtt_us"]
    return round(100 * table[mode][table["payload"].index(payload)], 1) if payload in table["payload"] else None


# ---- Running ---------------------------------------------------------------------------------------------------------


@public
def run(
    *,
    preset: str | Preset = presets.DEFAULT,
    seed: int = 1,
    lengths: str | None = None,
    progress: Progress = lambda done, total: None,
) -> NicResult:
    """Measure everything; `lengths` chooses frame lengths for the share of the line, like `60,100-200`, default all."""
    system = presets.load(preset)
    if system.queues_in_memory:
        raise NsocError(f"bench nic measures a NIC_1.2, and {system.name} is a NIC_1.1: try `nsoc bench thesis`")
    sweep = parse_lengths(lengths)
    with Session(system, seed) as session:
        access = selftest.access_cycles(session)
        trips = [round_trip(session, mode, payload) for mode in LOOPBACKS for payload in PAYLOADS]
        if lost := session.lost():
            raise NsocError(f"after the round trips: {lost}")
    accesses = processor_accesses(system, seed)
    return NicResult(system, access, trips, line_shares(sweep, system, seed, progress), accesses)


def processor_accesses(preset: Preset, seed: int) -> list[Access]:
    """What the firmware `latency` finds of ACCESSES, over many phases of the two clocks: SEEDS seeds from `seed` on."""
    found = latency_cycles(preset, range(seed, seed + SEEDS), ACCESSES)
    return [Access(metric, *found[name], found[name][1] * 1000 / preset.cpu_mhz) for name, metric in ACCESSES.items()]


def latency_cycles(preset: Preset, seeds: Iterable[int], wanted: Iterable[str] = ()) -> dict[str, tuple[int, int]]:
    """What the firmware `latency` prints, booted with each seed: by name the least and most cycles of the processor.

    Raises NsocError where one of `wanted` is not among them.
    """
    found: dict[str, list[int]] = {}
    for seed in seeds:
        with Soc(preset, "latency", seed) as soc:
            soc.run(us=selftest.LIMIT_US, text="end\n")
            lines = [line.split() for line in soc.uart.text.splitlines()]
        for name, *cycles in (words for words in lines if len(words) == 3):
            found.setdefault(name, []).extend(map(int, cycles))
    if missing := [name for name in wanted if name not in found]:
        raise NsocError(f"the firmware latency did not print {', '.join(missing)} on {preset.name}")
    return {name: (min(cycles), max(cycles)) for name, cycles in found.items()}


def parse_lengths(
    text: str | None,
    least: int = SHORTEST,
    most: int = LONGEST,
    option: str = "--lengths",
    what: str = "frame lengths without FCS",
) -> list[int]:
    """Lengths from text like `60,100-200`, sorted; all of them when None."""
    if text is None:
        return list(range(least, most + 1))
    chosen: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            chosen |= set(range(int(first), int(last if dash else first) + 1))
        except ValueError:
            raise NsocError(f"{option} {text!r} is not like 60,100-200") from None
    if not chosen or min(chosen) < least or max(chosen) > most:
        raise NsocError(f"{option} must be {what}, {least} to {most}, not {text!r}")
    return sorted(chosen)


def round_trip(session: Session, mode: str, payload: int) -> RoundTrip:
    """Sends FRAMES frames one by one in a mode."""
    if session.mode != mode:
        session.enter(mode)
    counted = single_frames(session.soc, mode, payload)
    return RoundTrip(mode, payload, min(counted), sum(counted) / len(counted), max(counted))


def single_frames(soc: Soc, mode: str, payload: int) -> list[float]:
    """Cycles of the NIC clock that each of FRAMES frames, sent one by one, takes to come back; without the first WARM.

    `soc` must be in that mode already. Raises NsocError when a frame does not come back unchanged.
    """
    cycles = []
    for number in range(FRAMES):
        began = soc.cycles
        frame = patterned(payload + HEADER_BYTES, number, 7)
        sent, back = soc.wire.send(frame), soc.wire.receive()
        expected = came_back(frame, mode).ljust(SHORTEST, b"\0")
        if back is None or not back.good or back.data != expected or sent.start_ps is None:
            raise NsocError(f"a frame of {len(frame)} bytes did not come back unchanged in {mode}")
        cycles.append(soc.cycles_between(sent.start_ps, back.end_ps))
        soc.run(cycles=max(0, began + SPACING + number - soc.cycles))
    return cycles[WARM:]


def line_shares(lengths: Sequence[int], preset: Preset, seed: int, progress: Progress) -> list[Share]:
    """The share of the line at each length in either loopback, measured in PROCESSES processes."""
    runs = [(length, LONG_RUN if length in LONG_LENGTHS else SHORT_RUN) for length in lengths]
    long_runs = [[run] for run in runs if run[1] == LONG_RUN]
    short_runs = [run for run in runs if run[1] == SHORT_RUN]
    chunks = long_runs + [short_runs[at : at + CHUNK] for at in range(0, len(short_runs), CHUNK)]
    build.simulator(preset)  # before two processes want it
    shares: list[Share] = []
    calls = [partial(measure_shares, mode, chunk, preset, seed) for chunk in chunks for mode in LOOPBACKS]
    with pool.completed(dict(enumerate(calls)), PROCESSES) as results:
        for _, measured in results:
            shares += measured
            progress(len(shares), len(LOOPBACKS) * len(lengths))
    return sorted(shares, key=lambda share: (LOOPBACKS.index(share.mode), share.length))


def measure_shares(mode: str, runs: Iterable[tuple[int, int]], preset: Preset, seed: int) -> list[Share]:
    """(length, frames) after each other in one SoC, in one of LOOPBACKS."""
    shares = []
    with Session(preset, seed) as session:
        session.enter(mode)
        for length, count in runs:
            share = measure_share(session, length, count)
            if count < LONG_RUN and not share.exact:
                share = measure_share(session, length, LONG_RUN)
            shares.append(share)
        dropped = session.lost()
        if dropped and not any(share.lost for share in shares):
            raise NsocError(f"after frames back to back: {dropped}")
    return shares


def measure_share(session: Session, length: int, count: int) -> Share:
    """Send `count` frames of a length back to back, in the session's mode."""
    soc, frame = session.soc, patterned(length, length, 5)
    for _ in range(count):
        soc.wire.send(frame)
    soc.run(us=selftest.LIMIT_US, idle_us=50)
    back = soc.wire.receive_all()
    expected = came_back(frame, session.mode)
    if any(not received.good or received.data != expected for received in back):
        raise NsocError(f"a frame of {length} bytes came back changed")
    warm = SHORT_WARM_UP if count < LONG_RUN else LONG_WARM_UP
    if len(back) <= warm:
        raise NsocError(f"of {count} frames of {length} bytes only {len(back)} came back")
    counted = back[warm:]
    slot_ps = (length + SLOT_BYTES) * BYTE_PS
    share = len(counted) * slot_ps / (counted[-1].end_ps - back[warm - 1].end_ps)
    exact = all(received.gap == IFG_BYTES for received in counted)
    return Share(session.mode, length, share, len(counted), count - len(back), exact)


# ---- Showing ---------------------------------------------------------------------------------------------------------


def goal(mode: str | None, metric: str, payload: int | None = None) -> float | None:
    """What this project wants of the default preset, and of any other one."""
    return figures.goal(SUITE, presets.DEFAULT, mode, metric, payload)


def limit_of(mode: str, payload: int) -> float | None:
    """Cycles that a round trip may take."""
    return goal(mode, "rtt_cycles", payload)


@public
def records(result: NicResult) -> list[Record]:
    """A record for each figure; `limit` is what this project wants."""
    name, theirs = result.preset.name, published()
    access = theirs["access"]
    made = []
    for what, cycles in result.access.items():
        metric = f"{what}_cycles"
        made.append(Record(SUITE, name, metric, cycles, unit="cycles", limit=goal(None, metric)))
    for seen in result.accesses:
        made.append(Record(SUITE, name, f"{seen.name}_cpu_cycles", seen.most, unit="cycles"))
        key = PUBLISHED_ACCESS[seen.name]
        usual = (result.preset.cpu_mhz, result.preset.nic_mhz) == LIMIT_CLOCKS
        wanted = goal(None, "register_load_ns")
        made.append(
            Record(
                SUITE, name, f"{seen.name}_ns", seen.ns, unit="ns",
                limit=wanted if usual and seen.name == "register_load" else None,
                published=float(access[key] * access["clock_ns"]), source=access["source"],
            )
        )  # fmt: skip
    for trip in result.round_trips:
        theirs_cycles = published_cycles(trip.mode, trip.payload)
        made.append(
            Record(
                SUITE, name, "rtt_cycles", trip.most, trip.mode, trip.payload, "cycles",
                limit_of(trip.mode, trip.payload), theirs_cycles,
                None if theirs_cycles is None else theirs["rtt_us"]["source"],
            )
        )  # fmt: skip
    for share in result.shares:
        payload = share.length - HEADER_BYTES
        if share.long:
            made.append(Record(SUITE, name, "line_share", share.measured, share.mode, payload))
        else:
            made.append(Record(SUITE, name, "late_frames", 0, share.mode, payload, unit="frames", limit=0))
        made.append(Record(SUITE, name, "loss", share.lost, share.mode, payload, unit="frames", limit=0))
    for share in _least_shares(result):
        made.append(Record(SUITE, name, LEAST_SHARE, share.measured, share.mode, limit=goal(share.mode, LEAST_SHARE)))
    return made


def _least_shares(result: NicResult) -> list[Share]:
    """Of each loopback the least share that was measured, of the shortest length: the only one that has a limit."""
    long = [share for share in result.shares if share.long]
    by_mode = ([share for share in long if share.mode == mode] for mode in LOOPBACKS)
    return [min(shares, key=lambda share: (share.measured, share.length)) for shares in by_mode if shares]


def _missed(record: Record) -> bool:
    if record.limit is None:
        return False
    value = float(record.value)
    return value < record.limit if record.metric == LEAST_SHARE else value > record.limit


def table(result: NicResult) -> "Table":
    """Ours, theirs, the limit; of the share of the line the least one and those of long runs."""
    from rich.table import Table

    shown = Table(title=f"NIC of {result.preset.name}", title_justify="left")
    shown.add_column("")
    for column in ("ours", "published", "ratio", "limit", ""):
        shown.add_column(column, justify="right")
    least = _least_shares(result)
    rows = []
    for record in records(result):
        if record.metric == "rtt_cycles":
            rows.append((f"round trip, {str(record.mode).replace('_', ' ')}, {record.payload} bytes, cycles", record))
        elif record.metric.endswith("_cpu_cycles"):
            rows.append((f"{record.metric.removesuffix('_cpu_cycles').replace('_', ' ')}, by the processor", record))
        elif record.unit == "ns":
            rows.append((f"{record.metric.removesuffix('_ns').replace('_', ' ')}, by the processor, ns", record))
        elif record.unit == "cycles":
            rows.append((f"{record.metric.replace('_', ' ')}, inside the NIC", record))
    for share in result.shares:
        if share in least or (share.long and share.length in LONG_LENGTHS):
            limit_of_least = goal(share.mode, LEAST_SHARE) if share in least else None
            value = Record(SUITE, None, LEAST_SHARE, share.measured, limit=limit_of_least)
            mode = share.mode.replace("_", " ")
            rows.append((f"share of the line, {mode}, {share.length} bytes, {share.frames} frames", value))
    for words, record in rows:
        number = float(record.value)
        ours = f"{number:.6f}" if record.metric == LEAST_SHARE else f"{number:,.1f}"
        theirs = "" if record.published is None else f"{record.published:,.1f}"
        ratio = "" if record.published is None else f"{record.published / number:.2f}"
        limit, verdict = "", ""
        if record.limit is not None:
            limit = f"{record.limit:,.4g}" if record.metric == LEAST_SHARE else f"{record.limit:,.1f}"
            verdict = "missed" if _missed(record) else "met"
        shown.add_row(words, ours, theirs, ratio, limit, verdict)
    return shown


def _compared(result: NicResult) -> list[str]:
    """Like with like: an access as the processor sees it, in ns, beside the published one."""
    access = published()["access"]
    for seen in result.accesses:
        if seen.name == "register_load":
            theirs = access["register_access_cycles"] * access["clock_ns"]
            verdict = "slower than" if seen.ns > theirs else "as fast as" if seen.ns == theirs else "faster than"
            return [
                f"A register access takes {result.access['register_access']} cycles inside the NIC. From the "
                f"processor's load to the instruction that uses the answer it is {seen.least} to {seen.most} cycles of "
                f"{result.preset.cpu_mhz:g} MHz, at worst {seen.ns:.1f} ns: {verdict} the published "
                f"{access['register_access_cycles']} cycles, {theirs:g} ns, which are between processor and NIC, too. "
                "The published queue operation and traversal are the processor's as well; nsoc bench clock has the "
                "latter."
            ]
    return []


def lines(result: NicResult) -> list[str]:
    """What the table leaves to say."""
    exact = sum(share.exact for share in result.shares)
    lost = sum(share.lost for share in result.shares)
    theirs = published()
    return [
        f"Share of the line at {len({share.length for share in result.shares})} frame lengths in either loopback: "
        f"{exact} runs with every gap of exactly 12 bytes, "
        f"{lost} frames lost; least {min((share.measured for share in result.shares if share.long), default=1):.6f} of "
        f"those over {LONG_RUN - LONG_WARM_UP} frames.",
        *_compared(result),
        "Round trips are cycles of the NIC's clock, the worst of many phases; ratio is published / ours.",
        f"Published: {theirs['access']['source']}; round trips: {theirs['rtt_us']['source'].rpartition(', ')[2]}, "
        "by packet length.",
    ]
