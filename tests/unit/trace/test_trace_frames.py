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


# ---- The TCP/IP engine ----

TOE = presets.load("toe")
CONNECTION = 5 << 3
COMES = (
    ("line_in_begin", 1000), ("rx_first", 1400), ("line_in_end", 1504, 8 | 16), ("rx_last", 1600),
    ("net_segment", 1640), ("tcp_fate", 1650), ("tcp_arrival", 1660), ("tcp_began", 1880, 0, CONNECTION),
    ("tcp_decided", 2000, 1, CONNECTION), ("tcp_placed", 2400),
)  # fmt: skip
GOES = (
    ("tcp_turn", 3000, 0, CONNECTION), ("tcp_began", 3010, 4, CONNECTION), ("tcp_told", 3120, 4, CONNECTION),
    ("tcp_sent", 3600), ("tx_first", 3680), ("net_leaves", 3696, 1), ("tx_last", 3800, 4), ("line_out_begin", 3900),
    ("line_out_end", 4404),
)  # fmt: skip


def test_a_segment_ends_in_its_ring_and_one_that_is_sent_begins_with_its_turn() -> None:
    came, went = trace.follow(events(*COMES, *GOES), TOE).frames
    assert stages(came) == {
        Stage.WIRE_IN: 504, Stage.RX_FIFO: 96, Stage.NET_IN: 40, Stage.TCP_RX: 20, Stage.TABLE: 220,
        Stage.TCP_CORE_IN: 120, Stage.PLACE: 400,
    }  # fmt: skip
    assert stages(went) == {
        Stage.TURN: 10, Stage.TCP_CORE_OUT: 110, Stage.TCP_TX: 480, Stage.NET_OUT: 80, Stage.TX_FIFO: 220,
        Stage.WIRE_OUT: 504,
    }  # fmt: skip
    assert (came.connection, came.length, went.connection, went.length) == (5, 60, 5, 60)


def test_a_segment_that_a_send_tells_begins_with_it() -> None:
    began = [("tcp_began", at, 5, CONNECTION) for at in (2000, 2936, 3000, 3064)]  # the third one tells it
    said = [("tcp_told", 3112, 5, CONNECTION) if one[0] == "tcp_told" else one for one in GOES if "turn" not in one[0]]
    (went,) = trace.follow(events(*began, *(one for one in said if one[0] != "tcp_began")), TOE).frames
    assert stages(went) == {
        Stage.TCP_CORE_OUT: 112, Stage.TCP_TX: 488, Stage.NET_OUT: 80, Stage.TX_FIFO: 220, Stage.WIRE_OUT: 504,
    }  # fmt: skip


def test_what_the_engine_drops_has_the_name_of_its_counter_and_confuses_no_other() -> None:
    def later(said: tuple[tuple, ...], ns: int) -> tuple[tuple, ...]:
        return tuple((tap, at + ns, *more) for tap, at, *more in said)

    lost = {"tcp_fate": 4, "tcp_decided": 11 << 4}  # sum; no gap
    for tap, detail in lost.items():
        bad = [
            (name, at, detail, *rest[1:]) if name == tap else (name, at, *rest)
            for name, at, *rest in later(COMES, 5000)
            if name != "tcp_placed" and (tap != "tcp_fate" or name in ("tcp_fate", "net_segment") or "tcp" not in name)
        ]
        frames = trace.follow(events(*COMES, *bad, *later(COMES, 10_000)), TOE).frames
        assert stages(frames[0]) == stages(frames[2])
        assert [one.drop and one.drop.cause for one in frames] == [
            None, {"tcp_fate": "segment_drop_sum", "tcp_decided": "tcp_drop_no_gap"}[tap], None
        ]  # fmt: skip
        assert frames[1].visits[-1].stage is {"tcp_fate": Stage.TCP_RX, "tcp_decided": Stage.TCP_CORE_IN}[tap]


def test_frames_for_the_nic_and_what_net_answers_itself_pass_beside_segments() -> None:
    asked = (
        ("line_in_begin", 100), ("rx_first", 500), ("line_in_end", 604, 8 | 16), ("rx_last", 700), ("net_kept", 740, 4),
    )  # fmt: skip
    answered = (("tx_first", 800), ("net_leaves", 816, 2), ("line_out_begin", 900), ("line_out_end", 1400))
    for_nic = tuple((tap, at + 5000, *more) for tap, at, *more in (*RECEIVED, *PROCESSED))
    of_nic = tuple((tap, at + 5000, *more) for tap, at, *more in SENT)
    said = events(*asked, *answered, *COMES, *GOES, *for_nic, *of_nic, ("net_leaves", 7416, 0))
    ping, pong, came, went, through = trace.follow(said, TOE).frames
    assert [visit.stage for visit in ping.visits] == [Stage.WIRE_IN, Stage.RX_FIFO] and ping.drop is None
    assert [visit.stage for visit in pong.visits] == [Stage.TX_FIFO, Stage.WIRE_OUT]
    assert came.visits[-1].stage is Stage.PLACE and went.visits[-1].stage is Stage.WIRE_OUT
    assert through.complete and through.ns == 2104


def test_of_a_lost_fetch_nothing_is_sent_and_the_next_segment_is_whole() -> None:
    lost = (*GOES[:3], ("tcp_unsent", 3500))
    again = tuple((tap, at + 2000, *more) for tap, at, *more in GOES)
    first, second = trace.follow(events(*lost, *again), TOE).frames
    assert first.drop is not None and first.drop.cause == "tcp_fetch_error" and stages(second)[Stage.TCP_TX] == 480
