# SPDX-License-Identifier: Apache-2.0
"""`nsoc send`, `nsoc get` and `nsoc bench bursts` with SoCs at the other end."""

import json
import random
from pathlib import Path

import pytest

from nsoc.bench import bursts
from nsoc.cli import call
from nsoc.machine import presets
from nsoc.network import pcapng
from nsoc.network.faults import Faults, Wiring
from nsoc.transfer.plan import Plan, To
from nsoc.transfer.scheme import Scheme
from nsoc.transfer.session import Session
from nsoc.transfer.storage import MemorySource
from nsoc.transfer.transfers import Item

PATIENCE_US = 50_000.0


def items(*sizes: int) -> list[Item]:
    return [Item(f"file{i}", MemorySource(random.Random(i).randbytes(size))) for i, size in enumerate(sizes)]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to send, which is where the command runs."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "photos"
    (folder / "old").mkdir(parents=True)
    (folder / "a.jpg").write_bytes(random.Random(1).randbytes(5000))
    (folder / "old" / "b.jpg").write_bytes(random.Random(2).randbytes(1481))
    (tmp_path / "empty").touch()
    return folder


def records(text: str) -> dict[tuple[str, str], object]:
    return {(record["mode"], record["metric"]): record["value"] for record in json.loads(text)}


def test_files_and_folders_go_through_a_soc_and_come_back(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["send", "photos", "empty", "--out", "back", "--capture", "all.pcapng", "--json", "-"]
    assert call(arguments) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    for name in ("photos/a.jpg", "photos/old/b.jpg", "empty"):
        assert Path("back", name).read_bytes() == Path(name).read_bytes(), name
    figures = records(out)
    assert figures["scheme4:photos/a.jpg:02-00-00-00-00-02", "packets"] == 4
    assert figures["scheme4:empty:02-00-00-00-00-02", "delivered"] is True
    # Of each file the data, a summary and an OK, on their way to the SoC: read() gives no others.
    assert len(pcapng.read(Path("all.pcapng"))) == 4 + 1 + 0 + 3 * 2


@pytest.mark.parametrize("scheme", [1, 2, 3])
def test_schemes_1_to_3_bring_everything_back_where_nothing_is_lost(scheme: int) -> None:
    with Session.to(To.ECHO, patience_us=PATIENCE_US) as session:
        (one,) = session.echo(items(30_000), Plan(Scheme(scheme), gap_us=5.0, pause_us=20.0))
    assert one.delivered and one.data == random.Random(0).randbytes(30_000)
    assert one.sent.frames == one.received.frames == 21


@pytest.mark.parametrize("scheme", [1, 2, 3])
def test_schemes_1_to_3_repair_nothing(scheme: int) -> None:
    with Session.to(To.ECHO, patience_us=PATIENCE_US, wiring=Wiring(Faults(loss=0.1))) as session:
        (one,) = session.echo(items(60_000), Plan(Scheme(scheme), gap_us=0.0, pause_us=0.0))
    assert not one.delivered and "packets have not come back" in one.failure and one.repeats == 0
    assert one.sent.frames == 41 > one.received.frames


@pytest.mark.long
def test_several_files_interleave_on_the_way_into_a_sink(capsys: pytest.CaptureFixture[str]) -> None:
    wiring = Wiring(Faults(loss=0.05, corrupt=0.02, wrong_bytes=0.02, duplicate=0.05, reorder=0.05))
    sizes = (0, 1, 1480, 1481, 40_000, 20_000)
    with Session.to(To.SINK, patience_us=PATIENCE_US, wiring=wiring) as session:
        sent = session.send(items(*sizes))
        assert [one.failure for one in sent] == [""] * len(sizes)
        (soc,) = session.socs
        session.network.run(3000, until=lambda: soc.uart.text.count(" busy ") == len(sizes))
        lines = {line.split(":")[0].split()[1]: line for line in soc.uart.text.splitlines() if "bytes at" in line}
        for i, size in enumerate(sizes):
            address = int(lines[f"file{i}"].split(" at ")[1].split(",")[0], 16)
            assert soc.peek(address, size) == random.Random(i).randbytes(size) if size else True, lines[f"file{i}"]
    assert sum(one.repeats for one in sent) > 0


@pytest.mark.slow
def test_one_sender_reaches_several_socs() -> None:
    with Session.to(To.SINK, socs=2, patience_us=PATIENCE_US) as session:
        sent = session.send(items(20_000))
    assert [one.delivered for one in sent] == [True, True]
    assert sorted(one.station[-1] for one in sent) == [2, 3]


@pytest.mark.slow
def test_what_a_relay_passes_on_is_confirmed_by_the_far_end() -> None:
    with Session.to(To.RELAY, patience_us=PATIENCE_US, wiring=Wiring(Faults(loss=0.05))) as session:
        (one,) = session.send(items(30_000), relayed=True)
        relay, sink = session.socs
        session.network.run(3000, until=lambda: " busy " in sink.uart.text)
        assert one.delivered and "received file0: 30000 bytes" in sink.uart.text
        assert "received" not in relay.uart.text


@pytest.mark.slow
def test_a_log_of_faults_repeats_a_transfer(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["send", "photos/old/b.jpg", "--to", "sink", "--json", "-"]
    faults = ["--loss", "0.2", "--duplicate", "0.1", "--reorder", "0.1", "--seed", "5", "--log", "log"]
    assert call([*arguments, *faults]) == 0
    first = capsys.readouterr().out
    assert call([*arguments, "--seed", "5", "--replay", "log"]) == 0
    assert capsys.readouterr().out == first
    assert call(arguments) == 0
    assert capsys.readouterr().out != first


@pytest.mark.slow
def test_get_fetches_what_a_source_holds(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["get", "--load", "photos/a.jpg", "--out", "got/a.jpg"]) == 0, capsys.readouterr().err
    assert Path("got/a.jpg").read_bytes() == Path("photos/a.jpg").read_bytes()
    assert call(["get", "nothing", "--load", "photos/a.jpg", "--timeout", "50"]) == 1
    assert "it has nothing of that name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["send", "nowhere.jpg"], "cannot read nowhere.jpg: No such file"),
        (["send", "none"], "the folder none has no file to send"),
        (["send", "photos", "--to", "sink", "--scheme", "2"], "only with --to echo"),
        (["send", "photos", "--socs", "2"], "several SoCs can only be sinks"),
        (["send", "photos", "--out", "empty/x"], "cannot write to the folder empty/x"),
        (["send", "photos", "--preset", "mac-example"], "has no processor"),
        (["get", "--load", "photos"], "a folder"),
        (["get", "--load", "empty", "x" * 256], "at most 255 bytes, and this one 256"),
        (["send", "deep"], "at most 255 bytes, and this one"),
        (["send", "huge"], "a transfer at most 4294967295"),
    ],
)
def test_a_users_mistake_is_one_sentence(
    files: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("none").mkdir()
    Path("deep", "a" * 200, "b" * 200).mkdir(parents=True)
    Path("deep", "a" * 200, "b" * 200, "c").touch()
    with Path("huge").open("wb") as huge:
        huge.truncate(2**32)
    assert call(arguments) != 0
    error = capsys.readouterr().err
    assert words in error and "Traceback" not in error, error


@pytest.mark.slow
def test_a_burst_that_the_fifo_bears_comes_back_and_a_longer_one_does_not() -> None:
    """Of the published lengths, on a receiver with the published rate; no pause is too short for a faster one."""
    system = presets.load_soc("nic12-fast")

    def burst(frames: int, rate_mbps: float = bursts.RATE_MBPS) -> bursts.Try:
        return bursts._send(system, Plan(Scheme.BURST, burst=frames), rate_mbps, 1)

    tuned, long, fast = burst(16), burst(40), burst(40, 2000.0)
    assert tuned.delivery.delivered and not tuned.drops
    assert not long.delivery.delivered and set(long.drops) == {"rx_drop_overflow"}
    assert fast.delivery.delivered and not fast.drops


def test_a_gap_that_is_too_short_loses_frames() -> None:
    system = presets.load_soc("nic12-fast")
    lossy = bursts._send(system, Plan(Scheme.GAP, gap_us=1.0), bursts.RATE_MBPS, 1)
    whole = bursts._send(system, Plan(Scheme.GAP, gap_us=8.0), bursts.RATE_MBPS, 1)
    assert not lossy.delivery.delivered and lossy.drops and whole.delivery.delivered and not whole.drops


@pytest.mark.long
def test_the_longest_bursts_are_found() -> None:
    four, sixteen = bursts.run()
    assert 4 <= four.frames <= 8 < 14 <= sixteen.frames <= 20
    assert four.lost_beyond > 0 and four.cause == sixteen.cause == "rx_drop_overflow"
    assert abs(sixteen.receiver_mbps - bursts.RATE_MBPS) < 15
