# SPDX-License-Identifier: Apache-2.0
"""A file for Perfetto's viewer: tracks, slices with arrows between them, instants, levels."""

from pathlib import Path
from typing import Any

from nsoc import needs
from nsoc.errors import NsocError

_SEQUENCE = 1


def check() -> None:
    """Raises NsocError when the package is missing that writes timelines."""
    _packages()


def _packages() -> tuple[Any, Any]:
    names = ("protos.perfetto.trace.perfetto_trace_pb2", "trace_builder.proto_builder")
    protos, builder = (needs.package(f"perfetto.{name}", "a timeline") for name in names)
    return protos, builder


class Timeline:
    """What is to be written. Timestamps are ns of simulated time. Raises NsocError when the package is missing."""

    def __init__(self) -> None:
        self._protos, proto_builder = _packages()
        self._builder = proto_builder.TraceProtoBuilder()
        self._tracks = 0

    def track(self, name: str, parent: int | None = None, rank: int = 0, unit: str | None = None) -> int:
        """A new track, and the number to name it by. Those of one parent stand in the order of their rank. With a unit
        it is one of levels."""
        self._tracks += 1
        described = self._packet().track_descriptor
        described.uuid, described.name, described.sibling_order_rank = self._tracks, name, rank
        described.child_ordering = self._protos.TrackDescriptor.EXPLICIT
        if parent is not None:
            described.parent_uuid = parent
        if unit is not None:
            described.counter.unit_name = unit
        return self._tracks

    def slice(
        self, track: int, name: str, begin_ns: float, end_ns: float, *, flow: int | None = None, last: bool = False,
        **known: int | str | None,
    ) -> None:  # fmt: skip
        """Something that lasts. Slices of one `flow` have arrows from each to the next, until the `last` one."""
        begin = self._event(self._protos.TrackEvent.TYPE_SLICE_BEGIN, track, begin_ns)
        begin.name = name
        if flow is not None:
            (begin.terminating_flow_ids if last else begin.flow_ids).append(flow)
        _annotate(begin, known)
        self._event(self._protos.TrackEvent.TYPE_SLICE_END, track, end_ns)

    def instant(self, track: int, name: str, ns: float, **known: int | str | None) -> None:
        """Something that happens."""
        made = self._event(self._protos.TrackEvent.TYPE_INSTANT, track, ns)
        made.name = name
        _annotate(made, known)

    def level(self, track: int, ns: float, value: float) -> None:
        """What a level is from now on."""
        self._event(self._protos.TrackEvent.TYPE_COUNTER, track, max(ns, 0.0)).double_counter_value = value

    def write(self, file: Path) -> None:
        """Raises NsocError when that cannot be."""
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self._builder.serialize())
        except OSError as error:
            raise NsocError(f"cannot write the trace {file} ({error.strerror}); give --out another file") from error

    def _packet(self, ns: float | None = None) -> Any:
        made = self._builder.add_packet()
        made.trusted_packet_sequence_id = _SEQUENCE
        if ns is not None:
            made.timestamp = round(ns)
        return made

    def _event(self, kind: int, track: int, ns: float) -> Any:
        made = self._packet(ns).track_event
        made.type, made.track_uuid = kind, track
        return made


class Lanes:
    """Tracks of one name below each other: what would overlap gets another one."""

    def __init__(self, timeline: Timeline, name: str, parent: int, rank: int) -> None:
        self._timeline, self._name, self._parent, self._rank = timeline, name, parent, rank
        self._lanes: list[tuple[int, float]] = []  # track, and when it is free again

    def free(self, begin_ns: float, end_ns: float) -> int:
        """The first track that is free from `begin_ns` on; it is taken until `end_ns`. To be asked in order of time."""
        lane = next((i for i, (_, until) in enumerate(self._lanes) if until <= begin_ns), len(self._lanes))
        if lane == len(self._lanes):
            self._lanes.append((self._timeline.track(self._name, self._parent, self._rank), 0.0))
        self._lanes[lane] = self._lanes[lane][0], end_ns
        return self._lanes[lane][0]


def _annotate(event: Any, known: dict[str, int | str | None]) -> None:
    """What is known of it, as arguments of an event."""
    for name, value in known.items():
        if value is None:
            continue
        annotation = event.debug_annotations.add()
        annotation.name = name
        if isinstance(value, str):
            annotation.string_value = value
        else:
            annotation.int_value = value
