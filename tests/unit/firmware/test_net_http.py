# SPDX-License-Identifier: Apache-2.0
"""The page of `net`, on this machine under sanitizers: what is asked for comes, what is wrong is said so, and no input
breaks it."""

import json
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import needs
import pytest
from net_frames import check_sums, mutated, ping, resolve
from net_native import BUFFERS, Native
from net_tcp import ACK, PSH, Client, segment, with_arp
from runs import some

from nsoc.machine.regs import BLOCKS

pytestmark = needs.lwip()
HOST = b"Host: 10.0.0.2\r\n"


@pytest.fixture(params=some([True], [False]), ids=["offloads", "sums in software"])
def net(request: pytest.FixtureRequest) -> Iterator[Native]:
    with Native(lwip=True, offloads=request.param) as native:
        native.exchange([resolve()])
        yield native
        for _ in range(200):  # what waits for an other end that is gone gives up after some minutes
            native.exchange(ms=10_000)
            if native.free == BUFFERS:
                break
        assert native.free == BUFFERS and native.dropped == 0


def pattern(size: int, first: int = 0) -> bytes:
    return bytes((i * 31 + (i >> 8) * 7) & 255 for i in range(first, first + size))


def split(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, fields and the rest of an answer."""
    head, end, rest = answer.partition(b"\r\n\r\n")
    assert end
    first, *lines = head.decode("ascii").split("\r\n")
    version, status, _ = first.split(" ", 2)
    assert version == "HTTP/1.1"
    return int(status), {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}, rest


def unchunked(body: bytes) -> tuple[bytes, bytes]:
    """A body that came in chunks, and what is behind it."""
    whole = b""
    while True:
        size_text, _, body = body.partition(b"\r\n")
        size = int(size_text, 16)
        whole += body[:size]
        assert body[size : size + 2] == b"\r\n"
        body = body[size + 2 :]
        if size == 0:
            return whole, body


def get(client: Client, path: str, more: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    status, fields, body = split(client.send(f"GET {path} HTTP/1.1\r\n".encode() + HOST + more + b"\r\n"))
    if fields.get("transfer-encoding") == "chunked":
        body, rest = unchunked(body)
        assert rest == b""
    else:
        assert len(body) == int(fields["content-length"])
    return status, fields, body


class Page(HTMLParser):
    """Rows of the tables, by heading."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._in, self._heading = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        if tag == "tr":
            self.tables.setdefault(self._heading, []).append([])

    def handle_data(self, data: str) -> None:
        if not data.strip():
            return
        if self._in == "h2":
            self._heading = data
        elif self._in == "td":
            self.tables[self._heading][-1].append(data.strip())


def test_the_page_has_all_counters_and_registers(net: Native) -> None:
    status, fields, body = get(Client(net.exchange, 5000), "/")
    assert status == 200 and fields["content-type"] == "text/html; charset=utf-8"
    assert b"http:" not in body and b"https:" not in body, "nothing comes from elsewhere"
    tables = Page(body.decode()).tables
    counted = {row[0] for row in tables["nic"]}
    assert counted | {"tx_sum_unfit"} == {name for name, r in BLOCKS["nic"].registers.items() if r.counter}
    for name in ("nic", "intc", "timer", "uart"):
        (rows,) = (rows for title, rows in tables.items() if title.startswith(f"{name} registers"))
        known = {re.sub(r"(?<=q)\d", lambda m: f"[{m[0]}]", n): r for n, r in BLOCKS[name].registers.items()}
        for register, offset, value in rows:
            assert int(offset, 16) == known[register].offset
            assert value == "not read" or (len(value) == 8 and int(value, 16) >= 0)
    values = {row[0]: row[2] for rows in tables.values() for row in rows if len(row) == 3}
    assert values["buffer_size"] == "00000800" and values["tx_stamp"] == "not read" and "freeq.pointer" not in values
    assert int(values["queue_free_base"], 16) == 0x50020000, "it is alive"


def test_counters_are_json_too(net: Native) -> None:
    client = Client(net.exchange, 5000)
    _, fields, body = get(client, "/counters.json")
    first = json.loads(body)
    assert fields["content-type"] == "application/json"
    net.exchange([ping(b"x")], ms=1500)
    second = json.loads(get(client, "/counters.json")[2])
    assert second["http"]["answered"] == first["http"]["answered"] + 1 == 2
    assert second["netif"]["received"] > first["netif"]["received"]
    assert second["soc"]["uptime_ms"] - first["soc"]["uptime_ms"] == 1500
    assert 0 <= second["soc"]["busy_permille"] <= 1000
    assert {name for group in second.values() for name in group} >= {"rx_good", "bytes_sent", "HEAP"}


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 1460, 5000, 66_000])
def test_bytes_come_as_agreed(net: Native, size: int) -> None:
    status, _, body = get(Client(net.exchange, 5000), f"/bytes/{size}")
    assert status == 200 and body == pattern(size)


def test_the_longest_one_begins_and_can_be_left(net: Native) -> None:
    client = Client(lambda frames=(), ms=0: net.exchange(list(frames)[:1], ms=ms), 5000)
    sent = segment(5000, 80, client._next, client._expected, ACK | PSH, b"GET /bytes/2147483648 HTTP/1.0\r\n\r\n")
    answers = net.exchange([sent])
    assert b"Content-Length: 2147483648\r\n" in b"".join(answers)
    client.end()


def test_head_has_no_body_and_requests_follow_each_other(net: Native) -> None:
    client = Client(net.exchange, 5000)
    head = b"HEAD /bytes/1000 HTTP/1.1\r\n" + HOST + b"\r\n"
    status, fields, body = split(client.send(head))
    assert (status, fields["content-length"], body) == (200, "1000", b"")
    for part in (b"GET /bytes/3?x=1 HT", b"TP/1.1\r\nHo", b"st: a\r\nX: y\r\n\r"):
        assert client.send(part) == b""
    assert split(client.send(b"\n"))[2] == pattern(3)
    two = client.send(b"\r\n" + 2 * (b"GET /bytes/5 HTTP/1.1\r\n" + HOST + b"\r\n"))
    assert two.count(b"HTTP/1.1 200 OK") == 2 and two.endswith(pattern(5))
    assert get(client, "http://elsewhere/bytes/4")[2] == pattern(4)
    assert not client.finished
    assert get(client, "/bytes/2", b"Connection: Close\r\n")[1]["connection"] == "close" and client.finished


def test_http_1_0_gets_the_page_without_chunks_and_then_the_end(net: Native) -> None:
    client = Client(net.exchange, 5000)
    status, fields, body = split(client.send(b"GET / HTTP/1.0\r\n\r\n"))
    assert status == 200 and "transfer-encoding" not in fields and body.endswith(b"</html>\n") and client.finished


def test_a_client_that_says_no_more_still_gets_its_answer(net: Native) -> None:
    client = Client(net.exchange, 5000)
    client.send(b"GET /bytes/3000 HTTP/1.1\r\n" + HOST)
    answer = client.send(b"\r\n", fin=True)
    assert split(answer)[2] == pattern(3000) and client.finished
    quiet = Client(net.exchange, 5001)
    quiet.send(fin=True)
    assert quiet.finished


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /nothing HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"GET /bytes/ HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"GET /bytes/2147483649 HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"GET /bytes/18446744073709551617 HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"GET /bytes/-1 HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"GET /bytes/1x HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"GET  HTTP/1.1\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\0\1\0\1\xfc\3\3", 400),
        (b"GET / FTP/1\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello", 400),
        (b"GET / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5000\r\n\r\n" + b"x" * 5000, 405),
        (b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"GET /" + b"a" * 300 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 2000, 431),
        (b"GET / HTTP/2.0\r\n" + HOST + b"\r\n", 505),
    ],
)
def test_what_cannot_be_answered_is_said_so_and_the_connection_ends(
    net: Native, request_bytes: bytes, status: int
) -> None:
    client = Client(net.exchange, 5000)
    answer, fields, body = split(client.send(request_bytes))
    assert answer == status and fields["connection"] == "close" and len(body) == int(fields["content-length"]) > 0
    assert client.finished and not client.was_reset
    assert ("allow" in fields) == (status == 405)
    assert get(Client(net.exchange, 5001), "/bytes/1")[2] == pattern(1)


def test_a_connection_that_is_quiet_is_closed_and_one_that_stalls_is_reset(net: Native) -> None:
    quiet, slow = Client(net.exchange, 5000), Client(net.exchange, 5001)
    slow.send(b"GET /")
    quiet.wait(35_000)
    assert quiet.finished
    slow.send(b"x")
    assert slow.was_reset


def test_a_place_is_found_for_the_ninth_connection(net: Native) -> None:
    clients = [Client(net.exchange, 5000 + number) for number in range(9)]
    assert all(client.open for client in clients)
    assert get(clients[8], "/bytes/7")[2] == pattern(7)
    assert sum(get(client, "/bytes/7")[2] == pattern(7) for client in clients[1:]) == 8
    for client in clients:
        client.end()


def test_who_asks_and_asks_and_does_not_read_is_cut_off(net: Native) -> None:
    ask = b"GET /bytes/100000 HTTP/1.1\r\n" + HOST + b"\r\n"
    client = Client(net.exchange, 5000)
    sequence = client._next
    resets = 0
    for _ in range(30):
        answers = net.exchange([segment(5000, 80, sequence, client._expected, ACK | PSH, ask, window=0)])
        sequence += len(ask)
        resets += any(answer[47] & 4 for answer in answers)
    assert resets > 0
    assert get(Client(net.exchange, 5001), "/bytes/7")[2] == pattern(7)


REQUESTS = (
    b"GET / HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /counters.json HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    b"HEAD /bytes/123456 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /bytes/4000 HTTP/1.0\r\n\r\n",
    b"GET http://x/bytes/77?a=b HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
)


@pytest.mark.parametrize(("seed", "rounds"), some([(1, 250)], [(seed, 5000) for seed in (2, 3)]))
def test_no_request_breaks_it(net: Native, seed: int, rounds: int) -> None:
    print(f"seed {seed}")
    rng = random.Random(seed)
    for number in range(rounds):
        text = bytearray(rng.choice(REQUESTS) * rng.choice((1, 1, 2, 5)))
        for _ in range(rng.randint(0, 4)):
            at = rng.randrange(len(text))
            match rng.randrange(4):
                case 0:
                    text[at] = rng.randrange(256)
                case 1:
                    del text[at : at + rng.randrange(1, 30)]
                case 2:
                    text[at:at] = text[at : at + 20] * rng.randrange(1, 40)
                case 3:
                    text[at:at] = rng.choice((b"\r\n", b" ", b"\0", b"99999999999", b"\n\n", b"HTTP/", b":"))
            text = text or bytearray(b"x")
        client = Client(net.exchange, 10_000 + number % 50_000)
        at = 0
        while at < len(text) and client.open and not client.finished:
            step = rng.choice((1, 7, 100, 3000))
            client.send(bytes(text[at : at + step]))
            at += step
        client.end()
        if number % 50 == 0:
            status, _, body = get(Client(net.exchange, 1 + number), "/bytes/300", b"Connection: close\r\n")
            assert (status, body) == (200, pattern(300))
            net.exchange(ms=5000)


@pytest.mark.parametrize(("seed", "frames"), some([(1, 2000)], [(seed, 25_000) for seed in (2, 3)]))
def test_no_segment_breaks_it(net: Native, seed: int, frames: int) -> None:
    print(f"seed {seed}")
    rng, exchange = random.Random(seed), with_arp(net.exchange)
    for number in range(0, frames, 10):
        client = Client(net.exchange, 10_000 + number % 50_000)
        made = []
        for _ in range(10):
            data = rng.choice(REQUESTS)[: rng.choice((0, 1, 30, 200))]
            flags = rng.choice((2, 16, 16, 24, 17, 4, 20, 0, 63))
            sequence = client._next + rng.choice((0, 0, 0, 1, 10, -1, 1 << 31))
            options = rng.choice(
                (b"", b"", b"\2\4\0\1", b"\2\4\5\xb4", b"\1\1\x08\x0a" + bytes(8), b"\3\3\x0e\0", b"\2\0\0\0")
            )
            right = segment(client.port, 80, sequence, client._expected, flags, data, options=options,
                            window=rng.choice((0, 1, 1000, 65535)))  # fmt: skip
            made.append(mutated(right, rng) if rng.random() < 0.5 else right)
        for answer in exchange(made, ms=rng.choice((0, 0, 300, 2000))):
            check_sums(answer)
        client.end()
        if number % 500 == 0:
            for _ in range(8):
                exchange(ms=5000)
            assert any(b"still there" in frame for frame in exchange([ping(b"still there")]))
            client = Client(net.exchange, 600 + number // 500)
            assert get(client, "/bytes/300", b"Connection: close\r\n")[2] == pattern(300)
