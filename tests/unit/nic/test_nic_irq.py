# SPDX-License-Identifier: Apache-2.0
"""The interrupt block in every cycle against a history of what happened: masks, moderation, clears, all at once.

The model keeps no counters: it looks back over the cycles since the causes began to stand.
"""

import random
from dataclasses import dataclass

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

RX, TX_DONE, ERROR = 0xF, 0x100, 0x200


@dataclass
class Cycle:
    standing: bool  # an unmasked moderated cause
    error: bool  # an unmasked error
    arrived: int  # frames counted in this cycle
    frames: int
    cycles: int
    raised: bool = False


class Model:
    def __init__(self) -> None:
        self.history: list[Cycle] = [Cycle(False, False, 0, 0, 0)]

    def next(self, cycle: Cycle) -> bool:
        """Is the line raised in this cycle? (One cycle later it is seen.)"""
        past = self.history[-1]
        span = 0  # cycles before this one, the causes standing in all of them
        while span < len(self.history) and self.history[-1 - span].standing:
            span += 1
        due = False
        if past.standing:
            arrived = sum(c.arrived for c in self.history[len(self.history) - span : -1])
            due = arrived >= past.frames or span - 1 >= past.cycles
        at_once = past.frames <= 1 or past.cycles == 0
        cycle.raised = cycle.error or (cycle.standing and (past.raised or at_once or due))
        self.history.append(cycle)
        return cycle.raised


class Irq:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = random.Random(random.getrandbits(64))
        self.depth = [0] * 4

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        self.dut.rst.value = 1
        for name in ("enable", "mask", "clear", "moderation", "rx_event", "tx_event", "error_event"):
            getattr(self.dut, name).value = 0
        self.dut.rx_empty.value = 0xF
        await self.edge()
        self.dut.rst.value = 0
        self.dut.enable.value = 1
        await self.edge()

    async def edge(self) -> None:
        await RisingEdge(self.dut.clk)
        await FallingEdge(self.dut.clk)  # inputs change here, outputs are looked at here

    def moderate(self, frames: int, cycles: int) -> None:
        self.dut.moderation.value = cycles << 8 | frames

    async def deliver(self, server: int) -> None:
        self.dut.rx_event.value = 1 << server
        await self.edge()
        self.dut.rx_event.value = 0
        self.depth[server] += 1
        self._show()

    def pop(self, server: int) -> None:
        self.depth[server] -= 1
        self._show()

    def _show(self) -> None:
        self.dut.rx_empty.value = sum((not n) << s for s, n in enumerate(self.depth))

    async def clear(self, bits: int) -> None:
        self.dut.clear.value = bits
        await self.edge()
        self.dut.clear.value = 0

    async def rises_after(self, limit: int = 400) -> int:
        for cycles in range(limit):
            if self.dut.irq.value:
                return cycles
            await self.edge()
        raise AssertionError("the interrupt does not come")

    async def stays_low(self, cycles: int) -> None:
        for _ in range(cycles):
            assert not self.dut.irq.value
            await self.edge()


async def started(dut) -> Irq:
    irq = Irq(dut)
    await irq.start()
    return irq


@cocotb.test()
async def every_cycle_is_as_the_history_says(dut) -> None:
    irq = await started(dut)
    rng, model = irq.rng, Model()
    tx_done = error = False
    mask = frames = cycles = 0
    expected = 0
    arriving = [0] * 4  # pushed at the last edge
    tx_event = error_event = clear = 0
    busy, raised, rises = 0.1, 0, 0
    for step in range(25_000):
        # What the last edge did
        tx_done = bool(tx_event) or (tx_done and not clear & TX_DONE)
        error = bool(error_event) or (error and not clear & ERROR)
        for server in range(4):
            irq.depth[server] += arriving[server]
        pushed = sum(a << s for s, a in enumerate(arriving))
        sent = bool(tx_event)
        # What happens now
        if step % 500 == 0:
            busy = rng.choice([0.003, 0.02, 0.3])
            drains = rng.choice([0.01, 0.1, 0.5])
        if rng.random() < 0.01:
            mask = rng.choice([0, RX, RX | TX_DONE, TX_DONE, RX | TX_DONE | ERROR, rng.getrandbits(10) & 0x30F])
        if rng.random() < 0.005:
            frames, cycles = rng.choice([0, 1, 2, 5, 20, 255]), rng.choice([0, 1, 2, 30, 200])
        clear = rng.choice([TX_DONE, ERROR, TX_DONE | ERROR]) if rng.random() < drains else 0
        for server in range(4):
            if irq.depth[server] and rng.random() < drains:
                irq.depth[server] -= 1
        arriving = [0] * 4
        if rng.random() < busy:
            arriving[rng.randrange(4)] = 1
        if rng.random() < 0.001:
            irq.depth[rng.randrange(4)] += 1  # the processor itself pushed: a cause without an event
        tx_event, error_event = int(rng.random() < busy), int(rng.random() < busy / 10)
        dut.mask.value = mask
        irq.moderate(frames, cycles)
        dut.clear.value = clear
        dut.rx_event.value = sum(a << s for s, a in enumerate(arriving))
        dut.tx_event.value = tx_event
        dut.error_event.value = error_event
        irq._show()
        nonempty = sum((n > 0) << s for s, n in enumerate(irq.depth))
        # Frames of the last edge whose cause the mask lets through now
        counted = (pushed & mask & RX != 0) + (sent and bool(mask & TX_DONE))
        standing = bool(nonempty & mask) or (tx_done and bool(mask & TX_DONE))
        raised = model.next(Cycle(standing, error and bool(mask & ERROR), counted, frames, cycles))
        await irq.edge()
        rises += raised and not expected
        expected = raised
        assert int(dut.irq.value) == raised, f"in cycle {step}"
        assert int(dut.status.value) & RX == nonempty
    assert rises > 100


@cocotb.test()
async def without_moderation_the_first_frame_raises(dut) -> None:
    irq = await started(dut)
    dut.mask.value = RX
    for frames, cycles in ((0, 0), (1, 0), (0, 500), (1, 500), (200, 0)):
        irq.moderate(frames, cycles)
        await irq.deliver(2)
        assert await irq.rises_after() == 1
        irq.pop(2)
        await irq.edge()
        await irq.stays_low(10)


@cocotb.test()
async def the_count_raises(dut) -> None:
    irq = await started(dut)
    dut.mask.value = RX | TX_DONE
    irq.moderate(5, 10_000)
    for server in (0, 3, 3, 1):
        await irq.deliver(server)
        await irq.stays_low(20)
    dut.tx_event.value = 1  # the fifth
    await irq.edge()
    dut.tx_event.value = 0
    assert await irq.rises_after() == 3
    for server in (0, 3, 3):
        irq.pop(server)
        await irq.edge()
    await irq.clear(TX_DONE)
    assert dut.irq.value, "it stays until no unmasked cause is left"
    irq.pop(1)
    await irq.edge()
    await irq.stays_low(50)


@cocotb.test()
async def two_frames_at_once_pass_over_the_greatest_count(dut) -> None:
    irq = await started(dut)
    dut.mask.value = RX | TX_DONE
    irq.moderate(255, 100_000)
    irq.depth[1] = 1
    irq._show()
    await irq.edge()
    for _ in range(128):  # 254, then 256
        dut.rx_event.value, dut.tx_event.value = 2, 1
        await irq.edge()
    dut.rx_event.value = dut.tx_event.value = 0
    assert await irq.rises_after() <= 3


@cocotb.test()
async def the_time_raises(dut) -> None:
    irq = await started(dut)
    dut.mask.value = RX
    for cycles in (1, 2, 10, 300):
        irq.moderate(5, cycles)
        await irq.deliver(1)
        assert await irq.rises_after() == cycles + 2  # of the event's own cycle on: cycles + 3
        irq.pop(1)
        await irq.edge()


@cocotb.test()
async def polling_before_the_line_rises_takes_count_and_time_with_it(dut) -> None:
    irq = await started(dut)
    dut.mask.value = RX
    irq.moderate(3, 100)
    for _ in range(30):
        for _ in range(2):
            await irq.deliver(0)
        await irq.stays_low(irq.rng.randrange(90))
        for _ in range(2):
            irq.pop(0)
        await irq.stays_low(irq.rng.randrange(1, 5))
    await irq.deliver(0)
    assert await irq.rises_after() == 102, "the whole time, from its own first frame on"


@cocotb.test()
async def an_event_in_the_very_cycle_of_the_clear_is_not_lost(dut) -> None:
    irq = await started(dut)
    for bit, event in ((TX_DONE, dut.tx_event), (ERROR, dut.error_event)):
        dut.mask.value = bit
        event.value = 1
        await irq.edge()
        event.value = 0
        await irq.edge()
        assert dut.irq.value
        event.value = 1
        await irq.clear(bit)
        event.value = 0
        for _ in range(10):
            assert dut.irq.value and int(dut.status.value) & bit
            await irq.edge()
        await irq.clear(bit)
        await irq.edge()
        await irq.stays_low(10)


@cocotb.test()
async def frames_that_wait_behind_the_mask_are_told_of_when_it_opens(dut) -> None:
    irq = await started(dut)
    irq.moderate(4, 60)
    for _ in range(5):
        await irq.deliver(2)
    await irq.stays_low(200)
    dut.mask.value = RX
    assert 60 <= await irq.rises_after() <= 64
    dut.mask.value = RX & ~4
    await irq.edge()
    await irq.stays_low(5)
    dut.mask.value = RX
    await irq.stays_low(20)
    irq.moderate(4, 0)
    assert await irq.rises_after() <= 2, "no time: at once"


@cocotb.test()
async def an_error_does_not_wait(dut) -> None:
    irq = await started(dut)
    irq.moderate(255, 100_000)
    dut.mask.value = RX | ERROR
    await irq.deliver(0)
    await irq.stays_low(30)
    dut.error_event.value = 1
    await irq.edge()
    dut.error_event.value = 0
    assert await irq.rises_after() == 1
    await irq.clear(ERROR)
    await irq.edge()
    assert dut.irq.value, "risen, it stays: a frame is there, too"
    irq.pop(0)
    await irq.edge()
    await irq.stays_low(10)


@cocotb.test()
async def a_disabled_line_keeps_its_causes(dut) -> None:
    irq = await started(dut)
    dut.mask.value = RX
    irq.moderate(1, 1)
    dut.enable.value = 0
    await irq.deliver(0)
    await irq.stays_low(20)
    dut.enable.value = 1
    assert await irq.rises_after() == 1


def test_nic_irq() -> None:
    run_bench("nic_irq")
