# SPDX-License-Identifier: Apache-2.0
"""A cable with faults: whole frames vanish, or arrive with flipped bits under the FCS they were sent with."""

import random
import zlib
from dataclasses import dataclass
from enum import StrEnum, auto

FLIPS = 3
"""At most so many bits of a frame flip. CRC-32 finds every error of up to 3 bits at any length Ethernet allows."""


class Fate(StrEnum):
    """What the cable did to a frame."""

    PASSED = auto()
    LOST = auto()
    CORRUPTED = auto()


@dataclass(frozen=True, slots=True)
class Faults:
    """Probabilities for each frame in each direction."""

    loss: float = 0.0
    corrupt: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("loss", self.loss), ("corrupt", self.corrupt)):
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{name} is a probability, 0 to 1, not {value}")


class Channel:
    """One direction of the cable. The same seed and name give the same fates on any machine."""

    def __init__(self, faults: Faults, seed: int, name: str) -> None:
        self._faults = faults
        self._random = random.Random(f"{seed}/{name}")
        self.counts = dict.fromkeys(Fate, 0)

    def fate(self) -> Fate:
        """Decide over the next frame."""
        # Both are drawn for every frame, so that one probability does not shift the other's sequence.
        lost = self._random.random() < self._faults.loss
        corrupted = self._random.random() < self._faults.corrupt
        fate = Fate.LOST if lost else Fate.CORRUPTED if corrupted else Fate.PASSED
        self.counts[fate] += 1
        return fate

    def corrupted(self, frame: bytes) -> bytes:
        """`frame` (no FCS) as it arrives after a fault: some bits flipped, followed by the FCS of the original."""
        damaged = bytearray(frame)
        for bit in self._random.sample(range(8 * len(frame)), self._random.randint(1, FLIPS)):
            damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged) + zlib.crc32(frame).to_bytes(4, "little")
