# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench toe`: goodput of the TCP/IP engine in the SoC, with firmware `toe_net`. Its peer is nsoc.network.inet.

    tcp-receive-N    the peer sends to the SoC's discard port over N connections
    tcp-send-N       the SoC's source sends to the peer over N connections
    tcp-both-N       both at once over each of N connections
    ...-loss1        with 1 % of random loss each way, 100 us of round trip and timeouts of 1 ms at least

Goodput is payload bytes in simulated time, at the peer, of each way, behind a warm-up; segments have timestamps. The
processor takes and gives by positions alone: it reads no byte and writes none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from nsoc.bench import pool, store
from nsoc.errors import NsocError
from nsoc.machine import build, presets
from nsoc.machine.soc import BOOT_US, Soc
from nsoc.network.faults import Faults
from nsoc.network.inet import Peer, Settings, Stream
from nsoc.network.network import DELAY_NS, Network
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "toe"
PRESET = "toe"
FIRMWARE = "toe_net"
SOC = "10.0.0.2"
DISCARD_PORT, SOURCE_PORT = 9, 5002
RECEIVE, SEND, BOTH = "tcp-receive", "tcp-send", "tcp-both"
LOSS = "-loss1"
POINTS = (
    (RECEIVE, 1, False), (SEND, 1, False), (BOTH, 1, False),
    (RECEIVE, 32, False), (SEND, 32, False), (BOTH, 32, False),
    (RECEIVE, 1, True), (SEND, 1, True), (RECEIVE, 32, True), (SEND, 32, True),
)  # fmt: skip
FEW = 16
"""Records that are used with one connection: their rings are as large as there is room for."""
SEGMENT = 1448
LIMIT_MBPS = 1000 * SEGMENT / (SEGMENT + 90)
"""On the line a segment has 52 bytes of TCP and IP, 18 of Ethernet and 20 of preamble and gap besides."""
GOAL = 0.99
GOAL_LOSS = {1: 0.80, 32: 0.95}
WARM_UP_US, MEASURED_US = 3000.0, 7000.0
LOSS_US = 30000.0
LOOK_US = 50.0
CONNECT_US = 10e6
"""A SYN that is lost is sent again after a second."""
ROUND_TRIP_US = 100.0
LOST = 0.01
AT_ONCE = 1 << 18
"""Bytes that the peer has ready for each connection."""


@dataclass
class Run:
    """One measurement, of each way that carries data."""

    preset: str
    mode: str
    connections: int
    loss: bool
    received_mbps: float | None = None
    sent_mbps: float | None = None

    @property
    def name(self) -> str:
        """As in the records."""
        return f"{self.mode}-{self.connections}{LOSS if self.loss else ''}"

    @property
    def least(self) -> float:
        """The slower way, Mb/s."""
        return min(one for one in (self.received_mbps, self.sent_mbps) if one is not None)

    @property
    def wanted(self) -> float:
        """Mb/s."""
        return LIMIT_MBPS * (GOAL_LOSS[self.connections] if self.loss else GOAL)


@dataclass
class ToeResult:
    """Everything `nsoc bench toe` found."""

    runs: list[Run]

    @property
    def failure(self) -> str:
        """One sentence on goals that are missed; empty when there are none."""
        missed = [
            f"{one.name} ({one.least:.1f}, wanted {one.wanted:.1f})" for one in self.runs if one.least < one.wanted
        ]
        return f"missed: {', '.join(missed)}" if missed else ""


class _Bench:
    """A SoC that runs `toe_net`, and its peer."""

    def __init__(self, preset: str, connections: int, loss: bool, seed: int) -> None:
        self.network = Network(seed)
        system = presets.load_soc(preset)
        if not system.connections:
            raise NsocError(f"the preset {preset} has no TCP/IP engine: choose toe or toe-1k")
        defines: dict[str, int | str] = {"BACKLOG": min(connections, system.connections // 2)}
        if connections == 1:
            defines["TOE_CONNECTIONS"] = f"{min(FEW, system.connections)}u"
        if loss:
            defines["TOE_LEAST_RTO_US"] = "1000u"
        self.soc: Soc = self.network.soc(system, FIRMWARE, defines=defines)
        settings = Settings(
            timestamps=True, window=1 << 17, delayed_ack_us=40e3, least_rto_us=1000.0 if loss else 200e3
        )
        self.peer = Peer(self.network, settings=settings)
        faults = Faults(loss=LOST) if loss else None
        self.network.cable(self.peer.host, self.soc, delay_ns=ROUND_TRIP_US * 500 if loss else DELAY_NS, faults=faults)

    def __enter__(self) -> "_Bench":
        if not self.network.run(BOOT_US, until=lambda: "ready" in self.soc.uart.text):
            raise NsocError(f"the firmware {FIRMWARE} said nothing in {BOOT_US / 1000:g} ms of simulated time")
        return self

    def __exit__(self, *_: object) -> None:
        self.network.close()


def _measure(preset: str, mode: str, connections: int, loss: bool, seed: int) -> Run:
    with _Bench(preset, connections, loss, seed) as bench:
        port = DISCARD_PORT if mode == RECEIVE else SOURCE_PORT
        streams = [bench.peer.connect(SOC, port, timeout_us=CONNECT_US) for _ in range(connections)]
        came = given = 0

        def work() -> bool:
            nonlocal came, given
            for one in streams:
                came += len(one.receive())
                if mode != SEND:
                    room = AT_ONCE - one.connection.unsent
                    if room >= AT_ONCE // 2:
                        one.send(bytes(room))
                        given += room
            return False

        def run(us: float) -> tuple[float, int, int]:
            work()
            bench.peer.run(us, until=work, every_us=LOOK_US)
            work()
            return bench.peer.now, given - sum(one.connection.unsent for one in streams), came

        begin, given_first, came_first = run(WARM_UP_US)
        end, given_last, came_last = run(LOSS_US if loss else MEASURED_US)
        _alive(streams)
        scale = 8 / (end - begin)
        return Run(
            preset, mode, connections, loss,
            (given_last - given_first) * scale if mode != SEND else None,
            (came_last - came_first) * scale if mode != RECEIVE else None,
        )  # fmt: skip


def _alive(streams: Sequence[Stream]) -> None:
    for one in streams:
        if one.failure:
            raise NsocError(f"a connection with the firmware {FIRMWARE} failed: {one.failure}")


def run(
    modes: Sequence[str] = (),
    *,
    preset: str = PRESET,
    seed: int = 1,
    fresh: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> ToeResult:
    """Measures the modes, all when none is given. What was measured before is taken from disk, but not with `fresh`.
    Raises NsocError for a mode that there is not."""
    points = {Run(preset, *point).name: point for point in POINTS}
    if unknown := [mode for mode in modes if mode not in points]:
        raise NsocError(f"there is no mode {unknown[0]!r}, only {', '.join(points)}")
    wanted = {name: point for name, point in points.items() if not modes or name in modes}
    digests = (store.simulated_digest(), store.code_digest(__name__))
    keys = {name: store.key(presets.load_soc(preset), seed, {"toe": name}, *digests) for name in wanted}
    found: dict[str, Run] = {}
    for name, key in keys.items():
        kept = None if fresh else store.recall(key, Run)
        if kept is not None:
            found[name] = kept
    progress(len(found), len(wanted))
    todo: dict[str, Callable[[], Run]] = {
        name: partial(_measure, preset, *point, seed) for name, point in wanted.items() if name not in found
    }
    if todo:
        build.simulator(presets.load_soc(preset))  # not by the processes that measure, side by side
        with pool.completed(todo, workers) as results:
            for name, result in results:
                store.keep(keys[name], result)
                found[name] = result
                progress(len(found), len(wanted))
    return ToeResult([found[name] for name in wanted])


# ---- What is shown ---------------------------------------------------------------------------------------------------


def records(result: ToeResult) -> list[Record]:
    """Every figure in the machine format: of two ways the slower one."""
    return [
        Record(SUITE, one.preset, "goodput_mbps", one.least, one.name, unit="Mb/s", limit=LIMIT_MBPS)
        for one in result.runs
    ]


def table(result: ToeResult) -> "Table":
    """A row for each measurement."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    for heading in ("received", "sent", "of the line", "wanted"):
        shown.add_column(heading, justify="right")
    for one in result.runs:
        shown.add_row(
            one.name, _shown(one.received_mbps), _shown(one.sent_mbps), f"{one.least / LIMIT_MBPS:.1%}",
            f"{one.wanted / LIMIT_MBPS:.0%}",
        )  # fmt: skip
    return shown


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def lines(result: ToeResult) -> list[str]:
    """What the table leaves to say."""
    return [
        f"Mb/s: goodput in simulated time, of each way; segments of {SEGMENT} bytes and timestamps allow "
        f"{LIMIT_MBPS:.1f} on the line.",
        f"{LOSS[1:]}: {LOST:.0%} of the frames are lost each way, the cable's round trip is {ROUND_TRIP_US:g} us. What "
        "is received then shows how the peer repairs, what is sent how the engine does.",
    ]
