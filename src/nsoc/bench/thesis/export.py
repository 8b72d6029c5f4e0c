# SPDX-License-Identifier: Apache-2.0
"""A study's figures as records, for machines."""

from dataclasses import replace
from typing import Any

from nsoc.bench import mac_example
from nsoc.bench.jobs import Failed
from nsoc.bench.thesis.goals import OVER, RATIO, SUITE, WORST, limits, wanted
from nsoc.bench.thesis.published_tables import (
    AREA_TABLE,
    BURST_TABLE,
    MAC_TABLES,
    RTT,
    SLEEP_TABLE,
    THROUGHPUT,
    Column,
    Published,
    data,
    published,
    window_of,
)
from nsoc.bench.thesis.study import BURST_PAYLOADS, Study
from nsoc.border import public
from nsoc.network.ethernet import line_limit
from nsoc.records import Record


@public
def records(study: Study) -> list[Record]:
    """A record for each figure; published throughputs in 10^6 bit/s. The table is named in `source`."""
    made: list[Record] = []
    for number in study.plan.tables:
        made += _records_of(study, number)
    return made


def _records_of(study: Study, number: str) -> list[Record]:
    if number in published():
        table = published()[number]
        return [
            record
            for column in study.columns(table)
            for payload in study.plan.payloads(table.payloads)
            for record in _column_records(study, table, column, payload)
        ]
    if number in MAC_TABLES:
        result = study.mac_example()
        trips = MAC_TABLES[number] == "Round trip"
        theirs = mac_example.published()["rtt" if trips else "throughput"]["source"]
        metrics = ("rtt_cycles", RTT) if trips else (THROUGHPUT, "line_share")
        return [
            replace(record, suite=SUITE, source=theirs)
            for record in ([] if result is None else mac_example.records(result))
            if record.metric in metrics
        ]
    if number == SLEEP_TABLE:
        theirs = data()["sleep"]
        return [
            Record(SUITE, None, "sleep_s", took, f"asked {asked:g} s", unit="s",
                   published=theirs["actual"][theirs["requested"].index(asked)], source=theirs["source"])
            for asked, took in study.sleeps.items()
        ]  # fmt: skip
    if number == BURST_TABLE:
        found = []
        for preset in study.plan.systems:
            for payload in study.plan.payloads(BURST_PAYLOADS):
                burst = study.burst(preset, payload)
                if burst is not None:
                    found.append(Record(SUITE, preset, "loss_free_burst", burst.frames, "normal", payload, "frames"))
                    found.append(Record(SUITE, preset, "loss_free_burst_unlimited", burst.unlimited, "normal", payload))
        return found
    if number == AREA_TABLE:
        from nsoc.hardware import synth

        return [
            replace(record, suite=SUITE)
            for preset, area in study.areas.items()
            if not isinstance(area, Failed)
            for record in synth.records(preset, [area])
            if record.mode == synth.Target.XC7
        ]
    return _limited_records(study) + [
        Record(SUITE, limit.preset, f"{limit.metric}_met", limit.met, "normal", limit.payload, limit=limit.limit)
        for limit in limits(study)
    ]


def _limited_records(study: Study) -> list[Record]:
    """Figures that have a limit and are in no table."""
    made = []
    for row in wanted(WORST, study.plan.systems, study.plan.payloads):
        trip = study.round_trip(row.preset or "", "normal", row.payload or 0)
        if trip is not None:
            made.append(Record(SUITE, row.preset, WORST, trip.most, "normal", row.payload, "cycles"))
    for row in wanted(RATIO, study.plan.systems, study.plan.payloads):
        names = (row.preset or "", (row.mode or "").removeprefix(OVER))
        rate, other = (study.throughput(name, "normal", row.payload or 0) for name in names)
        if rate is not None and other is not None:
            made.append(Record(SUITE, row.preset, RATIO, rate.mbps / other.mbps, row.mode, row.payload))
    return made


def _column_records(study: Study, table: Published, column: Column, payload: int) -> list[Record]:
    theirs = table.converted(column, payload)
    known: dict[str, Any] = {"published": theirs, "source": table.source}
    preset, mode = column.preset, column.mode
    made = []
    if table.metric == RTT:
        trip = study.round_trip(preset, mode, payload)
        if trip is None:
            return []
        cycles = None if table.clock_ns is None else theirs * 1000 / table.clock_ns
        made.append(
            Record(
                SUITE, preset, "rtt_cycles", trip.mean, mode, payload, "cycles", published=cycles, source=table.source
            )
        )
        made.append(Record(SUITE, preset, RTT, trip.us, mode, payload, "us", **known))
        if table.host:
            modelled = study.host.round_trip_us(trip.us, trip.frames)
            made.append(Record(SUITE, preset, "rtt_host_model_us", modelled, mode, payload, "us", **known))
    else:
        limit = line_limit(payload)
        for window in (0, window_of(preset)):
            rate = study.throughput(preset, mode, payload, window)
            if rate is None:
                continue
            how = f"{mode}:window-{window}" if window else mode
            made.append(Record(SUITE, preset, THROUGHPUT, rate.mbps, how, payload, "Mb/s", limit, **known))
            made.append(Record(SUITE, preset, "line_share", rate.line_share, how, payload, None, 1.0,
                               source=table.source))  # fmt: skip
            counts = {
                "frames": rate.frames,
                "lost_counted": rate.lost_counted,
                "offered": rate.offered,
                "loss": rate.lost,
            }
            made += [
                Record(SUITE, preset, n, v, how, payload, "frames", source=table.source) for n, v in counts.items()
            ]
            made += [
                Record(SUITE, preset, "loss", count, f"{how}:{cause}", payload, "frames", source=table.source)
                for cause, count in rate.drops.items()
            ]
    if column.over:
        ours, base = (study.figure(table.metric, name, mode, payload) for name in (preset, column.over))
        if ours is not None and base is not None:
            theirs_base = next(other for other in table.columns if other.preset == column.over)
            ratio = table.value(column, payload) / table.value(theirs_base, payload)
            metric = "rtt_ratio" if table.metric == RTT else "throughput_ratio"
            made.append(Record(SUITE, preset, metric, ours / base, f"over {column.over}", payload,
                               published=ratio, source=table.source))  # fmt: skip
    return made
