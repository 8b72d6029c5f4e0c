# SPDX-License-Identifier: Apache-2.0
"""One end of a TCP connection against segments that the test writes: when it sends what. Times are microseconds."""

import pytest

from nsoc.network.inet.connection import Connection, Settings, State
from nsoc.network.inet.segment import Flag, Segment

S = 1e6
THEIRS = 5000
"""Their first sequence number."""
MSS = 1000


class End:
    """A connection that listened, established; all numbers are counted from the first byte of each side."""

    def __init__(
        self, window: int = 60_000, scale: int | None = None, ours: int = 65535, delayed_ack_us: float = 0.0,
        least_rto_us: float = 1000.0,
    ) -> None:  # fmt: skip
        """`window` and `scale` are theirs."""
        settings = Settings(mss=MSS, window=ours, delayed_ack_us=delayed_ack_us, least_rto_us=least_rto_us)
        syn = Segment(THEIRS - 1, 0, Flag.SYN, window, mss=MSS, scale=scale)
        self.now = 0.0
        self.of = Connection(settings, 2**32 - 500, 0.0, syn)
        (answer,) = self.sent()
        assert answer.flags == Flag.SYN | Flag.ACK and answer.scale == (None if scale is None else 0)
        self.take(window=window)
        assert self.of.state is State.ESTABLISHED

    def take(self, at: int = 0, ack: int = 0, data: bytes = b"", flags: int = 0, window: int = 60_000) -> None:
        number = 2**32 - 500 + 1 + ack
        self.of.take(Segment(THEIRS + at, number % 2**32, Flag.ACK | flags, window, data), self.now)

    def sent(self) -> list[Segment]:
        return list(iter(lambda: self.of.poll(self.now), None))

    def places(self) -> list[tuple[int, int]]:
        """Begin and length of what it sends."""
        return [((one.sequence - (2**32 - 499)) % 2**32, len(one.payload)) for one in self.sent()]


def test_numbers_go_round_the_end_of_32_bits() -> None:
    end = End()
    end.of.send(bytes(1500))
    assert [(one.sequence, len(one.payload)) for one in end.sent()] == [(2**32 - 499, 1000)]
    end.take(ack=1000)
    assert [(one.sequence, len(one.payload)) for one in end.sent()] == [(501, 500)]


def test_an_unanswered_opening_is_repeated_after_1_2_4_seconds_and_given_up() -> None:
    of = Connection(Settings(patience_us=60 * S), 1, 0.0)
    times, now = [], 0.0
    while of.state is not State.CLOSED:
        if (segment := of.poll(now)) is not None:
            assert segment.flags == Flag.SYN and segment.mss == 1460
            times.append(now / S)
            continue
        now = max(now, of.deadline) if of.state is not State.CLOSED else now
    assert times == [0, 1, 3, 7, 15, 31] and of.failure == "no answer"


def test_data_that_is_not_acknowledged_is_repeated_in_doubling_times_one_segment_at_a_time() -> None:
    end = End(least_rto_us=200e3)
    end.of.send(bytes(5000))
    assert len(end.places()) == 5
    times = []
    for _ in range(4):
        end.now = end.of.deadline
        times.append(end.now / 1e3)
        assert end.places() == [(0, 1000)]
    assert times == [200, 600, 1400, 3000]
    end.take(ack=5000)
    assert end.of.unsent == 0 and end.of.deadline > 1e18


def test_the_congestion_window_begins_with_ten_segments_and_doubles_each_round() -> None:
    end = End()
    end.of.send(bytes(60_000))
    assert len(end.places()) == 10
    for ack in range(1, 11):
        end.take(ack=1000 * ack)
    assert end.places() == [(10_000 + 1000 * number, 1000) for number in range(20)]


def test_the_third_duplicate_is_answered_by_the_missing_segment_and_partial_ones_by_the_next() -> None:
    end = End()
    end.of.send(bytes(10_000))
    assert len(end.places()) == 10
    for _ in range(2):
        end.take(ack=1000)
        end.take(ack=1000)
    assert end.places() == [(1000, 1000)]  # the first was news
    end.take(ack=1000)
    assert end.places() == []
    end.take(ack=5000)
    assert end.places()[0] == (5000, 1000)
    end.take(ack=10_000)
    assert end.places() == [] and end.of.unsent == 0


def test_two_duplicates_let_new_data_go() -> None:
    end = End()
    end.of.send(bytes(20_000))
    assert len(end.places()) == 10
    end.take()
    assert end.places() == [(10_000, 1000)]
    end.take()
    assert end.places() == [(11_000, 1000)]


def test_an_acknowledgement_of_what_was_not_sent_does_nothing_but_is_answered() -> None:
    end = End()
    end.of.send(b"x" * 100)
    assert end.places() == [(0, 100)]
    end.take(ack=105)
    (answer,) = end.sent()
    assert end.of.unsent == 100 and answer.flags == Flag.ACK and answer.payload == b""


def test_their_window_is_scaled_and_obeyed() -> None:
    end = End(window=1000, scale=3)
    end.of.send(bytes(20_000))
    assert sum(length for _, length in end.places()) == 8000


def test_segments_out_of_order_are_each_answered_at_once_and_kept() -> None:
    end = End(delayed_ack_us=40e3)
    for at in (1000, 3000, 2000):
        end.take(at=at, data=bytes([at // 1000]) * 1000)
    assert [one.ack for one in end.sent()] == [THEIRS] * 3
    end.take(at=0, data=bytes(1000))
    (answer,) = end.sent()  # at once: it fills a gap
    assert answer.ack == THEIRS + 4000
    assert end.of.receive() == b"".join(bytes([number]) * 1000 for number in range(4))


def test_an_acknowledgement_during_window_probes_is_where_they_expect_it() -> None:
    end = End(window=0)
    end.of.send(bytes(2000))
    assert end.places() == []
    end.now = end.of.deadline
    assert end.places() == [(0, 1)]
    end.take(data=b"from them", window=0)
    assert end.places() == [(0, 0)]
    end.take(at=9, window=5000)
    assert end.places() == [(0, 1000), (1000, 1000)]


def test_a_window_does_not_open_by_a_little() -> None:
    end = End(ours=4000)
    for at in range(0, 4000, 1000):
        end.take(at=at, data=bytes(1000))
    assert [one.window for one in end.sent()][-1] == 0
    end.of.receive(900)
    assert end.sent() == []
    end.take(at=4000, data=b"x")  # a probe
    assert [one.window for one in end.sent()] == [0]
    end.of.receive(1100)
    assert [one.window for one in end.sent()] == [2000]


def test_an_older_timestamp_is_a_copy_from_another_time() -> None:
    syn = Segment(THEIRS - 1, 0, Flag.SYN, 60_000, mss=MSS, timestamps=(1000, 0))
    of = Connection(Settings(timestamps=True), 1, 0.0, syn)
    assert of.poll(0.0) is not None
    of.take(Segment(THEIRS, 2, Flag.ACK, 60_000, timestamps=(1001, 1)), 0.0)
    of.take(Segment(THEIRS, 2, Flag.ACK, 60_000, b"old", timestamps=(999, 1)), 0.0)
    assert of.receive() == b"" and of.segments["unacceptable"] == 1
    of.take(Segment(THEIRS, 2, Flag.ACK, 60_000, b"new", timestamps=(1001, 1)), 0.0)
    assert of.receive() == b"new"


@pytest.mark.parametrize(("at", "state"), [(0, State.CLOSED), (1, State.ESTABLISHED), (-1, State.ESTABLISHED)])
def test_only_the_exact_reset_is_obeyed(at: int, state: State) -> None:
    end = End()
    end.take(at=at, flags=Flag.RST)
    assert end.of.state is state
    assert len(end.sent()) == (1 if at == 1 else 0)


def test_an_opening_in_a_connection_is_challenged_and_not_for_ever() -> None:
    end = End()
    answers = 0
    for _ in range(30):
        end.take(at=0, flags=Flag.SYN)
        answers += len(end.sent())
    assert answers == 10 and end.of.state is State.ESTABLISHED
