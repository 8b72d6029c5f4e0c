# SPDX-License-Identifier: Apache-2.0
"""The bench of the SPARC V8 core beside its simulator (v8_tb.cpp): what it is given, and what it says."""

import re
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = 0x5638_4231
BAD, SNOOPS, JUNK, LIES, SHARES, RESETS = 1, 2, 4, 8, 16, 32
SHARED, SHARED_BYTES = 0x4000_A000, 64
"""Flags of a program: some addresses are answered with an error; another master writes what is there already; memories
hold random words; the core's devices give other words than the simulator's from the fourth access on; another master
writes new values to SHARED; a first attempt ends in a reset in the middle of whatever it is at."""
NOWHERE = 0xFFFF_FFFF


@dataclass(frozen=True)
class Program:
    """What the ROM holds, and how it is run. It ends before the instruction at `end`, or after `steps`."""

    image: bytes
    seed: int = 1
    stall: int = 0
    latency: int = 4
    levels: int = 0
    errors: int = 0
    flags: int = 0
    halts: int = 0
    end: int = NOWHERE
    steps: int = 100_000
    body: tuple[int, int] = (0, 0)

    def packed(self) -> bytes:
        header = (
            MAGIC, self.seed, self.stall, self.latency, self.levels, self.errors, self.flags, self.halts, self.end,
            self.steps, *self.body, len(self.image),
        )  # fmt: skip
        return struct.pack("<13I", *header) + self.image


Seen = tuple[int, int, int, int, int, int]
"""op and opcode, trap, slot (0: none, 1: of a jump, 2: of one that is not taken, 3: annulled), user, error mode, with
another cause at once."""


@dataclass
class Result:
    """Of a run: its totals, what has been seen, and at which CWP each trap was taken."""

    totals: dict[str, int] = field(default_factory=dict)
    seen: dict[Seen, int] = field(default_factory=dict)
    windows: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, other: "Result") -> None:
        for mine, others in ((self.totals, other.totals), (self.seen, other.seen), (self.windows, other.windows)):
            for key, count in others.items():
                mine[key] = mine.get(key, 0) + count  # type: ignore[index, attr-defined]


def run(bench: Path, programs: list[Program], folder: Path, *, timeout: int = 600) -> Result:
    """Runs them one after the other; fails with what the bench says."""
    path, coverage = folder / "programs", folder / "coverage"
    path.write_bytes(b"".join(program.packed() for program in programs))
    command = [str(bench), str(path), "--coverage", str(coverage)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-12000:]}{done.stderr[-4000:]}"
    result = Result({name: int(value) for name, value in re.findall(r"(\w+) (\d+)", done.stdout)})
    for line in coverage.read_text().splitlines():
        what, *numbers = line.split()
        *key, count = map(int, numbers)
        if what == "seen":
            result.seen[key[0], key[1], key[2], key[3], key[4], key[5]] = count
        else:
            result.windows[key[0], key[1]] = count
    return result
