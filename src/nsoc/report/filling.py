# SPDX-License-Identifier: Apache-2.0
"""A transfer as a picture that fills as packets arrive: a row for each packet, time to the right.

A row is empty until its packet has come, and filled from then on. Where a packet went and did not come there is a mark.
A row that a repeat has filled has another colour.
"""

from collections.abc import Sequence

from nsoc.bench.images import PacketTimes

WIDTH, HEIGHT = 1040, 420
LEFT, BOTTOM = 46, 24
TICKS = 5


def svg(packets: Sequence[PacketTimes]) -> str:
    """An inline SVG, styled by page.css."""
    ends = [one.came for one in packets if one.came is not None]
    end = max((*ends, *(us for one in packets for us in one.sent)), default=0.0) * 1.05 or 1.0
    row = (HEIGHT - BOTTOM) / max(1, len(packets))

    def x(us: float) -> float:
        return LEFT + us / end * (WIDTH - LEFT)

    paths: dict[str, list[str]] = {"arrived": [], "repaired": [], "lost": []}
    for number, one in enumerate(packets):
        y = (number + 0.5) * row
        if one.came is not None:
            look = "repaired" if _lost(one) else "arrived"
            paths[look].append(f"M{x(one.came):.1f} {y:.2f}H{WIDTH}")
        paths["lost"] += [f"M{x(us):.1f} {y:.2f}h4" for us in _lost(one)]
    drawn = "".join(
        f'<path class="{look}" stroke-width="{max(row, 0.5):.2f}" d="{"".join(parts)}"/>'
        for look, parts in paths.items()
        if parts
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_words(packets)}">'
        f'<g class="filling">{drawn}</g>{_axes(len(packets), end)}</svg>'
    )


def _lost(one: PacketTimes) -> list[float]:
    """When it went in vain: each time but the one that came."""
    return one.sent if one.came is None else [us for us in one.sent if us < one.came][:-1]


def _words(packets: Sequence[PacketTimes]) -> str:
    lost = sum(len(_lost(one)) for one in packets)
    return f"{len(packets)} packets, {lost} losses"


def _axes(packets: int, end: float) -> str:
    texts = []
    for tick in range(TICKS + 1):
        at = LEFT + tick / TICKS * (WIDTH - LEFT)
        anchor = "end" if tick == TICKS else "start" if tick == 0 else "middle"
        ms = end * tick / TICKS / 1000
        texts.append(f'<text x="{at:.0f}" y="{HEIGHT - 6}" text-anchor="{anchor}">{ms:.1f} ms</text>')
    texts.append(f'<text x="{LEFT - 6}" y="12" text-anchor="end">0</text>')
    texts.append(f'<text x="{LEFT - 6}" y="{HEIGHT - BOTTOM}" text-anchor="end">{max(0, packets - 1)}</text>')
    return "".join(texts)
