# SPDX-License-Identifier: Apache-2.0
"""A study for people: title, table and remarks, table by table, and what is needed to read them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.markup import escape

from nsoc.bench import mac_example, measure
from nsoc.bench.thesis.facts import facts
from nsoc.bench.thesis.goals import orders
from nsoc.bench.thesis.host import SLEEPS
from nsoc.bench.thesis.published_tables import (
    AREA_TABLE,
    BURST_TABLE,
    MAC_TABLES,
    RTT,
    SLEEP_TABLE,
    THROUGHPUT,
    data,
    published,
)
from nsoc.bench.thesis.study import QUICK_BURST, Study
from nsoc.bench.thesis.tables import (
    area_section,
    burst_table,
    limits_table,
    rtt_table,
    sleep_table,
    throughput_table,
)
from nsoc.records import PUBLISHED_UNIT

if TYPE_CHECKING:
    from rich.console import RenderableType


def sections(study: Study) -> "Iterator[RenderableType]":
    """What to print: title, table and remarks, table by table; strings have rich's markup."""
    for number in study.plan.tables:
        if number not in published() or study.columns(published()[number]):
            yield from _section(study, number)
            yield ""
    for preset, why in study.results.failures().items():
        yield escape(f"{preset}: no figures, {why}")
    yield from _legend(study)


def _section(study: Study, number: str) -> "Iterator[RenderableType]":
    if number in published():
        table = published()[number]
        yield f"[bold]Table {number}. {table.title}"
        yield rtt_table(study, table) if table.metric == RTT else throughput_table(study, table)
        yield from facts(study, table)
    elif number in MAC_TABLES:
        yield f"[bold]Table {number}. {MAC_TABLES[number]}, the MAC's example design"
        result = study.mac_example()
        if result is not None:
            shown = mac_example.tables(result)[list(MAC_TABLES).index(number)]
            shown.title = None
            yield shown
            if number == "B.2" or "B.2" not in study.plan.tables:
                yield from mac_example.lines()
    elif number == SLEEP_TABLE:
        yield "[bold]Table C.1. time.sleep on this host, seconds"
        yield sleep_table(study)
        yield (
            "Wall clock of the machine that ran this, just now, median of "
            f"{SLEEPS} calls: the only figures here that another run does not repeat."
        )
    elif number == BURST_TABLE:
        tried = QUICK_BURST if study.plan.quick else measure.MOST
        yield "[bold]Loss-free burst at line rate, frames, by payload"
        yield burst_table(study)
        yield (
            "Frames back to back, after rest, that all came back: with one more, a frame was lost. No limit: of "
            f"{tried} frames none was lost, and the last half took no longer than the first, so that nothing piles up; "
            f"{tried}+: none was lost, but they pile up."
        )
    elif number == AREA_TABLE:
        yield "[bold]KC705 utilization (slides), ours synthesized for 7-series by Yosys"
        yield from area_section(study)
    else:
        yield "[bold]What this project wants"
        yield limits_table(study)
        yield from (sentence for sentence, _ in orders(study))


def _legend(study: Study) -> Iterator[str]:
    """What several tables need to be read."""
    metrics = {published()[number].metric for number in study.plan.tables if number in published()}
    yield f"Ratio: ours / published. Published: {data()['source']}."
    if RTT in metrics:
        host = study.host
        jitter = f", up to {host.jitter_us:g} us more each way" if host.jitter_us else ""
        yield (
            "Round trip: first byte of the destination address in to last FCS byte out, no load, mean over phases of "
            f"the clocks. Host model (not measured): {host.send_us:g} us to send and {host.receive_us:g} us to "
            f"receive{jitter}; by default what section 7.2 gives."
        )
    if THROUGHPUT in metrics:
        rates = [rate for rate in study.results.found.values() if isinstance(rate, measure.Throughput) and rate.window]
        windows = " or ".join(f"{window}" for window in sorted({rate.window for rate in rates}))
        lost = sum(rate.lost for rate in rates)
        yield (
            "Throughput: frame bytes (payload + 14) of what came back, 10^6 bit/s, from a line never idle; lost: what "
            "is dropped of that all the time (--json has all that was dropped, by cause)."
        )
        yield PUBLISHED_UNIT
        if rates:
            yield f"Window: {windows} frames under way, by MAC FIFO (scheme 3); {lost or 'none'} of them lost."
