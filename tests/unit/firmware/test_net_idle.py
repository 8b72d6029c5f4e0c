# SPDX-License-Identifier: Apache-2.0
"""Connections to `net` whose other end has vanished, on this machine under sanitizers: they are given up, and nothing
is missing. One whose other end is only quiet stays."""

from collections.abc import Iterator

import needs
import pytest
from net_frames import PEER, TCP, address, resolve
from net_native import BUFFERS, Native
from net_tcp import ACK, Client, segment

pytestmark = needs.lwip()
ECHO, DISCARD, IPERF = 7, 9, 5001
ECHOES = 4
MOST = 24
"""Connections that there may be."""
ASKED_MS, GONE_MS = 32_000, 65_000
"""When the other side has been asked whether it is there, and when it is taken for gone."""


@pytest.fixture
def net() -> Iterator[Native]:
    with Native(lwip=True) as native:
        native.exchange([resolve()])
        yield native
        native.exchange(ms=GONE_MS)
        assert native.free == BUFFERS and native.dropped == 0


def opened(net: Native, first: int) -> dict[int, int]:
    """Of 20 connections to each service, from that port on: how many there are."""
    count = {}
    for number, service in enumerate((ECHO, DISCARD, IPERF)):
        ports = range(first + 20 * number, first + 20 * number + 20)
        count[service] = sum(Client(net.exchange, port, service).open for port in ports)
    return count


@pytest.mark.parametrize("data", [b"", b"never acknowledged"])
def test_a_flood_of_connections_is_forgotten(net: Native, data: bytes) -> None:
    clients = [Client(net.exchange, 5000 + number, ECHO) for number in range(ECHOES)]
    for client in clients:
        net.exchange([segment(client.port, ECHO, client._next, client._expected, ACK, data)])
    assert opened(net, 6000) == {ECHO: 0, DISCARD: 20, IPERF: 0}
    net.exchange(ms=ASKED_MS)
    assert not any(
        Client(net.exchange, port, service).open for port, service in enumerate((ECHO, DISCARD, IPERF), 7000)
    )
    net.exchange(ms=GONE_MS - ASKED_MS)
    net.exchange([resolve()])
    assert net.free == BUFFERS
    assert opened(net, 8000) == {ECHO: ECHOES, DISCARD: MOST - ECHOES, IPERF: 0}


@pytest.mark.parametrize("service", [ECHO, DISCARD, IPERF])
def test_one_that_is_only_quiet_stays(net: Native, service: int) -> None:
    client = Client(net.exchange, 5000, service)
    asked = 0
    for _ in range(2 * GONE_MS // 1000):
        for frame in net.exchange(ms=1000):
            if frame[12:14] == b"\x08\0" and frame[23] == TCP and frame[30:34] == address(PEER):
                asked += 1
                net.exchange([segment(client.port, service, client._next, client._expected, ACK)])
    assert asked == 2 * GONE_MS // 30_000
    assert client.send(b"here") == (b"here" if service == ECHO else b"")
    client.send(fin=True)
    assert client.finished and not client.was_reset
