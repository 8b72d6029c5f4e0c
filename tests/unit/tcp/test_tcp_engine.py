# SPDX-License-Identifier: Apache-2.0
"""The whole engine in RTL against the other TCP and against its own model, over good and bad lines: every byte is
right, or an end says that it failed."""

import random

import pytest
from runs import some
from tcp.engine import Engine
from tcp.events import Answer, Settings
from tcp.hw_engine import HwEngine, HwHost
from tcp.pairs import OURS, PORT, QUICK, THEIR_PORT, THEIRS
from tcp.pipe import BAD, EngineHost, Host, InetHost, Line, Mix, Transfer, exchange

from nsoc.network.inet.connection import Settings as InetSettings

INET = InetSettings(least_rto_us=1000.0, delayed_ack_us=500.0, msl_us=1e7)


def hardware(opens: bool, rng: random.Random, *, settings: Settings = QUICK, **memory: int) -> HwHost:
    engine = HwEngine(OURS, settings=settings, seed=rng.getrandbits(32), **memory)
    engine.setup(0, 3, 3)
    engine.setup(1, 3, 3, pooled=True)
    if opens:
        assert engine.open(0, PORT, (THEIRS, THEIR_PORT)) == Answer.DONE
        return HwHost(engine, 0)
    assert engine.listen(0, PORT, 1) == Answer.DONE
    return HwHost(engine, None)


def other(kind: str, opens: bool, rng: random.Random) -> Host:
    if kind == "inet":
        inet = InetHost(THEIRS, THEIR_PORT, (OURS, PORT), INET, rng.getrandbits(32))
        if opens:
            inet.open(0)
        return inet
    engine = Engine(THEIRS, settings=QUICK, seed=rng.getrandbits(32))
    engine.setup(0, 3, 3, 0)
    engine.setup(1, 3, 3, 0, pooled=True)
    if opens:
        assert engine.open(0, THEIR_PORT, (OURS, PORT), 0) == Answer.DONE
        return EngineHost(engine, 0)
    assert engine.listen(0, THEIR_PORT, 1, 0) == Answer.DONE
    return EngineHost(engine, None)


def transfer(ours: HwHost, theirs: Host, mix: Mix, rng: random.Random, sizes: tuple[int, int]) -> int:
    programs = Transfer(rng.randbytes(sizes[0])), Transfer(rng.randbytes(sizes[1]))
    took = exchange(Line((ours, theirs), mix, rng), programs)
    failures = [host.failure for host in (ours, theirs)]
    for sender, receiver in (programs, programs[::-1]):
        got = bytes(receiver.got or b"")
        assert sender.data.startswith(got), "a wrong byte"
        assert got == sender.data or any(failures), f"bytes are missing, and nobody failed: {len(got)}"
    return took


@pytest.mark.parametrize("kind", ["inet", "model"])
@pytest.mark.parametrize("opens", [True, False])
def test_a_transfer_both_ways_over_a_good_line(kind: str, opens: bool) -> None:
    rng = random.Random(1)
    ours = hardware(opens, rng)
    transfer(ours, other(kind, not opens, rng), Mix(), rng, (30000, 20000))


@pytest.mark.parametrize("seed", some([1, 2, 3, 4], range(5, 60)))
def test_every_byte_comes_over_a_bad_line_or_an_end_says_that_it_failed(seed: int) -> None:
    rng = random.Random(seed)
    opens = rng.random() < 0.5
    memory = {"latency": rng.choice((1, 8, 40)), "stall_percent": rng.choice((0, 10, 50))}
    ours = hardware(opens, rng, **memory)
    sizes = rng.choice((0, 1, 5000, 60000)), rng.choice((0, 1, 5000, 60000))
    transfer(ours, other(rng.choice(("inet", "model")), not opens, rng), BAD, rng, sizes)
