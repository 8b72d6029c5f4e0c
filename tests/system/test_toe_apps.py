# SPDX-License-Identifier: Apache-2.0
"""`toe_net` on the SoC with a TCP/IP engine: what a TCP in Python gets from it over the line, byte for byte.

One simulated SoC serves all tests of this file; each leaves no connection behind.
"""

import json
import random
import re
import struct
from collections.abc import Iterator

import pytest
from net_soc import ADDRESS, MAC, PEER_MAC, NetSoc
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from socs import TOE, TOES

from nsoc.machine import memory_map
from nsoc.machine.presets import Preset
from nsoc.network.inet.connection import Settings, State
from nsoc.network.inet.peer import Stream

pytestmark = pytest.mark.slow

ECHO, DISCARD, CHARGEN, HTTP, IPERF = 7, 9, 19, 80, 5001
PORTS = (ECHO, DISCARD, CHARGEN, HTTP, IPERF)
POOL = TOE.connections // 2
MS = 1e3


def pattern(count: int) -> bytes:
    return bytes((i * 31 + (i >> 8) * 7) & 255 for i in range(count))


def text(count: int, seed: int) -> bytes:
    return bytes((i * 7 + i // 251 + seed * 37) & 255 for i in range(count))


@pytest.fixture(scope="module", params=TOES, ids=["rv32", "sparc"])
def preset(request: pytest.FixtureRequest) -> Preset:
    made: Preset = request.param
    return made


@pytest.fixture(scope="module")
def booted(preset: Preset) -> Iterator[NetSoc]:
    with NetSoc(preset=preset, firmware="toe_net") as net:
        assert net.soc.uart.text == f"N-SoC toe_net: 10.0.0.2, {TOE.connections} connections, ready\n"
        yield net
        assert "trap" not in net.soc.uart.text


@pytest.fixture
def net(booted: NetSoc) -> Iterator[NetSoc]:
    """Nothing is left behind."""
    yield booted
    for stream in booted.peer.streams():
        stream.abort()
    booted.peer.run(1 * MS)
    assert open_states(booted) <= {"LISTEN", "TIME-WAIT"}


def states(net: NetSoc) -> list[str]:
    """Of all records that are in use."""
    return re.findall(r"^([A-Z][A-Z0-9-]+) \d+ \d+ 10\.0\.0\.2:\d+ \S+$", net.print("connections"), re.MULTILINE)


def open_states(net: NetSoc) -> set[str]:
    return set(states(net))


def connect(net: NetSoc, port: int, settings: Settings | None = None) -> Stream:
    stream = net.peer.connect(ADDRESS, port, settings=settings, timeout_us=20 * MS)
    assert stream.connection.established
    return stream


def get(net: NetSoc, target: str, more: str = "Host: x\r\n", version: str = "1.1", method: str = "GET") -> bytes:
    """The answer on a connection of its own, which the server ends."""
    stream = connect(net, HTTP)
    stream.send(f"{method} {target} HTTP/{version}\r\nConnection: close\r\n{more}\r\n".encode())
    answer = stream.read_all(50 * MS)
    assert stream.over and not stream.failure
    stream.close(10 * MS)
    return answer


def body(answer: bytes) -> bytes:
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n"), head
    if b"chunked" not in head:
        return rest
    data = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        count = int(size, 16)
        data += rest[:count]
        assert rest[count : count + 2] == b"\r\n"
        rest = rest[count + 2 :]
        if not count:
            assert not rest
    return data


def test_echo_returns_every_byte_on_several_connections_at_once_and_after_the_end_of_the_stream(net: NetSoc) -> None:
    said = [text(count, count) for count in (1, 1459, 20_011, 40_000)]
    streams = [connect(net, ECHO) for _ in said]
    for stream, data in zip(streams, said, strict=True):
        stream.send(data)
        stream.finish()  # a half-close: what is under way still comes back
    for stream, data in zip(streams, said, strict=True):
        assert stream.read_all(50 * MS) == data
        assert stream.close(10 * MS)


def test_discard_takes_all_and_closes_when_the_peer_does(net: NetSoc) -> None:
    for port in (DISCARD, IPERF):
        stream = connect(net, port)
        stream.send(text(30_000, port))
        stream.finish()  # else the last acknowledgement waits for a second segment
        assert stream.read_all(10 * MS) == b"" and stream.connection.ended
        assert stream.close(10 * MS)


def test_chargen_sends_lines_until_the_peer_closes(net: NetSoc) -> None:
    stream = connect(net, CHARGEN)
    printed = bytes(range(32, 127)) * 2
    lines = b"".join(printed[n : n + 72] + b"\r\n" for n in range(95)) * 4
    assert stream.read(20_000, 50 * MS) == lines[:20_000]
    stream.abort()


def test_the_page_has_counters_connections_and_registers(net: NetSoc) -> None:
    idle = connect(net, ECHO)
    listed = body(get(net, "/connections")).decode()
    answer = get(net, "/")
    page = body(answer).decode()
    assert 15_000 < len(page) < 40_000 and page.endswith("</html>\n")
    for text in (listed, page):
        assert f"ESTAB 0 0 10.0.0.2:7 10.0.0.1:{idle.local[1]}\n" in text
        assert "LISTEN 0 0 10.0.0.2:9 0.0.0.0:*\n" in text
    for name in ("toe.tcp_placed", "nic.rx_good"):
        assert re.search(rf'<td id="{name}">[1-9]\d*\n', page), name
    for name in ("toe.tcp_drop_no_connection", "udp.echoed", "toe_udp.drop_full", "firmware.commands refused"):
        assert re.search(rf'<td id="{name}">\d+\n', page), name
    values = json.loads(body(get(net, "/counters.json")))
    names = {f"{group}.{name}" for group, counters in values.items() for name in counters}
    assert names == set(re.findall(r'<td id="(.*)">', page))
    assert values["nic"]["rx_good"] <= net.soc.counters["rx_good"]
    for line in (
        "buffer_size<td>084<td>00000800", "address<td>06c<td>0a000002", "local_ports[15].port<td>0bc<td>00010007",
        "key0<td>080<td>not read",
    ):  # fmt: skip
        assert f"<td>{line}\n" in page, line
    assert body(get(net, "/", version="1.0").replace(b"HTTP/1.0", b"HTTP/1.1"))[:15] == b"<!DOCTYPE html>"
    idle.close(10 * MS)


def test_bytes_files_and_refusals_come_over_one_connection(net: NetSoc) -> None:
    held = text(3000, 5)
    net.soc.load(memory_map.DRAM_BASE + 0x200001, held)
    stream = connect(net, HTTP)
    wanted = [
        ("GET /bytes/0", b""),
        ("GET /bytes/12345", pattern(12345)),
        (f"GET /file/{memory_map.DRAM_BASE + 0x200001:x}/bb8", held),
        ("HEAD /bytes/77777", None),
        ("GET /bytes/70000", pattern(70000)),
    ]
    for first, second in (wanted[:2], wanted[2:4], wanted[4:] + wanted[:1]):  # two requests at once each time
        stream.send(b"".join(f"{request} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for request, _ in (first, second)))
        for request, data in (first, second):
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                got = stream.read(1, 20 * MS)
                assert got, head
                head += got
            length = int(re.search(rb"Content-Length: (\d+)", head)[1])  # type: ignore[index]
            assert head.startswith(b"HTTP/1.1 200 OK\r\n")
            if data is None:
                assert length == 77777
            else:
                assert length == len(data) and stream.read(length, 50 * MS) == data, request
    stream.close(10 * MS)
    for target, more, status in (
        ("/nothing", "Host: x\r\n", 404), ("/bytes/x", "Host: x\r\n", 404), ("/bytes/2147483649", "Host: x\r\n", 404),
        ("/file/40000000/10", "Host: x\r\n", 404), ("/file/4fffffff/2", "Host: x\r\n", 404), ("/", "", 400),
        ("/" + 300 * "x", "", 414),
    ):  # fmt: skip
        assert get(net, target, more).startswith(b"HTTP/1.1 %d " % status), target
    assert len(body(get(net, "/file"))) == 65536


def test_what_is_not_open_is_refused_and_a_reset_frees_its_record(net: NetSoc) -> None:
    refused = net.peer.open(ADDRESS, 4)
    net.peer.run(10 * MS, until=lambda: refused.state is State.CLOSED)
    assert refused.failure
    for _ in range(2 * POOL):
        stream = connect(net, ECHO)
        stream.send(bytes(5000))
        net.peer.run(200)
        stream.abort()
    assert connect(net, ECHO).close(10 * MS)


@pytest.mark.long
def test_records_are_not_leaked_by_whoever_closes_first(net: NetSoc) -> None:
    before = net.say("counters").get("records whose TIME-WAIT was cut short", 0)
    for n in range(2 * TOE.connections):
        if n % 2:
            assert body(get(net, f"/bytes/{n}")) == pattern(n)  # the engine closes first, and has TIME-WAIT
        else:
            stream = connect(net, ECHO)
            stream.send(b"x")
            assert stream.read(1, 10 * MS) == b"x"
            assert stream.close(10 * MS)
    after = net.say("counters")["records whose TIME-WAIT was cut short"]
    assert after - before >= TOE.connections - POOL
    assert sum(state != "LISTEN" for state in states(net)) <= POOL


def counted(net: NetSoc) -> dict[str, int]:
    """UDP's counters."""
    return {name: count for name, count in net.say("counters").items() if "udp" in name}


def grown(net: NetSoc, before: dict[str, int]) -> dict[str, int]:
    after = counted(net)
    return {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}


def echoed(net: NetSoc, datagrams: list[bytes]) -> list[bytes]:
    """What comes back of datagrams that go back to back."""
    udp, came = net.peer.udp(), []
    for data in datagrams:
        udp.send(data, ADDRESS, ECHO)
    line_us = sum(max(84, len(data) + 66) for data in datagrams) * 8e-3
    net.peer.run(2 * line_us + 1 * MS, until=lambda: udp.pending == len(datagrams))
    while udp.pending:
        arrived = udp.receive(0)
        assert arrived is not None and (arrived.address, arrived.port) == (ADDRESS, ECHO)
        came.append(arrived.data)
    udp.close()
    return came


@pytest.mark.parametrize("every", [61, pytest.param(1, marks=pytest.mark.long)])
def test_udp_echo_returns_datagrams_of_every_size_at_line_rate(net: NetSoc, every: int) -> None:
    rng = random.Random(every)
    datagrams = [rng.randbytes(size) for size in sorted({0, 1, 2, 17, 18, 19, 1471, 1472, *range(0, 1473, every)})]
    if every == 1:  # else the shortest ones come faster than the firmware takes them, and more than the ring holds
        rng.shuffle(datagrams)
    before = counted(net)
    assert echoed(net, datagrams) == datagrams
    assert set(grown(net, before).values()) == {len(datagrams)}, "none dropped"


def test_of_a_burst_of_the_smallest_datagrams_each_is_echoed_in_order_or_counted(net: NetSoc) -> None:
    datagrams = [number.to_bytes(2) + bytes(16) for number in range(1000)]
    before = counted(net)
    came = echoed(net, datagrams)
    counts = grown(net, before)
    assert came == sorted(set(came)) and set(came) <= set(datagrams)
    assert counts["toe.net_rx_udp"] == 1000 == len(came) + counts["toe_udp.drop_full"]
    assert counts["udp.echoed"] == counts["toe_udp.received_datagrams"] == len(came)
    assert len(came) >= 512, "what the ring holds, and more"
    assert echoed(net, [b"again"]) == [b"again"]


def test_discard_and_chargen_on_udp_and_what_is_not_answered(net: NetSoc) -> None:
    before = counted(net)
    udp = net.peer.udp()
    lines = [bytes(32 + (line + i) % 95 for i in range(72)) + b"\r\n" for line in range(95)]
    text = b"".join(lines)
    lengths = set()
    for _ in range(5):
        udp.send(b"?", ADDRESS, CHARGEN)
        answer = udp.receive(1 * MS)
        assert answer is not None and len(answer.data) <= 512
        assert text.startswith(answer.data, text.index(answer.data[:74]))
        lengths.add(len(answer.data))
    assert len(lengths) > 1
    udp.send(bytes(100), ADDRESS, DISCARD)
    to_all = Ether(dst="ff:ff:ff:ff:ff:ff", src=PEER_MAC) / IP(src="10.0.0.1", dst="10.0.0.255")
    net.peer.send_frame(bytes(to_all / UDP(sport=udp.port, dport=ECHO) / b"crowd"))
    for port in (ECHO, CHARGEN):  # they would answer each other for ever
        loop = net.peer.udp(port)
        loop.send(b"loop", ADDRESS, ECHO)
        loop.send(b"loop", ADDRESS, CHARGEN)
        assert loop.receive(0.2 * MS) is None
        loop.close()
    udp.send(b"nobody", ADDRESS, 4)
    assert udp.receive(0.2 * MS) is None and udp.errors == ["port unreachable"]
    counts = grown(net, before)
    assert counts.pop("toe.net_rx_udp") == counts.pop("toe_udp.received_datagrams") == 11
    assert counts == {"udp.generated": 5, "udp.discarded": 1, "udp.not_answered": 5}


def test_the_iperf_server_reports_what_it_got_on_udp(net: NetSoc) -> None:
    udp = net.peer.udp()
    sent = [number for number in range(1, 40) if number not in (7, 30)]
    sent[10], sent[11] = sent[11], sent[10]
    for number in sent:
        udp.send(struct.pack(">IIII", number, 0, number * 100, 0) + bytes(1454), ADDRESS, IPERF)
    for _ in range(2):  # a report that got lost is asked for again
        udp.send(struct.pack(">iIII", -41, 0, 0, 0) + bytes(1454), ADDRESS, IPERF)
        report = udp.receive(2 * MS)
        assert report is not None and len(report.data) == 1470
        flags, high, low, _, _, lost, late, count, _, _ = struct.unpack_from(">10I", report.data, 16)
        assert (flags, high << 32 | low, lost, late, count) == (1 << 31, (len(sent) + 1) * 1470, 3, 1, 41)
    udp.close()


def test_all_records_serve_at_once_and_one_more_waits_for_the_first_that_ends(net: NetSoc) -> None:
    streams = []
    for port in (ECHO, DISCARD, HTTP, ECHO, IPERF, ECHO):
        streams.append(connect(net, port))
        net.peer.run(500)  # what is in TIME-WAIT gives its record to the next ones
    free = POOL - len(streams)
    waiting = [net.peer.open(ADDRESS, ECHO) for _ in range(free + 1)]
    net.peer.run(5 * MS)
    opened = [stream for stream in waiting if stream.connection.established]
    assert len(opened) <= free
    for number, stream in enumerate(one for one in [*streams, *opened] if one.remote[1] == ECHO):
        stream.send(text(3000, number))
        assert stream.read(3000, 20 * MS) == text(3000, number)
    for stream in [*streams, *waiting]:
        stream.abort()


def test_a_peer_that_takes_nothing_stops_no_other(net: NetSoc) -> None:
    stuck = [connect(net, CHARGEN, Settings(window=1000)), connect(net, ECHO, Settings(window=1000))]
    stuck[1].send(bytes(40_000))
    idle = connect(net, HTTP)
    idle.send(b"GET / HT")
    net.peer.run(2 * MS)
    stream = connect(net, ECHO)
    stream.send(text(20_000, 1))
    assert stream.read(20_000, 50 * MS) == text(20_000, 1)
    assert len(stuck[0].receive()) > 900
    for one in (*stuck, idle):
        one.abort()
    stream.close(10 * MS)


def test_the_iperf_client_sends_until_its_peer_closes_and_says_so(net: NetSoc) -> None:
    listener = net.peer.listen(IPERF)
    begin = len(net.soc.uart.text)
    net.soc.uart.write("iperf 10.0.0.1 3\n")
    stream = listener.accept(20 * MS)
    assert stream is not None
    digits = b"0123456789012345678901234567890123456789012345678901234567890123"
    assert stream.read(64_000, 50 * MS) == digits * 1000
    stream.finish()
    stream.read_all(20 * MS)
    listener.close()
    assert net.peer.run(5 * MS, until=lambda: "kbit/s\n" in net.soc.uart.text[begin:], every_us=100)
    found = re.search(r"iperf: (\d+) KB in \d+ ms, (\d+) kbit/s\n", net.soc.uart.text[begin:])
    assert found is not None and int(found[1]) >= 64
    begin = len(net.soc.uart.text)
    net.soc.uart.write("iperf 10.0.0.1\n")
    refused = "iperf: the connection was refused, reset or given up\n"
    assert net.peer.run(10 * MS, until=lambda: refused in net.soc.uart.text[begin:], every_us=100)


def test_frames_that_are_not_the_engines_are_counted_and_their_buffers_circulate(net: NetSoc) -> None:
    before = net.say("counters").get("frames for nobody", 0)
    frame = bytes.fromhex((MAC + PEER_MAC).replace(":", "")) + b"\x88\xb5" + bytes(100)
    for _ in range(100):
        net.peer.send_frame(frame)
    net.peer.run(3 * MS)
    assert net.say("counters")["frames for nobody"] - before == 100
    free, received, sending, inside, held = map(int, re.findall(r"\d+", net.print("buffers"))[:5])
    assert free + inside == 64 and received == sending == held == 0
    assert net.peer.ping(ADDRESS, timeout_us=5 * MS) is not None


def test_connections_are_printed_as_ss_does(net: NetSoc) -> None:
    stream = connect(net, ECHO, Settings(timestamps=True))
    stream.send(bytes(2000))
    assert len(stream.read(2000, 20 * MS)) == 2000
    net.peer.run(500)
    printed = net.print("connections")
    for port in PORTS:
        assert f"LISTEN 0 0 10.0.0.2:{port} 0.0.0.0:*\n" in printed
    shown = re.search(rf"ESTAB 0 0 10\.0\.0\.2:7 10\.0\.0\.1:{stream.local[1]}\n\t(.*)\n", printed)
    assert shown is not None
    values = dict(re.findall(r"([a-z_]+):([\d.,/]+)", shown[1]))
    assert " ts " in shown[1] and values["bytes_acked"] == values["bytes_received"] == values["bytes_sent"] == "2000"
    assert values["mss"] == "1460" and 0 < float(values["rtt"].split("/")[0]) < 5
    assert int(values["segs_in"]) >= 4 and int(values["rcv_space"]) <= 16384
    stream.close(10 * MS)


def test_rings_in_dram_are_seen_through_the_data_cache(preset: Preset) -> None:
    base = memory_map.DRAM_BASE + memory_map.DRAM_BYTES // 2
    with NetSoc(preset=preset, firmware="toe_net", TOE_RING_BASE=f"{base:#x}u", TOE_RX_BYTES="2048u") as net:
        streams = [connect(net, ECHO) for _ in range(2)]
        for number, stream in enumerate(streams):
            stream.send(text(30_000, number))
        for number, stream in enumerate(streams):
            assert stream.read(30_000, 50 * MS) == text(30_000, number)
        assert net.soc.peek(base, TOE.connections * 4096) != bytes(TOE.connections * 4096)
        assert "trap" not in net.soc.uart.text
