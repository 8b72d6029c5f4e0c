# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench live --peers`: this machine's own programs against the SoC in `nsoc up`, by the clock on the wall.

    first-ping    from the call of `nsoc up -- ping` to its end, when simulator and firmware are built
    ping          requests every 20 ms: how many are not answered
    curl          pages of 1 MB: how many are not bit-exact
    iperf         TCP and UDP, to the SoC and from it: what stalls, what is lost
    bridge        frames that got lost between Linux and the simulated line, by the account of `nsoc up`

All but the first run in one session. What is counted must be 0; times are this machine's.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nsoc import needs
from nsoc.border import public
from nsoc.errors import NsocError
from nsoc.live.beside import Beside, beside
from nsoc.live.linux import ADDRESS
from nsoc.progress import Progress
from nsoc.records import Record

if TYPE_CHECKING:
    from rich.table import Table

SUITE = "live"
PRESET = "nic12-net"
SOC, LINUX = "10.0.0.2", ADDRESS.partition("/")[0]
PAGE_BYTES = 1_048_576
EVERY_S = 0.02
UDP_KBPS = 100
"""Below what the simulator carries."""
PATIENCE_S = 3600
TOOLS = ("ping", "curl", "iperf")


@dataclass(frozen=True)
class Amount:
    """How much of each."""

    pings: int
    pages: int
    page_bytes: int
    seconds: int
    """Of each iperf: of the clock on the wall, but for the SoC's UDP, which counts its own."""


WHOLE = Amount(1000, 100, PAGE_BYTES, 60)
QUICK = Amount(50, 2, 100_000, 5)


@dataclass
class Figure:
    """Something measured."""

    mode: str
    metric: str
    value: float
    unit: str | None = None
    must_be_zero: bool = True


@dataclass
class PeersResult:
    """Everything `nsoc bench live --peers` found."""

    preset: str
    amount: Amount
    figures: list[Figure] = field(default_factory=list)

    @property
    def failure(self) -> str:
        """One sentence on what is not 0 and should be; empty when all is well."""
        wrong = [f"{one.mode} {one.metric} {one.value:g}" for one in self.figures if one.must_be_zero and one.value]
        return f"not 0: {', '.join(wrong)}" if wrong else ""


@public
def run(preset: str = PRESET, *, quick: bool = False, progress: Progress = lambda done, total: None) -> PeersResult:
    """Measures all. Raises NsocError when a program is missing, or this machine has no place for `nsoc up`."""
    amount = QUICK if quick else WHOLE
    check_programs()
    result = PeersResult(preset, amount)
    options = ["--preset", preset]
    with beside(options):  # what is not built yet is
        pass
    result.figures.append(Figure("first-ping", "first_ping_s", _first_ping(options), "s", False))
    steps = (_ping, _curl, _iperf_tcp, _iperf_tcp_back, _iperf_udp, _iperf_udp_back, _buffers)
    with beside(options) as there:
        for number, step in enumerate(steps):
            progress(number, len(steps))
            result.figures += step(there, amount)
    progress(len(steps), len(steps))
    result.figures.append(Figure("bridge", "frames_lost", _dropped(there.said)))
    return result


def check_programs() -> None:
    """Raises NsocError when a program is missing."""
    for tool in TOOLS:
        needs.program(tool, "nsoc bench live --peers")


def _run(there: Beside, *command: object, status: int | None = 0) -> str:
    program = there.start(*command)
    out, err = program.communicate(timeout=PATIENCE_S)
    if status not in (None, program.returncode):
        raise NsocError(f"{command[0]} ended with {program.returncode}: {(err or out).strip()}")
    return out + err


def _first_ping(options: list[str]) -> float:
    command = [sys.executable, "-m", "nsoc", "up", *options, "--", "ping", "-c", "1", "-W", "600", SOC]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NsocError(f"the first ping was not answered: {done.stderr.strip()}")
    return time.monotonic() - begun


def _ping(there: Beside, amount: Amount) -> list[Figure]:
    said = _run(there, "ping", "-q", "-i", EVERY_S, "-c", amount.pings, "-W", 600, SOC, status=None)
    found = re.search(r"(\d+) packets transmitted, (\d+) received", said)
    if found is None:
        raise NsocError(f"ping said nothing of what came: {said.strip()}")
    sent, came = map(int, found.groups())
    return [Figure("ping", "loss", (sent - came) / sent)]


def page(count: int) -> bytes:
    """What the firmware's /bytes/N has."""
    return bytes((i * 31 + (i >> 8) * 7) & 255 for i in range(count))


def _curl(there: Beside, amount: Amount) -> list[Figure]:
    expected = page(amount.page_bytes)
    wrong = 0
    begun = time.monotonic()
    for _ in range(amount.pages):
        url = f"http://{SOC}/bytes/{amount.page_bytes}"
        done = subprocess.run(
            ["curl", "-sS", "--fail", url], stdout=subprocess.PIPE, check=False, preexec_fn=there.running.enter
        )
        wrong += done.stdout != expected
    rate = amount.pages * amount.page_bytes * 8 / (time.monotonic() - begun) / 1e6
    return [Figure("curl", "wrong_pages", wrong), Figure("curl", "wall_mbps", rate, "Mb/s", False)]


def _intervals(lines: list[str]) -> list[float]:
    """Kilobytes in each second of an iperf with -f k -i 1; the last line is the sum."""
    return [float(found[1]) for line in lines if (found := re.search(r"sec +([0-9.]+) KBytes", line))]


def _tcp(mode: str, kilobytes: list[float]) -> list[Figure]:
    if not kilobytes:
        raise NsocError(f"{mode}: iperf carried nothing")
    longest = run_length = 0
    for one in kilobytes:
        run_length = run_length + 1 if one == 0 else 0
        longest = max(longest, run_length)
    rate = sum(kilobytes) * 1024 * 8 / len(kilobytes) / 1e6
    return [
        Figure(mode, "wall_mbps", rate, "Mb/s", False),
        Figure(mode, "longest_stall_s", longest, "s", False),
    ]


def _iperf_tcp(there: Beside, amount: Amount) -> list[Figure]:
    said = _run(there, "iperf", "-c", SOC, "-t", amount.seconds, "-f", "k", "-i", 1)
    return _tcp("iperf-tcp", _intervals(said.splitlines())[:-1])


def _iperf_tcp_back(there: Beside, amount: Amount) -> list[Figure]:
    """The SoC's seconds are simulated, and pass slowly: it sends until the server is gone."""
    server = there.start("iperf", "-s", "-f", "k", "-i", 1)
    try:
        assert server.stdout is not None
        _listens(there, "tcp")
        with there.running.console() as console:
            console.sendall(f"iperf {LINUX} {PATIENCE_S}\n".encode())
            kilobytes: list[float] = []
            while len(kilobytes) < amount.seconds:
                line = server.stdout.readline()
                if not line:
                    raise NsocError("iperf has ended")
                kilobytes += _intervals([line])
            server.kill()
            _until(console.recv, "iperf: ")  # it says how the connection ended
    finally:
        server.kill()
        server.communicate()
    return _tcp("iperf-tcp-back", kilobytes)


def _iperf_udp(there: Beside, amount: Amount) -> list[Figure]:
    said = _run(there, "iperf", "-u", "-c", SOC, "-b", f"{UDP_KBPS}K", "-t", amount.seconds, "-f", "k")
    return _udp("iperf-udp", re.search(r"Server Report:.*?(\d+)/ *(\d+) \(", said, re.DOTALL), said)


def _iperf_udp_back(there: Beside, amount: Amount) -> list[Figure]:
    server = there.start("iperf", "-u", "-s")
    try:
        _listens(there, "udp")
        with there.running.console() as console:
            console.sendall(f"iperf-udp {LINUX} 1 {amount.seconds}\n".encode())
            said = _until(console.recv, "out of order")
    finally:
        server.kill()
        server.communicate()
    found = re.search(r"says (?P<all>\d+) datagrams, (?P<lost>\d+) lost", said)
    if found is None:
        raise NsocError(f"the SoC said nothing of its datagrams: {said[-200:]}")
    return [Figure("iperf-udp-back", "loss", int(found["lost"]) / max(1, int(found["all"])))]


def _listens(there: Beside, protocol: str) -> None:
    """Waits until iperf's port, 5001, is open."""
    _run(there, "sh", "-c", f"until grep -q :1389 /proc/net/{protocol}; do sleep 0.05; done")


def _udp(mode: str, found: "re.Match[str] | None", said: str) -> list[Figure]:
    if found is None:
        raise NsocError(f"{mode}: no report came back, since the machine is too slow for iperf: {said.strip()[-200:]}")
    return [Figure(mode, "loss", int(found[1]) / max(1, int(found[2])))]


def _buffers(there: Beside, amount: Amount) -> list[Figure]:
    """Packet buffers that do not circulate at the end."""
    with there.running.console() as console:
        console.sendall(b"buffers\n")
        said = _until(console.recv, "circulate")
    counts = [int(count) for count in re.findall(r"^ +(\d+) ", said[said.rindex("buffers:") :], re.MULTILINE)]
    return [Figure("buffers", "missing", sum(counts[:-1]))]


def _until(receive: Callable[[int], bytes], text: str) -> str:
    said = b""
    while text.encode() not in said:
        piece = receive(65536)
        if not piece:
            raise NsocError(f"nsoc up has ended before the SoC said {text!r}")
        said += piece
    return said.decode(errors="replace")


def _dropped(said: str) -> int:
    """Of what `nsoc up` says at its end."""
    (_, account) = said.rsplit("to Linux, ", 1)
    return sum(int(count.replace(",", "")) for count in re.findall(r"([\d,]+) \(", account))


def table(result: PeersResult) -> "Table":
    """A row for each figure."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD)
    for heading in ("", "figure"):
        shown.add_column(heading, no_wrap=True)
    shown.add_column("this SoC", justify="right")
    shown.add_column("wanted", justify="right")
    for one in result.figures:
        shown.add_row(one.mode, one.metric, f"{one.value:,.3f}", "0" if one.must_be_zero else "")
    return shown


def lines(result: PeersResult) -> list[str]:
    """What the table leaves to say."""
    amount = result.amount
    return [
        f"{amount.pings:,} pings every {EVERY_S * 1000:g} ms, {amount.pages:,} pages of {amount.page_bytes:,} bytes, "
        f"iperf {amount.seconds} s each. Rates and stalls are of the clock on the wall: this machine's.",
    ]


@public
def records(result: PeersResult) -> list[Record]:
    """Every figure in the machine format."""
    return [Record(SUITE, result.preset, one.metric, one.value, one.mode, unit=one.unit) for one in result.figures]
