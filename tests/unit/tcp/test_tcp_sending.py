# SPDX-License-Identifier: Apache-2.0
"""What the engine sends when: windows, timeouts, congestion. docs/tcp.md, numbers 30 to 34 and 36 to 41."""

import itertools
from dataclasses import replace
from typing import Any

import pytest
from tcp.corners import Corners
from tcp.events import Answer, Command, Notify, Op, Turn
from tcp.record import State, Why
from tcp.scapy_peer import LOCAL, MSS, THEIR_ISN, ScapyPeer
from tcp.step import step

S, MS = 1_000_000, 1000
WINDOW = 16384


def lossy_peer(count: int = 10, *, acked: int = 1, **more: Any) -> ScapyPeer:
    """`count` full segments are on their way behind `acked` that have come."""
    peer = ScapyPeer(rings=(3, 6), **more)
    peer.give((acked + count) * MSS)
    sent = peer.heard()
    for number in range(acked):
        peer.say(ack=(number + 1) * MSS)
        sent += peer.heard()
    assert sum(len(one.data) for one in sent) == (acked + count) * MSS
    return peer


# ---- 30: windows do not shrink, and survive when they do -------------------------------------------------------------


def test_the_right_edge_of_our_window_never_moves_left() -> None:
    peer = ScapyPeer(rings=(1, 3))
    edge, done = 0, 0
    for number in range(60):
        peer.say("A", done, data=bytes(number % 7 * 100))
        done += min(number % 7 * 100, edge - done if edge else 700)
        for _, one in peer.wait(S):
            assert one.ack + one.window >= edge
            edge = one.ack + one.window
        peer.taken(number % 5 * 150)
        done = (peer.record.rcv_nxt - THEIR_ISN - 1) % 2**32


def test_a_window_that_shrinks_stops_new_data_and_repeats_inside_it() -> None:
    peer = lossy_peer(4)
    peer.give(5 * MSS)
    peer.heard()
    peer.say(ack=MSS, window=1500)
    assert peer.heard() == []
    sent = [one for _, one in peer.wait(20 * MS)]
    assert sent and all(one.at >= MSS and one.at + len(one.data) <= MSS + 1500 for one in sent)
    assert peer.state == State.ESTABLISHED
    peer.say(ack=2 * MSS, window=60_000)
    assert peer.places()[0][0] == 2 * MSS


# ---- 31: window probes -----------------------------------------------------------------------------------------------


def test_a_closed_window_is_probed_in_doubling_times_for_ever_while_it_is_answered() -> None:
    peer = ScapyPeer(window=0)
    assert peer.engine.option(peer.index, "patience", 5) == Answer.DONE
    peer.give(3000)
    assert peer.heard() == []
    times = []
    for _ in range(20):
        begin = peer.now
        (probe,) = peer.next_deadline()
        assert (probe.at, len(probe.data)) == (0, 1)
        times.append(peer.now - begin)
        peer.say(ack=0, window=0)
        assert peer.heard() == []
    assert times[0] == 1 * S or times[0] == peer.record.rto
    assert all(min(2 * one, 60 * S) == two for one, two in itertools.pairwise(times))
    peer.say(ack=0, window=60_000)
    assert peer.places() == [(0, MSS), (MSS, MSS), (2 * MSS, MSS)]


def test_probes_that_nobody_answers_end_the_connection() -> None:
    peer = ScapyPeer(window=0)
    peer.engine.option(peer.index, "patience", 5)
    peer.give(1)
    assert peer.wait(60 * S)[-1][1].flags == "RA" and peer.record.why == Why.TIMEOUT


def test_a_probe_that_is_taken_is_not_sent_again() -> None:
    peer = ScapyPeer(window=0)
    peer.give(b"abc")
    assert peer.heard() == []
    peer.next_deadline()
    peer.say(ack=1, window=0)
    assert peer.heard() == []
    (probe,) = peer.next_deadline()
    assert (probe.at, probe.data) == (1, b"b")
    peer.say(ack=2, window=100)
    assert [(one.at, one.data) for one in peer.heard()] == [(2, b"c")]


def test_while_probing_an_acknowledgement_stands_where_the_peer_expects_it() -> None:
    peer = ScapyPeer(window=0)
    peer.give(2000)
    assert peer.heard() == []
    peer.next_deadline()
    peer.say("A", 100, 0, b"ahead", window=0)
    assert peer.places() == [(0, 0)]


# ---- 32 to 34: silly windows, Nagle ----------------------------------------------------------------------------------


def test_small_segments_wait_until_nothing_is_on_its_way_unless_nagle_is_off() -> None:
    peer = ScapyPeer()
    peer.give(b"a")
    assert peer.places() == [(0, 1)]
    peer.give(b"b")
    peer.give(b"c")
    assert peer.places() == []
    peer.say(ack=1)
    assert peer.places() == [(1, 2)]
    peer.engine.option(peer.index, "nagle_off", 1)
    peer.give(b"d")
    assert peer.places() == [(3, 1)]


def test_a_small_window_is_used_only_when_it_is_half_of_the_largest_or_after_a_while() -> None:
    peer = ScapyPeer(window=4000)
    peer.give(1)
    peer.heard()
    peer.say(ack=1, window=300)
    peer.give(3000)
    assert peer.heard() == []
    ((us, sent),) = peer.wait(200 * MS)
    assert us == 200 * MS and (sent.at, len(sent.data)) == (1, 300)
    peer.say(ack=301, window=0)
    peer.say(ack=301, window=4000)
    assert peer.places()[:2] == [(301, MSS), (301 + MSS, MSS)]
    peer = ScapyPeer(window=600)
    peer.give(3000)
    assert peer.places() == [(0, 600)]  # more than half of all it ever had


def test_our_window_opens_by_a_segment_or_half_of_the_ring() -> None:
    peer = ScapyPeer(rings=(1, 3))
    for at in range(0, 4096, 1024):
        peer.say("A", at, data=bytes(1024))
    assert peer.heard()[-1].window == 0
    assert len(peer.taken(1000)) == 1000 and peer.heard() == []
    peer.say("A", 4096, data=b"x")
    assert [one.window for one in peer.heard()] == [0]
    assert len(peer.taken(460)) == 460
    assert [one.window for one in peer.heard()] == [1460]
    peer = ScapyPeer(rings=(0, 3))
    for at in (0, 1024):
        peer.say("A", at, data=bytes(1024))
    peer.heard()
    assert len(peer.taken(1024)) == 1024 and [one.window for one in peer.heard()] == [1024]


def test_a_lost_window_update_does_not_stop_the_peer_for_ever() -> None:
    peer = ScapyPeer(rings=(0, 3))
    for at in (0, 1024):
        peer.say("A", at, data=bytes(1024))
    peer.taken()
    assert peer.heard()[-1].window > 0  # it is lost
    peer.say("A", 2048, data=b"p")
    ((_, answer),) = peer.wait(S)
    assert answer.ack == 2049 and answer.window > 0


# ---- 36: PSH ---------------------------------------------------------------------------------------------------------


def test_the_last_segment_of_what_waits_has_psh() -> None:
    peer = ScapyPeer()
    peer.give(2500)
    assert [one.flags for one in peer.heard()][:2] == ["A", "A"]
    peer.say(ack=2000)
    assert [one.flags for one in peer.heard()] == ["PA"]


# ---- 37, 38: RFC 6298 ------------------------------------------------------------------------------------------------


def rfc6298(samples: list[float], least: float) -> float:
    """In floating point, as the RFC has it."""
    srtt, rttvar = samples[0], samples[0] / 2
    for one in samples[1:]:
        rttvar = 0.75 * rttvar + 0.25 * abs(srtt - one)
        srtt = 0.875 * srtt + 0.125 * one
    return max(srtt + max(1.0, 4 * rttvar), least)


def test_the_timeout_follows_the_round_trips() -> None:
    peer = ScapyPeer(opened=False)
    samples = [3000.0]
    peer.say("S", -1)
    peer.heard()
    peer.now += 3000
    peer.say("A")
    for number, us in enumerate((5000, 20_000, 8000, 8000, 9000, 300_000, 10_000, 10_000, 200, 200, 200)):
        peer.give(1)
        peer.heard()
        peer.now += us
        if us < peer.record.rto:
            samples.append(us)
        else:
            peer.heard()  # it was repeated: no sample (Karn)
        peer.say(ack=number + 1)
        assert peer.record.rto == pytest.approx(rfc6298(samples, 1000), rel=0.01, abs=20)


def test_the_first_timeout_is_a_second_and_a_register_has_the_least() -> None:
    peer = ScapyPeer(opened=False, settings=replace(LOCAL, least_rto_us=1_000_000))
    peer.say("S", -1)
    assert [us for us, _ in peer.wait(3 * S)] == [0, S, 3 * S]
    peer.now += 100
    peer.say("A")
    peer.give(1)
    assert [us for us, _ in peer.wait(3 * S)] == [0, 3 * S]  # the SYN was lost
    peer = ScapyPeer(settings=replace(LOCAL, least_rto_us=200_000))
    peer.give(1)
    assert [us for us, _ in peer.wait(1500 * MS)] == [0, 200 * MS, 600 * MS, 1400 * MS]


def test_a_timeout_repeats_one_segment_and_doubles_until_new_data_is_acknowledged() -> None:
    peer = lossy_peer(10)
    times = [(us, one.at, len(one.data)) for us, one in peer.wait(31 * MS)]
    assert times == [((2**number - 1) * MS, MSS, MSS) for number in range(1, 6)]
    assert peer.record.backoff == 5 and Notify.TROUBLE in peer.told()  # R1
    peer.say(ack=MSS)
    assert peer.record.backoff == 5
    peer.say(ack=2 * MSS)
    assert peer.record.backoff == 0 and peer.places() == [(2 * MSS, MSS), (3 * MSS, MSS)]  # slow start


def test_the_timer_stops_when_all_is_acknowledged_and_begins_anew_with_each_new_acknowledgement() -> None:
    peer = lossy_peer(4)
    peer.now += 900
    peer.say(ack=2 * MSS)
    assert peer.engine.deadline == peer.now + 1000
    peer.say(ack=5 * MSS)
    assert peer.engine.deadline is None


def test_the_timeout_has_a_cap_and_the_connection_an_end() -> None:
    peer = ScapyPeer()
    peer.engine.option(peer.index, "patience", 300)
    peer.give(1)
    times = [us for us, _ in peer.wait(600 * S)]
    steps = [two - one for one, two in itertools.pairwise(times)]
    assert max(steps) == 60 * S and peer.record.why == Why.TIMEOUT
    assert 300 * 1.048 * S < times[-1] < 300 * 1.049 * S + 60 * S
    peer = ScapyPeer()
    peer.give(1)
    assert peer.wait(600 * S)[-1][0] >= 100 * S  # R2


def test_a_syn_in_vain_takes_three_minutes() -> None:
    peer = ScapyPeer(engine_opens=True, opened=False)
    peer.open()
    peer.wait(180 * S)
    assert peer.state == State.SYN_SENT
    peer.wait(70 * S)
    assert peer.record.why == Why.TIMEOUT


# ---- 39: RFC 5681, 3042 ----------------------------------------------------------------------------------------------


def test_slow_start_grows_by_what_is_acknowledged_and_at_most_a_segment() -> None:
    peer = ScapyPeer(rings=(3, 6))
    peer.give(60 * MSS)
    peer.heard()
    for ack, cwnd in ((1000, 11_000), (1300, 11_300), (5300, 12_300)):
        peer.say(ack=ack)
        assert peer.record.cwnd == cwnd


def test_after_a_timeout_the_window_grows_slowly_from_half_on() -> None:
    peer = lossy_peer(10)
    peer.give(100 * MSS)
    peer.heard()
    peer.wait(3 * MS)  # twice
    flight = 11 * MSS
    assert peer.record.ssthresh == flight // 2 and peer.record.cwnd == MSS
    una = MSS
    windows = []
    for _ in range(40):
        una += MSS
        peer.say(ack=una)
        peer.heard()
        windows.append(peer.record.cwnd)
    assert windows[:5] == [2000, 3000, 4000, 5000, 6000]
    assert windows[5:12] == [6000] * 5 + [7000] * 2 and windows[-1] == 10_000  # a segment a round trip


def test_options_are_no_part_of_the_window_and_no_small_segment_follows_a_timeout() -> None:
    peer = ScapyPeer(rings=(3, 6), settings=replace(LOCAL, stamps=True), opened=False)
    stamp = [("Timestamp", (1, 0))]
    peer.say("S", -1, options=[*peer.options, *stamp])
    peer.heard()
    peer.say("A", options=stamp)
    full = MSS - 12
    peer.give(20 * full)
    assert peer.places() == [(number * full, full) for number in range(10)]
    (again,) = peer.next_deadline()
    assert (again.at, len(again.data)) == (0, full) and peer.record.cwnd == full
    peer.say("A", ack=full, options=stamp)
    assert peer.places() == [(full, full), (2 * full, full)]
    peer.say("A", ack=2 * full - 100, options=stamp)
    assert all(count == full for _, count in peer.places())


def test_the_first_two_repeats_let_new_data_go_and_the_third_the_missing_segment() -> None:
    peer = lossy_peer(10)
    peer.give(10 * MSS)
    peer.heard()
    begin = peer.record.max
    assert begin == peer.record.nxt
    sent = []
    for _ in range(3):
        peer.say(ack=MSS)
        sent.append(peer.places())
    assert sent == [[(12 * MSS, MSS)], [(13 * MSS, MSS)], [(MSS, MSS)]]
    assert peer.record.ssthresh == 11 * MSS // 2 and peer.record.cwnd == 11 * MSS // 2 + 3 * MSS


@pytest.mark.parametrize(
    ("flags", "at", "data", "window"), [("A", 0, b"x", 60_000), ("A", 0, b"", 59_000), ("FA", 0, b"", 60_000)]
)
def test_what_has_data_a_fin_or_another_window_is_no_repeat(flags: str, at: int, data: bytes, window: int) -> None:
    peer = lossy_peer(10)
    peer.say(flags, at, MSS, data, window=window)
    assert peer.record.dup_acks == 0


def test_an_idle_connection_begins_again_with_the_first_window() -> None:
    peer = lossy_peer(20, acked=15)
    peer.say(ack=35 * MSS)
    assert peer.record.cwnd > 20 * MSS
    peer.now += 2 * S
    peer.give(30 * MSS)
    assert len(peer.places()) == 10


# ---- 40: NewReno -----------------------------------------------------------------------------------------------------


def test_partial_acknowledgements_bring_the_next_hole_and_the_whole_one_ends_recovery() -> None:
    peer = lossy_peer(10)
    for _ in range(3):
        peer.say(ack=MSS)
    assert peer.places() == [(MSS, MSS)]
    peer.say(ack=3 * MSS)
    assert peer.places() == [(3 * MSS, MSS)] and peer.record.recovering
    timer = peer.record.rexmt
    peer.now += 100
    peer.say(ack=4 * MSS)
    assert peer.places() == [(4 * MSS, MSS)] and peer.record.rexmt == timer  # only the first one moved it
    peer.say(ack=11 * MSS)
    assert not peer.record.recovering and peer.record.cwnd == min(peer.record.ssthresh, 2 * MSS)
    assert peer.heard() == []


def test_repeats_of_what_a_timeout_has_sent_again_do_not_begin_a_recovery() -> None:
    peer = lossy_peer(10)
    peer.wait(1 * MS)
    peer.say(ack=2 * MSS)
    peer.heard()
    for _ in range(5):
        peer.say(ack=2 * MSS)
        peer.heard()
    assert not peer.record.recovering


# ---- 41: SACK, RFC 6675 ----------------------------------------------------------------------------------------------


def sack(*blocks: tuple[int, int]) -> list[Any]:
    """Of positions, in the option of an acknowledgement."""
    from tcp.scapy_peer import OUR_ISN

    return [
        ("NOP", None),
        ("NOP", None),
        ("SAck", tuple((OUR_ISN + 1 + one) % 2**32 for block in blocks for one in block)),
    ]


def sack_peer(count: int = 10) -> ScapyPeer:
    return lossy_peer(count, settings=replace(LOCAL, sack=True), options=(("SAckOK", b""),))


def test_only_what_the_peer_lacks_is_sent_again() -> None:
    peer = sack_peer()
    k = MSS
    peer.say(ack=k, options=sack((2 * k, 3 * k)))
    peer.say(ack=k, options=sack((4 * k, 5 * k), (2 * k, 3 * k)))
    assert peer.places() == []
    peer.say(ack=k, options=sack((6 * k, 9 * k), (4 * k, 5 * k), (2 * k, 3 * k)))
    assert peer.places() == [(k, k), (3 * k, k), (5 * k, k)]
    peer.say(ack=k, options=sack((6 * k, 11 * k), (4 * k, 5 * k), (2 * k, 3 * k)))
    assert peer.places() == []
    peer.say(ack=4 * k, options=sack((6 * k, 11 * k), (4 * k, 5 * k)))
    assert peer.places() == []
    peer.say(ack=11 * k)
    assert not peer.record.recovering and peer.record.cwnd == peer.record.ssthresh == 5 * k


def test_a_segment_is_lost_when_more_than_two_full_ones_above_it_have_come() -> None:
    peer = sack_peer()
    k = MSS
    peer.say(ack=k, options=sack((2 * k, 4 * k)))
    assert peer.places() == [] and not peer.record.recovering
    peer.say(ack=k, options=sack((2 * k, 4 * k + 1)))
    assert peer.places() == [(k, k)] and peer.record.recovering


def test_a_block_that_goes_round_the_numbers_is_none() -> None:
    peer = sack_peer()
    begin = MSS + 2**31 - 1
    peer.say(ack=MSS, options=sack((begin, begin + 2**31 - 1 - MSS)))
    assert peer.record.sacked == () and not peer.record.dup_acks


def test_repeats_that_tell_nothing_new_do_not_count() -> None:
    peer = sack_peer()
    for _ in range(9):
        peer.say(ack=MSS, options=sack((2 * MSS, 3 * MSS)))
    assert peer.record.dup_acks == 1


def test_a_loss_right_behind_a_recovery_begins_the_next_one() -> None:
    peer = sack_peer()
    k = MSS
    peer.say(ack=k, options=sack((2 * k, 5 * k)))
    peer.give(20 * k)
    assert peer.places() == [(k, k)]
    peer.say(ack=11 * k)
    assert not peer.record.recovering and peer.record.una == peer.record.recover
    assert peer.places() == [(at * k, k) for at in range(11, 16)]
    peer.say(ack=11 * k, options=sack((12 * k, 15 * k)))
    assert peer.record.recovering and peer.places()[0] == (11 * k, k)


def test_a_retransmission_is_lost_when_three_segments_sent_behind_it_have_come() -> None:
    peer = sack_peer()
    k = MSS
    peer.say(ack=k, options=sack((2 * k, 5 * k)))
    peer.give(20 * k)
    assert peer.places() == [(k, k)] and peer.record.ssthresh == 5 * k
    for at in range(6, 12):
        peer.say(ack=k, options=sack((2 * k, at * k)))
    assert peer.places() == [(at * k, k) for at in range(11, 15)]
    peer.say(ack=k, options=sack((2 * k, 13 * k)))  # two that were sent behind it
    assert peer.places() == [(15 * k, k), (16 * k, k)]
    peer.say(ack=k, options=sack((2 * k, 14 * k)))
    assert peer.places() == [(k, k)]
    assert peer.record.ssthresh == peer.record.cwnd == 5 * k // 2  # a second sign of congestion (RFC 5681, 4.3)
    peer.say(ack=k, options=sack((2 * k, 17 * k)))  # sent before the second time
    assert (k, k) not in peer.places()
    peer.say(ack=17 * k)
    assert not peer.record.recovering and peer.record.backoff == 0


@pytest.mark.parametrize("block", [(500, 900), (3000, 2000), (11_000, 90_000), (12_000, 12_000), (1000, 2000)])
def test_blocks_that_cannot_be_are_ignored(block: tuple[int, int]) -> None:
    peer = sack_peer()
    peer.say(ack=MSS, options=sack(block))
    assert peer.record.sacked == ()


def test_the_scoreboard_is_cleared_by_a_timeout_and_goes_on_then() -> None:
    peer = sack_peer()
    k = MSS
    peer.say(ack=k, options=sack((3 * k, 4 * k)))
    assert len(peer.record.sacked) == 1
    assert [(one.at, len(one.data)) for _, one in peer.wait(2 * MS)][-1] == (k, k) and peer.record.sacked == ()
    peer.say(ack=2 * k, options=sack((3 * k, 11 * k)))
    assert peer.places() == [(2 * k, k)]
    peer.say(ack=11 * k)
    assert peer.record.una == peer.record.max and peer.heard() == []


def test_a_fifth_block_costs_the_highest() -> None:
    peer = lossy_peer(12, acked=3, settings=replace(LOCAL, sack=True), options=(("SAckOK", b""),))
    for block in (11, 9, 7, 5, 13):
        peer.say(ack=3 * MSS, options=sack((block * MSS, block * MSS + 1)))
    assert len(peer.record.sacked) == 4
    assert [(begin - peer.record.una) % 2**32 for begin, _ in peer.record.sacked] == [2000, 4000, 6000, 8000]


# ---- Rings -----------------------------------------------------------------------------------------------------------


def test_a_repeated_segment_may_go_round_the_end_of_the_ring() -> None:
    peer = ScapyPeer(rings=(3, 0))
    stream = bytes(number * 7 & 255 for number in range(6000))
    done = 0
    for ack in (700, 1400, 2100, 2800, 3500):
        done += peer.engine.send(peer.index, stream[done:], peer.now)
        peer.heard()
        (again,) = peer.next_deadline()
        assert again.data == stream[again.at : again.at + len(again.data)] and again.data
        peer.say(ack=ack)
    assert done > 4096


def test_more_than_the_ring_holds_is_refused_and_so_are_steps_back() -> None:
    peer = ScapyPeer(rings=(3, 0))
    for position in (2049, -1 % 2**32, 2**31):
        assert peer.command(Op.SEND, position) == Answer.BAD_VALUE
    assert peer.command(Op.SEND, 2048) == Answer.DONE and peer.command(Op.SEND, 2048) == Answer.DONE
    for position in (2047, 2049, 2048 + 2**31 - 1, 2048 + 2**31):  # from una on, the third is negative
        assert peer.command(Op.SEND, position) == Answer.BAD_VALUE
    assert peer.command(Op.READ, 1) == Answer.BAD_VALUE
    peer.say("A", 0, data=b"ab")
    assert peer.command(Op.READ, 2) == Answer.DONE and peer.command(Op.READ, 1) == Answer.BAD_VALUE


def test_a_connection_that_waits_does_not_stop_another() -> None:
    peer = ScapyPeer(window=0)
    peer.give(3000)
    assert peer.heard() == []
    peer.say("S", 0, port=6000, window=60_000)
    assert [one.flags for one in peer.heard()] == ["SA"]
    peer.say("A", 1, port=6000, window=60_000)
    peer.heard()
    other = 2
    assert peer.engine.send(other, bytes(3000), peer.now) == 3000
    assert len(peer.heard()) == 3


@pytest.mark.parametrize("count", range(5))
def test_blocks_in_a_data_segment_leave_less_room_for_the_data(count: int) -> None:
    peer = lossy_peer(0, settings=replace(LOCAL, sack=True), options=(("SAckOK", b""),))
    for number in range(count):
        peer.say("A", 200 * number + 100, MSS, bytes(100))
    peer.heard()
    peer.give(3 * MSS)
    sent = peer.heard()[0]
    assert len(sent.blocks) == count and len(sent.data) == MSS - (4 + 8 * count if count else 0)
    assert len(sent.raw) <= 20 + MSS


def test_a_send_with_a_turn_is_the_send_and_the_turn_behind_it() -> None:
    """At records in any condition; one that is refused is no turn."""
    source = Corners(5, 16)
    given = [one for one in source.log(5000) if isinstance(one.event, Command) and one.event.op == Op.SEND]
    segments = refused = 0
    for one in given:
        assert isinstance(one.event, Command)
        alone = step(one.before, replace(one.event, turns=False), one.now, source.settings)
        both = step(one.before, replace(one.event, turns=True), one.now, source.settings)
        done = alone[1].answer == Answer.DONE
        assert both == (step(alone[0], Turn(), one.now, source.settings) if done else alone)
        segments += both[1].send is not None
        refused += not done
    assert segments > 20 and refused > 20
