# SPDX-License-Identifier: Apache-2.0
"""How much of a bad line several TCP connections get: streams one way, in virtual time."""

import math
import random
from dataclasses import replace

from tcp.engine import Engine
from tcp.events import Answer, Notify, Op, Settings
from tcp.pairs import OURS, PORT, QUICK, THEIR_PORT, THEIRS
from tcp.pipe import EngineHost, Line, Mix, wire_us

LEAST_RTO = replace(QUICK, stamps=True)
SEGMENT = 1448
"""Payload bytes of a full segment with timestamps."""
RING = 5
"""64 KB."""


class Sink(EngineHost):
    """A listener that reads all that comes, at once."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, 0)
        self.got = 0

    def _listen(self, now: int) -> None:
        for index in list(self.engine.told):
            what = self.engine.events(index)
            if what & Notify.ACCEPT:
                self.engine.command(index, Op.ACCEPT, now)
            self.got += len(self.engine.receive(index, 1 << 20, now))


class Source(EngineHost):
    """Gives each connection as much as its ring takes."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, 0)

    def _listen(self, now: int) -> None:
        for index in list(self.engine.told):
            assert not self.engine.events(index) & Notify.CLOSED
            self.engine.send(index, bytes(1 << (RING + 11)), now)


def share(connections: int, us: int, mix: Mix, seed: int, *, flight_us: int = 44, settings: Settings = LEAST_RTO) -> float:
    """Of the goodput that full segments have on a good line (941.5 Mb/s). 44 us make a round trip of 101 us."""
    rng = random.Random(seed)
    sink = Sink(Engine(OURS, connections + 1, settings=settings, seed=rng.getrandbits(32)))
    source = Source(Engine(THEIRS, connections, settings=settings, seed=rng.getrandbits(32)))
    for index in range(1, connections + 1):
        sink.engine.setup(index, RING, 0, 0, pooled=True)
    assert sink.engine.listen(0, PORT, min(connections, 255), 0) == Answer.DONE if sink.engine.setup(0, 0, 0, 0) is None else False
    for index in range(connections):
        source.engine.setup(index, 0, RING, 0)
        assert source.engine.open(index, THEIR_PORT + index, (OURS, PORT), 0) == Answer.DONE
    line = Line((sink, source), mix, rng, flight_us)
    now = 0
    while now < us:
        line.deliver(now)
        line.pump(now)
        now = max(now + 1, math.ceil(line.next_time(now)))
    return sink.got / SEGMENT * wire_us(bytes(SEGMENT + 32)) / us
