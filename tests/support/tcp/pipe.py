# SPDX-License-Identifier: Apache-2.0
"""A bad line in virtual time between two ends of one TCP connection. Times are microseconds."""

import heapq
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from nsoc.network.inet.connection import Connection, State
from nsoc.network.inet.connection import Settings as InetSettings
from nsoc.network.inet.packet import TCP, Packet
from nsoc.network.inet.segment import Flag as InetFlag
from nsoc.network.inet.segment import Segment, decode
from tcp.engine import Engine
from tcp.events import Notify, Op
from tcp.record import State as EngineState
from tcp.record import Why

FRAME_US = 12
"""Of a full segment, about."""
AROUND = 20 + 14 + 4 + 8 + 12
"""Bytes around a TCP segment: IP, Ethernet, FCS, preamble and gap."""
LEAST_FRAME = 84
"""With preamble and gap."""
NEVER = float("inf")
NOT_YET = (EngineState.LISTEN, EngineState.SYN_SENT, EngineState.SYN_RCVD)


class Host(Protocol):
    """An end: of a connection, and of the line."""

    address: bytes

    def take(self, source: bytes, data: bytes, now: int) -> None: ...
    def poll(self, now: int) -> bytes | None: ...
    @property
    def deadline(self) -> float: ...
    def write(self, data: bytes, now: int) -> int:
        """How many bytes were taken."""

    def read(self, most: int, now: int) -> bytes: ...
    def finish(self, now: int) -> None: ...
    @property
    def opened(self) -> bool:
        """Data may go, or could."""

    @property
    def ended(self) -> bool:
        """The other side has finished, and all is read."""

    @property
    def gone(self) -> bool: ...
    @property
    def failure(self) -> str: ...


class EngineHost:
    """One connection of an Engine."""

    def __init__(self, engine: Engine, index: int | None) -> None:
        self.engine = engine
        self.address = engine.address
        self.index = index
        """None until a connection is accepted."""
        self.heard: Notify = Notify(0)

    def take(self, source: bytes, data: bytes, now: int) -> None:
        self.engine.take(source, data, now)
        self._listen(now)

    def poll(self, now: int) -> bytes | None:
        one = self.engine.poll(now)
        self._listen(now)
        return None if one is None else one[1]

    def _listen(self, now: int) -> None:
        for index in list(self.engine.told):
            what = self.engine.events(index)
            if self.index is None and what & Notify.ACCEPT:
                self.index = index
                self.engine.command(index, Op.ACCEPT, now)
            if index == self.index:
                self.heard |= what

    @property
    def deadline(self) -> float:
        at = self.engine.deadline
        return NEVER if at is None else at

    def write(self, data: bytes, now: int) -> int:
        return 0 if self.index is None else self.engine.send(self.index, data, now)

    def read(self, most: int, now: int) -> bytes:
        return b"" if self.index is None else self.engine.receive(self.index, most, now)

    def finish(self, now: int) -> None:
        if self.index is not None:
            self.engine.command(self.index, Op.SHUTDOWN, now)

    @property
    def opened(self) -> bool:
        return self.index is not None and self.engine.records[self.index].state not in NOT_YET

    @property
    def ended(self) -> bool:
        return bool(self.heard & Notify.FINISHED) and self.index is not None and not self.engine.available(self.index)

    @property
    def gone(self) -> bool:
        if self.index is None:
            return False
        return self.engine.records[self.index].state in (EngineState.CLOSED, EngineState.TIME_WAIT)

    @property
    def failure(self) -> str:
        if self.index is None:
            return ""
        why = Why(self.engine.records[self.index].why)
        return "" if why in (Why.NOT, Why.FINISHED) else why.name


class InetHost:
    """One connection of the TCP in nsoc.network.inet: written from the RFCs, and by itself."""

    def __init__(self, address: bytes, port: int, remote: tuple[bytes, int], settings: InetSettings, iss: int) -> None:
        self.address, self.port, self.remote = address, port, remote
        self.settings, self.iss = settings, iss
        self.of: Connection | None = None
        self.refused = 0
        self._answers: list[Segment] = []
        self._finish = False
        self._most = 1 << 16

    def open(self, now: int) -> None:
        self.of = Connection(self.settings, self.iss, float(now))

    def take(self, source: bytes, data: bytes, now: int) -> None:
        got = decode(Packet(source, self.address, TCP, data, b""))
        if isinstance(got, str):
            self.refused += 1
            return
        from_port, to_port, segment = got
        assert (source, from_port) == self.remote and to_port == self.port
        if (self.of is None or self.of.state is State.CLOSED) and segment.flags & 0x17 == InetFlag.SYN:
            if self.of is None:
                self.of = Connection(self.settings, self.iss, float(now), segment)
        elif self.of is not None and self.of.state is not State.CLOSED:
            self.of.take(segment, float(now))
        elif not segment.flags & InetFlag.RST:
            if segment.flags & InetFlag.ACK:
                self._answers.append(Segment(segment.ack, 0, InetFlag.RST))
            else:
                end = (segment.sequence + segment.length) % 2**32
                self._answers.append(Segment(0, end, InetFlag.RST | InetFlag.ACK))

    def poll(self, now: int) -> bytes | None:
        segment = self._answers.pop(0) if self._answers else None
        if segment is None and self.of is not None:
            segment = self.of.poll(float(now))
        return None if segment is None else segment.encode((self.address, self.port), self.remote)

    @property
    def deadline(self) -> float:
        return NEVER if self.of is None or self.of.state is State.CLOSED else float(self.of.deadline)

    def write(self, data: bytes, now: int) -> int:
        if self.of is None:
            return 0
        data = data[: max(self._most - self.of.unsent, 0)]
        self.of.send(data)
        return len(data)

    def read(self, most: int, now: int) -> bytes:
        return b"" if self.of is None else self.of.receive(most)

    def finish(self, now: int) -> None:
        if self.of is not None:
            self.of.finish()

    @property
    def opened(self) -> bool:
        return self.of is not None and self.of.state not in (State.SYN_SENT, State.SYN_RECEIVED)

    @property
    def ended(self) -> bool:
        return self.of is not None and self.of.ended and not self.of.available

    @property
    def gone(self) -> bool:
        return self.of is not None and self.of.state in (State.CLOSED, State.TIME_WAIT)

    @property
    def failure(self) -> str:
        return "" if self.of is None else self.of.failure


@dataclass(frozen=True)
class Mix:
    """Probabilities for each segment of each way."""

    loss: float = 0.0
    burst: float = 0.0
    """That from here on all is lost for the time of 1 to 12 full segments."""
    duplicate: float = 0.0
    reorder: float = 0.0
    """That it comes later, by up to 64 frames."""
    corrupt: float = 0.0
    """One other byte, which the sum sees always."""


BAD = Mix(loss=0.05, burst=0.004, duplicate=0.05, reorder=0.05, corrupt=0.02)


def wire_us(data: bytes) -> float:
    """How long a TCP segment takes at 1 Gb/s."""
    return max(len(data) + AROUND, LEAST_FRAME) * 8 / 1000


class Line:
    """Carries segments both ways, at 1 Gb/s each way."""

    def __init__(self, ends: tuple[Host, Host], mix: Mix, rng: random.Random, flight_us: int = 40) -> None:
        self.ends, self.mix, self.rng, self.flight_us = ends, mix, rng, flight_us
        self.carried = 0
        self.seen: list[Callable[[Host, bytes, int], None]] = []
        """Called with the receiver, a segment that is sent, and the time."""
        self._queue: list[tuple[int, int, int, bytes]] = []
        self._count = 0
        self._free = [0.0, 0.0]
        self._losing = [0, 0]

    def pump(self, now: int) -> None:
        """What the ends have to send now; a segment at a time each, as the line is free."""
        for side in (0, 1):
            while self._free[side] <= now:
                data = self.ends[side].poll(now)
                if data is None:
                    break
                self._send(1 - side, data, now)

    def _send(self, to: int, data: bytes, now: int) -> None:
        mix, rng = self.mix, self.rng
        for seen in self.seen:
            seen(self.ends[to], data, now)
        self.carried += 1
        self._free[1 - to] = max(self._free[1 - to], now - 1) + wire_us(data)  # it became free within the last us
        copies = 1 + (rng.random() < mix.duplicate)
        if rng.random() < mix.burst:
            self._losing[to] = now + rng.randint(1, 12) * FRAME_US
        if now < self._losing[to]:
            return
        if rng.random() < mix.loss:
            copies -= 1
        for copy in range(copies):
            late = rng.randint(0, 64 * FRAME_US) if rng.random() < mix.reorder else 0
            frame = data
            if rng.random() < mix.corrupt:
                damaged = bytearray(data)
                damaged[rng.randrange(len(data))] ^= rng.randint(1, 255)
                frame = bytes(damaged)
            self._count += 1
            at = math.ceil(self._free[1 - to]) + FRAME_US * copy + self.flight_us + late
            heapq.heappush(self._queue, (at, self._count, to, frame))

    def next_time(self, now: int) -> float:
        """When something happens next."""
        times = [self.ends[side].deadline for side in (0, 1)]
        times += [at for at in self._free if at > now]
        if self._queue:
            times.append(self._queue[0][0])
        return min(times)

    def deliver(self, now: int) -> None:
        while self._queue and self._queue[0][0] <= now:
            _, _, to, data = heapq.heappop(self._queue)
            self.ends[to].take(self.ends[1 - to].address, data, now)


@dataclass
class Transfer:
    """What the program at one end does."""

    data: bytes
    """To send."""
    chunk: int = 4096
    """Bytes it writes and reads at once, at most."""
    lazy_us: int = 0
    """How long it sleeps after a read."""
    sent: int = 0
    got: bytearray | None = None
    awake: int = 0
    finished: bool = False


def exchange(
    line: Line,
    programs: tuple[Transfer, Transfer],
    now: int = 0,
    *,
    most_us: int = 3_600_000_000,
    most_segments: int = 200_000,
) -> int:
    """Runs until both have sent, finished and read all, or have failed; returns the time."""
    end = now + most_us
    for program in programs:
        program.got = bytearray()
    while True:
        line.deliver(now)
        for host, program in zip(line.ends, programs, strict=True):
            _work(host, program, now)
        line.pump(now)
        if any(host.failure for host in line.ends):
            return now
        if all(p.finished and h.ended for h, p in zip(line.ends, programs, strict=True)) and all(
            h.gone for h in line.ends
        ):
            return now
        wakes = [float(p.awake) for h, p in zip(line.ends, programs, strict=True) if p.awake > now]
        upcoming = min([line.next_time(now), *wakes])
        assert upcoming < NEVER, "it stalls: nobody waits for anything"
        now = max(now + 1, int(-(-upcoming // 1)))
        assert now < end, f"no end after {most_us} us"
        assert line.carried < most_segments, f"no end after {most_segments} segments"


def _work(host: Host, program: Transfer, now: int) -> None:
    if not host.opened:
        return
    while program.sent < len(program.data):
        took = host.write(program.data[program.sent : program.sent + program.chunk], now)
        if not took:
            break
        program.sent += took
    if program.sent == len(program.data) and not program.finished:
        host.finish(now)
        program.finished = True
    assert program.got is not None
    while now >= program.awake:
        data = host.read(program.chunk, now)
        if not data:
            break
        program.got += data
        program.awake = now + program.lazy_us
