# SPDX-License-Identifier: Apache-2.0
"""How much of a bad line the connections of two engines get: streams one way, in virtual time."""

import math
import random

from tcp.engine import Engine
from tcp.events import Answer, Notify, Op, Settings
from tcp.pairs import OURS, PORT, QUICK, THEIR_PORT, THEIRS
from tcp.pipe import EngineHost, Line, Mix, wire_us
from tcp.record import LEAST_RING

SEGMENT, HEADER = 1448, 32
"""Bytes of payload and of TCP header of a full segment with timestamps."""
RING = 5
"""64 KB."""


class Sink(EngineHost):
    """Accepts, and reads at once all that comes."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, 0)
        self.got = 0

    def _listen(self, now: int) -> None:
        for index in list(self.engine.told):
            if self.engine.events(index) & Notify.ACCEPT:
                self.engine.command(index, Op.ACCEPT, now)
            self.got += len(self.engine.receive(index, 1 << LEAST_RING << RING, now))


class Source(EngineHost):
    """Gives each connection as much as its ring takes."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, 0)

    def _listen(self, now: int) -> None:
        for index in list(self.engine.told):
            assert not self.engine.events(index) & Notify.CLOSED
            self.engine.send(index, bytes(1 << LEAST_RING << RING), now)


def share(connections: int, us: int, mix: Mix, seed: int, *, flight_us: int = 44, settings: Settings = QUICK) -> float:
    """Goodput in that time, from the opening on; 1 is that of full segments on a good line, 941.5 Mb/s.

    A full segment and its acknowledgement take 101 us with 44 us of flight.
    """
    rng = random.Random(seed)
    sink = Sink(Engine(OURS, connections + 1, settings=settings, seed=rng.getrandbits(32)))
    source = Source(Engine(THEIRS, connections, settings=settings, seed=rng.getrandbits(32)))
    sink.engine.setup(0, 0, 0, 0)
    assert sink.engine.listen(0, PORT, connections, 0) == Answer.DONE
    for index in range(connections):
        sink.engine.setup(index + 1, RING, 0, 0, pooled=True)
        source.engine.setup(index, 0, RING, 0)
        assert source.engine.open(index, THEIR_PORT + index, (OURS, PORT), 0) == Answer.DONE
    line = Line((sink, source), mix, rng, flight_us)
    now = 0
    while now < us:
        line.deliver(now)
        line.pump(now)
        now = max(now + 1, math.ceil(line.next_time(now)))
    return sink.got / SEGMENT * wire_us(bytes(HEADER + SEGMENT)) / us
