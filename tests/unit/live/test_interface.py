# SPDX-License-Identifier: Apache-2.0
"""`nsoc send` and `nsoc get` with --interface: a TAP device, a peer in Python behind it, and no simulator."""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import tap_peer
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap

from nsoc.cli import call


def run(*arguments: object, status: int = 0) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, tap_peer.__file__, *map(str, arguments)]
    with tempfile.TemporaryDirectory() as folder:  # where no nsoc up runs
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a file"
    path.write_bytes(random.Random(1).randbytes(50_001))
    return path


def figures(path: Path) -> dict[str, float]:
    return {record["metric"]: record["value"] for record in json.loads(path.read_text())}


def test_what_goes_to_a_station_comes_back_from_it(file: Path, tmp_path: Path) -> None:
    back = tmp_path / "back"
    there = ["send", file, "--to", "sink", "--interface", "tap0", "--json", tmp_path / "figures"]
    again = ["get", "a file", "--interface", "tap0", "--out", back]
    done = run("station", *there, "then", *again)
    assert back.read_bytes() == file.read_bytes()
    assert "1 of 1 delivered" in done.stdout and "clock on the wall" in done.stdout
    assert "Dropped by this machine: nothing." in done.stdout
    sent = figures(tmp_path / "figures")
    assert (sent["delivered"], sent["packets"]) == (True, 34) and sent["wall_time_us"] > 0


def test_several_go_at_once_and_what_is_lost_goes_again(file: Path, tmp_path: Path) -> None:
    files = [file, *(tmp_path / f"{number}" for number in range(3))]
    for other in files[1:]:
        other.write_bytes(random.Random(other.name).randbytes(20_000))
    back = tmp_path / "back"
    there = ["send", *files, "--to", "sink", "--interface", "tap0", "--station", "02:00:00:00:00:02"]
    done = run("lossy", *there, "then", "get", "2", "--interface", "tap0", "--out", back)
    assert "4 of 4 delivered" in done.stdout
    assert back.read_bytes() == files[3].read_bytes()


@pytest.mark.parametrize("scheme", [1, 2, 3, 4])
def test_an_echo_brings_all_back_by_each_published_scheme(file: Path, tmp_path: Path, scheme: int) -> None:
    capture = tmp_path / "line.pcapng"
    options = ["--interface", "tap0", "--scheme", scheme, "--out", tmp_path / "out", "--capture", capture]
    run("echo", "send", file, *options)
    assert (tmp_path / "out" / file.name).read_bytes() == file.read_bytes()
    packets = rdpcap(str(capture))
    assert {packet[Ether].type for packet in packets} == {0x88B5}
    assert 2 * sum(packet.src == "02:00:00:00:00:01" for packet in packets) == len(packets)


def test_a_peer_that_knows_the_published_types_only_gets_them(file: Path) -> None:
    done = run("published", "send", file, "--to", "sink", "--interface", "tap0")
    assert "1 of 1 delivered" in done.stdout


@pytest.mark.parametrize(
    ("peer", "options", "sentence"),
    [
        ("nobody", ["--interface", "tap0", "--timeout", 300], "nothing came through for 0.3 s"),
        ("down", ["--interface", "tap0"], "tap0 is down, or gone; it must be up before frames can pass"),
        ("nobody", ["--interface", "tap0", "--station", "1"], "02:00:00:00:00:01 is tap0 itself: name the station"),
        ("nobody", ["--interface", "lo"], "lo is no Ethernet interface"),
        ("nobody", ["--interface", "eth7"], "there is no interface eth7 here, only lo, tap0, and no nsoc up"),
    ],
)
def test_what_is_wrong_is_one_sentence(file: Path, peer: str, options: list[object], sentence: str) -> None:
    done = run(peer, "send", file, "--to", "sink", *options, status=1)
    assert sentence in done.stderr and done.stderr.count("\n") == 1


def test_without_the_right_to_raw_sockets_the_way_out_is_said(file: Path) -> None:
    done = run("restrict", "nobody", "send", file, "--interface", "tap0", status=1)
    assert "CAP_NET_RAW" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["send", "--interface", "x", "--loss", "0.1"], "the cable's faults are for a simulated one"),
        (["send", "--interface", "x", "--station", "0"], "--station wants 1 to 255, or one MAC address, not '0'"),
        (["send", "--interface", "x", "--station", "300"], "--station wants"),
        (["send", "--interface", "x", "--station", "02:00"], "--station wants"),
        (["send", "--interface", "x", "--to", "relay"], "leave out --interface"),
        (["get"], "give --load for a simulated SoC, or --interface"),
    ],
)
def test_options_that_make_no_sense_are_one_sentence(
    file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    command, *options = arguments
    assert call([command, *([str(file)] if command == "send" else []), *options]) == 2
    assert sentence in capsys.readouterr().err
