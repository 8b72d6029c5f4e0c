# SPDX-License-Identifier: Apache-2.0
"""The frames of a SoC as a timeline for Perfetto's viewer."""

from pathlib import Path

from nsoc.trace.frames import FrameTrace, Stage, Trace
from nsoc.trace.timeline import Lanes, Timeline


def write_perfetto(trace: Trace, file: Path) -> None:
    """Write the timeline for Perfetto's viewer.

    A track for each stage, in the order of a frame's way, and in it a slice for each frame, named by its number; frames
    that are in a stage together are below each other. Arrows lead from a frame's slice to its next one. Drops are
    instants in a track of their own, named by their cause. A track for each core has the functions that it was in.
    Levels are counters. Timestamps are ns since reset.
    """
    timeline = Timeline()
    frames = timeline.track(f"frames, {trace.preset.name}", rank=0)
    for rank, stage in enumerate(Stage):
        visits = sorted(
            ((visit, frame) for frame in trace.frames for visit in frame.visits if visit.stage is stage),
            key=lambda pair: pair[0].enter_ns,
        )
        lanes = Lanes(timeline, str(stage), frames, rank)
        for visit, frame in visits:
            timeline.slice(
                lanes.free(visit.enter_ns, visit.leave_ns), f"frame {frame.number}", visit.enter_ns, visit.leave_ns,
                flow=frame.number + 1, last=visit is frame.visits[-1], **_known(frame),
            )  # fmt: skip
    if trace.drops:
        drops = timeline.track("drops", frames, len(Stage))
        for frame in trace.frames:
            if frame.drop:
                timeline.instant(drops, frame.drop.cause, frame.drop.time_ns, **_known(frame))
    processors: dict[int, int] = {}
    for busy in trace.busy:
        if busy.core not in processors:
            processors[busy.core] = timeline.track(f"processor {busy.core}", rank=1)
        timeline.slice(processors[busy.core], busy.function, busy.begin_ns, busy.end_ns)
    groups: dict[str, int] = {}
    for rank, counter in enumerate(trace.counters):
        if counter.group not in groups:
            groups[counter.group] = timeline.track(counter.group, rank=len(groups) + 2)
        line = timeline.track(counter.name, groups[counter.group], rank, counter.unit)
        for ns, value in counter.points:
            timeline.level(line, ns, value)
    timeline.write(file)


def _known(frame: FrameTrace) -> dict[str, int | str | None]:
    return {
        "frame": frame.number, "length": frame.length, "server": frame.server, "connection": frame.connection,
        "buffer": None if frame.pointer is None else f"{frame.pointer:#010x}",
    }  # fmt: skip
