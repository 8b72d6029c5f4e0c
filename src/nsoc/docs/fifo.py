# SPDX-License-Identifier: Apache-2.0
"""`python -m nsoc.docs.fifo`: how much MAC FIFO the CPU clock asks for; `make fifo` runs it.

A sweep of rx_fifo_bytes and cpu_mhz gives docs/data/fifo.csv, that the figure docs/fifo.svg, and both the sentences of
docs/fifo.md between `<!-- generated: fifo -->` and `<!-- end -->`. With --text nothing is measured.
"""

import argparse
import csv
import re
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nsoc import needs
from nsoc.bench import measure, sweep, sweep_output
from nsoc.bench.points import Load
from nsoc.errors import NsocError
from nsoc.machine.build import checkout
from nsoc.network.ethernet import HEADER_BYTES, LINE_MBPS, SLOT_BYTES
from nsoc.progress import progress_bar

PRESET = "nic12-fast"
PAYLOAD = 64
FIFOS = (2048, 4096, 8192, 16384, 32768, 65536)
CLOCKS = (20, 30, 40, 50, 60, 80, 120, 200)
PUBLISHED_STEP, PUBLISHED_CLOCK = (4096, 16384), 80
WANTED = 1000
"""Frames of the burst for which the text says what it needs."""
KIB = 1024
COLUMNS = 120
"""Of the page's source."""
DATA, FIGURE, PAGE = Path("docs/data/fifo.csv"), Path("docs/fifo.svg"), Path("docs/fifo.md")
COMMAND = "make fifo"
WHO = "python -m nsoc.docs.fifo"

Bursts = Mapping[tuple[int, int], int]
"""By (FIFO bytes, CPU MHz): frames of the longest burst without a loss, at most measure.MOST."""


def load() -> Bursts:
    """docs/data/fifo.csv."""
    path = checkout() / DATA
    if not path.exists():
        raise NsocError(f"{DATA} is missing: run `{COMMAND}`")
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    return {
        (int(row["rx_fifo_bytes"]), round(float(row["cpu_mhz"]))): round(float(row["value"]))
        for row in rows
        if row["metric"] == "loss_free_burst"
    }


def run(jobs: int) -> None:
    """Measures what is not in the cache and writes the data. Raises NsocError when a point failed."""
    axes = [sweep.Axis("rx_fifo_bytes", FIFOS), sweep.Axis("cpu_mhz", CLOCKS)]
    with progress_bar("measuring", "points") as progress:
        result = sweep.run(
            axes, preset=PRESET, benchmark="burst", load=Load((PAYLOAD,)), jobs=jobs, progress=progress,
            say=lambda text: print(text, file=sys.stderr),
        )  # fmt: skip
    if result.failure:
        raise NsocError(result.failure)
    sweep_output.write_table(result, checkout() / DATA)


def keeps_up(bursts: Bursts) -> int | None:
    """The least CPU clock of those measured from which on no FIFO overflows."""
    good = [clock for clock in CLOCKS if all(bursts[fifo, clock] >= measure.MOST for fifo in FIFOS)]
    return min(good, default=None)


def words(bursts: Bursts) -> str:
    """What the figure says, every number from the data."""
    enough = keeps_up(bursts)
    slot_us = 8 * (PAYLOAD + HEADER_BYTES + SLOT_BYTES) / LINE_MBPS
    tries = f"of {measure.MOST} frames back to back none was lost"
    if enough is None:
        first = f"At none of these clocks up to {max(CLOCKS)} MHz the processor keeps up with the line."
        slower: tuple[int, ...] = CLOCKS
    else:
        slower = tuple(clock for clock in CLOCKS if clock < enough)
        below = f" (at {max(slower)} MHz not yet)" if slower else ""
        first = (
            f"From {enough} MHz on{below} the processor forwards a frame of {PAYLOAD} bytes of payload faster than the "
            f"line brings the next, {slot_us:.3f} us later: {tries}, and {min(FIFOS) // KIB} KB of FIFO do as well as "
            f"{max(FIFOS) // KIB} KB."
        )
    if not slower:
        return first
    gains = ", ".join(f"{gain:.0f} at {clock} MHz" for clock in slower if (gain := per_kb(bursts, clock)) is not None)
    needs = ", ".join(f"{_needed(bursts, clock)} at {clock} MHz" for clock in slower)
    second = (
        "Below that a FIFO makes nothing faster, it puts off the first loss"
        + (f"; frames more in a burst for a KB more: {gains}" if gains else "")
        + f". For a burst of {WANTED} frames one needs {needs}. The 64 packet buffers behind the FIFO help in all this."
    )
    small, large = (bursts[fifo, PUBLISHED_CLOCK] for fifo in PUBLISHED_STEP)
    step = (
        f"At {PUBLISHED_CLOCK} MHz, as published, the step from {' to '.join(f'{n // KIB}' for n in PUBLISHED_STEP)} KB"
    )
    if small >= measure.MOST:
        third = f"{step} changes nothing here: with neither a frame of {measure.MOST} is lost."
    else:
        third = f"{step} takes the longest burst from {small} to {_frames(large)} frames."
    return "\n\n".join((first, second, third))


def per_kb(bursts: Bursts, clock: int) -> float | None:
    """Frames more in a burst for each KB of FIFO; None where fewer than two FIFOs overflow at all."""
    sizes = [fifo for fifo in FIFOS if bursts[fifo, clock] < measure.MOST]
    if len(sizes) < 2:
        return None
    return (bursts[sizes[-1], clock] - bursts[sizes[0], clock]) * KIB / (sizes[-1] - sizes[0])


def _needed(bursts: Bursts, clock: int) -> str:
    enough = [fifo for fifo in FIFOS if bursts[fifo, clock] >= WANTED]
    return f"{min(enough) // KIB} KB" if enough else f"more than {max(FIFOS) // KIB} KB"


def table(bursts: Bursts) -> str:
    """Frames of the longest burst, as Markdown."""
    head = "| FIFO | " + " | ".join(f"{clock} MHz" for clock in CLOCKS) + " |"
    rule = "| --- |" + " ---: |" * len(CLOCKS)
    rows = [
        f"| {fifo // KIB} KB | " + " | ".join(_frames(bursts[fifo, clock]) for clock in CLOCKS) + " |" for fifo in FIFOS
    ]
    return "\n".join([head, rule, *rows])


def _frames(burst: int) -> str:
    return f"{measure.MOST}+" if burst >= measure.MOST else f"{burst}"


def figure(bursts: Bursts) -> Any:
    """An Altair chart: a line for each FIFO."""
    alt = needs.package("altair", WHO)
    rows = [
        {"MHz": clock, "KB": fifo // KIB, "frames": bursts[fifo, clock], "label": f"{fifo // KIB} KB"}
        for fifo in FIFOS
        for clock in CLOCKS
    ]
    x = alt.X("MHz:Q", title="CPU clock, MHz", axis=alt.Axis(values=list(CLOCKS), grid=False),
              scale=alt.Scale(type="log", nice=False, domain=[CLOCKS[0], CLOCKS[-1]]))  # fmt: skip
    y = alt.Y("frames:Q", title="longest burst without a loss, frames", scale=alt.Scale(type="log", nice=False),
              axis=alt.Axis(values=[100, 200, 500, 1000, 2000, measure.MOST], format=",", orient="right"))  # fmt: skip
    colour = alt.Color("KB:O", scale=alt.Scale(scheme=alt.SchemeParams(name="viridis", extent=[0.9, 0])), legend=None)
    lines = alt.Chart(alt.Data(values=rows)).mark_line(point=alt.OverlayMarkDef(size=45)).encode(x=x, y=y, color=colour)
    at = CLOCKS[0]
    labels = (
        alt.Chart(alt.Data(values=[row for row in rows if row["MHz"] == at]))
        .mark_text(align="right", dx=-9, fontSize=12)
        .encode(x=x, y=y, text="label:N", color=colour)
    )
    title = alt.TitleParams(
        f"MAC FIFO, CPU clock and the burst that survives ({PAYLOAD}-byte payloads at line rate)",
        subtitle=f"{PRESET}; the top is {measure.MOST:,} frames, the longest burst that was tried", anchor="start",
    )  # fmt: skip
    return (
        (lines + labels).properties(width=600, height=380, title=title, background="white").configure_view(stroke=None)
    )


def fill(page: str, bursts: Bursts) -> str:
    """The page with its generated part written anew."""
    paragraphs = [textwrap.fill(part, COLUMNS, break_on_hyphens=False) for part in words(bursts).split("\n\n")]
    text = "\n\n".join([*paragraphs, table(bursts)])
    filled, count = re.subn(
        r"(<!-- generated: fifo -->\n).*?(\n<!-- end -->)",
        lambda match: match[1] + text + match[2],
        page,
        flags=re.DOTALL,
    )
    if count != 1:
        raise NsocError(f"{PAGE} has no place for what is generated")
    return filled


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 when data, figure and page are up to date."""
    parser = argparse.ArgumentParser(prog="python -m nsoc.docs.fifo", description=__doc__.partition("\n")[0])
    parser.add_argument("--text", action="store_true", help="measure nothing, write figure and page from the data kept")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes, default 2")
    options = parser.parse_args(arguments)
    try:
        for module in ("altair", "vl_convert", "pyarrow"):
            needs.package(module, WHO)
        if not options.text:
            run(options.jobs)
        bursts = load()
        figure(bursts).save(str(checkout() / FIGURE))
        page = checkout() / PAGE
        page.write_text(fill(page.read_text(encoding="utf-8"), bursts), encoding="utf-8")
    except NsocError as problem:
        print(f"nsoc.docs.fifo: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
