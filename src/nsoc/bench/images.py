# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench images`: the published image transfers (Tables 6.7 and 6.8), and what this SoC can do besides.

    scheme3-*, scheme4-*            host -> SoC -> host: the SoC sends every frame back
    sink-large, source-large        host -> SoC's DRAM, SoC's DRAM -> host
    soc-to-soc-large-loss1          one SoC's DRAM -> another one's
    scheme4-faults                  host -> SoC's DRAM over a cable that does everything wrong

Times are simulated, from the first byte of the first frame to the end of the frame that confirms the transfer. Of a SoC
that sends to another one they are the processor's own, from the command to the confirmation.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from nsoc import figures as kept_figures
from nsoc.bench import bursts, pool, store
from nsoc.bench.bursts import SUITE, Found
from nsoc.bench.image_figures import figures
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.machine import build, presets
from nsoc.machine.soc import Soc
from nsoc.network import image
from nsoc.network.faults import Faults, Wiring
from nsoc.network.image import Size
from nsoc.network.network import Network
from nsoc.progress import Progress
from nsoc.records import MEBI, Record
from nsoc.transfer import message
from nsoc.transfer.line_use import LIMIT_MBPS, PAYLOAD
from nsoc.transfer.plan import PRESETS, SOURCE_PRESET, Plan, To
from nsoc.transfer.runner import Traffic
from nsoc.transfer.scheme import PAUSE_US, Scheme
from nsoc.transfer.session import SERVE_ADDRESS, Session
from nsoc.transfer.storage import MemorySource
from nsoc.transfer.transfers import Delivery, Item, frame_bytes

if TYPE_CHECKING:
    from rich.table import Table

LOSS = Faults(loss=0.01)
PICTURE, PICTURE_LOSS = "scheme4-small-loss5", Faults(loss=0.05)
"""The mode that the report draws packet by packet."""
HEAVY = Faults(loss=0.2, duplicate=0.05, reorder=0.05, corrupt=0.005, wrong_bytes=0.005)
ECHO, SINK, SOURCE = PRESETS[To.ECHO], PRESETS[To.SINK], SOURCE_PRESET
LONGEST_US = 10e6
"""Simulated time that a SoC has for a transfer to another one."""
ENDED = re.compile(r"^(sent|received|failed) .* bytes at (0x[0-9a-f]+).*, (\d+) packets repeated, (\d+) cycles, "
                   r"processor busy (\d+) %", re.MULTILINE)  # fmt: skip


@dataclass
class PacketTimes:
    """When a packet went and came, in us from the first byte of the transfer."""

    sent: list[float]
    """Each time."""
    came: float | None


@dataclass
class Run:
    """One transfer."""

    preset: str
    mode: str
    image_bytes: int
    bit_exact: bool
    failure: str
    duration_us: float
    line_share: float
    """Of the line's time, each packet counted once."""
    throughput_mbps: float
    """Frame bytes of the packets, each counted once."""
    images_per_s: float
    """One after the other, from the first byte to the confirmation."""
    images_per_s_as_published: float | None
    """By the published rule: send and receive times added. Of an echo only."""
    directions: dict[str, float] = field(default_factory=dict)
    """Throughput of the data frames, repeats included, as `send` and `receive`, in Mb/s. Of an echo only."""
    repeats: int = 0
    processor: dict[str, float] = field(default_factory=dict)
    """The share of the time for which the processor was busy, by SoC."""
    packets: list[PacketTimes] = field(default_factory=list)
    """Of the mode that is a picture: PICTURE."""


@dataclass
class ImagesResult:
    """Everything `nsoc bench images` found."""

    runs: list[Run]
    bursts: list[Found]

    @property
    def failure(self) -> str:
        """One sentence on goals that are missed; empty when there are none."""
        missed = [one.mode for one in self.runs if not one.bit_exact] + [
            f"{mode} ({metric} {ours:.4g}, wanted {least:g})"
            for mode, metric, ours, least in goals(self.runs)
            if ours < least
        ]
        return f"missed: {', '.join(missed)}" if missed else ""


# ---- What is measured ------------------------------------------------------------------------------------------------


def picture(size: Size) -> bytes:
    """The generated picture, with zeros behind it up to the published size."""
    data = image.generated(size).data
    wanted = figures()["sizes"][size]
    if len(data) > wanted:
        raise NsocError(f"the generated {size} picture has {len(data)} bytes, more than the published {wanted}")
    return data.ljust(wanted, b"\0")


def _echo(mode: str, seed: int, *, size: Size, scheme: Scheme, faults: Faults | None = None) -> Run:
    data = picture(size)
    with Session.to(To.ECHO, seed=seed, wiring=Wiring(faults)) as session:
        (one,) = session.echo([Item(size, MemorySource(data))], Plan(scheme))
    run = _run(session.preset.name, mode, one, one.data == data)
    run.images_per_s_as_published = one.images_per_s_as_published
    if mode == PICTURE and one.history is not None:
        run.packets = _packets(one.history, one.packets)
    run.directions = {"send": one.sent.throughput_mbps, "receive": one.received.throughput_mbps}
    return run


def _packets(history: Traffic, packets: int) -> list[PacketTimes]:
    first = history.first_ps or 0
    return [
        PacketTimes(
            [(ps - first) / 1e6 for ps in history.sends[number]],
            (history.came[number] - first) / 1e6 if number in history.came else None,
        )
        for number in range(packets)
    ]


def _sink(mode: str, seed: int, *, size: Size, faults: Faults | None = None) -> Run:
    data = picture(size)
    with Session.to(To.SINK, seed=seed, wiring=Wiring(faults)) as session:
        (one,) = session.send([Item(size, MemorySource(data))])
        (soc,) = session.socs
        _hear(session.network, soc)
        return _run(session.preset.name, mode, one, _in_dram(soc, data), {"sink": _busy(soc)})


def _source(mode: str, seed: int, *, size: Size) -> Run:
    data = picture(size)
    with Session(["source"], SOURCE, seed=seed) as session:
        session.serve(Item(size, MemorySource(data)))
        one = session.get()
        (soc,) = session.socs
        _hear(session.network, soc)
        return _run(session.preset.name, mode, one, one.data == data, {"source": _busy(soc)})


def _soc_to_soc(mode: str, seed: int, *, size: Size, faults: Faults | None = None) -> Run:
    data = picture(size)
    system = presets.load_soc(SOURCE)
    with Network(seed) as network:
        source = network.soc(system, "source", defines={"STATION": 2})
        sink = network.soc(system, "sink", defines={"STATION": 3})
        network.cable(source, sink, faults=faults)
        source.load(SERVE_ADDRESS, data)
        network.run(1000, until=lambda: all("ready" in soc.uart.text for soc in (source, sink)))
        source.uart.write(f"serve {SERVE_ADDRESS:#x} {len(data)} {size}\n")
        network.run(1000, until=lambda: "serving" in source.uart.text)
        source.uart.write("put 3\n")
        _hear(network, source, LONGEST_US)
        _hear(network, sink)
        ended = ENDED.search(source.uart.text)
        if ended is None:
            raise NsocError(f"{mode} did not end in {LONGEST_US / 1e6:g} s of simulated time")
        packets = -(-len(data) // message.PACKET_BYTES)
        wire_bytes = frame_bytes(len(data), message.PACKET_BYTES, message.MESSAGE_HEADER_BYTES)
        one = Delivery(
            size, b"", len(data), packets, wire_bytes, ended[1] == "sent", ended[0] if ended[1] == "failed" else "",
            int(ended[3]), int(ended[4]) / system.cpu_mhz,
        )  # fmt: skip
        return _run(system.name, mode, one, _in_dram(sink, data), {"source": _busy(source), "sink": _busy(sink)})


def _run(preset: str, mode: str, one: Delivery, bit_exact: bool, processor: dict[str, float] | None = None) -> Run:
    return Run(
        preset, mode, one.size, one.delivered and bit_exact, one.failure, one.duration_us, one.line_share,
        one.throughput_mbps, one.images_per_s, None, repeats=one.repeats, processor=processor or {},
    )  # fmt: skip


def _in_dram(soc: Soc, data: bytes) -> bool:
    """Whether the SoC has it where it says."""
    ended = ENDED.search(soc.uart.text)
    return ended is not None and ended[1] == "received" and soc.peek(int(ended[2], 16), len(data)) == data


def _hear(network: Network, soc: Soc, us: float = 1000.0) -> None:
    """Until the SoC says what became of the transfer."""
    network.run(us, until=lambda: ENDED.search(soc.uart.text) is not None)


def _busy(soc: Soc) -> float:
    ended = ENDED.search(soc.uart.text)
    return int(ended[5]) / 100 if ended else 0.0


RUNS: Mapping[str, tuple[str, Callable[[str, int], Run]]] = {
    "scheme3-small": (ECHO, partial(_echo, size=Size.SMALL, scheme=Scheme.CONTINUOUS)),
    "scheme4-small": (ECHO, partial(_echo, size=Size.SMALL, scheme=Scheme.RELIABLE)),
    PICTURE: (ECHO, partial(_echo, size=Size.SMALL, scheme=Scheme.RELIABLE, faults=PICTURE_LOSS)),
    "scheme3-large": (ECHO, partial(_echo, size=Size.LARGE, scheme=Scheme.CONTINUOUS)),
    "scheme4-large": (ECHO, partial(_echo, size=Size.LARGE, scheme=Scheme.RELIABLE)),
    "scheme4-large-loss1": (ECHO, partial(_echo, size=Size.LARGE, scheme=Scheme.RELIABLE, faults=LOSS)),
    "sink-large": (SINK, partial(_sink, size=Size.LARGE)),
    "source-large": (SOURCE, partial(_source, size=Size.LARGE)),
    "soc-to-soc-large-loss1": (SOURCE, partial(_soc_to_soc, size=Size.LARGE, faults=LOSS)),
    "scheme4-faults": (SINK, partial(_sink, size=Size.SMALL, faults=HEAVY)),
}
"""The system, and what measures; it takes the mode and the seed."""
MODES = (*RUNS, *bursts.FIFOS)


@public
def run(
    modes: Sequence[str] = (),
    *,
    seed: int = 1,
    fresh: bool = False,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> ImagesResult:
    """Measures the modes, all when none is given, side by side. What was measured before is taken from disk, but not
    with `fresh`. Raises NsocError for a mode that there is not."""
    if unknown := [mode for mode in modes if mode not in MODES]:
        raise NsocError(f"there is no mode {unknown[0]!r}, only {', '.join(MODES)}")
    wanted = [mode for mode in MODES if not modes or mode in modes]
    keys = _keys(wanted, seed)
    found = {} if fresh else _recalled(keys)
    progress(len(found), len(wanted))
    todo = {mode: partial(_measure, mode, seed) for mode in wanted if mode not in found}
    if todo:
        _build(todo)
        with pool.completed(todo, workers) as results:
            for mode, result in results:
                store.keep(keys[mode], result)
                found[mode] = result
                progress(len(found), len(wanted))
    return _result(found[mode] for mode in wanted)


def kept(modes: Sequence[str] = (), *, seed: int = 1) -> ImagesResult:
    """What earlier runs have measured of the RTL, firmware and code that there is now."""
    found = _recalled(_keys([mode for mode in MODES if not modes or mode in modes], seed))
    return _result(found.values())


def _keys(modes: Sequence[str], seed: int) -> dict[str, store.Key]:
    digests = (store.simulated_digest(), store.code_digest(__name__))
    return {mode: store.key(presets.load(SINK), seed, {"image transfer": mode}, *digests) for mode in modes}


def _recalled(keys: Mapping[str, store.Key]) -> dict[str, Run | Found]:
    found: dict[str, Run | Found] = {}
    for mode, key in keys.items():
        kept: Run | Found | None = store.recall(key, Run) if mode in RUNS else store.recall(key, Found)
        if kept is not None:
            found[mode] = kept
    return found


def _result(found: Iterable[Run | Found]) -> ImagesResult:
    every = list(found)
    runs = [one for one in every if isinstance(one, Run)]
    return ImagesResult(runs, [one for one in every if isinstance(one, Found)])


def _build(modes: Iterable[str]) -> None:
    """The simulators, one after the other; the processes that measure would build the same ones side by side."""
    slow = presets.load(ECHO)
    for mode in modes:
        system = presets.load(RUNS[mode][0]) if mode in RUNS else slow.with_(rx_fifo_bytes=bursts.FIFOS[mode])
        build.simulator(system)


def _measure(mode: str, seed: int) -> Run | Found:
    if mode in RUNS:
        return RUNS[mode][1](mode, seed)
    (found,) = bursts.run({mode: bursts.FIFOS[mode]}, seed=seed)
    return found


# ---- What is shown ---------------------------------------------------------------------------------------------------


def goals(runs: Sequence[Run]) -> list[tuple[str, str, float, float]]:
    """Mode, metric, ours, and what this project wants at least."""
    made = []
    for one in runs:
        values = {"line_share": one.line_share, "images_per_s": one.images_per_s_as_published or one.images_per_s}
        for row in kept_figures.goals(SUITE):
            if row.mode == one.mode and row.goal is not None:
                made.append((one.mode, row.metric, values[row.metric], float(row.goal)))
    return made


def published(mode: str) -> dict[str, Any] | None:
    """The published row of a mode, throughputs as printed."""
    key = mode.removeprefix("scheme4-") if mode in ("scheme4-small", "scheme4-large") else mode
    return figures().get(key) if mode in RUNS else None


@public
def records(result: ImagesResult) -> list[Record]:
    """Every figure in the machine format."""
    made: list[Record] = []
    for one in result.runs:
        theirs = published(one.mode)
        source = theirs["source"] if theirs else None

        def record(metric: str, value: float, suffix: str = "", one: Run = one, **more: Any) -> Record:
            return Record(SUITE, one.preset, metric, value, one.mode + suffix, **more)

        made += [
            record("line_share", one.line_share, payload=PAYLOAD, limit=1.0),
            record("throughput_mbps", one.throughput_mbps, payload=PAYLOAD, unit="Mb/s", limit=LIMIT_MBPS),
            record("bit_exact", one.bit_exact),
            record("sim_time_us", one.duration_us, unit="us"),
            record("retransmissions", one.repeats),
        ]
        if one.images_per_s_as_published is None:
            made.append(record("images_per_s", one.images_per_s, unit="1/s"))
        else:
            made.append(
                record(
                    "images_per_s", one.images_per_s_as_published, unit="1/s", source=source,
                    published=theirs["images_per_s"] if theirs else None,
                )
            )  # fmt: skip
            made.append(record("images_per_s_end_to_end", one.images_per_s, unit="1/s"))
        for way, mbps in one.directions.items():
            average = theirs[f"{way}_average"] * MEBI if theirs else None
            made.append(
                record("throughput_mbps", mbps, f"-{way}", payload=PAYLOAD, unit="Mb/s", limit=LIMIT_MBPS,
                       published=average, source=source),
            )  # fmt: skip
            share = average / LIMIT_MBPS if average else None
            made.append(
                record("line_share", mbps / LIMIT_MBPS, f"-{way}", payload=PAYLOAD, limit=1.0, published=share,
                       source=source),
            )  # fmt: skip
        made += [record("processor_busy", share, f"-{soc}") for soc, share in one.processor.items()]
    return made + bursts.records(result.bursts)


def table(result: ImagesResult) -> "Table":
    """A row for each mode."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    for heading in ("of the line", "wanted", "Mb/s", "images/s", "repeats", "busy", "bit-exact"):
        shown.add_column(heading, justify="right")
    wanted = {mode: least for mode, metric, _, least in goals(result.runs) if metric == "line_share"}
    for one in result.runs:
        least = f"{wanted[one.mode]:.1%}" if one.mode in wanted else ""
        busy = ", ".join(f"{share:.0%}" for share in one.processor.values())
        shown.add_row(
            one.mode, f"{one.line_share:.2%}", least, f"{one.throughput_mbps:,.1f}", f"{one.images_per_s:,.2f}",
            f"{one.repeats:,}", busy, "yes" if one.bit_exact else "[red]no[/]",
        )  # fmt: skip
    return shown


def published_table(result: ImagesResult) -> "Table":
    """A row for each mode and figure that is published."""
    from rich import box
    from rich.table import Table

    shown = Table(title="Beside the published", title_justify="left", box=box.SIMPLE_HEAD)
    shown.add_column("", no_wrap=True)
    for heading in ("this SoC", "printed", "x 1.0486", "ratio"):
        shown.add_column(heading, justify="right")
    for one in result.runs:
        theirs = published(one.mode)
        if theirs is None:
            continue
        for way, mbps in one.directions.items():
            printed = theirs[f"{way}_average"]
            figures_ = (f"{mbps:,.2f}", f"{printed:,.2f}", f"{printed * MEBI:,.2f}", f"{mbps / printed / MEBI:.2f}")
            shown.add_row(f"{one.mode}, {way}, Mb/s", *figures_)
        ours, printed = one.images_per_s_as_published or 0.0, theirs["images_per_s"]
        ratio = f"{ours / printed:.2f}"
        shown.add_row(f"{one.mode}, images/s, added times", f"{ours:,.2f}", f"{printed:,.2f}", "", ratio)
    return shown


def tables(result: ImagesResult) -> "list[Table]":
    """The images, then the bursts."""
    beside = [published_table(result)] if any(published(one.mode) for one in result.runs) else []
    return [
        *([table(result)] if result.runs else []), *beside, *([bursts.table(result.bursts)] if result.bursts else [])
    ]  # fmt: skip


def lines(result: ImagesResult) -> list[str]:
    """What the tables leave to say."""
    sources = {row["source"] for one in result.runs for row in [published(one.mode)] if row}
    works = sorted({source.partition(", Table")[0] for source in sources})
    said = [
        "Of the line, Mb/s, images/s: each packet counted once, from the first byte to the confirmation. Added times: "
        "send time + receive time, as published, though they overlap. Busy: the processors, the sender's first.",
        *(f"Published: {work}, Tables 6.7 and 6.8." for work in works),
        *(f"{one.mode} failed: {one.failure}" for one in result.runs if one.failure),
    ]
    return said + (bursts.lines(result.bursts, PAUSE_US) if result.bursts else [])
