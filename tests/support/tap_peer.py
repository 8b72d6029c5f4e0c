# SPDX-License-Identifier: Apache-2.0
"""`python tap_peer.py PEER COMMAND...`: a namespace with a TAP device, a peer in Python behind it, and nsoc's command.

The interface is `tap0`, 02-00-00-00-00-01. The peer, at 02-00-00-00-00-02, is one of

    echo      sends each frame back, addresses swapped
    station   takes numbered transfers, and serves the last one that it took
    published takes transfers by the published types only, and sends data back, as the published SoC's firmware may
    lossy     a station that loses every fifth frame that comes
    nobody    takes frames and says nothing
    down      the interface is not even up

`restrict` before the peer takes the right to open raw sockets from the command.
"""

import ctypes
import fcntl
import os
import random
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence

from nsoc.transfer import message, published
from nsoc.transfer.receiver import MakeStore
from nsoc.transfer.station import Station
from nsoc.transfer.storage import MemorySource, MemoryStore, Source

NAME, HERE, PEER = "tap0", bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x2, 0x1000
SIOCSIFHWADDR, SIOCSIFFLAGS, IFF_UP, ARPHRD_ETHER = 0x8924, 0x8914, 0x1, 1
PR_CAPBSET_DROP, CAP_NET_RAW = 24, 13
EVERY = 5


def own_namespace() -> str:
    """Makes one, of users too where one is not root; why it cannot be done, or nothing."""
    libc = ctypes.CDLL(None, use_errno=True)
    flags = CLONE_NEWNET | (CLONE_NEWUSER if os.geteuid() else 0)
    if libc.unshare(flags):
        return f"no network namespace of one's own: {os.strerror(ctypes.get_errno())}"
    if not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun"
    return ""


def make_tap(up: bool) -> int:
    """The descriptor of the far end of `tap0`."""
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", NAME.encode(), IFF_TAP | IFF_NO_PI))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFHWADDR, struct.pack("16sH6s16x", NAME.encode(), ARPHRD_ETHER, HERE))
        if up:
            fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH22x", NAME.encode(), IFF_UP))
    return tap


class Far:
    """A station that keeps what it takes, and serves it."""

    def __init__(self, every: int = 0) -> None:
        self._station = Station(PEER, random.Random(5), take=self._take, serve=self._serve, slowness=100.0)
        self._stores: dict[str, MemoryStore] = {}
        self._every, self._count = every, 0

    def _take(self, peer: bytes, open: message.Open) -> MakeStore:
        def make(total: int) -> MemoryStore:
            self._stores[open.name] = MemoryStore(total)
            return self._stores[open.name]

        return make

    def _serve(self, peer: bytes, open: message.Open) -> Source | message.Refusal:
        name = open.name or next(reversed(self._stores), "")
        return MemorySource(self._stores[name].data) if name in self._stores else message.Refusal.NOT_FOUND

    def __call__(self, frame: bytes | None, now: float) -> list[bytes]:
        """What it says to a frame, or to the passing of time."""
        self._count += frame is not None
        if frame is not None and not (self._every and self._count % self._every == 0):
            self._station.receive(frame, now)
        out = []
        while (answer := self._station.poll(now)) is not None:
            out.append(answer)
        return out


class Published:
    """Knows the published types only."""

    def __init__(self) -> None:
        self._receiver = published.Receiver()

    def __call__(self, frame: bytes | None, now: float) -> list[bytes]:
        said = None if frame is None else published.decode(frame)
        if frame is None or said is None or isinstance(said, published.Reject):
            return []
        self._receiver.receive(said, now)
        back = published.ethernet_header(frame[6:12], PEER)
        out = [back + frame[14:]] if isinstance(said, published.Data) else []
        while (ack := self._receiver.poll(now)) is not None:
            out.append(published.encode(ack, back))
        return out


def echo(frame: bytes | None, now: float) -> list[bytes]:
    return [] if frame is None else [frame[6:12] + frame[:6] + frame[12:]]


def nobody(frame: bytes | None, now: float) -> list[bytes]:
    return []


PEERS: dict[str, Callable[[], Callable[[bytes | None, float], list[bytes]]]] = {
    "echo": lambda: echo, "station": Far, "published": Published, "lossy": lambda: Far(EVERY), "nobody": lambda: nobody,
    "down": lambda: nobody,
}  # fmt: skip


def serve(tap: int, peer: Callable[[bytes | None, float], list[bytes]]) -> None:
    while True:
        select.select([tap], [], [], 0.02)
        try:
            frame = os.read(tap, 2048)
        except BlockingIOError:
            frame = None
        wanted = frame if frame is not None and frame[:6] == PEER else None
        for answer in peer(wanted, time.monotonic() * 1e6):
            os.write(tap, answer.ljust(60, b"\0"))


def main(arguments: Sequence[str]) -> int:
    why = own_namespace()
    if why:
        print(why)
        return 77
    restrict = arguments[0] == "restrict"
    peer, *command = arguments[1:] if restrict else arguments
    tap = make_tap(peer != "down")
    threading.Thread(target=serve, args=(tap, PEERS[peer]()), daemon=True).start()
    from nsoc.cli import call

    if restrict:
        os.set_inheritable(tap, True)
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_NET_RAW, 0, 0, 0)
        os.execv(sys.executable, [sys.executable, "-m", "nsoc", *command])
    status = 0
    while command:  # several, each behind a `then`
        end = command.index("then") if "then" in command else len(command)
        status = status or call(command[:end])
        command = command[end + 1 :]
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
