# SPDX-License-Identifier: Apache-2.0
"""What a report measures, in pieces: how long each takes by experience, and what it adds to the facts.

Each piece recalls what is on disk, and measures the rest. `How.quick` leaves out all but some figures of each system.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from nsoc.bench import images, jobs, latency, latency_store, pnic, sockets, sweep, thesis, toe
from nsoc.bench.jobs import Job
from nsoc.bench.points import Load
from nsoc.machine import build, presets
from nsoc.progress import Progress
from nsoc.report import add, chapter_nic, chapter_pnic, chapter_tcp, facts, kept
from nsoc.report.facts import MODES, NORMAL, PRESETS, STAGE_PAYLOADS, Facts

SIMULATED = (*thesis.published(), *thesis.MAC_TABLES, thesis.BURST_TABLE)
UNSIMULATED = (thesis.SLEEP_TABLE, thesis.AREA_TABLE)
QUICK_PRESETS = ("nic11-fast", "nic12-fast")
QUICK_V8 = ("ajit-nic12-fast",)
QUICK_IMAGES = ("scheme3-small", "scheme4-small", images.PICTURE)
QUICK_SOCKETS = ("dca-udp", "dca-tcp", "socket-udp", "socket-tcp")
QUICK_TOE = ("tcp-receive-1", "tcp-send-1")
QUICK_LATENCY = ("lat-10g", (1, 64, 1456))
JOB_S = {"round_trip": 1.0, "throughput": 8.0, "burst": 40.0, "mac_example": 10.0}
"""Seconds of an idle core for a measurement, roughly; those below likewise."""
IMAGE_S, SOCKETS_S, TOE_S, SEGMENTS_S, STREAMS_S, STAGES_S = 4.0, 20.0, 12.0, 2.0, 40.0, 3.0
LARGE_S, LONG_S, PNIC_S, PNIC_QUICK_S, SLEEP_S = 90.0, 60.0, 300.0, 25.0, 3.0
BUILD_S = 60.0
"""Of a simulator."""


@dataclass(frozen=True)
class How:
    """How a report is measured."""

    seed: int = 1
    quick: bool = False
    fresh: bool = False
    measure: bool = True
    """False: what is on disk, and nothing else."""
    workers: int = 2


@dataclass(frozen=True)
class Work:
    """A piece."""

    what: str
    seconds: float
    """Of an idle core, for what is not on disk, roughly."""
    do: Callable[[Facts, Progress], None]


def told(plan: Sequence[Work], how: How) -> str:
    """A sentence on how long it takes."""
    seconds = sum(one.seconds for one in plan) / min(how.workers, 2)
    left = [one for one in plan if one.seconds]
    if not left:
        return "Everything is on disk already"
    minutes = max(1, round(seconds / 60))
    return (
        f"About {minutes} min on two idle cores, for {len(left)} of {len(plan)} parts; what is measured is kept, and a "
        "run that is stopped goes on there"
    )


def plan(system: str, how: How) -> list[Work]:
    """What there is to do for a chapter."""
    return PLANS[system](how)


# ---- The NIC and its SoC ---------------------------------------------------------------------------------------------


def _nic(how: How) -> list[Work]:
    wanted = thesis.plan((), thesis.RISC_V, seed=how.seed)
    besides = _besides(wanted)
    if how.quick:
        names = list(thesis.published())
        wanted, besides = thesis.plan(names, QUICK_PRESETS, seed=how.seed, quick=True), []
    modes = QUICK_IMAGES if how.quick else ()
    made = [
        Work("round trips and throughput", _jobs_seconds([*wanted.jobs(), *besides], how),
             partial(_thesis, wanted, besides, how)),
        Work("image transfers", _images_seconds(modes, how), partial(_images, modes, how)),
    ]  # fmt: skip
    traced = replace(how, measure=how.measure and not how.quick)
    made.append(Work("stages of frames", _stages_seconds(traced), partial(_stages, traced)))
    return [*made, Work("sizes of the SoC", 0.0, partial(_areas, "nic", _blocks("area", chapter_nic.BLOCKS)))]


def _besides(plan: thesis.Plan) -> list[Job]:
    """What the plots need of every preset."""
    wanted = []
    for preset in PRESETS:
        for payload in plan.payloads(facts.PAYLOADS):
            wanted += [plan.round_trip(preset, NORMAL, payload), plan.throughput(preset, NORMAL, payload)]
        wanted += [plan.round_trip(preset, mode, payload) for payload in STAGE_PAYLOADS for mode in MODES]
    return list(dict.fromkeys(wanted))


def _jobs_seconds(wanted: Sequence[Job], how: How) -> float:
    if not how.measure:
        return 0.0
    found = set() if how.fresh else set(jobs.kept(wanted).found)
    left = [job for job in dict.fromkeys(wanted) if job not in found]
    absent = [one for name in {job.preset for job in left} if not build.is_there(one := presets.load(name))]
    return sum(JOB_S[job.kind] for job in left) + sum(map(_build_seconds, absent))


def _build_seconds(preset: presets.Preset) -> float:
    return build.expected_seconds(preset) if preset.has_processor else BUILD_S / 4


def _thesis(wanted: thesis.Plan, besides: Sequence[Job], how: How, found: Facts, progress: Progress) -> None:
    every = [*wanted.jobs(), *besides]
    if how.measure:
        results = jobs.run(every, fresh=how.fresh, workers=how.workers, progress=progress)
    else:
        results = jobs.kept(every)
    if not results.found and not how.measure:
        return
    unsimulated = tuple(name for name in wanted.tables if name in UNSIMULATED and how.measure)
    study = replace(thesis.run(replace(wanted, tables=unsimulated)), plan=wanted, results=results)
    found.records += thesis.records(study)
    for job in besides:
        found.records += add.job_records(job, results.get(job))
    if how.quick:  # what a whole run has measured before
        whole = thesis.plan(SIMULATED, seed=how.seed)
        of_whole = thesis.records(replace(study, plan=whole, results=jobs.kept(whole.jobs())))
        known = {(one.preset, one.mode, one.metric, one.payload) for one in found.records}
        found.records += [one for one in of_whole if (one.preset, one.mode, one.metric, one.payload) not in known]
    found.missing |= results.failures()
    whose = "NIC" if wanted.systems[0] in thesis.RISC_V else "SPARC V8 core"
    figures = f"{results.measured} of {len(results.found)} figures"
    about = f"of the {whose} {figures} now, the others before, from the same sources"
    found.about["measured"] = "; ".join(filter(None, (found.about.get("measured"), about)))
    if how.measure and not how.quick:  # with all that a bench says beside its tables
        tables, notes = add.sections(study)
        found.notes = found.notes or notes
        system = facts.system_of(wanted.systems[0], thesis.SUITE) or "nic"
        found.tables += [replace(one, system=system) for one in tables]


def _images_seconds(modes: Sequence[str], how: How) -> float:
    if not how.measure:
        return 0.0
    result = images.ImagesResult([], []) if how.fresh else images.kept(modes, seed=how.seed)
    there = {one.mode for one in result.runs} | {one.mode for one in result.bursts}
    left = [mode for mode in modes or images.MODES if mode not in there]
    return sum(LARGE_S if "large" in mode else IMAGE_S for mode in left)


def _images(modes: Sequence[str], how: How, found: Facts, progress: Progress) -> None:
    if how.measure:
        images.run(modes, seed=how.seed, fresh=how.fresh, workers=how.workers, progress=progress)
    add.add_images(found, images.kept(seed=how.seed))


def _stage_points(how: How) -> tuple[list[sweep.Axis], Load]:
    return [sweep.Axis(sweep.PRESET, PRESETS)], Load(STAGE_PAYLOADS)


def _stages_seconds(how: How) -> float:
    if not how.measure:
        return 0.0
    axes, load = _stage_points(how)
    there = 0 if how.fresh else len(sweep.kept(axes, benchmark="stages", load=load, seed=how.seed).rows)
    return (len(PRESETS) - there) * (STAGES_S + BUILD_S)


def _stages(how: How, found: Facts, progress: Progress) -> None:
    axes, load = _stage_points(how)
    if how.measure:
        axes = [sweep.Axis(sweep.PRESET, tuple(found.measured()))]
        traced = sweep.run(
            axes, benchmark="stages", load=load, seed=how.seed, jobs=how.workers, fresh=how.fresh, progress=progress
        )
    else:
        traced = sweep.kept(axes, benchmark="stages", load=load, seed=how.seed)
    found.records += traced.records()
    if traced.failure:
        found.about["not traced"] = traced.failure


def _blocks(suite: str, blocks: Sequence[str]) -> list[tuple[str, str]]:
    return [(suite, block) for block in blocks]


def _areas(system: str, blocks: Sequence[tuple[str, str]], found: Facts, progress: Progress) -> None:
    add.add_areas(found, system, blocks)


# ---- The others ------------------------------------------------------------------------------------------------------


def _tcp(how: How) -> list[Work]:
    def ways(found: Facts, progress: Progress) -> None:
        if how.measure:
            chosen = QUICK_SOCKETS if how.quick else ()
            sockets.run(chosen, seed=how.seed, fresh=how.fresh, workers=how.workers, progress=progress)
        add.add_sockets(found, sockets.kept(how.seed))

    def engine(found: Facts, progress: Progress) -> None:
        if how.measure:
            chosen = QUICK_TOE if how.quick else ()
            toe.run(chosen, seed=how.seed, fresh=how.fresh, workers=how.workers, progress=progress)
        add.add_toe(found, toe.kept(how.seed))

    blocks = [*_blocks(chapter_tcp.BLOCK_SUITE, chapter_tcp.BLOCKS), (kept.BLOCKS, "rv_core"), (kept.BLOCKS, "mac")]
    return [
        Work("echoes", _modes_seconds(sockets.modes()[:-1], sockets.todo, QUICK_SOCKETS, SOCKETS_S, how), ways),
        Work("the TCP engine", _modes_seconds(toe.modes()[:-1], toe.todo, QUICK_TOE, TOE_S, how), engine),
        Work("sizes of the engine", 0.0, partial(_areas, "tcp", blocks)),
    ]


def _modes_seconds(
    modes: Sequence[str], todo: Callable[[int], list[str]], quick: Sequence[str], each: float, how: How
) -> float:
    if not how.measure:
        return 0.0
    left = [mode for mode in (modes if how.fresh else todo(how.seed)) if not how.quick or mode in quick]
    seconds = sum(_mode_seconds(mode, each) for mode in left)
    there = build.is_there(presets.load("toe"))
    return seconds + (0.0 if there or not left else BUILD_S)


def _mode_seconds(mode: str, each: float) -> float:
    if "1024" in mode:
        return 4 * LONG_S
    return LONG_S if "loss" in mode or "http" in mode or "socket-receive" in mode or "socket-send" in mode else each


def _latency(how: How) -> list[Work]:
    quick, payloads = QUICK_LATENCY
    parts = {quick: payloads} if how.quick else dict.fromkeys(latency.PRESETS, latency_store.PARTS)

    def seconds(name: str) -> float:
        if not how.measure:
            return 0.0
        left = parts[name] if how.fresh else latency_store.missing(name, parts[name], how.seed)
        return sum(STREAMS_S if part == latency_store.STREAMS else SEGMENTS_S for part in left) + BUILD_S * bool(left)

    def one(name: str, found: Facts, progress: Progress) -> None:
        if how.measure:
            latency_store.measured(name, parts[name], how.seed, fresh=how.fresh, progress=progress)

    def all_of_them(found: Facts, progress: Progress) -> None:
        found.records += latency_store.kept(how.seed)

    made = [Work(f"door to door, {name}", seconds(name), partial(one, name)) for name in parts]
    return [*made, Work("door to door", 0.0, all_of_them)]


def _pnic(how: How) -> list[Work]:
    def quick(found: Facts, progress: Progress) -> None:
        pnic.quick(how.seed, measure=how.measure)

    def part(name: str, found: Facts, progress: Progress) -> None:
        if how.fresh or name in pnic.todo(how.seed):
            pnic.keep(pnic.run(pnic.systems(), pnic.LENGTHS, parts=[name], seed=how.seed), [name], how.seed)

    def all_of_them(found: Facts, progress: Progress) -> None:
        every = [*pnic.kept(how.seed), *(pnic.quick(how.seed, measure=False) or [])]
        once = {(one.preset, one.mode, one.metric, one.payload): one for one in reversed(every)}
        add.add_pnic(found, list(reversed(once.values())))

    made = []
    if how.measure and how.quick and pnic.FIGURES in pnic.todo(how.seed):
        there = pnic.quick(how.seed, measure=False) is not None
        made.append(Work("six small cores", 0.0 if there else PNIC_QUICK_S + BUILD_S, quick))
    elif how.measure and not how.quick:
        todo = pnic.PARTS if how.fresh else pnic.todo(how.seed)
        made += [Work(f"programmable NIC, {name}", PNIC_S, partial(part, name)) for name in todo]
    blocks = _blocks(kept.BLOCKS, chapter_pnic.BLOCKS)
    made.append(Work("programmable NIC", 0.0, all_of_them))
    return [*made, Work("sizes of the programmable NIC", 0.0, partial(_areas, "pnic", blocks))]


def _v8(how: How) -> list[Work]:
    names = QUICK_V8 if how.quick else [name for name in thesis.SYSTEMS if name not in thesis.RISC_V]
    tables = [*thesis.published(), *(() if how.quick else (thesis.BURST_TABLE,))]
    wanted = thesis.plan(tables, names, seed=how.seed, quick=how.quick)
    measured = partial(_thesis, wanted, [], how)
    return [Work("round trips and throughput by SPARC V8", _jobs_seconds(wanted.jobs(), how), measured)]


PLANS: dict[str, Callable[[How], list[Work]]] = {
    "nic": _nic, "tcp": _tcp, "latency": _latency, "pnic": _pnic, "v8": _v8,
}  # fmt: skip
