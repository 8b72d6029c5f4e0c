# SPDX-License-Identifier: Apache-2.0
"""mac_rx tells of each pause frame that is to be obeyed, once and with its quanta, and of nothing else."""

import random
from pathlib import Path

import cocotb
import mac_model
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from mac_harness import FIELDS

OWN = 0x02_00_00_00_00_31


def _packed(**fields: int) -> int:
    packed = 0
    for name, width in FIELDS.items():
        packed = packed << width | fields.get(name, 0)
    return packed


async def _play(dut, stream: list[int], settings: mac_model.Settings) -> list[int]:
    """Put a stream on the pins; gives the quanta of the pauses told of."""
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    fields = {name: getattr(settings, name) for name in FIELDS if hasattr(settings, name)}
    dut.settings.value = _packed(**fields)
    dut.enable.value = dut.word_ready.value = dut.rst.value = 1
    dut.shown.value = dut.time_gray.value = 0
    dut.gmii_rxd.value = dut.gmii_rx_dv.value = dut.gmii_rx_er.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    quanta = []
    shown = False  # what the FIFO would say
    for symbol in [0] * 4 + stream + [0] * 10:
        dut.gmii_rxd.value = symbol & 0xFF
        dut.gmii_rx_dv.value = symbol >> 8 & 1
        dut.gmii_rx_er.value = symbol >> 9 & 1
        dut.shown.value = shown
        await RisingEdge(dut.clk)
        if dut.word_valid.value:
            shown = not int(dut.word.value) >> 67 & 1 and (shown or bool(dut.show.value))
        if dut.pause_valid.value:
            assert dut.disposition_valid.value
            quanta.append(int(dut.pause_quanta.value))
    return quanta


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(mii=[0, 1], rx_pause=[0, 1])
async def pauses_are_told_with_their_quanta(dut, mii: int, rx_pause: int) -> None:
    rng = random.Random(random.getrandbits(64))
    settings = mac_model.Settings(OWN, promiscuous=0, rx_pause=rx_pause, mii=mii)
    stream: list[int] = []
    expected = []
    for _ in range(60):
        to = rng.choice((mac_model.PAUSE_ADDRESS, OWN.to_bytes(6, "big"), rng.randbytes(6)))
        quanta = rng.choice((0, 1, 0xFFFF, rng.randrange(1 << 16)))
        kind = b"\x88\x08\x00" + bytes([rng.choice((1, 1, 1, 2))])
        frame = to + rng.randbytes(6) + kind + quanta.to_bytes(2, "big") + rng.randbytes(42 + rng.choice((0, 30)))
        event = mac_model.on_wire(frame)
        if rng.random() < 0.2:
            event = event[:-1] + bytes([event[-1] ^ 1])
        elif settings.pauses(frame):
            expected.append(quanta)
        stream += mac_model.mii_symbols(event, 1) if mii else mac_model.symbols(event, 1)
    told = await _play(dut, stream, settings)
    assert told == expected
    assert bool(told) == bool(rx_pause)


def test_mac_rx() -> None:
    run_bench("mac_rx_tb", extra_sources=(Path(__file__).with_name("mac_rx_tb.sv"),))
