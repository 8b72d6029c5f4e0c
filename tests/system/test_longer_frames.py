# SPDX-License-Identifier: Apache-2.0
"""Frames of more than one tag: with two, and envelopes of 2000 bytes, where nic.max_frame says so."""

import random

import pytest
from traffic import boot, check_conservation, echo, frame, settle

from nsoc.machine import memory_map, regs

pytestmark = pytest.mark.slow
MAX_FRAME = memory_map.NIC_BASE + 4 * regs.BLOCKS["nic"].registers["max_frame"].id


def test_frames_come_and_go_up_to_what_the_register_says_and_longer_ones_are_counted() -> None:
    rng = random.Random(45)
    with boot() as soc:
        sent = 0
        for most in (1522, 1526, 2000, 2034, 1518):
            if most != 1522:
                soc.debugger().store(MAX_FRAME, 4, most)
            before = soc.counters["rx_drop_oversize"]
            frames = [frame(length - 4, rng) for length in (64, most - 1, most, most + 1, most + 50, most)]
            for data in frames:
                soc.wire.send(data)
            good = [echo(data) for data in frames if len(data) + 4 <= most]
            assert [received.data for received in settle(soc)] == good
            assert soc.counters["rx_drop_oversize"] == before + 2
            sent += len(frames)
        assert soc.counters["tx_drop_bad_length"] == soc.counters["rx_drop_too_long"] == 0
        check_conservation(soc, sent, sent - 10)
