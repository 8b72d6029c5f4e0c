# SPDX-License-Identifier: Apache-2.0
"""What follows from the taps of single segments: where the time goes, and how it grows with the payload."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nsoc.bench.latency_measure import DOORBELL, Segment
from nsoc.errors import NsocError

STAGES = (
    ("application-in", "app_first"),
    ("sum-wait", "go"),
    ("header", "core_out"),
    ("tx-crossing", "mac_in"),
    ("mac-tx", "line_first"),
    ("line", "line_last"),
    ("mac-rx", "mac_out"),
    ("rx-crossing", "core_in"),
    ("parse", "parsed"),
    ("verify", "verdict"),
    ("application-out", "out_last"),
)
"""The stages, each with the tap that ends it. It begins where the one before ends, the first one with the offer."""
FIT_LEAST = 160
"""Shorter frames are partly padding and headers: a line is laid through the others."""


def stages(segment: Segment) -> dict[str, int]:
    """Femtoseconds in each stage; together the segment's total.

    A doorbell's segment has been summed before: until the frame begins is `application-in`. A tap that was not high, as
    when the engine itself has sent the segment, or that was high before the one ahead of it, ends a stage of 0.
    """
    before, found = 0, {}
    doorbell = segment.mode.startswith(DOORBELL)
    for stage, tap in STAGES:
        if doorbell and stage in ("application-in", "sum-wait"):
            tap = "go" if stage == "application-in" else ""
        end = max(before, segment.taps.get(tap, before))
        found[stage], before = end - before, end
    if sum(found.values()) != segment.total_fs:
        what = f"a segment of {segment.payload} bytes, {segment.mode}"
        raise NsocError(f"the stages of {what}, are not its {segment.total_fs} fs")
    return found


@dataclass(frozen=True)
class Point:
    """All segments of one payload in one mode. Times in ns."""

    mode: str
    payload: int
    segments: Sequence[Segment]

    def _over(self, of: Callable[[Segment], int | None]) -> list[float]:
        return [fs / 1e6 for segment in self.segments if (fs := of(segment)) is not None]

    @property
    def mean(self) -> float:
        """From the offer of the first beat, or of the doorbell, to the edge that takes the last one."""
        return _mean(self._over(lambda segment: segment.total_fs))

    @property
    def least(self) -> float:
        return min(self._over(lambda segment: segment.total_fs))

    @property
    def most(self) -> float:
        return max(self._over(lambda segment: segment.total_fs))

    @property
    def first_first(self) -> float:
        """From the same offer to the edge that takes the first beat."""
        return _mean(self._over(lambda segment: segment.taps["out_first"]))

    @property
    def last_last(self) -> float | None:
        """From the edge that takes the last beat of a stream to the edge that takes it at the other end."""
        if self.mode.startswith(DOORBELL):
            return None
        return _mean(self._over(lambda segment: segment.total_fs - segment.taps["app_last"]))

    def stages(self) -> dict[str, float]:
        """The mean of each stage."""
        each = [stages(segment) for segment in self.segments]
        return {stage: _mean([one[stage] / 1e6 for one in each]) for stage, _ in STAGES}


def points(segments: Iterable[Segment]) -> list[Point]:
    """Segments by payload and mode, in the order of their first ones."""
    found: dict[tuple[int, str], list[Segment]] = {}
    for segment in segments:
        found.setdefault((segment.payload, segment.mode), []).append(segment)
    return [Point(mode, payload, found[payload, mode]) for payload, mode in found]


@dataclass(frozen=True)
class Fit:
    """ns = fixed + slope * payload, least squares."""

    fixed: float
    slope: float


def fit(ns: Mapping[int, float]) -> Fit | None:
    """Through the payloads from FIT_LEAST on; None when these are fewer than two."""
    payloads = [payload for payload in ns if payload >= FIT_LEAST]
    if len(payloads) < 2:
        return None
    mean_x, mean_y = _mean(payloads), _mean([ns[payload] for payload in payloads])
    across = sum((payload - mean_x) ** 2 for payload in payloads)
    slope = sum((payload - mean_x) * (ns[payload] - mean_y) for payload in payloads) / across
    return Fit(mean_y - slope * mean_x, slope)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
