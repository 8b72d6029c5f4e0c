# SPDX-License-Identifier: Apache-2.0
"""Streams both ways over a bad line: the step function against itself, and against the TCP of nsoc.network.inet.

Each seed draws rings, sizes, programs that read slowly, options of the peer, sequence numbers near 2^32 and what the
line does. Every byte must come right, and both must end well: no line here is bad enough to give up. After each event
Engine checks what must always hold.
"""

import random
from dataclasses import replace

import pytest
from runs import seeds
from tcp.events import Settings
from tcp.pairs import QUICK, engine_pair, mixed_pair, transfer
from tcp.pipe import BAD, Mix

from nsoc.network.inet.connection import Settings as InetSettings


def near_the_end(rng: random.Random) -> int | None:
    return rng.choice((None, 2**32 - 1, 2**32 - rng.randrange(100_000)))


def draw_mix(rng: random.Random) -> Mix:
    return rng.choice(
        (
            Mix(),
            Mix(loss=0.01),
            Mix(loss=0.05),
            Mix(loss=0.2),
            Mix(burst=0.02),
            Mix(duplicate=0.3),
            Mix(reorder=0.3),
            Mix(corrupt=0.1),
            BAD,
            replace(BAD, loss=0.15),
        )
    )


def draw_settings(rng: random.Random) -> Settings:
    return replace(
        QUICK,
        scale=rng.random() < 0.7,
        stamps=rng.random() < 0.7,
        sack=rng.random() < 0.7,
        delayed_ack_us=rng.choice((100, 500, 3000)),
        least_rto_us=rng.choice((1000, 20_000)),
    )


def draw(rng: random.Random) -> dict[str, object]:
    """What the programs do."""
    return {
        "sizes": (rng.choice((0, 1, 777, 40_001, 100_000)), rng.choice((0, 1, 999, 30_001))),
        "chunks": (rng.choice((137, 1460, 5000)), rng.choice((89, 1448, 5000))),
        "lazy_us": (rng.choice((0, 0, 700)), rng.choice((0, 0, 900))),
        "flight_us": rng.choice((1, 40, 2000)),
    }


@pytest.mark.parametrize("seed", seeds(60, 1500))
def test_two_engines_bring_every_byte_over_a_bad_line(seed: int) -> None:
    rng = random.Random(seed)
    rings = rng.choice((0, 1, 3, 6)), rng.choice((0, 1, 3, 6))
    ends = engine_pair(rng, rings=rings, settings=draw_settings(rng), isn=near_the_end(rng))
    transfer(ends, draw_mix(rng), rng, **draw(rng))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", seeds(100, 2500))
def test_an_engine_and_the_other_tcp_bring_every_byte_over_a_bad_line(seed: int) -> None:
    rng = random.Random(seed)
    rings = rng.choice((0, 1, 3, 6)), rng.choice((0, 1, 3, 6))
    theirs = InetSettings(
        mss=rng.choice((100, 536, 1460)),
        window=rng.choice((2000, 20_000, 65535, 200_000)),
        timestamps=rng.random() < 0.5,
        delayed_ack_us=rng.choice((0.0, 500.0)),
        least_rto_us=rng.choice((1000.0, 20_000.0)),
        msl_us=1e7,
        nagle=rng.random() < 0.5,
    )
    ends = mixed_pair(
        rng,
        engine_opens=rng.random() < 0.5,
        rings=rings,
        settings=draw_settings(rng),
        inet=theirs,
        isn=near_the_end(rng),
    )
    transfer(ends, draw_mix(rng), rng, **draw(rng))  # type: ignore[arg-type]
