# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench latency`: two TCP engines back to back, from one application to the other, beside published figures.

**Door to door.** The watch starts at the clock edge behind which the first beat of a payload is first offered, not when
it is taken. It stops at the edge that takes the last beat at the other end, with the verdict that it counts. A payload
is one segment, alone on the line; all 64 connections are open. The seed says which one is measured, and how the four
clocks stand to each other.

**Modes.** A payload is streamed in without gaps, or is in the send ring when its doorbell rings. It is given out early,
as it comes, or verified, behind FCS and sum.

**Goodput.** Payload a second, through all connections both ways at once.

**Frames of 64 bytes.** What share of the line an application gets: as datagrams both ways at once, and as TCP segments
from a sender that fills the line and is no engine.
"""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nsoc import figures
from nsoc.bench import latency_measure as measure
from nsoc.bench import nic, pool
from nsoc.bench.latency_loads import GOODPUT, MINIMUM_MODES, Load
from nsoc.bench.latency_measure import MODES, SMALLEST, SMALLEST_UDP, Found, Goodput, Segment, most_payload
from nsoc.bench.latency_stages import Point, points
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import XGMII_BITS, XGMII_RATES, Preset

SUITE = "latency"
PRESETS = ("lat-10g", "lat-10g-one", "lat-10g-ecp5", "lat-25g", "lat-50g", "lat-100g")
PUBLISHED = Path(__file__).parents[1] / "published" / "latency.toml"
PAYLOADS = (1, 32, 64, 160, 448, 960, 1216, 1456)
ALL = "all"
PHASES, PHASES_OF_ALL = 64, 4
CHUNKS = 16
"""At most so many simulations a preset: whatever the number of processors, the figures are the same."""


@dataclass(frozen=True)
class Minimum:
    """Frames of 64 bytes under one kind of load: of two nodes the one that got less."""

    mode: str
    payload: int
    share: float
    """Of the line's frames those whose payload the application got."""
    frames: int
    """That came on the line."""
    lost: dict[str, int]
    """Of these those that brought nothing, by cause."""


@dataclass(frozen=True)
class Measured:
    """One preset."""

    preset: Preset
    timestamps: bool
    points: list[Point]
    goodputs: list[Goodput]
    fast: tuple[int, int]
    """Of the segments: how many the fast paths have sent, and delivered; the engine itself did the others."""
    loads: list[Load]

    @property
    def minimums(self) -> list[Minimum]:
        """By mode, in the order in which they were measured."""
        found: dict[str, Minimum] = {}
        most = measure.WINDOW_US * 1000 / measure.slot_ns(SMALLEST, self.preset.line_mbps)
        for load in self.loads:
            if load.what != GOODPUT:
                mode, share = MINIMUM_MODES[load.what], load.frames_in_window / most
                if mode not in found or share < found[mode].share:
                    found[mode] = Minimum(mode, load.payload, share, load.frames, load.lost)
        return list(found.values())

    def mean(self, mode: str) -> dict[int, float]:
        """ns by payload."""
        return {point.payload: point.mean for point in self.points if point.mode == mode}


@dataclass
class LatencyResult:
    """Everything `nsoc bench latency` found."""

    measured: list[Measured]
    phases: int

    @property
    def failure(self) -> str:
        """What is slower than this project wants; empty when nothing is."""
        missed = [
            f"{one.preset.name} {point.mode} of {point.payload} bytes ({point.mean:.1f} ns, wanted {wanted:g})"
            for one in self.measured
            for point in one.points
            if (wanted := goal(one, point.mode, point.payload)) is not None and point.mean > wanted
        ]
        for one in self.measured:
            for found in one.goodputs:
                least = share_goal(one, f"node-{found.node}", most_payload(False))
                if found.payload != SMALLEST and found.mbps < least * goodput_limit(one, found.payload):
                    missed.append(f"{one.preset.name} goodput of node {found.node} ({found.mbps:,.0f} Mb/s)")
            missed += [
                f"{one.preset.name} {minimum.mode} ({100 * minimum.share:.1f} % of the line)"
                for minimum in one.minimums
                if minimum.share < share_goal(one, minimum.mode, minimum.payload)
            ]
        return f"missed: {', '.join(missed)}" if missed else ""


def published() -> dict[str, Any]:
    """published/latency.toml, with payloads as numbers."""
    tables = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    tables["published"]["ns"] = {int(payload): ns for payload, ns in tables["published"]["ns"].items()}
    return tables


def goal(measured: Measured, mode: str, payload: int) -> float | None:
    """ns at most that this project wants."""
    if measured.timestamps:
        return None
    return figures.goal(SUITE, measured.preset.name, mode, "latency_ns", payload)


def share_goal(measured: Measured, mode: str, payload: int) -> float:
    """Of the line at least; 0 where nothing is wanted. A preset with changed fields is wanted to give as much."""
    return figures.goal(SUITE, measured.preset.name.partition(" ")[0], mode, "line_share", payload) or 0.0


def goodput_limit(measured: Measured, payload: int) -> float:
    """Mb/s of payload with segments of it back to back."""
    line = measured.preset.line_mbps
    return 8000 * payload / measure.slot_ns(payload, line, measured.timestamps)


def systems(
    names: Sequence[str],
    *,
    width: int | None = None,
    core_mhz: float | None = None,
    rate: float | None = None,
    line_bits: int | None = None,
    cable: int | None = None,
) -> list[Preset]:
    """The presets of those names, all of latency when there are none, with what is not None changed.

    `core_mhz`: of the engine; `rate` in Gb/s; `line_bits`: of the XGMII, each cycle; `cable` in cycles of the MAC.
    Raises NsocError for what cannot be.
    """
    if rate is not None and rate * 1000 not in XGMII_BITS:
        raise NsocError(f"--rate is the line's, {XGMII_RATES} Gb/s, not {rate:.10g}")
    options = (
        ("width", width, f"--width {width}"),
        ("nic_mhz", core_mhz, f"--core-mhz {core_mhz}"),
        ("line_mbps", None if rate is None else round(rate * 1000), f"--rate {rate}"),
        ("xgmii_bits", line_bits, f"--line-bits {line_bits}"),
        ("cable_cycles", cable, f"--cable {cable}"),
    )
    fields = {field: value for field, value, _ in options if value is not None}
    said = {field: text for field, _, text in options}
    found = []
    for preset in map(presets.load, names or (PRESETS[:1] if fields else PRESETS)):
        if preset.top != "lat_node":
            raise NsocError(f"the preset {preset.name} is no pair of engines; those are {', '.join(PRESETS)}")
        changed = {field: value for field, value in fields.items() if getattr(preset, field) != value}
        words = "".join(f" {field}={value:g}" for field, value in changed.items())
        named = {**changed, "name": preset.name + words}
        found.append(presets.changed(preset, named, said) if changed else preset)
    return found


def parse_payloads(text: str | None, timestamps: bool) -> list[int]:
    """Payloads from text like `1,32,60-64` or `all`; the published ones that fit when None."""
    most = most_payload(timestamps)
    if text is None:
        return [payload for payload in PAYLOADS if payload <= most]
    return nic.parse_lengths(None if text == ALL else text, 1, most, "--payload", "bytes of a segment")


@public
def run(
    systems: Sequence[Preset],
    payloads: Sequence[int],
    modes: Sequence[str] = (),
    *,
    phases: int = PHASES,
    goodput: bool = True,
    timestamps: bool = False,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> LatencyResult:
    """Each payload in each mode, all when none is named, `phases` times; then streams both ways, if `goodput`.

    These are of the longest segments, and of the smallest frames: TCP, UDP, and TCP received from another sender.

    Raises NsocError when a byte was wrong or lost, a payload went as several segments, or there is no such mode.
    """
    for mode in modes:
        if mode not in MODES:
            raise NsocError(f"there is no mode {mode!r}, only {', '.join(MODES)}")
    size = max(1, -(-len(payloads) // CHUNKS))
    chunks = [payloads[at : at + size] for at in range(0, len(payloads), size)]
    streams = (most_payload(timestamps), SMALLEST) if goodput else ()
    calls: dict[tuple[int, int], Callable[[], Found]] = {}
    for number, system in enumerate(systems):
        measure.simulator(system)  # before two processes want it
        common = partial(measure.simulate, system, timestamps=timestamps)
        for at, chunk in enumerate(chunks):
            calls[number, at] = partial(common, chunk, modes or MODES, phases=phases, seed=seed << 16 | chunk[0])
        if streams:
            calls[number, len(chunks)] = partial(common, goodput=streams, udp=(SMALLEST_UDP,), seed=seed << 16)
            if not timestamps:  # that sender knows none
                calls[number, len(chunks) + 1] = partial(common, received=SMALLEST, seed=seed << 16)
    found: dict[tuple[int, int], Found] = {}
    progress(0, len(calls))
    with pool.completed(calls) as results:
        for key, one in results:
            found[key] = one
            progress(len(found), len(calls))
    return LatencyResult(
        [
            _joined(system, timestamps, [found[key] for key in sorted(found) if key[0] == number])
            for number, system in enumerate(systems)
        ],
        phases,
    )


def _joined(system: Preset, timestamps: bool, found: Sequence[Found]) -> Measured:
    segments: list[Segment] = [segment for one in found for segment in one.segments]
    single = [one.stats for one in found if not one.loads]
    fast = sum(stats[0]["tx_fast"] for stats in single), sum(stats[1]["rx_fast"] for stats in single)
    return Measured(
        system,
        timestamps,
        points(segments),
        [g for one in found for g in one.goodputs],
        fast,
        [load for one in found for load in one.loads],
    )
