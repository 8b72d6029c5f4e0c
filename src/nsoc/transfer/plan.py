# SPDX-License-Identifier: Apache-2.0
"""What a user asks for: where to, by which scheme, at which pace."""

from dataclasses import dataclass
from enum import StrEnum, auto

from nsoc.transfer.pace import Burst, Gap, Pace, Window
from nsoc.transfer.scheme import GAP_US, PAUSE_US, Scheme, burst_frames


class To(StrEnum):
    """What is at the other end."""

    ECHO = auto()
    """A SoC that sends every frame back."""
    SINK = auto()
    """One or several that keep what they get."""
    RELAY = auto()
    """One that passes on what is for another one."""


PRESETS = {To.ECHO: "nic12-fast", To.SINK: "nic12-dma", To.RELAY: "nic12-dma"}
"""The system where none is asked for."""
SOURCE_PRESET = "nic12-dma"


@dataclass(frozen=True)
class Plan:
    """How frames of the published types go out; None: what the SoC's MAC FIFO bears."""

    scheme: Scheme = Scheme.RELIABLE
    gap_us: float = GAP_US
    """Scheme 1: the line is free for so long after each frame."""
    burst: int | None = None
    """Scheme 2: frames in a burst."""
    pause_us: float = PAUSE_US
    """Scheme 2: the line is free for so long after each burst."""
    window: int | None = None
    """Schemes 3 and 4: frames that may be neither returned nor lost."""

    def pace(self, fifo_bytes: int) -> Pace:
        """When a frame may go, for a MAC FIFO of so many bytes."""
        match self.scheme:
            case Scheme.GAP:
                return Gap(self.gap_us)
            case Scheme.BURST:
                return Burst(self.burst or burst_frames(fifo_bytes), self.pause_us)
            case _:
                return Window(self.window or burst_frames(fifo_bytes))
