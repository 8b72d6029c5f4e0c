# SPDX-License-Identifier: Apache-2.0
"""lwIP's sockets (firmware/lib/lwip_socket) on the SoC without the engine, by the program of the engine's sockets."""

from collections.abc import Iterator

import pytest

from nsoc.errors import NsocError
from nsoc.machine import firmware, lwip, presets
from nsoc.machine.soc import Soc
from nsoc.network.inet import Peer
from nsoc.network.network import Network

PRESET = presets.load("toe-lwip")
SOC = "10.0.0.2"
MS = 1e3
SETTLE_US = 1000.0
FLOOD = 100
"""More than there are packet buffers."""


def text(count: int, seed: int) -> bytes:
    return bytes((i * 7 + i // 251 + seed * 37) & 255 for i in range(count))


class Booted:
    def __init__(self, name: str) -> None:
        self.network = Network(1)
        self.soc: Soc = self.network.soc(PRESET, name)
        self.peer = Peer(self.network)
        self.cable = self.network.cable(self.peer.host, self.soc)

    def __enter__(self) -> "Booted":
        assert self.network.run(20 * MS, until=lambda: "ready" in self.soc.uart.text)
        self.peer.run(SETTLE_US)
        assert self.peer.ping(SOC) is not None
        return self

    def __exit__(self, *_: object) -> None:
        said = self.soc.uart.text
        self.network.close()
        assert "trap" not in said and "os:" not in said, said


@pytest.fixture(scope="module")
def echo() -> Iterator[Booted]:
    if reason := lwip.why_not():
        pytest.skip(reason)
    with Booted("socket_echo") as booted:
        yield booted


@pytest.mark.slow
def test_datagrams_are_echoed_at_every_size(echo: Booted) -> None:
    udp = echo.peer.udp()
    for size in sorted({0, 1, 2, 17, 18, 19, 31, 32, 33, 1471, 1472, *range(0, 1473, 97)}):
        udp.send(text(size, size), SOC, 7)
        came = udp.receive(20 * MS)
        assert came is not None and came.data == text(size, size), size
    udp.close()


@pytest.mark.slow
def test_streams_are_echoed_by_four_threads_at_once(echo: Booted) -> None:
    said = [text(count, count) for count in (1, 1459, 20_011, 30_000)]
    streams = [echo.peer.connect(SOC, 7, timeout_us=20 * MS) for _ in said]
    for stream, data in zip(streams, said, strict=True):
        stream.send(data)
        stream.finish()
    for stream, data in zip(streams, said, strict=True):
        assert stream.read_all(100 * MS) == data
        assert stream.close(20 * MS)


@pytest.mark.slow
def test_segments_of_odd_sizes_are_echoed_one_by_one(echo: Booted) -> None:
    stream = echo.peer.connect(SOC, 7, timeout_us=20 * MS)
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
    lazy, other = (echo.peer.connect(SOC, 7, timeout_us=20 * MS) for _ in range(2))
    lazy.send(text(100_000, 1))
    echo.peer.run(5 * MS)
    for n in range(10):
        other.send(text(100, n))
        assert other.read(100, 20 * MS) == text(100, n)
    assert lazy.read(100_000, 400 * MS) == text(100_000, 1)
    for stream in (lazy, other):
        stream.close(20 * MS)


@pytest.mark.slow
def test_32_clients_that_come_at_once_get_the_page_from_one_thread() -> None:
    if reason := lwip.why_not():
        pytest.skip(reason)
    with Booted("http_server") as booted:
        streams = [booted.peer.connect(SOC, 80, timeout_us=20 * MS) for _ in range(32)]
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
