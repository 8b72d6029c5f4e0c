# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file that needs nothing else.

Every text goes through `html.escape`, the data through JSON with `<` escaped. A content security policy lets the page
run its own script and styles, by their hashes, and nothing else: no request can leave it, whatever a record holds.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from nsoc.bench import images
from nsoc.hardware.synth import published
from nsoc.network.ethernet import line_limit
from nsoc.records import PUBLISHED_UNIT
from nsoc.report import facts as f
from nsoc.report import filling
from nsoc.report.facts import Facts

FOLDER = Path(__file__).parent
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
NAME = f.BEST.replace("-", "\N{NON-BREAKING HYPHEN}")
WORDS = 40
"""A cell of more characters may have several lines."""
RESOURCES = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAM", "dsp": "DSP"}


def page(facts: Facts) -> str:
    """The whole file."""
    style, script = ((FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    charts = [chart for chart in (*_curves(facts), _modes(facts), _stages(facts), _area(facts)) if chart]
    data = {"presets": f.PRESETS, "charts": charts, "columns": f.COLUMNS, "records": list(map(f.row, facts.records))}
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    sections = [
        _head(facts),
        "<main>",
        _section("rtt", "Round trip", _rtt_words(facts), charts),
        _section("throughput", "Throughput", _throughput_words(facts), charts),
        _section("stages", "Where the time of a frame goes", escape(facts.stages_how), charts),
        _section("modes", "Round trip by mode", MODES_WORDS, charts),
        _filling(facts),
        _drops(facts),
        _section("area", "Size on the FPGA", _area_words(facts), charts),
        _tables(facts),
        _about(facts),
        "</main>",
    ]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>N-SoC, measured</title>
<style>{style}</style>
</head>
<body>
{"".join(sections)}
<footer>Written by <code>nsoc report</code>. Times are simulated: the same commit and seed give the same ones.</footer>
<div class="tip" id="tip" aria-hidden="true"></div>
<script type="application/json" id="data">{_inline_json(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _inline_json(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026")


# ---- Parts of the page -----------------------------------------------------------------------------------------------


def _head(facts: Facts) -> str:
    present = facts.present()
    names = "".join(
        f'<li><svg width="16" height="12" aria-hidden="true">{_shape(name)}</svg> {escape(f.name_of(name))} '
        f'<span class="muted">{name}</span></li>'
        for name in present
    )
    missing = "".join(
        f'<p class="missing">{escape(f.name_of(name))} ({name}) is missing: {escape(why)}.</p>'
        for name, why in facts.absent().items()
    )
    cards = "".join(
        f"<li><b>{value}</b><span>{escape(what)}</span><span>{escape(theirs)}</span></li>"
        for value, what, theirs in key_figures(facts)
    )
    about = facts.about
    stamp = " · ".join(f"{name} {about[name]}" for name in ("commit", "seed") if name in about)
    links = (("rtt", "round trip"), ("throughput", "throughput"), ("stages", "stages"), ("area", "size"),
             *((("filling", "a transfer"),) if facts.packets else ()), ("tables", "tables"),
             ("about", "how it was measured"))  # fmt: skip
    return f"""<header>
<h1>{escape(headline(facts))}</h1>
<p class="lead">A network-centric SoC, simulated cycle by cycle, beside the published system it follows.</p>
<ul class="key">{cards}</ul>
<ul class="presets">{names}</ul>
{missing}
<p class="note">{escape(about.get("date", ""))} · {escape(stamp)} ·
<button id="csv" type="button">all figures as CSV</button></p>
<noscript><p class="missing">A script in this file draws the plots, and it is switched off; the tables are all here.</p>
</noscript>
<nav>{"".join(f'<a href="#{where}">{words}</a>' for where, words in links)}</nav>
</header>
"""


def headline(facts: Facts) -> str:
    """The one sentence to take away."""
    ours, theirs = f.share(facts, f.BEST, 64), f.published_share(facts, f.BEST, 64)
    if ours is None:
        return "N-SoC, measured"
    words = f"{NAME} uses {_percent(ours)} of the line with 64-byte payloads"
    return words + (f"; published: {_percent(theirs)}" if theirs is not None else "")


def key_figures(facts: Facts) -> list[tuple[str, str, str]]:
    """(value as HTML, what it is, what is published); only those that were measured."""
    made = []
    payload = 1486
    ours, theirs = f.share(facts, f.BEST, payload), f.published_share(facts, f.BEST, payload)
    if ours is not None:
        what = f"of the line at payload {payload}, {NAME}"
        made.append((_percent(ours), what, "" if theirs is None else f"published {_percent(theirs)}"))
    trip = facts.at(f.BEST, "rtt_us", 64)
    if trip is not None:
        theirs = facts.published_at(f.BEST, "rtt_us", 64)
        words = "" if theirs is None else f"published {theirs:,.0f} us, with a host's software in it"
        made.append((f"{trip:,.2f} <small>us</small>", f"round trip at payload 64, {NAME}", words))
    gains = [
        f.ratio(at(f.BEST, "throughput_mbps", payload), at(f.OLD_BEST, "throughput_mbps", payload))
        for at in (facts.at, facts.published_at)
    ]
    if gains[0] is not None:
        words = "" if gains[1] is None else f"published {gains[1]:.1f} x"
        what = f"NIC_1.2 over NIC_1.1, throughput at payload {payload}, local memory"
        made.append((f"{gains[0]:.1f} <small>x</small>", what, words))
    burst = next((r for r in facts.records if (r.preset, r.metric, r.payload) == (f.BEST, BURST, 64)), None)
    if burst is not None:
        unlimited = any((r.preset, r.metric, r.payload, r.value) == (f.BEST, f"{BURST}_unlimited", 64, True)
                        for r in facts.records)  # fmt: skip
        value = "no limit" if unlimited else f"{float(burst.value):,.0f} <small>frames</small>"
        made.append((value, f"longest burst without a loss at payload 64, {NAME}", ""))
    return made


def _percent(share: float) -> str:
    """Never rounded up to the whole."""
    return f"{int(share * 1000) / 10:g}\N{NO-BREAK SPACE}%"


def _section(name: str, title: str, words: str, charts: Sequence[dict[str, Any]]) -> str:
    """A chart with words above it; nothing when there is no such chart. `words` is HTML."""
    chart = next((chart for chart in charts if chart["id"] == name), None)
    if chart is None:
        return ""
    legend = LEGEND if any(s.get("published") for p in chart["panels"] for s in p.get("series", p.get("rows"))) else ""
    return (
        f'<section id="{name}"><h2>{title}</h2><p>{words}</p><figure>{legend}'
        f'<div class="chart" id="chart-{name}"></div></figure></section>\n'
    )


def _key(look: str, words: str) -> str:
    line = f'<svg viewBox="0 0 26 10"><path class="{look}" stroke="var(--soft)" d="M0 5h26"/></svg>'
    return f"<span>{line}{words}</span>"


LEGEND = f'<div class="legend">{_key("ours", "measured here")}{_key("published", "published")}</div>'
MODES_WORDS = (
    "Normal: through the processor. NIC loopback: the NIC hands each received buffer to its transmit side. MAC "
    "loopback: receive FIFO to transmit FIFO. The published ones are from simulation too, with a clock of 10 ns and "
    "without a line."
)


def _shape(preset: str) -> str:
    """A mark of the legend, as in the plots."""
    fill, shape = f'fill="var(--{preset})"', f.SHAPES[preset.partition("-")[2]]
    if shape == "square":
        return f'<rect x="2" y="2" width="9" height="9" {fill}/>'
    return f'<path d="M7 1l6 11h-12z" {fill}/>' if shape == "triangle" else f'<circle cx="7" cy="6.5" r="5" {fill}/>'


def _rtt_words(facts: Facts) -> str:
    trip = facts.curve(f.BEST, "rtt_us", published=False)
    span = ""
    if trip:
        (short, least), (long, most) = trip[0], trip[-1]
        span = f" {NAME} takes {least:.2f} us at payload {short} and {most:.2f} us at {long}."
    return (
        f"From the first byte of a frame in to the last byte of its echo out, one frame at a time.{escape(span)} The "
        "published times of the board were taken by a program on a host, whose operating system and network card are "
        "in them; ours are taken at the SoC's pins."
    )


def _throughput_words(facts: Facts) -> str:
    return (
        "Frame bytes without preamble and FCS that come back a second, in 10^6 bit/s, at saturation. The thin line is "
        f"what Gigabit Ethernet carries at most. {PUBLISHED_UNIT} The curves are the latter."
    )


def _filling(facts: Facts) -> str:
    if not facts.packets:
        return ""
    sent = sum(len(one.sent) for one in facts.packets)
    words = (
        f"The small image through the SoC and back by scheme 4, over a cable that loses {images.PICTURE_LOSS.loss:.0%} "
        f"of the frames each way: {len(facts.packets):,} packets, {sent:,} sent. Each packet is a row, filled from "
        "when it has come back. Red: it went, and did not come back. Orange: it came when it had been sent again."
    )
    return (
        f'<section id="filling"><h2>A transfer, packet by packet</h2><p>{words}</p>'
        f'<figure><div class="chart">{filling.svg(facts.packets)}</div></figure></section>\n'
    )


def _drops(facts: Facts) -> str:
    found = f.drops(facts)
    if not found:
        return ""
    payloads = sorted({payload for shares in found.values() for payload in shares})
    head = "".join(f"<th>{payload} B</th>" for payload in payloads)
    rows = "".join(
        f"<tr><td>{_swatch(preset)}{escape(preset)}</td><td class=words>{escape(cause.replace('_', ' '))}</td>"
        + "".join(
            f"<td>{100 * shares[payload]:.1f} %</td>" if payload in shares else "<td></td>" for payload in payloads
        )
        + "</tr>"
        for (preset, cause), shares in found.items()
    )
    return (
        '<section id="drops"><h2>Drops by cause</h2><p>Of all frames that a line never idle offered, by payload: each '
        "that does not come back is counted by exactly one of the SoC's drop counters. Where nothing stands, none was "
        f"lost.</p>{_table(f'<tr><th>preset</th><th class=words>counter</th>{head}</tr>', rows)}</section>\n"
    )


def _swatch(preset: str | None) -> str:
    if preset not in f.PRESETS:
        return ""
    return f'<svg width="16" height="12" aria-hidden="true">{_shape(preset)}</svg> '


def _table(head: str, rows: str) -> str:
    return f'<div class="scroll" tabindex="0"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>'


def _tables(facts: Facts) -> str:
    if not facts.tables:
        return ""
    parts = "".join(map(_one_table, facts.tables))
    notes = "".join(f"<p>{escape(note)}</p>" for note in facts.notes or ["Ratio: ours / published."])
    title = "<h2>Every published table, beside ours</h2>"
    button = '<p><button id="open" type="button">Open all tables</button></p>'
    return f'<section id="tables">{title}{notes}{button}{parts}</section>\n'


def _one_table(table: f.Shown) -> str:
    head = "".join(f"<th>{escape(words).strip().replace(chr(10), '<br>')}</th>" for words in table.head)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    lines = "".join(f"<p>{escape(line)}</p>" for line in table.lines)
    shown = _table(f"<tr>{head}</tr>", rows)
    return f"<details><summary>{escape(table.title)}</summary>{shown}{lines}</details>\n"


def _cell(text: str) -> str:
    mark = _swatch(text.partition(",")[0])
    return f"<td{' class=words' if len(text) > WORDS else ''}>{mark}{escape(text)}</td>"


def _about(facts: Facts) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts.about.items())
    return f'<section id="about"><h2>How it was measured</h2><dl>{rows}</dl></section>\n'


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
                        series.append(_series(preset, label, points, theirs))
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
        series = [_series(f.BEST, "ours", points, False) for points in [facts.ours(f.BEST, "rtt_us", mode)] if points]
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
        rows = [{"preset": p, "label": f.name_of(p), **_grouped(stages)} for p, stages in presets.items()]
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


def _area(facts: Facts) -> dict[str, Any]:
    if not facts.area:
        return {}
    socs, preset = published(), facts.area["preset"]
    board = socs["board"]["kc705"]
    theirs = next((soc for soc in socs["soc"] if preset in soc["presets"]), None)
    panels = []
    for key, words in RESOURCES.items():
        of_board = round(100 * facts.area[key] / board[key], 2)
        rows = [{"preset": preset, "label": "ours", "segments": [("of the board", of_board)]}]
        if theirs:
            segments = [("of the board", theirs[key])]
            rows.append({"preset": preset, "label": "published", "published": True, "segments": segments})
        panels.append({"title": words, "rows": rows})
    return {"id": "area", "kind": "bars", "title": "Size", "unit": "%", "most": 100, "panels": panels}


def _area_words(facts: Facts) -> str:
    if not facts.area:
        return ""
    return escape(
        f"{facts.area['preset']} on the KC705's XC7K325T, in percent of it; ours by Yosys (docs/data/area.json), "
        "without a DRAM controller. The published SoC has a processor with floating point, a DDR3 controller and debug "
        "access besides."
    )
