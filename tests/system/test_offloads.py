# SPDX-License-Identifier: Apache-2.0
"""A SoC whose NIC has offloads: what its firmware is told of sums, those that come back, and buffers that were kept."""

import random

import pytest
from datagrams import any_frame, inserted, status
from runs import seeds
from socs import EVERYTHING
from traffic import boot, check_conservation, settle

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_sums_are_seen_and_put_in_and_no_kept_buffer_is_lost(seed: int) -> None:
    rng = random.Random(seed)
    sent = [any_frame(rng)[:1514].ljust(60, b"\0") for _ in range(200)]
    with boot(EVERYTHING, firmware="sums", seed=seed) as soc:
        for data in sent:
            soc.wire.send(data, ifg=rng.choice((12, 1200)))
        received = settle(soc)
        assert all(r.good for r in received) and len(received) == len(sent)
        for data, back in zip(sent, received, strict=True):
            seen = status(data)
            assert back.data[11] == seen, data.hex()
            expected = inserted(data[6:12] + data[:6] + data[12:], bool(seen & 6), bool(seen & 24))
            assert expected is not None and back.data[12:] == expected[12:], data.hex()
        check_conservation(soc, len(sent), len(received))  # with no buffer in the processor
        assert soc.counters["tx_sum_unfit"] == 0
