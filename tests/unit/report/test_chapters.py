# SPDX-License-Identifier: Apache-2.0
"""Every chapter of a report: its plots from records and from figures kept with the sources, and how a browser shows it
at the width of a phone and of a desk, light, dark and printed.

Nothing is simulated: figures are those of docs/data, some of them as if this tree had measured them.
"""

import html as html_
import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, WHY_NOT, Tab, with_page

from nsoc.bench.images import PacketTimes
from nsoc.figures import Row
from nsoc.machine.build import checkout
from nsoc.records import Record
from nsoc.report import collect, kept, page, published
from nsoc.report.facts import Facts
from nsoc.report.page import CHAPTERS

PHONE, DESK, PAPER = 390, 1280, 718
"""Pixels. PAPER is A4 without margins."""
LOOKS = {"light": ("", False), "dark": ("", True), "printed": ("print", False)}
PICTURES = checkout() / "build" / "screenshots"
"""Where a page is kept that does not look as it should."""
FRESH = ("sockets", "latency")
"""Benches whose figures count as measured on this tree here."""
CHARTS = {
    "nic": {"rtt", "throughput", "stages", "modes", "area", "nic-area"},
    "tcp": {"echo", "layers", "goodput", "tcp-area"},
    "latency": {"latency", "latency-stages", "latency-area"},
    "pnic": {"pnic-hits", "pnic-cores", "pnic-datagrams", "pnic-cycles"},
    "v8": {"v8-throughput", "v8-modes"},
}


def _record(row: Row) -> Record:
    assert row.value is not None
    return Record(row.bench, row.preset, row.metric, row.value, row.mode, row.payload, row.unit)


class _Once(Facts):
    """Whose page is made once."""

    @cached_property
    def page(self) -> str:
        return page(self)


@pytest.fixture(scope="module")
def found() -> _Once:
    rows = kept.rows()
    made = _Once([_record(row) for row in rows if row.bench in FRESH], {"date": "today", "commit": "0123", "seed": "1"})
    made.kept = [row for row in rows if row.bench not in FRESH]
    made.packets = [PacketTimes([0.0, 5.0], 9.0), PacketTimes([1.0], 4.0)]
    ns = {"wire (in)": 624, "RX FIFO": 56, "receive engine": 64, "Rx queue": 50, "processor": 700, "wire (out)": 650}
    made.records += [Record("sweep", "nic12-fast", "stage_ns", v, f"normal:{n}", 64, "ns") for n, v in ns.items()]
    made.failures["pnic"] = ["its host: it has gone"]
    collect.complete(made)
    return made


def _page(facts: Facts) -> str:
    return facts.page if isinstance(facts, _Once) else page(facts)


def _data(facts: Facts) -> dict[str, Any]:
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', _page(facts))
    assert text is not None
    made: dict[str, Any] = json.loads(text[1])
    return made


def _chart(facts: Facts, name: str) -> dict[str, Any]:
    return next(chart for chart in _data(facts)["charts"] if chart["id"] == name)


def _words(facts: Facts) -> str:
    body = re.sub(r"<(script|style).*?</\1>", "", _page(facts), flags=re.DOTALL)
    return " ".join(html_.unescape(re.sub(r"<[^>]+>", " ", body)).split())


# --- What it says ---


def test_each_chapter_has_its_plots(found: _Once) -> None:
    assert {chart["id"] for chart in _data(found)["charts"]} == set().union(*CHARTS.values())
    for name in CHAPTERS:
        only = _Once(found.records, kept=found.kept, systems=(name,))
        assert {chart["id"] for chart in _data(only)["charts"]} >= CHARTS[name] - {"stages", "area"}
        words = _words(only)
        assert all(("Table " + table.number) in words for table in published.tables(name) if table.number[0].isupper())


def test_a_report_of_nothing_says_how_each_plot_is_measured() -> None:
    """It has every published table all the same."""
    nothing = _Once([])
    words = _words(nothing)
    assert words.count("Not measured yet: ") >= 14 and _data(nothing)["charts"] == []
    for command in ("nsoc bench sockets", "nsoc bench latency", "nsoc bench pnic --only figures", "nsoc bench thesis"):
        assert f"Not measured yet: {command} does it." in words
    assert words.count("Nothing of it was measured: ") == len(published.tables())


def test_echoes_stand_beside_the_published_ones_by_size(found: _Once) -> None:
    panels = {panel["title"]: panel["series"] for panel in _chart(found, "echo")["panels"]}
    ours, theirs = panels["UDP"][:2]
    assert ours["label"] == "DCA" and not ours["kept"] and [x for x, _ in ours["points"]] == [32, 128, 256, 512, 1024]
    assert theirs["published"] and theirs["points"] == [[32, 167], [128, 194], [256, 234], [512, 314], [1024, 474]]
    assert len(panels["TCP"]) == len(panels["UDP"]) == 10


def test_latency_has_the_published_curve_and_the_wire(found: _Once) -> None:
    by_mode, by_clock, by_line = _chart(found, "latency")["panels"]
    assert by_mode["limit"][0] == [1, 57.6] and by_mode["limit"][-1] == [1456, 1217.6]
    published_ = by_mode["series"][-1]
    assert published_["published"] and published_["points"][-1] == [1456, 2622.7]
    assert len(by_mode["series"]) == 5 and len(by_clock["series"]) == 4 and "limit" not in by_line


def test_stages_of_a_latency_add_up_to_it(found: _Once) -> None:
    book = found.book()
    panel = _chart(found, "latency-stages")["panels"][0]
    for row, payload in zip(panel["rows"], (1, 64, 1456), strict=True):
        whole = book.get(("latency", "lat-10g", "stream-verified", "latency_ns", payload))
        assert whole is not None
        assert sum(ns for _, ns in row["segments"]) == pytest.approx(whole.value, abs=0.1)
        assert sum(ns for _, ns in row["detail"]) == pytest.approx(whole.value, abs=0.1)


def test_goodput_is_told_without_loss_and_with_it(found: _Once) -> None:
    without, lossy = _chart(found, "goodput")["panels"]
    assert [len(panel["rows"]) for panel in (without, lossy)] == [4, 4]
    mbps = [[row["segments"][0][1] for row in panel["rows"]] for panel in (without, lossy)]
    assert min(mbps[0]) > max(mbps[1])


def test_figures_of_the_programmable_nic_are_plots(found: _Once) -> None:
    hits = _chart(found, "pnic-hits")["panels"]
    assert [len(one["points"]) for one in hits[0]["series"]] == [12, 12, 12]
    assert {y for _, y in hits[0]["series"][-1]["points"]} == {55}
    lock, set_update = _chart(found, "pnic-cores")["panels"]
    printed = [point for one in lock["series"] if one["published"] for point in one["points"]]
    assert sorted(printed) == [[175, 96.3], [175, 98.7], [200, 99], [200, 99]]
    assert not any(one["published"] for one in set_update["series"])
    rates = _chart(found, "pnic-datagrams")
    assert [x for x, _ in rates["limit"]] == [18, 100, 200, 400, 600, 800, 1000, 1200, 1472]
    assert rates["panels"][0]["series"][-1]["points"][-1] == [800, 14.08]  # 2.2 M/s


def test_the_wait_of_sockets_is_the_difference_to_the_way_below(found: _Once) -> None:
    row = _chart(found, "layers")["panels"][0]["rows"][1]
    assert row["label"] == "the engine, UDP"
    (below, base), (above, more) = row["segments"]
    whole = found.book().get(("sockets", "toe", "socket-udp", "echo_cycles", 32))
    assert (below, above) == ("the way below", "sockets") and whole is not None
    assert base + more == pytest.approx(whole.value, abs=0.1)


def test_curves_of_an_earlier_commit_are_marked_and_never_mixed_with_those_of_this_tree(found: _Once) -> None:
    one = Record("thesis", "nic12-fast", "rtt_us", 2.5, "normal", 64, "us")
    mixed = Facts([one], kept=found.kept, systems=("nic",))
    series = {
        (curve["preset"], curve["published"]): curve
        for panel in _chart(mixed, "rtt")["panels"]
        for curve in panel["series"]
    }
    assert series["nic12-fast", False]["points"] == [[64, 2.5]] and not series["nic12-fast", False]["kept"]
    assert [x for x, _ in series["nic12-fast", False]["behind"]] == [64, 128, 256, 512, 1024]
    assert series["nic12-dram", False]["behind"] == []
    assert series["nic12-dram", False]["kept"] and len(series["nic12-dram", False]["points"]) > 3
    assert "measured on this tree; pale or with \N{DAGGER}: kept with the sources" in _words(mixed)


def test_a_few_points_of_this_tree_lie_on_the_curve_that_is_kept(found: _Once) -> None:
    """Of figure 8, as after a short run: a line between two points would say what nobody has measured."""
    short = Record("pnic", "pnic-rice", "frames_per_s", 4e6, "published-set-update", 64, "1/s")
    mixed = Facts([short], kept=found.kept, systems=("pnic",))
    lock, set_update, _ = _chart(mixed, "pnic-datagrams")["panels"][0]["series"]
    assert set_update["points"] == [[18, 0.576]] and len(set_update["behind"]) == 9 and not set_update["kept"]
    assert lock["kept"] and len(lock["points"]) == 9 and lock["behind"] == []


def test_the_csv_says_of_which_commit_a_figure_is(found: _Once) -> None:
    data = _data(found)
    commit = data["columns"].index("commit")
    by_suite = {row[0]: row[commit] for row in data["records"]}
    assert by_suite["sockets"] is None and by_suite["pnic"] and by_suite["toe"]


def test_every_heading_and_table_that_says_published_names_the_publication(found: _Once) -> None:
    text = _page(found)
    names = [html_.escape(name) for name in published.publications().values()]
    for section in re.findall(r"<section id=.*?</section>", text, flags=re.DOTALL):
        if re.search(r"\bpublished\b", section) and 'id="about"' not in section:
            assert any(name in section for name in names), section[:300]
    for table in re.findall(r"<details>.*?</details>", text, flags=re.DOTALL):
        if re.search(r"\bpublished\b", table):
            assert any(name in table for name in names), table[:300]
    heads = re.findall(r"<h[23]>(.*?)</h[23]>", text)
    assert all(any(name in head for name in names) for head in heads if "published" in head)


def test_a_gain_of_nothing_is_explained(found: _Once) -> None:
    words = _words(found)
    assert "1.0 x \N{DAGGER} NIC_1.2 over NIC_1.1" in words
    assert "NIC_1.2 gains nothing over NIC_1.1 with 1486 bytes because of the line" in words


def test_what_could_not_be_measured_is_told_in_its_chapter(found: _Once) -> None:
    assert "its host: it has gone." in _words(found)
    assert "its host" not in _words(Facts(found.records, failures=found.failures, systems=("tcp",)))


# --- In a browser ---


async def _check(tab: Tab, name: str, width: int, file: Path) -> None:
    """Of a chapter as it is shown now."""
    assert await tab.js("document.documentElement.scrollWidth") == width, "it scrolls sideways"
    for chart in CHARTS[name]:
        assert await tab.js(f"document.querySelectorAll('#chart-{chart} .mark').length"), f"{chart} is empty"
    cut = await tab.js(
        f"[...document.querySelectorAll('#{name} .chart svg text')].filter(t => {{ const b = t.getBoundingClientRect();"
        "return b.width && (b.right > innerWidth + 1 || b.left < -1); }).map(t => t.textContent)"
    )
    assert cut == [], "text of the plots is cut"
    overlaps = await tab.js(
        f"""[...document.querySelectorAll('#{name} .chart svg')].flatMap(svg => {{
          const all = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
          return all.flatMap(([a, p], i) => all.slice(i + 1).filter(([b, q]) =>
            p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 4 && q.top < p.bottom - 4)
            .map(([b]) => a + ' / ' + b)); }})"""
    )
    assert overlaps == [], "words of the plots lie over each other"
    assert tab.requests == [file.resolve().as_uri()], "it asks for something"
    assert tab.trouble == [], "the console has something to say"


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)
@pytest.mark.parametrize("width", [PHONE, PAPER, DESK])
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_browser_shows_each_chapter_light_dark_and_printed(
    found: _Once, tmp_path: Path, name: str, width: int
) -> None:
    file = tmp_path / "report.html"
    file.write_text(_page(found), encoding="utf-8")

    async def look(tab: Tab) -> None:
        await tab.js("for (const one of document.querySelectorAll('details')) one.open = true")
        for words, (media, dark) in LOOKS.items():
            await tab.media(media, dark=dark)
            try:
                await _check(tab, name, width, file)
            except AssertionError:
                await tab.picture(PICTURES / f"report-{name}-{width}-{words}.png")
                raise

    with_page(file, tmp_path, look, width)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)
def test_a_page_that_is_too_wide_is_seen_and_can_be_looked_at(found: _Once, tmp_path: Path) -> None:
    """That the test above can fail, and keeps a picture then."""
    file, kept_at = tmp_path / "report.html", tmp_path / "wide.png"
    text = _page(found).replace("<main>", f"<main><pre>{'wide ' * 200}</pre>")
    file.write_text(text, encoding="utf-8")

    async def look(tab: Tab) -> None:
        with pytest.raises(AssertionError, match="sideways"):
            await _check(tab, "tcp", PHONE, file)
        await tab.picture(kept_at)

    with_page(file, tmp_path, look, PHONE)
    assert kept_at.read_bytes().startswith(b"\x89PNG")
