# SPDX-License-Identifier: Apache-2.0
"""The reliable protocol: its frames bit for bit, and two state machines that nothing on the wire can upset."""

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import some
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from nsoc.transfer.published import (
    MAX_MISSING,
    Ack,
    Data,
    Message,
    Receiver,
    Reject,
    Sender,
    State,
    Summary,
    Timing,
    decode,
    encode,
    ethernet_header,
)

HEADER = ethernet_header(bytes.fromhex("0a0b0c0d0e0f"), bytes.fromhex("020304050607"))
HEADER_HEX = "0a0b0c0d0e0f02030405060788b5"


# --- frames ---


@pytest.mark.parametrize(
    ("message", "body"),
    [
        (Data(0x01020304, b"\xaa\xbb"), "0101020304aabb"),
        (Summary(235, 347_500), "02000000eb00054d6c"),
        (Ack(), "034f4b"),
        (Ack((5, 0x10000)), "034d49000000020000000500010000"),
    ],
)
def test_frames_have_the_published_bytes_and_are_padded_to_sixty(message: Message, body: str) -> None:
    frame = encode(message, HEADER)
    assert frame.hex() == (HEADER_HEX + body).ljust(120, "0")


def test_a_full_data_frame_and_a_full_missing_list_fit_into_1500_bytes() -> None:
    assert len(encode(Data(1, bytes(1481)), HEADER)) == 1500
    assert MAX_MISSING == 369
    assert len(encode(Ack(tuple(range(369))), HEADER)) == 1497
    with pytest.raises(ValueError, match="1500"):
        encode(Data(1, bytes(1482)), HEADER)
    with pytest.raises(ValueError, match="1500"):
        encode(Ack(tuple(range(370))), HEADER)


def _scapy(body: bytes, ethertype: int = 0x88B5) -> bytes:
    return bytes(Ether(dst="0a:0b:0c:0d:0e:0f", src="02:03:04:05:06:07", type=ethertype) / Raw(body))


@given(st.integers(0, 2**32 - 1), st.binary(min_size=1, max_size=1481))
def test_data_built_by_scapy_is_decoded(sequence: int, payload: bytes) -> None:
    assert decode(_scapy(b"\x01" + struct.pack(">I", sequence) + payload)) == Data(sequence, payload)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=369), st.integers(0, 3))
def test_acks_built_by_scapy_are_decoded_with_or_without_padding(missing: list[int], padding: int) -> None:
    body = b"\x03MI" + struct.pack(f">I{len(missing)}I", len(missing), *missing)
    assert decode(_scapy(body + bytes(padding))) == Ack(tuple(missing))
    assert decode(_scapy(b"\x03OK" + bytes(padding))) == Ack()


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"", Reject.TRUNCATED),
        (bytes.fromhex(HEADER_HEX)[:13], Reject.TRUNCATED),
        (bytes.fromhex(HEADER_HEX), Reject.TRUNCATED),
        (_scapy(b"\x01OK", 0x0800), Reject.OTHER_ETHERTYPE),
        (_scapy(b"\x00"), Reject.UNKNOWN_TYPE),
        (_scapy(b"\x04\x00\x00\x00\x00"), Reject.UNKNOWN_TYPE),
        (_scapy(b"\x01\x00\x00\x00"), Reject.TRUNCATED),
        (_scapy(b"\x01\x00\x00\x00\x00"), Reject.TRUNCATED),
        (_scapy(b"\x02\x00\x00\x00\x00\x00\x00\x00"), Reject.TRUNCATED),
        (_scapy(b"\x03O"), Reject.TRUNCATED),
        (_scapy(b"\x03NO"), Reject.BAD_ACK),
        (_scapy(b"\x03MI\x00\x00"), Reject.TRUNCATED),
        (_scapy(b"\x03MI\x00\x00\x00\x00"), Reject.BAD_COUNT),
        (_scapy(b"\x03MI\x00\x00\x00\x02\x00\x00\x00\x01"), Reject.BAD_COUNT),
        (_scapy(b"\x03MI\xff\xff\xff\xff" + bytes(1476)), Reject.BAD_COUNT),
    ],
)
def test_what_is_no_message_is_rejected_with_its_reason(frame: bytes, reason: Reject) -> None:
    assert decode(frame) is reason


@given(st.binary(max_size=1600), st.booleans())
def test_decoding_never_raises(noise: bytes, ours: bool) -> None:
    decode((HEADER if ours else b"") + noise)


# --- the two machines, with a network in between ---


def _random_bytes(rng: random.Random, low: int, high: int) -> bytes:
    return rng.randbytes(rng.randint(low, high))


def _carry(
    rng: random.Random, frames: list[bytes], *, loss: float, reorder: float, duplicate: float, damage: float
) -> list[bytes]:
    """What a bad network makes of `frames`. Damage is truncation, as flipped bits fail the FCS."""
    out: list[bytes] = []
    for frame in frames:
        if rng.random() < loss:
            continue
        if rng.random() < damage:
            frame = frame[: rng.randrange(len(frame))]
            # A data packet cut in its payload is a valid shorter one: no FCS passes that.
            if len(frame) > 19 and frame[14] == 1:
                continue
        out.append(frame)
        if rng.random() < duplicate:
            out.append(frame)
    for i in range(len(out) - 1):
        if rng.random() < reorder:
            j = min(len(out) - 1, i + rng.randint(1, 5))
            out[i], out[j] = out[j], out[i]
    return out


def _exchange(sender: Sender, receiver: Receiver, rng: random.Random, **network: float) -> None:
    """Run both until the sender has an end; every frame goes through the network there and back."""
    now = 0.0
    for _ in range(200_000):
        frames = []
        while (ack := receiver.poll(now)) is not None:
            frames.append(encode(ack, HEADER))
        while (message := sender.poll(now)) is not None:
            frames.append(encode(message, HEADER))
        if sender.state is not State.RUNNING:
            return
        arrived = _carry(rng, frames, **network)
        if not arrived:
            now = min(sender.deadline, receiver.deadline)
            continue
        now += 50.0
        for frame in arrived:
            message = decode(frame)
            if isinstance(message, Reject):
                continue
            sender.receive(message, now)
            if not isinstance(message, Ack):
                receiver.receive(message, now)
    raise AssertionError("the transfer hangs")


PERFECT = {"loss": 0.0, "reorder": 0.0, "duplicate": 0.0, "damage": 0.0}


@pytest.mark.parametrize("size", [0, 1, 40, 41, 42, 1480, 1481, 1482, 1522, 1523, 2962, 100_000])
def test_any_size_arrives_also_when_the_last_packet_is_padded(size: int) -> None:
    data = random.Random(size).randbytes(size)
    sender, receiver = Sender(data), Receiver()
    _exchange(sender, receiver, random.Random(0), **PERFECT)
    assert (sender.state, receiver.state) == (State.DONE, State.DONE)
    assert receiver.data == data
    assert sender.retransmissions == 0 and sender.summaries_sent == 1
    assert receiver.packets == sender.packets == -(-size // 1481)


@given(
    seed=st.integers(0, 2**32),
    loss=st.floats(0, 0.5),
    reorder=st.floats(0, 0.5),
    duplicate=st.floats(0, 0.3),
    damage=st.floats(0, 0.3),
    window=st.integers(1, 40),
)
@settings(max_examples=80, deadline=None)
def test_the_data_arrives_over_a_bad_network(
    seed: int, loss: float, reorder: float, duplicate: float, damage: float, window: int
) -> None:
    rng = random.Random(seed)
    data = _random_bytes(rng, 0, 20_000)
    payload = rng.randint(41, 1481)
    # Patience for 1000 retries: at these losses a summary and its answer come through once in 60.
    timing = Timing(retry_us=1000, timeout_us=1_000_000)
    sender, receiver = Sender(data, window=window, payload_bytes=payload, timing=timing), Receiver(timing=timing)
    _exchange(sender, receiver, rng, loss=loss, reorder=reorder, duplicate=duplicate, damage=damage)
    assert sender.state is State.DONE, sender.failure
    assert receiver.data == data


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_no_sequence_of_messages_upsets_either_machine(seed: int) -> None:
    rng = random.Random(seed)
    sender, receiver = Sender(bytes(5000), timing=Timing(50, 400)), Receiver(timing=Timing(50, 400), max_bytes=100_000)
    numbers = [0, 1, 2, 3, 4, 100, 2**31, 2**32 - 1]
    for step in range(300):
        now = float(rng.randint(0, 3) + step)
        message = rng.choice(
            [
                Data(rng.choice(numbers), _random_bytes(rng, 1, 1600)),
                Summary(rng.choice(numbers), rng.choice(numbers)),
                Ack(tuple(rng.choice(numbers) for _ in range(rng.randint(0, 5)))),
            ]
        )
        rng.choice([sender, receiver]).receive(message, now)
        for machine in (sender, receiver):
            for _ in range(20):
                machine.poll(now)
            assert machine.deadline is not None
            assert all(count > 0 for count in machine.ignored.values())


# --- the sender's pace ---


def _drain(sender: Sender, now: float = 0.0) -> list[Data | Summary]:
    messages = []
    while (message := sender.poll(now)) is not None:
        messages.append(message)
    return messages


def test_a_burst_of_the_window_then_one_packet_for_each_that_returns() -> None:
    sender = Sender(bytes(100 * 1481), window=16)
    burst = _drain(sender)
    assert [m.sequence for m in burst if isinstance(m, Data)] == list(range(16))
    sender.receive(burst[0], 1.0)
    assert [m.sequence for m in _drain(sender, 1.0) if isinstance(m, Data)] == [16]
    assert sender.in_flight == 16


def test_a_returned_packet_credits_the_lost_ones_before_it() -> None:
    sender = Sender(bytes(100 * 1481), window=16)
    burst = _drain(sender)
    sender.receive(burst[9], 1.0)
    assert len(_drain(sender, 1.0)) == 10
    sender.receive(burst[3], 2.0)  # late after all: its place is taken already
    assert _drain(sender, 2.0) == []
    assert sender.ignored["late_return"] == 1


def test_a_window_that_is_lost_whole_is_followed_by_the_next_after_the_retry_time() -> None:
    sender = Sender(bytes(50 * 1481), window=16, timing=Timing(retry_us=1000, timeout_us=100_000))
    assert len(_drain(sender)) == 16
    assert sender.deadline == 1000.0
    assert _drain(sender, 999.0) == []
    assert [m.sequence for m in _drain(sender, 1000.0) if isinstance(m, Data)] == list(range(16, 32))


def test_a_lost_summary_or_ack_is_asked_for_again() -> None:
    sender, receiver = Sender(bytes(3000), timing=Timing(retry_us=1000)), Receiver()
    for message in _drain(sender):
        if isinstance(message, Data):
            receiver.receive(message, 0.0)
    again = _drain(sender, 1000.0)
    assert again == [Summary(3, 3000)]
    receiver.receive(again[0], 1000.0)
    assert receiver.poll(1000.0) == Ack()  # lost
    again = _drain(sender, 2000.0)
    receiver.receive(again[0], 2000.0)
    sender.receive(receiver.poll(2000.0), 2000.0)
    assert sender.state is State.DONE


def test_only_the_missing_is_repeated() -> None:
    sender, receiver = Sender(bytes(10 * 1481)), Receiver()
    for message in _drain(sender):
        if message not in (Data(3, bytes(1481)), Data(7, bytes(1481))):
            receiver.receive(message, 0.0)
        sender.receive(message, 0.0)
    ack = receiver.poll(0.0)
    assert ack == Ack((3, 7))
    sender.receive(ack, 0.0)
    sender.receive(ack, 0.0)  # a duplicate changes nothing
    assert [getattr(m, "sequence", None) for m in _drain(sender)] == [3, 7, None]
    assert sender.retransmissions == 2
    assert sender.ignored["stale_ack"] == 1


def test_a_silent_network_ends_the_transfer_with_a_reason() -> None:
    timing = Timing(retry_us=1000, timeout_us=10_000)
    sender, receiver = Sender(bytes(3000), timing=timing), Receiver(timing=timing)
    _exchange(sender, receiver, random.Random(0), **{**PERFECT, "loss": 1.0})
    assert sender.state is State.FAILED
    assert "10 ms" in sender.failure
    assert receiver.state is State.FAILED


def test_data_that_returns_keeps_a_slow_transfer_alive() -> None:
    sender = Sender(bytes(50 * 1481), window=1, timing=Timing(retry_us=1000, timeout_us=10_000))
    for step in range(50):
        (message,) = _drain(sender, step * 900.0)
        sender.receive(message, (step + 1) * 900.0 - 1)
    assert sender.state is State.RUNNING
    assert sender.in_flight == 0


def test_returning_summaries_alone_do_not_keep_a_dead_transfer_alive() -> None:
    sender = Sender(bytes(100), timing=Timing(retry_us=1000, timeout_us=10_000))
    now = 0.0
    while sender.state is State.RUNNING:
        for message in _drain(sender, now):
            sender.receive(message, now)
        now = sender.deadline
        assert now < 20_000.0
    assert sender.state is State.FAILED


def test_a_receiver_that_always_wants_more_is_given_up() -> None:
    sender = Sender(bytes(100), max_rounds=50)
    for _ in range(60):
        for message in _drain(sender):
            sender.receive(message, 0.0)
        sender.receive(Ack((0,)), 0.0)
    assert sender.state is State.FAILED
    assert "50 rounds" in sender.failure


def test_acks_that_make_no_sense_are_ignored_and_counted() -> None:
    sender = Sender(bytes(3 * 1481), window=2)
    _drain(sender)
    sender.receive(Ack(), 0.0)  # no summary yet: nobody can know
    assert sender.state is State.RUNNING
    sender.receive(Data(1, b""), 0.0)
    _drain(sender)
    sender.receive(Ack((3, 2**32 - 1)), 0.0)
    assert _drain(sender) == []
    assert sender.ignored == {"early_ack": 1, "sequence_out_of_range": 2, "stale_ack": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"payload_bytes": 40}, "41 to 1481"), ({"payload_bytes": 1482}, "41 to 1481"), ({"window": 0}, "at least 1")],
)
def test_impossible_parameters_are_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sender(b"x", **arguments)


# --- the receiver's lists ---


def test_a_short_list_is_one_published_frame() -> None:
    receiver = Receiver()
    receiver.receive(Data(1, bytes(1481)), 0.0)
    receiver.receive(Summary(370, 370 * 1481), 0.0)
    ack = receiver.poll(0.0)
    assert ack == Ack((0, *range(2, 370)))
    assert encode(ack, HEADER)[14:21] == b"\x03MI\x00\x00\x01\x71"
    assert receiver.poll(0.0) is None


def test_a_long_list_goes_out_in_full_frames_each_valid_by_itself() -> None:
    packets = 300_000
    receiver = Receiver(ack_burst=None)
    receiver.receive(Data(150_000, bytes(1481)), 0.0)
    receiver.receive(Summary(packets, packets * 1481), 0.0)
    lists = []
    while (ack := receiver.poll(0.0)) is not None:
        decoded = decode(encode(ack, HEADER))
        assert isinstance(decoded, Ack)
        lists.append(decoded.missing)
    assert {len(numbers) for numbers in lists[:-1]} == {369}
    assert [s for numbers in lists for s in numbers] == [s for s in range(packets) if s != 150_000]


@pytest.mark.parametrize("ack_burst", some([16], [None]))
def test_hundreds_of_thousands_of_lost_packets_are_repeated(ack_burst: int | None) -> None:
    packets = 200_000
    data = random.Random(1).randbytes(41 * packets)
    sender, receiver = Sender(data, payload_bytes=41, window=1000), Receiver(ack_burst=ack_burst)
    now = 0.0
    while sender.state is State.RUNNING:
        now += 1.0
        while (ack := receiver.poll(now)) is not None:
            sender.receive(ack, now)
        while (message := sender.poll(now)) is not None:
            sender.receive(message, now)
            if sender.data_sent > packets or isinstance(message, Summary):  # the whole first pass is lost
                receiver.receive(message, now)
    assert receiver.data == data
    assert sender.retransmissions == packets
    assert sender.ignored["late_return"] == 0


def test_a_lost_frame_of_a_long_list_is_named_again() -> None:
    packets = 2000
    sender, receiver = Sender(bytes(41 * packets), payload_bytes=41, window=10_000), Receiver()
    messages = _drain(sender)
    receiver.receive(messages[-1], 0.0)
    acks = []
    while (ack := receiver.poll(0.0)) is not None:
        acks.append(ack)
    assert [len(a.missing) for a in acks] == [369, 369, 369, 369, 369, 155]
    for message in messages:
        sender.receive(message, 0.0)
    for ack in (*acks[:2], *acks[3:]):
        sender.receive(ack, 0.0)
    for message in _drain(sender):
        receiver.receive(message, 0.0)
    assert receiver.poll(0.0) == acks[2]


def test_a_summary_of_four_billion_packets_costs_neither_time_nor_memory() -> None:
    receiver = Receiver()
    receiver.receive(Summary(2**32 - 1, 2**32 - 1), 0.0)
    acks = 0
    while receiver.poll(0.0) is not None:
        acks += 1
    assert acks == 16


def test_summaries_that_cannot_be_true_are_ignored() -> None:
    receiver = Receiver(max_bytes=10_000)
    for summary in (Summary(2, 1), Summary(2, 2963), Summary(0, 1), Summary(7, 10_001)):
        receiver.receive(summary, 0.0)
    assert receiver.poll(0.0) is None
    assert receiver.ignored == {"bad_summary": 4}


def test_what_a_receiver_keeps_is_bounded() -> None:
    receiver = Receiver(max_bytes=10_000)
    for sequence in range(100):
        receiver.receive(Data(sequence * 1000, bytes(1000)), 0.0)
    assert receiver.packets == 10
    assert receiver.ignored == {"too_long": 90}


def test_lengths_that_contradict_the_summary_start_the_collection_again() -> None:
    receiver = Receiver()
    receiver.receive(Data(0, bytes(1000)), 0.0)
    receiver.receive(Data(1, bytes(100)), 0.0)
    receiver.receive(Summary(2, 1081), 0.0)
    assert receiver.poll(0.0) == Ack((0, 1))
    assert receiver.ignored == {"wrong_length": 2}


def test_packets_beyond_the_summary_are_dropped_and_counted() -> None:
    receiver = Receiver()
    receiver.receive(Data(9, bytes(50)), 0.0)
    receiver.receive(Data(0, bytes(50)), 0.0)
    receiver.receive(Summary(2, 100), 0.0)
    receiver.receive(Data(2, bytes(50)), 0.0)
    assert receiver.poll(0.0) == Ack((1,))
    assert receiver.ignored == {"sequence_out_of_range": 2}


def test_a_finished_receiver_repeats_its_ok_and_changes_nothing() -> None:
    receiver = Receiver()
    receiver.receive(Data(0, b"x" * 50), 0.0)
    receiver.receive(Summary(1, 50), 0.0)
    assert receiver.poll(0.0) == Ack()
    receiver.receive(Data(0, b"y" * 50), 0.0)
    receiver.receive(Summary(1, 49), 0.0)
    assert receiver.poll(0.0) is None
    receiver.receive(Summary(1, 50), 0.0)
    assert receiver.poll(1e12) == Ack()
    assert receiver.data == b"x" * 50
    assert receiver.ignored == {"duplicate": 1, "bad_summary": 1}
