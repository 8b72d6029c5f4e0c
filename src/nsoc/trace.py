# SPDX-License-Identifier: Apache-2.0
"""`nsoc trace`: where each frame is at each time of a run, from the RTL's taps (trace_pkg, mac_pkg, nic_pkg, nsoc_pkg).

A frame's way is cut into stages without a gap or an overlap, so that they add up to its round trip. On receive a stage
ends when the frame's end has left it, on transmit when its beginning has: what is late because of whom. Blocks work on
a frame before they have all of it, so the receive engine is busy long before its stage begins.

    wire (in)        first byte of the destination address to last FCS byte, at the GMII pins
    RX FIFO          ... to the last word's way out of it
    receive engine   ... until the pointer is in a queue
    Rx queue         ... until the processor pops it
    processor        ... until it pushes it into a transmit queue
    Tx queue         ... until the transmit engine takes it
    transmit engine  ... until the first word goes into the TX FIFO
    TX FIFO          ... until the first byte of the destination address is on the GMII pins
    wire (out)       ... to the last FCS byte

In NIC loopback there is neither Rx queue nor processor, in MAC loopback nothing between the FIFOs. Where the queues are
rings in memory (NIC_1.1) nobody sees the processor's pushes and pops: `processor` is then all between the engines.
"""

import statistics
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsoc.errors import NsocError
from nsoc.machine import fates, presets
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Event, Soc, boot_config
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "trace"
FS_PER_NS = 10**6
WORD_BYTES = 8
FCS_BYTES = 4
HEADER_BYTES = 14

BUS_WINDOW = 64
"""Cycles that a bus's use is counted over: WINDOW of models/trace_use.sv."""

FRAMES, WARM = 28, 4
"""Frames of stage_breakdown, sent one by one, each at another phase of the clocks, and those before them."""
SPACING = 4 * 2003
"""nic_clk cycles from one to the next, as in nsoc.bench.nic."""
BOOT_US, READY = 20_000.0, "ready"
"""So long a firmware may take to print this."""
REST_US = 200.0
"""So long the wire is silent at the end of a run."""


class Stage(StrEnum):
    """Where a frame is, in the order of its way."""

    WIRE_IN = "wire (in)"
    RX_FIFO = "RX FIFO"
    RX_ENGINE = "receive engine"
    RX_QUEUE = "Rx queue"
    PROCESSOR = "processor"
    TX_QUEUE = "Tx queue"
    TX_ENGINE = "transmit engine"
    TX_FIFO = "TX FIFO"
    WIRE_OUT = "wire (out)"


@dataclass(frozen=True, slots=True)
class Visit:
    """A frame in a stage. Nanoseconds of simulated time since reset."""

    stage: Stage
    enter_ns: float
    leave_ns: float

    @property
    def ns(self) -> float:
        """How long it was there."""
        return self.leave_ns - self.enter_ns


@dataclass(frozen=True, slots=True)
class Drop:
    """The end of a frame that did not come back: the name of the NIC's counter, and when."""

    cause: str
    time_ns: float


@dataclass
class FrameTrace:
    """A frame's way through the SoC."""

    number: int
    """From 0, in the order in which frames begin."""
    visits: list[Visit] = field(default_factory=list)
    drop: Drop | None = None
    length: int | None = None
    """Bytes without FCS, as received."""
    server: int | None = None
    pointer: int | None = None
    """Address of its buffer."""

    @property
    def complete(self) -> bool:
        """It has come and gone whole."""
        stages = [visit.stage for visit in self.visits]
        return self.drop is None and stages[:1] == [Stage.WIRE_IN] and stages[-1:] == [Stage.WIRE_OUT]

    @property
    def ns(self) -> float:
        """From its first visit's beginning to its last one's end; of a complete frame the round trip."""
        return self.visits[-1].leave_ns - self.visits[0].enter_ns if self.visits else 0.0

    def ns_in(self, stage: Stage) -> float | None:
        """How long it was there; None: not at all."""
        return next((visit.ns for visit in self.visits if visit.stage is stage), None)


@dataclass(frozen=True)
class Counter:
    """A level over time: `points` are (ns, value), each good until the next."""

    group: str
    name: str
    unit: str
    points: list[tuple[float, float]]


@dataclass
class Trace:
    """What the taps said in one run, put together."""

    preset: Preset
    frames: list[FrameTrace]
    counters: list[Counter]

    @property
    def drops(self) -> dict[str, int]:
        """Frames dropped, by the NIC's counter."""
        causes = [frame.drop.cause for frame in self.frames if frame.drop]
        return {cause: causes.count(cause) for cause in sorted(set(causes))}

    @property
    def complete(self) -> list[FrameTrace]:
        """Frames that have come and gone whole."""
        return [frame for frame in self.frames if frame.complete]

    def ns(self, stage: Stage) -> list[float]:
        """Nanoseconds in a stage, of each complete frame that was there."""
        return [ns for frame in self.complete if (ns := frame.ns_in(stage)) is not None]

    def breakdown(self) -> dict[Stage, float]:
        """Mean nanoseconds of the complete frames in each stage on their way; they add up to the mean round trip."""
        whole = self.complete
        return {stage: sum(found) / len(whole) for stage in Stage if (found := self.ns(stage))}


# ---- From events to frames -------------------------------------------------------------------------------------------

# Where a frame has got to, and the stage that begins there.
_BEGINS = {
    "line_in_begin": Stage.WIRE_IN,
    "line_in_end": Stage.RX_FIFO,
    "rx_last": Stage.RX_ENGINE,
    "rx_deliver": Stage.RX_QUEUE,
    "cpu_pop": Stage.PROCESSOR,
    "cpu_push": Stage.TX_QUEUE,
    "tx_take": Stage.TX_ENGINE,
    "tx_first": Stage.TX_FIFO,
    "line_out_begin": Stage.WIRE_OUT,
}

_LAG = {
    "line_in_begin": ("rx", 2), "line_in_end": ("rx", 4), "line_out_begin": ("tx", -1),
    "line_out_end": ("tx", 0), "fetch": ("nic", 2), "tx_take": ("nic", 2), "cpu_pop": ("nic", 2),
    "rx_fifo_words": ("rx", 1),
    "cpu_acb": ("cpu", BUS_WINDOW + 1), "dram": ("cpu", BUS_WINDOW + 1), "nic_acb": ("nic", BUS_WINDOW + 1),
    **{f"cpu_acb{core}": ("cpu", BUS_WINDOW + 1) for core in range(1, 4)},
}  # fmt: skip
"""Clock, and cycles between what a tap means and the edge at which it is handed over; all others: one of nic_clk."""

# Details of taps: fates by their numbers.
_RX_ENDS = [fate.name for fate in fates.MAC_RX]
_GOOD = len(_RX_ENDS) - 1  # the last in precedence
_SHOWN = 0x10
_RX_ENGINE_ENDS = [fate.name for fate in fates.NIC_RX]
_NO_BUFFER = _RX_ENGINE_ENDS[-1]  # what tap rx_discard means
_TX_ENGINE_ENDS = [fate.name for fate in fates.NIC_TX]
_TX_ADMITTED = {number: fate.name for number, fate in enumerate(fates.MAC_TX_ADMIT, 1)}
_ON_THE_LINE = 4
_LINE_ENDS = [fate.name for fate in fates.MAC_TX_LINE]
_SENT, _UNDERRUN = 0, 1
_FREE_QUEUE = 8
_SERVERS = 4

_QUEUES = (
    *(f"Rx queue {server}" for server in range(_SERVERS)), *(f"Tx queue {server}" for server in range(_SERVERS)),
    "free queue",
)  # fmt: skip
_FIFOS = {"rx_fifo_words": "RX FIFO", "tx_fifo_words": "TX FIFO"}
_OTHER_CORES = {f"cpu_acb{core}": f"processor {core}, ACB" for core in range(1, 4)}
"""Taps of the buses of a preset's second to fourth core."""
_BUSES = {"nic_acb": "NIC, ACB", "cpu_acb": "processor, ACB", **_OTHER_CORES, "dram": "DRAM port"}


@dataclass
class _Frame:
    """A frame on its way."""

    number: int
    at: dict[str, int] = field(default_factory=dict)
    """Time (fs) by where it got to."""
    drop: tuple[str, int] | None = None
    discarded_at: int | None = None
    server: int | None = None
    pointer: int | None = None

    def dropped(self, cause: str, time: int) -> None:
        """The first cause counts: what follows is its consequence."""
        self.drop = self.drop or (cause, time)


class _Follower:
    """Follows frames from event to event: where they move in order by their order, from buffer to buffer by pointer."""

    def __init__(self, periods: dict[str, int], byte_fs: int, in_memory: bool) -> None:
        self._periods, self._byte_fs, self._in_memory = periods, byte_fs, in_memory
        self.frames: list[_Frame] = []
        self.levels: dict[str, list[tuple[int, int]]] = {}
        self._arriving: _Frame | None = None
        self._rx_fifo: deque[_Frame] = deque()  # and arriving
        self._to_engine: deque[_Frame] = deque()  # begun to leave the RX FIFO
        self._rx_engine: deque[_Frame] = deque()  # have a buffer
        self._fetched: int | None = None
        self._buffers: dict[int, _Frame] = {}
        self._tx_engine: deque[_Frame] = deque()  # taken, not yet begun
        self._sending: _Frame | None = None
        self._tx_fifo: deque[_Frame] = deque()
        self._leaving: _Frame | None = None

    def _new(self) -> _Frame:
        self.frames.append(_Frame(len(self.frames)))
        return self.frames[-1]

    def event(self, event: Event) -> None:
        """Take one more."""
        clock, lag = _LAG.get(event.tap, ("nic", 1))
        time = event.time_fs - lag * self._periods[clock]
        handler = getattr(self, f"_{event.tap}", None)
        if handler is None:
            self.levels.setdefault(event.tap, []).append((time, event.value))
        else:
            handler(time, event.detail, event.value)

    # MAC, receive

    def _line_in_begin(self, time: int, _detail: int, _pointer: int) -> None:
        self._arriving = self._new()
        self._arriving.at["line_in_begin"] = time
        self._rx_fifo.append(self._arriving)

    def _line_in_end(self, time: int, detail: int, _pointer: int) -> None:
        end = detail & (_SHOWN - 1)
        frame, self._arriving = self._arriving, None
        if frame is None:  # it never came to an SFD
            frame = self._new()
            frame.at["line_in_begin"] = time
        elif end != _GOOD and not detail & _SHOWN:
            self._rx_fifo.remove(frame)
        frame.at["line_in_end"] = time
        if end != _GOOD:
            frame.drop = (_RX_ENDS[end], time)  # whatever the NIC did with it: the MAC counts it
        elif frame.discarded_at is not None:
            frame.dropped(_NO_BUFFER, time)

    def _rx_first(self, _time: int, _detail: int, _pointer: int) -> None:
        if self._rx_fifo:
            self._to_engine.append(self._rx_fifo[0])

    def _rx_last(self, time: int, _detail: int, _pointer: int) -> None:
        if self._rx_fifo:
            self._rx_fifo.popleft().at["rx_last"] = time

    # NIC, receive

    def _fetch(self, _time: int, _detail: int, pointer: int) -> None:
        self._fetched = pointer

    def _rx_begin(self, _time: int, _detail: int, _pointer: int) -> None:
        if self._to_engine:
            frame = self._to_engine.popleft()
            frame.pointer, self._fetched = self._fetched, None
            self._rx_engine.append(frame)

    def _rx_discard(self, time: int, _detail: int, _pointer: int) -> None:
        if self._to_engine:
            frame = self._to_engine.popleft()
            frame.discarded_at = time
            if "line_in_end" in frame.at:
                frame.dropped(_NO_BUFFER, time)

    def _rx_deliver(self, time: int, detail: int, pointer: int) -> None:
        if not self._rx_engine:
            return
        frame = self._rx_engine.popleft()
        frame.pointer, frame.server = pointer, detail % _SERVERS
        frame.at["rx_deliver" if detail < _SERVERS else "cpu_push"] = time
        self._buffers[pointer] = frame

    def _rx_return(self, time: int, detail: int, pointer: int) -> None:
        # The engine also gives back what it has fetched in advance, when it is disabled.
        if self._rx_engine and self._rx_engine[0].pointer in (pointer, None):
            frame = self._rx_engine.popleft()
            frame.pointer = pointer
            if detail:
                frame.dropped(_RX_ENGINE_ENDS[detail], time)

    # Processor

    def _cpu_pop(self, time: int, detail: int, pointer: int) -> None:
        if detail < _SERVERS and pointer in self._buffers:
            self._buffers[pointer].at["cpu_pop"] = time

    def _cpu_push(self, time: int, detail: int, pointer: int) -> None:
        if detail == _FREE_QUEUE:
            self._buffers.pop(pointer, None)  # the processor keeps the frame
        elif detail >= _SERVERS:
            self._buffer(pointer).at["cpu_push"] = time
            self._buffers[pointer].server = detail - _SERVERS

    def _buffer(self, pointer: int) -> _Frame:
        """The frame in a buffer; one that the processor has made if none came into it."""
        if pointer not in self._buffers:
            self._buffers[pointer] = self._new()
            self._buffers[pointer].pointer = pointer
        return self._buffers[pointer]

    # NIC, transmit

    def _tx_take(self, time: int, detail: int, pointer: int) -> None:
        frame = self._buffer(pointer)
        frame.at["tx_take"] = time
        frame.server = detail % _SERVERS
        self._tx_engine.append(frame)

    def _tx_drop(self, time: int, detail: int, _pointer: int) -> None:
        if self._tx_engine:
            self._tx_engine.popleft().dropped(_TX_ENGINE_ENDS[detail], time)

    def _tx_return(self, _time: int, _detail: int, pointer: int) -> None:
        self._buffers.pop(pointer, None)

    # MAC, transmit

    def _tx_first(self, time: int, detail: int, _pointer: int) -> None:
        queue = self._to_engine if detail else self._tx_engine  # in MAC loopback the frame comes from the RX FIFO
        if not queue:
            return
        self._sending = queue.popleft()
        if not detail:
            self._sending.at["tx_first"] = time
        self._tx_fifo.append(self._sending)

    def _tx_last(self, time: int, detail: int, _pointer: int) -> None:
        frame, self._sending = self._sending, None
        if frame is None:
            return
        end = detail & (_ON_THE_LINE - 1)
        if end and not detail & _ON_THE_LINE:
            self._tx_fifo.remove(frame)
        if end in _TX_ADMITTED:
            frame.dropped(_TX_ADMITTED[end], time)

    def _line_out_begin(self, time: int, _detail: int, _pointer: int) -> None:
        if self._tx_fifo:
            self._leaving = self._tx_fifo.popleft()
            self._leaving.at["line_out_begin"] = time

    def _line_out_end(self, time: int, detail: int, _pointer: int) -> None:
        frame, self._leaving = self._leaving, None
        if frame is None:
            return
        if detail == _UNDERRUN:
            frame.dropped(_LINE_ENDS[detail], time)
        elif detail == _SENT:
            frame.at["line_out_end"] = time

    # The result

    def finished(self) -> list[FrameTrace]:
        """All frames; what is still inside ends with the last stage that it has left."""
        return [self._finished(frame) for frame in self.frames]

    def _finished(self, frame: _Frame) -> FrameTrace:
        at = dict(frame.at)
        stages = dict(_BEGINS)
        if "rx_last" in at and "rx_deliver" not in at and "cpu_push" not in at and "line_out_begin" in at:
            stages["rx_last"] = Stage.TX_FIFO  # MAC loopback
        if self._in_memory:
            stages["rx_deliver"] = Stage.PROCESSOR
        reached = [(name, at[name]) for name in stages if name in at]
        if "line_out_end" in at:
            reached.append(("line_out_end", at["line_out_end"]))
        elif frame.drop is not None:
            reached = [(name, time) for name, time in reached if time < frame.drop[1]]
            reached.append(("", frame.drop[1]))
        visits = [
            Visit(stages[name], enter / FS_PER_NS, leave / FS_PER_NS) for (name, enter), (_, leave) in pairwise(reached)
        ]
        length = None
        if "line_in_end" in at and visits:
            length = (at["line_in_end"] - at["line_in_begin"]) // self._byte_fs + 1 - FCS_BYTES
        drop = None if frame.drop is None else Drop(frame.drop[0], frame.drop[1] / FS_PER_NS)
        return FrameTrace(frame.number, visits, drop, length, frame.server, frame.pointer)


def follow(events: Iterable[Event], preset: Preset) -> Trace:
    """Frames and levels from what the taps said, from a moment on at which no frame was in MAC or NIC."""
    config = boot_config(preset, 0)
    periods = {
        "rx": config.rx_period_fs, "tx": config.tx_period_fs, "nic": config.nic_period_fs, "cpu": config.cpu_period_fs,
    }  # fmt: skip
    byte_fs = periods["rx"] * (2 if preset.mii else 1)
    follower = _Follower(periods, byte_fs, preset.queues_in_memory)
    for event in events:
        follower.event(event)
    return Trace(preset, follower.finished(), _counters(follower.levels))


def _counters(levels: dict[str, list[tuple[int, int]]]) -> list[Counter]:
    """Those that ever were other than zero."""
    made = []

    def add(group: str, name: str, unit: str, tap: str, value: Callable[[int], float]) -> None:
        points = [(time / FS_PER_NS, value(level)) for time, level in levels.get(tap, [])]
        if any(level for _, level in points):
            made.append(Counter(group, name, unit, points))

    for index, name in enumerate(_QUEUES):
        add("queues", name, "buffers", f"queue{index}", float)
    for tap, name in _FIFOS.items():
        add("MAC FIFOs", name, "bytes", tap, lambda words: words * WORD_BYTES)
    for tap, name in _BUSES.items():
        add("buses", f"{name}: busy", "%", tap, lambda both: 100 * (both & 0xFFFF) / BUS_WINDOW)
        add("buses", f"{name}: waiting", "%", tap, lambda both: 100 * (both >> 16) / BUS_WINDOW)
    return made


# ---- Running ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Waves:
    """An FST file of all signals, for a window of simulated time counted from when the first frame begins."""

    file: Path
    from_us: float
    to_us: float


@dataclass
class TraceResult:
    """Everything `nsoc trace` found."""

    trace: Trace
    mode: str
    payload: int | None
    """Of each frame; None when they differ."""
    counters: dict[str, int]
    """The NIC's, as far as they counted during the run."""


def run(
    *,
    preset: str | Preset = presets.DEFAULT,
    frames: int = 8,
    payload: int = 1024,
    mode: str = "normal",
    gap: int | None = None,
    image: bool = False,
    seed: int = 1,
    firmware: str | None = None,
    waves: Waves | None = None,
    warm: int = WARM,
) -> TraceResult:
    """Boot `preset`, send frames, follow them.

    `gap`: idle bytes between frames that are sent back to back (12 is line rate); None sends each frame when the one
    before has come back. `image` sends the generated picture by the reliable protocol instead. `mode`: normal (with
    the preset's firmware, or `firmware`), nic_loopback, mac_loopback. `warm` frames, one by one, go before what is
    recorded, so that the processor's caches are warm.
    """
    system = presets.load_soc(preset)
    if image and (mode != "normal" or gap is not None):
        raise NsocError(
            "the image is sent by a protocol with a pace of its own, in normal mode; leave out --gap and --mode"
        )
    if waves is not None and waves.to_us <= waves.from_us:
        raise NsocError("the window of the waveform ends before it begins: --to-us must be more than --from-us")
    with _booted(system, mode, firmware, seed, waves is not None) as soc:
        frame = _frame(payload)
        _one_by_one(soc, frame, warm)
        before = dict(soc.counters)
        if waves is not None:
            waves.file.parent.mkdir(parents=True, exist_ok=True)
            begins_us = soc.time_us + (0 if image or gap is not None else SPACING / system.nic_mhz)
            soc.write_waves(waves.file, begins_us + waves.from_us, begins_us + waves.to_us)
        soc.record()
        if image:
            _send_image(soc, seed)
        elif gap is None:
            _one_by_one(soc, frame, frames)
        else:
            for _ in range(frames):
                soc.wire.send(frame, ifg=gap)
        soc.run(us=1e5, idle_us=REST_US)
        soc.record(False)
        trace = follow(soc.events(), system)
        counted = {name: count - before[name] for name, count in soc.counters.items() if count != before[name]}
    return TraceResult(trace, mode, None if image else payload, counted)


def stage_breakdown(
    preset: str | Preset, payload: int, mode: str = "normal", seed: int = 1, frames: int = FRAMES
) -> dict[str, float]:
    """Mean nanoseconds that a frame with so many payload bytes is in each stage; they add up to its round trip.

    Frames one by one, at as many phases of the clocks, after some that warm the caches.
    """
    result = run(preset=preset, payload=payload, mode=mode, seed=seed, frames=frames)
    if len(result.trace.complete) != frames:
        raise NsocError(f"of {frames} frames {len(result.trace.complete)} came back; dropped: {result.trace.drops}")
    return {str(stage): ns for stage, ns in result.trace.breakdown().items()}


def _booted(preset: Preset, mode: str, firmware: str | None, seed: int, waves: bool) -> AbstractContextManager[Soc]:
    if mode == "normal":
        soc = Soc(preset, firmware, seed, trace=True, waves=waves)
        soc.run(us=BOOT_US, text=READY)
        if READY not in soc.uart.text:
            raise NsocError(
                f"{soc.elf.stem} did not print {READY!r} within {BOOT_US / 1000:.0f} ms, so no frame was sent"
            )
        return soc
    from nsoc.machine.selftest import MODES, Session

    if mode not in MODES:
        raise NsocError(f"there is no mode {mode!r}, only {', '.join(MODES)}")
    if firmware is not None:
        raise NsocError("only normal mode takes a firmware of your own; leave out --firmware or --mode")
    session = Session(preset, seed, trace=True, waves=waves)
    session.enter(mode)
    session.soc.run(us=REST_US)
    return session.soc


def _frame(payload: int) -> bytes:
    from nsoc.machine.selftest import HOST, SOC

    return SOC + HOST + b"\x88\xb5" + bytes(byte & 0xFF for byte in range(payload))


def _one_by_one(soc: Soc, frame: bytes, count: int) -> None:
    """Each when the one before has come back, and not at the same phase of the clocks."""
    start = soc.cycles + SPACING
    for _ in range(count):
        soc.wire.send(frame, not_before=start)
        soc.wire.receive(timeout_us=10_000)
        start = max(start + SPACING, soc.cycles)


def _send_image(soc: Soc, seed: int) -> None:
    from nsoc.network import image
    from nsoc.network.transfer import Transfer

    outcome = Transfer(soc, image.generated(image.Size.SMALL).data, seed=seed).run()
    if outcome.failure:
        raise NsocError(outcome.failure)


# ---- Perfetto --------------------------------------------------------------------------------------------------------

_SEQUENCE = 1


def write_perfetto(trace: Trace, file: Path) -> None:
    """Write the timeline for Perfetto's viewer.

    A track for each stage, in the order of a frame's way, and in it a slice for each frame, named by its number; frames
    that are in a stage together are below each other. Arrows lead from a frame's slice to its next one. Drops are
    instants in a track of their own, named by their cause. Levels are counters. Timestamps are ns since reset.
    """
    try:
        protos = import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
        proto_builder = import_module("perfetto.trace_builder.proto_builder")
    except ImportError:
        raise NsocError("the Python package perfetto is missing: run `make .venv/report.stamp`") from None

    TrackDescriptor, TrackEvent = protos.TrackDescriptor, protos.TrackEvent
    builder = proto_builder.TraceProtoBuilder()
    tracks = 0

    def packet(ns: float | None = None) -> Any:
        made = builder.add_packet()
        made.trusted_packet_sequence_id = _SEQUENCE
        if ns is not None:
            made.timestamp = round(ns)
        return made

    def track(name: str, parent: int | None = None, rank: int = 0, unit: str | None = None) -> int:
        nonlocal tracks
        tracks += 1
        described = packet().track_descriptor
        described.uuid, described.name, described.sibling_order_rank = tracks, name, rank
        described.child_ordering = TrackDescriptor.EXPLICIT
        if parent is not None:
            described.parent_uuid = parent
        if unit is not None:
            described.counter.unit_name = unit
        return tracks

    def event(kind: int, track_uuid: int, ns: float) -> Any:
        made = packet(ns).track_event
        made.type, made.track_uuid = kind, track_uuid
        return made

    frames = track(f"frames, {trace.preset.name}", rank=0)
    for rank, stage in enumerate(Stage):
        visits = sorted(
            ((visit, frame) for frame in trace.frames for visit in frame.visits if visit.stage is stage),
            key=lambda pair: pair[0].enter_ns,
        )
        lanes: list[tuple[int, float]] = []  # track, and when it is free again
        for visit, frame in visits:
            lane = next((i for i, (_, free) in enumerate(lanes) if free <= visit.enter_ns), len(lanes))
            if lane == len(lanes):
                lanes.append((track(str(stage), frames, rank), 0.0))
            lanes[lane] = lanes[lane][0], visit.leave_ns
            begin = event(TrackEvent.TYPE_SLICE_BEGIN, lanes[lane][0], visit.enter_ns)
            begin.name = f"frame {frame.number}"
            last = visit is frame.visits[-1]
            (begin.terminating_flow_ids if last else begin.flow_ids).append(frame.number + 1)
            _annotate(begin, frame)
            event(TrackEvent.TYPE_SLICE_END, lanes[lane][0], visit.leave_ns)
    if trace.drops:
        drops = track("drops", frames, len(Stage))
        for frame in trace.frames:
            if frame.drop:
                instant = event(TrackEvent.TYPE_INSTANT, drops, frame.drop.time_ns)
                instant.name = frame.drop.cause
                _annotate(instant, frame)
    groups: dict[str, int] = {}
    for rank, counter in enumerate(trace.counters):
        if counter.group not in groups:
            groups[counter.group] = track(counter.group, rank=len(groups) + 1)
        line = track(counter.name, groups[counter.group], rank, counter.unit)
        for ns, value in counter.points:
            event(TrackEvent.TYPE_COUNTER, line, max(ns, 0.0)).double_counter_value = value
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(builder.serialize())
    except OSError as error:
        raise NsocError(f"cannot write the trace {file} ({error.strerror}); give --out another file") from error


def _annotate(event: Any, frame: FrameTrace) -> None:
    """What is known of a frame, as arguments of an event."""
    for name, value in (("frame", frame.number), ("length", frame.length), ("server", frame.server)):
        if value is not None:
            annotation = event.debug_annotations.add()
            annotation.name, annotation.int_value = name, value
    if frame.pointer is not None:
        annotation = event.debug_annotations.add()
        annotation.name, annotation.string_value = "buffer", f"{frame.pointer:#010x}"


# ---- Showing ---------------------------------------------------------------------------------------------------------


def records(result: TraceResult) -> list[Record]:
    """The mean of each stage, and of the round trip; frames, and drops by cause."""
    name, trace = result.trace.preset.name, result.trace

    def record(metric: str, value: float, source: str | None = None, unit: str | None = None) -> Record:
        return Record(SUITE, name, metric, value, result.mode, result.payload, unit, source=source)

    made = [record("frames", len(trace.frames), unit="frames")]
    for stage, ns in trace.breakdown().items():
        made.append(record("stage_ns", ns, str(stage), "ns"))
    if trace.complete:
        made.append(record("rtt_ns", statistics.mean(frame.ns for frame in trace.complete), unit="ns"))
    return made + [record("loss", count, cause, "frames") for cause, count in trace.drops.items()]


def table(result: TraceResult) -> "Table":
    """A row for each stage, and the round trip."""
    from rich.table import Table

    trace = result.trace
    payload = "" if result.payload is None else f", {result.payload} bytes of payload"
    title = f"Stages on {trace.preset.name}, {result.mode.replace('_', ' ')}{payload}, ns"
    shown = Table(title=title, title_justify="left")
    for column in ("stage", "mean", "min", "max", "share"):
        shown.add_column(column, justify="left" if column == "stage" else "right")
    whole = [frame.ns for frame in trace.complete]
    for stage, mean in trace.breakdown().items():
        found = trace.ns(stage)
        share = f"{mean / statistics.mean(whole):.1%}"
        shown.add_row(str(stage), f"{mean:,.1f}", f"{min(found):,.0f}", f"{max(found):,.0f}", share)
    if whole:
        shown.add_section()
        shown.add_row("round trip", f"{statistics.mean(whole):,.1f}", f"{min(whole):,.0f}", f"{max(whole):,.0f}", "")
    return shown


def lines(result: TraceResult, out: Path, waves: Waves | None) -> list[str]:
    """What the table leaves to say."""
    trace = result.trace
    dropped = "".join(f", {cause} {count}" for cause, count in trace.drops.items())
    said = [f"{len(trace.frames)} frames, {len(trace.complete)} came back{dropped}"]
    if trace.preset.queues_in_memory and result.mode == "normal":
        said.append("Queues in memory: what is called processor is Rx queue, processor and Tx queue together.")
    said.append(f"timeline  {out}  (open it in Perfetto's viewer)")
    if waves is not None:
        said.append(f"waveform  {waves.file}  (open it in GTKWave or Surfer)")
    return said
