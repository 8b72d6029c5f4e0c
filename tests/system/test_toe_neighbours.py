# SPDX-License-Identifier: Apache-2.0
"""More neighbours at the TCP/IP engine than eight: each is answered, in turn and at once, and none for another one."""

import pytest
from net_soc import ADDRESS, MAC
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw
from socs import TOES

from nsoc.machine.presets import Preset
from nsoc.machine.soc import BOOT_US
from nsoc.network.network import Network

pytestmark = pytest.mark.slow
ECHO = 7
BROADCAST = "ff:ff:ff:ff:ff:ff"


@pytest.fixture(scope="module", params=TOES, ids=["rv32", "sparc"])
def preset(request: pytest.FixtureRequest) -> Preset:
    made: Preset = request.param
    return made


class Crowd:
    """Hosts on one line. They answer ARP at once."""

    def __init__(self, preset: Preset, count: int) -> None:
        self.macs = {f"10.0.0.{100 + i}": f"02:00:00:00:05:{i:02x}" for i in range(count)}
        self.network = Network()
        self.soc, self.line = self.network.soc(preset, "toe_net"), self.network.host()
        self.network.cable(self.line, self.soc)
        assert self.network.run(BOOT_US, until=lambda: "ready" in self.soc.uart.text)

    def send(self, host: str, packet: Packet, to: str = MAC) -> None:
        self.line.send(bytes(Ether(src=self.macs[host], dst=to) / packet).ljust(60, b"\0"))

    def asks(self, host: str) -> None:
        self.send(host, ARP(op=1, hwsrc=self.macs[host], psrc=host, pdst=ADDRESS), to=BROADCAST)

    def answers(self, us: float = 100) -> list[tuple[str, bytes]]:
        """To whom, and the data, of what came: each frame to the MAC address of its address."""
        came = []
        for _ in range(int(us)):
            self.network.run(us=1)
            for frame in self.line.receive_all():
                packet = Ether(frame.data)
                if ARP in packet:
                    if packet[ARP].op == 1 and packet[ARP].pdst in self.macs:
                        host = packet[ARP].pdst
                        self.send(host, ARP(op=2, hwsrc=self.macs[host], psrc=host, hwdst=MAC, pdst=ADDRESS))
                    continue
                host = packet[IP].dst
                assert packet.dst == self.macs[host]
                came.append((host, packet[Raw].load))
        return came


def ping(host: str, data: bytes) -> Packet:
    return IP(src=host, dst=ADDRESS) / ICMP(type=8, id=7) / Raw(data)


def echo(host: str, data: bytes) -> Packet:
    return IP(src=host, dst=ADDRESS) / UDP(sport=4000, dport=ECHO) / Raw(data)


@pytest.mark.parametrize("asks", [True, False], ids=["they ask first", "they are asked for"])
def test_twelve_neighbours_are_answered_each_time(preset: Preset, asks: bool) -> None:
    crowd = Crowd(preset, 12)
    with crowd.network:
        if asks:
            for host in crowd.macs:
                crowd.asks(host)
            assert crowd.answers() == []
        else:
            for host in crowd.macs:  # in turn: a datagram waits for each
                crowd.send(host, ping(host, b"first of " + host.encode()))
                assert crowd.answers(20) == [(host, b"first of " + host.encode())]
        for turn in range(5):
            for kind in (ping, echo):
                expected = []
                for host in crowd.macs:
                    data = f"{kind.__name__} {turn} of {host}".encode()
                    crowd.send(host, kind(host, data))
                    expected.append((host, data))
                assert sorted(crowd.answers(300)) == sorted(expected)


def test_eight_unknown_neighbours_at_once_get_their_first_answer(preset: Preset) -> None:
    crowd = Crowd(preset, 8)
    with crowd.network:
        for host in crowd.macs:
            crowd.send(host, ping(host, host.encode()))
        assert sorted(crowd.answers()) == sorted((host, host.encode()) for host in crowd.macs)
