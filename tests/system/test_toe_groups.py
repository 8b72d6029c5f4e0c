# SPDX-License-Identifier: Apache-2.0
"""Groups (multicast) on the SoC with the TCP/IP engine: the firmware `toe_net` joins, the engine takes, IGMP is said
and heard by way of the NIC."""

import re
from collections.abc import Iterator

import pytest
from net_frames import IGMP, OUR_MAC, UDP, address, checksum, ethernet, ipv4, resolve, udp
from socs import TOES

from nsoc.machine.presets import Preset
from nsoc.machine.soc import BOOT_US
from nsoc.network.network import Network

pytestmark = pytest.mark.slow
MS, S = 1e3, 1e6
GROUP, OTHER, ALL_HOSTS = "239.1.2.3", "239.9.2.3", "224.0.0.1"
DISCARD, ECHO = 9, 7
QUERY, REPORT, LEAVE = 0x11, 0x16, 0x17
ALERT = bytes.fromhex("94040000")
ANSWER_TENTHS = 1
"""Of a second: what a query gives."""


def mac_of(group: str) -> bytes:
    return bytes.fromhex("01005e") + (int.from_bytes(address(group), "big") & 0x7F_FFFF).to_bytes(3, "big")


def for_group(group: str, port: int = DISCARD) -> bytes:
    return ethernet(ipv4(udp(4000, port, b"hello", destination=group), UDP, to=group), to=mac_of(group))


def query(group: str = "0.0.0.0", to: str = ALL_HOSTS) -> bytes:
    body = bytes([QUERY, ANSWER_TENTHS, 0, 0]) + address(group)
    body = body[:2] + checksum(body).to_bytes(2, "big") + body[4:]
    return ethernet(ipv4(body, IGMP, to=to, options=ALERT, ttl=1), to=mac_of(to))


class Line:
    def __init__(self, preset: Preset) -> None:
        self.network = Network(1)
        self.soc, self.host = self.network.soc(preset, "toe_net"), self.network.host()
        self.network.cable(self.host, self.soc)
        assert self.network.run(BOOT_US, until=lambda: "ready" in self.soc.uart.text)
        self.exchange([resolve()])

    def exchange(self, frames: list[bytes], us: float = 1 * MS) -> list[bytes]:
        for frame in frames:
            self.host.send(frame)
        self.network.run(us=us)
        return [frame.data for frame in self.host.receive_all() if frame.good]

    def command(self, line: str) -> list[bytes]:
        """Of 15 characters at most: that many the UART keeps while the firmware is busy."""
        self.soc.uart.write(f"{line}\n")
        return self.exchange([], 20 * MS)

    def count(self, name: str) -> int:
        uart, begin = self.soc.uart, len(self.soc.uart.text)
        uart.write("counters\n")
        assert self.network.run(S, until=lambda: "end\n" in uart.text[begin:])
        found = re.search(rf"^  (\d+) {re.escape(name)}$", uart.text[begin:], re.M)
        return int(found[1]) if found else 0


def said(frames: list[bytes]) -> list[tuple[int, str]]:
    """IGMP messages that are right: kind and group."""
    found = []
    for frame in frames:
        if frame[12:14] != b"\x08\0" or frame[23] != IGMP:
            continue
        to = "224.0.0.2" if frame[38] == LEAVE else ".".join(map(str, frame[42:46]))
        assert frame[:14] == mac_of(to) + OUR_MAC + b"\x08\0" and frame[30:34] == address(to)
        assert frame[14] == 0x46 and frame[22] == 1 and frame[34:38] == ALERT
        assert checksum(frame[14:38]) == 0 == checksum(frame[38:46])
        found.append((frame[38], ".".join(map(str, frame[42:46]))))
    return found


@pytest.fixture(scope="module", params=TOES, ids=["rv32", "sparc"])
def preset(request: pytest.FixtureRequest) -> Preset:
    made: Preset = request.param
    return made


@pytest.fixture(scope="module")
def line(preset: Preset) -> Iterator[Line]:
    line = Line(preset)
    with line.network:
        yield line
        assert "trap" not in line.soc.uart.text


def test_the_engine_takes_what_is_for_a_joined_group_and_igmp_says_so(line: Line) -> None:
    assert said(line.command(f"join {GROUP}")) == [(REPORT, GROUP)]
    before = {name: line.count(name) for name in ("udp.discarded", "udp.not_answered", "toe.net_rx_drop_group")}
    near = "239.129.2.3"  # the same Ethernet address: the MAC lets it through
    assert line.exchange([for_group(GROUP), for_group(ALL_HOSTS), for_group(near), for_group(GROUP, ECHO)]) == []
    assert line.count("udp.discarded") == before["udp.discarded"] + 2
    assert line.count("udp.not_answered") == before["udp.not_answered"] + 1
    assert line.count("toe.net_rx_drop_group") == before["toe.net_rx_drop_group"] + 1
    assert said(line.command(f"leave {GROUP}")) == [(LEAVE, GROUP)]
    line.exchange([for_group(GROUP)])
    assert line.count("udp.discarded") == before["udp.discarded"] + 2


def test_a_query_is_answered_in_its_time(line: Line) -> None:
    for group in (GROUP, OTHER):
        line.command(f"join {group}")
    assert sorted(said(line.exchange([query()], 110 * MS))) == [(REPORT, GROUP), (REPORT, OTHER)]
    assert said(line.exchange([query(OTHER, OTHER)], 110 * MS)) == [(REPORT, OTHER)]
    for group in (GROUP, OTHER):
        assert said(line.command(f"leave {group}")) == [(LEAVE, group)]
