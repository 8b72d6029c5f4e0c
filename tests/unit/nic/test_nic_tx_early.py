# SPDX-License-Identifier: Apache-2.0
"""Which frames the NIC lets begin before they are whole: those of the steady memory, while the clocks are fast enough.

What it promises then, and why it can: rtl/nic/nic_tx_engine.sv.
"""

import random

import cocotb
import pytest
from bench import SUPPORT, run_bench
from cocotb.triggers import RisingEdge, Timer
from nic_bench import CONTROL, FREEQ, MAC_ENABLE, NIC_ENABLE, SERVERS, TXQ, Nic

pytestmark = pytest.mark.slow

STEADY = 0x5000_0000
STEADY_BYTES = 0x4_0000
LINE_TICK_PS = 64 * 8000
NIC_PS = 8000
OTHER = 0x4000_0000


class Ticks:
    """Turns a signal of the NIC every `ps`; 0: never."""

    def __init__(self, signal, ps: int) -> None:
        self.signal, self.ps = signal, ps
        cocotb.start_soon(self._turn())

    async def _turn(self) -> None:
        value = 0
        while True:
            await Timer(self.ps or 100_000, "ps")
            if self.ps:
                value ^= 1
                self.signal.value = value


async def _started(dut, memory_mhz: float, line_factor: float = 1.0) -> tuple[Nic, Ticks, Ticks]:
    nic = Nic(dut)
    await nic.start()
    line = Ticks(dut.line_tick, round(LINE_TICK_PS * line_factor))
    memory = Ticks(dut.memory_tick, round(8e6 / memory_mhz))
    await nic.write(SERVERS, 1)
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
    return nic, line, memory


async def _send(nic: Nic, pointers: list[int], length: int = 300) -> list[bool]:
    nic.promised.clear()
    for pointer in pointers:
        nic.put_frame(pointer, random.randbytes(length))
        assert await nic.write(TXQ[0], pointer) == 0
    await nic.until(lambda: len(nic.promised) == len(pointers))
    return list(nic.promised)


async def _windows(count: int, factor: float = 1.0) -> None:
    await Timer(round(count * 4 * LINE_TICK_PS * factor), "ps")


@cocotb.test()
async def a_frame_in_the_steady_memory_is_promised_at_any_length(dut) -> None:
    nic, _, _ = await _started(dut, 80)
    assert await _send(nic, [STEADY]) == [False], "before anything was measured"
    await _windows(3)
    for length in (14, 60, 62, 78, 79, 1518):
        assert await _send(nic, [STEADY + 2048], length) == [True]


@cocotb.test()
async def frames_elsewhere_and_at_the_end_of_the_memory_are_not(dut) -> None:
    nic, _, _ = await _started(dut, 80)
    await _windows(3)
    inside = (STEADY, STEADY + 8, STEADY + STEADY_BYTES // 2, STEADY + STEADY_BYTES - 2056)
    outside = (STEADY - 8, STEADY + STEADY_BYTES - 2048, STEADY + STEADY_BYTES - 8, STEADY + STEADY_BYTES, OTHER, 0,
               *(STEADY ^ 1 << bit for bit in range(18, 32)))  # fmt: skip
    for pointer in inside:
        assert await _send(nic, [pointer]) == [True], hex(pointer)
    for pointer in outside:
        assert await _send(nic, [pointer]) == [False], hex(pointer)
    mixed = [STEADY, OTHER, STEADY + 4096, OTHER + 4096, STEADY + 2048]
    assert await _send(nic, mixed) == [True, False, True, False, True]


@cocotb.test()
@cocotb.parametrize(
    case=[(80, 1.0, True), (79.5, 1.0, True), (200, 1.0, True), (71, 1.0, False), (10, 1.0, False),
          (80, 10.0, True), (8, 10.0, True), (7, 10.0, False), (1000, 1.0, True), (80, 0.56, False), (140, 0.62, True),
          (140, 0.56, False)],
)  # fmt: skip
async def the_clocks_are_measured(dut, case: tuple[float, float, bool]) -> None:
    """Memory clock, the line's byte times against 8 ns: it ends at 73 MHz of either clock, a tenth of that on MII."""
    memory_mhz, line_factor, promised = case
    nic, _, _ = await _started(dut, memory_mhz, line_factor)
    await _windows(3, line_factor)
    for _ in range(6):
        assert await _send(nic, [STEADY]) == [promised]
        await _windows(1, line_factor)


@cocotb.test()
async def a_clock_that_slows_down_ends_the_promises(dut) -> None:
    nic, _, memory = await _started(dut, 80)
    await _windows(3)
    assert await _send(nic, [STEADY]) == [True]
    memory.ps = 0
    await _windows(2)
    assert await _send(nic, [STEADY]) == [False]
    memory.ps = 100_000
    await _windows(3)
    assert await _send(nic, [STEADY]) == [True]


@cocotb.test()
async def nothing_is_known_of_a_line_that_was_just_enabled(dut) -> None:
    """It may be ten times as fast as the one before, and the clocks too slow for it."""
    nic, line, _ = await _started(dut, 20, 10.0)
    await _windows(3, 10.0)
    assert await _send(nic, [STEADY]) == [True]
    await nic.write(CONTROL, NIC_ENABLE)
    line.ps = LINE_TICK_PS
    await Timer(10 * LINE_TICK_PS, "ps")
    await nic.write(CONTROL, NIC_ENABLE | MAC_ENABLE)
    for _ in range(12):
        assert await _send(nic, [STEADY]) == [False]


@cocotb.test()
async def no_promise_while_a_received_frame_goes_elsewhere(dut) -> None:
    """And none before it is in its memory; such a frame waits for those that were promised, and not for ever."""
    nic, _, _ = await _started(dut, 80)
    nic.latency = lambda: 30
    await _windows(3)
    nic.to_receive.extend([(random.randbytes(1400), 1)])
    assert await nic.write(FREEQ, OTHER) == 0
    await nic.until(lambda: nic.accesses > 20)
    assert await _send(nic, [STEADY], 60) == [False]
    await nic.clocks(600)
    assert await _send(nic, [STEADY], 60) == [True]
    # Frames to send without end: the received ones come through.
    for index in range(6):
        assert await nic.write(FREEQ, OTHER + 2048 * index) == 0
    nic.to_receive.extend([(random.randbytes(100), 1)] * 6)
    promised = await _send(nic, [STEADY + 2048 * index for index in range(40)], 1000)
    assert 0 < promised.count(False) < 40
    assert not nic.to_receive and len(nic.rx_ended) == 7


@cocotb.test()
async def what_is_promised_comes_in_time(dut) -> None:
    """Beats behind the first, beside a receive engine that writes all the time, with memory as slow as it may be."""
    nic, _, _ = await _started(dut, 80)
    nic.latency = lambda: 22  # there and back
    await _windows(3)
    for index in range(30):
        assert await nic.write(FREEQ, STEADY + 2048 * (60 + index)) == 0
    nic.to_receive.extend([(random.randbytes(1500), 1)] * 20)
    times: list[int] = []
    nic.promised.clear()
    for index, length in enumerate((60, 78, 79, 90, 150, 800, 1518)):
        nic.put_frame(STEADY + 2048 * index, random.randbytes(length))
        assert await nic.write(TXQ[0], STEADY + 2048 * index) == 0
    while len(nic.promised) < 7:
        await RisingEdge(dut.nic_clk)
        if dut.tx_frame_valid.value and dut.tx_frame_ready.value:
            times.append(nic.cycle)
            if int(dut.tx_frame.value) >> 72:
                late = [t - times[0] - (8 * k + 4 - 3) for k, t in enumerate(times)][1:]
                assert max(late, default=0) <= 0, f"{max(late)} cycles late of {len(times)} beats"
                times = []
    assert all(nic.promised)


def test_nic_tx_early() -> None:
    run_bench(
        "nic_tb",
        {"STEADY_BASE": STEADY, "STEADY_BYTES": STEADY_BYTES},
        extra_sources=(SUPPORT / "nic_tb.sv",),
    )
