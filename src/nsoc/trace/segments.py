# SPDX-License-Identifier: Apache-2.0
"""Running what is to be traced on a TCP/IP engine: a TCP peer sends segments to the echo of `toe_net`, one by one."""

from collections.abc import Iterator
from contextlib import contextmanager

from nsoc.errors import NsocError
from nsoc.machine.presets import Preset
from nsoc.machine.soc import BOOT_US, Soc, check_booted
from nsoc.network.inet import Peer
from nsoc.network.inet.peer import Stream
from nsoc.network.network import Network
from nsoc.trace.frames import FrameTrace, Stage, Trace, Visit

ADDRESS, ECHO = "10.0.0.2", 7
HEADERS = 14 + 20 + 20
"""Bytes in front of the payload."""
MSS = 1460
WARM = 20
"""The first segments of a connection are acknowledged one by one, before their echo."""
SPACING_US = 64.104
"""From an echo to the next segment, no multiple of a clock's period."""
PATIENCE_US = 10_000.0


class Echo:
    """The SoC with its peer, and a connection between them."""

    def __init__(self, network: Network, soc: Soc, peer: Peer, stream: Stream) -> None:
        self.network, self.soc, self.peer, self._stream = network, soc, peer, stream

    def exchange(self, payload: bytes, count: int) -> None:
        """So many segments with this payload, each when the one before has come back. Raises NsocError."""
        for _ in range(count):
            self._stream.send(payload)
            if self._stream.read(len(payload), PATIENCE_US) != payload:
                raise NsocError(f"a segment did not come back from {ADDRESS} within {PATIENCE_US / 1000:g} ms")
            self.peer.run(SPACING_US)


@contextmanager
def echo(preset: Preset, seed: int, waves: bool) -> Iterator[Echo]:
    """`toe_net` has booted, and its echo has a connection."""
    with Network(seed) as network:
        soc = network.soc(preset, preset.network_firmware, trace=True, waves=waves)
        peer = Peer(network)
        network.cable(peer.host, soc)
        network.run(BOOT_US, until=lambda: "ready" in soc.uart.text)
        check_booted(soc, "ready", BOOT_US)
        yield Echo(network, soc, peer, peer.connect(ADDRESS, ECHO))


def joined(trace: Trace, payload: int) -> Trace:
    """Each segment with so much payload and its echo as one frame: the processor has it in between."""
    length = HEADERS + payload
    came = [one for one in trace.frames if _ends_in(one, Stage.PLACE) and one.length == length]
    went = [one for one in trace.frames if _ends_in(one, Stage.WIRE_OUT) and one.length == length]
    whole = {}
    for there, back in zip(came, went, strict=False):
        between = Visit(Stage.PROCESSOR, there.visits[-1].leave_ns, back.visits[0].enter_ns)
        visits = [*there.visits, between, *back.visits]
        whole[there.number] = FrameTrace(there.number, visits, None, length, connection=there.connection)
    gone = {one.number for one in went[: len(whole)]}
    frames = [whole.get(one.number, one) for one in trace.frames if one.number not in gone]
    return Trace(trace.preset, frames, trace.counters, trace.busy)


def _ends_in(frame: FrameTrace, stage: Stage) -> bool:
    return frame.drop is None and bool(frame.visits) and frame.visits[-1].stage is stage
