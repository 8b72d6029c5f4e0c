# SPDX-License-Identifier: Apache-2.0
"""The four schemes of the thesis (its section 5.2.2), as ways of one sender.

Schemes 1 to 3 send data only. Nobody says what has arrived, nothing is repaired: they end when all frames have
returned, or when nothing has come for a while. Scheme 4 adds summary, acks and repeats.
"""

from enum import IntEnum

from nsoc.transfer.pace import Burst, Gap, Pace, Window
from nsoc.transfer.published import MAX_FRAME_BYTES, MAX_PAYLOAD_BYTES, Sender, Timing

GAP_US = 56.0
"""The shortest pause that the published host could make between two frames (thesis, appendix C)."""
PAUSE_US = 100.0
"""Between two bursts, as published."""


class Scheme(IntEnum):
    """By their published numbers."""

    GAP = 1
    BURST = 2
    CONTINUOUS = 3
    RELIABLE = 4


def burst_frames(fifo_bytes: int) -> int:
    """Frames of 1500 bytes in a burst that a MAC FIFO bears, while 3/8 of what comes leave it at once.

    That gives the published bursts: 4 for 4 KB (published: 4 to 5), 17 for 16 KB (published: 16 to 18).
    """
    return max(1, fifo_bytes * 8 // (5 * MAX_FRAME_BYTES))


def make_sender(
    scheme: Scheme,
    data: bytes,
    *,
    fifo_bytes: int = 16384,
    gap_us: float = GAP_US,
    burst: int | None = None,
    pause_us: float = PAUSE_US,
    window: int | None = None,
    payload_bytes: int = MAX_PAYLOAD_BYTES,
    timing: Timing | None = None,
    now: float = 0.0,
) -> Sender:
    """A sender of `data` by that scheme. Burst and window are what a MAC FIFO of `fifo_bytes` bears, or as given."""
    frames = burst_frames(fifo_bytes)
    pace: Pace
    match scheme:
        case Scheme.GAP:
            pace = Gap(gap_us)
        case Scheme.BURST:
            pace = Burst(frames if burst is None else burst, pause_us)
        case Scheme.CONTINUOUS | Scheme.RELIABLE:
            pace = Window(frames if window is None else window)
    repair = scheme is Scheme.RELIABLE
    return Sender(data, pace=pace, repair=repair, payload_bytes=payload_bytes, timing=timing, now=now)
