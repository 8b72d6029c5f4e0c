# SPDX-License-Identifier: Apache-2.0
"""A SoC's UART as a Unix stream socket: several clients see what it prints, and what they send is typed."""

import contextlib
import socket
from collections.abc import Sequence
from pathlib import Path

from nsoc.live.running import console_name, opened

REPEATED_BYTES = 16384
"""Of what was printed before, to a new client."""
READ_BYTES = 4096


class Console:
    """The listening socket of a SoC in a folder, and its clients."""

    def __init__(self, folder: Path, number: int) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        with opened(folder) as short:
            self._listener.bind(f"{short}/{console_name(number)}")
        self._listener.listen()
        self._clients: list[socket.socket] = []
        self._last = b""

    def sources(self) -> Sequence[socket.socket]:
        """What may become readable."""
        return [self._listener, *self._clients]

    def typed(self, source: socket.socket) -> bytes:
        """What a readable source has brought; nothing of a client that comes or goes."""
        if source is self._listener:
            with contextlib.suppress(OSError):  # until nobody else waits
                while True:
                    client, _ = self._listener.accept()
                    client.setblocking(False)
                    self._clients.append(client)
                    self._give(client, self._last)
            return b""
        try:
            brought = source.recv(READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            brought = b""
        if not brought:
            self._drop(source)
        return brought

    def printed(self, data: bytes) -> None:
        """The SoC has printed this."""
        self._last = (self._last + data)[-REPEATED_BYTES:]
        for client in list(self._clients):
            self._give(client, data)

    def close(self) -> None:
        """All connections end."""
        for one in self.sources():
            one.close()
        self._clients.clear()

    def _give(self, client: socket.socket, data: bytes) -> None:
        try:
            if client.send(data) < len(data):
                self._drop(client)
        except OSError:
            self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        """It has gone, or does not read: what it would miss cannot be kept for it."""
        if client in self._clients:
            self._clients.remove(client)
        client.close()
