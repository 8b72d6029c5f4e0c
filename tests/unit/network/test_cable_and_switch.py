# SPDX-License-Identifier: Apache-2.0
"""Cables and switches of the simulated network between hosts, to the femtosecond; no SoC takes part."""

import itertools
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plain_soc import SLOW_NS, plain_soc

from nsoc.errors import NsocError
from nsoc.network import pcapng
from nsoc.network.faults import Faults
from nsoc.network.network import Network, NetworkHost, Tap

OCTET_PS, PREAMBLE, FCS, IFG = 8000, 8, 4, 12
DELAY_NS = 500


def address(number: int) -> bytes:
    return bytes([2, 0, 0, 0, 0, number])


def frame(destination: int, source: int, length: int = 60, fill: int = 0) -> bytes:
    return address(destination) + address(source) + b"\x88\xb5" + bytes([fill]) * (length - 14)


@pytest.fixture
def network() -> Iterator[Network]:
    with Network() as made:
        yield made


def pair(network: Network, **options: Any) -> tuple[NetworkHost, NetworkHost]:
    a, b = network.host(), network.host()
    network.cable(a, b, **options)
    return a, b


@pytest.mark.parametrize("delay_ns", [128, 500, 5000])
def test_a_frame_takes_its_length_and_the_delay(network: Network, delay_ns: int) -> None:
    a, b = pair(network, delay_ns=delay_ns)
    sent = a.send(frame(2, 1, 100), at_us=3)
    network.run(us=20)
    (came,) = b.receive_all()
    assert (sent.start_ps, sent.end_ps) == (came.start_ps - delay_ns * 1000, came.end_ps - delay_ns * 1000)
    assert came.data == frame(2, 1, 100) and came.good
    # An octet is at the time when it is whole: the first of the destination address is the ninth of all.
    assert came.start_ps == 3_000_000 + (PREAMBLE + 1) * OCTET_PS + delay_ns * 1000
    assert came.end_ps == came.start_ps + (100 + FCS - 1) * OCTET_PS


def test_frames_follow_each_other_at_the_interframe_gap_both_ways_at_once(network: Network) -> None:
    a, b = pair(network)
    for length in (60, 61, 1514):
        a.send(frame(2, 1, length))
        b.send(frame(1, 2, length))
    assert (a.queued, a.pending) == (3, 0)
    network.run(us=20)
    assert (a.queued, a.pending, b.pending) == (0, 3, 3)
    there, back = b.receive_all(), a.receive_all()
    assert [f.start_ps for f in there] == [f.start_ps for f in back]
    assert [f.gap for f in there[1:]] == [IFG, IFG]
    for first, second in itertools.pairwise(there):
        assert second.start_ps - first.end_ps == (IFG + PREAMBLE + 1) * OCTET_PS


def test_what_a_host_sends_with_faults_arrives_so(network: Network) -> None:
    a, b = pair(network)
    a.send(frame(2, 1), bad_fcs=True)
    a.send(frame(2, 1)[:20], pad=False)
    a.send(frame(2, 1)[:20], ifg=40)
    a.send(b"\x01\x02\x03", raw=True)
    network.run(us=10)
    bad, short, padded, raw = b.receive_all()
    assert not bad.fcs_ok and not bad.error and bad.data == frame(2, 1)
    assert short.good and short.data == frame(2, 1)[:20]
    assert padded.good and padded.data == frame(2, 1)[:20] + bytes(40) and padded.gap == 40
    assert raw.error


def test_a_host_that_waits_gets_the_frame_when_it_is_there(network: Network) -> None:
    a, b = pair(network)
    assert b.receive(timeout_us=15) is None
    assert network.time_us == 15
    a.send(frame(2, 1), at_us=100)
    came = b.receive()
    assert came is not None and came.end_ps <= network.time_ps <= 110_000_000


def run_with_slices(slices: list[float]) -> list[tuple[int, bytes]]:
    with Network(seed=5) as network:
        a, b, c = network.host(), network.host(), network.host()
        network.switch(a, b, c)
        rng = random.Random(1)
        for at in range(0, 400, 4):
            for number, host in enumerate((a, b, c)):
                there = (number + rng.randrange(1, 3)) % 3
                host.send(frame(there, number, rng.randrange(60, 400)), at_us=at + rng.random())
        for us in slices:
            network.run(us=us)
        assert network.time_us == pytest.approx(500)
        return [(f.start_ps, f.data) for host in (a, b, c) for f in host.receive_all()]


def test_how_time_is_cut_into_runs_does_not_show() -> None:
    whole = run_with_slices([500])
    assert len(whole) >= 300
    assert run_with_slices([0.3] * 1000 + [200]) == whole
    assert run_with_slices([33, 0.001, 66.999, 400]) == whole


def fates(seed: int, **faults: float) -> tuple[list[bytes], list[dict[str, int]]]:
    with Network(seed) as network:
        a, b = network.host(), network.host()
        cable = network.cable(a, b, faults=Faults(**faults))
        for number in range(1000):
            a.send(frame(2, 1, 60 + number % 40, fill=number % 256))
            b.send(frame(1, 2))
        network.run(us=1000)
        return [f.data if f.fcs_ok else b"bad" for f in b.receive_all()], cable.counts()


def test_a_cable_loses_and_corrupts_as_often_as_told_and_again_so() -> None:
    came, (there, back) = fates(1, loss=0.2, corrupt=0.1)
    assert sum(there.values()) == sum(back.values()) == 1000
    assert there["passed"] + there["corrupted"] == len(came)
    assert came.count(b"bad") == there["corrupted"], "the FCS shows every fault"
    assert 150 < there["lost"] < 250 and 50 < there["corrupted"] < 120
    assert there != back, "each way has its own fates"
    assert fates(1, loss=0.2, corrupt=0.1)[0] == came
    assert fates(2, loss=0.2, corrupt=0.1)[0] != came
    # What is lost does not depend on what is corrupted.
    assert fates(1, loss=0.2)[1][0]["lost"] == there["lost"]


@pytest.mark.parametrize(("faults", "fate"), [({"loss": 1.0}, "lost"), ({"corrupt": 1.0}, "corrupted"), ({}, "passed")])
def test_a_certain_fate_meets_every_frame(faults: dict[str, float], fate: str) -> None:
    assert [count[fate] for count in fates(1, **faults)[1]] == [1000, 1000]


def test_corruption_flips_one_to_three_bits_of_the_first_sixty_bytes() -> None:
    flips = []
    with Network() as network:
        a, b = network.host(), network.host()
        network.cable(a, b, faults=Faults(corrupt=1.0))
        sent = frame(2, 1, 100, fill=0xD5)  # as the start delimiter, which it is not
        for _ in range(300):
            a.send(sent)
        network.run(us=1000)
        for came in b.receive_all():
            different = int.from_bytes(sent, "little") ^ int.from_bytes(came.data, "little")
            flips.append([bit for bit in range(800) if different >> bit & 1])
    assert len(flips) == 300 and {len(bits) for bits in flips} == {1, 2, 3}
    assert max(map(max, flips)) in range(440, 480) and min(map(min, flips)) in range(40)


def test_a_switch_learns_where_everybody_is(network: Network) -> None:
    hosts = [network.host() for _ in range(3)]
    switch = network.switch(*hosts)
    hosts[0].send(frame(1, 0), at_us=0)  # nobody knows 1
    hosts[1].send(frame(0, 1), at_us=10)  # 0 is known, 1 becomes so
    hosts[0].send(frame(1, 0, 200), at_us=20)
    hosts[0].send(frame(0, 9), at_us=30)  # to where it comes from
    hosts[2].send(frame(0, 1), at_us=40)  # 1 has moved
    hosts[0].send(frame(1, 0, 300), at_us=50)
    hosts[0].send(b"\xff" * 6 + frame(1, 0)[6:], at_us=60)
    network.run(us=100)
    lengths = [[len(f.data) for f in host.receive_all()] for host in hosts]
    assert lengths == [[60, 60], [60, 200, 60], [60, 300, 60]]
    expected = {"forwarded": 4, "flooded": 2, "filtered": 1, "bad": 0, "reserved": 0, "full": 0}
    assert switch.counts() == expected


def test_a_switch_stores_a_frame_and_sends_it_after_its_latency(network: Network) -> None:
    a, b = network.host(), network.host()
    network.switch(a, b, latency_ns=700, delay_ns=DELAY_NS)
    a.send(frame(2, 1, 200))
    network.run(us=20)
    (came,) = b.receive_all()
    stored = (PREAMBLE + 200 + FCS) * OCTET_PS + DELAY_NS * 1000
    assert came.start_ps == stored + 700_000 + (PREAMBLE + 1) * OCTET_PS + DELAY_NS * 1000


def test_a_switch_drops_what_no_bridge_passes_on(network: Network) -> None:
    a, b = network.host(), network.host()
    switch = network.switch(a, b)
    a.send(frame(2, 1), bad_fcs=True)
    a.send(frame(2, 1)[:59], pad=False)
    a.send(bytes.fromhex("0180c2000001") + frame(2, 1)[6:])  # PAUSE
    a.send(bytes.fromhex("0180c200000f") + frame(2, 1)[6:])
    a.send(bytes.fromhex("0180c2000010") + frame(2, 1)[6:])
    network.run(us=20)
    assert [f.data[5] for f in b.receive_all()] == [0x10]
    assert switch.counts() == {"forwarded": 0, "flooded": 1, "filtered": 0, "bad": 2, "reserved": 2, "full": 0}


def test_a_port_takes_what_fits_into_its_queue_and_counts_the_rest(network: Network) -> None:
    hosts = [network.host() for _ in range(3)]
    switch = network.switch(*hosts, queue_bytes=1000)
    hosts[2].send(frame(0, 2))
    network.run(us=10)
    for host in hosts:
        host.receive_all()
    for number in (0, 1):
        for _ in range(10):
            hosts[number].send(frame(2, number, 250))
    network.run(us=100)
    came, counts = hosts[2].receive_all(), switch.counts()
    assert counts["full"] > 0 and len(came) + counts["full"] == 20
    assert all(f.gap == IFG for f in came[1:4]), "the port is saturated"
    # The first four fit. From the third pair on a frame has gone out when the next two come, so one of them fits.
    assert len(came) == 4 + 8


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda n, a, b: n.cable(a, a), "two ends"),
        (lambda n, a, b: n.cable(a, b, delay_ns=100), "at least 128 ns"),
        (lambda n, a, b: n.cable(a, b, delay_ns=float("nan")), "delay_ns must be a time"),
        (lambda n, a, b: (n.cable(a, b), n.cable(a, n.host())), "link 0 has a cable already"),
        (lambda n, a, b: n.cable(a, Network().host()), "what this network has made"),
        (lambda n, a, b: n.switch(a, b, ports=1), "no room for 2 cables"),
        (lambda n, a, b: n.switch(ports=5000), "ports must be 2 to 4096"),
        (lambda n, a, b: n.run(us=-1), "us must be a time"),
        (lambda n, a, b: n.run(us=1e10), "us must be a time"),
        (lambda n, a, b: a.send(b""), "a frame of 0 bytes"),
        (lambda n, a, b: a.send(bytes(60), ifg=0), "ifg must be 1 to"),
        (lambda n, a, b: (n.close(), a.send(bytes(60))), "this network is closed"),
        (lambda n, a, b: n.replay("/nowhere"), "cannot read the capture"),
    ],
)
def test_what_cannot_be_is_one_sentence(network: Network, wrong: object, sentence: str) -> None:
    a, b = network.host(), network.host()
    with pytest.raises(NsocError, match=sentence):
        wrong(network, a, b)  # type: ignore[operator]


def test_a_link_without_a_cable_sends_into_the_air(network: Network) -> None:
    host = network.host()
    host.send(frame(2, 1))
    network.run(us=10)
    assert (host.queued, host.pending) == (0, 0)


def fake_tap(network: Network) -> tuple[Tap, socket.socket]:
    """A TAP device that needs no root: a pair of sockets, of which the other one is Linux."""
    inside, linux = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    inside.setblocking(False)
    linux.setblocking(False)
    descriptor = inside.detach()
    network._descriptors.append(descriptor)
    return Tap(network, network._call("nsoc_network_tap", descriptor), "fake", descriptor), linux


def test_a_tap_device_takes_no_more_frames_than_the_line_can() -> None:
    with Network() as network:
        (tap, linux), host = fake_tap(network), network.host()
        network.cable(tap, host)
        frames = [bytes(12) + b"\x88\xb5" + bytes([number]) * 986 for number in range(50)]
        for frame in frames:
            linux.send(frame)
        frame_us = (8 + 1000 + 4 + 12) * 0.008
        network.run(us=10.5 * frame_us)
        assert 10 <= len(tap.record()) <= 15, "those on the line, and a few that wait for it"
        network.run(us=45 * frame_us)
        assert [came.data for came in host.receive_all()] == frames, "and without a gap too long"
        linux.close()


@pytest.mark.parametrize("mbps", [10, 100, 1000, 2500, 10000])
def test_a_record_of_a_tap_device_has_the_times_of_the_line_and_gives_them_again(tmp_path: Path, mbps: int) -> None:
    with Network() as network:
        tap, linux = fake_tap(network)
        cable = network.cable(tap, plain_soc(network, mbps), delay_ns=SLOW_NS)
        cable.tap()
        for count in (1, 3):
            for number in range(count):
                linux.send(bytes(12) + b"\x88\xb5" + bytes([number]) * 100)
            network.run(us=400.3337)
        linux.close()
        there = cable.sent(0)
        tap.write_record(tmp_path / "tap.pcapng")
    assert len(there) == 4
    first, *_ = pcapng.read(tmp_path / "tap.pcapng")
    assert first.time_ps == there[0].start_ps, "when the destination address is on the line"
    with Network() as network:
        line = network.replay(tmp_path / "tap.pcapng", start_us=None)
        cable = network.cable(line, plain_soc(network, mbps), delay_ns=SLOW_NS)
        cable.tap()
        network.run(us=1000)
        assert cable.sent(0) == there


def test_work_ends_when_nothing_is_on_its_way_and_time_may_pass_without_a_look() -> None:
    with Network() as network:
        (tap, linux), host = fake_tap(network), network.host()
        network.cable(tap, host)
        frame = bytes(12) + b"\x88\xb5" + bytes(46)
        network.work_to(10**12)
        assert network.time_fs == 0, "there is nothing to do"
        linux.send(frame)
        network.pass_to(5 * 10**9)
        assert (network.time_fs, tap.record()) == (5 * 10**9, []), "the frame still waits"
        network.work_to(10**12)
        assert [one.start_ps for one in tap.record()] == [5 * 10**6]
        assert 5 * 10**9 < network.time_fs < 8 * 10**9 < network.quiet_until_fs
        assert [came.data for came in host.receive_all()] == [frame]
        host.send(frame)
        host.send(frame, at_us=20)
        assert network.quiet_until_fs == network.time_fs
        network.work_to(10**12)
        assert linux.recv(2000) == frame, "it is out before anybody sleeps"
        assert network.quiet_until_fs == 20 * 10**9, "then the next one goes"
        linux.close()
