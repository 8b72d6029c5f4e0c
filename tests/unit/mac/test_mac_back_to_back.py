# SPDX-License-Identifier: Apache-2.0
"""Frames back to back through two MACs whose clocks differ, there and back again: none is lost, no gap drifts.

In the C++ loop of mac_pair.cpp, which only counts. Thousands of frames, in the long run a million.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import bench
import pytest
from mac_harness import PULSES
from runs import some

SOURCE = bench.SUPPORT / "mac_pair.cpp"
TOP = bench.SUPPORT / "mac_pair_tb.sv"
LINE_FS = {1: 6_400_000, 2: 5_120_000, 4: 5_120_000, 8: 5_120_000}
CORE_FS = {1: 5_714_286, 2: 4_900_000, 4: 4_900_000, 8: 5_000_000}
"""Little faster than the line."""
PPM = 200
MANY = 1_000_000


def program(columns: int, step: int) -> Path:
    folders = ("common", "mac", "mac/wide", "mac/xgmii")
    made = bench.BUILDS / f"mac_pair-{columns}-{step}" / "mac_pair"
    sources = [path for folder in folders for path in sorted((bench.RTL / folder).glob("*.sv"))]
    packages = [path for path in sources if path.stem.endswith("_pkg")]
    command = ["verilator", "-Wall", "--assert", "--top-module", "mac_pair_tb"]
    command += [arg for folder in folders for arg in ("-y", str(bench.RTL / folder))]
    command += [f"-GCOLUMNS={columns}", f"-GSTART_LANES={step}", str(bench.WAIVERS), *map(str, packages), str(TOP)]
    command += [str(SOURCE), "--cc", "--exe", "--build", "-j", "1", "-o", made.name, "--Mdir", str(made.parent)]
    command += ["--output-split", "0", "-CFLAGS", "-std=c++20 -O1", "-MAKEFLAGS", "OPT_FAST=-O1"]
    return bench.build_harness(made, [*sources, SOURCE, TOP, Path(__file__)], command)


def run(columns: int, step: int, frames: int, ppm: tuple[int, int]) -> dict[str, int]:
    """What mac_pair.cpp has counted; `ppm`: by how much the periods of both transmit clocks are longer."""
    line, core = LINE_FS[columns], CORE_FS[columns]
    lines = [line + line * part // 1_000_000 for part in ppm]
    numbers = [columns, step, frames, 1, *lines, core, core + core * PPM // 1_000_000]
    done = subprocess.run([program(columns, step), *map(str, numbers)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: int(value) for name, value in (line.split() for line in done.stdout.splitlines())}


@pytest.mark.parametrize(
    ("columns", "step", "frames"),
    some(
        [(1, 4, 4000), pytest.param(8, 8, 4000, marks=pytest.mark.slow)],
        [(2, 4, 40_000), (4, 8, 40_000), (1, 4, MANY), (8, 8, MANY)],
    ),
)
@pytest.mark.parametrize("ppm", [(-PPM // 2, PPM // 2), (PPM // 2, -PPM // 2)])
def test_frames_back_to_back_lose_nothing_and_their_gaps_do_not_drift(
    columns: int, step: int, frames: int, ppm: tuple[int, int]
) -> None:
    seen = run(columns, step, frames, ppm)
    for side in (0, 1):
        for name in ("sent", "same", "starts"):
            assert seen[f"{name}_{side}"] == frames, (name, side)
        assert seen[f"other_{side}"] == seen[f"wrong_lane_{side}"] == 0
        counted = {name: seen[f"stat_{side}_{at}"] for at, name in enumerate(PULSES) if seen[f"stat_{side}_{at}"]}
        assert counted == {"rx_good": frames, "tx_sent": frames}
        assert 0 < seen[f"short_{side}"] < step, "a deficit, but never more than this"
        if side == 0 or ppm[1] > ppm[0]:  # who sends back in the faster clock has nothing to send now and then
            assert seen[f"least_{side}"] >= 0 and seen[f"most_{side}"] < step, "a mean of twelve, to the byte"
