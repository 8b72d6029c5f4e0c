# SPDX-License-Identifier: Apache-2.0
"""Packed beats (frame_pkg), made and read byte by byte."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

UNIT = 8
"""Bytes."""
BEAT = ("tdata", "tkeep", "starts", "ends", "bad")
"""Signals of a port beside its valid."""


@dataclass
class Frame:
    data: bytes
    bad: bool = False


@dataclass
class Beat:
    lanes: list[int | None]
    """Bytes, the first one first; None where there is none."""
    starts: list[int] = field(default_factory=list)
    """Units in which a frame begins, ends."""
    ends: list[int] = field(default_factory=list)
    bad: bool = False

    @classmethod
    def read(cls, data: int, keep: int, starts: int, ends: int, bad: bool, lanes: int) -> Beat:
        units = lanes // UNIT
        every = data.to_bytes(lanes, "big")
        kept = [every[n] if keep >> lanes - 1 - n & 1 else None for n in range(lanes)]

        def ones(bits: int) -> list[int]:
            return [n for n in range(units) if bits >> units - 1 - n & 1]

        return cls(kept, ones(starts), ones(ends), bad)

    def ports(self) -> tuple[int, int, int, int, bool]:
        """Data, mask, starts, ends, bad."""
        units = len(self.lanes) // UNIT
        data = int.from_bytes(bytes(0xA5 if byte is None else byte for byte in self.lanes), "big")
        keep = int("".join("0" if byte is None else "1" for byte in self.lanes), 2)
        starts, ends = (sum(1 << units - 1 - n for n in bits) for bits in (self.starts, self.ends))
        return data, keep, starts, ends, self.bad


def pack(frames: Iterable[Frame], lanes: int, rng: random.Random | None = None) -> list[Beat]:
    """As close as the rules let them be, with rng some frames in a later unit or beat."""
    units = lanes // UNIT
    beats: list[Beat] = []
    at = 0  # of the next unit, from the first beat on

    def beat(number: int) -> Beat:
        while len(beats) <= number:
            beats.append(Beat([None] * lanes))
        return beats[number]

    for frame in frames:
        if rng and rng.random() < 0.3:
            at += rng.randrange(2 * units)
        last = (len(frame.data) + UNIT - 1) // UNIT - 1
        while beat(at // units).starts or (beat((at + last) // units).ends):
            at += 1
        for n, byte in enumerate(frame.data):
            beat((at * UNIT + n) // lanes).lanes[(at * UNIT + n) % lanes] = byte
        beat(at // units).starts.append(at % units)
        end = beat((at + last) // units)
        end.ends.append((at + last) % units)
        end.bad = frame.bad
        at += last + 1
    return [one for one in beats if any(byte is not None for byte in one.lanes)]


def unpack(beats: Iterable[Beat]) -> list[Frame]:
    """The frames; AssertionError where a rule is broken."""
    frames: list[Frame] = []
    frame: bytearray | None = None
    for beat in beats:
        assert len(beat.starts) <= 1 and len(beat.ends) <= 1
        assert beat.ends or not beat.bad
        for unit in range(len(beat.lanes) // UNIT):
            part = beat.lanes[UNIT * unit : UNIT * (unit + 1)]
            data = bytes(byte for byte in part if byte is not None)
            assert part[: len(data)] == list(data), "a hole"
            if unit in beat.starts:
                assert frame is None
                frame = bytearray()
            if frame is None:
                assert not data and unit not in beat.ends
                continue
            frame += data
            if unit in beat.ends:
                assert data
                frames.append(Frame(bytes(frame), beat.bad))
                frame = None
            else:
                assert len(data) == UNIT, "a hole"
    assert frame is None
    return frames


def give_none(dut: Any, port: str, names: Sequence[str], rng: random.Random) -> None:
    """Nothing is valid at that port, and what is beside it has any value."""
    getattr(dut, f"{port}_valid").value = 0
    for name in names:
        signal = getattr(dut, f"{port}_{name}")
        signal.value = rng.getrandbits(len(signal))
