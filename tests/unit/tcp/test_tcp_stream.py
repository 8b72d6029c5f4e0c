# SPDX-License-Identifier: Apache-2.0
"""tcp_stream between an application and a model of the engine, which has no ring and only knows what byte has which
position (stream_harness.cpp): nothing is lost, doubled or another one, and nobody waits for longer than said."""

import os
import subprocess
from pathlib import Path

import bench
import pytest

SUPPORT = Path(bench.SUPPORT) / "tcp"
TOP, SOURCE = SUPPORT / "tcp_stream_tb.sv", SUPPORT / "stream_harness.cpp"
FOLDERS = ("tcp/stream", "tcp", "common", "bus", "net")

# Cycles, when nothing else is under way; see the headers of tcp_stream and its blocks.
QUIET = {
    "ready_after": 0,  # from s_tvalid to s_tready
    "three_beats": 3,
    "gap": 1,  # from a last beat to the next first one
    "send_after": 3,  # from a last beat to its SEND
    "lines_1_first": 6,  # from told_valid to the first beat
    "lines_1_last": 6,
    "lines_1_read": 9,
    "lines_2_first": 7,
    "lines_2_last": 7,
    "lines_9_first": 7,
    "lines_9_last": 15,
}


def harness(width: int, connections: int = 16, ring_bytes: int = 4096) -> Path:
    """Built only when a source is newer."""
    parameters = {"WIDTH": width, "CONNECTIONS": connections, "RING_BYTES": ring_bytes}
    program = bench.BUILDS / f"tcp_stream-{width}-{connections}-{ring_bytes}" / "stream_harness"
    rtl = [path for folder in FOLDERS for path in (bench.RTL / folder).glob("*.sv")]
    command = ["verilator", "-Wall", "--assert", "--top-module", "tcp_stream_tb", "--cc", "--exe", "--build", "-j", "1"]
    command += ["-o", program.name, "--Mdir", str(program.parent), "--output-split", "0"]
    command += ["-CFLAGS", " ".join(["-std=c++20", "-O1", *(f"-D{k}={v}" for k, v in parameters.items())])]
    command += ["-MAKEFLAGS", "OPT_FAST=-O1", *(f"-G{k}={v}" for k, v in parameters.items())]
    command += [arg for folder in FOLDERS for arg in ("-y", str(bench.RTL / folder))]
    command += [str(bench.WAIVERS), *map(str, sorted(bench.RTL.rglob("*_pkg.sv"))), str(TOP), str(SOURCE)]
    return bench.build_harness(program, [*rtl, TOP, SOURCE, Path(__file__)], command)


def run(program: Path, seed: int, cycles: int) -> dict[str, int]:
    """What happened how often; fails with the harness's sentence when something is wrong."""
    print(f"seed {seed}")
    result = subprocess.run([program, str(seed), str(cycles)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return {name: int(value) for name, value in (one.split("=") for one in result.stdout.split())}


def check(width: int, cycles: int, seeds: range, **parameters: int) -> None:
    program = harness(width, **parameters)
    for seed in seeds:
        figures = run(program, seed, cycles)
        assert {name: figures[name] for name in QUIET} == QUIET
        for name in ("packets", "sends", "reads", "fast", "begun", "drops_length", "drops_closed"):
            assert figures[name] > 10, name
        assert figures["sent"] > cycles // 4 and figures["delivered"] > cycles // 4


def test_every_byte_comes_once_and_in_order() -> None:
    check(64, 300_000, range(1, 3))


@pytest.mark.slow
@pytest.mark.parametrize("width", [128, 512])
def test_every_byte_comes_once_and_in_order_in_wide_beats(width: int) -> None:
    check(width, 300_000, range(1, 4))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "connections", "ring_bytes"), [(64, 4, 2048), (256, 64, 8192), (512, 64, 2048)])
def test_every_byte_comes_once_and_in_order_with_other_rings(width: int, connections: int, ring_bytes: int) -> None:
    check(width, 500_000, range(int(os.environ.get("SEEDS", "2"))), connections=connections, ring_bytes=ring_bytes)
