# SPDX-License-Identifier: Apache-2.0
"""What a run gave, for people as a table and lines, for machines as records."""

import statistics
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from nsoc.records import Record
from nsoc.trace import cores
from nsoc.trace.capture import TraceResult, Waves

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "trace"


def records(result: TraceResult) -> list[Record]:
    """The mean of each stage, and of the round trip; frames, and drops by cause; functions, and window traps."""
    name, trace = result.trace.preset.name, result.trace

    def record(metric: str, value: float, source: str | None = None, unit: str | None = None) -> Record:
        return Record(SUITE, name, metric, value, result.mode, result.payload, unit, source=source)

    made = [record("frames", len(trace.frames), unit="frames")]
    for stage, ns in trace.breakdown().items():
        made.append(record("stage_ns", ns, str(stage), "ns"))
    if trace.complete:
        made.append(record("rtt_ns", statistics.mean(frame.ns for frame in trace.complete), unit="ns"))
    if trace.preset.core == "sparc":
        traps = cores.windows(trace.busy)
        made += [record("window_traps", count, kind, "traps") for kind, count in asdict(traps).items() if kind != "ns"]
        made.append(record("window_traps_ns", traps.ns, unit="ns"))
    made += [record("function_ns", ns, function, "ns") for function, ns in cores.by_function(trace.busy).items()]
    return made + [record("loss", count, cause, "frames") for cause, count in trace.drops.items()]


def table(result: TraceResult) -> "Table":
    """A row for each stage, and the round trip."""
    from rich.table import Table

    trace = result.trace
    payload = "" if result.payload is None else f", {result.payload} bytes of payload"
    title = f"Stages on {trace.preset.name}, {result.mode.replace('_', ' ')}{payload}, ns"
    shown = Table(title=title, title_justify="left")
    for column in ("stage", "mean", "min", "max", "share"):
        shown.add_column(column, justify="left" if column == "stage" else "right")
    whole = [frame.ns for frame in trace.complete]
    for stage, mean in trace.breakdown().items():
        found = trace.ns(stage)
        share = f"{mean / statistics.mean(whole):.1%}"
        shown.add_row(str(stage), f"{mean:,.1f}", f"{min(found):,.0f}", f"{max(found):,.0f}", share)
    if whole:
        shown.add_section()
        shown.add_row("round trip", f"{statistics.mean(whole):,.1f}", f"{min(whole):,.0f}", f"{max(whole):,.0f}", "")
    return shown


def lines(result: TraceResult, out: Path, waves: Waves | None) -> list[str]:
    """What the table leaves to say."""
    trace = result.trace
    dropped = "".join(f", {cause} {count}" for cause, count in trace.drops.items())
    said = [f"{len(trace.frames)} frames, {len(trace.complete)} came back{dropped}"]
    if trace.preset.queues_in_memory and result.mode == "normal":
        said.append("Queues in memory: what is called processor is Rx queue, processor and Tx queue together.")
    if trace.preset.core == "sparc":
        traps = cores.windows(trace.busy)
        said.append(
            f"windows   {traps.overflow} overflows, {traps.underflow} underflows, {traps.ns:,.0f} ns in their handlers"
        )
    said.append(f"timeline  {out}  (open it in Perfetto's viewer)")
    if waves is not None:
        said.append(f"waveform  {waves.file}  (open it in GTKWave or Surfer)")
    return said
