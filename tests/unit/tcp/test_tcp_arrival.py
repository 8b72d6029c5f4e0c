# SPDX-License-Identifier: Apache-2.0
"""What arrives at an open connection: docs/tcp.md, numbers 17 to 29, 43, 44 and the receiver's half of 41."""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest
from runs import seeds
from tcp.core_replay import replay
from tcp.events import Drop, Notify, Op
from tcp.record import GAPS, Record, State, Why
from tcp.scapy_peer import LOCAL, ScapyPeer

S = 1_000_000
WINDOW = 16384
"""Of the engine, with its usual ring here."""


def shut_peer() -> ScapyPeer:
    """Its receive ring is full."""
    peer = ScapyPeer(rings=(0, 3))
    for at in (0, 1024):
        peer.say("A", at, data=bytes(1024))
    assert peer.heard()[-1].window == 0
    return peer


# ---- 17: the window test, four cases ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "length", "taken"),
    [
        (0, 0, True),
        (WINDOW - 1, 0, True),
        (WINDOW, 0, True),
        (-1, 0, False),
        (WINDOW + 1, 0, False),
        (-5, 5, False),
        (-5, 6, True),
        (WINDOW, 1, False),
        (WINDOW - 1, 9, True),
    ],
)
def test_a_segment_is_in_the_window_or_answered_and_dropped(at: int, length: int, taken: bool) -> None:
    peer = ScapyPeer()
    peer.give(10)
    peer.heard()
    peer.say("A", at, 10, bytes(length))
    assert (peer.record.una == peer.record.max) == taken
    if not taken:
        (answer,) = peer.heard()
        assert (answer.flags, answer.ack, answer.data) == ("A", 0, b"")


def test_a_closed_window_takes_acknowledgements_urgency_and_resets_but_no_text() -> None:
    peer = shut_peer()
    peer.give(10)
    peer.heard()
    peer.say("AU", 2048, 10, b"x", urgptr=30)
    assert peer.record.una == peer.record.max and Notify.URGENT in peer.told()
    assert [(one.ack, one.window) for one in peer.heard()] == [(2048, 0)] and len(peer.taken()) == 2048
    peer = shut_peer()
    peer.say("A", 2049, 0, b"x")
    assert peer.heard()[-1].ack == 2048
    peer.say("R", 2048)
    assert peer.record.why == Why.RESET


def test_an_acknowledgement_at_the_right_edge_is_taken_and_nothing_else_there() -> None:
    """That of a peer which has filled the window and whose first segment was lost."""
    for flags, at, data, taken in (
        ("A", 2048, b"", True),
        ("A", 2049, b"", False),
        ("A", 2048, b"x", False),
        ("FA", 2048, b"", False),
        ("SA", 2048, b"", False),
        ("RA", 2048, b"", False),
    ):
        peer = ScapyPeer(rings=(0, 3))
        peer.give(10)
        peer.say("A", 1000, data=bytes(1000))
        peer.say("A", 2000, data=bytes(48))
        peer.heard()
        before = peer.record
        peer.say(flags, at, 10, data, window=7)
        r = peer.record
        assert (r.una == r.max, r.snd_wnd == 7) == (taken, taken), (flags, at, data)
        assert (r.state, r.rcv_nxt, r.rcv_edge, r.held) == (before.state, before.rcv_nxt, before.rcv_edge, before.held)
        assert not r.fin_seen and peer.taken() == b""
        assert replay(peer.log, LOCAL).differences == []


def test_a_bare_fin_into_a_closed_window_is_taken_and_one_behind_data_is_not() -> None:
    """It needs no room in the ring, and nobody has to wait for the application to read."""
    peer = shut_peer()
    peer.say("FA", 2048, 0, b"x")
    peer.say("FA", 2049)
    assert peer.state == State.ESTABLISHED and [one.ack for one in peer.heard()] == [2048]
    peer.say("FA", 2048)
    assert peer.state == State.CLOSE_WAIT and [(one.ack, one.window) for one in peer.heard()] == [(2049, 0)]
    assert Notify.FINISHED in peer.told()
    peer.say("A", 2049, data=b"more")
    assert peer.taken() == bytes(2048) and peer.record.rcv_read == peer.record.rcv_fin
    assert replay(peer.log, LOCAL).differences == []


def test_an_unacceptable_reset_is_not_answered() -> None:
    peer = ScapyPeer()
    peer.say("R", -1)
    peer.say("R", WINDOW + 1)
    assert peer.heard() == [] and peer.state == State.ESTABLISHED and peer.log[-2].actions.drop == Drop.BAD_RESET


# ---- 18: edges, what is ahead ----------------------------------------------------------------------------------------


def test_both_edges_are_trimmed() -> None:
    peer = ScapyPeer(rings=(0, 3))
    peer.say("A", 0, data=b"a" * 100)
    peer.say("A", 50, data=b"b" * 100)
    peer.say("A", 150, data=b"c" * 3000)
    assert peer.heard()[-1].ack == 2048 and peer.taken() == b"a" * 100 + b"b" * 50 + b"c" * 1898


def test_what_is_ahead_is_held_and_the_first_copy_of_a_byte_stays() -> None:
    peer = ScapyPeer()
    peer.say("A", 10, data=b"1" * 10)
    peer.say("A", 30, data=b"3" * 10)
    peer.say("A", 5, data=b"x" * 30)  # new are 5 to 9 only, then 20 to 29
    peer.say("A", 15, data=b"y" * 30)
    peer.say("A", 0, data=b"z" * 12)
    assert peer.heard()[-1].ack == 40
    assert peer.taken() == b"z" * 5 + b"x" * 5 + b"1" * 10 + b"y" * 10 + b"3" * 10


@pytest.mark.parametrize("order", list(itertools.permutations(range(5)))[::7])
def test_four_gaps_in_any_order_lose_nothing(order: tuple[int, ...]) -> None:
    peer = ScapyPeer()
    for piece in order:
        peer.say("A", 200 * piece + 100, data=bytes((65 + piece,)) * 100)
        held = {200 * one + 100 for one in order[: order.index(piece) + 1]}
        assert len(peer.record.held) == min(len(held), GAPS)
    assert peer.log[-1].actions.drop == Drop.NO_GAP
    lost = order[-1]
    for piece in range(5):
        peer.say("A", 200 * piece, data=b"." * 100)
        if piece == lost:
            peer.say("A", 200 * piece + 100, data=bytes((65 + piece,)) * 100)
    assert peer.taken() == b"".join(b"." * 100 + bytes((65 + piece,)) * 100 for piece in range(5))


@pytest.mark.parametrize("seed", seeds(12, 300))
def test_any_order_and_cut_of_a_stream_gives_the_stream(seed: int) -> None:
    rng = random.Random(seed)
    peer = ScapyPeer(rings=(0, 1))
    stream = rng.randbytes(3 * 2048)
    done = 0
    for _ in range(4000):
        at = max(done + rng.randint(-600, 2500), 0)
        data = stream[at : at + rng.randint(1, 700)]
        if rng.random() < 0.3:
            at = done
            data = stream[at : at + rng.randint(1, 300)]
        if data:
            peer.say("A", at, data=data)
        peer.heard()
        got = peer.taken(rng.randint(0, 900))
        assert got == stream[done : done + len(got)]
        done = done + len(got)
        if done == len(stream):
            return
    raise AssertionError("it does not come to the end")


# ---- 19, 23: order, FIN ----------------------------------------------------------------------------------------------


def test_a_fin_waits_for_the_data_in_front_of_it_and_text_behind_it_is_ignored() -> None:
    peer = ScapyPeer()
    peer.say("FA", 10, data=b"yz")
    peer.say("A", 12, data=b"behind")
    assert peer.state == State.ESTABLISHED and not peer.told() & Notify.FINISHED
    peer.say("A", 0, data=b"0123456789")
    assert peer.state == State.CLOSE_WAIT and Notify.FINISHED in peer.told()
    assert peer.heard()[-1].ack == 13 and peer.taken() == b"0123456789yz"
    peer.say("A", 13, data=b"more")
    assert peer.heard()[-1].ack == 13 and peer.taken() == b""


def test_a_fin_in_front_of_held_data_is_not_believed() -> None:
    peer = ScapyPeer()
    peer.say("A", 100, data=b"x" * 10)
    peer.say("FA", 50)
    peer.say("A", 0, data=b"a" * 100)
    assert peer.state == State.ESTABLISHED and len(peer.taken()) == 110


def test_a_segment_is_looked_at_in_the_order_of_the_rfc() -> None:
    peer = ScapyPeer()
    peer.give(5)
    peer.heard()
    peer.say("RSAF", 0, 5, b"abc")  # the reset before all else
    assert peer.record.why == Why.RESET and peer.taken() == b""
    peer = ScapyPeer()
    peer.give(5)
    peer.heard()
    peer.say("SAF", 0, 5, b"abc")  # the SYN before acknowledgement and text
    assert peer.state == State.ESTABLISHED and peer.record.una != peer.record.max and peer.taken() == b""
    peer.say("FAU", 0, 5, b"abc", urgptr=3)
    assert peer.record.una == peer.record.max and peer.taken() == b"abc" and peer.state == State.CLOSE_WAIT
    assert {Notify.URGENT, Notify.FINISHED, Notify.READABLE} <= set(peer.told())


def test_text_without_an_acknowledgement_is_dropped() -> None:
    peer = ScapyPeer()
    peer.say("", 0, data=b"abc")
    assert peer.heard() == [] and peer.taken() == b""


# ---- 21, 22, 24: acknowledgements ------------------------------------------------------------------------------------


def test_an_older_segment_does_not_change_the_window() -> None:
    peer = ScapyPeer()
    peer.say("A", 10, data=b"x", window=5000)
    assert peer.record.snd_wnd == 5000
    peer.say("A", 5, data=b"y", window=100)
    assert peer.record.snd_wnd == 5000
    peer.say("A", 10, data=b"x", window=7000)
    assert peer.record.snd_wnd == 7000
    peer.give(3000)
    peer.heard()
    peer.say("A", 11, 3000, window=6000)
    peer.say("A", 11, 1000, window=9000)  # the same number, an older acknowledgement
    assert peer.record.snd_wnd == 6000


def test_an_acknowledgement_of_what_was_not_sent_is_answered_and_dropped() -> None:
    peer = ScapyPeer()
    peer.give(100)
    peer.heard()
    peer.say("A", 0, 101, b"data")
    (answer,) = peer.heard()
    assert answer.ack == 0 and peer.taken() == b"" and peer.record.una != peer.record.max


def test_one_acknowledgement_answers_what_has_come_meanwhile() -> None:
    peer = ScapyPeer()
    for number in range(6):
        peer.say("A", 100 * number, data=bytes(100))
    assert [one.ack for one in peer.heard()] == [600]


# ---- 25, 26 to 29: resets, RFC 5961 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"why"])
def test_the_exact_reset_ends_the_connection_even_with_data(data: bytes) -> None:
    peer = ScapyPeer()
    peer.say("R", 0, data=data)
    assert peer.record.why == Why.RESET and Notify.CLOSED in peer.told() and peer.heard() == []


@pytest.mark.parametrize(("flags", "at"), [("R", 1), ("R", WINDOW - 1), ("S", 0), ("S", 50), ("S", -5000), ("SA", -1)])
def test_resets_beside_the_mark_and_syns_get_a_challenge(flags: str, at: int) -> None:
    peer = ScapyPeer()
    peer.say(flags, at)
    (answer,) = peer.heard()
    assert (answer.flags, answer.at, answer.ack) == ("A", 0, 0) and peer.state == State.ESTABLISHED


@pytest.mark.parametrize(("ack", "good"), [(0, True), (-65535, True), (-65537, False), (1, False)])
def test_an_acknowledgement_that_is_too_old_is_answered_and_dropped(ack: int, good: bool) -> None:
    peer = ScapyPeer()
    peer.say("A", 0, ack, b"data")
    peer.wait(S)
    assert peer.taken() == (b"data" if good else b"")


def test_challenges_are_limited_for_each_connection() -> None:
    peer = ScapyPeer()
    peer.say("S", 0, port=6000)
    peer.say("A", 1, port=6000)
    peer.heard()
    answers = 0
    for _ in range(50):
        peer.say("S", 0)
        answers += len(peer.heard())
    assert answers == 10
    peer.say("S", 0, port=6000)
    assert len(peer.heard()) == 1  # no channel from one to the other
    peer.wait(6 * S)
    peer.say("S", 0)
    assert len(peer.heard()) == 1


def test_a_pure_acknowledgement_is_not_answered() -> None:
    peer = shut_peer()
    for _ in range(10):
        peer.say("A", 2048, 0, window=0)
    assert peer.heard() == []


# ---- 35: when acknowledgements go ------------------------------------------------------------------------------------


def test_every_second_segment_is_acknowledged_at_once_and_a_single_one_after_a_while() -> None:
    peer = ScapyPeer()
    peer.say("A", 0, data=bytes(1000))
    assert peer.heard() == []
    peer.say("A", 1000, data=bytes(1000))
    assert [one.ack for one in peer.heard()] == [2000]
    peer.say("A", 2000, data=bytes(1000))
    ((us, answer),) = peer.wait(S)
    assert us == 40_000 and answer.ack == 3000


def test_what_comes_out_of_order_and_what_fills_a_gap_is_acknowledged_at_once() -> None:
    peer = ScapyPeer()
    for at in (1000, 3000, 2000):
        peer.say("A", at, data=bytes(1000))
        assert [one.ack for one in peer.heard()] == [0]
    peer.say("A", 0, data=bytes(1000))
    assert [one.ack for one in peer.heard()] == [4000]


def test_15_segments_from_a_filled_gap_on_are_acknowledged_one_by_one() -> None:
    peer = ScapyPeer(rings=(6, 3))
    peer.say("A", 1000, data=bytes(1000))
    peer.heard()
    peer.say("A", 0, data=bytes(1000))
    found = [len(peer.heard())]
    for at in range(2, 20):
        peer.say("A", at * 1000, data=bytes(1000))
        found.append(len(peer.heard()))
    assert found == [1] * 15 + [0, 1, 0, 1]


def test_one_segment_has_at_most_one_acknowledgement() -> None:
    peer = ScapyPeer()
    for at in (500, 500, 100, 0, 300, 0):
        peer.say("FA" if at == 500 else "A", at, data=bytes(100))
        assert len(peer.heard()) <= 1
    assert [one for _, one in peer.wait(S)] == []


def test_data_carries_the_acknowledgement() -> None:
    peer = ScapyPeer()
    peer.say("A", 0, data=bytes(1000))
    peer.give(10)
    assert [(one.ack, len(one.data)) for one in peer.heard()] == [(1000, 10)]
    peer.say("A", 1000, 10)
    assert peer.wait(S) == []


def test_acknowledgements_may_be_asked_for_at_once() -> None:
    peer = ScapyPeer()
    peer.engine.option(peer.index, "ack_at_once", 1)
    peer.say("A", 0, data=b"x")
    assert [one.ack for one in peer.heard()] == [1]


# ---- 41: the receiver's half -----------------------------------------------------------------------------------------


def sack_peer(stamps: bool = False) -> ScapyPeer:
    options: list[Any] = [("SAckOK", b"")]
    if stamps:
        options.append(("Timestamp", (1, 0)))
    settings = replace(LOCAL, sack=True, stamps=stamps)
    peer = ScapyPeer(settings=settings, opened=False, options=tuple(options))
    peer.say("S", -1)
    (peer.answer,) = peer.heard()
    peer.say("A", options=[("Timestamp", (1, 1))] if stamps else ())
    return peer


def test_selective_acknowledgement_is_permitted_in_the_syn_only_and_if_asked_for() -> None:
    assert "SAckOK" in sack_peer().answer.options
    peer = ScapyPeer(settings=replace(LOCAL, sack=True))
    assert "SAckOK" not in peer.answer.options
    peer.say("A", 100, data=b"x")
    assert peer.heard()[-1].blocks == []


@pytest.mark.parametrize(("stamps", "most"), [(False, 4), (True, 3)])
def test_blocks_are_told_newest_first(stamps: bool, most: int) -> None:
    peer = sack_peer(stamps)
    options = [("Timestamp", (1, 1))] if stamps else ()
    blocks: list[tuple[int, int]] = []
    for at in (3000, 1000, 5000, 7000):
        peer.say("A", at, data=bytes(100), options=options)
        blocks.insert(0, (at, at + 100))
        assert peer.heard()[-1].blocks == blocks[:most]
    peer.say("A", 1100, data=bytes(50), options=options)
    assert peer.heard()[-1].blocks == [(1000, 1150), (7000, 7100), (5000, 5100), (3000, 3100)][:most]
    peer.say("A", 5000, data=bytes(10), options=options)  # a copy
    assert peer.heard()[-1].blocks == [(5000, 5100), (1000, 1150), (7000, 7100), (3000, 3100)][:most]
    peer.say("A", 0, data=bytes(1000), options=options)
    (answer,) = peer.heard()
    assert answer.ack == 1150 and answer.blocks == [(5000, 5100), (7000, 7100), (3000, 3100)]


# ---- 43, 44: RFC 7323 ------------------------------------------------------------------------------------------------


def stamp_peer(value: int = 1000) -> ScapyPeer:
    peer = ScapyPeer(settings=replace(LOCAL, stamps=True), opened=False, options=(("Timestamp", (value, 0)),))
    peer.say("S", -1)
    (peer.answer,) = peer.heard()
    peer.say("A", options=[("Timestamp", (value, 0))])
    return peer


@pytest.mark.parametrize(
    ("offered", "ring", "answered", "window"),
    [(None, 7, None, 65535), (0, 7, 2, 65535 * 4), (3, 5, 0, 65535), (20, 6, 1, 131070)],
)
def test_windows_are_scaled_if_the_peer_offers_it(
    offered: int | None, ring: int, answered: int | None, window: int
) -> None:
    options = () if offered is None else (("WScale", offered),)
    peer = ScapyPeer(settings=replace(LOCAL, scale=True), rings=(ring, 3), options=options, window=5)
    assert peer.answer.options.get("WScale") == answered and peer.answer.window == 65535  # that of a SYN is not scaled
    peer.say("A", data=b"x", window=7)
    assert peer.record.snd_wnd == 7 << min(offered or 0, 14)
    ((_, answer),) = peer.wait(S)
    assert answer.window << (answered or 0) <= window and answer.window << (answered or 0) >= window - 4


def test_our_offer_of_scaling_is_used_only_if_it_is_answered() -> None:
    settings = replace(LOCAL, scale=True)
    peer = ScapyPeer(engine_opens=True, settings=settings, rings=(7, 3))
    assert not peer.record.scale_ok and peer.record.rcv_scale == 0
    peer = ScapyPeer(engine_opens=True, settings=settings, rings=(7, 3), options=(("WScale", 5),))
    assert peer.record.snd_scale == 5 and peer.record.rcv_scale == 2


def test_agreed_timestamps_are_in_all_segments_but_resets_and_echo_the_peer() -> None:
    peer = stamp_peer()
    assert peer.answer.options["Timestamp"][1] == 1000
    peer.say("A", data=b"x", options=[("Timestamp", (1005, 1))])
    peer.give(10)
    (sent,) = peer.heard()
    assert sent.options["Timestamp"] == ((peer.record.ts_offset + (peer.now >> 10)) % 2**32, 1005)
    peer.command(Op.ABORT)
    assert [(one.flags, one.options) for one in peer.heard()] == [("RA", {})]
    assert "Timestamp" not in ScapyPeer(settings=replace(LOCAL, stamps=True)).answer.options


def test_an_older_timestamp_is_answered_and_dropped_but_not_that_of_a_reset() -> None:
    peer = stamp_peer()
    peer.say("A", data=b"old", options=[("Timestamp", (999, 0))])
    assert [one.ack for one in peer.heard()] == [0] and peer.log[-2].actions.drop == Drop.OLD_STAMP
    peer.say("A", data=b"new", options=[("Timestamp", (1000, 0))])
    assert peer.taken() == b"new"
    peer.say("R", 3, options=[("Timestamp", (1, 0))])
    assert peer.record.why == Why.RESET


def test_timestamps_go_round_the_end_of_32_bits() -> None:
    peer = stamp_peer(2**32 - 2)
    peer.say("A", data=b"a", options=[("Timestamp", (3, 0))])
    peer.say("A", 1, data=b"b", options=[("Timestamp", (2**32 - 1, 0))])
    assert peer.taken() == b"a"


def test_the_timestamp_is_taken_from_what_the_last_acknowledgement_asked_for() -> None:
    peer = stamp_peer()
    peer.say("A", 100, data=b"ahead", options=[("Timestamp", (1010, 0))])
    assert peer.heard()[-1].options["Timestamp"][1] == 1000
    peer.say("A", 0, data=bytes(100), options=[("Timestamp", (1007, 0))])
    assert peer.heard()[-1].options["Timestamp"][1] == 1007


def test_a_timestamp_is_void_after_24_days_and_a_missing_one_is_dropped() -> None:
    peer = stamp_peer()
    peer.say("A", data=b"none")
    assert peer.heard() == [] and peer.taken() == b"" and peer.log[-1].actions.drop == Drop.NO_STAMP
    peer.now += 23 * 86400 * S
    peer.say("A", data=b"old", options=[("Timestamp", (900, 0))])
    assert peer.taken() == b""
    peer.now += 2 * 86400 * S
    peer.say("A", data=b"young again", options=[("Timestamp", (900, 0))])
    assert peer.taken() == b"young again"


# ---- What is discarded changes nothing that is believed of the peer (RFC 5961, 5.2) ----------------------------------

DAY = 86400 * S
OURS_TO_ANSWER = {"ack_now", "ack_each", "challenges", "challenged"}
"""What a discarded segment may change: that it is answered, and how many were."""
STAMP, FORGED, OLD = 1000, 2_000_000, 900


def changed(before: Record, after: Record) -> set[str]:
    """Fields of the record that differ, but for those of answers."""
    names = {one.name for one in fields(Record) if getattr(before, one.name) != getattr(after, one.name)}
    return names - OURS_TO_ANSWER


def believing_peer() -> ScapyPeer:
    """With all that is believed of a peer: time stamps, blocks, a window, keep-alive; data are on their way."""
    options = (("SAckOK", b""), ("Timestamp", (STAMP, 0)))
    settings = replace(LOCAL, stamps=True, sack=True)
    peer = ScapyPeer(settings=settings, opened=False, options=options)
    peer.say("S", -1)
    peer.heard()
    peer.say("A", options=[("Timestamp", (STAMP, 0))])
    peer.engine.option(peer.index, "keep_on", 1, peer.now)
    peer.give(3000)
    assert len(peer.heard()) >= 3
    peer.say("A", 100, 500, bytes(50), options=[("Timestamp", (STAMP, 0))])
    peer.heard()
    assert peer.record.held and peer.record.idle_on and peer.record.una != peer.record.max
    peer.now += 5 * S
    return peer


@dataclass(frozen=True)
class Discarded:
    """A segment of no effect."""

    flags: str
    at: int = 0
    ack: int = 1500
    data: bytes = b""
    stamp: int | None = FORGED
    drop: Drop = Drop.OUT_OF_WINDOW

    def __str__(self) -> str:
        return f"{self.flags or '-'}{self.at}:{len(self.data)}-{self.ack}-{self.stamp}"


DISCARDED = [
    *(Discarded(flags, at, drop=Drop.BAD_RESET) for flags in ("R", "RA") for at in (-1, 1, WINDOW - 1, WINDOW)),
    *(Discarded("A", at) for at in (-1, -2, -500, -70_000, WINDOW + 1, WINDOW + 70_000)),
    *(Discarded("FA", at) for at in (-1, -500, WINDOW, WINDOW + 500)),
    *(Discarded(flags, at, data=b"x" * 9) for flags in ("A", "FA", "AU") for at in (-10, -500, WINDOW, WINDOW + 500)),
    *(Discarded(flags, at) for flags in ("S", "SA") for at in (-1, -5000, WINDOW)),
    *(Discarded(flags, at, drop=Drop.SYN_IN_CONNECTION) for flags in ("S", "SA", "SFA") for at in (0, 50)),
    *(Discarded(flags, at, data=b"x", drop=Drop.NO_ACK) for flags in ("", "F", "U") for at in (0, 100)),
    *(
        Discarded(flags, at, ack, data, drop=Drop.BAD_ACK)
        for flags in ("A", "FA")
        for at in (0, 50)
        for ack in (3001, 100_000, -70_000)
        for data in (b"", b"x" * 40)
    ),
    *(
        Discarded(flags, at, data=data, stamp=stamp, drop=Drop.OLD_STAMP if stamp else Drop.NO_STAMP)
        for flags in ("A", "FA", "S", "SA")
        for at in (0, -1, 50)
        for data in (b"", b"x")
        for stamp in (STAMP - 1, None)
    ),
]


def forge(peer: ScapyPeer, one: Discarded) -> None:
    """It claims a window, blocks and urgent data, too."""
    first = 2**32 - 300 + 1
    sack: list[Any] = [("SAck", ((first + 1800) % 2**32, (first + 2200) % 2**32))]
    stamps: list[Any] = [] if one.stamp is None else [("Timestamp", (one.stamp, 0))]
    options = stamps + ([("MSS", 99)] if "S" in one.flags else sack)
    peer.say(one.flags, one.at, one.ack, one.data, window=77, urgptr=5, options=options)
    assert peer.log[-1].actions.drop == one.drop


def wrongly_believed(peer: ScapyPeer, one: Discarded) -> set[str]:
    """What it changes. The peer is as it was, then."""
    before = peer.record
    forge(peer, one)
    wrong = changed(before, peer.record)
    assert peer.log[-1].actions.place is None and not peer.log[-1].actions.notify
    peer.engine.records[peer.index] = before
    return wrong


def test_what_is_discarded_changes_nothing_that_is_believed_of_the_peer() -> None:
    peer = believing_peer()
    assert {str(one): wrong for one in DISCARDED if (wrong := wrongly_believed(peer, one))} == {}


def test_nor_does_it_when_the_time_stamp_is_void() -> None:
    """After 24 days an older one is let in, but it is taken from a good segment only."""
    peer = believing_peer()
    peer.now += 25 * DAY
    old = [replace(one, stamp=OLD) for one in DISCARDED if one.stamp == FORGED]
    assert {str(one): wrong for one in old if (wrong := wrongly_believed(peer, one))} == {}
    forge(peer, Discarded("A", 0, 1500, b"x", OLD, Drop.NOT))
    assert peer.record.ts_recent == OLD and peer.record.una == peer.record.iss + 1501 - 2**32


def test_the_peers_data_are_taken_behind_a_forged_time_stamp() -> None:
    for wait, stamp in ((0, FORGED), (25 * DAY, STAMP + 2**31 - 1)):
        peer = believing_peer()
        peer.now += wait
        peer.say("A", 0, 100_000, options=[("Timestamp", (stamp, 0))])
        peer.say("A", -1, 500, options=[("Timestamp", (stamp, 0))])
        peer.say("A", 0, 500, bytes(100), options=[("Timestamp", (STAMP + 1, 0))])
        assert len(peer.taken()) == 150 and peer.record.ts_recent == STAMP + 1


def opening_peer() -> ScapyPeer:
    peer = ScapyPeer(opened=False, engine_opens=True, settings=replace(LOCAL, stamps=True, sack=True))
    peer.open()
    assert [one.flags for one in peer.heard()] == ["S"]
    return peer


def half_open_peer() -> ScapyPeer:
    options = (("SAckOK", b""), ("Timestamp", (STAMP, 0)))
    peer = ScapyPeer(opened=False, settings=replace(LOCAL, stamps=True, sack=True), options=options)
    peer.say("S", -1)
    assert [one.flags for one in peer.heard()] == ["SA"]
    return peer


@pytest.mark.parametrize(
    ("made", "one"),
    [
        (opening_peer, Discarded("SA", -1, 1, drop=Drop.BAD_ACK)),
        (opening_peer, Discarded("SA", -1, -1, drop=Drop.BAD_ACK)),
        (opening_peer, Discarded("A", 0, 0, drop=Drop.NO_ACK)),
        (opening_peer, Discarded("A", 0, 7, b"x", drop=Drop.BAD_ACK)),
        (opening_peer, Discarded("R", 0, drop=Drop.BAD_RESET)),
        (opening_peer, Discarded("RA", 0, 7, drop=Drop.BAD_ACK)),
        (half_open_peer, Discarded("A", 0, 1, drop=Drop.BAD_ACK)),
        (half_open_peer, Discarded("FA", 0, -1, b"x", drop=Drop.BAD_ACK)),
        (half_open_peer, Discarded("A", -2, 0)),
        (half_open_peer, Discarded("A", 70_000, 0, b"x")),
        (half_open_peer, Discarded("", 0, 0, b"x", drop=Drop.NO_ACK)),
        (half_open_peer, Discarded("A", 0, 0, stamp=None, drop=Drop.NO_STAMP)),
        (half_open_peer, Discarded("A", 0, 0, stamp=STAMP - 1, drop=Drop.OLD_STAMP)),
        (half_open_peer, Discarded("R", 5, drop=Drop.BAD_RESET)),
    ],
    ids=lambda value: getattr(value, "__name__", None) or str(value),
)
@pytest.mark.parametrize("wait", [0, 25 * DAY])
def test_nor_does_it_while_the_connection_opens(made: Callable[[], ScapyPeer], one: Discarded, wait: int) -> None:
    peer = made()
    peer.now += wait
    if wait and one.stamp == STAMP - 1:
        one = replace(one, ack=1, drop=Drop.BAD_ACK)  # void by then
    elif wait and one.stamp == FORGED:
        one = replace(one, stamp=OLD)
    before = peer.record
    forge(peer, one)
    assert changed(before, peer.record) == set()


@pytest.mark.parametrize("data", [b"", b"xyz"])
def test_only_the_peers_own_fin_makes_time_wait_longer(data: bytes) -> None:
    for at, longer in ((0, True), (1, False), (-1, False), (-500, False), (500, False), (WINDOW + 9, False)):
        peer = ScapyPeer()
        peer.command(Op.SHUTDOWN)
        peer.heard()
        peer.say("FA", 0, 1, data)
        assert peer.state == State.TIME_WAIT
        peer.now += S
        before = peer.record
        peer.say("FA", at, 1, data)
        assert ("idle" in changed(before, peer.record)) == longer, at
