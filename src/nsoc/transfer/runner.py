# SPDX-License-Identifier: Apache-2.0
"""Runs a program's transfers over a link, as time passes.

    Station (numbered types)      --frame-->  Runner  --frame-->  link: a host of a simulated network
    machines (published types)    <--frame--          <--frame--

A message of the published types goes to all machines whose peer is the sender of the frame. So a sender and a receiver
whose peer is a SoC that sends frames back meet each other's messages.

The link gets no more than it can send for a while, so that nobody waits behind the window of another one.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from nsoc.network.ethernet import BYTE_PS, HEADER_BYTES, SHORTEST
from nsoc.network.network import Arrived, Departed
from nsoc.network.pcapng import Packet
from nsoc.transfer import published
from nsoc.transfer.line_use import LineUse, is_data
from nsoc.transfer.message import Kind
from nsoc.transfer.published import State
from nsoc.transfer.station import Station

REACTION_US = 1.0
"""How often the program looks whether frames have come, simulated. It answers at the next such moment."""
LONGEST_US = 1e6
"""How long it waits at a stretch, simulated."""
QUEUED = 16
"""Frames that wait at the link at most: 0.2 ms of the longest."""

_NUMBERED = range(min(Kind), max(Kind) + 1)
_TRANSFER = slice(HEADER_BYTES + 4, HEADER_BYTES + 8)


class Machine(Protocol):
    """A sender or a receiver of the published types. Times are microseconds of the link's clock."""

    @property
    def state(self) -> State: ...
    @property
    def deadline(self) -> float: ...
    def poll(self, now: float) -> Any: ...
    def receive(self, message: Any, now: float) -> None: ...


class Link(Protocol):
    """What a program needs of a line: `nsoc.NetworkHost` has it."""

    def send(self, frame: bytes) -> Departed: ...
    def receive_all(self) -> Sequence[Arrived]: ...
    @property
    def queued(self) -> int: ...
    @property
    def pending(self) -> int: ...


class Clock(Protocol):
    """Where time passes: `nsoc.Network`."""

    @property
    def time_us(self) -> float: ...
    def run(self, us: float = ..., *, until: Callable[[], bool] | None = ..., every_us: float = ...) -> bool: ...


@dataclass
class Traffic:
    """What the frames of a transfer were on the program's line."""

    sent: LineUse = field(default_factory=LineUse)
    """Data frames."""
    received: LineUse = field(default_factory=LineUse)
    """Data frames."""
    first_ps: int | None = None
    """First byte of the destination address of the first frame of any kind."""
    last_ps: int = 0
    """End of the last frame that came while the transfer ran."""
    sends: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """When each packet began to go, in ps, by its number."""
    came: dict[int, int] = field(default_factory=dict)
    """When each packet had come first, in ps, by its number."""

    @property
    def duration_us(self) -> float:
        """From the first byte sent to the end of the last frame that came while the transfer ran."""
        return (self.last_ps - self.first_ps) / 1e6 if self.first_ps is not None and self.last_ps else 0.0


class Runner:
    """Runs `station`, and machines of the published types with its address, over `link` in the time of `clock`.

    With `capture` it keeps all frames.
    """

    def __init__(self, clock: Clock, link: Link, station: Station, *, capture: bool = False) -> None:
        self.station = station
        self.ignored: Counter[str] = Counter()
        """Frames that were for nobody, by reason."""
        self.traffic: defaultdict[tuple[bytes, int | None], Traffic] = defaultdict(Traffic)
        """By the peer's address and the transfer's number, None for the published types."""
        self.capture: list[Packet] | None = [] if capture else None
        self._clock = clock
        self._link = link
        self._machines: list[tuple[Machine, bytes]] = []

    def add(self, peer: bytes, *machines: Machine) -> None:
        """Lets machines of the published types speak with `peer`; its traffic is counted anew."""
        self._machines += [(machine, peer) for machine in machines]
        self.traffic.pop((peer, None), None)

    def remove(self, *machines: Machine) -> None:
        """They neither send nor get anything any more."""
        self._machines = [pair for pair in self._machines if pair[0] not in machines]

    def run(self, done: Callable[[], bool], us: float = float("inf")) -> bool:
        """Lets time pass until `done`, which is asked after each look at what came, at most `us`; True when it is."""
        link, clock = self._link, self._clock
        end = clock.time_us + us
        while True:
            full = self._send()
            if done():
                return True
            now = clock.time_us
            if now >= end:
                return False
            due = min([end, self.station.deadline, *(machine.deadline for machine, _ in self._machines)])
            wait = min(max(due - now, REACTION_US), LONGEST_US)

            def look(full: bool = full) -> bool:
                return link.pending > 0 or (full and link.queued <= QUEUED // 2)

            clock.run(wait, until=look, every_us=REACTION_US)
            self._receive()

    def _send(self) -> bool:
        """Takes from each in turn. Whether there may be more, for which the link has no room."""
        now = self._clock.time_us
        sources = [partial(self.station.poll, now)]
        sources += [partial(self._poll, machine, peer, now) for machine, peer in self._machines]
        while sources:
            for source in list(sources):
                if self._link.queued >= QUEUED:
                    return True
                frame = source()
                if frame is None:
                    sources.remove(source)
                else:
                    self._transmit(frame)
        return False

    def _poll(self, machine: Machine, peer: bytes, now: float) -> bytes | None:
        message = machine.poll(now)
        return None if message is None else published.encode(message, self._header(peer))

    def _header(self, peer: bytes) -> bytes:
        return published.ethernet_header(peer, self.station.address)

    def _transmit(self, frame: bytes) -> None:
        stamps = self._link.send(frame)
        traffic = self.traffic[_key(frame, frame[:6])]
        if traffic.first_ps is None:
            traffic.first_ps = stamps.start_ps
        traffic.sent.add(frame, stamps.start_ps, stamps.end_ps)
        if is_data(frame):
            traffic.sends[_number(frame)].append(stamps.start_ps)
        if self.capture is not None:
            self.capture.append(Packet(stamps.start_ps, True, frame))

    def _receive(self) -> None:
        for arrived in self._link.receive_all():
            if self.capture is not None:
                self.capture.append(Packet(arrived.start_ps, False, arrived.data, not arrived.good))
            if not arrived.good:
                self.ignored["bad_frame"] += 1
            elif len(arrived.data) < SHORTEST:
                self.ignored["too_short"] += 1
            else:
                self._deliver(arrived)

    def _deliver(self, arrived: Arrived) -> None:
        frame, peer, now = arrived.data, arrived.data[6:12], arrived.end_ps / 1e6
        if frame[HEADER_BYTES] in _NUMBERED:
            end = self.station.ends.get((peer, int.from_bytes(frame[_TRANSFER], "big")))
            ran = end is not None and end.state is State.RUNNING
            self.station.receive(frame, now)
        else:
            ran = self._take_published(frame, peer, now)
        if not ran:
            return
        traffic = self.traffic[_key(frame, peer)]
        traffic.last_ps = arrived.end_ps + BYTE_PS
        traffic.received.add(frame, arrived.start_ps, arrived.end_ps)
        if is_data(frame):
            traffic.came.setdefault(_number(frame), arrived.end_ps)

    def _take_published(self, frame: bytes, peer: bytes, now: float) -> bool:
        """Whether it was for a machine that ran."""
        message = published.decode(frame)
        takers = [machine for machine, of in self._machines if of == peer]
        if frame[:6] != self.station.address:
            self.ignored["other_address"] += 1
        elif isinstance(message, published.Reject):
            self.ignored[message] += 1
        elif not takers:
            self.ignored["no_transfer"] += 1
        else:
            ran = any(machine.state is State.RUNNING for machine in takers)
            for machine in takers:
                machine.receive(message, now)
            return ran
        return False


def _number(frame: bytes) -> int:
    """Of the packet in a data frame."""
    at = HEADER_BYTES + (12 if frame[HEADER_BYTES] in _NUMBERED else 1)
    return int.from_bytes(frame[at : at + 4], "big")


def _key(frame: bytes, peer: bytes) -> tuple[bytes, int | None]:
    return peer, int.from_bytes(frame[_TRANSFER], "big") if frame[HEADER_BYTES] in _NUMBERED else None
