# SPDX-License-Identifier: Apache-2.0
"""A network interface of this machine as a program's line, and the clock on the wall as its time.

`Interface` is a `Link` of nsoc.transfer.runner, `WallClock` a `Clock`. So what speaks to a SoC on a simulated network
speaks to one behind a real interface, too.
"""

import contextlib
import errno
import fcntl
import os
import random
import select
import socket
import struct
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from types import TracebackType

from nsoc.errors import NsocError
from nsoc.live.running import running, the_running
from nsoc.network.ethernet import SHORTEST
from nsoc.network.network import Arrived, Departed
from nsoc.transfer.published import ETHERTYPE
from nsoc.transfer.station import Station
from nsoc.transfer.transfers import Progress, Transfers

SLOWNESS = 100.0
"""Who speaks to a SoC in a simulator waits so many times longer for an answer than on a real line."""

_RECEIVE_BYTES = 8 << 20
_LONGEST_FRAME = 65536
_RETRY_S = 0.001
_SIOCGIFHWADDR = 0x8927
_ARPHRD_ETHER = 1
_SOL_PACKET, _PACKET_STATISTICS = 263, 6
_FULL = (errno.EAGAIN, errno.ENOBUFS)


def reach(name: str, pid: int | None = None, tell: Callable[[str], None] = lambda _: None) -> None:
    """Joins the namespace of the `nsoc up` that runs, or of that process, where there is no interface `name` here. Its
    SoCs are ready then; `tell` gets what is waited for.

    The calling process must have a single thread. Raises NsocError.
    """
    here = [known for _, known in socket.if_nameindex()]
    if pid is None and name in here:
        return
    if pid is None and not running():
        raise NsocError(f"there is no interface {name} here, only {', '.join(here)}, and no nsoc up is running")
    one = the_running(pid)
    one.wait_ready(tell)
    one.enter()


class Interface:
    """The interface `name`, for frames of one Ethertype; `address` is its MAC address.

    Stamps are those of the clock on the wall at which the program had the frame. To be used in a `with` statement.
    """

    def __init__(self, name: str, ethertype: int = ETHERTYPE) -> None:
        self.name = name
        self._queue: deque[bytes] = deque()
        self._came: deque[Arrived] = deque()
        self._counts: Counter[str] = Counter()
        if name not in (found := [known for _, known in socket.if_nameindex()]):
            raise NsocError(f"there is no interface {name} here, only {', '.join(found)}")
        try:
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ethertype))
        except PermissionError:
            raise NsocError(
                f"{name} wants the right to send raw frames (CAP_NET_RAW): run it as root, or inside `nsoc up -- bash`"
            ) from None
        try:
            self._open(ethertype)
        except BaseException:
            self._socket.close()
            raise

    def _open(self, ethertype: int) -> None:
        request = struct.pack("16s24x", self.name.encode())
        kind, self.address = struct.unpack("16xH6s16x", fcntl.ioctl(self._socket, _SIOCGIFHWADDR, request))
        if kind != _ARPHRD_ETHER:
            raise NsocError(f"{self.name} is no Ethernet interface: it has no MAC address")
        self._socket.setblocking(False)
        for option in (socket.SO_RCVBUF, getattr(socket, "SO_RCVBUFFORCE", 33)):  # the second one is for root only
            with contextlib.suppress(PermissionError):
                self._socket.setsockopt(socket.SOL_SOCKET, option, _RECEIVE_BYTES)
        self._socket.bind((self.name, ethertype))

    def __enter__(self) -> "Interface":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frames that have not gone do not go any more."""
        self._socket.close()

    def fileno(self) -> int:
        """To wait for frames."""
        return self._socket.fileno()

    def send(self, frame: bytes) -> Departed:
        """Sends a frame, which is padded to 60 bytes. What the kernel has no room for waits."""
        self._queue.append(frame.ljust(SHORTEST, b"\0"))
        self._flush()
        now = _now_ps()
        return Departed(now, now)

    @property
    def queued(self) -> int:
        """Frames that the kernel has not taken yet."""
        self._flush()
        return len(self._queue)

    @property
    def pending(self) -> int:
        """Frames that came and wait."""
        self.take()
        return len(self._came)

    def receive_all(self) -> list[Arrived]:
        """Everything that waits now."""
        self.take()
        came = list(self._came)
        self._came.clear()
        return came

    def counts(self) -> dict[str, int]:
        """Frames for this program that the kernel dropped since it had no room for them: `overflowed`."""
        raw = self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8)
        self._counts["overflowed"] += struct.unpack("II", raw)[1]  # reading it clears it
        return dict(self._counts)

    def _flush(self) -> None:
        while self._queue:
            try:
                self._socket.send(self._queue[0])
            except OSError as problem:
                if problem.errno in _FULL:
                    return
                raise self._gone(problem) from None
            self._queue.popleft()

    def take(self) -> None:
        """Takes over what has come, so that the kernel has room."""
        while True:
            try:
                frame = self._socket.recv(_LONGEST_FRAME)
            except BlockingIOError:
                return
            except OSError as problem:
                raise self._gone(problem) from None
            now = _now_ps()
            self._came.append(Arrived(frame, now, now, True, False, 0))

    def _gone(self, problem: OSError) -> NsocError:
        if problem.errno == errno.EMSGSIZE:
            return NsocError(f"a frame is longer than {self.name} takes; give it an MTU of 1500 bytes")
        if problem.errno == errno.ENETDOWN:
            return NsocError(f"{self.name} is down, or gone; it must be up before frames can pass")
        return NsocError(f"{self.name} cannot be used any more: {os.strerror(problem.errno or errno.EIO)}")


class WallClock:
    """Time that passes by itself, while a program waits for frames of `link`. Microseconds."""

    def __init__(self, link: Interface) -> None:
        self._link = link

    @property
    def time_us(self) -> float:
        """The time, since the machine was started."""
        return _now_ps() / 1e6

    def run(self, us: float = 1000.0, *, until: Callable[[], bool] | None = None, every_us: float = 0.0) -> bool:
        """Waits for `us`, or until `until` holds, which is asked whenever a frame has come or could go.

        `every_us` is for clocks of simulated time: this one is woken by what happens.
        """
        end = time.monotonic() + us / 1e6
        waiting = select.poll()
        waiting.register(self._link, select.POLLIN)
        while True:
            self._link.take()
            if until is not None and until():
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            wait = min(left, _RETRY_S) if self._link.queued else left
            waiting.poll(wait * 1000)


def check_peers(line: Interface, peers: Sequence[bytes]) -> None:
    """Raises NsocError when one of the stations is this machine itself."""
    if line.address in peers:
        raise NsocError(f"{line.address.hex(':')} is {line.name} itself: name the station of a SoC, such as 2")


def transfers(
    line: Interface, peers: Sequence[bytes], *, patience_us: float, fifo_bytes: int, capture: bool = False,
    progress: Progress = lambda done, total: None,
) -> Transfers:  # fmt: skip
    """Transfers with stations behind an interface: see `Transfers`.

    Numbers of transfers are drawn anew by each program: a SoC that goes on running remembers the old ones.
    """
    station = Station(line.address, random.SystemRandom(), transfers=1024, patience_us=patience_us, slowness=SLOWNESS)
    return Transfers(
        WallClock(line), line, station, peers, patience_us=patience_us, fifo_bytes=fifo_bytes, slowness=SLOWNESS,
        capture=capture, progress=progress,
    )  # fmt: skip


def _now_ps() -> int:
    return time.monotonic_ns() * 1000
