# SPDX-License-Identifier: Apache-2.0
"""The connections of a SoC with a TCP/IP engine, as its firmware prints them on the UART: what `nsoc toe` shows.

The firmware's command `connections MARK` answers with a line that ends with MARK, a line for each connection and
another one of what `ss -i` tells (but of listeners), and `end`. MARK tells this answer from others that the console
repeats.
"""

import json
import re
import secrets
import select
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nsoc.errors import NsocError
from nsoc.live.running import Running, running, the_running

COMMAND = "connections"
_HEADER = "State Recv-Q Send-Q Local Peer"
_CONNECTION = re.compile(r"([A-Z][A-Z0-9-]*) (\d+) (\d+) ([\d.]+):(\d+) ([\d.]+):(\d+|\*)")
_VALUE = re.compile(r"([a-z_]+):(\S+)")
_NUMBERS = (
    "backoff", "mss", "cwnd", "ssthresh", "bytes_sent", "bytes_retrans", "bytes_acked", "bytes_received", "segs_out",
    "segs_in", "data_segs_out", "data_segs_in", "lastsnd", "unacked", "notsent", "retrans", "sacked", "reordering",
    "drops", "rcv_space", "snd_wnd",
)  # fmt: skip
"""Of `info`; the firmware leaves out what is zero."""
_BYTES = 65536


@dataclass(frozen=True)
class Connection:
    """A connection of the engine, or a listener."""

    state: str
    """As `ss` has it: ESTAB, LISTEN, TIME-WAIT, ..."""
    unread: int
    """Bytes that the program has not taken (Recv-Q)."""
    unacknowledged: int
    """Bytes that the program has given and the peer has not acknowledged (Send-Q)."""
    local: tuple[str, int]
    peer: tuple[str, int | None]
    """Port None: any."""
    info: str = ""
    """The rest as `ss -i` has it; empty for a listener."""

    @property
    def values(self) -> dict[str, str]:
        """What stands behind a colon in `info`: cwnd, rtt, mss, bytes_acked, ..."""
        return dict(_VALUE.findall(self.info))

    @property
    def record(self) -> dict[str, str | int | float | bool | None]:
        """All of it, for machines: the same keys for each connection. Times are in ms, the others as in `info`."""
        values, words = self.values, self.info.split()
        rtt, _, rttvar = values.get("rtt", "0/0").partition("/")
        peer_scale, _, scale = values.get("wscale", "0,0").partition(",")
        return {
            "state": self.state,
            "recv_q": self.unread,
            "send_q": self.unacknowledged,
            "local_address": self.local[0],
            "local_port": self.local[1],
            "peer_address": self.peer[0],
            "peer_port": self.peer[1],
            "ts": "ts" in words,
            "sack": "sack" in words,
            "wscale_peer": int(peer_scale),
            "wscale": int(scale),
            "rto_ms": float(values.get("rto", 0)),
            "rtt_ms": float(rtt),
            "rttvar_ms": float(rttvar),
            **{name: int(values.get(name, 0)) for name in _NUMBERS},
        }


@dataclass
class _Answer:
    """What has come of an answer so far."""

    mark: str
    text: str = ""
    begun: bool = False
    lines: list[str] = field(default_factory=list)

    def take(self, data: bytes) -> bool:
        """More of it. Whether it is whole."""
        self.text += data.decode(errors="replace")
        *lines, self.text = self.text.split("\n")
        for line in lines:
            if self.begun and line == "end":
                return True
            if self.begun:
                self.lines.append(line)
            self.begun |= line == f"{_HEADER} {self.mark}"
        return False


def parse(lines: Sequence[str]) -> list[Connection]:
    """Connections from the firmware's lines; others are passed over."""
    found: list[Connection] = []
    for line in lines:
        if row := _CONNECTION.fullmatch(line):
            state, unread, unacknowledged, address, port, peer, peer_port = row.groups()
            peer_end = peer, None if peer_port == "*" else int(peer_port)
            found.append(Connection(state, int(unread), int(unacknowledged), (address, int(port)), peer_end))
        elif line.startswith("\t") and found and not found[-1].info:
            last = found[-1]
            ends = last.local, last.peer
            found[-1] = Connection(last.state, last.unread, last.unacknowledged, *ends, line.strip())
    return found


def ask(console: socket.socket, patience_s: float) -> list[Connection]:
    """Has the firmware behind a console, which is ready, print its connections. Raises NsocError when it says nothing
    for so long."""
    answer = _Answer(secrets.token_hex(4))
    # What somebody else has begun to type is ended first.
    console.sendall(f"\n{COMMAND} {answer.mark}\n".encode())
    while select.select([console], [], [], patience_s)[0]:
        data = console.recv(_BYTES)
        if not data:
            raise NsocError("the console is closed: the nsoc up behind it has ended, or dropped it")
        if answer.take(data):
            return parse(answer.lines)
    raise NsocError(
        f"the firmware has not answered the command '{COMMAND}' within {patience_s:g} s: start nsoc up with toe_net, "
        "or give --wait more"
    )


def with_engine(pid: int | None = None) -> Running:
    """The `nsoc up` that runs, or that of the process `pid`, whose SoCs have an engine. Raises NsocError."""
    if not running():
        raise NsocError("no nsoc up is running: start `nsoc up --preset toe` in another terminal")
    one = the_running(pid)
    if not one.info.connections:
        raise NsocError(
            f"the preset {one.info.preset} has no TCP/IP engine: start `nsoc up --preset toe`, or toe-1k, instead"
        )
    return one


def _in_order(connections: Sequence[Connection]) -> list[Connection]:
    """Listeners first, then by their ends."""
    return sorted(connections, key=lambda one: (one.state != "LISTEN", one.local[1], str(one.peer)))


def write(connections: Sequence[Connection], where: str) -> None:
    """Write them as a JSON list, one connection a line, to the file `where`, or to standard output for `-`. Raises
    NsocError."""
    text = "[\n" + ",\n".join(json.dumps(one.record) for one in _in_order(connections)) + "\n]\n"
    if where == "-":
        sys.stdout.write(text)
        return
    try:
        Path(where).parent.mkdir(parents=True, exist_ok=True)
        Path(where).write_text(text, encoding="utf-8")
    except OSError as error:
        raise NsocError(f"cannot write the connections to {where}: {error.strerror}; give --json another") from None


def table(connections: Sequence[Connection], info: bool) -> str:
    """As `ss -tan` prints them, with `info` as `ss -tani`: listeners first, then by their ends."""
    rows = [("State", "Recv-Q", "Send-Q", "Local Address:Port", "Peer Address:Port", "")]
    for one in _in_order(connections):
        local, peer = f"{one.local[0]}:{one.local[1]}", f"{one.peer[0]}:{'*' if one.peer[1] is None else one.peer[1]}"
        rows.append((one.state, str(one.unread), str(one.unacknowledged), local, peer, one.info if info else ""))
    state, received, sent, local_width = (max(len(row[i]) for row in rows) for i in (0, 1, 2, 3))
    lines = []
    for row in rows:
        lines.append(f"{row[0]:<{state}}  {row[1]:>{received}}  {row[2]:>{sent}}  {row[3]:>{local_width}}  {row[4]}")
        if row[5]:
            lines.append(f"\t {row[5]}")
    return "\n".join(lines)
