# SPDX-License-Identifier: Apache-2.0
"""The header and its options, the MSS and the initial sequence number: docs/tcp.md, numbers 1 to 6 and 13."""

from dataclasses import replace

import pytest
from scapy.layers.inet import IP, TCP
from tcp.core_replay import replay
from tcp.engine import Engine
from tcp.events import Answer, Op
from tcp.record import State, Why
from tcp.scapy_peer import LOCAL, OUR_ISN, OURS, PORT, THEIR_ISN, THEIR_PORT, THEIRS, ScapyPeer
from tcp.siphash import siphash
from tcp.wire import parse, parse_options

from nsoc.network.inet.packet import checksum


def test_the_window_is_unsigned() -> None:
    peer = ScapyPeer(window=0xFFFF, rings=(7, 7), mss=1460)
    peer.give(100_000)
    for ack in range(0, 60_000, 1460):
        peer.say(ack=ack)
        peer.heard()
    assert peer.record.max - peer.record.una <= 0xFFFF
    assert peer.record.snd_wnd == 0xFFFF


@pytest.mark.parametrize("length", range(9))
def test_sums_are_made_and_checked_for_every_length_and_any_wrong_byte(length: int) -> None:
    peer = ScapyPeer()
    data = bytes(range(1, length + 1))
    peer.give(data)
    assert b"".join(one.data for one in peer.heard()) == data  # Scapy has checked the sum
    layer = TCP(
        sport=THEIR_PORT, dport=PORT, seq=(THEIR_ISN + 1) % 2**32, ack=(OUR_ISN + 1) % 2**32, flags="A", window=9
    )
    good = bytes(IP(src=THEIRS, dst=OURS) / layer / b"xyz"[: length or 1])[20:]
    for at in range(len(good)):
        spoiled = good[:at] + bytes((good[at] ^ 0x41,)) + good[at + 1 :]
        peer.raw(spoiled)
    assert peer.taken() == b""
    peer.raw(good)
    assert peer.taken() == b"xyz"[: length or 1]


def test_reserved_bits_are_sent_as_zero_and_ignored() -> None:
    peer = ScapyPeer()
    peer.say("A", data=b"x", reserved=7)
    peer.say("AEC", at=1, data=b"y")
    assert peer.taken() == b"xy"
    (answer,) = peer.heard()
    assert answer.raw[12] & 15 == 0 and answer.raw[13] & 0xC0 == 0


def test_options_are_known_at_any_place_and_unknown_ones_are_skipped() -> None:
    nop, mss, scale, sack, unknown = b"\1", b"\2\4\5\xb4", b"\3\3\x07", b"\4\2", b"\xfd\5abc"
    stamp = b"\x08\x0a\0\0\0\x05\0\0\0\x06"
    wanted = (1460, 7, True, (5, 6), ())
    for order in (
        (mss, scale, sack, stamp),
        (nop, nop, stamp, nop, mss, unknown, sack, scale),
        (scale, unknown, sack, stamp, mss),
    ):
        assert parse_options(b"".join(order), syn=True) == wanted
    assert parse_options(mss + b"\0" + scale, syn=True) == (1460, None, False, None, ())  # behind the end
    assert parse_options(mss + scale + sack + stamp, syn=False) == (None, None, False, (5, 6), ())
    assert parse_options(b"\5\x12" + bytes(range(16)), syn=False)[4] == (
        (0x00010203, 0x04050607),
        (0x08090A0B, 0x0C0D0E0F),
    )


@pytest.mark.parametrize(
    "bad", [b"\xfd\0", b"\xfd\1", b"\xfd\x28", b"\1\2\4\5", b"\xfd", b"\2\0\0\0", b"\5\x0b" + bytes(9)]
)
def test_an_impossible_option_length_does_no_harm(bad: bytes) -> None:
    options = b"\2\4\5\xb4" + bad
    assert parse_options(options, syn=True)[:2] == (1460, None)
    peer = ScapyPeer(opened=False)
    layer = TCP(sport=THEIR_PORT, dport=PORT, seq=THEIR_ISN, flags="S", window=9, dataofs=5 + (len(options) + 3) // 4)
    whole = bytes(IP(src=THEIRS, dst=OURS, proto=6) / layer / (options + bytes(-len(options) % 4)))[20:]
    peer.raw(whole)
    assert [one.flags for one in peer.heard()] == ["SA"] and peer.record.snd_mss == 1460


@pytest.mark.parametrize("offset", [0, 4, 6, 15])
def test_a_data_offset_below_5_or_beyond_the_segment_is_dropped(offset: int) -> None:
    head = TCP(sport=THEIR_PORT, dport=PORT, seq=THEIR_ISN, flags="S", dataofs=offset)
    data = bytes(IP(src=THEIRS, dst=OURS, proto=6) / head)[20:]
    data = data[:12] + bytes(((offset << 4) | data[12] & 15,)) + data[13:]
    pseudo = bytes((10, 0, 0, 1, 10, 0, 0, 2, 0, 6, 0, len(data)))
    data = data[:16] + checksum(pseudo + data[:16] + bytes(2) + data[18:]).to_bytes(2) + data[18:]
    assert parse(data, bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))) == "offset"
    peer = ScapyPeer(opened=False)
    peer.raw(data)
    assert peer.heard() == []


@pytest.mark.parametrize("engine_opens", [False, True])
def test_the_mss_is_told_in_the_syn_only_and_that_of_the_peer_is_kept(engine_opens: bool) -> None:
    peer = ScapyPeer(engine_opens=engine_opens, mss=700)
    if not engine_opens:
        assert peer.answer.options["MSS"] == 1460
    peer.give(2000)
    sent = peer.heard()
    assert [len(one.data) for one in sent][:2] == [700, 700] and not any("MSS" in one.options for one in sent)


def test_a_peer_without_an_mss_gets_536() -> None:
    peer = ScapyPeer(mss=None)
    peer.give(2000)
    assert peer.places()[0] == (0, 536)


@pytest.mark.parametrize("engine_opens", [False, True])
@pytest.mark.parametrize("stamps", [False, True])
@pytest.mark.parametrize("mss", [20, 21, 63, 64])
def test_a_small_mss_is_obeyed_and_leaves_no_room_for_blocks(mss: int, stamps: bool, engine_opens: bool) -> None:
    options = (("SAckOK", b""), *([("Timestamp", (1, 0))] if stamps else []))
    peer = ScapyPeer(
        mss=mss,
        settings=replace(LOCAL, sack=True, stamps=stamps),
        options=options,
        opened=False,
        engine_opens=engine_opens,
    )
    stamp = [("Timestamp", (1, 0))] if stamps else ()
    if engine_opens:
        peer.open()
        peer.heard()
        peer.say("SA", -1, options=peer.options)
    else:
        peer.say("S", -1)
    (answer,) = peer.heard()
    assert engine_opens or ("SAckOK" in answer.options) == (mss == 64)
    peer.say("A", options=stamp)
    peer.say("A", 100, data=bytes(10), options=stamp)  # a gap
    (repeat,) = peer.heard()
    assert ("SAck" in repeat.options) == (mss == 64)
    peer.say("A", 0, data=bytes(100), options=stamp)
    peer.heard()
    full = mss - 12 * stamps
    peer.give(4 * full + 3)
    assert full >= 8 and [len(one.data) for one in peer.heard()] == [full] * 4
    while peer.record.una != peer.record.tail:
        at = (peer.record.max - OUR_ISN - 1) % 2**32
        peer.say("A", 110, ack=at, options=stamp)
        peer.heard()
    assert replay(peer.log, peer.engine.settings).differences == []


@pytest.mark.parametrize("mss", [0, 1, 8, 19])
def test_a_smaller_mss_gets_no_connection_and_is_counted(mss: int) -> None:
    settings = replace(LOCAL, stamps=True)
    peer = ScapyPeer(mss=mss, opened=False, settings=settings)
    peer.say("S", -1)
    (reset,) = peer.heard()
    assert (reset.flags, reset.ack) == ("RA", 0) and peer.engine.counts["drop SMALL_MSS"] == 1
    assert peer.engine.records[0].children == 0 and not peer.engine.table, "nothing is kept"
    assert replay(peer.log, settings).differences == []
    peer = ScapyPeer(mss=mss, opened=False, engine_opens=True, settings=settings)
    peer.open()
    peer.heard()
    peer.say("S", -1, options=peer.options)
    assert peer.state == State.SYN_SENT and not peer.heard(), "anybody can say that"
    peer.say("SA", -1, options=peer.options)
    (reset,) = peer.heard()
    assert (reset.flags, reset.at) == ("R", 0) and peer.state == State.CLOSED and peer.record.why == Why.REFUSED
    assert peer.engine.counts["drop SMALL_MSS"] == 2
    assert replay(peer.log, settings).differences == []


def test_a_segment_is_smaller_by_its_options_and_no_larger_than_the_mtu() -> None:
    peer = ScapyPeer(mss=9000, settings=replace(LOCAL, stamps=True), options=(("Timestamp", (1, 0)),), opened=False)
    assert peer.engine.option(0, "mtu", 1000) == 0  # the listener's: its children have it
    peer.say("S", -1)
    peer.heard()
    peer.say("A", options=[("Timestamp", (2, 0))])
    peer.give(3000)
    assert peer.places()[0] == (0, 960 - 12)


def test_the_mtu_of_a_connection_is_an_option_before_it_opens() -> None:
    peer = ScapyPeer(engine_opens=True, opened=False)
    assert peer.engine.option(0, "mtu", 1000) == 0
    peer.open()
    (syn,) = peer.heard()
    assert syn.options["MSS"] == 960
    assert peer.engine.option(0, "mtu", 900) != 0


def test_initial_sequence_numbers_go_on_by_4_us_and_depend_on_key_and_ends() -> None:
    ends = ((bytes((10, 0, 0, 2)), 7), (bytes((10, 0, 0, 1)), 5000))
    other = (ends[0], (bytes((10, 0, 0, 1)), 5001))
    one, two = Engine(ends[0][0], seed=1), Engine(ends[0][0], seed=2)
    assert one.initial(ends, 4000) == (one.initial(ends, 0) + 1000) % 2**32
    assert len({one.initial(ends, 0), two.initial(ends, 0), one.initial(other, 0), two.initial(other, 0)}) == 4


def test_timestamps_begin_where_key_and_ends_say_and_go_on_in_the_next_connection() -> None:
    ends = ((bytes((10, 0, 0, 2)), 7), (bytes((10, 0, 0, 1)), 5000))
    other = (ends[0], (bytes((10, 0, 0, 1)), 5001))
    one, two = Engine(ends[0][0], seed=1), Engine(ends[0][0], seed=2)
    assert len({one.ts_offset(ends), two.ts_offset(ends), one.ts_offset(other), two.ts_offset(other)}) == 4
    stamps = []
    one.setup(0, 0, 0, 0)
    for now in (0, 5 << 10, 7 << 10):
        assert one.open(0, 7, ends[1], now) == Answer.DONE
        syn = one.poll(now)
        assert syn is not None
        parsed = parse(syn[1], ends[0][0], ends[1][0])
        assert not isinstance(parsed, str) and parsed[2].stamp is not None
        stamps.append(parsed[2].stamp[0])
        assert one.command(0, Op.ABORT, now) == one.command(0, Op.RELEASE, now) == Answer.DONE
    assert stamps == [(one.ts_offset(ends) + at) % 2**32 for at in (0, 5, 7)]


def test_siphash_is_that_of_its_authors() -> None:
    assert siphash(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5
    assert siphash(bytes(range(16)), b"") == 0x726FDB47DD0E0E31


def test_the_connection_takes_numbers_from_the_table() -> None:
    peer = ScapyPeer()
    assert peer.record.iss == OUR_ISN and peer.answer.at == -1
