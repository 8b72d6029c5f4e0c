# SPDX-License-Identifier: Apache-2.0
"""Frame streams of any width for the unit tests: {user, tlast, tdata, tkeep} as one number, most significant first."""

from __future__ import annotations

from dataclasses import dataclass

USER_BITS = 33  # rx_user_t: bad, stamp


@dataclass(frozen=True)
class Frame:
    data: bytes
    stamp: int = 0
    bad: bool = False

    def beats(self, lanes: int) -> list[int]:
        """First byte in the highest lane; only the last beat may be partial, and only it says that the frame is bad."""
        words = []
        for at in range(0, len(self.data), lanes):
            part = self.data[at : at + lanes]
            last = at + lanes >= len(self.data)
            keep = ((1 << len(part)) - 1) << lanes - len(part)
            beat = last << 9 * lanes | int.from_bytes(part.ljust(lanes, b"\0"), "big") << lanes | keep
            words.append((int(self.bad and last) << 32 | self.stamp) << 9 * lanes + 1 | beat)
        return words


class Joiner:
    """Beats to frames; what a stream must not do is an error."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.data = b""
        self.stamp: int | None = None

    def beat(self, word: int) -> Frame | None:
        """The frame, with its last beat."""
        lanes = self.lanes
        keep, data = word & (1 << lanes) - 1, (word >> lanes & (1 << 8 * lanes) - 1).to_bytes(lanes, "big")
        last, user = bool(word >> 9 * lanes & 1), word >> 9 * lanes + 1
        count = keep.bit_count()
        assert count and keep == ((1 << count) - 1) << lanes - count, "kept from the top down, one byte at least"
        assert last or count == lanes, "only the last beat is partial"
        bad, stamp = bool(user >> 32), user & 0xFFFF_FFFF
        assert self.stamp in (None, stamp), "a beat of another frame"
        assert last or not bad
        self.data, self.stamp = self.data + data[:count], stamp
        if not last:
            return None
        frame = Frame(self.data, stamp, bad)
        self.data, self.stamp = b"", None
        return frame
