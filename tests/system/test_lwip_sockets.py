# SPDX-License-Identifier: Apache-2.0
"""lwIP's sockets (firmware/lib/lwip_socket) on the SoC without the engine, by the program of the engine's sockets."""

from collections.abc import Iterator

import pytest
from net_frames import IGMP, UDP, address, ethernet, ipv4, udp
from runs import slow
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
from nsoc.machine.build import checkout
from nsoc.network.network import Network

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


@pytest.mark.parametrize("name", ["pubsub", *slow(["http_server", "socket_stream"])])
def test_a_program_with_sockets_is_one_for_lwip_too(name: str) -> None:
    if reason := lwip.why_not():
        pytest.skip(reason)
    assert firmware.build_for(PRESET, name).is_file()


def test_without_lwip_a_program_with_sockets_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lwip, "source", lambda: None)
    monkeypatch.setattr(lwip, "why_not", lambda: "lwIP is missing (no apt): set LWIP_DIR")
    with pytest.raises(NsocError, match=r"sockets without a TCP/IP engine are lwIP's: lwIP is missing .*LWIP_DIR"):
        firmware.recipe_for(PRESET, "socket_echo")


@pytest.mark.slow
def test_a_group_is_joined_sent_to_and_left() -> None:
    if reason := lwip.why_not():
        pytest.skip(reason)
    source = checkout() / "tests" / "support" / "sockets_groups.c"
    elf = firmware.compile_program("groups", [source], PRESET.firmware_defines(), flags=["-Werror"], place="dram")
    group, near = "239.1.2.3", "239.129.2.3"
    with Network(1) as network:
        soc, host = network.soc(PRESET, str(elf)), network.host()
        network.cable(host, soc)
        assert network.run(20 * MS, until=lambda: "ready" in soc.uart.text)
        network.run(SETTLE_US)

        def said(*frames: bytes) -> list[bytes]:
            for frame in frames:
                host.send(frame)
            network.run(5 * MS)
            return [frame.data for frame in host.receive_all() if frame.good]

        def for_group(to: str, data: bytes) -> bytes:
            mac = bytes.fromhex("01005e") + bytes([address(to)[1] & 0x7F]) + address(to)[2:]
            return ethernet(ipv4(udp(4000, 7000, data, destination=to), UDP, to=to), to=mac)

        (report,) = (frame for frame in said() if frame[23:24] == bytes([IGMP]))
        assert report[:6] == bytes.fromhex("01005e010203") and report[22] == 1 and report[38] == 0x16
        answers = [
            frame for data in (b"first", b"second") for frame in said(for_group(near, b"no"), for_group(group, data))
        ]
        assert [(frame[22], frame[42:48].rstrip(b"\0")) for frame in answers] == [(1, b"first"), (3, b"second")]
        assert all(frame[:6] == report[:6] and frame[30:34] == address(group) for frame in answers)
        (leave,) = (frame for frame in said(for_group(group, b"x")) if frame[23:24] == bytes([IGMP]))
        assert leave[30:34] == address("224.0.0.2") and leave[38] == 0x17
        assert said(for_group(group, b"more")) == []
        assert "trap" not in soc.uart.text
