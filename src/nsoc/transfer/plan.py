# SPDX-License-Identifier: Apache-2.0
"""What a user asks for: where to, by which scheme, at which pace."""

from dataclasses import dataclass
from enum import StrEnum, auto

from nsoc.transfer.published import Sender, Timing
from nsoc.transfer.scheme import GAP_US, PAUSE_US, Scheme, make_sender


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

    def sender(self, data: bytes, fifo_bytes: int, timing: Timing, now: float) -> Sender:
        """A sender of `data` to a SoC with a MAC FIFO of so many bytes."""
        return make_sender(
            self.scheme, data, fifo_bytes=fifo_bytes, gap_us=self.gap_us, burst=self.burst, pause_us=self.pause_us,
            window=self.window, timing=timing, now=now,
        )  # fmt: skip
