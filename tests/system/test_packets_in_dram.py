# SPDX-License-Identifier: Apache-2.0
"""Packet buffers in DRAM, where the data cache holds what the NIC writes: no frame has a byte of an old one."""

import random

import pytest
from traffic import BUFFERS, boot, check_conservation, echo, settle

LENGTHS = (*range(60, 132), 255, 256, 257, 511, 512, 1023, 1024, 1025, 1500, 1513, 1514)


def frame(length: int, rng: random.Random) -> bytes:
    """Nothing is as in another frame, not even the addresses, which the processor swaps."""
    data = bytearray(rng.randbytes(length))
    data[0] &= 0xFE  # addresses of one station each
    data[6] &= 0xFE
    return bytes(data)


@pytest.mark.parametrize("preset", ["nic12-dram", "nic12-l2"])
def test_every_frame_comes_back_with_its_own_content_when_buffers_are_used_again(preset: str) -> None:
    rng = random.Random(11)
    with boot(preset=preset) as soc:
        count = 0
        while count < 5 * BUFFERS:
            burst = [frame(rng.choice(LENGTHS), rng) for _ in range(rng.randrange(1, 40))]
            for data in burst:
                soc.wire.send(data, ifg=rng.choice([12, 400, 2000]))
            count += len(burst)
            back = settle(soc)
            assert [r.data for r in back] == [echo(data) for data in burst]
            assert all(r.good for r in back)
        check_conservation(soc, count, count)


@pytest.mark.parametrize("preset", ["nic12-dram", "nic12-l2"])
def test_every_length_comes_back_from_dram(preset: str) -> None:
    rng = random.Random(12)
    frames = [frame(length, rng) for length in LENGTHS]
    with boot(preset=preset) as soc:
        for data in frames:
            soc.wire.send(data)
        back = settle(soc)
        assert [r.data for r in back] == [echo(data) for data in frames]
        check_conservation(soc, len(frames), len(frames))
