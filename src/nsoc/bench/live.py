# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench live`: how fast the firmware `net` is as a host on the network. Its peer is nsoc.network.inet.

    tcp-receive   the peer sends to the SoC's discard port
    tcp-send      the SoC's iperf client sends to the peer
    lwip-udp      datagrams to the echo port, one at a time: what of the processor each takes
    idle          nothing happens but the stack's timers: how fast that is simulated

Goodput is payload bytes in simulated time, at the peer, behind a warm-up. The peer acknowledges as Linux does: every
second full segment, or after 40 ms. Cycles are busy ones by the firmware's own account (those it did not sleep), with
what it uses in the same time without packets taken off.
"""

import re
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc import figures
from nsoc.bench import pool, store
from nsoc.bench.crossing import Crossing
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import build, presets
from nsoc.machine.soc import BOOT_US, Soc
from nsoc.network.inet import ADDRESS, Peer, Settings, Stream
from nsoc.network.network import Network
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "live"
PRESETS = ("nic12-net", "nic12-net32")
FIRMWARE = "net"
FILE = Path(__file__).parents[1] / "published" / "live.toml"
RECEIVE, SEND, UDP, IDLE = "tcp-receive", "tcp-send", "lwip-udp", "idle"
MODES = (RECEIVE, SEND, UDP, IDLE)
PAYLOADS = (32, 1024)
SEGMENT = 1460
LIMIT_MBPS = 1000 * SEGMENT / (SEGMENT + 78)
"""On the line a segment has 40 bytes of TCP and IP, 18 of Ethernet and 20 of preamble and gap besides."""
WARM_UP, MEASURED = 200_000, 1_000_000
"""Bytes."""
ECHOES, ECHO_US = 64, 200.0
IDLE_US = 10e6
LONGEST_US, LOOK_US = 1e6, 100.0
IPERF_S = 10
"""Longer than all that is measured."""
SOC = "10.0.0.2"
ECHO_PORT, DISCARD_PORT, IPERF_PORT = 7, 9, 5001
LIKE_LINUX = Settings(delayed_ack_us=40e3)
_CYCLES = re.compile(r"(\d+) cycles of the processor")
_ASLEEP = re.compile(r"(\d+) cycles that the processor was asleep")


@dataclass
class Run:
    """One measurement; what does not apply is None."""

    preset: str
    mode: str
    payload: int | None = None
    goodput_mbps: float | None = None
    busy: float | None = None
    """Share of the processor's cycles from before the connection until it is over. It prints its account in them."""
    repeats: int | None = None
    """Segments that either end sent again."""
    cycles: float | None = None
    """Busy ones for each datagram that comes and goes back."""
    sim_s_per_wall_s: float | None = None


@dataclass
class LiveResult:
    """Everything `nsoc bench live` found."""

    runs: list[Run]

    @property
    def failure(self) -> str:
        """One sentence on goals that are missed; empty when there are none. How fast this machine is does not count."""
        missed = [
            f"{one.preset} {name(one)} ({ours:.0f}, wanted {wanted:g})"
            for one in self.runs
            for ours, wanted in [goal(one)]
            if ours is not None and wanted is not None and (ours > wanted if one.mode == UDP else ours < wanted)
        ]
        return f"missed: {', '.join(missed)}" if missed else ""


@cache
def anchors() -> dict[str, Any]:
    """published/live.toml."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def name(one: Run) -> str:
    """Of a measurement, beside its preset's."""
    return one.mode if one.payload is None else f"{one.mode} {one.payload}"


def goal(one: Run) -> tuple[float | None, float | None]:
    """A simulated figure, and what this project wants of it."""
    metric = "cpu_cycles" if one.mode == UDP else "sim_s_per_wall_s" if one.mode == IDLE else "goodput_mbps"
    ours = one.cycles if one.mode == UDP else one.goodput_mbps
    return ours, figures.goal(SUITE, one.preset, one.mode, metric, one.payload)


# ---- What is measured ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cycles:
    """Of the processor, modulo 2^32."""

    all: int
    asleep: int

    def since(self, before: "_Cycles") -> "_Cycles":
        """Those between two accounts."""
        return _Cycles((self.all - before.all) % 2**32, (self.asleep - before.asleep) % 2**32)

    @property
    def busy(self) -> int:
        return self.all - self.asleep


class _Bench:
    """A SoC that runs `net`, and its peer."""

    def __init__(self, preset: str, seed: int) -> None:
        self.network = Network(seed)
        self.soc: Soc = self.network.soc(presets.load_soc(preset), FIRMWARE)
        self.peer = Peer(self.network, settings=LIKE_LINUX)
        self.cable = self.network.cable(self.peer.host, self.soc)
        self.keep_going: Callable[[], object] = lambda: None
        """What the peer's program does now and then."""

    def __enter__(self) -> "_Bench":
        if not self.network.run(BOOT_US, until=lambda: "ready" in self.soc.uart.text):
            raise NsocError(f"the firmware {FIRMWARE} said nothing in {BOOT_US / 1000:g} ms of simulated time")
        if "lwIP" not in self.soc.uart.text:
            raise NsocError("this is measured with lwIP, and its sources are missing: set LWIP_DIR to them")
        if self.peer.ping(SOC) is None:
            raise NsocError(f"the firmware {FIRMWARE} does not answer a ping")
        return self

    def __exit__(self, *_: object) -> None:
        self.network.close()

    def run(self, us: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Lets time pass until `until` says so: whether it did."""

        def over() -> bool:
            self.keep_going()
            return until()

        return self.peer.run(us, until=over, every_us=LOOK_US)

    def reach(self, done: Callable[[], bool]) -> float:
        """The time when it is."""
        if not self.run(LONGEST_US, done):
            raise NsocError(f"a TCP connection with the firmware {FIRMWARE} came to a stop")
        return self.peer.now

    def cycles(self) -> "_Cycles":
        """Up to here, as the firmware counts them. It prints them when it is idle."""
        uart = self.soc.uart
        begin = len(uart.text)
        uart.write("counters\n")
        if not self.run(LONGEST_US, lambda: "end\n" in uart.text[begin:]):
            raise NsocError(f"the firmware {FIRMWARE} does not print its counters")
        said = uart.text[begin:]
        cycles, asleep = _CYCLES.search(said), _ASLEEP.search(said)
        return _Cycles(int(cycles[1]) if cycles else 0, int(asleep[1]) if asleep else 0)


def _receive(bench: _Bench) -> tuple[Stream, Callable[[], int]]:
    stream = bench.peer.connect(SOC, DISCARD_PORT)
    total = 2 * WARM_UP + MEASURED  # more than is waited for: the last segment is not acknowledged at once
    stream.send(bytes(total))
    of = stream.connection
    return stream, lambda: total - of.unsent


def _send(bench: _Bench) -> tuple[Stream, Callable[[], int]]:
    listener = bench.peer.listen(IPERF_PORT)
    bench.soc.uart.write(f"iperf {ADDRESS} {IPERF_S}\n")
    stream = listener.accept(LONGEST_US)
    if stream is None:
        raise NsocError(f"the firmware {FIRMWARE} opens no connection for iperf")
    came = 0

    def read() -> None:
        nonlocal came
        came += len(stream.receive())

    bench.keep_going = read
    return stream, lambda: came


def _tcp(preset: str, mode: str, seed: int) -> Run:
    with _Bench(preset, seed) as bench:
        crossing = Crossing(bench.cable, 0 if mode == RECEIVE else 1)
        before = bench.cycles()
        stream, count = (_receive if mode == RECEIVE else _send)(bench)
        begin = bench.reach(lambda: count() >= WARM_UP)
        end = bench.reach(lambda: count() >= WARM_UP + MEASURED)
        segments = stream.connection.segments
        repeats = segments["repeated"] if mode == RECEIVE else segments["unacceptable"]
        stream.abort()
        used = bench.cycles().since(before)
        return Run(preset, mode, goodput_mbps=crossing.mbps(begin, end), repeats=repeats, busy=used.busy / used.all)


def _udp(preset: str, payload: int, seed: int) -> Run:
    with _Bench(preset, seed) as bench:
        port = bench.peer.udp()

        def echoes() -> None:
            for _ in range(ECHOES):
                port.send(bytes(payload), SOC, ECHO_PORT)
                bench.peer.run(ECHO_US)
            came = 0
            while port.pending:
                came += port.receive() is not None
            if came != ECHOES:
                raise NsocError(f"the firmware {FIRMWARE} sent {came} of {ECHOES} datagrams back")

        echoes()  # warms the caches up
        before = bench.cycles()
        bench.peer.run(ECHOES * ECHO_US)
        between = bench.cycles()
        echoes()
        after = bench.cycles()
        cycles = (after.since(between).busy - between.since(before).busy) / ECHOES
        return Run(preset, UDP, payload, cycles=cycles)


def _idle(preset: str, seed: int) -> Run:
    with _Bench(preset, seed) as bench:
        bench.network.run(1e6)
        begin = time.perf_counter()
        bench.network.run(IDLE_US)
        return Run(preset, IDLE, sim_s_per_wall_s=IDLE_US / 1e6 / (time.perf_counter() - begin))


def _measure(preset: str, mode: str, payload: int | None, seed: int) -> Run:
    if payload is not None:
        return _udp(preset, payload, seed)
    return _idle(preset, seed) if mode == IDLE else _tcp(preset, mode, seed)


_Point = tuple[str, str, int | None]


@public
def run(
    modes: Sequence[str] = (),
    *,
    preset: Sequence[str] = (),
    seed: int = 1,
    fresh: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> LiveResult:
    """Measures the modes, all when none is given, on the presets. Simulated figures that were measured before are taken
    from disk, but not with `fresh`. Raises NsocError for a mode that there is not."""
    if unknown := [mode for mode in modes if mode not in MODES]:
        raise NsocError(f"there is no mode {unknown[0]!r}, only {', '.join(MODES)}")
    wanted: list[_Point] = [
        (system, mode, payload)
        for system in preset or PRESETS
        for mode in MODES
        if not modes or mode in modes
        for payload in (PAYLOADS if mode == UDP else (None,))
    ]
    digests = (store.simulated_digest(), store.code_digest(__name__))
    keys = {
        point: store.key(presets.load_soc(point[0]), seed, {"live": point[1:]}, *digests)
        for point in wanted
        if point[1] != IDLE
    }
    found: dict[_Point, Run] = {}
    for point, key in keys.items():
        kept = None if fresh else store.recall(key, Run)
        if kept is not None:
            found[point] = kept
    progress(len(found), len(wanted))
    todo = {point: partial(_measure, *point, seed) for point in keys if point not in found}
    if todo:
        for system in dict.fromkeys(point[0] for point in todo):
            build.simulator(presets.load_soc(system))  # not by the processes that measure, side by side
        with pool.completed(todo, workers) as results:
            for point, result in results:
                store.keep(keys[point], result)
                found[point] = result
                progress(len(found), len(wanted))
    for point in wanted:
        if point[1] == IDLE:  # alone on the machine
            found[point] = _measure(*point, seed)
            progress(len(found), len(wanted))
    return LiveResult([found[point] for point in wanted])


# ---- What is shown ---------------------------------------------------------------------------------------------------


def published(one: Run) -> tuple[float | None, str | None]:
    """The published figure, and where it stands."""
    row = anchors().get(one.mode)
    if row is None:
        return None, None
    return row.get(str(one.payload) if one.mode == UDP else "goodput_mbps"), row["source"]


@public
def records(result: LiveResult) -> list[Record]:
    """Every figure in the machine format."""
    made = []
    for one in result.runs:
        theirs, source = published(one)
        record = partial(Record, SUITE, one.preset, mode=one.mode, payload=one.payload)
        if one.goodput_mbps is not None:
            made.append(
                record("goodput_mbps", one.goodput_mbps, unit="Mb/s", limit=LIMIT_MBPS, published=theirs, source=source)
            )
        if one.cycles is not None:
            made.append(record("cpu_cycles", one.cycles, unit="cycles", published=theirs, source=source))
        if one.busy is not None:
            made.append(record("processor_busy", one.busy, limit=1.0))
        if one.repeats is not None:
            made.append(record("retransmissions", one.repeats))
        if one.sim_s_per_wall_s is not None:
            made.append(record("sim_s_per_wall_s", one.sim_s_per_wall_s))
    return made


def table(result: LiveResult) -> "Table":
    """A row for each measurement."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    for heading in ("", "this SoC", "wanted", "published", "busy", "repeats"):
        shown.add_column(heading, justify="right")
    for one in result.runs:
        ours, wanted = goal(one)
        unit = "cycles" if one.mode == UDP else "Mb/s"
        if one.mode == IDLE:
            ours, unit = one.sim_s_per_wall_s, "s / s"
        theirs, _ = published(one)
        shown.add_row(
            f"{one.preset} {name(one)}", unit, "" if ours is None else f"{ours:,.1f}", _shown(wanted), _shown(theirs),
            "" if one.busy is None else f"{one.busy:.0%}", "" if one.repeats is None else f"{one.repeats}",
        )  # fmt: skip
    return shown


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def lines(result: LiveResult) -> list[str]:
    """What the table leaves to say."""
    sources = dict.fromkeys(source for one in result.runs for _, source in [published(one)] if source)
    return [
        f"Mb/s: goodput in simulated time; the line allows {LIMIT_MBPS:.1f}. Cycles: busy ones a datagram that comes "
        "and goes back. s / s: simulated seconds a second on the wall, the stack's timers alone.",
        "The published cycles are a delay at 100 MHz; ours are what the processor does.",
        *(f"Published: {source}." for source in sources),
    ]
