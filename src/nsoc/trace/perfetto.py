# SPDX-License-Identifier: Apache-2.0
"""The timeline as a file for Perfetto's viewer."""

from importlib import import_module
from pathlib import Path
from typing import Any

from nsoc.errors import NsocError
from nsoc.trace.frames import FrameTrace, Stage, Trace

_SEQUENCE = 1


def write_perfetto(trace: Trace, file: Path) -> None:
    """Write the timeline for Perfetto's viewer.

    A track for each stage, in the order of a frame's way, and in it a slice for each frame, named by its number; frames
    that are in a stage together are below each other. Arrows lead from a frame's slice to its next one. Drops are
    instants in a track of their own, named by their cause. Levels are counters. Timestamps are ns since reset.
    """
    try:
        protos = import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
        proto_builder = import_module("perfetto.trace_builder.proto_builder")
    except ImportError:
        raise NsocError("the Python package perfetto is missing: run `make .venv/report.stamp`") from None

    TrackDescriptor, TrackEvent = protos.TrackDescriptor, protos.TrackEvent
    builder = proto_builder.TraceProtoBuilder()
    tracks = 0

    def packet(ns: float | None = None) -> Any:
        made = builder.add_packet()
        made.trusted_packet_sequence_id = _SEQUENCE
        if ns is not None:
            made.timestamp = round(ns)
        return made

    def track(name: str, parent: int | None = None, rank: int = 0, unit: str | None = None) -> int:
        nonlocal tracks
        tracks += 1
        described = packet().track_descriptor
        described.uuid, described.name, described.sibling_order_rank = tracks, name, rank
        described.child_ordering = TrackDescriptor.EXPLICIT
        if parent is not None:
            described.parent_uuid = parent
        if unit is not None:
            described.counter.unit_name = unit
        return tracks

    def event(kind: int, track_uuid: int, ns: float) -> Any:
        made = packet(ns).track_event
        made.type, made.track_uuid = kind, track_uuid
        return made

    frames = track(f"frames, {trace.preset.name}", rank=0)
    for rank, stage in enumerate(Stage):
        visits = sorted(
            ((visit, frame) for frame in trace.frames for visit in frame.visits if visit.stage is stage),
            key=lambda pair: pair[0].enter_ns,
        )
        lanes: list[tuple[int, float]] = []  # track, and when it is free again
        for visit, frame in visits:
            lane = next((i for i, (_, free) in enumerate(lanes) if free <= visit.enter_ns), len(lanes))
            if lane == len(lanes):
                lanes.append((track(str(stage), frames, rank), 0.0))
            lanes[lane] = lanes[lane][0], visit.leave_ns
            begin = event(TrackEvent.TYPE_SLICE_BEGIN, lanes[lane][0], visit.enter_ns)
            begin.name = f"frame {frame.number}"
            last = visit is frame.visits[-1]
            (begin.terminating_flow_ids if last else begin.flow_ids).append(frame.number + 1)
            _annotate(begin, frame)
            event(TrackEvent.TYPE_SLICE_END, lanes[lane][0], visit.leave_ns)
    if trace.drops:
        drops = track("drops", frames, len(Stage))
        for frame in trace.frames:
            if frame.drop:
                instant = event(TrackEvent.TYPE_INSTANT, drops, frame.drop.time_ns)
                instant.name = frame.drop.cause
                _annotate(instant, frame)
    groups: dict[str, int] = {}
    for rank, counter in enumerate(trace.counters):
        if counter.group not in groups:
            groups[counter.group] = track(counter.group, rank=len(groups) + 1)
        line = track(counter.name, groups[counter.group], rank, counter.unit)
        for ns, value in counter.points:
            event(TrackEvent.TYPE_COUNTER, line, max(ns, 0.0)).double_counter_value = value
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(builder.serialize())
    except OSError as error:
        raise NsocError(f"cannot write the trace {file} ({error.strerror}); give --out another file") from error


def _annotate(event: Any, frame: FrameTrace) -> None:
    """What is known of a frame, as arguments of an event."""
    known = {
        "frame": frame.number, "length": frame.length, "server": frame.server, "connection": frame.connection,
    }  # fmt: skip
    for name, value in known.items():
        if value is not None:
            annotation = event.debug_annotations.add()
            annotation.name, annotation.int_value = name, value
    if frame.pointer is not None:
        annotation = event.debug_annotations.add()
        annotation.name, annotation.string_value = "buffer", f"{frame.pointer:#010x}"
