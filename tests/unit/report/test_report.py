# SPDX-License-Identifier: Apache-2.0
"""`nsoc report` on small made-up records: what the page says, and what a browser makes of it without network."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, WHY_NOT, Tab, with_page

from nsoc.cli import call
from nsoc.records import Record, to_json
from nsoc.report import add, collect, facts, page, published
from nsoc.report.facts import Facts, Shown

SOURCE = "Somebody's thesis, Table"
MEBI = 1.048576
PHONE, DESK = 390, 1280
HOSTILE = "</script><script>document.title = 'taken'</script><img src=x onerror=alert(1)>\"'&"

browser = pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)


def _records() -> list[Record]:
    """Two presets beside published figures, one without, and the modes of one."""
    made = []
    for preset, speed, rtt, throughput in (("nic11-fast", 0.5, "2.1", "2.2"), ("nic12-fast", 1.0, "6.4", "6.6")):
        for payload in (64, 512, 1486):
            us, mbps = (3 + payload / 60) / speed, 400 * speed
            made.append(
                Record("thesis", preset, "rtt_us", us, "normal", payload, "us", None, us * 9, f"{SOURCE} {rtt}")
            )
            made.append(Record("thesis", preset, "throughput_mbps", mbps, "normal", payload, "Mb/s", 900, 40 * MEBI,
                               f"{SOURCE} {throughput}"))  # fmt: skip
            made.append(Record("thesis", preset, "throughput_mbps", 1, "normal:window-16", payload, "Mb/s", 900, 40,
                               f"{SOURCE} {throughput}"))  # fmt: skip
    made += [Record("report", "nic12-l2", "rtt_us", 7.0, "normal", payload, "us") for payload in (64, 512, 1486)]
    for mode, us in (("normal", 4.0), ("nic_loopback", 3.0), ("mac_loopback", 2.5)):
        made.append(Record("thesis", "nic12-fast", "rtt_us", us, mode, 64, "us", None, us / 2, f"{SOURCE} 6.1"))
    for metric, mode, frames in (("offered", "normal", 1000), ("loss", "normal:rx_drop_fifo", 250)):
        made.append(Record("report", "nic11-fast", metric, frames, mode, 64, "frames"))
    return made


@pytest.fixture
def found() -> Facts:
    made = Facts(
        _records(), {"date": "today", "commit": "0123", "seed": "1"}, {"nic11-dram": "its memory has burnt down"}
    )
    made.systems = ("nic",)
    return collect.complete(made)


class _Reader(HTMLParser):
    """Tags with their attributes, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.data = ""
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == ("script", {"type": "application/json", "id": "data"}):
            self.data += data
        elif self._in not in ("script", "style"):
            self.words.append(data)


def _text(html: str) -> str:
    return " ".join(" ".join(_Reader(html).words).split())


def _chart(html: str, name: str) -> dict[str, Any]:
    return next(chart for chart in json.loads(_Reader(html).data)["charts"] if chart["id"] == name)


# --- What it says ---


def test_the_curves_are_the_records_and_the_published_ones(found: Facts) -> None:
    html = page(found)
    chart = _chart(html, "throughput")
    series = {(s["preset"], s["published"]): s["points"] for panel in chart["panels"] for s in panel["series"]}
    assert series == {
        ("nic11-fast", False): [[64, 200], [512, 200], [1486, 200]],
        ("nic11-fast", True): [[payload, 40 * MEBI] for payload in (64, 512, 1486)],
        ("nic12-fast", False): [[64, 400], [512, 400], [1486, 400]],
        ("nic12-fast", True): [[payload, 40 * MEBI] for payload in (64, 512, 1486)],
    }
    assert chart["limit"][0] == [64, 764.71]  # 78 bytes of 102
    rtt = _chart(html, "rtt")
    assert {s["preset"] for panel in rtt["panels"] for s in panel["series"]} == {"nic11-fast", "nic12-fast", "nic12-l2"}


def test_headline_and_key_figures_are_computed_from_the_records(found: Facts) -> None:
    words = _text(page(found)).replace("\N{NON-BREAKING HYPHEN}", "-")
    assert "nic12-fast uses 52.3 % of the line with 64-byte payloads; published: 5.4 %" in words.replace("\u00a0", " ")
    assert "2.0 x NIC_1.2 over NIC_1.1" in words
    assert "4.07 us round trip at payload 64" in words and "published 37 us" in words


def test_the_parts_of_a_round_trip_are_the_differences_of_the_modes(found: Facts) -> None:
    panel = _chart(page(found), "stages")["panels"][0]
    (row,) = panel["rows"]
    processor = pytest.approx(3 + 64 / 60 - 3, abs=1e-3)
    assert row["segments"] == [["MAC and line", 2.5], ["NIC and memory", 0.5], ["processor", processor]]


def test_stages_are_told_where_a_frame_was_traced(found: Facts) -> None:
    ns = {"wire (in)": 624, "RX FIFO": 56, "receive engine": 64, "Rx queue": 50, "processor": 700, "wire (out)": 650}
    found.records += [Record("sweep", "nic12-fast", "stage_ns", v, f"normal:{n}", 64, "ns") for n, v in ns.items()]
    (row,) = _chart(page(collect.complete(found)), "stages")["panels"][0]["rows"]
    assert row["segments"] == [
        ["wire in", 0.624], ["receive", 0.12], ["Rx queue", 0.05], ["processor", 0.7], ["wire out", 0.65],
    ]  # fmt: skip
    assert row["detail"] == [[name, value / 1000] for name, value in ns.items()]


def test_drops_stand_by_cause_as_a_share_of_what_was_offered(found: Facts) -> None:
    assert "nic11-fast rx drop fifo 25.0 %" in _text(page(found))


def test_a_preset_without_figures_is_said_to_be_missing_and_why(found: Facts) -> None:
    words = _text(page(found))
    assert "(nic11-dram) is missing: its memory has burnt down" in words
    assert "(nic12-dram) is missing: there is no measurement of it" in words
    assert "(nic12-fast) is missing" not in words


def test_a_table_has_ours_published_ratio_and_sentences(found: Facts) -> None:
    found.tables = [
        Shown("Table 9.9. Speed", ["system", "ours", "publ."], [["nic12-fast", "4.00", "8.00"]], ["It is < 1."])
    ]
    words = _text(page(found))
    assert "Measured besides Table 9.9. Speed system ours publ. nic12-fast 4.00 8.00 It is < 1." in words


def test_a_table_that_a_bench_prints_takes_the_place_of_the_published_one_and_of_no_other(found: Facts) -> None:
    """Table 6 of another publication is not Table 6.1."""
    found.tables = [
        Shown("Table 6.1. As printed", ["system"], [["by a bench"]], ["More is said."]),
        Shown("KC705 utilization (slides), ours", ["system"], [["by Yosys"]]),
    ]
    found.systems = ("nic", "pnic")
    words = _text(page(found))
    assert words.count("As printed system by a bench More is said. Published: ") == 1
    assert words.count("Table 6.1.") == 1 and words.count("utilization (slides), ours system by Yosys Published: ") == 1
    assert "Table 6. Cycles a frame" in words and "Measured besides" not in words


def test_what_bench_thesis_prints_is_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headings, tables and sentences of a section belong together; what comes behind the last one is for all."""
    from rich.table import Table

    from nsoc.bench import thesis

    table = Table("[b]system", "us")
    table.add_row("[dim]nic12-fast", "4.1")
    sections = ["[bold]Table 1. One", table, "Because \\[so].", "", "[bold]Table 2. Two", "none", "", "Ratio: ours."]
    monkeypatch.setattr(thesis, "sections", lambda study: iter(sections))
    tables, notes = add.sections(None)  # type: ignore[arg-type]
    assert tables == [
        Shown("Table 1. One", ["system", "us"], [["nic12-fast", "4.1"]], ["Because [so]."]),
        Shown("Table 2. Two", [], [], ["none"]),
    ]
    assert notes == ["Ratio: ours."]


def test_it_measures_what_the_thesis_has_and_each_preset_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over measurements that are made up: one preset fails, one cannot be traced."""
    from nsoc.bench import images, jobs, measure, sockets, sweep, thesis, toe

    engine = toe.ToeResult([toe.Run("toe", "tcp-send", 1, loss=False, sent_mbps=941.25)])

    def transferred(modes: tuple[str, ...], **_: object) -> images.ImagesResult:
        packets = [images.PacketTimes([0.0, 5.0], 9.0)]
        one = images.Run("nic12-fast", images.PICTURE, 1480, True, "", 9.0, 0.5, 500.0, 1e5, 1e5, {}, 1, {}, packets)
        return images.ImagesResult([one], [])

    def measured(wanted: list[jobs.Job], **_: object) -> jobs.Results:
        return jobs.Results({job: made_up(job) for job in wanted}, len(wanted))

    def made_up(job: jobs.Job) -> object:
        if job.preset in ("nic11-l2", "mac-example"):
            return jobs.Failed("it did not fit")
        what = (job.preset, job.mode, job.payload)
        if job.kind == "round_trip":
            return measure.RoundTrip(*what, 28, 900, 1000.0, 1100, 8.0)
        if job.kind == "throughput":
            return measure.Throughput(*what, job.window, 100.0, 500, 2000, 50, {"rx_drop_overflow": 50})
        return measure.Burst(*what, 77, True, False, "rx_drop_overflow")

    def traced(axes: list[sweep.Axis], **options: Any) -> sweep.SweepResult:
        rows = []
        for point in sweep.points(axes, None, options["benchmark"], options["load"]):
            name = point.preset.name
            records = [Record("sweep", name, "stage_ns", 5.0, "normal:processor", n, "ns") for n in point.load.payloads]
            rows.append(sweep.Row(point, error="no taps") if name == "nic12-l2" else sweep.Row(point, records))
        return sweep.SweepResult(options["benchmark"], axes, rows)

    monkeypatch.setattr(jobs, "run", measured)
    monkeypatch.setattr(sweep, "run", traced)
    monkeypatch.setattr(images, "run", transferred)
    for bench, found in ((toe, engine), (sockets, sockets.SocketsResult([]))):
        monkeypatch.setattr(bench, "run", lambda chosen, **_: None)
        monkeypatch.setattr(bench, "kept", lambda seed, found=found: found)
        monkeypatch.setattr(bench, "todo", lambda seed: [])
    monkeypatch.setattr(jobs, "kept", lambda wanted: jobs.Results({}, 0))
    monkeypatch.setattr(sweep, "kept", lambda axes, **_: sweep.SweepResult("stages", axes, []))
    monkeypatch.setattr(images, "kept", lambda modes=(), **_: transferred(modes))
    monkeypatch.setattr(add, "add_areas", lambda *_: None)
    monkeypatch.setattr(thesis.study, "measure_sleeps", lambda requested: {delay: 1e-4 for delay in requested})
    made = collect.measured(["nic", "tcp"], seed=4)
    made.kept.clear()
    assert made.present() == [name for name in facts.PRESETS if name != "nic11-l2"]
    assert made.absent() == {"nic11-l2": "it did not fit"}
    for preset in made.present():
        assert made.ours(preset, "throughput_mbps") == [(n, 100.0) for n in facts.PAYLOADS]
        assert facts.drops(made)[preset, "rx_drop_overflow"] == {n: 0.025 for n in facts.PAYLOADS}
    assert set(made.stages[64]) == set(made.present()) - {"nic12-l2"}
    assert "no taps" in made.about["not traced"] and made.about["seed"] == "4"
    words = _text(page(made))
    for number in thesis.published():
        assert f"Table {number}." in words
    assert "77 frames longest burst without a loss at payload 64" in words
    assert "1 packets, 2 sent" in words and images.PICTURE in words
    assert '<path class="repaired"' in page(made)
    assert "TCP in hardware" in words and "tcp-send-1" in words and "941.2" in words


def test_all_records_are_in_the_page_once(found: Facts) -> None:
    data = json.loads(_Reader(page(found)).data)
    assert data["columns"][-1] == "commit" and {row[-1] for row in data["records"]} == {None}
    columns = data["columns"][:-1]
    assert [Record(**dict(zip(columns, row[:-1], strict=True))) for row in data["records"]] == found.records


# --- What it does not do ---


def test_nothing_in_the_page_points_outside_of_it(found: Facts) -> None:
    reader = _Reader(page(found))
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base"), tag
        assert not {"src", "action", "style", "onclick", "onload", "onerror"} & set(attributes), (tag, attributes)
        assert (attributes.get("href") or "#").startswith("#"), attributes
    policy = next(a["content"] for tag, a in reader.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy


def test_text_of_records_cannot_become_markup(found: Facts) -> None:
    base = page(found)
    found.records.append(
        Record(HOSTILE, HOSTILE, "rtt_us", 1.0, HOSTILE, 64, HOSTILE, None, 2.0, f"{HOSTILE} Table 6.4")
    )
    found.missing["nic12-dram"] = found.about[HOSTILE] = found.about["commit"] = HOSTILE
    found.tables = [Shown(HOSTILE, [HOSTILE], [[HOSTILE]], [HOSTILE])]
    found.notes = [HOSTILE]
    html = page(found)
    names = [tag for tag, _ in _Reader(html).tags]
    assert names.count("script") == [tag for tag, _ in _Reader(base).tags].count("script")
    assert "img" not in names
    assert _text(html).count(HOSTILE) >= 8, "it is shown as what it is"


# --- The command ---


def test_the_command_makes_a_page_of_a_file_of_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.json").write_text(to_json(_records()), encoding="utf-8")
    assert call(["report", "--from", "r.json", "--out", "there/page.html"]) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(r"there/page\.html, \d+ kB: open it in a browser\n", out)
    assert "nic11-dram is missing: " in err
    html = Path("there/page.html").read_text(encoding="utf-8")
    assert "Table 6.6" in html and "r.json" in html
    assert len(html) < 500_000


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "cannot read the records r.json"),
        ("[1, 2]", "r.json is not a list of records"),
        ('[{"suite": "x"}]', "r.json is not a list of records"),
        ("not JSON", "r.json is not a list of records"),
        ("[]", "there is no record in r.json"),
    ],
)
def test_a_file_that_is_not_records_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: str | None,
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("r.json").write_text(content, encoding="utf-8")
    assert call(["report", "--from", "r.json"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"nsoc: {complaint}") and err.count("\n") == 1
    assert not Path("report.html").exists()


# --- In a browser ---


def _write(found: Facts, folder: Path) -> Path:
    file = folder / "report.html"
    file.write_text(page(found), encoding="utf-8")
    return file


@browser
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_browser_draws_every_plot_without_network_trouble_or_sideways_scrolling(
    found: Facts, tmp_path: Path, width: int
) -> None:
    file, seen = _write(found, tmp_path), {}

    async def look(tab: Tab) -> None:
        for chart in ("rtt", "throughput", "stages", "modes", "area"):
            seen[chart] = await tab.js(f"document.querySelectorAll('#chart-{chart} .mark').length")
        await tab.js("document.querySelector('button.open').click()")
        seen["wide"] = await tab.js("document.documentElement.scrollWidth")
        seen["tables"] = await tab.js("[...document.querySelectorAll('table')].filter(t => t.offsetHeight > 0).length")
        seen["cut"] = await tab.js(
            "[...document.querySelectorAll('.chart svg text')].filter(t => { const b = t.getBoundingClientRect();"
            "return b.width && (b.right > innerWidth || b.left < 0); }).map(t => t.textContent)"
        )
        seen["small"] = await tab.js(
            "Math.min(...[...document.querySelectorAll('.chart svg text')].map(t => t.getBoundingClientRect().height))"
        )

    tab = with_page(file, tmp_path, look, width)
    assert tab.requests == [file.resolve().as_uri()], "the page asks for nothing but itself"
    assert tab.trouble == []
    # Points and labels: 3 + 2 presets' curves of 3 points, 2 bars for each of 4 resources, 3 parts.
    assert seen["rtt"] == 5 * (3 + 1) and seen["throughput"] == 4 * (3 + 1)
    assert seen["stages"] == 3 and seen["modes"] == (3 + 1) + 5 * (1 + 1) and seen["area"] == 8
    assert seen["wide"] == width
    assert seen["tables"] == len(published.tables("nic")) + 2
    assert seen["cut"] == []
    assert seen["small"] >= 11, "text of the plots stays readable"


@browser
def test_labels_beside_the_curves_do_not_overlap(found: Facts, tmp_path: Path) -> None:
    file, overlaps = _write(found, tmp_path), []

    async def look(tab: Tab) -> None:
        overlaps.extend(
            await tab.js(
                """[...document.querySelectorAll('#chart-rtt svg, #chart-throughput svg')].flatMap(svg => {
                  const all = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
                  return all.flatMap(([a, p], i) => all.slice(i + 1).filter(([b, q]) =>
                    p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 4 && q.top < p.bottom - 4)
                    .map(([b]) => a + ' / ' + b)); })"""
            )
        )

    with_page(file, tmp_path, look, PHONE)
    assert overlaps == []


@browser
def test_pointing_at_a_plot_tells_the_figures(found: Facts, tmp_path: Path) -> None:
    file, told = _write(found, tmp_path), []

    async def look(tab: Tab) -> None:
        await tab.js("document.getElementById('rtt').scrollIntoView()")
        x, y = await tab.js(
            "(() => { const b = document.querySelector('#chart-rtt svg .mark').getBoundingClientRect();"
            "return [b.left + 2, b.top + 2]; })()"
        )
        await tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        told.append(await tab.js("document.querySelector('#tip.on')?.innerText"))

    with_page(file, tmp_path, look, DESK)
    assert "payload 64 bytes" in told[0] and "8.13 us" in told[0] and "73.2 us" in told[0]


@browser
def test_hostile_text_stays_text_in_a_browser(found: Facts, tmp_path: Path) -> None:
    found.records += [Record(HOSTILE, HOSTILE, HOSTILE, 1.0, HOSTILE, 64, HOSTILE, None, 2.0, HOSTILE)]
    found.stages[64][HOSTILE] = [(HOSTILE, 1.0)] * 3
    found.tables = [Shown(HOSTILE, [HOSTILE], [[HOSTILE]], [HOSTILE])]
    file, seen = _write(found, tmp_path), []

    async def look(tab: Tab) -> None:
        seen.append(await tab.js("document.title"))
        seen.append(await tab.js("document.querySelectorAll('img').length"))

    tab = with_page(file, tmp_path, look)
    assert seen == ["N-SoC, measured", 0]
    assert tab.trouble == [] and tab.requests == [file.resolve().as_uri()]


@browser
def test_the_policy_stops_what_would_leave_the_page(found: Facts, tmp_path: Path) -> None:
    """That the tests above can fail: a page that asks for something is seen to, and does not get it."""
    file = _write(found, tmp_path)
    html = file.read_text(encoding="utf-8").replace("<main>", '<main><img src="http://example.invalid/x.png">')
    file.write_text(html, encoding="utf-8")

    async def look(tab: Tab) -> None:
        await tab.js("new Promise(resolve => setTimeout(resolve, 50))")

    tab = with_page(file, tmp_path, look)
    assert any("Content Security Policy" in trouble for trouble in tab.trouble)
    assert tab.requests[1:] == ["http://example.invalid/x.png"] and tab.blocked == ["csp"]


@browser
def test_the_figures_can_be_saved_as_csv(found: Facts, tmp_path: Path) -> None:
    found.records.append(Record('with "quotes", commas', None, "m", 1.5))
    file, folder = _write(found, tmp_path), tmp_path / "saved"

    async def look(tab: Tab) -> None:
        await tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)
        await tab.js("document.getElementById('csv').click()")
        await tab.until(lambda: list(folder.glob("*.csv")))

    tab = with_page(file, tmp_path, look)
    assert [url for url in tab.requests if not url.startswith(("file:", "blob:"))] == []
    rows = list(csv.DictReader((folder / "nsoc-report.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["preset"], row["metric"], float(row["value"]), row["mode"]) for row in rows] == [
        (r.preset or "", r.metric, r.value, r.mode or "") for r in found.records
    ]
    assert rows[-1]["suite"] == 'with "quotes", commas'


@browser
def test_on_paper_everything_is_open_and_light(found: Facts, tmp_path: Path) -> None:
    file, seen = _write(found, tmp_path), []

    async def look(tab: Tab) -> None:
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        await tab.call("Emulation.setEmulatedMedia", features=dark)
        seen.append(await tab.js("getComputedStyle(document.body).backgroundColor"))
        await tab.js("dispatchEvent(new Event('beforeprint'))")
        await tab.call("Emulation.setEmulatedMedia", media="print", features=dark)
        seen.append(await tab.js("getComputedStyle(document.body).backgroundColor"))
        seen.append(await tab.js("[...document.querySelectorAll('details')].every(d => d.open)"))

    with_page(file, tmp_path, look)
    assert seen[0] == "rgb(20, 22, 26)"
    assert seen[1:] == ["rgb(255, 255, 255)", True]
