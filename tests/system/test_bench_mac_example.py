# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench mac-example`: figures that follow from the line's arithmetic, records, what is said about mistakes."""

import json
from pathlib import Path

import pytest

from nsoc.bench import mac_example
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.machine import presets
from nsoc.machine.soc import Soc

pytestmark = pytest.mark.slow

FRAMES, WARM_UP = 30, 5
BYTE_US = 0.008
PRINTED = {64: 144.09, 128: 170.36, 256: 487.85, 512: 867.51, 1024: 852.00, 1486: 888.19}
RTT_US = {64: 99, 128: 109, 256: 120, 512: 137, 1024: 156}


@pytest.fixture(scope="module")
def result() -> mac_example.MacExampleResult:
    return mac_example.run(frames=FRAMES, warm_up=WARM_UP)


@pytest.mark.long
def test_throughput_is_what_the_line_leaves(result: mac_example.MacExampleResult) -> None:
    """Preamble, FCS and gap are 24 bytes besides the frame; the delay comes on top."""
    assert {t.payload for t in result.throughputs} == set(PRINTED)
    for measured in result.throughputs:
        delay_us = {"delay-1us": 1.0, "line-rate": 0.0}[measured.mode]
        frame = measured.payload + 14
        expected = 8 * frame / ((frame + 24) * BYTE_US + delay_us)
        assert measured.send_mbps == pytest.approx(expected, rel=1e-3)
        assert measured.receive_mbps == pytest.approx(expected, rel=1e-3)


def test_a_round_trip_is_two_frames_on_the_line_and_the_same_latency_for_each_length(
    result: mac_example.MacExampleResult,
) -> None:
    assert [trip.payload for trip in result.round_trips] == list(RTT_US)
    # The generator's frame goes into the FIFO at 8 bytes a cycle; what the MAC receives is passed on as it comes, and
    # the echo sends it when it is whole.
    latency = set()
    for trip in result.round_trips:
        frame = trip.payload + 14
        latency.add(trip.average - 2 * (frame + 12) - (frame + 7) // 8)
    assert max(latency) - min(latency) <= 2, "it depends on the length in no other way"
    assert 0 < min(latency) < 50
    for trip in result.round_trips:
        assert trip.minimum <= trip.average <= trip.maximum <= trip.minimum + 2


def test_records_carry_ours_and_theirs(result: mac_example.MacExampleResult) -> None:
    records = mac_example.records(result)
    assert {record.suite for record in records} == {"mac-example"}
    assert {record.preset for record in records} == {"mac-example"}
    rtt = {r.payload: r for r in records if r.metric == "rtt_us"}
    assert {payload: r.published for payload, r in rtt.items()} == RTT_US
    cycles = {r.payload: r.value for r in records if r.metric == "rtt_cycles"}
    assert all(rtt[payload].value == pytest.approx(float(value) / 125) for payload, value in cycles.items())
    for way in ("send", "receive"):
        found = {r.payload: r for r in records if r.metric == "throughput_mbps" and r.mode == f"{way}:delay-1us"}
        for payload, record in found.items():
            assert record.published == pytest.approx(PRINTED[payload] * 2**20 / 1e6, abs=0.01)
            assert record.source is not None and record.source.endswith("Table B.2")
            assert record.limit == pytest.approx(1000 * (payload + 14) / (payload + 14 + 24))
        assert set(found) == set(PRINTED)
    shares = [r.value for r in records if r.metric == "line_share" and str(r.mode).endswith("line-rate")]
    assert len(shares) == 12 and all(share == pytest.approx(1, rel=1e-3) for share in shares)


def test_the_same_run_gives_the_same_figures(result: mac_example.MacExampleResult) -> None:
    again = mac_example.run(frames=FRAMES, warm_up=WARM_UP)
    assert mac_example.records(again) == mac_example.records(result)


def test_the_command_prints_both_tables_and_the_caveats(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "mac-example", "--frames", "3", "--warm-up", "1"]) == 0
    out = capsys.readouterr().out
    assert all(str(figure) in out for figure in [*RTT_US.values(), "144.09", "151.09", "888.19"])
    assert (
        "operating system" in out
        and "2^20" in out
        and "at payload 512 more is published than fits with it, as printed; times 1.048576 at 512, 1024, 1486." in out
    )
    assert call(["bench", "mac-example", "--frames", "3", "--warm-up", "1", "--json", "-"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert {r["metric"] for r in records} == {"rtt_cycles", "rtt_us", "throughput_mbps", "line_share"}


def test_lost_frames_are_an_error_and_no_figure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\necho 15 1 1 200 300 4000 0 0\nexit 1\n", encoding="ascii")
    fake.chmod(0o755)
    monkeypatch.setattr(mac_example, "_program", lambda preset: fake)
    with pytest.raises(NsocError, match=r"mac-example \(payload 64.* came 15 back good, 1 bad; 1 are missing"):
        mac_example.run(frames=3, warm_up=1)
    fake.write_text("#!/bin/sh\necho what happened >&2\nexit 3\n", encoding="ascii")
    with pytest.raises(NsocError, match="what happened"):
        mac_example.run(frames=3, warm_up=1)


@pytest.mark.parametrize(
    "command",
    [
        ["run", "hello", "--preset"],
        ["demo", "--preset"],
        ["gdb", "--preset"],
        ["bench", "cpu", "--preset"],
        ["synth"],
        ["pnr"],
    ],
    ids=lambda command: command[0] if command[0] != "bench" else "bench cpu",
)
def test_what_needs_a_processor_says_that_there_is_none(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call([*command, "mac-example"]) == 1
    err = capsys.readouterr().err.strip()
    assert err.splitlines()[-1] == (
        "nsoc: the preset mac-example has no processor; what it can do is `nsoc bench mac-example`"
    )
    with pytest.raises(NsocError, match="no processor"):
        Soc("mac-example")


def test_a_preset_with_processor_is_not_one_of_these() -> None:
    with pytest.raises(NsocError, match="the preset nic12-fast is not a mac-example"):
        mac_example.run(preset="nic12-fast")


def test_it_is_listed_without_what_does_not_apply(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["presets", "--json", "-"]) == 0
    fields = {r["metric"] for r in json.loads(capsys.readouterr().out) if r["preset"] == "mac-example"}
    assert fields == {"description", "top", "nic_mhz", "rx_fifo_bytes", "tx_fifo_bytes", "system", "build_s"}
    assert not presets.load("mac-example").has_processor
