# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that `nsoc sweep` can run at a point: a preset and a seed in, records out."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nsoc import trace
from nsoc.bench import cpu, mac_example, measure, modes, nic, pnic
from nsoc.errors import NsocError
from nsoc.machine import presets, selftest
from nsoc.machine.build import Variant, simulator
from nsoc.machine.presets import Preset
from nsoc.machine.selftest import MODES, Session
from nsoc.network.ethernet import FCS_BYTES, HEADER_BYTES, SHORTEST, line_limit
from nsoc.pnic import nic as programmable_nic
from nsoc.records import Record

SUITE = "sweep"
SHORTEST_PAYLOAD, LONGEST_PAYLOAD = SHORTEST - HEADER_BYTES, 1500
NIC_LENGTHS = (60, 64, 128, 512, 1024, 1514)


@dataclass(frozen=True)
class Load:
    """What is sent at a point."""

    payloads: tuple[int, ...] = (64,)
    mode: str = "normal"

    def __post_init__(self) -> None:
        if not self.payloads or min(self.payloads) < SHORTEST_PAYLOAD or max(self.payloads) > LONGEST_PAYLOAD:
            raise NsocError(f"payloads must be {SHORTEST_PAYLOAD} to {LONGEST_PAYLOAD} bytes, not {self.payloads}")
        if self.mode not in MODES:
            raise NsocError(f"there is no mode {self.mode!r}, only {', '.join(MODES)}")


@dataclass(frozen=True)
class Benchmark:
    """Something that can be measured at a point."""

    run: Callable[[Preset, int, Load], list[Record]]
    metrics: tuple[str, ...]
    """Of its records. The first is plotted unless another is asked for."""
    what: str
    loaded: bool = False
    """It takes payloads and a mode."""
    build: Callable[[Preset], object] | None = simulator
    """Builds, or finds, what it runs on; None when that is not worth a line."""
    preset: str = presets.DEFAULT
    """Unless another is asked for."""


def round_trip(preset: Preset, seed: int, load: Load) -> list[Record]:
    """One frame at a time, mean over many phases of the clocks."""
    made = []
    for payload in load.payloads:
        trip = measure.round_trip(preset, load.mode, payload, seed)
        for metric, value, unit in (("rtt_cycles", trip.mean, "cycles"), ("rtt_us", trip.us, "us")):
            made.append(Record(SUITE, preset.name, metric, value, load.mode, payload, unit))
    return made


def throughput(preset: Preset, seed: int, load: Load) -> list[Record]:
    """At saturation: what comes back, its share of the line, and what part of the frames was lost."""
    made = []
    for payload in load.payloads:
        rate = measure.throughput(preset, load.mode, payload, seed)
        rows = (
            ("throughput_mbps", rate.mbps, "Mb/s", line_limit(payload)),
            ("line_share", rate.line_share, None, 1.0),
            ("loss", rate.lost / rate.offered, None, None),
        )
        for metric, value, unit, limit in rows:
            made.append(Record(SUITE, preset.name, metric, value, load.mode, payload, unit, limit))
    return made


def burst(preset: Preset, seed: int, load: Load) -> list[Record]:
    """The longest burst at line rate that comes back whole; `limit` is how long the longest one tried was."""
    made = []
    for payload in load.payloads:
        found = measure.loss_free_burst(preset, load.mode, payload, seed)
        most = float(measure.MOST)
        made.append(Record(SUITE, preset.name, "loss_free_burst", found.frames, load.mode, payload, "frames", most))
        made.append(Record(SUITE, preset.name, "loss_free_burst_unlimited", found.unlimited, load.mode, payload))
    return made


def _nic(preset: Preset, seed: int, load: Load) -> list[Record]:
    with Session(preset, seed) as session:
        access = selftest.access_cycles(session)
        trips = [nic.round_trip(session, mode, payload) for mode in nic.LOOPBACKS for payload in nic.PAYLOADS]
    runs = [(length, nic.LONG_RUN) for length in NIC_LENGTHS]
    # Not nic.run(): a worker of a cluster may not have processes of its own.
    shares = [share for mode in nic.LOOPBACKS for share in nic.measure_shares(mode, runs, preset, seed)]
    return nic.records(nic.NicResult(preset, access, trips, shares, nic.processor_accesses(preset, seed)))


def stages(preset: Preset, seed: int, load: Load) -> list[Record]:
    """One frame at a time: how long it is in each stage of its way, mean over phases of the clocks."""
    return [
        Record(SUITE, preset.name, "stage_ns", ns, f"{load.mode}:{stage}", payload, "ns")
        for payload in load.payloads
        for stage, ns in trace.stage_breakdown(preset, payload, load.mode, seed).items()
    ]


def traced_simulator(preset: Preset) -> Path:
    """With the taps that tell the stages."""
    return simulator(preset, Variant(trace=True))


def _modes(preset: Preset, seed: int, load: Load) -> list[Record]:
    return modes.records(modes.run(load.payloads, preset=preset, seed=seed))


def _cpu(preset: Preset, seed: int, load: Load) -> list[Record]:
    return cpu.records(cpu.run([], preset=preset, seed=seed))


def _pnic(preset: Preset, seed: int, load: Load) -> list[Record]:
    return pnic.point(preset, seed, [payload + HEADER_BYTES + FCS_BYTES for payload in load.payloads])


def _pnic_simulator(preset: Preset) -> Path:
    return programmable_nic.simulator(programmable_nic.setup_of(preset))


def _mac_example(preset: Preset, seed: int, load: Load) -> list[Record]:
    return mac_example.records(mac_example.run(preset=preset))


ACCESS_METRICS = (
    "register_access_cycles", "queue_op_cycles", "traversal_cycles",
    *(f"{name}_{unit}" for name in nic.PUBLISHED_ACCESS for unit in ("cpu_cycles", "ns")),
)  # fmt: skip
NIC_METRICS = ("line_share", nic.LEAST_SHARE, "loss", "rtt_cycles", *ACCESS_METRICS)
STALL_METRICS = tuple(f"stall_{cause}" for cause in (*cpu.STALLS, "other"))
CPU_METRICS = ("cpi", "cycles", "instructions", "bit_exact", "cycles_per_frame", *STALL_METRICS)
PNIC_METRICS = (
    "line_share", "frames_per_s", "cycles_per_frame", "instructions_per_frame", "accesses_per_frame", "ipc",
)  # fmt: skip

BENCHMARKS = {
    "round-trip": Benchmark(round_trip, ("rtt_us", "rtt_cycles"), "round trip of a frame without other load",
                            loaded=True),
    "throughput": Benchmark(throughput, ("throughput_mbps", "line_share", "loss"),
                            "throughput, share of the line and loss", loaded=True),
    "burst": Benchmark(burst, ("loss_free_burst", "loss_free_burst_unlimited"),
                       "longest burst at line rate without a loss", loaded=True),
    "stages": Benchmark(stages, ("stage_ns",), "where a frame's time goes", loaded=True, build=traced_simulator),
    "modes": Benchmark(_modes, ("rtt_cycles", "share_cycles"), "nsoc bench modes: round trips in all modes",
                       loaded=True),
    "nic": Benchmark(_nic, NIC_METRICS, "nsoc bench nic at six frame lengths"),
    "cpu": Benchmark(_cpu, CPU_METRICS, "nsoc bench cpu: cycles an instruction takes"),
    "mac-example": Benchmark(_mac_example, ("rtt_us", "rtt_cycles", "throughput_mbps", "line_share"),
                             "nsoc bench mac-example", build=None, preset="mac-example"),
    "pnic": Benchmark(_pnic, PNIC_METRICS, "nsoc bench pnic: frames both ways through a programmable NIC", loaded=True,
                      build=_pnic_simulator, preset="pnic-rice"),
}  # fmt: skip
"""By the name that --bench takes."""


def benchmark(name: str) -> Benchmark:
    """Raises NsocError when there is none of that name."""
    if name not in BENCHMARKS:
        close = difflib.get_close_matches(name, BENCHMARKS, n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NsocError(f"there is no benchmark {name!r}, only {', '.join(BENCHMARKS)}{hint}")
    return BENCHMARKS[name]


def check_metric(name: str, metric: str) -> None:
    """Raises NsocError when the benchmark of that name has no such figure: before anything is measured."""
    known = benchmark(name).metrics
    if metric not in known:
        close = difflib.get_close_matches(metric, known, n=1, cutoff=0.3)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise NsocError(f"--bench {name} has no figure --metric {metric!r}, only {', '.join(known)}{hint}")
