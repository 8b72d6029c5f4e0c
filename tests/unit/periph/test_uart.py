# SPDX-License-Identifier: Apache-2.0
"""uart against a transmitter and a receiver that know bits and time, but not the block's clock."""

from itertools import pairwise

import cocotb
from bench import run_bench
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, Timer
from cocotb.utils import get_sim_time
from drivers import AFB, Master, Port, Request, only_these_offsets_exist, start, within

CLOCK_PS = 10_000
TX_DATA, RX_DATA, STATUS, DIVISOR = 0x00, 0x04, 0x08, 0x0C
TX_FULL, TX_IDLE, RX_WAITS, OVERRUN, OVERFLOW, FRAMING = (1 << i for i in range(6))
DIVISORS = [4, 5, 8, 33]


class Uart:
    """The block's registers and its two wires."""

    def __init__(self, dut, rng) -> None:
        self.dut, self.rng = dut, rng
        dut.uart_rxd.value = 1
        self.bus = Master(Port(dut, "afb", AFB), rng)
        self.bit_ps = CLOCK_PS * 8

    async def read(self, offset: int, mask: int = 0xF) -> int:
        response = await self.bus.call(Request(offset, True, mask))
        assert not response.err
        return response.data

    async def write(self, offset: int, *values: int, mask: int = 0xF) -> None:
        response = await self.bus.call(*(Request(offset, False, mask, v) for v in values))
        assert (response.data, response.err) == (0, False)

    async def set_divisor(self, divisor: int) -> None:
        await self.write(DIVISOR, divisor)
        self.bit_ps = CLOCK_PS * divisor

    async def say(self, byte: int, *, stop: int = 1, speed: float = 1.0, idle_bits: float = 0.0) -> None:
        """Put a byte on uart_rxd, `speed` times as fast as the block expects, at any phase of its clock."""
        bit = round(self.bit_ps / speed)
        for level in [0, *(byte >> i & 1 for i in range(8)), stop]:
            self.dut.uart_rxd.value = level
            await Timer(bit, "ps")
        self.dut.uart_rxd.value = 1
        if idle_bits:
            await Timer(max(1, round(bit * idle_bits)), "ps")

    async def hear(self, count: int) -> list[tuple[int, int]]:
        """Bytes from uart_txd with the times of their start edges in ps; each bit is sampled in its middle."""
        heard = []
        for _ in range(count):
            await FallingEdge(self.dut.uart_txd)
            began = int(get_sim_time("ps"))
            await Timer(self.bit_ps // 2, "ps")
            assert not self.dut.uart_txd.value, "start bit"
            byte = 0
            for i in range(8):
                await Timer(self.bit_ps, "ps")
                byte |= int(self.dut.uart_txd.value) << i
            await Timer(self.bit_ps, "ps")
            assert self.dut.uart_txd.value, "stop bit"
            heard.append((byte, began))
        return heard


async def uart_of(dut) -> Uart:
    return Uart(dut, await start(dut, CLOCK_PS // 1000))


@cocotb.test()
@cocotb.parametrize(divisor=DIVISORS)
async def bytes_written_are_on_the_line_at_the_divisor_s_rate(dut, divisor) -> None:
    uart = await uart_of(dut)
    await uart.set_divisor(divisor)
    sent = uart.rng.randbytes(16)
    listening = cocotb.start_soon(uart.hear(len(sent)))
    assert await uart.read(STATUS) == TX_IDLE
    await uart.write(TX_DATA, *sent)
    assert not await uart.read(STATUS) & TX_IDLE
    heard = await within(dut, 12 * divisor * len(sent), listening)
    assert bytes(byte for byte, _ in heard) == sent
    starts = [began for _, began in heard]
    assert {b - a for a, b in pairwise(starts)} == {10 * divisor * CLOCK_PS}, "no gap, no drift"
    assert not await uart.read(STATUS) & TX_IDLE, "the last stop bit is not over"
    await ClockCycles(dut.clk, divisor)
    assert await uart.read(STATUS) == TX_IDLE


@cocotb.test()
async def the_longest_bit_lasts_as_long_either_way(dut) -> None:
    uart = await uart_of(dut)
    await uart.set_divisor(0xFFFF)

    async def first_bit() -> int:
        await FallingEdge(dut.uart_txd)
        began = get_sim_time("ps")
        await RisingEdge(dut.uart_txd)
        return int(get_sim_time("ps") - began)

    listening = cocotb.start_soon(first_bit())
    await uart.write(TX_DATA, 0x55)
    uart.bus.task.cancel()  # 600,000 cycles in which nothing happens there
    await uart.say(0xA5)
    assert await listening == 0xFFFF * CLOCK_PS
    uart.bus = Master(Port(dut, "afb", AFB), uart.rng)
    assert await uart.read(RX_DATA) == 0x1A5


@cocotb.test()
async def a_byte_for_a_full_fifo_is_lost_and_the_overflow_bit_stays_until_cleared(dut) -> None:
    uart = await uart_of(dut)
    listening = cocotb.start_soon(uart.hear(18))
    await uart.write(TX_DATA, *range(100, 120))
    assert await uart.read(STATUS) == TX_FULL | OVERFLOW
    await uart.write(STATUS, OVERRUN | FRAMING)
    assert await uart.read(STATUS) & OVERFLOW, "cleared by its own bit only"
    await uart.write(STATUS, OVERFLOW)
    assert not await uart.read(STATUS) & OVERFLOW
    await ClockCycles(dut.clk, 17 * 10 * 8)
    await uart.write(TX_DATA, 0x55)
    heard = [byte for byte, _ in await within(dut, 1000, listening)]
    assert heard == [*range(100, 117), 0x55], "16 in the FIFO and the one on the line"


@cocotb.test()
@cocotb.parametrize(divisor=DIVISORS, speed=[1.0, 0.98, 1.02])
async def bytes_on_the_line_are_received_whatever_their_phase(dut, divisor, speed) -> None:
    uart = await uart_of(dut)
    await uart.set_divisor(divisor)
    sent = bytes([0x00, 0xFF, 0x55, 0xAA]) + uart.rng.randbytes(20)
    got = bytearray()

    async def reader() -> None:
        while len(got) < len(sent):
            assert not await uart.read(STATUS) & (FRAMING | OVERRUN)
            value = await uart.read(RX_DATA)
            if value:
                assert value >> 8 == 1
                got.append(value & 0xFF)

    reading = cocotb.start_soon(reader())
    await Timer(uart.rng.randrange(1, CLOCK_PS), "ps")
    for byte in sent:
        await uart.say(byte, speed=speed, idle_bits=uart.rng.choice([0, 0, 0.3, 2.7]))
    await within(dut, 2000, reading)
    assert got == sent
    assert await uart.read(RX_DATA) == 0
    assert not dut.irq.value


@cocotb.test()
async def irq_is_high_while_a_byte_waits_and_only_a_read_of_the_byte_takes_it(dut) -> None:
    uart = await uart_of(dut)
    assert not dut.irq.value
    await uart.say(0xA5, idle_bits=1)
    assert dut.irq.value
    assert await uart.read(STATUS) == TX_IDLE | RX_WAITS
    await uart.read(RX_DATA, mask=0b0010)  # looks at the bit only
    await uart.write(RX_DATA, 0)
    assert await uart.read(RX_DATA) == 0x1A5
    await ClockCycles(dut.clk, 2)
    assert not dut.irq.value
    assert await uart.read(STATUS) == TX_IDLE


@cocotb.test()
async def sixteen_bytes_wait_the_next_is_lost_and_counted_as_overrun(dut) -> None:
    uart = await uart_of(dut)
    for n in range(16):
        await uart.say(n)
    await Timer(uart.bit_ps, "ps")
    assert await uart.read(STATUS) == TX_IDLE | RX_WAITS
    await uart.say(0x77, idle_bits=1)
    assert await uart.read(STATUS) == TX_IDLE | RX_WAITS | OVERRUN
    assert [await uart.read(RX_DATA) for _ in range(17)] == [*(0x100 | n for n in range(16)), 0]
    await uart.write(STATUS, OVERRUN)
    assert await uart.read(STATUS) == TX_IDLE
    await uart.say(0x42, idle_bits=1)
    assert await uart.read(RX_DATA) == 0x142


@cocotb.test()
@cocotb.parametrize(divisor=DIVISORS)
async def a_low_stop_bit_is_a_framing_error_and_a_break_is_one(dut, divisor) -> None:
    uart = await uart_of(dut)
    await uart.set_divisor(divisor)
    await uart.say(0x3C, stop=0, idle_bits=1)
    assert await uart.read(STATUS) == TX_IDLE | FRAMING, "the byte is not passed on"
    await uart.write(STATUS, FRAMING)
    assert await uart.read(STATUS) == TX_IDLE
    await uart.say(0xC3, idle_bits=1)
    assert await uart.read(RX_DATA) == 0x1C3

    dut.uart_rxd.value = 0
    await Timer(12 * uart.bit_ps, "ps")
    assert await uart.read(STATUS) == TX_IDLE | FRAMING
    await uart.write(STATUS, FRAMING)
    await Timer(30 * uart.bit_ps, "ps")
    assert await uart.read(STATUS) == TX_IDLE, "the same break is not an error again"
    dut.uart_rxd.value = 1
    await Timer(uart.bit_ps, "ps")
    await uart.say(0x99, idle_bits=1)
    assert await uart.read(RX_DATA) == 0x199


@cocotb.test()
async def a_glitch_shorter_than_half_a_bit_is_no_start_bit(dut) -> None:
    uart = await uart_of(dut)
    await uart.set_divisor(20)
    for width in (1, 5, 8):
        dut.uart_rxd.value = 0
        await Timer(width * CLOCK_PS, "ps")
        dut.uart_rxd.value = 1
        await Timer(12 * uart.bit_ps, "ps")
        assert await uart.read(STATUS) == TX_IDLE
    await uart.say(0x18, idle_bits=1)
    assert await uart.read(RX_DATA) == 0x118


@cocotb.test()
async def the_divisor_is_written_by_bytes_and_is_at_least_four(dut) -> None:
    uart = await uart_of(dut)
    assert await uart.read(DIVISOR) == int(dut.DIVISOR_RESET.value)
    await uart.write(DIVISOR, 0x1234_5678)
    assert await uart.read(DIVISOR) == 0x5678
    await uart.write(DIVISOR, 0xAAAA_AAAA, mask=0b0010)
    assert await uart.read(DIVISOR) == 0xAA78
    await uart.write(DIVISOR, 3)
    assert await uart.read(DIVISOR) == 4


@cocotb.test()
@cocotb.parametrize(stalls=[(0.0, 0.0), (0.3, 0.6), (0.0, 0.8)])
async def every_access_is_answered_once_and_no_byte_is_taken_twice(dut, stalls) -> None:
    uart = await uart_of(dut)
    await only_these_offsets_exist(dut, uart.bus, {TX_DATA, RX_DATA, STATUS, DIVISOR})
    for n in range(16):
        await uart.say(n + 1)
    await Timer(uart.bit_ps, "ps")
    uart.bus.stall, uart.bus.rsp_stall = stalls
    uart.bus.send([Request(RX_DATA, True, 0xF) for _ in range(30)])
    taken = [r.data for r in await within(dut, 500, uart.bus.all_done())]
    assert taken == [0x101 + n for n in range(16)] + [0] * 14
    await ClockCycles(dut.clk, 10)
    assert not uart.bus.responses, "a response too many"


def test_uart() -> None:
    run_bench("uart")
