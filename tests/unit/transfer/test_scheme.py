# SPDX-License-Identifier: Apache-2.0
"""The four published schemes: when their frames go, and how they end."""

import pytest

from nsoc.transfer.pace import Burst, Gap, Window
from nsoc.transfer.published import Ack, Data, Sender, State, Summary, Timing
from nsoc.transfer.scheme import Scheme, burst_frames, make_sender

FULL = 1481
LINE_US = (1500 + 4 + 8 + 12) * 0.008
TIMING = Timing(retry_us=1000, timeout_us=50_000)
UNREPAIRED = [Scheme.GAP, Scheme.BURST, Scheme.CONTINUOUS]


def echo(
    sender: Sender, lost: frozenset[int] = frozenset(), flight_us: float = 60.0
) -> list[tuple[float, Data | Summary]]:
    """Run it against an echo that loses the packets of these numbers; what it sent, and when it handed it over."""
    sent: list[tuple[float, Data | Summary]] = []
    returns: list[tuple[float, Data | Summary]] = []
    now = 0.0
    for _ in range(10_000):
        while (message := sender.poll(now)) is not None:
            sent.append((now, message))
            if not (isinstance(message, Data) and message.sequence in lost):
                returns.append((now + flight_us, message))
        if sender.state is not State.RUNNING:
            return sent
        now = min(sender.deadline, returns[0][0] if returns else sender.deadline)
        while returns and returns[0][0] <= now:
            sender.receive(returns.pop(0)[1], now)
    raise AssertionError("the sender hangs")


@pytest.mark.parametrize(("fifo_bytes", "published"), [(4096, range(4, 6)), (16384, range(16, 19))])
def test_bursts_for_a_fifo_are_as_long_as_published(fifo_bytes: int, published: range) -> None:
    assert burst_frames(fifo_bytes) in published


def test_after_each_frame_the_line_is_free_for_the_gap() -> None:
    sent = echo(make_sender(Scheme.GAP, bytes(4 * FULL - 1400), gap_us=100.0, timing=TIMING))
    assert [when for when, _ in sent] == pytest.approx([0.0, LINE_US + 100, 2 * (LINE_US + 100), 3 * (LINE_US + 100)])


def test_a_gap_is_not_made_up_for_when_the_caller_comes_late() -> None:
    pace = Gap(50.0)
    pace.sent(1500, 0.0)
    assert pace.next(0, 10.0) == pytest.approx(LINE_US + 50)
    assert pace.next(0, 500.0) == 500.0
    pace.sent(60, 500.0)
    assert pace.next(0, 500.0) == pytest.approx(500.0 + 84 * 0.008 + 50)


def test_bursts_go_at_once_and_the_line_is_free_for_the_pause_behind_each() -> None:
    sent = echo(make_sender(Scheme.BURST, bytes(10 * FULL), fifo_bytes=4096, pause_us=100.0, timing=TIMING))
    period = 4 * LINE_US + 100
    assert [when for when, _ in sent] == pytest.approx([0.0] * 4 + [period] * 4 + [2 * period] * 2)


def test_continuous_begins_with_a_burst_and_goes_on_with_what_returns() -> None:
    sent = echo(make_sender(Scheme.CONTINUOUS, bytes(40 * FULL), fifo_bytes=16384, timing=TIMING), flight_us=60.0)
    assert [when for when, _ in sent] == [0.0] * 17 + [60.0] * 17 + [120.0] * 6


@pytest.mark.parametrize("size", [0, 1, FULL, FULL + 1, 50 * FULL])
@pytest.mark.parametrize("scheme", Scheme)
def test_each_scheme_sends_everything_once_and_is_done_when_nothing_is_lost(scheme: Scheme, size: int) -> None:
    sender = make_sender(scheme, bytes(size), timing=TIMING)
    if scheme is Scheme.RELIABLE:  # the only one that asks
        while (message := sender.poll(0.0)) is not None:
            sender.receive(message, 0.0)
        sender.receive(Ack(), 0.0)
        assert sender.summaries_sent == 1
    else:
        assert all(isinstance(message, Data) for _, message in echo(sender))
    assert sender.state is State.DONE
    assert sender.data_sent == sender.returned == sender.packets == -(-size // FULL)


@pytest.mark.parametrize("lost", [{0}, {49}, {3, 4, 5, 30}, set(range(50))])
@pytest.mark.parametrize("scheme", UNREPAIRED)
def test_without_repair_what_is_lost_is_reported_and_stays_lost(scheme: Scheme, lost: set[int]) -> None:
    sender = make_sender(scheme, bytes(50 * FULL), timing=TIMING)
    sent = echo(sender, frozenset(lost))
    assert [message.sequence for _, message in sent if isinstance(message, Data)] == list(range(50))
    assert sender.state is State.FAILED
    assert sender.failure == f"{len(lost)} of 50 packets have not come back"


@pytest.mark.parametrize("scheme", UNREPAIRED)
def test_without_repair_acks_mean_nothing(scheme: Scheme) -> None:
    sender = make_sender(scheme, bytes(3 * FULL), timing=TIMING)
    sender.poll(0.0)
    for ack in (Ack(), Ack((0,))):
        sender.receive(ack, 0.0)
    assert sender.state is State.RUNNING
    assert sender.ignored == {"early_ack": 2}


@pytest.mark.parametrize("make", [lambda: Window(0), lambda: Burst(0, 1.0), lambda: Gap(-1.0)])
def test_impossible_paces_are_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match="at least"):
        make()
