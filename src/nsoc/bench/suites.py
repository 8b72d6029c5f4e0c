# SPDX-License-Identifier: Apache-2.0
"""The benches whose figures are kept in docs/data/figures.json: SUITES, a row a bench.

`make figures` runs a suite as a whole, and only recalls what the result store has. A test measures one figure anew: the
smallest part of its suite that has it, a Point. A bench that is added gets a row here, and `better` of its metrics in
nsoc.figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from nsoc.bench import (
    bursts,
    clock,
    cpu,
    images,
    jobs,
    latency,
    latency_output,
    latency_store,
    live,
    mac_example,
    modes,
    nic,
    pnic,
    sockets,
    store,
    thesis,
    toe,
)
from nsoc.bench.jobs import Failed, Job, Results
from nsoc.bench.thesis.goals import OVER, RATIO, UNLIMITED
from nsoc.errors import NsocError
from nsoc.figures import Row
from nsoc.hardware import synth
from nsoc.hardware.synth import Target
from nsoc.machine import presets
from nsoc.network.ethernet import HEADER_BYTES
from nsoc.progress import Progress
from nsoc.records import Record

AREA = frozenset(("lut", "ff", "bram"))
"""Metrics of synthesis, which is kept until the RTL changes."""
BLOCKS = "blocks"
TOE_BLOCKS = (
    "net", "tcp_core", "tcp_commands", "tcp_tx", "tcp_rx", "tcp_table", "tcp_rings", "tcp_timers", "tcp_events",
    "tcp_expect", "toe_udp",
)  # fmt: skip
"""Of the TCP/IP engine, each synthesized on its own."""
NOT_EXACT = frozenset(("sleep_s", "sim_s_per_wall_s"))
"""Of the clock on the wall."""
SEED = 1


@dataclass(frozen=True)
class Point:
    """What is measured at once."""

    suite: str
    name: str
    systems: tuple[str, ...]
    """Presets whose simulators run."""
    seconds: float
    """Of an idle core, roughly, when the simulators are there."""
    measure: Callable[[], list[Record]] = field(compare=False)
    """Afresh. Takes nothing from the store."""


@dataclass(frozen=True)
class Suite:
    """A bench."""

    name: str
    minutes: float
    """Of an idle core, roughly, when the simulators are there and nothing is kept."""
    run: Callable[[Progress], list[Record]]
    """All figures; those that the store has are recalled."""
    point: Callable[[Row], Point]
    """What measures that figure."""
    left_out: Callable[[Record], bool] = lambda record: False
    """Exact figures that nobody shows, of which there are many."""

    def records(self, progress: Progress = lambda done, total: None) -> list[Record]:
        """All figures that are kept."""
        return self.kept(self.run(progress))

    def kept(self, records: Sequence[Record]) -> list[Record]:
        """Those of `records` that go into the file."""
        return [one for one in records if exact(one) and not self.left_out(one)]


def exact(record: Record) -> bool:
    """Whether it is a number, and the same on every machine."""
    return record.metric not in NOT_EXACT and not isinstance(record.value, str) and record.suite in SUITES


def point_of(row: Row) -> Point:
    """What measures that figure."""
    return SUITES[row.bench].point(row)


def _stored(name: str, module: str, preset: str, run: Callable[[], list[Record]]) -> list[Record]:
    """For benches that keep nothing themselves."""
    digests = store.simulated_digest(), store.code_digest(module)
    key = store.key(presets.load(preset), SEED, {"figures": name}, *digests)
    kept = store.recall(key, list[Record])
    if kept is None:
        kept = run()
        store.keep(key, kept)
    return kept


def _whole(name: str, systems: tuple[str, ...], seconds: float, run: Callable[[], list[Record]], row: Row) -> Point:
    """Of a bench that is measured as a whole."""
    return Point(name, name, systems, seconds, run)


# ---- Published tables ------------------------------------------------------------------------------------------------

_NO_TABLES = (thesis.SLEEP_TABLE, thesis.AREA_TABLE)
_COUNTS = ("frames", "offered", "lost_counted")


def _thesis_plan() -> thesis.Plan:
    return thesis.plan([name for name in thesis.names() if name not in _NO_TABLES], seed=SEED)


def _thesis(progress: Progress) -> list[Record]:
    study = thesis.run(_thesis_plan(), progress=progress)
    if failures := study.results.failures():
        preset, why = next(iter(failures.items()))
        raise NsocError(f"no figures of {preset}: {why}")
    return thesis.records(study)


def _thesis_jobs(row: Row) -> list[Job]:
    plan, preset, payload = _thesis_plan(), row.preset or "", row.payload or 0
    if preset == mac_example.PRESET:
        return [plan.mac_example()]
    mode, _, window = (row.mode or "").partition(":")
    if mode.startswith(OVER):
        names = (preset, mode.removeprefix(OVER))
        if row.metric == RATIO:
            return [plan.throughput(name, "normal", payload) for name in names]
        return [plan.round_trip(name, "normal", payload) for name in names]
    if row.metric.startswith("rtt"):
        return [plan.round_trip(preset, mode, payload)]
    if row.metric in ("loss_free_burst", UNLIMITED):
        return [plan.burst(preset, payload)]
    words = window.partition(":")[0].removeprefix("window-")
    return [plan.throughput(preset, mode, payload, int(words) if words.isdecimal() else 0)]


def _thesis_point(row: Row) -> Point:
    wanted = _thesis_jobs(row)
    # A round trip and a frame of a throughput take cycles of 2 us a kB; a burst is looked for in a dozen of tries.
    seconds = {"round_trip": 1.0, "throughput": 2.0 + wanted[0].payload / 200, "burst": 20.0}.get(wanted[0].kind, 10.0)
    name = " ".join(f"{job.kind} {job.preset} {job.mode} {job.payload} {job.window}" for job in wanted)
    return Point(
        thesis.SUITE, name, tuple(job.preset for job in wanted), len(wanted) * seconds,
        partial(_thesis_measured, wanted),
    )  # fmt: skip


def _thesis_measured(wanted: Sequence[Job]) -> list[Record]:
    found = {job: jobs.perform(job) for job in wanted}
    failed = [one for one in found.values() if isinstance(one, Failed)]
    if failed:
        raise NsocError(failed[0].why)
    return thesis.records(thesis.Study(_thesis_plan(), Results(found, len(found)), thesis.host_model()))


def _mac_example() -> list[Record]:
    return mac_example.records(mac_example.run())


# ---- Transfers -------------------------------------------------------------------------------------------------------

_LARGE, _SMALL = 90.0, 4.0


def _images(modes_: Sequence[str], fresh: bool, progress: Progress = lambda done, total: None) -> list[Record]:
    return images.records(images.run(modes_, seed=SEED, fresh=fresh, workers=1 if fresh else None, progress=progress))


def _images_point(row: Row) -> Point:
    mode = max((mode for mode in images.MODES if (row.mode or "").startswith(mode)), key=len)
    if mode in bursts.FIFOS:  # which has a FIFO of another size than the preset
        return Point(bursts.SUITE, mode, (f"{row.preset} {mode}",), 20.0, partial(_images, [mode], True))
    system = images.RUNS[mode][0]
    seconds = _LARGE if "large" in mode else _SMALL
    return Point(bursts.SUITE, mode, (system,), seconds, partial(_images, [mode], True))


# ---- On the network --------------------------------------------------------------------------------------------------


def _live(progress: Progress) -> list[Record]:
    exact_modes = [mode for mode in live.MODES if mode != live.IDLE]
    return live.records(live.run(exact_modes, seed=SEED, progress=progress))


def _live_point(row: Row) -> Point:
    mode, preset = row.mode or "", row.preset or ""

    def measured() -> list[Record]:
        return live.records(live.run([mode], preset=[preset], seed=SEED, fresh=True, workers=1))

    return Point(live.SUITE, mode, (preset,), 30.0, measured)


def _toe_point(row: Row) -> Point:
    mode = row.mode or ""
    name = toe.UDP_BOTH if mode in toe.UDP else mode
    systems = () if row.preset is None else (row.preset,)
    seconds = 20.0 if row.preset is None else 240.0 if mode.endswith("1024") else 60.0
    return Point(
        toe.SUITE, name, systems, seconds, lambda: toe.records(toe.run([name], seed=SEED, fresh=True, workers=1))
    )


def _sockets_point(row: Row) -> Point:
    mode = sockets.AREA if row.preset is None else row.mode or ""
    systems = () if row.preset is None else (f"{row.preset} with taps",)
    return Point(
        sockets.SUITE, mode, systems, 60.0,
        lambda: sockets.records(sockets.run([mode], seed=SEED, fresh=True, workers=1)),
    )  # fmt: skip


# ---- Door to door ----------------------------------------------------------------------------------------------------


def _latency(names: Sequence[str], payloads: Sequence[int], goodput: bool, progress: Progress) -> list[Record]:
    found = latency.run(latency.systems(names), payloads, goodput=goodput, seed=SEED, progress=progress)
    return latency_output.records(found)


def _every_latency(progress: Progress) -> list[Record]:
    made = []
    for done, name in enumerate(latency.PRESETS):
        progress(done, len(latency.PRESETS))
        made += latency_store.measured(name, seed=SEED)
    return made


def _latency_left_out(record: Record) -> bool:
    """The engine's clock, which the preset says; stages but for those that a page shows."""
    if record.metric == "stage_ns":
        return record.payload not in (1, 64, 1456) or not (record.mode or "").startswith("stream-")
    return record.metric == "core_mhz"


def _latency_point(row: Row) -> Point:
    preset, payload = row.preset or "", row.payload
    single = row.metric.endswith("_ns") and payload is not None
    payloads = [payload] if single and payload is not None else []
    return Point(
        latency.SUITE, f"{preset} {payload if single else 'streams'}", (preset,), 10.0 if single else 60.0,
        lambda: _latency([preset], payloads, not single, lambda done, total: None),
    )  # fmt: skip


# ---- The programmable NIC --------------------------------------------------------------------------------------------


def _pnic(part: str) -> list[Record]:
    result = pnic.run(pnic.systems(), pnic.LENGTHS, parts=[part], seed=SEED)
    pnic.keep(result, [part], SEED)
    return pnic.records(result)


def _every_pnic(progress: Progress) -> list[Record]:
    made = []
    for done, part in enumerate(pnic.PARTS):
        progress(done, len(pnic.PARTS))
        made += _stored(f"{pnic.SUITE} {part}", pnic.__name__, pnic.systems()[0], partial(_pnic, part))
    return made


def _pnic_point(row: Row) -> Point:
    if row.metric == "order_cycles":
        return Point(pnic.SUITE, pnic.ORDER, ("pnic-rice",), 30.0, partial(_pnic, pnic.ORDER))
    if row.metric == "core_mhz":
        return Point(pnic.SUITE, pnic.CLOCK, ("pnic-rice",), 240.0, partial(_pnic, pnic.CLOCK))
    if (row.mode or "").startswith("lean") and row.payload is not None:
        return Point(
            pnic.SUITE, f"frames {row.payload}", pnic.systems(), 60.0,
            lambda: pnic.records(pnic.run(pnic.systems(), [row.payload or 0], parts=[pnic.FRAMES], seed=SEED)),
        )  # fmt: skip
    return Point(pnic.SUITE, pnic.FIGURES, ("pnic-rice",), 600.0, partial(_pnic, pnic.FIGURES))


# ---- The NIC and the processor ---------------------------------------------------------------------------------------


def _nic() -> list[Record]:
    return nic.records(nic.run(seed=SEED))


def _nic_left_out(record: Record) -> bool:
    """Of 1455 lengths those that the bench's table does not show."""
    if record.metric in ("loss", "late_frames", "line_share") and record.payload is not None:
        return record.metric != "line_share" or record.payload + HEADER_BYTES not in nic.LONG_LENGTHS
    return False


def _modes() -> list[Record]:
    """By the self-test's firmware, with either instruction set."""
    return [record for name in (*_DEFAULT, _V8) for record in modes.records(modes.run(preset=name, seed=SEED))]


def _clock() -> list[Record]:
    return clock.records(clock.run())


def _cpu() -> list[Record]:
    return cpu.records(cpu.run(seed=SEED))


def _cpu_left_out(record: Record) -> bool:
    return record.metric.startswith("stall_") or record.metric == "bit_exact"


def _one(
    name: str, module: str, minutes: float, systems: tuple[str, ...], run: Callable[[], list[Record]],
    left_out: Callable[[Record], bool] = lambda record: False,
) -> Suite:  # fmt: skip
    """A bench that is measured as a whole, on its first system's preset."""
    return Suite(
        name, minutes, lambda progress: _stored(name, module, systems[0], run),
        partial(_whole, name, systems, 60 * minutes, run), left_out,
    )  # fmt: skip


def _blocks(progress: Progress) -> list[Record]:
    made = []
    for done, top in enumerate(TOE_BLOCKS):
        progress(done, len(TOE_BLOCKS))
        made += _block(top)
    return made


def _block(top: str) -> list[Record]:
    area = synth.synthesize_module(top, Target.XC7).area
    units = synth.UNITS[Target.XC7]
    return [Record(BLOCKS, None, metric, getattr(area, metric), top, unit=units[metric]) for metric in sorted(AREA)]


def _block_point(row: Row) -> Point:
    return Point(BLOCKS, row.mode or "", (), 30.0, partial(_block, row.mode or ""))


def _images_all(progress: Progress) -> list[Record]:
    return _images((), False, progress)


_DEFAULT = (presets.DEFAULT,)
_V8 = f"{thesis.V8}{presets.DEFAULT}"

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite(
            thesis.SUITE, 45, _thesis, _thesis_point,
            lambda one: one.metric in _COUNTS or one.metric.endswith("_met"),
        ),
        _one(mac_example.SUITE, mac_example.__name__, 0.5, (mac_example.PRESET,), _mac_example),
        Suite(bursts.SUITE, 12, _images_all, _images_point),
        Suite(live.SUITE, 4, _live, _live_point, lambda one: one.mode not in live.MODES),  # --peers: the wall clock
        Suite(
            toe.SUITE, 24, lambda progress: toe.records(toe.run(toe.modes(), seed=SEED, progress=progress)), _toe_point,
        ),
        Suite(
            sockets.SUITE, 20,
            lambda progress: sockets.records(sockets.run(sockets.modes(), seed=SEED, progress=progress)),
            _sockets_point,
        ),
        Suite(latency.SUITE, 10, _every_latency, _latency_point, _latency_left_out),
        Suite(pnic.SUITE, 25, _every_pnic, _pnic_point),
        _one(nic.SUITE, nic.__name__, 8, _DEFAULT, _nic, _nic_left_out),
        _one(modes.SUITE, modes.__name__, 0.4, (*_DEFAULT, _V8), _modes),
        _one(clock.SUITE, clock.__name__, 8, (presets.DEFAULT, f"{presets.DEFAULT} one clock"), _clock),
        Suite(BLOCKS, 6, _blocks, _block_point),
        _one(cpu.SUITE, cpu.__name__, 0.2, _DEFAULT, _cpu, _cpu_left_out),
    )
}  # fmt: skip
"""By name, which is the `bench` of its rows."""
