# SPDX-License-Identifier: Apache-2.0
"""docs/benchmarks.md: its commands print what it shows, its sentences have the figures of the benches.

The tables of measured figures are made from docs/data.
"""

import csv
import re
from pathlib import Path

import pytest
from docs_pages import ROOT, Block, check_words, example, run, says, table

from nsoc.bench import bursts, live, measure, peers, points, toe_measure
from nsoc.bench import sockets_measure as sockets
from nsoc.bench import sockets_rates as rates
from nsoc.network.ethernet import line_limit
from nsoc.systems import SYSTEMS

PAGE = "docs/benchmarks.md"
WIDE = {"COLUMNS": "120"}
OF_THE_CLOCK = [r"[\d.]+ million a second", r"^wall time +[\d.]+ s"]


def shows(block: Block, printed: str) -> None:
    check_words(block, printed, OF_THE_CLOCK)


def test_the_demo_ends_as_shown(tmp_path: Path) -> None:
    shows(example(PAGE, "The demo"), run("nsoc demo", tmp_path, variables=WIDE))


@pytest.mark.slow
def test_a_published_table_is_printed_as_shown(tmp_path: Path) -> None:
    (command,) = example(PAGE, "The published tables: `nsoc bench thesis`", 1).commands
    printed = run(command, tmp_path, variables=WIDE)
    shows(example(PAGE, "The published tables: `nsoc bench thesis`", 2), printed)


@pytest.mark.slow
def test_a_report_is_written_without_measuring(tmp_path: Path) -> None:
    """The last of the page's commands but for the browser; the others measure, and differ in options that there are."""
    *measuring, kept = example(PAGE, "All of it on one page: `nsoc report`").commands
    assert kept == "nsoc report --kept --open"
    options = run("nsoc report --help")
    assert all(word in options for command in measuring for word in command.split() if word.startswith("--"))
    assert "report.html" in run(kept.removesuffix(" --open"), tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(system.title in page for system in SYSTEMS)


@pytest.mark.long
def test_image_transfers_and_bursts_are_printed_as_shown(tmp_path: Path) -> None:
    says(PAGE, "`nsoc bench images` prints")
    shows(example(PAGE, "Image transfers"), run("nsoc bench images", tmp_path, variables=WIDE))


@pytest.mark.long  # two simulators of their own
def test_the_sweep_of_fifos_shows_what_they_bear(tmp_path: Path) -> None:
    command = example(PAGE, "What if: `nsoc sweep`", 1).commands[0]
    shows(example(PAGE, "What if: `nsoc sweep`", 2), run(command, tmp_path, variables=WIDE))
    with (tmp_path / "out/fifo.csv").open() as file:
        assert len(list(csv.DictReader(file))) >= 9
    assert (tmp_path / "out/fifo.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
def test_the_sweep_of_presets_writes_its_table_and_plot(tmp_path: Path) -> None:
    command = example(PAGE, "What if: `nsoc sweep`", 1).commands[1]
    printed = run(command, tmp_path, variables=WIDE)
    assert len(re.findall(r"nic1[12]-fast .* (?:64|1024) ", printed)) == 4
    assert (tmp_path / "out/rtt.parquet").read_bytes()[:4] == b"PAR1"
    assert "<html" in (tmp_path / "out/rtt.html").read_text(encoding="utf-8").lower()


def test_a_plot_that_is_shown_is_not_flat() -> None:
    """Of the first sweep: each FIFO bears something else where the processor is slow."""
    rows = re.findall(r"│ +([\d,]+) │ +(\d+) │ normal │ +64 │ +(\d+) │", example(PAGE, "What if: `nsoc sweep`", 2).text)
    assert len(rows) == 9 and len({frames for _, _, frames in rows}) == 7


def test_what_sweep_takes_is_what_page_and_help_name() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    said = re.search(r"`--bench` is (.*?) of `nsoc bench`", text, re.DOTALL)
    assert said is not None and set(re.findall(r"`([\w-]+)`", said[1])) == set(points.BENCHMARKS)
    asked = re.search(r"What to measure: ([\w\s,-]+)\.", run("nsoc sweep --help", variables={"COLUMNS": "250"}))
    assert asked is not None and re.split(r",\s+", asked[1]) == [
        name
        for group in (("burst", "round-trip", "throughput", "stages"), ("modes", "nic", "cpu", "mac-example", "pnic"))
        for name in group
    ]
    assert {*re.split(r",\s+", asked[1])} == set(points.BENCHMARKS)


def test_its_figures_are_those_of_the_benches() -> None:
    whole = peers.WHOLE
    frame, overhead = 1500, 24
    short, long = live.PAYLOADS
    says(
        PAGE,
        f"the peer sends segments of {live.SEGMENT} bytes to the discard port",
        f"datagrams of {short} and {long} bytes to the echo port",
        f"A throughput is of {measure.FRAMES} frames.",
        f"one frame of {frame} bytes each {(frame + overhead) * 8 / 1000:.3f} us",
        f"({measure.MOST} frames is the longest one tried)",
        f"in simulated time, over {live.MEASURED / 1e6:g} MB, after {live.WARM_UP / 1e6:g} MB of warm-up",
        f"The line allows {live.LIMIT_MBPS:.1f} Mb/s",
        f"{whole.pings} pings {peers.EVERY_S * 1000:g} ms apart, {whole.pages} pages of 1 MB by `curl`, "
        f"{whole.seconds} s of iperf each",
        f"over {toe_measure.MEASURED_US / 1000:g} ms behind {toe_measure.WARM_UP_US / 1000:g} ms of warm-up",
        f"a full one carries {toe_measure.SEGMENT} bytes",
        f"segments of {toe_measure.MIN_PAYLOAD} bytes without timestamps over {toe_measure.MIN_CONNECTIONS} "
        "connections, frames of 64 bytes",
        f"Each connection gets {toe_measure.MIN_SEGMENTS} segments, "
        f"{toe_measure.MIN_SEGMENTS * toe_measure.MIN_PAYLOAD} bytes",
        f"both ends wait {toe_measure.LEAST_RTO_US // 1000} ms at least for an acknowledgement, and at most "
        f"{toe_measure.DELAYED_ACK_US / 1000:g} ms with one",
        f"mean of {sockets.ECHOES} echoes at as many phases of the clocks, behind {sockets.WARM} that fill the caches",
        f"that `http_server` gives to {rates.CLIENTS} clients that stay connected. "
        f"{rates.MEASURED_US / 1000:g} ms behind {rates.WARM_UP_US / 1000:g} ms of warm-up",
        f"sent from {rates.SENT_BYTES >> 20} MB in DRAM",
    )
    assert line_limit(1486) == pytest.approx(1500 * 8 / 12.192, rel=1e-6)
    assert f"with {bursts.BUFFERS} buffers" in example(PAGE, "Image transfers").text
    modes = [re.findall(r"`([\w-]+)`", row[0]) for row in table(PAGE, "The SoC as a host: `nsoc bench live`")]
    assert [name for names in modes for name in names] == list(live.MODES)
