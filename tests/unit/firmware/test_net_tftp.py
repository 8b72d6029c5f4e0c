# SPDX-License-Identifier: Apache-2.0
"""TFTP of `net`, on both stacks, on this machine under sanitizers: memory is got and put, what is wrong is refused
with a sentence, and no input breaks it."""

import itertools
import random
import struct
from collections.abc import Callable, Iterator

import needs
import pytest
from net_frames import UDP, check_sums, datagram, mutated, resolve
from net_native import BUFFERS, Native
from runs import some

RRQ, WRQ, DATA, ACK, ERROR, OACK = range(1, 7)
FIRST = 0x40100000
RETRY_MS = 250

ON_LWIP = pytest.param(True, id="lwIP", marks=needs.lwip())


@pytest.fixture(params=[pytest.param(False, id="own"), ON_LWIP])
def net(request: pytest.FixtureRequest) -> Iterator[Native]:
    with Native(lwip=request.param) as native:
        native.exchange([resolve()])
        yield native
        native.exchange(ms=15_000)
        assert native.free == BUFFERS and native.dropped == 0


def came(frames: list[bytes]) -> list[tuple[int, int, bytes]]:
    """Of datagrams: from and to which port, and what."""
    found = []
    for frame in frames:
        check_sums(frame)
        if frame[12:14] == b"\x08\0" and frame[23] == UDP:
            source, to, length = struct.unpack(">HHH", frame[34:40])
            found.append((source, to, frame[42 : 34 + length]))
    return found


def request(operation: int, name: str, *options: tuple[str, int], mode: str = "octet") -> bytes:
    texts = [name, mode, *itertools.chain.from_iterable((key, str(value)) for key, value in options)]
    return struct.pack(">H", operation) + b"".join(text.encode() + b"\0" for text in texts)


def error(answer: bytes) -> tuple[int, str]:
    operation, code = struct.unpack(">HH", answer[:4])
    assert operation == ERROR and answer.endswith(b"\0")
    return code, answer[4:-1].decode()


class Tftp:
    """A client: one transfer, step by step."""

    def __init__(self, net: Native, port: int = 3000) -> None:
        self.net, self.port, self.server = net, port, 69

    def say(self, data: bytes, *, ms: int = 0, to: int | None = None) -> bytes:
        """The one answer, or nothing."""
        frames = self.net.exchange([datagram(to or self.server, data, port=self.port)], ms=ms)
        answers = [(source, what) for source, port, what in came(frames) if port == self.port]
        assert len(answers) <= 1
        if not answers:
            return b""
        if to is None:
            self.server = answers[0][0]
        return answers[0][1]

    def wait(self, ms: int) -> list[bytes]:
        return [what for _, port, what in came(self.net.exchange(ms=ms)) if port == self.port]

    def get(self, address: int, size: int, block: int | None = None) -> bytes:
        options = () if block is None else (("blksize", block), ("tsize", 0))
        answer = self.say(request(RRQ, f"{address:x}/{size:x}", *options))
        if block is not None:
            assert answer == struct.pack(">H", OACK) + f"blksize\0{block}\0tsize\0{size}\0".encode()
            answer = self.say(struct.pack(">HH", ACK, 0))
        data, number = b"", 1
        while True:
            assert answer[:4] == struct.pack(">HH", DATA, number & 0xFFFF)
            data += answer[4:]
            answer_ack = struct.pack(">HH", ACK, number & 0xFFFF)
            if len(answer) - 4 < (block or 512):
                assert self.say(answer_ack) == b""
                return data
            answer = self.say(answer_ack)
            number += 1

    def put(self, address: int, data: bytes, block: int | None = None, *, most: int | None = None) -> None:
        options = () if block is None else (("blksize", block), ("tsize", len(data)))
        answer = self.say(request(WRQ, f"{address:X}/{most if most is not None else len(data):X}", *options))
        if block is None:
            assert answer == struct.pack(">HH", ACK, 0)
        else:
            assert answer == struct.pack(">H", OACK) + f"blksize\0{block}\0tsize\0{len(data)}\0".encode()
        block = block or 512
        for number, at in enumerate(range(0, len(data) + 1, block), 1):
            packet = struct.pack(">HH", DATA, number & 0xFFFF) + data[at : at + block]
            assert self.say(packet) == struct.pack(">HH", ACK, number & 0xFFFF)


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 5000])
@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_memory_is_got_and_put(net: Native, size: int, offset: int) -> None:
    data = random.Random(size).randbytes(size)
    net.write(FIRST, bytes(size + 16))
    Tftp(net, 3000).put(FIRST + offset, data)
    assert net.read(FIRST, size + 16) == bytes(offset) + data + bytes(16 - offset), "and nothing beside it"
    assert Tftp(net, 3001).get(FIRST + offset, size) == data
    Tftp(net, 3002).put(FIRST + 0x10000 + offset, data, 1000, most=size + 100)
    assert Tftp(net, 3003).get(FIRST + 0x10000 + offset, size, 1468) == data


@pytest.mark.slow
@pytest.mark.parametrize("put", some([False], [True]))
def test_numbers_of_blocks_wrap(put: bool) -> None:
    data = random.Random(1).randbytes(8 * 65_600 + 3)
    with Native() as net:
        net.exchange([resolve()])
        if put:
            Tftp(net).put(FIRST, data, 8)
            assert net.read(FIRST, len(data)) == data
        else:
            net.write(FIRST, data)
            assert Tftp(net).get(FIRST, len(data), 8) == data


def test_only_options_that_are_understood_are_answered(net: Native) -> None:
    ask = Tftp(net).say(request(RRQ, "40100000/10", ("timeout", 3), ("BlkSize", 9000), ("windowsize", 4)))
    assert ask == struct.pack(">H", OACK) + b"blksize\x001468\0"
    again = Tftp(net, 3001).say(request(RRQ, "40100000/10", ("blksize", 7), mode="OCTET"))
    assert again == struct.pack(">HH", DATA, 1) + bytes(16)


@pytest.mark.parametrize(
    ("what", "code", "sentence"),
    [
        (request(RRQ, "image.bin"), 1, "ADDRESS/BYTES"),
        (request(RRQ, "40100000"), 1, "ADDRESS/BYTES"),
        (request(RRQ, "40100000/"), 1, "ADDRESS/BYTES"),
        (request(RRQ, "/10"), 1, "ADDRESS/BYTES"),
        (request(RRQ, "40100000/10/"), 1, "ADDRESS/BYTES"),
        (request(RRQ, "40100000/100000000"), 1, "ADDRESS/BYTES"),
        (request(RRQ, "0x40100000/10"), 1, "ADDRESS/BYTES"),
        (request(RRQ, "400fffff/1"), 2, "from 40100000"),
        (request(WRQ, "40000000/10"), 2, "from 40100000"),
        (request(WRQ, "0/10"), 2, "from 40100000"),
        (request(WRQ, "ff000000/4"), 2, "from 40100000"),
        (request(WRQ, "50000000/10"), 2, "from 40100000"),
        (request(RRQ, "4fffffff/2"), 2, "from 40100000"),
        (request(RRQ, "40100000/ffffffff"), 2, "from 40100000"),
        (request(RRQ, "50000001/0"), 2, "from 40100000"),
        (request(RRQ, "40100000/10", mode="netascii"), 0, "octet"),
        (request(WRQ, "40100000/10", ("tsize", 17)), 3, "more than the name says"),
        (request(RRQ, "40100000/10")[:-1], 4, "a name and a mode"),
        (b"\0\1", 4, "only requests"),
        (b"", 4, "only requests"),
        (struct.pack(">HH", ACK, 0), 4, "only requests"),
        (struct.pack(">HH", 7, 0), 4, "only requests"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(net: Native, what: bytes, code: int, sentence: str) -> None:
    got, text = error(Tftp(net).say(what))
    assert got == code and sentence in text
    assert Tftp(net, 3001).get(0x4FFFFFF0, 16) == bytes(16), "the last bytes that there are"


def test_what_is_lost_is_sent_again_and_then_it_is_given_up(net: Native) -> None:
    client = Tftp(net)
    first = client.say(request(RRQ, "40100000/1000"))
    assert client.wait(RETRY_MS + 10) == [first]
    assert client.say(request(RRQ, "40100000/1000"), to=69) == first, "the request came again: its answer was lost"
    second = client.say(struct.pack(">HH", ACK, 1))
    assert second[:4] == struct.pack(">HH", DATA, 2)
    assert client.say(struct.pack(">HH", ACK, 1)) == b"", "an old acknowledgement is not answered"
    assert client.say(struct.pack(">HH", ACK, 7)) == b""
    assert client.wait(10_000) == [second] * 7
    assert net.counters()["tftp.failed"] == 1
    assert client.say(struct.pack(">HH", ACK, 2))[:2] != struct.pack(">H", DATA)


def test_the_last_acknowledgement_of_a_put_is_repeated(net: Native) -> None:
    client = Tftp(net)
    client.put(FIRST, b"x" * 10)
    last = struct.pack(">HH", DATA, 1) + b"x" * 10
    assert client.say(last) == struct.pack(">HH", ACK, 1)
    assert client.say(struct.pack(">HH", DATA, 2) + b"more") == b""
    assert client.wait(10_000) == [] and net.counters()["tftp.puts"] == 1


def test_a_put_longer_than_its_name_or_its_blocks_ends(net: Native) -> None:
    net.write(FIRST, bytes(1024))
    client = Tftp(net)
    client.say(request(WRQ, "40100000/100"))
    assert error(client.say(struct.pack(">HH", DATA, 1) + b"y" * 257))[0] == 3
    assert net.read(FIRST, 1024) == bytes(1024)
    other = Tftp(net, 3001)
    other.say(request(WRQ, "40100000/1000"))
    assert error(other.say(struct.pack(">HH", DATA, 1) + b"y" * 513))[0] == 4
    assert net.counters()["tftp.failed"] == 2


def test_a_stranger_does_not_disturb_a_transfer(net: Native) -> None:
    client = Tftp(net)
    client.say(request(RRQ, "40100000/1000"))
    assert error(Tftp(net, 4444).say(struct.pack(">HH", ACK, 1), to=client.server))[0] == 5
    assert client.say(struct.pack(">HH", ACK, 1))[:4] == struct.pack(">HH", DATA, 2)
    assert client.say(struct.pack(">HH", ERROR, 0) + b"enough\0") == b""
    assert client.wait(5000) == []


def test_a_fifth_transfer_waits_for_its_turn(net: Native) -> None:
    for port in range(3000, 3004):
        assert Tftp(net, port).say(request(RRQ, "40100000/1000"))
    assert "four transfers are open" in error(Tftp(net, 3004).say(request(RRQ, "40100000/10")))[1]
    net.exchange(ms=10_000)
    assert Tftp(net, 3005).get(FIRST, 16) == bytes(16)


def test_the_packets_are_not_memory_that_can_be_had() -> None:
    with Native(NIC_PACKET_BASE=0x48000000) as net:
        net.exchange([resolve()])
        for name in ("48000000/10", "47ffffff/2", "4803ffff/1", "40100000/8000000"):
            assert error(Tftp(net).say(request(WRQ, name)))[0] == 2
        for port, name in enumerate(("48040000/10", "47fffff0/10"), 3001):
            assert Tftp(net, port).say(request(WRQ, name)) == struct.pack(">HH", ACK, 0)


@pytest.mark.parametrize(("seed", "rounds"), some([(1, 600)], [(seed, 12_000) for seed in (2, 3)]))
def test_no_input_breaks_it(net: Native, seed: int, rounds: int) -> None:
    print(f"seed {seed}")
    rng = random.Random(seed)
    net.write(FIRST, b"\x11" * 4096)
    net.write(FIRST + 0x100000 - 16, b"\x22" * 16)
    requests = [
        request(RRQ, "40100000/1000", ("blksize", 1000), ("tsize", 0)),
        request(RRQ, "40100000/321"),
        request(WRQ, "4f200000/1000", ("blksize", 64), ("tsize", 4096)),
        request(WRQ, "4f200000/800"),
    ]
    answers: list[Callable[[int], bytes]] = [
        lambda block: struct.pack(">HH", ACK, block & 0xFFFF),
        lambda block: struct.pack(">HH", DATA, block & 0xFFFF) + rng.randbytes(rng.choice((0, 1, 64, 512, 513))),
        lambda block: struct.pack(">HH", ERROR, 1) + b"no",
        lambda block: struct.pack(">H", OACK) + b"blksize\0008\0",
        lambda block: rng.randbytes(rng.randrange(12)),
    ]
    server = 49152
    for _ in range(rounds):
        frames = [datagram(69, rng.choice(requests), port=rng.choice((3000, 3001, 3002)))]
        for _ in range(6):
            said = rng.choices(answers, (5, 5, 1, 1, 1))[0](rng.randrange(4))
            frames.append(datagram(max(0, server - rng.randrange(4)), said, port=rng.choice((3000, 3001))))
        frames = [mutated(frame, rng) if rng.random() < 0.4 else frame for frame in frames]
        found = came(net.exchange(frames, ms=rng.choice((0, 0, 1, 260))))
        server = max((source for source, _, _ in found if source > 49151), default=server)
    net.exchange(ms=10_000)
    net.exchange([resolve()])  # where we are is forgotten in minutes
    assert Tftp(net, 5000).get(FIRST, 4096) == b"\x11" * 4096, "what was only read is as it was"
    assert net.read(FIRST + 0x100000 - 16, 16) == b"\x22" * 16
