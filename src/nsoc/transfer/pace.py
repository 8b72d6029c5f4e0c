# SPDX-License-Identifier: Apache-2.0
"""When the next frame may go: by time (a gap, bursts with pauses), or as room becomes free (a window)."""

from typing import Protocol

from nsoc.network.ethernet import LINE_MBPS, SLOT_BYTES


class Pace(Protocol):
    """A way to pace frames. Times are microseconds."""

    def next(self, in_flight: int, now: float) -> float:
        """When the next frame may go, at the earliest `now`; infinite: not before one returns or is lost."""

    def sent(self, frame_bytes: int, now: float) -> None:
        """A frame of so many bytes (without FCS) has been handed to the line."""


class Window:
    """At most `frames` frames that are neither returned nor lost: a burst, then one for each that returns."""

    def __init__(self, frames: int) -> None:
        if frames < 1:
            raise ValueError(f"window must be at least 1, not {frames}")
        self._frames = frames

    def next(self, in_flight: int, now: float) -> float:
        """See `Pace`."""
        return now if in_flight < self._frames else float("inf")

    def sent(self, frame_bytes: int, now: float) -> None:
        """See `Pace`."""


class Burst:
    """Bursts of `frames` frames, then the line is free for `pause_us`."""

    def __init__(self, frames: int, pause_us: float) -> None:
        if frames < 1:
            raise ValueError(f"a burst has at least 1 frame, not {frames}")
        if pause_us < 0:
            raise ValueError(f"a pause takes at least 0 us, not {pause_us:g}")
        self._frames = frames
        self._pause_us = pause_us
        self._left = frames
        self._line_free = 0.0

    def next(self, in_flight: int, now: float) -> float:
        """See `Pace`."""
        return now if self._left else max(now, self._line_free + self._pause_us)

    def sent(self, frame_bytes: int, now: float) -> None:
        """See `Pace`. The frames of a burst are handed over faster than the line takes them."""
        if not self._left:
            self._left = self._frames
        self._left -= 1
        self._line_free = max(self._line_free, now) + (frame_bytes + SLOT_BYTES) * 8 / LINE_MBPS


class Gap(Burst):
    """After each frame the line is free for `gap_us`."""

    def __init__(self, gap_us: float) -> None:
        super().__init__(1, gap_us)
