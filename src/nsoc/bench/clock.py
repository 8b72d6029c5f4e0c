# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench clock`: how far the NIC is from the processor, and how slow a processor still keeps the line full.

**Register load.** It is counted from the cycle in which a load of a NIC register is executed to the end of the
instruction behind it, which uses the value. The figure is the worst of accesses at many phases of the two clocks, over
all seeds. Two systems are measured: processor and NIC on clocks of their own, and both on one clock net (a preset's
`one_clock`).

**Round of queues.** The processor alone moves one pointer from the free queue through a receive and a transmit queue
and back. That is three pops, and three pushes whose status is looked at.

**Forward.** It is the processor cycles a frame that the firmware `forward` takes, when all frames wait in the receive
queue.

**Least processor clock.** It is the lowest whole MHz at which frames of one length, sent back to back, all come back at
the line's own rate, for every seed. No frame is lost, and of the FRAMES that count the last one comes no later than
PILE_UP_PS after its place on the line. Lateness counts because buffers in front of a processor that is a little too
slow hide losses, but not lateness.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from nsoc import figures
from nsoc.bench import cpu, measure, nic, pool
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import build, presets
from nsoc.machine.presets import Preset
from nsoc.network.ethernet import HEADER_BYTES, SHORTEST, line_limit
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "clock"
PAYLOADS = (46, 64)
SEEDS = (1, 2, 3, 4, 5)
FRAMES, WARM_UP = measure.FRAMES, measure.WARM_UP
LEAST_MHZ, MOST_MHZ = 10, 80
"""Clocks that are tried. At the upper one it must work."""
ONE_CLOCK_MHZ = 100.0
"""As published: processor, NIC and memory on 100 MHz."""
FORWARD_PAYLOAD = 46
ONE_CLOCK, FORWARD = "one-clock", "forward"


@dataclass(frozen=True)
class Access:
    """What the firmware `latency` says of one system; the worst over all seeds."""

    mode: str
    """`80-125`: two clocks, MHz of processor and NIC; `one-clock`."""
    cpu_mhz: float
    load_cycles: int
    """A load of a NIC register and the instruction that wants it."""
    queues_cycles: int
    """A pointer once around."""

    @property
    def load_ns(self) -> float:
        """The load in nanoseconds."""
        return self.load_cycles * 1000.0 / self.cpu_mhz


@dataclass(frozen=True)
class ClockResult:
    """Everything `nsoc bench clock` found."""

    preset: Preset
    accesses: list[Access]
    forward_cycles: float
    least_mhz: dict[int, int]
    """By payload."""
    seeds: tuple[int, ...]

    @property
    def failure(self) -> str:
        """Which limits are missed, in one sentence; empty when none is."""
        missed = [r for r in records(self) if r.limit is not None and float(r.value) > r.limit]
        shown = ", ".join(f"{r.metric} {r.payload or r.mode}: {r.value:g} of {r.limit:g} {r.unit}" for r in missed)
        return f"limits missed: {shown}" if missed else ""


@public
def run(
    *,
    preset: str | Preset = presets.DEFAULT,
    seeds: Sequence[int] = SEEDS,
    payloads: Sequence[int] = PAYLOADS,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> ClockResult:
    """All of it, in `workers` processes. Raises NsocError for queues in memory, or where MOST_MHZ is too slow."""
    system = presets.load_soc(preset)
    if system.queues_in_memory:
        raise NsocError(f"{system.name} has its queues in memory, no register is on a frame's way: take a nic12 preset")
    one_clock = system.with_(one_clock=True, cpu_mhz=ONE_CLOCK_MHZ, nic_mhz=ONE_CLOCK_MHZ)
    for each in (system, one_clock):
        build.simulator(each)
    two_clocks = f"{system.cpu_mhz:g}-{system.nic_mhz:g}"
    calls: dict[object, Callable[[], Any]] = {
        payload: partial(least_mhz, system, payload, tuple(seeds)) for payload in payloads
    }
    calls |= {
        mode: partial(access, each, mode, tuple(seeds)) for each, mode in ((system, two_clocks), (one_clock, ONE_CLOCK))
    }
    calls[FORWARD] = partial(forward_cycles, system)
    found: dict[object, Any] = {}
    progress(0, len(calls))
    with pool.completed(calls, workers) as results:
        for call, result in results:
            found[call] = result
            progress(len(found), len(calls))
    return ClockResult(
        system, [found[two_clocks], found[ONE_CLOCK]], found[FORWARD],
        {payload: found[payload] for payload in payloads}, tuple(seeds),
    )  # fmt: skip


def access(preset: Preset, mode: str, seeds: Sequence[int]) -> Access:
    """The firmware `latency`, booted with each seed."""
    names = ("load_nic_register_and_use", "round_of_queues")
    found = nic.latency_cycles(preset, seeds, names)
    return Access(mode, preset.cpu_mhz, *(found[name][1] for name in names))


def forward_cycles(preset: Preset) -> float:
    """Cycles a frame, of the loop that `nsoc bench cpu` measures."""
    (loop,) = cpu.run(loops=("nic_forward",), preset=preset).loops
    if not loop.ok:
        raise NsocError(f"the loop nic_forward went wrong on {preset.name}")
    return loop.cycles / loop.result


def least_mhz(preset: Preset, payload: int, seeds: Sequence[int]) -> int:
    """By bisection over whole MHz, after which one clock more and one less are as they should."""
    if not keeps_up(preset, MOST_MHZ, payload, seeds):
        raise NsocError(f"{preset.name} does not keep up with payloads of {payload} at {MOST_MHZ} MHz")
    too_slow, enough = LEAST_MHZ - 1, MOST_MHZ
    while enough - too_slow > 1:
        middle = (too_slow + enough) // 2
        if keeps_up(preset, middle, payload, seeds):
            enough = middle
        else:
            too_slow = middle
    return enough


def keeps_up(preset: Preset, cpu_mhz: int, payload: int, seeds: Sequence[int]) -> bool:
    """Whether frames of that payload all come back at the line's rate, for each seed."""
    limit = line_limit(payload)
    frame_ps = 8e6 * max(payload + HEADER_BYTES, SHORTEST) / limit
    slow = preset.with_(cpu_mhz=cpu_mhz)
    for seed in seeds:
        found = measure.throughput(slow, "normal", payload, seed, frames=FRAMES, warm_up=WARM_UP)
        lateness_ps = found.frames * frame_ps * (limit / found.mbps - 1)
        if found.lost or found.frames < FRAMES or lateness_ps > measure.PILE_UP_PS:
            return False
    return True


@public
def records(result: ClockResult) -> list[Record]:
    """A record for each figure; `limit` is what this project wants at most."""
    name, theirs = result.preset.name, nic.published()["access"]
    made = []

    def goal(mode: str, metric: str, payload: int | None = None) -> float | None:
        return figures.goal(SUITE, presets.DEFAULT, mode, metric, payload)

    for found in result.accesses:
        made += [
            Record(
                SUITE, name, "register_load_ns", found.load_ns, found.mode, unit="ns",
                limit=goal(found.mode, "register_load_ns"),
                published=10.0 * theirs["register_access_cycles"], source=theirs["source"],
            ),
            Record(SUITE, name, "register_load_cycles", found.load_cycles, found.mode, unit="cycles"),
            Record(
                SUITE, name, "queues_cycles", found.queues_cycles, found.mode, unit="cycles",
                limit=goal(found.mode, "queues_cycles"),
                published=theirs["traversal_cycles"] if found.cpu_mhz == ONE_CLOCK_MHZ else None,
                source=theirs["source"] if found.cpu_mhz == ONE_CLOCK_MHZ else None,
            ),
        ]  # fmt: skip
    made.append(
        Record(
            SUITE, name, "forward_cycles", result.forward_cycles, "normal", FORWARD_PAYLOAD, "cycles",
            goal("normal", "forward_cycles", FORWARD_PAYLOAD),
        )
    )  # fmt: skip
    for payload, mhz in result.least_mhz.items():
        limit = goal("normal", "least_cpu_mhz", payload)
        made.append(Record(SUITE, name, "least_cpu_mhz", mhz, "normal", payload, "MHz", limit))
    return made


NAMES = {
    "register_load_ns": "load of a NIC register and its use, worst",
    "queues_cycles": "pointer through free, receive, transmit, free queue",
    "forward_cycles": "forward, cycles a frame that waits",
    "least_cpu_mhz": "least processor clock for the whole line",
}


def table(result: ClockResult) -> "Table":
    """A row for each figure."""
    from rich.table import Table

    shown = Table(title=f"Processor and NIC of {result.preset.name}", title_justify="left")
    for column in ("", "clocks, MHz", "payload"):
        shown.add_column(column)
    for column in ("ours", "wanted", "published"):
        shown.add_column(column, justify="right")
    for record in records(result):
        if record.metric not in NAMES:
            continue
        two = result.accesses[0].mode
        clocks = {ONE_CLOCK: f"{ONE_CLOCK_MHZ:g}, one net", "normal": two}.get(record.mode or "", record.mode or "")
        shown.add_row(
            NAMES[record.metric], "" if record.metric == "least_cpu_mhz" else clocks, f"{record.payload or ''}",
            f"{record.value:.4g} {record.unit}", "" if record.limit is None else f"{record.limit:g}",
            "" if record.published is None else f"{record.published:g}",
        )  # fmt: skip
    return shown


def lines(result: ClockResult) -> list[str]:
    """What the table leaves to say."""
    return [
        f"Least clock: every one of {FRAMES:,} frames behind {WARM_UP} comes back, at the line's own rate, for each of "
        f"{len(result.seeds)} seeds.",
        f"Published: {nic.published()['access']['source']}, processor and NIC on one clock of 100 MHz.",
    ]
