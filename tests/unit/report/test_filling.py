# SPDX-License-Identifier: Apache-2.0
"""The picture of a transfer: what it draws for packets that came, came late, or never came."""

import re

from nsoc.bench.images import PacketTimes
from nsoc.report.filling import BOTTOM, HEIGHT, LEFT, WIDTH, svg

ROWS = 4
ROW = (HEIGHT - BOTTOM) / ROWS
PACKETS = [
    PacketTimes([0.0], 100.0),
    PacketTimes([10.0, 150.0, 160.0], 200.0),  # lost twice
    PacketTimes([20.0, 190.0], 120.0),  # repeated, though it came
    PacketTimes([30.0, 170.0], None),
]


def strokes(look: str) -> list[tuple[float, float, str]]:
    """Left end, row and the rest of each stroke."""
    found = re.search(rf'<path class="{look}"[^>]* d="([^"]*)"', svg(PACKETS))
    assert found is not None
    return [(float(x), float(y), rest) for x, y, rest in re.findall(r"M([\d.]+) ([\d.]+)([Hh]\d+)", found[1])]


def x(us: float) -> float:
    return round(LEFT + us / (200 * 1.05) * (WIDTH - LEFT), 1)


def test_a_row_is_filled_from_when_its_packet_came() -> None:
    assert strokes("arrived") == [(x(100), 0.5 * ROW, f"H{WIDTH}"), (x(120), 2.5 * ROW, f"H{WIDTH}")]


def test_what_a_repeat_brought_looks_different() -> None:
    assert strokes("repaired") == [(x(200), 1.5 * ROW, f"H{WIDTH}")]


def test_each_time_that_a_packet_went_in_vain_is_marked() -> None:
    assert strokes("lost") == [(x(us), row * ROW, "h4") for us, row in ((10, 1.5), (150, 1.5), (30, 3.5), (170, 3.5))]
    assert "4 packets, 4 losses" in svg(PACKETS)


def test_nothing_at_all_is_a_picture_too() -> None:
    assert svg([]).startswith("<svg") and "<path" not in svg([])
