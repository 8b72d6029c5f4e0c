# SPDX-License-Identifier: Apache-2.0
"""Facts from measurements: what `nsoc bench thesis` measures, and what the plots need of every preset besides.

Results that are on disk are taken from there (nsoc.bench.jobs).
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from rich.table import Table
from rich.text import Text

from nsoc.bench import images, jobs, measure, pnic, pnic_published, sockets, sweep, thesis, toe
from nsoc.bench.jobs import Job
from nsoc.bench.points import Load
from nsoc.errors import NsocError
from nsoc.progress import Progress
from nsoc.records import Record
from nsoc.report import facts
from nsoc.report.facts import MODES, NORMAL, PRESETS, STAGE_PAYLOADS, Facts, Shown

SUITE = "report"
UNSIMULATED = (thesis.SLEEP_TABLE, thesis.AREA_TABLE)
IMAGES_QUICK = ("scheme3-small", "scheme4-small", images.PICTURE, "scheme4-faults")
"""Of the image transfers, what takes seconds."""
HEADING = "[bold]"
"""thesis.sections() begins a section with it."""


def measured(
    *,
    seed: int = 1,
    quick: bool = False,
    fresh: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> Facts:
    """Measures what is not on disk, `workers` at a time. What cannot be measured is missing, with the reason."""
    plan = thesis.plan(seed=seed, quick=quick)
    besides = _besides(plan)
    results = jobs.run([*plan.jobs(), *besides], fresh=fresh, workers=workers, progress=progress)
    unsimulated = replace(plan, tables=tuple(name for name in plan.tables if name in UNSIMULATED))
    study = replace(thesis.run(unsimulated), plan=plan, results=results)
    found = Facts([*thesis.records(study), *(record for job in besides for record in _records(job, results.get(job)))])
    found.missing = results.failures()
    found.tables, found.notes = _sections(study)
    _add_images(found, images.run(IMAGES_QUICK if quick else (), seed=seed, fresh=fresh, workers=workers))
    _add_toe(found, toe.kept(seed))
    _add_sockets(found, sockets.kept(seed))
    _add_pnic(found, pnic.kept(seed))
    traced = sweep.run(
        [sweep.Axis(sweep.PRESET, tuple(found.present()))],
        benchmark="stages",
        load=Load(STAGE_PAYLOADS),
        seed=seed,
        jobs=workers or len(os.sched_getaffinity(0)),
        fresh=fresh,
        say=say,
    )
    found.records += traced.records()
    found.about = {**facts.surroundings(seed), "measured": f"{results.measured} of {len(results.found)} figures now, "
                   "the others before, from the same sources"}  # fmt: skip
    if traced.failure:
        found.about["not traced"] = traced.failure
    if quick:
        found.about["quick"] = "fewer payloads, no windows and shorter bursts than usual"
    return complete(found)


def _add_images(found: Facts, result: images.ImagesResult) -> None:
    found.records += images.records(result)
    found.packets = next((one.packets for one in result.runs if one.packets), [])
    for table in images.tables(result):
        head, rows = _cells(table)
        found.tables.append(Shown(_plain(str(table.title or "Image transfers")), head, rows))
    found.tables[-1].lines = images.lines(result)


def _add_toe(found: Facts, result: toe.ToeResult) -> None:
    """Of the TCP/IP engine only what is on disk: all of it takes as long as everything else."""
    found.records += toe.records(result)
    for table in toe.tables(result):
        head, rows = _cells(table)
        found.tables.append(Shown("TCP in hardware", head, rows))
    if result.runs or result.edges:
        found.tables[-1].lines = toe.lines(result)


def _add_sockets(found: Facts, result: sockets.SocketsResult) -> None:
    """Of the ways of a program through the SoC what is on disk."""
    found.records += sockets.records(result)
    titles = ["An echo by every way that a program has"] if result.tables else []
    titles += ["What programs on sockets reach"] if result.rates else []
    titles += ["How large direct cache access is"] if result.area else []
    for title, table in zip(titles, sockets.tables(result), strict=True):
        head, rows = _cells(table)
        found.tables.append(Shown(title, head, rows))
    if titles:
        found.tables[-1].lines = sockets.lines(result)


PNIC_METRICS = {
    "frames_per_s": "frames/s, both ways", "line_share": "share of the line", "core_mhz": "MHz of the cores, least",
    "order_cycles": "cycles to put a frame in order", "ipc": "instructions a cycle", "cycle_share": "share of cycles",
    "bandwidth_gbps": "Gb/s used", "instructions_per_frame": "instructions a frame",
    "accesses_per_frame": "accesses a frame", "cycles_per_frame": "cycles a frame",
}  # fmt: skip
"""Of the programmable NIC's records, what the page shows, and how it is called."""


def _add_pnic(found: Facts, records: list[Record]) -> None:
    """Of the programmable NIC what is on disk: figures beside published ones, and those of its own firmware."""
    found.records += records
    shown = [record for record in records if record.metric in PNIC_METRICS]
    beside = [record for record in shown if record.published]
    if beside:
        table = facts.table_of("Programmable NIC, published and measured", beside, PNIC_METRICS)
        table.lines += pnic_published.doubts()
        found.tables.append(table)
    own = [r for r in shown if not r.published and (r.metric == "order_cycles" or r.mode in _whole_modes(shown))]
    if own:
        found.tables.append(facts.table_of("Programmable NIC, its own firmware", own, PNIC_METRICS))


def _whole_modes(records: Iterable[Record]) -> set[str]:
    """Modes of `lean` that are of all functions together."""
    return {r.mode for r in records if r.mode and r.mode.startswith("lean") and "/" not in r.mode}


def from_records(path: Path) -> Facts:
    """The facts in a file of records, as `nsoc bench thesis --json` writes it."""
    found = Facts(facts.read(path))
    if not found.records:
        raise NsocError(f"there is no record in {path}")
    words = f"from the file {path.name}; what follows is where this page was made"
    found.about = {"records": words, **facts.surroundings()}
    found.tables = facts.tables_of(found.records)
    return complete(found)


def complete(found: Facts) -> Facts:
    """With what does not come from records: stages, area."""
    found.stages = {payload: facts.stages(found, payload) for payload in STAGE_PAYLOADS}
    found.stages_how = facts.STAGES_HOW
    if not any(found.stages.values()):
        found.stages = {payload: facts.parts(found, payload) for payload in STAGE_PAYLOADS}
        found.stages_how = facts.PARTS_HOW
    found.area = facts.measured_area()
    return found


def _besides(plan: thesis.Plan) -> list[Job]:
    wanted = []
    for preset in PRESETS:
        for payload in plan.payloads(facts.PAYLOADS):
            wanted += [plan.round_trip(preset, NORMAL, payload), plan.throughput(preset, NORMAL, payload)]
        wanted += [plan.round_trip(preset, mode, payload) for payload in STAGE_PAYLOADS for mode in MODES]
    return list(dict.fromkeys(wanted))


def _records(job: Job, result: object) -> list[Record]:
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


def _sections(study: thesis.Study) -> tuple[list[Shown], list[str]]:
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


def sentences(found: Facts) -> Iterable[str]:
    """What to tell on the command line."""
    for preset, why in found.absent().items():
        yield f"{preset} is missing: {why}"
