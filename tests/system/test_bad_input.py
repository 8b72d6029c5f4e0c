# SPDX-License-Identifier: Apache-2.0
"""Whatever is wrong on the wire is counted by exactly one counter, and the next good frame passes."""

import random
import zlib

import pytest
from runs import seeds
from traffic import boot, check_conservation, echo, frame, settle

RNG = random.Random(1)
GOOD = frame(200, RNG)


def with_fcs(data: bytes) -> bytes:
    return data + zlib.crc32(data).to_bytes(4, "little")


FAULTS = {
    "bad FCS": (GOOD, {"bad_fcs": True}, "rx_drop_fcs"),
    "FCS of the frame without its last byte": (GOOD + with_fcs(GOOD[:-1])[-4:], {"raw": True}, "rx_drop_fcs"),
    "FCS in front of the last byte": (with_fcs(GOOD[:-1]) + GOOD[-1:], {"raw": True}, "rx_drop_fcs"),
    "carrier drop in mid-frame": (GOOD, {"cut_at": 100}, "rx_drop_fcs"),
    "carrier drop in the header": (GOOD, {"cut_at": 10}, "rx_drop_runt"),
    "runt with a good FCS": (with_fcs(frame(59, RNG)), {"raw": True}, "rx_drop_runt"),
    "runt of one byte": (b"\x55", {"raw": True}, "rx_drop_runt"),
    "oversize with a good FCS": (frame(1519, RNG), {}, "rx_drop_oversize"),
    "oversize of 9000 bytes": (frame(9000, RNG), {}, "rx_drop_oversize"),
    "receive error in the first byte": (GOOD, {"error_at": 0}, "rx_drop_error"),
    "receive error in the payload": (GOOD, {"error_at": 77}, "rx_drop_error"),
    "no start of frame delimiter": (GOOD, {"sfd": 0x55}, "rx_drop_error"),
    "a start of frame delimiter too late": (GOOD, {"preamble": 9}, "rx_drop_error"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_bad_frame_is_counted_once_and_the_next_one_passes(name: str) -> None:
    data, options, counter = FAULTS[name]
    before, after = frame(77, random.Random(2)), frame(1514, random.Random(3))
    with boot() as soc:
        soc.wire.send(before)
        soc.wire.send(data, **options)
        soc.wire.send(after)
        received = settle(soc)
        assert [r.data for r in received] == [echo(before), echo(after)]
        assert {k: v for k, v in soc.counters.items() if "_drop_" in k and v} == {counter: 1}
        check_conservation(soc, 3, 2)


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_a_random_mixture_of_good_and_bad_frames_adds_up(seed: int) -> None:
    rng = random.Random(seed)
    with boot(seed=seed) as soc:
        good, causes = [], {}
        for _ in range(300):
            if rng.random() < 0.5:
                data = frame(rng.randrange(60, 1515), rng)
                good.append(data)
                soc.wire.send(data)
            else:
                data, options, counter = FAULTS[rng.choice(list(FAULTS))]
                causes[counter] = causes.get(counter, 0) + 1
                soc.wire.send(data, **options)
            if soc.wire.queued > 8:
                soc.run(us=1000, sent=0)
        received = settle(soc)
        assert [r.data for r in received] == [echo(f) for f in good]
        assert {k: v for k, v in soc.counters.items() if "_drop_" in k and v} == causes
        check_conservation(soc, 300, len(good))
