# SPDX-License-Identifier: Apache-2.0
"""Sections of docs/latency.md that are made of docs/data/figures.json: door to door, stages, goodput."""

from collections.abc import Callable, Sequence
from functools import partial

from nsoc import figures
from nsoc.bench import latency
from nsoc.bench.latency import PAYLOADS
from nsoc.bench.latency_measure import MODES, SMALLEST, most_payload, wire_ns
from nsoc.bench.latency_stages import STAGES
from nsoc.docs.markdown import table
from nsoc.figures import Value
from nsoc.machine import presets

VERIFIED, EARLY = "stream-verified", "stream-early"
NODES = ("node-0", "node-1")


def _ns(preset: str, mode: str, payload: int, metric: str = "latency_ns") -> Value:
    return figures.value(latency.SUITE, preset, mode, metric, payload)


def _door(preset: str, *, spread: bool = True, wire: bool = True, published: bool = False, wanted: bool = False) -> str:
    """ns by payload and mode; `spread`: least and most of VERIFIED, `wanted`: goals, in brackets; with the ratio to the
    published ones where there are any."""
    theirs = latency.published()["published"]
    ratio, line = preset in theirs["presets"] and wire, presets.load(preset).line_mbps
    rows = []
    for payload in PAYLOADS:
        cells = [f"{theirs['ns'][payload]:,}"] if published else []
        cells += [f"{wire_ns(payload, line):,.1f}"] if wire else []
        for mode in MODES:
            cell = f"{_ns(preset, mode, payload):,.1f}"
            if mode == VERIFIED and spread:
                least, most = (_ns(preset, mode, payload, f"latency_{what}_ns") for what in ("least", "most"))
                cell += f" ({least:,.1f} to {most:,.1f})"
            goal = figures.goal(latency.SUITE, preset, mode, "latency_ns", payload)
            if wanted and goal is not None:
                cell += f" ({goal:g})"
            cells.append(cell)
        if ratio:
            cells.append(f"{_ns(preset, VERIFIED, payload) / theirs['ns'][payload]:.3f}")
        rows.append([f"{payload:,}", *cells])
    heads = ["payload", *["published"] * published, *["wire alone"] * wire, *MODES, *["ratio"] * ratio]
    return table(heads, rows, "r" * len(heads))


def _stages(columns: Sequence[tuple[str, str, int]], heads: Sequence[str]) -> str:
    """ns of each stage, by preset, mode and payload."""
    rows = [
        [stage, *(f"{_ns(preset, f'{mode}/{stage}', payload, 'stage_ns'):,.1f}" for preset, mode, payload in columns)]
        for stage, _ in STAGES
    ]
    return table(["stage", *heads], rows, "l" + "r" * len(heads))


def stages_10g() -> str:
    payloads = (1, 64, 1456)
    return _stages([("lat-10g", VERIFIED, one) for one in payloads], ["1 byte", *map(str, payloads[1:])])


def stages_fast() -> str:
    rates = (25, 50, 100)
    columns = [(f"lat-{rate}g", EARLY, payload) for rate in rates for payload in (1, 1456)]
    heads = [head for rate in rates for head in (f"{rate} Gb/s, 1 byte", "1456")]
    return _stages(columns, heads)


def goodput() -> str:
    most = most_payload(False)
    rows = []
    for preset in latency.PRESETS:
        mbps = min(figures.value(latency.SUITE, preset, node, "goodput_mbps", most) for node in NODES)
        shares = [
            min(figures.value(latency.SUITE, preset, node, "line_share", payload) for node in NODES)
            for payload in (most, SMALLEST)
        ]
        rows.append([f"`{preset}`", f"{mbps:,.0f}", f"{100 * shares[0]:.1f} %", f"{100 * shares[1]:.0f} %"])
    return table(
        ("preset", f"{most} bytes", "of what the line allows", "minimum frames, of the line"), rows, "lrrr"
    )  # fmt: skip


SECTIONS: dict[str, Callable[[], str]] = {
    "lat-door-10g": partial(_door, "lat-10g", published=True),
    "lat-door-10g-one": partial(_door, "lat-10g-one", spread=False, wire=False),
    "lat-door-10g-ecp5": partial(_door, "lat-10g-ecp5"),
    **{f"lat-door-{rate}g": partial(_door, f"lat-{rate}g", wanted=True) for rate in (25, 50, 100)},
    "lat-stages-10g": stages_10g, "lat-stages-fast": stages_fast, "lat-goodput": goodput,
}  # fmt: skip
