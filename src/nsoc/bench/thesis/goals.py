# SPDX-License-Identifier: Apache-2.0
"""What this project wants of the figures: limits, and the order of the systems."""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nsoc.bench import measure
from nsoc.bench.thesis.published_tables import RTT, SYSTEMS, THROUGHPUT, data
from nsoc.network.ethernet import HEADER_BYTES

if TYPE_CHECKING:
    from nsoc.bench.thesis.study import Study

ORDERS = {"NIC_1.1": SYSTEMS[:3], "NIC_1.2": SYSTEMS[3:]}


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


def limits(study: "Study") -> list[Limit]:
    """What this project wants, of the presets and payloads that were to be measured."""
    wanted, systems, found = data()["limits"], study.plan.systems, []

    def payloads(limit: dict[str, Any]) -> list[int]:
        return study.plan.payloads(limit["payload"]) if limit["preset"] in systems else []

    for limit in wanted["line_share"]:
        for payload in payloads(limit):
            preset, least = limit["preset"], limit["least"]
            rate = study.throughput(preset, "normal", payload)
            ours, met = ("", False) if rate is None else (f"{rate.line_share:.4f}", rate.line_share >= least)
            wish = f">= {least:.4f}"
            found.append(Limit("share of the line", preset, "line_share", payload, ours, wish, least, met))
    for limit in wanted["not_slower"]:
        for payload in payloads(limit) if limit["than"] in systems else []:
            preset, than = limit["preset"], limit["than"]
            rate, other = (study.throughput(name, "normal", payload) for name in (preset, than))
            ours = "" if rate is None else f"{rate.mbps:.2f}"
            wish, least = (than, None) if other is None else (f">= {other.mbps:.2f}", other.mbps)
            met = rate is not None and other is not None and not _below(rate.mbps, other.mbps)
            found.append(Limit(f"Mb/s, not below {than}", preset, THROUGHPUT, payload, ours, wish, least, met))
    for limit in wanted["rtt_cycles"]:
        for payload in payloads(limit):
            trip = study.round_trip(limit["preset"], "normal", payload)
            most = limit["factor"] * (payload + HEADER_BYTES) + limit["constant"]
            ours, met = ("", False) if trip is None else (f"{trip.most:,.1f}", trip.most <= most)
            what = "round trip, cycles, worst"
            found.append(Limit(what, limit["preset"], "rtt_cycles", payload, ours, f"<= {most:,.1f}", most, met))
    for limit in wanted["unlimited_burst"]:
        for payload in payloads(limit):
            burst = study.burst(limit["preset"], payload)
            ours, met = ("", False) if burst is None else (burst_text(burst), burst.unlimited)
            what = "burst without loss, frames"
            found.append(Limit(what, limit["preset"], "loss_free_burst", payload, ours, "no limit", None, met))
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
