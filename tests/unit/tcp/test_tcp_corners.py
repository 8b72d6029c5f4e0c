# SPDX-License-Identifier: Apache-2.0
"""Corners of TCP at the whole engine in RTL, one by one: what its model does there is said by the other tests; here are
the bytes that leave, and those that lie in memory."""

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from runs import some
from tcp.attack import segment
from tcp.events import Answer, Arrival, Flag, Notify, Op
from tcp.hw_engine import HwEngine, HwHost, hw_pair
from tcp.pairs import OURS, PORT, QUICK, THEIR_PORT, THEIRS
from tcp.pipe import BAD, InetHost, Line, Mix, Transfer, exchange
from tcp.record import WORD, State
from tcp.siphash import siphash
from tcp.wire import parse

from nsoc.network.inet.connection import Settings as InetSettings

INET = InetSettings(least_rto_us=1000.0, delayed_ack_us=500.0, msl_us=1e7)
ISS = WORD - 300
"""Of the peer: its numbers go round the end in each test."""


@pytest.fixture
def engine() -> Iterator[HwEngine]:
    """Record 0 listens; 1 to 4 are in the pool, with rings of 2 KB."""
    made = HwEngine(OURS, settings=QUICK)
    made.setup(0, 0, 0)
    for index in range(1, 5):
        made.setup(index, 0, 0, pooled=True)
    assert made.listen(0, PORT, 4) == Answer.DONE
    made.line(8)
    yield made
    made.close()


class Peer:
    """Says what it is told to say, over a line that loses what it does not `take`."""

    def __init__(self, engine: HwEngine, port: int = THEIR_PORT, *, mss: int = 1000, window: int = 65535) -> None:
        self.engine, self.end = engine, (THEIRS, port)
        self.seq, self.window = ISS, window
        self.ack = 0
        self.events: list[tuple[int, Notify]] = []
        self.say(Flag.SYN, options=bytes((2, 4)) + mss.to_bytes(2))
        ((answer, _),) = self.hear(20)
        assert answer.flags == Flag.SYN | Flag.ACK and answer.ack == (ISS + 1) % WORD
        self.seq, self.ack = ISS + 1, (answer.seq + 1) % WORD
        self.first = self.ack
        self.say(Flag.ACK)
        self.hear(20)
        ((self.index, told),) = self.events
        assert told & Notify.ACCEPT and engine.command(self.index, Op.ACCEPT) == Answer.DONE

    def say(self, flags: int, data: bytes = b"", *, at: int = 0, ack: int | None = None, options: bytes = b"") -> bytes:
        """`at`: so far from where it stands."""
        made = segment(
            self.end, (OURS, PORT), self.seq + at, self.ack if ack is None else ack, flags, window=self.window,
            options=options, payload=data,
        )  # fmt: skip
        self.engine.take(THEIRS, made)
        return made

    def hear(self, us: int) -> list[tuple[Arrival, bytes]]:
        """What comes for it meanwhile."""
        end, heard = self.engine.now + us, []
        while self.engine.now < end:
            self.engine.run(end)
            while (one := self.engine.next()) is not None:
                parsed = parse(one[1], OURS, one[0])
                assert not isinstance(parsed, str), parsed
                if parsed[1] == self.end[1]:
                    heard.append(parsed[2:])
            self.events += self.engine.events()
        return heard

    def take(self, heard: list[tuple[Arrival, bytes]]) -> bytes:
        """Acknowledges data in order, and returns it."""
        data = b""
        for seen, payload in heard:
            if payload and seen.seq == self.ack:
                data += payload
                self.ack = (self.ack + len(payload)) % WORD
        self.say(Flag.ACK)
        return data


def test_a_retransmission_that_goes_round_the_rings_end_has_the_right_bytes(engine: HwEngine) -> None:
    rng, peer = random.Random(1), Peer(engine)
    first, second = rng.randbytes(1500), rng.randbytes(1200)
    for _ in range(2):
        engine.send(peer.index, first[:1500])
        got = b""
        while len(got) < 1500:
            got += peer.take(peer.hear(300))
        assert got == first
    peer.hear(300)  # 3000 bytes: the next thousand begins at 952, the one behind at 1952
    engine.send(peer.index, second[:952])
    assert peer.take(peer.hear(300)) == second[:952]
    peer.hear(300)
    engine.send(peer.index, first[:1000])  # from 1904 on
    copies = [payload for _, payload in peer.hear(20_000) if payload]
    assert len(copies) >= 3 and set(copies) == {first[:1000]}, "the same bytes, over and over"
    assert peer.take([one for one in peer.hear(100_000) if one[1]][:1]) == first[:1000]


def transfer(
    ours: HwHost, theirs: HwHost | InetHost, mix: Mix, rng: random.Random, size: int, chunk: int = 4096
) -> Line:
    """The same number of bytes each way, all of which come."""
    programs = Transfer(rng.randbytes(size), chunk), Transfer(rng.randbytes(size), chunk)
    line = Line((ours, theirs), mix, rng)
    exchange(line, programs, ours.engine.now)
    for sender, receiver in (programs, programs[::-1]):
        assert bytes(receiver.got or b"") == sender.data
    return line


def isn_of(engine: HwEngine, index: int) -> int:
    """Of a SYN to the peer, now; nothing of it remains."""
    assert engine.open(index, PORT, (THEIRS, THEIR_PORT)) == Answer.DONE
    isn = engine.status(index).iss
    assert engine.command(index, Op.ABORT) == Answer.DONE and engine.events()
    assert engine.command(index, Op.RELEASE) == Answer.DONE
    while engine.poll() is not None:
        pass
    return isn


@pytest.mark.parametrize(("before", "mix"), some([(20_000, BAD), (1, Mix())], [(n, BAD) for n in (0, 2, 1460, 10_000)]))
def test_streams_go_over_the_end_of_the_numbers_both_ways(before: int, mix: Mix) -> None:
    engine = HwEngine(OURS, settings=QUICK)
    engine.setup(0, 3, 3)
    # They count 4 us: wait, for hours if need be, until the connection's is near the end.
    wait = (WORD - before - isn_of(engine, 0)) % WORD * 4
    engine.run(engine.now + wait - 100)
    assert engine.open(0, PORT, (THEIRS, THEIR_PORT)) == Answer.DONE
    assert (WORD - before - engine.status(0).iss + 200) % WORD < 400
    peer = InetHost(THEIRS, THEIR_PORT, (OURS, PORT), INET, WORD - before)
    transfer(HwHost(engine, 0), peer, mix, random.Random(before), 30_000)


@pytest.mark.parametrize(("mss", "chunk"), some([(137, 89)], [(89, 1), (1459, 1021), (101, 7)]))
def test_odd_cuts_and_odd_places_in_the_rings_come_right(mss: int, chunk: int) -> None:
    engine = HwEngine(OURS, settings=QUICK, stall_percent=20)
    engine.setup(0, 0, 0)
    engine.setup(1, 0, 0, pooled=True)
    assert engine.listen(0, PORT, 1) == Answer.DONE
    inet = InetSettings(mss=mss, least_rto_us=1000.0, msl_us=1e7, nagle=False)
    peer = InetHost(THEIRS, THEIR_PORT, (OURS, PORT), inet, 77)
    peer.open(0)
    transfer(HwHost(engine, None), peer, Mix(loss=0.02), random.Random(mss), 4001, chunk)


def test_a_program_that_sleeps_and_a_peer_that_takes_nothing_stop_nobody(engine: HwEngine) -> None:
    stuck = Peer(engine, 6000)
    stuck.window = 0
    stuck.say(Flag.ACK, b"s" * 1000)
    stuck.seq += 1000
    stuck.say(Flag.ACK, b"s" * 1000)
    assert engine.send(stuck.index, bytes(2000)) == 2000
    stuck.hear(3000)
    peer = Peer(engine, 6001)
    for number in range(20):
        said = bytes((number,)) * 901
        peer.say(Flag.ACK | Flag.PSH, said)
        peer.seq += len(said)
        peer.hear(600)
        assert engine.receive(peer.index, 4096) == said
        assert engine.send(peer.index, said) == len(said)
        assert peer.take(peer.hear(600)) == said
    assert engine.available(stuck.index) == 2000 and engine.status(stuck.index).state == State.ESTABLISHED


def test_a_lost_window_update_stops_neither_side(engine: HwEngine) -> None:
    peer = Peer(engine)
    for _ in range(2):
        peer.say(Flag.ACK, b"w" * 1000)
        peer.seq += 1000
    peer.say(Flag.ACK, b"w" * 48)
    peer.seq += 48
    assert peer.hear(2000)[-1][0].window == 0
    assert len(engine.receive(peer.index, 4096)) == 2048
    assert peer.hear(2000), "the update, which is lost"
    peer.say(Flag.ACK, b"p")  # it asks
    assert peer.hear(2000)[-1][0].window > 1000 and engine.receive(peer.index, 10) == b"p"
    peer.seq += 1
    peer.window = 0
    peer.say(Flag.ACK)
    peer.hear(100)
    engine.send(peer.index, b"e" * 900)
    probes = [payload for _, payload in peer.hear(50_000) if payload]
    assert probes and set(probes) == {b"e"}, "the engine asks, for the update is lost"
    peer.window = 65535
    peer.say(Flag.ACK)
    assert peer.take(peer.hear(100_000)) == b"e" * 900


def test_nobody_answers_an_acknowledgement_for_ever(engine: HwEngine) -> None:
    peer = Peer(engine)
    for _ in range(50):
        peer.say(Flag.ACK)
    assert not peer.hear(5000)
    for far in (-5, -70_000, 70_000, 1 << 31):  # not in the window: some answers, in all
        for _ in range(15):
            peer.say(Flag.ACK, at=far)
    assert 0 < len(peer.hear(5000)) <= QUICK.challenges


def test_two_engines_are_silent_when_all_is_said() -> None:
    rng = random.Random(3)
    ends = hw_pair(QUICK)
    line = transfer(*ends, BAD, rng, 20_000)
    assert line.carried < 400
    for one in (end.engine for end in ends):
        one.run(one.now + 1_000_000)
        assert one.poll() is None


def test_the_same_ends_are_opened_again_after_each_close(engine: HwEngine) -> None:
    """The engine closes first, so a SYN ends TIME-WAIT; then the peer does."""
    rng, used = random.Random(4), []
    engine.line(0)
    for number in range(6):
        peer = InetHost(THEIRS, THEIR_PORT, (OURS, PORT), INET, 1000 + 100_000 * number)
        peer.open(engine.now)
        host = HwHost(engine, None)
        transfer(host, peer, Mix(), rng, 1000)
        assert host.index is not None
        used.append(host.index)
        for index in range(1, 5):
            record = engine.status(index)
            if record.state == State.CLOSED and record.owned:
                assert engine.command(index, Op.RELEASE) == Answer.DONE
    assert all(one != other for one, other in pairwise(used)), "the record in TIME-WAIT is not the new one's"


def test_the_engine_opens_again_after_each_close() -> None:
    engine = HwEngine(OURS, settings=QUICK)
    engine.setup(0, 0, 0)
    for number in range(4):
        assert engine.open(0, PORT, (THEIRS, THEIR_PORT)) == Answer.DONE
        host = HwHost(engine, 0)
        transfer(host, InetHost(THEIRS, THEIR_PORT, (OURS, PORT), INET, number), Mix(), random.Random(number), 1500)
        while engine.status(0).state != State.CLOSED:  # TIME-WAIT
            before = engine.now
            engine.run(before + 30_000_000)
            engine.events()
            assert engine.now > before
        assert engine.command(0, Op.RELEASE) == Answer.DONE


@pytest.mark.parametrize("who", ["a SYN in TIME-WAIT", "a SYN when the record is given up", "an open of ours"])
def test_the_next_connection_begins_above_all_that_the_one_before_has_used(engine: HwEngine, who: str) -> None:
    """8000 bytes go faster than the clock of 4 us."""
    engine.setup(5, 0, 0)
    peer = Peer(engine)
    for number in range(8):
        engine.send(peer.index, bytes([number]) * 1000)
        while not (heard := [one for one in peer.hear(20) if one[1]]):
            pass
        peer.take(heard)
        peer.hear(5)
    assert engine.command(peer.index, Op.CLOSE) == Answer.DONE
    assert any(seen.flags & Flag.FIN for seen, _ in peer.hear(20))
    used = peer.ack = (peer.ack + 1) % WORD
    peer.say(Flag.FIN | Flag.ACK)
    peer.hear(20)
    assert engine.status(peer.index).state == State.TIME_WAIT and (used - peer.first) % WORD == 8001
    if who != "a SYN in TIME-WAIT":
        assert engine.command(peer.index, Op.ABORT) == engine.command(peer.index, Op.RELEASE) == Answer.DONE
        peer.hear(20)
    if who == "an open of ours":
        assert engine.open(5, PORT, (THEIRS, THEIR_PORT)) == Answer.DONE
    else:
        peer.seq += 1000
        peer.say(Flag.SYN)
    ((syn, _),) = peer.hear(20)
    assert syn.flags & Flag.SYN and (syn.seq - used) % WORD < 1 << 31


def test_timestamps_have_an_offset_of_their_ends_which_stays(engine: HwEngine) -> None:
    """A peer sees the uptime of no other connection, and with the same ends its stamps never go back."""
    engine.setup(5, 0, 0)
    key = b"".join((0x9E37_79B9 + at * 0x1234_5677).to_bytes(8, "little")[:4] for at in range(4))
    offsets = []
    for port in (5000, 5001, 5000):
        source, stamp = (THEIRS, port), bytes((1, 1, 8, 10)) + bytes(8)
        for flags in (Flag.SYN, Flag.RST):
            engine.take(THEIRS, segment(source, (OURS, PORT), ISS + (flags == Flag.RST), 0, flags, options=stamp))
            engine.run(engine.now + 3000)
        one = engine.next()
        assert one is not None
        answer = parse(one[1], OURS, THEIRS)
        assert not isinstance(answer, str) and answer[2].stamp is not None
        ends = b"".join(address + number.to_bytes(2) for address, number in ((OURS, PORT), source))
        offsets.append(answer[2].stamp[0] - (siphash(key, ends) >> 32))
    assert offsets == sorted(offsets) and offsets[-1] - offsets[0] < 30 and offsets[0] < 100
    assert engine.open(5, PORT, (THEIRS, 6000)) == Answer.DONE
    engine.run(engine.now + 20)
    one = engine.next()
    assert one is not None
    syn = parse(one[1], OURS, THEIRS)
    assert not isinstance(syn, str) and syn[2].stamp is not None
    ends = b"".join(address + number.to_bytes(2) for address, number in ((OURS, PORT), (THEIRS, 6000)))
    assert (syn[2].stamp[0] - (siphash(key, ends) >> 32)) % WORD < 200


def test_copies_of_held_bytes_that_differ_or_are_spoiled_change_nothing(engine: HwEngine) -> None:
    peer = Peer(engine)
    peer.say(Flag.ACK, b"b" * 100, at=100)
    good = peer.say(Flag.ACK, b"d" * 50, at=300)
    spoiled = bytearray(good)
    spoiled[-7] ^= 0x10
    engine.take(THEIRS, bytes(spoiled))
    peer.say(Flag.ACK, b"X" * 100, at=100)  # other bytes, with a right sum
    peer.say(Flag.ACK, b"X" * 120, at=290)
    peer.hear(100)
    peer.say(Flag.ACK, b"a" * 150)
    peer.hear(100)
    peer.say(Flag.ACK, b"c" * 100, at=200)
    peer.hear(100)
    assert engine.receive(peer.index, 4096)[:350] == b"a" * 100 + b"b" * 100 + (b"c" * 90 + b"X" * 10) + b"d" * 50
    assert engine.read("segment_drop_sum") == 1


def test_behind_a_release_the_ring_is_the_processors_and_no_segment_has_its_new_bytes(engine: HwEngine) -> None:
    engine.line(1)  # segments wait for the line
    for number, cycles in enumerate((200, 700, 1500, 4000)):
        peer = Peer(engine, 6000 + number, mss=1460)
        engine.send(peer.index, b"A" * 2048)
        engine.clock(cycles)
        assert engine.command(peer.index, Op.ABORT) == Answer.DONE
        assert engine.command(peer.index, Op.RELEASE) == Answer.DONE
        one = engine.known[peer.index]
        engine.memory[one.tx_at : one.tx_at + one.tx_size] = b"B" * one.tx_size
        *data, (last, _) = peer.hear(200)
        assert data and last.flags & Flag.RST
        assert all(set(payload) <= set(b"A") for _, payload in data)


def test_segments_for_nobody_stop_no_timer() -> None:
    engine = HwEngine(OURS, settings=QUICK)
    engine.setup(0, 0, 0)  # nobody's index would be this one
    engine.line(8)
    assert engine.open(0, PORT, (THEIRS, THEIR_PORT)) == Answer.DONE
    syns = 0
    for end in range(engine.now + 400_000, 3_600_000, 400_000):
        engine.take(THEIRS, segment((THEIRS, 1), (OURS, 2), 5, 6, Flag.ACK))
        while engine.now < end:
            engine.run(end)
            while (one := engine.next()) is not None:
                syns += one[1][13] == Flag.SYN
    assert syns == 3, "at once, after 1 s, after 3 s"
    engine.close()
