# SPDX-License-Identifier: Apache-2.0
"""Device registers of a SoC that runs in nsoc up: a Unix stream socket for each, beside that of its UART.

A client sends lines, the address of a register in hexadecimal digits, and gets a line for each: `=` with its value, `-`
when the bus has answered with an error, as it does where the system has no such register, or `!` with a sentence. What
a read does in the device, it does: nsoc.machine.devices knows, and who asks looks there before.
"""

import contextlib
import socket
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.live.running import opened, registers_name
from nsoc.machine import devices
from nsoc.machine.listing import Found, Values

READ_BYTES = 4096
LINE_BYTES = 100
"""More is no request."""

Read = Callable[[int], int | None]
"""The register at an address; None: an error. Raises NsocError."""


class Registers:
    """The listening socket of a SoC in a folder, and its clients. `read` reads a register."""

    def __init__(self, folder: Path, number: int, read: Read) -> None:
        self._read = read
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        with opened(folder) as short:
            self._listener.bind(f"{short}/{registers_name(number)}")
        self._listener.listen()
        self._clients: dict[socket.socket, bytes] = {}

    def sources(self) -> Sequence[socket.socket]:
        """The sockets that may become readable."""
        return [self._listener, *self._clients]

    def serve(self, source: socket.socket) -> None:
        """Answers what a readable source has brought."""
        if source is self._listener:
            with contextlib.suppress(OSError):
                client, _ = self._listener.accept()
                client.setblocking(False)
                self._clients[client] = b""
            return
        try:
            brought = source.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            brought = b""
        *lines, rest = (self._clients[source] + brought).split(b"\n")
        self._clients[source] = rest
        try:
            if brought and len(rest) <= LINE_BYTES:
                source.sendall(b"".join(self._answer(line) for line in lines))
                return
        except OSError:
            pass  # it does not read, or has gone
        del self._clients[source]
        source.close()

    def close(self) -> None:
        """All connections end."""
        for one in self.sources():
            one.close()
        self._clients.clear()

    def _answer(self, line: bytes) -> bytes:
        try:
            value = self._read(int(line, 16))
        except (NsocError, ValueError) as problem:
            return f"!{problem}\n".encode()
        return b"-\n" if value is None else b"=%x\n" % value


def ask(connection: socket.socket, addresses: Iterable[int]) -> list[int | None]:
    """The values of registers at these addresses; None where the bus has answered with an error. Running.registers()
    gives the connection. Raises NsocError."""
    found: list[int | None] = []
    with connection.makefile("rwb") as line:
        for address in addresses:
            line.write(b"%x\n" % address)
            line.flush()
            answer = line.readline().decode(errors="replace").rstrip("\n")
            if not answer:
                raise NsocError("nsoc up has ended: start it again")
            if answer.startswith("!"):
                raise NsocError(answer[1:])
            found.append(int(answer[1:], 16) if answer.startswith("=") else None)
    return found


def values(connection: socket.socket, found: Found, effects: bool) -> Values:
    """The values of a SoC's registers. One whose read does something is read only with `effects`. Those that the system
    does not have are left out; NsocError where nothing is left, and for a single register that is not read."""
    wanted = {(block.name, register.name) for block, registers in found for register in registers}
    chosen = [place for place in devices.places() if (place.block.name, place.register.name) in wanted]
    if len(chosen) == 1:
        devices.check_read(chosen[0].address, effects, "give --effects to read it all the same")
    read = [place.address for place in chosen if effects or not place.register.read_acts]
    answers = dict(zip(read, ask(connection, read), strict=True))
    there = {place.device for place in chosen if answers.get(place.address) is not None}
    if not there:
        raise NsocError("the system does not have that: nsoc presets says what it has")
    return [
        (place.name, place.address, place.register, answers.get(place.address))
        for place in chosen
        if place.device in there and answers.get(place.address, 0) is not None
    ]
