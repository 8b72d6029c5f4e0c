# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench latency` shows: ours, published, the wire alone; where the time goes; records."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nsoc.bench.latency import SUITE, LatencyResult, Measured, goal, goodput_limit, published
from nsoc.bench.latency_measure import MODES, SMALLEST, Goodput, slot_ns, wire_ns
from nsoc.bench.latency_stages import FIT_LEAST, STAGES, Fit, Point, fit
from nsoc.border import public
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

BAR_COLUMNS = 72
BARS_MOST = 12
"""Payloads that get a column and a bar in the break-down: more are spread over all."""
COLOURS = ("cyan", "yellow", "magenta", "blue", "green", "white", "green", "blue", "magenta", "red", "cyan")
LETTERS = "awhxmlMXpvA"
"""Of the stages, in order."""
ASSUMED = "assumed"
"""What published/latency.toml says of a clock that nothing was placed for."""


def theirs(measured: Measured) -> dict[int, float]:
    """Published ns by payload, where they are of such a line."""
    table = published()["published"]
    is_like = measured.preset.name.partition(" ")[0] in table["presets"] and not measured.timestamps
    return dict(table["ns"]) if is_like else {}


def _wire(measured: Measured, payload: int) -> float:
    return wire_ns(payload, measured.preset.line_mbps, measured.timestamps)


# ---- Records ---------------------------------------------------------------------------------------------------------


@public
def records(result: LatencyResult) -> list[Record]:
    """A record for each figure. The published one stands beside the mode whose ratio is claimed.

    core_mhz says as its mode how the engine's clock is known.
    """
    table = published()["published"]
    made = []
    for measured in result.measured:
        name, known = measured.preset.name, theirs(measured)
        made.append(Record(SUITE, name, "core_mhz", measured.preset.nic_mhz, _clock(measured), unit="MHz"))
        for point in measured.points:
            ours = {"published": known[point.payload], "source": table["source"]} if _claimed(point, known) else {}
            where = (point.mode, point.payload, "ns")
            made.append(Record(SUITE, name, "latency_ns", point.mean, *where, **ours))
            made.append(Record(SUITE, name, "latency_least_ns", point.least, *where))
            made.append(Record(SUITE, name, "latency_most_ns", point.most, *where))
            made.append(Record(SUITE, name, "first_first_ns", point.first_first, *where))
            if (last_last := point.last_last) is not None:
                made.append(Record(SUITE, name, "last_last_ns", last_last, *where))
            for stage, ns in point.stages().items():
                made.append(Record(SUITE, name, "stage_ns", ns, f"{point.mode}/{stage}", point.payload, "ns"))
        for found in measured.goodputs:
            limit, mode = goodput_limit(measured, found.payload), f"node-{found.node}"
            made.append(Record(SUITE, name, "goodput_mbps", found.mbps, mode, found.payload, "Mb/s", limit))
            made.append(Record(SUITE, name, "line_share", _share(measured, found), mode, found.payload))
        for minimum in measured.minimums:
            mode, payload = minimum.mode, minimum.payload
            made.append(Record(SUITE, name, "line_share", minimum.share, mode, payload))
            made.append(Record(SUITE, name, "frames_lost", sum(minimum.lost.values()), mode, payload, "frames"))
            for cause, count in minimum.lost.items():
                made.append(Record(SUITE, name, "frames_lost", count, f"{mode}/{cause}", payload, "frames"))
    return made


def _clock(measured: Measured) -> str:
    """ "assumed", or where it was placed."""
    return str(published()["clocks"].get(measured.preset.name, ASSUMED))


def _claimed(point: Point, known: Mapping[int, float]) -> bool:
    return point.mode == published()["published"]["mode"] and point.payload in known


def _share(measured: Measured, found: Goodput) -> float:
    """Of the line: of long segments goodput by its limit; of the smallest frames all that are sent, of 64 bytes."""
    if found.payload != SMALLEST:
        return found.mbps / goodput_limit(measured, found.payload)
    return found.frames_per_us * slot_ns(found.payload, measured.preset.line_mbps) / 1000


# ---- Tables ----------------------------------------------------------------------------------------------------------


def tables(result: LatencyResult) -> "list[RenderableType]":
    """For each preset: door to door, break-down by stage and bars of each mode, goodput."""
    shown: list[RenderableType] = []
    for measured in result.measured:
        shown.append(_latency_table(measured))
        for mode in MODES:
            if of_mode := _some([point for point in measured.points if point.mode == mode]):
                shown += [_stage_table(measured, mode, of_mode), _bars(of_mode)]
        if measured.goodputs:
            shown.append(_goodput_table(measured))
        if measured.minimums:
            shown.append(_minimum_table(measured))
    return shown


def _some(of_mode: list[Point]) -> list[Point]:
    if len(of_mode) <= BARS_MOST:
        return of_mode
    return [of_mode[at * (len(of_mode) - 1) // (BARS_MOST - 1)] for at in range(BARS_MOST)]


def _new_table(title: str) -> "Table":
    from rich import box
    from rich.table import Table

    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0, pad_edge=False)


def _described(measured: Measured) -> str:
    preset = measured.preset
    placed = "placed" if _clock(measured) != ASSUMED else ASSUMED
    clocks = f"{preset.width} bits at {preset.nic_mhz:g} MHz ({placed})"
    return f"{preset.name}: {clocks}, {preset.line_mbps / 1000:g} Gb/s{', time stamps' if measured.timestamps else ''}"


def _latency_table(measured: Measured) -> "Table":
    table = _new_table(f"Door to door, ns. {_described(measured)}")
    heads = ("payload", "mode", "mean", "least", "most", "first to\nfirst", "last to\nlast", "wire\nalone", "wanted",
             "pub-\nlished", "ours / pub-\nlished")  # fmt: skip
    for head in heads:
        table.add_column(head, justify="left" if head == "mode" else "right", no_wrap=True)
    known = theirs(measured)
    last = None
    for point in measured.points:
        if last not in (None, point.payload):
            table.add_section()
        last = point.payload
        wanted, last_last = goal(measured, point.mode, point.payload), point.last_last
        table.add_row(
            f"{point.payload}", point.mode, f"{point.mean:.1f}", f"{point.least:.1f}", f"{point.most:.1f}",
            f"{point.first_first:.1f}", "" if last_last is None else f"{last_last:.1f}",
            f"{_wire(measured, point.payload):.1f}", "" if wanted is None else f"{wanted:g}",
            f"{known[point.payload]:g}" if point.payload in known else "",
            f"{point.mean / known[point.payload]:.3f}" if _claimed(point, known) else "",
        )  # fmt: skip
    return table


def _stage_table(measured: Measured, mode: str, of_mode: list[Point]) -> "Table":
    table = _new_table(f"Where the time goes, ns, mean. {measured.preset.name}, {mode}")
    table.add_column("payload", no_wrap=True)
    for point in of_mode:
        table.add_column(f"{point.payload}", justify="right", no_wrap=True)
    each = [point.stages() for point in of_mode]
    for letter, (stage, _) in zip(LETTERS, STAGES, strict=True):
        table.add_row(f"{letter} {stage}", *(f"{stages[stage]:.1f}" for stages in each))
    table.add_section()
    table.add_row("total", *(f"{sum(stages.values()):.1f}" for stages in each))
    return table


def _bars(of_mode: list[Point]) -> "Text":
    """A bar for each payload, a letter and a colour for each stage, all at one scale."""
    from rich.text import Text

    most = max(point.mean for point in of_mode)
    shown = Text()
    for point in of_mode:
        shown.append(f"{point.payload:7} ")
        done, drawn = 0.0, 0
        for (_, ns), letter, colour in zip(point.stages().items(), LETTERS, COLOURS, strict=True):
            done += ns
            until = round(BAR_COLUMNS * done / most)
            shown.append(letter * (until - drawn), style=colour)
            drawn = until
        shown.append(f" {point.mean:.0f}\n")
    return shown


def _goodput_table(measured: Measured) -> "Table":
    table = _new_table(f"Both ways at once through {measured.preset.connections} connections. {_described(measured)}")
    for head in ("payload", "node", "goodput, Mb/s", "limit", "share of the line"):
        table.add_column(head, justify="right", no_wrap=True)
    for found in measured.goodputs:
        share = _share(measured, found)
        limit = goodput_limit(measured, found.payload)
        table.add_row(f"{found.payload}", f"{found.node}", f"{found.mbps:,.0f}", f"{limit:,.0f}", f"{100 * share:.1f}%")
    return table


def _minimum_table(measured: Measured) -> "Table":
    table = _new_table(f"Frames of 64 bytes that the application gets. {_described(measured)}")
    for head in ("mode", "share of the line", "frames", "lost by cause"):
        table.add_column(head, justify="left" if head.startswith(("mode", "lost")) else "right")
    for minimum in measured.minimums:
        lost = ", ".join(f"{cause} {count:,}" for cause, count in minimum.lost.items())
        table.add_row(minimum.mode, f"{100 * minimum.share:.1f}%", f"{minimum.frames:,}", lost or "none")
    return table


# ---- Lines -----------------------------------------------------------------------------------------------------------


def lines(result: LatencyResult) -> list[str]:
    """What the tables leave to say."""
    said = [
        "The watch starts at the clock edge behind which the first beat (doorbell-*: the doorbell) is first offered, "
        "and stops at the one that takes the last beat with its verdict. Last to last: from the edge that takes the "
        f"last beat in. {result.phases} segments a figure, each with its own phases of the clocks and connection.",
        "Wire alone: preamble to FCS at the line's rate. Ratio: of stream-verified alone, as nothing is given out "
        "there before FCS and sum are known. The published text does not say which beats it means.",
    ]
    for measured in result.measured:
        segments = sum(len(point.segments) for point in measured.points)
        fits = {mode: fit(measured.mean(mode)) for mode in MODES}
        said += [f"{measured.preset.name}, {mode}: {_fitted(found)}" for mode, found in fits.items() if found]
        if segments and measured.fast != (segments, segments):
            said.append(
                f"{measured.preset.name}: of {segments} segments {measured.fast[0]} were sent and {measured.fast[1]} "
                "delivered by the fast paths, the others by the engine itself: their taps are not all there."
            )
        clock = _clock(measured)
        how = "assumed, not placed on any device" if clock == ASSUMED else f"what place and route have reached: {clock}"
        said.append(f"{measured.preset.name}: the engine's clock is {how}.")
    table = published()["published"]
    if result.measured and (their_fit := fit(table["ns"])):
        said.append(f"Published: {_fitted(their_fit)} {table['source']}.")
    return said


def _fitted(found: Fit) -> str:
    return f"{found.fixed:.0f} ns + {found.slope:.3f} ns a byte, from {FIT_LEAST} bytes on."
