# SPDX-License-Identifier: Apache-2.0
"""Blocks at rest are not evaluated (sim/rest.h): not to the digit does anything change by it."""

from typing import Any

import pytest
from net_soc import ADDRESS, BOOT_US
from socs import TOE, without_skipping

from nsoc.machine import presets
from nsoc.network.faults import Faults
from nsoc.network.inet.peer import Peer
from nsoc.network.network import Network

pytestmark = pytest.mark.slow

ECHO, DISCARD = 7, 9
MS = 1e3
BAD = Faults(duplicate=0.05, reorder=0.05)
"""Nothing that waits for a retransmission: simulating every cycle takes long."""


def traffic(preset: presets.Preset) -> tuple[list[Any], tuple[int, int, int]]:
    """What is seen of an engine with ICMP, TCP streams both ways, a reset and silence; the edges that blocks at rest
    were spared, the cycles, and how often a block had not been at rest."""
    seen: list[Any] = []
    network = Network(1)
    soc = network.soc(preset, "toe_net")
    sim = soc.simulation
    peer = Peer(network)
    network.cable(peer.host, soc, faults=BAD)

    def look() -> None:
        probes = {name: sim.probe(name) for name in sim.probes() if name != "dram.edges_left_out"}
        seen.append((soc.cycles, sim.time_fs, probes, soc.uart.text, dict(soc.counters)))

    assert network.run(BOOT_US, until=lambda: "ready" in soc.uart.text)
    assert peer.ping(ADDRESS) is not None
    look()
    for count in (1, 12_000):
        stream = peer.connect(ADDRESS, ECHO, timeout_us=20 * MS)
        said = bytes(i * 7 & 255 for i in range(count))
        stream.send(said)
        stream.finish()
        assert stream.read_all(50 * MS) == said
        assert stream.close(20 * MS)
        look()
    stream = peer.connect(ADDRESS, DISCARD, timeout_us=20 * MS)
    stream.send(bytes(5_000))
    peer.run(200)
    stream.abort()
    peer.run(1 * MS)  # silence: deadlines pass, nothing else
    look()
    found = sim.left_out, soc.cycles, sim.not_at_rest
    network.close()
    return seen, found


def test_a_tcp_that_rests_is_one_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    rested, (left_out, cycles, wrong) = traffic(TOE)
    assert wrong == 0 and left_out > 0.1 * cycles, (left_out, cycles)
    without_skipping(monkeypatch)
    never, (left_out, _, wrong) = traffic(TOE)
    assert (left_out, wrong) == (0, 0)
    for one, other in zip(rested, never, strict=True):
        assert one == other
