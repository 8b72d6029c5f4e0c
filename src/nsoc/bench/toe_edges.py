# SPDX-License-Identifier: Apache-2.0
"""UDP at the stream edges of `net_udp` (rtl/net without TCP): latency, and its share of a line of 64 bits a cycle.

The block runs alone in a simulator of its own (sim/net_udp); at 156.25 MHz that line is one of 10 Gb/s.

    udp-tx, udp-rx    cycles from the first payload beat to the first beat of the frame, and back; nothing else goes
    udp-both          both ways at once: datagrams received at the rate of the line, sent as fast as they are taken
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc.bench.program import program, rtl
from nsoc.errors import NsocError
from nsoc.machine.build import checkout

TOP = "net_udp"
BEAT_BYTES = 8
HEADER_BYTES, LEAST_BYTES, AROUND_BYTES = 42, 60, 24
"""Of a frame with a UDP datagram: its headers; what it is padded to; FCS, preamble and gap."""
SMALLEST, LARGEST = 18, 1472
"""Payloads: less is padding, more does not go into a frame."""
FRAMES = 50
"""Of each size, both ways."""


@dataclass(frozen=True)
class Size:
    """What datagrams of one size got, in cycles."""

    payload: int
    frames: int
    tx_cycles: int
    rx_cycles: int
    sent_in: int
    """From the first frame to the begin of the last one."""
    stalled: int
    """That the line had to wait."""

    @property
    def line_cycles(self) -> float:
        """What the line takes from the begin of the first frame to that of the last one."""
        return (self.frames - 1) * (max(LEAST_BYTES, HEADER_BYTES + self.payload) + AROUND_BYTES) / BEAT_BYTES

    @property
    def share(self) -> float:
        """Of the line, of the slower way; the line has no more than 1."""
        return min(self.line_cycles / self.sent_in, self.line_cycles / (self.line_cycles + self.stalled))


@dataclass
class Edges:
    """All sizes."""

    sizes: list[Size]

    @property
    def worst(self) -> Size:
        """The one with the least share."""
        return min(self.sizes, key=lambda size: size.share)

    @property
    def tx_cycles(self) -> int:
        """The longest."""
        return max(size.tx_cycles for size in self.sizes)

    @property
    def rx_cycles(self) -> int:
        """The longest."""
        return max(size.rx_cycles for size in self.sizes)


def measure(payloads: Sequence[int] = range(SMALLEST, LARGEST + 1), frames: int = FRAMES) -> Edges:
    """Every size. Raises NsocError when a datagram was lost or came out wrong."""
    command = [str(_program()), str(frames), *map(str, payloads)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NsocError(f"the simulation of {TOP} failed: {done.stderr.strip()}")
    return parse(done.stdout, frames)


def parse(text: str, frames: int) -> Edges:
    """What the simulator prints (sim/net_udp/net_udp.cpp): a line for each size."""
    sizes = []
    for line in text.splitlines():
        payload, tx_cycles, rx_cycles, sent_in, stalled, wrong = map(int, line.split())
        if wrong:
            raise NsocError(f"{TOP}: {wrong} datagrams of {payload} bytes came out wrong")
        sizes.append(Size(payload, frames, tx_cycles, rx_cycles, sent_in, stalled))
    return Edges(sizes)


def built() -> str:
    """The hash of everything that the simulator is made of; builds it when it is not there."""
    return _program().parent.name


def _program() -> Path:
    return program(checkout() / "sim" / TOP / f"{TOP}.cpp", TOP, rtl("common", "net"), {}, TOP, TOP)
