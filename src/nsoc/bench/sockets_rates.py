# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench sockets` measures of programs that are busy: goodput of one connection through sockets, and requests
that an HTTP server answers.

Simulated time behind a warm-up; goodput is what comes out of the cable in it (nsoc.bench.crossing). The peer
(nsoc.network.inet) looks every microsecond in which something has come. All bytes that come to it are looked at: pages
are the page, what is sent says where it belongs.
"""

from dataclasses import dataclass
from typing import Literal

from nsoc.bench.crossing import Crossing
from nsoc.bench.sockets_measure import SOC, booted
from nsoc.errors import NsocError
from nsoc.machine import firmware, presets
from nsoc.network.inet import Settings, Stream
from nsoc.network.network import Network

RECEIVE, SEND, HTTP = "socket-receive", "socket-send", "http"
PRESETS = {"": "toe", "nodca-": "toe-nodca"}
"""By what a mode begins with."""
MODES = tuple(f"{way}{what}" for way in PRESETS for what in (RECEIVE, SEND, HTTP))
DISCARD_PORT, SOURCE_PORT, HTTP_PORT = 9, 5002, 80
GOODPUT, REQUESTS = "goodput_mbps", "requests_per_s"
RING = 1 << 15
"""Bytes of a ring of the one connection, if it is in memory."""
RECORDS = 12
"""Connections that there is room for with such rings; some are for listeners."""
DIRECT_RING = 1 << 14
"""Bytes of a ring of the one connection beside the engine."""
SETTINGS = Settings(window=1 << 17, timestamps=True, delayed_ack_us=40e3)
"""Of the peer, as a host of a LAN."""
SEGMENT = 1448
"""Bytes of a full one with timestamps: on the line it has 90 besides."""
AT_ONCE = 1 << 18
"""Bytes that the peer has ready."""
WARM_UP_US, MEASURED_US, TAIL_US = 5000.0, 20000.0, 25.0
"""The last one so that the frame at the end of the window has come, too."""
CLIENTS = 32
REQUEST = b"GET / HTTP/1.1\r\nHost: 10.0.0.2\r\n\r\n"
PAGE = (
    b"HTTP/1.1 200 OK\r\nServer: SoC\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n"
    + 16 * (bytes(ord("0") + i for i in range(63)) + b"\n")
)  # fmt: skip
SENT_BYTES, SENT_MARK = 1 << 20, 256
"""The program sends so many again and again; of each so many the first four say where they lie, in words."""


@dataclass(frozen=True)
class Rate:
    """A figure of a mode."""

    mode: str
    preset: str
    metric: str
    value: float


def preset(mode: str) -> str:
    """The system that it is measured on."""
    return PRESETS[mode.removesuffix(_what(mode))]


def _what(mode: str) -> str:
    return next(what for what in (RECEIVE, SEND, HTTP) if mode.endswith(what))


def measure(mode: str, system: str, seed: int) -> Rate:
    """On the preset `system`. Raises NsocError when bytes that come are not those that should."""
    return _http(mode, system, seed) if _what(mode) == HTTP else _stream(mode, system, seed)


def _stream(mode: str, system: str, seed: int) -> Rate:
    ring = f"{RING}u"
    defines: dict[str, int | str] = {
        "TOE_CONNECTIONS": f"{RECORDS}u",
        "TOE_RX_BYTES": ring,
        "TOE_TX_BYTES": ring,
        "TOE_DIRECT_BYTES": f"{DIRECT_RING}u",
    }
    receives = _what(mode) == RECEIVE
    soc = presets.load_soc(system)
    byte_order = firmware.ARCHITECTURES[soc.core].byte_order
    with Network(seed) as network:
        peer, cable = booted(network, soc, "socket_stream", defines, SETTINGS)[1:]
        crossing = Crossing(cable, 0 if receives else 1)
        stream = peer.connect(SOC, DISCARD_PORT if receives else SOURCE_PORT)
        came = 0

        def work() -> bool:
            nonlocal came
            data = stream.receive()
            _check_sent(data, came, byte_order)
            came += len(data)
            if receives and (room := AT_ONCE - stream.connection.unsent) >= AT_ONCE // 2:
                stream.send(bytes(room))
            return False

        peer.run(WARM_UP_US, until=work)
        begin = peer.now
        peer.run(MEASURED_US, until=work)
        end = peer.now
        peer.run(TAIL_US, until=work)
        _check_alive([stream])
        return Rate(mode, system, GOODPUT, crossing.mbps(begin, end))


def _http(mode: str, system: str, seed: int) -> Rate:
    with Network(seed) as network:
        _, peer, _ = booted(network, presets.load_soc(system), "http_server", {}, SETTINGS)
        streams = [peer.connect(SOC, HTTP_PORT) for _ in range(CLIENTS)]
        waiting = {stream: b"" for stream in streams}
        answered = 0
        for stream in streams:
            stream.send(REQUEST)

        def work() -> bool:
            nonlocal answered
            for stream in streams:
                if not stream.connection.available:
                    continue
                page = waiting[stream] = waiting[stream] + stream.receive()
                if len(page) < len(PAGE):
                    continue
                if page != PAGE:
                    raise NsocError("the firmware http_server sent something else than its page")
                waiting[stream] = b""
                answered += 1
                stream.send(REQUEST)
            return False

        peer.run(WARM_UP_US, until=work)
        begin, first = peer.now, answered
        peer.run(MEASURED_US, until=work)
        _check_alive(streams)
        return Rate(mode, system, REQUESTS, (answered - first) / (peer.now - begin) * 1e6)


def _check_sent(data: bytes, at: int, byte_order: Literal["little", "big"] = "little") -> None:
    """Marks that are whole in `data`, which begins at that byte of the stream. They are words of the processor."""
    for place in range(-at % SENT_MARK, len(data) - 3, SENT_MARK):
        if int.from_bytes(data[place : place + 4], byte_order) != (at + place) % SENT_BYTES // 4:
            raise NsocError(f"byte {at + place} of what the firmware socket_stream sent is wrong")


def _check_alive(streams: list[Stream]) -> None:
    for one in streams:
        if one.failure:
            raise NsocError(f"a connection with the SoC failed: {one.failure}")
