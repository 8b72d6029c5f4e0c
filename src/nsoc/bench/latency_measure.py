# SPDX-License-Identifier: Apache-2.0
"""Simulates two nodes on a cable (sim/lat): single segments with the time of each tap, streams both ways at once."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nsoc.bench import latency_loads
from nsoc.bench.latency_loads import GOODPUT, Load, parse_load
from nsoc.bench.program import program, rtl
from nsoc.errors import NsocError
from nsoc.machine.build import checkout
from nsoc.machine.presets import Preset

TOP = "lat_pair"
RING_BYTES = 4096
STREAM, DOORBELL = "stream", "doorbell"
MODES = ("stream-early", "stream-verified", "doorbell-early", "doorbell-verified")
"""How payload goes in (streamed, or already in the ring when the doorbell rings), and when it is given out: while the
frame comes, with the verdict on its last beat, or behind FCS and sum."""
TAPS = (
    "app_first", "app_last", "go", "core_out", "mac_in", "line_first", "line_last", "mac_out", "core_in", "parsed",
    "verdict", "out_first", "out_last",
)  # fmt: skip
"""In the order of rtl/soc/lat_pkg.sv."""
GIVEN_UP = "given_up"
"""Packets that the application was told to forget."""
LINE_COUNTS = ("lost", "spoilt", "swapped", "repeated", "longest")
"""Frames to which the cable did that; bytes of the longest one."""

FS_PER_US = 10**9
HEADER_BYTES = 54
"""Ethernet, IPv4 and TCP without options."""
STAMP_BYTES = 12
MOST_PAYLOAD = 1460
SMALLEST, SMALLEST_UDP = 6, 18
"""Payload of the smallest frame, 64 bytes with FCS."""
WARM_UP_US, WINDOW_US = 60, 200
"""Of a stream: nothing is counted in the first, and so long is measured."""


@dataclass(frozen=True)
class Segment:
    """One payload, alone on the line. Times in femtoseconds since it, or its doorbell, was first offered."""

    mode: str
    payload: int
    connection: int
    taps: dict[str, int]
    """The clock edges at which each was high; one that was not, is not there."""

    @property
    def total_fs(self) -> int:
        return self.taps["out_last"]


@dataclass(frozen=True)
class Goodput:
    """Packets of one length, both ways at once through all connections."""

    payload: int
    node: int
    mbps: float
    """Payload that its application has taken, 10^6 bit/s."""
    frames_per_us: float
    """That it has sent, acknowledgements too."""


@dataclass
class Found:
    """What one simulation has found."""

    segments: list[Segment]
    goodputs: list[Goodput]
    loads: list[Load]
    stats: list[dict[str, int]]
    """Counters of each node over the whole simulation: latency_loads.STATS, ENGINE, and GIVEN_UP."""
    lines: list[dict[str, int]]
    """LINE_COUNTS of what each node has sent, where there are faults or another sender."""
    simulated: tuple[int, ...] = ()
    """Over the whole simulation: cycles of a node's core_clk, evaluations of the model, edges of all clocks."""


def most_payload(timestamps: bool) -> int:
    """The longest payload of one segment."""
    return MOST_PAYLOAD - STAMP_BYTES * timestamps


def slot_ns(payload: int, line_mbps: float, timestamps: bool = False, around: int = 24) -> float:
    """A segment's time on the line, with so many bytes around the frame: FCS, preamble, gap."""
    frame = max(HEADER_BYTES + STAMP_BYTES * timestamps + payload, 60)
    return (frame + around) * 8000 / line_mbps


def wire_ns(payload: int, line_mbps: float, timestamps: bool = False) -> float:
    """From the first byte of the preamble to the last one of the FCS: what nothing can be faster than."""
    return slot_ns(payload, line_mbps, timestamps, around=12)


def simulate(
    preset: Preset,
    payloads: Sequence[int] = (),
    modes: Sequence[str] = MODES,
    *,
    phases: int = 1,
    goodput: Sequence[int] = (),
    udp: Sequence[int] = (),
    timestamps: bool = False,
    seed: int = 1,
    **others: int,
) -> Found:
    """Boots two nodes; each payload in each mode `phases` times, streams (`goodput`), datagrams (`udp`).

    `others` of sim/lat/latency.cpp: a sender that is no engine (received), applications that pause, a cable that spoils
    frames, another MSS, connections that are opened again. Raises NsocError when a byte was wrong or lost, or a frame
    lost and not counted.
    """
    options: dict[str, object] = {
        "width": preset.width, "columns": preset.line_bits // 64, "connections": preset.connections,
        "ring_bytes": RING_BYTES,
        "core_fs": round(FS_PER_US / preset.nic_mhz), "mac_fs": round(FS_PER_US / preset.xgmii_mhz),
        "one_clock": int(preset.one_clock), "timestamps": int(timestamps), "seed": seed, "phases": phases,
        "payloads": ",".join(map(str, payloads)), "modes": ",".join(modes), "goodput": ",".join(map(str, goodput)),
        "udp": ",".join(map(str, udp)), "warm_fs": WARM_UP_US * FS_PER_US, "window_fs": WINDOW_US * FS_PER_US, **others,
    }  # fmt: skip
    command = [str(simulator(preset)), *(f"{key}={value}" for key, value in options.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = Found([], [], [], [], [])
    for words in map(str.split, done.stdout.splitlines()):
        _take(found, words)
    if done.returncode != 0:
        measured = f"after {len(found.segments)} segments" if found.segments else "before the first segment"
        why = done.stderr.strip() or f"the simulator ended with status {done.returncode}"
        raise NsocError(f"{preset.name}, {measured}: {why}")
    for load in found.loads:
        if load.unaccounted:
            where = f"{load.what} of {load.payload} bytes, node {load.node}"
            raise NsocError(f"{preset.name}, {where}: {load.unaccounted} frames were lost and are in no counter")
    return found


def _take(found: Found, words: list[str]) -> None:
    if words[0] == "latency":
        times = {tap: int(fs) for tap, fs in zip(TAPS, words[4:], strict=True) if fs != "-"}
        found.segments.append(Segment(words[1], int(words[2]), int(words[3]), times))
    elif words[0] == "load":
        load = parse_load(words[1:])
        found.loads.append(load)
        if load.what == GOODPUT:
            mbps = 8 * load.in_window / WINDOW_US
            found.goodputs.append(Goodput(load.payload, load.node, mbps, load.sent / WINDOW_US))
    elif words[0] == "line":
        found.lines.append(dict(zip(LINE_COUNTS, map(int, words[2:]), strict=True)))
    elif words[0] == "simulated":
        found.simulated = tuple(map(int, words[1:]))
    elif words[0] == "stat":
        found.stats.append(dict(zip((*latency_loads.STATS, GIVEN_UP), map(int, words[2:]), strict=True)))
    else:
        found.stats[int(words[1])] |= dict(zip(latency_loads.ENGINE, map(int, words[2:]), strict=True))


def simulator(preset: Preset) -> Path:
    """The program for that preset's width, clocks and connections; built when it is not there yet."""
    if preset.top != "lat_node":
        raise NsocError(f"the preset {preset.name} is not one of latency: its top is not lat_node")
    parameters = {
        "WIDTH": preset.width,
        "COLUMNS": preset.line_bits // 64,
        "CONNECTIONS": preset.connections,
        "RING_BYTES": RING_BYTES,
        "CLOCK_HZ": round(preset.nic_mhz * 1e6),
        "ONE_CLOCK": int(preset.one_clock),
        "CABLE_CYCLES": preset.cable_cycles,
    }
    harness = checkout() / "sim" / "lat"
    sources = rtl("common", "bus", "mac/**", "net", "tcp/**")
    sources += [checkout() / "rtl" / "soc" / "lat_node.sv", *sorted(harness.glob("*.sv"))]
    return program(harness / "latency.cpp", TOP, sources, parameters, preset.name, preset.name)
