# SPDX-License-Identifier: Apache-2.0
"""Plays long scripts into `mac` through mac_harness.cpp: some hundred times faster than a coroutine for each cycle.

A script is what happens at the pins (GMII symbols, frames to send, changes of enable, loopback and stalls, the
clocks); `run` returns a record of what came out, with times in picoseconds.
"""

import array
import hashlib
import os
import struct
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import bench

START = 64  # clock edges before the first GMII symbol, as in mac_harness.cpp
SOURCE = Path(__file__).with_name("mac_harness.cpp")
TOP = Path(__file__).with_name("mac_tb.sv")
CAUSES = ("good", "fcs", "runt", "oversize", "error", "overflow", "disabled")
PULSES = (
    "rx_disabled",
    "rx_error",
    "rx_oversize",
    "rx_runt",
    "rx_fcs",
    "rx_pause",
    "rx_filtered",
    "rx_overflow",
    "rx_good",
    "tx_sent",
    "tx_drop_underrun",
    "tx_pause",
    "tx_drop_oversize",
    "tx_drop_abort",
)  # from bit 0 up
ENABLE, LOOPBACK, RX_STALL, TX_STALL, RESET, SETTINGS, RESTART = range(7)
RESET_END = 300_000
RESET_CYCLES = 4  # of the slowest clock, if they take longer
# mac_settings_t, first member in the highest bits, and what the harness begins with
FIELDS = {"max_frame": 11, "mac_address": 48, "multicast_hash": 64, "rx_store": 1, "broadcast": 1, "promiscuous": 1,
          "tx_pause": 1, "rx_pause": 1, "mii": 1}  # fmt: skip
DEFAULTS = {"broadcast": 1, "promiscuous": 1}


def settings(at: int, tx_start: int = 0, **fields: int) -> list[tuple[int, int, int]]:
    """Events that set all of mac_settings_t at a time: `fields`, and DEFAULTS for the others.

    Frames to send are steady from beat `tx_start` on, 0: never.
    """
    packed = 0
    for name, width in FIELDS.items():
        packed = packed << width | {**DEFAULTS, **fields}.get(name, 0) & (1 << width) - 1
    assert not fields.keys() - FIELDS.keys()
    words = [(at, SETTINGS, word << 32 | packed >> 32 * word & 0xFFFF_FFFF) for word in range(5)]
    return [*words, (at, SETTINGS, 5 << 32 | tx_start)]


@dataclass
class Script:
    symbols: list[int] = field(default_factory=list)  # rx_er << 9 | rx_dv << 8 | rxd, one each gmii_rx_clk
    sends: list[tuple[int, bytes, bool]] = field(default_factory=list)  # earliest time, frame, abort
    stamped: set[int] = field(default_factory=set)  # indices of the sends that want a stamp
    holds: dict[int, tuple[int, int]] = field(default_factory=dict)  # index: a beat of it, held so many user_clk cycles
    events: list[tuple[int, int, int]] = field(default_factory=lambda: [(0, ENABLE, 1)])  # time, what, value
    rx_clk: tuple[int, int] = (8000, 1000)  # period, first rising edge
    tx_clk: tuple[int, int] = (8000, 2500)
    user_clk: tuple[int, int] = (8000, 4100)
    seed: int = 1
    time_base: int = 0
    limit: int = 10**12

    def pin_time(self, index: int) -> int:
        """Time of the gmii_rx_clk edge that takes symbol `index`."""
        return self.rx_clk[1] + (START + index + 1) * self.rx_clk[0]

    def time_now(self, when: int) -> int:
        """Value of time_now just before a moment (what a user_clk edge there takes)."""
        return (self.time_base + (when - 1 - self.user_clk[1]) // self.user_clk[0]) & 0xFFFF_FFFF


@dataclass
class Received:
    valid_at: int  # the user_clk edge behind which the first beat was valid
    last_at: int  # the same of the last beat
    stamp: int
    bad: bool  # it is to be discarded
    frame: bytes


@dataclass
class Record:
    end: int
    timed_out: bool
    received: list[Received]
    pulses: list[tuple[int, str]]  # time, name
    handed: list[int]  # the user_clk edges that took last beats
    stamps: list[tuple[int, int]]  # time of the pulse, transmit stamp
    gmii: array.array  # TX symbols: tx_er << 9 | tx_en << 8 | txd

    @property
    def dispositions(self) -> list[str]:
        """What became of each carrier event, in order."""
        return [name[3:] for _, name in self.pulses if name.startswith("rx_")]

    def count(self, name: str) -> int:
        return sum(1 for _, pulse in self.pulses if pulse == name)


def _verilator(parameters: dict[str, int]) -> list[str]:
    """The command that reads `mac` with these parameters; what to do with it is to be appended."""
    packages = [path for folder in ("common", "mac") for path in sorted((bench.RTL / folder).glob("*_pkg.sv"))]
    command = ["verilator", "-Wall", "--assert", "--top-module", "mac_tb"]
    command += [arg for folder in ("common", "mac") for arg in ("-y", str(bench.RTL / folder))]
    command += [f"-G{key}={value}" for key, value in parameters.items()]
    return [*command, *map(str, packages), str(TOP)]


def lint(**parameters: int) -> None:
    """Elaborate `mac`; raises CalledProcessError with Verilator's messages when that fails."""
    environment = {**os.environ, **bench._environment()}
    command = [*_verilator(parameters), "--lint-only"]
    subprocess.run(command, env=environment, check=True, capture_output=True, text=True)


def build(**parameters: int) -> Path:
    """The harness for `mac` with these parameters; built only when a source is newer."""
    name = hashlib.sha256(repr(sorted(parameters.items())).encode()).hexdigest()[:8]
    program = bench.BUILDS / f"mac_harness-{name}" / "mac_harness"
    depends = [*(bench.RTL / "mac").glob("*.sv"), *(bench.RTL / "common").glob("*.sv"), SOURCE, TOP, Path(__file__)]
    command = [*_verilator(parameters), str(SOURCE), "--cc", "--exe", "--build", "-j", "1", "-o", program.name]
    command += ["--Mdir", str(program.parent), "--output-split", "0", "-CFLAGS", "-std=c++20 -O1"]
    command += ["-MAKEFLAGS", "OPT_FAST=-O1"]
    return bench.build_harness(program, depends, command)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def _encode(script: Script) -> bytes:
    numbers = [*script.rx_clk, *script.tx_clk, *script.user_clk, script.seed, script.time_base, script.limit]
    slowest = max(period for period, _ in (script.rx_clk, script.tx_clk, script.user_clk))
    reset_end = max(RESET_END, RESET_CYCLES * slowest)
    events = sorted([(reset_end, RESET, 0), *script.events], key=lambda event: event[0])
    numbers += [len(events), *(number for event in events for number in event)]
    parts = [struct.pack(f"<{len(numbers)}q", *numbers), struct.pack("<q", len(script.sends))]
    for index, (at, frame, abort) in enumerate(script.sends):
        flags = abort | (index in script.stamped) << 1
        parts.append(struct.pack("<5q", at, len(frame), flags, *script.holds.get(index, (0, 0))) + _padded(frame))
    parts += [struct.pack("<q", len(script.symbols)), array.array("H", script.symbols).tobytes()]
    return b"".join(parts)


def _decode(data: bytes) -> Record:
    at = 0

    def take(n: int) -> tuple[int, ...]:
        nonlocal at
        at += 8 * n
        return struct.unpack_from(f"<{n}q", data, at - 8 * n)

    end, timed_out = take(2)
    received = []
    for _ in range(take(1)[0]):
        valid_at, last_at, stamp, bad, length = take(5)
        received.append(Received(valid_at, last_at, stamp, bool(bad), data[at : at + length]))
        at += (length + 7) // 8 * 8
    pulses = []
    for _ in range(take(1)[0]):
        when, mask = take(2)
        pulses += [(when, name) for bit, name in enumerate(PULSES) if mask >> bit & 1]
    handed = list(take(take(1)[0]))
    stamps = [(when, stamp) for when, stamp in (take(2) for _ in range(take(1)[0]))]
    gmii = array.array("H")
    count = take(1)[0]
    gmii.frombytes(data[at : at + 2 * count])
    return Record(end, bool(timed_out), received, pulses, handed, stamps, gmii)


def run(program: Path, script: Script) -> Record:
    """Play `script`; fails on a broken promise of a handshake, a failed assertion, or the time limit."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "script", Path(folder) / "record"
        source.write_bytes(_encode(script))
        done = subprocess.run([program, source, target], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        record = _decode(target.read_bytes())
    assert not record.timed_out, "the run did not come to its end: something hangs"
    return record
