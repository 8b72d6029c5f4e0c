# SPDX-License-Identifier: Apache-2.0
"""How connections end, keep-alive, urgent data, options and ICMP: docs/tcp.md, numbers 45 to 54."""

import itertools
from dataclasses import replace

import pytest
from tcp.core_replay import replay
from tcp.events import Answer, Icmp, IcmpKind, Notify, Op
from tcp.record import OPTIONS, State, Why
from tcp.scapy_peer import LOCAL, MSS, OUR_ISN, PORT, THEIR_PORT, ScapyPeer

S, MS = 1_000_000, 1000
TICK = 1024
"""us of the slow clock."""


def finish(peer: ScapyPeer, *, op: Op = Op.SHUTDOWN) -> None:
    """Our FIN goes, and is acknowledged."""
    assert peer.command(op) == Answer.DONE
    assert [one.flags for one in peer.heard()] == ["FA"]
    peer.say(ack=1)


# ---- 45: FIN and RST -------------------------------------------------------------------------------------------------


def test_the_end_of_the_stream_and_a_reset_are_told_apart() -> None:
    peer = ScapyPeer()
    peer.told()
    peer.say("FA")
    assert peer.told() == Notify.FINISHED and peer.record.why == Why.NOT
    peer = ScapyPeer()
    peer.told()
    peer.say("R")
    assert peer.told() == Notify.CLOSED and peer.record.why == Why.RESET


@pytest.mark.parametrize("given", [0, 1])
def test_a_fin_into_a_closed_window_goes_again_by_the_timer_alone(given: int) -> None:
    """It went without end, as each one that probes left the next one to send."""
    peer = ScapyPeer(window=0)
    if given:
        peer.give(given)
        assert [len(one.data) for one in peer.next_deadline()] == [1]
        peer.say(ack=given, window=0)
    assert peer.command(Op.SHUTDOWN) == Answer.DONE
    sent = [[one.flags for one in peer.heard()]]
    sent += [[one.flags for one in peer.next_deadline()] for _ in range(4)]
    assert [one for one in sent if one] == [["FA"]] * (len(sent) - sent.count([]))
    assert sent.count(["FA"]) >= 4
    peer.say(ack=given + 1, window=0)
    assert peer.state == State.FIN_WAIT_2 and peer.heard() == []
    assert not replay(peer.log, peer.engine.settings).differences


# ---- 46: half-close, close -------------------------------------------------------------------------------------------


def test_after_our_fin_the_peer_may_go_on() -> None:
    peer = ScapyPeer()
    finish(peer)
    assert peer.state == State.FIN_WAIT_2 and peer.command(Op.SEND, 5) == Answer.BAD_STATE
    peer.say("A", 0, 1, b"still here")
    assert peer.taken() == b"still here" and peer.wait(300 * S)[-1][1].ack == 10
    assert peer.state == State.FIN_WAIT_2  # with an owner it may last
    peer.say("FA", 10, 1)
    assert peer.state == State.TIME_WAIT and peer.heard()[-1].ack == 11


def test_after_the_peers_fin_we_may_go_on() -> None:
    peer = ScapyPeer()
    peer.say("FA")
    peer.give(2500)
    assert sum(len(one.data) for one in peer.heard()) == 2000
    peer.say(at=1, ack=2000)
    assert [(one.at, len(one.data), one.ack) for one in peer.heard()] == [(2000, 500, 1)]
    assert peer.command(Op.SHUTDOWN) == Answer.DONE and peer.state == State.LAST_ACK
    peer.say(at=1, ack=2500)
    assert [(one.flags, one.at) for one in peer.heard()] == [("FA", 2500)]
    peer.say(at=1, ack=2501)
    assert peer.record.why == Why.FINISHED and Notify.CLOSED in peer.told()


def test_closing_with_unread_data_resets() -> None:
    peer = ScapyPeer()
    peer.say("A", data=b"unread")
    assert peer.command(Op.CLOSE) == Answer.DONE
    assert [(one.flags, one.at) for one in peer.heard()] == [("RA", 0)] and peer.record.why == Why.ABORTED
    peer = ScapyPeer()
    assert peer.command(Op.CLOSE) == Answer.DONE
    assert [one.flags for one in peer.heard()] == ["FA"]
    peer.say("A", 0, 1, b"for nobody")
    assert [one.flags for one in peer.heard()] == ["RA"] and peer.record.why == Why.ABORTED


def test_data_that_waits_goes_before_the_fin() -> None:
    peer = ScapyPeer()
    peer.give(1500)
    peer.command(Op.SHUTDOWN)
    assert [(one.flags, one.at, len(one.data)) for one in peer.heard()] == [("A", 0, MSS), ("FPA", MSS, 500)]


# ---- 47: TIME-WAIT ---------------------------------------------------------------------------------------------------


def time_wait(**more: object) -> ScapyPeer:
    peer = ScapyPeer(**more)  # type: ignore[arg-type]
    finish(peer)
    peer.say("FA", 0, 1)
    assert peer.state == State.TIME_WAIT and peer.heard()[-1].ack == 1
    return peer


def test_time_wait_lasts_two_msl_from_the_last_fin_on() -> None:
    peer = time_wait(settings=replace(LOCAL, msl_ms=1000))
    peer.wait(1500 * TICK)
    peer.say("FA", 0, 1)
    assert [one.ack for one in peer.heard()] == [1]
    peer.wait(1990 * TICK)
    assert peer.state == State.TIME_WAIT
    peer.wait(20 * TICK)
    assert peer.record.why == Why.FINISHED and Notify.CLOSED in peer.told()
    assert peer.command(Op.RELEASE) == Answer.DONE and peer.index in peer.engine.pool


def test_the_register_of_msl_begins_with_two_minutes() -> None:
    peer = time_wait()
    peer.wait(238 * S)
    assert peer.state == State.TIME_WAIT
    peer.wait(3 * S)
    assert peer.state == State.CLOSED


def test_a_new_syn_ends_time_wait_and_opens_again() -> None:
    peer = time_wait()
    peer.say("S", -500)  # an old one
    assert peer.state == State.TIME_WAIT and peer.heard()[-1].flags == "A"
    peer.say("S", 5000)
    assert peer.state == State.CLOSED and Notify.CLOSED in peer.told()
    assert [(one.flags, one.ack) for one in peer.heard()] == [("SA", 5001)]
    assert peer.engine.records[2].state == State.SYN_RCVD


def test_with_timestamps_a_new_syn_needs_a_newer_one() -> None:
    peer = ScapyPeer(settings=replace(LOCAL, stamps=True), options=(("Timestamp", (1000, 0)),), opened=False)
    peer.say("S", -1)
    peer.heard()
    stamp = [("Timestamp", (1000, 0))]
    peer.say("A", options=stamp)
    peer.command(Op.SHUTDOWN)
    peer.heard()
    peer.say("FA", 0, 1, options=stamp)
    assert peer.state == State.TIME_WAIT
    peer.heard()
    peer.say("S", 5000, options=stamp)
    assert peer.state == State.TIME_WAIT
    peer.say("S", -5000, options=[("Timestamp", (1001, 0))])
    assert peer.state == State.CLOSED


@pytest.mark.parametrize(("at", "state"), [(1, State.CLOSED), (2, State.TIME_WAIT), (0, State.TIME_WAIT)])
def test_the_exact_reset_ends_time_wait(at: int, state: State) -> None:
    peer = time_wait()
    peer.say("R", at)
    assert peer.state == state


# ---- 48, 49: simultaneous close, FIN-WAIT-2 --------------------------------------------------------------------------


def test_both_may_close_at_once_and_a_fin_is_repeated() -> None:
    peer = ScapyPeer()
    peer.command(Op.SHUTDOWN)
    assert [(one.flags, one.at) for one in peer.heard()] == [("FA", 0)]
    assert [(one.flags, one.at) for _, one in peer.wait(1 * MS)] == [("FA", 0)]
    peer.say("FA", 0, 0)
    assert peer.state == State.CLOSING
    peer.heard()
    peer.say("A", 1, 1)
    assert peer.state == State.TIME_WAIT


def test_fin_wait_2_ends_when_nobody_reads() -> None:
    peer = ScapyPeer()
    finish(peer, op=Op.CLOSE)
    peer.wait(55 * S)
    assert peer.state == State.FIN_WAIT_2
    peer.wait(10 * S)
    assert peer.record.why == Why.TIMEOUT
    peer = ScapyPeer()
    finish(peer)
    peer.wait(500 * S)
    assert peer.command(Op.CLOSE) == Answer.DONE and peer.state == State.FIN_WAIT_2
    peer.wait(65 * S)
    assert peer.state == State.CLOSED


def test_the_same_ends_may_be_opened_again_and_again() -> None:
    peer = ScapyPeer(opened=False, settings=replace(LOCAL, msl_ms=10))
    for number in range(12):
        base = 10_000 * number
        peer.index = 1 + number % 4
        peer.say("S", base - 1)
        assert [one.flags for one in peer.heard()] == ["SA"]
        peer.say("A", base)
        peer.command(Op.ACCEPT)
        peer.say("A", base, data=b"hello")
        assert peer.taken() == b"hello"
        assert peer.command(Op.CLOSE) == Answer.DONE
        peer.heard()
        peer.say("FA", base + 5, 1)
        peer.wait(100 * MS)
        assert peer.state == State.CLOSED and peer.command(Op.RELEASE) == Answer.DONE
    assert len(peer.engine.pool) == 4 and peer.engine.records[0].children == 0 and not peer.engine.table


# ---- 50: keep-alive --------------------------------------------------------------------------------------------------


def test_keep_alive_is_off_at_first_and_at_least_two_hours() -> None:
    peer = ScapyPeer()
    assert peer.engine.deadline is None and peer.wait(90_000 * S) == []
    peer.engine.option(peer.index, "keep_on", 1, peer.now)
    ((us, probe),) = peer.wait(7270 * S)
    assert 7200 * S <= us < 7202 * S and (probe.at, probe.data, probe.flags) == (-1, b"", "A")


def test_only_an_idle_connection_is_asked_and_several_lost_probes_end_it() -> None:
    peer = ScapyPeer()
    assert peer.engine.option(peer.index, "keep_on", 1, peer.now) == Answer.DONE
    assert peer.engine.option(peer.index, "keep_idle", 10, peer.now) == Answer.DONE
    for at in range(3):
        assert all(one.at == 0 for _, one in peer.wait(9 * S))
        peer.say("A", at, data=b"x")
    peer.heard()
    sent = [(us, one.flags) for us, one in peer.wait(1000 * S) if one.flags != "A" or one.at == -1]
    probes = [us for us, flags in sent if flags == "A"]
    assert len(probes) == 9 and 10 * S < probes[0] < 11 * S
    assert all(74 * S < two - one < 76 * S for one, two in itertools.pairwise(probes))
    assert sent[-1][1] == "RA" and peer.record.why == Why.TIMEOUT


def test_an_answer_to_keep_alive_begins_it_anew_and_the_peers_is_answered() -> None:
    peer = ScapyPeer()
    peer.engine.option(peer.index, "keep_on", 1, peer.now)
    peer.engine.option(peer.index, "keep_idle", 10, peer.now)
    for _ in range(20):
        assert [one.at for _, one in peer.wait(11 * S)] == [-1]
        peer.say()
        assert peer.heard() == []
    peer.say("A", -1)
    assert [(one.at, one.ack) for one in peer.heard()] == [(0, 0)]


def test_keep_alive_does_not_ask_while_data_is_on_its_way() -> None:
    peer = ScapyPeer(settings=replace(LOCAL, least_rto_us=30 * S, first_rto_us=30 * S))
    peer.engine.option(peer.index, "keep_on", 1, peer.now)
    peer.engine.option(peer.index, "keep_idle", 10, peer.now)
    peer.give(1)
    assert [us for us, _ in peer.wait(40 * S)] == [0, 30 * S]


# ---- 51: urgent ------------------------------------------------------------------------------------------------------


def test_urgent_data_is_told_at_once_and_how_much_it_is() -> None:
    peer = ScapyPeer()
    peer.told()
    peer.say("AU", 0, data=b"ab", urgptr=5000)
    assert Notify.URGENT in peer.told()
    assert (peer.record.rcv_up - peer.record.rcv_read) % 2**32 == 5000  # of any length
    assert peer.taken() == b"ab" and (peer.record.rcv_up - peer.record.rcv_read) % 2**32 == 4998
    peer.say("AU", 2, data=b"c", urgptr=4998)
    assert Notify.URGENT not in peer.told()
    peer.say("AU", 3, data=b"d", urgptr=5000)
    assert Notify.URGENT in peer.told()


def test_our_urgent_pointer_is_the_octet_behind() -> None:
    peer = ScapyPeer()
    peer.give(1500, urgent=True)
    assert [(one.flags, one.urgent) for one in peer.heard()] == [("AU", 1500)]
    peer.say(ack=1000)
    assert [(one.flags, one.urgent) for one in peer.heard()] == [("PAU", 500)]
    peer.say(ack=1500)
    peer.give(1)
    assert [(one.flags, one.urgent) for one in peer.heard()] == [("PA", 0)]


# ---- 52: options of the application ----------------------------------------------------------------------------------


def test_options_are_checked_and_inherited_from_the_listener() -> None:
    peer = ScapyPeer(opened=False)
    for name, value in (("ttl", 0), ("ttl", 256), ("dscp", 64), ("mtu", 100), ("nagle_off", 2)):
        assert peer.engine.option(0, name, value) == Answer.BAD_VALUE
    assert peer.engine.command(0, Op.OPTION, 0, len(OPTIONS), 0) == Answer.BAD_VALUE
    assert peer.engine.option(0, "ttl", 9) == Answer.DONE and peer.engine.option(0, "dscp", 46) == Answer.DONE
    peer.say("S", -1)
    peer.heard()
    peer.say("A")
    assert (peer.record.ttl, peer.record.dscp) == (9, 46)
    assert ScapyPeer().record.ttl == 64


def test_commands_in_the_wrong_state_are_answered_so() -> None:
    peer = ScapyPeer()
    for op in (Op.SETUP, Op.OPEN, Op.LISTEN, Op.ACCEPT, Op.RELEASE):
        assert peer.command(op) == Answer.BAD_STATE
    idle = 5
    for op in (Op.ACCEPT, Op.SEND, Op.READ, Op.SHUTDOWN, Op.CLOSE, Op.ABORT, Op.RELEASE):
        assert peer.engine.command(idle, op, peer.now) == Answer.BAD_STATE
    pooled = 3
    for op in (Op.SETUP, Op.OPEN, Op.LISTEN):
        assert peer.engine.command(pooled, op, peer.now) == Answer.BAD_STATE
    assert peer.command(Op.SHUTDOWN) == Answer.DONE and peer.command(Op.SHUTDOWN) == Answer.BAD_STATE


# ---- 54: ICMP --------------------------------------------------------------------------------------------------------

ENDS = ((bytes((10, 0, 0, 2)), PORT), (bytes((10, 0, 0, 1)), THEIR_PORT))


def test_soft_errors_are_told_and_never_abort() -> None:
    peer = ScapyPeer()
    peer.give(100)
    peer.heard()
    peer.told()
    for kind in (IcmpKind.SOFT, IcmpKind.HARD):
        peer.engine.icmp(ENDS, Icmp(kind, (OUR_ISN + 1) % 2**32, 0x31), peer.now)
        assert peer.told() == Notify.SOFT and peer.state == State.ESTABLISHED and peer.record.soft_error == 0x31
    peer.engine.option(peer.index, "quiet", 1)
    peer.engine.icmp(ENDS, Icmp(IcmpKind.SOFT, (OUR_ISN + 1) % 2**32, 0x31), peer.now)
    assert peer.told() == 0


def test_an_error_about_what_is_not_on_its_way_is_ignored() -> None:
    peer = ScapyPeer()
    peer.give(100)
    peer.heard()
    peer.told()
    for at in (-1, 100, 5000):
        for kind in IcmpKind:
            peer.engine.icmp(ENDS, Icmp(kind, (OUR_ISN + 1 + at) % 2**32, 0x31, 600), peer.now)
    assert peer.told() == 0 and peer.record.snd_mss == MSS


def test_a_hard_error_ends_an_opening() -> None:
    peer = ScapyPeer(engine_opens=True, opened=False)
    peer.open()
    peer.heard()
    peer.engine.icmp(ENDS, Icmp(IcmpKind.SOFT, OUR_ISN, 0x30), peer.now)
    assert peer.state == State.SYN_SENT
    peer.engine.icmp(ENDS, Icmp(IcmpKind.HARD, OUR_ISN, 0x33), peer.now)
    assert peer.record.why == Why.UNREACHABLE and Notify.CLOSED in peer.told()


@pytest.mark.parametrize(("mtu", "mss"), [(900, 860), (552, 512), (68, 512), (0, 512), (1500, MSS)])
def test_a_smaller_path_mtu_is_used_at_once_but_not_below_552(mtu: int, mss: int) -> None:
    peer = ScapyPeer()
    peer.give(2 * MSS)
    peer.heard()
    peer.engine.icmp(ENDS, Icmp(IcmpKind.TOO_BIG, (OUR_ISN + 1) % 2**32, 0x34, mtu), peer.now)
    assert peer.record.snd_mss == mss
    assert peer.places() == ([] if mss == MSS else [(at, min(mss, 2 * MSS - at)) for at in range(0, 2 * MSS, mss)])
    assert peer.record.cwnd > 5 * MSS


def fragile(peer: ScapyPeer) -> set[bool]:
    """Whether routers must not fragment what the engine has sent since the last call, and sends now."""
    peer.heard()
    found = {one.actions.send.df for one in peer.log if one.actions.send is not None}
    peer.log.clear()
    return found


@pytest.mark.parametrize("mtu", [551, 296, 68, 0])
def test_below_552_routers_may_fragment_and_all_is_sent_again(mtu: int) -> None:
    peer = ScapyPeer()
    peer.give(2 * MSS)
    assert fragile(peer) == {True}
    peer.engine.icmp(ENDS, Icmp(IcmpKind.TOO_BIG, (OUR_ISN + 1) % 2**32, 0x34, 552), peer.now)
    assert fragile(peer) == {True}
    peer.engine.icmp(ENDS, Icmp(IcmpKind.TOO_BIG, (OUR_ISN + 1) % 2**32, 0x34, mtu), peer.now)
    assert peer.record.snd_mss == 512 and peer.record.nxt == peer.record.una
    assert fragile(peer) == {False}
    peer.engine.icmp(ENDS, Icmp(IcmpKind.TOO_BIG, (OUR_ISN + 1) % 2**32, 0x34, mtu), peer.now)
    assert fragile(peer) == set(), "the same error again brings nothing"
    peer.say("A", ack=2 * MSS)
    peer.give(100)
    assert fragile(peer) == {False}, "it stays so"


def test_small_segments_may_be_fragmented_too_where_the_path_takes_less() -> None:
    peer = ScapyPeer(mss=300)
    peer.give(600)
    assert fragile(peer) == {True}
    peer.engine.icmp(ENDS, Icmp(IcmpKind.TOO_BIG, (OUR_ISN + 1) % 2**32, 0x34, 296), peer.now)
    assert peer.record.snd_mss == 300 and fragile(peer) == {False}


def test_the_next_connection_is_not_fragmented() -> None:
    peer = ScapyPeer(engine_opens=True)
    peer.give(600)
    assert fragile(peer) == {True}
    peer.engine.icmp(ENDS, Icmp(IcmpKind.TOO_BIG, (OUR_ISN + 1) % 2**32, 0x34, 296), peer.now)
    assert fragile(peer) == {False}
    peer.command(Op.ABORT)
    peer.command(Op.RELEASE)
    assert fragile(peer) == {False}
    assert peer.open() == Answer.DONE
    assert fragile(peer) == {True}
