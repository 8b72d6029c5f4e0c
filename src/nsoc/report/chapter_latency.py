# SPDX-License-Identifier: Apache-2.0
"""The chapter on two engines door to door: latency over payload, by stage, by line; size."""

from collections.abc import Iterable

from nsoc.bench.latency import PAYLOADS
from nsoc.bench.latency_measure import MODES, wire_ns
from nsoc.bench.latency_stages import STAGES
from nsoc.figures import Key
from nsoc.machine import presets
from nsoc.published import at
from nsoc.report.beside import door
from nsoc.report.book import Book, Reader, key
from nsoc.report.facts import Facts
from nsoc.report.parts import (
    COLOURS,
    PUBLISHED,
    SHAPES,
    Chapter,
    Chart,
    Section,
    bar,
    bars_chart,
    lines_chart,
    series,
    shaded,
    theirs,
)

NAME = "latency"
LIKE = "lat-10g"
"""The preset that has the published clocks and width."""
VERIFIED = "stream-verified"
SHORT = {"stream-early": "early", "stream-verified": "verified", "doorbell-early": "bell, early",
         "doorbell-verified": "bell, verified"}  # fmt: skip
SAME_LINE = ("lat-10g", "lat-10g-one", "lat-10g-ecp5")
LINES = {"lat-10g": "10 Gb/s", "lat-25g": "25 Gb/s", "lat-50g": "50 Gb/s", "lat-100g": "100 Gb/s"}
STAGE_PAYLOADS = (1, 64, 1456)
GROUPS = {
    "application-in": "application, sum", "sum-wait": "application, sum", "header": "send", "tx-crossing": "send",
    "mac-tx": "send", "line": "line", "mac-rx": "receive", "rx-crossing": "receive", "parse": "receive",
    "verify": "verify", "application-out": "out",
}  # fmt: skip
"""Stages that a bar shows as one."""


def chapter(facts: Facts, book: Book) -> Chapter:
    """Of what was measured."""
    made = Chapter(
        NAME,
        "TCP engines door to door",
        "Two TCP engines with their MACs back to back: from a payload's offer at one application to its last beat at "
        "the other, without a processor between.",
        publications=("latency",),
    )
    made.sections = [_latency(book), _stages(book), _area(book)]
    return made


def _wire(preset: str) -> list[tuple[int, float]]:
    line = presets.load(preset).line_mbps
    return [(payload, round(wire_ns(payload, line), 1)) for payload in PAYLOADS]


def _latency(book: Book) -> Section:
    reader = Reader(book)
    known = [(float(payload), ns) for payload, ns in at("latency.toml:published.ns").items()]

    def curves(of: Iterable[tuple[str, str, str]]) -> list[Chart]:
        return [
            series(label, colour, reader.curve([(n, door(preset, mode, n)) for n in PAYLOADS]), shape)
            for (label, preset, mode), colour, shape in zip(of, COLOURS, SHAPES, strict=False)
        ]

    printed = theirs("published", PUBLISHED, known)
    panels = [
        (f"{LIKE}, by mode", [*curves((SHORT[mode], LIKE, mode) for mode in MODES), printed]),
        ("10 Gb/s, verified, by clock", [*curves((name, name, VERIFIED) for name in SAME_LINE), printed]),
        ("verified, by line", curves((words, name, VERIFIED) for name, words in LINES.items())),
    ]
    chart = lines_chart(
        "latency", "Door to door", panels, unit="ns", x="payload, bytes", y="ns, door to door", xscale="linear"
    )
    if chart:
        for panel in chart["panels"][:2]:
            panel |= {"limit": _wire(LIKE), "limitName": "the wire"}
    words = (
        "Early: payload is given out while the frame comes in, before it is known to be right. Verified: behind FCS "
        "and checksum; this is what stands beside the published figures. Bell: the payload lies in the send ring "
        "when its doorbell rings. The wire is preamble to FCS at the line's rate, which nothing can be faster than. A "
        "published byte costs 1.515 ns, of which 0.8 are the wire: as if it was stored and sent on twice."
    )
    return Section("latency-payload", "Latency over payload", words, "nsoc bench latency", chart, reader.origin,
                   "latency")  # fmt: skip


def _stages(book: Book) -> Section:
    reader = Reader(book)
    panels = []
    for mode in (VERIFIED, "stream-early"):
        rows = [_stage_bar(reader, mode, payload) for payload in STAGE_PAYLOADS]
        panels.append((f"{LIKE}, {SHORT[mode]}", [row for row in rows if row]))
    chart = bars_chart("latency-stages", "Latency by stage", panels, unit="ns")
    words = (
        "Taps in the RTL end each stage, so that all stages are the latency, to the femtosecond. Application, sum: the "
        "TCP checksum stands in front of the payload, so a frame waits for it. Verify and out: the pass of the payload "
        "that begins when the checksum is known. The publication has no stages."
    )
    command = f"nsoc bench latency {LIKE} --payload 1,64,1456"
    return Section("latency-stages", "Where the time goes", words, command, chart, reader.origin)


def _stage_bar(reader: Reader, mode: str, payload: int) -> Chart | None:
    keys = {stage: key("latency", LIKE, f"{mode}/{stage}", "stage_ns", payload) for stage, _ in STAGES}
    row = bar(reader, f"payload {payload} byte{'s' * (payload > 1)}", COLOURS[0], dict(keys))
    if row is None:
        return None
    every, sums = row["segments"], dict.fromkeys(GROUPS.values(), 0.0)
    for stage, ns in every:
        sums[GROUPS[stage]] += ns
    row["segments"] = [(name, round(ns, 2)) for name, ns in sums.items()]
    (shown,) = shaded([row])
    return {**shown, "detail": every}


def _area(book: Book) -> Section:
    reader = Reader(book)
    panels = []
    for metric, words in (("lut", "LUTs"), ("ff", "flip-flops"), ("bram", "block RAM")):
        rows = []
        for name in dict.fromkeys((*SAME_LINE, *LINES)):
            rows.append(bar(reader, name, COLOURS[0], _parts(book, name, metric)))
        panels.append((words, shaded(rows)))
    chart = bars_chart("latency-area", "Size by part", panels, unit="", narrow=True)
    words = (
        "On 7-series, by part, mapped for few levels of logic; streams hold the rings of 64 connections. The "
        "publication has no sizes."
    )
    return Section("latency-area", "Size by part", words, "nsoc synth lat --target xc7", chart, reader.origin)


def _parts(book: Book, preset: str, metric: str) -> dict[str, Key | None]:
    """Of the synthesis of a lat_node, by name; each is `xc7:NAME, BITS bits`."""
    found: dict[str, Key | None] = {}
    for name in book:
        suite, of, mode, figure, _ = name
        if (suite, of, figure) == ("synth", preset, metric) and mode is not None and "," in mode:
            found[mode.removeprefix("xc7:").partition(",")[0]] = name
    return found
