# SPDX-License-Identifier: Apache-2.0
"""The chapter on the programmable NIC: the published figures 3, 7 and 8 as plots, where cycles go, size."""

from nsoc.bench import pnic_published as bench
from nsoc.pnic import coherence, nic
from nsoc.published import at
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

NAME = "pnic"
WORDS = {"lock": "lock, 200 MHz", "set-update": "set/update, 166 MHz"}
FIGURES = "nsoc bench pnic --only figures"
BLOCKS = (
    "pnic_core", "pnic_crossbar", "pnic_frame_memory", "pnic_dma_read", "pnic_dma_write", "pnic_mac_send",
    "pnic_mac_receive",
)  # fmt: skip


def chapter(facts: Facts, book: Book) -> Chapter:
    """Of what was measured."""
    made = Chapter(
        NAME,
        "Programmable NIC",
        "Six small cores around a banked scratchpad move frames between a host and a line of 10 Gb/s, both ways at "
        "once; a cycle-level simulation there, RTL here.",
        publications=("pnic",),
    )
    made.sections = [_figure_3(book), _figure_7(book), _figure_8(book), _cycles(book), _area(book)]
    made.notes = ["What the published tables leave open or contradict:", *at("pnic.toml:doubts.texts")]
    return made


def _figure_3(book: Book) -> Section:
    reader = Reader(book)
    most = round(100 * at("pnic.toml:coherence.most_hits"), 1)
    panels = []
    for kind, preset in bench.VARIANTS.items():
        curves = []
        for what, colour, shape in zip((bench.DESCRIPTORS, bench.EVERYTHING), COLOURS, SHAPES, strict=False):
            keys = [
                (float(size), key("pnic", preset, f"published-{kind}/{what}/cache-{size}", "hits", bench.LARGEST))
                for size in coherence.SIZES
            ]
            curves.append(series(what, colour, reader.curve(keys, 100), shape))
        curves.append(theirs("at most, publ.", PUBLISHED, [(float(size), most) for size in coherence.SIZES]))
        panels.append((WORDS[kind], curves))
    chart = lines_chart(
        "pnic-hits", "Hits of coherent caches", panels, unit="%", x="bytes of each cache", y="hits, %", xscale="log",
        at="caches of", low=40,
    )  # fmt: skip
    words = (
        "Figure 3: of the accesses to the scratchpad, how many would hit in private caches that are kept coherent "
        "(8 caches, fully associative, lines of 16 bytes), computed from a trace. The publication filters the trace to "
        f"frame metadata, as our descriptors are, and says that hits never go above {most:.0f} %: its points are not "
        "printed. Neither its firmware nor its formats are published, so heights depend on ours; that size stops to "
        "matter early is common to both."
    )
    return Section("pnic-hits", "Figure 3: would caches do?", words, FIGURES, chart, reader.origin, NAME)


def _figure_7(book: Book) -> Section:
    reader = Reader(book)
    printed = at("pnic.toml:figure_7")
    panels = []
    for kind, preset in bench.VARIANTS.items():
        curves = []
        for (cores, clocks), colour, shape in zip(bench.FIGURE_7.items(), COLOURS, SHAPES, strict=False):
            keys = [
                (float(mhz), key("pnic", f"{preset}-{cores}x{mhz}", f"published-{kind}", "line_share", bench.LARGEST))
                for mhz in clocks
            ]
            name = "1 core" if cores == 1 else f"{cores} cores"
            curves.append(series(name, colour, reader.curve(keys, 100), shape))
            known = [(float(mhz), 100 * printed[f"{cores}x{mhz}"]) for mhz in clocks if f"{cores}x{mhz}" in printed]
            if kind == "lock":
                curves.append({**theirs("", colour, known, shape), "name": f"{name}, published"})
        panels.append((kind.replace("-", "/"), curves))
    chart = lines_chart(
        "pnic-cores", "Share of the line by cores and clock", panels, unit="%", x="MHz of the cores",
        y="of the line, %", xscale="log", at="at", xunit="MHz", low=70,
    )  # fmt: skip
    words = (
        f"Figure 7: frames of {bench.LARGEST} bytes both ways at once. Of the published curves the text prints four "
        "points, hollow here: 6 and 8 cores at 175 and 200 MHz. It does not say of which firmware they are; they stand "
        "beside the lock's, because only so they agree with 99 % at 166 MHz by set and update."
    )
    return Section("pnic-cores", "Figure 7: cores and clock", words, FIGURES, chart, reader.origin, NAME)


def _figure_8(book: Book) -> Section:
    reader = Reader(book)
    saturated = at("pnic.toml:saturated_frames_per_s")

    def gbps(datagram: int, rate: float) -> float:
        return round(rate * datagram * 8 / 1e9, 3)

    most = {n: 2 * nic.line_frames_per_s(n + bench.HEADERS) for n in bench.FIGURE_8}
    curves: list[Chart] = []
    for (kind, preset), colour, shape in zip(bench.VARIANTS.items(), COLOURS, SHAPES, strict=False):
        mode = f"published-{kind}"
        keys = [(float(n), key("pnic", preset, mode, "frames_per_s", n + bench.HEADERS)) for n in bench.FIGURE_8]
        ours = reader.curve(keys)
        for points in (ours.points, ours.behind):
            points[:] = [(n, gbps(int(n), rate)) for n, rate in points]
        curves.append(series(kind.replace("-", "/"), colour, ours, shape))
    known = [(float(n), gbps(n, saturated)) for n in bench.FIGURE_8 if most[n] > saturated and n <= 800]
    curves.append(theirs("both, publ.", PUBLISHED, known))
    limit = [(n, gbps(n, rate)) for n, rate in most.items()]
    chart = lines_chart(
        "pnic-datagrams", "Payload by size of the datagrams", [("6 cores", curves)], unit="Gb/s",
        x="UDP payload, bytes", y="payload both ways, Gb/s", limit=limit, limitName="the line", at="datagrams of",
        xscale="linear",
    )  # fmt: skip
    words = (
        "Figure 8: UDP payload of both directions together. The publication prints one number of its curves: both "
        f"kinds of order saturate at about {saturated / 1e6:.1f} million frames a second below 800 bytes; the dashed "
        "curve is that rate. With small frames our lock is ahead of set and update, as its cores run at 200 MHz and "
        "those of the other at 166."
    )
    return Section("pnic-datagrams", "Figure 8: size of frames", words, FIGURES, chart, reader.origin, NAME)


def _cycles(book: Book) -> Section:
    reader, printed = Reader(book), at("pnic.toml:cycle_share")
    preset = bench.VARIANTS["lock"]
    causes = {cause.replace("-", " "): key("pnic", preset, f"published-lock/{cause}", "cycle_share", bench.LARGEST)
              for cause in printed}  # fmt: skip
    ours = bar(reader, "ours", COLOURS[0], dict(causes), scale=100)
    known: Chart = {
        "preset": PUBLISHED, "label": "published",
        "segments": [(cause.replace("-", " "), round(100 * share, 1)) for cause, share in printed.items()],
    }  # fmt: skip
    rows = shaded([ours, known]) if ours else []
    chart = bars_chart("pnic-cycles", "Where the cycles go", [("6 cores at 200 MHz, lock", rows)], unit="%", most=100)
    words = (
        "Table 3 as a plot: of the cores' cycles with frames of 1518 bytes, what executes and what waits. A load "
        "stalls a cycle at least, since the scratchpad answers in two; rounds that find no work execute too."
    )
    return Section("pnic-cycles", "Where the time goes", words, "nsoc bench pnic --only tables", chart, reader.origin,
                   NAME)  # fmt: skip


def _area(book: Book) -> Section:
    reader = Reader(book)
    panels = [
        (words, [bar(reader, block, COLOURS[0], {words: key("area", None, block, metric)}) for block in BLOCKS])
        for metric, words in (("lut", "LUTs"), ("ff", "flip-flops"), ("bram", "block RAM"))
    ]
    chart = bars_chart("pnic-area", "Size by block", panels, unit="", narrow=True)
    words = (
        "On 7-series, each block by itself; a core stands six times in the NIC. The publication is a simulation and "
        "has no sizes. Blocks that are not shown were not synthesized on this tree: nsoc synth takes any of "
        + ", ".join(BLOCKS)
        + "."
    )
    return Section("pnic-area", "Size by block", words, f"nsoc synth {BLOCKS[0]} --target xc7", chart, reader.origin)
