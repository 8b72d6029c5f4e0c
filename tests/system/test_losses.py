# SPDX-License-Identifier: Apache-2.0
"""Soc.losses: one loss of each block, and what the processor reads in the registers."""

import pytest
from net_frames import TCP, ethernet, ipv4, resolve
from net_frames import datagram as udp_frame
from scapy.layers.inet import IP
from scapy.layers.inet import TCP as Segment

import nsoc
from nsoc.machine import devices


def registers_of(soc: nsoc.Soc) -> dict[str, int]:
    """All registers that count losses, as the processor reads them."""
    places = {place.name.removeprefix("nic."): place.address for place in devices.places() if place.register.loss}
    debugger = soc.debugger()
    return {name: debugger.load(address, 4) for name, address in places.items() if name in soc.losses}


def syn(source: str = "10.0.0.1", **fields: int) -> bytes:
    """A frame that begins a connection to a port where nobody listens."""
    segment = bytes(IP(src=source, dst="10.0.0.2") / Segment(sport=1234, dport=9999, flags="S", **fields))
    return ethernet(ipv4(segment[20:], TCP, source=source))


def spoiled(frame: bytes, at: int) -> bytes:
    return frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :]


@pytest.mark.slow
def test_each_block_of_a_soc_with_an_engine_tells_what_it_drops() -> None:
    with nsoc.Soc("toe") as soc:
        soc.run(us=20_000, text="ready")
        assert set(soc.losses) >= {"rx_drop_fcs", "toe.net_tx_drop_unresolved", "toe_udp.drop_full"}
        before = soc.losses
        assert not any(before.values()), before
        soc.wire.send(resolve())
        soc.run(us=60)
        frames = {
            "rx_drop_filtered": spoiled(syn(), 5),  # the MAC: to somebody else
            "toe.net_rx_drop_port": udp_frame(9998, bytes(20)),
            "toe.net_rx_drop_ip_sum": spoiled(syn(), 24),
            "toe.net_rx_drop_sum": spoiled(syn(), 50),
            "toe.segment_drop_offset": syn(dataofs=4),
            "toe.tcp_drop_no_connection": syn(),
        }
        for cause, frame in frames.items():
            was = soc.losses
            soc.wire.send(frame)
            soc.run(us=60)
            changed = {name: count - was[name] for name, count in soc.losses.items() if count != was[name]}
            assert changed == {cause: 1}, (cause, changed)
        # A reset to somebody who does not answer ARP.
        soc.wire.send(syn("10.0.0.77"))
        soc.run(us=8_000_000)
        assert soc.losses["toe.net_tx_drop_unresolved"] >= 1
        for _ in range(1500):  # the ring of UDP, faster than the firmware takes them
            soc.wire.send(udp_frame(7, bytes(18)))
        soc.run(us=2000)
        assert sum(count for name, count in soc.losses.items() if name.startswith("toe_udp.")) > 0, soc.losses
        losses = soc.losses
        assert registers_of(soc) == losses
