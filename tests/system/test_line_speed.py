# SPDX-License-Identifier: Apache-2.0
"""The whole SoC at 10, 100 and 1000 Mb/s: MII and GMII."""

import random

import pytest

import nsoc
from nsoc.machine import presets

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("mbps", [10, 100, 1000])
def test_frames_are_echoed_back_to_back_at_every_speed_of_the_line(mbps: int) -> None:
    rng = random.Random(mbps)
    lengths = [60, 61, 127, 1514, 60, 64, 1518, 60] + 8 * [999]
    frames = [bytes(12) + rng.randbytes(length - 12) for length in lengths]
    with nsoc.Soc(presets.load().with_(line_mbps=mbps), firmware="forward") as soc:
        soc.run(us=10_000, text="ready")
        for frame in frames:
            soc.wire.send(frame)
        soc.run(us=1e5, frames=len(frames))
        back = soc.wire.receive_all()
        assert [frame.data for frame in back] == frames
        assert all(frame.fcs_ok and not frame.error for frame in back)
        assert min(frame.gap for frame in back[1:]) >= 12
        assert [frame.gap for frame in back[-7:]] == 7 * [12], "frames of one length: the line is never idle"
        drops = {name: count for name, count in soc.counters.items() if "drop" in name and count}
        assert not drops
        last = back[-1]
        byte_times = (last.end_ps - last.start_ps) * mbps / 8e6 + 1
        assert byte_times == pytest.approx(999 + 4, abs=0.5), "at MII a frame ends with its last byte's upper nibble"
