# SPDX-License-Identifier: Apache-2.0
"""`net` with lwIP, on this machine: it knows as many neighbours as a small network has, all at once."""

import needs
import pytest
from net_frames import BROADCAST, OURS, UDP, arp, ethernet, ipv4, udp
from net_native import Native

pytestmark = needs.lwip()


@pytest.mark.parametrize("count", [11, 12, 63])
def test_neighbours_that_asked_are_known_all_at_once(count: int) -> None:
    hosts = [(f"10.0.0.{100 + i}", bytes([2, 0, 0, 0, 3, i])) for i in range(count)]
    with Native(lwip=True) as net:
        for address, mac in hosts:
            (reply,) = net.exchange([ethernet(arp(1, mac, address, bytes(6), OURS), 0x0806, BROADCAST)])
            assert reply[:6] == mac
        for address, mac in hosts:
            asked = ethernet(ipv4(udp(4000, 7, b"hello", source=address), UDP, source=address))
            (answer,) = net.exchange([asked])
            assert answer[12:14] == b"\x08\x00" and answer[:6] == mac
