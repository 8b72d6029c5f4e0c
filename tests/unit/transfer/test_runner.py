# SPDX-License-Identifier: Apache-2.0
"""Transfers of two hosts on a simulated network; no SoC takes part."""

import random
from collections.abc import Callable, Iterator

import pytest

from nsoc.network.faults import Faults
from nsoc.network.network import Network
from nsoc.transfer import message, published
from nsoc.transfer.outgoing import Outgoing
from nsoc.transfer.published import State
from nsoc.transfer.receiver import MakeStore
from nsoc.transfer.runner import Runner
from nsoc.transfer.sender import Sender
from nsoc.transfer.station import Station
from nsoc.transfer.storage import MemorySource, MemoryStore

HERE, THERE = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
PATIENCE_US = 100_000.0


@pytest.fixture
def network() -> Iterator[Network]:
    with Network(seed=3) as made:
        yield made


class Taker:
    """Keeps what is offered, by its name."""

    def __init__(self) -> None:
        self.stores: dict[str, MemoryStore] = {}

    def __call__(self, peer: bytes, open: message.Open) -> MakeStore | message.Refusal:
        if open.name == "unwanted":
            return message.Refusal.TOO_LARGE

        def store(total: int) -> MemoryStore:
            self.stores[open.name] = MemoryStore(total)
            return self.stores[open.name]

        return store


def pair(network: Network, taker: Taker, faults: Faults | None = None) -> tuple[Runner, Runner]:
    a, b = network.host(), network.host()
    network.cable(a, b, faults=faults)
    here = Station(HERE, random.Random(1), patience_us=PATIENCE_US)
    there = Station(THERE, random.Random(2), take=taker, patience_us=PATIENCE_US)
    return Runner(network, a, here), Runner(network, b, there, capture=True)


def both(here: Runner, there: Runner, done: Callable[[], bool]) -> None:
    """Two stations in one program take turns of 5 us."""
    for _ in range(50_000):
        if here.run(done, 5.0):
            return
        there.run(lambda: False, 5.0)
    raise AssertionError("it does not end")


@pytest.mark.parametrize("size", [0, 1, 1480, 1481, 100_000])
@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_a_put_arrives(network: Network, size: int, loss: float) -> None:
    taker = Taker()
    here, there = pair(network, taker, Faults(loss=loss, corrupt=loss / 4))
    data = random.Random(size).randbytes(size)
    sender = here.station.put(THERE, MemorySource(data), "x", network.time_us)
    both(here, there, lambda: sender.state is not State.RUNNING)
    assert (sender.state, sender.failure) == (State.DONE, "")
    assert bytes(taker.stores["x"].data) == data
    traffic = here.traffic[THERE, sender.transfer]
    assert traffic.sent.frames == sender.packets + sender.retransmissions
    if not loss:
        assert sender.retransmissions == 0 and not here.ignored and not there.ignored
        assert there.traffic[HERE, sender.transfer].received.frame_bytes == traffic.sent.frame_bytes
        assert 12.2 * (sender.packets - 1) < traffic.duration_us < 2 * 12.2 * sender.packets + 100


def test_transfers_take_turns(network: Network) -> None:
    here, there = pair(network, taker := Taker())
    data = {f"{i}": bytes([i]) * (30_000 + 9000 * i) for i in range(3)}
    senders = [here.station.put(THERE, MemorySource(all), name, network.time_us) for name, all in data.items()]
    order: list[Sender] = []

    def done() -> bool:
        order.extend(one for one in senders if one.state is State.DONE and one not in order)
        return len(order) == len(senders)

    both(here, there, done)
    assert {name: bytes(store.data) for name, store in taker.stores.items()} == data
    assert order == senders  # each had a third of the line: the shortest ends first


def test_the_link_never_has_more_than_it_can_send_for_a_while(network: Network) -> None:
    here, there = pair(network, Taker())
    sender = here.station.put(THERE, MemorySource(bytes(100_000)), "x", network.time_us)
    most = 0

    def done() -> bool:
        nonlocal most
        most = max(most, here._link.queued)
        return sender.state is not State.RUNNING

    both(here, there, done)
    assert 8 < most <= 16 < sender.packets


def test_a_stranger_is_answered(network: Network) -> None:
    here, there = pair(network, Taker())
    stranger = message.Packet(9, 1, 0, b"old", True)
    here._link.send(message.encode(stranger, published.ethernet_header(THERE, HERE)))
    network.run(us=20)
    there.run(lambda: False, 20.0)
    (came,) = here._link.receive_all()
    cancel = message.decode(came.data)
    assert isinstance(cancel, message.Cancel) and cancel.reason == message.Cancellation.UNKNOWN
    assert not there.traffic[HERE, 9].received.frames


def test_what_is_broken_or_for_nobody_is_counted(network: Network) -> None:
    a, b = network.host(), network.host()
    network.cable(a, b)
    runner = Runner(network, b, Station(THERE, random.Random(1)), capture=True)
    data = published.encode(published.Data(0, bytes(60)), published.ethernet_header(THERE, HERE))
    a.send(data, bad_fcs=True)
    a.send(data[:40], pad=False)
    a.send(HERE + data[6:])
    a.send(data[:14] + b"\x7f" + data[15:])
    a.send(data)
    network.run(us=20)
    runner.run(lambda: False, 10.0)
    assert runner.ignored == {
        "bad_frame": 1, "too_short": 1, "other_address": 1, published.Reject.UNKNOWN_TYPE: 1, "no_transfer": 1
    }  # fmt: skip
    assert runner.capture is not None and [packet.bad_fcs for packet in runner.capture] == [True, *[False] * 4]


def offered(network: Network, runner: Runner, data: bytes) -> Outgoing:
    return Outgoing(runner, THERE, MemorySource(data), "x", network.time_us, published.Timing(timeout_us=PATIENCE_US))


def test_a_peer_that_knows_the_numbered_types_gets_them(network: Network) -> None:
    here, there = pair(network, taker := Taker())
    one = offered(network, here, bytes(5000))

    def done() -> bool:
        one.turn(network.time_us)
        return one.state is not State.RUNNING

    both(here, there, done)
    assert (one.state, one.packets, one.arrived, one.size) == (State.DONE, 4, 4, 5000)
    assert bytes(taker.stores["x"].data) == bytes(5000) and one.traffic.sent.frames == 4
    assert one.overhead == (1480, 20)


def test_a_peer_that_knows_the_published_types_only_gets_those(network: Network) -> None:
    a, b = network.host(), network.host()
    network.cable(a, b, faults=Faults(loss=0.05))
    here = Runner(network, a, Station(HERE, random.Random(1), patience_us=PATIENCE_US))
    data = random.Random(2).randbytes(30_000)
    receiver = published.Receiver(timing=published.Timing(timeout_us=PATIENCE_US), now=network.time_us)
    one = offered(network, here, data)

    def done() -> bool:
        one.turn(network.time_us)
        return one.state is not State.RUNNING

    for _ in range(20_000):
        if here.run(done, 5.0):
            break
        now = network.time_us
        for frame in b.receive_all():
            spoken = published.decode(frame.data)
            if not isinstance(spoken, published.Reject) and frame.good:
                receiver.receive(spoken, now)
        while (ack := receiver.poll(now)) is not None:
            b.send(published.encode(ack, published.ethernet_header(HERE, THERE)))
    assert (one.state, one.failure, receiver.data == data) == (State.DONE, "", True)
    assert one.arrived == one.packets == 21 and one.overhead == (1481, 5)
    assert one.traffic.sent.frames == 21 + one.repeats
    one.leave()


def test_published_machines_meet_each_others_echo(network: Network) -> None:
    """The other host sends every frame back with its addresses swapped, as a SoC does."""
    a, b = network.host(), network.host()
    network.cable(a, b, faults=Faults(loss=0.02))
    runner = Runner(network, a, Station(HERE, random.Random(1)))
    data = random.Random(1).randbytes(60_000)
    timing = published.Timing(retry_us=500, timeout_us=PATIENCE_US)
    sender = published.Sender(data, timing=timing, now=network.time_us)
    receiver = published.Receiver(timing=timing, now=network.time_us)
    runner.add(THERE, sender, receiver)
    for _ in range(20_000):
        if runner.run(lambda: sender.state is not State.RUNNING, 5.0):
            break
        for frame in b.receive_all():
            b.send(frame.data[6:12] + frame.data[:6] + frame.data[12:])
    assert sender.state is State.DONE and receiver.data == data and sender.retransmissions > 0
    traffic = runner.traffic[THERE, None]
    assert traffic.sent.frames == sender.data_sent > traffic.received.frames >= sender.packets
    runner.remove(sender, receiver)
    b.send(published.encode(published.Ack(), published.ethernet_header(HERE, THERE)))
    runner.run(lambda: False, 20.0)
    assert runner.ignored["no_transfer"] == 1
