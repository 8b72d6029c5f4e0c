# SPDX-License-Identifier: Apache-2.0
"""Frames of events made by hand: whose each one is, where a stage ends, and what is no frame's."""

from types import SimpleNamespace

import pytest

from nsoc.pnic.follow import RECEIVE, SEND, Busy, Stage, follow, functions, spacing_ns
from nsoc.pnic.nic import Places, Setup
from nsoc.pnic.trace import Access, Answered, Came, Delivered, Left, Posted, Read, Retired, Trace, Written

PLACES = Places(tx_ring=0x1_0000, tx_done=0x2_0000, rx_done=0x3_0000, tx_buffers=1 << 32, rx_buffers=3 << 32,
                rx_ring=0x4_0000)  # fmt: skip
BASE = 0x5000_0000
SYMBOLS = {"mailbox": BASE, "read_ring": BASE + 0x1000, "write_ring": BASE + 0x4000, "send_ring": BASE + 0x8000,
           "receive_ring": BASE + 0xA000}  # fmt: skip
MAC_SEND, MAC_RECEIVE = 8, 9
"""Masters, behind six cores and both DMA assists."""
SLOT = 2048


def word(symbol: str, entry: int = 0, words: int = 0, at: int = 0) -> int:
    return (SYMBOLS[symbol] - BASE) // 4 + entry * words + at


def seen(events: list, pieces: int = 1, bytes_: int = 100):
    accesses = tuple(event for event in events if isinstance(event, Access))
    others = tuple(event for event in events if not isinstance(event, Access))
    trace = Trace((), accesses, others)
    return follow(SimpleNamespace(setup=Setup(pieces=pieces), places=PLACES, bytes=bytes_, trace=trace), SYMBOLS)


def sent(number: int, time: int, pieces: int = 1, core: int = 2, length: int = 100) -> list:
    """A frame's way, a step in each hundred; its buffer begins at an odd byte."""
    buffer = PLACES.tx_buffers + number % 1024 * SLOT + number % 16
    first = number * pieces % 1024
    events = [
        Posted(time, 0, (number + 1) * pieces),
        Read(time + 20, 3, PLACES.tx_ring + 16 * first, 16 * pieces),
        Answered(time + 100, 3),
    ]
    for piece in range(pieces):
        entry = (number * pieces + piece) % 512
        low = (buffer + 42 * piece) & 0xFFFF_FFFF
        events.append(Access(time + 160 + 30 * piece, core, word("read_ring", entry, 4, 0), True, low))
        events.append(Access(time + 170 + 30 * piece, core, word("read_ring", entry, 4, 3), True, 42))
    for piece in range(pieces):
        events.append(Read(time + 210, 5 + piece, buffer + 42 * piece, 42))
    events += [Answered(time + 300 - 10 * piece, 5 + piece) for piece in range(pieces)]
    events.append(Access(time + 400, MAC_SEND, word("send_ring", number % 512, 2, 1), False, 0))
    events.append(Left(time + 500 + (length + 8) * 800_000, number, length))
    return events


def ends(frame) -> list[int]:
    return [frame.ends[stage] for stage in frame.stages]


@pytest.mark.parametrize("pieces", [1, 2])
@pytest.mark.parametrize("number", [0, 7, 1024 + 600])
def test_a_frame_that_is_sent(pieces: int, number: int) -> None:
    before = [Posted(0, 0, number * pieces)]
    line = (100 + 8) * 800_000
    report = Written(2000 + line, PLACES.tx_done, 4, number + 1)
    early = Written(1990 + line, PLACES.tx_done, 4, number)
    (frame,), received = seen([*before, *sent(number, 1000, pieces), early, report], pieces)
    assert received == [] and (frame.number, frame.core, frame.stages) == (number, 2, SEND)
    last_command = 1170 + 30 * (pieces - 1)
    assert frame.begin == 1000
    assert ends(frame) == [1100, last_command, 1300, 1400, 1500, 1500 + line, 2000 + line]
    assert [stage for stage, _, _ in frame.visits()] == list(SEND)
    assert frame.ns == pytest.approx((1000 + line) / 1e6)


def test_what_was_posted_before_or_has_not_come_through_is_not_shown() -> None:
    assert seen(sent(5, 1000)) == ([], []), "how many there were before is not known"
    events = [Posted(0, 0, 5), *sent(5, 1000)]
    assert seen(events) == ([], []), "nobody has reported it"
    two = [Posted(0, 0, 5), *sent(5, 1000), *sent(6, 1050, core=4), Written(10**9, PLACES.tx_done, 4, 6)]
    frames, _ = seen(sorted(two, key=lambda event: event[0]))
    assert [(frame.number, frame.core) for frame in frames] == [(5, 2)], "only one of two is reported"


def received(index: int, number: int, time: int, core: int = 4, length: int = 100) -> list:
    slot = index % 1024
    line = (length + 8) * 800_000
    low = (PLACES.rx_buffers + slot * SLOT) & 0xFFFF_FFFF
    return [
        Came(time, number, length),
        Access(time + line + 100, MAC_RECEIVE, word("receive_ring", slot, 2, 0), True, 0),
        Access(time + line + 110, MAC_RECEIVE, word("receive_ring", slot, 2, 1), True, length),
        Access(time + line + 190, core, word("write_ring", index % 512, 4, 0), True, low),
        Access(time + line + 200, core, word("write_ring", index % 512, 4, 3), True, length),
        Written(time + line + 290, PLACES.rx_buffers + slot * SLOT, 64, 0),
        Written(time + line + 300, PLACES.rx_buffers + slot * SLOT + 64, 36, 0),
        Written(time + line + 400, PLACES.rx_done + 8 * slot, 8, index + 1),
        Delivered(time + line + 500, index, number),
    ]


@pytest.mark.parametrize(("index", "number"), [(0, 0), (3, 9), (1500, 2000)])
def test_a_frame_that_is_received(index: int, number: int) -> None:
    """Those before it on the line may have been dropped: the driver's count and the frame's number differ."""
    line = (100 + 8) * 800_000
    lost = [Came(10, number + 1, 100)]
    none, (frame,) = seen([*lost, *received(index, number, 1000)])
    assert none == [] and (frame.number, frame.core, frame.stages) == (number, 4, RECEIVE)
    assert frame.begin == 1000
    assert ends(frame) == [1000 + line + more for more in (0, 110, 200, 300, 400, 500)]


def test_completions_of_many_frames_are_one_transfer_and_the_driver_may_see_the_first_sooner() -> None:
    line = (100 + 8) * 800_000
    events = [
        event for k in range(3) for event in received(k, k, 1000 + k) if not isinstance(event, Written | Delivered)
    ]
    events += [Written(line + 3000 + k, PLACES.rx_buffers + k * SLOT, 100, 0) for k in range(3)]
    events += [Delivered(line + 3900, 0, 0), Written(line + 4000, PLACES.rx_done, 24, 1)]
    events += [Delivered(line + 4100, 1, 1), Delivered(line + 4200, 2, 2)]
    _, frames = seen(sorted(events, key=lambda event: event[0]))
    assert [frame.ends[Stage.COMPLETION] - line for frame in frames] == [3900, 4000, 4000]
    assert [frame.ends[Stage.DRIVER] - line for frame in frames] == [3900, 4100, 4200]


def test_a_place_that_is_used_again_belongs_to_the_new_frame() -> None:
    events = received(0, 0, 1000) + received(1024, 1024, 10**9)
    _, frames = seen(events)
    assert [frame.number for frame in frames] == [0, 1024]
    assert frames[1].begin == 10**9 and frames[0].ends[Stage.MAC_RECEIVE] < 10**9 < frames[1].ends[Stage.MAC_RECEIVE]


def test_accesses_that_are_no_commands_change_nothing() -> None:
    line = (100 + 8) * 800_000
    odd = [
        Access(1500 + line, 1, word("write_ring", 511, 4, 3), True, 5),  # a length without an address
        Access(1500 + line, 1, word("write_ring", 0, 4, 0), False, 0),  # a load
        Access(1500 + line, MAC_SEND, word("receive_ring", 0, 2, 1), True, 0),
        Access(1500 + line, 1, word("write_ring", 512, 4, 3), True, 5),
        Posted(1500 + line, 4, 77),
        Answered(1500 + line, 31),
        Read(1500 + line, 30, PLACES.rx_ring, 16),
    ]
    events = received(0, 0, 1000)
    assert seen(sorted([*events, *odd], key=lambda event: event[0])) == seen(events)


def test_functions_of_cores() -> None:
    at = {"start": 0, "a": 100, "b": 200}
    retired = [(0, 0, 96), (1_000_000, 0, 100), (2_000_000, 1, 204), (3_000_000, 0, 104), (4_000_000, 0, 200)]
    trace = Trace(tuple(Retired(time, core, pc, 0) for time, core, pc in retired))
    assert functions(trace, at) == [
        Busy(0, "start", 0, 1), Busy(0, "a", 1, 4), Busy(0, "b", 4, 4), Busy(1, "b", 2, 4),
    ]  # fmt: skip


def test_spacing_is_what_the_line_takes() -> None:
    assert spacing_ns(64, 12) == 67 and spacing_ns(1518, 12) == 1230 and spacing_ns(1518, 1000) == 2020


def test_what_comes_later_for_the_same_places_does_not_move_what_was() -> None:
    line = (100 + 8) * 800_000
    start = [Posted(0, 0, 5), Posted(1, 4, 900)]  # the latter are buffers for what is received
    both = [*start, *sent(5, 1000), *sent(6, 1040, core=3), Written(2000 + line, PLACES.tx_done, 4, 7)]
    # The MAC fetches ahead: an entry that has no frame yet, and the same place a lap later; reports and reads go on.
    late = [
        Access(1250, MAC_SEND, word("send_ring", 5, 2, 1), False, 0),
        Access(9000 + line, MAC_SEND, word("send_ring", 5, 2, 1), False, 0),
        Written(9000 + line, PLACES.tx_done, 4, 8),
        Read(9000 + line, 7, PLACES.tx_ring + 16 * 5, 32),
        Answered(9100 + line, 7),
        Access(9200 + line, 3, word("read_ring", 5, 4, 3), True, 42),  # a length alone
    ]
    (first, second), _ = seen(sorted([*both, *late], key=lambda event: event[0]))
    assert ends(first) == [1100, 1170, 1300, 1400, 1500, 1500 + line, 2000 + line]
    assert ends(second) == [1140, 1210, 1340, 1440, 1540, 1540 + line, 2000 + line]
    assert (first.core, first.begin, second.core, second.begin) == (2, 1000, 3, 1040)


def test_a_report_does_not_end_a_frame_that_is_not_on_the_line_yet() -> None:
    line = (100 + 8) * 800_000
    events = [
        Posted(0, 0, 5),
        *sent(5, 1000),
        Written(1450, PLACES.tx_done, 4, 6),
        Written(line + 5000, PLACES.tx_done, 4, 6),
    ]
    (frame,), _ = seen(sorted(events, key=lambda event: event[0]))
    assert frame.ends[Stage.REPORT] == line + 5000
