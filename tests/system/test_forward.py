# SPDX-License-Identifier: Apache-2.0
"""Frames through the whole SoC: wire, MAC, NIC, memory, processor, and back."""

import random

import pytest
from runs import seeds, some
from traffic import boot, check_conservation, echo, frame, settle


@pytest.mark.parametrize("step", some([13], [1]))
def test_every_length_comes_back_with_addresses_swapped(step: int) -> None:
    """In MAC and NIC each length has its own test; here the default run takes all short ones and some others."""
    rng = random.Random(1)
    frames = [frame(length, rng) for length in [*range(60, 130), *range(130, 1514, step), 1514]]
    with boot() as soc:
        for data in frames:
            soc.wire.send(data)
        received = settle(soc)
        assert all(r.good for r in received)
        assert [r.data for r in received] == [echo(f) for f in frames]
        check_conservation(soc, len(frames), len(received))


def test_frames_shorter_than_the_minimum_are_padded_on_both_ways() -> None:
    rng = random.Random(2)
    frames = [frame(length, rng) for length in range(14, 60)]
    with boot() as soc:
        for data in frames:
            soc.wire.send(data)  # padded to 60 bytes by the sender's MAC
        assert [r.data for r in settle(soc)] == [echo(f) for f in frames]
        check_conservation(soc, len(frames), len(frames))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(1, 4))
@pytest.mark.parametrize("servers", [0b0001, 0b1111, 0b1010])
def test_random_bursts_lose_nothing_that_is_not_counted(seed: int, servers: int) -> None:
    rng = random.Random(f"{seed} {servers}")
    with boot(seed=seed, defines={"SERVERS": servers}) as soc:
        sent = 0
        received = []
        for _ in range(12):
            lengths = [rng.choice([60, 64, rng.randrange(60, 1515), 1514]) for _ in range(rng.randrange(1, 60))]
            burst = [frame(length, rng) for length in lengths]
            pending = [echo(f) for f in burst]
            for data in burst:
                soc.wire.send(data, ifg=rng.choice([12, 12, 12, rng.randrange(12, 400)]))
            sent += len(burst)
            back = settle(soc)
            received += back
            for r in back:  # servers may overtake each other; nothing may come back twice or changed
                assert r.good
                pending.remove(r.data)
            assert len(pending) == 0 or soc.counters["rx_drop_overflow"] > 0
        check_conservation(soc, sent, len(received))


@pytest.mark.parametrize("length", [60, 78])
def test_the_processor_echoes_the_shortest_frames_at_the_full_rate_of_the_line(length: int) -> None:
    rng = random.Random(length)
    frames = [frame(length, rng) for _ in range(3000)]
    with boot() as soc:
        for data in frames:
            soc.wire.send(data)
        received = settle(soc)
        assert all(r.good for r in received)
        assert [r.data for r in received] == [echo(f) for f in frames], "and none is lost"
        slot_ps = (length + 4 + 8 + 12) * 8000  # FCS, preamble and gap at 1 Gb/s
        took_ps = received[-1].end_ps - received[400].end_ps
        assert took_ps <= (len(received) - 401) * slot_ps / 0.999
        check_conservation(soc, len(frames), len(received))


@pytest.mark.slow
def test_overload_drops_whole_frames_and_counts_each() -> None:
    """More frames back to back than 16 KB and 64 buffers take, and a processor that is slow to give buffers back."""
    rng = random.Random(3)
    frames = [frame(1514, rng) for _ in range(200)]
    with boot(defines={"DELAY": 20000}) as soc:  # cpu_clk cycles of idling before each poll
        for data in frames:
            soc.wire.send(data)
        received = settle(soc, idle_us=2000)
        lost = len(frames) - len(received)
        assert soc.counters["rx_drop_no_buffer"] + soc.counters["rx_drop_overflow"] == lost
        assert soc.counters["rx_drop_no_buffer"] > 0, "the NIC ran out of patience and made room in the FIFO"
        wanted = iter([echo(f) for f in frames])
        assert all(r.good and r.data in wanted for r in received), "what was not dropped must come back in order"
        check_conservation(soc, len(frames), len(received))


def test_same_seed_same_cycles_and_every_seed_works() -> None:
    def stamps(seed: int) -> list[tuple[int, int]]:
        rng = random.Random(4)
        with boot(seed=seed) as soc:
            for _ in range(40):
                soc.wire.send(frame(rng.randrange(60, 1515), rng))
            return [(r.start_cycle, r.end_cycle) for r in settle(soc)]

    runs = [stamps(seed) for seed in (1, 1, 2, 3)]
    assert runs[0] == runs[1]
    assert all(len(run) == 40 for run in runs)


def test_two_socs_in_one_process_do_not_disturb_each_other() -> None:
    rng = random.Random(5)
    with boot(seed=1) as one, boot(seed=2) as two:
        first, second = frame(100, rng), frame(200, rng)
        one.wire.send(first)
        two.wire.send(second)
        assert [r.data for r in settle(one)] == [echo(first)]
        assert [r.data for r in settle(two)] == [echo(second)]
