# SPDX-License-Identifier: Apache-2.0
"""Frames of every kind, fragments and ICMP errors among them, spoiled in every way, at the SoC with a TCP/IP engine: a
stream that was open before has every byte, every frame is counted once, no buffer and no record is missing."""

import re

import pytest
from net_fuzz import Fuzzer
from net_soc import ADDRESS, NetSoc, S
from runs import some
from socs import SPARC_TOE as SPARC
from socs import TOE

from nsoc.errors import NsocError
from nsoc.machine.presets import Preset
from nsoc.network.inet import State, Stream

ECHO, DISCARD, HTTP = 7, 9, 80
MS = 1e3
EACH = 100
"""Frames from one look at how it is to the next."""
HALF_OPEN_US = 40 * S
"""Longer than a handshake may take that nobody ends."""

pytestmark = pytest.mark.long


def open_victims(net: NetSoc, victims: list[Stream]) -> None:
    """A connection to each port, as far as there are records."""
    victims[:] = [one for one in victims if one.state is State.ESTABLISHED]
    for port in {ECHO, DISCARD, HTTP} - {one.remote[1] for one in victims}:
        try:
            victims.append(net.peer.connect(ADDRESS, port, timeout_us=2 * MS))
        except NsocError:  # all are in use
            net.peer.run(HALF_OPEN_US)


BURST, BURST_US = 64, 250.0
"""Segments that go out back to back, and how long that takes about."""


@pytest.mark.parametrize(("preset", "seed", "frames"), some([(TOE, 1, 500)], [(TOE, 2, 5000), (SPARC, 2, 5000)]))
def test_the_engine_lives_through_anything_that_comes(preset: Preset, seed: int, frames: int) -> None:
    with NetSoc(seed, preset, "toe_net") as net:
        storm(net, seed, frames, EACH, tcp=False)


@pytest.mark.parametrize(
    ("preset", "seed", "frames"), some([(TOE, 3, 20_000)], [(TOE, 4, 1_000_000), (SPARC, 3, 20_000)])
)
def test_the_engine_lives_through_spoiled_segments_at_the_rate_of_the_line(
    preset: Preset, seed: int, frames: int
) -> None:
    with NetSoc(seed, preset, "toe_net") as net:
        storm(net, seed, frames, EACH * BURST, tcp=True)


def storm(net: NetSoc, seed: int, frames: int, each: int, *, tcp: bool) -> None:
    """So many frames (`tcp`: segments, in bursts). A look at a stream each `each` of them, and at all in the end."""
    good = net.peer.connect(ADDRESS, ECHO, timeout_us=20 * MS)
    victims: list[Stream] = []
    fuzzer = Fuzzer(seed, lambda: [one for one in victims if one.state is State.ESTABLISHED], tcp=tcp)
    for number in range(frames):
        if number % each == 0:
            net.check_alive()
            open_victims(net, victims)
            said = fuzzer.rng.randbytes(3000)
            good.send(said)
            assert good.read(len(said), S) == said
        net.peer.send_frame(fuzzer.frame())
        if tcp and number % BURST == 0:
            net.peer.run(BURST_US)
        elif not tcp and fuzzer.rng.random() < 0.2:
            net.peer.run(fuzzer.rng.uniform(0, 200))
    net.check_alive()
    assert good.close(S)
    for stream in net.peer.streams():
        stream.abort()
    net.peer.run(6 * 60 * S)  # all that was begun and never ended
    net.check_alive()
    counts = {name.removeprefix("toe."): count for name, count in net.say("counters").items()}
    received = sum(count for name, count in counts.items() if name.startswith("net_rx_"))
    assert net.soc.counters["rx_good"] - received in range(3), "each frame has one end"
    segments = ("taken", "drop_short", "drop_offset", "drop_sum", "drop_room")
    assert counts["net_rx_tcp"] == sum(counts.get(f"segment_{name}", 0) for name in segments)
    # An open connection whose peer has gone without a word stays: keep-alive is off. Nothing else does.
    shown = [line.split()[0] for line in net.print("connections").splitlines() if "10.0.0.2:" in line]
    assert set(shown) <= {"LISTEN", "ESTAB"} and shown.count("ESTAB") < TOE.connections // 2, shown
    *places, all_buffers = map(int, re.findall(r"\d+", net.print("buffers"))[:6])
    assert sum(places) == all_buffers, "no buffer is missing"
