# SPDX-License-Identifier: Apache-2.0
"""Goodput on a line: the payload of TCP that arrives in a window of time, each byte once.

What counts comes out of the cable, be it acknowledged or read: acknowledgements and readers are late by a time that
changes, so that they may tell of more in a window than the line carries in it. A frame takes the line from its preamble
to the end of the gap behind it. So much of its payload counts as the window has of that time: times of frames do not
overlap, so their payload is never more than the line allows. A byte counts with the first good frame that brings it.
"""

from bisect import bisect_left
from collections.abc import Iterable

from nsoc.network.ethernet import BYTE_PS, PREAMBLE_BYTES, SHORTEST, SLOT_BYTES
from nsoc.network.inet import packet as ip
from nsoc.network.inet import segment as tcp
from nsoc.network.network import Arrived, Cable

_PS_PER_US = 10**6


class Ranges:
    """Bytes of one stream that have come, by sequence number."""

    def __init__(self) -> None:
        self._edges: list[int] = []  # begin and end of each range, in order; they do not wrap
        self._last = 0

    def add(self, sequence: int, count: int) -> int:
        """How many of `count` bytes from `sequence` on are new."""
        if not count:
            return 0
        begin = self._last + (sequence - self._last + tcp.MODULUS // 2) % tcp.MODULUS - tcp.MODULUS // 2
        end = begin + count
        self._last = end
        edges = self._edges
        first = last = bisect_left(edges, begin) & ~1  # the first range that is not all before
        known = 0
        while last < len(edges) and edges[last] <= end:
            known += max(min(end, edges[last + 1]) - max(begin, edges[last]), 0)
            last += 2
        if last > first:
            begin, end = min(begin, edges[first]), max(end, edges[last - 1])
        edges[first:last] = [begin, end]
        return count - known


class Crossing:
    """What comes out of one end of a cable, from here on. `way` is the cable's: 0 from its first end to its second."""

    def __init__(self, cable: Cable, way: int) -> None:
        cable.tap()
        self._cable, self._way = cable, way
        self._streams: dict[tuple[bytes, int, bytes, int], Ranges] = {}
        self._new: list[tuple[int, int, int]] = []  # when a frame's time begins and how long it is, ps; new bytes

    def bytes_in(self, begin_us: float, end_us: float) -> float:
        """That have arrived in the window, whose end is not ahead of the time."""
        self._look()
        begin, end = begin_us * _PS_PER_US, end_us * _PS_PER_US
        return sum(
            count * max(min(end, start + length) - max(begin, start), 0) / length for start, length, count in self._new
        )

    def mbps(self, begin_us: float, end_us: float) -> float:
        """Of the window, 10^6 bit/s."""
        return 8 * self.bytes_in(begin_us, end_us) / (end_us - begin_us)

    def _look(self) -> None:
        self._cable.sent(self._way)  # nobody else asks for these: they would be kept
        self.take(self._cable.came(self._way))

    def take(self, frames: Iterable[Arrived]) -> None:
        """Counts frames, in the order in which they have come."""
        for one in frames:
            packet = ip.decode_ip(one.data) if one.good else "bad"
            found = "other" if isinstance(packet, str) or packet.protocol != ip.TCP else tcp.decode(packet)
            if isinstance(packet, str) or isinstance(found, str):
                continue
            source, destination, segment = found
            stream = self._streams.setdefault((packet.source, source, packet.destination, destination), Ranges())
            count = stream.add(segment.sequence + bool(segment.flags & tcp.Flag.SYN), len(segment.payload))
            if count:
                start = one.start_ps - PREAMBLE_BYTES * BYTE_PS
                self._new.append((start, (max(len(one.data), SHORTEST) + SLOT_BYTES) * BYTE_PS, count))
