# SPDX-License-Identifier: Apache-2.0
"""As little of GDB's side of the protocol as will do."""

import socket
from typing import Literal


class Client:
    """One connection, to a target of this byte order."""

    def __init__(self, port: int, order: Literal["little", "big"] = "little") -> None:
        self.order = order
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def byte(self) -> bytes:
        if not self.buffer:
            self.buffer = self.socket.recv(4096)
            assert self.buffer, "the server hung up"
        first, self.buffer = self.buffer[:1], self.buffer[1:]
        return first

    def reply(self) -> str:
        while self.byte() != b"$":
            pass
        data = b""
        while (byte := self.byte()) != b"#":
            data += byte
        assert int(self.byte() + self.byte(), 16) == sum(data) & 0xFF
        self.socket.sendall(b"+")
        return data.decode()

    def send(self, packet: bytes | str) -> None:
        data = packet.encode() if isinstance(packet, str) else packet
        self.socket.sendall(b"$" + data + b"#%02x" % (sum(data) & 0xFF))

    def ask(self, packet: bytes | str) -> str:
        self.send(packet)
        assert self.byte() == b"+"
        return self.reply()

    def word(self, packet: str) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(packet)), self.order)

    def monitor(self, command: str) -> str:
        return bytes.fromhex(self.ask("qRcmd," + command.encode().hex())).decode()
