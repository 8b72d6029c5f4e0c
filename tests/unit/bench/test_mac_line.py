# SPDX-License-Identifier: Apache-2.0
"""What `nsoc bench mac` makes of what its simulator prints; options that cannot be. tests/system/test_bench_mac.py
simulates."""

from io import StringIO

import pytest
from rich.console import Console

from nsoc.bench import mac
from nsoc.bench.mac import Mix
from nsoc.errors import NsocError
from nsoc.machine import presets

LINE = "2000 1500 1500 500 0 2000 2000 24000 5 19 7 0 0 0"
PACKED = "2000 2000 2000 0 0 2000 2000 24000 5 19 7 1800 200 1482"


def test_what_the_simulator_prints_is_loss_and_mean_gap() -> None:
    found = mac.parse(presets.load("lat-50g"), Mix(61, 61), LINE, 2000)
    assert (found.loss, found.overflow, found.least_gap, found.most_gap, found.short) == (0.25, 500, 5, 19, 7)
    assert found.mean_gap == 24000 / 1999
    rows = {(one.preset, one.mode, one.metric): (one.value, one.unit) for one in mac.records([found])}
    assert rows == {
        ("lat-50g", "256:61", "loss"): (0.25, None),
        ("lat-50g", "256:61", "mean_gap"): (24000 / 1999, "bytes"),
    }
    console = Console(file=StringIO(), width=100)
    console.print(mac.tables([found])[0])
    assert "61 2,000 74% 25.0% 12.01 5 19 7" in " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]


def test_what_is_dropped_at_the_door_of_packed_beats_is_no_loss_of_the_mac() -> None:
    preset = presets.load("lat-100g")
    found = mac.parse(preset, Mix(65, 65), PACKED, 2000, packed=True)
    assert (found.label, found.loss, found.door_loss, found.absorbed) == ("512 packed", 0, 0.1, 1482)
    rows = {(one.mode, one.metric): (one.value, one.unit) for one in mac.records([found])}
    assert rows == {
        ("512 packed:65", "loss"): (0, None),
        ("512 packed:65", "mean_gap"): (24000 / 1999, "bytes"),
        ("512 packed:65", "door_loss"): (0.1, None),
        ("512 packed:65", "absorbed"): (1482, "frames"),
    }
    console = Console(file=StringIO(), width=120)
    console.print(mac.tables([found])[0])
    assert "65 2,000 140% none 10.0% 1,482 12.01 5 19 7" in " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]
    with pytest.raises(NsocError, match="of 2000 frames 1801 came through the door, and it counted 200 dropped ones"):
        mac.parse(preset, Mix(65, 65), PACKED.replace("1800", "1801"), 2000, packed=True)


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (4, 1, "1 frames came out wrong"),
        (2, 1499, "of 2000 frames 1500 came, and it counted 1499 good and 500 lost ones"),
        (3, 499, "it counted 1500 good and 499 lost ones"),
        (5, 1999, "of 2000 frames 2000 were begun on the line and 1999 were whole"),
        (6, 2001, "2001 were begun"),
    ],
)
def test_a_frame_that_is_in_no_counter_is_an_error(at: int, value: int, said: str) -> None:
    numbers = LINE.split()
    numbers[at] = str(value)
    with pytest.raises(NsocError, match=said):
        mac.parse(presets.load("lat-50g"), Mix(61, 61), " ".join(numbers), 2000)


def test_a_mix_needs_as_many_beats_as_its_bytes_and_the_line_has_its_time() -> None:
    wide, narrow = presets.load("lat-100g"), presets.load("lat-50g")
    assert mac.need(wide, Mix(64, 64)) == pytest.approx(1 / 200 / (88 * 8 / 100_000))
    assert mac.need(wide, Mix(65, 65)) == pytest.approx(2 / 200 / (89 * 8 / 100_000))
    both = (1 + 2) / 200 / ((88 + 89) * 8 / 100_000)
    assert mac.need(wide, Mix(64, 65)) == pytest.approx(both)
    assert max(mac.need(narrow, Mix(n, n)) for n in range(60, 1519)) < 1, "any length"


@pytest.mark.parametrize("text", ["", "59", "1519", "61-", "a", "100-90", "60,,61", "60-1519"])
def test_lengths_that_cannot_be(text: str) -> None:
    with pytest.raises(NsocError, match="--length"):
        mac.parse_mixes(text)


def test_lengths_and_ranges() -> None:
    assert mac.parse_mixes("61, 60-1518") == [Mix(61, 61), Mix(60, 1518)]
    assert [mix.name for mix in mac.parse_mixes("61,60-200")] == ["61", "60-200"]


def test_systems_are_those_of_the_presets_with_changes() -> None:
    assert [one.name for one in mac.systems()] == ["lat-25g", "lat-50g", "lat-100g"]
    (changed,) = mac.systems([256], core_mhz=200, beat_bits=256)
    assert (changed.nic_mhz, changed.width, changed.line_bits) == (200, 256, 256)
    with pytest.raises(NsocError, match="--width wants some of 128, 256, 512, not 64"):
        mac.systems([64])
    with pytest.raises(NsocError, match="--core-mhz 100"):
        mac.systems([512], core_mhz=100)
    assert mac.systems(packed=True) == mac.systems([512], beat_bits=512, packed=True) == mac.systems([512])
    for widths, beat_bits in (([256], None), ([], 256)):
        with pytest.raises(NsocError, match="--packed is for lines and beats of 512 bits"):
            mac.systems(widths, beat_bits=beat_bits, packed=True)
