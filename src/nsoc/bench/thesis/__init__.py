# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench thesis`: the published tables, ours beside theirs.

published/thesis.toml says what stands in which table, and which preset it belongs to. nsoc.bench.measure says what is
measured, and how. Ratios are ours / published. Nothing here is tuned to come near a published figure. Where our figures
differ in shape, the lines below a table say by how much, in figures that were measured.

`published_tables` reads the document's figures, `host` is what a host's operating system adds. `study` plans and
measures, `goals` compares what came of it with what this project wants. `show` says it to people, by `tables` and the
sentences of `facts`; `export` makes records of it.
"""

from nsoc.bench.thesis.export import records
from nsoc.bench.thesis.goals import SUITE, Limit, limits, orders
from nsoc.bench.thesis.host import SLEEPS, HostModel, host_model, measure_sleeps
from nsoc.bench.thesis.published_tables import (
    AREA_TABLE,
    BURST_TABLE,
    LIMITS_TABLE,
    MAC_TABLES,
    RISC_V,
    RTT,
    SLEEP_TABLE,
    SYSTEMS,
    THROUGHPUT,
    V8,
    Column,
    Published,
    data,
    names,
    published,
    window_of,
)
from nsoc.bench.thesis.show import sections
from nsoc.bench.thesis.study import QUICK_FRAMES, Plan, Study, plan, run

__all__ = [
    "AREA_TABLE",
    "BURST_TABLE",
    "LIMITS_TABLE",
    "MAC_TABLES",
    "QUICK_FRAMES",
    "RISC_V",
    "RTT",
    "SLEEPS",
    "SLEEP_TABLE",
    "SUITE",
    "SYSTEMS",
    "THROUGHPUT",
    "V8",
    "Column",
    "HostModel",
    "Limit",
    "Plan",
    "Published",
    "Study",
    "data",
    "host_model",
    "limits",
    "measure_sleeps",
    "names",
    "orders",
    "plan",
    "published",
    "records",
    "run",
    "sections",
    "window_of",
]
