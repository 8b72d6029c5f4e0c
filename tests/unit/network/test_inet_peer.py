# SPDX-License-Identifier: Apache-2.0
"""Two peers on a cable: what one sends, the other gets, whatever the cable does. Frames are read by Scapy."""

import random

import pytest
from runs import seeds, some
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from nsoc.errors import NsocError
from nsoc.network.faults import Faults
from nsoc.network.inet import Peer, Settings, State
from nsoc.network.inet.segment import Flag, Segment
from nsoc.network.network import Cable, Network

S = 1e6


def pair(seed: int = 1, faults: Faults | None = None, settings: Settings | None = None) -> tuple[Peer, Peer, Cable]:
    network = Network(seed)
    one = Peer(network, settings=settings)
    other = Peer(network, "10.0.0.2", "02:00:00:00:00:02", settings=settings, seed=2)
    return one, other, network.cable(one.host, other.host, faults=faults)


def exchange(
    one: Peer, other: Peer, there: bytes, back: bytes, patience_us: float = 1000 * S
) -> tuple[bytes, bytes, list[State]]:  # fmt: skip
    """What comes of a connection that carries these both ways and is closed."""
    listener = other.listen(7)
    near = one.connect("10.0.0.2", 7, timeout_us=patience_us)
    far = listener.accept(patience_us)
    assert far is not None
    near.send(there)
    far.send(back)
    near.finish()
    far.finish()
    came = bytearray(), bytearray()

    def over() -> bool:
        came[0].extend(far.receive())
        came[1].extend(near.receive())
        return near.over and far.over

    assert one.run(patience_us, until=over)
    assert not near.failure and not far.failure
    one.run(2 * S)
    return bytes(came[0]), bytes(came[1]), [near.state, far.state]


def test_a_ping_takes_the_time_of_the_line_and_the_reaction() -> None:
    one, other, cable = pair()
    cable.tap()
    assert one.ping("10.0.0.2") is not None
    micros = one.ping("10.0.0.2", data=bytes(18))  # 60 bytes
    assert micros is not None and 2 * (0.58 + 0.5) < micros <= 2 * (0.58 + 0.5) + 3
    sent = [Ether(frame.data) for frame in cable.sent(0)]
    assert ARP in sent[0] and all(ICMP in frame for frame in sent[1:])
    assert other.counts == {"arp": 1, "icmp_echo": 2, "sent": 3}


def test_nobody_answers_for_an_address_that_is_not_there() -> None:
    one, _, _ = pair()
    assert one.ping("10.0.0.9", timeout_us=5 * S) is None
    assert one.counts["unresolved"] == 1 and one.counts["sent"] == 3


def test_connections_send_in_turn() -> None:
    one, other, _ = pair(settings=Settings(window=1 << 17))
    listener = other.listen(7)
    near = [one.connect("10.0.0.2", 7) for _ in range(20)]
    far = [listener.accept() for _ in near]
    for stream in near:
        stream.send(bytes(200_000))
    one.run(20 * 12.3 * 20)  # 20 segments of each
    came = [len(stream.receive()) for stream in far if stream is not None]
    assert len(came) == 20 and sum(came) > 0.9 * 20 * 20 * 1460
    assert min(came) > 0.6 * max(came)


def test_datagrams_come_and_a_closed_port_is_told() -> None:
    one, other, _ = pair()
    near, far = one.udp(), other.udp(7)
    near.send(b"hello", "10.0.0.2", 7)
    came = far.receive()
    assert came is not None and (came.data, came.address, came.port) == (b"hello", "10.0.0.1", near.port)
    near.send(b"", "10.0.0.2", 8)
    assert near.receive(1000.0) is None and near.errors == ["port unreachable"]
    with pytest.raises(NsocError, match="1472"):
        near.send(bytes(1473), "10.0.0.2", 7)


def test_errors_about_closed_ports_are_limited() -> None:
    one, other, _ = pair()
    near = one.udp()
    for _ in range(30):
        near.send(b"", "10.0.0.2", 8)
    one.run(1000.0)
    assert len(near.errors) == 10 and other.counts["icmp_limited"] == 20


def test_a_closed_port_refuses_a_connection() -> None:
    one, _, _ = pair()
    with pytest.raises(NsocError, match="refused"):
        one.connect("10.0.0.2", 7)
    assert one.streams() == []


def test_the_line_is_full_with_one_connection() -> None:
    one, other, _ = pair()
    listener = other.listen(7)
    near = one.connect("10.0.0.2", 7)
    far = listener.accept()
    assert far is not None
    near.send(bytes(400_000))
    begin = one.now
    assert len(far.read(400_000)) == 400_000
    assert 400_000 * 8 / (one.now - begin) > 0.98 * 949.3  # the limit of 1460 bytes in 1538 on the line


@pytest.mark.parametrize("seed", seeds(1, 5))
@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(timestamps=True, window=300_000, delayed_ack_us=40e3),
        Settings(mss=536, window=3000, nagle=False, least_rto_us=5000.0),
    ],
)
@pytest.mark.parametrize(
    "faults",
    some(
        [Faults(loss=0.05, duplicate=0.1, reorder=0.1, corrupt=0.05, jitter_us=20), Faults(wrong_bytes=0.05)],
        [
            Faults(loss=0.2), Faults(burst_loss=0.1, burst_frames=4), Faults(reorder=0.5, behind_frames=20),
            Faults(duplicate=0.5), Faults(drain_mbps=100, queue_bytes=8000), Faults(downs=[(2000, 500_000)]),
            Faults(delay_us=3000, jitter_us=2000), Faults(drain_mbps=300, queue_bytes=16384, stalls=[(1000, 20_000)]),
        ],
    ),
)  # fmt: skip
def test_everything_arrives_whatever_the_cable_does(faults: Faults, settings: Settings, seed: int) -> None:
    one, other, _ = pair(seed, faults, settings)
    rng = random.Random(seed)
    there, back = rng.randbytes(60_000), rng.randbytes(30_000)
    assert exchange(one, other, there, back)[:2] == (there, back)


def test_a_run_repeats_to_the_last_frame() -> None:
    def run(seed: int) -> list[tuple[int, bytes]]:
        one, other, cable = pair(seed, Faults(loss=0.1, jitter_us=5))
        cable.tap()
        exchange(one, other, bytes(20_000), bytes(5000))
        return [(frame.start_ps, frame.data) for frame in cable.sent(0) + cable.sent(1)]

    assert run(1) == run(1) != run(2)


def test_a_segment_on_the_line_is_what_scapy_reads() -> None:
    one, other, cable = pair()
    cable.tap()
    assert exchange(one, other, b"hello", b"")[2] == [State.TIME_WAIT, State.TIME_WAIT]  # both close at once
    frames = [Ether(frame.data) for frame in cable.sent(0) if TCP in Ether(frame.data)]
    syn, ack, data = (frame[TCP] for frame in frames[:3])
    assert (syn.flags, syn.options) == ("S", [("MSS", 1460)])
    assert (ack.flags, data.flags, bytes(data[Raw])) == ("A", "FPA", b"hello\0")  # a byte pads the frame
    for frame in frames:
        sum_ = frame[TCP].chksum
        frame[TCP].chksum = None
        assert Ether(bytes(frame))[TCP].chksum == sum_


def test_a_reader_that_does_not_read_closes_the_window_and_probes_open_it() -> None:
    one, other, cable = pair(settings=Settings(window=8000))
    listener = other.listen(7)
    near = one.connect("10.0.0.2", 7)
    far = listener.accept()
    assert far is not None
    cable.tap()
    near.send(bytes(20_000))
    one.run(3 * S)
    assert far.connection.available == 8000
    assert near.connection.segments["window_probe"] >= 3
    cable.sent(1)
    one.run(500 * S)  # for ever, while they are answered
    assert near.state is State.ESTABLISHED
    assert all(Ether(frame.data)[TCP].window == 0 for frame in cable.sent(1))
    assert len(far.read(20_000)) == 20_000


def test_a_small_segment_waits_for_the_acknowledgement_unless_nagle_is_off() -> None:
    for nagle, segments in ((True, 2), (False, 10)):
        one, other, cable = pair(settings=Settings(nagle=nagle))
        listener = other.listen(7)
        near = one.connect("10.0.0.2", 7)
        far = listener.accept()
        assert far is not None
        cable.tap()
        for _ in range(10):
            near.send(b"x")
            one.run(0)
        assert far.read(10) == b"x" * 10
        assert sum(Raw in Ether(frame.data) for frame in cable.sent(0)) == segments


@pytest.mark.parametrize("delay_us", [0.0, 40e3])
def test_a_delayed_acknowledgement_waits_for_a_second_segment(delay_us: float) -> None:
    one, other, cable = pair(settings=Settings(delayed_ack_us=delay_us))
    listener = other.listen(7)
    near = one.connect("10.0.0.2", 7)
    assert listener.accept() is not None
    cable.tap()
    begin = one.now
    near.send(bytes(1460))
    assert near.flush()
    assert one.now - begin == pytest.approx(delay_us, abs=30)
    cable.sent(1)
    near.send(bytes(14600))
    assert near.flush()
    assert len(cable.sent(1)) == (5 if delay_us else 10)


def test_a_reset_ends_a_connection_at_once_and_an_inexact_one_is_asked_about() -> None:
    one, other, _ = pair()
    listener = other.listen(7)
    near = one.connect("10.0.0.2", 7)
    far = listener.accept()
    assert far is not None
    known = near.connection
    forged = Segment((known._received + 100) % 2**32, 0, Flag.RST)
    known.take(forged, one.now)
    assert near.state is State.ESTABLISHED and known._acknowledge
    far.abort()
    one.run(100)
    assert (near.state, near.failure) == (State.CLOSED, "reset by the peer")
    assert one.streams() == other.streams() == []


def test_both_may_open_at_once() -> None:
    one, other, _ = pair()
    assert one.ping("10.0.0.2") is not None and other.ping("10.0.0.1") is not None
    near = one.open("10.0.0.2", 1000, local_port=1000)
    far = other.open("10.0.0.1", 1000, local_port=1000)
    near.send(b"from one")
    far.send(b"from the other")
    assert near.read(14) == b"from the other" and far.read(8) == b"from one"


def test_half_of_a_connection_may_be_closed() -> None:
    one, other, _ = pair()
    listener = other.listen(7)
    near = one.connect("10.0.0.2", 7)
    far = listener.accept()
    assert far is not None
    near.send(b"question")
    near.finish()
    assert far.read_all() == b"question"
    one.run(100)
    assert near.state is State.FIN_WAIT_2
    far.send(b"answer")
    far.finish()
    assert near.read_all() == b"answer"
    one.run(1000.0)
    assert near.state is State.TIME_WAIT and far.state is State.CLOSED
    one.run(61 * S)
    assert one.streams() == []


def test_a_peer_that_is_gone_is_given_up() -> None:
    one, other, _ = pair(faults=Faults(downs=[(1000, 1e9)]))
    other.listen(7)
    near = one.connect("10.0.0.2", 7)
    one.run(2000.0)
    near.send(b"hello")
    assert not near.flush(400 * S)
    assert (near.state, near.failure) == (State.CLOSED, "no answer")


def test_a_flood_of_openings_is_bounded() -> None:
    one, other, _ = pair()
    listener = other.listen(7)
    assert one.ping("10.0.0.2") is not None
    frame = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / IP(src="10.0.0.77", dst="10.0.0.2")
    for port in range(300):
        one.send_frame(bytes(frame / TCP(sport=1024 + port, dport=7, flags="S")))
    one.run(1000.0)
    assert other.counts["tcp_opened"] == 128 and other.counts["tcp_backlog"] == 172
    assert not listener.waiting
    one.run(200 * S)
    assert other.streams() == []
    near = one.connect("10.0.0.2", 7)
    assert near.state is State.ESTABLISHED


def test_what_is_for_others_or_broken_has_no_answer_and_is_counted() -> None:
    one, other, _ = pair()
    ours = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    for frame in (
        Ether(dst="02:00:00:00:00:03") / IP(dst="10.0.0.2"),
        ours / IP(dst="10.0.0.3", src="10.0.0.1"),
        ours / IP(dst="10.0.0.2", src="10.0.0.2") / TCP(),
        ours / IP(dst="10.0.0.2", src="224.0.0.1") / TCP(),
        ours / ARP(op=1, psrc="10.0.0.2", pdst="10.0.0.2"),
        ours / ARP(op=1, psrc="10.0.0.1", pdst="10.0.0.7"),
        Ether(dst="ff:ff:ff:ff:ff:ff") / IP(dst="10.0.0.255", src="10.0.0.1") / UDP(dport=9),
        Ether(dst="ff:ff:ff:ff:ff:ff") / IP(dst="10.0.0.255", src="10.0.0.1") / TCP(dport=9),
        ours / Raw(b"\x88\xb5"),
    ):
        one.send_frame(bytes(frame))
    one.run(1000.0)
    expected = dict.fromkeys(
        ("other_mac", "ip_other_address", "arp_conflict", "arp_for_others", "udp_closed_port", "tcp_broadcast"), 1
    )
    assert other.counts == {**expected, "ip_bad_source": 2, "other_type": 1}


def test_a_port_or_address_that_cannot_be_is_one_sentence() -> None:
    one, _, _ = pair()
    one.udp(7)
    one.listen(7)
    with pytest.raises(NsocError, match="UDP port 7 is in use"):
        one.udp(7)
    with pytest.raises(NsocError, match="TCP port 7 is in use"):
        one.listen(7)
    with pytest.raises(NsocError, match="not an IPv4 address"):
        one.ping("soc")
    one.open("10.0.0.2", 7, local_port=9)
    with pytest.raises(NsocError, match="there is a connection"):
        one.open("10.0.0.2", 7, local_port=9)
