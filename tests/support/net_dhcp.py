# SPDX-License-Identifier: Apache-2.0
"""A DHCP server (RFC 2131) made of Scapy's layers, with one address to give."""

from scapy.layers.dhcp import BOOTP, DHCP
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import raw

SERVER, MAC, OFFERED = "10.0.0.1", "02:00:00:00:00:01", "10.0.0.50"
SHORTEST = 60


class DhcpServer:
    """Answers frames. `said`: the kinds of messages that came, in order. `refuses`: a request is answered by a NAK."""

    def __init__(self, lease_s: int = 3600) -> None:
        self.lease_s, self.said, self.refuses, self.silent = lease_s, list[str](), False, False
        self.asked_directly = 0

    def answer(self, frame: bytes) -> list[bytes]:
        packet = Ether(frame)
        if ARP in packet and packet[ARP].op == 1 and packet[ARP].pdst == SERVER:
            reply = Ether(src=MAC, dst=packet.src) / ARP(
                op=2, hwsrc=MAC, psrc=SERVER, hwdst=packet[ARP].hwsrc, pdst=packet[ARP].psrc
            )
            return [raw(reply).ljust(SHORTEST, b"\0")]
        if DHCP not in packet:
            return []
        options = dict(option for option in packet[DHCP].options if isinstance(option, tuple))
        kind = {1: "discover", 3: "request", 4: "decline", 7: "release"}[options["message-type"]]
        self.said.append(kind)
        self.asked_directly += packet[IP].dst == SERVER
        if self.silent or kind not in ("discover", "request"):
            return []
        answers = {"discover": "offer", "request": "nak" if self.refuses else "ack"}
        more = [] if self.refuses and kind == "request" else [
            ("lease_time", self.lease_s), ("subnet_mask", "255.255.255.0"), ("router", SERVER)
        ]  # fmt: skip
        reply = (
            Ether(src=MAC, dst=packet.src)
            / IP(src=SERVER, dst=OFFERED if packet[BOOTP].ciaddr == "0.0.0.0" else packet[BOOTP].ciaddr)
            / UDP(sport=67, dport=68)
            / BOOTP(op=2, xid=packet[BOOTP].xid, yiaddr=OFFERED, siaddr=SERVER, chaddr=packet[BOOTP].chaddr)
            / DHCP(options=[("message-type", answers[kind]), ("server_id", SERVER), *more, "end"])
        )
        return [raw(reply)]
