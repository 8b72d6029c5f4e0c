# SPDX-License-Identifier: Apache-2.0
"""tcp_stream between an application and a model of the engine, which has no ring and only knows what byte has which
position (stream_harness.cpp): nothing is lost, doubled or another one, and nobody waits for longer than said."""

import subprocess
from pathlib import Path

import bench
import pytest
from runs import some

SUPPORT = Path(bench.SUPPORT) / "tcp"
TOP, SOURCE = SUPPORT / "tcp_stream_tb.sv", SUPPORT / "stream_harness.cpp"
SET = [("send", "given"), *(("receive", name) for name in ("received", "delivered", "said"))]
FOLDERS = ("tcp/stream", "tcp/common", "common", "bus", "net")

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


def harness(width: int, connections: int = 16, ring_bytes: int = 4096, port: int = 64) -> Path:
    """Built only when a source is newer."""
    parameters = {"WIDTH": width, "PORT": port, "CONNECTIONS": connections, "RING_BYTES": ring_bytes}
    program = bench.BUILDS / f"tcp_stream-{width}-{port}-{connections}-{ring_bytes}" / "stream_harness"
    visible = program.with_name("visible.vlt")
    rtl = [path for folder in FOLDERS for path in (bench.RTL / folder).glob("*.sv")]
    command = ["verilator", "-Wall", "--assert", "--top-module", "tcp_stream_tb", "--cc", "--exe", "--build", "-j", "1"]
    command += ["-o", program.name, "--Mdir", str(program.parent), "--output-split", "0"]
    command += ["-CFLAGS", " ".join(["-std=c++20", "-O1", *(f"-D{k}={v}" for k, v in parameters.items())])]
    command += ["-MAKEFLAGS", "OPT_FAST=-O1", *(f"-G{k}={v}" for k, v in parameters.items())]
    command += [arg for folder in FOLDERS for arg in ("-y", str(bench.RTL / folder))]
    command += [str(visible), str(bench.WAIVERS), *map(str, sorted(bench.RTL.rglob("*_pkg.sv"))), str(TOP), str(SOURCE)]
    with bench.locked(visible.parent):
        if not visible.exists():
            lines = [f'public_flat_rw -module "tcp_stream_{where}" -var "{name}"\n' for where, name in SET]
            visible.write_text("`verilator_config\n" + "".join(lines))
    return bench.build_harness(program, [*rtl, TOP, SOURCE, Path(__file__)], command)


def run(program: Path, seed: int, cycles: int) -> dict[str, int]:
    """What happened how often; fails with the harness's sentence when something is wrong."""
    print(f"seed {seed}")
    result = subprocess.run([program, str(seed), str(cycles)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return {name: int(value) for name, value in (one.split("=") for one in result.stdout.split())}


def check(width: int, cycles: int, seeds: range, least: dict[str, int], **parameters: int) -> None:
    program = harness(width, **parameters)
    for seed in seeds:
        figures = run(program, seed, cycles)
        assert {name: figures[name] for name in QUIET} == QUIET
        for name in ("packets", "sends", "reads", "fast", "all_read", "begun", "round", "drops_length", "drops_closed"):
            assert figures[name] > 10, name
        for name, count in {"sent": cycles // 4, "delivered": cycles // 4, **least}.items():
            assert figures[name] >= count, name


def test_every_byte_comes_once_and_in_order() -> None:
    check(64, 2_000_000, range(1, 3), {"pairs": 64, "received_pairs": 64})


@pytest.mark.slow
def test_so_do_packets_of_every_length() -> None:
    check(64, 10_000_000, range(3, 5), {"lengths": 1460})


@pytest.mark.slow
@pytest.mark.parametrize("width", some([512], [128]))
def test_so_they_do_in_wide_beats(width: int) -> None:
    """At each byte of a line, packets whose last beat has each number of bytes."""
    pairs = (width // 8) ** 2
    check(width, 4_000_000, range(1, 3), {"pairs": min(pairs, 3000), "received_pairs": min(pairs, 3000)})


@pytest.mark.slow
@pytest.mark.parametrize("width", some([512], [128, 256]))
def test_so_they_do_with_an_engine_that_reads_and_writes_whole_lines(width: int) -> None:
    pairs = (width // 8) ** 2
    check(width, 4_000_000, range(1, 3), {"pairs": min(pairs, 3000), "received_pairs": min(pairs, 3000)}, port=width)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "connections", "ring_bytes"), some([(64, 4, 2048), (512, 64, 2048)], [(256, 64, 8192)])
)
def test_so_they_do_with_other_rings(width: int, connections: int, ring_bytes: int) -> None:
    check(width, 4_000_000, range(2), {}, connections=connections, ring_bytes=ring_bytes)
