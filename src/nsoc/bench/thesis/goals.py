# SPDX-License-Identifier: Apache-2.0
"""What this project wants of the figures: limits, and the order of the systems."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from nsoc import figures
from nsoc.bench import measure
from nsoc.bench.thesis.published_tables import RISC_V, RTT, SYSTEMS, THROUGHPUT, V8
from nsoc.figures import Row

if TYPE_CHECKING:
    from nsoc.bench.thesis.study import Study

_NICS = {"NIC_1.1": RISC_V[:3], "NIC_1.2": RISC_V[3:]}
ORDERS = {**_NICS, **{f"{nic}, V8": tuple(f"{V8}{name}" for name in systems) for nic, systems in _NICS.items()}}


@dataclass(frozen=True)
class Limit:
    """What this project wants of a figure."""

    what: str
    preset: str
    metric: str
    payload: int
    ours: str
    """Measured; empty when there is no figure."""
    wanted: str
    limit: float | None
    met: bool


SUITE = "thesis"
SHARE, RATIO, WORST, UNLIMITED = "line_share", "throughput_ratio", "rtt_most_cycles", "loss_free_burst_unlimited"
"""Metrics that have goals. RATIO has as its mode which preset it is over: OVER and its name."""
OVER = "over "


def wanted(metric: str, systems: Iterable[str], payloads: Callable[[list[int]], list[int]] = list) -> list[Row]:
    """Goals for a metric, of presets among `systems`; `payloads` says which are measured."""
    systems = set(systems)
    rows = [row for row in figures.goals(SUITE) if row.metric == metric and row.payload is not None]
    measured = set(payloads([row.payload for row in rows if row.payload is not None]))
    others = {row.key: (row.mode or "").removeprefix(OVER) if metric == RATIO else row.preset for row in rows}
    rows = [row for row in rows if row.preset in systems and others[row.key] in systems and row.payload in measured]
    return sorted(rows, key=lambda row: (-SYSTEMS.index(row.preset or ""), row.payload or 0))


def limits(study: "Study") -> list[Limit]:
    """What this project wants, of the presets and payloads that were to be measured."""
    found = []

    def rows(metric: str) -> list[tuple[str, int, float, str]]:
        """Preset, payload, goal and mode."""
        chosen = wanted(metric, study.plan.systems, study.plan.payloads)
        return [(row.preset or "", row.payload or 0, float(row.goal or 0), row.mode or "") for row in chosen]

    for preset, payload, least, _ in rows(SHARE):
        rate = study.throughput(preset, "normal", payload)
        ours, met = ("", False) if rate is None else (f"{rate.line_share:.4f}", rate.line_share >= least)
        found.append(Limit("share of the line", preset, SHARE, payload, ours, f">= {least:.4f}", least, met))
    for preset, payload, least, mode in rows(RATIO):
        than = mode.removeprefix(OVER)
        rate, other = (study.throughput(name, "normal", payload) for name in (preset, than))
        ours = "" if rate is None else f"{rate.mbps:.2f}"
        wish, limit = (than, None) if other is None else (f">= {other.mbps:.2f}", other.mbps)
        met = rate is not None and other is not None and rate.mbps / other.mbps >= least
        found.append(Limit(f"Mb/s, not below {than}", preset, THROUGHPUT, payload, ours, wish, limit, met))
    for preset, payload, most, _ in rows(WORST):
        trip = study.round_trip(preset, "normal", payload)
        ours, met = ("", False) if trip is None else (f"{trip.most:,.1f}", trip.most <= most)
        what = "round trip, cycles, worst"
        found.append(Limit(what, preset, "rtt_cycles", payload, ours, f"<= {most:,.1f}", most, met))
    for preset, payload, _, _ in rows(UNLIMITED):
        burst = study.burst(preset, payload)
        ours, met = ("", False) if burst is None else (burst_text(burst), burst.unlimited)
        what = "burst without loss, frames"
        found.append(Limit(what, preset, "loss_free_burst", payload, ours, "no limit", None, met))
    return found


def _below(one: float, other: float) -> bool:
    """Whether a throughput is below another by more than they can be told apart: a byte time in all frames."""
    return one < other * (1 - 1e-5)


def orders(study: "Study") -> list[tuple[str, bool]]:
    """Whether each NIC is slowest with DRAM, faster behind the L2 cache and fastest with the local memory.

    A sentence, and whether it is true, for each NIC and metric of which there are figures.
    """
    found = []
    for name, systems in ORDERS.items():
        for metric, what in ((RTT, "round trip"), (THROUGHPUT, "throughput")):
            payloads, broken = 0, []
            for payload in measure.PAYLOADS:
                figures = [study.figure(metric, preset, "normal", payload) for preset in systems]
                known = [value for value in figures if value is not None]
                if len(known) < len(systems):
                    continue
                payloads += 1
                # Equal is in order: the line limits both.
                if any(_below(a, b) if metric == RTT else _below(b, a) for a, b in pairwise(known)):
                    broken.append(f"{payload} ({', '.join(f'{value:.2f}' for value in known)})")
            if payloads:
                ending = f"is broken at payload {'; '.join(broken)}" if broken else f"holds at all {payloads} payloads"
                found.append((f"{name}, {what}: the order DRAM, L2 cache, local memory {ending}.", not broken))
    return found


def burst_text(burst: measure.Burst) -> str:
    """Frames of the longest burst without loss; `+`: longer ones were not tried."""
    return "no limit" if burst.unlimited else f"{burst.frames}" if burst.lost else f"{burst.frames}+"
