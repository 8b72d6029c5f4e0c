# SPDX-License-Identifier: Apache-2.0
"""The chapter on the network-centric SoC: its presets, round trips, throughput, stages, transfers, drops, size."""

from collections.abc import Sequence
from html import escape
from typing import Any

from nsoc.bench import images
from nsoc.hardware.synth import published
from nsoc.network.ethernet import line_limit
from nsoc.records import PUBLISHED_UNIT
from nsoc.report import facts as f
from nsoc.report import filling, html
from nsoc.report.beside import RESOURCES
from nsoc.report.book import MARK, Book, Reader, key
from nsoc.report.facts import Facts
from nsoc.report.parts import COLOURS, Chapter, Section, bar, bars_chart

NAME = "nic"
UNITS = {"rtt_us": "us", "throughput_mbps": "Mb/s"}
GROUPS = {
    "wire (in)": "wire in", "RX FIFO": "receive", "receive engine": "receive", "Tx queue": "transmit",
    "transmit engine": "transmit", "TX FIFO": "transmit", "wire (out)": "wire out",
}  # fmt: skip
"""Stages of nsoc.trace that a bar shows as one."""
SHADES = {
    "processor": 1.0, "receive": 0.6, "transmit": 0.6, "NIC and memory": 0.6, "wire in": 0.3, "wire out": 0.3,
    "MAC and line": 0.3, "Rx queue": 0.12,
}  # fmt: skip
BURST = "loss_free_burst"
BEST = f.BEST.replace("-", "\N{NON-BREAKING HYPHEN}")
GAIN_PAYLOAD = 1486
NEAR = 0.98
"""Of the line: what is at it."""


def chapter(facts: Facts, book: Book) -> Chapter:
    """Of what was measured."""
    made = Chapter(
        NAME,
        "Network-centric SoC",
        f"{headline(facts)}. "
        * bool(headline(facts))
        + "A NIC between a MAC with deep FIFOs and a RISC-V processor, simulated cycle by cycle, beside the SoC on an "
        "FPGA whose presets it follows.",
        publications=("thesis", "slides"),
        head=_head(facts),
    )
    rtt, throughput = "rtt_us", "throughput_mbps"
    curves = {chart["id"]: chart for chart in _curves(facts)}
    made.sections = [
        Section("rtt", "Round trip", _rtt_words(facts), "nsoc bench thesis", curves.get("rtt"),
                _origin(facts, [(preset, rtt) for preset in f.PRESETS]), "thesis"),
        Section("throughput", "Throughput", _throughput_words(facts), "nsoc bench thesis", curves.get("throughput"),
                _origin(facts, [(preset, throughput) for preset in f.PRESETS]), "thesis"),
        Section("stages", "Where the time of a frame goes", facts.stages_how, "nsoc report --system nic",
                _stages(facts), _stages_origin(facts)),
        Section("modes", "Round trip by mode", MODES_WORDS, "nsoc bench thesis --table 6.1", _modes(facts),
                _origin(facts, [(f.BEST, rtt)], f.MODES), "thesis"),
        _filling(facts),
        _drops(facts),
        _area(facts, book),
        _blocks(book),
    ]  # fmt: skip
    made.notes = facts.notes
    return made


def _origin(facts: Facts, of: Sequence[tuple[str, str]], modes: Sequence[str] = (f.NORMAL,)) -> str:
    """Of curves of presets and metrics."""
    there = [(preset, metric, mode) for preset, metric in of for mode in modes if facts.ours(preset, metric, mode)]
    reader = Reader(Book(()))
    for one in there:
        commits = facts.commits(*one)
        reader.fresh |= not commits
        reader.commits |= commits or facts.commits_behind(*one)
    return reader.origin


def _stages_origin(facts: Facts) -> str:
    if facts.stages_how == f.STAGES_HOW:
        return "Ours: measured on this tree."
    shown = {preset for by_preset in facts.stages.values() for preset in by_preset}
    return _origin(facts, [(preset, "rtt_us") for preset in f.PRESETS if preset in shown], f.MODES)


# ---- Above the plots -------------------------------------------------------------------------------------------------


def _head(facts: Facts) -> str:
    names = "".join(
        f'<li><svg width="16" height="12" aria-hidden="true">{html.shape(name)}</svg> {escape(f.name_of(name))} '
        f'<span class="muted">{name}</span></li>'
        for name in facts.present()
    )
    missing = "".join(
        f'<p class="missing">{escape(f.name_of(name))} ({name}) is missing: {escape(why)}.</p>'
        for name, why in facts.absent().items()
    )
    cards = "".join(
        f"<li><b>{value}</b><span>{escape(what)}</span><span>{escape(theirs)}</span></li>"
        for value, what, theirs in key_figures(facts)
    )
    return f'<ul class="key">{cards}</ul>{_puzzle(facts)}<ul class="presets">{names}</ul>{missing}'


def _puzzle(facts: Facts) -> str:
    """Why NIC_1.2 may gain nothing."""
    shares = [f.share(facts, preset, GAIN_PAYLOAD) for preset in (f.OLD_BEST, f.BEST)]
    theirs = f.published_share(facts, f.OLD_BEST, GAIN_PAYLOAD)
    if None in shares or min(one or 0.0 for one in shares) < NEAR:
        return ""
    there = "" if theirs is None else f" The published NIC_1.1 was at {_percent(theirs)} of it, which left room."
    return (
        f'<p class="note">NIC_1.2 gains nothing over NIC_1.1 with {GAIN_PAYLOAD} bytes because of the line: our '
        f"NIC_1.1 is at {_percent(shares[0] or 0.0)} of it already.{there}</p>"
    )


def headline(facts: Facts) -> str:
    """The one sentence to take away."""
    ours, theirs = f.share(facts, f.BEST, 64), f.published_share(facts, f.BEST, 64)
    if ours is None:
        return ""
    mark = _mark(facts, "throughput_mbps")
    words = f"{BEST} uses {_percent(ours)}{mark} of the line with 64-byte payloads"
    return words + (f"; published: {_percent(theirs)}" if theirs is not None else "")


def key_figures(facts: Facts) -> list[tuple[str, str, str]]:
    """(value as HTML, what it is, what is published); only those that were measured."""
    made = []
    payload = GAIN_PAYLOAD
    ours, theirs = f.share(facts, f.BEST, payload), f.published_share(facts, f.BEST, payload)
    if ours is not None:
        what = f"of the line at payload {payload}, {BEST}"
        words = "" if theirs is None else f"published {_percent(theirs)}"
        made.append((_percent(ours) + _mark(facts, "throughput_mbps"), what, words))
    trip = facts.at(f.BEST, "rtt_us", 64)
    if trip is not None:
        theirs = facts.published_at(f.BEST, "rtt_us", 64)
        words = "" if theirs is None else f"published {theirs:,.0f} us, with a host's software in it"
        what = f"round trip at payload 64, {BEST}"
        made.append((f"{trip:,.2f} <small>us</small>{_mark(facts, 'rtt_us')}", what, words))
    gains = [
        f.ratio(at(f.BEST, "throughput_mbps", payload), at(f.OLD_BEST, "throughput_mbps", payload))
        for at in (facts.at, facts.published_at)
    ]
    if gains[0] is not None:
        words = "" if gains[1] is None else f"published {gains[1]:.1f} x"
        what = f"NIC_1.2 over NIC_1.1, throughput at payload {payload}, local memory"
        made.append((f"{gains[0]:.1f} <small>x</small>{_mark(facts, 'throughput_mbps')}", what, words))
    burst = next((r for r in facts.records if (r.preset, r.metric, r.payload) == (f.BEST, BURST, 64)), None)
    if burst is not None:
        unlimited = any((r.preset, r.metric, r.payload, r.value) == (f.BEST, f"{BURST}_unlimited", 64, True)
                        for r in facts.records)  # fmt: skip
        value = "no limit" if unlimited else f"{float(burst.value):,.0f} <small>frames</small>"
        made.append((value, f"longest burst without a loss at payload 64, {BEST}", ""))
    return made


def _mark(facts: Facts, metric: str) -> str:
    """Behind a figure that is of an earlier commit."""
    kept = any(facts.commits(preset, metric) for preset in (f.BEST, f.OLD_BEST))
    return f" {MARK}" if kept else ""


def _percent(share: float) -> str:
    """Never rounded up to the whole."""
    return f"{int(share * 1000) / 10:g}\N{NO-BREAK SPACE}%"


MODES_WORDS = (
    "Normal: through the processor. NIC loopback: the NIC hands each received buffer to its transmit side. MAC "
    "loopback: receive FIFO to transmit FIFO. The published ones are from simulation too, with a clock of 10 ns and "
    "without a line."
)


def _rtt_words(facts: Facts) -> str:
    trip = facts.curve(f.BEST, "rtt_us", published=False)
    span = ""
    if trip:
        (short, least), (long, most) = trip[0], trip[-1]
        span = f" {BEST} takes {least:.2f} us at payload {short} and {most:.2f} us at {long}."
    return (
        f"From the first byte of a frame in to the last byte of its echo out, one frame at a time.{span} The "
        "published times of the board were taken by a program on a host, whose operating system and network card are "
        "in them; ours are taken at the SoC's pins."
    )


def _throughput_words(facts: Facts) -> str:
    return (
        "Frame bytes without preamble and FCS that come back a second, in 10^6 bit/s, at saturation. The thin line is "
        f"what Gigabit Ethernet carries at most. {PUBLISHED_UNIT} The curves are the latter."
    )


def _filling(facts: Facts) -> Section:
    sent = sum(len(one.sent) for one in facts.packets)
    count = f": {len(facts.packets):,} packets, {sent:,} sent" if facts.packets else ""
    words = (
        f"The small image through the SoC and back by scheme 4, over a cable that loses {images.PICTURE_LOSS.loss:.0%} "
        f"of the frames each way{count}. Each packet is a row, filled from "
        "when it has come back. Red: it went, and did not come back. Orange: it came when it had been sent again."
    )
    made = Section("filling", "A transfer, packet by packet", words, f"nsoc bench images --mode {images.PICTURE}")
    if facts.packets:
        made.html = f'<figure><div class="chart">{filling.svg(facts.packets)}</div></figure>'
        made.origin = "Ours: measured on this tree."
    return made


def _drops(facts: Facts) -> Section:
    words = (
        "Of all frames that a line never idle offered, by payload: each that does not come back is counted by exactly "
        "one of the SoC's drop counters. Where nothing stands, none was lost."
    )
    made = Section("drops", "Drops by cause", words, "nsoc bench thesis")
    found = f.drops(facts)
    if not found:
        return made
    payloads = sorted({payload for shares in found.values() for payload in shares})
    head = "".join(f"<th>{payload} B</th>" for payload in payloads)
    rows = "".join(
        f"<tr><td>{html.swatch(preset)}{escape(preset)}</td><td class=words>{escape(cause.replace('_', ' '))}</td>"
        + "".join(
            f"<td>{100 * shares[payload]:.1f} %</td>" if payload in shares else "<td></td>" for payload in payloads
        )
        + "</tr>"
        for (preset, cause), shares in found.items()
    )
    made.html = html.table(f"<tr><th>preset</th><th class=words>counter</th>{head}</tr>", rows)
    made.origin = "Ours: measured on this tree."
    return made


# ---- Charts: what page.js draws --------------------------------------------------------------------------------------


def _curves(facts: Facts) -> list[dict[str, Any]]:
    made = []
    for name, metric, scale, title in (
        ("rtt", "rtt_us", "log", "Round trip"), ("throughput", "throughput_mbps", "linear", "Throughput")
    ):  # fmt: skip
        panels: list[dict[str, Any]] = []
        for family, words in f.FAMILIES.items():
            series = []
            for preset in (preset for preset in f.PRESETS if preset.startswith(family)):
                label = f.SHORT[preset.partition("-")[2]]
                for theirs in (False, True):
                    points = facts.curve(preset, metric, theirs)
                    if points:
                        kept = not theirs and bool(facts.commits(preset, metric))
                        behind = [] if theirs else [p for p in facts.behind(preset, metric) if p[0] in f.PAYLOADS]
                        series.append({**_series(preset, label, points, theirs), "kept": kept, "behind": behind})
            if series:
                panels.append({"title": words.partition(":")[0], "series": series})
        if panels:
            unit = UNITS[metric]
            chart: dict[str, Any] = {
                "id": name, "kind": "lines", "title": title, "scale": scale, "unit": unit, "panels": panels,
                "x": "payload, bytes", "y": f"{title.lower()}, {unit}",
            }  # fmt: skip
            if metric == "throughput_mbps":
                payloads = {at for panel in panels for one in panel["series"] for at, _ in one["points"]}
                limit = [(payload, round(line_limit(payload), 2)) for payload in sorted(payloads)]
                chart |= {"limit": limit, "limitName": "the line"}
            made.append(chart)
    return made


def _series(preset: str, label: str, points: f.Points, published: bool) -> dict[str, Any]:
    return {"preset": preset, "label": label + (", publ." if published else ""), "published": published,
            "shape": f.SHAPES[preset.partition("-")[2]], "points": points}  # fmt: skip


def _modes(facts: Facts) -> dict[str, Any]:
    panels = []
    for mode in f.MODES:
        kept = bool(facts.commits(f.BEST, "rtt_us", mode))
        ours = facts.ours(f.BEST, "rtt_us", mode)
        behind = facts.behind(f.BEST, "rtt_us", mode)
        series = [{**_series(f.BEST, "ours", ours, False), "kept": kept, "behind": behind}] if ours else []
        theirs = facts.published(f.BEST, "rtt_us", (f.MODE_TABLE,), mode)
        if series and theirs:
            series.append({**_series(f.BEST, "", theirs, True), "label": "published"})
            panels.append({"title": mode.replace("_", " "), "series": series})
    if not panels:
        return {}
    return {
        "id": "modes", "kind": "lines", "title": "Round trip by mode", "scale": "log", "unit": "us", "panels": panels,
        "x": "payload, bytes", "y": "round trip, us",
    }  # fmt: skip


def _stages(facts: Facts) -> dict[str, Any]:
    panels = []
    for payload, presets in facts.stages.items():
        differences = facts.stages_how == f.PARTS_HOW
        rows = [
            {"preset": p, "label": f.name_of(p), **_grouped(stages),
             "kept": differences and any(facts.commits(p, "rtt_us", mode) for mode in f.MODES)}
            for p, stages in presets.items()
        ]  # fmt: skip
        if rows:
            panels.append({"title": f"payload {payload} bytes", "rows": rows})
    if not panels:
        return {}
    return {"id": "stages", "kind": "bars", "title": "Time of a frame by stage", "unit": "us", "panels": panels}


def _grouped(stages: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """A bar of few segments, told apart by shades; all stages in its `detail`."""
    segments: dict[str, float] = {}
    for name, us in stages:
        group = GROUPS.get(name, name)
        segments[group] = segments.get(group, 0.0) + us
    return {
        "segments": [(name, round(us, 4)) for name, us in segments.items()],
        "shades": [SHADES.get(name, SHADES["NIC and memory"]) for name in segments],
        "detail": stages,
    }


def _area(facts: Facts, book: Book) -> Section:
    made = Section("area", "Size on the FPGA", _area_words(facts), "nsoc synth --target xc7", published="slides")
    if not facts.area:
        return made
    socs, preset, reader = published(), facts.area["preset"], Reader(book)
    board = socs["board"]["kc705"]
    theirs = next((soc for soc in socs["soc"] if preset in soc["presets"]), None)
    panels = []
    for metric, words in RESOURCES.items():
        found = reader.get(key("synth", preset, "xc7", metric))
        count, kept = (facts.area[metric], False) if found is None else (found.value, found.commit is not None)
        of_board = [("of the board", round(100 * count / board[metric], 2))]
        rows = [{"preset": preset, "label": "ours", "kept": kept, "segments": of_board}]
        if theirs:
            segments = [("of the board", theirs[metric])]
            rows.append({"preset": preset, "label": "published", "published": True, "segments": segments})
        panels.append({"title": words, "rows": rows})
    made.chart = {"id": "area", "kind": "bars", "title": "Size", "unit": "%", "most": 100, "panels": panels}
    made.origin = reader.origin
    return made


def _area_words(facts: Facts) -> str:
    preset = facts.area.get("preset", f.BEST)
    return (
        f"{preset} on the KC705's XC7K325T, in percent of it; ours by Yosys, without a DRAM controller. The published "
        "SoC has a processor with floating point, a DDR3 controller and debug access besides."
    )


BLOCKS = ("mac", "nic", "rv_core", "cpu_lsu", "icache", "l2_level", "dma", "local_mem", "dram_port", "acb_crossbar")


def _blocks(book: Book) -> Section:
    reader = Reader(book)
    panels = [
        (words, [bar(reader, block, COLOURS[0], {words: key("area", None, block, metric)}) for block in BLOCKS])
        for metric, words in (("lut", "LUTs"), ("ff", "flip-flops"), ("bram", "block RAM"))
    ]
    chart = bars_chart("nic-area", "Size by block", panels, unit="", narrow=True)
    words = (
        "On 7-series, each block by itself as Yosys finds cells; nsoc synth takes any of them. The thesis and its "
        "slides have whole SoCs only."
    )
    return Section("nic-area", "Size by block", words, "nsoc synth nic --target xc7", chart, reader.origin)
