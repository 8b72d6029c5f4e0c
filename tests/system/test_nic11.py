# SPDX-License-Identifier: Apache-2.0
"""NIC_1.1: queues in memory, worked on by NIC and processor with ordinary accesses under a lock."""

import random

import pytest
from runs import seeds
from traffic import boot, check_conservation, echo, frame, settle

pytestmark = pytest.mark.slow

PRESET = "nic11-fast"


def boot_nic11(firmware: str = "forward", **options):
    return boot(preset=PRESET, firmware=firmware, **options)


def test_frames_of_all_kinds_of_lengths_come_back_in_order() -> None:
    rng = random.Random(1)
    lengths = [*range(60, 76), *(rng.randrange(76, 1515) for _ in range(60)), 1514]
    frames = [frame(length, rng) for length in lengths]
    with boot_nic11() as soc:
        for data in frames:
            soc.wire.send(data, ifg=1200)  # it is slow: so that none is dropped
        received = settle(soc)
        assert all(r.good for r in received)
        assert [r.data for r in received] == [echo(f) for f in frames]
        check_conservation(soc, len(frames), len(received))


@pytest.mark.parametrize("firmware", ["forward", "loopback"])
def test_short_frames_at_line_rate_overflow_the_mac_and_each_is_counted(firmware: str) -> None:
    rng = random.Random(2)
    frames = [frame(60, rng) for _ in range(400)]
    with boot_nic11(firmware) as soc:
        for data in frames:
            soc.wire.send(data)
        received = settle(soc)
        lost = len(frames) - len(received)
        assert lost > 0, "queues in memory are not fast enough for a frame every 672 ns"
        assert soc.counters["rx_drop_overflow"] == lost
        wanted = iter([echo(f) if firmware == "forward" else f for f in frames])
        assert all(r.good and r.data in wanted for r in received), "what was not dropped must come back in order"
        check_conservation(soc, len(frames), len(received))


@pytest.mark.long
def test_a_slow_processor_leaves_no_free_buffer_and_that_is_counted() -> None:
    rng = random.Random(3)
    frames = [frame(1514, rng) for _ in range(120)]
    with boot_nic11(defines={"DELAY": 20000}) as soc:
        for data in frames:
            soc.wire.send(data)
        received = settle(soc, idle_us=2000)
        lost = len(frames) - len(received)
        assert soc.counters["rx_drop_no_buffer"] > 0
        assert soc.counters["rx_drop_no_buffer"] + soc.counters["rx_drop_overflow"] == lost
        check_conservation(soc, len(frames), len(received))


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_random_bursts_lose_nothing_that_is_not_counted(seed: int) -> None:
    rng = random.Random(f"nic11 {seed}")
    firmware = rng.choice(["forward", "forward_irq"])
    with boot_nic11(firmware, seed=seed) as soc:
        sent, received = 0, []
        for _ in range(8):
            burst = [frame(rng.choice([60, rng.randrange(60, 1515), 1514]), rng) for _ in range(rng.randrange(1, 60))]
            wanted = iter([echo(f) for f in burst])
            for data in burst:
                soc.wire.send(data, ifg=rng.choice([12, 12, rng.randrange(12, 2000)]))
            sent += len(burst)
            back = settle(soc)
            assert all(r.good and r.data in wanted for r in back)
            received += back
        assert len(received) > sent // 2
        check_conservation(soc, sent, len(received))


def test_interrupts_come_for_every_frame() -> None:
    """The processor sleeps between frames: one that raised no interrupt would never come back."""
    rng = random.Random(4)
    with boot_nic11("forward_irq") as soc:
        for _ in range(40):
            data = frame(rng.randrange(60, 200), rng)
            soc.wire.send(data)
            assert [r.data for r in settle(soc, idle_us=rng.uniform(10, 20))] == [echo(data)]
        check_conservation(soc, 40, 40)
