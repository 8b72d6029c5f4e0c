# SPDX-License-Identifier: Apache-2.0
"""The host's model: answers when and in which order its options say, refuses what it has no memory for, moves no more
than its bandwidth."""

from collections import defaultdict
from random import Random

import pytest
from pnic.host import ANSWER, READ, US, WRITE, Host

CYCLE = 6_000_000


def play(host: Host, reads: list[tuple[int, int, int]], cycles: int) -> list[tuple[int, int, bytes, bool]]:
    """Of (tag, address, bytes), asked for one a cycle: cycle of the first beat, tag, what came, refused."""
    parts: dict[int, bytes] = defaultdict(bytes)
    first: dict[int, int] = {}
    done = []
    for cycle in range(1, cycles):
        if cycle <= len(reads):
            tag, address, count = reads[cycle - 1]
            host.read(cycle * CYCLE, READ.pack(valid=1, tag=tag, address=address, bytes=count))
        answer = ANSWER.unpack(host.edge(cycle * CYCLE))
        if answer["valid"]:
            tag = answer["tag"]
            first.setdefault(tag, cycle)
            parts[tag] += answer["data"].to_bytes(16, "big")
            if answer["last"]:
                done.append((first[tag], tag, parts[tag], bool(answer["error"])))
    return done


def filled(**options: int) -> tuple[Host, bytes]:
    host = Host(size=1 << 16, **options)  # type: ignore[arg-type]
    data = Random(5).randbytes(1 << 16)
    host.fill(host.base, data)
    return host, data


@pytest.mark.parametrize("latency", [0, US])
def test_an_answer_comes_after_the_latency_with_the_bytes_asked_for(latency: int) -> None:
    host, data = filled(latency=latency)
    reads = [(tag, host.base + 100 * tag + tag, 1 + 17 * tag % 256) for tag in range(15)]
    done = play(host, reads, 600)
    assert [tag for _, tag, _, _ in done] == list(range(15))
    assert done[0][0] == 1 + -(-latency // CYCLE)
    for _, tag, came, refused in done:
        _, address, count = reads[tag]
        assert came[:count] == data[address - host.base :][:count] and len(came) == -(-count // 16) * 16
        assert not refused
    assert host.counts["most_reads"] == (15 if latency else host.counts["most_reads"])


def test_answers_overtake_each_other_by_seed_only() -> None:
    orders = []
    for seed in (1, 1, 2):
        host, _ = filled(jitter=US, any_order=True, seed=seed)
        done = play(host, [(tag, host.base, 64) for tag in range(32)], 1000)
        assert sorted(tag for _, tag, _, _ in done) == list(range(32))
        assert all(1 + US // CYCLE <= at <= 34 + 2 * US // CYCLE + 4 * 32 for at, _, _, _ in done)
        orders.append([tag for _, tag, _, _ in done])
    assert orders[0] == orders[1] != orders[2] != list(range(32))
    host, _ = filled(jitter=US)
    done = play(host, [(tag, host.base, 64) for tag in range(32)], 1000)
    assert [tag for _, tag, _, _ in done] == list(range(32))


def test_what_is_outside_is_refused() -> None:
    host, _ = filled(latency=0)
    end = host.base + host.size
    reads = [(0, host.base - 1, 1), (1, end - 16, 16), (2, end - 16, 17 - 1), (3, end, 1), (4, 0, 256), (5, end - 1, 1)]
    assert [refused for _, _, _, refused in play(host, reads, 100)] == [True, False, False, True, True, False]
    assert host.counts["refused_reads"] == 3
    host.write(0, WRITE.pack(valid=1, first=1, last=1, address=end, bytes=4))
    host.write(0, WRITE.pack(valid=1, first=1, last=1, address=end - 4, bytes=4, data=0x01020304 << 96))
    assert host.counts["refused_writes"] == 1
    assert host.bytes_at(end - 4, 4) == bytes((1, 2, 3, 4))


def test_no_more_moves_than_the_bandwidth_allows() -> None:
    rate = 10_000_000_000
    host, _ = filled(latency=0, bits_per_s=rate)
    done = play(host, [(tag, host.base, 256) for tag in range(32)], 2000)
    expected = 32 * 256 * 8 * 10**15 / rate / CYCLE
    assert len(done) == 32 and expected - 20 <= done[-1][0] + 16 * 16 * 8 * 10**15 / rate / CYCLE <= expected + 20
    taken = 0
    for cycle in range(5000, 6000):
        host.edge(cycle * CYCLE)
        if host.write_ready:
            host.write(cycle * CYCLE, WRITE.pack(valid=1, first=1, last=1, address=host.base, bytes=16))
            taken += 1
    assert abs(taken * 128 / (1000 * CYCLE / 10**15) / rate - 1) < 0.01
