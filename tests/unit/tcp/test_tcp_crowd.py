# SPDX-License-Identifier: Apache-2.0
"""SYNs that find no place: whom they take it from (docs/tcp.md, number 15). In the model, in `tcp_core` by its log,
and in the whole engine in RTL."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from tcp.attack import segment
from tcp.core_replay import CONNECTIONS, replay
from tcp.engine import LEAST_HANDSHAKE_MS, Engine
from tcp.events import Answer, Arrival, Flag, Notify, Op, Settings
from tcp.hw_engine import HwEngine
from tcp.pairs import OURS, PORT
from tcp.record import Record, State
from tcp.wire import parse

POOL = 56
SMALL = CONNECTIONS - 2
"""A pool beside two listeners, where `tcp_core` or the engine has CONNECTIONS records."""
MS = 1024
OTHER = PORT + 1
"""Of the second listener."""


class Crowd:
    """Strangers before the model, or the engine in RTL: two listeners, the first two records, and a pool."""

    def __init__(self, engine: Engine | HwEngine, count: int, backlog: int) -> None:
        self.engine = engine
        self.now = 0
        self.released = 0
        """Connections of which firmware has been told that they are closed."""
        self.firmware = True
        self.closes = True
        """It closes what it has accepted."""
        for index in range(count + 2):
            self._setup(index, pooled=index > 1)
        for index, port in enumerate((PORT, OTHER)):
            if isinstance(engine, Engine):
                assert engine.listen(index, port, backlog, 0) == Answer.DONE
            else:
                assert engine.listen(index, port, backlog) == Answer.DONE

    def _setup(self, index: int, *, pooled: bool) -> None:
        if isinstance(self.engine, Engine):
            self.engine.setup(index, 0, 0, 0, pooled=pooled)
        else:
            self.engine.setup(index, 0, 0, pooled=pooled)

    def command(self, index: int, op: Op) -> Answer:
        if isinstance(self.engine, Engine):
            return self.engine.command(index, op, self.now)
        return self.engine.command(index, op)

    @property
    def full(self) -> int:
        """SYNs that were dropped."""
        if isinstance(self.engine, Engine):
            return self.engine.counts["drop LISTEN_FULL"]
        return self.engine.read("tcp_drop_listen_full")

    def reset_full(self) -> None:
        if isinstance(self.engine, Engine):
            self.engine.settings = replace(self.engine.settings, reset_full=True)
        else:
            self.engine.write("offers", 0b1111)

    def record(self, index: int) -> Record:
        engine = self.engine
        return engine.records[index] if isinstance(engine, Engine) else engine.status(index)

    def state(self, index: int) -> State:
        return State(self.record(index).state)

    def children(self, index: int) -> int:
        return self.record(index).children

    def wait(self, us: int) -> None:
        """What leaves meanwhile is lost, deadlines do not pass."""
        self.now += us
        if isinstance(self.engine, HwEngine):
            end = self.engine.now + us
            while self.engine.now < end:
                self.engine.run(end)
                while self.engine.poll() is not None:
                    pass

    def say(
        self, end: tuple[bytes, int], flags: Flag, seq: int, ack: int = 0, port: int = PORT, payload: bytes = b""
    ) -> list[Arrival]:
        """What this stranger is answered at once."""
        data = segment(end, (OURS, port), seq, ack, flags, payload=payload)
        if isinstance(self.engine, Engine):
            self.engine.take(end[0], data, self.now)
        else:
            self.engine.take(end[0], data)
        out = self._polled()
        if self.firmware:
            self.serve()
            out += self._polled()
        # The model does not know to whom a listener's reset goes.
        seen = [parse(data, OURS, to) for to, data in out if to in (end[0], bytes(4))]
        return [one[2] for one in seen if not isinstance(one, str) and one[1] in (end[1], 0)]

    def _polled(self) -> list[tuple[bytes, bytes]]:
        engine, out = self.engine, []
        if isinstance(engine, Engine):
            while (one := engine.poll(self.now)) is not None:
                out.append(one)
        else:
            for _ in range(4):
                engine.clock(250)
                while (one := engine.poll()) is not None:
                    out.append(one)
        return out

    def serve(self) -> None:
        """Firmware accepts, and releases what is closed."""
        engine = self.engine
        events = [(i, engine.events(i)) for i in list(engine.told)] if isinstance(engine, Engine) else engine.events()
        for index, bits in events:
            if bits & Notify.CLOSED:
                assert self.command(index, Op.RELEASE) == Answer.DONE
                self.released += 1
            elif bits & Notify.ACCEPT:
                assert self.command(index, Op.ACCEPT) == Answer.DONE
                assert not self.closes or self.command(index, Op.CLOSE) == Answer.DONE

    def connect(self, end: tuple[bytes, int]) -> None:
        """A stranger that leaves us in TIME-WAIT: we close first, at once."""
        (answer,) = self.say(end, Flag.SYN, 100)
        fin = self.say(end, Flag.ACK, 101, answer.seq + 1)
        assert [one.flags for one in fin] == [Flag.FIN | Flag.ACK]
        (last,) = self.say(end, Flag.FIN | Flag.ACK, 101, answer.seq + 2)
        assert last.flags == Flag.ACK

    def replayed(self) -> None:
        if isinstance(self.engine, Engine):
            result = replay(self.engine.log or [], self.engine.settings)
            assert not result.differences, result.differences[:3]
        else:
            self.engine.close()


Maker = Callable[[int], Crowd]


def model(backlog: int) -> Crowd:
    return Crowd(Engine(OURS, CONNECTIONS, log=[]), SMALL, backlog)


def hardware(backlog: int) -> Crowd:
    return Crowd(HwEngine(OURS, settings=Settings()), SMALL, backlog)


def end_of(number: int) -> tuple[bytes, int]:
    return bytes((10, 1, number // 200, 1 + number % 200)), 2000


BOTH = pytest.mark.parametrize("make", [model, hardware])


def test_56_in_time_wait_and_100_syns_are_answered_at_their_first_or_second_try() -> None:
    crowd = Crowd(Engine(OURS, POOL + 2), POOL, 255)
    for number in range(POOL):
        crowd.connect(end_of(number))
        crowd.wait(MS)
    assert crowd.full == 0 and not crowd.engine.pool  # type: ignore[union-attr]
    for number in range(100):
        tries = 0
        while not (seen := crowd.say(end_of(100 + number), Flag.SYN, 7)):
            tries += 1
            crowd.wait(MS)
        assert [one.flags for one in seen] == [Flag.SYN | Flag.ACK] and tries < 2, number
    assert crowd.released == POOL == crowd.full


@BOTH
def test_the_oldest_time_wait_goes_first(make: Maker) -> None:
    """Firmware has the record yet when the SYN comes, so it takes the second one."""
    crowd = make(255)
    for number in range(SMALL // 2):
        assert crowd.say(end_of(number), Flag.SYN, 7)
        crowd.wait(20 * MS)
    for number in range(SMALL // 2, SMALL):
        crowd.connect(end_of(number))
        crowd.wait(2 * MS)
    crowd.wait(20 * MS)
    for number in range(SMALL // 2, SMALL):  # not the handshakes, which are older
        waits = [at for at in range(2, CONNECTIONS) if crowd.state(at) == State.TIME_WAIT]
        assert crowd.say(end_of(100 + number), Flag.SYN, 7) == []
        left = [at for at in waits if crowd.state(at) == State.TIME_WAIT]
        assert left == waits[1:], "they were taken in the order of their indexes"
        assert [one.flags for one in crowd.say(end_of(100 + number), Flag.SYN, 7)] == [Flag.SYN | Flag.ACK]
    assert crowd.full == SMALL // 2
    crowd.replayed()


@BOTH
def test_the_oldest_handshake_goes_silently_and_the_syn_takes_its_place(make: Maker) -> None:
    crowd = make(255)
    for number in range(3 * SMALL):
        seen = crowd.say(end_of(number), Flag.SYN, 7)
        assert [one.flags for one in seen] == [Flag.SYN | Flag.ACK], number
        crowd.wait(2 * MS)
    assert crowd.children(0) == SMALL and crowd.full == 0
    gone, here = end_of(2 * SMALL - 1), end_of(2 * SMALL)
    assert [one.flags for one in crowd.say(gone, Flag.ACK, 8, 1)] == [Flag.RST]
    assert [one.flags for one in crowd.say(here, Flag.SYN, 7)] == [Flag.SYN | Flag.ACK]  # it is repeated
    assert crowd.children(0) == SMALL
    crowd.replayed()


@BOTH
def test_a_full_backlog_gives_up_its_own_oldest_handshake_only(make: Maker) -> None:
    crowd = make(3)
    for number in range(3):
        assert crowd.say(end_of(100 + number), Flag.SYN, 7, port=OTHER)
        crowd.wait(2 * MS)
    for number in range(10):
        assert [one.flags for one in crowd.say(end_of(number), Flag.SYN, 7)] == [Flag.SYN | Flag.ACK]
        crowd.wait(4 * MS)
    assert crowd.children(0) == crowd.children(1) == 3 and crowd.full == 0
    crowd.replayed()


@BOTH
def test_a_handshake_is_not_given_up_in_its_first_milliseconds(make: Maker) -> None:
    crowd = make(4)
    seen = [bool(crowd.say(end_of(number), Flag.SYN, 7)) for number in range(8)]
    assert seen == [True] * 4 + [False] * 4 and crowd.full == 4
    crowd.wait((LEAST_HANDSHAKE_MS + 1) * MS)
    assert all(crowd.say(end_of(4 + number), Flag.SYN, 7) for number in range(4)) and crowd.full == 4
    crowd.replayed()


@BOTH
def test_a_syn_without_a_place_is_reset_when_that_is_asked_for(make: Maker) -> None:
    crowd = make(4)
    assert all(crowd.say(end_of(number), Flag.SYN, 7) for number in range(4))
    crowd.reset_full()
    (answer,) = crowd.say(end_of(4), Flag.SYN, 7)
    assert (answer.flags, answer.seq, answer.ack) == (Flag.RST | Flag.ACK, 0, 8) and crowd.full == 1
    crowd.wait((LEAST_HANDSHAKE_MS + 1) * MS)
    (answer,) = crowd.say(end_of(4), Flag.SYN, 7)
    assert answer.flags == Flag.SYN | Flag.ACK and crowd.full == 1
    crowd.replayed()


@BOTH
def test_who_is_connected_is_never_given_up(make: Maker) -> None:
    crowd = make(255)
    crowd.firmware = False
    for number in range(SMALL):
        (answer,) = crowd.say(end_of(number), Flag.SYN, 100)
        crowd.say(end_of(number), Flag.ACK, 101, answer.seq + 1)
    crowd.wait(100 * MS)
    for number in range(5):
        assert crowd.say(end_of(100 + number), Flag.SYN, 7) == []
    assert crowd.full == 5
    assert all(crowd.state(2 + number) == State.ESTABLISHED for number in range(SMALL))
    crowd.replayed()


@BOTH
@pytest.mark.parametrize("backlog", [6, 255])
def test_good_peers_open_and_go_on_beside_a_flood_of_syns(make: Maker, backlog: int) -> None:
    """A SYN in each ms from anywhere; good peers answer behind 3 ms, and one that is connected goes on."""
    rng = random.Random(backlog)
    acknowledged: list[int] = []
    crowd = make(backlog)
    crowd.closes = False
    good, at = end_of(0), 101
    (answer,) = crowd.say(good, Flag.SYN, 100)
    ours = answer.seq + 1
    crowd.say(good, Flag.ACK, at, ours)
    crowd.closes = True

    def flood(count: int) -> None:
        nonlocal at
        for _ in range(count):
            crowd.say((bytes((10, 2, *rng.randbytes(2))), rng.randrange(1, 65536)), Flag.SYN, rng.getrandbits(32))
            seen = [one.ack for one in crowd.say(good, Flag.ACK, at, ours, payload=b"ab")]
            at += 2
            assert len(seen) <= 1 and seen in ([], [at]), "the peer that is connected is not heard"
            acknowledged.extend(seen)
            crowd.wait(MS)

    flood(40)
    for number in range(20):
        end = end_of(100 + number)
        tries = 1
        while not (seen := crowd.say(end, Flag.SYN, 100)):
            tries += 1
            flood(10)
        flood(3)
        fin = crowd.say(end, Flag.ACK, 101, seen[0].seq + 1)
        assert [one.flags for one in fin] == [Flag.FIN | Flag.ACK], f"{number} has not opened at try {tries}"
        crowd.say(end, Flag.FIN | Flag.ACK, 101, seen[0].seq + 2)
        assert tries <= 2
    flood(1)
    assert acknowledged[-1] >= at - 2 and len(acknowledged) > 40
    crowd.replayed()
