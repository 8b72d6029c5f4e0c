# SPDX-License-Identifier: Apache-2.0
"""A transfer through an echoing SoC (the stand-ins): bit-exact, at line rate, and every frame in the books."""

import random

import pytest
from fake_soc import CabledEcho, FakeSoc, echo
from runs import seeds

from nsoc.network.faults import Faults, Wiring
from nsoc.transfer.echo import Outcome, Transfer
from nsoc.transfer.line_use import LIMIT_MBPS, LineUse
from nsoc.transfer.published import Timing

LINE_SHARE = 1500 / (1500 + 24)


def _transfer(data: bytes, soc: FakeSoc | CabledEcho | None = None, **options: object) -> Outcome:
    return Transfer(soc or FakeSoc(), data, **options).run()


def _over(faults: Faults, seed: int = 1) -> CabledEcho:
    return CabledEcho(Wiring(faults), seed=seed)


def _check_books(outcome: Outcome, soc: CabledEcho) -> None:
    """Every frame sent is delivered or in exactly one place."""
    to_soc, to_host = soc.counts()
    assert outcome.frames_sent == sum(to_soc.values()) - to_soc["duplicated"]
    entered, left = soc.crossed()
    assert len(entered) == sum(to_soc[fate] for fate in ("passed", "corrupted", "changed", "duplicated", "reordered"))
    assert len(left) == sum(frame.good for frame in entered) == sum(to_host.values()) - to_host["duplicated"]
    assert soc.counters["rx_drop_fcs"] == to_soc["corrupted"]
    assert outcome.ignored["bad_frame"] == to_host["corrupted"]


def test_without_faults_the_line_is_full_in_both_directions() -> None:
    data = random.Random(1).randbytes(1_000_000)
    soc = FakeSoc()
    outcome = _transfer(data, soc)
    assert outcome.data == data
    assert (outcome.retransmissions, outcome.summaries, outcome.acks) == (0, 1, 1)
    for line in map(LineUse.of, soc.crossed()):
        assert line.frames == outcome.packets == 676
        assert line.frame_bytes == len(data) + 676 * 19
        assert line.throughput_mbps / 1000 / LINE_SHARE == pytest.approx(1.0, abs=0.001)


def test_throughput_counts_frame_bytes_over_the_time_on_the_line() -> None:
    soc = FakeSoc()
    _transfer(bytes(2 * 1481), soc)
    send = LineUse.of(soc.wire.sent)
    # two frames of 1500, each with 4 bytes of FCS, 20 bytes of gap and preamble between them, 8 ns a byte
    assert send.seconds == pytest.approx((2 * 1504 + 20) * 8e-9)
    # and with the first preamble and the last gap: back to back, so exactly what the line carries
    assert send.throughput_mbps == pytest.approx(3000 * 8 / ((2 * 1504 + 2 * 20) * 8e-9) / 1e6)
    assert send.throughput_mbps <= LIMIT_MBPS * (1 + 1e-9)


@pytest.mark.parametrize("seed", seeds(2, 10))
@pytest.mark.parametrize(
    "faults",
    [
        Faults(loss=0.02, corrupt=0.01),
        Faults(loss=0.2, corrupt=0.1),
        Faults(corrupt=0.3),
        Faults(loss=0.05, burst_loss=0.1, corrupt=0.05, duplicate=0.1, reorder=0.1, jitter_us=20, delay_us=30),
    ],
)
def test_lost_and_corrupted_frames_are_repeated(faults: Faults, seed: int) -> None:
    data = random.Random(seed).randbytes(200_000)
    with _over(faults, seed) as soc:
        outcome = _transfer(data, soc)
        assert outcome.data == data
        assert outcome.retransmissions > 0
        _check_books(outcome, soc)


def test_the_same_seed_gives_the_same_run_to_the_last_stamp() -> None:
    data = random.Random(2).randbytes(100_000)
    socs = [_over(Faults(loss=0.05, corrupt=0.05), seed=3) for _ in range(2)]
    first, second = (_transfer(data, soc) for soc in socs)
    assert first.duration_us == second.duration_us
    assert socs[0].capture() == socs[1].capture()


@pytest.mark.parametrize("window", [1, 2, 3, 7, 100, 4096])
def test_any_window_transfers(window: int) -> None:
    data = random.Random(window).randbytes(100_000)
    with _over(Faults(loss=0.05, corrupt=0.02)) as soc:
        outcome = _transfer(data, soc, window=window)
        assert outcome.data == data
        _check_books(outcome, soc)


def test_a_window_of_one_waits_for_each_frame_and_no_longer() -> None:
    soc = FakeSoc(latency_us=15.0)
    _transfer(bytes(50 * 1481), soc, window=1)
    round_trip_us = 15.0 + 2 * 1512 * 0.008
    assert LineUse.of(soc.wire.sent).seconds * 1e6 == pytest.approx(50 * round_trip_us, rel=0.05)


def test_a_lost_frame_has_occupied_the_line() -> None:
    with _over(Faults(loss=0.4)) as soc:
        _transfer(bytes(32 * 1481), soc)
        burst = [frame.start_ps for frame in soc.crossed()[0] if frame.data[14] == 1][:15]
    places = [(start - burst[0]) / (1524 * 8000) for start in burst]
    assert all(place.is_integer() for place in places)
    assert places[-1] > 18  # of so many sent, 15 arrived


def test_what_is_under_way_at_the_end_is_in_the_books() -> None:
    with CabledEcho(firmware=lambda frame: echo(frame) * 2) as soc:
        outcome = _transfer(bytes(50_000), soc)
        assert outcome.data == bytes(50_000)
        assert [len(way) for way in soc.crossed()] == [outcome.frames_sent, 2 * outcome.frames_sent]


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
    assert len(soc.wire.sent) == outcome.frames_sent
    assert soc.time_us < 6_000


def test_a_cable_that_loses_everything_ends_the_transfer() -> None:
    with _over(Faults(loss=1.0)) as soc:
        outcome = _transfer(bytes(10_000), soc)
        assert outcome.failure
        assert soc.counts()[0]["lost"] == outcome.frames_sent > 0


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
    assert outcome.ignored["bad_frame"] > 0


def test_the_capture_holds_every_frame_on_the_pins_with_its_fate() -> None:
    with _over(Faults(loss=0.1, corrupt=0.1), seed=2) as soc:
        outcome = _transfer(random.Random(1).randbytes(300_000), soc)
        capture = soc.capture()
        counts_to_soc, counts_to_host = soc.counts()
    to_soc = [p for p in capture if p.to_soc]
    to_host = [p for p in capture if not p.to_soc]
    assert len(to_soc) == outcome.frames_sent - counts_to_soc["lost"]
    assert sum(p.bad_fcs for p in to_soc) == counts_to_soc["corrupted"] > 0
    assert len(to_host) == sum(counts_to_host.values())
    assert sum(p.comment.startswith("lost") for p in to_host) == counts_to_host["lost"] > 0
    assert sum(p.comment.startswith("corrupted") for p in to_host) == counts_to_host["corrupted"] > 0


def test_progress_ends_with_everything_there() -> None:
    seen: list[tuple[int, int]] = []
    _transfer(bytes(300_000), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (203, 203)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
