# SPDX-License-Identifier: Apache-2.0
"""lwIP's sockets (firmware/lib/lwip_socket) on the SoC without the engine, by the program of the engine's sockets."""

from collections.abc import Iterator

import pytest
from sockets_peer import (
    MS,
    SOC,
    Booted,
    a_lazy_peer_stops_its_own_thread_only,
    datagrams_are_echoed_at_every_size,
    streams_are_echoed_at_once,
    text,
)

from nsoc.errors import NsocError
from nsoc.machine import firmware, lwip, presets

PRESET = presets.load("toe-lwip")
SETTLE_US = 1000.0
FLOOD = 100
"""More than there are packet buffers."""


@pytest.fixture(scope="module")
def echo() -> Iterator[Booted]:
    if reason := lwip.why_not():
        pytest.skip(reason)
    with Booted(PRESET, "socket_echo", SETTLE_US) as booted:
        yield booted


@pytest.mark.slow
def test_datagrams_are_echoed_at_every_size(echo: Booted) -> None:
    datagrams_are_echoed_at_every_size(echo)


@pytest.mark.slow
def test_streams_are_echoed_by_four_threads_at_once(echo: Booted) -> None:
    streams_are_echoed_at_once(echo)


@pytest.mark.slow
def test_segments_of_odd_sizes_are_echoed_one_by_one(echo: Booted) -> None:
    stream = echo.connect(7)
    for size in (1, 2, 3, 31, 32, 33, 127, 1023, 1459, 1460, 1461, 2921):
        stream.send(text(size, size))
        assert stream.read(size, 100 * MS) == text(size, size), size
    assert stream.close(20 * MS)


@pytest.mark.slow
def test_more_datagrams_than_there_are_buffers_do_no_harm(echo: Booted) -> None:
    """Those that come are right ones and in order; none has a buffer for ever."""
    for _ in range(3):
        udp = echo.peer.udp()
        said = [text(40, n) for n in range(FLOOD)]
        for data in said:
            udp.send(data, SOC, 7)
        came = []
        while got := udp.receive(2 * MS):
            came.append(said.index(got.data))
        assert came == sorted(set(came)) and len(came) >= 8, came
        udp.close()


@pytest.mark.slow
def test_a_peer_that_does_not_read_stops_its_own_thread_only(echo: Booted) -> None:
    a_lazy_peer_stops_its_own_thread_only(echo, 400 * MS)


@pytest.mark.slow
def test_32_clients_that_come_at_once_get_the_page_from_one_thread() -> None:
    if reason := lwip.why_not():
        pytest.skip(reason)
    with Booted(PRESET, "http_server", SETTLE_US) as booted:
        streams = [booted.connect(80) for _ in range(32)]
        line = bytes(ord("0") + i % 64 for i in range(63)) + b"\n"
        head = b"HTTP/1.1 200 OK\r\nServer: SoC\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n"
        for stream in streams:
            stream.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for stream in streams:
            assert stream.read(len(head) + 1024, 100 * MS) == head + 16 * line


@pytest.mark.parametrize("name", ["http_server", "pubsub", "socket_stream"])
def test_a_program_with_sockets_is_one_for_lwip_too(name: str) -> None:
    if reason := lwip.why_not():
        pytest.skip(reason)
    assert firmware.build_for(PRESET, name).is_file()


def test_without_lwip_a_program_with_sockets_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lwip, "source", lambda: None)
    monkeypatch.setattr(lwip, "why_not", lambda: "lwIP is missing (no apt): set LWIP_DIR")
    with pytest.raises(NsocError, match=r"sockets without a TCP/IP engine are lwIP's: lwIP is missing .*LWIP_DIR"):
        firmware.recipe_for(PRESET, "socket_echo")
