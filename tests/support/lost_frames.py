# SPDX-License-Identifier: Apache-2.0
"""Frames that a SoC with an engine drops, each for one cause."""

from net_frames import TCP, UDP, address, checksum, datagram, ethernet, ipv4, udp
from scapy.layers.inet import IP
from scapy.layers.inet import TCP as Segment


def syn(source: str = "10.0.0.1", **fields: int) -> bytes:
    """A frame that begins a connection to a port where nobody listens."""
    segment = bytes(IP(src=source, dst="10.0.0.2") / Segment(sport=1234, dport=9999, flags="S", **fields))
    return ethernet(ipv4(segment[20:], TCP, source=source))


def to_group(group: str) -> bytes:
    """A datagram for a group that nobody here has joined."""
    mac = bytes.fromhex("01005e") + address(group)[1:]
    return ethernet(ipv4(udp(4000, 7, bytes(20), destination=group), UDP, to=group), to=mac)


def short() -> bytes:
    """A segment that ends before its header does, with the right sum where that would be."""
    head = bytes.fromhex("04d2270f")
    total = checksum(address("10.0.0.1") + address("10.0.0.2") + bytes([0, TCP, 0, 18]) + head + bytes(14))
    return ethernet(ipv4(head + bytes(12) + total.to_bytes(2), TCP))


def spoiled(frame: bytes, at: int) -> bytes:
    return frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :]


def dropped() -> dict[str, bytes]:
    """For each cause of a SoC with an engine that one frame has: that frame."""
    return {
        "rx_drop_filtered": spoiled(syn(), 5),  # the MAC: to somebody else
        "toe.net_rx_drop_port": datagram(9998, bytes(20)),
        "toe.net_rx_drop_ip_sum": spoiled(syn(), 24),
        "toe.net_rx_drop_sum": spoiled(syn(), 50),
        "toe.net_rx_drop_length": ethernet(ipv4(bytes(20), TCP, total=1000)),
        "toe.net_rx_drop_address": syn("224.0.0.1"),
        "toe.segment_drop_offset": syn(dataofs=4),
        "toe.segment_drop_short": short(),
        "toe.tcp_drop_no_connection": syn(),
    }
