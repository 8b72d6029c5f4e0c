# SPDX-License-Identifier: Apache-2.0
"""Stations: many transfers at once between several of them, strangers, and what is left of old transfers."""

import errno
import heapq
import random
from collections.abc import Callable

import pytest
from lossy import FRAME_US, HEAVY, Mix
from runs import seeds

from nsoc.transfer.message import (
    Accept,
    Cancel,
    Cancellation,
    Finish,
    Message,
    Open,
    Packet,
    Progress,
    Refusal,
    Refuse,
    Reject,
    Result,
    decode,
    encode,
)
from nsoc.transfer.published import State, ethernet_header
from nsoc.transfer.receiver import Receiver
from nsoc.transfer.sender import Sender
from nsoc.transfer.station import Station
from nsoc.transfer.storage import MemorySource, MemoryStore

ADDRESSES = [bytes((2, 0, 0, 0, 0, n)) for n in range(1, 5)]
A, B = ADDRESSES[:2]
STRANGER = ADDRESSES[3]


class Shelf:
    """What a station serves, and what was put there."""

    def __init__(self) -> None:
        self.served: dict[str, bytes] = {}
        self.taken: dict[str, MemoryStore] = {}

    def serve(self, peer: bytes, open: Open) -> MemorySource | Refusal:
        data = self.served.get(open.name)
        return Refusal.NOT_FOUND if data is None else MemorySource(data)

    def take(self, peer: bytes, open: Open) -> Callable[[int], MemoryStore] | Refusal:
        def make(total: int) -> MemoryStore:
            self.taken[open.name] = MemoryStore(total)
            return self.taken[open.name]

        return Refusal.TOO_LARGE if open.total > 10**6 else make


def station(address: bytes, seed: int = 0, shelf: Shelf | None = None, **kwargs: int) -> Station:
    shelf = shelf or Shelf()
    return Station(address, random.Random(seed), serve=shelf.serve, take=shelf.take, **kwargs)


def carry(stations: list[Station], mix: Mix, rng: random.Random, ghosts: list[bytes]) -> None:
    """A bad network joins them until all transfers are over. `ghosts` are frames of older times that turn up."""
    queue: list[tuple[float, int, bytes]] = []
    by_address = {station.address: station for station in stations}
    count, now = 0, 0.0
    for _ in range(1_000_000):
        for sender in stations:
            start = now
            while (frame := sender.poll(now)) is not None:
                start += FRAME_US
                if ghosts and rng.random() < 0.05:
                    heapq.heappush(queue, (start + 30, count := count + 1, rng.choice(ghosts)))
                if rng.random() < mix.loss:
                    continue
                late = rng.uniform(0, 300) if rng.random() < mix.reorder else 0.0
                heapq.heappush(queue, (start + 40 + late, count := count + 1, frame))
                if rng.random() < mix.duplicate:
                    heapq.heappush(queue, (start + 55, count := count + 1, frame))
        deadline = min(station.deadline for station in stations)
        if queue and queue[0][0] <= deadline:
            now, _, frame = heapq.heappop(queue)
            by_address[frame[:6]].receive(frame, now)
        elif deadline == float("inf"):
            return
        else:
            now = max(now, deadline)
    raise AssertionError("the transfers hang")


def ghosts_of_other_times(rng: random.Random) -> list[bytes]:
    """Frames of transfers that are long over, with numbers that nobody has today."""
    messages: list[Message] = [
        Packet(99, 3, 1, rng.randbytes(1480), True),
        Progress(99, 9, 0, 4, 3, 30, 0b110),
        Finish(99, 1, 2, 2960, 1),
        Accept(99, 1, 2960, 4, 30),
        Result(99, 1, 0, 2, 4, 2960, 1),
        Refuse(99, 1, 1),
        Cancel(99, 1, 1),
    ]
    return [
        encode(m, ethernet_header(to, source)) for m in messages for to in ADDRESSES[:3] for source in ADDRESSES[:3]
    ]


@pytest.mark.parametrize("seed", seeds(4, 60))
def test_many_transfers_at_once_between_three_stations_stay_apart(seed: int) -> None:
    rng = random.Random(seed)
    shelves = [Shelf() for _ in range(3)]
    stations = [station(address, seed + i, shelves[i], transfers=20) for i, address in enumerate(ADDRESSES[:3])]
    contents = {f"{n}": rng.randbytes(rng.choice([0, 1, 1480, 1481, rng.randrange(30_000)])) for n in range(12)}
    puts: list[tuple[str, Sender, Shelf]] = []
    gets: list[tuple[str, Receiver]] = []
    for name, data in contents.items():
        ours, theirs = rng.sample(range(3), 2)
        if rng.random() < 0.5:
            puts.append((name, stations[ours].put(ADDRESSES[theirs], MemorySource(data), name, 0.0), shelves[theirs]))
        else:
            shelves[theirs].served[name] = data
            gets.append((name, stations[ours].get(ADDRESSES[theirs], name, MemoryStore, 0.0)))
    carry(stations, HEAVY, rng, ghosts_of_other_times(rng))
    for name, sender, shelf in puts:
        assert sender.state is State.DONE, sender.failure
        assert shelf.taken[name].data == contents[name]
    for name, receiver in gets:
        assert receiver.state is State.DONE, receiver.failure
        assert isinstance(receiver.store, MemoryStore) and receiver.store.data == contents[name]


def answers(to: Station, message: Message, source: bytes = STRANGER, now: float = 0.0) -> list[Message | Reject]:
    """What the station says to that message; who answers is asked until it is silent."""
    to.receive(encode(message, ethernet_header(to.address, source)), now)
    said = []
    while (frame := to.poll(now)) is not None:
        assert frame[:12] == source + to.address
        said.append(decode(frame))
    return said


@pytest.mark.parametrize(
    "message",
    [Packet(5, 1, 0, b"x"), Finish(5, 1, 1, 1, 1), Progress(5, 1, 0, 0, 0, 1), Accept(5, 1, 1, 1, 1)],
)
def test_what_belongs_to_no_transfer_is_cancelled(message: Message) -> None:
    assert answers(station(A), message) == [Cancel(5, 1, Cancellation.UNKNOWN)]


@pytest.mark.parametrize("message", [Cancel(5, 1, 1), Refuse(5, 1, 1), Result(5, 1, 0, 0, 0, 0, 0)])
def test_what_ends_a_transfer_that_nobody_knows_is_never_answered(message: Message) -> None:
    to = station(A)
    assert answers(to, message) == []
    assert to.ignored == {"unknown_transfer": 1}


def test_what_cannot_be_served_or_taken_is_refused() -> None:
    to = station(A)
    assert answers(to, Open(5, 1, True, name="x", credit=9)) == [Refuse(5, 1, Refusal.NOT_FOUND)]
    assert answers(to, Open(6, 1, False, 2 * 10**6)) == [Refuse(6, 1, Refusal.TOO_LARGE)]
    assert answers(to, Open(7, 1, station=B)) == [Refuse(7, 1, Refusal.NO_SUCH_STATION)]
    bare = Station(A, random.Random(0))
    assert answers(bare, Open(5, 1, True, credit=9)) == [Refuse(5, 1, Refusal.NOTHING_TO_SERVE)]
    assert answers(bare, Open(6, 1)) == [Refuse(6, 1, Refusal.CANNOT_BE_STORED)]
    assert not to.ends and not bare.ends


def test_a_store_that_cannot_be_made_refuses_the_put_each_time_it_is_asked() -> None:
    def take(peer: bytes, open: Open) -> Callable[[int], MemoryStore]:
        def make(total: int) -> MemoryStore:
            raise OSError(errno.EROFS, "Read-only file system")

        return make

    to = Station(A, random.Random(0), take=take)
    for serial in (1, 2):
        (said,) = answers(to, Open(5, serial, False, 10))
        assert said == Refuse(5, serial, Refusal.CANNOT_BE_STORED, "it cannot be stored (Read-only file system)")


def test_a_number_in_use_is_refused_whoever_opened_it() -> None:
    to = station(A)
    assert [type(said) for said in answers(to, Open(5, 1, False, 10))] == [Accept]
    assert answers(to, Open(5, 2, False, 11)) == [Refuse(5, 1, Refusal.NUMBER_IN_USE)]
    assert [type(said) for said in answers(to, Open(5, 1, False, 10), source=B)] == [Accept]
    own = to.put(STRANGER, MemorySource(b"x"), "x", 0.0)
    assert to.poll(0.0) is not None
    assert answers(to, Open(own.transfer, 1, False, 9)) == [Refuse(own.transfer, 1, Refusal.NUMBER_IN_USE)]
    assert own.state is State.RUNNING


def test_when_all_places_are_taken_it_is_busy_until_one_is_over() -> None:
    to = station(A, transfers=2)
    for number in (1, 2):
        assert [type(said) for said in answers(to, Open(number, 1, False, 1))] == [Accept]
    assert answers(to, Open(3, 1, False, 1)) == [Refuse(3, 1, Refusal.BUSY)]
    answers(to, Cancel(2, 1, Cancellation.STOPPED))
    assert [type(said) for said in answers(to, Open(3, 2, False, 1))] == [Accept]
    assert [number for _, number in to.ends] == [1, 3]


def test_frames_for_others_and_frames_that_are_wrong_are_counted_and_not_answered() -> None:
    to = station(A)
    frame = encode(Open(5, 1, False, 1), ethernet_header(A, B))
    for wrong in (B + frame[6:], frame[:20], frame[:30] + b"\xff" + frame[31:], frame[:12] + b"\x08\0" + frame[14:]):
        to.receive(wrong, 0.0)
        assert to.poll(0.0) is None
    assert to.ignored == {"other_address": 1, "truncated": 1, "bad_crc": 1, "other_ethertype": 1}


def test_transfers_take_turns() -> None:
    to = station(A)
    for _ in range(3):
        to.put(B, MemorySource(b"x" * 20_000), "x", 0.0)
    numbers = []
    for _ in range(3):
        message = decode(to.poll(0.0) or b"")
        assert isinstance(message, Open)
        numbers.append(message.transfer)
    for number in numbers:
        to.receive(encode(Accept(number, 1, 20_000, 7, 8), ethernet_header(A, B)), 1.0)
    messages = [decode(to.poll(1.0) or b"") for _ in range(9)]
    assert [message.transfer for message in messages if isinstance(message, Packet)] == numbers * 3


def test_every_end_of_a_station_knows_how_slow_its_peers_are() -> None:
    slow, peer = station(A, slowness=100), station(B, slowness=100)
    put = slow.put(B, MemorySource(bytes(2000)), "x", 0.0)
    get = slow.get(B, "x", MemoryStore, 0.0)
    opens = [slow.poll(0.0), slow.poll(0.0)]
    assert put.deadline == get.deadline == 200_000.0
    for frame in filter(None, opens):
        peer.receive(frame, 0.0)
    while (frame := peer.poll(0.0)) is not None:
        slow.receive(frame, 1000.0)
    while slow.poll(1000.0) is not None:
        pass
    assert put.deadline == 201_000.0, "accepted"
    served = station(B, shelf=shelf_with(b"1234"), slowness=100)
    asking = station(A, slowness=100)
    asking.get(B, "x", MemoryStore, 0.0)
    for _ in range(4):
        for one, other in ((asking, served), (served, asking)):
            while (frame := one.poll(0.0)) is not None and not isinstance(decode(frame), Result):
                other.receive(frame, 0.0)
    (end,) = served.ends.values()
    assert end.deadline == 200_000.0, "it waits for the Result"


def shelf_with(data: bytes) -> Shelf:
    shelf = Shelf()
    shelf.served["x"] = data
    return shelf
