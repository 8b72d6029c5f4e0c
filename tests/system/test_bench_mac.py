# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench mac` in simulation: what the wide MACs carry at a full line, and what they lose is what cannot be."""

import pytest
from runs import slow, some

from nsoc.bench import mac

LENGTHS = "60,61,64,65,67,68,97,100,125,129,188,189,1514,1518,60-130,60-200,1500-1518,60-1518"
CARRIED = "60,61,64,124,125,127,128,1472,1518"
"""By a line of 512 bits with a frame a beat at 200 MHz."""
MANY = 1_000_000


@pytest.mark.parametrize(
    ("width", "frames"), [*slow([(256, 2000)]), *some([], [(128, 2000), (128, MANY), (256, MANY)])]
)
def test_nothing_is_lost_at_25_and_50_gbps(width: int, frames: int) -> None:
    lengths = LENGTHS if frames < MANY else "60-1518"
    for one in mac.run(mac.systems([width]), mac.parse_mixes(lengths), frames=frames):
        assert (one.came, one.good, one.loss) == (frames, frames, 0), one.mix
        assert one.short < (4 if width == 128 else 8), one.mix
        assert one.mean_gap < 12.01, one.mix


@pytest.mark.parametrize(
    ("lengths", "frames"), [*slow([(LENGTHS, 2000)]), *some([], [("65,97,129,193,257", 30_000), ("60-1518", MANY)])]
)
def test_with_packed_beats_nothing_is_lost_at_100_gbps(lengths: str, frames: int) -> None:
    """By the MAC at 200 MHz. Behind its door that which has beats; of the others as much as the store is large goes."""
    for one in mac.run(mac.systems(packed=True), mac.parse_mixes(lengths), frames=frames, packed=True):
        assert (one.came, one.good, one.loss) == (frames, frames, 0), one.mix
        # A frame of one word, 60 to 64 bytes, is not joined with another one's end: gaps of a mix are longer.
        mixed = one.mix.least < 65 < one.mix.most < 1000
        assert one.short < 8 and one.mean_gap < (12.3 if mixed else 12.01), one.mix
        need = mac.need(one.preset, one.mix)
        assert one.absorbed > 1000, one.mix
        assert one.dropped == 0 or need > 1, one.mix
        if frames == 30_000:
            lost = one.dropped / (frames - one.absorbed)
            assert lost == pytest.approx(1 - 1 / need, abs=0.02), one.mix


@pytest.mark.long
@pytest.mark.parametrize("core_mhz", [None, 281])
def test_at_100_gbps_what_the_beats_behind_it_have_room_for_is_carried(core_mhz: float | None) -> None:
    """281 MHz are enough for any length."""
    mixes = mac.parse_mixes(f"{LENGTHS},{CARRIED}")
    for one in mac.run(mac.systems([512], core_mhz=core_mhz), mixes):
        need = mac.need(one.preset, one.mix)
        assert need < 1 or core_mhz is None
        if need > 1:
            assert one.loss == pytest.approx(1 - 1 / need, abs=0.03), one.mix
        else:
            assert one.loss == 0, one.mix
        if core_mhz:
            assert one.short < 8 and one.mean_gap < 12.5, one.mix


@pytest.mark.long
def test_a_million_frames_at_100_gbps() -> None:
    (one,) = mac.run(mac.systems([512], core_mhz=281), mac.parse_mixes("60-1518"), frames=MANY)
    assert one.loss == 0
