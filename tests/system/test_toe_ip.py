# SPDX-License-Identifier: Apache-2.0
"""What the TCP/IP engine leaves to the firmware `toe_net`: datagrams in fragments, and the address by DHCP. The peer is
Scapy's: what it makes in fragments goes over the line, what comes back it puts together."""

import random
import re
from collections.abc import Iterator, Sequence

import pytest
from net_dhcp import OFFERED, DhcpServer
from net_frames import check_sums
from net_soc import ADDRESS, MAC, PEER_MAC
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_LSRR, defragment, fragment
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from socs import TOES

from nsoc.machine.presets import Preset
from nsoc.machine.soc import BOOT_US
from nsoc.network.network import Network

pytestmark = pytest.mark.slow
PEER = "10.0.0.1"
MS, S = 1e3, 1e6
ECHO = 7
LATE_MS = 10
"""For fragments: what the firmware has 15 s for would be simulated all the time."""


class Line:
    """A SoC with the engine, and the frames on its line."""

    def __init__(self, preset: Preset, seed: int = 1, **defines: int) -> None:
        self.network = Network(seed)
        self.soc, self.host = self.network.soc(preset, "toe_net", defines=defines), self.network.host()
        self.network.cable(self.host, self.soc)
        self.address = ADDRESS
        self.questions: list[bytes] = []  # for a DHCP server, that nobody has answered
        assert self.network.run(BOOT_US, until=lambda: "ready" in self.soc.uart.text)

    def exchange(
        self, packets: Sequence[Packet], frames: int = 0, within_us: float = 1 * MS, tag: Packet | None = None
    ) -> list[Packet]:
        """IP packets go, one behind the other, with that VLAN tag; what comes until that many frames are there, or
        nothing more is in that time. ARP is answered."""
        ether = Ether(src=PEER_MAC, dst=MAC)
        for packet in packets:
            self.host.send(bytes((ether / tag if tag else ether) / packet).ljust(60, b"\0"))
        came: list[Packet] = []
        until = self.network.time_us + (20 * MS if frames else within_us)
        while self.network.time_us < until and (not frames or len(came) < frames):
            self.network.run(us=50 if frames else within_us)
            for frame in self.host.receive_all():
                if frame.data[20:22] == b"\0\1" and frame.data[12:14] == b"\x08\x06":
                    asked = Ether(frame.data)[ARP]
                    reply = ARP(op=2, hwsrc=PEER_MAC, psrc=asked.pdst, hwdst=MAC, pdst=asked.psrc)
                    self.host.send(bytes(Ether(src=PEER_MAC, dst=MAC) / reply).ljust(60, b"\0"))
                    continue
                if frame.data[36:38] == b"\0\x43":
                    self.questions.append(frame.data)
                    continue
                assert Ether(frame.data).dst == PEER_MAC and len(frame.data) <= 1514
                if self.address == ADDRESS:
                    check_sums(frame.data)
                came.append(IP(frame.data[14 : 14 + int.from_bytes(frame.data[16:18])]))
        return came

    def rest(self) -> None:
        """All that was begun is over."""
        self.network.run(us=(LATE_MS + 1) * MS)
        self.host.receive_all()

    def counters(self) -> dict[str, int]:
        """Of fragments and datagrams, without their groups."""
        uart, begin = self.soc.uart, len(self.soc.uart.text)
        uart.write("counters\n")
        assert self.network.run(S, until=lambda: "end\n" in uart.text[begin:])
        return {
            name: int(count) for count, name in re.findall(r"^  (\d+) (?:ip|fragments|dhcp)\.(\w+)$", uart.text, re.M)
        }

    def grown(self, before: dict[str, int]) -> dict[str, int]:
        after = self.counters()
        return {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}


@pytest.fixture(scope="module", params=TOES, ids=["rv32", "sparc"])
def preset(request: pytest.FixtureRequest) -> Preset:
    made: Preset = request.param
    return made


@pytest.fixture(scope="module")
def booted(preset: Preset) -> Iterator[Line]:
    line = Line(preset, FRAGMENTS_MS=LATE_MS)
    with line.network:
        yield line
        assert "trap" not in line.soc.uart.text


@pytest.fixture
def line(booted: Line) -> Iterator[Line]:
    yield booted
    booted.rest()


def ping(data: bytes, id: int) -> Packet:
    return IP(src=PEER, dst=ADDRESS, id=id) / ICMP(id=7, seq=id) / Raw(data)


def pieces(packet: Packet, size: int = 1480) -> list[Packet]:
    return list(fragment(packet, fragsize=size))


def test_behind_a_priority_all_is_as_without(line: Line) -> None:
    """What the engine takes itself and what comes to the firmware; the answers have no tag."""
    data = bytes(range(256)) * 12
    datagram = IP(src=PEER, dst=ADDRESS, id=2) / UDP(sport=4000, dport=ECHO)
    for size in (5, 1400, 3000):
        for request in (ping(data[:size], 1), datagram / Raw(data[:size])):
            sent = pieces(request)
            answers = [
                defragment(line.exchange(sent, frames=len(sent), tag=tag))[0] for tag in (None, Dot1Q(vlan=0, prio=5))
            ]
            assert [bytes(answer.payload.payload)[-size:] for answer in answers] == [data[:size]] * 2
    (answer,) = line.exchange([IP(src=PEER, dst=ADDRESS) / TCP(sport=4000, dport=99, flags="S")], frames=1,
                              tag=Dot1Q(vlan=0, prio=1))  # fmt: skip
    assert answer[TCP].flags == "RA"
    before = line.counters()
    assert not line.exchange([ping(data[:5], 3), *pieces(ping(data[:3000], 4))], tag=Dot1Q(vlan=5))
    assert line.grown(before) == {}


def doubled(sent: list[Packet], count: int, rng: random.Random) -> None:
    """Some come twice, but no more when their datagram is whole: they would begin another."""
    last = {piece.id: at for at, piece in enumerate(sent)}
    others = sorted(set(range(len(sent))) - set(last.values()))
    for at in sorted(rng.sample(others, min(count, len(others))), reverse=True):
        end = last[sent[at].id]
        sent.insert(rng.randint(at, end), sent[at])


def frames_for(size: int) -> int:
    """Of an answer with so many bytes behind the header of ICMP or UDP."""
    return -(-(size + 8) // 1480)


def joined(came: Sequence[Packet]) -> list[Packet]:
    """Whole datagrams, as Scapy puts them together."""
    whole = [IP(bytes(one)) for one in defragment(list(came))]
    assert all(not one.frag and not one.flags.MF for one in whole), whole
    return whole


def is_echo(answer: Packet, data: bytes, id: int) -> bool:
    """Its sum is right, too."""
    right = answer.copy()
    del right[ICMP].chksum
    assert IP(bytes(right))[ICMP].chksum == answer[ICMP].chksum
    return bytes(answer[ICMP].payload) == data and (answer[ICMP].type, answer[ICMP].seq) == (0, id)


@pytest.mark.parametrize("size", [1, 1473, 2952, 8000, 20_000, 65_507])
def test_a_ping_of_any_size_in_fragments_is_answered_in_fragments(line: Line, size: int) -> None:
    data = random.Random(size).randbytes(size)
    came = line.exchange(pieces(ping(data, size), 8 if size == 1 else 1480), frames_for(size))
    assert len(came) == frames_for(size) and {one.len for one in came[:-1]} <= {1500}
    (answer,) = joined(came)
    assert is_echo(answer, data, size) and (answer.src, answer.dst) == (ADDRESS, PEER)


def test_what_never_comes_to_its_end_is_told_and_makes_room(line: Line) -> None:
    before = line.counters()
    first = pieces(ping(bytes(3000), 300))[0]
    behind = pieces(ping(bytes(3000), 301))[1]
    assert line.exchange([first, behind], within_us=(LATE_MS - 1) * MS) == []
    (told,) = line.exchange([], within_us=2 * MS)
    assert (told[ICMP].type, told[ICMP].code, told.dst) == (11, 1, PEER)
    assert bytes(told[ICMP].payload)[:28] == bytes(first)[:28]
    assert line.grown(before) == {"taken": 2, "late": 2, "told_of_late": 1}


def test_fragments_in_any_order_of_several_datagrams_with_duplicates_are_joined(line: Line) -> None:
    rng = random.Random(3)
    data = {id: rng.randbytes(rng.randint(100, 3000)) for id in range(100, 104)}
    sent = [piece for id in data for piece in pieces(ping(data[id], id), 8 * rng.randint(10, 50))]
    before = line.counters()
    rng.shuffle(sent)
    doubled(sent, 8, rng)
    answers = joined(line.exchange(sent, sum(frames_for(len(one)) for one in data.values())))
    assert sorted(answer[ICMP].seq for answer in answers) == sorted(data)
    assert all(is_echo(answer, data[answer[ICMP].seq], answer[ICMP].seq) for answer in answers)
    counts = line.grown(before)
    assert (counts["drop_duplicate"], counts["joined"], counts["echoed"]) == (8, 4, 4)
    assert counts["taken"] == len(sent) - 8


def test_an_overlap_kills_its_datagram_and_no_other(line: Line) -> None:
    data = bytes(range(256)) * 12
    before = line.counters()
    for id, extra in ((200, Raw(b"other content!!!" * 4)), (201, Raw(bytes(1200)))):
        whole = pieces(ping(data, id), 800)
        teardrop = IP(src=PEER, dst=ADDRESS, id=id, proto=1, flags="MF", frag=50) / extra
        assert (
            line.exchange([whole[0], teardrop, *whole[1:], *pieces(ping(data, id + 10), 800)][: 2 + len(whole[1:])])
            == []
        )
    (answer,) = joined(line.exchange(pieces(ping(data, 202), 800), frames_for(len(data))))
    assert is_echo(answer, data, 202)
    counts = line.grown(before)
    assert counts["killed"] == counts["drop_overlap"] == 2 and counts["drop_dead"] == 6 and counts["joined"] == 1


def test_the_newest_of_many_that_have_no_end_is_answered_all_the_same(line: Line) -> None:
    before = line.counters()
    open_ones = [pieces(ping(bytes(3000), id))[0] for id in range(400, 412)]
    data = b"the last one" * 300
    (answer,) = joined(line.exchange([*open_ones, *pieces(ping(data, 412))], frames_for(len(data))))
    assert is_echo(answer, data, 412)
    counts = line.grown(before)
    assert counts["taken"] == 12 + 3 and counts["joined"] == 1 and counts["crowded_out"] >= 9


@pytest.mark.parametrize("size", [1, 1473, 5000, 65_507])
def test_udp_in_fragments_is_echoed_by_the_program(line: Line, size: int) -> None:
    data = random.Random(size).randbytes(size)
    packet = IP(src=PEER, dst=ADDRESS, id=size) / UDP(sport=4000, dport=ECHO) / Raw(data)
    before = line.counters()
    (answer,) = joined(line.exchange(pieces(packet, 8 if size == 1 else 1480), frames_for(size)))
    right = answer.copy()
    del right[UDP].chksum
    assert IP(bytes(right))[UDP].chksum == answer[UDP].chksum
    assert (answer[UDP].sport, answer[UDP].dport, bytes(answer[UDP].payload)) == (ECHO, 4000, data)
    counts = line.grown(before)
    assert counts["given"] == counts["answered"] == 1


def test_what_is_for_nobody_is_dropped_and_counted_by_cause(line: Line) -> None:
    ip = {"src": PEER, "dst": ADDRESS}
    data = Raw(bytes(2000))
    udp = UDP(sport=4000, dport=ECHO)
    wrong = {
        "drop_port": IP(**ip, id=500) / UDP(sport=4000, dport=4) / data,
        "drop_tcp": IP(**ip, id=501) / TCP(dport=80) / data,
        "drop_other": IP(**ip, id=502, proto=89) / data,
        "drop_sum": IP(**ip, id=503) / UDP(sport=4000, dport=ECHO, chksum=0x1234) / data,
        "drop_length": IP(**ip, id=504) / UDP(sport=4000, dport=ECHO, len=2009) / data,
    }
    before = line.counters()
    assert line.exchange([piece for packet in wrong.values() for piece in pieces(packet)][:10]) == []
    counts = line.grown(before)
    assert {name: counts.get(name) for name in wrong} == dict.fromkeys(wrong, 1) and counts["joined"] == 5
    before = line.counters()
    bad_header = pieces(IP(**ip, id=505) / udp / data)
    for piece in bad_header:
        piece.chksum = 0x1111
    of_us = pieces(IP(src=ADDRESS, dst=ADDRESS, id=506) / udp / data)
    of_all = pieces(IP(src="10.0.0.255", dst=ADDRESS, id=507) / udp / data)
    routed = pieces(IP(**ip, id=508, options=[IPOption_LSRR(routers=["10.0.0.9"])]) / udp / data, 1200)
    assert line.exchange([*bad_header, *of_us, *of_all, *routed]) == []
    counts = line.grown(before)
    assert (counts["drop_header"], counts["drop_address"], counts.get("taken")) == (2, 6, None)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)])
def test_on_a_line_that_loses_doubles_and_reorders_each_datagram_is_answered_right_or_not_at_all(
    line: Line, seed: int
) -> None:
    rng = random.Random(seed)
    print(f"seed {seed}")
    answered = missing = 0
    before = line.counters()
    for batch in range(5):
        ids = [1000 * seed + 3 * batch + n for n in range(3)]
        data = {id: rng.randbytes(rng.randint(1480, 6000)) for id in ids}
        sent = [piece for id in ids for piece in pieces(ping(data[id], id), 8 * rng.randint(60, 185))]
        kept = [piece for piece in sent if rng.random() > 0.05]
        whole = [id for id in ids if sum(one.id == id for one in sent) == sum(one.id == id for one in kept)]
        for at in range(len(kept) - 1):
            if rng.random() < 0.5:
                kept[at], kept[at + 1] = kept[at + 1], kept[at]
        doubled(kept, 3, rng)
        echoes = joined(line.exchange(kept, sum(frames_for(len(data[id])) for id in whole)))
        assert all(is_echo(answer, data[answer[ICMP].seq], answer[ICMP].seq) for answer in echoes)
        assert sorted(answer[ICMP].seq for answer in echoes) == whole, (seed, batch)
        answered, missing = answered + len(whole), missing + 3 - len(whole)
        line.rest()
    counts = line.grown(before)
    assert answered and missing and counts["echoed"] == answered and counts["drop_duplicate"]


def test_an_address_comes_by_dhcp_and_the_engine_has_it(preset: Preset) -> None:
    line = Line(preset, NET_DHCP=1, DHCP_CLIENT_BEGIN_MS=1)
    with line.network:
        server = DhcpServer()
        # The answer waits until it has asked for us.
        [answer] = line.exchange([ping(b"static", 1)], 1)
        assert is_echo(answer, b"static", 1)
        while f"address {OFFERED}\n" not in line.soc.uart.text:
            assert line.network.time_us < 50 * MS, line.soc.uart.text
            line.network.run(us=100)
            for question in [*line.questions, *(arrived.data for arrived in line.host.receive_all())]:
                for answer in server.answer(question):
                    line.host.send(answer)
            line.questions.clear()
        assert server.said == ["discover", "request"]
        line.address = OFFERED
        assert line.exchange([ping(b"static", 2)]) == []
        for id, size in ((3, 100), (4, 4000)):
            request = ping(bytes(size), id)
            request.dst = OFFERED
            (answer,) = joined(line.exchange(pieces(request), frames_for(size)))
            assert is_echo(answer, bytes(size), id) and answer.src == OFFERED
        (synack,) = line.exchange([IP(src=PEER, dst=OFFERED) / TCP(sport=5000, dport=ECHO, flags="S", seq=1)], 1)
        assert synack.src == OFFERED and synack[TCP].flags == "SA"


def test_first_numbers_are_the_seeds_own(preset: Preset) -> None:
    """The same seed gives the same, another one gives others."""
    numbers = []
    for seed in (1, 1, 2):
        line = Line(preset, seed)
        with line.network:
            (answer,) = line.exchange([IP(src=PEER, dst=ADDRESS) / TCP(sport=4000, dport=ECHO, flags="S")], frames=1)
            assert answer[TCP].flags == "SA"
            numbers.append(answer[TCP].seq)
    assert numbers[0] == numbers[1] and abs(numbers[2] - numbers[0]) > 1000
