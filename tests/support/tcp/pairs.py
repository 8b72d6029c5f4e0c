# SPDX-License-Identifier: Apache-2.0
"""Two ends of a connection on a bad line: an Engine, and another one or the TCP of nsoc.network.inet."""

import random

from nsoc.network.inet.connection import Settings as InetSettings
from tcp.engine import Engine, Logged
from tcp.events import Answer, Settings
from tcp.pipe import EngineHost, Host, InetHost, Line, Mix, Transfer, exchange

OURS, THEIRS = bytes((10, 0, 0, 2)), bytes((10, 0, 0, 1))
PORT, THEIR_PORT = 7, 5000
QUICK = Settings(least_rto_us=1000, delayed_ack_us=500, override_us=100_000, msl_ms=10_000)


def engine_pair(
    rng: random.Random,
    *,
    rings: tuple[int, int] = (3, 3),
    settings: Settings = QUICK,
    isn: int | None = None,
    logs: tuple[list[Logged], list[Logged]] | tuple[None, None] = (None, None),
) -> tuple[EngineHost, EngineHost]:
    """The second one opens. `rings` are those of both: receive and send."""
    given = None if isn is None else (lambda ends: isn)
    ours = Engine(OURS, settings=settings, seed=rng.getrandbits(32), isn=given, log=logs[0])
    ours.setup(0, *rings, 0)
    ours.setup(1, *rings, 0, pooled=True)
    assert ours.listen(0, PORT, 1, 0) == Answer.DONE
    theirs = Engine(THEIRS, settings=settings, seed=rng.getrandbits(32), isn=given, log=logs[1])
    theirs.setup(0, *rings, 0)
    assert theirs.open(0, THEIR_PORT, (OURS, PORT), 0) == Answer.DONE
    return EngineHost(ours, None), EngineHost(theirs, 0)


def mixed_pair(
    rng: random.Random,
    *,
    engine_opens: bool,
    rings: tuple[int, int] = (3, 3),
    settings: Settings = QUICK,
    inet: InetSettings | None = None,
    isn: int | None = None,
) -> tuple[EngineHost, InetHost]:
    """The engine and the other TCP."""
    theirs = inet or InetSettings(least_rto_us=1000.0, delayed_ack_us=500.0, msl_us=1e7)
    given = None if isn is None else (lambda ends: isn)
    engine = Engine(OURS, settings=settings, seed=rng.getrandbits(32), isn=given)
    other = InetHost(THEIRS, THEIR_PORT, (OURS, PORT), theirs, rng.getrandbits(32) if isn is None else isn)
    engine.setup(0, *rings, 0)
    engine.setup(1, *rings, 0, pooled=True)
    if engine_opens:
        assert engine.open(0, PORT, (THEIRS, THEIR_PORT), 0) == Answer.DONE
        return EngineHost(engine, 0), other
    assert engine.listen(0, PORT, 1, 0) == Answer.DONE
    other.open(0)
    return EngineHost(engine, None), other


def transfer(
    ends: tuple[Host, Host],
    mix: Mix,
    rng: random.Random,
    sizes: tuple[int, int],
    *,
    chunks: tuple[int, int] = (4096, 4096),
    lazy_us: tuple[int, int] = (0, 0),
    flight_us: int = 40,
) -> int:
    """Both send so many bytes and finish; all must come, or an end must say that it failed. The time it took."""
    programs = (
        Transfer(rng.randbytes(sizes[0]), chunks[0], lazy_us[0]),
        Transfer(rng.randbytes(sizes[1]), chunks[1], lazy_us[1]),
    )
    line = Line(ends, mix, rng, flight_us)
    took = exchange(line, programs)
    failures = [end.failure for end in ends if end.failure]
    for mine, other in ((0, 1), (1, 0)):
        got = bytes(programs[mine].got or b"")
        assert got == programs[other].data[: len(got)], "wrong bytes"
        assert failures or len(got) == len(programs[other].data), "bytes are missing and nobody says so"
    assert not failures, failures
    return took
