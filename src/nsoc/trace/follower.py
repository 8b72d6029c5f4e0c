# SPDX-License-Identifier: Apache-2.0
"""From what the taps said, event by event, to frames: where each was, and from when to when."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from nsoc.machine import fates
from nsoc.machine.presets import Preset
from nsoc.machine.soc import Event, boot_config
from nsoc.network.ethernet import FCS_BYTES
from nsoc.trace import cores
from nsoc.trace.frames import FS_PER_NS, Drop, FrameTrace, Stage, Trace, Visit
from nsoc.trace.levels import BUS_WINDOW, SERVERS, counters

# Where a frame has got to, and the stage that begins there.
_BEGINS = {
    "line_in_begin": Stage.WIRE_IN,
    "line_in_end": Stage.RX_FIFO,
    "rx_last": Stage.RX_ENGINE,
    "net_segment": Stage.TCP_RX,
    "tcp_arrival": Stage.TABLE,
    "tcp_event": Stage.TCP_CORE_IN,
    "tcp_decided": Stage.PLACE,
    "tcp_placed": Stage.PROCESSOR,
    "rx_deliver": Stage.RX_QUEUE,
    "cpu_pop": Stage.PROCESSOR,
    "cpu_push": Stage.TX_QUEUE,
    "tx_take": Stage.TX_ENGINE,
    "tcp_turn": Stage.TURN,
    "tcp_turn_event": Stage.TCP_CORE_OUT,
    "tcp_told": Stage.TCP_TX,
    "tcp_sent": Stage.NET_OUT,
    "tx_first": Stage.TX_FIFO,
    "line_out_begin": Stage.WIRE_OUT,
}

_LAG = {
    "line_in_begin": ("rx", 2), "line_in_end": ("rx", 4), "line_out_begin": ("tx", -1),
    "line_out_end": ("tx", 0), "fetch": ("nic", 2), "tx_take": ("nic", 2), "cpu_pop": ("nic", 2),
    "rx_fifo_words": ("rx", 1),
    "cpu_acb": ("cpu", BUS_WINDOW + 1), "dram": ("cpu", BUS_WINDOW + 1), "nic_acb": ("nic", BUS_WINDOW + 1),
    **{f"cpu_acb{core}": ("cpu", BUS_WINDOW + 1) for core in range(1, 4)}, **dict.fromkeys(cores.TAPS, ("cpu", 0)),
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
# Of the engine: event_kind_t, leaves_t; members of net_rx_stat_t and rx_stat_t that are drops, and drop_t, as counters
# name them.
_ARRIVAL, _TURN, _COMMAND = 0, 4, 5
_TOLD_CYCLES = 9
"""Behind a command's begin it is told, and before the one behind the next command's is."""
_OF_NIC, _OF_TCP = 0, 1
_NET_DROPS = {
    6: "bad", 7: "length", 8: "ip_sum", 9: "address", 10: "sum", 11: "port", 12: "protocol", 13: "busy",
}  # fmt: skip
_SEGMENT_DROPS = {1: "bad", 2: "short", 3: "offset", 4: "sum", 5: "room"}
_CORE_DROPS = (
    "", "no_connection", "listen_refused", "listen_full", "out_of_window", "old_stamp", "no_stamp", "bad_ack",
    "bad_reset", "syn_in_connection", "no_ack", "no_gap", "duplicate", "deaf",
)  # fmt: skip


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
    connection: int | None = None

    def dropped(self, cause: str, time: int) -> None:
        """The first cause counts: what follows is its consequence."""
        self.drop = self.drop or (cause, time)


class _Follower:
    """Follows frames from event to event: where they move in order by their order, from buffer to buffer by pointer."""

    def __init__(self, periods: dict[str, int], byte_fs: int, in_memory: bool, engine: bool) -> None:
        self._periods, self._byte_fs, self._in_memory, self._engine = periods, byte_fs, in_memory, engine
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
        # The TCP/IP engine: segments by where they are
        self._segments: deque[_Frame] = deque()  # in tcp_rx, sum not known yet
        self._good: deque[_Frame] = deque()
        self._arrivals: deque[_Frame] = deque()  # shown to the core, not decided
        self._placing: deque[_Frame] = deque()
        self._turn: dict[str, int] = {}  # of the connection whose turn it is
        self._commands: deque[int] = deque(maxlen=4)  # when they have begun
        self._told: deque[_Frame] = deque()
        self._to_net: deque[_Frame] = deque()

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
        frame.pointer, frame.server = pointer, detail % SERVERS
        frame.at["rx_deliver" if detail < SERVERS else "cpu_push"] = time
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
        if detail < SERVERS and pointer in self._buffers:
            self._buffers[pointer].at["cpu_pop"] = time

    def _cpu_push(self, time: int, detail: int, pointer: int) -> None:
        if detail == _FREE_QUEUE:
            self._buffers.pop(pointer, None)  # the processor keeps the frame
        elif detail >= SERVERS:
            self._buffer(pointer).at["cpu_push"] = time
            self._buffers[pointer].server = detail - SERVERS

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
        frame.server = detail % SERVERS
        self._tx_engine.append(frame)

    def _tx_drop(self, time: int, detail: int, _pointer: int) -> None:
        if self._tx_engine:
            self._tx_engine.popleft().dropped(_TX_ENGINE_ENDS[detail], time)

    def _tx_return(self, _time: int, _detail: int, pointer: int) -> None:
        self._buffers.pop(pointer, None)

    # MAC, transmit

    def _tx_first(self, time: int, detail: int, _pointer: int) -> None:
        if self._engine and not detail:  # whose it is says net_leaves
            self._sending = _Frame(-1, {"tx_first": time})
            self._tx_fifo.append(self._sending)
            return
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

    # The TCP/IP engine, receive: in order, like frames in the MAC

    def _net_segment(self, time: int, _detail: int, _pointer: int) -> None:
        if self._to_engine:
            frame = self._to_engine.popleft()
            frame.at["net_segment"] = time
            self._segments.append(frame)

    def _net_kept(self, time: int, detail: int, _pointer: int) -> None:
        if self._to_engine:
            frame = self._to_engine.popleft()
            if detail in _NET_DROPS:
                frame.dropped(f"net_rx_drop_{_NET_DROPS[detail]}", time)

    def _tcp_fate(self, time: int, detail: int, _pointer: int) -> None:
        if not self._segments:
            return
        frame = self._segments.popleft()
        if detail:
            frame.dropped(f"segment_drop_{_SEGMENT_DROPS[detail]}", time)
        else:
            self._good.append(frame)

    def _tcp_arrival(self, time: int, _detail: int, _pointer: int) -> None:
        if self._good:
            frame = self._good.popleft()
            frame.at["tcp_arrival"] = time
            self._arrivals.append(frame)

    def _tcp_began(self, time: int, detail: int, _pointer: int) -> None:
        if detail == _ARRIVAL and self._arrivals:
            self._arrivals[0].at["tcp_event"] = time
        elif detail == _TURN:
            self._turn["tcp_turn_event"] = time
        elif detail == _COMMAND:
            self._commands.append(time)

    def _tcp_decided(self, time: int, detail: int, pointer: int) -> None:
        if not self._arrivals:
            return
        frame = self._arrivals.popleft()
        frame.at["tcp_decided"] = time
        frame.connection = pointer >> 3
        if detail >> 4:
            frame.dropped(f"tcp_drop_{_CORE_DROPS[detail >> 4]}", time)
        if detail & 1:
            self._placing.append(frame)

    def _tcp_placed(self, time: int, _detail: int, _pointer: int) -> None:
        if self._placing:
            self._placing.popleft().at["tcp_placed"] = time

    # The TCP/IP engine, transmit

    def _tcp_turn(self, time: int, _detail: int, _pointer: int) -> None:
        self._turn = {"tcp_turn": time}

    def _tcp_told(self, time: int, detail: int, pointer: int) -> None:
        frame = self._new()
        frame.connection = pointer >> 3
        if detail == _TURN:
            frame.at |= self._turn
        elif detail == _COMMAND:  # a SEND, with its connection's turn
            latest = time - _TOLD_CYCLES * self._periods["nic"]
            for begun in self._commands:
                if begun <= latest:
                    frame.at["tcp_turn_event"] = begun
        frame.at["tcp_told"] = time
        self._told.append(frame)

    def _tcp_sent(self, time: int, _detail: int, _pointer: int) -> None:
        if self._told:
            frame = self._told.popleft()
            frame.at["tcp_sent"] = time
            self._to_net.append(frame)

    def _tcp_unsent(self, time: int, _detail: int, _pointer: int) -> None:
        if self._told:
            self._told.popleft().dropped("tcp_fetch_error", time)

    def _net_leaves(self, _time: int, detail: int, _pointer: int) -> None:
        queue = {_OF_NIC: self._tx_engine, _OF_TCP: self._to_net}.get(detail)
        begun = self._sending
        if begun is None or begun.number >= 0:
            return
        frame = queue.popleft() if queue else self._new()  # net has made it itself
        frame.at |= begun.at
        if begun in self._tx_fifo:
            self._tx_fifo[self._tx_fifo.index(begun)] = frame
        if self._leaving is begun:
            self._leaving = frame
        self._sending = frame

    # The result

    def finished(self) -> list[FrameTrace]:
        """All frames; what is still inside ends with the last stage that it has left."""
        return [self._finished(frame) for frame in self.frames]

    def _finished(self, frame: _Frame) -> FrameTrace:
        at = dict(frame.at)
        stages = dict(_BEGINS)
        if "net_segment" in at:
            stages["rx_last"] = Stage.NET_IN
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
        for first, last in (("line_in_begin", "line_in_end"), ("line_out_begin", "line_out_end")):
            if first in at and last in at and visits:
                length = length or (at[last] - at[first]) // self._byte_fs + 1 - FCS_BYTES
        drop = None if frame.drop is None else Drop(frame.drop[0], frame.drop[1] / FS_PER_NS)
        return FrameTrace(frame.number, visits, drop, length, frame.server, frame.pointer, frame.connection)


def follow(events: Iterable[Event], preset: Preset, elf: Path | None = None) -> Trace:
    """Frames and levels from what the taps said, from a moment on at which no frame was in MAC or NIC. With `elf`, the
    program, also what the cores did."""
    config = boot_config(preset, 0)
    periods = {
        "rx": config.rx_period_fs, "tx": config.tx_period_fs, "nic": config.nic_period_fs, "cpu": config.cpu_period_fs,
    }  # fmt: skip
    byte_fs = periods["rx"] * (2 if preset.mii else 1)
    follower = _Follower(periods, byte_fs, preset.queues_in_memory, preset.connections > 0)
    for event in events:
        follower.event(event)
    busy = [] if elf is None else cores.busy(follower.levels, elf)
    return Trace(preset, follower.finished(), counters(follower.levels), busy)
