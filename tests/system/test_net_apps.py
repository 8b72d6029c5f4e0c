# SPDX-License-Identifier: Apache-2.0
"""`net` on the SoC: what a host on its network gets from it, with lwIP and without."""

import contextlib
import json
from collections.abc import Callable, Iterator

import needs
import pytest
from net_dhcp import OFFERED, DhcpServer
from net_frames import UDP, check_sums, datagram, ping, resolve
from net_tcp import Client
from runs import slow

from nsoc.machine import presets
from nsoc.machine.soc import Soc
from nsoc.network.network import Network, NetworkHost

needs_lwip = needs.lwip()
READY_US = 3000
CORES = [presets.DEFAULT, *slow(["ajit-nic12-fast"])]


@contextlib.contextmanager
def running(preset: str, **defines: int) -> Iterator[tuple[Network, Soc, NetworkHost]]:
    """`net` on a cable with a host, booted."""
    with Network() as network:
        soc, host = network.soc(preset, "net", defines=defines), network.host()
        network.cable(host, soc)
        while "ready" not in soc.uart.text:
            assert network.time_us < READY_US, soc.uart.text
            network.run(us=100)
        yield network, soc, host


def exchange(network: Network, host: NetworkHost, patience_us: float = 150) -> Callable[..., list[bytes]]:
    """As Native.exchange: frames go, frames come until none comes any more for a while."""

    def go(frames: list[bytes] = (), *, ms: int = 0) -> list[bytes]:  # type: ignore[assignment]
        for frame in frames:
            host.send(frame)
        network.run(us=1000 * ms)
        came: list[bytes] = []
        until = network.time_us + patience_us
        while network.time_us < until:
            network.run(us=20)
            arrived = [frame.data for frame in host.receive_all()]
            came += arrived
            if arrived:
                until = network.time_us + patience_us
        return came

    return go


def command(network: Network, soc: Soc, line: str) -> list[str]:
    """What the SoC prints on a line of text, up to its end."""
    before = len(soc.uart.text)
    soc.uart.write(line + "\n")
    until = network.time_us + 100_000
    while not soc.uart.text.endswith("end\n") or len(soc.uart.text) == before:
        assert network.time_us < until, soc.uart.text
        network.run(us=200)
    return [text.strip() for text in soc.uart.text[before:].splitlines()]


@pytest.mark.parametrize("preset", CORES)
def test_without_lwip_it_answers_arp_pings_udp_and_tftp_and_loses_no_buffer(preset: str) -> None:
    with running(preset, NSOC_HAS_LWIP=0) as (network, soc, host):
        assert soc.uart.text == "N-SoC net: 10.0.0.2, without lwIP, ready\n"
        go = exchange(network, host)
        (answer,) = go([resolve()])
        assert answer[20:22] == b"\0\2" and answer[22:32] == bytes.fromhex("0200000000020a000002")
        for size in (0, 1, 56, 1472):
            data = bytes(i & 255 for i in range(size))
            (pong,) = go([ping(data)])
            check_sums(pong)
            assert pong[34] == 0 and pong[42 : 42 + size] == data
            (echo,) = go([datagram(7, data)])
            check_sums(echo)
            assert echo[42 : 42 + size] == data
        answers = go([datagram(7, bytes([n]) * 18) for n in range(64)])
        assert [frame[42] for frame in answers] == list(range(64)), "a burst of them"
        (unreachable,) = go([datagram(77, b"x")])
        check_sums(unreachable)
        assert unreachable[34:36] == b"\3\3"
        (block,) = go([datagram(69, b"\0\1" + b"40100000/10\0octet\0")])
        assert block[42:46] == b"\0\3\0\1" and block[23] == UDP
        go([datagram(int.from_bytes(block[34:36], "big"), b"\0\4\0\1")])
        assert "64 circulate" in command(network, soc, "buffers")
        counted = command(network, soc, "counters")
        assert {"4 ICMP echo requests answered", "1 tftp.gets", f"{soc.counters['rx_good']} nic.rx_good"} <= {*counted}


@needs_lwip
@pytest.mark.parametrize("preset", CORES)
def test_the_page_the_counters_and_bytes_come_over_tcp(preset: str) -> None:
    with running(preset) as (network, soc, host):
        go = exchange(network, host, patience_us=5000)
        go([resolve()])
        client = Client(go, 5000)
        page = client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert page.startswith(b"HTTP/1.1 200 OK\r\n") and page.endswith(b"</html>\n\r\n0\r\n\r\n")
        assert b"<td>buffer_size<td>084<td>00000800\n" in page and b"<td>tx_stamp<td>120<td>not read\n" in page
        answer = client.send(b"GET /bytes/9000 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer.endswith(bytes((i * 31 + (i >> 8) * 7) & 255 for i in range(9000)))
        counters = client.send(b"GET /counters.json HTTP/1.0\r\n\r\n").partition(b"\r\n\r\n")[2]
        values = json.loads(counters)
        assert values["http"]["answered"] == 3 and 0 < values["nic"]["rx_good"] <= soc.counters["rx_good"]
        assert client.finished and not client.was_reset
        client.send(fin=True)
        assert "64 circulate" in command(network, soc, "buffers")


@needs_lwip
@pytest.mark.parametrize("preset", CORES)
def test_an_address_comes_by_dhcp(preset: str) -> None:
    with running(preset, NET_DHCP=1) as (network, soc, host):
        server = DhcpServer()
        while f"address {OFFERED}\n" not in soc.uart.text:
            assert network.time_us < 3e6, soc.uart.text
            network.run(us=1000)
            for arrived in host.receive_all():
                for answer in server.answer(arrived.data):
                    host.send(answer)
        assert server.said == ["discover", "request"]
