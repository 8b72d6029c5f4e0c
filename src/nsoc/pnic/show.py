# SPDX-License-Identifier: Apache-2.0
"""What following frames gave: a table, lines, records, and a timeline for Perfetto's viewer."""

import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nsoc.network.ethernet import FCS_BYTES, HEADER_BYTES
from nsoc.pnic.follow import FrameTrace, NicTrace, Stage
from nsoc.records import Record
from nsoc.trace.timeline import Lanes, Timeline

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "trace"
WAYS = ("send", "receive")


def frames(trace: NicTrace, way: str) -> list[FrameTrace]:
    """Those of a direction."""
    return trace.sent if way == "send" else trace.received


def ns(found: Sequence[FrameTrace], stage: Stage) -> list[float]:
    """How long each was there."""
    return [end - begin for frame in found for at, begin, end in frame.visits() if at is stage]


def records(trace: NicTrace, preset: str) -> list[Record]:
    """The mean of each stage and of a frame's whole way, by direction; frames, and how many each core worked on."""
    payload = trace.bytes - HEADER_BYTES - FCS_BYTES
    made = []
    for way in WAYS:
        found = frames(trace, way)

        def record(metric: str, value: float, source: str | None, unit: str, way: str = way) -> Record:
            return Record(SUITE, preset, metric, value, way, payload, unit, source=source)

        made.append(record("frames", len(found), None, "frames"))
        if found:
            made += [record("stage_ns", statistics.mean(ns(found, stage)), stage, "ns") for stage in found[0].stages]
            made.append(record("way_ns", statistics.mean(frame.ns for frame in found), None, "ns"))
        for core, count in sorted(Counter(frame.core for frame in found).items(), key=str):
            made.append(record("frames_of_core", count, f"core {core}", "frames"))
    return made


def table(trace: NicTrace, preset: str) -> "Table":
    """A row for each stage, and for the whole way, of both directions."""
    from rich.table import Table

    title = f"Stages on {preset}, {trace.setup.program}, frames of {trace.bytes} bytes, ns"
    shown = Table(title=title, title_justify="left")
    for column in ("way", "stage", "mean", "min", "max", "share"):
        shown.add_column(column, justify="left" if column in ("way", "stage") else "right")
    for way in WAYS:
        found = frames(trace, way)
        if not found:
            continue
        whole = [frame.ns for frame in found]
        for stage in found[0].stages:
            each = ns(found, stage)
            mean = statistics.mean(each)
            share = f"{mean / statistics.mean(whole):.1%}"
            shown.add_row(way, str(stage), f"{mean:,.1f}", f"{min(each):,.0f}", f"{max(each):,.0f}", share)
        shown.add_section()
        shown.add_row(
            way, "whole way", f"{statistics.mean(whole):,.1f}", f"{min(whole):,.0f}", f"{max(whole):,.0f}", ""
        )
        shown.add_section()
    return shown


def lines(trace: NicTrace, out: Path) -> list[str]:
    """What the table leaves to say."""
    said = []
    for way in WAYS:
        found = frames(trace, way)
        by_core = Counter(frame.core for frame in found)
        cores = ", ".join(f"core {core} {count}" for core, count in sorted(by_core.items(), key=str))
        done = "sent" if way == "send" else "received"
        said.append(f"{len(found)} frames {done}; DMA commanded by {cores}" if found else f"no frame {done}")
    return [*said, f"timeline  {out}  (open it in Perfetto's viewer)"]


def write_perfetto(trace: NicTrace, preset: str, file: Path) -> None:
    """A group of tracks for each direction, with a track for each stage; one of the cores, with times in functions.

    Slices are as those of a SoC's frames. Timestamps are ns since the first thing that is shown.
    """
    timeline = Timeline()
    starts = [busy.begin_ns for busy in trace.busy]
    starts += [frame.visits()[0][1] for way in WAYS for frame in frames(trace, way)]
    zero = min(starts, default=0.0)
    flow = 0
    for rank, way in enumerate(WAYS):
        found = frames(trace, way)
        group = timeline.track(f"{way}, {preset}", rank=rank)
        lanes = {
            stage: Lanes(timeline, str(stage), group, order)
            for order, stage in enumerate(found[0].stages if found else ())
        }
        visits = sorted(
            ((begin, end, stage, frame) for frame in found for stage, begin, end in frame.visits()),
            key=lambda visit: visit[:2],
        )
        for begin, end, stage, frame in visits:
            timeline.slice(
                lanes[stage].free(begin, end), f"frame {frame.number}", begin - zero, end - zero,
                flow=flow + frame.number + 1, last=stage is frame.stages[-1], frame=frame.number, core=frame.core,
            )  # fmt: skip
        flow += max((frame.number for frame in found), default=0) + 1
    cores = timeline.track("cores", rank=len(WAYS))
    tracks = {core: timeline.track(f"core {core}", cores, core) for core in range(trace.setup.cores)}
    for busy in sorted(trace.busy, key=lambda busy: busy.begin_ns):
        timeline.slice(tracks[busy.core], busy.function, busy.begin_ns - zero, busy.end_ns - zero)
    timeline.write(file)
