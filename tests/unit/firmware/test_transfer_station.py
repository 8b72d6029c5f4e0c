# SPDX-License-Identifier: Apache-2.0
"""The firmware's end of the transfer protocol, on this machine, against the Python ends and against itself."""

import heapq
import itertools
import os
import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from runs import seeds, some
from transfer_station import Station, own_address

from nsoc.transfer import message, published
from nsoc.transfer.end import End
from nsoc.transfer.message import Accept, Cancel, Finish, Open, Packet, Progress, Refuse, Result
from nsoc.transfer.published import State, ethernet_header
from nsoc.transfer.receiver import Receiver
from nsoc.transfer.sender import Sender
from nsoc.transfer.storage import MemorySource, MemoryStore

HOST, SOC, OTHER = own_address(1), own_address(2), own_address(3)
TO_SOC = ethernet_header(SOC, HOST)
LATENCY_US = 20


@dataclass(frozen=True)
class Faults:
    """Of each way; probabilities."""

    loss: float = 0
    duplicate: float = 0
    reorder: float = 0
    wrong: float = 0
    """Wrong bytes behind a good FCS."""


HEAVY = Faults(loss=0.2, duplicate=0.05, reorder=0.05, wrong=0.01)


class PythonEnd:
    """An end of src/nsoc/transfer with an address."""

    def __init__(self, end: End, peer: bytes = SOC, address: bytes = HOST) -> None:
        self.end, self.address, self._header = end, address, ethernet_header(peer, address)

    def receive(self, frame: bytes, now: float) -> None:
        decoded = message.decode(frame)
        if not isinstance(decoded, message.Reject):
            self.end.receive(decoded, now)

    def poll(self, now: float) -> list[bytes]:
        frames = []
        while (sent := self.end.poll(now)) is not None:
            frames.append(message.encode(sent, self._header))
        return frames


class StationEnd:
    """A station of the firmware."""

    def __init__(self, station: Station) -> None:
        self.station, self.address = station, station.address

    def receive(self, frame: bytes, now: float) -> None:
        self.station.receive(frame)

    def poll(self, now: float) -> list[bytes]:
        self.station.run(now)
        return self.station.take()


def connect(
    ends: Sequence[PythonEnd | StationEnd],
    done: Callable[[], bool],
    faults: Faults = Faults(),
    seed: int = 1,
    until_us: float = 60e6,
) -> float:
    """Carries frames between them until `done`; the time then. Fails when that takes too long."""
    rng, way, order = random.Random(seed), [], itertools.count()
    now = 0.0
    while not done():
        for end in ends:
            for frame in end.poll(now):
                if rng.random() < faults.loss:
                    continue
                if rng.random() < faults.wrong:
                    place = rng.randrange(14, len(frame))
                    frame = frame[:place] + bytes([frame[place] ^ rng.randrange(1, 256)]) + frame[place + 1 :]
                at = now + LATENCY_US + (rng.random() < faults.reorder) * rng.randrange(1, 100)
                for _ in range(1 + (rng.random() < faults.duplicate)):
                    heapq.heappush(way, (at, next(order), frame))
        now = min(now + 100, way[0][0]) if way else now + 100
        assert now < until_us, "it hangs"
        while way and way[0][0] <= now:
            frame = heapq.heappop(way)[2]
            for end in ends:
                if frame[:6] == end.address:
                    end.receive(frame, now)
    for _ in range(3):  # what is still on its way comes, too, and what is said to that
        frames = [frame for _, _, frame in way] + [frame for end in ends for frame in end.poll(now)]
        way = []
        for end, frame in itertools.product(ends, frames):
            if frame[:6] == end.address:
                end.receive(frame, now)
    return now


def content(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


SIZES = (0, 1, 1479, 1480, 1481, 4440, 100_000)


@pytest.mark.parametrize("size", SIZES)
def test_a_station_takes_a_put(size: int) -> None:
    data, station = content(size), Station(copy_polls=20)
    sender = Sender.put(MemorySource(data), transfer=0x12345678, name="a file")
    connect([PythonEnd(sender), StationEnd(station)], lambda: sender.state is not State.RUNNING)
    assert sender.state is State.DONE, sender.failure
    (ended,) = station.ended()
    assert (ended.sender, ended.failure, ended.name) == (False, "", "a file")
    assert (ended.total, ended.digest) == (size, zlib.crc32(data))
    assert station.read(ended.offset, size) == data
    assert sender.retransmissions == 0 and station.open == 0
    station.check()


@pytest.mark.parametrize("size", SIZES)
def test_a_station_serves_a_get(size: int) -> None:
    data, station = content(size), Station(copy_polls=20)
    station.serve(data, "served")
    receiver = Receiver.get("served", MemoryStore, transfer=9, boot=5)
    connect([PythonEnd(receiver), StationEnd(station)], lambda: receiver.state is not State.RUNNING)
    assert receiver.state is State.DONE, receiver.failure
    assert receiver.store.data == data and receiver.duplicates == 0
    (ended,) = station.ended()
    assert (ended.sender, ended.failure, ended.digest) == (True, "", zlib.crc32(data))
    station.check()


@pytest.mark.parametrize("seed", seeds(8, 500))
def test_a_put_arrives_whole_whatever_the_line_does(seed: int) -> None:
    data, station = content(60_000 + seed, seed), Station(copy_polls=seed % 40, seed=seed)
    sender = Sender.put(MemorySource(data), transfer=seed)
    connect([PythonEnd(sender), StationEnd(station)], lambda: sender.state is not State.RUNNING, HEAVY, seed)
    assert sender.state is State.DONE, sender.failure
    (ended,) = station.ended()
    assert station.read(ended.offset, len(data)) == data and ended.digest == zlib.crc32(data)
    station.check()


@pytest.mark.parametrize("seed", seeds(8, 500))
def test_a_get_arrives_whole_whatever_the_line_does(seed: int) -> None:
    data, station = content(60_000 + seed, seed), Station(copy_polls=seed % 40, seed=seed)
    station.serve(data)
    receiver = Receiver.get("", MemoryStore, transfer=seed, boot=5)
    connect([PythonEnd(receiver), StationEnd(station)], lambda: receiver.state is not State.RUNNING, HEAVY, seed)
    assert receiver.state is State.DONE, receiver.failure
    assert receiver.store.data == data
    station.check(at_rest=False)


@pytest.mark.parametrize(("seed", "get"), some([(1, False), (2, True)], [(s, bool(s % 2)) for s in range(3, 200)]))
def test_two_stations_transfer_to_each_other(seed: int, get: bool) -> None:
    data = content(200_000, seed)
    one, two = Station(2, copy_polls=30, seed=seed), Station(3, copy_polls=7, seed=seed, boot=8)
    source, sink = (two, one) if get else (one, two)
    source.serve(data, "x")
    assert one.get(3, "x") if get else one.put(3, "x")
    ended = []
    connect(
        [StationEnd(one), StationEnd(two)],
        lambda: ended.extend(one.ended() + two.ended()) or len(ended) == 2,
        replace(HEAVY, loss=0.05),
        seed,
    )
    assert [e.failure for e in ended] == ["", ""]
    received = next(e for e in ended if not e.sender)
    assert sink.read(received.offset, len(data)) == data
    one.check(at_rest=False)
    two.check(at_rest=False)


def test_eight_transfers_at_once_share_the_buffers() -> None:
    station = Station(copy_polls=10)
    data = [content(50_000 + 999 * i, i) for i in range(8)]
    senders = [Sender.put(MemorySource(d), transfer=i, name=f"file {i}") for i, d in enumerate(data)]
    ends = [PythonEnd(s, address=own_address(16 + i)) for i, s in enumerate(senders)]
    connect([*ends, StationEnd(station)], lambda: all(s.state is not State.RUNNING for s in senders))
    assert all(s.state is State.DONE for s in senders)
    ended = {e.name: e for e in station.ended()}
    for i, expected in enumerate(data):
        assert station.read(ended[f"file {i}"].offset, len(expected)) == expected
    areas = sorted((e.offset, e.offset + e.total) for e in ended.values())
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(areas))
    assert "answers for which no buffer was free" not in station.counters()
    # What was put is served, by its name; without a name, the latest is.
    receiver = Receiver.get("file 3", MemoryStore, transfer=99, boot=5)
    connect([PythonEnd(receiver), StationEnd(station)], lambda: receiver.state is not State.RUNNING)
    assert receiver.store.data == data[3]
    station.check()


def exchange(station: Station, *messages: message.Message, header: bytes = TO_SOC, now: float = 0) -> list:
    """What a station answers."""
    for sent in messages:
        assert station.receive(message.encode(sent, header))
        station.run(now)
    answers = station.take()
    assert all(a[:12] == header[6:12] + header[:6] for a in answers)
    return [message.decode(answer) for answer in answers]


def test_an_open_is_refused_with_its_reason() -> None:
    station = Station(memory_bytes=1 << 16)
    for sent, reason in (
        (Open(1, 1, True), message.Refusal.NOTHING_TO_SERVE),
        (Open(1, 1, False, 1 << 17), message.Refusal.TOO_LARGE),
        (Open(1, 1, False, 100, station=OTHER), message.Refusal.NO_SUCH_STATION),
    ):
        assert exchange(station, sent) == [Refuse(1, 1, reason)]
    station.serve(b"1234", "here")
    assert exchange(station, Open(1, 1, True, name="there")) == [Refuse(1, 1, message.Refusal.NOT_FOUND)]
    for number in range(16):
        assert isinstance(exchange(station, Open(number, 1, False, 100))[0], Accept)
    assert exchange(station, Open(99, 1, False, 100)) == [Refuse(99, 1, message.Refusal.BUSY)]
    assert exchange(station, Open(3, 1, False, 101)) == [Refuse(3, 1, message.Refusal.NUMBER_IN_USE)]
    (again,) = exchange(station, Open(3, 2, False, 100))
    assert again == Accept(3, 2, 100, 77, again.credit)
    station.check()


def test_what_is_not_known_is_cancelled_and_what_is_wrong_is_not_answered() -> None:
    station = Station(copy_polls=5)
    packet = Packet(5, 1, 0, b"x" * 1480)
    unknown = [packet, Finish(5, 1, 1, 1480, 0), Progress(5, 1, 0, 1, 0, 8), Accept(5, 1, 9, 1, 8)]
    for sent in unknown:
        assert exchange(station, sent) == [Cancel(5, 1, message.Cancellation.UNKNOWN)]
        frame = bytearray(message.encode(sent, TO_SOC))
        frame[30] ^= 1
        assert station.receive(bytes(frame))
        station.run(0)
        assert station.take() == []
    assert exchange(station, Result(5, 1, 0, 1, 1, 1, 1), Cancel(5, 1, 2), Refuse(5, 1, 1)) == []
    assert station.counters()["messages with a wrong CRC"] == len(unknown)
    station.check()


def test_a_packet_that_arrived_is_not_overwritten() -> None:
    """Also not by one whose header says so and whose CRC is wrong, and with copies under way."""
    for polls in (0, 30):
        station = Station(copy_polls=polls)
        data = content(2000)
        exchange(station, Open(1, 1, False, 2000))
        frame = message.encode(Packet(1, 1, 0, data[:1480]), TO_SOC)
        wrong = message.encode(Packet(1, 1, 0, bytes(1480)), TO_SOC)
        station.receive(frame)
        station.receive(wrong[:60] + b"\1" + wrong[61:])  # while the first is under way
        station.run(0)
        station.receive(wrong[:60] + b"\1" + wrong[61:])
        station.run(0)
        exchange(station, Packet(1, 2, 0, bytes(1480)), Packet(1, 3, 1, data[1480:]))
        (result,) = exchange(station, Finish(1, 1, 2, 2000, zlib.crc32(data)))
        assert result == Result(1, 1, 0, 2, 77, 2000, zlib.crc32(data))
        (ended,) = station.ended()
        assert station.read(ended.offset, 2000) == data
        assert exchange(station, Finish(1, 2, 2, 2000, zlib.crc32(data))) == [replace(result, serial=2)]
        assert station.counters()["packets that were there"] >= 1
        station.check()


def test_a_wrong_digest_is_told() -> None:
    station = Station()
    exchange(station, Open(1, 1, False, 3), Packet(1, 1, 0, b"abc"))
    (result,) = exchange(station, Finish(1, 1, 1, 3, 1))
    assert result.outcome == message.Outcome.DIGEST_DIFFERS
    assert station.ended()[0].failure == "the digest differs"
    assert exchange(station, Open(2, 1, True)) == [Refuse(2, 1, message.Refusal.NOTHING_TO_SERVE)]
    station.check()


def test_memory_that_fails_ends_the_transfer() -> None:
    station = Station()
    exchange(station, Open(1, 1, False, 3))
    station.fail_copy(1)
    (result,) = exchange(station, Packet(1, 1, 0, b"abc"))
    assert result.outcome == message.Outcome.NOT_STORED and station.open == 0
    station.check()


def test_lying_peers_are_cancelled() -> None:
    contradiction = message.Cancellation.CONTRADICTION
    for lie in (
        Progress(1, 2, 3, 5, 0, 8),
        Progress(1, 2, 0, 5, 99, 8),
        Progress(1, 2, 0, 5, 0, 8, bitmap=1 << 40),
        Result(1, 1, 0, 2, 5, 2000, 0),
    ):
        station = Station()
        station.serve(content(2000))
        exchange(station, Open(1, 1, True, credit=8), Progress(1, 1, 0, 5, 0, 8))
        answer = exchange(station, lie)[-1]
        assert isinstance(answer, Cancel) and answer.reason == contradiction, lie
        assert station.open == 0
        station.check()
    for lie in (Finish(1, 1, 3, 2000, 0), Finish(1, 1, 2, 1999, 0)):
        station = Station()
        exchange(station, Open(1, 1, False, 2000))
        (answer,) = exchange(station, lie)
        assert isinstance(answer, Cancel) and answer.reason == contradiction, lie
        station.check()


def test_a_peer_that_restarted_ends_the_transfer() -> None:
    station = Station()
    station.serve(content(100_000))
    exchange(station, Open(1, 1, True, credit=8), Progress(1, 1, 0, 5, 0, 8))
    exchange(station, Progress(1, 2, 1, 6, 1, 8))
    assert station.ended()[0].failure == "the peer has restarted"


@pytest.mark.parametrize("opening", ["put", "get", "open", "serve"])
def test_a_peer_that_says_nothing_more_is_given_up(opening: str) -> None:
    station = Station(give_up_us=10_000_000)
    station.serve(content(100_000), "x")
    match opening:
        case "put":
            assert station.put(1)
        case "get":
            assert station.get(1)
        case "open":
            exchange(station, Open(1, 1, False, 2000))
        case "serve":
            exchange(station, Open(1, 1, True, credit=8), Progress(1, 1, 0, 5, 0, 8))
    sent = []
    for now in range(0, 9_900_000, 50_000):
        station.run(now)
        sent += [message.decode(frame) for frame in station.take()]
    assert station.open == 1
    repeats = {"put": Open, "get": Open, "serve": Packet}.get(opening)
    if repeats:
        # Doubled from 2 ms on to at most a second.
        assert 9 + 4 <= sum(isinstance(m, repeats) for m in sent) <= 30
    for now in range(9_900_000, 12_000_000, 50_000):
        station.run(now)
    last = [message.decode(frame) for frame in station.take()][-1]
    assert isinstance(last, Cancel) and last.reason == message.Cancellation.GIVEN_UP
    assert station.open == 0 and station.ended()[0].failure == "nothing came for too long"
    station.check()


def test_no_credit_makes_a_sender_ask_for_it() -> None:
    station = Station()
    station.serve(content(100_000))
    exchange(station, Open(1, 1, True, credit=8))
    assert len(exchange(station, Progress(1, 1, 0, 5, 0, 4))) == 4
    assert exchange(station, Progress(1, 2, 4, 5, 4, 0)) == []
    station.run(1_000_000)
    (probe,) = (message.decode(frame) for frame in station.take())
    assert isinstance(probe, Packet) and probe.answer


def test_loss_is_repaired_by_eight_later_packets_and_without_a_timeout() -> None:
    station = Station()
    station.serve(content(100_000))
    first = exchange(station, Open(1, 1, True, credit=32), Progress(1, 1, 0, 5, 0, 32))[1:]
    assert [p.number for p in first] == list(range(32)) and [p.serial for p in first] == list(range(1, 33))
    assert [p.answer for p in first] == [False] * 31 + [True]
    # 2 is missing, 10 later ones are there: lost. 9 is missing, 3 later ones are there: not yet.
    arrived = sum(1 << n for n in range(13) if n not in (2, 9))
    more = exchange(station, Progress(1, 2, 2, 5, 13, 32, arrived))
    assert [p.number for p in more] == [2, *range(32, 44)]
    assert "retransmission timeouts" not in station.counters()
    # Serials of before tell nothing new.
    assert exchange(station, Progress(1, 2, 3, 5, 14, 32)) == []


def test_a_receiver_tells_its_progress_when_it_should() -> None:
    station = Station()
    size = 2000 * 1480
    exchange(station, Open(1, 1, False, size))
    packet = lambda serial, number, answer=False: Packet(1, serial, number, bytes(1480), answer)  # noqa: E731
    assert exchange(station, *(packet(n + 1, n) for n in range(7))) == []
    (progress,) = exchange(station, packet(8, 7))
    assert (progress.next, progress.seen, progress.bitmap) == (8, 8, 0xFF)
    (progress,) = exchange(station, packet(10, 9))  # serial 9 was lost
    assert (progress.next, progress.seen, progress.bitmap) == (8, 10, 0x2FF)
    (progress,) = exchange(station, packet(11, 9))  # it is there
    assert progress.seen == 11
    (progress,) = exchange(station, packet(12, 10, True))
    assert progress.bitmap == 0x6FF
    # The last packet that the bitmap shows, the last one that the window has room for, and two that have no place.
    first, second = exchange(station, packet(13, 1023, True), packet(14, 8 + 1023, True))
    assert first.bitmap == second.bitmap and first.bitmap.bit_length() == 1024 and second.seen == 14
    assert exchange(station, packet(15, 8 + 1024, True), packet(15, 2000, True)) == []
    assert station.counters()["packets beyond the window"] == station.counters()["packets beyond the end"] == 1
    # A frame that ends before the message does.
    assert exchange(station, packet(16, 11))[0].next == 8
    station.receive(message.encode(packet(17, 12), TO_SOC)[:-1])
    station.receive(message.encode(Open(3, 1, name="x" * 200), TO_SOC)[:-1])
    station.run(0)
    assert station.take() == [] and station.counters()["messages of a wrong length"] == 2


def test_a_sender_keeps_within_the_window() -> None:
    station = Station()
    station.serve(content(1100 * 1480))
    sent = exchange(station, Open(1, 1, True, credit=40), Progress(1, 1, 0, 5, 0, 40))[1:]
    for serial in range(2, 60):
        # All has arrived but packet 0.
        arrived = sum(1 << n for n in {p.number for p in sent} - {0} if n < 1024)
        sent += exchange(station, Progress(1, serial, 0, 5, sent[-1].serial, 40, arrived))
    assert max(p.number for p in sent) == 1023
    assert sent[-1].answer and sum(p.number == 0 for p in sent) > 1


def test_a_finish_follows_each_repair() -> None:
    station = Station()
    station.serve(content(12 * 1480))
    answers = exchange(station, Open(1, 1, True, credit=40), Progress(1, 1, 0, 5, 0, 40))
    assert isinstance(answers[-1], Finish)
    repair, finish = exchange(station, Progress(1, 2, 0, 5, 12, 40, 0xFFE))
    assert repair.number == 0 and finish == replace(answers[-1], serial=2)


def test_an_opener_does_not_mind_that_the_peer_does_not_know_the_transfer_yet() -> None:
    station = Station()
    assert station.get(1)
    station.run(0)
    (opening,) = map(message.decode, station.take())
    exchange(station, Cancel(opening.transfer, 1, message.Cancellation.UNKNOWN))
    assert station.open == 1
    exchange(station, Cancel(opening.transfer, 2, message.Cancellation.STOPPED))
    assert station.open == 0


def test_what_is_being_sent_is_not_given_to_another_transfer() -> None:
    station = Station(memory_bytes=4096)
    data = content(3000)
    exchange(station, Open(1, 1, False, 3000), *(Packet(1, i + 1, i, data[i * 1480 :][:1480]) for i in range(3)))
    exchange(station, Finish(1, 1, 3, 3000, zlib.crc32(data)))
    exchange(station, Open(2, 1, True, credit=8))
    assert exchange(station, Open(3, 1, False, 3000)) == [Refuse(3, 1, message.Refusal.BUSY)]
    exchange(station, Cancel(2, 1, message.Cancellation.STOPPED))
    assert isinstance(exchange(station, Open(3, 1, False, 3000))[0], Accept)
    station.check()


def test_a_file_longer_than_the_window_arrives_through_loss() -> None:
    data = content(3_000_000)
    one, two = Station(2, copy_polls=5), Station(3, boot=8)
    one.serve(data)
    assert one.put(3)
    ended = []
    lossy = Faults(loss=0.03, reorder=0.05)
    connect([StationEnd(one), StationEnd(two)], lambda: ended.extend(two.ended()) or bool(ended), lossy)
    assert not ended[0].failure and two.read(ended[0].offset, len(data)) == data


# ---- Any bytes ----


def plausible(rng: random.Random, transfer: int) -> message.Message:
    """A message that may well belong to a transfer of 100,000 bytes."""
    small = lambda: rng.choice([0, 1, 2, 5, 8, 67, 68, 69, 1000, 100_000, 0xFFFF_FFFF, rng.randrange(80)])  # noqa: E731
    serial = rng.choice([1, 2, 3, rng.randrange(100), small()])
    station, name, bits = rng.choice([bytes(6), OTHER]), "x" * rng.randrange(9), rng.getrandbits(rng.randrange(1025))
    return rng.choice(
        [
            lambda: Open(transfer, serial, rng.random() < 0.5, small(), station, 8, name),
            lambda: Accept(transfer, serial, small(), 7, rng.randrange(40)),
            lambda: Refuse(transfer, serial, rng.randrange(9), "why"),
            lambda: Packet(transfer, serial, small(), bytes(rng.choice([1480, 840, 1, 500])), rng.random() < 0.2),
            lambda: Progress(transfer, serial, small(), rng.choice([5, 5, 6]), small(), 8, bits),
            lambda: Finish(transfer, serial, small(), small(), rng.getrandbits(32)),
            lambda: Result(transfer, serial, rng.randrange(4), small(), 5, small(), 0),
            lambda: Cancel(transfer, serial, rng.randrange(6)),
        ]
    )()  # fmt: skip


def fuzzed(rng: random.Random, transfer: int) -> bytes:
    """A frame that is wrong somewhere, or of the published types, or right."""
    header = ethernet_header(SOC, rng.choice([HOST, OTHER]))
    if rng.random() < 0.2:
        kind = rng.choice([1, 2, 3, rng.randrange(256)])
        numbers = struct.pack(">II", rng.choice([0, 1, 5, 2047, 2048, 1 << 31]), rng.choice([0, 1, 100, 3000]))
        return header + bytes([kind]) + numbers + bytes(rng.randrange(1490))
    frame = bytearray(message.encode(plausible(rng, transfer), header))
    match rng.randrange(4):
        case 0:  # a field, with a CRC that is right again
            at = rng.randrange(14, min(len(frame), 60))
            if not 30 <= at < 34:
                frame[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            length = int.from_bytes(frame[16:18], "big")
            frame[30:34] = struct.pack(">I", zlib.crc32(frame[14:30], zlib.crc32(frame[34 : 34 + length])))
        case 1:
            frame[rng.randrange(14, len(frame))] ^= 1 << rng.randrange(8)
        case 2:
            del frame[rng.randrange(14, len(frame)) :]
    return bytes(frame)


@pytest.mark.parametrize(("seed", "frames"), some([(1, 3000)], [(seed, 10_000) for seed in range(2, 12)]))
def test_nothing_that_comes_does_harm(seed: int, frames: int) -> None:
    rng, station = random.Random(seed), Station(copy_polls=20, seed=seed)
    station.serve(content(100_000), "x", offset=1 << 20)
    now = 0
    for _ in range(frames):
        if rng.random() < 0.01:
            rng.choice([station.put, station.get])(rng.choice([1, 3]), "x")
        station.receive(fuzzed(rng, rng.choice([1, 2, 3])))
        now += rng.choice([0, 10, 1000])
        station.run(now, rng.choice([1, 5, 4000]))
        if rng.random() < 0.5:
            station.take()
    station.run(now)
    station.take()
    station.check()
    # And goes on working: what is open is given up, then comes a transfer.
    for _ in range(20):
        now += 1_000_000
        station.run(now)
        station.take()
    assert station.open == 0
    station.ended()
    data = content(50_000)
    sender = Sender.put(MemorySource(data), transfer=77, name="after")
    end = StationEnd(station)
    start = now
    end.poll = lambda at: (station.run(start + at), station.take())[1]  # type: ignore[method-assign]
    connect([PythonEnd(sender, address=own_address(9)), end], lambda: sender.state is not State.RUNNING)
    assert sender.state is State.DONE, sender.failure
    (ended,) = station.ended()
    assert station.read(ended.offset, len(data)) == data
    station.check()


@pytest.mark.long
def test_no_access_is_out_of_bounds() -> None:
    """The same with the compiler's checks of addresses, in a process that begins with their library."""
    asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    if not os.path.isabs(asan):
        pytest.skip("gcc has no libasan here")
    checks = {"TRANSFER_SANITIZERS": "address,undefined", "ASAN_OPTIONS": "detect_leaks=0", "LD_PRELOAD": asan}
    command = [sys.executable, "-m", "pytest", "-q", __file__, "-k", "harm or takes or serves or two_stations or relay"]
    done = subprocess.run(command, env={**os.environ, **checks}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- The published types ----


class PublishedEnd:
    """A sender of the published types."""

    def __init__(self, data: bytes, payload_bytes: int = published.MAX_PAYLOAD_BYTES, peer: bytes = SOC) -> None:
        self.end = published.Sender(data, payload_bytes=payload_bytes)
        self.address, self._header = HOST, ethernet_header(peer, HOST)

    def receive(self, frame: bytes, now: float) -> None:
        decoded = published.decode(frame)
        if not isinstance(decoded, published.Reject):
            self.end.receive(decoded, now)

    def poll(self, now: float) -> list[bytes]:
        frames = []
        while (sent := self.end.poll(now)) is not None:
            frames.append(published.encode(sent, self._header))
        return frames


PUBLISHED = [(0, 1481), (1, 1481), (30, 1481), (1481, 1481), (60_000, 1481), (60_000, 700)]


@pytest.mark.parametrize(("size", "payload"), PUBLISHED)
@pytest.mark.parametrize("loss", [0, 0.1])
def test_a_station_takes_the_published_types(size: int, payload: int, loss: float) -> None:
    data, station = content(size), Station(copy_polls=10)
    end = PublishedEnd(data, payload)
    connect([end, StationEnd(station)], lambda: end.end.state is not State.RUNNING, Faults(loss=loss))
    assert end.end.state is State.DONE, end.end.failure
    (ended,) = station.ended()
    assert ended.total == size and station.read(ended.offset, size) == data
    if not loss:
        assert end.end.retransmissions == 0
    station.check(at_rest=False)


def test_missing_packets_are_listed_in_frames_of_the_published_format() -> None:
    station = Station()
    header = ethernet_header(SOC, HOST)
    there = {0, 5, 1234}
    for number in there:
        station.receive(published.encode(published.Data(number, bytes(1481)), header))
    station.receive(published.encode(published.Summary(1500, 1500 * 1481), header))
    station.run(0)
    acks = [a for a in map(published.decode, station.take()) if isinstance(a, published.Ack)]
    assert [n for ack in acks for n in ack.missing] == [n for n in range(1500) if n not in there]
    assert [len(ack.missing) for ack in acks] == [369, 369, 369, 369, 21]
    station.check()


def test_lengths_that_cannot_add_up_are_asked_for_again() -> None:
    station, header = Station(), ethernet_header(SOC, HOST)
    for number, size in ((0, 1481), (1, 41)):
        station.receive(published.encode(published.Data(number, bytes(size)), header))
    station.receive(published.encode(published.Summary(2, 1481), header))  # the last one all padding
    station.run(0)
    assert len(station.take()) == 2 and station.ended() == []
    station.receive(published.encode(published.Summary(2, 1482), header))
    station.run(0)
    (answer,) = map(published.decode, station.take())
    assert answer == published.Ack((0, 1))
    station.check()


# ---- Relay ----


@pytest.mark.parametrize(("seed", "get"), some([(1, False), (2, True)], [(s, bool(s % 2)) for s in range(3, 100)]))
def test_a_relay_passes_a_transfer_on(seed: int, get: bool) -> None:
    data = content(100_000, seed)
    relay, station = Station(2, peer=3), Station(3, copy_polls=10, boot=9)
    end: Sender | Receiver
    if get:
        station.serve(data, "x")
        end = Receiver.get("x", MemoryStore, transfer=seed, boot=5, credit=40, station=OTHER)
    else:
        end = Sender.put(MemorySource(data), transfer=seed, name="x", station=OTHER)
    connect(
        [PythonEnd(end), StationEnd(relay), StationEnd(station)],
        lambda: end.state is not State.RUNNING,
        replace(HEAVY, loss=0.05),
        seed,
    )
    assert end.state is State.DONE, end.failure
    if isinstance(end, Receiver):
        assert end.store.data == data
    else:
        assert station.read(station.ended()[0].offset, len(data)) == data
    relay.check(at_rest=False)


def test_a_relay_lowers_credit_and_refuses_what_it_cannot_do() -> None:
    relay = Station(2, peer=3)
    back = ethernet_header(SOC, OTHER)

    def passed(sent: message.Message, header: bytes, to: bytes) -> message.Message:
        relay.receive(message.encode(sent, header))
        relay.run(0)
        (frame,) = relay.take()
        assert frame[:6] == to and frame[6:12] == SOC
        return message.decode(frame)

    assert passed(Open(1, 1, False, 10, OTHER, 0, "n"), TO_SOC, OTHER) == Open(1, 1, False, 10, bytes(6), 0, "n")
    assert passed(Accept(1, 1, 10, 5, 48), back, HOST) == Accept(1, 1, 10, 5, 32)
    assert passed(Packet(1, 1, 0, b"0123456789"), TO_SOC, OTHER) == Packet(1, 1, 0, b"0123456789")
    assert passed(Open(2, 1, True, 0, OTHER, 48), TO_SOC, OTHER) == Open(2, 1, True, 0, bytes(6), 32)
    refuse = lambda number, reason: Refuse(number, 1, reason)  # noqa: E731
    assert passed(Open(3, 1, False, 10), TO_SOC, HOST) == refuse(3, message.Refusal.NO_SUCH_STATION)
    third = ethernet_header(SOC, own_address(4))
    assert passed(Open(1, 1, False, 10, OTHER), third, own_address(4)) == refuse(1, message.Refusal.NUMBER_IN_USE)
    assert passed(Open(1, 1, False, 10, own_address(5)), TO_SOC, HOST) == refuse(1, message.Refusal.NUMBER_IN_USE)
    assert passed(Finish(8, 1, 1, 1, 1), TO_SOC, HOST) == Cancel(8, 1, message.Cancellation.UNKNOWN)
    assert passed(Finish(1, 1, 1, 1, 1), third, own_address(4)) == Cancel(1, 1, message.Cancellation.UNKNOWN)
    relay.check()


def test_a_relay_passes_the_published_types_between_two_stations() -> None:
    data = content(40_000)
    relay, station, end = Station(2, peer=3), Station(3), PublishedEnd(data)
    ends = [end, StationEnd(relay), StationEnd(station)]
    connect(ends, lambda: end.end.state is not State.RUNNING, Faults(loss=0.05))
    assert end.end.state is State.DONE
    assert station.read(station.ended()[0].offset, len(data)) == data
    relay.receive(published.encode(published.Summary(1, 1), ethernet_header(SOC, own_address(4))))
    relay.run(0)
    assert relay.take() == [] and relay.counters()["published messages of a third station"] == 1
    relay.check()
