# SPDX-License-Identifier: Apache-2.0
"""docs/net.md: its commands work beside a running `nsoc up`, its figures are those of the firmware."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import live
import pytest
from docs_pages import ROOT, defined, example, needs, says, table
from live import SOC, Live

from nsoc.machine import regs

PAGE = "docs/net.md"
NET = "firmware/apps/net"


@pytest.fixture(scope="module")
def net() -> Iterator[Live]:
    with live.up() as running:
        yield running


@pytest.mark.slow
def test_memory_is_got_and_put_by_tftp_as_shown(net: Live, tmp_path: Path) -> None:
    needs("curl", "tftp")
    get, put = example(PAGE, "TFTP").commands
    assert get.startswith(f"curl -s tftp://{SOC}/") and put.startswith(f"tftp {SOC} ")
    address, size = put.split()[-1].split("/")
    assert get.split()[2] == f"tftp://{SOC}/{address}/1000"
    assert int(address, 16) == regs.MEMORIES["dram"].base + (1 << 20), "behind the firmware's own"
    image = random.Random(1).randbytes(int(size, 16) - 100)  # shorter than its name says, as the page allows
    (tmp_path / "image.bin").write_bytes(image)
    net.run("sh", "-c", f"cd {tmp_path} && {put} && {get}")
    memory = (tmp_path / "memory.bin").read_bytes()
    assert len(memory) == int(get.split()[2].rsplit("/", 1)[1], 16) and memory == image[: len(memory)]


@pytest.mark.slow
def test_bytes_are_those_of_the_formula(net: Live, tmp_path: Path) -> None:
    formula = re.search(r"byte i is `([^`]+)`", (ROOT / PAGE).read_text(encoding="utf-8"))
    assert formula is not None
    net.run("curl", "-sS", "--fail", "-o", tmp_path / "got", f"http://{SOC}/bytes/3000")
    assert (tmp_path / "got").read_bytes() == bytes(eval(formula[1], {"i": i}) for i in range(3000))


@pytest.mark.slow
def test_the_commands_on_the_uart_are_there(net: Live) -> None:
    says(PAGE, "On the UART ([`nsoc console`](live.md)), `counters` prints what was counted")
    assert "rx_good" in net.uart("counters", "end\n")
    assert re.search(r"\d+ .*circulat", net.uart("buffers", "end"))


def test_the_ports_are_those_of_the_firmware() -> None:
    ports = {row[0]: row[1] for row in table(PAGE, "What `net` offers")}
    echo, discard = defined(f"{NET}/echo.c", "ECHO_PORT"), defined(f"{NET}/echo.c", "DISCARD_PORT")
    of = {name: defined(f"{NET}/{name}.c", "PORT") for name in ("tftp", "http", "iperf")}
    assert list(ports) == ["ICMP", f"{echo}, {discard}", f"{of['tftp']} (UDP)", f"{of['http']} (TCP)", f"{of['iperf']}"]
    for port, word in zip(list(ports)[1:], ("echo", "TFTP", "HTTP", "iperf 2"), strict=True):
        assert word in ports[port]


def test_its_figures_are_those_of_the_sources() -> None:
    http, tftp = f"{NET}/http.c", f"{NET}/tftp.c"
    block = defined("firmware/lib/net_udp.h", "NET_UDP_BYTES") - defined(tftp, "HEADER_BYTES")
    words = {4: "four", 8: "eight", 10: "ten"}
    errors, tries = words[defined("firmware/lib/inet/inet.c", "ERRORS_AT_ONCE")], words[defined(tftp, "TRIES")]
    says(
        PAGE,
        f"up to {words[defined(http, 'CONNECTIONS')]} connections, each used again and again",
        f"`/bytes/N`: N bytes, up to {defined(http, 'BYTES_MOST')}",
        f"A connection without a request ends after {defined(http, 'IDLE_MS') // 1000} s of simulated time",
        f"takes nothing for {defined(http, 'STALL_MS') // 1000} s is reset",
        f"(more than {defined(http, 'AHEAD_BYTES')} bytes) while its answer",
        f"options `blksize` up to {block} and `tsize`, {words[defined(tftp, 'SESSIONS')]} transfers at once",
        f"sent again after {defined(tftp, 'RETRY_MS')} ms of simulated time, {tries} times in all",
        f"answered by an ICMP error, {errors} at once and then {errors} a second",
    )
    codes = set(re.findall(r"\b[45]\d\d\b", (ROOT / http).read_text(encoding="utf-8")))
    listed = re.search(r"What cannot be answered gets ([\d, or]+) with a sentence", (ROOT / PAGE).read_text("utf-8"))
    assert listed is not None and set(re.findall(r"\d{3}", listed[1])) == codes
