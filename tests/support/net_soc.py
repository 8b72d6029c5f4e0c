# SPDX-License-Identifier: Apache-2.0
"""A SoC that runs the firmware `net` or `toe_net`, and the Python peer beside it: what tests of services and of bad
input share."""

import re
from types import TracebackType

import pytest
from scapy.layers.l2 import ARP, Ether

from nsoc.machine import fates, firmware, presets
from nsoc.machine.soc import BOOT_US
from nsoc.network.inet import Peer
from nsoc.network.network import Network

ADDRESS, MAC = "10.0.0.2", "02:00:00:00:00:02"
PEER_MAC = "02:00:00:00:00:01"
WHO_HAS = bytes(Ether(dst="ff:ff:ff:ff:ff:ff", src=PEER_MAC) / ARP(op=1, psrc="10.0.0.1", hwsrc=PEER_MAC, pdst=ADDRESS))
S = 1e6
_COUNT = re.compile(r"^  (\d+) (.+)$", re.MULTILINE)

needs_net = pytest.mark.skipif("net" not in firmware.names(), reason="there is no firmware net")


class NetSoc:
    """`soc` and `peer` on one cable; the peer knows the SoC's MAC address already."""

    def __init__(
        self, seed: int = 1, preset: str | presets.Preset = presets.DEFAULT, firmware: str = "net",
        **defines: int | str,
    ) -> None:  # fmt: skip
        self.network = Network(seed)
        self.soc = self.network.soc(preset, firmware, defines=defines)
        self.peer = Peer(self.network)
        self.cable = self.network.cable(self.peer.host, self.soc)

    def __enter__(self) -> "NetSoc":
        assert self.network.run(BOOT_US, until=lambda: "ready" in self.soc.uart.text)
        assert self.peer.ping(ADDRESS) is not None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.network.close()

    @property
    def has_lwip(self) -> bool:
        return "without lwIP" not in self.soc.uart.text

    def print(self, command: str) -> str:
        """What a command of the terminal prints, up to its end."""
        uart = self.soc.uart
        begin = len(uart.text)
        uart.write(command + "\n")
        assert self.peer.run(S, until=lambda: "end\n" in uart.text[begin:], every_us=100), uart.text[begin:]
        return uart.text[begin:]

    def say(self, command: str) -> dict[str, int]:
        """The numbers in it."""
        return {what: int(count) for count, what in _COUNT.findall(self.print(command))}

    def check_alive(self) -> None:
        """No trap, and a ping is answered. Bursts may have cost the first ones, and the SoC believes what was last said
        of who the peer is."""
        assert "trap" not in self.soc.uart.text, self.soc.uart.text[-300:]
        assert any(self._is_answered() for _ in range(3))

    def _is_answered(self) -> bool:
        self.peer.send_frame(WHO_HAS)
        return self.peer.ping(ADDRESS, timeout_us=20_000) is not None

    def check_accounted(self) -> None:
        """Every frame that went in has one end in the MAC, and every one that the MAC took has one in the NIC."""
        self.peer.run(2000.0)
        counters, (to_soc, _) = self.soc.counters, self.cable.counts()
        assert to_soc["passed"] == sum(counters[fate.counter] for fate in fates.MAC_RX)
        assert counters["rx_good"] == sum(counters[fate.counter] for fate in fates.NIC_RX)

    def check_buffers(self, before: dict[str, int], within_us: float) -> None:
        """All packet buffers are where they were, after at most that time."""
        end = self.peer.now + within_us
        while (now := self.say("buffers")) != before and self.peer.now < end:
            self.peer.run(2 * S)
        assert now == before
