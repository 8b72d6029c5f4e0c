# SPDX-License-Identifier: Apache-2.0
"""mac_example on its GMII pins, against source and sink of cocotbext-eth: either role."""

import random

import cocotb
from bench import run_bench
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource
from pattern import DESTINATION, SOURCE, generated, swapped


async def ready(dut, **settings: int):
    for name, value in {
        "enable": 0,
        "echo": 0,
        "delay_cycles": 0,
        "frame_count": 0,
        "payload_bytes": 64,
        "destination": DESTINATION,
        "source": SOURCE,
        **settings,
    }.items():
        getattr(dut, name).value = value
    dut.arst.value = 0
    for delay, clock in ((0, dut.gmii_rx_clk), (3, dut.gmii_tx_clk), (2, dut.user_clk)):
        await Timer(delay, "ns") if delay else None
        cocotb.start_soon(Clock(clock, 8, "ns").start())
    dut.arst.value = 1
    source = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.gmii_rx_clk)
    sink = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.gmii_tx_clk)
    for model in (source, sink):
        model.log.setLevel("WARNING")
    await Timer(100, "ns")
    dut.arst.value = 0
    await Timer(100, "ns")
    return source, sink


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_echo_sends_every_good_frame_back_with_its_addresses_swapped(dut) -> None:
    source, sink = await ready(dut, echo=1, enable=1)
    frames = [random.randbytes(length) for length in [*range(60, 80), 500, 1514]]
    for index, frame in enumerate(frames):
        await source.send(GmiiFrame.from_payload(frame))
        if index % 4 == 0:  # and one that is not to come back
            bad = GmiiFrame.from_payload(frame)
            bad.error = [0] * 40 + [1] + [0] * (len(bad.data) - 41)
            await source.send(bad)
    for frame in frames:
        got = await sink.recv()
        assert got.check_fcs() and bytes(got.get_payload()) == swapped(frame)
    await Timer(20, "us")
    assert sink.empty() and dut.sent.value == len(frames)
    assert dut.begun.value == 0 and dut.good.value == 0, "it does not generate besides"


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def the_checker_counts_what_the_other_end_does_to_the_generators_frames(dut) -> None:
    """The other end loses the third frame, spoils the fifth and sends the seventh twice."""
    source, sink = await ready(dut, payload_bytes=100, frame_count=10, enable=1)
    for number in range(10):
        frame = bytes((await sink.recv()).get_payload())
        assert frame == generated(number, int.from_bytes(frame[18:22], "big"), 100)
        echo = bytearray(swapped(frame))
        if number == 4:
            echo[50] ^= 0x10
        for _ in range({2: 0, 6: 2}.get(number, 1)):
            await source.send(GmiiFrame.from_payload(bytes(echo)))
    await Timer(20, "us")
    assert sink.empty() and dut.begun.value == dut.sent.value == 10
    assert [int(count.value) for count in (dut.good, dut.bad, dut.missing)] == [8, 2, 2]
    for _ in range(10):
        await RisingEdge(dut.user_clk)
    shortest = (114 + 24) * 2  # its way out and its way back on the line
    assert shortest < int(dut.rtt_min.value) <= int(dut.rtt_sum.value) // 8 <= int(dut.rtt_max.value)


def test_mac_example() -> None:
    run_bench("mac_example")
