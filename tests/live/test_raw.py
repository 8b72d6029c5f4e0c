# SPDX-License-Identifier: Apache-2.0
"""Raw frames of type 0x88B5 between programs of this machine and the firmware `sink` on the RTL, in one `nsoc up`."""

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live, up

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("raw_program.py")


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with up(["--firmware", "sink"]) as running:
        yield running


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ramp"
    path.write_bytes(random.Random(3).randbytes(30_000))
    return path


def nsoc(*arguments: object) -> str:
    """The command, outside of the namespace: it finds its way in."""
    command = [sys.executable, "-m", "nsoc", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_program_as_those_of_the_thesis_works_unchanged(live: Live, file: Path) -> None:
    sent, back = map(int, live.python(PROGRAM, "nsoc0", file).split())
    assert sent >= back >= 21, "each comes back"


def test_files_go_through_the_interface_and_come_back(live: Live, file: Path, tmp_path: Path) -> None:
    pid = live.running.info.pid
    options = ["--interface", "nsoc0", "--pid", pid, "--timeout", 60_000]
    assert "1 of 1 delivered" in nsoc("send", file, "--to", "sink", *options)
    back = tmp_path / "back"
    assert "1 of 1 delivered" in nsoc("get", "ramp", "--out", back, *options)
    assert back.read_bytes() == file.read_bytes()
