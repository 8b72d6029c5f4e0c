# SPDX-License-Identifier: Apache-2.0
"""Goodput counts what arrives in its window: bytes once each, frames by the time that they have on the line."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from nsoc.bench.crossing import Crossing, Ranges
from nsoc.errors import NsocError
from nsoc.network.faults import Faults
from nsoc.network.inet import Peer, Settings
from nsoc.network.network import Arrived, Network
from nsoc.records import Record

SEGMENT = 1448
LIMIT_MBPS = 1000 * SEGMENT / (SEGMENT + 90)
SLOT_US = (SEGMENT + 90) * 0.008


class _Cable:
    """Frames that have come out of it."""

    def __init__(self, frames: list[Arrived]) -> None:
        self.frames = frames

    def tap(self) -> None:
        pass

    def sent(self, way: int) -> list[Arrived]:
        return []

    def came(self, way: int) -> list[Arrived]:
        frames, self.frames = self.frames, []
        return frames


def crossing(frames: list[Arrived]) -> Crossing:
    return Crossing(_Cable(frames), 0)  # type: ignore[arg-type]


def arrived(packet: Packet, slot: float, *, good: bool = True) -> Arrived:
    """A frame that begins so many full slots after time 0."""
    data = bytes(packet).ljust(60, b"\0")
    start = round((slot * SLOT_US + 0.064) * 1e6)
    return Arrived(data, start, start + (len(data) + 3) * 8000, good, False, 12)


def segment(sequence: int, count: int = SEGMENT, flags: str = "A", port: int = 1000) -> Packet:
    # options of 12 bytes, as timestamps have them
    tcp = TCP(sport=port, dport=9, seq=sequence % 2**32, flags=flags, options=[("NOP", None)] * 12)
    return Ether() / IP(src="10.0.0.1", dst="10.0.0.2") / tcp / Raw(bytes(count))


def full(slots: range, first: int = 0) -> list[Arrived]:
    return [arrived(segment(first + SEGMENT * number), number) for number in slots]


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 60)), max_size=40),
)
def test_every_byte_counts_once_in_whatever_order_they_come(first: int, pieces: list[tuple[int, int]]) -> None:
    ranges, known = Ranges(), set[int]()
    ranges.add(first, 0)
    ranges._last = first
    for offset, count in pieces:
        mine = set(range(offset, offset + count))
        assert ranges.add((first + offset) % 2**32, count) == len(mine - known)
        known |= mine


def test_frames_back_to_back_are_exactly_what_the_line_allows_in_any_window() -> None:
    found = crossing(full(range(1000), first=2**32 - 50_000))
    generator = random.Random(1)
    for _ in range(50):
        begin = generator.uniform(0, 500 * SLOT_US)
        end = begin + generator.uniform(SLOT_US / 3, 400 * SLOT_US)
        assert found.mbps(begin, end) == pytest.approx(LIMIT_MBPS, rel=1e-9)


def test_a_frame_across_an_edge_counts_by_its_part_in_the_window() -> None:
    found = crossing([arrived(segment(0), 10)])
    at = 10 * SLOT_US
    assert found.bytes_in(at, at + SLOT_US) == pytest.approx(SEGMENT)
    assert found.bytes_in(at + SLOT_US / 4, at + 9 * SLOT_US) == pytest.approx(SEGMENT * 3 / 4)
    assert found.bytes_in(0, at + SLOT_US / 8) == pytest.approx(SEGMENT / 8)
    assert found.bytes_in(0, at) == found.bytes_in(at + SLOT_US, 99 * SLOT_US) == 0


def test_what_comes_again_bad_or_is_no_segment_does_not_count() -> None:
    broken = segment(2 * SEGMENT)
    broken[TCP].chksum = 1
    udp = Ether() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=9) / Raw(bytes(100))
    frames = [
        arrived(segment(0, 0, "S"), 0),
        arrived(segment(1), 1),
        arrived(segment(1), 2),
        arrived(segment(1 + SEGMENT), 3, good=False),
        replace(arrived(segment(1 + SEGMENT), 4), error=True),
        arrived(broken, 5),
        arrived(udp, 6),
        arrived(Ether(type=0x0806) / Raw(bytes(46)), 7),
        arrived(segment(1 + SEGMENT // 2), 8),
        arrived(segment(1, port=1001), 9),
    ]
    assert crossing(frames).bytes_in(0, 20 * SLOT_US) == pytest.approx(2.5 * SEGMENT)


def test_acknowledgements_that_come_in_step_move_nothing_between_windows() -> None:
    """What 1016 connections acknowledge in one window came in two: none of that is looked at."""
    streams = 50
    frames = [arrived(segment(SEGMENT * (slot // streams), port=slot % streams), slot) for slot in range(6 * streams)]
    found = crossing(frames)
    for begin in range(0, 4 * streams, 7):
        window = begin * SLOT_US, (begin + 2 * streams) * SLOT_US
        assert found.mbps(*window) <= LIMIT_MBPS * (1 + 1e-9)


@pytest.mark.parametrize("loss", [0.0, 0.02])
def test_two_hosts_get_in_windows_what_was_sent_in_all_and_never_more_than_the_line_allows(loss: float) -> None:
    total = 2_000_000
    with Network(3) as network:
        settings = Settings(timestamps=True, window=1 << 17, least_rto_us=1000, delayed_ack_us=500)
        ends = [Peer(network, f"10.0.0.{n}", f"02:00:00:00:00:0{n}", settings=settings) for n in (1, 2)]
        cable = network.cable(ends[0].host, ends[1].host, faults=Faults(loss=loss) if loss else None)
        found = Crossing(cable, 0)
        listener = ends[1].listen(9)
        stream = ends[0].connect("10.0.0.2", 9)
        other = listener.accept()
        assert other is not None
        stream.send(bytes(total))
        marks = [ends[0].now]
        while stream.connection.unsent:
            ends[0].run(500.0, until=lambda: not other.receive() and not stream.connection.unsent)
            marks.append(ends[0].now)
        windows = list(pairwise(marks))
        assert sum(found.bytes_in(*window) for window in windows) == pytest.approx(total)
        assert len(windows) > 30
        assert max(found.mbps(*window) for window in windows) <= LIMIT_MBPS * (1 + 1e-9)
        assert bool(stream.connection.segments["repeated"]) == bool(loss)


def test_goodput_that_frames_too_close_would_give_is_an_error() -> None:
    close = [arrived(segment(SEGMENT * number), number * 0.99) for number in range(100)]
    mbps = crossing(close).mbps(0, 90 * SLOT_US)
    with pytest.raises(NsocError, match=r"bench error: goodput_mbps of toe toe tcp-both-1 is 950\.\d+, above"):
        Record("toe", "toe", "goodput_mbps", mbps, "tcp-both-1", limit=LIMIT_MBPS)
