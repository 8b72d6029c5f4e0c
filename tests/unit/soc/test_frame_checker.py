# SPDX-License-Identifier: Apache-2.0
"""frame_checker: a frame is good when every byte is, and anything else is found."""

import random

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles, RisingEdge
from drivers import start
from pattern import DESTINATION, SOURCE, returned, rx_fields, send

COUNTS = ("good", "bad", "missing")


class Checker:
    def __init__(self, dut, rng: random.Random, payload: int) -> None:
        self.dut, self.rng, self.payload, self.cycle = dut, rng, payload, 0
        cocotb.start_soon(self._time())

    async def _time(self) -> None:
        while True:
            self.dut.time_now.value = self.cycle
            await RisingEdge(self.dut.clk)
            self.cycle += 1

    def frame(self, number: int, age: int = 50) -> bytes:
        return returned(number, self.cycle - age & 0xFFFF_FFFF, self.payload)

    async def see(self, frame: bytes, bad: bool = False, stall: float = 0.0) -> tuple[int, ...]:
        """By how much the counts change."""
        before = self.counts()
        dut = self.dut
        await send(dut.clk, *rx_fields(dut.rx_frame), None, [(frame, bad)], self.rng, stall)
        await ClockCycles(self.dut.clk, 5)
        return tuple(now - then for now, then in zip(self.counts(), before, strict=True))

    def counts(self) -> tuple[int, ...]:
        return tuple(int(getattr(self.dut, name).value) for name in COUNTS)


async def ready(dut, payload: int = 64) -> Checker:
    for name, value in {
        "payload_bytes": payload,
        "destination": DESTINATION,
        "source": SOURCE,
        "time_now": 0,
    }.items():
        getattr(dut, name).value = value
    for field in rx_fields(dut.rx_frame):
        field.value = 0
    rng = await start(dut, 8)
    checker = Checker(dut, rng, payload)
    await ClockCycles(dut.clk, 100)
    return checker


GOOD, BAD = (1, 0, 0), (0, 1, 0)


@cocotb.test()
@cocotb.parametrize(payload=[46, 47, 50, 51, 64, 65, 128, 1486, 1500], stall=[0.0, 0.5])
async def whole_frames_in_order_are_good(dut, payload, stall) -> None:
    checker = await ready(dut, payload)
    for number in range(5):
        assert await checker.see(checker.frame(number), stall=stall) == GOOD


@cocotb.test()
@cocotb.parametrize(payload=[46, 64, 131])
async def a_wrong_bit_in_any_byte_is_found(dut, payload) -> None:
    checker = await ready(dut, payload)
    for number, at in enumerate(range(payload + 14)):
        frame = bytearray(checker.frame(number))
        frame[at] ^= 1 << checker.rng.randrange(8)
        assert await checker.see(bytes(frame)) == BAD, f"byte {at}"
        assert await checker.see(checker.frame(number)) == GOOD, "the same number, whole"


@cocotb.test()
async def a_wrong_length_is_found(dut) -> None:
    checker = await ready(dut, 64)
    for length in (14, 22, 24, 60, 70, 72, 76, 77, 79, 80, 81, 88, 1514):
        frame = returned(0, 50, 1500)[:length]
        assert await checker.see(frame) == BAD, length
    assert await checker.see(checker.frame(0)) == GOOD
    long = returned(1, 50, 4000)  # more beats than the longest frame has
    assert await checker.see(long) == BAD


@cocotb.test()
async def a_frame_that_the_mac_calls_bad_is(dut) -> None:
    checker = await ready(dut)
    assert await checker.see(checker.frame(0), bad=True) == BAD
    assert await checker.see(checker.frame(0)) == GOOD


@cocotb.test()
async def addresses_that_were_not_swapped_are_found(dut) -> None:
    checker = await ready(dut)
    frame = checker.frame(0)
    assert await checker.see(frame[6:12] + frame[:6] + frame[12:]) == BAD
    assert await checker.see(frame) == GOOD


@cocotb.test()
async def missing_repeated_and_exchanged_frames_are_found(dut) -> None:
    checker = await ready(dut)
    assert await checker.see(checker.frame(0)) == GOOD
    assert await checker.see(checker.frame(0)) == BAD, "twice"
    assert await checker.see(checker.frame(4)) == (1, 0, 3)
    assert await checker.see(checker.frame(3)) == BAD, "behind its turn, counted as missing before"
    assert await checker.see(checker.frame(5)) == GOOD
    # A pattern that belongs to another number or time.
    other = checker.frame(6, age=60)
    frame = checker.frame(6)
    assert await checker.see(frame[:24] + other[24:]) == BAD
    assert await checker.see(checker.frame(7)[:24] + frame[24:]) == BAD
    assert await checker.see(checker.frame(6)) == GOOD
    assert int(dut.good.value) + int(dut.missing.value) == 7, "every number up to the last one"


@cocotb.test()
async def numbers_far_ahead_leave_many_missing_to_the_last_bit(dut) -> None:
    checker = await ready(dut)
    assert await checker.see(checker.frame(0x7000_0000)) == (1, 0, 0x7000_0000)
    assert await checker.see(checker.frame(0xE000_0000)) == (1, 0, 0x6FFF_FFFF)
    assert await checker.see(checker.frame(0x6000_0001)) == BAD, "half of all numbers ahead is behind"


@cocotb.test()
async def round_trips_are_measured_from_the_time_in_the_frame_to_its_last_beat(dut) -> None:
    checker = await ready(dut)
    trips = []
    for number in range(20):
        age = checker.rng.randrange(1, 5000)
        frame = checker.frame(number, age)
        sent_at = checker.cycle - age
        assert await checker.see(frame, stall=0.2) == GOOD
        trips.append(checker.cycle - 5 - sent_at)  # five cycles were waited behind the last beat
    off = int(dut.rtt_min.value) - min(trips)
    assert abs(off) <= 1, "the last beat's cycle, give or take where this test counts from"
    assert int(dut.rtt_max.value) == max(trips) + off
    assert int(dut.rtt_sum.value) == sum(trips) + 20 * off
    frame = bytearray(checker.frame(20, age=100_000))
    frame[40] ^= 1
    assert await checker.see(bytes(frame)) == BAD
    assert int(dut.rtt_max.value) == max(trips) + off, "a bad frame's time is not believed"


def test_frame_checker() -> None:
    run_bench("frame_checker")
