# SPDX-License-Identifier: Apache-2.0
"""`nsoc up` as a user starts it: Linux is the peer."""

import contextlib
import fcntl
import itertools
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import needs
import pytest
from socs import CORES

from nsoc.errors import NsocError
from nsoc.live import namespace, running
from nsoc.machine import build, compiler, lwip
from nsoc.network import pcapng

pytestmark = pytest.mark.slow

NSOC = (sys.executable, "-m", "nsoc")
FIRMWARE = "forward_irq"
"""Sends each frame back, and sleeps in between."""
TYPING = """
import nsoc.live

with nsoc.live.the_running().console() as console:
    console.sendall(b"check_")
    said = console.recv(4096)
    console.sendall(b"queues\\n")
    while b"PASS" not in said and b"FAIL" not in said:
        said += console.recv(4096)
print(said.decode())
"""
"""Types on the console of the SoC, and prints what that says."""
PING = """
import socket

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
    line.settimeout(60)
    line.sendto(b"echo this", ("10.0.0.2", 7))
    assert line.recv(100) == b"echo this"
"""
"""Has the first SoC echo a datagram."""
FIVE = """
import socket

def open_one():
    return socket.create_connection(("10.0.0.2", 7), timeout=60)

def echoes(line, text):
    try:
        line.sendall(text)
        return line.recv(100) == text
    except OSError as problem:
        return type(problem).__name__

lines = [open_one() for _ in range(4)]
print([echoes(line, b"%d" % number) for number, line in enumerate(lines)])
print(echoes(open_one(), b"five"))
print([echoes(line, b"again %d" % number) for number, line in enumerate(lines)])
lines[2].close()
for _ in range(100):
    last = echoes(open_one(), b"a place is free")
    if last is True:
        break
print(last)
"""
"""Opens five connections to the TCP echo, then ends one."""
EXCHANGE = Path(__file__).with_name("exchange.py")


@pytest.fixture(scope="module", autouse=True)
def possible() -> None:
    """Skips, with the sentence that nsoc up would say."""
    try:
        namespace.check(own=True)
    except NsocError as problem:
        pytest.skip(str(problem))


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where those that run are found: only those of this test."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def nsoc(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """What the command said and gave."""
    return subprocess.run([*NSOC, *map(str, arguments)], capture_output=True, text=True, check=False)


def up(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return nsoc("up", "--firmware", FIRMWARE, *arguments)


@contextlib.contextmanager
def booting(runtime: Path, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """An nsoc up that others find, and that has not booted yet."""
    with subprocess.Popen([*NSOC, "up", *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            while not list(runtime.glob("*/*/info.json")):
                assert process.poll() is None
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


def ended(process: "subprocess.Popen[str]") -> str:
    """It is told to end: all that it has said."""
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=60)[0]


@pytest.fixture(params=CORES)
def started(request: pytest.FixtureRequest) -> "Iterator[subprocess.Popen[str]]":
    """An nsoc up without a command that says it is ready."""
    command = [*NSOC, "up", "--firmware", FIRMWARE, "--preset", request.param]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert "10.0.0.1/24" in process.stdout.readline()
        assert "ready" in process.stdout.readline(), process.stderr.read()
        yield process
        process.kill()


def in_namespace(marker: str) -> list[str]:
    """Processes of that network namespace."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.readlink(process / "ns" / "net") == marker:
                found.append(process.name)
        except OSError:
            pass  # it has just gone, or is another user's
    return found


def test_frames_of_linux_come_back_and_the_session_can_be_repeated(tmp_path: Path) -> None:
    record, capture, own = tmp_path / "live.pcapng", tmp_path / "frames.pcapng", os.readlink("/proc/self/ns/net")
    done = up("--record", record, "--pcap", capture, "--loss", "0", "--", sys.executable, EXCHANGE, "nsoc0", "2")
    assert done.returncode == 77, "the exit status is the command's: " + done.stderr
    assert done.stdout.split() == ["20", "of", "20", "came", "back"]
    assert "frames from Linux, " in done.stderr and "none dropped" in done.stderr
    assert os.readlink("/proc/self/ns/net") == own

    frames = [frame for frame in pcapng.read(capture) if frame.data[12:14] == b"\x88\xb5"]
    assert [frame.data[14] for frame in frames] == list(range(20))
    assert all(a.time_ps < b.time_ps for a, b in itertools.pairwise(frames))
    assert [f.data for f in pcapng.read(record)] == [f.data for f in pcapng.read(capture)], "Wireshark reads both"

    again = nsoc("up", "--replay", record)
    assert again.returncode == 0 and "the same to the last cycle" in again.stdout, again.stderr

    changed = record.read_bytes().replace(bytes([7]) * 46, bytes([8]) * 46, 1)
    record.write_bytes(changed)
    differs = nsoc("up", "--replay", record)
    assert differs.returncode == 1
    assert "the replay differs from the session in the packets of SoC 0" in differs.stderr

    record.write_bytes(changed[: len(changed) // 2])
    broken_off = nsoc("up", "--replay", record)
    assert broken_off.returncode == 0 and "the session broke off there" in broken_off.stdout, broken_off.stderr

    record.write_bytes(changed.replace(b'"programs": ["', b'"programs":["x'))  # as long as it was
    other = nsoc("up", "--replay", record)
    assert other.returncode == 1 and other.stderr.count("\n") == 1
    assert f"ran another {FIRMWARE}: replay it in the tree that it was made with" in other.stderr


def test_commands_wait_until_the_soc_is_ready(runtime: Path) -> None:
    with booting(runtime, "--preset", "toe") as process:
        first, second = nsoc("toe", "--json", "-"), nsoc("toe", "--json", "-")
        assert first.returncode == second.returncode == 0, first.stderr + second.stderr
        assert json.loads(first.stdout) == json.loads(second.stdout) and "LISTEN" in first.stdout
        waits = f"waiting for the firmware toe_net of nsoc up, process {process.pid}, to be ready\n"
        assert first.stderr in (waits, "") and not second.stderr, "it may have booted in between"
        refused = PING.replace("7)", "9998)").replace("    assert", "    # assert")
        assert nsoc("enter", "--", sys.executable, "-c", refused).returncode == 0
        for _ in range(30):
            (record,) = json.loads(nsoc("regs", "--live", "toe.net_rx_drop_port", "--json", "-").stdout)
            if record["value"]:
                break
        said = ended(process)
        assert "dropped 1 (toe.net_rx_drop_port)" in said, "what the engine drops is in the summary"
        assert said.index("Linux is 10.0.0.1/24, toe with toe_net is 10.0.0.2") < said.index("ready; ")


def test_two_socs_and_linux_are_on_one_switch_with_faults(tmp_path: Path) -> None:
    record = tmp_path / "live.pcapng"
    options = ("--count", 2, "--duplicate", "0.3", "--record", record)
    done = up(*options, "--", sys.executable, EXCHANGE, "nsoc0", "2", "3")
    assert done.returncode == 77, done.stderr
    assert done.stdout.split() == ["20", "of", "20", "came", "back"] * 2
    assert "10.0.0.2, 10.0.0.3" in done.stderr
    again = nsoc("up", "--replay", record)
    assert again.returncode == 0 and "the same to the last cycle" in again.stdout, again.stderr


def test_what_is_typed_is_repeated_at_its_time(tmp_path: Path) -> None:
    record = tmp_path / "live.pcapng"
    done = nsoc("up", "--firmware", "selftest", "--record", record, "--", sys.executable, "-c", TYPING)
    assert done.returncode == 0 and "ready" in done.stdout and "check_queues PASS" in done.stdout, done.stderr
    again = nsoc("up", "--replay", record)
    assert again.returncode == 0 and "the same to the last cycle" in again.stdout, again.stderr


@needs.ip
def test_linux_is_set_up_for_a_slow_peer() -> None:
    show = "cat /proc/sys/net/ipv6/conf/nsoc0/disable_ipv6 /proc/sys/net/ipv4/tcp_early_retrans; ip -json address; "
    done = up("--address", "10.0.0.9/24", "--", "sh", "-c", f"{show} ip -json route")
    assert done.returncode == 0, done.stderr
    no_ipv6, no_probes, addresses, routes = done.stdout.splitlines()
    assert (no_ipv6, no_probes) == ("1", "0")
    interface = next(one for one in json.loads(addresses) if one["ifname"] == "nsoc0")
    assert (interface["address"], interface["mtu"]) == ("02:00:00:00:00:01", 1500)
    assert [one["local"] for one in interface["addr_info"]] == ["10.0.0.9"]
    assert interface["txqlen"] == 256 and "UP" in interface["flags"]
    (route,) = json.loads(routes)
    assert route["dst"] == "10.0.0.0/24" and route["metrics"][0]["rto_min"] == 1000


def services(printed: str) -> dict[str, str]:
    """By name: what `nsoc up --show` says of a service of 10.0.0.2."""
    lines = [line.removeprefix("10.0.0.2  ") for line in printed.splitlines() if line.startswith("10.0.0.2  ")]
    return {line[:9].strip(): " ".join(line[9:].split()) for line in lines}


TOOK = r" [\d,]+\.\d ms"


@pytest.mark.parametrize("with_lwip", [True, False])
def test_the_show_talks_to_each_service_without_a_program(with_lwip: bool, tmp_path: Path) -> None:
    # Where no program is, apt-get is not either: lwIP is what has been fetched, or nowhere.
    tools = {name: shutil.which(name) for name in (compiler.linker()[0], "as", "ld")}
    (tmp_path / "bin").mkdir()
    for name, tool in tools.items():
        if tool is not None:
            (tmp_path / "bin" / name).symlink_to(tool)
    environment = {**os.environ, "PATH": str(tmp_path / "bin")}
    if with_lwip:
        found = lwip.source()
        if found is None:
            pytest.skip(str(lwip.why_not()))
        environment[lwip.DIRECTORY] = str(found)
    else:
        environment.pop(lwip.DIRECTORY, None)
        environment["NSOC_CACHE"] = str(tmp_path / "cache")  # with all of the other one but lwIP
        (tmp_path / "cache").mkdir()
        for name in ("sim", "firmware", "network", "zig"):
            (build.cache_folder() / name).mkdir(exist_ok=True)
            (tmp_path / "cache" / name).symlink_to(build.cache_folder() / name)
    done = subprocess.run([*NSOC, "up", "--show"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    said = services(done.stdout)
    assert re.fullmatch(r"56 bytes" + TOOK, said["ICMP echo"])
    assert re.fullmatch(r"512 bytes, port 7" + TOOK, said["UDP echo"])
    if not with_lwip:
        assert list(said) == ["ICMP echo", "UDP echo"]
        left_out = "left out: TCP echo, HTTP; net has these on lwIP alone, and lwIP 2.1.3 is missing (there is no apt"
        assert left_out in done.stdout
        return
    assert re.fullmatch(r"4,000 bytes over a connection, port 7" + TOOK, said["TCP echo"])
    assert re.fullmatch(r"GET / is 200 OK, [\d,]+ bytes" + TOOK, said["HTTP"])
    assert "frames from Linux, " in done.stdout and "none dropped" in done.stdout


def test_another_terminal_gets_in_and_ctrl_c_ends_it(started: "subprocess.Popen[str]") -> None:
    (found,) = running()
    assert found.info.pid == started.pid and [soc.address for soc in found.info.socs] == ["10.0.0.2"]
    with found.console() as console:
        assert b"ready" in console.recv(16384)
    inside = nsoc("enter", "--", sys.executable, EXCHANGE, "nsoc0", "2")
    assert inside.returncode == 77 and "20 of 20" in inside.stdout, inside.stderr
    started.send_signal(signal.SIGINT)
    out, err = started.communicate()
    assert started.returncode == 0, err
    assert "20 frames from Linux, 20 to Linux, none dropped" in out
    assert running() == []
    nobody = nsoc("enter", "--", "true")
    assert nobody.returncode == 1 and "no nsoc up is running: start one" in nobody.stderr


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_when_it_is_killed(number: signal.Signals, runtime: Path) -> None:
    with subprocess.Popen(
        [*NSOC, "up", "--firmware", FIRMWARE, "--", "sh", "-c", "readlink /proc/self/ns/net; setsid sleep 1000"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        marker = process.stdout.readline().strip()
        assert len(in_namespace(marker)) >= 3 and len(running()) == 1
        process.send_signal(number)
        process.stdout.read()  # ends when nobody has it open any more
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert in_namespace(marker) == [], "the namespace, and the TAP device in it, are gone"
    assert running() == [] and list(runtime.rglob("console-*")) == []


def test_ctrl_c_is_for_the_command_that_has_the_terminal() -> None:
    ours, theirs = pty.openpty()
    trap = "trap 'exit 9' INT; echo begun; while :; do sleep 0.1; done"
    with subprocess.Popen(
        [*NSOC, "up", "--firmware", FIRMWARE, "--", "sh", "-c", trap],
        stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:  # fmt: skip
        os.close(theirs)
        said = b""
        while b"begun" not in said:
            said += os.read(ours, 1000)
        os.write(ours, b"\x03")
        _, err = process.communicate()
    os.close(ours)
    assert process.returncode == 9, err
    assert "frames from Linux" in err, "there is a summary"


@pytest.mark.skipif(os.geteuid() != 0, reason="an interface in the present namespace needs root")
def test_an_interface_of_ones_choice_can_be_in_the_present_namespace() -> None:
    arguments = ("up", "--firmware", FIRMWARE, "--tap", "mine7", "--", sys.executable, str(EXCHANGE), "mine7", "2")
    inside = "import os, sys, nsoc.live.namespace as n; n.enter_own(); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", inside, *NSOC, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 77 and "20 of 20" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--", "no-such-command"), "needs the program no-such-command, which is missing"),
        (("--address", "10.0.0.1", "--", "true"), "give one with its network"),
        (("--address", "10.0.0.2/24", "--", "true"), "10.0.0.2 is the address of the SoC"),
        (("--show", "--", "true"), "leave out --firmware and the command"),
        (("--preset", "mac-example", "--", "true"), "has no processor"),
        (("--record", "/dev/null/x", "--", "true"), "cannot write the record"),
        (("--replay", "/dev/null"), "is no record of a session"),
        (("--replay", "x", "--", "ping"), "meets no command"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], said: str) -> None:
    done = up(*arguments)
    assert done.returncode != 0 and said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_registers_of_a_running_soc_are_read_by_its_bus(runtime: Path) -> None:
    with booting(runtime, "--count", "2") as process:
        first = nsoc("regs", "--live", "nic.mac_address_low", "--soc", "1", "--json", "-")
        assert first.returncode == 0, first.stderr
        (record,) = json.loads(first.stdout)
        assert record["mode"] == "nic.mac_address_low" and record["value"] & 0xFF == 3, "02:00:00:00:00:03"
        pinged = nsoc("enter", "--", sys.executable, "-c", PING)
        assert pinged.returncode == 0, pinged.stderr
        shown = nsoc("regs", "--live")
        assert "timer0.mtime_low" in shown.stdout and "timer1" not in shown.stdout and "toe." not in shown.stdout
        assert "nic.freeq.pointer" in shown.stdout and "not read" in shown.stdout
        times = [json.loads(nsoc("regs", "--live", "timer.mtime_low", "--json", "-").stdout)[0]["value"] for _ in "ab"]
        assert times[0] < times[1]
        refused = nsoc("regs", "--live", "uart.rx_data")
        assert refused.returncode == 1 and "a read of uart.rx_data does something in the device: give --effects" in (
            refused.stderr
        )
        assert "valid" in nsoc("regs", "--live", "uart.rx_data", "--effects").stdout
        absent = nsoc("regs", "--live", "toe.status")
        assert absent.returncode == 1 and "the system does not have that" in absent.stderr
        assert "only 0 to 1" in nsoc("regs", "--live", "--soc", "2").stderr
        assert nsoc("enter", "--", sys.executable, "-c", PING).returncode == 0, "it goes on"
        assert "none dropped" in ended(process)


@needs.lwip()
def test_the_tcp_echo_serves_four_connections_and_resets_the_fifth() -> None:
    done = nsoc("up", "--firmware", "net", "--", sys.executable, "-c", FIVE)
    four = "[True, True, True, True]"
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said == [four, said[1], four, "True"], done.stdout
    assert said[1] in ("ConnectionResetError", "BrokenPipeError"), "as the reset comes before or behind what is sent"
