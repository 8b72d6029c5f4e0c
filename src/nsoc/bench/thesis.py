# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench thesis`: the published tables, ours beside theirs.

What stands in which table, and which preset it belongs to, is in published/thesis.toml; what is measured and how, in
nsoc.bench.measure. Ratios are ours / published. Nothing here is tuned to come near a published figure: where ours
differ in shape, the lines below a table say by how much, in figures that were measured.
"""

import random
import statistics
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from nsoc.bench import jobs, mac_example, measure
from nsoc.bench.jobs import Failed, Job, Results
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.records import MEBI, PUBLISHED_UNIT, Record

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

SUITE = "thesis"
FOLDER = Path(__file__).parents[1] / "published"
RTT, THROUGHPUT = "rtt_us", "throughput_mbps"

MAC_TABLES = {"B.1": "Round trip", "B.2": "Throughput"}
SLEEP_TABLE = "C.1"
BURST_TABLE, LIMITS_TABLE, AREA_TABLE = "burst", "limits", "utilization"
SYSTEMS = ("nic11-dram", "nic11-l2", "nic11-fast", "nic12-dram", "nic12-l2", "nic12-fast")
"""Every preset with a processor, slow to fast as published."""
ORDERS = {"NIC_1.1": SYSTEMS[:3], "NIC_1.2": SYSTEMS[3:]}
BURST_PAYLOADS = measure.PAYLOADS

QUICK_FRAMES, QUICK_WARM_UP, QUICK_BURST = 2000, 400, 1024
QUICK_PAYLOADS = (64, 1024, 1486)
SLEEPS = 5


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


@dataclass(frozen=True)
class Published:
    """A published table."""

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


@dataclass(frozen=True)
class HostModel:
    """What a host's operating system adds to a round trip. A model: the figure without it is the measured one."""

    send_us: float
    receive_us: float
    jitter_us: float = 0.0
    """Each way takes up to so much longer, evenly distributed."""
    seed: int = 1

    def round_trip_us(self, hardware_us: float, frames: int) -> float:
        """Mean of as many frames as were measured."""
        draw = random.Random(self.seed)
        jitter = sum(draw.uniform(0, self.jitter_us) for _ in range(2 * frames)) / frames
        return hardware_us + self.send_us + self.receive_us + jitter


@dataclass(frozen=True)
class Limit:
    """What this project wants of a figure."""

    what: str
    preset: str
    metric: str
    payload: int
    ours: str
    """Measured; empty when there is no figure."""
    wanted: str
    limit: float | None
    met: bool


# ---- Published figures -----------------------------------------------------------------------------------------------


@cache
def data() -> dict[str, Any]:
    """published/thesis.toml."""
    return _toml("thesis.toml")


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


def host_model(
    send_us: float | None = None, receive_us: float | None = None, jitter_us: float = 0.0, seed: int = 1
) -> HostModel:
    """The published 60 us, half of it each way, where nothing else is given."""
    known = data()["host"]
    return HostModel(
        known["send_us"] if send_us is None else send_us,
        known["receive_us"] if receive_us is None else receive_us,
        jitter_us,
        seed,
    )


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


def _referred(where: str) -> Sequence[float]:
    """`TABLE/COLUMN` of this file, or `FILE:TABLE.KEY` of another."""
    file, colon, path = where.partition(":")
    if colon:
        value: Any = _toml(file)
        for key in path.split("."):
            value = value[key]
        return list(value)
    number, _, name = where.partition("/")
    return next(list(column["values"]) for column in data()["table"][number]["column"] if column["name"] == name)


@cache
def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))


# ---- Measuring -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    tables: tuple[str, ...]
    systems: tuple[str, ...]
    """Presets that figures are wanted of."""
    seed: int = 1
    quick: bool = False
    all_tables: bool = False
    """Nobody named one: then nothing is synthesized for the utilization, which takes minutes; what is kept is shown."""

    def payloads(self, payloads: Iterable[int]) -> list[int]:
        """Those that are measured."""
        return [payload for payload in payloads if not self.quick or payload in QUICK_PAYLOADS]

    def round_trip(self, preset: str, mode: str, payload: int) -> Job:
        return Job("round_trip", preset, mode, payload, self.seed)

    def throughput(self, preset: str, mode: str, payload: int, window: int = 0) -> Job:
        frames, warm_up = (QUICK_FRAMES, QUICK_WARM_UP) if self.quick else (measure.FRAMES, measure.WARM_UP)
        return Job("throughput", preset, mode, payload, self.seed, window, frames, warm_up)

    def burst(self, preset: str, payload: int) -> Job:
        most = QUICK_BURST if self.quick else measure.MOST
        return Job("burst", preset, "normal", payload, self.seed, frames=most, warm_up=0)

    def mac_example(self) -> Job:
        frames, warm_up = (QUICK_FRAMES, QUICK_WARM_UP) if self.quick else (mac_example.FRAMES, mac_example.WARM_UP)
        return Job("mac_example", mac_example.PRESET, frames=frames, warm_up=warm_up)

    def jobs(self) -> list[Job]:
        """Every measurement that the tables need, each once."""
        wanted: list[Job] = []
        for number in self.tables:
            if number in published():
                wanted += self._of_published(published()[number])
            elif number in MAC_TABLES:
                wanted.append(self.mac_example())
            elif number == BURST_TABLE:
                wanted += [self.burst(p, n) for p in self.systems for n in self.payloads(BURST_PAYLOADS)]
            elif number == LIMITS_TABLE:
                wanted += self._of_limits()
        return list(dict.fromkeys(wanted))

    def _of_published(self, table: Published) -> list[Job]:
        wanted = []
        for column in table.columns:
            if column.preset not in self.systems:
                continue
            for payload in self.payloads(table.payloads):
                if table.metric == RTT:
                    wanted.append(self.round_trip(column.preset, column.mode, payload))
                else:
                    wanted.append(self.throughput(column.preset, column.mode, payload))
                    if not self.quick:
                        wanted.append(self.throughput(column.preset, column.mode, payload, window_of(column.preset)))
        return wanted

    def _of_limits(self) -> list[Job]:
        limits, wanted = data()["limits"], []
        for limit in limits["line_share"]:
            wanted += [self.throughput(limit["preset"], "normal", n) for n in self.payloads(limit["payload"])]
        for limit in limits["not_slower"]:
            for preset in (limit["preset"], limit["than"]):
                wanted += [self.throughput(preset, "normal", n) for n in self.payloads(limit["payload"])]
        for limit in limits["rtt_cycles"]:
            wanted += [self.round_trip(limit["preset"], "normal", n) for n in self.payloads(limit["payload"])]
        for limit in limits["unlimited_burst"]:
            wanted += [self.burst(limit["preset"], n) for n in self.payloads(limit["payload"])]
        return [job for job in wanted if job.preset in self.systems]


@dataclass(frozen=True)
class Study:
    """A plan and what came of it."""

    plan: Plan
    results: Results
    host: HostModel
    sleeps: dict[float, float] = field(default_factory=dict)
    """Seconds that time.sleep took, by those asked for; on the machine that ran this."""
    areas: dict[str, Any] = field(default_factory=dict)
    """nsoc.hardware.synth.Synthesis for 7-series, or Failed, by preset."""

    def round_trip(self, preset: str, mode: str, payload: int) -> measure.RoundTrip | None:
        return self.results.get(self.plan.round_trip(preset, mode, payload))

    def throughput(self, preset: str, mode: str, payload: int, window: int = 0) -> measure.Throughput | None:
        return self.results.get(self.plan.throughput(preset, mode, payload, window))

    def burst(self, preset: str, payload: int) -> measure.Burst | None:
        return self.results.get(self.plan.burst(preset, payload))

    def mac_example(self) -> mac_example.MacExampleResult | None:
        return self.results.get(self.plan.mac_example())

    def columns(self, table: Published) -> list[Column]:
        """Those of the presets that were to be measured."""
        return [column for column in table.columns if column.preset in self.plan.systems]

    def figure(self, metric: str, preset: str, mode: str, payload: int) -> float | None:
        """Round trip in us, or throughput at saturation in Mb/s."""
        if metric == RTT:
            trip = self.round_trip(preset, mode, payload)
            return None if trip is None else trip.us
        rate = self.throughput(preset, mode, payload)
        return None if rate is None else rate.mbps

    @property
    def failure(self) -> str:
        """One sentence on what gave no figure or missed a limit; empty when all is well."""
        failures = self.results.failures()
        failures |= {preset: area.why for preset, area in self.areas.items() if isinstance(area, Failed)}
        if failures:
            return f"no figures of {', '.join(failures)}: {next(iter(failures.values()))}"
        if LIMITS_TABLE in self.plan.tables:
            missed = [limit for limit in limits(self) if not limit.met]
            broken = [sentence for sentence, holds in orders(self) if not holds]
            if missed:
                shown = ", ".join(f"{limit.what} of {limit.preset} at {limit.payload}" for limit in missed[:4])
                return f"limits missed: {shown}" + (f" and {len(missed) - 4} more" if len(missed) > 4 else "")
            if broken:
                return broken[0]
        return ""


def plan(tables: Sequence[str] = (), systems: Sequence[str] = (), *, seed: int = 1, quick: bool = False) -> Plan:
    """What is to be measured for tables and presets of these names; all when there are none."""
    return Plan(
        tuple(_chosen(tables, names(), "table") or names()),
        tuple(_chosen(systems, SYSTEMS, "preset with published figures") or SYSTEMS),
        seed,
        quick,
        not tables,
    )


def run(
    wanted: Plan,
    host: HostModel | None = None,
    *,
    fresh: bool = False,
    workers: int | None = None,
    progress: jobs.Progress = lambda done, total: None,
) -> Study:
    """Measure what is not on disk yet, `workers` at a time (default: one a core)."""
    results = jobs.run(wanted.jobs(), fresh=fresh, workers=workers, progress=progress)
    sleeps = measure_sleeps(data()["sleep"]["requested"]) if SLEEP_TABLE in wanted.tables else {}
    areas = _areas(wanted.systems, only_kept=wanted.all_tables) if AREA_TABLE in wanted.tables else {}
    return Study(wanted, results, host or host_model(), sleeps, areas)


def measure_sleeps(requested: Iterable[float], sleep: Callable[[float], None] = time.sleep) -> dict[float, float]:
    """What time.sleep takes, the median of SLEEPS calls each, in seconds. Wall clock of this machine, never kept."""
    took = {}
    for delay in requested:
        spent = []
        for _ in range(SLEEPS):
            began = time.perf_counter()
            sleep(delay)
            spent.append(time.perf_counter() - began)
        took[delay] = statistics.median(spent)
    return took


def _areas(systems: Iterable[str], only_kept: bool) -> dict[str, Any]:
    """Synthesis for 7-series, or Failed, of each preset whose utilization is published."""
    from nsoc.hardware import synth

    wanted = {preset for entry in synth.published()["soc"] for preset in entry["presets"]}
    areas: dict[str, Any] = {}
    for name in SYSTEMS:
        if name not in wanted & set(systems):
            continue
        try:
            kept = synth.kept_preset(presets.load(name), synth.Target.XC7)
            if kept is None and only_kept:
                continue
            areas[name] = kept or synth.synthesize(name, synth.Target.XC7)[0]
        except NsocError as problem:
            areas[name] = Failed(str(problem).partition("\n")[0])
    return areas


def _chosen(wanted: Sequence[str], known: Sequence[str], what: str) -> list[str]:
    by_name = {name.lower(): name for name in known}
    for name in wanted:
        if name.lower() not in by_name:
            raise NsocError(f"there is no {what} {name!r}, only {', '.join(known)}")
    asked = {name.lower() for name in wanted}
    return [name for name in known if name.lower() in asked]


# ---- Limits and orders -----------------------------------------------------------------------------------------------


def limits(study: Study) -> list[Limit]:
    """What this project wants, of the presets and payloads that were to be measured."""
    wanted, systems, found = data()["limits"], study.plan.systems, []

    def payloads(limit: dict[str, Any]) -> list[int]:
        return study.plan.payloads(limit["payload"]) if limit["preset"] in systems else []

    for limit in wanted["line_share"]:
        for payload in payloads(limit):
            preset, least = limit["preset"], limit["least"]
            rate = study.throughput(preset, "normal", payload)
            ours, met = ("", False) if rate is None else (f"{rate.line_share:.4f}", rate.line_share >= least)
            wish = f">= {least:.4f}"
            found.append(Limit("share of the line", preset, "line_share", payload, ours, wish, least, met))
    for limit in wanted["not_slower"]:
        for payload in payloads(limit) if limit["than"] in systems else []:
            preset, than = limit["preset"], limit["than"]
            rate, other = (study.throughput(name, "normal", payload) for name in (preset, than))
            ours = "" if rate is None else f"{rate.mbps:.2f}"
            wish, least = (than, None) if other is None else (f">= {other.mbps:.2f}", other.mbps)
            met = rate is not None and other is not None and not _below(rate.mbps, other.mbps)
            found.append(Limit(f"Mb/s, not below {than}", preset, THROUGHPUT, payload, ours, wish, least, met))
    for limit in wanted["rtt_cycles"]:
        for payload in payloads(limit):
            trip = study.round_trip(limit["preset"], "normal", payload)
            most = limit["factor"] * (payload + measure.HEADER_BYTES) + limit["constant"]
            ours, met = ("", False) if trip is None else (f"{trip.most:,.1f}", trip.most <= most)
            what = "round trip, cycles, worst"
            found.append(Limit(what, limit["preset"], "rtt_cycles", payload, ours, f"<= {most:,.1f}", most, met))
    for limit in wanted["unlimited_burst"]:
        for payload in payloads(limit):
            burst = study.burst(limit["preset"], payload)
            ours, met = ("", False) if burst is None else (_burst_text(burst), burst.unlimited)
            what = "burst without loss, frames"
            found.append(Limit(what, limit["preset"], "loss_free_burst", payload, ours, "no limit", None, met))
    return found


def _below(one: float, other: float) -> bool:
    """Whether a throughput is below another by more than they can be told apart: a byte time in all frames."""
    return one < other * (1 - 1e-5)


def orders(study: Study) -> list[tuple[str, bool]]:
    """Whether each NIC is slowest with DRAM, faster behind the L2 cache, fastest with the local memory: a sentence and
    whether that is so, for each NIC and metric of which there are figures."""
    found = []
    for name, systems in ORDERS.items():
        for metric, what in ((RTT, "round trip"), (THROUGHPUT, "throughput")):
            payloads, broken = 0, []
            for payload in measure.PAYLOADS:
                figures = [study.figure(metric, preset, "normal", payload) for preset in systems]
                known = [value for value in figures if value is not None]
                if len(known) < len(systems):
                    continue
                payloads += 1
                # Equal is in order: the line limits both.
                if any(_below(a, b) if metric == RTT else _below(b, a) for a, b in pairwise(known)):
                    broken.append(f"{payload} ({', '.join(f'{value:.2f}' for value in known)})")
            if payloads:
                ending = f"is broken at payload {'; '.join(broken)}" if broken else f"holds at all {payloads} payloads"
                found.append((f"{name}, {what}: the order DRAM, L2 cache, local memory {ending}.", not broken))
    return found


# ---- Records ---------------------------------------------------------------------------------------------------------


def records(study: Study) -> list[Record]:
    """A record for each figure; published throughputs in 10^6 bit/s. The table is named in `source`."""
    made: list[Record] = []
    for number in study.plan.tables:
        made += _records_of(study, number)
    return made


def _records_of(study: Study, number: str) -> list[Record]:
    if number in published():
        table = published()[number]
        return [
            record
            for column in study.columns(table)
            for payload in study.plan.payloads(table.payloads)
            for record in _column_records(study, table, column, payload)
        ]
    if number in MAC_TABLES:
        result = study.mac_example()
        trips = MAC_TABLES[number] == "Round trip"
        theirs = mac_example.published()["rtt" if trips else "throughput"]["source"]
        metrics = ("rtt_cycles", RTT) if trips else (THROUGHPUT, "line_share")
        return [
            replace(record, suite=SUITE, source=theirs)
            for record in ([] if result is None else mac_example.records(result))
            if record.metric in metrics
        ]
    if number == SLEEP_TABLE:
        theirs = data()["sleep"]
        return [
            Record(SUITE, None, "sleep_s", took, f"asked {asked:g} s", unit="s",
                   published=theirs["actual"][theirs["requested"].index(asked)], source=theirs["source"])
            for asked, took in study.sleeps.items()
        ]  # fmt: skip
    if number == BURST_TABLE:
        found = []
        for preset in study.plan.systems:
            for payload in study.plan.payloads(BURST_PAYLOADS):
                burst = study.burst(preset, payload)
                if burst is not None:
                    found.append(Record(SUITE, preset, "loss_free_burst", burst.frames, "normal", payload, "frames"))
                    found.append(Record(SUITE, preset, "loss_free_burst_unlimited", burst.unlimited, "normal", payload))
        return found
    if number == AREA_TABLE:
        from nsoc.hardware import synth

        return [
            replace(record, suite=SUITE)
            for preset, area in study.areas.items()
            if not isinstance(area, Failed)
            for record in synth.records(preset, [area])
            if record.mode == synth.Target.XC7
        ]
    return [
        Record(SUITE, limit.preset, f"{limit.metric}_met", limit.met, "normal", limit.payload, limit=limit.limit)
        for limit in limits(study)
    ]


def _column_records(study: Study, table: Published, column: Column, payload: int) -> list[Record]:
    theirs = table.converted(column, payload)
    known: dict[str, Any] = {"published": theirs, "source": table.source}
    preset, mode = column.preset, column.mode
    made = []
    if table.metric == RTT:
        trip = study.round_trip(preset, mode, payload)
        if trip is None:
            return []
        cycles = None if table.clock_ns is None else theirs * 1000 / table.clock_ns
        made.append(
            Record(
                SUITE, preset, "rtt_cycles", trip.mean, mode, payload, "cycles", published=cycles, source=table.source
            )
        )
        made.append(Record(SUITE, preset, RTT, trip.us, mode, payload, "us", **known))
        if table.host:
            modelled = study.host.round_trip_us(trip.us, trip.frames)
            made.append(Record(SUITE, preset, "rtt_host_model_us", modelled, mode, payload, "us", **known))
    else:
        limit = measure.line_limit(payload)
        for window in (0, window_of(preset)):
            rate = study.throughput(preset, mode, payload, window)
            if rate is None:
                continue
            how = f"{mode}:window-{window}" if window else mode
            made.append(Record(SUITE, preset, THROUGHPUT, rate.mbps, how, payload, "Mb/s", limit, **known))
            made.append(Record(SUITE, preset, "line_share", rate.line_share, how, payload, None, 1.0,
                               source=table.source))  # fmt: skip
            counts = {
                "frames": rate.frames,
                "lost_counted": rate.lost_counted,
                "offered": rate.offered,
                "loss": rate.lost,
            }
            made += [
                Record(SUITE, preset, n, v, how, payload, "frames", source=table.source) for n, v in counts.items()
            ]
            made += [
                Record(SUITE, preset, "loss", count, f"{how}:{cause}", payload, "frames", source=table.source)
                for cause, count in rate.drops.items()
            ]
    if column.over:
        ours, base = (study.figure(table.metric, name, mode, payload) for name in (preset, column.over))
        if ours is not None and base is not None:
            theirs_base = next(other for other in table.columns if other.preset == column.over)
            ratio = table.value(column, payload) / table.value(theirs_base, payload)
            metric = "rtt_ratio" if table.metric == RTT else "throughput_ratio"
            made.append(Record(SUITE, preset, metric, ours / base, f"over {column.over}", payload,
                               published=ratio, source=table.source))  # fmt: skip
    return made


# ---- Showing ---------------------------------------------------------------------------------------------------------


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
        yield _rtt_table(study, table) if table.metric == RTT else _throughput_table(study, table)
        yield from _facts(study, table)
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
        yield _sleep_table(study)
        yield (
            "Wall clock of the machine that ran this, just now, median of "
            f"{SLEEPS} calls: the only figures here that another run does not repeat."
        )
    elif number == BURST_TABLE:
        tried = QUICK_BURST if study.plan.quick else measure.MOST
        yield "[bold]Loss-free burst at line rate, frames, by payload"
        yield _burst_table(study)
        yield (
            "Frames back to back, after rest, that all came back: with one more, a frame was lost. No limit: of "
            f"{tried} frames none was lost, and the last half took no longer than the first, so that nothing piles up; "
            f"{tried}+: none was lost, but they pile up."
        )
    elif number == AREA_TABLE:
        yield "[bold]KC705 utilization (slides), ours synthesized for 7-series by Yosys"
        yield from _area_section(study)
    else:
        yield "[bold]What this project wants"
        yield _limits_table(study)
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


def _new_table(*headings: str) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column(headings[0], no_wrap=True)
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _rtt_table(study: Study, table: Published) -> "Table":
    head = ["\nsystem", "\npayload", "ours\ncycles", "\nus"]
    if table.host:
        head += ["with host\nmodel, us", "published\nus", "ratio", "with host\nratio"]
    else:
        head += ["published\ncycles", "\nus", "ratio,\ncycles"]
    over = any(column.over for column in study.columns(table))
    if over:
        head += ["NIC_1.2 /\nNIC_1.1", "\npublished"]
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


def _throughput_table(study: Study, table: Published) -> "Table":
    head = ["\nsystem", "\npayload", "ours\nMb/s", "of the\nline", "frames\nlost", "window\nMb/s"]
    head += ["published\nprinted", "\nx 1.0486", "ratio"]
    over = any(column.over for column in study.columns(table))
    if over:
        head += ["1.2/1.1", "\npubl."]
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


def _sleep_table(study: Study) -> "Table":
    theirs = data()["sleep"]
    shown = _new_table("asked for", "ours", "published", "ratio")
    for asked, known in zip(theirs["requested"], theirs["actual"], strict=True):
        took = study.sleeps[asked]
        shown.add_row(f"{asked:g}", f"{took:.2e}", f"{known:.2e}", _ratio(took, known))
    return shown


def _burst_table(study: Study) -> "Table":
    payloads = study.plan.payloads(BURST_PAYLOADS)
    shown = _new_table("system", *(f"{payload} B" for payload in payloads), "counted as")
    for preset in study.plan.systems:
        bursts = [study.burst(preset, payload) for payload in payloads]
        causes = sorted({burst.cause for burst in bursts if burst is not None and burst.cause})
        cells = ["-" if burst is None else _burst_text(burst) for burst in bursts]
        shown.add_row(preset, *cells, ", ".join(causes))
    return shown


def _burst_text(burst: measure.Burst) -> str:
    return "no limit" if burst.unlimited else f"{burst.frames}" if burst.lost else f"{burst.frames}+"


def _limits_table(study: Study) -> "Table":
    shown = _new_table("", "system", "payload", "ours", "wanted", "")
    for limit in limits(study):
        verdict = "met" if limit.met else "missed" if limit.ours else "no figure"
        row = (limit.what, limit.preset, f"{limit.payload}", limit.ours or "-", limit.wanted, verdict)
        shown.add_row(*row, style="" if limit.met else "bold")
    return shown


def _area_section(study: Study) -> "Iterator[RenderableType]":
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


# ---- Where the shapes differ -----------------------------------------------------------------------------------------


def _facts(study: Study, table: Published) -> Iterator[str]:
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
        slopes.append(f"{column.name} {ours:.2f} and {(b - a) * per / (last - first):.2f}")
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
    sends = [f"{value}" for column in table.columns for value in column.send if column.send != column.values]
    if sends:
        yield f"Published are those received; sent: {', '.join(sends)}."
    for column in study.columns(table):
        ends = _ends(study, table, column)
        if ends is not None:
            first, last, ours_first, ours_last = ends
            ours = [8 * (p + measure.HEADER_BYTES) / mbps for p, mbps in ((first, ours_first), (last, ours_last))]
            theirs = [8 * (p + measure.HEADER_BYTES) / table.converted(column, p) for p in (first, last)]
            costs.append(f"{column.name} {ours[0]:.2f} to {ours[1]:.2f} and {theirs[0]:.1f} to {theirs[1]:.1f}")
        for payload in study.plan.payloads(table.payloads):
            rate = study.throughput(column.preset, column.mode, payload)
            wanted = study.plan.throughput(column.preset, column.mode, payload).frames
            if rate is not None and rate.frames < wanted:
                few.append(f"{column.preset} {payload} B: {rate.frames}")
    if costs:
        yield f"A frame takes, us, from the shortest to the longest, ours and published: {', '.join(costs)}."
    if table.clock_ns:
        byte_mbps = 8000 / table.clock_ns
        beyond = [
            column.name for column in study.columns(table) if column.values[0] > measure.line_limit(table.payloads[0])
        ]
        fastest = max(value for column in study.columns(table) for value in column.values)
        yield (
            f"Published {', '.join(beyond)}: more than a 1 Gb/s line carries, so it did not go through one; a byte a "
            f"cycle of {table.clock_ns:g} ns is {byte_mbps:.0f} Mb/s, and {fastest:.2f} is "
            f"{fastest / byte_mbps:.4f} times that. Ours cannot pass {measure.line_limit(table.payloads[0]):.2f}."
        )
        return
    beyond_line = [
        f"{payload}"
        for payload in table.payloads
        for column in study.columns(table)
        if table.converted(column, payload) > measure.line_limit(payload)
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
            frame = 8 * (1024 + measure.HEADER_BYTES)
            share = 100 * ours / measure.line_limit(1024)
            yield (
                f"{column.preset} over {column.over} at 1024 B: ours {ours / ours_base:.2f}, published "
                f"{theirs / theirs_base:.2f}; a frame takes us {frame / ours_base:.2f} us with queues in memory and "
                f"{frame / ours:.2f} us without (there {frame / theirs_base:.1f} and {frame / theirs:.1f}); "
                f"{column.preset} is at {share:.1f}% of the line, which bounds our ratio at "
                f"{measure.line_limit(1024) / ours_base:.2f}."
            )
