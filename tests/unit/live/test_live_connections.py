# SPDX-License-Identifier: Apache-2.0
"""`nsoc toe` against a firmware in Python."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nsoc import cli
from nsoc.errors import NsocError
from nsoc.live import Info, Station
from nsoc.live.connections import Connection, ask, parse, table
from nsoc.live.console import Console
from nsoc.live.running import Folder

LISTENS = "LISTEN 0 0 10.0.0.2:80 0.0.0.0:*"
OPEN = "ESTAB 12 3456 10.0.0.2:7 10.0.0.1:49152"
INFO = "\t ts sack reno wscale:7,0 rto:200.000 rtt:0.101/0.050 mss:1460 cwnd:10 bytes_acked:2000"
OTHER = "TIME-WAIT 0 0 10.0.0.2:7 10.0.0.3:1234"


def answer(*lines: str, mark: str = "") -> bytes:
    header = f"State Recv-Q Send-Q Local Peer {mark}".rstrip()
    return "\n".join([header, *lines, "end", ""]).encode()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    with near, far:
        yield near, far


def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str, connections: int) -> Folder:
    """Of this process, as if it were an nsoc up."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    station = Station(2, "02:00:00:00:00:02", "10.0.0.2")
    mac = "02:00:00:00:00:01"
    one = Folder(Info(os.getpid(), "nsoc0", False, "10.0.0.1/24", mac, preset, "toe_net", (station,), connections))
    one.ready()
    return one


def serve(console: Console, answers: list[tuple[str, ...]]) -> threading.Thread:
    """A firmware that answers so many commands, each in pieces and amid what others have asked."""

    def run() -> None:
        left = list(answers)
        while left:
            for source in console.sources():
                said = console.typed(source)
                if not said:
                    continue
                before, line, behind = said.decode().split("\n")
                command, mark = line.split()
                assert (before, command, behind) == ("", "connections", ""), "what was typed before is ended"
                data = b"counters:\n" + answer(LISTENS) + answer(*left.pop(0), mark=mark) + answer(OTHER)
                for at in range(0, len(data), 7):
                    console.printed(data[at : at + 7])

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_lines_of_the_firmware_are_connections_with_what_ss_tells() -> None:
    found = parse([LISTENS, OPEN, INFO, OTHER, "something else"])
    assert found == [
        Connection("LISTEN", 0, 0, ("10.0.0.2", 80), ("0.0.0.0", None)),
        Connection("ESTAB", 12, 3456, ("10.0.0.2", 7), ("10.0.0.1", 49152), INFO.strip()),
        Connection("TIME-WAIT", 0, 0, ("10.0.0.2", 7), ("10.0.0.3", 1234)),
    ]
    assert found[1].values["rtt"] == "0.101/0.050" and found[1].values["bytes_acked"] == "2000"


def test_the_table_is_that_of_ss_and_its_second_lines_are_shown_on_request() -> None:
    shown = table(parse([OPEN, INFO, LISTENS]), info=False)
    assert shown.split("\n") == [
        "State   Recv-Q  Send-Q  Local Address:Port  Peer Address:Port",
        "LISTEN       0       0         10.0.0.2:80  0.0.0.0:*",
        "ESTAB       12    3456          10.0.0.2:7  10.0.0.1:49152",
    ]
    assert table(parse([OPEN, INFO, LISTENS]), info=True) == shown + f"\n\t {INFO.strip()}"


def test_only_the_own_answer_counts_and_not_what_the_console_repeats(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    near, far = pair

    def firmware() -> None:
        said = far.recv(100).decode()
        mark = said.split()[1]
        far.sendall(answer(OTHER) + answer(OTHER, mark="other") + answer(OPEN, INFO, mark=mark))

    far.sendall(answer(LISTENS) + b"State Recv-Q Send-Q Local Peer\n")
    thread = threading.Thread(target=firmware)
    thread.start()
    (one,) = ask(near, 60)
    thread.join()
    assert one.state == "ESTAB" and one.info == INFO.strip()


def test_a_firmware_without_the_command_is_one_sentence(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    far.sendall(b"commands: help\n")
    with pytest.raises(NsocError, match="start nsoc up with toe_net"):
        ask(near, 0.05)
    far.close()
    with pytest.raises((NsocError, OSError)):
        ask(near, 60)


def test_the_command_prints_once_with_details_and_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = folder(tmp_path, monkeypatch, "toe", 64)
    console = Console(one.path, 0)
    thread = serve(console, [(LISTENS,), (OPEN, INFO)])
    assert cli.call(["toe"]) == 0
    assert capsys.readouterr().out == table(parse([LISTENS]), info=False) + "\n"
    assert cli.call(["toe", "--info"]) == 0
    assert capsys.readouterr().out == table(parse([OPEN, INFO]), info=True) + "\n"
    thread.join()

    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    thread = serve(console, [(LISTENS,), (OPEN, INFO)])
    assert cli.call(["toe", "--watch", "0.5"]) == 0 and slept == [0.5, 0.5]
    assert capsys.readouterr().out == "".join(table(parse([row]), info=False) + "\n\n" for row in (LISTENS, OPEN))
    thread.join()
    console.close()
    one.close()


def test_a_script_gets_the_same_keys_for_every_connection_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = folder(tmp_path, monkeypatch, "toe", 64)
    console = Console(one.path, 0)
    thread = serve(console, [(OPEN, INFO, LISTENS)] * 2)
    assert cli.call(["toe", "--json", "-"]) == 0
    out = capsys.readouterr().out
    listener, connection = json.loads(out)
    assert listener == dict.fromkeys(connection, 0) | {
        "state": "LISTEN", "local_address": "10.0.0.2", "local_port": 80, "peer_address": "0.0.0.0", "peer_port": None,
        "ts": False, "sack": False,
    }  # fmt: skip
    told = {
        "state": "ESTAB", "recv_q": 12, "send_q": 3456, "local_address": "10.0.0.2", "local_port": 7,
        "peer_address": "10.0.0.1", "peer_port": 49152, "ts": True, "sack": True, "wscale_peer": 7, "wscale": 0,
        "rto_ms": 200.0, "rtt_ms": 0.101, "rttvar_ms": 0.05, "mss": 1460, "cwnd": 10, "bytes_acked": 2000,
    }  # fmt: skip
    assert connection == dict.fromkeys(connection, 0) | told and {"retrans", "drops", "snd_wnd"} <= connection.keys()
    assert cli.call(["toe", "--json", str(tmp_path / "made")]) == 0
    assert (tmp_path / "made").read_text() == out and not capsys.readouterr().out
    thread.join()
    assert cli.call(["toe", "--json", "-", "--watch", "1"]) == 2
    assert "--json looks once" in capsys.readouterr().err
    console.close()
    one.close()


def test_what_is_missing_is_one_sentence_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert cli.call(["toe"]) == 1
    assert capsys.readouterr().err == "nsoc: no nsoc up is running: start `nsoc up --preset toe` in another terminal\n"
    one = folder(tmp_path, monkeypatch, "nic12-fast", 0)
    assert cli.call(["toe"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "the preset nic12-fast has no TCP/IP engine: start `nsoc up --preset toe`" in said
    one.close()
