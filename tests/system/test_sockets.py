# SPDX-License-Identifier: Apache-2.0
"""Sockets (firmware/lib/socket) on the SoC: the same programs as on Linux, and the same results.

The cases are tests/support/sockets/*.c, one program; each prints what calls return, and errno. Linux is the model.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from runs import slow, some
from sockets_mirror import ADDRESS, MAC, Mirror, answer
from sockets_peer import (
    MS,
    SOC,
    Booted,
    a_lazy_peer_stops_its_own_thread_only,
    datagrams_are_echoed_at_every_size,
    streams_are_echoed_at_once,
    text,
)

from nsoc.machine import firmware, presets
from nsoc.machine.build import checkout
from nsoc.machine.presets import Preset
from nsoc.network.inet.peer import Stream
from nsoc.network.network import Network

CORES = some(["toe"], ["ajit-toe"])
CASES = sorted((checkout() / "tests" / "support" / "sockets").glob("*.c"))
NAMES = [name for source in CASES for name in re.findall(r"CASE\((\w+)\)", source.read_text(encoding="utf-8"))]
PAGE = (checkout() / "docs" / "sockets.md").read_text(encoding="utf-8")
PORTABLE = ["pubsub", *slow(["http_server"])]
S = 1e6
SAID, SAID_BYTES = 0x4400_0000, 0x20000
"""Where the program on the SoC leaves what it says (frame.c)."""
QUIET_US = 1.5 * S
"""A case that prints nothing for so long hangs."""
DELAYED_ACK = "300u"
"""Microseconds: a small segment behind another one waits for it."""
UDP, REPORT, LEAVE, ALERT = 17, 0x16, 0x17, bytes.fromhex("94040000")
NAMESPACE = "ip link set lo up && ip route add default dev lo && exec "


@pytest.fixture(scope="module", params=CORES)
def preset(request: pytest.FixtureRequest) -> Preset:
    return presets.load(request.param)


def native(name: str, sources: list[Path], folder: Path) -> Path:
    program = folder / name
    flags = ["-std=gnu11", "-O1", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run(["gcc", *flags, *map(str, sources), "-o", str(program)], check=True)
    return program


def alone(program: Path) -> list[str]:
    """How to run it with a loopback of its own; where that cannot be, with everybody's."""
    command = ["unshare", "--map-root-user", "--net", "sh", "-c", NAMESPACE + str(program)]
    can = (
        shutil.which("unshare")
        and subprocess.run([*command[:-1], NAMESPACE + "true"], capture_output=True).returncode == 0
    )
    return command if can else [str(program)]


def by_case(text: str) -> dict[str, list[str]]:
    parts = re.split(r"^== (\w+)\n", text, flags=re.MULTILINE)
    return {name: lines.splitlines() for name, lines in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.fixture(scope="module")
def on_linux(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    program = native("cases", CASES, tmp_path_factory.mktemp("native"))
    run = subprocess.run(alone(program), capture_output=True, text=True, check=True, timeout=300)
    return by_case(run.stdout)


@pytest.fixture(scope="module")
def run_on_soc(preset: Preset) -> tuple[dict[str, list[str]], list[bytes]]:
    """What the cases say, and the frames that went to groups."""
    symbols = {**preset.firmware_defines(), "TOE_DELAYED_ACK_US": DELAYED_ACK}
    elf = firmware.compile_program("sockets", CASES, symbols, flags=["-Werror"], arch=preset.core, place="dram")
    seen, look = b"", QUIET_US
    with Network(1) as network:
        soc, mirror = network.soc(preset, str(elf)), Mirror(network)
        network.cable(mirror.host, soc)

        def over() -> bool:
            nonlocal seen, look
            hangs = False
            if network.time_us > look:
                said, look = soc.peek(SAID, SAID_BYTES), network.time_us + QUIET_US
                seen, hangs = said, said == seen
            return hangs or bool(soc.uart.text)

        mirror.run(1000 * S, over)
        assert soc.uart.text in ("end\n", ""), soc.uart.text
        return by_case(soc.peek(SAID, SAID_BYTES).partition(b"\0")[0].decode()), mirror.to_groups


@pytest.fixture(scope="module")
def on_soc(run_on_soc: tuple[dict[str, list[str]], list[bytes]]) -> dict[str, list[str]]:
    return run_on_soc[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_the_same_results_on_linux_and_on_the_soc(
    name: str, on_linux: dict[str, list[str]], on_soc: dict[str, list[str]]
) -> None:
    assert on_soc.get(name) == on_linux[name]


@pytest.mark.slow
def test_groups_are_reported_and_sent_to_as_far_as_a_socket_says(
    run_on_soc: tuple[dict[str, list[str]], list[bytes]],
) -> None:
    joined: set[bytes] = set()
    ttls = {}
    for frame in run_on_soc[1]:
        if frame[23] == UDP:
            ttls[frame[42:43]] = frame[22]
            assert frame[:6] == b"\1\0\x5e" + bytes([frame[31] & 0x7F]) + frame[32:34]
            continue
        kind, group = frame[38], frame[42:46]
        assert frame[14] == 0x46 and frame[22:24] == b"\1\2" and frame[34:38] == ALERT
        assert kind in (REPORT, LEAVE) and (kind == REPORT or group in joined)
        joined = joined | {group} if kind == REPORT else joined - {group}
    assert (ttls[b"1"], ttls[b"9"], ttls[b"h"]) == (1, 9, 1)
    assert not joined, "each close has left"


def test_the_mirror_exchanges_both_ends_and_answers_for_its_address() -> None:
    scapy_l2, scapy_inet = pytest.importorskip("scapy.layers.l2"), pytest.importorskip("scapy.layers.inet")
    ether, ip, tcp = scapy_l2.Ether, scapy_inet.IP, scapy_inet.TCP
    mirror, own = ".".join(map(str, ADDRESS)), "02:00:00:00:00:02"
    said = ether(src=own, dst=MAC.hex(":")) / ip(src=SOC, dst=mirror) / tcp(sport=5, dport=6, seq=7) / b"odd"
    back = answer(bytes(said))
    assert back is not None
    expected = ether(src=MAC.hex(":"), dst=own) / ip(src=mirror, dst=SOC) / tcp(sport=5, dport=6, seq=7) / b"odd"
    assert back == bytes(expected), "with the sums that Scapy makes"
    asked = ether(src=own, dst="ff:ff:ff:ff:ff:ff") / scapy_l2.ARP(op=1, hwsrc=own, psrc=SOC, pdst=mirror)
    told = scapy_l2.Ether(answer(bytes(asked)))
    assert (told.hwsrc, told.psrc, told.hwdst, told.pdst, told.op) == (MAC.hex(":"), mirror, own, SOC, 2)
    assert answer(bytes(ether(src=own) / ip(src=SOC, dst="10.0.0.3"))) is None


@pytest.mark.parametrize("name", PORTABLE)
def test_one_source_is_a_program_for_linux_and_for_the_soc(preset: Preset, name: str, tmp_path: Path) -> None:
    native(name, firmware.application(name), tmp_path)
    assert firmware.build_for(preset, name).is_file()


# ---- Programs, with a peer in Python ----


@pytest.fixture(scope="module")
def echo(preset: Preset) -> Iterator[Booted]:
    with Booted(preset, "socket_echo", 2 * MS) as booted:
        yield booted


@pytest.mark.slow
def test_streams_are_echoed_by_four_threads_at_once(echo: Booted) -> None:
    streams_are_echoed_at_once(echo)


@pytest.mark.slow
@pytest.mark.parametrize("ring", some([16384], [8192]))
def test_direct_connections_with_larger_rings_stand_beside_those_with_rings_in_memory(ring: int) -> None:
    """With 16 KB each fourth record is direct: one of these connections."""
    with Booted(presets.load("toe"), "socket_echo", TOE_DIRECT_BYTES=f"{ring}u") as echo:
        said = [text(60_000, n) for n in range(4)]
        streams = [echo.connect(7) for _ in said]
        for stream, data in zip(streams, said, strict=True):
            stream.send(data)
        echo.peer.run(2 * MS)
        for stream, data in zip(streams, said, strict=True):
            assert stream.read(len(data), 200 * MS) == data
        for stream in streams:
            assert stream.close(20 * MS)


@pytest.mark.slow
def test_a_peer_that_does_not_read_stops_its_own_thread_only(echo: Booted) -> None:
    a_lazy_peer_stops_its_own_thread_only(echo, 200 * MS)


@pytest.mark.slow
def test_datagrams_are_echoed_at_every_size(echo: Booted) -> None:
    datagrams_are_echoed_at_every_size(echo)


@pytest.mark.slow
def test_datagrams_that_follow_each_other_are_echoed_in_order(echo: Booted) -> None:
    udp = echo.peer.udp()
    for size in (1, 18, 64, 333, 1000):  # the smallest come sooner than they are taken: so many as the socket has slots
        said = [text(size, n) for n in range(8 if size < 64 else 12)]
        for data in said:
            udp.send(data, SOC, 7)
        for data in said:
            came = udp.receive(20 * MS)
            assert came is not None and came.data == data, size
    udp.close()


@pytest.mark.slow
def test_32_clients_get_the_page_again_and_again_from_one_thread(preset: Preset) -> None:
    with Booted(preset, "http_server") as booted:
        streams = [booted.connect(80) for _ in range(32)]
        line = bytes(ord("0") + i % 64 for i in range(63)) + b"\n"
        page = b"HTTP/1.1 200 OK\r\nServer: SoC\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n" + 16 * line
        for _ in range(2):
            for stream in streams:
                stream.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            for stream in streams:
                assert stream.read(len(page), 100 * MS) == page
        one = streams[0]
        one.send(b"GET /x HTTP/1.1\r\n\r\nGET /")  # one and a piece
        assert one.read(45, 100 * MS).startswith(b"HTTP/1.1 404 ")
        one.send(b" HTTP/1.1\r\n\r\nPUT\r\n\r\n")
        assert one.read(len(page), 100 * MS) == page
        assert one.read_all(100 * MS).startswith(b"HTTP/1.1 400 ")
        waiting = booted.connect(80)  # for a place
        waiting.send(b"GET / HTTP/1.1\r\n\r\n")
        assert one.close(20 * MS)
        assert waiting.read(len(page), 100 * MS) == page


@pytest.mark.slow
def test_subscribers_get_what_is_published_to_their_topics(preset: Preset) -> None:
    with Booted(preset, "pubsub") as booted:
        a, b, c = (booted.connect(1883) for _ in range(3))

        def ask(stream: Stream, line: str, lines: int = 1) -> list[str]:
            stream.send(f"{line}\n".encode())
            return said(stream, lines)

        def said(stream: Stream, lines: int) -> list[str]:
            data = b""
            while data.count(b"\n") < lines:
                got = stream.read(1, 50 * MS)
                assert got, data
                data += got
            return data.decode().splitlines()

        assert ask(a, "sub room/+/warm") == ["ok"] and ask(b, "sub room/#") == ["ok"]
        assert ask(c, "pub room/1/warm 21.5") == ["ok"]
        assert said(a, 1) == said(b, 1) == ["room/1/warm 21.5"]
        assert ask(c, "keep room/2/wet 40 %") == ["ok"]
        assert said(b, 1) == ["room/2/wet 40 %"]
        assert ask(a, "sub room/2/wet", 2) == ["room/2/wet 40 %", "ok"]
        assert ask(b, "unsub room/#") == ["ok"] and ask(b, "unsub room/#")[0].startswith("no ")
        assert ask(c, "pub room/+ x")[0].startswith("no ") and ask(c, "sing")[0].startswith("no ")
        assert ask(b, "sub #", 2) == ["room/2/wet 40 %", "ok"]
        c.abort()
        booted.peer.run(1 * MS)
        assert ask(b, "pub a b", 2) == ["a b", "ok"]
        assert a.receive() == b""


@pytest.mark.slow
def test_bytes_are_echoed_where_they_lie(preset: Preset) -> None:
    source = checkout() / "tests" / "support" / "sockets_zero_copy.c"
    symbols = preset.firmware_defines()
    elf = firmware.compile_program("zero_copy", [source], symbols, arch=preset.core, flags=["-Werror"])
    with Booted(preset, str(elf)) as booted:
        stream, udp = booted.connect(7), booted.peer.udp()
        stream.send(text(30_000, 1))
        stream.finish()
        assert stream.read_all(100 * MS) == text(30_000, 1)
        for n in range(20):
            udp.send(text(n * 77, n), SOC, 7)
            came = udp.receive(20 * MS)
            assert came is not None and came.data == text(n * 77, n)
        udp.send(b"x", SOC, 7)
        for said in (b"aid out of the boot ROM, at an odd address, as strings are\0", b"short"):
            came = udp.receive(20 * MS)
            assert came is not None and came.data == said
        booted.peer.run(100)
        udp.send(text(100, 1), SOC, 7)
        booted.peer.run(1 * MS, until=lambda: "done\n" in booted.soc.uart.text, every_us=100)
        assert booted.soc.uart.text == "ready\ndone\n"


@pytest.mark.slow
@pytest.mark.parametrize("stamps", [1, 2])
def test_the_tables_of_the_page_are_what_is_measured(stamps: int) -> None:
    with Booted(presets.load("toe"), "socket_cycles", OS_STAMPS=stamps) as booted:
        stream, udp = booted.connect(7), booted.peer.udp()
        for n in range(19):
            stream.send(text(32, n))
            assert stream.read(32, 20 * MS) == text(32, n)
            booted.peer.run(100)
        for n in range(19):
            udp.send(text(32, n), SOC, 7)
            came = udp.receive(20 * MS)
            assert came is not None and came.data == text(32, n)
            booted.peer.run(100)
        assert booted.network.run(20 * MS, until=lambda: "done\n" in booted.soc.uart.text)
        lines = booted.soc.uart.text.splitlines()[1:-1]
    rows = [
        f"| {kind} | {what} | {least} | {most} |"
        for kind, what, least, most in (re.split(r": | (?=\d+$)", x) for x in lines)
    ]
    missing = [row for row in rows if row not in PAGE]
    assert not missing, "\n".join(rows)


def test_the_example_of_the_page_is_a_program_for_both(preset: Preset, tmp_path: Path) -> None:
    (code,) = re.findall(r"as `firmware/apps/shout.c`:\n\n```c\n(.*?)```", PAGE, re.DOTALL)
    lines = [line.strip() for line in code.splitlines()]
    assert len([line for line in lines if line not in ("", "}") and not line.startswith(("//", "#"))]) <= 20
    source = tmp_path / "shout.c"
    source.write_text(code, encoding="utf-8")
    native("shout", [source], tmp_path)
    symbols = preset.firmware_defines()
    assert firmware.compile_program("shout", [source], symbols, arch=preset.core, flags=["-Werror"]).is_file()
