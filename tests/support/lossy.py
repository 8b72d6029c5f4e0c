# SPDX-License-Identifier: Apache-2.0
"""A bad network in plain Python: two state machines of the transfer protocol, and frames that get lost between them."""

import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from nsoc.transfer.end import End
from nsoc.transfer.message import Message, Reject, decode, encode
from nsoc.transfer.published import State, ethernet_header

HEADER = ethernet_header(bytes.fromhex("0a0b0c0d0e0f"), bytes.fromhex("020304050607"))
FLIGHT_US = 40.0
FRAME_US = 12.0


@dataclass(frozen=True)
class Mix:
    """Probabilities for each frame of each way."""

    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    bad_fcs: float = 0.0
    """Flipped bits that the receiver's MAC sees: a loss."""
    wrong_bytes: float = 0.0
    """1 to 8 other bytes behind the addresses and the type, and a good FCS."""


HEAVY = Mix(loss=0.2, duplicate=0.05, reorder=0.05, bad_fcs=0.005, wrong_bytes=0.005)


class Network:
    """Carries frames both ways, one every 12 us each way, and holds some of them back."""

    def __init__(self, mix: Mix, rng: random.Random) -> None:
        self.mix = mix
        self.rng = rng
        self.rejects: Counter[str] = Counter()
        self.wrong = 0
        self._queue: list[tuple[float, int, End, bytes]] = []
        self._count = 0
        self._free: dict[int, float] = {}

    def send(self, frame: bytes, to: End, now: float) -> None:
        """A frame leaves at `now`, or when the line is free."""
        start = max(now, self._free.get(id(to), 0.0))
        self._free[id(to)] = start + FRAME_US
        mix, rng = self.mix, self.rng
        copies = 1 + (rng.random() < mix.duplicate)
        if rng.random() < mix.loss or rng.random() < mix.bad_fcs:
            copies -= 1
        if rng.random() < mix.wrong_bytes:
            frame = self._with_wrong_bytes(frame)
        for copy in range(copies):
            late = rng.uniform(0.0, 20 * FRAME_US) if rng.random() < mix.reorder else 0.0
            self._count += 1
            arrival = start + FLIGHT_US + copy * FRAME_US + late
            heapq.heappush(self._queue, (arrival, self._count, to, frame))

    def _with_wrong_bytes(self, frame: bytes) -> bytes:
        self.wrong += 1
        damaged = bytearray(frame)
        for _ in range(self.rng.randint(1, 8)):
            damaged[self.rng.randrange(14, len(frame))] ^= self.rng.randint(1, 255)
        return bytes(damaged)

    @property
    def next_arrival(self) -> float:
        """When the next frame arrives."""
        return self._queue[0][0] if self._queue else float("inf")

    def deliver(self) -> float:
        """The next frame arrives; returns the time."""
        now, _, to, frame = heapq.heappop(self._queue)
        message = decode(frame)
        if isinstance(message, Reject):
            self.rejects[message] += 1
        else:
            to.receive(message, now)
        return now


def exchange(
    pairs: list[tuple[End, End]],
    network: Network,
    *,
    most: int = 2_000_000,
    meddle: Callable[[Message, End], Message | None] = lambda message, _: message,
) -> float:
    """Run all `pairs` until both ends of each have ended and nothing is under way; returns the simulated time.

    `meddle` may change each message, or lose it by None, before it goes to that end.
    """
    peer = {end: other for pair in pairs for end, other in (pair, pair[::-1])}
    now = 0.0
    for _ in range(most):
        for end in peer:
            while (message := end.poll(now)) is not None:
                changed = meddle(message, peer[end])
                if changed is not None:
                    network.send(encode(changed, HEADER), peer[end], now)
        if network.next_arrival < float("inf"):
            deadline = min(end.deadline for end in peer)
            now = network.deliver() if network.next_arrival <= deadline else max(now, deadline)
        elif any(end.state is State.RUNNING for end in peer):
            now = max(now, min(end.deadline for end in peer))
        else:
            return now
    raise AssertionError("the transfer hangs")
