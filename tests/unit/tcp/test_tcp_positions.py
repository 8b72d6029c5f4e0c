# SPDX-License-Identifier: Apache-2.0
"""How far the two streams are, which each event tells: bytes since the opening, without SYN and FIN, modulo 2^32."""

import random

import pytest
from tcp.engine import Logged
from tcp.events import Answer, Command, Flag, Op, Settings, Turn
from tcp.pairs import engine_pair, transfer
from tcp.pipe import BAD
from tcp.record import WORD, Record, State
from tcp.step import step

RING = 2048
GIVEN = 3 << 30
"""More than half of the numbers."""


def opened(isn: int, given: int, acknowledged: int) -> Record:
    """A connection that has sent all that it was given."""
    first = (isn + 1) % WORD
    una, tail = (first + acknowledged) % WORD, (first + given) % WORD
    return Record(
        state=State.ESTABLISHED, owned=1, iss=isn, una=una, nxt=tail, max=tail, tail=tail, snd_mss=1000, mtu=1500
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_the_positions_are_those_of_the_bytes_that_have_come_and_gone(seed: int) -> None:
    rng = random.Random(seed)
    logs: tuple[list[Logged], list[Logged]] = [], []
    sizes = 20_001, 7000
    transfer(engine_pair(rng, isn=WORD - 9000, logs=logs), BAD, rng, sizes)
    for log, (ours, theirs) in zip(logs, (sizes, sizes[::-1]), strict=True):
        mine = [one for one in log if one.index == log[-1].index and one.after.iss]
        received, acknowledged = ([getattr(one.actions, name) for one in mine] for name in ("received", "acknowledged"))
        assert received == sorted(received) and acknowledged == sorted(acknowledged)
        assert (received[0], acknowledged[0]) == (0, 0)
        assert (received[-1], acknowledged[-1]) == (theirs, ours)


@pytest.mark.parametrize("isn", [0, 5, WORD - 1, WORD - 1 - GIVEN, 1 << 31])
@pytest.mark.parametrize("acknowledged", [1 << 31, GIVEN, WORD - 2, WORD - 1, WORD, WORD + 1])
def test_a_stream_of_gigabytes_is_still_kept_within_its_ring(isn: int, acknowledged: int) -> None:
    record = opened(isn, acknowledged + 100, acknowledged)
    for more, answer in ((RING - 100, Answer.DONE), (RING - 99, Answer.BAD_VALUE), (0, Answer.DONE)):
        position = (acknowledged + 100 + more) % WORD
        after, actions = step(record, Command(Op.SEND, position), 0, Settings())
        assert actions.answer == answer and actions.acknowledged == acknowledged % WORD
        assert (after.tail == record.tail) == (answer != Answer.DONE or not more)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("owned", [0, 1])
def test_status_changes_nothing(state: State, owned: int) -> None:
    record = Record(state=state, owned=owned, ack_now=1, rexmt_on=1, rexmt=7)
    after, actions = step(record, Command(Op.STATUS), 5, Settings())
    assert after == record and actions.answer == Answer.DONE and actions.send is None and not actions.notify


@pytest.mark.parametrize("op", [Op.OPEN, Op.LISTEN, Op.OPTION])
def test_a_record_without_rings_is_not_used(op: Op) -> None:
    after, actions = step(Record(), Command(op, 0, 1), 5, Settings())
    assert after == Record() and actions.answer == Answer.BAD_STATE


@pytest.mark.parametrize(("ttl", "sent"), [(0, 64), (1, 1), (255, 255)])
def test_segments_have_the_connections_ttl_and_dscp(ttl: int, sent: int) -> None:
    record = Record(state=State.ESTABLISHED, owned=1, ack_now=1, ttl=ttl, dscp=46, mtu=1500)
    _, actions = step(record, Turn(), 0, Settings())
    assert actions.send is not None and actions.send.flags == Flag.ACK
    assert (actions.send.ttl, actions.send.dscp) == (sent, 46)
