# SPDX-License-Identifier: Apache-2.0
"""The line to one GDB: packets come and go on it, are acknowledged, and are sent again when GDB asks for it."""

import select
import socket

from nsoc.machine.gdb.packets import PACKET_BYTES, checksum, frame_packet

INTERRUPT = 0x03


class Connection:
    """A GDB that has connected. Its methods raise OSError when it hangs up in the middle of something."""

    def __init__(self, line: socket.socket) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line = line
        self._buffer = bytearray()
        self._last = b""
        self.acknowledge = True
        """False once GDB has said that the line loses nothing."""

    def close(self) -> None:
        """Hangs up."""
        self._line.close()

    def next_packet(self) -> bytes | None:
        """The contents of the next whole packet, acknowledged; None when the other side has hung up."""
        while True:
            if not self._buffer:
                if not self._receive(wait=True):
                    return None
                continue
            first = self._buffer[0]
            if first != ord("$"):
                del self._buffer[0]  # also an interrupt that came too late
                if first == ord("-") and self._last:
                    self._line.sendall(self._last)
                continue
            end = self._buffer.find(b"#")
            if end < 0 or len(self._buffer) < end + 3:
                if len(self._buffer) > 2 * PACKET_BYTES:
                    self._buffer.clear()
                    self._line.sendall(b"-")
                elif not self._receive(wait=True):
                    return None
                continue
            contents, check = bytes(self._buffer[1:end]), bytes(self._buffer[end + 1 : end + 3])
            del self._buffer[: end + 3]
            if not self.acknowledge:
                return contents
            if check.lower() == checksum(contents):
                self._line.sendall(b"+")
                return contents
            self._line.sendall(b"-")

    def answer(self, contents: bytes) -> None:
        """Sends a packet."""
        self._last = frame_packet(contents)
        self._line.sendall(self._last)

    def interrupted(self) -> bool:
        """Whether GDB wants the firmware to stop, or is gone."""
        try:
            if self._line.fileno() < 0 or not self._receive(wait=False):
                return True
        except ConnectionError:  # it has gone without a word
            return True
        found = INTERRUPT in self._buffer
        if found:
            self._buffer.remove(INTERRUPT)
        return found

    def _receive(self, wait: bool) -> bool:
        """Takes what has come; False when the other side has hung up."""
        if not wait and not select.select([self._line], [], [], 0)[0]:
            return True
        data = self._line.recv(65536)
        self._buffer += data
        return bool(data)
