# SPDX-License-Identifier: Apache-2.0
"""`nsoc trace` of the programmable NIC: each frame followed on its whole way, with the core that has worked on it."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from runs import some

from nsoc.cli import call
from nsoc.machine import presets
from nsoc.pnic import follow, nic, show
from nsoc.pnic.follow import RECEIVE, SEND, Stage

pytestmark = pytest.mark.slow

FRAMES = 12
NS_PER_BYTE = 0.8
PREAMBLE = 8


@pytest.mark.parametrize(
    ("program", "pieces", "bytes_", "gap"),
    some(
        [("published", 2, 1518, 12), ("lean", 1, 64, None)],
        [("task", 2, 300, 12), ("ideal", 1, 1518, None), ("lean", 2, 64, 12), ("published", 1, 65, 400)],
    ),
)
def test_stages_follow_each_other_and_are_what_the_line_takes(
    program: str, pieces: int, bytes_: int, gap: int | None
) -> None:
    setup = nic.Setup(program=program, pieces=pieces, cores=6)
    every = follow.APART_NS if gap is None else follow.spacing_ns(bytes_, gap)
    trace = follow.run(setup, bytes_, FRAMES, every_ns=every)
    on_line = (bytes_ + PREAMBLE) * NS_PER_BYTE
    for found, stages, line in ((trace.sent, SEND, Stage.LINE_OUT), (trace.received, RECEIVE, Stage.LINE_IN)):
        assert len(found) == FRAMES
        assert [frame.number for frame in found] == sorted({frame.number for frame in found})
        for frame in found:
            visits = frame.visits()
            assert [stage for stage, _, _ in visits] == list(stages)
            assert all(begin <= end for _, begin, end in visits), visits
            assert all(left == entered for (_, _, left), (_, entered, _) in pairwise(visits))
            assert next(end - begin for stage, begin, end in visits if stage is line) == pytest.approx(on_line, abs=0.1)
            assert frame.core in range(1 if program == "ideal" else setup.cores)
            assert frame.ns == pytest.approx(sum(end - begin for _, begin, end in visits))
            assert frame.ns > setup.latency_ns * (2 if stages is SEND else 0)
    # Frames leave, and come, as far apart as they were given.
    starts = [begin for frame in trace.received for stage, begin, _ in frame.visits() if stage is Stage.LINE_IN]
    apart = [later - earlier for earlier, later in pairwise(starts)]
    assert min(apart) >= every - 6.4, "the deficit idle count: a column"
    assert {busy.core for busy in trace.busy} == set(range(setup.cores))


def test_the_core_that_commands_a_frame_is_in_the_function_that_does_it_then() -> None:
    trace = follow.run(nic.setup_of(presets.load("pnic-rice")), 1518, FRAMES, every_ns=follow.APART_NS)
    for found, function in ((trace.sent, "send_frames"), (trace.received, "receive_frames")):
        for frame in found:
            (end,) = (end for stage, _, end in frame.visits() if stage is Stage.COMMAND)
            # What retires does so a few cycles behind the access.
            doing = {
                busy.function
                for busy in trace.busy
                if busy.core == frame.core and busy.begin_ns - 60 <= end <= busy.end_ns + 60
            }
            assert function in doing, (frame.number, doing)
    for core in range(trace.setup.cores):
        mine = [busy for busy in trace.busy if busy.core == core]
        assert all(earlier.end_ns <= later.begin_ns for earlier, later in pairwise(mine))
        assert all(earlier.function != later.function for earlier, later in pairwise(mine))


def test_the_command_gives_a_table_records_and_a_timeline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, records = tmp_path / "a.perfetto-trace", tmp_path / "a.json"
    options = ["--frames", "4", "--payload", "1500", "--out", str(out), "--json", str(records)]
    assert call(["trace", "--preset", "pnic-rice-lock", *options]) == 0
    said = capsys.readouterr().out
    assert "4 frames sent; DMA commanded by core" in said and "whole way" in said and "hand over" in said
    found = json.loads(records.read_text())
    for way, stages in (("send", SEND), ("receive", RECEIVE)):
        means = {r["source"]: r["value"] for r in found if r["metric"] == "stage_ns" and r["mode"] == way}
        assert list(means) == [str(stage) for stage in stages]
        (whole,) = (r["value"] for r in found if r["metric"] == "way_ns" and r["mode"] == way)
        assert sum(means.values()) == pytest.approx(whole)
        assert sum(r["value"] for r in found if r["metric"] == "frames_of_core" and r["mode"] == way) == 4
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = protos.Trace()
    trace.ParseFromString(out.read_bytes())
    names = {packet.track_descriptor.name for packet in trace.packet if packet.HasField("track_descriptor")}
    assert {f"core {core}" for core in range(6)} | {str(stage) for stage in (*SEND, *RECEIVE)} <= names
    slices = [packet.track_event for packet in trace.packet if packet.track_event.name.startswith("frame ")]
    assert len(slices) == 4 * (len(SEND) + len(RECEIVE))
    ended = [event for event in slices if event.terminating_flow_ids]
    assert len(ended) == 8 and len({event.terminating_flow_ids[0] for event in ended}) == 8


def test_the_same_again_is_the_same() -> None:
    setup = nic.Setup(program="lean")
    first, second = (follow.run(setup, 64, 3, every_ns=follow.APART_NS) for _ in range(2))
    assert first == second
    assert show.records(first, "x") == show.records(second, "x")


@pytest.mark.parametrize("more", [["--image"], ["--mode", "nic_loopback"], ["--fst", "out/a.fst"]])
def test_what_is_for_a_soc_says_so(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["trace", "--preset", "pnic-rice", *more]) != 0
    assert "not for a programmable NIC" in capsys.readouterr().err
