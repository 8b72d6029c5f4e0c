# SPDX-License-Identifier: Apache-2.0
"""The frame memory's port, as pnic_pkg describes it: beats, clients, and a memory that answers them."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from net_hw import Layout

REQUEST = Layout(valid=1, write=1, more=1, address=20, mask=16, data=128)
RESPONSE = Layout(ready=1, valid=1, data=128)
LANES = 16
EVERY = (1 << LANES) - 1


@dataclass(frozen=True)
class Beat:
    address: int
    write: bool = False
    more: bool = False
    mask: int = EVERY
    data: int = 0


def burst(address: int, count: int, write: bool, rng: Random) -> list[Beat]:
    return [
        Beat(address + i, write, i < count - 1, rng.choice((EVERY, rng.getrandbits(16))), rng.getrandbits(128))
        for i in range(count)
    ]


def merged(old: int, beat: Beat) -> int:
    """The word at an address when `beat` was written to it."""
    keep = sum(0xFF << 8 * i for i in range(LANES) if not beat.mask >> i & 1)
    return old & keep | beat.data & ~keep


@dataclass
class Client:
    """Shows beats, each until it is taken; between bursts it pauses."""

    beats: deque[Beat]
    rng: Random
    pause: float = 0.0
    shown: Beat | None = None
    inside: bool = False
    waited: int = 0
    longest: int = 0

    def show(self) -> int:
        if self.shown is None and self.beats and (self.inside or self.rng.random() >= self.pause):
            self.shown = self.beats.popleft()
        if self.shown is None:
            return 0
        one = self.shown
        return REQUEST.pack(valid=1, write=one.write, more=one.more, address=one.address, mask=one.mask, data=one.data)

    def taken(self) -> Beat:
        assert self.shown is not None
        one, self.shown = self.shown, None
        self.inside = one.more
        self.longest, self.waited = max(self.longest, self.waited), 0
        return one


@dataclass
class Memory:
    """The frame memory for the bench of an assist: takes beats when it likes, answers `latency` cycles later."""

    rng: Random
    latency: int = 5
    pause: float = 0.0
    words: dict[int, int] = field(default_factory=dict)
    written: list[tuple[int, int]] = field(default_factory=list)
    """Address and mask of each write."""
    cycle: int = 0
    ready: bool = False
    moved: int = 0
    answers: deque[tuple[int, int]] = field(default_factory=deque)

    def fill(self, at: int, data: Iterable[int]) -> None:
        """Bytes, from byte address `at` on."""
        for address, byte in enumerate(data, at):
            shift = 8 * (LANES - 1 - address % LANES)
            word = self.words.get(address // LANES, 0)
            self.words[address // LANES] = word & ~(0xFF << shift) | byte << shift

    def bytes_at(self, at: int, count: int) -> bytes:
        first, last = at // LANES, (at + count - 1) // LANES
        whole = b"".join(self.words.get(word, 0).to_bytes(LANES, "big") for word in range(first, last + 1))
        return whole[at % LANES : at % LANES + count]

    def step(self, request: int) -> int:
        """Behind an edge: `request` as it was in the cycle before it. The response of the cycle that begins."""
        asked = REQUEST.unpack(request)
        self.cycle += 1
        if self.ready and asked["valid"]:
            self.moved += 1
            if asked["write"]:
                beat = Beat(asked["address"], True, False, asked["mask"], asked["data"])
                self.words[beat.address] = merged(self.words.get(beat.address, 0), beat)
                self.written.append((beat.address, beat.mask))
            else:
                self.answers.append((self.cycle + self.latency, self.words.get(asked["address"], 0)))
        self.ready = self.rng.random() >= self.pause
        if self.answers and self.answers[0][0] <= self.cycle:
            return RESPONSE.pack(ready=self.ready, valid=1, data=self.answers.popleft()[1])
        return RESPONSE.pack(ready=self.ready)
