# SPDX-License-Identifier: Apache-2.0
"""Frames out of events, without a simulator: what the default preset never does."""

import pytest

from nsoc import trace
from nsoc.machine import presets
from nsoc.machine.soc import Event
from nsoc.trace import Stage

NS = 10**6
PRESET = presets.load("nic12-fast")
BUFFER, OTHER = 0x5000_0000, 0x5000_0800
GMII, NIC = 8, 8
LATE_NS = {
    "line_in_begin": 2 * GMII, "line_in_end": 4 * GMII, "line_out_begin": -GMII, "line_out_end": 0,
    "fetch": 2 * NIC, "tx_take": 2 * NIC, "cpu_pop": 2 * NIC,
}  # fmt: skip
"""How long behind its meaning an event is handed over, see trace_pkg and sim/trace_log.sv; others: NIC."""


def events(*said: tuple) -> list[Event]:
    """Events from (tap, ns, detail, pointer), where ns is what is meant."""
    made = [Event(tap, (ns + LATE_NS.get(tap, NIC)) * NS, *[*more, 0, 0][:2]) for tap, ns, *more in said]
    return sorted(made, key=lambda event: event.time_fs)


RECEIVED = (
    ("line_in_begin", 1000), ("rx_first", 1400), ("fetch", 1300, 0, BUFFER), ("rx_begin", 1410),
    ("line_in_end", 1504, 8 | 16), ("rx_last", 1600), ("rx_deliver", 1700, 1, BUFFER),
)  # fmt: skip
SENT = (
    ("tx_take", 2200, 5, BUFFER), ("tx_first", 2400), ("line_out_begin", 2600), ("tx_last", 2700, 4),
    ("tx_return", 2720, 0, BUFFER), ("line_out_end", 3104),
)  # fmt: skip
PROCESSED = (("cpu_pop", 1800, 1, BUFFER), ("cpu_push", 2000, 5, BUFFER))


def stages(frame: trace.FrameTrace) -> dict[Stage, float]:
    return {visit.stage: visit.ns for visit in frame.visits}


def test_a_frame_is_in_each_stage_for_as_long_as_its_events_say() -> None:
    (frame,) = trace.follow(events(*RECEIVED, *PROCESSED, *SENT), PRESET).frames
    assert stages(frame) == {
        Stage.WIRE_IN: 504, Stage.RX_FIFO: 96, Stage.RX_ENGINE: 100, Stage.RX_QUEUE: 100, Stage.PROCESSOR: 200,
        Stage.TX_QUEUE: 200, Stage.TX_ENGINE: 200, Stage.TX_FIFO: 200, Stage.WIRE_OUT: 504,
    }  # fmt: skip
    assert frame.complete and frame.ns == 2104
    assert (frame.length, frame.server, frame.pointer) == (60, 1, BUFFER)


def test_with_queues_in_memory_all_between_the_engines_is_the_processor() -> None:
    preset = presets.load("nic11-dram")
    (frame,) = trace.follow(events(*RECEIVED, *SENT), preset).frames
    assert frame.complete and stages(frame)[Stage.PROCESSOR] == 500
    assert not {Stage.RX_QUEUE, Stage.TX_QUEUE} & set(stages(frame))


def test_a_frame_that_the_processor_makes_begins_in_the_transmit_queue() -> None:
    (frame,) = trace.follow(events(("cpu_pop", 900, 8, BUFFER), *PROCESSED[1:], *SENT), PRESET).frames
    assert next(iter(stages(frame))) is Stage.TX_QUEUE and not frame.complete and frame.drop is None


def test_a_frame_that_the_processor_keeps_does_not_become_the_next_one_in_its_buffer() -> None:
    kept = events(*RECEIVED, PROCESSED[0], ("cpu_push", 1900, 8, BUFFER))
    later = [Event(e.tap, e.time_fs + 10_000 * NS, e.detail, e.value) for e in events(*RECEIVED, *PROCESSED, *SENT)]
    first, second = trace.follow([*kept, *later], PRESET).frames
    assert not first.complete and first.drop is None and second.complete and second.ns == 2104


def test_a_buffer_that_a_disabled_engine_gives_back_is_no_frame() -> None:
    said = (("fetch", 100, 0, OTHER), ("rx_return", 200, 0, OTHER), *RECEIVED, *PROCESSED, *SENT)
    assert [frame.complete for frame in trace.follow(events(*said), PRESET).frames] == [True]


@pytest.mark.parametrize(
    ("said", "cause", "last"),
    [
        ((*RECEIVED[:-1], ("rx_return", 1700, 3, BUFFER)), "rx_drop_no_server", Stage.RX_ENGINE),
        ((*RECEIVED[:-1], ("rx_return", 1700, 2, BUFFER)), "rx_drop_memory_error", Stage.RX_ENGINE),
        ((*RECEIVED, *PROCESSED, SENT[0], ("tx_drop", 2300, 1)), "tx_drop_bad_length", Stage.TX_ENGINE),
        ((*RECEIVED, *PROCESSED, *SENT[:2], ("tx_last", 2500, 2)), "tx_drop_abort", Stage.TX_FIFO),
        ((*RECEIVED, *PROCESSED, *SENT[:5], ("line_out_end", 2800, 1)), "tx_drop_underrun", Stage.WIRE_OUT),
        # Not good, and the NIC saw its beginning: it is the MAC that counts it, whatever the NIC did with it.
        (
            (*RECEIVED[:4], ("line_in_end", 1504, 4 | 16), *RECEIVED[5:6], ("rx_return", 1700, 0, BUFFER)),
            "rx_drop_fcs",
            Stage.WIRE_IN,
        ),
        (
            (*RECEIVED[:2], ("rx_discard", 1410), ("line_in_end", 1504, 4 | 16), RECEIVED[5]),
            "rx_drop_fcs",
            Stage.WIRE_IN,
        ),
        ((*RECEIVED[:2], ("rx_discard", 1450), *RECEIVED[4:6]), "rx_drop_no_buffer", Stage.WIRE_IN),
        (
            (RECEIVED[0], RECEIVED[4], ("rx_first", 1550), ("rx_discard", 1580), RECEIVED[5]),
            "rx_drop_no_buffer",
            Stage.RX_FIFO,
        ),
    ],
)
def test_a_drop_ends_a_frame_where_it_happens_and_the_next_frame_is_followed(
    said: tuple, cause: str, last: Stage
) -> None:
    later = [Event(e.tap, e.time_fs + 10_000 * NS, e.detail, e.value) for e in events(*RECEIVED, *PROCESSED, *SENT)]
    found = trace.follow([*events(*said), *later], PRESET)
    assert found.drops == {cause: 1}
    dropped, whole = found.frames
    assert dropped.visits[-1].stage is last and dropped.visits[-1].leave_ns == dropped.drop.time_ns
    assert not dropped.complete and whole.complete and whole.ns == 2104


def test_levels_are_what_the_taps_say_in_the_units_of_their_names() -> None:
    said = [
        Event("queue0", 8 * NS, 0, 0), Event("queue0", 16 * NS, 0, 3), Event("rx_fifo_words", 16 * NS, 0, 5),
        Event("nic_acb", 1000 * NS, 0, 32 | 16 << 16), Event("queue7", 8 * NS, 0, 0),
    ]  # fmt: skip
    found = {counter.name: counter for counter in trace.follow(said, PRESET).counters}
    assert set(found) == {"Rx queue 0", "RX FIFO", "NIC, ACB: busy", "NIC, ACB: waiting"}
    assert found["Rx queue 0"].points == [(0, 0), (8, 3)] and found["RX FIFO"].points == [(8, 40)]
    assert found["NIC, ACB: busy"].points == [(1000 - 65 * 8, 50)], "where the window of 64 cycles began"
    assert found["NIC, ACB: waiting"].points[0][1] == 25
