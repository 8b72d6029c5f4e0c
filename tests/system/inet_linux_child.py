# SPDX-License-Identifier: Apache-2.0
"""`python inet_linux_child.py LOSS`: in a network namespace of its own, Linux and the Python stack send each other
bytes over a TAP device, on a cable with that loss. What test_inet_linux.py starts.

Prints a line for each connection that went well.
"""

import ctypes
import fcntl
import random
import socket
import struct
import sys
import time
from contextlib import suppress

from nsoc.network.faults import Faults
from nsoc.network.inet import Peer, Settings, State, Stream
from nsoc.network.network import Network

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFHWADDR, IFF_UP = 0x8914, 0x8916, 0x891C, 0x8924, 0x1
BYTES, PORT = 100_000, 7


def set_up(name: str) -> None:
    """10.0.0.1 on that interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        mac = bytes.fromhex("020000000001")
        fcntl.ioctl(control, SIOCSIFHWADDR, struct.pack("16sH6s8x", name.encode(), 1, mac))
        for request, address in ((SIOCSIFADDR, "10.0.0.1"), (SIOCSIFNETMASK, "255.255.255.0")):
            packed = struct.pack("16sHH4s8x", name.encode(), socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, request, packed)
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH22x", name.encode(), IFF_UP))


class Meeting:
    """Linux and a peer; simulated time follows the clock on the wall."""

    def __init__(self, settings: Settings, loss: float) -> None:
        self.network = Network()
        self.tap = self.network.tap("nsoc-inet")
        self.peer = Peer(self.network, "10.0.0.2", "02:00:00:00:00:02", settings=settings)
        self.network.cable(self.tap, self.peer.host, faults=Faults(loss=loss))
        set_up(self.tap.name)
        self._last = time.monotonic()

    def step(self) -> None:
        now = time.monotonic()
        self.peer.run(min(max((now - self._last) * 1e6, 10.0), 1000.0))
        self._last = now

    def exchange(self, linux: socket.socket, stream: Stream, there: bytes, back: bytes) -> None:
        """Both send at once, and close."""
        out, came = memoryview(there), bytearray()
        stream.send(back)
        stream.finish()
        from_linux = bytearray()
        shut = over = False
        while not (shut and over and stream.over):
            if out:
                with suppress(BlockingIOError):
                    out = out[linux.send(out) :]
            elif not shut:
                linux.shutdown(socket.SHUT_WR)
                shut = True
            with suppress(BlockingIOError):
                data = linux.recv(65536)
                came += data
                over = over or not data
            from_linux += stream.receive()
            self.step()
        assert bytes(from_linux) == there and bytes(came) == back
        while stream.state not in (State.TIME_WAIT, State.CLOSED):
            self.step()
        assert not stream.failure, stream.failure


def run(name: str, settings: Settings, loss: float) -> None:
    rng = random.Random(name)
    meeting = Meeting(settings, loss)
    with meeting.network:
        listener = meeting.peer.listen(PORT)
        for opener in ("Linux", "the peer"):
            there, back = rng.randbytes(BYTES), rng.randbytes(BYTES)
            with socket.socket() as linux, socket.socket() as server:
                if opener == "Linux":
                    linux.setblocking(False)
                    linux.connect_ex(("10.0.0.2", PORT))
                    while not listener.waiting:
                        meeting.step()
                    meeting.exchange(linux, listener.waiting.popleft(), there, back)
                else:
                    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    server.bind(("10.0.0.1", PORT))
                    server.listen()
                    server.setblocking(False)
                    stream = meeting.peer.open("10.0.0.1", PORT)
                    accepted = None
                    while accepted is None:
                        meeting.step()
                        try:
                            accepted, _ = server.accept()
                        except BlockingIOError:
                            continue
                    accepted.setblocking(False)
                    with accepted:
                        meeting.exchange(accepted, stream, there, back)
            print(f"{name}, opened by {opener}")


def main() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        sys.exit("no network namespace of one's own")
    loss = float(sys.argv[1])
    run("plain", Settings(), loss)
    run("with options", Settings(window=500_000, timestamps=True, delayed_ack_us=40e3), loss)
    run("small segments", Settings(mss=536, window=4000), loss)


if __name__ == "__main__":
    main()
