# SPDX-License-Identifier: Apache-2.0
"""A TCP client for tests of a server whose line loses nothing: it acknowledges all that comes in order, and sends what
it is told to. The server is looked at as RFC 9293 has it: numbers, windows, sums."""

import struct
from collections.abc import Callable, Iterable

from net_frames import OUR_MAC, OURS, PEER, PEER_MAC, TCP, address, arp, checksum, ethernet, ipv4

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
WRAP = 1 << 32
Exchange = Callable[..., list[bytes]]


def segment(
    port: int, to: int, sequence: int, ack: int, flags: int, data: bytes = b"", *, window: int = 65535,
    options: bytes = b"",
) -> bytes:  # fmt: skip
    """A frame with a TCP segment."""
    head = struct.pack(
        ">HHIIBBHHH", port, to, sequence % WRAP, ack % WRAP, (20 + len(options)) // 4 << 4, flags, window, 0, 0
    )
    body = head + options + data
    pseudo = address(PEER) + address(OURS) + struct.pack(">HH", TCP, len(body))
    body = body[:16] + struct.pack(">H", checksum(pseudo + body)) + body[18:]
    return ethernet(ipv4(body, TCP))


def with_arp(exchange: Exchange) -> Exchange:
    """The same, by a host that says where it is when it is asked."""

    def go(frames: Iterable[bytes] = (), *, ms: int = 0) -> list[bytes]:
        came = exchange(list(frames), ms=ms)
        asked = [f for f in came if f[12:14] == b"\x08\x06" and f[20:22] == b"\0\1" and f[38:42] == address(PEER)]
        return came + exchange([ethernet(arp(2, PEER_MAC, PEER, OUR_MAC, OURS), 0x0806)]) if asked else came

    return go


class Client:
    """A connection. `exchange` gives frames to the program and returns its own."""

    def __init__(self, exchange: Exchange, port: int, to: int = 80, *, sequence: int = 0xFFFFFF00) -> None:
        self._exchange, self.port, self.to = with_arp(exchange), port, to
        self._next, self._expected = sequence, 0
        self.received = bytearray()
        self.open = self.finished = self.was_reset = False
        self._say(SYN, options=struct.pack(">BBH", 2, 4, 1460))
        self._next += 1
        if self.open:
            self._say(ACK)

    def send(self, data: bytes = b"", *, fin: bool = False) -> bytes:
        """Data goes out, in segments; what has come since the last call."""
        for at in range(0, len(data), 1460):
            part = data[at : at + 1460]
            self._say(ACK | PSH, part)
            self._next += len(part)
        if fin:
            self._say(ACK | FIN)
            self._next += 1
        return self.take()

    def take(self) -> bytes:
        came = bytes(self.received)
        self.received.clear()
        return came

    def wait(self, ms: int) -> bytes:
        """Time passes."""
        self._take(self._exchange(ms=ms))
        return self.take()

    def end(self) -> None:
        """A reset: nobody waits for this connection any more."""
        self._exchange([segment(self.port, self.to, self._next, self._expected, RST | ACK)])

    def _say(self, flags: int, data: bytes = b"", options: bytes = b"") -> None:
        frame = segment(self.port, self.to, self._next, self._expected, flags, data, options=options)
        self._take(self._exchange([frame]), len(data) + bool(flags & (SYN | FIN)))

    def _take(self, frames: Iterable[bytes], sent: int = 0) -> None:
        """Acknowledges until nothing comes any more. `sent`: numbers that were used and are not in _next yet."""
        todo = list(frames)
        while todo:
            news = False
            for frame in todo:
                news |= self._take_one(frame)
            todo = []
            if news:
                todo = self._exchange([segment(self.port, self.to, self._next + sent, self._expected, ACK)])

    def _take_one(self, frame: bytes) -> bool:
        length = (frame[14] & 15) * 4
        total = int.from_bytes(frame[16:18], "big")
        body = frame[14 + length : 14 + total]
        if frame[12:14] != b"\x08\0" or frame[23] != TCP:
            return False
        source, port, sequence, _, offset, flags = struct.unpack(">HHIIBB", body[:14])
        if (source, port) != (self.to, self.port):
            return False
        data = body[(offset >> 4) * 4 :]
        if flags & RST:
            self.was_reset, self.open = True, False
            return False
        if flags & SYN:
            self._expected, self.open = (sequence + 1) % WRAP, True
            return False
        if sequence != self._expected:
            return False
        self.received += data
        self._expected = (self._expected + len(data) + bool(flags & FIN)) % WRAP
        self.finished |= bool(flags & FIN)
        return bool(data) or bool(flags & FIN)
