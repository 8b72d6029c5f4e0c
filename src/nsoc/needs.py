# SPDX-License-Identifier: Apache-2.0
"""What a command needs that may be missing: programs of the system, and packages that only some parts need
(requirements/*.txt).

Who needs something asks here before anything is built, booted or measured. Whether files can be written: nsoc.files.
"""

import importlib
import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any

from nsoc.errors import NsocError

DEBIAN = {
    "addr2line": "binutils",
    "apt-get": "apt",
    "arp": "net-tools",
    "arping": "arping",
    "cargo": "cargo",
    "curl": "curl",
    "dig": "bind9-dnsutils",
    "fst2vcd": "gtkwave",
    "g++": "g++",
    "gdb-multiarch": "gdb-multiarch",
    "git": "git",
    "ifconfig": "net-tools",
    "ip": "iproute2",
    "iperf": "iperf",
    "iperf3": "iperf3",
    "mtr": "mtr-tiny",
    "nc": "netcat-openbsd",
    "ncat": "ncat",
    "nmap": "nmap",
    "nping": "nmap",
    "perf": "linux-perf",
    "perl": "perl",
    "ping": "iputils-ping",
    "readelf": "binutils",
    "socat": "socat",
    "ss": "iproute2",
    "ssh": "openssh-client",
    "strace": "strace",
    "tcpdump": "tcpdump",
    "telnet": "inetutils-telnet",
    "tftp": "tftp-hpa",
    "traceroute": "traceroute",
    "tracepath": "iputils-tracepath",
    "tshark": "tshark",
    "wget": "wget",
    "wireshark": "wireshark",
}
"""The package of a program, on Debian and Ubuntu."""

WAYS_OUT = {
    "demo": "`make demo` once in a checkout, or `pip install 'nsoc[build]'`",
    "report": "`make .venv/report.stamp`",
    "test": "`make .venv/test.stamp`",
    "hw": "`make .venv/hw.stamp`",
}
"""How the Python packages come that stand in requirements/<name>.txt."""


def program(name: str, what: str, package: str | None = None) -> str:
    """Where the program `name` is, as a shell looks for it. `what` says in the error who wants it, `package` how Debian
    calls what brings it, where DEBIAN does not say. Raises NsocError when it is missing."""
    found = shutil.which(name)
    if found is None:
        package = package or DEBIAN.get(name)
        way_out = f"install it (Debian and Ubuntu: `apt-get install {package}`)" if package else "see that it is there"
        raise NsocError(f"{what} needs the program {name or repr(name)}, which is missing: {way_out}")
    return found


def package(module: str, what: str, requirements: str = "report") -> Any:
    """The module of that name; `what` says in the error who wants it, `requirements` which file of them has it. Raises
    NsocError when its package is missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise _missing(module, what, requirements) from None


def folder(module: str, what: str, requirements: str) -> Path:
    """Where the files of a package are, which is not imported. Raises NsocError when it is missing."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise _missing(module, what, requirements)
    return Path(spec.origin).parent


def script(name: str, what: str, requirements: str) -> str:
    """Where the command of a package is: beside this Python, or where a shell finds it. Raises NsocError when it is
    missing."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise _missing(name, what, requirements)
    return found


def _missing(module: str, what: str, requirements: str) -> NsocError:
    name = module.partition(".")[0]
    return NsocError(f"{what} needs the Python package {name}, which is missing: run {WAYS_OUT[requirements]}")
