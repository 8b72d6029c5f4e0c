# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench sockets`: an echo through the SoC by every way that a program has, beside the seven published tables.

dca-udp, dca-tcp              by direct cache access, the program waits in an instruction
nodca-udp, nodca-tcp          on the TCP/IP engine, payload by way of memory, the program waits in a loop
socket-udp, socket-tcp        the same by sockets, the program's thread waits in recv()
lwip-raw-udp, lwip-raw-tcp    lwIP's raw interface on the same SoC without the engine (preset toe-lwip)
lwip-socket-udp, -tcp         lwIP's sockets there, the same program as with the engine's

And what programs do that are busy: socket-receive and socket-send, the goodput of one connection; http, requests that
a server answers. The same with nodca- in front of it on a SoC without direct cache access.

dca                           the size of the unit and of the cache's line port on 7-series
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc import figures
from nsoc.bench import pool, sockets_area, sockets_measure, sockets_rates, store
from nsoc.bench.sockets_area import DcaArea
from nsoc.bench.sockets_measure import PAYLOADS, Table, Way
from nsoc.bench.sockets_rates import Rate
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.hardware import synth, yosys
from nsoc.hardware.synth import Target
from nsoc.machine import build, presets
from nsoc.network.ethernet import LINE_MBPS
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table as Shown

SUITE = "sockets"
PUBLISHED = Path(__file__).parents[1] / "published" / "sockets.toml"
WAYS = (
    Way("dca", "toe", "dca_echo"),
    Way("nodca", "toe-nodca", "toe_echo"),
    Way("socket", "toe", "socket_echo"),
    Way("lwip-raw", "toe-lwip", "net"),
    Way("lwip-socket", "toe-lwip", "socket_echo"),
)
RATES = sockets_rates.MODES
AREA = sockets_area.MODE
CPU_MHZ = 80.0
UNITS = {sockets_rates.GOODPUT: "Mb/s", sockets_rates.REQUESTS: "1/s"}
LIMIT_MBPS = LINE_MBPS * sockets_rates.SEGMENT / (sockets_rates.SEGMENT + 90)
"""What full segments with timestamps leave of the line."""


@dataclass
class SocketsResult:
    """Everything `nsoc bench sockets` found."""

    tables: list[Table]
    rates: list[Rate] = field(default_factory=list)
    area: DcaArea | None = None

    @property
    def failure(self) -> str:
        """One sentence on goals that are missed; empty when there are none."""
        missed = [
            f"{table.name} {one.payload} B ({one.cycles:.0f} cycles, wanted {goal})"
            for table in self.tables
            for one in table.delays
            if (goal := wanted(table, one.payload)) is not None and one.cycles > goal
        ]
        missed += [
            f"{rate.mode} ({rate.value:.1f} {UNITS[rate.metric]}, wanted {least})"
            for rate in self.rates
            if (least := wanted_rate(rate)) is not None and rate.value < least
        ]
        if self.area:
            sizes = [(metric, getattr(self.area.counted, metric)) for metric in sockets_area.METRICS]
            missed += [
                f"{AREA} {metric} ({is_}, wanted {most})"
                for metric, is_ in sizes
                if (most := wanted_area(metric)) is not None and is_ > most
            ]
        return f"missed: {', '.join(missed)}" if missed else ""


def published() -> dict[str, Any]:
    """published/sockets.toml."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def wanted(table: Table, payload: int) -> float | None:
    """Cycles at most."""
    return figures.goal(SUITE, table.preset, table.name, "echo_cycles", payload)


def wanted_rate(rate: Rate) -> float | None:
    """At least, in the unit of its metric."""
    return figures.goal(SUITE, rate.preset, rate.mode, rate.metric)


def wanted_area(metric: str) -> float | None:
    """At most, of the unit and the line port."""
    return figures.goal(SUITE, None, AREA, metric)


def modes() -> list[str]:
    """All that can be measured, by name."""
    return [*_calls(None, 0), AREA]


# ---- All of it -------------------------------------------------------------------------------------------------------


@public
def run(
    chosen: Sequence[str] = (),
    *,
    preset: str | None = None,
    seed: int = 1,
    fresh: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> SocketsResult:
    """Measures the modes `chosen`, all when none is given: then the area only if it is synthesized already. `preset`
    takes the place of those that the modes have, and has the modes that it can be measured in, without the area. What
    was measured before is taken from disk, but not with `fresh`. Raises NsocError for a mode that there is not."""
    every = _calls(preset, seed)
    there = [*every] if preset else [*every, AREA]
    if unknown := [mode for mode in chosen if mode not in there]:
        where = f" on {preset}" if preset else ""
        raise NsocError(f"there is no mode {unknown[0]!r}{where}, only {', '.join(there)}")
    if AREA in chosen:
        yosys.share_folder()
    calls = {mode: call for mode, call in every.items() if not chosen or mode in chosen}
    keys = _keys(calls, seed)
    found = {} if fresh else _recalled(keys)
    progress(len(found), len(calls))
    todo = {mode: preset for mode, (preset, _) in calls.items() if mode not in found}
    # Simulators are not built by the processes that measure, side by side.
    for system in dict.fromkeys(todo.values()):
        build.simulator(presets.load_soc(system), build.Variant(trace=True))
    if todo:
        with pool.completed({mode: calls[mode][1] for mode in todo}, workers) as results:
            for mode, one in results:
                store.keep(keys[mode], one)
                found[mode] = one
                progress(len(found), len(calls))
    area = sockets_area.measure() if AREA in chosen else None if chosen or preset else sockets_area.kept()
    return _result((found[mode] for mode in calls), area)


def kept(seed: int = 1) -> SocketsResult:
    """What earlier runs have measured of the RTL, firmware and code that there is now."""
    calls = _calls(None, seed)
    found = _recalled(_keys(calls, seed))
    return _result((found[mode] for mode in calls if mode in found), sockets_area.kept())


def todo(seed: int = 1) -> list[str]:
    """The modes that are not on disk, but for the area."""
    keys = _keys(_calls(None, seed), seed)
    found = _recalled(keys)
    return [mode for mode in keys if mode not in found]


def _result(found: Iterable[Table | Rate], area: DcaArea | None) -> SocketsResult:
    result = SocketsResult([], area=area)
    for one in found:
        if isinstance(one, Table):
            result.tables.append(one)
        else:
            result.rates.append(one)
    return result


def _calls(preset: str | None, seed: int) -> dict[str, tuple[str, Callable[[], Table | Rate]]]:
    """Of each mode its system, and what measures it. With `preset`, of the modes that there are on it."""
    calls: dict[str, tuple[str, Callable[[], Table | Rate]]] = {}
    for way in WAYS:
        if preset is None or _has(preset, way.name):
            taken = replace(way, preset=preset or way.preset)
            for protocol in way.protocols:
                calls[f"{way.name}-{protocol}"] = taken.preset, partial(sockets_measure.measure, taken, protocol, seed)
    for mode in RATES:
        if preset is None or _has(preset, "nodca" if mode.startswith("nodca-") else "dca"):
            system = preset or sockets_rates.preset(mode)
            calls[mode] = system, partial(sockets_rates.measure, mode, system, seed)
    return calls


def _has(preset: str, way: str) -> bool:
    """Whether programs on the preset have that one of the WAYS to the network."""
    system = presets.load_soc(preset)
    if not system.connections:
        return way.startswith("lwip-")
    return way in ("socket", "dca" if system.unit == "dca" else "nodca")


def _keys(calls: Mapping[str, tuple[str, Any]], seed: int) -> dict[str, store.Key]:
    simulated = store.simulated_digest()
    codes = [store.code_digest(module.__name__) for module in (sockets_measure, sockets_rates)]
    return {
        mode: store.key(presets.load_soc(preset), seed, {"sockets": mode}, simulated, codes[mode in RATES])
        for mode, (preset, _) in calls.items()
    }


def _recalled(keys: Mapping[str, store.Key]) -> dict[str, Table | Rate]:
    found: dict[str, Table | Rate] = {}
    for mode, key in keys.items():
        one = store.recall(key, Rate) if mode in RATES else store.recall(key, Table)
        if one is not None:
            found[mode] = one
    return found


# ---- What is shown ---------------------------------------------------------------------------------------------------


@public
def records(result: SocketsResult) -> list[Record]:
    """Every figure in the machine format."""
    theirs = published()
    made = []
    for table in result.tables:
        for place, one in enumerate(table.delays):
            printed = theirs["cycles"][table.name][place]
            made += [
                Record(
                    SUITE, table.preset, "echo_cycles", one.cycles, table.name, one.payload, "cycles", None, printed,
                    theirs["source"],
                ),
                Record(SUITE, table.preset, "echo_gmii_ns", one.gmii_ns, table.name, one.payload, "ns"),
            ]  # fmt: skip
    for rate in result.rates:
        limit = LIMIT_MBPS if rate.metric == sockets_rates.GOODPUT else None
        made.append(Record(SUITE, rate.preset, rate.metric, rate.value, rate.mode, None, UNITS[rate.metric], limit))
    if result.area:
        anchor = theirs["area"]
        for mode, area in result.area.by_mode.items():
            for metric in sockets_area.METRICS:
                shown = anchor.get(metric) if mode == AREA else None
                made.append(
                    Record(
                        SUITE, None, metric, getattr(area, metric), mode, unit=synth.UNITS[Target.XC7][metric],
                        published=shown, source=theirs["source"] if shown is not None else None,
                    )
                )  # fmt: skip
    return made


def tables(result: SocketsResult) -> "list[Shown]":
    """Cycles by payload, ours beside the published ones; rates; the size."""
    from rich import box
    from rich.table import Table as Rich

    theirs = published()["cycles"]
    shown = Rich(box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    for payload in PAYLOADS:
        shown.add_column(f"{payload} B", justify="right")
    for heading in ("gain, mean", "least", "most"):
        shown.add_column(heading, justify="right")
    for table in result.tables:
        gains = gain(table)
        shown.add_row(
            table.name, *(f"{one.cycles:.0f}" for one in table.delays),
            f"{sum(gains) / len(gains):.1f}", f"{min(gains):.1f}", f"{max(gains):.1f}",
        )  # fmt: skip
        shown.add_row("  published", *(f"{one}" for one in theirs[table.name]), "", "", "")
        shown.add_row("  ours, us at the pins", *(f"{one.gmii_ns / 1000:.2f}" for one in table.delays), "", "", "")
    rates = Rich(box=box.SIMPLE_HEAD)
    rates.add_column("")
    for heading in ("ours", "wanted"):
        rates.add_column(heading, justify="right")
    rates.add_column("unit")
    for rate in result.rates:
        digits = 1 if rate.metric == sockets_rates.GOODPUT else 0
        goal = wanted_rate(rate)
        rates.add_row(
            rate.mode, f"{rate.value:,.{digits}f}", "" if goal is None else f"{goal:,.{digits}f}", UNITS[rate.metric]
        )
    sizes = [_sizes(result.area)] if result.area else []
    return [*([shown] if result.tables else []), *([rates] if result.rates else []), *sizes]


def _sizes(area: DcaArea) -> "Shown":
    from rich import box
    from rich.table import Table as Rich

    shown = Rich(box=box.SIMPLE_HEAD)
    shown.add_column("")
    for metric in sockets_area.METRICS:
        shown.add_column(synth.UNITS[Target.XC7][metric], justify="right")

    def add(name: str, figures: Sequence[object]) -> None:
        shown.add_row(name, *("" if figure is None else f"{figure:,}" for figure in figures))

    def of(one: synth.Area) -> list[object]:
        return [getattr(one, metric) for metric in sockets_area.METRICS]

    add(AREA, of(area.counted))
    add("  wanted", [wanted_area(metric) for metric in sockets_area.METRICS])
    add("  published, a controller alone", [published()["area"].get(metric) for metric in sockets_area.METRICS])
    for name, one in area.parts.items():
        add(f"  {name}", of(one))
    for mode, one in area.beside.items():
        add(f"{mode}, not in it", of(one))
    return shown


def gain(table: Table) -> list[float]:
    """Published cycles over ours, of each payload."""
    theirs = published()["cycles"][table.name]
    return [printed / one.cycles for one, printed in zip(table.delays, theirs, strict=True)]


def lines(result: SocketsResult) -> list[str]:
    """What the tables leave to say."""
    rates = [
        f"socket-receive, socket-send: payload of one connection in {sockets_rates.MEASURED_US / 1000:g} ms of "
        f"simulated time, the line allows {LIMIT_MBPS:.1f} Mb/s. http: {sockets_rates.CLIENTS} clients that stay "
        "connected, a page of 1 kB."
    ]
    sizes = [
        f"{AREA}: the unit behind custom-0 with the memory of preset toe, and what a load/store unit with a line port "
        "has more than one without, as Yosys finds cells of 7-series. Slots and rings cross to the NIC's clock."
    ]
    if not result.tables:
        return [*(rates if result.rates else []), *(sizes if result.area else [])]
    most = max(one.most_cycles / one.cycles for table in result.tables for one in table.delays)
    a9 = published()["cortex_a9_us"]
    return [
        f"Cycles of the processor ({CPU_MHZ:g} MHz; published 100 MHz) from the first word out of the MAC's receive "
        f"FIFO, where the whole frame is, to the last one into its transmit FIFO. Mean of {sockets_measure.ECHOES} "
        "echoes at as many phases of the clocks; the longest is "
        f"{most:.2f} times the mean at most.",
        "us at the pins: frames cut through, first byte of the destination address in to the last byte of the FCS out.",
        "Gain: published cycles over ours, mean, least and most of the payloads.",
        f"A Cortex-A9 at 667 MHz with lwIP and sockets takes {a9['socket-udp'][0]} us (UDP, 32 B) to "
        f"{a9['socket-tcp'][-1]} us (TCP, 1024 B), as published.",
        *(rates if result.rates else []),
        *(sizes if result.area else []),
        f"Published: {published()['source']}.",
    ]
