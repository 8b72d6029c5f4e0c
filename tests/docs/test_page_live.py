# SPDX-License-Identifier: Apache-2.0
"""docs/live.md: its sessions are held as a reader would, and what it says of Linux's side is what is set."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import live
import pytest
from docs_pages import (
    ROOT,
    check_same,
    check_words,
    defined,
    example,
    needs,
    needs_a_namespace,
    run,
    run_python,
    says,
    table,
    talk,
)

from nsoc.live import console, linux
from nsoc.network import pcapng

PAGE = "docs/live.md"
LIVE = "Live: the SoC on the network, with Linux as the peer"
PATIENT = "--timeout 60000"
TALK = f"""
import socket, sys

with socket.create_connection(("{live.SOC}", 7)) as connection:
    connection.sendall(bytes(3000))
    left = 3000
    while left:
        left -= len(connection.recv(left))
    print("echoed", flush=True)
    sys.stdin.read()
"""
"""A connection to the echo of 3000 bytes, which stays open."""


@pytest.fixture(autouse=True, scope="module")
def only_ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where those that run are found: only those of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        yield


def test_the_first_commands_are_those_of_the_readme() -> None:
    make, show, ping = example(PAGE, LIVE, 1).commands
    assert (make, show) == (example("README.md", "Your own tools against the RTL", 1).commands[0], "nsoc up --show")
    assert run(f"{make} -n").strip().endswith(show) and ping == "nsoc up -- ping -c 3 10.0.0.2"


def test_the_show_is_that_of_the_readme() -> None:
    shown = example(PAGE, LIVE, 2).text
    assert shown == example("README.md", "Your own tools against the RTL", 2).text


@pytest.mark.slow
def test_from_another_terminal_one_gets_in(tmp_path: Path) -> None:
    needs("curl", "ping")
    curl, shell, terminal = example(PAGE, LIVE, 3).commands
    with live.up():
        assert "N-SoC" in run(curl, tmp_path)
        assert "nsoc0" in run(shell, tmp_path, given="cat /proc/net/dev\n", variables={"SHELL": "/bin/bash"})
        assert "rx_good" in talk(terminal, "counters\n", "end\n", tmp_path)


@pytest.mark.slow
def test_connections_are_listed_as_shown(tmp_path: Path) -> None:
    start, once, watched, for_a_script = example(PAGE, "Connections of the engine", 1).commands
    assert start.startswith("nsoc up ") and once == "nsoc toe"
    shown = example(PAGE, "Connections of the engine", 2)
    with live.up(start.split()[2:]) as soc, soc.start(sys.executable, "-c", TALK, stdin=-1) as peer:
        assert peer.stdout is not None and peer.stdout.readline() == "echoed\n"
        assert run(once, tmp_path).count("ESTAB") == 1
        talk(watched, "", "ESTAB", tmp_path)
        # The peer's port is Linux's choice, the times are those of a busy machine.
        check_words(shown, run(f"{once} --info", tmp_path), [r"10\.0\.0\.1:\d{2,}", r"(wscale|rto|rtt):[\d.,/]+"])
        assert sum(one["state"] == "ESTAB" for one in json.loads(run(for_a_script, tmp_path))) == 1
        code = example(PAGE, "Connections of the engine", 3).text
        found = ast.literal_eval(run_python(code, tmp_path))
        assert [(state, cwnd is not None) for state, _, cwnd in found if state == "ESTAB"] == [("ESTAB", True)]


@pytest.mark.slow
def test_a_program_is_booted_over_the_wire(tmp_path: Path) -> None:
    needs("ping")
    start, boot, ping = example(PAGE, "Boot over the wire", 1).commands
    with live.up(start.split()[2:]):
        printed = run_python(example(PAGE, "Boot over the wire", 2).text, tmp_path)
        check_same(example(PAGE, "Boot over the wire", 3), printed)
        assert run(f"{boot} {PATIENT}", tmp_path).startswith("net: ")
        assert "3 received" in run(ping, tmp_path)


@pytest.mark.slow
def test_a_session_is_recorded_and_repeated(tmp_path: Path) -> None:
    needs("ping")
    needs_a_namespace()
    record, replay = example(PAGE, "Record and replay", 1).commands
    assert "3 received" in run(record, tmp_path)
    assert "the same to the last cycle" in run(replay, tmp_path)


@pytest.mark.slow
def test_lost_frames_are_shown_and_the_capture_is_played(tmp_path: Path) -> None:
    """Which frames are hit depends on what Linux sends when."""
    needs("curl")
    needs_a_namespace()
    up, play = example(PAGE, "Frames that get lost", 1).commands
    line = re.compile(r"\[[\d.]+ us\] to (the SoC|Linux), \d+ bytes  \S{17} > \S{17}  type 0x\w{4}: ([\w ,]+)")
    shown = example(PAGE, "Frames that get lost", 2).text.splitlines()
    assert all(line.fullmatch(text) for text in shown)
    printed = run(f"{up} 2>&1", tmp_path)
    told = [found[2] for found in map(line.fullmatch, printed.splitlines()) if found]
    counted = re.findall(r"(\d+) \(([^)]+)\)", printed.splitlines()[-1])
    assert {cause: told.count(cause) for cause in told} == {cause: int(count) for count, cause in counted}
    assert "N-SoC" in (tmp_path / "page.html").read_text()
    sent = sum(packet.to_soc for packet in pcapng.read(tmp_path / "out/live.pcapng", both_ways=True))
    assert f"{sent} frames in" in run(f"{play} 2>&1", tmp_path)


@pytest.mark.slow
def test_programs_find_what_runs_and_start_it_themselves(tmp_path: Path) -> None:
    needs_a_namespace()
    with live.up(["--firmware", "forward_irq"]) as soc:
        printed = run_python(example(PAGE, "For programs", 1).text, tmp_path)
        assert printed == f"{soc.running.info.pid} nsoc0 ['10.0.0.2']\n"
    assert "10.0.0.1/24" in run_python(example(PAGE, "For programs", 2).text, tmp_path)


def test_the_options_are_those_of_the_command() -> None:
    options = run("nsoc up --help", variables={"COLUMNS": "160"})
    for row in table(PAGE, "Options"):
        for option in re.findall(r"`(--[\w-]+)", row[0]):
            assert re.search(rf"{option}\b", options), option
    options = run("nsoc boot --help", variables={"COLUMNS": "160"})
    for row in table(PAGE, "Boot over the wire"):
        for option in re.findall(r"`(--[\w-]+)", row[0]):
            assert re.search(rf"{option}\b", options), option


def test_who_is_there_is_who_is_set_up() -> None:
    rows = {row[0]: row[1:] for row in table(PAGE, "Who is there")}
    assert rows["Linux, `nsoc0`"] == ["1", linux.MAC, linux.ADDRESS]
    assert rows["the first SoC"] == ["2", "02:00:00:00:00:02", live.SOC]


def test_what_is_said_of_linux_is_what_is_set() -> None:
    said = " ".join(row[0] for row in table(PAGE, "How Linux is set up"))
    set_ = {name.rsplit("/", 1)[1]: value for name, value in {**linux.OF_NAMESPACE, **linux.OF_INTERFACE}.items()}
    neighbour_h, probe_s = int(set_["base_reachable_time_ms"]) / 3.6e6, int(set_["retrans_time_ms"]) // 1000
    assert neighbour_h == 1 and set_["tcp_syn_retries"] == set_["tcp_synack_retries"]
    for piece in (
        f"queue of {linux.QUEUE_FRAMES} frames", f"MTU {linux.MTU}",
        f"good for an hour, probes {probe_s} s apart, up to {set_['ucast_solicit']}",
        f"least retransmission time {linux.RTO_MIN_MS // 1000} s",
        f"{set_['tcp_syn_retries']} retries of SYN and SYN-ACK, {set_['tcp_retries2']} of data",
        "`tcp_early_retrans`", "`ping_group_range`",
    ):  # fmt: skip
        assert piece in said, piece
    sentences = (ROOT / "src/nsoc/live/namespace.py").read_text(encoding="utf-8")
    sentences = "".join(re.sub(r'"\n\s+"', "", sentences))
    for row in table(PAGE, "The namespace"):
        for way in re.findall(r"`([^`]+)`", row[1]):
            assert way in sentences, way


def test_its_figures_are_those_of_the_sources() -> None:
    lwip = "firmware/lib/lwip/lwipopts.h"
    longest = 2**62 / 1e15 / 60
    assert "#define NSOC_LONGEST_FS (1ull << 62)" in (ROOT / "sim/nsoc_sim.h").read_text(encoding="utf-8")
    idle = defined(lwip, "TCP_KEEPIDLE_DEFAULT") // 1000
    more = defined(lwip, "TCP_KEEPINTVL_DEFAULT") * defined(lwip, "TCP_KEEPCNT_DEFAULT") // 1000
    says(
        PAGE,
        f"Simulated time ends after {longest:.0f} minutes.",
        f"each of which first gets the last {console.REPEATED_BYTES // 1024} KB again",
        f"puts up to {defined(lwip, 'IP_REASS_MAX_PBUFS')} together; a datagram of more is dropped",
        f"keeps at most {defined(lwip, 'IP_REASS_MAX_PBUFS')}, of {defined(lwip, 'MEMP_NUM_REASSDATA')} datagrams, "
        f"for {defined(lwip, 'IP_REASS_MAXAGE')} s",
        f"its table keeps {defined(lwip, 'ARP_TABLE_SIZE')} neighbours",
        f"asks after {idle} s of silence (echo, discard, iperf: TCP keepalive), and gives up after another {more} s",
        f"HTTP ends a connection without a request after {defined('firmware/apps/net/http.c', 'IDLE_MS') // 1000} s",
    )
    assert "#define MEMP_NUM_TCP_PCB 24" in (ROOT / lwip).read_text(encoding="utf-8")
    says(PAGE, "up to 24 connections are kept")
