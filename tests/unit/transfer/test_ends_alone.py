# SPDX-License-Identifier: Apache-2.0
"""Each end by itself: what it says to what it hears, to peers that lie, that vanish, and that never stop."""

import errno
import random
import zlib
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsoc.transfer.end import End
from nsoc.transfer.message import (
    PACKET_BYTES,
    Accept,
    Cancel,
    Cancellation,
    Finish,
    Message,
    Open,
    Outcome,
    Packet,
    Progress,
    Refusal,
    Refuse,
    Result,
)
from nsoc.transfer.published import State
from nsoc.transfer.receiver import Receiver
from nsoc.transfer.sender import Sender
from nsoc.transfer.storage import FileSource, FileStore, MemorySource, MemoryStore
from nsoc.transfer.timer import RetryTimer

T = 5
BOOT = 77
DATA = random.Random(1).randbytes(20 * PACKET_BYTES + 9)


def payload(number: int) -> bytes:
    return DATA[number * PACKET_BYTES : (number + 1) * PACKET_BYTES]


def drain(end: End, now: float = 0.0) -> list[Message]:
    """All it has to say."""
    messages = []
    while (message := end.poll(now)) is not None:
        messages.append(message)
        assert len(messages) < 5000, "it never stops"
    return messages


def numbers(messages: list[Message]) -> list[int]:
    return [message.number for message in messages if isinstance(message, Packet)]


def putter(credit: int = 8, data: bytes = DATA, **kwargs: float) -> Sender:
    """A sender whose put has been accepted."""
    sender = Sender.put(MemorySource(data), transfer=T, name="x", **kwargs)
    drain(sender)
    sender.receive(Accept(T, 1, len(data), BOOT, credit), 0.0)
    return sender


def taker(data: bytes = DATA, **kwargs: float) -> Receiver:
    """A receiver that has accepted a put."""
    receiver = Receiver.accept(Open(T, 1, False, len(data), name="x"), MemoryStore, boot=BOOT, credit=32, **kwargs)
    assert drain(receiver) == [Accept(T, 1, len(data), BOOT, 32)]
    return receiver


def packet(number: int, serial: int, answer: bool = False) -> Packet:
    return Packet(T, serial, number, payload(number), answer)


def progress(serial: int, next: int, seen: int, credit: int = 8, bitmap: int = 0, boot: int = BOOT) -> Progress:
    return Progress(T, serial, next, boot, seen, credit, bitmap)


def run_out(end: End, now: float = 0.0) -> float:
    """Let time pass until it has ended; returns when."""
    for _ in range(10_000):
        drain(end, now)
        if end.state is not State.RUNNING:
            return now
        assert end.deadline > now
        now = end.deadline
    raise AssertionError("it never gives up")


# --- opening ---


def test_an_open_is_repeated_ever_more_rarely_until_it_is_answered_or_given_up() -> None:
    sender = Sender.put(MemorySource(DATA), transfer=T, name="x")
    times = []
    now = 0.0
    while sender.state is State.RUNNING:
        for message in drain(sender, now):
            if isinstance(message, Open):
                times.append(now)
                assert message == Open(T, len(times), False, len(DATA), name="x")
        assert sender.unanswered == (len(times) >= 4)
        now = sender.deadline
    assert times[:5] == [0.0, 2000.0, 6000.0, 14_000.0, 30_000.0]
    assert sender.failure == "nothing came through for 10 s, and no answer to Open"
    assert drain(sender, 1e9) == []


def test_an_echo_is_recognized_by_the_own_open() -> None:
    sender = Sender.put(MemorySource(DATA), transfer=T, name="x")
    (sent,) = drain(sender)
    sender.receive(sent, 1.0)
    assert sender.echoed and sender.unanswered
    assert sender.state is State.FAILED and "sends back" in sender.failure
    assert drain(sender, 1.0) == []


def test_a_refusal_says_why() -> None:
    for reason, words in [(Refusal.TOO_LARGE, "too large (no room)"), (42, "reason 42 (no room)")]:
        sender = Sender.put(MemorySource(DATA), transfer=T)
        drain(sender)
        sender.receive(Refuse(T, 1, reason, "no room"), 1.0)
        assert sender.state is State.FAILED and words in sender.failure
        assert drain(sender, 1.0) == []


def test_a_refusal_after_the_accept_is_ignored() -> None:
    sender = putter()
    sender.receive(Refuse(T, 1, Refusal.NUMBER_IN_USE), 1.0)
    assert sender.state is State.RUNNING and sender.ignored == {"unexpected": 1}


def test_the_same_open_gets_the_same_accept_and_another_one_a_refusal() -> None:
    receiver = taker()
    receiver.receive(Open(T, 9, False, len(DATA), name="x"), 1.0)
    assert drain(receiver, 1.0) == [Accept(T, 2, len(DATA), BOOT, 32)]
    receiver.receive(Open(T, 10, False, len(DATA) + 1, name="x"), 1.0)
    assert drain(receiver, 1.0) == [Refuse(T, 1, Refusal.NUMBER_IN_USE)]
    assert receiver.state is State.RUNNING


def test_a_get_begins_when_its_opener_says_go_and_not_before() -> None:
    sender = Sender.serve(MemorySource(DATA), Open(T, 1, True, credit=6))
    assert drain(sender) == [Accept(T, 1, len(DATA), 0, 0)]
    assert drain(sender, 5000.0) == []
    sender.receive(progress(1, 0, 0, credit=6), 5000.0)
    assert numbers(drain(sender, 5000.0)) == list(range(6))


def test_the_opener_of_a_get_repeats_its_go_until_data_come() -> None:
    receiver = Receiver.get("x", MemoryStore, transfer=T, boot=BOOT, credit=6)
    assert drain(receiver) == [Open(T, 1, True, 0, bytes(6), 6, "x")]
    receiver.receive(Accept(T, 1, len(DATA), 0), 10.0)
    assert drain(receiver, 10.0) == [progress(1, 0, 0, credit=6)]
    assert receiver.deadline == 2010.0
    assert drain(receiver, 2010.0) == [progress(2, 0, 0, credit=6)]
    receiver.receive(packet(0, 1), 2020.0)
    assert receiver.deadline == 2020.0 + 10e6


# --- the sender ---


def test_no_more_is_under_way_than_accept_and_progress_allow() -> None:
    sender = putter(credit=8)
    assert numbers(drain(sender)) == list(range(8))
    sender.receive(progress(1, 4, 4, credit=6), 1.0)
    assert numbers(drain(sender)) == [8, 9]
    sender.receive(progress(2, 10, 10, credit=1000), 2.0)
    assert numbers(drain(sender)) == list(range(10, 18)), "the Accept's credit is the most there will be"


def test_the_packet_that_uses_up_the_credit_asks_for_an_answer() -> None:
    messages = drain(putter(credit=5))
    assert [message.answer for message in messages if isinstance(message, Packet)] == [False] * 4 + [True]


def test_the_last_packet_that_fits_into_the_bitmap_asks_for_an_answer() -> None:
    sender = putter(credit=60_000, data=bytes(3000 * PACKET_BYTES))
    first = drain(sender)
    assert numbers(first) == list(range(1024))
    assert [message.number for message in first if isinstance(message, Packet) and message.answer] == [1023]
    sender.receive(progress(1, 63, 1024, credit=60_000, bitmap=(1 << 992) - 1 ^ 1 << 31), 1.0)
    assert numbers(drain(sender, 1.0)) == [63, *range(1024, 1056)]


def test_a_packet_is_lost_when_one_sent_eight_later_was_seen_and_goes_before_new_ones() -> None:
    sender = putter(credit=16)
    drain(sender)
    sender.receive(progress(1, 2, 10, credit=16, bitmap=0b11_1111_1011), 1.0)  # packet 2 (serial 3): 7 later
    assert numbers(drain(sender, 1.0)) == [16, 17, 18, 19, 20]
    sender.receive(progress(2, 2, 11, credit=16, bitmap=0b111_1111_1011), 2.0)
    assert numbers(drain(sender, 2.0)) == [2]
    assert sender.retransmissions == 1


def test_a_repeat_is_judged_by_its_own_serial() -> None:
    sender = putter(credit=12)
    drain(sender)
    sender.receive(progress(1, 0, 9, credit=12, bitmap=0b1_1111_1110), 1.0)  # packet 0 is lost
    assert numbers(drain(sender, 1.0)) == [0, *range(12, 20)]  # serials 13 to 21
    sender.receive(progress(2, 0, 20, credit=12, bitmap=0b111_1111_1111_1111_1110), 2.0)
    assert numbers(drain(sender, 2.0)) == [20]  # its repeat, serial 13, may be late yet
    sender.receive(progress(3, 0, 21, credit=12, bitmap=0b1111_1111_1111_1111_1110), 3.0)
    assert numbers(drain(sender, 3.0)) == [0]


def test_a_repeat_that_was_not_needed_is_counted() -> None:
    sender = putter(credit=12)
    drain(sender)
    sender.receive(progress(1, 0, 9, credit=12, bitmap=0b1_1111_1110), 1.0)
    assert numbers(drain(sender, 1.0))[0] == 0
    sender.receive(progress(2, 12, 12, credit=12), 2.0)  # the first copy was only late
    assert (sender.retransmissions, sender.spurious) == (1, 1)


def test_a_repeat_that_was_seen_itself_was_needed() -> None:
    sender = putter(credit=12)
    drain(sender)
    sender.receive(progress(1, 0, 9, credit=12, bitmap=0b1_1111_1110), 1.0)
    drain(sender, 1.0)
    sender.receive(progress(2, 12, 13, credit=12), 2.0)  # serial 13 is the repeat
    assert (sender.retransmissions, sender.spurious) == (1, 0)


def test_stale_progress_is_ignored() -> None:
    sender = putter(credit=4)
    drain(sender)
    sender.receive(progress(2, 3, 3, credit=4), 1.0)
    assert len(drain(sender, 1.0)) == 3
    sender.receive(progress(1, 1, 1, credit=50), 2.0)
    sender.receive(progress(2, 4, 4, credit=50), 2.0)
    assert drain(sender, 2.0) == []
    assert sender.ignored == {"stale": 2}


def test_when_nothing_is_heard_one_packet_asks_and_the_others_wait_for_the_answer() -> None:
    sender = putter(credit=8)
    drain(sender)
    assert sender.deadline == 2000.0
    assert drain(sender, 1999.0) == []
    assert drain(sender, 2000.0) == [packet(0, 9, answer=True)]
    assert sender.deadline == 2000.0 + 4000.0
    sender.receive(progress(1, 1, 9, credit=8), 2100.0)
    assert numbers(drain(sender, 2100.0)) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (sender.timeouts, sender.retransmissions) == (1, 8)


def test_a_credit_of_nothing_is_asked_again_in_time() -> None:
    sender = putter(credit=8)
    drain(sender)
    sender.receive(progress(1, 8, 8, credit=0), 100.0)
    assert drain(sender, 100.0) == []
    when = sender.deadline
    assert drain(sender, when) == [packet(8, 9, answer=True)]
    sender.receive(progress(2, 9, 9, credit=8), when + 100)
    assert numbers(drain(sender, when + 100)) == list(range(9, 17))


def test_the_timeout_follows_the_round_trip() -> None:
    sender = putter(credit=1)
    drain(sender)
    for i in range(1, 15):
        now = i * 10_000.0
        sender.receive(progress(i, i, i, credit=1), now)
        drain(sender, now)
    assert sender.rtt_us == 10_000.0
    # RTTVAR has shrunk to 5000 us 0.75^13 = 119 us.
    assert sender.deadline == pytest.approx(now + 10_000 + 4 * 5000 * 0.75**13)


def test_the_timeout_is_at_least_100_us_more_than_a_steady_round_trip() -> None:
    timer = RetryTimer(0.0)
    for _ in range(60):
        timer.sample(10_000.0)
    assert timer.deadline == 10_100.0


def test_a_slow_peer_gets_so_many_times_longer() -> None:
    timer = RetryTimer(0.0, slowness=100.0)
    assert timer.deadline == 200_000.0
    timer.sample(1.0)
    assert timer.deadline == 30_000.0
    for _ in range(60):
        timer.sample(50_000.0)
    assert timer.deadline == pytest.approx(60_000.0, rel=1e-3)
    for _ in range(20):
        assert timer.expired(timer.deadline)
    timer.restart(0.0)
    assert timer.deadline == 100_000_000.0


def test_the_timeout_is_never_shorter_than_300_us() -> None:
    sender = putter(credit=1)
    drain(sender)
    for i in range(1, 9):
        sender.receive(progress(i, i, i, credit=1), i * 10.0)
        drain(sender, i * 10.0)
    assert sender.deadline == 80.0 + 300.0


def test_finish_goes_when_all_went_is_repeated_in_time_and_after_repeats() -> None:
    sender = putter(credit=64)
    assert drain(sender)[-1] == Finish(T, 1, 21, len(DATA), sender.digest)
    sender.receive(progress(1, 3, 21, credit=64, bitmap=(1 << 21) - 1 ^ 1 << 3), 100.0)
    assert [type(message) for message in drain(sender, 100.0)] == [Packet, Finish]
    (again,) = drain(sender, sender.deadline)
    assert isinstance(again, Packet), "the repeat has not been seen"
    sender.receive(progress(2, 21, 23, credit=64), 3000.0)
    (again,) = drain(sender, 3000.0)
    assert again == Finish(T, 3, 21, len(DATA), sender.digest)
    (again,) = drain(sender, sender.deadline)
    assert again == Finish(T, 4, 21, len(DATA), sender.digest)
    sender.receive(Result(T, 1, 0, 21, BOOT, len(DATA), sender.digest), 9000.0)
    assert sender.state is State.DONE
    assert sender.deadline == float("inf")


def test_giving_up_names_what_misses_and_tells_the_peer() -> None:
    sender = putter(credit=64, patience_us=50_000.0)
    drain(sender)
    sender.receive(progress(1, 3, 21, credit=64, bitmap=(1 << 21) - 1 ^ (1 << 3 | 0b111 << 9)), 100.0)
    assert sender.missing() == [range(3, 4), range(9, 12)]
    now, said = 100.0, list[Message]()
    while sender.state is State.RUNNING:
        said = drain(sender, now)
        now = sender.deadline
    assert said == [Cancel(T, 1, Cancellation.GIVEN_UP)]
    assert sender.failure == "nothing came through for 0.05 s, 4 of 21 packets miss: 3, 9 to 11"


def test_a_source_that_cannot_be_read_ends_the_transfer(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(DATA)
    source = FileSource(path)
    sender = Sender.put(source, transfer=T)
    drain(sender)
    path.write_bytes(DATA[: 2 * PACKET_BYTES])
    sender.receive(Accept(T, 1, len(DATA), BOOT, 8), 0.0)
    messages = drain(sender)
    assert numbers(messages) == [0, 1]
    assert isinstance(messages[-1], Cancel) and messages[-1].reason == Cancellation.STOPPED
    assert sender.state is State.FAILED and "become shorter" in sender.failure
    source.close()


class Zeros:
    """As many as one likes."""

    def __init__(self, total: int) -> None:
        self.total = total

    def read(self, number: int) -> bytes:
        return bytes(min(PACKET_BYTES, self.total - number * PACKET_BYTES))


def test_a_transfer_has_at_most_the_bytes_that_32_bits_count() -> None:
    assert Sender.put(Zeros(2**32 - 1), transfer=T).packets == 2_902_005
    with pytest.raises(ValueError, match="4294967295"):
        Sender.put(Zeros(2**32), transfer=T)


# --- peers of a sender that lie ---


@pytest.mark.parametrize(
    "lie",
    [
        progress(1, 22, 8, 8),
        progress(1, 2**32 - 1, 8, 8),
        progress(1, 9, 8, 8),
        progress(1, 0, 9, 8),
        progress(1, 0, 2**32 - 1, 8),
        progress(1, 0, 8, 8, 1 << 8),
        progress(1, 0, 8, 8, 1 << 1023),
        Result(T, 1, 0, 21, BOOT, len(DATA), 0),
        Accept(T, 2, len(DATA) + 1, BOOT, 8),
    ],
)
def test_a_sender_cancels_what_contradicts_what_it_sent(lie: Message) -> None:
    sender = putter(credit=8)
    assert len(drain(sender)) == 8
    sender.receive(lie, 1.0)
    (said,) = drain(sender, 1.0)
    assert isinstance(said, Cancel) and said.reason == Cancellation.CONTRADICTION
    assert sender.state is State.FAILED and "contradicts" in sender.failure


@pytest.mark.parametrize("accept", [Accept(T, 1, len(DATA), BOOT, 0), Accept(T, 1, len(DATA) - 1, BOOT, 8)])
def test_an_accept_that_cannot_be_is_cancelled(accept: Accept) -> None:
    sender = Sender.put(MemorySource(DATA), transfer=T)
    drain(sender)
    sender.receive(accept, 1.0)
    assert [type(message) for message in drain(sender, 1.0)] == [Cancel]
    assert sender.state is State.FAILED


def test_a_delivery_is_believed_only_with_the_own_sizes_and_digest() -> None:
    for change in ({"packets": 20}, {"total": 1}, {"digest": 1}):
        sender = putter(credit=64)
        drain(sender)
        honest = Result(T, 1, 0, 21, BOOT, len(DATA), sender.digest)
        sender.receive(replace(honest, **change), 1.0)
        assert sender.state is State.FAILED, change
    sender.receive(honest, 2.0)
    assert sender.state is State.FAILED, "it stays failed"


@pytest.mark.parametrize(("outcome", "words"), [(1, "digest"), (2, "cannot store"), (200, "cannot store")])
def test_a_result_that_is_no_delivery_is_a_failure_at_any_time(outcome: int, words: str) -> None:
    sender = putter(credit=4)
    drain(sender)
    sender.receive(Result(T, 1, outcome, 21, BOOT, len(DATA), 0), 1.0)
    assert sender.state is State.FAILED and words in sender.failure


@pytest.mark.parametrize(
    "message",
    [
        progress(1, 8, 8, boot=BOOT + 1),
        Result(T, 1, 0, 21, BOOT + 1, len(DATA), 0),
        Accept(T, 2, len(DATA), BOOT + 1, 8),
    ],
)
def test_a_peer_that_restarted_is_noticed(message: Message) -> None:
    sender = putter(credit=8)
    drain(sender)
    sender.receive(message, 1.0)
    assert sender.failure == "the peer has restarted"
    assert sender.state is State.FAILED


def test_a_served_get_notices_a_restart_by_progress() -> None:
    sender = Sender.serve(MemorySource(DATA), Open(T, 1, True, credit=6))
    sender.receive(progress(1, 0, 0), 1.0)
    drain(sender, 1.0)
    sender.receive(progress(2, 6, 6, boot=BOOT + 1), 2.0)
    assert sender.failure == "the peer has restarted"


def test_progress_for_ever_that_says_nothing_new_does_not_keep_a_sender_alive() -> None:
    sender = putter(credit=8, patience_us=50_000.0)
    now, serial = 0.0, 0
    while sender.state is State.RUNNING:
        drain(sender, now)
        serial += 1
        sender.receive(progress(serial, 5, min(sender.sent["Packet"], 8), credit=0), now)
        now += 100.0
        assert now < 60_000.0
    assert "nothing came through" in sender.failure


def test_accepts_for_ever_do_not_keep_a_sender_alive() -> None:
    sender = putter(patience_us=50_000.0)
    for now in range(0, 60_000, 100):
        drain(sender, now)
        sender.receive(Accept(T, 2, len(DATA), BOOT, 8), now)
    assert sender.state is State.FAILED


# --- the receiver ---


def test_progress_goes_after_eight_packets_for_answer_after_a_loss_and_for_a_duplicate() -> None:
    receiver = taker()
    for number in range(7):
        receiver.receive(packet(number, number + 1), 0.0)
        assert drain(receiver) == []
    receiver.receive(packet(7, 8), 0.0)
    assert drain(receiver) == [progress(1, 8, 8, 32, 0xFF)]
    receiver.receive(packet(8, 9, answer=True), 0.0)
    assert drain(receiver) == [progress(2, 9, 9, 32, 0x1FF)]
    receiver.receive(packet(10, 11), 0.0)
    assert drain(receiver) == [progress(3, 9, 11, 32, 0x5FF)]
    receiver.receive(packet(9, 10), 0.0)  # it was late
    assert drain(receiver) == []
    receiver.receive(packet(9, 12), 0.0)
    assert drain(receiver) == [progress(4, 11, 12, 32, 0x7FF)]
    assert receiver.duplicates == 1


def test_the_bitmap_begins_with_the_word_of_next() -> None:
    data = bytes(100 * PACKET_BYTES)
    receiver = taker(data)
    for number in [*range(33), 34, 70]:
        receiver.receive(Packet(T, number + 1, number, bytes(PACKET_BYTES)), 0.0)
    (said,) = drain(receiver)
    assert said == progress(1, 33, 71, 32, 0b101 | 1 << 70 - 32)
    assert receiver.missing() == [range(33, 34), range(35, 70), range(71, 100)]
    assert receiver.arrived == 35


def test_what_does_not_fit_is_dropped_and_counted() -> None:
    data = bytes(2000 * PACKET_BYTES + 3)
    receiver = taker(data)
    for number, size in [(2001, 3), (2**32 - 1, PACKET_BYTES), (0, 1479), (2000, 4), (2000, 2), (1024, PACKET_BYTES)]:
        receiver.receive(Packet(T, 1, number, bytes(size), True), 0.0)
    assert drain(receiver) == []
    assert receiver.ignored == {"out_of_range": 2, "wrong_length": 3, "beyond_the_window": 1}
    receiver.receive(Packet(T, 1, 1023, bytes(PACKET_BYTES), True), 0.0)
    assert drain(receiver) == [progress(1, 0, 1, 32, 1 << 1023)]


def _finish(data: bytes = DATA, serial: int = 1) -> Finish:
    return Finish(T, serial, -(-len(data) // PACKET_BYTES), len(data), zlib.crc32(data))


def test_a_finish_is_answered_by_progress_while_packets_miss_and_by_the_result_for_ever_after() -> None:
    receiver = taker()
    for number in range(20):
        receiver.receive(packet(number, number + 1), 0.0)
    drain(receiver)
    receiver.receive(_finish(), 0.0)
    assert drain(receiver) == [progress(2, 20, 20, 32, (1 << 20) - 1)]
    receiver.receive(packet(20, 21), 0.0)
    result = Result(T, 1, Outcome.DELIVERED, 21, BOOT, len(DATA), _finish().digest)
    for serial, asks in enumerate([_finish(), _finish(), packet(3, 22, answer=True)], 1):
        receiver.receive(asks, float(serial))
        assert drain(receiver, float(serial)) == [replace(result, serial=serial)]
    assert receiver.state is State.DONE
    assert isinstance(receiver.store, MemoryStore) and receiver.store.data == DATA
    receiver.receive(packet(3, 23), 5.0)
    receiver.receive(Cancel(T, 1, Cancellation.GIVEN_UP), 6.0)
    assert drain(receiver, 7.0) == []
    assert (receiver.state, receiver.ignored) == (State.DONE, {"after_the_end": 2})


def test_a_digest_that_differs_is_never_a_delivery() -> None:
    receiver = taker()
    for number in range(21):
        receiver.receive(packet(number, number + 1), 0.0)
    drain(receiver)
    receiver.receive(replace(_finish(), digest=1), 0.0)
    (said,) = drain(receiver)
    assert isinstance(said, Result) and said.outcome == Outcome.DIGEST_DIFFERS
    assert receiver.state is State.FAILED and "digest" in receiver.failure


@pytest.mark.parametrize("change", [{"packets": 20}, {"packets": 2**32 - 1}, {"total": 0}, {"total": len(DATA) + 1}])
def test_a_finish_of_another_size_is_cancelled(change: dict[str, int]) -> None:
    receiver = taker()
    receiver.receive(replace(_finish(), **change), 0.0)
    (said,) = drain(receiver)
    assert isinstance(said, Cancel) and said.reason == Cancellation.CONTRADICTION
    assert receiver.state is State.FAILED


@pytest.mark.parametrize("last", [0, 20])
def test_any_order_has_the_digest_of_the_whole(last: int) -> None:
    receiver = taker()
    order = [n for n in range(21) if n != last]
    random.Random(last).shuffle(order)
    for serial, number in enumerate([*order, last], 1):
        receiver.receive(packet(number, serial), 0.0)
    assert receiver.digest == _finish().digest


def test_a_receiver_gives_up_when_nothing_new_comes() -> None:
    receiver = taker(patience_us=50_000.0)
    receiver.receive(packet(2, 3), 40_000.0)
    assert receiver.deadline == 90_000.0
    receiver.receive(packet(2, 4), 80_000.0)
    drain(receiver, 80_000.0)
    assert drain(receiver, 90_000.0) == [Cancel(T, 1, Cancellation.GIVEN_UP)]
    assert receiver.failure == "nothing came through for 0.05 s, 20 of 21 packets miss: 0 to 1, 3 to 20"
    receiver.receive(packet(3, 5, answer=True), 91_000.0)
    assert drain(receiver, 91_000.0) == [Cancel(T, 2, Cancellation.GIVEN_UP)]


def test_the_opener_of_a_get_notices_another_size_or_boot() -> None:
    for other, words in [(Accept(T, 2, 9, 3), "contradicts"), (Accept(T, 2, len(DATA), 4), "restarted")]:
        receiver = Receiver.get("x", MemoryStore, transfer=T, boot=BOOT)
        receiver.receive(Accept(T, 1, len(DATA), 3), 0.0)
        receiver.receive(other, 1.0)
        assert receiver.state is State.FAILED and words in receiver.failure


class FullDisk(MemoryStore):
    """Has room for two packets."""

    discarded = False

    def write(self, offset: int, payload: bytes) -> None:
        if offset >= 2 * PACKET_BYTES:
            raise OSError(errno.ENOSPC, "No space left on device")
        super().write(offset, payload)

    def discard(self) -> None:
        self.discarded = True


class FullAtTheEnd(MemoryStore):
    """Finds out when it is closed."""

    def finish(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def no_store(total: int) -> MemoryStore:
    raise OSError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("make_store", [FullDisk, FullAtTheEnd])
def test_what_cannot_be_stored_is_reported_to_both(make_store: Callable[[int], MemoryStore]) -> None:
    receiver = Receiver.accept(Open(T, 1, False, len(DATA)), make_store, boot=BOOT)
    for number in range(21):
        receiver.receive(packet(number, number + 1), 0.0)
    receiver.receive(_finish(), 0.0)
    said = drain(receiver)
    assert isinstance(said[-1], Result) and said[-1].outcome == Outcome.NOT_STORED
    assert receiver.state is State.FAILED
    assert "cannot be stored (" in receiver.failure
    assert not isinstance(receiver.store, FullDisk) or receiver.store.discarded


def test_an_opener_of_a_get_that_has_no_room_says_so_to_the_sender() -> None:
    receiver = Receiver.get("x", no_store, transfer=T, boot=BOOT)
    drain(receiver)
    receiver.receive(Accept(T, 1, len(DATA), 3), 0.0)
    assert drain(receiver) == [Result(T, 1, Outcome.NOT_STORED, 21, BOOT, len(DATA), 0)]
    assert receiver.failure == "it cannot be stored (Permission denied)"


def test_a_file_has_its_name_when_it_is_whole_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "picture"
    receiver = Receiver.accept(Open(T, 1, False, len(DATA)), lambda total: FileStore(path, total), boot=BOOT)
    for number in reversed(range(21)):
        receiver.receive(packet(number, 21 - number), 0.0)
    assert not path.exists()
    receiver.receive(_finish(), 0.0)
    assert path.read_bytes() == DATA
    assert list(tmp_path.iterdir()) == [path]


def test_of_a_file_that_failed_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.write_text("what was there before")
    receiver = Receiver.accept(Open(T, 1, False, len(DATA)), lambda total: FileStore(path, total), boot=BOOT)
    receiver.receive(packet(0, 1), 0.0)
    receiver.cancel("enough")
    assert drain(receiver)[-1] == Cancel(T, 1, Cancellation.STOPPED, "enough")
    assert [entry.name for entry in tmp_path.iterdir()] == ["picture"]
    assert path.read_text() == "what was there before"


def test_a_sparse_file_is_sent_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(2**31)
        file.seek(2**31 - 5)
        file.write(b"hello")
    source = FileSource(path)
    assert source.total == 2**31
    assert source.read(source.total // PACKET_BYTES).endswith(b"\0hello")
    source.close()


# --- cancelling ---


def test_a_cancel_of_the_unknown_ends_it_but_not_before_an_accept() -> None:
    sender = Sender.put(MemorySource(DATA), transfer=T)
    drain(sender)
    unknown = Cancel(T, 1, Cancellation.UNKNOWN)
    sender.receive(unknown, 1.0)
    sender.receive(progress(1, 0, 0), 1.5)
    assert sender.state is State.RUNNING
    assert sender.ignored == {"early": 2}
    sender.receive(Accept(T, 1, len(DATA), BOOT, 8), 2.0)
    sender.receive(unknown, 3.0)
    assert sender.state is State.FAILED and "does not know" in sender.failure
    assert drain(sender, 3.0) == [], "a Cancel is never answered"


@pytest.mark.parametrize("make", [putter, taker])
@pytest.mark.parametrize("reason", [1, 2, 3, 4, 99])
def test_a_cancel_ends_either_end(make: Callable[[], End], reason: int) -> None:
    end = make()
    drain(end)
    end.receive(Cancel(T, 1, reason, "because"), 1.0)
    assert end.state is State.FAILED and "(because)" in end.failure
    assert drain(end, 2.0) == []


# --- opens that come when it is over ---

OPEN = Open(T, 9, False, len(DATA), name="x")


def test_a_receiver_that_gave_up_repeats_its_cancel_to_the_same_open_and_refuses_another() -> None:
    receiver = taker(patience_us=50_000.0)
    drain(receiver, 50_000.0)
    receiver.receive(OPEN, 60_000.0)
    assert drain(receiver, 60_000.0) == [Cancel(T, 2, Cancellation.GIVEN_UP)]
    receiver.receive(replace(OPEN, total=3), 61_000.0)
    assert drain(receiver, 61_000.0) == [Refuse(T, 1, Refusal.NUMBER_IN_USE)]


def test_a_receiver_that_was_cancelled_says_nothing_to_a_late_open() -> None:
    receiver = taker()
    receiver.receive(Cancel(T, 1, Cancellation.STOPPED), 1.0)
    receiver.receive(OPEN, 2.0)
    assert drain(receiver, 2.0) == []
    assert receiver.ignored == {"after_the_end": 1}


def test_a_receiver_that_is_done_accepts_the_same_open_again() -> None:
    receiver = taker(b"")
    receiver.receive(_finish(b""), 1.0)
    assert receiver.state is State.DONE
    assert [type(message) for message in drain(receiver, 1.0)] == [Result]
    receiver.receive(Open(T, 2, False, 0, name="x"), 2.0)
    assert drain(receiver, 2.0) == [Accept(T, 2, 0, BOOT, 32)]


def test_an_opener_that_is_over_says_nothing_to_its_echo() -> None:
    sender = Sender.put(MemorySource(DATA), transfer=T, name="x")
    (opening,) = drain(sender)
    sender.cancel()
    drain(sender)
    sender.receive(opening, 1.0)
    assert drain(sender, 1.0) == [] and not sender.echoed
    assert sender.ignored == {"after_the_end": 1}


def test_an_own_open_that_comes_back_after_the_accept_is_no_echo() -> None:
    sender = putter()
    sender.receive(Open(T, 1, False, len(DATA), name="x"), 1.0)
    assert sender.state is State.RUNNING and not sender.echoed
    assert sender.ignored == {"unexpected": 1}


# --- anything at all ---

_NUMBERS = st.sampled_from([0, 1, 2, 7, 8, 9, 20, 21, 22, 63, 64, 1023, 1024, len(DATA), 2**31, 2**32 - 1])
_HONEST: list[Message] = [
    Open(T, 1, False, len(DATA), name="x"),
    Open(T, 1, True, credit=8),
    Accept(T, 1, len(DATA), BOOT, 8),
    Refuse(T, 1, 1),
    Packet(T, 1, 0, payload(0)),
    Packet(T, 9, 20, payload(20), True),
    progress(1, 4, 8, 8, 0b1011_1111),
    _finish(),
    Result(T, 1, 0, 21, BOOT, len(DATA), _finish().digest),
    Cancel(T, 1, 1),
]


@st.composite
def _messages(draw: st.DrawFn) -> Message:
    """An honest message with up to two fields changed."""
    message = draw(st.sampled_from(_HONEST))
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from([field.name for field in fields(message)]))
        value: object = draw(_NUMBERS)
        match getattr(message, name):
            case bool():
                value = draw(st.booleans())
            case bytes():
                value = (
                    draw(st.binary(min_size=1, max_size=1480))
                    if name == "payload"
                    else draw(st.binary(min_size=6, max_size=6))
                )
            case str():
                value = draw(st.text(max_size=9))
            case _ if name == "bitmap":
                value = draw(st.one_of(_NUMBERS, st.integers(0, 2**1024 - 1)))
        message = replace(message, **{name: value})
    return message


_MAKERS: list[Callable[[], End]] = [
    lambda: putter(patience_us=50_000.0),
    lambda: Sender.put(MemorySource(DATA), transfer=T, name="x", patience_us=50_000.0),
    lambda: Sender.serve(MemorySource(DATA), Open(T, 1, True, credit=8), patience_us=50_000.0),
    lambda: taker(patience_us=50_000.0),
    lambda: Receiver.get("x", MemoryStore, transfer=T, boot=BOOT, patience_us=50_000.0),
]


@pytest.mark.parametrize("make", _MAKERS)
@given(script=st.lists(st.tuples(_messages(), st.integers(0, 3000)), max_size=60))
@settings(max_examples=40, deadline=None)
def test_no_sequence_of_messages_upsets_an_end_or_keeps_it_for_ever(
    make: Callable[[], End], script: list[tuple[Message, int]]
) -> None:
    end = make()
    now = 0.0
    for message, wait in script:
        now += wait
        end.receive(message, now)
        drain(end, now)
        assert (end.state is State.FAILED) == bool(end.failure)
        assert all(count > 0 for count in end.ignored.values())
    run_out(end, now)
    if isinstance(end, Receiver) and end.state is State.DONE and end.total == len(DATA):
        # With CRC-32 right over all of it; payloads here are drawn at random.
        assert isinstance(end.store, MemoryStore)
        assert end.store.data == DATA
