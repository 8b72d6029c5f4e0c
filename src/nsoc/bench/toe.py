# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench toe`: the TCP/IP engine in the SoC, with firmware `toe_net`, and its blocks alone.

tcp-receive-N    the peer sends to the SoC's discard port over N connections
tcp-send-N       the SoC's source sends to the peer over N connections
tcp-both-N       both at once over each of N connections
...-loss1        with 1 % of random loss each way, 100 us of round trip and timeouts of 1 ms at least
min-frames       segments of 6 bytes without timestamps, in frames of 64 bytes at the rate of the line: what is lost
crowd-N, page-200, syn-flood-B    many peers and hostile ones (nsoc.bench.toe_crowd)
udp-both, udp-tx, udp-rx    datagrams at the stream edges of rtl/net alone (nsoc.bench.toe_edges)
net-tcp          the size of rtl/net and rtl/tcp on 7-series
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nsoc import figures
from nsoc.bench import pool, store, toe_crowd, toe_datagrams, toe_edges, toe_measure
from nsoc.bench.toe_crowd import Flood, Served
from nsoc.bench.toe_datagrams import Echoes
from nsoc.bench.toe_edges import Edges
from nsoc.bench.toe_measure import (
    BOTH,
    LOSS,
    LOST,
    MIN_CONNECTIONS,
    MIN_PAYLOAD,
    RECEIVE,
    SEGMENT,
    SEND,
    MinFrames,
    Run,
)
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.hardware import synth, yosys
from nsoc.hardware.synth import Area, Synthesis, Target
from nsoc.machine import build, presets
from nsoc.network.ethernet import LINE_MBPS
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "toe"
FEW_PRESET, MANY_PRESET = "toe", "toe-1k"
PUBLISHED = Path(__file__).parents[1] / "published" / "toe.toml"
MIN_FRAMES, UDP_ECHO, AREA = "min-frames", "udp-echo", "net-tcp"
UDP_BOTH, UDP_TX, UDP_RX = "udp-both", "udp-tx", "udp-rx"
UDP = (UDP_BOTH, UDP_TX, UDP_RX)
"""Measured together."""
POINTS = (
    (RECEIVE, 1, False), (SEND, 1, False), (BOTH, 1, False),
    (RECEIVE, 1024, False), (SEND, 1024, False), (BOTH, 1024, False),
    (RECEIVE, 1, True), (SEND, 1, True), (RECEIVE, 64, True), (SEND, 64, True),
)  # fmt: skip
CROWDS = {
    **{toe_crowd.crowd_mode(count): MANY_PRESET if count > 64 else FEW_PRESET for count in toe_crowd.CROWDS},
    toe_crowd.PAGE: FEW_PRESET,
}
FLOODS = dict.fromkeys(map(toe_crowd.flood_mode, toe_crowd.BACKLOGS), FEW_PRESET)
"""Modes of nsoc.bench.toe_crowd, each with its preset: hosts that want to be served, and a good peer beside a flood."""
LIMIT_MBPS = LINE_MBPS * SEGMENT / (SEGMENT + 90)
"""On the line a segment has 52 bytes of TCP and IP, 18 of Ethernet and 20 of preamble and gap besides."""


@dataclass
class ToeResult:
    """Everything `nsoc bench toe` found."""

    runs: list[Run]
    min_frames: MinFrames | None = None
    edges: Edges | None = None
    echoes: Echoes | None = None
    area: Area | None = None
    crowds: list[Served] = field(default_factory=list)
    floods: list[Flood] = field(default_factory=list)

    @property
    def failure(self) -> str:
        """One sentence on goals that are missed; empty when there are none."""
        missed = [
            f"{one.name} ({one.least:.1f}, wanted {wanted_mbps(one):.1f})"
            for one in self.runs
            if one.least < wanted_mbps(one)
        ]
        if self.min_frames and self.min_frames.lost > wanted(MIN_FRAMES, "loss"):
            missed.append(f"{MIN_FRAMES} ({self.min_frames.lost} lost)")
        if self.edges:
            worst = self.edges.worst
            if worst.share < wanted(UDP_BOTH, "line_share"):
                missed.append(f"{UDP_BOTH} ({worst.share:.4f} of the line with {worst.payload} bytes)")
            missed += [
                f"{mode} ({cycles} cycles, wanted {most})"
                for mode, cycles, _ in _latencies(self.edges)
                if cycles > (most := wanted(mode, "latency_cycles"))
            ]
        missed += [
            f"{one.mode} ({one.served} of {one.asked} served)"
            for one in self.crowds
            if one.share < wanted(one.mode, "served")
        ]
        for flood in self.floods:
            if flood.goodput_mbps < wanted(flood.mode, "goodput_mbps"):
                missed.append(f"{flood.mode} ({flood.goodput_mbps:.1f} Mb/s)")
            if flood.opened < wanted(flood.mode, "opened"):
                missed.append(f"{flood.mode} ({flood.opened} of {toe_crowd.OPENERS} opened)")
        if self.area:
            sizes = ((metric, getattr(self.area, metric)) for metric in ("lut", "ff", "bram"))
            missed += [
                f"{AREA} {name} ({is_:g}, wanted {most})" for name, is_ in sizes if is_ > (most := wanted(AREA, name))
            ]
        return f"missed: {', '.join(missed)}" if missed else ""


def published() -> dict[str, Any]:
    """published/toe.toml."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def wanted_mbps(one: Run) -> float:
    """At least, of the slower way, whatever system it is measured on."""
    found = figures.goal(SUITE, FEW_PRESET if one.connections == 1 else MANY_PRESET, one.name, "goodput_mbps")
    if found is None:
        raise NsocError(f"{figures.FILE} has no goal for {one.name}: add a row")
    return found


def wanted(mode: str, metric: str) -> float:
    """Of the other modes."""
    where: tuple[str | None, int | None] = (None, None)
    if mode == MIN_FRAMES:
        where = MANY_PRESET, MIN_PAYLOAD
    elif mode in CROWDS or mode in FLOODS:
        where = (CROWDS | FLOODS)[mode], None
    found = figures.goal(SUITE, where[0], mode, metric, where[1])
    if found is None:
        raise NsocError(f"{figures.FILE} has no goal for {metric} of {mode}: add a row")
    return found


# ---- All of it -------------------------------------------------------------------------------------------------------


def modes() -> list[str]:
    """All that can be measured, by name."""
    return [*(Run("", *point).name for point in POINTS), MIN_FRAMES, *CROWDS, *FLOODS, *UDP, UDP_ECHO, AREA]


@dataclass(frozen=True)
class _Call:
    """A measurement of its own."""

    preset: str
    kind: type
    """Of what it gives."""
    module: ModuleType
    """That measures."""
    measure: Callable[[], Any]


_Calls = Mapping[str, _Call]


@public
def run(
    wanted: Sequence[str] = (),
    *,
    preset: str | None = None,
    seed: int = 1,
    fresh: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> ToeResult:
    """Measures the modes `wanted`, all when none is given: then the area only if it is synthesized already.

    `preset` takes the place of those that the modes have. What was measured before is taken from disk, but not with
    `fresh`. Raises NsocError for a mode that there is not.
    """
    if unknown := [mode for mode in wanted if mode not in modes()]:
        raise NsocError(f"there is no mode {unknown[0]!r}, only {', '.join(modes())}")
    if AREA in wanted:
        yosys.share_folder()
    calls = _calls(wanted, preset, seed)
    keys = _keys(calls, seed)
    found = {} if fresh else _recalled(calls, keys)
    progress(len(found), len(calls))
    todo = {name: call for name, call in calls.items() if name not in found}
    # Simulators are not built by the processes that measure, side by side.
    for system in dict.fromkeys(call.preset for call in todo.values() if call.module is not toe_edges):
        build.simulator(presets.load_soc(system))
    if UDP_BOTH in todo:
        toe_edges.built()
    if todo:
        with pool.completed({name: call.measure for name, call in todo.items()}, workers) as results:
            for name, result in results:
                store.keep(keys[name], result)
                found[name] = result
                progress(len(found), len(calls))
    if AREA in wanted:
        plain = [synth.synthesize_module(top, Target.XC7) for top in synth.SUMS[AREA]]
        return _result(calls, found, plain)
    return _result(calls, found, None if wanted else synth.kept(AREA, Target.XC7))


def kept(seed: int = 1) -> ToeResult:
    """What earlier runs have measured of the RTL, firmware and code that there is now."""
    calls = _calls((), None, seed)
    return _result(calls, _recalled(calls, _keys(calls, seed)), synth.kept(AREA, Target.XC7))


def todo(seed: int = 1) -> list[str]:
    """The modes that are not on disk, but for the area."""
    calls = _calls((), None, seed)
    found = _recalled(calls, _keys(calls, seed))
    return [mode for mode in calls if mode not in found]


def _calls(wanted: Sequence[str], preset: str | None, seed: int) -> _Calls:
    def system_of(connections: int) -> str:
        return preset or (FEW_PRESET if connections == 1 else MANY_PRESET)

    few, many = system_of(1), system_of(MIN_CONNECTIONS)
    calls: dict[str, _Call] = {}
    for point in POINTS:
        system = system_of(point[1])
        measure = partial(toe_measure.goodput, system, *point, seed)
        calls[Run("", *point).name] = _Call(system, Run, toe_measure, measure)
    calls[MIN_FRAMES] = _Call(many, MinFrames, toe_measure, partial(toe_measure.smallest_frames, many, seed))
    calls[UDP_BOTH] = _Call(FEW_PRESET, Edges, toe_edges, toe_edges.measure)
    calls[UDP_ECHO] = _Call(few, Echoes, toe_datagrams, partial(toe_datagrams.measure, few, seed))
    for count in toe_crowd.CROWDS:
        name = toe_crowd.crowd_mode(count)
        system = preset or CROWDS[name]
        calls[name] = _Call(system, Served, toe_crowd, partial(toe_crowd.crowd, system, count, seed))
    calls[toe_crowd.PAGE] = _Call(few, Served, toe_crowd, partial(toe_crowd.readers, few, seed))
    for backlog in toe_crowd.BACKLOGS:
        flood = partial(toe_crowd.flood, few, backlog, seed)
        calls[toe_crowd.flood_mode(backlog)] = _Call(few, Flood, toe_crowd, flood)
    names = {UDP_BOTH if name in UDP else name for name in wanted}
    return {name: call for name, call in calls.items() if not wanted or name in names}


def _keys(calls: _Calls, seed: int) -> dict[str, store.Key]:
    simulated = store.simulated_digest()
    code = {module: store.code_digest(module.__name__) for module in {call.module for call in calls.values()}}
    return {
        name: store.key(presets.load_soc(call.preset), seed, {"toe": name}, simulated, code[call.module])
        for name, call in calls.items()
    }


def _recalled(calls: _Calls, keys: Mapping[str, store.Key]) -> dict[str, Any]:
    found = {name: store.recall(key, calls[name].kind) for name, key in keys.items()}
    return {name: result for name, result in found.items() if result is not None}


def _result(calls: _Calls, found: Mapping[str, Any], parts: Sequence[Synthesis] | None) -> ToeResult:
    area = None if parts is None else sum((part.area for part in parts if not part.configuration), Area())
    runs = [one for name in calls if isinstance(one := found.get(name), Run)]
    crowds = [one for name in calls if isinstance(one := found.get(name), Served)]
    floods = [one for name in calls if isinstance(one := found.get(name), Flood)]
    return ToeResult(runs, found.get(MIN_FRAMES), found.get(UDP_BOTH), found.get(UDP_ECHO), area, crowds, floods)


# ---- What is shown ---------------------------------------------------------------------------------------------------


@public
def records(result: ToeResult) -> list[Record]:
    """Every figure in the machine format: of two ways the slower one, and each."""
    theirs = published()
    made = []
    for one in result.runs:
        ways = {one.name: one.least}
        if one.received_mbps is not None and one.sent_mbps is not None:
            ways |= {f"{one.name}-received": one.received_mbps, f"{one.name}-sent": one.sent_mbps}
        made += [
            Record(SUITE, one.preset, "goodput_mbps", mbps, mode, unit="Mb/s", limit=LIMIT_MBPS)
            for mode, mbps in ways.items()
        ]
    if result.min_frames:
        of = result.min_frames
        made.append(Record(SUITE, of.preset, "loss", of.lost, MIN_FRAMES, MIN_PAYLOAD, "frames"))
    for crowd in result.crowds:
        made += [
            Record(SUITE, crowd.preset, "served", crowd.share, crowd.mode, limit=1.0),
            Record(SUITE, crowd.preset, "worst_wait_us", crowd.worst_wait_us, crowd.mode, unit="us"),
        ]
    for flood in result.floods:
        made += [
            Record(SUITE, flood.preset, "goodput_mbps", flood.goodput_mbps, flood.mode, unit="Mb/s", limit=LIMIT_MBPS),
            Record(SUITE, flood.preset, "opened", flood.opened, flood.mode, unit="connections"),
        ]
    if result.edges:
        udp, worst = theirs["udp"], result.edges.worst
        source = udp["source"]
        made += [
            Record(
                SUITE, None, "line_share", worst.share, UDP_BOTH, limit=1.0, published=udp["line_share"][1],
                source=source,
            ),
            *(
                Record(SUITE, None, "latency_cycles", cycles, mode, None, "cycles", None, udp[name], source)
                for mode, cycles, name in _latencies(result.edges)
            ),
        ]  # fmt: skip
    if result.echoes:
        made += [
            Record(SUITE, result.echoes.preset, "line_share", one.share, UDP_ECHO, one.payload, limit=1.0)
            for one in result.echoes.sizes
        ]
    if result.area:
        anchor = theirs["area"]
        made += [
            Record(
                SUITE, None, metric, getattr(result.area, metric), AREA, unit=synth.UNITS[Target.XC7][metric],
                published=anchor[metric], source=anchor["source"],
            )
            for metric in ("lut", "ff", "bram")
        ]  # fmt: skip
    return made


def _latencies(edges: Edges) -> tuple[tuple[str, int, str], ...]:
    """Mode, ours, and the name that goals and anchors have it under."""
    return (UDP_TX, edges.tx_cycles, "tx_cycles"), (UDP_RX, edges.rx_cycles, "rx_cycles")


def tables(result: ToeResult) -> "list[Table]":
    """Goodput, and everything else."""
    return [*([_goodput(result.runs)] if result.runs else []), *([others] if (others := _others(result)).rows else [])]


def _goodput(runs: Sequence[Run]) -> "Table":
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    for heading in ("preset", "connections", "received", "sent", "of the line", "wanted"):
        shown.add_column(heading, justify="right")
    for one in runs:
        shown.add_row(
            one.name, one.preset, f"{one.open or one.connections}", _shown(one.received_mbps), _shown(one.sent_mbps),
            f"{one.least / LIMIT_MBPS:.1%}", f"{wanted_mbps(one) / LIMIT_MBPS:.0%}",
        )  # fmt: skip
    return shown


def _others(result: ToeResult) -> "Table":
    from rich import box
    from rich.table import Table

    theirs = published()
    shown = Table(box=box.SIMPLE_HEAD)
    for heading in ("", ""):
        shown.add_column(heading, no_wrap=True)
    for heading in ("ours", "wanted", "published"):
        shown.add_column(heading, justify="right")
    if result.min_frames:
        lost = f"{result.min_frames.lost} of {result.min_frames.frames}"
        shown.add_row(MIN_FRAMES, "frames lost", lost, f"{wanted(MIN_FRAMES, 'loss')}", "")
    for crowd in result.crowds:
        shown.add_row(crowd.mode, "served", f"{crowd.share:.1%}", f"{wanted(crowd.mode, 'served'):.0%}", "")
        shown.add_row(crowd.mode, "worst wait, ms", f"{crowd.worst_wait_us / 1000:,.3f}", "", "")
    for flood in result.floods:
        least = wanted(flood.mode, "goodput_mbps")
        shown.add_row(flood.mode, "goodput, Mb/s", f"{flood.goodput_mbps:.1f}", f"{least:.1f}", "")
        opened = f"{flood.opened} of {toe_crowd.OPENERS}"
        shown.add_row(flood.mode, f"opened in {toe_crowd.OPEN_S} s", opened, f"{wanted(flood.mode, 'opened')}", "")
    if result.edges:
        udp, edges = theirs["udp"], result.edges
        least, most = udp["line_share"]
        shown.add_row(
            UDP_BOTH, "of the line, all sizes", f"{edges.worst.share:.1%}",
            f"{wanted(UDP_BOTH, 'line_share'):.0%}",             f"{least:.0%} to {most:.0%}",
        )  # fmt: skip
        for mode, cycles, name in _latencies(edges):
            shown.add_row(mode, "cycles", f"{cycles}", f"{wanted(mode, 'latency_cycles')}", f"{udp[name]}")
    if result.echoes:
        for one in result.echoes.sizes:
            shown.add_row(UDP_ECHO, f"of the line, {one.payload} bytes", f"{one.share:.1%}", "", "")
    if result.area:
        for metric in ("lut", "ff", "bram"):
            unit = synth.UNITS[Target.XC7][metric]
            ours = f"{getattr(result.area, metric):,g}"
            shown.add_row(AREA, unit, ours, f"{wanted(AREA, metric):,}", f"{theirs['area'][metric]:,}")
    return shown


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def lines(result: ToeResult) -> list[str]:
    """What the tables leave to say."""
    said = []
    if result.runs:
        said.append(
            f"Mb/s: goodput in simulated time, of each way; segments of {SEGMENT} bytes and timestamps allow "
            f"{LIMIT_MBPS:.1f} on the line."
        )
    if any(one.loss for one in result.runs):
        said.append(
            f"{LOSS[1:]}: {LOST:.0%} of the frames are lost each way; a full segment and its acknowledgement take 100 "
            "us. What is received shows how the peer repairs (NewReno without SACK), what is sent how the engine does."
        )
    if result.min_frames:
        of = result.min_frames
        causes = ", ".join(f"{name} {count}" for name, count in of.causes.items()) or "none"
        said.append(
            f"{MIN_FRAMES}: {of.frames:,} frames of 64 bytes over {of.connections} connections, {of.per_us:.3f} M/s, "
            f"{of.acknowledgements:,} acknowledgements; drop counters that went on: {causes}."
        )
    if result.crowds:
        said.append("crowd, page: from the first SYN until the last byte, of the host that waited the longest.")
    for flood in result.floods:
        said.append(
            f"{flood.mode}: {toe_crowd.SYNS:,} SYNs a second for {toe_crowd.SECONDS} s of the engine's clock; the good "
            f"peer had {flood.quiet_mbps:.1f} Mb/s before and keeps {flood.kept:.1%}; the longest opening took "
            f"{flood.worst_open_s:.2f} s."
        )
    if result.edges:
        said.append(
            f"udp: {len(result.edges.sizes)} sizes from {result.edges.sizes[0].payload} bytes up at the stream edges "
            f"of rtl/net, 64 bits a cycle. Published: {published()['udp']['source']}."
        )
    if result.echoes:
        said.append(
            f"{UDP_ECHO}: datagrams fill the line of {result.echoes.preset}; shown is what comes back by way of memory "
            "and processor."
        )
    if result.area:
        said.append(f"{AREA}: rtl/net and rtl/tcp, 64 connections. Published: {published()['area']['source']}.")
    return said
