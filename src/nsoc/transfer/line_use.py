# SPDX-License-Identifier: Apache-2.0
"""How fast the data frames of a transfer were on a line."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from nsoc.network.ethernet import BYTE_PS, FCS_BYTES, HEADER_BYTES, SLOT_BYTES, line_limit
from nsoc.transfer.message import Kind
from nsoc.transfer.published import MAX_FRAME_BYTES

PAYLOAD = MAX_FRAME_BYTES - HEADER_BYTES
"""Ethernet payload of a full data frame of the published types, in bytes."""
LIMIT_MBPS = line_limit(PAYLOAD)
"""What the line carries of such frames."""
DATA_TYPES = (0x01, Kind.DATA)
"""The type byte of data in both formats."""


class Stamped(Protocol):
    """A frame on a line. Stamps: first byte of the destination address, last byte of the FCS."""

    @property
    def data(self) -> bytes: ...
    @property
    def start_ps(self) -> int: ...
    @property
    def end_ps(self) -> int: ...


def is_data(frame: bytes) -> bool:
    """Whether it is a data frame of either format."""
    return len(frame) > HEADER_BYTES and frame[HEADER_BYTES] in DATA_TYPES


@dataclass
class LineUse:
    """What the data frames of one direction were on a line."""

    frames: int = 0
    frame_bytes: int = 0
    """Without preamble and FCS."""
    first_ps: int = 0
    """First byte of the destination address of the first data frame."""
    last_ps: int = 0
    """End of the last byte of the FCS of the last data frame."""

    @classmethod
    def of(cls, frames: Iterable[Stamped]) -> "LineUse":
        """Of the data frames among `frames`, in the order of time."""
        use = cls()
        for frame in frames:
            use.add(frame.data, frame.start_ps, frame.end_ps)
        return use

    def add(self, frame: bytes, start_ps: int, end_ps: int) -> None:
        """Count one more frame, by the stamps of its first and last byte, when it is data."""
        if not is_data(frame):
            return
        if not self.frames:
            self.first_ps = start_ps
        self.frames += 1
        self.frame_bytes += len(frame)
        self.last_ps = end_ps + BYTE_PS

    @property
    def seconds(self) -> float:
        """Simulated time from the first data frame's first byte to the last one's end."""
        return (self.last_ps - self.first_ps) / 1e12

    @property
    def throughput_mbps(self) -> float:
        """Frame bytes without preamble and FCS over the time that the line had them, in 10^6 bit/s: that time, with the
        first one's preamble and the gap behind the last one. Without these it would be more than the line carries."""
        line_us = self.seconds * 1e6 + (SLOT_BYTES - FCS_BYTES) * BYTE_PS / 1e6
        return self.frame_bytes * 8 / line_us if self.frames else 0.0
