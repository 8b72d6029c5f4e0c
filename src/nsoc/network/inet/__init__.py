# SPDX-License-Identifier: Apache-2.0
"""A host's Internet protocols in simulated time: ARP, IPv4, ICMP echo, UDP and TCP, written from the RFCs.

`peer.Peer` is such a host on a Network. All below it has neither clock nor transport.
"""

from nsoc.network.inet.connection import Settings, State
from nsoc.network.inet.peer import ADDRESS, Datagram, Listener, Peer, Stream, Udp

__all__ = ["ADDRESS", "Datagram", "Listener", "Peer", "Settings", "State", "Stream", "Udp"]
