# SPDX-License-Identifier: Apache-2.0
"""A program with sockets on the SoC and its peer, and what any echo of them must do, whichever stack is behind."""

from nsoc.machine.presets import Preset
from nsoc.machine.soc import Soc
from nsoc.network.inet import Peer
from nsoc.network.inet.peer import Stream
from nsoc.network.network import Network

SOC = "10.0.0.2"
MS = 1e3


def text(count: int, seed: int) -> bytes:
    return bytes((i * 7 + i // 251 + seed * 37) & 255 for i in range(count))


class Booted:
    """`settle_us`: from "ready" until its threads have opened their ports."""

    def __init__(self, preset: Preset, name: str, settle_us: float = 0.0, **defines: int | str) -> None:
        self.network = Network(1)
        self.soc: Soc = self.network.soc(preset, name, defines=defines)
        self.peer = Peer(self.network)
        self.network.cable(self.peer.host, self.soc)
        self.settle_us = settle_us

    def __enter__(self) -> "Booted":
        assert self.network.run(20 * MS, until=lambda: "ready" in self.soc.uart.text)
        self.peer.run(self.settle_us)
        assert self.peer.ping(SOC) is not None
        return self

    def __exit__(self, *_: object) -> None:
        said = self.soc.uart.text
        self.network.close()
        assert "trap" not in said and "os:" not in said, said

    def connect(self, port: int) -> Stream:
        return self.peer.connect(SOC, port, timeout_us=20 * MS)


def streams_are_echoed_at_once(echo: Booted) -> None:
    said = [text(count, count) for count in (1, 1459, 20_011, 30_000)]
    streams = [echo.connect(7) for _ in said]
    for stream, data in zip(streams, said, strict=True):
        stream.send(data)
        stream.finish()
    for stream, data in zip(streams, said, strict=True):
        assert stream.read_all(100 * MS) == data
        assert stream.close(20 * MS)


def a_lazy_peer_stops_its_own_thread_only(echo: Booted, within_us: float) -> None:
    """What it has not read is there when it reads, within that time."""
    lazy, other = echo.connect(7), echo.connect(7)
    lazy.send(text(100_000, 1))
    echo.peer.run(5 * MS)
    for n in range(10):
        other.send(text(100, n))
        assert other.read(100, 20 * MS) == text(100, n)
    assert lazy.read(100_000, within_us) == text(100_000, 1)
    for stream in (lazy, other):
        stream.close(20 * MS)


def datagrams_are_echoed_at_every_size(echo: Booted) -> None:
    udp = echo.peer.udp()
    for size in sorted({0, 1, 2, 17, 18, 19, 31, 32, 33, 1471, 1472, *range(0, 1473, 97)}):
        udp.send(text(size, size), SOC, 7)
        came = udp.receive(20 * MS)
        assert came is not None and came.data == text(size, size), size
    udp.close()
