# SPDX-License-Identifier: Apache-2.0
"""The sockets of the SoCs' UARTs, and the folder in which others find them."""

import os
import queue
import socket
import threading
from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.live import Info, Station, running, the_running
from nsoc.live.console import REPEATED_BYTES, Console
from nsoc.live.running import Folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Of this process, as if it were an nsoc up with two SoCs; its path is longer than that of a socket may be."""
    runtime = tmp_path / ("long" * 30)
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    stations = tuple(Station(number, f"02:00:00:00:00:{number:02x}", f"10.0.0.{number}") for number in (2, 3))
    return Folder(Info(os.getpid(), "nsoc0", False, "10.0.0.1/24", "02:00:00:00:00:01", "nic12-fast", "net", stations))


def typed(console: Console) -> bytes:
    """What clients have sent by now."""
    return b"".join(console.typed(source) for source in console.sources())


def received(client: socket.socket) -> bytes:
    """What has come to a client by now."""
    client.setblocking(False)
    data = b""
    try:
        while more := client.recv(65536):
            data += more
    except BlockingIOError:
        pass
    return data


def test_several_clients_see_what_is_printed_and_type(folder: Folder) -> None:
    consoles = [Console(folder.path, number) for number in range(2)]
    one, other = running()[0].console(1), running()[0].console(1)
    assert typed(consoles[1]) == b""
    consoles[1].printed(b"ready\n")
    consoles[0].printed(b"of another SoC\n")
    assert received(one) == received(other) == b"ready\n"
    one.send(b"counters\n")
    assert typed(consoles[1]) == b"counters\n"
    one.close()
    assert typed(consoles[1]) == b""
    consoles[1].printed(b"more")
    assert received(other) == b"more", "one client's end is not the other's"
    for console in consoles:
        console.close()
    assert received(other) == b""


def test_a_new_client_gets_the_last_16_kilobytes_again(folder: Folder) -> None:
    console = Console(folder.path, 0)
    printed = os.urandom(REPEATED_BYTES + 1000)
    console.printed(printed[:500])
    console.printed(printed[500:])
    client = running()[0].console()
    typed(console)
    assert received(client) == printed[-REPEATED_BYTES:]


def test_a_client_that_does_not_read_is_let_go_and_the_others_stay(folder: Folder) -> None:
    console = Console(folder.path, 0)
    lazy, keen = running()[0].console(), running()[0].console()
    typed(console)
    got = b""
    for number in range(10_000):
        line = b"%8d\n" % number * 20
        console.printed(line)
        got += received(keen)
    assert len(got) == 10_000 * 180
    assert len(console.sources()) == 2, "the socket that listens, and one client"
    assert 0 < len(received(lazy)) < len(got)


def test_who_runs_is_found_and_what_is_left_over_is_removed(folder: Folder) -> None:
    (found,) = running()
    assert found.info.socs[1].address == "10.0.0.3"
    assert the_running().info == the_running(os.getpid()).info == found.info
    with pytest.raises(NsocError, match=f"no nsoc up is process 1, only {os.getpid()}"):
        the_running(1)
    with pytest.raises(NsocError, match="there is no SoC 2, only 0 to 1"):
        found.console(2)
    left = folder.path.parent / "12345"
    left.mkdir()
    (left / "info.json").write_bytes((folder.path / "info.json").read_bytes())
    assert [one.info for one in running()] == [found.info]
    assert not left.exists()
    folder.close()
    assert running() == [] and not folder.path.exists()
    with pytest.raises(NsocError, match="no nsoc up is running"):
        the_running()


def test_a_folder_that_others_may_write_to_is_refused(folder: Folder) -> None:
    folder.path.parent.chmod(0o777)
    with pytest.raises(NsocError, match="is not a folder of yours alone"):
        running()


def test_who_speaks_to_it_waits_until_it_is_ready_and_says_so(folder: Folder) -> None:
    told: queue.Queue[str] = queue.Queue()
    (one,) = running()
    waits = threading.Thread(target=one.wait_ready, args=(told.put,), daemon=True)
    waits.start()
    expected = f"waiting for the firmware net of nsoc up, process {os.getpid()}, to be ready"
    assert told.get(timeout=60) == expected and waits.is_alive()
    folder.ready()
    waits.join(60)
    assert not waits.is_alive() and told.empty()
    one.wait_ready(told.put)
    assert told.empty(), "who need not wait says nothing"


def test_who_waits_for_one_that_ends_says_so(folder: Folder) -> None:
    (one,) = running()
    with pytest.raises(NsocError, match=f"process {os.getpid()}, has ended before its SoC was ready"):
        one.wait_ready(lambda _: folder.close())
