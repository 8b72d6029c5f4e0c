# SPDX-License-Identifier: Apache-2.0
"""Where the shapes of ours and theirs differ, in sentences of measured figures."""

from collections.abc import Iterator

from nsoc.bench.thesis.published_tables import RTT, Column, Published
from nsoc.bench.thesis.study import Study
from nsoc.machine import presets
from nsoc.network.ethernet import HEADER_BYTES, line_limit


def facts(study: Study, table: Published) -> Iterator[str]:
    """Sentences of measured figures: what a frame and a byte cost, ours and theirs."""
    yield from (_rtt_facts if table.metric == RTT else _throughput_facts)(study, table)
    if table.number in ("7.1", "7.2"):
        yield from _queue_facts(study, table)


def _ends(study: Study, table: Published, column: Column) -> tuple[int, int, float, float] | None:
    """The least and the greatest payload from 64 bytes on (less is padded on the line), and our figures there."""
    payloads = [payload for payload in study.plan.payloads(table.payloads) if payload >= 64]
    if len(payloads) < 2:
        return None
    first, last = payloads[0], payloads[-1]
    ours = [study.figure(table.metric, column.preset, column.mode, payload) for payload in (first, last)]
    return None if ours[0] is None or ours[1] is None else (first, last, ours[0], ours[1])


def _rtt_facts(study: Study, table: Published) -> Iterator[str]:
    slopes, offsets, first = [], [], 0
    scale, unit = (1000 / table.clock_ns, "cycles") if table.clock_ns else (1.0, "us")
    for column in study.columns(table):
        ends = _ends(study, table, column)
        if ends is None:
            continue
        first, last, ours_first, ours_last = ends
        nic_mhz = presets.load(column.preset).nic_mhz
        own = nic_mhz if table.clock_ns else 1.0
        per = 1.0 if table.clock_ns else 1000.0
        ours = (ours_last - ours_first) * own * per / (last - first)
        a, b = (table.value(column, payload) * scale for payload in (first, last))
        slopes.append(f"{column.title} {ours:.2f} and {(b - a) * per / (last - first):.2f}")
        offsets.append(f"{ours_first * own:.1f} and {a:.1f}")
    if slopes:
        yield (
            f"Each byte adds, {'cycles' if table.clock_ns else 'ns'}, ours and published: {', '.join(slopes)}; payload "
            f"{first} takes, {unit}: {', '.join(offsets)}."
        )
    if table.clock_ns:
        yield (
            f"Published: by packet length, in a simulation with a clock of {table.clock_ns:g} ns and no line; ours: by "
            "payload (header of 14 bytes and FCS on top, frames below 60 bytes padded), over a 1 Gb/s line, at 8 ns."
        )


def _throughput_facts(study: Study, table: Published) -> Iterator[str]:
    costs, few = [], []
    columns = [column for column in table.columns if column.send != column.values]
    sends = dict.fromkeys(f"{value}" for column in columns for value in column.send)
    if sends:
        yield f"Published are those received; sent: {', '.join(sends)}."
    for column in study.columns(table):
        ends = _ends(study, table, column)
        if ends is not None:
            first, last, ours_first, ours_last = ends
            ours = [8 * (p + HEADER_BYTES) / mbps for p, mbps in ((first, ours_first), (last, ours_last))]
            theirs = [8 * (p + HEADER_BYTES) / table.converted(column, p) for p in (first, last)]
            costs.append(f"{column.title} {ours[0]:.2f} to {ours[1]:.2f} and {theirs[0]:.1f} to {theirs[1]:.1f}")
        for payload in study.plan.payloads(table.payloads):
            rate = study.throughput(column.preset, column.mode, payload)
            wanted = study.plan.throughput(column.preset, column.mode, payload).frames
            if rate is not None and rate.frames < wanted:
                few.append(f"{column.preset} {payload} B: {rate.frames}")
    if costs:
        yield f"A frame takes, us, from the shortest to the longest, ours and published: {', '.join(costs)}."
    if table.clock_ns:
        byte_mbps = 8000 / table.clock_ns
        most = line_limit(table.payloads[0])
        beyond = dict.fromkeys(column.name for column in study.columns(table) if column.values[0] > most)
        fastest = max(value for column in study.columns(table) for value in column.values)
        yield (
            f"Published {', '.join(beyond)}: more than a 1 Gb/s line carries, so it did not go through one; a byte a "
            f"cycle of {table.clock_ns:g} ns is {byte_mbps:.0f} Mb/s, and {fastest:.2f} is "
            f"{fastest / byte_mbps:.4f} times that. Ours cannot pass {most:.2f}."
        )
        return
    beyond_line = [
        f"{payload}"
        for payload in table.payloads
        if any(table.converted(column, payload) > line_limit(payload) for column in study.columns(table))
    ]
    if beyond_line:
        yield (
            f"At payload {', '.join(beyond_line)} the published figure, in 10^6 bit/s, is more than the line carries "
            "in frame bytes."
        )
    if few:
        yield f"Fewer than the usual frames counted: {'; '.join(few)}."


def _queue_facts(study: Study, table: Published) -> Iterator[str]:
    """What NIC_1.1's queues in memory cost, by the same packet memory with the queues in the NIC."""
    for column in study.columns(table):
        if not column.over or 1024 not in study.plan.payloads(table.payloads):
            continue
        base = next(other for other in table.columns if other.preset == column.over)
        ours, ours_base = (study.figure(table.metric, name, "normal", 1024) for name in (column.preset, column.over))
        if ours is None or ours_base is None:
            continue
        theirs, theirs_base = (table.converted(c, 1024) for c in (column, base))
        if table.metric == RTT:
            yield (
                f"{column.preset} over {column.over} at 1024 B: ours {ours / ours_base:.2f}, published "
                f"{theirs / theirs_base:.2f}; queues in memory and 4 KB FIFOs cost us {ours_base - ours:.2f} us a "
                f"round trip, there {theirs_base - theirs:.1f} us."
            )
        else:
            frame = 8 * (1024 + HEADER_BYTES)
            share = 100 * ours / line_limit(1024)
            yield (
                f"{column.preset} over {column.over} at 1024 B: ours {ours / ours_base:.2f}, published "
                f"{theirs / theirs_base:.2f}; a frame takes us {frame / ours_base:.2f} us with queues in memory and "
                f"{frame / ours:.2f} us without (there {frame / theirs_base:.1f} and {frame / theirs:.1f}); "
                f"{column.preset} is at {share:.1f}% of the line, which bounds our ratio at "
                f"{line_limit(1024) / ours_base:.2f}."
            )
