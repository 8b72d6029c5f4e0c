# SPDX-License-Identifier: Apache-2.0
"""Following frames: against the wire's own stamps and the NIC's counters, on one simulator with taps."""

import json
import random
import shutil
import struct
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from runs import some
from traffic import frame, settle

import nsoc
from nsoc import cli, needs, sparc, trace
from nsoc.errors import NsocError
from nsoc.machine import build, firmware, presets
from nsoc.network.faults import Faults, Wiring
from nsoc.trace import Stage, cores, show

pytestmark = pytest.mark.slow

CALLS = firmware.checkout() / "tests" / "support" / "calls.c"
FS_PER_PS = 1000
INTO_ENGINE = [Stage.NET_IN, Stage.TCP_RX, Stage.TABLE, Stage.TCP_CORE_IN, Stage.PLACE]
OUT_OF_ENGINE = [Stage.TURN, Stage.TCP_CORE_OUT, Stage.TCP_TX, Stage.NET_OUT]
OF_A_SEND = OUT_OF_ENGINE[1:]
NORMAL = [stage for stage in Stage if stage not in INTO_ENGINE + OUT_OF_ENGINE]
NIC_LOOPBACK = [stage for stage in NORMAL if stage not in (Stage.RX_QUEUE, Stage.PROCESSOR)]
MAC_LOOPBACK = [Stage.WIRE_IN, Stage.RX_FIFO, Stage.TX_FIFO, Stage.WIRE_OUT]


def booted(preset: str | presets.Preset = "nic12-fast", **options) -> nsoc.Soc:
    """`forward` ready to receive, and the taps recorded from now on."""
    soc = nsoc.Soc(preset, **{"firmware": "forward", "trace": True, **options})
    soc.run(us=20_000, text="ready\n")
    if options.get("trace", True):
        soc.record()
    return soc


def mixed(soc: nsoc.Soc, count: int, seed: int) -> tuple[list, list]:
    """Frames of many lengths, alone and back to back; what was sent and what came back."""
    rng = random.Random(seed)
    sent = []
    for _ in range(count):
        length = rng.choice((60, 64, 65, rng.randrange(60, 1515), 1514))
        sent.append(soc.wire.send(frame(length, rng), ifg=rng.choice((12, 12, 900))))
    return sent, settle(soc)


def check_against_the_wire(frames: list[trace.FrameTrace], sent: list, received: list) -> None:
    """Stages in order and contiguous, from the first byte in to the last byte out, for each frame in turn."""
    assert len(frames) == len(sent) == len(received)
    for number, (found, there, back) in enumerate(zip(frames, sent, received, strict=True)):
        assert found.number == number and found.complete and found.length == len(there.data)
        visits = found.visits
        assert [visit.stage for visit in visits] == sorted((visit.stage for visit in visits), key=NORMAL.index)
        assert all(visit.enter_ns <= visit.leave_ns for visit in visits)
        assert all(first.leave_ns == second.enter_ns for first, second in pairwise(visits))
        stamps = [round(ns * 1000) for ns in (visits[0].enter_ns, visits[0].leave_ns, visits[-1].enter_ns)]
        stamps.append(round(visits[-1].leave_ns * 1000))
        wire = [there.start_ps, there.end_ps, back.start_ps, back.end_ps]
        assert stamps == pytest.approx(wire, rel=0, abs=1), "both in whole ps"
        assert sum(visit.ns for visit in visits) == pytest.approx((back.end_ps - there.start_ps) / 1000)


@pytest.mark.parametrize("mbps", some([100], [1000]))
def test_stages_add_up_to_the_round_trip_on_the_wire(mbps: int) -> None:
    with booted(presets.load().with_(line_mbps=mbps)) as soc:
        sent, received = mixed(soc, 60 if mbps == 1000 else 12, seed=3)
        found = trace.follow(soc.events(), soc.preset)
        check_against_the_wire(found.frames, sent, received)
    assert {tuple(visit.stage for visit in one.visits) for one in found.frames} == {tuple(NORMAL)}
    assert {one.pointer for one in found.frames} <= {0x5000_0000 + 2048 * i for i in range(64)}
    assert {one.server for one in found.frames} == {0}


def test_taps_change_no_cycle() -> None:
    def stamps(traced: bool) -> list[tuple[int, int]]:
        with booted(trace=traced) as soc:
            _, received = mixed(soc, 30, seed=4)
            return [(one.start_cycle, one.end_cycle) for one in received]

    assert stamps(True) == stamps(False) and len(stamps(True)) == 30


@pytest.mark.parametrize(("mode", "stages"), [("nic_loopback", NIC_LOOPBACK), ("mac_loopback", MAC_LOOPBACK)])
def test_a_loopback_has_only_the_stages_on_its_way(mode: str, stages: list[Stage]) -> None:
    for gap in (None, 12):
        found = trace.run(mode=mode, payload=200, frames=6, gap=gap).trace
        assert [[visit.stage for visit in one.visits] for one in found.frames] == [stages] * 6
        assert all(first.leave_ns == second.enter_ns for one in found.frames for first, second in pairwise(one.visits))


def test_means_of_the_stages_add_up_to_the_mean_round_trip() -> None:
    frames = 64  # as many moments of the processor's polling
    stages = trace.stage_breakdown("nic12-fast", 64, frames=frames)
    with booted() as soc:
        round_trips = []
        start = soc.cycles + trace.SPACING
        for _ in range(trace.WARM + frames):
            sent = soc.wire.send(trace.capture._frame(64), not_before=start)
            received = soc.wire.receive()
            assert received is not None and sent.start_ps is not None
            round_trips.append(received.end_ps - sent.start_ps)
            start = max(start + trace.SPACING, soc.cycles)  # not a while after an answer: that is always the same phase
    assert list(stages) == [str(stage) for stage in NORMAL]
    measured = sum(round_trips[trace.WARM :]) / frames / 1000
    assert sum(stages.values()) == pytest.approx(measured, rel=0.02), "another phase of the clocks, not another path"


def test_under_overload_drops_have_the_causes_that_the_nic_counts() -> None:
    rng = random.Random(5)
    with booted(defines={"DELAY": 8000}) as soc:
        before = dict(soc.counters)
        for _ in range(150):
            soc.wire.send(frame(1000, rng))
        received = settle(soc, idle_us=1000)
        found = trace.follow(soc.events(), soc.preset)
        counted = {name: count - before[name] for name, count in soc.counters.items() if "_drop_" in name}
    assert found.drops == {name: count for name, count in counted.items() if count} and found.drops
    assert len(found.frames) == 150 and len(found.complete) == len(received) == 150 - sum(found.drops.values())
    assert all(one.drop for one in found.frames if not one.complete)
    full = {counter.name: max(value for _, value in counter.points) for counter in found.counters}
    assert full["RX FIFO"] <= soc.preset.rx_fifo_bytes and full["Rx queue 0"] > 32


def test_frames_that_the_mac_drops_keep_their_cause_and_confuse_no_other_frame() -> None:
    rng = random.Random(6)
    with booted() as soc:
        before = dict(soc.counters)
        faults: list[dict] = [
            {}, {"bad_fcs": True}, {"error_at": 20}, {"cut_at": 30}, {"sfd": 0x5D}, {"error_at": 700}, {"cut_at": 800}
        ]  # fmt: skip
        bad = 0
        for _ in range(60):
            fault = rng.choice(faults)
            bad += bool(fault)
            soc.wire.send(frame(rng.choice((62, 1000)), rng), **fault)
        soc.wire.send(frame(2000, rng))
        sent = soc.wire.send(frame(300, rng))
        received = settle(soc)
        found = trace.follow(soc.events(), soc.preset)
        counted = {name: count - before[name] for name, count in soc.counters.items() if "_drop_" in name}
        assert found.drops == {name: count for name, count in counted.items() if count}
        assert set(found.drops) == {"rx_drop_fcs", "rx_drop_error", "rx_drop_runt", "rx_drop_oversize"}
        assert len(found.frames) == 62 and len(found.complete) == len(received)
        # However it was cut short: a frame that was begun is followed by the right one.
        for one, back in zip(found.complete, received, strict=True):
            assert one.visits[-1].leave_ns * 1000 == pytest.approx(back.end_ps, rel=0, abs=1)
            assert one.length == len(back.data)
        assert round(found.complete[-1].visits[0].enter_ns * 1000) == pytest.approx(sent.start_ps, rel=0, abs=1)


def test_the_perfetto_file_has_every_slice_drop_and_counter(tmp_path: Path) -> None:
    proto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed")
    with booted(defines={"DELAY": 8000}) as soc:
        rng = random.Random(7)
        for _ in range(120):
            soc.wire.send(frame(1000, rng))
        settle(soc, idle_us=1000)
        found = trace.follow(soc.events(), soc.preset)
    file = tmp_path / "run.perfetto-trace"
    trace.write_perfetto(found, file)
    parsed = proto.Trace()
    parsed.ParseFromString(file.read_bytes())

    names = {packet.track_descriptor.uuid: packet.track_descriptor.name for packet in parsed.packet}
    open_slices: dict[int, tuple] = {}
    slices, drops, flows = [], [], {}
    values: dict[str, list[float]] = {}
    for packet in sorted((p for p in parsed.packet if p.HasField("track_event")), key=lambda packet: packet.timestamp):
        event = packet.track_event
        if event.type == event.TYPE_SLICE_BEGIN:
            assert event.track_uuid not in open_slices, "slices of a track overlap"
            open_slices[event.track_uuid] = (event.name, packet.timestamp)
            for flow in [*event.flow_ids, *event.terminating_flow_ids]:
                flows.setdefault(flow, []).append(event.name)
        elif event.type == event.TYPE_SLICE_END:
            name, begin = open_slices.pop(event.track_uuid)
            slices.append((name, names[event.track_uuid], begin, packet.timestamp))
        elif event.type == event.TYPE_INSTANT:
            drops.append((event.name, packet.timestamp))
        else:
            values.setdefault(names[event.track_uuid], []).append(event.double_counter_value)
    assert not open_slices
    assert sorted(slices) == sorted(
        (f"frame {one.number}", str(visit.stage), round(visit.enter_ns), round(visit.leave_ns))
        for one in found.frames
        for visit in one.visits
    )
    assert sorted(drops) == sorted((one.drop.cause, round(one.drop.time_ns)) for one in found.frames if one.drop) != []
    assert all(len(set(names)) == 1 for names in flows.values()), "a flow leads from a frame to another"
    assert {"Rx queue 0", "free queue", "RX FIFO", "TX FIFO", "NIC, ACB: busy", "processor, ACB: busy"} <= set(values)
    assert values["free queue"][0] == values["free queue"][-1] == 63, "all buffers are back, one fetched in advance"
    assert all(0 <= value <= 100 for name in values if ": " in name for value in values[name])


def test_the_command_writes_timeline_table_and_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, figures = tmp_path / "sub" / "a.perfetto-trace", tmp_path / "figures.json"
    pytest.importorskip("perfetto.trace_builder.proto_builder", reason="perfetto is not installed")
    arguments = ["trace", "--frames", "3", "--payload", "100", "--gap", "12", "--out", str(out), "--json", str(figures)]
    assert cli.call(arguments) == 0
    shown = capsys.readouterr().out
    assert all(str(stage) in shown for stage in NORMAL) and "3 frames, 3 came back" in shown and str(out) in shown
    records = json.loads(figures.read_text(encoding="utf-8"))
    assert {(record["suite"], record["preset"], record["mode"], record["payload"]) for record in records} == {
        ("trace", "nic12-fast", "normal", 100)
    }
    stages = {record["source"]: record["value"] for record in records if record["metric"] == "stage_ns"}
    assert list(stages) == [str(stage) for stage in NORMAL]
    (rtt,) = [record["value"] for record in records if record["metric"] == "rtt_ns"]
    assert sum(stages.values()) == pytest.approx(rtt, abs=0.01)
    assert out.stat().st_size > 1000


@pytest.mark.long  # a simulator of its own
def test_a_segment_is_followed_through_the_engine_to_its_echo() -> None:
    result = trace.run(preset="toe", payload=100, frames=6)
    found = result.trace
    assert len(found.complete) == 6 and not found.drops
    acknowledgements = [one for one in found.frames if not one.complete]
    assert {(one.length, one.visits[-1].stage) for one in acknowledgements} == {(60, Stage.TCP_CORE_IN)}
    outside = [Stage.WIRE_IN, Stage.RX_FIFO], [Stage.TX_FIFO, Stage.WIRE_OUT]
    stages = [*outside[0], *INTO_ENGINE, Stage.PROCESSOR, *OF_A_SEND, *outside[1]]
    wire_ns = (100 + 54 + 4 - 1) * 8
    for one in found.complete:
        assert [visit.stage for visit in one.visits] == stages and one.length == 154
        assert all(first.leave_ns == second.enter_ns for first, second in pairwise(one.visits))
        assert all(visit.ns > 0 for visit in one.visits)
        assert one.ns_in(Stage.WIRE_IN) == one.ns_in(Stage.WIRE_OUT) == pytest.approx(wire_ns, abs=8)
    assert len({one.connection for one in found.frames}) == 1
    assert result.counters["packets_transmitted"] == 6 and result.counters["rx_good"] == len(found.frames)
    assert found.ns(Stage.TCP_CORE_IN) == pytest.approx([14 * 8] * 6, abs=8), "as tcp_events has it, and its decision"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--preset", "toe", "--gap", "12"], "leave out --gap"),
        (["--preset", "toe", "--payload", "1461"], "at most 1460 bytes"),
        (["--image", "--gap", "12"], "leave out --gap"),
        (["--mode", "sideways"], "there is no mode 'sideways'"),
        (["--fst", "a.fst", "--from-us", "5", "--to-us", "5"], "--to-us must be more"),
        (["--mode", "nic_loopback", "--firmware", "hello"], "leave out --firmware"),
        (["--preset", "mac-example"], "no processor"),
        (["--loss", "0.1"], "give --image"),
    ],
)
def test_a_wrong_wish_is_one_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.call(["trace", *arguments]) == 1
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and error.startswith("nsoc: ")


def test_an_image_over_a_bad_cable_shows_what_the_mac_drops() -> None:
    result = trace.run(image=True, wiring=Wiring(Faults(corrupt=0.03)))
    dropped = result.counters["rx_drop_fcs"]
    assert dropped > 0 and sum(result.trace.drops.values()) == dropped
    assert len(result.trace.complete) == result.counters["packets_transmitted"]


def test_without_the_perfetto_package_one_sentence_says_so(tmp_path: Path) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(NsocError, match=r"run `make \.venv/report\.stamp`"):
        patch.setattr(needs.importlib, "import_module", missing)
        trace.write_perfetto(trace.Trace(presets.load(), [], []), tmp_path / "none")


def fst_times(file: Path) -> tuple[int, int]:
    """First and last time in an FST file, in units of its timescale: the first block is its header."""
    data = file.read_bytes()
    assert data[0] == 0 and struct.unpack_from(">Q", data, 1) == (329,)
    return struct.unpack_from(">QQ", data, 9)


@pytest.mark.long  # a simulator that writes waveforms takes minutes to build
def test_a_waveform_covers_its_window_and_changes_no_cycle(tmp_path: Path) -> None:
    if not build.can_write_waves():
        pytest.skip("the header of liblz4 is not installed (Debian: liblz4-dev)")
    file = tmp_path / "window.fst"
    stamps = {}
    for waves in (None, trace.Waves(file, 12.0, 15.0)):
        found = trace.run(payload=64, frames=1, warm=1, waves=waves).trace
        stamps[waves is not None] = [(visit.enter_ns, visit.leave_ns) for visit in found.frames[0].visits]
    assert stamps[True] == stamps[False]
    first, last = fst_times(file)
    begins_fs = found.frames[0].visits[0].enter_ns * 1e6
    assert first == pytest.approx(begins_fs + 12e9, abs=1e8) and last == pytest.approx(begins_fs + 15e9, abs=1e8)
    if reader := shutil.which("fst2vcd"):
        text = subprocess.run([reader, "-f", str(file)], capture_output=True, text=True, check=True).stdout
        assert "nic_clk" in text


def test_a_missing_header_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build, "can_write_waves", lambda: False)
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path))
    with pytest.raises(NsocError, match="liblz4-dev"):
        build.simulator(presets.load(), build.Variant(trace=True, waves=True))


@pytest.mark.parametrize("preset", some(["nic12-fast"], ["ajit-nic12-fast"]))
def test_the_functions_that_a_core_is_in_and_its_window_traps(preset: str, tmp_path: Path) -> None:
    with nsoc.Soc(preset, CALLS, trace=True) as soc:
        soc.record()
        soc.run(us=100)
        found = trace.follow(soc.events(), soc.preset, soc.elf)
        elf, end_ns = soc.elf, soc.time_us * 1000
    busy = found.busy
    for one, behind in pairwise(busy):
        assert one.core == 0 and one.begin_ns < one.end_ns <= behind.begin_ns + 0.001, one
        assert one.function != behind.function and behind.begin_ns - one.end_ns < 0.001, "no time is left out"
    assert busy[-1].end_ns < end_ns
    names = [one.function for one in busy if one.function in ("main", "deep", "uart_put_hex")]
    assert names[:2] == ["main", "deep"] and names.index("uart_put_hex") > names.index("deep")
    shown = trace.TraceResult(found, "normal", None, {})
    said = "".join(show.lines(shown, tmp_path, None))
    records = {(one.metric, one.source): one.value for one in show.records(shown)}
    assert records["function_ns", "deep"] == pytest.approx(sum(one.ns for one in busy if one.function == "deep"))
    assert sum(ns for (metric, _), ns in records.items() if metric == "function_ns") == pytest.approx(
        busy[-1].end_ns - busy[0].begin_ns
    )
    traps = cores.windows(busy)
    if preset.startswith("ajit"):
        iss = sparc.Iss()
        for segment in firmware.segments(elf, "sparc"):
            iss.write(segment.address, segment.data)
        iss.reset()
        taken = []
        while not (step := iss.step()).sleeps:
            taken.append(step.trap if step.kind == sparc.Kind.TRAPPED else 0)
        assert (traps.overflow, traps.underflow) == (taken.count(5), taken.count(6)) and traps.overflow > 5
        assert traps.ns == sum(one.ns for one in busy if one.function.startswith("window_"))
        assert f"windows   {traps.overflow} overflows, {traps.underflow} underflows, {traps.ns:,.0f} ns" in said
        assert records["window_traps", "overflow"] == traps.overflow
        assert records["window_traps", "underflow"] == traps.underflow
    else:
        assert traps == cores.Windows(0, 0, 0) and "windows" not in said
    trace.write_perfetto(found, tmp_path / "calls.perfetto-trace")
    assert b"uart_put_hex" in (tmp_path / "calls.perfetto-trace").read_bytes()
