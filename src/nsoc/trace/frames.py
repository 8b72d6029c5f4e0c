# SPDX-License-Identifier: Apache-2.0
"""What a trace is: frames, the stages that they were in and when, and levels over time.

A frame's way is cut into stages without a gap or an overlap, so the stages add up to its round trip. On receive a stage
ends when the frame's end has left it. On transmit a stage ends when the frame's beginning has left it. So a stage is
long when that block is late. Blocks work on a frame before they have all of it: the receive engine is busy long before
its stage begins.

    wire (in)        first byte of the destination address to last FCS byte, at the GMII pins
    RX FIFO          ... to the last word's way out of it
    receive engine   ... until the pointer is in a queue
    Rx queue         ... until the processor pops it
    processor        ... until it pushes it into a transmit queue
    Tx queue         ... until the transmit engine takes it
    transmit engine  ... until the first word goes into the TX FIFO
    TX FIFO          ... until the first byte of the destination address is on the GMII pins
    wire (out)       ... to the last FCS byte

A segment for the TCP/IP engine, and one that it sends (presets with connections), pass these between the FIFOs:

    net (in)         ... until the last beat goes from net to tcp_rx
    tcp_rx           ... until it is taken apart, its sum is right, and those before it are done
    table            ... until tcp_core takes the event: tcp_table has said whose it is
    tcp_core (in)    ... until it is decided what becomes of it
    place            ... until its payload is in the receive ring
    processor        ... until the connection is offered a turn to send, or tcp_core takes a SEND that has one with it
    turn             ... until tcp_core takes that event
    tcp_core (out)   ... until a segment is told
    tcp_tx           ... until its first beat goes to net: its payload is fetched and summed
    net (out)        ... until the first word goes into the TX FIFO

NIC loopback has neither Rx queue nor processor. MAC loopback has nothing between the FIFOs. Where the queues are rings
in memory (NIC_1.1), the processor's pushes and pops cannot be seen: `processor` is then all between the engines.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from nsoc.machine.presets import Preset

FS_PER_NS = 10**6


class Stage(StrEnum):
    """Where a frame is, in the order of its way."""

    WIRE_IN = "wire (in)"
    RX_FIFO = "RX FIFO"
    NET_IN = "net (in)"
    TCP_RX = "tcp_rx"
    TABLE = "table"
    TCP_CORE_IN = "tcp_core (in)"
    PLACE = "place"
    RX_ENGINE = "receive engine"
    RX_QUEUE = "Rx queue"
    PROCESSOR = "processor"
    TX_QUEUE = "Tx queue"
    TX_ENGINE = "transmit engine"
    TURN = "turn"
    TCP_CORE_OUT = "tcp_core (out)"
    TCP_TX = "tcp_tx"
    NET_OUT = "net (out)"
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
    """Bytes without FCS, as received; of a frame that was made inside, as sent."""
    server: int | None = None
    pointer: int | None = None
    """Address of its buffer."""
    connection: int | None = None
    """Of the TCP/IP engine."""

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


@dataclass(frozen=True, slots=True)
class Busy:
    """A core in a function, from its first instruction to that behind its last one. Nanoseconds since reset."""

    core: int
    function: str
    begin_ns: float
    end_ns: float

    @property
    def ns(self) -> float:
        """How long."""
        return self.end_ns - self.begin_ns


@dataclass
class Trace:
    """What the taps said in one run, put together."""

    preset: Preset
    frames: list[FrameTrace]
    counters: list[Counter]
    busy: list[Busy] = field(default_factory=list)
    """What the cores did; nothing without their program."""

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
