# SPDX-License-Identifier: Apache-2.0
"""Direct cache access in the SoC: bytes of connections and datagrams through the data cache and back, over a good line
and one that loses, repeats and reorders frames; every byte comes back right, once and in order."""

import random
from collections.abc import Iterator

import pytest
from net_soc import ADDRESS, NetSoc
from runs import seeds
from socs import TOE

from nsoc.machine.soc import BOOT_US
from nsoc.network.faults import Faults
from nsoc.network.inet import Peer
from nsoc.network.inet.connection import Settings
from nsoc.network.inet.peer import Stream
from nsoc.network.network import Network

pytestmark = pytest.mark.slow

ECHO = 7
DIRECT = 16
MS = 1e3
BAD = Faults(loss=0.05, duplicate=0.02, reorder=0.05, corrupt=0.01)


@pytest.fixture(scope="module")
def booted() -> Iterator[NetSoc]:
    with NetSoc(preset=TOE, firmware="dca_echo") as net:
        yield net
        assert "trap" not in net.soc.uart.text


@pytest.fixture
def net(booted: NetSoc) -> Iterator[NetSoc]:
    yield booted
    for stream in booted.peer.streams():
        stream.abort()
    booted.peer.run(2 * MS)


def connect(peer: Peer, settings: Settings | None = None, timeout_us: float = 20 * MS) -> Stream:
    stream = peer.connect(ADDRESS, ECHO, settings=settings, timeout_us=timeout_us)
    assert stream.connection.established
    return stream


def echoed(peer: Peer, streams: list[Stream], sent: list[bytes], within_us: float) -> None:
    """All of them at once: each gets back what it has sent, in pieces of any size."""
    for stream, data in zip(streams, sent, strict=True):
        stream.send(data)
    for stream, data in zip(streams, sent, strict=True):
        assert stream.read(len(data), within_us) == data


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_streams_come_back_on_several_connections_at_once(net: NetSoc, seed: int) -> None:
    rng = random.Random(seed)
    streams = [connect(net.peer) for _ in range(5)]
    for _ in range(3):
        sent = [rng.randbytes(rng.choice((1, 7, 31, 33, 1448, 5000, 20_000))) for _ in streams]
        echoed(net.peer, streams, sent, 500 * MS)
    for stream in streams:
        stream.close(50 * MS)
        assert stream.over and not stream.failure


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_every_byte_comes_back_over_a_bad_line(seed: int) -> None:
    """By sockets, whose threads sleep: a processor that waits in an instruction is simulated, cycle by cycle."""
    rng = random.Random(seed)
    with Network(seed) as network:
        soc = network.soc(TOE, "socket_echo", defines={"TOE_LEAST_RTO_US": "2000u"})
        peer = Peer(network)
        network.cable(peer.host, soc, faults=BAD)
        network.run(BOOT_US, until=lambda: "ready" in soc.uart.text)
        streams = [connect(peer, Settings(least_rto_us=2 * MS), 5000 * MS) for _ in range(3)]
        echoed(peer, streams, [rng.randbytes(rng.randrange(1, 10_000)) for _ in streams], 60_000 * MS)
        assert "trap" not in soc.uart.text


@pytest.mark.long
def test_more_connections_than_there_are_rings_are_refused_and_a_reset_frees_its_rings(net: NetSoc) -> None:
    """The listener has the first record. Four times over: a record and its rings are those of another peer then."""
    for _ in range(4):
        streams = [connect(net.peer) for _ in range(DIRECT - 1)]
        echoed(net.peer, streams, [bytes([n]) * 300 for n in range(len(streams))], 100 * MS)
        for n, stream in enumerate(streams):
            if n % 2:
                stream.abort()
            else:
                stream.close(50 * MS)
        net.peer.run(3 * MS)


def test_datagrams_and_bytes_pass_side_by_side(net: NetSoc) -> None:
    rng = random.Random(5)
    stream, udp = connect(net.peer), net.peer.udp()
    for _ in range(12):
        bytes_, datagram = rng.randbytes(rng.randrange(1, 4000)), rng.randbytes(rng.randrange(1, 1472))
        stream.send(bytes_)
        udp.send(datagram, ADDRESS, ECHO)
        assert stream.read(len(bytes_), 100 * MS) == bytes_
        got = udp.receive(100 * MS)
        assert got and got.data == datagram
