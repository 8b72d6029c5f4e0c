# SPDX-License-Identifier: Apache-2.0
"""A transfer through an echoing SoC (the stand-in): bit-exact, at line rate, and every frame in the books."""

import random

import pytest
from fake_soc import FakeSoc, echo

from nsoc.network.channel import Fate, Faults
from nsoc.network.transfer import Outcome, Transfer
from nsoc.transfer.published import Timing

LINE_SHARE = 1500 / (1500 + 24)


def _transfer(data: bytes, soc: FakeSoc | None = None, **options: object) -> Outcome:
    return Transfer(soc or FakeSoc(), data, **options).run()


def _check_books(outcome: Outcome) -> None:
    """Every frame sent is delivered or in exactly one place."""
    lost_outside = sum(line[fate] for line in (outcome.to_soc, outcome.to_host) for fate in (Fate.LOST, Fate.CORRUPTED))
    assert outcome.frames_sent == outcome.data_frames + outcome.summaries + outcome.acks
    assert outcome.frames_lost == lost_outside + outcome.frames_dropped_in_soc


def test_without_faults_the_line_is_full_in_both_directions() -> None:
    data = random.Random(1).randbytes(1_000_000)
    outcome = _transfer(data)
    assert outcome.data == data
    assert (outcome.retransmissions, outcome.frames_lost, outcome.summaries, outcome.acks) == (0, 0, 1, 1)
    for line in (outcome.send, outcome.receive):
        assert line.frames == outcome.packets == 676
        assert line.frame_bytes == len(data) + 676 * 19
        assert line.throughput_mbps / 1000 / LINE_SHARE == pytest.approx(1.0, abs=0.001)


def test_throughput_counts_frame_bytes_over_the_time_on_the_pins() -> None:
    outcome = _transfer(bytes(2 * 1481))
    # two frames of 1500, each with 4 bytes of FCS, 20 bytes of gap and preamble between them, 8 ns a byte
    assert outcome.send.seconds == pytest.approx((2 * 1504 + 20) * 8e-9)
    assert outcome.send.throughput_mbps == pytest.approx(3000 * 8 / ((2 * 1504 + 20) * 8e-9) / 1e6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("faults", [Faults(0.02, 0.01), Faults(0.2, 0.1), Faults(0.0, 0.3)])
def test_lost_and_corrupted_frames_are_repeated(faults: Faults, seed: int) -> None:
    data = random.Random(seed).randbytes(200_000)
    outcome = _transfer(data, faults=faults, seed=seed)
    assert outcome.data == data
    assert outcome.retransmissions > 0
    assert outcome.frames_dropped_in_soc == 0
    _check_books(outcome)


def test_the_same_seed_gives_the_same_run_to_the_last_stamp() -> None:
    data = random.Random(2).randbytes(100_000)
    first, second = (_transfer(data, faults=Faults(0.05, 0.05), seed=3) for _ in range(2))
    assert first.capture == second.capture
    assert first.duration_us == second.duration_us


@pytest.mark.parametrize("window", [1, 2, 3, 7, 100, 4096])
def test_any_window_transfers(window: int) -> None:
    data = random.Random(window).randbytes(100_000)
    soc = FakeSoc()
    outcome = _transfer(data, soc, window=window, faults=Faults(0.05, 0.02))
    assert outcome.data == data
    _check_books(outcome)


def test_a_window_of_one_waits_for_each_frame_and_no_longer() -> None:
    outcome = _transfer(bytes(50 * 1481), FakeSoc(latency_us=15.0), window=1)
    round_trip_us = 15.0 + 2 * 1512 * 0.008
    assert outcome.send.seconds * 1e6 == pytest.approx(50 * round_trip_us, rel=0.05)


def test_a_lost_frame_has_occupied_the_line() -> None:
    soc = FakeSoc()
    _transfer(bytes(32 * 1481), soc, faults=Faults(loss=0.4), seed=1)
    burst = [frame.start_ps for frame in soc.wire.sent if frame.data[14] == 1][:15]
    places = [(start - burst[0]) / (1524 * 8000) for start in burst]
    assert all(place.is_integer() for place in places)
    assert places[-1] > 18  # of so many sent, 15 arrived


def test_what_is_under_way_at_the_end_is_in_the_books() -> None:
    outcome = _transfer(bytes(50_000), FakeSoc(lambda frame: echo(frame) * 2))
    assert outcome.data == bytes(50_000)
    assert sum(outcome.to_host.values()) == 2 * outcome.frames_sent


class Mischief:
    """Firmware that treats some frames badly."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.held: bytes | None = None

    def __call__(self, frame: bytes) -> list[bytes]:
        (answer,) = echo(frame)
        match self.random.randrange(12):
            case 0:
                return []
            case 1:
                return [answer, answer]
            case 2:
                self.held = answer
                return []
            case 3:
                return [frame]  # the addresses not swapped
            case 4:
                return [answer[:12] + b"\x08\x00" + answer[14:], answer]
            case 5:
                return [answer[:14] + b"\x77" + answer[15:], answer[:15], answer]
            case 6:
                return [answer[:14] + b"\x03MI\xff\xff\xff\xff" + answer[21:], answer]
            case 7 if self.held:
                held, self.held = self.held, None
                return [answer, held]
        return [answer]


@pytest.mark.parametrize("seed", range(20))
def test_a_soc_that_drops_doubles_reorders_and_forges_cannot_upset_a_transfer(seed: int) -> None:
    data = random.Random(seed).randbytes(60_000)
    outcome = _transfer(data, FakeSoc(Mischief(seed)))
    assert outcome.data == data
    assert outcome.ignored["addresses_not_swapped"] > 0
    assert outcome.ignored["other_ethertype"] > 0


def test_a_soc_that_answers_nothing_ends_the_transfer_in_simulated_time() -> None:
    soc = FakeSoc(lambda frame: [])
    outcome = _transfer(bytes(10_000), soc, timing=Timing(timeout_us=5_000))
    assert outcome.data is None
    assert "5 ms" in outcome.failure
    assert outcome.frames_dropped_in_soc == outcome.frames_sent
    assert soc.time_us < 6_000


def test_a_cable_that_loses_everything_ends_the_transfer() -> None:
    outcome = _transfer(bytes(10_000), faults=Faults(loss=1.0))
    assert outcome.failure
    assert outcome.to_soc[Fate.LOST] == outcome.frames_sent == outcome.frames_lost


def test_frames_that_the_soc_damages_are_counted_and_repeated() -> None:
    soc = FakeSoc()
    data = random.Random(1).randbytes(50_000)
    real = soc.wire.receive_all

    def receive_all() -> list:
        frames = real()
        for frame in frames:
            frame.good = frame.start_ps % 7 != 0
        return frames

    soc.wire.receive_all = receive_all
    outcome = _transfer(data, soc)
    assert outcome.data == data
    assert outcome.ignored["bad_frame_from_soc"] > 0


def test_the_capture_holds_every_frame_on_the_pins_with_its_fate() -> None:
    outcome = _transfer(random.Random(1).randbytes(300_000), faults=Faults(0.1, 0.1), seed=2)
    to_soc = [p for p in outcome.capture if p.to_soc]
    to_host = [p for p in outcome.capture if not p.to_soc]
    assert len(to_soc) == outcome.frames_sent - outcome.to_soc[Fate.LOST]
    assert sum(p.bad_fcs for p in to_soc) == outcome.to_soc[Fate.CORRUPTED]
    assert len(to_host) == sum(outcome.to_host.values())
    assert sum(p.comment.startswith("lost") for p in to_host) == outcome.to_host[Fate.LOST]
    assert sum(p.comment.startswith("corrupted") for p in to_host) == outcome.to_host[Fate.CORRUPTED]


def test_progress_ends_with_everything_there() -> None:
    seen: list[tuple[int, int]] = []
    _transfer(bytes(300_000), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (203, 203)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
