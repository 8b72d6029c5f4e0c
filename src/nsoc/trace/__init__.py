# SPDX-License-Identifier: Apache-2.0
"""`nsoc trace`: where each frame is at each time of a run, from the RTL's taps (trace_pkg, mac_pkg, nic_pkg, nsoc_pkg).

`capture` boots a preset, sends frames and records what the taps say; `segments` has a TCP peer for it, where there is
a TCP/IP engine. `follower` makes the frames of `frames` of it, `levels` the counters beside them, `cores` what the
processors did. `perfetto` writes them as a timeline, `show` as table, lines and records.
"""

from nsoc.trace.capture import FRAMES, SPACING, WARM, TraceResult, Waves, run, stage_breakdown
from nsoc.trace.follower import follow
from nsoc.trace.frames import Counter, Drop, FrameTrace, Stage, Trace, Visit
from nsoc.trace.perfetto import write_perfetto
from nsoc.trace.show import SUITE, lines, records, table

__all__ = [
    "FRAMES",
    "SPACING",
    "SUITE",
    "WARM",
    "Counter",
    "Drop",
    "FrameTrace",
    "Stage",
    "Trace",
    "TraceResult",
    "Visit",
    "Waves",
    "follow",
    "lines",
    "records",
    "run",
    "stage_breakdown",
    "table",
    "write_perfetto",
]
