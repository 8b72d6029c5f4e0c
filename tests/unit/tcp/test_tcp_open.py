# SPDX-License-Identifier: Apache-2.0
"""How connections open, and what listeners and closed ports answer: docs/tcp.md, numbers 7 to 12 and 14 to 16."""

import random
from dataclasses import replace

import pytest
from tcp import pairs
from tcp.core_replay import replay
from tcp.engine import Engine
from tcp.events import Answer, Drop, Notify, Op, Settings
from tcp.pipe import EngineHost, Mix
from tcp.record import State, Why
from tcp.scapy_peer import LOCAL, MSS, OURS, PORT, THEIR_PORT, ScapyPeer

S = 1_000_000
UNIT = 1 << 20
"""us: of `patience`."""


def closed_peer() -> ScapyPeer:
    """Nothing is open or listens at our port."""
    return ScapyPeer(engine_opens=True, opened=False)


# ---- 14: CLOSED ------------------------------------------------------------------------------------------------------


def test_a_segment_for_nobody_is_answered_by_a_reset_where_its_acknowledgement_is() -> None:
    peer = closed_peer()
    peer.say("A", 10, 20, b"abc")
    (answer,) = peer.heard()
    assert (answer.flags, answer.at, answer.data) == ("R", 20, b"")


@pytest.mark.parametrize(("flags", "length", "behind"), [("S", 0, 1), ("", 5, 5), ("SF", 3, 5), ("F", 0, 1)])
def test_without_an_acknowledgement_the_reset_is_at_zero_and_acknowledges_all(
    flags: str, length: int, behind: int
) -> None:
    peer = closed_peer()
    peer.say(flags, 10, data=bytes(length))
    (answer,) = peer.heard()
    assert answer.flags == "RA" and answer.ack == 10 + behind and answer.raw[4:8] == bytes(4)


@pytest.mark.parametrize("flags", ["R", "RA"])
def test_a_reset_is_never_answered(flags: str) -> None:
    peer = closed_peer()
    peer.say(flags, 10, 20)
    assert peer.heard() == []
    listening = ScapyPeer(opened=False)
    listening.say(flags)
    assert listening.heard() == []


# ---- 15, 9: LISTEN ---------------------------------------------------------------------------------------------------


def test_a_listener_refuses_acknowledgements_takes_a_syn_and_drops_the_rest() -> None:
    peer = ScapyPeer(opened=False)
    peer.say("A", 0, 77)
    (answer,) = peer.heard()
    assert (answer.flags, answer.at) == ("R", 77)
    peer.say("SA", 0, 77)
    assert [one.flags for one in peer.heard()] == ["R"]
    peer.say("", 0, data=b"x")
    peer.say("F", 0)
    assert peer.heard() == [] and peer.log[-1].actions.drop == Drop.LISTEN_REFUSED
    peer.say("S", -1)
    (answer,) = peer.heard()
    assert (answer.flags, answer.at, answer.ack) == ("SA", -1, 0)
    assert peer.engine.records[0].state == State.LISTEN


def test_a_listener_goes_on_beside_its_connections_and_touches_no_other_record() -> None:
    peer = ScapyPeer()
    before = peer.record
    peer.say("S", 400, port=THEIR_PORT + 1)
    assert peer.record == before and [one.flags for one in peer.heard()] == ["SA"]
    assert peer.engine.listen(5, PORT, 1, peer.now) == Answer.BAD_VALUE  # somebody listens there
    assert peer.engine.listen(5, PORT + 1, 1, peer.now) == Answer.DONE


def test_connections_that_nobody_has_accepted_are_bounded_by_the_backlog() -> None:
    peer = ScapyPeer(opened=False, backlog=2)
    for number in range(4):
        peer.say("S", 0, port=6000 + number)
    assert peer.log[-1].actions.drop == Drop.LISTEN_FULL
    assert [one.flags for one in peer.heard()] == ["SA", "SA"]
    index = 1
    peer.index = index
    peer.say("A", 1, 0, port=6000)
    assert peer.told() == Notify.ACCEPT and peer.record.counted
    peer.say("S", 0, port=6005)
    assert peer.heard() == []  # it is open, and waits
    assert peer.command(Op.ACCEPT) == Answer.DONE and peer.command(Op.ACCEPT) == Answer.BAD_STATE
    peer.say("S", 0, port=6005)
    assert [one.flags for one in peer.heard()] == ["SA"]


def test_without_a_record_in_the_pool_a_syn_is_dropped() -> None:
    peer = ScapyPeer(opened=False, backlog=200)
    for number in range(7):
        peer.say("S", 0, port=6000 + number)
    assert len(peer.heard()) == 4 and not peer.engine.pool


def test_half_open_connections_end_and_their_records_come_back() -> None:
    peer = ScapyPeer(opened=False, backlog=2)
    peer.say("S", 0, port=6000)
    peer.say("S", 0, port=6001)
    answers = peer.wait(100 * S)
    assert {one.flags for _, one in answers} == {"SA", "RA"}
    assert peer.engine.records[0].children == 0 and len(peer.engine.pool) == 4


@pytest.mark.parametrize("patience", [1, 2, 5, 30, 100])
def test_a_half_open_connection_ends_at_a_deadline_of_its_own(patience: int) -> None:
    settings = replace(Settings(), child_patience_s=patience)
    peer = ScapyPeer(opened=False, settings=settings)
    begun = peer.now
    peer.say("S", 0, port=6000)
    answers = peer.wait((patience + 2) * UNIT)
    assert [one.flags for _, one in answers[:-1]] == ["SA"] * (len(answers) - 1)
    at, last = answers[-1]
    assert last.flags == "RA" and abs(at - begun - patience * UNIT) <= UNIT
    assert peer.engine.records[0].children == 0 and len(peer.engine.pool) == 4 and not peer.engine.deadlines
    result = replay(peer.log, settings)
    assert not result.differences, result.differences[:3]


def test_a_half_open_connection_without_patience_stays() -> None:
    settings = replace(Settings(), child_patience_s=0)
    peer = ScapyPeer(opened=False, settings=settings)
    peer.say("S", 0, port=6000)
    assert {one.flags for _, one in peer.wait(300 * UNIT)} == {"SA"} and peer.engine.records[0].children == 1


def test_the_deadline_of_the_handshake_is_not_that_of_the_connection() -> None:
    """Nor does the retransmission timer end the handshake before."""
    settings = replace(Settings(), child_patience_s=5)
    peer = ScapyPeer(opened=False, settings=settings)
    peer.say("S", -1)
    peer.wait(4 * UNIT)
    peer.say("A")
    assert peer.told() == Notify.ACCEPT and not peer.record.idle_on
    assert peer.wait(100 * UNIT) == [] and peer.record.state == State.ESTABLISHED
    result = replay(peer.log, settings)
    assert not result.differences, result.differences[:3]


def test_a_listener_that_closes_waits_for_its_children() -> None:
    peer = ScapyPeer(opened=False)
    peer.say("S", -1)
    peer.heard()
    assert peer.engine.command(0, Op.CLOSE, peer.now) == Answer.DONE
    assert peer.engine.events(0) == 0
    peer.say("A")  # it opens all the same
    assert peer.told() == Notify.ACCEPT
    peer.say("S", 0, port=6000)
    assert [one.flags for one in peer.heard()] == ["RA"]
    peer.command(Op.ABORT)
    assert peer.engine.events(0) == Notify.CLOSED and peer.engine.records[0].state == State.CLOSED


# ---- 8, 20: SYN-RECEIVED ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", ["R", "S"])
def test_a_passive_half_open_connection_that_is_hit_by_a_reset_or_a_syn_is_forgotten(flags: str) -> None:
    peer = ScapyPeer(opened=False)
    peer.say("S", -1)
    peer.heard()
    peer.say(flags, 0)
    assert peer.state == State.CLOSED and peer.heard() == [] and peer.told() == 0
    assert len(peer.engine.pool) == 4 and peer.engine.records[0].children == 0
    peer.say("S", -1)
    assert [one.flags for one in peer.heard()] == ["SA"]  # the next one may come


def test_a_reset_of_a_half_open_connection_that_we_began_is_a_refusal() -> None:
    peer = closed_peer()
    peer.open()
    peer.heard()
    peer.say("S", -1)
    assert peer.state == State.SYN_RCVD and not peer.record.passive
    peer.say("R", 0)
    assert peer.record.why == Why.REFUSED and peer.told() == Notify.CLOSED


def test_an_acknowledgement_that_is_wrong_for_a_half_open_connection_is_reset() -> None:
    peer = ScapyPeer(opened=False)
    peer.say("S", -1)
    peer.heard()
    peer.say("A", 0, 5)
    assert [(one.flags, one.at) for one in peer.heard()] == [("R", 5)] and peer.state == State.SYN_RCVD
    peer.say("A")
    assert peer.state == State.ESTABLISHED


def test_a_syn_that_comes_again_gets_its_answer_again() -> None:
    peer = ScapyPeer(opened=False)
    peer.say("S", -1)
    first = peer.heard()
    peer.say("S", -1)
    assert [(one.flags, one.at, one.ack) for one in peer.heard()] == [("SA", -1, 0)] and first[0].flags == "SA"


# ---- 16: SYN-SENT ----------------------------------------------------------------------------------------------------


def test_a_bad_acknowledgement_of_our_syn_is_reset() -> None:
    peer = closed_peer()
    peer.open()
    peer.heard()
    for ack in (-1, 1, 50):
        peer.say("SA", -1, ack)
        assert [(one.flags, one.at) for one in peer.heard()] == [("R", ack)]
        peer.say("RA", -1, ack)
        assert peer.heard() == [] and peer.state == State.SYN_SENT


def test_a_reset_is_obeyed_with_a_good_acknowledgement_only() -> None:
    peer = closed_peer()
    peer.open()
    peer.heard()
    peer.say("R", 0)
    assert peer.state == State.SYN_SENT
    peer.say("RA", 0, 0)
    assert peer.record.why == Why.REFUSED and peer.told() == Notify.CLOSED
    assert peer.command(Op.RELEASE) == Answer.DONE and peer.open() == Answer.DONE  # and again


def test_what_is_no_syn_is_dropped() -> None:
    peer = closed_peer()
    peer.open()
    peer.heard()
    peer.say("A", 0, 0, b"data")
    assert peer.heard() == [] and peer.state == State.SYN_SENT


# ---- 7, 12: both at once, lost SYNs ----------------------------------------------------------------------------------


def test_both_may_open_at_once() -> None:
    ours = closed_peer()
    ours.open()
    ours.heard()
    ours.say("S", -1)
    (answer,) = ours.heard()
    assert (answer.flags, answer.at, answer.ack) == ("SA", -1, 0)
    ours.say("SA", -1)  # theirs has crossed it
    (answer,) = ours.heard()
    assert (answer.flags, answer.at, answer.ack) == ("A", 0, 0)
    ours.say("A", 0)
    assert ours.state == State.ESTABLISHED and Notify.CONNECTED in ours.told()


@pytest.mark.parametrize("stamps", [False, True])
def test_a_syn_ack_that_crosses_ours_connects(stamps: bool) -> None:
    """RFC 9293, figure 8, lines 6 and 7; no challenge is needed. It may come before our answer has gone."""
    stamp = [("Timestamp", (5, 0))] if stamps else []
    for heard in (True, False):
        settings = replace(LOCAL, challenges=0, stamps=stamps)
        ours = ScapyPeer(engine_opens=True, opened=False, settings=settings)
        ours.open()
        ours.heard()
        ours.say("S", -1, options=stamp)
        if heard:
            assert [one.flags for one in ours.heard()] == ["SA"]
        ours.say("SA", -1, window=77, options=stamp)
        assert ours.state == State.ESTABLISHED and Notify.CONNECTED in ours.told()
        assert [(one.flags, one.at, one.ack) for one in ours.heard()] == [("A", 0, 0)]
        ours.say("SA", -1, options=stamp)
        assert ours.state == State.ESTABLISHED, "once more"
        assert replay(ours.log, settings).differences == []


@pytest.mark.parametrize(
    ("at", "ack", "flags", "data"),
    [(0, 0, "SA", b""), (-2, 0, "SA", b""), (-1, -1, "SA", b""), (-1, 1, "SA", b""), (-1, 0, "SA", b"x"),
     (-1, 0, "SFA", b""), (5000, 0, "SA", b"")],
)  # fmt: skip
def test_another_syn_ack_changes_nothing(at: int, ack: int, flags: str, data: bytes) -> None:
    ours = closed_peer()
    ours.open()
    ours.heard()
    ours.say("S", -1)
    ours.heard()
    before = replace(ours.record)
    ours.say(flags, at, ack, data)
    after = replace(ours.record, challenges=0, ack_now=0, challenged=before.challenged)
    assert after == replace(before, challenges=0, ack_now=0) and ours.state == State.SYN_RCVD
    passive = ScapyPeer(opened=False)
    passive.say("S", -1)
    passive.heard()
    passive.say("SA", -1)
    assert passive.state == State.SYN_RCVD, "a peer that has opened here knows that we have not"
    assert replay(ours.log, LOCAL).differences == replay(passive.log, LOCAL).differences == []


def test_two_engines_that_open_at_once_are_connected() -> None:
    one, two = Engine(pairs.OURS, settings=pairs.QUICK, seed=3), Engine(pairs.THEIRS, settings=pairs.QUICK, seed=4)
    first, second = (pairs.OURS, PORT), (pairs.THEIRS, THEIR_PORT)
    for engine, port, remote in ((one, PORT, second), (two, THEIR_PORT, first)):
        engine.setup(0, 2, 2, 0)
        assert engine.open(0, port, remote, 0) == Answer.DONE
    pairs.transfer((EngineHost(one, 0), EngineHost(two, 0)), Mix(), random.Random(1), (20_000, 10_000))
    assert not one.records[0].passive and not two.records[0].passive


@pytest.mark.parametrize("engine_opens", [True, False])
def test_a_syn_is_repeated_in_doubling_times_and_given_up(engine_opens: bool) -> None:
    peer = ScapyPeer(engine_opens=engine_opens, opened=False)
    if engine_opens:
        peer.open()
    else:
        peer.say("S", -1)
    sent = peer.wait(400 * S)
    times = [us // S for us, one in sent if "S" in one.flags]
    assert times == ([0, 1, 3, 7, 15, 31, 63, 123] if engine_opens else [0, 1, 3, 7, 15, 31])
    assert peer.state == State.CLOSED
    if engine_opens:
        assert peer.record.why == Why.TIMEOUT and sent[-1][0] == 123 * S  # 3 minutes and no more SYN


def test_after_a_lost_syn_the_first_window_is_one_segment_and_the_timeout_3_s() -> None:
    peer = closed_peer()
    peer.open()
    peer.wait(S + 1)
    peer.say("SA", -1)
    peer.heard()
    peer.give(10_000)
    assert peer.places() == [(0, MSS)] and peer.record.rto == 3 * S


def test_the_first_window_is_ten_segments() -> None:
    peer = ScapyPeer()
    peer.give(16_000)
    assert len(peer.places()) == 10


# ---- 10, 11: addresses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["255.255.255.255", "224.0.0.1", "0.0.0.0", "127.0.0.1", OURS])
def test_a_syn_from_an_impossible_source_is_ignored(source: str) -> None:
    peer = ScapyPeer(opened=False)
    peer.say("S", -1, source=source)
    assert peer.heard() == [] and peer.engine.records[0].children == 0


@pytest.mark.parametrize("address", [(224, 0, 0, 1), (255, 255, 255, 255), (0, 0, 0, 0)])
def test_no_connection_opens_to_many(address: tuple[int, ...]) -> None:
    peer = closed_peer()
    assert peer.engine.open(0, 9, (bytes(address), 7), 0) == Answer.BAD_VALUE
    assert peer.record.state == State.CLOSED


def test_the_same_ends_are_not_opened_twice_and_the_local_address_is_kept() -> None:
    peer = ScapyPeer()
    assert peer.engine.open(5, PORT, (bytes((10, 0, 0, 1)), THEIR_PORT), peer.now) == Answer.BAD_VALUE
    ends = peer.engine.tuples[peer.index]
    assert ends is not None and ends[0] == (bytes((10, 0, 0, 2)), PORT)
