# SPDX-License-Identifier: Apache-2.0
"""Frames of every kind, spoiled in every way, against the firmware `net`: it lives, and no buffer is missing."""

import pytest
from net_fuzz import Fuzzer
from net_soc import ADDRESS, NetSoc, S, needs_net
from runs import some

from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.presets import DEFAULT
from nsoc.network.inet import State

pytestmark = pytest.mark.slow

EACH = 1000
"""Frames from one look at how it is to the next."""
PORTS = (7, 9, 80)
OFFLOADS = "nic12-net"
TIME_US = 400 * S
"""Until what frames have opened is given up: a connection that is half open, or does not answer."""


def keep_open(net: NetSoc) -> None:
    """A connection to each port, as far as they can be had."""
    for stream in net.peer.streams():
        if stream.state is not State.ESTABLISHED:
            stream.abort()
    there = {stream.remote[1] for stream in net.peer.streams() if stream.state is State.ESTABLISHED}
    for port in PORTS:
        if port not in there:
            try:
                net.peer.connect(ADDRESS, port, timeout_us=5000.0)
            except NsocError:  # the SoC has too many
                continue


@needs_net
@pytest.mark.parametrize(
    ("preset", "seed", "frames"), some([(DEFAULT, 1, 300)], [(DEFAULT, 2, 50_000), (OFFLOADS, 3, 10_000)])
)
def test_net_lives_through_anything_that_comes(preset: str, seed: int, frames: int) -> None:
    if preset not in presets.names():
        pytest.skip(f"there is no preset {preset}")
    with NetSoc(seed, preset) as net:
        net.say("buffers")
        before = net.say("buffers")
        fuzzer = Fuzzer(seed, lambda: [one for one in net.peer.streams() if one.state is State.ESTABLISHED])
        for number in range(frames):
            if number % (EACH // 10) == 0 and net.has_lwip:
                keep_open(net)
            net.peer.send_frame(fuzzer.frame())
            if fuzzer.rng.random() < 0.2:
                net.peer.run(fuzzer.rng.uniform(0, 200))
            if number % EACH == EACH - 1:
                net.peer.run(5000.0)
                net.check_alive()
        for stream in net.peer.streams():
            stream.abort()
        net.peer.run(5000.0)
        net.check_alive()
        net.check_accounted()
        net.check_buffers(before, TIME_US)
        net.check_alive()
