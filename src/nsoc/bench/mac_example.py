# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench mac-example`: what link and MAC do without a processor, beside the published example design.

Two designs of rtl/soc/mac_example.sv are on one cable (sim/mac_example). One generates and checks frames. The other
swaps their addresses and sends them back.

**Round trip.** It is the time from the cycle in which the generator begins a frame to the last beat of that frame at
the checker, come back and found right. One frame is under way at a time. Two frame times on the line and two
store-and-forward MACs are in it.

**Throughput.** It is the frame bytes without FCS a second, of the frames that left and of those that came back good,
over so many frames behind a warm-up. It is measured with the published delay of 1 us between frames on the line, and at
line rate.
"""

import subprocess
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc.bench.program import program, rtl
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.build import checkout
from nsoc.machine.presets import Preset
from nsoc.network.ethernet import HEADER_BYTES, LINE_MBPS, SLOT_BYTES, line_limit
from nsoc.records import MEBI, PUBLISHED_UNIT, Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "mac-example"
PRESET = "mac-example"
PUBLISHED = Path(__file__).parents[1] / "published" / "mac_example.toml"
TOP = "mac_example_pair"

GMII_PERIOD_FS = 8_000_000
FS_PER_US = 10**9

RTT_FRAMES, RTT_DELAY_US = 16, 100.0
"""One frame at a time: the longest round trip is far shorter than the delay."""
FRAMES, WARM_UP = 2000, 200
DELAYED, SATURATED = "delay-1us", "line-rate"

Show = Callable[[str], None]


@dataclass(frozen=True)
class RoundTrip:
    """Round trips of single frames, in cycles of the NIC clock."""

    payload: int
    frames: int
    minimum: int
    maximum: int
    average: float


@dataclass(frozen=True)
class Throughput:
    """Frames of one length at one delay; Mb/s of 10^6 bit/s."""

    payload: int
    mode: str
    frames: int
    send_mbps: float
    receive_mbps: float


@dataclass
class MacExampleResult:
    """Everything `nsoc bench mac-example` found."""

    preset: Preset
    round_trips: list[RoundTrip]
    throughputs: list[Throughput]

    def us(self, cycles: float) -> float:
        return cycles / self.preset.nic_mhz


def delayed_limit(payload: int, delay_us: float) -> float:
    """line_limit() with a delay between frames."""
    frame = payload + HEADER_BYTES
    return 8 * frame / (8 * (frame + SLOT_BYTES) / LINE_MBPS + delay_us)


def published() -> dict[str, Any]:
    """published/mac_example.toml, with payloads as numbers."""
    tables = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    tables["rtt"]["us"] = {int(payload): us for payload, us in tables["rtt"]["us"].items()}
    tables["throughput"]["mbps"] = {int(payload): mbps for payload, mbps in tables["throughput"]["mbps"].items()}
    return tables


@public
def run(
    *, frames: int = FRAMES, warm_up: int = WARM_UP, preset: str | Preset = PRESET, show: Show = lambda what: None
) -> MacExampleResult:
    """Measures both published tables, `frames` frames behind `warm_up` ones for each throughput.

    Raises NsocError when a frame was lost or came back wrong, or the preset is not one of this design.
    """
    system = presets.load(preset)
    if system.top != "mac_example":
        raise NsocError(f"the preset {system.name} is not a mac-example: it has no pattern generator")
    theirs = published()
    result = MacExampleResult(system, [], [])
    show("round trips")
    for payload in theirs["rtt"]["us"]:
        result.round_trips.append(_round_trip(system, payload))
    delay_us = theirs["throughput"]["delay_us"]
    for mode, delay in ((DELAYED, delay_us), (SATURATED, 0.0)):
        show(f"throughput, {mode}")
        for payload in theirs["throughput"]["mbps"]:
            result.throughputs.append(_throughput(system, payload, mode, delay, frames, warm_up))
    return result


def _round_trip(preset: Preset, payload: int) -> RoundTrip:
    counts = _simulate(preset, payload, RTT_DELAY_US, 0, RTT_FRAMES)
    return RoundTrip(payload, RTT_FRAMES, counts["rtt_min"], counts["rtt_max"], counts["rtt_sum"] / RTT_FRAMES)


def _throughput(preset: Preset, payload: int, mode: str, delay_us: float, frames: int, warm_up: int) -> Throughput:
    counts = _simulate(preset, payload, delay_us, warm_up, frames)
    bits = 8 * (payload + HEADER_BYTES) * frames
    mbps = [bits * FS_PER_US / counts[way] for way in ("send_fs", "receive_fs")]
    return Throughput(payload, mode, frames, *mbps)


_FIELDS = ("good", "bad", "missing", "rtt_min", "rtt_max", "rtt_sum", "send_fs", "receive_fs")


def _simulate(preset: Preset, payload: int, delay_us: float, warm_up: int, frames: int) -> dict[str, int]:
    nic_period_fs = round(FS_PER_US / preset.nic_mhz)
    delay = round(delay_us * preset.nic_mhz)
    slowest = payload + HEADER_BYTES + SLOT_BYTES + delay  # cycles of either clock, whichever is faster
    limit = round(4 * (warm_up + frames + 4) * slowest * max(1.0, nic_period_fs / GMII_PERIOD_FS)) + 10_000
    numbers = (nic_period_fs, GMII_PERIOD_FS, payload, delay, warm_up, frames, limit)
    command = [str(_program(preset)), *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    where = f"payload {payload}, delay {delay_us:g} us"
    try:
        counts = dict(zip(_FIELDS, map(int, done.stdout.split()), strict=True))
    except ValueError:
        raise NsocError(f"the simulation of {preset.name} ({where}) failed: {done.stderr.strip()}") from None
    if done.returncode != 0 or counts["bad"] or counts["missing"]:
        raise NsocError(
            f"{preset.name} ({where}) lost frames: of {warm_up + frames} came {counts['good']} back good, "
            f"{counts['bad']} bad; {counts['missing']} are missing"
        )
    return counts


def built(preset: Preset) -> str:
    """The hash of everything that the simulator of `preset` is made of; builds it when it is not there."""
    return _program(preset).parent.name


def _program(preset: Preset) -> Path:
    root = checkout()
    names = ("frame_generator", "frame_checker", "address_swap", "mac_example")
    modules = [*rtl("common", "mac"), *(root / "rtl" / "soc" / f"{name}.sv" for name in names)]
    harness = root / "sim" / "mac_example"
    fifos = {"RX_FIFO_BYTES": preset.rx_fifo_bytes, "TX_FIFO_BYTES": preset.tx_fifo_bytes}
    sources = [*modules, harness / f"{TOP}.sv"]
    return program(harness / "mac_example.cpp", TOP, sources, fifos, preset.name, preset.name)


# ---- Showing ---------------------------------------------------------------------------------------------------------


@public
def records(result: MacExampleResult) -> list[Record]:
    """A record for each figure; published throughputs in 10^6 bit/s."""
    theirs = published()
    name = result.preset.name
    made = []
    for trip in result.round_trips:
        us = theirs["rtt"]["us"].get(trip.payload)
        made += [
            Record(SUITE, name, "rtt_cycles", trip.average, payload=trip.payload, unit="cycles"),
            Record(
                SUITE, name, "rtt_us", result.us(trip.average), payload=trip.payload, unit="us",
                published=us, source=theirs["rtt"]["source"],
            ),
        ]  # fmt: skip
    for measured in result.throughputs:
        limit = line_limit(measured.payload)
        printed = theirs["throughput"]["mbps"].get(measured.payload)
        known = {}
        if measured.mode == DELAYED and printed is not None:  # nothing is published for line rate
            known = {"published": printed * MEBI, "source": theirs["throughput"]["source"]}
        for way, mbps in (("send", measured.send_mbps), ("receive", measured.receive_mbps)):
            mode = f"{way}:{measured.mode}"
            made.append(Record(SUITE, name, "throughput_mbps", mbps, mode, measured.payload, "Mb/s", limit, **known))
            made.append(Record(SUITE, name, "line_share", mbps / limit, mode, measured.payload))
    return made


def tables(result: MacExampleResult) -> "list[Table]":
    """Tables B.1 and B.2, ours beside theirs."""
    return [_rtt_table(result), _throughput_table(result)]


def lines() -> list[str]:
    """What the tables leave to say."""
    theirs = published()
    delay_us = theirs["throughput"]["delay_us"]
    mbps = theirs["throughput"]["mbps"]
    as_printed, beyond = (
        ", ".join(str(payload) for payload in mbps if mbps[payload] * unit > delayed_limit(payload, delay_us))
        for unit in (1.0, MEBI)
    )
    return [
        "The published round trips pass through a host, its operating system and its network card; ours are between "
        "two designs on a cable without length, from the generator's begin with a frame to its last byte at the "
        "checker.",
        f"Throughput: frame bytes without FCS a second, Mb/s of 10^6 bit/s. {PUBLISHED_UNIT}",
        f"Between frames on the line stand {delay_us:g} us here; there it cannot have been: at payload {as_printed} "
        f"more is published than fits with it, as printed; times 1.048576 at {beyond}.",
        f"Published: {theirs['rtt']['source']}; {theirs['throughput']['source'].rsplit(', ', 1)[1]}.",
    ]


def _columns(table: "Table", headings: Sequence[str]) -> None:
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)


def _rtt_table(result: MacExampleResult) -> "Table":
    from rich import box
    from rich.table import Table

    theirs = published()["rtt"]["us"]
    table = Table(
        title=f"Round trip without load, {result.preset.name}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    _columns(table, ("payload", "cycles", "us", "published, us", "ours / published"))
    for trip in result.round_trips:
        us = result.us(trip.average)
        known = theirs.get(trip.payload)
        compared = ("", "") if known is None else (f"{known:g}", f"{us / known:.3f}")
        table.add_row(f"{trip.payload}", f"{trip.average:,.1f}", f"{us:.2f}", *compared)
    return table


def _throughput_table(result: MacExampleResult) -> "Table":
    from rich import box
    from rich.table import Table

    theirs = published()["throughput"]["mbps"]
    found = {(measured.payload, measured.mode): measured for measured in result.throughputs}
    table = Table(
        title=f"Throughput, Mb/s, {result.preset.name}", title_justify="left", box=box.SIMPLE_HEAD,
        padding=(0, 0, 0, 1), pad_edge=False,
    )  # fmt: skip
    delayed_heads = ("1 us apart\nsend", "\nreceive")
    published_heads = ("published\nas printed", "published\nx 1.048576", "ours /\npublished")
    _columns(table, ("\npayload", *delayed_heads, *published_heads, "line rate\nsend", "\nreceive", "of the\nline"))
    for payload in sorted({measured.payload for measured in result.throughputs}):
        delayed, full = found[payload, DELAYED], found[payload, SATURATED]
        printed = theirs.get(payload)
        compared = ("", "", "")
        if printed is not None:
            compared = (f"{printed:.2f}", f"{printed * MEBI:.2f}", f"{delayed.receive_mbps / (printed * MEBI):.2f}")
        table.add_row(
            f"{payload}", f"{delayed.send_mbps:.2f}", f"{delayed.receive_mbps:.2f}", *compared,
            f"{full.send_mbps:.2f}", f"{full.receive_mbps:.2f}",
            f"{100 * full.receive_mbps / line_limit(payload):.1f}%",
        )  # fmt: skip
    return table
