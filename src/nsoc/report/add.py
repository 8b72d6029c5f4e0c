# SPDX-License-Identifier: Apache-2.0
"""Adds what a bench has found to the facts: its records, and the tables that no publication has."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from nsoc import systems
from nsoc.bench import images, measure, sockets, thesis, toe
from nsoc.bench.jobs import Job
from nsoc.errors import NsocError
from nsoc.hardware import synth
from nsoc.hardware.synth import Target
from nsoc.machine import presets
from nsoc.records import Record
from nsoc.report import facts
from nsoc.report.facts import Facts, Shown

SUITE = "report"
HEADING = "[bold]"
"""thesis.sections() begins a section with it."""


def add_images(found: Facts, result: images.ImagesResult) -> None:
    """Image transfers. What is published of them are Tables 6.7 and 6.8, which the chapter has."""
    if not result.runs:
        return
    found.records += images.records(result)
    found.packets = next((one.packets for one in result.runs if one.packets), [])
    for table in images.tables(result):
        title = _plain(str(table.title or "Image transfers"))
        if "published" not in title:
            head, rows = _cells(table)
            found.tables.append(Shown(title, head, rows, images.lines(result)))


def add_toe(found: Facts, result: toe.ToeResult) -> None:
    """The TCP/IP engine."""
    found.records += toe.records(result)
    for table in toe.tables(result):
        head, rows = _cells(table)
        found.tables.append(Shown("TCP in hardware", head, rows, toe.lines(result), "nsoc bench toe", "tcp"))


def add_sockets(found: Facts, result: sockets.SocketsResult) -> None:
    """The ways of a program through the SoC. What is published of their cycles are Tables III to VII."""
    found.records += sockets.records(result)
    titles = ["An echo by every way that a program has"] if result.tables else []
    titles += ["What programs on sockets reach"] if result.rates else []
    titles += ["How large direct cache access is"] if result.area else []
    for title, table in zip(titles, sockets.tables(result), strict=True):
        head, rows = _cells(table)
        found.tables.append(Shown(title, head, rows, sockets.lines(result), "nsoc bench sockets", "tcp"))


PNIC_METRICS = {
    "frames_per_s": "frames/s, both ways", "line_share": "share of the line", "core_mhz": "MHz of the cores, least",
    "order_cycles": "cycles to put a frame in order", "ipc": "instructions a cycle", "cycle_share": "share of cycles",
    "bandwidth_gbps": "Gb/s used", "instructions_per_frame": "instructions a frame",
    "accesses_per_frame": "accesses a frame", "cycles_per_frame": "cycles a frame",
}  # fmt: skip
"""Of the programmable NIC's records, what the page shows, and how it is called."""
PNIC_BESIDE = ("core_mhz", "line_share", "frames_per_s")
"""Of these what stands in no published table."""


def add_pnic(found: Facts, records: list[Record]) -> None:
    """The programmable NIC. Figures of the published tables are in these, so here are the others."""
    found.records += records
    shown = [record for record in records if record.metric in PNIC_METRICS]
    beside = [record for record in shown if record.published and record.metric in PNIC_BESIDE]
    own = [r for r in shown if not r.published and (r.metric == "order_cycles" or r.mode in _whole_modes(shown))]
    for title, of in (("Clock, rates and the line, as far as text says them", beside), ("Its own firmware", own)):
        if of:
            table = facts.table_of(title, of, PNIC_METRICS)
            table.lines = [f"Published: {source}." for source in table.lines]
            table.command, table.system = "nsoc bench pnic", "pnic"
            found.tables.append(table)


def _whole_modes(records: Iterable[Record]) -> set[str]:
    """Modes of `lean` that are of all functions together."""
    return {r.mode for r in records if r.mode and r.mode.startswith("lean") and "/" not in r.mode}


def job_records(job: Job, result: object) -> list[Record]:
    if isinstance(result, measure.RoundTrip):
        return [Record(SUITE, job.preset, "rtt_us", result.us, job.mode, job.payload, "us")]
    if not isinstance(result, measure.Throughput):
        return []
    rows: list[tuple[str, float, str, str]] = [
        ("throughput_mbps", result.mbps, job.mode, "Mb/s"),
        (facts.OFFERED, result.offered, job.mode, "frames"),
        *((facts.LOSS, count, f"{job.mode}:{cause}", "frames") for cause, count in result.drops.items()),
    ]
    return [Record(SUITE, job.preset, metric, value, mode, job.payload, unit) for metric, value, mode, unit in rows]


def sections(study: thesis.Study) -> tuple[list[Shown], list[str]]:
    """What `nsoc bench thesis` prints: its tables with the sentences below them, and the sentences below all."""
    tables: list[Shown] = []
    notes: list[str] = []
    inside = False
    for part in thesis.sections(study):
        if isinstance(part, Table):
            head, rows = _cells(part)
            tables[-1].head, tables[-1].rows = head, tables[-1].rows + rows
        elif isinstance(part, str) and part.startswith(HEADING):
            tables.append(Shown(_plain(part), [], []))
            inside = True
        elif isinstance(part, str) and part:
            (tables[-1].lines if inside else notes).append(_plain(part))
        else:
            inside = False
    return tables, notes


def _cells(table: Table) -> tuple[list[str], list[list[str]]]:
    columns = [[_plain(str(cell)) for cell in column.cells] for column in table.columns]
    return [_plain(str(column.header)) for column in table.columns], list(map(list, zip(*columns, strict=True)))


def _plain(markup: str) -> str:
    return Text.from_markup(markup).plain


def add_areas(found: Facts, system: str, blocks: Iterable[tuple[str, str]]) -> None:
    """Sizes on 7-series that are on disk, by suite and block; and of the presets of a system."""
    for suite, block in blocks:
        kept = synth.kept_module(block, Target.XC7)
        if kept is not None:
            found.records += _area(suite, None, block, kept.area)
    for preset in presets.all_presets():
        of = systems.of_preset(preset.name)
        if of is None or of.name != system or not preset.has_processor:
            continue
        try:
            whole = synth.kept_preset(preset, Target.XC7)
        except NsocError:  # its firmware cannot be built here
            continue
        if whole is not None:
            found.records += _area("synth", preset.name, "xc7", whole.area)


def _area(suite: str, preset: str | None, mode: str, area: synth.Area) -> list[Record]:
    units = synth.UNITS[Target.XC7]
    return [Record(suite, preset, metric, getattr(area, metric), mode, unit=unit) for metric, unit in units.items()]
