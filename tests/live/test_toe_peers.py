# SPDX-License-Identifier: Apache-2.0
"""Programs that everybody has, against the TCP/IP engine of `toe` and `toe-1k` on the RTL."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import HANG_S, LINUX, SOC, Live, up

pytestmark = pytest.mark.long
MANY = Path(__file__).with_name("exchange_many.py")


def expected(count: int) -> bytes:
    """What /bytes/N is, as docs/firmware.md says."""
    return bytes((i * 31 + (i >> 8) * 7) & 255 for i in range(count))


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with up(["--preset", "toe"]) as running:
        yield running


@pytest.mark.parametrize("size", [0, 56, 1472])
def test_ping_is_answered_by_the_engine(live: Live, size: int) -> None:
    said = live.run("ping", "-A", "-c", 2, "-W", 60, "-s", size, SOC)
    assert "2 packets transmitted, 2 received, 0% packet loss" in said and "wrong data" not in said


@pytest.mark.parametrize("size", [1473, 20_000, 65_507])
def test_a_ping_in_fragments_is_answered_by_firmware(live: Live, size: int) -> None:
    said = live.run("ping", "-A", "-c", 2, "-W", 60, "-s", size, SOC)
    assert "2 packets transmitted, 2 received, 0% packet loss" in said and "wrong data" not in said


def counter(live: Live, name: str) -> int:
    found = re.findall(rf"^ +(\d+) {re.escape(name)}\r?$", live.uart("counters", "end\n"), re.MULTILINE)
    return int(found[0]) if found else 0


@pytest.mark.parametrize("length", [1470, 4000])
def test_iperf_sends_to_the_engine_by_udp_and_is_answered_with_a_report(live: Live, length: int) -> None:
    """iperf does not wait long for the report; that one was sent is asked of the SoC, too."""
    before = counter(live, "udp.iperf")
    said = live.run("iperf", "-c", SOC, "-u", "-b", "1M", "-l", length, "-n", "64K", "-f", "k", status=None)
    (sent,) = re.findall(r"Sent (\d+) datagrams", said)
    assert int(sent) >= 65536 // length
    assert counter(live, "udp.iperf") > before
    if "Server Report" in said:
        ((lost, total),) = re.findall(r" (\d+)/ *(\d+) \(", said)
        assert (int(lost), int(total)) == (0, int(sent) - 1) or int(total) == int(sent)


@pytest.mark.parametrize("count", [0, 1, 20_000])
def test_curl_gets_bytes_from_the_engine(live: Live, tmp_path: Path, count: int) -> None:
    file = tmp_path / "got"
    live.run("curl", "-sS", "--fail", "-o", file, f"http://{SOC}/bytes/{count}")
    assert file.read_bytes() == expected(count)


def test_nc_has_its_lines_echoed_after_it_has_said_all(live: Live) -> None:
    lines = "".join(f"line {i}\n" for i in range(2000))
    assert live.run("nc", "-N", "-w", 60, SOC, 7, given=lines) == lines


def test_iperf_sends_to_the_engine(live: Live) -> None:
    said = live.run("iperf", "-c", SOC, "-n", "64K", "-f", "k")
    assert re.search(r"64\.0 KBytes", said), said


def test_the_engine_sends_to_iperf_and_is_told_when_it_is_gone(live: Live) -> None:
    server = live.start("iperf", "-s", "-f", "k", "-i", 1)
    try:
        live.run("sh", "-c", "until grep -q :1389 /proc/net/tcp; do sleep 0.05; done")  # port 5001 listens
        with live.running.console() as console:
            console.settimeout(HANG_S)
            console.sendall(f"iperf {LINUX} 10\n".encode())
            assert server.stdout is not None
            kilobytes = 0.0
            while kilobytes < 60:
                line = server.stdout.readline()
                assert line, "iperf has ended"
                kilobytes += sum(map(float, re.findall(r"sec +([0-9.]+) KBytes", line)))
            server.kill()
            said = b""
            while not re.search(rb"iperf: .*\n", said):
                said += console.recv(65536)
    finally:
        server.kill()
        server.communicate(timeout=HANG_S)


def test_200_connections_have_each_their_own_bytes_and_again() -> None:
    """A connection that nobody reads stays open beside them."""
    with up(["--preset", "toe-1k"]) as running:
        said = running.python(MANY, SOC, 200, 600, 2)
        assert said.splitlines() == [f"round {n}: 200 connections, each 600 bytes and back" for n in range(2)]
        said = running.uart("counters", "end\n")
        assert "commands without an answer" not in said


def test_200_curls_at_once_are_all_answered(tmp_path: Path) -> None:
    """There are fewer records than that: who finds none says its SYN again. Linux does so for two minutes, curl without
    an end, so nobody has a limit. A page takes the processor 4 ms of its own time: this takes a while."""
    readers = 200
    with up(["--preset", "toe"]) as running:
        patience = ("--retry", 99, "--retry-connrefused", "--retry-max-time", 0)
        programs = [
            running.start(
                "curl", "-sS", "--fail", *patience, "-H", "Connection: close", "-o", tmp_path / str(number),
                f"http://{SOC}/",
            )
            for number in range(readers)
        ]  # fmt: skip
        for program in programs:
            out, err = program.communicate()
            assert program.returncode == 0, out + err
        pages = [(tmp_path / str(number)).read_text() for number in range(readers)]
        assert all(page.startswith("<!") and page.rstrip().endswith("</html>") for page in pages)
        assert counter(running, "HTTP requests answered") == readers
