# SPDX-License-Identifier: Apache-2.0
"""The test frames of rtl/soc/pattern_pkg.sv, made again from their description; and a frame stream to send and take."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import RisingEdge
from drivers import Wires

DESTINATION, SOURCE = 0x02A1B2C3D4E5, 0x021122334455
ONES = (1 << 64) - 1
SEED = 0x9E37_79B9_7F4A_7C15


def pattern(number: int, time: int, length: int) -> bytes:
    x = (number << 32 | time) ^ SEED
    made = b""
    while len(made) < length:
        x ^= x << 13 & ONES
        x ^= x >> 7
        x ^= x << 17 & ONES
        made += x.to_bytes(8, "big")
    return made[:length]


def generated(number: int, time: int, payload: int, destination: int = DESTINATION, source: int = SOURCE) -> bytes:
    """A frame as the generator sends it."""
    head = destination.to_bytes(6, "big") + source.to_bytes(6, "big") + bytes.fromhex("88b5")
    head += number.to_bytes(4, "big") + time.to_bytes(4, "big") + b"NS"
    return head + pattern(number, time, payload + 14 - len(head))


def returned(number: int, time: int, payload: int) -> bytes:
    """The same as its echo sends it back."""
    return generated(number, time, payload, SOURCE, DESTINATION)


def swapped(frame: bytes) -> bytes:
    return frame[6:12] + frame[:6] + frame[12:]


def beats(frame: bytes) -> list[int]:
    """A frame as 73-bit beats (Table A.1)."""
    made = []
    for at in range(0, len(frame), 8):
        part = frame[at : at + 8]
        keep = 0xFF00 >> len(part) & 0xFF
        made.append((at + 8 >= len(frame)) << 72 | int.from_bytes(part.ljust(8, b"\x5a"), "big") << 8 | keep)
    return made


class Field:
    """Some bits of a bundle, as if they were a signal."""

    def __init__(self, bundle: Any, low: int, width: int = 1) -> None:
        self._wires = Wires(bundle, low, width)

    @property
    def value(self) -> int:
        return self._wires.get()

    @value.setter
    def value(self, value: int) -> None:
        self._wires.set(int(value))


def rx_fields(bundle: Any) -> tuple[Field, Field, Field]:
    """Beat, valid and bad of an `rx_frame_t`, which is {bad, stamp, beat, valid}."""
    return Field(bundle, 1, 73), Field(bundle, 0), Field(bundle, 106)


def tx_fields(bundle: Any) -> tuple[Field, Field, Field]:
    """Beat, valid and bad of a `tx_frame_t`, which is {bad, stamp_wanted, steady, beat, valid}."""
    return Field(bundle, 1, 73), Field(bundle, 0), Field(bundle, 76)


async def send(
    clk: Any,
    frame: Any,
    valid: Any,
    bad: Any,
    ready: Any,
    frames: list[tuple[bytes, bool]],
    rng: random.Random,
    stall: float = 0.0,
) -> None:
    """Frames, and whether each is bad, into a block by these wires; `ready` is None where it always is."""
    for data, is_bad in frames:
        words = beats(data)
        for index, word in enumerate(words):
            while rng.random() < stall:
                await RisingEdge(clk)
            frame.value = word
            bad.value = is_bad and index == len(words) - 1
            valid.value = 1
            await RisingEdge(clk)
            while ready is not None and not ready.value:
                await RisingEdge(clk)
            valid.value = 0
            bad.value = 0


@dataclass
class Taken:
    data: bytes
    first: int
    """Cycle of its first beat."""
    last: int
    abort: bool = False


class Taker:
    """Takes frames from the block and checks its side of the stream: what was offered stays until it is taken."""

    def __init__(self, dut: Any, frame: Any, valid: Any, ready: Any, abort: Any = None) -> None:
        self.dut, self.wires = dut, (frame, valid, ready, abort)
        self.frames: list[Taken] = []
        self.cycle = 0
        self.stall = 0.0

    async def run(self, rng: random.Random) -> None:
        frame, valid, ready, abort = self.wires
        data, first, taking, offered = bytearray(), None, False, None
        ready.value = 0
        while True:
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            now = (int(frame.value), abort is not None and bool(abort.value)) if valid.value else None
            assert offered is None or now == offered, "valid fell, or the beat changed, before the transfer"
            offered = now if now and not taking else None
            if now and taking:
                word, aborted = now
                keep = (word & 0xFF).bit_count()
                assert word & 0xFF == 0xFF00 >> keep & 0xFF and keep
                assert word >> 72 or keep == 8, "only the last beat may be partial"
                first = self.cycle if first is None else first
                data += (word >> 8 & ONES).to_bytes(8, "big")[:keep]
                if word >> 72:
                    self.frames.append(Taken(bytes(data), first, self.cycle, aborted))
                    data, first = bytearray(), None
            taking = rng.random() >= self.stall
            ready.value = taking
