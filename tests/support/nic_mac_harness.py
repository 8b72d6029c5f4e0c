# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the harness of nic_mac/: NIC and MAC with random traffic on every side.

FEATURES are the groups of registers that a run may use, as `enum Feature` in nic_mac/bench.h has them; BUILT
those that the RTL has.
"""

import subprocess
from pathlib import Path

import bench

HERE = Path(__file__).parent / "nic_mac"
TOP = HERE / "nic_mac_tb.sv"
PARTS = sorted(HERE.glob("*.cpp"))
HEADER = bench.ROOT / "firmware" / "lib"  # register offsets
FOLDERS = [bench.RTL / name for name in ("common", "bus", "mac", "nic")]
FIFO_BYTES = 4096  # of the MAC: small, so that it is full now and then
FEATURES = {
    name: 1 << bit
    for bit, name in enumerate(("filter", "pause", "mii", "stamp", "patience", "steering", "lock", "moderation", "ptp"))
}
BUILT: tuple[str, ...] = tuple(FEATURES)
BUGS = {"lose_pointer": 1, "wrong_byte": 2, "lost_frame": 3, "wrong_count": 4}  # of the harness itself


def build(*, coverage: bool = False) -> Path:
    """The harness's program, built only when a source is newer; `coverage` with line and toggle counters in the RTL."""
    program = bench.BUILDS / ("nic_mac_coverage" if coverage else "nic_mac_harness") / "nic_mac_harness"
    rtl = [path for f in FOLDERS for path in f.glob("*.sv")]
    depends = [*rtl, *HERE.iterdir(), HEADER / "nsoc_regs.h", Path(__file__)]
    defines = f"-std=c++20 -O1 -I{HEADER} -I{HERE} -DRX_FIFO_BYTES={FIFO_BYTES}"
    command = ["verilator", "-Wall", "--assert", "--top-module", "nic_mac_tb", "--cc", "--exe", "--build"]
    command += ["-j", "1", "-o", program.name, "--Mdir", str(program.parent), "-CFLAGS", defines]
    command += ["--output-split", "0", "-MAKEFLAGS", "OPT_FAST=-O1"]
    command += [f"-GRX_FIFO_BYTES={FIFO_BYTES}", f"-GTX_FIFO_BYTES={FIFO_BYTES}"]
    command += ["--coverage-line", "--coverage-toggle"] if coverage else []
    command += [arg for f in FOLDERS for arg in ("-y", str(f))]
    packages = sorted(bench.RTL.rglob("*_pkg.sv"))
    command += [str(bench.WAIVERS), *map(str, packages), str(TOP), *map(str, PARTS)]
    # The runtime that is kept for all tests has no counters.
    return bench.build_harness(program, depends, command, kept_runtime=not coverage)


def command(program: Path, seed: int, frames: int, features: tuple[str, ...] = BUILT, bug: str = "") -> list[str]:
    """What runs the harness: all follows from `seed`."""
    words = [str(program), str(seed), str(frames), str(sum(FEATURES[name] for name in features))]
    return [*words, str(BUGS[bug])] if bug else words


def run(program: Path, seed: int, frames: int, features: tuple[str, ...] = BUILT) -> dict[str, int]:
    """Run it; what happened, by name. A failure's message says what was wrong and how to repeat it."""
    done = subprocess.run(command(program, seed, frames, features), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr or done.stdout
    return {name: int(count) for name, count in (line.split() for line in done.stdout.splitlines())}
