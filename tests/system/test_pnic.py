# SPDX-License-Identifier: Apache-2.0
"""The programmable NIC between a host and a line: each byte right, frames in order, none lost that is not counted
(nic.run raises otherwise), whatever the host does; figures that are the same again."""

import json

import pytest
from runs import some

from nsoc.bench import pnic as bench
from nsoc.bench.points import BENCHMARKS, Load
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.pnic import nic
from nsoc.pnic.firmware import Order
from nsoc.pnic.nic import Setup

pytestmark = pytest.mark.slow

FRAMES = 600
"""More than there are places in any ring of the NIC."""


@pytest.mark.parametrize("bytes_", some([64, 65, 1518], [66, 67, 68, 71, 72, 73, 127, 128, 129, 512, 1517]))
@pytest.mark.parametrize("pieces", [1, 2])
def test_frames_go_both_ways_whole_and_in_order(bytes_: int, pieces: int) -> None:
    setup = Setup(pieces=pieces, latency_ns=1000, jitter_ns=3000)
    found = nic.run(setup, bytes_, send=90, receive=40, frames=FRAMES)
    assert found.total_sent >= FRAMES and found.delivered >= FRAMES
    assert found.mac["tx_sent"] == found.total_sent == found.given


@pytest.mark.parametrize("kind", Order)
@pytest.mark.parametrize("program", some(["lean", "published"], ["task", "ideal"]))
@pytest.mark.parametrize("latency_ns", some([4000], [0]))
def test_each_kind_of_order_keeps_order_under_more_than_it_can_take(program: str, kind: Order, latency_ns: int) -> None:
    """What is too much is dropped, and counted by its cause."""
    setup = Setup(program=program, order=kind, latency_ns=latency_ns, jitter_ns=latency_ns, pieces=2)
    found = nic.run(setup, 64, frames=2 * FRAMES)
    assert found.sent and found.received
    assert found.shown["frames"] == found.mac["rx_good"]


def test_a_profile_has_each_cycle_once_and_the_published_program_does_all_that_it_should() -> None:
    found = nic.run(Setup(program="published", latency_ns=4000, pieces=2), 64, window_us=60, profile=True)
    for spent in (*found.profile.values(), found.idle):
        assert spent.cycles == spent.instructions + spent.fetch + spent.load + spent.conflict + spent.pipeline
        assert spent.accesses < spent.instructions or not spent.instructions
    counted = sum(spent.cycles for spent in found.profile.values()) + found.idle.cycles
    all_cycles = found.core_cycles * found.setup.cores
    assert 0.99 * all_cycles < counted <= all_cycles  # but for what each core was at when the window ended
    assert {"send_push", "send_try_lock", "receive_complete"} <= found.profile.keys()


def test_events_that_find_no_room_wait_and_are_tried_again() -> None:
    """A slow host: rings of commands and the room for frames are full most of the time."""
    setup = Setup(program="published", host_mbps=2000, pieces=2)
    found = nic.run(setup, 512, warm_us=400, window_us=200, profile=True)
    assert found.sent and found.received
    assert {"receive_push", "receive_rotate", "send_rotate"} & (found.profile.keys())
    assert "receive_push" in found.profile


def test_a_core_that_waits_says_so() -> None:
    """Frames of a tenth of the line leave the cores with nothing to do most of the time."""
    found = nic.run(
        Setup(program="published", pieces=2), 1518, send=0, receive=5, warm_us=150, window_us=60, profile=True
    )
    assert found.idle.cycles > 0.7 * found.core_cycles * found.setup.cores


@pytest.mark.parametrize("bytes_", some([9600], [2048, 2049, 4000]))
def test_so_do_large_frames(bytes_: int) -> None:
    found = nic.run(Setup(pieces=2, jitter_ns=500), bytes_, frames=40)
    assert found.total_sent >= 40 and found.delivered >= 40
    assert found.mac["rx_drop_oversize"] == found.mac["tx_drop_oversize"] == 0
    # The cores read the MAC's counters now and then: what they show is not older than some rounds of their loop.
    assert found.shown["mac_rx_good"] == found.mac["rx_good"] and found.shown["mac_tx_sent"] == found.mac["tx_sent"]
    assert found.shown["mac_missed"] == 0


def test_a_host_that_is_slow_loses_frames_and_each_is_counted() -> None:
    found = nic.run(Setup(host_mbps=1000), 1518, send=0, warm_us=1500, window_us=100)
    assert found.shown["no_buffer"] + found.shown["no_entry"] > 0
    assert found.line_share < 0.1


def test_frames_count_in_the_window_in_which_the_line_has_them_not_when_a_batch_is_delivered() -> None:
    """A full line is all of it but the two words at each end, 6.4 ns each, in a window as short as one likes."""
    found = nic.run(Setup(), 1518, warm_us=150, window_us=20)
    for frames in (found.sent, found.received):
        share = frames / found.window_us * 1e6 / nic.line_frames_per_s(1518)
        assert share == pytest.approx(1 - 4 * 6.4e-3 / found.window_us, abs=2e-4)
        assert share <= 1


@pytest.mark.long  # another simulator
def test_one_core_does_it_too() -> None:
    found = nic.run(Setup(cores=1, core_mhz=166), 1518, warm_us=200, window_us=200)
    assert found.line_share > 0.98


def test_a_run_gives_the_same_figures_again() -> None:
    first, second = (nic.run(Setup(jitter_ns=500), 100, window_us=30) for _ in range(2))
    assert first == second


@pytest.mark.long
def test_a_million_of_the_smallest_frames_come_in_order_or_are_counted() -> None:
    found = nic.run(Setup(jitter_ns=800), 64, frames=1_000_000)
    assert found.total_sent >= 1_000_000 and found.unaccounted == 0


def test_the_command_prints_tables_and_records(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "WARM_US", 50)
    monkeypatch.setattr(bench, "WINDOW_US", 100)
    arguments = [
        "bench",
        "pnic",
        "pnic-rice",
        "--bytes",
        "64",
        "--pieces",
        "1",
        "--only",
        "frames,order",
        "--json",
        "-",
    ]
    assert call(arguments) == 0
    out = capsys.readouterr()
    records = json.loads(out.out)
    assert {r["metric"] for r in records} == {
        "frames_per_s", "line_share", "cycles_per_frame", "instructions_per_frame", "accesses_per_frame", "ipc",
        "order_cycles",
    }  # fmt: skip
    (rate,) = [r["value"] for r in records if r["metric"] == "frames_per_s"]
    assert 5e6 < rate < 2 * nic.line_frames_per_s(64)
    assert "Order: cycles of a core for a frame" in out.err


def test_a_sweep_measures_what_the_preset_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WARM_US", 50)
    monkeypatch.setattr(bench, "WINDOW_US", 50)
    preset = presets.load("pnic-rice").with_(order="amo", pieces=1)
    records = BENCHMARKS["pnic"].run(preset, 1, Load((46,)))
    assert {(r.mode, r.payload) for r in records} == {("published-amo-1bd", 64)}
    assert "line_share" in {r.metric for r in records}
    with pytest.raises(NsocError, match="nic12-fast is no programmable NIC"):
        BENCHMARKS["pnic"].run(presets.load(), 1, Load((46,)))


def test_a_trace_has_what_has_retired_and_what_was_granted() -> None:
    found = nic.run(Setup(), 1518, window_us=20, trace_us=20)
    assert len(found.trace.retired) == found.retired
    assert len(found.trace.accesses) == sum(found.words.values())
    opcodes = {retired.word & nic.OPCODE for retired in found.trace.retired}
    assert {0x03, 0x13, 0x23, 0x63} <= opcodes and {retired.core for retired in found.trace.retired} == set(range(6))
    stores = sum(access.write for access in found.trace.accesses if access.master < 6)
    assert 0.1 < stores / found.words["cores"] < 0.6


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--bytes", "63"], "64 to 9600"),
        (["--bytes", "a"], "64 to 9600"),
        (["pnic-rise"], "did you mean pnic-rice"),
        (["--only", "all"], "some of"),
    ],
)
def test_what_cannot_be_measured_is_said(options: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "pnic", *options]) == 1
    assert why in capsys.readouterr().err
