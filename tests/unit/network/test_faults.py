# SPDX-License-Identifier: Apache-2.0
"""What cables with faults do to frames between hosts: how often, to which, when they come; and the same from a log."""

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from runs import seeds

from nsoc.errors import NsocError
from nsoc.network.faults import COUNTS, Faults
from nsoc.network.network import Arrived, Network

OCTET_PS, PREAMBLE, FCS, IFG = 8000, 8, 4, 12
DELAY_PS = 500_000
HEADER = bytes.fromhex("020000000002 020000000001 88b5")
ALL = Faults(
    loss=0.05, burst_loss=0.05, burst_frames=3, corrupt=0.1, wrong_bytes=0.1, duplicate=0.1, reorder=0.1, jitter_us=30,
    delay_us=7, drain_mbps=700, queue_bytes=9000, stalls=((300, 90), (800, 50)), downs=((500, 60.5), (900, 1)),
)  # fmt: skip


def frame(number: int, length: int = 60) -> bytes:
    return (HEADER + number.to_bytes(4, "big")).ljust(length, bytes([number % 251]))


def number_of(came: Arrived) -> int:
    return int.from_bytes(came.data[14:18], "big")


def through(
    faults: Any, frames: int = 1000, length: int = 60, gap_us: float = 0.0, seed: int = 1, **network_options: Any
) -> tuple[list[Arrived], dict[str, int]]:
    """What came of so many frames of a host over one way, and the cable's counts."""
    with Network(seed, **network_options) as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=faults)
        for number in range(frames):
            a.send(frame(number, length), at_us=number * gap_us)
        network.run(us=frames * (gap_us + (length + 24) * 0.008) + 20_000)
        return b.receive_all(), cable.counts()[0]


def check_spacing(came: list[Arrived]) -> None:
    """No two frames overlap, and the interframe gap is kept."""
    for first, second in itertools.pairwise(came):
        assert second.start_ps - first.end_ps >= (IFG + PREAMBLE + 1) * OCTET_PS


def fates(**counts: int) -> dict[str, int]:
    names = ("passed", "lost", "corrupted", "changed", "duplicated", "reordered", "cut", "down", "overflowed", "held")
    return dict.fromkeys(names, 0) | counts


def test_a_cable_that_stores_frames_adds_their_own_time_and_nothing_else() -> None:
    came, counts = through(Faults(jitter_us=1e-9), frames=3, length=100)
    sent_start_ps = (PREAMBLE + 1) * OCTET_PS
    in_store_ps = (PREAMBLE + 100 + FCS) * OCTET_PS
    assert came[0].start_ps == sent_start_ps + in_store_ps + OCTET_PS + DELAY_PS
    assert [f.gap for f in came[1:]] == [IFG, IFG] and counts == fates(passed=3)


@pytest.mark.parametrize(
    ("faults", "fate"),
    [
        ({"loss": 0.2}, "lost"),
        ({"burst_loss": 0.2}, "lost"),
        ({"corrupt": 0.2}, "corrupted"),
        ({"wrong_bytes": 0.2}, "changed"),
        ({"duplicate": 0.2}, "duplicated"),
        ({"reorder": 0.2}, "reordered"),
    ],
)
def test_each_fault_comes_as_often_as_told_and_is_counted(faults: dict[str, float], fate: str) -> None:
    came, counts = through(Faults(**faults), frames=2000)
    tolerance = 200 if "burst_loss" in faults else 80  # bursts vary more
    assert abs(counts[fate] - 400) < tolerance
    copies = counts["duplicated"]
    assert counts == fates(passed=2000 if copies else 2000 - counts[fate], **{fate: counts[fate]})
    assert len(came) == 2000 - counts["lost"] + copies
    assert sum(not f.fcs_ok for f in came) == counts["corrupted"]
    check_spacing(came)
    again, other = (through(Faults(**faults), frames=200, seed=seed)[0] for seed in (1, 2))
    assert again == [f for f in came if f.end_ps <= again[-1].end_ps] != other


@pytest.mark.parametrize("more", [{"wrong_bytes": 0.3}, {"burst_loss": 0.3}, {"jitter_us": 3.0}, {"corrupt": 0.3}])
def test_one_fault_does_not_move_the_others(more: dict[str, float]) -> None:
    alone = {number_of(f) for f in through(Faults(loss=0.2))[0]}
    with_more, counts = through(Faults(loss=0.2, **more))
    if "burst_loss" in more:
        assert {number_of(f) for f in with_more} < alone
    else:
        assert counts["lost"] == 1000 - len(alone)


@pytest.mark.parametrize("mean", [1.0, 4.0, 20.0])
def test_bursts_have_their_length_and_share(mean: float) -> None:
    came, counts = through(Faults(burst_loss=0.1, burst_frames=mean), frames=6000)
    numbers = [number_of(f) for f in came]
    bursts = [after - before - 1 for before, after in itertools.pairwise(numbers) if after > before + 1]
    assert abs(counts["lost"] / 6000 - 0.1) < 0.05
    assert abs(sum(bursts) / len(bursts) / mean - 1) < 0.25
    if mean == 1:
        assert set(bursts) == {1}
    else:
        single = bursts.count(1) / len(bursts)
        assert abs(single - 1 / mean) < 0.1, "lengths are geometric"


@pytest.mark.parametrize(("share", "mean"), [(0.5, 1.0), (0.4, 4.0), (0.8, 5.0)])
def test_bursts_may_take_most_frames(share: float, mean: float) -> None:
    _, counts = through(Faults(burst_loss=share, burst_frames=mean), frames=4000)
    assert abs(counts["lost"] / 4000 - share) < 0.08, "five standard deviations"


def test_wrong_bytes_have_a_good_fcs_and_are_behind_the_ethertype() -> None:
    came, counts = through(Faults(wrong_bytes=1.0), frames=500, length=200)
    assert counts == fates(changed=500) and all(f.good for f in came)
    places, lengths = Counter(), Counter()
    for number, f in enumerate(came):
        wrong = [i for i, (got, sent) in enumerate(zip(f.data, frame(number, 200), strict=True)) if got != sent]
        places.update(wrong)
        lengths[len(wrong)] += 1
    assert set(lengths) == set(range(1, 9)) and min(lengths.values()) > 30
    assert min(places) in range(14, 20) and max(places) in range(195, 200)


def test_wrong_bytes_do_not_mend_a_frame_and_need_a_payload() -> None:
    with Network() as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=Faults(wrong_bytes=1.0))
        a.send(frame(1), bad_fcs=True)
        a.send(HEADER, pad=False)
        a.send(HEADER + b"\x55\xaa", pad=False)
        a.send(b"\1\2\3", raw=True)
        network.run(us=10)
        bad, empty, short, scrap = b.receive_all()
        assert not bad.fcs_ok and bad.data != frame(1)
        assert empty.good and empty.data == HEADER
        assert short.good and short.data[:14] == HEADER and short.data[14:] != b"\x55\xaa" and len(short.data) == 16
        assert scrap.error
        assert cable.counts()[0] == fates(changed=2, passed=2)


@pytest.mark.parametrize("most", [1, 3, 10])
def test_a_duplicate_is_the_frame_again_behind_few_later_ones(most: int) -> None:
    came, counts = through(Faults(duplicate=0.05, behind_frames=most), frames=2000)
    numbers = [number_of(f) for f in came]
    assert all(f.data == frame(number_of(f)) and f.good for f in came)
    firsts = {number: numbers.index(number) for number in range(2000)}
    assert sorted(firsts.values()) == [numbers.index(n) for n in range(2000)], "the frames themselves keep their order"
    behind: Counter[int] = Counter()
    for number, times in Counter(numbers).items():
        assert times in (1, 2)
        if times == 2:
            second = len(numbers) - 1 - numbers[::-1].index(number)
            behind[len({n for n in numbers[firsts[number] + 1 : second] if n > number})] += 1
    assert sum(behind.values()) == counts["duplicated"] > 60
    assert set(behind) == set(range(most + 1))
    check_spacing(came)


@pytest.mark.parametrize("most", [1, 3, 10])
def test_a_frame_out_of_order_comes_behind_few_later_ones(most: int) -> None:
    came, counts = through(Faults(reorder=0.02, behind_frames=most), frames=3000, seed=3)
    numbers = [number_of(f) for f in came]
    assert sorted(numbers) == list(range(3000)), "nothing is lost, nothing comes twice"
    late = [n for i, n in enumerate(numbers) if any(earlier > n for earlier in numbers[max(0, i - 2 * most - 2) : i])]
    assert len(late) == counts["reordered"] > 30
    behind = Counter(sum(other > n for other in numbers[: numbers.index(n)]) for n in late)
    # Others that are held at the same time do not count as passed: a few come behind one more.
    assert set(range(1, most + 1)) <= set(behind) and max(behind) <= most + 3
    check_spacing(came)


def test_nothing_is_held_for_ever() -> None:
    came, counts = through(Faults(reorder=1.0, hold_us=40), frames=1)
    there_ps = (PREAMBLE + 60 + FCS + 1) * OCTET_PS
    assert came[0].start_ps == there_ps + 40_000_000 + DELAY_PS + (PREAMBLE + 1) * OCTET_PS
    assert counts == fates(reordered=1)
    came, counts = through(Faults(duplicate=1.0, behind_frames=1000, hold_us=40), frames=1)
    assert [number_of(f) for f in came] == [0, 0] and counts == fates(passed=1, duplicated=1)
    assert came[1].start_ps - came[0].start_ps == 40_000_000


def test_what_a_cable_holds_is_counted_until_it_is_out() -> None:
    with Network() as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=Faults(reorder=1.0, hold_us=50))
        a.send(frame(0))
        network.run(us=40)
        assert cable.counts()[0] == fates(held=1) and b.pending == 0
        network.run(us=20)
        assert cable.counts()[0] == fates(reordered=1) and b.pending == 1


def test_jitter_keeps_the_order_and_its_bound() -> None:
    came, _ = through(Faults(jitter_us=5), frames=2000, gap_us=20)
    assert [number_of(f) for f in came] == list(range(2000))
    plain_ps = (PREAMBLE + 1) * OCTET_PS + (PREAMBLE + 60 + FCS + 1) * OCTET_PS + DELAY_PS
    late_us = [(f.start_ps - plain_ps) / 1e6 - 20 * number for number, f in enumerate(came)]
    assert 0 <= min(late_us) < 0.05 and 4.95 < max(late_us) < 5.001
    assert abs(sum(late_us) / 2000 - 2.5) < 0.15
    crowded, _ = through(Faults(jitter_us=50), frames=2000)
    assert [number_of(f) for f in crowded] == list(range(2000))
    check_spacing(crowded)


def test_more_delay_is_more_delay() -> None:
    (plain,), (late,) = through(Faults(), frames=1)[0], through(Faults(delay_us=12.5), frames=1)[0]
    assert late.start_ps - plain.start_ps == 12_500_000


def test_a_receiver_that_stalls_takes_its_frames_afterwards() -> None:
    came, counts = through(Faults(stalls=((10, 15), (25, 5), (40, 5))), frames=50, gap_us=1)
    starts_us = [(f.start_ps - DELAY_PS) / 1e6 - (PREAMBLE + 1) * 0.008 for f in came]
    assert counts == fates(passed=50)
    assert not any(10 <= us < 30 or 40 <= us < 45 for us in starts_us)
    assert any(us == pytest.approx(30, abs=1e-6) for us in starts_us)
    after = [f for f, us in zip(came, starts_us, strict=True) if 30 <= us < 36]
    assert all(f.gap == IFG for f in after[1:]) and len(after) > 5


def receiver(frames: int, length: int, drain_mbps: float, queue_bytes: int) -> int:
    """How many of `frames` back to back a receiver gets into a queue that it empties at a rate: in nanoseconds."""
    free_at, inside, taken = 0.0, [], 0
    for number in range(frames):
        now = (number * (length + 24) + length + 12) * 8.0
        inside = [end for end in inside if end > now]
        if (len(inside) + 1) * length > queue_bytes:
            continue
        start = max(now, free_at)
        end = start + max(length * 8000 / drain_mbps, (length + 12) * 8.0)
        free_at = max(end, start + (length + 24) * 8.0)
        inside.append(end)
        taken += 1
    return taken


@pytest.mark.parametrize("length", [60, 1000, 1514])
@pytest.mark.parametrize("drain_mbps", [50, 333, 900])
@pytest.mark.parametrize("queue_bytes", [1513, 1514, 16384])
def test_a_slow_receiver_overflows_when_its_queue_is_full(length: int, drain_mbps: float, queue_bytes: int) -> None:
    came, counts = through(Faults(drain_mbps=drain_mbps, queue_bytes=queue_bytes), frames=100, length=length)
    expected = receiver(100, length, drain_mbps, queue_bytes)
    assert counts == fates(passed=expected, overflowed=100 - expected)
    assert len(came) == expected
    check_spacing(came)
    if expected > 30 and drain_mbps < 900:
        between_us = (came[-1].start_ps - came[0].start_ps) / 1e6 / (len(came) - 1)
        assert between_us >= 8 * length / drain_mbps - 1e-6


def test_who_listens_hears_which_frames_overflowed_and_a_log_does_not_have_them(tmp_path: Path) -> None:
    """They follow from the queue. A copy that does not fit is nobody's loss."""
    heard: list[tuple[str, int]] = []
    faults = Faults(drain_mbps=300, queue_bytes=4000, duplicate=0.2, loss=0.1)
    with Network(log=tmp_path / "log.jsonl") as network:
        a, b = network.host(), network.host()
        network.listen(lambda fate: heard.append((COUNTS[fate.fate], fate.frame)))
        cable = network.cable(a, b, faults=(faults, Faults()))
        for number in range(200):
            a.send(frame(number, 500))
        network.run(us=5000)
        counts, came = cable.counts()[0], {number_of(f) for f in b.receive_all()}
    overflowed = [number for fate, number in heard if fate == "overflowed"]
    assert len(overflowed) == counts["overflowed"] > 50
    lost = {number for fate, number in heard if fate == "lost"}
    assert {*overflowed} <= {*range(200)} - lost and {*range(200)} - lost - came <= {*overflowed}
    assert "overflowed" not in (tmp_path / "log.jsonl").read_text()


def test_while_a_cable_is_down_frames_are_lost_and_one_on_its_way_ends_there() -> None:
    # A frame of 100 bytes takes 0.896 us from the preamble's first to the FCS's last octet.
    downs = ((1.4, 0.2), (4.0, 0.4), (10.9, 0.1))
    with Network() as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=Faults(downs=downs))
        for number, at_us in enumerate((1, 3.99, 6, 10, 12)):
            a.send(frame(number, 100), at_us=at_us)
        network.run(us=20)
        came = b.receive_all()
        there, back = cable.counts()
    # The first ends after 0.392 us, its 49 octets. The second begins at 3.99 and has one octet before 4. The fourth's
    # last octet is whole at 10.896.
    assert there == fates(cut=2, passed=3) and back == fates()
    cut, scrap, *whole = came
    assert cut.data + bytes(4) == frame(0, 100)[: 49 - PREAMBLE - FCS] + bytes(4) and not cut.fcs_ok
    assert cut.end_ps == round((1 + 49 * 0.008) * 1e6) + DELAY_PS
    assert scrap.error
    assert [number_of(f) for f in whole] == [2, 3, 4] and all(f.good for f in whole)


def test_a_frame_that_begins_while_the_cable_is_down_is_lost_whole() -> None:
    came, counts = through(Faults(downs=((0, 0.3),)), frames=3, length=100)
    assert [number_of(f) for f in came] == [1, 2] and counts == fates(down=1, passed=2)
    came, counts = through(Faults(downs=((0.5, 0.1),), jitter_us=1e-9), frames=3, length=100)
    assert counts == fates(cut=1, passed=2), "the same where frames are stored"
    assert [f.good for f in came] == [False, True, True] and len(came[0].data) == 500 // 8 - PREAMBLE - FCS


def test_each_way_may_have_its_own_faults() -> None:
    with Network() as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=(Faults(loss=1.0), Faults(duplicate=1.0)))
        for number in range(5):
            a.send(frame(number))
            b.send(frame(number))
        network.run(us=200)
        assert (a.pending, b.pending) == (10, 0)
        assert cable.counts() == [fates(lost=5), fates(passed=5, duplicated=5)]


def everything(
    seed: int, slices: list[float], faults: Any = ALL, **network_options: Any
) -> tuple[list[list[Arrived]], list[Any]]:
    """Three hosts at a switch, all cables with all faults, frames of all lengths."""
    with Network(seed, **network_options) as network:
        hosts = [network.host() for _ in range(3)]
        switch = network.switch(*hosts, faults=faults)
        for number in range(600):
            for me, host in enumerate(hosts):
                there = (me + 1 + number % 2) % 3
                header = bytes([2, 0, 0, 0, 0, there, 2, 0, 0, 0, 0, me]) + b"\x88\xb5"
                length = 46 + (number * (7 + me) + seed) % 1455
                host.send((header + number.to_bytes(4, "big")).ljust(14 + length, b"x"), at_us=2 * number)
        for us in slices:
            network.run(us=us)
        network.run(us=12_000 - network.time_us)
        return [host.receive_all() for host in hosts], [switch.counts()]


@pytest.mark.parametrize("seed", seeds(2, 10))
def test_all_faults_at_once_leave_frames_apart_and_in_the_books(seed: int) -> None:
    with Network(seed) as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=ALL)
        for number in range(1500):
            a.send(frame(number, 60 + number % 1400), at_us=number * 0.7)
        network.run(us=1000)
        halfway = cable.counts()[0]
        network.run(us=30_000)
        came, counts = b.receive_all(), cable.counts()[0]
    assert halfway["held"] > 0 and counts["held"] == 0
    # Whether a frame is on its way when the cable goes down is a matter of the seed.
    assert all(counts[name] > 0 for name in counts if name not in ("held", "cut")), counts
    assert sum(counts.values()) - counts["duplicated"] == 1500
    arrived = ("passed", "corrupted", "changed", "duplicated", "reordered", "cut")
    assert len(came) == sum(counts[name] for name in arrived)
    assert sum(not f.good for f in came) == counts["corrupted"] + counts["cut"]
    check_spacing(came)


@pytest.mark.parametrize("seed", seeds(1, 5))
def test_how_time_is_cut_does_not_show_in_the_faults(seed: int) -> None:
    whole = everything(seed, [])
    assert sum(map(len, whole[0])) > 500
    assert everything(seed, [0.37] * 1500) == whole
    assert everything(seed, [33, 0.001, 66.999, 0.5, 400]) == whole


@pytest.mark.parametrize("seed", seeds(1, 5))
def test_a_log_gives_the_same_run_whatever_the_seed(tmp_path: Path, seed: int) -> None:
    log, log_of_replay = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    live = everything(seed, [], log=log)
    assert everything(seed, [], log=log_of_replay, replay=log, faults=None) == live
    assert sorted(log_of_replay.read_text().splitlines()) == sorted(log.read_text().splitlines())
    with Network(seed + 100, replay=log) as network, Network(seed, replay=log) as other:
        answers = []
        for one in (network, other):
            a, b = one.host(), one.host()
            one.cable(a, b)
            for number in range(300):
                a.send(frame(number), at_us=number)
            one.run(us=3000)
            answers.append(b.receive_all())
    assert answers[0] == answers[1] and len(answers[0]) != 300


def test_a_log_is_a_line_for_each_frame_that_did_not_pass_as_it_was(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    faults = Faults(loss=0.3, corrupt=0.3, wrong_bytes=0.3, duplicate=0.3, reorder=0.3)
    came, counts = through(faults, frames=200, log=log)
    first, cable, *lines = map(json.loads, log.read_text().splitlines())
    assert first == {"log": "nsoc faults 1"}
    expected = {"loss": 0.3, "corrupt": 0.3, "wrong_bytes": 0.3, "duplicate": 0.3, "reorder": 0.3}
    assert cable == {"cable": 0, "faults": [expected, expected]}
    fates = Counter(line["fate"] for line in lines)
    assert fates == {n: counts[n] for n in ("lost", "corrupted", "changed", "duplicated", "reordered")}
    data = {f.data for f in came}
    for line in lines:
        if "xor" in line:
            wrong = bytearray(frame(line["frame"]))
            for place, mask in line["xor"]:
                wrong[place] ^= mask
            assert bytes(wrong) in data


def test_a_log_may_be_written_by_hand(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"log":"nsoc faults 1"}\n{"cable":0,"faults":[{},{"downs":[[3,5]]}]}\n'
        '{"cable":0,"way":0,"frame":4,"fate":"reordered","behind":1}\n'
        '{"cable":0,"way":0,"frame":1,"fate":"lost"}\n'
        '{"cable":0,"way":0,"frame":3,"fate":"changed","xor":[[20,255],[60,1],[1000,1]]}\n'
    )
    with Network(replay=log) as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b)
        for number in range(7):
            a.send(frame(number), at_us=number)
            b.send(frame(number), at_us=number)
        network.run(us=30)
        assert [number_of(f) for f in b.receive_all() if f.good] == [0, 2, 3, 5, 4, 6]
        assert cable.counts() == [fates(passed=4, lost=1, changed=1, reordered=1), fates(passed=3, down=4)]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"loss": 1.5}, "loss is a probability, 0 to 1, not 1.5"),
        ({"corrupt": -0.1}, "corrupt is a probability"),
        ({"reorder": float("nan")}, "reorder is a probability"),
        ({"burst_loss": 0.6, "burst_frames": 1}, "take at most 0.5 of all frames, not 0.6"),
        ({"burst_frames": 0.5}, "burst_frames must be at least 1 frame"),
        ({"behind_frames": 0}, "behind_frames must be 1 to 1000"),
        ({"jitter_us": -1}, "jitter_us must be a time from 0 to 1e\\+06 us"),
        ({"drain_mbps": 0}, "drain_mbps must be at least 0.008"),
        ({"queue_bytes": -1}, "queue_bytes must be at least 0"),
        ({"stalls": ((5, 0),)}, "stalls must be times"),
        ({"stalls": ((5, 1e20),)}, "stalls must be times"),
        ({"downs": ((float("nan"), 1),)}, "downs must be times"),
        ({"downs": ((5, 10), (14, 1))}, "downs must be times .* in their order; 14 for 1 is not"),
    ],
)
def test_faults_that_cannot_be_are_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(NsocError, match=sentence):
        Faults(**wrong)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "cannot read the log of faults"),
        ("", "it does not begin with"),
        ("hello\n", "line 1 is no JSON object"),
        ('{"log":"nsoc faults 2"}\n', "it does not begin with"),
        ('{"log":"nsoc faults 1"}\n{"cable":0,"faults":[{"los":1},{}]}\n', "line 2 of .* is no line"),
        ('{"log":"nsoc faults 1"}\n{"cable":0,"way":0,"frame":1,"fate":"eaten"}\n', "line 2 of .* is no line"),
        ('{"log":"nsoc faults 1"}\n{"cable":0,"way":0,"frame":-1,"fate":"lost"}\n', "frame must be 0 to"),
        ('{"log":"nsoc faults 1"}\n{"cable":0,"way":2,"frame":1,"fate":"lost"}\n', "way must be 0 to 1"),
        ('{"log":"nsoc faults 1"}\n' + 2 * '{"cable":3,"way":0,"frame":1,"fate":"lost"}\n', "frame 1 of cable 3 has"),
        ('{"log":"nsoc faults 1"}\n', "has no cable 0"),
        ('{"log":"nsoc faults 1"}\n{"cable":0,"faults":[{"loss":0.1},{}]}\n', "had other faults in the log"),
    ],
)  # fmt: skip
def test_a_log_that_cannot_be_replayed_is_one_sentence(tmp_path: Path, text: str | None, sentence: str) -> None:
    log = tmp_path / "log.jsonl"
    if text is not None:
        log.write_text(text)
    with pytest.raises(NsocError, match=sentence), Network(replay=log) as network:
        network.cable(network.host(), network.host(), faults=Faults(loss=0.5))


def test_a_log_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match="cannot write the log of faults"):
        Network(log=tmp_path)


def test_a_tap_sees_what_goes_into_a_cable_and_what_comes_out() -> None:
    with Network() as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=(Faults(loss=0.3, corrupt=0.3), Faults(duplicate=0.5)))
        cable.tap()
        sent = [a.send(frame(number, 60 + number), ifg=12 + number) for number in range(50)]
        back = [b.send(frame(number)) for number in range(50)]
        network.run(us=200)
        went_in, came = cable.sent(0), cable.came(0)
        assert [(f.start_ps, f.end_ps) for f in went_in] == [(f.start_ps, f.end_ps) for f in sent]
        assert [f.data for f in went_in] == [frame(number, 60 + number) for number in range(50)]
        assert [f.gap for f in went_in[1:]] == [12 + number for number in range(1, 50)]
        assert came == b.receive_all() and 10 < len(came) < 50
        assert [f.start_ps for f in cable.sent(1)] == [f.start_ps for f in back]
        came = cable.came(1)
        assert came == a.receive_all() and len(came) > 60
        assert [cable.sent(0), cable.came(0), cable.sent(1), cable.came(1)] == [[], [], [], []]
