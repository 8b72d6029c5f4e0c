# SPDX-License-Identifier: Apache-2.0
"""Benchmarks that `nsoc sweep` can run at a point: a preset and a seed in, records out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nsoc import presets, selftest
from nsoc.bench import cpu, mac_example, modes, nic
from nsoc.errors import NsocError
from nsoc.presets import Preset
from nsoc.records import Record
from nsoc.selftest import MODES, SHORTEST, Session, came_back, patterned

SUITE = "sweep"
SHORTEST_PAYLOAD, LONGEST_PAYLOAD = SHORTEST - nic.HEADER_BYTES, 1500

BURST_FRAMES = 4000
"""Back to back. A system that loses none of them is taken to keep up with the line."""
SLICE_US = 100.0
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
    metric: str
    """The figure of it that is plotted unless another is asked for."""
    what: str
    loaded: bool = False
    """It takes payloads and a mode."""
    simulator: bool = True
    """It runs on nsoc.build.simulator()."""
    preset: str = presets.DEFAULT
    """Unless another is asked for."""


def round_trip(preset: Preset, seed: int, load: Load) -> list[Record]:
    """One frame at a time, mean over many phases of the clocks."""
    made = []
    with Session(preset, seed) as session:
        for payload in load.payloads:
            mean = nic.round_trip(session, load.mode, payload).mean
            made.append(Record(SUITE, preset.name, "rtt_cycles", round(mean, 1), load.mode, payload, "cycles"))
            us = round(mean / preset.nic_mhz, 4)
            made.append(Record(SUITE, preset.name, "rtt_us", us, load.mode, payload, "us"))
    return made


def throughput(preset: Preset, seed: int, load: Load) -> list[Record]:
    """Frames back to back: what comes back, in Mb/s of frame bytes without FCS, as a share of the line, and losses."""
    made = []
    for payload in load.payloads:
        with Session(preset, seed) as session:
            session.enter(load.mode)
            share = nic.measure_share(session, payload + nic.HEADER_BYTES, nic.LONG_RUN)
        limit = mac_example.line_limit(payload)
        rows = (("throughput_mbps", share.share * limit, "Mb/s", limit), ("line_share", share.share, None, 1.0))
        for metric, value, unit, most in rows:
            made.append(Record(SUITE, preset.name, metric, round(value, 4), load.mode, payload, unit, most))
        loss = share.lost / nic.LONG_RUN
        made.append(Record(SUITE, preset.name, "loss", loss, load.mode, payload, limit=0.0))
    return made


def burst(preset: Preset, seed: int, load: Load) -> list[Record]:
    """The longest burst of frames back to back that comes back whole, at most BURST_FRAMES."""
    made = []
    for payload in load.payloads:
        frames = loss_free_burst(preset, seed, load.mode, payload)
        made.append(
            Record(SUITE, preset.name, "loss_free_burst", frames, load.mode, payload, "frames", float(BURST_FRAMES))
        )
    return made


def loss_free_burst(preset: Preset, seed: int, mode: str, payload: int) -> int:
    """How many frames of a burst come back before the first that does not.

    What is sent later changes nothing about frames that are in: one long burst tells what every shorter one does.
    """
    with Session(preset, seed) as session:
        session.enter(mode)
        soc = session.soc
        sent = [patterned(payload + nic.HEADER_BYTES, number, number >> 8) for number in range(BURST_FRAMES)]
        for frame in sent:
            soc.wire.send(frame)
        whole = 0
        while whole < BURST_FRAMES:
            soc.run(us=SLICE_US)
            back = soc.wire.receive_all()
            for received in back:
                if received.data != came_back(sent[whole], mode):
                    return whole
                whole += 1
            if not back and not soc.wire.queued:
                return whole
    return whole


def _nic(preset: Preset, seed: int, load: Load) -> list[Record]:
    with Session(preset, seed) as session:
        access = selftest.access_cycles(session)
        trips = [nic.round_trip(session, mode, payload) for mode in nic.LOOPBACKS for payload in nic.PAYLOADS]
    runs = [(length, nic.LONG_RUN) for length in NIC_LENGTHS]
    shares = [share for mode in nic.LOOPBACKS for share in nic.measure_shares(mode, runs, preset, seed)]
    return nic.records(nic.NicResult(preset, access, trips, shares))


def _modes(preset: Preset, seed: int, load: Load) -> list[Record]:
    return modes.records(modes.run(load.payloads, preset=preset, seed=seed))


def _cpu(preset: Preset, seed: int, load: Load) -> list[Record]:
    return cpu.records(cpu.run([], preset=preset, seed=seed))


def _mac_example(preset: Preset, seed: int, load: Load) -> list[Record]:
    return mac_example.records(mac_example.run(preset=preset))


BENCHMARKS = {
    "round-trip": Benchmark(round_trip, "rtt_us", "round trip of a frame without other load", loaded=True),
    "throughput": Benchmark(throughput, "throughput_mbps", "throughput, share of the line and loss", loaded=True),
    "burst": Benchmark(burst, "loss_free_burst", "longest burst at line rate without a loss", loaded=True),
    "modes": Benchmark(_modes, "rtt_cycles", "nsoc bench modes: round trips in all modes", loaded=True),
    "nic": Benchmark(_nic, "line_share", "nsoc bench nic at six frame lengths"),
    "cpu": Benchmark(_cpu, "cpi", "nsoc bench cpu: cycles an instruction takes"),
    "mac-example": Benchmark(_mac_example, "rtt_us", "nsoc bench mac-example", simulator=False, preset="mac-example"),
}
"""By the name that --bench takes."""


def names() -> Sequence[str]:
    return list(BENCHMARKS)
