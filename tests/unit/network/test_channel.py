# SPDX-License-Identifier: Apache-2.0
"""The faulty cable: its faults are as often as asked for, drawn from the seed, and found by the FCS."""

import random
import zlib

import pytest

from nsoc.network.channel import Channel, Fate, Faults


def _fates(faults: Faults, seed: int, name: str, count: int) -> list[Fate]:
    channel = Channel(faults, seed, name)
    return [channel.fate() for _ in range(count)]


def test_a_perfect_cable_passes_everything_and_a_cut_one_nothing() -> None:
    assert set(_fates(Faults(), 1, "x", 1000)) == {Fate.PASSED}
    assert set(_fates(Faults(loss=1.0), 1, "x", 1000)) == {Fate.LOST}
    assert set(_fates(Faults(corrupt=1.0), 1, "x", 1000)) == {Fate.CORRUPTED}


def test_faults_come_as_often_as_asked_for_and_are_counted() -> None:
    channel = Channel(Faults(loss=0.1, corrupt=0.05), 7, "x")
    fates = [channel.fate() for _ in range(20_000)]
    assert channel.counts == {fate: fates.count(fate) for fate in Fate}
    assert 1800 < channel.counts[Fate.LOST] < 2200
    assert 750 < channel.counts[Fate.CORRUPTED] < 1050


def test_the_seed_and_the_direction_decide() -> None:
    faults = Faults(loss=0.3, corrupt=0.3)
    assert _fates(faults, 1, "a", 100) == _fates(faults, 1, "a", 100)
    assert _fates(faults, 1, "a", 100) != _fates(faults, 2, "a", 100)
    assert _fates(faults, 1, "a", 100) != _fates(faults, 1, "b", 100)


def test_one_probability_does_not_move_the_faults_of_the_other() -> None:
    lossy = _fates(Faults(loss=0.2), 3, "x", 500)
    both = _fates(Faults(loss=0.2, corrupt=0.2), 3, "x", 500)
    assert [f is Fate.LOST for f in lossy] == [f is Fate.LOST for f in both]


def test_a_corrupted_frame_keeps_its_length_and_fails_its_fcs() -> None:
    channel, rng = Channel(Faults(corrupt=1.0), 5, "x"), random.Random(5)
    hit: set[int] = set()
    for _ in range(500):
        frame = rng.randbytes(rng.randint(60, 1514))
        damaged = channel.corrupted(frame)
        body, fcs = damaged[:-4], int.from_bytes(damaged[-4:], "little")
        flipped = int.from_bytes(frame, "big") ^ int.from_bytes(body, "big")
        assert len(body) == len(frame)
        assert 1 <= flipped.bit_count() <= 3
        assert zlib.crc32(body) != fcs == zlib.crc32(frame)
        hit |= {i for i, (a, b) in enumerate(zip(frame, body, strict=True)) if a != b}
    assert len(hit) > 300 and max(hit) > 1300


@pytest.mark.parametrize("faults", [{"loss": -0.1}, {"loss": 1.1}, {"corrupt": 2.0}])
def test_what_is_no_probability_is_refused(faults: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        Faults(**faults)
