# SPDX-License-Identifier: Apache-2.0
"""`nsoc sweep` over benchmarks that need no simulator: what is measured, kept, written, and said about mistakes."""

import csv
import json
import socket
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pyarrow.parquet
import pytest

from nsoc import trace
from nsoc.bench import cpu, mac_example, measure, modes, nic, pnic, points, pool, sweep, sweep_output
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.machine import presets, selftest
from nsoc.machine.presets import Preset
from nsoc.pnic import nic as programmable_nic
from nsoc.records import Record

COUNT = "NSOC_TEST_COUNT"


def _product(preset: Preset, seed: int, load: points.Load) -> list[Record]:
    """A figure that can be computed by hand; every call leaves a line, in whichever process it runs."""
    import os

    with open(os.environ[COUNT], "a", encoding="ascii") as count:
        count.write(f"{preset.name}\n")
    if preset.nic_mhz == 13:
        raise NsocError("13 MHz bring bad luck")
    if preset.nic_mhz == 17:
        raise ValueError("nobody has thought of 17")
    return [
        Record("test", preset.name, "product", preset.cpu_mhz * preset.nic_mhz * payload, load.mode, payload, "MHz2")
        for payload in load.payloads
    ]


@pytest.fixture
def count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The benchmark `product`, an empty cache, points measured in this process; a file with a line for each point."""
    from concurrent.futures import ThreadPoolExecutor

    file = tmp_path / "count"
    file.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(COUNT, str(file))
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    what = points.Benchmark(_product, ("product",), "for tests", loaded=True, build=None)
    monkeypatch.setitem(points.BENCHMARKS, "product", what)
    monkeypatch.setattr(pool, "executor", ThreadPoolExecutor)
    return file


def _measured(count: Path) -> int:
    return len(count.read_text().splitlines())


def _rows(path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))


def _sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """What a failed command said: one line on stderr, no traceback."""
    _, err = capsys.readouterr()
    last = err.splitlines()[-1]
    assert last.startswith("nsoc: ") and "Traceback" not in err, err
    return last


# --- What comes out ---


def test_the_csv_has_a_row_for_each_point_of_the_product_and_payload(count: Path) -> None:
    assert call(["sweep", "cpu_mhz=20,40", "nic_mhz=100,125", "--bench", "product", "--payload", "64,512",
                 "--out", "t.csv"]) == 0  # fmt: skip
    rows = _rows("t.csv")
    found = {(float(r["cpu_mhz"]), float(r["nic_mhz"]), int(r["payload"])): float(r["value"]) for r in rows}
    assert found == {(c, n, p): c * n * p for c in (20, 40) for n in (100, 125) for p in (64, 512)}
    assert {(r["preset"], r["seed"], r["metric"], r["unit"], r["error"]) for r in rows} == {
        ("nic12-fast", "1", "product", "MHz2", "")
    }


def test_the_parquet_file_has_the_same_rows_with_types(count: Path) -> None:
    assert call(["sweep", "cpu_mhz=20,40.5", "preset=nic11-fast,nic12-fast", "seed=3", "--bench", "product", "--out",
                 "t.parquet"]) == 0  # fmt: skip
    table = pyarrow.parquet.read_table("t.parquet")
    assert [str(table.schema.field(name).type) for name in ("cpu_mhz", "preset", "seed", "payload", "value")] == [
        "double", "string", "int64", "int64", "double",
    ]  # fmt: skip
    rows = table.select(["preset", "seed", "cpu_mhz", "value"]).to_pylist()
    assert rows == [
        {"preset": preset, "seed": 3, "cpu_mhz": mhz, "value": mhz * 125 * 64}
        for mhz in (20, 40.5)
        for preset in ("nic11-fast", "nic12-fast")
    ]


def test_records_for_machines_name_what_is_different(count: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["sweep", "cpu_mhz=20,40", "--bench", "product", "--json", "-"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [(r["preset"], r["value"]) for r in records] == [
        ("nic12-fast cpu_mhz=20", 20 * 125 * 64),
        ("nic12-fast cpu_mhz=40", 40 * 125 * 64),
    ]


@pytest.mark.parametrize(("ending", "begin"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE html>")])
def test_the_plot_is_written_without_network(
    count: Path, ending: str, begin: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: object) -> None:
        raise AssertionError("a plot must not open a connection")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    arguments = ["sweep", "cpu_mhz=20,40,200", "nic_mhz=100,125", "--bench", "product", "--payload", "64,512"]
    assert call([*arguments, "--plot", f"p.{ending}"]) == 0
    page = Path(f"p.{ending}").read_bytes()
    assert page.startswith(begin)
    assert b'src="http' not in page
    if ending == "svg":
        assert page.count(b"aria-roledescription") > 5 and b"cpu_mhz" in page


def test_sizes_may_be_given_in_k(count: Path) -> None:
    (axis,) = sweep.parse_axes(["rx_fifo_bytes=2K, 64K,1M"])
    assert axis.values == (2048, 65536, 1048576)


# --- Keeping ---


def test_a_second_sweep_measures_only_what_is_new(count: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["sweep", "cpu_mhz=20,40", "--bench", "product"]) == 0
    assert _measured(count) == 2
    assert call(["sweep", "cpu_mhz=40,60,20", "--bench", "product", "--out", "t.csv"]) == 0
    assert _measured(count) == 3
    assert "2 of 3 points are there already" in capsys.readouterr().err
    rows = _rows("t.csv")
    assert [float(row["value"]) for row in rows] == [mhz * 125 * 64 for mhz in (40, 60, 20)], "in the order asked for"
    assert call(["sweep", "cpu_mhz=20,40", "--bench", "product", "--payload", "65"]) == 0
    assert _measured(count) == 5, "another load is another point"
    assert call(["sweep", "cpu_mhz=20,40", "--bench", "product", "--fresh"]) == 0
    assert _measured(count) == 7


def test_what_was_measured_before_a_crash_is_kept(count: Path) -> None:
    def crash_after_two(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    axes = sweep.parse_axes(["cpu_mhz=20,30,40,50"])
    with pytest.raises(KeyboardInterrupt):
        sweep.run(axes, benchmark="product", jobs=1, progress=crash_after_two)
    kept = sum(row.cached for row in sweep.run(axes, benchmark="product").rows)
    assert kept == 2


def test_other_sources_are_another_point(count: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    axes = sweep.parse_axes(["cpu_mhz=20"])
    sweep.run(axes, benchmark="product")
    monkeypatch.setattr(sweep, "source_digest", lambda: "the RTL has changed")
    assert not sweep.run(axes, benchmark="product").rows[0].cached


# --- Mistakes ---


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["cpu_mzh=20"], "there is no parameter 'cpu_mzh', only .*; did you mean cpu_mhz\\?"),
        (["cpu_mhz"], "'cpu_mhz' is not like cpu_mhz=VALUE,VALUE"),
        (["cpu_mhz=20,,30"], "is not like"),
        (["cpu_mhz=20", "cpu_mhz=30"], "given twice"),
        (["cpu_mhz=20,5"], "preset nic12-fast is wrong: .*cpu_mhz"),
        (["rx_fifo_bytes=2048,3000"], "rx_fifo_bytes must be a power of two, not 3000"),
        (["queues=nic,somewhere"], "queues"),
        (["preset=nic12-fats"], "did you mean nic12-fast"),
        (["seed=1.5"], "a seed must be a whole number"),
        (["cpu_mhz=20", "--bench", "brust"], "no benchmark 'brust', only .*did you mean burst"),
        (["cpu_mhz=20", "--payload", "64,1501"], "payloads must be 46 to 1500"),
        (["cpu_mhz=20", "--payload", "many"], "--payload 'many' is not like"),
        (["cpu_mhz=20", "--mode", "odd"], "no mode 'odd', only normal"),
        (["cpu_mhz=20", "--out", "t.xls"], "must end in .csv, .parquet"),
        (["cpu_mhz=20", "--plot", "t.gif"], "must end in .svg"),
        (["cpu_mhz=20", "--bench", "product", "--out", "count/t.csv"], "cannot write the table count/t.csv"),
        (["cpu_mhz=20", "--bench", "product", "--metric", "sum"], "no figure --metric 'sum', only product$"),
        (["cpu_mhz=20", "--bench", "product", "--metric", "sum", "--plot", "t.svg"], "has no figure --metric 'sum'"),
        (["cpu_mhz=20", "--metric", "loss"], "no figure --metric 'loss', only loss_free_burst, .*did you mean"),
        (["cpu_mhz=20", "--bench", "brust", "--metric", "loss"], "no benchmark 'brust'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_and_nothing_is_measured(
    count: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    import re

    assert call(["sweep", *arguments]) == 1
    assert re.search(complaint, _sentence(capsys))
    assert _measured(count) == 0


@pytest.fixture
def nothing_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the benchmarks call gives figures at once."""
    preset = presets.load()
    counts = {"cycles": 10, "instructions": 8, "stalls": dict.fromkeys(cpu.STALLS, 0), "ok": True, "result": 1}
    loops = [cpu.Measured(name, **counts) for name in cpu.LOOPS]
    accesses = [nic.Access(name, 1, 2, 16.0) for name in nic.ACCESSES.values()]
    share = nic.Share("mac_loopback", 60, 1.0, nic.LONG_RUN - nic.LONG_WARM_UP, 0, True)
    trip = SimpleNamespace(mode="normal", payload=64, mean=2.0, us=1.0, average=2.0)
    rate = SimpleNamespace(mode="line-rate", payload=64, mbps=1.0, line_share=0.5, lost=0, offered=1)
    of_modes = Mock(modes.ModesResult, preset=preset, round_trips=[trip], cycles=lambda mode, payload: 1.0)
    lengths = SimpleNamespace(send_mbps=1.0, receive_mbps=1.0, mode="line-rate", payload=64)
    of_mac = Mock(mac_example.MacExampleResult, preset=preset, round_trips=[trip], throughputs=[lengths], us=float)
    found = SimpleNamespace(
        setup=SimpleNamespace(program="lean", order=SimpleNamespace(label="amo"), pieces=1, cores=1), bytes=64, sent=1,
        received=1, frames_per_s=1.0, line_share=0.5, core_cycles=1, retired=1, words={}, profile={},
    )  # fmt: skip
    for where, name, value in (
        (measure, "round_trip", trip),
        (measure, "throughput", rate),
        (measure, "loss_free_burst", SimpleNamespace(frames=1, unlimited=True)),
        (trace, "stage_breakdown", {"mac": 1.0}),
        (modes, "run", of_modes),
        (points, "Session", nullcontext()),
        (selftest, "access_cycles", {"register_access": 5, "queue_op": 3, "traversal": 40}),
        (nic, "round_trip", nic.RoundTrip("mac_loopback", 64, 1.0, 1.0, 1.0)),
        (nic, "measure_shares", [share]),
        (nic, "processor_accesses", accesses),
        (cpu, "run", cpu.CpuResult(preset, loops)),
        (mac_example, "run", of_mac),
        (pnic, "setup_of", None),
        (programmable_nic, "run", found),
    ):
        monkeypatch.setattr(where, name, lambda *_, value=value, **__: value)


@pytest.mark.parametrize("name", points.BENCHMARKS)
def test_the_figures_of_a_benchmark_are_those_that_it_says(nothing_measured: None, name: str) -> None:
    bench = points.BENCHMARKS[name]
    records = bench.run(presets.load(), 1, points.Load())
    assert {record.metric for record in records} == set(bench.metrics)
    assert len(bench.metrics) == len(set(bench.metrics))


def test_a_figure_that_no_point_has_is_not_plotted(count: Path) -> None:
    result = sweep.run(sweep.parse_axes(["cpu_mhz=20"]), benchmark="product")
    with pytest.raises(NsocError, match="no figure 'sum' to plot, only product"):
        sweep_output.plot(result, "sum")


def test_a_missing_package_is_named_with_the_way_out(
    count: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "altair", None)
    assert call(["sweep", "cpu_mhz=20", "--bench", "product", "--plot", "p.svg"]) == 1
    assert "needs the Python package altair, which is missing: run `make .venv/report.stamp`" in _sentence(capsys)


def test_a_point_that_fails_is_a_row_and_the_rest_go_on(count: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["sweep", "nic_mhz=125,13,17,50", "--bench", "product", "--out", "t.csv", "--plot", "t.svg"]) == 1
    out, err = capsys.readouterr()
    assert err.splitlines()[-1] == (
        "nsoc: 2 of 4 points failed; the first, nic12-fast nic_mhz=13: 13 MHz bring bad luck"
    )
    assert "bad luck" in out
    rows = _rows("t.csv")
    assert [(row["value"], row["error"]) for row in rows] == [
        ("640000", ""), ("", "13 MHz bring bad luck"), ("", "ValueError: nobody has thought of 17"), ("256000", ""),
    ]  # fmt: skip
    assert _measured(count) == 4
    assert call(["sweep", "nic_mhz=125,13", "--bench", "product"]) == 1
    assert _measured(count) == 5, "a point that failed is tried again"


def test_a_simulator_that_cannot_be_built_fails_its_points_only(count: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def simulator(preset: Preset) -> Path:
        if preset.rx_fifo_bytes == 2048:
            raise NsocError("the RTL says: too small\n  and more")
        return Path()

    what = points.Benchmark(_product, ("product",), "for tests", loaded=True, build=simulator)
    monkeypatch.setitem(points.BENCHMARKS, "product", what)
    said: list[str] = []
    result = sweep.run(sweep.parse_axes(["rx_fifo_bytes=2K,4K", "cpu_mhz=20,40"]), benchmark="product", say=said.append)
    assert [row.error for row in result.rows] == ["the RTL says: too small"] * 2 + [""] * 2
    assert said == [
        "simulator 1 of 2: nic12-fast, rx_fifo_bytes=2048",
        "simulator 2 of 2: nic12-fast, rx_fifo_bytes=4096",
    ]


def test_every_field_of_a_preset_can_be_swept_but_its_names() -> None:
    fields = set(Preset.__struct_fields__) - {"name", "description"}
    assert set(sweep.PARAMETERS) == fields | {"preset", "seed"}
    for name in fields:
        value = getattr(presets.load(), name)
        (axis,) = sweep.parse_axes([f"{name}={value}"])
        (point,) = sweep.points([axis], None, "burst", points.Load())
        assert getattr(point.preset, name) == value


# --- A cluster ---


@pytest.fixture
def cluster() -> Iterator[str]:
    """The address of a dask scheduler with two workers, as threads of this process on loopback."""
    import distributed

    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(protocol="tcp", host="127.0.0.1", **options) as local:
        yield local.scheduler_address


@pytest.mark.slow
def test_a_cluster_gives_the_same_table_and_failed_points(count: Path, cluster: str) -> None:
    axes = ["cpu_mhz=20,40", "nic_mhz=125,13,100"]
    assert call(["sweep", *axes, "--bench", "product", "--out", "here.csv"]) == 1
    measured = _measured(count)
    assert measured == 6
    arguments = ["sweep", *axes, "--bench", "product", "--scheduler", cluster]
    assert call([*arguments, "--fresh", "--out", "there.csv"]) == 1
    assert _measured(count) == 12
    assert Path("here.csv").read_text() == Path("there.csv").read_text()
    assert call(arguments) == 1
    assert _measured(count) == 14, "only the two that failed again"


def test_a_cluster_of_other_sources_is_refused(
    count: Path, cluster: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "_worker_digest", lambda: "theirs")
    assert call(["sweep", "cpu_mhz=20", "--bench", "product", "--scheduler", cluster]) == 1
    assert "runs other sources of nsoc" in _sentence(capsys)
    assert _measured(count) == 0


def test_no_scheduler_is_one_sentence(
    count: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "CONNECT_S", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        assert call(["sweep", "cpu_mhz=20", "--bench", "product", "--scheduler", address]) == 1
    assert f"no dask scheduler answers at {address}" in _sentence(capsys)
    assert call(["sweep", "cpu_mhz=20", "--bench", "product", "--scheduler", "nonsense"]) == 1
    assert "no dask scheduler answers at nonsense" in _sentence(capsys)
