# SPDX-License-Identifier: Apache-2.0
"""Many TCP connections at once to an echo server, each with bytes of its own, and all of them again, beside `nsoc up`.

    exchange_many.py ADDRESS CONNECTIONS BYTES ROUNDS

One more connection is opened first and never read. Prints a line for each round.
"""

import random
import selectors
import socket
import sys

PORT = 7
CHUNK = 1400


class Echo:
    """A connection: sends all, says that it has, and takes what comes back."""

    def __init__(self, address: str, data: bytes) -> None:
        self.data, self.sent, self.got = data, 0, bytearray()
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex((address, PORT))

    def write(self) -> bool:
        """Whether there is more to send."""
        self.sent += self.socket.send(self.data[self.sent : self.sent + CHUNK])
        if self.sent < len(self.data):
            return True
        self.socket.shutdown(socket.SHUT_WR)
        return False

    def read(self) -> bool:
        """Whether more may come."""
        data = self.socket.recv(65536)
        self.got += data
        return bool(data)


def round_of(address: str, count: int, size: int, number: int) -> None:
    rng = random.Random(number)
    ready = selectors.DefaultSelector()
    for _ in range(count):
        one = Echo(address, rng.randbytes(size))
        ready.register(one.socket, selectors.EVENT_WRITE, one)
    opened = [key.data for key in ready.get_map().values()]
    left = count
    while left:
        for key, what in ready.select():
            one = key.data
            if what & selectors.EVENT_WRITE and not one.write():
                ready.modify(one.socket, selectors.EVENT_READ, one)
            if what & selectors.EVENT_READ and not one.read():
                ready.unregister(one.socket)
                left -= 1
                assert one.got == one.data, f"{len(one.got)} bytes of {size}, or wrong ones"
    for one in opened:
        one.socket.close()
    print(f"round {number}: {count} connections, each {size} bytes and back", flush=True)


def main() -> None:
    address, *numbers = sys.argv[1:]
    count, size, rounds = map(int, numbers)
    stuck = socket.create_connection((address, PORT))
    stuck.setblocking(False)
    try:
        while True:
            stuck.send(bytes(1 << 20))
    except BlockingIOError:
        pass
    for number in range(rounds):
        round_of(address, count, size, number)
    stuck.close()


if __name__ == "__main__":
    main()
