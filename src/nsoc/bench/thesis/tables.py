# SPDX-License-Identifier: Apache-2.0
"""The tables, ours beside theirs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.markup import escape

from nsoc.bench.jobs import Failed
from nsoc.bench.thesis.goals import burst_text, limits
from nsoc.bench.thesis.published_tables import AREA_TABLE, Column, Published, data, window_of
from nsoc.bench.thesis.study import BURST_PAYLOADS, Study

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def _new_table(*headings: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column(headings[0], no_wrap=True)
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def rtt_table(study: Study, table: Published) -> "Table":
    """Round trips, a row for each preset and payload; with the host model where a host measured theirs."""
    head = ["\nsystem", "\npayload", "ours\ncycles", "\nus"]
    if table.host:
        head += ["with host\nmodel, us", "published\nus", "ratio", "with host\nratio"]
    else:
        head += ["published\ncycles", "\nus", "ratio,\ncycles"]
    over = any(column.over for column in study.columns(table))
    if over:
        head += ["1.2/\n1.1", "\npubl."]
    shown = _new_table(*head)
    for column in study.columns(table):
        for payload in study.plan.payloads(table.payloads):
            trip = study.round_trip(column.preset, column.mode, payload)
            theirs = table.value(column, payload)
            row = [_label(column), f"{payload}"]
            row += ["-", "-"] if trip is None else [f"{trip.mean:,.1f}", f"{trip.us:.2f}"]
            if table.host:
                modelled = None if trip is None else study.host.round_trip_us(trip.us, trip.frames)
                row += ["-" if modelled is None else f"{modelled:.2f}", f"{theirs:g}"]
                row += [_ratio(trip.us if trip else None, theirs), _ratio(modelled, theirs)]
            else:
                cycles = theirs * 1000 / (table.clock_ns or 1.0)
                row += [f"{cycles:,.1f}", f"{theirs:.3f}", _ratio(trip.mean if trip else None, cycles)]
            shown.add_row(*row, *(_over(study, table, column, payload) if over else []))
        shown.add_section()
    return shown


def throughput_table(study: Study, table: Published) -> "Table":
    """Throughputs, a row for each preset and payload; with the window and what was lost."""
    head = ["\nsystem", "\npayload", "ours\nMb/s", "of the\nline", "frames\nlost", "window\nMb/s"]
    head += ["published\nprinted", "\nx 1.0486", "ratio"]
    over = any(column.over for column in study.columns(table))
    if over:
        head += ["1.2/\n1.1", "\npubl."]
    shown = _new_table(*head)
    for column in study.columns(table):
        for payload in study.plan.payloads(table.payloads):
            rate = study.throughput(column.preset, column.mode, payload)
            slow = study.throughput(column.preset, column.mode, payload, window_of(column.preset))
            theirs = table.converted(column, payload)
            row = [_label(column), f"{payload}"]
            if rate is None:
                row += ["-", "-", "-"]
            else:
                lost = f"{100 * rate.loss:.1f}%" if rate.lost_counted else "none"
                row += [f"{rate.mbps:.2f}", f"{100 * rate.line_share:.1f}%", lost]
            row += ["-" if slow is None else f"{slow.mbps:.2f}"]
            row += [f"{table.value(column, payload):.2f}", f"{theirs:.2f}", _ratio(rate.mbps if rate else None, theirs)]
            shown.add_row(*row, *(_over(study, table, column, payload) if over else []))
        shown.add_section()
    return shown


def _label(column: Column) -> str:
    return column.preset if column.mode == "normal" else f"{column.preset}, {column.mode.replace('_', ' ')}"


def _ratio(ours: float | None, theirs: float) -> str:
    return "-" if ours is None else f"{ours / theirs:.2f}" if ours / theirs >= 0.095 else f"{ours / theirs:.3f}"


def _over(study: Study, table: Published, column: Column, payload: int) -> list[str]:
    if not column.over:
        return ["", ""]
    other = next(that for that in table.columns if that.preset == column.over)
    theirs = f"{table.value(column, payload) / table.value(other, payload):.2f}"
    ours, base = (study.figure(table.metric, name, column.mode, payload) for name in (column.preset, column.over))
    return ["-" if ours is None or base is None else f"{ours / base:.2f}", theirs]


def sleep_table(study: Study) -> "Table":
    """What time.sleep took, a row for each delay asked for, in seconds."""
    theirs = data()["sleep"]
    shown = _new_table("asked for", "ours", "published", "ratio")
    for asked, known in zip(theirs["requested"], theirs["actual"], strict=True):
        took = study.sleeps[asked]
        shown.add_row(f"{asked:g}", f"{took:.2e}", f"{known:.2e}", _ratio(took, known))
    return shown


def burst_table(study: Study) -> "Table":
    """The longest burst without loss, a row for each preset."""
    payloads = study.plan.payloads(BURST_PAYLOADS)
    shown = _new_table("system", *(f"{payload} B" for payload in payloads), "counted as")
    for preset in study.plan.systems:
        bursts = [study.burst(preset, payload) for payload in payloads]
        causes = sorted({burst.cause for burst in bursts if burst is not None and burst.cause})
        cells = ["-" if burst is None else burst_text(burst) for burst in bursts]
        shown.add_row(preset, *cells, ", ".join(causes))
    return shown


def limits_table(study: Study) -> "Table":
    """A row for each limit; bold: missed, or without a figure."""
    shown = _new_table("", "system", "payload", "ours", "wanted", "")
    for limit in limits(study):
        verdict = "met" if limit.met else "missed" if limit.ours else "no figure"
        row = (limit.what, limit.preset, f"{limit.payload}", limit.ours or "-", limit.wanted, verdict)
        shown.add_row(*row, style="" if limit.met else "bold")
    return shown


def area_section(study: Study) -> "Iterator[RenderableType]":
    """Utilization in percent of the KC705, and remarks on it."""
    from nsoc.hardware import synth

    theirs = synth.published()
    available = theirs["board"]["kc705"]
    shown = _new_table("system", "resource", "ours", "of the\nKC705, %", "published\n%", "ratio")
    brams = {}
    for preset, result in study.areas.items():
        entry = next(entry for entry in theirs["soc"] if preset in entry["presets"])
        if isinstance(result, Failed):
            shown.add_row(preset, "-", "-", "-", "-", "-")
            yield escape(f"{preset}: no figures, {result.why}")
            continue
        brams[preset] = (result.area.bram, entry["bram"] / 100 * available["bram"])
        for key, name in (("lut", "LUTs"), ("ff", "registers"), ("bram", "block RAM"), ("dsp", "DSP")):
            count = getattr(result.area, key)
            share = 100 * count / available[key]
            row = (f"{count:,g}" if key == "bram" else f"{count:,}", f"{share:.2f}", f"{entry[key]:.2f}")
            shown.add_row(preset, name, *row, f"{share / entry[key]:.2f}")
        shown.add_section()
    if study.areas:
        yield shown
    missing = [
        p for entry in theirs["soc"] for p in entry["presets"] if p in study.plan.systems and p not in study.areas
    ]
    if missing:
        yield f"Not synthesized yet: {', '.join(missing)}; --table {AREA_TABLE} does it, minutes for each."
    for fast, dram in (("nic11-fast", "nic11-dram"), ("nic12-fast", "nic12-dram")):
        if fast in brams and dram in brams:
            ours, published_ = (brams[fast][place] - brams[dram][place] for place in (0, 1))
            yield f"{fast} has {ours:+g} block RAMs (of 36 kbit) over {dram}; published {published_:+.1f}."
    yield (
        "The published SoC has another processor (SPARC V8 with floating point), a DDR3 controller and debug access "
        f"besides the NIC. Published: {theirs['soc'][0]['source']}."
    )
