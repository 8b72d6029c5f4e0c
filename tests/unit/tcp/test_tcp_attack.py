# SPDX-License-Identifier: Apache-2.0
"""Attackers at the engine in RTL: whatever they send, good peers get every byte, and nothing is lost inside.

Each run ends with all records, buffers and counters looked at (siege.Siege.finish). A million segments are 100 seeds of
10,000: `pytest -m long tests/unit/tcp/test_tcp_attack.py -k flood`.
"""

import pytest
from runs import some
from tcp.siege import Siege

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("seed", "count"), some([(1, 1500), (2, 1000)], ((seed, 10_000) for seed in range(100, 200))))
def test_a_flood_of_mutated_segments_spoils_no_byte_and_leaks_nothing(seed: int, count: int) -> None:
    # Where answers wait for the line, events do.
    siege = Siege(seed, speed=8, out=(8, 1)[seed % 2], stall_percent=(0, 10, 40)[seed % 3])
    siege.open()
    for _ in range(2):
        siege.flood(count // 2)
        siege.sleep(4_000_000)  # handshakes that nobody ends, TIME-WAIT, patience
    siege.finish()


@pytest.mark.parametrize(("seed", "us"), some([(1, 1200)], ((seed, 20_000) for seed in range(2, 6))))
def test_attackers_on_a_20th_of_the_line_cost_good_peers_less_than_a_10th(seed: int, us: int) -> None:
    got = []
    for percent in (0, 5):
        siege = Siege(seed, goods=1)
        siege.open()
        siege.share(600, percent)  # slow start
        got.append(siege.share(us, percent))
    for way, (alone, attacked) in enumerate(zip(*got, strict=True)):
        assert attacked > 0.9 * alone > 0.7 * us * 117, f"{attacked} of {alone} bytes, way {way}"
