# SPDX-License-Identifier: Apache-2.0
"""What is to be measured for the tables, and measuring it: a plan, and the study that comes of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nsoc.bench import jobs, mac_example, measure
from nsoc.bench.jobs import Failed, Job, Results
from nsoc.bench.thesis.goals import OVER, RATIO, SHARE, UNLIMITED, WORST, limits, orders, wanted
from nsoc.bench.thesis.host import HostModel, host_model, measure_sleeps
from nsoc.bench.thesis.published_tables import (
    AREA_TABLE,
    BURST_TABLE,
    LIMITS_TABLE,
    MAC_TABLES,
    RTT,
    SLEEP_TABLE,
    SYSTEMS,
    Column,
    Published,
    data,
    names,
    published,
    window_of,
)
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.progress import Progress

BURST_PAYLOADS = measure.PAYLOADS
QUICK_FRAMES, QUICK_WARM_UP, QUICK_BURST = 2000, 400, 1024
QUICK_PAYLOADS = (64, 1024, 1486)


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
        jobs = []
        for metric in (SHARE, RATIO, WORST, UNLIMITED):
            for row in wanted(metric, SYSTEMS, self.payloads):
                preset, payload, mode = row.preset or "", row.payload or 0, row.mode or ""
                if metric == WORST:
                    jobs.append(self.round_trip(preset, "normal", payload))
                elif metric == UNLIMITED:
                    jobs.append(self.burst(preset, payload))
                else:
                    both = (preset, mode.removeprefix(OVER)) if metric == RATIO else (preset,)
                    jobs += [self.throughput(name, "normal", payload) for name in both]
        return [job for job in jobs if job.preset in self.systems]


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


@public
def plan(tables: Sequence[str] = (), systems: Sequence[str] = (), *, seed: int = 1, quick: bool = False) -> Plan:
    """What is to be measured for tables and presets of these names; all when there are none."""
    return Plan(
        tuple(_chosen(tables, names(), "table") or names()),
        tuple(_chosen(systems, SYSTEMS, "preset with published figures") or SYSTEMS),
        seed,
        quick,
        not tables,
    )


@public
def run(
    wanted: Plan,
    host: HostModel | None = None,
    *,
    fresh: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Study:
    """Measure what is not on disk yet, `workers` at a time (default: one a core)."""
    if AREA_TABLE in wanted.tables and not wanted.all_tables:
        from nsoc.hardware import yosys

        yosys.share_folder()
    results = jobs.run(wanted.jobs(), fresh=fresh, workers=workers, progress=progress)
    sleeps = measure_sleeps(data()["sleep"]["requested"]) if SLEEP_TABLE in wanted.tables else {}
    areas = _areas(wanted.systems, only_kept=wanted.all_tables) if AREA_TABLE in wanted.tables else {}
    return Study(wanted, results, host or host_model(), sleeps, areas)


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
