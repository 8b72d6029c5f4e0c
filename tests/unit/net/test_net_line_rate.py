# SPDX-License-Identifier: Apache-2.0
"""UDP both ways at once at 10 Gb/s: a beat of 64 bits each cycle of 156.25 MHz, all of the line but what it must have.

A frame takes its bytes, padded to 60, 4 of FCS and 20 of preamble and gap: in beats of eight bytes. The same with wider
beats on a line as much faster, for frames that take it as long as the next one's headers take to be made.
"""

import os
from fractions import Fraction

import cocotb
import pytest
from bench import run_bench
from net_hw import Item, Stack, padded, stack, udp
from runs import some

pytestmark = pytest.mark.slow

AROUND = 24  # bytes of a frame's time on the line that are not on the stream: FCS, preamble, gap


class Line:
    """Says when frames begin on a line without a gap, in cycles."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.due = Fraction(0)

    def time(self, size: int) -> Fraction:
        """Cycles that a frame of so many bytes takes."""
        return Fraction(max(60, size) + AROUND, self.lanes)

    def gap(self, item: Item) -> int:
        """From this frame's begin to the next one's; what is left of a cycle is kept."""
        before = int(self.due)
        self.due += self.time(len(item.data))
        return int(self.due) - before


async def both_ways(net: Stack, size: int, frames: int) -> tuple[int, int]:
    """Cycles behind the line's own time that the last frame has, each way; 0 is a full line."""
    net.forget()
    line = Line(net.line.width // 8)
    net.line.gap = line.gap
    data = [net.rng.randbytes(size) for _ in range(frames)]
    received = [padded(udp(payload)) for payload in data]
    for frame in received:
        net.line.items.append(Item(frame, {}))
    for payload in data:
        net.send_udp(payload, steady=0)
    await net.run(lambda: len(net.sent.items) == frames and len(net.udp.items) == frames, limit=400 * frames + 2000)
    assert [got.data for got in net.udp.items] == data and not any(got.bad for got in net.udp.items)
    assert [got.data[42:] for got in net.sent.items] == data
    assert net.line.stalled == 0, "the line does not wait"
    time = (frames - 1) * line.time(42 + size)
    # Whole datagrams are sent; the first one is late by what it takes to come in.
    took = net.sent.items[-1].first - net.sent.items[0].first
    return took, max(int(time) + 1, (frames - 1) * -(-(42 + size) // line.lanes))  # no two frames share a beat


@cocotb.test()
async def both_ways_at_once_fill_the_line(dut) -> None:
    net = await stack(dut)
    await net.meet()
    frames = int(os.environ["FRAMES"])
    sizes = range(18, 1473) if os.environ["SIZES"] == "all" else [*range(18, 67), 127, 128, 129, 500, 1471, 1472]
    line = Line(net.line.width // 8)
    for size in sizes:
        if line.time(42 + size) < 5:
            continue
        took, most = await both_ways(net, size, frames)
        assert took <= most, f"{size} bytes: {took} cycles for what the line sends in {most}"


@pytest.mark.parametrize("width", some([64, 128, 512], [256]))
@pytest.mark.parametrize("sizes", some(["some"], ["all"]))
def test_both_ways(sizes: str, width: int) -> None:
    run_bench("net", {"WIDTH": width}, testcase="both_ways_at_once_fill_the_line",
              extra_env={"SIZES": sizes, "FRAMES": "10"})  # fmt: skip
