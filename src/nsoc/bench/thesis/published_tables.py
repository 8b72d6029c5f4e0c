# SPDX-License-Identifier: Apache-2.0
"""The published tables as published/thesis.toml has them, and which preset is each column's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from nsoc.machine import presets
from nsoc.published import at, load
from nsoc.records import MEBI

RTT, THROUGHPUT = "rtt_us", "throughput_mbps"

MAC_TABLES = {"B.1": "Round trip", "B.2": "Throughput"}
SLEEP_TABLE = "C.1"
BURST_TABLE, LIMITS_TABLE, AREA_TABLE = "burst", "limits", "utilization"
V8 = "ajit-"
"""How the twin of a preset is called that has the published processor's instruction set."""
RISC_V = ("nic11-dram", "nic11-l2", "nic11-fast", "nic12-dram", "nic12-l2", "nic12-fast")
SYSTEMS = (*RISC_V, *(f"{V8}{name}" for name in RISC_V))
"""Every preset with a processor, of each instruction set slow to fast as published."""


@dataclass(frozen=True)
class Column:
    """A column of a published table: one preset in one mode."""

    name: str
    preset: str
    mode: str
    values: tuple[float, ...]
    """As printed, in the order of the table's payloads."""
    send: tuple[float, ...] = ()
    """Where a table has throughputs of both directions; `values` are those received."""
    over: str = ""
    """The preset that this one is compared with in the same table."""

    @property
    def title(self) -> str:
        """The name, and whether it is of our system with SPARC V8."""
        return f"{self.name} (V8)" if self.preset.startswith(V8) else self.name


@dataclass(frozen=True)
class Published:
    """A published table. Its columns stand once for the presets with RISC-V, once for their twins with SPARC V8."""

    number: str
    title: str
    metric: str
    payloads: tuple[int, ...]
    columns: tuple[Column, ...]
    source: str
    host: bool
    """Measured from a host, whose operating system is in the figures."""
    clock_ns: float | None
    """Simulated with a clock of this period, without a line."""

    def value(self, column: Column, payload: int) -> float:
        """As printed."""
        return column.values[self.payloads.index(payload)]

    def converted(self, column: Column, payload: int) -> float:
        """In the unit of ours, Mb/s of 10^6 bit/s: throughputs taken as 2^20, the less favourable to us."""
        return self.value(column, payload) * (MEBI if self.metric == THROUGHPUT else 1.0)


@cache
def data() -> dict[str, Any]:
    """published/thesis.toml."""
    return load("thesis.toml")


@cache
def published() -> dict[str, Published]:
    """The published round trips and throughputs, by table."""
    return {number: _published(number) for number in data()["table"]}


def names() -> list[str]:
    """Every table that `run` knows."""
    return [*data()["table"], *MAC_TABLES, SLEEP_TABLE, BURST_TABLE, LIMITS_TABLE, AREA_TABLE]


def window_of(preset: str) -> int:
    """Frames of the published first burst, for the preset's MAC FIFO."""
    return int(data()["window"][str(presets.load(preset).rx_fifo_bytes)])


def _published(number: str) -> Published:
    table = data()["table"][number]
    columns = tuple(
        Column(
            column["name"],
            column["preset"],
            column.get("mode", "normal"),
            tuple(_referred(column["from"]) if "from" in column else column["values"]),
            tuple(column.get("send", ())),
            column.get("over", ""),
        )
        for column in table["column"]
    )
    columns += tuple(map(_twin, columns))
    payloads = table["payload"]
    return Published(
        number,
        table["title"],
        table["metric"],
        tuple(map(int, _referred(payloads) if isinstance(payloads, str) else payloads)),
        columns,
        f"{data()['source']}, Table {number}",
        table.get("host", False),
        table.get("clock_ns"),
    )


def _twin(column: Column) -> Column:
    """The same published figures for the preset with the published instruction set."""
    over = f"{V8}{column.over}" if column.over else ""
    return replace(column, preset=f"{V8}{column.preset}", over=over)


def _referred(where: str) -> Sequence[float]:
    """`TABLE/COLUMN` of this file, or `FILE:TABLE.KEY` of another."""
    if ":" in where:
        return list(at(where))
    number, _, name = where.partition("/")
    return next(list(column["values"]) for column in data()["table"][number]["column"] if column["name"] == name)
