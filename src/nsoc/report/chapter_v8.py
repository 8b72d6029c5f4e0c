# SPDX-License-Identifier: Apache-2.0
"""The chapter on the SoC with a SPARC V8 core: throughput and round trip over payload, beside the twin with RISC-V."""

from nsoc.bench import thesis
from nsoc.bench.thesis import RTT, THROUGHPUT, V8
from nsoc.report.book import Book, Reader, key
from nsoc.report.facts import MEMORIES, MODES, NORMAL, PAYLOADS, SHAPES, SHORT, Facts
from nsoc.report.parts import COLOURS, PUBLISHED, Chapter, Chart, Section, lines_chart, series, theirs

NAME = "v8"
BEST = "nic12-fast"
TABLES = {"nic11": "2.2", "nic12": "6.6"}
"""The published throughputs, by NIC."""
MODE_TABLE = "6.1"
WHOSE = {V8: "SPARC V8", "": "RISC-V"}


def chapter(facts: Facts, book: Book) -> Chapter:
    """The chapter, of the measured figures."""
    made = Chapter(
        NAME,
        "SPARC V8 core",
        "The network-centric SoC with the instruction set of its publication in the processor slot. The published "
        "processor is AJIT, with its compiler, its driver and a memory management unit; ours has its own of all three "
        "(docs/sparc.md).",
        publications=("thesis",),
    )
    made.sections = [_throughput(book), _modes(book)]
    return made


def _throughput(book: Book) -> Section:
    reader = Reader(book)
    panels = []
    for nic, number in TABLES.items():
        curves: list[Chart] = []
        for memory, colour in zip(MEMORIES, COLOURS, strict=False):
            preset = f"{V8}{nic}-{memory}"
            keys = [(n, key(thesis.SUITE, preset, NORMAL, THROUGHPUT, n)) for n in PAYLOADS]
            curves.append(series(SHORT[memory], colour, reader.curve(keys), SHAPES[memory]))
            table = thesis.published()[number]
            column = next((one for one in table.columns if one.preset == preset), None)
            if column is not None:
                points = [(float(n), round(table.converted(column, n), 2)) for n in table.payloads]
                curves.append(theirs(SHORT[memory], colour, points, SHAPES[memory]))
        panels.append((f"NIC_1.{nic[-1]}", curves))
    chart = lines_chart(
        "v8-throughput", "Throughput", panels, unit="Mb/s", x="payload, bytes", y="Mb/s of frames", scale="log", at=[
            *PAYLOADS
        ]
    )  # fmt: skip
    words = (
        "Frames back to back, echoed by the firmware forward, compiled for SPARC V8 by the compiler that also does "
        "RISC-V. Published are the same packet memories on the FPGA, with AJIT."
    )
    command = "nsoc bench thesis --table 7.2"
    return Section("v8-throughput", "Throughput over payload", words, command, chart, reader.origin, "thesis")


def _modes(book: Book) -> Section:
    reader = Reader(book)
    table = thesis.published()[MODE_TABLE]
    panels = []
    for prefix, whose in WHOSE.items():
        curves: list[Chart] = []
        for mode, colour in zip(MODES, COLOURS, strict=False):
            keys = [(n, key(thesis.SUITE, f"{prefix}{BEST}", mode, RTT, n)) for n in table.payloads]
            curves.append(series(mode.replace("_", " "), colour, reader.curve(keys)))
        column = next(one for one in table.columns if (one.preset, one.mode) == (f"{prefix}{BEST}", NORMAL))
        points = [(float(n), us) for n, us in zip(table.payloads, column.values, strict=True)]
        panels.append((whose, [*curves, theirs("normal, published", PUBLISHED, points)]))
    chart = lines_chart(
        "v8-modes", "Round trip by mode", panels, unit="us", x="payload, bytes", y="us", scale="log",
        at=[*table.payloads],
    )  # fmt: skip
    words = (
        "Normal less NIC loopback is the processor's share of a round trip. Published: in simulation with a clock of "
        "10 ns and without a line; ours at 80 and 125 MHz over a line of 1 Gb/s."
    )
    command = "nsoc bench thesis --table 6.1"
    return Section("v8-modes", "Round trip by mode", words, command, chart, reader.origin, "thesis")
