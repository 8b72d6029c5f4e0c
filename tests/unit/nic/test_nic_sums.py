# SPDX-License-Identifier: Apache-2.0
"""nic_sums and nic_tx_sums: which sums are seen to be right or wrong, and which are put in, in frames of any shape."""

import os
import random
from collections import deque

import cocotb
import pytest
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from datagrams import any_frame, exact, inserted, status
from runs import seeds, some
from scapy.layers.inet import TCP, UDP

NO_SUM = {UDP: 40, TCP: 50}  # where the sum is in a frame without tag and options


def dwords(frame: bytes) -> list[tuple[int, int, int]]:
    """Dwords with the bytes kept and whether it is the last; behind the frame's end is anything."""
    out = []
    for at in range(0, len(frame), 8):
        part = frame[at : at + 8]
        keep = 0xFF & ~(0xFF >> len(part))
        out.append((int.from_bytes(part + random.randbytes(8 - len(part)), "big"), keep, int(at + 8 >= len(frame))))
    return out


# ---- What is seen ----------------------------------------------------------------------------------------------------


class Seer:
    """nic_sums as nic_rx_engine uses it."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))  # cocotb seeds `random` from the run's printed seed

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        for name in ("start", "valid", "last", "data", "keep"):
            getattr(self.dut, name).value = 0
        await RisingEdge(self.dut.clk)

    async def status(self, frame: bytes, stall: float = 0.0) -> int:
        dut, clock = self.dut, RisingEdge(self.dut.clk)
        dut.start.value = 1
        await clock
        dut.start.value = 0
        for data, keep, last in dwords(frame):
            while stall and self.rng.random() < stall:
                dut.data.value = self.rng.getrandbits(64)
                dut.valid.value, dut.keep.value, dut.last.value = 0, 0xFF, self.rng.getrandbits(1)
                await clock
            dut.data.value, dut.keep.value, dut.last.value, dut.valid.value = data, keep, last, 1
            await clock
        dut.data.value = self.rng.getrandbits(64)
        dut.valid.value = 0
        await clock
        await clock  # now it has to stand
        seen = self.seen()
        if stall:
            await clock
            await clock
            assert self.seen() == seen, "it stays"
        return seen

    def seen(self) -> int:
        sums = int(self.dut.sums.value)
        ip, l4 = sums >> 67 & 1, sums >> 66 & 1
        ip_right = _halves(sums >> 44 & (1 << 21) - 1) == 0xFFFF
        l4_right = _halves(sums >> 12 & (1 << 32) - 1) == 0xFFFF
        return ip * (2 if ip_right else 4) + l4 * (8 if l4_right else 16)


def _halves(number: int) -> int:
    return (number >> 16) + (number & 0xFFFF)


async def seer(dut) -> Seer:
    made = Seer(dut)
    await made.start()
    return made


@cocotb.test()
async def seen_every_length_of_udp_and_tcp_is_right(dut) -> None:
    see = await seer(dut)
    step = int(os.environ["STEP"])
    for kind, protocol in ((UDP, 17), (TCP, 6)):
        for tagged in (False, True):
            for length in [*range(14, 86), *range(86, 1515, step), *range(1500, 1515)]:
                frame = exact(kind, length, tagged=tagged, rng=see.rng)
                smallest = 34 + 4 * tagged
                right = 0 if length < smallest else 2 if length < smallest + {17: 8, 6: 20}[protocol] else 10
                assert await see.status(frame) == right, (kind, tagged, length)


@cocotb.test()
async def seen_one_wrong_bit_anywhere_is_wrong_and_padding_does_not_matter(dut) -> None:
    see = await seer(dut)
    for kind in (UDP, TCP):
        for length in range(54, 66):
            frame = exact(kind, length, rng=see.rng)
            for byte in (24, 25, 26, 29, 30, 33):
                wrong = bytearray(frame)
                wrong[byte] ^= 1 << see.rng.randrange(8)
                assert await see.status(bytes(wrong)) == (4 | (8 if byte < 26 else 16)), "a sum or an address"
            for byte in range(42, length):
                wrong = bytearray(frame)
                wrong[byte] ^= 1 << see.rng.randrange(8)
                assert await see.status(bytes(wrong)) == 2 | 16
            for padding in (1, 2, 5, 8, 13):
                assert await see.status(frame + see.rng.randbytes(padding)) == 2 | 8


@cocotb.test()
async def seen_any_frame_as_the_model_says(dut) -> None:
    see = await seer(dut)
    seen = {}
    for _ in range(int(os.environ["FRAMES"])):
        frame = any_frame(see.rng)
        verdict = await see.status(frame, see.rng.choice((0.0, 0.0, 0.3)))
        assert verdict == status(frame), frame.hex()
        seen[verdict] = seen.get(verdict, 0) + 1
    assert set(seen) == {0, 2, 4, 10, 12, 18, 20}, f"frames of every kind: {seen}"


# ---- What is put in --------------------------------------------------------------------------------------------------


class Putter:
    """nic_tx_sums between a shifter and an output register, one pass a cycle."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))
        self.to_send: deque[tuple[bytes, int, int]] = deque()  # frame, what it asks, user: bad, stamp, steady
        self.sent: list[tuple[bytes, int]] = []  # frame, user
        self.begun_in: list[int] = []  # cycles of first beats, in and out
        self.begun_out: list[int] = []
        self.ended_out: list[int] = []
        self.stall_in = self.stall_out = 0.0
        self.unfit = 0
        self.cycle = 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for name in ("in_frame", "wanted", "out_ready"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, rng, clock = self.dut, self.rng, RisingEdge(self.dut.clk)
        beats: deque[tuple[int, int, int]] = deque()
        wanted = user = 0
        offered = False
        received, users = bytearray(), set()
        while True:
            await clock
            self.cycle += 1
            self.unfit += int(dut.unfit.value)
            out = int(dut.out_frame.value)
            if out & 1 and dut.out_ready.value:
                keep = out >> 1 & 0xFF
                if not users:
                    self.begun_out.append(self.cycle)
                users.add(out >> 74 & 3)
                received += (out >> 9 & (1 << 64) - 1).to_bytes(8, "big")[: keep.bit_count()]
                assert out >> 73 & 1 or (keep == 0xFF and not out >> 76), "only the last beat is partial, or bad"
                if out >> 73 & 1:
                    assert len(users) == 1, "the same for all beats"
                    self.sent.append((bytes(received), users.pop() | out >> 76 << 2))
                    self.ended_out.append(self.cycle)
                    received.clear()
            if offered and dut.in_ready.value:
                beats.popleft()
                offered = False
            if not offered:
                if not beats and self.to_send:
                    frame, wanted, user = self.to_send.popleft()
                    beats = deque(dwords(frame))
                    self.begun_in.append(self.cycle + 1)
                if beats and not (self.stall_in and rng.random() < self.stall_in):
                    data, keep, last = beats[0]
                    bad = user >> 2 & last
                    dut.in_frame.value = bad << 76 | (user & 3) << 74 | last << 73 | data << 9 | keep << 1 | 1
                    dut.wanted.value = wanted
                    offered = True
                else:
                    dut.in_frame.value = rng.getrandbits(76) << 1
                    dut.wanted.value = wanted if beats else rng.getrandbits(2)
            dut.out_ready.value = int(not self.stall_out or rng.random() >= self.stall_out)

    async def until_sent(self, count: int) -> None:
        for _ in range(400_000):
            if len(self.sent) >= count:
                return
            await RisingEdge(self.dut.clk)
        raise AssertionError("frames stay inside")


async def putter(dut) -> Putter:
    made = Putter(dut)
    await made.start()
    return made


@cocotb.test()
async def put_every_length_of_udp_and_tcp_is_as_scapy_sums_it(dut) -> None:
    put = await putter(dut)
    step = int(os.environ["STEP"])
    expected, unfit = [], 0
    for kind, place, smallest in ((UDP, 40, 42), (TCP, 50, 54)):
        for tag in (0, 4):
            for length in [*range(14, 86), *range(86, 1515, step), *range(1500, 1515)]:
                frame = exact(kind, length, tagged=bool(tag), rng=put.rng)
                sent = bytearray(frame)
                if length >= smallest + tag:
                    sent[24 + tag : 26 + tag] = put.rng.randbytes(2)
                    sent[place + tag : place + tag + 2] = put.rng.randbytes(2)
                else:
                    unfit += 1
                expected.append(frame)
                put.to_send.append((bytes(sent), 3, 0))
    await put.until_sent(len(expected))
    assert [frame for frame, _ in put.sent] == expected
    assert put.unfit == unfit


@cocotb.test()
async def put_any_frame_is_as_the_model_says_in_order_and_counted(dut) -> None:
    put = await putter(dut)
    expected, unfit, made = [], 0, 0
    for _ in range(int(os.environ["FRAMES"])):
        frame, wanted, user = any_frame(put.rng), put.rng.randrange(4), put.rng.choice((0, 0, 2, 4, 6))
        wanted = put.rng.choice((wanted, 3))
        result = inserted(frame, bool(wanted & 1), bool(wanted & 2))
        if result is None:
            unfit += not user & 4
        elif user & 4:
            result = None  # whatever: it is not sent
        elif wanted:
            made += 1
        expected.append((result or frame, user))
        put.to_send.append((frame, wanted, user))
    put.stall_in, put.stall_out = put.rng.choice(((0.0, 0.0), (0.3, 0.0), (0.0, 0.3), (0.2, 0.5)))
    await put.until_sent(len(expected))
    for (got, got_user), (frame, user) in zip(put.sent, expected, strict=True):
        assert got_user == user
        assert user & 4 or got == frame, (got.hex(), frame.hex())
    assert put.unfit == unfit and unfit and made > len(expected) // 6, (put.unfit, unfit, made)


@cocotb.test()
async def put_the_two_zeros(dut) -> None:
    """A UDP sum of 0 goes out as 0xFFFF, a TCP sum of 0 and one of the header as 0."""
    put = await putter(dut)
    frames = []
    for kind in (UDP, TCP):
        frame = bytearray(exact(kind, 80, rng=put.rng))
        place = NO_SUM[kind]
        sum_ = int.from_bytes(frame[place : place + 2], "big")
        # Makes the data's sum larger by what its sum lacks.
        last = int.from_bytes(frame[78:80], "big") + sum_
        frame[78:80] = (last % 0x10000 + last // 0x10000).to_bytes(2, "big")
        frames.append(bytes(frame))
        header = int.from_bytes(frame[24:26], "big")
        ident = int.from_bytes(frame[18:20], "big") + header
        frame[18:20] = (ident % 0x10000 + ident // 0x10000).to_bytes(2, "big")
        frames.append(bytes(frame))
    put.to_send += [(frame, 3, 0) for frame in frames]
    await put.until_sent(len(frames))
    sums = [(frame[24:26].hex(), frame[NO_SUM[kind]:][:2].hex())
            for (frame, _), kind in zip(put.sent, (UDP, UDP, TCP, TCP), strict=True)]  # fmt: skip
    assert sums[0][1] == sums[1][1] == "ffff" and sums[2][1] == sums[3][1] == "0000", sums
    assert sums[1][0] == sums[3][0] == "0000", sums
    assert [frame for frame, _ in put.sent] == [inserted(frame, True, True) for frame in frames]


@cocotb.test()
async def put_only_who_asks_waits(dut) -> None:
    put = await putter(dut)
    frame = exact(UDP, 64, rng=put.rng)
    put.to_send += [(frame, 0, 1)] * 3
    await put.until_sent(3)
    assert put.begun_out == put.begun_in and put.begun_out[1] - put.begun_out[0] == 8, "as if it were not there"
    assert [user for _, user in put.sent] == [1] * 3, "a promise passes"
    for length in (64, 1514):
        beats = (length + 7) // 8
        put.begun_in.clear(), put.begun_out.clear(), put.sent.clear()
        put.to_send += [(exact(TCP, length, rng=put.rng), 3, 0)] * 4
        await put.until_sent(4)
        assert put.begun_out[0] - put.begun_in[0] == beats + 5
        assert put.begun_out[3] - put.begun_out[2] == 2 * beats + 5
    put.begun_in.clear(), put.begun_out.clear(), put.sent.clear(), put.ended_out.clear()
    other = exact(UDP, 200, rng=put.rng)
    put.to_send += [(frame, 2, 1), (other, 0, 1)]
    await put.until_sent(2)
    assert put.sent == [(frame, 0), (other, 1)], "in order; who asked makes no promise"
    assert put.begun_out[1] == put.ended_out[0] + 1


@pytest.mark.parametrize("seed", seeds(1, 8))
def test_what_is_seen(seed: int) -> None:
    extra = {"FRAMES": "600", "STEP": "1"}
    run_bench("nic_sums", testcase="seen_any_frame_as_the_model_says", seed=seed, extra_env=extra)


@pytest.mark.slow
@pytest.mark.parametrize("step", some([97], [1]))
def test_what_is_seen_by_length(step: int) -> None:
    for case in ("seen_every_length_of_udp_and_tcp_is_right",
                 "seen_one_wrong_bit_anywhere_is_wrong_and_padding_does_not_matter"):  # fmt: skip
        run_bench("nic_sums", testcase=case, extra_env={"FRAMES": "0", "STEP": str(step)})


@pytest.mark.parametrize("seed", seeds(1, 8))
def test_what_is_put_in(seed: int) -> None:
    extra = {"FRAMES": "250", "STEP": "1"}
    run_bench("nic_tx_sums", testcase="put_any_frame_is_as_the_model_says_in_order_and_counted", seed=seed,
              extra_env=extra)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("step", some([97], [1]))
def test_what_is_put_in_by_length(step: int) -> None:
    for case in ("put_every_length_of_udp_and_tcp_is_as_scapy_sums_it", "put_the_two_zeros", "put_only_who_asks_waits"):
        run_bench("nic_tx_sums", testcase=case, extra_env={"FRAMES": "0", "STEP": str(step)})
