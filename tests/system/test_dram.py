# SPDX-License-Identifier: Apache-2.0
"""Packets in DRAM, in NIC loopback, which leaves the processor and its caches out: speed, and what is seen inside."""

import random
from typing import Any

import pytest
from runs import seeds
from traffic import frame

import nsoc.machine.soc
from nsoc.bench import nic
from nsoc.errors import NsocError
from nsoc.machine import presets, selftest
from nsoc.machine.selftest import Session
from nsoc.machine.sim import Config

PRESET = "nic12-dram"
FRAME_OFFSET = 18  # of the frame in its buffer


@pytest.mark.parametrize("length", [78, 1514])
def test_dram_keeps_up_with_the_line_in_both_directions(length: int) -> None:
    with Session(PRESET) as session:
        session.enter("nic_loopback")
        share = nic.measure_share(session, length, 600)
        assert share.lost == 0 and share.measured > 0.999
        assert not session.lost()


def history(every_edge: bool, seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, dict[str, Any]]:
    """The edges of dram_clk that were left out, and everything that can be seen of a run."""
    original = nsoc.machine.soc.boot_config

    def config(preset: presets.Preset, seed: int) -> Config:
        made = original(preset, seed)
        made.every_dram_edge = int(every_edge)
        return made

    monkeypatch.setattr(nsoc.machine.soc, "boot_config", config)
    rng = random.Random(seed)
    with Session(PRESET, seed) as session:
        soc = session.soc
        session.enter("nic_loopback")
        for _ in range(60):
            soc.wire.send(frame(rng.randrange(60, 1515), rng), not_before=soc.cycles + rng.randrange(20000))
        soc.run(us=1000, idle_us=50)
        seen: dict[str, Any] = {
            "frames": [(back.start_ps, back.end_ps, back.data) for back in soc.wire.receive_all()],
            "answer": session.ask("check_memory_access"),  # the processor, its timer and its stores
            "cycles": soc.cycles,
            "printed": soc.uart.text,
            "counters": dict(soc.counters),
            "dram": soc.peek(presets.DRAM_PACKET_BASE, 64 * 2048) + soc.peek(0x4000_0000, 1 << 20),
        }
        assert len(seen["frames"]) == 60
        return soc._sim.probe("dram.edges_left_out")[0], seen


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_leaving_out_idle_edges_of_the_drams_clock_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    left_out, seen = history(False, seed, monkeypatch)
    monkeypatch.undo()
    none, expected = history(True, seed, monkeypatch)
    assert none == 0 and left_out > 100_000
    assert seen == expected


def test_a_frame_that_is_received_is_seen_in_memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what DRAM's controller still gathers."""
    rng = random.Random(4)
    with Session(PRESET) as session:
        soc = session.soc
        session.enter("nic_loopback")
        for length in (60, 63, 64, 77, 100, 333):
            data = frame(length, rng)
            (buffer,) = soc.pointers()["rx_engine"]  # fetched in advance for the next frame
            soc.wire.send(data)
            soc.run(us=1000, sent=0)
            for _ in range(10_000):  # until it leaves the engine, which is when all writes are answered
                if buffer not in soc.pointers()["rx_engine"]:
                    break
                soc.run(cycles=1)
            assert soc.peek(buffer + FRAME_OFFSET, length) == data
            soc.run(us=1000, idle_us=20)
            assert soc.peek(buffer + FRAME_OFFSET, length) == data
            assert soc.wire.receive_all()[0].data == data


def test_what_is_written_behind_the_socs_back_is_not_lost_to_older_writes() -> None:
    rng = random.Random(5)
    with Session(PRESET) as session:
        soc = session.soc
        session.enter("nic_loopback")
        (buffer,) = soc.pointers()["rx_engine"]
        soc.wire.send(frame(60, rng))
        while buffer in soc.pointers()["rx_engine"]:
            soc.run(cycles=1)
        new = rng.randbytes(60)
        soc.load(buffer + FRAME_OFFSET, new)
        assert soc.peek(buffer + FRAME_OFFSET, 60) == new
        soc.run(us=20)
        assert soc.peek(buffer + FRAME_OFFSET, 60) == new


def test_the_memorys_clock_is_a_field_of_the_preset() -> None:
    preset = presets.load(PRESET)
    assert preset.dram_mhz == 200 and preset.rtl_parameters()["DRAM_CLK_PS"] == 5000
    assert preset.with_(dram_mhz=100).rtl_parameters()["DRAM_CLK_PS"] == 10000
    with pytest.raises(NsocError, match="dram_mhz"):
        preset.with_(dram_mhz=400)
    assert selftest.BUFFERS == 64
